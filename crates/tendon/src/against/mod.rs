//! What `--against` takes: one row for each kind of contract.
//!
//! A contract is named by a file and, where the file holds several, a fragment: `order.json#/$defs/Item`.
//! A kind looks at a file with one of its extensions and either loads it or passes it on to the next row, so
//! that several kinds can share `.json` and `.yaml`; a kind that reads files by itself has its extensions alone.
//! To add a kind, write its loader and its row in [`KINDS`].

mod boundaries;
mod links;
mod program;
mod radius;
mod thrift;
mod wire;

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use ::radius::Purpose;
use ::radius::registry::CompiledSchema;
use contract::{Admitted, Boundary, Contract, Flaw, FlawCode, Plain, Terms, Violation, admit};
use diagnostics::{Diagnostic, FileId, SourceMap, Span, suggest};
use document::{Document, ReadLimits, SourceValue};

pub(crate) use self::boundaries::Crossing;
pub(crate) use self::program::{is_template, template_error};
pub(crate) use self::thrift::{ThriftOptions, UnknownMembers};
pub(crate) use self::wire::{ValueSpelling, WireComparison};

use crate::deploy::links::Roots;
use crate::exit::CommandError;
use crate::finding;
use crate::input::{self, Format, Input, Unread};
use crate::manifests::secret_constants;

/// A kind of contract.
struct ContractKind {
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
    Text(fn(&ContractSource<'_>) -> Option<Loaded>),
    /// By itself, since one file leads to others.
    Files(fn(&Reference, &ThriftOptions, &mut SourceMap) -> Result<Loaded, CommandError>),
}

/// Every kind, in the order in which they look at a file.
const KINDS: &[ContractKind] = &[
    ContractKind {
        name: "the parameters of a template",
        extensions: &["json"],
        example: "TEMPLATE.json, TEMPLATE.json#PARAMETER",
        load: Load::Text(program::load_template),
    },
    ContractKind {
        name: "a resource type",
        extensions: &["json", "yaml", "yml"],
        example: "MANIFEST.yaml#TYPE, MANIFEST.yaml#NAMESPACE/TYPE@VERSION",
        load: Load::Text(radius::load),
    },
    ContractKind {
        name: "a contract in JSON or YAML",
        extensions: &["json", "yaml", "yml"],
        example: "FILE.json, FILE.json#NAME, FILE.yaml#/$defs/NAME",
        load: Load::Text(load_contract),
    },
    ContractKind {
        name: "the parameters of a Bicep program",
        extensions: &["bicep"],
        example: "FILE.bicep, FILE.bicep#PARAMETER",
        load: Load::Files(program::load_program),
    },
    ContractKind {
        name: "a Thrift type",
        extensions: &["thrift"],
        example: "FILE.thrift#STRUCT, FILE.thrift#FUNCTION, FILE.thrift#SERVICE.FUNCTION",
        load: Load::Files(thrift::load),
    },
];

/// A contract, or what is wrong with it.
pub(crate) type Loaded = Result<Against, Vec<Diagnostic>>;

/// What values are held against.
pub(crate) struct Against {
    held: LoadedContract,
}

enum LoadedContract {
    /// A contract, and how values are read that do not say what they are.
    Contract(Box<Contract>, Option<Box<thrift::ThriftValueReader>>),
    Resource(Box<CompiledSchema>),
    /// What a server answers about a resource.
    Response(Box<Contract>),
    /// The parameters or the outputs of a program.
    Program(Box<program::TemplateContract>),
    /// Several functions or types of a Thrift file, none of which is meant alone.
    Functions(thrift::ThriftBoundaries),
}

impl From<Contract> for Against {
    fn from(contract: Contract) -> Against {
        Against { held: LoadedContract::Contract(Box::new(contract), None) }
    }
}

impl Against {
    /// The contract alone; none if it is that of a program's parameters.
    pub(crate) fn contract(&self) -> Option<&Contract> {
        match &self.held {
            LoadedContract::Contract(contract, _) => Some(contract),
            LoadedContract::Resource(compiled) => compiled.contract(Purpose::Request),
            LoadedContract::Response(contract) => Some(contract),
            LoadedContract::Program(_) | LoadedContract::Functions(_) => None,
        }
    }

    /// Whether any value is a secret.
    pub(crate) fn has_secrets(&self) -> bool {
        match &self.held {
            LoadedContract::Contract(contract, _) => contract.has_secrets(),
            LoadedContract::Response(contract) => contract.has_secrets(),
            LoadedContract::Functions(_) => false,
            LoadedContract::Resource(compiled) => {
                compiled.contract(Purpose::Request).is_none_or(|contract| contract.has_secrets())
            }
            LoadedContract::Program(program) => program.has_secrets(),
        }
    }

    /// Lets a document across if nothing is wrong with it; else says what is, in its order, up to a limit.
    pub(crate) fn admit<'d>(
        &self,
        document: &'d Arc<Document>,
        limits: contract::CheckLimits,
    ) -> Result<Admitted<&'d Arc<Document>>, Vec<Violation>> {
        admit(Boundary::Check, &LimitedCheck { against: self, limits }, document)
    }

