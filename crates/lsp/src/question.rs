//! A request with what it is to be answered from.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::message::{self, Code, Failure, Id};
use crate::requests::Row;
use crate::snapshot::Snapshot;

/// A request with what it is to be answered from.
pub(crate) struct Question {
    pub(crate) id: Id,
    pub(crate) row: &'static Row,
    pub(crate) params: Value,
    /// What it is answered from, with its ticket.
    pub(crate) snapshot: Snapshot,
}

impl Question {
    /// The message with the answer, also if the server made a mistake; none if it was answered by somebody else.
    pub(crate) fn answer(self) -> Option<Vec<u8>> {
        let Question { id, row, params, snapshot } = self;
        if !snapshot.is_wanted() {
            return None;
        }
        let answered = catch_unwind(AssertUnwindSafe(|| (row.answer)(&snapshot, params)));
        let result = answered.unwrap_or_else(|_| {
            let text = format!("`{}` failed; this is a mistake in Tendon", row.method);
            Err(Failure::new(Code::Internal, text))
        });
        snapshot.ticket.close().then(|| message::answer(Some(&id), result))
    }
}
