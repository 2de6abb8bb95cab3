//! The kinds of inputs that the program knows by itself, one row each, and how their values are found.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use arm::Value;
use arm::binding::ExternalInput;
use document::{Document, FileId, ReadLimits};

use super::InputError;
use super::command::Command;
use crate::input::{self, Unread};

/// The limits of a file or of standard input.
const LIMITS: ReadLimits = ReadLimits { bytes: 16 << 20, ..ReadLimits::DEFAULT };

/// A kind of input.
pub(crate) struct InputKind {
    /// What parameters files call it.
    pub(crate) name: &'static str,
    /// Reads what its configuration asks for.
    pub(super) read: fn(Option<&Value>, &Path) -> Result<InputQuestion, InputError>,
}

/// The kinds that need no configuration.
pub(crate) const BUILT_IN: &[InputKind] = &[
    InputKind { name: "sys.cliArg", read: argument_of },
    InputKind { name: ARGUMENT, read: argument_of },
    InputKind {
        name: "sys.envVar",
        read: |config, _| text_of(config, "the name of a variable").map(InputQuestion::Variable),
    },
    InputKind { name: "sys.file", read: file_of },
    InputKind { name: "sys.prompt", read: |config, _| prompt_of(config) },
    InputKind { name: "sys.stdin", read: |config, _| stdin_of(config) },
];

const ARGUMENT: &str = "sys.cliArgument";

/// What has to be asked to get a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum InputQuestion {
    Variable(String),
    /// An argument behind `--`.
    Argument(String),
    /// What is in a file.
    File {
        path: PathBuf,
        format: Format,
    },
    /// What comes through standard input.
    Stdin {
        format: Format,
    },
    Command(Box<Command>),
    Prompt {
        message: String,
    },
}

/// How a text becomes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
}

/// The effort of what is only looked up.
pub(super) const LOOKS_UP: u8 = 0;

impl InputQuestion {
    /// How much is asked of others: what costs more comes later.
    pub(super) fn effort(&self) -> u8 {
        match self {
            InputQuestion::Variable(_) | InputQuestion::Argument(_) | InputQuestion::File { .. } => LOOKS_UP,
            InputQuestion::Stdin { .. } => 1,
            InputQuestion::Command(_) => 2,
            InputQuestion::Prompt { .. } => 3,
        }
    }
}

/// The kind of a name.
pub(super) fn find(name: &str) -> Option<&'static InputKind> {
    BUILT_IN.iter().find(|kind| kind.name == name)
}

/// The arguments that inputs ask for, used or not.
pub(super) fn argument_names(inputs: &[ExternalInput]) -> Vec<&str> {
    let asks = |input: &&ExternalInput| [ARGUMENT, "sys.cliArg"].contains(&input.kind.as_str());
    let configs = inputs.iter().filter(asks).filter_map(|input| input.config.as_ref());
    let mut names: Vec<&str> = configs.filter_map(Value::as_str).map(without_dashes).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn without_dashes(name: &str) -> &str {
    name.strip_prefix("--").unwrap_or(name)
}

fn argument_of(config: Option<&Value>, _: &Path) -> Result<InputQuestion, InputError> {
    let name = text_of(config, "the name of an argument")?;
    let name = without_dashes(&name);
    if name.is_empty() || name.contains('=') || name.starts_with('-') {
        return Err(InputError::invalid(format!("'{name}' is not the name of an argument")));
    }
    Ok(InputQuestion::Argument(name.to_owned()))
}

fn text_of(config: Option<&Value>, what: &str) -> Result<String, InputError> {
    match config.and_then(Value::as_str).filter(|text| !text.is_empty()) {
        Some(text) => Ok(text.to_owned()),
        None => Err(InputError::invalid(format!("its configuration must be a string: {what}"))),
    }
}

fn file_of(config: Option<&Value>, folder: &Path) -> Result<InputQuestion, InputError> {
    let wanted = "its configuration must be a path, or an object with 'path' and perhaps 'format'";
    let invalid = || InputError::invalid(wanted);
    let (path, format) = match config {
        Some(Value::Object(_)) => {
            let path = member(config, "path").and_then(Value::as_str).ok_or_else(invalid)?;
            (path, format_of(config, &["path", "format"])?)
        }
        Some(config) => (config.as_str().ok_or_else(invalid)?, Format::Text),
        None => return Err(invalid()),
    };
    if path.is_empty() {
        return Err(invalid());
    }
    Ok(InputQuestion::File { path: folder.join(path), format })
}

fn stdin_of(config: Option<&Value>) -> Result<InputQuestion, InputError> {
    match config {
        None | Some(Value::Null) => Ok(InputQuestion::Stdin { format: Format::Text }),
        Some(Value::Object(_)) => Ok(InputQuestion::Stdin { format: format_of(config, &["format"])? }),
        Some(_) => {
            Err(InputError::invalid("its configuration, if there is one, must be an object with 'format'"))
        }
    }
}

fn prompt_of(config: Option<&Value>) -> Result<InputQuestion, InputError> {
    let message = match config {
        Some(Value::Object(_)) => {
            only(config, &["message"])?;
            member(config, "message").and_then(Value::as_str)
        }
        other => other.and_then(Value::as_str),
    };
    match message {
        Some(message) => Ok(InputQuestion::Prompt { message: message.to_owned() }),
        None => {
            Err(InputError::invalid("its configuration must be the question, or an object with 'message'"))
        }
    }
}

fn member<'v>(config: Option<&'v Value>, name: &str) -> Option<&'v Value> {
    config?.as_object()?.get(name)
}

