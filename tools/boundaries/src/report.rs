//! What came of a run, for people: figures, and broken cells by class and what is wrong.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::run::{Cell, Outcome};

/// How many attacks of a group are named.
const NAMED: usize = 12;

/// The report as Markdown.
pub fn markdown(outcome: &Outcome) -> String {
    let broken: Vec<&Cell> = outcome.cells.iter().filter(|cell| !cell.wrong.is_empty()).collect();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "# Boundaries x attacks\n\n{} cells, {} broken; {} left out because a boundary cannot carry them\n",
        outcome.cells.len(),
        broken.len(),
        outcome.left_out.values().sum::<usize>()
    );
    for (reason, count) in &outcome.left_out {
        let _ = writeln!(out, "- left out, {count}: {reason}");
    }
    let mut groups: BTreeMap<(String, String), Vec<&Cell>> = BTreeMap::new();
    for cell in &broken {
        let wrong = cell.wrong.join(" + ");
        groups.entry((format!("{:?}", cell.class), wrong)).or_default().push(cell);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, cells)| std::cmp::Reverse(cells.len()));
    for ((class, wrong), cells) in groups {
        let mut boundaries: BTreeMap<String, usize> = BTreeMap::new();
        let mut attacks: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in &cells {
            *boundaries.entry(cell.boundary.name()).or_default() += 1;
            *attacks.entry(cell.attack.as_str()).or_default() += 1;
        }
        let listed = |all: Vec<String>| {
            let rest = all.len().saturating_sub(NAMED);
            let named = all.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
            if rest > 0 { format!("{named}, and {rest} more") } else { named }
        };
        let boundaries = boundaries.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let attacks = attacks.iter().map(|(name, count)| format!("`{name}` ({count})")).collect();
        let _ = writeln!(
            out,
            "\n## {class}: {wrong}: {} cells\n\n- boundaries: {}\n- attacks: {}",
            cells.len(),
            listed(boundaries),
            listed(attacks)
        );
        if let Some(cell) = cells.first() {
            let said = cell.answer.lines().take(8).collect::<Vec<_>>().join("\n    ");
            let _ =
                writeln!(out, "- for example {} with `{}`:\n\n    {said}", cell.boundary.name(), cell.attack);
        }
    }
    out.push_str("\n## Broken cells by boundary\n\n");
    let mut by_boundary: BTreeMap<String, usize> = BTreeMap::new();
    for cell in &broken {
        *by_boundary.entry(cell.boundary.name()).or_default() += 1;
    }
    for (name, count) in by_boundary {
        let _ = writeln!(out, "- {name}: {count}");
    }
    out
}
