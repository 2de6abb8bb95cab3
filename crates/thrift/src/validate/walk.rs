//! One pass over the bytes of a message that knows where it is and what it found.

use contract::{Constant, Contract, DefinitionHandle, Node, PathStep};

use super::ambiguous_encoding::FormProblem;
use super::distinct::Distinct;
use super::plan::{FieldPlan, Must, Plans, StructPlan, ValidationStep, ValueRules};
use super::types::{Ty, TypeForm};
use super::value::Values;
use super::view::{Slot, ValueSource, ViewContext, WireView};
use super::work::WorkBudget;
use super::{Duplicates, Halfway, UnknownFields, ValidateConfig, WrongType};
use crate::model::StructId;
use crate::rules::Functions;
use crate::wire::{FieldHeader, InPlace, Protocol, Reader, WireError, WireType};

/// Why a walk ended early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WalkStop {
    /// The bytes are no message of the type.
    Wire(WireError),
    /// Readers would not agree about it.
    Form { offset: usize, problem: FormProblem },
    /// A required field of a struct is not there; the position of the field.
    Missing(StructId, u32),
    /// A rule is broken.
    Rule,
}

impl From<WireError> for WalkStop {
    fn from(error: WireError) -> Self {
        WalkStop::Wire(error)
    }
}

type Walked<T = ()> = Result<T, WalkStop>;

/// A walk over one message.
pub(super) struct Walk<'w> {
    pub(super) plans: &'w Plans,
    pub(super) contract: &'w Contract,
    pub(super) functions: &'w Functions,
    pub(super) config: &'w ValidateConfig,
    pub(super) protocol: Protocol,
    pub(super) work: &'w WorkBudget,
    /// Whether required fields must be there in values whose rules are skipped.
    pub(super) is_complete: bool,
    /// The way to where a fault is, from there to the root.
    pub(super) trail: Vec<PathStep>,
}

/// The fields that rules on several fields look at.
type Slots<R> = Vec<Option<Slot<R>>>;

impl<'w> Walk<'w> {
    /// Walks a struct of a message that can be looked at in place.
    pub(super) fn structure<'b, R: InPlace<'b>>(&mut self, id: StructId, reader: &mut R) -> Walked {
        self.walk_struct(id, reader, |walk, slots: &Slots<R>, entry| {
            let view = WireView::fields(slots, ViewContext { types: &walk.plans.types, work: walk.work });
            Ok(walk.contract.at(entry).host(walk.functions).is_valid(view))
        })
    }

    /// Walks a struct of a message whose texts must be decoded to be looked at.
    pub(super) fn structure_by_value<'b, R: Reader<'b>>(&mut self, id: StructId, reader: &mut R) -> Walked {
        self.walk_struct(id, reader, |walk, slots: &Slots<R>, entry| {
            let values = Values { types: &walk.plans.types, work: walk.work };
            let mut members = Vec::new();
            for slot in slots.iter().flatten() {
                let value = match &slot.at {
                    ValueSource::Bool(value) => (*value).into(),
                    ValueSource::Reader(reader) => values.read(&mut reader.clone(), slot.ty)?,
                };
                members.push((i64::from(slot.id).into(), value));
            }
            let object = Constant::Object(members);
            Ok(walk.contract.at(entry).host(walk.functions).is_valid(&object))
        })
    }

    /// Walks a struct until something is wrong. `late` tests the rules that refer to fields.
    fn walk_struct<'b, R: Reader<'b>>(
        &mut self,
        id: StructId,
        reader: &mut R,
        late: impl Fn(&Self, &Slots<R>, DefinitionHandle) -> Walked<bool> + Copy,
    ) -> Walked {
        let plans = self.plans;
        let Some(plan) = plans.get(id) else { return Err(WalkStop::Rule) };
        let scope = reader.struct_begin()?;
        let mut seen = FieldSet::default();
        let mut slots = Vec::new();
        self.fields(plan, &mut seen, reader, |walk, head, field, reader| {
            if plan.late.is_some() && field.late {
                remember(&mut slots, head.id, field.ty, reader);
            }
            walk.value(&field.step, head.ty, reader, late)
        })?;
        reader.struct_end(scope)?;
        if let Some(must) = seen.first_missing(&plan.musts) {
            return Err(if must.required { WalkStop::Missing(id, must.position) } else { WalkStop::Rule });
        }
        if let Some(entry) = plan.late {
            let holds = late(self, &slots, entry)?;
            self.work.verdict(reader.offset())?;
            if !holds {
                return Err(WalkStop::Rule);
            }
        }
        Ok(())
    }

