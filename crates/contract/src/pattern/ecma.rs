//! ECMA-262 syntax as OpenAPI and JSON Schema use it, with characters meaning what they mean in Unicode mode.
//!
//! Spelling is a little more forgiving than Unicode mode, because schemas in the wild are: `\-`, `\_` and the like escape any
//! character that is not a letter or digit, and a `{`, `}` or `]` that cannot be an operator is itself. An escaped letter
//! without a meaning stays an error: `\Z` or `\h` comes from another dialect and would silently mean `Z` or `h`.
//!
//! Known differences from an ECMAScript engine, all of them deliberate:
//! - look-around, back-references, flags inside a pattern, and patterns over ten megabytes once compiled are refused;
//! - a pattern that only the older syntax accepts keeps the Unicode meaning of what is in it: the `\p{L}` in `\p{L}-{` is a letter;
//! - a class next to a hyphen is not an error beside Unicode properties either: `[\p{L}-.]`;
//! - `\B` in brackets, `\01` and escaped letters without a meaning are refused, where the older syntax takes them literally;
//! - `\p{...}` follows Unicode 16.

use std::collections::BTreeSet;

use super::cursor::{PatternCursor, control};
use super::error::PatternError;
use super::names;
use super::node::{Builder, PatternNode, ZeroWidthAssertion};
use super::set::{CharSet, MAX};

const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];
const SPACES: [(char, char); 10] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{A0}', '\u{A0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200A}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202F}', '\u{202F}'),
    ('\u{205F}', '\u{205F}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{FEFF}', '\u{FEFF}'),
];

/// Reads a whole pattern.
pub(super) fn parse(source: &str) -> Result<PatternNode, PatternError> {
    read(source, false)
}

/// Tells whether a text is a pattern of ECMA-262, one with look-around and back-references included.
pub(super) fn is_pattern(source: &str) -> bool {
    read(source, true).is_ok()
}

fn read(source: &str, only_read: bool) -> Result<PatternNode, PatternError> {
    let mut parser = EcmaParser {
        only_read,
        at: PatternCursor::new(source),
        builder: Builder::new(()),
        repeatable: false,
        names: BTreeSet::new(),
    };
    while let Some(c) = parser.at.peek() {
        parser.item(c)?;
    }
    parser.builder.finish()
}

struct EcmaParser<'a> {
    at: PatternCursor<'a>,
    builder: Builder<()>,
    /// Whether the item just read can be repeated: assertions and repetitions cannot.
    repeatable: bool,
    names: BTreeSet<&'a str>,
    /// Whether the pattern is not run, so that it may have what does not run in linear time.
    only_read: bool,
}

