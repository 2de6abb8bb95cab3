//! What is kept, for people who look at it: deployments and resources, listed, and found by an id or by the name of a deployment.
//!
//! Whoever looks may not see everything, so each function takes a [`Sight`].

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::Caseless as _;
use arm::deployment::Links;
use arm::{ProvisioningState, Value};
use machine::Failure;
use machine::records::ResourceRecord;
use machine::records::{
    DeploymentRecord, INPUTS, LoadError, OperationRecord, TEMPLATE, damaged, deployment_id, link_blob, parse,
};
use store::{Deployment, DeploymentKey, Operation, Page, Resource, ResourceId, Status, Store};

use crate::deploy::StartError;
use crate::program::together;
use crate::stored_inputs;
use crate::stored_inputs::Unusable;

/// A part of a listing ends after so many bytes.
const MOST_BYTES: usize = 4 << 20;
/// What is shown of a deployment together has at most so many.
const MOST_SHOWN: usize = 16 << 20;
/// What has more bytes is listed without its large parts, which are those with more than so many.
const LARGE: usize = 64 << 10;
const LARGE_PART: u64 = 8 << 10;

/// Whether somebody may see what has an id.
pub type Sight<'s> = &'s dyn Fn(&str) -> bool;

/// The sight of somebody who may read the whole state.
pub const EVERYTHING: Sight<'static> = &|_| true;

/// A part of a listing.
#[derive(Debug, Default)]
pub struct Listed {
    /// What may be seen of it.
    pub items: Vec<Value>,
    /// Where the next part starts; none if this is the last.
    pub next: Option<usize>,
}

/// What an id or a name stands for.
#[derive(Debug)]
pub enum StateItem {
    /// A deployment and what belongs to it.
    Deployment(Box<Deployment>),
    /// A resource as it was last written.
    Resource(Resource),
}

impl StateItem {
    /// The id of the deployment or of the resource.
    pub fn id(&self) -> String {
        match self {
            StateItem::Deployment(deployment) => id_of(&deployment.key),
            StateItem::Resource(resource) => resource.id.clone(),
        }
    }

    /// Whether it is a deployment that is under way.
    pub fn is_active(&self) -> bool {
        matches!(self, StateItem::Deployment(deployment) if deployment.status == Status::Active)
    }

    /// The whole of it: a resource as its provider shows it, a deployment with what was done for it.
    pub fn shown(&self, store: &dyn Store) -> Result<Value, StartError> {
        match self {
            StateItem::Deployment(deployment) => with_operations(store, deployment),
            StateItem::Resource(resource) => Ok(body_of(resource)?),
        }
    }
}

fn id_of(key: &DeploymentKey) -> String {
    deployment_id(key.scope(), key.name())
}

