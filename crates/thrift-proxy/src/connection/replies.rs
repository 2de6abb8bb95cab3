//! The upstream and its replies, and what the proxy says in their place.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use thrift::proxy::{Enclosure, ReplyAction, Split, SplitMessage, Splitter, UpstreamLink};
use thrift::rules::Functions;
use thrift::wire::ExceptionKind;
use tokio::io::AsyncWrite as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Connection;
use super::lane::Filled;
use crate::backlog::Backlog;
use crate::time::nanoseconds;
use logging::{LogLevel, LogValue};

pub(super) type Connecting = Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send>>;

/// The other side, as far as there is one.
pub(super) enum Upstream {
    None,
    Connecting(Connecting),
    Open(TcpStream),
}

impl Connection {
    #[cold]
    pub(super) fn connect(&mut self) {
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
    pub(super) fn poll_connect(&mut self, cx: &mut Context<'_>) -> bool {
        let Upstream::Connecting(connecting) = &mut self.upstream else { return false };
        match connecting.as_mut().poll(cx) {
            Poll::Pending => return false,
            Poll::Ready(Ok(stream)) => {
                self.shared.metrics.upstream_connections.add(1);
                let limits = self.in_force.contracts.config().validate.limits;
                let max = self.shared.settings.max_message;
                self.reply_splitter =
                    self.splitter.detected().map(|detected| Splitter::replies(detected, limits, max));
                self.replies.restart();
                self.upstream = Upstream::Open(stream);
            }
            Poll::Ready(Err(error)) => {
                self.lose_upstream(&format!("cannot reach the upstream: {error}"));
            }
        }
        true
    }

    pub(super) fn write_upstream(&mut self, cx: &mut Context<'_>) -> bool {
        let Upstream::Open(upstream) = &mut self.upstream else { return false };
        let drained = self.calls.drain(upstream, self.now, cx);
        // Both at once have nothing that goes out.
        match drained.and_then(|moved| Ok(moved | self.aside.leaving.drain(upstream, self.now, cx)?)) {
            Ok(moved) => {
                if self.link.is_spent() && self.calls.cleared() == 0 && self.aside.leaving.cleared() == 0 {
                    self.take_leave(cx);
                }
                moved
            }
            Err(error) => {
                self.lose_upstream(&format!("the upstream is gone: {error}"));
                true
            }
        }
    }

    /// Tells the upstream that nothing more will come. It has received one message that it does not answer, and closes the
    /// connection when it is done with it; the next message goes over another.
    #[cold]
    fn take_leave(&mut self, cx: &mut Context<'_>) {
        let Upstream::Open(upstream) = &mut self.upstream else { return };
        if self.leaving_since.is_none() {
            self.leaving_since = Some(self.now);
            // If the upstream is gone, that shows when it is read.
            let _ = Pin::new(upstream).poll_shutdown(cx);
        }
    }

    pub(super) fn read_upstream(&mut self, cx: &mut Context<'_>) -> bool {
        let Upstream::Open(upstream) = &mut self.upstream else { return false };
        match self.replies.fill(upstream, cx) {
            Ok(Filled::Nothing) => return false,
            // What has come before is looked at once more.
            Ok(Filled::End) => self.replies.wanted = None,
            Ok(Filled::Bytes(read)) => self.shared.metrics.upstream_bytes.add(read as u64),
            Err(error) => self.lose_upstream(&format!("the upstream is gone: {error}")),
        }
        true
    }

    /// Gives up the upstream, and answers for it. The next call gets a new one.
    #[cold]
    pub(super) fn lose_upstream(&mut self, reason: &str) {
        self.shared.metrics.upstream_errors.add(1);
        let peer = self.peer.to_string();
        let fields = [("client", LogValue::Text(&peer)), ("message", LogValue::Text(reason))];
        self.shared.log.write(LogLevel::Error, "upstream", &fields);
        self.drop_upstream();
        self.backlog.answer_all(|call| {
            call.in_force(&self.in_force).counters(call.method).failed.add(1);
            call.to.exception(ExceptionKind::InternalError, reason)
        });
    }

    /// A server may close a connection on which nothing is going on.
    #[cold]
    fn upstream_closed(&mut self) {
        let is_unsaid = self.calls.cleared() > 0 || self.aside.leaving.cleared() > 0;
        let is_idle = self.replies.pending().is_empty() && self.backlog.is_empty() && !is_unsaid;
        if is_idle || self.leaving_since.is_some() {
            self.drop_upstream();
        } else {
            self.lose_upstream("the upstream closed the connection");
        }
    }

    pub(super) fn drop_upstream(&mut self) {
        self.upstream = Upstream::None;
        let contracts = &self.in_force.contracts;
        self.link = UpstreamLink::new(&contracts.config().upstream, contracts.table());
        self.leaving_since = None;
        self.calls.full_since = None;
        self.aside.leaving.full_since = None;
        self.reply_splitter = None;
        self.replies.wanted = None;
        self.replies.drop_pending();
        // Their callers are answered, or do not want to be.
        self.calls.drop_cleared();
        self.aside.leaving.drop_cleared();
    }

    /// Looks at the replies that have come, and at answers of our own whose turn it is.
    pub(super) fn take_replies(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut moved = false;
        loop {
            moved |= self.backlog.starts_with_answer() && self.take_answers(cx)?;
            if !self.own.is_empty() || self.replies.wanted.is_some() || self.replies.is_full() {
                return Ok(moved);
            }
            let Some(splitter) = &mut self.reply_splitter else { return Ok(moved) };
            let bytes = self.replies.pending();
            let split = if self.replies.ended { splitter.last(bytes) } else { splitter.next(bytes) };
            match split {
                Split::More(_) if self.replies.ended => self.upstream_closed(),
                Split::More(total) => {
                    self.replies.wanted = Some(total);
                    return Ok(true);
                }
                Split::Broken(broken) => self.lose_upstream(&format!("the reply cannot be read: {broken}")),
                Split::Continue => {}
                Split::Message(message) => self.take_reply(&message),
            }
            moved = true;
        }
    }

    /// Moves answers of our own to where they are written from, if it is their turn.
    #[cold]
    fn take_answers(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut moved = false;
        loop {
            if self.replies.cleared() > 0 && self.backlog.starts_with_answer() {
                self.write_client(cx)?;
            }
            if self.replies.cleared() > 0 {
                return Ok(moved);
            }
            let Some(answer) = self.backlog.pop_answer() else { return Ok(moved) };
            self.own.extend_from_slice(&answer);
            moved = true;
        }
    }

    /// Clears a reply, or puts something in its place.
    fn take_reply(&mut self, message: &SplitMessage) {
        if let Some(action) = self.in_force.contracts.aside(&message.enclosed) {
            self.pass_on(message.len, action);
            return;
        }
        let bytes = self.replies.pending();
        let bytes = bytes.get(..message.len).unwrap_or(bytes);
        let header = self.in_force.contracts.reply_envelope(&message.enclosed, bytes);
        let Some(call) = self.backlog.take(header.as_ref()) else {
            self.shared.metrics.unexpected_replies.add(1);
            let action = self.in_force.contracts.unasked_reply(&message.enclosed);
            self.pass_on(message.len, action);
            return;
        };
        let in_force = call.in_force(&self.in_force);
        if self.link.wants_proof() {
            self.link.answered(in_force.contracts.proves(&call.to, &message.enclosed, bytes));
        }
        let counters = in_force.counters(call.method);
        counters.duration.observe(self.now.saturating_duration_since(call.since));
        let functions = Functions::asking(nanoseconds);
        let decision = in_force.contracts.reply(&call.to, call.method, &message.enclosed, bytes, &functions);
        if functions.take_unchecked() && decision.refusal.is_none() {
            self.shared.metrics.unchecked.add(1);
        }
        if self.shared.logs_calls() {
            let outcome = if decision.refusal.is_some() { "bad reply" } else { "ok" };
            self.log_answer(&call, outcome, message.len);
        }
        let closes = message.enclosed.enclosure == Enclosure::Http { close: true };
        if let Some(refusal) = &decision.refusal {
            counters.bad_reply(&refusal.rule);
            self.log_refusal(&counters.method, refusal, "reply");
        }
        self.pass_on(message.len, decision.action);
        if self.link.is_spent() {
            // An answer that proves nothing: the next call finds out anew.
            self.drop_upstream();
        }
        if closes {
            // The upstream has said its last word, and has told the client so.
            self.open = false;
            self.backlog = Backlog::default();
            self.calls.drop_cleared();
        }
    }

    /// Does what was decided of the message at the front of the bytes that nobody has cleared. INVARIANT: nothing of our own waits.
    fn pass_on(&mut self, len: usize, action: ReplyAction) {
        match action {
            ReplyAction::Forward(admitted) => self.replies.clear(len, &admitted),
            ReplyAction::Replace(answer) => self.replace_reply(len, &answer),
            ReplyAction::Drop => self.replace_reply(len, &[]),
            ReplyAction::Close => self.drop_upstream(),
        }
    }

    /// Takes a reply out, and puts our own answer in its place, behind the replies that the client has not taken yet.
    #[cold]
    fn replace_reply(&mut self, len: usize, answer: &[u8]) {
        self.replies.move_cleared(&mut self.own);
        self.replies.take_out(len);
        self.own.extend_from_slice(answer);
    }

    pub(super) fn write_client(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        let mut moved = false;
        while let Some(bytes) = self.own.get(self.own_written..).filter(|bytes| !bytes.is_empty()) {
            match Pin::new(&mut self.client).poll_write(cx, bytes) {
                Poll::Pending => {
                    self.replies.full_since.get_or_insert(self.now);
                    return Ok(moved);
                }
                Poll::Ready(written) => {
                    self.own_written += written?;
                    self.replies.full_since = None;
                    moved = true;
                }
            }
        }
        self.own.clear();
        self.own_written = 0;
        Ok(moved | self.replies.drain(&mut self.client, self.now, cx)?)
    }
}
