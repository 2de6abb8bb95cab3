//! A SARIF 2.1.0 log, for code scanning.
//!
//! One run with one result per finding. Columns and character offsets count UTF-16 code units, and the run says so;
//! it also names the three line breaks that lines were split at. Labels are related locations, help follows the
//! message in the result's text, since a result has no other place for it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

use crate::{Columns, Diagnostic, Edit, Severity, SourceMap, Span, uri};

/// The published schema that the log follows.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Who made the log.
pub struct Tool<'t> {
    /// The name of the program.
    pub name: &'t str,
    /// The version of the tool, which SARIF shows beside its name.
    pub version: &'t str,
    /// Where to read about it.
    pub information_uri: Option<&'t str>,
    /// One sentence about a code; a code without one is its own description.
    pub summary: &'t dyn Fn(&str) -> Option<String>,
}

/// Writes a log of all findings, in the order given.
pub fn write(
    out: &mut dyn Write,
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    tool: &Tool<'_>,
) -> fmt::Result {
    let mut rules = SarifRules { list: Vec::new(), index: BTreeMap::new() };
    let results = diagnostics
        .iter()
        .map(|diagnostic| SarifResult {
            rule_id: &diagnostic.code,
            rule_index: rules.index(diagnostic, tool),
            level: level(diagnostic.severity),
            message: SarifMessage { text: text(diagnostic) },
            locations: diagnostic
                .primary
                .and_then(|span| SarifLocation::new(sources, span, None))
                .map(|location| location.part(diagnostic.pointer.as_deref()))
                .into_iter()
                .collect(),
            related_locations: related(sources, diagnostic),
            fixes: fixes(sources, diagnostic),
        })
        .collect();
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [SarifRun {
            tool: RunTool {
                driver: Driver {
                    name: tool.name,
                    version: tool.version,
                    information_uri: tool
                        .information_uri
                        .filter(|link| uri::is_absolute(link))
                        .map(uri::escape),
                    rules: rules.list,
                },
            },
            column_kind: "utf16CodeUnits",
            newline_sequences: ["\r\n", "\n", "\r"],
            results,
        }],
    };
    let text = serde_json::to_string_pretty(&log).map_err(|_| fmt::Error)?;
    writeln!(out, "{text}")
}

/// Writes a log with no more in it than the log of the Bicep compiler: rule, level, message, line and column.
///
/// UPSTREAM: the column stands in `charOffset`, the link in the message, and the log ends without a line break.
pub fn write_plain(
    out: &mut dyn Write,
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    name: &str,
) -> fmt::Result {
    let results: Vec<serde_json::Value> = diagnostics.iter().map(|it| plain_result(sources, it)).collect();
    let log = serde_json::json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": name } },
            "results": results,
            "columnKind": "utf16CodeUnits",
        }],
    });
    let text = serde_json::to_string_pretty(&log).map_err(|_| fmt::Error)?;
    out.write_str(&text)
}

fn plain_result(sources: &SourceMap, diagnostic: &Diagnostic) -> serde_json::Value {
    let location = diagnostic.primary.and_then(|span| {
        let file = sources.get(span.file)?;
        let start = file.extent(span, Columns::Utf16).start;
        Some(serde_json::json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri::from_name(file.name()) },
            "region": { "startLine": start.line, "charOffset": start.column },
        } }))
    });
    let link = diagnostic.docs.as_deref().map_or_else(String::new, |link| format!(" [{link}]"));
    serde_json::json!({
        "ruleId": diagnostic.code,
        "level": level(diagnostic.severity),
        "message": { "text": format!("{}{link}", diagnostic.message) },
        "locations": Vec::from_iter(location),
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// The rules that results refer to, each once, in order of first use.
struct SarifRules<'d> {
    list: Vec<SarifRule<'d>>,
    index: BTreeMap<&'d str, usize>,
}

impl<'d> SarifRules<'d> {
    fn index(&mut self, diagnostic: &'d Diagnostic, tool: &Tool<'_>) -> usize {
        let id = &*diagnostic.code;
        let index = *self.index.entry(id).or_insert_with(|| {
            let summary = (tool.summary)(id).map_or(Cow::Borrowed(id), Cow::Owned);
            self.list.push(SarifRule {
                id,
                short_description: SarifMessage { text: summary },
                help_uri: None,
            });
            self.list.len() - 1
        });
        // Not every finding of a code has to carry the link.
        if let (Some(rule), Some(docs)) = (self.list.get_mut(index), &diagnostic.docs)
            && rule.help_uri.is_none()
            && uri::is_absolute(docs)
        {
            rule.help_uri = Some(uri::escape(docs));
        }
        index
    }
}

fn text(diagnostic: &Diagnostic) -> Cow<'_, str> {
    if diagnostic.help.is_empty() {
        return placeholder_free(&diagnostic.message);
    }
    let mut text = diagnostic.message.to_string();
    for help in &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    Cow::Owned(placeholder_free(&text).into_owned())
}

