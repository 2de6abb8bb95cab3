//! Source text, line by line, with its indentation.

/// Lines of source text.
#[derive(Debug)]
pub(crate) struct Lines {
    out: String,
    depth: usize,
    indent: &'static str,
}

impl Lines {
    pub(crate) fn new(indent: &'static str) -> Lines {
        Lines { out: String::new(), depth: 0, indent }
    }

    /// Writes one line; an empty one is not indented.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if !text.is_empty() {
            (0..self.depth).for_each(|_| self.out.push_str(self.indent));
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    /// Writes a line and indents what follows.
    pub(crate) fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indent();
    }

    /// Ends the indentation and writes a line.
    pub(crate) fn close(&mut self, text: impl AsRef<str>) {
        self.dedent();
        self.line(text);
    }

    pub(crate) fn indent(&mut self) {
        self.depth += 1;
    }

    pub(crate) fn dedent(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// How wide the indentation is.
    pub(crate) fn width(&self) -> usize {
        self.depth * self.indent.len()
    }

    /// Sets aside what is written so far, so that what follows can be looked at first.
    pub(crate) fn set_aside(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Puts back what was set aside, and hands over what was written since.
    pub(crate) fn put_back(&mut self, before: String) -> String {
        std::mem::replace(&mut self.out, before)
    }

    /// Writes text that is already lines.
    pub(crate) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}
