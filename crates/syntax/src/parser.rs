//! The machinery under the grammar: reading tokens, building nodes, recovering from mistakes.
//!
//! A grammar function returns the slot of what it read, or fails. Failing is cheap: the finding waits in the parser
//! while the failure travels up to the next [`Parser::recover`], which throws away what was built since it began, puts
//! one node of skipped tokens in its place and goes on. The parser never goes back to a token it has read, so parsing
//! is linear in the text.

use std::sync::Arc;

use crate::diagnostics::{Arg, Code, SyntaxDiagnostic};
use crate::kind::NodeKind;
use crate::lexer::{Lexed, lex};
use crate::token::{Token, TokenFlags, TokenKind, TokenSet};
use crate::tree::{NodeData, NodeFlags, NodeId, Slot, SyntaxTree, TokenId};
use crate::{MAX_HEIGHT, MAX_NESTING, SourceKind, Span};

/// Reads `text` into a tree.
pub(crate) fn parse(text: Arc<str>, source_kind: SourceKind) -> SyntaxTree {
    let Lexed { tokens, trivia, diagnostics: lexical } = lex(&text);
    let mut parser = Parser {
        text: &text,
        tokens: &tokens,
        lexical: &lexical,
        source_kind,
        pos: 0,
        // Measured on real modules.
        nodes: Vec::with_capacity(tokens.len() / 2 + 8),
        slots: Vec::with_capacity(tokens.len() + tokens.len() / 2 + 8),
        list: Vec::new(),
        diagnostics: Vec::new(),
        failure: None,
        depth: 0,
    };
    parser.program();
    let Parser { nodes, slots, mut diagnostics, .. } = parser;
    diagnostics.splice(0..0, lexical);
    // A mistake that shows in two places of the grammar at once is one finding.
    diagnostics.sort_by_key(|found| (found.span, found.code, found.arg));
    diagnostics.dedup();
    SyntaxTree { text, source_kind, tokens, trivia, nodes, slots, diagnostics }
}

/// A grammar function could not read what it wants. The finding is in [`Parser::failure`].
#[derive(Debug)]
pub(crate) struct ParseFailed;

/// What a grammar function returns.
pub(crate) type Parsed<T = Slot> = Result<T, ParseFailed>;

/// Whether a finding is worth telling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reporting {
    Yes,
    /// The part before is already missing at the same place.
    No,
}

/// What was built up to a point, so that later work can be undone.
#[derive(Clone, Copy)]
pub(crate) struct Checkpoint {
    token: u32,
    nodes: usize,
    slots: usize,
    list: usize,
    diagnostics: usize,
    depth: u32,
}

/// Where a list of children starts among those still collected.
#[derive(Clone, Copy)]
pub(crate) struct ListMark(usize);

pub(crate) struct Parser<'s> {
    text: &'s str,
    tokens: &'s [Token],
    /// What the lexer found, sorted by start.
    lexical: &'s [SyntaxDiagnostic],
    pub(crate) source_kind: SourceKind,
    pos: u32,
    nodes: Vec<NodeData>,
    slots: Vec<Slot>,
    /// Children of the lists that are being read, innermost last.
    list: Vec<Slot>,
    diagnostics: Vec<SyntaxDiagnostic>,
    failure: Option<SyntaxDiagnostic>,
    depth: u32,
}

/// What the lexer always ends with.
const END: Token = Token { start: 0, end: 0, kind: TokenKind::EndOfFile, flags: TokenFlags::empty() };

/// Reading tokens.
impl<'s> Parser<'s> {
    fn token_at(&self, index: u32) -> Token {
        match self.tokens.get(index as usize) {
            Some(token) => *token,
            None => self.tokens.last().copied().unwrap_or(END),
        }
    }

    /// Returns the next token.
    pub(crate) fn peek(&self) -> Token {
        self.token_at(self.pos)
    }

    /// Returns the kind of the next token.
    pub(crate) fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// Returns the token `ahead` of the next one; the end of the file goes on for ever.
    pub(crate) fn peek_ahead(&self, ahead: u32) -> Token {
        self.token_at(self.pos.saturating_add(ahead))
    }

