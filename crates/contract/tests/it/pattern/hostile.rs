//! Patterns written to cost too much are refused, or cost little.

use contract::pattern::{Pattern, PatternSyntax, differs_between};

const ALL: [PatternSyntax; 3] = [PatternSyntax::Re2, PatternSyntax::Ecma, PatternSyntax::Bre];

#[test]
fn counts_that_multiply_are_refused() {
    for source in ["((a{100}){100}){100}", "((a{1000}b){1000}){1000}", "(((a*){9999}){9999}){9999}"] {
        assert!(Pattern::new(PatternSyntax::Ecma, source).is_err(), "`{source}`");
        assert!(Pattern::new(PatternSyntax::Re2, source).is_err(), "`{source}`");
    }
    let classes = r"([\p{L}\p{N}]{500}x){500}";
    assert!(Pattern::new(PatternSyntax::Ecma, classes).is_err());
}

#[test]
fn counts_of_nothing_cost_nothing() {
    for source in ["((){1000}){0,999999999}", "(a{0}){999999999}", "(((|)|){1000}){0,99999}"] {
        let compiled = Pattern::new(PatternSyntax::Ecma, source);
        assert!(compiled.is_ok_and(|pattern| pattern.is_match(b"")), "`{source}`");
    }
}

#[test]
fn groups_nest_up_to_a_limit() {
    for (dialect, open, close) in [
        (PatternSyntax::Re2, "(", ")"),
        (PatternSyntax::Ecma, "(?:", ")"),
        (PatternSyntax::Bre, r"\(", r"\)"),
    ] {
        let nested = |depth: usize| format!("{}a{}", open.repeat(depth), close.repeat(depth));
        assert!(Pattern::new(dialect, &nested(250)).is_ok_and(|pattern| pattern.is_match(b"a")));
        let error = Pattern::new(dialect, &nested(100_000)).expect_err("too deep");
        assert_eq!(error.message, "groups nest more than 250 deep");
    }
}

#[test]
fn deep_groups_that_do_not_collapse_stay_within_the_stack() {
    let deep = format!(r"{}x{}", r"(a*é|[bc]?".repeat(249), r"){2,}?".repeat(249));
    let _ = Pattern::new(PatternSyntax::Ecma, &deep).map(|pattern| pattern.is_match(b"x"));
    differs_between(PatternSyntax::Re2, PatternSyntax::Ecma, &deep);
}

#[test]
fn stacked_repetitions_do_not_nest() {
    for piece in [r"\+", r"\?", r"\+\?"] {
        let stacked = format!("^a{}$", piece.repeat(100_000));
        assert!(Pattern::new(PatternSyntax::Bre, &stacked).is_ok_and(|pattern| pattern.is_match(b"a")));
    }
    let stacked = format!("^a{}$", "*(?i)".repeat(100_000));
    assert!(Pattern::new(PatternSyntax::Re2, &stacked).is_ok_and(|pattern| pattern.is_match(b"aa")));
}

#[test]
fn long_patterns_of_every_kind_end() {
    let pieces = [
        "a*", "[a", "[[:", "(", ")", r"\Q", "{", "{1,", "|", "é", r"\x{", "[z-", "^", "$", r"\(", r"\{",
        "(?i)", "[é]|", "a|",
    ];
    for piece in pieces {
        let source = piece.repeat(20_000);
        for dialect in ALL {
            let _ = Pattern::new(dialect, &source).map(|pattern| pattern.is_match(b"aaaa"));
        }
        differs_between(PatternSyntax::Re2, PatternSyntax::Bre, &source);
    }
}

#[test]
fn matching_does_not_backtrack() {
    let text = "a".repeat(50_000);
    for source in ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", r"(\w+\s?)+!$", "(a*)*b"] {
        let pattern = Pattern::new(PatternSyntax::Ecma, source).expect(source);
        pattern.is_match(text.as_bytes());
    }
}
