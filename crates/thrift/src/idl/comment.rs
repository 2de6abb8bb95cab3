//! Comments, and the documentation they carry.

use crate::Span;

/// How a comment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommentKind {
    /// From `//` to the end of the line.
    Line,
    /// From `#` to the end of the line.
    Hash,
    /// `/* text */`, also `/**/`
    Block,
    /// Documentation, from `/**` to `*/`.
    Doc,
}

/// A comment as written, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// How it is written.
    pub kind: CommentKind,
    /// The whole text, with its marks.
    pub raw: String,
    /// Where it is, marks included.
    pub span: Span,
}

/// The comments that belong to a definition, field, value or function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments {
    /// The comments before it.
    pub leading: Vec<Comment>,
    /// The comments behind it on its last line.
    pub trailing: Vec<Comment>,
}

impl Comments {
    /// Returns the text of the last doc comment before the thing, without marks and margins.
    pub fn doc(&self) -> Option<String> {
        let comment = self.leading.iter().rev().find(|comment| comment.kind == CommentKind::Doc)?;
        let body = comment.raw.strip_prefix("/**").and_then(|text| text.strip_suffix("*/"))?;
        Some(clean(body))
    }
}

/// Takes off the column of stars and the common indentation.
fn clean(body: &str) -> String {
    let lines: Vec<&str> = body
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let line = line.trim_end();
            if number == 0 {
                return line.trim_start();
            }
            let inner = line.trim_start();
            inner.strip_prefix('*').unwrap_or(line)
        })
        .collect();
    let margin = lines
        .iter()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let cut: Vec<&str> = lines
        .iter()
        .enumerate()
        .map(|(number, line)| if number == 0 { *line } else { line.get(margin..).unwrap_or("") })
        .collect();
    cut.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_loses_its_frame_and_keeps_its_shape() {
        assert_eq!(clean(" One line. "), "One line.");
        assert_eq!(clean("\n * First.\n *\n *   Indented.\n * Last.\n "), "First.\n\n  Indented.\nLast.");
        assert_eq!(clean("\n   No stars\n     here\n"), "No stars\n  here");
    }
}
