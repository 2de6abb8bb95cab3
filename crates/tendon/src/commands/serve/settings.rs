//! Where the options of `tendon serve` come from beside the command line: the environment, and a configuration file.
//!
//! Whatever is not on the command line is looked for in the environment and then in the file, and put on the command line, where it is read and checked
//! as if it had been there. So every option has all three forms, and one set of rules.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use toml_edit::{Document, Item, Value};

use crate::files;

/// What the variables of options begin with.
const PREFIX: &str = "TENDON_SERVE_";
/// The option that names the file, which cannot be in the file itself.
const CONFIG: &str = "config";
/// Options that say what to do now, and have no other form.
const ACTIONS: &[&str] = &["help", "check-config", "check-ready"];

/// A variable of the environment.
pub(crate) type Environment<'e> = &'e dyn Fn(&str) -> Option<OsString>;

/// The options that are not on the command line, as they would be there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// What is put behind the others.
    pub(crate) arguments: Vec<OsString>,
    /// Each option with where it comes from, for those who look for the mistake.
    pub(crate) origins: Vec<(String, String)>,
}

impl Settings {
    /// Finds the options of a command that its arguments do not have.
    pub(crate) fn find(
        command: &Command,
        arguments: &[OsString],
        environment: Environment<'_>,
    ) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let options: Vec<(&Arg, &str)> = command
            .get_arguments()
            .filter_map(|argument| Some((argument, argument.get_long()?)))
            .filter(|(_, name)| !ACTIONS.contains(name))
            .collect();
        let is_given = |name: &str| {
            arguments.iter().filter_map(|it| it.to_str()).any(|it| {
                it.strip_prefix("--")
                    .and_then(|it| it.strip_prefix(name))
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            })
        };
        let mut found: Vec<&str> = Vec::new();
        for (option, name) in &options {
            let variable = variable(name);
            if let Some(value) = environment(&variable).filter(|value| !value.is_empty() && !is_given(name)) {
                let value =
                    value.into_string().map_err(|_| format!("the variable `{variable}` is not UTF-8"))?;
                let values =
                    if is_list(option) { value.split(',').map(str::to_owned).collect() } else { vec![value] };
                settings.add(option, name, &values, &format!("the variable `{variable}`"))?;
                found.push(name);
            }
        }
        let Some(file) = config_file(arguments, environment)? else { return Ok(settings) };
        let unread = |why: &dyn std::fmt::Display| {
            format!("the configuration file `{}` cannot be read: {why}", file.display())
        };
        let text = files::read(&file).map_err(|error| unread(&error))?;
        let text = String::from_utf8(text).map_err(|_| unread(&"it is not UTF-8"))?;
        let said = read(&text, &file)?;
        for (name, (values, line)) in said {
            let place = format!("`{}`, line {line}", file.display());
            let Some((option, long)) = options.iter().find(|(_, long)| *long == name && *long != CONFIG)
            else {
                let names: Vec<&str> =
                    options.iter().map(|(_, long)| *long).filter(|long| *long != CONFIG).collect();
                let hint = diagnostics::suggest(&name, names).map(|near| format!("; did you mean `{near}`?"));
                return Err(format!(
                    "{place}: `{name}` is not an option of `tendon serve`{}",
                    hint.unwrap_or_default()
                ));
            };
            if values.len() != 1 && !is_list(option) {
                return Err(format!("{place}: `{name}` has one value, and not a list"));
            }
            if !is_given(long) && !found.contains(long) {
                settings.add(option, long, &values, &place)?;
            }
        }
        Ok(settings)
    }

    fn add(&mut self, option: &Arg, name: &str, values: &[String], origin: &str) -> Result<(), String> {
        if matches!(option.get_action(), ArgAction::SetTrue) {
            match values {
                [yes] if ["true", "1", "yes"].contains(&yes.as_str()) => {
                    self.arguments.push(format!("--{name}").into());
                }
                [no] if ["false", "0", "no"].contains(&no.as_str()) => return Ok(()),
                _ => return Err(format!("{origin}: `{name}` is `true` or `false`")),
            }
        } else {
            self.arguments.extend(values.iter().map(|value| OsString::from(format!("--{name}={value}"))));
        }
        self.origins.push((name.to_owned(), origin.to_owned()));
        Ok(())
    }

    /// Where the options that an error speaks of come from; none if all of them are on the command line.
    pub(crate) fn explain(&self, error: &str) -> Option<String> {
        let named = self.origins.iter().filter(|(name, _)| error.contains(&format!("--{name}")));
        let notes: Vec<String> =
            named.map(|(name, origin)| format!("note: `--{name}` is from {origin}")).collect();
        (!notes.is_empty()).then(|| notes.join("\n"))
    }
}

/// The variable of an option.
pub(crate) fn variable(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('-', "_").to_ascii_uppercase())
}

fn is_list(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}

/// The file that is named on the command line, or else in the environment.
fn config_file(arguments: &[OsString], environment: Environment<'_>) -> Result<Option<PathBuf>, String> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let Some(text) = argument.to_str() else { continue };
        if text == "--config" {
            // The parser says that the value is missing.
            return Ok(arguments.next().map(PathBuf::from));
        }
        if let Some(file) = text.strip_prefix("--config=") {
            return Ok(Some(PathBuf::from(file)));
        }
    }
    Ok(environment(&variable(CONFIG)).filter(|value| !value.is_empty()).map(PathBuf::from))
}

