//! Where a difference comes from: both contracts are walked side by side, and what changes the set is listed where it is written.

mod elements;
mod members;
mod remarks;
mod topic;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use contract::rules::Rule;
use contract::{
    Constant, Definitions, Form, IntWidth, Kinds, Object, Select, Shape, Tuple, Union, Unit, ValueKind,
};
use diagnostics::Span;

use crate::eval::holds;
use crate::lower::{Lowering, Reading, accepted};
use crate::model::{ComparedContract, Comparison, Difference, Flow, Level, SetRelation, proves};
use crate::solve::{Answer, Solver};
use crate::term::{MemberTerms, Sort, Term, TermId};

use topic::Topic;

/// How deep the walk goes.
const DEEPEST: usize = 48;
/// How many changes are listed.
const MOST: usize = 400;

/// A step from a value to a part of it, as changes name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeStep {
    /// The member of a name.
    Member(Box<str>),
    /// Every member that is not declared.
    Members,
    /// The element at a position.
    Item(usize),
    /// Every element of a list.
    Items,
}

/// A place where two contracts differ, with values that show it.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it is in values.
    pub path: Vec<ChangeStep>,
    /// The name of the comparison rule, which configurations and baselines use.
    pub rule: &'static str,
    /// How the sets relate there.
    pub relation: SetRelation,
    /// How much it matters.
    pub level: Level,
    /// What changed, in words.
    pub message: String,
    /// A whole value that only the old contract accepts because of it.
    pub lost: Option<Constant>,
    /// A whole value that only the new contract accepts because of it.
    pub gained: Option<Constant>,
    /// Where the old contract says it.
    pub old: Option<Span>,
    /// Where the new contract says it.
    pub new: Option<Span>,
    /// Where it is in the value that proves it, as a JSON pointer.
    pub pointer: String,
}

impl Change {
    /// The path in words: `$.a[*].b`.
    pub fn dotted(&self) -> String {
        dotted(&self.path)
    }
}

/// A path in words: `$.a[*].b`.
pub fn dotted(path: &[ChangeStep]) -> String {
    let mut text = "$".to_owned();
    for step in path {
        match step {
            ChangeStep::Member(name) => {
                let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !name.starts_with(|c: char| c.is_ascii_digit())
                    && !name.is_empty();
                match plain {
                    true => text.push_str(&format!(".{name}")),
                    false => text.push_str(&format!("['{}']", name.escape_debug())),
                }
            }
            ChangeStep::Members => text.push_str(".*"),
            ChangeStep::Item(at) => text.push_str(&format!("[{at}]")),
            ChangeStep::Items => text.push_str("[*]"),
        }
    }
    text
}

/// The terms of one shape: as what holds, and as what fails.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeTerms {
    pub(crate) holds: TermId,
    pub(crate) fails: TermId,
}

#[derive(Default)]
struct SideMemo {
    holds: HashMap<Arc<str>, TermId>,
    fails: HashMap<Arc<str>, TermId>,
}

/// What lies between the whole value and the part that is walked.
#[derive(Clone)]
struct Frame {
    step: ChangeStep,
    old: ShapeTerms,
    new: ShapeTerms,
}

pub(crate) struct Walker<'c, 't> {
    comparison: &'c Comparison<'c>,
    solver: Solver<'t>,
    old: SideMemo,
    new: SideMemo,
    frames: Vec<Frame>,
    changes: Vec<Change>,
    seen: HashSet<(usize, usize)>,
    /// Whether the member that is walked must be there in the new contract alone.
    required_now: bool,
}

/// A shape with what its references lead to laid out flat.
struct ShapeParts<'s> {
    nullable: bool,
    objects: Vec<&'s Object>,
    lists: Vec<ListPart<'s>>,
    /// The values of maps.
    maps: Vec<&'s Shape>,
    unions: Vec<&'s Union>,
    kinds: Kinds,
    width: Option<IntWidth>,
    rules: Vec<&'s Rule>,
    place: Option<Span>,
}

