//! Patterns that are plain text: a whole, a start, an end, a part, or one of a few wholes.

use memchr::memmem::Finder;

use super::node::PatternNode;
use super::search::Anchored;

/// How many texts a choice may stand for.
const MAX_CHOICES: usize = 16;
/// How long all texts of a choice may be together.
const MAX_LENGTH: usize = 4096;

/// A pattern without any sets or repetitions left.
#[derive(Debug)]
pub(super) enum LiteralPattern {
    Contains(Box<Finder<'static>>),
    StartsWith(Box<[u8]>),
    EndsWith(Box<[u8]>),
    Equals(Box<[u8]>),
    EqualsAny(Box<[Box<[u8]>]>),
}

impl LiteralPattern {
    /// Compiles a pattern of this kind, or returns `None` for any other.
    pub(super) fn new(pattern: &Anchored<'_>) -> Option<Self> {
        let mut texts = vec![Vec::new()];
        pattern.parts.iter().try_for_each(|part| append(&mut texts, part))?;
        if let [text] = texts.as_mut_slice() {
            let text = std::mem::take(text).into_boxed_slice();
            return Some(match (pattern.start, pattern.end) {
                (false, false) => Self::Contains(Box::new(Finder::new(&text).into_owned())),
                (true, false) => Self::StartsWith(text),
                (false, true) => Self::EndsWith(text),
                (true, true) => Self::Equals(text),
            });
        }
        (pattern.start && pattern.end)
            .then(|| Self::EqualsAny(texts.into_iter().map(Vec::into_boxed_slice).collect()))
    }

    /// Whether the text matches.
    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Self::Contains(finder) => finder.find(text).is_some(),
            Self::StartsWith(wanted) => text.starts_with(wanted),
            Self::EndsWith(wanted) => text.ends_with(wanted),
            Self::Equals(wanted) => text == &**wanted,
            Self::EqualsAny(wanted) => wanted.iter().any(|wanted| text == &**wanted),
        }
    }
}

/// Extends each text by what the node stands for, as long as that is plain text or a choice of plain texts.
fn append(texts: &mut Vec<Vec<u8>>, node: &PatternNode) -> Option<()> {
    match node {
        PatternNode::Empty => {}
        PatternNode::Set(set) => {
            let c = set.only()?;
            // A bad byte counts as this character and would not be found as plain text.
            if c == char::REPLACEMENT_CHARACTER {
                return None;
            }
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            texts.iter_mut().for_each(|text| text.extend_from_slice(bytes));
        }
        PatternNode::Concat(parts) => parts.iter().try_for_each(|part| append(texts, part))?,
        PatternNode::Repeat { node, min, max: Some(max) } if min == max => {
            for _ in 0..*min {
                append(texts, node)?;
            }
        }
        PatternNode::Alt(branches) => {
            if branches.len() * texts.len() > MAX_CHOICES {
                return None;
            }
            let prefixes = std::mem::take(texts);
            for branch in branches {
                let mut extended = prefixes.clone();
                append(&mut extended, branch)?;
                texts.append(&mut extended);
            }
            if texts.len() > MAX_CHOICES {
                return None;
            }
        }
        PatternNode::Look(_) | PatternNode::Repeat { .. } => return None,
    }
    (texts.iter().map(Vec::len).sum::<usize>() <= MAX_LENGTH).then_some(())
}
