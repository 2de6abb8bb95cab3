//! One JSON object per line and finding, for scripts.
//!
//! Every member is always there, in this order, so that a script needs no test for absence:
//!
//! ```json
//! {"code":"BCP082","severity":"error","message":"...","file":"main.bicep",
//!  "start":{"line":1,"column":9,"offset":8},"end":{"line":1,"column":13,"offset":12},"path":"/a/b",
//!  "rule":{"file":"...","start":{},"end":{}},
//!  "labels":[{"file":"...","start":{},"end":{},"message":"..."}],"help":["..."],
//!  "fixes":[{"title":"...","safe":true,"edits":[{"file":"...","start":{},"end":{},"text":"..."}]}],"docs":null}
//! ```
//!
//! Lines and columns count from one, columns in Unicode scalars; offsets count bytes from zero. Without a place, or
//! with one in a file that is not known, `file`, `start` and `end` are null. `path` is the JSON pointer of the part of a value that the
//! finding is about, empty for the whole, and null where it is about no value. `rule` is where the rule is written that is broken, or null.

use std::fmt::{self, Write};

use serde::Serialize;

use crate::{Columns, Diagnostic, SourceMap, Span, Text};

/// Writes one finding and a line break.
pub fn write(out: &mut dyn Write, sources: &SourceMap, diagnostic: &Diagnostic) -> fmt::Result {
    let line = serde_json::to_string(&JsonDiagnostic::new(sources, diagnostic)).map_err(|_| fmt::Error)?;
    writeln!(out, "{line}")
}

/// A finding as it is written, for a larger JSON value that holds it.
#[derive(Serialize)]
pub struct JsonDiagnostic<'d> {
    code: &'d str,
    severity: &'d str,
    message: &'d str,
    #[serde(flatten)]
    place: JsonLocation<'d>,
    path: Option<&'d str>,
    rule: Option<JsonLocation<'d>>,
    labels: Vec<JsonLabel<'d>>,
    help: &'d [Text],
    fixes: Vec<Fix<'d>>,
    docs: Option<&'d str>,
}

impl<'d> JsonDiagnostic<'d> {
    /// Works out lines and columns of a diagnostic.
    pub fn new(sources: &'d SourceMap, diagnostic: &'d Diagnostic) -> JsonDiagnostic<'d> {
        let place = |span| JsonLocation::new(sources, span);
        JsonDiagnostic {
            code: &diagnostic.code,
            severity: diagnostic.severity.name(),
            message: &diagnostic.message,
            place: diagnostic.primary.map(place).unwrap_or_default(),
            path: diagnostic.pointer.as_deref(),
            rule: diagnostic.rule.map(place),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| JsonLabel { place: place(label.span), message: &label.message })
                .collect(),
            help: &diagnostic.help,
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| Fix {
                    title: &fix.title,
                    safe: fix.is_safe,
                    edits: fix
                        .edits
                        .iter()
                        .map(|edit| JsonEdit { place: place(edit.span), text: &edit.text })
                        .collect(),
                })
                .collect(),
            docs: diagnostic.docs.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct JsonLabel<'d> {
    #[serde(flatten)]
    place: JsonLocation<'d>,
    message: &'d str,
}

#[derive(Serialize)]
struct Fix<'d> {
    title: &'d str,
    safe: bool,
    edits: Vec<JsonEdit<'d>>,
}

#[derive(Serialize)]
struct JsonEdit<'d> {
    #[serde(flatten)]
    place: JsonLocation<'d>,
    text: &'d str,
}

/// A place as it is written, for a larger JSON value that holds it.
#[derive(Default, Serialize)]
pub struct JsonLocation<'d> {
    file: Option<&'d str>,
    start: Option<Point>,
    end: Option<Point>,
}

#[derive(Serialize)]
struct Point {
    line: u32,
    column: u32,
    offset: u32,
}

impl<'d> JsonLocation<'d> {
    /// Works out lines and columns; all members are null when the file is not known.
    pub fn new(sources: &'d SourceMap, span: Span) -> JsonLocation<'d> {
        let Some(file) = sources.get(span.file) else { return JsonLocation::default() };
        let span = file.clamp(span);
        let point = |offset| {
            let position = file.lines().position(offset, Columns::Scalars);
            Some(Point { line: position.line, column: position.column, offset })
        };
        JsonLocation { file: Some(file.name()), start: point(span.start), end: point(span.end) }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::FileId;

    #[track_caller]
    fn check(text: &str, diagnostic: Diagnostic, expect: Expect) {
        let mut sources = SourceMap::new();
        sources.add("main.bicep", text);
        let mut out = String::new();
        write(&mut out, &sources, &diagnostic).unwrap();
        expect.assert_eq(&out);
    }

    const FILE: FileId = FileId(0);

    #[test]
    fn every_member_is_there_in_a_fixed_order() {
        let found = Diagnostic::error("BCP082", "the name `nane` does not exist")
            .at(Span::new(FILE, 15, 19))
            .label(Span::new(FILE, 4, 6), "declared \"here\"")
            .help("did you mean `name`?")
            .fix(crate::Fix::new("rename").replace(Span::new(FILE, 15, 19), "name"))
            .docs("https://example.org/BCP082");
        check(
            "var é = 1\nb = nane",
            found,
            expect![[r#"
                {"code":"BCP082","severity":"error","message":"the name `nane` does not exist","file":"main.bicep","start":{"line":2,"column":5,"offset":15},"end":{"line":2,"column":9,"offset":19},"path":null,"rule":null,"labels":[{"file":"main.bicep","start":{"line":1,"column":5,"offset":4},"end":{"line":1,"column":6,"offset":6},"message":"declared \"here\""}],"help":["did you mean `name`?"],"fixes":[{"title":"rename","safe":false,"edits":[{"file":"main.bicep","start":{"line":2,"column":5,"offset":15},"end":{"line":2,"column":9,"offset":19},"text":"name"}]}],"docs":"https://example.org/BCP082"}
            "#]],
        );
    }

    #[test]
    fn what_is_missing_is_null_or_empty() {
        check(
            "",
            Diagnostic::info("I", "m"),
            expect![[r#"
            {"code":"I","severity":"info","message":"m","file":null,"start":null,"end":null,"path":null,"rule":null,"labels":[],"help":[],"fixes":[],"docs":null}
        "#]],
        );
        let elsewhere = Diagnostic::warning("W", "m").at(Span::new(FileId(7), 1, 2));
        check(
            "",
            elsewhere,
            expect![[r#"
            {"code":"W","severity":"warning","message":"m","file":null,"start":null,"end":null,"path":null,"rule":null,"labels":[],"help":[],"fixes":[],"docs":null}
        "#]],
        );
    }

    #[test]
    fn a_finding_stays_on_one_line() {
        check(
            "",
            Diagnostic::error("E", "one\ntwo\u{1b}"),
            expect![[r#"
                {"code":"E","severity":"error","message":"one\ntwo\u001b","file":null,"start":null,"end":null,"path":null,"rule":null,"labels":[],"help":[],"fixes":[],"docs":null}
            "#]],
        );
    }
}
