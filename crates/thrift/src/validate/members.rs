//! The names of enum members beside their numbers, for those who read what is wrong.

use contract::{MASK, Path, PathStep, Violation};

use super::types::{EnumType, ProgramTypes, TypeForm};
use crate::model::StructId;

/// Puts names beside the numbers of a violation, if its value is that of an enum.
pub(super) fn name(types: &ProgramTypes, root: StructId, violation: &mut Violation) {
    let Some(it) = enumeration(types, root, &violation.path) else { return };
    if let Some(found) = violation.found.as_deref().filter(|found| *found != MASK)
        && let Some(named) = named(it, found)
    {
        violation.found = Some(named.into());
    }
    // The message is made of what is wanted, so that it has the names as well.
    if let Some(wanted) = &mut violation.wanted
        && let Some(all) = wanted.shown.iter().map(|one| Some(named(it, one)?.into())).collect()
    {
        wanted.shown = all;
    }
}

/// `2 (BLUE)`; `None` if it is not a number.
fn named(it: &EnumType, text: &str) -> Option<String> {
    let number: i64 = text.parse().ok()?;
    Some(match it.member(number) {
        Some(member) => format!("{number} ({member})"),
        None => format!("{number} (not in {})", it.name),
    })
}

fn enumeration<'t>(types: &'t ProgramTypes, root: StructId, path: &Path) -> Option<&'t EnumType> {
    let mut kind = TypeForm::Struct(root);
    let mut last = None;
    for step in &path.steps {
        let ty = match (kind, step) {
            (TypeForm::Struct(id), PathStep::Name(name)) => types.structure(id)?.named(name)?.ty,
            (TypeForm::List(element) | TypeForm::Set(element), _) => element,
            (TypeForm::Map(key, _), PathStep::Key(_)) => key,
            (TypeForm::Map(_, value), _) => value,
            _ => return None,
        };
        kind = types.kind(ty);
        last = Some(ty);
    }
    types.enumeration(last?)
}
