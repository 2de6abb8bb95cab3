//! Requests that nobody waits for any more, and edits that come faster than anybody can look at them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bicep::MemoryWorld;
use serde_json::{Value, json};

use crate::client::{MAIN, document};
use crate::live::{Door, Guarded, Live};

/// The errors for requests that were taken back, and for those that an edit overtook.
const CANCELLED: i64 = -32800;
const CONTENT_MODIFIED: i64 = -32801;

struct Machine {
    lists: Arc<Door>,
    reads: Arc<Door>,
    listed: Arc<AtomicUsize>,
    live: Live,
}

/// A server in whose folder there are two others.
fn start() -> Machine {
    let files = MemoryWorld::default()
        .with_file("/project/a/a.bicep", "var a = 1\n")
        .with_file("/project/b/b.bicep", "var b = 1\n")
        .with_file("/project/slow.txt", "words");
    let (lists, reads, listed) = (Arc::default(), Arc::default(), Arc::default());
    let world =
        Guarded { files, lists: Arc::clone(&lists), reads: Arc::clone(&reads), listed: Arc::clone(&listed) };
    Machine { lists, reads, listed, live: Live::start(Arc::new(world)) }
}

fn error(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_slow_request_holds_up_nobody() {
    let Machine { lists, mut live, .. } = start();
    live.open(MAIN, "var a = 1\n");
    let slow = live.ask("workspace/symbol", json!({ "query": "" }));
    lists.wait();
    // It stands still, and everything else goes on.
    let quick = live.ask("textDocument/documentSymbol", json!({ "textDocument": document(MAIN) }));
    assert!(live.answer(quick)["result"].is_array());
    live.diagnostics(MAIN, 1);
    live.change(MAIN, 2, "var b = a\n");
    assert_eq!(live.diagnostics(MAIN, 2).as_array().map(Vec::len), Some(2));
    // What it would say is about documents that are gone.
    assert_eq!(error(&live.answer(slow)), CONTENT_MODIFIED);
    lists.open();
    live.end();
}

#[test]
fn a_request_is_taken_back_while_it_is_worked_on() {
    let Machine { lists, listed, mut live, .. } = start();
    let slow = live.ask("workspace/symbol", json!({ "query": "" }));
    lists.wait();
    let waiting = live.ask("workspace/symbol", json!({ "query": "" }));
    for id in [waiting, slow, slow, 77] {
        live.tell("$/cancelRequest", json!({ "id": id }));
    }
    assert_eq!([slow, waiting].map(|id| error(&live.answer(id))), [CANCELLED; 2]);
    lists.open();
    // One thread does such work, so that both are done with when the next one is answered. Only it looked into all
    // three folders.
    let next = live.ask("workspace/symbol", json!({ "query": "" }));
    assert_eq!(live.answer(next)["result"].as_array().map(Vec::len), Some(2));
    assert_eq!(listed.load(Ordering::SeqCst), 1 + 3);
    live.end();
}

#[test]
fn a_request_that_is_answered_cannot_be_taken_back() {
    let Machine { lists, mut live, .. } = start();
    lists.open();
    let id = live.ask("workspace/symbol", json!({ "query": "" }));
    assert!(live.answer(id)["result"].is_array());
    live.tell("$/cancelRequest", json!({ "id": id }));
    live.end();
}

#[test]
fn ten_thousand_edits_are_looked_at_together() {
    const EDITS: i32 = 10_000;
    let Machine { lists, reads, mut live, .. } = start();
    lists.open();
    let text = |number: i32| format!("var a = loadTextContent('slow.txt')\nvar b{number} = a\n");
    live.open(MAIN, &text(1));
    // Somebody looks at the first version, and stands still.
    reads.wait();
    for version in 2..=EDITS {
        live.change(MAIN, version, &text(version));
    }
    // All of them were taken when this is answered, which needs the syntax alone.
    let last = live.ask("textDocument/foldingRange", json!({ "textDocument": document(MAIN) }));
    assert!(live.answer(last)["result"].is_array());
    reads.open();
    live.diagnostics(MAIN, EDITS);
    assert!(live.published.len() < 10, "{}", live.published.len());
    live.end();
}
