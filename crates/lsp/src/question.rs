//! A request with what it is to be answered from.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::message::{self, Code, Failure, Id};
use crate::requests::Row;
use crate::snapshot::Snapshot;

/// A request with what it is to be answered from.
pub(crate) struct Question {
    pub(crate) id: Id,
    pub(crate) row: &'static Row,
    pub(crate) params: Value,
    pub(crate) snapshot: Arc<Snapshot>,
    /// Whether the client took it back.
    pub(crate) cancelled: Arc<AtomicBool>,
}

impl Question {
    /// The message with the answer. There is always one, also if the server made a mistake.
    pub(crate) fn answer(self) -> Vec<u8> {
        let Question { id, row, params, snapshot, cancelled } = self;
        if cancelled.load(Ordering::Relaxed) {
            return message::answer(Some(&id), Err(Failure::cancelled()));
        }
        let answered = catch_unwind(AssertUnwindSafe(|| (row.answer)(&snapshot, params)));
        let result = answered.unwrap_or_else(|_| {
            let text = format!("`{}` failed; this is a mistake in Tendon", row.method);
            Err(Failure::new(Code::Internal, text))
        });
        message::answer(Some(&id), result)
    }
}
