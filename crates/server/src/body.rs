//! Bodies of requests: relaxed JSON, as templates have it and as `az` sends it.

use std::sync::Arc;

use document::{Document, FileId, JsonOptions, ReadLimits};
use hyper::body::Bytes;

use crate::api_error::ApiError;

/// Reads a body; one that is empty is an empty object.
pub(crate) fn read(body: &Bytes) -> Result<Arc<Document>, ApiError> {
    read_within(body, &ReadLimits::DEFAULT)
}

/// The same within the limits of those who say themselves what is too much, and where.
pub(crate) fn read_within(body: &Bytes, limits: &ReadLimits) -> Result<Arc<Document>, ApiError> {
    let refuse = |why: String| {
        ApiError::new(
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
