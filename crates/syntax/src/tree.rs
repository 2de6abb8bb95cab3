//! The lossless tree: flat vectors of tokens, nodes and child slots, and cheap handles into them.
//!
//! A node is twenty bytes and owns a run of slots; a slot names a token, a node, or nothing where an optional part is
//! absent. Children are stored before their parents, the root comes last. Nothing is allocated per node, and the tree
//! can be shared between threads.

use bitflags::bitflags;
use std::sync::Arc;

use crate::diagnostics::SyntaxDiagnostic;
use crate::kind::NodeKind;
use crate::token::{Token, TokenFlags, TokenKind, Trivia};
use crate::trivia::{Pieces, Pragma, pieces_in};
use crate::{SourceKind, Span};

/// Names a node of a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// Returns the node's place among all nodes of its tree; children come before parents.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Names a token of a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TokenId(pub(crate) u32);

impl TokenId {
    /// Returns the token's place among all tokens of its tree, in source order.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a child slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(u32);

impl Slot {
    const NODE: u32 = 1 << 31;

    /// An optional part that is absent.
    pub(crate) const NONE: Self = Self(u32::MAX);

    pub(crate) const fn token(id: TokenId) -> Self {
        Self(id.0)
    }

    pub(crate) const fn node(id: NodeId) -> Self {
        Self(id.0 | Self::NODE)
    }

    #[inline]
    pub(crate) fn as_node(self) -> Option<NodeId> {
        (self.0 & Self::NODE != 0 && self != Self::NONE).then_some(NodeId(self.0 & !Self::NODE))
    }

    #[inline]
    pub(crate) fn as_token(self) -> Option<TokenId> {
        (self.0 & Self::NODE == 0).then_some(TokenId(self.0))
    }
}

/// A node as it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeData {
    pub(crate) kind: NodeKind,
    pub(crate) flags: NodeFlags,
    /// Nodes on the longest way down, this one included.
    pub(crate) height: u16,
    pub(crate) span: Span,
    /// The first of its slots; with [`NodeFlags::TOKEN_RUN`] the first of its tokens.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

bitflags! {
    /// Facts about a node, one bit each.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct NodeFlags: u8 {
        /// The children are a run of tokens and not slots.
        const TOKEN_RUN = 1;
        /// Skipped because a part could not be read.
        const RECOVERED = 1 << 1;
        /// Stands where a separator is missing or doubled.
        const SEPARATOR = 1 << 2;
    }
}

/// A source text, its tree and what is wrong with it.
#[derive(Debug)]
pub struct SyntaxTree {
    pub(crate) text: Arc<str>,
    pub(crate) source_kind: SourceKind,
    pub(crate) tokens: Vec<Token>,
    pub(crate) trivia: Vec<Trivia>,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) diagnostics: Vec<SyntaxDiagnostic>,
}

impl SyntaxTree {
    /// Returns the source text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the source text for keeping.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Returns which language the text was read as.
    #[must_use]
    pub const fn source_kind(&self) -> SourceKind {
        self.source_kind
    }

    /// Returns what the lexer and the parser found, sorted by position, without repetition.
    #[must_use]
    pub fn diagnostics(&self) -> &[SyntaxDiagnostic] {
        &self.diagnostics
    }

