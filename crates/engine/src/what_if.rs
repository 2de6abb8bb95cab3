//! What a deployment would do: it is run, on resources that are never kept, and what changed is told.
//!
//! The prediction and the deployment are the same code, so that they agree by construction: the machine, the plan and the local
//! provider are those of a real run; only the store of the run is in memory, and what the provider changes is not written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::Caseless as _;
use arm::Value;
use arm::deployment::{Deployment, Diagnostic, Mode};
use arm::evaluate::Scope;
use store::{MemoryStore, Page, ResourceId};
use tokio::sync::mpsc::unbounded_channel;

use crate::core::{End, Program, Progress};
use crate::deploy::{Accepted, Engine, Refused};
use crate::program::{PlanProgram, scope_id};
use crate::provider::{Trial, Unconditional};
use crate::records::parse;
use crate::runtime::{Clock, Watcher};
use crate::{Failure, ResourceRecord};

/// What would be done to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// It would be deleted.
    Delete,
    /// It would be made.
    Create,
    /// Some of it would be other than now.
    Modify,
    /// It would be put as it is.
    NoChange,
    /// It is there, and the deployment does not name it.
    Ignore,
}

impl ChangeKind {
    /// The word of the REST API.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Delete => "Delete",
            ChangeKind::Create => "Create",
            ChangeKind::Modify => "Modify",
            ChangeKind::NoChange => "NoChange",
            ChangeKind::Ignore => "Ignore",
        }
    }

    /// The sign that people know from other tools.
    pub fn sign(self) -> char {
        match self {
            ChangeKind::Delete => '-',
            ChangeKind::Create => '+',
            ChangeKind::Modify => '~',
            ChangeKind::NoChange => '=',
            ChangeKind::Ignore => '*',
        }
    }
}

/// How many diagnostics are told.
const MOST_TOLD: usize = 1000;

/// What would be done to one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its id.
    pub id: String,
    /// What would be done.
    pub kind: ChangeKind,
    /// What it is now, without secrets.
    pub before: Option<Value>,
    /// What it would be, without secrets.
    pub after: Option<Value>,
    /// What differs.
    pub delta: Vec<Delta>,
    /// Whether it stays as it is because an option says so.
    pub left_alone: bool,
    /// The options that have to do with it, as the template writes them: all of it, or the one that leaves it alone.
    pub options: Vec<String>,
}

/// A property that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    /// The way to it, with dots.
    pub path: String,
    /// What it is now; nothing if it is not there.
    pub before: Option<Value>,
    /// What it would be; nothing if it would not be there.
    pub after: Option<Value>,
    /// Whether the two are secrets, of which only digests were compared.
    pub secret: bool,
}

/// A prediction.
#[derive(Debug)]
pub struct WhatIf {
    /// The changes, by kind and id.
    pub changes: Vec<Change>,
    /// Why the deployment would fail, if it would.
    pub failure: Option<Failure>,
    /// What else there is to say.
    pub diagnostics: Vec<Diagnostic>,
}

