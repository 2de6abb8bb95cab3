//! POSIX basic regular expressions as GNU sed reads them in a Unicode locale.
//!
//! The operators are `\( \) \{ \} \| \+ \?` and `*`; the bare characters `+ ? | ( ) { }` are themselves. What makes the dialect
//! hard is that `*`, `^` and `$` are operators in some places only: `*` repeats unless it comes first (also after `\(`, `\|` and
//! an anchor), `^` is an anchor only first, `$` only last.
//!
//! Known differences from GNU sed 4.9 with glibc in the locale `C.UTF-8`, all of them deliberate:
//! - back-references are refused, and so are patterns over ten megabytes once compiled;
//! - a character given by number is always itself; in sed `\x2a` may repeat and `\x5b` opens a bracket;
//! - ranges may end in any character; glibc refuses those beyond ASCII in this locale;
//! - classes follow Unicode 16, and `\b`, `\<` and `\>` also count marks and connectors as parts of words;
//! - a byte that is not valid UTF-8 counts as U+FFFD, as in the other dialects; in sed nothing matches it.

use super::cursor::PatternCursor;
use super::error::PatternError;
use super::names;
use super::node::{Builder, PatternNode, ZeroWidthAssertion};
use super::set::CharSet;

/// The largest count that may be written.
const MAX_REPEAT: u32 = 0x7FFF;

/// Reads a whole pattern.
pub(super) fn parse(source: &str) -> Result<PatternNode, PatternError> {
    let mut parser = BreParser {
        at: PatternCursor::new(source),
        builder: Builder::new(()),
        before: PreviousToken::Start,
        second_backslash: None,
    };
    while let Some(c) = parser.at.peek() {
        parser.item(c)?;
    }
    parser.builder.finish()
}

/// What was read just before, as far as the next character's meaning depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PreviousToken {
    /// Nothing, or what opens a branch: `^` is an anchor, `*` is itself.
    Start,
    /// An assertion: `*` is itself.
    Assertion,
    /// Something that can be repeated.
    Atom,
    /// A repetition: `\+` and `\?` may follow, `*` and `\{` may not.
    Repetition,
}

struct BreParser<'a> {
    at: PatternCursor<'a>,
    builder: Builder<()>,
    before: PreviousToken,
    /// Where, inside brackets, the second of two backslashes is: it starts no escape.
    second_backslash: Option<usize>,
}

