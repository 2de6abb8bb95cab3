//! What is there before a case runs.

use std::sync::Arc;

use arm::evaluate::Scope;
use arm::{ObjectBuilder, Value};
use contract::Admitted;
use engine::core::{PutRequest, StepPolicy};
use engine::records::admit_body;
use engine::{Engine, Failure, ResourceRecord, StartError};
use smol_str::SmolStr;
use store::{BackupRecord, BatchId, Commit, CommitOutcome, MemoryStore, Page, Resource, RunId, Store, Write};

use crate::calls::kind_of;

/// What the ids of resources begin with that a plane of Radius has.
const PLANES: &str = "/planes/radius/";

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

impl LeftState {
    /// The resources of an export, of which nothing else is there before a case.
    pub(crate) fn admitted(rows: Vec<Admitted<BackupRecord>>) -> LeftState {
        let resource = |row: Admitted<BackupRecord>| match row.into_inner() {
            BackupRecord::Resource(it) if it.id.starts_with('/') || it.id.starts_with("extension/") => {
                Some(it)
            }
            BackupRecord::Resource(_)
            | BackupRecord::Deployment { .. }
            | BackupRecord::Step(_)
            | BackupRecord::Operation(_)
            | BackupRecord::Blob { .. } => None,
        };
        LeftState(rows.into_iter().filter_map(resource).collect())
    }
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
    let api_version = text("apiVersion").map(SmolStr::new).unwrap_or_default();
    let mut body = ObjectBuilder::default();
    for (name, value) in members {
        if !["id", "type", "name", "scope", "apiVersion"].iter().any(|own| name.eq_ignore_ascii_case(own)) {
            body.set(name.clone(), value.clone());
        }
    }
    let mut body = body.finish();
    if id.get(..PLANES.len()).is_some_and(|start| start.eq_ignore_ascii_case(PLANES)) {
        body = of_extension(&id, body);
    }
    let body = admit_body(&id, body).map_err(|failure| in_full(&failure))?;
    let put = PutRequest {
        id: id.into(),
        kind: kind.into(),
        api_version,
        body,
        wanted: StepPolicy::default(),
        extension: None,
    };
    match engine.put_resource(&put).await {
        Ok(_) => Ok(()),
        Err(StartError::Failure(failure)) => Err(in_full(&failure)),
        Err(StartError::State(why) | StartError::Unavailable(why)) => Err(why),
    }
}

/// A resource as a template with an extension writes it: all of it is its properties, and its name one of them.
fn of_extension(id: &str, body: Value) -> Value {
    let mut whole = ObjectBuilder::default();
    let name = id.rsplit('/').next().unwrap_or_default();
    whole.set("name".into(), Value::text(name));
    for (member, value) in body.plain().as_object().into_iter().flatten() {
        whole.set(member.clone(), value.clone());
    }
    Value::object([("properties", whole.finish())])
}

/// What is wrong with a resource, and with which parts of it; what is said of a part of a known type begins with the way to it.
fn in_full(failure: &Failure) -> String {
    let parts = failure.details.iter().map(|part| match &part.target {
        Some(target) if !target.starts_with('/') => format!("\n  {target}: {}", part.message),
        _ => format!("\n  {}", part.message),
    });
    failure.message.clone() + &parts.collect::<String>()
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
}
