//! Clients that say anything: there is always an answer, and the server goes on.

use serde_json::{Value, json};

use crate::client::{Client, MAIN, document};

#[test]
fn bytes_that_are_no_messages_are_answered() {
    let mut client = Client::new();
    client.raw(b"Content-Length: 3\r\n\r\n{{{");
    client.raw(b"Content-Length: nine\r\n\r\n");
    client.raw(b"Nothing: 1\r\n\r\n");
    client.say(&json!([1]));
    client.say(&json!({ "id": {}, "method": "x" }));
    client.raw(b"Content-Length: 4\r\n\r\n\xff\xfe{}");
    let unknown = client.ask("textDocument/unknown", Value::Null);
    let wrong = client.ask("textDocument/formatting", json!({ "textDocument": 3 }));
    let absent =
        client.ask("textDocument/formatting", json!({ "textDocument": document("file:///no.bicep") }));
    let heard = client.hear();
    assert_eq!(heard.lost(), [-32700, -32700, -32700, -32600, -32600, -32700]);
    assert_eq!([unknown, wrong, absent].map(|id| heard.error(id)), [-32601, -32602, -32602]);
}

#[test]
fn edits_of_anything_anywhere_leave_a_document() {
    let mut client = Client::new();
    client.edit(MAIN, 1, [0, 0, 0, 0], "never opened");
    client.open(MAIN, "var a = 1\n");
    client.edit(MAIN, 7, [99, 99, 3, 3], "var b = a\n");
    client.edit(MAIN, 3, [0, 0, 0, u32::MAX], "var a = 2");
    client.tell("textDocument/didChange", json!({ "textDocument": document(MAIN), "contentChanges": [{}] }));
    client.tell("textDocument/didChange", json!(null));
    client.tell("textDocument/didClose", json!({ "textDocument": document("file:///never.bicep") }));
    assert_eq!(client.hear().codes(MAIN), ["1:4 no-unused-vars"]);
}

#[test]
fn a_line_of_a_megabyte_is_a_line() {
    let mut client = Client::new();
    client.open(MAIN, &format!("var a = '{}'\n", "é".repeat(500_000)));
    client.edit(MAIN, 2, [0, 400_000, 0, 400_001], "x");
    assert_eq!(client.hear().codes(MAIN), ["0:4 no-unused-vars"]);
}

#[test]
fn a_document_that_is_opened_twice_has_the_last_text() {
    let mut client = Client::new();
    client.open(MAIN, "var a = 1\n");
    client.open(MAIN, "\nvar b = 1\n");
    assert_eq!(client.hear().codes(MAIN), ["1:4 no-unused-vars"]);
}
