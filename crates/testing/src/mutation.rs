//! Mutation: which small changes of programs the tests notice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bicep::files::{FolderEntry, ReadError, Reference, RestoreFailure, SourceFile};
use bicep::{Compiler, FilePath, World};
use serde::Serialize;
use syntax::SyntaxTree;

use crate::mutants::{Change, OPERATORS, changes};
use crate::outcome::{PlacePoint, SourcePlace, TestStatus};
use crate::schedule;
use crate::session::{RunOptions, Session};
use crate::threads::parallel;

/// The most changes that are tried in one run.
const MOST: usize = 20_000;

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MutantStatus {
    /// A test failed.
    Killed,
    /// No test failed.
    Survived,
    /// The program does not compile with it.
    Invalid,
    /// The template is the same with it.
    Equivalent,
}

/// A change and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Mutant {
    /// The kind of change.
    pub operator: &'static str,
    /// The file, as people know it.
    pub file: String,
    /// Where the place begins.
    pub start: PlacePoint,
    /// The place behind it.
    pub end: PlacePoint,
    /// What is written there.
    pub original: String,
    /// What was written instead.
    pub replacement: String,
    /// What became of it.
    pub status: MutantStatus,
    /// The id of the test that noticed it.
    #[serde(rename = "killedBy")]
    pub killed_by: Option<String>,
    /// The line that it is in.
    #[serde(skip)]
    pub line: String,
}

/// All changes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MutationRun {
    /// In the order of files and places.
    pub mutants: Vec<Mutant>,
    /// How many were noticed.
    pub killed: usize,
    /// How many were not.
    pub survived: usize,
    /// Killed of killed and survived; one if there are none.
    pub score: f64,
}

/// A world with one file other than it is.
struct EditedWorld {
    world: Arc<dyn World>,
    path: FilePath,
    text: Arc<[u8]>,
}

impl World for EditedWorld {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        if *path == self.path { Ok(Arc::clone(&self.text)) } else { self.world.read(path) }
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.world.exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        self.world.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.world.variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.world.cache_root()
    }

    fn modules(&self) -> Option<FilePath> {
        self.world.modules()
    }

    fn restore_failure(&self, reference: &Reference) -> Option<RestoreFailure> {
        self.world.restore_failure(reference)
    }
}

/// Whether a file is one that people edit: not one of a registry.
fn is_local(compiler: &Compiler, path: &FilePath) -> bool {
    let cache = compiler.world().cache_root();
    let roots = [Some(cache), compiler.world().modules()];
    roots.into_iter().flatten().all(|root| !path.as_str().starts_with(&format!("{root}/")))
}

/// A program and the test files that run it.
struct MutatedProgram {
    path: FilePath,
    source: Arc<SourceFile>,
    tests: Vec<FilePath>,
    /// The programs that it is a part of, which tests name.
    entries: BTreeSet<FilePath>,
}

/// The programs that the tests of files run, with all that they are made of, sorted.
pub(crate) fn local_programs(session: &Session<'_>, files: &[FilePath]) -> Vec<FilePath> {
    programs(session, files).into_iter().map(|program| program.path).collect()
}

fn tree(source: &SourceFile) -> Option<&SyntaxTree> {
    match source {
        SourceFile::Bicep(file) => Some(&file.tree),
        SourceFile::Template(_) => None,
    }
}

/// The programs of test files, with all that they are made of.
fn programs(session: &Session<'_>, files: &[FilePath]) -> Vec<MutatedProgram> {
    let compiler = session.compiler;
    let mut found: BTreeMap<FilePath, (BTreeSet<FilePath>, BTreeSet<FilePath>)> = BTreeMap::new();
    for file in files {
        for test in compiler.test_file(file).tests {
            let Some(entry) = test.program else { continue };
            for needed in compiler.needed(&entry) {
                if needed.extension().eq_ignore_ascii_case(".bicep") && is_local(compiler, &needed) {
                    let known = found.entry(needed).or_default();
                    known.0.insert(file.clone());
                    known.1.insert(entry.clone());
                }
            }
        }
    }
    let made = found.into_iter().filter_map(|(path, (tests, entries))| {
        let source = compiler.file(&path).ok()?;
        Some(MutatedProgram { path, source, tests: tests.into_iter().collect(), entries })
    });
    made.collect()
}

/// Tries all changes of the programs that tests run. The tests pass without them.
pub fn mutate(
    session: &Session<'_>,
    world: &Arc<dyn World>,
    files: &[FilePath],
    operators: &BTreeSet<String>,
) -> MutationRun {
    let wanted: BTreeSet<&str> = operators.iter().map(String::as_str).collect();
    let programs = programs(session, files);
    let mut all = Vec::new();
    for program in &programs {
        let Some(tree) = tree(&program.source) else { continue };
        let place = Arc::new(session.place_file(&program.path));
        for change in changes(tree, &wanted) {
            all.push((program, change, Arc::clone(&place)));
        }
    }
    all.truncate(MOST);
    let cells: Vec<OnceLock<Option<Mutant>>> = all.iter().map(|_| OnceLock::new()).collect();
    let both: Vec<_> = all.iter().zip(&cells).collect();
    parallel(session.options.jobs, &both, |((program, change, place), cell)| {
        drop(cell.set(tried(session, world, program, change, &place.place(change.span))));
    });
    let mutants: Vec<Mutant> = cells.into_iter().filter_map(OnceLock::into_inner).flatten().collect();
    let count = |status: MutantStatus| mutants.iter().filter(|it| it.status == status).count();
    let (killed, survived) = (count(MutantStatus::Killed), count(MutantStatus::Survived));
    let score = match killed + survived {
        0 => 1.0,
        all => killed as f64 / all as f64,
    };
    MutationRun { mutants, killed, survived, score }
}

