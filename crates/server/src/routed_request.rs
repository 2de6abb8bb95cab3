//! A request as handlers see it.

use std::sync::Arc;

use arm::evaluate::Scope;
use http::HeaderMap;
use hyper::body::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::admission::AdmissionPermit;
use crate::api_error::ApiError;
use crate::app::App;
use crate::identity::Caller;

/// A request that found its row.
pub(crate) struct RoutedRequest {
    /// What all handlers share.
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    /// What the path says.
    pub(crate) path: Captures,
    /// What stands behind the question mark.
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    /// Its body, within the limit.
    pub(crate) body: Bytes,
    /// The address that the client used, up to the path: what absolute links begin with.
    pub(crate) base: String,
    /// The path and the query as the client wrote them.
    pub(crate) target: String,
    /// The room that it takes: whoever goes on after the answer keeps it.
    pub(crate) room: Option<Arc<AdmissionPermit>>,
}

impl RoutedRequest {
    /// The version of the API that the client speaks.
    pub(crate) fn api_version(&self) -> Result<&str, ApiError> {
        self.query.get("api-version").filter(|version| !version.is_empty()).ok_or_else(|| {
            ApiError::new(
                "MissingApiVersionParameter",
                "the query parameter `api-version` is required for all requests",
            )
        })
    }

    /// A link to a path, which is not escaped, with the version of the API that the client speaks.
    pub(crate) fn link(&self, path: &str) -> Result<String, ApiError> {
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

/// A field of a form that is not UTF-8, and where.
fn not_text(name: &str, error: &std::string::FromUtf8Error) -> ApiError {
    let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
    let good = String::from_utf8_lossy(good);
    let (line, column) = good.lines().enumerate().last().map_or((1, 1), |(line, text)| {
        if good.ends_with('\n') { (line + 2, 1) } else { (line + 1, text.chars().count() + 1) }
    });
    let message = format!("the field `{name}` is not UTF-8 at line {line}, column {column}");
    ApiError::new("InvalidRequestContent", message)
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

    /// Reads the fields of a form whose values are checked: what is not UTF-8 is rejected, since another character in
    /// its place would be another value.
    pub(crate) fn of_form(body: &[u8]) -> Result<Query, ApiError> {
        let mut fields = Vec::new();
        for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let mut half = || -> Vec<u8> {
                let spaced = halves.next().unwrap_or_default().iter();
                let spaced: Vec<u8> = spaced.map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
                percent_encoding::percent_decode(&spaced).collect()
            };
            let (name, value) = (half(), half());
            let name = String::from_utf8_lossy(&name).into_owned();
            let value = String::from_utf8(value).map_err(|error| not_text(&name, &error))?;
            fields.push((name, value));
        }
        Ok(Query(fields))
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}