impl Engine {
    /// Predicts a deployment.
    pub async fn what_if(&self, deployment: Arc<Deployment>, mode: Mode) -> Result<WhatIf, Refused> {
        let group = match &deployment.context().scope {
            scope @ Scope::ResourceGroup { .. } => Some(format!("{}/providers/", scope_id(scope))),
            _ => None,
        };
        let Some(Trial { provider, changes: local }) = self.provider.trial() else {
            return Err(Refused::State("the provider cannot say what would change".to_owned()));
        };
        let trial = Engine {
            store: Arc::new(MemoryStore::new()),
            key: self.key.clone(),
            provider: Arc::new(Unconditional(provider)),
            settings: self.settings,
            clock: Clock::Virtual,
        };
        let accepted = trial.accept(deployment, mode)?;
        let (_open, cancel) = unbounded_channel();
        let mut left_alone = LeftAlone::new(&accepted);
        let ended = trial.run(accepted, cancel, &mut left_alone).await?;
        let failure = match ended.end {
            End::Failed(failure) => Some(failure),
            End::Succeeded(_) | End::Canceled | End::Lost => None,
        };
        let mut changes = Vec::new();
        let mut named = BTreeSet::new();
        for (id, after) in local.changed_ids() {
            let before =
                self.store.resource(&id)?.map(|kept| ResourceRecord::parse(&kept.body)).transpose()?;
            named.insert(id.as_str().to_owned());
            let mut changed = change(id.as_str(), before.as_ref(), after.as_ref());
            if let Some(change) = &mut changed {
                change.options = left_alone.options.remove(&change.id.caseless()).unwrap_or_default();
            }
            changes.extend(changed);
        }
        for (id, option) in left_alone.ids {
            if named.insert(id.caseless()) {
                let kept = self.store.resource(&ResourceId::new(&id))?;
                // A deployment is not a resource of its own: it has nothing to show.
                let body = match &kept {
                    Some(kept) => Some(ResourceRecord::parse(&kept.body)?.body().clone()),
                    None => None,
                };
                let id = kept.map_or(id, |kept| kept.id);
                let (kind, delta) = (ChangeKind::NoChange, Vec::new());
                let (before, after) = (body.clone(), body);
                let options = vec![option];
                changes.push(Change { id, kind, before, after, delta, left_alone: true, options });
            }
        }
        if let Some(group) = group {
            for resource in self.store.resources(&group, Page::ALL)? {
                if !named.contains(&resource.id.caseless()) {
                    let body = part(&parse(&resource.body)?, "body");
                    let (id, kind) = (resource.id, ChangeKind::Ignore);
                    let (before, after, delta) = (body.clone(), body, Vec::new());
                    let (left_alone, options) = (false, Vec::new());
                    changes.push(Change { id, kind, before, after, delta, left_alone, options });
                }
            }
        }
        changes.sort_by(|one, other| (one.kind, &one.id).cmp(&(other.kind, &other.id)));
        Ok(WhatIf { changes, failure, diagnostics: left_alone.diagnostics })
    }
}

/// Collects the resources for which nothing was done, because they were there.
struct LeftAlone {
    programs: BTreeMap<usize, Arc<dyn Program>>,
    /// With the option that says so.
    ids: Vec<(String, String)>,
    /// The options of the other steps, by id in lower case.
    options: BTreeMap<String, Vec<String>>,
    /// Of all deployments, each once.
    diagnostics: Vec<Diagnostic>,
}

impl LeftAlone {
    fn new(accepted: &Accepted) -> LeftAlone {
        let program: Arc<dyn Program> = Arc::<PlanProgram>::clone(&accepted.program);
        let diagnostics = program.diagnostics().to_vec();
        LeftAlone {
            programs: BTreeMap::from([(0, program)]),
            ids: Vec::new(),
            options: BTreeMap::new(),
            diagnostics,
        }
    }
}

impl Watcher for LeftAlone {
    fn see(&mut self, progress: &Progress, _: i64) {
        match progress {
            Progress::Began { run, inside, .. } => {
                add_new(&mut self.diagnostics, inside.0.diagnostics());
                self.programs.insert(*run, Arc::clone(&inside.0));
            }
            Progress::Ended { step: (run, step), skipped: true, .. } => {
                let found = self.programs.get(run).and_then(|program| {
                    let option = program.left_alone_by(*step)?;
                    Some((program.subject(*step).0.to_owned(), option.to_owned()))
                });
                self.ids.extend(found);
            }
            Progress::Ended { step: (run, step), .. } => {
                let Some(program) = self.programs.get(run) else { return };
                let options: Vec<String> = program.options(*step).into_iter().map(str::to_owned).collect();
                if !options.is_empty() {
                    self.options.insert(program.subject(*step).0.caseless(), options);
                }
            }
            Progress::Started { .. }
            | Progress::Waiting { .. }
            | Progress::NotStarted { .. }
            | Progress::Deleted { .. } => {}
        }
    }
}

/// Adds what is not there yet.
pub fn add_new(known: &mut Vec<Diagnostic>, more: &[Diagnostic]) {
    for diagnostic in more {
        // There are few of them: a deployment with very many is told of the first ones.
        if known.len() < MOST_TOLD && !known.contains(diagnostic) {
            known.push(diagnostic.clone());
        }
    }
}

fn part(kept: &Value, name: &str) -> Option<Value> {
    kept.as_object().and_then(|kept| kept.get(name)).cloned()
}

