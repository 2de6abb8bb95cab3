//! A compiler after files changed: what does not depend on them is kept.
//!
//! A compiler never changes. An edit makes a new one, which shares everything with the old one that the edit does not
//! reach, so that questions about the old text are answered from the old text.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;
use time::Date;

use super::{Compiler, MAX_WORK};
use crate::check::{CheckHost, Checker, FileCheckResult, Interface};
use crate::files::{Cells, Dependents, ModuleIndex, SourceFile};
use crate::finding::{Finding, UnlocatedFinding};
use crate::options::CompilerOptions;
use crate::symbols::ModuleTarget;
use crate::types::RecentTypes;
use crate::world::{FilePath, FolderEntry, ReadError, Reference, RestoreFailure, World};

/// How many needless pairs of files are remembered before they are collected anew.
const SLACK: usize = 1000;

impl Compiler {
    /// A compiler over a world in which these files are other than before. A file that comes or goes can be found by
    /// others under a name that they look for, and a configuration is a part of all files below it: after such changes,
    /// [`Compiler::afresh`] is the right one.
    #[must_use]
    pub fn with_changes(&self, world: Arc<dyn World>, changed: &BTreeSet<FilePath>) -> Compiler {
        if let (Some(path), 1) = (changed.first(), changed.len()) {
            self.last_edit.note(path);
        }
        // What was loaded by the name of its folder changes with its files.
        let folders: Vec<FilePath> = changed.iter().map(FilePath::folder).collect();
        let affected = self.dependents.of(changed.iter().chain(&folders));
        let files = self.files.without(changed);
        let dependents = if self.dependents.count() > 2 * self.pairs + SLACK {
            // In-flight work of the old compiler writes to its own table, and none of it is shared.
            Arc::new(dependents_of(&files, &self.checks))
        } else {
            Arc::clone(&self.dependents)
        };
        let pairs = if Arc::ptr_eq(&dependents, &self.dependents) { self.pairs } else { dependents.count() };
        Compiler {
            world,
            options: self.options.clone(),
            mirrors: self.mirrors.clone(),
            configs: self.configs.without(&[]),
            files,
            closures: self.closures.without(&affected),
            models: self.models.without(&affected),
            checks: self.checks.without(&affected),
            interfaces: self.interfaces.without(changed),
            templates: self.templates.without(&affected),
            archives: self.archives.without(changed),
            module_indexes: self.module_indexes.without(changed),
            validating: self.validating.without(&affected),
            early: self.early.without(&affected),
            recent_types: Arc::clone(&self.recent_types),
            last_edit: Arc::clone(&self.last_edit),
            typings: self.typings.without(&affected),
            dependents,
            pairs,
        }
    }

    /// The same compiler, which forgets the files that none of `entries` needs: their texts, and all that was
    /// worked out from them.
    #[must_use]
    pub fn only(&self, entries: &BTreeSet<FilePath>) -> Compiler {
        let closures = entries.iter().filter_map(|entry| self.closures.get(entry));
        let needed: FxHashSet<FilePath> =
            closures.flat_map(|closure| closure.order.clone()).chain(entries.iter().cloned()).collect();
        let is_needed = |path: &FilePath| needed.contains(path);
        let files = self.files.only(is_needed);
        let checks = self.checks.only(is_needed);
        let dependents = Arc::new(dependents_of(&files, &checks));
        Compiler {
            world: Arc::clone(&self.world),
            options: self.options.clone(),
            mirrors: self.mirrors.clone(),
            configs: self.configs.without(&[]),
            files,
            closures: self.closures.only(is_needed),
            models: self.models.only(is_needed),
            checks,
            interfaces: self.interfaces.only(is_needed),
            templates: self.templates.only(is_needed),
            archives: self.archives.without(&[]),
            module_indexes: self.module_indexes.without(&[]),
            validating: self.validating.only(is_needed),
            early: self.early.only(is_needed),
            recent_types: Arc::clone(&self.recent_types),
            last_edit: Arc::new(self.last_edit.only(is_needed)),
            typings: self.typings.only(is_needed),
            pairs: dependents.count(),
            dependents,
        }
    }

    /// A compiler like this one, on this day, that knows nothing of files yet.
    #[must_use]
    pub fn afresh(&self, world: Arc<dyn World>, today: Option<Date>) -> Compiler {
        Compiler::new(world, CompilerOptions { today, ..self.options.clone() })
            .with_mirrors(self.mirrors.clone())
    }

