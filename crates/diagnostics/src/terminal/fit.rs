//! Text that takes no more than some terminal cells.

use unicode_width::UnicodeWidthChar as _;

use crate::printable;

/// A text without control characters that takes at most so many cells; what is cut off is an ellipsis.
pub fn fit(text: &str, cells: usize) -> String {
    let text = printable(text);
    let mut taken = 0;
    // Where the text ends if an ellipsis has to follow.
    let mut cut = 0;
    for (at, character) in text.char_indices() {
        if taken < cells {
            cut = at;
        }
        taken += character.width().unwrap_or(0);
        if taken > cells {
            let mut short = text.get(..cut).unwrap_or_default().to_owned();
            if cells > 0 {
                short.push('…');
            }
            return short;
        }
    }
    text.into_owned()
}

/// How many cells a text takes.
pub fn cells(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_ends_in_an_ellipsis() {
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abcd", 3), "ab…");
        assert_eq!(fit("abcd", 0), "");
        assert_eq!(fit("a\u{1b}[31m", 20), "a␛[31m");
    }

    #[test]
    fn wide_characters_take_two_cells() {
        assert_eq!(fit("日本語", 6), "日本語");
        for width in 0..7 {
            assert!(cells(&fit("日本語x", width)) <= width, "{width}");
        }
    }
}
