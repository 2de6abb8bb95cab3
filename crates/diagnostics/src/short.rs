//! One line per finding: `file:line:column: severity[code]: message`.
//!
//! Editors and continuous integration find their way with this form. Columns count Unicode scalars.

use std::fmt::{self, Write};

use crate::{Columns, Diagnostic, SourceMap, printable};

/// Writes one finding and a line break.
pub fn write(out: &mut dyn Write, sources: &SourceMap, diagnostic: &Diagnostic) -> fmt::Result {
    if let Some((span, file)) = diagnostic.primary.and_then(|span| Some((span, sources.get(span.file)?))) {
        let start = file.extent(span, Columns::Scalars).start;
        write!(out, "{}:{}:{}: ", printable::line(file.name()), start.line, start.column)?;
    }
    let Diagnostic { severity, code, message, .. } = diagnostic;
    writeln!(out, "{severity}[{}]: {}", printable::line(code), printable::line(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, Span};

    #[track_caller]
    fn check(name: &str, text: &str, diagnostic: Diagnostic, expect: &str) {
        let mut sources = SourceMap::new();
        sources.add(name, text);
        let mut out = String::new();
        write(&mut out, &sources, &diagnostic).unwrap();
        assert_eq!(out, expect);
    }

    const FILE: FileId = FileId(0);

    #[test]
    fn the_place_counts_from_one_and_in_characters() {
        let found = Diagnostic::warning("no-unused-vars", "`b` is never used").at(Span::new(FILE, 17, 18));
        check(
            "a.bicep",
            "var x = '😀'\nvar b = 1",
            found,
            "a.bicep:2:3: warning[no-unused-vars]: `b` is never used\n",
        );
    }

    #[test]
    fn without_a_place_the_severity_comes_first() {
        check("a", "", Diagnostic::error("E1", "no input"), "error[E1]: no input\n");
        let elsewhere = Diagnostic::error("E1", "no input").at(Span::empty(FileId(9), 0));
        check("a", "", elsewhere, "error[E1]: no input\n");
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        check("a", "x\n", Diagnostic::info("I", "m").at(Span::empty(FILE, 99)), "a:2:1: info[I]: m\n");
    }

    #[test]
    fn hostile_names_and_messages_stay_on_one_line() {
        let found = Diagnostic::error("E", "unknown `\u{1b}]0;owned\u{7}`\nsecond").at(Span::empty(FILE, 0));
        check("a\nb", "", found, "a b:1:1: error[E]: unknown `␛]0;owned␇` second\n");
    }
}
