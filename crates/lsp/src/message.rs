//! JSON-RPC: requests, notifications, answers and errors.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How a request is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClientMessage {
    /// Something that is answered.
    Request(Request),
    /// Something that is not.
    Notification(Notification),
    /// The answer to something that the server asked.
    Answer,
}

/// A question of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) id: Id,
    /// The name of the request, such as `textDocument/hover`.
    pub(crate) method: String,
    /// The parameters, not yet read: each request has a form of its own.
    pub(crate) params: Value,
}

/// Something that the client tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Notification {
    /// The name of the notification, such as `textDocument/didChange`.
    pub(crate) method: String,
    /// The parameters, not yet read.
    pub(crate) params: Value,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResponseError {
    /// The kind of error.
    pub(crate) code: ErrorCode,
    /// What is wrong, for the log of the editor.
    pub(crate) message: String,
}

/// The errors of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorCode {
    /// The body is not JSON.
    Parse,
    /// The JSON is not a message, or it comes at the wrong time.
    InvalidRequest,
    /// There is no such method.
    MethodNotFound,
    /// The parameters do not fit the method.
    InvalidParams,
    /// The server made a mistake.
    Internal,
    /// A request before `initialize`.
    NotInitialized,
    /// The request is fine, and it cannot be done.
    RequestFailed,
    /// The client took the request back.
    Cancelled,
    /// Documents changed before the request was answered.
    ContentModified,
}

impl ErrorCode {
    fn number(self) -> i32 {
        match self {
            ErrorCode::Parse => -32700,
            ErrorCode::InvalidRequest => -32600,
            ErrorCode::MethodNotFound => -32601,
            ErrorCode::InvalidParams => -32602,
            ErrorCode::Internal => -32603,
            ErrorCode::NotInitialized => -32002,
            ErrorCode::RequestFailed => -32803,
            ErrorCode::Cancelled => -32800,
            ErrorCode::ContentModified => -32801,
        }
    }
}

impl ResponseError {
    /// An error of this kind.
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> ResponseError {
        ResponseError { code, message: message.into() }
    }

    /// The answer to a request that was taken back.
    pub(crate) fn cancelled() -> ResponseError {
        ResponseError::new(ErrorCode::Cancelled, "the request was cancelled")
    }

    /// The answer to a request that an edit overtook.
    pub(crate) fn stale() -> ResponseError {
        ResponseError::new(ErrorCode::ContentModified, "documents changed before this was answered")
    }
}

impl ClientMessage {
    /// Reads a message; or what to answer to something that is not one, and to which request.
    pub(crate) fn read(body: &[u8]) -> Result<ClientMessage, (Option<Id>, ResponseError)> {
        let value: Value = serde_json::from_slice(body).map_err(|error| {
            (None, ResponseError::new(ErrorCode::Parse, format!("the message is not JSON: {error}")))
        })?;
        let Value::Object(mut members) = value else {
            let message = "a message is a JSON object; there are no batches in this protocol";
            return Err((None, ResponseError::new(ErrorCode::InvalidRequest, message)));
        };
        let id = match members.remove("id") {
            None | Some(Value::Null) => None,
            Some(id) => match serde_json::from_value::<Id>(id) {
                Ok(id) => Some(id),
                Err(_) => {
                    let failure = ResponseError::new(
                        ErrorCode::InvalidRequest,
                        "`id` is neither an integer nor a string",
                    );
                    return Err((None, failure));
                }
            },
        };
        let params = members.remove("params").unwrap_or(Value::Null);
        match (members.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => {
                Ok(ClientMessage::Request(Request { id, method, params }))
            }
            (Some(Value::String(method)), None) => {
                Ok(ClientMessage::Notification(Notification { method, params }))
            }
            (None, Some(_)) if members.contains_key("result") || members.contains_key("error") => {
                Ok(ClientMessage::Answer)
            }
            (_, id) => {
                let message = "a message has a `method`, or an `id` with a `result` or an `error`";
                Err((id, ResponseError::new(ErrorCode::InvalidRequest, message)))
            }
        }
    }
}

/// The text of an answer, given the text of its result.
pub(crate) fn answer(id: Option<&Id>, result: Result<Vec<u8>, ResponseError>) -> Vec<u8> {
    let (name, value) = match result {
        Ok(result) => ("result", result),
        Err(failure) => {
            let error = json!({ "code": failure.code.number(), "message": failure.message });
            ("error", error.to_string().into_bytes())
        }
    };
    // Results can be megabytes of text, which is put together once.
    let mut text = format!(r#"{{"jsonrpc":"2.0","id":{},"{name}":"#, json!(id)).into_bytes();
    text.extend_from_slice(&value);
    text.push(b'}');
    text
}

/// The text of a notification.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct OutgoingNotification<'t, P> {
        jsonrpc: &'static str,
        method: &'t str,
        params: &'t P,
    }
    // Only maps with keys that are not texts fail, and no parameters have one.
    serde_json::to_vec(&OutgoingNotification { jsonrpc: "2.0", method, params }).unwrap_or_default()
}

/// The text of a request of the server.
pub(crate) fn request(id: &str, method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(body: &str, code: ErrorCode, id: Option<Id>) {
        let (found, failure) = ClientMessage::read(body.as_bytes()).unwrap_err();
        assert_eq!((found, failure.code), (id, code));
    }

    #[test]
    fn a_message_is_a_request_a_notification_or_an_answer() {
        let read = |body: &str| ClientMessage::read(body.as_bytes()).unwrap();
        let ClientMessage::Request(request) = read(r#"{"id":"a","method":"m","params":[1]}"#) else {
            panic!()
        };
        assert_eq!((request.id, request.params), (Id::Text("a".to_owned()), json!([1])));
        assert!(matches!(read(r#"{"method":"m"}"#), ClientMessage::Notification(_)));
        assert_eq!(read(r#"{"id":1,"result":null}"#), ClientMessage::Answer);
    }

    #[test]
    fn what_is_not_a_message_is_an_error() {
        refused("{", ErrorCode::Parse, None);
        refused("[]", ErrorCode::InvalidRequest, None);
        refused(r#"{"id":1.5,"method":"m"}"#, ErrorCode::InvalidRequest, None);
        refused(r#"{"id":3}"#, ErrorCode::InvalidRequest, Some(Id::Number(3)));
        refused(r#"{"id":3,"method":4}"#, ErrorCode::InvalidRequest, Some(Id::Number(3)));
        refused(&"[".repeat(10_000), ErrorCode::Parse, None);
    }
}
