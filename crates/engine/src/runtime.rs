//! The thin runtime around the machine: real calls, real time or none, and the writer that persists.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use machine::core::{
    Command, Event, Machine, ProviderCall, ProviderReply, RunEnd, RunProgress, Start, Ticket,
};
use machine::records::{DeploymentRecord, Record};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::lease_keeper::monotonic;
use crate::persist::{Batch, Persister};
use crate::persist_message::PersistMessage;
use crate::provider::{self, Provider};

/// How often a call is made again while the state cannot be read, for about a minute in all.
const TRIES: u32 = 24;

/// Whether the time of a deployment is that of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// That of the machine.
    #[default]
    Real,
    /// None: waits end as soon as nothing else is under way.
    Virtual,
}

/// An observer of a deployment.
pub trait Watcher: Send {
    /// Hears what happens, at a time in milliseconds.
    fn on_progress(&mut self, progress: &RunProgress, now: i64);
}

impl<F: FnMut(&RunProgress, i64) + Send> Watcher for F {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        self(progress, now);
    }
}

/// The time of the machine, in milliseconds since 1970.
pub(crate) fn real_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Runs a deployment to its end; an error is a store that does not answer.
pub(crate) async fn run(
    start: Start,
    provider: Arc<dyn Provider>,
    persister: &Persister,
    said: UnboundedReceiver<PersistMessage>,
    cancel: UnboundedReceiver<()>,
    clock: Clock,
    watcher: &mut dyn Watcher,
) -> Result<RunResult, String> {
    let (sender, answers) = unbounded_channel();
    let now = real_now();
    let (machine, commands) = Machine::start(start, now);
    let mut runtime = Runtime {
        machine,
        provider,
        persister,
        good_until: Arc::clone(persister.until()),
        held: Vec::new(),
        sender,
        answers,
        said,
        cancel,
        clock,
        now,
        ready: VecDeque::new(),
        timers: BTreeMap::new(),
        delayed: BTreeMap::new(),
        away: 0,
        unsettled: BTreeMap::new(),
        unwritten: BTreeMap::new(),
        record: None,
    };
    let end = runtime.run(commands, watcher).await;
    runtime.settle_all();
    Ok(RunResult { end: end?, record: runtime.record })
}

/// How a run ended, and what it wrote of itself last.
pub(crate) struct RunResult {
    pub(crate) end: RunEnd,
    /// None if it wrote nothing.
    pub(crate) record: Option<Box<DeploymentRecord>>,
}

struct Runtime<'r> {
    machine: Machine,
    provider: Arc<dyn Provider>,
    persister: &'r Persister,
    /// The first moment at which the lease may have run out.
    good_until: Arc<AtomicU64>,
    /// Calls that are made once the lease is renewed.
    held: Vec<(Ticket, ProviderCall)>,
    sender: UnboundedSender<Event>,
    answers: UnboundedReceiver<Event>,
    said: UnboundedReceiver<PersistMessage>,
    cancel: UnboundedReceiver<()>,
    clock: Clock,
    /// The time, if it is virtual.
    now: i64,
    /// Events that are here already.
    ready: VecDeque<Event>,
    /// Virtual times that have not come.
    timers: BTreeMap<(i64, Ticket), ()>,
    /// Calls that take their time before they are made.
    delayed: BTreeMap<Ticket, ProviderCall>,
    /// How many calls and real waits have no answer yet.
    away: usize,
    /// What answers have changed and is not settled, and how often.
    unsettled: BTreeMap<String, usize>,
    /// The batches that are not durable yet.
    unwritten: BTreeMap<u64, Vec<Record>>,
    /// What the outermost run wrote of itself last.
    record: Option<Box<DeploymentRecord>>,
}

