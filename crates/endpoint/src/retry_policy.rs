//! When a request is sent again, and when not: what each answer means for that, and how long to wait.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use arm::Caseless as _;
use arm::Value;
use hyper::header::RETRY_AFTER;
use hyper::{HeaderMap, Method, StatusCode};

/// How often a request is sent that fails for no fault of its own.
pub(crate) const MOST_TRIES: u32 = 12;
/// How often the first request is sent to somebody who has never answered.
pub(crate) const MOST_FIRST_TRIES: u32 = 4;
/// How often a request is sent that is refused because too much is asked, or because something else is under
/// way. The time of the step usually ends earlier.
pub(crate) const MOST_REFUSALS: u32 = 1_000;

/// The longest pause that is made without being told so, in seconds of the service.
const LONGEST_PAUSE: u32 = 30;
/// The longest pause between two looks at an operation, in seconds of the service.
const LONGEST_LOOK: u32 = 15;
/// How many calls have to be left for calls not to be slowed down.
const FEW_LEFT: u32 = 50;

/// What an answer means for the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseClass {
    /// It is the answer.
    Final,
    /// Who asks is not known, or not any more.
    Unknown,
    /// The service failed; the request may have been done.
    Failed,
    /// Too much was asked.
    Throttled,
    /// Something else is being done to the resource.
    Busy,
}

/// Codes of a conflict that passes by itself.
const BUSY: &[&str] = &[
    "AccountIsBeingProvisioned",
    "AnotherOperationInProgress",
    "AnotherOperationIsInProgress",
    "ConcurrentUpdateError",
    "ConflictingConcurrentWriteNotAllowed",
    "ConflictingOperationInProgress",
    "InProgress",
    "OperationInProgress",
    "OperationPreempted",
    "ReferencedResourceNotProvisioned",
    "RequestConflict",
    "ResourceBusy",
    "ResourceNotReady",
    "RetryableError",
    "RetryableErrorDueToAnotherOperation",
    "ServerBusy",
    "ServerIsBusy",
    "StorageAccountOperationInProgress",
];

/// Words in the message of a conflict that passes by itself, where its code says nothing.
const BUSY_WORDS: &[&str] =
    &["another operation", "in progress", "provisioning state", "provisioningstate", "try again later"];

/// What an answer means.
pub(crate) fn verdict(status: StatusCode, headers: &HeaderMap, error: Option<&Value>) -> ResponseClass {
    match status {
        StatusCode::UNAUTHORIZED => ResponseClass::Unknown,
        StatusCode::TOO_MANY_REQUESTS => ResponseClass::Throttled,
        StatusCode::REQUEST_TIMEOUT
        | StatusCode::INTERNAL_SERVER_ERROR
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => ResponseClass::Failed,
        StatusCode::CONFLICT if headers.contains_key(RETRY_AFTER) || is_busy(error) => ResponseClass::Busy,
        _ => ResponseClass::Final,
    }
}

fn is_busy(error: Option<&Value>) -> bool {
    let text = |name: &str| error?.as_object()?.get(name)?.as_str();
    let code = text("code").unwrap_or_default();
    if BUSY.iter().any(|busy| busy.eq_ignore_ascii_case(code)) {
        return true;
    }
    let message = text("message").unwrap_or_default().caseless();
    code.eq_ignore_ascii_case("Conflict") && BUSY_WORDS.iter().any(|words| message.contains(words))
}

/// How long the service wants to be left alone, in its seconds: a number, or the time until a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let milliseconds = ["retry-after-ms", "x-ms-retry-after-ms"].iter().find_map(|name| {
        let text = headers.get(*name)?.to_str().ok()?;
        text.trim().parse().ok().map(Duration::from_millis)
    });
    if milliseconds.is_some() {
        return milliseconds;
    }
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => {
            let date = httpdate::parse_http_date(text).ok()?;
            // A date that is over means at once.
            Some(date.duration_since(now).unwrap_or_default())
        }
    }
}

/// The pause after an attempt that failed, from 0: it doubles, and a part of it is chance, so that many who
/// failed together do not come back together.
pub(crate) fn back_off(attempt: u32, second: Duration, chance: u32) -> Duration {
    let whole = (second / 2).saturating_mul(1 << attempt.min(16)).min(second.saturating_mul(LONGEST_PAUSE));
    let half = whole / 2;
    half + half.mul_f64(f64::from(chance) / f64::from(u32::MAX))
}

/// The pause before the next look at an operation that does not say how long to wait.
pub(crate) fn next_look(looks: u32, second: Duration) -> Duration {
    second.saturating_mul(1 << looks.min(8)).min(second.saturating_mul(LONGEST_LOOK))
}

/// What limits count apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateClass {
    Read,
    Write,
    Delete,
}

impl RateClass {
    pub(crate) fn of(method: &Method) -> RateClass {
        match *method {
            Method::GET | Method::HEAD => RateClass::Read,
            Method::DELETE => RateClass::Delete,
            _ => RateClass::Write,
        }
    }
}

/// When the next request of each kind may be sent.
#[derive(Debug, Default)]
pub(crate) struct RequestThrottle {
    next: Mutex<[Option<Instant>; 3]>,
}

impl RequestThrottle {
    /// How long to wait before a request of a kind.
    pub(crate) fn wait(&self, kind: RateClass, now: Instant) -> Duration {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let next = next.get(kind as usize).copied().flatten();
        next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now))
    }

    /// No request of a kind before that.
    pub(crate) fn close(&self, kind: RateClass, until: Instant) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = next.get_mut(kind as usize) {
            *next = Some(next.map_or(until, |next| next.max(until)));
        }
    }
}

