//! Inputs that a program answers, which the configuration names.
//!
//! `bicepconfig.json` says `"externalInputs": {"acme.oracle": {"command": ["prog", "arg"], "timeout": "PT30S"}}`; a name may end with
//! `*`. The program gets `{"name", "type", "config"}` and prints `{"value": ...}` or `{"error": {"code", "message"}}`.

use std::path::PathBuf;
use std::time::Duration;

use arm::binding::ExternalInput;
use arm::{ObjectBuilder, Value};
use bicep::Config;
use contract::Node;
use diagnostics::suggest;
use document::{Document, FileId, ReadLimits, SourceValue};

use super::process::{self, Printed, ProcessExit};
use super::{BUILT_IN, InputError};

/// Where the configuration names programs.
const SECTION: &str = "externalInputs";

/// How long a program may take if the configuration does not say.
const TIME: Duration = Duration::from_secs(30);

/// A program that answers an input.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    /// The program and its arguments.
    words: Vec<String>,
    /// Where it runs: beside the configuration that names it.
    folder: PathBuf,
    /// How long it may take, in words and in fact.
    timeout: (String, Duration),
    /// What it is asked: equal questions have equal answers.
    question: String,
}

/// Finds the program for an input: by the whole name, or by the longest start that ends with `*`.
pub(super) fn find(input: &ExternalInput, config: &Config) -> Result<Command, InputError> {
    if let Some(fault) = config.faults().first() {
        return Err(InputError::invalid(fault.sentence()));
    }
    let names = config.names(&[SECTION]);
    if let Some(name) = names.iter().find(|name| name.starts_with("sys.") || **name == "sys") {
        let message = format!(
            "the configuration gives '{name}' a command, and names that begin with 'sys.' are built in"
        );
        return Err(InputError::invalid(message));
    }
    let fits = |name: &&&str| match name.strip_suffix('*') {
        Some(start) => input.kind.starts_with(start) && !input.kind.starts_with("sys."),
        None => **name == input.kind.as_str(),
    };
    let best = names.iter().filter(fits).max_by_key(|name| (!name.ends_with('*'), name.len()));
    let Some(name) = best else { return Err(unknown(&input.kind, &names)) };
    let path = [SECTION, *name];
    let (Some(entry), Some(folder)) = (config.get(&path), config.folder_of(&path)) else {
        return Err(unknown(&input.kind, &names));
    };
    let (words, timeout) = declared(name, entry)?;
    let folder = PathBuf::from(folder.as_str());
    Ok(Command { words, folder, timeout, question: question(input) })
}

/// The error about a kind of input that nobody knows, with all that are known.
fn unknown(kind: &str, configured: &[&str]) -> InputError {
    let built_in = BUILT_IN.iter().map(|kind| kind.name);
    let mut known: Vec<&str> = built_in.chain(configured.iter().copied()).collect();
    known.sort_unstable();
    let mut message = format!("'{kind}' is not a known type of input; known are '{}'", known.join("', '"));
    if let Some(close) = suggest(kind, known.iter().copied()) {
        message.push_str(&format!("; did you mean '{close}'?"));
    }
    let unknown = InputError::invalid(message);
    if kind.starts_with("sys.") {
        return unknown;
    }
    unknown.hint(format!(
        "name a command for it in `bicepconfig.json`: {{\"{SECTION}\": {{\"{kind}\": {{\"command\": [\"PROGRAM\"]}}}}}}"
    ))
}

/// What the configuration says about a program.
fn declared(name: &str, entry: SourceValue<'_>) -> Result<(Vec<String>, (String, Duration)), InputError> {
    let wrong = |message: &str| InputError::invalid(format!("the configuration of '{name}' {message}"));
    if !matches!(entry.node(), Node::Object(_)) {
        return Err(wrong("must be an object with 'command' and perhaps 'timeout'"));
    }
    let other = entry.members().filter_map(|(key, _)| key.as_str());
    if let Some(other) = other.into_iter().find(|name| !["command", "timeout"].contains(name)) {
        return Err(wrong(&format!("has no '{other}', only 'command' and 'timeout'")));
    }
    let command = entry.member("command");
    let words: Option<Vec<String>> = command
        .into_iter()
        .flat_map(SourceValue::items)
        .map(|word| word.as_str().map(str::to_owned))
        .collect();
    let words = words.filter(|words| words.first().is_some_and(|program| !program.is_empty()));
    let Some(words) = words else {
        return Err(wrong("must have a 'command': an array of strings, the program first"));
    };
    let timeout = match entry.member("timeout") {
        None => ("PT30S".to_owned(), TIME),
        Some(written) => {
            let text = written.as_str().unwrap_or_default();
            let time = arm::functions::duration_in_milliseconds(text).filter(|time| *time > 0);
            let time = time.ok_or_else(|| wrong("has a 'timeout' that is not a duration such as 'PT30S'"))?;
            (text.to_owned(), Duration::from_millis(time))
        }
    };
    Ok((words, timeout))
}

