//! Everything that can be wrong with a message, one row per way.

use thrift::wire::WireType;

use crate::random::Random;
use crate::tree::{Claim, Field, Form, Int, List, Map, Struct, Wire};
use crate::values::Values;

/// A way to change a message before it is written; false if it has no such place.
type Change = fn(&mut Wire, &Values<'_>, &mut Random) -> bool;

/// A way to change the bytes of a message.
pub type Spoil = fn(&mut Vec<u8>, &mut Random);

/// Changes of what is written.
pub const CHANGES: &[(&str, Change)] = &[
    ("another value of the same type", |message, values, random| values.change(message, random)),
    ("a field claims another type", |message, _, random| {
        with_struct(message, random, |it, random| {
            let claim = any_claim(random);
            some_field(it, random).is_some_and(|field| field.claim.replace(claim).is_none())
        })
    }),
    ("a field claims a type of the same kind", |message, _, random| {
        with_struct(message, random, |it, random| {
            some_field(it, random).is_some_and(|field| {
                let claim = akin(field.value.ty(), random);
                field.claim.replace(Claim::Type(claim)).is_none()
            })
        })
    }),
    ("a field has a value of another type", |message, _, random| {
        with_struct(message, random, |it, random| {
            let value = any_value(random, 0);
            some_field(it, random).map(|field| field.value = value).is_some()
        })
    }),
    ("a number has another width", |message, _, random| {
        let ty = akin(WireType::I32, random);
        with(message, random, |wire, _| match wire {
            Wire::Int(int) => {
                *wire = retyped(int.value, ty);
                true
            }
            Wire::Bool(byte) => {
                *wire = retyped((*byte).into(), ty);
                true
            }
            Wire::Double(_) | Wire::Text(..) | Wire::Struct(_) | Wire::List(_) | Wire::Map(_) => false,
        })
    }),
    ("elements claim another type", |message, _, random| {
        with(message, random, |wire, random| {
            let claim = any_claim(random);
            match wire {
                Wire::List(it) => it.element = claim,
                Wire::Map(it) if random.once_in(2) => it.key = claim,
                Wire::Map(it) => it.value = claim,
                Wire::Bool(_) | Wire::Int(_) | Wire::Double(_) | Wire::Text(..) | Wire::Struct(_) => {
                    return false;
                }
            }
            true
        })
    }),
    ("elements claim a type of the same kind", |message, _, random| {
        with(message, random, |wire, random| {
            let mut other = |claim: &mut Claim| {
                if let Claim::Type(ty) = *claim {
                    *claim = Claim::Type(akin(ty, random));
                }
            };
            match wire {
                Wire::List(it) => other(&mut it.element),
                Wire::Map(it) => {
                    other(&mut it.key);
                    other(&mut it.value);
                }
                Wire::Bool(_) | Wire::Int(_) | Wire::Double(_) | Wire::Text(..) | Wire::Struct(_) => {
                    return false;
                }
            }
            true
        })
    }),
    ("elements have another type", |message, _, random| {
        with(message, random, |wire, random| match wire {
            Wire::List(it) => {
                let ty = akin(WireType::I32, random);
                it.element = Claim::Type(ty);
                it.items.iter_mut().for_each(|item| *item = retyped(random.bits() as i64 % 10, ty));
                true
            }
            Wire::Map(it) => {
                let ty = akin(WireType::I32, random);
                it.value = Claim::Type(ty);
                it.entries.iter_mut().for_each(|(_, value)| *value = retyped(random.bits() as i64 % 10, ty));
                true
            }
            Wire::Bool(_) | Wire::Int(_) | Wire::Double(_) | Wire::Text(..) | Wire::Struct(_) => false,
        })
    }),
    ("a list is a set, or a set a list", |message, _, random| {
        with(message, random, |wire, _| match wire {
            Wire::List(it) => {
                it.ty = if it.ty == WireType::List { WireType::Set } else { WireType::List };
                true
            }
            _ => false,
        })
    }),
    ("an empty container", |message, _, random| {
        with(message, random, |wire, random| match wire {
            Wire::List(it) => {
                it.items.clear();
                it.element = any_claim(random);
                true
            }
            Wire::Map(it) => {
                it.entries.clear();
                (it.key, it.value) = (any_claim(random), any_claim(random));
                true
            }
            _ => false,
        })
    }),
    ("a field comes twice", |message, _, random| {
        with_struct(message, random, |it, random| {
            let Some(field) = random.pick(&it.fields).cloned() else { return false };
            let at = random.below(it.fields.len() + 1);
            it.fields.insert(at, field);
            true
        })
    }),
    ("a field comes twice with different values", |message, values, random| {
        let mut other = message.clone();
        if !values.change(&mut other, random) {
            return false;
        }
        let (Wire::Struct(it), Wire::Struct(other)) = (message, other) else { return false };
        let Some(field) = random.pick(&other.fields).cloned() else { return false };
        let at = random.below(it.fields.len() + 1);
        it.fields.insert(at, field);
        true
    }),
    ("a field comes again with another type", |message, _, random| {
        with_struct(message, random, |it, random| {
            let Some(field) = random.pick(&it.fields) else { return false };
            let again = Field { id: field.id, claim: None, long: false, value: any_value(random, 0) };
            let at = random.below(it.fields.len() + 1);
            it.fields.insert(at, again);
            true
        })
    }),
    ("fields are in another order", |message, _, random| {
        with_struct(message, random, |it, random| {
            let (a, b) = (random.below(it.fields.len()), random.below(it.fields.len()));
            a != b && {
                it.fields.swap(a, b);
                true
            }
        })
    }),
    ("a field is missing", |message, _, random| {
        with_struct(message, random, |it, random| {
            let at = random.below(it.fields.len());
            !it.fields.is_empty() && {
                it.fields.remove(at);
                true
            }
        })
    }),
    ("a field has another number", |message, _, random| {
        with_struct(message, random, |it, random| {
            let id = match random.below(4) {
                0 => random.bits() as i16,
                1 => -(random.below(9) as i16),
                _ => random.below(12) as i16,
            };
            some_field(it, random).map(|field| field.id = id).is_some()
        })
    }),
    ("a field that nobody knows", |message, _, random| {
        with_struct(message, random, |it, random| {
            let id = 60 + random.below(3000) as i16;
            let field = Field { id, claim: None, long: random.once_in(2), value: any_value(random, 0) };
            let at = random.below(it.fields.len() + 1);
            it.fields.insert(at, field);
            true
        })
    }),
    ("a long header", |message, _, random| {
        with_struct(message, random, |it, random| some_field(it, random).map(|it| it.long = true).is_some())
    }),
    ("a struct has no end", |message, _, random| {
        with_struct(message, random, |it, _| {
            it.endless = true;
            true
        })
    }),
    ("a length is wrong", |message, _, random| {
        with(message, random, |wire, random| {
            let other = |real: usize, random: &mut Random| {
                Some(match random.below(8) {
                    0 => -1,
                    1 => i64::from(i32::MAX),
                    2 => i64::from(i32::MIN),
                    3 => random.bits() as i64,
                    4 | 5 => real as i64 + 1,
                    6 => real as i64 + random.below(9) as i64,
                    _ => real as i64 - 1,
                })
            };
            match wire {
                Wire::Text(bytes, length) => *length = other(bytes.len(), random),
                Wire::List(it) => it.length = other(it.items.len(), random),
                Wire::Map(it) => it.length = other(it.entries.len(), random),
                Wire::Bool(_) | Wire::Int(_) | Wire::Double(_) | Wire::Struct(_) => return false,
            }
            true
        })
    }),
    ("a number is too long", |message, _, random| {
        with_int(message, random, |int, random| int.form = Form::Padded(1 + random.below(9) as u8))
    }),
    ("a number is out of range", |message, _, random| {
        with_int(message, random, |int, random| {
            // Bits that a reader may cut off, above those that it keeps.
            int.form = Form::Bits(match random.below(4) {
                0 => random.bits(),
                1 => (int.value as u64) << 1 | 1 << 32,
                2 => (int.value as u64) << 1 | 1 << 33,
                _ => (int.value as u64) << 1 | 1 << 16,
            });
        })
    }),
    ("an extreme number", |message, _, random| {
        with_int(message, random, |int, random| {
            const EXTREMES: &[i64] = &[
                i64::MIN,
                i64::MAX,
                i32::MIN as i64,
                i32::MAX as i64,
                i16::MIN as i64,
                i16::MAX as i64,
                -128,
                127,
                0,
            ];
            int.value = random.pick(EXTREMES).copied().unwrap_or_default();
        })
    }),
    ("a truth value that is neither", |message, _, random| {
        with(message, random, |wire, random| match wire {
            Wire::Bool(byte) => {
                *byte = random.pick(&[0, 1, 2, 3, 16, 127, 128, 255]).copied().unwrap_or_default();
                true
            }
            _ => false,
        })
    }),
    ("text that is not UTF-8", |message, _, random| {
        with(message, random, |wire, random| match wire {
            Wire::Text(bytes, _) => {
                const PIECES: &[&[u8]] =
                    &[b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\x80", b"\0"];
                let at = random.below(bytes.len() + 1);
                let piece = random.pick(PIECES).copied().unwrap_or_default();
                bytes.splice(at..at, piece.iter().copied());
                true
            }
            _ => false,
        })
    }),
    ("a double that is not a number, or nearly none", |message, _, random| {
        with(message, random, |wire, random| match wire {
            Wire::Double(bits) => {
                const SPECIAL: &[f64] =
                    &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX];
                *bits = random.pick(SPECIAL).copied().unwrap_or_default().to_bits()
                    ^ u64::from(random.once_in(4));
                true
            }
            _ => false,
        })
    }),
    ("an element or entry comes twice", |message, values, random| {
        let other = random.once_in(2).then(|| values.text_or_number(random));
        with(message, random, |wire, random| match wire {
            Wire::List(it) => {
                let Some(item) = random.pick(&it.items).cloned() else { return false };
                (0..=random.below(3)).for_each(|_| it.items.push(item.clone()));
                true
            }
            Wire::Map(it) => {
                let Some((key, value)) = random.pick(&it.entries).cloned() else { return false };
                let value = match other {
                    Some(other) if other.ty() == value.ty() => other,
                    _ => random.pick(&it.entries).map_or(value, |(_, value)| value.clone()),
                };
                it.entries.insert(random.below(it.entries.len() + 1), (key, value));
                true
            }
            _ => false,
        })
    }),
    ("many elements", |message, _, random| {
        with(message, random, |wire, random| match wire {
            Wire::List(it) => {
                let Some(item) = random.pick(&it.items).cloned() else { return false };
                (0..12 + random.below(8)).for_each(|_| it.items.push(item.clone()));
                it.items.iter().map(Wire::count).sum::<usize>() < 2000
            }
            _ => false,
        })
    }),
];

/// Changes of bytes.
pub const SPOILS: &[(&str, Spoil)] = &[
    ("a byte is another", |bytes, random| {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = random.bits() as u8;
        }
    }),
    ("a bit is flipped", |bytes, random| {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << random.below(8);
        }
    }),
    ("a byte is missing", |bytes, random| {
        if !bytes.is_empty() {
            bytes.remove(random.below(bytes.len()));
        }
    }),
    ("a byte too many", |bytes, random| {
        let at = random.below(bytes.len() + 1);
        bytes.insert(at, random.bits() as u8);
    }),
    ("cut off", |bytes, random| bytes.truncate(random.below(bytes.len()))),
    ("bytes behind the end", |bytes, random| {
        (0..=random.below(4)).for_each(|_| bytes.push(random.bits() as u8));
    }),
    ("a piece is repeated", |bytes, random| {
        let start = random.below(bytes.len());
        let end = start + random.below(bytes.len() - start + 1);
        let piece = bytes.get(start..end).unwrap_or_default().to_vec();
        bytes.splice(end..end, piece);
    }),
];

