//! The compiler: files in, meaning and templates out. Everything is worked out once and shared.

mod changes;
mod edited;
mod last_edit;

use std::sync::Arc;

use arm::template_text::Layered;
use bicep_types::{Archive, ArchiveLimits, TypeStore};
use rustc_hash::FxHashSet;
use time::Date;

use self::changes::ReadTracker;
use self::last_edit::LastEdit;
use crate::check::{self, CheckHost, Checker, FileCheckResult, Interface, TypeTable};
use crate::codes;
use crate::config::{Config, Mirror, SharedConfig};
use crate::constant_validation;
use crate::content::source_text;
use crate::emit::{self, EmitHost};
use crate::files::{
    BicepFile, Cells, Closure, Dependents, FileTarget, ModuleIndex, Places, ReferenceKind, SourceFile,
    TemplateFile,
};
use crate::finding::{Finding, UnlocatedFinding};
use crate::language::Features;
use crate::lint;
use crate::options::CompilerOptions;
use crate::symbols::{Build, Model, ModuleTarget, TemplateModel};
use crate::types::RecentTypes;
use crate::work::MAX_WORK;
use crate::world::{FilePath, ReadError, World, capitals_hint};

/// Why a file has no meaning although it was looked for.
const UNREAD: &str = "it was not found before";

/// Compiles programs. One compiler can serve many threads; a file is read, parsed and understood once.
pub struct Compiler {
    world: Arc<dyn World>,
    options: CompilerOptions,
    mirrors: Vec<Mirror>,
    configs: Cells<FilePath, SharedConfig>,
    files: Cells<FilePath, Result<Arc<SourceFile>, UnlocatedFinding>>,
    closures: Cells<FilePath, Arc<Closure>>,
    models: Cells<FilePath, Result<ModuleTarget, UnlocatedFinding>>,
    checks: Cells<FilePath, FileCheckResult>,
    interfaces: Cells<FilePath, Arc<Interface>>,
    /// The types of the files that somebody asked about.
    typings: Cells<FilePath, Arc<TypeTable>>,
    templates: Cells<FilePath, Result<Arc<Layered>, Arc<[Finding]>>>,
    archives: Cells<FilePath, Result<Arc<TypeStore>, UnlocatedFinding>>,
    /// The indexes of modules, or why they cannot be had.
    module_indexes: Cells<FilePath, Result<Arc<ModuleIndex>, String>>,
    /// The templates with validators, read.
    validating: Cells<FilePath, Option<Arc<arm::template::Template>>>,
    early: Cells<FilePath, Arc<[Finding]>>,
    /// The resource types that were needed last; compilers that come of each other share them.
    recent_types: Arc<RecentTypes>,
    /// The file that was edited last; compilers that come of each other share it.
    last_edit: Arc<LastEdit>,
    /// Which files have to be looked at again when others change; compilers that come of each other share it.
    dependents: Arc<Dependents>,
    /// How many pairs it had when it was made.
    pairs: usize,
}

/// What compiling a file gives.
#[derive(Clone, Debug, Default)]
pub struct Compilation {
    /// The template, or the parameters of a parameters file; none when there are errors.
    pub template: Option<Arc<str>>,
    /// What was found in each file, the entry file first.
    pub findings: Vec<(FilePath, Arc<[Finding]>)>,
    /// How many steps it took, at most [`MAX_WORK`](crate::MAX_WORK) or a little more.
    pub work: u64,
}

/// The template that a parameters file is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Using {
    /// A template, as text.
    Template(Arc<str>),
    /// A template spec, by its id.
    Spec(String),
}

impl Compilation {
    /// Tells whether any file has errors.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|(_, findings)| findings.iter().any(Finding::is_error))
    }
}

impl Compiler {
    /// Makes a compiler over a world.
    pub fn new(world: Arc<dyn World>, options: CompilerOptions) -> Compiler {
        Compiler {
            world,
            options,
            mirrors: Vec::new(),
            configs: Cells::default(),
            files: Cells::default(),
            closures: Cells::default(),
            models: Cells::default(),
            checks: Cells::default(),
            interfaces: Cells::default(),
            typings: Cells::default(),
            templates: Cells::default(),
            archives: Cells::default(),
            module_indexes: Cells::default(),
            validating: Cells::default(),
            early: Cells::default(),
            recent_types: Arc::default(),
            last_edit: Arc::default(),
            dependents: Arc::default(),
            pairs: 0,
        }
    }

