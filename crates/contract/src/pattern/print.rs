//! A pattern written again, in the syntax of another engine.
//!
//! Whatever dialect a pattern was read in, its meaning is sets, repetitions and conditions. Those are written out so that Go's
//! `regexp`, the `regex` crate and Python's `re` agree on them: classes as ranges of code points, never as names that differ.

use std::fmt::Write;

use super::node::{PatternNode, ZeroWidthAssertion};
use super::set::{CharSet, MAX};

/// An engine to write a pattern for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Go's `regexp` package, RE2 in UTF-8.
    Go,
    /// Rust's `regex` crate, on text.
    Rust,
    /// Python's `re` module, on text.
    Python,
}

/// A pattern as another engine reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Translation {
    /// The pattern in the engine's syntax.
    pub text: String,
    /// What the engine cannot express, and how the text deals with it; `None` if the meaning is the same.
    pub inexact: Option<&'static str>,
}

/// The largest count that Go accepts, also when nested counts are multiplied.
const GO_REPEAT: u64 = 1000;

/// Writes a pattern; `None` if the engine has no way to say it.
pub(super) fn print(node: &PatternNode, engine: Engine) -> Option<Translation> {
    if engine == Engine::Go && copies(node) > GO_REPEAT {
        return None;
    }
    let mut printer = Printer { out: String::new(), engine, inexact: None };
    printer.node(node, PrintPrecedence::Branch);
    Some(Translation { text: printer.out, inexact: printer.inexact })
}

/// What nested counts multiply to.
fn copies(node: &PatternNode) -> u64 {
    match node {
        PatternNode::Empty | PatternNode::Set(_) | PatternNode::Look(_) => 1,
        PatternNode::Repeat { node, min, max } => {
            copies(node).saturating_mul(u64::from(max.unwrap_or(*min)).max(1))
        }
        PatternNode::Concat(nodes) | PatternNode::Alt(nodes) => nodes.iter().map(copies).max().unwrap_or(1),
    }
}

/// Where a part stands, which decides whether it needs a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrintPrecedence {
    Branch,
    Row,
    Repeated,
}

struct Printer {
    out: String,
    engine: Engine,
    inexact: Option<&'static str>,
}

