//! A set of files, and the compiler that looks at them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use bicep::files::{FolderEntry, ReadError, Reference, RestoreFailure, SourceFile};
use bicep::{Compiler, CompilerOptions, Config, FilePath, Generator, World};
use bicep_types::{PackBytes, TypeStore};
use diagnostics::{Columns, FileId, Span};
use serde::Serialize;
use syntax::SourceKind;

use crate::diagnostic::{PlacedDiagnostic, TextPlace};

/// What a project is made with.
#[derive(Clone)]
pub struct ProjectOptions {
    /// The unit of columns and offsets: that of the language around.
    pub columns: Columns,
    /// Who templates say made them.
    pub generator: Generator,
    /// Where files come from that were not set; none if there are no others.
    pub beneath: Option<Arc<dyn World>>,
}

impl Default for ProjectOptions {
    fn default() -> ProjectOptions {
        ProjectOptions {
            columns: Columns::Scalars,
            generator: Generator {
                name: "bicep".to_owned(),
                version: format!("{}+tendon.{}", bicep::LANGUAGE_VERSION, env!("CARGO_PKG_VERSION")),
            },
            beneath: None,
        }
    }
}

/// What compiling a file gives.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompiledProgram {
    /// The template, or of a parameters file the parameters, as JSON; none if something is an error.
    pub template: Option<String>,
    /// What is to be said about the file and those that it uses.
    pub diagnostics: Vec<PlacedDiagnostic>,
}

/// A set of files, and what was worked out of them.
///
/// Names are paths with `/`; a name that is not absolute stands at the root. An edit keeps what does not depend on it.
pub struct Project {
    options: ProjectOptions,
    files: Arc<BTreeMap<FilePath, Arc<[u8]>>>,
    compiler: Compiler,
    /// The same compiler for templates in which resources have their symbolic names, once it is needed.
    named: OnceLock<Compiler>,
}

impl Project {
    /// A project without files of its own.
    pub fn new(options: ProjectOptions) -> Project {
        let files = Arc::default();
        let world = FileLayers::over(&files, options.beneath.as_ref());
        let compiler = Compiler::new(world, CompilerOptions::new(options.generator.clone()));
        Project { options, files, compiler, named: OnceLock::new() }
    }

    /// Takes the types of Azure's resources from a pack; without them, properties of resources are not checked.
    pub fn use_types(&mut self, pack: PackBytes) -> Result<(), String> {
        let types =
            TypeStore::from_pack(pack).map_err(|error| format!("this is no pack of types: {error}"))?;
        let options = CompilerOptions { az_types: Some(Arc::new(types)), ..self.compiler.options().clone() };
        self.compiler = Compiler::new(self.world(), options);
        self.named = OnceLock::new();
        Ok(())
    }

    /// Says which day it is, as year, month and day: to it, ages of API versions are counted.
    pub fn set_day(&mut self, year: i32, month: u8, day: u8) -> Result<(), String> {
        let wrong = || format!("`{year}-{month}-{day}` is no day");
        let month = time::Month::try_from(month).map_err(|_| wrong())?;
        let today = time::Date::from_calendar_date(year, month, day).map_err(|_| wrong())?;
        self.compiler = self.compiler.afresh(self.world(), Some(today));
        self.named = OnceLock::new();
        Ok(())
    }

    /// Adds a file, or gives it another text.
    pub fn set_file(&mut self, name: &str, contents: impl AsRef<[u8]>) {
        let path = path_of(name);
        let contents: Arc<[u8]> = contents.as_ref().into();
        if self.files.get(&path).is_some_and(|known| **known == *contents) {
            return;
        }
        let known = Arc::make_mut(&mut self.files).insert(path.clone(), contents).is_some();
        self.changed(&path, known);
    }

    /// Removes a file, if it is there.
    pub fn remove_file(&mut self, name: &str) {
        let path = path_of(name);
        if Arc::make_mut(&mut self.files).remove(&path).is_some() {
            self.changed(&path, false);
        }
    }

    /// The names of the files that were set, in order.
    pub fn file_names(&self) -> Vec<String> {
        self.files.keys().map(|path| self.shown(path)).collect()
    }

    fn changed(&mut self, path: &FilePath, was_there: bool) {
        let keeps = was_there && !self.compiler.is_configuration(path);
        self.compiler = match keeps {
            true => self.compiler.with_changes(self.world(), &BTreeSet::from([path.clone()])),
            false => self.compiler.afresh(self.world(), self.compiler.options().today),
        };
        self.named = OnceLock::new();
    }

    fn world(&self) -> Arc<dyn World> {
        FileLayers::over(&self.files, self.options.beneath.as_ref())
    }

    /// Compiles a program or a parameters file with all that it uses.
    pub fn compile(&self, name: &str) -> CompiledProgram {
        let (template, diagnostics) = self.compile_with(&self.compiler, &path_of(name));
        CompiledProgram { template: template.map(|text| text.to_string()), diagnostics }
    }

    /// The same with a compiler that may be another one.
    pub(crate) fn compile_with(
        &self,
        compiler: &Compiler,
        path: &FilePath,
    ) -> (Option<Arc<str>>, Vec<PlacedDiagnostic>) {
        if let Err(finding) = compiler.file(path) {
            let message = format!("`{}`: {}", self.shown(path), finding.sentence());
            return (None, vec![PlacedDiagnostic::plain(finding.code, message)]);
        }
        let compilation = compiler.compile(path);
        let mut found = Vec::new();
        for (file, findings) in &compilation.findings {
            let (name, source) = (self.shown(file), text_of(compiler, file));
            let source = source.map(|text| source_file(&name, text));
            let placed = findings
                .iter()
                .map(|it| PlacedDiagnostic::of_program(it, &name, source.as_ref(), self.options.columns));
            found.extend(placed);
        }
        (compilation.template, found)
    }

