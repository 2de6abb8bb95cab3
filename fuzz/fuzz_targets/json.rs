//! Any bytes are read as JSON or refused with a place; what is read prints as JSON that reads back the same.

#![no_main]

use document::{Document, FileId, JsonOptions, ReadLimits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = ReadLimits { depth: 64, ..ReadLimits::default() };
    for options in [JsonOptions::STRICT, JsonOptions::RELAXED] {
        match Document::from_json_with(bytes, FileId::FIRST, &limits, options) {
            Ok(document) => {
                let printed = document.root().to_json_string();
                let again = Document::from_json(printed.as_str(), FileId::FIRST, &limits)
                    .expect("what was printed can be read");
                assert_eq!(again.root().to_json_string(), printed);
            }
            Err(error) => {
                assert!(error.place.start <= error.place.end, "a place that ends before it begins");
                assert!(error.place.end as usize <= bytes.len(), "a place outside the text");
                assert!(!error.to_string().is_empty());
            }
        }
    }
});