#[derive(Clone, Copy)]
enum ListPart<'s> {
    Each(&'s Shape),
    Tuple(&'s Tuple),
}

impl<'s> ShapeParts<'s> {
    fn of(shape: &'s Shape, definitions: &'s Definitions) -> ShapeParts<'s> {
        let mut parts = ShapeParts {
            nullable: false,
            objects: Vec::new(),
            lists: Vec::new(),
            maps: Vec::new(),
            unions: Vec::new(),
            kinds: accepted(shape, definitions, 0),
            width: None,
            rules: Vec::new(),
            place: shape.place,
        };
        parts.add(shape, definitions, 0);
        parts.nullable = shape.nullable;
        parts
    }

    fn add(&mut self, shape: &'s Shape, definitions: &'s Definitions, depth: usize) {
        self.rules.extend(shape.rules.iter());
        match &shape.form {
            Form::Object(object) => self.objects.push(object),
            Form::List(element) | Form::Set(element) => self.lists.push(ListPart::Each(element)),
            Form::Tuple(tuple) => self.lists.push(ListPart::Tuple(tuple)),
            Form::Map(_, value) => self.maps.push(value),
            Form::Union(union) if union.select == Select::Kind => {
                // One alternative for each kind is one shape with parts of several kinds.
                union.alternatives.iter().for_each(|part| self.add(part, definitions, depth));
            }
            Form::Union(union) => self.unions.push(union),
            Form::All(shapes) => shapes.iter().for_each(|part| self.add(part, definitions, depth)),
            Form::Ref(name) if depth < 64 => {
                if let Some(target) = definitions.get(name) {
                    self.add(target, definitions, depth + 1);
                }
            }
            Form::Int(width) => self.width = Some(*width),
            _ => {}
        }
    }
}

impl<'c, 't> Walker<'c, 't> {
    pub(crate) fn new(comparison: &'c Comparison<'c>, solver: Solver<'t>) -> Walker<'c, 't> {
        Walker {
            comparison,
            solver,
            old: SideMemo::default(),
            new: SideMemo::default(),
            frames: Vec::new(),
            changes: Vec::new(),
            seen: HashSet::new(),
            required_now: false,
        }
    }

