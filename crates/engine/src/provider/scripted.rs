//! A provider that answers as a script says, and asks the one behind it where the script has no answer.
//!
//! A script is the `provider` section of a mocks file: rows that name a resource by its id, its symbolic name (also behind those of
//! the modules around it, `site.plan`) or its type, the kind of call, and the answers, which are used in order for each resource; the last one repeats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use arm::Caseless as _;
use arm::{ProvisioningState, Value};
use machine::Failure;
use machine::core::{Act, ProviderCall, ProviderReply, PutRequest, Response};
use machine::records::admit_body;

use super::{Layer, Pending, Provider};

/// Codes of errors that say that a resource is not there.
const MISSING: &[&str] = &["ResourceNotFound", "NotFound"];

/// The kind of call that a row answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    Put,
    Get,
    List,
    Delete,
}

/// The words for them.
const KINDS: &[(&str, On)] =
    &[("put", On::Put), ("get", On::Get), ("list", On::List), ("delete", On::Delete)];

/// What a row says instead of the provider below, or on top of it.
#[derive(Clone, Debug)]
enum Scripted {
    /// It cannot be done.
    Error(Failure),
    /// This, whatever the provider below has.
    Body(Value),
    /// What the provider below says, with this laid over it.
    Merge(Value),
}

#[derive(Clone, Debug)]
struct Row {
    resource: String,
    on: On,
    answers: Vec<Scripted>,
    /// How long a call takes before it is made, in milliseconds of the deployment's clock.
    latency: u64,
}

/// What a provider answers.
#[derive(Clone, Debug, Default)]
pub struct Script {
    rows: Vec<Row>,
}

impl Script {
    /// Reads the `provider` section of a mocks file, or says what is wrong with it.
    pub fn read(section: &Value) -> Result<Script, String> {
        let rows = section.as_array().ok_or("`provider` is a list of answers to calls")?;
        let read =
            |(at, value): (usize, &Value)| row(value).map_err(|why| format!("`provider[{at}]`: {why}"));
        Ok(Script { rows: rows.iter().enumerate().map(read).collect::<Result<_, _>>()? })
    }
}

fn row(value: &Value) -> Result<Row, String> {
    let members = value.as_object().ok_or("an entry is an object")?;
    if let Some((other, _)) = members.iter().find(|(name, _)| {
        !["resource", "on", "answers", "latency"].iter().any(|known| name.eq_ignore_ascii_case(known))
    }) {
        return Err(format!("`{other}` is unknown; there are `resource`, `on`, `answers` and `latency`"));
    }
    let resource = members.get("resource").and_then(Value::as_str).filter(|text| !text.is_empty());
    let resource = resource.ok_or("`resource` is the id, the symbolic name or the type of a resource")?;
    let on = members.get("on").and_then(Value::as_str);
    let on = on.and_then(|on| KINDS.iter().find(|(word, _)| on.eq_ignore_ascii_case(word)));
    let (_, on) = on.ok_or("`on` is `put`, `get`, `list` or `delete`")?;
    let latency = match members.get("latency") {
        None => 0,
        Some(text) => text
            .as_str()
            .and_then(arm::functions::duration_in_milliseconds)
            .ok_or("`latency` is an ISO 8601 duration such as `PT5S`")?,
    };
    let answers = match members.get("answers") {
        None if latency > 0 => &[],
        answers => answers
            .and_then(Value::as_array)
            .filter(|answers| !answers.is_empty())
            .ok_or("`answers` is a list with at least one answer")?,
    };
    let answers = answers.iter().map(|value| answer(*on, value)).collect::<Result<_, _>>()?;
    Ok(Row { resource: resource.to_owned(), on: *on, answers, latency })
}

