//! The documents that are open in the editor, as it has them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bicep::FilePath;
use diagnostics::{Columns, LineIndex};
use serde::Deserialize;
use syntax::Span;

use crate::protocol::{Position, Range};
use crate::uri;

/// What a document holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// A program, `.bicep`, or tests of programs, `.biceptest`.
    Bicep,
    /// A parameters file, `.bicepparam`.
    Params,
    /// `bicepconfig.json`
    Config,
    /// Something else that programs may read.
    Other,
}

impl Language {
    /// What a document holds, by what the editor says and by its name.
    pub(crate) fn of(id: &str, uri: &str) -> Language {
        let ends_with = |ending: &str| {
            uri.len() >= ending.len()
                && uri.get(uri.len() - ending.len()..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
        };
        match id {
            // Whatever the editor calls it, programs find their configuration by this name.
            _ if ends_with("/bicepconfig.json") => Language::Config,
            "bicep-params" | "bicepparam" => Language::Params,
            // Editors with one mode for both say `bicep`.
            _ if ends_with(".bicepparam") => Language::Params,
            "bicep" => Language::Bicep,
            _ if ends_with(".bicep") || ends_with(".biceptest") => Language::Bicep,
            _ => Language::Other,
        }
    }

    /// How names of such files end.
    pub(crate) fn ending(self) -> Option<&'static str> {
        match self {
            Language::Bicep => Some(".bicep"),
            Language::Params => Some(".bicepparam"),
            Language::Config | Language::Other => None,
        }
    }

    /// Tells whether the compiler compiles it.
    pub(crate) fn is_compiled(self) -> bool {
        matches!(self, Language::Bicep | Language::Params)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct OpenDocument {
    /// Its address, as the editor writes it.
    pub(crate) uri: String,
    /// How its text is to be read.
    pub(crate) language: Language,
    /// Which version of it this is.
    pub(crate) version: i32,
    /// Its text, with where its lines begin.
    pub(crate) lines: Arc<LineIndex>,
}

/// A change of a document: of a stretch, or of everything.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TextChange {
    /// What is replaced; everything if there is none.
    pub(crate) range: Option<Range>,
    /// What takes its place.
    pub(crate) text: String,
}

/// The open documents by their paths.
pub(crate) type Documents = BTreeMap<FilePath, Arc<OpenDocument>>;

impl OpenDocument {
    /// A document that was opened.
    pub(crate) fn new(uri: String, language: Language, version: i32, text: String) -> OpenDocument {
        OpenDocument { uri, language, version, lines: Arc::new(LineIndex::new(text)) }
    }

    /// Addresses that nobody writes, such as the other side of a diff, have no diagnostics.
    pub(crate) fn has_diagnostics(&self) -> bool {
        uri::is_written(&self.uri)
    }

    /// The document after changes, which were made one after the other.
    pub(crate) fn changed(&self, version: i32, changes: &[TextChange]) -> OpenDocument {
        // All but what comes after the last change of everything is gone.
        let last = changes.iter().rposition(|change| change.range.is_none()).unwrap_or(0);
        let mut lines = Arc::clone(&self.lines);
        for change in changes.get(last..).unwrap_or_default() {
            let changed = match change.range {
                None => LineIndex::new(change.text.as_str()),
                Some(range) => {
                    let span = span_of(&lines, range);
                    let (start, end) = (span.start as usize, span.end as usize);
                    let text = lines.text();
                    let mut new = String::with_capacity(text.len() + change.text.len());
                    new.push_str(text.get(..start).unwrap_or_default());
                    new.push_str(&change.text);
                    new.push_str(text.get(end..).unwrap_or_default());
                    LineIndex::new(new)
                }
            };
            lines = Arc::new(changed);
        }
        OpenDocument { uri: self.uri.clone(), language: self.language, version, lines }
    }

