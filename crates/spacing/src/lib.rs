//! Prints the tokens and comments of a text with other white space between them.
//!
//! A language cuts its text into [`Token`]s, with what should separate each from the one before, and [`Comment`]s; [`print()`]
//! does the rest in the same way for all of them:
//!
//! - No token and no comment is lost, and tokens keep their order.
//! - A comment stays on the line of what it follows, on a line of its own, or on the line of what it precedes.
//! - One empty line between others stays, except at the start and at the end of brackets.
//! - What was printed is printed as it is.
//!
//! The crate knows no language. What it must not change (the order of lines that count, strings) is part of a token.

use std::borrow::Cow;

/// What indents lines and ends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// What indents a line, once per level.
    pub indent: Indent,
    /// What ends a line.
    pub newline: Newline,
    /// Whether the last line ends with a line break.
    pub final_newline: bool,
}

impl Style {
    /// Two blanks, `\n`, and a line break at the end.
    pub const DEFAULT: Style = Style { indent: Indent::Spaces(2), newline: Newline::Lf, final_newline: true };
}

/// One level of indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indent {
    /// So many blanks.
    Spaces(u32),
    /// A tab.
    Tab,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newline {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl Newline {
    /// The characters.
    pub fn text(self) -> &'static str {
        match self {
            Newline::Lf => "\n",
            Newline::CrLf => "\r\n",
        }
    }
}

/// What a token does to the comments before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRole {
    /// Nothing.
    Plain,
    /// Opens brackets: no empty line follows.
    Open,
    /// Closes brackets: comments before it are inside of them, one level deeper, and no empty line precedes it.
    Close,
    /// A comma or the like: it stays behind the token that it follows, before comments that end a line.
    Separator,
}

/// What should be between a token and the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Nothing.
    None,
    /// One blank.
    Blank,
    /// A line break.
    Line,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset behind its last byte.
    pub end: usize,
    /// What it is to comments.
    pub role: TokenRole,
    /// What should precede it.
    pub before: Space,
    /// How deep its line is indented if it is the first on one.
    pub level: u32,
}

/// A comment and its place. A text has them in the order of their places, outside of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset behind its last byte, before the line break if it ends with the line.
    pub end: usize,
    /// Whether it ends with its line.
    pub is_line: bool,
}

/// A comment on its way to the output, and how many lines were ended before it.
struct Waiting {
    comment: Comment,
    lines_before: usize,
}

/// Prints a text anew.
pub fn print(text: &str, tokens: &[Token], comments: &[Comment], style: &Style) -> String {
    let mut printer = Printer { text, style, out: String::with_capacity(text.len()), is_open: true };
    let mut comments = comments.iter().copied().peekable();
    let mut waiting: Vec<Waiting> = Vec::new();
    // Comments that were behind what is printed now end their line.
    let mut ends_line = false;
    let mut at = text.strip_prefix('\u{feff}').map_or(0, |rest| text.len() - rest.len());
    let end =
        Token { start: text.len(), end: text.len(), role: TokenRole::Close, before: Space::Line, level: 0 };
    for (number, token) in tokens.iter().copied().chain([end]).enumerate() {
        let is_end = number == tokens.len();
        let first = waiting.len();
        while let Some(comment) = comments.next_if(|comment| comment.start < token.start || is_end) {
            waiting.push(Waiting { comment, lines_before: printer.lines(at, comment.start) });
            at = comment.end;
        }
        if ends_line && let Some(next) = waiting.get_mut(first) {
            next.lines_before = next.lines_before.max(1);
            ends_line = false;
        }
        let mut lines = printer.lines(at, token.start);
        at = token.end;
        if token.role == TokenRole::Separator
            && (lines > 0 || ends_line || waiting.iter().any(|it| it.comment.is_line || it.lines_before > 0))
        {
            printer.push(token);
            ends_line = !waiting.is_empty();
            continue;
        }
        if std::mem::take(&mut ends_line) {
            lines = lines.max(1);
        }
        let inner = if token.role == TokenRole::Close && !is_end { token.level + 1 } else { token.level };
        printer.comments(&waiting, token, lines, inner, is_end);
        waiting.clear();
    }
    if printer.style.final_newline && !printer.out.is_empty() {
        printer.out.push_str(style.newline.text());
    }
    printer.out
}

