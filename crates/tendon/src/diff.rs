//! What changes in a text, as people and `patch` read it.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use diagnostics::printable;
use diagnostics::terminal::Style;
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, group_diff_ops};

/// How many lines around a change are shown.
const CONTEXT: usize = 3;

/// How long the shortest list of changes is looked for; after that, any is good enough.
const PATIENCE: Duration = Duration::from_secs(2);

/// The changes from `old` to `new` in the unified form. On a terminal, what would be no text there is escaped.
pub(crate) fn unified(name: &str, old: &str, new: &str, style: Style, to_terminal: bool) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let mut out = String::new();
    for hunk in group_diff_ops(changes(&old, &new), CONTEXT) {
        if out.is_empty() {
            let name = printable(name);
            // Writing to a string succeeds.
            let _ = write!(out, "--- {name}\n+++ {name}\n");
        }
        let _ = writeln!(out, "{}", UnifiedHunkHeader::new(&hunk));
        for change in hunk {
            let (before, after) = (old.get(change.old_range()), new.get(change.new_range()));
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            let sides: &[(char, &str, &[&str])] = match change {
                DiffOp::Equal { .. } => &[(' ', "", before)],
                DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                    &[('-', "\u{1b}[31m", before), ('+', "\u{1b}[32m", after)]
                }
            };
            for (sign, colour, lines) in sides {
                lines.iter().for_each(|line| write_line(&mut out, line, *sign, colour, style, to_terminal));
            }
        }
    }
    out
}

/// What is deleted and inserted. The texts of the library would do the same, but they choose among all of its algorithms when they run, so that
/// each of them is compiled many times over.
fn changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    let deadline = Instant::now().checked_add(PATIENCE);
    // Whoever captures changes does not refuse one.
    let _ = myers::diff_deadline(&mut hook, old, 0..old.len(), new, 0..new.len(), deadline);
    hook.into_inner().into_inner().into_ops()
}

fn write_line(out: &mut String, line: &str, sign: char, colour: &str, style: Style, to_terminal: bool) {
    let text = line.trim_end_matches(['\r', '\n']);
    // A carriage return that goes or comes is the whole change of some lines.
    let ending = line.get(text.len()..).unwrap_or_default().trim_end_matches('\n');
    let shown = if to_terminal {
        printable(&format!("{text}{ending}")).to_string()
    } else {
        format!("{text}{ending}")
    };
    let _ = match style {
        Style::Colour if !colour.is_empty() => writeln!(out, "{colour}{sign}{shown}\u{1b}[0m"),
        Style::Colour | Style::Plain => writeln!(out, "{sign}{shown}"),
    };
    if !line.ends_with('\n') {
        out.push_str("\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expect: &str) {
        assert_eq!(unified("a.bicep", old, new, Style::Plain, false), expect);
    }

    #[test]
    fn equal_texts_have_no_difference() {
        check("a\n", "a\n", "");
    }

    #[test]
    fn changes_have_lines_around_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expect = "--- a.bicep\n+++ a.bicep\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        check(old, &old.replace('5', "five"), expect);
    }

    #[test]
    fn the_last_line_break_counts() {
        let expect = "--- a.bicep\n+++ a.bicep\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n";
        check("a", "a\n", expect);
    }

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        let shown = unified("a", "\u{1b}[2J\n", "\u{7}\n", Style::Colour, true);
        assert_eq!(shown.matches('\u{1b}').count(), 4, "{shown}");
        assert!(!shown.contains('\u{7}'));
    }
}
