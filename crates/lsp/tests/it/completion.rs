//! Completion: the list for a place, and more about one of its items.

use serde_json::{Value, json};

use crate::client::{Client, MAIN, document, range};

/// A client that can fill in snippets.
fn with_snippets() -> Client {
    let mut client = Client::silent();
    let item = json!({ "completionItem": { "snippetSupport": true } });
    let capabilities = json!({ "textDocument": { "completion": item } });
    client.ask("initialize", json!({ "capabilities": capabilities, "rootUri": "file:///work" }));
    client.tell("initialized", json!({}));
    client
}

/// Asks for the list at a place of a document.
fn list(client: &mut Client, line: u32, character: u32) -> Vec<Value> {
    let at = json!({ "line": line, "character": character });
    let id = client.ask("textDocument/completion", json!({ "textDocument": document(MAIN), "position": at }));
    let heard = client.hear();
    let list = heard.result(id);
    assert_eq!(list["isIncomplete"], json!(false));
    list["items"].as_array().cloned().unwrap_or_default()
}

fn item_of<'i>(items: &'i [Value], label: &str) -> &'i Value {
    items.iter().find(|item| item["label"] == label).expect("the item is offered")
}

#[test]
fn an_item_says_what_it_writes_and_where() {
    let mut client = with_snippets();
    client.open(MAIN, "param ä string\nvar b = toL\n");
    let items = list(&mut client, 1, 11);
    let function = item_of(&items, "toLower");
    assert_eq!(function["kind"], json!(3));
    assert_eq!(function["insertTextFormat"], json!(2));
    assert_eq!(function["textEdit"], json!({ "range": range(1, 8, 1, 11), "newText": "toLower($0)" }));
    assert_eq!(function["command"]["command"], json!("editor.action.triggerParameterHints"));
    assert_eq!(function["sortText"], json!("3_toLower"));
}

#[test]
fn a_name_that_is_changed_keeps_what_follows_it() {
    let mut client = with_snippets();
    client.open(MAIN, "var b = toL('A')\nvar c = s.toLower('A')\n");
    let items = list(&mut client, 0, 11);
    let function = item_of(&items, "toLower");
    assert_eq!(function["textEdit"], json!({ "range": range(0, 8, 0, 11), "newText": "toLower" }));
    assert_eq!(function["insertTextFormat"], json!(1));
    let items = list(&mut client, 1, 9);
    let namespace = &item_of(&items, "sys")["textEdit"];
    assert_eq!(namespace, &json!({ "range": range(1, 8, 1, 9), "newText": "sys" }));
}

#[test]
fn an_editor_that_cannot_fill_in_snippets_gets_none() {
    let mut client = Client::new();
    client.open(MAIN, "var b = toL\n");
    let items = list(&mut client, 0, 11);
    assert!(items.iter().all(|item| item["insertTextFormat"] == json!(1)));
    assert_eq!(item_of(&items, "toLower")["textEdit"]["newText"], json!("toLower()"));
    let condition = &item_of(&items, "if-else")["textEdit"]["newText"];
    assert_eq!(condition, &json!("condition ? TrueValue : FalseValue"));
}

#[test]
fn an_item_can_change_another_place() {
    let mut client = Client::new();
    client.open(MAIN, "param p \n");
    let items = list(&mut client, 0, 8);
    let secret = item_of(&items, "securestring");
    let decorator = json!([{ "range": range(0, 0, 0, 0), "newText": "@secure()\n" }]);
    assert_eq!(secret["additionalTextEdits"], decorator);
    assert_eq!(secret["textEdit"]["newText"], json!("string"));
}

#[test]
fn a_module_of_the_cache_is_described_when_it_is_looked_at() {
    let file = "/cache/br/mcr.microsoft.com/bicep$avm$site/1.0.0$/main.json";
    let template = r#"{ "metadata": { "description": "A web site." } }"#;
    let mut client = with_snippets().file(file, template);
    client.open(MAIN, "module site 'br/public:'\n");
    let items = list(&mut client, 0, 23);
    let module = item_of(&items, "avm/site");
    assert_eq!(module["textEdit"]["newText"], json!("'br/public:avm/site:$0'"));
    let id = client.ask("completionItem/resolve", module.clone());
    let heard = client.hear();
    assert_eq!(heard.result(id)["documentation"]["value"], json!("A web site."));
    assert_eq!(heard.result(id)["label"], json!("avm/site"));
}

#[test]
fn an_item_without_more_to_say_comes_back_as_it_is() {
    let mut client = Client::new();
    client.open(MAIN, "\n");
    let sent = json!({ "label": "x", "data": { "file": "/none/main.json" } });
    let id = client.ask("completionItem/resolve", sent.clone());
    let other = client.ask("completionItem/resolve", json!([1]));
    let heard = client.hear();
    assert_eq!(heard.result(id), &sent);
    assert_eq!(heard.error(other), -32602);
}

#[test]
fn what_items_share_is_said_once_if_the_client_can_take_it() {
    let list =
        json!({ "itemDefaults": ["commitCharacters", "editRange", "insertTextFormat", "insertTextMode"] });
    let item = json!({ "snippetSupport": true });
    let completion = json!({ "completionList": list, "completionItem": item });
    let mut client = Client::able(json!({ "textDocument": { "completion": completion } }));
    client.open(MAIN, "var b = toL\n");
    let at = json!({ "line": 0, "character": 11 });
    let id = client.ask("textDocument/completion", json!({ "textDocument": document(MAIN), "position": at }));
    let heard = client.hear();
    let list = heard.result(id);
    assert_eq!(list["itemDefaults"]["editRange"], range(0, 8, 0, 11));
    assert_eq!(list["itemDefaults"]["insertTextFormat"], json!(2));
    let items = list["items"].as_array().unwrap();
    let function = item_of(items, "toLower");
    assert_eq!(function["textEditText"], json!("toLower($0)"));
    assert_eq!((function.get("textEdit"), function.get("insertTextFormat")), (None, None));
    // Another format than most have is said.
    assert_eq!(item_of(items, "sys")["insertTextFormat"], json!(1));
}
