//! Formatting keeps every token and comment of a program, whatever its lines look like, and happens once.

use bicep_programs::{Choices, check_format, format_options, program, shake};
use syntax::SourceKind;

/// Every construct of the language, with its parts on one line and on several.
const EVERYTHING: &str = include_str!("everything.bicep");
const EVERYTHING_PARAMS: &str = include_str!("everything.bicepparam");

#[track_caller]
fn check(text: &str, kind: SourceKind, seed: u64) {
    let mut choices = Choices::from_seed(seed);
    let shaken = shake(text, kind, &mut choices);
    let options = format_options(&mut choices);
    let broken = check_format(&shaken, kind, &options).err().unwrap_or_default();
    assert!(broken.is_empty(), "seed {seed}, {options:?}: {broken}");
}

#[test]
fn every_construct_keeps_its_tokens_and_comments() {
    for (text, kind) in [(EVERYTHING, SourceKind::Bicep), (EVERYTHING_PARAMS, SourceKind::Params)] {
        let tree = syntax::parse(text, kind);
        assert_eq!(tree.diagnostics(), [], "the program has errors");
        // One declaration at a time, so that a mistake in one leaves the others.
        for node in tree.root().child_nodes() {
            for seed in 0..200 {
                check(node.text(), kind, seed);
            }
        }
    }
}

#[test]
fn generated_programs_keep_their_tokens_and_comments() {
    for seed in 0..400 {
        for (name, text) in program(&mut Choices::from_seed(seed)).files {
            if name.ends_with(".bicep") {
                check(&text, SourceKind::Bicep, seed);
            }
        }
    }
}
