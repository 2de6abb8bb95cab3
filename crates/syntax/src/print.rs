//! The tree back to text.

use crate::tree::{SyntaxNode, SyntaxTree};

impl SyntaxTree {
    /// Prints the tree: every token under the root with the trivia before it.
    ///
    /// The result equals [`SyntaxTree::text`]; it is made from the tree alone, which is what proves the tree whole.
    #[must_use]
    pub fn print(&self) -> String {
        let mut out = String::with_capacity(self.text().len());
        print_node(self.root(), &mut out);
        if self.diagnostics().iter().any(|found| found.code == crate::Code::SourceTooLarge) {
            out.push_str(self.text());
        }
        out
    }
}

fn print_node(node: SyntaxNode<'_>, out: &mut String) {
    let text = node.tree().text();
    for token in node.tokens() {
        let pieces = token.leading_trivia().map(crate::Trivia::span);
        let token_and_after =
            std::iter::once(token.span()).chain(token.trailing_trivia().map(crate::Trivia::span));
        for span in pieces.chain(token_and_after) {
            out.push_str(span.text(text));
        }
    }
}
