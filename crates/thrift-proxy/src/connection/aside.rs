//! What goes out of the way of refusals, where clients find the call of an answer by its number.
//!
//! Bytes of calls stay in the buffer they were read into. A refused call is taken out of it, so nothing may be left before that one:
//! calls that wait are put aside, each with what was decided of it, and so are bytes that the upstream does not take.

use std::collections::VecDeque;

use thrift::proxy::{CallAction, Decision, ReplyTo, SplitMessage};

use super::lane::Lane;

/// A call that passes, and may not go out yet.
struct WaitingCall {
    message: SplitMessage,
    bytes: Vec<u8>,
    decision: Decision,
}

/// Calls that are out of the way, in their order. While there are any, nothing is cleared in the lane that they come from.
pub(super) struct Aside {
    /// Those that go out now; the others follow.
    pub(super) leaving: Lane,
    waiting: VecDeque<WaitingCall>,
    waiting_len: usize,
}

impl Aside {
    pub(super) fn new() -> Aside {
        Aside { leaving: Lane::new(None), waiting: VecDeque::new(), waiting_len: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.leaving.cleared() == 0 && self.waiting.is_empty()
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.leaving.cleared() + self.waiting_len
    }

    /// How many calls wait.
    pub(super) fn calls(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the bytes that are cleared.
    pub(super) fn put_cleared(&mut self, calls: &mut Lane) {
        if calls.cleared() > 0 {
            self.leaving.take_cleared_of(calls);
        }
    }

    /// Takes a call that waits from the front of the bytes that nobody has cleared.
    pub(super) fn put(&mut self, calls: &mut Lane, message: SplitMessage, decision: Decision) {
        self.put_cleared(calls);
        let bytes = calls.pending().get(..message.len).unwrap_or_default().to_vec();
        calls.take_out(message.len);
        self.put_back(message, bytes, decision);
    }

    /// Puts a call behind the others.
    pub(super) fn put_back(&mut self, message: SplitMessage, bytes: Vec<u8>, decision: Decision) {
        self.waiting_len += bytes.len();
        self.waiting.push_back(WaitingCall { message, bytes, decision });
    }

    /// The call whose turn it is: its answer, if there will be one, and what was decided of it.
    pub(super) fn first(&self) -> Option<(&Option<ReplyTo>, &Decision)> {
        let decision = &self.waiting.front()?.decision;
        match &decision.action {
            CallAction::Forward(admitted) => Some((admitted.get(), decision)),
            CallAction::Answer(_) | CallAction::Drop(_) | CallAction::Close => None,
        }
    }

    /// Lets the call go whose turn it is: how many bytes it has, and what was decided of it.
    pub(super) fn let_go(&mut self) -> Option<(usize, Decision)> {
        let WaitingCall { bytes, decision, .. } = self.waiting.pop_front()?;
        self.waiting_len -= bytes.len();
        if let CallAction::Forward(admitted) = &decision.action {
            self.leaving.push(&bytes, admitted);
        }
        Some((bytes.len(), decision))
    }

    /// Takes all calls that wait, with their bytes.
    pub(super) fn take_all(&mut self) -> Vec<(SplitMessage, Vec<u8>)> {
        self.waiting_len = 0;
        self.waiting.drain(..).map(|call| (call.message, call.bytes)).collect()
    }
}
