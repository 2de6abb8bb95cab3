//! POSIX basic patterns mean what they mean to GNU sed in a UTF-8 locale.

use contract::pattern::PatternSyntax;

use super::Table;

const BRE: Table = Table(PatternSyntax::Bre);

#[test]
fn operators_have_a_backslash_and_bare_characters_are_themselves() {
    BRE.check(&[
        ("[0-9A-Za-z]+", &["a+"], &["a", "aa"]),
        ("a?b", &["a?b"], &["ab", "b"]),
        ("a|b", &["a|b"], &["a", "b"]),
        ("(a)", &["(a)"], &["a"]),
        ("a{2}", &["a{2}"], &["aa"]),
        (r"^a\+$", &["a", "aa"], &["", "a+"]),
        (r"^a\?$", &["", "a"], &["aa"]),
        (r"^\(a\|b\)$", &["a", "b"], &["ab"]),
        (r"^\(ab\)\{2\}$", &["abab"], &["ab"]),
        (r"^a\{2,3\}$", &["aa", "aaa"], &["a", "aaaa"]),
        (r"^a\{2,\}$", &["aa", "aaaa"], &["a"]),
        (r"^a\{,2\}$", &["", "aa"], &["aaa"]),
        (r"^a\{,\}$", &["", "aaaa"], &["b"]),
        (r"\}", &["}"], &["{"]),
        (r"a\|", &["b"], &[]),
        (r"\(\)", &[""], &[]),
    ]);
}

#[test]
fn a_star_that_comes_first_is_a_star() {
    BRE.check(&[
        ("*a", &["*a"], &["a"]),
        ("^*a", &["*a"], &["a", "x*a"]),
        (r"\(*a\)", &["*a"], &["a"]),
        (r"\(^*a\)", &["*a"], &["a"]),
        (r"b\|*a", &["*a", "b"], &["a"]),
        ("^**$", &["", "**"], &["a"]),
        (r"\+a", &["+a"], &["a"]),
        (r"^\?a", &["?a"], &["a"]),
        (r"\b*", &["x*"], &["*", "x"]),
        (r"^a*\+$", &["", "aa"], &["b"]),
    ]);
}

#[test]
fn anchors_anchor_at_the_ends_of_a_branch_only() {
    BRE.check(&[
        ("a^b", &["a^b"], &["ab"]),
        ("a$b", &["a$b"], &["ab"]),
        ("^a$", &["a"], &["ba", "ab"]),
        (r"a\(^b\)", &[], &["ab", "a^b"]),
        (r"\(^a\)", &["ab"], &["ba"]),
        (r"a\(b$\)", &["ab"], &["abc"]),
        (r"x\|^a$\|y", &["a", "x", "wyw"], &["ba"]),
        ("x*$*", &["$", "x$$$"], &[]),
        ("^^a", &["^a"], &["a"]),
        ("a$$", &["a$"], &["a"]),
        (r"\^a\$", &["^a$"], &["a"]),
    ]);
}

#[test]
fn brackets_take_everything_literally_but_sed_s_own_escapes() {
    BRE.check(&[
        ("[]a]", &["]", "a"], &["["]),
        ("[^]a]", &["x"], &["]", "a"]),
        ("[a-]", &["-"], &["b"]),
        ("[--a]", &["."], &["b"]),
        ("[[a]", &["["], &["]"]),
        (r"^[\]]$", &[r"\]"], &["]", "\\"]),
        (r"^[\.]$", &["\\", "."], &["a"]),
        (r"^[\n]$", &["\n"], &["n", "\\"]),
        (r"^[\t]$", &["\t"], &["t"]),
        ("[[:digit:][:space:]]", &["7", " "], &["a"]),
        ("^[[.a.]-[.c.]]$", &["b"], &["d"]),
        ("^[[=a=]]$", &["a"], &["b"]),
        ("^[[.-.]]$", &["-"], &["."]),
        // The second of two backslashes starts no escape.
        (r"^[\\t]$", &["\\", "t"], &["\t"]),
        ("^[:a]$", &[":"], &["b"]),
        ("^[:a-z:]$", &[":", "m"], &["-"]),
    ]);
}

