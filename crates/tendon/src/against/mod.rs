//! What `--against` takes: one row for each kind of contract.
//!
//! A contract is named by a file and, where the file holds several, a fragment: `order.json#/$defs/Item`.
//! A kind looks at a file with one of its extensions and either loads it or passes it on to the next row, so
//! that several kinds can share `.json` and `.yaml`; a kind that reads files by itself has its extensions alone.
//! To add a kind, write its loader and its row in [`KINDS`].

mod program;
mod radius;
mod thrift;

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use ::radius::Purpose;
use ::radius::registry::Compiled;
use contract::{Contract, Flaw, FlawCode, Plain, Violation};
use diagnostics::{Diagnostic, FileId, SourceMap, Span, suggest};
use document::{Document, Limits, Value};

pub(crate) use self::thrift::ThriftOptions;

use crate::exit::Failure;
use crate::finding;
use crate::input::{self, Format, Input, Unread};
use crate::manifests::secret_constants;

/// A kind of contract.
struct Kind {
    /// What it is called, as a noun with its article.
    name: &'static str,
    /// The extensions of its files.
    extensions: &'static [&'static str],
    /// How it is named on the command line.
    example: &'static str,
    /// How it is loaded.
    load: Load,
}

/// How a kind of contract is loaded.
enum Load {
    /// From a text that was read, unless that is of another kind.
    Text(fn(&Given<'_>) -> Option<Loaded>),
    /// By itself, since one file leads to others.
    Files(fn(&Reference, &ThriftOptions, &mut SourceMap) -> Result<Loaded, Failure>),
}

/// Every kind, in the order in which they look at a file.
const KINDS: &[Kind] = &[
    Kind {
        name: "the parameters of a template",
        extensions: &["json"],
        example: "TEMPLATE.json, TEMPLATE.json#PARAMETER",
        load: Load::Text(program::load_template),
    },
    Kind {
        name: "a resource type",
        extensions: &["json", "yaml", "yml"],
        example: "MANIFEST.yaml#TYPE, MANIFEST.yaml#NAMESPACE/TYPE@VERSION",
        load: Load::Text(radius::load),
    },
    Kind {
        name: "a contract in JSON or YAML",
        extensions: &["json", "yaml", "yml"],
        example: "FILE.json, FILE.json#NAME, FILE.yaml#/$defs/NAME",
        load: Load::Text(load_contract),
    },
    Kind {
        name: "the parameters of a Bicep program",
        extensions: &["bicep"],
        example: "FILE.bicep, FILE.bicep#PARAMETER",
        load: Load::Files(program::load_program),
    },
    Kind {
        name: "a Thrift type",
        extensions: &["thrift"],
        example: "FILE.thrift#STRUCT, FILE.thrift#FUNCTION, FILE.thrift#SERVICE.FUNCTION",
        load: Load::Files(thrift::load),
    },
];

type Loaded = Result<Against, Vec<Diagnostic>>;

/// What values are held against.
pub(crate) struct Against {
    held: Held,
}

enum Held {
    /// A contract, and how values are read that do not say what they are.
    Contract(Box<Contract>, Option<Box<thrift::Typed>>),
    /// A resource type.
    Resource(Box<Compiled>),
    /// The parameters of a program.
    Program(Box<program::Program>),
}

impl From<Contract> for Against {
    fn from(contract: Contract) -> Against {
        Against { held: Held::Contract(Box::new(contract), None) }
    }
}

impl Against {
    /// The contract alone; none if it is that of a program's parameters.
    pub(crate) fn contract(&self) -> Option<&Contract> {
        match &self.held {
            Held::Contract(contract, _) => Some(contract),
            Held::Resource(compiled) => compiled.contract(Purpose::Request),
            Held::Program(_) => None,
        }
    }

    /// Whether any value is a secret.
    pub(crate) fn has_secrets(&self) -> bool {
        match &self.held {
            Held::Contract(contract, _) => contract.has_secrets(),
            Held::Resource(compiled) => {
                compiled.contract(Purpose::Request).is_none_or(|contract| contract.has_secrets())
            }
            Held::Program(program) => program.has_secrets(),
        }
    }

    /// Everything that is wrong with a document, in its order, up to a limit.
    pub(crate) fn violations(&self, document: &Arc<Document>, limits: contract::Limits) -> Vec<Violation> {
        match &self.held {
            Held::Contract(contract, Some(typed)) => typed.violations(contract, document, limits),
            Held::Contract(contract, None) => contract.checker().limits(limits).violations(document.root()),
            Held::Resource(compiled) => {
                let mut found = compiled.violations(document.root());
                found.truncate(limits.violations);
                found
            }
            Held::Program(program) => program.violations(document, limits.violations),
        }
    }

    /// The places of the secrets in a document.
    pub(crate) fn secrets(&self, document: &Arc<Document>) -> Vec<Span> {
        match &self.held {
            Held::Contract(contract, Some(typed)) => typed.secrets(contract, document),
            Held::Contract(contract, None) => contract.secrets(document.root()),
            Held::Resource(compiled) => compiled.secrets(document.root()),
            Held::Program(program) => program.secrets(document),
        }
    }
}

/// A file that a kind looks at.
struct Given<'g> {
    /// Its content.
    input: &'g Input,
    /// What JSON or YAML its name promises.
    format: Option<Format>,
    /// The number that places in it carry.
    file: FileId,
    /// What stands behind `#`.
    fragment: Option<&'g str>,
    limits: &'g Limits,
}

/// What an argument of `--against` says.
pub(crate) struct Reference {
    /// The file as it was named.
    pub(crate) file: OsString,
    /// What stands behind `#`.
    fragment: Option<String>,
}

impl Reference {
    /// Takes an argument apart; a file whose own name has a `#` in it wins.
    pub(crate) fn parse(argument: &OsStr) -> Reference {
        let whole = || Reference { file: argument.to_owned(), fragment: None };
        let Some(text) = argument.to_str() else { return whole() };
        match text.rsplit_once('#') {
            Some((file, fragment)) if !std::path::Path::new(argument).exists() => {
                Reference { file: file.into(), fragment: Some(fragment.to_owned()) }
            }
            _ => whole(),
        }
    }
}

/// Loads a contract; its text becomes a file of the sources, since findings point into it.
pub(crate) fn load(
    reference: &Reference,
    thrift: &ThriftOptions,
    sources: &mut SourceMap,
    limits: &Limits,
) -> Result<Loaded, Failure> {
    let extension = input::extension(&reference.file);
    let fits = |kind: &&Kind| match &extension {
        Some(extension) => kind.extensions.contains(&extension.as_str()),
        // Standard input and devices tell nothing by their names.
        None => kind.extensions.contains(&"json"),
    };
    let kinds: Vec<&Kind> = KINDS.iter().filter(fits).collect();
    if kinds.is_empty() {
        return Err(Failure::Usage(unknown_kind(
            &reference.file,
            "its name does not tell what kind of contract it is",
        )));
    }
    if let [Kind { load: Load::Files(load), .. }] = kinds.as_slice() {
        return load(reference, thrift, sources);
    }
    let file = input::next_id(sources);
    let input = match input::read(&reference.file, limits) {
        Ok(input) => input,
        Err(Unread::Failed(failure)) => return Err(failure),
        Err(Unread::TooLarge(finding)) => {
            sources.add(input::display_name(&reference.file), "");
            sources.withhold(file);
            return Ok(Err(vec![finding.at(Span::empty(file, 0))]));
        }
    };
    let given = Given {
        input: &input,
        format: Format::of_name(&reference.file),
        file,
        fragment: reference.fragment.as_deref(),
        limits,
    };
    let loaded = kinds.iter().find_map(|kind| match kind.load {
        Load::Text(load) => load(&given),
        Load::Files(_) => None,
    });
    let documents = input.documents(Format::of_name(&reference.file), file, limits, None).unwrap_or_default();
    let secrets: Vec<Span> = documents.iter().flat_map(secret_constants).collect();
    sources.add(input.name.clone(), input.into_text());
    sources.hide(secrets);
    loaded.ok_or_else(|| {
        Failure::Usage(unknown_kind(&reference.file, "its content is not a contract of a known kind"))
    })
}

fn unknown_kind(file: &OsStr, why: &str) -> String {
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("{} ({})", kind.name, kind.example)).collect();
    format!(
        "cannot use `{}` as a contract: {why}; known are: {}",
        input::display_name(file),
        kinds.join("; ")
    )
}

