//! The tests of one file: their cases, in the order in which they need each other, and the asserts that belong to them.

mod failures;
mod judging;
mod snapshot_judging;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use arm::Value;
use bicep::{FilePath, Finding, TestFile};
use smol_str::SmolStr;

use crate::body::{self, BodyError, CaseBody};
use crate::evaluation::{Around, TestTemplate};
use crate::outcome::{FailureKind, FileOutcome, TestFailure, TestOutcome, TestStatus};
use crate::places::PlaceFile;
use crate::program::Program;
use crate::run::CaseRun;
use crate::session::Session;
use crate::setup::{CaseSetup, mocks_of};
use crate::snapshots::Snapshots;
use crate::threads::parallel;

/// How many characters of a condition are shown.
const MOST_SOURCE: usize = 200;

/// The code of an error of a program about its own asserts.
const ASSERTION_FAILED: &str = "DeploymentAssertionFailed";

/// A test or fact that can be run by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CaseId {
    /// The test by its position; the assert, for a fact.
    item: Item,
    case: usize,
    pub(crate) id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Test(usize),
    Fact(usize),
}

/// How a case ended.
enum CaseEnd {
    Ran(Box<CaseRun>),
    /// Its parameters are generated, and it is run with each of them when it is judged.
    Generated,
    Broken(BodyError),
    Skipped(String),
}

/// A case and what came of it.
struct Case {
    body: Result<CaseBody, BodyError>,
    label: Option<String>,
    id: String,
    end: OnceLock<(CaseEnd, f64)>,
}

/// A test file that compiles, and what was run of it.
pub(crate) struct FileRun<'s> {
    session: &'s Session<'s>,
    path: FilePath,
    name: String,
    place: PlaceFile,
    template: TestTemplate,
    declared: TestFile,
    /// By test; once its body was evaluated.
    cases: Vec<OnceLock<Result<Vec<Case>, BodyError>>>,
    /// What is wrong with programs of its tests: those do not run.
    errors: FileOutcome,
    /// The snapshots that are kept, or why they cannot be read.
    kept: OnceLock<Result<Snapshots, String>>,
    /// The snapshots of this run.
    taken: Mutex<BTreeMap<String, Value>>,
}

/// Reads a test file; of one with errors, what is wrong.
pub(crate) fn read<'s>(session: &'s Session<'s>, path: &FilePath) -> Result<FileRun<'s>, FileOutcome> {
    let name = session.host.shown(path);
    let compilation = session.compiler.compile(path);
    let declared = session.compiler.test_file(path);
    let mut outcome = FileOutcome { file: name.clone(), ..FileOutcome::default() };
    for (file, found) in &compilation.findings {
        let wrong: Vec<Finding> = found.iter().filter(|finding| finding.is_error()).cloned().collect();
        for error in session.host.errors(session.compiler, file, &wrong) {
            outcome.errors.push(error.json);
            outcome.error_texts.push(error.text);
        }
    }
    let place = session.place_file(path);
    let template = match &compilation.template {
        Some(text) => TestTemplate::read(text),
        None => Err("the test file has errors".to_owned()),
    };
    match template {
        Ok(template) => Ok(FileRun {
            session,
            errors: FileOutcome { ran: true, ..outcome },
            path: path.clone(),
            name,
            place,
            template,
            cases: declared.tests.iter().map(|_| OnceLock::new()).collect(),
            declared,
            kept: OnceLock::new(),
            taken: Mutex::default(),
        }),
        Err(why) => {
            // A file without findings whose template cannot be read: it is too large, or the compiler has a defect.
            if outcome.errors.is_empty() {
                outcome.errors.push(serde_json::json!({
                    "code": "InvalidTemplate", "severity": "error", "message": &why, "file": &name,
                    "start": null, "end": null, "labels": [], "help": [], "fixes": [], "docs": null,
                }));
                outcome.error_texts.push(format!("error[InvalidTemplate]: {name}: {why}\n"));
            }
            let broken: BTreeSet<&FilePath> = compilation
                .findings
                .iter()
                .filter(|(file, found)| file != path && found.iter().any(Finding::is_error))
                .map(|(file, _)| file)
                .collect();
            for test in &declared.tests {
                let is_broken = test.program.as_ref().is_some_and(|program| {
                    session.compiler.needed(program).iter().any(|needed| broken.contains(needed))
                });
                let message = match is_broken {
                    true => format!("`{}` does not compile", test.written),
                    false => "not run, because the test file or another program has errors".to_owned(),
                };
                let span = syntax::Span::new(test.start, test.span.end);
                let failure = TestFailure {
                    kind: FailureKind::Error,
                    code: None,
                    name: None,
                    message,
                    place: Some(place.place(test.span)),
                    details: None,
                };
                outcome.tests.push(TestOutcome {
                    name: test.name.clone(),
                    case: None,
                    id: format!("{name}::{}", test.name),
                    program: Some(test.written.clone()),
                    status: TestStatus::Failed,
                    seconds: 0.0,
                    asserts: Vec::new(),
                    failures: vec![failure],
                    generated: None,
                    reason: None,
                    place: Some(place.place(span)),
                });
            }
            Err(outcome)
        }
    }
}

