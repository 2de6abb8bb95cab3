//! Values of parameters and answers of functions, from files and from the command line.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::Mocks;
use arm::template::{ErrorLocation, Template, TemplateError, TypeWord, code};
use document::{Document, FileId, ReadError, ReadLimits};
use engine::provider::Script;

use super::sources::Sources;
use crate::exit::CommandError;
use crate::input::{self, Format, Unread};
use crate::load_error::DeploymentLoadError;

/// The limits of a file of values or mocks.
const LIMITS: ReadLimits = ReadLimits::DEFAULT;

/// Reads a text, and says what is wrong if there is too much of it.
pub(crate) fn read(path: &Path) -> Result<(String, Vec<u8>), DeploymentLoadError> {
    match input::read(path.as_os_str(), &LIMITS) {
        Ok(input) => Ok((input.name.clone(), input.into_bytes())),
        Err(Unread::Failed(failure)) => Err(failure.into()),
        Err(Unread::TooLarge(diagnostic)) => {
            let name = input::display_name(path.as_os_str());
            let message = format!("`{name}`: {}", diagnostic.message);
            Err(TemplateError::new(code::INVALID_REQUEST_CONTENT, message).into())
        }
    }
}

/// Reads values of parameters that people wrote by hand, in JSON or YAML.
///
/// Where a parameter is secure, or values of external inputs or settings of extensions are in it, no line of a
/// text that cannot be read is shown.
pub(crate) fn parameters(
    path: &Path,
    secure: bool,
    sources: &mut Sources,
) -> Result<Inputs, DeploymentLoadError> {
    let (name, bytes) = read(path)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lower = text.to_ascii_lowercase();
    // A name may be written with escapes.
    let may_hold_secrets =
        ["externalinput", "extensionconfig", "\\u"].iter().any(|part| lower.contains(part));
    let file = sources.add(&name, text);
    sources.lies_in(file, path.parent().unwrap_or(Path::new("")));
    let limits = arm::template::TemplateLimits::DEFAULT;
    let inputs = match Format::of_name(path.as_os_str()) {
        Some(Format::Yaml) => Document::from_yaml(bytes, file, &LIMITS)
            .map_err(|error| vec![unreadable(&name, error)])
            .and_then(|document| {
                let root = document.root().id();
                Inputs::from_handwritten(Arc::new(document), root)
            }),
        Some(Format::Json) | None => Inputs::read_handwritten(bytes, file, &limits),
    };
    if let Ok(inputs) = &inputs {
        inputs.external_value_places().iter().for_each(|place| sources.hide(place));
    }
    inputs.map_err(|mut errors| {
        if secure || may_hold_secrets {
            sources.withhold(file);
            let unread = errors.iter_mut().filter(|error| error.code == code::INVALID_REQUEST_CONTENT);
            // Whatever was read in part is said without a word of a value.
            let unread = unread.filter(|error| error.target.is_none());
            let unread = unread.filter(|error| error.at.as_ref().is_none_or(|at| at.path.is_empty()));
            for error in unread {
                error.message =
                    format!("`{name}` cannot be read; it may hold secrets, so nothing of it is shown").into();
                error.hint = None;
            }
        }
        errors.into()
    })
}

/// The value of `--param NAME=VALUE`, of which the template may know the type.
///
/// Errors point into a text that is called `--param NAME`.
pub(crate) fn parameter(
    given: &str,
    template: Option<&Template>,
    inputs: &mut Inputs,
    sources: &mut Sources,
) -> Result<(), DeploymentLoadError> {
    let Some((name, text)) = given.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
        let shown = given.split('=').next().unwrap_or_default();
        return Err(CommandError::Usage(format!(
            "`--param {shown}` has no name or no value; write `--param NAME=VALUE`"
        ))
        .into());
    };
    let declared = template.and_then(|template| template.parameters.get(name));
    let word = declared.and_then(|parameter| parameter.ty.word);
    let value = match text.strip_prefix('@') {
        Some(path) => {
            let (_, bytes) = read(Path::new(path))?;
            let Ok(text) = String::from_utf8(bytes) else {
                return Err(
                    CommandError::Input(format!("`--param {name}=@{path}`: the file is not UTF-8")).into()
                );
            };
            value_of(text.strip_suffix('\n').unwrap_or(&text), word)
        }
        None => value_of(text, word),
    };
    let text = value.to_json();
    let file = sources.add(&format!("--param {name}"), text.as_str());
    match Document::from_json(text, file, &LIMITS) {
        Ok(document) => inputs.set_written(name, value, Arc::new(document)),
        // What is too large to be read again has no place.
        Err(_) => inputs.set(name, value),
    }
    Ok(())
}