/// Changes a value somewhere in the message, if one of a few is of the right kind.
fn with(
    message: &mut Wire,
    random: &mut Random,
    change: impl FnOnce(&mut Wire, &mut Random) -> bool,
) -> bool {
    let count = message.count();
    let n = random.below(count);
    message.nth(n).is_some_and(|wire| change(wire, random))
}

fn with_struct(
    message: &mut Wire,
    random: &mut Random,
    change: impl FnOnce(&mut Struct, &mut Random) -> bool,
) -> bool {
    // The outermost struct has most of the fields.
    let n = if random.once_in(2) { 0 } else { random.below(message.count()) };
    match message.nth(n) {
        Some(Wire::Struct(it)) => change(it, random),
        _ => false,
    }
}

fn with_int(message: &mut Wire, random: &mut Random, change: impl FnOnce(&mut Int, &mut Random)) -> bool {
    with(message, random, |wire, random| match wire {
        Wire::Int(int) => {
            change(int, random);
            true
        }
        _ => false,
    })
}

fn some_field<'s>(it: &'s mut Struct, random: &mut Random) -> Option<&'s mut Field> {
    let at = random.below(it.fields.len());
    it.fields.get_mut(at)
}

fn any_claim(random: &mut Random) -> Claim {
    match random.once_in(4) {
        true => Claim::Raw(random.below(20) as u8),
        false => Claim::Type(Values::any_type(random)),
    }
}

