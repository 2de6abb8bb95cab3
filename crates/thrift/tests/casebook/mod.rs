//! The cases of `tests/cases`: one format for everything that validates.
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

mod json;

pub(crate) use json::Json;

use contract::Constant;
use thrift::model::{
    Config, LoadConfig, MemoryLoader, Model, Program, StructId, Type, TypeId, load, resolve,
};
use thrift::rules::{Compat, ElementRecursion, Functions, Lowered, PatternDialect, RuleConfig, lower};
use thrift::{Diagnostic, FileId};

const DOCUMENTS: &[(&str, &str)] = &[
    ("numbers.md", include_str!("../cases/numbers.md")),
    ("strings.md", include_str!("../cases/strings.md")),
    ("enums.md", include_str!("../cases/enums.md")),
    ("containers.md", include_str!("../cases/containers.md")),
    ("structs.md", include_str!("../cases/structs.md")),
    ("references.md", include_str!("../cases/references.md")),
    ("proposal.md", include_str!("../cases/proposal.md")),
];

const PREAMBLE: &str = "\
enum Type {Bool I8 I16 I32 I64 String Struct List Set Map}
enum Gap {A = 1, B = 2, D = 7}
struct Inner {1: i32 a (vt.gt = \"0\")}
";

/// One case.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// `numbers.md A01 a double between two bounds`
    pub(crate) name: String,
    pub(crate) idl: String,
    /// The struct that the values are of.
    pub(crate) root: String,
    pub(crate) options: Vec<(String, String)>,
    pub(crate) config: RuleConfig,
    pub(crate) rows: Vec<Row>,
    /// The code of the error that the IDL gets, and a part of its message.
    pub(crate) refused: Option<(String, String)>,
    pub(crate) warned: Vec<String>,
}

/// A value with its verdict.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The value as it is written.
    pub(crate) text: String,
    pub(crate) value: Json,
    pub(crate) verdict: Verdict,
    pub(crate) side: Side,
}

/// What is said of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Valid,
    Breaks {
        rule: String,
        path: String,
    },
    /// A required field is absent.
    Missing(String),
}

/// Who can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Everyone,
    /// Only bytes show it; generated code finds the value valid.
    Wire,
    /// Only Go has such values.
    Go,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Valid => f.write_str("valid"),
            Verdict::Breaks { rule, path } => write!(f, "{rule} @ {path}"),
            Verdict::Missing(field) => write!(f, "missing {field}"),
        }
    }
}

/// All cases, in the order of the documents.
pub(crate) fn cases() -> Vec<Case> {
    let cases: Vec<Case> = DOCUMENTS.iter().flat_map(|(name, text)| parse(name, text)).collect();
    let mut ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "two cases share an id");
    cases
}