    fn violations(&self, document: &Arc<Document>, limits: contract::CheckLimits) -> Vec<Violation> {
        match &self.held {
            LoadedContract::Contract(contract, Some(typed)) => typed.violations(contract, document, limits),
            LoadedContract::Contract(contract, None) => {
                contract.checker().limits(limits).violations(document.root())
            }
            LoadedContract::Response(contract) => {
                contract.checker().limits(limits).violations(document.root())
            }
            LoadedContract::Functions(_) => Vec::new(),
            LoadedContract::Resource(compiled) => {
                let mut found = compiled.violations(document.root());
                found.truncate(limits.violations);
                found
            }
            LoadedContract::Program(program) => program.violations(document, limits.violations),
        }
    }

    /// Whether rules could not run since somebody last asked, and let a value pass.
    pub(crate) fn take_unchecked(&self) -> bool {
        match &self.held {
            LoadedContract::Contract(_, Some(typed)) => typed.take_unchecked(),
            LoadedContract::Contract(_, None)
            | LoadedContract::Resource(_)
            | LoadedContract::Response(_)
            | LoadedContract::Program(_)
            | LoadedContract::Functions(_) => false,
        }
    }

    /// The places of the secrets in a document.
    pub(crate) fn secrets(&self, document: &Arc<Document>) -> Vec<Span> {
        match &self.held {
            LoadedContract::Contract(contract, Some(typed)) => typed.secrets(contract, document),
            LoadedContract::Contract(contract, None) | LoadedContract::Response(contract) => {
                contract.secrets(document.root())
            }
            LoadedContract::Functions(_) => Vec::new(),
            LoadedContract::Resource(compiled) => compiled.secrets(document.root()),
            LoadedContract::Program(program) => program.secrets(document),
        }
    }
}

/// What a document has to keep, and how much is said of one that does not.
struct LimitedCheck<'a> {
    against: &'a Against,
    limits: contract::CheckLimits,
}

impl<'d> Terms<&'d Arc<Document>> for LimitedCheck<'_> {
    type Refusal = Vec<Violation>;

    fn admit(&self, document: &'d Arc<Document>) -> Result<&'d Arc<Document>, Vec<Violation>> {
        let violations = self.against.violations(document, self.limits);
        if violations.is_empty() { Ok(document) } else { Err(violations) }
    }
}

/// A file that a kind looks at.
struct ContractSource<'g> {
    input: &'g Input,
    /// What JSON or YAML its name promises.
    format: Option<Format>,
    /// The number that places in it carry.
    file: FileId,
    /// What stands behind `#`.
    fragment: Option<&'g str>,
    limits: &'g ReadLimits,
    /// Where references to other documents may lead.
    roots: &'g Roots,
}

