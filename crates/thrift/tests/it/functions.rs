//! Functions of the user: those that the embedding program runs, and those that are only declared.

use std::sync::Arc;

use contract::{Argument, Constant, Node, Signature};
use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, Model, load, resolve};
use thrift::rules::{Declarations, Functions, RuleConfig, UndefinedFunctions, lower};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

const IDL: &str = r#"
    struct S {
        1: i64 a
        2: optional i64 b (vt.lt = "@twice($a)")
        3: optional i64 c (vt.in = "4", vt.in = "@twice($a)")
        4: optional list<i64> d (vt.elem.ne = "@twice($$)")
        5: optional i64 e (vt.gt = "0")
    } (vt.assert = "@or(@even($a), @equal($a, 7))")
"#;

fn model(text: &str) -> Model {
    let mut loader = MemoryLoader::default().file("s.thrift", text);
    let (program, found) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
    assert_eq!(found, []);
    resolve(&program, &Config::default()).0
}

fn declared(lines: &str) -> Functions {
    let mut declarations = Declarations::default();
    assert_eq!(declarations.read(lines, FileId(0)), []);
    Functions::at(0).with(declarations)
}

fn ours() -> Functions {
    declared("twice(i64) -> i64\neven(i64) -> bool")
}

fn int(arguments: &[Argument<'_>]) -> Result<i64, String> {
    match arguments.first().and_then(Argument::node) {
        Some(Node::Int(value)) => Ok(value),
        _ => Err("an integer is needed".to_owned()),
    }
}

/// The functions with code, as the embedding program adds them.
fn running() -> Functions {
    let mut functions = ours();
    let one = Signature { least: 1, most: 1, pure_: true };
    functions.register("twice", one, Arc::new(|arguments| Ok(Constant::Int(int(arguments)? * 2))));
    functions.register("even", one, Arc::new(|arguments| Ok(Constant::Bool(int(arguments)? % 2 == 0))));
    functions
}

/// Validates in every protocol and by both walks: the first broken rule, and whether a rule was passed over.
fn verdict(
    undefined: UndefinedFunctions,
    functions: &Functions,
    members: &[(i64, Constant)],
) -> (String, bool) {
    let model = model(IDL);
    let rules = RuleConfig { undefined_functions: undefined, ..RuleConfig::default() };
    let (validator, found) = Validator::new(&model, &rules, ValidateConfig::default(), functions);
    assert_eq!(found, []);
    let (validator, id) = (validator.unwrap(), model.structure(FileId(0), "S").unwrap());
    let value = Constant::Object(members.iter().map(|(id, value)| ((*id).into(), value.clone())).collect());
    let mut verdicts = Vec::new();
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        let bytes = thrift_conformance::encode(&model, id, &value, protocol).unwrap();
        for thorough in [false, true] {
            let result = match thorough {
                false => validator.validate(id, protocol, &bytes, functions, Want::First),
                true => validator.validate_thoroughly(id, protocol, &bytes, functions, Want::First),
            };
            let text = match result {
                Ok(_) => "ok".to_owned(),
                Err(Rejection::Rules(found)) => format!("{} {}", found[0].rule, found[0].message()),
                Err(other) => panic!("{other}"),
            };
            verdicts.push((text, functions.take_unchecked()));
        }
    }
    verdicts.dedup();
    assert_eq!(verdicts.len(), 1, "{verdicts:?}");
    verdicts.remove(0)
}

#[test]
fn functions_of_the_embedding_program_run_even_where_others_pass() {
    for undefined in [UndefinedFunctions::Refuse, UndefinedFunctions::Pass] {
        let rule = |members: &[(i64, Constant)]| {
            let (text, unchecked) = verdict(undefined, &running(), members);
            assert!(!unchecked);
            text.split(' ').next().unwrap().to_owned()
        };
        assert_eq!(rule(&[(1, 2.into()), (2, 3.into()), (3, 4.into())]), "ok");
        assert_eq!(rule(&[(1, 2.into()), (2, 4.into())]), "vt.lt");
        assert_eq!(rule(&[(1, 8.into()), (3, 5.into())]), "vt.in");
        assert_eq!(rule(&[(1, 8.into()), (4, Constant::List(vec![0.into()]))]), "vt.elem.ne");
        assert_eq!(rule(&[(1, 3.into())]), "vt.assert");
        assert_eq!(rule(&[(1, 7.into())]), "ok");
    }
}

