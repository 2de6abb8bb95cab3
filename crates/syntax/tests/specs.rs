//! Runs the documents in `resources/specs`: `main.bicep` or `main.bicepparam` is formatted.
//!
//! `formatted` shows the result, and `once` what the reference compiler makes of it where that would change again. A file
//! `options.text` has one option on each line: `width 40`, `indent 4`, `tab`, `crlf`, `cr` (both shown by name), `no-final-newline`.

use spec_test::{Case, CaseOutput};
use syntax::format::{FormatOptions, IndentKind, NewlineKind, format, format_once};
use syntax::{SourceKind, parse};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> CaseOutput {
    let program = case.file("main.bicep").map(|file| (file, SourceKind::Bicep));
    let params = case.file("main.bicepparam").map(|file| (file, SourceKind::Params));
    let Some((file, kind)) = params.or(program) else { return CaseOutput::error("no file `main.bicep`") };
    let options = match options(case.file("options.text").map_or("", |file| &file.text)) {
        Ok(options) => options,
        Err(message) => return CaseOutput::error(message),
    };
    let tree = parse(file.text.as_str(), kind);
    let formatted = format(&tree, &options);
    if format(&parse(formatted.as_str(), kind), &options) != formatted {
        return CaseOutput::error(format!("formatted otherwise the second time:\n{formatted}"));
    }
    let mut outcome = CaseOutput::new().output("formatted", shown(&formatted, &options));
    if case.expects("once") {
        outcome = outcome.output("once", shown(&format_once(&tree, &options), &options));
    }
    outcome
}

/// The text with line breaks that documents can hold.
fn shown(text: &str, options: &FormatOptions) -> String {
    match options.newline_kind {
        NewlineKind::Lf if options.insert_final_newline => text.to_owned(),
        NewlineKind::Lf => format!("{text}<end>"),
        NewlineKind::CrLf => text.replace("\r\n", "<crlf>\n"),
        NewlineKind::Cr => text.replace('\r', "<cr>\n"),
    }
}

fn options(text: &str) -> Result<FormatOptions, String> {
    let mut options = FormatOptions::default();
    for line in text.lines() {
        let number = |text: &str| text.trim().parse().map_err(|_| format!("`{line}` has no number"));
        match line.split_once(' ').unwrap_or((line, "")) {
            ("width", value) => options.width = number(value)?,
            ("indent", value) => options.indent_size = number(value)?,
            ("tab", _) => options.indent_kind = IndentKind::Tab,
            ("crlf", _) => options.newline_kind = NewlineKind::CrLf,
            ("cr", _) => options.newline_kind = NewlineKind::Cr,
            ("no-final-newline", _) => options.insert_final_newline = false,
            _ => return Err(format!("`{line}` is not an option")),
        }
    }
    Ok(options)
}
