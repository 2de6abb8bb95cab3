//! Whether an answer is what it has to be.

use crate::attack::{Attack, Class, Dialect, Must, SECRET};
use crate::crossing::{Carrier, Crossing};
use crate::room::{Answer, Outcome};

/// The most that an answer may have.
const LARGEST: usize = 1_500_000;

/// Where a line and a column are looked for.
const LOOKED_AT: usize = 64 << 10;

/// What is wrong with the answer to an attack, if anything is.
///
/// Some boundaries cannot know what is secret in a text that cannot be read: it holds the contract as well.
pub(crate) fn attack(boundary: Crossing, attack: &Attack, answer: &Answer) -> Vec<String> {
    let hides = !(attack.value.is_raw() && boundary.carrier() == Carrier::Template);
    let mut wrong = Vec::new();
    match (&answer.outcome, attack.must) {
        (Outcome::Broken(what), _) => wrong.push(what.clone()),
        (Outcome::Accepted, Must::BeRefused) => wrong.push("accepted".to_owned()),
        (Outcome::Accepted, Must::EndWell) => {}
        (Outcome::Refused, _) => {
            // Nobody looks at a value that is too large to be taken.
            let is_unread = answer.is_too_large && attack.class == Class::Size;
            if !is_unread && !names(boundary, attack, &String::from_utf8_lossy(&answer.text)) {
                wrong.push("no path".to_owned());
            }
        }
    }
    if answer.length > LARGEST {
        wrong.push(format!("{:.1} MB of answer", answer.length as f64 / 1e6));
    }
    let text = String::from_utf8_lossy(&answer.text);
    let shows = |secret: &str| text.contains(secret);
    // What is accepted is answered with what was given.
    let hides = hides && !matches!(answer.outcome, Outcome::Accepted);
    if (shows(SECRET) && hides) || attack.hidden.iter().any(|secret| shows(secret)) {
        wrong.push("shows a secret".to_owned());
    }
    wrong
}

/// What is wrong with the answer to a twin, if anything is.
pub(crate) fn twin(answer: &Answer) -> Option<String> {
    match &answer.outcome {
        Outcome::Accepted => None,
        Outcome::Refused => Some("twin refused".to_owned()),
        Outcome::Broken(what) => Some(format!("twin: {what}")),
    }
}

/// Whether a refusal names what is wrong.
fn names(boundary: Crossing, attack: &Attack, text: &str) -> bool {
    // Where the text itself is wrong, line and column are enough, and so they are where a name is too long to be repeated.
    let is_record = matches!(boundary, Crossing::SharedRecord(_));
    let Some(path) = attack.path.as_ref().filter(|_| !is_record) else {
        // A record that is damaged is named as a whole.
        return if is_record { text.contains("/stored") } else { has_place(text) };
    };
    let path = match boundary.carrier() {
        // A secret is named as a whole: the names in it are a part of it.
        _ if boundary == Crossing::VaultSecret => return has_place(text),
        // The header of a container has the type of all its elements, so that the container is of the wrong type.
        Carrier::Wire if attack.class == Class::WrongType => attack.container().unwrap_or(path),
        _ => path.as_str(),
    };
    if attack.value.is_raw() && has_place(text) {
        return true;
    }
    // The compiler of Bicep says where in the source the value stands.
    let by_compiler =
        [".bicepparam(", ".bicep("].iter().any(|file| text.contains(file)) && text.contains(" : Error ");
    let by_compiler = by_compiler || text.contains("error[BCP") && text.contains("--> ");
    // A mistake in a contract is shown where it is written.
    let is_contract = attack.dialects == [Dialect::Rules];
    if path.is_empty() || by_compiler || is_contract {
        // A member with an empty name is named so.
        return has_place(text) || (path.is_empty() && text.contains("['']"));
    }
    let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
    let last = path.rsplit('.').next().unwrap_or(path);
    let bare = last.split('[').next().unwrap_or(last);
    // A name of one letter is found everywhere, so that it has to stand alone.
    let alone = text.lines().any(|line| line.trim_end().ends_with(&format!(" {path}")));
    let quoted = ['\'', '"', '`'].iter().any(|quote| text.contains(&format!("{quote}{bare}{quote}")));
    [format!(".{path}"), format!("`{path}"), format!("'{path}'"), format!("\"{path}\""), pointer]
        .iter()
        .any(|form| text.contains(form.as_str()))
        || ((quoted || alone) && has_place(text))
}

/// Whether a text has a path, a pointer, or a line and a column.
fn has_place(text: &str) -> bool {
    has_line(text)
        || [
            "$.",
            "$[",
            "(/",
            "\"target\":",
            "p.",
            "'p'",
            "`p`",
            " /",
            "w:",
            "line ",
            "Widget.",
            "w.",
            "'o'",
            "p=@",
            "success.",
        ]
        .iter()
        .any(|mark| text.contains(mark))
}

/// Whether a text has a line and a column, as `:3:14` or `(3,14)`.
fn has_line(text: &str) -> bool {
    // It comes at the beginning, and what follows may be long.
    let bytes = text.as_bytes().get(..LOOKED_AT).unwrap_or(text.as_bytes());
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    bytes.iter().enumerate().any(|(at, byte)| {
        let between = match byte {
            b':' => b':',
            b'(' => b',',
            _ => return false,
        };
        let line = digits(at + 1);
        line > 0 && bytes.get(at + 1 + line) == Some(&between) && digits(at + 2 + line) > 0
    })
}
