//! YAML with even indentation. Whatever is done is checked: the text before and after has to be read as the same events.

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use spacing::{Indent, Style};

use crate::error::UnlocatedReadError;
use crate::yaml::syntax_error;
use crate::{FileId, ReadError, ReadLimits};

/// How often a result is formatted again until it is settled.
const MAX_PASSES: usize = 4;

/// Formats YAML: each block collection is one level deeper than the one around it, and blanks at the end of lines and
/// empty lines at the end of the text go away.
///
/// Comments, anchors, tags, quotes, flow collections and line breaks stay as they are. A list in a mapping may begin in
/// the column of its key, if it was written so. Where another indentation would be another document, that of the text
/// stays. What is not YAML is an error; what the tags mean, and whether keys are unique, is not asked.
pub fn format_yaml(
    text: &str,
    file: FileId,
    limits: &ReadLimits,
    style: &Style,
) -> Result<String, ReadError> {
    let mut text = text.to_owned();
    for pass in 0..MAX_PASSES {
        let events = match events(&text, limits) {
            Ok(events) => events,
            Err(error) if pass == 0 => {
                let fault = syntax_error(&text, file, limits, &error);
                return Err(UnlocatedReadError::into_error(fault, &text, file));
            }
            Err(_) => break,
        };
        let better = better(&text, &events, limits, style);
        drop(events);
        match better {
            Some(better) if better != text => text = better,
            Some(_) | None => break,
        }
    }
    Ok(text)
}

/// What the parser says of a text, with the places.
type Events<'t> = Vec<(Event<'t>, Span)>;

fn events<'t>(text: &'t str, limits: &ReadLimits) -> Result<Events<'t>, ScanError> {
    let options = granit_parser::options! {
        emit_comments: false,
        flow_nesting_limit: limits.depth,
        block_nesting_limit: limits.depth,
    };
    Parser::new_from_str_with_options(text, options).collect()
}

/// The text with as much of the style as keeps its meaning; none if even the end of the text counts.
fn better(text: &str, events: &Events<'_>, limits: &ReadLimits, style: &Style) -> Option<String> {
    let layout = Layout::of(text, events, style);
    let candidates =
        [layout.print(text, style, Change::Indentation), layout.print(text, style, Change::LineEnds)];
    let dark = |text: &str| text.bytes().filter(|byte| !b" \t\r\n".contains(byte)).collect::<Vec<u8>>();
    let before = dark(text.strip_prefix('\u{feff}').unwrap_or(text));
    candidates.into_iter().find(|candidate| {
        let is_same = self::events(candidate, limits)
            .is_ok_and(|after| after.iter().map(|it| &it.0).eq(events.iter().map(|it| &it.0)));
        is_same && dark(candidate) == before
    })
}

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Indentation,
    LineEnds,
}

/// A mapping or list in block style.
struct Block {
    /// The offset of its first key or dash, and the one behind its last value.
    start: usize,
    end: usize,
    /// The column of its keys or dashes, before and after.
    column: usize,
    new_column: usize,
}

/// What a line belongs to that is not the first of a value.
#[derive(Clone, Copy)]
enum Continued {
    /// Text of a block scalar: its indentation before and after.
    Text { indent: usize, new_indent: usize },
    /// A part of a scalar or flow collection, which is inside of a block.
    Inside(Option<usize>),
}

/// Where everything is, and where it goes.
struct Layout {
    /// In the order of their starts.
    blocks: Vec<Block>,
    /// The offsets at which lines begin.
    lines: Vec<usize>,
    /// For each line.
    continued: Vec<Option<Continued>>,
    /// Blanks behind a dash, in order, which become one.
    gaps: Vec<(usize, usize)>,
}

/// A collection that is open while the events are read.
enum Open {
    Block { number: Option<usize>, is_list: bool },
    Flow { start: usize },
}

