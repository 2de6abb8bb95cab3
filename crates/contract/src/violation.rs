//! What broke, where, and why: the answer when a contract does not hold.

use std::fmt;

use diagnostics::{FileId, Span};

use crate::path::Path;
use crate::show::{MASK, write_text};

/// One broken rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// Where the value is in its document.
    pub path: Path,
    /// The rule, as its dialect spells it.
    pub rule: Box<str>,
    /// The rule's own name, the same in every dialect.
    pub code: &'static str,
    /// The value found, as compact JSON, masked if it is a secret; `None` if there is no value.
    pub found: Option<Box<str>>,
    /// What the rule compared with; `None` if it compares with nothing or must not be printed.
    pub wanted: Option<Box<str>>,
    /// What is wrong, in words.
    pub message: Box<str>,
    /// What to do about it, where that is known.
    pub hint: Option<Box<str>>,
    /// Where the value stands in its source.
    pub place: Option<Span>,
    /// Where the rule was written.
    pub written: Option<Span>,
}

/// Writes `path: message (rule)`.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.message, self.rule)
    }
}

impl Violation {
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
        member("wanted", self.wanted.as_deref());
        member("message", Some(&self.message));
        member("hint", self.hint.as_deref());
        for (name, place) in [("place", self.place), ("written", self.written)] {
            if let Some(Span { file: FileId(file), start, end }) = place {
                out.push_str(&format!(",\"{name}\":{{\"file\":{file},\"start\":{start},\"end\":{end}}}"));
            }
        }
        out.push('}');
        out
    }

    /// Whether the value found is a secret.
    pub fn is_masked(&self) -> bool {
        self.found.as_deref() == Some(MASK)
    }
}
