//! The words of violations: facts as people read them.

use std::fmt;

use diagnostics::{FileId, Span};
use value::show::write_text;
use value::{MASK, ValueKind};

use crate::rules::{Test, count};
use crate::violation::{Expected, ExpectedKind, ExpectedTexts, Violation};

impl Violation {
    /// What is wrong, in the words of contracts: `must be at least 3`.
    pub fn message(&self) -> String {
        message(self)
    }

    /// Writes the violation as one JSON object, members in a fixed order.
    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        let mut member = |name: &str, value: Option<&str>| {
            // Writing to a string cannot fail.
            let _ = (|| {
                if let Some(value) = value {
                    if out.len() > 1 {
                        out.push(',');
                    }
                    write_text(&mut out, name)?;
                    out.push(':');
                    write_text(&mut out, value)?;
                }
                fmt::Result::Ok(())
            })();
        };
        member("pointer", Some(&self.path.pointer()));
        member("path", Some(&self.path.to_string()));
        member("rule", Some(&self.rule));
        member("code", Some(self.code));
        member("found", self.found.as_deref());
        member("wanted", self.wanted_text().as_deref());
        member("message", Some(&self.message()));
        member("hint", self.hint.as_deref());
        for (name, place) in [("place", self.place), ("written", self.written)] {
            if let Some(Span { file: FileId(file), start, end }) = place {
                out.push_str(&format!(",\"{name}\":{{\"file\":{file},\"start\":{start},\"end\":{end}}}"));
            }
        }
        out.push('}');
        out
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.message(), self.rule)
    }
}

/// What is wrong, as a fragment of a sentence.
fn message(violation: &Violation) -> String {
    let wanted = || violation.wanted.as_ref().map_or_else(|| MASK.to_owned(), ToString::to_string);
    match &violation.expected {
        Expected::Kind(kind) => kind_message(kind),
        Expected::Nothing => "no value is allowed here".to_owned(),
        Expected::EnumMember => format!("must be a member of the enum: {}", wanted()),
        Expected::Elements { least, most, found } => {
            format!("must have {} elements, has {found}", count(*least, *most))
        }
        Expected::Distinct => Test::Unique(()).demand(""),
        Expected::Property(name) => format!("must have the property `{name}`"),
        Expected::Presence => "must be there".to_owned(),
        Expected::KnownProperty(name) => format!("the property `{name}` is not known"),
        Expected::Discriminator { property, found: Some(found) } => {
            format!("the property `{property}` is `{found}`, which is none of {}", wanted())
        }
        Expected::Discriminator { property, found: None } => {
            format!("must have the property `{property}`, one of {}", wanted())
        }
        Expected::OneOf => format!("must be one of {}", wanted()),
        Expected::Alternative(shapes) => format!("must have one of {shapes} shapes, has none"),
        Expected::OneAlternative(shapes, numbers) => {
            let numbers = ExpectedTexts::some(numbers.iter().map(usize::to_string));
            format!("must have exactly one of {shapes} shapes, has numbers {numbers}")
        }
        Expected::Rule { rule, length } => {
            let demand = rule.get().map(|rule| rule.test.demand(&wanted())).unwrap_or_default();
            match length {
                Some(length) => format!("{demand}, has {length}"),
                None => demand,
            }
        }
        // What the author of the contract says stands as it was said.
        Expected::Stated(words) => words.to_string(),
        Expected::Steps(steps) => format!("checking was stopped after {steps} steps"),
        Expected::Levels(levels) => format!("the value nests deeper than {levels} levels"),
        Expected::Known => "the value is not known yet".to_owned(),
    }
}

fn kind_message(kind: &ExpectedKind) -> String {
    let wanted = expected_kind(kind);
    match kind.kinds.contains(kind.found) {
        // Of the right kind, and too wide.
        true => format!("must be {wanted}"),
        false => format!("must be {wanted}, not {}", with_article(kind.found.name())),
    }
}

/// What a shape lets pass: `a string`, `an integer (8 bits)`, `a string or null`.
pub(crate) fn expected_kind(kind: &ExpectedKind) -> String {
    if let Some(title) = &kind.title {
        return format!("`{title}`");
    }
    let kinds = if kind.nullable { kind.kinds | ValueKind::Null.into() } else { kind.kinds };
    match kind.width {
        Some(width) => format!("{} ({width})", with_article(&kinds.to_string())),
        None => with_article(&kinds.to_string()),
    }
}

pub(crate) fn equal_elements((earlier, later): (usize, usize)) -> String {
    format!("element {later} equals element {earlier}")
}

pub(crate) fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// Puts an indefinite article before a noun that takes one.
fn with_article(noun: &str) -> String {
    match noun.chars().next() {
        _ if noun.starts_with("null") || noun.starts_with("any ") || noun.starts_with("no ") => {
            noun.to_owned()
        }
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}
