//! The parameters of a Bicep program or a template as a contract: values are bound to them as a deployment would do it.
//!
//! A document is an object of values, or a parameters file; with `#NAME` it is the value of one parameter.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext};
use arm::template::{ErrorLocation, Template, TemplateError, code};
use bicep::files::SourceFile;
use bicep::{Compiler, Dialect, FilePath};
use comparison::{ChangeStep, Flow};
use contract::{
    AnyView, Argument, Constant, Contract, Custom, Definitions, Form, Host, MASK, PathStep, Shape, Signature,
    Tested, Violation,
};
use diagnostics::{Diagnostic, FileId, SourceMap, Span, suggest};
use document::{Document, SourceValue};

use super::{Against, ContractSource, Loaded, LoadedContract, Reference, ThriftOptions};
use crate::clock::now;
use crate::compile::{CompileOptions, SourceFilter, check_name, diagnostic, disk, shortened};
use crate::exit::CommandError;
use crate::input::{self, Input, STANDARD_INPUT};

/// The limits of templates.
const LIMITS: arm::template::TemplateLimits = arm::template::TemplateLimits::DEFAULT;

/// Which values of a program are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProgramPart {
    /// Those of its parameters.
    Parameters,
    /// Those of its outputs.
    Outputs,
    /// That of one output.
    Output(String),
}

/// A template that values are bound to.
pub(super) struct TemplateContract {
    template: Arc<Template>,
    /// The only parameter that is meant.
    only: Option<String>,
    part: ProgramPart,
    /// The contract of outputs, if they are meant.
    outputs: Option<Arc<Contract>>,
    compiled: Option<Arc<TemplateSource>>,
}

/// Where a template comes from.
struct TemplateSource {
    compiler: ManuallyDrop<Compiler>,
    path: FilePath,
    /// The number of its text in the sources.
    file: FileId,
}

/// Compiles a Bicep file.
pub(super) fn load_program(
    reference: &Reference,
    _: &ThriftOptions,
    sources: &mut SourceMap,
) -> Result<Loaded, CommandError> {
    if reference.file == STANDARD_INPUT {
        return Err(CommandError::Usage("a Bicep file is read from disk, with what it refers to".to_owned()));
    }
    let named = Path::new(&reference.file);
    check_name(named, SourceFilter::Program)?;
    let shown = input::display_name(&reference.file);
    File::open(named).map_err(|error| CommandError::reading(&format!("`{shown}`"), &error))?;
    let compiler = CompileOptions::plain().compiler(Vec::new(), Dialect::default())?;
    let path = disk::file_path(named);
    let compilation = compiler.compile(&path);
    let mut errors = Vec::new();
    let mut own = None;
    for (found_in, findings) in &compilation.findings {
        if !findings.iter().any(bicep::Finding::is_error) {
            continue;
        }
        let file = add(sources, &compiler, found_in);
        let wrong = findings.iter().filter(|finding| finding.is_error());
        errors.extend(wrong.map(|finding| diagnostic(file, finding)));
        if *found_in == path {
            own = Some(file);
        }
    }
    let (Some(text), true) = (compilation.template, errors.is_empty()) else { return Ok(Err(errors)) };
    let file = own.unwrap_or_else(|| add(sources, &compiler, &path));
    // Places in the compiled text are not shown: nobody wrote it.
    let template = match Template::read_file(&*text, FileId::NONE, &LIMITS) {
        Ok(template) => Arc::new(template),
        Err(errors) => {
            let at = Span::empty(file, 0);
            return Ok(Err(errors.iter().map(|error| template_error(error).at(at)).collect()));
        }
    };
    let compiled = TemplateSource { compiler, path, file };
    hide_defaults(&template, &compiled, sources);
    Ok(program(template, reference.fragment.as_deref(), Some(compiled), Span::empty(file, 0)))
}

/// Adds the text of a Bicep file to the sources.
fn add(sources: &mut SourceMap, compiler: &Compiler, path: &FilePath) -> FileId {
    let text: Arc<str> = match compiler.file(path).as_deref() {
        Ok(SourceFile::Bicep(file)) => file.tree.shared_text(),
        Ok(SourceFile::Template(_)) | Err(_) => "".into(),
    };
    sources.add(shortened(path), text)
}

/// Keeps the default values of secure parameters from being shown.
fn hide_defaults(template: &Template, compiled: &TemplateSource, sources: &mut SourceMap) {
    for parameter in template.parameters.iter().filter(|parameter| template.has_secrets(&parameter.ty)) {
        let part = format!("parameters.{}", parameter.name);
        let Some(line) = compiled.compiler.origin(&compiled.path, &part) else { continue };
        let text = sources.slice(Span::new(compiled.file, line.start, line.end)).unwrap_or_default();
        if let Some(value) = text.find('=').and_then(|at| u32::try_from(at + 1).ok()) {
            sources.hide([Span::new(compiled.file, line.start + value, line.end)]);
        }
    }
}

