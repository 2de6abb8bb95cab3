//! The texts that errors of templates point into, and the way back from a compiled template to its program.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::template::{ErrorLocation, TemplateError};
use bicep::editor::written_place;
use bicep::{Compiler, FilePath};
use diagnostics::{Diagnostic, FileId, SourceMap, Span};

use crate::Project;
use crate::diagnostic::PlacedDiagnostic;
use crate::project::text_of;

/// The texts of one question.
pub(crate) struct QuestionSources<'p> {
    project: &'p Project,
    compiler: &'p Compiler,
    pub(crate) map: SourceMap,
    /// The texts that were compiled, and from what.
    compiled: BTreeMap<FileId, FilePath>,
    programs: BTreeMap<FilePath, FileId>,
}

impl<'p> QuestionSources<'p> {
    pub(crate) fn new(project: &'p Project, compiler: &'p Compiler) -> QuestionSources<'p> {
        let (map, compiled, programs) = (SourceMap::new(), BTreeMap::new(), BTreeMap::new());
        QuestionSources { project, compiler, map, compiled, programs }
    }

    /// The number of a text that people wrote.
    pub(crate) fn add(&mut self, name: &str, text: impl Into<Arc<str>>) -> FileId {
        self.map.add(name, text)
    }

    /// The number of a text that was compiled from a program.
    pub(crate) fn add_compiled(&mut self, path: &FilePath, text: Arc<str>) -> FileId {
        let file = self.map.add(format!("{} (compiled)", self.project.shown(path)), text);
        self.compiled.insert(file, path.clone());
        file
    }

    /// Errors as they are shown, where people wrote what is wrong.
    pub(crate) fn diagnostics(&mut self, errors: &[TemplateError]) -> Vec<PlacedDiagnostic> {
        let mut all = Vec::new();
        // INVARIANT: errors behind errors are as deep as deployments are nested.
        for error in errors {
            if error.details.is_empty() {
                all.push(self.diagnostic(error));
            } else {
                all.extend(self.diagnostics(&error.details));
            }
        }
        all
    }

    fn diagnostic(&mut self, error: &TemplateError) -> PlacedDiagnostic {
        let mut found = Diagnostic::error(error.code.to_string(), error.message.fragment().to_owned());
        found.primary = error.at.as_deref().map(|at| self.span(at));
        found.rule = error.rule.as_deref().map(|rule| self.span(rule));
        found.help.extend(error.hint.as_deref().map(|hint| hint.to_owned().into()));
        PlacedDiagnostic::of(&found, &self.map, self.project.columns())
    }

    fn span(&mut self, location: &ErrorLocation) -> Span {
        let program = self.compiled.get(&location.span.file).cloned();
        let written = program.and_then(|path| {
            let (path, span) = written_place(self.compiler, &path, &location.path)?;
            let file = match self.programs.get(&path) {
                Some(file) => *file,
                None => {
                    let text = text_of(self.compiler, &path)?;
                    let file = self.map.add(self.project.shown(&path), text);
                    self.programs.insert(path, file);
                    file
                }
            };
            Some(Span::new(file, span.start, span.end))
        });
        written.unwrap_or(location.span)
    }
}
