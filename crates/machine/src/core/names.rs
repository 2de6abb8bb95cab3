//! The names of the deployments inside: one that is called like another one in its scope waits until the other one has ended.
//!
//! The store lets one deployment of a name run in a scope. Which of two steps comes first is chance where nothing orders them, so the
//! second one waits. What would wait for itself does not wait: the store refuses it.

use std::collections::{BTreeMap, BTreeSet};

use store::{DeploymentKey, RunId};

use super::index::{RunIndex, StepIndex};
use super::machine::{Machine, Purpose};
use super::run::StepStatus;
use crate::records::Stored;

/// How many steps wait for one name.
const MOST: usize = 1_000;

/// The names that are taken, and who waits for them.
#[derive(Default)]
pub(super) struct TakenNames {
    by_key: BTreeMap<DeploymentKey, TakenName>,
}

#[derive(Default)]
struct TakenName {
    holder: Option<NameHolder>,
    waiting: BTreeSet<(RunIndex, StepIndex)>,
}

#[derive(Clone, Copy)]
enum NameHolder {
    /// A deployment that runs.
    Run(RunIndex),
    /// One that an earlier process began, and whose step this one has not come to.
    Stored(RunId),
}

impl TakenNames {
    /// The names of the deployments that an earlier process began, without the outermost one.
    pub(super) fn of_stored(stored: &Stored, outermost: RunId) -> TakenNames {
        let mut names = TakenNames::default();
        for (run, kept) in stored.iter().filter(|(run, kept)| **run != outermost && !kept.has_ended) {
            names.by_key.entry(kept.key.clone()).or_default().holder = Some(NameHolder::Stored(*run));
        }
        names
    }

    /// Gives a name to a deployment, unless another one that runs has it.
    pub(super) fn take(&mut self, key: &DeploymentKey, run: RunIndex, instead_of: Option<RunIndex>) {
        let name = self.by_key.entry(key.clone()).or_default();
        match name.holder {
            Some(NameHolder::Run(holder)) if Some(holder) != instead_of => {}
            Some(NameHolder::Run(_) | NameHolder::Stored(_)) | None => {
                name.holder = Some(NameHolder::Run(run));
            }
        }
    }

    /// Takes a step out of those that wait for anything.
    fn any_waiting(&mut self) -> Option<(RunIndex, StepIndex)> {
        self.by_key.values_mut().find_map(|name| name.waiting.pop_first())
    }
}

impl Machine {
    /// Lets a step wait if the name of its deployment is taken. It gives up its room.
    pub(super) fn waits_for_name(
        &mut self,
        step: (RunIndex, StepIndex),
        inner: RunId,
        key: &DeploymentKey,
    ) -> bool {
        let (run, index) = step;
        let holder = self.names.by_key.get(key).and_then(|name| name.holder);
        let is_free = match holder {
            None => true,
            Some(NameHolder::Stored(holder)) => holder == inner,
            Some(NameHolder::Run(holder)) => self.is_around(run, holder) || self.is_run_of(holder, step),
        };
        if is_free || self.runs.get(run).is_some_and(|entry| entry.has_waited.contains(&index)) {
            return false;
        }
        let Some(name) = self.names.by_key.get_mut(key) else { return false };
        if name.waiting.len() >= MOST {
            return false;
        }
        name.waiting.insert(step);
        self.busy -= 1;
        if let Some(entry) = self.runs.get_mut(run) {
            entry.set(index, StepStatus::Waiting);
        }
        true
    }

    /// Whether a run is another one, or inside of it.
    fn is_around(&self, mut run: RunIndex, around: RunIndex) -> bool {
        while run != around {
            match self.runs.get(run).and_then(|entry| entry.within) {
                Some((outer, _)) => run = outer,
                None => return false,
            }
        }
        true
    }

    /// Whether a run is an earlier attempt of a step.
    fn is_run_of(&self, run: RunIndex, step: (RunIndex, StepIndex)) -> bool {
        self.runs.get(run).is_some_and(|entry| entry.within == Some(step))
    }

    /// The deployment that a step began has given up its name: the next one that waits for it starts.
    pub(super) fn free_name(&mut self, step: (RunIndex, StepIndex)) {
        let (run, index) = step;
        let child = self.runs.get(run).and_then(|entry| entry.inner.get(&index)?.child);
        let Some(child) = child else { return };
        let Some(key) = self.runs.get(child).map(|entry| entry.key.clone()) else { return };
        let Some(name) = self.names.by_key.get_mut(&key) else { return };
        if !matches!(name.holder, Some(NameHolder::Run(holder)) if holder == child) {
            return;
        }
        name.holder = None;
        loop {
            let Some(name) = self.names.by_key.get_mut(&key) else { return };
            match name.waiting.pop_first() {
                Some(next) if self.wake(next) => return,
                Some(_) => {}
                None => {
                    self.names.by_key.remove(&key);
                    return;
                }
            }
        }
    }

    /// Starts a step that nothing else will ever wake, where nothing is under way; the store decides about its name.
    pub(super) fn wake_any(&mut self) -> bool {
        // A step that is asked for, or rests, has room; its tickets may be old ones.
        let is_asked = |purpose: &Purpose| !matches!(purpose, Purpose::Step(..));
        let is_idle = self.busy == 0
            && self.queue.is_empty()
            && self.batches.is_empty()
            && !self.tickets.values().any(is_asked);
        while is_idle && let Some(step) = self.names.any_waiting() {
            if self.wake(step) {
                if let Some(entry) = self.runs.get_mut(step.0) {
                    entry.has_waited.insert(step.1);
                }
                return true;
            }
        }
        false
    }

    /// Puts a step in order that waits; not one of a deployment that was cancelled meanwhile.
    fn wake(&mut self, step: (RunIndex, StepIndex)) -> bool {
        let (run, index) = step;
        let Some(entry) = self.runs.get_mut(run) else { return false };
        if !matches!(entry.states.get(index), Some(StepStatus::Waiting)) {
            return false;
        }
        entry.set(index, StepStatus::Queued);
        self.queue.insert(step)
    }
}
