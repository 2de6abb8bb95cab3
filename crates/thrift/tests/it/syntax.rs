//! The grammar: what parses, and what is said about what does not.
//!
//! Each row is a file and the codes it is reported under, in order of place. `!` marks an error.

use thrift::idl::{Definition, Strict, parse};
use thrift::{FileId, Severity};

fn codes(text: &str, strict: Strict) -> Vec<String> {
    let (_, diagnostics) = parse(FileId(0), text, strict);
    diagnostics
        .iter()
        .map(|it| {
            let mark = if it.severity == Severity::Error { "!" } else { "" };
            format!("{mark}{}", it.code.trim_start_matches("thrift/"))
        })
        .collect()
}

#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        assert_eq!(codes(text, Strict::None), *expected, "{text}");
    }
}

/// Puts a field into a struct.
fn field(text: &str) -> String {
    format!("struct S {{ {text} }}")
}

#[test]
fn everything_the_compilers_agree_on_parses_without_a_word() {
    check(&[
        (
            "include \"a.thrift\"\ncpp_include \"<x>\"\nnamespace * a\nnamespace py.twisted b (c = \"d\")\nstruct S {}",
            &[],
        ),
        ("const i32 A = 1\nconst list<i32> B = [1 2; 3,]\nconst map<i32, i32> C = {1: 2 3: 4}", &[]),
        ("const double A = .5\nconst double B = 1e5\nconst double C = -1.5E-3\nconst i32 D = +5", &[]),
        ("typedef string (a = \"b\") T (c = \"d\")", &[]),
        ("enum E { A; B = -1, C = 0x10 } (a = \"b\")", &[]),
        (
            "struct S { 1: required i32 a = 3 (x = \"1\"), 2: optional list<i32> b; 3: map<i32, set<string>> c }",
            &[],
        ),
        ("union U { 1: i32 a } exception E { 1: string m } (a = \"b\")", &[]),
        (
            "service A {} service B extends A { oneway void f(), i32 g(1: i32 a (v = \"x\")) throws (1: E e) (k = \"v\"); }",
            &[],
        ),
        ("struct S { 1: i32 list, 2: i32 required, 3: i32 binary, 4: i32 struct }", &[]),
        ("struct S { 1: list<i32> cpp_type \"X\" a, 2: map cpp_type \"Y\" <i32, i32> b }", &[]),
        (
            "struct S { 1: i32 a (vt.gt = \"0\",) 2: i32 b (vt.gt = \"0\"; vt.lt = \"5\") 3: i32 c (vt.in = \"0\" vt.const = \"5\") }",
            &[],
        ),
        ("/**/ # x\r\n// y\r\n/** doc */\r\nstruct S {}\r\n", &[]),
    ]);
}

#[test]
fn mistakes_are_named() {
    check(&[
        ("struct S {} namespace py x", &["!header-after-definition"]),
        (&field("1: i32 a (vt.gt = 1)"), &["!annotation-value"]),
        (&field("1: i32 a (vt.gt = \"0\") = 3"), &["!annotation-before-default"]),
        (&field("1: map<i32, double> some, (vt.key.gt = \"0\")"), &["!annotation-after-separator"]),
        (&field("1: i32 a (\"vt.gt\" = \"0\")"), &["!syntax"]),
        (&field("1: i32 a (my-key = \"0\")"), &["!unexpected-character"]),
        (&field("1 i32 a"), &["!syntax"]),
        (&field("1: list a"), &["!syntax"]),
        (&field("1: map<i32 i32> a"), &["!syntax"]),
        (&field("1: void a"), &["!syntax"]),
        ("const string A = \"abc", &["!unterminated-literal"]),
        ("struct S {} /* x", &["!unterminated-comment"]),
        ("const i32 A = 0b11", &["!bad-number"]),
        ("const i64 A = 9223372036854775808", &["!bad-number"]),
        ("const i64 A = -9223372036854775808", &[]),
        ("const double A = 1e999", &["!bad-number"]),
        ("const string A = \"\\xzz\"", &["!bad-escape"]),
        ("const i32 A = 010", &["leading-zero"]),
        (&field("01: i32 a"), &[]),
        (&field("0x10: i32 a"), &["field-id-spelling"]),
        ("strcut S {}", &["!syntax"]),
        ("struct S {} }", &["!syntax"]),
        ("include \"a.thrift\";\nstruct S {}", &["!syntax"]),
        ("php_namespace x", &["!removed-syntax"]),
        ("senum S { \"a\" }", &["!removed-syntax"]),
        (&field("1: slist a"), &["!removed-syntax"]),
        ("service S { f() }", &["!syntax"]),
    ]);
}

