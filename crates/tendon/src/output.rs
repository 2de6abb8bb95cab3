//! The two streams: results on standard output, everything else on standard error.
//!
//! Results are what was asked for, findings included, so that they can be piped and kept. Failures of the
//! environment and progress go to standard error. Colour is decided for each stream by itself.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use clap::ValueEnum;
use diagnostics::terminal::Style;
use diagnostics::{Diagnostic, SourceMap, printable};

use crate::exit::CommandError;
use crate::report;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    // On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    // Always, also into a file or pipe.
    Always,
    // Never.
    Never,
}

/// Where a command writes.
pub(crate) struct Streams {
    out: BufWriter<Stdout>,
    /// How standard output looks.
    pub(crate) out_style: Style,
    /// How standard error looks.
    pub(crate) error_style: Style,
    /// Whether a person is likely to see what standard error shows while the command runs.
    pub(crate) watched: bool,
    /// Whether that is a terminal on which lines can be drawn over.
    pub(crate) live: bool,
    /// Whether findings of the JSON form are written and the result is not.
    has_findings: bool,
    /// Whether anything was written to standard output.
    has_printed: bool,
}

impl Streams {
    /// The streams of the process.
    pub(crate) fn new(colour: Colour) -> Streams {
        let (out, error) = (io::stdout(), io::stderr());
        let watched = error.is_terminal();
        Streams {
            out_style: style(colour, out.is_terminal(), &|name| std::env::var_os(name)),
            error_style: style(colour, watched, &|name| std::env::var_os(name)),
            out: BufWriter::with_capacity(1 << 16, out),
            watched,
            live: watched && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            has_findings: false,
            has_printed: false,
        }
    }

    /// Writes a part of the result.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CommandError> {
        self.has_printed |= !text.is_empty();
        self.out.write_all(text.as_bytes()).map_err(|error| CommandError::writing("standard output", &error))
    }

    /// Writes findings in the JSON form, in which the result follows: however many there are, none is kept.
    pub(crate) fn add_findings(
        &mut self,
        sources: &SourceMap,
        findings: &[Diagnostic],
    ) -> Result<(), CommandError> {
        for text in report::json_findings(sources, findings)? {
            let before = match self.has_findings {
                false => "{\n  \"findings\": [\n    ",
                true => ",\n    ",
            };
            self.has_findings = true;
            self.print(&format!("{before}{}", report::indented(&text, "    ")))?;
        }
        Ok(())
    }

    /// Writes the result in its JSON form, behind the findings.
    pub(crate) fn print_result(&mut self, result: &str) -> Result<(), CommandError> {
        let before = match std::mem::take(&mut self.has_findings) {
            false => "{\n  \"findings\": [],",
            true => "\n  ],",
        };
        self.print(&format!("{before}\n  \"result\": {}\n}}\n", report::indented(result, "  ")))
    }

    /// Ends the JSON form of a command: one that has no result has none in it.
    pub(crate) fn end_json(&mut self) -> Result<(), CommandError> {
        if self.has_printed { self.end_findings() } else { self.print_result("null") }
    }

    /// Ends the JSON form of a command that has findings and no result.
    pub(crate) fn end_findings(&mut self) -> Result<(), CommandError> {
        if self.has_findings { self.print_result("null") } else { Ok(()) }
    }

    /// Writes to standard error, after everything that was printed before.
    pub(crate) fn print_error(&mut self, text: &str) -> Result<(), CommandError> {
        if text.is_empty() {
            return Ok(());
        }
        self.flush()?;
        io::stderr()
            .write_all(text.as_bytes())
            .map_err(|error| CommandError::writing("standard error", &error))
    }

    /// Hands everything to the system; a full disk shows here at the latest.
    pub(crate) fn flush(&mut self) -> Result<(), CommandError> {
        self.out.flush().map_err(|error| CommandError::writing("standard output", &error))
    }

    /// Says something beside the result; what nobody can read is not worth a failure.
    pub(crate) fn aside(&self, text: &str) {
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Tells people about a failure; if even that cannot be written, the exit code has to do.
    pub(crate) fn report_error(&self, message: &str) {
        let title = match self.error_style {
            Style::Colour => "\u{1b}[1;91merror\u{1b}[0m",
            Style::Plain => "error",
        };
        let _ = writeln!(io::stderr(), "{title}: {}", printable(message));
    }
}

/// Decides on colour: the option beats the environment, the environment beats the terminal.
fn style(colour: Colour, terminal: bool, variable: &dyn Fn(&str) -> Option<std::ffi::OsString>) -> Style {
    let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let dumb = || variable("TERM").is_some_and(|value| value == "dumb");
    let colourful = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => terminal && !set("NO_COLOR") && !dumb(),
    };
    if colourful { Style::Colour } else { Style::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the decision for an environment of `NAME=VALUE`.
    #[track_caller]
    fn check(colour: Colour, terminal: bool, environment: &[(&str, &str)], expect: Style) {
        let variable =
            |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        assert_eq!(style(colour, terminal, &variable), expect);
    }

    #[test]
    fn colour_needs_a_terminal_unless_it_is_asked_for() {
        check(Colour::Auto, true, &[], Style::Colour);
        check(Colour::Auto, false, &[], Style::Plain);
        check(Colour::Always, false, &[], Style::Colour);
        check(Colour::Never, true, &[], Style::Plain);
    }

    #[test]
    fn no_color_is_honoured_and_an_option_beats_it() {
        check(Colour::Auto, true, &[("NO_COLOR", "1")], Style::Plain);
        check(Colour::Auto, true, &[("NO_COLOR", "")], Style::Colour);
        check(Colour::Always, true, &[("NO_COLOR", "1")], Style::Colour);
        check(Colour::Auto, true, &[("TERM", "dumb")], Style::Plain);
    }
}
