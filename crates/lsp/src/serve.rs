//! The threads around a session: one reads, one decides, one writes, some answer, and one looks for mistakes.
//!
//! The thread that decides never waits for any of the others, so that typing is not held up by a slow question.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bicep::{Artifact, FilePath};

use crate::Machine;
use crate::diagnostics_job::DiagnosticsJob;
use crate::publish::{Depth, Publisher};
use crate::request_context::RequestContext;
use crate::requests::RequestCost;
use crate::restore::Restores;
use crate::session::{Effect, Session};
use crate::wire::{self, InputFrame};

/// The stack of a thread that asks the compiler.
const STACK: usize = 16 << 20;

/// How many threads answer quick questions, and how many those that look at many files.
const QUICK: usize = 2;
const SLOW: usize = 1;

/// How many messages can wait before reading stops.
const BACKLOG: usize = 1024;

/// How many messages are taken before documents are looked at, however fast they come.
const TOGETHER: usize = 256;

/// How long typing must stop before documents are looked at, and how often that is waited for.
const PAUSE: Duration = Duration::from_millis(8);
const PAUSES: usize = 12;

/// How long nothing must happen before templates are written for what only they show.
const IDLE: Duration = Duration::from_millis(300);

/// How long the last messages may take to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client asked the server to shut down, and then to exit.
    Asked,
    /// The client went away.
    Left,
}

/// Talks to a client until it ends the conversation, or until its stream ends and everything is answered.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    machine: Machine,
) -> io::Result<SessionEnd> {
    let (to_session, frames) = mpsc::sync_channel(BACKLOG);
    let to_reader = to_session.clone();
    let reader = move || {
        let mut input = BufReader::new(input);
        while let Ok(Some(frame)) = wire::read(&mut input) {
            if to_reader.send(frame).is_err() {
                return;
            }
        }
        drop(to_reader.send(InputFrame::End));
    };
    let (to_client, messages) = mpsc::channel::<Outgoing>();
    let (done, is_written) = mpsc::channel::<()>();
    let writer = move || {
        let mut output = output;
        for message in messages {
            match message {
                Outgoing::Message(message) if wire::write(&mut output, &message).is_ok() => {}
                Outgoing::Message(_) | Outgoing::End => break,
            }
        }
        drop(done);
    };
    spawn("read", reader)?;
    spawn("write", writer)?;
    let quick = Arc::new(Queue::default());
    let slow = Arc::new(Queue::default());
    let commands = Arc::new(Queue::default());
    let desk = Arc::new(Desk::default());
    let mut workers = Vec::new();
    for (queue, count) in [(&quick, QUICK), (&slow, SLOW), (&commands, 1)] {
        for _ in 0..count {
            let (queue, to_client) = (Arc::clone(queue), to_client.clone());
            workers.push(spawn("answer", move || answer(&queue, &to_client))?);
        }
    }
    let mut session = Session::new(machine);
    // A session that has too much to do looks at everything soon.
    session.restores().when_there(move || drop(to_session.try_send(InputFrame::News)));
    let (to_restore, wishes) = mpsc::channel::<Wish>();
    let (restores, own_sender) = (Arc::clone(session.restores()), to_client.clone());
    // Nobody waits for this one: registries can take their time.
    spawn("restore", move || restore(&wishes, &restores, &own_sender))?;
    let (own_desk, own_sender) = (Arc::clone(&desk), to_client.clone());
    workers.push(spawn("diagnose", move || diagnose(&own_desk, &own_sender, &to_restore))?);

    let mut taken = 0;
    let ended = 'talk: loop {
        let mut waiting = frames.try_recv();
        if taken >= TOGETHER || matches!(waiting, Err(_) | Ok(InputFrame::End)) {
            taken = 0;
            if let Some(look) = session.take_diagnostics_job() {
                desk.put(look);
            }
        }
        if matches!(waiting, Err(TryRecvError::Empty)) {
            waiting = frames.recv().map_err(TryRecvError::from);
        }
        let Ok(frame) = waiting else { break None };
        if frame == InputFrame::End {
            break None;
        }
        taken += 1;
        for effect in session.take(frame) {
            match effect {
                // A client that does not listen any more is noticed by the reader.
                Effect::Send(message) => drop(to_client.send(Outgoing::Message(message))),
                Effect::Ask(question) => match question.row.pace {
                    RequestCost::Quick => quick.push(question),
                    RequestCost::Slow => slow.push(question),
                    RequestCost::Command => commands.push(question),
                },
                Effect::End { asked } => {
                    break 'talk Some(if asked { SessionEnd::Asked } else { SessionEnd::Left });
                }
            }
        }
    };
    quick.close();
    slow.close();
    commands.close();
    desk.close();
    if ended.is_none() {
        // A stream that ends is not an order to stop: what was asked is answered.
        for worker in workers {
            let _ = worker.join();
        }
    }
    drop(to_client.send(Outgoing::End));
    // A client that does not read does not keep the process.
    let _ = is_written.recv_timeout(LAST_WORDS);
    Ok(ended.unwrap_or(SessionEnd::Left))
}

