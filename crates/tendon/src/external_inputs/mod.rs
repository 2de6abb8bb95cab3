//! Finds the values of external inputs: what parameters files ask of the environment, the command line, files, people and
//! programs.
//!
//! `kinds` says which inputs there are and what each needs to know, `arguments` reads what stands behind `--`, `command` asks a
//! program that the configuration names, `process` runs it within limits, and `prompt` asks a person. Values are handed to
//! [`Inputs`] and kept nowhere else; no error quotes one.

mod arguments;
mod command;
mod kinds;
pub(crate) mod process;
mod prompt;

use std::path::{Path, PathBuf};

use arm::Value;
use arm::binding::{ExternalInput, Inputs, MissingInput};
use arm::template::{TemplateError, code};
use bicep::Config;
use diagnostics::{FileId, Message};

use self::arguments::CliArguments;
pub(crate) use self::arguments::{PUBLIC_PREFIX, Spelling};
use self::kinds::InputQuestion;
use crate::compile::disk::{self, Disk};
use crate::exit::CommandError;
use crate::load_error::DeploymentLoadError;

pub(crate) use self::kinds::BUILT_IN;

/// What the command line says about external inputs.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct InputOptions {
    /// Values of the external inputs `sys.cliArgument`: `-- --NAME VALUE` or `-- --NAME=VALUE`
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,

    /// How such arguments are written.
    #[arg(skip)]
    pub(crate) spelling: Spelling,
}

impl InputOptions {
    /// The same, if there are any: a command that leaves external inputs as they are answers them if it is given arguments.
    pub(crate) fn given(&self) -> Option<&InputOptions> {
        Some(self).filter(|it| !it.arguments.is_empty())
    }
}

/// The code of an input whose type, configuration or command is wrong.
const INVALID: &str = "ExternalInputInvalid";

/// The code of an input that was asked for and not given.
const FAILED: &str = "ExternalInputFailed";

/// Why an input has no value.
#[derive(Debug)]
pub(crate) struct InputError {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl InputError {
    fn missing(message: impl Into<String>) -> InputError {
        InputError { code: code::EXTERNAL_INPUT_MISSING, message: message.into(), hint: None }
    }

    /// What is asked for makes no sense.
    fn invalid(message: impl Into<String>) -> InputError {
        InputError { code: INVALID, message: message.into(), hint: None }
    }

    /// Who was asked did not answer.
    fn failed(message: impl Into<String>) -> InputError {
        InputError { code: FAILED, message: message.into(), hint: None }
    }

    fn hint(self, hint: impl Into<String>) -> InputError {
        InputError { hint: Some(hint.into()), ..self }
    }

    /// The error about the parameter that needs the input.
    fn about(self, missing: &MissingInput) -> TemplateError {
        let input = described(&missing.input);
        let message = match &missing.parameter {
            Some(parameter) => {
                format!("The template parameter '{parameter}' needs {input}: {}", self.message)
            }
            None => format!("The file needs {input}: {}", self.message),
        };
        let mut error = TemplateError::new(self.code, Message::sentence(message));
        if let Some(parameter) = &missing.parameter {
            error = error.target(parameter.as_str());
        }
        if let Some(hint) = self.hint {
            error = error.hint(hint);
        }
        match &missing.at {
            Some(at) => error.at(at.clone()),
            None => error,
        }
    }
}

/// An input as its author wrote it.
fn described(input: &ExternalInput) -> String {
    match &input.config {
        Some(config) => {
            let config = config.as_str().map_or_else(|| config.to_json(), str::to_owned);
            format!("the external input '{}' with '{}'", input.kind, shortened(&config))
        }
        None => format!("the external input '{}'", input.kind),
    }
}

/// A text that is not too long for a message.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(200) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

/// Which inputs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputFilter {
    /// Those that parameters use.
    Parameters,
    /// Those that anything in the file uses.
    Everything,
    /// Those that are needed to know where a file is deployed to; arguments for others are not looked at.
    Placement,
}