/// The pause after an answer that says how many calls are left, in seconds of the service: the fewer, the longer.
pub(crate) fn slow_down(headers: &HeaderMap) -> Option<f64> {
    let left = headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("x-ms-ratelimit-remaining-"))
        .filter_map(|(_, value)| least(value.to_str().ok()?))
        .min()?;
    (left < FEW_LEFT).then(|| f64::from(FEW_LEFT - left) / 10.0)
}

/// The least number in `12` or in `Microsoft.Compute/PutVM3Min;12,Microsoft.Compute/PutVM30Min;700`.
fn least(value: &str) -> Option<u32> {
    value.split(',').filter_map(|part| part.rsplit(';').next()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn headers(rows: &[(&'static str, &str)]) -> HeaderMap {
        rows.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn answers_are_judged() {
        let conflict = |code: &str, message: &str| {
            Value::object([("code", Value::text(code)), ("message", Value::text(message))])
        };
        for (status, retry, code, message, expected) in [
            (200, None, "", "", ResponseClass::Final),
            (400, None, "", "", ResponseClass::Final),
            (401, None, "", "", ResponseClass::Unknown),
            (403, None, "", "", ResponseClass::Final),
            (404, None, "", "", ResponseClass::Final),
            (408, None, "", "", ResponseClass::Failed),
            (409, None, "AnotherOperationInProgress", "", ResponseClass::Busy),
            (409, None, "anotheroperationinprogress", "", ResponseClass::Busy),
            (409, Some("5"), "Whatever", "", ResponseClass::Busy),
            (409, None, "Conflict", "The resource is in provisioning state Updating", ResponseClass::Busy),
            (409, None, "Conflict", "The name is taken", ResponseClass::Final),
            (409, None, "StorageAccountAlreadyTaken", "another operation", ResponseClass::Final),
            (429, None, "", "", ResponseClass::Throttled),
            (500, None, "", "", ResponseClass::Failed),
            (501, None, "", "", ResponseClass::Final),
            (502, None, "", "", ResponseClass::Failed),
            (503, None, "", "", ResponseClass::Failed),
            (504, None, "", "", ResponseClass::Failed),
        ] {
            let headers = retry.map_or_else(HeaderMap::new, |value| headers(&[("retry-after", value)]));
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(
                verdict(status, &headers, Some(&conflict(code, message))),
                expected,
                "{status} {code} {message}"
            );
        }
    }

    #[test]
    fn pauses_are_numbers_and_dates() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (name, value, seconds) in [
            ("retry-after", "7", Some(7.0)),
            ("retry-after", " 0 ", Some(0.0)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT", Some(10.0)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:27 GMT", Some(0.0)),
            ("retry-after", "soon", None),
            ("retry-after", "-1", None),
            ("x-ms-retry-after-ms", "1500", Some(1.5)),
        ] {
            let found = retry_after(&headers(&[(name, value)]), now).map(|pause| pause.as_secs_f64());
            assert_eq!(found, seconds, "{name}: {value}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let second = Duration::from_secs(1);
        let pauses: Vec<f64> =
            (0..9).map(|attempt| back_off(attempt, second, u32::MAX).as_secs_f64()).collect();
        assert_eq!(pauses, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]);
        assert_eq!(back_off(2, second, 0), second);
        let looks: Vec<u64> = (0..6).map(|looks| next_look(looks, second).as_secs()).collect();
        assert_eq!(looks, [1, 2, 4, 8, 15, 15]);
    }

    #[test]
    fn calls_are_slowed_down_before_there_are_none_left() {
        for (rows, pause) in [
            (vec![], None),
            (vec![("x-ms-ratelimit-remaining-subscription-writes", "1199")], None),
            (vec![("x-ms-ratelimit-remaining-subscription-writes", "50")], None),
            (vec![("x-ms-ratelimit-remaining-subscription-writes", "40")], Some(1.0)),
            (vec![("x-ms-ratelimit-remaining-tenant-reads", "0")], Some(5.0)),
            (
                vec![(
                    "x-ms-ratelimit-remaining-resource",
                    "Microsoft.Compute/A3Min;30,Microsoft.Compute/A30Min;700",
                )],
                Some(2.0),
            ),
            (vec![("x-ms-ratelimit-remaining-subscription-reads", "many")], None),
            (vec![("x-ms-ratelimit-remaining-a", "100"), ("x-ms-ratelimit-remaining-b", "45")], Some(0.5)),
        ] {
            assert_eq!(slow_down(&headers(&rows)), pause, "{rows:?}");
        }
    }

    #[test]
    fn a_gate_is_closed_for_one_kind() {
        let (gate, now) = (RequestThrottle::default(), Instant::now());
        let seconds = Duration::from_secs;
        gate.close(RateClass::Write, now + seconds(5));
        gate.close(RateClass::Write, now + seconds(2));
        assert_eq!(gate.wait(RateClass::Write, now), seconds(5));
        assert_eq!(gate.wait(RateClass::Write, now + seconds(6)), Duration::ZERO);
        assert_eq!(gate.wait(RateClass::of(&Method::GET), now), Duration::ZERO);
        assert_eq!(RateClass::of(&Method::PATCH), RateClass::Write);
    }
}
