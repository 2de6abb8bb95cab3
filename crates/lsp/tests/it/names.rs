//! Declarations, uses, renames and what is said about names: in the words of the protocol, and across files.

use serde_json::{Value, json};

use crate::client::{Client, MAIN, applied, document, range};

const LIB: &str = "file:///project/lib/lib.bicep";
const LIB_TEXT: &str = "@description('How large.')\nparam size int\noutput twice int = size * 2\n";
const TEXT: &str = "module m 'lib/lib.bicep' = {\n  params: { size: 1 }\n}\noutput o int = m.outputs.twice\n";

fn at(line: u32, character: u32) -> Value {
    json!({ "textDocument": document(MAIN), "position": { "line": line, "character": character } })
}

/// A client with a program and a module that is not open.
fn client() -> Client {
    let mut client = Client::new().file("/project/lib/lib.bicep", LIB_TEXT).file("/project/main.bicep", TEXT);
    client.open(MAIN, TEXT);
    client
}

#[test]
fn a_definition_can_be_in_a_file_that_is_not_open() {
    let mut client = client();
    let id = client.ask("textDocument/definition", at(3, 25));
    assert_eq!(client.hear().result(id), &json!({ "uri": LIB, "range": range(2, 7, 2, 12) }));
}

#[test]
fn what_is_not_a_name_has_no_definition() {
    let mut client = client();
    let id = client.ask("textDocument/definition", at(0, 1));
    assert_eq!(client.hear().result(id), &Value::Null);
}

#[test]
fn references_are_found_in_all_files_of_the_folder() {
    let mut client = client();
    let mut params = at(1, 13);
    params["context"] = json!({ "includeDeclaration": false });
    let id = client.ask("textDocument/references", params);
    let found = json!([
        { "uri": LIB, "range": range(2, 19, 2, 23) },
        { "uri": MAIN, "range": range(1, 12, 1, 16) },
    ]);
    assert_eq!(client.hear().result(id), &found);
}

#[test]
fn a_rename_changes_all_files() {
    let mut client = client();
    let prepared = client.ask("textDocument/prepareRename", at(1, 13));
    let mut params = at(1, 13);
    params["newName"] = json!("count");
    let renamed = client.ask("textDocument/rename", params);
    let heard = client.hear();
    assert_eq!(heard.result(prepared), &json!({ "range": range(1, 12, 1, 16), "placeholder": "size" }));
    let changes = &heard.result(renamed)["changes"];
    assert_eq!(applied(TEXT, &changes[MAIN]), TEXT.replace("size", "count"));
    assert_eq!(applied(LIB_TEXT, &changes[LIB]), LIB_TEXT.replace("size", "count"));
}

#[test]
fn a_rename_that_is_not_possible_says_why() {
    let mut client = client();
    let mut params = at(1, 13);
    params["newName"] = json!("not a name");
    let id = client.ask("textDocument/rename", params);
    let keyword = client.ask("textDocument/prepareRename", at(0, 1));
    let heard = client.hear();
    assert_eq!(heard.error(id), -32803);
    assert_eq!(heard.error(keyword), -32803);
    assert!(heard.answer(id)["error"]["message"].as_str().unwrap().contains("`not a name`"));
}

#[test]
fn uses_in_a_document_are_read_or_written() {
    let mut client = client();
    let id = client.ask("textDocument/documentHighlight", at(0, 7));
    let found = json!([
        { "range": range(0, 7, 0, 8), "kind": 3 },
        { "range": range(3, 15, 3, 16), "kind": 2 },
    ]);
    assert_eq!(client.hear().result(id), &found);
}

#[test]
fn a_hover_is_markdown() {
    let mut client = client();
    let id = client.ask("textDocument/hover", at(1, 13));
    let contents = json!({ "kind": "markdown", "value": "```bicep\nsize: int\n```  \nHow large.  \n" });
    assert_eq!(client.hear().result(id), &json!({ "contents": contents, "range": range(1, 12, 1, 16) }));
}

