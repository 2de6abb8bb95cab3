//! Unions: which alternative a value goes on with, and what is said where it has none.

use super::{Demand, Met, ROOM, ReportedValue, Standing, ViolationCollector, standing};
use crate::branch::{Branch, BranchTest};
use crate::gate_id::GateId;
use crate::program::{Choice, CompiledRule};
use crate::rules::{RuleInfo, form};
use crate::scope::ReferenceScope;
use crate::violation::{Expected, ExpectedKind, ExpectedTexts};
use crate::words;
use value::show::MASK;
use value::{Node, View};

/// The alternatives that a value goes on with.
pub(super) struct ViableAlternatives {
    pub(super) gates: Vec<GateId>,
    pub(super) broken: Option<BrokenChoice>,
    /// Whether it depends on what is not known.
    pub(super) undecided: bool,
}

impl ViableAlternatives {
    pub(super) fn gate(gate: GateId) -> ViableAlternatives {
        ViableAlternatives { gates: vec![gate], broken: None, undecided: false }
    }

    const UNDECIDED: ViableAlternatives =
        ViableAlternatives { gates: Vec::new(), broken: None, undecided: true };
}

/// How a union was broken.
pub(super) struct BrokenChoice {
    pub(super) info: &'static RuleInfo,
    /// The word for the union, if it is not that of its rule.
    pub(super) rule: Option<&'static str>,
    pub(super) expected: Expected,
    pub(super) wanted: Option<ExpectedTexts>,
}

