//! Any bytes are read as JSON or refused with a place; what is read prints as JSON that reads back the same, and is formatted
//! with the same values.

#![no_main]

use document::{Document, FileId, JsonOptions, ReadLimits, format_json};
use libfuzzer_sys::fuzz_target;
use spacing::Style;

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
    let Ok(text) = str::from_utf8(bytes) else { return };
    let format = |text: &str| format_json(text, FileId::FIRST, &limits, &Style::DEFAULT);
    if let Ok(once) = format(text) {
        assert_eq!(format(&once).as_ref(), Ok(&once), "formatting twice");
        let value = |text: &str| {
            let read = Document::from_json_with(text, FileId::FIRST, &limits, JsonOptions::TEMPLATE);
            read.expect("what is formatted can be read").root().to_json_string()
        };
        assert_eq!(value(&once), value(text));
    }
});
