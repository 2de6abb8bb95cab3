//! The time line of a deployment that a server ran, made of its operations.

use std::collections::BTreeMap;

use arm::Caseless as _;
use arm::Value;
use graph::Mark;
use pages::Row;
use pages::ui::milliseconds;
use server::read_moment;

use super::deployment::text;

/// What was done when.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// The steps of the outermost deployment, in the order in which they began.
    pub(crate) rows: Vec<Row>,
    /// How long all of it took, in milliseconds.
    pub(crate) total: i64,
    /// How resources ended, by id in lower case.
    pub(crate) marks: BTreeMap<String, Mark>,
}

/// When something began and ended, in milliseconds since 1970.
fn times(value: &Value) -> Option<(i64, i64)> {
    let ended = read_moment(text(value, &["properties", "timestamp"]))?;
    let took = milliseconds(text(value, &["properties", "duration"])).unwrap_or(0);
    Some((ended - took, ended))
}

/// Reads the operations of a deployment and its record.
pub(super) fn timeline(operations: &[Value], record: &Value) -> Timeline {
    let mut known: BTreeMap<String, (Row, i64, i64)> = BTreeMap::new();
    for operation in operations {
        let id = text(operation, &["properties", "targetResource", "id"]);
        let Some((began, ended)) = times(operation).filter(|_| !id.is_empty()) else { continue };
        let mark = match text(operation, &["properties", "provisioningState"]) {
            "Succeeded" => Mark::Succeeded,
            "Canceled" => Mark::Canceled,
            "Running" | "Accepted" => Mark::Running,
            _ => Mark::Failed,
        };
        let error = text(operation, &["properties", "statusMessage", "error", "message"]);
        let row = Row {
            label: text(operation, &["properties", "targetResource", "resourceName"]).to_owned(),
            name: String::new(),
            kind: text(operation, &["properties", "targetResource", "resourceType"]).to_owned(),
            depth: 0,
            mark,
            began: None,
            ended: None,
            attempts: 1,
            waits: Vec::new(),
            after: Vec::new(),
            error: (!error.is_empty()).then(|| error.to_owned()),
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
    let whole = times(record);
    let all = known.values().map(|(_, began, ended)| (*began, *ended)).chain(whole);
    let (start, end) =
        all.fold((i64::MAX, i64::MIN), |(start, end), (began, ended)| (start.min(began), end.max(ended)));
    let marks = known.iter().map(|(id, (row, _, _))| (id.clone(), row.mark)).collect();
    let mut rows: Vec<Row> = known
        .into_values()
        .map(|(row, began, ended)| Row { began: Some(began - start), ended: Some(ended - start), ..row })
        .collect();
    rows.sort_by_key(|row| row.began);
    Timeline { rows, total: end.saturating_sub(start).max(0), marks }
}

#[cfg(test)]
mod tests {
    use engine::records::parse;

    use super::*;

    #[test]
    fn attempts_are_one_row_and_times_count_from_the_beginning() {
        let operation = |id: &str, second: u32, state: &str| {
            let name = id.to_uppercase();
            parse(&format!(
                r#"{{"properties": {{"timestamp": "2026-01-31T12:00:{second:02}.0000000Z", "duration": "PT2S", "provisioningState": "{state}",
                    "targetResource": {{"id": "/r/{name}", "resourceName": "{id}", "resourceType": "A.B/c"}}}}}}"#
            ))
            .unwrap()
        };
        let operations =
            [operation("late", 9, "Succeeded"), operation("a", 3, "Failed"), operation("a", 6, "Succeeded")];
        let record =
            parse(r#"{"properties": {"timestamp": "2026-01-31T12:00:10.0000000Z", "duration": "PT10S"}}"#)
                .unwrap();
        let made = timeline(&operations, &record);
        let rows: Vec<_> = made
            .rows
            .iter()
            .map(|row| (row.label.as_str(), row.attempts, row.began, row.ended, row.mark))
            .collect();
        assert_eq!(
            rows,
            [
                ("a", 2, Some(1_000), Some(6_000), Mark::Succeeded),
                ("late", 1, Some(7_000), Some(9_000), Mark::Succeeded)
            ]
        );
        assert_eq!((made.total, made.marks.len()), (10_000, 2));
        let none = timeline(&[], &parse("{}").unwrap());
        assert_eq!((none.rows.len(), none.total), (0, 0));
    }
}