#[test]
fn a_signature_names_its_parameters_by_place() {
    let mut client = Client::new();
    client.open(MAIN, "func f(a string, b int) string => ''\nvar x = f('', )\n");
    let id = client.ask("textDocument/signatureHelp", at(1, 13));
    let heard = client.hear();
    let help = heard.result(id);
    assert_eq!(help["activeParameter"], json!(1));
    let shown = &help["signatures"][0];
    let label = shown["label"].as_str().unwrap();
    let place = shown["parameters"][1]["label"].as_array().unwrap();
    let [start, end] = [0, 1].map(|side| usize::try_from(place[side].as_u64().unwrap()).unwrap());
    let letters: Vec<char> = label.chars().collect();
    assert_eq!(letters[start..end].iter().collect::<String>(), "b: int");
}

#[test]
fn modules_have_a_hierarchy() {
    let mut client = client();
    let prepared = client.ask("textDocument/prepareCallHierarchy", at(0, 7));
    let item = json!({ "item": { "name": "lib.bicep", "uri": LIB } });
    let incoming = client.ask("callHierarchy/incomingCalls", item);
    let item = json!({ "item": { "name": "main.bicep", "uri": MAIN } });
    let outgoing = client.ask("callHierarchy/outgoingCalls", item);
    let heard = client.hear();
    assert_eq!(heard.result(prepared)[0]["uri"], json!(LIB));
    assert_eq!(heard.result(incoming)[0]["from"]["uri"], json!(MAIN));
    assert_eq!(heard.result(outgoing)[0]["to"]["uri"], json!(LIB));
    assert_eq!(heard.result(outgoing)[0]["fromRanges"], json!([range(0, 9, 0, 24)]));
}

#[test]
fn a_definition_comes_with_its_declaration_for_editors_that_show_it() {
    let able = json!({ "textDocument": { "definition": { "linkSupport": true } } });
    let mut client = Client::able(able).file("/project/lib/lib.bicep", LIB_TEXT);
    client.open(MAIN, TEXT);
    let id = client.ask("textDocument/definition", at(1, 13));
    let expected = json!([{
        "originSelectionRange": range(1, 12, 1, 16),
        "targetUri": LIB,
        "targetRange": range(0, 0, 1, 14),
        "targetSelectionRange": range(1, 6, 1, 10),
    }]);
    assert_eq!(client.hear().result(id), &expected);
}

#[test]
fn a_file_that_is_not_open_is_asked_about_as_well() {
    let mut client = client();
    let lib = json!({ "textDocument": document(LIB), "position": { "line": 1, "character": 7 } });
    let hover = client.ask("textDocument/hover", lib.clone());
    let symbols = client.ask("textDocument/documentSymbol", lib);
    let gone = "file:///project/gone.bicep";
    let missing = client.ask("textDocument/documentSymbol", json!({ "textDocument": document(gone) }));
    let heard = client.hear();
    assert_eq!(heard.result(hover)["range"], range(1, 6, 1, 10));
    assert_eq!(heard.result(symbols)[0]["name"], json!("size"));
    assert_eq!(heard.error(missing), -32602);
}

#[test]
fn a_document_of_another_language_has_no_answers_and_no_errors() {
    let mut client = Client::new();
    let schema = "file:///project/a.thrift";
    let opened = json!({ "uri": schema, "languageId": "thrift", "version": 1, "text": "struct A {}\n" });
    client.tell("textDocument/didOpen", json!({ "textDocument": opened }));
    let place = json!({ "textDocument": document(schema), "position": { "line": 0, "character": 8 } });
    let asked = ["hover", "completion", "definition", "documentSymbol", "codeLens", "semanticTokens/full"]
        .map(|name| client.ask(&format!("textDocument/{name}"), place.clone()));
    let heard = client.hear();
    assert!(asked.iter().all(|id| heard.result(*id).is_null()));
}
