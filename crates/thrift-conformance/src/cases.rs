//! The documents, read: one format for everything that validates.
//!
//! A document is Markdown. A heading `## A01 title` opens a case; a fenced `thrift` block holds its IDL; a
//! table holds values and verdicts. The block is either the fields of a struct `S`, or definitions of which
//! `root=` names the struct that the values are of. `enum Type`, `enum Gap` and `struct Inner` stand before
//! every block that is not `bare`. Other words behind `thrift` are options: `pattern=bre`, `compat=go`,
//! `elements=kitex`, `only=dynamic`, and `go=` or `rust=` for the root's name in that language.
//!
//! Values are JSON, fields by name, keys of maps as text. What JSON cannot write is an object: `{"$double":
//! "NaN"}`, `{"$hex": "ff"}`. A verdict is `valid`, ``breaks `rule` at `path` `` or ``missing `field` ``, and
//! may end in `(on the wire)` or `(in Go)` where only one side can tell. Instead of a table, `refused:` names
//! the error that the IDL gets; `warned:` lines name warnings.

use std::fmt;

use contract::Constant;
use document::{Document, FileId, ReadLimits};
use thrift::rules::{Compat, ElementRecursion, PatternDialect, RuleConfig};

const DOCUMENTS: &[(&str, &str)] = &[
    ("numbers.md", include_str!("../cases/numbers.md")),
    ("strings.md", include_str!("../cases/strings.md")),
    ("enums.md", include_str!("../cases/enums.md")),
    ("containers.md", include_str!("../cases/containers.md")),
    ("structs.md", include_str!("../cases/structs.md")),
    ("references.md", include_str!("../cases/references.md")),
    ("proposal.md", include_str!("../cases/proposal.md")),
];

const TABLE: &[(&str, &str)] = &[("table.md", include_str!("../proposal/table.md"))];

const PREAMBLE: &str = "\
enum Type {Bool I8 I16 I32 I64 String Struct List Set Map}
enum Gap {A = 1, B = 2, D = 7}
struct Inner {1: i32 a (vt.gt = \"0\")}
";

/// A case of a document: an IDL, and values with their verdicts.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name in its heading: `A01`.
    pub id: String,
    /// `a double between two bounds`
    pub title: String,
    /// `numbers.md A01 a double between two bounds`
    pub name: String,
    /// The text of the IDL, with what all cases share.
    pub idl: String,
    /// The struct that the values are of.
    pub root: String,
    /// The words behind `thrift`, with their values.
    pub options: Vec<(String, String)>,
    /// What the options mean for rules.
    pub config: RuleConfig,
    /// The values, in the order of the table.
    pub rows: Vec<CaseValue>,
    /// The code of the error that the IDL gets, and a part of its message.
    pub refused: Option<(String, String)>,
    /// The codes of warnings that the IDL gets.
    pub warned: Vec<String>,
}

/// A value with its verdict.
#[derive(Clone, Debug)]
pub struct CaseValue {
    /// The value as it is written.
    pub text: String,
    /// The value as JSON has it.
    pub value: Constant,
    /// What is said of it.
    pub verdict: ExpectedVerdict,
    /// Which implementations can tell.
    pub side: CaseSide,
}

/// What is said of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedVerdict {
    /// No rule is broken.
    Valid,
    /// The first rule that is broken.
    Breaks {
        /// The rule as it is spelt.
        rule: String,
        /// Where the value is.
        path: String,
    },
    /// A required field is absent.
    Missing(String),
}

/// Which implementations can tell that a value is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSide {
    /// Bytes and generated code.
    Everyone,
    /// Only bytes show it; generated code finds the value valid.
    Wire,
    /// Only Go has such values.
    Go,
}

impl fmt::Display for ExpectedVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExpectedVerdict::Valid => f.write_str("valid"),
            ExpectedVerdict::Breaks { rule, path } => write!(f, "{rule} @ {path}"),
            ExpectedVerdict::Missing(field) => write!(f, "missing {field}"),
        }
    }
}

/// All cases, in the order of the documents, or what is wrong with a document.
pub fn cases() -> Result<Vec<Case>, String> {
    read(DOCUMENTS)
}

/// The cases of the proposal's table, which say nothing that [`cases`] does not say but have the proposal's
/// order, or what is wrong with one.
pub fn table_cases() -> Result<Vec<Case>, String> {
    read(TABLE)
}

/// The cases of documents, each with its name, or what is wrong with one.
pub fn read(documents: &[(&str, &str)]) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for (document, text) in documents {
        parse(document, text, &mut cases)?;
    }
    let mut ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    ids.sort_unstable();
    if let Some([twice, _]) = ids.array_windows().find(|[a, b]| a == b) {
        return Err(format!("two cases are called `{twice}`"));
    }
    Ok(cases)
}