    /// Returns the node for the whole text.
    #[must_use]
    pub fn root(&self) -> SyntaxNode<'_> {
        let last = self.nodes.len().saturating_sub(1);
        SyntaxNode { tree: self, id: NodeId(u32::try_from(last).unwrap_or(0)) }
    }

    /// Returns a node by its name.
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> Option<SyntaxNode<'_>> {
        (id.index() < self.nodes.len()).then_some(SyntaxNode { tree: self, id })
    }

    /// Returns a token by its name.
    #[must_use]
    #[inline]
    pub fn token(&self, id: TokenId) -> Option<SyntaxToken<'_>> {
        (id.index() < self.tokens.len()).then_some(SyntaxToken { tree: self, id })
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns all tokens in source order; the last one is the end of the file.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = SyntaxToken<'_>> + ExactSizeIterator {
        (0..self.tokens.len()).map(|index| SyntaxToken { tree: self, id: TokenId(index as u32) })
    }

    /// Returns the token at `offset`: the last one that starts at or before it.
    #[must_use]
    pub fn token_at(&self, offset: u32) -> Option<SyntaxToken<'_>> {
        let after = self.tokens.partition_point(|token| token.start <= offset);
        self.token(TokenId(u32::try_from(after.checked_sub(1)?).ok()?))
    }

    /// Returns comments and pragmas in source order.
    #[must_use]
    pub fn trivia(&self) -> &[Trivia] {
        &self.trivia
    }

    /// Returns the pragmas that switch diagnostics off and on, in source order.
    pub fn pragmas(&self) -> impl Iterator<Item = Pragma<'_>> {
        self.trivia.iter().filter_map(|piece| Pragma::read(&self.text, *piece))
    }

    /// Returns the parent of every node, indexed like the nodes; the root and dropped nodes have none.
    #[must_use]
    pub fn parents(&self) -> Vec<Option<NodeId>> {
        let mut parents = vec![None; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if node.flags.contains(NodeFlags::TOKEN_RUN) {
                continue;
            }
            for child in self.slots_of(node).iter().filter_map(|slot| slot.as_node()) {
                if let Some(parent) = parents.get_mut(child.index()) {
                    *parent = Some(NodeId(index as u32));
                }
            }
        }
        parents
    }

    #[inline]
    fn data(&self, id: NodeId) -> Option<&NodeData> {
        self.nodes.get(id.index())
    }

    #[inline]
    fn slots_of(&self, node: &NodeData) -> &[Slot] {
        let first = node.first as usize;
        self.slots.get(first..first + node.count as usize).unwrap_or(&[])
    }

    #[inline]
    fn element(&self, slot: Slot) -> Option<SyntaxElement<'_>> {
        match slot.as_node() {
            Some(id) => self.node(id).map(SyntaxElement::Node),
            None => self.token(slot.as_token()?).map(SyntaxElement::Token),
        }
    }
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub struct SyntaxNode<'t> {
    tree: &'t SyntaxTree,
    id: NodeId,
}

