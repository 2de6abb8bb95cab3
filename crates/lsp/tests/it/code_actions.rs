//! What can be done about diagnostics.

use serde_json::{Value, json};

use crate::client::{Client, MAIN, applied, document, range};

fn actions(text: &str, line: u32, only: &[&str]) -> Vec<Value> {
    let mut client = Client::new();
    client.open(MAIN, text);
    let mut context = json!({ "diagnostics": [] });
    if !only.is_empty() {
        context["only"] = json!(only);
    }
    let at = range(line, 4, line, 4);
    let params = json!({ "textDocument": document(MAIN), "range": at, "context": context });
    let id = client.ask("textDocument/codeAction", params);
    client.hear().result(id).as_array().unwrap().clone()
}

#[track_caller]
fn check(text: &str, action: &Value, expect: &str) {
    assert_eq!(applied(text, &action["edit"]["changes"][MAIN]), expect);
}

#[test]
fn a_finding_has_its_fixes_and_can_be_switched_off() {
    let text = "var a = 1\nvar b = 2\n";
    let found = actions(text, 1, &["quickfix"]);
    let titles: Vec<_> = found.iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Remove the variable `b`", "Disable no-unused-vars for this line"]);
    assert_eq!(found[0]["isPreferred"], json!(true));
    assert_eq!(found[0]["diagnostics"][0]["code"], json!("no-unused-vars"));
    check(text, &found[0], "var a = 1\n");
    check(text, &found[1], "var a = 1\n#disable-next-line no-unused-vars\nvar b = 2\n");
}

#[test]
fn an_error_of_the_language_cannot_be_switched_off() {
    assert!(actions("var a = nothing\noutput o string = a\n", 0, &["quickfix"]).is_empty());
}

#[test]
fn all_fixes_are_made_at_once() {
    let text = "var a = 1\n\n// A gap.\nvar b = 2\n\noutput c string = '${'x'}'\n";
    let found = actions(text, 0, &["source.fixAll"]);
    assert_eq!(found.len(), 1);
    check(text, &found[0], "// A gap.\noutput c string = 'x'\n");
}

#[test]
fn a_fix_that_brings_out_another_one_is_followed_by_it() {
    // When `b` is gone, nobody uses `a`.
    let text = "var a = 1\nvar b = a\nvar c = b\noutput o int = 1\n";
    let found = actions(text, 0, &["source.fixAll"]);
    assert_eq!(found.len(), 1);
    check(text, &found[0], "output o int = 1\n");
    assert_eq!(found[0]["edit"]["changes"][MAIN].as_array().unwrap().len(), 1);
    // It costs too much for a menu that opens at every place.
    let kinds: Vec<_> = actions(text, 2, &[]).iter().map(|it| it["kind"].clone()).collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| kind == "quickfix"), "{kinds:?}");
}

#[test]
fn what_is_being_written_is_not_removed_with_all_other_mistakes() {
    let text = "var a = 1\nvar b = concat('x', 'y')\nvar c =\n";
    let found = actions(text, 0, &["source.fixAll"]);
    check(text, &found[0], "var a = 1\nvar b = 'xy'\nvar c =\n");
    let found = actions("var a = 1\nvar c =\n", 0, &["source.fixAll"]);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_finding_in_a_text_of_several_lines_is_not_switched_off_in_the_text() {
    let found = actions("output a string = $'''\n  ${concat('a', 'b')}\n'''\n", 1, &["quickfix"]);
    let titles: Vec<_> = found.iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert!(!titles.is_empty() && titles.iter().all(|title| !title.starts_with("Disable")), "{titles:?}");
}
