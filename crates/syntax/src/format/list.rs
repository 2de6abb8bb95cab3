//! Items between brackets or on lines of their own: what is between them, and whether they go on one line.

use super::document::{Flat, GroupMode, OpenedTail};
use super::layout::{Became, Layout, after_leading, is_line, parts};
use super::rows::{self, LOOP, LOOP_VARIABLES, List, NodeLayout};
use crate::tree::{SyntaxElement, SyntaxNode, SyntaxToken};
use crate::{NodeKind, TokenKind};

/// What came last among the items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Item,
    /// A line break, or several that are one.
    Line,
    /// A line break and at least one empty line.
    EmptyLine,
}

#[derive(Clone, Copy)]
enum Separator {
    /// A place where a line can break.
    Line(Flat),
    /// A line break, whatever the width.
    Hard,
}

/// Items while they are added one by one.
pub(super) struct ListBuilder {
    separator: Separator,
    /// What is before the first one.
    first: Option<Flat>,
    /// Whether an empty line between items stays.
    keeps_empty_lines: bool,
    /// How many there are.
    count: usize,
    /// How many of them are the comments of a line break.
    comments: usize,
    last: Last,
    /// How many empty lines there are behind the last item.
    empty_lines: usize,
}

impl ListBuilder {
    fn new(separator: Separator, keeps_empty_lines: bool) -> Self {
        Self {
            separator,
            first: None,
            keeps_empty_lines,
            count: 0,
            comments: 0,
            last: Last::Item,
            empty_lines: 0,
        }
    }

    /// The declarations of a program.
    pub(super) fn declarations() -> Self {
        Self::new(Separator::Hard, true)
    }

    /// Tells whether there are none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Begins the next item.
    pub(super) fn next(&mut self, layout: &mut Layout<'_>) {
        if let Some(first) = self.first.take() {
            layout.doc.line(first);
        }
        if self.count > 0 {
            match self.separator {
                Separator::Line(flat) => {
                    layout.doc.line(flat);
                }
                Separator::Hard => layout.doc.hard(),
            }
            if self.keeps_empty_lines {
                (0..self.empty_lines).for_each(|_| layout.doc.hard());
                layout.breaks += i32::try_from(self.empty_lines).unwrap_or(i32::MAX);
                layout.is_settled &= self.empty_lines < 2;
            }
        }
        self.count += 1;
        self.last = Last::Item;
        self.empty_lines = 0;
    }

    /// Takes note of a line break, which is followed by an empty line or not.
    fn line(&mut self, is_empty: bool) {
        // UPSTREAM: empty lines are one if they are really empty. Each one that holds blanks counts.
        let counts = if is_empty { self.last != Last::EmptyLine } else { self.last == Last::Line };
        self.empty_lines += usize::from(counts);
        self.last = if is_empty { Last::EmptyLine } else { Last::Line };
    }
}

impl<'t> Layout<'t> {
    /// Adds elements as items.
    pub(super) fn items(
        &mut self,
        elements: impl IntoIterator<Item = SyntaxElement<'t>>,
        items: &mut ListBuilder,
    ) {
        for element in elements {
            self.item(element, items);
        }
    }

    /// Adds an element as an item, or as several: line breaks have their comments, declarations their decorators.
    pub(super) fn item(&mut self, element: SyntaxElement<'t>, items: &mut ListBuilder) {
        match element {
            SyntaxElement::Token(token) => match token.kind() {
                TokenKind::NewLine => {
                    self.lone_comments(token, items);
                    items.line(is_empty_line(token.text()));
                }
                TokenKind::Comma | TokenKind::EndOfFile => self.lone_comments(token, items),
                _ => {
                    items.next(self);
                    self.token(token);
                }
            },
            SyntaxElement::Node(node) => match node.kind() {
                NodeKind::NewLines | NodeKind::MissingDeclaration => self.items(node.children(), items),
                kind if rows::has_leading(kind) && self.has_error(node, kind) => {
                    items.next(self);
                    self.skipped(node);
                }
                kind if rows::has_leading(kind) => self.decorated(node, kind, items),
                _ => {
                    items.next(self);
                    self.node(node);
                }
            },
        }
    }

    fn decorated(&mut self, node: SyntaxNode<'t>, kind: NodeKind, items: &mut ListBuilder) {
        let parts = after_leading(node, kind);
        if parts == 0
            && !items.is_empty()
            && let Some(SyntaxElement::Node(union)) = node.slot(0)
            && union.kind() == NodeKind::UnionType
        {
            // With a bar before its first member, it would go on with the item before it.
            items.next(self);
            return self.union_in_list(union);
        }
        for decorator in (0..parts).filter_map(|index| node.slot(index)) {
            match decorator {
                SyntaxElement::Token(token) if token.kind() == TokenKind::NewLine => {
                    self.lone_comments(token, items);
                    // UPSTREAM: empty lines between decorators go away, except for those that hold blanks.
                    if !is_empty_line(token.text()) {
                        items.line(false);
                        self.is_settled &= items.empty_lines == 0;
                    }
                }
                _ => {
                    self.item(decorator, items);
                    if !self.is_exact {
                        self.doc.line_ends();
                    }
                }
            }
        }
        items.next(self);
        self.node(node);
    }

