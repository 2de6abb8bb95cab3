//! What an answer that is no good says: an error in the shape of the engine, with the ids by which the service finds it again.

use arm::Value;
use client::Reply;
use engine::Failure;
use engine::records::parse;
use hyper::StatusCode;

/// How much of an answer that is not JSON is quoted.
const QUOTED: usize = 300;
/// How deep errors behind errors are read.
const DEEPEST: usize = 8;

/// The error object in a body: `error`, as ARM has it, or the body itself, as some services do.
pub(crate) fn error_of(body: &Value) -> Option<&Value> {
    let object = body.as_object()?;
    let inner = object.get("error").or_else(|| object.get("odata.error"));
    if let Some(inner) = inner.filter(|inner| inner.as_object().is_some()) {
        return Some(inner);
    }
    object.get("code").is_some().then_some(body)
}

/// The body of an answer; nothing if it has none that is JSON.
pub(crate) fn body_of(reply: &Reply) -> Option<Value> {
    if reply.body.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(&reply.body).ok()?;
    // Some services begin with a byte order mark.
    parse(text.trim_start_matches('\u{feff}')).ok()
}

/// The error of an answer.
pub(crate) fn failure(reply: &Reply, method: &str, id: &str) -> Failure {
    let body = body_of(reply);
    let mut failure = match body.as_ref().and_then(error_of) {
        Some(error) => read(error, 0),
        None => {
            let text = String::from_utf8_lossy(&reply.body);
            let text: String = text.trim().chars().take(QUOTED).collect();
            let said = if text.is_empty() { String::new() } else { format!(" with `{text}`") };
            Failure::new(code(reply.status), format!("the endpoint answered {}{said}", reply.status))
        }
    };
    if failure.code.is_empty() {
        failure.code = code(reply.status).into();
    }
    if failure.message.is_empty() {
        failure.message = format!("the endpoint answered {}", reply.status);
    }
    if reply.status.is_redirection() {
        failure.message = format!(
            "the endpoint answered {} and sends the request elsewhere; Tendon follows no redirect, because requests carry a token",
            reply.status
        );
    }
    if reply.status == StatusCode::UNAUTHORIZED {
        failure.message.push_str(
            "; log in with `az login`, or give a token with TENDON_ENDPOINT_TOKEN or `--credential-command`",
        );
    }
    failure.target.get_or_insert_with(|| id.to_owned());
    with_ids(failure, reply, method)
}

/// Adds the ids by which the service finds the request again.
pub(crate) fn with_ids(mut failure: Failure, reply: &Reply, method: &str) -> Failure {
    let mut said = Vec::new();
    let mut info =
        vec![("method", Value::text(method)), ("status", Value::Int(i64::from(reply.status.as_u16())))];
    for (header, name, words) in [
        ("x-ms-correlation-request-id", "correlationId", "correlation id"),
        ("x-ms-request-id", "requestId", "request id"),
    ] {
        let value = reply.headers.get(header).and_then(|value| value.to_str().ok());
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            said.push(format!("{words} {value}"));
            info.push((name, Value::text(value)));
        }
    }
    if !said.is_empty() {
        failure.message.push_str(&format!(" ({})", said.join(", ")));
    }
    let info = Value::object([("type", Value::text("Request")), ("info", Value::object(info))]);
    failure.additional_info.push(info);
    failure
}

/// An error object of any spelling. Recursion ends at a depth.
fn read(error: &Value, depth: usize) -> Failure {
    let member = |name: &str| error.as_object().and_then(|object| object.get(name));
    let text = |name: &str| {
        let value = member(name)?;
        // OData has the text of a message in `value`.
        value.as_str().or_else(|| value.as_object()?.get("value")?.as_str()).map(str::to_owned)
    };
    let mut failure = Failure::new(text("code").unwrap_or_default(), text("message").unwrap_or_default());
    failure.target = text("target");
    if depth < DEEPEST {
        let details = member("details").and_then(Value::as_array).unwrap_or_default();
        failure.details = details.iter().map(|detail| read(detail, depth + 1)).collect();
    }
    failure.additional_info = member("additionalInfo").and_then(Value::as_array).unwrap_or_default().to_vec();
    failure
}

