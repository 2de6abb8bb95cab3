//! Small deployments to try.

use std::collections::BTreeSet;
use std::sync::Arc;

use arm::Caseless as _;
use arm::Value;
use arm::deployment::Evaluation;
use smol_str::{SmolStr, format_smolstr};
use store::DeploymentKey;

use crate::chance::Chance;
use machine::Failure;
use machine::core::{
    Act, Cleanup, Deploy, Enough, KnownResults, ProviderQuestion, PutRequest, ReadRequest, Retry, StepAction,
    StepEvaluation, StepIndex, StepPolicy, StepProgram, Wait,
};
use machine::records::{DeploymentRecord, admit_body};

/// The version of every API here.
const API: SmolStr = SmolStr::new_static("2025-01-01");

/// The most steps of a deployment.
const STEPS: usize = 9;

/// A deployment that was made from a seed.
pub(super) struct Plan {
    pub(super) steps: Vec<SimulatedStep>,
    pub(super) group: SmolStr,
    cleans: bool,
}

pub(super) struct SimulatedStep {
    pub(super) id: SmolStr,
    pub(super) before: Vec<StepIndex>,
    pub(super) kind: SimulatedKind,
    /// The resource that has to be looked at first.
    needs: Option<ProviderQuestion>,
}

pub(super) enum SimulatedKind {
    Put {
        wanted: StepPolicy,
        secret: bool,
    },
    Read {
        may_be_missing: bool,
    },
    Deploy(Arc<Plan>, StepPolicy),
    /// Its expressions have no value.
    Broken,
}

impl Plan {
    pub(super) fn new(chance: &mut Chance, group: &str, depth: usize) -> Plan {
        let count = chance.below(STEPS) + usize::from(depth == 0);
        let steps = (0..count).map(|number| SimulatedStep::new(chance, group, number, depth)).collect();
        let cleans = depth == 0 && chance.percent(15);
        Plan { steps, group: group.into(), cleans }
    }

    /// All ids that it may put, those of the deployments inside it included.
    pub(super) fn ids(&self, into: &mut BTreeSet<String>) {
        for step in &self.steps {
            into.insert(step.id.caseless());
            if let SimulatedKind::Deploy(plan, _) = &step.kind {
                plan.ids(into);
            }
        }
    }
}

impl SimulatedStep {
    fn new(chance: &mut Chance, group: &str, number: usize, depth: usize) -> SimulatedStep {
        let before = StepIndex::first(number).filter(|_| chance.percent(25)).collect();
        let id = format_smolstr!("{group}/providers/Our.Things/things/t{number}");
        let kind = match chance.below(20) {
            0 | 1 => SimulatedKind::Read { may_be_missing: chance.percent(70) },
            2 | 3 if depth < 2 => {
                // The deployment's resources are in the same group under names of their own.
                let inner = format_smolstr!("{group}/providers/Our.Things/boxes/b{number}");
                SimulatedKind::Deploy(Arc::new(Plan::new(chance, &inner, depth + 1)), wanted(chance))
            }
            4 if chance.percent(30) => SimulatedKind::Broken,
            _ => SimulatedKind::Put { wanted: wanted(chance), secret: chance.percent(20) },
        };
        let needs = chance.percent(15).then(|| {
            let id = format_smolstr!("{group}/providers/Our.Things/others/o{}", chance.below(3));
            if chance.percent(50) {
                ProviderQuestion::Get { id, api_version: API }
            } else {
                ProviderQuestion::Action(Act {
                    id,
                    action: "listKeys".into(),
                    api_version: API,
                    body: "".into(),
                })
            }
        });
        SimulatedStep { id, before, kind, needs }
    }
}

fn wanted(chance: &mut Chance) -> StepPolicy {
    StepPolicy {
        only_if_missing: chance.percent(10),
        patch: false,
        retry: chance.percent(30).then(|| Retry {
            codes: vec!["Busy".into(), "Conflict".into()],
            attempts: u32::try_from(chance.below(4)).unwrap_or(0),
        }),
        wait: chance.percent(15).then(|| {
            let seconds = chance.below(200) as u64;
            Wait { milliseconds: 1_000 * seconds, written: format_smolstr!("PT{seconds}S") }
        }),
        others: Vec::new(),
        script_outputs: Arc::default(),
    }
}