    /// These files, and all that need one of them as far as they were looked at.
    #[must_use]
    pub fn dependents(&self, files: &BTreeSet<FilePath>) -> BTreeSet<FilePath> {
        let folders: Vec<FilePath> = files.iter().map(FilePath::folder).collect();
        self.dependents.of(files.iter().chain(&folders))
    }

    /// The text of a program that was read; nothing if it could not be had, and none if it was not read yet.
    #[must_use]
    pub fn known_text(&self, path: &FilePath) -> Option<Option<Arc<str>>> {
        let file = self.files.get(path)?;
        Some(file.ok().and_then(|file| match &*file {
            SourceFile::Bicep(file) => Some(file.tree.shared_text()),
            SourceFile::Template(_) => None,
        }))
    }

    /// Tells whether a file is a part of some configuration.
    #[must_use]
    pub fn is_configuration(&self, path: &FilePath) -> bool {
        let mut is_part = path.name() == crate::config::FILE_NAME;
        self.configs.each(|_, config| is_part |= config.is_made_of(path));
        is_part
    }

    /// The same compiler, which forgets what it works out from now on: for templates, which are large and needed once.
    #[must_use]
    pub fn fork(&self) -> Compiler {
        self.with_changes(Arc::clone(&self.world), &BTreeSet::new())
    }

    /// Checks a file and, before it, all files that it needs, and gives what was found in it. No template is
    /// written, so that what only templates show is left to [`Compiler::compile`]. None if `goes_on` says that
    /// it is not wanted any more.
    pub fn check(&self, path: &FilePath, goes_on: &dyn Fn() -> bool) -> Option<Vec<Finding>> {
        let mut work = 0;
        let closure = self.closure(path);
        let _made = self.target(path);
        for needed in &closure.order {
            if !goes_on() {
                return None;
            }
            if work > MAX_WORK {
                return Some(vec![self.too_much_work(path, needed)]);
            }
            match self.models.get(needed) {
                Some(Ok(ModuleTarget::Bicep(model))) => {
                    let checked = self.checked(&model);
                    work += checked.work;
                    if needed == path {
                        return Some(checked.findings.to_vec());
                    }
                }
                Some(Err(fault)) if needed == path => return Some(vec![fault.at(syntax::Span::default())]),
                Some(Ok(ModuleTarget::Template(_)) | Err(_)) | None => {}
            }
        }
        Some(Vec::new())
    }
}

/// Which of some files need which.
fn dependents_of(
    files: &Cells<FilePath, Result<Arc<SourceFile>, UnlocatedFinding>>,
    checks: &Cells<FilePath, FileCheckResult>,
) -> Dependents {
    let found = Dependents::default();
    files.each(|path, file| {
        if let Ok(file) = file {
            found.add(path, targets(file));
        }
    });
    checks.each(|path, checked| found.add(path, checked.read.iter()));
    found
}

/// The files that a file refers to.
pub(super) fn targets(file: &SourceFile) -> impl Iterator<Item = &FilePath> {
    let references = match file {
        SourceFile::Bicep(file) => file.references.as_slice(),
        SourceFile::Template(_) => &[],
    };
    references.iter().filter_map(|reference| Some(&reference.target.as_ref().ok()?.path))
}

/// The surroundings of a file, with a list of what is read of them.
pub(super) struct ReadTracker<'c> {
    compiler: &'c Compiler,
    read: Mutex<BTreeSet<FilePath>>,
}

impl<'c> ReadTracker<'c> {
    /// Surroundings of which nothing was read.
    pub(super) fn new(compiler: &'c Compiler) -> ReadTracker<'c> {
        ReadTracker { compiler, read: Mutex::default() }
    }

    pub(super) fn into_read(self) -> Arc<[FilePath]> {
        self.read.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
    }

    fn note(&self, path: &FilePath) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
    }
}

impl CheckHost for ReadTracker<'_> {
    fn interface(&self, target: &ModuleTarget) -> Arc<Interface> {
        self.compiler.interface(target)
    }

    fn world(&self) -> &dyn World {
        self
    }

    fn today(&self) -> Option<Date> {
        self.compiler.today()
    }

    fn module_index(&self, path: &FilePath) -> Result<Arc<ModuleIndex>, String> {
        self.note(path);
        self.compiler.module_index(path)
    }

    fn recent_types(&self) -> &RecentTypes {
        self.compiler.recent_types()
    }

    fn lint(&self, checker: &mut Checker<'_>) {
        self.compiler.lint(checker);
    }

    fn is_core(&self, code: &str) -> bool {
        self.compiler.is_core(code)
    }
}

