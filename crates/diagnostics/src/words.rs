//! Messages as fragments and as sentences.
//!
//! A message is a fragment without a final period, so that it can stand inside a longer one. Words that come from
//! outside (what a validator answers, what the author of a contract wrote, the errors of the ARM REST API) are
//! sentences as often as not. These two functions are the only code that turns one into the other.

/// The words as a fragment: without the periods at their end.
pub fn fragment(words: &str) -> &str {
    words.trim_end_matches('.')
}

/// The words as a sentence: with a capital letter and a final period.
pub fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let mut text: String = rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect();
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_made_a_fragment_or_a_sentence_whatever_they_are() {
        for words in ["must be even", "must be even."] {
            assert_eq!(fragment(words), "must be even");
            assert_eq!(sentence(words), "Must be even.");
        }
        assert_eq!(sentence(""), ".");
    }
}
