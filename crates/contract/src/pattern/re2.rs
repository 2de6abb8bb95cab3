//! RE2 syntax as Go's `regexp` package reads it.
//!
//! Surprises worth knowing: a `{` that does not start a well-formed count is a literal; `\Q...\E` quotes; octal escapes exist
//! but back-references do not; `\d`, `\s`, `\w` and `\b` are ASCII; inside a class `[`, `&&` and `--` mean nothing special.
//!
//! Known differences from Go 1.26, all of them deliberate:
//! - groups nest 250 deep, not 1000, and a pattern compiles to ten megabytes at most, not a hundred;
//! - `\p{...}` follows Unicode 16, where Go is at Unicode 15;
//! - a surrogate such as `\x{D800}` never matches; in Go, one that the pattern starts with finds U+FFFD.

use super::cursor::{PatternCursor, control};
use super::error::PatternError;
use super::names;
use super::node::{Builder, PatternNode, ZeroWidthAssertion};
use super::set::{CharSet, MAX};

/// The largest count that may be written, and the most copies that nested counts may multiply to.
const MAX_REPEAT: u32 = 1000;

#[derive(Clone, Copy, Default)]
struct Flags {
    fold_case: bool,
    multi_line: bool,
    dot_all: bool,
}

/// Reads a whole pattern.
pub(super) fn parse(source: &str) -> Result<PatternNode, PatternError> {
    let flags = Flags::default();
    let mut parser = Re2Parser {
        at: PatternCursor::new(source),
        builder: Builder::new(flags),
        flags,
        after_repeat: false,
        posix_ended: false,
    };
    while let Some(c) = parser.at.peek() {
        parser.item(c)?;
    }
    parser.builder.finish()
}

struct Re2Parser<'a> {
    at: PatternCursor<'a>,
    builder: Builder<Flags>,
    flags: Flags,
    /// Whether the item just read was a repetition: `a**` is refused.
    after_repeat: bool,
    /// Whether no `:]` follows any more, so that looking for one costs nothing.
    posix_ended: bool,
}

