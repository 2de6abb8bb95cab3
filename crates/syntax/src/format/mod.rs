//! The formatter: one way to break lines, to indent and to place comments.
//!
//! The text is that of the reference compiler. `rows` has one row for each kind of node, `layout` and `list` walk over
//! the tree and make a `document` of it: texts and places where a line can break. `print` decides which of them do.
//! Comments stay beside the token that they belong to (`comments`).
//!
//! Where the reference compiler loses a comment or a decorator, it is kept; where its result is another program, there
//! are line breaks that keep it the same; and where its result would be formatted otherwise once more, [`format()`] does
//! that at once.

mod comments;
mod document;
mod layout;
mod list;
mod options;
mod print;
mod rows;

pub use options::{FormatOptions, IndentKind, NewlineKind};

use crate::{Code, SyntaxTree};

/// How often a result is formatted again until it is settled.
const MAX_PASSES: usize = 8;

/// Formats a program. Formatting the result changes nothing.
///
/// Declarations with syntax errors, and what is no declaration at all, stay as they are. No token and no comment is
/// lost, except that commas and the first bar of a union come and go with line breaks.
#[must_use]
pub fn format(tree: &SyntaxTree, options: &FormatOptions) -> String {
    let (mut text, mut is_settled) = pass(tree, options, false);
    let mut passes = 1;
    while !is_settled && passes < MAX_PASSES {
        (text, is_settled) = pass(&crate::parse(text, tree.source_kind()), options, false);
        passes += 1;
    }
    text
}

/// Formats a program as the reference compiler does. There are programs for which formatting the result
/// changes it again, and decorators in brackets that fit on one line are put there, where they cannot be read.
#[must_use]
pub fn format_once(tree: &SyntaxTree, options: &FormatOptions) -> String {
    pass(tree, options, true).0
}

/// Formats, and tells whether the result stays if it is formatted.
fn pass(tree: &SyntaxTree, options: &FormatOptions, is_exact: bool) -> (String, bool) {
    if tree.diagnostics().iter().any(|found| found.code == Code::SourceTooLarge) {
        return (tree.text().to_owned(), true);
    }
    let mut options = *options;
    if options.newline_kind == NewlineKind::Cr && tree.pragmas().next().is_some() {
        // The language has pragmas only where `\n` begins a line.
        options.newline_kind = NewlineKind::Lf;
    }
    let options = &options;
    let (document, has_settled_lines) = layout::layout(tree, options, is_exact);
    let (text, has_settled_groups) = print::print(&document, tree.text(), options);
    (text, has_settled_lines && has_settled_groups)
}
