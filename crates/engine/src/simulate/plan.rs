//! Small deployments to try.

use std::collections::BTreeSet;
use std::sync::Arc;

use arm::Caseless as _;
use arm::Value;
use smol_str::{SmolStr, format_smolstr};
use store::DeploymentKey;

use super::chance::Chance;
use crate::core::{
    Action, Cleanup, Deploy, Enough, Evaluated, Live, Need, Program, Put, Read, Retry, Wait, Wanted,
};
use crate::{Failure, admit_body};

/// The version of every API here.
const API: SmolStr = SmolStr::new_static("2025-01-01");

/// The most steps of a deployment.
const STEPS: usize = 9;

/// A deployment that was made from a seed.
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) group: SmolStr,
    cleans: bool,
}

pub(super) struct Step {
    pub(super) id: SmolStr,
    pub(super) before: Vec<usize>,
    pub(super) kind: Kind,
    /// The resource that has to be looked at first.
    needs: Option<Need>,
}

pub(super) enum Kind {
    Put {
        wanted: Wanted,
        secret: bool,
    },
    Read {
        may_be_missing: bool,
    },
    Deploy(Arc<Plan>, Wanted),
    /// Its expressions have no value.
    Broken,
}

impl Plan {
    pub(super) fn new(chance: &mut Chance, group: &str, depth: usize) -> Plan {
        let count = chance.below(STEPS) + usize::from(depth == 0);
        let steps = (0..count).map(|number| Step::new(chance, group, number, depth)).collect();
        let cleans = depth == 0 && chance.percent(15);
        Plan { steps, group: group.into(), cleans }
    }

    /// All ids that it may put, those of the deployments inside it included.
    pub(super) fn ids(&self, into: &mut BTreeSet<String>) {
        for step in &self.steps {
            into.insert(step.id.caseless());
            if let Kind::Deploy(plan, _) = &step.kind {
                plan.ids(into);
            }
        }
    }
}

impl Step {
    fn new(chance: &mut Chance, group: &str, number: usize, depth: usize) -> Step {
        let before = (0..number).filter(|_| chance.percent(25)).collect();
        let id = format_smolstr!("{group}/providers/Our.Things/things/t{number}");
        let kind = match chance.below(20) {
            0 | 1 => Kind::Read { may_be_missing: chance.percent(70) },
            2 | 3 if depth < 2 => {
                // The deployment's resources are in the same group under names of their own.
                let inner = format_smolstr!("{group}/providers/Our.Things/boxes/b{number}");
                Kind::Deploy(Arc::new(Plan::new(chance, &inner, depth + 1)), wanted(chance))
            }
            4 if chance.percent(30) => Kind::Broken,
            _ => Kind::Put { wanted: wanted(chance), secret: chance.percent(20) },
        };
        let needs = chance.percent(15).then(|| {
            let id = format_smolstr!("{group}/providers/Our.Things/others/o{}", chance.below(3));
            if chance.percent(50) {
                Need::Get { id, api_version: API }
            } else {
                Need::Action { id, action: "listKeys".into(), api_version: API, body: "".into() }
            }
        });
        Step { id, before, kind, needs }
    }
}

fn wanted(chance: &mut Chance) -> Wanted {
    Wanted {
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
    }
}

impl Program for Plan {
    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn depends_on(&self, step: usize) -> &[usize] {
        self.steps.get(step).map_or(&[], |step| &step.before)
    }

    fn evaluate(&self, step: usize, live: &Live<'_>) -> Evaluated<Action> {
        let Some(entry) = self.steps.get(step) else {
            return Evaluated::Failed(Failure::new("NoSuchStep", "there is no such step"));
        };
        if entry.before.iter().any(|before| live.state(*before).is_none()) {
            return Evaluated::Failed(Failure::new("Early", "a step was evaluated before its time"));
        }
        if let Some(need) = &entry.needs {
            match live.fetched(need) {
                None => return Evaluated::Needs(vec![need.clone()]),
                Some(Err(failure)) => return Evaluated::Failed(failure.clone()),
                Some(Ok(_)) => {}
            }
        }
        let (id, api_version) = (entry.id.clone(), API);
        Evaluated::Ready(match &entry.kind {
            Kind::Broken => {
                return Evaluated::Failed(Failure::new("InvalidTemplate", "an expression has no value"));
            }
            Kind::Read { may_be_missing } => {
                Action::Read(Read { id, api_version, may_be_missing: *may_be_missing })
            }
            Kind::Put { wanted, secret } => {
                let key = if *secret { Value::from("hunter2").secret() } else { Value::from("plain") };
                let body = Value::object([("properties", Value::object([("key", key)]))]);
                let body = match admit_body(&id, body) {
                    Ok(body) => body,
                    Err(failure) => return Evaluated::Failed(failure),
                };
                let kind = "Our.Things/things".into();
                Action::Put(Arc::new(Put {
                    id,
                    kind,
                    api_version,
                    body,
                    wanted: wanted.clone(),
                    extension: None,
                }))
            }
            Kind::Deploy(plan, wanted) => Action::Deploy(Box::new(Deploy {
                key: DeploymentKey::new(&self.group, &format!("inner{step}")),
                program: Arc::<Plan>::clone(plan),
                record: Value::object([("name", Value::text(format!("inner{step}")))]),
                id,
                api_version,
                wanted: wanted.clone(),
                links: Vec::new(),
            })),
        })
    }

    fn subject(&self, step: usize) -> (&str, Option<&str>) {
        (self.steps.get(step).map_or("", |step| &step.id), None)
    }

    fn output_resource(&self, step: usize) -> Option<&str> {
        self.steps.get(step).map(|step| step.id.as_str())
    }

    fn is_enough(&self, _: usize, state: &Value, _: &Live<'_>) -> Result<Enough, Failure> {
        let polls = state.as_object().and_then(|state| state.get("seen"));
        let enough = matches!(polls, Some(Value::Int(seen)) if *seen >= 3);
        Ok(if enough { Enough::Yes } else { Enough::NotYet })
    }

    fn outputs(&self, live: &Live<'_>) -> Evaluated<Value> {
        if (0..self.steps.len()).any(|step| live.state(step).is_none()) {
            return Evaluated::Failed(Failure::new("Early", "the outputs were evaluated before their time"));
        }
        let first = live.state(0).cloned().unwrap_or(Value::Null);
        Evaluated::Ready(Value::object([("first", first)]))
    }

    fn cleanup(&self) -> Option<Cleanup> {
        self.cleans.then(|| {
            let mut keep = BTreeSet::new();
            self.ids(&mut keep);
            Cleanup { below: self.group.clone(), segments: None, keep }
        })
    }
}
