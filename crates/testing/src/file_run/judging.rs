//! What the asserts of a test say of what its case did.

use arm::{MASK, Value};
use bicep::{DeclaredAssert, DeclaredTest};
use smol_str::SmolStr;

use super::failures::{describe, plain};
use super::{Case, CaseEnd, FileRun, MOST_SOURCE, json};
use crate::body::{CaseBody, ParamsLayer};
use crate::checks::CheckFinding;
use crate::evaluation::{Around, Evaluation};
use crate::generate::Trial;
use crate::matching::{mismatch, shown, shown_pattern};
use crate::outcome::{AssertOutcome, FailureKind, GeneratedCases, TestFailure, TestOutcome};
use crate::run::CaseRun;
use crate::setup::{CaseStatus, mocks_of};
use crate::{checks, generate};

impl FileRun<'_> {
    /// Runs a test with generated parameters, and tells the least ones that fail.
    pub(super) fn judge_generated(
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
    pub(super) fn judge_run(
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
    pub(super) fn unused_mocks(&self, test: usize, case: &Case) -> Vec<CheckFinding> {
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

    pub(super) fn check_failure(
        &self,
        declared: &DeclaredTest,
        case: &Case,
        finding: CheckFinding,
    ) -> TestFailure {
        let place = match &finding.member {
            Some(member) => self.member(declared, &case.label, member),
            None => Some(self.place.place(declared.span)),
        };
        let mut failure = plain(CheckFinding::KIND, finding.message, place);
        failure.code = Some(finding.code.to_owned());
        failure.name = finding.name;
        failure
    }

    /// Evaluates the asserts that belong to a case.
    pub(super) fn judge_asserts(
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
    pub(super) fn others(
        &self,
        case: &Case,
        tests: &[usize],
    ) -> Result<Option<Vec<(SmolStr, Value)>>, String> {
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

    pub(super) fn judge(
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

    pub(super) fn broken(&self, assert: &DeclaredAssert, message: String, outcome: &mut TestOutcome) {
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
    pub(super) fn explain(&self, assert: &DeclaredAssert, evaluation: &Evaluation) -> String {
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
    pub(super) fn source(&self, span: syntax::Span) -> String {
        let text = crate::places::text_of(self.session.compiler, &self.path);
        let part = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let words: Vec<&str> = part.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(MOST_SOURCE) {
            Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}