impl StepProgram for Plan {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn depends_on(&self, step: StepIndex) -> &[StepIndex] {
        self.steps.get(step.get()).map_or(&[], |step| &step.before)
    }

    fn evaluate(&self, step: StepIndex, live: &KnownResults<'_>) -> StepEvaluation<StepAction> {
        let Some(entry) = self.steps.get(step.get()) else {
            return Evaluation::Failed(Failure::new("NoSuchStep", "there is no such step"));
        };
        if entry.before.iter().any(|before| live.state(*before).is_none()) {
            return Evaluation::Failed(Failure::new("Early", "a step was evaluated before its time"));
        }
        if let Some(need) = &entry.needs {
            match live.fetched(need) {
                None => return Evaluation::NeedsLookups(vec![need.clone()]),
                Some(Err(failure)) => return Evaluation::Failed(failure.clone()),
                Some(Ok(_)) => {}
            }
        }
        let (id, api_version) = (entry.id.clone(), API);
        Evaluation::Ready(match &entry.kind {
            SimulatedKind::Broken => {
                return Evaluation::Failed(Failure::new("InvalidTemplate", "an expression has no value"));
            }
            SimulatedKind::Read { may_be_missing } => {
                StepAction::Read(ReadRequest { id, api_version, may_be_missing: *may_be_missing })
            }
            SimulatedKind::Put { wanted, secret } => {
                let key = if *secret { Value::from("hunter2").secret() } else { Value::from("plain") };
                let body = Value::object([("properties", Value::object([("key", key)]))]);
                let body = match admit_body(&id, body) {
                    Ok(body) => body,
                    Err(failure) => return Evaluation::Failed(failure),
                };
                let kind = "Our.Things/things".into();
                StepAction::Put(Arc::new(PutRequest {
                    id,
                    kind,
                    api_version,
                    body,
                    wanted: wanted.clone(),
                    extension: None,
                }))
            }
            SimulatedKind::Deploy(plan, wanted) => {
                // Two of one name run one after the other.
                let name = format!("inner{}", step.get() % 3);
                StepAction::Deploy(Box::new(Deploy {
                    key: DeploymentKey::new(&self.group, &name),
                    program: Arc::<Plan>::clone(plan),
                    record: DeploymentRecord::new("", name),
                    id,
                    api_version,
                    wanted: wanted.clone(),
                    links: Vec::new(),
                }))
            }
        })
    }

    fn subject(&self, step: StepIndex) -> (&str, Option<&str>) {
        (self.steps.get(step.get()).map_or("", |step| &step.id), None)
    }

    fn output_resource(&self, step: StepIndex) -> Option<&str> {
        self.steps.get(step.get()).map(|step| step.id.as_str())
    }

    fn is_enough(&self, _: StepIndex, state: &Value, _: &KnownResults<'_>) -> Result<Enough, Failure> {
        let polls = state.as_object().and_then(|state| state.get("seen"));
        let enough = matches!(polls, Some(Value::Int(seen)) if *seen >= 3);
        Ok(if enough { Enough::Yes } else { Enough::NotYet })
    }

    fn outputs(&self, live: &KnownResults<'_>) -> StepEvaluation<Value> {
        if StepIndex::first(self.steps.len()).any(|step| live.state(step).is_none()) {
            return Evaluation::Failed(Failure::new("Early", "the outputs were evaluated before their time"));
        }
        let first = live.state(StepIndex::FIRST).cloned().unwrap_or(Value::Null);
        Evaluation::Ready(Value::object([("first", first)]))
    }

    fn cleanup(&self) -> Option<Cleanup> {
        self.cleans.then(|| {
            let mut keep = BTreeSet::new();
            self.ids(&mut keep);
            Cleanup { below: self.group.clone(), segments: None, keep }
        })
    }
}
