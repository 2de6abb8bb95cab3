//! Contracts of any of the languages, and values that are held against them.

use std::sync::Arc;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext};
use arm::template::{ErrorLocation, Template, TemplateError, code};
use bicep::Compiler;
use contract::findings::LocatedViolation;
use contract::{CheckLimits, Contract, MASK, Node, Plain, View, Violation};
use diagnostics::{Columns, Diagnostic, SourceMap, Span};
use document::findings::{Notation, without_words};
use document::{Document, ReadLimits, SourceValue};
use serde::Serialize;
use thrift::model::StructId;
use thrift::plain::{Reader, UnknownFields};
use thrift::rules::{Functions, RuleConfig, lower};

use crate::Project;
use crate::diagnostic::{PlacedDiagnostic, TextPlace};
use crate::project::path_of;
use crate::sources::QuestionSources;

/// A rule that a value breaks, told by the path of the value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedViolation {
    /// Where the value is, as people write it: `$.items[0].name`.
    pub path: String,
    /// The same as a JSON pointer.
    pub pointer: String,
    /// The rule, as its language spells it.
    pub rule: String,
    /// What is wrong: a fragment.
    pub message: String,
    /// The value, as JSON; masked if it is a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What to do about it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Where the rule is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<TextPlace>,
}

impl NamedViolation {
    pub(crate) fn of(violation: &Violation) -> NamedViolation {
        NamedViolation {
            path: violation.path.to_string(),
            pointer: violation.path.pointer(),
            rule: violation.rule.to_string(),
            message: violation.message(),
            found: violation.found.as_deref().map(str::to_owned),
            hint: violation.hint.as_deref().map(str::to_owned),
            written: None,
        }
    }
}

/// What is to be said about a text of values.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// Whether every document of the text keeps the contract.
    pub valid: bool,
    /// What is wrong with it, with places in it and in the contract.
    pub diagnostics: Vec<PlacedDiagnostic>,
}

/// A contract, ready for values.
pub struct CheckedContract {
    held: HeldContract,
    /// The texts of the contract.
    sources: SourceMap,
    columns: Columns,
}

/// The kinds of contracts.
enum HeldContract {
    /// One of the engine's own language, or JSON Schema.
    Plain(Box<Contract>),
    /// A type of a Thrift file.
    Thrift(Box<ThriftType>),
    /// The parameters of a program or template, or one of them.
    Parameters(Box<TemplateParameters>),
}

struct ThriftType {
    contract: Contract,
    reader: Reader,
    root: StructId,
    functions: Functions,
}

struct TemplateParameters {
    template: Arc<Template>,
    only: Option<String>,
    /// The program that it was compiled from, and its compiler.
    compiled: Option<(Compiler, bicep::FilePath)>,
    now: i64,
}

/// How many violations of one value are told.
const MOST: usize = 1000;

/// A reference without and with what stands behind `#`.
pub(crate) fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.rsplit_once('#') {
        Some((file, fragment)) if !fragment.is_empty() => (file, Some(fragment)),
        Some((file, _)) => (file, None),
        None => (reference, None),
    }
}

impl Project {
    /// The contract that a reference names: `FILE.json`, `FILE.yaml#DEFINITION`, `FILE.bicep`, `FILE.bicep#PARAMETER`, `TEMPLATE.json` or
    /// `FILE.thrift#TYPE`. `now` is what functions of the rules take for the time, in seconds since 1970.
    pub fn contract(&self, reference: &str, now: i64) -> Result<CheckedContract, Vec<PlacedDiagnostic>> {
        let (file, fragment) = split(reference);
        let path = path_of(file);
        let extension = path.extension().to_ascii_lowercase();
        match extension.as_str() {
            ".thrift" => self.thrift_contract(file, fragment, now),
            ".bicep" => self.parameters_contract(&path, fragment, now),
            ".json" | ".jsonc" | ".yaml" | ".yml" => {
                let text = self.text(&path)?;
                let notation = if extension.starts_with(".j") { Notation::Json } else { Notation::Yaml };
                if notation == Notation::Json && is_template(&text) {
                    return self.parameters_contract(&path, fragment, now);
                }
                self.plain_contract(&self.shown(&path), text, notation, fragment)
            }
            _ => {
                let message = format!(
                    "`{file}` is no contract: its name ends in none of `.json`, `.yaml`, `.bicep` and `.thrift`"
                );
                Err(vec![PlacedDiagnostic::plain("contract/unknown-definition", message)])
            }
        }
    }