/// What the writer is given.
enum Outgoing {
    Message(Vec<u8>),
    /// Nothing comes after this.
    End,
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work)
}

/// Questions that wait for a thread.
#[derive(Default)]
struct Queue {
    waiting: Mutex<(VecDeque<RequestContext>, bool)>,
    bell: Condvar,
}

impl Queue {
    fn push(&self, question: RequestContext) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).0.push_back(question);
        self.bell.notify_one();
    }

    fn close(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.bell.notify_all();
    }

    /// The next question; none when there will be none any more.
    fn pop(&self) -> Option<RequestContext> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(question) = waiting.0.pop_front() {
                return Some(question);
            }
            if waiting.1 {
                return None;
            }
            waiting = self.bell.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn answer(queue: &Queue, to_client: &Sender<Outgoing>) {
    while let Some(question) = queue.pop() {
        let Some(message) = question.answer() else { continue };
        if to_client.send(Outgoing::Message(message)).is_err() {
            break;
        }
    }
}

/// Where the newest documents lie that are to be looked at. Older ones below them are not looked at any more.
#[derive(Default)]
struct Desk {
    top: Mutex<(Option<DiagnosticsJob>, bool)>,
    bell: Condvar,
}

impl Desk {
    fn put(&self, look: DiagnosticsJob) {
        let mut top = self.top.lock().unwrap_or_else(PoisonError::into_inner);
        top.0 = Some(match top.0.take() {
            Some(older) => older.then(look),
            None => look,
        });
        drop(top);
        self.bell.notify_one();
    }

    fn close(&self) {
        self.top.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.bell.notify_all();
    }

    /// What is to be looked at next, when typing has stopped for a moment; or that nothing happened for a while, if
    /// somebody has patience for so long; or the end.
    fn take(&self, patience: Option<Duration>) -> Next {
        let mut top = self.top.lock().unwrap_or_else(PoisonError::into_inner);
        while top.0.is_none() {
            if let Some(patience) = patience {
                let (next, waited) =
                    self.bell.wait_timeout(top, patience).unwrap_or_else(PoisonError::into_inner);
                top = next;
                if top.0.is_none() && (waited.timed_out() || top.1) {
                    return Next::Idle;
                }
            } else if top.1 {
                return Next::End;
            } else {
                top = self.bell.wait(top).unwrap_or_else(PoisonError::into_inner);
            }
        }
        for _ in 0..PAUSES {
            if top.1 {
                break;
            }
            let (next, waited) = self.bell.wait_timeout(top, PAUSE).unwrap_or_else(PoisonError::into_inner);
            top = next;
            if waited.timed_out() {
                break;
            }
        }
        top.0.take().map_or(Next::End, Next::Look)
    }

