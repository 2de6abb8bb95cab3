//! Any JSON compiles as a contract or is refused with reasons; a contract that compiles is written and read back
//! with the same meaning.

#![no_main]

use contract::{Contract, Plain};
use document::{Document, FileId, ReadLimits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::from_json(bytes, FileId::FIRST, &ReadLimits::default()) else { return };
    match Contract::from_json(document.root(), &Plain) {
        Ok(contract) => {
            let written = contract.to_json();
            let read = Document::from_json(written.as_str(), FileId::FIRST, &ReadLimits::default())
                .expect("a contract is JSON");
            let again = Contract::from_json(read.root(), &Plain).expect("a written contract is a contract");
            assert_eq!(again.to_json(), written, "writing twice says two things");
            // The document itself is as good a value as any.
            assert_eq!(contract.is_valid(document.root()), again.is_valid(document.root()));
            let _ = contract.to_text();
        }
        Err(flaws) => assert!(!flaws.is_empty(), "refused without a reason"),
    }
});
