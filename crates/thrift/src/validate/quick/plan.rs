//! What the quick walk runs: the plans of structs, with rules that need one look.

use contract::{DefinitionHandle, Operand, Rule, Test, Unit};

use super::scalar::{self, IntSet, ShortTexts, Sizes, TextBounds};
use crate::validate::plan::{Plans, StructPlan, ValidationStep, ValueRules};
use crate::validate::relation::Relation;
use crate::validate::types::{EnumType, ProgramTypes, Ty};
use crate::wire::{FlatHead, FlatRange, Limits, WireType};

pub(super) const NONE: u8 = u8::MAX;

/// How many fields of a struct can be remembered, to be compared.
pub(super) const SLOTS: usize = 16;

/// How many words of bits there are for the fields of a wide struct.
pub(super) const WORDS: usize = 8;

/// What to do with a struct.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    /// Fields, sorted by id.
    pub(super) fields: Box<[Field]>,
    /// The place of each field by id, for ids that are small enough; [`NONE`] where there is none.
    ids: Box<[u8]>,
    /// Bits of the fields that must be there, in words of fields as they are sorted; one word for most structs.
    pub(super) musts: Box<[u64]>,
    /// Whether nothing is asked of it but what its fields say each for itself.
    pub(super) is_plain: bool,
    /// Whether it can have but one field.
    pub(super) is_union: bool,
    /// Whether this is all for the thorough walk: it has too many fields, or too many of them are compared.
    pub(super) is_beyond: bool,
    pub(super) relations: Box<[Compared]>,
    /// Rules on several fields that are no such comparisons.
    pub(super) late: Option<DefinitionHandle>,
}

/// What to do with a field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) id: i16,
    pub(super) ty: WireType,
    /// Its head where it follows the field before it.
    pub(super) head: FlatHead,
    /// Where it is remembered; [`NONE`] if no other field is compared with it.
    pub(super) slot: u8,
    /// Its word of bits, and its bit there.
    pub(super) word: u8,
    pub(super) bit: u64,
    /// Its type, for those who remember it.
    pub(super) of: Ty,
    /// Whether it must be a member of its enum, whatever rules there are.
    pub(super) member: bool,
    pub(super) op: Op,
}

/// A comparison of fields that are remembered.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    pub(super) left: u8,
    pub(super) right: u8,
    pub(super) relation: Relation,
}

/// What to do with a value.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Skip,
    Range(FlatRange),
    IntSet(Box<IntSet>),
    /// A truth value, whichever.
    AnyBool,
    Bool(bool),
    Text(Box<TextBounds>),
    /// Text that must be one of a few short ones.
    Words(Box<ShortTexts>),
    /// A value that must have its type, as everything in it.
    Typed(Ty),
    List(Box<List>),
    Map(Box<Map>),
    Struct(u32),
    /// What is done with a value of a typedef, by its number.
    Shared(u32),
    /// Whatever else: the contract is asked, about text that must be UTF-8 or need not be.
    Test(DefinitionHandle, bool),
}

#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) size: Size,
    pub(super) element: WireType,
    pub(super) op: Op,
    /// The type of elements that must not come twice.
    pub(super) distinct: Option<Ty>,
}

#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) size: Size,
    pub(super) types: (WireType, WireType),
    pub(super) key: Op,
    pub(super) value: Op,
    /// The types of entries of which no key must come twice.
    pub(super) distinct: Option<(Ty, Ty)>,
}

/// How many elements a container may have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Within(Sizes),
    /// The contract is asked.
    Test(DefinitionHandle),
}

impl Struct {
    /// Finds a field by its id, and those behind it.
    pub(super) fn find(&self, id: i16) -> Option<(&Field, &[Field])> {
        let at = match self.ids.get(usize::try_from(id).ok()?) {
            Some(&NONE) => return None,
            Some(at) => usize::from(*at),
            None => self.fields.binary_search_by_key(&id, |field| field.id).ok()?,
        };
        self.fields.get(at..)?.split_first()
    }
}