fn parse(document: &str, text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix("## ") {
            let id = heading.split(' ').next().unwrap().to_owned();
            cases.push(Case {
                id,
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
        let Some(case) = cases.last_mut() else { continue };
        if let Some(options) = line.strip_prefix("```thrift") {
            case.options(options);
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            case.idl = case.whole(&block.join("\n"));
        } else if let Some(rest) = line.strip_prefix("refused: `") {
            let (code, part) = rest.split_once("`, ").unwrap();
            case.refused = Some((code.to_owned(), part.to_owned()));
        } else if let Some(rest) = line.strip_prefix("warned: `") {
            case.warned.push(rest.trim_end_matches('`').to_owned());
        } else if let Some(rest) = line.strip_prefix("| `") {
            case.rows.push(row(rest));
        }
    }
    for case in &cases {
        assert!(!case.idl.is_empty(), "{}: no IDL", case.name);
        assert!(case.refused.is_some() == case.rows.is_empty(), "{}: nothing is expected", case.name);
    }
    cases
}

/// Reads the rest of a table's row behind the opening quote of the value.
fn row(rest: &str) -> Row {
    let (text, verdict) = rest.split_once("` | ").unwrap();
    let mut verdict = verdict.trim_end_matches([' ', '|']);
    let mut side = Side::Everyone;
    for (suffix, means) in [(" (on the wire)", Side::Wire), (" (in Go)", Side::Go)] {
        if let Some(stripped) = verdict.strip_suffix(suffix) {
            (verdict, side) = (stripped, means);
        }
    }
    let verdict = match verdict.strip_prefix("breaks `") {
        Some(rest) => {
            let (rule, path) = rest.split_once("` at `").unwrap();
            Verdict::Breaks { rule: rule.to_owned(), path: path.trim_end_matches('`').to_owned() }
        }
        None => match verdict.strip_prefix("missing `") {
            Some(field) => Verdict::Missing(field.trim_end_matches('`').to_owned()),
            None => {
                assert_eq!(verdict, "valid", "no verdict");
                Verdict::Valid
            }
        },
    };
    Row { text: text.to_owned(), value: Json::parse(text), verdict, side }
}

impl Case {
    fn options(&mut self, options: &str) {
        for option in options.split_whitespace() {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            match (key, value) {
                ("root", name) => self.root = name.to_owned(),
                ("pattern", "bre") => self.config.pattern = PatternDialect::Bre,
                ("compat", "go") => self.config.compat = Compat::Go,
                ("compat", "apache") => self.config.compat = Compat::Apache,
                ("elements", "kitex") => self.config.elements = ElementRecursion::Kitex,
                ("bare" | "only" | "go" | "rust", _) => {}
                other => panic!("{}: no option {other:?}", self.name),
            }
            self.options.push((key.to_owned(), value.to_owned()));
        }
    }

    /// The value of an option.
    pub(crate) fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    fn whole(&self, block: &str) -> String {
        let preamble = if self.option("bare").is_some() { "" } else { PREAMBLE };
        match block.starts_with(|c: char| c.is_ascii_digit()) {
            true => format!("{preamble}struct S {{\n{block}\n}}\n"),
            false => format!("{preamble}{block}\n"),
        }
    }

    /// Loads, resolves and lowers the case under the name of a file, with a namespace for a language that is
    /// called like the file.
    pub(crate) fn read_as(&self, file: &str, language: &str, functions: &Functions) -> Read {
        let name = file.trim_end_matches(".thrift");
        let text = format!("namespace {language} {name}\n{}", self.idl);
        let mut loader = MemoryLoader::default().file(file, &text);
        let (program, mut diagnostics) = load(file, &mut loader, &LoadConfig::default()).unwrap();
        let (model, more) = resolve(&program, &Config::default());
        diagnostics.extend(more);
        let (lowered, more) = lower(&model, &self.config, functions);
        diagnostics.extend(more);
        Read { program, model, lowered, diagnostics }
    }
}

/// A case that was read.
pub(crate) struct Read {
    pub(crate) program: Program,
    pub(crate) model: Model,
    pub(crate) lowered: Lowered,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Read {
    /// A struct of the case, also one that carries arguments.
    pub(crate) fn structure(&self, name: &str) -> StructId {
        let at = self.model.structs.iter().position(|it| it.file == FileId(0) && it.name.text == name);
        StructId(u32::try_from(at.unwrap()).unwrap())
    }

    /// A value as a reader of the wire has it: fields by number.
    pub(crate) fn value(&self, id: StructId, json: &Json) -> Constant {
        let Json::Object(members) = json else { panic!("a struct is an object: {json:?}") };
        let members = members.iter().map(|(name, value)| {
            let field = self.model[id].field(name).unwrap_or_else(|| panic!("no field `{name}`"));
            (Constant::Int(field.wire_id().into()), self.typed(field.ty, value))
        });
        Constant::Object(members.collect())
    }

    fn typed(&self, ty: TypeId, json: &Json) -> Constant {
        if let Some(special) = json.special() {
            return special;
        }
        match (self.model.real(ty), json) {
            (Type::Bool, Json::Bool(it)) => (*it).into(),
            (Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Enum(_), Json::Number(text)) => {
                Constant::Int(text.parse().unwrap())
            }
            (Type::Double, Json::Number(text)) => Constant::Float(text.parse().unwrap()),
            (Type::String | Type::Binary, Json::Text(text)) => text.as_str().into(),
            (Type::List(element) | Type::Set(element), Json::List(items)) => {
                Constant::List(items.iter().map(|item| self.typed(element, item)).collect())
            }
            (Type::Map(key, value), Json::Object(members)) => Constant::Object(
                members
                    .iter()
                    .map(|(name, member)| (self.key(key, name), self.typed(value, member)))
                    .collect(),
            ),
            (Type::Struct(id), value) => self.value(id, value),
            (other, value) => panic!("{value:?} is no {other:?}"),
        }
    }

    fn key(&self, ty: TypeId, text: &str) -> Constant {
        match self.model.real(ty) {
            Type::String | Type::Binary => text.into(),
            Type::Double => Constant::Float(text.parse().unwrap()),
            Type::Bool => Constant::Bool(text.parse().unwrap()),
            _ => Constant::Int(text.parse().unwrap()),
        }
    }
}
