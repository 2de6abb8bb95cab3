//! Text as PostgreSQL can keep it: it has no U+0000.
//!
//! U+0000 and U+0001 become U+0001 and a digit. Order and prefixes stay as they were, so that keys can be compared and searched in
//! this form.

use std::borrow::Cow;

const MARK: char = '\u{1}';

/// Text for the database.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte <= 1) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\0' => escaped.push_str("\u{1}0"),
            MARK => escaped.push_str("\u{1}1"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// Text from the database; none if nobody escaped it.
pub(super) fn unescape(text: String) -> Option<String> {
    if !text.contains(MARK) {
        return Some(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            MARK => plain.push(match characters.next()? {
                '0' => '\0',
                '1' => MARK,
                _ => return None,
            }),
            other => plain.push(other),
        }
    }
    Some(plain)
}

/// The first text behind all that begin with a prefix; none if there is no such text.
pub(super) fn prefix_end(prefix: &str) -> Option<String> {
    let mut rest = prefix.chars();
    while let Some(last) = rest.next_back() {
        // What lies between two characters has no character: the surrogates.
        if let Some(next) =
            (u32::from(last) + 1..=0xe000).chain([u32::from(last) + 1]).find_map(char::from_u32)
        {
            return Some(format!("{}{next}", rest.as_str()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_no_special_character_is_not_copied() {
        assert!(matches!(escape("/subscriptions/ü"), Cow::Borrowed(_)));
        assert_eq!(unescape("\u{1}2".to_owned()), None);
        assert_eq!(unescape("\u{1}".to_owned()), None);
    }

    #[test]
    fn the_text_behind_a_prefix() {
        for (prefix, expected) in [
            ("", None),
            ("a", Some("b")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}", None),
            ("\u{d7ff}", Some("\u{e000}")),
        ] {
            assert_eq!(prefix_end(prefix).as_deref(), expected, "{prefix:?}");
        }
    }

    /// Texts of few characters, so that they are often alike.
    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![
                Just('\0'),
                Just('\u{1}'),
                Just('\u{2}'),
                Just('0'),
                Just('1'),
                Just('\u{10ffff}'),
                any::<char>()
            ],
            0..6,
        )
        .prop_map(|characters| characters.into_iter().collect())
    }

    proptest! {
        #[test]
        fn escaping_keeps_text_order_and_prefixes(one in text(), other in text()) {
            let (first, second) = (escape(&one), escape(&other));
            prop_assert!(!first.contains('\0'));
            prop_assert_eq!(unescape(first.to_string()), Some(one.clone()));
            prop_assert_eq!(one.cmp(&other), first.cmp(&second));
            prop_assert_eq!(one.starts_with(&other), first.starts_with(&*second));
        }

        #[test]
        fn what_begins_with_a_prefix_lies_before_the_text_behind_it(prefix in text(), more in text(), other in text()) {
            let (whole, behind) = (format!("{prefix}{more}"), prefix_end(&prefix));
            prop_assert!(behind.as_ref().is_none_or(|behind| whole < *behind));
            let is_within = other >= prefix && behind.is_none_or(|behind| other < behind);
            prop_assert_eq!(is_within, other.starts_with(&prefix));
        }
    }
}
