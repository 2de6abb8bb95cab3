//! What the real `rad` sent is sent again: the server still answers it as `rad` needs it.

use crate::support::Server;
use serde_json::Value;

const RECORDED: &str = include_str!("../../resources/rad-requests.txt");

/// A request that was recorded, with what was answered.
struct Exchange {
    command: &'static str,
    request: &'static str,
    body: &'static str,
    status: u16,
    answer: Value,
}

fn exchanges() -> Vec<Exchange> {
    let (mut found, mut command, mut request, mut body) = (Vec::new(), "", None, "");
    for line in RECORDED.lines() {
        let is_status = line.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if let Some(text) = line.strip_prefix("# ") {
            command = text;
        } else if let (Some(sent), true) = (request, is_status) {
            let (status, answer) = line.split_once(' ').unwrap_or((line, "null"));
            let (status, answer) = (status.parse().unwrap(), serde_json::from_str(answer).unwrap());
            found.push(Exchange { command, request: sent, body, status, answer });
            (request, body) = (None, "");
        } else if request.is_some() {
            body = line;
        } else if !line.is_empty() && !line.starts_with('#') {
            request = Some(line);
        }
    }
    assert!(request.is_none(), "the last request has no answer");
    found
}

/// Where an answer lacks something that it had.
fn missing(expected: &Value, found: &Value, place: &str) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected.iter().find_map(|(name, value)| {
            let place = format!("{place}/{name}");
            found.get(name).map_or(Some(place.clone()), |found| missing(value, found, &place))
        }),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let pairs = expected.iter().zip(found).enumerate();
            pairs
                .into_iter()
                .find_map(|(at, (expected, found))| missing(expected, found, &format!("{place}/{at}")))
        }
        (expected, found) => (expected != found).then(|| format!("{place}: {found} in place of {expected}")),
    }
}

#[test]
fn the_recorded_requests_are_answered_as_they_were() {
    let server = Server::new();
    let exchanges = exchanges();
    assert!(exchanges.len() > 150, "{}", exchanges.len());
    for it in &exchanges {
        let answer = server.ask(it.request, it.body);
        let what = format!("{}: {}\n{answer:?}", it.command, it.request);
        assert_eq!(answer.status.as_u16(), it.status, "{what}");
        assert_eq!(missing(&it.answer, &answer.body, ""), None, "{what}");
        assert!(!answer.body.to_string().contains("tell-nobody"), "{what}");
    }
}

#[test]
fn answers_break_nothing_in_rad() {
    let server = Server::new();
    for it in exchanges() {
        let answer = server.ask(it.request, it.body);
        // It tries these again and again.
        let status = answer.status.as_u16();
        assert!(![408, 429, 500, 502, 503, 504].contains(&status), "{}", it.request);
        // It ends with a nil pointer without these.
        let is_location = answer.body["type"] == "System.Resources/resourceProviders/locations";
        assert!(!is_location || answer.body["properties"]["resourceTypes"].is_object(), "{}", it.request);
        let is_summary = it.request.contains("/local/providers?");
        for summary in answer.body["value"].as_array().into_iter().flatten().filter(|_| is_summary) {
            assert!(summary["name"].is_string(), "{}", it.request);
            let types = summary["resourceTypes"].as_object().unwrap();
            assert!(types.values().all(Value::is_object), "{}", it.request);
        }
        if it.request.starts_with("PUT") && answer.status.is_success() {
            // It asks no more.
            assert_eq!(answer.body["properties"]["provisioningState"], "Succeeded", "{}", it.request);
            assert!(!answer.headers.contains_key("azure-asyncoperation"), "{}", it.request);
            assert!(!answer.headers.contains_key("location"), "{}", it.request);
        }
    }
}
