//! Completion: what could be written at a place, and more about the item that is looked at.

use std::sync::Arc;

use bicep::FilePath;
use bicep::editor::completion::{self, Completion, CompletionEdit, CompletionKind, FollowUp};
use diagnostics::LineIndex;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use syntax::Span;

use crate::document::range_of;
use crate::message::{ErrorCode, ResponseError};
use crate::protocol::{AtPosition, Range};
use crate::snapshot::Snapshot;

/// A list that an editor shows. It is whole: the editor leaves out what does not fit to what is typed.
///
/// It can have thousands of items, so that they become text without becoming anything else before.
pub(super) struct List {
    items: Vec<Completion>,
    lines: Arc<LineIndex>,
    /// What items have that say nothing else; none if the editor wants all of it in each item.
    shared: Option<SharedItemFields>,
}

/// What most items of a list have in common.
#[derive(Clone, Copy)]
struct SharedItemFields {
    span: Span,
    is_snippet: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListText<'l> {
    is_incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_defaults: Option<Defaults>,
    items: CompletionItems<'l>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Defaults {
    edit_range: Range,
    insert_text_format: u8,
    insert_text_mode: u8,
}

/// The items of a list.
struct CompletionItems<'l>(&'l List);

/// One line of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CompletionItem<'i> {
    label: &'i str,
    kind: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'i str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<Markdown<'i>>,
    sort_text: &'i str,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_text: Option<&'i str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preselect: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    insert_text_format: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    insert_text_mode: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_edit: Option<Edit<'i>>,
    /// What is written at the place that the list names.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_edit_text: Option<&'i str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    additional_text_edits: Vec<Edit<'i>>,
    #[serde(skip_serializing_if = "is_empty")]
    commit_characters: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// The file that has more to say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Described<'i>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Edit<'i> {
    range: Range,
    new_text: &'i str,
}

#[derive(Serialize)]
struct Markdown<'i> {
    kind: &'static str,
    value: &'i str,
}

#[derive(Serialize)]
struct Command {
    title: &'static str,
    command: &'static str,
}

#[derive(Serialize)]
struct Described<'i> {
    file: &'i str,
}

/// Plain text, in the protocol.
const PLAIN: u8 = 1;
/// A snippet, in the protocol.
const SNIPPET: u8 = 2;
/// The lines of a text are indented like the one that it is put into.
const ADJUST_INDENTATION: u8 = 2;

/// What the capability says.
pub(super) fn options() -> Value {
    let characters = [":", " ", ".", "/", "'", "@", "{", "#", "?"];
    json!({ "triggerCharacters": characters, "resolveProvider": true })
}

/// The list for a place.
pub(super) fn answer(snapshot: &Snapshot, params: AtPosition) -> Result<List, ResponseError> {
    let (path, offset) = snapshot.place(&params)?;
    let lines = snapshot.lines(&path);
    let mut items = completion::complete(&snapshot.compiler, &path, offset);
    if !snapshot.abilities.snippets {
        items.iter_mut().for_each(|item| item.edit.make_plain());
    }
    let shared = items.first().filter(|_| snapshot.abilities.shared_items).map(|first| {
        let snippets = items.iter().filter(|item| item.edit.is_snippet).count();
        SharedItemFields { span: first.edit.span, is_snippet: 2 * snippets > items.len() }
    });
    Ok(List { items, lines, shared })
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let item_defaults = self.shared.map(|shared| Defaults {
            edit_range: range_of(&self.lines, shared.span),
            insert_text_format: format(shared.is_snippet),
            insert_text_mode: ADJUST_INDENTATION,
        });
        ListText { is_incomplete: false, item_defaults, items: CompletionItems(self) }.serialize(serializer)
    }
}

impl Serialize for CompletionItems<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let List { items, lines, shared } = self.0;
        // Nearly all items are for one place.
        let mut last: Option<(Span, Range)> = None;
        let mut range = |span: Span| match last {
            Some((known, range)) if known == span => range,
            _ => last.insert((span, range_of(lines, span))).1,
        };
        serializer.collect_seq(items.iter().map(|item| line(item, *shared, &mut range)))
    }
}

/// An item with what its file says about it. What the client sends is its own, and comes back.
pub(super) fn resolve(snapshot: &Snapshot, mut item: Value) -> Result<Value, ResponseError> {
    let Some(fields) = item.as_object_mut() else {
        return Err(ResponseError::new(ErrorCode::InvalidParams, "an item is an object".to_owned()));
    };
    let file = fields.get("data").and_then(|data| data.get("file")).and_then(Value::as_str);
    let described = file.map(FilePath::new).and_then(|file| completion::describe(&snapshot.compiler, &file));
    if let Some(text) = described {
        fields.insert("documentation".to_owned(), json!(Markdown { kind: "markdown", value: &text }));
    }
    Ok(item)
}

fn line<'i>(
    item: &'i Completion,
    shared: Option<SharedItemFields>,
    range: &mut impl FnMut(Span) -> Range,
) -> CompletionItem<'i> {
    let is_at_place = shared.is_some_and(|shared| shared.span == item.edit.span);
    let is_usual = shared.is_some_and(|shared| shared.is_snippet == item.edit.is_snippet);
    let mut edit = |edit: &'i CompletionEdit| Edit { range: range(edit.span), new_text: edit.text.as_str() };
    CompletionItem {
        label: &item.label,
        kind: number(item.kind),
        detail: item.detail.as_deref(),
        documentation: item.documentation.as_deref().map(|value| Markdown { kind: "markdown", value }),
        sort_text: &item.sort_text,
        filter_text: item.filter_text.as_deref(),
        preselect: item.preselect,
        insert_text_format: (!is_usual).then(|| format(item.edit.is_snippet)),
        insert_text_mode: shared.is_none().then_some(ADJUST_INDENTATION),
        text_edit: (!is_at_place).then(|| edit(&item.edit)),
        // Without it, the label is written.
        text_edit_text: Some(item.edit.text.as_str()).filter(|text| is_at_place && *text != item.label),
        additional_text_edits: item.additional_edits.iter().map(edit).collect(),
        commit_characters: item.commit_characters,
        command: item.follow_up.map(command),
        data: item.described_in.as_ref().map(|file| Described { file: file.as_str() }),
    }
}

fn format(is_snippet: bool) -> u8 {
    if is_snippet { SNIPPET } else { PLAIN }
}

fn is_empty(characters: &&[&str]) -> bool {
    characters.is_empty()
}

/// What the editor does next. Editors that do not know these commands leave them out.
fn command(follow_up: FollowUp) -> Command {
    match follow_up {
        FollowUp::Suggest => Command { title: "suggest", command: "editor.action.triggerSuggest" },
        FollowUp::ParameterHints => {
            Command { title: "signature help", command: "editor.action.triggerParameterHints" }
        }
    }
}

/// The number of a kind in the protocol.
fn number(kind: CompletionKind) -> u8 {
    match kind {
        CompletionKind::Text => 1,
        CompletionKind::Function => 3,
        CompletionKind::Field => 5,
        CompletionKind::Variable => 6,
        CompletionKind::Class => 7,
        CompletionKind::Interface => 8,
        CompletionKind::Module => 9,
        CompletionKind::Property => 10,
        CompletionKind::Value => 12,
        CompletionKind::Enum => 13,
        CompletionKind::Keyword => 14,
        CompletionKind::Snippet => 15,
        CompletionKind::File => 17,
        CompletionKind::Reference => 18,
        CompletionKind::Folder => 19,
        CompletionKind::EnumMember => 20,
        CompletionKind::Operator => 24,
        CompletionKind::TypeParameter => 25,
    }
}
