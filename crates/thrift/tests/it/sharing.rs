//! Types that many places share are lowered once, and mean what they would mean written out.

use contract::{Constant, Order};
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;
use thrift::{Diagnostic, FileId};
use thrift_conformance::ParsedCase;

fn read(text: &str) -> ParsedCase {
    let mut loader = MemoryLoader::default().file("s.thrift", text);
    let (program, mut found) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, more) = resolve(&program, &Config::default());
    found.extend(more);
    let (lowered, more) = lower(&model, &RuleConfig::default(), &Functions::at(0));
    found.extend(more);
    ParsedCase { program, model, lowered, diagnostics: found }
}

fn doubling(levels: usize, leaf: &str, field: &str) -> String {
    let maps: String = (0..levels).map(|n| format!("typedef map<T{0}, T{0}> T{n}\n", n + 1)).collect();
    format!("{maps}typedef {leaf}\nstruct S {{1: optional i32 b = 5 2: T0 f {field}}}")
}

fn codes(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().filter(|it| it.is_error()).map(|it| &*it.code).collect()
}

/// What lowering costs grows with the text, not with what the text stands for.
#[test]
fn the_work_of_lowering_is_in_proportion_to_the_text() {
    for (leaf, field) in [
        ("i32 T{N} (vt.gt = \"0\")", ""),
        ("i32 T{N} (vt.gt = \"$b\")", ""),
        ("i32 T{N}", ""),
        ("Leaf T{N}\nstruct Leaf {1: i32 a (vt.gt = \"0\")}", ""),
        (
            "i32 T{N} (vt.gt = \"0\")",
            "(vt.min_size = \"1\", vt.key.min_size = \"1\", vt.value.key.min_size = \"1\")",
        ),
        ("i32 T{N}", "(vt.key.key.value.min_size = \"1\", vt.value.skip = \"true\")"),
    ] {
        let work = |levels: usize| {
            let text = doubling(levels, &leaf.replace("{N}", &levels.to_string()), field);
            let read = read(&text);
            assert_eq!(codes(&read.diagnostics), Vec::<&str>::new(), "{text}");
            let (validator, found) = Validator::new(
                &read.model,
                &RuleConfig::default(),
                ValidateConfig::default(),
                &Functions::at(0),
            );
            assert!(validator.is_some(), "{found:?}");
            read.lowered.work
        };
        let (ten, sixty) = (work(10), work(60));
        assert!(ten <= 80 && sixty <= 330, "{leaf}: {ten}, {sixty}");
    }
}

/// A typedef with many rules costs once for each field that has it; beyond measure it is an error.
#[test]
fn rules_that_typedefs_bring_along_are_bounded() {
    let rules: Vec<String> = (0..1000).map(|n| format!("vt.ne = \"{n}\"")).collect();
    let fields: String = (1..1000).map(|n| format!("{n}: T f{n}\n")).collect();
    let read = read(&format!("typedef i32 T ({})\nstruct S {{{fields}}}", rules.join(", ")));
    assert_eq!(codes(&read.diagnostics), ["thrift/too-large"]);
    assert!(read.lowered.work < 600_000, "{}", read.lowered.work);
}