#[test]
fn fbthrift_forms_are_called_by_name() {
    check(&[
        ("@Foo{a = 1}\nstruct S {}", &["!fbthrift-syntax"]),
        (&field("@Foo 1: i32 a"), &["!fbthrift-syntax"]),
        ("package \"a/b\"\nstruct S {}", &["!fbthrift-syntax"]),
        ("transient exception E {}", &["!fbthrift-syntax"]),
        ("interaction I { void f() }\nstruct S {}", &["!fbthrift-syntax"]),
        ("service S { stream<i32> f() }", &["!fbthrift-syntax"]),
        ("service S { performs I; void f() }", &["!fbthrift-syntax"]),
        ("include \"a.thrift\" as b\nstruct S {}", &["!fbthrift-syntax"]),
    ]);
}

#[test]
fn one_mistake_does_not_hide_the_next_member_or_definition() {
    let text = "struct S {\n 1: i32 = 5,\n 2: i32 b\n}\nenum E { A = x, B }\nstruct T { 1: i32 a\nstruct U { 1: i32 a }";
    let (document, diagnostics) = parse(FileId(0), text, Strict::None);
    assert_eq!(diagnostics.len(), 3, "{diagnostics:#?}");
    let names: Vec<&str> = document.definitions.iter().map(|it| it.name().text.as_str()).collect();
    assert_eq!(names, ["S", "E", "T", "U"]);
    let Some(Definition::Struct(first)) = document.definitions.first() else { panic!("S is a struct") };
    assert_eq!(first.fields.len(), 1);
}

#[test]
fn messages_say_what_was_expected_found_and_meant() {
    let rows = [
        ("strcut S {}", "expected a definition, found `strcut`", Some("did you mean `struct`?")),
        ("struct S { 1: i32 }", "expected the name of the field, found `}`", None),
        (
            "struct S { 1: i32 a (vt.gt = 1) }",
            "the value of `vt.gt` must be a string literal, found `1`",
            Some("write \"1\""),
        ),
        (
            "struct S { 1 i32 a }",
            "expected `:` behind the field id, found the keyword `i32`",
            Some("write `1: type name`"),
        ),
        ("struct S { 1: i32 a", "expected `}` to end struct `S`, found the end of the file", None),
    ];
    for (text, message, help) in rows {
        let (_, diagnostics) = parse(FileId(0), text, Strict::None);
        assert_eq!(diagnostics.len(), 1, "{text}");
        assert_eq!(diagnostics[0].message, message);
        assert_eq!(diagnostics[0].help.first().map(|help| &**help), help);
    }
}

#[test]
fn comments_go_to_what_they_stand_at() {
    let text = "/** About S. */\nstruct S {\n  /** About a. */\n  1: i32 a, // of a\n  2: i32 b # of b\n}";
    let (document, _) = parse(FileId(0), text, Strict::None);
    let Some(Definition::Struct(it)) = document.definitions.first() else { panic!("S is a struct") };
    assert_eq!(it.comments.doc().as_deref(), Some("About S."));
    let of = |at: usize| it.fields[at].comments.trailing.iter().map(|it| it.raw.as_str()).collect::<Vec<_>>();
    assert_eq!(it.fields[0].comments.doc().as_deref(), Some("About a."));
    assert_eq!((of(0), of(1)), (vec!["// of a"], vec!["# of b"]));
    assert!(it.fields[1].comments.leading.is_empty());
}

#[test]
fn annotations_keep_order_repetition_and_places() {
    let text = "struct S { 1: i32 a (vt.in = \"1\", go.tag = 'json:\"a\"', vt.in = \"2\") }";
    let (document, _) = parse(FileId(0), text, Strict::None);
    let Some(Definition::Struct(it)) = document.definitions.first() else { panic!("S is a struct") };
    let annotations = &it.fields[0].annotations;
    let keys: Vec<&str> = annotations.iter().map(|it| it.key.text.as_str()).collect();
    assert_eq!(keys, ["vt.in", "go.tag", "vt.in"]);
    let values: Vec<&str> =
        annotations.all("vt.in").map(|it| it.value.as_ref().unwrap().span.text(text)).collect();
    assert_eq!(values, ["\"1\"", "\"2\""]);
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    for open in ["[", "{1:", "[{1:"] {
        let text = format!("const i32 A = {}", open.repeat(100_000));
        assert_eq!(codes(&text, Strict::None).first().map(String::as_str), Some("!too-deep"));
    }
    let text = field(&format!("1: {}i32", "list<".repeat(100_000)));
    assert_eq!(codes(&text, Strict::None).first().map(String::as_str), Some("!too-deep"));
    let text = field(&"1: i32 a xsd_attrs {".repeat(50_000));
    assert!(codes(&text, Strict::None).contains(&"!too-deep".to_owned()));
}