fn load_contract(given: &Given<'_>) -> Option<Loaded> {
    let documents = match given.input.documents(given.format, given.file, given.limits, None) {
        Ok(documents) => documents,
        Err(finding) => return Some(Err(vec![*finding])),
    };
    let [document] = documents.as_slice() else { return None };
    let root = document.root();
    let contract = match given.fragment {
        None => Contract::from_json(root, &Plain),
        Some(fragment) => match find(root, fragment) {
            Some(start) => Contract::from_json_at(root, start, &Plain),
            None => Err(vec![no_definition(root, fragment)]),
        },
    };
    Some(contract.map(Against::from).map_err(|flaws| flaws.into_iter().map(finding::flaw).collect()))
}

/// Where definitions stand.
const SHELVES: [&str; 2] = ["$defs", "definitions"];

/// The part of a contract that a fragment names: a JSON pointer, or the name of a definition.
fn find<'d>(root: Value<'d>, fragment: &str) -> Option<Value<'d>> {
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(fragment);
    }
    SHELVES.iter().find_map(|shelf| root.member(shelf)?.member(fragment))
}

fn no_definition(root: Value<'_>, fragment: &str) -> Flaw {
    let names: Vec<&str> = SHELVES
        .iter()
        .filter_map(|shelf| root.member(shelf))
        .flat_map(|shelf| shelf.members().filter_map(|(key, _)| key.as_str()))
        .collect();
    let wanted = fragment.rsplit('/').next().unwrap_or(fragment);
    let hint = match suggest(wanted, names.iter().copied()) {
        Some(near) => format!("did you mean `#{near}`?"),
        None if names.is_empty() => "the contract has no definitions; leave out the `#`".to_owned(),
        None => format!(
            "its definitions are {}",
            names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
        ),
    };
    Flaw::new(FlawCode::UnknownDefinition, format!("`#{fragment}` leads nowhere in the contract"))
        .hint(hint)
        .at(Some(start_of(root)))
}

fn start_of(root: Value<'_>) -> Span {
    let place = root.place();
    Span::empty(place.file, place.start)
}

/// The kinds of contract, for `--help`.
pub(crate) fn kinds_help() -> String {
    let rows: Vec<String> = KINDS.iter().map(|kind| format!("  {}: {}", kind.name, kind.example)).collect();
    rows.join("\n")
}
