//! What a deployment would do: it is run, on resources that are never kept, and what changed is told.
//!
//! The prediction and the deployment are the same code, so that they agree by construction: the machine, the plan and the local
//! provider are those of a real run; only the store of the run is in memory, and what the provider changes is not written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::Caseless as _;
use arm::Value;
use arm::deployment::{Deployment, DeploymentMode, WhatIfDiagnostic};
use arm::evaluate::Scope;
use machine::Failure;
use machine::core::{RunEnd, RunIndex, RunProgress, StepProgram};
use machine::records::ResourceRecord;
use machine::records::parse;
use store::{MemoryStore, ResourceId};
use tokio::sync::mpsc::unbounded_channel;

use crate::deploy::{AcceptedDeployment, Engine, StartError};
use crate::predicted_change::{ChangeKind, PredictedChange, change, items, member, part};
use crate::program::PlanProgram;
use crate::provider::{Trial, Unconditional};
use crate::runtime::{Clock, Watcher};

/// How many diagnostics are told.
const MOST_TOLD: usize = 1000;

/// What a deployment would change if it ran now.
#[derive(Debug)]
pub struct WhatIf {
    /// The changes, by kind and id.
    pub changes: Vec<PredictedChange>,
    /// Why the deployment would fail, if it would.
    pub failure: Option<Failure>,
    /// What else there is to say.
    pub diagnostics: Vec<WhatIfDiagnostic>,
}

impl Engine {
    /// Runs a deployment on a trial of its provider, of which nothing is kept, and tells what is different then.
    pub async fn what_if(
        &self,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
    ) -> Result<WhatIf, StartError> {
        let group = match &deployment.context().scope {
            scope @ Scope::ResourceGroup { .. } => Some(format!("{}/providers/", scope.id())),
            _ => None,
        };
        let Some(Trial { provider, changes: local }) = self.provider.trial() else {
            return Err(StartError::State("the provider cannot say what would change".to_owned()));
        };
        let trial = Engine {
            store: Arc::new(MemoryStore::new()),
            key: self.key.clone(),
            provider: Arc::new(Unconditional(provider)),
            settings: self.settings,
            clock: Clock::Virtual,
            budgets: self.budgets.clone(),
        };
        let accepted = trial.accept(deployment, mode)?;
        let (_open, cancel) = unbounded_channel();
        let mut left_alone = LeftAlone::new(&accepted);
        let ended = trial.run(accepted, cancel, &mut left_alone).await?;
        let failure = match ended.end {
            RunEnd::Failed(failure) => Some(failure),
            RunEnd::Succeeded(_) | RunEnd::Canceled | RunEnd::Lost => None,
        };
        let mut changes = Vec::new();
        let mut named = BTreeSet::new();
        let mut bytes = 0;
        for (id, after) in local.changed_ids() {
            let kept = self.store.resource(&id)?;
            bytes += kept.as_ref().map_or(0, |kept| kept.body.len() as u64);
            if bytes > self.budgets.limits.out {
                let most = self.budgets.limits.out >> 20;
                let message = format!(
                    "the resources that would change have more than {most} MiB together as they are now; predict fewer at a time"
                );
                let failure = Failure::new("BudgetExceeded", message).target(id.as_str());
                return Err(StartError::Failure(failure));
            }
            let before = kept.map(|kept| ResourceRecord::from_store(&kept)).transpose()?;
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
                    Some(kept) => Some(ResourceRecord::from_store(kept)?.body().clone()),
                    None => None,
                };
                let id = kept.map_or(id, |kept| kept.id);
                let (kind, delta) = (ChangeKind::NoChange, Vec::new());
                let (before, after) = (body.clone(), body);
                let options = vec![option];
                changes.push(PredictedChange { id, kind, before, after, delta, left_alone: true, options });
            }
        }
        if let Some(group) = group {
            let mut bytes = 0;
            for resource in store::scan_resources(&*self.store, &group, "") {
                let resource = resource?;
                if !named.contains(&resource.id.caseless()) {
                    bytes += resource.body.len() as u64;
                    // Nothing becomes of these, and what they are can be asked.
                    let is_shown = bytes <= self.budgets.limits.out / 4;
                    let body = if is_shown { part(&parse(&resource.body)?, "body") } else { None };
                    let (id, kind) = (resource.id, ChangeKind::Ignore);
                    let (before, after, delta) = (body.clone(), body, Vec::new());
                    let (left_alone, options) = (false, Vec::new());
                    changes.push(PredictedChange { id, kind, before, after, delta, left_alone, options });
                }
            }
        }
        changes.sort_by(|one, other| (one.kind, &one.id).cmp(&(other.kind, &other.id)));
        Ok(WhatIf { changes, failure, diagnostics: left_alone.diagnostics })
    }
}