impl Struct {
    /// Whether one word has a bit for each of its fields.
    pub(super) fn is_narrow(&self) -> bool {
        self.musts.len() == 1
    }
}

/// Makes what the quick walk runs.
pub(super) fn structs(plans: &Plans, limits: &Limits) -> Vec<Struct> {
    plans.all().iter().map(|plan| structure(plan, &plans.types, limits)).collect()
}

/// Makes what the quick walk runs for values of typedefs, which are containers.
pub(super) fn shared(plans: &Plans, limits: &Limits) -> Vec<Op> {
    plans.all_shared().iter().map(|step| op(step, WireType::Stop, limits)).collect()
}

fn structure(plan: &StructPlan, types: &ProgramTypes, limits: &Limits) -> Struct {
    let before = std::iter::once(0).chain(plan.fields.iter().map(|(id, _)| *id));
    let words = plan.fields.len().div_ceil(64).max(1);
    let mut musts = vec![0u64; words];
    let mut is_beyond = words > WORDS;
    let mut fields: Vec<Field> = plan
        .fields
        .iter()
        .zip(before)
        .enumerate()
        .map(|(index, ((id, field), before))| {
            let bit = 1 << (index % 64);
            if let (Some(word), true) = (musts.get_mut(index / 64), field.must) {
                *word |= bit;
            }
            let op = match field.member {
                false => part(&field.step, field.wire, limits),
                true => member(&field.step, types.enumeration(field.ty)).unwrap_or_else(|| {
                    is_beyond = true;
                    Op::Skip
                }),
            };
            Field {
                id: *id,
                ty: field.wire,
                head: FlatHead::new(field.wire, *id, before),
                slot: NONE,
                word: u8::try_from(index / 64).unwrap_or(u8::MAX),
                bit,
                of: field.ty,
                member: field.member,
                op,
            }
        })
        .collect();
    let mut slots = Slots::default();
    let relations =
        plan.relations.as_deref().and_then(|relations| compared(relations, &mut fields, &mut slots));
    let late = if relations.is_some() { None } else { plan.late };
    if late.is_some() {
        for ((_, planned), field) in plan.fields.iter().zip(&mut fields) {
            if planned.late && slots.take(field).is_none() {
                is_beyond = true;
            }
        }
    }
    let relations = relations.unwrap_or_default();
    Struct {
        ids: ids(&fields),
        is_plain: relations.is_empty() && late.is_none() && words == 1 && !is_beyond,
        fields: fields.into(),
        musts: musts.into(),
        is_union: plan.is_union,
        is_beyond,
        late,
        relations,
    }
}

/// Gives out places to be remembered in.
#[derive(Default)]
struct Slots {
    taken: u8,
}

impl Slots {
    /// The place of a field; `None` if there are none left.
    fn take(&mut self, field: &mut Field) -> Option<u8> {
        if field.slot == NONE && usize::from(self.taken) < SLOTS {
            field.slot = self.taken;
            self.taken += 1;
        }
        (field.slot != NONE).then_some(field.slot)
    }
}

/// Gives fields that are compared a place to be remembered in; `None` if there are too many.
fn compared(relations: &[Relation], fields: &mut [Field], slots: &mut Slots) -> Option<Box<[Compared]>> {
    let mut slot = |id: i16| slots.take(fields.iter_mut().find(|field| field.id == id)?);
    let compared = relations.iter().map(|relation| {
        let (left, right) = (slot(relation.left.id)?, slot(relation.right.id)?);
        Some(Compared { left, right, relation: relation.clone() })
    });
    compared.collect()
}

fn ids(fields: &[Field]) -> Box<[u8]> {
    const MOST: i16 = 255;
    let Some(last) = fields.last().map(|field| field.id.clamp(0, MOST)) else { return Box::default() };
    if fields.len() >= usize::from(NONE) {
        return Box::default();
    }
    let mut ids = vec![NONE; last as usize + 1];
    for (field, at) in fields.iter().zip(0..) {
        if let Some(place) = usize::try_from(field.id).ok().and_then(|id| ids.get_mut(id)) {
            *place = at;
        }
    }
    ids.into()
}

