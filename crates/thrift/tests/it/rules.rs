//! Annotations as contracts: a few rules of each kind, on values as a reader would hand them over.

use contract::{Constant, Order};
use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::validate::{NotUtf8, Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

const PREAMBLE: &str = "
enum Type {Bool I8 I16 I32 I64 String Struct List Set Map}
enum Gap {A = 1, B = 2, D = 7}
struct Inner {1: i32 a (vt.gt = \"0\")}
";

/// Lowers a struct `S` with the given fields and checks a value: `ok`, the first violation, or what the IDL
/// is told.
fn verdict(fields: &str, value: Constant) -> String {
    let text = format!("{PREAMBLE}\nstruct S {{{fields}}}");
    let mut loader = MemoryLoader::default().file("s.thrift", &text);
    let (program, mut found) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    let functions = Functions::at(1_000);
    let (lowered, more) = lower(&model, &RuleConfig::default(), &functions);
    found.extend(more);
    if let Some(error) = found.iter().find(|it| it.is_error()) {
        return format!("{}: {}", error.code, error.message);
    }
    let (contract, lints) = lowered.compile(&functions);
    let Some(contract) = contract else { return format!("no contract: {lints:?}") };
    let checker = contract.definition("S").unwrap().host(&functions).order(Order::Declared);
    let violation = checker.first_violation(&value);
    assert_eq!(checker.is_valid(&value), violation.is_none());
    on_the_wire(
        &model,
        &functions,
        &value,
        violation.as_ref().map(|it| (it.rule.to_string(), it.path.to_string())),
    );
    match violation {
        None => match lints.first() {
            Some(lint) => format!("ok, {}", lint.code),
            None => "ok".to_owned(),
        },
        Some(violation) => format!("{} @ {}", violation.rule, violation.path.dotted("S")),
    }
}

/// The same verdict must come from the bytes of the value, in every protocol.
fn on_the_wire(
    model: &thrift::model::Model,
    functions: &Functions,
    value: &Constant,
    expected: Option<(String, String)>,
) {
    // What rules mean for text that is not text is asked, too.
    let config = ValidateConfig { not_utf8: NotUtf8::Pass, ..ValidateConfig::default() };
    let (validator, _) = Validator::new(model, &RuleConfig::default(), config, functions);
    let validator = validator.unwrap();
    let id = model.structure(FileId(0), "S").unwrap();
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        let bytes = thrift_conformance::encode(model, id, value, protocol).unwrap();
        let found = match validator.validate(id, protocol, &bytes, functions, Want::First) {
            Ok(read) => {
                assert_eq!(read, bytes.len());
                None
            }
            Err(Rejection::Rules(violations)) => {
                let first = violations.first().unwrap();
                Some((first.rule.to_string(), first.path.to_string()))
            }
            Err(other) => panic!("{protocol:?}: {other}"),
        };
        assert_eq!(found, expected, "{protocol:?}");
    }
}

fn fields(members: impl IntoIterator<Item = (i64, Constant)>) -> Constant {
    Constant::Object(members.into_iter().map(|(id, value)| (id.into(), value)).collect())
}

fn list<T: Into<Constant>>(items: impl IntoIterator<Item = T>) -> Constant {
    Constant::List(items.into_iter().map(Into::into).collect())
}

#[track_caller]
fn check(idl: &str, value: Constant, expected: &str) {
    assert_eq!(verdict(idl, fields([(1, value)])), expected, "{idl}");
}

#[test]
fn numbers() {
    let range = r#"1: double v (validator.ge="1000.1", validator.le="10000.1")"#;
    check(range, 1000.1.into(), "ok");
    check(range, 1000.0.into(), "validator.ge @ S.v");
    check(range, 10000.2.into(), "validator.le @ S.v");
    check(r#"1: double d (vt.lt="10", vt.gt="-10")"#, f64::NAN.into(), "vt.lt @ S.d");
    check(r#"1: i8 t (vt.in="[1, 2, 4]")"#, 4.into(), "ok");
    check(r#"1: i32 a (vt.in="1", vt.in="2")"#, 2.into(), "ok");
    check(r#"1: i64 m (vt.const="0x5f3759df")"#, 1_597_463_007i64.into(), "ok");
    check(r#"1: i8 a (vt.lt="300")"#, 1.into(), "thrift/rule-value: 300 is outside the type: -128 to 127");
    check(r#"1: i32 a (vt.gt="5x")"#, 1.into(), "thrift/rule-value: expected an integer, found `5x`");
    check(r#"1: i32 a (vt.gt=" 5 ")"#, 6.into(), "ok");
    check(r#"1: i32 a (vt.gt="5", vt.lt="3")"#, 4.into(), "vt.gt @ S.a");
}

#[test]
fn absent_fields_are_checked_as_what_a_reader_makes_of_them() {
    let absent = || fields([]);
    assert_eq!(verdict(r#"1: i8 t (vt.in="[1, 2, 4]")"#, absent()), "vt.in @ S.t");
    assert_eq!(verdict(r#"1: optional i8 t (validate.in="[1,2,4]")"#, absent()), "ok");
    assert_eq!(verdict(r#"1: optional i32 a = 5 (vt.gt="7")"#, absent()), "vt.gt @ S.a");
    assert_eq!(verdict(r#"1: optional list<i32> l (vt.min_size="1")"#, absent()), "ok");
    assert_eq!(verdict(r#"1: list<i32> l (vt.min_size="1")"#, absent()), "vt.min_size @ S.l");
    assert_eq!(verdict("1: Inner x", absent()), "ok");
    assert_eq!(verdict(r#"1: Inner x (vt.not_nil="true")"#, absent()), "vt.not_nil @ S.x");
    assert_eq!(
        verdict(r#"1: optional string s (vt.min_size="1", vt.not_nil="true")"#, absent()),
        "vt.not_nil @ S.s"
    );
}

#[test]
fn texts() {
    check(r#"1: string s (vt.max_size="2")"#, "éé".into(), "vt.max_size @ S.s");
    check(r#"1: string s (vt.max_rune_size="2")"#, "éé".into(), "ok");
    check(
        r#"1: string s (vt.max_rune_size="2")"#,
        Constant::Bytes([0xff; 3].into()),
        "vt.max_rune_size @ S.s",
    );
    check(r#"1: string s (vt.prefix="[Debug]")"#, "[Debug] x".into(), "ok");
    check(r#"1: string e (vt.in="[vscode, vim]")"#, "vim".into(), "ok");
    check(r#"1: string s (vt.pattern="[^[]+")"#, "a".into(), "ok");
    check(r#"1: string s (vt.lt="5")"#, "a".into(), "thrift/rule-type: `vt.lt` is not for a string");
    check(r#"1: string s (vt.const_escape="$5.00")"#, "$5.00".into(), "ok");
    check(r#"1: string s (vt.eq_escape="@len(A)")"#, "1".into(), "vt.eq @ S.s");
}

#[test]
fn enums() {
    check(r#"1: Type t (vt.in="[String]")"#, 5.into(), "ok");
    check(r#"1: Type t (vt.in="[Type.String, Type.Bool]")"#, 0.into(), "ok");
    check(r#"1: Type t (vt.defined_only)"#, 10.into(), "vt.defined_only @ S.t");
    check(r#"1: Gap g (vt.defined_only="false")"#, 99.into(), "ok");
    check(
        r#"1: Type t (vt.in="[Strin]")"#,
        0.into(),
        "thrift/rule-value: `Strin` is not a member of the enum `Type`",
    );
}

#[test]
fn containers() {
    check(r#"1: set<double> h (vt.elem.gt="0")"#, list([0.5, 0.0]), "vt.elem.gt @ S.h[1]");
    check(r#"1: list<i32> l (vt.elem.gt="0", vt.max_size="3")"#, list([-1, 1, 1, 1]), "vt.max_size @ S.l");
    let nested = r#"1: list<list<i32>> l (vt.elem.min_size="1", vt.elem.elem.gt="0")"#;
    check(nested, list([list([1]), list::<i32>([])]), "vt.elem.min_size @ S.l[1]");
    check(nested, list([list([1]), list([2, 0])]), "vt.elem.elem.gt @ S.l[1][1]");
    let map = r#"1: map<i32,double> m (vt.key.gt="0", vt.value.lt="1000")"#;
    check(map, Constant::Object(vec![(0.into(), 1.0.into())]), "vt.key.gt @ S.m[0](key)");
    check(map, Constant::Object(vec![(1.into(), 1000.0.into())]), "vt.value.lt @ S.m[1]");
    check(
        r#"1: list<i32> l (vt.key.gt="0")"#,
        list([1]),
        "thrift/rule-type: `vt.key.gt` has no `key`: it is a list or set",
    );
}

#[test]
fn structs() {
    check("1: Inner x", fields([(1, Constant::Int(-1))]), "vt.gt @ S.x.a");
    check(r#"1: Inner x (vt.skip="true")"#, fields([(1, Constant::Int(-1))]), "ok");
    check("1: list<Inner> l", list([fields([(1, 1.into())]), fields([(1, 0.into())])]), "vt.gt @ S.l[1].a");
}

#[test]
fn references_and_functions() {
    let pair = |a: Constant, b: Constant| fields([(1, a), (2, b)]);
    let same = r#"1: string A (vt.eq="$B") 2: string B"#;
    assert_eq!(verdict(same, pair("x".into(), "x".into())), "ok");
    assert_eq!(verdict(same, pair("x".into(), "y".into())), "vt.eq @ S.A");
    let bounds = r#"1: optional i32 mn 2: optional i32 mx (vt.gt="$mn")"#;
    assert_eq!(verdict(bounds, fields([(2, 1.into())])), "ok");
    let indexed = r#"1: list<i32> l 2: i32 a (vt.ge="$l[0]")"#;
    assert_eq!(verdict(indexed, pair(list([5]), 4.into())), "vt.ge @ S.a");
    assert_eq!(verdict(indexed, pair(list::<i32>([]), 4.into())), "ok");
    let length = r#"1: list<string> l (vt.elem.max_size="@len($m)") 2: string m"#;
    assert_eq!(verdict(length, pair(list(["abc"]), "ab".into())), "vt.elem.max_size @ S.l[0]");
    let suffix = r#"1: string a 2: string d (vt.const="@sprintf(\"%s_%s\", $a, \"mysuffix\")")"#;
    assert_eq!(verdict(suffix, pair("x".into(), "x_mysuffix".into())), "ok");
    assert_eq!(verdict(suffix, pair("x".into(), "x".into())), "vt.const @ S.d");
    check(r#"1: i32 a (vt.gt="$zz")"#, 1.into(), "thrift/rule-reference: `S` has no field `zz`");
    check(
        r#"1: i32 a (vt.gt="@nosuch($a)")"#,
        1.into(),
        "thrift/rule-function: there is no function `nosuch`",
    );
}

#[test]
fn assertions_speak_of_the_structs_own_fields() {
    let idl = r#"1: i64 n } (vt.assert="@equal(@mod($n, 10), 0)") struct T {"#;
    check(idl, 20.into(), "ok");
    check(idl, 12.into(), "vt.assert @ S");
}

#[test]
fn structs_of_many_fields_are_checked_too() {
    let idl: String = (1..=200).map(|id| format!("{id}: i32 f{id} (vt.lt=\"{id}\") ")).collect();
    let value = |broken: i64| fields((1..=200).map(|id| (id, (id - i64::from(id != broken)).into())));
    assert_eq!(verdict(&idl, value(0)), "ok");
    assert_eq!(verdict(&idl, value(150)), "vt.lt @ S.f150");
}

/// What a whole file is told about its rules.
fn told(text: &str) -> Vec<String> {
    let mut loader = MemoryLoader::default().file("s.thrift", text);
    let (program, mut found) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    let (_, more) = lower(&model, &RuleConfig::default(), &Functions::at(0));
    found.extend(more);
    found.iter().map(|it| format!("{}: {}", it.code, it.message)).collect()
}

#[test]
fn rules_where_nothing_is_validated_are_mistakes() {
    for (text, what) in [
        ("service V {void f() (vt.gt = \"0\")}", "a function"),
        ("service V {void f()} (vt.gt = \"0\")", "a service"),
        ("enum E {A} (vt.gt = \"0\")", "an enum"),
        ("enum E {A (vt.gt = \"0\")}", "a member of an enum"),
        ("const i32 (vt.gt = \"0\") C = 1", "the type of a constant"),
    ] {
        assert_eq!(told(text), [format!("thrift/rule-type: `vt.gt` means nothing on {what}")], "{text}");
    }
    assert_eq!(told("service V {void f() (api.get = \"/x\")}"), Vec::<String>::new());
}

#[test]
fn rules_on_typedefs_that_no_field_has_are_read() {
    let dead = "thrift/dead-rule: `vt.gt` never runs: no field has the type `T`";
    assert_eq!(told("typedef i32 T (vt.gt = \"0\") struct S {1: i32 a}"), [dead]);
    assert_eq!(told("typedef i32 T (vt.gt = \"0\") struct S {1: list<T> a}"), Vec::<String>::new());
    let wrong = "thrift/rule-type: `vt.min_size` is not for an integer";
    assert!(told("typedef i32 T (vt.min_size = \"0\") struct S {1: i32 a}").contains(&wrong.to_owned()));
    // What is wrong with a typedef is said once, however many fields have it.
    assert_eq!(told("typedef i32 T (vt.min_size = \"0\") struct S {1: T a 2: T b 3: list<T> c}"), [wrong]);
}

#[test]
fn rules_that_every_value_keeps_are_reported() {
    let nothing = |rule: &str| vec![format!("thrift/dead-rule: `{rule}` says nothing: every value keeps it")];
    for (field, rule) in [
        ("string a (vt.min_size = \"0\")", "vt.min_size"),
        ("list<i32> a (vt.min_size = \" 0 \")", "vt.min_size"),
        ("i8 a (vt.ge = \"-128\")", "vt.ge"),
        ("i16 a (vt.le = \"32767\")", "vt.le"),
        ("i64 a (vt.ge = \"-9223372036854775808\")", "vt.ge"),
        ("list<i8> a (vt.elem.le = \"127\")", "vt.elem.le"),
    ] {
        assert_eq!(told(&format!("struct S {{1: {field}}}")), nothing(rule), "{field}");
    }
    for field in ["string a (vt.min_size = \"1\")", "i8 a (vt.ge = \"-127\")", "i16 a (vt.le = \"127\")"] {
        assert_eq!(told(&format!("struct S {{1: {field}}}")), Vec::<String>::new(), "{field}");
    }
    let twice = "thrift/dead-rule: `vt.in` has 2 twice";
    assert_eq!(told("struct S {1: i32 a (vt.in = \"[1, 2, 2]\")}"), [twice]);
}

#[test]
fn a_rule_that_another_one_makes_needless_is_reported() {
    let beside = |idle: &str, other: &str| {
        format!("thrift/dead-rule: `{idle}` says nothing: every value that keeps `{other}` keeps it")
    };
    for (field, found) in [
        ("i32 a (vt.gt = \"0\", vt.gt = \"5\")", vec![beside("vt.gt", "vt.gt")]),
        ("i32 a (vt.gt = \"5\", vt.ge = \"5\")", vec![beside("vt.ge", "vt.gt")]),
        ("i32 a (vt.ge = \"5\", vt.gt = \"5\")", vec![beside("vt.ge", "vt.gt")]),
        ("i32 a (vt.le = \"9\", vt.lt = \"7\", vt.le = \"8\")", vec![beside("vt.le", "vt.lt"); 1]),
        ("double a (vt.lt = \"0.5\", vt.lt = \"-1\")", vec![beside("vt.lt", "vt.lt")]),
        ("string a (vt.min_size = \"2\", vt.min_size = \"3\")", vec![beside("vt.min_size", "vt.min_size")]),
        (
            "list<string> a (vt.elem.max_size = \"2\", vt.elem.max_size = \"3\")",
            vec![beside("vt.elem.max_size", "vt.elem.max_size")],
        ),
        (
            "string a (vt.prefix = \"x\", vt.prefix = \"x\")",
            vec!["thrift/dead-rule: `vt.prefix` is there twice with the same value".to_owned()],
        ),
        (
            "i32 a (vt.gt = \"$b\", vt.gt = \"$b\") 2: i32 b",
            vec!["thrift/dead-rule: `vt.gt` is there twice with the same value".to_owned()],
        ),
        // Neither implies the other.
        ("i32 a (vt.gt = \"0\", vt.lt = \"5\")", vec![]),
        ("i32 a (vt.gt = \"$b\", vt.gt = \"0\") 2: i32 b", vec![]),
        ("string a (vt.min_size = \"2\", vt.min_rune_size = \"3\")", vec![]),
        ("string a (vt.contains = \"x\", vt.contains = \"y\")", vec![]),
    ] {
        let mut told = told(&format!("struct S {{1: {field}}}"));
        told.dedup();
        assert_eq!(told, found, "{field}");
    }
    // A typedef has its rules for other fields, too.
    let elsewhere = "typedef i32 T (vt.gt = \"0\") struct S {1: T a (vt.gt = \"5\") 2: T b}";
    assert_eq!(told(elsewhere), Vec::<String>::new());
}

#[test]
fn an_enum_without_zero_is_told_what_absence_means() {
    let told = |field: &str| told(&format!("enum Gap {{A = 1}} enum E {{A}} struct S {{1: {field}}}"));
    let found = told("Gap a (vt.defined_only = \"true\")");
    assert_eq!(
        found,
        ["thrift/unset-breaks-rule: `S.a` counts as 0 where it is not sent, which `vt.defined_only` breaks"]
    );
    for fine in [
        "optional Gap a (vt.defined_only = \"true\")",
        "required Gap a (vt.defined_only = \"true\")",
        "Gap a = Gap.A (vt.defined_only = \"true\")",
        "Gap a (vt.defined_only = \"false\")",
        "E a (vt.defined_only = \"true\")",
    ] {
        assert_eq!(told(fine), Vec::<String>::new(), "{fine}");
    }
}