/// Reads a template, if the text is one.
pub(super) fn load_template(given: &ContractSource<'_>) -> Option<Loaded> {
    let text = given.input.text()?;
    let documents = given.input.documents(given.format, given.file, given.limits, None);
    if !is_template(given.input, documents.as_ref().map(Vec::as_slice).map_err(|finding| &**finding)) {
        return None;
    }
    Some(match Template::read_file(text, given.file, &LIMITS) {
        Ok(template) => program(Arc::new(template), given.fragment, None, Span::empty(given.file, 0)),
        Err(errors) => Err(errors.iter().map(template_error).collect()),
    })
}

/// Whether a text is a template, by the schema that it names.
pub(crate) fn is_template(input: &Input, documents: Result<&[Document], &Diagnostic>) -> bool {
    const SCHEMA: &str = "deploymenttemplate.json";
    let names_it = |text: &str| text.to_ascii_lowercase().contains(SCHEMA);
    match documents {
        Ok([document]) => {
            document.root().member("$schema").and_then(SourceValue::as_str).is_some_and(names_it)
        }
        Ok(_) => false,
        // Templates may have comments and the like; whether the rest is right, their reader says.
        Err(_) => input.text().is_some_and(names_it),
    }
}

fn program(
    template: Arc<Template>,
    fragment: Option<&str>,
    compiled: Option<TemplateSource>,
    start: Span,
) -> Loaded {
    let (part, fragment) = match fragment {
        Some("/outputs") => (ProgramPart::Outputs, None),
        Some("/parameters") => (ProgramPart::Parameters, None),
        Some(text) => match (text.strip_prefix("/outputs/"), text.strip_prefix("/parameters/")) {
            (Some(name), _) => (ProgramPart::Output(name.to_owned()), None),
            (None, name) => (ProgramPart::Parameters, Some(name.unwrap_or(text))),
        },
        None => (ProgramPart::Parameters, None),
    };
    if let ProgramPart::Output(name) = &part
        && template.outputs.get(name).is_none()
    {
        let message = format!("`#/outputs/{name}` is not an output");
        return Err(vec![Diagnostic::error("contract/unknown-definition", message).at(start)]);
    }
    let only = fragment.filter(|name| !name.is_empty());
    let known = |name: &str| template.parameters.get(name).is_some();
    if let Some(name) = only.filter(|name| !known(name)) {
        let names: Vec<&str> = template.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let message = format!("`#{name}` is not a parameter");
        let unknown = Diagnostic::error("contract/unknown-definition", message).at(start);
        return Err(vec![match suggest(name, names.iter().copied()) {
            Some(near) => unknown.help(format!("did you mean `#{near}`?")),
            None if names.is_empty() => unknown.help("there are no parameters"),
            None => unknown.help(format!("the parameters are `{}`", names.join("`, `"))),
        }]);
    }
    let only = only.map(str::to_owned);
    let compiled = compiled.map(Arc::new);
    let whole = TemplateContract { template, only, part: ProgramPart::Parameters, outputs: None, compiled };
    Ok(Against { held: LoadedContract::Program(Box::new(whole.part(part))) })
}

/// What is wrong with a template or its parameters, as a finding.
pub(crate) fn template_error(error: &TemplateError) -> Diagnostic {
    let found = Diagnostic::error(error.code.to_string(), error.message.fragment().to_owned());
    match &error.at {
        Some(at) => found.at(at.span),
        None => found,
    }
}

impl TemplateContract {
    /// The same program with other values meant.
    pub(super) fn part(&self, part: ProgramPart) -> TemplateContract {
        let outputs = match part {
            ProgramPart::Parameters => None,
            ProgramPart::Outputs | ProgramPart::Output(_) => {
                let (shape, definitions) = (self.shape_of(&part), self.definitions());
                Contract::compile_for(&shape, &definitions, &NoValidators).ok().map(Arc::new)
            }
        };
        let (template, compiled) = (Arc::clone(&self.template), self.compiled.clone());
        TemplateContract { template, only: self.only.clone(), part, outputs, compiled }
    }

    /// Whether nothing was named beside the program.
    pub(super) fn is_whole(&self) -> bool {
        self.only.is_none() && self.part == ProgramPart::Parameters
    }

    /// The name of the boundary, and which way values go there.
    pub(super) fn boundary(&self) -> (&'static str, Option<Flow>) {
        match (&self.part, &self.only) {
            (ProgramPart::Parameters, None) => ("parameters", Some(Flow::In)),
            (ProgramPart::Parameters, Some(_)) => ("value", None),
            (ProgramPart::Outputs, _) => ("outputs", Some(Flow::Out)),
            (ProgramPart::Output(_), _) => ("value", Some(Flow::Out)),
        }
    }