/// Gives every input that is used its value.
///
/// `folder` tells where the file of a number lies, and `stdin_is_taken` that standard input holds one of the files.
pub(crate) fn resolve(
    inputs: &mut Inputs,
    wanted: InputFilter,
    options: &InputOptions,
    folder: &dyn Fn(FileId) -> PathBuf,
    stdin_is_taken: bool,
) -> Result<(), DeploymentLoadError> {
    let arguments = CliArguments::read(&options.arguments, options.spelling).and_then(|given| {
        if wanted != InputFilter::Placement {
            given.expect(kinds::argument_names(inputs.external_inputs()))?;
        }
        Ok(given)
    });
    let arguments = arguments.map_err(CommandError::Usage)?;
    let missing = match wanted {
        InputFilter::Parameters => inputs.missing_externals(),
        InputFilter::Everything => inputs.all_missing_externals(),
        InputFilter::Placement => inputs.missing_for_using(),
    };
    let mut resolver =
        Resolver { arguments, stdin: None, stdin_is_taken, configs: Vec::new(), known: Vec::new() };
    let mut questions = Vec::new();
    let mut errors = inputs.loose_values();
    for missing in missing {
        let folder = folder(missing.file);
        match resolver.question(&missing.input, &folder) {
            Ok(question) => questions.push((missing, question)),
            Err(why) => errors.push(why.about(&missing)),
        }
    }
    // What costs nothing comes first, and nobody is asked for something that will not be used.
    questions.sort_by_key(|(_, question)| question.effort());
    let mut effort = 0;
    for (missing, question) in &questions {
        if !errors.is_empty() && (question.effort() > effort || question.effort() > kinds::LOOKS_UP) {
            break;
        }
        effort = question.effort();
        match resolver.answer(question) {
            Ok(value) => inputs.supply(&missing.input, value),
            Err(why) => errors.push(why.about(missing)),
        }
    }
    let more = errors.len().saturating_sub(MOST_ERRORS);
    if more > 0 {
        errors.truncate(MOST_ERRORS);
        let message = Message::sentence(format!("{more} more external inputs have no value"));
        errors.push(TemplateError::new(code::EXTERNAL_INPUT_MISSING, message));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.into()) }
}

/// How many inputs without a value are told one by one, as with errors of templates.
const MOST_ERRORS: usize = 100;

/// What is known while inputs are resolved.
struct Resolver {
    arguments: CliArguments,
    /// Standard input, once it was read.
    stdin: Option<Result<Vec<u8>, String>>,
    stdin_is_taken: bool,
    /// The configurations of folders.
    configs: Vec<(PathBuf, Config)>,
    /// What was answered before: several files may ask the same.
    known: Vec<(InputQuestion, Value)>,
}

impl Resolver {
    /// What has to be asked for an input.
    fn question(&mut self, input: &ExternalInput, folder: &Path) -> Result<InputQuestion, InputError> {
        match kinds::find(&input.kind) {
            Some(kind) => (kind.read)(input.config.as_ref(), folder),
            None => {
                let config = self.config(folder);
                command::find(input, config).map(|command| InputQuestion::Command(Box::new(command)))
            }
        }
    }

    fn config(&mut self, folder: &Path) -> &Config {
        let position = self.configs.iter().position(|(known, _)| known == folder);
        let position = position.unwrap_or_else(|| {
            let config = Config::find(&Disk::default(), &disk::file_path(folder));
            self.configs.push((folder.to_owned(), config));
            self.configs.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "it was found or pushed above")]
        &self.configs[position].1
    }

    fn answer(&mut self, question: &InputQuestion) -> Result<Value, InputError> {
        if let Some((_, value)) = self.known.iter().find(|(known, _)| known == question) {
            return Ok(value.clone());
        }
        let value = match question {
            InputQuestion::Variable(name) => kinds::variable(name)?,
            InputQuestion::Argument(name) => self.arguments.get(name)?,
            InputQuestion::File { path, format } => kinds::file(path, *format)?,
            InputQuestion::Stdin { format } => kinds::content(&self.stdin()?, *format, "standard input")?,
            InputQuestion::Command(command) => command.ask()?,
            InputQuestion::Prompt { message } => Value::text(prompt::ask(message)?),
        };
        self.known.push((question.clone(), value.clone()));
        Ok(value)
    }

    fn stdin(&mut self) -> Result<Vec<u8>, InputError> {
        if self.stdin_is_taken {
            return Err(InputError::invalid("standard input holds one of the files"));
        }
        let read = self.stdin.get_or_insert_with(kinds::read_stdin);
        read.clone().map_err(InputError::missing)
    }
}
