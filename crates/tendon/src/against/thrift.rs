//! Thrift types as contracts for JSON and YAML: values in plain form, fields by name.

use std::collections::BTreeSet;

use clap::ValueEnum;
use comparison::Flow;
use contract::{
    Additional, CheckLimits, Constant, Contract, Definitions, Form, Operand, PathStep, Shape, Test, Unit,
    Violation,
};
use diagnostics::{Diagnostic, FileId, SourceMap, Span};
use document::Document;
use thrift::model::{ServiceId, StructId, StructRole};
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, RuleConfig, lower};

use super::{Against, Loaded, LoadedContract, Reference};
use crate::exit::CommandError;
use crate::input::{self, STANDARD_INPUT};
use crate::thrift_functions::{FunctionOptions, UndefinedOptions};
use crate::thrift_idl::{self, Idl, IdlOptions};

/// How Thrift types are read, and values of them.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Reading Thrift files")]
pub(crate) struct ThriftOptions {
    #[command(flatten)]
    pub(crate) idl: IdlOptions,

    /// Reject or ignore members of a value that are not fields of its Thrift type [default: `refuse`; in encoded messages,
    /// where readers disagree]
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) unknown_fields: Option<UnknownMembers>,

    #[command(flatten)]
    pub(crate) functions: FunctionOptions,

    #[command(flatten)]
    pub(crate) undefined: UndefinedOptions,

    /// Take references of a contract that begin with a text from a folder, as `PREFIX=DIR`; nothing is fetched
    #[arg(long, value_name = "PREFIX=DIR", help_heading = "Reading contracts")]
    pub(super) link_root: Vec<String>,
}

impl ThriftOptions {
    /// The usual options, with folders of included files and roots of addresses.
    pub(crate) fn with(
        include: &[std::path::PathBuf],
        roots: &[String],
    ) -> Result<ThriftOptions, CommandError> {
        #[derive(clap::Parser)]
        struct Usual {
            #[command(flatten)]
            options: ThriftOptions,
        }
        let words = include.iter().flat_map(|folder| ["-I".into(), folder.clone().into_os_string()]);
        let roots = roots.iter().flat_map(|root| ["--link-root".into(), root.into()]);
        let words = std::iter::once("tendon".into()).chain(words).chain(roots);
        let usual = <Usual as clap::Parser>::try_parse_from(words);
        usual.map(|usual| usual.options).map_err(|error| CommandError::Usage(error.to_string()))
    }
}

/// What becomes of members that are not fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownMembers {
    // They are violations.
    #[default]
    Refuse,
    // They are left out, as on the wire.
    Ignore,
}

/// How values of a Thrift type are read.
pub(super) struct ThriftValueReader {
    pub(super) reader: Reader,
    pub(super) root: StructId,
    pub(super) functions: Functions,
    pub(super) rules: RuleConfig,
    /// What is added to the number of a file in the program to have its number in the sources.
    offset: u32,
}

/// Loads a type of a Thrift file and everything that the file includes.
pub(super) fn load(
    reference: &Reference,
    options: &ThriftOptions,
    sources: &mut SourceMap,
) -> Result<Loaded, CommandError> {
    if reference.file == STANDARD_INPUT {
        return Err(CommandError::Usage("a Thrift file is read from disk, with what it includes".to_owned()));
    }
    let path = input::display_name(&reference.file);
    let (declared, misdeclared) = options.functions.read(reference.file.as_ref(), sources)?;
    let mut idl = thrift_idl::read(&path, &options.idl, sources)?;
    idl.findings.extend(misdeclared);
    let functions = Functions::at(thrift_idl::now()).with(declared);
    let rules = RuleConfig { undefined_functions: options.undefined.into(), ..options.idl.rules() };
    let (mut lowered, found) = lower(&idl.model, &rules, &functions);
    idl.add(found);
    let root = match root(&idl, reference.fragment.as_deref()) {
        Ok(root) => root,
        Err(message) if idl.is_usable() => {
            let at = Span::empty(FileId(idl.offset()), 0);
            return Ok(Err(vec![Diagnostic::error("contract/unknown-definition", message).at(at)]));
        }
        // What the file lacks may be what is wrong with it.
        Err(_) => return Ok(Err(idl.errors())),
    };
    lowered.retain_reachable(root);
    let mut contract = None;
    if idl.is_usable() {
        let (compiled, found) = lowered.compile(&functions);
        idl.add(found);
        contract = compiled;
    }
    let (Some(contract), true) = (contract, idl.is_usable()) else { return Ok(Err(idl.errors())) };
    let name = lowered.name(root).unwrap_or_default();
    let Some(contract) = contract.starting_at(name) else {
        return Err(CommandError::Environment(format!("the rules of `{name}` were lost")));
    };
    let unknown = match options.unknown_fields.unwrap_or_default() {
        UnknownMembers::Refuse => UnknownFields::Refuse,
        UnknownMembers::Ignore => UnknownFields::Ignore,
    };
    let offset = idl.offset();
    let typed = ThriftValueReader { reader: Reader::new(idl.model, unknown), root, functions, rules, offset };
    Ok(Ok(Against { held: LoadedContract::Contract(Box::new(contract), Some(Box::new(typed))) }))
}