    /// Takes modules and extensions from folders that stand in for registries, before the cache.
    #[must_use]
    pub fn with_mirrors(self, mirrors: Vec<Mirror>) -> Compiler {
        Compiler { mirrors, ..self }
    }

    /// A compiler of the same files that compiles in another way, and has read nothing yet.
    #[must_use]
    pub fn with_options(&self, options: CompilerOptions) -> Compiler {
        Compiler::new(Arc::clone(&self.world), options).with_mirrors(self.mirrors.clone())
    }

    /// The folders that stand in for registries, besides those of configurations.
    pub(crate) fn mirrors(&self) -> &[Mirror] {
        &self.mirrors
    }

    /// The world that files come from.
    #[must_use]
    pub fn world(&self) -> &dyn World {
        &*self.world
    }

    /// How the compiler compiles.
    #[must_use]
    pub fn options(&self) -> &CompilerOptions {
        &self.options
    }

    /// The configuration of the files in a folder.
    #[must_use]
    pub(crate) fn config(&self, folder: &FilePath) -> SharedConfig {
        self.configs.get_or_make(folder, || Arc::new(Config::find(self.world(), folder)))
    }

    /// A file, parsed; or why it cannot be had.
    pub fn file(&self, path: &FilePath) -> Result<Arc<SourceFile>, UnlocatedFinding> {
        self.files.get_or_make(path, || {
            let bytes = self.world.read(path).map_err(|error| match error {
                _ if self.world.list(path).is_ok() => codes::FOLDER_AS_FILE.fault(&[path]),
                ReadError::NotFound => {
                    let hint = capitals_hint(self.world(), path);
                    codes::FILE_NOT_FOUND.fault(&[path, &hint])
                }
                ReadError::Failed(why) => codes::UNREADABLE_FILE.fault(&[path, &why]),
            })?;
            let extension = path.extension().to_ascii_lowercase();
            let source = if matches!(extension.as_str(), ".json" | ".jsonc" | ".arm") {
                SourceFile::Template(Box::new(TemplateFile::new(path.clone(), &bytes)))
            } else {
                let config = self.config(&path.folder());
                let places = Places { world: self.world(), mirrors: &self.mirrors };
                let text = source_text(&bytes);
                SourceFile::Bicep(Arc::new(BicepFile::new(path.clone(), text, config, places)))
            };
            self.dependents.add(path, changes::targets(&source));
            Ok(Arc::new(source))
        })
    }

    /// The files that a file needs, and the file itself, each after those that it needs.
    #[must_use]
    pub fn needed(&self, path: &FilePath) -> Vec<FilePath> {
        self.closure(path).order.clone()
    }

    /// The files that a file needs.
    #[must_use]
    pub(crate) fn closure(&self, entry: &FilePath) -> Arc<Closure> {
        self.closures.get_or_make(entry, || Arc::new(Closure::collect(entry, |path| self.file(path))))
    }

    /// The meaning of a file and, before it, of all files that it needs.
    pub(crate) fn target(&self, path: &FilePath) -> Result<ModuleTarget, UnlocatedFinding> {
        if let Some(known) = self.models.get(path) {
            return known;
        }
        let closure = self.closure(path);
        // In this order nothing waits for a file that is not done, so files can be understood by many threads at once.
        for needed in &closure.order {
            let _made = self.models.get_or_make(needed, || self.understand(needed, &closure));
        }
        self.models.get(path).unwrap_or_else(|| Err(codes::UNREADABLE_FILE.fault(&[path, &UNREAD])))
    }

