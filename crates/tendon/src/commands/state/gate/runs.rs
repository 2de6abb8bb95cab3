//! The runs of an export: which there are, and what is missing of those that will be resumed.

use std::collections::HashMap;

use engine::form::{self, Flaws};
use engine::records::{INPUTS, TEMPLATE};
use store::{BackupRecord, Deployment, RunId, Status};

/// What is known of the runs before their rows are let in.
#[derive(Default)]
pub(in super::super) struct Runs {
    all: HashMap<RunId, Run>,
    /// The last steps of runs.
    last: HashMap<RunId, u32>,
    /// The parts of outermost runs that have not ended. Blobs may come before their deployments.
    parts: HashMap<(RunId, &'static str), Vec<u8>>,
}

struct Run {
    root: RunId,
    status: Status,
}

impl Runs {
    /// Takes note of a deployment, or of a step.
    pub(in super::super) fn note(&mut self, row: &BackupRecord) {
        match row {
            BackupRecord::Deployment { deployment: Deployment { run, root, status, .. }, .. } => {
                self.all.insert(*run, Run { root: *root, status: *status });
            }
            BackupRecord::Step(step) => {
                let last = self.last.entry(step.run).or_default();
                *last = (*last).max(step.number);
            }
            BackupRecord::Operation(_) | BackupRecord::Blob { .. } | BackupRecord::Resource(_) => {}
        }
    }

    /// Takes note of a part of a run that will be resumed, once all deployments are known.
    pub(in super::super) fn note_part(&mut self, row: BackupRecord) {
        let BackupRecord::Blob { run, name, bytes } = row else { return };
        let part = [INPUTS, TEMPLATE].into_iter().find(|part| *part == name);
        if let Some(part) = part.filter(|_| self.is_resumed(run)) {
            self.parts.insert((run, part), bytes);
        }
    }

    /// Whether there are runs whose parts matter.
    pub(in super::super) fn has_resumed(&self) -> bool {
        self.all.keys().any(|run| self.is_resumed(*run))
    }

    fn is_resumed(&self, run: RunId) -> bool {
        self.all.get(&run).is_some_and(|it| it.root == run && it.status == Status::Active)
    }

    pub(super) fn is_known(&self, run: RunId) -> bool {
        self.all.contains_key(&run)
    }

    pub(super) fn is_outermost(&self, run: RunId) -> bool {
        self.all.get(&run).is_some_and(|it| it.root == run)
    }

    /// What is wrong with a deployment among the others.
    pub(super) fn flaws(&self, deployment: &Deployment) -> Flaws {
        let Deployment { run, root, status, .. } = deployment;
        if root == run {
            let part = |name: &'static str| self.parts.get(&(*run, name)).map(Vec::as_slice);
            return match status {
                Status::Active => {
                    form::run(deployment, part(TEMPLATE), part(INPUTS), self.last.get(run).copied())
                }
                Status::Ended => Flaws::new(),
            };
        }
        // The deployment around one that has ended may have been replaced since.
        let is_alive = self.all.get(root).is_some_and(|it| it.root == *root && it.status == Status::Active);
        match status {
            Status::Active if !is_alive => {
                vec!["it has not ended, and `root` is no run that will be resumed".to_owned()]
            }
            Status::Active | Status::Ended => Flaws::new(),
        }
    }
}