fn answer(on: On, value: &Value) -> Result<Scripted, String> {
    const WRONG: &str = "an answer has one member: `error` with `code` and `message`, `body` or `merge`";
    let members = value.as_object().filter(|members| members.len() == 1).ok_or(WRONG)?;
    let (name, value) = members.iter().next().ok_or(WRONG)?;
    match name.to_ascii_lowercase().as_str() {
        "error" => {
            let text =
                |name: &str| value.as_object().and_then(|error| error.get(name)).and_then(Value::as_str);
            let code = text("code").filter(|code| !code.is_empty()).ok_or(WRONG)?;
            Ok(Scripted::Error(Failure::new(code, text("message").unwrap_or("as the script says"))))
        }
        // What a resource is, is an object; what a list operation answers may be anything.
        "body" | "merge" if on != On::List && value.as_object().is_none() => {
            Err(format!("`{name}` is an object"))
        }
        "body" => Ok(Scripted::Body(value.clone())),
        "merge" => Ok(Scripted::Merge(value.clone())),
        _ => Err(WRONG.to_owned()),
    }
}

/// A provider with a script in front of it.
pub struct ScriptedProvider {
    below: Arc<dyn Provider>,
    script: Arc<Script>,
    /// How many answers of a row were used for a resource.
    used: Mutex<BTreeMap<(usize, String), usize>>,
    /// By id in lower case the symbolic name, behind those of the modules around it.
    symbols: Mutex<BTreeMap<String, String>>,
    /// The rows that some call was answered by, or waited for.
    followed: Mutex<BTreeSet<usize>>,
}

impl ScriptedProvider {
    /// Puts a script in front of a provider.
    pub fn new(below: Arc<dyn Provider>, script: Arc<Script>) -> ScriptedProvider {
        let (used, symbols, followed) = Default::default();
        ScriptedProvider { below, script, used, symbols, followed }
    }

    /// The rows that no call has come to, by their places.
    pub fn unused_rows(&self) -> Vec<usize> {
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        (0..self.script.rows.len()).filter(|row| !followed.contains(row)).collect()
    }

    /// The row for a call: by id, then by symbolic name with and without those of the modules around it, then by type.
    fn row(&self, on: On, id: &str, kind: &str) -> Option<(usize, &Row)> {
        let symbols = self.symbols.lock().unwrap_or_else(PoisonError::into_inner);
        let symbol = symbols.get(&id.caseless()).map(String::as_str);
        let own = symbol.map(|symbol| symbol.rsplit('.').next().unwrap_or(symbol));
        let names = [Some(id), symbol, own, Some(kind).filter(|kind| !kind.is_empty())];
        let found = names.into_iter().flatten().find_map(|name| {
            let mut rows = self.script.rows.iter().enumerate();
            rows.find(|(_, row)| row.on == on && row.resource.eq_ignore_ascii_case(name))
        })?;
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).insert(found.0);
        Some(found)
    }

    /// The next answer for a call.
    fn next(&self, on: On, id: &str, kind: &str) -> Option<Scripted> {
        let (number, row) = self.row(on, id, kind)?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let count = used.entry((number, id.caseless())).or_default();
        let answer = row.answers.get(*count).or(row.answers.last()).cloned();
        *count += 1;
        answer
    }
}

fn refused(failure: Failure, id: &str) -> ProviderReply {
    ProviderReply::Failed(if failure.target.is_some() { failure } else { failure.target(id) })
}

/// The state in which a service gave a resource up, if it did.
fn ended_badly(body: &Value) -> Option<&str> {
    let is_bad = match ProvisioningState::of(body)? {
        ProvisioningState::Failed | ProvisioningState::Canceled => true,
        ProvisioningState::Accepted | ProvisioningState::Running | ProvisioningState::Succeeded => false,
    };
    ProvisioningState::word_in(body).filter(|_| is_bad)
}

fn not_made(state: &str) -> Failure {
    let message = format!("the service ended its work on the resource in the state '{state}'");
    Failure::new("ResourceDeploymentFailure", message)
}

fn done(body: Value) -> ProviderReply {
    ProviderReply::Done(Response { body, writes: Vec::new() })
}

