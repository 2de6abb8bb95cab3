//! Where the resources of a deployment are written: the line in the Bicep file or in the template.

use std::cell::RefCell;
use std::collections::BTreeMap;

use arm::template::ErrorLocation;
use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::{Columns, LineIndex};
use graph::{Origins, SourceLine};

use super::sources::Sources;
use crate::compile::shortened;

/// The places of the resources of one deployment.
pub(crate) struct SourceOrigins<'o> {
    sources: &'o Sources,
    compiler: Option<&'o Compiler>,
    /// The lines of the files that were asked for.
    lines: RefCell<BTreeMap<FilePath, LineIndex>>,
}

impl<'o> SourceOrigins<'o> {
    pub(crate) fn new(sources: &'o Sources, compiler: Option<&'o Compiler>) -> SourceOrigins<'o> {
        SourceOrigins { sources, compiler, lines: RefCell::default() }
    }

    /// The text of the line at a place that was found before, in a program: the line of a template may have everything on it, secrets, too.
    pub(crate) fn line(&self, place: &SourceLine) -> Option<String> {
        let lines = self.lines.borrow();
        let (_, lines) = lines.iter().find(|(path, _)| shortened(path) == place.file)?;
        Some(lines.line_text(place.line).trim_end().to_owned())
    }

    /// The place of a resource in the program that a template was made of.
    fn in_program(&self, program: &FilePath, modules: &[String], symbol: &str) -> Option<SourceLine> {
        let compiler = self.compiler?;
        let mut path = program.clone();
        for module in modules {
            path = compiler.module_program(&path, module)?;
        }
        // A resource inside another one has the names of both.
        let own = symbol.rsplit("::").next().unwrap_or(symbol);
        let span = compiler.origin(&path, &format!("resources.{own}"))?;
        let mut lines = self.lines.borrow_mut();
        if !lines.contains_key(&path) {
            let SourceFile::Bicep(file) = &*compiler.file(&path).ok()? else { return None };
            lines.insert(path.clone(), LineIndex::new(file.tree.shared_text()));
        }
        let line = lines.get(&path)?.position(span.start, Columns::Bytes).line;
        Some(SourceLine { file: shortened(&path).to_owned(), line })
    }
}

impl Origins for SourceOrigins<'_> {
    fn place(
        &self,
        modules: &[String],
        symbol: Option<&str>,
        location: &dyn Fn() -> ErrorLocation,
    ) -> Option<SourceLine> {
        let location = location();
        match self.sources.program_of(location.span.file) {
            Some(program) => self.in_program(program, modules, symbol?),
            None => {
                let file = self.sources.map().name(location.span.file)?.to_owned();
                Some(SourceLine { file, line: location.line })
            }
        }
    }
}
