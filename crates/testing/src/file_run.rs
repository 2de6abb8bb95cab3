//! The tests of one file: their cases, in the order in which they need each other, and the asserts that belong to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use arm::{MASK, Value};
use bicep::{DeclaredAssert, DeclaredTest, FilePath, Finding, TestFile};
use engine::Failure;
use smol_str::SmolStr;

use crate::body::{self, BodyError, CaseBody, ParamsLayer};
use crate::checks::{self, CheckFinding};
use crate::evaluation::{Around, Evaluation, TestTemplate};
use crate::generate::{self, Trial};
use crate::matching::{mismatch, shown, shown_pattern};
use crate::outcome::{
    AssertOutcome, FailureKind, FileOutcome, GeneratedCases, SourcePlace, TestFailure, TestOutcome,
    TestStatus,
};
use crate::places::{PlaceFile, at_line, declared_at};
use crate::program::Program;
use crate::run::CaseRun;
use crate::session::{Session, SnapshotWrites};
use crate::setup::{CaseSetup, CaseStatus, mocks_of};
use crate::snapshots::{self, Snapshots};
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

    /// Runs a test with generated parameters, and tells the least ones that fail.
    fn judge_generated(
        &self,
        test: usize,
        declared: &DeclaredTest,
        case: &Case,
        body: &CaseBody,
        outcome: &mut TestOutcome,
    ) {
        let Some(program) = self.program(test) else { return };
        let Some(template) = &program.template else { return };
        let options = &self.session.options;
        let choice = body.generate.clone().unwrap_or_default();
        let seed = choice.seed.or(options.seed).unwrap_or_default();
        let count =
            choice.count.or(options.count).unwrap_or(generate::DEFAULT_COUNT).min(generate::MOST_COUNT);
        let trial = |params: &[(SmolStr, Value)]| -> Trial {
            let mut body = body.clone();
            body.params.push(ParamsLayer::Values(Value::object(params.iter().cloned())));
            let mut made = TestOutcome { failures: Vec::new(), asserts: Vec::new(), ..outcome.clone() };
            match self.run_case(test, case, &body) {
                Ok(run) if run.refused_values => return Trial::Refused(run.failure.map(|it| it.message)),
                Ok(run) => self.judge_run(test, declared, case, &body, &run, &mut made),
                Err(error) => made.failures.push(self.body_failure(declared, &error)),
            }
            Trial::Ran(made.asserts, made.failures)
        };
        let folder = self.path.folder();
        let setup = self.setup(&program, case, body, &folder);
        let inputs = match setup.and_then(|setup| setup.inputs(&program.inputs)) {
            Ok(inputs) => inputs,
            Err(error) => return outcome.failures.push(self.body_failure(declared, &error)),
        };
        let given = |name: &str| inputs.get(name).is_some();
        let literals = self.session.literals(&program.main);
        let source = generate::GenerationInput {
            template,
            given: &given,
            max: choice.max.as_ref(),
            literals: &literals,
            names: &program.names,
            seed,
        };
        let found = generate::search(&source, count, &trial);
        outcome.asserts = found.asserts;
        outcome.failures = found.failures;
        if let Some(counterexample) = &found.counterexample {
            let case = generate::as_case(counterexample);
            for failure in &mut outcome.failures {
                failure.message.push_str(&format!("\n  with `{case}`, found with the seed {seed}"));
            }
        }
        if let Some(why) = found.exhausted {
            let message = format!("cannot generate parameters: {why}");
            let place = self.member(declared, &case.label, "generate");
            outcome.failures.push(plain(FailureKind::Error, message, place));
        }
        outcome.generated = Some(GeneratedCases {
            seed,
            tried: found.tried,
            refused: found.refused,
            counterexample: found.counterexample.as_ref().and_then(json),
        });
    }

    /// What is expected of a case, against what came of it.
    fn judge_run(
        &self,
        test: usize,
        declared: &DeclaredTest,
        case: &Case,
        body: &CaseBody,
        run: &CaseRun,
        outcome: &mut TestOutcome,
    ) {
        let Some(program) = self.program(test) else { return };
        let mut failed = false;
        match (&body.failure, &run.failure) {
            (None, None) => {}
            (None, Some(failure)) => {
                failed = true;
                outcome.failures.extend(self.failures(
                    &program,
                    (declared, case),
                    failure,
                    run.refused_values,
                ));
            }
            (Some(expected), None) => {
                let message = format!("the deployment succeeded, and {} was expected", expected.in_words());
                let place = self.member(declared, &case.label, "expect");
                outcome.failures.push(plain(FailureKind::UnexpectedSuccess, message, place));
            }
            (Some(expected), Some(failure))
                if !expected.is_met(failure, &run.names, &|failure| self.declaration(&program, failure)) =>
            {
                let mut message = format!("{} was expected, found:", expected.in_words());
                describe(failure, 1, &mut message);
                let place = self.member(declared, &case.label, "expect");
                let mut wrong = plain(FailureKind::WrongFailure, message, place);
                wrong.code = Some(failure.code.to_string());
                wrong.details = json(&failure.to_value());
                outcome.failures.push(wrong);
            }
            (Some(_), Some(_)) => {}
        }
        for code in body.diagnostics.iter().filter(|code| !program.codes.contains(code)) {
            let message = format!("the compiler reports no `{code}` for `{}`", declared.written);
            let place = self.member(declared, &case.label, "expect");
            outcome.failures.push(plain(FailureKind::WrongFailure, message, place));
        }
        if !failed {
            self.judge_asserts(test, case, body, run, outcome);
        }
        let folder = self.path.folder();
        let setup = match self.setup(&program, case, body, &folder) {
            Ok(setup) => setup,
            Err(error) => return outcome.failures.push(self.body_failure(declared, &error)),
        };
        if self.session.options.checks && run.status == CaseStatus::Succeeded {
            let mut found = checks::of_case(&setup, run);
            found.extend(self.unused_mocks(test, case));
            for finding in found {
                outcome.failures.push(self.check_failure(declared, case, finding));
            }
        }
        if body.match_snapshot {
            self.judge_snapshot(&setup, declared, case, outcome);
        }
    }

    /// The mocks that no case used, told by the first case that has them.
    fn unused_mocks(&self, test: usize, case: &Case) -> Vec<CheckFinding> {
        let Ok(cases) = self.cases_of(test) else { return Vec::new() };
        let mut ran = Vec::with_capacity(cases.len());
        for other in cases {
            match (&other.body, other.end.get()) {
                (Ok(body), Some((CaseEnd::Ran(run), _))) => ran.push((body, &**run)),
                (Ok(body), Some((CaseEnd::Skipped(_), _))) if body.skip.is_some() => {}
                // Whether others use them is not known.
                _ => return Vec::new(),
            }
        }
        let here = ran.iter().position(|(body, _)| body.label == case.label);
        let found = checks::unused_mocks(&ran);
        found.into_iter().filter(|(place, _)| Some(*place) == here).map(|(_, finding)| finding).collect()
    }

    fn check_failure(&self, declared: &DeclaredTest, case: &Case, finding: CheckFinding) -> TestFailure {
        let place = match &finding.member {
            Some(member) => self.member(declared, &case.label, member),
            None => Some(self.place.place(declared.span)),
        };
        let mut failure = plain(CheckFinding::KIND, finding.message, place);
        failure.code = Some(finding.code.to_owned());
        failure.name = finding.name;
        failure
    }

    fn judge_snapshot(
        &self,
        setup: &CaseSetup<'_>,
        declared: &DeclaredTest,
        case: &Case,
        outcome: &mut TestOutcome,
    ) {
        let now = match snapshots::predicted(setup) {
            Ok(now) => now,
            Err(error) => return outcome.failures.push(self.body_failure(declared, &error)),
        };
        let key = case.id.strip_prefix(&format!("{}::", self.name)).unwrap_or(&case.id).to_owned();
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), now.clone());
        if self.session.options.snapshots == SnapshotWrites::All {
            return;
        }
        let place = self.member(declared, &case.label, "matchSnapshot");
        let kept = match self.kept() {
            Ok(kept) => kept.get(&key),
            Err(why) => {
                let message = format!("the snapshots cannot be read: {why}");
                let mut failure = plain(FailureKind::Snapshot, message, place);
                failure.code = Some("missing".to_owned());
                return outcome.failures.push(failure);
            }
        };
        let (code, message, details) = match kept {
            Some(kept) if *kept == now => return,
            None => (
                "missing",
                format!("there is no snapshot of `{key}`; `--update` writes it"),
                serde_json::Value::Null,
            ),
            Some(kept) => {
                let different = snapshots::differences(kept, &now);
                let mut message = format!(
                    "the prediction is not the snapshot of `{key}`; if that is meant, `--update` writes it"
                );
                let mut details = Vec::new();
                for (path, before, after) in different {
                    let line = match (&before, &after) {
                        (None, Some(after)) => format!("+ {path}: {}", shown(after)),
                        (Some(before), None) => format!("- {path}: {}", shown(before)),
                        (Some(before), Some(after)) => {
                            format!("~ {path}: {} => {}", shown(before), shown(after))
                        }
                        (None, None) => continue,
                    };
                    message.push_str(&format!("\n  {line}"));
                    let form = |value: &Option<Value>| value.as_ref().and_then(json);
                    details.push(serde_json::json!({
                        "path": path, "before": form(&before), "after": form(&after),
                    }));
                }
                ("different", message, serde_json::Value::Array(details))
            }
        };
        let mut failure = plain(FailureKind::Snapshot, message, place);
        failure.code = Some(code.to_owned());
        failure.name = Some(key);
        failure.details = Some(details).filter(|details| !details.is_null());
        outcome.failures.push(failure);
    }

    fn kept(&self) -> &Result<Snapshots, String> {
        self.kept.get_or_init(|| match self.session.host.snapshots(&self.path)? {
            Some(text) => Snapshots::read(&text),
            None => Ok(Snapshots::default()),
        })
    }

    /// Writes the snapshots of this run that are wanted. Those of tests that are gone are dropped; those of tests that were not run stay.
    pub(crate) fn update_snapshots(
        &self,
        outcome: &mut FileOutcome,
        writes: SnapshotWrites,
    ) -> Result<(), String> {
        let taken = std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner));
        let kept = self.kept().as_ref().map_err(Clone::clone)?;
        let mut all = Snapshots::default();
        let ids = self.ids();
        let key_of =
            |id: &CaseId| id.id.strip_prefix(&format!("{}::", self.name)).unwrap_or(&id.id).to_owned();
        // A test that failed may have one again when it passes.
        let passed = outcome.tests.iter().filter(|test| test.status != TestStatus::Failed);
        let passed: BTreeSet<String> = passed.map(|test| test.id.clone()).collect();
        for id in &ids {
            let key = key_of(id);
            match (taken.get(&key), kept.get(&key)) {
                (Some(now), before) => match (self.is_written(id, before, now, outcome, writes)?, before) {
                    (true, _) => all.set(&key, now.clone()),
                    (false, Some(before)) => all.set(&key, before.clone()),
                    (false, None) => {}
                },
                (None, Some(before)) if !passed.contains(&id.id) => all.set(&key, before.clone()),
                (None, Some(before)) if !self.is_dropped(&key, writes)? => all.set(&key, before.clone()),
                (None, _) => {}
            }
        }
        let keys: BTreeSet<String> = ids.iter().map(key_of).collect();
        for (key, before) in kept.iter().filter(|(key, _)| !keys.contains(*key)) {
            if !self.is_dropped(key, writes)? {
                all.set(key, before.clone());
            }
        }
        let (text, before) = (all.text(), self.session.host.snapshots(&self.path)?);
        if text == before { Ok(()) } else { self.session.host.write_snapshots(&self.path, text.as_deref()) }
    }

    /// Whether the snapshot of a case is written; if somebody accepted it, it is no failure any more.
    fn is_written(
        &self,
        id: &CaseId,
        before: Option<&Value>,
        now: &Value,
        outcome: &mut FileOutcome,
        writes: SnapshotWrites,
    ) -> Result<bool, String> {
        if writes != SnapshotWrites::Accepted || before == Some(now) {
            return Ok(true);
        }
        let Some(test) = outcome.tests.iter_mut().find(|test| test.id == id.id) else { return Ok(false) };
        let is_it = |failure: &TestFailure| failure.kind == FailureKind::Snapshot;
        let message = test.failures.iter().find(|failure| is_it(failure)).map(|it| it.message.as_str());
        let accepted = self.session.host.accepts_snapshot(&id.id, message.unwrap_or_default())?;
        if accepted {
            test.failures.retain(|failure| !is_it(failure));
            if test.failures.is_empty() && test.status == TestStatus::Failed {
                test.status = TestStatus::Passed;
            }
        }
        Ok(accepted)
    }

    /// Whether the snapshot of a test that has none any more goes away.
    fn is_dropped(&self, key: &str, writes: SnapshotWrites) -> Result<bool, String> {
        match writes {
            SnapshotWrites::None => Ok(false),
            SnapshotWrites::All => Ok(true),
            SnapshotWrites::Accepted => {
                let why = "no test has this snapshot any more; it would be dropped";
                self.session.host.accepts_snapshot(&format!("{}::{key}", self.name), why)
            }
        }
    }

    /// Evaluates the asserts that belong to a case.
    fn judge_asserts(
        &self,
        test: usize,
        case: &Case,
        body: &CaseBody,
        run: &CaseRun,
        outcome: &mut TestOutcome,
    ) {
        let Some(program) = self.program(test) else { return };
        let scope = match (&body.scope, &program.template) {
            (Some(scope), _) => scope.clone(),
            (None, Some(template)) => arm::deployment::DeploymentContext::local_scope(template.scope),
            (None, None) => return,
        };
        let mocks = mocks_of(body).unwrap_or_default();
        let around = Around { scope, time: body.time, mocks, id: case.id.clone() };
        for assert in self.declared.asserts.iter().filter(|assert| assert.tests.contains(&test)) {
            let others: Vec<usize> = assert.tests.iter().copied().filter(|other| *other != test).collect();
            let name = self.declared.tests.get(test).map_or("", |it| it.name.as_str());
            match self.others(case, &others) {
                Ok(Some(mut results)) => {
                    results.push((name.into(), run.value.clone()));
                    self.judge(assert, &around, results, outcome);
                }
                // A test that it names is skipped.
                Ok(None) => {}
                Err(why) => self.broken(assert, why, outcome),
            }
        }
    }

    /// The results of the other tests that an assert names; none if one of them is skipped.
    fn others(&self, case: &Case, tests: &[usize]) -> Result<Option<Vec<(SmolStr, Value)>>, String> {
        let mut results = Vec::new();
        for other in tests {
            let Some(declared) = self.declared.tests.get(*other) else { continue };
            let cases = self.cases_of(*other);
            let cases = cases.map_err(|_| format!("the test `{}` cannot be run", declared.name))?;
            let has_table = cases.iter().any(|case| case.label.is_some());
            match (&case.label, has_table) {
                (Some(_), true) => return Err("an assert cannot name two tests with tables".to_owned()),
                // It is evaluated for each case of the other one, and belongs to that.
                (None, true) => return Ok(None),
                (_, false) => {}
            }
            let [one] = cases else { return Ok(None) };
            match self.end_of(*other, one) {
                CaseEnd::Ran(run) => results.push((declared.name.as_str().into(), run.value.clone())),
                CaseEnd::Skipped(_) | CaseEnd::Generated => return Ok(None),
                CaseEnd::Broken(_) => return Err(format!("the test `{}` cannot be run", declared.name)),
            }
        }
        Ok(Some(results))
    }

    fn judge(
        &self,
        assert: &DeclaredAssert,
        around: &Around,
        results: Vec<(SmolStr, Value)>,
        outcome: &mut TestOutcome,
    ) {
        let evaluation = match self.template.with(around, results) {
            Ok(evaluation) => evaluation,
            Err(why) => return self.broken(assert, why, outcome),
        };
        match evaluation.assert(&assert.name) {
            Ok(true) => outcome.asserts.push(AssertOutcome {
                name: assert.name.clone(),
                holds: true,
                message: None,
                place: Some(self.place.place(assert.span)),
            }),
            Ok(false) => {
                let message = self.explain(assert, &evaluation);
                self.broken(assert, message, outcome);
            }
            Err(why) => {
                let message = match &assert.description {
                    Some(description) => format!("it cannot be evaluated: {description}\n  {why}"),
                    None => format!("it cannot be evaluated: {why}"),
                };
                self.broken(assert, message, outcome);
            }
        }
    }

    fn broken(&self, assert: &DeclaredAssert, message: String, outcome: &mut TestOutcome) {
        let place = Some(self.place.place(assert.span));
        outcome.asserts.push(AssertOutcome {
            name: assert.name.clone(),
            holds: false,
            message: Some(message.clone()),
            place: place.clone(),
        });
        let mut failure = plain(FailureKind::Assert, message, place);
        failure.name = Some(assert.name.clone());
        outcome.failures.push(failure);
    }

    /// Why an assert does not hold: its first condition that is false, with both sides of what it compares.
    fn explain(&self, assert: &DeclaredAssert, evaluation: &Evaluation) -> String {
        let description = assert.description.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
        for (place, part) in assert.parts.iter().enumerate() {
            match evaluation.part(&assert.name, place) {
                Ok(true) => continue,
                Err(why) => return format!("it cannot be evaluated{description}\n  {why}"),
                Ok(false) => {}
            }
            let source = self.source(part.span);
            let mut message = format!("`{source}` does not hold{description}");
            let Some((operator, ..)) = &part.compared else { return message };
            let left = evaluation.side(&assert.name, place, "left");
            let right = evaluation.side(&assert.name, place, "right");
            let (Ok(left), Ok(right)) = (left, right) else { return message };
            let different = (operator == "matches").then(|| mismatch(&left, &right)).flatten();
            match different {
                Some(found) => {
                    let path = if found.path.is_empty() {
                        "the value".to_owned()
                    } else {
                        format!("`{}`", found.path)
                    };
                    let hides = left.has_secret() || right.has_secret();
                    let (expected, found) = match hides {
                        true => (MASK.to_owned(), MASK.to_owned()),
                        false => (found.expected, found.found),
                    };
                    message.push_str(&format!("\n  at {path}: expected {expected}, found {found}"));
                }
                None => {
                    let (left, right) = (shown(&left), shown_pattern(&right));
                    message.push_str(&format!("\n  left:  {left}\n  right: {right}"));
                }
            }
            return message;
        }
        format!("it does not hold{description}")
    }

    /// A part of the file on one line.
    fn source(&self, span: syntax::Span) -> String {
        let text = crate::places::text_of(self.session.compiler, &self.path);
        let part = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let words: Vec<&str> = part.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(MOST_SOURCE) {
            Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }

    /// A deployment that failed although nobody expected it.
    fn failures(
        &self,
        program: &Program,
        (declared, case): (&DeclaredTest, &Case),
        failure: &Failure,
        refused: bool,
    ) -> Vec<TestFailure> {
        if failure.code == ASSERTION_FAILED {
            let all: Vec<&Failure> = match failure.details.as_slice() {
                [] => vec![failure],
                details => details.iter().collect(),
            };
            return all
                .into_iter()
                .map(|one| {
                    let place = self.failure_place(program, one);
                    let place = place.or_else(|| Some(self.place.place(declared.span)));
                    let mut made = plain(FailureKind::Assert, one.message.clone(), place);
                    made.name.clone_from(&one.target);
                    made.code = Some(one.code.to_string());
                    made
                })
                .collect();
        }
        let mut message = String::new();
        describe(failure, 0, &mut message);
        // A value that was given breaks its type: where it is given is where to look.
        let given = || {
            let target = failure.details.iter().chain([failure]).find_map(|it| it.target.as_deref())?;
            let member = format!("params.{target}");
            Some(self.member(declared, &case.label, &member)).filter(|_| refused).flatten()
        };
        let place = self.first_place(program, failure).or_else(given);
        let place = place.or_else(|| Some(self.place.place(declared.span)));
        let mut made = plain(FailureKind::Error, message.trim_start().to_owned(), place);
        made.code = Some(failure.code.to_string());
        made.details = json(&failure.to_value());
        vec![made]
    }

    /// The place of an error, or of the first one behind it that has one. Errors do not nest deep.
    fn first_place(&self, program: &Program, failure: &Failure) -> Option<SourcePlace> {
        let behind = failure.details.iter().find_map(|detail| self.first_place(program, detail));
        behind.or_else(|| self.failure_place(program, failure))
    }

    fn failure_place(&self, program: &Program, failure: &Failure) -> Option<SourcePlace> {
        let (file, line, column) = self.session.host.place(failure)?;
        let needed = self.session.compiler.needed(&program.main);
        let path = needed.iter().find(|path| self.session.host.shown(path) == file);
        Some(at_line(self.session.compiler, &file, line, column, path))
    }

    /// The declaration that an error was noted at.
    fn declaration(&self, program: &Program, failure: &Failure) -> Option<String> {
        let (file, line, _) = self.session.host.place(failure)?;
        let needed = self.session.compiler.needed(&program.main);
        let path = needed.iter().find(|path| self.session.host.shown(path) == file)?;
        declared_at(self.session.compiler, path, line)
    }

    /// What is wrong with the body of a test.
    fn body_failure(&self, declared: &DeclaredTest, error: &BodyError) -> TestFailure {
        let place = self.member(declared, &None, &error.member);
        plain(FailureKind::Error, error.message.clone(), place)
    }

    /// The place of a member of a body, as far as it is written there; else the name of the test.
    fn member(&self, declared: &DeclaredTest, label: &Option<String>, member: &str) -> Option<SourcePlace> {
        let find = |name: &str| declared.members.iter().find(|it| it.name == name);
        let mut wanted = member;
        while !wanted.is_empty() {
            let of_case = label.as_ref().map(|label| format!("cases.{label}.{wanted}"));
            let found = of_case.and_then(|name| find(&name)).or_else(|| find(wanted));
            if let Some(found) = found {
                return Some(self.place.place(found.key));
            }
            wanted = wanted.rsplit_once(['.', '[']).map_or("", |(outer, _)| outer);
        }
        Some(self.place.place(declared.span))
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

fn plain(kind: FailureKind, message: String, place: Option<SourcePlace>) -> TestFailure {
    TestFailure { kind, code: None, name: None, message, place, details: None }
}

fn json(value: &Value) -> Option<serde_json::Value> {
    serde_json::from_str(&value.to_json()).ok()
}

/// An error and those behind it, a line for each, with the way to the value that one speaks of. Errors do not nest deep.
fn describe(failure: &Failure, depth: usize, text: &mut String) {
    // The ids of resources, and what stands below them, are a part of the messages.
    let is_path = |target: &&String| depth > 0 && !target.is_empty() && !target.starts_with('/');
    let target = failure.target.as_ref().filter(is_path).map(|target| format!(" {target}:"));
    let (blanks, code) = ("  ".repeat(depth), &failure.code);
    text.push_str(&format!("\n{blanks}{code}:{} {}", target.unwrap_or_default(), failure.message));
    for detail in &failure.details {
        if detail.message != failure.message {
            describe(detail, depth + 1, text);
        }
    }
}
