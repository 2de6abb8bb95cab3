//! The front door: accept a deployment, run it, resume one that was interrupted.

use std::sync::Arc;

use arm::Caseless;
use arm::budget::BudgetSource;
use arm::deployment::{Deployment, DeploymentContext, DeploymentMode, Groups, Links, Plan, foresee};
use machine::Failure;
use machine::core::{MachineSettings, RunEnd, Start, Stored};
use machine::records::{
    self, DeploymentRecord, INPUTS, LoadError, Record, SECRETS, TEMPLATE, deployment_id, parse, purpose,
};
use smol_str::SmolStr;
use store::{
    BatchId, Claim, Commit, CommitOutcome, Condition, DeploymentKey, Fence, Key, Lease, RunId, Status, Store,
    StoreError, Write,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::attempts;
use crate::journal::Journal;
use crate::lease_keeper::{self, Keeper, LEASE, LeaseHandle, monotonic};
use crate::persist::{Persister, Writers};
use crate::planned_record::planned_record;
use crate::program::{self, PlanProgram, together};
use crate::provider::{Provider, Within};
use crate::run_ids::new_run;
use crate::runtime::{self, Clock, RunResult, Watcher, real_now};
use crate::stored_inputs::{self, Unusable};
use machine::node::first_lease;

/// The number of the batch that accepts a deployment: before those of every lease.
const ACCEPT: u64 = 0;

/// How often it is looked whether a lease has run out, in milliseconds.
const LOOK: u64 = 100;

/// Runs deployments on a store, with the resources of a provider.
pub struct Engine {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What seals secrets: without it, an interrupted deployment that has some cannot be resumed.
    pub key: Key,
    /// Who has the resources.
    pub provider: Arc<dyn Provider>,
    /// How many steps are under way at the same time, and the like.
    pub settings: MachineSettings,
    /// Whether pauses take their time.
    pub clock: Clock,
    /// What deployments that are resumed may use. Others bring an account with them.
    pub budgets: BudgetSource,
}

/// A deployment that is durable and has not run yet.
pub struct AcceptedDeployment {
    /// The run, by which it is resumed and found in the store.
    pub run: RunId,
    /// Where it is found.
    pub key: DeploymentKey,
    /// Its plan, and what each step of it does.
    pub program: Arc<PlanProgram>,
    record: DeploymentRecord,
    order: i64,
    stored: Stored,
    canceled: bool,
    /// The lease, if it was taken when the deployment was accepted or resumed.
    right: Option<LeaseHandle>,
}

/// A deployment that is planned and not durable yet.
pub(crate) struct PlannedDeployment(AcceptedDeployment);

/// How a deployment ended.
#[derive(Debug)]
pub struct DeploymentResult {
    /// Whether it succeeded, with its outputs or its error.
    pub end: RunEnd,
    /// Its record, as it was written last.
    pub record: DeploymentRecord,
}

/// Why a deployment was not run.
#[derive(Debug)]
pub enum StartError {
    /// It is wrong, or another one is in its way.
    Failure(Failure),
    /// The state cannot be used.
    State(String),
    /// The state cannot be reached or written now; the same may succeed later.
    Unavailable(String),
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> StartError {
        if error.is_unavailable() {
            StartError::Unavailable(error.to_string())
        } else {
            StartError::State(error.to_string())
        }
    }
}

impl From<LoadError> for StartError {
    fn from(error: LoadError) -> StartError {
        match error {
            LoadError::Store(error) => error.into(),
            LoadError::Damaged(_) | LoadError::SecretsLost(_) => StartError::State(error.to_string()),
        }
    }
}

impl From<store::SealError> for StartError {
    fn from(error: store::SealError) -> StartError {
        StartError::State(error.to_string())
    }
}

/// What is said of a deployment whose resources are not those of this engine.
fn elsewhere(what: &str, wanted: Option<SmolStr>, here: Option<SmolStr>) -> StartError {
    let name =
        |place: &Option<SmolStr>| place.as_ref().map_or("the state".into(), |place| format!("`{place}`"));
    let advice = match &wanted {
        Some(endpoint) => format!("give `--endpoint {endpoint}`"),
        None => "leave out `--endpoint`".to_owned(),
    };
    let (wanted, here) = (name(&wanted), name(&here));
    let message = format!("the resources of {what} belong to {wanted}, not to {here}; {advice}");
    StartError::Failure(Failure::new("DeploymentElsewhere", message))
}

impl Engine {
    /// Plans a deployment and makes it durable, with everything that it will be run with.
    pub fn accept(
        &self,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
    ) -> Result<AcceptedDeployment, StartError> {
        let (commit, planned) = self.plan(deployment, mode, None)?;
        planned.accepted(self.store.commit(&[commit]).pop())
    }

    /// Refuses a deployment whose resources somebody else has: put there, they would be where nobody looks for them.
    fn check_place(&self, deployment: &Deployment) -> Result<(), StartError> {
        let (wanted, here) = (deployment.context().endpoint.clone(), self.provider.endpoint());
        if wanted == here {
            return Ok(());
        }
        Err(elsewhere("the deployment", wanted, here))
    }

    /// Refuses a kept deployment whose resources somebody else has: nobody would find them any more once it is forgotten.
    pub fn check_kept_place(&self, kept: &store::Deployment) -> Result<(), StartError> {
        // A deployment inside another one is where that one is.
        let Some(inputs) = self.store.blob(kept.root, INPUTS)? else { return Ok(()) };
        let inputs = parse(&String::from_utf8_lossy(&inputs))?;
        let wanted = stored_inputs::endpoint(&inputs);
        let here = self.provider.endpoint();
        if wanted == here {
            return Ok(());
        }
        let record = DeploymentRecord::from_store(&kept.body)?;
        Err(elsewhere(&format!("`{}`", record.id), wanted, here))
    }

    /// A deployment in a mode, which knows the resource groups that are there when it asks.
    fn placed(&self, deployment: &Deployment, mode: DeploymentMode) -> Deployment {
        let provider = Arc::clone(&self.provider);
        let groups = Groups::new(move |id| provider.group(id).map_err(|failure| failure.message));
        deployment.within(DeploymentContext { mode, groups, ..deployment.context().clone() })
    }

    /// Refuses a deployment of which it is known beforehand that it would fail.
    pub fn foresee(&self, deployment: &Arc<Deployment>, plan: &Plan) -> Result<(), Failure> {
        let known = foresee(deployment, plan);
        match known.as_slice() {
            [] => {}
            // It says already that the nested deployment is not valid.
            [one] => return Err(program::failure(one)),
            _ => return Err(together(known)),
        }
        let foreseen = self.provider.preflight(deployment);
        if foreseen.is_empty() {
            return Ok(());
        }
        let name = deployment.context().name.as_deref().unwrap_or_default();
        let message = format!("the deployment `{name}` would fail and was not begun");
        Err(Failure::new("InvalidTemplateDeployment", message).because(foreseen))
    }

    /// Plans a deployment, and says what makes it durable; with an owner, who then has its lease at once.
    pub(crate) fn plan(
        &self,
        deployment: Arc<Deployment>,
        mode: DeploymentMode,
        owner: Option<String>,
    ) -> Result<(Commit, PlannedDeployment), StartError> {
        self.check_place(&deployment)?;
        // The mode is part of what is kept, and of what `deployment()` says.
        let deployment = Arc::new(self.placed(&deployment, mode));
        let plan =
            Plan::new(Arc::clone(&deployment)).map_err(|errors| StartError::Failure(together(errors)))?;
        let context = deployment.context();
        let name = context.name.as_deref().unwrap_or_default();
        self.foresee(&deployment, &plan).map_err(StartError::Failure)?;
        let key = DeploymentKey::new(&context.scope.id(), name);
        let now = real_now();
        let run = new_run(now)?;
        let record = planned_record(&plan, mode).begun(run, now);
        stored_inputs::read_links(&deployment);
        let frozen = stored_inputs::encode_inputs(&deployment);
        let mut writes = Vec::new();
        let accept = Record::Deployment {
            run,
            root: run,
            key: key.clone(),
            status: Status::Active,
            order: now,
            record: Box::new(record.clone()),
        };
        records::encode(&accept, &self.key, &mut writes)?;
        // Templates are large: their text is kept as it is.
        writes.push(Write::Blob {
            run,
            name: TEMPLATE.to_owned(),
            bytes: deployment.template().text().as_bytes().to_vec(),
        });
        writes.push(Write::Blob {
            run,
            name: INPUTS.to_owned(),
            bytes: frozen.inputs.to_json().into_bytes(),
        });
        if let Some(secrets) = frozen.secrets {
            let bytes = self.key.seal(&purpose(run, SECRETS), secrets.to_json().as_bytes())?;
            writes.push(Write::Blob { run, name: SECRETS.to_owned(), bytes });
        }
        for (address, text) in context.links.take_fresh() {
            records::encode(&Record::Link { run, address, text }, &self.key, &mut writes)?;
        }
        if let Some(owner) = &owner {
            writes.push(Write::Lease { run, owner: owner.clone(), milliseconds: LEASE });
        }
        let commit = Commit {
            id: BatchId { run, number: ACCEPT },
            fence: None,
            conditions: vec![Condition::NotActive(key.clone())],
            writes,
        };
        let program = Arc::new(PlanProgram::new(plan, mode, Arc::clone(&self.provider)));
        let asked = monotonic();
        let right = owner.map(|owner| LeaseHandle::Fresh { lease: first_lease(run, owner), asked });
        let accepted = AcceptedDeployment {
            run,
            key,
            program,
            record,
            order: now,
            stored: Stored::new(),
            canceled: false,
            right,
        };
        Ok((commit, PlannedDeployment(accepted)))
    }

    /// The interrupted deployments. The lease of a process that died expires within seconds, so deployments that still have one
    /// are waited for as long as a lease lasts.
    pub fn cut_off(&self, name: Option<&str>) -> Result<Vec<RunId>, StartError> {
        let wanted = name.map(Caseless::caseless);
        let is_wanted = |key: &DeploymentKey| wanted.as_deref().is_none_or(|name| key.name() == name);
        let mut patience = LEASE + LOOK;
        loop {
            let is_open = |it: &store::Deployment| it.status == Status::Active && it.run == it.root;
            let mut open = 0;
            for found in store::scan_deployments(&*self.store, None) {
                let found = found?;
                open += usize::from(is_open(&found) && is_wanted(&found.key));
            }
            let abandoned = self.store.abandoned(usize::MAX)?;
            let runs: Vec<RunId> =
                abandoned.into_iter().filter(|it| is_wanted(&it.key)).map(|it| it.run).collect();
            if runs.len() == open || patience == 0 {
                return Ok(runs);
            }
            std::thread::sleep(std::time::Duration::from_millis(LOOK));
            patience = patience.saturating_sub(LOOK);
        }
    }

    /// Resumes an interrupted deployment with what it was accepted with. Links that were not followed before
    /// are resolved by `links`.
    pub fn resume(&self, run: RunId, links: &Links) -> Result<AcceptedDeployment, StartError> {
        let gone = || StartError::State("there is no such deployment under way".to_owned());
        // Only who has the lease reads what the last owner has written.
        let asked = monotonic();
        let lease = self.claim(run)?;
        let resumed = match self.store.run(run)?.filter(|it| it.status == Status::Active).ok_or_else(gone) {
            Ok(deployment) => {
                self.resume_claimed(deployment, LeaseHandle::Fresh { lease: lease.clone(), asked }, links)
            }
            Err(refused) => Err(refused),
        };
        if resumed.is_err() {
            // It runs out by itself if not.
            let _ = self.store.release(&[lease]);
        }
        resumed
    }

    /// The same with the lease.
    pub(crate) fn resume_claimed(
        &self,
        deployment: store::Deployment,
        right: LeaseHandle,
        links: &Links,
    ) -> Result<AcceptedDeployment, StartError> {
        let gone = || StartError::State("there is no such deployment under way".to_owned());
        let (run, lease) = (deployment.run, right.lease().clone());
        if !attempts::count_start(&*self.store, &lease).map_err(StartError::State)? {
            let message = "the processes that worked on the deployment ended again and again before another step was done; it is not begun once more";
            return Err(self.given_up(&deployment, &lease, Failure::new("DeploymentFailed", message)));
        }
        let inputs = self.store.blob(run, INPUTS)?.ok_or_else(gone)?;
        let inputs = parse(&String::from_utf8_lossy(&inputs))?;
        let template = self.store.blob(run, TEMPLATE)?;
        let template = template.as_deref().map(String::from_utf8_lossy);
        let secrets = match self.store.blob(run, SECRETS)? {
            Some(sealed) => {
                let plain = self.key.open(&purpose(run, SECRETS), &sealed);
                let plain = match plain {
                    Ok(plain) => plain,
                    Err(error) => return Err(self.secrets_lost(&deployment, &lease, &error)),
                };
                Some(parse(&String::from_utf8_lossy(&plain))?)
            }
            None => None,
        };
        let stored = match records::load(&*self.store, &self.key, run) {
            Ok(stored) => stored,
            Err(LoadError::SecretsLost(error)) => return Err(self.secrets_lost(&deployment, &lease, &error)),
            Err(error) => return Err(error.into()),
        };
        let record = DeploymentRecord::from_store(&deployment.body)?;
        let canceled = record.cancel_requested || lease.canceled;
        let (store, links) = (Arc::clone(&self.store), links.clone());
        let links = Links::saying_why(move |address| {
            // A store that does not answer here does not answer anywhere, and the deployment ends.
            match store.blob(run, &records::link_blob(&address.key())).map_err(|_| None)? {
                Some(bytes) => String::from_utf8(bytes).map(Into::into).map_err(|_| None),
                None => links.text(address),
            }
        });
        let thawed = match stored_inputs::decode_inputs(
            template.as_deref(),
            &inputs,
            secrets.as_ref(),
            links,
            self.budgets.account_of(""),
        ) {
            Ok(thawed) => thawed,
            Err(Unusable::Unreadable) => {
                return Err(StartError::State("the inputs of the deployment cannot be read".to_owned()));
            }
            Err(Unusable::Refused(errors)) => {
                let message = "the deployment was interrupted, and the values that were kept of it are not what its template allows";
                let failure = Failure::new("DeploymentFailed", message);
                let failure = failure.because(errors.iter().map(program::failure).collect());
                return Err(self.given_up(&deployment, &lease, failure));
            }
        };
        self.check_place(&thawed)?;
        let mode = thawed.context().mode;
        let thawed = self.placed(&thawed, mode);
        let plan = Plan::new(thawed).map_err(|errors| StartError::Failure(together(errors)))?;
        let program = Arc::new(PlanProgram::new(plan, mode, Arc::clone(&self.provider)));
        let (key, order) = (deployment.key, deployment.order);
        Ok(AcceptedDeployment { run, key, program, record, order, stored, canceled, right: Some(right) })
    }

    /// Ends a deployment whose secrets cannot be opened.
    fn secrets_lost(
        &self,
        deployment: &store::Deployment,
        lease: &Lease,
        error: &store::SealError,
    ) -> StartError {
        let message = format!("the deployment was interrupted and its secrets are lost: {error}");
        self.given_up(deployment, lease, Failure::new("DeploymentFailed", message))
    }

    /// Ends a deployment that can never be finished, with those inside it.
    fn given_up(&self, deployment: &store::Deployment, lease: &Lease, failure: Failure) -> StartError {
        match self.write_end(deployment, lease, &RunEnd::Failed(failure.clone())) {
            Ok(()) => StartError::Failure(failure),
            Err(error) => error,
        }
    }

    /// Ends a deployment that nobody works on, with those inside it, and runs nothing of it. What it has done stays.
    pub fn end_without_running(&self, run: RunId, end: &RunEnd) -> Result<(), StartError> {
        let lease = self.claim(run)?;
        let found = self.store.run(run)?.filter(|it| it.status == Status::Active && it.run == it.root);
        let gone = || StartError::State("there is no such deployment under way".to_owned());
        let ended = found.ok_or_else(gone).and_then(|found| self.write_end(&found, &lease, end));
        if ended.is_err() {
            // It runs out by itself if not.
            let _ = self.store.release(&[lease]);
        }
        ended
    }

    fn write_end(
        &self,
        deployment: &store::Deployment,
        lease: &Lease,
        end: &RunEnd,
    ) -> Result<(), StartError> {
        let mut runs = self.store.runs(deployment.root)?;
        runs.retain(|run| run.status == Status::Active);
        let mut writes = Vec::new();
        for run in runs {
            let steps = self.store.steps(run.run)?.iter().map(|step| step.number).collect();
            let store::Deployment { run, root, key, order, body, .. } = run;
            // Of one that cannot be read, the key says which it is.
            let record = DeploymentRecord::from_store(&body).unwrap_or_else(|_| {
                DeploymentRecord::new(deployment_id(key.scope(), key.name()), key.name())
            });
            let record = Box::new(record.ended(end, real_now(), 0, Vec::new()));
            let ended = Record::Deployment { run, root, key, status: Status::Ended, order, record };
            for record in [&ended, &Record::EraseSecrets { run, steps }] {
                records::encode(record, &self.key, &mut writes)?;
            }
        }
        let id = BatchId { run: deployment.run, number: lease.fence.number << 32 };
        let commit = Commit { id, fence: Some(lease.fence), conditions: Vec::new(), writes };
        match self.store.commit(&[commit]).pop() {
            Some(CommitOutcome::Committed) => Ok(()),
            other => Err(StartError::State(format!("the state was not written: {other:?}"))),
        }
    }

    /// Runs a deployment to its end. What `cancel` hears stops it.
    pub async fn run(
        &self,
        accepted: AcceptedDeployment,
        cancel: UnboundedReceiver<()>,
        watcher: &mut dyn Watcher,
    ) -> Result<DeploymentResult, StartError> {
        let writers = Writers {
            journal: Arc::new(Journal::start(Arc::clone(&self.store))),
            keeper: (!self.store.is_instant()).then(|| Arc::new(Keeper::start(Arc::clone(&self.store)))),
        };
        self.run_with(&writers, accepted, cancel, watcher).await
    }

    /// The same with writers that others use, too.
    pub(crate) async fn run_with(
        &self,
        writers: &Writers,
        accepted: AcceptedDeployment,
        cancel: UnboundedReceiver<()>,
        watcher: &mut dyn Watcher,
    ) -> Result<DeploymentResult, StartError> {
        let AcceptedDeployment { run, key, program, record, order, stored, canceled, right } = accepted;
        let right = match right {
            Some(right) => right,
            None => {
                let asked = monotonic();
                LeaseHandle::Fresh { lease: self.claim(run)?, asked }
            }
        };
        let (sender, said) = unbounded_channel();
        let fence = right.lease().fence.number;
        let persister = Persister::start(writers.clone(), self.key.clone(), right, sender);
        let settings = self.settings;
        let reach = &program.plan().deployment().context().reach;
        let provider = Within::around(Arc::clone(&self.provider), reach);
        let accepted_record = record.clone();
        let start = Start { run, key, program, record, order, fence, stored, canceled, settings };
        let ran = runtime::run(start, provider, &persister, said, cancel, self.clock, watcher).await;
        persister.finish(ran.as_ref().ok().map(|ran| &ran.end));
        let RunResult { end, record } = ran.map_err(StartError::State)?;
        let record = match record {
            Some(record) => *record,
            None => match self.store.run(run)? {
                Some(kept) => DeploymentRecord::from_store(&kept.body)?,
                None => accepted_record,
            },
        };
        Ok(DeploymentResult { end, record })
    }

    fn claim(&self, run: RunId) -> Result<Lease, StartError> {
        match self.store.claim(run, lease_keeper::owner(), LEASE)? {
            Claim::Granted(lease) => Ok(lease),
            Claim::Taken { owner, remaining } => {
                let seconds = remaining / 1000;
                let message = format!("{owner} works on the deployment, for at least {seconds} seconds more");
                Err(StartError::Failure(Failure::new("DeploymentActive", message)))
            }
            Claim::Gone => Err(StartError::State("the deployment has ended or was replaced".to_owned())),
        }
    }
}

impl AcceptedDeployment {
    /// What proves that it is worked on here, if the lease was taken already.
    pub(crate) fn fence(&self) -> Option<Fence> {
        self.right.as_ref().map(|right| right.lease().fence)
    }
}

impl PlannedDeployment {
    /// The deployment, if it became durable.
    pub(crate) fn accepted(self, outcome: Option<CommitOutcome>) -> Result<AcceptedDeployment, StartError> {
        match outcome {
            Some(CommitOutcome::Committed) => Ok(self.0),
            Some(CommitOutcome::Conflict { .. }) => {
                let name = self.0.key.name();
                let message = format!(
                    "a deployment named `{name}` is already running in its scope; wait for it, cancel it, or resume it with `--resume`"
                );
                Err(StartError::Failure(Failure::new("DeploymentActive", message).target(name)))
            }
            Some(CommitOutcome::Unknown(why)) => Err(StartError::Unavailable(why)),
            Some(CommitOutcome::Fenced) | None => {
                Err(StartError::State("the state was not written".to_owned()))
            }
        }
    }
}
