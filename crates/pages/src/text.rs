//! The words of strangers: shown as text, and no more of them than somebody would read.

use diagnostics::printable;
use maud::{Markup, html};

/// How many characters of a text are shown.
const MOST: usize = 20_000;

/// A text without power over what is around it. Line breaks stay.
pub fn clean(text: &str) -> String {
    let cut = text.char_indices().nth(MOST).map(|(at, _)| at);
    let shown = text.get(..cut.unwrap_or(text.len())).unwrap_or_default();
    let mut out = shown.split('\n').map(|line| printable(line)).collect::<Vec<_>>().join("\n");
    if cut.is_some() {
        out.push_str(" … (cut)");
    }
    out
}

/// An id or a type, which is broken where one of its parts ends if it is too long for its line.
pub(crate) fn at_slashes(text: &str) -> Markup {
    let text = clean(text);
    html! {
        @for (at, part) in text.split('/').enumerate() {
            @if at > 0 { "/" wbr; }
            (part)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_write_has_no_power() {
        assert_eq!(clean("a\n\u{202e}b\u{1b}[31m"), "a\n<U+202E>b␛[31m");
        assert!(clean(&"x".repeat(1 << 20)).len() < MOST + 20);
    }

    #[test]
    fn ids_are_broken_between_their_parts() {
        assert_eq!(at_slashes("/a/<b>").into_string(), "/<wbr>a/<wbr>&lt;b&gt;");
    }
}
