//! `tendon rules`: what a contract can ask of a value.

use comparison::{ChangeRule, RULES};
use contract::rules::{ALL, RuleInfo};
use diagnostics::suggest;
use serde::Serialize;
use thrift::rules::{
    FUNCTIONS, ToolFunction, VALIDATORS, Validator, did_you_mean, function_page, validator_page,
};

use crate::common::{Common, Output};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report::json_text;

/// List the rules of contracts, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The rule to explain; all are listed without it. `vt` lists the rules of Thrift files, `vt.gt` explains one, `@len` a
    /// function of theirs, `contract-diff` lists the names of changes
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  tendon rules
  tendon rules minimum
  tendon rules uniqueItems --output json
  tendon rules vt
  tendon rules vt.gt
  tendon rules contract-diff
  tendon rules minimum-raised";

/// Prints the table or one row of it.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let text = match (&arguments.name, common.output) {
        (None, Output::Text) => list(),
        (Some(name), form) if name == CHANGES => match form {
            Output::Text => changes(),
            Output::Json => json_text(&RULES.iter().map(ChangeRow::new).collect::<Vec<_>>())?,
        },
        (Some(name), form) if name == "vt" || name.starts_with("vt.") || name.starts_with('@') => {
            thrift_rules(name, form)?
        }
        (None, Output::Json) => json_text(&ALL.iter().map(|rule| Row::new(rule)).collect::<Vec<_>>())?,
        (Some(name), form) => match (ALL.iter().find(|rule| rule.name == name), form) {
            (Some(rule), Output::Text) => explain(rule),
            (Some(rule), Output::Json) => json_text(&Row::new(rule))?,
            (None, form) => {
                let short =
                    name.strip_prefix(CHANGES).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
                match (RULES.iter().find(|rule| rule.name == short), form) {
                    (Some(rule), Output::Text) => change(rule),
                    (Some(rule), Output::Json) => json_text(&ChangeRow::new(rule))?,
                    (None, _) => return Err(unknown(name)),
                }
            }
        },
    };
    match common.output {
        Output::Json => streams.print_result(&text)?,
        Output::Text => streams.print(&text)?,
    }
    Ok(Exit::Fine)
}

/// What the names of changes begin with in logs.
const CHANGES: &str = "contract-diff";

/// The names of changes between contracts.
fn changes() -> String {
    let width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
    RULES.iter().map(|rule| format!("{:width$}  {}\n", rule.name, rule.summary)).collect()
}

/// One of them, with contracts between which it is found.
fn change(rule: &ChangeRule) -> String {
    let shown = |text: &str| text.trim_end().lines().map(|line| format!("  {line}\n")).collect::<String>();
    format!(
        "{}: {}\n\nA change that `tendon contract diff` reports, for example from\n\n{}\nto\n\n{}",
        rule.name,
        rule.summary,
        shown(rule.old),
        shown(rule.new)
    )
}

#[derive(Serialize)]
struct ChangeRow {
    name: &'static str,
    summary: &'static str,
    language: &'static str,
    old: &'static str,
    new: &'static str,
}

impl ChangeRow {
    fn new(rule: &'static ChangeRule) -> ChangeRow {
        let ChangeRule { name, summary, language, old, new } = *rule;
        ChangeRow { name, summary, language: language.extension(), old, new }
    }
}

/// The rules and functions of Thrift files.
fn thrift_rules(name: &str, form: Output) -> Result<String, CommandError> {
    let rows: Vec<ThriftRow> = match name {
        "vt" => {
            let rules = VALIDATORS.iter().map(ThriftRow::rule);
            rules.chain(FUNCTIONS.iter().map(ThriftRow::function)).collect()
        }
        _ => {
            // Steps to elements say nothing about the validator behind them.
            let last = name.rsplit('.').next().unwrap_or(name);
            let rule = VALIDATORS.iter().find(|rule| name.starts_with("vt.") && rule.name == last);
            let function = FUNCTIONS.iter().find(|it| name.strip_prefix('@') == Some(it.name));
            let found = rule.map(ThriftRow::rule).or_else(|| function.map(ThriftRow::function));
            vec![found.ok_or_else(|| unknown_thrift(name))?]
        }
    };
    Ok(match (form, rows.as_slice()) {
        (Output::Json, [only]) if name != "vt" => json_text(only)?,
        (Output::Json, rows) => json_text(&rows)?,
        (Output::Text, [only]) if name != "vt" => plain(only),
        (Output::Text, rows) => {
            let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
            rows.iter().map(|row| format!("{:width$}  {}\n", row.name, row.summary)).collect()
        }
    })
}

/// A page as text: code is indented, not fenced.
fn plain(row: &ThriftRow) -> String {
    let mut text = format!("{}: ", row.name);
    let mut code = false;
    for line in row.details.lines() {
        match line.starts_with("```") {
            true => code = !code,
            false => text.push_str(&format!("{}{line}\n", if code { "  " } else { "" })),
        }
    }
    text
}

fn unknown_thrift(name: &str) -> CommandError {
    let near = match name.strip_prefix('@') {
        Some(function) => suggest(function, FUNCTIONS.iter().map(|it| it.name))
            .map(|near| format!("did you mean `@{near}`?")),
        None => did_you_mean(name.rsplit('.').next().unwrap_or(name)),
    };
    let hint = near.unwrap_or_else(|| "`tendon rules vt` lists them".to_owned());
    CommandError::Usage(format!("there is no rule `{name}` of Thrift files; {hint}"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThriftRow {
    name: String,
    summary: &'static str,
    details: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    extension: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<&'static str>,
}

impl ThriftRow {
    fn rule(rule: &'static Validator) -> ThriftRow {
        ThriftRow {
            name: format!("vt.{}", rule.name),
            summary: rule.meaning,
            details: validator_page(rule),
            extension: Some(rule.extension),
            example: Some(rule.example),
        }
    }

    fn function(function: &'static ToolFunction) -> ThriftRow {
        ThriftRow {
            name: format!("@{}", function.name),
            summary: function.meaning,
            details: function_page(function),
            extension: None,
            example: None,
        }
    }
}

fn unknown(name: &str) -> CommandError {
    let hint = match suggest(name, ALL.iter().map(|rule| rule.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`tendon rules` lists them".to_owned(),
    };
    CommandError::Usage(format!("there is no rule `{name}`; {hint}"))
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