impl Layout {
    fn of(text: &str, events: &Events<'_>, style: &Style) -> Layout {
        let lines: Vec<usize> =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1)).collect();
        let continued = vec![None; lines.len()];
        let layout = Layout { blocks: Vec::new(), lines, continued, gaps: Vec::new() };
        let step = match style.indent {
            Indent::Spaces(count) => count.max(1) as usize,
            Indent::Tab => 2,
        };
        let mut reader = Reader { text, step, layout, open: Vec::new(), end: 0 };
        for (event, span) in events {
            reader.take(event, span);
        }
        reader.layout
    }

    /// The line of a place.
    fn line_of(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The column of a place, in characters.
    fn column_of(&self, text: &str, at: usize) -> usize {
        let start = self.lines.get(self.line_of(at)).copied().unwrap_or_default();
        text.get(start..at).unwrap_or_default().trim_start_matches('\u{feff}').chars().count()
    }

    fn block(&self, number: Option<usize>) -> Option<&Block> {
        self.blocks.get(number?)
    }

    /// A column inside of a block, in the new text.
    fn moved(&self, number: Option<usize>, column: usize) -> usize {
        match self.block(number) {
            Some(block) => (column + block.new_column).saturating_sub(block.column),
            None => column,
        }
    }

    fn print(&self, text: &str, style: &Style, change: Change) -> String {
        let mut out = String::with_capacity(text.len());
        let newline = style.newline.text();
        let mut walk = Walk { layout: self, next: 0, open: Vec::new(), ahead: None };
        let mut gaps = self.gaps.iter().copied().peekable();
        let mut kept = 0;
        for (number, start) in self.lines.iter().copied().enumerate() {
            let line = text.get(start..).unwrap_or_default().split('\n').next().unwrap_or_default();
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = if number == 0 { line.trim_start_matches('\u{feff}') } else { line };
            let start =
                if number == 0 { text.len() - text.trim_start_matches('\u{feff}').len() } else { start };
            let continued = self.continued.get(number).copied().flatten();
            let is_text = matches!(continued, Some(Continued::Text { .. }));
            let content = line.trim_start_matches(' ');
            let indent = line.len() - content.len();
            let content = if is_text { content } else { content.trim_end_matches([' ', '\t']) };
            match continued {
                _ if change == Change::LineEnds => {
                    let has_content = !content.is_empty() || is_text;
                    let indent = if has_content { indent } else { 0 };
                    out.extend(std::iter::repeat_n(' ', indent));
                    out.push_str(content);
                }
                Some(Continued::Text { indent: before, new_indent }) => {
                    let is_blank = content.is_empty() && indent <= before;
                    if !is_blank {
                        let indent = (indent + new_indent).saturating_sub(before);
                        out.extend(std::iter::repeat_n(' ', indent));
                        out.push_str(content);
                    }
                }
                _ if content.is_empty() => {}
                Some(Continued::Inside(owner)) => {
                    out.extend(std::iter::repeat_n(' ', self.moved(owner, indent)));
                    out.push_str(content);
                }
                None => {
                    let is_comment = content.starts_with('#');
                    let column = if is_comment {
                        walk.comment_column(text, number, indent)
                    } else {
                        walk.column(start + indent, indent)
                    };
                    out.extend(std::iter::repeat_n(' ', column));
                    let mut at = start + indent;
                    let end = at + content.len();
                    while let Some((from, to)) = gaps.next_if(|gap| gap.1 <= end) {
                        if from >= at {
                            out.push_str(text.get(at..from).unwrap_or_default());
                            out.push(' ');
                            at = to;
                        }
                    }
                    out.push_str(text.get(at..end).unwrap_or_default());
                }
            }
            if out.ends_with(|end: char| end != '\n') || is_text {
                kept = out.len();
            }
            out.push_str(newline);
        }
        // Empty lines at the end go away; the first line break behind the text is the last one.
        out.truncate(kept);
        if style.final_newline && !out.is_empty() {
            out.push_str(newline);
        }
        out
    }
}

/// Walks over the blocks in the order of lines.
struct Walk<'l> {
    layout: &'l Layout,
    next: usize,
    /// The blocks that are open, and those that ended just before, the inner ones last.
    open: Vec<usize>,
    /// The next line that begins a token, with its column before and after, as long as comments precede it.
    ahead: Option<(usize, Option<(usize, usize)>)>,
}

