//! How a deployment ended, in the tables and in the JSON of the public Bicep command.

use arm::Value;
use diagnostics::printable;
use diagnostics::terminal::cells;
use engine::{DeploymentRecord, Failure};
use server::StepSummary;

use crate::commands::deploy::DeploymentSummary;
use crate::report::value_text;

/// The colours of states.
const GREEN: &str = "1;32";
const RED: &str = "1;31";
const GREY: &str = "1;90";

/// A cell: its text, and its colour if it has one.
type Cell = (String, Option<&'static str>);

/// The steps, what is wrong beside them, and the outputs, each as a table.
pub(super) fn tables(outcome: &DeploymentSummary<'_>, colour: bool) -> String {
    let plain = |text: &str| (text.to_owned(), None);
    let mut text = String::new();
    let steps: Vec<Vec<Cell>> = outcome.steps.iter().map(step).collect();
    if outcome.record.is_some() {
        table(&["Resource", "Duration", "Status"], &steps, colour, &mut text);
    }
    if let Some(failure) = outcome.failure
        && outcome.steps.iter().all(|step| step.failure.is_none())
    {
        table(&["Error"], &[vec![(explained(failure), Some(RED))]], colour, &mut text);
    }
    let mut outputs = outputs(outcome.record);
    outputs.sort_by_cached_key(|(name, _)| name.to_lowercase());
    if !outputs.is_empty() {
        let shown = |value: &Value| value.as_str().map_or_else(|| value.to_json(), str::to_owned);
        let rows: Vec<Vec<Cell>> =
            outputs.iter().map(|(name, value)| vec![plain(name), plain(&shown(value))]).collect();
        table(&["Output", "Value"], &rows, colour, &mut text);
    }
    text
}

/// The outputs and what is wrong, as one object.
pub(super) fn json(outcome: &DeploymentSummary<'_>, _: bool) -> String {
    let outputs = outcome.record.map(|record| ("outputs", Value::object(outputs(Some(record)))));
    let error = outcome.failure.map(|failure| ("error", Value::text(explained(failure))));
    value_text(&Value::object(outputs.into_iter().chain(error)))
}

fn step(step: &StepSummary) -> Vec<Cell> {
    let duration = step.milliseconds.map(|took| format!("{}.{}s", took / 1000, took.rem_euclid(1000) / 100));
    let status = match (&step.failure, step.state.as_str()) {
        (Some(failure), _) => (explained(failure), Some(RED)),
        (None, "Succeeded") => (step.state.clone(), Some(GREEN)),
        (None, "Failed") => (step.state.clone(), Some(RED)),
        (None, _) => (step.state.clone(), Some(GREY)),
    };
    vec![(step.name.clone(), None), (duration.unwrap_or_default(), None), status]
}

/// What went wrong, and in lines of their own what is behind it.
fn explained(failure: &Failure) -> String {
    let mut text = format!("{}: {}", failure.code, failure.message);
    let mut left: Vec<(usize, &Failure)> = failure.details.iter().rev().map(|detail| (1, detail)).collect();
    while let Some((depth, failure)) = left.pop() {
        text.push_str(&format!("\n{}- {}: {}", "  ".repeat(depth), failure.code, failure.message));
        left.extend(failure.details.iter().rev().map(|detail| (depth + 1, detail)));
    }
    text
}

/// The outputs by name; of a secret one nothing is known.
fn outputs(record: Option<&DeploymentRecord>) -> Vec<(String, Value)> {
    let outputs = record.into_iter().flat_map(DeploymentRecord::shown_outputs);
    outputs.map(|output| (output.name.to_owned(), output.value.cloned().unwrap_or(Value::Null))).collect()
}

/// Draws a table with rounded corners; texts may have several lines.
fn table(heads: &[&str], rows: &[Vec<Cell>], colour: bool, text: &mut String) {
    let heads: Vec<Cell> = heads.iter().map(|head| ((*head).to_owned(), None)).collect();
    let lines = |row: &Vec<Cell>| -> Vec<(Vec<String>, Option<&'static str>)> {
        let lines = |cell: &str| cell.lines().map(|line| printable(line).into_owned()).collect();
        row.iter().map(|(cell, colour)| (lines(cell), *colour)).collect()
    };
    let all: Vec<_> = std::iter::once(&heads).chain(rows).map(lines).collect();
    let mut widths = vec![0; heads.len()];
    for row in &all {
        for ((lines, _), width) in row.iter().zip(&mut widths) {
            *width = lines.iter().map(|line| cells(line)).fold(*width, usize::max);
        }
    }
    let border = |left: &str, between: &str, right: &str| {
        let parts: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        format!("{left}{}{right}\n", parts.join(between))
    };
    text.push_str(&border("╭", "┬", "╮"));
    for (index, row) in all.iter().enumerate() {
        let height = row.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0).max(1);
        for number in 0..height {
            for ((lines, code), width) in row.iter().zip(&widths) {
                let line = lines.get(number).map_or("", String::as_str);
                let padding = " ".repeat(width - cells(line).min(*width));
                match code.filter(|_| colour && !line.is_empty()) {
                    Some(code) => text.push_str(&format!("│ \u{1b}[{code}m{line}\u{1b}[0m{padding} ")),
                    None => text.push_str(&format!("│ {line}{padding} ")),
                }
            }
            text.push_str("│\n");
        }
        if index == 0 && !rows.is_empty() {
            text.push_str(&border("├", "┼", "┤"));
        }
    }
    text.push_str(&border("╰", "┴", "╯"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(name: &str, milliseconds: i64, failure: Option<Failure>) -> StepSummary {
        let state = if failure.is_some() { "Failed" } else { "Succeeded" };
        StepSummary {
            name: name.to_owned(),
            milliseconds: Some(milliseconds),
            state: state.to_owned(),
            failure,
        }
    }

    #[test]
    fn steps_and_outputs_are_tables() {
        let mut failure = Failure::new("Conflict", "it is taken");
        failure.details.push(Failure::new("Inner", "by \u{1b}[2Jothers"));
        let steps = [ran("shop", 1250, None), ran("shelf", 40, Some(failure.clone()))];
        let output = |value: Value| Value::object([("type", Value::from("x")), ("value", value)]);
        let outputs = Value::object([("b", output(Value::from(2_i64))), ("A", output(Value::from("one")))]);
        let record = DeploymentRecord { outputs: Some(outputs), ..DeploymentRecord::new("/d", "d") };
        let outcome = DeploymentSummary { steps: &steps, failure: Some(&failure), record: Some(&record) };
        assert_eq!(
            tables(&outcome, false),
            "\
╭──────────┬──────────┬──────────────────────────╮
│ Resource │ Duration │ Status                   │
├──────────┼──────────┼──────────────────────────┤
│ shop     │ 1.2s     │ Succeeded                │
│ shelf    │ 0.0s     │ Conflict: it is taken    │
│          │          │   - Inner: by ␛[2Jothers │
╰──────────┴──────────┴──────────────────────────╯
╭────────┬───────╮
│ Output │ Value │
├────────┼───────┤
│ A      │ one   │
│ b      │ 2     │
╰────────┴───────╯
"
        );
        assert!(!tables(&outcome, false).contains('\u{1b}'));
        assert!(tables(&outcome, true).contains("\u{1b}[1;32mSucceeded\u{1b}[0m"));
        assert_eq!(
            json(&outcome, false),
            "{\n  \"outputs\": {\n    \"b\": 2,\n    \"A\": \"one\"\n  },\n  \"error\": \"Conflict: it is taken\\n  - Inner: by \\u001b[2Jothers\"\n}\n"
        );
    }

    #[test]
    fn what_no_step_says_is_a_table_of_its_own() {
        let failure = Failure::new("Gone", "nobody is there");
        let outcome = DeploymentSummary { steps: &[], failure: Some(&failure), record: None };
        assert_eq!(
            tables(&outcome, false),
            "\
╭───────────────────────╮
│ Error                 │
├───────────────────────┤
│ Gone: nobody is there │
╰───────────────────────╯
"
        );
        assert_eq!(json(&outcome, false), "{\n  \"error\": \"Gone: nobody is there\"\n}\n");
    }
}