impl Printer {
    // INVARIANT: nodes nest no deeper than their parsers allow.
    fn node(&mut self, node: &PatternNode, place: PrintPrecedence) {
        let grouped = match node {
            PatternNode::Empty | PatternNode::Look(_) | PatternNode::Repeat { .. } => {
                place == PrintPrecedence::Repeated
            }
            PatternNode::Set(_) => false,
            PatternNode::Concat(_) => place == PrintPrecedence::Repeated,
            PatternNode::Alt(_) => place != PrintPrecedence::Branch,
        };
        if grouped {
            self.out.push_str("(?:");
        }
        match node {
            PatternNode::Empty => {}
            PatternNode::Set(set) => self.set(set),
            PatternNode::Look(look) => self.look(*look),
            PatternNode::Repeat { node, min, max } => {
                self.node(node, PrintPrecedence::Repeated);
                self.counts(*min, *max);
            }
            PatternNode::Concat(nodes) => nodes.iter().for_each(|node| self.node(node, PrintPrecedence::Row)),
            PatternNode::Alt(nodes) => {
                for (index, node) in nodes.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    }
                    self.node(node, PrintPrecedence::Branch);
                }
            }
        }
        if grouped {
            self.out.push(')');
        }
    }

    fn counts(&mut self, min: u32, max: Option<u32>) {
        // Writing to a string cannot fail.
        let _ = match (min, max) {
            (0, None) => write!(self.out, "*"),
            (1, None) => write!(self.out, "+"),
            (0, Some(1)) => write!(self.out, "?"),
            (min, None) => write!(self.out, "{{{min},}}"),
            (min, Some(max)) if min == max => write!(self.out, "{{{min}}}"),
            (min, Some(max)) => write!(self.out, "{{{min},{max}}}"),
        };
    }

    fn look(&mut self, look: ZeroWidthAssertion) {
        const WORDS: &str = "word boundaries are those of ASCII words in Go";
        let [go, rust, python] = match look {
            ZeroWidthAssertion::TextStart => [r"\A", r"\A", r"\A"],
            ZeroWidthAssertion::TextEnd => [r"\z", r"\z", r"\Z"],
            ZeroWidthAssertion::LineStart => ["(?m:^)", "(?m:^)", "(?m:^)"],
            ZeroWidthAssertion::LineEnd => ["(?m:$)", "(?m:$)", "(?m:$)"],
            ZeroWidthAssertion::WordAscii => [r"\b", r"(?-u:\b)", r"(?a:\b)"],
            ZeroWidthAssertion::NotWordAscii => [r"\B", r"(?-u:\B)", r"(?!(?a:\b))"],
            ZeroWidthAssertion::WordUnicode => [r"\b", r"\b", r"\b"],
            ZeroWidthAssertion::NotWordUnicode => [r"\B", r"\B", r"(?!\b)"],
            ZeroWidthAssertion::WordStartUnicode => [r"\b", r"\b{start}", r"\b(?=\w)"],
            ZeroWidthAssertion::WordEndUnicode => [r"\b", r"\b{end}", r"\b(?<=\w)"],
        };
        let unicode = !matches!(
            look,
            ZeroWidthAssertion::TextStart
                | ZeroWidthAssertion::TextEnd
                | ZeroWidthAssertion::LineStart
                | ZeroWidthAssertion::LineEnd
                | ZeroWidthAssertion::WordAscii
                | ZeroWidthAssertion::NotWordAscii
        );
        if unicode && self.engine == Engine::Go {
            self.inexact = Some(WORDS);
        }
        self.out.push_str(match self.engine {
            Engine::Go => go,
            Engine::Rust => rust,
            Engine::Python => python,
        });
    }

    fn set(&mut self, set: &CharSet) {
        if let Some(only) = set.only() {
            return self.character(only as u32);
        }
        let negated = set.negated();
        let (shown, sign) = match set.has_all_wide() {
            true => (&negated, "[^"),
            false => (set, "["),
        };
        let ranges = shown.ranges();
        self.out.push_str(sign);
        match (ranges.is_empty(), sign) {
            // Every character is none but the impossible ones; no character is every one denied.
            (true, "[^") => {
                self.out.pop();
                self.range(0, MAX);
            }
            (true, _) => {
                self.out.push('^');
                self.range(0, MAX);
            }
            (false, _) => ranges.iter().for_each(|&(lo, hi)| self.range(lo, hi)),
        }
        self.out.push(']');
    }

    fn range(&mut self, lo: u32, hi: u32) {
        self.character(lo);
        if hi > lo {
            if hi > lo + 1 {
                self.out.push('-');
            }
            self.character(hi);
        }
    }

    fn character(&mut self, code: u32) {
        let _ = match (char::from_u32(code), self.engine) {
            (Some(c), _) if r"\.+*?()|[]{}^$-&~#".contains(c) => write!(self.out, "\\{c}"),
            (Some(c), _) if c == ' ' || c.is_ascii_graphic() => write!(self.out, "{c}"),
            (_, Engine::Python) if code <= 0xFF => write!(self.out, "\\x{code:02x}"),
            (_, Engine::Python) if code <= 0xFFFF => write!(self.out, "\\u{code:04x}"),
            (_, Engine::Python) => write!(self.out, "\\U{code:08x}"),
            (_, Engine::Go | Engine::Rust) => write!(self.out, "\\x{{{code:x}}}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::{Engine, Pattern, PatternSyntax};

    #[track_caller]
    fn check(dialect: PatternSyntax, source: &str, engine: Engine, expected: &str) {
        let pattern = Pattern::new(dialect, source).unwrap();
        let printed = pattern.translate(engine).unwrap();
        assert_eq!(printed.text, expected);
        // What is written for Go is RE2, so it can be read back and must mean the same.
        if engine == Engine::Go && printed.inexact.is_none() {
            let again = Pattern::new(PatternSyntax::Re2, &printed.text).unwrap();
            assert_eq!(again.translate(Engine::Go), Some(printed));
        }
    }

    #[test]
    fn classes_are_written_as_ranges() {
        check(PatternSyntax::Re2, r"^\d+$", Engine::Rust, r"\A[0-9]+\z");
        check(PatternSyntax::Re2, r"^\d+$", Engine::Python, r"\A[0-9]+\Z");
        check(PatternSyntax::Re2, "[^[]+", Engine::Rust, r"[^\[]+");
        check(PatternSyntax::Re2, ".", Engine::Go, r"[^\x{a}]");
        check(PatternSyntax::Re2, "(?s).", Engine::Go, r"[\x{0}-\x{10ffff}]");
        check(PatternSyntax::Re2, "[^\\x00-\\x{10FFFF}]", Engine::Go, r"[^\x{0}-\x{10ffff}]");
        check(PatternSyntax::Re2, "[àé]", Engine::Python, r"[\xe0\xe9]");
    }

    #[test]
    fn groups_stand_where_they_are_needed() {
        check(PatternSyntax::Re2, "(a|bc)*d{2,}|e?", Engine::Go, "(?:a|bc)*d{2,}|e?");
        check(PatternSyntax::Re2, "(?:ab)+", Engine::Go, "(?:ab)+");
        check(PatternSyntax::Re2, "(?:a{2}){3}", Engine::Go, "(?:a{2}){3}");
    }

    #[test]
    fn basic_expressions_become_extended_ones() {
        check(PatternSyntax::Bre, r"a\{2\}+\(b\|c\)", Engine::Go, r"a{2}\+[bc]");
    }

    #[test]
    fn what_go_cannot_say_is_admitted() {
        let word = Pattern::new(PatternSyntax::Bre, r"\bé").unwrap();
        assert!(word.translate(Engine::Go).unwrap().inexact.is_some());
        assert!(word.translate(Engine::Rust).unwrap().inexact.is_none());
        let many = Pattern::new(PatternSyntax::Bre, r"a\{2000\}").unwrap();
        assert_eq!(many.translate(Engine::Go), None);
        assert_eq!(many.translate(Engine::Python).unwrap().text, "a{2000}");
    }
}
