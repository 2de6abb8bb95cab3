//! `tendon functions`: what a Bicep file can call without declaring it.

use bicep::reference::{Count, EntryCall, EvaluationPhase, ReferenceEntry, entries, entry, has_syntax};
use diagnostics::suggest;
use serde::Serialize;

use crate::common::{Common, Output};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report::json_text;

/// List the functions and decorators of Bicep, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The function or decorator to explain, such as `uniqueString`, `az.resourceGroup` or `@secure`; all are listed without it
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  tendon functions
  tendon functions uniqueString
  tendon functions @secure
  tendon functions az.resourceGroup --output json";

/// Prints the list or one entry of it.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let text = match (&arguments.name, common.output) {
        (None, Output::Text) => list(&entries()),
        (None, Output::Json) => json_text(&entries().iter().map(Row::new).collect::<Vec<_>>())?,
        (Some(name), form) => {
            let found = entry(name).ok_or_else(|| unknown(name))?;
            match form {
                Output::Text => explain(&found),
                Output::Json => json_text(&Row::new(&found))?,
            }
        }
    };
    match common.output {
        Output::Json => streams.print_result(&text)?,
        Output::Text => streams.print(&text)?,
    }
    Ok(Exit::Fine)
}

fn list(entries: &[ReferenceEntry]) -> String {
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    let mut family = "";
    for entry in entries {
        if entry.family != family {
            let gap = if family.is_empty() { "" } else { "\n" };
            family = entry.family;
            text.push_str(&format!("{gap}{family}\n"));
        }
        let summary = entry.doc.split_inclusive(". ").next().unwrap_or_default().trim_end();
        text.push_str(&format!("  {:width$}  {summary}\n", entry.name));
    }
    text
}

fn explain(entry: &ReferenceEntry) -> String {
    let mut text = format!("{}: {}\n\n", entry.name, entry.doc);
    for signature in entry.signatures() {
        text.push_str(&format!("  {signature}\n"));
    }
    text.push('\n');
    for fact in entry.facts() {
        text.push_str(&format!("{fact}\n"));
    }
    text
}

fn unknown(name: &str) -> CommandError {
    if has_syntax(name) {
        let message = format!(
            "there is no function `{name}` in Bicep, because the language has a syntax for it; templates have it"
        );
        return CommandError::Usage(message);
    }
    if let Some(function) = name.strip_prefix('@').filter(|plain| entry(plain).is_some()) {
        return CommandError::Usage(format!(
            "there is no decorator `{name}`; there is a function `{function}`"
        ));
    }
    let all = entries();
    let plain = all.iter().map(|entry| entry.name.trim_start_matches('@'));
    let hint = match suggest(name.trim_start_matches('@'), plain) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`tendon functions` lists them".to_owned(),
    };
    CommandError::Usage(format!("there is no function or decorator `{name}`; {hint}"))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'e> {
    name: &'e str,
    namespace: &'static str,
    family: &'static str,
    summary: &'static str,
    calls: Vec<CallRow<'e>>,
    notes: &'e [String],
    /// Whether the result is known while compiling when the arguments are.
    folded: bool,
    template: &'e str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallRow<'e> {
    parameters: Vec<ParameterRow<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'e str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    target_scopes: &'e [&'static str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ParameterRow<'e> {
    name: &'static str,
    #[serde(rename = "type")]
    ty: &'e str,
    /// The least number of arguments that it stands for.
    least: usize,
    /// Whether it stands for any number of arguments.
    repeated: bool,
    known: &'static str,
}

impl<'e> Row<'e> {
    fn new(entry: &'e ReferenceEntry) -> Row<'e> {
        Row {
            name: &entry.name,
            namespace: entry.namespace,
            family: entry.family,
            summary: entry.doc,
            calls: entry.calls.iter().map(CallRow::new).collect(),
            notes: &entry.notes,
            folded: entry.folds,
            template: &entry.becomes,
        }
    }
}

impl<'e> CallRow<'e> {
    fn new(call: &'e EntryCall) -> CallRow<'e> {
        let parameters = call.parameters.iter().map(|parameter| {
            let (least, repeated) = match parameter.count {
                Count::One => (1, false),
                Count::Optional => (0, false),
                Count::AtLeast(count) => (count, true),
            };
            let known = match parameter.known {
                EvaluationPhase::Late => "deploying",
                EvaluationPhase::AtStart => "start",
                EvaluationPhase::Compiling => "compiling",
            };
            ParameterRow { name: parameter.name, ty: &parameter.ty, least, repeated, known }
        });
        CallRow {
            parameters: parameters.collect(),
            result: call.result.as_deref(),
            target_scopes: &call.scopes,
        }
    }
}
