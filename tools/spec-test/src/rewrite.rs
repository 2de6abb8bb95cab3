//! Writes the actual outputs of a case into its document.

use crate::document::{Document, SpecError};
use crate::markdown::longest_fence;
use crate::outcome::CaseOutput;
use crate::verdict::normalised;

/// Returns the document with the expectation blocks of one case holding the outputs of an outcome.
///
/// Every other byte stays as it is, and so does a block whose text is already right. A fence grows when the new
/// text holds a line that would close it. An expectation without an output is left for [`crate::judge`] to report.
///
/// # Errors
///
/// Returns the problems of a document that cannot be read, or says that it has no such case or cannot hold an output.
pub fn rewrite(text: &str, case_name: &str, outcome: &CaseOutput) -> Result<String, Vec<SpecError>> {
    let document = Document::parse(text)?;
    let Some(case) = document.cases.iter().find(|case| case.name == case_name) else {
        return Err(vec![SpecError::new(1, format!("the document has no case `{case_name}` any more"))]);
    };
    let mut written = String::with_capacity(text.len());
    let mut copied = 0;
    for expectation in &case.expectations {
        let Some(actual) = outcome.outputs.get(&expectation.name).map(|actual| normalised(actual)) else {
            continue;
        };
        if actual == normalised(&expectation.text) {
            continue;
        }
        if actual.contains("\r\n") {
            let message =
                format!("output `{}` has CR LF line ends, which no document can hold", expectation.name);
            return Err(vec![SpecError::new(expectation.line, message)]);
        }
        let place = &expectation.place;
        let growth = (longest_fence(&actual, place.mark) + 1).saturating_sub(place.open.len());
        // The closing run may be longer than the opening one, and is then long enough for longer.
        let close_growth = (place.open.len() + growth).saturating_sub(place.close.len());
        for (end, insert, resume) in [
            (place.open.end, fence(place.mark, growth), place.open.end),
            (place.text.start, actual, place.text.end),
            (place.close.end, fence(place.mark, close_growth), place.close.end),
        ] {
            written.push_str(text.get(copied..end).unwrap_or_default());
            written.push_str(&insert);
            copied = resume;
        }
    }
    written.push_str(text.get(copied..).unwrap_or_default());
    Ok(written)
}

fn fence(mark: char, length: usize) -> String {
    std::iter::repeat_n(mark, length).collect()
}