    /// Walks the fields of a struct; `known` is for those that are there with the type that they should have.
    fn fields<'b, R: Reader<'b>>(
        &mut self,
        plan: &StructPlan,
        seen: &mut FieldSet,
        reader: &mut R,
        mut known: impl FnMut(&mut Self, FieldHeader, &FieldPlan, &mut R) -> Walked,
    ) -> Walked {
        let mut guess = 0;
        while let Some(head) = reader.field_begin()? {
            self.count(reader)?;
            match plan.field(head.id, guess) {
                Some((index, field)) if field.wire == head.ty => {
                    self.once(seen, index, plan.is_union, reader)
                        .and_then(|()| self.member(field, reader))
                        .and_then(|()| known(self, head, field, reader))
                        .map_err(|fault| self.in_field(fault, plan, field))?;
                }
                Some((_, field)) => {
                    self.mistyped(head, field.wire, reader)
                        .map_err(|fault| self.in_field(fault, plan, field))?;
                }
                None => self.unknown(head, plan.is_union, reader)?,
            }
            guess += 1;
            reader.field_end()?;
        }
        if plan.is_union && guess == 0 && self.config.halfway == Halfway::Refuse {
            return Err(WalkStop::Form { offset: reader.offset(), problem: FormProblem::NoField });
        }
        Ok(())
    }

    /// Tests that a required field is a member of its enum.
    fn member<'b, R: Reader<'b>>(&self, field: &FieldPlan, reader: &R) -> Walked {
        if !field.member {
            return Ok(());
        }
        let number = reader.clone().i32()?;
        let known = self.plans.types.enumeration(field.ty).and_then(|it| it.member(number.into()));
        match known {
            Some(_) => Ok(()),
            None => {
                let problem = FormProblem::UnknownMember { number };
                Err(WalkStop::Form { offset: reader.offset(), problem })
            }
        }
    }

    /// Counts a part of the message.
    fn count<'b, R: Reader<'b>>(&self, reader: &R) -> Walked {
        if self.work.step() { Ok(()) } else { Ok(self.work.verdict(reader.offset())?) }
    }

    /// Notes that a field is there.
    fn once<'b, R: Reader<'b>>(
        &self,
        seen: &mut FieldSet,
        index: usize,
        is_union: bool,
        reader: &R,
    ) -> Walked {
        let is_first = seen.note(index);
        if self.config.duplicates == Duplicates::Last {
            return Ok(());
        }
        let offset = reader.offset();
        if !is_first {
            return Err(WalkStop::Form { offset, problem: FormProblem::DuplicateField });
        }
        if is_union && seen.count > 1 {
            return Err(WalkStop::Form { offset, problem: FormProblem::SeveralFields });
        }
        Ok(())
    }

    /// A known field of another type.
    fn mistyped<'b, R: Reader<'b>>(&self, head: FieldHeader, expected: WireType, reader: &mut R) -> Walked {
        if self.config.wrong_type == WrongType::Refuse {
            let problem = FormProblem::FieldType { expected, found: head.ty };
            return Err(WalkStop::Form { offset: reader.offset(), problem });
        }
        self.foreign(head.ty, reader)
    }

    /// A field that the IDL does not have.
    fn unknown<'b, R: Reader<'b>>(&self, head: FieldHeader, in_union: bool, reader: &mut R) -> Walked {
        if !self.config.unknown_fields.pass(self.protocol, in_union) {
            let problem = FormProblem::UnknownField { id: head.id };
            return Err(WalkStop::Form { offset: reader.offset(), problem });
        }
        self.foreign(head.ty, reader)
    }

