//! The calls of the client: read, held against the contracts, cleared or refused.

use std::io;
use std::sync::Arc;
use std::task::Context;

use thrift::proxy::{
    CallAction, Decision, Enclosure, MethodId, ReplyCheck, ReplyTo, Split, SplitError, SplitMessage,
};
use thrift::rules::Functions;
use thrift::wire::Detected;

use super::Connection;
use super::lane::{Filled, MAX_WAITING};
use super::replies::Upstream;
use crate::active_contracts::InForce;
use crate::backlog::PendingCall;
use crate::time::nanoseconds;

/// A call that has been judged, and has to wait.
pub(super) enum HeldCall {
    /// It will not pass, and is behind cleared ones that have yet to be written.
    Rejected(RejectedCall),
    /// It will pass, once no answer can be taken for that of another, and nobody waits whom it could harm. It is judged anew if the contracts change.
    Admitted(Box<(SplitMessage, Decision)>),
}

/// A call that will not pass.
pub(super) struct RejectedCall {
    len: usize,
    decision: Decision,
    in_force: Arc<InForce>,
    /// Whether the client wants the connection to end with the answer.
    last: bool,
    /// Whether the client finds the call of an answer by its number.
    numbered: bool,
}

impl Connection {
    pub(super) fn read_client(&mut self, cx: &mut Context<'_>) -> io::Result<bool> {
        if !self.open {
            return Ok(false);
        }
        match self.calls.fill(&mut self.client, cx)? {
            Filled::Nothing => Ok(false),
            Filled::End => Ok(true),
            Filled::Bytes(read) => {
                self.shared.metrics.client_bytes.add(read as u64);
                self.message_since.get_or_insert(self.now);
                Ok(true)
            }
        }
    }

    /// Looks at the messages that have come.
    pub(super) fn take_calls(&mut self, cx: &mut Context<'_>) -> bool {
        let mut moved = self.clear_aside();
        if self.held.is_none() && self.calls.wanted.is_some() {
            return moved;
        }
        let functions = Functions::asking(nanoseconds);
        while self.open {
            match self.held.take() {
                Some(HeldCall::Rejected(held)) => {
                    if !self.refuse(held, cx) {
                        return moved;
                    }
                    moved = true;
                }
                Some(HeldCall::Admitted(call)) => {
                    let (message, decision) = *call;
                    self.decided(message, decision);
                    if self.held.is_some() {
                        return moved;
                    }
                    moved = true;
                }
                None => {}
            }
            if self.is_full() || !self.open {
                return moved;
            }
            // Not before it is known that the upstream reads messages as they are meant; but what will not pass can be answered.
            if !self.link.may_carry() && self.splitter.detected() != Some(Detected::TTHeader) {
                return moved;
            }
            let bytes = self.calls.pending();
            match self.splitter.next(bytes) {
                Split::More(total) => {
                    if bytes.is_empty() {
                        self.message_since = None;
                    }
                    // Not over yet: somebody has to read.
                    self.calls.wanted = Some(total);
                    return true;
                }
                Split::Continue => {
                    self.backlog.push_answer(b"HTTP/1.1 100 Continue\r\n\r\n".to_vec());
                }
                Split::Broken(broken) => self.refuse_the_rest(broken),
                Split::Message(message) => {
                    self.message_since = Some(self.now);
                    let bytes = bytes.get(..message.len).unwrap_or(bytes);
                    let contracts = &self.in_force.contracts;
                    let decision = contracts.call(&mut self.session, &message.enclosed, bytes, &functions);
                    if functions.take_unchecked() && matches!(decision.action, CallAction::Forward(_)) {
                        self.shared.metrics.unchecked.add(1);
                    }
                    self.decided(message, decision);
                    self.clear_aside();
                }
            }
            moved = true;
        }
        moved
    }

    /// Whether so much waits that nothing more is taken.
    fn is_full(&self) -> bool {
        self.backlog.len() + self.aside.calls() >= self.shared.settings.max_pending
            || self.backlog.answers_len() > MAX_WAITING
            || self.own.len() > MAX_WAITING
            || self.aside.len() > MAX_WAITING
    }

    #[cold]
    pub(super) fn refuse_the_rest(&mut self, broken: SplitError) {
        let bytes = self.calls.pending();
        let decision = self.in_force.contracts.broken(self.splitter.detected(), bytes, broken);
        self.shared.metrics.broken_connections.add(1);
        self.close_after(decision);
    }

    fn decided(&mut self, mut message: SplitMessage, decision: Decision) {
        let last = message.enclosed.enclosure == Enclosure::Http { close: true };
        let numbered = message.enclosed.enclosure.is_numbered();
        match decision.action {
            CallAction::Forward(ref admitted) => {
                let waits = self.has_to_wait(admitted.get(), &decision);
                // INVARIANT: what is aside goes out before everything that comes after it, whatever that is.
                if (numbered && waits) || !self.aside.is_empty() {
                    self.aside.put(&mut self.calls, message, decision);
                } else if waits {
                    // It has been read, and may be long.
                    message.enclosed.decoded = None;
                    self.held = Some(HeldCall::Admitted(Box::new((message, decision))));
                } else {
                    self.calls.clear(message.len, admitted);
                    self.clear(message.len, decision);
                    self.open &= !last;
                }
            }
            CallAction::Answer(_) | CallAction::Drop(_) | CallAction::Close => {
                self.hold(message.len, decision, last, numbered);
            }
        }
    }