    /// The meaning of a program.
    pub(crate) fn model(&self, path: &FilePath) -> Result<Arc<Model>, UnlocatedFinding> {
        match self.target(path)? {
            ModuleTarget::Bicep(model) => Ok(model),
            ModuleTarget::Template(_) => {
                Err(codes::UNREADABLE_FILE.fault(&[path, &"it is not a Bicep file"]))
            }
        }
    }

    /// The experimental features that are on for a file or any that it needs; none where its configuration says that
    /// nobody wants to hear of them.
    #[must_use]
    pub fn experimental_features(&self, path: &FilePath) -> Features {
        let silent = |file: &BicepFile| file.config.flag(&["experimentalFeaturesWarning"]) == Some(false);
        match self.file(path).as_deref() {
            Ok(SourceFile::Bicep(file)) if !silent(file) => {}
            _ => return Features::default(),
        }
        let features = |path: &FilePath| match self.file(path).as_deref() {
            Ok(SourceFile::Bicep(file)) => file.config.features(),
            _ => Features::default(),
        };
        self.closure(path).order.iter().map(features).fold(Features::default(), Features::or)
    }

    /// What a parameters file names as the program or template that it is for.
    #[must_use]
    pub fn using_target(&self, path: &FilePath) -> Option<FileTarget> {
        let model = self.model(path).ok()?;
        let using = model.file.references.iter().find(|it| it.kind == ReferenceKind::Using)?;
        using.target.clone().ok()
    }

    /// The template that a parameters file, which was compiled, is for; none for `using none`.
    #[must_use]
    pub fn using(&self, path: &FilePath) -> Option<Using> {
        let model = self.model(path).ok()?;
        let using = model.file.references.iter().find(|it| it.kind == ReferenceKind::Using)?;
        let target = &using.target.as_ref().ok()?.path;
        match self.models.get(target)?.ok()? {
            ModuleTarget::Bicep(model) => {
                self.template_of(&model).ok().map(|template| Using::Template(template.written().into()))
            }
            ModuleTarget::Template(template) => match &template.spec_id {
                Some(id) => Some(Using::Spec(id.clone())),
                // Other than in a module, the text stays as it is.
                None => self.world.read(target).ok().map(|bytes| {
                    let text = String::from_utf8_lossy(&bytes);
                    Using::Template(text.strip_prefix('\u{feff}').unwrap_or(&text).into())
                }),
            },
        }
    }

    /// The program that a parameters file, which was compiled, is for; none if it is for a template.
    #[must_use]
    pub fn used_program(&self, path: &FilePath) -> Option<FilePath> {
        let model = self.model(path).ok()?;
        let using = model.file.references.iter().find(|it| it.kind == ReferenceKind::Using)?;
        let target = &using.target.as_ref().ok()?.path;
        match self.models.get(target)?.ok()? {
            ModuleTarget::Bicep(_) => Some(target.clone()),
            ModuleTarget::Template(_) => None,
        }
    }

    /// Compiles a program and all modules that it uses.
    pub fn compile(&self, path: &FilePath) -> Compilation {
        let mut findings: Vec<(FilePath, Arc<[Finding]>)> = Vec::new();
        let mut template = None;
        let mut work = 0;
        let closure = self.closure(path);
        let _made = self.target(path);
        let libraries = self.libraries(path, &closure);
        for needed in &closure.order {
            if work > MAX_WORK {
                findings.push((path.clone(), Arc::new([self.too_much_work(path, needed)])));
                break;
            }
            // A file that cannot be had is the finding of whoever refers to it.
            if needed != path && self.models.get(needed).is_none_or(|target| target.is_err()) {
                continue;
            }
            let (made, found) = match libraries.contains(needed) {
                true => (None, self.library_findings(needed)),
                false => self.compile_file(needed),
            };
            work += self.checks.get(needed).map_or(0, |checked| checked.work);
            work += made.as_ref().map_or(0, |made| crate::work::written(made.length()));
            if !found.is_empty() {
                findings.push((needed.clone(), found));
            }
            if needed == path {
                template = made.map(|made| made.written().into());
            }
        }
        findings.extend(self.config_findings(&closure));
        findings.reverse();
        let compilation = Compilation { template, findings, work };
        // The template of a test file does without those of the programs.
        let is_test = path.extension().eq_ignore_ascii_case(".biceptest");
        if compilation.has_errors() && !is_test {
            Compilation { template: None, ..compilation }
        } else {
            compilation
        }
    }

