//! A document to text: which lines break, and what they begin with.

use super::document::{Document, Mode, Step};
use super::layout::width;
use super::options::FormatOptions;

/// Prints a document, and tells whether its line breaks would be the same once more; `source` is the text that its spans
/// are in.
pub(super) fn print(document: &Document, source: &str, options: &FormatOptions) -> (String, bool) {
    let (indent, size) = options.indent();
    let mut printer = Printer {
        out: String::with_capacity(source.len() + source.len() / 8 + 16),
        newline: options.newline_kind.text(),
        indent,
        indents: String::new(),
        size,
        is_ascii: source.is_ascii(),
        width: u64::from(options.width),
        occupied: 0,
        level: 0,
        waiting: Waiting::default(),
    };
    let is_settled = printer.run(document, source);
    if options.insert_final_newline {
        printer.out.push_str(printer.newline);
    }
    (printer.out, is_settled)
}

/// Blanks that are written as soon as a text follows on the line.
#[derive(Default)]
struct Waiting {
    indent: usize,
    spaces: usize,
}

struct Printer {
    out: String,
    newline: &'static str,
    indent: char,
    /// As many of it as were needed so far.
    indents: String,
    /// How many of it are one level.
    size: usize,
    is_ascii: bool,
    width: u64,
    /// How much of the line is taken.
    occupied: u64,
    level: usize,
    waiting: Waiting,
}

impl Printer {
    fn run(&mut self, document: &Document, source: &str) -> bool {
        let (mut is_settled, mut may_be_tail) = (true, false);
        let mut is_flat = false;
        let mut outer: Vec<bool> = Vec::new();
        for step in &document.steps {
            match *step {
                Step::Source(span) => {
                    let text = span.text(source);
                    let width = if self.is_ascii { span.len() } else { width(text) };
                    self.text(text, width);
                }
                Step::Suffix(span) => {
                    self.waiting.spaces += 1;
                    self.text(span.text(source), 0);
                }
                Step::Made(index) => {
                    if let Some((text, width)) = document.made.get(index as usize) {
                        self.text(text, *width);
                    }
                }
                Step::Space => self.space(),
                Step::Comma => self.text(",", 1),
                Step::Bar => self.text("| ", 2),
                Step::FirstBar if is_flat => {}
                Step::FirstBar => self.text("| ", 2),
                Step::Line(flat) if is_flat => match flat.text() {
                    "" => {}
                    " " => self.space(),
                    text => self.text(text, text.len() as u32),
                },
                Step::Line(_) | Step::Hard => self.line(),
                Step::Indent if is_flat => {}
                Step::Indent => self.level += 1,
                Step::Dedent if is_flat => {}
                Step::Dedent => self.level = self.level.saturating_sub(1),
                Step::Open(mode, width) => {
                    outer.push(is_flat);
                    is_flat = is_flat
                        || match mode {
                            Mode::Fit => self.occupied + u64::from(width) <= self.width,
                            Mode::Broken => false,
                            Mode::Flat => true,
                        };
                    is_settled &= is_flat || !may_be_tail;
                    may_be_tail = false;
                }
                Step::NoTail => may_be_tail = true,
                Step::Tail => {
                    outer.push(is_flat);
                    is_flat = false;
                }
                Step::Close | Step::EndTail => is_flat = outer.pop().unwrap_or(false),
                Step::Gone => {}
            }
        }
        is_settled
    }

    #[inline]
    fn text(&mut self, text: &str, width: u32) {
        self.fill();
        self.out.push_str(text);
        self.occupied += u64::from(width);
    }

    #[inline]
    fn fill(&mut self) {
        match std::mem::take(&mut self.waiting) {
            Waiting { indent: 0, spaces: 0 } => {}
            Waiting { indent: 0, spaces: 1 } => self.out.push(' '),
            Waiting { indent, spaces } => {
                while self.indents.len() < indent {
                    self.indents.push(self.indent);
                }
                self.out.push_str(self.indents.get(..indent).unwrap_or_default());
                (0..spaces).for_each(|_| self.out.push(' '));
            }
        }
    }

    #[inline]
    fn space(&mut self) {
        self.waiting.spaces += 1;
        self.occupied += 1;
    }

    fn line(&mut self) {
        self.out.push_str(self.newline);
        self.waiting = Waiting { indent: self.level * self.size, spaces: 0 };
        self.occupied = self.waiting.indent as u64;
    }
}
