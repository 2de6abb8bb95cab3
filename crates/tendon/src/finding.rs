//! What codes mean, and flaws of contracts as diagnostics. Violations and errors of reading are in `document::findings`.

use contract::findings::READ_ONLY;
use contract::{Flaw, rules};
use diagnostics::{Diagnostic, Text};

/// The codes that come neither from a rule nor from reading a text, each with its meaning.
///
/// The first part of a code says what was looked at.
const CODES: &[(&str, &str)] = &[
    ("contract/unsatisfiable", "No value can ever satisfy the contract."),
    ("contract/broken-default", "A default value breaks the rules of its own shape."),
    ("contract/broken-example", "An example breaks the rules of its own shape."),
    ("contract/outside-type", "An operand is outside the type it is compared with."),
    ("contract/never-applies", "A rule stands on a shape that it says nothing about."),
    ("contract/bad-operand", "An operand is not of the kind that its rule needs."),
    ("contract/bad-pattern", "A pattern is not a pattern."),
    ("contract/unknown-field", "A reference names a field that does not exist."),
    ("contract/unknown-definition", "A reference names a definition that does not exist."),
    ("contract/unknown-function", "A call names a function that does not exist, or has the wrong arguments."),
    ("contract/endless-definition", "A definition is defined by itself without a value in between."),
    ("contract/duplicate-property", "A property is declared twice."),
    ("contract/unknown-keyword", "A word of the contract language is not known."),
    ("contract/bad-keyword", "A word of the contract language is not followed by what it needs."),
    ("contract/too-deep", "Shapes nest too deeply."),
    (READ_ONLY, "The server sets the property, and a request cannot."),
    ("InvalidTemplate", "A deployment with the value would be refused."),
    ("TemplateValidationException", "A validator does not do what validators do."),
    ("InvalidRequestContent", "The values are not written as a deployment takes them."),
    ("ExternalInputMissing", "The value of an external input is missing."),
];

/// One sentence about a code.
pub(crate) fn summary(code: &str) -> Option<String> {
    if let Some(rule) = rules::ALL.iter().find(|rule| rule.name == code) {
        return Some(rule.summary.to_owned());
    }
    if let Some(rule) = radius::ManifestRule::find(code) {
        return Some(rule.text.to_owned());
    }
    let row = CODES.iter().find(|(known, _)| *known == code).map(|(_, meaning)| (*meaning).to_owned());
    row.or_else(|| document::findings::meaning(code).map(|meaning| diagnostics::sentence(meaning).into()))
}

/// A mistake in a contract.
pub(crate) fn flaw(flaw: Flaw) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(flaw.code.name(), flaw.message);
    diagnostic.primary = flaw.place;
    diagnostic.help.extend(flaw.hint.map(Text::from));
    diagnostic
}

/// A file of which no byte is looked at; the size is known of real files only.
pub(crate) fn too_large(size: Option<usize>, limit: usize) -> Diagnostic {
    let message = match size {
        Some(size) => format!("the file has {size} bytes, more than the limit of {limit}"),
        None => format!("the input has more bytes than the limit of {limit}"),
    };
    Diagnostic::error("input/too-large", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_meaning() {
        for code in ["minimum", "type", "json/syntax", "yaml/syntax", "yaml/limit", "contract/bad-pattern"] {
            assert!(summary(code).is_some(), "{code}");
        }
        assert_eq!(summary("no-such-code"), None);
    }
}
