//! Remembers what happens in a run: when steps began and ended, what they waited for, and how often they were tried.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::Caseless as _;
use engine::core::{RunIndex, RunProgress, StepIndex, StepProgram};
use engine::{AcceptedDeployment, Failure, Watcher};

/// A step: its deployment, and its place in that.
type StepId = (RunIndex, StepIndex);

/// What was seen of a run.
pub struct Recorder {
    programs: BTreeMap<RunIndex, Arc<dyn StepProgram>>,
    /// The deployment that a step is; one that is run again takes the place of the one before.
    inside: BTreeMap<StepId, RunIndex>,
    steps: BTreeMap<StepId, StepHistory>,
    began: Option<i64>,
    last: i64,
    /// What is shown once it has ended. The programs are gone then: they have the memory of the deployment, of which others need a part.
    ended: Option<EndedRun>,
}

/// What is shown of a run that has ended.
struct EndedRun {
    steps: Vec<RecordedStep>,
    states: Vec<(String, StepState)>,
}

/// What was seen of a step.
#[derive(Default)]
struct StepHistory {
    began: Option<i64>,
    ended: Option<i64>,
    attempts: u32,
    waits: Vec<StepWait>,
    state: Option<StepState>,
    failure: Option<Failure>,
}

/// How far a step has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepState {
    Running,
    Succeeded,
    /// Its resource was there already.
    Skipped,
    Failed,
    Canceled,
    NotStarted,
}

impl StepState {
    /// The state of a step that ended with an error: one that was under way when its deployment was cancelled did not fail.
    pub(crate) fn of_error(code: &str) -> StepState {
        if code == "DeploymentCanceled" { StepState::Canceled } else { StepState::Failed }
    }
}

/// A time of waiting of a step.
#[derive(Clone, Debug)]
pub(crate) struct StepWait {
    /// In milliseconds since the run began.
    pub(crate) at: i64,
    pub(crate) milliseconds: i64,
    pub(crate) why: String,
}

/// What was done for one resource or module.
#[derive(Clone)]
pub(crate) struct RecordedStep {
    /// Its symbolic name, or else the name of its resource.
    pub(crate) label: String,
    /// The id of its resource.
    pub(crate) id: String,
    /// How many modules it is inside of.
    pub(crate) depth: usize,
    pub(crate) state: StepState,
    /// In milliseconds since the run began; none if it never did.
    pub(crate) began: Option<i64>,
    /// Likewise; what still goes on has ended at the last moment that is known.
    pub(crate) ended: Option<i64>,
    pub(crate) attempts: u32,
    pub(crate) waits: Vec<StepWait>,
    /// What had to be done before; the one that ended last comes first.
    pub(crate) after: Vec<String>,
    /// The code of its error.
    pub(crate) error: Option<String>,
}

/// How many waits of a step are remembered; of more, the last ones.
const WAITS: usize = 200;
/// How many of those that a step had to wait for are named; of more, the last ones.
const NAMED: usize = 100;
/// How many steps a run may have of which more is remembered than what its records say.
const REMEMBERED: usize = 2000;

/// How a step of the outermost deployment went.
#[derive(Clone, Debug)]
pub struct StepSummary {
    /// What it is called: its symbolic name, or else the name of its resource.
    pub name: String,
    /// How long it took, if that is known.
    pub milliseconds: Option<i64>,
    /// How it ended, in the words of the REST API.
    pub state: String,
    /// Why it failed; none otherwise.
    pub failure: Option<Failure>,
}

/// The type of what a module is.
const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

impl Recorder {
    /// A recorder of a deployment that has not begun.
    pub fn new(accepted: &AcceptedDeployment) -> Recorder {
        let program: Arc<dyn StepProgram> = Arc::<engine::PlanProgram>::clone(&accepted.program);
        Recorder {
            programs: BTreeMap::from([(RunIndex::OUTERMOST, program)]),
            inside: BTreeMap::new(),
            steps: BTreeMap::new(),
            began: None,
            last: 0,
            ended: None,
        }
    }

