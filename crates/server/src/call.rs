//! A request as handlers see it.

use std::sync::Arc;

use arm::evaluate::Scope;
use axum::body::Bytes;
use axum::http::HeaderMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::App;
use crate::identity::Caller;
use crate::refusal::Refusal;

/// A request that found its row.
pub(crate) struct Call {
    /// What all handlers share.
    pub(crate) app: Arc<App>,
    /// Who asks.
    pub(crate) caller: Caller,
    /// What the path says.
    pub(crate) path: Captures,
    /// What stands behind the question mark.
    pub(crate) query: Query,
    /// Its headers.
    pub(crate) headers: HeaderMap,
    /// Its body, within the limit.
    pub(crate) body: Bytes,
    /// The address that the client used, up to the path: what absolute links begin with.
    pub(crate) base: String,
    /// The path and the query as the client wrote them.
    pub(crate) target: String,
}

impl Call {
    /// The version of the API that the client speaks.
    pub(crate) fn api_version(&self) -> Result<&str, Refusal> {
        self.query.get("api-version").filter(|version| !version.is_empty()).ok_or_else(|| {
            Refusal::new(
                "MissingApiVersionParameter",
                "the query parameter `api-version` is required for all requests",
            )
        })
    }

    /// A link to a path, which is not escaped, with the version of the API that the client speaks.
    pub(crate) fn link(&self, path: &str) -> Result<String, Refusal> {
        let path = utf8_percent_encode(path, UNSAFE_IN_PATH);
        let version = utf8_percent_encode(self.api_version()?, UNSAFE);
        Ok(format!("{}{path}?api-version={version}", self.base))
    }
}

/// What no part of a link can have as it is.
pub(crate) const UNSAFE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The same for a path, whose slashes stay.
pub(crate) const UNSAFE_IN_PATH: &AsciiSet = &UNSAFE.remove(b'/').remove(b'(').remove(b')');

/// The parts of a path that a pattern names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Captures {
    /// What `{scope}` stands for; unknown where the pattern has none.
    pub(crate) scope: Scope,
    /// The parts by name, as the client spelled them.
    pub(crate) parts: Vec<(&'static str, String)>,
}

impl Captures {
    /// A part; a name that the pattern does not have is empty.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.parts.iter().find(|(part, _)| *part == name).map_or("", |(_, value)| value)
    }
}

/// The query: names do not depend on case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads what stands behind the question mark.
    pub(crate) fn parse(text: &str) -> Query {
        let decode = |text: &str| {
            let spaced = text.replace('+', " ");
            percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
        };
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        Query(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(name, value)| (decode(name), decode(value)))
                .collect(),
        )
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}
