//! What an editor asks: what stands here, what could be written here, and how the words are coloured.

use bicep::editor::{self, completion};
use diagnostics::{FileId, Span};
use serde::Serialize;

use crate::Project;
use crate::diagnostic::{Replacement, TextPlace};
use crate::project::{path_of, source_file, text_of};

/// What is to be said about a name.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HoverText {
    /// The name that it speaks of.
    pub place: TextPlace,
    /// What is said, as Markdown.
    pub markdown: String,
}

/// Something that could be written at a place.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCompletion {
    /// What a list shows.
    pub label: String,
    /// What it is, in one word: `property`, `function`.
    pub kind: String,
    /// A few words about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// More about it, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// Items are sorted by this text.
    pub sort_text: String,
    /// What the text before the cursor is compared with, if it is not the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_text: Option<String>,
    /// What choosing it writes.
    pub edit: Replacement,
    /// What else choosing it changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_edits: Vec<Replacement>,
}

/// A word with what it is, for its colour.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaintedToken {
    /// The start, from the beginning of the text, in the unit of columns.
    pub start: u32,
    /// The place behind the end, in the unit of `start`.
    pub end: u32,
    /// What it is, in one word: `keyword`, `string`.
    pub kind: &'static str,
}

/// A file that is asked about.
struct AskedFile {
    path: bicep::FilePath,
    name: String,
    source: diagnostics::SourceFile,
}

impl Project {
    fn asked(&self, name: &str) -> Option<AskedFile> {
        let path = path_of(name);
        let name = self.shown(&path);
        let source = source_file(&name, text_of(self.compiler(), &path)?);
        Some(AskedFile { path, name, source })
    }

    fn place(&self, file: &AskedFile, span: syntax::Span) -> TextPlace {
        let span = Span::new(FileId::FIRST, span.start, span.end);
        TextPlace::of(&file.name, &file.source, span, self.columns())
    }

    /// What is to be said about what stands at a line and column, both from 1.
    pub fn hover(&self, name: &str, line: u32, column: u32) -> Option<HoverText> {
        let file = self.asked(name)?;
        let offset = file.source.lines().offset(diagnostics::Position { line, column }, self.columns());
        let found = editor::hover(self.compiler(), &file.path, offset)?;
        Some(HoverText { place: self.place(&file, found.span), markdown: found.markdown })
    }

    /// What could be written at a line and column, both from 1, in the order in which it is shown.
    pub fn complete(&self, name: &str, line: u32, column: u32) -> Vec<ListedCompletion> {
        let Some(file) = self.asked(name) else { return Vec::new() };
        let offset = file.source.lines().offset(diagnostics::Position { line, column }, self.columns());
        let replaced = |edit: &completion::CompletionEdit| Replacement {
            place: self.place(&file, edit.span),
            text: edit.text.clone(),
        };
        let mut items = completion::complete(self.compiler(), &file.path, offset);
        items.sort_by(|one, other| one.sort_text.cmp(&other.sort_text));
        let listed = items.into_iter().map(|mut item| {
            item.edit.make_plain();
            ListedCompletion {
                label: item.label.to_string(),
                kind: format!("{:?}", item.kind).to_lowercase(),
                detail: item.detail,
                documentation: item.documentation,
                sort_text: item.sort_text.to_string(),
                filter_text: item.filter_text.map(|text| text.to_string()),
                edit: replaced(&item.edit),
                additional_edits: item.additional_edits.iter().map(replaced).collect(),
            }
        });
        listed.collect()
    }

    /// The words of a file by position.
    pub fn tokens(&self, name: &str) -> Vec<PaintedToken> {
        let Some(file) = self.asked(name) else { return Vec::new() };
        let lines = file.source.lines();
        let painted = editor::semantic_tokens(self.compiler(), &file.path, None).into_iter().map(|token| {
            PaintedToken {
                start: lines.count(token.span.start, self.columns()),
                end: lines.count(token.span.end, self.columns()),
                kind: token.kind.name(),
            }
        });
        painted.collect()
    }
}
