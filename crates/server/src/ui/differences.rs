//! Predictions as differences of a page.

use arm::Value;
use engine::{Change, ChangeKind, WhatIf};
use graph::Mark;
use pages::ui::{Changes, PropertyChange, ResourceChange};

use super::value::tree;

/// How many resources keep their bodies: those behind them are named only.
const WITH_BODY: usize = 200;

/// The difference that a prediction tells.
pub(super) fn of(predicted: &WhatIf) -> Changes {
    let resources = predicted.changes.iter().enumerate().map(|(at, it)| change(it, at < WITH_BODY)).collect();
    let notes = predicted.diagnostics.iter().map(|it| format!("{}: {}", it.code, it.message)).collect();
    Changes { resources, notes }
}

/// What is done to a resource, as a mark.
pub(super) fn mark(kind: ChangeKind) -> Mark {
    match kind {
        ChangeKind::Create => Mark::Create,
        ChangeKind::Modify => Mark::Change,
        ChangeKind::NoChange => Mark::Keep,
        ChangeKind::Delete => Mark::Delete,
        ChangeKind::Ignore => Mark::Ignore,
    }
}

fn change(it: &Change, with_body: bool) -> ResourceChange {
    let text = |value: &Option<Value>| value.as_ref().map(Value::to_json);
    let properties = it.delta.iter().map(|delta| PropertyChange {
        path: delta.path.clone(),
        before: text(&delta.before),
        after: text(&delta.after),
    });
    let body = it.after.as_ref().or(it.before.as_ref()).filter(|_| with_body);
    ResourceChange {
        id: it.id.clone(),
        mark: mark(it.kind),
        properties: properties.collect(),
        body: body.map(tree),
    }
}