    /// The files that others only import from, and that nothing is deployed of: nobody needs a template of them, and one would
    /// contain what all files say that they import from in turn.
    fn libraries(&self, entry: &FilePath, closure: &Closure) -> FxHashSet<FilePath> {
        let mut wanted: FxHashSet<FilePath> = FxHashSet::from_iter([entry.clone()]);
        for path in &closure.order {
            let Ok(source) = self.file(path) else { continue };
            let SourceFile::Bicep(file) = &*source else { continue };
            let others = file.references.iter().filter(|it| it.kind != ReferenceKind::Import);
            wanted.extend(others.filter_map(|it| Some(it.target.as_ref().ok()?.path.clone())));
        }
        let is_library = |path: &&FilePath| {
            !wanted.contains(*path)
                && matches!(self.models.get(path), Some(Ok(ModuleTarget::Bicep(model))) if model.is_library())
        };
        closure.order.iter().filter(is_library).cloned().collect()
    }

    /// What was found in a file that becomes no template.
    fn library_findings(&self, path: &FilePath) -> Arc<[Finding]> {
        match self.models.get(path) {
            Some(Ok(ModuleTarget::Bicep(model))) => self.checked(&model).findings,
            _ => Arc::new([]),
        }
    }

    /// What is to be said about the configurations of files, by the file that says it.
    fn config_findings(&self, closure: &Closure) -> Vec<(FilePath, Arc<[Finding]>)> {
        let mut by_file: Vec<(FilePath, Vec<Finding>)> = Vec::new();
        for path in &closure.order {
            let Ok(source) = self.file(path) else { continue };
            let SourceFile::Bicep(file) = &*source else { continue };
            for (path, finding) in lint::not_looked_for(&file.config) {
                match by_file.iter_mut().find(|(known, _)| *known == path) {
                    Some((_, list)) if list.contains(&finding) => {}
                    Some((_, list)) => list.push(finding),
                    None => by_file.push((path, vec![finding])),
                }
            }
        }
        by_file.into_iter().map(|(path, list)| (path, list.into())).collect()
    }

    /// The finding about a program whose files are too much work, where it names the file that was next.
    fn too_much_work(&self, path: &FilePath, next: &FilePath) -> Finding {
        let model = self.model(path).ok();
        let leads = |target: &FilePath| target == next || self.closure(target).order.contains(next);
        let references = model.iter().flat_map(|model| model.file.references.iter());
        let found = references
            .filter_map(|reference| Some((reference.span, &reference.target.as_ref().ok()?.path)))
            .find(|(_, target)| leads(target));
        let place = found.map_or_else(syntax::Span::default, |(span, _)| span);
        codes::FILES_TOO_MUCH_WORK.at(place, &[&MAX_WORK, next])
    }

    /// The template of one file, whose modules were compiled before, and what was found in it.
    fn compile_file(&self, path: &FilePath) -> (Option<Arc<Layered>>, Arc<[Finding]>) {
        let none: Arc<[Finding]> = Arc::new([]);
        let target = match self.target(path) {
            Ok(target) => target,
            Err(fault) => return (None, Arc::new([fault.at(syntax::Span::default())])),
        };
        let ModuleTarget::Bicep(model) = target else { return (self.template(path), none) };
        let found = self.checked(&model).findings;
        let has_errors = found.iter().any(Finding::is_error);
        // What is wrong with the value of one parameter does not hide what is wrong with that of another.
        // Tests of programs that compile are run, whatever is wrong with those of others.
        let is_sound = crate::check::has_sound_tests(&model, &found);
        if has_errors && !is_sound && (!model.is_params() || !model.file.tree.diagnostics().is_empty()) {
            return (None, found);
        }
        match self.template_of(&model) {
            Ok(text) if has_errors && !is_sound => {
                drop(text);
                (None, found)
            }
            Ok(text) => {
                let early = self.early.get_or_make(path, || {
                    let read = |path: &FilePath| self.validating_template(path);
                    constant_validation::findings(self, &read, &model, &text).into()
                });
                if early.is_empty() {
                    return (Some(text), found);
                }
                let mut all: Vec<Finding> = found.iter().chain(early.iter()).cloned().collect();
                all.sort_by_key(|finding| finding.span.start);
                (Some(text), all.into())
            }
            Err(more) => {
                let mut all: Vec<Finding> = found.iter().chain(more.iter()).cloned().collect();
                all.sort_by_key(|finding| finding.span.start);
                (None, all.into())
            }
        }
    }

