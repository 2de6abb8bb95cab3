//! What only the whole contract tells: definitions without an end, gates that let everything pass, the kinds a
//! gate can take, and what must not be printed.

use crate::flaw::{Flaw, FlawCode};
use crate::gate_id::{GateId, Rest};
use crate::program::{Choice, Gate};
use value::{Kinds, ValueKind};

use super::{Compiler, is_free};

/// Settles every gate; returns whether anything in the contract must not be printed.
pub(super) fn settle(compiler: &mut Compiler<'_>) -> bool {
    // A gate comes after those that its value meets next, so one pass sees what it needs.
    for id in order(compiler) {
        if let Some(gate) = compiler.gates.get_mut(id as usize)
            && gate.stands_alone()
        {
            gate.may = if gate.nullable { gate.accept | ValueKind::Null.into() } else { gate.accept };
            continue;
        }
        let Some(mut gate) = compiler.gates.get_mut(id as usize).map(std::mem::take) else { continue };
        let gates = &compiler.gates;
        prune(&mut gate, gates);
        gate.free = gate.free || is_free(&gate);
        let secret = gate.same_value().any(|next| gates.get(next as usize).is_some_and(|it| it.secret));
        gate.secret |= secret;
        gate.may = kinds(&gate, gates);
        if let Some(Choice::Kind { gates: known, table }) = gate.choice.as_deref_mut() {
            *table = ValueKind::ALL.map(|kind| for_kind(known, kind, gates));
        }
        if let Some(place) = compiler.gates.get_mut(id as usize) {
            *place = gate;
        }
    }
    veil(&mut compiler.gates)
}

/// All gates, each after those that the same value meets next; reports those that lead back to themselves.
fn order(compiler: &mut Compiler<'_>) -> Vec<GateId> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        New,
        Open,
        Done,
    }
    let count = compiler.gates.len();
    let mut marks = vec![VisitState::New; count];
    let mut order = Vec::with_capacity(count);
    let mut endless: Vec<GateId> = Vec::new();
    // An explicit stack, as chains of definitions may be long: the open gates, each with where those that it
    // leads to begin among all that are still to be seen.
    let mut stack: Vec<(GateId, usize)> = Vec::new();
    let mut edges: Vec<GateId> = Vec::new();
    for start in 0..GateId::try_from(count).unwrap_or(GateId::MAX) {
        let mut next = Some(start);
        loop {
            if let Some(id) = next.take() {
                match marks.get(id as usize) {
                    Some(VisitState::New) => {
                        let before = edges.len();
                        edges.extend(compiler.gates.get(id as usize).into_iter().flat_map(Gate::same_value));
                        if edges.len() == before {
                            mark(&mut marks, id, VisitState::Done);
                            order.push(id);
                        } else {
                            mark(&mut marks, id, VisitState::Open);
                            stack.push((id, before));
                        }
                    }
                    Some(VisitState::Open) => endless.push(id),
                    Some(VisitState::Done) | None => {}
                }
            }
            match stack.last_mut() {
                Some((_, first)) if edges.len() > *first => next = edges.pop(),
                Some((id, _)) => {
                    mark(&mut marks, *id, VisitState::Done);
                    order.push(*id);
                    stack.pop();
                }
                None => break,
            }
        }
    }
    fn mark(marks: &mut [VisitState], id: GateId, value: VisitState) {
        if let Some(mark) = marks.get_mut(id as usize) {
            *mark = value;
        }
    }
    report_endless(compiler, endless);
    order
}

/// Reports definitions that lead back to themselves before any part of a value is reached.
fn report_endless(compiler: &mut Compiler<'_>, mut endless: Vec<GateId>) {
    endless.sort_unstable();
    endless.dedup();
    let mut names: Vec<(GateId, &str)> = compiler.named.iter().map(|(name, id)| (*id, *name)).collect();
    names.sort_unstable();
    for id in endless {
        let place = compiler.gates.get(id as usize).and_then(|gate| gate.place);
        let at = names.partition_point(|(known, _)| *known < id);
        let message = match names.get(at) {
            Some((known, name)) if *known == id => format!("the definition `{name}` is defined by itself"),
            _ => "the shape is defined by itself".to_owned(),
        };
        compiler.flaw(
            Flaw::new(FlawCode::EndlessDefinition, message)
                .hint("put a property or a list between the definition and its use of itself")
                .at(place),
        );
    }
}

/// Leaves out gates that let everything pass.
fn prune(gate: &mut Gate, gates: &[Gate]) {
    let free = |id: &GateId| gates.get(*id as usize).is_some_and(|gate| gate.free);
    let open = |rest: &mut Rest| {
        if rest.gate().is_some_and(|id| free(&id)) {
            *rest = Rest::Open;
        }
    };
    if let Some(list) = &mut gate.list {
        open(&mut list.rest);
    }
    if let Some(object) = &mut gate.object {
        open(&mut object.rest);
        leave_out(&mut object.keys, free);
    }
    leave_out(&mut gate.also, free);
}

fn leave_out(ids: &mut Box<[GateId]>, free: impl Fn(&GateId) -> bool) {
    if ids.iter().any(&free) {
        *ids = ids.iter().copied().filter(|id| !free(id)).collect();
    }
}

fn kinds(gate: &Gate, gates: &[Gate]) -> Kinds {
    let may = |id: GateId| gates.get(id as usize).map_or(Kinds::ALL, |gate| gate.may);
    let mut kinds = gate.also.iter().fold(gate.accept, |kinds, also| kinds.and(numbers(may(*also))));
    if let Some(choice) = &gate.choice {
        kinds = kinds.and(choice.gates().iter().fold(Kinds::NONE, |any, id| any | numbers(may(*id))));
    }
    if gate.nullable { kinds | ValueKind::Null.into() } else { kinds }
}

/// Where integers pass, so do floats that are whole.
fn numbers(kinds: Kinds) -> Kinds {
    if kinds.contains(ValueKind::Int) { kinds | ValueKind::Float.into() } else { kinds }
}

/// The first gate for a kind; for floats, one for integers alone is the last resort.
fn for_kind(known: &[GateId], kind: ValueKind, gates: &[Gate]) -> Option<GateId> {
    let first = |kind: ValueKind| {
        known.iter().copied().find(|id| gates.get(*id as usize).is_some_and(|gate| gate.may.contains(kind)))
    };
    match kind {
        ValueKind::Float => first(ValueKind::Float).or_else(|| first(ValueKind::Int)),
        kind => first(kind),
    }
}

/// Marks the gates of values that have a part which must not be printed.
fn veil(gates: &mut [Gate]) -> bool {
    if !gates.iter().any(|gate| gate.secret) {
        return false;
    }
    let mut reached: Vec<Vec<GateId>> = vec![Vec::new(); gates.len()];
    for (gate, id) in gates.iter().zip(0..) {
        for part in gate.parts().chain(gate.same_value()) {
            if let Some(from) = reached.get_mut(part as usize) {
                from.push(id);
            }
        }
    }
    let mut queue: Vec<GateId> =
        gates.iter().zip(0..).filter(|(gate, _)| gate.secret).map(|(_, id)| id).collect();
    while let Some(id) = queue.pop() {
        for from in reached.get(id as usize).into_iter().flatten() {
            if let Some(gate) = gates.get_mut(*from as usize)
                && !gate.veiled
            {
                gate.veiled = true;
                queue.push(*from);
            }
        }
    }
    true
}
