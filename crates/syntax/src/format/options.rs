//! The settings of the formatter.

/// The widest indentation of one level.
const MAX_INDENT_SIZE: u32 = 1000;

/// What the lines inside of brackets begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IndentKind {
    /// As many blanks for each level as the settings say.
    #[default]
    Space,
    /// One tab for each level.
    Tab,
}

/// What lines end with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NewlineKind {
    /// `\n`, whatever the system.
    #[default]
    Lf,
    /// `\r\n`, as Windows has it.
    CrLf,
    /// `\r`, as old systems of Apple had it.
    Cr,
}

impl NewlineKind {
    /// Returns the line break.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// The settings of the formatter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatOptions {
    /// Whether lines are indented by blanks or by tabs.
    pub indent_kind: IndentKind,
    /// How many blanks indent a line by one level; no more than 1,000 are taken.
    pub indent_size: u32,
    /// What lines end with.
    pub newline_kind: NewlineKind,
    /// Whether the last line ends with a line break.
    pub insert_final_newline: bool,
    /// How many characters of UTF-16 a line has at most, where that can be had.
    pub width: u32,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            indent_kind: IndentKind::Space,
            indent_size: 2,
            newline_kind: NewlineKind::Lf,
            insert_final_newline: true,
            width: 120,
        }
    }
}

impl FormatOptions {
    /// Returns the character that indents, and how many of them are one level.
    pub(super) fn indent(&self) -> (char, usize) {
        match self.indent_kind {
            IndentKind::Space => (' ', self.indent_size.min(MAX_INDENT_SIZE) as usize),
            IndentKind::Tab => ('\t', 1),
        }
    }
}
