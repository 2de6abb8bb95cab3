//! What is hidden in a source map comes out of no renderer.

use diagnostics::terminal::Style;
use diagnostics::{Diagnostic, Fix, SourceMap, Span, json, sarif, short, terminal};

const SECRET: &str = "hunter2";

/// The output of every renderer, for a finding with marks on, before and around the secret.
fn render(sources: &SourceMap, span: Span) -> Vec<(&'static str, String)> {
    let whole = Span::new(span.file, 0, u32::MAX);
    let found = Diagnostic::error("E", "m")
        .at(whole)
        .label(Span::empty(span.file, span.start), "starts here")
        .label(span, "all of it")
        .help("change it")
        .fix(Fix::new("take it away").replace(span, ""))
        .fix(Fix::new("put something before it").replace(Span::empty(span.file, span.start), "x"));
    let tool = sarif::Tool { name: "t", version: "1", information_uri: None, summary: &|_| None };
    let mut outputs =
        ["terminal", "terminal with colour", "short", "json", "sarif"].map(|name| (name, String::new()));
    let [(_, plain), (_, colour), (_, one_line), (_, line), (_, log)] = &mut outputs;
    terminal::write(plain, sources, &found, Style::Plain).unwrap();
    terminal::write(colour, sources, &found, Style::Colour).unwrap();
    short::write(one_line, sources, &found).unwrap();
    json::write(line, sources, &found).unwrap();
    sarif::write(log, sources, &[found], &tool).unwrap();
    outputs.into()
}

#[test]
fn a_hidden_part_is_in_no_output() {
    let long = "x".repeat(1000);
    for text in
        [SECRET, &format!("a {SECRET} b"), &format!("a\n{SECRET}\nb"), &format!("{long}{SECRET}{long}")]
    {
        let start = u32::try_from(text.find(SECRET).unwrap()).unwrap();
        let mut sources = SourceMap::new();
        let file = sources.add("a.json", text);
        let span = Span::new(file, start, start + u32::try_from(SECRET.len()).unwrap());
        sources.hide([span]);
        for (name, output) in render(&sources, span) {
            assert!(!output.is_empty() && !output.contains("unter"), "{name}:\n{output}");
        }
    }
}

#[test]
fn a_withheld_file_is_in_no_output() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.json", SECRET);
    sources.withhold(file);
    for (name, output) in render(&sources, Span::new(file, 0, 7)) {
        assert!(!output.is_empty() && !output.contains("unter"), "{name}:\n{output}");
    }
}
