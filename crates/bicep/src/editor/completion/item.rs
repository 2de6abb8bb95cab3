//! What is offered: an item of the list, and how items are made.

use smol_str::{SmolStr, format_smolstr};
use syntax::Span;

use crate::FilePath;
use crate::editor::display::{MAX_LINE, MAX_TEXT, cut};

/// Something that can be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows.
    pub label: SmolStr,
    /// What kind of thing it is, for its icon.
    pub kind: CompletionKind,
    /// A few words about it, beside the label.
    pub detail: Option<String>,
    /// More about it, in Markdown.
    pub documentation: Option<String>,
    /// Where it stands in the list: items are sorted by this text.
    pub sort_text: SmolStr,
    /// What the text before the cursor is compared with; the label if there is none.
    pub filter_text: Option<SmolStr>,
    /// Whether it is chosen when the list opens.
    pub preselect: bool,
    /// What choosing it writes.
    pub edit: CompletionEdit,
    /// Changes elsewhere in the file that choosing it makes.
    pub additional_edits: Vec<CompletionEdit>,
    /// Characters that choose it when they are typed.
    pub commit_characters: &'static [&'static str],
    /// What the editor does when it was chosen.
    pub follow_up: Option<FollowUp>,
    /// The file of a module that says what it is for, for [`describe`](super::describe).
    pub described_in: Option<FilePath>,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionEdit {
    /// The bytes that are replaced when it is accepted.
    pub span: Span,
    /// What stands there then.
    pub text: String,
    /// Whether the text is a snippet: `$1` and `${1:name}` are places to fill in, and `$0` is the last one.
    pub is_snippet: bool,
}

impl CompletionEdit {
    /// Writes out what a snippet looks like before anything is filled in, for editors that cannot do that.
    pub fn make_plain(&mut self) {
        if self.is_snippet {
            self.text = without_places(&self.text);
            self.is_snippet = false;
        }
    }
}

/// What an editor does when an item was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowUp {
    /// It shows the list for what comes next.
    Suggest,
    /// It shows the parameters of the function.
    ParameterHints,
}

/// What kind of thing an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "what the protocol calls the others says it")]
pub enum CompletionKind {
    /// A type, built in or imported.
    Class,
    /// A word with a meaning of its own.
    Enum,
    /// One of the values of a type.
    EnumMember,
    /// A parameter, where one is assigned.
    Field,
    /// A file that a path can name.
    File,
    /// A folder or a namespace.
    Folder,
    /// A function or decorator.
    Function,
    /// A resource that the file declares.
    Interface,
    Keyword,
    Module,
    Operator,
    Property,
    /// A module of a registry, or the registry.
    Reference,
    Snippet,
    /// Text without a meaning of its own.
    Text,
    /// A type that the program declares.
    TypeParameter,
    /// A value that is written as it is, such as `true`.
    Value,
    /// A variable of the file, or of a loop or lambda.
    Variable,
}

/// Where an item stands in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Priority {
    VeryHigh,
    High,
    Medium,
    Low,
}

impl Priority {
    /// The text that sorts a label with this priority.
    pub(super) fn sort_text(self, label: &str) -> SmolStr {
        format_smolstr!("{}_{label}", self as u8)
    }
}

/// The characters that choose a property.
pub(super) const BEFORE_MEMBER: &[&str] = &["."];
/// The characters that choose a resource, which can be followed by `::`.
pub(super) const BEFORE_NESTED: &[&str] = &[":"];

impl Completion {
    /// An item that writes a text in the place of `span`.
    pub(super) fn plain(
        kind: CompletionKind,
        label: impl Into<SmolStr>,
        priority: Priority,
        span: Span,
        text: impl Into<String>,
    ) -> Completion {
        let label = label.into();
        Completion {
            kind,
            sort_text: priority.sort_text(&label),
            label,
            detail: None,
            documentation: None,
            filter_text: None,
            preselect: false,
            edit: CompletionEdit { span, text: text.into(), is_snippet: false },
            additional_edits: Vec::new(),
            commit_characters: &[],
            follow_up: None,
            described_in: None,
        }
    }