impl FileRun<'_> {
    /// The file, as people know it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What is wrong with programs of its tests, without a test.
    pub(crate) fn errors(&self) -> &FileOutcome {
        &self.errors
    }

    /// All tests and facts in source order, each case for itself.
    pub(crate) fn ids(&self) -> Vec<CaseId> {
        let mut placed: Vec<(u32, Item)> = Vec::new();
        for (place, test) in self.declared.tests.iter().enumerate() {
            placed.push((test.start, Item::Test(place)));
        }
        for (place, assert) in self.declared.asserts.iter().enumerate() {
            if assert.tests.is_empty() {
                placed.push((assert.span.start, Item::Fact(place)));
            }
        }
        placed.sort_unstable();
        let mut ids = Vec::new();
        for (_, item) in placed {
            match item {
                Item::Fact(place) => {
                    let Some(assert) = self.declared.asserts.get(place) else { continue };
                    ids.push(CaseId { item, case: 0, id: format!("{}::{}", self.name, assert.name) });
                }
                Item::Test(place) => match self.cases_of(place) {
                    Ok(cases) => ids.extend(cases.iter().enumerate().map(|(case, it)| CaseId {
                        item,
                        case,
                        id: it.id.clone(),
                    })),
                    // Its body cannot be read: that is what running it tells.
                    Err(_) => {
                        let name = self.declared.tests.get(place).map_or("", |test| test.name.as_str());
                        ids.push(CaseId { item, case: 0, id: format!("{}::{name}", self.name) });
                    }
                },
            }
        }
        ids
    }

    fn cases_of(&self, test: usize) -> Result<&[Case], &BodyError> {
        let none = &[];
        let Some(cell) = self.cases.get(test) else { return Ok(none) };
        cell.get_or_init(|| self.read_cases(test)).as_ref().map(Vec::as_slice)
    }

    /// Evaluates the body of a test. Tests need each other without circles, which the compiler sees to.
    fn read_cases(&self, test: usize) -> Result<Vec<Case>, BodyError> {
        let Some(declared) = self.declared.tests.get(test) else { return Ok(Vec::new()) };
        let id = format!("{}::{}", self.name, declared.name);
        let results = self.results(&declared.needs)?;
        let default = body::read(None, &Value::object::<SmolStr>([]))?;
        let evaluate = |around: &Around| {
            let made = self.template.with(around, results.clone());
            made.and_then(|it| it.body(&declared.name)).map_err(|why| BodyError::new("", why))
        };
        let around = Around::default_of(&id, default.time);
        let whole = evaluate(&around)?;
        let mut cases = Vec::new();
        for (place, (label, body)) in body::cases(&whole)?.into_iter().enumerate() {
            let id = match &label {
                Some(label) => format!("{id}[{label}]"),
                None => id.clone(),
            };
            let scope = body::scope_of(&body)?;
            // Functions such as `resourceId` speak of where the case goes.
            let body = match scope.filter(|scope| *scope != around.scope) {
                Some(scope) => {
                    let whole = evaluate(&Around { scope, ..around.clone() })?;
                    body::cases(&whole)?.into_iter().nth(place).map_or(body, |(_, body)| body)
                }
                None => body,
            };
            let body = body::read(label.clone(), &body).map_err(|error| within(&label, error));
            cases.push(Case { body, label, id, end: OnceLock::new() });
        }
        Ok(cases)
    }

    /// The results of tests by their names, all of which have one case. They are run if they were not before.
    fn results(&self, tests: &[usize]) -> Result<Vec<(SmolStr, Value)>, BodyError> {
        let mut results = Vec::with_capacity(tests.len());
        for needed in tests {
            let Some(declared) = self.declared.tests.get(*needed) else { continue };
            let name = &declared.name;
            let run = self.single(*needed)?;
            match run {
                CaseEnd::Ran(run) => results.push((name.as_str().into(), run.value.clone())),
                CaseEnd::Broken(_) => {
                    return Err(BodyError::new(
                        "",
                        format!("it needs the test `{name}`, which cannot be run"),
                    ));
                }
                CaseEnd::Skipped(_) => {
                    return Err(BodyError::new("", format!("it needs the test `{name}`, which is skipped")));
                }
                CaseEnd::Generated => {
                    let message = format!("it needs the test `{name}`, whose parameters are generated");
                    return Err(BodyError::new("", message));
                }
            }
        }
        Ok(results)
    }

    /// The one case of a test, which is run if it was not before.
    fn single(&self, test: usize) -> Result<&CaseEnd, BodyError> {
        let name = self.declared.tests.get(test).map_or("", |test| test.name.as_str());
        let cases = self.cases_of(test);
        let cases = cases
            .map_err(|_| BodyError::new("", format!("it needs the test `{name}`, which cannot be run")))?;
        match cases {
            [case] if case.label.is_none() => Ok(self.end_of(test, case)),
            _ => Err(BodyError::new("", format!("it needs the test `{name}`, which has a table of cases"))),
        }
    }

    /// What comes of a case, which is run if it was not before.
    fn end_of<'c>(&'c self, test: usize, case: &'c Case) -> &'c CaseEnd {
        let (end, _) = case.end.get_or_init(|| {
            let began = Instant::now();
            let end = match &case.body {
                Err(error) => CaseEnd::Broken(error.clone()),
                Ok(body) => match &body.skip {
                    Some(reason) => CaseEnd::Skipped(reason.clone()),
                    None if body.generate.is_some() => CaseEnd::Generated,
                    None => match self.run_case(test, case, body) {
                        Ok(run) => CaseEnd::Ran(Box::new(run)),
                        Err(error) => CaseEnd::Broken(within(&case.label, error)),
                    },
                },
            };
            (end, began.elapsed().as_secs_f64())
        });
        end
    }

    fn program(&self, test: usize) -> Option<Arc<Program>> {
        let declared = self.declared.tests.get(test)?;
        declared.program.as_ref().map(|path| self.session.program(path))
    }

    fn run_case(&self, test: usize, case: &Case, body: &CaseBody) -> Result<CaseRun, BodyError> {
        let program = self.program(test).ok_or_else(|| BodyError::new("", "the program cannot be had"))?;
        if program.template.is_none() && !self.errors.errors.is_empty() {
            let written = self.declared.tests.get(test).map_or("", |test| test.written.as_str());
            return Err(BodyError::new("", format!("`{written}` does not compile")));
        }
        let before = match &body.after {
            None => None,
            Some(name) => {
                let place = self.declared.tests.iter().position(|test| test.name == *name);
                let place =
                    place.ok_or_else(|| BodyError::new("after", format!("there is no test `{name}`")))?;
                match self.single(place)? {
                    CaseEnd::Ran(run) => Some(&run.left),
                    CaseEnd::Broken(_) | CaseEnd::Skipped(_) | CaseEnd::Generated => {
                        let message = format!("the test `{name}` before it was not run");
                        return Err(BodyError::new("after", message));
                    }
                }
            }
        };
        let folder = self.path.folder();
        let setup = CaseSetup { before, ..self.setup(&program, case, body, &folder)? };
        setup.run()
    }

    /// What a case runs with, in an empty state.
    fn setup<'c>(
        &'c self,
        program: &'c Program,
        case: &'c Case,
        body: &'c CaseBody,
        folder: &'c FilePath,
    ) -> Result<CaseSetup<'c>, BodyError> {
        let mocks = mocks_of(body)?;
        Ok(CaseSetup { session: self.session, program, body, folder, id: &case.id, before: None, mocks })
    }

    /// Runs cases side by side.
    pub(crate) fn run_all(&self, wanted: &[CaseId], jobs: usize) {
        parallel(jobs, wanted, |id| {
            if let Item::Test(test) = id.item
                && let Ok(cases) = self.cases_of(test)
                && let Some(case) = cases.get(id.case)
            {
                self.end_of(test, case);
            }
        });
    }

    /// What is reported of a test or fact. It is run if it was not before.
    pub(crate) fn outcome(&self, wanted: &CaseId) -> TestOutcome {
        match wanted.item {
            Item::Fact(place) => self.fact(place, wanted),
            Item::Test(test) => self.test(test, wanted),
        }
    }

    fn fact(&self, place: usize, wanted: &CaseId) -> TestOutcome {
        let began = Instant::now();
        let mut outcome = TestOutcome {
            name: String::new(),
            case: None,
            id: wanted.id.clone(),
            program: None,
            status: TestStatus::Passed,
            seconds: 0.0,
            asserts: Vec::new(),
            failures: Vec::new(),
            generated: None,
            reason: None,
            place: None,
        };
        let Some(assert) = self.declared.asserts.get(place) else { return outcome };
        outcome.name.clone_from(&assert.name);
        outcome.place = Some(self.place.place(assert.span));
        let default = body::read(None, &Value::object::<SmolStr>([]));
        let around = default.map(|body| Around::default_of(&wanted.id, body.time));
        if let Ok(around) = around {
            self.judge(assert, &around, Vec::new(), &mut outcome);
        }
        outcome.seconds = began.elapsed().as_secs_f64();
        settled(outcome)
    }

    fn test(&self, test: usize, wanted: &CaseId) -> TestOutcome {
        let empty = TestFile::default();
        let declared = self.declared.tests.get(test).or(empty.tests.first());
        let mut outcome = TestOutcome {
            name: declared.map(|it| it.name.clone()).unwrap_or_default(),
            case: None,
            id: wanted.id.clone(),
            program: declared.map(|it| it.written.clone()),
            status: TestStatus::Passed,
            seconds: 0.0,
            asserts: Vec::new(),
            failures: Vec::new(),
            generated: None,
            reason: None,
            place: declared.map(|it| self.place.place(it.span)),
        };
        let Some(declared) = declared else { return outcome };
        let case = match self.cases_of(test) {
            Ok(cases) => cases.get(wanted.case),
            Err(error) => {
                outcome.failures.push(self.body_failure(declared, error));
                return settled(outcome);
            }
        };
        let Some(case) = case else { return outcome };
        outcome.case.clone_from(&case.label);
        let end = self.end_of(test, case);
        let began = Instant::now();
        match end {
            CaseEnd::Skipped(reason) => {
                outcome.status = TestStatus::Skipped;
                outcome.reason = Some(reason.clone());
                return outcome;
            }
            CaseEnd::Broken(error) => outcome.failures.push(self.body_failure(declared, error)),
            CaseEnd::Generated => {
                if let Ok(body) = &case.body {
                    self.judge_generated(test, declared, case, body, &mut outcome);
                }
            }
            CaseEnd::Ran(run) => {
                if let Ok(body) = &case.body {
                    self.judge_run(test, declared, case, body, run, &mut outcome);
                }
            }
        }
        let ran = case.end.get().map_or(0.0, |(_, seconds)| *seconds);
        outcome.seconds = ran + began.elapsed().as_secs_f64();
        settled(outcome)
    }
}

/// An error in a case, at the place of the case.
fn within(label: &Option<String>, error: BodyError) -> BodyError {
    match label {
        Some(label) if !error.member.starts_with("cases.") && !error.member.is_empty() => {
            BodyError { member: format!("cases.{label}.{}", error.member), ..error }
        }
        _ => error,
    }
}

fn settled(mut outcome: TestOutcome) -> TestOutcome {
    if !outcome.failures.is_empty() {
        outcome.status = TestStatus::Failed;
    }
    outcome
}

fn json(value: &Value) -> Option<serde_json::Value> {
    serde_json::from_str(&value.to_json()).ok()
}