    fn definitions(&self) -> Definitions {
        self.template.type_definitions().cloned().unwrap_or_default()
    }

    fn shape_of(&self, part: &ProgramPart) -> Shape {
        let whole = match part {
            ProgramPart::Parameters => self.template.parameters_shape(),
            ProgramPart::Outputs | ProgramPart::Output(_) => self.template.outputs_shape(),
        };
        let only = match part {
            ProgramPart::Output(name) => Some(name),
            ProgramPart::Parameters => self.only.as_ref(),
            ProgramPart::Outputs => None,
        };
        let (Some(only), Form::Object(object)) = (only, &whole.form) else { return whole };
        let found = object.properties.iter().find(|it| it.name.eq_ignore_ascii_case(only));
        found.map_or(whole.clone(), |it| it.shape.clone())
    }

    /// What is said of values, whether names ignore case, and what members are called.
    pub(super) fn said(&self) -> (Shape, Definitions, bool, &'static str) {
        let noun = match (&self.part, &self.only) {
            (ProgramPart::Parameters, None) => "parameter",
            (ProgramPart::Outputs, _) => "output",
            _ => "property",
        };
        (self.shape_of(&self.part), self.definitions(), true, noun)
    }

    /// What a validator says.
    pub(super) fn validator_text(&self, rule: &contract::Rule) -> Option<String> {
        self.template.validator_text(rule)
    }

    /// The declaration that speaks of a part of values, if a place in a compiled text says so.
    pub(super) fn locate(&self, place: Option<Span>, path: &[ChangeStep]) -> Option<Span> {
        let Some(TemplateSource { compiler, path: file_path, file }) = self.compiled.as_deref() else {
            return place;
        };
        let (section, only) = match &self.part {
            ProgramPart::Parameters => ("parameters", self.only.as_ref()),
            ProgramPart::Outputs => ("outputs", None),
            ProgramPart::Output(name) => ("outputs", Some(name)),
        };
        let name = match (only, path.first()) {
            (Some(name), _) => name.as_str(),
            (None, Some(ChangeStep::Member(name))) => name,
            (None, _) => return None,
        };
        let mut names = match section {
            "parameters" => self.template.parameters.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
            _ => self.template.outputs.iter().map(|it| it.name.as_str()).collect(),
        }
        .into_iter();
        let declared = names.find(|known| known.eq_ignore_ascii_case(name))?;
        let origin = compiler.origin(file_path, &format!("{section}.{declared}"))?;
        Some(Span::new(*file, origin.start, origin.end))
    }

    /// Whether any value is a secret.
    pub(super) fn has_secrets(&self) -> bool {
        self.template.parameters.iter().any(|parameter| self.template.has_secrets(&parameter.ty))
    }

    /// Everything that a deployment would say of the values in a document.
    pub(super) fn violations(&self, document: &Arc<Document>, most: usize) -> Vec<Violation> {
        if self.part != ProgramPart::Parameters {
            let limits = contract::CheckLimits { violations: most, ..contract::CheckLimits::default() };
            return match &self.outputs {
                Some(contract) => contract.checker().limits(limits).violations(document.root()),
                None => vec![Violation::stated(
                    contract::Path::default(),
                    "InvalidTemplate",
                    "the types of the outputs cannot be used",
                )],
            };
        }
        let errors = match self.inputs(document) {
            Ok(inputs) => {
                let scope = DeploymentContext::local_scope(self.template.scope);
                let context = DeploymentContext { now: now(), ..DeploymentContext::local(scope, "check") };
                let bound =
                    Deployment::with_inputs(Arc::clone(&self.template), &inputs, context, &|_: &_| None);
                bound.err().unwrap_or_default()
            }
            Err(errors) => errors,
        };
        let meant = errors.iter().filter(|error| self.is_meant(error, document));
        meant.take(most).map(|error| self.violation(error, document)).collect()
    }

    /// The places of the secrets in a document.
    pub(super) fn secrets(&self, document: &Arc<Document>) -> Vec<Span> {
        let Ok(inputs) = self.inputs(document) else {
            // What cannot be read cannot be told apart: any part of it may be the secret.
            let root = document.root();
            let is_hidden = arm::binding::may_hold_secrets(root) || self.has_secrets();
            return if is_hidden { vec![root.place()] } else { Vec::new() };
        };
        inputs.secret_places(&self.template).into_iter().map(|place| place.span).collect()
    }

    fn inputs(&self, document: &Arc<Document>) -> Result<Inputs, Vec<TemplateError>> {
        let root = document.root();
        let Some(name) = &self.only else { return Inputs::from_handwritten(Arc::clone(document), root.id()) };
        let mut inputs = Inputs::default();
        let value = Value::from_view(root)
            .map_err(|error| vec![TemplateError::new(code::INVALID_REQUEST_CONTENT, error.to_string())])?;
        inputs.set_written(name, value, Arc::clone(document));
        Ok(inputs)
    }