/// Doubles the braces of what would read as a placeholder, `{0}`.
///
/// The standard wants all braces doubled, but viewers show a doubled brace as it stands; so only those are doubled
/// that a reader could otherwise take for something else.
fn placeholder_free(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        match after.split_at_checked(digits) {
            Some((number, tail)) if digits > 0 && tail.starts_with('}') => {
                out.push_str("{{");
                out.push_str(number);
                out.push_str("}}");
                rest = tail.strip_prefix('}').unwrap_or(tail);
            }
            _ => {
                out.push('{');
                rest = after;
            }
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn related<'d>(sources: &'d SourceMap, diagnostic: &'d Diagnostic) -> Vec<SarifLocation<'d>> {
    let mut locations: Vec<SarifLocation<'d>> = Vec::new();
    for label in &diagnostic.labels {
        let message = Some(SarifMessage { text: placeholder_free(&label.message) });
        if let Some(mut location) = SarifLocation::new(sources, label.span, message) {
            // The id keeps equal locations apart, as the schema wants them.
            location.id = Some(locations.len());
            locations.push(location);
        }
    }
    locations
}

/// The fixes that have edits, each once.
fn fixes<'d>(sources: &'d SourceMap, diagnostic: &'d Diagnostic) -> Vec<Fix<'d>> {
    let mut fixes: Vec<Fix<'d>> = Vec::new();
    for fix in &diagnostic.fixes {
        let mut files: BTreeMap<String, Vec<Replacement<'d>>> = BTreeMap::new();
        for Edit { span, text } in &fix.edits {
            let Some(file) = sources.get(span.file) else { continue };
            let Some(deleted_region) = Region::new(sources, *span) else { continue };
            let inserted_content = (!text.is_empty()).then_some(Content { text });
            files
                .entry(uri::from_name(file.name()))
                .or_default()
                .push(Replacement { deleted_region, inserted_content });
        }
        let artifact_changes: Vec<_> = files
            .into_iter()
            .map(|(uri, replacements)| SarifChange { artifact_location: Artifact { uri }, replacements })
            .collect();
        let fix = Fix { description: SarifMessage { text: placeholder_free(&fix.title) }, artifact_changes };
        if !fix.artifact_changes.is_empty() && !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    fixes
}

impl<'d> SarifLocation<'d> {
    fn new(sources: &SourceMap, span: Span, message: Option<SarifMessage<'d>>) -> Option<SarifLocation<'d>> {
        let file = sources.get(span.file)?;
        let artifact_location = Artifact { uri: uri::from_name(file.name()) };
        let region = Region::new(sources, span)?;
        let physical_location = Physical { artifact_location, region };
        Some(SarifLocation { id: None, physical_location, logical_locations: None, message })
    }
}

impl<'d> SarifLocation<'d> {
    /// Says which part of a value it is, by a JSON pointer.
    fn part(mut self, pointer: Option<&'d str>) -> SarifLocation<'d> {
        self.logical_locations = pointer.map(|pointer| [Logical { fully_qualified_name: pointer }]);
        self
    }
}

impl Region {
    fn new(sources: &SourceMap, span: Span) -> Option<Region> {
        let file = sources.get(span.file)?;
        let span = file.clamp(span);
        let extent = file.extent(span, Columns::Utf16);
        let [start, end] = [span.start, span.end].map(|offset| file.lines().count(offset, Columns::Utf16));
        Some(Region {
            start_line: extent.start.line,
            start_column: extent.start.column,
            end_line: extent.end.line,
            end_column: extent.end.column,
            char_offset: start,
            char_length: end - start,
        })
    }
}

#[derive(Serialize)]
struct Log<'d> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'d>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'d> {
    tool: RunTool<'d>,
    column_kind: &'static str,
    newline_sequences: [&'static str; 3],
    results: Vec<SarifResult<'d>>,
}

#[derive(Serialize)]
struct RunTool<'d> {
    driver: Driver<'d>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'d> {
    name: &'d str,
    version: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    information_uri: Option<String>,
    rules: Vec<SarifRule<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule<'d> {
    id: &'d str,
    short_description: SarifMessage<'d>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'d> {
    rule_id: &'d str,
    rule_index: usize,
    level: &'static str,
    message: SarifMessage<'d>,
    locations: Vec<SarifLocation<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<SarifLocation<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix<'d>>,
}

#[derive(PartialEq, Serialize)]
struct SarifMessage<'d> {
    text: Cow<'d, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation<'d> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[Logical<'d>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifMessage<'d>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical<'d> {
    fully_qualified_name: &'d str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(PartialEq, Serialize)]
struct Artifact {
    uri: String,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    char_offset: u32,
    char_length: u32,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix<'d> {
    description: SarifMessage<'d>,
    artifact_changes: Vec<SarifChange<'d>>,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifChange<'d> {
    artifact_location: Artifact,
    replacements: Vec<Replacement<'d>>,
}

#[derive(PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'d> {
    deleted_region: Region,
    #[serde(skip_serializing_if = "Option::is_none")]
    inserted_content: Option<Content<'d>>,
}

#[derive(PartialEq, Serialize)]
struct Content<'d> {
    text: &'d str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(placeholder_free(text), expect);
    }

    #[test]
    fn only_placeholders_are_doubled() {
        check("expected `{ a: int }`", "expected `{ a: int }`");
        check("{0} and {12}{", "{{0}} and {{12}}{");
        check("{{1}", "{{{1}}");
        check("{}", "{}");
        check("", "");
    }
}
