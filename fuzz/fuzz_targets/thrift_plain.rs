//! Any JSON as a value of a fixed type: what does not fit is told with its place, and what fits gets the verdict that the
//! same value gets as a message.

#![no_main]

use std::sync::LazyLock;

use contract::{Constant, Contract, Order};
use document::{Document, ReadLimits};
use libfuzzer_sys::fuzz_target;
use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::Protocol;
use thrift_conformance::encode;

const IDL: &str = r#"
enum E { A = 1 B = 2 }
struct Inner { 1: i32 a (vt.gt = "0") 2: optional Inner next 3: required bool on }
union U { 1: i32 x (vt.gt = "1") 2: string y (vt.min_size = "2") }
struct S {
  1: string s (vt.pattern = "^[a-z]*$", vt.max_size = "$n")
  2: i64 n (vt.ge = "@len($s)")
  3: list<Inner> l (vt.max_size = "5")
  4: map<string, list<i32>> m (vt.key.prefix = "k", vt.value.elem.lt = "10")
  5: E e (vt.defined_only = "true")
  6: optional double d (vt.lt = "1.5")
  7: U u
  8: set<E> es (vt.elem.in = "[A]")
  9: optional binary b (vt.contains = "x")
  10: map<Inner, i8> p (vt.value.ne = "0")
  11: map<E, bool> f
} (vt.assert = "@or(@has($d), @ge($n, 0))")
"#;

struct Setup {
    reader: Reader,
    contract: Contract,
    validator: Validator,
    root: StructId,
    functions: Functions,
}

static SETUP: LazyLock<Setup> = LazyLock::new(|| {
    let mut loader = MemoryLoader::default().file("a.thrift", IDL);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).expect("it is in memory");
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let (lowered, _) = lower(&model, &RuleConfig::default(), &functions);
    let root = model.structure(FileId(0), "S").expect("it is declared");
    let contract =
        lowered.compile(&functions).0.and_then(|it| it.starting_at("S")).expect("it has no mistakes");
    let config = ValidateConfig::default();
    let validator = Validator::new(&model, &RuleConfig::default(), config, &functions).0;
    let validator = validator.expect("it has no mistakes");
    Setup { reader: Reader::new(model, UnknownFields::Refuse), contract, validator, root, functions }
});

fuzz_target!(|text: &str| {
    let Setup { reader, contract, validator, root, functions } = &*SETUP;
    let Ok(document) = Document::from_json(text, FileId::FIRST, &ReadLimits::default()) else { return };
    let (plain, misfits) = reader.read(*root, document.root(), 5);
    assert!(misfits.len() <= 5);
    for misfit in &misfits {
        let place = misfit.place.expect("values of a document have places");
        assert!(place.start <= place.end && place.end as usize <= text.len(), "a place outside the text");
    }
    let checker = contract.checker().host(functions).order(Order::Declared);
    let broken = checker.first_violation(&plain);
    if !misfits.is_empty() {
        return;
    }
    let value = Constant::copy(&plain, 200).expect("the document is not as deep");
    let message = encode(reader.model(), *root, &value, Protocol::Binary).expect("it fits its type");
    match (broken, validator.validate(*root, Protocol::Binary, &message, functions, Want::First)) {
        (None, Ok(read)) => assert_eq!(read, message.len()),
        // A message without a required field is none, whatever rule it breaks before that.
        (Some(_), Err(Rejection::MissingField { .. })) => {}
        (Some(broken), Err(Rejection::Rules(found))) => {
            let found = found.first().expect("a rule is broken");
            assert_eq!((&broken.rule, broken.path.dotted("S")), (&found.rule, found.path.dotted("S")));
        }
        // Messages may not nest as deep as documents.
        (_, Err(Rejection::Wire(_))) => {}
        (plain, wire) => panic!("{plain:?} as JSON, {wire:?} as a message"),
    }
});
