//! A run of tests as JUnit XML.

use diagnostics::junit::escaped;

use crate::outcome::{FileOutcome, TestOutcome, TestRun, TestStatus};

use super::people::failure_text;

fn text(text: &str) -> String {
    escaped(text).replace("&#10;", "\n")
}

fn name(test: &TestOutcome) -> String {
    match &test.case {
        Some(case) => format!("{}[{case}]", test.name),
        None => test.name.clone(),
    }
}

fn suite(file: &FileOutcome, out: &mut String) {
    let count = |status: TestStatus| file.tests.iter().filter(|test| test.status == status).count();
    let seconds: f64 = file.tests.iter().map(|test| test.seconds).sum();
    let errors = usize::from(!file.errors.is_empty());
    let (tests, failures) = match errors {
        0 => (file.tests.len(), count(TestStatus::Failed)),
        _ if file.ran => (file.tests.len() + 1, count(TestStatus::Failed)),
        // What is wrong with the file is one error, not one for each of its tests.
        _ => (1, 0),
    };
    let own = escaped(&file.file);
    let skipped = count(TestStatus::Skipped);
    out.push_str(&format!(
        "  <testsuite name=\"{own}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">\n"
    ));
    if errors > 0 {
        let message = file.error_texts.concat();
        let first = message.lines().next().unwrap_or("the file has errors").to_owned();
        out.push_str(&format!(
            "    <testcase name=\"{own}\" classname=\"{own}\" file=\"{own}\" line=\"1\" time=\"0.000\">\n      <error message=\"{}\" type=\"error\">{}</error>\n    </testcase>\n",
            escaped(&first),
            text(&message)
        ));
    }
    if errors == 0 || file.ran {
        file.tests.iter().for_each(|test| case(file, test, out));
    }
    out.push_str("  </testsuite>\n");
}

fn case(file: &FileOutcome, test: &TestOutcome, out: &mut String) {
    let line = test.place.as_ref().map_or(1, |place| place.start.line);
    let own = escaped(&file.file);
    out.push_str(&format!(
        "    <testcase name=\"{}\" classname=\"{own}\" file=\"{own}\" line=\"{line}\" time=\"{:.3}\"",
        escaped(&name(test)),
        test.seconds
    ));
    if test.status == TestStatus::Passed {
        return out.push_str("/>\n");
    }
    out.push_str(">\n");
    if test.status == TestStatus::Skipped {
        let reason = escaped(test.reason.as_deref().unwrap_or_default());
        out.push_str(&format!("      <skipped message=\"{reason}\"/>\n"));
    }
    for failure in &test.failures {
        let message = failure.message.lines().next().unwrap_or_default();
        out.push_str(&format!(
            "      <failure message=\"{}\" type=\"{}\">{}</failure>\n",
            escaped(message),
            failure.kind.word(),
            text(&failure_text(failure))
        ));
    }
    out.push_str("    </testcase>\n");
}

/// The run as a report in the form of JUnit; a file with errors is a test that failed.
pub fn junit(run: &TestRun) -> String {
    let summary = &run.summary;
    let broken: Vec<&FileOutcome> = run.files.iter().filter(|file| !file.errors.is_empty()).collect();
    // The tests of a file with errors are one error.
    let hidden: usize = broken.iter().filter(|file| !file.ran).map(|file| file.tests.len()).sum();
    let tests = summary.tests - hidden + broken.len();
    let failures = summary.failed - hidden.min(summary.failed);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{tests}\" failures=\"{failures}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">\n",
        broken.len(),
        summary.skipped,
        summary.seconds
    );
    run.files.iter().for_each(|file| suite(file, &mut out));
    out.push_str("</testsuites>\n");
    out
}
