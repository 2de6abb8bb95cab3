//! Where in its program a failed deployment went wrong.

use std::path::Path;
use std::sync::Arc;

use arm::deployment::Deployment;
use arm::{Caseless as _, Value};
use bicep::editor::written_place;
use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::{Columns, Diagnostic, LineIndex, Position, SourceMap, Span, bound};
use engine::Failure;

use super::resource_names::{ResourceNames, program_of, resource_names, resource_names_of};
use super::sources::Sources;
use crate::compile::shortened;
use crate::files;

/// What additional information of an error is called that says where its cause is written.
const SOURCE: &str = "SourceLocation";

/// What additional information of an error is called that has a path in a template.
const VIOLATION: &str = "TemplateViolation";

fn member<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

/// The information of a kind that an error has.
fn info<'f>(failure: &'f Failure, kind: &str) -> Option<&'f Value> {
    let is_it = |info: &&Value| member(info, &["type"]).and_then(Value::as_str) == Some(kind);
    member(failure.additional_info.iter().find(is_it)?, &["info"])
}

/// The place that was noted for an error, as people write it.
pub(crate) fn failure_place(failure: &Failure) -> Option<String> {
    let (file, line, column) = noted_place(failure)?;
    Some(format!("{file}:{line}:{column}"))
}

/// An error of a deployment and those behind it as findings, each at the line that was noted for it.
pub(crate) fn failure_findings(failure: &Failure) -> (SourceMap, Vec<Diagnostic>) {
    let (mut sources, mut findings) = (SourceMap::new(), Vec::new());
    add_findings(failure, &mut sources, &mut findings);
    (sources, findings)
}

/// Errors do not nest deep.
fn add_findings(failure: &Failure, sources: &mut SourceMap, findings: &mut Vec<Diagnostic>) {
    let message = bound::message(&failure.message).into_owned();
    let finding = Diagnostic::error(failure.code.to_string(), message);
    let target = failure.target.as_deref().filter(|target| !target.is_empty());
    let finding = finding.maybe_help(target.map(|target| format!("it is about `{}`", bound::name(target))));
    findings.push(match noted_span(failure, sources) {
        Some(span) => finding.at(span),
        None => finding,
    });
    failure.details.iter().for_each(|detail| add_findings(detail, sources, findings));
}

/// The place that was noted for an error, in a text that becomes a file of the sources.
fn noted_span(failure: &Failure, sources: &mut SourceMap) -> Option<Span> {
    let info = info(failure, SOURCE)?;
    let name = member(info, &["file"])?.as_str()?;
    let number = |name| match member(info, &[name]) {
        Some(Value::Int(number)) => u32::try_from(*number).ok(),
        _ => None,
    };
    let (line, column) = (number("line")?, number("column")?);
    let known = sources.iter().find(|(_, file)| file.name() == name).map(|(id, _)| id);
    let id = match known {
        Some(id) => id,
        None => {
            let bytes = files::read(Path::new(name)).ok()?;
            sources.add(name, String::from_utf8(bytes).ok()?)
        }
    };
    let start = sources.get(id)?.lines().offset(Position { line, column }, Columns::Scalars);
    Some(Span::empty(id, start))
}

/// Notes in an error, and in those behind it, where in the program their causes are written.
pub(crate) fn locate_failure(
    failure: &mut Failure,
    deployment: &Arc<Deployment>,
    sources: &Sources,
    compiler: Option<&Compiler>,
) {
    let Some(compiler) = compiler else { return };
    let names = resource_names(deployment, sources, Some(compiler));
    FailureLocator { names, root: program_of(deployment, sources), compiler }.locate(failure);
}

/// The same for a deployment of a program; there is none if its parameters were refused.
pub(crate) fn locate_in_program(
    failure: &mut Failure,
    deployment: Option<&Arc<Deployment>>,
    program: &FilePath,
    compiler: &Compiler,
) {
    let root = Some(program.clone());
    let names = deployment.map(|it| resource_names_of(it, root.clone(), Some(compiler))).unwrap_or_default();
    FailureLocator { names, root, compiler }.locate(failure);
}

/// The place that was noted for an error: file, line and column.
pub(crate) fn noted_place(failure: &Failure) -> Option<(String, u32, u32)> {
    let info = info(failure, SOURCE)?;
    let number = |name: &str| match member(info, &[name]) {
        Some(Value::Int(number)) => u32::try_from(*number).ok(),
        _ => None,
    };
    let file = member(info, &["file"])?.as_str()?;
    Some((file.to_owned(), number("line")?, number("column")?))
}

struct FailureLocator<'c> {
    names: ResourceNames,
    root: Option<FilePath>,
    compiler: &'c Compiler,
}

impl FailureLocator<'_> {
    /// Errors do not nest deep.
    fn locate(&self, failure: &mut Failure) {
        if let Some(place) = self.place(failure) {
            failure.additional_info.push(Value::object([("type", Value::text(SOURCE)), ("info", place)]));
        }
        failure.details.iter_mut().for_each(|detail| self.locate(detail));
    }

    fn place(&self, failure: &Failure) -> Option<Value> {
        let path = info(failure, VIOLATION).and_then(|info| member(info, &["path"])).and_then(Value::as_str);
        let named = failure.target.as_ref().and_then(|target| self.names.get(&target.caseless()));
        let (program, part) = match (named, path) {
            (Some(named), Some(path)) if path.starts_with("resources") => {
                (named.part.as_ref()?.0.clone(), path)
            }
            // What is wrong inside a module is about the module.
            (Some(named), Some(path)) if named.inside.is_some() => (named.inside.clone()?, path),
            (Some(named), _) => {
                named.part.as_ref().map(|(program, part)| (program.clone(), part.as_str()))?
            }
            (None, Some(path)) => (self.root.clone()?, path),
            (None, None) => return None,
        };
        let (file, span) = written_place(self.compiler, &program, part)?;
        let SourceFile::Bicep(source) = &*self.compiler.file(&file).ok()? else { return None };
        let place = LineIndex::new(source.tree.shared_text()).position(span.start, Columns::Scalars);
        Some(Value::object([
            ("file", Value::text(shortened(&file))),
            ("line", Value::Int(place.line.into())),
            ("column", Value::Int(place.column.into())),
        ]))
    }
}