    /// Moves over a value of which nothing is known.
    // Readers bound the depth.
    fn foreign<'b, R: Reader<'b>>(&self, ty: WireType, reader: &mut R) -> Walked {
        self.count(reader)?;
        match ty {
            WireType::Uuid
                if !self.plans.types.has_uuid && self.config.unknown_fields != UnknownFields::Pass =>
            {
                Err(WalkStop::Form { offset: reader.offset(), problem: FormProblem::UnknownUuid })
            }
            WireType::Struct => {
                let scope = reader.struct_begin()?;
                while let Some(field) = reader.field_begin()? {
                    self.foreign(field.ty, reader)?;
                    reader.field_end()?;
                }
                Ok(reader.struct_end(scope)?)
            }
            WireType::List | WireType::Set => {
                let head = reader.list_begin()?;
                for _ in 0..head.len {
                    self.foreign(head.element, reader)?;
                }
                Ok(reader.list_end(head.scope)?)
            }
            WireType::Map => {
                let head = reader.map_begin()?;
                for _ in 0..head.len {
                    self.foreign(head.key, reader)?;
                    self.foreign(head.value, reader)?;
                }
                Ok(reader.map_end(head.scope)?)
            }
            WireType::Stop
            | WireType::Bool
            | WireType::I8
            | WireType::Double
            | WireType::I16
            | WireType::I32
            | WireType::I64
            | WireType::String
            | WireType::Uuid => Ok(reader.skip(ty)?),
        }
    }

    fn value<'b, R: Reader<'b>>(
        &mut self,
        step: &ValidationStep,
        ty: WireType,
        reader: &mut R,
        late: impl Fn(&Self, &Slots<R>, DefinitionHandle) -> Walked<bool> + Copy,
    ) -> Walked {
        match step {
            ValidationStep::Skip => Ok(reader.skip(ty)?),
            ValidationStep::Bool => Ok(reader.bool().map(drop)?),
            ValidationStep::Text => {
                let offset = reader.offset();
                utf8(&reader.string()?, offset)
            }
            ValidationStep::Test(own) => self.scalar(own, ty, reader),
            ValidationStep::Typed(ty) => self.typed(*ty, reader),
            ValidationStep::List { size, element, step, distinct } => {
                let mut start = reader.clone();
                let head = reader.list_begin()?;
                alike(reader.offset(), head.len, head.element, *element, |expected, found| {
                    FormProblem::ElementType { expected, found }
                })?;
                self.sized(size.as_ref(), Node::List(head.len))?;
                for index in 0..head.len {
                    self.count(reader)?;
                    self.value(step, head.element, reader, late)
                        .map_err(|fault| self.push_path_step(fault, PathStep::Index(index)))?;
                }
                reader.list_end(head.scope)?;
                let are_different = match distinct {
                    Some(element) => self.distinct().elements(&mut start, *element)?,
                    None => true,
                };
                match are_different {
                    true => Ok(()),
                    false => Err(WalkStop::Form {
                        offset: reader.offset(),
                        problem: FormProblem::DuplicateElement,
                    }),
                }
            }
            ValidationStep::Map { size, types, key, value, distinct } => {
                let mut start = reader.clone();
                let head = reader.map_begin()?;
                entries_alike(reader.offset(), (head.len, head.key, head.value), *types)?;
                self.sized(size.as_ref(), Node::Object(head.len))?;
                for _ in 0..head.len {
                    self.count(reader)?;
                    let before = reader.clone();
                    self.value(key, head.key, reader, late)
                        .map_err(|fault| self.at_entry(fault, head.key, before.clone(), PathStep::Key))?;
                    self.value(value, head.value, reader, late)
                        .map_err(|fault| self.at_entry(fault, head.key, before, PathStep::Entry))?;
                }
                reader.map_end(head.scope)?;
                let problem = match distinct {
                    Some((key, value)) => self.distinct().keys(&mut start, *key, *value)?,
                    None => None,
                };
                match problem {
                    Some(problem) => Err(WalkStop::Form { offset: reader.offset(), problem }),
                    None => Ok(()),
                }
            }
            ValidationStep::Struct(id) => self.walk_struct(*id, reader, late),
            ValidationStep::Shared(number) => match self.plans.shared(*number) {
                Some(step) => self.value(step, ty, reader, late),
                None => Err(WalkStop::Rule),
            },
        }
    }