    fn plain_contract(
        &self,
        name: &str,
        text: Arc<str>,
        notation: Notation,
        fragment: Option<&str>,
    ) -> Result<CheckedContract, Vec<PlacedDiagnostic>> {
        let mut sources = SourceMap::new();
        let file = sources.add(name, Arc::clone(&text));
        let columns = self.columns();
        let placed = |sources: &SourceMap, found: &Diagnostic| PlacedDiagnostic::of(found, sources, columns);
        let documents = notation
            .read((&*text).into(), file, &ReadLimits::DEFAULT, None)
            .map_err(|error| vec![placed(&sources, &error)])?;
        let [document] = documents.as_slice() else {
            let message = format!("`{name}` has several documents; a contract is one");
            return Err(vec![PlacedDiagnostic::plain("contract/bad-keyword", message)]);
        };
        let root = document.root();
        let start = match fragment {
            None => root,
            Some(fragment) => definition(root, fragment).ok_or_else(|| {
                let message = format!("`#{fragment}` leads nowhere in the contract");
                vec![PlacedDiagnostic::plain("contract/unknown-definition", message)]
            })?,
        };
        match Contract::from_json_at(root, start, &Plain) {
            Ok(contract) => {
                Ok(CheckedContract { held: HeldContract::Plain(Box::new(contract)), sources, columns })
            }
            Err(flaws) => {
                let found = flaws.into_iter().map(|flaw| {
                    let mut diagnostic = Diagnostic::error(flaw.code.name(), flaw.message);
                    diagnostic.primary = flaw.place;
                    diagnostic.help.extend(flaw.hint.map(Into::into));
                    placed(&sources, &diagnostic)
                });
                Err(found.collect())
            }
        }
    }

    fn thrift_contract(
        &self,
        file: &str,
        fragment: Option<&str>,
        now: i64,
    ) -> Result<CheckedContract, Vec<PlacedDiagnostic>> {
        let mut idl = self.idl(file)?;
        let functions = Functions::at(now.saturating_mul(1_000_000_000));
        let (mut lowered, more) = lower(&idl.model, &RuleConfig::default(), &functions);
        idl.found.extend(more);
        let columns = self.columns();
        let errors = |found: &[Diagnostic], sources: &SourceMap| -> Vec<PlacedDiagnostic> {
            let errors = found.iter().filter(|it| it.is_error());
            errors.map(|it| PlacedDiagnostic::of(it, sources, columns)).collect()
        };
        let wrong = errors(&idl.found, &idl.sources);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let unknown = |message: String| vec![PlacedDiagnostic::plain("contract/unknown-definition", message)];
        let root = idl.find(fragment).map_err(unknown)?;
        lowered.retain_reachable(root);
        let (contract, more) = lowered.compile(&functions);
        let name = lowered.name(root).unwrap_or_default();
        let contract = match contract.and_then(|contract| contract.starting_at(name)) {
            Some(contract) => contract,
            None => return Err(errors(&more, &idl.sources)),
        };
        let reader = Reader::new(idl.model, UnknownFields::Refuse);
        let held = HeldContract::Thrift(Box::new(ThriftType { contract, reader, root, functions }));
        Ok(CheckedContract { held, sources: idl.sources, columns })
    }