/// The boundaries of a Thrift file: what is named behind `#`, its name, which way values go, and whether nobody answers.
pub(super) struct ThriftBoundaries(pub(super) Vec<(String, String, Option<Flow>, bool)>);

/// The functions of a file or a service, or the types of a file without services; none if one type or function is meant.
pub(super) fn boundaries(
    reference: &Reference,
    options: &ThriftOptions,
    sources: &mut SourceMap,
) -> Result<Option<ThriftBoundaries>, CommandError> {
    if reference.file == STANDARD_INPUT {
        return Ok(None);
    }
    let before = sources.len();
    let idl = thrift_idl::read(&input::display_name(&reference.file), &options.idl, sources)?;
    let usable = idl.is_usable();
    sources.truncate(before);
    if !usable {
        return Ok(None);
    }
    let fragment = reference.fragment.as_deref().filter(|name| !name.is_empty());
    let services = idl.model.services.iter().zip((0u32..).map(ServiceId));
    let own: Vec<_> = services
        .filter(|(it, _)| it.file == FileId(0) && fragment.is_none_or(|name| it.name.text == name))
        .collect();
    if own.is_empty() {
        let structs = idl.model.structs.iter();
        let structs: Vec<&str> = structs
            .filter(|it| it.role.is_declared() && it.file == FileId(0))
            .map(|it| it.name.text.as_str())
            .collect();
        if fragment.is_some() || structs.len() < 2 {
            return Ok(None);
        }
        let all = structs.into_iter().map(|name| (name.to_owned(), format!("#{name}"), None, false));
        return Ok(Some(ThriftBoundaries(all.collect())));
    }
    let mut all = Vec::new();
    for (service, id) in own {
        for function in idl.model.functions(id) {
            let name = format!("{}.{}", service.name.text, function.name.text);
            all.push((name.clone(), name.clone(), Some(Flow::In), function.oneway));
            if function.result.is_some() {
                let result = format!("{name}.result");
                all.push((result.clone(), result, Some(Flow::Out), false));
            }
        }
    }
    Ok(Some(ThriftBoundaries(all)))
}

/// The type that a fragment names; without one, the only type there is.
fn root(idl: &Idl, fragment: Option<&str>) -> Result<StructId, String> {
    if let Some(function) = fragment.and_then(|name| name.strip_suffix(".result")) {
        return idl.result(function).ok_or_else(|| idl.unknown_type(function));
    }
    if let Some(name) = fragment.filter(|name| !name.is_empty()) {
        return idl.find(name).ok_or_else(|| idl.unknown_type(name));
    }
    let declared = idl.model.structs.iter().zip((0u32..).map(StructId));
    let mut declared = declared.filter(|(it, _)| it.role.is_declared() && it.file == FileId(0));
    match (declared.next(), declared.next()) {
        (Some((_, id)), None) => Ok(id),
        (None, _) => Err("the file declares no struct, union or exception".to_owned()),
        (Some((it, _)), Some(_)) => {
            Err(format!("the file declares several types; name one of them, as in `#{}`", it.name.text))
        }
    }
}

/// Whether a step is a key that the document may write in another way.
fn is_reckoned(step: &PathStep) -> bool {
    match step {
        PathStep::Entry(key) | PathStep::Key(key) => !matches!(key, Constant::Text(_)),
        PathStep::Name(_) | PathStep::Index(_) | PathStep::Secret => false,
    }
}

impl ThriftValueReader {
    /// Everything that is wrong with a document: first its types, then the rules on them.
    pub(super) fn violations(
        &self,
        contract: &Contract,
        document: &Document,
        limits: CheckLimits,
    ) -> Vec<Violation> {
        let (plain, misfits) =
            self.reader.read_masked(contract, self.root, document.root(), limits.violations);
        let place = |it: &Violation| it.place.map(|place| (place.start, place.end));
        let misplaced: BTreeSet<_> = misfits.iter().map(place).collect();
        let checker = contract.checker().host(&self.functions).limits(limits);
        // What is of the wrong type breaks rules, too, but saying so helps nobody.
        let broken = checker.violations(&plain).into_iter().map(|mut it| {
            if it.path.steps.iter().any(is_reckoned) {
                it.path = plain.as_written(&it.path);
            }
            it
        });
        let mut all: Vec<Violation> =
            misfits.into_iter().chain(broken.filter(|it| !misplaced.contains(&place(it)))).collect();
        for written in all.iter_mut().filter_map(|it| it.written.as_mut()) {
            written.file.0 += self.offset;
        }
        all.sort_by_key(|it| it.place.map_or(0, |place| place.start));
        all.truncate(limits.violations);
        all
    }

