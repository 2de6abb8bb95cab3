//! Every renderer takes any text, any span and any words, and nothing of them acts on the terminal.

use diagnostics::sarif::Tool;
use diagnostics::terminal::Style;
use diagnostics::{Diagnostic, FileId, Fix, Severity, SourceMap, Span, json, sarif, short, terminal};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab\t\r\n\u{0}\u{1b}\u{e9}\u{301}\u{202e}\u{8a9e}\u{1f600}]{0,80}",
        any::<String>(),
        ("[a\u{8a9e}\u{1b}]{1,9}", 0..400usize).prop_map(|(part, times)| part.repeat(times)),
    ]
}

/// A span that may be backwards, cut characters, lie outside the text or in no file at all.
fn span() -> impl Strategy<Value = Span> {
    (0..3u32, 0..120u32, prop_oneof![Just(0), 0..120u32, Just(u32::MAX)])
        .prop_map(|(file, start, end)| Span { file: FileId(file), start, end })
}

fn diagnostic() -> impl Strategy<Value = Diagnostic> {
    let severity = prop_oneof![Just(Severity::Error), Just(Severity::Warning), Just(Severity::Info)];
    let words = "[a{}0\n\u{1b}`]{0,12}";
    let fix = (words, prop::collection::vec((span(), words), 0..3));
    (
        (severity, words, words, prop::option::of(span())),
        prop::collection::vec((span(), words), 0..5),
        prop::collection::vec(words, 0..2),
        prop::collection::vec(fix, 0..2),
        prop::option::of(prop_oneof![words.prop_map(String::from), "https://[a %\u{e9}#]{0,9}"]),
    )
        .prop_map(|((severity, code, message, primary), labels, help, fixes, docs)| {
            let mut found = Diagnostic::new(severity, code, message);
            found.primary = primary;
            found = labels.into_iter().fold(found, |found, (span, words)| found.label(span, words));
            found = help.into_iter().fold(found, Diagnostic::help);
            for (title, edits) in fixes {
                let fix =
                    edits.into_iter().fold(Fix::new(title), |fix, (span, text)| fix.replace(span, text));
                found = found.fix(fix);
            }
            found.docs = docs.map(Into::into);
            found
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_nothing_reaches_the_terminal(a in text(), b in text(), found in diagnostic()) {
        let mut sources = SourceMap::new();
        sources.add("a\u{1b}[2J.bicep", a);
        sources.add("dir/b.bicep", b);

        let mut plain = String::new();
        terminal::write(&mut plain, &sources, &found, Style::Plain).unwrap();
        short::write(&mut plain, &sources, &found).unwrap();
        let harmful = plain.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        prop_assert_eq!(harmful, None);
        prop_assert!(plain.len() < 40_000, "{} bytes", plain.len());

        let mut colour = String::new();
        terminal::write(&mut colour, &sources, &found, Style::Colour).unwrap();

        let mut line = String::new();
        json::write(&mut line, &sources, &found).unwrap();
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok());

        let tool = Tool { name: "t", version: "1", information_uri: None, summary: &|_| None };
        let mut log = String::new();
        sarif::write(&mut log, &sources, &[found], &tool).unwrap();
        prop_assert_eq!(crate::sarif_schema::validate(&serde_json::from_str(&log).unwrap()), Vec::<String>::new());
    }
}

#[test]
fn a_line_of_many_megabytes_is_never_printed_whole() {
    let mut sources = SourceMap::new();
    let file = sources.add("big.json", format!("\u{e9}{}", "[1,2],".repeat(3_000_000)));
    let found = Diagnostic::error("E", "m")
        .at(Span::new(file, 9_000_000, 9_000_003))
        .label(Span::new(file, 0, u32::MAX), "all of it")
        .fix(Fix::new("delete it").replace(Span::new(file, 0, 18_000_002), ""));
    let mut out = String::new();
    terminal::write(&mut out, &sources, &found, Style::Plain).unwrap();
    assert!(out.len() < 2_000, "{}", out.len());
    assert!(out.contains("big.json:1:9000000"), "{out}");
}