/// The error that an operation ended with.
pub(crate) fn of_operation(body: &Value, status: &str, id: &str) -> Failure {
    let properties = body.as_object().and_then(|body| body.get("properties"));
    let error = error_of(body).or_else(|| properties.and_then(error_of));
    let mut failure = error.map_or_else(|| Failure::new("", ""), |error| read(error, 0));
    if failure.code.is_empty() {
        failure.code = if status.eq_ignore_ascii_case("canceled") {
            "OperationCanceled"
        } else {
            "ResourceDeploymentFailure"
        }
        .into();
    }
    if failure.message.is_empty() {
        failure.message = format!("the endpoint says of `{id}` that it ended as `{status}`");
    }
    failure.target.get_or_insert_with(|| id.to_owned());
    failure
}

fn code(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "AuthenticationFailed",
        StatusCode::FORBIDDEN => "AuthorizationFailed",
        StatusCode::NOT_FOUND => "NotFound",
        StatusCode::CONFLICT => "Conflict",
        StatusCode::PRECONDITION_FAILED => "PreconditionFailed",
        StatusCode::TOO_MANY_REQUESTS => "TooManyRequests",
        status if status.is_server_error() => "InternalServerError",
        status if status.is_redirection() => "Redirected",
        _ => "BadRequest",
    }
}

#[cfg(test)]
mod tests {
    use hyper::body::Bytes;

    use super::*;

    fn reply(status: u16, body: &str) -> Reply {
        let headers = [("x-ms-correlation-request-id", "c-1"), ("x-ms-request-id", "r-1")];
        Reply {
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers
                .iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect(),
            body: Bytes::from(body.to_owned()),
        }
    }

    #[test]
    fn errors_of_every_spelling_are_read() {
        for (status, body, code, message) in [
            (400, r#"{"error":{"code":"A","message":"m"}}"#, "A", "m"),
            (400, r#"{"Error":{"Code":"A","Message":"m"}}"#, "A", "m"),
            (400, r#"{"code":"A","message":"m"}"#, "A", "m"),
            (400, r#"{"odata.error":{"code":"A","message":{"lang":"en","value":"m"}}}"#, "A", "m"),
            (404, "", "NotFound", "the endpoint answered 404 Not Found"),
            (502, "<html>", "InternalServerError", "the endpoint answered 502 Bad Gateway with `<html>`"),
            (
                400,
                r#"{"error":"text"}"#,
                "BadRequest",
                r#"the endpoint answered 400 Bad Request with `{"error":"text"}`"#,
            ),
        ] {
            let failure = failure(&reply(status, body), "PUT", "/x");
            assert_eq!(failure.code, code, "{body}");
            assert_eq!(failure.message, format!("{message} (correlation id c-1, request id r-1)"), "{body}");
            assert_eq!(failure.target.as_deref(), Some("/x"));
            let info = failure.additional_info.last().unwrap().to_json();
            assert!(
                info.contains(r#""correlationId":"c-1""#) && info.contains(r#""method":"PUT""#),
                "{info}"
            );
        }
    }

    #[test]
    fn details_are_kept() {
        let body =
            r#"{"error":{"code":"A","message":"m","target":"t","details":[{"code":"B","message":"n"}]}}"#;
        let failure = failure(&reply(400, body), "PUT", "/x");
        assert_eq!((failure.target.as_deref(), failure.details[0].code.as_str()), (Some("t"), "B"));
    }

    #[test]
    fn what_to_do_about_a_login_is_said() {
        let failure = failure(&reply(401, ""), "GET", "/x");
        assert!(failure.message.contains("az login"), "{}", failure.message);
    }

    #[test]
    fn operations_say_why_they_failed() {
        let body = parse(r#"{"status":"Failed","error":{"code":"Q","message":"quota"}}"#).unwrap();
        assert_eq!(of_operation(&body, "Failed", "/x").to_string(), "Q: quota");
        let body = parse(r#"{"status":"Canceled"}"#).unwrap();
        assert_eq!(of_operation(&body, "Canceled", "/x").code, "OperationCanceled");
    }
}
