//! The quick walk: yes, or ask again.
//!
//! One pass over the bytes that knows nothing but the way of a valid message. Where anything is broken, or only
//! unusual (a field that comes twice and is compared with another), it gives up, and the thorough walk says what is
//! the matter, if anything. So nothing here reports, and nothing here allocates. What this walk lets pass, the
//! thorough one lets pass as well; the tests hold the two against each other.

mod plan;
mod scalar;

use contract::{Contract, Node};

use super::distinct::Distinct;
use super::plan::Plans;
use super::relation::{Amount, RelationSide};
use super::types::{ProgramTypes, Ty, TypeForm};
use super::view::{Slot, ValueSource, ViewContext, WireView};
use super::work::WorkBudget;
use super::{Halfway, UnknownFields, ValidateConfig, WrongType};
use crate::model::StructId;
use crate::rules::Functions;
use crate::wire::{
    Flat, FlatBinary, FlatCompact, FlatRange, InPlace, Limits, Protocol, Rest, WireType, is_utf8,
};

use plan::{Field, List, Map, NONE, Op, SLOTS, Size, Struct, WORDS};
use scalar::TextBounds;

/// What the quick walk runs, for all structs of a program.
#[derive(Clone, Debug)]
pub(super) struct Quick {
    structs: Vec<Struct>,
    /// What is done with values of typedefs.
    shared: Vec<Op>,
}

impl Quick {
    pub(super) fn new(plans: &Plans, limits: &Limits) -> Quick {
        Quick { structs: plan::structs(plans, limits), shared: plan::shared(plans, limits) }
    }
}

/// The bytes from where the values of fields start that rules on several fields look at, with the number of the type in
/// the head, which may carry a truth value.
type Slots<'b> = [Option<(u8, &'b [u8])>; SLOTS];

/// A quick walk over one message.
#[derive(Clone, Copy)]
pub(super) struct QuickWalk<'w> {
    pub(super) quick: &'w Quick,
    pub(super) types: &'w ProgramTypes,
    pub(super) contract: &'w Contract,
    pub(super) functions: &'w Functions,
    pub(super) config: &'w ValidateConfig,
    pub(super) work: &'w WorkBudget,
}

