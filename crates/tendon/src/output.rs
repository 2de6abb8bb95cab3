//! The two streams: results on standard output, everything else on standard error.
//!
//! Results are what was asked for, findings included, so that they can be piped and kept. Failures of the
//! environment and progress go to standard error. Colour is decided for each stream by itself.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use clap::ValueEnum;
use diagnostics::terminal::Style;
use diagnostics::{Diagnostic, SourceMap, printable};

use crate::envelope;
use crate::exit::{CommandError, Exit};

/// The code of a finding about the input as a whole.
const REJECTED: &str = "input";

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

/// What standard output holds in the JSON form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JsonLayout {
    /// An object of findings and result.
    #[default]
    Envelope,
    /// The response of a REST API, with the findings as one more member.
    Response,
    /// The result as it is, which other programs read; findings are on standard error, one to a line. Where there is no result, it is the envelope.
    Document,
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
    /// Whether the JSON form is wanted.
    is_json: bool,
    /// What the JSON form looks like.
    layout: JsonLayout,
    /// Findings that wait for the result; of an envelope, they are written at once.
    waiting: Vec<String>,
    /// Whether findings of an envelope are written and the result is not.
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
            is_json: false,
            layout: JsonLayout::Envelope,
            waiting: Vec::new(),
            has_findings: false,
            has_printed: false,
        }
    }

    /// Decides on the JSON form and what it looks like, before anything is written.
    pub(crate) fn set_layout(&mut self, is_json: bool, layout: JsonLayout) {
        self.is_json = is_json;
        self.layout = layout;
    }

    /// Reports what is wrong with the input as a whole: as a finding in the JSON form, else to standard error.
    pub(crate) fn reject(&mut self, message: &str) -> Result<Exit, CommandError> {
        if self.is_json {
            self.add_findings(&SourceMap::new(), &[Diagnostic::error(REJECTED, message.to_owned())])?;
        } else {
            self.flush()?;
            self.report_error(message);
        }
        Ok(Exit::Input)
    }

    /// Writes a part of the result.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), CommandError> {
        self.has_printed |= !text.is_empty();
        self.out.write_all(text.as_bytes()).map_err(|error| CommandError::writing("standard output", &error))
    }

    /// Says in one line what was done: beside the result of the JSON form, as the result for people.
    pub(crate) fn print_done(&mut self, is_quiet: bool, text: &str) -> Result<(), CommandError> {
        match (is_quiet, self.is_json) {
            (true, _) => Ok(()),
            (false, true) => self.print_error(text),
            (false, false) => self.print(text),
        }
    }

    /// Ends the JSON form of a command that failed before it wrote anything. Returns false if there is no room for the failure.
    pub(crate) fn end_json_with(&mut self, failure: &CommandError) -> Result<bool, CommandError> {
        if self.has_printed || !failure.is_news() {
            return Ok(false);
        }
        let code = match failure.exit() {
            Exit::Usage => "usage",
            Exit::Environment => "environment",
            Exit::Fine | Exit::Input | Exit::Changes => REJECTED,
        };
        let finding = Diagnostic::error(code, failure.to_string());
        self.add_findings(&SourceMap::new(), &[finding])?;
        self.end_json()?;
        self.flush().map(|()| true)
    }

    /// Writes findings in the JSON form. Of an envelope, none is kept, however many there are.
    pub(crate) fn add_findings(
        &mut self,
        sources: &SourceMap,
        findings: &[Diagnostic],
    ) -> Result<(), CommandError> {
        let texts = envelope::json_findings(sources, findings)?;
        if self.layout != JsonLayout::Envelope {
            self.waiting.extend(texts);
            return Ok(());
        }
        self.write_findings(texts)
    }

    fn write_findings(&mut self, texts: Vec<String>) -> Result<(), CommandError> {
        for text in texts {
            let before = match self.has_findings {
                false => "{\n  \"findings\": [\n    ",
                true => ",\n    ",
            };
            self.has_findings = true;
            self.print(&format!("{before}{}", envelope::indented(&text, "    ")))?;
        }
        Ok(())
    }

    /// Writes the result in its JSON form, with the findings.
    pub(crate) fn print_result(&mut self, result: &str) -> Result<(), CommandError> {
        let waiting = std::mem::take(&mut self.waiting);
        match (self.layout, result.trim().strip_prefix('{')) {
            (JsonLayout::Envelope, _) => self.print_envelope(result),
            (JsonLayout::Response, Some(members)) => {
                let findings = match waiting.as_slice() {
                    [] => "[]".to_owned(),
                    some => envelope::indented(
                        &format!("[\n  {}\n]", some.join(",\n").replace('\n', "\n  ")),
                        "  ",
                    ),
                };
                let comma = if members.trim_start().starts_with('}') { "" } else { "," };
                self.print(&format!("{{\n  \"findings\": {findings}{comma}{members}\n"))
            }
            (JsonLayout::Response, None) | (JsonLayout::Document, _) => {
                // No string of JSON has a line break in it.
                let line = |text: &String| text.lines().map(str::trim_start).collect::<String>() + "\n";
                self.print_error(&waiting.iter().map(line).collect::<String>())?;
                self.print(&format!("{}\n", result.trim_end()))
            }
        }
    }

    fn print_envelope(&mut self, result: &str) -> Result<(), CommandError> {
        let before = match std::mem::take(&mut self.has_findings) {
            false => "{\n  \"findings\": [],",
            true => "\n  ],",
        };
        self.print(&format!("{before}\n  \"result\": {}\n}}\n", envelope::indented(result, "  ")))
    }

    /// Ends the JSON form of a command: one that has no result has none in it.
    pub(crate) fn end_json(&mut self) -> Result<(), CommandError> {
        if self.has_printed {
            return self.end_findings();
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.write_findings(waiting)?;
        self.print_envelope("null")
    }

    /// Ends the JSON form of a command that has findings and no result.
    pub(crate) fn end_findings(&mut self) -> Result<(), CommandError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.write_findings(waiting)?;
        if self.has_findings { self.print_envelope("null") } else { Ok(()) }
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