impl BreParser<'_> {
    fn item(&mut self, c: char) -> Result<(), PatternError> {
        let start = self.at.offset();
        let before = std::mem::replace(&mut self.before, PreviousToken::Atom);
        if c == '\\' {
            return self.escape(start, before);
        }
        if c == '[' {
            let set = self.bracket(start)?;
            self.builder.push(PatternNode::Set(set));
            return Ok(());
        }
        self.at.next();
        match c {
            '*' => match before {
                PreviousToken::Start | PreviousToken::Assertion => self.literal('*'),
                PreviousToken::Atom => self.repeat(0, None),
                PreviousToken::Repetition => return Err(repeated_twice(start, "*")),
            },
            '^' if before == PreviousToken::Start => self.look(ZeroWidthAssertion::TextStart),
            '$' if self.at_branch_end() => self.look(ZeroWidthAssertion::TextEnd),
            '.' => self.builder.push(PatternNode::Set(CharSet::any())),
            _ => self.literal(c),
        }
        Ok(())
    }

    fn at_branch_end(&self) -> bool {
        let rest = self.at.rest();
        rest.is_empty() || rest.starts_with(r"\)") || rest.starts_with(r"\|")
    }

    fn literal(&mut self, c: char) {
        self.builder.push(PatternNode::Set(CharSet::single(c)));
    }

    fn look(&mut self, look: ZeroWidthAssertion) {
        self.before = PreviousToken::Assertion;
        self.builder.push(PatternNode::Look(look));
    }

    fn repeat(&mut self, min: u32, max: Option<u32>) {
        self.before = PreviousToken::Repetition;
        self.builder.repeat(min, max);
    }

    fn escape(&mut self, start: usize, before: PreviousToken) -> Result<(), PatternError> {
        self.at.next();
        let Some(c) = self.at.next() else {
            return Err(PatternError::new(start, "pattern ends after a backslash")
                .hint(r"write `\\` for the character"));
        };
        let can_repeat = matches!(before, PreviousToken::Atom | PreviousToken::Repetition);
        match c {
            '(' => {
                self.before = PreviousToken::Start;
                self.builder.open(start, ())?;
            }
            ')' => {
                if self.builder.close().is_none() {
                    return Err(PatternError::new(start, r"`\)` closes no group")
                        .hint("write `)` without a backslash for the character"));
                }
            }
            '|' => {
                self.before = PreviousToken::Start;
                self.builder.alternate();
            }
            '{' => self.interval(start, before)?,
            '+' if can_repeat => self.repeat(1, None),
            '?' if can_repeat => self.repeat(0, Some(1)),
            '`' => self.look(ZeroWidthAssertion::TextStart),
            '\'' => self.look(ZeroWidthAssertion::TextEnd),
            'b' => self.look(ZeroWidthAssertion::WordUnicode),
            'B' => self.look(ZeroWidthAssertion::NotWordUnicode),
            '<' => self.look(ZeroWidthAssertion::WordStartUnicode),
            '>' => self.look(ZeroWidthAssertion::WordEndUnicode),
            'w' | 'W' | 's' | 'S' => {
                let name = if c.eq_ignore_ascii_case(&'w') { "alnum" } else { "space" };
                let mut set = names::posix_unicode(name).unwrap_or_default();
                if name == "alnum" {
                    set.add_range('_' as u32, '_' as u32);
                }
                let set = if c.is_ascii_uppercase() { set.negated() } else { set };
                self.builder.push(PatternNode::Set(set));
            }
            '1'..='9' => {
                return Err(PatternError::new(
                    start,
                    "back-references are not supported: patterns run in linear time",
                ));
            }
            c => {
                let c = char_escape(&mut self.at, c).unwrap_or(c);
                self.literal(c);
            }
        }
        Ok(())
    }

    /// Reads the rest of `\{2\}`, `\{2,\}`, `\{,5\}` or `\{2,5\}`.
    fn interval(&mut self, start: usize, before: PreviousToken) -> Result<(), PatternError> {
        match before {
            PreviousToken::Start | PreviousToken::Assertion => {
                return Err(PatternError::new(start, r"`\{` has nothing to repeat")
                    .hint("write `{` without a backslash for the character"));
            }
            PreviousToken::Repetition => return Err(repeated_twice(start, r"\{")),
            PreviousToken::Atom => {}
        }
        let min = self.at.digits(10, usize::MAX);
        let comma = self.at.eat(",");
        let max = if comma { self.at.digits(10, usize::MAX) } else { min };
        let closed = self.at.eat(r"\}");
        let written = self.at.since(start);
        match (min, max) {
            _ if !closed => Err(PatternError::new(start, format!("`{written}` is not a repeat count"))
                .hint(r"write `\{2\}`, `\{2,\}` or `\{2,5\}`")),
            (None, None) if !comma => Err(PatternError::new(start, r"`\{\}` has no count in it")),
            (min, Some(max)) if max < min.unwrap_or(0) => {
                Err(PatternError::new(start, format!("`{written}` ends before it starts"))
                    .hint("put the smaller count first"))
            }
            (min, max) if max.or(min).unwrap_or(0) > MAX_REPEAT => {
                Err(PatternError::new(start, format!("`{written}` repeats more than {MAX_REPEAT} times")))
            }
            (min, max) => {
                self.repeat(min.unwrap_or(0), max);
                Ok(())
            }
        }
    }

    /// Reads a bracket expression from its `[` on.
    fn bracket(&mut self, start: usize) -> Result<CharSet, PatternError> {
        self.at.eat("[");
        let negated = self.at.eat("^");
        let content_start = self.at.offset();
        let mut set = CharSet::default();
        let (mut first, mut only_characters) = (true, true);
        let content = loop {
            let here = self.at.offset();
            let content = self.at.since(content_start);
            if !first && self.at.eat("]") {
                break content;
            }
            let (lo, hi) = match self.element(start, first)? {
                Element::Class(class) => {
                    set.add_set(&class);
                    (first, only_characters) = (false, false);
                    if self.at_range() {
                        return Err(
                            PatternError::new(here, "a class cannot start a range").hint("put the `-` last")
                        );
                    }
                    continue;
                }
                Element::Character(lo) if self.at_range() => {
                    self.at.eat("-");
                    only_characters = false;
                    match self.element(start, true)? {
                        Element::Character(hi) => (lo, hi),
                        Element::Class(_) => {
                            return Err(PatternError::new(here, "a class cannot end a range")
                                .hint("put the `-` last"));
                        }
                    }
                }
                Element::Character(lo) => (lo, lo),
            };
            first = false;
            if hi < lo {
                let range = self.at.since(here);
                return Err(PatternError::new(here, format!("range `{range}` ends before it starts"))
                    .hint("put a `-` that is meant as itself first or last"));
            }
            set.add_range(lo, hi);
        };
        if only_characters && content.len() > 2 && content.starts_with(':') && content.ends_with(':') {
            let written = self.at.since(start);
            return Err(PatternError::new(start, format!("`{written}` is a class outside of brackets"))
                .hint(format!("write `[{written}]`")));
        }
        set.finish();
        Ok(if negated { set.negated() } else { set })
    }

    fn at_range(&self) -> bool {
        self.at.rest().starts_with('-') && !self.at.rest().starts_with("-]")
    }

    fn element(&mut self, bracket_start: usize, hyphen_allowed: bool) -> Result<Element, PatternError> {
        let here = self.at.offset();
        for (open, close) in [("[:", ":]"), ("[.", ".]"), ("[=", "=]")] {
            if !self.at.eat(open) {
                continue;
            }
            let name = self.at.until(close).ok_or_else(|| never_closed(bracket_start))?;
            let mut chars = name.chars();
            return match (open, chars.next(), chars.next()) {
                ("[:", ..) => class(here, name).map(Element::Class),
                ("[.", Some(c), None) => Ok(Element::Character(u32::from(c))),
                ("[=", Some(c), None) => Ok(Element::Class(CharSet::single(c))),
                _ => Err(PatternError::new(here, format!("`{name}` is not a single character"))),
            };
        }
        if !hyphen_allowed && self.at_range() {
            return Err(
                PatternError::new(here, "`-` stands between two ranges").hint("put the `-` first or last")
            );
        }
        let c = self.at.next().ok_or_else(|| never_closed(bracket_start))?;
        // A backslash is itself here, but sed has replaced its own escapes by then.
        if c == '\\' && self.second_backslash != Some(here) {
            let mut at = self.at;
            match at.next() {
                Some('\\') => self.second_backslash = Some(self.at.offset()),
                Some(letter) => {
                    if let Some(c) = char_escape(&mut at, letter) {
                        self.at = at;
                        return Ok(Element::Character(u32::from(c)));
                    }
                }
                None => {}
            }
        }
        Ok(Element::Character(u32::from(c)))
    }
}