    /// Returns the first token that is not a line break, from `ahead` of the next one.
    pub(crate) fn peek_past_new_lines(&self, ahead: u32) -> Token {
        let mut at = self.pos.saturating_add(ahead);
        loop {
            let token = self.token_at(at);
            if token.kind != TokenKind::NewLine {
                return token;
            }
            at += 1;
        }
    }

    /// Returns the text of `token`.
    pub(crate) fn text(&self, token: Token) -> &'s str {
        token.span().text(self.text)
    }

    /// Tells whether `token` is the contextual keyword `word`.
    pub(crate) fn is_keyword(&self, token: Token, word: &str) -> bool {
        token.kind == TokenKind::Identifier && self.text(token) == word
    }

    /// Tells whether the next token is the contextual keyword `word`.
    pub(crate) fn at_keyword(&self, word: &str) -> bool {
        self.is_keyword(self.peek(), word)
    }

    /// Tells whether the next token is of the given kind.
    pub(crate) fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Tells whether the next token is one of `kinds`.
    pub(crate) fn at_any(&self, kinds: TokenSet) -> bool {
        kinds.has(self.kind())
    }

    /// Tells whether the end of the file is next.
    pub(crate) fn at_end(&self) -> bool {
        self.at(TokenKind::EndOfFile)
    }

    /// Takes the next token; the end of the file is never passed.
    pub(crate) fn bump(&mut self) -> Slot {
        let slot = Slot::token(TokenId(self.pos));
        if !self.at_end() {
            self.pos += 1;
        }
        slot
    }

    /// Takes the next token if it is of the given kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> Slot {
        if self.at(kind) { self.bump() } else { Slot::NONE }
    }

    /// Takes the next token if it is the contextual keyword `word`.
    pub(crate) fn eat_keyword(&mut self, word: &str) -> Slot {
        if self.at_keyword(word) { self.bump() } else { Slot::NONE }
    }

    /// Takes the next token, which must be of the given kind.
    pub(crate) fn expect(&mut self, kind: TokenKind, code: Code) -> Parsed {
        if self.at(kind) { Ok(self.bump()) } else { self.fail(code, Arg::None) }
    }

    /// Takes the next token, which must be of the given kind with a fixed text.
    pub(crate) fn expect_fixed(&mut self, kind: TokenKind) -> Parsed {
        if self.at(kind) {
            return Ok(self.bump());
        }
        self.fail(Code::ExpectedCharacter, Arg::Word(kind.fixed_text().unwrap_or("")))
    }

    /// Takes the next token, which must be the contextual keyword `word`.
    pub(crate) fn expect_keyword(&mut self, word: &'static str) -> Parsed {
        if self.at_keyword(word) {
            Ok(self.bump())
        } else {
            self.fail(Code::ExpectedKeyword, Arg::Word(word))
        }
    }
}