    /// With one parameter alone, what the others lack does not matter.
    fn is_meant(&self, error: &TemplateError, document: &Document) -> bool {
        let Some(only) = &self.only else { return true };
        let here = error.at.as_ref().is_some_and(|at| at.span.file == document.file());
        let target = error.target.as_deref().and_then(|target| target.get(..only.len()));
        // Null is no value, so that a parameter which needs one is said to have none, where it is declared.
        let declared = format!("parameters.{only}");
        let here = here || error.at.as_ref().is_some_and(|at| at.path.eq_ignore_ascii_case(&declared));
        here || target.is_some_and(|target| target.eq_ignore_ascii_case(only))
    }

    fn violation(&self, error: &TemplateError, document: &Document) -> Violation {
        let own = document.file();
        let at = error.at.as_ref().filter(|at| at.span.file == own);
        let elsewhere = error.at.as_ref().filter(|at| at.span.file != own);
        let rule = error.rule.as_ref().or(elsewhere).and_then(|rule| self.rule(rule));
        let name = error.target.as_deref().map(|target| target.split(['.', '[']).next().unwrap_or(target));
        let declared = name.and_then(|name| self.template.parameters.get(name));
        let secret = declared.is_some_and(|parameter| self.template.has_secrets(&parameter.ty));
        let message = match error.target.as_deref() {
            // What stands elsewhere, such as a default value, is told by its name.
            Some(target) if at.is_none() => format!("{target}: {}", error.message.fragment()),
            Some(_) | None => error.message.fragment().to_owned(),
        };
        let path = contract::Path { steps: at.map(|at| steps(document, at)).unwrap_or_default() };
        Violation {
            rule: error.code.as_ref().into(),
            found: secret.then(|| MASK.into()),
            hint: error.hint.as_deref().map(Into::into),
            place: at.map(|at| at.span).or_else(|| self.only.as_ref().map(|_| document.root().place())),
            written: rule,
            ..Violation::stated(path, static_code(&error.code), message)
        }
    }

    /// Where a rule is written, as people see it.
    fn rule(&self, rule: &ErrorLocation) -> Option<Span> {
        match self.compiled.as_deref() {
            None => Some(rule.span),
            Some(TemplateSource { compiler, path, file }) => {
                let origin = compiler.origin(path, &rule.path)?;
                Some(Span::new(*file, origin.start, origin.end))
            }
        }
    }
}

/// A host that runs no validators: what outputs are is said by their types.
struct NoValidators;

impl Host for NoValidators {
    fn signature(&self, _: &str) -> Option<Signature> {
        None
    }

    fn call(&self, function: &str, _: &[Argument<'_>]) -> Result<Constant, String> {
        Err(format!("there is no function `{function}`"))
    }

    fn test(&self, _: &Custom, _: &dyn AnyView, _: &[Argument<'_>]) -> Tested {
        Tested::Holds
    }
}

/// The codes of errors that values can have.
fn static_code(code: &str) -> &'static str {
    let known = [code::TEMPLATE_VALIDATION, code::INVALID_REQUEST_CONTENT, code::EXTERNAL_INPUT_MISSING];
    known.into_iter().find(|known| *known == code).unwrap_or(code::INVALID_TEMPLATE)
}

/// The way from the root of a document to a place in it.
fn steps(document: &Document, at: &ErrorLocation) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let mut here = document.root();
    let holds = |value: SourceValue<'_>| {
        let place = value.place();
        place.start <= at.span.start && at.span.end <= place.end
    };
    loop {
        let place = here.place();
        if (place.start, place.end) == (at.span.start, at.span.end) {
            return steps;
        }
        let member = here.members().find(|(_, value)| holds(*value));
        let item = here.items().enumerate().find(|(_, value)| holds(*value));
        here = match (member, item) {
            (Some((key, value)), _) => {
                let Some(name) = key.as_str() else { return steps };
                steps.push(PathStep::Name(name.into()));
                value
            }
            (None, Some((index, value))) => {
                steps.push(PathStep::Index(index));
                value
            }
            (None, None) => return steps,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_leads_back_to_its_path() {
        let text = r#"{"a": [1, {"b": 22}]}"#;
        let document = Document::from_json(text, FileId::FIRST, &document::ReadLimits::DEFAULT).ok();
        let document = document.as_ref();
        let place = ErrorLocation {
            span: Span::new(FileId::FIRST, 16, 18),
            line: 1,
            column: 17,
            path: String::new(),
        };
        let found = document.map(|document| contract::Path { steps: steps(document, &place) }.pointer());
        assert_eq!(found.as_deref(), Some("/a/1/b"));
    }
}
