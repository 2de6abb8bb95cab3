//! A request with what it is to be answered from.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::message::{self, ErrorCode, Id, ResponseError};
use crate::requests::RequestHandler;
use crate::snapshot::Snapshot;

/// A request with what it is to be answered from.
pub(crate) struct RequestContext {
    pub(crate) id: Id,
    pub(crate) row: &'static RequestHandler,
    pub(crate) params: Value,
    /// What it is answered from, with its ticket.
    pub(crate) snapshot: Snapshot,
}

impl RequestContext {
    /// The message with the answer, also if the server made a mistake; none if it was answered by somebody else.
    pub(crate) fn answer(self) -> Option<Vec<u8>> {
        let RequestContext { id, row, params, snapshot } = self;
        if !snapshot.is_wanted() {
            return None;
        }
        let answered = catch_unwind(AssertUnwindSafe(|| (row.answer)(&snapshot, params)));
        let result = answered.unwrap_or_else(|_| {
            let text = format!("`{}` failed; this is a mistake in Tendon", row.method);
            Err(ResponseError::new(ErrorCode::Internal, text))
        });
        snapshot.ticket.close().then(|| message::answer(Some(&id), result))
    }
}
