//! Answers held against what is expected.

use std::collections::HashMap;

use serde::Serialize;

use crate::expected::ExpectedFailures;
use crate::protocol::ExecutorAnswer;
use crate::suite::{ConformanceItem, Suite};

/// How much of an answer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compare {
    /// Whether the message is valid.
    Verdict,
    /// That, and which rule is broken.
    Rule,
    /// All of it: also where.
    #[default]
    Path,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseResult {
    /// The answer is the expected one.
    Passed,
    /// The answer is another one.
    Failed,
    /// It is not, and a list says so.
    ExpectedFailure,
    /// It is, and a list says that it is not.
    UnexpectedPass,
}

impl CaseResult {
    /// Whether nothing is to be done about it.
    pub fn is_fine(self) -> bool {
        matches!(self, CaseResult::Passed | CaseResult::ExpectedFailure)
    }
}

/// A request with what became of it.
#[derive(Clone, Debug)]
pub struct Judgement<'s> {
    /// The request, with the answer that is expected.
    pub item: &'s ConformanceItem,
    /// What was answered; none if nothing was.
    pub answer: Option<ExecutorAnswer>,
    /// What became of it.
    pub outcome: CaseResult,
    /// Why it is expected to fail, and in which line of the list that stands.
    pub expectation: Option<(String, usize)>,
}

/// How many requests had which outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// With the expected answer.
    pub passed: usize,
    /// With another answer.
    pub failed: usize,
    /// Not as expected, and listed.
    pub expected_failures: usize,
    /// As expected, and listed.
    pub unexpected_passes: usize,
}

impl Summary {
    /// Counts the requests by outcome.
    pub fn of(judgements: &[Judgement<'_>]) -> Summary {
        let mut summary = Summary::default();
        for judgement in judgements {
            *match judgement.outcome {
                CaseResult::Passed => &mut summary.passed,
                CaseResult::Failed => &mut summary.failed,
                CaseResult::ExpectedFailure => &mut summary.expected_failures,
                CaseResult::UnexpectedPass => &mut summary.unexpected_passes,
            } += 1;
        }
        summary
    }

    /// Whether nothing is to be done.
    pub fn is_fine(&self) -> bool {
        self.failed == 0 && self.unexpected_passes == 0
    }
}

impl Suite {
    /// Holds answers against the suite; they may come in any order, and the first of two for one request counts.
    pub fn judge(
        &self,
        answers: Vec<ExecutorAnswer>,
        compare: Compare,
        expected: &ExpectedFailures,
    ) -> Vec<Judgement<'_>> {
        let mut by_case: HashMap<String, ExecutorAnswer> = HashMap::new();
        for answer in answers {
            by_case.entry(answer.case.clone()).or_insert(answer);
        }
        let judge = |item| {
            let item: &ConformanceItem = item;
            let answer = by_case.remove(&item.request.case);
            let same = answer.as_ref().is_some_and(|answer| same(&item.expected, answer, compare));
            let line = expected.find(&item.request.case);
            let outcome = match (same, line) {
                (true, None) => CaseResult::Passed,
                (false, None) => CaseResult::Failed,
                (true, Some(_)) => CaseResult::UnexpectedPass,
                (false, Some(_)) => CaseResult::ExpectedFailure,
            };
            let expectation = line.map(|line| (line.reason.clone(), line.line));
            Judgement { item, answer, outcome, expectation }
        };
        self.items.iter().map(judge).collect()
    }

    /// The lines of a list that name nothing in the suite.
    pub fn unknown<'e>(&self, expected: &'e ExpectedFailures) -> Vec<&'e crate::ExpectedFailure> {
        let named = |case: &str| self.items.iter().any(|item| item.id == case || item.request.case == case);
        expected.entries.iter().filter(|entry| !named(&entry.case)).collect()
    }
}

fn same(expected: &ExecutorAnswer, answer: &ExecutorAnswer, compare: Compare) -> bool {
    let rule = compare < Compare::Rule || expected.rule == answer.rule;
    let path = compare < Compare::Path || expected.path == answer.path;
    expected.verdict == answer.verdict && rule && path
}

/// An answer for people: `invalid, vt.gt at S.a`.
impl std::fmt::Display for ExecutorAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.verdict.name())?;
        if let Some(rule) = &self.rule {
            write!(f, ", {rule}")?;
        }
        if let Some(path) = &self.path {
            write!(f, " at {path}")?;
        }
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}