    fn parameters_contract(
        &self,
        path: &bicep::FilePath,
        fragment: Option<&str>,
        now: i64,
    ) -> Result<CheckedContract, Vec<PlacedDiagnostic>> {
        let mut sources = QuestionSources::new(self, self.compiler());
        let (template, _) = self.template(path, self.compiler(), &mut sources)?;
        let only = fragment.map(|name| name.strip_prefix("/parameters/").unwrap_or(name));
        if let Some(name) = only.filter(|name| template.parameters.get(name).is_none()) {
            let names = template.parameters.iter().map(|parameter| parameter.name.as_str());
            let message = format!("`#{name}` is not a parameter");
            let near = diagnostics::suggest(name, names).map(|near| format!("did you mean `#{near}`?"));
            let found = PlacedDiagnostic::plain("contract/unknown-definition", message);
            return Err(vec![PlacedDiagnostic { hint: near, ..found }]);
        }
        let is_program = path.extension().eq_ignore_ascii_case(".bicep");
        let compiled = is_program.then(|| (self.compiler().fork(), path.clone()));
        let only = only.map(str::to_owned);
        let mut sources = SourceMap::new();
        sources.add(self.shown(path), self.text(path)?);
        let held = HeldContract::Parameters(Box::new(TemplateParameters { template, only, compiled, now }));
        Ok(CheckedContract { held, sources, columns: self.columns() })
    }
}

/// Whether a text names the schema of templates.
fn is_template(text: &str) -> bool {
    const SCHEMA: &str = "deploymenttemplate.json";
    match Document::from_json(text, diagnostics::FileId::FIRST, &ReadLimits::DEFAULT) {
        Ok(document) => {
            let schema = document.root().member("$schema").and_then(SourceValue::as_str);
            schema.is_some_and(|schema| schema.to_ascii_lowercase().contains(SCHEMA))
        }
        // Templates may have comments and the like.
        Err(_) => text.to_ascii_lowercase().contains(SCHEMA),
    }
}

/// The part of a contract that a fragment names: a JSON pointer, or the name of a definition.
fn definition<'d>(root: SourceValue<'d>, fragment: &str) -> Option<SourceValue<'d>> {
    if fragment.starts_with('/') {
        return root.pointer(fragment);
    }
    let of_openapi = || root.member("components")?.member("schemas")?.member(fragment);
    ["$defs", "definitions"].iter().find_map(|shelf| root.member(shelf)?.member(fragment)).or_else(of_openapi)
}

impl CheckedContract {
    /// Whether a value keeps the contract. Nothing of it is copied, unless it is for parameters of a template, which are bound.
    pub fn is_valid<'v, V: View<'v>>(&self, value: V) -> bool {
        match &self.held {
            HeldContract::Plain(contract) => contract.is_valid(value),
            HeldContract::Thrift(_) | HeldContract::Parameters(_) => self.violations(value, 1).is_empty(),
        }
    }

    /// The rules that a value breaks, at most so many, in the order of the value.
    pub fn violations<'v, V: View<'v>>(&self, value: V, most: usize) -> Vec<NamedViolation> {
        let limits = CheckLimits { violations: most.max(1), ..CheckLimits::default() };
        let found = match &self.held {
            HeldContract::Plain(contract) => contract.checker().limits(limits).violations(value),
            HeldContract::Thrift(typed) => typed.violations(value, limits),
            HeldContract::Parameters(parameters) => {
                let errors = parameters.errors_of(value);
                return errors.iter().take(limits.violations).map(|error| self.of_parameter(error)).collect();
            }
        };
        let named = found
            .iter()
            .map(|it| NamedViolation { written: self.written(it.written), ..NamedViolation::of(it) });
        named.collect()
    }

