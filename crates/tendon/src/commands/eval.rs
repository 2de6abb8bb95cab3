//! `tendon eval`: the values of template expressions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, Unresolved, value_of};
use arm::evaluate::Reduced;
use arm::expression::{Expression, ParseError, TemplateString, parse};
use arm::template::{ErrorLocation, TemplateError, code};
use diagnostics::{Columns, FileId, LineIndex, Message, Span};

use crate::common::{Common, Form};
use crate::compile::CompileOptions;
use crate::deploy::{ContextKind, DeploymentOptions, Loader, LoaderOptions, Reporter, error_object};
use crate::exit::{CommandError, Exit};
use crate::external_inputs::InputOptions;
use crate::input;
use crate::load_error::DeploymentLoadError;
use crate::output::Streams;
use crate::report::value_text;

/// Evaluate template expressions
///
/// An expression is written with or without its brackets. The parameters, variables and functions of a template can be
/// around it. It is evaluated as if it stood in an output: what only a cloud can know is an error, unless mocks say
/// it or `--unresolved keep` is given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expression
    #[arg(value_name = "EXPRESSION", required_unless_present = "file", allow_hyphen_values = true)]
    expression: Option<String>,

    /// Evaluate each line of a file; empty lines and lines that begin with `#` are left out
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    file: Option<PathBuf>,

    /// A Bicep file, Bicep parameters or a template whose declarations the expression can use
    #[arg(short, long, value_name = "FILE")]
    template: Option<PathBuf>,

    #[command(flatten)]
    deployment: DeploymentOptions,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    inputs: InputOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon eval \"uniqueString('a', 'b')\"
  tendon eval \"[format('{0}-{1}', parameters('name'), variables('suffix'))]\" \\
    --template main.bicep --param name=shop
  tendon eval \"resourceId('Microsoft.Storage/storageAccounts', 'a')\" \\
    --scope /subscriptions/S/resourceGroups/G
  tendon eval \"reference('store').primaryEndpoints.blob\" --template main.bicep --mocks mocks.json
  tendon eval --file expressions.txt -o json";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let files: Vec<&Path> = arguments.template.as_deref().into_iter().collect();
    let options = arguments.deployment.in_project(arguments.template.as_deref())?;
    let setup = LoaderOptions {
        // So that expressions can refer to resources by the names that people gave them.
        symbolic: true,
        inputs: arguments.inputs.given(),
        ..LoaderOptions::new(&options, &arguments.compile, &files)
    };
    let loader = Loader::new(setup, common, streams)?;
    let unresolved = arguments.deployment.unresolved.map_or(Unresolved::Error, Unresolved::from);
    let surroundings = ContextKind::Expression(unresolved);
    let mut loaded = match &arguments.template {
        Some(template) => loader.load(template, surroundings),
        None => loader.load_nothing(surroundings),
    };
    let mut reporter = Reporter::new(common, loader.compiler());
    reporter.findings(streams, std::mem::take(&mut loaded.compiled))?;
    let deployment = match loaded.result {
        Ok(deployment) => deployment,
        Err(refused) => return reporter.refuse(streams, &mut loaded.sources, refused),
    };
    let (name, text) = match (&arguments.expression, &arguments.file) {
        (Some(expression), _) => ("<expression>".to_owned(), expression.clone()),
        (None, Some(file)) => text_of(file)?,
        (None, None) => {
            return Err(CommandError::Usage("name an expression, or a `--file` of them".to_owned()));
        }
    };
    let file = loaded.sources.add(&name, text.as_str());
    let index = LineIndex::new(text.as_str());
    let written = if arguments.file.is_some() { lines(&text) } else { vec![Line { start: 0, text: &text }] };
    let mut results = Vec::with_capacity(written.len());
    for line in written {
        let result = match read(line.text) {
            Ok(expression) => evaluate(&deployment, &expression, unresolved).map_err(|errors| {
                let at = |error: TemplateError| match error.at {
                    None if arguments.file.is_some() => {
                        error.at(place(line, file, &index, 0, line.text.len()))
                    }
                    _ => error,
                };
                errors.into_iter().map(at).collect()
            }),
            Err((error, bracket)) => Err(vec![syntax(line, file, &index, &error, bracket)]),
        };
        results.push((line.text, result));
    }
    if arguments.file.is_none() {
        let result = results.pop().map(|(_, result)| result);
        return match result.unwrap_or_else(|| Err(Vec::new())) {
            Ok(value) => print_value(common, streams, &value),
            Err(errors) => reporter.refuse(streams, &mut loaded.sources, DeploymentLoadError::from(errors)),
        };
    }
    let failed = results.iter().any(|(_, result)| result.is_err());
    if common.form() == Form::Json {
        let all = results.into_iter().map(|(text, result)| {
            let text = Value::text(text);
            match result {
                Ok(value) => Value::object([("expression", text), ("value", value)]),
                Err(errors) => {
                    let error = error_object(errors);
                    let error = error.as_object().and_then(|object| object.get("error")).cloned();
                    Value::object([("expression", text), ("error", error.unwrap_or(Value::Null))])
                }
            }
        });
        streams.print_result(&value_text(&Value::array(all.collect())))?;
    } else {
        for (_, result) in results {
            match result {
                Ok(value) => {
                    print_value(common, streams, &value)?;
                }
                Err(errors) => reporter.explain(streams, &mut loaded.sources, &errors)?,
            }
        }
    }
    Ok(if failed { Exit::Input } else { Exit::Fine })
}

