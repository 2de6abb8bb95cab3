//! Assertions about diagnostics, written as comments beside the lines they speak of.
//!
//! ```text
//! param size int = 'large' // error: [BCP033] "of type \"int\""
//!
//! // warning: [no-unused-params]
//! param unused string
//! ```
//!
//! A comment at the end of a line speaks of that line. A comment on a line of its own speaks of the next line
//! that is not such a comment, so several can be stacked. The code or the quoted part of the message may be left
//! out, not both. A number before them is the column at which the diagnostic starts: `// error: 12 [BCP033]`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::document::{Case, SpecError};
use crate::outcome::{CaseDiagnostic, Severity};

/// How comments start in languages that differ from `//`.
const MARKERS: &[(&str, &[&str])] = &[
    ("thrift", &["//", "#"]),
    ("yaml", &["#"]),
    ("yml", &["#"]),
    ("toml", &["#"]),
    ("sh", &["#"]),
    ("python", &["#"]),
    ("markdown", &[]),
    ("md", &[]),
    ("text", &[]),
    ("console", &[]),
];

/// One comment that says a line has a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// The line of the file that the comment speaks of, counted from one.
    pub line: usize,
    /// The severity the diagnostic must have.
    pub severity: Severity,
    /// The column at which the diagnostic must start, counted from one.
    pub column: Option<usize>,
    /// The code the diagnostic must have.
    pub code: Option<String>,
    /// A part of the message the diagnostic must have.
    pub message: Option<String>,
    /// The bytes of the file that hold the comment.
    pub range: Range<usize>,
}

impl Assertion {
    fn is_met_by(&self, diagnostic: &CaseDiagnostic) -> bool {
        self.severity == diagnostic.severity
            && self.column.is_none_or(|column| diagnostic.column == Some(column))
            && self.code.as_ref().is_none_or(|code| *code == diagnostic.code)
            && self.message.as_ref().is_none_or(|part| diagnostic.message.contains(part.as_str()))
    }

    /// Assertions that say more choose first among the diagnostics of a line.
    fn weight(&self) -> (bool, bool, usize) {
        (self.column.is_some(), self.code.is_some(), self.message.as_ref().map_or(0, String::len))
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.severity.word())?;
        if let Some(column) = self.column {
            write!(f, " {column}")?;
        }
        if let Some(code) = &self.code {
            write!(f, " [{code}]")?;
        }
        if let Some(message) = &self.message {
            write!(f, " {message:?}")?;
        }
        Ok(())
    }
}

