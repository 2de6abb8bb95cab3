//! Objects that must pass several checks are walked once: open objects of an `allOf` become one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::check::{Check, ObjectCheck, Way};
use crate::kind::Kind;
use crate::names::Names;
use crate::program::{GateId, Rest};

/// Merges what can be merged. New checks come behind those that have the numbers of gates.
pub(super) fn merge(checks: &mut Vec<Check>) {
    // Parts have higher numbers than what they are part of: this way, they are merged first.
    for id in (0..checks.len()).rev() {
        let all = match checks.get(id) {
            Some(Check::All(all)) => all.clone(),
            _ => continue,
        };
        if let (Some(merged), Some(place)) = (merge_all(checks, &all), checks.get_mut(id)) {
            *place = merged;
        }
    }
}

fn merge_all(checks: &mut Vec<Check>, all: &[GateId]) -> Option<Check> {
    // Words about members, without a word about the type, say nothing of values that have none.
    let typed = all.iter().any(|id| matches!(checks.get(*id as usize), Some(Check::Object(_))));
    let (parts, others): (Vec<GateId>, Vec<GateId>) =
        all.iter().partition(|id| typed && open_object(checks, **id).is_some());
    if parts.len() < 2 {
        return None;
    }
    let mut merged = Merged::default();
    for id in parts {
        merged.add(open_object(checks, id)?)?;
    }
    let merged = merged.finish(checks);
    if others.is_empty() {
        return Some(merged);
    }
    let first = push(checks, merged);
    Some(Check::All(std::iter::once(first).chain(others).collect()))
}

/// The check on objects that a check comes down to, if it accepts members it does not name.
fn open_object(checks: &[Check], id: GateId) -> Option<&ObjectCheck> {
    let part = match checks.get(id as usize)? {
        Check::Object(part) => part,
        Check::Switch(switch) => {
            let mut object = None;
            for (kind, way) in Kind::ALL.iter().zip(&switch.ways) {
                let Way::Check(id) = way else { return None };
                match (kind, checks.get(*id as usize)?) {
                    (Kind::Object, Check::Object(part)) => object = Some(part),
                    (Kind::Object, _) => return None,
                    (_, Check::Any) => {}
                    _ => return None,
                }
            }
            object?
        }
        _ => return None,
    };
    (part.rest == Rest::Open).then_some(part)
}

fn push(checks: &mut Vec<Check>, check: Check) -> GateId {
    checks.push(check);
    u32::try_from(checks.len() - 1).unwrap_or(u32::MAX)
}

/// Several objects in one.
#[derive(Default)]
struct Merged {
    /// By name: whether one requires it, and what all ask of it.
    properties: BTreeMap<Box<str>, (bool, Vec<GateId>)>,
    least: usize,
    most: Option<usize>,
}

impl Merged {
    /// Takes one more in; `None` if there are more required properties than bits.
    fn add(&mut self, part: &ObjectCheck) -> Option<()> {
        for (name, (bit, id)) in part.names.iter().zip(&part.properties) {
            let (required, ids) = self.properties.entry(name.into()).or_default();
            *required |= *bit != 0;
            ids.push(*id);
        }
        self.least = self.least.max(part.least);
        self.most = Some(self.most.unwrap_or(usize::MAX).min(part.most));
        let required = self.properties.values().filter(|(required, _)| *required).count();
        (required <= ObjectCheck::REQUIRED).then_some(())
    }

    fn finish(self, checks: &mut Vec<Check>) -> Check {
        let names = Arc::new(Names::new(self.properties.keys().map(AsRef::as_ref)));
        let mut properties = Vec::with_capacity(self.properties.len());
        for (required, ids) in self.properties.into_values() {
            let id = match ids.as_slice() {
                [only] => *only,
                several => {
                    let several = several.into();
                    push(checks, Check::All(several))
                }
            };
            properties.push((required, id));
        }
        let least = self.least;
        let most = self.most.unwrap_or(usize::MAX);
        Check::Object(Box::new(ObjectCheck::new(names, properties, Rest::Open, least, most)))
    }
}
