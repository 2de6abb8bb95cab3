//! Predictions as differences of a page.

use arm::Value;
use engine::{ChangeKind, PredictedChange, WhatIf};
use graph::ResourceOutcome;
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
pub(super) fn mark(kind: ChangeKind) -> ResourceOutcome {
    match kind {
        ChangeKind::Create => ResourceOutcome::Create,
        ChangeKind::Modify => ResourceOutcome::Change,
        ChangeKind::NoChange => ResourceOutcome::Keep,
        ChangeKind::Delete => ResourceOutcome::Delete,
        ChangeKind::Ignore => ResourceOutcome::Ignore,
    }
}

fn change(it: &PredictedChange, with_body: bool) -> ResourceChange {
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
