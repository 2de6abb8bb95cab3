//! Keeps secrets out of what is said about values that do not fit their types.

use std::cmp::Reverse;

use contract::{Contract, Expected, MASK, Path, PathStep, View, Violation};

use super::read::{Reader, UNKNOWN_MEMBER};
use super::value::Plain;
use crate::Span;
use crate::model::StructId;

impl Reader {
    /// Reads a value as [`read`](Reader::read) does, for people who may not see what the contract calls secret.
    ///
    /// The contract is one of the struct. What does not fit its type inside a secret is reported with the mask.
    pub fn read_masked<'v, V: View<'v>>(
        &self,
        contract: &Contract,
        id: StructId,
        value: V,
        most: usize,
    ) -> (Plain<'v>, Vec<Violation>) {
        let (plain, mut misfits) = self.read(id, value, most);
        if !misfits.is_empty() && contract.has_secrets() {
            mask(&self.secrets(contract, id, value), &mut misfits);
        }
        (plain, misfits)
    }

    /// The places of what nobody may see in a value that is to be a struct, in order.
    ///
    /// Those are the secrets of its contract, what stands in the place of a part that has secrets and does not fit it,
    /// and members that are no fields: one of them may be a secret under a misspelt name.
    pub fn secrets<'v, V: View<'v>>(&self, contract: &Contract, id: StructId, value: V) -> Vec<Span> {
        if !contract.has_secrets() {
            return Vec::new();
        }
        let (plain, strangers) = self.read_for_secrets(id, value);
        let mut places = contract.secrets(&plain);
        places.extend(contract.misspelt_secrets(value));
        places.extend(strangers);
        places.sort_by_key(|place| (place.file, place.start, Reverse(place.end)));
        places.dedup_by(|next, kept| next.file == kept.file && next.end <= kept.end);
        places
    }
}

/// Masks what lies in one of the secrets, which are sorted.
fn mask(secrets: &[Span], misfits: &mut [Violation]) {
    let is_secret = |place: Span| {
        let after = secrets.partition_point(|secret| secret.start <= place.start);
        secrets.get(..after).and_then(<[Span]>::last).is_some_and(|secret| place.end <= secret.end)
    };
    for misfit in misfits.iter_mut().filter(|it| it.place.is_some_and(is_secret)) {
        misfit.found = Some(MASK.into());
        misfit.hint = None;
        // The name of a member that is not a field may be the secret itself.
        if misfit.code == UNKNOWN_MEMBER {
            misfit.expected = Expected::Stated("must have no members but its fields".into());
            let steps = misfit.path.steps.iter().cloned();
            let known = misfit.path.steps.len().saturating_sub(1);
            misfit.path = Path { steps: steps.take(known).chain([PathStep::Secret]).collect() };
        }
    }
}