impl EcmaParser<'_> {
    fn item(&mut self, c: char) -> Result<(), PatternError> {
        let start = self.at.offset();
        let repeatable = std::mem::replace(&mut self.repeatable, true);
        match c {
            '[' => {
                let set = self.class(start)?;
                self.builder.push(PatternNode::Set(set));
                return Ok(());
            }
            '\\' => return self.escape(start),
            _ => {}
        }
        self.at.next();
        match c {
            '(' => self.open(start)?,
            ')' => {
                if self.builder.close().is_none() {
                    return Err(
                        PatternError::new(start, "`)` closes no group").hint(r"write `\)` for the character")
                    );
                }
            }
            '|' => {
                self.repeatable = false;
                self.builder.alternate();
            }
            '^' => self.look(ZeroWidthAssertion::TextStart),
            '$' => self.look(ZeroWidthAssertion::TextEnd),
            '.' => self.builder.push(PatternNode::Set(CharSet::all_but(&LINE_ENDS))),
            '*' => self.repeat(start, repeatable, 0, None)?,
            '+' => self.repeat(start, repeatable, 1, None)?,
            '?' => self.repeat(start, repeatable, 0, Some(1))?,
            '{' => match self.counts() {
                Some((min, Some(max))) if max < min => {
                    let written = self.at.since(start);
                    return Err(PatternError::new(start, format!("`{written}` ends before it starts"))
                        .hint("put the smaller count first"));
                }
                Some((min, max)) => self.repeat(start, repeatable, min, max)?,
                None => self.literal('{'),
            },
            _ => self.literal(c),
        }
        Ok(())
    }

    fn look(&mut self, look: ZeroWidthAssertion) {
        self.repeatable = false;
        self.builder.push(PatternNode::Look(look));
    }

    fn literal(&mut self, c: char) {
        self.builder.push(PatternNode::Set(CharSet::single(c)));
    }

    fn repeat(
        &mut self,
        start: usize,
        repeatable: bool,
        min: u32,
        max: Option<u32>,
    ) -> Result<(), PatternError> {
        // Greedy or not makes no difference to whether there is a match.
        self.at.eat("?");
        self.repeatable = false;
        if !repeatable {
            let written = self.at.since(start);
            return Err(PatternError::new(start, format!("`{written}` has nothing to repeat"))
                .hint("write a backslash before it for the character, or group what it repeats"));
        }
        self.builder.repeat(min, max);
        Ok(())
    }

    /// Reads the rest of `{2}`, `{2,}` or `{2,5}` after the brace, or nothing at all.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut at = self.at;
        let min = at.digits(10, usize::MAX)?;
        let max = if !at.eat(",") { Some(min) } else { at.digits(10, usize::MAX) };
        if !at.eat("}") {
            return None;
        }
        self.at = at;
        Some((min, max))
    }

    fn open(&mut self, start: usize) -> Result<(), PatternError> {
        self.repeatable = false;
        if self.at.eat("?") && !self.at.eat(":") {
            self.special_group(start)?;
        }
        self.builder.open(start, ())
    }

    /// Reads the rest of a group that started with `(?` and is not `(?:`.
    fn special_group(&mut self, start: usize) -> Result<(), PatternError> {
        let error = |message: &str| PatternError::new(start, message);
        for (text, kind) in [("=", "ahead"), ("!", "ahead"), ("<=", "behind"), ("<!", "behind")] {
            if self.at.eat(text) {
                if self.only_read {
                    return Ok(());
                }
                return Err(error(&format!("look-{kind} is not supported: patterns run in linear time"))
                    .hint("state the second condition as a pattern of its own, for example under `allOf`"));
            }
        }
        if self.at.eat("<") {
            let name_start = self.at.offset();
            let name = self.at.until(">").unwrap_or_default();
            if !is_identifier(name) {
                return Err(PatternError::new(name_start, "group name is not valid")
                    .hint("a name is an identifier and ends with `>`"));
            }
            if !self.names.insert(name) {
                return Err(PatternError::new(name_start, format!("two groups are called `{name}`")));
            }
            return Ok(());
        }
        Err(match self.at.peek() {
            Some('P') => error("`(?P` starts no known group").hint("a named group is `(?<name>...)`"),
            Some('i' | 'm' | 's' | 'u' | 'x' | '-') => {
                error("flags inside a pattern are not supported").hint("name both cases instead: `[Aa]`")
            }
            _ => error("`(?` starts no known group").hint("groups are `(...)`, `(?:...)` and `(?<name>...)`"),
        })
    }

    fn escape(&mut self, start: usize) -> Result<(), PatternError> {
        for (text, look) in
            [(r"\b", ZeroWidthAssertion::WordAscii), (r"\B", ZeroWidthAssertion::NotWordAscii)]
        {
            if self.at.eat(text) {
                self.look(look);
                return Ok(());
            }
        }
        if self.only_read && self.back_reference() {
            self.builder.push(PatternNode::Set(CharSet::default()));
            return Ok(());
        }
        let set = match self.set_escape(start)? {
            Some(set) => set,
            None => {
                let code = self.char_escape(start)?;
                let mut set = CharSet::default();
                set.add_range(code, code);
                set
            }
        };
        self.builder.push(PatternNode::Set(set));
        Ok(())
    }

    /// Reads a reference to a group, if there is one.
    fn back_reference(&mut self) -> bool {
        let mut at = self.at;
        at.eat("\\");
        let found = match at.peek() {
            Some('1'..='9') => at.digits(10, usize::MAX).is_some(),
            Some('k') => at.eat("k<") && at.until(">").is_some_and(is_identifier),
            _ => false,
        };
        if found {
            self.at = at;
        }
        found
    }

    /// Reads an escape that stands for a set (`\d`, `\p{L}`, ...), or nothing at all.
    fn set_escape(&mut self, start: usize) -> Result<Option<CharSet>, PatternError> {
        let mut at = self.at;
        at.eat("\\");
        let Some(letter) = at.next() else { return Ok(None) };
        let set = match letter.to_ascii_lowercase() {
            'd' => CharSet::ascii(&[('0', '9')]),
            's' => {
                let mut set = CharSet::default();
                for (lo, hi) in SPACES {
                    set.add_range(lo as u32, hi as u32);
                }
                set
            }
            'w' => CharSet::ascii(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
            'p' => {
                let name = if at.eat("{") { at.until("}").unwrap_or_default() } else { "" };
                names::ecma_property(name).ok_or_else(|| {
                    let error = PatternError::new(start, format!("no character property is called `{name}`"));
                    match names::re2_property(name) {
                        Some(_) => error.hint(format!(
                            r"names are spelled exactly, and scripts are `\p{{Script={name}}}`"
                        )),
                        None => error.hint(r"write `\p{L}`, `\p{Script=Greek}` or `\p{Alphabetic}`"),
                    }
                })?
            }
            _ => return Ok(None),
        };
        self.at = at;
        Ok(Some(if letter.is_ascii_uppercase() { set.negated() } else { set }))
    }

    /// Reads an escape that stands for one code point, which may be a surrogate that nothing can match.
    fn char_escape(&mut self, start: usize) -> Result<u32, PatternError> {
        let c = self.at.escaped(start)?;
        let code = match c {
            'f' | 'n' | 'r' | 't' | 'v' => control(c),
            '0' if !self.at.rest().starts_with(|next: char| next.is_ascii_digit()) => Some(0),
            'c' => self.at.peek().filter(char::is_ascii_alphabetic).map(|letter| {
                self.at.next();
                u32::from(letter) % 32
            }),
            'x' => self.at.exact_digits(16, 2),
            'u' => self.unicode_escape(),
            c if !c.is_ascii_alphanumeric() => Some(c as u32),
            _ => None,
        };
        code.ok_or_else(|| unknown_escape(start, self.at.since(start), c))
    }

    /// Reads what follows `\u`: four digits, a pair of surrogates, or a code point in braces.
    fn unicode_escape(&mut self) -> Option<u32> {
        if self.at.eat("{") {
            let code = self.at.digits(16, usize::MAX)?;
            return (code <= MAX && self.at.eat("}")).then_some(code);
        }
        let high = self.at.exact_digits(16, 4)?;
        let mut at = self.at;
        if (0xD800..0xDC00).contains(&high)
            && at.eat(r"\u")
            && let Some(low @ 0xDC00..=0xDFFF) = at.exact_digits(16, 4)
        {
            self.at = at;
            return Some(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
        }
        Some(high)
    }

    /// Reads a class from its `[` on. `[]` matches nothing and `[^]` anything.
    fn class(&mut self, start: usize) -> Result<CharSet, PatternError> {
        self.at.eat("[");
        let negated = self.at.eat("^");
        let mut set = CharSet::default();
        loop {
            let here = self.at.offset();
            if self.at.eat("]") {
                break;
            }
            let lo = self.class_member(start, &mut set)?;
            let rest = self.at.rest();
            if !rest.starts_with('-') || rest.starts_with("-]") {
                lo.into_iter().for_each(|lo| set.add_range(lo, lo));
                continue;
            }
            self.at.eat("-");
            let hi = self.class_member(start, &mut set)?;
            match (lo, hi) {
                (Some(lo), Some(hi)) if hi < lo => {
                    let range = self.at.since(here);
                    return Err(PatternError::new(here, format!("range `{range}` ends before it starts"))
                        .hint(r"write `\-` for the character"));
                }
                (Some(lo), Some(hi)) => set.add_range(lo, hi),
                // `[\w-.]` is not a range: the hyphen is one more member.
                (lo, hi) => {
                    for code in [lo, Some('-' as u32), hi].into_iter().flatten() {
                        set.add_range(code, code);
                    }
                }
            }
        }
        set.finish();
        Ok(if negated { set.negated() } else { set })
    }

    /// Reads one member: a code point to return, or a set that is added at once.
    fn class_member(&mut self, class_start: usize, set: &mut CharSet) -> Result<Option<u32>, PatternError> {
        let here = self.at.offset();
        if self.at.peek() != Some('\\') {
            return self.at.next().map(|c| Some(u32::from(c))).ok_or_else(|| {
                PatternError::new(class_start, "character class is never closed")
                    .hint(r"add `]`, or write `\[` for the character")
            });
        }
        if self.at.eat(r"\b") {
            return Ok(Some(0x08));
        }
        if let Some(members) = self.set_escape(here)? {
            set.add_set(&members);
            return Ok(None);
        }
        self.char_escape(here).map(Some)
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'))
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

fn unknown_escape(start: usize, written: &str, c: char) -> PatternError {
    let error = PatternError::new(start, format!("`{written}` is not an escape in ECMA-262"));
    match c {
        '1'..='9' | 'k' => {
            PatternError::new(start, "back-references are not supported: patterns run in linear time")
        }
        'A' => error.hint("the start of the text is `^`"),
        'z' | 'Z' => error.hint("the end of the text is `$`"),
        'Q' | 'E' => error.hint("escape each special character instead"),
        'u' | 'x' | 'c' => error.hint(r"write `\x41`, `\u0041`, `\u{41}` or `\cA`"),
        'a' => error.hint(r"write `\x07`"),
        _ => error.hint("leave the backslash out for the character"),
    }
}
