//! Bodies of requests: relaxed JSON, as templates have it and as `az` sends it.

use std::sync::Arc;

use axum::body::Bytes;
use document::{Document, FileId, JsonOptions, Limits};

use crate::refusal::Refusal;

/// Reads a body; one that is empty is an empty object.
pub(crate) fn read(body: &Bytes) -> Result<Arc<Document>, Refusal> {
    read_within(body, &Limits::DEFAULT)
}

/// The same within the limits of those who say themselves what is too much, and where.
pub(crate) fn read_within(body: &Bytes, limits: &Limits) -> Result<Arc<Document>, Refusal> {
    let refuse = |why: String| {
        Refusal::new(
            "InvalidRequestContent",
            format!("the request content was invalid and could not be deserialized: {why}"),
        )
    };
    let text = std::str::from_utf8(body).map_err(|error| {
        let before = body.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        refuse(format!("it is not UTF-8 at byte {}, which is in line {line}", error.valid_up_to()))
    })?;
    let text = if text.trim().is_empty() { "{}" } else { text };
    let document = Document::from_json_with(text, FileId::FIRST, limits, JsonOptions::TEMPLATE)
        .map_err(|error| refuse(format!("line {}, column {}: {error}", error.line, error.column)))?;
    Ok(Arc::new(document))
}
