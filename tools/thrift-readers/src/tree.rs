//! Messages as they are about to be written: everything that a writer is supposed to get right can be wrong here.

use thrift::wire::{Protocol, WireType};

use crate::json::json;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Wire {
    /// A truth value; the byte of the binary protocol.
    Bool(u8),
    /// A whole number.
    Int(Int),
    /// The bits of a double.
    Double(u64),
    /// Text or bytes, and the length that is claimed if it is not theirs.
    Text(Vec<u8>, Option<i64>),
    /// A struct.
    Struct(Struct),
    /// A list or set.
    List(List),
    /// A map.
    Map(Map),
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Int {
    /// The type, which says how many bytes it takes.
    pub ty: WireType,
    /// The number.
    pub value: i64,
    /// How it is written where the length is variable.
    pub form: Form,
}

/// How a number of variable length is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// With as few bytes as possible.
    Short,
    /// With so many bytes that say nothing.
    Padded(u8),
    /// With these bits instead of its own.
    Bits(u64),
}

/// A struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct {
    /// Its fields, in the order of the wire.
    pub fields: Vec<Field>,
    /// Whether the end is missing.
    pub endless: bool,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its number.
    pub id: i16,
    /// The type that its header claims, if it is not that of the value.
    pub claim: Option<Claim>,
    /// Whether the compact header has the whole number where the difference would do.
    pub long: bool,
    /// The value.
    pub value: Wire,
}

/// The type in a header.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// A type.
    Type(WireType),
    /// A number that may be no type.
    Raw(u8),
}

/// A list or set.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// Which of the two.
    pub ty: WireType,
    /// The type of the elements, as claimed.
    pub element: Claim,
    /// The elements.
    pub items: Vec<Wire>,
    /// The number of elements that is claimed, if it is not theirs.
    pub length: Option<i64>,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The type of the keys, as claimed.
    pub key: Claim,
    /// The type of the values, as claimed.
    pub value: Claim,
    /// The entries.
    pub entries: Vec<(Wire, Wire)>,
    /// The number of entries that is claimed, if it is not theirs.
    pub length: Option<i64>,
}

impl Wire {
    /// A whole number, written as it should be.
    pub fn int(ty: WireType, value: i64) -> Wire {
        Wire::Int(Int { ty, value, form: Form::Short })
    }

    /// The type of the value.
    pub fn ty(&self) -> WireType {
        match self {
            Wire::Bool(_) => WireType::Bool,
            Wire::Int(int) => int.ty,
            Wire::Double(_) => WireType::Double,
            Wire::Text(..) => WireType::String,
            Wire::Struct(_) => WireType::Struct,
            Wire::List(list) => list.ty,
            Wire::Map(_) => WireType::Map,
        }
    }

    /// How many values there are, with the parts.
    pub fn count(&self) -> usize {
        1 + match self {
            Wire::Bool(_) | Wire::Int(_) | Wire::Double(_) | Wire::Text(..) => 0,
            Wire::Struct(it) => it.fields.iter().map(|field| field.value.count()).sum(),
            Wire::List(it) => it.items.iter().map(Wire::count).sum(),
            Wire::Map(it) => it.entries.iter().map(|(key, value)| key.count() + value.count()).sum(),
        }
    }

    /// The value with a number, counted from the outside.
    pub fn nth(&mut self, n: usize) -> Option<&mut Wire> {
        self.find(&mut { n })
    }

    fn find(&mut self, n: &mut usize) -> Option<&mut Wire> {
        match n.checked_sub(1) {
            None => return Some(self),
            Some(less) => *n = less,
        }
        match self {
            Wire::Bool(_) | Wire::Int(_) | Wire::Double(_) | Wire::Text(..) => None,
            Wire::Struct(it) => it.fields.iter_mut().find_map(|field| field.value.find(n)),
            Wire::List(it) => it.items.iter_mut().find_map(|item| item.find(n)),
            Wire::Map(it) => {
                it.entries.iter_mut().flat_map(|(key, value)| [key, value]).find_map(|part| part.find(n))
            }
        }
    }

    /// The bytes of a message. In JSON, texts are written as those that are no bytes.
    pub fn write(&self, protocol: Protocol) -> Vec<u8> {
        let mut out = Vec::new();
        match protocol {
            Protocol::Binary => binary(self, &mut out),
            Protocol::Compact => compact(self, &mut out),
            Protocol::Json => out = json(self, false),
        }
        out
    }
}

impl Claim {
    fn binary(self) -> u8 {
        match self {
            Claim::Type(ty) => ty.binary(),
            Claim::Raw(number) => number,
        }
    }