    /// An item that writes a snippet and shows what it will look like.
    pub(super) fn snippet(
        label: &str,
        detail: &str,
        priority: Priority,
        span: Span,
        text: &str,
    ) -> Completion {
        let shown = format!("```bicep\n{}\n```  \n", without_places(text));
        Completion::plain(CompletionKind::Snippet, label, priority, span, text)
            .into_snippet()
            .detail(detail)
            .documentation(shown)
    }

    pub(super) fn keyword(word: &str, detail: &str, priority: Priority, span: Span) -> Completion {
        Completion::plain(CompletionKind::Keyword, word, priority, span, word).detail(detail)
    }

    pub(super) fn into_snippet(mut self) -> Completion {
        self.edit.is_snippet = true;
        self
    }

    pub(super) fn detail(mut self, detail: impl Into<String>) -> Completion {
        self.detail = Some(cut(detail.into(), MAX_LINE));
        self
    }

    pub(super) fn documentation(mut self, markdown: String) -> Completion {
        self.documentation = Some(cut(markdown, MAX_TEXT)).filter(|text| !text.is_empty());
        self
    }

    pub(super) fn filter_text(mut self, text: impl Into<SmolStr>) -> Completion {
        self.filter_text = Some(text.into());
        self
    }

    pub(super) fn preselect(mut self, preselect: bool) -> Completion {
        self.preselect = preselect;
        self
    }

    pub(super) fn commit(mut self, characters: &'static [&'static str]) -> Completion {
        self.commit_characters = characters;
        self
    }

    pub(super) fn follow_up(mut self, follow_up: FollowUp) -> Completion {
        self.follow_up = Some(follow_up);
        self
    }

    pub(super) fn also(mut self, span: Span, text: &str) -> Completion {
        self.additional_edits.push(CompletionEdit { span, text: text.to_owned(), is_snippet: false });
        self
    }
}

/// A text as it is written in a snippet, where some characters mean something else.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$")
}

/// One line of Markdown; nothing for no text.
pub(super) fn markdown_line(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{text}  \n") }
}

/// A snippet as it looks before anything is filled in: `${1:name}` is `name`, and `$0` nothing.
fn without_places(snippet: &str) -> String {
    let mut shown = String::with_capacity(snippet.len());
    let mut rest = snippet;
    // The texts of places can hold other places, so only how many are open is counted.
    let mut open = 0u32;
    while let Some(next) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix('\\')
            && let Some(meant) = behind.chars().next().filter(|it| matches!(it, '\\' | '$' | '}'))
        {
            shown.push(meant);
            rest = behind.get(1..).unwrap_or_default();
            continue;
        }
        if let Some(behind) = rest.strip_prefix('$') {
            let digits = behind.trim_start_matches(|c: char| c.is_ascii_digit());
            if digits.len() < behind.len() {
                rest = digits;
                continue;
            }
            let named =
                behind.strip_prefix('{').map(|it| (it, it.trim_start_matches(|c: char| c.is_ascii_digit())));
            if let Some((number, after)) = named
                && after.len() < number.len()
                && let Some(text) = after.strip_prefix(':')
            {
                open += 1;
                rest = text;
                continue;
            }
        }
        if next == '}' && open > 0 {
            open -= 1;
        } else {
            shown.push(next);
        }
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_shown_without_its_places() {
        assert_eq!(
            without_places("[for ${2:item} in ${1:list}: {\n\t$0\n}]"),
            "[for item in list: {\n\t\n}]"
        );
        assert_eq!(without_places("name: $1 costs $ and ${x}"), "name:  costs $ and ${x}");
        assert_eq!(without_places("'${${0:id}}': {}"), "'${id}': {}");
        for text in ["$k", r"a\'b", r"\$1", "x"] {
            assert_eq!(without_places(&escaped(text)), text);
        }
    }

    #[test]
    fn items_of_a_higher_priority_come_first() {
        let texts = [Priority::VeryHigh, Priority::High, Priority::Medium, Priority::Low]
            .map(|priority| priority.sort_text("a"));
        assert_eq!(texts, ["0_a", "1_a", "2_a", "3_a"]);
    }
}