    /// A program or a parameters file as the formatter lays it out, or why it cannot be: it has syntax errors.
    pub fn format(&self, name: &str) -> Result<String, Vec<PlacedDiagnostic>> {
        let path = path_of(name);
        let text = self.text(&path)?;
        let kind = match path.extension().eq_ignore_ascii_case(".bicepparam") {
            true => SourceKind::Params,
            false => SourceKind::Bicep,
        };
        let tree = syntax::parse(&*text, kind);
        let (name, source) = (self.shown(&path), source_file(name, Arc::clone(&text)));
        let place = |span: syntax::Span| {
            let span = Span::new(FileId::FIRST, span.start, span.end);
            TextPlace::of(&name, &source, span, self.options.columns)
        };
        let wrong: Vec<PlacedDiagnostic> = tree
            .diagnostics()
            .iter()
            .map(|found| PlacedDiagnostic {
                hint: found.code.hint().map(str::to_owned),
                place: Some(place(found.span)),
                ..PlacedDiagnostic::plain(found.code.as_str(), found.message(tree.text()))
            })
            .collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let config = Config::find(self.compiler.world(), &path.folder());
        Ok(syntax::format::format(&tree, &config.formatting()))
    }

    /// The compiler of what editors and builds want.
    pub(crate) fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// The compiler of templates in which resources have their symbolic names.
    pub(crate) fn named_compiler(&self) -> &Compiler {
        self.named.get_or_init(|| {
            let options = CompilerOptions { symbolic_names: true, ..self.compiler.options().clone() };
            Compiler::new(self.world(), options)
        })
    }

    pub(crate) fn columns(&self) -> Columns {
        self.options.columns
    }

    /// What people call a file.
    pub(crate) fn shown(&self, path: &FilePath) -> String {
        let text = path.as_str();
        match (&self.options.beneath, text.strip_prefix('/')) {
            (None, Some(name)) => name.to_owned(),
            _ => text.to_owned(),
        }
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, path: &FilePath) -> Result<Arc<[u8]>, Vec<PlacedDiagnostic>> {
        self.compiler.world().read(path).map_err(|error| {
            let name = self.shown(path);
            let message = match error {
                ReadError::NotFound => format!("there is no file `{name}`"),
                ReadError::Failed(why) => format!("`{name}` cannot be read: {why}"),
            };
            vec![PlacedDiagnostic::plain("input/missing", message)]
        })
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &FilePath) -> Result<Arc<str>, Vec<PlacedDiagnostic>> {
        let bytes = self.bytes(path)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            vec![PlacedDiagnostic::plain("input/encoding", format!("`{}` is not UTF-8", self.shown(path)))]
        })?;
        Ok(text.strip_prefix('\u{feff}').unwrap_or(text).into())
    }
}

/// The path that a name stands for.
pub(crate) fn path_of(name: &str) -> FilePath {
    if FilePath::is_rooted(name) { FilePath::new(name) } else { FilePath::new(&format!("/{name}")) }
}

/// The text of a program that was read.
pub(crate) fn text_of(compiler: &Compiler, path: &FilePath) -> Option<Arc<str>> {
    match &*compiler.file(path).ok()? {
        SourceFile::Bicep(file) => Some(file.tree.shared_text()),
        SourceFile::Template(_) => {
            compiler.world().read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into())
        }
    }
}

/// A text alone, for its lines.
pub(crate) fn source_file(name: &str, text: Arc<str>) -> diagnostics::SourceFile {
    diagnostics::SourceFile::new(name, text)
}

/// Files in memory, over those of somebody else.
struct FileLayers {
    files: Arc<BTreeMap<FilePath, Arc<[u8]>>>,
    beneath: Option<Arc<dyn World>>,
}

impl FileLayers {
    fn over(files: &Arc<BTreeMap<FilePath, Arc<[u8]>>>, beneath: Option<&Arc<dyn World>>) -> Arc<dyn World> {
        Arc::new(FileLayers { files: Arc::clone(files), beneath: beneath.cloned() })
    }
}

impl World for FileLayers {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        match (self.files.get(path), &self.beneath) {
            (Some(contents), _) => Ok(Arc::clone(contents)),
            (None, Some(beneath)) => beneath.read(path),
            (None, None) => Err(ReadError::NotFound),
        }
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.files.contains_key(path) || self.beneath.as_ref().is_some_and(|beneath| beneath.exists(path))
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        let mut prefix = folder.as_str().to_owned();
        if !prefix.is_empty() && !prefix.ends_with('/') {
            prefix.push('/');
        }
        let beneath = self.beneath.as_ref().map_or(Err(ReadError::NotFound), |beneath| beneath.list(folder));
        let mut entries: BTreeMap<String, bool> = BTreeMap::new();
        for path in self.files.keys() {
            let Some(rest) = path.as_str().strip_prefix(prefix.as_str()) else { continue };
            let (name, is_folder) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
            entries.insert(name.to_owned(), is_folder);
        }
        match beneath {
            Ok(others) => entries.extend(others.into_iter().map(|entry| (entry.name, entry.is_folder))),
            Err(error) if entries.is_empty() => return Err(error),
            Err(_) => {}
        }
        Ok(entries.into_iter().map(|(name, is_folder)| FolderEntry { name, is_folder }).collect())
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.beneath.as_ref()?.variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.beneath.as_ref().map_or_else(|| FilePath::new("/modules"), |beneath| beneath.cache_root())
    }

    fn modules(&self) -> Option<FilePath> {
        self.beneath.as_ref()?.modules()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        self.beneath.as_ref()?.restore_failure(reference)
    }
}