    /// Takes note of a call whose bytes go out now.
    fn clear(&mut self, len: usize, decision: Decision) {
        self.in_force.counters(decision.method).forwarded.add(1);
        if let Some(name) = &decision.unchecked {
            self.log_unchecked(name);
        }
        let (method, service) = (decision.method, decision.service);
        let awaited = decision.action.awaited();
        self.link.carry(service, awaited.is_some());
        match awaited {
            Some(to) => {
                self.backlog.push_call(PendingCall { to, method, former: None, since: self.now, len })
            }
            None => self.log_call(&self.in_force, method, "oneway", len),
        }
        if matches!(self.upstream, Upstream::None) {
            self.connect();
        }
    }

    /// Clears the calls aside that may go out by now; true if there was one.
    fn clear_aside(&mut self) -> bool {
        let mut moved = false;
        while let Some((to, decision)) = self.aside.first() {
            if self.has_to_wait(to, decision) {
                break;
            }
            let Some((len, decision)) = self.aside.let_go() else { break };
            self.clear(len, decision);
            moved = true;
        }
        moved
    }

    /// Holds the calls aside against the contracts that are new.
    #[cold]
    pub(super) fn judge_aside(&mut self) {
        let functions = Functions::asking(nanoseconds);
        for (message, bytes) in self.aside.take_all() {
            let contracts = &self.in_force.contracts;
            let decision = contracts.call(&mut self.session, &message.enclosed, &bytes, &functions);
            if matches!(decision.action, CallAction::Forward(_)) {
                self.shared.metrics.unchecked.add(u64::from(functions.take_unchecked()));
                self.aside.put_back(message, bytes, decision);
                continue;
            }
            self.count_refusal(&self.in_force, &decision, message.len);
            if let CallAction::Answer(answer) = decision.action {
                self.backlog.push_answer_ahead(answer);
            }
        }
    }

    /// Whether a call that passes may not go out now: the upstream has not shown how it reads the one before; it asks the upstream for a service, which it may not have, and others wait for
    /// answers; or answers could be confused.
    fn has_to_wait(&self, to: &Option<ReplyTo>, decision: &Decision) -> bool {
        !self.link.may_carry()
            || (!self.link.has(decision.service) && self.backlog.waiting_since().is_some())
            || self.could_confuse(to, decision.method)
    }

    /// Whether the answer to a call could be taken for that of one that waits, and be held against another contract. Servers
    /// that handle several calls at a time answer in any order.
    fn could_confuse(&self, to: &Option<ReplyTo>, method: Option<MethodId>) -> bool {
        if self.in_force.contracts.config().replies == ReplyCheck::Off || self.backlog.is_empty() {
            return false;
        }
        let Some(to) = to else { return false };
        let counters = self.in_force.counters(method);
        self.backlog.could_confuse(&to.function, |call| {
            Arc::ptr_eq(counters, call.in_force(&self.in_force).counters(call.method))
        })
    }

    /// Keeps a call back, or ends the connection.
    #[cold]
    fn hold(&mut self, len: usize, decision: Decision, last: bool, numbered: bool) {
        if matches!(decision.action, CallAction::Close) {
            self.shared.metrics.broken_connections.add(1);
            self.close_after(decision);
        } else {
            let in_force = Arc::clone(&self.in_force);
            self.held = Some(HeldCall::Rejected(RejectedCall { len, decision, in_force, last, numbered }));
        }
    }

    /// Takes a refused call out of the stream, once what is before it has been written; false if it has not.
    #[cold]
    fn refuse(&mut self, held: RejectedCall, cx: &mut Context<'_>) -> bool {
        self.write_upstream(cx);
        if held.numbered {
            // The calls before it are slow, or the upstream does not even take them.
            self.aside.put_cleared(&mut self.calls);
        } else if self.calls.cleared() > 0 {
            self.held = Some(HeldCall::Rejected(held));
            return false;
        }
        let RejectedCall { len, decision, in_force, last, numbered } = held;
        self.open &= !last;
        self.calls.take_out(len);
        self.count_refusal(&in_force, &decision, len);
        if let CallAction::Answer(answer) | CallAction::Drop(Some(answer)) = decision.action {
            if numbered {
                self.backlog.push_answer_ahead(answer);
            } else {
                self.backlog.push_answer(answer);
            }
        }
        true
    }

    /// Takes no more calls; what was taken before is finished.
    #[cold]
    pub(super) fn close_after(&mut self, decision: Decision) {
        self.count_refusal(&self.in_force, &decision, self.calls.pending().len());
        if let CallAction::Answer(answer) = decision.action {
            self.backlog.push_answer(answer);
        }
        self.calls.drop_pending();
        self.open = false;
    }
}
