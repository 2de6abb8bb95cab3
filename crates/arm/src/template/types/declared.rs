//! The parts of a type as they are written, found by whatever case.

use std::collections::HashMap;

use contract::Node;
use document::{NodeId, SourceValue};
use smol_str::SmolStr;

use crate::Value;
use crate::template::read::member;
use crate::value::folded;

/// A property: its name as it is declared, and its type.
pub(super) type DeclaredProperty<'d> = (&'d str, SourceValue<'d>);

/// The declared properties of types by their folded names, collected once for each type.
#[derive(Default)]
pub(super) struct PropertyIndex<'d>(HashMap<NodeId, HashMap<SmolStr, DeclaredProperty<'d>>>);

impl<'d> PropertyIndex<'d> {
    /// The property of a name among those that are declared.
    pub(super) fn property(&mut self, declared: SourceValue<'d>, name: &str) -> Option<DeclaredProperty<'d>> {
        let known = self.0.entry(declared.id()).or_insert_with(|| {
            let mut known = HashMap::new();
            for (key, ty) in declared.members() {
                let name = key.as_str().unwrap_or_default();
                // The first declaration counts.
                known.entry(folded(name)).or_insert((name, ty));
            }
            known
        });
        known.get(&folded(name)).copied()
    }
}

/// Tells whether what is written is a type, and not whether there is one.
pub(super) fn is_type(written: &SourceValue<'_>) -> bool {
    matches!(written.node(), Node::Object(_))
}

/// The branch of a union that a value chooses.
pub(super) fn branch<'d>(union: SourceValue<'d>, value: &Value) -> Option<SourceValue<'d>> {
    let chosen = value.as_object()?.get(tag(union)?)?.plain().as_str()?;
    member(union, "mapping")?.members().find(|(key, _)| key.as_str() == Some(chosen)).map(|(_, ty)| ty)
}

/// The property by which values choose a branch of a union.
pub(super) fn tag<'d>(union: SourceValue<'d>) -> Option<&'d str> {
    member(union, "propertyName")?.as_str()
}
