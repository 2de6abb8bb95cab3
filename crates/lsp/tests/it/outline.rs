//! What a document looks like: its outline, its colours, its folds, and what stands between its words.

use serde_json::json;

use crate::client::{Client, MAIN, document, range};

#[test]
fn an_outline_has_nested_resources_inside_of_others() {
    let text =
        "resource a 'x.y/z@2020-01-01' = {\n  name: 'a'\n  resource b 'w' = {\n    name: 'b'\n  }\n}\n";
    let mut client = Client::new();
    client.open(MAIN, text);
    let id = client.ask("textDocument/documentSymbol", json!({ "textDocument": document(MAIN) }));
    let heard = client.hear();
    let outer = &heard.result(id)[0];
    assert_eq!(outer["name"], json!("a"));
    assert_eq!(outer["kind"], json!(19));
    assert_eq!(outer["range"], range(0, 0, 5, 1));
    assert_eq!(outer["selectionRange"], range(0, 9, 0, 10));
    assert_eq!(outer["children"][0]["name"], json!("b"));
    assert_eq!(outer["children"][0]["detail"], json!("x.y/z/w@2020-01-01"));
}

#[test]
fn declarations_of_all_files_are_found_by_name() {
    let mut client = Client::new().file("/project/a/b.bicep", "param storageName string\n");
    client.open(MAIN, "var other = 1\n");
    let id = client.ask("workspace/symbol", json!({ "query": "stname" }));
    let heard = client.hear();
    let found = heard.result(id).as_array().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["location"]["uri"], json!("file:///project/a/b.bicep"));
    assert_eq!(found[0]["location"]["range"], range(0, 6, 0, 17));
}

#[test]
fn tokens_are_relative_to_each_other() {
    let mut client = Client::new();
    client.open(MAIN, "var a = 1\nvar b = '😀' // x\n");
    let id = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": document(MAIN) }));
    let part = json!({ "textDocument": document(MAIN), "range": range(0, 0, 0, 5) });
    let part = client.ask("textDocument/semanticTokens/range", part);
    let legend = client.ask("initialize", json!({ "capabilities": {} }));
    let heard = client.hear();
    let data: Vec<u64> =
        heard.result(id)["data"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
    let places: Vec<&[u64]> = data.chunks(5).map(|token| &token[..3]).collect();
    let expected: [[u64; 3]; 7] =
        [[0, 0, 3], [0, 4, 1], [0, 4, 1], [1, 0, 3], [0, 4, 1], [0, 4, 4], [0, 5, 4]];
    assert_eq!(places, expected);
    assert_eq!(heard.result(part)["data"].as_array().unwrap().len(), 10);
    // A second greeting is refused; the first one announced the kinds.
    assert!(heard.error(legend) < 0);
}

#[test]
fn blocks_fold_and_their_last_line_stays() {
    let mut client = Client::new();
    client.open(MAIN, "var a = {\n  b: 1\n}\n// one\n// two\n");
    let id = client.ask("textDocument/foldingRange", json!({ "textDocument": document(MAIN) }));
    let found = json!([
        { "startLine": 0, "endLine": 1 },
        { "startLine": 3, "endLine": 4, "kind": "comment" },
    ]);
    assert_eq!(client.hear().result(id), &found);
}

#[test]
fn selections_grow_from_the_inside_out() {
    let mut client = Client::new();
    client.open(MAIN, "var a = 'bc'\n");
    let places = json!([{ "line": 0, "character": 10 }]);
    let params = json!({ "textDocument": document(MAIN), "positions": places });
    let id = client.ask("textDocument/selectionRange", params);
    let heard = client.hear();
    let inner = &heard.result(id)[0];
    assert_eq!(inner["range"], range(0, 9, 0, 11));
    assert_eq!(inner["parent"]["range"], range(0, 8, 0, 12));
    assert_eq!(inner["parent"]["parent"]["range"], range(0, 0, 0, 12));
}

#[test]
fn links_hints_and_lenses_have_places() {
    let module = "resource a 'x.y/z@2020-01-01' = {\n  name: 'a'\n}\n";
    let mut client = Client::new().file("/project/lib.bicep", module);
    client.open(MAIN, "module m 'lib.bicep' = {}\nparam p int\nvar x = p + 1\n");
    let links = client.ask("textDocument/documentLink", json!({ "textDocument": document(MAIN) }));
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": document(MAIN) }));
    let whole = json!({ "textDocument": document(MAIN), "range": range(0, 0, 9, 0) });
    let hints = client.ask("textDocument/inlayHint", whole);
    let heard = client.hear();
    let link = json!({ "range": range(0, 10, 0, 19), "target": "file:///project/lib.bicep" });
    assert_eq!(heard.result(links), &json!([link]));
    assert_eq!(heard.result(lenses)[0]["command"]["title"], json!("plan: 1 resource"));
    assert_eq!(heard.result(hints)[0]["label"], json!(": int"));
    assert_eq!(heard.result(hints)[0]["position"], json!({ "line": 2, "character": 5 }));
}

#[test]
fn tokens_that_were_told_before_are_told_as_changes() {
    let mut client = Client::new();
    client.open(MAIN, "var a = 1\nvar b = 2\n");
    let first = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": document(MAIN) }));
    let known = client.hear().result(first)["resultId"].clone();
    client.edit(MAIN, 2, [1, 8, 1, 9], "'x'");
    let since =
        |known: &serde_json::Value| json!({ "textDocument": document(MAIN), "previousResultId": known });
    let second = client.ask("textDocument/semanticTokens/full/delta", since(&known));
    let unknown = client.ask("textDocument/semanticTokens/full/delta", since(&json!("never")));
    let heard = client.hear();
    let edits = heard.result(second)["edits"].as_array().unwrap();
    assert_eq!(edits.len(), 1, "{edits:?}");
    assert_eq!((&edits[0]["start"], &edits[0]["deleteCount"]), (&json!(27), &json!(2)));
    assert_eq!(edits[0]["data"].as_array().unwrap().len(), 2);
    assert_eq!(heard.result(unknown)["data"].as_array().unwrap().len(), 30);
}
