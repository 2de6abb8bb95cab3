//! Every diagnostic of the compiler: one row per code, with its severity, its message and, where there is one, a hint.
//!
//! A file here is a family of rows, and `resources/specs/codes/FAMILY.md` has a section for each of its codes, with a
//! program that raises it; a test fails where one is missing. The codes of the lexer and the parser are rows of
//! [`syntax::Code`], and those of the linter are in `lint`. No other file names a code.
//!
//! Codes and severities are those of the public compiler, because people search for them; the sentences are our own.
//! `{0}`, `{1}`... stand for the arguments, in the message and in the hint.

use std::borrow::Cow;
use std::fmt::Display;

use syntax::Span;

use crate::finding::{Finding, Fix, Severity, UnlocatedFinding};

/// One kind of diagnostic: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticCode {
    /// The code that people search for.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with numbered holes for the arguments.
    pub message: &'static str,
    /// What to do about it, with the same holes.
    pub hint: Option<&'static str>,
}

impl DiagnosticCode {
    /// The finding at a place; arguments fill the numbered holes of the sentences.
    pub(crate) fn at(self, span: Span, arguments: &[&dyn Display]) -> Finding {
        Finding {
            span,
            code: self.code,
            severity: self.severity,
            message: fill(self.message, arguments),
            hint: self.hint.map(|hint| fill(hint, arguments)),
            fixes: self.suggestion(arguments).map(|text| suggested(span, text)).into_iter().collect(),
        }
    }

    /// What the hint asks whether it was meant.
    fn suggestion(self, arguments: &[&dyn Display]) -> Option<String> {
        let hole = self.hint?.strip_prefix("did you mean `{")?.strip_suffix("}`?")?;
        arguments.get(hole.parse::<usize>().ok()?).map(ToString::to_string)
    }

    /// The same about something that has no place of its own.
    pub(crate) fn fault(self, arguments: &[&dyn Display]) -> UnlocatedFinding {
        let hint = self.hint.map(|hint| fill(hint, arguments));
        UnlocatedFinding { code: self.code, message: fill(self.message, arguments), hint }
    }

    /// The same code, as a warning where `warn` says so.
    pub(crate) fn or_warning(self, warn: bool) -> DiagnosticCode {
        if warn { DiagnosticCode { severity: Severity::Warning, ..self } } else { self }
    }

    /// The same code, as an information where `info` says so.
    pub(crate) fn or_info(self, info: bool) -> DiagnosticCode {
        if info { DiagnosticCode { severity: Severity::Info, ..self } } else { self }
    }
}

/// The change to what was meant. Whether it needs quotes is seen where there is text.
fn suggested(span: Span, text: String) -> Fix {
    Fix::replace(format!("change it to `{text}`"), span, text)
}

/// A sentence with its arguments.
fn fill(sentence: &'static str, arguments: &[&dyn Display]) -> Cow<'static, str> {
    if !sentence.contains('{') {
        return Cow::Borrowed(sentence);
    }
    let mut filled = String::with_capacity(sentence.len() + 16);
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (hole, after) = after.split_once('}').unwrap_or((after, ""));
        let argument = hole.parse::<usize>().ok().and_then(|place| arguments.get(place));
        if let Some(argument) = argument {
            // The form of types for people.
            filled.push_str(&format!("{argument:#}"));
        }
        rest = after;
    }
    filled.push_str(rest);
    Cow::Owned(filled)
}

/// How many names a sentence lists; hundreds of findings can have a list of thousands.
const MAX_LISTED: usize = 200;

/// Names in backticks, with commas between them.
pub(crate) fn list<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    let mut names = names.into_iter();
    for name in names.by_ref().take(MAX_LISTED) {
        text.push_str(if text.is_empty() { "`" } else { ", `" });
        text.push_str(&name.to_string());
        text.push('`');
    }
    match names.count() {
        0 => {}
        more => text.push_str(&format!(" and {more} more")),
    }
    text
}

/// Makes the rows of a family: `NAME "CODE" Severity "message" => "hint";`, the hint only where there is one.
macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $message:literal $(=> $hint:literal)?;)*) => {
        use $crate::codes::DiagnosticCode;
        use $crate::finding::Severity;

        $(pub(crate) const $name: DiagnosticCode = DiagnosticCode {
            code: $code,
            severity: Severity::$severity,
            message: $message,
            hint: codes!(@hint $($hint)?),
        };)*

        /// The rows of the family.
        pub(super) const ALL: &[DiagnosticCode] = &[$($name,)*];
    };
    (@hint $hint:literal) => { Some($hint) };
    (@hint) => { None };
}

mod meaning;

/// Declares the families: each is a file here and a document of the same name.
macro_rules! families {
    ($($family:ident)*) => {
        $(mod $family;)*
        $(pub(crate) use $family::*;)*

        /// Every family with its rows.
        pub const FAMILIES: &[(&str, &[DiagnosticCode])] = &[$((stringify!($family), $family::ALL),)*];
    };
}

families! {
    config
    decorators
    expressions
    extensions
    features
    files
    functions
    imports
    limits
    loops
    modules
    names
    options
    params
    resources
    scopes
    timing
    types
    validators
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_sentences_are_fragments() {
        for (family, rows) in FAMILIES {
            assert!(rows.is_sorted_by(|a, b| a.code <= b.code), "{family}");
            for row in *rows {
                let sentences = std::iter::once(row.message).chain(row.hint);
                assert!(sentences.clone().all(|it| !it.ends_with('.') && !it.is_empty()), "{}", row.code);
                assert!(sentences.clone().all(|it| !it.starts_with(char::is_uppercase)), "{}", row.code);
            }
        }
    }

    #[test]
    fn a_code_belongs_to_one_family() {
        let mut homes = std::collections::BTreeMap::new();
        for (family, rows) in FAMILIES {
            for row in *rows {
                assert_eq!(homes.entry(row.code).or_insert(family), &family, "{}", row.code);
            }
        }
    }

    #[test]
    fn arguments_fill_the_holes_of_message_and_hint() {
        let found = ARGUMENT_COUNT.at(Span::new(1, 2), &[&"2 arguments", &3]);
        assert_eq!(found.message, "expected 2 arguments, found 3");
        let found = UNKNOWN_NAME_NEAR.at(Span::new(1, 2), &[&"nane", &"name"]);
        assert_eq!(found.hint.as_deref(), Some("did you mean `name`?"));
        assert_eq!(found.fixes, [Fix::replace("change it to `name`", Span::new(1, 2), "name")]);
        assert_eq!(list(["a", "b"]), "`a`, `b`");
    }
}