    fn distinct(&self) -> Distinct<'w> {
        Distinct { types: &self.plans.types, work: self.work }
    }

    /// Walks a value of which only the types are tested, its own and those of everything in it.
    // Readers bound the depth.
    pub(super) fn typed<'b, R: Reader<'b>>(&mut self, ty: Ty, reader: &mut R) -> Walked {
        self.count(reader)?;
        match self.plans.types.kind(ty) {
            TypeForm::Scalar(WireType::Bool) => Ok(reader.bool().map(drop)?),
            TypeForm::Text if self.config.all_utf8() => {
                let offset = reader.offset();
                utf8(&reader.string()?, offset)
            }
            kind @ (TypeForm::Scalar(_) | TypeForm::Text | TypeForm::Bytes | TypeForm::Unknown) => {
                Ok(reader.skip(kind.wire())?)
            }
            TypeForm::Struct(id) => self.typed_struct(id, reader),
            TypeForm::List(element) | TypeForm::Set(element) => {
                let expected = self.plans.types.wire(element);
                let head = reader.list_begin()?;
                alike(reader.offset(), head.len, head.element, expected, |expected, found| {
                    FormProblem::ElementType { expected, found }
                })?;
                for index in 0..head.len {
                    self.typed(element, reader)
                        .map_err(|fault| self.push_path_step(fault, PathStep::Index(index)))?;
                }
                Ok(reader.list_end(head.scope)?)
            }
            TypeForm::Map(key, value) => {
                let types = (self.plans.types.wire(key), self.plans.types.wire(value));
                let head = reader.map_begin()?;
                entries_alike(reader.offset(), (head.len, head.key, head.value), types)?;
                for _ in 0..head.len {
                    let before = reader.clone();
                    self.typed(key, reader)
                        .map_err(|fault| self.at_entry(fault, head.key, before.clone(), PathStep::Key))?;
                    self.typed(value, reader)
                        .map_err(|fault| self.at_entry(fault, head.key, before, PathStep::Entry))?;
                }
                Ok(reader.map_end(head.scope)?)
            }
        }
    }

    /// Walks a struct of which a rule is broken, to see whether it has the form on which readers agree; a rule is said before
    /// a field that is missing behind it.
    pub(super) fn form<'b, R: Reader<'b>>(&mut self, id: StructId, reader: &mut R) -> Walked {
        self.is_complete = false;
        self.typed_struct(id, reader)
    }

    /// The same for a struct.
    fn typed_struct<'b, R: Reader<'b>>(&mut self, id: StructId, reader: &mut R) -> Walked {
        let plans = self.plans;
        let Some(plan) = plans.get(id) else { return Err(WalkStop::Rule) };
        let scope = reader.struct_begin()?;
        let mut seen = FieldSet::default();
        self.fields(plan, &mut seen, reader, |walk, _, field, reader| walk.typed(field.ty, reader))?;
        reader.struct_end(scope)?;
        match seen.first_missing(&plan.musts) {
            Some(must) if must.required && self.is_complete => Err(WalkStop::Missing(id, must.position)),
            _ => Ok(()),
        }
    }

    fn scalar<'b, R: Reader<'b>>(&self, own: &ValueRules, ty: WireType, reader: &mut R) -> Walked {
        let offset = reader.offset();
        let entry = own.entry;
        let holds = match ty {
            WireType::Bool => self.holds(entry, Node::Bool(reader.bool()?)),
            WireType::I8 => self.holds(entry, Node::Int(reader.i8()?.into())),
            WireType::I16 => self.holds(entry, Node::Int(reader.i16()?.into())),
            WireType::I32 => self.holds(entry, Node::Int(reader.i32()?.into())),
            WireType::I64 => self.holds(entry, Node::Int(reader.i64()?)),
            WireType::Double => self.holds(entry, Node::Float(reader.double()?)),
            WireType::String if own.binary => self.holds(entry, Node::Bytes(&reader.binary()?)),
            WireType::String => {
                let text = reader.string()?;
                if own.utf8 {
                    utf8(&text, offset)?;
                }
                self.holds(entry, Node::Bytes(&text))
            }
            WireType::Uuid => self.holds(entry, Node::Bytes(&reader.uuid()?)),
            WireType::Stop | WireType::Struct | WireType::Map | WireType::Set | WireType::List => {
                reader.skip(ty)?;
                true
            }
        };
        if holds { Ok(()) } else { Err(WalkStop::Rule) }
    }

    fn sized(&self, own: Option<&ValueRules>, node: Node<'_>) -> Walked {
        match own.is_none_or(|own| self.holds(own.entry, node)) {
            true => Ok(()),
            false => Err(WalkStop::Rule),
        }
    }

    fn holds(&self, entry: DefinitionHandle, node: Node<'_>) -> bool {
        self.contract.at(entry).host(self.functions).is_valid(node)
    }

    /// Notes a step of the way to a fault.
    #[cold]
    fn push_path_step(&mut self, fault: WalkStop, step: PathStep) -> WalkStop {
        if matches!(fault, WalkStop::Form { .. } | WalkStop::Missing(..)) {
            self.trail.push(step);
        }
        fault
    }

    #[cold]
    fn in_field(&mut self, fault: WalkStop, plan: &StructPlan, field: &FieldPlan) -> WalkStop {
        if field.secret {
            for step in &mut self.trail {
                if matches!(step, PathStep::Entry(_) | PathStep::Key(_)) {
                    *step = PathStep::Secret;
                }
            }
        }
        self.push_path_step(fault, PathStep::Name(plan.field_name(field.position)))
    }

    #[cold]
    fn at_entry<'b, R: Reader<'b>>(
        &mut self,
        fault: WalkStop,
        key: WireType,
        mut before: R,
        step: fn(Constant) -> PathStep,
    ) -> WalkStop {
        /// Nobody reads a longer path.
        const LONGEST: usize = 200;
        let shown =
            match key {
                WireType::String => before.string().ok().filter(|text| text.len() <= LONGEST).map(|text| {
                    match std::str::from_utf8(&text) {
                        Ok(text) => text.into(),
                        Err(_) => Constant::Bytes((*text).into()),
                    }
                }),
                WireType::I8 => before.i8().ok().map(Constant::from),
                WireType::I16 => before.i16().ok().map(Constant::from),
                WireType::I32 => before.i32().ok().map(Constant::from),
                WireType::I64 => before.i64().ok().map(Constant::from),
                WireType::Bool => before.bool().ok().map(Constant::from),
                _ => None,
            };
        self.push_path_step(fault, shown.map_or(PathStep::Secret, step))
    }
}

