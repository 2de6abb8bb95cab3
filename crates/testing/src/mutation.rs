//! Mutation: which small changes of programs the tests notice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use arm::Value;
use arm::template::code;
use bicep::files::SourceFile;
use bicep::{EditedWorld, FilePath, World};
use serde::Serialize;
use smol_str::SmolStr;
use syntax::SyntaxTree;

use crate::body::{self, ParamsLayer};
use crate::generate;
use crate::mutants::{Change, OPERATORS, changes};
use crate::outcome::{PlacePoint, SourcePlace, TestFailure, TestStatus};
use crate::program::is_template;
use crate::schedule;
use crate::session::{RunOptions, Session, SnapshotWrites};
use crate::setup::CaseSetup;
use crate::snapshots;
use crate::threads::parallel;

/// The most changes that are tried in one run.
const MOST: usize = 20_000;

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MutantStatus {
    /// A test noticed it.
    Killed,
    /// All tests passed with it.
    Survived,
    /// The program does not compile with it.
    Invalid,
    /// The template is the same with it.
    Equivalent,
    /// With it, a case took more work than it may: it counts as noticed.
    Timeout,
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

/// All changes that were tried, with the score.
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
                // Of templates, those are told that tests run themselves.
                let is_program = needed.extension().eq_ignore_ascii_case(".bicep")
                    || (needed == entry && is_template(&entry));
                if is_program && session.is_local(&needed) {
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
    tried_all(session, world, files, operators, &by_tests)
}

/// Tries all changes of a program without tests: one is noticed if with some generated parameters another thing is predicted than without it, or
/// another error comes of it. None if no parameters can be generated, with which every change would survive.
pub fn mutate_generated(
    session: &Session<'_>,
    world: &Arc<dyn World>,
    file: &FilePath,
    operators: &BTreeSet<String>,
) -> Option<MutationRun> {
    let predictions = Predictions::of(session, file).filter(|predictions| !predictions.sets.is_empty())?;
    let judge: Judge<'_> = &|mutated, _| predictions.judge(mutated);
    Some(tried_all(session, world, std::slice::from_ref(file), operators, judge))
}

/// What notices a change, if anything does.
enum Verdict {
    Survived,
    Killed(String),
    /// It took too much work; the test that did.
    Timeout(String),
}

type Judge<'j> = &'j (dyn Fn(&Session<'_>, &MutatedProgram) -> Verdict + Sync);

fn tried_all(
    session: &Session<'_>,
    world: &Arc<dyn World>,
    files: &[FilePath],
    operators: &BTreeSet<String>,
    judge: Judge<'_>,
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
        drop(cell.set(tried(session, world, program, change, &place.place(change.span), judge)));
    });
    MutationRun::new(cells.into_iter().filter_map(OnceLock::into_inner).flatten().collect())
}

/// What becomes of a change; none if it cannot be meant, as the loss of a property that is required.
fn tried(
    session: &Session<'_>,
    world: &Arc<dyn World>,
    program: &MutatedProgram,
    change: &Change,
    place: &SourcePlace,
    judge: Judge<'_>,
) -> Option<Mutant> {
    let text = tree(&program.source)?.text();
    let (start, end) = (change.edit.start as usize, change.edit.end as usize);
    let edited = format!("{}{}{}", text.get(..start)?, change.replacement, text.get(end..)?);
    let original = text.get(change.span.start as usize..change.span.end as usize)?.to_owned();
    let world: Arc<dyn World> = Arc::new(EditedWorld::new(Arc::clone(world), program.path.clone(), &edited));
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
    let options = RunOptions {
        jobs: 1,
        fail_fast: true,
        shard: None,
        snapshots: SnapshotWrites::None,
        ..session.options.clone()
    };
    let types = Arc::clone(&session.types);
    let mutated = Session::new(&compiler, &plain, types, options, session.host);
    (made.status, made.killed_by) = match judge(&mutated, program) {
        Verdict::Survived => (MutantStatus::Survived, None),
        Verdict::Killed(by) => (MutantStatus::Killed, Some(by)),
        Verdict::Timeout(by) => (MutantStatus::Timeout, Some(by)),
    };
    Some(made)
}

/// Whether the tests of a program notice a change: the first one that fails does.
fn by_tests(mutated: &Session<'_>, program: &MutatedProgram) -> Verdict {
    let Ok((run, _)) = schedule::run(mutated, &program.tests) else { return Verdict::Survived };
    // The tests of a file that does not compile with it fail as well: a value in it breaks a bound that was moved.
    let mut tests = run.files.iter().flat_map(|file| &file.tests);
    let Some(failed) = tests.find(|test| test.status == TestStatus::Failed) else { return Verdict::Survived };
    let is_over = |failure: &TestFailure| failure.code.as_deref() == Some(code::BUDGET_EXCEEDED);
    match failed.failures.iter().any(is_over) {
        true => Verdict::Timeout(failed.id.clone()),
        false => Verdict::Killed(failed.id.clone()),
    }
}

/// What a program predicts with generated parameters.
struct Predictions {
    program: FilePath,
    folder: FilePath,
    id: String,
    sets: Vec<Vec<(SmolStr, Value)>>,
    /// By set the prediction as text, or the error.
    outcomes: Vec<Result<String, String>>,
}

impl Predictions {
    fn of(session: &Session<'_>, file: &FilePath) -> Option<Predictions> {
        let declared = session.compiler.test_file(file).tests.into_iter().next()?;
        let path = declared.program?;
        let program = session.program(&path);
        let template = program.template.as_deref()?;
        let literals = session.literals(&program.main);
        let given = |name: &str| program.inputs.get(name).is_some();
        let seed = session.options.seed.unwrap_or_default();
        let source = generate::GenerationInput {
            template,
            given: &given,
            max: None,
            literals: &literals,
            names: &program.names,
            seed,
        };
        let count = session.options.count.unwrap_or(generate::DEFAULT_COUNT).min(generate::MOST_COUNT);
        let sets = generate::parameter_sets(&source, count);
        let id = format!("{}::{}", session.host.shown(file), declared.name);
        let mut made = Predictions { program: path, folder: file.folder(), id, sets, outcomes: Vec::new() };
        let outcomes: Vec<OnceLock<Result<String, String>>> =
            made.sets.iter().map(|_| OnceLock::new()).collect();
        let both: Vec<_> = made.sets.iter().zip(&outcomes).collect();
        parallel(session.options.jobs, &both, |(set, cell)| drop(cell.set(made.outcome(session, set))));
        made.outcomes = outcomes.into_iter().filter_map(OnceLock::into_inner).collect();
        Some(made)
    }

    fn outcome(&self, session: &Session<'_>, set: &[(SmolStr, Value)]) -> Result<String, String> {
        let program = session.program(&self.program);
        let empty = Value::object::<SmolStr>([]);
        let mut body = body::read(None, &empty).map_err(|error| error.message)?;
        body.params.push(ParamsLayer::Values(Value::object(set.iter().cloned())));
        let setup = CaseSetup {
            session,
            program: &program,
            body: &body,
            folder: &self.folder,
            id: &self.id,
            before: None,
            mocks: Arc::default(),
        };
        snapshots::whole_prediction(&setup).map_err(|error| error.message)
    }

    fn judge(&self, mutated: &Session<'_>) -> Verdict {
        let both = self.sets.iter().zip(&self.outcomes);
        match both.into_iter().any(|(set, before)| self.outcome(mutated, set) != *before) {
            true => Verdict::Killed(self.id.clone()),
            false => Verdict::Survived,
        }
    }
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
    fn new(mutants: Vec<Mutant>) -> MutationRun {
        let count = |status: MutantStatus| mutants.iter().filter(|it| it.status == status).count();
        let killed = count(MutantStatus::Killed) + count(MutantStatus::Timeout);
        let survived = count(MutantStatus::Survived);
        let score = match killed + survived {
            0 => 1.0,
            all => killed as f64 / all as f64,
        };
        MutationRun { mutants, killed, survived, score }
    }

    /// The changes that were not noticed, each with its line and a hint.
    pub fn survivors(&self) -> Vec<String> {
        let survived = self.mutants.iter().filter(|it| it.status == MutantStatus::Survived);
        let told = survived.map(|mutant| {
            let Mutant { operator, file, start, original, replacement, line, .. } = mutant;
            let what = match replacement.as_str() {
                "" => format!("without `{}`", first_line(original)),
                other => format!("with `{}` in place of `{}`", first_line(other), first_line(original)),
            };
            let (number, column) = (start.line, start.column);
            let head = format!("{file}:{number}:{column}: survived: {operator}: no test fails {what}\n");
            format!("{head}  {number} | {line}\n  = help: {}\n", hint(operator))
        });
        told.collect()
    }

    /// What was not noticed, for people, and how much was.
    pub fn people(&self) -> String {
        let mut text = self.survivors().concat();
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
