//! Commands of the editor about a file.

use std::sync::{Arc, Mutex};

use bicep::files::{Reference, RestoreFailure};
use bicep::{Artifact, FilePath};
use lsp::Tools;
use serde_json::{Value, json};

use crate::client::{Client, MAIN};

/// A machine that keeps what is written.
#[derive(Default)]
struct Written(Mutex<Vec<(String, String)>>);

impl Tools for Written {
    fn write(&self, path: &FilePath, text: &str) -> Result<(), String> {
        self.0.lock().unwrap().push((path.to_string(), text.to_owned()));
        Ok(())
    }

    fn restore(&self, _: &[Artifact], _: &mut dyn FnMut(&Reference)) -> Vec<(Reference, RestoreFailure)> {
        Vec::new()
    }
}

/// Runs a command on a program; says the answer, and what was written.
fn run(text: &str, command: &str, argument: Value) -> (Value, Vec<(String, String)>) {
    let written = Arc::new(Written::default());
    let tools: Arc<dyn Tools> = Arc::clone(&written) as _;
    let mut client = Client::new().tools(tools);
    client.open(MAIN, text);
    let params = json!({ "command": command, "arguments": [argument] });
    let id = client.ask("workspace/executeCommand", params);
    let answer = client.hear().answer(id).clone();
    let files = written.0.lock().unwrap().clone();
    (answer, files)
}

#[test]
fn a_program_is_built_as_the_editor_has_it() {
    let (answer, files) = run("output o int = 3\n", "build", json!(MAIN));
    assert_eq!(answer["result"], json!("`/project/main.json` is written"));
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].0, "/project/main.json");
    assert!(files[0].1.contains("\"value\": 3"), "{}", files[0].1);
    // A path does as well.
    assert_eq!(run("output o int = 3\n", "build", json!("/project/main.bicep")).1.len(), 1);
}

#[test]
fn a_program_with_errors_is_not_written() {
    let (answer, files) = run("output o int = 'x'\n", "build", json!(MAIN));
    assert_eq!(answer["error"]["code"], json!(-32803));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("/project/main.bicep(1,16) BCP033"), "{message}");
    assert_eq!(files, []);
}

#[test]
fn a_parameters_file_is_made_to_begin_with() {
    let argument = json!({ "bicepFilePath": "/project/main.bicep", "outputFormat": "bicepparam", "includeParams": "all" });
    let (_, files) = run("param a string\nparam b int = 1\n", "generateParams", argument);
    assert_eq!(files[0].0, "/project/main.bicepparam");
    assert!(files[0].1.contains("param a = ''") && files[0].1.contains("param b = 1"), "{}", files[0].1);
}

#[test]
fn what_is_not_a_command_or_has_no_file_is_refused() {
    assert_eq!(run("", "deploy/start", json!(MAIN)).0["error"]["code"], json!(-32602));
    assert_eq!(run("", "build", json!(3)).0["error"]["code"], json!(-32602));
    assert_eq!(run("", "build", json!("/project/none.bicep")).0["error"]["code"], json!(-32803));
}

#[test]
fn a_document_that_was_never_saved_has_no_place_for_results() {
    let mut client = Client::new().tools(Arc::new(Written::default()));
    let document = json!({ "uri": "untitled:Untitled-1", "languageId": "bicep", "version": 1, "text": "output o int = 1" });
    client.tell("textDocument/didOpen", json!({ "textDocument": document }));
    let params = json!({ "command": "build", "arguments": ["untitled:///Untitled-1.bicep"] });
    let id = client.ask("workspace/executeCommand", params);
    let heard = client.hear();
    assert!(heard.answer(id)["error"]["message"].as_str().unwrap().contains("save the document first"));
}

#[test]
fn commands_are_announced_unless_the_client_has_its_own() {
    let mut client = Client::silent();
    let plain = client.ask("initialize", json!({ "capabilities": {} }));
    let heard = client.hear();
    let commands = &heard.result(plain)["capabilities"]["executeCommandProvider"]["commands"];
    assert!(commands.as_array().unwrap().contains(&json!("build")));
    let mut client = Client::silent();
    let options = json!({ "capabilities": {}, "initializationOptions": { "announceCommands": false } });
    let own = client.ask("initialize", options);
    assert_eq!(client.hear().result(own)["capabilities"].get("executeCommandProvider"), None);
}
