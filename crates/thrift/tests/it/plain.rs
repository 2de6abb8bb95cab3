//! Plain JSON under a contract with secrets.

use contract::{Contract, MASK, Violation};
use document::{Document, Limits};
use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, RuleConfig, lower};

const IDL: &str = r#"
struct Card { 1: i32 number }
struct S {
  1: Card card (vt.redact = "true")
  2: i32 count
}
"#;

fn setup() -> (Reader, Contract, StructId) {
    let mut loader = MemoryLoader::default().file("s.thrift", IDL);
    let (program, _) = load("s.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let (lowered, _) = lower(&model, &RuleConfig::default(), &functions);
    let root = model.structure(FileId(0), "S").unwrap();
    let contract = lowered.compile(&functions).0.and_then(|it| it.starting_at("S")).unwrap();
    (Reader::new(model, UnknownFields::Refuse), contract, root)
}

fn misfits(text: &str) -> Vec<Violation> {
    let (reader, contract, root) = setup();
    let document = Document::from_json(text, FileId::FIRST, &Limits::default()).unwrap();
    reader.read_masked(&contract, root, document.root(), 10).1
}

#[test]
fn what_does_not_fit_inside_a_secret_is_masked() {
    let found = misfits(r#"{"card": {"number": "hunter2", "hunter2": 1}, "count": "many"}"#);
    let shown: Vec<_> = found.iter().map(|it| it.found.as_deref()).collect();
    assert_eq!(shown, [Some(MASK), Some(MASK), Some("\"many\"")]);
    assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
}
