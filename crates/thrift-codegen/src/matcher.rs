//! Patterns as programs for languages whose own engines may take exponential time, or mean something else.
//!
//! A program is a row of instructions over sets of code points, in text. The code that runs it is generated once; it keeps the
//! set of all instructions that it could be at, so each character of a text costs at most one look at each instruction.
//!
//! | instruction | meaning |
//! |---|---|
//! | `c3` | a character of set 3, then the next instruction |
//! | `s4,9` | go on at 4 and at 9 |
//! | `^`, `$` | the start or the end of the text |
//! | `[`, `]` | the start or the end of a line |
//! | `b3`, `B3`, `<3`, `>3` | a word begins or ends here, neither, begins, ends; words are of set 3 |
//! | `m` | a match |

use contract::pattern::{Engine, Pattern};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// How many instructions a program may have.
const MOST: usize = 1 << 16;

/// A pattern as a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternProgram {
    /// Sets of code points: first and last of each range in base 36, with `-` between them, `,` between ranges
    /// and `;` between sets.
    pub(crate) sets: String,
    /// The instructions, with spaces between them.
    pub(crate) code: String,
}

impl PatternProgram {
    /// Compiles a pattern; `None` if it is too large with its counts written out.
    pub(crate) fn of(pattern: &Pattern) -> Option<PatternProgram> {
        let text = pattern.translate(Engine::Rust)?.text;
        let hir = regex_syntax::Parser::new().parse(&text).ok()?;
        let mut compiler = Compiler::default();
        compiler.node(&hir)?;
        compiler.push(Instruction::Match)?;
        Some(compiler.finish())
    }
}

#[derive(Clone, Copy, Debug)]
enum Instruction {
    Set(usize),
    Split(usize, usize),
    Look(char),
    Word(char, usize),
    Match,
}

#[derive(Default)]
struct Compiler {
    sets: Vec<String>,
    code: Vec<Instruction>,
}

impl Compiler {
    fn push(&mut self, instruction: Instruction) -> Option<usize> {
        let at = self.code.len();
        self.code.push(instruction);
        (at < MOST).then_some(at)
    }

    fn set(&mut self, ranges: impl Iterator<Item = (u32, u32)>) -> usize {
        let ranges: Vec<String> =
            ranges.map(|(first, last)| format!("{}-{}", base36(first), base36(last))).collect();
        let set = ranges.join(",");
        match self.sets.iter().position(|known| *known == set) {
            Some(known) => known,
            None => {
                self.sets.push(set);
                self.sets.len() - 1
            }
        }
    }

    /// Points a split at what comes next.
    fn land(&mut self, split: usize) {
        let next = self.code.len();
        if let Some(Instruction::Split(_, second)) = self.code.get_mut(split) {
            *second = next;
        }
    }

