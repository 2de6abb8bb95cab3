//! A provider in front of others that writes down what it is asked, and what became of resources.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arm::{Caseless as _, Value};
use engine::core::{Act, ProviderCall, ProviderReply, PutRequest};
use engine::provider::{Layer, Pending, Provider};

/// A call, as asserts see it.
#[derive(Clone, Debug)]
pub(crate) struct CallRecord {
    /// `put`, `get`, `list` or `delete`.
    pub(crate) method: &'static str,
    pub(crate) id: String,
    /// The type; empty if it is not known.
    pub(crate) kind: String,
    pub(crate) body: Value,
    /// The code of the error; none if there was none.
    pub(crate) code: Option<String>,
    /// When it was wanted, in milliseconds.
    pub(crate) at: i64,
    /// The number of the event that it began with.
    pub(crate) begun: i64,
    /// The number of the event that it ended with; none before that.
    pub(crate) ended: Option<i64>,
}

#[derive(Default)]
struct CallLog {
    calls: Vec<CallRecord>,
    events: i64,
    /// What resources became, by id in folded form; nothing stands for what was deleted.
    states: BTreeMap<String, Option<Value>>,
    /// The last moment that was heard of.
    last: Option<i64>,
}

/// The provider that writes down.
pub(crate) struct CallRecorder {
    below: Arc<dyn Provider>,
    log: Mutex<CallLog>,
}

/// What was written down.
pub(crate) struct Recorded {
    pub(crate) calls: Vec<CallRecord>,
    pub(crate) states: BTreeMap<String, Option<Value>>,
}

impl CallRecorder {
    pub(crate) fn new(below: Arc<dyn Provider>) -> CallRecorder {
        CallRecorder { below, log: Mutex::default() }
    }

    /// What was written down so far.
    pub(crate) fn recorded(&self) -> Recorded {
        let log = self.log();
        Recorded { calls: log.calls.clone(), states: log.states.clone() }
    }

    fn log(&self) -> MutexGuard<'_, CallLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, method: &str, id: &str, answer: &ProviderReply) {
        let mut log = self.log();
        log.events += 1;
        let event = log.events;
        let code = match answer {
            ProviderReply::Failed(failure) => Some(failure.code.to_string()),
            ProviderReply::Missing => Some("ResourceNotFound".to_owned()),
            ProviderReply::Done(_) | ProviderReply::Running { .. } => None,
        };
        let is_it = |call: &&mut CallRecord| call.ended.is_none() && call.method == method && call.id == id;
        if let Some(call) = log.calls.iter_mut().find(is_it) {
            call.ended = Some(event);
            call.code = code;
        }
        if let ProviderReply::Done(response) = answer {
            match method {
                "put" => drop(log.states.insert(id.caseless(), Some(response.body.clone()))),
                "delete" => drop(log.states.insert(id.caseless(), None)),
                _ => {}
            }
        }
    }
}

/// The type in an id; empty if there is none.
pub(crate) fn kind_of(id: &str) -> String {
    let Some((_, rest)) = id.rsplit_once("/providers/") else {
        let parts: Vec<&str> = id.split('/').collect();
        return match parts.as_slice() {
            ["", "subscriptions", _, groups, _] if groups.eq_ignore_ascii_case("resourceGroups") => {
                "Microsoft.Resources/resourceGroups".to_owned()
            }
            _ => String::new(),
        };
    };
    let mut parts = rest.split('/');
    let mut kind = parts.next().unwrap_or_default().to_owned();
    while let (Some(part), Some(_)) = (parts.next(), parts.next()) {
        kind.push('/');
        kind.push_str(part);
    }
    kind
}

impl Layer for CallRecorder {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    /// A trial is not written down.
    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        below
    }

    fn issued(&self, call: &ProviderCall, now: i64) {
        let (method, id, kind, body) = match call {
            ProviderCall::Get { id, .. } => ("get", id, kind_of(id), Value::Null),
            ProviderCall::Put(put) => ("put", &put.id, put.kind.to_string(), put.body.get().clone()),
            ProviderCall::Delete { id } => ("delete", id, kind_of(id), Value::Null),
            ProviderCall::Action(act) => {
                let body = engine::records::parse(&act.body).unwrap_or(Value::Null);
                ("list", &act.id, kind_of(&act.id), body)
            }
            // It asks what is there for the engine itself.
            ProviderCall::List { .. } => return self.below.issued(call, now),
        };
        {
            let mut log = self.log();
            log.events += 1;
            log.last = Some(now);
            let begun = log.events;
            let (id, code, ended) = (id.to_string(), None, None);
            log.calls.push(CallRecord { method, id, kind, body, code, at: now, begun, ended });
        }
        self.below.issued(call, now);
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.below.get(id, api_version).await;
            self.end("get", id, &answer);
            answer
        })
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.below.put(put).await;
            self.end("put", &put.id, &answer);
            answer
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.below.delete(id).await;
            self.end("delete", id, &answer);
            answer
        })
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        Box::pin(async move {
            let answer = self.below.action(act).await;
            self.end("list", &act.id, &answer);
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_a_type() {
        for (id, kind) in [
            ("/subscriptions/s/resourceGroups/g/providers/A.B/c/d", "A.B/c"),
            ("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f", "A.B/c/e"),
            ("/a/providers/A.B/c/d/providers/E.F/g/h", "E.F/g"),
            ("/subscriptions/s/resourceGroups/g", "Microsoft.Resources/resourceGroups"),
            ("/subscriptions/s", ""),
        ] {
            assert_eq!(kind_of(id), kind, "{id}");
        }
    }
}
