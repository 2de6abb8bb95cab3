//! Small mistakes: a token or line that is missing, twice, elsewhere or another one.

use crate::{Choices, Program};

const TOKENS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    ".",
    "=",
    "?",
    "??",
    "!",
    "|",
    "=>",
    "...",
    "@",
    "'",
    "'${",
    "\n",
    "for",
    "in",
    "if",
    "null",
    "any",
    "resource",
    "module",
    "type",
    "var",
    "param",
    "output",
    "func",
    "existing",
    "parent: r1",
    "scope: r1",
    "v1",
    "t1",
    "-",
    "<",
    "import * as x from 'b.bicep'\n",
];

/// Changes one file in one place.
pub(crate) fn mutate(program: &mut Program, choices: &mut Choices<'_>) {
    let which = choices.below(program.files.len());
    let Some((_, text)) = program.files.get_mut(which) else { return };
    let mut tokens = tokens(text);
    if tokens.is_empty() {
        return;
    }
    let at = choices.below(tokens.len());
    let other = choices.below(tokens.len());
    match choices.below(9) {
        0 | 1 => {
            tokens.remove(at);
        }
        2 => {
            let token = tokens.get(at).cloned().unwrap_or_default();
            tokens.insert(at, token);
        }
        3 => tokens.swap(at, other),
        4 => {
            if let (Some(token), Some(slot)) = (tokens.get(other).cloned(), tokens.get_mut(at)) {
                *slot = token;
            }
        }
        5 => tokens.insert(at, choices.pick(&TOKENS).to_owned()),
        6 => {
            // The names of two declarations become one, or one refers to the other.
            let names: Vec<String> = tokens.iter().filter(|token| is_name(token)).cloned().collect();
            let place = tokens.iter().skip(at).position(|token| is_name(token)).map(|place| place + at);
            if let (Some(name), Some(slot)) = (choices.one(&names), place.and_then(|at| tokens.get_mut(at))) {
                slot.clone_from(name);
            }
        }
        7 => {
            let (from, to) = (at.min(other), at.max(other).min(at.min(other) + 12));
            let part: Vec<String> = tokens.iter().take(to).skip(from).cloned().collect();
            tokens.splice(at..at, part);
        }
        _ => tokens.truncate(at),
    }
    *text = tokens.concat();
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_alphabetic()) && token.len() < 5
}

/// A text in pieces: words, blanks, and anything else by the character.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for character in text.chars() {
        let kind = match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Some(0),
            ' ' => Some(1),
            _ => None,
        };
        match tokens.last_mut() {
            Some(token) if kind.is_some() && kind == last => token.push(character),
            _ => tokens.push(character.to_string()),
        }
        last = kind;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_text() {
        let text = "var a1 = { b: 'c'\n  d: [1, 2] }";
        assert_eq!(tokens(text).concat(), text);
        assert_eq!(tokens("var a").len(), 3);
    }
}
