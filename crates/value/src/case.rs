//! Names and ids, which do not depend on case: one way to fold it, for whoever compares, looks up or keeps them.
//!
//! Case is folded by the one-to-one mapping to capitals, one code point at a time, as invariant .NET code compares text: `\u{df}` is not `SS`, and the
//! sign for Kelvin is not `K`.

use smol_str::SmolStr;

/// The capital of a character, if that is one character; else the character itself.
pub fn fold_char(c: char) -> char {
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

/// Text that does not depend on case.
pub trait Caseless {
    /// The key of the text: equal for texts that differ by case only, as [`folded`] is, and in small letters, as keys are kept.
    fn caseless(&self) -> String;
}

impl Caseless for str {
    fn caseless(&self) -> String {
        if self.is_ascii() {
            return self.to_ascii_lowercase();
        }
        self.chars().map(small).collect()
    }
}

/// The small letter that stands for all that fold alike; the folded one, if it has none.
fn small(c: char) -> char {
    let capital = fold_char(c);
    let mut letters = capital.to_lowercase();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if fold_char(letter) == capital => letter,
        _ => capital,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_folded_one_character_at_a_time() {
        assert_eq!(folded("stra\u{df}e \u{ff} \u{3bc}"), "STRA\u{df}E \u{178} \u{39c}");
        for length in [0, 1, 23, 63, 64, 65, 200] {
            assert_eq!(folded(&"aZ_9/".repeat(length)), "AZ_9/".repeat(length));
        }
    }

    #[test]
    fn keys_are_equal_where_folded_text_is() {
        let all = (0..=u32::from(char::MAX)).filter_map(char::from_u32);
        let mut keys = std::collections::HashMap::new();
        for c in all {
            let text = c.to_string();
            let known = keys.entry(folded(&text)).or_insert_with(|| text.caseless());
            assert_eq!(*known, text.caseless(), "{c:?}");
        }
        let count = keys.len();
        let distinct: std::collections::HashSet<String> = keys.into_values().collect();
        assert_eq!(distinct.len(), count, "no two that differ have the same key");
    }

    #[test]
    fn keys_of_ids_are_those_that_states_have() {
        assert_eq!("/Subscriptions/S/GR\u{d6}SSE".caseless(), "/subscriptions/s/gr\u{f6}sse");
        // Two signs that look like one letter are two, and one letter that has three signs is one.
        assert_ne!("k".caseless(), "\u{212a}".caseless());
        assert_eq!("\u{39f}\u{394}\u{39f}\u{3a3}".caseless(), "\u{3bf}\u{3b4}\u{3bf}\u{3c3}".caseless());
        assert_eq!("\u{3c2}".caseless(), "\u{3a3}".caseless());
    }
}
