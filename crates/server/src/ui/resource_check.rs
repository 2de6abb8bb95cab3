//! Checks a pasted resource: the same rules, places and words as `tendon check`.

use contract::findings::LocatedViolation;
use contract::{Contract, Violation};
use diagnostics::terminal::{self, Style};
use diagnostics::{Columns, Diagnostic, SourceMap, Span};
use document::findings::{Notation, without_words};
use document::{Document, FileId, SourceValue};
use pages::ui::{CheckResult, DiagnosticView};
use radius::registry::CompiledSchema;
use radius::{LIMITS, Purpose};

/// How many violations are shown.
const MOST: usize = 100;

/// The name of the text.
pub(super) const NAME: &str = "resource";

/// What resources are held against.
pub(super) trait Rules {
    /// Whether any part of one is a secret.
    fn has_secrets(&self) -> bool;

    /// What is wrong with one.
    fn violations(&self, resource: SourceValue<'_>) -> Vec<Violation>;

    /// The places of its secrets.
    fn secrets(&self, resource: SourceValue<'_>) -> Vec<Span>;
}

impl Rules for CompiledSchema {
    fn has_secrets(&self) -> bool {
        self.contract(Purpose::Request).is_none_or(Contract::has_secrets)
    }

    fn violations(&self, resource: SourceValue<'_>) -> Vec<Violation> {
        CompiledSchema::violations(self, resource)
    }

    fn secrets(&self, resource: SourceValue<'_>) -> Vec<Span> {
        CompiledSchema::secrets(self, resource)
    }
}

/// What is wrong with a text by some rules.
pub(super) fn check(rules: &dyn Rules, text: &str) -> CheckResult {
    let mut sources = SourceMap::new();
    let file = sources.add(NAME, text);
    let documents = match Notation::read_either(text, FileId::FIRST, &LIMITS, None) {
        Ok(documents) => documents,
        Err(error) => {
            // What cannot be read cannot be told apart: any part of it may be the secret.
            let error = if rules.has_secrets() {
                sources.withhold(file);
                without_words(*error)
            } else {
                *error
            };
            return CheckResult { documents: 1, problems: vec![problem(&sources, &error)], is_cut: false };
        }
    };
    sources.hide(documents.iter().flat_map(|document| rules.secrets(document.root())));
    let mut result = CheckResult { documents: documents.len(), ..CheckResult::default() };
    for (index, document) in documents.iter().enumerate() {
        let left = MOST - result.problems.len();
        let found = rules.violations(document.root());
        result.is_cut |= found.len() > left;
        let several = documents.len() > 1;
        result
            .problems
            .extend(found.into_iter().take(left).map(|it| violation(&sources, document, index, it, several)));
    }
    result
}

fn violation(
    sources: &SourceMap,
    document: &Document,
    index: usize,
    violation: contract::Violation,
    several: bool,
) -> DiagnosticView {
    // The rule is written in the schema, which is another text.
    let found =
        LocatedViolation { written: None, ..LocatedViolation::new(index, document.root(), violation) };
    let diagnostic = found.diagnostic(sources, several);
    DiagnosticView {
        message: found.violation.message(),
        path: found.violation.path.pointer(),
        expected: found.violation.wanted_text(),
        found: found.shown_value(sources).map(str::to_owned),
        ..problem(sources, &diagnostic)
    }
}

/// A diagnostic as pages show it.
pub(super) fn problem(sources: &SourceMap, diagnostic: &Diagnostic) -> DiagnosticView {
    let start = diagnostic.primary.and_then(|span| Some(sources.extent(span, Columns::Scalars)?.start));
    let mut bare = diagnostic.clone();
    // What the page says itself is not repeated in the source lines.
    bare.help.clear();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = terminal::write(&mut text, sources, &bare, Style::Plain);
    let source = match diagnostic.primary {
        // The first line is the message.
        Some(_) => text.split_once('\n').map_or("", |(_, rest)| rest).trim_end().to_owned(),
        None => String::new(),
    };
    DiagnosticView {
        code: diagnostic.code.to_string(),
        is_warning: !diagnostic.is_error(),
        message: diagnostic.message.to_string(),
        place: start.map(|start| (start.line, start.column)),
        path: diagnostic.pointer.as_deref().unwrap_or_default().to_owned(),
        source,
        expected: None,
        found: None,
        hint: diagnostic.help.first().map(ToString::to_string),
    }
}

#[cfg(test)]
mod tests {
    use contract::{Definitions, Object, Property, Shape};

    use super::*;

    impl Rules for Contract {
        fn has_secrets(&self) -> bool {
            Contract::has_secrets(self)
        }

        fn violations(&self, resource: SourceValue<'_>) -> Vec<Violation> {
            Contract::violations(self, resource)
        }

        fn secrets(&self, resource: SourceValue<'_>) -> Vec<Span> {
            Contract::secrets(self, resource)
        }
    }

    fn contract(secret: bool) -> Contract {
        let mut password = Shape::text();
        password.secret = secret;
        let parts = [Property::required("name", Shape::text()), Property::optional("password", password)];
        Contract::compile(&Object::open(parts).closed().into(), &Definitions::new()).unwrap()
    }

    #[test]
    fn violations_have_the_place_in_yaml_and_in_json() {
        let result = check(&contract(false), "name: 5\nextra: x\n");
        let places: Vec<_> = result.problems.iter().map(|it| (it.place.unwrap(), it.path.as_str())).collect();
        assert_eq!(places, [((1, 7), "/name"), ((2, 1), "/extra")]);
        let first = &result.problems[0];
        assert!(first.source.contains("name: 5") && first.source.contains('^'), "{first:?}");
        assert_eq!(first.found.as_deref(), Some("5"));
        let result = check(&contract(false), "{\n  \"name\": \"a\",\n  \"name\": \"b\"\n}");
        assert_eq!(result.problems[0].code, "json/duplicate-key");
        assert_eq!(result.problems[0].place, Some((3, 3)));
        assert_eq!(
            check(&contract(false), "name: a\n---\nname: b\n"),
            CheckResult { documents: 2, ..Default::default() }
        );
    }

    #[test]
    fn secrets_are_not_repeated() {
        for text in [
            "password: hunter2\n",
            "{\"password\": \"hunter2\", \"name\": 4}",
            "password: hunter2\nname: [",
            "password: [hunter2]",
            "password: &a hunter2\nname: *a\nother: *a\n",
            "name: &a {x: hunter2}\npassword: *a\n",
            "extra: &a hunter2\npassword: *a\n",
        ] {
            let result = check(&contract(true), text);
            assert!(!result.problems.is_empty(), "{text}");
            assert!(!format!("{result:?}").contains("hunter2"), "{result:?}");
        }
    }

    #[test]
    fn a_secret_that_an_alias_repeats_is_not_shown() {
        let number = Property::required("size", contract::Shape::int());
        let mut password = Shape::text();
        password.secret = true;
        let parts = [number, Property::optional("password", password)];
        let contract = Contract::compile(&Object::open(parts).into(), &Definitions::new()).unwrap();
        for text in ["password: &a hunter2\nsize: *a\n", "size: &a hunter2\npassword: *a\n"] {
            let result = check(&contract, text);
            assert_eq!(result.problems.len(), 1, "{result:?}");
            assert!(!format!("{result:?}").contains("hunter2"), "{result:?}");
        }
        assert_eq!(
            check(&contract, "size: &a plain\nother: *a\n").problems[0].found.as_deref(),
            Some("\"plain\"")
        );
    }

    #[test]
    fn very_many_violations_are_cut() {
        let text: String = (0..500).map(|at| format!("x{at}: 1\n")).collect();
        let result = check(&contract(false), &text);
        assert_eq!((result.problems.len(), result.is_cut), (MOST, true));
        let large = format!("name: {}", "x".repeat(LIMITS.bytes));
        assert_eq!(check(&contract(false), &large).problems[0].code, "yaml/limit");
    }
}
