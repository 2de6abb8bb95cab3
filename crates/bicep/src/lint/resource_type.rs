//! What resource types look like in the arguments of functions.

/// Tells whether a text looks like a resource type: letters, with a dot in the first word.
pub(super) fn is_type(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let Some((provider, rest)) = text.split_once('/') else { return false };
    let provider = provider.split_once('.').is_some_and(|(a, b)| is_word(a) && is_word(b));
    provider && rest.split('/').all(is_word)
}