/// What became of a resource; nothing if it was not there and is not there.
pub(crate) fn change(
    key: &str,
    before: Option<&ResourceRecord>,
    after: Option<&ResourceRecord>,
) -> Option<Change> {
    let body = |record: Option<&ResourceRecord>| record.map(|record| record.body().clone());
    let (old, new) = (body(before), body(after));
    let spelled = |body: &Option<Value>| {
        body.as_ref().and_then(|body| part(body, "id")).and_then(|id| id.as_str().map(str::to_owned))
    };
    let id = spelled(&new).or_else(|| spelled(&old)).unwrap_or_else(|| key.to_owned());
    let mut delta = Vec::new();
    let kind = match (&old, &new) {
        (None, None) => return None,
        (None, Some(_)) => ChangeKind::Create,
        (Some(_), None) => ChangeKind::Delete,
        (Some(old), Some(new)) => {
            compare(old, new, "", &mut delta);
            // Another version of the API is another way to say the same.
            delta.retain(|delta| delta.path != "apiVersion");
            if let (Some(before), Some(after)) = (before, after) {
                compare_secrets(before.digests(), after.digests(), &mut delta);
            }
            if delta.is_empty() { ChangeKind::NoChange } else { ChangeKind::Modify }
        }
    };
    let (left_alone, options) = (false, Vec::new());
    Some(Change { id, kind, before: old, after: new, delta, left_alone, options })
}

/// Notes down what differs, property by property; elements of arrays of the same length are compared one by one.
fn compare(before: &Value, after: &Value, path: &str, delta: &mut Vec<Delta>) {
    // Recursion is bounded by how deep a value may nest.
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in &**old {
                let path = join(path, name);
                match new.get(name) {
                    Some(other) => compare(value, other, &path, delta),
                    None => {
                        delta.push(Delta { path, before: Some(value.clone()), after: None, secret: false })
                    }
                }
            }
            for (name, value) in new.iter().filter(|(name, _)| old.get(name).is_none()) {
                let path = join(path, name);
                delta.push(Delta { path, before: None, after: Some(value.clone()), secret: false });
            }
        }
        (Value::Array(old), Value::Array(new)) if old.items().len() == new.items().len() => {
            for (at, (value, other)) in old.items().iter().zip(new.items()).enumerate() {
                compare(value, other, &join(path, &at.to_string()), delta);
            }
        }
        _ if before == after => {}
        _ => {
            let (before, after) = (Some(before.clone()), Some(after.clone()));
            delta.push(Delta { path: path.to_owned(), before, after, secret: false });
        }
    }
}

