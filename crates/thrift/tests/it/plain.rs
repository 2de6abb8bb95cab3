//! Plain JSON under a contract with secrets.

use contract::{Contract, MASK, Violation};
use document::{Document, ReadLimits};
use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, RuleConfig, lower};

const IDL: &str = r#"
struct Card { 1: i32 number }
struct S {
  1: Card card (vt.redact = "true")
  2: i32 count
  3: optional list<S> more
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
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::default()).unwrap();
    reader.read_masked(&contract, root, document.root(), 10).1
}

#[test]
fn what_does_not_fit_inside_a_secret_is_masked() {
    let found = misfits(r#"{"card": {"number": "hunter2", "hunter2": 1}, "count": "many"}"#);
    let shown: Vec<_> = found.iter().map(|it| it.found.as_deref()).collect();
    assert_eq!(shown, [Some(MASK), Some(MASK), Some("\"many\"")]);
    assert!(!format!("{found:?}").contains("hunter2"), "{found:?}");
}

#[test]
fn what_stands_in_the_place_of_secrets_is_masked() {
    for text in [
        r#""hunter2""#,
        r#"["hunter2"]"#,
        r#"{"card": {"number": 1}, "count": 1, "more": "hunter2"}"#,
        r#"{"card": {"number": 1}, "count": 1, "more": ["hunter2"]}"#,
        r#"{"card": {"number": 1}, "count": 1, "more": {"card": "hunter2"}}"#,
    ] {
        let found = misfits(text);
        assert!(!found.is_empty(), "{text}");
        assert!(!format!("{found:?}").contains("hunter2"), "{text}: {found:?}");
        assert!(is_hidden(text), "{text}");
    }
    assert!(is_hidden(r#"{"crd": "hunter2", "count": 1}"#));
    assert!(!is_hidden(r#"{"card": {"number": 1}, "count": "hunter2"}"#));
}

/// Whether the text `hunter2` lies in what nobody may see.
fn is_hidden(text: &str) -> bool {
    let (reader, contract, root) = setup();
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::default()).unwrap();
    let at = u32::try_from(text.find("hunter2").unwrap()).unwrap();
    reader.secrets(&contract, root, document.root()).iter().any(|place| place.start <= at && at < place.end)
}