    fn side(&self, of_old: bool) -> ComparedContract<'c> {
        if of_old { self.comparison.old } else { self.comparison.new }
    }

    /// Runs something over the lowering of a side.
    fn lowered(
        &mut self,
        of_old: bool,
        holds: bool,
        run: impl FnOnce(&mut Lowering<'_>) -> TermId,
    ) -> TermId {
        let side = self.side(of_old);
        let reading = match (self.comparison.flow, holds) {
            (Flow::Out, true) => Reading::Closed,
            (Flow::Out, false) => Reading::Open,
            _ => Reading::Written,
        };
        let memo = if of_old { &mut self.old } else { &mut self.new };
        let memo = if holds { &mut memo.holds } else { &mut memo.fails };
        let taken = std::mem::take(memo);
        let mut lowering =
            Lowering::new(self.solver.terms, side.definitions, side.folds_names, reading, side.describe);
        lowering.memo = taken;
        let term = run(&mut lowering);
        *memo = lowering.memo;
        term
    }

    /// The terms of a shape of one side.
    pub(crate) fn term(&mut self, of_old: bool, shape: &Shape) -> ShapeTerms {
        let holds = self.lowered(of_old, true, |lowering| lowering.shape(shape));
        match self.comparison.flow {
            Flow::Out => {
                let fails = self.lowered(of_old, false, |lowering| lowering.shape(shape));
                ShapeTerms { holds, fails }
            }
            _ => ShapeTerms { holds, fails: holds },
        }
    }

    /// What one set has and the other has not.
    pub(crate) fn minus(&mut self, holds: TermId, fails: TermId) -> Difference {
        self.solver.solve(vec![holds], vec![fails]).into()
    }

    /// The same among objects that have every member which the holding side declares.
    pub(crate) fn minus_in_full(&mut self, of_old: bool, holds: TermId, fails: TermId) -> Difference {
        let side = self.side(of_old);
        let Form::Object(object) = &side.shape.form else { return Difference::Unknown };
        let not_null = self.solver.terms.all_but(Sort::Null);
        let any = self.solver.terms.any();
        let mut wanted = vec![holds];
        for property in &object.properties {
            let name: Box<str> = property.name.as_str().into();
            let members = MemberTerms {
                names: vec![(name.clone(), not_null)],
                patterns: Vec::new(),
                rest: any,
                fold: side.folds_names,
            };
            let extra = [
                self.solver.terms.add(Term::Has(name, side.folds_names)),
                self.solver.terms.add(Term::Members(members)),
            ];
            // Where a member cannot be there for the difference, it stays away.
            let mut with = wanted.clone();
            with.extend(extra);
            if let Answer::Found(_) = self.solver.solve(with.clone(), vec![fails]) {
                wanted = with;
            }
        }
        self.solver.solve(wanted, vec![fails]).into()
    }

    /// The same without names that only the other declares.
    pub(crate) fn minus_known_names(&mut self, holds: TermId, fails: TermId) -> Difference {
        self.solver.no_new_names = true;
        let found = self.minus(holds, fails);
        self.solver.no_new_names = false;
        found
    }

    /// All changes, those that matter most first where they are at one place.
    pub(crate) fn changes(
        mut self,
        lost: &Difference,
        gained: &Difference,
        breaking: Option<bool>,
    ) -> Vec<Change> {
        let (old, new) = (self.comparison.old.shape, self.comparison.new.shape);
        self.walk(old, new, 0);
        let mut changes = std::mem::take(&mut self.changes);
        // A loss that no part explains is told of the whole.
        let explains = |of_old: bool, changes: &[Change]| {
            changes.iter().any(|change| if of_old { change.lost.is_some() } else { change.gained.is_some() })
        };
        let relation = SetRelation::of(lost, gained);
        let lacks_break = breaking == Some(true) && !changes.iter().any(|it| it.level == Level::Breaking);
        let lacks = |difference: &Difference, of_old: bool, changes: &[Change]| {
            matches!(difference, Difference::Some(_)) && !explains(of_old, changes)
        };
        if lacks_break
            || lacks(lost, true, &changes)
            || lacks(gained, false, &changes)
            || relation == SetRelation::Unknown
        {
            let value = |difference: &Difference| match difference {
                Difference::Some(value) => Some(value.clone()),
                _ => None,
            };
            let unknown = relation == SetRelation::Unknown;
            if lacks_break || !unknown || !changes.iter().any(|it| it.level == Level::Unknown) {
                let rule = match relation {
                    SetRelation::Unknown => "undecided",
                    SetRelation::Narrower => "type-narrowed",
                    SetRelation::Wider => "type-widened",
                    _ => "type-changed",
                };
                changes.push(Change {
                    path: Vec::new(),
                    rule,
                    relation,
                    level: self.level(value(lost).is_some(), value(gained).is_some(), unknown),
                    message: match unknown {
                        true => "the difference could not be found out".to_owned(),
                        false => "other values are accepted".to_owned(),
                    },
                    lost: value(lost),
                    gained: value(gained),
                    old: old.place,
                    new: new.place,
                    pointer: String::new(),
                });
            }
        }
        changes
    }

    fn level(&self, lost: bool, gained: bool, unknown: bool) -> Level {
        let broken = match self.comparison.flow {
            Flow::In => lost,
            Flow::Out => gained,
            Flow::Both => lost || gained,
        };
        match (broken, unknown) {
            (true, _) => Level::Breaking,
            (false, true) => Level::Unknown,
            (false, false) => Level::Info,
        }
    }

    fn walk(&mut self, old: &Shape, new: &Shape, depth: usize) {
        let target =
            |of_old: bool, shape| std::ptr::from_ref(followed(shape, self.side(of_old).definitions)) as usize;
        let key = (target(true, old), target(false, new));
        if depth > DEEPEST || self.changes.len() >= MOST {
            return;
        }
        let (old_terms, new_terms) = (self.term(true, old), self.term(false, new));
        if !self.seen.insert(key) {
            // What the same pair of definitions says was told where it began; null is said beside them.
            let parts = (
                ShapeParts::of(old, self.comparison.old.definitions),
                ShapeParts::of(new, self.comparison.new.definitions),
            );
            if old.nullable != new.nullable {
                self.nulls(&parts.0, &parts.1, old_terms, new_terms);
            }
            return;
        }
        self.remarks(old, new);
        let lost = self.minus(old_terms.holds, new_terms.fails);
        let gained = self.minus(new_terms.holds, old_terms.fails);
        let before = self.changes.len();
        let old_parts = ShapeParts::of(old, self.comparison.old.definitions);
        let new_parts = ShapeParts::of(new, self.comparison.new.definitions);
        let is_equal = (&lost, &gained) == (&Difference::None, &Difference::None);
        let told = match is_equal {
            true => 0,
            false => self.kinds(&old_parts, &new_parts, old_terms, new_terms),
        };
        self.objects(&old_parts, &new_parts, old_terms, new_terms, is_equal, depth);
        self.lists(&old_parts, &new_parts, old_terms, new_terms, is_equal, depth);
        if let ([was], [is]) = (old_parts.maps.as_slice(), new_parts.maps.as_slice()) {
            let (was, is) = (*was, *is);
            self.step(ChangeStep::Members, old_terms, new_terms, |walker| walker.walk(was, is, depth + 1));
        }
        if is_equal {
            self.discriminator(&old_parts, &new_parts);
            self.seen.remove(&key);
            return;
        }
        self.rules(&old_parts, &new_parts, old_terms, new_terms, told);
        self.variants(&old_parts, &new_parts, old_terms, new_terms, depth);
        let found = self.changes.get(before..).unwrap_or_default();
        let explained = |of_old: bool| {
            found.iter().any(|change| match of_old {
                true => matches!(change.relation, SetRelation::Narrower | SetRelation::Incomparable),
                false => matches!(change.relation, SetRelation::Wider | SetRelation::Incomparable),
            })
        };
        let (explained_lost, explained_gained) = (explained(true), explained(false));
        let open = |difference: &Difference, of_old: bool| {
            matches!(difference, Difference::Some(_)) && !explained(of_old)
        };
        let undecided = matches!(lost, Difference::Unknown) || matches!(gained, Difference::Unknown);
        if open(&lost, true) || open(&gained, false) || (undecided && found.is_empty()) {
            let rule = match SetRelation::of(&lost, &gained) {
                SetRelation::Unknown => "undecided",
                SetRelation::Narrower => "type-narrowed",
                SetRelation::Wider => "type-widened",
                _ => "type-changed",
            };
            let message = match undecided {
                true => "the difference could not be found out",
                false => "other values are accepted",
            };
            // What was explained is not told again.
            let left = |difference: Difference, told: bool| match difference {
                Difference::Some(_) if told => Difference::None,
                other => other,
            };
            let (lost, gained) = (left(lost, explained_lost), left(gained, explained_gained));
            let rule = match (&lost, &gained, undecided) {
                (Difference::Some(_), Difference::None, false) => "type-narrowed",
                (Difference::None, Difference::Some(_), false) => "type-widened",
                _ => rule,
            };
            self.add(rule, message.to_owned(), lost, gained, (old.place, new.place), None);
        }
        self.seen.remove(&key);
    }

    /// Adds a change of the part that is walked, with local values that prove it.
    fn add(
        &mut self,
        rule: &'static str,
        message: String,
        lost: Difference,
        gained: Difference,
        places: (Option<Span>, Option<Span>),
        level: Option<Level>,
    ) {
        let relation = SetRelation::of(&lost, &gained);
        let (has_lost, has_gained) =
            (matches!(lost, Difference::Some(_)), matches!(gained, Difference::Some(_)));
        let is_explicit = level.is_some();
        let (lost, lost_at) = self.whole(lost, true);
        let (gained, gained_at) = self.whole(gained, false);
        // What is no difference of the whole is none at all.
        if !is_explicit && (has_lost || has_gained) && lost.is_none() && gained.is_none() {
            return;
        }
        let level = level.unwrap_or_else(|| {
            self.level(lost.is_some(), gained.is_some(), relation == SetRelation::Unknown)
        });
        let relation = match (relation, is_explicit) {
            (SetRelation::Incomparable, false) if gained.is_none() => SetRelation::Narrower,
            (SetRelation::Incomparable, false) if lost.is_none() => SetRelation::Wider,
            (relation, _) => relation,
        };
        let pointer = if lost.is_some() { lost_at } else { gained_at };
        self.changes.push(Change {
            path: self.frames.iter().map(|frame| frame.step.clone()).collect(),
            rule,
            relation,
            level,
            message,
            lost,
            gained,
            old: places.0,
            new: places.1,
            pointer,
        });
    }

    /// A whole value with a part in it, if the checkers agree on it; and where the part is.
    fn whole(&mut self, part: Difference, of_old: bool) -> (Option<Constant>, String) {
        let mut pointer: Vec<String> = Vec::new();
        let Difference::Some(mut value) = part else {
            let pointer = self.frames.iter().map(|frame| match &frame.step {
                ChangeStep::Member(name) => escaped(name),
                ChangeStep::Members => "other".to_owned(),
                ChangeStep::Item(at) => at.to_string(),
                ChangeStep::Items => "0".to_owned(),
            });
            return (None, pointer.map(|step| format!("/{step}")).collect());
        };
        for frame in self.frames.clone().into_iter().rev() {
            let base = if of_old { frame.old.holds } else { frame.new.holds };
            let only = self.solver.terms.values(std::slice::from_ref(&value));
            let any = self.solver.terms.any();
            let (wanted, step) = match &frame.step {
                ChangeStep::Member(name) => {
                    let fold = self.side(of_old).folds_names;
                    let members = MemberTerms {
                        names: vec![(name.clone(), only)],
                        patterns: Vec::new(),
                        rest: any,
                        fold,
                    };
                    let has = self.solver.terms.add(Term::Has(name.clone(), fold));
                    let object = self.solver.terms.sort(Sort::Object);
                    (vec![self.solver.terms.add(Term::Members(members)), has, object], escaped(name))
                }
                ChangeStep::Members => {
                    // Some member is that value.
                    let not = self.solver.terms.not(only);
                    let members =
                        MemberTerms { names: Vec::new(), patterns: Vec::new(), rest: not, fold: false };
                    let none = self.solver.terms.add(Term::Members(members));
                    let object = self.solver.terms.sort(Sort::Object);
                    (vec![self.solver.terms.not(none), object], String::new())
                }
                ChangeStep::Item(at) => {
                    let mut first = vec![any; *at];
                    first.push(only);
                    let items = self.solver.terms.add(Term::Items(first, any));
                    let long = self.solver.terms.add(Term::Length(Unit::Items, at + 1, None));
                    let list = self.solver.terms.sort(Sort::List);
                    (vec![items, long, list], at.to_string())
                }
                ChangeStep::Items => {
                    let list = self.solver.terms.sort(Sort::List);
                    (vec![self.solver.terms.add(Term::Contains(only, 1, None)), list], String::new())
                }
            };
            let mut holds = vec![base];
            holds.extend(wanted);
            // The rest is as both accept it, where that can be.
            let found = self.solver.solve(holds, Vec::new());
            match found {
                Answer::Found(whole) => {
                    let step = match &frame.step {
                        ChangeStep::Items | ChangeStep::Members => position_of(&whole, &value),
                        _ => step,
                    };
                    pointer.push(step);
                    value = whole;
                }
                _ => return (None, String::new()),
            }
        }
        let pointer: String = pointer.iter().rev().map(|step| format!("/{step}")).collect();
        match proves(self.comparison, of_old, &value) {
            true => (Some(value), pointer),
            false => (None, pointer),
        }
    }

    /// Null, where it comes or goes alone.
    fn nulls(&mut self, old: &ShapeParts<'_>, new: &ShapeParts<'_>, a: ShapeTerms, b: ShapeTerms) -> u8 {
        let places = (old.place, new.place);
        let mut told = 0;
        let null =
            |walker: &Self, term: TermId| holds(walker.solver.terms, term, &Constant::Null) == Some(true);
        let (was, is) = (null(self, a.holds), null(self, b.holds));
        // Where other kinds come or go as well, null is one of them.
        let alone = match is {
            true => sorts_without(without_null(new.kinds), without_null(old.kinds)).is_empty(),
            false => sorts_without(without_null(old.kinds), without_null(new.kinds)).is_empty(),
        };
        if was != is && alone {
            told = Sort::Null.bit();
            let proof = Difference::Some(Constant::Null);
            match is {
                true => self.add(
                    "null-accepted",
                    "null is accepted".to_owned(),
                    Difference::None,
                    proof,
                    places,
                    None,
                ),
                false => self.add(
                    "null-refused",
                    "null is not accepted any more".to_owned(),
                    proof,
                    Difference::None,
                    places,
                    None,
                ),
            }
        }
        told
    }

    /// Null, and the other kinds; the kinds that were told of.
    fn kinds(&mut self, old: &ShapeParts<'_>, new: &ShapeParts<'_>, a: ShapeTerms, b: ShapeTerms) -> u8 {
        let places = (old.place, new.place);
        let mut told = self.nulls(old, new, a, b);
        let (was, is) = (without_null(old.kinds), without_null(new.kinds));
        let (gone, come) = (sorts_without(was, is), sorts_without(is, was));
        let is_whole = |parts: &ShapeParts<'_>| parts.width.is_some();
        let both_numbers = was.contains(ValueKind::Int) && is.contains(ValueKind::Int);
        let whole = both_numbers && is_whole(old) != is_whole(new);
        // Of two unions, the alternatives say more.
        let unions = old.unions.len() == 1 && new.unions.len() == 1;
        if (gone.is_empty() && come.is_empty() && !whole) || unions {
            return told;
        }
        let of_kinds = |walker: &mut Self, kinds: &BTreeSet<ValueKind>, holds: TermId, fails: TermId| {
            let bits = bits_of(kinds);
            if bits == 0 {
                return Difference::None;
            }
            let sorts = walker.solver.terms.add(Term::Sorts(bits));
            walker.solver.solve(vec![sorts, holds], vec![fails]).into()
        };
        let mut lost = of_kinds(self, &gone, a.holds, b.fails);
        let mut gained = of_kinds(self, &come, b.holds, a.fails);
        if whole {
            let number = self.solver.terms.add(Term::Sorts(4));
            let fraction = self.solver.terms.add(Term::Whole);
            if is_whole(new) && lost == Difference::None {
                lost = self.solver.solve(vec![number, a.holds], vec![fraction]).into();
            }
            if is_whole(old) && gained == Difference::None {
                gained = self.solver.solve(vec![number, b.holds], vec![fraction]).into();
            }
        }
        let rule = match SetRelation::of(&lost, &gained) {
            SetRelation::Narrower => "type-narrowed",
            SetRelation::Wider => "type-widened",
            SetRelation::Equal => return told,
            _ => "type-changed",
        };
        told |= bits_of(&gone) | bits_of(&come);
        let named = |kinds: Kinds, whole: bool| match whole && kinds == Kinds::NUMBERS {
            true => "integer".to_owned(),
            false => kinds.to_string(),
        };
        let message = format!("was {} and is {}", named(was, is_whole(old)), named(is, is_whole(new)));
        self.add(rule, message, lost, gained, places, None);
        told
    }

    /// Rules of one sort at a time: what the old shape accepts and the new rules refuse, and the other way round.
    /// Values of kinds that were told of before say nothing more.
    fn rules(&mut self, old: &ShapeParts<'_>, new: &ShapeParts<'_>, a: ShapeTerms, b: ShapeTerms, told: u8) {
        let told = self.solver.terms.add(Term::Sorts(told));
        let others = self.solver.terms.not(told);
        for topic in Topic::ALL {
            let of = |parts: &ShapeParts<'_>| -> Vec<Rule> {
                parts
                    .rules
                    .iter()
                    .filter(|rule| Topic::of(&rule.test) == Some(topic))
                    .map(|it| (*it).clone())
                    .collect()
            };
            let (mut was, mut is) = (of(old), of(new));
            if topic == Topic::Names {
                // That of alternatives in a Thrift file nobody wrote: its fields say it.
                was.retain(|rule| rule.place.is_some());
                is.retain(|rule| rule.place.is_some());
            }
            if was.is_empty() && is.is_empty() {
                continue;
            }
            let as_shape = |rules: &[Rule]| rules.iter().cloned().fold(Shape::any(), Shape::rule);
            let was_terms = self.term(true, &as_shape(&was));
            let is_terms = self.term(false, &as_shape(&is));
            if was_terms.holds == is_terms.holds {
                continue;
            }
            // A value that breaks this and nothing else is easier to read.
            let lost = self.broken_by([a.holds, others], b.fails, is_terms.fails, &is, new, false);
            let gained = self.broken_by([b.holds, others], a.fails, was_terms.fails, &was, old, true);
            let relation = SetRelation::of(&lost, &gained);
            if relation == SetRelation::Equal {
                continue;
            }
            let places = (
                was.iter().find_map(|rule| rule.place).or(old.place),
                is.iter().find_map(|rule| rule.place).or(new.place),
            );
            let rule = topic.rule(relation, was.is_empty(), is.is_empty());
            let message = topic.message(&was, &is);
            // Values that go and values that come are two changes.
            if topic == Topic::Values && relation == SetRelation::Incomparable {
                self.add("value-removed", message.clone(), lost, Difference::None, places, None);
                self.add("value-added", message, Difference::None, gained, places, None);
            } else {
                self.add(rule, message, lost, gained, places, None);
            }
        }
    }

    fn broken_by(
        &mut self,
        [holds, sorts]: [TermId; 2],
        other: TermId,
        rules: TermId,
        these: &[Rule],
        parts: &ShapeParts<'_>,
        of_old: bool,
    ) -> Difference {
        let others: Vec<Rule> =
            parts.rules.iter().filter(|rule| !these.contains(rule)).map(|rule| (*rule).clone()).collect();
        let others = others.into_iter().fold(Shape::any(), Shape::rule);
        let others = self.term(of_old, &others).fails;
        // It is refused as a whole, too: what is said beside these rules may let it pass.
        match self.solver.solve(vec![holds, sorts, others], vec![rules, other]) {
            Answer::Found(value) => Difference::Some(value),
            _ => self.solver.solve(vec![holds, sorts], vec![rules, other]).into(),
        }
    }

    fn step<T>(
        &mut self,
        step: ChangeStep,
        old: ShapeTerms,
        new: ShapeTerms,
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.frames.push(Frame { step, old, new });
        let result = run(self);
        self.frames.pop();
        result
    }
}

