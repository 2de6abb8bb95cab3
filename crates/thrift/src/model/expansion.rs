//! Defaults written out: those that never end, and those that are too large.
//!
//! A struct value that leaves a field out takes that field's own default, so `struct S {1: S s = {}}` asks for
//! an endless value, and a short chain of structs with two such fields each for an enormous one. Constants are
//! shared, so that a few lines can stand for a value that does not fit the memory.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::data::{ConstantValue, Model, StructRole};
use super::graph;
use super::resolve::Resolver;
use crate::Code;

/// How many values the default of one field may stand for.
const MAX_VALUES: usize = 1 << 16;

/// How many values all defaults of a program may stand for.
const MAX_ALL_VALUES: usize = 1 << 21;

/// A field with a default: its struct and its position.
type Slot = (usize, usize);

/// What a value holds.
#[derive(Clone, Copy, Debug, Default)]
struct Holds {
    values: usize,
    /// Whether there is a struct value in it.
    structs: bool,
}

impl Resolver<'_> {
    /// Reports defaults without an end and defaults that are too large, and takes them away.
    pub(super) fn bound_defaults(&mut self) {
        let slots: Vec<Slot> = slots(&self.model);
        let mut by_struct: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        for ((at, position), number) in slots.iter().zip(0..) {
            by_struct.entry(*at).or_default().push((*position, number));
        }
        let mut budget = MAX_ALL_VALUES;
        let mut sizes = Sizes { known: HashMap::new() };
        let mut own = Vec::with_capacity(slots.len());
        let mut edges: Vec<Vec<usize>> = Vec::with_capacity(slots.len());
        for (at, position) in &slots {
            let default =
                self.model.structs.get(*at).and_then(|it| it.fields.get(*position)?.default.as_ref());
            let size = default.map(|value| sizes.of(value)).unwrap_or_default();
            // What is too large already need not be looked into.
            let targets = match default {
                Some(value) if size.structs && size.values <= MAX_VALUES => {
                    left_out(&self.model, value, &by_struct, &mut budget)
                }
                _ => Some(Vec::new()),
            };
            own.push(if targets.is_some() { size.values } else { usize::MAX });
            edges.push(targets.unwrap_or_default());
        }
        let order = graph::order(&edges);
        let mut endless = BTreeSet::new();
        for cycle in &order.cycles {
            endless.extend(cycle.iter().copied());
            let name = |number: usize| self.slot_name(&slots, number);
            let names: Vec<String> = cycle.iter().map(|number| name(*number)).collect();
            let place = |number: usize| cycle.iter().position(|it| *it == number);
            let path = graph::describe(cycle, |number| {
                place(number).and_then(|at| names.get(at)).map_or("", String::as_str)
            });
            let message = format!("the default has no end: {path}");
            self.blame(&slots, cycle.last().copied(), Code::EndlessDefault, message);
        }
        let mut written_out = own;
        let mut all = 0usize;
        for number in order.finished {
            let below: usize = edges
                .get(number)
                .into_iter()
                .flatten()
                .filter_map(|to| written_out.get(*to))
                .fold(0, |sum: usize, size| sum.saturating_add(*size));
            let Some(size) = written_out.get_mut(number) else { continue };
            *size = size.saturating_add(below);
            let size = *size;
            all = all.saturating_add(size.min(MAX_VALUES));
            if endless.contains(&number) {
                continue;
            }
            if size > MAX_VALUES {
                let message = format!("the default stands for more than {MAX_VALUES} values");
                self.blame(&slots, Some(number), Code::TooLarge, message);
            } else if all > MAX_ALL_VALUES {
                let message =
                    format!("the defaults of the program stand for more than {MAX_ALL_VALUES} values");
                self.blame(&slots, Some(number), Code::TooLarge, message);
                all = 0;
            } else {
                continue;
            }
            endless.insert(number);
        }
        // Cycles beyond those that are described are cycles, too.
        let closing = order.closes_cycle.iter().zip(0..).filter(|(closes, _)| **closes).map(|(_, it)| it);
        endless.extend(closing);
        for number in endless {
            self.drop_default(&slots, number);
        }
    }

    fn slot_name(&self, slots: &[Slot], number: usize) -> String {
        let owner = slots.get(number).and_then(|(at, position)| {
            let owner = self.model.structs.get(*at)?;
            Some(format!("{}.{}", owner.name.text, owner.fields.get(*position)?.name.text))
        });
        owner.unwrap_or_default()
    }

    fn blame(&mut self, slots: &[Slot], number: Option<usize>, code: Code, message: String) {
        let slot = number.and_then(|number| slots.get(number));
        let field = slot.and_then(|(at, position)| self.model.structs.get(*at)?.fields.get(*position));
        if let Some(span) = field.map(|field| field.name.span) {
            self.report(code.at(span, message).help("leave the default out"));
        }
    }

    fn drop_default(&mut self, slots: &[Slot], number: usize) {
        if let Some((at, position)) = slots.get(number)
            && let Some(field) = self.model.structs.get_mut(*at).and_then(|it| it.fields.get_mut(*position))
        {
            field.default = None;
        }
    }
}

