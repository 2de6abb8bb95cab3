//! RE2 patterns mean what Go's `regexp` package says they mean.

use contract::pattern::{Pattern, PatternSyntax, differs_between};

use super::Table;

const RE2: Table = Table(PatternSyntax::Re2);

#[test]
fn a_pattern_is_searched_for() {
    RE2.check(&[
        ("[0-9A-Za-z]+", &["a", "--a--"], &["", "--"]),
        ("^[0-9A-Za-z]+$", &["a1"], &["", "a-", "a\n"]),
        ("", &["", "x"], &[]),
        ("a|b", &["xbx"], &["c"]),
        ("^a|b$", &["ax", "xb"], &["xa", "bx"]),
        ("^$", &[""], &["a", "\n"]),
        ("$^", &[""], &["a"]),
        ("(^a|b)c$", &["ac", "xbc"], &["xac", "acx"]),
        ("a^b", &[], &["ab", "a\nb"]),
        ("(?:^)*a", &["a", "ba"], &["b"]),
        ("^*a", &["a", "ba"], &["b"]),
    ]);
}

#[test]
fn dollar_is_the_end_of_the_text_unless_lines_are_asked_for() {
    RE2.check(&[
        ("a$", &["a"], &["a\n"]),
        (r"a\z", &["a"], &["a\n"]),
        ("(?m)^a$", &["a\n", "x\na\ny"], &["xa"]),
        (r"(?m)\Aa", &["a"], &["\na"]),
        ("(?m:^a)b$", &["x\nab"], &["x\nab\n"]),
        ("(?m-m)^a$", &["a"], &["a\n"]),
    ]);
}

#[test]
fn brackets_hold_what_they_show() {
    RE2.check(&[
        ("[^[]+", &["a"], &["["]),
        ("[[a]", &["[", "a"], &["]"]),
        ("[]a]", &["]", "a"], &["["]),
        ("[^]a]", &["["], &["]a"]),
        ("[a-]", &["a", "-"], &["b"]),
        ("[-a]", &["a", "-"], &["b"]),
        // A hyphen after a range is one more member.
        ("[a-c-e]", &["-", "b", "e"], &["d"]),
        // There are no set operators: these are ranges and plain characters.
        ("^[a-z&&b]$", &["&", "q"], &["&&"]),
        ("^[a~~b]$", &["~"], &["c"]),
        ("^[+--]$", &["+", ",", "-"], &["."]),
        (r"[\d-z]", &["-", "z", "7"], &["a"]),
        (r"[\]]", &["]"], &["\\"]),
        ("[[:alpha:][:^ascii:]]", &["é", "a"], &["1"]),
        ("[[:word:]]", &["_"], &["-"]),
        // A POSIX class that is never closed is plain characters.
        ("[[:alph]", &[":", "["], &["z"]),
        ("^[^a]$", &["\n", "é"], &["a"]),
    ]);
}

#[test]
fn braces_that_count_nothing_are_characters() {
    let thousand = "a".repeat(1000);
    RE2.check(&[
        ("{", &["{"], &["}"]),
        ("a{,5}", &["a{,5}"], &["aaa"]),
        ("a{2", &["a{2"], &["aa"]),
        ("a{01}", &["a{01}"], &["a"]),
        ("^a{2}$", &["aa"], &["a", "aaa"]),
        ("^a{2,}$", &["aa", "aaaaa"], &["a"]),
        ("^a{2,3}$", &["aa", "aaa"], &["a", "aaaa"]),
        ("^(?:ab){2,3}?$", &["abab", "ababab"], &["ab", "abababab"]),
        ("^a{0}b$", &["b"], &["ab"]),
        ("^a{1000}$", &[&thousand], &["a"]),
        ("^(a{100}){10}$", &[&thousand], &["a"]),
        // What is repeated no times does not count as nesting.
        ("^(a{1000}){0}$", &[""], &["a"]),
    ]);
}

#[test]
fn escapes_are_those_of_re2() {
    RE2.check(&[
        (r"\Qa.b\E+$", &["a.b", "a.bbb"], &["axb"]),
        (r"\Qa.b", &["a.b"], &["axb"]),
        (r"^a\Q\E*$", &["", "aa"], &["b"]),
        (r"\123", &["S"], &["\x01"]),
        (r"\0", &["\0"], &["0"]),
        (r"^\018$", &["\x018"], &["\x01"]),
        (r"\x41\x{42}", &["AB"], &["ab"]),
        (r"\x{1F600}", &["😀"], &["1F600"]),
        (r"\a\f\n\r\t\v", &["\x07\x0C\n\r\t\x0B"], &[]),
        (r"\<\>\-\_\/", &["<>-_/"], &[]),
        // A surrogate can be written; no text has one.
        (r"\x{D800}", &[], &["\u{FFFD}"]),
    ]);
}

