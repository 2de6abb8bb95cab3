//! Manifests that cost too much, or that are no text: an error with a place, never more.

use document::{Document, FileId, ReadErrorKind};
use radius::{LIMITS, Manifest, ManifestReadOptions, ManifestResult};

fn read(text: &str) -> ManifestResult {
    match Document::from_yaml(text, FileId::FIRST, &LIMITS) {
        Ok(document) => Manifest::read(&document, ManifestReadOptions::default()),
        Err(error) => panic!("{error}"),
    }
}

fn schema(text: &str) -> ManifestResult {
    let head = "namespace: MyCompany.Resources\ntypes: {widgets: {apiVersions: {'2025-01-01': {schema: ";
    read(&format!("{head}{text}}}}}}}}}"))
}

#[track_caller]
fn only_error(read: &ManifestResult, code: &str, part: &str) {
    let errors: Vec<_> =
        read.findings.iter().filter(|it| it.severity == diagnostics::Severity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].rule.code, code);
    assert!(errors[0].message.contains(part), "{}", errors[0].message);
    assert!(read.usable().is_none());
}

#[test]
fn a_schema_that_nests_too_deeply_is_refused() {
    let nested = |depth: usize| {
        let open = "{type: object, properties: {a: ".repeat(depth);
        let close = "}}".repeat(depth);
        format!("{open}{{type: string}}{close}")
    };
    assert!(schema(&nested(63)).usable().is_some());
    only_error(&schema(&nested(64)), "radius/limit", "deeper than 64 levels");
    only_error(&schema(&nested(100)), "radius/limit", "deeper than 64 levels");
}

#[test]
fn a_schema_with_too_many_nodes_is_refused() {
    let many = |count: usize| {
        let properties: String = (0..count).map(|n| format!("a{n}: {{type: string}}, ")).collect();
        format!("{{type: object, properties: {{{properties}}}}}")
    };
    assert!(schema(&many(9_999)).usable().is_some());
    only_error(&schema(&many(10_000)), "radius/limit", "more than 10000 nodes");
    only_error(&schema(&many(50_000)), "radius/limit", "more than 10000 nodes");
}

#[test]
fn a_text_that_is_too_long_is_refused() {
    let long = "x".repeat(1_000_000);
    only_error(
        &schema(&format!("{{type: object, properties: {{a: {{type: string, description: {long}}}}}}}")),
        "radius/limit",
        "1000000 bytes",
    );
    let text = format!(
        "namespace: MyCompany.Resources\ntypes: {{widgets: {{description: {long}, apiVersions: {{}}}}}}"
    );
    only_error(&read(&text), "radius/limit", "1000000 bytes");
}

#[test]
fn a_manifest_with_too_many_types_is_refused() {
    let many = |count: usize| {
        let types: String = (0..count)
            .map(|n| format!("  widgets{n}: {{apiVersions: {{'2025-01-01': {{schema: {{}}}}}}}}\n"))
            .collect();
        format!("namespace: MyCompany.Resources\ntypes:\n{types}")
    };
    assert_eq!(read(&many(5000)).usable().map(|it| it.types.len()), Some(5000));
    only_error(&read(&many(10_000)), "radius/limit", "10000 types");
}

#[test]
fn findings_have_an_end_and_errors_are_always_among_them() {
    let remarks: String = (0..3000).map(|n| format!("'a {n}': {{type: string}}, ")).collect();
    let read = schema(&format!("{{type: object, properties: {{{remarks} b: {{type: wrong}}}}}}"));
    assert_eq!(read.findings.len(), 1001);
    assert_eq!(read.more, 2001);
    assert!(read.usable().is_none());
}

#[test]
fn aliases_that_multiply_are_refused() {
    let mut text = String::from("namespace: MyCompany.Resources\na0: &a0 {x: 1}\n");
    for level in 1..=8 {
        let parts: Vec<String> = (0..10).map(|n| format!("k{n}: *a{}", level - 1)).collect();
        text += &format!("a{level}: &a{level} {{{}}}\n", parts.join(", "));
    }
    let error = Document::from_yaml(text, FileId::FIRST, &LIMITS).map(drop).unwrap_err();
    assert!(matches!(error.problem, ReadErrorKind::AliasBomb { .. }), "{error}");
}

#[test]
fn a_schema_that_is_reached_by_two_aliases_is_reported_once() {
    let text = "namespace: MyCompany.Resources\ntypes:\n  widgets:\n    apiVersions:\n      '2025-01-01': &v\n        schema: {type: object, properties: {a: {type: wrong}}}\n      '2025-01-02': *v\n";
    only_error(&read(text), "radius/type", "`wrong`");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let error = Document::from_yaml(b"namespace: My\xff", FileId::FIRST, &LIMITS).map(drop).unwrap_err();
    assert!(matches!(error.problem, ReadErrorKind::InvalidUtf8 { .. }), "{error}");
}
