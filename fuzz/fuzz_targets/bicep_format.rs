//! Formatting keeps every token and comment of a program, and formatting the result changes nothing.
//!
//! The input is tried as a text, and its bytes also choose a program, the line breaks and comments in it, and the form.

#![no_main]

use bicep_programs::{Choices, check_format, format_options, program, shake};
use libfuzzer_sys::fuzz_target;
use syntax::SourceKind;
use syntax::format::FormatOptions;

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::from_bytes(bytes);
    let options = format_options(&mut choices);
    if let Ok(text) = std::str::from_utf8(bytes) {
        for kind in [SourceKind::Bicep, SourceKind::Params] {
            for options in [&FormatOptions::default(), &options] {
                check(text, kind, options);
            }
        }
    }
    for (name, text) in program(&mut choices).files {
        if name.ends_with(".bicep") {
            check(&shake(&text, SourceKind::Bicep, &mut choices), SourceKind::Bicep, &options);
        }
    }
});

fn check(text: &str, kind: SourceKind, options: &FormatOptions) {
    if let Err(broken) = check_format(text, kind, options) {
        panic!("{options:?}: {broken}");
    }
}