impl Re2Parser<'_> {
    fn item(&mut self, c: char) -> Result<(), PatternError> {
        let start = self.at.offset();
        let after_repeat = std::mem::take(&mut self.after_repeat);
        match c {
            '(' if self.at.rest().starts_with("(?") => return self.special_group(start),
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
            '(' => self.builder.open(start, self.flags)?,
            ')' => match self.builder.close() {
                Some(flags) => self.flags = flags,
                None => {
                    return Err(
                        PatternError::new(start, "`)` closes no group").hint(r"write `\)` for the character")
                    );
                }
            },
            '|' => self.builder.alternate(),
            '^' => self.look(if self.flags.multi_line {
                ZeroWidthAssertion::LineStart
            } else {
                ZeroWidthAssertion::TextStart
            }),
            '$' => self.look(if self.flags.multi_line {
                ZeroWidthAssertion::LineEnd
            } else {
                ZeroWidthAssertion::TextEnd
            }),
            '.' if self.flags.dot_all => self.builder.push(PatternNode::Set(CharSet::any())),
            '.' => self.builder.push(PatternNode::Set(CharSet::all_but(&['\n']))),
            '*' => self.repeat(start, after_repeat, 0, None)?,
            '+' => self.repeat(start, after_repeat, 1, None)?,
            '?' => self.repeat(start, after_repeat, 0, Some(1))?,
            '{' => match self.counts() {
                Some((min, max)) => {
                    if min > MAX_REPEAT || max.is_some_and(|max| max > MAX_REPEAT || max < min) {
                        return Err(self.bad_count(start));
                    }
                    self.repeat(start, after_repeat, min, max)?;
                }
                None => self.literal('{'),
            },
            _ => self.literal(c),
        }
        Ok(())
    }

    fn look(&mut self, look: ZeroWidthAssertion) {
        self.builder.push(PatternNode::Look(look));
    }

    fn literal(&mut self, c: char) {
        self.push_set(CharSet::single(c));
    }

    fn push_set(&mut self, set: CharSet) {
        let set = if self.flags.fold_case { set.folded() } else { set };
        self.builder.push(PatternNode::Set(set));
    }

    fn repeat(
        &mut self,
        start: usize,
        stacked: bool,
        min: u32,
        max: Option<u32>,
    ) -> Result<(), PatternError> {
        // Greedy or not makes no difference to whether there is a match.
        self.at.eat("?");
        let written = self.at.since(start);
        if stacked {
            return Err(PatternError::new(start, format!("`{written}` repeats a repetition"))
                .hint("put the inner repetition in a group: `(?:a*)*`"));
        }
        if !self.builder.can_repeat() {
            return Err(PatternError::new(start, format!("`{written}` has nothing to repeat"))
                .hint("write a backslash before it for the character"));
        }
        self.after_repeat = true;
        if self.builder.repeat(min, max) > u64::from(MAX_REPEAT) {
            return Err(self.bad_count(start));
        }
        Ok(())
    }

    fn bad_count(&self, start: usize) -> PatternError {
        let written = self.at.since(start);
        PatternError::new(start, format!("`{written}` is not a valid repeat count"))
            .hint(format!("counts go up to {MAX_REPEAT}, also when nested counts are multiplied, and ascend"))
    }

    /// Reads the rest of `{2}`, `{2,}` or `{2,5}` after the brace, or nothing at all.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut at = self.at;
        let min = count(&mut at)?;
        let max = if !at.eat(",") {
            Some(min)
        } else if at.peek() == Some('}') {
            None
        } else {
            Some(count(&mut at)?)
        };
        if !at.eat("}") {
            return None;
        }
        self.at = at;
        Some((min, max))
    }

    /// Reads `(?P<name>`, `(?<name>`, `(?flags)` or `(?flags:`.
    fn special_group(&mut self, start: usize) -> Result<(), PatternError> {
        for open in ["(?P<", "(?<"] {
            // A bare opening at the very end is reported as an unknown group instead.
            if self.at.rest().len() > open.len() && self.at.eat(open) {
                return self.named_group(start);
            }
        }
        self.at.eat("(?");
        let mut flags = self.flags;
        let (mut value, mut named_any) = (true, false);
        loop {
            match self.at.next() {
                Some('i') => flags.fold_case = value,
                Some('m') => flags.multi_line = value,
                Some('s') => flags.dot_all = value,
                // Swaps lazy and greedy, which nothing here depends on.
                Some('U') => {}
                Some('-') if value => {
                    (value, named_any) = (false, false);
                    continue;
                }
                Some(end @ (':' | ')')) if value || named_any => {
                    if end == ':' {
                        self.builder.open(start, self.flags)?;
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => return Err(unknown_group(start, self.at.since(start))),
            }
            named_any = true;
        }
    }

    fn named_group(&mut self, start: usize) -> Result<(), PatternError> {
        let name_start = self.at.offset();
        let look_behind = matches!(self.at.peek(), Some('=' | '!'));
        match self.at.until(">") {
            Some(name) if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                self.builder.open(start, self.flags)
            }
            _ if look_behind => Err(unknown_group(start, "(?<=")),
            _ => Err(PatternError::new(name_start, "group name is not valid")
                .hint("a name is made of ASCII letters, digits and `_`, and ends with `>`")),
        }
    }

    fn escape(&mut self, start: usize) -> Result<(), PatternError> {
        if self.at.eat(r"\Q") {
            let end = self.at.rest().find(r"\E").map(|length| self.at.offset() + length);
            while Some(self.at.offset()) != end
                && let Some(c) = self.at.next()
            {
                self.literal(c);
            }
            self.at.eat(r"\E");
            return Ok(());
        }
        for (text, look) in [
            (r"\A", ZeroWidthAssertion::TextStart),
            (r"\z", ZeroWidthAssertion::TextEnd),
            (r"\b", ZeroWidthAssertion::WordAscii),
            (r"\B", ZeroWidthAssertion::NotWordAscii),
        ] {
            if self.at.eat(text) {
                self.look(look);
                return Ok(());
            }
        }
        match self.set_escape(start)? {
            Some(set) => self.builder.push(PatternNode::Set(set)),
            None => {
                let mut set = CharSet::default();
                let code = self.char_escape(start)?;
                set.add_range(code, code);
                self.push_set(set);
            }
        }
        Ok(())
    }

    /// Reads an escape that stands for a set (`\d`, `\pL`, ...), or nothing at all.
    fn set_escape(&mut self, start: usize) -> Result<Option<CharSet>, PatternError> {
        let mut at = self.at;
        at.eat("\\");
        let Some(letter) = at.next() else { return Ok(None) };
        let set = match letter.to_ascii_lowercase() {
            'd' => CharSet::ascii(&[('0', '9')]),
            's' => CharSet::ascii(&[('\t', '\n'), ('\x0C', '\r'), (' ', ' ')]),
            'w' => CharSet::ascii(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
            'p' => {
                let name = if at.eat("{") {
                    at.until("}")
                } else {
                    let name_start = at.offset();
                    at.next().map(|_| at.since(name_start))
                };
                let name = name.unwrap_or_default();
                let (inverted, name) = match name.strip_prefix('^') {
                    Some(name) => (true, name),
                    None => (false, name),
                };
                let Some(set) = names::re2_property(name) else {
                    return Err(PatternError::new(
                        start,
                        format!("no character property is called `{name}`"),
                    )
                    .hint(r"write a general category like `\p{Lu}` or a script like `\p{Greek}`"));
                };
                self.at = at;
                return Ok(Some(self.folded_or_negated(set, inverted != (letter == 'P'))));
            }
            _ => return Ok(None),
        };
        self.at = at;
        Ok(Some(self.folded_or_negated(set, letter.is_ascii_uppercase())))
    }

    /// Folds first, then negates: `(?i)[^k]` must not match `K`.
    fn folded_or_negated(&self, set: CharSet, negated: bool) -> CharSet {
        let set = if self.flags.fold_case { set.folded() } else { set };
        if negated { set.negated() } else { set }
    }

    /// Reads an escape that stands for one code point, which may be a surrogate that nothing can match.
    fn char_escape(&mut self, start: usize) -> Result<u32, PatternError> {
        let c = self.at.escaped(start)?;
        let code = match c {
            'a' => Some(0x07),
            'f' | 'n' | 'r' | 't' | 'v' => control(c),
            'x' if self.at.eat("{") => {
                let code = self.at.digits(16, usize::MAX);
                code.filter(|&code| code <= MAX && self.at.eat("}"))
            }
            'x' => self.at.exact_digits(16, 2),
            '0'..='7' => {
                let more = self.at.rest().starts_with(|next| matches!(next, '0'..='7'));
                // A single digit other than zero would be a back-reference.
                (c == '0' || more).then(|| {
                    let tail_start = self.at.offset();
                    let tail = self.at.digits(8, 2).unwrap_or(0);
                    (c as u32 - '0' as u32) * 8_u32.pow(self.at.since(tail_start).len() as u32) + tail
                })
            }
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c as u32),
            _ => None,
        };
        code.ok_or_else(|| unknown_escape(start, self.at.since(start), c))
    }

    /// Reads a class from its `[` on.
    fn class(&mut self, start: usize) -> Result<CharSet, PatternError> {
        self.at.eat("[");
        let negated = self.at.eat("^");
        let mut set = CharSet::default();
        let mut first = true;
        loop {
            let here = self.at.offset();
            if !first && self.at.eat("]") {
                break;
            }
            first = false;
            if self.at.rest().starts_with("[:")
                && let Some(class) = self.posix_class(here)?
            {
                set.add_set(&class);
                continue;
            }
            if self.at.peek() == Some('\\')
                && let Some(class) = self.set_escape(here)?
            {
                set.add_set(&class);
                continue;
            }
            let lo = self.class_char(start)?;
            let mut hi = lo;
            let rest = self.at.rest();
            if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
                self.at.eat("-");
                hi = self.class_char(start)?;
                if hi < lo {
                    let range = self.at.since(here);
                    return Err(PatternError::new(here, format!("range `{range}` ends before it starts"))
                        .hint(r"write `\-` for the character"));
                }
            }
            if self.flags.fold_case {
                let mut range = CharSet::default();
                range.add_range(lo, hi);
                set.add_set(&range.folded());
            } else {
                set.add_range(lo, hi);
            }
        }
        set.finish();
        Ok(if negated { set.negated() } else { set })
    }

    fn class_char(&mut self, class_start: usize) -> Result<u32, PatternError> {
        let here = self.at.offset();
        if self.at.peek() == Some('\\') {
            return self.char_escape(here);
        }
        self.at.next().map(u32::from).ok_or_else(|| {
            PatternError::new(class_start, "character class is never closed")
                .hint(r"add `]`, or write `\[` for the character")
        })
    }

    /// Reads `[:name:]` or `[:^name:]`; without a closing `:]` the bracket is a plain character.
    fn posix_class(&mut self, start: usize) -> Result<Option<CharSet>, PatternError> {
        let mut at = self.at;
        at.eat("[:");
        if self.posix_ended {
            return Ok(None);
        }
        let Some(name) = at.until(":]") else {
            self.posix_ended = true;
            return Ok(None);
        };
        let (negated, plain) = match name.strip_prefix('^') {
            Some(plain) => (true, plain),
            None => (false, name),
        };
        let Some(set) = names::posix_ascii(plain) else {
            return Err(PatternError::new(start, format!("no character class is called `[:{name}:]`"))
                .hint("known names include `alpha`, `digit`, `alnum`, `space` and `punct`"));
        };
        self.at = at;
        Ok(Some(self.folded_or_negated(set, negated)))
    }
}