impl<'w> ViolationCollector<'w> {
    /// Finds the alternative that a value takes.
    pub(super) fn choose<'v, V: View<'v>>(
        &self,
        choice: &Choice,
        value: V,
        node: Node<'v>,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> ViableAlternatives {
        let is_any = matches!(choice, Choice::Any(_));
        let broken = |info, expected: Expected, wanted| ViableAlternatives {
            gates: Vec::new(),
            broken: Some(BrokenChoice { info, rule: is_any.then_some("anyOf"), expected, wanted }),
            undecided: false,
        };
        match choice {
            Choice::Kind { table, .. } => match table.get(node.kind() as usize).copied().flatten() {
                Some(gate) => ViableAlternatives::gate(gate),
                None => {
                    let (kinds, found) = (kinds_of(table), node.kind());
                    let kind = ExpectedKind { kinds, nullable: false, width: None, title: None, found };
                    let wanted = ExpectedTexts::one(words::expected_kind(&kind));
                    broken(&form::KIND, Expected::Kind(Box::new(kind)), Some(wanted))
                }
            },
            Choice::Property { name, values, gates } => {
                let wanted = || Some(ExpectedTexts::some(values.iter()));
                match value.member(name).map(View::node) {
                    Some(Node::Unknown) => ViableAlternatives::UNDECIDED,
                    Some(Node::Text(text)) => {
                        match values.get(text.as_bytes()).and_then(|at| gates.get(at)) {
                            Some(gate) => ViableAlternatives::gate(*gate),
                            None => {
                                let hidden = gates.iter().any(|id| {
                                    let object = self.walk.gate(*id).and_then(|gate| gate.object.as_deref());
                                    object.is_some_and(|part| self.is_secret(part.gates_of(Node::Text(name))))
                                });
                                let shown = if hidden { MASK } else { text };
                                let found = Some(shown.into());
                                let expected = Expected::Discriminator { property: name.clone(), found };
                                broken(&form::DISCRIMINATOR, expected, wanted())
                            }
                        }
                    }
                    _ => {
                        let expected = Expected::Discriminator { property: name.clone(), found: None };
                        broken(&form::DISCRIMINATOR, expected, wanted())
                    }
                }
            }
            Choice::Any(gates) | Choice::One(gates) => {
                if self.walk.partial && value.has_unknown() {
                    return self.choose_partly(choice, gates, value, scope, depth);
                }
                let passed: Vec<(usize, GateId)> = gates
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|(_, gate)| self.walk.valid(*gate, value, scope, depth))
                    .collect();
                match (choice, passed.as_slice()) {
                    (_, []) => match self.only_fitting(gates, node) {
                        // One alternative for this kind of value: its violations say more than the union's.
                        Some(only) => ViableAlternatives::gate(only),
                        None => broken(&form::UNION, Expected::Alternative(gates.len()), None),
                    },
                    (Choice::One(_), [_, _, ..]) => {
                        let numbers = passed.iter().map(|(at, _)| at + 1).collect();
                        broken(&form::UNION, Expected::OneAlternative(gates.len(), numbers), None)
                    }
                    // They hold, but what they keep secret must be known to others.
                    (_, passed) => {
                        let veiled = |id: &GateId| self.walk.gate(*id).is_some_and(|gate| gate.veiled);
                        let gates = passed.iter().map(|(_, id)| *id).filter(veiled).collect();
                        ViableAlternatives { gates, broken: None, undecided: false }
                    }
                }
            }
        }
    }

    /// Finds the alternative that a value takes of which a part is not known.
    fn choose_partly<'v, V: View<'v>>(
        &self,
        choice: &Choice,
        gates: &[GateId],
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> ViableAlternatives {
        let standings = gates.iter().map(|gate| standing(self.walk, *gate, value, scope, depth));
        let possible: Vec<(usize, Standing)> =
            standings.enumerate().filter(|(_, standing)| *standing != Standing::Broken).collect();
        let certain = possible.iter().filter(|(_, standing)| *standing == Standing::Holds);
        let holds: Vec<usize> = certain.map(|(at, _)| at + 1).collect();
        let is_one = matches!(choice, Choice::One(_));
        let broken = |expected: Expected| {
            let rule = (!is_one).then_some("anyOf");
            let broken = BrokenChoice { info: &form::UNION, rule, expected, wanted: None };
            ViableAlternatives { gates: Vec::new(), broken: Some(broken), undecided: false }
        };
        match possible.as_slice() {
            [] => broken(Expected::Alternative(gates.len())),
            // Two hold, whatever becomes of the rest.
            _ if is_one && holds.len() > 1 => broken(Expected::OneAlternative(gates.len(), holds.into())),
            [(only, _)] => {
                gates.get(*only).map_or(ViableAlternatives::UNDECIDED, |gate| ViableAlternatives::gate(*gate))
            }
            _ if !holds.is_empty() && !is_one => {
                ViableAlternatives { gates: Vec::new(), broken: None, undecided: false }
            }
            _ => ViableAlternatives::UNDECIDED,
        }
    }

    /// The branch of a rule that the value follows, to break what it finds there: not one whose violation has words of its own, and not one of
    /// which it is not known where it leads, which is judged as a rule.
    pub(super) fn leading<'r, 'v, V: View<'v>>(
        &self,
        rule: CompiledRule<'r>,
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> Option<&'r Branch> {
        let branch = rule.ready.branch.as_deref().filter(|_| rule.rule.message.is_none())?;
        let is_open = match branch.test {
            BranchTest::Gate(test) if self.walk.partial && value.has_unknown() => {
                standing(self.walk, test, value, scope, depth) == Standing::Unknown
            }
            BranchTest::Gate(_) | BranchTest::Member(_) => false,
        };
        (!is_open).then_some(branch)
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
        here: &ReportedValue<'_, 'v, V>,
        gates: &[GateId],
        met: &Met<'_, '_>,
    ) -> Option<String> {
        /// Enough to tell a near miss from a far one.
        const ENOUGH: usize = 8;
        /// Enough alternatives to look at.
        const MOST: usize = 64;
        let path = here.at.path();
        let tried = gates.iter().enumerate().take(MOST).filter_map(|(position, gate)| {
            let (violations, unknown) = (Vec::new(), Vec::new());
            let mut inner =
                ViolationCollector { violations, unknown, most: ENOUGH, room: ROOM, inner: true, ..*self };
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
                format!("not shape {}: {}: {}", position + 1, first.path, first.message())
            },
        )
    }
}

pub(super) fn kinds_of(gates: &[Option<GateId>; 8]) -> crate::Kinds {
    let kinds = crate::ValueKind::ALL.into_iter().zip(gates);
    kinds.fold(crate::Kinds::NONE, |kinds, (kind, gate)| match gate {
        Some(_) => kinds | kind.into(),
        None => kinds,
    })
}