/// Remembers where a field is; the last of several counts.
fn remember<'b, R: Reader<'b>>(slots: &mut Slots<R>, id: i16, ty: Ty, reader: &R) {
    let slot = Some(Slot { id, ty, at: ValueSource::Reader(reader.clone()) });
    match slots.iter_mut().find(|known| known.as_ref().is_some_and(|known| known.id == id)) {
        Some(known) => *known = slot,
        None => slots.push(slot),
    }
}

fn utf8(text: &[u8], offset: usize) -> Walked {
    match std::str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(_) => Err(WalkStop::Form { offset, problem: FormProblem::NotUtf8 }),
    }
}

/// Whether parts have the type that they should have; an empty container may leave it out.
fn alike(
    offset: usize,
    len: usize,
    found: WireType,
    expected: WireType,
    problem: fn(WireType, WireType) -> FormProblem,
) -> Walked {
    match found == expected || (len == 0 && found == WireType::Stop) {
        true => Ok(()),
        false => Err(WalkStop::Form { offset, problem: problem(expected, found) }),
    }
}

fn entries_alike(
    offset: usize,
    (len, key, value): (usize, WireType, WireType),
    expected: (WireType, WireType),
) -> Walked {
    alike(offset, len, key, expected.0, |expected, found| FormProblem::KeyType { expected, found })?;
    alike(offset, len, value, expected.1, |expected, found| FormProblem::ValueType { expected, found })
}

/// Which fields of a struct have been seen, by their place among those sorted by id.
#[derive(Default)]
struct FieldSet {
    first: u128,
    /// Those that do not fit; few structs have any.
    more: Vec<u64>,
    /// How many there are.
    count: usize,
}

impl FieldSet {
    /// Notes a field; false if it was seen before.
    fn note(&mut self, index: usize) -> bool {
        let is_first = !self.has(index);
        if is_first {
            self.count += 1;
        }
        match u32::try_from(index).ok().and_then(|index| 1u128.checked_shl(index)) {
            Some(bit) => self.first |= bit,
            None => {
                let word = index / 64;
                if self.more.len() <= word {
                    self.more.resize(word + 1, 0);
                }
                if let Some(bits) = self.more.get_mut(word) {
                    *bits |= 1 << (index % 64);
                }
            }
        }
        is_first
    }

    fn has(&self, index: usize) -> bool {
        match u32::try_from(index).ok().and_then(|index| 1u128.checked_shl(index)) {
            Some(bit) => self.first & bit != 0,
            None => self.more.get(index / 64).is_some_and(|bits| bits >> (index % 64) & 1 == 1),
        }
    }

    /// The first required field that was not seen, or the first that a rule wants if none is.
    fn first_missing(&self, musts: &[Must]) -> Option<Must> {
        let missing = || musts.iter().filter(|must| !self.has(must.index)).copied();
        missing().find(|must| must.required).or_else(|| missing().next())
    }
}