    /// How long all of it took, in milliseconds.
    pub fn total(&self) -> i64 {
        self.began.map_or(0, |began| self.last - began)
    }

    /// Hears that time has passed, so that what goes on is shown with it.
    pub(crate) fn pass(&mut self, now: i64) {
        if self.began.is_some() {
            self.last = self.last.max(now);
        }
    }

    /// Lets go of the programs of a run that has ended, and keeps what is shown of it. False if that is too much to be remembered.
    pub(crate) fn end(&mut self) -> bool {
        if self.steps.len() > REMEMBERED {
            return false;
        }
        let ended = EndedRun { steps: self.steps(), states: self.states() };
        self.programs.clear();
        self.steps.clear();
        self.inside.clear();
        self.ended = Some(ended);
        true
    }

    /// How far the resources have come, by id in lower case.
    pub(crate) fn states(&self) -> Vec<(String, StepState)> {
        if let Some(ended) = &self.ended {
            return ended.states.clone();
        }
        let states = self.steps.iter().filter_map(|((run, step), seen)| {
            let (id, _) = self.programs.get(run)?.subject(*step);
            Some((id.caseless(), seen.state.unwrap_or(StepState::Running)))
        });
        states.filter(|(id, _)| !id.is_empty()).collect()
    }

    /// The steps: what began first comes first, and what is inside a module comes behind it.
    pub(crate) fn steps(&self) -> Vec<RecordedStep> {
        if let Some(ended) = &self.ended {
            return ended.steps.clone();
        }
        let mut rows = Vec::new();
        let mut left: Vec<(StepId, usize)> =
            self.sorted(RunIndex::OUTERMOST).into_iter().rev().map(|step| (step, 0)).collect();
        while let Some((step, depth)) = left.pop() {
            rows.extend(self.step(step, depth));
            if let Some(run) = self.inside.get(&step) {
                left.extend(self.sorted(*run).into_iter().rev().map(|step| (step, depth + 1)));
            }
        }
        rows
    }

    /// What was done for resources and modules of the outermost deployment, in the order in which that began.
    pub fn outermost(&self) -> Vec<StepSummary> {
        self.sorted(RunIndex::OUTERMOST).into_iter().filter_map(|step| self.ran(step)).collect()
    }

    fn ran(&self, step: StepId) -> Option<StepSummary> {
        let (program, seen) = (self.programs.get(&RunIndex::OUTERMOST)?, self.steps.get(&step)?);
        let (kind, name) = program.named(step.1)?;
        if program.output_resource(step.1).is_none() && !kind.eq_ignore_ascii_case(DEPLOYMENTS) {
            return None;
        }
        let state = match seen.state {
            Some(StepState::Succeeded | StepState::Skipped) => "Succeeded",
            Some(StepState::Failed) => "Failed",
            // What ran when all of it was canceled.
            None => "Canceled",
            Some(StepState::Running | StepState::NotStarted | StepState::Canceled) => return None,
        };
        let name = program.subject(step.1).1.unwrap_or(name).to_owned();
        let milliseconds = seen.began.map(|began| seen.ended.unwrap_or(self.last) - began);
        Some(StepSummary { name, milliseconds, state: state.to_owned(), failure: seen.failure.clone() })
    }

    /// The steps of a deployment in the order in which they began.
    fn sorted(&self, run: RunIndex) -> Vec<StepId> {
        let own = self.steps.range((run, StepIndex::FIRST)..=(run, StepIndex::LAST));
        let mut own: Vec<(i64, StepId)> =
            own.map(|(step, seen)| (seen.began.unwrap_or(i64::MAX), *step)).collect();
        own.sort_unstable();
        own.into_iter().map(|(_, step)| step).collect()
    }

    /// What a step is called.
    fn label(&self, (run, step): StepId) -> Option<String> {
        let (id, symbol) = self.programs.get(&run)?.subject(step);
        let name = symbol.unwrap_or_else(|| id.rsplit('/').next().unwrap_or_default());
        (!id.is_empty() || symbol.is_some()).then(|| name.to_owned())
    }