impl<'t> SyntaxNode<'t> {
    /// Returns the tree it belongs to.
    #[must_use]
    pub const fn tree(self) -> &'t SyntaxTree {
        self.tree
    }

    /// Returns its name in the tree.
    #[must_use]
    pub const fn id(self) -> NodeId {
        self.id
    }

    /// Returns what it is.
    #[must_use]
    #[inline]
    pub fn kind(self) -> NodeKind {
        self.tree.data(self.id).map_or(NodeKind::Skipped, |data| data.kind)
    }

    /// Returns the bytes it covers, from its first token proper to its last.
    #[must_use]
    #[inline]
    pub fn span(self) -> Span {
        self.tree.data(self.id).map_or(Span::default(), |data| data.span)
    }

    /// Returns the source it covers, with the trivia inside.
    #[must_use]
    #[inline]
    pub fn text(self) -> &'t str {
        self.span().text(&self.tree.text)
    }

    /// Tells whether this stands for tokens that fit nowhere, or for a part that is missing.
    #[must_use]
    pub fn is_skipped(self) -> bool {
        self.kind() == NodeKind::Skipped
    }

    /// Tells whether this is skipped text that took the place of a whole part which could not be read.
    #[must_use]
    pub fn is_recovered(self) -> bool {
        self.has(NodeFlags::RECOVERED)
    }

    /// Tells whether this stands where a separator of a list is missing or doubled.
    #[must_use]
    pub fn is_separator(self) -> bool {
        self.has(NodeFlags::SEPARATOR)
    }

    /// Tells whether this is skipped text that was never an item of the list it is in.
    pub(crate) fn is_no_item(self) -> bool {
        self.is_recovered() || self.is_separator()
    }

    fn has(self, flags: NodeFlags) -> bool {
        self.tree.data(self.id).is_some_and(|data| data.flags.contains(flags))
    }

    /// Returns the number of nodes on the longest way down, this one included.
    #[must_use]
    #[inline]
    pub fn height(self) -> u16 {
        self.tree.data(self.id).map_or(0, |data| data.height)
    }

    /// Returns the number of slots, those of absent parts included.
    #[must_use]
    #[inline]
    pub fn slot_count(self) -> usize {
        self.tree.data(self.id).map_or(0, |data| data.count as usize)
    }

    /// Returns what is in slot `index`, or nothing when the part is absent.
    #[must_use]
    #[inline]
    pub fn slot(self, index: usize) -> Option<SyntaxElement<'t>> {
        let data = self.tree.data(self.id)?;
        if index >= data.count as usize {
            return None;
        }
        if data.flags.contains(NodeFlags::TOKEN_RUN) {
            return self.tree.token(TokenId(data.first + index as u32)).map(SyntaxElement::Token);
        }
        self.tree.element(*self.tree.slots.get(data.first as usize + index)?)
    }

    /// Returns what is in the slot `back` places before the last one, or nothing when the part is absent.
    #[must_use]
    #[inline]
    pub fn slot_from_end(self, back: usize) -> Option<SyntaxElement<'t>> {
        self.slot(self.slot_count().checked_sub(back + 1)?)
    }

    /// Returns the parts that are present, in source order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = SyntaxElement<'t>> {
        (0..self.slot_count()).filter_map(move |index| self.slot(index))
    }

    /// Returns the children that are nodes.
    #[inline]
    pub fn child_nodes(self) -> impl DoubleEndedIterator<Item = SyntaxNode<'t>> {
        let tree = self.tree;
        // A run of tokens has no nodes; everything else is a run of slots, looked up once.
        let data = tree.data(self.id).filter(|data| !data.flags.contains(NodeFlags::TOKEN_RUN));
        let slots = data.map_or(&[][..], |data| tree.slots_of(data));
        slots.iter().filter_map(|slot| slot.as_node()).map(move |id| SyntaxNode { tree, id })
    }

    /// Returns this node and all nodes below it, parents first, in source order.
    pub fn descendants(self) -> impl Iterator<Item = SyntaxNode<'t>> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(node.child_nodes().rev());
            Some(node)
        })
    }

    /// Returns all nodes below this one and then the node itself, children first: one scan over memory, for those who
    /// look for nodes and not for an order.
    #[inline]
    pub fn subtree(self) -> impl Iterator<Item = SyntaxNode<'t>> {
        let tree = self.tree;
        let mut first = self;
        // Children are stored before their parents, so everything below lies between the first leaf and the node.
        while let Some(child) = first.child_nodes().next() {
            first = child;
        }
        (first.id.0..=self.id.0).map(move |id| SyntaxNode { tree, id: NodeId(id) })
    }

    /// Returns the tokens below, in source order.
    pub fn tokens(self) -> impl Iterator<Item = SyntaxToken<'t>> {
        let mut open = vec![SyntaxElement::Node(self)];
        std::iter::from_fn(move || {
            loop {
                match open.pop()? {
                    SyntaxElement::Token(token) => return Some(token),
                    SyntaxElement::Node(node) => open.extend(node.children().rev()),
                }
            }
        })
    }
}

impl PartialEq for SyntaxNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl Eq for SyntaxNode<'_> {}

impl std::fmt::Debug for SyntaxNode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}..{}", self.kind().name(), self.span().start, self.span().end)
    }
}

/// A token of a tree.
#[derive(Clone, Copy)]
pub struct SyntaxToken<'t> {
    tree: &'t SyntaxTree,
    id: TokenId,
}

