//! A run of tests as a page for people: failures with their source, and the programs with what was reached of them.

use std::collections::BTreeMap;

use pages::{ReachedLine, ReachedProgram, Status, TestRow, TestsOfFile, TestsPage, tests_report};

use super::people::{failure_text, summary_line};
use crate::coverage::{CoverageRun, CoveredFile, lines, missing};
use crate::mutation::MutationRun;
use crate::outcome::{TestOutcome, TestRun, TestStatus};

fn row(test: &TestOutcome) -> TestRow {
    let name = match &test.case {
        Some(case) => format!("{}[{case}]", test.name),
        None => test.name.clone(),
    };
    let status = match test.status {
        TestStatus::Passed => Status::Good,
        TestStatus::Failed => Status::Bad,
        TestStatus::Skipped => Status::Warning,
    };
    let failures = test.failures.iter().map(failure_text);
    TestRow { name, status, seconds: test.seconds, notes: failures.chain(test.reason.clone()).collect() }
}

fn program(file: &CoveredFile) -> ReachedProgram {
    let met = lines(file);
    let mut not: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for point in &file.points {
        let labels = missing(point);
        if !labels.is_empty() {
            let note = format!("{} of {}: not {}", point.kind, point.name, labels.join(", "));
            not.entry(point.start.line).or_default().push(note);
        }
    }
    let lines = file.text.lines().zip(1..).map(|(text, number)| ReachedLine {
        text: text.to_owned(),
        hits: met.get(&number).copied(),
        missing: not.remove(&number).unwrap_or_default(),
    });
    let percent = CoverageRun { files: vec![file.clone()] }.percent();
    ReachedProgram { name: file.file.clone(), percent, lines: lines.collect() }
}

/// The page, with what was reached and what changes survived, as far as that was asked for.
pub fn html(run: &TestRun, reached: Option<&CoverageRun>, mutated: Option<&MutationRun>) -> String {
    let files = run.files.iter().map(|file| TestsOfFile {
        name: file.file.clone(),
        errors: file.error_texts.clone(),
        tests: file.tests.iter().map(row).collect(),
    });
    let mut facts = vec![("time", format!("{:.2} s", run.summary.seconds))];
    facts.extend(reached.map(|it| ("coverage", format!("{:.1} %", it.percent()))));
    facts.extend(mutated.map(|it| ("mutation score", format!("{:.0} %", it.score * 100.0))));
    tests_report(&TestsPage {
        status: if run.is_fine() { Status::Good } else { Status::Bad },
        verdict: summary_line(&run.summary),
        facts,
        files: files.collect(),
        programs: reached.map(|it| it.files.iter().map(program).collect()),
        survivors: mutated.map(MutationRun::survivors),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::CoveragePoint;
    use crate::outcome::{FileOutcome, PlacePoint};

    #[test]
    fn a_page_has_the_text_of_programs() {
        let start = PlacePoint { line: 2, column: 1, offset: 6 };
        let point = CoveragePoint { kind: "condition", name: "logs".to_owned(), start, hits: vec![3, 0] };
        let text = "param\nresource logs <b>\n".into();
        let reached = CoverageRun {
            files: vec![CoveredFile { file: "main.bicep".to_owned(), text, points: vec![point] }],
        };
        let file = FileOutcome { file: "a.biceptest".to_owned(), ..FileOutcome::default() };
        let page = html(&TestRun::new(vec![file], 0.5), Some(&reached), None);
        for part in
            ["resource logs &lt;b&gt;", "condition of logs: not false", "50.0 % reached", "a.biceptest"]
        {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
