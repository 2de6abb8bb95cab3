//! What is nested or chained without end is refused with a finding, and never takes the process with it.

use syntax::format::{FormatOptions, format};
use syntax::{Code, MAX_HEIGHT, SourceKind, SyntaxTree, parse};

/// Parses on a thread with the stack that test and worker threads have.
fn parse_on_small_stack(text: String) -> SyntaxTree {
    let parsing =
        std::thread::Builder::new().stack_size(2 << 20).spawn(move || parse(text, SourceKind::Bicep));
    parsing.unwrap().join().unwrap()
}

#[track_caller]
fn check_refused(open: &str, close: &str, prefix: &str) {
    for depth in [2_000, 20_000] {
        let text = format!("{prefix}{}{}\nvar after = 1\n", open.repeat(depth), close.repeat(depth));
        let tree = parse_on_small_stack(text.clone());
        assert_eq!(tree.print(), text);
        let codes: Vec<_> = tree.diagnostics().iter().map(|found| found.code).collect();
        assert!(codes.contains(&Code::NestingTooDeep), "{open}: {codes:?}");
        assert!(codes.len() < 8, "{open}: {codes:?}");
        assert!(tree.root().height() < MAX_HEIGHT + 20, "{open}: {}", tree.root().height());
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a: ", "}"),
        ("f(", ")"),
        ("a[", "]"),
        ("[for x in y: ", "]"),
        ("'${", "}'"),
        ("x => ", ""),
        ("a ? ", " : b"),
        ("a ? b : ", ""),
        ("a ?? b || c && d == e < f + g * (", ")"),
    ] {
        check_refused(open, close, "var a = ");
    }
}

#[test]
fn deep_types_are_refused() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{a: ", "}"), ("a<", ">")] {
        check_refused(open, close, "type a = ");
    }
}

#[test]
fn long_chains_are_refused() {
    for link in [" + a", ".a", "[0]", "!", "::a", ".a()"] {
        check_refused(link, "", "var a = b");
    }
    for link in [" ?", "[]", ".a", "[*]"] {
        check_refused(link, "", "type a = b");
    }
}

#[test]
fn chains_of_reasonable_length_are_read() {
    let text = format!("var a = b{}\n", " + 'c'".repeat(400));
    assert!(parse(text, SourceKind::Bicep).diagnostics().is_empty());
}

#[test]
fn what_is_read_is_formatted_however_deep_it_is() {
    let nested =
        [("(", ")", 240), ("[", "]", 240), ("{a: ", "}", 120), ("f(g, ", ")", 240), ("x => ", "", 240)];
    let chained = [("a ? ", " : b", 240), ("a ? b : ", "", 240)];
    let links = [(" + a", "", 980), (".a", "", 980), (".a(b, c)", "", 980)];
    for (open, close, depth) in nested.into_iter().chain(chained).chain(links) {
        let text = format!("var a = {}b{}\n", open.repeat(depth), close.repeat(depth));
        let text = if depth > 240 { format!("var a = b{}\n", open.repeat(depth)) } else { text };
        let formatting = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
            let tree = parse(text, SourceKind::Bicep);
            assert_eq!(tree.diagnostics(), []);
            format(&tree, &FormatOptions::default())
        });
        let formatted = formatting.unwrap().join().unwrap();
        assert_eq!(
            format(&parse(formatted.as_str(), SourceKind::Bicep), &FormatOptions::default()),
            formatted
        );
    }
}

#[test]
fn unclosed_nesting_is_one_finding() {
    for open in ["(", "[", "{\na: ", "f(", "[for x in y: "] {
        let text = format!("var a = {}", open.repeat(20_000));
        let tree = parse_on_small_stack(text.clone());
        assert_eq!(tree.print(), text);
        assert!((1..=4).contains(&tree.diagnostics().len()), "{open}: {}", tree.diagnostics().len());
    }
}

#[test]
fn a_source_beyond_the_limit_is_refused_as_a_whole() {
    let text = String::from_utf8(vec![0; syntax::MAX_SOURCE_LEN + 1]).unwrap_or_default();
    let tree = parse(text, SourceKind::Bicep);
    let codes: Vec<&str> = tree.diagnostics().iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["source-too-large"]);
}
