//! A reading position in the text of a pattern.

use super::error::PatternError;

/// Walks over a pattern, one character at a time, and knows the byte offset it is at.
#[derive(Clone, Copy)]
pub(super) struct PatternCursor<'a> {
    whole: &'a str,
    rest: &'a str,
}

impl<'a> PatternCursor<'a> {
    pub(super) fn new(whole: &'a str) -> Self {
        Self { whole, rest: whole }
    }

    /// Byte offset of the next character.
    pub(super) fn offset(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    /// What is left to read.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    /// Steps over `text` if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Steps over a backslash and the character behind it, which is returned.
    pub(super) fn escaped(&mut self, start: usize) -> Result<char, PatternError> {
        self.eat("\\");
        self.next().ok_or_else(|| {
            PatternError::new(start, "pattern ends after a backslash").hint(r"write `\\` for the character")
        })
    }

    /// Reads up to `end` and steps over both, or stays in place when `end` does not follow.
    pub(super) fn until(&mut self, end: &str) -> Option<&'a str> {
        let (found, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(found)
    }

    /// The text from byte `start` up to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.whole.get(start..self.offset()).unwrap_or_default()
    }

    /// Reads up to `most` digits of `radix` and returns their value, or `None` when there is not one.
    pub(super) fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            self.next();
            // Saturates: every caller refuses numbers long before the limit.
            value = Some(value.unwrap_or(0_u32).saturating_mul(radix).saturating_add(digit));
        }
        value
    }

    /// Reads exactly `count` digits of `radix`, or nothing.
    pub(super) fn exact_digits(&mut self, radix: u32, count: usize) -> Option<u32> {
        let mut probe = *self;
        let value = probe.digits(radix, count)?;
        if self.rest.len() - probe.rest.len() != count {
            return None;
        }
        *self = probe;
        Some(value)
    }
}

/// The control character that a letter stands for behind a backslash.
pub(super) fn control(letter: char) -> Option<u32> {
    match letter {
        'f' => Some(0x0C),
        'n' => Some(0x0A),
        'r' => Some(0x0D),
        't' => Some(0x09),
        'v' => Some(0x0B),
        _ => None,
    }
}
