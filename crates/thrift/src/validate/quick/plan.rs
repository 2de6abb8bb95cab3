//! What the quick walk runs: the plans of structs, with rules that need one look.

use contract::{Entry, Unit};

use super::scalar::{self, IntSet, Sizes, Text};
use crate::validate::plan::{Own, Plans, Step, StructPlan};
use crate::validate::relation::Relation;
use crate::wire::{FlatHead, FlatRange, Limits, WireType};

/// No place.
pub(super) const NONE: u8 = u8::MAX;

/// How many fields of a struct can be remembered, to be compared.
pub(super) const SLOTS: usize = 8;

/// How many fields that must be there are told apart in one pass over a struct.
pub(super) const TRACKED: u32 = 64;

/// What to do with a struct.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    /// Fields, sorted by id.
    pub(super) fields: Box<[Field]>,
    /// The place of each field by id, for ids that are small enough; [`NONE`] where there is none.
    ids: Box<[u8]>,
    /// Whether nothing in it, or below it, can fail.
    pub(super) free: bool,
    /// Bits of the fields that must be there, as far as one pass tells them apart.
    pub(super) musts: u64,
    /// How many fields must be there.
    pub(super) must_count: u32,
    /// Comparisons of fields.
    pub(super) relations: Box<[Compared]>,
    /// Rules on several fields that are no such comparisons.
    pub(super) late: Option<Entry>,
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
    /// Its place among the fields that must be there.
    pub(super) must: Option<u32>,
    /// Its bit in the first pass.
    pub(super) bit: u64,
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
    Bool(bool),
    Text(Box<Text>),
    List(Box<List>),
    Map(Box<Map>),
    Struct(u32),
    /// What is done with a value of a typedef, by its number.
    Shared(u32),
    /// Whatever else: the contract is asked.
    Test(Entry),
}

#[derive(Clone, Debug)]
pub(super) struct List {
    pub(super) size: Size,
    pub(super) element: WireType,
    pub(super) op: Op,
}

#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) size: Size,
    pub(super) types: (WireType, WireType),
    pub(super) key: Op,
    pub(super) value: Op,
}

/// How many elements a container may have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Within(Sizes),
    /// The contract is asked.
    Test(Entry),
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
    /// Whether nothing is asked of it but what its fields say each for itself.
    pub(super) fn is_plain(&self) -> bool {
        !self.free && self.relations.is_empty() && self.late.is_none()
    }
}

/// Makes what the quick walk runs.
pub(super) fn structs(plans: &Plans, limits: &Limits) -> Vec<Struct> {
    plans.all().iter().map(|plan| structure(plan, limits)).collect()
}

/// Makes what the quick walk runs for values of typedefs, which are containers.
pub(super) fn shared(plans: &Plans, limits: &Limits) -> Vec<Op> {
    plans.all_shared().iter().map(|step| op(step, WireType::Stop, limits)).collect()
}

fn structure(plan: &StructPlan, limits: &Limits) -> Struct {
    let before = std::iter::once(0).chain(plan.fields.iter().map(|(id, _)| *id));
    let mut fields: Vec<Field> = plan
        .fields
        .iter()
        .zip(before)
        .map(|((id, field), before)| Field {
            id: *id,
            ty: field.ty,
            head: FlatHead::new(field.ty, *id, before),
            slot: NONE,
            must: field.must,
            bit: field.must.and_then(|must| 1u64.checked_shl(must)).unwrap_or_default(),
            op: part(&field.step, field.ty, limits),
        })
        .collect();
    let relations = plan.relations.as_deref().and_then(|relations| compared(relations, &mut fields));
    let must_count = plan.musts.len() as u32;
    Struct {
        ids: ids(&fields),
        fields: fields.into(),
        free: plan.free,
        musts: 1u64.checked_shl(must_count).map_or(u64::MAX, |bit| bit - 1),
        must_count,
        late: if relations.is_some() { None } else { plan.late },
        relations: relations.unwrap_or_default(),
    }
}

/// Gives fields that are compared a place to be remembered in; `None` if there are too many.
fn compared(relations: &[Relation], fields: &mut [Field]) -> Option<Box<[Compared]>> {
    let mut taken = 0;
    let mut slot = |id: i16| {
        let field = fields.iter_mut().find(|field| field.id == id)?;
        if field.slot == NONE {
            field.slot = taken;
            taken += 1;
        }
        (usize::from(field.slot) < SLOTS).then_some(field.slot)
    };
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
fn part(step: &Step, ty: WireType, limits: &Limits) -> Op {
    match op(step, ty, limits) {
        Op::Skip => FlatRange::all(ty, limits.string).map_or(Op::Skip, Op::Range),
        op => op,
    }
}

fn op(step: &Step, ty: WireType, limits: &Limits) -> Op {
    match step {
        Step::Skip => Op::Skip,
        Step::Struct(id) => Op::Struct(id.0),
        Step::Shared(number) => Op::Shared(*number),
        Step::Test(own) => scalar_op(own, ty, limits).unwrap_or(Op::Test(own.entry)),
        Step::List { size, element, step } => Op::List(Box::new(List {
            size: container_size(size.as_ref(), Unit::Items),
            element: *element,
            op: op(step, *element, limits),
        })),
        Step::Map { size, types, key, value } => Op::Map(Box::new(Map {
            size: container_size(size.as_ref(), Unit::Properties),
            types: *types,
            key: part(key, types.0, limits),
            value: part(value, types.1, limits),
        })),
    }
}

fn scalar_op(own: &Own, ty: WireType, limits: &Limits) -> Option<Op> {
    Some(match ty {
        WireType::I8 | WireType::I16 | WireType::I32 | WireType::I64 => match scalar::ints(&own.rules)? {
            (_, _, Some(set)) => Op::IntSet(Box::new(set)),
            (least, most, None) => Op::Range(FlatRange::int(ty, least, most)?),
        },
        WireType::Double => {
            let (least, most) = scalar::doubles(&own.rules)?;
            Op::Range(FlatRange::double(least, most)?)
        }
        WireType::Bool => Op::Bool(scalar::truth(&own.rules)?),
        WireType::String => match scalar::text(&own.rules)? {
            text if text.tests.is_empty() => {
                let Sizes { least, most } = text.sizes;
                Op::Range(FlatRange::text(least, most.min(limits.string as usize))?)
            }
            text => Op::Text(Box::new(text)),
        },
        _ => return None,
    })
}

fn container_size(own: Option<&Own>, unit: Unit) -> Size {
    match own {
        None => Size::Within(Sizes::ALL),
        Some(own) => scalar::sizes(&own.rules, unit).map_or(Size::Test(own.entry), Size::Within),
    }
}
