//! A program as texts and places where a line can break, in the order of the text.
//!
//! A document is a list of steps. Groups and indented stretches are pairs of steps around others. A group is printed on
//! one line if it fits there, or else with all its line breaks; the groups in it are then asked one by one. How wide a
//! group is on one line is known as soon as it is closed, so that printing looks at every step once.

use crate::Span;

/// What a line break becomes on one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flat {
    Empty,
    Space,
    /// A comma and a blank.
    CommaSpace,
}

impl Flat {
    /// Returns the text in the place of the line break.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Space => " ",
            Self::CommaSpace => ", ",
        }
    }
}

/// How a group is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GroupMode {
    /// On one line if it fits.
    Fit,
    /// With all its line breaks.
    Broken,
    Flat,
}

/// A step of a document.
#[derive(Clone, Copy, Debug)]
pub(super) enum LayoutStep {
    /// Text of the source.
    Source(Span),
    /// A comment at the end of a line, after a blank. It takes no room.
    Suffix(Span),
    /// Text that the source has not in this form.
    Made(u32),
    /// A blank. At the end of a line it is left out.
    Space,
    Comma,
    /// `| `
    Bar,
    /// `| `, and nothing on one line.
    FirstBar,
    /// A line break, or what stands in its place on one line.
    Line(Flat),
    /// A line break wherever it stands.
    Hard,
    /// One level more of indentation begins.
    Indent,
    Dedent,
    /// A group begins, which is so wide on one line.
    Open(GroupMode, u32),
    Close,
    /// What keeps its line breaks even on one line begins: the object or array at the end of arguments.
    Tail,
    EndTail,
    /// The group that begins next is a tail as soon as it has line breaks.
    NoTail,
    Gone,
}

/// The step that opens a group, while the group is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    step: usize,
    width: u32,
    tails: usize,
}

/// The step that opens a tail, while it is not known whether there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenedTail {
    step: usize,
    width: u32,
    tails: usize,
    broken: Option<usize>,
}

/// A program as texts and places where a line can break.
#[derive(Debug)]
pub(super) struct LayoutDocument {
    pub(super) steps: Vec<LayoutStep>,
    /// The texts that the source has not, with their widths.
    pub(super) made: Vec<(Box<str>, u32)>,
    /// How wide everything so far is on one line.
    width: u32,
    /// The widths up to and with the first character of each tail.
    tails: Vec<u32>,
    /// The last step that cannot be on one line with what follows it.
    broken: Option<usize>,
    /// A comment up to the end of its line, as long as no text follows it.
    line_comment: Option<usize>,
}

impl LayoutDocument {
    pub(super) fn with_capacity(steps: usize) -> Self {
        Self {
            steps: Vec::with_capacity(steps),
            made: Vec::new(),
            width: 0,
            tails: Vec::new(),
            broken: None,
            line_comment: None,
        }
    }

    /// Adds a text of the source that is so wide.
    #[inline]
    pub(super) fn source(&mut self, span: Span, width: u32) {
        self.text(LayoutStep::Source(span), width);
    }

    /// Adds a text that the source has not.
    pub(super) fn made(&mut self, text: String, width: u32) {
        let index = u32::try_from(self.made.len()).unwrap_or(u32::MAX);
        self.made.push((text.into_boxed_str(), width));
        self.text(LayoutStep::Made(index), width);
    }

    #[inline]
    pub(super) fn space(&mut self) {
        self.steps.push(LayoutStep::Space);
        self.widen(1);
    }

    pub(super) fn comma(&mut self) {
        self.text(LayoutStep::Comma, 1);
    }

    /// Adds the bar of a union, the first of which is left out on one line.
    pub(super) fn bar(&mut self, first: bool) {
        if first {
            self.text(LayoutStep::FirstBar, 0);
        } else {
            self.text(LayoutStep::Bar, 2);
        }
    }

    /// Adds a comment at the end of a line.
    pub(super) fn suffix(&mut self, span: Span) {
        self.text(LayoutStep::Suffix(span), 0);
        self.line_ends();
    }

    /// Takes back a comment at the end of a line that no text follows.
    pub(super) fn take_suffix(&mut self) -> Option<Span> {
        let step = self.steps.get_mut(self.line_comment?)?;
        let LayoutStep::Suffix(span) = *step else { return None };
        *step = LayoutStep::Gone;
        self.line_comment = None;
        Some(span)
    }

