//! Unions: which alternative a value goes on with, and what is said where it has none.

use super::words::{list_some, with_article};
use super::{Demand, Here, Met, ROOM, Report};
use crate::program::{Choice, GateId};
use crate::rules::{RuleInfo, form};
use crate::scope::Scope;
use crate::show::MASK;
use crate::view::{Node, View};

/// The alternatives that a value goes on with.
pub(super) struct Taken {
    pub(super) gates: Vec<GateId>,
    pub(super) broken: Option<BrokenChoice>,
}

impl Taken {
    pub(super) fn gate(gate: GateId) -> Taken {
        Taken { gates: vec![gate], broken: None }
    }
}

/// How a union was broken.
pub(super) struct BrokenChoice {
    pub(super) info: &'static RuleInfo,
    /// The word for the union, if it is not that of its rule.
    pub(super) rule: Option<&'static str>,
    pub(super) message: String,
    pub(super) wanted: Option<String>,
}

impl<'w> Report<'w> {
    /// Finds the alternative that a value takes.
    pub(super) fn choose<'v, V: View<'v>>(
        &self,
        choice: &Choice,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> Taken {
        let is_any = matches!(choice, Choice::Any(_));
        let broken = |info, message: String, wanted| Taken {
            gates: Vec::new(),
            broken: Some(BrokenChoice { info, rule: is_any.then_some("anyOf"), message, wanted }),
        };
        match choice {
            Choice::Kind { table, .. } => match table.get(node.kind() as usize).copied().flatten() {
                Some(gate) => Taken::gate(gate),
                None => {
                    let wanted = with_article(&kinds_of(table).to_string());
                    let message = format!("must be {wanted}, not {}", with_article(node.kind().name()));
                    broken(&form::KIND, message, Some(wanted))
                }
            },
            Choice::Property { name, values, gates } => {
                let wanted = list_some(values.iter());
                match value.member(name).map(View::node) {
                    Some(Node::Text(text)) => {
                        match values.get(text.as_bytes()).and_then(|at| gates.get(at)) {
                            Some(gate) => Taken::gate(*gate),
                            None => {
                                let hidden = gates.iter().any(|id| {
                                    let object = self.walk.gate(*id).and_then(|gate| gate.object.as_deref());
                                    object.is_some_and(|part| self.is_secret(part.gates_of(Node::Text(name))))
                                });
                                let shown = if hidden { MASK } else { text };
                                let message =
                                    format!("the property `{name}` is `{shown}`, which is none of {wanted}");
                                broken(&form::DISCRIMINATOR, message, Some(wanted))
                            }
                        }
                    }
                    _ => {
                        let message = format!("must have the property `{name}`, one of {wanted}");
                        broken(&form::DISCRIMINATOR, message, Some(wanted))
                    }
                }
            }
            Choice::Any(gates) | Choice::One(gates) => {
                let passed: Vec<(usize, GateId)> = gates
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|(_, gate)| self.walk.valid(*gate, value, scope, depth))
                    .collect();
                match (choice, passed.as_slice()) {
                    (_, []) => match self.only_fitting(gates, node) {
                        // One alternative for this kind of value: its violations say more than the union's.
                        Some(only) => Taken::gate(only),
                        None => {
                            let message = format!("must have one of {} shapes, has none", gates.len());
                            broken(&form::UNION, message, None)
                        }
                    },
                    (Choice::One(_), [_, _, ..]) => {
                        let numbers = passed.iter().map(|(at, _)| (at + 1).to_string());
                        let numbers = numbers.collect::<Vec<_>>();
                        let message = format!(
                            "must have exactly one of {} shapes, has numbers {}",
                            gates.len(),
                            list_some(numbers.iter().map(String::as_str)),
                        );
                        broken(&form::UNION, message, None)
                    }
                    // They hold, but what they keep secret must be known to others.
                    (_, passed) => {
                        let veiled = |id: &GateId| self.walk.gate(*id).is_some_and(|gate| gate.veiled);
                        let gates = passed.iter().map(|(_, id)| *id).filter(veiled).collect();
                        Taken { gates, broken: None }
                    }
                }
            }
        }
    }

    /// The only alternative for a kind of value, if there is one.
    pub(super) fn only_fitting(&self, gates: &[GateId], node: Node<'_>) -> Option<GateId> {
        let kind = node.kind();
        let mut fitting =
            gates.iter().filter(|id| self.walk.gate(**id).is_some_and(|gate| gate.may_take(kind)));
        let only = fitting.next()?;
        fitting.next().is_none().then_some(*only)
    }

    /// What keeps a value from the alternative it comes nearest to.
    pub(super) fn nearest<'v, V: View<'v>>(
        &self,
        here: &Here<'_, 'v, V>,
        gates: &[GateId],
        met: &Met<'_, '_>,
    ) -> Option<String> {
        /// Enough to tell a near miss from a far one.
        const ENOUGH: usize = 8;
        /// Enough alternatives to look at.
        const MOST: usize = 64;
        let path = here.at.path();
        let tried = gates.iter().enumerate().take(MOST).filter_map(|(position, gate)| {
            let mut inner = Report { violations: Vec::new(), most: ENOUGH, room: ROOM, inner: true, ..*self };
            let demand = Demand { gate: *gate, scope: met.scope, depth: met.depth.saturating_sub(1) };
            let _ = inner.visit(here.value, vec![demand], here.at);
            let count = inner.violations.len();
            let first = inner.violations.into_iter().next()?;
            // A shape of another kind is the farthest of all.
            let far = first.code == form::KIND.name && first.path == path;
            Some((far, count, position, first))
        });
        tried.min_by_key(|(far, count, position, _)| (*far, *count, *position)).map(
            |(_, _, position, first)| {
                format!("not shape {}: {}: {}", position + 1, first.path, first.message)
            },
        )
    }
}

pub(super) fn kinds_of(gates: &[Option<GateId>; 8]) -> crate::Kinds {
    let kinds = crate::Kind::ALL.into_iter().zip(gates);
    kinds.fold(crate::Kinds::NONE, |kinds, (kind, gate)| match gate {
        Some(_) => kinds | kind.into(),
        None => kinds,
    })
}