impl Walk<'_> {
    /// Opens the blocks that start at a place or before it, and closes those that ended before it.
    fn advance(&mut self, at: usize) {
        while let Some(block) = self.layout.blocks.get(self.next).filter(|block| block.start <= at) {
            self.close(block.start);
            self.open.push(self.next);
            self.next += 1;
        }
        self.close(at);
    }

    fn close(&mut self, at: usize) {
        let blocks = &self.layout.blocks;
        while self.open.last().is_some_and(|last| blocks.get(*last).is_none_or(|it| it.end <= at)) {
            self.open.pop();
        }
    }

    /// The new column of the first token of a line.
    fn column(&mut self, at: usize, column: usize) -> usize {
        self.advance(at);
        let own = self.open.iter().rev().find(|number| {
            self.layout.block(Some(**number)).is_some_and(|block| block.column == column && block.start <= at)
        });
        match own.and_then(|number| self.layout.block(Some(*number))) {
            Some(block) => block.new_column,
            None => self.layout.moved(self.open.last().copied(), column),
        }
    }

    /// The new column of a comment that has a line of its own: that of what follows if it is in the same column, else
    /// that of what precedes it.
    fn comment_column(&mut self, text: &str, line: usize, column: usize) -> usize {
        let following = match self.ahead {
            Some((until, following)) if line < until => following,
            _ => self.look_ahead(text, line),
        };
        let before = self.open.iter().rev().filter_map(|number| self.layout.block(Some(*number)));
        if let Some((old, new)) = following
            && (old == column || old < column && before.clone().all(|block| block.column > column))
        {
            return (new + column).saturating_sub(old);
        }
        let nearest = before.into_iter().find(|block| block.column <= column);
        match nearest {
            Some(block) => (column + block.new_column).saturating_sub(block.column),
            None => match following {
                // It is further to the left than everything around it.
                Some((old, new)) if column > old => (new + column).saturating_sub(old),
                _ => column,
            },
        }
    }

    /// The column before and after of the next line that begins a token.
    fn look_ahead(&mut self, text: &str, line: usize) -> Option<(usize, usize)> {
        let mut found = None;
        let mut until = self.layout.lines.len();
        for (number, start) in self.layout.lines.iter().copied().enumerate().skip(line + 1) {
            let written = text.get(start..).unwrap_or_default().split('\n').next().unwrap_or_default();
            let content = written.trim_start_matches(' ');
            if content.trim().is_empty() || content.starts_with('#') {
                continue;
            }
            let column = written.len() - content.len();
            let open = self.open.clone();
            let mut ahead = Walk { layout: self.layout, next: self.next, open, ahead: None };
            found = Some((column, ahead.column(start + column, column)));
            until = number;
            break;
        }
        self.ahead = Some((until, found));
        found
    }
}

/// Reads events into a layout.
struct Reader<'t> {
    text: &'t str,
    step: usize,
    layout: Layout,
    open: Vec<Open>,
    /// Behind the last scalar, alias or bracket.
    end: usize,
}

