//! The memory of answers that are on their way: who asks for much and does not read it keeps it in memory until they do, or are let go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Response;
use hyper::body::Body as _;

use crate::api_error::ApiError;
use crate::response::{HoldingBody, ResponseBody};

/// An answer that is not larger is not counted.
const SMALL: usize = 64 * 1024;

/// The room that there is for large answers.
pub(crate) struct AnswerRoom {
    most: usize,
    used: AtomicUsize,
}

/// The room of one answer, until it is dropped.
struct AnswerShare {
    room: Arc<AnswerRoom>,
    bytes: usize,
}

impl Drop for AnswerShare {
    fn drop(&mut self) {
        self.room.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl AnswerRoom {
    pub(crate) fn new(most: usize) -> Arc<AnswerRoom> {
        Arc::new(AnswerRoom { most, used: AtomicUsize::new(0) })
    }

    /// How many bytes are on their way.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The answer with its room, or a refusal if there is none. An answer that is larger than all of it goes alone.
    pub(crate) fn take(
        self: &Arc<AnswerRoom>,
        response: Response<ResponseBody>,
    ) -> Result<Response<ResponseBody>, ApiError> {
        let bytes = response.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok());
        let Some(bytes) = bytes.filter(|bytes| *bytes > SMALL) else { return Ok(response) };
        let more =
            |used: usize| (used == 0 || used.saturating_add(bytes) <= self.most).then_some(used + bytes);
        if self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            let message = "too many large answers are on their way; read them, and try again in a second";
            return Err(ApiError::new("TooManyRequests", message));
        }
        let share = AnswerShare { room: Arc::clone(self), bytes };
        Ok(response.map(|body| HoldingBody::around(body, share)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::HttpResponse;
    use http::StatusCode;

    fn answer(bytes: usize) -> Response<ResponseBody> {
        HttpResponse::text(StatusCode::OK, "x".repeat(bytes)).into_response()
    }

    #[test]
    fn large_answers_take_room_until_they_are_gone() {
        let room = AnswerRoom::new(4 * SMALL);
        let first = room.take(answer(3 * SMALL)).unwrap();
        assert_eq!(first.body().size_hint().exact(), Some(3 * SMALL as u64));
        assert_eq!(room.take(answer(2 * SMALL)).unwrap_err().status().as_u16(), 429);
        let small = room.take(answer(SMALL)).unwrap();
        drop(first);
        assert_eq!(room.used(), 0);
        // One that is too large for all of it goes alone.
        let large = room.take(answer(9 * SMALL)).unwrap();
        assert!(room.take(answer(2 * SMALL)).is_err());
        drop((small, large));
        assert_eq!(room.used(), 0);
    }
}