#[test]
fn perl_classes_and_word_boundaries_are_ascii() {
    RE2.check(&[
        (r"\d", &["7"], &["\u{663}"]),
        (r"\w", &["_"], &["é"]),
        (r"\s", &["\x0C"], &["\x0B", "\u{A0}"]),
        (r"\W", &["é"], &["a"]),
        (r"\bcat\b", &["a cat", "é cat", "écaté"], &["cats"]),
        (r"\B", &["", "ab"], &["a", "aéa"]),
        (r"a\B", &["ab"], &["a"]),
    ]);
}

#[test]
fn properties_are_categories_and_scripts_of_one_word() {
    RE2.check(&[
        (r"^\pN$", &["7", "\u{663}", "Ⅷ"], &["a"]),
        (r"^\p{Greek}$", &["α"], &["a"]),
        (r"^\p{greek}$", &["α"], &["a"]),
        (r"^\p{^Greek}$", &["a"], &["α"]),
        (r"^\P{^Greek}$", &["α"], &["a"]),
        (r"^\P{Greek}$", &["a"], &["α"]),
        (r"^\p{Uppercase_Letter}$", &["A", "É"], &["a"]),
        (r"^\p{uppercase letter}$", &["A"], &["a"]),
        (r"^[\p{Lu}\d]$", &["É", "7"], &["é"]),
        (r"^\p{Any}$", &["\u{FFFD}", "a"], &[]),
        (r"\p{Cs}", &[], &["a"]),
    ]);
}

#[test]
fn case_folds_one_character_to_one_character() {
    RE2.check(&[
        ("(?i)k", &["k", "K", "\u{212A}"], &["c"]),
        ("(?i)[^k]", &["c"], &["k", "K", "\u{212A}"]),
        (r"(?i)^\w$", &["\u{17F}", "\u{212A}"], &["é"]),
        (r"(?i)^\W$", &["é"], &["\u{17F}"]),
        ("(?i)ß", &["ß", "ẞ"], &["ss"]),
        ("(?i)σ", &["Σ", "ς"], &["s"]),
        ("a(?i)b", &["aB"], &["AB"]),
        ("a(?i:b)c", &["aBc"], &["aBC"]),
        ("(a(?i)b)c", &["aBc"], &["aBC"]),
        ("(?i-i)a", &["a"], &["A"]),
        (r"(?i)\p{Lu}", &["a", "A"], &["1"]),
        (r"(?i)\Qab\E", &["AB"], &["a"]),
    ]);
}

#[test]
fn dot_leaves_out_the_line_end_unless_told_otherwise() {
    RE2.check(&[
        ("^.$", &["a", "é", "\r", "\u{2028}"], &["\n", "", "ab"]),
        ("(?s)^.$", &["\n"], &[]),
        ("(?s:^.)$", &["\n"], &["a\n"]),
        // Greediness does not decide whether there is a match.
        ("(?U)^a+$", &["aa"], &["b"]),
    ]);
}

#[test]
fn groups_may_have_names_in_either_spelling() {
    RE2.check(&[
        ("^(?P<n>a)(?<m>b)$", &["ab"], &["a"]),
        ("^(?P<1_a>a)$", &["a"], &[]),
        ("^()$", &[""], &["a"]),
    ]);
}

#[test]
fn a_byte_outside_utf8_is_one_replacement_character() {
    let rows: &[(&str, &[u8], bool)] = &[
        ("^.$", b"\xFF", true),
        // A character that is cut short is as many replacement characters as it has bytes.
        ("^.$", b"\xE2\x82", false),
        ("^..$", b"\xE2\x82", true),
        ("^.$", "€".as_bytes(), true),
        ("^.{3}$", "€".as_bytes(), false),
        ("^[^a]$", b"\x80", true),
        ("\u{FFFD}", b"a\xFFb", true),
        ("^\u{FFFD}$", b"\xFF", true),
        (r"\x{FFFD}\b", b"\xFFa", true),
        (r"^\pL", b"\xC3\xA9\xFF", true),
        ("é", b"\xE2\xC3\xA9", true),
        ("^a.b$", b"a\xFFb", true),
        ("^a.b$", b"a\xFF\xFFb", false),
        ("^(?:[^/]+/)?x$", b"\xFF\xFE/x", true),
        ("[a-z]", b"\xFF\xFE", false),
        (r"^\B^", b"\x80s", true),
    ];
    for (source, text, expected) in rows {
        let pattern = Pattern::new(PatternSyntax::Re2, source).expect(source);
        assert_eq!(pattern.is_match(text), *expected, "`{source}` on {}", text.escape_ascii());
    }
}

