//! Changes that a diagnostic offers.

use std::ops::Range;

use crate::{Span, Text};

/// One way to mend what was found: all its edits together, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, as an editor's menu shows it.
    pub title: Text,
    /// The edits, in any order; they do not overlap.
    pub edits: Vec<Edit>,
    /// Whether the meaning stays the same, so that it can be made unseen.
    pub is_safe: bool,
}

/// One replacement: an empty span inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// What takes its place.
    pub text: Text,
}

impl Fix {
    /// Makes a fix without edits, which changes the meaning until it is said that it does not.
    pub fn new(title: impl Into<Text>) -> Fix {
        Fix { title: title.into(), edits: Vec::new(), is_safe: false }
    }

    /// Says whether the meaning stays the same.
    #[must_use]
    pub fn safe(self, is_safe: bool) -> Fix {
        Fix { is_safe, ..self }
    }

    /// Adds an edit; those of one fix are made together.
    #[must_use]
    pub fn replace(mut self, span: Span, text: impl Into<Text>) -> Fix {
        self.edits.push(Edit { span, text: text.into() });
        self
    }
}

/// Returns the text with the edits made, or `None` when they overlap or do not fit the text.
///
/// All edits are taken to be of this text's file. Two insertions at one place come out in the order given.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e Edit>) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    splice(text, edits.iter().map(|edit| (edit.span.start..edit.span.end, edit.text.as_ref())))
}

/// The text with parts replaced that follow each other; none if one begins before the last ends, or inside a character.
#[must_use]
pub fn splice<'e>(text: &str, edits: impl IntoIterator<Item = (Range<u32>, &'e str)>) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (Range { start, end }, new) in edits {
        out.push_str(text.get(done..start as usize)?);
        out.push_str(new);
        // Refuses an end before the start and one inside a character.
        text.get(start as usize..end as usize)?;
        done = end as usize;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[track_caller]
    fn check(text: &str, edits: &[(u32, u32, &'static str)], expect: Option<&str>) {
        let fix = edits.iter().fold(Fix::new("t"), |fix, &(start, end, new)| {
            fix.replace(Span { file: FileId(0), start, end }, new)
        });
        assert_eq!(apply(text, &fix.edits).as_deref(), expect);
    }

    #[test]
    fn edits_apply_in_any_order() {
        check("var a = 1", &[(8, 9, "2"), (0, 3, "param")], Some("param a = 2"));
        check("abc", &[], Some("abc"));
    }

    #[test]
    fn insertions_at_one_place_keep_their_order() {
        check("ac", &[(1, 1, "1"), (1, 1, "2"), (1, 2, "C")], Some("a12C"));
    }

    #[test]
    fn overlapping_or_misplaced_edits_are_refused() {
        check("abcd", &[(0, 3, "x"), (2, 4, "y")], None);
        check("abcd", &[(3, 9, "x")], None);
        check("é", &[(1, 2, "x")], None);
        check("abcd", &[(3, 1, "x")], None);
    }
}