fn parse(document: &str, text: &str, cases: &mut Vec<Case>) -> Result<(), String> {
    let mut lines = text.lines();
    let before = cases.len();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (id, title) = heading.split_once(' ').unwrap_or((heading, ""));
            cases.push(Case {
                id: id.to_owned(),
                title: title.to_owned(),
                name: format!("{document} {heading}"),
                idl: String::new(),
                root: "S".to_owned(),
                options: Vec::new(),
                config: RuleConfig::default(),
                rows: Vec::new(),
                refused: None,
                warned: Vec::new(),
            });
            continue;
        }
        let Some(case) = cases.get_mut(before..).and_then(<[Case]>::last_mut) else { continue };
        let wrong = |what: &str| format!("{}: {what}: {line}", case.name);
        if let Some(options) = line.strip_prefix("```thrift") {
            case.options(options)?;
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            case.idl = case.whole(&block.join("\n"));
        } else if let Some(rest) = line.strip_prefix("refused: `") {
            let (code, part) = rest.split_once("`, ").ok_or_else(|| wrong("no part of a message"))?;
            case.refused = Some((code.to_owned(), part.to_owned()));
        } else if let Some(rest) = line.strip_prefix("warned: `") {
            case.warned.push(rest.trim_end_matches('`').to_owned());
        } else if let Some(rest) = line.strip_prefix("| `") {
            let row = row(rest).map_err(|what| wrong(&what))?;
            case.rows.push(row);
        }
    }
    for case in cases.get(before..).unwrap_or_default() {
        if case.idl.is_empty() || case.refused.is_some() != case.rows.is_empty() {
            return Err(format!("{}: no IDL, or nothing is expected", case.name));
        }
    }
    Ok(())
}

/// Reads the rest of a table's row behind the opening quote of the value.
fn row(rest: &str) -> Result<CaseValue, String> {
    let (text, verdict) = rest.split_once("` | ").ok_or("no verdict")?;
    let mut verdict = verdict.trim_end_matches([' ', '|']);
    let mut side = CaseSide::Everyone;
    for (suffix, means) in [(" (on the wire)", CaseSide::Wire), (" (in Go)", CaseSide::Go)] {
        if let Some(stripped) = verdict.strip_suffix(suffix) {
            (verdict, side) = (stripped, means);
        }
    }
    let quoted = |start: &str| verdict.strip_prefix(start).map(|rest| rest.trim_end_matches('`'));
    let verdict = match (quoted("breaks `"), quoted("missing `"), verdict) {
        (Some(rest), ..) => {
            let (rule, path) = rest.split_once("` at `").ok_or("no path")?;
            ExpectedVerdict::Breaks { rule: rule.to_owned(), path: path.to_owned() }
        }
        (_, Some(field), _) => ExpectedVerdict::Missing(field.to_owned()),
        (.., "valid") => ExpectedVerdict::Valid,
        _ => return Err("no verdict".to_owned()),
    };
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::default())
        .map_err(|error| error.to_string())?;
    let value = Constant::copy(document.root(), ReadLimits::default().depth).ok_or("too deep")?;
    Ok(CaseValue { text: text.to_owned(), value, verdict, side })
}

impl Case {
    fn options(&mut self, options: &str) -> Result<(), String> {
        for option in options.split_whitespace() {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            if key == "root" {
                value.clone_into(&mut self.root);
            } else if !apply(&mut self.config, key, value) && !matches!(key, "bare" | "only" | "go" | "rust")
            {
                return Err(format!("{}: no option `{option}`", self.name));
            }
            self.options.push((key.to_owned(), value.to_owned()));
        }
        Ok(())
    }

    /// The value of an option.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    fn whole(&self, block: &str) -> String {
        let preamble = if self.option("bare").is_some() { "" } else { PREAMBLE };
        match block.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("{preamble}struct S {{\n{block}\n}}\n"),
            false => format!("{preamble}{block}\n"),
        }
    }
}

/// Takes over an option that changes what rules mean; false if it does not.
pub(crate) fn apply(config: &mut RuleConfig, key: &str, value: &str) -> bool {
    match (key, value) {
        ("pattern", "bre") => config.pattern = PatternDialect::Bre,
        ("compat", "go") => config.compat = Compat::Go,
        ("compat", "apache") => config.compat = Compat::Apache,
        ("elements", "kitex") => config.elements = ElementRecursion::Kitex,
        _ => return false,
    }
    true
}