/// What becomes of a change; none if it cannot be meant, as the loss of a property that is required.
fn tried(
    session: &Session<'_>,
    world: &Arc<dyn World>,
    program: &MutatedProgram,
    change: &Change,
    place: &SourcePlace,
) -> Option<Mutant> {
    let text = tree(&program.source)?.text();
    let (start, end) = (change.edit.start as usize, change.edit.end as usize);
    let edited = format!("{}{}{}", text.get(..start)?, change.replacement, text.get(end..)?);
    let original = text.get(change.span.start as usize..change.span.end as usize)?.to_owned();
    let world: Arc<dyn World> = Arc::new(EditedWorld {
        world: Arc::clone(world),
        path: program.path.clone(),
        text: edited.into_bytes().into(),
    });
    let changed = BTreeSet::from([program.path.clone()]);
    let compiler = session.compiler.with_changes(Arc::clone(&world), &changed);
    let mut made = Mutant {
        operator: change.operator,
        file: place.file.clone(),
        start: place.start,
        end: place.end,
        original,
        replacement: change.replacement.clone(),
        status: MutantStatus::Equivalent,
        killed_by: None,
        line: place.line.clone(),
    };
    for entry in &program.entries {
        let (before, after) = (session.compiler.compile(entry), compiler.compile(entry));
        if change.operator == "property" && missing(&after) > missing(&before) {
            return None;
        }
        if after.template.is_none() {
            made.status = MutantStatus::Invalid;
            return Some(made);
        }
        if after.template != before.template {
            made.status = MutantStatus::Survived;
        }
    }
    if made.status == MutantStatus::Equivalent {
        return Some(made);
    }
    let plain = session.plain.with_changes(world, &changed);
    let options =
        RunOptions { jobs: 1, fail_fast: true, shard: None, update: false, ..session.options.clone() };
    let types = Arc::clone(&session.types);
    let mutated = Session::new(&compiler, &plain, types, options, session.host);
    let first: Mutex<Option<String>> = Mutex::default();
    if let Ok((run, _)) = schedule::run(&mutated, &program.tests) {
        // A test file that does not compile with it says nothing of its tests.
        if run.files.iter().any(|file| !file.errors.is_empty()) {
            made.status = MutantStatus::Invalid;
            return Some(made);
        }
        let tests = run.files.iter().flat_map(|file| &file.tests);
        let failed = tests.into_iter().find(|test| test.status == TestStatus::Failed);
        *first.lock().unwrap_or_else(PoisonError::into_inner) = failed.map(|test| test.id.clone());
    }
    made.killed_by = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    if made.killed_by.is_some() {
        made.status = MutantStatus::Killed;
    }
    Some(made)
}

/// How much the compiler itself complains about, linter rules aside: a property that is required is missed.
fn missing(compilation: &bicep::Compilation) -> usize {
    let found = compilation.findings.iter().flat_map(|(_, found)| found.iter());
    found.filter(|finding| finding.code.starts_with("BCP")).count()
}

/// Reads a list of operators, separated by commas.
pub fn operators(list: &str) -> Result<BTreeSet<String>, String> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let known = |name: &str| match OPERATORS.contains(&name) {
        true => Ok(name.to_owned()),
        false => {
            let near = diagnostics::suggest(name, OPERATORS.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            let all = || format!("; there are {}", OPERATORS.join(", "));
            Err(format!("there is no operator `{name}`{}", near.unwrap_or_else(all)))
        }
    };
    names.map(known).collect()
}

impl MutationRun {
    /// What was not noticed, for people, and how much was.
    pub fn people(&self) -> String {
        let mut text = String::new();
        for mutant in self.mutants.iter().filter(|it| it.status == MutantStatus::Survived) {
            let Mutant { operator, file, start, original, replacement, line, .. } = mutant;
            let what = match replacement.as_str() {
                "" => format!("without `{}`", first_line(original)),
                other => format!("with `{}` in place of `{}`", first_line(other), first_line(original)),
            };
            text.push_str(&format!(
                "{file}:{}:{}: survived: {operator}: no test fails {what}\n",
                start.line, start.column
            ));
            text.push_str(&format!("  {} | {line}\n  = help: {}\n", start.line, hint(operator)));
        }
        let count = |status: MutantStatus| self.mutants.iter().filter(|it| it.status == status).count();
        text.push_str(&format!(
            "mutation: {} of {} changes were noticed ({:.0} %); {} survived, {} invalid, {} equivalent\n",
            self.killed,
            self.killed + self.survived,
            self.score * 100.0,
            self.survived,
            count(MutantStatus::Invalid),
            count(MutantStatus::Equivalent)
        ));
        text
    }
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim();
    if lines.next().is_some() { format!("{first} ...") } else { first.to_owned() }
}

/// What assert is missing.
fn hint(operator: &str) -> &'static str {
    match operator {
        "condition" => "assert that the resource is there in one case, and null in another",
        "ternary" | "coalesce" | "logical" | "comparison" => {
            "add a case for each side, and assert what depends on it"
        }
        "arithmetic" | "literal" => "assert the value that it is a part of",
        "bound" | "constraint" => {
            "add cases at the bound and beyond it, the latter with `expect: { failure: ... }`"
        }
        "validator" => "add a case that it refuses, with `expect: { failure: ... }`",
        "dependency" => "assert the order with `deployedBefore`",
        "loop" => "assert how many there are, and the last of them",
        _ => "assert the property with `matches`",
    }
}
