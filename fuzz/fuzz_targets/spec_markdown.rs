//! Any text is read as a specification document or refused with a reason; one that is read can be updated with any
//! output and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use spec_test::{CaseOutput, Document, rewrite};

fuzz_target!(|text: &str| {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            return;
        }
    };
    for case in document.cases.iter().take(4) {
        let expected = case.expectations.iter().fold(CaseOutput::new(), |o, e| o.output(&e.name, &e.text));
        assert_eq!(rewrite(text, &case.name, &expected).as_deref(), Ok(text), "an update without need");

        // The document itself is the most awkward output at hand: it is full of fences.
        let outcome = case.expectations.iter().fold(CaseOutput::new(), |o, e| o.output(&e.name, text));
        let updated = rewrite(text, &case.name, &outcome).expect("a document that was read can be updated");
        let again = Document::parse(&updated).expect("an updated document can be read");
        assert_eq!(again.cases.len(), document.cases.len(), "an update made or lost a case");
        let same = again.cases.iter().find(|other| other.name == case.name).expect("the case is still there");
        for expectation in &same.expectations {
            assert_eq!(expectation.text.trim_end_matches('\n'), text.trim_end_matches('\n'));
        }
    }
    for file in document.cases.iter().flat_map(|case| &case.files).take(16) {
        assert_eq!(file.text_without_assertions().len(), file.text.len(), "blanking moved the text");
    }
});
