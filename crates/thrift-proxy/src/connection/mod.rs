//! One client: its bytes, its upstream, and the order of its answers.
//!
//! One task serves both directions. Bytes stay in the buffer they were read into: a call that may pass is
//! *cleared*, and cleared bytes are written to the upstream from where they lie; so are replies. What the proxy
//! says itself waits in the `Backlog` for its turn, since clients expect answers in the order of their calls.
//!
//! Nothing grows without a bound: while a side does not take its bytes, the other is not read.

mod aside;
mod calls;
mod lane;
mod replies;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use thrift::proxy::{CallAction, CallRejection, Decision, MethodId, Session, Splitter, UpstreamLink};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use self::aside::Aside;
use self::calls::HeldCall;
use self::lane::Lane;
use self::replies::Upstream;
use crate::active_contracts::{ActiveContracts, InForce};
use crate::backlog::{Backlog, PendingCall};
use crate::metrics::Metrics;
use crate::settings::ProxySettings;
use crate::wakeup::Bell;
use logging::{Log, LogLevel, LogValue};

/// How long, and for how many bytes, a client is listened to after the last word, so that it can hear it.
const LINGER: std::time::Duration = std::time::Duration::from_secs(1);
const MAX_LINGER: usize = 1 << 20;

/// What the connections of a proxy share.
#[derive(Debug)]
pub struct ConnectionContext {
    /// The limits and times that were set.
    pub settings: ProxySettings,
    /// The contracts in force, which may change while a connection lasts.
    pub live: ActiveContracts,
    /// The counters that connections add to.
    pub metrics: Arc<Metrics>,
    /// Where connections report.
    pub log: Log,
}

impl ConnectionContext {
    /// Whether each call has a line, and somebody reads it.
    fn logs_calls(&self) -> bool {
        self.settings.access_log && self.log.is_read()
    }
}

