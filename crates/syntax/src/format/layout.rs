//! The walk over a tree that makes a document of it, part by part.
//!
//! Recursion follows the tree, whose height has a limit ([`crate::MAX_HEIGHT`]).

use super::document::{Flat, GroupMode, LayoutDocument};
use super::list::ListBuilder;
use super::options::FormatOptions;
use super::rows::{self, List, NodeLayout};
use crate::tree::{SyntaxElement, SyntaxNode, SyntaxToken};
use crate::{NodeKind, Span, SyntaxTree, TokenKind};

/// Makes a document of a whole program; tells whether it would be the same for what it prints.
pub(super) fn layout(tree: &SyntaxTree, options: &FormatOptions, is_exact: bool) -> (LayoutDocument, bool) {
    let mut layout = Layout {
        tree,
        newline: options.newline_kind.text(),
        is_ascii: tree.text().is_ascii(),
        // Measured on real modules.
        doc: LayoutDocument::with_capacity(tree.tokens.len() * 3),
        breaks: 0,
        is_exact,
        is_settled: true,
    };
    layout.node(tree.root());
    (layout.doc, layout.is_settled)
}

/// A document while it is made.
pub(super) struct Layout<'t> {
    pub(super) tree: &'t SyntaxTree,
    pub(super) newline: &'static str,
    /// Whether a byte of the source is a character.
    is_ascii: bool,
    pub(super) doc: LayoutDocument,
    /// How many reasons there were to break lines. What was laid out is broken if there are more than before.
    pub(super) breaks: i32,
    /// Whether decorators are laid out as the reference compiler does, even where the result cannot be read.
    pub(super) is_exact: bool,
    /// Whether the result is laid out the same way.
    pub(super) is_settled: bool,
}

/// What became of a group: a group, or a row of parts that have their own line breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Became {
    Group,
    Parts,
}

impl From<GroupMode> for Became {
    fn from(mode: GroupMode) -> Became {
        match mode {
            GroupMode::Fit | GroupMode::Flat => Became::Group,
            GroupMode::Broken => Became::Parts,
        }
    }
}

/// Texts.
impl Layout<'_> {
    /// Adds text of the source that has no line break, or only those that are wanted.
    #[inline]
    pub(super) fn source(&mut self, span: Span) {
        let width = if self.is_ascii { span.len() } else { width(span.text(self.tree.text())) };
        self.doc.source(span, width);
    }

    /// Adds text that the source has not.
    pub(super) fn made(&mut self, text: String) {
        let width = width(&text);
        self.doc.made(text, width);
    }

    /// Adds skipped text, or a declaration with errors: all of its tokens as they are.
    pub(super) fn skipped(&mut self, node: SyntaxNode<'_>) {
        let span = with_trivia(node);
        let text = span.text(self.tree.text());
        let is_blank = |c: char| c.is_whitespace() || c == '\u{FEFF}';
        let trimmed = text.trim_start_matches(is_blank).trim_end();
        if trimmed.is_empty() {
            return;
        }
        let start = span.start + (text.len() - text.trim_start_matches(is_blank).len()) as u32;
        self.verbatim(Span::new(start, start + trimmed.len() as u32));
    }
}

