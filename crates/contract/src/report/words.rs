//! The words of messages.

use crate::program::Gate;

pub(super) fn equal_elements((earlier, later): (usize, usize)) -> String {
    format!("element {later} equals element {earlier}")
}

/// Lists as many as a reader takes in at a glance.
pub(super) fn list_some<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> String {
    const MOST: usize = 8;
    let mut all = all.into_iter();
    let some: Vec<T> = all.by_ref().take(MOST).collect();
    let some = some.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match all.count() {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

pub(super) fn quoted(name: &str) -> String {
    format!("`{name}`")
}

impl Gate {
    /// What the gate lets pass, in words: `a string`, `an integer (8 bits)`, `a string or null`.
    pub(super) fn expects(&self) -> String {
        if let Some(title) = &self.title {
            return format!("`{title}`");
        }
        let kinds = if self.nullable { self.accept | crate::Kind::Null.into() } else { self.accept };
        match self.width.name() {
            Some(width) => format!("{} ({width})", with_article(&kinds.to_string())),
            None => with_article(&kinds.to_string()),
        }
    }
}

/// Puts an indefinite article before a noun that takes one.
pub(super) fn with_article(noun: &str) -> String {
    match noun.chars().next() {
        _ if noun.starts_with("null") || noun.starts_with("any ") || noun.starts_with("no ") => {
            noun.to_owned()
        }
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}