/// Collects the resources for which nothing was done, because they were there.
struct LeftAlone {
    programs: BTreeMap<RunIndex, Arc<dyn StepProgram>>,
    /// With the option that says so.
    ids: Vec<(String, String)>,
    /// The options of the other steps, by id in lower case.
    options: BTreeMap<String, Vec<String>>,
    /// Of all deployments, each once.
    diagnostics: Vec<WhatIfDiagnostic>,
}

impl LeftAlone {
    fn new(accepted: &AcceptedDeployment) -> LeftAlone {
        let program: Arc<dyn StepProgram> = Arc::<PlanProgram>::clone(&accepted.program);
        let diagnostics = program.diagnostics().to_vec();
        LeftAlone {
            programs: BTreeMap::from([(RunIndex::OUTERMOST, program)]),
            ids: Vec::new(),
            options: BTreeMap::new(),
            diagnostics,
        }
    }
}

impl Watcher for LeftAlone {
    fn on_progress(&mut self, progress: &RunProgress, _: i64) {
        match progress {
            RunProgress::Began { run, inside, .. } => {
                add_new(&mut self.diagnostics, inside.0.diagnostics());
                self.programs.insert(*run, Arc::clone(&inside.0));
            }
            RunProgress::Ended { step: (run, step), skipped: true, .. } => {
                let found = self.programs.get(run).and_then(|program| {
                    let option = program.left_alone_by(*step)?;
                    Some((program.subject(*step).0.to_owned(), option.to_owned()))
                });
                self.ids.extend(found);
            }
            RunProgress::Ended { step: (run, step), .. } => {
                let Some(program) = self.programs.get(run) else { return };
                let options: Vec<String> = program.options(*step).into_iter().map(str::to_owned).collect();
                if !options.is_empty() {
                    self.options.insert(program.subject(*step).0.caseless(), options);
                }
            }
            RunProgress::Started { .. }
            | RunProgress::Waiting { .. }
            | RunProgress::NotStarted { .. }
            | RunProgress::Deleted { .. } => {}
        }
    }
}

/// Adds what is not there yet.
pub fn add_new(known: &mut Vec<WhatIfDiagnostic>, more: &[WhatIfDiagnostic]) {
    for diagnostic in more {
        // There are few of them: a deployment with very many is told of the first ones.
        if known.len() < MOST_TOLD && !known.contains(diagnostic) {
            known.push(diagnostic.clone());
        }
    }
}

impl WhatIf {
    /// The prediction that [`WhatIf::to_value`] tells, as another process has sent it; none if it is not one.
    pub fn from_value(value: &Value) -> Option<WhatIf> {
        let properties = member(value, "properties")?;
        let changes =
            items(properties, "changes").iter().map(PredictedChange::from_value).collect::<Option<_>>()?;
        let failure = member(value, "error").filter(|error| !error.is_null()).map(Failure::from_value);
        let diagnostics = items(properties, "diagnostics").iter().map(WhatIfDiagnostic::from_value).collect();
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
        self.around(Value::array(self.changes.iter().map(PredictedChange::to_value).collect()))
    }

    fn around(&self, changes: Value) -> Value {
        let mut properties = vec![("changes", changes)];
        if !self.diagnostics.is_empty() {
            let diagnostics = self.diagnostics.iter().map(WhatIfDiagnostic::to_value).collect();
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