    /// Holds a text of values against the contract: JSON, or YAML of one or several documents.
    pub fn check(&self, name: &str, text: &str) -> CheckResult {
        let mut sources = self.sources.clone();
        let file = sources.add(name, text);
        let placed = |sources: &SourceMap, it: &Diagnostic| PlacedDiagnostic::of(it, sources, self.columns);
        let documents = match Notation::read_either(text, file, &ReadLimits::DEFAULT, None) {
            Ok(documents) => documents,
            Err(error) => {
                let error = if self.has_secrets() { without_words(*error) } else { *error };
                return CheckResult { valid: false, diagnostics: vec![placed(&sources, &error)] };
            }
        };
        let documents: Vec<Arc<Document>> = documents.into_iter().map(Arc::new).collect();
        let several = documents.len() > 1;
        let limits = CheckLimits { violations: MOST, ..CheckLimits::default() };
        let mut all = Vec::new();
        for (index, document) in documents.iter().enumerate() {
            let root = document.root();
            let (violations, secrets) = match &self.held {
                HeldContract::Plain(contract) => {
                    (contract.checker().limits(limits).violations(root), contract.secrets(root))
                }
                HeldContract::Thrift(typed) => {
                    (typed.violations(root, limits), typed.reader.secrets(&typed.contract, typed.root, root))
                }
                HeldContract::Parameters(parameters) => {
                    let errors = parameters.errors_in(document);
                    all.extend(errors.iter().take(MOST).map(|it| self.placed_error(it, document, &sources)));
                    continue;
                }
            };
            sources.hide(secrets);
            let found = violations.into_iter().map(|it| LocatedViolation::new(index, root, it));
            all.extend(found.map(|it| placed(&sources, &it.diagnostic(&sources, several))));
        }
        CheckResult { valid: all.is_empty(), diagnostics: all }
    }

    /// Whether any value is a secret.
    pub fn has_secrets(&self) -> bool {
        match &self.held {
            HeldContract::Plain(contract) => contract.has_secrets(),
            HeldContract::Thrift(typed) => typed.contract.has_secrets(),
            HeldContract::Parameters(it) => {
                it.template.parameters.iter().any(|parameter| it.template.has_secrets(&parameter.ty))
            }
        }
    }

    fn written(&self, span: Option<Span>) -> Option<TextPlace> {
        let span = span?;
        let source = self.sources.get(span.file)?;
        Some(TextPlace::of(source.name(), source, span, self.columns))
    }

    fn of_parameter(&self, error: &TemplateError) -> NamedViolation {
        let path = error.target.as_deref().unwrap_or_default();
        let is_secret = self.has_secrets();
        NamedViolation {
            path: path.to_owned(),
            pointer: String::new(),
            rule: error.code.to_string(),
            message: error.message.fragment().to_owned(),
            found: is_secret.then(|| MASK.to_owned()),
            hint: error.hint.as_deref().map(str::to_owned),
            written: error.rule.as_deref().and_then(|rule| self.rule_place(rule)),
        }
    }

    /// Where a rule of a parameter is written.
    fn rule_place(&self, rule: &ErrorLocation) -> Option<TextPlace> {
        let HeldContract::Parameters(parameters) = &self.held else { return None };
        let file = diagnostics::FileId::FIRST;
        let span = match &parameters.compiled {
            None => Span::new(file, rule.span.start, rule.span.end),
            Some((compiler, path)) => {
                let written = compiler.origin(path, &rule.path)?;
                Span::new(file, written.start, written.end)
            }
        };
        let source = self.sources.get(file)?;
        Some(TextPlace::of(source.name(), source, span, self.columns))
    }

    fn placed_error(
        &self,
        error: &TemplateError,
        document: &Document,
        sources: &SourceMap,
    ) -> PlacedDiagnostic {
        let message = error.message.fragment().to_owned();
        let own = error.at.as_deref().filter(|at| at.span.file == document.file());
        let mut found = Diagnostic::error(error.code.to_string(), message);
        found.primary = Some(own.map_or_else(|| Span::empty(document.file(), 0), |at| at.span));
        found.help.extend(error.hint.as_deref().map(|hint| hint.to_owned().into()));
        let elsewhere = error.at.as_deref().filter(|_| own.is_none());
        let rule = error.rule.as_deref().or(elsewhere).and_then(|rule| self.rule_place(rule));
        PlacedDiagnostic { rule, ..PlacedDiagnostic::of(&found, sources, self.columns) }
    }
}

