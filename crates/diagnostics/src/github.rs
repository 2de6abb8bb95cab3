//! Workflow commands of GitHub Actions, which show findings beside the lines that they are about.
//!
//! ```text
//! ::error file=main.bicep,line=1,endLine=1,col=9,endColumn=13,title=BCP082::the name `nane` does not exist
//! ```

use std::fmt::{self, Write};

use crate::{Columns, Diagnostic, Severity, SourceMap};

/// Writes one finding and a line break.
pub fn write(out: &mut dyn Write, sources: &SourceMap, diagnostic: &Diagnostic) -> fmt::Result {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    write!(out, "::{command} ")?;
    if let Some((file, span)) = diagnostic.primary.and_then(|span| Some((sources.get(span.file)?, span))) {
        let span = file.clamp(span);
        let (start, end) = (
            file.lines().position(span.start, Columns::Scalars),
            file.lines().position(span.end, Columns::Scalars),
        );
        write!(out, "file={},line={},endLine={}", property(file.name()), start.line, end.line)?;
        // Columns are for findings within one line.
        if start.line == end.line {
            write!(out, ",col={},endColumn={}", start.column, end.column)?;
        }
        out.write_char(',')?;
    }
    let help = diagnostic.help.iter().map(|help| format!("\n{help}")).collect::<String>();
    writeln!(out, "title={}::{}", property(&diagnostic.code), data(&format!("{}{help}", diagnostic.message)))
}

/// Text as the data of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text as the value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{FileId, Span};

    #[track_caller]
    fn check(diagnostic: Diagnostic, expect: Expect) {
        let mut sources = SourceMap::new();
        sources.add("a,b:c.bicep", "var é = 1\nb = nane");
        let mut out = String::new();
        write(&mut out, &sources, &diagnostic).unwrap();
        expect.assert_eq(&out);
    }

    #[test]
    fn a_finding_is_one_command_on_one_line() {
        check(
            Diagnostic::error("BCP082", "100% of it\nis wrong")
                .at(Span::new(FileId(0), 15, 19))
                .help("try again"),
            expect![[r"
                ::error file=a%2Cb%3Ac.bicep,line=2,endLine=2,col=5,endColumn=9,title=BCP082::100%25 of it%0Ais wrong%0Atry again
            "]],
        );
        check(
            Diagnostic::warning("W", "m").at(Span::new(FileId(0), 0, 19)),
            expect![[r"
                ::warning file=a%2Cb%3Ac.bicep,line=1,endLine=2,title=W::m
            "]],
        );
        check(
            Diagnostic::info("I", "m"),
            expect![[r"
            ::notice title=I::m
        "]],
        );
    }
}
