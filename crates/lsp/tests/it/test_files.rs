//! Test files in the editor: what can be written in them, what runs them, and what is shown of a run.

use std::sync::{Arc, Mutex};

use bicep::files::{Reference, RestoreFailure};
use bicep::{Artifact, Compiler, FilePath};
use lsp::{TestFinding, TestsAsked, TestsRun, Tools};
use serde_json::{Value, json};
use syntax::Span;

use crate::client::Client;

const TESTS: &str = "file:///project/main.biceptest";
const PROGRAM: &str = "@minValue(1)\nparam size int\nparam env string = 'dev'\nresource store 'My.Rp/stores@2024-01-01' = {\n  name: 'st'\n}\noutput sku string = env\n";

/// A machine on which tests find something at the beginning of the second line.
#[derive(Default)]
struct Runner(Mutex<Vec<TestsAsked>>);

impl Tools for Runner {
    fn write(&self, _: &FilePath, _: &str) -> Result<(), String> {
        Err("nothing is written here".to_owned())
    }

    fn test(&self, compiler: &Compiler, asked: &TestsAsked) -> Result<TestsRun, String> {
        self.0.lock().unwrap().push(asked.clone());
        let tests = compiler.test_file(&asked.file).tests;
        let names: Vec<Value> = tests.iter().map(|test| json!(test.name)).collect();
        let (path, span) = (asked.file.clone(), Span::new(5, 6));
        let findings = vec![TestFinding { path, span, message: "it does not hold".to_owned() }];
        Ok(TestsRun { report: json!({ "names": names }), findings })
    }

    fn restore(&self, _: &[Artifact], _: &mut dyn FnMut(&Reference)) -> Vec<(Reference, RestoreFailure)> {
        Vec::new()
    }
}

fn labels(text: &str, line: u32, character: u32) -> Vec<String> {
    let mut client = Client::new().file("/project/main.bicep", PROGRAM);
    client.open(TESTS, text);
    let place =
        json!({ "textDocument": { "uri": TESTS }, "position": { "line": line, "character": character } });
    let id = client.ask("textDocument/completion", place);
    let answer = client.hear().answer(id)["result"].clone();
    let items = answer.get("items").cloned().unwrap_or(answer);
    items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_a_test_may_have_is_offered() {
    let body = |inside: &str| format!("test t 'main.bicep' = {{\n{inside}\n}}\n");
    assert_eq!(labels(&body("  params: {  }"), 1, 12), ["env", "size"]);
    assert_eq!(labels(&body("  mocks: { reference: {  } }"), 1, 24), ["store"]);
    assert_eq!(labels(&body("  expect: { failure: {  } }"), 1, 23), ["code", "message", "symbol", "target"]);
    let members = labels(&body("  cases: { a: {  } }"), 1, 16);
    assert!(members.contains(&"matchSnapshot".to_owned()) && !members.contains(&"cases".to_owned()));
    assert!(labels(&body("  "), 1, 2).contains(&"cases".to_owned()));
}

#[test]
fn what_asserts_see_is_offered() {
    let after = |part: &str| {
        let text = format!("test t 'main.bicep' = {{\n  params: {{ size: 1 }}\n}}\nassert a = t.{part}\n");
        labels(&text, 3, 13 + u32::try_from(part.len()).unwrap())
    };
    assert!(after("").contains(&"changes".to_owned()));
    assert_eq!(after("resources."), ["store"]);
    assert_eq!(after("outputs."), ["sku"]);
}

#[test]
fn tests_have_lenses_and_a_run_is_shown_until_the_document_changes() {
    let runner = Arc::new(Runner::default());
    let mut client = Client::new().tools(Arc::clone(&runner) as _).file("/project/main.bicep", PROGRAM);
    let text = "test t 'main.bicep' = {\n  params: { size: 1 }\n}\nassert a = t.outputs.sku == 'x'\nassert fact = 1 == 1\n";
    client.open(TESTS, text);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": TESTS } }));
    let wanted = json!([{ "uri": TESTS, "test": "t", "coverage": true }]);
    let run =
        client.ask("workspace/executeCommand", json!({ "command": "tendon.test.run", "arguments": wanted }));
    client.edit(TESTS, 2, [0, 0, 0, 0], "\n");
    let heard = client.hear();
    let shown: Vec<(String, String)> = heard.answer(lenses)["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| {
            let command = &lens["command"];
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&command["title"]), text(&command["arguments"][0]["test"]))
        })
        .collect();
    let shown: Vec<(&str, &str)> =
        shown.iter().map(|(title, test)| (title.as_str(), test.as_str())).collect();
    let expect = [("run", "t"), ("run with coverage", "t"), ("run", "fact"), ("run with coverage", "fact")];
    assert_eq!(shown, expect);
    assert_eq!(heard.answer(run)["result"], json!({ "names": ["t"] }));
    let asked = runner.0.lock().unwrap().first().unwrap().clone();
    assert_eq!((asked.test.as_deref(), asked.coverage), (Some("t"), true));
    // What the run found was about the text before.
    assert!(heard.published(TESTS).iter().any(|it| it.to_string().contains("test-failed")));
    assert!(!heard.codes(TESTS).iter().any(|code| code.contains("test-failed")));
}

#[test]
fn what_a_run_finds_is_a_diagnostic() {
    let mut client = Client::new().tools(Arc::new(Runner::default())).file("/project/main.bicep", PROGRAM);
    client.open(TESTS, "test t 'main.bicep' = {\n  params: { size: 1 }\n}\n");
    let asked = json!({ "command": "tendon.test.run", "arguments": [TESTS] });
    client.ask("workspace/executeCommand", asked);
    let heard = client.hear();
    assert_eq!(heard.codes(TESTS), ["0:5 test-failed"]);
    let last = heard.published(TESTS).last().unwrap()["diagnostics"][0].clone();
    assert_eq!((&last["source"], &last["message"]), (&json!("tendon test"), &json!("it does not hold")));
    // A program has no tests to run.
    let mut client = Client::new().tools(Arc::new(Runner::default())).file("/project/main.bicep", PROGRAM);
    let asked = json!({ "command": "tendon.test.run", "arguments": ["/project/main.bicep"] });
    let id = client.ask("workspace/executeCommand", asked);
    assert!(client.hear().answer(id)["error"]["message"].as_str().unwrap().contains("is not a test file"));
}