/// The values of an option, and the line that it is in.
type Said = (Vec<String>, usize);

/// Reads a file: a name and its values on each line.
fn read(text: &str, file: &Path) -> Result<Vec<(String, Said)>, String> {
    let document = Document::parse(text).map_err(|error| {
        format!("the configuration file `{}` is not TOML: {}", file.display(), error.to_string().trim_end())
    })?;
    let line = |item: &Item, name: &str| {
        let start = document
            .as_table()
            .key(name)
            .and_then(toml_edit::Key::span)
            .or(item.span())
            .map_or(0, |span| span.start);
        text.as_bytes().iter().take(start).filter(|byte| **byte == b'\n').count() + 1
    };
    let mut said = Vec::new();
    for (name, item) in document.as_table() {
        let line = line(item, name);
        let wrong = || {
            let file = file.display();
            format!(
                "`{file}`, line {line}: `{name}` is a text, a number, `true` or `false`, or a list of these"
            )
        };
        let values = match item.as_value().ok_or_else(wrong)? {
            Value::Array(all) => {
                all.iter().map(|value| plain(value).ok_or_else(wrong)).collect::<Result<_, _>>()?
            }
            one => vec![plain(one).ok_or_else(wrong)?],
        };
        said.push((name.to_owned(), (values, line)));
    }
    Ok(said)
}

/// A value as it stands on a command line.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Boolean(yes) => Some(yes.value().to_string()),
        Value::Float(_) | Value::Datetime(_) | Value::Array(_) | Value::InlineTable(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, value_parser};

    fn command() -> Command {
        super::super::Arguments::augment_args(Command::new("serve"))
    }

    fn find(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let environment =
            |name: &str| variables.iter().find(|it| it.0 == name).map(|it| OsString::from(it.1));
        let found = Settings::find(&command(), &arguments, &environment)?;
        Ok(found.arguments.into_iter().map(|it| it.into_string().unwrap()).collect())
    }

    fn with_file(text: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Vec<String>, String> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("tendon-serve-{}-{number}.toml", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let named = format!("--config={}", file.display());
        let all: Vec<&str> = [named.as_str()].into_iter().chain(arguments.iter().copied()).collect();
        let found = find(&all, variables).map_err(|error| error.replace(&file.display().to_string(), "FILE"));
        std::fs::remove_file(file).unwrap();
        found
    }

    #[test]
    fn the_command_line_comes_before_the_environment_and_that_before_the_file() {
        let file = "listen = '127.0.0.1:1'\nhistory = 5\nhttp = true\ntls-name = ['a', \"b\"]\n";
        assert_eq!(
            with_file(file, &[], &[]).unwrap(),
            ["--listen=127.0.0.1:1", "--history=5", "--http", "--tls-name=a", "--tls-name=b"]
        );
        let variables =
            [("TENDON_SERVE_HISTORY", "6"), ("TENDON_SERVE_TLS_NAME", "c,d"), ("TENDON_SERVE_HTTP", "no")];
        assert_eq!(
            with_file(file, &["--listen", "127.0.0.1:2"], &variables).unwrap(),
            ["--history=6", "--tls-name=c", "--tls-name=d"]
        );
    }

    #[test]
    fn every_option_has_a_variable_that_is_read() {
        for option in
            command().get_arguments().filter(|option| option.get_long().is_some_and(|it| it != "config"))
        {
            let name = option.get_long().unwrap();
            if ACTIONS.contains(&name) {
                continue;
            }
            let value = if matches!(option.get_action(), ArgAction::SetTrue) { "true" } else { "v" };
            let found = find(&[], &[(&variable(name), value)]).unwrap();
            assert_eq!(found.len(), 1, "{name}");
            assert!(found.iter().all(|it| it.starts_with(&format!("--{name}"))), "{name}");
        }
        let _ = value_parser!(u8);
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named_with_its_line() {
        for (text, said) in [
            (
                "history = 1\nlisen = 'x'\n",
                "`FILE`, line 2: `lisen` is not an option of `tendon serve`; did you mean `listen`?",
            ),
            ("history = [1, 2]\n", "`FILE`, line 1: `history` has one value, and not a list"),
            ("http = 'maybe'\n", "`FILE`, line 1: `http` is `true` or `false`"),
            (
                "history = 1.5\n",
                "`FILE`, line 1: `history` is a text, a number, `true` or `false`, or a list of these",
            ),
            ("config = 'other.toml'\n", "`FILE`, line 1: `config` is not an option of `tendon serve`"),
        ] {
            let wrong = with_file(text, &[], &[]).unwrap_err();
            assert!(wrong.starts_with(said), "{wrong}");
        }
        assert!(with_file("history 1\n", &[], &[]).unwrap_err().contains("is not TOML"));
        assert!(find(&["--config=/nowhere/x"], &[]).unwrap_err().contains("cannot be read"));
    }
}