/// Asks of a struct `S` in all protocols; the answer is `ok`, or each rule and path.
fn verdict(text: &str, value: &Constant) -> String {
    let read = read(text);
    assert_eq!(codes(&read.diagnostics), Vec::<&str>::new(), "{text}");
    let functions = Functions::at(0);
    let (contract, _) = read.lowered.compile(&functions);
    let contract = contract.unwrap();
    let checker = contract.definition("S").unwrap().host(&functions).order(Order::Declared);
    let shown = |found: &[contract::Violation]| -> String {
        let all: Vec<String> =
            found.iter().map(|it| format!("{} @ {}", it.rule, it.path.dotted("S"))).collect();
        if all.is_empty() { "ok".to_owned() } else { all.join(", ") }
    };
    let expected = shown(&checker.violations(value));
    let (validator, _) =
        Validator::new(&read.model, &RuleConfig::default(), ValidateConfig::default(), &functions);
    let validator = validator.unwrap();
    let id = read.model.structure(FileId(0), "S").unwrap();
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        let bytes = thrift_conformance::encode(&read.model, id, value, protocol).unwrap();
        let quick = validator.validate(id, protocol, &bytes, &functions, Want::All);
        let thorough = validator.validate_thoroughly(id, protocol, &bytes, &functions, Want::All);
        for result in [quick, thorough] {
            let found = match result {
                Ok(_) => "ok".to_owned(),
                Err(Rejection::Rules(violations)) => shown(&violations),
                Err(other) => panic!("{protocol:?}: {other}"),
            };
            assert_eq!(found, expected, "{protocol:?} {text}");
        }
    }
    expected
}

fn list(items: impl IntoIterator<Item = Constant>) -> Constant {
    Constant::List(items.into_iter().collect())
}

fn structure(members: impl IntoIterator<Item = (i64, Constant)>) -> Constant {
    Constant::Object(members.into_iter().map(|(id, value)| (id.into(), value)).collect())
}

#[test]
fn a_shared_type_means_what_it_means_written_out() {
    let nested = |items: &[i64]| list([list([]), list(items.iter().map(|it| Constant::Int(*it)))]);
    let types = "typedef i32 P (vt.gt = \"0\")\ntypedef list<P> L (vt.max_size = \"2\")\ntypedef list<L> M\n";
    for (fields, value, expected) in [
        ("1: M m", nested(&[1, 2]), "ok"),
        ("1: M m", nested(&[1, 0]), "vt.gt @ S.m[1][1]"),
        ("1: M m", nested(&[1, 2, 3]), "vt.max_size @ S.m[1]"),
        (
            "1: M m (vt.elem.elem.lt = \"5\")",
            nested(&[7, 0]),
            "vt.elem.elem.lt @ S.m[1][0], vt.gt @ S.m[1][1]",
        ),
        ("1: M m (vt.min_size = \"3\")", nested(&[1]), "vt.min_size @ S.m"),
        ("1: M m (vt.elem.min_size = \"1\")", nested(&[1]), "vt.elem.min_size @ S.m[0]"),
        ("1: M m (vt.skip = \"true\")", nested(&[0, 0, 0]), "ok"),
        ("1: list<M> m", list([nested(&[0])]), "vt.gt @ S.m[0][1][0]"),
        ("1: M m 2: M n", nested(&[0]), "vt.gt @ S.m[1][0]"),
    ] {
        assert_eq!(
            verdict(&format!("{types}struct S {{{fields}}}"), &structure([(1, value)])),
            expected,
            "{fields}"
        );
    }
}

#[test]
fn a_shared_type_can_speak_of_the_fields_around_it() {
    let text = "typedef i32 P (vt.gt = \"$b\")\ntypedef list<P> L (vt.max_size = \"$b\")\ntypedef list<L> M\n\
                struct S {1: M m 2: i32 b 3: M n (vt.elem.elem.lt = \"9\")}";
    let of = |b: i64, items: &[i64], more: &[i64]| {
        let nested = |items: &[i64]| list([list(items.iter().map(|it| Constant::Int(*it)))]);
        verdict(text, &structure([(1, nested(items)), (2, b.into()), (3, nested(more))]))
    };
    assert_eq!(of(2, &[3, 4], &[5]), "ok");
    assert_eq!(of(2, &[3, 2], &[5]), "vt.gt @ S.m[0][1]");
    assert_eq!(of(1, &[3, 4], &[5]), "vt.max_size @ S.m[0]");
    assert_eq!(of(2, &[3], &[9]), "vt.elem.elem.lt @ S.n[0][0]");
    assert_eq!(of(2, &[3], &[2]), "vt.gt @ S.n[0][0]");
}
