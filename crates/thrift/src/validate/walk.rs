//! One pass over the bytes of a message.

use contract::{Contract, Entry, Node};

use super::WrongType;
use super::plan::{Must, Own, Plans, Step};
use super::value;
use super::view::WireView;
use crate::model::StructId;
use crate::rules::Functions;
use crate::wire::{InPlace, Reader, Result, WireError, WireErrorKind, WireType};

/// A walk over one message.
pub(super) struct Walk<'w> {
    pub(super) plans: &'w Plans,
    pub(super) contract: &'w Contract,
    pub(super) functions: &'w Functions,
    pub(super) wrong_type: WrongType,
    /// A struct in which a required field is not there, and the position of the field.
    pub(super) missing: Option<(StructId, u32)>,
}

impl Walk<'_> {
    /// Walks a struct of a message that can be looked at in place.
    pub(super) fn structure<'b, R: InPlace<'b>>(&mut self, id: StructId, reader: &mut R) -> Result<bool> {
        self.walk_struct(id, reader, |walk, _, bookmark: R, entry| {
            Ok(walk.contract.at(entry).host(walk.functions).is_valid(WireView::structure(bookmark)))
        })
    }

    /// Walks a struct of a message whose texts must be decoded to be looked at.
    pub(super) fn structure_by_value<'b, R: Reader<'b>>(
        &mut self,
        id: StructId,
        reader: &mut R,
    ) -> Result<bool> {
        self.walk_struct(id, reader, |walk, id, mut bookmark: R, entry| {
            let value = value::read_known(&mut bookmark, &walk.plans.binaries, id)?;
            Ok(walk.contract.at(entry).host(walk.functions).is_valid(&value))
        })
    }

    /// Walks a struct; false as soon as a rule is broken. `late` tests the rules that refer to fields.
    fn walk_struct<'b, R: Reader<'b>>(
        &mut self,
        id: StructId,
        reader: &mut R,
        late: impl Fn(&Self, StructId, R, Entry) -> Result<bool> + Copy,
    ) -> Result<bool> {
        let plans = self.plans;
        let Some(plan) = plans.get(id) else {
            reader.skip(WireType::Struct)?;
            return Ok(true);
        };
        if plan.free {
            reader.skip(WireType::Struct)?;
            return Ok(true);
        }
        let start = plan.late.map(|entry| (entry, reader.clone()));
        let scope = reader.struct_begin()?;
        let mut seen = Seen::default();
        let mut guess = 0;
        while let Some(head) = reader.field_begin()? {
            match plan.field(head.id, guess) {
                Some(field) if field.ty == head.ty => {
                    if let Some(must) = field.must {
                        seen.note(must);
                    }
                    if !self.value(&field.step, head.ty, reader, late)? {
                        return Ok(false);
                    }
                }
                Some(_) if self.wrong_type == WrongType::Refuse => {
                    return Err(WireError {
                        offset: reader.offset(),
                        kind: WireErrorKind::BadType(head.ty.binary()),
                    });
                }
                Some(_) | None => reader.skip(head.ty)?,
            }
            guess += 1;
            reader.field_end()?;
        }
        reader.struct_end(scope)?;
        if let Some(must) = seen.first_missing(&plan.musts) {
            if must.required {
                self.missing = Some((id, must.position));
            }
            return Ok(false);
        }
        match start {
            Some((entry, bookmark)) => late(self, id, bookmark, entry),
            None => Ok(true),
        }
    }

    #[inline]
    fn value<'b, R: Reader<'b>>(
        &mut self,
        step: &Step,
        ty: WireType,
        reader: &mut R,
        late: impl Fn(&Self, StructId, R, Entry) -> Result<bool> + Copy,
    ) -> Result<bool> {
        match step {
            Step::Skip => reader.skip(ty).map(|()| true),
            Step::Test(own) => self.scalar(own, ty, reader),
            Step::List { size, element, step } => {
                let head = reader.list_begin()?;
                if size.as_ref().is_some_and(|own| !self.sized(own, Node::List(head.len))) {
                    return Ok(false);
                }
                for _ in 0..head.len {
                    // Elements of another type are not those that the rules speak of.
                    let step = if head.element == *element { step } else { &Step::Skip };
                    if !self.value(step, head.element, reader, late)? {
                        return Ok(false);
                    }
                }
                reader.list_end(head.scope).map(|()| true)
            }
            Step::Map { size, types, key, value } => {
                let head = reader.map_begin()?;
                if size.as_ref().is_some_and(|own| !self.sized(own, Node::Object(head.len))) {
                    return Ok(false);
                }
                let alike = (head.key, head.value) == *types;
                for _ in 0..head.len {
                    let (key, value) = if alike { (&**key, &**value) } else { (&Step::Skip, &Step::Skip) };
                    if !self.value(key, head.key, reader, late)?
                        || !self.value(value, head.value, reader, late)?
                    {
                        return Ok(false);
                    }
                }
                reader.map_end(head.scope).map(|()| true)
            }
            Step::Struct(id) => self.walk_struct(*id, reader, late),
            Step::Shared(number) => self.value(self.plans.shared(*number), ty, reader, late),
        }
    }

    #[inline]
    fn scalar<'b, R: Reader<'b>>(&self, own: &Own, ty: WireType, reader: &mut R) -> Result<bool> {
        let entry = own.entry;
        Ok(match ty {
            WireType::Bool => self.holds(entry, Node::Bool(reader.bool()?)),
            WireType::I8 => self.holds(entry, Node::Int(reader.i8()?.into())),
            WireType::I16 => self.holds(entry, Node::Int(reader.i16()?.into())),
            WireType::I32 => self.holds(entry, Node::Int(reader.i32()?.into())),
            WireType::I64 => self.holds(entry, Node::Int(reader.i64()?)),
            WireType::Double => self.holds(entry, Node::Float(reader.double()?)),
            WireType::String if own.binary => self.holds(entry, Node::Bytes(&reader.binary()?)),
            WireType::String => self.holds(entry, Node::Bytes(&reader.string()?)),
            WireType::Uuid => self.holds(entry, Node::Bytes(&reader.uuid()?)),
            WireType::Stop | WireType::Struct | WireType::Map | WireType::Set | WireType::List => {
                reader.skip(ty)?;
                true
            }
        })
    }

    fn sized(&self, own: &Own, node: Node<'_>) -> bool {
        self.holds(own.entry, node)
    }

    #[inline]
    fn holds(&self, entry: Entry, node: Node<'_>) -> bool {
        self.contract.at(entry).host(self.functions).is_valid(node)
    }
}

/// Which of the fields that must be there have been seen.
#[derive(Default)]
struct Seen {
    first: u128,
    /// Those that do not fit; few structs have any.
    more: Vec<u32>,
}

impl Seen {
    fn note(&mut self, must: u32) {
        match 1u128.checked_shl(must) {
            Some(bit) => self.first |= bit,
            None => self.more.push(must),
        }
    }

    /// The first required field that was not seen, or the first that a rule wants if none is.
    fn first_missing(mut self, musts: &[Must]) -> Option<Must> {
        self.more.sort_unstable();
        let is_missing = |must: u32| match 1u128.checked_shl(must) {
            Some(bit) => self.first & bit == 0,
            None => self.more.binary_search(&must).is_err(),
        };
        let missing = || musts.iter().zip(0..).filter(|(_, index)| is_missing(*index)).map(|(must, _)| *must);
        missing().find(|must| must.required).or_else(|| missing().next())
    }
}
