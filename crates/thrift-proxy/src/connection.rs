//! One client: its bytes, its upstream, and the order of its answers.
//!
//! One task serves both directions. Bytes stay in the buffer they were read into: a call that may pass is
//! *cleared*, and cleared bytes are written to the upstream from where they lie; so are replies. What the proxy
//! says itself waits in the `Backlog` for its turn, since clients expect answers in the order of their calls.
//!
//! Nothing grows without a bound: while a side does not take its bytes, the other is not read.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use thrift::proxy::{
    Action, Broken, Decision, Enclosure, Message, MethodId, Refusal, ReplyCheck, Split, Splitter,
};
use thrift::rules::Functions;
use thrift::wire::ExceptionKind;
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::backlog::{Awaited, Backlog};
use crate::bell::Bell;
use crate::buffer::Buffer;
use crate::live::{InForce, Live};
use crate::log::{Level, Log, Value};
use crate::metrics::Metrics;
use crate::settings::Settings;
use crate::time::nanoseconds;

/// How many bytes may wait to be written to one side.
const MAX_WAITING: usize = 256 * 1024;
/// How long, and for how many bytes, a client is listened to after the last word, so that it can hear it.
const LINGER: std::time::Duration = std::time::Duration::from_secs(1);
const MAX_LINGER: usize = 1 << 20;

/// What connections share.
#[derive(Debug)]
pub struct Shared {
    /// What is set.
    pub settings: Settings,
    /// The contracts.
    pub live: Live,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// The log.
    pub log: Log,
}

/// Serves a client until its connection ends.
pub(crate) async fn serve(client: TcpStream, peer: SocketAddr, shared: Arc<Shared>, bell: Bell) {
    let mut connection = Connection::new(client, peer, shared, bell);
    let end = std::future::poll_fn(|cx| connection.poll(cx)).await;
    connection.report(&end);
    if matches!(end, End::Done) && !connection.ended {
        // Closing with unread bytes resets the connection, and the client would never see the last answer.
        let mut client = connection.client;
        let linger = async {
            client.shutdown().await?;
            let mut scratch = [0; 4096];
            let mut left = MAX_LINGER;
            while left > 0 {
                match client.read(&mut scratch).await? {
                    0 => break,
                    read => left = left.saturating_sub(read),
                }
            }
            io::Result::Ok(())
        };
        // Whatever goes wrong now, the connection is at its end.
        let _ = timeout(LINGER, linger).await;
    }
}

/// How a connection ends.
#[derive(Debug)]
enum End {
    /// Everything is said.
    Done,
    /// The client is gone.
    Lost,
    /// The client took too long.
    TimedOut(&'static str),
}

type Connecting = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send>>;

enum Upstream {
    None,
    Connecting(Connecting),
    Open(TcpStream),
}

/// A call that will not pass.
struct Held {
    len: usize,
    decision: Decision,
    in_force: Arc<InForce>,
    /// Whether the client wants the connection to end with the answer.
    last: bool,
}

struct Connection {
    shared: Arc<Shared>,
    /// The contracts, with their number. Those who forward a call take no share in them: connections of
    /// several threads would wait for each other to count their shares.
    in_force: Arc<InForce>,
    edition: u64,
    peer: SocketAddr,
    client: TcpStream,
    upstream: Upstream,

    calls: Buffer,
    /// So many bytes at the front of `calls` may go to the upstream.
    cleared: usize,
    splitter: Splitter,
    /// So many bytes behind the cleared ones are needed to go on; `None` if there is a message to look at.
    wanted: Option<usize>,
    /// A call that will not pass, behind cleared ones that have yet to be written.
    held: Option<Held>,
    /// Whether further calls are taken.
    open: bool,
    /// Whether the client has sent its last byte.
    ended: bool,
    /// Whether the client had no more bytes when it was asked in this turn; its next one wakes us.
    client_dry: bool,

    replies: Buffer,
    cleared_replies: usize,
    /// Present while there is an upstream.
    reply_splitter: Option<Splitter>,
    wanted_reply: Option<usize>,
    upstream_ended: bool,
    /// The same of the upstream.
    upstream_dry: bool,

    /// What the proxy says itself; while there is any, no reply is cleared.
    own: Vec<u8>,
    own_written: usize,
    backlog: Backlog,

