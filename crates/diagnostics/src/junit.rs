//! A JUnit report, which continuous integration shows as a list of tests: each finding is one, and errors are those that failed.

use std::fmt::{self, Write};

use crate::{Diagnostic, Severity, SourceMap, short};

/// Writes a report of all findings of a tool. Without findings, it has one test that passed.
pub fn write(
    out: &mut dyn Write,
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    tool: &str,
) -> fmt::Result {
    let failures = diagnostics.iter().filter(|it| it.is_error()).count();
    let (tool, tests) = (escaped(tool), diagnostics.len().max(1));
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"{tool}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
    writeln!(
        out,
        "  <testsuite name=\"{tool}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
    )?;
    if diagnostics.is_empty() {
        writeln!(out, "    <testcase classname=\"{tool}\" name=\"no problems found\"/>")?;
    }
    for it in diagnostics {
        let file = it.primary.and_then(|span| sources.name(span.file)).unwrap_or("no file");
        let (code, message) = (escaped(&it.code), escaped(&it.message));
        writeln!(out, "    <testcase classname=\"{}\" name=\"{code}: {message}\">", escaped(file))?;
        let mut text = String::new();
        short::write(&mut text, sources, it)?;
        for help in &it.help {
            writeln!(text, "help: {help}")?;
        }
        let text = escaped(text.trim_end());
        match it.severity {
            Severity::Error => {
                writeln!(out, "      <failure type=\"{code}\" message=\"{message}\">{text}</failure>")?;
            }
            Severity::Warning | Severity::Info => writeln!(out, "      <system-out>{text}</system-out>")?,
        }
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// Text for XML, between tags or in an attribute. Characters that XML cannot hold are replaced.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{FileId, Span};

    #[track_caller]
    fn check(diagnostics: &[Diagnostic], expect: Expect) {
        let mut sources = SourceMap::new();
        sources.add("main.bicep", "b = nane");
        let mut out = String::new();
        write(&mut out, &sources, diagnostics, "tendon").unwrap();
        expect.assert_eq(&out);
    }

    #[test]
    fn errors_are_tests_that_failed() {
        check(
            &[
                Diagnostic::error("BCP082", "no `a<b>`\u{1b}")
                    .at(Span::new(FileId(0), 4, 8))
                    .help("say \"c\""),
                Diagnostic::warning("W", "m"),
            ],
            expect![[r#"
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="tendon" tests="2" failures="1" errors="0">
                  <testsuite name="tendon" tests="2" failures="1" errors="0" skipped="0">
                    <testcase classname="main.bicep" name="BCP082: no `a&lt;b&gt;`�">
                      <failure type="BCP082" message="no `a&lt;b&gt;`�">main.bicep:1:5: error[BCP082]: no `a&lt;b&gt;`␛&#10;help: say &quot;c&quot;</failure>
                    </testcase>
                    <testcase classname="no file" name="W: m">
                      <system-out>warning[W]: m</system-out>
                    </testcase>
                  </testsuite>
                </testsuites>
            "#]],
        );
    }

    #[test]
    fn nothing_found_is_a_test_that_passed() {
        check(
            &[],
            expect![[r#"
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="tendon" tests="1" failures="0" errors="0">
                  <testsuite name="tendon" tests="1" failures="0" errors="0" skipped="0">
                    <testcase classname="tendon" name="no problems found"/>
                  </testsuite>
                </testsuites>
            "#]],
        );
    }
}
