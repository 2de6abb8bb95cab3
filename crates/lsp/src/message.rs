//! JSON-RPC: requests, notifications, answers and errors.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How a request is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
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
    /// Its id.
    pub(crate) id: Id,
    /// What is asked.
    pub(crate) method: String,
    /// The details.
    pub(crate) params: Value,
}

/// Something that the client tells.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Notification {
    /// What happened.
    pub(crate) method: String,
    /// The details.
    pub(crate) params: Value,
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The kind of error.
    pub(crate) code: Code,
    /// What is wrong.
    pub(crate) message: String,
}

/// The errors of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
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

impl Code {
    fn number(self) -> i32 {
        match self {
            Code::Parse => -32700,
            Code::InvalidRequest => -32600,
            Code::MethodNotFound => -32601,
            Code::InvalidParams => -32602,
            Code::Internal => -32603,
            Code::NotInitialized => -32002,
            Code::RequestFailed => -32803,
            Code::Cancelled => -32800,
            Code::ContentModified => -32801,
        }
    }
}

impl Failure {
    /// An error of this kind.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into() }
    }

    /// The answer to a request that was taken back.
    pub(crate) fn cancelled() -> Failure {
        Failure::new(Code::Cancelled, "the request was cancelled")
    }

    /// The answer to a request that an edit overtook.
    pub(crate) fn stale() -> Failure {
        Failure::new(Code::ContentModified, "documents changed before this was answered")
    }
}

impl Message {
    /// Reads a message; or what to answer to something that is not one, and to which request.
    pub(crate) fn read(body: &[u8]) -> Result<Message, (Option<Id>, Failure)> {
        let value: Value = serde_json::from_slice(body).map_err(|error| {
            (None, Failure::new(Code::Parse, format!("the message is not JSON: {error}")))
        })?;
        let Value::Object(mut members) = value else {
            let message = "a message is a JSON object; there are no batches in this protocol";
            return Err((None, Failure::new(Code::InvalidRequest, message)));
        };
        let id = match members.remove("id") {
            None | Some(Value::Null) => None,
            Some(id) => match serde_json::from_value::<Id>(id) {
                Ok(id) => Some(id),
                Err(_) => {
                    let failure =
                        Failure::new(Code::InvalidRequest, "`id` is neither an integer nor a string");
                    return Err((None, failure));
                }
            },
        };
        let params = members.remove("params").unwrap_or(Value::Null);
        match (members.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Ok(Message::Request(Request { id, method, params })),
            (Some(Value::String(method)), None) => Ok(Message::Notification(Notification { method, params })),
            (None, Some(_)) if members.contains_key("result") || members.contains_key("error") => {
                Ok(Message::Answer)
            }
            (_, id) => {
                let message = "a message has a `method`, or an `id` with a `result` or an `error`";
                Err((id, Failure::new(Code::InvalidRequest, message)))
            }
        }
    }
}

/// The text of an answer, given the text of its result.
pub(crate) fn answer(id: Option<&Id>, result: Result<Vec<u8>, Failure>) -> Vec<u8> {
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
    struct Told<'t, P> {
        jsonrpc: &'static str,
        method: &'t str,
        params: &'t P,
    }
    // Only maps with keys that are not texts fail, and no parameters have one.
    serde_json::to_vec(&Told { jsonrpc: "2.0", method, params }).unwrap_or_default()
}

/// The text of a request of the server.
pub(crate) fn request(id: &str, method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(body: &str, code: Code, id: Option<Id>) {
        let (found, failure) = Message::read(body.as_bytes()).unwrap_err();
        assert_eq!((found, failure.code), (id, code));
    }

    #[test]
    fn a_message_is_a_request_a_notification_or_an_answer() {
        let read = |body: &str| Message::read(body.as_bytes()).unwrap();
        let Message::Request(request) = read(r#"{"id":"a","method":"m","params":[1]}"#) else { panic!() };
        assert_eq!((request.id, request.params), (Id::Text("a".to_owned()), json!([1])));
        assert!(matches!(read(r#"{"method":"m"}"#), Message::Notification(_)));
        assert_eq!(read(r#"{"id":1,"result":null}"#), Message::Answer);
    }

    #[test]
    fn what_is_not_a_message_is_an_error() {
        refused("{", Code::Parse, None);
        refused("[]", Code::InvalidRequest, None);
        refused(r#"{"id":1.5,"method":"m"}"#, Code::InvalidRequest, None);
        refused(r#"{"id":3}"#, Code::InvalidRequest, Some(Id::Number(3)));
        refused(r#"{"id":3,"method":4}"#, Code::InvalidRequest, Some(Id::Number(3)));
        refused(&"[".repeat(10_000), Code::Parse, None);
    }
}
