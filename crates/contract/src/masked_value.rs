//! Values in messages, with the parts left out that must not be printed.

use std::fmt::{self, Write};

use crate::gate_id::GateId;
use crate::program::Gate;
use crate::walk::CheckWalk;
use value::View;
use value::show::{self, MASK};

/// Values that more gates speak of are shown by their size alone: finding the secrets would cost too much.
const MOST: usize = 64;

/// A value as compact JSON, short enough for a message, its secret parts masked.
pub(crate) fn short<'v, V: View<'v>>(walk: &CheckWalk<'_>, gates: &[&Gate], value: V) -> String {
    if !walk.secrets || gates.iter().all(|gate| !gate.veiled) {
        return show::short(value);
    }
    match all(walk, gates.to_vec()) {
        Some(gates) => show::cut(show::SHOWN, |out| write(out, walk, &gates, value, show::DEPTH)),
        None => show::node_text(value.node()),
    }
}

/// Adds the gates that the same value may meet next; `None` if there are too many.
fn all<'w>(walk: &'w CheckWalk<'_>, mut gates: Vec<&'w Gate>) -> Option<Vec<&'w Gate>> {
    let mut next = 0;
    while let Some(gate) = gates.get(next).copied() {
        next += 1;
        for id in gate.same_value() {
            let further = walk.gate(id)?;
            if !gates.iter().any(|known| std::ptr::eq(*known, further)) {
                gates.push(further);
            }
            if gates.len() > MOST {
                return None;
            }
        }
    }
    Some(gates)
}

fn write<'v, V: View<'v>>(
    out: &mut dyn Write,
    walk: &CheckWalk<'_>,
    gates: &[&Gate],
    value: V,
    depth: usize,
) -> fmt::Result {
    if gates.iter().any(|gate| gate.misses_secrets(value.node().kind())) {
        return out.write_str(MASK);
    }
    show::write_with(
        out,
        value,
        depth,
        |out, index, item| {
            let met = gates.iter().flat_map(|gate| gate.gates_of_item(index));
            write_part(out, walk, met, item, depth - 1)
        },
        |out, key, member| {
            let objects = || gates.iter().filter_map(|gate| gate.object.as_deref());
            write_part(out, walk, objects().flat_map(|part| part.keys.iter().copied()), key, depth - 1)?;
            out.write_char(':')?;
            let name = key.node();
            write_part(out, walk, objects().flat_map(|part| part.gates_of(name)), member, depth - 1)
        },
    )
}

fn write_part<'v, V: View<'v>>(
    out: &mut dyn Write,
    walk: &CheckWalk<'_>,
    met: impl Iterator<Item = GateId>,
    value: V,
    depth: usize,
) -> fmt::Result {
    let gates: Vec<&Gate> = met.filter_map(|id| walk.gate(id)).collect();
    if gates.iter().any(|gate| gate.secret) {
        return out.write_str(MASK);
    }
    if gates.iter().all(|gate| !gate.veiled) {
        return show::write_node(out, value, depth);
    }
    match all(walk, gates) {
        Some(gates) => write(out, walk, &gates, value, depth),
        None => out.write_str("..."),
    }
}