impl Reader<'_> {
    fn take(&mut self, event: &Event<'_>, span: &Span) {
        let start = span.start.byte_offset().unwrap_or_default();
        let end = span.end.byte_offset().unwrap_or(start).max(start);
        match event {
            Event::Scalar(_, style, ..) => self.scalar(*style, start, end),
            Event::Alias(_) => {
                self.node(start);
                self.end = end;
            }
            Event::SequenceStart(StructureStyle::Block, ..) => self.open_block(true, start),
            Event::MappingStart(StructureStyle::Block, ..) => self.open_block(false, start),
            Event::SequenceStart(StructureStyle::Flow, ..)
            | Event::MappingStart(StructureStyle::Flow, ..) => {
                self.node(start);
                self.open.push(Open::Flow { start });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(end),
            _ => {}
        }
    }

    /// The innermost block.
    fn inner(&self) -> Option<usize> {
        self.open.iter().rev().find_map(|open| match open {
            Open::Block { number, .. } => *number,
            Open::Flow { .. } => None,
        })
    }

    fn is_in_flow(&self) -> bool {
        matches!(self.open.last(), Some(Open::Flow { .. }))
    }

    fn open_block(&mut self, is_list: bool, at: usize) {
        let start = if is_list {
            // The parser's place may begin behind the first dash.
            let mut letters = self.text.get(at..).unwrap_or_default().chars();
            let is_dash = letters.next() == Some('-') && letters.next().is_none_or(char::is_whitespace);
            let before = self.text.get(..at).unwrap_or_default().trim_end();
            if is_dash { at } else { before.strip_suffix('-').map_or(at, str::len) }
        } else {
            at
        };
        let parent_is_list = matches!(self.open.last(), Some(Open::Block { is_list: true, .. }));
        let parent = self.inner();
        self.node(start);
        let column = self.layout.column_of(self.text, start);
        let line = self.layout.lines.get(self.layout.line_of(start)).copied().unwrap_or_default();
        let before = self.text.get(line..start).unwrap_or_default().trim_start_matches('\u{feff}');
        let is_first = before.trim().is_empty();
        let new_column = match self.layout.block(parent) {
            None if is_first => 0,
            None => column,
            Some(parent) if is_first && is_list && !parent_is_list && parent.column == column => {
                parent.new_column
            }
            Some(parent) if is_first => parent.new_column + self.step,
            // Directly behind a dash, or behind `?` and `:` of an explicit entry.
            Some(parent) if before.trim_end().ends_with(['-', '?', ':']) => parent.new_column + 2,
            Some(parent) => (column + parent.new_column).saturating_sub(parent.column),
        };
        let number = self.layout.blocks.len();
        self.layout.blocks.push(Block { start, end: usize::MAX, column, new_column });
        self.open.push(Open::Block { number: Some(number), is_list });
    }

    fn close(&mut self, end: usize) {
        match self.open.pop() {
            Some(Open::Block { number: Some(number), .. }) => {
                let last = self.end;
                if let Some(block) = self.layout.blocks.get_mut(number) {
                    block.end = last.max(block.start + 1);
                }
            }
            Some(Open::Flow { start }) => {
                self.end = end;
                if !self.is_in_flow() {
                    self.continue_lines(start, end);
                }
            }
            _ => {}
        }
    }

    /// A node that is not in a flow collection starts here: one blank separates it from its dash.
    fn node(&mut self, start: usize) {
        let Some(Open::Block { number: Some(number), is_list: true }) = self.open.last() else { return };
        let Some(block) = self.layout.blocks.get(*number) else { return };
        let before = self.text.get(..start).unwrap_or_default();
        let trimmed = before.trim_end_matches([' ', '\t']);
        let is_behind_dash = trimmed.ends_with('-')
            && trimmed.len() > block.start
            && trimmed.len() < start
            && self.layout.column_of(self.text, trimmed.len() - 1) == block.column;
        if is_behind_dash {
            self.layout.gaps.push((trimmed.len(), start));
        }
    }

    fn scalar(&mut self, style: ScalarStyle, start: usize, end: usize) {
        self.node(start);
        let is_text = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let written = self.text.get(start..end).unwrap_or_default();
        let end = if is_text { start + written.trim_end().len() } else { end };
        self.end = end;
        if self.is_in_flow() {
            return;
        }
        if !is_text {
            return self.continue_lines(start, end);
        }
        if written.trim().is_empty() {
            return;
        }
        // The place is that of the text, which begins on the line behind the header.
        let first = self.layout.line_of(start);
        let line = self.layout.lines.get(first).copied().unwrap_or_default();
        let rest = self.text.get(line..).unwrap_or_default();
        let indent = rest.len() - rest.trim_start_matches(' ').len();
        let header =
            self.text.get(..line).unwrap_or_default().trim_end().rsplit('\n').next().unwrap_or_default();
        let header =
            header.split(" #").next().unwrap_or_default().split_whitespace().last().unwrap_or_default();
        let is_explicit = header.bytes().any(|byte| byte.is_ascii_digit());
        let (indent, new_indent) = match self.layout.block(self.inner()) {
            // The number counts from the block around it.
            Some(block) if is_explicit => (block.column, block.new_column),
            Some(block) => (indent, block.new_column + self.step),
            None => (0, 0),
        };
        let lines = first..=self.layout.line_of(end.saturating_sub(1));
        for line in self.layout.continued.get_mut(lines).unwrap_or_default() {
            *line = Some(Continued::Text { indent, new_indent });
        }
    }

    /// The lines behind the first one of a scalar or a flow collection.
    fn continue_lines(&mut self, start: usize, end: usize) {
        let owner = self.inner();
        let lines = self.layout.line_of(start) + 1..=self.layout.line_of(end.saturating_sub(1));
        for line in self.layout.continued.get_mut(lines).unwrap_or_default() {
            *line = Some(Continued::Inside(owner));
        }
    }
}