impl<'t> SyntaxToken<'t> {
    /// Returns the tree it belongs to.
    #[must_use]
    pub const fn tree(self) -> &'t SyntaxTree {
        self.tree
    }

    /// Returns its name in the tree.
    #[must_use]
    pub const fn id(self) -> TokenId {
        self.id
    }

    #[inline]
    fn data(self) -> Option<Token> {
        self.tree.tokens.get(self.id.index()).copied()
    }

    /// Returns what it is.
    #[must_use]
    #[inline]
    pub fn kind(self) -> TokenKind {
        self.data().map_or(TokenKind::EndOfFile, |token| token.kind)
    }

    /// Returns the bytes of the token proper.
    #[must_use]
    #[inline]
    pub fn span(self) -> Span {
        self.data().map_or(Span::default(), Token::span)
    }

    /// Returns the text of the token proper.
    #[must_use]
    #[inline]
    pub fn text(self) -> &'t str {
        self.span().text(&self.tree.text)
    }

    /// Tells whether this is a string piece that is not closed or holds a bad escape.
    #[must_use]
    pub fn is_malformed(self) -> bool {
        self.data().is_some_and(|token| token.flags.contains(TokenFlags::MALFORMED))
    }

    /// Returns the trivia before the token that belongs to it.
    #[must_use]
    pub fn leading_trivia(self) -> Pieces<'t> {
        let index = self.id.index();
        let start = index.checked_sub(1).map_or(0, |before| trailing_end(self.tree, before));
        pieces_in(&self.tree.trivia, Span::new(start, self.span().start))
    }

    /// Returns the trivia after the token that belongs to it: blanks, and the comments on its line if the kind
    /// of token keeps them.
    #[must_use]
    pub fn trailing_trivia(self) -> Pieces<'t> {
        let end = trailing_end(self.tree, self.id.index());
        pieces_in(&self.tree.trivia, Span::new(self.span().end, end))
    }
}

impl PartialEq for SyntaxToken<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl Eq for SyntaxToken<'_> {}

impl std::fmt::Debug for SyntaxToken<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}..{} {:?}", self.kind().name(), self.span().start, self.span().end, self.text())
    }
}

/// Returns where the trailing trivia of the token at `index` ends.
fn trailing_end(tree: &SyntaxTree, index: usize) -> u32 {
    let (Some(token), Some(next)) = (tree.tokens.get(index), tree.tokens.get(index + 1)) else {
        return tree.tokens.get(index).map_or(0, |token| token.end);
    };
    if !next.flags.contains(TokenFlags::TRIVIA_BEFORE) {
        return next.start;
    }
    let from = tree.trivia.partition_point(|piece| piece.start < token.end);
    let mut pieces = tree.trivia.iter().skip(from).take_while(|piece| piece.start < next.start);
    let first_kept_by_next =
        pieces.find(|piece| !(token.kind.keeps_trailing_comments() && piece.kind.is_comment()));
    // Blanks go to the token before, unless a comment of that token stands between.
    first_kept_by_next.map_or(next.start, |piece| piece.start)
}

/// A child of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyntaxElement<'t> {
    /// A node, which may have children.
    Node(SyntaxNode<'t>),
    /// A token with the trivia around it.
    Token(SyntaxToken<'t>),
}

impl<'t> SyntaxElement<'t> {
    /// Returns the bytes covered.
    #[must_use]
    #[inline]
    pub fn span(self) -> Span {
        match self {
            Self::Node(node) => node.span(),
            Self::Token(token) => token.span(),
        }
    }

    /// Returns the source covered, with the trivia inside.
    #[must_use]
    #[inline]
    pub fn text(self) -> &'t str {
        match self {
            Self::Node(node) => node.text(),
            Self::Token(token) => token.text(),
        }
    }

    /// Returns the node, if it is one.
    #[must_use]
    pub const fn node(self) -> Option<SyntaxNode<'t>> {
        match self {
            Self::Node(node) => Some(node),
            Self::Token(_) => None,
        }
    }

    /// Returns the token, if it is one.
    #[must_use]
    pub const fn token(self) -> Option<SyntaxToken<'t>> {
        match self {
            Self::Token(token) => Some(token),
            Self::Node(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_slots_stay_small() {
        assert_eq!(size_of::<NodeData>(), 20);
        assert_eq!(size_of::<Slot>(), 4);
        assert_eq!(size_of::<SyntaxElement<'_>>(), 24);
    }

    #[test]
    fn trees_can_be_shared_between_threads() {
        const fn check<T: Send + Sync>() {}
        check::<SyntaxTree>();
        check::<SyntaxNode<'_>>();
    }

    #[test]
    fn slots_tell_tokens_nodes_and_nothing_apart() {
        assert_eq!(Slot::token(TokenId(7)).as_token(), Some(TokenId(7)));
        assert_eq!(Slot::token(TokenId(7)).as_node(), None);
        assert_eq!(Slot::node(NodeId(7)).as_node(), Some(NodeId(7)));
        assert_eq!(Slot::node(NodeId(7)).as_token(), None);
        assert_eq!((Slot::NONE.as_token(), Slot::NONE.as_node()), (None, None));
    }
}