impl QuickWalk<'_> {
    /// Walks over the struct at which a reader stands; false if that is for the thorough walk.
    pub(super) fn passes<'b, R: InPlace<'b>>(&self, id: StructId, reader: &mut R) -> bool {
        match self.structure::<R::Flat>(id.0, reader.rest(), reader.depth()) {
            Some(rest) => {
                reader.leave(rest.len());
                true
            }
            None => false,
        }
    }

    /// Walks over the struct at the start of some bytes and tells how many of them it takes; `None` if that is for the thorough walk.
    pub(super) fn reads(&self, id: StructId, protocol: Protocol, bytes: &[u8]) -> Option<usize> {
        let depth = self.limits().depth;
        let rest = match protocol {
            Protocol::Binary => self.structure::<FlatBinary>(id.0, bytes, depth)?,
            Protocol::Compact => self.structure::<FlatCompact>(id.0, bytes, depth)?,
            // Text with escapes.
            Protocol::Json => return None,
        };
        Some(bytes.len().saturating_sub(rest.len()))
    }

    fn limits(&self) -> &Limits {
        &self.config.limits
    }

    #[inline(never)]
    fn structure<'b, F: Flat>(&self, id: u32, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let plan = self.quick.structs.get(id as usize)?;
        if plan.is_plain {
            return self.fields::<F, 1>(plan, bytes, depth, None);
        }
        self.related_fields::<F>(plan, bytes, depth)
    }

    /// Walks over structs in a row, in a function of its own: its variables stay in registers.
    #[inline(never)]
    fn structures<'b, F: Flat>(&self, id: u32, count: usize, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let plan = self.quick.structs.get(id as usize)?;
        let mut rest = bytes;
        if plan.is_plain {
            for _ in 0..count {
                rest = self.fields::<F, 1>(plan, rest, depth, None)?;
            }
        } else {
            for _ in 0..count {
                rest = self.structure::<F>(id, rest, depth)?;
            }
        }
        Some(rest)
    }

    /// Walks over a struct with rules on several fields, or with very many fields.
    #[inline(never)]
    fn related_fields<'b, F: Flat>(&self, plan: &Struct, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        if plan.is_beyond {
            return None;
        }
        let mut slots = [None; SLOTS];
        let rest = match plan.is_narrow() {
            true => self.fields::<F, 1>(plan, bytes, depth, Some(&mut slots))?,
            false => self.fields::<F, WORDS>(plan, bytes, depth, Some(&mut slots))?,
        };
        let related = plan.relations.iter().all(|compared| {
            let slot = |at: u8| slots.get(usize::from(at)).copied().flatten().map(|(_, bytes)| bytes);
            let relation = &compared.relation;
            let left = self.amount::<F>(&relation.left, slot(compared.left));
            let right = self.amount::<F>(&relation.right, slot(compared.right));
            match (left, right) {
                (ComparedValue::Int(left), ComparedValue::Int(right)) => relation.test.holds(left, right),
                (ComparedValue::Double(left), ComparedValue::Double(right)) => {
                    relation.test.holds(left, right)
                }
                (ComparedValue::Text(left), ComparedValue::Text(right)) => relation.test.holds(left, right),
                // What is not there constrains nothing.
                (ComparedValue::Nothing, _) | (_, ComparedValue::Nothing) => true,
                _ => false,
            }
        });
        let late = || plan.late.is_none_or(|entry| self.late::<F>(plan, &slots, depth, entry));
        (related && late()).then_some(rest)
    }

    /// Tests rules on several fields that are no comparisons of two.
    fn late<F: Flat>(
        &self,
        plan: &Struct,
        slots: &Slots<'_>,
        depth: u8,
        entry: contract::DefinitionHandle,
    ) -> bool {
        let limits = Limits { depth: depth.saturating_sub(1), ..*self.limits() };
        let mut found = [const { None }; SLOTS];
        for field in plan.fields.iter().filter(|field| field.slot != NONE) {
            let slot = usize::from(field.slot);
            let Some((number, bytes)) = slots.get(slot).copied().flatten() else { continue };
            let at = match field.ty {
                WireType::Bool => F::bool(number, bytes).map(|(value, _)| ValueSource::Bool(value)),
                _ => Some(ValueSource::Reader(F::reader(bytes, limits))),
            };
            if let Some(place) = found.get_mut(slot) {
                *place = at.map(|at| Slot { id: field.id, ty: field.of, at });
            }
        }
        let view = WireView::fields(&found, ViewContext { types: self.types, work: self.work });
        self.contract.at(entry).host(self.functions).is_valid(view) && !self.work.is_exhausted()
    }

    /// Walks over the fields of a struct that has rules.
    #[inline(always)]
    fn fields<'b, F: Flat, const W: usize>(
        &self,
        plan: &Struct,
        bytes: &'b [u8],
        depth: u8,
        mut slots: Option<&mut Slots<'b>>,
    ) -> Rest<'b> {
        let depth = depth.checked_sub(1)?;
        let mut rest = bytes;
        let mut seen = [0u64; W];
        let mut last = 0;
        let mut ahead = &*plan.fields;
        loop {
            // Writers send fields in order, so that the next one is nearly always the next one.
            let run = ahead;
            while let Some((field, later)) = ahead.split_first()
                && rest.len() >= F::WINDOW
                && let Some(value) = F::expected(rest, &field.head)
            {
                let number = F::number(field.ty);
                remember(slots.as_deref_mut(), field, number, value)?;
                rest = match &field.op {
                    Op::Range(range) => F::within(value, range)?,
                    op => self.value::<F>(op, number, value, depth)?,
                };
                ahead = later;
            }
            if let Some(end) = note_run(&mut seen, plan, run, ahead)? {
                last = end.id;
            }
            // A struct ends with a zero in every protocol that can be walked like this.
            if let Some((0, after)) = rest.split_first() {
                rest = after;
                break;
            }
            let found = self.unexpected::<F>(plan, last, rest, depth, slots.as_deref_mut())?;
            if let Some(field) = found.field {
                note(&mut seen, field)?;
            }
            Unexpected { last, field: _, ahead, rest } = found;
        }
        if plan.is_union && !self.is_union(&seen) {
            return None;
        }
        let all = plan.musts.iter().zip(&seen).all(|(musts, seen)| musts & !seen == 0);
        all.then_some(rest)
    }

    /// Whether the fields that were seen are those of a union.
    fn is_union(&self, seen: &[u64]) -> bool {
        match seen.iter().map(|word| word.count_ones()).sum::<u32>() {
            0 => self.config.halfway == Halfway::Pass,
            count => count == 1,
        }
    }

    /// Walks over a field that is not the next one.
    #[inline(never)]
    fn unexpected<'p, 'b, F: Flat>(
        &self,
        plan: &'p Struct,
        last: i16,
        bytes: &'b [u8],
        depth: u8,
        mut slots: Option<&mut Slots<'b>>,
    ) -> Option<Unexpected<'p, 'b>> {
        let (head, value) = F::field(bytes, last)?;
        match plan.find(head.id) {
            Some((field, ahead)) if F::number(field.ty) == F::plain(head.number) => {
                remember(slots.as_deref_mut(), field, head.number, value)?;
                let rest = self.value::<F>(&field.op, head.number, value, depth)?;
                Some(Unexpected { last: head.id, field: Some(field), ahead, rest })
            }
            // What rules on several fields make of a value of another type is not for this walk to say.
            Some(_) if self.config.wrong_type == WrongType::Refuse || slots.is_some() => None,
            None if !self.config.unknown_fields.pass(F::PROTOCOL, plan.is_union) => None,
            Some(_) | None => {
                let rest = self.foreign::<F>(head.number, value, depth)?;
                // Heads tell how far it is from the field before, which is none of ours.
                Some(Unexpected { last: head.id, field: None, ahead: &[], rest })
            }
        }
    }

    /// Walks over a value of which nothing is known.
    fn foreign<'b, F: Flat>(&self, number: u8, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        if self.types.has_uuid || self.config.unknown_fields == UnknownFields::Pass {
            return F::skip(number, bytes, depth, self.limits());
        }
        let is = |ty: WireType| number == F::number(ty);
        if is(WireType::Uuid) {
            return None;
        }
        if is(WireType::Struct) {
            let depth = depth.checked_sub(1)?;
            let (mut rest, mut last) = (bytes, 0);
            loop {
                let (head, value) = F::field(rest, last)?;
                if head.number == 0 {
                    return Some(value);
                }
                last = head.id;
                rest = self.foreign::<F>(head.number, value, depth)?;
            }
        }
        if is(WireType::List) || is(WireType::Set) {
            let depth = depth.checked_sub(1)?;
            let (element, len, mut rest) = F::list(bytes, self.limits())?;
            for _ in 0..len {
                rest = self.foreign::<F>(element, rest, depth)?;
            }
            return Some(rest);
        }
        if is(WireType::Map) {
            let depth = depth.checked_sub(1)?;
            let (key, value, len, mut rest) = F::map(bytes, self.limits())?;
            for _ in 0..len {
                rest = self.foreign::<F>(key, rest, depth)?;
                rest = self.foreign::<F>(value, rest, depth)?;
            }
            return Some(rest);
        }
        F::skip(number, bytes, depth, self.limits())
    }

    /// Walks over a value of which only the types are tested, its own and those of everything in it.
    fn typed<'b, F: Flat>(&self, ty: Ty, number: u8, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        match self.types.kind(ty) {
            TypeForm::Scalar(WireType::Bool) => F::bool(number, bytes).map(|(_, rest)| rest),
            TypeForm::Text if self.config.all_utf8() => {
                let (text, rest) = F::string(bytes, self.limits())?;
                is_utf8(text).then_some(rest)
            }
            TypeForm::Scalar(_) | TypeForm::Text | TypeForm::Bytes => {
                F::skip(number, bytes, depth, self.limits())
            }
            TypeForm::Unknown => None,
            TypeForm::Struct(id) => self.typed_struct::<F>(id, bytes, depth),
            TypeForm::List(element) | TypeForm::Set(element) => {
                let depth = depth.checked_sub(1)?;
                let (number, len, mut rest) = F::list(bytes, self.limits())?;
                if !is_alike::<F>(number, len, self.types.wire(element)) {
                    return None;
                }
                for _ in 0..len {
                    rest = self.typed::<F>(element, number, rest, depth)?;
                }
                Some(rest)
            }
            TypeForm::Map(key, value) => {
                let depth = depth.checked_sub(1)?;
                let (key_number, value_number, len, mut rest) = F::map(bytes, self.limits())?;
                if !is_alike::<F>(key_number, len, self.types.wire(key))
                    || !is_alike::<F>(value_number, len, self.types.wire(value))
                {
                    return None;
                }
                for _ in 0..len {
                    rest = self.typed::<F>(key, key_number, rest, depth)?;
                    rest = self.typed::<F>(value, value_number, rest, depth)?;
                }
                Some(rest)
            }
        }
    }

    /// The same for a struct.
    fn typed_struct<'b, F: Flat>(&self, id: StructId, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let plan = self.quick.structs.get(id.0 as usize)?;
        let depth = depth.checked_sub(1)?;
        if !plan.is_narrow() {
            return None;
        }
        let (mut rest, mut last) = (bytes, 0);
        let mut seen = [0u64];
        loop {
            let (head, value) = F::field(rest, last)?;
            if head.number == 0 {
                rest = value;
                break;
            }
            last = head.id;
            rest = match plan.find(head.id) {
                Some((field, _)) if field.member => return None,
                Some((field, _)) if F::number(field.ty) == F::plain(head.number) => {
                    note(&mut seen, field)?;
                    self.typed::<F>(field.of, head.number, value, depth)?
                }
                Some(_) if self.config.wrong_type == WrongType::Refuse => return None,
                None if !self.config.unknown_fields.pass(F::PROTOCOL, plan.is_union) => return None,
                Some(_) | None => self.foreign::<F>(head.number, value, depth)?,
            };
        }
        // What else is wrong with it is for the thorough walk to say.
        let is_incomplete = self.config.halfway == Halfway::Refuse
            && plan.musts.iter().zip(&seen).any(|(musts, seen)| musts & !seen != 0);
        let is_sound = (!plan.is_union || self.is_union(&seen)) && !is_incomplete;
        is_sound.then_some(rest)
    }

    /// Walks over a value that has the type which its rules speak of. Each kind has a function of its own to which this one
    /// jumps, so that it costs nothing itself.
    #[inline(never)]
    fn value<'b, F: Flat>(&self, op: &Op, number: u8, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        match op {
            Op::Range(range) => ranged::<F>(range, bytes),
            Op::Skip => F::skip(number, bytes, depth, self.limits()),
            Op::Text(text) => self.text::<F>(text, bytes),
            Op::Words(words) => words.among::<F>(bytes, self.limits()),
            Op::Struct(id) => self.structure::<F>(*id, bytes, depth),
            Op::List(list) => self.list::<F>(list, bytes, depth),
            Op::Map(map) => self.map::<F>(map, bytes, depth),
            Op::Typed(ty) => self.typed::<F>(*ty, number, bytes, depth),
            Op::Bool(_) | Op::AnyBool | Op::Shared(_) | Op::IntSet(_) | Op::Test(..) => {
                self.rarer::<F>(op, number, bytes, depth)
            }
        }
    }

    #[inline(never)]
    fn text<'b, F: Flat>(&self, text: &TextBounds, bytes: &'b [u8]) -> Rest<'b> {
        let (found, rest) = F::string(bytes, self.limits())?;
        text.holds(found).then_some(rest)
    }

    #[inline(never)]
    fn rarer<'b, F: Flat>(&self, op: &Op, number: u8, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        match op {
            Op::Bool(wanted) => {
                let (value, rest) = F::bool(number, bytes)?;
                (value == *wanted).then_some(rest)
            }
            Op::AnyBool => F::bool(number, bytes).map(|(_, rest)| rest),
            Op::Shared(of) => self.value::<F>(self.quick.shared.get(*of as usize)?, number, bytes, depth),
            Op::IntSet(set) => {
                let (value, rest) = int::<F>(number, bytes)?;
                set.holds(value).then_some(rest)
            }
            Op::Test(entry, utf8) => {
                let is = |ty: WireType| F::element(ty) == number || F::number(ty) == F::plain(number);
                let (node, rest) = if is(WireType::Bool) {
                    let (value, rest) = F::bool(number, bytes)?;
                    (Node::Bool(value), rest)
                } else if is(WireType::Double) {
                    let (value, rest) = F::double(bytes)?;
                    (Node::Float(value), rest)
                } else if is(WireType::String) {
                    let (value, rest) = F::string(bytes, self.limits())?;
                    if *utf8 && !is_utf8(value) {
                        return None;
                    }
                    (Node::Bytes(value), rest)
                } else if is(WireType::Uuid) {
                    let (value, rest) = bytes.split_at_checked(16)?;
                    (Node::Bytes(value), rest)
                } else {
                    let (value, rest) = int::<F>(number, bytes)?;
                    (Node::Int(value), rest)
                };
                self.contract.at(*entry).host(self.functions).is_valid(node).then_some(rest)
            }
            _ => None,
        }
    }

    fn size_holds(&self, size: Size, len: usize, node: Node<'_>) -> bool {
        match size {
            Size::Within(sizes) => sizes.hold(len),
            Size::Test(entry) => self.contract.at(entry).host(self.functions).is_valid(node),
        }
    }

    #[inline(never)]
    fn list<'b, F: Flat>(&self, list: &List, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let depth = depth.checked_sub(1)?;
        let (number, len, mut rest) = F::list(bytes, self.limits())?;
        if !self.size_holds(list.size, len, Node::List(len)) {
            return None;
        }
        if !is_alike::<F>(number, len, list.element) {
            return None;
        }
        let rest = match &list.op {
            Op::Skip => F::skip_all(number, len, rest, depth, self.limits())?,
            Op::Range(range) => F::all_within(rest, len, range)?,
            Op::Struct(id) => self.structures::<F>(*id, len, rest, depth)?,
            op => {
                for _ in 0..len {
                    rest = self.value::<F>(op, number, rest, depth)?;
                }
                rest
            }
        };
        match list.distinct {
            Some(element) if len > 1 => {
                self.has_distinct_elements::<F>(element, bytes, depth).then_some(rest)
            }
            _ => Some(rest),
        }
    }

    /// Whether no element comes twice in the list or set at the start of some bytes.
    #[inline(never)]
    fn has_distinct_elements<F: Flat>(&self, element: Ty, bytes: &[u8], depth: u8) -> bool {
        let mut reader = F::reader(bytes, Limits { depth: depth + 1, ..*self.limits() });
        let distinct = Distinct { types: self.types, work: self.work };
        distinct.elements(&mut reader, element).is_ok_and(|are| are)
    }

    #[inline(never)]
    fn map<'b, F: Flat>(&self, map: &Map, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let depth = depth.checked_sub(1)?;
        let (key, value, len, mut rest) = F::map(bytes, self.limits())?;
        if !self.size_holds(map.size, len, Node::Object(len)) {
            return None;
        }
        if !is_alike::<F>(key, len, map.types.0) || !is_alike::<F>(value, len, map.types.1) {
            return None;
        }
        match (&map.key, &map.value) {
            (Op::Range(keys), Op::Range(values)) => {
                for _ in 0..len {
                    rest = F::within(F::within(rest, keys)?, values)?;
                }
            }
            (keys, values) => {
                for _ in 0..len {
                    rest = self.value::<F>(keys, key, rest, depth)?;
                    rest = self.value::<F>(values, value, rest, depth)?;
                }
            }
        }
        match map.distinct {
            Some(types) if len > 0 => self.has_distinct_keys::<F>(types, bytes, depth).then_some(rest),
            _ => Some(rest),
        }
    }

    /// Whether no key comes twice in the map at the start of some bytes.
    #[inline(never)]
    fn has_distinct_keys<F: Flat>(&self, (key, value): (Ty, Ty), bytes: &[u8], depth: u8) -> bool {
        let mut reader = F::reader(bytes, Limits { depth: depth + 1, ..*self.limits() });
        let distinct = Distinct { types: self.types, work: self.work };
        distinct.keys(&mut reader, key, value).is_ok_and(|problem| problem.is_none())
    }

    /// What is compared, of a field that has been walked over or of what stands in for it.
    fn amount<'b, F: Flat>(&self, side: &'b RelationSide, slot: Option<&'b [u8]>) -> ComparedValue<'b> {
        let Some(bytes) = slot else {
            return match &side.absent {
                None => ComparedValue::Nothing,
                Some(Amount::Int(value)) => ComparedValue::Int(*value),
                Some(Amount::Double(value)) => ComparedValue::Double(*value),
                Some(Amount::Text(text)) => ComparedValue::Text(text),
            };
        };
        let found = match side.ty {
            WireType::Double => F::double(bytes).map(|(value, _)| ComparedValue::Double(value)),
            WireType::String => F::string(bytes, self.limits()).map(|(text, _)| match side.length {
                true => ComparedValue::Int(text.len() as i64),
                false => ComparedValue::Text(text),
            }),
            ty => int::<F>(F::number(ty), bytes).map(|(value, _)| ComparedValue::Int(value)),
        };
        found.unwrap_or(ComparedValue::Broken)
    }
}

