//! One line per finding in the form of compilers and build logs: `file(line,column) : Error CODE: message; help [link]`.
//!
//! Tools that read the output of Bicep look for this form. Columns count UTF-16 code units.

use std::fmt::{self, Write};

use crate::{Columns, Diagnostic, Severity, SourceMap, printable};

/// Writes one finding and a line break.
pub fn write(out: &mut dyn Write, sources: &SourceMap, diagnostic: &Diagnostic) -> fmt::Result {
    if let Some((span, file)) = diagnostic.primary.and_then(|span| Some((span, sources.get(span.file)?))) {
        let start = file.extent(span, Columns::Utf16).start;
        write!(out, "{}({},{}) : ", printable::line(file.name()), start.line, start.column)?;
    }
    let Diagnostic { code, message, help, docs, .. } = diagnostic;
    let level = level(diagnostic.severity);
    write!(out, "{level} {}: {}", printable::line(code), printable::line(message))?;
    for remedy in help {
        write!(out, "; {}", printable::line(remedy))?;
    }
    if let Some(link) = docs {
        write!(out, " [{}]", printable::line(link))?;
    }
    out.write_char('\n')
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, Span};

    #[track_caller]
    fn check(text: &str, diagnostic: Diagnostic, expect: &str) {
        let mut sources = SourceMap::new();
        sources.add("/app/main.bicep", text);
        let mut out = String::new();
        write(&mut out, &sources, &diagnostic).unwrap();
        assert_eq!(out, expect);
    }

    #[test]
    fn the_place_comes_first_and_the_link_last() {
        let found = Diagnostic::error("BCP018", "a `=` is expected here").at(Span::empty(FileId(0), 20));
        check(
            "var x = '😀'\nvar y",
            found.docs("https://aka.ms/bicep/core-diagnostics#BCP018"),
            "/app/main.bicep(2,6) : Error BCP018: a `=` is expected here [https://aka.ms/bicep/core-diagnostics#BCP018]\n",
        );
    }

    #[test]
    fn what_to_do_follows_the_message() {
        let found =
            Diagnostic::error("BCP082", "the name `nane` does not exist").help("did you mean `name`?");
        check("", found, "Error BCP082: the name `nane` does not exist; did you mean `name`?\n");
    }

    #[test]
    fn columns_count_utf_16_code_units() {
        let found = Diagnostic::warning("w", "m").at(Span::empty(FileId(0), 13));
        check("var x = '😀'", found, "/app/main.bicep(1,12) : Warning w: m\n");
    }

    #[test]
    fn a_finding_without_a_place_or_link_has_neither() {
        check("", Diagnostic::info("I", "m\nn"), "Info I: m n\n");
    }
}