    /// Says that the text that was added last reaches up to the end of its line.
    pub(super) fn line_ends(&mut self) {
        self.line_comment = self.steps.len().checked_sub(1);
    }

    #[inline]
    fn text(&mut self, step: LayoutStep, width: u32) {
        if self.line_comment.is_some() {
            // Whatever holds both the comment and this text has a line break between them.
            self.broken = self.line_comment.take();
        }
        self.steps.push(step);
        self.widen(width);
    }

    #[inline]
    fn widen(&mut self, by: u32) {
        self.width = self.width.saturating_add(by);
    }

    /// Adds a place where a line can break, and returns its step.
    #[inline]
    pub(super) fn line(&mut self, flat: Flat) -> usize {
        self.steps.push(LayoutStep::Line(flat));
        self.widen(flat.text().len() as u32);
        self.steps.len() - 1
    }

    /// Adds a line break.
    #[inline]
    pub(super) fn hard(&mut self) {
        self.broken = Some(self.steps.len());
        self.steps.push(LayoutStep::Hard);
    }

    /// Begins to indent, and returns the step.
    #[inline]
    pub(super) fn indent(&mut self) -> usize {
        self.steps.push(LayoutStep::Indent);
        self.steps.len() - 1
    }

    #[inline]
    pub(super) fn dedent(&mut self) {
        self.steps.push(LayoutStep::Dedent);
    }

    /// Takes back a place where a line can break, or the begin of an indentation, in a group that is still open.
    pub(super) fn remove(&mut self, step: usize) {
        let Some(step) = self.steps.get_mut(step) else { return };
        if let LayoutStep::Line(flat) = *step {
            self.width = self.width.saturating_sub(flat.text().len() as u32);
        }
        *step = LayoutStep::Gone;
    }

    #[inline]
    pub(super) fn open(&mut self) -> Opened {
        self.steps.push(LayoutStep::Open(GroupMode::Broken, 0));
        Opened { step: self.steps.len() - 1, width: self.width, tails: self.tails.len() }
    }

    /// Ends a group. One that holds a line break that must stay is broken, whatever is asked for; returns what it is.
    pub(super) fn close(&mut self, opened: Opened, mode: GroupMode) -> GroupMode {
        let must_break = self.broken.is_some_and(|broken| broken > opened.step);
        let mode = if must_break { GroupMode::Broken } else { mode };
        // Only the begin of a tail has to fit on the line.
        let end = self.tails.get(opened.tails).copied().unwrap_or(self.width);
        if let Some(step) = self.steps.get_mut(opened.step) {
            *step = LayoutStep::Open(mode, end.saturating_sub(opened.width));
        }
        self.steps.push(LayoutStep::Close);
        mode
    }

    /// Begins what may be a tail.
    pub(super) fn open_tail(&mut self) -> OpenedTail {
        self.steps.push(LayoutStep::Gone);
        OpenedTail {
            step: self.steps.len() - 1,
            width: self.width,
            tails: self.tails.len(),
            broken: self.broken,
        }
    }

    pub(super) fn close_tail(&mut self, opened: OpenedTail) {
        if let Some(step) = self.steps.get_mut(opened.step) {
            *step = LayoutStep::Tail;
        }
        self.steps.push(LayoutStep::EndTail);
        self.width = opened.width.saturating_add(1);
        // The tails in this one are those of groups that are closed.
        self.tails.truncate(opened.tails);
        self.tails.push(self.width);
        self.broken = opened.broken;
    }

    /// Ends what has no line breaks of its own, and so is no tail yet.
    pub(super) fn no_tail(&mut self, opened: OpenedTail) {
        if let Some(step) = self.steps.get_mut(opened.step) {
            *step = LayoutStep::NoTail;
        }
    }

    /// Tells whether nothing can follow on the line.
    pub(super) fn ends_line(&self) -> bool {
        self.line_comment.is_some()
    }

    /// Tells whether the last text is a comment at the end of a line.
    pub(super) fn ends_with_suffix(&self) -> bool {
        self.line_comment.is_some_and(|step| matches!(self.steps.get(step), Some(LayoutStep::Suffix(_))))
    }
}