/// Whether an id is another one, or below it; everything is below an empty one.
fn is_below(id: &str, above: &str) -> bool {
    let (id, above) = (id.caseless(), above.trim_end_matches('/').caseless());
    id.strip_prefix(&above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The body of a resource that is kept.
fn body_of(resource: &Resource) -> Result<Value, LoadError> {
    Ok(ResourceRecord::from_store(resource)?.body().clone())
}

/// The deployments in scopes below an id, the newest first.
pub fn deployments(
    store: &dyn Store,
    below: &str,
    page: Page,
    sight: Sight<'_>,
) -> Result<Listed, StartError> {
    let is_shown = |it: &Deployment| is_below(it.key.scope(), below) && sight(&id_of(&it.key));
    let item = |it: &Deployment| parse(&it.body).unwrap_or_else(|why| damaged(&id_of(&it.key), &why));
    let read = |page| Ok(store.deployments(None, page)?);
    listed(page, read, |it| it.body.len(), |it| is_shown(it).then(|| in_list(it.body.len(), item(it))))
}

/// The resources below an id, in the order of their ids.
pub fn resources(store: &dyn Store, below: &str, page: Page, sight: Sight<'_>) -> Result<Listed, StartError> {
    // Ids begin with a slash; what else is kept is the server's.
    let is_shown = |id: &str| id.starts_with('/') && is_below(id, below) && sight(id);
    let item = |it: &Resource| body_of(it).unwrap_or_else(|why| damaged(&it.id, &why));
    let read = |page| Ok(store.resources(below.trim_end_matches('/'), page)?);
    listed(page, read, |it| it.body.len(), |it| is_shown(&it.id).then(|| in_list(it.body.len(), item(it))))
}

/// What a list shows of something: what is large only with its small parts.
fn in_list(bytes: usize, value: Value) -> Value {
    if bytes <= LARGE {
        return value;
    }
    let is_small = |value: &Value| value.written() <= LARGE_PART;
    let Some(members) = value.as_object() else { return Value::Null };
    let shown = members.iter().filter_map(|(name, value)| match value.as_object() {
        Some(parts) if name.eq_ignore_ascii_case("properties") => {
            let parts = parts.iter().filter(|(_, part)| is_small(part)).cloned();
            Some((name.clone(), Value::object(parts)))
        }
        _ => is_small(value).then(|| (name.clone(), value.clone())),
    });
    Value::object(shown)
}

/// How many operations are read to find a symbolic name.
const MOST_SCANNED: usize = 100_000;

/// How many ids a message about an ambiguous name has.
const MOST_NAMED: usize = 5;

/// How many rows are read at first, and of large ones always.
const FEW: usize = 1;

/// A part of a listing: as many rows as it may have, or fewer if they are large.
fn listed<T>(
    page: Page,
    read: impl Fn(Page) -> Result<Vec<T>, StartError>,
    size: impl Fn(&T) -> usize,
    item: impl Fn(&T) -> Option<Value>,
) -> Result<Listed, StartError> {
    let (mut items, mut count, mut bytes, mut step) = (Vec::new(), 0_usize, 0_usize, FEW);
    loop {
        let take = step.min(page.take.saturating_sub(count));
        let rows = read(Page { skip: page.skip.saturating_add(count), take })?;
        let more: usize = rows.iter().map(&size).sum();
        (count, bytes) = (count + rows.len(), bytes + more);
        items.extend(rows.iter().filter_map(&item));
        let next = page.skip.saturating_add(count);
        if rows.len() < take {
            return Ok(Listed { items, next: None });
        }
        if count >= page.take || bytes > MOST_BYTES {
            return Ok(Listed { items, next: Some(next) });
        }
        step = if more < MOST_BYTES / 64 { step.saturating_mul(2) } else { FEW };
    }
}

/// What the id of a resource or of a deployment, the name of a deployment, or the symbolic name of a resource stands for.
///
/// A symbolic name is one that a deployment in the state has for a resource that still exists.
pub fn find(store: &dyn Store, id: &str, sight: Sight<'_>) -> Result<StateItem, StartError> {
    let resource = store.resource(&ResourceId::new(id))?;
    if let Some(resource) = resource.filter(|it| it.id.starts_with('/') && sight(&it.id)) {
        return Ok(StateItem::Resource(resource));
    }
    let lower = id.caseless();
    if let Some((scope, name)) = lower.rsplit_once(&deployment_id("", "").caseless())
        && let Some(found) = store.deployment(&DeploymentKey::new(scope, name))?
        && sight(&id_of(&found.key))
    {
        return Ok(StateItem::Deployment(Box::new(found)));
    }
    let mut found: Option<Deployment> = None;
    for deployment in store::scan_deployments(store, None) {
        let deployment = deployment?;
        if deployment.key.name() != lower || !sight(&id_of(&deployment.key)) {
            continue;
        }
        if found.is_some() {
            let message = format!("several deployments are named `{id}`; give the whole id of one");
            return Err(StartError::Failure(Failure::new("AmbiguousName", message)));
        }
        found = Some(deployment);
    }
    match found {
        Some(found) => Ok(StateItem::Deployment(Box::new(found))),
        None => find_by_symbol(store, id, sight).map(StateItem::Resource),
    }
}

/// The only resource that deployments have a symbolic name for.
fn find_by_symbol(store: &dyn Store, name: &str, sight: Sight<'_>) -> Result<Resource, StartError> {
    let mut found: BTreeMap<String, Resource> = BTreeMap::new();
    // An id has slashes, a name has none.
    let is_name = !name.is_empty() && !name.contains('/');
    let mut scanned = 0;
    for deployment in store::scan_deployments(store, None).take_while(|_| is_name) {
        for operation in store::scan_operations(store, deployment?.run) {
            scanned += 1;
            if scanned > MOST_SCANNED {
                let message = format!(
                    "there are too many deployments to find `{name}` by its symbolic name; give its id"
                );
                return Err(StartError::Failure(Failure::new("AmbiguousName", message)));
            }
            let Ok(record) = OperationRecord::from_store(&operation?.body) else { continue };
            let Some(target) = record.target else { continue };
            let is_it = target.symbolic_name.as_deref().is_some_and(|symbol| is_symbol(symbol, name));
            if !is_it || !target.id.starts_with('/') || found.contains_key(&target.id.caseless()) {
                continue;
            }
            let resource = store.resource(&ResourceId::new(&target.id))?;
            if let Some(resource) = resource.filter(|resource| sight(&resource.id)) {
                found.insert(target.id.caseless(), resource);
            }
        }
    }
    let ids: Vec<String> = found.values().take(MOST_NAMED).map(|it| format!("`{}`", it.id)).collect();
    match (found.len(), found.into_values().next()) {
        (1, Some(one)) => Ok(one),
        (0, _) | (_, None) => {
            let message = format!(
                "no deployment, resource or symbolic name `{name}` exists; list them with `tendon state list`"
            );
            Err(StartError::Failure(Failure::new("NotFound", message)))
        }
        (count, Some(_)) => {
            let message =
                format!("`{name}` is the name of {count} resources; give the id of one: {}", ids.join(", "));
            Err(StartError::Failure(Failure::new("AmbiguousName", message)))
        }
    }
}

/// Whether the symbolic name of a resource is a name: with or without the resources around it, and the place in its loop.
fn is_symbol(symbol: &str, name: &str) -> bool {
    let own = symbol.rsplit("::").next().unwrap_or(symbol);
    let of_loop = own.split_once('[').map_or(own, |(of_loop, _)| of_loop);
    [symbol, own, of_loop].contains(&name)
}

/// What a kept deployment deploys, for people who look at it: secrets are not known. None if it is a deployment inside another one, which is
/// kept with that one.
pub fn deployed(
    store: &Arc<dyn Store>,
    deployment: &Deployment,
) -> Result<Option<arm::deployment::Deployment>, StartError> {
    let run = deployment.run;
    let Some(inputs) = store.blob(run, INPUTS)? else { return Ok(None) };
    let inputs = parse(&String::from_utf8_lossy(&inputs))?;
    let template = store.blob(run, TEMPLATE)?;
    let record = DeploymentRecord::from_store(&deployment.body)?;
    let shown = record.parameters.unwrap_or(Value::Null);
    let kept = Arc::clone(store);
    let links = Links::new(move |address| {
        let bytes = kept.blob(run, &link_blob(&address.key())).ok().flatten()?;
        String::from_utf8(bytes).ok().map(Into::into)
    });
    let template = template.as_deref().map(String::from_utf8_lossy);
    match stored_inputs::thaw_for_looking(template.as_deref(), &inputs, &shown, links) {
        Ok(deployed) => Ok(Some(deployed)),
        Err(Unusable::Unreadable) => Ok(None),
        Err(Unusable::Refused(errors)) => Err(StartError::Failure(together(errors))),
    }
}

/// The versions of APIs that the template of a kept deployment names, by types: what was put with one is deleted with it.
pub fn api_versions(
    store: &Arc<dyn Store>,
    deployment: &Deployment,
) -> Result<Vec<(String, String)>, StartError> {
    let Some(template) = store.blob(deployment.root, TEMPLATE)? else { return Ok(Vec::new()) };
    // A template by hand may have comments; then the types that are known have to do.
    let Ok(template) = parse(&String::from_utf8_lossy(&template)) else { return Ok(Vec::new()) };
    let mut versions = Vec::new();
    let mut open = vec![&template];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.items()),
            Value::Object(members) => {
                let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
                versions.extend(text("type").filter(|kind| kind.contains('/')).zip(text("apiVersion")));
                open.extend(members.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    Ok(versions)
}

/// How the steps of a deployment, and of those inside it, ended: ids, and whether they succeeded.
pub fn ends(store: &dyn Store, deployment: &Deployment) -> Result<Vec<(String, bool)>, StartError> {
    let mut ends = Vec::new();
    for run in store.runs(deployment.root)? {
        for operation in store::scan_operations(store, run.run) {
            let record = OperationRecord::from_store(&operation?.body)?;
            let succeeded = record.state == ProvisioningState::Succeeded;
            ends.extend(record.target.map(|target| (target.id.into(), succeeded)));
        }
    }
    Ok(ends)
}

/// A deployment with what was done for it.
fn with_operations(store: &dyn Store, deployment: &Deployment) -> Result<Value, StartError> {
    let record = parse(&deployment.body)?;
    let operation = |operation: &Operation| -> Result<Value, LoadError> {
        Ok(Value::object([
            ("operationId", Value::text(format!("{:08X}", operation.number))),
            ("properties", parse(&operation.body)?),
        ]))
    };
    let (mut operations, mut bytes) = (Vec::new(), deployment.body.len());
    for found in store::scan_operations(store, deployment.run) {
        let found = found?;
        bytes += found.body.len();
        if bytes > MOST_SHOWN {
            let message = "the deployment and what was done for it are too large to be shown together; ask for the deployment and its operations one by one";
            return Err(StartError::Failure(Failure::new("ResponseTooLarge", message)));
        }
        operations.push(operation(&found)?);
    }
    let members = record.as_object().into_iter().flatten().cloned();
    Ok(Value::object(members.chain([("operations".into(), Value::array(operations))])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_does_not_end_a_list() {
        use store::{Backup as _, BackupRecord, MemoryStore};
        let store = MemoryStore::new();
        let row = |id: &str, body: &str| {
            let row = BackupRecord::Resource(Resource {
                id: id.to_owned(),
                version: 1,
                format: 1,
                body: body.to_owned(),
            });
            Ok(contract::OpenTerms::admit(contract::Boundary::ImportedRecord, row))
        };
        let rows = [
            row("/a/providers/N.S/t/one", "{\"body\":"),
            row("/a/providers/N.S/t/two", r#"{"body":{"id":"two"}}"#),
        ];
        store.import(&mut rows.into_iter(), false).unwrap();
        let listed = resources(&store, "", Page::ALL, EVERYTHING).unwrap();
        let text: Vec<String> = listed.items.iter().map(Value::to_json).collect();
        assert!(text[0].starts_with(r#"{"id":"/a/providers/N.S/t/one","name":"one","type":"N.S/t","error":{"code":"DamagedRecord""#), "{text:?}");
        assert_eq!(text[1], r#"{"id":"two"}"#);
    }

    #[test]
    fn a_symbolic_name_has_no_need_of_what_is_around_it() {
        for (symbol, name) in
            [("a", "a"), ("a::b", "b"), ("a::b", "a::b"), ("a[3]", "a"), ("a[3]", "a[3]"), ("a::b[0]", "b")]
        {
            assert!(is_symbol(symbol, name), "{symbol} {name}");
        }
        for (symbol, name) in [("a::b", "a"), ("a", "A"), ("ab", "a"), ("a[3]", "a[2]")] {
            assert!(!is_symbol(symbol, name), "{symbol} {name}");
        }
    }

    #[test]
    fn below_ends_between_two_parts() {
        for (id, above) in [("/a/b", ""), ("/a/b", "/A"), ("/a/b", "/a/"), ("/a", "/a"), ("/a/b", "/")] {
            assert!(is_below(id, above), "{id} {above}");
        }
        for (id, above) in [("/ab", "/a"), ("/a", "/a/b"), ("/b/a", "/a")] {
            assert!(!is_below(id, above), "{id} {above}");
        }
    }
}