/// The shape that a reference leads to, if nothing else is said beside it.
fn followed<'s>(shape: &'s Shape, definitions: &'s Definitions) -> &'s Shape {
    let mut here = shape;
    for _ in 0..64 {
        let Form::Ref(name) = &here.form else { break };
        match definitions.get(name) {
            Some(target) if here.rules.iter().next().is_none() => here = target,
            _ => break,
        }
    }
    here
}

fn without_null(kinds: Kinds) -> Kinds {
    kinds.without(ValueKind::Null.into()).without(ValueKind::Bytes.into())
}

/// Kinds as the bits of their sorts.
fn bits_of(kinds: &BTreeSet<ValueKind>) -> u8 {
    kinds.iter().fold(0, |bits, kind| {
        bits | match kind {
            ValueKind::Bool => Sort::Bool.bit(),
            ValueKind::Int | ValueKind::Float => Sort::Number.bit(),
            ValueKind::Text => Sort::Text.bit(),
            ValueKind::List => Sort::List.bit(),
            ValueKind::Object => Sort::Object.bit(),
            _ => 0,
        }
    })
}

/// The kinds of one set that another has not, integers and numbers being one.
fn sorts_without(of: Kinds, without: Kinds) -> BTreeSet<ValueKind> {
    let sorts = |kinds: Kinds| {
        kinds.iter().map(|kind| match kind {
            ValueKind::Int => ValueKind::Float,
            other => other,
        })
    };
    sorts(of).filter(|kind| !sorts(without).any(|it| it == *kind)).collect()
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The step of a pointer that leads to a part.
fn position_of(whole: &Constant, part: &Constant) -> String {
    let key = crate::term::canonical(part);
    match whole {
        Constant::List(items) => {
            items.iter().position(|item| crate::term::canonical(item) == key).unwrap_or(0).to_string()
        }
        Constant::Object(members) => members
            .iter()
            .find(|(_, value)| crate::term::canonical(value) == key)
            .map(|(name, _)| escaped(&crate::eval::key_text(name)))
            .unwrap_or_default(),
        _ => String::new(),
    }
}