/// All fields with a default.
fn slots(model: &Model) -> Vec<Slot> {
    let fields = model.structs.iter().enumerate().flat_map(|(at, it)| {
        let defaults = it.fields.iter().enumerate().filter(|(_, field)| field.default.is_some());
        defaults.map(move |(position, _)| (at, position))
    });
    fields.collect()
}

/// The fields with a default that the struct values in a value leave out, once for each time; `None` if they are
/// more than are left of a budget.
fn left_out(
    model: &Model,
    value: &ConstantValue,
    by_struct: &HashMap<usize, Vec<(usize, usize)>>,
    budget: &mut usize,
) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            ConstantValue::List(items) => todo.extend(items.iter()),
            ConstantValue::Map(entries) => todo.extend(entries.iter().flat_map(|(key, value)| [key, value])),
            ConstantValue::Struct(id, given) => {
                todo.extend(given.iter().map(|(_, value)| value));
                let it = &model[*id];
                // A union is what it was given.
                if it.role == StructRole::Union {
                    continue;
                }
                let given: HashSet<usize> = given.iter().map(|(position, _)| *position).collect();
                for (position, number) in by_struct.get(&(id.0 as usize)).into_iter().flatten() {
                    if !given.contains(position) {
                        *budget = budget.checked_sub(1)?;
                        found.push(*number);
                    }
                }
            }
            ConstantValue::Bool(_)
            | ConstantValue::Int(_)
            | ConstantValue::Double(_)
            | ConstantValue::Bytes(_)
            | ConstantValue::Uuid(_)
            | ConstantValue::Enum(..) => {}
        }
    }
    Some(found)
}

/// Counts values, each shared one once.
struct Sizes {
    known: HashMap<*const u8, Holds>,
}

impl Sizes {
    // INVARIANT: constants nest no deeper than `constants.rs` allows, and the model keeps them all alive.
    fn of(&mut self, value: &ConstantValue) -> Holds {
        let (pointer, structs) = match value {
            ConstantValue::List(items) => (Arc::as_ptr(items).cast::<u8>(), false),
            ConstantValue::Map(entries) => (Arc::as_ptr(entries).cast::<u8>(), false),
            ConstantValue::Struct(_, given) => (Arc::as_ptr(given).cast::<u8>(), true),
            _ => return Holds { values: 1, structs: false },
        };
        // Empty ones may share an address with anything.
        let empty = match value {
            ConstantValue::List(items) => items.is_empty(),
            ConstantValue::Map(entries) => entries.is_empty(),
            ConstantValue::Struct(_, given) => given.is_empty(),
            _ => true,
        };
        if empty {
            return Holds { values: 1, structs };
        }
        if let Some(known) = self.known.get(&pointer) {
            return *known;
        }
        let mut holds = Holds { values: 1, structs };
        let mut add = |part: Holds| {
            holds.values = holds.values.saturating_add(part.values);
            holds.structs |= part.structs;
        };
        match value {
            ConstantValue::List(items) => items.iter().for_each(|item| add(self.of(item))),
            ConstantValue::Map(entries) => entries.iter().for_each(|(key, value)| {
                add(self.of(key));
                add(self.of(value));
            }),
            ConstantValue::Struct(_, given) => given.iter().for_each(|(_, value)| add(self.of(value))),
            _ => {}
        }
        self.known.insert(pointer, holds);
        holds
    }
}
