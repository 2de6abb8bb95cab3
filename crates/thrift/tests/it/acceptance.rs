//! Which compiler accepts which construct, as one table: Apache, thriftgo, and the union.

use thrift::idl::{DISAGREEMENTS, Strict};
use thrift::model::{Config, ImplicitIds, LoadConfig, MemoryLoader, load, resolve};
use thrift::{Code, Diagnostic, Severity};

fn diagnose(text: &str, strict: Strict) -> Vec<Diagnostic> {
    let mut loader = MemoryLoader::default().file("main.thrift", text);
    let config = LoadConfig { strict, ..LoadConfig::default() };
    let (program, mut diagnostics) = load("main.thrift", &mut loader, &config).unwrap();
    let (_, more) = resolve(&program, &Config { strict, implicit_ids: ImplicitIds::Thriftgo });
    diagnostics.extend(more);
    diagnostics
}

fn accepts(text: &str, strict: Strict) -> bool {
    diagnose(text, strict).iter().all(|it| it.severity != Severity::Error)
}

/// Construct, accepted by Apache, accepted by thriftgo, the code it goes by.
const MATRIX: &[(&str, bool, bool, Option<Code>)] = &[
    ("typedef i32 X;", true, false, Some(Code::TypedefSeparator)),
    ("struct S {};", false, false, Some(Code::DefinitionSeparator)),
    ("enum E { A = 1, B = 1 }", true, false, Some(Code::DuplicateEnumNumber)),
    ("struct S { 1: uuid a }", true, false, Some(Code::UuidType)),
    ("struct S { 1: list cpp_type \"X\" <i32> a }", true, false, Some(Code::CppTypePlace)),
    ("struct S { 1: list<i32> cpp_type \"X\" a }", true, true, None),
    ("namespace py a (b = \"c\")", true, true, None),
    ("struct S { 1: i32 list }", true, true, None),
    ("struct list {}", false, true, Some(Code::KeywordName)),
    ("service S { void list() }", false, true, Some(Code::KeywordName)),
    ("namespace list a", false, true, Some(Code::KeywordName)),
    ("struct S { 1: i32 self }", true, true, None),
    ("struct requiredX {} struct S { 1: requiredX a }", true, false, Some(Code::RequiredPrefix)),
    ("service S { async void f() }", true, false, Some(Code::AsyncFunction)),
    ("\u{feff}struct S {}", true, false, Some(Code::ByteOrderMark)),
    ("", true, false, Some(Code::EmptyFile)),
    ("struct S { 1: i32 a (vt.defined_only) }", true, false, Some(Code::AnnotationWithoutValue)),
    ("struct S { 1: i32 a (const = \"1\") }", false, true, Some(Code::KeywordAnnotationKey)),
    ("const string A = \"a\nb\"", false, true, Some(Code::MultilineLiteral)),
    ("const string A = \"\\d\"", false, true, Some(Code::UnportableEscape)),
    ("const string A = \"\\u4e2d\"", false, true, Some(Code::UnportableEscape)),
    ("const string A = \"a\\\\\"", true, false, Some(Code::BackslashBeforeQuote)),
    ("const i32 A = -0x1F", true, false, Some(Code::SignedHex)),
    ("const i32 A = 0o17", false, true, Some(Code::OctalNumber)),
    ("const double A = 1.", false, false, Some(Code::BareDecimalPoint)),
    ("service S { oneway i32 f() }", true, false, Some(Code::OnewayResult)),
    ("exception E {} service S { oneway void f() throws (1: E e) }", false, false, Some(Code::OnewayThrows)),
    ("struct E {} service S { void f() throws (1: E e) }", false, true, Some(Code::ThrowsNotException)),
    ("struct S { 1: i32 a.b }", false, true, Some(Code::DottedName)),
    ("struct S { 1: i32 & a }", true, false, Some(Code::ReferenceMarker)),
    ("struct S xsd_all { 1: i32 a xsd_optional }", true, false, Some(Code::XsdKeyword)),
    ("struct T {} struct S { 1: T (a = \"b\") t }", false, true, Some(Code::AnnotatedNamedType)),
    ("const i32 A = 1 (a = \"b\")", false, true, Some(Code::AnnotatedConst)),
    ("service A extends B {} service B {}", false, true, Some(Code::UseBeforeDefinition)),
    ("const i32 A = B const i32 B = 1", false, true, Some(Code::UseBeforeDefinition)),
    ("struct S { 1: E e = E.A } enum E { A }", false, true, Some(Code::UseBeforeDefinition)),
    ("const i32 A = 1 struct A {}", true, false, Some(Code::SharedName)),
    ("service B { void f() } service S extends B { void f() }", false, true, Some(Code::InheritedFunction)),
    ("enum E { A = 1 } const E X = 7", false, true, Some(Code::EnumNumber)),
    ("enum E { A } enum F { B } const F X = E.B", true, false, Some(Code::EnumQualifier)),
    ("const i32 A = true const bool B = 1", true, true, None),
];

#[test]
fn the_union_is_accepted_and_each_compiler_can_be_asked_for() {
    for (text, apache, thriftgo, code) in MATRIX {
        assert!(accepts(text, Strict::None), "{text:?}: {:?}", diagnose(text, Strict::None));
        for (strict, expected) in [(Strict::Apache, *apache), (Strict::Thriftgo, *thriftgo)] {
            let diagnostics = diagnose(text, strict);
            assert_eq!(accepts(text, strict), expected, "{text:?} {strict:?}: {diagnostics:?}");
            if !expected {
                let errors: Vec<&str> =
                    diagnostics.iter().filter(|it| it.is_error()).map(|it| &*it.code).collect();
                let code = code.map(Code::name);
                assert!(errors.iter().all(|it| Some(*it) == code), "{text:?} {strict:?}: {errors:?}");
            }
        }
    }
}

#[test]
fn every_disagreement_has_a_construct_in_the_table() {
    for row in DISAGREEMENTS {
        let constructs: Vec<_> = MATRIX.iter().filter(|(.., code)| *code == Some(row.code)).collect();
        assert!(!constructs.is_empty(), "{:?}", row.code);
        for (text, apache, thriftgo, _) in constructs {
            assert_eq!((row.apache, row.thriftgo), (*apache, *thriftgo), "{text:?}");
        }
    }
}

#[test]
fn no_compiler_accepts_these() {
    for text in [
        "struct S { 1: i32 a (b = 1) }",
        "struct S { 1: i32 a (b-c = \"1\") }",
        "exception E {},",
        "const string A = \"a\" \"b\"",
        "enum E { A } const E X = A",
        "struct S { 1: X a }",
        "struct S { 1: i32 a, 1: i32 b }",
        "struct S { 1: i32 a, 2: i32 a }",
        "const set<i32> A = {1, 2}",
        "const bool A = True",
        "service V {} struct S { 1: V v }",
    ] {
        assert!(!accepts(text, Strict::None), "{text:?}");
    }
}
