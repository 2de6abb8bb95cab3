//! Where in its program a failed deployment went wrong.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arm::deployment::Deployment;
use arm::template::pointer_of_path;
use arm::{Caseless as _, Value};
use bicep::editor::written_place;
use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::{Columns, Diagnostic, LineIndex, Position, SourceMap, Span, bound};
use engine::Failure;

use super::resource_names::{ResourceNames, extension_key, program_of, resource_names, resource_names_of};
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

/// An error of a deployment and those behind it as findings, each at the line that was noted for it.
pub(crate) fn failure_findings(failure: &Failure) -> (SourceMap, Vec<Diagnostic>) {
    let (mut sources, mut findings) = (SourceMap::new(), Vec::new());
    add_findings(failure, None, &mut sources, &mut findings);
    (sources, findings)
}

/// What to do about a resource that does not exist.
const HOW_TO_FIND: &str = "a resource that is not there has to be deployed first; if it is in another place, say so with `scope`; where there is no cloud, \
     `reference` in a `--mocks` file says what it is like";

/// The codes of failures that only have others in them.
const WRAPPERS: [&str; 2] = ["DeploymentFailed", "InvalidTemplateDeployment"];

/// How many values are named that one error is about.
const MOST_PATHS: usize = 8;

/// Errors do not nest deep. What only has others in it is left out, and what repeats the words of the one around it is a place of that one.
fn add_findings(
    failure: &Failure,
    around: Option<Span>,
    sources: &mut SourceMap,
    findings: &mut Vec<Diagnostic>,
) {
    if WRAPPERS.contains(&&*failure.code) && !failure.details.is_empty() {
        let inside = |detail| add_findings(detail, around, sources, findings);
        return failure.details.iter().for_each(inside);
    }
    let repeats = |detail: &&Failure| detail.details.is_empty() && failure.message.contains(&*detail.message);
    let (repeated, others): (Vec<&Failure>, Vec<&Failure>) = failure.details.iter().partition(repeats);
    let message = bound::message(&failure.message).into_owned();
    let mut finding = Diagnostic::error(failure.code.to_string(), message);
    let parts =
        repeated.iter().copied().chain([failure]).filter_map(|it| {
            member(info(it, VIOLATION)?, &["path"])?.as_str().filter(|path| !path.is_empty())
        });
    if let Some(pointer) = parts.filter_map(pointer_of_path).next() {
        finding = finding.pointer(pointer);
    }
    // What has no place of its own is at the place of what it is a part of.
    let own = noted_span(failure, sources).or(around);
    let target = failure.target.as_deref().filter(|target| !target.is_empty());
    // What repeats the words names the value that they are about.
    let named = repeated.iter().filter_map(|detail| detail.target.as_deref());
    let paths: BTreeSet<&str> =
        named.chain(target).filter(|it| !it.is_empty() && !it.starts_with('/')).collect();
    let mut places = own.into_iter().chain(repeated.iter().filter_map(|detail| noted_span(detail, sources)));
    if let Some(primary) = places.next() {
        finding = finding.at(primary);
        // An id is long, and is said below.
        if !paths.is_empty() {
            let names: Vec<_> = paths.iter().take(MOST_PATHS).map(|path| bound::name(path)).collect();
            finding = finding.label(primary, names.join(", "));
        }
        let others = places.filter(|place| *place != primary);
        finding = others.fold(finding, |finding, place| finding.label(place, "declared here"));
    }
    let is_shown =
        |target: &&str| failure.message.contains(target) || own.is_some() && !target.starts_with('/');
    let about = target.filter(|target| !is_shown(target));
    // Without a source line there is no label that would show them.
    let unshown = paths.iter().filter(|path| finding.primary.is_none() && !is_shown(path)).take(MOST_PATHS);
    for name in unshown.copied().chain(about).collect::<BTreeSet<&str>>() {
        finding = finding.help(format!("it is about `{}`", bound::name(name)));
    }
    let is_missing = repeated.iter().chain([&failure]).any(|it| it.code == "ResourceNotFound");
    // What to do is said once.
    let is_said = findings.iter().any(|finding| finding.help.iter().any(|help| &**help == HOW_TO_FIND));
    if is_missing && !is_said {
        finding = finding.help(HOW_TO_FIND);
    }
    findings.push(finding);
    others.into_iter().for_each(|detail| add_findings(detail, own, sources, findings));
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
    let offset =
        |line, column| Some(sources.get(id)?.lines().offset(Position { line, column }, Columns::Scalars));
    let start = offset(line, column)?;
    let end = number("endLine").zip(number("endColumn")).and_then(|(line, column)| offset(line, column));
    Some(Span::new(id, start, end.unwrap_or(start).max(start)))
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
        let named = failure.target.as_ref().and_then(|target| {
            let of_extension = || {
                let (_, name) = target.rsplit_once("/providers/").unwrap_or(("", target));
                self.names.get(&extension_key(name.rsplit_once('/')?.0)).filter(|it| it.part.is_some())
            };
            self.names.get(&target.caseless()).or_else(of_extension)
        });
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
        let lines = LineIndex::new(source.tree.shared_text());
        let start = lines.position(span.start, Columns::Scalars);
        let end = lines.position(span.end, Columns::Scalars);
        Some(Value::object([
            ("file", Value::text(shortened(&file))),
            ("line", Value::Int(start.line.into())),
            ("column", Value::Int(start.column.into())),
            ("endLine", Value::Int(end.line.into())),
            ("endColumn", Value::Int(end.column.into())),
        ]))
    }
}