/// What the program is asked, as JSON on one line.
fn question(input: &ExternalInput) -> String {
    let mut question = ObjectBuilder::default();
    question.set("name".into(), Value::Text(input.key.clone()));
    question.set("type".into(), Value::Text(input.kind.clone()));
    if let Some(config) = &input.config {
        question.set("config".into(), config.clone());
    }
    format!("{}\n", question.finish().to_json())
}

impl Command {
    pub(super) fn ask(&self) -> Result<Value, InputError> {
        let (ended, printed) = process::run(&self.words, &self.folder, self.question.clone(), self.timeout.1);
        let program = self.words.first().map_or("", String::as_str);
        let failed = |why: String| Err(complaint(&format!("the command '{program}' {why}"), &printed));
        match ended {
            ProcessExit::NotStarted(error) => {
                failed(format!("cannot be started: {}", crate::exit::in_words(&error)))
            }
            ProcessExit::TooLong => failed(format!("took longer than {}", self.timeout.0)),
            ProcessExit::TooMuch => failed(format!("printed more than {} bytes", process::MOST_OUTPUT)),
            ProcessExit::Interrupted => failed("was interrupted".to_owned()),
            ProcessExit::Exited(status) if !status.success() => {
                let how = match status.code() {
                    Some(code) => format!("ended with exit code {code}"),
                    None => "was ended by a signal".to_owned(),
                };
                match answer(&printed.output) {
                    Ok(Err(own)) => failed(format!("{how}: {own}")),
                    Ok(Ok(_)) | Err(_) => failed(how),
                }
            }
            ProcessExit::Exited(_) => match answer(&printed.output) {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(own)) => failed(format!("answered with an error: {own}")),
                Err(why) => failed(format!(
                    "printed {why}; it must print {{\"value\": ...}} or {{\"error\": {{\"code\": ..., \"message\": ...}}}}"
                )),
            },
        }
    }
}

/// What went wrong, and what the program said about it.
fn complaint(message: &str, printed: &Printed) -> InputError {
    let message = match printed.complaints.as_str() {
        "" => message.to_owned(),
        complaints => format!("{message}; it says: {complaints}"),
    };
    InputError::failed(message)
}

/// The answer in what a program printed: a value, or its own error; or why it is not an answer. Nothing of it
/// is quoted but the error.
fn answer(output: &[u8]) -> Result<Result<Value, String>, String> {
    if output.trim_ascii().is_empty() {
        return Err("nothing".to_owned());
    }
    let document = Document::from_json(output, FileId::FIRST, &ReadLimits::DEFAULT)
        .map_err(|error| format!("what is not JSON (line {}, column {})", error.line, error.column))?;
    let root = document.root();
    if !matches!(root.node(), Node::Object(_)) {
        return Err("JSON that is not an object".to_owned());
    }
    // It has one member: what anything else means, and which of two spellings is meant, nobody can say.
    let mut members = root.members().map(|(key, value)| (key.as_str().unwrap_or_default(), value));
    match (members.next(), members.next()) {
        (Some(("value", value)), None) => match Value::from_view(value) {
            Ok(value) => Ok(Ok(value)),
            Err(_) => Err("a value that is too large or nests too deep".to_owned()),
        },
        (Some(("error", error)), None) => {
            let text = |name: &str| error.member(name).and_then(SourceValue::as_str);
            Ok(Err(match (text("code"), text("message").or(error.as_str())) {
                (Some(code), Some(message)) => format!("{code}: {message}"),
                (Some(only), None) | (None, Some(only)) => only.to_owned(),
                (None, None) => "no reason is given".to_owned(),
            }))
        }
        (Some(_), Some(_)) if root.member("value").is_some() && root.member("error").is_some() => {
            Err("a value and an error".to_owned())
        }
        (Some(("value" | "error", _)), Some(_)) | (Some(_), Some(("value" | "error", _))) => {
            Err("an object with more than 'value' or 'error'".to_owned())
        }
        _ => Err("an object without 'value' and 'error'".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_value_or_an_error() {
        let of = |text: &str| answer(text.as_bytes());
        assert_eq!(of(r#"{"value": {"a": 1}}"#).unwrap().unwrap().to_json(), r#"{"a":1}"#);
        assert_eq!(of(r#"{"value": null}"#).unwrap().unwrap().to_json(), "null");
        assert_eq!(of(r#"{"error": {"code": "E1", "message": "no"}}"#), Ok(Err("E1: no".to_owned())));
        assert_eq!(of(r#"{"error": {"message": "no"}}"#), Ok(Err("no".to_owned())));
        for text in [
            "",
            " \n",
            "s3cr3t",
            "[1]",
            "{}",
            r#"{"value": 1, "error": {}}"#,
            r#"{"value": "s3cr3t", "foo": 1}"#,
            r#"{"s3cr3t": 1, "value": 1}"#,
            r#"{"value": 1, "VALUE": "s3cr3t"}"#,
            r#"{"value": 1, "value": "s3cr3t"}"#,
            r#"{"Value": "s3cr3t"}"#,
            r#"{"error": {"message": "no"}, "foo": 1}"#,
        ] {
            assert!(!of(text).unwrap_err().contains("s3cr3t"), "{text}");
        }
    }
}
