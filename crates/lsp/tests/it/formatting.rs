//! Formatting: all of a document, a part of it, and what was just typed.

use serde_json::json;

use crate::client::{Client, MAIN, applied, document, range};

const TEXT: &str = "var a  =  1\nvar b = {\nx:  1\n  }\n";

#[test]
fn a_document_is_formatted_by_edits_of_its_gaps() {
    let mut client = Client::new();
    client.open(MAIN, TEXT);
    let id = client.ask("textDocument/formatting", json!({ "textDocument": document(MAIN), "options": {} }));
    let heard = client.hear();
    assert_eq!(applied(TEXT, heard.result(id)), "var a = 1\nvar b = {\n  x: 1\n}\n");
    assert_eq!(heard.result(id)[0]["range"], range(0, 5, 0, 7));
}

#[test]
fn settings_come_from_the_configuration() {
    let config = r#"{ "formatting": { "indentSize": 4 } }"#;
    let mut client = Client::new().file("/project/bicepconfig.json", config);
    client.open(MAIN, TEXT);
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    let id =
        client.ask("textDocument/formatting", json!({ "textDocument": document(MAIN), "options": options }));
    assert_eq!(applied(TEXT, client.hear().result(id)), "var a = 1\nvar b = {\n    x: 1\n}\n");
}

#[test]
fn a_stretch_is_formatted_alone() {
    let mut client = Client::new();
    client.open(MAIN, TEXT);
    let params = json!({ "textDocument": document(MAIN), "range": range(0, 0, 0, 11), "options": {} });
    let id = client.ask("textDocument/rangeFormatting", params);
    assert_eq!(applied(TEXT, client.hear().result(id)), "var a = 1\nvar b = {\nx:  1\n  }\n");
}

#[test]
fn a_closing_bracket_formats_its_declaration() {
    let mut client = Client::new();
    client.open(MAIN, TEXT);
    let at = json!({ "line": 3, "character": 3 });
    let params = json!({ "textDocument": document(MAIN), "position": at, "ch": "}", "options": {} });
    let id = client.ask("textDocument/onTypeFormatting", params);
    assert_eq!(applied(TEXT, client.hear().result(id)), "var a  =  1\nvar b = {\n  x: 1\n}\n");
}

#[test]
fn a_new_line_formats_the_one_before_and_stays() {
    let text = "var a  =  1\n\n\n\nvar b  = 2\n";
    let mut client = Client::new();
    client.open(MAIN, text);
    let at = json!({ "line": 1, "character": 0 });
    let params = json!({ "textDocument": document(MAIN), "position": at, "ch": "\n", "options": {} });
    let id = client.ask("textDocument/onTypeFormatting", params);
    assert_eq!(applied(text, client.hear().result(id)), "var a = 1\n\n\n\nvar b  = 2\n");
}

#[test]
fn what_is_typed_last_stays_the_last() {
    let typed = |text: &str, character: &str| {
        let mut client = Client::new();
        client.open(MAIN, text);
        let line = u32::try_from(text.matches('\n').count()).unwrap();
        let column = u32::try_from(text.rsplit('\n').next().unwrap().len()).unwrap();
        let at = json!({ "line": line, "character": column });
        let params =
            json!({ "textDocument": document(MAIN), "position": at, "ch": character, "options": {} });
        let id = client.ask("textDocument/onTypeFormatting", params);
        applied(text, client.hear().result(id))
    };
    // Nothing comes behind it, although the file would end with a line break.
    assert_eq!(typed("param a int\n@maxLength( 24)", ")"), "param a int\n@maxLength(24)");
    assert_eq!(typed("var a = { b:1 }", "}"), "var a = { b: 1 }");
    // In strings and comments it is only text.
    assert_eq!(typed("@description( 'about (this)", ")"), "@description( 'about (this)");
    assert_eq!(typed("var a =  1 // (b)", ")"), "var a =  1 // (b)");
}