/// JSON where it is JSON, else text. What a string is wanted for stays text, unless it is a JSON string or null.
fn value_of(text: &str, word: Option<TypeWord>) -> Value {
    let json = Document::from_json(text, FileId::FIRST, &LIMITS).ok();
    let value = json.and_then(|document| Value::from_view(document.root()).ok());
    match (value, word) {
        (Some(value @ (Value::Text(_) | Value::Null)), _) => value,
        (Some(_), Some(TypeWord::String)) | (None, _) => Value::text(text),
        (Some(value), _) => value,
    }
}

/// Reads a mocks file.
pub(crate) fn mocks(path: &Path, sources: &mut Sources) -> Result<Mocks, DeploymentLoadError> {
    let (name, bytes) = read(path)?;
    let file = sources.add(&name, String::from_utf8_lossy(&bytes).into_owned());
    let format = Format::of_name(path.as_os_str()).unwrap_or_else(|| told_by(&bytes));
    let document = match format {
        Format::Json => Document::from_json(bytes, file, &LIMITS),
        Format::Yaml => Document::from_yaml(bytes, file, &LIMITS),
    };
    // Secrets of key vaults and inputs are in it, so that nothing of a text that cannot be read is shown.
    let document = document.map_err(|error| {
        sources.withhold(file);
        let place =
            ErrorLocation { span: error.place, line: error.line, column: error.column, path: String::new() };
        let message = format!("`{name}` cannot be read; it may hold secrets, so nothing of it is shown");
        DeploymentLoadError::from(TemplateError::new(code::INVALID_REQUEST_CONTENT, message).at(place))
    })?;
    let content = Value::from_view(document.root());
    let mocks = content.map_err(|error| error.to_string()).and_then(Mocks::new);
    let mocks = mocks.and_then(|mocks| script(&mocks).map(|_| mocks));
    mocks.map_err(|message| {
        let message = format!("`{name}`: {message}");
        TemplateError::new(code::INVALID_REQUEST_CONTENT, message).into()
    })
}

/// What mocks have providers say, if anything.
pub(super) fn script(mocks: &Mocks) -> Result<Option<Script>, String> {
    mocks.get("provider").map(Script::read).transpose()
}

fn told_by(bytes: &[u8]) -> Format {
    match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Format::Json,
        _ => Format::Yaml,
    }
}

fn unreadable(name: &str, error: ReadError) -> TemplateError {
    let location =
        ErrorLocation { span: error.place, line: error.line, column: error.column, path: String::new() };
    let message = format!("`{name}` cannot be read: {error}");
    let reported = TemplateError::new(code::INVALID_REQUEST_CONTENT, message).at(location);
    match error.hint {
        Some(hint) => reported.hint(hint),
        None => reported,
    }
}

/// Tells whether a file is a Bicep parameters file.
pub(crate) fn is_bicep_parameters(path: &OsStr) -> bool {
    input::extension(path).as_deref() == Some("bicepparam")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, word: Option<TypeWord>, expect: &str) {
        assert_eq!(value_of(text, word).to_json(), expect, "{text}");
    }

    #[test]
    fn a_value_is_json_where_it_is_json() {
        check("3", None, "3");
        check("[1, 2]", None, "[1,2]");
        check("{\"a\": true}", Some(TypeWord::Object), "{\"a\":true}");
        check("hello", None, "\"hello\"");
        check("", None, "\"\"");
        check("{a", None, "\"{a\"");
        check("null", Some(TypeWord::String), "null");
    }

    #[test]
    fn a_string_stays_text_whatever_it_looks_like() {
        check("1.10", Some(TypeWord::String), "\"1.10\"");
        check("true", Some(TypeWord::String), "\"true\"");
        check("\"quoted\"", Some(TypeWord::String), "\"quoted\"");
        check("1", Some(TypeWord::Int), "1");
    }
}
