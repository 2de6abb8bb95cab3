//! Any bytes are read as a stream of YAML documents or refused with a place, in bounded memory.

#![no_main]

use document::{Document, FileId, ReadLimits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits { depth: 64, alias_nodes: 10_000, ..ReadLimits::default() };
    match Document::from_yaml_stream(bytes, FileId::FIRST, &limits) {
        Ok(documents) => {
            for document in &documents {
                let _ = document.root().to_json_string();
                let place = document.root().place();
                assert!(place.end as usize <= bytes.len(), "a place outside the text");
            }
        }
        Err(error) => {
            assert!(error.place.end as usize <= bytes.len(), "a place outside the text");
            assert!(!error.to_string().is_empty());
        }
    }
});