    fn template_of(&self, model: &Arc<Model>) -> Result<Arc<Layered>, Arc<[Finding]>> {
        self.templates.get_or_make(&model.file.path, || {
            let written = if model.is_params() {
                emit::write_parameters(self, model, &self.checked(model).failed)
                    .map(|text| Layered::new(text, Vec::new()))
            } else {
                emit::write_template(self, model)
            };
            written.map(Arc::new).map_err(Into::into)
        })
    }

    /// The template that a module becomes; none when it has errors.
    pub(crate) fn template(&self, path: &FilePath) -> Option<Arc<Layered>> {
        match self.models.get(path)?.ok()? {
            ModuleTarget::Bicep(model) => self.template_of(&model).ok(),
            ModuleTarget::Template(template) => {
                let made = self.templates.get_or_make(path, || match template.root() {
                    Some(root) => {
                        let text = arm::template_text::indented(root);
                        Ok(Arc::new(Layered::new(text, Vec::new())))
                    }
                    None => Err(Arc::new([])),
                });
                made.ok()
            }
        }
    }

    /// The template that a module becomes, read; none when it has errors or no validators.
    pub(crate) fn validating_template(&self, path: &FilePath) -> Option<Arc<arm::template::Template>> {
        self.validating.get_or_make(path, || {
            let written = self.template(path)?;
            if !constant_validation::has_validators(&written) {
                return None;
            }
            constant_validation::read(&written).ok().map(Arc::new)
        })
    }

    /// What came of checking a file, which happens now if it did not before. Models refer to each other without cycles,
    /// so this ends, and no thread waits for itself.
    pub(crate) fn checked(&self, model: &Model) -> FileCheckResult {
        self.checks.get_or_make(&model.file.path, || {
            let around = ReadTracker::new(self);
            let checked = self.check_edited(model, &around).unwrap_or_else(|| check::check(model, &around));
            let read = around.into_read();
            self.dependents.add(&model.file.path, read.iter());
            FileCheckResult { read, ..checked }
        })
    }

    /// Checks the file that was edited last, with what its last check left.
    fn check_edited(&self, model: &Model, around: &ReadTracker<'_>) -> Option<FileCheckResult> {
        let path = &model.file.path;
        let kept = self.last_edit.take(path)?;
        let Some(Ok(ModuleTarget::Bicep(shared))) = self.models.get(path) else { return None };
        if !std::ptr::eq(&*shared, model) {
            return None;
        }
        let (checked, kept) = check::check_again(&shared, around, kept);
        if let Some(kept) = kept {
            self.last_edit.put(path, kept);
        }
        Some(checked)
    }