/// Secrets are compared by their digests, and none is shown.
fn compare_secrets(before: &Value, after: &Value, delta: &mut Vec<Delta>) {
    let members = |value: &Value| {
        let members = value.as_object().into_iter().flatten().cloned();
        members.collect::<Vec<_>>()
    };
    let (old, new) = (members(before), members(after));
    let of = |all: &[(smol_str::SmolStr, Value)], name: &str| {
        all.iter().find(|(other, _)| other == name).map(|(_, digest)| digest.clone())
    };
    let names: BTreeSet<&str> = old.iter().chain(&new).map(|(name, _)| name.as_str()).collect();
    for name in names {
        let (was, will) = (of(&old, name), of(&new, name));
        if was != will {
            let mask = |there: bool| there.then(|| Value::text("<secret>"));
            let path = name.trim_start_matches('/').replace('/', ".");
            delta.push(Delta {
                path,
                before: mask(was.is_some()),
                after: mask(will.is_some()),
                secret: true,
            });
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

impl ChangeKind {
    /// The kind of a word of the REST API.
    fn parse(word: &str) -> Option<ChangeKind> {
        let all = [
            ChangeKind::Delete,
            ChangeKind::Create,
            ChangeKind::Modify,
            ChangeKind::NoChange,
            ChangeKind::Ignore,
        ];
        all.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word))
    }
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.get(name)
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    member(value, name).and_then(Value::as_array).unwrap_or_default()
}

impl WhatIf {
    /// The prediction that [`WhatIf::to_value`] tells, as another process has sent it; none if it is not one.
    pub fn from_value(value: &Value) -> Option<WhatIf> {
        let properties = member(value, "properties")?;
        let changes = items(properties, "changes").iter().map(Change::from_value).collect::<Option<_>>()?;
        let failure = member(value, "error").filter(|error| !error.is_null()).map(Failure::from_value);
        let diagnostics = items(properties, "diagnostics").iter().map(Diagnostic::from_value).collect();
        Some(WhatIf { changes, failure, diagnostics })
    }

    /// Tells whether anything would be other than now.
    pub fn has_changes(&self) -> bool {
        self.changes
            .iter()
            .any(|change| matches!(change.kind, ChangeKind::Create | ChangeKind::Delete | ChangeKind::Modify))
    }

    /// The prediction as the REST API answers it.
    pub fn to_value(&self) -> Value {
        self.around(Value::array(self.changes.iter().map(Change::to_value).collect()))
    }

    fn around(&self, changes: Value) -> Value {
        let mut properties = vec![("changes", changes)];
        if !self.diagnostics.is_empty() {
            let diagnostics = self.diagnostics.iter().map(Diagnostic::to_value).collect();
            properties.push(("diagnostics", Value::array(diagnostics)));
        }
        let properties = Value::object(properties);
        match &self.failure {
            Some(failure) => Value::object([
                ("status", Value::text("Failed")),
                ("properties", properties),
                ("error", failure.to_value()),
            ]),
            None => Value::object([("status", Value::text("Succeeded")), ("properties", properties)]),
        }
    }
}

impl WhatIf {
    /// The prediction with nothing but ids: what would be put is not told apart from what would change.
    pub fn ids_only(&self) -> Value {
        let changes = self.changes.iter().map(|change| {
            let kind = match change.kind {
                ChangeKind::Modify | ChangeKind::NoChange => "Deploy",
                ChangeKind::Create | ChangeKind::Delete | ChangeKind::Ignore => change.kind.name(),
            };
            let members =
                [("resourceId", Value::text(change.id.as_str())), ("changeType", Value::text(kind))];
            Value::object(members)
        });
        self.around(Value::array(changes.collect()))
    }
}

impl Change {
    fn from_value(value: &Value) -> Option<Change> {
        let options = items(value, "options").iter().filter_map(Value::as_str).map(str::to_owned);
        Some(Change {
            id: member(value, "resourceId")?.as_str()?.to_owned(),
            kind: ChangeKind::parse(member(value, "changeType")?.as_str()?)?,
            before: member(value, "before").cloned(),
            after: member(value, "after").cloned(),
            delta: items(value, "delta").iter().map(Delta::from_value).collect::<Option<_>>()?,
            left_alone: member(value, "leftAlone") == Some(&Value::Bool(true)),
            options: options.collect(),
        })
    }

    fn to_value(&self) -> Value {
        let mut members = vec![
            ("resourceId", Value::text(self.id.as_str())),
            ("changeType", Value::text(self.kind.name())),
        ];
        members.extend(self.before.clone().map(|before| ("before", before)));
        members.extend(self.after.clone().map(|after| ("after", after)));
        if !self.options.is_empty() {
            let options = self.options.iter().map(|option| Value::text(option.as_str())).collect();
            members.push(("options", Value::array(options)));
        }
        if self.left_alone {
            members.push(("leftAlone", Value::Bool(true)));
        }
        if self.kind == ChangeKind::Modify {
            members.push(("delta", Value::array(self.delta.iter().map(Delta::to_value).collect())));
        }
        Value::object(members)
    }
}

impl Delta {
    fn from_value(value: &Value) -> Option<Delta> {
        let (before, after) = (member(value, "before").cloned(), member(value, "after").cloned());
        Some(Delta {
            path: member(value, "path")?.as_str()?.to_owned(),
            // Of secrets both are the mask.
            secret: before.is_some() && before == after,
            before,
            after,
        })
    }

    fn to_value(&self) -> Value {
        let kind = match (&self.before, &self.after) {
            (None, _) => "Create",
            (_, None) => "Delete",
            (Some(_), Some(_)) => "Modify",
        };
        let mut members =
            vec![("path", Value::text(self.path.as_str())), ("propertyChangeType", Value::text(kind))];
        members.extend(self.before.clone().map(|before| ("before", before)));
        members.extend(self.after.clone().map(|after| ("after", after)));
        Value::object(members)
    }
}
