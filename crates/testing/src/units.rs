//! The deployment of a case and those inside it: what ran, and how its steps ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::Caseless as _;
use arm::deployment::{Plan, PlanStep, StepKind};
use engine::AcceptedDeployment;
use engine::core::{NestedProgram, RunIndex, RunProgress, StepIndex, StepProgram};
use engine::{PlanProgram, Watcher};

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepOutcome {
    Succeeded,
    /// There was nothing to do.
    LeftAlone,
    Failed,
}

/// A deployment that ran.
pub(crate) struct Unit {
    program: Arc<dyn StepProgram>,
    outcomes: BTreeMap<usize, StepOutcome>,
    /// The deployments inside it, by the step that each of them is; of several attempts the last.
    inside: BTreeMap<usize, RunIndex>,
}

/// What is written down while a case runs.
pub(crate) struct Units {
    runs: BTreeMap<RunIndex, Unit>,
    first: Option<i64>,
    last: Option<i64>,
    pub(crate) deleted: Vec<String>,
}

/// What a resource is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnitName {
    /// The modules around it and its own name, with dots and without places in loops.
    pub(crate) symbol: String,
    /// Its place in its loop.
    pub(crate) index: Option<usize>,
}

impl Unit {
    fn new(program: Arc<dyn StepProgram>) -> Unit {
        Unit { program, outcomes: BTreeMap::new(), inside: BTreeMap::new() }
    }

    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.program.plan()
    }

    /// The id of a step, which the engine may have chosen.
    pub(crate) fn id<'u>(&'u self, step: &'u PlanStep) -> &'u str {
        self.program.subject(StepIndex::new(step.index)).0
    }

    pub(crate) fn outcome(&self, step: &PlanStep) -> Option<StepOutcome> {
        self.outcomes.get(&step.index).copied()
    }
}

impl Units {
    pub(crate) fn new(accepted: &AcceptedDeployment) -> Units {
        let program: Arc<dyn StepProgram> = Arc::<PlanProgram>::clone(&accepted.program);
        let runs = BTreeMap::from([(RunIndex::OUTERMOST, Unit::new(program))]);
        Units { runs, first: None, last: None, deleted: Vec::new() }
    }

    pub(crate) fn outermost(&self) -> Option<&Unit> {
        self.runs.get(&RunIndex::OUTERMOST)
    }

    /// The deployment that a step of another one is; none if it did not begin.
    pub(crate) fn inside(&self, unit: &Unit, step: &PlanStep) -> Option<&Unit> {
        self.runs.get(unit.inside.get(&step.index)?)
    }

    /// When the first thing happened, and how many milliseconds later the last one.
    pub(crate) fn duration(&self) -> (i64, i64) {
        let first = self.first.unwrap_or_default();
        (first, self.last.unwrap_or(first).saturating_sub(first))
    }

    /// All resources that were put or left alone, those of modules included, in the order of the program, with their names.
    pub(crate) fn resources(&self) -> Vec<(UnitName, &Unit, &PlanStep)> {
        let mut all = Vec::new();
        let mut open: Vec<(String, &Unit)> =
            self.outermost().map(|unit| (String::new(), unit)).into_iter().collect();
        while let Some((prefix, unit)) = open.pop() {
            let mut modules = Vec::new();
            for step in unit.plan().map(Plan::steps).unwrap_or_default() {
                let name = name(&prefix, step);
                if step.kind == StepKind::Deployment {
                    if let Some(inside) = self.inside(unit, step) {
                        modules.push((format!("{}.", name.symbol), inside));
                    }
                } else {
                    all.push((name, unit, step));
                }
            }
            open.extend(modules.into_iter().rev());
        }
        all
    }

    /// What ids are called, in folded form.
    pub(crate) fn names(&self) -> BTreeMap<String, UnitName> {
        let named = self.resources().into_iter().filter(|(_, unit, step)| !unit.id(step).is_empty());
        let mut names: BTreeMap<String, UnitName> = BTreeMap::new();
        for (name, unit, step) in named {
            let id = unit.id(step).caseless();
            // Who puts a resource is more than who reads it.
            if step.kind != StepKind::Existing || !names.contains_key(&id) {
                names.insert(id, name);
            }
        }
        names
    }
}

/// The name of a step in a deployment with a prefix.
pub(crate) fn name(prefix: &str, step: &PlanStep) -> UnitName {
    let symbol = step.symbol.as_deref().unwrap_or_default();
    UnitName { symbol: format!("{prefix}{symbol}"), index: step.copy.as_ref().map(|(_, index)| *index) }
}

impl Watcher for Units {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        self.first = Some(self.first.map_or(now, |first| first.min(now)));
        self.last = Some(self.last.map_or(now, |last| last.max(now)));
        match progress {
            RunProgress::Began { run, within: (outer, step), inside: NestedProgram(program) } => {
                self.runs.insert(*run, Unit::new(Arc::clone(program)));
                if let Some(outer) = self.runs.get_mut(outer) {
                    outer.inside.insert(step.get(), *run);
                }
            }
            RunProgress::Ended { step: (run, step), failure, skipped } => {
                if let Some(unit) = self.runs.get_mut(run) {
                    let outcome = match (failure, skipped) {
                        (Some(_), _) => StepOutcome::Failed,
                        (None, true) => StepOutcome::LeftAlone,
                        (None, false) => StepOutcome::Succeeded,
                    };
                    unit.outcomes.insert(step.get(), outcome);
                }
            }
            RunProgress::Deleted { id, .. } => self.deleted.push(id.to_string()),
            RunProgress::Started { .. } | RunProgress::Waiting { .. } | RunProgress::NotStarted { .. } => {}
        }
    }
}
