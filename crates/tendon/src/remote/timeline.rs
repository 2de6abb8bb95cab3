//! The time line of a deployment that a server ran, made of its operations.

use std::collections::BTreeMap;

use arm::{Caseless as _, ProvisioningState};
use engine::{DeploymentRecord, OperationRecord};
use graph::ResourceOutcome;
use pages::TimelineRow;

/// What was done when.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The steps of the outermost deployment, in the order in which they began.
    pub(crate) rows: Vec<TimelineRow>,
    /// How long all of it took, in milliseconds.
    pub(crate) total: i64,
    /// How resources ended, by id in lower case.
    pub(crate) marks: BTreeMap<String, ResourceOutcome>,
}

/// When something began and ended, in milliseconds since 1970, from when it ended and how long it took.
fn times(ended: Option<i64>, took: Option<i64>) -> Option<(i64, i64)> {
    ended.map(|ended| (ended.saturating_sub(took.unwrap_or(0)), ended))
}

/// Reads the operations of a deployment and its record.
pub(super) fn timeline(operations: &[OperationRecord], record: &DeploymentRecord) -> Timeline {
    let mut known: BTreeMap<String, (TimelineRow, i64, i64)> = BTreeMap::new();
    for operation in operations {
        let Some(target) = operation.target.as_ref().filter(|target| !target.id.is_empty()) else { continue };
        let Some((began, ended)) = times(operation.timestamp, operation.duration) else { continue };
        let id = &target.id;
        let mark = match operation.state {
            ProvisioningState::Succeeded => ResourceOutcome::Succeeded,
            ProvisioningState::Canceled => ResourceOutcome::Canceled,
            ProvisioningState::Running | ProvisioningState::Accepted => ResourceOutcome::Running,
            ProvisioningState::Failed => ResourceOutcome::Failed,
        };
        let error = operation.error.as_ref().map(|error| error.message.clone());
        let row = TimelineRow {
            label: target.resource_name.as_deref().unwrap_or_default().to_owned(),
            name: String::new(),
            kind: target.resource_type.as_deref().unwrap_or_default().to_owned(),
            depth: 0,
            mark,
            began: None,
            ended: None,
            attempts: 1,
            waits: Vec::new(),
            after: Vec::new(),
            error: error.filter(|message| !message.is_empty()),
        };
        // There is an operation for each attempt, and the last one counts.
        match known.get_mut(&id.caseless()) {
            None => drop(known.insert(id.caseless(), (row, began, ended))),
            Some((before, first, last)) => {
                let attempts = before.attempts.saturating_add(1);
                let is_last = ended >= *last;
                (*first, *last) = (began.min(*first), ended.max(*last));
                if is_last {
                    *before = row;
                }
                before.attempts = attempts;
            }
        }
    }
    let whole = times(record.timestamp, record.duration);
    let all = known.values().map(|(_, began, ended)| (*began, *ended)).chain(whole);
    let (start, end) =
        all.fold((i64::MAX, i64::MIN), |(start, end), (began, ended)| (start.min(began), end.max(ended)));
    let marks = known.iter().map(|(id, (row, _, _))| (id.clone(), row.mark)).collect();
    let mut rows: Vec<TimelineRow> = known
        .into_values()
        .map(|(row, began, ended)| TimelineRow {
            began: Some(began - start),
            ended: Some(ended - start),
            ..row
        })
        .collect();
    rows.sort_by_key(|row| row.began);
    Timeline { rows, total: end.saturating_sub(start).max(0), marks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_one_row_and_times_count_from_the_beginning() {
        let operation = |id: &str, second: u32, state: &str| {
            let name = id.to_uppercase();
            OperationRecord::from_store(&format!(
                r#"{{"timestamp": "2026-01-31T12:00:{second:02}.0000000Z", "duration": "PT2S", "provisioningState": "{state}",
                    "targetResource": {{"id": "/r/{name}", "resourceName": "{id}", "resourceType": "A.B/c"}}}}"#
            ))
            .unwrap()
        };
        let operations =
            [operation("late", 9, "Succeeded"), operation("a", 3, "Failed"), operation("a", 6, "Succeeded")];
        let record = r#"{"properties": {"timestamp": "2026-01-31T12:00:10.0000000Z", "duration": "PT10S"}}"#;
        let record = DeploymentRecord::from_store(record).unwrap();
        let made = timeline(&operations, &record);
        let rows: Vec<_> = made
            .rows
            .iter()
            .map(|row| (row.label.as_str(), row.attempts, row.began, row.ended, row.mark))
            .collect();
        assert_eq!(
            rows,
            [
                ("a", 2, Some(1_000), Some(6_000), ResourceOutcome::Succeeded),
                ("late", 1, Some(7_000), Some(9_000), ResourceOutcome::Succeeded)
            ]
        );
        assert_eq!((made.total, made.marks.len()), (10_000, 2));
        let none = timeline(&[], &DeploymentRecord::new("", ""));
        assert_eq!((none.rows.len(), none.total), (0, 0));
    }
}
