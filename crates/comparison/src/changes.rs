//! Where a difference comes from: both contracts are walked side by side, and what changes the set is listed where it is written.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use contract::rules::{Rule, Test};
use contract::{
    Additional, Constant, Definitions, Form, IntWidth, Kinds, Object, Select, Shape, Tuple, Union, Unit,
    ValueKind,
};
use diagnostics::Span;

use crate::compare::{Comparison, Difference, Flow, Level, Relation, Side, proves};
use crate::eval::holds;
use crate::lower::{Lowering, Reading, accepted};
use crate::solve::{Answer, Solver};
use crate::term::{MemberTerms, Sort, Term, TermId, same_name};

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
    /// Every element.
    Items,
}

/// One change.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where it is in values.
    pub path: Vec<ChangeStep>,
    /// Its name.
    pub rule: &'static str,
    /// How the sets relate there.
    pub relation: Relation,
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
        let mut text = "$".to_owned();
        for step in &self.path {
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
}

/// A shape with what its references lead to laid out flat.
struct Parts<'s> {
    nullable: bool,
    objects: Vec<&'s Object>,
    lists: Vec<ListPart<'s>>,
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

impl<'s> Parts<'s> {
    fn of(shape: &'s Shape, definitions: &'s Definitions) -> Parts<'s> {
        let mut parts = Parts {
            nullable: false,
            objects: Vec::new(),
            lists: Vec::new(),
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
        }
    }

    fn side(&self, of_old: bool) -> Side<'c> {
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
        let relation = Relation::of(lost, gained);
        let lacks_break = breaking == Some(true) && !changes.iter().any(|it| it.level == Level::Breaking);
        let lacks = |difference: &Difference, of_old: bool, changes: &[Change]| {
            matches!(difference, Difference::Some(_)) && !explains(of_old, changes)
        };
        if lacks_break
            || lacks(lost, true, &changes)
            || lacks(gained, false, &changes)
            || relation == Relation::Unknown
        {
            let value = |difference: &Difference| match difference {
                Difference::Some(value) => Some(value.clone()),
                _ => None,
            };
            let unknown = relation == Relation::Unknown;
            if lacks_break || !unknown || !changes.iter().any(|it| it.level == Level::Unknown) {
                let rule = match relation {
                    Relation::Unknown => "undecided",
                    Relation::Narrower => "type-narrowed",
                    Relation::Wider => "type-widened",
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
        let key = (std::ptr::from_ref(old) as usize, std::ptr::from_ref(new) as usize);
        if depth > DEEPEST || self.changes.len() >= MOST || !self.seen.insert(key) {
            return;
        }
        let (old_terms, new_terms) = (self.term(true, old), self.term(false, new));
        self.remarks(old, new);
        let lost = self.minus(old_terms.holds, new_terms.fails);
        let gained = self.minus(new_terms.holds, old_terms.fails);
        let before = self.changes.len();
        let old_parts = Parts::of(old, self.comparison.old.definitions);
        let new_parts = Parts::of(new, self.comparison.new.definitions);
        let is_equal = (&lost, &gained) == (&Difference::None, &Difference::None);
        if !is_equal {
            self.kinds(&old_parts, &new_parts, old_terms, new_terms);
        }
        self.objects(&old_parts, &new_parts, old_terms, new_terms, is_equal, depth);
        self.lists(&old_parts, &new_parts, old_terms, new_terms, is_equal, depth);
        if is_equal {
            self.seen.remove(&key);
            return;
        }
        self.rules(&old_parts, &new_parts, old_terms, new_terms);
        self.variants(&old_parts, &new_parts, old_terms, new_terms, depth);
        let found = self.changes.get(before..).unwrap_or_default();
        let explained = |of_old: bool| {
            found.iter().any(|change| match of_old {
                true => matches!(change.relation, Relation::Narrower | Relation::Incomparable),
                false => matches!(change.relation, Relation::Wider | Relation::Incomparable),
            })
        };
        let open = |difference: &Difference, of_old: bool| {
            matches!(difference, Difference::Some(_)) && !explained(of_old)
        };
        let undecided = matches!(lost, Difference::Unknown) || matches!(gained, Difference::Unknown);
        if open(&lost, true) || open(&gained, false) || (undecided && found.is_empty()) {
            let rule = match Relation::of(&lost, &gained) {
                Relation::Unknown => "undecided",
                Relation::Narrower => "type-narrowed",
                Relation::Wider => "type-widened",
                _ => "type-changed",
            };
            let message = match undecided {
                true => "the difference could not be found out",
                false => "other values are accepted",
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
        let relation = Relation::of(&lost, &gained);
        let (has_lost, has_gained) =
            (matches!(lost, Difference::Some(_)), matches!(gained, Difference::Some(_)));
        let level = level.unwrap_or_else(|| self.level(has_lost, has_gained, relation == Relation::Unknown));
        let (lost, lost_at) = self.whole(lost, true);
        let (gained, gained_at) = self.whole(gained, false);
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

    /// What is said besides what values are accepted.
    fn remarks(&mut self, old: &Shape, new: &Shape) {
        let places = (old.place, new.place);
        let none = || (Difference::None, Difference::None);
        let secret = old.secret || new.secret;
        match (&old.default, &new.default) {
            (Some(a), Some(b)) if a != b => {
                let message = match secret {
                    true => "the default is another value".to_owned(),
                    false => format!("the default was `{a}` and is `{b}`"),
                };
                let (lost, gained) = none();
                self.add("default-changed", message, lost, gained, places, Some(Level::Warning));
            }
            (Some(_), None) => {
                let (lost, gained) = none();
                let message = "nothing stands in for an absent value any more".to_owned();
                self.add("default-removed", message, lost, gained, places, Some(Level::Warning));
            }
            _ => {}
        }
        if old.secret != new.secret {
            let (lost, gained) = none();
            let message = match new.secret {
                true => "the value is a secret now",
                false => "the value is no secret any more",
            };
            self.add("secure-changed", message.to_owned(), lost, gained, places, Some(Level::Info));
        }
        if let (Some(a), Some(b)) = (&old.description, &new.description)
            && a != b
        {
            let (lost, gained) = none();
            self.add(
                "description",
                "the description changed".to_owned(),
                lost,
                gained,
                places,
                Some(Level::Info),
            );
        }
    }

    /// Null, and the other kinds.
    fn kinds(&mut self, old: &Parts<'_>, new: &Parts<'_>, a: ShapeTerms, b: ShapeTerms) {
        let places = (old.place, new.place);
        let null =
            |walker: &Self, term: TermId| holds(walker.solver.terms, term, &Constant::Null) == Some(true);
        let (was, is) = (null(self, a.holds), null(self, b.holds));
        let no_null = |kinds: Kinds| kinds.without(ValueKind::Null.into()).without(ValueKind::Bytes.into());
        // Where other kinds come or go as well, null is one of them.
        let alone = match is {
            true => sorts_without(no_null(new.kinds), no_null(old.kinds)).is_empty(),
            false => sorts_without(no_null(old.kinds), no_null(new.kinds)).is_empty(),
        };
        if was != is && alone {
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
        let (was, is) = (no_null(old.kinds), no_null(new.kinds));
        let (gone, come) = (sorts_without(was, is), sorts_without(is, was));
        let is_whole = |parts: &Parts<'_>| parts.width.is_some();
        let both_numbers = was.contains(ValueKind::Int) && is.contains(ValueKind::Int);
        let whole = both_numbers && is_whole(old) != is_whole(new);
        // Of two unions, the alternatives say more.
        let unions = old.unions.len() == 1 && new.unions.len() == 1;
        if (gone.is_empty() && come.is_empty() && !whole) || unions {
            return;
        }
        let of_kinds = |walker: &mut Self, kinds: &BTreeSet<ValueKind>, holds: TermId, fails: TermId| {
            let bits = kinds.iter().fold(0, |bits, kind| {
                bits | match kind {
                    ValueKind::Bool => 2,
                    ValueKind::Int | ValueKind::Float => 4,
                    ValueKind::Text => 8,
                    ValueKind::List => 16,
                    ValueKind::Object => 32,
                    _ => 0,
                }
            });
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
        let rule = match Relation::of(&lost, &gained) {
            Relation::Narrower => "type-narrowed",
            Relation::Wider => "type-widened",
            Relation::Equal => return,
            _ => "type-changed",
        };
        let named = |kinds: Kinds, whole: bool| match whole && kinds == Kinds::NUMBERS {
            true => "integer".to_owned(),
            false => kinds.to_string(),
        };
        let message = format!("was {} and is {}", named(was, is_whole(old)), named(is, is_whole(new)));
        self.add(rule, message, lost, gained, places, None);
    }

    /// Rules of one sort at a time: what the old shape accepts and the new rules refuse, and the other way round.
    fn rules(&mut self, old: &Parts<'_>, new: &Parts<'_>, a: ShapeTerms, b: ShapeTerms) {
        for topic in Topic::ALL {
            let of = |parts: &Parts<'_>| -> Vec<Rule> {
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
            let lost = self.broken_by(a.holds, b.fails, is_terms.fails, &is, new, false);
            let gained = self.broken_by(b.holds, a.fails, was_terms.fails, &was, old, true);
            let relation = Relation::of(&lost, &gained);
            if relation == Relation::Equal {
                continue;
            }
            let places = (
                was.iter().find_map(|rule| rule.place).or(old.place),
                is.iter().find_map(|rule| rule.place).or(new.place),
            );
            let rule = topic.rule(relation, was.is_empty(), is.is_empty());
            let message = topic.message(&was, &is);
            // Values that go and values that come are two changes.
            if topic == Topic::Values && relation == Relation::Incomparable {
                self.add("value-removed", message.clone(), lost, Difference::None, places, None);
                self.add("value-added", message, Difference::None, gained, places, None);
            } else {
                self.add(rule, message, lost, gained, places, None);
            }
        }
    }

    fn broken_by(
        &mut self,
        holds: TermId,
        other: TermId,
        rules: TermId,
        these: &[Rule],
        parts: &Parts<'_>,
        of_old: bool,
    ) -> Difference {
        let others: Vec<Rule> =
            parts.rules.iter().filter(|rule| !these.contains(rule)).map(|rule| (*rule).clone()).collect();
        let others = others.into_iter().fold(Shape::any(), Shape::rule);
        let others = self.term(of_old, &others).fails;
        match self.solver.solve(vec![holds, others], vec![rules]) {
            Answer::Found(value) => Difference::Some(value),
            _ => match self.solver.solve(vec![holds], vec![rules]) {
                Answer::Found(value)
                    if crate::eval::holds(self.solver.terms, other, &value) != Some(true) =>
                {
                    Difference::Some(value)
                }
                Answer::Found(_) => Difference::None,
                answer => answer.into(),
            },
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

    fn objects(
        &mut self,
        old: &Parts<'_>,
        new: &Parts<'_>,
        a: ShapeTerms,
        b: ShapeTerms,
        is_equal: bool,
        depth: usize,
    ) {
        let ([was], [is]) = (old.objects.as_slice(), new.objects.as_slice()) else { return };
        let (was, is) = (*was, *is);
        let fold = self.comparison.old.folds_names && self.comparison.new.folds_names;
        let noun = if self.frames.is_empty() { self.comparison.noun } else { "property" };
        let any = Shape::any();
        for property in &was.properties {
            let other = is.properties.iter().find(|it| same_name(&it.name, &property.name, fold));
            let name: Box<str> = property.name.as_str().into();
            let places =
                (property.place.or(property.shape.place), other.and_then(|it| it.place.or(it.shape.place)));
            match other {
                Some(other) => {
                    self.step(ChangeStep::Member(name.clone()), a, b, |walker| {
                        if !property.undeclared && !other.undeclared {
                            walker.walk(&property.shape, &other.shape, depth + 1);
                        }
                    });
                    self.numbers(property, other, places);
                    if is_equal || property.required == other.required {
                        continue;
                    }
                    self.presence(&name, property.required, noun, a, b, places);
                }
                None if property.undeclared => {
                    if property.required && !is_equal {
                        self.presence(&name, true, noun, a, b, places);
                    }
                }
                None => {
                    let renamed = is.properties.iter().find(|it| {
                        property.tag.is_some()
                            && it.tag == property.tag
                            && !was.properties.iter().any(|known| known.name == it.name)
                    });
                    if let Some(renamed) = renamed {
                        let message = format!("`{name}` is called `{}`", renamed.name);
                        let places = (places.0, renamed.place);
                        let (lost, gained) = (Difference::None, Difference::None);
                        self.add("field-renamed", message, lost, gained, places, Some(Level::Warning));
                    }
                    self.gone(&name, property, is, noun, (a, b), places, is_equal, depth);
                }
            }
        }
        for property in &is.properties {
            if was.properties.iter().any(|it| same_name(&it.name, &property.name, fold)) {
                continue;
            }
            let name: Box<str> = property.name.as_str().into();
            let places = (old.place, property.place.or(property.shape.place));
            if property.required && !is_equal {
                self.presence(&name, false, noun, a, b, places);
            }
            if property.undeclared {
                continue;
            }
            self.come(&name, property, was, noun, (a, b), places, is_equal, depth);
        }
        if is_equal {
            return;
        }
        self.rest(was, is, (a, b), (old.place, new.place), &any, depth);
    }

    /// What the wire says of a field besides its name: its number, and how wide its integers are.
    fn numbers(
        &mut self,
        was: &contract::Property,
        is: &contract::Property,
        places: (Option<Span>, Option<Span>),
    ) {
        let (Some(a), Some(b)) = (was.tag, is.tag) else { return };
        let none = || (Difference::None, Difference::None);
        let wire = |shape: &Shape| match &shape.form {
            Form::Bool => "bool".to_owned(),
            Form::Int(width) => format!("{width:?}").to_ascii_lowercase(),
            Form::Enum(_) => "i32".to_owned(),
            Form::Number => "double".to_owned(),
            Form::Text | Form::Bytes => "string".to_owned(),
            Form::List(_) => "list".to_owned(),
            Form::Set(_) => "set".to_owned(),
            Form::Map(..) => "map".to_owned(),
            _ => String::new(),
        };
        let (x, y) = (wire(&was.shape), wire(&is.shape));
        if a != b {
            let message = format!("`{}` has the number {b}, and had {a}", is.name);
            let (lost, gained) = none();
            self.add("field-id-changed", message, lost, gained, places, Some(Level::Breaking));
        } else if x != y && !x.is_empty() && !y.is_empty() {
            let message = format!("`{}` is {y} on the wire, and was {x}", is.name);
            let (lost, gained) = none();
            self.add("wire-type-changed", message, lost, gained, places, Some(Level::Breaking));
        } else {
            return;
        }
        if let Some(change) = self.changes.last_mut() {
            change.path.push(ChangeStep::Member(is.name.as_str().into()));
            change.relation = Relation::Incomparable;
        }
    }

    /// A member that must be there in one of the two, and need not in the other.
    fn presence(
        &mut self,
        name: &str,
        was: bool,
        noun: &'static str,
        a: ShapeTerms,
        b: ShapeTerms,
        places: (Option<Span>, Option<Span>),
    ) {
        let fold = self.side(was).folds_names;
        let has = self.solver.terms.add(Term::Has(name.into(), fold));
        let (lost, gained) = match was {
            true => (Difference::None, self.solver.solve(vec![b.holds], vec![has]).into()),
            false => (self.solver.solve(vec![a.holds], vec![has]).into(), Difference::None),
        };
        if (&lost, &gained) == (&Difference::None, &Difference::None) {
            return;
        }
        let rule = match (noun, was) {
            ("parameter", true) => "parameter-optional",
            ("parameter", false) => "parameter-required",
            ("output", true) => "output-optional",
            ("output", false) => "output-required",
            (_, true) => "property-optional",
            (_, false) => "property-required",
        };
        let message = match was {
            true => format!("`{name}` may be absent"),
            false => format!("`{name}` must be there"),
        };
        let before = self.changes.len();
        self.add(rule, message, lost, gained, places, None);
        if let Some(change) = self.changes.get_mut(before) {
            change.path.push(ChangeStep::Member(name.into()));
        }
    }

    /// A member that only the old shape declares.
    #[expect(clippy::too_many_arguments, reason = "both sides, their terms and their places")]
    fn gone(
        &mut self,
        name: &str,
        property: &contract::Property,
        is: &Object,
        noun: &'static str,
        (a, b): (ShapeTerms, ShapeTerms),
        places: (Option<Span>, Option<Span>),
        is_equal: bool,
        depth: usize,
    ) {
        let matched = is.patterns.iter().find(|(pattern, _)| pattern.is_match(name.as_bytes()));
        let other = match (matched, &is.additional) {
            (Some((_, shape)), _) => Some(shape),
            (None, Additional::Shape(shape)) => Some(&**shape),
            (None, Additional::Open | Additional::Closed) => None,
        };
        if let Some(other) = other {
            return self.step(ChangeStep::Member(name.into()), a, b, |walker| {
                walker.walk(&property.shape, other, depth + 1);
            });
        }
        let own = self.term(true, &property.shape);
        let closed = matches!(is.additional, Additional::Closed) || noun == "parameter";
        let (rule, level) = match (noun, closed) {
            ("parameter", _) => ("parameter-removed", None),
            ("output", _) => ("output-removed", None),
            ("exception", _) => ("exception-removed", None),
            (_, true) => ("property-removed", None),
            // What was declared and is not is only accepted and not read.
            (_, false) if self.comparison.flow == Flow::In => ("property-forgotten", Some(Level::Warning)),
            (_, false) => ("property-forgotten", None),
        };
        let message = format!("`{name}` is not declared any more");
        self.step(ChangeStep::Member(name.into()), a, b, |walker| {
            let any = walker.solver.terms.any();
            let (lost, gained) = match (closed, walker.comparison.flow) {
                (true, Flow::Out) | (false, _) => {
                    let lost = Difference::None;
                    let gained = match (walker.comparison.flow, property.required) {
                        (Flow::Out, _) => Difference::None,
                        _ => walker.solver.solve(vec![any], vec![own.fails]).into(),
                    };
                    (lost, gained)
                }
                (true, _) => (walker.solver.solve(vec![own.holds], Vec::new()).into(), Difference::None),
            };
            if is_equal && level.is_none() {
                return;
            }
            walker.add(rule, message.clone(), lost, gained, places, level);
        });
        if property.required && !is_equal {
            // A value without it was refused.
            let fold = self.side(true).folds_names;
            let has = self.solver.terms.add(Term::Has(name.into(), fold));
            let gained: Difference = self.solver.solve(vec![b.holds], vec![has]).into();
            let Some(at) = self.changes.len().checked_sub(1) else { return };
            let proof = self.whole(gained.clone(), false).0;
            let (flow, strict) = (self.comparison.flow, matches!(gained, Difference::Some(_)));
            if let Some(change) = self.changes.get_mut(at)
                && strict
            {
                change.relation = match change.relation {
                    Relation::Narrower => Relation::Incomparable,
                    Relation::Equal => Relation::Wider,
                    other => other,
                };
                if change.gained.is_none() {
                    change.gained = proof;
                }
                if flow != Flow::In {
                    change.level = Level::Breaking;
                }
            }
        }
    }

    /// A member that only the new shape declares.
    #[expect(clippy::too_many_arguments, reason = "both sides, their terms and their places")]
    fn come(
        &mut self,
        name: &str,
        property: &contract::Property,
        was: &Object,
        noun: &'static str,
        (a, b): (ShapeTerms, ShapeTerms),
        places: (Option<Span>, Option<Span>),
        is_equal: bool,
        depth: usize,
    ) {
        let matched = was.patterns.iter().find(|(pattern, _)| pattern.is_match(name.as_bytes()));
        let other = match (matched, &was.additional) {
            (Some((_, shape)), _) => Some(shape),
            (None, Additional::Shape(shape)) => Some(&**shape),
            (None, Additional::Open | Additional::Closed) => None,
        };
        if let Some(other) = other {
            return self.step(ChangeStep::Member(name.into()), a, b, |walker| {
                walker.walk(other, &property.shape, depth + 1);
            });
        }
        if is_equal {
            return;
        }
        let own = self.term(false, &property.shape);
        let open = matches!(was.additional, Additional::Open) && noun != "parameter";
        let declares = was.properties.iter().any(|it| !it.undeclared);
        let (rule, level) = match (noun, open) {
            ("parameter", _) => ("parameter-added", None),
            ("output", _) => ("output-added", None),
            ("exception", _) => ("exception-added", None),
            (_, false) => ("property-added", None),
            (_, true) => {
                let mild = declares && !self.comparison.strict && self.comparison.flow != Flow::Out;
                ("property-declared", mild.then_some(Level::Warning))
            }
        };
        let message = format!("`{name}` is declared");
        self.step(ChangeStep::Member(name.into()), a, b, |walker| {
            let any = walker.solver.terms.any();
            let (lost, gained) = match (open, walker.comparison.flow) {
                // A reader of an answer does not know the exception.
                (_, Flow::Out) if noun == "exception" => {
                    (Difference::None, walker.solver.solve(vec![own.holds], Vec::new()).into())
                }
                (_, Flow::Out) => (Difference::None, Difference::None),
                (true, _) => (walker.solver.solve(vec![any], vec![own.fails]).into(), Difference::None),
                (false, _) => (Difference::None, walker.solver.solve(vec![own.holds], Vec::new()).into()),
            };
            let nothing = (&lost, &gained) == (&Difference::None, &Difference::None);
            let level = if nothing { Some(Level::Info) } else { level };
            if !(nothing && open) || noun != "property" {
                walker.add(rule, message, lost, gained, places, level);
            }
        });
    }

    /// What is said of all other members.
    fn rest(
        &mut self,
        was: &Object,
        is: &Object,
        (a, b): (ShapeTerms, ShapeTerms),
        places: (Option<Span>, Option<Span>),
        any: &Shape,
        depth: usize,
    ) {
        match (&was.additional, &is.additional) {
            (Additional::Shape(was), Additional::Shape(is)) => {
                self.step(ChangeStep::Members, a, b, |walker| walker.walk(was, is, depth + 1));
            }
            (Additional::Open, Additional::Shape(is)) => {
                self.step(ChangeStep::Members, a, b, |walker| walker.walk(any, is, depth + 1));
            }
            (Additional::Shape(was), Additional::Open) => {
                self.step(ChangeStep::Members, a, b, |walker| walker.walk(was, any, depth + 1));
            }
            (Additional::Closed, Additional::Closed) | (Additional::Open, Additional::Open) => {}
            (_, Additional::Closed) if self.comparison.flow != Flow::Out => {
                let names = self.names_of(is, false);
                let lost = self.solver.solve(vec![a.holds], vec![names]).into();
                if lost != Difference::None {
                    let message = "properties that are not declared are refused".to_owned();
                    self.add("object-closed", message, lost, Difference::None, places, None);
                }
            }
            (Additional::Closed, _) if self.comparison.flow != Flow::Out => {
                let names = self.names_of(was, true);
                let gained = self.solver.solve(vec![b.holds], vec![names]).into();
                if gained != Difference::None {
                    let message = "properties that are not declared are accepted".to_owned();
                    self.add("object-opened", message, Difference::None, gained, places, None);
                }
            }
            _ => {}
        }
        // Patterns on names, one by one where they are the same, else all of them.
        let mut others = Vec::new();
        for (pattern, shape) in &was.patterns {
            match is.patterns.iter().find(|(other, _)| other == pattern) {
                Some((_, other)) => {
                    self.step(ChangeStep::Members, a, b, |walker| walker.walk(shape, other, depth + 1));
                }
                None => others.push(pattern.source().to_owned()),
            }
        }
        for (pattern, _) in &is.patterns {
            if !was.patterns.iter().any(|(other, _)| other == pattern) {
                others.push(pattern.source().to_owned());
            }
        }
        if was.names != is.names || !others.is_empty() {
            let names = |object: &Object| {
                let declared = object.properties.iter().filter(|property| !property.undeclared);
                let mut copy =
                    Object::open(declared.map(|it| contract::Property::optional(&it.name, Shape::any())));
                // Without patterns, that an object is closed is a change of its own.
                if !was.patterns.is_empty() || !is.patterns.is_empty() {
                    copy.additional = match object.additional {
                        Additional::Closed => Additional::Closed,
                        Additional::Open | Additional::Shape(_) => Additional::Open,
                    };
                }
                copy.names.clone_from(&object.names);
                copy.patterns.clone_from(&object.patterns);
                Shape::from(copy)
            };
            let (was_names, is_names) = (self.term(true, &names(was)), self.term(false, &names(is)));
            if was_names.holds != is_names.holds {
                let lost: Difference = self.solver.solve(vec![a.holds], vec![is_names.fails]).into();
                let gained: Difference = self.solver.solve(vec![b.holds], vec![was_names.fails]).into();
                let rule = match Relation::of(&lost, &gained) {
                    Relation::Equal => return,
                    Relation::Narrower => "names-narrowed",
                    Relation::Wider => "names-widened",
                    _ => "names-changed",
                };
                self.add(
                    rule,
                    "names of properties follow other rules".to_owned(),
                    lost,
                    gained,
                    places,
                    None,
                );
            }
        }
    }

    /// Holds for objects whose members all have a declared name.
    fn names_of(&mut self, object: &Object, of_old: bool) -> TermId {
        let any = self.solver.terms.any();
        let never = self.solver.terms.never();
        let mut names: Vec<(Box<str>, TermId)> = object
            .properties
            .iter()
            .filter(|property| !property.undeclared)
            .map(|property| (property.name.as_str().into(), any))
            .collect();
        names.sort();
        let patterns =
            object.patterns.iter().map(|(pattern, _)| (self.solver.terms.pattern(pattern), any)).collect();
        let fold = self.side(of_old).folds_names;
        self.solver.terms.add(Term::Members(MemberTerms { names, patterns, rest: never, fold }))
    }

    fn lists(
        &mut self,
        old: &Parts<'_>,
        new: &Parts<'_>,
        a: ShapeTerms,
        b: ShapeTerms,
        is_equal: bool,
        depth: usize,
    ) {
        let ([was], [is]) = (old.lists.as_slice(), new.lists.as_slice()) else { return };
        let places = (old.place, new.place);
        let split = |part: ListPart<'_>| match part {
            ListPart::Each(each) => (Vec::new(), Some(each.clone()), 0),
            ListPart::Tuple(tuple) => (tuple.items.clone(), tuple.rest.as_deref().cloned(), tuple.least),
        };
        if let (ListPart::Each(was), ListPart::Each(is)) = (was, is) {
            return self.step(ChangeStep::Items, a, b, |walker| walker.walk(was, is, depth + 1));
        }
        if is_equal {
            return;
        }
        let ((was_first, was_rest, was_least), (is_first, is_rest, is_least)) = (split(*was), split(*is));
        for at in 0..was_first.len().max(is_first.len()) {
            let (x, y) = (was_first.get(at).or(was_rest.as_ref()), is_first.get(at).or(is_rest.as_ref()));
            let (Some(x), Some(y)) = (x, y) else { continue };
            let declared = at >= was_first.len() && at < is_first.len() && !was_first.is_empty() && is_any(x);
            let before = self.changes.len();
            self.step(ChangeStep::Item(at), a, b, |walker| walker.walk(x, y, depth + 1));
            if declared {
                for change in self.changes.get_mut(before..).unwrap_or_default() {
                    change.rule = "position-declared";
                    if change.level == Level::Breaking && !self.comparison.strict {
                        change.level = Level::Warning;
                    }
                }
            }
        }
        if let (Some(x), Some(y)) = (&was_rest, &is_rest) {
            self.step(ChangeStep::Items, a, b, |walker| walker.walk(x, y, depth + 1));
        }
        let bounds = |least: usize, first: &[Shape], rest: &Option<Shape>| {
            (least, if rest.is_some() { None } else { Some(first.len()) })
        };
        let (x, y) = (bounds(was_least, &was_first, &was_rest), bounds(is_least, &is_first, &is_rest));
        if x != y {
            let length = |walker: &mut Self, (least, most): (usize, Option<usize>)| {
                walker.solver.terms.add(Term::Length(Unit::Items, least, most))
            };
            let (x_term, y_term) = (length(self, x), length(self, y));
            let lost: Difference = self.solver.solve(vec![a.holds], vec![y_term]).into();
            let gained: Difference = self.solver.solve(vec![b.holds], vec![x_term]).into();
            let rule = match Relation::of(&lost, &gained) {
                Relation::Equal => return,
                Relation::Narrower => "items-narrowed",
                Relation::Wider => "items-widened",
                _ => "items-changed",
            };
            self.add(rule, "lists have other lengths".to_owned(), lost, gained, places, None);
        }
    }

    fn variants(&mut self, old: &Parts<'_>, new: &Parts<'_>, a: ShapeTerms, b: ShapeTerms, depth: usize) {
        let places = (old.place, new.place);
        let ([was], [is]) = (old.unions.as_slice(), new.unions.as_slice()) else { return };
        let (was, is) = (*was, *is);
        if let (Select::Property { name: x, .. }, Select::Property { name: y, .. }) =
            (&was.select, &is.select)
            && x != y
        {
            let message = format!("`{y}` chooses the alternative instead of `{x}`");
            let (lost, gained) = (self.minus(a.holds, b.fails), self.minus(b.holds, a.fails));
            return self.add("discriminator-changed", message, lost, gained, places, None);
        }
        let tag = |union: &Union, at: usize| match &union.select {
            Select::Property { values, .. } => {
                values.iter().find(|(_, position)| *position == at).map(|(tag, _)| tag.clone())
            }
            _ => None,
        };
        let terms = |walker: &mut Self, of_old: bool, union: &Union| -> Vec<ShapeTerms> {
            union.alternatives.iter().map(|part| walker.term(of_old, part)).collect()
        };
        let (x, y) = (terms(self, true, was), terms(self, false, is));
        let mut free: Vec<usize> = (0..is.alternatives.len()).collect();
        let mut pairs = Vec::new();
        let mut gone = Vec::new();
        for (at, own) in x.iter().enumerate() {
            let wanted = tag(was, at);
            let found = free.iter().position(|other| match &wanted {
                Some(wanted) => tag(is, *other).as_ref() == Some(wanted),
                None => y.get(*other).is_some_and(|it| it.holds == own.holds),
            });
            match found {
                Some(place) => pairs.push((at, free.remove(place))),
                None => gone.push(at),
            }
        }
        // One that is left on each side is the same one, changed.
        if let ([one], [other]) = (gone.as_slice(), free.as_slice())
            && tag(was, *one).is_none()
        {
            pairs.push((*one, *other));
            gone.clear();
            free.clear();
        }
        let before = self.changes.len();
        for (at, other) in pairs {
            if let (Some(x), Some(y)) = (was.alternatives.get(at), is.alternatives.get(other)) {
                self.walk(x, y, depth + 1);
            }
        }
        for at in gone {
            let Some(own) = x.get(at) else { continue };
            let lost: Difference = self.solver.solve(vec![a.holds, own.holds], vec![b.fails]).into();
            if lost != Difference::None {
                let place = was.alternatives.get(at).and_then(|it| it.place).or(old.place);
                let message = match tag(was, at) {
                    Some(tag) => format!("the alternative `{tag}` is gone"),
                    None => "an alternative is gone".to_owned(),
                };
                self.add("variant-removed", message, lost, Difference::None, (place, new.place), None);
            }
        }
        for at in free {
            let Some(own) = y.get(at) else { continue };
            let gained: Difference = self.solver.solve(vec![b.holds, own.holds], vec![a.fails]).into();
            if gained != Difference::None {
                let place = is.alternatives.get(at).and_then(|it| it.place).or(new.place);
                let message = match tag(is, at) {
                    Some(tag) => format!("there is another alternative, `{tag}`"),
                    None => "there is another alternative".to_owned(),
                };
                self.add("variant-added", message, Difference::None, gained, (old.place, place), None);
            }
        }
        if self.changes.len() == before && was.select != is.select {
            let (lost, gained) = (self.minus(a.holds, b.fails), self.minus(b.holds, a.fails));
            let message = "values that fit two alternatives are treated in another way".to_owned();
            self.add("variant-overlap", message, lost, gained, places, None);
        }
    }
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

fn is_any(shape: &Shape) -> bool {
    matches!(shape.form, Form::Any) && shape.rules.iter().next().is_none()
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

/// What rules are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Minimum,
    Maximum,
    Multiple,
    Length,
    Items,
    Properties,
    Pattern,
    Format,
    Values,
    Unique,
    Contains,
    Names,
    Condition,
    Validator,
}

impl Topic {
    const ALL: [Topic; 14] = [
        Topic::Minimum,
        Topic::Maximum,
        Topic::Multiple,
        Topic::Length,
        Topic::Items,
        Topic::Properties,
        Topic::Pattern,
        Topic::Format,
        Topic::Values,
        Topic::Unique,
        Topic::Contains,
        Topic::Names,
        Topic::Condition,
        Topic::Validator,
    ];

    fn of(test: &Test) -> Option<Topic> {
        // What compares with another field is told by the checker.
        if test.operands().iter().any(|operand| !matches!(operand, contract::Operand::Constant(_))) {
            return Some(Topic::Validator);
        }
        Some(match test {
            Test::Minimum(_) | Test::ExclusiveMinimum(_) | Test::Ge(_) | Test::Gt(_) => Topic::Minimum,
            Test::Maximum(_) | Test::ExclusiveMaximum(_) | Test::Le(_) | Test::Lt(_) => Topic::Maximum,
            Test::MultipleOf(_) => Topic::Multiple,
            Test::MinLength(unit, _) | Test::MaxLength(unit, _) => match unit {
                Unit::Items => Topic::Items,
                Unit::Properties => Topic::Properties,
                Unit::Bytes | Unit::Scalars | Unit::Utf16 => Topic::Length,
            },
            Test::Elements(_) => Topic::Items,
            Test::Pattern(_)
            | Test::Prefix(_)
            | Test::Suffix(_)
            | Test::Contains(_)
            | Test::NotContains(_) => Topic::Pattern,
            Test::Format(_) => Topic::Format,
            Test::Eq(_) | Test::Ne(_) | Test::Constant(_) | Test::In(_) | Test::NotIn(_) => Topic::Values,
            Test::Unique(()) => Topic::Unique,
            Test::Containment(_) => Topic::Contains,
            Test::Keys(_) => Topic::Names,
            Test::Presence(_) | Test::Not(_) | Test::If(_) | Test::Dependent(_) | Test::Values(_) => {
                Topic::Condition
            }
            Test::Assert(_) | Test::Custom(_) => Topic::Validator,
        })
    }

    fn rule(self, relation: Relation, was_empty: bool, is_empty: bool) -> &'static str {
        use Relation::{Narrower, Wider};
        let three = |narrowed, widened, changed| match relation {
            Narrower => narrowed,
            Wider => widened,
            _ => changed,
        };
        match self {
            Topic::Minimum => three("minimum-raised", "minimum-lowered", "minimum-raised"),
            Topic::Maximum => three("maximum-lowered", "maximum-raised", "maximum-lowered"),
            Topic::Multiple => "multiple-changed",
            Topic::Length => three("length-narrowed", "length-widened", "length-changed"),
            Topic::Items => three("items-narrowed", "items-widened", "items-changed"),
            Topic::Properties => three("properties-narrowed", "properties-widened", "properties-changed"),
            Topic::Pattern => three("pattern-narrowed", "pattern-widened", "pattern-changed"),
            Topic::Format => three("format-narrowed", "format-widened", "format-changed"),
            Topic::Values => three("value-removed", "value-added", "value-removed"),
            Topic::Unique => three("unique-added", "unique-removed", "unique-added"),
            Topic::Contains => three("contains-narrowed", "contains-widened", "contains-changed"),
            Topic::Names => three("names-narrowed", "names-widened", "names-changed"),
            Topic::Condition => match (was_empty, is_empty) {
                (true, _) => "condition-added",
                (_, true) => "condition-removed",
                _ => three("condition-added", "condition-removed", "condition-changed"),
            },
            Topic::Validator => "validator-changed",
        }
    }

    fn message(self, was: &[Rule], is: &[Rule]) -> String {
        if self == Topic::Validator {
            return "a validator is not the same".to_owned();
        }
        let words = |rules: &[Rule]| -> String {
            if rules.is_empty() {
                return "nothing was asked".to_owned();
            }
            let texts = rules.iter().map(|rule| {
                let wanted: Vec<String> = match &rule.test {
                    Test::Pattern(pattern) => vec![pattern.source().to_owned()],
                    Test::Format(format) => vec![format.name().to_owned()],
                    Test::Constant(constant) => vec![constant.to_string()],
                    test => test.operands().iter().map(ToString::to_string).collect(),
                };
                rule.test.demand(&wanted.join(", "))
            });
            texts.collect::<Vec<_>>().join(" and ")
        };
        match is.is_empty() {
            true => format!("{} before, nothing now", words(was)),
            false => format!("{}; before: {}", words(is), words(was)),
        }
    }
}