    /// Tells whether nothing newer lies here.
    fn is_free(&self) -> bool {
        self.top.lock().unwrap_or_else(PoisonError::into_inner).0.is_none()
    }

    /// Sends what was found in a document, unless it was closed meanwhile; tells whether nothing newer lies here.
    ///
    /// What was found before the last edits is still sent: it says which version it is about, and somebody who never
    /// stops typing would not see anything else.
    fn publish(&self, path: &FilePath, send: impl FnOnce()) -> bool {
        let top = self.top.lock().unwrap_or_else(PoisonError::into_inner);
        match &top.0 {
            Some(newer) if !newer.snapshot.documents.contains_key(path) => {}
            Some(_) | None => send(),
        }
        top.0.is_none()
    }

    /// Puts back what was not looked at, below what is newer.
    fn put_back(&self, look: DiagnosticsJob) {
        let mut top = self.top.lock().unwrap_or_else(PoisonError::into_inner);
        top.0 = Some(match top.0.take() {
            Some(newer) => look.then(newer),
            None => look,
        });
    }
}

/// What a thread that looks at documents does next.
enum Next {
    Look(DiagnosticsJob),
    Idle,
    End,
}

/// What a program needs of registries.
struct Wish {
    artifacts: Vec<Artifact>,
    /// Whether the client shows how far it is.
    shows_progress: bool,
}

/// Fetches what programs need, until nobody needs anything any more.
fn restore(wishes: &Receiver<Wish>, restores: &Restores, to_client: &Sender<Outgoing>) {
    let say = |message| drop(to_client.send(Outgoing::Message(message)));
    for wish in wishes {
        restores.fetch(&wish.artifacts, wish.shows_progress, &say);
    }
}

/// Looks at documents until the end.
fn diagnose(desk: &Desk, to_client: &Sender<Outgoing>, to_restore: &Sender<Wish>) {
    let mut publisher = Publisher::default();
    // The newest documents, and those of them whose templates were not written yet.
    let mut newest: Option<DiagnosticsJob> = None;
    let mut later: BTreeSet<FilePath> = BTreeSet::new();
    let mut patience = IDLE;
    loop {
        match desk.take((!later.is_empty()).then_some(patience)) {
            Next::End => return,
            Next::Look(look) => {
                patience = IDLE;
                for message in publisher.clear(&look) {
                    drop(to_client.send(Outgoing::Message(message)));
                }
                let mut rest = look.documents();
                rest.reverse();
                while let Some(path) = rest.last() {
                    let Some(found) = publisher.look(&look, path, Depth::Checks, &|| desk.is_free()) else {
                        break;
                    };
                    let is_newest = desk.publish(path, || {
                        if let Some(message) = publisher.publish_message(found) {
                            drop(to_client.send(Outgoing::Message(message)));
                        }
                    });
                    later.extend(rest.pop());
                    if !is_newest {
                        break;
                    }
                }
                if rest.is_empty() {
                    newest = Some(look);
                } else {
                    desk.put_back(look.only(rest));
                }
            }
            Next::Idle => {
                patience = Duration::ZERO;
                let (Some(look), Some(path)) = (&newest, later.first()) else {
                    later.clear();
                    continue;
                };
                let found = publisher.look(look, path, Depth::Templates, &|| true);
                let send = || {
                    if let Some(message) = found.and_then(|found| publisher.publish_message(found)) {
                        drop(to_client.send(Outgoing::Message(message)));
                    }
                };
                // What is out of date by now is looked at again.
                if desk.is_free() {
                    send();
                    // While somebody types a version, every part of it could be one.
                    let snapshot = &look.snapshot;
                    let artifacts = snapshot.restores.claim(&snapshot.compiler, path);
                    if !artifacts.is_empty() {
                        let shows_progress = snapshot.abilities.progress;
                        drop(to_restore.send(Wish { artifacts, shows_progress }));
                    }
                    later.pop_first();
                }
            }
        }
    }
}