fn print_value(common: &Common, streams: &mut Streams, value: &Value) -> Result<Exit, CommandError> {
    match value {
        // People want the text, not its JSON.
        Value::Text(text) if common.form() != Form::Json => {
            streams.print(&format!("{}\n", diagnostics::printable(text)))?;
        }
        value if common.form() == Form::Json => streams.print_result(&value_text(value))?,
        value => streams.print(&value_text(value))?,
    }
    Ok(Exit::Fine)
}

fn text_of(file: &std::path::Path) -> Result<(String, String), CommandError> {
    match input::read(file.as_os_str(), &document::ReadLimits::DEFAULT) {
        Ok(input) => Ok((input.name.clone(), input.into_text())),
        Err(input::Unread::Failed(failure)) => Err(failure),
        Err(input::Unread::TooLarge(diagnostic)) => {
            Err(CommandError::Environment(diagnostic.message.to_string()))
        }
    }
}

/// An expression in the text that it is from.
#[derive(Clone, Copy)]
struct Line<'t> {
    start: usize,
    text: &'t str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        if !written.is_empty() && !written.starts_with('#') {
            let blanks = line.len() - line.trim_start().len();
            all.push(Line { start: start + blanks, text: written });
        }
        start += line.len();
    }
    all
}

fn evaluate(
    deployment: &Arc<Deployment>,
    expression: &Expression,
    unresolved: Unresolved,
) -> Result<Value, Vec<TemplateError>> {
    match (value_of(deployment, expression)?, unresolved) {
        (Reduced::Value(value), _) => Ok(value),
        (Reduced::Expression(rest), Unresolved::Keep) => Ok(Value::text(format!("[{rest}]"))),
        (Reduced::Expression(rest), Unresolved::Error) => {
            let message = Message::sentence(format!(
                "The expression cannot be evaluated: the value of '{rest}' is not known"
            ));
            let error = TemplateError::new(code::OUTPUT_EVALUATION_FAILED, message);
            Err(vec![error.hint("answer it with `--mocks`, or let it stay with `--unresolved keep`")])
        }
    }
}

/// Reads an expression, and says how many bytes are before it.
fn read(text: &str) -> Result<Expression, (ParseError, usize)> {
    match TemplateString::of(text) {
        TemplateString::Expression(inner) => parse(inner).map_err(|error| (error, 1)),
        TemplateString::Text(_) => parse(text).map_err(|error| (error, 0)),
    }
}

fn syntax(
    line: Line<'_>,
    file: FileId,
    lines: &LineIndex,
    error: &ParseError,
    bracket: usize,
) -> TemplateError {
    let offset = (error.offset + bracket).min(line.text.len());
    let message = Message::sentence(format!("The expression is not valid: {error}"));
    TemplateError::new(code::INVALID_TEMPLATE, message).at(place(line, file, lines, offset, offset + 1))
}

/// The place of a part of an expression.
fn place(line: Line<'_>, file: FileId, lines: &LineIndex, start: usize, end: usize) -> ErrorLocation {
    let number = |offset: usize| u32::try_from(line.start + offset.min(line.text.len())).unwrap_or(u32::MAX);
    let position = lines.position(number(start), Columns::Scalars);
    ErrorLocation {
        span: Span::new(file, number(start), number(end)),
        line: position.line,
        column: position.column,
        path: String::new(),
    }
}
