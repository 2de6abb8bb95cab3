//! What must hold when a program is formatted.

use syntax::format::{FormatOptions, IndentKind, NewlineKind, format, format_once};
use syntax::{NodeKind, SourceKind, SyntaxElement, SyntaxNode, SyntaxTree, TokenKind, TriviaKind, parse};

use crate::Choices;

/// Formats a text and says what is lost or changes, or changes again.
///
/// # Errors
///
/// Returns what does not hold, with the texts.
pub fn check_format(text: &str, kind: SourceKind, options: &FormatOptions) -> Result<(), String> {
    let tree = parse(text, kind);
    // What the reference compiler would write may be another program; it must only come to an end.
    let _ = format_once(&tree, options);
    let formatted = format(&tree, options);
    if !tree.diagnostics().is_empty() {
        return Ok(());
    }
    let after = parse(formatted.as_str(), kind);
    let broken = |what: &str| Err(format!("{what}:\n--- before\n{text}\n--- after\n{formatted}"));
    if !after.diagnostics().is_empty() {
        return broken("the result has syntax errors");
    }
    if shape(&tree) != shape(&after) {
        return broken("the result is another program");
    }
    if comments(&tree) != comments(&after) {
        return broken("comments differ");
    }
    let again = format(&after, options);
    if again != formatted {
        return broken(&format!("formatted otherwise the second time:\n--- twice\n{again}\n"));
    }
    Ok(())
}

/// Any settings of the formatter, narrow ones above all.
pub fn format_options(choices: &mut Choices<'_>) -> FormatOptions {
    let newlines = [NewlineKind::Lf, NewlineKind::Lf, NewlineKind::CrLf, NewlineKind::Cr];
    let default = FormatOptions::default();
    FormatOptions {
        indent_kind: if choices.one_in(4) { IndentKind::Tab } else { IndentKind::Space },
        indent_size: [2, 4, 0].get(choices.below(3)).copied().unwrap_or(default.indent_size),
        newline_kind: choices.one(&newlines).copied().unwrap_or_default(),
        insert_final_newline: !choices.one_in(4),
        width: [120, 80, 40, 20, 0].get(choices.below(5)).copied().unwrap_or(default.width),
    }
}

/// The tree without what comes and goes with line breaks.
fn shape(tree: &SyntaxTree) -> String {
    fn add(node: SyntaxNode<'_>, out: &mut String) {
        if node.kind() == NodeKind::UnionType && node.child_nodes().count() == 1 {
            return node.child_nodes().for_each(|member| add(member, out));
        }
        out.push('(');
        out.push_str(node.kind().name());
        for part in node.children() {
            match part {
                SyntaxElement::Node(node) if node.kind() == NodeKind::NewLines => {}
                SyntaxElement::Node(node) => add(node, out),
                SyntaxElement::Token(token) => match token.kind() {
                    TokenKind::NewLine | TokenKind::Comma | TokenKind::Pipe => {}
                    _ => {
                        out.push(' ');
                        out.push_str(&plain_lines(token.text()));
                    }
                },
            }
        }
        out.push(')');
    }
    let mut out = String::new();
    add(tree.root(), &mut out);
    out
}

fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The comments in the order of the text.
fn comments(tree: &SyntaxTree) -> Vec<String> {
    let pieces = tree.trivia().iter().filter(|piece| piece.kind != TriviaKind::ByteOrderMark);
    let words =
        |text: &str| text.split([' ', '\t']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    pieces
        .map(|piece| {
            let text = plain_lines(piece.span().text(tree.text()));
            if piece.kind.is_comment() { text } else { words(&text) }
        })
        .collect()
}
