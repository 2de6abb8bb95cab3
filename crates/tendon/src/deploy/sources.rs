//! The texts that errors point into, and the way back from a compiled template to the Bicep that it was made of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::template::ErrorLocation;
use bicep::editor::written_place;
use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::{FileId, SourceMap, Span};

use crate::compile::shortened;

/// The texts of one deployment.
#[derive(Default)]
pub(crate) struct Sources {
    map: SourceMap,
    /// The Bicep files of the texts that were compiled from one.
    compiled: BTreeMap<FileId, FilePath>,
    /// The Bicep files that errors point into, as far as there are any.
    programs: BTreeMap<FilePath, FileId>,
    /// Where the files with values of parameters lie.
    folders: BTreeMap<FileId, PathBuf>,
    /// Parameters of Bicep files whose values are not shown.
    secure: Vec<(FilePath, String)>,
}

impl Sources {
    /// Adds a text under the name that people know it by.
    pub(crate) fn add(&mut self, name: &str, text: impl Into<Arc<str>>) -> FileId {
        self.map.add(name, text)
    }

    /// Adds the text that a Bicep file was compiled to.
    pub(crate) fn add_compiled(&mut self, path: &FilePath, text: Arc<str>) -> FileId {
        let file = self.map.add(format!("{} (compiled)", shortened(path)), text);
        self.compiled.insert(file, path.clone());
        file
    }

    /// Remembers the folder of a file with values of parameters.
    pub(crate) fn lies_in(&mut self, file: FileId, folder: &Path) {
        self.folders.insert(file, folder.to_owned());
    }

    /// The folder of a file with values of parameters; for standard input the current one.
    pub(crate) fn folder(&self, file: FileId) -> PathBuf {
        self.folders.get(&file).cloned().unwrap_or_else(|| PathBuf::from("."))
    }

    /// The Bicep file that a text was compiled from.
    pub(crate) fn program_of(&self, file: FileId) -> Option<&FilePath> {
        self.compiled.get(&file)
    }

    pub(crate) fn map(&self) -> &SourceMap {
        &self.map
    }

    /// Keeps a part of a text from being printed.
    pub(crate) fn hide(&mut self, location: &ErrorLocation) {
        self.map.hide([location.span]);
    }

    /// Keeps the value of a parameter from being printed where the text was compiled from Bicep.
    pub(crate) fn hide_parameter(&mut self, file: FileId, name: &str) {
        if let Some(path) = self.compiled.get(&file) {
            self.secure.push((path.clone(), format!("parameters.{name}")));
        }
    }

    /// Keeps all lines of a text from being printed.
    pub(crate) fn withhold(&mut self, file: FileId) {
        self.map.withhold(file);
    }

    /// The place that people look at: in the Bicep file, where the text was compiled from one.
    pub(crate) fn span(&mut self, location: &ErrorLocation, compiler: Option<&Compiler>) -> Span {
        let written = compiler.zip(self.compiled.get(&location.span.file).cloned());
        let found = written.and_then(|(compiler, path)| {
            let (path, span) = written_place(compiler, &path, &location.path)?;
            Some(Span::new(self.program(compiler, &path)?, span.start, span.end))
        });
        found.unwrap_or_else(|| first_line(&self.map, location.span))
    }

    fn program(&mut self, compiler: &Compiler, path: &FilePath) -> Option<FileId> {
        if let Some(file) = self.programs.get(path) {
            return Some(*file);
        }
        let SourceFile::Bicep(source) = &*compiler.file(path).ok()? else { return None };
        let file = self.map.add(shortened(path), source.tree.shared_text());
        self.programs.insert(path.clone(), file);
        for (_, parameter) in self.secure.iter().filter(|(secure, _)| secure == path) {
            let Some(span) = compiler.origin(path, parameter) else { continue };
            let line = self.map.slice(Span::new(file, span.start, span.end)).unwrap_or_default();
            let value = line.find('=').and_then(|at| u32::try_from(at + 1).ok());
            if let Some(value) = value {
                self.map.hide([Span::new(file, span.start + value, span.end)]);
            }
        }
        Some(file)
    }
}

/// The part of a span that is on its first line.
fn first_line(sources: &SourceMap, span: Span) -> Span {
    let text = sources.slice(span).unwrap_or_default();
    let length = text.find(['\n', '\r']).unwrap_or(text.len());
    Span::new(span.file, span.start, span.start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX)))
}