    /// Asks about the types of a file. Its declarations are typed once, for the first question.
    pub(crate) fn ask<T: Send>(
        &self,
        model: &Model,
        question: impl FnOnce(&mut Checker<'_>) -> T + Send,
    ) -> Option<T> {
        let typed = self.typings.get_or_make(&model.file.path, || Arc::new(check::typed(model, self)));
        check::ask(model, self, &typed, question)
    }

    /// Asks about a few types of a file that may change before the next question: only what is asked for is typed,
    /// unless all of it was before.
    pub(crate) fn ask_little<T: Send>(
        &self,
        model: &Model,
        question: impl FnOnce(&mut Checker<'_>) -> T + Send,
    ) -> Option<T> {
        match self.typings.get(&model.file.path) {
            Some(typed) => check::ask(model, self, &typed, question),
            None => check::ask_fresh(model, self, question),
        }
    }

    /// The types of an extension: in an archive, or in a folder with an index.
    fn extension_types(&self, path: &FilePath) -> Result<Arc<TypeStore>, UnlocatedFinding> {
        self.archives.get_or_make(path, || {
            let missing = |_| codes::UNREADABLE_FILE.fault(&[path, &UNREAD]);
            let bytes = self.world.read(path).map_err(missing)?;
            let store = if path.name() == bicep_types::INDEX_FILE {
                let (world, folder) = (Arc::clone(&self.world), path.folder());
                let files = move |name: &str| {
                    let read = world.read(&folder.join(name));
                    let missing = |_| bicep_types::Error::MissingFile { file: name.to_owned() };
                    read.map(|bytes| bytes.to_vec()).map_err(missing)
                };
                bicep_types::read_index(path.name(), &bytes).map(|index| TypeStore::from_index(&index, files))
            } else {
                let archive = Archive::read_extension(&bytes, ArchiveLimits::TYPES)
                    .map_err(|error| codes::NOT_AN_ARCHIVE.fault(&[path, &error]))?;
                archive.into_store()
            };
            let broken = |error| codes::EXTENSION_TYPES.fault(&[path, &error]);
            store.map(Arc::new).map_err(broken)
        })
    }

    fn understand(&self, path: &FilePath, closure: &Closure) -> Result<ModuleTarget, UnlocatedFinding> {
        let source = self.file(path)?;
        let file = match &*source {
            SourceFile::Bicep(file) => Arc::clone(file),
            SourceFile::Template(_) => {
                return TemplateModel::build(source).map(|model| ModuleTarget::Template(Arc::new(model)));
            }
        };
        let mut resolve = |target: &FilePath| {
            match closure.cycle(target) {
                Some(1) => {
                    let is_params = target.extension().eq_ignore_ascii_case(".bicepparam");
                    let code =
                        if is_params { codes::PARAMS_SELF_REFERENCE } else { codes::FILE_SELF_REFERENCE };
                    return Err(code.fault(&[target]));
                }
                Some(_) => {
                    return Err(codes::FILE_CYCLE.fault(&[target]));
                }
                None => {}
            }
            self.models.get(target).unwrap_or_else(|| Err(codes::UNREADABLE_FILE.fault(&[target, &UNREAD])))
        };
        let az_types = self.options.az_types.clone();
        let extension_types = |target: &FileTarget| self.extension_types(&target.path);
        let dialect = self.options.dialect;
        let build =
            Build { file, az_types, dialect, resolve: &mut resolve, extension_types: &extension_types };
        Ok(ModuleTarget::Bicep(Arc::new(Model::build(build))))
    }
}

impl CheckHost for Compiler {
    fn interface(&self, target: &ModuleTarget) -> Arc<Interface> {
        match target {
            ModuleTarget::Bicep(model) => self.checked(model).interface,
            ModuleTarget::Template(template) => {
                let made = || Arc::new(Interface::of_template(template, self.options.az_types.clone()));
                self.interfaces.get_or_make(&template.path, made)
            }
        }
    }

    fn world(&self) -> &dyn World {
        Compiler::world(self)
    }

    fn today(&self) -> Option<Date> {
        self.options.today
    }

    fn module_index(&self, path: &FilePath) -> Result<Arc<ModuleIndex>, String> {
        self.module_indexes.get_or_make(path, || ModuleIndex::read(self.world(), path))
    }

    fn recent_types(&self) -> &RecentTypes {
        &self.recent_types
    }

    fn lint(&self, checker: &mut Checker<'_>) {
        lint::check(checker);
    }

    fn is_core(&self, code: &str) -> bool {
        lint::is_core(code)
    }
}

impl EmitHost for Compiler {
    fn options(&self) -> &CompilerOptions {
        Compiler::options(self)
    }

    fn checked(&self, model: &Model) -> FileCheckResult {
        Compiler::checked(self, model)
    }

    fn template(&self, path: &FilePath) -> Option<Arc<Layered>> {
        Compiler::template(self, path)
    }
}