/// What an argument of `--against` says.
pub(crate) struct Reference {
    /// The file as it was named.
    pub(crate) file: OsString,
    /// What stands behind `#`.
    pub(crate) fragment: Option<String>,
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

/// Loads something whose boundaries are asked for: a Thrift file or service of several functions is taken as a whole.
pub(crate) fn load_whole(
    reference: &Reference,
    options: &ThriftOptions,
    sources: &mut SourceMap,
) -> Result<Loaded, CommandError> {
    if input::extension(&reference.file).as_deref() == Some("thrift")
        && let Some(boundaries) = thrift::boundaries(reference, options, sources)?
    {
        return Ok(Ok(Against { held: LoadedContract::Functions(boundaries) }));
    }
    load(reference, options, sources, &ReadLimits::default())
}

/// Loads a contract; its text becomes a file of the sources, since findings point into it.
pub(crate) fn load(
    reference: &Reference,
    thrift: &ThriftOptions,
    sources: &mut SourceMap,
    limits: &ReadLimits,
) -> Result<Loaded, CommandError> {
    let extension = input::extension(&reference.file);
    let fits = |kind: &&ContractKind| match &extension {
        Some(extension) => kind.extensions.contains(&extension.as_str()),
        // Standard input and devices tell nothing by their names.
        None => kind.extensions.contains(&"json"),
    };
    let kinds: Vec<&ContractKind> = KINDS.iter().filter(fits).collect();
    if kinds.is_empty() {
        return Err(CommandError::Usage(unknown_kind(
            &reference.file,
            "its name does not tell what kind of contract it is",
        )));
    }
    if let [ContractKind { load: Load::Files(load), .. }] = kinds.as_slice() {
        return load(reference, thrift, sources);
    }
    let roots = Roots::new(&thrift.link_root)?;
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
    let given = ContractSource {
        input: &input,
        format: Format::of_name(&reference.file),
        file,
        fragment: reference.fragment.as_deref(),
        limits,
        roots: &roots,
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
        CommandError::Usage(unknown_kind(&reference.file, "its content is not a contract of a known kind"))
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

fn load_contract(given: &ContractSource<'_>) -> Option<Loaded> {
    let documents = match given.input.documents(given.format, given.file, given.limits, None) {
        Ok(documents) => documents,
        Err(finding) => return Some(Err(vec![*finding])),
    };
    let [document] = documents.as_slice() else { return None };
    let root = document.root();
    let others = links::linked(root, given.roots, given.limits);
    let others: Vec<(String, SourceValue<'_>)> =
        others.iter().map(|(address, document)| (address.clone(), document.root())).collect();
    let contract = match given.fragment {
        None => Contract::from_json_linked(root, root, &others, &Plain),
        Some(fragment) => match find(root, fragment) {
            Some(start) => Contract::from_json_linked(root, start, &others, &Plain),
            None => Err(vec![no_definition(root, fragment)]),
        },
    };
    Some(contract.map(Against::from).map_err(|flaws| flaws.into_iter().map(finding::flaw).collect()))
}

const SHELVES: [&str; 2] = ["$defs", "definitions"];

/// The part of a contract that a fragment names: a JSON pointer, or the name of a definition.
fn find<'d>(root: SourceValue<'d>, fragment: &str) -> Option<SourceValue<'d>> {
    if fragment.is_empty() || fragment.starts_with('/') {
        return root.pointer(fragment);
    }
    let of_openapi = || root.member("components")?.member("schemas")?.member(fragment);
    SHELVES.iter().find_map(|shelf| root.member(shelf)?.member(fragment)).or_else(of_openapi)
}

fn no_definition(root: SourceValue<'_>, fragment: &str) -> Flaw {
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

fn start_of(root: SourceValue<'_>) -> Span {
    let place = root.place();
    Span::empty(place.file, place.start)
}

/// The kinds of contract, for `--help`.
pub(crate) fn kinds_help() -> String {
    let rows: Vec<String> = KINDS.iter().map(|kind| format!("  {}: {}", kind.name, kind.example)).collect();
    rows.join("\n")
}
