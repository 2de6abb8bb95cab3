//! ECMA-262 patterns mean what they mean with the `u` flag, and some common slips are forgiven.

use contract::pattern::{Pattern, PatternSyntax};

use super::Table;

const ECMA: Table = Table(PatternSyntax::Ecma);

#[test]
fn anchors_mean_the_text() {
    ECMA.check(&[
        ("^a$", &["a"], &["a\n", "\na", "xa"]),
        ("a", &["xax"], &["b"]),
        ("^(?:a|b)*?$", &["", "ab"], &["c"]),
        ("^(?<first>a)(b)$", &["ab"], &["a"]),
        ("^(?<größe>a)$", &["a"], &[]),
    ]);
}

#[test]
fn classes_are_ascii_but_spaces_are_unicode() {
    ECMA.check(&[
        (r"^\d$", &["0"], &["\u{663}"]),
        (r"^\w$", &["_"], &["é"]),
        (r"^\W$", &["é", "😀"], &["a"]),
        (r"^\s$", &["\u{B}", "\u{A0}", "\u{FEFF}", "\u{2028}", " "], &["\u{85}", "\u{200B}"]),
        (r"^\S$", &["\u{85}"], &["\u{3000}"]),
        (r"\bcat\b", &["a cat", "écaté"], &["cats"]),
    ]);
}

#[test]
fn dot_leaves_out_every_line_end() {
    ECMA.check(&[("^.$", &["a", "😀", "\u{85}"], &["\n", "\r", "\u{2028}", "\u{2029}", ""])]);
}

#[test]
fn escapes_name_code_points() {
    ECMA.check(&[
        (r"^\x41\u0042\u{43}$", &["ABC"], &[]),
        (r"^\uD83D\uDE00$", &["😀"], &[]),
        (r"^[\uD83D\uDE00-\uD83D\uDE02]$", &["😁"], &["a"]),
        (r"^\u{1F600}$", &["😀"], &[]),
        (r"^\cJ$", &["\n"], &["J"]),
        (r"^\0$", &["\0"], &["0"]),
        (r"^[\b]$", &["\x08"], &["b"]),
        (r"^\f\n\r\t\v$", &["\x0C\n\r\t\x0B"], &[]),
        (r"^\/\-\_\@\ \.$", &["/-_@ ."], &[]),
        // Half a pair can be written; no text has one.
        (r"\uD83D", &[], &["😀"]),
        (r"^[\uD800-\uDFFF]", &[], &["😀", "\u{FFFD}"]),
    ]);
}

#[test]
fn brackets_may_be_empty() {
    ECMA.check(&[
        ("[]", &[], &["", "a"]),
        ("a[]|b", &["b"], &["a"]),
        ("^[^]$", &["a", "\n"], &["", "ab"]),
        ("[[]", &["["], &["]"]),
        (r"^[\]]$", &["]"], &["\\"]),
        (r"^[a\-z]$", &["-"], &["b"]),
        // No range: the hyphen is one more member.
        (r"^[\w-.]$", &["-", "."], &["+"]),
        (r"^[+-\d]$", &["+", "-", "5"], &[","]),
        ("^[a&&b]$", &["&"], &["&&"]),
        ("^[--0]$", &["-", "/"], &["1"]),
    ]);
}

#[test]
fn braces_and_brackets_that_cannot_be_operators_are_characters() {
    ECMA.check(&[
        ("^{$", &["{"], &[]),
        ("^a{,5}$", &["a{,5}"], &["aaa"]),
        ("^a{2$", &["a{2"], &["aa"]),
        ("^}]$", &["}]"], &[]),
        ("^a{02}$", &["aa"], &["a"]),
        (r"^\$\{[a-z]+}$", &["${name}"], &[]),
        ("^a{2,3}?$", &["aa"], &["a"]),
    ]);
}

#[test]
fn a_count_may_be_larger_than_any_text() {
    let long = "x".repeat(4000);
    ECMA.check(&[
        ("^.{1,4000}$", &[&long], &["", &format!("{long}x")]),
        ("^[a-z]{0,99999999999}$", &["", "abc"], &["A"]),
        ("^[^/]{0,3}$", &["äöü", ""], &["äöüß", "a/"]),
    ]);
}