#[test]
fn what_go_refuses_is_refused_with_the_place() {
    RE2.check_refused(&[
        ("a{1001}", 1, "`{1001}` is not a valid repeat count"),
        ("a{3,2}", 1, "`{3,2}` is not a valid repeat count"),
        ("(a{100}){11}", 8, "`{11}` is not a valid repeat count"),
        ("x**", 2, "`*` repeats a repetition"),
        ("a++", 2, "`+` repeats a repetition"),
        ("*a", 0, "`*` has nothing to repeat"),
        ("a|*", 2, "`*` has nothing to repeat"),
        ("(+)", 1, "`+` has nothing to repeat"),
        ("(?i)*", 4, "`*` has nothing to repeat"),
        ("(?x)a", 0, "`(?x` starts no known group"),
        ("(?R)a", 0, "`(?R` starts no known group"),
        ("(?i-)a", 0, "`(?i-)` starts no known group"),
        ("(?=a)", 0, "look-ahead is not supported: patterns run in linear time"),
        ("(?<!a)", 0, "look-behind is not supported: patterns run in linear time"),
        ("(?P<n", 4, "group name is not valid"),
        ("(?P<é>a)", 4, "group name is not valid"),
        ("(a", 0, "group is never closed"),
        ("a)", 1, "`)` closes no group"),
        ("[a", 0, "character class is never closed"),
        ("[]", 0, "character class is never closed"),
        ("[z-a]", 1, "range `z-a` ends before it starts"),
        (r"[a-\d]", 3, r"`\d` is not an escape in RE2"),
        ("[[:foo:]]", 1, "no character class is called `[:foo:]`"),
        (r"\u0041", 0, r"`\u` is not an escape in RE2"),
        (r"a\Z", 1, r"`\Z` is not an escape in RE2"),
        (r"\C", 0, r"`\C` is not an escape in RE2"),
        (r"(a)\1", 3, "back-references are not supported: patterns run in linear time"),
        (r"\8", 0, "back-references are not supported: patterns run in linear time"),
        (r"\x4", 0, r"`\x` is not an escape in RE2"),
        (r"\x{110000}", 0, r"`\x{110000` is not an escape in RE2"),
        ("a\\", 1, "pattern ends after a backslash"),
        (r"\pX", 0, "no character property is called `X`"),
        // Scripts of several words exist in Go's tables, but no spelling of them is found there.
        (r"\p{Old_Italic}", 0, "no character property is called `Old_Italic`"),
        (r"\p{Grek}", 0, "no character property is called `Grek`"),
        (r"\é", 0, r"`\é` is not an escape in RE2"),
    ]);
}

#[test]
fn a_hint_says_what_to_write() {
    let error = Pattern::new(PatternSyntax::Re2, r"\u0041").expect_err("not RE2");
    assert_eq!(
        error.to_string(),
        r"`\u` is not an escape in RE2 at offset 0 (write a code point as `\x{0041}`)"
    );
}

#[test]
fn patterns_are_compared_by_what_was_written() {
    let pattern = Pattern::new(PatternSyntax::Re2, "a+").expect("valid");
    assert_eq!(pattern.clone(), pattern);
    assert_eq!(pattern, Pattern::new(PatternSyntax::Re2, "a+").expect("valid"));
    assert_ne!(pattern, Pattern::new(PatternSyntax::Ecma, "a+").expect("valid"));
    assert_eq!((pattern.source(), pattern.dialect()), ("a+", PatternSyntax::Re2));
    assert_eq!(format!("{pattern:?}"), r#"Pattern(Re2, "a+")"#);
}

#[test]
fn a_pattern_that_changes_its_meaning_with_the_dialect_is_noticed() {
    let rows = [
        (PatternSyntax::Re2, PatternSyntax::Bre, "[0-9A-Za-z]+", true),
        (PatternSyntax::Re2, PatternSyntax::Bre, "^[0-9A-Za-z]*$", false),
        (PatternSyntax::Re2, PatternSyntax::Bre, "a|b", true),
        (PatternSyntax::Re2, PatternSyntax::Ecma, "^(?:a|b)+$", false),
        (PatternSyntax::Re2, PatternSyntax::Ecma, "^(a|b)+?$", false),
        // Line ends differ, and so do spaces.
        (PatternSyntax::Re2, PatternSyntax::Ecma, "^.$", true),
        (PatternSyntax::Re2, PatternSyntax::Ecma, r"\s", true),
        (PatternSyntax::Re2, PatternSyntax::Ecma, r"\x41", false),
        (PatternSyntax::Re2, PatternSyntax::Ecma, "(?i)a", true),
        (PatternSyntax::Re2, PatternSyntax::Ecma, "(?=a)", false),
    ];
    for (a, b, source, expected) in rows {
        assert_eq!(differs_between(a, b, source), expected, "`{source}` in {a:?} and {b:?}");
    }
}
