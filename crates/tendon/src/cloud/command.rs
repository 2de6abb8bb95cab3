//! Tokens that a command prints.

use std::path::Path;
use std::time::Duration;

use endpoint::{BearerToken, Refreshed};

use crate::external_inputs::process::{self, ProcessExit};

/// How long a command may take.
const TIME: Duration = Duration::from_secs(120);

/// The command of the Azure CLI.
pub(super) fn az(audience: &str) -> Vec<String> {
    let program = if cfg!(windows) { "az.cmd" } else { "az" };
    let words = [program, "account", "get-access-token", "--resource", audience, "--output", "json"];
    words.map(str::to_owned).to_vec()
}

/// Tokens of a command, which is run again before one ends.
pub(super) fn credential(command: Vec<String>) -> Refreshed {
    Refreshed::new(move || obtain(&command))
}

/// Runs a command and reads the token that it prints. No error shows what it printed.
fn obtain(command: &[String]) -> Result<BearerToken, String> {
    let name = command.first().map(String::as_str).unwrap_or_default();
    let (ended, printed) = process::run(command, Path::new("."), String::new(), TIME);
    let said = || match printed.complaints.lines().last() {
        Some(last) => format!(": {last}"),
        None => String::new(),
    };
    match ended {
        ProcessExit::Exited(status) if status.success() => {
            BearerToken::parse(&String::from_utf8_lossy(&printed.output))
                .map_err(|why| format!("`{name}`: {why}"))
        }
        ProcessExit::Exited(status) => Err(format!("`{name}` ended with {status}{}", said())),
        ProcessExit::NotStarted(error) if name.starts_with("az") => Err(format!(
            "`{name}` cannot be started: {error}; install the Azure CLI and log in, or give a token with TENDON_ENDPOINT_TOKEN or `--credential-command`"
        )),
        ProcessExit::NotStarted(error) => Err(format!("`{name}` cannot be started: {error}")),
        ProcessExit::TooLong => {
            Err(format!("`{name}` took longer than {} seconds{}", TIME.as_secs(), said()))
        }
        ProcessExit::TooMuch => Err(format!("`{name}` printed too much for a token")),
        ProcessExit::Interrupted => Err("it was interrupted".to_owned()),
    }
}

/// The words of a command: they stand between blanks, and quotes of either kind keep blanks in a word. Nothing
/// else is special, and no shell is asked.
pub(super) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    match (quote, words.is_empty()) {
        (Some(quote), _) => Err(format!("a {quote} is not closed")),
        (None, true) => Err("there is no program".to_owned()),
        (None, false) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_words() {
        for (text, expected) in [
            ("a b  c", vec!["a", "b", "c"]),
            (r#"a "b c" 'd "e"' f"g h"i"#, vec!["a", "b c", r#"d "e""#, "fg hi"]),
            (r#"a '' "$HOME""#, vec!["a", "", "$HOME"]),
        ] {
            assert_eq!(words(text).unwrap(), expected, "{text}");
        }
        for wrong in ["", "  ", "a 'b", r#"""#] {
            assert!(words(wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn tokens_are_what_a_command_prints() {
        let shell = |script: &str| obtain(&["sh", "-c", script].map(str::to_owned));
        assert_eq!(shell("echo abc").unwrap().secret.expose(), "abc");
        let failed = shell("echo hunter2; echo not logged in >&2; exit 1").unwrap_err();
        assert!(failed.contains("not logged in") && !failed.contains("hunter2"), "{failed}");
        assert!(shell("echo two words").unwrap_err().starts_with("`sh`: "));
        assert!(obtain(&["no-such-program".to_owned()]).unwrap_err().contains("cannot be started"));
    }
}