/// Refuses members that have no meaning.
fn only(config: Option<&Value>, names: &[&str]) -> Result<(), InputError> {
    let mut members = config.and_then(Value::as_object).into_iter().flatten();
    match members.find(|(name, _)| !names.iter().any(|known| known.eq_ignore_ascii_case(name))) {
        Some((name, _)) => {
            let names = names.join("' and '");
            Err(InputError::invalid(format!("its configuration has no '{name}', only '{names}'")))
        }
        None => Ok(()),
    }
}

fn format_of(config: Option<&Value>, names: &[&str]) -> Result<Format, InputError> {
    only(config, names)?;
    match member(config, "format").map(Value::as_str) {
        None | Some(Some("text")) => Ok(Format::Text),
        Some(Some("json")) => Ok(Format::Json),
        Some(_) => Err(InputError::invalid("its 'format' must be 'text' or 'json'")),
    }
}

/// The value of an environment variable; an empty one counts as set.
pub(super) fn variable(name: &str) -> Result<Value, InputError> {
    // A name that no variable can have is not set.
    let value = if name.contains(['=', '\0']) { None } else { std::env::var_os(name) };
    match value.map(std::ffi::OsString::into_string) {
        Some(Ok(text)) => Ok(Value::text(text)),
        Some(Err(_)) => Err(InputError::missing(format!("the environment variable '{name}' is not UTF-8"))),
        None => Err(InputError::missing(format!("the environment variable '{name}' is not set"))),
    }
}

/// What is in a file.
pub(super) fn file(path: &Path, format: Format) -> Result<Value, InputError> {
    let shown = path.display();
    if path.as_os_str() == input::STANDARD_INPUT {
        return Err(InputError::invalid("standard input is the input 'sys.stdin'"));
    }
    let bytes = read(path.as_os_str(), &format!("the file '{shown}'")).map_err(InputError::missing)?;
    content(&bytes, format, &format!("the file '{shown}'"))
}

/// Everything that comes through standard input.
pub(super) fn read_stdin() -> Result<Vec<u8>, String> {
    read(OsStr::new(input::STANDARD_INPUT), "standard input")
}

fn read(path: &OsStr, what: &str) -> Result<Vec<u8>, String> {
    match input::read(path, &LIMITS) {
        Ok(input) => Ok(input.into_bytes()),
        Err(Unread::Failed(failure)) => Err(failure.to_string()),
        Err(Unread::TooLarge(_)) => Err(format!("{what} has more than {} bytes", LIMITS.bytes)),
    }
}

/// A text as a value. What is wrong with it is said without a word of it.
pub(super) fn content(bytes: &[u8], format: Format, what: &str) -> Result<Value, InputError> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(InputError::missing(format!("{what} is not UTF-8")));
    };
    match format {
        Format::Text => {
            let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
            Ok(Value::text(text))
        }
        Format::Json => {
            let document = Document::from_json(text, FileId::FIRST, &LIMITS).map_err(|error| {
                let (line, column) = (error.line, error.column);
                InputError::missing(format!("{what} is not JSON (line {line}, column {column})"))
            })?;
            Value::from_view(document.root())
                .map_err(|_| InputError::missing(format!("{what} holds a value that is too large")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_loses_one_line_break() {
        let text = |bytes: &[u8]| content(bytes, Format::Text, "it").unwrap().to_json();
        assert_eq!(text(b"a\n"), r#""a""#);
        assert_eq!(text(b"a\r\n"), r#""a""#);
        assert_eq!(text(b"a\n\n"), r#""a\n""#);
        assert_eq!(text(b"a\r"), r#""a\r""#);
        assert_eq!(text(b""), r#""""#);
    }

    #[test]
    fn json_that_is_not_is_said_without_a_word_of_it() {
        let error = content(b"{\"a\": s3cr3t}", Format::Json, "it").unwrap_err();
        assert_eq!(error.message, "it is not JSON (line 1, column 7)");
    }

    #[test]
    fn names_of_kinds_are_in_order() {
        assert!(BUILT_IN.is_sorted_by_key(|kind| kind.name));
    }
}