impl Runtime<'_> {
    async fn run(&mut self, commands: Vec<Command>, watcher: &mut dyn Watcher) -> Result<RunEnd, String> {
        let mut commands = commands;
        loop {
            // What is wanted together is issued together: no call of a batch is answered before all of them are issued.
            for command in &commands {
                if let Command::Call { call, .. } = command {
                    self.provider.issued(call, self.time());
                }
            }
            for command in commands {
                match command {
                    Command::Call { ticket, call } => match self.provider.latency(&call) {
                        0 => self.call(ticket, call),
                        latency => {
                            self.delayed.insert(ticket, call);
                            self.wait(ticket, latency);
                        }
                    },
                    Command::Wait { ticket, milliseconds } => self.wait(ticket, milliseconds),
                    Command::Persist { batch, records, begins } => {
                        let batch = Batch { number: batch, records, begins };
                        self.note(&batch.records);
                        self.persister.send(&batch);
                        self.unwritten.insert(batch.number, batch.records);
                    }
                    Command::Report(progress) => watcher.on_progress(&progress, self.time()),
                    Command::Stop(end) => return Ok(end),
                }
            }
            let event = match self.next().await? {
                // What was delayed is made now.
                Event::Fired { ticket } if self.delayed.contains_key(&ticket) => {
                    if let Some(call) = self.delayed.remove(&ticket) {
                        self.call(ticket, call);
                    }
                    commands = Vec::new();
                    continue;
                }
                event => event,
            };
            self.count(&event);
            let now = self.time();
            commands = self.machine.handle(event, now);
        }
    }

    /// What is not durable by now may never be; answers that nobody takes any more change nothing.
    fn settle_all(&mut self) {
        self.answers.close();
        while let Ok(event) = self.answers.try_recv() {
            self.ready.push_back(event);
        }
        for event in std::mem::take(&mut self.ready) {
            self.count(&event);
        }
        let left = std::mem::take(&mut self.unsettled);
        for (id, count) in left {
            let gone = Record::DeleteResource { id };
            self.provider.settled(&vec![gone; count]);
        }
    }

    /// Counts what an answer has changed, until it has settled.
    fn count(&mut self, event: &Event) {
        let Event::Answered { answer: ProviderReply::Done(response), .. } = event else { return };
        for id in changed(&response.writes) {
            *self.unsettled.entry(id.to_owned()).or_default() += 1;
        }
    }

    /// Records were written, or will never be.
    fn settle(&mut self, records: &[Record]) {
        for id in changed(records) {
            if let Some(count) = self.unsettled.get_mut(id) {
                *count -= 1;
                if *count == 0 {
                    self.unsettled.remove(id);
                }
            }
        }
        self.provider.settled(records);
    }

    /// Remembers what the outermost run says of itself.
    fn note(&mut self, records: &[Record]) {
        for record in records {
            if let Record::Deployment { run, root, record, .. } = record
                && run == root
            {
                self.record = Some(record.clone());
            }
        }
    }

    fn time(&self) -> i64 {
        match self.clock {
            Clock::Real => real_now(),
            Clock::Virtual => self.now,
        }
    }

    /// Makes a call; one that is answered at once costs no task.
    fn call(&mut self, ticket: Ticket, call: ProviderCall) {
        if monotonic() >= self.good_until.load(Ordering::Relaxed) {
            // Another may work on the deployment by now.
            return self.held.push((ticket, call));
        }
        {
            let mut pending = provider::call(&*self.provider, &call);
            if let Poll::Ready(answer) = pending.as_mut().poll(&mut Context::from_waker(Waker::noop()))
                && !is_unavailable(&answer)
            {
                self.ready.push_back(Event::Answered { ticket, answer });
                return;
            }
        }
        self.away += 1;
        let (provider, sender) = (Arc::clone(&self.provider), self.sender.clone());
        tokio::spawn(async move {
            let answer = patiently(&*provider, &call).await;
            let unheard = sender.send(Event::Answered { ticket, answer }).err();
            if let Some(Event::Answered { answer: ProviderReply::Done(response), .. }) =
                unheard.map(|it| it.0)
            {
                // The deployment goes on elsewhere, or has ended: the store knows better.
                provider.settled(&response.writes);
            }
        });
    }

    fn wait(&mut self, ticket: Ticket, milliseconds: u64) {
        if self.clock == Clock::Virtual {
            self.timers.insert((self.now.saturating_add_unsigned(milliseconds), ticket), ());
            return;
        }
        self.away += 1;
        let sender = self.sender.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(milliseconds)).await;
            let _ = sender.send(Event::Fired { ticket });
        });
    }

    /// The next thing that happens.
    async fn next(&mut self) -> Result<Event, String> {
        loop {
            if let Some(event) = self.heard().await? {
                return Ok(event);
            }
        }
    }

    /// The next thing that is heard; none if it is not for the machine.
    async fn heard(&mut self) -> Result<Option<Event>, String> {
        if let Some(event) = self.ready.pop_front() {
            return Ok(Some(event));
        }
        if self.away == 0
            && self.held.is_empty()
            && self.unwritten.is_empty()
            && let Some(((at, ticket), ())) = self.timers.pop_first()
        {
            self.now = self.now.max(at);
            return Ok(Some(Event::Fired { ticket }));
        }
        let (answers, said, cancel) = (&mut self.answers, &mut self.said, &mut self.cancel);
        let mut cancel_is_open = true;
        let heard = std::future::poll_fn(|context| {
            if let Poll::Ready(said) = said.poll_recv(context) {
                return Poll::Ready(Heard::Said(said));
            }
            if let Poll::Ready(Some(event)) = answers.poll_recv(context) {
                return Poll::Ready(Heard::Answer(event));
            }
            if cancel_is_open {
                match cancel.poll_recv(context) {
                    Poll::Ready(Some(())) => return Poll::Ready(Heard::Cancel),
                    Poll::Ready(None) => cancel_is_open = false,
                    Poll::Pending => {}
                }
            }
            Poll::Pending
        })
        .await;
        match heard {
            Heard::Answer(event) => {
                self.away = self.away.saturating_sub(1);
                Ok(Some(event))
            }
            Heard::Cancel => Ok(Some(Event::Cancel)),
            Heard::Said(Some(PersistMessage::Event(event))) => {
                if let Event::Durable { batch } | Event::Conflict { batch } = event
                    && let Some(records) = self.unwritten.remove(&batch)
                {
                    self.settle(&records);
                }
                Ok(Some(event))
            }
            Heard::Said(Some(PersistMessage::Good)) => {
                for (ticket, call) in std::mem::take(&mut self.held) {
                    self.call(ticket, call);
                }
                Ok(None)
            }
            Heard::Said(Some(PersistMessage::Broken(why))) => Err(why),
            Heard::Said(None) => Err("the writer of the state has ended".to_owned()),
        }
    }
}

fn is_unavailable(answer: &ProviderReply) -> bool {
    matches!(answer, ProviderReply::Failed(failure) if failure.code == provider::UNAVAILABLE)
}

/// Makes a call, and again while the state cannot be read: a database may be on its way back.
async fn patiently(provider: &dyn Provider, call: &ProviderCall) -> ProviderReply {
    for attempt in 0..TRIES {
        let answer = provider::call(provider, call).await;
        if !is_unavailable(&answer) {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(25 << attempt.min(7))).await;
    }
    provider::call(provider, call).await
}

/// The resources that records put or delete.
fn changed(records: &[Record]) -> impl Iterator<Item = &str> {
    records.iter().filter_map(|record| match record {
        Record::PutResource { id, .. } | Record::DeleteResource { id } => Some(id.as_str()),
        _ => None,
    })
}

enum Heard {
    Answer(Event),
    Said(Option<PersistMessage>),
    Cancel,
}