    fn compact(self) -> u8 {
        match self {
            Claim::Type(ty) => ty.compact(),
            Claim::Raw(number) => number & 15,
        }
    }
}

fn claimed(length: Option<i64>, real: usize) -> i64 {
    length.unwrap_or(real as i64)
}

fn binary(wire: &Wire, out: &mut Vec<u8>) {
    let length = |out: &mut Vec<u8>, length: i64| out.extend((length as i32).to_be_bytes());
    match wire {
        Wire::Bool(byte) => out.push(*byte),
        Wire::Int(int) => {
            let bytes = match int.form {
                Form::Short | Form::Padded(_) => int.value as u64,
                Form::Bits(bits) => bits,
            }
            .to_be_bytes();
            let width = match int.ty {
                WireType::I8 => 1,
                WireType::I16 => 2,
                WireType::I32 => 4,
                _ => 8,
            };
            out.extend(bytes.iter().skip(8 - width));
        }
        Wire::Double(bits) => out.extend(bits.to_be_bytes()),
        Wire::Text(bytes, claim) => {
            length(out, claimed(*claim, bytes.len()));
            out.extend(bytes);
        }
        Wire::Struct(it) => {
            for field in &it.fields {
                out.push(field.claim.unwrap_or(Claim::Type(field.value.ty())).binary());
                out.extend(field.id.to_be_bytes());
                binary(&field.value, out);
            }
            if !it.endless {
                out.push(0);
            }
        }
        Wire::List(it) => {
            out.push(it.element.binary());
            length(out, claimed(it.length, it.items.len()));
            it.items.iter().for_each(|item| binary(item, out));
        }
        Wire::Map(it) => {
            out.extend([it.key.binary(), it.value.binary()]);
            length(out, claimed(it.length, it.entries.len()));
            for (key, value) in &it.entries {
                binary(key, out);
                binary(value, out);
            }
        }
    }
}

fn varint(mut bits: u64, padding: u8, out: &mut Vec<u8>) {
    while bits >= 128 {
        out.push(bits as u8 | 128);
        bits >>= 7;
    }
    match padding {
        0 => out.push(bits as u8),
        more => {
            out.push(bits as u8 | 128);
            out.extend((1..more).map(|_| 128));
            out.push(0);
        }
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn compact(wire: &Wire, out: &mut Vec<u8>) {
    match wire {
        // As an element; a field has it in its header.
        Wire::Bool(0) => out.push(2),
        Wire::Bool(byte) => out.push(*byte),
        Wire::Int(Int { ty: WireType::I8, value, form }) => out.push(match form {
            Form::Short | Form::Padded(_) => *value as u8,
            Form::Bits(bits) => *bits as u8,
        }),
        Wire::Int(int) => match int.form {
            Form::Short => varint(zigzag(int.value), 0, out),
            Form::Padded(more) => varint(zigzag(int.value), more, out),
            Form::Bits(bits) => varint(bits, 0, out),
        },
        Wire::Double(bits) => out.extend(bits.to_le_bytes()),
        Wire::Text(bytes, claim) => {
            varint(claimed(*claim, bytes.len()) as u64, 0, out);
            out.extend(bytes);
        }
        Wire::Struct(it) => {
            let mut last = 0;
            for field in &it.fields {
                let claim = field.claim.unwrap_or(Claim::Type(field.value.ty()));
                let carried = match (&field.value, claim) {
                    (Wire::Bool(byte), Claim::Type(WireType::Bool)) => Some(if *byte == 1 { 1 } else { 2 }),
                    _ => None,
                };
                let number = carried.unwrap_or(claim.compact());
                match field.id.checked_sub(last) {
                    Some(step @ 1..=15) if !field.long => out.push((step as u8) << 4 | number),
                    _ => {
                        out.push(number);
                        varint(zigzag(field.id.into()), 0, out);
                    }
                }
                last = field.id;
                if carried.is_none() {
                    compact(&field.value, out);
                }
            }
            if !it.endless {
                out.push(0);
            }
        }
        Wire::List(it) => {
            match claimed(it.length, it.items.len()) {
                length @ 0..=14 => out.push((length as u8) << 4 | it.element.compact()),
                length => {
                    out.push(0xf0 | it.element.compact());
                    varint(length as u64, 0, out);
                }
            }
            it.items.iter().for_each(|item| compact(item, out));
        }
        Wire::Map(it) => {
            let length = claimed(it.length, it.entries.len());
            varint(length as u64, 0, out);
            if length != 0 {
                out.push(it.key.compact() << 4 | it.value.compact());
            }
            for (key, value) in &it.entries {
                compact(key, out);
                compact(value, out);
            }
        }
    }
}
