//! Results in the form of JUnit's XML, which most services that run tests can show.

use std::fmt::Write;

use diagnostics::junit::escaped;

use crate::judge::{CaseResult, Judgement, Summary};

/// Writes the results of a run; `name` is what was asked.
pub fn write(name: &str, judgements: &[Judgement<'_>]) -> String {
    let summary = Summary::of(judgements);
    let failures = summary.failed + summary.unexpected_passes;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" skipped=\"{}\">",
        escaped(name),
        judgements.len(),
        summary.expected_failures
    );
    for judgement in judgements {
        let item = judgement.item;
        let _ = write!(
            out,
            "  <testcase classname=\"{}\" name=\"{} {}\"",
            escaped(&item.document),
            escaped(&item.request.case),
            escaped(&item.title)
        );
        let found = judgement.answer.as_ref().map_or("no answer".to_owned(), ToString::to_string);
        let reason = judgement.expectation.as_ref().map(|(reason, _)| reason.as_str()).unwrap_or_default();
        let _ = match judgement.outcome {
            CaseResult::Passed => writeln!(out, "/>"),
            CaseResult::ExpectedFailure => {
                writeln!(out, "><skipped message=\"{}\"/></testcase>", escaped(reason))
            }
            CaseResult::Failed => writeln!(
                out,
                "><failure message=\"expected {}, found {}\"/></testcase>",
                escaped(&item.expected.to_string()),
                escaped(&found)
            ),
            CaseResult::UnexpectedPass => writeln!(
                out,
                "><failure message=\"passes, and is listed as a failure: {}\"/></testcase>",
                escaped(reason)
            ),
        };
    }
    out.push_str("</testsuite>\n");
    out
}