/// What to do with a part of a struct or map, which needs no rule to be looked at where it stands.
fn part(step: &ValidationStep, ty: WireType, limits: &Limits) -> Op {
    match op(step, ty, limits) {
        Op::Skip => FlatRange::all(ty, limits.string).map_or(Op::Skip, Op::Range),
        op => op,
    }
}

/// What to do with a number that must be that of a member, beside its rules; `None` if that needs more than one look.
fn member(step: &ValidationStep, of: Option<&EnumType>) -> Option<Op> {
    let known = Rule::from(Test::In(of?.numbers().map(Operand::from).collect()));
    let rules: Vec<Rule> = match step {
        ValidationStep::Skip => vec![known],
        ValidationStep::Test(own) => own.rules.iter().cloned().chain([known]).collect(),
        _ => return None,
    };
    int_op(&rules, WireType::I32)
}

fn int_op(rules: &[Rule], ty: WireType) -> Option<Op> {
    Some(match scalar::ints(rules)? {
        (_, _, Some(set)) => Op::IntSet(Box::new(set)),
        (least, most, None) => Op::Range(FlatRange::int(ty, least, most)?),
    })
}

fn op(step: &ValidationStep, ty: WireType, limits: &Limits) -> Op {
    match step {
        ValidationStep::Skip => Op::Skip,
        ValidationStep::Bool => Op::AnyBool,
        ValidationStep::Text => {
            text_op(TextBounds { sizes: Sizes::ALL, utf8: true, tests: Box::default() }, limits)
        }
        ValidationStep::Typed(ty) => Op::Typed(*ty),
        ValidationStep::Struct(id) => Op::Struct(id.0),
        ValidationStep::Shared(number) => Op::Shared(*number),
        ValidationStep::Test(own) => scalar_op(own, ty, limits).unwrap_or(Op::Test(own.entry, own.utf8)),
        ValidationStep::List { size, element, step, distinct } => Op::List(Box::new(List {
            size: container_size(size.as_ref(), Unit::Items),
            element: *element,
            op: op(step, *element, limits),
            distinct: *distinct,
        })),
        ValidationStep::Map { size, types, key, value, distinct } => Op::Map(Box::new(Map {
            size: container_size(size.as_ref(), Unit::Properties),
            types: *types,
            key: part(key, types.0, limits),
            value: part(value, types.1, limits),
            distinct: *distinct,
        })),
    }
}

fn scalar_op(own: &ValueRules, ty: WireType, limits: &Limits) -> Option<Op> {
    Some(match ty {
        WireType::I8 | WireType::I16 | WireType::I32 | WireType::I64 => int_op(&own.rules, ty)?,
        WireType::Double => {
            let (least, most) = scalar::doubles(&own.rules)?;
            Op::Range(FlatRange::double(least, most)?)
        }
        WireType::Bool => Op::Bool(scalar::truth(&own.rules)?),
        WireType::String => text_op(scalar::text(&own.rules, own.utf8)?, limits),
        _ => return None,
    })
}

/// Text of which its length says everything, but for being UTF-8, is walked over where it stands.
fn text_op(text: TextBounds, limits: &Limits) -> Op {
    let Sizes { least, most } = text.sizes;
    if let Some(words) = ShortTexts::of(&text) {
        return Op::Words(Box::new(words));
    }
    match FlatRange::text(least, most.min(limits.string as usize)) {
        Some(range) if text.tests.is_empty() => Op::Range(if text.utf8 { range.utf8() } else { range }),
        _ => Op::Text(Box::new(text)),
    }
}

fn container_size(own: Option<&ValueRules>, unit: Unit) -> Size {
    match own {
        None => Size::Within(Sizes::ALL),
        Some(own) => scalar::sizes(&own.rules, unit).map_or(Size::Test(own.entry), Size::Within),
    }
}