    fn step(&self, step: StepId, depth: usize) -> Option<RecordedStep> {
        let label = self.label(step)?;
        let (id, _) = self.programs.get(&step.0)?.subject(step.1);
        let seen = self.steps.get(&step)?;
        let start = self.began.unwrap_or(0);
        let since = |moment: Option<i64>| moment.map(|moment| moment - start);
        let waits = seen.waits.iter().map(|wait| StepWait { at: wait.at - start, ..wait.clone() });
        Some(RecordedStep {
            label,
            id: id.to_owned(),
            depth,
            state: seen.state.unwrap_or(StepState::Running),
            began: since(seen.began),
            ended: since(seen.began.map(|_| seen.ended.unwrap_or(self.last))),
            attempts: seen.attempts,
            waits: waits.collect(),
            after: self.after(step),
            error: seen.failure.as_ref().map(|failure| failure.code.to_string()),
        })
    }

    /// What had to be done before a step, the last first.
    fn after(&self, (run, step): StepId) -> Vec<String> {
        let Some(program) = self.programs.get(&run) else { return Vec::new() };
        let mut before: Vec<(i64, StepIndex)> = Vec::new();
        for needed in program.depends_on(step) {
            // A group of steps is a step that nobody knows by name.
            let members = match self.label((run, *needed)) {
                Some(_) => std::slice::from_ref(needed),
                None => program.depends_on(*needed),
            };
            let ended =
                |step: StepIndex| self.steps.get(&(run, step)).and_then(|seen| seen.ended).unwrap_or(0);
            before.extend(members.iter().map(|member| (ended(*member), *member)));
        }
        before.sort_unstable_by(|a, b| b.cmp(a));
        before.dedup();
        let mut names: Vec<(String, usize)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for name in before.into_iter().filter_map(|(_, step)| self.label((run, step))) {
            let at = *places.entry(name.clone()).or_insert(names.len());
            match names.get_mut(at) {
                Some((_, count)) => *count += 1,
                None => names.push((name, 1)),
            }
        }
        // Those of a loop are called the same.
        let told =
            |(name, count): (String, usize)| if count > 1 { format!("{name} × {count}") } else { name };
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let more = (more > 0).then(|| format!("{more} more"));
        names.into_iter().map(told).chain(more).collect()
    }
}

impl Watcher for Recorder {
    fn on_progress(&mut self, progress: &RunProgress, now: i64) {
        self.began.get_or_insert(now);
        self.last = self.last.max(now);
        match progress {
            RunProgress::Began { run, within, inside } => {
                self.programs.insert(*run, Arc::clone(&inside.0));
                self.inside.insert(*within, *run);
                self.steps.entry(*within).or_default().began.get_or_insert(now);
            }
            RunProgress::Started { step, attempt } => {
                let seen = self.steps.entry(*step).or_default();
                seen.began.get_or_insert(now);
                seen.attempts = *attempt;
            }
            RunProgress::Waiting { step, milliseconds, why } => {
                let milliseconds = i64::try_from(*milliseconds).unwrap_or(i64::MAX);
                let wait = StepWait { at: now, milliseconds, why: why.to_string() };
                let waits = &mut self.steps.entry(*step).or_default().waits;
                if waits.len() >= WAITS {
                    waits.remove(0);
                }
                waits.push(wait);
            }
            RunProgress::Ended { step, failure, skipped } => {
                let seen = self.steps.entry(*step).or_default();
                seen.began.get_or_insert(now);
                seen.ended = Some(now);
                seen.failure.clone_from(failure);
                seen.state = Some(match (failure, skipped) {
                    (Some(failure), _) => StepState::of_error(&failure.code),
                    (None, true) => StepState::Skipped,
                    (None, false) => StepState::Succeeded,
                });
            }
            RunProgress::NotStarted { step } => {
                self.steps.entry(*step).or_default().state = Some(StepState::NotStarted);
            }
            RunProgress::Deleted { .. } => {}
        }
    }
}