    // INVARIANT: the parser limits how deep expressions nest.
    fn node(&mut self, hir: &Hir) -> Option<()> {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => {
                for c in std::str::from_utf8(&literal.0).ok()?.chars() {
                    let set = self.set(std::iter::once((c as u32, c as u32)));
                    self.push(Instruction::Set(set))?;
                }
            }
            HirKind::Class(class) => {
                let set = match class {
                    Class::Unicode(class) => {
                        self.set(class.iter().map(|range| (range.start() as u32, range.end() as u32)))
                    }
                    Class::Bytes(class) => self.set(
                        class
                            .iter()
                            .map(|range| (u32::from(range.start()), u32::from(range.end().min(0x7f))))
                            .filter(|(first, last)| first <= last),
                    ),
                };
                self.push(Instruction::Set(set))?;
            }
            HirKind::Look(look) => {
                let instruction = self.look(*look)?;
                self.push(instruction)?;
            }
            HirKind::Capture(capture) => self.node(&capture.sub)?,
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.node(part))?,
            HirKind::Alternation(parts) => self.alternation(parts)?,
            HirKind::Repetition(repetition) => {
                (0..repetition.min).try_for_each(|_| self.node(&repetition.sub))?;
                match repetition.max {
                    None => {
                        let split = self.push(Instruction::Split(self.code.len() + 1, 0))?;
                        self.node(&repetition.sub)?;
                        self.push(Instruction::Split(split, split))?;
                        self.land(split);
                    }
                    Some(max) => {
                        let mut splits = Vec::new();
                        for _ in repetition.min..max {
                            splits.push(self.push(Instruction::Split(self.code.len() + 1, 0))?);
                            self.node(&repetition.sub)?;
                        }
                        splits.into_iter().for_each(|split| self.land(split));
                    }
                }
            }
        }
        Some(())
    }

    fn alternation(&mut self, parts: &[Hir]) -> Option<()> {
        let mut ends = Vec::new();
        let Some((last, first)) = parts.split_last() else { return Some(()) };
        for part in first {
            let split = self.push(Instruction::Split(self.code.len() + 1, 0))?;
            self.node(part)?;
            ends.push(self.push(Instruction::Split(0, 0))?);
            self.land(split);
        }
        self.node(last)?;
        let next = self.code.len();
        for end in ends {
            if let Some(instruction) = self.code.get_mut(end) {
                *instruction = Instruction::Split(next, next);
            }
        }
        Some(())
    }

    fn look(&mut self, look: Look) -> Option<Instruction> {
        let (letter, class) = match look {
            Look::Start => return Some(Instruction::Look('^')),
            Look::End => return Some(Instruction::Look('$')),
            Look::StartLF => return Some(Instruction::Look('[')),
            Look::EndLF => return Some(Instruction::Look(']')),
            Look::WordAscii => ('b', r"[0-9A-Z_a-z]"),
            Look::WordAsciiNegate => ('B', r"[0-9A-Z_a-z]"),
            Look::WordUnicode => ('b', r"\w"),
            Look::WordUnicodeNegate => ('B', r"\w"),
            Look::WordStartAscii => ('<', r"[0-9A-Z_a-z]"),
            Look::WordEndAscii => ('>', r"[0-9A-Z_a-z]"),
            Look::WordStartUnicode => ('<', r"\w"),
            Look::WordEndUnicode => ('>', r"\w"),
            // No dialect has these.
            Look::StartCRLF
            | Look::EndCRLF
            | Look::WordStartHalfAscii
            | Look::WordEndHalfAscii
            | Look::WordStartHalfUnicode
            | Look::WordEndHalfUnicode => return None,
        };
        let hir = regex_syntax::Parser::new().parse(class).ok()?;
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else { return None };
        let set = self.set(class.iter().map(|range| (range.start() as u32, range.end() as u32)));
        Some(Instruction::Word(letter, set))
    }

    fn finish(self) -> PatternProgram {
        let code: Vec<String> = self
            .code
            .iter()
            .map(|instruction| match instruction {
                Instruction::Set(set) => format!("c{set}"),
                Instruction::Split(first, second) => format!("s{first},{second}"),
                Instruction::Look(letter) => letter.to_string(),
                Instruction::Word(letter, set) => format!("{letter}{set}"),
                Instruction::Match => "m".to_owned(),
            })
            .collect();
        PatternProgram { sets: self.sets.join(";"), code: code.join(" ") }
    }
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            break digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::pattern::PatternSyntax;

    #[track_caller]
    fn program(source: &str) -> PatternProgram {
        PatternProgram::of(&Pattern::new(PatternSyntax::Re2, source).unwrap()).unwrap()
    }

    #[test]
    fn every_kind_of_node_has_instructions() {
        let cases = [
            ("", "m", ""),
            ("^a$", "^ c0 $ m", "2p-2p"),
            ("(?m)^a$", "[ c0 ] m", "2p-2p"),
            ("a|bc", "s1,3 c0 s5,5 c1 c2 m", "2p-2p;2q-2q;2r-2r"),
            ("[0-9]{2,3}", "c0 c0 s3,4 c0 m", "1c-1l"),
            ("a*b", "s1,3 c0 s0,0 c1 m", "2p-2p;2q-2q"),
            (r"\b", "b0 m", "1c-1l,1t-2i,2n-2n,2p-3e"),
        ];
        for (source, code, sets) in cases {
            assert_eq!(
                program(source),
                PatternProgram { sets: sets.to_owned(), code: code.to_owned() },
                "{source}"
            );
        }
    }

    #[test]
    fn a_program_has_bounds() {
        let pattern = Pattern::new(PatternSyntax::Re2, "(?:(?:[ab]{100}){100}){9}").ok();
        assert_eq!(pattern.and_then(|pattern| PatternProgram::of(&pattern)), None);
    }
}