/// How many characters of UTF-16 a text has.
pub(super) fn width(text: &str) -> u32 {
    let count = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// What a node covers with the trivia around it.
fn with_trivia(node: SyntaxNode<'_>) -> Span {
    let mut tokens = node.tokens();
    let Some(first) = tokens.next() else { return node.span() };
    let last = tokens.last().unwrap_or(first);
    let start = first.leading_trivia().next().map_or(first.span().start, |piece| piece.start);
    let end = last.trailing_trivia().last().map_or(last.span().end, |piece| piece.end);
    Span::new(start, end)
}

/// Nodes.
impl<'t> Layout<'t> {
    /// Adds a part of a node.
    #[inline]
    pub(super) fn element(&mut self, element: SyntaxElement<'t>) {
        match element {
            SyntaxElement::Token(token) => self.token(token),
            SyntaxElement::Node(node) => self.node(node),
        }
    }

    /// Adds a part of a node, if it is there.
    #[inline]
    pub(super) fn part(&mut self, part: Option<SyntaxElement<'t>>) {
        if let Some(part) = part {
            self.element(part);
        }
    }

    /// Adds a node, without the decorators before it.
    pub(super) fn node(&mut self, node: SyntaxNode<'t>) {
        let kind = node.kind();
        let first = if rows::has_leading(kind) { after_leading(node, kind) } else { 0 };
        match rows::row(kind) {
            NodeLayout::Glued => self.glued(node, first),
            NodeLayout::Spread => self.spread(node, first),
            NodeLayout::Entry => {
                self.part(node.slot(first));
                self.part(node.slot(first + 1));
                self.doc.space();
                self.part(node.slot(first + 2));
            }
            NodeLayout::Function => {
                self.part(node.slot(first));
                self.doc.space();
                self.glued(node, first + 1);
            }
            NodeLayout::Body => self.body(node, first),
            NodeLayout::List(list) => {
                self.bracketed(node, list);
            }
            NodeLayout::Union => self.union(node),
            NodeLayout::Ternary => self.ternary(node),
            NodeLayout::Lambda => self.lambda(node, false),
            NodeLayout::TypedLambda => self.typed_lambda(node),
            NodeLayout::Loop => self.for_loop(node),
            NodeLayout::Text => self.text(node),
            // Whoever has line breaks among its parts lays them out itself.
            NodeLayout::Lines => {}
            NodeLayout::Program => self.program(node),
        }
    }

    fn glued(&mut self, node: SyntaxNode<'t>, from: usize) {
        for index in from..node.slot_count() {
            self.part(node.slot(index));
        }
    }

    fn spread(&mut self, node: SyntaxNode<'t>, from: usize) {
        let mut is_first = true;
        for part in (from..node.slot_count()).filter_map(|index| node.slot(index)) {
            if !is_first {
                self.doc.space();
            }
            is_first = false;
            match part {
                // UPSTREAM: a line break before the type of a variable, where the grammar has none.
                SyntaxElement::Node(union)
                    if union.kind() == NodeKind::UnionType
                        && node.kind() == NodeKind::VariableDeclaration =>
                {
                    self.union_in_list(union);
                }
                _ => self.element(part),
            }
        }
    }

    /// Adds a resource or module. The grammar has line breaks before `if` only; they matter if comments are there.
    fn body(&mut self, node: SyntaxNode<'t>, first: usize) {
        let lines = node.slot_from_end(1);
        let mut is_first = true;
        for index in first..node.slot_count().saturating_sub(2) {
            let Some(part) = node.slot(index) else { continue };
            if !is_first {
                self.doc.space();
            }
            is_first = false;
            self.element(part);
        }
        self.doc.space();
        let value = node.slot_from_end(0);
        if self.lines_have_comments(lines) {
            self.indented(Some(Flat::Empty), |layout, items| {
                layout.items(lines.into_iter().chain(value), items);
            });
        } else if let Some(value) = value {
            self.element(value);
        }
    }

    fn lines_have_comments(&self, lines: Option<SyntaxElement<'t>>) -> bool {
        match lines {
            None => false,
            Some(SyntaxElement::Token(token)) => self.has_comments_before(token),
            Some(SyntaxElement::Node(node)) => {
                node.children().filter_map(SyntaxElement::token).any(|token| self.has_comments_before(token))
            }
        }
    }

    fn union(&mut self, node: SyntaxNode<'t>) {
        self.indented(Some(Flat::Empty), |layout, items| layout.members(node, items, true));
    }

    /// Adds a union whose first member stays where it is and has no bar.
    pub(super) fn union_in_list(&mut self, node: SyntaxNode<'t>) {
        if node.child_nodes().count() > 1 {
            self.indented(None, |layout, items| layout.members(node, items, false));
        } else {
            let mut items = ListBuilder::declarations();
            self.members(node, &mut items, false);
        }
    }

    /// Adds the members of a union. The grammar has no comments on lines of their own in it: they stay behind the member
    /// before them, or before the bar that they belong to.
    fn members(&mut self, node: SyntaxNode<'t>, items: &mut ListBuilder, has_first_bar: bool) {
        let mut bar = None;
        for part in node.children() {
            match part {
                SyntaxElement::Token(token) if token.kind() == TokenKind::Pipe => bar = Some(token),
                SyntaxElement::Token(line) if items.is_empty() => self.comments_before(line),
                SyntaxElement::Token(line) => self.comments_behind(line.leading_trivia()),
                SyntaxElement::Node(member) => {
                    let is_first = items.is_empty();
                    items.next(self);
                    if let Some(bar) = bar.take() {
                        self.comments_before(bar);
                    }
                    if has_first_bar || !is_first {
                        self.doc.bar(is_first);
                    }
                    self.node(member);
                }
            }
        }
    }

    fn ternary(&mut self, node: SyntaxNode<'t>) {
        let [condition, lines, question, yes, more_lines, colon, no] = parts(node);
        self.indented(None, |layout, items| {
            items.next(layout);
            layout.part(condition);
            for (lines, sign, value) in [(lines, question, yes), (more_lines, colon, no)] {
                layout.items(lines, items);
                items.next(layout);
                layout.part(sign);
                layout.doc.space();
                layout.doc.indent();
                layout.part(value);
                layout.doc.dedent();
            }
        });
    }

    /// Adds a lambda, whose body may be a tail.
    pub(super) fn lambda(&mut self, node: SyntaxNode<'t>, has_tail: bool) {
        let [variables, arrow, lines, body] = parts(node);
        self.part(variables);
        self.doc.space();
        self.part(arrow);
        self.doc.space();
        let tail = has_tail.then(|| self.doc.open_tail());
        let became = match bracketed_body(body) {
            Some((body, list)) if !self.lines_have_comments(lines) => self.bracketed(body, list),
            _ => self.indented(Some(Flat::Empty), |layout, items| {
                layout.items(lines.into_iter().chain(body), items);
            }),
        };
        self.settle_tail(tail, became);
    }

    fn typed_lambda(&mut self, node: SyntaxNode<'t>) {
        let [variables, return_type, arrow, lines, body] = parts(node);
        self.part(variables);
        self.doc.space();
        self.part(return_type);
        self.doc.space();
        if bracketed_body(body).is_some() && !self.lines_have_comments(lines) {
            self.part(arrow);
            self.doc.space();
            self.part(body);
        } else {
            self.indented(None, |layout, items| {
                items.next(layout);
                layout.part(arrow);
                layout.items(lines.into_iter().chain(body), items);
            });
        }
    }

    /// Adds a string, or text that could not be read.
    fn text(&mut self, node: SyntaxNode<'t>) {
        if node.is_skipped() {
            return self.skipped(node);
        }
        match (node.slot(0), node.slot_from_end(0)) {
            (Some(SyntaxElement::Token(first)), Some(SyntaxElement::Token(last))) => {
                self.string(node, first, last)
            }
            _ => self.skipped(node),
        }
    }

    fn string(&mut self, node: SyntaxNode<'t>, first: SyntaxToken<'t>, last: SyntaxToken<'t>) {
        self.comments_before(first);
        let source = self.tree.text();
        let has_blanks = node.children().filter_map(SyntaxElement::token).any(|piece| {
            piece != last
                && source
                    .as_bytes()
                    .get(piece.span().end as usize)
                    .is_some_and(|byte| matches!(byte, b' ' | b'\t'))
        });
        if has_blanks {
            // Blanks at the begin of a hole are left out; all else in it stays.
            let mut text = String::with_capacity(node.span().len() as usize);
            let mut pieces = node.children().filter_map(SyntaxElement::token).peekable();
            while let Some(piece) = pieces.next() {
                text.push_str(piece.text());
                if let Some(next) = pieces.peek() {
                    let hole = Span::new(piece.span().end, next.span().start).text(source);
                    text.push_str(hole.trim_start_matches([' ', '\t']));
                }
            }
            let text = super::comments::with_line_breaks(&text, self.newline).unwrap_or(text);
            self.made(text);
        } else {
            self.verbatim(node.span());
        }
        self.comments_after(last);
    }

    fn program(&mut self, node: SyntaxNode<'t>) {
        let mut items = ListBuilder::declarations();
        self.items(node.children(), &mut items);
    }
}

/// The parts of a node that has so many.
pub(super) fn parts<const N: usize>(node: SyntaxNode<'_>) -> [Option<SyntaxElement<'_>>; N] {
    std::array::from_fn(|index| node.slot(index))
}

/// The body of a lambda, if it has brackets to break and so stays on the line of its arrow.
fn bracketed_body(body: Option<SyntaxElement<'_>>) -> Option<(SyntaxNode<'_>, &'static List)> {
    let body = body.and_then(SyntaxElement::node)?;
    match (body.kind(), rows::row(body.kind())) {
        (NodeKind::Object | NodeKind::Array, NodeLayout::List(list)) => Some((body, list)),
        _ => None,
    }
}

/// The slot after the decorators of a node that has some before its parts.
pub(super) fn after_leading(node: SyntaxNode<'_>, kind: NodeKind) -> usize {
    node.slot_count().saturating_sub(kind.tail().len())
}

/// Tells whether this is a line break.
pub(super) fn is_line(element: SyntaxElement<'_>) -> bool {
    match element {
        SyntaxElement::Token(token) => token.kind() == TokenKind::NewLine,
        SyntaxElement::Node(node) => node.kind() == NodeKind::NewLines,
    }
}