    fn lone_comments(&mut self, token: SyntaxToken<'t>, items: &mut ListBuilder) {
        if self.has_comments_before(token) {
            items.next(self);
            items.comments += 1;
            self.comments_alone(token);
        }
    }

    /// Tells whether a declaration has a syntax error and so stays as it is.
    fn has_error(&self, node: SyntaxNode<'t>, kind: NodeKind) -> bool {
        let found = self.tree.diagnostics();
        if found.is_empty() || !is_declaration(kind) {
            return false;
        }
        let span = node.span();
        let from = found.partition_point(|found| found.span.start < span.start);
        let inside = found.iter().skip(from).take_while(|found| found.span.start <= span.end);
        inside.into_iter().any(|found| span.encloses(found.span))
    }

    /// Adds items that are indented if they do not fit on the line; `first` is what comes before them.
    pub(super) fn indented(
        &mut self,
        first: Option<Flat>,
        add: impl FnOnce(&mut Self, &mut ListBuilder),
    ) -> Became {
        let before = self.breaks;
        let group = self.doc.open();
        self.doc.indent();
        let items = ListBuilder::new(Separator::Line(Flat::Space), false);
        add(self, &mut ListBuilder { first, ..items });
        self.doc.dedent();
        if self.doc.ends_with_suffix() {
            // What ends with a comment is no reason to break before it.
            self.breaks -= 1;
        }
        let mode = if self.breaks > before { GroupMode::Broken } else { GroupMode::Fit };
        self.doc.close(group, mode).into()
    }

    /// Adds a list in brackets, with what is before its opening bracket.
    pub(super) fn bracketed(&mut self, node: SyntaxNode<'t>, list: &'static List) -> Became {
        let head = node.kind().head().len();
        let (open, close) = (head.saturating_sub(1), node.slot_count().saturating_sub(1));
        for part in (0..open).filter_map(|index| node.slot(index)) {
            self.element(part);
        }
        let inside = (head..close).filter_map(move |index| node.slot(index));
        let keeps_lines =
            list.keeps_lines && inside.clone().next().is_some_and(is_line) && inside.clone().any(is_member);
        self.brackets(node.slot(open), node.slot(close), list, keeps_lines, |layout, items| {
            if list.commas {
                return layout.separated_by_commas(inside, list.has_tail, items);
            }
            layout.items(inside, items);
            0
        })
    }

    /// Adds `[for item in items: body]`.
    pub(super) fn for_loop(&mut self, node: SyntaxNode<'t>) {
        let [open, lines, keyword, variables, in_keyword, expression, colon, body, last_lines, close] =
            parts(node);
        self.brackets(open, close, &LOOP, false, |layout, items| {
            layout.items(lines, items);
            items.next(layout);
            layout.part(keyword);
            layout.doc.space();
            match variables {
                Some(SyntaxElement::Node(block)) if block.kind() == NodeKind::VariableBlock => {
                    layout.bracketed(block, &LOOP_VARIABLES);
                }
                variable => layout.part(variable),
            }
            layout.doc.space();
            layout.part(in_keyword);
            layout.doc.space();
            layout.part(expression);
            layout.part(colon);
            layout.doc.space();
            layout.part(body);
            layout.items(last_lines, items);
            0
        });
    }

    /// Adds brackets around items; `add` returns how many reasons to break do not count here.
    fn brackets(
        &mut self,
        open: Option<SyntaxElement<'t>>,
        close: Option<SyntaxElement<'t>>,
        list: &List,
        keeps_lines: bool,
        add: impl FnOnce(&mut Self, &mut ListBuilder) -> i32,
    ) -> Became {
        let group = self.doc.open();
        self.part(open);
        let before = self.breaks;
        let indent = self.doc.indent();
        let padding = self.doc.line(list.padding);
        let mut items = ListBuilder::new(Separator::Line(list.separator), true);
        let uncounted = add(self, &mut items);
        let dangling = match close {
            Some(SyntaxElement::Token(close)) => self.dangling_comments(close, &mut items),
            Some(SyntaxElement::Node(_)) | None => false,
        };
        let hugs = items.count == 1 && list.hugs_only_item && !self.doc.ends_line();
        if items.count == 0 || hugs {
            // A comment on a line of its own breaks what is around the brackets, and between them it does not.
            self.is_settled &= items.comments == 0;
            self.doc.remove(indent);
            self.doc.remove(padding);
            self.close_bracket(close);
            return self.doc.close(group, GroupMode::Broken).into();
        }
        if keeps_lines || dangling {
            self.breaks += 1;
        }
        let is_broken = self.breaks - uncounted > before;
        self.doc.dedent();
        self.doc.line(list.padding);
        self.close_bracket(close);
        let mode = match (is_broken, list.flat) {
            (true, _) => GroupMode::Broken,
            (false, true) => GroupMode::Flat,
            (false, false) => GroupMode::Fit,
        };
        self.doc.close(group, mode).into()
    }

