//! The order in which templates list names: that of people, not of bytes.
//!
//! Punctuation comes before digits, digits before letters, and case decides only between names that are equal without
//! it. This is the root order of Unicode for the characters that names have; any other character sorts by its number.

use std::cmp::Ordering;

/// Punctuation of ASCII, in order.
const PUNCTUATION: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let weights = |text: &str| text.chars().map(weight).collect::<Vec<_>>();
    // Small letters come before capitals, at the first place where only case differs.
    let case = |text: &str| text.chars().map(char::is_uppercase).collect::<Vec<_>>();
    weights(a).cmp(&weights(b)).then_with(|| case(a).cmp(&case(b)))
}

fn weight(character: char) -> u32 {
    const DIGITS: u32 = 64;
    const LETTERS: u32 = 128;
    const OTHERS: u32 = 256;
    match character {
        '0'..='9' => DIGITS + u32::from(character) - u32::from('0'),
        'a'..='z' => LETTERS + u32::from(character) - u32::from('a'),
        'A'..='Z' => LETTERS + u32::from(character) - u32::from('A'),
        other => match PUNCTUATION.find(other) {
            Some(place) => u32::try_from(place).unwrap_or(0) + 1,
            None => OTHERS + u32::from(other.to_lowercase().next().unwrap_or(other)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_sort_them() {
        let mut names = [
            "devCenter_project",
            "devcenter_gallery",
            "devcenter",
            "avmContainerAppEnv",
            "avmContainerApp_API",
            "_1.a",
            "a::b",
            "a",
        ];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(
            names,
            [
                "_1.a",
                "a",
                "a::b",
                "avmContainerApp_API",
                "avmContainerAppEnv",
                "devcenter",
                "devcenter_gallery",
                "devCenter_project"
            ]
        );
        assert_eq!(compare("a", "A"), Ordering::Less);
        assert_eq!(compare("B", "a"), Ordering::Greater);
    }
}
