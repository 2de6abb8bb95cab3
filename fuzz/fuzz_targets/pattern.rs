//! A dialect, a pattern and a text: compiled or refused with a place, and matched in time that the size limit bounds.

#![no_main]

use contract::pattern::{Pattern, PatternSyntax, differs_between};
use libfuzzer_sys::fuzz_target;

const DIALECTS: [PatternSyntax; 3] = [PatternSyntax::Re2, PatternSyntax::Ecma, PatternSyntax::Bre];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let dialect = DIALECTS[usize::from(*first) % DIALECTS.len()];
    let (source, text) = match rest.iter().position(|byte| *byte == 0) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &b"some text"[..]),
    };
    let Ok(source) = std::str::from_utf8(source) else { return };
    match Pattern::new(dialect, source) {
        Ok(pattern) => {
            let found = pattern.is_match(text);
            assert_eq!(
                found,
                pattern.clone().is_match(text),
                "a match that depends on what was matched before"
            );
        }
        Err(error) => {
            assert!(error.offset <= source.len(), "a place outside the pattern");
            assert!(!error.message.is_empty());
        }
    }
    let _ = differs_between(PatternSyntax::Re2, PatternSyntax::Bre, source);
});