#[test]
fn a_check_that_could_not_run_is_a_failed_check() {
    let refused = |members: &[(i64, Constant)]| verdict(UndefinedFunctions::Refuse, &ours(), members);
    let of =
        |rule: &str, name: &str| (format!("{rule} `@{name}` is declared only, and cannot run here"), false);
    assert_eq!(refused(&[(1, 1.into()), (2, 1.into())]), of("vt.lt", "twice"));
    assert_eq!(refused(&[(1, 1.into()), (4, Constant::List(vec![1.into()]))]), of("vt.elem.ne", "twice"));
    assert_eq!(refused(&[(1, 7.into())]), of("vt.assert", "even"));
    // One of a list that is known before the function would be asked.
    assert_eq!(refused(&[(1, 7.into()), (3, 4.into())]), of("vt.assert", "even"));
    // A proxy knows no declarations any more when a message comes.
    let bare = verdict_of_stranger();
    assert_eq!(bare, "vt.lt `@twice` is declared only, and cannot run here");
}

fn verdict_of_stranger() -> String {
    let model = model(IDL);
    let (validator, _) = Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &ours());
    let id = model.structure(FileId(0), "S").unwrap();
    let value = Constant::Object(vec![(1.into(), 1.into()), (2.into(), 1.into())]);
    let bytes = thrift_conformance::encode(&model, id, &value, Protocol::Binary).unwrap();
    match validator.unwrap().validate(id, Protocol::Binary, &bytes, &Functions::at(0), Want::First) {
        Err(Rejection::Rules(found)) => format!("{} {}", found[0].rule, found[0].message()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_pass_unchecked_where_they_may_and_that_is_told() {
    let passed = |members: &[(i64, Constant)]| verdict(UndefinedFunctions::Pass, &ours(), members);
    assert_eq!(passed(&[(1, 1.into()), (2, 9.into()), (3, 5.into())]), ("ok".to_owned(), true));
    // Rules beside them are run.
    let (text, _) = passed(&[(1, 1.into()), (5, 0.into())]);
    assert!(text.starts_with("vt.gt "), "{text}");
}

#[test]
fn calls_of_declared_functions_are_checked() {
    let told = |lines: &str, rule: &str| {
        let text = format!(
            "enum E {{A}} struct P {{1: i32 x}} struct S {{1: i64 i 2: double d 3: string s 4: list<i64> l 5: E e \
             6: P p 7: i64 at (vt.gt = \"{rule}\")}}"
        );
        let (_, found) = lower(&model(&text), &RuleConfig::default(), &declared(lines));
        found.iter().map(|it| it.message.to_string()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(told("f(i32) -> i32", "@f($i)"), "");
    assert_eq!(told("f(i32) -> i32", "@f($e)"), "");
    assert_eq!(told("f(double) -> double", "@f(2)"), "");
    assert_eq!(told("f(any, list, struct) -> any", "@f(1, $l, $p)"), "");
    assert_eq!(told("f(string...) -> i64", "@f()"), "");
    assert_eq!(told("f(string...) -> i64", "@f($s, 'x', $s)"), "");
    assert_eq!(told("f = rules.F", "@f($l, 1)"), "");
    assert_eq!(told("f(i64) -> i64", "@f()"), "`f` takes 1 argument, found 0");
    assert_eq!(told("f(i64, i64...) -> i64", "@f()"), "`f` takes at least 1 argument, found 0");
    assert_eq!(told("f(i32) -> i32", "@f($d)"), "`@f` takes an integer, `$d` is a double");
    assert_eq!(told("f(double) -> i32", "@f($i)"), "`@f` takes a double, `$i` is an integer");
    assert_eq!(told("f(i64, string...) -> i64", "@f(1, 'x', 2)"), "`@f` takes a string, `2` is an integer");
    assert_eq!(told("f(map) -> i64", "@f($l)"), "`@f` takes a map, `$l` is a list or set");
    assert_eq!(told("f(i64) -> string", "@f(1)"), "`@f(1)` is a string, the rule compares with an integer");
}
