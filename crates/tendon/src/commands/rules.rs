//! `tendon rules`: what a contract can ask of a value.

use contract::rules::{ALL, RuleInfo};
use diagnostics::suggest;
use serde::Serialize;

use crate::cli::{Common, Output};
use crate::exit::{Exit, Failure};
use crate::output::Streams;
use crate::report::json_text;

/// List the rules that a contract can ask of a value, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The rule to explain; all are listed without it
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  tendon rules
  tendon rules minimum
  tendon rules uniqueItems --output json";

/// Prints the table or one row of it.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let text = match (&arguments.name, common.output) {
        (None, Output::Text) => list(),
        (None, Output::Json) => json_text(&ALL.iter().map(|rule| Row::new(rule)).collect::<Vec<_>>())?,
        (Some(name), form) => match (ALL.iter().find(|rule| rule.name == name), form) {
            (Some(rule), Output::Text) => explain(rule),
            (Some(rule), Output::Json) => json_text(&Row::new(rule))?,
            (None, _) => return Err(unknown(name)),
        },
    };
    streams.print(&text)?;
    Ok(Exit::Fine)
}

fn unknown(name: &str) -> Failure {
    let hint = match suggest(name, ALL.iter().map(|rule| rule.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`tendon rules` lists them".to_owned(),
    };
    Failure::Usage(format!("there is no rule `{name}`; {hint}"))
}

fn list() -> String {
    let width = ALL.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
    ALL.iter().map(|rule| format!("{:width$}  {}\n", rule.name, rule.summary)).collect()
}

fn explain(rule: &RuleInfo) -> String {
    let mut text = format!("{}: {}\n", rule.name, rule.summary);
    if !rule.details.is_empty() {
        text.push_str(&format!("\n{}\n", rule.details));
    }
    text.push_str(&format!("\nSpeaks of: {}.\n", rule.applies_to));
    for example in rule.examples {
        text.push_str(&format!(
            "\n  {}\n",
            example.contract.split_whitespace().collect::<Vec<_>>().join(" ")
        ));
        text.push_str(&format!("    holds for  {}\n", example.holds.join("  ")));
        text.push_str(&format!("    broken by  {}\n", example.breaks.join("  ")));
    }
    text
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: &'static str,
    summary: &'static str,
    details: &'static str,
    applies_to: Vec<&'static str>,
    examples: Vec<Example>,
}

#[derive(Serialize)]
struct Example {
    contract: &'static str,
    holds: &'static [&'static str],
    breaks: &'static [&'static str],
}

impl Row {
    fn new(rule: &RuleInfo) -> Row {
        Row {
            name: rule.name,
            summary: rule.summary,
            details: rule.details,
            applies_to: rule.applies_to.iter().map(|kind| kind.name()).collect(),
            examples: rule
                .examples
                .iter()
                .map(|example| Example {
                    contract: example.contract,
                    holds: example.holds,
                    breaks: example.breaks,
                })
                .collect(),
        }
    }
}
