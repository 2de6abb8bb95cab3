//! Results in the form of JUnit's XML, which most services that run tests can show.

use std::fmt::Write;

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

/// Text in an attribute: XML has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> \"c\" & \n\u{1b}"), "a&lt;b&gt; &quot;c&quot; &amp; &#10;\u{fffd}");
    }
}
