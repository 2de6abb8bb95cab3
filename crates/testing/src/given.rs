//! What is there before a case runs.

use std::sync::Arc;

use arm::evaluate::Scope;
use arm::{ObjectBuilder, Value};
use engine::core::{PutRequest, StepPolicy};
use engine::records::{admit_body, parse};
use engine::{Engine, ResourceRecord, StartError};
use smol_str::SmolStr;
use store::{BatchId, Commit, CommitOutcome, MemoryStore, Page, Resource, RunId, Store, Write};

use crate::calls::kind_of;

/// The state that a test left, for those that come after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftState(Vec<Resource>);

impl LeftState {
    /// What a store has.
    pub(crate) fn of(store: &dyn Store) -> Result<LeftState, String> {
        store.resources("", Page::ALL).map(LeftState).map_err(|error| error.to_string())
    }

    /// What each resource was, by its id.
    pub(crate) fn records(&self) -> Vec<(&str, ResourceRecord)> {
        let read = |it: &Resource| ResourceRecord::from_store(it).ok();
        self.0.iter().filter_map(|it| Some((it.id.as_str(), read(it)?))).collect()
    }

    /// Puts everything into an empty store.
    pub(crate) fn restore(&self, store: &MemoryStore) -> Result<(), String> {
        write(store, self.0.clone())
    }
}

fn write(store: &MemoryStore, resources: Vec<Resource>) -> Result<(), String> {
    if resources.is_empty() {
        return Ok(());
    }
    let writes = resources.into_iter().map(Write::Resource).collect();
    let id = BatchId { run: RunId(0), number: 0 };
    let commit = Commit { id, fence: None, conditions: Vec::new(), writes };
    match store.commit(&[commit]).pop() {
        Some(CommitOutcome::Committed) => Ok(()),
        other => Err(format!("the state was not written: {other:?}")),
    }
}

/// The rows of a file that `tendon state export` wrote.
pub(crate) fn of_export(text: &str) -> Result<LeftState, String> {
    let mut resources = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |why: &str| format!("line {}: {why}", number + 1);
        let row = parse(line).map_err(|error| wrong(&error.to_string()))?;
        let Some(members) = row.as_object() else { return Err(wrong("it is not an object")) };
        if number == 0 && members.get("tendon").and_then(Value::as_str) != Some("state") {
            return Err("it does not begin as what `tendon state export` writes".to_owned());
        }
        let Some(resource) = members.get("resource").and_then(Value::as_object) else { continue };
        let text = |name: &str| resource.get(name).and_then(Value::as_str).map(str::to_owned);
        let format = match resource.get("format") {
            Some(Value::Int(format)) => u16::try_from(*format).ok(),
            _ => None,
        };
        let row = text("id").zip(text("body")).zip(format);
        let ((id, body), format) = row.ok_or_else(|| wrong("a resource has `id`, `format` and `body`"))?;
        if !id.starts_with('/') && !id.starts_with("extension/") {
            continue;
        }
        resources.push(Resource { id, version: 1, format, body });
    }
    Ok(LeftState(resources))
}

/// Puts a resource that is written in a test.
pub(crate) async fn put(engine: &Arc<Engine>, scope: &Scope, value: &Value) -> Result<(), String> {
    let wrong = "a resource of `given` has `type` and `name`, or `id`";
    let members = value.plain().as_object().ok_or("a resource of `given` must be an object")?;
    let text = |name: &str| members.get(name).map(Value::plain).and_then(Value::as_str);
    let (id, kind) = match (text("id"), text("type"), text("name")) {
        (Some(id), kind, _) if id.starts_with('/') => {
            (id.to_owned(), kind.map_or_else(|| kind_of(id), str::to_owned))
        }
        (Some(id), ..) => return Err(format!("`{id}` is not the id of a resource")),
        (None, Some(kind), Some(name)) => {
            let below = text("scope")
                .map_or_else(|| scope.id().to_string(), |it| it.trim_end_matches('/').to_owned());
            (id_of(&below, kind, name)?, kind.to_owned())
        }
        _ => return Err(wrong.to_owned()),
    };
    let mut body = ObjectBuilder::default();
    for (name, value) in members {
        if !["id", "type", "name", "scope", "apiVersion"].iter().any(|own| name.eq_ignore_ascii_case(own)) {
            body.set(name.clone(), value.clone());
        }
    }
    let body = admit_body(&id, body.finish()).map_err(|failure| failure.message)?;
    let put = PutRequest {
        id: id.into(),
        kind: kind.into(),
        api_version: text("apiVersion").map(SmolStr::new).unwrap_or_default(),
        body,
        wanted: StepPolicy::default(),
        extension: None,
    };
    match engine.put_resource(&put).await {
        Ok(_) => Ok(()),
        Err(StartError::Failure(failure)) => Err(failure.message),
        Err(StartError::State(why) | StartError::Unavailable(why)) => Err(why),
    }
}

/// The id of a resource by its type and name, each with those of its parents.
fn id_of(below: &str, kind: &str, name: &str) -> Result<String, String> {
    let (mut types, mut names) = (kind.split('/'), name.split('/'));
    let namespace = types.next().unwrap_or_default();
    if kind.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups") {
        return Ok(format!("{below}/resourceGroups/{name}"));
    }
    let mut id = format!("{below}/providers/{namespace}");
    loop {
        match (types.next(), names.next()) {
            (Some(kind), Some(name)) if !kind.is_empty() && !name.is_empty() => {
                id.push_str(&format!("/{kind}/{name}"));
            }
            (None, None) if id.contains("/providers/") && kind.contains('/') => return Ok(id),
            _ => return Err(format!("the name `{name}` has not as many parts as the type `{kind}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_made_of_type_and_name() {
        assert_eq!(id_of("/s", "A.B/c", "x").unwrap(), "/s/providers/A.B/c/x");
        assert_eq!(id_of("/s", "A.B/c/d", "x/y").unwrap(), "/s/providers/A.B/c/x/d/y");
        assert_eq!(id_of("/s", "Microsoft.Resources/resourceGroups", "g").unwrap(), "/s/resourceGroups/g");
        assert!(id_of("/s", "A.B/c/d", "x").is_err());
        assert!(id_of("/s", "A.B", "x").is_err());
    }

    #[test]
    fn an_export_has_resources() {
        let text = "{\"tendon\":\"state\",\"version\":1}\n{\"resource\":{\"id\":\"/a\",\"version\":3,\"format\":1,\"body\":\"{\\\"body\\\":{\\\"x\\\":1}}\"}}\n{\"end\":{\"rows\":1}}\n";
        let state = of_export(text).unwrap();
        let records = state.records();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].1.body().to_json(), r#"{"x":1}"#);
        assert!(of_export("{}\n").is_err());
        assert!(of_export("{\"tendon\":\"state\"}\n{\"resource\":{}}\n").unwrap_err().contains("line 2"));
    }
}
