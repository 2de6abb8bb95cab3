//! Both engines must say the same: of the documents as they are, and of thousands of damaged ones.

use serde_json::Value;

use super::mutate::mutate;
use super::view::Json;
use super::{Bout, read};
use crate::Result;
use crate::random::Random;

/// How much a bout is tried.
#[derive(Clone, Copy)]
pub(super) struct Trials {
    /// How many damaged documents.
    mutants: usize,
    /// How many bytes of damaged documents at most: large documents are damaged less often.
    bytes: usize,
}

impl Trials {
    /// What is tried before anything is measured.
    pub(super) const BENCH: Trials = Trials { mutants: 4000, bytes: 40_000_000 };

    /// What is tried every day, by code that is not optimised.
    #[cfg(test)]
    const TEST: Trials = Trials { mutants: 400, bytes: 1_500_000 };
}

/// Fails unless every document is valid for both, and both agree on every damaged one.
pub(super) fn agree(bout: &Bout, trials: Trials) -> Result {
    for (value, _) in &bout.documents {
        if !verdict(bout, value)? {
            let wrong = bout.ours.first_violation(Json(value)).map(|wrong| wrong.to_string());
            return Err(format!("{}: a document is not valid: {}", bout.name, wrong.unwrap_or_default()));
        }
    }
    let random = &mut Random::new(11);
    let (mut bytes, mut rejected, mut tried) = (0, 0, 0);
    while tried < trials.mutants && bytes < trials.bytes {
        let Some((value, document)) = random.pick(&bout.documents) else { break };
        bytes += document.text().len();
        tried += 1;
        rejected += usize::from(!verdict(bout, &mutate(value, random))?);
    }
    println!("{}: agreed on {tried} damaged documents, {rejected} of them rejected", bout.name);
    Ok(())
}

/// What both say of a value.
fn verdict(bout: &Bout, value: &Value) -> Result<bool> {
    let text = value.to_string();
    let theirs = bout.theirs.is_valid(value);
    let ours = [
        bout.ours.is_valid(Json(value)),
        bout.ours.is_valid(read(&text)?.root()),
        bout.ours.violations(Json(value)).is_empty(),
    ];
    if ours == [theirs; 3] {
        return Ok(theirs);
    }
    let shown: String = text.chars().take(2000).collect();
    let wrong = bout.ours.first_violation(Json(value)).map(|wrong| wrong.to_string());
    Err(format!(
        "{}: jsonschema says {theirs} ({:?}), ours {ours:?} ({wrong:?}) of {shown}",
        bout.name,
        bout.theirs.validate(value).err().map(|error| error.to_string()),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::cases;
    use super::*;

    #[test]
    fn both_engines_agree_on_every_case_and_its_damaged_documents() {
        for case in cases::all() {
            agree(&Bout::new(case).unwrap(), Trials::TEST).unwrap();
        }
    }
}
