//! How a conversation begins and ends.

use std::io::Read;

use lsp::SessionEnd;
use serde_json::{Value, json};

use crate::client::{Client, Heard, MAIN, Output, document};

#[test]
fn the_server_says_what_it_can() {
    let mut client = Client::silent();
    let id = client.ask("initialize", json!({ "capabilities": {} }));
    let heard = client.hear();
    let result = heard.result(id);
    assert_eq!(result["serverInfo"], json!({ "name": "tendon", "version": "1.2.3" }));
    let capabilities = &result["capabilities"];
    assert_eq!(capabilities["textDocumentSync"]["change"], json!(2));
    assert_eq!(capabilities["documentFormattingProvider"], json!(true));
}

#[test]
fn initialize_comes_first_and_once() {
    let mut client = Client::silent();
    let early = client.ask("textDocument/formatting", json!({}));
    client.ask("initialize", json!({}));
    let again = client.ask("initialize", json!({}));
    let heard = client.hear();
    assert_eq!((heard.error(early), heard.error(again)), (-32002, -32600));
}

#[test]
fn after_shutdown_nothing_is_answered() {
    let mut client = Client::new();
    let down = client.ask("shutdown", Value::Null);
    let late = client.ask("textDocument/formatting", json!({ "textDocument": document(MAIN) }));
    let heard = client.hear();
    assert_eq!((heard.result(down), heard.error(late)), (&Value::Null, -32600));
}

#[test]
fn files_are_watched_if_the_client_can() {
    let mut client = Client::silent();
    let watched = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    client.ask("initialize", json!({ "capabilities": watched }));
    client.tell("initialized", json!({}));
    let said = String::from_utf8(lsp::talk(client.said(), client.machine())).unwrap();
    assert!(said.contains("client/registerCapability"), "{said}");
}

pub(crate) fn serve(client: &Client, input: impl Read + Send + 'static) -> (SessionEnd, Heard) {
    let output = Output::default();
    let ended = lsp::serve(input, output.clone(), client.machine()).unwrap();
    (ended, output.heard())
}

#[test]
fn with_threads_everything_is_answered_before_the_stream_ends() {
    let mut client = Client::new();
    client.open(MAIN, "var a = 1");
    let ids: Vec<i64> = (0..50)
        .map(|_| client.ask("textDocument/formatting", json!({ "textDocument": document(MAIN) })))
        .collect();
    let (ended, heard) = serve(&client, std::io::Cursor::new(client.said().to_vec()));
    assert_eq!(ended, SessionEnd::Left);
    for id in ids {
        assert!(heard.result(id).is_array());
    }
    assert_eq!(heard.codes(MAIN), ["0:4 no-unused-vars"]);
}

#[test]
fn a_client_that_says_goodbye_is_answered() {
    let mut client = Client::new();
    let down = client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    // The stream stays open: the words are what ends the conversation.
    let (reader, _writer) = std::io::pipe().unwrap();
    let input = std::io::Cursor::new(client.said().to_vec()).chain(reader);
    let (ended, heard) = serve(&client, input);
    assert_eq!((ended, heard.result(down)), (SessionEnd::Asked, &Value::Null));
}

#[test]
fn what_is_for_bicep_files_is_registered_for_them_if_the_client_can() {
    let formats = json!({ "textDocument": { "formatting": { "dynamicRegistration": true } } });
    let client = Client::able(formats);
    let heard = client.hear();
    let capabilities = &heard.result(1)["capabilities"];
    assert_eq!(capabilities.get("documentFormattingProvider"), None);
    assert_eq!(capabilities["hoverProvider"], json!(true));
    let registered = &heard.told("client/registerCapability")[0]["registrations"];
    assert_eq!(registered.as_array().unwrap().len(), 1);
    assert_eq!(registered[0]["method"], json!("textDocument/formatting"));
    assert_eq!(registered[0]["registerOptions"]["documentSelector"][0], json!({ "language": "bicep" }));
}