/// An answer with something laid over what it says.
fn merged(answer: ProviderReply, above: &Value) -> ProviderReply {
    match answer {
        ProviderReply::Done(response) => {
            ProviderReply::Done(Response { body: response.body.merged_with(above), ..response })
        }
        other => other,
    }
}

impl Layer for ScriptedProvider {
    fn inner(&self) -> &dyn Provider {
        &*self.below
    }

    fn rebase_on(&self, below: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(ScriptedProvider::new(below, Arc::clone(&self.script)))
    }

    fn get<'a>(&'a self, id: &'a str, api_version: &'a str) -> Pending<'a> {
        match self.next(On::Get, id, &super::local::kind_of(id)) {
            None => self.below.get(id, api_version),
            Some(Scripted::Error(failure)) => Box::pin(async move {
                if MISSING.iter().any(|code| failure.code.eq_ignore_ascii_case(code)) {
                    return ProviderReply::Missing;
                }
                refused(failure, id)
            }),
            Some(Scripted::Body(body)) => Box::pin(async move { done(body) }),
            Some(Scripted::Merge(above)) => {
                Box::pin(async move { merged(self.below.get(id, api_version).await, &above) })
            }
        }
    }

    fn put<'a>(&'a self, put: &'a PutRequest) -> Pending<'a> {
        match self.next(On::Put, &put.id, &put.kind) {
            None => self.below.put(put),
            Some(Scripted::Error(failure)) => Box::pin(async move { refused(failure, &put.id) }),
            Some(Scripted::Body(body) | Scripted::Merge(body)) if ended_badly(&body).is_some() => {
                Box::pin(async move { refused(not_made(ended_badly(&body).unwrap_or_default()), &put.id) })
            }
            Some(Scripted::Body(body)) => Box::pin(async move {
                match admit_body(&put.id, body) {
                    Ok(body) => self.below.put(&PutRequest { body, ..put.clone() }).await,
                    Err(failure) => ProviderReply::Failed(failure),
                }
            }),
            Some(Scripted::Merge(above)) => {
                Box::pin(async move { merged(self.below.put(put).await, &above) })
            }
        }
    }

    fn delete<'a>(&'a self, id: &'a str) -> Pending<'a> {
        match self.next(On::Delete, id, &super::local::kind_of(id)) {
            Some(Scripted::Error(failure)) => Box::pin(async move { refused(failure, id) }),
            None | Some(Scripted::Body(_) | Scripted::Merge(_)) => self.below.delete(id),
        }
    }

    fn action<'a>(&'a self, act: &'a Act) -> Pending<'a> {
        match self.next(On::List, &act.id, &super::local::kind_of(&act.id)) {
            None => self.below.action(act),
            Some(Scripted::Error(failure)) => Box::pin(async move { refused(failure, &act.id) }),
            Some(Scripted::Body(body)) => Box::pin(async move { done(body) }),
            Some(Scripted::Merge(above)) => {
                Box::pin(async move { merged(self.below.action(act).await, &above) })
            }
        }
    }

    fn latency(&self, call: &ProviderCall) -> u64 {
        let row = match call {
            ProviderCall::Get { id, .. } => self.row(On::Get, id, &super::local::kind_of(id)),
            ProviderCall::Put(put) => self.row(On::Put, &put.id, &put.kind),
            ProviderCall::Delete { id } => self.row(On::Delete, id, &super::local::kind_of(id)),
            ProviderCall::Action(act) => self.row(On::List, &act.id, &super::local::kind_of(&act.id)),
            ProviderCall::List { .. } => None,
        };
        row.map_or_else(|| self.below.latency(call), |(_, row)| row.latency)
    }

    fn register_symbol(&self, symbol: &str, id: &str, deployment: &str) {
        let mut symbols = self.symbols.lock().unwrap_or_else(PoisonError::into_inner);
        let named = match symbols.get(&deployment.caseless()) {
            Some(module) => format!("{module}.{symbol}"),
            None => symbol.to_owned(),
        };
        symbols.insert(id.caseless(), named);
        drop(symbols);
        self.below.register_symbol(symbol, id, deployment);
    }
}
