//! Violations of what somebody wrote, as diagnostics with their places.
//!
//! The command line, the server and its pages all say it in the same words.

use diagnostics::{Diagnostic, FileId, SourceMap, Span};
use value::{Constant, MASK, Node, Path, PathStep, View};

use crate::violation::Violation;

/// A violation with its places, ready to be shown.
pub struct LocatedViolation {
    /// Which document of the text it is in, from zero.
    pub document: usize,
    /// What the contract says.
    pub violation: Violation,
    /// Where the value is.
    pub span: Span,
    /// Where the rule is.
    pub written: Option<Span>,
}

impl LocatedViolation {
    /// Works out the places of a violation.
    pub fn new<'v, V: View<'v>>(index: usize, root: V, violation: Violation) -> LocatedViolation {
        let span = span_of(&violation, root);
        let written = violation.written;
        LocatedViolation { document: index, violation, span, written }
    }

    /// The violation as people and tools see it; `several` says that the text has more than one document.
    ///
    /// Of a value or rule over several lines only the first is marked: the rest would be shown for nothing.
    pub fn diagnostic(&self, sources: &SourceMap, several: bool) -> Diagnostic {
        let hint = &self.violation.hint;
        let span = first_line(sources, self.shown_span(sources));
        let mut text = self.violation.message();
        if let Some(found) = self.shown_value(sources) {
            text.push_str(&format!(", found `{found}`"));
        }
        let mut diagnostic = Diagnostic::error(self.code(), text)
            .at(span)
            .pointer(self.violation.path.pointer())
            .label(span, self.place(several));
        if let Some(written) = self.written {
            diagnostic = diagnostic.rule(first_line(sources, written));
        }
        match hint {
            Some(hint) => diagnostic.help(String::from(&**hint)),
            None => diagnostic,
        }
    }

    /// The rule's name; one that a dialect makes of others has its own.
    pub fn code(&self) -> &'static str {
        if &*self.violation.rule == READ_ONLY { READ_ONLY } else { self.violation.code }
    }

    /// Whether the value is a secret, or stands where one does: through an alias of YAML, a secret may be a part of something else, too. What
    /// the contract masked in a value may be shown around the masks, if there is one for each secret.
    pub fn is_hidden(&self, sources: &SourceMap) -> bool {
        // What is wrong with an unknown property is its name, and with what is missing that there is nothing.
        let is_value = self.violation.place.is_some() && self.violation.code != UNKNOWN_PROPERTY;
        let masks = self.violation.found.as_deref().map_or(0, |found| found.matches(MASK).count());
        self.violation.is_masked() || (is_value && sources.hidden_parts(self.span) > masks)
    }

    /// Where the value is; of one that is a secret only the start, since its length says something about it.
    pub fn shown_span(&self, sources: &SourceMap) -> Span {
        let is_secret =
            self.is_hidden(sources) && (self.violation.is_masked() || sources.is_hidden(self.span));
        if is_secret { Span::empty(self.span.file, self.span.start) } else { self.span }
    }

    /// The value, if it says more than the message does: scalars that are no secret and not themselves in the way.
    pub fn shown_value(&self, sources: &SourceMap) -> Option<&str> {
        let found = self.violation.found.as_deref()?;
        let hidden = self.is_hidden(sources)
            || found.starts_with(['{', '['])
            || self.violation.code == UNKNOWN_PROPERTY;
        (!hidden).then_some(found)
    }

    /// Where the value is in its document, in both spellings.
    fn place(&self, several: bool) -> String {
        let Violation { path, .. } = &self.violation;
        let pointer = path.pointer();
        let place = if pointer.is_empty() { path.to_string() } else { format!("{path} ({pointer})") };
        if several { format!("document {}: {place}", self.document + 1) } else { place }
    }
}

/// The rule of resource types for what only the server sets.
pub const READ_ONLY: &str = "readOnly";

/// The rule that finds fault with a property's name, not with its value.
pub const UNKNOWN_PROPERTY: &str = "additionalProperties";

/// The part of a span that is on its first line.
fn first_line(sources: &SourceMap, span: Span) -> Span {
    let text = sources.slice(span).unwrap_or_default();
    let length = text.find(['\n', '\r']).unwrap_or(text.len());
    Span::new(span.file, span.start, span.start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX)))
}

/// The place of the value, or of the nearest value around it that exists.
///
/// Only the start of a secret is told, since the length of one says something about it.
fn span_of<'v, V: View<'v>>(violation: &Violation, root: V) -> Span {
    let place = match violation.code {
        // What is wrong with an unknown property is its name.
        UNKNOWN_PROPERTY => key_place(&violation.path, root).or(violation.place),
        _ => violation.place,
    };
    let place = place.or_else(|| nearest(&violation.path.steps, root).place());
    let span = place.unwrap_or(Span::empty(FileId::FIRST, 0));
    if violation.is_masked() || violation.place.is_none() { Span::empty(span.file, span.start) } else { span }
}

/// Where the name of a member is that a path leads to.
fn key_place<'v, V: View<'v>>(path: &Path, root: V) -> Option<Span> {
    let (last, parents) = path.steps.split_last()?;
    let PathStep::Name(name) = last else { return None };
    let parent = parents.iter().try_fold(root, step)?;
    let (key, _) =
        parent.members().find(|(key, _)| matches!(key.node(), Node::Text(text) if *text == **name))?;
    key.place()
}

/// The value that a path leads to, or the nearest one around it that is there.
fn nearest<'v, V: View<'v>>(steps: &[PathStep], root: V) -> V {
    let mut here = root;
    for to in steps {
        match step(here, to) {
            Some(next) => here = next,
            None => break,
        }
    }
    here
}

/// The part of a value that one step leads to.
fn step<'v, V: View<'v>>(value: V, step: &PathStep) -> Option<V> {
    match step {
        PathStep::Name(name) => value.member(name),
        PathStep::Entry(Constant::Text(name)) => value.member(name),
        PathStep::Index(index) => value.item(*index),
        PathStep::Entry(_) | PathStep::Key(_) | PathStep::Secret => None,
    }
}