/// Reads a count without leading zeros.
fn count(at: &mut PatternCursor<'_>) -> Option<u32> {
    let start = at.offset();
    let value = at.digits(10, usize::MAX)?;
    let written = at.since(start);
    (written == "0" || !written.starts_with('0')).then_some(value)
}

fn unknown_group(start: usize, written: &str) -> PatternError {
    let error = |message: &str| PatternError::new(start, message);
    match written {
        "(?=" | "(?!" => error("look-ahead is not supported: patterns run in linear time"),
        "(?<=" | "(?<!" => error("look-behind is not supported: patterns run in linear time"),
        _ => error(&format!("`{written}` starts no known group")).hint(
            "groups are `(...)`, `(?:...)`, `(?P<name>...)` and `(?flags)` with the flags `i`, `m`, `s`, `U`",
        ),
    }
}

fn unknown_escape(start: usize, written: &str, c: char) -> PatternError {
    let error = PatternError::new(start, format!("`{written}` is not an escape in RE2"));
    match c {
        '1'..='9' => {
            PatternError::new(start, "back-references are not supported: patterns run in linear time")
        }
        'Z' => error.hint(r"the end of the text is `\z`"),
        'u' => error.hint(r"write a code point as `\x{0041}`"),
        'C' => error.hint("a single byte cannot be matched, `.` matches a character"),
        _ => error,
    }
}