impl ThriftType {
    /// Everything that is wrong with a value: first its types, then the rules on them.
    fn violations<'v, V: View<'v>>(&self, value: V, limits: CheckLimits) -> Vec<Violation> {
        let (plain, misfits) = self.reader.read_masked(&self.contract, self.root, value, limits.violations);
        let checker = self.contract.checker().host(&self.functions).limits(limits);
        let mut all = misfits;
        // What is of the wrong type breaks rules, too, but saying so helps nobody.
        let misplaced: Vec<String> = all.iter().map(|it| it.path.pointer()).collect();
        let broken = checker.violations(&plain).into_iter();
        all.extend(broken.filter(|it| !misplaced.contains(&it.path.pointer())).map(|mut it| {
            it.path = plain.as_written(&it.path);
            it
        }));
        all.truncate(limits.violations);
        all
    }
}

impl TemplateParameters {
    fn errors_in(&self, document: &Arc<Document>) -> Vec<TemplateError> {
        let root = document.root();
        let inputs = match &self.only {
            None => Inputs::from_handwritten(Arc::clone(document), root.id()),
            Some(name) => Value::from_view(root).map_err(|error| vec![too_deep(&error)]).map(|value| {
                let mut inputs = Inputs::default();
                inputs.set_written(name, value, Arc::clone(document));
                inputs
            }),
        };
        let is_here = |error: &TemplateError| {
            self.is_meant(error) || error.at.as_ref().is_some_and(|at| at.span.file == document.file())
        };
        inputs
            .and_then(|inputs| self.bind(&inputs))
            .err()
            .unwrap_or_default()
            .into_iter()
            .filter(is_here)
            .collect()
    }

    fn errors_of<'v, V: View<'v>>(&self, value: V) -> Vec<TemplateError> {
        let mut inputs = Inputs::default();
        let mut set = |name: &str, value: V| match Value::from_view(value) {
            Ok(value) => {
                inputs.set(name, value);
                None
            }
            Err(error) => Some(too_deep(&error)),
        };
        let failed = match (&self.only, value.node()) {
            (Some(name), _) => set(name, value),
            (None, Node::Object(_)) => value.members().find_map(|(key, value)| match key.node() {
                Node::Text(name) => set(name, value),
                _ => Some(TemplateError::new(
                    code::INVALID_REQUEST_CONTENT,
                    "a name of a parameter is no text",
                )),
            }),
            (None, _) => {
                let message = "the values are no object of parameters by name";
                Some(TemplateError::new(code::INVALID_REQUEST_CONTENT, message))
            }
        };
        if let Some(error) = failed {
            return vec![error];
        }
        self.bind(&inputs)
            .err()
            .unwrap_or_default()
            .into_iter()
            .filter(|error| self.is_meant(error))
            .collect()
    }

    fn bind(&self, inputs: &Inputs) -> Result<(), Vec<TemplateError>> {
        let scope = DeploymentContext::local_scope(self.template.scope);
        let mut context = DeploymentContext::local(scope, "check");
        context.now = arm::evaluate::Moment { seconds: self.now, ticks: 0 };
        Deployment::with_inputs(Arc::clone(&self.template), inputs, context, &|_: &_| None).map(drop)
    }

    /// With one parameter alone, what the others lack does not matter.
    fn is_meant(&self, error: &TemplateError) -> bool {
        let Some(only) = &self.only else { return true };
        let target = error.target.as_deref().and_then(|target| target.get(..only.len()));
        let declared = format!("parameters.{only}");
        let here = error.at.as_ref().is_some_and(|at| at.path.eq_ignore_ascii_case(&declared));
        here || target.is_some_and(|target| target.eq_ignore_ascii_case(only))
    }
}

fn too_deep(error: &impl std::fmt::Display) -> TemplateError {
    TemplateError::new(code::INVALID_REQUEST_CONTENT, error.to_string())
}