struct Printer<'t> {
    text: &'t str,
    style: &'t Style,
    out: String,
    /// Whether what was printed last opens brackets, or is nothing.
    is_open: bool,
}

impl Printer<'_> {
    /// How many lines end between two places.
    fn lines(&self, start: usize, end: usize) -> usize {
        let between = self.text.get(start..end).unwrap_or_default();
        between.bytes().filter(|byte| *byte == b'\n').count()
    }

    /// Prints comments, and the token behind them with `lines` line breaks before it.
    fn comments(&mut self, waiting: &[Waiting], token: Token, lines: usize, inner: u32, is_end: bool) {
        let wants_line = token.before == Space::Line;
        // The comments that share the line of the token, if the token starts one.
        let shared = match wants_line && lines == 0 && token.role != TokenRole::Close {
            true => {
                let last = waiting.iter().rposition(|it| it.lines_before > 0 || it.comment.is_line);
                match last {
                    Some(last) if waiting.get(last).is_some_and(|it| it.comment.is_line) => last + 1,
                    Some(last) => last,
                    None => 0,
                }
            }
            false => waiting.len(),
        };
        let mut must_break = false;
        for (number, it) in waiting.iter().enumerate() {
            let starts_line = wants_line && number == shared && !self.out.is_empty();
            if must_break || it.lines_before > 0 || starts_line {
                self.line(inner, it.lines_before > 1 && wants_line);
            } else if !self.out.is_empty() {
                self.out.push(' ');
            }
            self.comment(it.comment, inner);
            must_break = it.comment.is_line;
        }
        if is_end {
            return;
        }
        let is_after_comment = !waiting.is_empty();
        let is_shared = shared < waiting.len();
        let breaks = match token.before {
            Space::Line => !is_shared,
            Space::None | Space::Blank => must_break || (is_after_comment && lines > 0),
        };
        if breaks {
            self.line(token.level, lines > 1 && wants_line && token.role != TokenRole::Close);
        } else if is_shared || token.before == Space::Blank {
            self.blank();
        }
        self.push(token);
    }

    fn blank(&mut self) {
        if !self.out.is_empty() {
            self.out.push(' ');
        }
    }

    /// Ends the line, and indents the next one.
    fn line(&mut self, level: u32, is_empty_before: bool) {
        if self.out.is_empty() {
            return;
        }
        let newline = self.style.newline.text();
        self.out.push_str(newline);
        if is_empty_before && !self.is_open {
            self.out.push_str(newline);
        }
        self.indent(level);
    }

    fn indent(&mut self, level: u32) {
        for _ in 0..level {
            match self.style.indent {
                Indent::Spaces(count) => self.out.extend(std::iter::repeat_n(' ', count as usize)),
                Indent::Tab => self.out.push('\t'),
            }
        }
    }

    fn push(&mut self, token: Token) {
        self.out.push_str(self.text.get(token.start..token.end).unwrap_or_default());
        self.is_open = token.role == TokenRole::Open;
    }

    /// Prints a comment. Lines with a column of stars follow the first one; other lines stay where they are.
    fn comment(&mut self, comment: Comment, level: u32) {
        let written = self.text.get(comment.start..comment.end).unwrap_or_default();
        let written = if comment.is_line { written.trim_end() } else { written };
        let has_stars = written.lines().skip(1).all(|line| line.trim_start().starts_with('*'));
        for (number, line) in written.lines().enumerate() {
            let line = match (number, has_stars) {
                (0, _) => Cow::Borrowed(line.trim_end()),
                (_, true) => {
                    self.out.push_str(self.style.newline.text());
                    self.indent(level);
                    Cow::Owned(format!(" {}", line.trim()))
                }
                (_, false) => {
                    self.out.push_str(self.style.newline.text());
                    Cow::Borrowed(line.trim_end())
                }
            };
            self.out.push_str(&line);
        }
        self.is_open = false;
    }
}
