//! Whether all elements of a set, or all keys of a map, are different for every reader.
//!
//! A reader with sets drops an element that comes twice, one with slices keeps it; both must see a size that the rules
//! allow. Two values are taken for the same if any reader might: `0.0` and `-0.0`, a number in one byte and in two, a
//! struct with a field and one where the default stands in for it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::FormProblem;
use super::types::{ProgramTypes, Ty, TypeForm};
use super::work::WorkBudget;
use crate::model::StructId;
use crate::wire::{Reader, Result, WireType};

/// So many are compared one by one.
const FEW: usize = 16;

/// A value by which others are told apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum DistinctKey<'b> {
    Number(u64),
    Bytes(Cow<'b, [u8]>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Distinct<'d> {
    pub(super) types: &'d ProgramTypes,
    pub(super) work: &'d WorkBudget,
}

impl Distinct<'_> {
    /// Whether the elements of the set at which a reader stands are all different.
    pub(super) fn elements<'b, R: Reader<'b>>(&self, reader: &mut R, element: Ty) -> Result<bool> {
        let head = reader.list_begin()?;
        self.all(head.len, || self.mark(reader, element))
    }

    /// What is wrong with the keys of the map at which a reader stands, if they are not different for every reader.
    // UPSTREAM: the readers of Apache's compiler for Node.js assign entries to an object. `__proto__` becomes no entry of it, and a
    // struct under this key lends it its own fields as entries.
    pub(super) fn keys<'b, R: Reader<'b>>(
        &self,
        reader: &mut R,
        key: Ty,
        value: Ty,
    ) -> Result<Option<FormProblem>> {
        let head = reader.map_begin()?;
        let is_text = matches!(self.types.kind(key), TypeForm::Text);
        let mut is_lost = false;
        let are_different = self.all(head.len, || {
            let mark = self.mark(reader, key)?;
            is_lost |= is_text && matches!(&mark, DistinctKey::Bytes(text) if **text == *b"__proto__");
            self.work.skip(reader, self.types.wire(value))?;
            Ok(mark)
        })?;
        Ok(match (is_lost, are_different) {
            (true, _) => Some(FormProblem::LostKey),
            (false, false) => Some(FormProblem::DuplicateKey),
            (false, true) => None,
        })
    }

    fn all<'b>(&self, count: usize, mut next: impl FnMut() -> Result<DistinctKey<'b>>) -> Result<bool> {
        if count <= FEW {
            let mut seen: [Option<DistinctKey<'b>>; FEW] = [const { None }; FEW];
            for at in 0..count {
                let mark = Some(next()?);
                if seen.iter().take(at).any(|other| *other == mark) {
                    return Ok(false);
                }
                if let Some(place) = seen.get_mut(at) {
                    *place = mark;
                }
            }
            return Ok(true);
        }
        // The count has been held against the bytes that are there.
        let mut seen = HashSet::with_capacity(count);
        for _ in 0..count {
            if !seen.insert(next()?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn mark<'b, R: Reader<'b>>(&self, reader: &mut R, ty: Ty) -> Result<DistinctKey<'b>> {
        if !self.work.step() {
            self.work.verdict(reader.offset())?;
        }
        Ok(match self.types.kind(ty) {
            TypeForm::Scalar(WireType::Uuid) => DistinctKey::Bytes(Cow::Owned(reader.uuid()?.to_vec())),
            TypeForm::Scalar(wire) => DistinctKey::Number(number(reader, wire)?),
            TypeForm::Text => DistinctKey::Bytes(reader.string()?),
            TypeForm::Bytes => DistinctKey::Bytes(reader.binary()?),
            TypeForm::List(_)
            | TypeForm::Set(_)
            | TypeForm::Map(..)
            | TypeForm::Struct(_)
            | TypeForm::Unknown => {
                let mut bytes = Vec::new();
                self.write(reader, ty, &mut bytes)?;
                DistinctKey::Bytes(Cow::Owned(bytes))
            }
        })
    }

    /// Writes a value so that it is equal to the same value in another form.
    // Readers bound the depth.
    fn write<'b, R: Reader<'b>>(&self, reader: &mut R, ty: Ty, out: &mut Vec<u8>) -> Result<()> {
        if !self.work.step() {
            self.work.verdict(reader.offset())?;
        }
        match self.types.kind(ty) {
            TypeForm::Scalar(WireType::Uuid) => out.extend_from_slice(&reader.uuid()?),
            TypeForm::Scalar(wire) => out.extend_from_slice(&number(reader, wire)?.to_be_bytes()),
            TypeForm::Text => text(&reader.string()?, out),
            TypeForm::Bytes => text(&reader.binary()?, out),
            TypeForm::List(element) => {
                let head = reader.list_begin()?;
                out.extend_from_slice(&(head.len as u64).to_be_bytes());
                for _ in 0..head.len {
                    self.write(reader, element, out)?;
                }
                reader.list_end(head.scope)?;
            }
            TypeForm::Set(element) => {
                let head = reader.list_begin()?;
                let mut parts = Vec::new();
                for _ in 0..head.len {
                    let mut part = Vec::new();
                    self.write(reader, element, &mut part)?;
                    parts.push(part);
                }
                reader.list_end(head.scope)?;
                parts.sort_unstable();
                parts.dedup();
                parts.iter().for_each(|part| text(part, out));
                out.extend_from_slice(&(parts.len() as u64).to_be_bytes());
            }
            TypeForm::Map(key, value) => {
                let head = reader.map_begin()?;
                let mut parts = Vec::new();
                for _ in 0..head.len {
                    let (mut name, mut part) = (Vec::new(), Vec::new());
                    self.write(reader, key, &mut name)?;
                    self.write(reader, value, &mut part)?;
                    parts.push((name, part));
                }
                reader.map_end(head.scope)?;
                // Of entries with one key the last counts, which a stable sort leaves first once turned round.
                parts.reverse();
                parts.sort_by(|left, right| left.0.cmp(&right.0));
                parts.dedup_by(|later, kept| later.0 == kept.0);
                for (name, part) in &parts {
                    text(name, out);
                    text(part, out);
                }
                out.extend_from_slice(&(parts.len() as u64).to_be_bytes());
            }
            TypeForm::Struct(id) => self.write_struct(reader, id, out)?,
            TypeForm::Unknown => {}
        }
        Ok(())
    }

    fn write_struct<'b, R: Reader<'b>>(&self, reader: &mut R, id: StructId, out: &mut Vec<u8>) -> Result<()> {
        let scope = reader.struct_begin()?;
        let mut parts: Vec<(i16, Vec<u8>)> = Vec::new();
        while let Some(head) = reader.field_begin()? {
            let known = self.types.structure(id).and_then(|it| it.field(head.id));
            match known {
                Some((_, field)) if self.types.wire(field.ty) == head.ty => {
                    let mut part = Vec::new();
                    self.write(reader, field.ty, &mut part)?;
                    // What may stand in for a field that was not sent does not tell two structs apart.
                    if !field.has_default && part.iter().any(|byte| *byte != 0) {
                        parts.push((head.id, part));
                    }
                }
                _ => self.work.skip(reader, head.ty)?,
            }
            reader.field_end()?;
        }
        reader.struct_end(scope)?;
        parts.sort_by_key(|(id, _)| *id);
        for (id, part) in &parts {
            out.extend_from_slice(&id.to_be_bytes());
            text(part, out);
        }
        out.extend_from_slice(&(parts.len() as u64).to_be_bytes());
        Ok(())
    }
}

/// Bytes with their length, so that where one text ends and the next starts makes a difference.
fn text(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
    out.extend_from_slice(bytes);
}

fn number<'b, R: Reader<'b>>(reader: &mut R, wire: WireType) -> Result<u64> {
    Ok(match wire {
        WireType::Bool => u64::from(reader.bool()?),
        WireType::I8 => i64::from(reader.i8()?).cast_unsigned(),
        WireType::I16 => i64::from(reader.i16()?).cast_unsigned(),
        WireType::I32 => i64::from(reader.i32()?).cast_unsigned(),
        WireType::I64 => reader.i64()?.cast_unsigned(),
        WireType::Double => match reader.double()? {
            0.0 => 0,
            value if value.is_nan() => f64::NAN.to_bits(),
            value => value.to_bits(),
        },
        other => {
            reader.skip(other)?;
            0
        }
    })
}
