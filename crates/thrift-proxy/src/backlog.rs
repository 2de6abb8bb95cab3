//! The answers that a client waits for, in the order in which it will get them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use thrift::proxy::{MethodId, ReplyTo};
use thrift::wire::MessageHeader;

use crate::active_contracts::InForce;

/// A call that was forwarded.
#[derive(Debug)]
pub(crate) struct PendingCall {
    pub(crate) to: ReplyTo,
    pub(crate) method: Option<MethodId>,
    /// The contracts that it was held against, if they are not those of the connection any more: its reply is
    /// held against the same.
    pub(crate) former: Option<Arc<InForce>>,
    pub(crate) since: Instant,
    /// The bytes of the call.
    pub(crate) len: usize,
}

impl PendingCall {
    /// The contracts that it was held against.
    pub(crate) fn in_force<'c>(&'c self, current: &'c InForce) -> &'c InForce {
        self.former.as_deref().unwrap_or(current)
    }
}

#[derive(Debug)]
enum BacklogEntry {
    Awaited(PendingCall),
    /// An answer of our own, whose turn has not come.
    Ready(Vec<u8>),
}

/// The answers that a client waits for.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    entries: VecDeque<BacklogEntry>,
    /// The bytes of all answers of our own.
    answers: usize,
}

impl Backlog {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn push_call(&mut self, call: PendingCall) {
        self.entries.push_back(BacklogEntry::Awaited(call));
    }

    /// How many bytes of our own wait for their turn.
    pub(crate) fn answers_len(&self) -> usize {
        self.answers
    }

    pub(crate) fn push_answer(&mut self, answer: Vec<u8>) {
        self.answers += answer.len();
        self.entries.push_back(BacklogEntry::Ready(answer));
    }

    /// Puts an answer before those that calls still wait for: the client finds its call by number.
    pub(crate) fn push_answer_ahead(&mut self, answer: Vec<u8>) {
        let is_call = |entry: &BacklogEntry| matches!(entry, BacklogEntry::Awaited(_));
        let at = self.entries.iter().position(is_call).unwrap_or(self.entries.len());
        self.answers += answer.len();
        self.entries.insert(at, BacklogEntry::Ready(answer));
    }

    /// Whether it is the turn of an answer of our own.
    pub(crate) fn starts_with_answer(&self) -> bool {
        matches!(self.entries.front(), Some(BacklogEntry::Ready(_)))
    }

    /// Takes an answer of our own if it is its turn.
    pub(crate) fn pop_answer(&mut self) -> Option<Vec<u8>> {
        match self.entries.front() {
            Some(BacklogEntry::Ready(_)) => match self.entries.pop_front() {
                Some(BacklogEntry::Ready(answer)) => {
                    self.answers = self.answers.saturating_sub(answer.len());
                    Some(answer)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes the call that a reply answers: the one with its name and number, otherwise the oldest.
    ///
    /// Servers answer in order, except those that clients match by number anyway.
    pub(crate) fn take(&mut self, reply: Option<&MessageHeader<'_>>) -> Option<PendingCall> {
        let is_call = |entry: &BacklogEntry| matches!(entry, BacklogEntry::Awaited(_));
        let answers = |entry: &BacklogEntry| match (entry, reply) {
            (BacklogEntry::Awaited(call), Some(reply)) => call.to.is_answered_by(reply),
            _ => false,
        };
        let at = self.entries.iter().position(answers).or_else(|| self.entries.iter().position(is_call))?;
        match self.entries.remove(at) {
            Some(BacklogEntry::Awaited(call)) => Some(call),
            _ => None,
        }
    }

    /// Whether a call waits whose answer could be taken for that of another: of a function with the same name that is not the
    /// same. Answers name neither the service nor, from every server, the number that the client gave.
    pub(crate) fn could_confuse(&self, function: &[u8], is_same: impl Fn(&PendingCall) -> bool) -> bool {
        self.entries.iter().any(|entry| match entry {
            BacklogEntry::Awaited(call) => *call.to.function == *function && !is_same(call),
            BacklogEntry::Ready(_) => false,
        })
    }

    /// Keeps contracts for the calls that were held against them, since the connection has new ones.
    pub(crate) fn keep(&mut self, former: &Arc<InForce>) {
        for entry in &mut self.entries {
            if let BacklogEntry::Awaited(call) = entry {
                call.former.get_or_insert_with(|| Arc::clone(former));
            }
        }
    }

    /// The time since which the oldest call waits.
    pub(crate) fn waiting_since(&self) -> Option<Instant> {
        self.entries.iter().find_map(|entry| match entry {
            BacklogEntry::Awaited(call) => Some(call.since),
            BacklogEntry::Ready(_) => None,
        })
    }

    /// Gives every call that waits an answer of our own.
    pub(crate) fn answer_all(&mut self, answer: impl Fn(&PendingCall) -> Vec<u8>) {
        for entry in &mut self.entries {
            if let BacklogEntry::Awaited(call) = entry {
                let answer = answer(call);
                self.answers += answer.len();
                *entry = BacklogEntry::Ready(answer);
            }
        }
    }
}