/// Walks over a number or text, where it is not part of a walk over fields or elements.
#[inline(never)]
fn ranged<'b, F: Flat>(range: &FlatRange, bytes: &'b [u8]) -> Rest<'b> {
    F::within(bytes, range)
}

/// What is known behind a field that was not the next one.
struct Unexpected<'p, 'b> {
    last: i16,
    field: Option<&'p Field>,
    ahead: &'p [Field],
    rest: &'b [u8],
}

/// Whether parts have the type that they should have; an empty container may leave it out.
#[inline]
fn is_alike<F: Flat>(number: u8, len: usize, ty: WireType) -> bool {
    number == F::element(ty) || (len == 0 && number == 0)
}

/// Notes that a field is there; what it means that it comes twice is not for this walk to say.
#[inline(always)]
fn note<const W: usize>(seen: &mut [u64; W], field: &Field) -> Option<()> {
    let word = seen.get_mut(if W == 1 { 0 } else { usize::from(field.word) })?;
    let is_first = *word & field.bit == 0;
    *word |= field.bit;
    is_first.then_some(())
}

/// Notes that some fields in a row are there: those of `run` up to where `ahead` begins. The last of them comes back.
#[inline(always)]
fn note_run<'p, const W: usize>(
    seen: &mut [u64; W],
    plan: &Struct,
    run: &'p [Field],
    ahead: &[Field],
) -> Option<Option<&'p Field>> {
    let fields = run.get(..run.len().saturating_sub(ahead.len())).unwrap_or_default();
    let Some(last) = fields.last() else { return Some(None) };
    if W > 1 {
        fields.iter().try_for_each(|field| note(seen, field))?;
        return Some(Some(last));
    }
    // Fields are sorted as their bits are, so that those of a row stand in a row.
    let below = plan.fields.len().saturating_sub(run.len()) as u32;
    let bits = u64::MAX.checked_shr(64 - fields.len() as u32)?.checked_shl(below)?;
    let word = seen.first_mut()?;
    let is_first = *word & bits == 0;
    *word |= bits;
    is_first.then_some(Some(last))
}

/// Remembers where a value starts that rules on several fields look at.
#[inline(always)]
fn remember<'b>(slots: Option<&mut Slots<'b>>, field: &Field, number: u8, value: &'b [u8]) -> Option<()> {
    if let Some(slots) = slots
        && field.slot != NONE
    {
        *slots.get_mut(usize::from(field.slot))? = Some((number, value));
    }
    Some(())
}

/// A side of a comparison.
enum ComparedValue<'b> {
    Int(i64),
    Double(f64),
    Text(&'b [u8]),
    Nothing,
    Broken,
}

/// Takes an integer of any width off.
fn int<F: Flat>(number: u8, bytes: &[u8]) -> Option<(i64, &[u8])> {
    match number {
        number if number == F::number(WireType::I32) => F::i32(bytes),
        number if number == F::number(WireType::I64) => F::i64(bytes),
        number if number == F::number(WireType::I16) => F::i16(bytes),
        number if number == F::number(WireType::I8) => F::i8(bytes),
        _ => None,
    }
}
