//! What is said about documents, and when.

use serde_json::json;

use crate::client::{Client, MAIN};

#[test]
fn a_document_that_is_opened_has_diagnostics_with_all_their_fields() {
    let mut client = Client::new();
    client.open(MAIN, "var a = 1\n");
    let heard = client.hear();
    let published = heard.published(MAIN);
    assert_eq!(published.len(), 1);
    assert_eq!(published[0]["version"], json!(1));
    let found = &published[0]["diagnostics"][0];
    assert_eq!(found["severity"], json!(2));
    assert_eq!(found["source"], json!("bicep core linter"));
    assert_eq!(found["tags"], json!([1]));
    assert!(found["codeDescription"]["href"].as_str().unwrap().ends_with("no-unused-vars"));
}

#[test]
fn an_edit_is_looked_at() {
    let mut client = Client::new();
    client.open(MAIN, "param a string\noutput b string = a\n");
    client.edit(MAIN, 2, [1, 18, 1, 19], "'😀${missing}'");
    let heard = client.hear();
    assert_eq!(heard.published(MAIN).len(), 2);
    assert_eq!(heard.codes(MAIN), ["0:6 no-unused-params", "1:23 BCP057"]);
    assert_eq!(heard.published(MAIN)[1]["version"], json!(2));
}

#[test]
fn a_module_that_is_not_saved_counts() {
    let module = "file:///project/module.bicep";
    let mut client = Client::new().file("/project/module.bicep", "param name string\n");
    client.open(MAIN, "module m 'module.bicep' = {\n  name: 'm'\n  params: { name: 'x' }\n}\n");
    client.open(module, "param other string\n");
    let heard = client.hear();
    assert_eq!(heard.codes(MAIN), ["2:2 BCP035", "2:12 BCP037"]);
    client.close(module);
    let heard = client.hear();
    assert_eq!(heard.codes(MAIN), Vec::<String>::new());
    assert_eq!(heard.codes(module), Vec::<String>::new());
}

#[test]
fn what_does_not_change_is_not_said_again() {
    let module = "file:///project/module.bicep";
    let mut client = Client::new();
    client.open(module, "param name string = 'x'\noutput o string = name\n");
    client.open(MAIN, "module m 'module.bicep' = {\n  name: 'm'\n}\n");
    client.edit(module, 2, [0, 21, 0, 22], "y");
    let heard = client.hear();
    assert_eq!((heard.published(MAIN).len(), heard.published(module).len()), (1, 2));
}

#[test]
fn the_other_side_of_a_diff_leaves_no_problems_behind() {
    let mut client = Client::new();
    let other = "git:/project/main.bicep?%7B%22ref%22%3A%22%22%7D";
    client.open(other, "var a = 1\n");
    assert!(client.hear().published(other).is_empty());
}

#[test]
fn a_document_without_a_file_is_one() {
    let mut client = Client::new();
    let document =
        json!({ "uri": "untitled:Untitled-1", "languageId": "bicep", "version": 1, "text": "var a = 1" });
    client.tell("textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(client.hear().codes("untitled:Untitled-1"), ["0:4 no-unused-vars"]);
}

#[test]
fn a_file_that_changes_on_the_disk_is_read_again_and_an_open_one_is_not() {
    let mut client = Client::new().file("/project/module.bicep", "param name string\n");
    client.open(MAIN, "module m 'module.bicep' = {\n  name: 'm'\n}\n");
    let event = |uri: &str| json!({ "changes": [{ "uri": uri, "type": 2 }] });
    client.tell("workspace/didChangeWatchedFiles", event("file:///project/module.bicep"));
    client.tell("workspace/didChangeWatchedFiles", event(MAIN));
    let heard = client.hear();
    assert_eq!(heard.codes(MAIN), ["0:7 BCP035"]);
    assert_eq!(heard.published(MAIN).len(), 1);
}

#[test]
fn a_configuration_is_checked_while_one_types_and_counts_when_it_is_saved() {
    let config = "file:///project/bicepconfig.json";
    let mut client = Client::new().file("/project/bicepconfig.json", "{}");
    client.open(MAIN, "var a = 1\n");
    let text = r#"{ "analyzers": { "core": { "enabled": 1 } } }"#;
    let document = json!({ "uri": config, "languageId": "jsonc", "version": 1, "text": text });
    client.tell("textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(client.hear().codes(config), ["0:0 BCP273"]);
    client.edit(config, 2, [0, 0, 0, 1], "");
    assert_eq!(client.hear().codes(config).len(), 1);
    assert_eq!(client.hear().codes(MAIN), ["0:4 no-unused-vars"]);
    client.close(config);
    assert!(client.hear().codes(config).is_empty());
}