/// One part of a bracket expression.
enum Element {
    Character(u32),
    Class(CharSet),
}

fn class(start: usize, name: &str) -> Result<CharSet, PatternError> {
    names::posix_unicode(name).ok_or_else(|| {
        PatternError::new(start, format!("no character class is called `[:{name}:]`"))
            .hint("known names include `alpha`, `digit`, `alnum`, `space` and `punct`")
    })
}

/// The character that sed puts in place of an escape, if `letter` starts one.
fn char_escape(at: &mut PatternCursor<'_>, letter: char) -> Option<char> {
    let code = match letter {
        'a' => 0x07,
        'f' => 0x0C,
        'n' => 0x0A,
        'r' => 0x0D,
        't' => 0x09,
        'v' => 0x0B,
        'c' => {
            let control = at.peek().filter(char::is_ascii_alphabetic)?;
            at.next();
            u32::from(control) % 32
        }
        'd' => at.digits(10, 3)?,
        'o' => at.digits(8, 3)?,
        'x' => at.digits(16, 2)?,
        _ => return None,
    };
    char::from_u32(code)
}

fn never_closed(start: usize) -> PatternError {
    PatternError::new(start, "bracket expression is never closed")
        .hint(r"add `]`, or write `\[` for the character")
}

fn repeated_twice(start: usize, written: &str) -> PatternError {
    PatternError::new(start, format!("`{written}` repeats a repetition"))
        .hint(r"put the inner repetition in a group: `\(a*\)*`")
}
