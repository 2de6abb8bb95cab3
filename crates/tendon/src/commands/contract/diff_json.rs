//! A comparison as one JSON value.
//!
//! It is written by hand, because the numbers in its values keep every digit.

use comparison::{Change, Difference, Level};
use contract::Constant;
use diagnostics::json::{JsonDiagnostic, JsonLocation};
use diagnostics::{SourceMap, Span};

use super::diff::{ComparedBoundary, DiffReport};
use super::operand::Operand;

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn or_null(text: Option<String>) -> String {
    text.unwrap_or_else(|| "null".to_owned())
}

/// The report as text, with a line break at the end.
pub(super) fn text(report: &DiffReport, sources: &SourceMap) -> String {
    let boundaries: Vec<String> =
        report.boundaries.iter().map(|boundary| boundary_text(boundary, sources)).collect();
    let verdict = match report.boundaries.as_slice() {
        [only] => quoted(only.diff.relation.name()),
        _ => "null".to_owned(),
    };
    let breaking = match report.breaking() {
        Some(breaking) if !report.boundaries.is_empty() => breaking.to_string(),
        _ => "null".to_owned(),
    };
    format!(
        "{{\"old\":{},\"new\":{},\"verdict\":{verdict},\"breaking\":{breaking},\"boundaries\":[{}],\"summary\":{{\"breaking\":{},\"warnings\":{},\"info\":{},\"unknown\":{}}}}}\n",
        operand_text(&report.old, sources),
        operand_text(&report.new, sources),
        boundaries.join(","),
        report.count(Level::Breaking),
        report.count(Level::Warning),
        report.count(Level::Info),
        report.count(Level::Unknown),
    )
}

fn operand_text(operand: &Operand, sources: &SourceMap) -> String {
    let errors: Vec<String> = operand
        .errors
        .iter()
        .map(|error| serde_json::to_string(&JsonDiagnostic::new(sources, error)).unwrap_or_default())
        .collect();
    format!(
        "{{\"contract\":{},\"kind\":{},\"errors\":[{}]}}",
        quoted(&operand.name),
        quoted(operand.kind),
        errors.join(",")
    )
}

fn boundary_text(boundary: &ComparedBoundary, sources: &SourceMap) -> String {
    let changes: Vec<String> =
        boundary.diff.changes.iter().map(|change| change_text(boundary, change, sources)).collect();
    format!(
        "{{\"name\":{},\"flow\":{},\"old\":{},\"new\":{},\"verdict\":{},\"lost\":{},\"gained\":{},\"changes\":[{}]}}",
        quoted(&boundary.name),
        quoted(boundary.flow.name()),
        or_null(boundary.old.as_deref().map(quoted)),
        or_null(boundary.new.as_deref().map(quoted)),
        quoted(boundary.diff.relation.name()),
        difference_text(boundary, &boundary.diff.lost),
        difference_text(boundary, &boundary.diff.gained),
        changes.join(",")
    )
}

fn difference_text(boundary: &ComparedBoundary, difference: &Difference) -> String {
    match difference {
        Difference::Some(value) => format!("{{\"state\":\"some\",{}}}", boundary.members(value)),
        Difference::None | Difference::Unknown => format!("{{\"state\":\"{}\"}}", difference.state()),
    }
}

fn change_text(boundary: &ComparedBoundary, change: &Change, sources: &SourceMap) -> String {
    let value = |value: &Option<Constant>| {
        or_null(value.as_ref().map(|value| format!("{{{}}}", boundary.members(value))))
    };
    let place = |place: Option<Span>| {
        or_null(
            place
                .filter(|place| sources.get(place.file).is_some())
                .map(|place| serde_json::to_string(&JsonLocation::new(sources, place)).unwrap_or_default()),
        )
    };
    format!(
        "{{\"path\":{},\"pointer\":{},\"verdict\":{},\"level\":{},\"rule\":{},\"message\":{},\"lost\":{},\"gained\":{},\"old\":{},\"new\":{}}}",
        quoted(&change.dotted()),
        quoted(&change.pointer),
        quoted(change.relation.name()),
        quoted(change.level.name()),
        quoted(change.rule),
        quoted(&change.message),
        value(&change.lost),
        value(&change.gained),
        place(change.old),
        place(change.new)
    )
}
