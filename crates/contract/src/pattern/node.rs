//! What a pattern means once its dialect's spelling is gone, and the stack that parsers build it on.
//!
//! Only the question "is there a match" is ever asked, so captures, names and the greediness of repetitions do not survive.

use super::error::PatternError;
use super::set::CharSet;

/// How deep groups may nest. Deeper patterns are refused, which is what keeps every walk over a [`PatternNode`] from overflowing.
const MAX_DEPTH: usize = 250;

/// A condition on a position that consumes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ZeroWidthAssertion {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    /// Word boundaries where a word is made of ASCII letters, digits and `_`.
    WordAscii,
    NotWordAscii,
    /// Word boundaries where a word is made of letters and digits of any script and `_`.
    WordUnicode,
    NotWordUnicode,
    WordStartUnicode,
    WordEndUnicode,
}

/// The meaning of a pattern or of a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternNode {
    Empty,
    /// One character out of a set; the empty set never matches.
    Set(CharSet),
    Look(ZeroWidthAssertion),
    Repeat {
        node: Box<PatternNode>,
        min: u32,
        /// `None` is without bound.
        max: Option<u32>,
    },
    /// INVARIANT: two parts or more, none of them a `Concat` or `Empty`.
    Concat(Vec<PatternNode>),
    /// INVARIANT: two branches or more.
    Alt(Vec<PatternNode>),
}

impl PatternNode {
    /// Puts parts in a row.
    pub(super) fn concat(parts: Vec<Self>) -> Self {
        let flat = if parts.iter().any(|part| matches!(part, Self::Concat(_) | Self::Empty)) {
            let mut flat = Vec::with_capacity(parts.len());
            for part in parts {
                match part {
                    Self::Empty => {}
                    Self::Concat(inner) => flat.extend(inner),
                    other => flat.push(other),
                }
            }
            flat
        } else {
            parts
        };
        one_or(flat, Self::Concat).unwrap_or(Self::Empty)
    }

    /// Makes a choice; neighbouring branches of one character each become one set.
    pub(super) fn alt(branches: Vec<Self>) -> Self {
        let mut merged: Vec<Self> = Vec::with_capacity(branches.len());
        for branch in branches {
            match (merged.last_mut(), branch) {
                (Some(Self::Set(all)), Self::Set(set)) => all.add_set(&set),
                (_, branch) => merged.push(branch),
            }
        }
        for branch in &mut merged {
            if let Self::Set(set) = branch {
                set.finish();
            }
        }
        one_or(merged, Self::Alt).unwrap_or(Self::Empty)
    }

    /// Repeats a part; a repetition of a simple repetition becomes one, so stacking operators does not build depth.
    pub(super) fn repeat(node: Self, min: u32, max: Option<u32>) -> Self {
        match (node, min, max) {
            (Self::Empty, ..) | (_, 0, Some(0)) => Self::Empty,
            (node, 1, Some(1)) => node,
            (Self::Repeat { node, min: 0 | 1, max }, 0, Some(1)) => Self::Repeat { node, min: 0, max },
            (Self::Repeat { node, min: inner @ (0 | 1), .. }, 0 | 1, None) => {
                Self::Repeat { node, min: inner * min, max: None }
            }
            (node, min, max) => Self::Repeat { node: Box::new(node), min, max },
        }
    }
}

/// The only element, or all of them wrapped, or nothing.
fn one_or(mut nodes: Vec<PatternNode>, wrap: fn(Vec<PatternNode>) -> PatternNode) -> Option<PatternNode> {
    if nodes.len() > 1 { Some(wrap(nodes)) } else { nodes.pop() }
}

/// What has been read of one group so far.
struct OpenGroup<F> {
    opened_at: usize,
    branches: Vec<PatternNode>,
    parts: Vec<PatternNode>,
    /// Copies the most repeated leaf of the last part, and of the whole group, would have when counts are written out.
    last_copies: u64,
    copies: u64,
    /// Flags to go back to when the group closes.
    flags: F,
}

impl<F> OpenGroup<F> {
    fn new(opened_at: usize, flags: F) -> Self {
        Self { opened_at, branches: Vec::new(), parts: Vec::new(), last_copies: 1, copies: 1, flags }
    }

    fn end_branch(&mut self) {
        let parts = std::mem::take(&mut self.parts);
        self.branches.push(PatternNode::concat(parts));
    }

    fn finish(mut self) -> (PatternNode, u64, F) {
        self.end_branch();
        let copies = self.copies.max(self.last_copies);
        (PatternNode::alt(self.branches), copies, self.flags)
    }
}

/// Builds a [`PatternNode`] from left to right; a parser of any dialect tells it what it read.
pub(super) struct Builder<F> {
    frames: Vec<OpenGroup<F>>,
    top: OpenGroup<F>,
}

impl<F> Builder<F> {
    /// Starts with nothing read; `flags` are never handed back.
    pub(super) fn new(flags: F) -> Self {
        Self { frames: Vec::new(), top: OpenGroup::new(0, flags) }
    }

    /// Adds one part to the current branch.
    pub(super) fn push(&mut self, node: PatternNode) {
        self.push_copies(node, 1);
    }

    fn push_copies(&mut self, node: PatternNode, copies: u64) {
        self.top.copies = self.top.copies.max(self.top.last_copies);
        self.top.last_copies = copies;
        self.top.parts.push(node);
    }

    /// Ends the current branch and starts the next one.
    pub(super) fn alternate(&mut self) {
        self.top.end_branch();
    }

    /// Opens a group at byte `offset` of the pattern.
    pub(super) fn open(&mut self, offset: usize, flags: F) -> Result<(), PatternError> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(PatternError::new(offset, format!("groups nest more than {MAX_DEPTH} deep")));
        }
        let outer = std::mem::replace(&mut self.top, OpenGroup::new(offset, flags));
        self.frames.push(outer);
        Ok(())
    }

    /// Closes the innermost group and returns the flags it was opened with, or `None` when no group is open.
    pub(super) fn close(&mut self) -> Option<F> {
        let outer = self.frames.pop()?;
        let (node, copies, flags) = std::mem::replace(&mut self.top, outer).finish();
        self.push_copies(node, copies);
        Some(flags)
    }

    /// Whether a repetition would have something to repeat.
    pub(super) fn can_repeat(&self) -> bool {
        !self.top.parts.is_empty()
    }

    /// Repeats the last part and returns how many copies nested counts multiply to.
    pub(super) fn repeat(&mut self, min: u32, max: Option<u32>) -> u64 {
        let Some(node) = self.top.parts.pop() else { return 0 };
        self.top.parts.push(PatternNode::repeat(node, min, max));
        let factor = u64::from(max.unwrap_or(min));
        self.top.last_copies = match max {
            // Nothing inside a part that is repeated no times counts any more.
            Some(0) => 1,
            _ => self.top.last_copies.saturating_mul(factor.max(1)),
        };
        self.top.last_copies
    }

    /// Hands over the whole, or says where a group was left open.
    pub(super) fn finish(self) -> Result<PatternNode, PatternError> {
        if let Some(_outer) = self.frames.last() {
            return Err(PatternError::new(self.top.opened_at, "group is never closed")
                .hint("add the closing parenthesis, or escape this one"));
        }
        Ok(self.top.finish().0)
    }
}
