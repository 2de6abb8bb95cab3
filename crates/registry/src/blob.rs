//! The download of a blob: goes on where it was interrupted, follows a registry to its storage, and ends with the right bytes or none.

use client::{Ask, Received};
use hyper::body::Bytes;
use hyper::header::{HeaderValue, LOCATION, RANGE};
use hyper::{HeaderMap, Method, StatusCode};

use crate::artifact::ArtifactFile;
use crate::session::{RepositoryAction, is_passing};
use crate::{OciError, OciReference, Registries};

/// How many requests a download may take, however far each of them brings it.
const MOST_PIECES: usize = 64;
/// The most that is read of an answer that is an error.
const MOST_WORDS: u64 = 64 << 10;
/// How often a registry may send a request elsewhere.
const MOST_REDIRECTS: usize = 3;

impl Registries {
    /// The bytes of a blob, whose digest was checked.
    pub(crate) async fn blob(
        &self,
        place: &OciReference,
        part: &ArtifactFile<'_>,
    ) -> Result<Vec<u8>, OciError> {
        let (what, size) = (part.file, part.blob.size);
        if size > part.most {
            return Err(OciError::TooLarge { what, size, most: part.most });
        }
        let digest = &part.blob.digest;
        let mut bytes = Vec::new();
        let mut resumed = false;
        let mut attempt = 0;
        for _ in 0..MOST_PIECES {
            let last = attempt + 1 >= self.attempts();
            let from = bytes.len();
            let mut is_slow = false;
            match self.piece(place, digest.as_str(), &mut bytes, size).await {
                Ok(BlobResponse::Whole) if digest.is_of(&bytes) && bytes.len() as u64 == size => {
                    return Ok(bytes);
                }
                // Two halves that do not fit can be of different answers; a whole one that is wrong stays wrong.
                Ok(BlobResponse::Whole) if resumed && !last => bytes.clear(),
                Ok(BlobResponse::Whole) => {
                    return Err(OciError::WrongDigest { what, expected: digest.clone() });
                }
                Ok(BlobResponse::Later(headers)) if !last => self.pause(attempt, Some(&headers)).await,
                Ok(BlobResponse::Later(_)) => break,
                // Whoever sends a byte now and then could go on for hours.
                Err(OciError::Late(_)) if !last => is_slow = true,
                Err(fault) if !last && fault.may_pass() => self.pause(attempt, None).await,
                Err(fault) => return Err(fault),
            }
            resumed = !bytes.is_empty();
            // An attempt that was interrupted and brought the download further does not count.
            if is_slow || bytes.len() <= from {
                attempt += 1;
            }
        }
        Err(OciError::Unreachable(format!(
            "`{}` is too busy, or the connection breaks too often",
            place.host
        )))
    }

    /// One request for the rest of a blob.
    async fn piece(
        &self,
        place: &OciReference,
        digest: &str,
        bytes: &mut Vec<u8>,
        size: u64,
    ) -> Result<BlobResponse, OciError> {
        let mut url = place.url(&format!("blobs/{digest}"));
        for _ in 0..=MOST_REDIRECTS {
            let mut ask = Ask::new(Method::GET, url.as_str(), Bytes::new());
            if !bytes.is_empty() {
                let range = HeaderValue::from_str(&format!("bytes={}-", bytes.len()));
                ask.headers.extend(range.ok().map(|range| (RANGE, range)));
            }
            let mut received = Received::default();
            let sent =
                self.exchange(place, RepositoryAction::Pull, &ask, &mut received, size.max(MOST_WORDS)).await;
            let Some((status, headers)) = received.head else {
                return sent.and(Err(OciError::Protocol("it did not answer".to_owned())));
            };
            match status {
                StatusCode::OK => *bytes = received.body,
                StatusCode::PARTIAL_CONTENT if begins_at(&headers, bytes.len()) => {
                    bytes.extend(received.body)
                }
                StatusCode::RANGE_NOT_SATISFIABLE => bytes.clear(),
                status if status.is_redirection() => {
                    sent?;
                    url = elsewhere(place, &url, &headers)?;
                    continue;
                }
                status if is_passing(status) => return Ok(BlobResponse::Later(headers)),
                StatusCode::NOT_FOUND => {
                    return Err(OciError::Artifact(format!("its manifest names a missing blob, `{digest}`")));
                }
                status => return Err(OciError::of_answer(status, &received.body)),
            }
            return match sent {
                Ok(()) => Ok(BlobResponse::Whole),
                Err(fault) => Err(fault),
            };
        }
        Err(OciError::Protocol("it sends us from place to place".to_owned()))
    }
}

/// What came of a request for a blob.
enum BlobResponse {
    /// All that the server has.
    Whole,
    /// The server has no time.
    Later(HeaderMap),
}

/// Whether an answer with a part of a blob begins where we ended.
fn begins_at(headers: &HeaderMap, at: usize) -> bool {
    let range = headers.get("content-range").and_then(|range| range.to_str().ok());
    let first = range.and_then(|range| range.strip_prefix("bytes ")?.split_once('-'));
    first.is_some_and(|(first, _)| first.trim().parse() == Ok(at))
}

/// Where a registry sends us. Its storage has its own addresses, which can hold keys, so that they are not shown.
fn elsewhere(place: &OciReference, from: &str, headers: &HeaderMap) -> Result<String, OciError> {
    let refused = |why: &str| OciError::Protocol(format!("it sends us elsewhere, and {why}"));
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let location = location.ok_or_else(|| refused("does not say where"))?;
    let url = resolved(from, location);
    if !place.may_lead_to(&url) {
        return Err(refused("not to an address with `https`"));
    }
    Ok(url)
}

/// An address as seen from another one.
pub(crate) fn resolved(from: &str, location: &str) -> String {
    if location.contains("://") {
        return location.to_owned();
    }
    let (scheme, rest) = from.split_once("://").unwrap_or(("https", from));
    if let Some(host) = location.strip_prefix("//") {
        return format!("{scheme}://{host}");
    }
    let host = rest.split('/').next().unwrap_or(rest);
    match location.strip_prefix('/') {
        Some(path) => format!("{scheme}://{host}/{path}"),
        None => {
            let folder = rest.rsplit_once('/').map_or(rest, |(folder, _)| folder);
            format!("{scheme}://{folder}/{location}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_seen_from_where_it_was_said() {
        let from = "https://r.example/v2/a/blobs/x";
        assert_eq!(resolved(from, "https://s.example/y?z"), "https://s.example/y?z");
        assert_eq!(resolved(from, "/y?z"), "https://r.example/y?z");
        assert_eq!(resolved(from, "//s.example/y"), "https://s.example/y");
        assert_eq!(resolved(from, "y"), "https://r.example/v2/a/blobs/y");
    }
}
