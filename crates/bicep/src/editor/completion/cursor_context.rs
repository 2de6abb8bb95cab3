//! What stands around an offset: the nodes from the whole file to the innermost one, and the token that touches it.
//!
//! Of two neighbours that meet at the offset the first counts, because that is what was just typed. Only a line break
//! gives way to what follows it.

use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, SyntaxTree, TokenKind, TriviaKind};

/// The place of the cursor.
pub(super) struct CursorContext<'t> {
    pub(super) offset: u32,
    /// The nodes around it, the whole file first.
    pub(super) nodes: Vec<SyntaxNode<'t>>,
    /// The token that it is in or at the end of.
    pub(super) token: Option<SyntaxToken<'t>>,
}

impl<'t> CursorContext<'t> {
    /// Finds what stands around an offset.
    pub(super) fn find(tree: &'t SyntaxTree, offset: u32) -> CursorContext<'t> {
        let root = tree.root();
        let mut nodes = vec![root];
        let mut token: Option<SyntaxToken<'t>> = None;
        // The end of what was found last.
        let mut end = root.span().end;
        let mut open: Vec<SyntaxElement<'t>> = root.children().rev().collect();
        while let Some(element) = open.pop() {
            let span = element.span();
            if !touches(span, offset) {
                continue;
            }
            let follows = end == span.start;
            let gives_way = token.is_some_and(|token| token.kind() == TokenKind::NewLine);
            if !follows || gives_way {
                token = None;
                match element {
                    SyntaxElement::Node(node) => nodes.push(node),
                    SyntaxElement::Token(own) => token = Some(own),
                }
                end = span.end;
            }
            if let SyntaxElement::Node(node) = element {
                open.extend(node.children().rev());
            }
        }
        CursorContext { offset, nodes, token }
    }

    pub(super) fn node(&self) -> Option<SyntaxNode<'t>> {
        self.nodes.last().copied()
    }

    /// The node `count` levels above the innermost one.
    pub(super) fn above(&self, count: usize) -> Option<SyntaxNode<'t>> {
        self.nodes.iter().rev().nth(count).copied()
    }

    /// The innermost node of a kind that a view is for.
    pub(super) fn innermost<T: syntax::ast::AstNode<'t>>(&self) -> Option<T> {
        self.nodes.iter().rev().find_map(|node| T::cast(*node))
    }

    /// What an item replaces: a token that is a word or a string, or nothing.
    pub(super) fn replaced(&self) -> Span {
        match self.token {
            Some(token) if is_replaceable(token.kind()) => token.span(),
            Some(_) | None => Span::empty(self.offset),
        }
    }

    /// Tells whether the offset is inside a comment.
    pub(super) fn is_in_comment(&self, tree: &SyntaxTree) -> bool {
        let before = tree.trivia().partition_point(|piece| piece.start < self.offset);
        let last = before.checked_sub(1).and_then(|last| tree.trivia().get(last));
        last.is_some_and(|piece| match piece.kind {
            TriviaKind::LineComment => piece.start < self.offset && self.offset <= piece.end,
            TriviaKind::BlockComment => piece.start < self.offset && self.offset < piece.end,
            TriviaKind::Whitespace
            | TriviaKind::DisableNextLine
            | TriviaKind::DisableDiagnostics
            | TriviaKind::RestoreDiagnostics
            | TriviaKind::ByteOrderMark => false,
        })
    }
}

/// Tells whether an offset is in a span or at one of its ends.
pub(super) fn touches(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}

fn is_replaceable(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Identifier
            | TokenKind::Integer
            | TokenKind::StringComplete
            | TokenKind::TrueKeyword
            | TokenKind::FalseKeyword
            | TokenKind::NullKeyword
    )
}

/// Tells whether a part could not be read or is missing.
pub(super) fn is_skipped(part: Option<SyntaxElement<'_>>) -> bool {
    part.and_then(SyntaxElement::node).is_none_or(SyntaxNode::is_skipped)
        && part.and_then(SyntaxElement::token).is_none()
}

/// Tells whether nothing at all stands where a part should be.
pub(super) fn is_missing(part: Option<SyntaxElement<'_>>) -> bool {
    match part {
        None => true,
        Some(SyntaxElement::Token(_)) => false,
        Some(SyntaxElement::Node(node)) => node.is_skipped() && node.slot_count() == 0,
    }
}

/// Tells whether something can be put between the parts of a list at an offset: on a line of its own, or between
/// brackets on one line.
pub(super) fn has_room<'t>(
    mut parts: impl Iterator<Item = SyntaxElement<'t>>,
    offset: u32,
) -> ListPosition<'t> {
    let mut room = ListPosition { inside: None, before: None, after: None, has_lines: false };
    for part in parts.by_ref() {
        let span = part.span();
        let is_line = is_line_break(part);
        room.has_lines |= is_line;
        if span.start < offset && offset < span.end {
            room.inside = Some(part);
        }
        if span.end <= offset {
            room.before = Some(part);
        }
        if room.after.is_none() && span.start >= offset {
            room.after = Some(part);
        }
    }
    room
}

/// What stands around an offset in a list.
pub(super) struct ListPosition<'t> {
    /// The part that the offset is inside of.
    pub(super) inside: Option<SyntaxElement<'t>>,
    /// The last part before it.
    pub(super) before: Option<SyntaxElement<'t>>,
    /// The first part after it.
    pub(super) after: Option<SyntaxElement<'t>>,
    /// Whether the list has line breaks.
    pub(super) has_lines: bool,
}

impl ListPosition<'_> {
    /// Tells whether the offset is between the line breaks of one gap.
    pub(super) fn is_in_gap(&self) -> bool {
        self.inside.is_some_and(is_line_break)
    }
}

/// Tells whether a part is a line break.
pub(super) fn is_line_break(part: SyntaxElement<'_>) -> bool {
    match part {
        SyntaxElement::Token(token) => token.kind() == TokenKind::NewLine,
        SyntaxElement::Node(node) => node.kind() == NodeKind::NewLines,
    }
}

/// Tells whether a part is a token of a kind.
pub(super) fn is_token(part: Option<SyntaxElement<'_>>, kind: TokenKind) -> bool {
    part.and_then(SyntaxElement::token).is_some_and(|token| token.kind() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::SourceKind;

    /// The kinds around the `|` of a text, with the token.
    fn around(marked: &str) -> String {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let tree = syntax::parse(text, SourceKind::Bicep);
        let place = CursorContext::find(&tree, offset as u32);
        let mut names: Vec<&str> = place.nodes.iter().map(|node| node.kind().name()).collect();
        names.extend(place.token.map(|token| token.kind().name()));
        names.join(" ")
    }

    #[test]
    fn what_was_just_typed_counts() {
        assert_eq!(around("var x = a|"), "Program VariableDeclaration VariableAccess Identifier");
        assert_eq!(around("var x = |"), "Program VariableDeclaration");
        assert_eq!(around("var x =|"), "Program VariableDeclaration Assignment");
        assert_eq!(around("var x = f(|)"), "Program VariableDeclaration FunctionCall LeftParen");
        assert_eq!(around("|"), "Program");
    }

    #[test]
    fn a_line_break_gives_way_to_what_follows() {
        assert_eq!(around("var x = 1\n|"), "Program EndOfFile");
        assert_eq!(around("var x = {\n|}"), "Program VariableDeclaration Object RightBrace");
        assert_eq!(around("var x = {\n|\n}"), "Program VariableDeclaration Object NewLine");
    }
}