    /// The text as the compiler reads it.
    pub(crate) fn bytes(&self) -> Arc<[u8]> {
        Arc::clone(self.lines.text()).into()
    }

    pub(crate) fn path(&self) -> FilePath {
        uri::path_of(&self.uri, self.language.ending())
    }
}

/// The offset of a position; one outside the text is the nearest place inside.
pub(crate) fn offset_of(lines: &LineIndex, position: Position) -> u32 {
    let line = position.line.saturating_add(1);
    let column = position.character.saturating_add(1);
    lines.offset(diagnostics::Position { line, column }, Columns::Utf16)
}

/// The bytes of a range; a range that ends before it starts is empty.
pub(crate) fn span_of(lines: &LineIndex, range: Range) -> Span {
    let start = offset_of(lines, range.start);
    Span::new(start, offset_of(lines, range.end).max(start))
}

/// The position of an offset.
pub(crate) fn position_of(lines: &LineIndex, offset: u32) -> Position {
    let position = lines.position(offset, Columns::Utf16);
    Position { line: position.line.saturating_sub(1), character: position.column.saturating_sub(1) }
}

/// The range of bytes.
pub(crate) fn range_of(lines: &LineIndex, span: Span) -> Range {
    let start = position_of(lines, span.start);
    Range { start, end: position_of(lines, span.end).max(start) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, changes: &[(Option<[u32; 4]>, &str)], expect: &str) {
        let document = OpenDocument::new("file:///a.bicep".to_owned(), Language::Bicep, 1, before.to_owned());
        let changes: Vec<TextChange> = changes
            .iter()
            .map(|(range, text)| TextChange {
                range: range.map(|[a, b, c, d]| Range {
                    start: Position { line: a, character: b },
                    end: Position { line: c, character: d },
                }),
                text: (*text).to_owned(),
            })
            .collect();
        let changed = document.changed(2, &changes);
        assert_eq!(changed.lines.text().as_ref(), expect);
        assert_eq!(&*changed.bytes(), expect.as_bytes());
    }

    #[test]
    fn a_parameters_file_is_one_also_if_the_editor_says_bicep() {
        let language = |id, uri| Language::of(id, uri);
        assert_eq!(language("bicep", "file:///a/main.bicepparam"), Language::Params);
        assert_eq!(language("bicep", "untitled:Untitled-1"), Language::Bicep);
        assert_eq!(language("bicep-params", "untitled:Untitled-1"), Language::Params);
        assert_eq!(language("", "file:///a/main.bicep"), Language::Bicep);
        assert_eq!(language("jsonc", "file:///a/bicepconfig.json"), Language::Config);
        assert_eq!(language("yaml", "file:///a/b.yaml"), Language::Other);
    }

    #[test]
    fn changes_are_made_one_after_the_other() {
        check("ab\ncd", &[(Some([0, 1, 1, 1]), "X")], "aXd");
        check("ab", &[(Some([0, 2, 0, 2]), "c"), (Some([0, 0, 0, 1]), "")], "bc");
        check("ab", &[(Some([0, 0, 0, 0]), "x"), (None, "new"), (Some([0, 3, 0, 3]), "!")], "new!");
        check("ab", &[], "ab");
    }

    #[test]
    fn columns_are_those_of_utf_16() {
        check("'😀'", &[(Some([0, 3, 0, 3]), "x")], "'😀x'");
        check("語x", &[(Some([0, 1, 0, 2]), "")], "語");
    }

    #[test]
    fn places_outside_the_text_are_its_nearest() {
        check("ab\n", &[(Some([9, 9, 99, 0]), "c")], "ab\nc");
        check("ab\ncd", &[(Some([0, 99, 0, 99]), "!")], "ab!\ncd");
        check("ab", &[(Some([0, 2, 0, 0]), "c")], "abc");
        check("ab", &[(Some([u32::MAX, u32::MAX, u32::MAX, u32::MAX]), "c")], "abc");
    }
}
