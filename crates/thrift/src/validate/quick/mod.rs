//! The quick walk: yes, or ask again.
//!
//! One pass over the bytes that knows nothing but the way of a valid message. Where anything is broken, or only
//! unusual (a field that comes twice and is compared with another), it gives up, and the thorough walk says what is
//! the matter, if anything. So nothing here reports, and nothing here allocates. What this walk lets pass, the
//! thorough one lets pass as well; the tests hold the two against each other.

mod plan;
mod scalar;

use contract::{Contract, Node};

use super::WrongType;
use super::plan::Plans;
use super::relation::{Amount, Side};
use super::view::WireView;
use crate::model::StructId;
use crate::rules::Functions;
use crate::wire::{Flat, InPlace, Limits, Rest, WireType};

use plan::{Field, List, Map, NONE, Op, SLOTS, Size, Struct, TRACKED};

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

/// The bytes from where the values of fields start that are compared with others.
type Slots<'b> = [Option<&'b [u8]>; SLOTS];

/// A quick walk over one message.
#[derive(Clone, Copy)]
pub(super) struct QuickWalk<'w> {
    pub(super) quick: &'w Quick,
    pub(super) contract: &'w Contract,
    pub(super) functions: &'w Functions,
    pub(super) limits: &'w Limits,
    pub(super) wrong_type: WrongType,
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

    fn structure<'b, F: Flat>(&self, id: u32, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let plan = self.quick.structs.get(id as usize)?;
        if plan.free {
            return F::skip(F::number(WireType::Struct), bytes, depth, self.limits);
        }
        if plan.is_plain() {
            return self.fields::<F>(plan, bytes, depth, None);
        }
        self.related_fields::<F>(plan, bytes, depth)
    }

    /// Walks over structs in a row, in a function of its own: its variables stay in registers.
    #[inline(never)]
    fn structures<'b, F: Flat>(&self, id: u32, count: usize, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let plan = self.quick.structs.get(id as usize)?;
        let mut rest = bytes;
        if plan.is_plain() {
            for _ in 0..count {
                rest = self.fields::<F>(plan, rest, depth, None)?;
            }
        } else {
            for _ in 0..count {
                rest = self.structure::<F>(id, rest, depth)?;
            }
        }
        Some(rest)
    }

    /// Walks over a struct with rules on several fields.
    #[inline(never)]
    fn related_fields<'b, F: Flat>(&self, plan: &Struct, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let mut slots = [None; SLOTS];
        let rest = self.fields::<F>(plan, bytes, depth, Some(&mut slots))?;
        let related = plan.relations.iter().all(|compared| {
            let slot = |at: u8| slots.get(usize::from(at)).copied().flatten();
            let relation = &compared.relation;
            let left = self.amount::<F>(&relation.left, slot(compared.left));
            let right = self.amount::<F>(&relation.right, slot(compared.right));
            match (left, right) {
                (Known::Int(left), Known::Int(right)) => relation.test.holds(left, right),
                (Known::Double(left), Known::Double(right)) => relation.test.holds(left, right),
                (Known::Text(left), Known::Text(right)) => relation.test.holds(left, right),
                // What is not there constrains nothing.
                (Known::Nothing, _) | (_, Known::Nothing) => true,
                _ => false,
            }
        });
        let late = || {
            plan.late.is_none_or(|entry| {
                let start = F::reader(bytes, Limits { depth, ..*self.limits });
                self.contract.at(entry).host(self.functions).is_valid(WireView::structure(start))
            })
        };
        (related && late()).then_some(rest)
    }

    /// Walks over the fields of a struct that has rules.
    #[inline(always)]
    fn fields<'b, F: Flat>(
        &self,
        plan: &Struct,
        bytes: &'b [u8],
        depth: u8,
        mut slots: Option<&mut Slots<'b>>,
    ) -> Rest<'b> {
        let depth = depth.checked_sub(1)?;
        let mut rest = bytes;
        let mut seen = 0;
        let mut last = 0;
        let mut ahead = &*plan.fields;
        loop {
            // Writers send fields in order, so that the next one is nearly always the next one.
            while let Some((field, later)) = ahead.split_first()
                && rest.len() >= F::WINDOW
                && let Some(value) = F::expected(rest, &field.head)
            {
                remember(slots.as_deref_mut(), field, value)?;
                rest = match &field.op {
                    Op::Range(range) => F::within(value, range)?,
                    op => self.value::<F>(op, F::number(field.ty), value, depth)?,
                };
                seen |= field.bit;
                last = field.id;
                ahead = later;
            }
            // A struct ends with a zero in every protocol that can be walked like this.
            if let Some((0, after)) = rest.split_first() {
                rest = after;
                break;
            }
            let found = self.unexpected::<F>(plan, last, rest, depth, slots.as_deref_mut())?;
            Unexpected { last, bit: _, ahead, rest } = found;
            seen |= found.bit;
        }
        let all =
            seen == plan.musts && (plan.must_count <= TRACKED || self.has_others::<F>(plan, bytes, depth));
        all.then_some(rest)
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
                remember(slots.as_deref_mut(), field, value)?;
                let rest = self.value::<F>(&field.op, head.number, value, depth)?;
                Some(Unexpected { last: head.id, bit: field.bit, ahead, rest })
            }
            // What rules on several fields make of a value of another type is not for this walk to say.
            Some(_) if self.wrong_type == WrongType::Refuse || slots.is_some() => None,
            Some(_) | None => {
                let rest = F::skip(head.number, value, depth, self.limits)?;
                // Heads tell how far it is from the field before, which is none of ours.
                Some(Unexpected { last: head.id, bit: 0, ahead: &[], rest })
            }
        }
    }

    /// Whether a struct has the fields that must be there and that one pass could not tell apart: one more pass
    /// for each word of them.
    #[cold]
    fn has_others<F: Flat>(&self, plan: &Struct, bytes: &[u8], depth: u8) -> bool {
        let seen = |word: u32| {
            let mut rest = bytes;
            let (mut seen, mut last) = (0u64, 0);
            loop {
                let (head, value) = F::field(rest, last)?;
                if head.number == 0 {
                    return Some(seen);
                }
                last = head.id;
                if let Some((field, _)) = plan.find(head.id)
                    && let Some(must) = field.must
                    && must / TRACKED == word
                    && F::number(field.ty) == F::plain(head.number)
                {
                    seen |= 1 << (must % TRACKED);
                }
                rest = F::skip(head.number, value, depth, self.limits)?;
            }
        };
        let words = plan.must_count.div_ceil(TRACKED);
        (1..words).all(|word| {
            let count = (plan.must_count - word * TRACKED).min(TRACKED);
            let all = 1u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1);
            seen(word) == Some(all)
        })
    }

    /// Walks over a value that has the type which its rules speak of.
    #[inline(never)]
    fn value<'b, F: Flat>(&self, op: &Op, number: u8, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        match op {
            Op::Range(range) => F::within(bytes, range),
            Op::Skip => F::skip(number, bytes, depth, self.limits),
            Op::Text(text) => {
                let (found, rest) = F::string(bytes, self.limits)?;
                text.holds(found).then_some(rest)
            }
            Op::Struct(id) => self.structure::<F>(*id, bytes, depth),
            Op::List(list) => self.list::<F>(list, bytes, depth),
            Op::Map(map) => self.map::<F>(map, bytes, depth),
            Op::Bool(wanted) => {
                let (value, rest) = F::bool(number, bytes)?;
                (value == *wanted).then_some(rest)
            }
            Op::Shared(of) => self.value::<F>(self.quick.shared.get(*of as usize)?, number, bytes, depth),
            Op::IntSet(_) | Op::Test(_) => self.rarer::<F>(op, number, bytes),
        }
    }

    #[inline(never)]
    fn rarer<'b, F: Flat>(&self, op: &Op, number: u8, bytes: &'b [u8]) -> Rest<'b> {
        match op {
            Op::IntSet(set) => {
                let (value, rest) = int::<F>(number, bytes)?;
                set.holds(value).then_some(rest)
            }
            Op::Test(entry) => {
                let is = |ty: WireType| F::element(ty) == number || F::number(ty) == F::plain(number);
                let (node, rest) = if is(WireType::Bool) {
                    let (value, rest) = F::bool(number, bytes)?;
                    (Node::Bool(value), rest)
                } else if is(WireType::Double) {
                    let (value, rest) = F::double(bytes)?;
                    (Node::Float(value), rest)
                } else if is(WireType::String) {
                    let (value, rest) = F::string(bytes, self.limits)?;
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
        let (number, len, mut rest) = F::list(bytes, self.limits)?;
        if !self.size_holds(list.size, len, Node::List(len)) {
            return None;
        }
        // Elements of another type are not those that the rules speak of.
        if number != F::element(list.element) {
            return F::skip_all(number, len, rest, depth, self.limits);
        }
        match &list.op {
            Op::Skip => F::skip_all(number, len, rest, depth, self.limits),
            Op::Range(range) => {
                for _ in 0..len {
                    rest = F::within(rest, range)?;
                }
                Some(rest)
            }
            Op::Struct(id) => self.structures::<F>(*id, len, rest, depth),
            op => {
                for _ in 0..len {
                    rest = self.value::<F>(op, number, rest, depth)?;
                }
                Some(rest)
            }
        }
    }

    #[inline(never)]
    fn map<'b, F: Flat>(&self, map: &Map, bytes: &'b [u8], depth: u8) -> Rest<'b> {
        let depth = depth.checked_sub(1)?;
        let (key, value, len, mut rest) = F::map(bytes, self.limits)?;
        if !self.size_holds(map.size, len, Node::Object(len)) {
            return None;
        }
        let alike = (key, value) == (F::element(map.types.0), F::element(map.types.1));
        let (key_op, value_op) = if alike { (&map.key, &map.value) } else { (&Op::Skip, &Op::Skip) };
        for _ in 0..len {
            rest = self.value::<F>(key_op, key, rest, depth)?;
            rest = self.value::<F>(value_op, value, rest, depth)?;
        }
        Some(rest)
    }

    /// What is compared, of a field that has been walked over or of what stands in for it.
    fn amount<'b, F: Flat>(&self, side: &'b Side, slot: Option<&'b [u8]>) -> Known<'b> {
        let Some(bytes) = slot else {
            return match &side.absent {
                None => Known::Nothing,
                Some(Amount::Int(value)) => Known::Int(*value),
                Some(Amount::Double(value)) => Known::Double(*value),
                Some(Amount::Text(text)) => Known::Text(text),
            };
        };
        let found = match side.ty {
            WireType::Double => F::double(bytes).map(|(value, _)| Known::Double(value)),
            WireType::String => F::string(bytes, self.limits).map(|(text, _)| match side.length {
                true => Known::Int(text.len() as i64),
                false => Known::Text(text),
            }),
            ty => int::<F>(F::number(ty), bytes).map(|(value, _)| Known::Int(value)),
        };
        found.unwrap_or(Known::Broken)
    }
}

/// What is known behind a field that was not the next one.
struct Unexpected<'p, 'b> {
    last: i16,
    bit: u64,
    ahead: &'p [Field],
    rest: &'b [u8],
}

/// Remembers where a value starts that is compared with others. Which of two is meant is not for this walk to say.
#[inline(always)]
fn remember<'b>(slots: Option<&mut Slots<'b>>, field: &Field, value: &'b [u8]) -> Option<()> {
    if let Some(slots) = slots
        && field.slot != NONE
        && slots.get_mut(usize::from(field.slot))?.replace(value).is_some()
    {
        return None;
    }
    Some(())
}

/// A side of a comparison.
enum Known<'b> {
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
