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
        // The dotless i keeps its case in the invariant culture.
        (Some(capital), None) if c != '\u{131}' => capital,
        _ => c,
    }
}

/// The text in capitals: equal for texts that differ by case only.
pub(crate) fn folded(text: &str) -> SmolStr {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_lowercase()) {
        return SmolStr::new(text);
    }
    text.chars().map(fold_char).collect()
}

/// Tells whether two texts differ by case only, if at all.
pub(crate) fn equal_ignoring_case(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().map(fold_char).eq(b.chars().map(fold_char))
}

/// Orders texts by their UTF-16 code units.
pub(crate) fn compare_ordinal(a: &str, b: &str) -> Ordering {
    // UTF-8 has the order of code points, which is that of UTF-16 except above the surrogates.
    if a.is_ascii() || b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
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
        assert!(equal_ignoring_case("Ärger", "äRGER"));
        assert!(!equal_ignoring_case("ß", "SS"));
        assert!(!equal_ignoring_case("abc", "abcd"));
    }

    #[test]
    fn order_is_that_of_code_units() {
        assert_eq!(compare_ordinal("B", "a"), Ordering::Less);
        assert_eq!(compare_ordinal("\u{e000}", "\u{10000}"), Ordering::Greater);
        assert_eq!(compare_ordinal_ignoring_case("_", "a"), Ordering::Greater);
        assert_eq!(compare_ordinal_ignoring_case("abcKey", "ABCKey"), Ordering::Equal);
        assert_eq!(compare_ordinal_ignoring_case("ab", "ABC"), Ordering::Less);
    }
}