#[test]
fn properties_are_spelled_exactly() {
    ECMA.check(&[
        (r"^\p{L}$", &["a", "é"], &["1"]),
        (r"^\p{Lu}\p{Lowercase_Letter}$", &["Éa"], &["ea"]),
        (r"^\p{gc=Nd}$", &["7"], &["a"]),
        (r"^\p{Script=Greek}$", &["α"], &["a"]),
        (r"^\p{sc=Grek}$", &["α"], &["a"]),
        (r"^\p{scx=Deva}$", &["\u{964}"], &["a"]),
        (r"^\p{Alphabetic}$", &["é"], &["1"]),
        (r"^\P{ASCII}$", &["é"], &["a"]),
        (r"^[\p{L}\p{N}_-]+$", &["größe-1"], &["a b"]),
        (r"^\p{Script=Old_Italic}$", &["\u{10300}"], &["a"]),
    ]);
    ECMA.check_refused(&[
        (r"\p{Greek}", 0, "no character property is called `Greek`"),
        (r"\p{lu}", 0, "no character property is called `lu`"),
        (r"\p{Script=greek}", 0, "no character property is called `Script=greek`"),
        (r"\p{Block=Arrows}", 0, "no character property is called `Block=Arrows`"),
        (r"\pL", 0, "no character property is called ``"),
        (r"\p{}", 0, "no character property is called ``"),
    ]);
}

#[test]
fn what_needs_backtracking_is_refused_and_says_so() {
    ECMA.check_refused(&[
        ("^(?=.*[A-Z]).*$", 1, "look-ahead is not supported: patterns run in linear time"),
        ("^(?!foo)", 1, "look-ahead is not supported: patterns run in linear time"),
        ("(?<=a)b", 0, "look-behind is not supported: patterns run in linear time"),
        ("(?<!a)b", 0, "look-behind is not supported: patterns run in linear time"),
        (r"(a)\1", 3, "back-references are not supported: patterns run in linear time"),
        (r"(?<n>a)\k<n>", 7, "back-references are not supported: patterns run in linear time"),
    ]);
    let error = Pattern::new(PatternSyntax::Ecma, "(?=a)b").expect_err("look-ahead");
    assert!(error.hint.is_some_and(|hint| hint.contains("allOf")));
}

#[test]
fn what_another_dialect_means_is_refused() {
    ECMA.check_refused(&[
        (r"\Aa\z", 0, r"`\A` is not an escape in ECMA-262"),
        (r"a\Z", 1, r"`\Z` is not an escape in ECMA-262"),
        (r"\h", 0, r"`\h` is not an escape in ECMA-262"),
        (r"\Qa\E", 0, r"`\Q` is not an escape in ECMA-262"),
        ("(?i)a", 0, "flags inside a pattern are not supported"),
        ("(?P<n>a)", 0, "`(?P` starts no known group"),
        ("(?>a)", 0, "`(?` starts no known group"),
        (r"\01", 0, r"`\0` is not an escape in ECMA-262"),
        (r"\x4", 0, r"`\x` is not an escape in ECMA-262"),
        (r"\u{110000}", 0, r"`\u{110000` is not an escape in ECMA-262"),
        (r"\c1", 0, r"`\c` is not an escape in ECMA-262"),
    ]);
}

#[test]
fn mistakes_are_placed() {
    ECMA.check_refused(&[
        ("a**", 2, "`*` has nothing to repeat"),
        ("a{1}{2}", 4, "`{2}` has nothing to repeat"),
        ("^*", 1, "`*` has nothing to repeat"),
        (r"\b+", 2, "`+` has nothing to repeat"),
        ("(*a)", 1, "`*` has nothing to repeat"),
        ("a|?", 2, "`?` has nothing to repeat"),
        ("{1}", 0, "`{1}` has nothing to repeat"),
        ("a{2,1}", 1, "`{2,1}` ends before it starts"),
        ("[z-a]", 1, "range `z-a` ends before it starts"),
        ("[a", 0, "character class is never closed"),
        ("(a", 0, "group is never closed"),
        ("a)", 1, "`)` closes no group"),
        ("a\\", 1, "pattern ends after a backslash"),
        ("(?<1>a)", 3, "group name is not valid"),
        ("(?<a>b)(?<a>c)", 10, "two groups are called `a`"),
    ]);
}
