//! Objects that must pass several checks are walked once: open objects of an `allOf` become one.

use std::sync::Arc;

use crate::check::{GateCheck, ObjectCheck, UnionDispatch};
use crate::gate_id::{GateId, Rest};
use crate::names::NameTable;
use value::ValueKind;

/// Merges what can be merged. New checks come behind those that have the numbers of gates.
pub(super) fn merge(checks: &mut Vec<GateCheck>) {
    // Parts have higher numbers than what they are part of: this way, they are merged first.
    for id in (0..checks.len()).rev() {
        let all = match checks.get_mut(id) {
            Some(GateCheck::All(all)) => std::mem::take(all),
            _ => continue,
        };
        let merged = merge_all(checks, &all);
        if let Some(place) = checks.get_mut(id) {
            *place = merged.unwrap_or(GateCheck::All(all));
        }
    }
}

fn merge_all(checks: &mut Vec<GateCheck>, all: &[GateId]) -> Option<GateCheck> {
    // Words about members, without a word about the type, say nothing of values that have none.
    let typed = all.iter().any(|id| matches!(checks.get(*id as usize), Some(GateCheck::Object(_))));
    let (parts, others): (Vec<GateId>, Vec<GateId>) =
        all.iter().partition(|id| typed && open_object(checks, **id).is_some());
    if parts.len() < 2 {
        return None;
    }
    let merged = Merged::of(checks, &parts)?;
    let merged = merged.finish(checks);
    if others.is_empty() {
        return Some(merged);
    }
    let first = push(checks, merged);
    Some(GateCheck::All(std::iter::once(first).chain(others).collect()))
}

/// The check on objects that a check comes down to, if it accepts members it does not name.
fn open_object(checks: &[GateCheck], id: GateId) -> Option<&ObjectCheck> {
    let part = match checks.get(id as usize)? {
        GateCheck::Object(part) => part,
        GateCheck::Switch(switch) => {
            let mut object = None;
            for (kind, way) in ValueKind::ALL.iter().zip(&switch.ways) {
                let UnionDispatch::Check(id) = way else { return None };
                match (kind, checks.get(*id as usize)?) {
                    (ValueKind::Object, GateCheck::Object(part)) => object = Some(part),
                    (ValueKind::Object, _) => return None,
                    (_, GateCheck::Any) => {}
                    _ => return None,
                }
            }
            object?
        }
        _ => return None,
    };
    part.ignores_others().then_some(part)
}

fn push(checks: &mut Vec<GateCheck>, check: GateCheck) -> GateId {
    checks.push(check);
    u32::try_from(checks.len() - 1).unwrap_or(u32::MAX)
}

/// Several objects in one.
struct Merged {
    names: NameTable,
    /// By name: whether one of them requires the property, and where the checks that all of them ask for end.
    properties: Vec<(bool, usize)>,
    checks: Vec<GateId>,
    least: usize,
    most: usize,
}

impl Merged {
    /// Takes all together; `None` if there are more required properties than bits.
    fn of(checks: &[GateCheck], parts: &[GateId]) -> Option<Merged> {
        let (mut least, mut most) = (0, usize::MAX);
        let mut all = Vec::new();
        for part in parts.iter().filter_map(|id| open_object(checks, *id)) {
            let properties = part.names.iter().zip(&part.properties);
            all.extend(properties.map(|(name, (bit, id))| (name, *bit != 0, *id)));
            least = least.max(part.least);
            most = most.min(part.most);
        }
        // A stable sort: what was written first is asked first.
        all.sort_by_key(|(name, ..)| *name);
        let same = all.chunk_by(|(name, ..), (other, ..)| name == other);
        let names = NameTable::new(same.clone().filter_map(|same| same.first()).map(|(name, ..)| *name));
        let mut end = 0;
        let ends = same.map(|same| {
            end += same.len();
            (same.iter().any(|(_, required, _)| *required), end)
        });
        let properties: Vec<(bool, usize)> = ends.collect();
        let required = properties.iter().filter(|(required, _)| *required).count();
        let checks = all.into_iter().map(|(.., id)| id).collect();
        (required <= ObjectCheck::REQUIRED).then_some(Merged { names, properties, checks, least, most })
    }

    fn finish(self, checks: &mut Vec<GateCheck>) -> GateCheck {
        let mut start = 0;
        let properties = self.properties.into_iter().map(|(required, end)| {
            let same = self.checks.get(start..end).unwrap_or_default();
            start = end;
            match same {
                [only] => (required, *only),
                several => (required, push(checks, GateCheck::All(several.into()))),
            }
        });
        let names = Arc::new(self.names);
        GateCheck::Object(Box::new(ObjectCheck::new(names, properties, Rest::Open, self.least, self.most)))
    }
}
