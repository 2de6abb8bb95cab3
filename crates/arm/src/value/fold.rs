//! Text compared by code units, with and without regard to case, as invariant .NET code compares it.
//!
//! Case is folded by the one-to-one mapping to capitals, one code point at a time: `ß` is not `SS`.

use std::cmp::Ordering;

use smol_str::SmolStr;

/// The capital of a character, if that is one character; else the character itself.
pub(crate) fn fold_char(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    let mut capitals = c.to_uppercase();
    match (capitals.next(), capitals.next()) {
        // The dotless i and the long s keep their case in the invariant culture: their capitals are letters of ASCII.
        (Some(capital), None) if !matches!(c, '\u{131}' | '\u{17f}') => capital,
        _ => c,
    }
}

/// The text in capitals: equal for texts that differ by case only.
pub fn folded(text: &str) -> SmolStr {
    // Nearly all names are short and ASCII: these are folded where they lie, without looking at characters.
    let mut short = [0; 64];
    if text.is_ascii()
        && let Some(short) = short.get_mut(..text.len())
    {
        short.copy_from_slice(text.as_bytes());
        short.make_ascii_uppercase();
        if let Ok(text) = std::str::from_utf8(short) {
            return SmolStr::new(text);
        }
    }
    if text.is_ascii() {
        return SmolStr::from(text.to_ascii_uppercase());
    }
    text.chars().map(fold_char).collect()
}

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
        assert_eq!(folded("straße ÿ μ"), "STRAßE Ÿ Μ");
        for length in [0, 1, 23, 63, 64, 65, 200] {
            assert_eq!(folded(&"aZ_9/".repeat(length)), "AZ_9/".repeat(length));
        }
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
