//! Finds headings and fenced blocks in Markdown, with the byte ranges that an update needs.
//!
//! This is the part of CommonMark that a specification uses, and it is stricter than CommonMark wherever
//! leniency would quietly drop a test: a fence must start its line and must be closed.

use std::ops::Range;

use crate::document::SpecError;

/// One thing the scanner found, in document order.
#[derive(Debug)]
pub(crate) enum Item<'a> {
    /// A heading line.
    Heading(Heading<'a>),
    /// A fenced block.
    Fence(Fence<'a>),
}

/// A heading written with `#` signs.
#[derive(Debug)]
pub(crate) struct Heading<'a> {
    pub(crate) level: usize,
    pub(crate) title: &'a str,
    pub(crate) line: usize,
}

/// A fenced block, from its opening to its closing line.
#[derive(Debug, Clone)]
pub(crate) struct Fence<'a> {
    /// The words after the opening fence.
    pub(crate) info: &'a str,
    /// The name on a line `` `NAME`: `` above the block.
    pub(crate) label: Option<&'a str>,
    /// The text between the fences; it ends with a newline unless it is empty.
    pub(crate) text: &'a str,
    /// The line of the opening fence; the text starts on the next one.
    pub(crate) line: usize,
    pub(crate) place: FenceRanges,
}

/// Where a fenced block stands, so that its text can be replaced.
#[derive(Debug, Clone)]
pub(crate) struct FenceRanges {
    /// The fence character, a backtick or a tilde.
    pub(crate) mark: char,
    /// The run of fence characters that opens the block.
    pub(crate) open: Range<usize>,
    /// The text between the fences.
    pub(crate) text: Range<usize>,
    /// The run of fence characters that closes the block.
    pub(crate) close: Range<usize>,
}

/// Scans a document; either every item is sound or the problems say what is not.
pub(crate) fn scan(text: &str) -> Result<Vec<Item<'_>>, Vec<SpecError>> {
    let mut items = Vec::new();
    let mut problems = Vec::new();
    let mut open: Option<Opening<'_>> = None;
    let mut label = None;
    let mut start = 0;
    let mut carriage_return = None;
    for (index, full) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        let line = full.strip_suffix('\n').unwrap_or(full);
        if line.ends_with('\r') {
            carriage_return.get_or_insert(number);
        }
        if let Some(opening) = &open {
            if let Some(close) = closing(line, opening, start) {
                items.push(Item::Fence(opening.fence(text, start, close)));
                open = None;
            }
        } else if let Some((mark, length)) = fence_run(line) {
            let info = line.get(length..).unwrap_or_default().trim();
            open = Some(Opening {
                mark,
                open: start..start + length,
                content: start + full.len(),
                info,
                label: label.take(),
                line: number,
            });
        } else if indented_fence(line) {
            problems.push(SpecError::new(number, "a fence must start at the beginning of its line"));
        } else if let Some((level, title)) = heading(line) {
            if title.is_empty() {
                problems.push(SpecError::new(number, "the heading has no text to name its section"));
            }
            items.push(Item::Heading(Heading { level, title, line: number }));
            label = None;
        } else if !line.trim().is_empty() {
            label = label_name(line);
        }
        start += full.len();
    }
    if let Some(opening) = open {
        problems.push(SpecError::new(opening.line, "the block opened here is never closed"));
    }
    if let Some(number) = carriage_return {
        problems.push(SpecError::new(
            number,
            "the line ends with CR LF; a specification is written with LF alone",
        ));
    }
    if problems.is_empty() { Ok(items) } else { Err(problems) }
}

/// The longest run of `mark` that could be taken for a fence on any line of `text`.
pub(crate) fn longest_fence(text: &str, mark: char) -> usize {
    text.lines()
        .filter(|line| indent(line) < 4)
        .map(|line| run(line.trim_start_matches(' '), mark))
        .max()
        .unwrap_or(0)
}

struct Opening<'a> {
    mark: char,
    open: Range<usize>,
    content: usize,
    info: &'a str,
    label: Option<&'a str>,
    line: usize,
}

impl<'a> Opening<'a> {
    fn fence(&self, document: &'a str, end: usize, close: Range<usize>) -> Fence<'a> {
        let text = self.content..end;
        Fence {
            info: self.info,
            label: self.label,
            text: document.get(text.clone()).unwrap_or_default(),
            line: self.line,
            place: FenceRanges { mark: self.mark, open: self.open.clone(), text, close },
        }
    }
}

/// The bytes of the closing run, when the line closes the block.
fn closing(line: &str, opening: &Opening<'_>, start: usize) -> Option<Range<usize>> {
    let indent = indent(line);
    let rest = line.get(indent..)?;
    let length = run(rest, opening.mark);
    let closes = indent < 4 && length >= opening.open.len() && rest.get(length..)?.trim().is_empty();
    closes.then(|| start + indent..start + indent + length)
}

/// The fence character and length, when the line opens a block.
fn fence_run(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = run(line, mark);
    // A backtick in the rest of the line makes it inline code, not a fence.
    let inline = mark == '`' && line.get(length..).is_some_and(|rest| rest.contains('`'));
    (length >= 3 && !inline).then_some((mark, length))
}

fn indented_fence(line: &str) -> bool {
    let indent = indent(line);
    (1..4).contains(&indent) && line.get(indent..).is_some_and(|rest| fence_run(rest).is_some())
}

/// The level and text of a heading: one to six `#`, a space, and an optional closing run of `#`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = run(line, '#');
    let rest = line.get(level..)?;
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let open = title.trim_end_matches('#');
    let closed = open.is_empty() || open.ends_with([' ', '\t']);
    Some((level, if closed { open.trim_end() } else { title }))
}

/// The name in a line that consists of `` `NAME`: ``.
fn label_name(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('`')?.strip_suffix("`:")?;
    (!name.is_empty() && !name.contains('`')).then_some(name)
}

fn indent(line: &str) -> usize {
    run(line, ' ')
}

fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|&c| c == mark).count()
}