/// Reads the assertions in a file, in the order in which they are written.
///
/// # Errors
///
/// Returns the comments that start as an assertion and do not go on as one; lines are those of the file.
pub fn assertions(language: &str, text: &str) -> Result<Vec<Assertion>, Vec<SpecError>> {
    let markers =
        MARKERS.iter().find(|(name, _)| *name == language).map_or(["//"].as_slice(), |(_, markers)| markers);
    let mut found = Vec::new();
    let mut problems = Vec::new();
    // Assertions that stand alone and wait for the line they speak of.
    let mut waiting = 0;
    let mut start = 0;
    let mut last = 0;
    for (index, full) in text.split_inclusive('\n').enumerate() {
        last = index + 1;
        let before = found.len();
        let first = match read_line(full.trim_end(), markers, start, last, &mut found) {
            Ok(first) => first,
            Err(message) => {
                problems.push(SpecError::new(last, message));
                None
            }
        };
        let alone = first.and_then(|at| full.get(..at)).is_some_and(|code| code.trim().is_empty());
        if alone {
            waiting += found.len() - before;
        } else {
            point_at(&mut found, before, waiting, last);
            waiting = 0;
        }
        start += full.len();
    }
    let end = found.len();
    point_at(&mut found, end, waiting, last + 1);
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// Compares the diagnostics of a run with the assertions in the files of its case: each diagnostic must be named
/// by one assertion, and each assertion must name one diagnostic.
pub fn check_diagnostics(case: &Case, diagnostics: &[CaseDiagnostic]) -> Vec<SpecError> {
    let mut problems = Vec::new();
    let mut by_place: BTreeMap<(&str, usize), Vec<&CaseDiagnostic>> = BTreeMap::new();
    for diagnostic in diagnostics {
        by_place.entry((&diagnostic.file, diagnostic.line)).or_default().push(diagnostic);
    }
    for file in &case.files {
        let mut strongest_first: Vec<&Assertion> = file.assertions.iter().collect();
        strongest_first.sort_by_key(|assertion| Reverse(assertion.weight()));
        for assertion in strongest_first {
            let here = by_place.entry((&file.name, assertion.line)).or_default();
            if let Some(index) = here.iter().position(|diagnostic| assertion.is_met_by(diagnostic)) {
                here.remove(index);
            } else {
                let message = format!("no diagnostic meets `{assertion}` in `{}`", file.name);
                problems.push(SpecError::new(file.line + assertion.line - 1, message));
            }
        }
    }
    for ((name, line), rest) in by_place {
        let place = case.file(name).filter(|_| line > 0).map_or(case.line, |file| file.line + line - 1);
        for diagnostic in rest {
            problems
                .push(SpecError::new(place, format!("not expected in `{name}` line {line}: {diagnostic}")));
        }
    }
    problems.sort_by_key(|problem| problem.line);
    problems
}

/// Makes the `count` assertions before index `end` speak of a line.
fn point_at(found: &mut [Assertion], end: usize, count: usize, line: usize) {
    for assertion in found.iter_mut().take(end).skip(end - count) {
        assertion.line = line;
    }
}

/// Reads the assertions on one line and returns where the first one starts.
fn read_line(
    line: &str,
    markers: &[&str],
    start: usize,
    number: usize,
    found: &mut Vec<Assertion>,
) -> Result<Option<usize>, String> {
    let Some((first, mut opening)) = find_opening(line, markers) else { return Ok(None) };
    let mut at = first;
    loop {
        let rest = line.get(at + opening.length..).unwrap_or_default();
        let (column, rest) = read_column(rest);
        let (code, rest) = read_code(rest)?;
        let (message, rest) = read_message(rest)?;
        if code.is_none() && message.is_none() {
            return Err(malformed(line, at, "name a `[code]`, a part of the message in quotes, or both"));
        }
        let end = line.len() - rest.len();
        let range = start + at..start + end;
        found.push(Assertion { line: number, severity: opening.severity, column, code, message, range });
        let gap = rest.len() - rest.trim_start().len();
        if gap == rest.len() {
            return Ok(Some(first));
        }
        at = end + gap;
        opening = opening_at(rest.trim_start(), markers)
            .ok_or_else(|| malformed(line, at, "an assertion reaches to the end of its line"))?;
    }
}

fn malformed(line: &str, at: usize, hint: &str) -> String {
    format!("`{}` is not an assertion: {hint}", line.get(at..).unwrap_or_default())
}

/// A comment marker and a severity word, `// error:`.
struct OpeningWords {
    severity: Severity,
    length: usize,
}

fn find_opening(line: &str, markers: &[&str]) -> Option<(usize, OpeningWords)> {
    line.char_indices().find_map(|(at, _)| Some((at, opening_at(line.get(at..)?, markers)?)))
}

fn opening_at(text: &str, markers: &[&str]) -> Option<OpeningWords> {
    let rest = markers.iter().find_map(|marker| text.strip_prefix(marker))?;
    let words = rest.trim_start_matches(' ');
    let severity = *Severity::ALL
        .iter()
        .find(|severity| words.strip_prefix(severity.word()).is_some_and(|rest| rest.starts_with(':')))?;
    let length = text.len() - words.len() + severity.word().len() + 1;
    // `http://error:80` is an address; a comment has a space.
    (words.len() < rest.len()).then_some(OpeningWords { severity, length })
}

fn read_column(text: &str) -> (Option<usize>, &str) {
    let number = text.trim_start();
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    match number.split_at_checked(digits).map(|(digits, rest)| (digits.parse(), rest)) {
        Some((Ok(column), rest)) => (Some(column), rest),
        _ => (None, text),
    }
}

fn read_code(text: &str) -> Result<(Option<String>, &str), String> {
    let Some(rest) = text.trim_start().strip_prefix('[') else { return Ok((None, text)) };
    let (code, rest) =
        rest.split_once(']').ok_or_else(|| format!("`[{rest}` is not a code: its bracket is not closed"))?;
    if code.trim().is_empty() {
        return Err("the code between the brackets of an assertion is empty".to_owned());
    }
    Ok((Some(code.trim().to_owned()), rest))
}

/// Reads a quoted part of a message, in which `\"` and `\\` stand for a quote and a backslash.
fn read_message(text: &str) -> Result<(Option<String>, &str), String> {
    let Some(rest) = text.trim_start().strip_prefix('"') else { return Ok((None, text)) };
    let mut message = String::new();
    let mut chars = rest.chars();
    while let Some(next) = chars.next() {
        match next {
            '"' => return Ok((Some(message), chars.as_str())),
            '\\' => message.extend(chars.next()),
            _ => message.push(next),
        }
    }
    Err(format!("`\"{rest}` is not a message: its quote is not closed"))
}
