//! Any bytes are read as a stream of YAML documents or refused with a place, in bounded memory. Formatting
//! keeps the documents.

#![no_main]

use document::{Document, FileId, ReadLimits, format_yaml};
use libfuzzer_sys::fuzz_target;
use spacing::Style;

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
    let Ok(text) = str::from_utf8(bytes) else { return };
    let format = |text: &str| format_yaml(text, FileId::FIRST, &limits, &Style::DEFAULT);
    if let Ok(once) = format(text) {
        assert_eq!(format(&once).as_ref(), Ok(&once), "formatting twice");
        let values = |text: &str| {
            let read = Document::from_yaml_stream(text, FileId::FIRST, &limits).ok()?;
            Some(read.iter().map(|it| it.root().to_json_string()).collect::<Vec<_>>())
        };
        assert_eq!(values(&once), values(text));
    }
});