/// Failing and recovering.
impl Parser<'_> {
    /// Fails at the next token. A line break is pointed at, not covered.
    pub(crate) fn fail<T>(&mut self, code: Code, arg: Arg) -> Parsed<T> {
        self.fail_at(self.peek(), code, arg)
    }

    /// Fails with a finding at a token.
    pub(crate) fn fail_at<T>(&mut self, token: Token, code: Code, arg: Arg) -> Parsed<T> {
        let span = if token.kind == TokenKind::NewLine { Span::empty(token.start) } else { token.span() };
        self.failure = Some(SyntaxDiagnostic { span, code, arg });
        Err(ParseFailed)
    }

    pub(crate) fn report(&mut self, code: Code, arg: Arg, span: Span) {
        self.diagnostics.push(SyntaxDiagnostic { span, code, arg });
    }

    pub(crate) fn mark(&self) -> Checkpoint {
        Checkpoint {
            token: self.pos,
            nodes: self.nodes.len(),
            slots: self.slots.len(),
            list: self.list.len(),
            diagnostics: self.diagnostics.len(),
            depth: self.depth,
        }
    }

    /// Reads with `parse`. When that fails, skips from where it began up to one of `stop`, which is left in place.
    pub(crate) fn recover(
        &mut self,
        report: Reporting,
        stop: TokenSet,
        parse: impl FnOnce(&mut Self) -> Parsed,
    ) -> Slot {
        self.recover_by(parse, |parser, mark| parser.skip_from(mark, report, stop))
    }

    /// As [`Self::recover`], but takes the stopping token into the skipped text.
    pub(crate) fn recover_through(
        &mut self,
        stop: TokenSet,
        parse: impl FnOnce(&mut Self) -> Parsed,
    ) -> Slot {
        self.recover_by(parse, |parser, mark| {
            parser.undo(mark);
            parser.report_failure(Reporting::Yes);
            parser.synchronize(stop);
            if !parser.at_end() {
                parser.bump();
            }
            parser.skipped_run(mark, NodeFlags::RECOVERED)
        })
    }

    /// Reads with `parse`; when that fails, `skip` makes a slot of what was read since it began.
    #[inline]
    fn recover_by(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Parsed,
        skip: impl FnOnce(&mut Self, Checkpoint) -> Slot,
    ) -> Slot {
        let mark = self.mark();
        match parse(self) {
            Ok(slot) => slot,
            Err(ParseFailed) => skip(self, mark),
        }
    }

    #[cold]
    fn skip_from(&mut self, mark: Checkpoint, report: Reporting, stop: TokenSet) -> Slot {
        self.undo(mark);
        self.report_failure(report);
        self.synchronize(stop);
        self.skipped_run(mark, NodeFlags::RECOVERED)
    }

    fn undo(&mut self, mark: Checkpoint) {
        self.nodes.truncate(mark.nodes);
        self.slots.truncate(mark.slots);
        self.list.truncate(mark.list);
        self.diagnostics.truncate(mark.diagnostics);
        self.depth = mark.depth;
    }

    fn report_failure(&mut self, report: Reporting) {
        if let Some(failure) = self.failure.take()
            && report == Reporting::Yes
        {
            self.diagnostics.push(failure);
        }
    }

    /// Moves up to a token of `stop` or to the end of the file.
    fn synchronize(&mut self, stop: TokenSet) {
        while !self.at_end() && !self.at_any(stop) {
            self.pos += 1;
        }
    }

    /// Skips up to a token of `stop` and says that this text does not belong here.
    pub(crate) fn skip_junk(&mut self, code: Code, stop: TokenSet) -> Slot {
        let mark = self.mark();
        self.synchronize(stop);
        let skipped = self.skipped_run(mark, NodeFlags::RECOVERED);
        self.report(code, Arg::None, self.span(skipped));
        skipped
    }

    /// Makes a node of the tokens read since `mark`.
    fn skipped_run(&mut self, mark: Checkpoint, flags: NodeFlags) -> Slot {
        let start = self.token_at(mark.token).start;
        let count = self.pos - mark.token;
        let end = if count == 0 { start } else { self.token_at(self.pos - 1).end };
        self.push_node(NodeData {
            kind: NodeKind::Skipped,
            flags: flags.union(NodeFlags::TOKEN_RUN),
            height: 1,
            span: Span::new(start, end),
            first: mark.token,
            count,
        })
    }

    /// Makes an empty node where something is missing.
    pub(crate) fn missing(&mut self) -> Slot {
        self.missing_at(self.peek().start, NodeFlags::empty())
    }

    /// Makes an empty node where something is missing, and says so.
    pub(crate) fn missing_with(&mut self, code: Code, arg: Arg) -> Slot {
        let at = self.peek().start;
        self.report(code, arg, Span::empty(at));
        self.missing_at(at, NodeFlags::empty())
    }

    /// Makes an empty node where a separator is missing or doubled, and says so.
    pub(crate) fn missing_separator(&mut self, code: Code) -> Slot {
        let at = self.peek().start;
        self.report(code, Arg::None, Span::empty(at));
        self.missing_at(at, NodeFlags::SEPARATOR)
    }

    pub(crate) fn missing_at(&mut self, at: u32, flags: NodeFlags) -> Slot {
        let (first, span) = (self.pos, Span::empty(at));
        let flags = flags.union(NodeFlags::TOKEN_RUN);
        self.push_node(NodeData { kind: NodeKind::Skipped, flags, height: 1, span, first, count: 0 })
    }

    /// Returns whether findings after `before` are worth telling: not when it is missing.
    pub(crate) fn report_after(&self, before: Slot) -> Reporting {
        if self.is_skipped(before) && self.span(before).is_empty() { Reporting::No } else { Reporting::Yes }
    }

    /// Tells whether anything is wrong in `slot`, which was read since `mark`.
    pub(crate) fn has_mistake(&self, slot: Slot, mark: Checkpoint) -> bool {
        if self.diagnostics.len() > mark.diagnostics {
            return true;
        }
        let span = self.span(slot);
        let from = self.lexical.partition_point(|found| found.span.start < span.start);
        let inside = self.lexical.iter().skip(from).take_while(|found| found.span.start <= span.end);
        inside.into_iter().any(|found| span.encloses(found.span))
    }
}