    /// Adds the comments before a closing bracket as items; tells whether there are any.
    fn dangling_comments(&mut self, close: SyntaxToken<'t>, items: &mut ListBuilder) -> bool {
        if !self.has_comments_before(close) {
            return false;
        }
        items.empty_lines = 0;
        self.each_comment_before(close, |layout| items.next(layout));
        true
    }

    fn close_bracket(&mut self, close: Option<SyntaxElement<'t>>) {
        match close {
            Some(SyntaxElement::Token(close)) => self.bare_token(close),
            Some(SyntaxElement::Node(skipped)) => self.node(skipped),
            None => {}
        }
    }

    /// Adds items with a comma after each but the last; returns how many reasons to break are in a tail.
    fn separated_by_commas(
        &mut self,
        inside: impl DoubleEndedIterator<Item = SyntaxElement<'t>> + Clone,
        has_tail: bool,
        items: &mut ListBuilder,
    ) -> i32 {
        let last = inside.clone().rev().find_map(SyntaxElement::node);
        let several = inside.clone().filter(|element| element.node().is_some()).take(2).count() == 2;
        let mut uncounted = 0;
        for element in inside {
            match element {
                SyntaxElement::Node(argument) if Some(argument) != last => {
                    items.next(self);
                    self.node(argument);
                    self.comma(items);
                }
                SyntaxElement::Node(argument) if has_tail && several && self.can_be_tail(argument) => {
                    let before = self.breaks;
                    items.next(self);
                    self.tail(argument);
                    uncounted = self.breaks - before;
                }
                _ => self.item(element, items),
            }
        }
        uncounted
    }

    /// Adds a comma behind an item; a comment at the end of its line goes on a line of its own.
    fn comma(&mut self, items: &mut ListBuilder) {
        let comment = self.doc.take_suffix();
        self.doc.comma();
        if let Some(comment) = comment {
            items.next(self);
            self.verbatim(comment);
            self.doc.line_ends();
        }
    }

    /// Tells whether an argument is an object or array, or a lambda whose body is one, with nothing after it on its line.
    fn can_be_tail(&self, argument: SyntaxNode<'t>) -> bool {
        let block = match argument.kind() {
            NodeKind::Lambda => argument.slot_from_end(0).and_then(SyntaxElement::node),
            _ => Some(argument),
        };
        let close = block
            .filter(|block| matches!(block.kind(), NodeKind::Object | NodeKind::Array))
            .and_then(|block| block.slot_from_end(0))
            .and_then(SyntaxElement::token);
        close.is_some_and(|close| !self.has_line_comment_after(close))
    }

    /// Adds an argument that is the tail of its call, or has it.
    fn tail(&mut self, argument: SyntaxNode<'t>) {
        if argument.kind() == NodeKind::Lambda {
            return self.lambda(argument, true);
        }
        let tail = self.doc.open_tail();
        if let NodeLayout::List(list) = rows::row(argument.kind()) {
            let became = self.bracketed(argument, list);
            self.settle_tail(Some(tail), became);
        }
    }

    /// Ends what may be a tail; it is one if it has its own line breaks.
    pub(super) fn settle_tail(&mut self, tail: Option<OpenedTail>, became: Became) {
        match (tail, became) {
            (Some(tail), Became::Parts) => self.doc.close_tail(tail),
            (Some(tail), Became::Group) => self.doc.no_tail(tail),
            (None, _) => {}
        }
    }
}

/// Tells whether an item keeps a list that starts with a line break on lines of its own.
fn is_member(element: SyntaxElement<'_>) -> bool {
    match element {
        SyntaxElement::Token(_) => false,
        SyntaxElement::Node(node) => !matches!(
            node.kind(),
            NodeKind::SpreadExpression
                | NodeKind::ResourceDeclaration
                | NodeKind::Skipped
                | NodeKind::NewLines
        ),
    }
}

/// Tells whether a kind of node is a declaration, which stays as it is if it has a syntax error.
const fn is_declaration(kind: NodeKind) -> bool {
    use NodeKind as K;
    !matches!(
        kind,
        K::MissingDeclaration | K::ObjectTypeProperty | K::ObjectTypeAdditionalProperties | K::TupleTypeItem
    )
}

/// Tells whether the text of a line break holds more than one.
fn is_empty_line(text: &str) -> bool {
    !matches!(text, "\n" | "\r\n" | "\r")
}
