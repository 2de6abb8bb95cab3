//! Completion: what could be written at a place, and more about the item that is looked at.

use bicep::FilePath;
use bicep::editor::completion::{self, Completion, CompletionEdit, CompletionKind, FollowUp};
use diagnostics::LineIndex;
use serde::Serialize;
use serde_json::{Value, json};

use crate::document::range_of;
use crate::message::{Code, Failure};
use crate::protocol::{AtPosition, TextEdit};
use crate::snapshot::Snapshot;

/// A list that an editor shows. It is whole: the editor leaves out what does not fit to what is typed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct List {
    is_incomplete: bool,
    items: Vec<Item>,
}

/// One line of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    label: String,
    kind: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<Markdown>,
    sort_text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_text: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preselect: bool,
    insert_text_format: u8,
    insert_text_mode: u8,
    text_edit: TextEdit,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    additional_text_edits: Vec<TextEdit>,
    #[serde(skip_serializing_if = "is_empty")]
    commit_characters: &'static [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<Command>,
    /// The file that has more to say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Described>,
}

#[derive(Serialize)]
struct Markdown {
    kind: &'static str,
    value: String,
}

#[derive(Serialize)]
struct Command {
    title: &'static str,
    command: &'static str,
}

#[derive(Serialize)]
struct Described {
    file: String,
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
pub(super) fn answer(snapshot: &Snapshot, params: AtPosition) -> Result<List, Failure> {
    let (path, offset) = snapshot.place(&params)?;
    let lines = snapshot.lines(&path);
    let mut items = completion::complete(&snapshot.compiler, &path, offset);
    if !snapshot.snippets {
        items.iter_mut().for_each(|item| item.edit.make_plain());
    }
    Ok(List { is_incomplete: false, items: items.into_iter().map(|item| line(&lines, item)).collect() })
}

/// An item with what its file says about it. What the client sends is its own, and comes back.
pub(super) fn resolve(snapshot: &Snapshot, mut item: Value) -> Result<Value, Failure> {
    let Some(fields) = item.as_object_mut() else {
        return Err(Failure::new(Code::InvalidParams, "an item is an object".to_owned()));
    };
    let file = fields.get("data").and_then(|data| data.get("file")).and_then(Value::as_str);
    let described = file.map(FilePath::new).and_then(|file| completion::describe(&snapshot.compiler, &file));
    if let Some(text) = described {
        fields.insert("documentation".to_owned(), json!(Markdown { kind: "markdown", value: text }));
    }
    Ok(item)
}

fn line(lines: &LineIndex, item: Completion) -> Item {
    let edit = |edit: CompletionEdit| TextEdit { range: range_of(lines, edit.span), new_text: edit.text };
    Item {
        label: item.label.to_string(),
        kind: number(item.kind),
        detail: item.detail,
        documentation: item.documentation.map(|value| Markdown { kind: "markdown", value }),
        sort_text: item.sort_text.to_string(),
        filter_text: item.filter_text.map(|text| text.to_string()),
        preselect: item.preselect,
        insert_text_format: if item.edit.is_snippet { SNIPPET } else { PLAIN },
        insert_text_mode: ADJUST_INDENTATION,
        text_edit: edit(item.edit),
        additional_text_edits: item.additional_edits.into_iter().map(edit).collect(),
        commit_characters: item.commit_characters,
        command: item.follow_up.map(command),
        data: item.described_in.map(|file| Described { file: file.to_string() }),
    }
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
