//! A comparison for people: one block for each change, and one line at the end.

use std::fmt::Write as _;

use comparison::{Difference, Level, SetRelation};
use diagnostics::{Columns, SourceMap, Span, printable};

use super::diff::{ComparedBoundary, DiffReport, boundary_prefix};

/// The most that is shown of a value in one line.
const WIDEST: usize = 400;

/// The report as text.
pub(super) fn text(report: &DiffReport, sources: &SourceMap, quiet: bool) -> String {
    let mut out = String::new();
    for boundary in &report.boundaries {
        for change in &boundary.diff.changes {
            let prefix = boundary_prefix(boundary);
            let _ = writeln!(
                out,
                "{}[{}] {prefix}{}: {}",
                change.level.name(),
                change.rule,
                change.dotted(),
                change.message
            );
            line(&mut out, sources, "old", change.old);
            line(&mut out, sources, "new", change.new);
            if let Some(value) = &change.lost {
                let _ = writeln!(out, "  accepted by OLD, refused by NEW: {}", short(&boundary.shown(value)));
            }
            if let Some(value) = &change.gained {
                let _ = writeln!(out, "  refused by OLD, accepted by NEW: {}", short(&boundary.shown(value)));
            }
            out.push('\n');
        }
        for value in &boundary.diff.disagreements {
            let _ = writeln!(
                out,
                "the checkers do not confirm what was worked out for {}\n",
                short(&value.to_string())
            );
        }
    }
    if quiet {
        return out;
    }
    if report.boundaries.len() > 1 {
        for boundary in &report.boundaries {
            let _ = writeln!(out, "{}: {}{}", boundary.name, boundary.diff.relation.name(), state(boundary));
        }
    }
    let count = |level: Level, one: &str, many: &str| {
        let count = report.count(level);
        format!("{count} {}", if count == 1 { one } else { many })
    };
    let verdict = match report.boundaries.as_slice() {
        [only] => only.diff.relation.name(),
        [] => "nothing to compare",
        _ => "all",
    };
    let _ = write!(
        out,
        "{verdict}: {}, {}",
        count(Level::Breaking, "breaking change", "breaking changes"),
        count(Level::Warning, "warning", "warnings")
    );
    if report.count(Level::Unknown) > 0 {
        let _ = write!(out, ", {} undecided", report.count(Level::Unknown));
    }
    let _ = writeln!(out, "; next version: {}", advice(report));
    out
}

fn state(boundary: &ComparedBoundary) -> &'static str {
    match (&boundary.diff.lost, &boundary.diff.gained) {
        (Difference::Unknown, _) | (_, Difference::Unknown) => " (not all could be found out)",
        _ => "",
    }
}

/// What the next version should be called by those who count breaks, additions and repairs.
pub(super) fn advice(report: &DiffReport) -> &'static str {
    let relations = || report.boundaries.iter().map(|boundary| boundary.diff.relation);
    if report.breaking() != Some(false) || report.count(Level::Breaking) > 0 {
        "major"
    } else if relations().all(|relation| relation == SetRelation::Equal) && report.count(Level::Warning) == 0
    {
        "patch"
    } else {
        "minor"
    }
}

fn line(out: &mut String, sources: &SourceMap, side: &str, place: Option<Span>) {
    let Some(place) = place else { return };
    let (Some(name), Some(extent)) = (sources.name(place.file), sources.extent(place, Columns::Scalars))
    else {
        return;
    };
    let start = extent.start.line;
    let hidden = sources.is_hidden(place);
    let text = sources.text(place.file).and_then(|text| text.lines().nth(start.saturating_sub(1) as usize));
    let text = text.filter(|_| !hidden).unwrap_or_default().trim();
    let _ = writeln!(out, "  {side} {name}:{start}: {}", short(&printable(text)));
}

fn short(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}...", text.split_at(at).0),
        None => text.to_owned(),
    }
}
