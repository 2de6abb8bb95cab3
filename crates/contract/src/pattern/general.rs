//! The general engine, for patterns that no special case covers: word boundaries, lines, scripts, large counts.

use std::cell::RefCell;

use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_syntax::hir::{self, Class, Hir, Repetition};

use super::error::PatternError;
use super::node::{PatternNode, ZeroWidthAssertion};
use super::text;

/// The most memory one compiled pattern may take before it starts to run, and while it does.
const SIZE_LIMIT: usize = 10 << 20;
/// The most character sets a pattern may have once all counts are written out; checked before memory is spent.
const MAX_LEAVES: u64 = 200_000;
/// A buffer for repaired text that grew beyond this is given back.
const KEEP_BUFFER: usize = 1 << 16;

/// A pattern compiled for the general engine.
#[derive(Debug)]
pub(super) struct General {
    regex: Regex,
}

impl General {
    /// Compiles any pattern that is not too large.
    pub(super) fn new(node: &PatternNode) -> Result<Self, PatternError> {
        if leaves(node) > MAX_LEAVES {
            return Err(too_large());
        }
        let config = Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .hybrid_cache_capacity(SIZE_LIMIT / 4)
            .onepass(false)
            .dfa(false);
        let regex = Regex::builder().configure(config).build_from_hir(&lower(node)).map_err(refused)?;
        Ok(Self { regex })
    }

    /// Whether the pattern matches somewhere in the text.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        thread_local! {
            static REPAIRED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        // The engine finds no match of nothing next to a byte that is not UTF-8, so it is not shown any.
        if std::str::from_utf8(text).is_ok() {
            return self.regex.is_match(text);
        }
        REPAIRED.with_borrow_mut(|buffer| {
            buffer.clear();
            buffer.extend(text::repaired(text));
            let found = self.regex.is_match(buffer.as_slice());
            if buffer.capacity() > KEEP_BUFFER {
                *buffer = Vec::new();
            }
            found
        })
    }
}

fn too_large() -> PatternError {
    PatternError::new(0, "pattern is too large once its counts are written out")
        .hint("lower the repeat counts, or check the length with a rule of its own")
}

fn refused(error: BuildError) -> PatternError {
    match error.size_limit() {
        Some(_) => too_large(),
        None => PatternError::new(0, format!("pattern cannot be compiled: {error}")),
    }
}

/// How many character sets the pattern has with all counts written out.
fn leaves(node: &PatternNode) -> u64 {
    match node {
        PatternNode::Set(_) | PatternNode::Look(_) | PatternNode::Empty => 1,
        PatternNode::Repeat { node, min, max } => {
            leaves(node).saturating_mul(u64::from(max.unwrap_or(min.saturating_add(1)).max(1)))
        }
        PatternNode::Concat(nodes) | PatternNode::Alt(nodes) => {
            nodes.iter().map(leaves).fold(0, u64::saturating_add)
        }
    }
}

fn lower(node: &PatternNode) -> Hir {
    match node {
        PatternNode::Empty => Hir::empty(),
        PatternNode::Set(set) => Hir::class(Class::Unicode(set.to_class())),
        PatternNode::Look(look) => Hir::look(match look {
            ZeroWidthAssertion::TextStart => hir::Look::Start,
            ZeroWidthAssertion::TextEnd => hir::Look::End,
            ZeroWidthAssertion::LineStart => hir::Look::StartLF,
            ZeroWidthAssertion::LineEnd => hir::Look::EndLF,
            ZeroWidthAssertion::WordAscii => hir::Look::WordAscii,
            ZeroWidthAssertion::NotWordAscii => hir::Look::WordAsciiNegate,
            ZeroWidthAssertion::WordUnicode => hir::Look::WordUnicode,
            ZeroWidthAssertion::NotWordUnicode => hir::Look::WordUnicodeNegate,
            ZeroWidthAssertion::WordStartUnicode => hir::Look::WordStartUnicode,
            ZeroWidthAssertion::WordEndUnicode => hir::Look::WordEndUnicode,
        }),
        PatternNode::Repeat { node, min, max } => {
            Hir::repetition(Repetition { min: *min, max: *max, greedy: true, sub: Box::new(lower(node)) })
        }
        PatternNode::Concat(nodes) => Hir::concat(nodes.iter().map(lower).collect()),
        PatternNode::Alt(nodes) => Hir::alternation(nodes.iter().map(lower).collect()),
    }
}
