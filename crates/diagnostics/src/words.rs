//! Messages: fragments, sentences, and what somebody else said.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// What is said of something that is wrong.
///
/// Our own words are a fragment, without a final period, so that they can stand inside a longer message; where a protocol has
/// sentences, they are a sentence, which knows its fragment. What somebody else said (a validator, the author of a contract, a
/// provider) stands as it was said, with or without a period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Message {
    text: Box<str>,
    /// Whether the last byte is the period of our own sentence.
    has_period: bool,
}

impl Message {
    /// A fragment as a sentence: with a final period, unless the words of somebody else at its end have one.
    pub fn sentence(fragment: impl Into<String>) -> Message {
        let mut text = fragment.into();
        let has_period = !text.ends_with('.');
        if has_period {
            text.push('.');
        }
        Message { text: text.into(), has_period }
    }

    /// The message without the period of our own sentence.
    pub fn fragment(&self) -> &str {
        let end = self.text.len() - usize::from(self.has_period);
        self.text.get(..end).unwrap_or(&self.text)
    }

    /// The message behind other words.
    #[must_use]
    pub fn behind(self, words: &str) -> Message {
        Message { text: format!("{words}{}", self.text).into(), ..self }
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A fragment, or what somebody else said.
impl From<String> for Message {
    fn from(text: String) -> Message {
        Message { text: text.into(), has_period: false }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        text.to_owned().into()
    }
}

impl From<Cow<'_, str>> for Message {
    fn from(text: Cow<'_, str>) -> Message {
        text.into_owned().into()
    }
}

impl From<Message> for String {
    fn from(message: Message) -> String {
        message.text.into()
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        *self.text == *other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        *self.text == **other
    }
}

/// The words as a sentence: with a capital letter and a final period.
pub fn sentence(words: &str) -> Message {
    let mut rest = words.chars();
    let text: String = rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect();
    Message::sentence(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_knows_its_fragment() {
        let message = sentence("must be even");
        assert_eq!((&*message, message.fragment()), ("Must be even.", "Must be even"));
        let message = message.behind("No: ");
        assert_eq!((&*message, message.fragment()), ("No: Must be even.", "No: Must be even"));
        assert_eq!(sentence("").fragment(), "");
    }

    #[test]
    fn what_somebody_else_said_stays_as_it_was_said() {
        for said in ["must be even.", "must be even"] {
            assert_eq!(Message::from(said).fragment(), said);
            assert_eq!(&*Message::sentence(said), "must be even.");
        }
        assert_eq!(Message::sentence("it is not: must be even.").fragment(), "it is not: must be even.");
    }
}
