//! The contracts of records.

use std::sync::LazyLock;

use arm::value::MAX_DEPTH;
use contract::Contract;
use document::{Document, FileId, ReadLimits};

use super::Flaws;

/// How deep a record may nest: what the engine writes, it reads.
const LIMITS: ReadLimits = ReadLimits { depth: 2 * MAX_DEPTH, ..ReadLimits::DEFAULT };

/// A form that records have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Deployment,
    Step,
    Operation,
    Inputs,
    Resource,
}

/// The form, what it is called where it is kept, and its contract.
const FORMS: &[(Form, &str)] = &[
    (Form::Deployment, include_str!("../../resources/records/deployment.json")),
    (Form::Step, include_str!("../../resources/records/step.json")),
    (Form::Operation, include_str!("../../resources/records/operation.json")),
    (Form::Inputs, include_str!("../../resources/records/inputs.json")),
    (Form::Resource, include_str!("../../resources/records/resource.json")),
];

/// The contracts, in the order of the forms. One that could not be read would let nothing through.
static CONTRACTS: LazyLock<Vec<(Form, Option<Contract>)>> =
    LazyLock::new(|| FORMS.iter().map(|(form, text)| (*form, compiled(text))).collect());

fn compiled(text: &str) -> Option<Contract> {
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).ok()?;
    let (shape, definitions) = contract::json::read(document.root()).ok()?;
    Contract::compile(&shape, &definitions).ok()
}

impl Form {
    /// What about a text is not of this form.
    pub(super) fn flaws(self, text: &str) -> Flaws {
        let document = match Document::from_json(text, FileId::FIRST, &LIMITS) {
            Ok(document) => document,
            Err(error) => {
                let (line, column) = (error.line, error.column);
                return vec![format!("`body` cannot be read: {error} (line {line}, column {column})")];
            }
        };
        let contract =
            CONTRACTS.iter().find(|(form, _)| *form == self).and_then(|(_, contract)| contract.as_ref());
        let Some(contract) = contract else { return vec!["`body` has an unknown form".to_owned()] };
        let bounds = contract::CheckLimits {
            depth: contract::CheckLimits::DEEPEST,
            ..contract::CheckLimits::default()
        };
        let violations = contract.checker().limits(bounds).violations(document.root());
        violations.iter().map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_of_all_forms_can_be_used() {
        assert!(CONTRACTS.iter().all(|(_, contract)| contract.is_some()), "{:?}", *CONTRACTS);
    }
}
