//! What was recorded of a run, as pages and pictures show it.

use std::collections::BTreeMap;

use graph::ResourceOutcome;
use pages::{TimelineRow, Wait};

use crate::recorder::{RecordedStep, Recorder, StepState};

/// The time line: what began first comes first, and what is inside a module comes behind it.
pub fn timeline(recorder: &Recorder) -> Vec<TimelineRow> {
    recorder.steps().into_iter().map(row).collect()
}

/// How the resources ended, by id in lower case.
pub fn marks(recorder: &Recorder) -> BTreeMap<String, ResourceOutcome> {
    recorder.states().into_iter().map(|(id, state)| (id, mark(state))).collect()
}

/// The mark of a step.
pub(crate) fn mark(state: StepState) -> ResourceOutcome {
    match state {
        StepState::Running => ResourceOutcome::Running,
        StepState::Succeeded => ResourceOutcome::Succeeded,
        StepState::Skipped => ResourceOutcome::There,
        StepState::Failed => ResourceOutcome::Failed,
        StepState::Canceled => ResourceOutcome::Canceled,
        StepState::NotStarted => ResourceOutcome::NotStarted,
    }
}

fn row(step: RecordedStep) -> TimelineRow {
    let waits = step.waits.into_iter();
    let waits = waits.map(|wait| Wait { at: wait.at, milliseconds: wait.milliseconds, why: wait.why });
    TimelineRow {
        name: own_name(&step.id, &step.label),
        kind: kind_of(&step.id),
        label: step.label,
        depth: step.depth,
        mark: mark(step.state),
        began: step.began,
        ended: step.ended,
        attempts: step.attempts,
        waits: waits.collect(),
        after: step.after,
        error: step.error,
    }
}

/// The name of a resource, if it says more than what its step is called.
pub(crate) fn own_name(id: &str, label: &str) -> String {
    let name = id.rsplit('/').next().unwrap_or_default();
    if name.eq_ignore_ascii_case(label) { String::new() } else { name.to_owned() }
}

/// The type in an id: `Microsoft.Storage/storageAccounts`, or `resourceGroups`.
pub(crate) fn kind_of(id: &str) -> String {
    let rest = id.rfind("/providers/").and_then(|at| id.get(at + "/providers/".len()..));
    match rest {
        Some(rest) => {
            let mut parts = rest.split('/');
            let namespace = parts.next().unwrap_or_default().to_owned();
            parts.step_by(2).fold(namespace, |kind, part| format!("{kind}/{part}"))
        }
        None => id.rsplit('/').nth(1).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_tell_their_types() {
        let group = "/subscriptions/s/resourceGroups/g";
        assert_eq!(kind_of(group), "resourceGroups");
        assert_eq!(kind_of(&format!("{group}/providers/A.B/c/d/e/f")), "A.B/c/e");
        assert_eq!(kind_of(&format!("{group}/providers/A.B/c/d/providers/E.F/g/h")), "E.F/g");
        assert_eq!(kind_of(""), "");
        assert_eq!(own_name("/a/Name", "name"), "");
        assert_eq!(own_name("/a/pictures", "containers"), "pictures");
    }
}