/// Serves a client until its connection ends.
pub(crate) async fn serve(client: TcpStream, peer: SocketAddr, shared: Arc<ConnectionContext>, bell: Bell) {
    let mut connection = Connection::new(client, peer, shared, bell);
    let end = std::future::poll_fn(|cx| connection.poll(cx)).await;
    connection.report(&end);
    if matches!(end, End::Done) && !connection.calls.ended {
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
    Done,
    /// The client is gone.
    Lost,
    /// The client took too long.
    TimedOut(&'static str),
}

struct Connection {
    shared: Arc<ConnectionContext>,
    /// The contracts, with their number. Those who forward a call take no share in them: connections of
    /// several threads would wait for each other to count their shares.
    in_force: Arc<InForce>,
    edition: u64,
    peer: SocketAddr,
    client: TcpStream,
    upstream: Upstream,
    /// What the upstream may be sent.
    link: UpstreamLink,
    /// Since when the upstream is only waited for to close the connection.
    leaving_since: Option<Instant>,

    /// From the client to the upstream.
    calls: Lane,
    splitter: Splitter,
    /// What the client has kept to.
    session: Session,
    /// A call that waits.
    held: Option<HeldCall>,
    /// Calls that are out of the way of refusals.
    aside: Aside,
    /// Whether further calls are taken.
    open: bool,

    /// From the upstream to the client.
    replies: Lane,
    /// Present while there is an upstream.
    reply_splitter: Option<Splitter>,
    /// What the proxy says itself; while there is any, no reply is cleared.
    own: Vec<u8>,
    own_written: usize,
    backlog: Backlog,

    now: Instant,
    /// When the first byte of an unfinished message came.
    message_since: Option<Instant>,
    active: Instant,
    bell: Bell,
}

impl Connection {
    fn new(client: TcpStream, peer: SocketAddr, shared: Arc<ConnectionContext>, bell: Bell) -> Connection {
        let now = Instant::now();
        let edition = shared.live.edition();
        let in_force = shared.live.get();
        let config = in_force.contracts.config();
        let link = UpstreamLink::new(&config.upstream, in_force.contracts.table());
        let limits = config.validate.limits;
        Connection {
            in_force,
            edition,
            peer,
            client,
            upstream: Upstream::None,
            link,
            leaving_since: None,
            calls: Lane::new(Some(1)),
            splitter: Splitter::new(limits, shared.settings.max_message),
            session: Session::default(),
            held: None,
            aside: Aside::new(),
            open: true,
            replies: Lane::new(None),
            reply_splitter: None,
            own: Vec::new(),
            own_written: 0,
            backlog: Backlog::default(),
            now,
            message_since: None,
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
        (self.calls.dry, self.replies.dry) = (false, false);
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
        let no_more_calls =
            !self.open || (self.calls.ended && self.calls.wanted.is_some() && self.held.is_none());
        no_more_calls
            && self.backlog.is_empty()
            && self.own.is_empty()
            && self.replies.cleared() == 0
            && self.calls.cleared() == 0
            && self.aside.is_empty()
    }

    /// Takes the contracts in force, since they are new.
    #[cold]
    fn renew(&mut self, edition: u64) {
        self.edition = edition;
        self.backlog.keep(&self.in_force);
        self.in_force = self.shared.live.get();
        let contracts = &self.in_force.contracts;
        self.link.renew(&contracts.config().upstream, contracts.table());
        if matches!(self.held, Some(HeldCall::Admitted(_))) {
            // By the contracts that were.
            self.held = None;
        }
        self.judge_aside();
    }

    #[cold]
    fn look_at_the_clock(&mut self) -> Option<End> {
        let timeouts = self.shared.settings.timeouts;
        let is_over = |since: Option<Instant>, limit| {
            since.is_some_and(|since| self.now.saturating_duration_since(since) >= limit)
        };
        if is_over(self.replies.full_since, timeouts.write) {
            return Some(End::TimedOut("the client does not take its answers"));
        }
        // A client that is not being read cannot go on.
        let is_read = self.open && self.calls.wanted.is_some() && !self.calls.is_full();
        if is_read && is_over(self.message_since, timeouts.read) {
            return Some(End::TimedOut("the client did not finish its message"));
        }
        if self.backlog.is_empty() && is_over(Some(self.active), timeouts.idle) {
            return Some(End::TimedOut("nothing happened"));
        }
        if is_over(self.calls.full_since.or(self.aside.leaving.full_since), timeouts.write) {
            self.lose_upstream("the upstream does not take calls");
        } else if is_over(self.backlog.waiting_since(), timeouts.reply) {
            // Later replies could not be told from the missing one.
            self.lose_upstream("the upstream did not answer in time");
        } else if is_over(self.leaving_since, timeouts.reply) {
            self.drop_upstream();
        }
        None
    }

    #[cold]
    fn count_refusal(&self, in_force: &InForce, decision: &Decision, len: usize) {
        let Some(refusal) = &decision.refusal else { return };
        let counters = in_force.counters(decision.method);
        counters.rejected(&refusal.rule);
        let what = match decision.action {
            CallAction::Answer(_) => {
                counters.refused.add(1);
                "refused"
            }
            CallAction::Drop(_) => {
                counters.dropped.add(1);
                "dropped"
            }
            CallAction::Close | CallAction::Forward(_) => "closed",
        };
        self.log_refusal(&counters.method, refusal, what);
        self.log_call(in_force, decision.method, what, len);
    }

    /// A call of which nothing is known goes through; somebody should know.
    #[cold]
    fn log_unchecked(&self, name: &str) {
        let client = self.peer.to_string();
        let fields = [("client", LogValue::Text(&client)), ("method", LogValue::Text(name))];
        self.shared.log.write(LogLevel::Warning, "unchecked", &fields);
    }

    #[cold]
    fn log_refusal(&self, method: &str, refusal: &CallRejection, what: &str) {
        let peer = self.peer.to_string();
        let fields = [
            ("client", LogValue::Text(&peer)),
            ("method", LogValue::Text(method)),
            ("rule", LogValue::Text(&refusal.rule)),
            ("path", LogValue::Text(refusal.path.as_deref().unwrap_or_default())),
            ("message", LogValue::Text(&refusal.message)),
        ];
        self.shared.log.write(LogLevel::Warning, what, &fields);
    }

    #[cold]
    fn log_call(&self, in_force: &InForce, method: Option<MethodId>, outcome: &str, len: usize) {
        if !self.shared.logs_calls() {
            return;
        }
        let counters = in_force.counters(method);
        let peer = self.peer.to_string();
        let fields = [
            ("client", LogValue::Text(&peer)),
            ("service", LogValue::Text(&counters.service)),
            ("method", LogValue::Text(&counters.method)),
            ("outcome", LogValue::Text(outcome)),
            ("bytes_in", LogValue::Number(len as u64)),
        ];
        self.shared.log.write(LogLevel::Info, "call", &fields);
    }

    #[cold]
    fn log_answer(&self, call: &PendingCall, outcome: &str, len: usize) {
        let peer = self.peer.to_string();
        let name = String::from_utf8_lossy(&call.to.function);
        let elapsed = self.now.saturating_duration_since(call.since).as_micros();
        let fields = [
            ("client", LogValue::Text(&peer)),
            ("service", LogValue::Text(&call.in_force(&self.in_force).counters(call.method).service)),
            ("method", LogValue::Text(&name)),
            ("outcome", LogValue::Text(outcome)),
            ("bytes_in", LogValue::Number(call.len as u64)),
            ("bytes_out", LogValue::Number(len as u64)),
            ("microseconds", LogValue::Number(u64::try_from(elapsed).unwrap_or(u64::MAX))),
        ];
        self.shared.log.write(LogLevel::Info, "call", &fields);
    }

    fn report(&self, end: &End) {
        if let End::TimedOut(reason) = end {
            self.shared.metrics.timed_out_connections.add(1);
            let peer = self.peer.to_string();
            let fields = [("client", LogValue::Text(&peer)), ("message", LogValue::Text(reason))];
            self.shared.log.write(LogLevel::Info, "timeout", &fields);
        }
    }
}
