//! Any bytes of a client are answered: what comes back are messages, and every request has one answer.
//!
//! An input is a script: a line that is a JSON object is sent as a message, and another line is sent as it is, so that
//! headers can be broken.

#![no_main]

use std::collections::BTreeMap;
use std::sync::Arc;

use bicep::{CompilerOptions, Generator, MemoryWorld};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// How a conversation begins.
const BEGIN: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}"#;

fuzz_target!(|script: &[u8]| {
    let mut said = Vec::new();
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    let mut is_broken = false;
    for line in std::iter::once(BEGIN.as_bytes()).chain(script.split(|byte| *byte == b'\n')) {
        match serde_json::from_slice::<Value>(line) {
            Ok(message) if message.is_object() => {
                said.extend_from_slice(format!("Content-Length: {}\r\n\r\n", line.len()).as_bytes());
                said.extend_from_slice(line);
                if message["method"].is_string() && (message["id"].is_i64() || message["id"].is_string()) {
                    *asked.entry(message["id"].to_string()).or_default() += 1;
                }
                // What is neither a request nor an answer may be answered as a mistake, with the id that it has.
                if message["method"] == "exit" || !message["method"].is_string() {
                    is_broken = true;
                }
            }
            // What follows may be read as a part of this.
            _ => {
                said.extend_from_slice(line);
                is_broken |= !line.is_empty();
            }
        }
    }
    let world = MemoryWorld::default()
        .with_file("/here/main.bicep", "param name string\nmodule m 'm.bicep' = { name: name }\n")
        .with_file("/here/m.bicep", "output o int = 1\n");
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let machine = lsp::Machine {
        world: Arc::new(world),
        options: CompilerOptions::new(generator),
        today: || None,
        mirrors: Vec::new(),
        checks: &[],
        version: "dev".to_owned(),
        tools: None,
        restoring: lsp::Restoring::Never,
    };
    let heard = lsp::talk(&said, machine);
    let mut rest = heard.as_slice();
    while !rest.is_empty() {
        let end = rest.windows(4).position(|part| part == b"\r\n\r\n").expect("a header");
        let header = std::str::from_utf8(&rest[..end]).expect("a header is text");
        let length = header.strip_prefix("Content-Length: ").and_then(|it| it.parse::<usize>().ok());
        let (body, after) = rest[end + 4..].split_at(length.expect("a length"));
        let message: Value = serde_json::from_slice(body).expect("a message is JSON");
        assert_ne!(message["error"]["code"], -32603, "a mistake of the server: {message}");
        if message.get("method").is_none() && !message["id"].is_null() {
            if let Some(count) = asked.get_mut(&message["id"].to_string()) {
                *count = match count.checked_sub(1) {
                    Some(left) => left,
                    None => {
                        assert!(is_broken, "one answer to each request");
                        0
                    }
                };
            } else {
                assert!(is_broken, "an answer to nothing: {message}");
            }
        }
        assert!(!message.to_string().contains("\"Fatal\""), "the compiler failed: {message}");
        rest = after;
    }
    assert!(is_broken || asked.values().all(|count| *count == 0), "a request without an answer");
});
