//! A document to text: which lines break, and what they begin with.

use super::document::{GroupMode, LayoutDocument, LayoutStep};
use super::layout::width;
use super::options::FormatOptions;

/// Prints a document, and tells whether its line breaks would be the same once more; `source` is the text that
/// its spans are in.
pub(super) fn print(document: &LayoutDocument, source: &str, options: &FormatOptions) -> (String, bool) {
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
        waiting: PendingBlanks::default(),
    };
    let is_settled = printer.run(document, source);
    if options.insert_final_newline {
        printer.out.push_str(printer.newline);
    }
    (printer.out, is_settled)
}

/// Blanks that are written as soon as a text follows on the line.
#[derive(Default)]
struct PendingBlanks {
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
    waiting: PendingBlanks,
}

impl Printer {
    fn run(&mut self, document: &LayoutDocument, source: &str) -> bool {
        let (mut is_settled, mut may_be_tail) = (true, false);
        let mut is_flat = false;
        let mut outer: Vec<bool> = Vec::new();
        for step in &document.steps {
            match *step {
                LayoutStep::Source(span) => {
                    let text = span.text(source);
                    let width = if self.is_ascii { span.len() } else { width(text) };
                    self.text(text, width);
                }
                LayoutStep::Suffix(span) => {
                    self.waiting.spaces += 1;
                    self.text(span.text(source), 0);
                }
                LayoutStep::Made(index) => {
                    if let Some((text, width)) = document.made.get(index as usize) {
                        self.text(text, *width);
                    }
                }
                LayoutStep::Space => self.space(),
                LayoutStep::Comma => self.text(",", 1),
                LayoutStep::Bar => self.text("| ", 2),
                LayoutStep::FirstBar if is_flat => {}
                LayoutStep::FirstBar => self.text("| ", 2),
                LayoutStep::Line(flat) if is_flat => match flat.text() {
                    "" => {}
                    " " => self.space(),
                    text => self.text(text, text.len() as u32),
                },
                LayoutStep::Line(_) | LayoutStep::Hard => self.line(),
                LayoutStep::Indent if is_flat => {}
                LayoutStep::Indent => self.level += 1,
                LayoutStep::Dedent if is_flat => {}
                LayoutStep::Dedent => self.level = self.level.saturating_sub(1),
                LayoutStep::Open(mode, width) => {
                    outer.push(is_flat);
                    is_flat = is_flat
                        || match mode {
                            GroupMode::Fit => self.occupied + u64::from(width) <= self.width,
                            GroupMode::Broken => false,
                            GroupMode::Flat => true,
                        };
                    is_settled &= is_flat || !may_be_tail;
                    may_be_tail = false;
                }
                LayoutStep::NoTail => may_be_tail = true,
                LayoutStep::Tail => {
                    outer.push(is_flat);
                    is_flat = false;
                }
                LayoutStep::Close | LayoutStep::EndTail => is_flat = outer.pop().unwrap_or(false),
                LayoutStep::Gone => {}
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
            PendingBlanks { indent: 0, spaces: 0 } => {}
            PendingBlanks { indent: 0, spaces: 1 } => self.out.push(' '),
            PendingBlanks { indent, spaces } => {
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
        self.waiting = PendingBlanks { indent: self.level * self.size, spaces: 0 };
        self.occupied = self.waiting.indent as u64;
    }
}