/// A type whose bytes could be mistaken for those of another.
fn akin(ty: WireType, random: &mut Random) -> WireType {
    use WireType::{Bool, Double, I8, I16, I32, I64, List, Map, Set, String, Struct};
    let types: &[WireType] = match ty {
        Bool | I8 => &[Bool, I8, I16],
        I16 | I32 => &[I8, I16, I32, I64, Double],
        I64 | Double => &[I64, Double, I32],
        List | Set => &[List, Set, Map],
        Map | String | Struct | WireType::Stop | WireType::Uuid => &[Map, String, Struct, List, I32],
    };
    random.pick(types).copied().unwrap_or(ty)
}

fn retyped(value: i64, ty: WireType) -> Wire {
    match ty {
        WireType::Bool => Wire::Bool((value & 1) as u8),
        WireType::Double => Wire::Double((value as f64).to_bits()),
        WireType::String => Wire::Text(value.to_string().into_bytes(), None),
        WireType::I8 | WireType::I16 | WireType::I32 | WireType::I64 => Wire::int(ty, value),
        WireType::Struct
        | WireType::Map
        | WireType::Set
        | WireType::List
        | WireType::Stop
        | WireType::Uuid => Wire::Struct(Struct::default()),
    }
}

/// A value of any type.
fn any_value(random: &mut Random, depth: usize) -> Wire {
    let number = |random: &mut Random| (random.bits() as i64) >> random.below(64);
    let length = |random: &mut Random| if depth > 2 { 0 } else { random.below(3) };
    let ty = Values::any_type(random);
    match ty {
        WireType::List | WireType::Set => {
            let element = any_value(random, depth + 1);
            let items = vec![element.clone(); length(random)];
            Wire::List(List { ty, element: Claim::Type(element.ty()), items, length: None })
        }
        WireType::Map => {
            let (key, value) = (any_value(random, depth + 1), any_value(random, depth + 1));
            let claims = (Claim::Type(key.ty()), Claim::Type(value.ty()));
            let entries = vec![(key, value); length(random)];
            Wire::Map(Map { key: claims.0, value: claims.1, entries, length: None })
        }
        WireType::Struct => {
            let field = |id, random: &mut Random| Field {
                id,
                claim: None,
                long: false,
                value: any_value(random, depth + 1),
            };
            let fields = (1..=length(random) as i16).map(|id| field(id, random)).collect();
            Wire::Struct(Struct { fields, endless: false })
        }
        _ => retyped(number(random), ty),
    }
}