/// Building nodes.
impl Parser<'_> {
    fn push_node(&mut self, data: NodeData) -> Slot {
        // INVARIANT: a text has fewer than 2^28 tokens and a token makes a handful of nodes at most, see
        // `MAX_SOURCE_LEN`, so the number fits beside the slot's mark.
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(data);
        Slot::node(id)
    }

    fn data(&self, slot: Slot) -> Option<&NodeData> {
        self.nodes.get(slot.as_node()?.index())
    }

    /// Returns what `slot` covers.
    pub(crate) fn span(&self, slot: Slot) -> Span {
        match slot.as_node() {
            Some(id) => self.nodes.get(id.index()).map_or(Span::default(), |data| data.span),
            None => slot.as_token().map_or(Span::default(), |id| self.token_at(id.0).span()),
        }
    }

    /// Returns the kind of the node in `slot`.
    pub(crate) fn node_kind(&self, slot: Slot) -> Option<NodeKind> {
        self.data(slot).map(|data| data.kind)
    }

    /// Tells whether `slot` holds skipped text.
    pub(crate) fn is_skipped(&self, slot: Slot) -> bool {
        self.node_kind(slot) == Some(NodeKind::Skipped)
    }

    /// Changes the kind of a node that turns out to mean something else with the same parts.
    pub(crate) fn rename(&mut self, slot: Slot, kind: NodeKind) {
        if let Some(data) = slot.as_node().and_then(|id| self.nodes.get_mut(id.index())) {
            data.kind = kind;
        }
    }

    /// Makes a node of parts that are all read.
    pub(crate) fn node<const N: usize>(&mut self, kind: NodeKind, parts: [Slot; N]) -> Slot {
        let first = self.slots.len() as u32;
        self.slots.extend_from_slice(&parts);
        self.finish(kind, NodeFlags::empty(), first, &parts)
    }

    fn finish(&mut self, kind: NodeKind, flags: NodeFlags, first: u32, parts: &[Slot]) -> Slot {
        let mut height = 0;
        let mut span: Option<Span> = None;
        for part in parts {
            let part_span = match part.as_node() {
                Some(id) => {
                    let Some(data) = self.nodes.get(id.index()) else { continue };
                    height = height.max(data.height);
                    data.span
                }
                None => match part.as_token() {
                    Some(id) => self.token_at(id.0).span(),
                    None => continue,
                },
            };
            span = Some(span.map_or(part_span, |span| Span::new(span.start, part_span.end)));
        }
        let span = span.unwrap_or(Span::empty(self.peek().start));
        self.push_node(NodeData {
            kind,
            flags,
            height: height.saturating_add(1),
            span,
            first,
            count: parts.len() as u32,
        })
    }

    /// Returns the last part of the node in `slot`.
    pub(crate) fn last_part(&self, slot: Slot) -> Slot {
        self.parts(slot).last().copied().unwrap_or(Slot::NONE)
    }

    /// Returns the parts of the node in `slot`.
    pub(crate) fn parts(&self, slot: Slot) -> &[Slot] {
        let Some(data) = self.data(slot) else { return &[] };
        if data.flags.contains(NodeFlags::TOKEN_RUN) {
            return &[];
        }
        let first = data.first as usize;
        self.slots.get(first..first + data.count as usize).unwrap_or(&[])
    }

    /// Takes all line breaks at hand as one part.
    pub(crate) fn new_lines(&mut self) -> Slot {
        let first = self.pos;
        while self.at(TokenKind::NewLine) {
            self.pos += 1;
        }
        let count = self.pos - first;
        if count < 2 {
            return if count == 0 { Slot::NONE } else { Slot::token(TokenId(first)) };
        }
        let span = Span::new(self.token_at(first).start, self.token_at(self.pos - 1).end);
        let flags = NodeFlags::TOKEN_RUN;
        self.push_node(NodeData { kind: NodeKind::NewLines, flags, height: 1, span, first, count })
    }

    /// Lists all line breaks at hand.
    pub(crate) fn push_new_lines(&mut self) {
        while self.at(TokenKind::NewLine) {
            let new_line = self.bump();
            self.push(new_line);
        }
    }

    /// Lets the node in `slot` cover `span`.
    pub(crate) fn set_span(&mut self, slot: Slot, span: Span) {
        if let Some(data) = slot.as_node().and_then(|id| self.nodes.get_mut(id.index())) {
            data.span = span;
        }
    }

    /// Begins a list of children.
    pub(crate) fn list(&self) -> ListMark {
        ListMark(self.list.len())
    }

    /// Adds a child to the list that is being read.
    pub(crate) fn push(&mut self, slot: Slot) {
        self.list.push(slot);
    }

    /// Returns the children of the list so far.
    pub(crate) fn listed(&self, mark: ListMark) -> &[Slot] {
        self.list.get(mark.0..).unwrap_or(&[])
    }

    /// Replaces a child of the list that is being read.
    pub(crate) fn replace(&mut self, mark: ListMark, index: usize, slot: Slot) {
        if let Some(child) = self.list.get_mut(mark.0 + index) {
            *child = slot;
        }
    }

    /// Makes a node of the listed children, which are then no longer listed.
    pub(crate) fn node_of_list(&mut self, mark: ListMark, kind: NodeKind) -> Slot {
        let first = self.slots.len() as u32;
        let mut list = std::mem::take(&mut self.list);
        let parts = list.get(mark.0..).unwrap_or(&[]);
        self.slots.extend_from_slice(parts);
        let slot = self.finish(kind, NodeFlags::empty(), first, parts);
        list.truncate(mark.0);
        self.list = list;
        slot
    }
}

/// Limits.
impl Parser<'_> {
    /// Reads with `parse` one level deeper, unless that is too deep.
    pub(crate) fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        let first = self.peek();
        if self.depth >= MAX_NESTING {
            return self.fail_at(first, Code::NestingTooDeep, Arg::Count(MAX_NESTING));
        }
        self.depth += 1;
        let slot = parse(self)?;
        self.depth -= 1;
        if self.is_too_high(slot) {
            return self.fail_at(first, Code::NestingTooDeep, Arg::Count(u32::from(MAX_HEIGHT)));
        }
        Ok(slot)
    }

    /// Fails when `slot` is so high that another node on top of it would be too much.
    pub(crate) fn check_height(&mut self, slot: Slot) -> Parsed<()> {
        if self.is_too_high(slot) {
            self.fail(Code::NestingTooDeep, Arg::Count(u32::from(MAX_HEIGHT)))
        } else {
            Ok(())
        }
    }

    fn is_too_high(&self, slot: Slot) -> bool {
        self.data(slot).is_some_and(|data| data.height >= MAX_HEIGHT)
    }
}
