//! Why an artifact cannot be pulled or pushed.

use client::ClientError;
use hyper::StatusCode;

use crate::Digest;

/// Why a registry did not give or take an artifact. The texts are parts of a sentence and hold no secret.
#[derive(Debug, thiserror::Error)]
pub enum OciError {
    /// The artifact is not in the registry.
    #[error("the registry does not have it")]
    NotFound,
    /// The registry wants to know who asks, or does not let them.
    #[error("{0}")]
    Denied(String),
    /// There was no answer, or not all of it; another attempt may have one.
    #[error("{0}")]
    Unreachable(String),
    /// The answer did not come in time, or too slowly; another attempt may be faster.
    #[error("{0}")]
    Late(String),
    /// There is no way to ask, or no end to the answer; another attempt would not change that.
    #[error("{0}")]
    Connection(String),
    /// The registry answered with an error.
    #[error("the registry answered {status}{words}")]
    Answer {
        /// The status of HTTP that the registry answered with.
        status: StatusCode,
        /// The words of the registry, behind a colon; or nothing.
        words: String,
    },
    /// The registry does not keep to the protocol.
    #[error("the registry does not follow the protocol: {0}")]
    Protocol(String),
    /// Something has another digest than it must have.
    #[error("{what} has another digest than `{expected}`: it is not what was published")]
    WrongDigest {
        /// What is too large, as messages call it.
        what: &'static str,
        /// The digest that it must have.
        expected: Digest,
    },
    /// Something is larger than artifacts of Bicep are.
    #[error("{what} has {size} bytes, and at most {most} are taken")]
    TooLarge {
        /// What is malformed, as messages call it.
        what: &'static str,
        /// How large it is.
        size: u64,
        /// How large it may be.
        most: u64,
    },
    /// It is not an artifact that can be used.
    #[error("{0}")]
    Artifact(String),
    /// It cannot be written to the cache.
    #[error("it cannot be written to the cache: {0}")]
    Cache(String),
}

impl From<ClientError> for OciError {
    fn from(error: ClientError) -> OciError {
        match error {
            ClientError::Late(_) => OciError::Late(error.to_string()),
            error if may_pass(&error) => OciError::Unreachable(error.to_string()),
            error => OciError::Connection(error.to_string()),
        }
    }
}

impl OciError {
    /// Whether another attempt may do better.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, OciError::Unreachable(_) | OciError::Late(_))
    }

    /// The fault of an answer that is not the one that was hoped for.
    pub(crate) fn of_answer(status: StatusCode, body: &[u8]) -> OciError {
        let words = words(body).map_or_else(String::new, |words| format!(": {words}"));
        match status {
            StatusCode::NOT_FOUND => OciError::NotFound,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                OciError::Denied(format!("the registry answered {status}{words}"))
            }
            _ => OciError::Answer { status, words },
        }
    }
}

/// How much of a registry's own words is shown.
const MOST_WORDS: usize = 200;

/// What a registry says about an error, in the form of the distribution API.
fn words(body: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(body).ok()?;
    let first = value.get("errors")?.as_array()?.first()?;
    let part = |name: &str| first.get(name).and_then(serde_json::Value::as_str).filter(|it| !it.is_empty());
    let text = match (part("code"), part("message")) {
        (Some(code), Some(message)) => format!("{code}, {message}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => return None,
    };
    Some(text.chars().take(MOST_WORDS).collect())
}

/// Whether another attempt can have an answer.
pub(crate) fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable(_) | ClientError::Connection(_) | ClientError::Late(_) => true,
        ClientError::Address(_)
        | ClientError::Roots(_)
        | ClientError::Untrusted(_)
        | ClientError::TooLarge(_)
        | ClientError::Token => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_registry_are_kept() {
        let body = br#"{"errors":[{"code":"TAG_INVALID","message":"not like that","detail":{}}]}"#;
        let fault = OciError::of_answer(StatusCode::BAD_REQUEST, body);
        assert_eq!(fault.to_string(), "the registry answered 400 Bad Request: TAG_INVALID, not like that");
        let silent = OciError::of_answer(StatusCode::BAD_GATEWAY, b"<html>");
        assert_eq!(silent.to_string(), "the registry answered 502 Bad Gateway");
    }
}