impl World for ReadTracker<'_> {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        self.note(path);
        self.compiler.world().read(path)
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.note(path);
        self.compiler.world().exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        self.note(folder);
        self.compiler.world().list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.compiler.world().variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.compiler.world().cache_root()
    }

    fn modules(&self) -> Option<FilePath> {
        self.compiler.world().modules()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        self.compiler.world().restore_failure(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generator, MemoryWorld};

    fn compiler(world: &MemoryWorld) -> Compiler {
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        Compiler::new(Arc::new(world.clone()), CompilerOptions::new(generator))
    }

    fn codes(compiler: &Compiler, path: &str) -> Vec<&'static str> {
        let found = compiler.check(&FilePath::new(path), &|| true).unwrap();
        found.iter().map(|finding| finding.code).collect()
    }

    const MAIN: &str = "module m 'm.bicep' = {\n  name: 'm'\n  params: { p: loadTextContent('p.txt') }\n}\n";

    fn world() -> MemoryWorld {
        MemoryWorld::default()
            .with_file("/main.bicep", MAIN)
            .with_file("/m.bicep", "param p string\noutput o string = p\n")
            .with_file("/other.bicep", "var unused = 1\n")
            .with_file("/p.txt", "text")
    }

    #[test]
    fn what_needs_a_changed_file_is_checked_again_and_the_rest_is_kept() {
        let before = compiler(&world());
        assert_eq!(codes(&before, "/main.bicep"), Vec::<&str>::new());
        assert_eq!(codes(&before, "/other.bicep"), ["no-unused-vars"]);
        let world = world().with_file("/m.bicep", "param p int\noutput o int = p\n");
        let after = before.with_changes(Arc::new(world), &[FilePath::new("/m.bicep")].into());
        let kept = |path: &str| after.checks.get(&FilePath::new(path)).is_some();
        assert_eq!(["/main.bicep", "/m.bicep", "/other.bicep"].map(kept), [false, false, true]);
        assert_eq!(codes(&after, "/main.bicep"), ["BCP036"]);
        assert_eq!(codes(&before, "/main.bicep"), Vec::<&str>::new());
    }

    #[test]
    fn what_loads_a_changed_file_is_checked_again() {
        let before = compiler(
            &world().with_file("/m.bicep", "@allowed(['text'])\nparam p string\noutput o string = p\n"),
        );
        assert_eq!(codes(&before, "/main.bicep"), Vec::<&str>::new());
        let world = world()
            .with_file("/m.bicep", "@allowed(['text'])\nparam p string\noutput o string = p\n")
            .with_file("/p.txt", "other");
        let after = before.with_changes(Arc::new(world), &[FilePath::new("/p.txt")].into());
        assert!(after.checks.get(&FilePath::new("/m.bicep")).is_some());
        assert_eq!(codes(&after, "/main.bicep"), ["BCP036"]);
    }

    #[test]
    fn a_check_that_is_not_wanted_any_more_ends() {
        let compiler = compiler(&world());
        assert_eq!(compiler.check(&FilePath::new("/main.bicep"), &|| false), None);
    }

    #[test]
    fn what_no_entry_needs_is_forgotten() {
        let before = compiler(&world());
        codes(&before, "/main.bicep");
        codes(&before, "/other.bicep");
        let after = before.only(&[FilePath::new("/main.bicep")].into());
        let kept = |path: &str| after.files.get(&FilePath::new(path)).is_some();
        assert_eq!(["/main.bicep", "/m.bicep", "/other.bicep"].map(kept), [true, true, false]);
        assert!(after.checks.get(&FilePath::new("/m.bicep")).is_some());
        // What is kept still knows what it needs.
        let needs = after.dependents(&[FilePath::new("/p.txt")].into());
        assert!(needs.contains(&FilePath::new("/main.bicep")));
        assert_eq!(codes(&after, "/other.bicep"), ["no-unused-vars"]);
    }

    #[test]
    fn pairs_of_files_do_not_pile_up() {
        let mut compiler = compiler(&world());
        for turn in 0..5000 {
            let main = format!("module m 'm{turn}.bicep' = {{\n  name: 'm'\n}}\n");
            let world = world().with_file("/main.bicep", &main);
            compiler = compiler.with_changes(Arc::new(world), &[FilePath::new("/main.bicep")].into());
            assert_eq!(codes(&compiler, "/main.bicep"), ["BCP091"]);
        }
        assert!(compiler.dependents.count() < 2 * SLACK, "{}", compiler.dependents.count());
    }
}
