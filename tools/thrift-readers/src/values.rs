//! Messages that keep the rules, found by trying.

use thrift::idl::Requiredness;
use thrift::model::{StructRole, Type, TypeId};
use thrift::validate::{Want, wire_type};
use thrift::wire::{Protocol, WireType};

use crate::Result;
use crate::random::Random;
use crate::schemas::{MessageStatus, Schema};
use crate::tree::{Claim, Field, List, Map, Struct, Wire};

/// Makes values of a schema's types.
#[derive(Debug)]
pub struct Values<'s> {
    schema: &'s Schema,
    words: Vec<String>,
    numbers: Vec<i64>,
    doubles: Vec<f64>,
}

/// How deep structs nest in structs.
const DEPTH: usize = 3;

impl<'s> Values<'s> {
    /// Collects what the rules speak of.
    pub fn of(schema: &'s Schema) -> Values<'s> {
        let mut words = schema.words();
        let mut numbers: Vec<i64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        numbers.extend(schema.model.enums.iter().flat_map(|it| &it.members).map(|it| i64::from(it.number)));
        numbers = numbers.iter().flat_map(|it| [it.saturating_sub(1), *it, it.saturating_add(1)]).collect();
        numbers.extend([0, 1, 2, 5, -1, i64::MIN, i64::MAX, i32::MAX.into(), i16::MIN.into()]);
        numbers.sort_unstable();
        numbers.dedup();
        let mut doubles: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        doubles.extend([0.0, 0.5, 1.0, 1.25, -2.0, 99.0, 1e300]);
        // Not expressions and patterns: they are never values.
        words.retain(|word| !word.contains(['$', '^', '[']) && !word.starts_with('@') && word.len() < 40);
        words.extend(["", "a", "xy", "abcdef", "é", "日本"].map(str::to_owned));
        Values { schema, words, numbers, doubles }
    }

    /// A message that keeps the rules.
    pub fn valid(&self, random: &mut Random) -> Result<Wire> {
        for _ in 0..20 {
            let mut best = self.structure(self.schema.root, 0, random);
            let mut cost = self.cost(&best);
            for _ in 0..400 {
                if cost == 0 {
                    return Ok(best);
                }
                let mut next = best.clone();
                self.change(&mut next, random);
                let found = self.cost(&next);
                if found <= cost {
                    (best, cost) = (next, found);
                }
            }
        }
        Err(format!("{}: no message keeps the rules", self.schema.name))
    }

    /// Puts another value of the same type somewhere; false if that was not possible.
    pub fn change(&self, message: &mut Wire, random: &mut Random) -> bool {
        let n = random.below(message.count());
        self.replace_struct(self.schema.root, message, &mut { n }, 0, random)
    }

    fn cost(&self, message: &Wire) -> usize {
        match self.schema.judge(Protocol::Binary, &message.write(Protocol::Binary), Want::All) {
            MessageStatus::Passes => 0,
            MessageStatus::Breaks(rules) => rules,
            MessageStatus::NoMessage => usize::MAX,
        }
    }

    fn structure(&self, id: thrift::model::StructId, depth: usize, random: &mut Random) -> Wire {
        let it = &self.schema.model[id];
        let only = (it.role == StructRole::Union).then(|| random.below(it.fields.len()));
        let mut fields = Vec::new();
        for (index, field) in it.fields.iter().enumerate() {
            let wanted = match (only, field.requiredness) {
                (Some(only), _) => only == index,
                (None, Requiredness::Required) => true,
                (None, Requiredness::Default) => !random.once_in(6),
                (None, Requiredness::Optional) => random.once_in(2),
            };
            let deep = depth >= DEPTH && field.requiredness != Requiredness::Required && only.is_none();
            if wanted && !(deep && matches!(self.schema.model.real(field.ty), Type::Struct(_))) {
                let value = self.value(field.ty, depth, random);
                fields.push(Field { id: field.wire_id(), claim: None, long: false, value });
            }
        }
        Wire::Struct(Struct { fields, endless: false })
    }

    /// A value of a type, near what the rules want.
    pub fn value(&self, ty: TypeId, depth: usize, random: &mut Random) -> Wire {
        let model = &self.schema.model;
        let claim = |ty| Claim::Type(wire_type(model, ty));
        let length = |random: &mut Random| if depth >= DEPTH { 0 } else { random.below(4) };
        match model.real(ty) {
            Type::Bool => Wire::Bool(random.below(2) as u8),
            Type::Double => Wire::Double(random.pick(&self.doubles).copied().unwrap_or_default().to_bits()),
            Type::String | Type::Binary => self.text(random),
            Type::List(element) | Type::Set(element) => {
                let items = (0..length(random)).map(|_| self.value(element, depth + 1, random)).collect();
                Wire::List(List { ty: wire_type(model, ty), element: claim(element), items, length: None })
            }
            Type::Map(key, value) => {
                let entry = |random: &mut Random| {
                    (self.value(key, depth + 1, random), self.value(value, depth + 1, random))
                };
                let entries = (0..length(random)).map(|_| entry(random)).collect();
                Wire::Map(Map { key: claim(key), value: claim(value), entries, length: None })
            }
            Type::Struct(id) => self.structure(id, depth + 1, random),
            other => {
                let (least, most) = other.integer_range().unwrap_or((i32::MIN.into(), i32::MAX.into()));
                let number = random.pick(&self.numbers).copied().unwrap_or_default();
                Wire::int(wire_type(model, ty), number.clamp(least, most))
            }
        }
    }

    /// Something that keys and values of maps often are.
    pub fn text_or_number(&self, random: &mut Random) -> Wire {
        match random.once_in(2) {
            true => self.text(random),
            false => Wire::int(WireType::I32, random.pick(&self.numbers).copied().unwrap_or_default()),
        }
    }

    fn text(&self, random: &mut Random) -> Wire {
        let mut text = random.pick(&self.words).cloned().unwrap_or_default();
        if random.once_in(5) {
            text += random.pick(&self.words).map_or("", String::as_str);
        }
        Wire::Text(text.into_bytes(), None)
    }

    fn replace_struct(
        &self,
        id: thrift::model::StructId,
        wire: &mut Wire,
        n: &mut usize,
        depth: usize,
        random: &mut Random,
    ) -> bool {
        match n.checked_sub(1) {
            None => {
                *wire = self.structure(id, depth, random);
                return true;
            }
            Some(less) => *n = less,
        }
        let Wire::Struct(it) = wire else { return false };
        it.fields.iter_mut().any(|field| {
            let known = self.schema.model[id].fields.iter().find(|known| known.wire_id() == field.id);
            known.is_some_and(|known| self.replace(known.ty, &mut field.value, n, depth, random))
        })
    }

    fn replace(&self, ty: TypeId, wire: &mut Wire, n: &mut usize, depth: usize, random: &mut Random) -> bool {
        let real = self.schema.model.real(ty);
        if let Type::Struct(id) = real {
            return self.replace_struct(id, wire, n, depth + 1, random);
        }
        match n.checked_sub(1) {
            None => {
                *wire = self.value(ty, depth, random);
                return true;
            }
            Some(less) => *n = less,
        }
        match (real, wire) {
            (Type::List(element) | Type::Set(element), Wire::List(it)) => {
                it.items.iter_mut().any(|item| self.replace(element, item, n, depth + 1, random))
            }
            (Type::Map(key, value), Wire::Map(it)) => it.entries.iter_mut().any(|(k, v)| {
                self.replace(key, k, n, depth + 1, random) || self.replace(value, v, n, depth + 1, random)
            }),
            _ => false,
        }
    }

    /// A type that the wire knows, by chance.
    pub fn any_type(random: &mut Random) -> WireType {
        const TYPES: &[WireType] = &[
            WireType::Bool,
            WireType::I8,
            WireType::Double,
            WireType::I16,
            WireType::I32,
            WireType::I64,
            WireType::String,
            WireType::Struct,
            WireType::Map,
            WireType::Set,
            WireType::List,
            WireType::Uuid,
        ];
        random.pick(TYPES).copied().unwrap_or(WireType::I32)
    }
}
