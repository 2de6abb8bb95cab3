//! Any text parses to a tree that prints back to it, and findings lie inside the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::{SourceKind, parse};

fuzz_target!(|text: &str| {
    for kind in [SourceKind::Bicep, SourceKind::Params] {
        let tree = parse(text, kind);
        assert_eq!(tree.print(), text, "the tree does not print back");
        for finding in tree.diagnostics() {
            assert!(finding.span.end as usize <= text.len(), "a finding outside the text");
            assert!(!finding.message(text).is_empty());
        }
    }
});
