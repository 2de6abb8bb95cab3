//! Text compared by code units, with and without regard to case, as invariant .NET code compares it.

use std::cmp::Ordering;

use ::value::case::{fold_char, folded};

/// Tells whether two texts differ by case only, if at all.
pub(crate) fn equal_ignoring_case(a: &str, b: &str) -> bool {
    // Most texts that are compared are equal, or have another first character: folding keeps characters apart.
    if let (Some(first), Some(other)) = (a.bytes().next(), b.bytes().next())
        && first.is_ascii()
        && other.is_ascii()
        && !first.eq_ignore_ascii_case(&other)
    {
        return false;
    }
    if a == b || a.eq_ignore_ascii_case(b) {
        return true;
    }
    if a.is_ascii() && b.is_ascii() {
        return false;
    }
    a.chars().map(fold_char).eq(b.chars().map(fold_char))
}

/// Orders texts as the invariant culture does: other characters, then digits, then letters; a letter's case only
/// decides between texts that are equal otherwise, and then small letters come first.
pub(crate) fn compare_words(a: &str, b: &str) -> Ordering {
    let rank = |c: char| {
        let class = if c.is_alphabetic() { 2 } else { u8::from(c.is_numeric()) };
        (class, fold_char(c))
    };
    let words = a.chars().map(rank).cmp(b.chars().map(rank));
    // Capitals come before small letters in every alphabet that has both.
    words.then_with(|| b.cmp(a))
}

/// Orders texts by the UTF-16 code units of their capitals.
pub(crate) fn compare_ordinal_ignoring_case(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        let capitals = |byte: u8| byte.to_ascii_uppercase();
        return a.bytes().map(capitals).cmp(b.bytes().map(capitals));
    }
    folded(a).encode_utf16().cmp(folded(b).encode_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_one_character_at_a_time() {
        assert!(equal_ignoring_case("Ärger", "äRGER"));
        assert!(!equal_ignoring_case("ß", "SS"));
        assert!(!equal_ignoring_case("abc", "abcd"));
        assert!(!equal_ignoring_case("\u{17f}x", "Sx") && equal_ignoring_case("xs\u{e4}", "XS\u{c4}"));
        assert!(!equal_ignoring_case("", "a") && equal_ignoring_case("", ""));
    }

    #[test]
    fn words_are_ordered_as_in_a_dictionary() {
        for (less, greater) in
            [("a", "A"), ("A", "b"), ("a", "B"), ("_", "1"), ("9", "a"), ("ab", "abc"), ("aB", "Ab")]
        {
            assert_eq!(compare_words(less, greater), Ordering::Less, "{less} {greater}");
            assert_eq!(compare_words(greater, less), Ordering::Greater, "{less} {greater}");
        }
        assert_eq!(compare_words("é", "é"), Ordering::Equal);
    }

    #[test]
    fn order_is_that_of_code_units() {
        assert_eq!(compare_ordinal_ignoring_case("_", "a"), Ordering::Greater);
        assert_eq!(compare_ordinal_ignoring_case("abcKey", "ABCKey"), Ordering::Equal);
        assert_eq!(compare_ordinal_ignoring_case("ab", "ABC"), Ordering::Less);
    }
}