    now: Instant,
    /// When the first byte of an unfinished message came.
    message_since: Option<Instant>,
    /// Since when the client, or the upstream, does not take its bytes.
    client_full_since: Option<Instant>,
    upstream_full_since: Option<Instant>,
    active: Instant,
    bell: Bell,
}

impl Connection {
    fn new(client: TcpStream, peer: SocketAddr, shared: Arc<Shared>, bell: Bell) -> Connection {
        let now = Instant::now();
        let edition = shared.live.edition();
        let in_force = shared.live.get();
        let limits = in_force.contracts.config().validate.limits;
        Connection {
            in_force,
            edition,
            peer,
            client,
            upstream: Upstream::None,
            calls: Buffer::default(),
            cleared: 0,
            splitter: Splitter::new(limits, shared.settings.max_message),
            wanted: Some(1),
            held: None,
            open: true,
            ended: false,
            client_dry: false,
            replies: Buffer::default(),
            cleared_replies: 0,
            reply_splitter: None,
            wanted_reply: None,
            upstream_ended: false,
            upstream_dry: false,
            own: Vec::new(),
            own_written: 0,
            backlog: Backlog::default(),
            now,
            message_since: None,
            client_full_since: None,
            upstream_full_since: None,
            active: now,
            bell,
            shared,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        self.now = Instant::now();
        if let Some(rung) = self.bell.poll(cx) {
            self.open &= !rung.stop;
            if let Some(end) = self.look_at_the_clock() {
                return Poll::Ready(end);
            }
        }
        // Contracts that were replaced are not kept for a client that says nothing: ticks come here too.
        let edition = self.shared.live.edition();
        if self.edition != edition {
            self.renew(edition);
        }
        (self.client_dry, self.upstream_dry) = (false, false);
        loop {
            let mut moved = matches!(self.upstream, Upstream::Connecting(_)) && self.poll_connect(cx);
            // The upstream first: if it has closed the connection, the next call goes over a new one.
            moved |= self.read_upstream(cx);
            moved |= match self.take_replies(cx).and_then(|moved| Ok(moved | self.write_client(cx)?)) {
                Ok(moved) => moved,
                Err(_) => return Poll::Ready(End::Lost),
            };
            moved |= match self.read_client(cx) {
                Ok(moved) => moved,
                Err(_) => return Poll::Ready(End::Lost),
            };
            moved |= self.take_calls(cx);
            moved |= self.write_upstream(cx);
            if self.is_done() {
                return Poll::Ready(End::Done);
            }
            if !moved {
                return Poll::Pending;
            }
            self.active = self.now;
        }
    }

    /// Whether nothing more will be taken and everything taken is answered.
    fn is_done(&self) -> bool {
        let no_more_calls = !self.open || (self.ended && self.wanted.is_some() && self.held.is_none());
        no_more_calls
            && self.backlog.is_empty()
            && self.own.is_empty()
            && self.cleared_replies == 0
            && self.cleared == 0
    }

    // The client's calls.

    fn read_client(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let Some(wanted) = self.wanted else { return Ok(false) };
        if !self.open || self.ended || self.client_dry || self.cleared > MAX_WAITING {
            return Ok(false);
        }
        match poll_fill(&mut self.client, &mut self.calls, self.cleared + wanted, cx) {
            Poll::Pending => {
                self.client_dry = true;
                Ok(false)
            }
            Poll::Ready(Ok(0)) => {
                self.ended = true;
                Ok(true)
            }
            Poll::Ready(Ok(read)) => {
                self.shared.metrics.client_bytes.add(read as u64);
                self.message_since.get_or_insert(self.now);
                self.wanted = None;
                Ok(true)
            }
            Poll::Ready(Err(error)) => Err(error),
        }
    }

    /// Looks at the messages that have come.
    fn take_calls(&mut self, cx: &mut Context<'_>) -> bool {
        if self.held.is_none() && self.wanted.is_some() {
            return false;
        }
        let mut moved = false;
        let functions = Functions::asking(nanoseconds);
        while self.open {
            if let Some(held) = self.held.take() {
                if !self.refuse(held, cx) {
                    return moved;
                }
                moved = true;
            }
            let is_full = self.backlog.len() >= self.shared.settings.max_pending;
            if is_full || self.own.len() > MAX_WAITING || !self.open {
                return moved;
            }
            let bytes = self.calls.from(self.cleared);
            match self.splitter.next(bytes) {
                Split::More(total) => {
                    if bytes.is_empty() {
                        self.message_since = None;
                    }
                    // Not over yet: somebody has to read.
                    self.wanted = Some(total);
                    return true;
                }
                Split::Continue => {
                    self.backlog.push_answer(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec());
                }
                Split::Broken(broken) => self.refuse_the_rest(broken),
                Split::Message(message) => {
                    self.message_since = Some(self.now);
                    let bytes = bytes.get(..message.len).unwrap_or(bytes);
                    let decision = self.in_force.contracts.call(&message.enclosed, bytes, &functions);
                    self.decided(&message, decision);
                }
            }
            moved = true;
        }
        moved
    }

    #[cold]
    fn refuse_the_rest(&mut self, broken: Broken) {
        let bytes = self.calls.from(self.cleared);
        let decision = self.in_force.contracts.broken(self.splitter.detected(), bytes, broken);
        self.shared.metrics.broken_connections.add(1);
        self.close_after(decision);
    }

    /// Takes the contracts in force, since they are new.
    #[cold]
    fn renew(&mut self, edition: u64) {
        self.edition = edition;
        self.backlog.keep(&self.in_force);
        self.in_force = self.shared.live.get();
    }

    fn decided(&mut self, message: &Message, decision: Decision) {
        let last = message.enclosed.enclosure == Enclosure::Http { close: true };
        match decision.action {
            Action::Forward(awaits) => {
                self.in_force.counters(decision.method).forwarded.add(1);
                if let Some(name) = &decision.unchecked {
                    self.log_unchecked(name);
                }
                self.cleared += message.len;
                match awaits {
                    Some(to) => self.backlog.push_call(Awaited {
                        to,
                        method: decision.method,
                        former: None,
                        since: self.now,
                        len: message.len,
                    }),
                    None => self.log_call(&self.in_force, decision.method, "oneway", message.len),
                }
                self.open &= !last;
                if matches!(self.upstream, Upstream::None) {
                    self.connect();
                }
            }
            Action::Answer(_) | Action::Drop(_) | Action::Close => self.hold(message.len, decision, last),
        }
    }

    /// Keeps a call back, or ends the connection.
    #[cold]
    fn hold(&mut self, len: usize, decision: Decision, last: bool) {
        if matches!(decision.action, Action::Close) {
            self.shared.metrics.broken_connections.add(1);
            self.close_after(decision);
        } else {
            self.held = Some(Held { len, decision, in_force: Arc::clone(&self.in_force), last });
        }
    }

    /// Takes a refused call out of the stream, once what is before it has been written; false if it has not.
    #[cold]
    fn refuse(&mut self, held: Held, cx: &mut Context<'_>) -> bool {
        self.write_upstream(cx);
        if self.cleared > 0 {
            self.held = Some(held);
            return false;
        }
        let Held { len, decision, in_force, last } = held;
        self.open &= !last;
        self.calls.consume(len);
        self.count_refusal(&in_force, &decision, len);
        if let Action::Answer(answer) | Action::Drop(Some(answer)) = decision.action {
            self.backlog.push_answer(answer);
        }
        true
    }

    /// Takes no more calls; what was taken before is finished.
    #[cold]
    fn close_after(&mut self, decision: Decision) {
        self.count_refusal(&self.in_force, &decision, self.calls.len() - self.cleared);
        if let Action::Answer(answer) = decision.action {
            self.backlog.push_answer(answer);
        }
        self.calls.truncate(self.cleared);
        self.open = false;
    }

    // The upstream.

    #[cold]
    fn connect(&mut self) {
        let address = self.shared.settings.upstream.clone();
        let limit = self.shared.settings.timeouts.connect;
        self.upstream = Upstream::Connecting(Box::pin(async move {
            let stream = timeout(limit, TcpStream::connect(address))
                .await
                .map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time"))??;
            stream.set_nodelay(true)?;
            Ok(stream)
        }));
    }

    #[cold]
    fn poll_connect(&mut self, cx: &mut Context<'_>) -> bool {
        let Upstream::Connecting(connecting) = &mut self.upstream else { return false };
        match connecting.as_mut().poll(cx) {
            Poll::Pending => return false,
            Poll::Ready(Ok(stream)) => {
                self.shared.metrics.upstream_connections.add(1);
                let limits = self.in_force.contracts.config().validate.limits;
                let max = self.shared.settings.max_message;
                self.reply_splitter =
                    self.splitter.detected().map(|detected| Splitter::replies(detected, limits, max));
                self.wanted_reply = Some(1);
                self.upstream_ended = false;
                self.upstream_dry = false;
                self.upstream = Upstream::Open(stream);
            }
            Poll::Ready(Err(error)) => {
                self.lose_upstream(&format!("cannot reach the upstream: {error}"));
            }
        }
        true
    }

    fn write_upstream(&mut self, cx: &mut Context<'_>) -> bool {
        let mut moved = false;
        while self.cleared > 0 {
            let Upstream::Open(upstream) = &mut self.upstream else { break };
            match Pin::new(upstream).poll_write(cx, self.calls.first(self.cleared)) {
                Poll::Pending => {
                    self.upstream_full_since.get_or_insert(self.now);
                    break;
                }
                Poll::Ready(Ok(written)) => {
                    self.calls.consume(written);
                    self.cleared = self.cleared.saturating_sub(written);
                    self.upstream_full_since = None;
                    moved = true;
                }
                Poll::Ready(Err(error)) => {
                    self.lose_upstream(&format!("the upstream is gone: {error}"));
                    return true;
                }
            }
        }
        moved
    }

    fn read_upstream(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(wanted) = self.wanted_reply else { return false };
        let Upstream::Open(upstream) = &mut self.upstream else { return false };
        if self.upstream_ended || self.upstream_dry || self.cleared_replies > MAX_WAITING {
            return false;
        }
        match poll_fill(upstream, &mut self.replies, self.cleared_replies + wanted, cx) {
            Poll::Pending => {
                self.upstream_dry = true;
                false
            }
            Poll::Ready(Ok(0)) => {
                self.upstream_ended = true;
                self.wanted_reply = None;
                true
            }
            Poll::Ready(Ok(read)) => {
                self.shared.metrics.upstream_bytes.add(read as u64);
                self.wanted_reply = None;
                true
            }
            Poll::Ready(Err(error)) => {
                self.lose_upstream(&format!("the upstream is gone: {error}"));
                true
            }
        }
    }

    /// Gives up the upstream, and answers for it. The next call gets a new one.
    #[cold]
    fn lose_upstream(&mut self, reason: &str) {
        self.shared.metrics.upstream_errors.add(1);
        let peer = self.peer.to_string();
        let fields = [("client", Value::Text(&peer)), ("message", Value::Text(reason))];
        self.shared.log.write(Level::Error, "upstream", &fields);
        self.drop_upstream();
        self.backlog.answer_all(|call| {
            call.in_force(&self.in_force).counters(call.method).failed.add(1);
            call.to.exception(ExceptionKind::InternalError, reason)
        });
    }

    /// A server may close a connection on which nothing is going on.
    #[cold]
    fn upstream_closed(&mut self) {
        if self.replies.len() == self.cleared_replies && self.backlog.is_empty() && self.cleared == 0 {
            self.drop_upstream();
        } else {
            self.lose_upstream("the upstream closed the connection");
        }
    }

    fn drop_upstream(&mut self) {
        self.upstream = Upstream::None;
        self.upstream_full_since = None;
        self.reply_splitter = None;
        self.wanted_reply = None;
        self.replies.truncate(self.cleared_replies);
        // Their callers are answered, or do not want to be.
        self.calls.consume(self.cleared);
        self.cleared = 0;
    }

    /// Looks at the replies that have come, and at answers of our own whose turn it is.
    fn take_replies(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut moved = false;
        loop {
            moved |= self.backlog.starts_with_answer() && self.take_answers(cx)?;
            if !self.own.is_empty() || self.wanted_reply.is_some() || self.cleared_replies > MAX_WAITING {
                return Ok(moved);
            }
            let Some(splitter) = &mut self.reply_splitter else { return Ok(moved) };
            let bytes = self.replies.from(self.cleared_replies);
            let split = if self.upstream_ended { splitter.last(bytes) } else { splitter.next(bytes) };
            match split {
                Split::More(_) if self.upstream_ended => self.upstream_closed(),
                Split::More(total) => {
                    self.wanted_reply = Some(total);
                    return Ok(true);
                }
                Split::Broken(broken) => self.lose_upstream(&format!("the reply cannot be read: {broken}")),
                Split::Continue => {}
                Split::Message(message) => {
                    if !self.take_reply(&message, cx)? {
                        return Ok(moved);
                    }
                }
            }
            moved = true;
        }
    }

    /// Moves answers of our own to where they are written from, if it is their turn.
    #[cold]
    fn take_answers(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut moved = false;
        loop {
            if self.cleared_replies > 0 && self.backlog.starts_with_answer() {
                self.write_client(cx)?;
            }
            if self.cleared_replies > 0 {
                return Ok(moved);
            }
            let Some(answer) = self.backlog.pop_answer() else { return Ok(moved) };
            self.own.extend_from_slice(&answer);
            moved = true;
        }
    }

    /// Clears a reply, or puts something in its place; false if that has to wait.
    fn take_reply(&mut self, message: &Message, cx: &mut Context<'_>) -> io::Result<bool> {
        if self.in_force.contracts.config().replies == ReplyCheck::Replace && self.cleared_replies > 0 {
            self.write_client(cx)?;
            if self.cleared_replies > 0 {
                return Ok(false);
            }
        }
        if message.enclosed.interim {
            self.cleared_replies += message.len;
            return Ok(true);
        }
        let bytes = self.replies.from(self.cleared_replies);
        let bytes = bytes.get(..message.len).unwrap_or(bytes);
        let header = self.in_force.contracts.reply_envelope(&message.enclosed, bytes);
        let Some(call) = self.backlog.take(header.as_ref()) else {
            self.shared.metrics.unexpected_replies.add(1);
            self.cleared_replies += message.len;
            return Ok(true);
        };
        let in_force = call.in_force(&self.in_force);
        let counters = in_force.counters(call.method);
        counters.duration.observe(self.now.saturating_duration_since(call.since));
        let contracts = &in_force.contracts;
        let verdict = match contracts.config().replies {
            ReplyCheck::Off => None,
            ReplyCheck::Log | ReplyCheck::Replace => {
                let functions = Functions::asking(nanoseconds);
                contracts.reply(&call.to, call.method, &message.enclosed, bytes, &functions)
            }
        };
        if self.shared.log.access() {
            let outcome = if verdict.is_some() { "bad reply" } else { "ok" };
            self.log_answer(&call, outcome, message.len);
        }
        let closes = message.enclosed.enclosure == Enclosure::Http { close: true };
        let instead = verdict.and_then(|verdict| {
            counters.bad_reply(&verdict.refusal.rule);
            self.log_refusal(&counters.method, &verdict.refusal, "reply");
            verdict.instead
        });
        match instead {
            // INVARIANT: nothing is cleared, see above, unless the policy has just changed; then it passes.
            Some(answer) if self.cleared_replies == 0 => {
                self.replies.consume(message.len);
                self.own.extend_from_slice(&answer);
            }
            _ => self.cleared_replies += message.len,
        }
        if closes {
            // The upstream has said its last word, and has told the client so.
            self.open = false;
            self.backlog = Backlog::default();
            self.calls.consume(self.cleared);
            self.cleared = 0;
        }
        Ok(true)
    }

    fn write_client(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut moved = false;
        loop {
            let bytes = if self.own.is_empty() {
                self.replies.first(self.cleared_replies)
            } else {
                self.own.get(self.own_written..).unwrap_or_default()
            };
            if bytes.is_empty() {
                return Ok(moved);
            }
            match Pin::new(&mut self.client).poll_write(cx, bytes) {
                Poll::Pending => {
                    self.client_full_since.get_or_insert(self.now);
                    return Ok(moved);
                }
                Poll::Ready(written) => {
                    let written = written?;
                    self.client_full_since = None;
                    moved = true;
                    if self.own.is_empty() {
                        self.replies.consume(written);
                        self.cleared_replies = self.cleared_replies.saturating_sub(written);
                    } else {
                        self.own_written += written;
                        if self.own_written >= self.own.len() {
                            self.own.clear();
                            self.own_written = 0;
                        }
                    }
                }
            }
        }
    }

    // Time.

    #[cold]
    fn look_at_the_clock(&mut self) -> Option<End> {
        let timeouts = self.shared.settings.timeouts;
        let is_over = |since: Option<Instant>, limit| {
            since.is_some_and(|since| self.now.saturating_duration_since(since) >= limit)
        };
        if is_over(self.client_full_since, timeouts.write) {
            return Some(End::TimedOut("the client does not take its answers"));
        }
        // A client that is not being read cannot go on.
        let is_read = self.open && self.wanted.is_some() && self.cleared <= MAX_WAITING;
        if is_read && is_over(self.message_since, timeouts.read) {
            return Some(End::TimedOut("the client did not finish its message"));
        }
        if self.backlog.is_empty() && is_over(Some(self.active), timeouts.idle) {
            return Some(End::TimedOut("nothing happened"));
        }
        if is_over(self.upstream_full_since, timeouts.write) {
            self.lose_upstream("the upstream does not take calls");
        } else if is_over(self.backlog.waiting_since(), timeouts.reply) {
            // Later replies could not be told from the missing one.
            self.lose_upstream("the upstream did not answer in time");
        }
        None
    }

    // Words.

    #[cold]
    fn count_refusal(&self, in_force: &InForce, decision: &Decision, len: usize) {
        let Some(refusal) = &decision.refusal else { return };
        let counters = in_force.counters(decision.method);
        counters.rejected(&refusal.rule);
        let what = match decision.action {
            Action::Answer(_) => {
                counters.refused.add(1);
                "refused"
            }
            Action::Drop(_) => {
                counters.dropped.add(1);
                "dropped"
            }
            Action::Close | Action::Forward(_) => "closed",
        };
        self.log_refusal(&counters.method, refusal, what);
        self.log_call(in_force, decision.method, what, len);
    }

    /// A call of which nothing is known goes through; somebody should know.
    #[cold]
    fn log_unchecked(&self, name: &str) {
        let client = self.peer.to_string();
        let fields = [("client", Value::Text(&client)), ("method", Value::Text(name))];
        self.shared.log.write(Level::Warning, "unchecked", &fields);
    }

    #[cold]
    fn log_refusal(&self, method: &str, refusal: &Refusal, what: &str) {
        let peer = self.peer.to_string();
        let fields = [
            ("client", Value::Text(&peer)),
            ("method", Value::Text(method)),
            ("rule", Value::Text(&refusal.rule)),
            ("path", Value::Text(refusal.path.as_deref().unwrap_or_default())),
            ("message", Value::Text(&refusal.message)),
        ];
        self.shared.log.write(Level::Warning, what, &fields);
    }

    #[cold]
    fn log_call(&self, in_force: &InForce, method: Option<MethodId>, outcome: &str, len: usize) {
        if !self.shared.log.access() {
            return;
        }
        let counters = in_force.counters(method);
        let peer = self.peer.to_string();
        let fields = [
            ("client", Value::Text(&peer)),
            ("service", Value::Text(&counters.service)),
            ("method", Value::Text(&counters.method)),
            ("outcome", Value::Text(outcome)),
            ("bytes_in", Value::Number(len as u64)),
        ];
        self.shared.log.write(Level::Info, "call", &fields);
    }

    #[cold]
    fn log_answer(&self, call: &Awaited, outcome: &str, len: usize) {
        let peer = self.peer.to_string();
        let name = String::from_utf8_lossy(&call.to.function);
        let elapsed = self.now.saturating_duration_since(call.since).as_micros();
        let fields = [
            ("client", Value::Text(&peer)),
            ("service", Value::Text(&call.in_force(&self.in_force).counters(call.method).service)),
            ("method", Value::Text(&name)),
            ("outcome", Value::Text(outcome)),
            ("bytes_in", Value::Number(call.len as u64)),
            ("bytes_out", Value::Number(len as u64)),
            ("microseconds", Value::Number(u64::try_from(elapsed).unwrap_or(u64::MAX))),
        ];
        self.shared.log.write(Level::Info, "call", &fields);
    }

    fn report(&self, end: &End) {
        if let End::TimedOut(reason) = end {
            self.shared.metrics.timed_out_connections.add(1);
            let peer = self.peer.to_string();
            let fields = [("client", Value::Text(&peer)), ("message", Value::Text(reason))];
            self.shared.log.write(Level::Info, "timeout", &fields);
        }
    }
}

/// Reads what is there, making room for `total` bytes step by step: an announced length is not believed before
/// half of it has come.
fn poll_fill(
    stream: &mut TcpStream,
    buffer: &mut Buffer,
    total: usize,
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    let total = total.min(buffer.len().saturating_mul(2));
    let mut room = ReadBuf::new(buffer.room(total));
    ready!(Pin::new(stream).poll_read(cx, &mut room))?;
    let read = room.filled().len();
    buffer.added(read);
    Poll::Ready(Ok(read))
}