#[test]
fn classes_know_every_script() {
    BRE.check(&[
        ("^[[:alpha:]]$", &["a", "é", "中"], &["1", "-"]),
        ("^[[:upper:]]$", &["É"], &["é"]),
        ("^[[:digit:]]$", &["7"], &["\u{663}"]),
        ("^[[:punct:]]$", &["!", "€"], &["a", " "]),
        ("^[[:space:]]$", &["\u{2003}", "\t"], &["\u{A0}", "\u{85}"]),
        ("^[[:graph:]]$", &["\u{A0}", "é"], &["\u{2003}", " "]),
        (r"^\w$", &["_", "é", "7"], &["-"]),
        (r"^\W$", &["-"], &["é"]),
        (r"^\s\S$", &[" a"], &["a "]),
    ]);
}

#[test]
fn gnu_assertions_look_at_words_and_text() {
    BRE.check(&[
        (r"\<cat\>", &["a cat"], &["cats", "écat"]),
        (r"\bcat\b", &["a cat"], &["cats"]),
        (r"\Bat", &["cat"], &["at"]),
        (r"\`a", &["a"], &["\na"]),
        (r"a\'", &["a"], &["a\n"]),
    ]);
}

#[test]
fn escapes_are_those_of_sed() {
    BRE.check(&[
        (r"^a\nb$", &["a\nb"], &["anb"]),
        (r"^\t\f\v\a\r$", &["\t\x0C\x0B\x07\r"], &[]),
        (r"^\x41\o102\d067$", &["ABC"], &[]),
        (r"^\x5e$", &["^"], &[]),
        (r"^a\x2ab$", &["a*b"], &["ab"]),
        (r"^\cA$", &["\x01"], &[]),
        (r"^\.\*\[\]\/\q$", &[".*[]/q"], &[]),
        ("^.$", &["\n", "é"], &[""]),
    ]);
}

#[test]
fn what_sed_refuses_is_refused() {
    BRE.check_refused(&[
        ("a**", 2, "`*` repeats a repetition"),
        (r"a*\{2\}", 2, r"`\{` repeats a repetition"),
        (r"\{1\}", 0, r"`\{` has nothing to repeat"),
        (r"^\{1\}", 1, r"`\{` has nothing to repeat"),
        (r"a\{\}", 1, r"`\{\}` has no count in it"),
        (r"a\{1", 1, r"`\{1` is not a repeat count"),
        (r"a\{1a\}", 1, r"`\{1` is not a repeat count"),
        (r"a\{2,1\}", 1, r"`\{2,1\}` ends before it starts"),
        (r"a\{32768\}", 1, r"`\{32768\}` repeats more than 32767 times"),
        (r"a\)", 1, r"`\)` closes no group"),
        (r"\(a", 0, "group is never closed"),
        ("[a", 0, "bracket expression is never closed"),
        ("[", 0, "bracket expression is never closed"),
        ("[[:alpha:", 0, "bracket expression is never closed"),
        ("[[.a", 0, "bracket expression is never closed"),
        ("[a-c-e]", 4, "`-` stands between two ranges"),
        ("[z-a]", 1, "range `z-a` ends before it starts"),
        ("[[:alpha:]-z]", 1, "a class cannot start a range"),
        ("[a-[=b=]]", 1, "a class cannot end a range"),
        ("[:alpha:]", 0, "`[:alpha:]` is a class outside of brackets"),
        (r"[\\t--a]", 3, "range `t--` ends before it starts"),
        ("[[:foo:]]", 1, "no character class is called `[:foo:]`"),
        ("[[.ab.]]", 1, "`ab` is not a single character"),
        ("a\\", 1, "pattern ends after a backslash"),
        (r"\(a\)\1", 5, "back-references are not supported: patterns run in linear time"),
    ]);
}