    /// Whether the values are answers of a function.
    pub(super) fn is_result(&self) -> bool {
        self.reader.model()[self.root].role == StructRole::Result
    }

    /// The shapes of plain JSON: members are fields and nothing else, and null stands for an absent one.
    pub(super) fn plain_shapes(&self, contract: &Contract) -> (Shape, Definitions) {
        let mut definitions = self.placed(contract);
        self.limit(&mut definitions, UnknownMembers::Refuse);
        (contract.shape().clone(), definitions)
    }

    /// What is said of types, with places in the sources.
    pub(super) fn placed(&self, contract: &Contract) -> Definitions {
        let mut definitions = contract.definitions().clone();
        definitions.values_mut().for_each(|shape| self.move_places(shape));
        definitions
    }

    /// Says what members there may be besides fields, and what null is: in plain values, an absent member.
    pub(super) fn limit(&self, definitions: &mut Definitions, unknown: UnknownMembers) {
        let is_plain = unknown == UnknownMembers::Refuse;
        let alternatives = self.reader.model().structs.iter();
        let alternatives: BTreeSet<&str> = alternatives
            .filter(|it| matches!(it.role, StructRole::Union | StructRole::Result))
            .map(|it| it.name.text.as_str())
            .collect();
        let unions = self.reader.model().structs.iter().filter(|it| it.role == StructRole::Union);
        let unions: BTreeSet<&str> = unions.map(|it| it.name.text.as_str()).collect();
        for (name, shape) in definitions {
            let Form::Object(object) = &mut shape.form else { continue };
            let one = alternatives.contains(&**name);
            object.additional = if is_plain || one { Additional::Closed } else { Additional::Open };
            let names: Vec<Box<str>> = object.properties.iter().map(|it| it.name.as_str().into()).collect();
            for property in object.properties.iter_mut().filter(|_| is_plain) {
                property.shape.nullable |= !property.required && property.requirement.is_none() && !one;
            }
            if one {
                let known: Vec<Operand> = names.iter().map(|name| Operand::from(&**name)).collect();
                let plain = std::mem::replace(shape, Shape::any());
                let mut limited = plain
                    .must(Test::MaxLength(Unit::Properties, 1.into()))
                    // Whoever skips fields that are not known finds nothing in an answer of another exception.
                    .must(Test::Keys(Box::new(Shape::any().must(Test::In(known)))));
                // An answer without anything is none that a reader refuses.
                if !names.is_empty() && unions.contains(&**name) {
                    limited = limited.must(Test::MinLength(Unit::Properties, 1.into()));
                }
                *shape = limited;
            }
        }
    }

    /// Places in a file of the program become places in the sources.
    fn move_places(&self, shape: &mut Shape) {
        let move_one = |place: &mut Option<Span>| {
            if let Some(place) = place {
                place.file.0 += self.offset;
            }
        };
        move_one(&mut shape.place);
        let mut rules: Vec<contract::Rule> = shape.rules.iter().cloned().collect();
        for rule in &mut rules {
            move_one(&mut rule.place);
            if let Test::Elements(part) | Test::Keys(part) | Test::Values(part) = &mut rule.test {
                self.move_places(part);
            }
        }
        shape.rules = rules.into();
        match &mut shape.form {
            Form::Object(object) => {
                for property in &mut object.properties {
                    move_one(&mut property.place);
                    self.move_places(&mut property.shape);
                }
            }
            Form::List(part) | Form::Set(part) => self.move_places(part),
            Form::Map(key, value) => {
                self.move_places(key);
                self.move_places(value);
            }
            Form::All(parts) => parts.iter_mut().for_each(|part| self.move_places(part)),
            _ => {}
        }
    }

    /// Whether a rule could not run since somebody last asked.
    pub(super) fn take_unchecked(&self) -> bool {
        self.functions.take_unchecked()
    }

    /// The places of the secrets in a document.
    pub(super) fn secrets(&self, contract: &Contract, document: &Document) -> Vec<Span> {
        self.reader.secrets(contract, self.root, document.root())
    }
}
