//! Any bytes as a message of a fixed type: a verdict or a protocol error in every protocol, the same for all
//! violations as for the first, the same by the quick walk as by the thorough one, and in steps that are a small multiple
//! of the bytes.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{Rejection, ValidateConfig, Validator, Want};
use thrift::wire::{Limits, Protocol, detect};

const IDL: &str = r#"
enum E { A = 1 B = 2 }
struct Inner { 1: i32 a (vt.gt = "0") 2: optional Inner next 3: required bool on }
union U { 1: i32 x (vt.gt = "1") 2: string y (vt.min_size = "2") }
struct S {
  1: string s (vt.pattern = "^[a-z]*$", vt.max_size = "$n")
  2: i64 n (vt.ge = "@len($s)")
  3: list<Inner> l (vt.max_size = "5", vt.elem.not_nil = "true")
  4: map<string, list<i32>> m (vt.key.prefix = "k", vt.value.elem.lt = "10")
  5: E e (vt.defined_only = "true")
  6: optional double d (vt.lt = "1.5")
  7: U u
  8: set<E> es (vt.elem.in = "[A]")
  9: optional binary b (vt.contains = "x")
} (vt.assert = "@or(@has($d), @ge($n, 0))")
"#;

static SETUP: LazyLock<(Validator, StructId, Functions)> = LazyLock::new(|| {
    let mut loader = MemoryLoader::default().file("a.thrift", IDL);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).expect("it is in memory");
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let (validator, found) =
        Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &functions);
    let id = model.structure(FileId(0), "S").expect("it is declared");
    (validator.unwrap_or_else(|| panic!("{found:?}")), id, functions)
});

fuzz_target!(|bytes: &[u8]| {
    let (validator, id, functions) = &*SETUP;
    for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
        let first = validator.validate(*id, protocol, bytes, functions, Want::First);
        let all = validator.validate(*id, protocol, bytes, functions, Want::All);
        let thorough = validator.validate_thoroughly(*id, protocol, bytes, functions, Want::First);
        assert_eq!(first, thorough);
        let (counted, steps) = validator.count_steps(*id, protocol, bytes, functions, Want::First);
        assert_eq!(first, counted);
        assert!(steps <= 60 * bytes.len() as u64 + 15_000, "{steps} steps for {} bytes", bytes.len());
        match (&first, &all) {
            (Err(Rejection::Rules(one)), Err(Rejection::Rules(many))) => {
                assert_eq!(one.first(), many.first());
                assert!(!one.is_empty(), "broken without a rule");
            }
            (left, right) => assert_eq!(left, right),
        }
        if let Ok(read) = first {
            assert!(read <= bytes.len());
        }
    }
    let _ = detect(bytes);
    let _ = Limits::default();
});
