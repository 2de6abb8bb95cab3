//! Shapes of contracts as terms.

use std::collections::HashMap;
use std::sync::Arc;

use contract::format::Format;
use contract::pattern::LiteralPlace;
use contract::rules::{Rule, Test};
use contract::{
    Additional, Constant, Definitions, Form, IntWidth, Kinds, Object, Operand, Presence, Select, Shape, Unit,
    ValueKind,
};

use crate::decimal::Dec;
use crate::eval::holds;
use crate::term::{MemberTerms, Sort, Term, TermId, Terms};

/// How deep shapes may nest.
const DEEPEST: usize = 200;

/// What objects are taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reading {
    /// As they are written.
    Written,
    /// Open objects that declare something have no other members: what somebody writes who writes what is declared.
    Closed,
    /// Closed objects may have other members: what somebody accepts who skips what is not declared.
    Open,
}

/// Lowers the shapes of one contract.
pub(crate) struct Lowering<'s> {
    pub(crate) terms: &'s mut Terms,
    pub(crate) definitions: &'s Definitions,
    /// Whether names of members ignore case.
    pub(crate) fold: bool,
    pub(crate) reading: Reading,
    /// What a rule that the host runs says, to tell two of them apart.
    pub(crate) describe: &'s dyn Fn(&Rule) -> Option<String>,
    pub(crate) memo: HashMap<Arc<str>, TermId>,
    pub(crate) open: HashMap<Arc<str>, Option<u32>>,
    pub(crate) depth: usize,
}

impl<'s> Lowering<'s> {
    pub(crate) fn new(
        terms: &'s mut Terms,
        definitions: &'s Definitions,
        fold: bool,
        reading: Reading,
        describe: &'s dyn Fn(&Rule) -> Option<String>,
    ) -> Lowering<'s> {
        let (memo, open) = (HashMap::new(), HashMap::new());
        Lowering { terms, definitions, fold, reading, describe, memo, open, depth: 0 }
    }

    pub(crate) fn shape(&mut self, shape: &Shape) -> TermId {
        if self.depth > DEEPEST {
            return self.terms.opaque(format!("too deep: {:?}", shape.place));
        }
        self.depth += 1;
        let mut parts = vec![self.form(&shape.form)];
        for rule in shape.rules.iter() {
            let term = match (&shape.form, &rule.test) {
                (Form::Map(key, _), Test::Keys(names)) => self.names(key, names),
                _ => self.rule(rule),
            };
            parts.push(term);
        }
        let term = self.terms.and(parts);
        self.depth -= 1;
        if shape.nullable {
            let null = self.terms.sort(Sort::Null);
            return self.terms.or(vec![null, term]);
        }
        term
    }

    fn typed(&mut self, sort: Sort, mut parts: Vec<TermId>) -> TermId {
        parts.push(self.terms.sort(sort));
        self.terms.and(parts)
    }

    fn form(&mut self, form: &Form) -> TermId {
        match form {
            Form::Any => self.terms.any(),
            Form::Never => self.terms.never(),
            Form::Null => self.terms.sort(Sort::Null),
            Form::Bool => self.terms.sort(Sort::Bool),
            Form::Int(width) => {
                let parts = self.width(*width);
                self.typed(Sort::Number, parts)
            }
            Form::Number => self.terms.sort(Sort::Number),
            Form::Text | Form::Bytes => self.terms.sort(Sort::Text),
            Form::Enum(members) => {
                let numbers: Vec<Constant> =
                    members.members.iter().map(|(_, number)| Constant::Int(*number)).collect();
                let mut ways = match members.open {
                    true => {
                        let parts = self.width(IntWidth::I32);
                        vec![self.typed(Sort::Number, parts)]
                    }
                    false => vec![self.terms.values(&numbers)],
                };
                if members.by_name {
                    let names: Vec<Constant> =
                        members.members.iter().map(|(name, _)| Constant::text(name)).collect();
                    ways.push(self.terms.values(&names));
                }
                self.terms.or(ways)
            }
            Form::List(element) => {
                let element = self.shape(element);
                let items = self.items(Vec::new(), element);
                self.typed(Sort::List, vec![items])
            }
            Form::Set(element) => {
                let element = self.shape(element);
                let parts = vec![self.items(Vec::new(), element), self.terms.add(Term::Unique)];
                self.typed(Sort::List, parts)
            }
            Form::Tuple(tuple) => {
                let first = tuple.items.iter().map(|item| self.shape(item)).collect();
                let rest = match &tuple.rest {
                    Some(rest) => self.shape(rest),
                    None => self.terms.never(),
                };
                let mut parts = vec![self.items(first, rest)];
                if tuple.least > 0 {
                    parts.push(self.terms.add(Term::Length(Unit::Items, tuple.least, None)));
                }
                self.typed(Sort::List, parts)
            }
            Form::Map(key, value) => {
                let value = self.shape(value);
                let rest = self.members(Vec::new(), Vec::new(), value);
                let names = self.names(key, key);
                self.typed(Sort::Object, vec![rest, names])
            }
            Form::Object(object) => {
                let parts = self.object(object);
                self.typed(Sort::Object, parts)
            }
            Form::Union(union) => {
                let alternatives: Vec<TermId> =
                    union.alternatives.iter().map(|alternative| self.shape(alternative)).collect();
                match &union.select {
                    Select::Any => self.terms.or(alternatives),
                    Select::One => self.one(alternatives),
                    Select::Kind => {
                        let mut taken = Kinds::NONE;
                        let mut ways = Vec::new();
                        for (shape, term) in union.alternatives.iter().zip(alternatives) {
                            let kinds = accepted(shape, self.definitions, 0);
                            let bits = sorts(kinds.without(taken));
                            // An integer may be taken by what is said of integers, and by what is said of numbers.
                            taken = taken | kinds.without(Kinds::NUMBERS);
                            let sorts = self.terms.add(Term::Sorts(bits));
                            if bits != 0 {
                                ways.push(self.terms.and(vec![sorts, term]));
                            }
                        }
                        self.terms.or(ways)
                    }
                    Select::Property { name, values } => {
                        let mut ways = Vec::new();
                        for (tag, at) in values {
                            let Some(alternative) = alternatives.get(*at) else { continue };
                            let tag = self.terms.values(&[Constant::text(tag)]);
                            let any = self.terms.any();
                            let tagged = self.members(vec![((**name).into(), tag)], Vec::new(), any);
                            let has = self.terms.add(Term::Has(name.clone(), self.fold));
                            ways.push(self.typed(Sort::Object, vec![tagged, has, *alternative]));
                        }
                        self.terms.or(ways)
                    }
                }
            }
            Form::All(shapes) => {
                let parts = shapes.iter().map(|shape| self.shape(shape)).collect();
                self.terms.and(parts)
            }
            Form::Ref(name) => self.reference(name),
        }
    }

    /// What a shape says of the keys of a map: keys that are no text are written as text.
    fn names(&mut self, key: &Shape, said: &Shape) -> TermId {
        let kinds = accepted(key, self.definitions, 0);
        let scalars = Kinds::NUMBERS | ValueKind::Bool.into();
        let names = if kinds.contains(ValueKind::Text) {
            self.shape(said)
        } else if kinds.without(scalars) == Kinds::NONE {
            let term = self.shape(said);
            self.terms.add(Term::Written(term))
        } else {
            // What these may be is told by the checker.
            self.terms.opaque(format!("keys: {:?} {:?}", said.form, said.rules))
        };
        self.terms.add(Term::Names(names))
    }

    fn reference(&mut self, name: &Arc<str>) -> TermId {
        if let Some(term) = self.memo.get(name) {
            return *term;
        }
        if let Some(slot) = self.open.get(name).copied() {
            // It contains itself.
            let slot = slot.unwrap_or_else(|| {
                let never = self.terms.never();
                self.terms.refs.push(never);
                (self.terms.refs.len() - 1) as u32
            });
            self.open.insert(name.clone(), Some(slot));
            return self.terms.add(Term::Ref(slot));
        }
        let Some(target) = self.definitions.get(name) else { return self.terms.any() };
        self.open.insert(name.clone(), None);
        let term = self.shape(target);
        match self.open.remove(name).flatten() {
            Some(slot) => {
                if let Some(place) = self.terms.refs.get_mut(slot as usize) {
                    *place = term;
                }
                let term = self.terms.add(Term::Ref(slot));
                self.memo.insert(name.clone(), term);
                term
            }
            None => {
                // What was made while another definition was open may name that one, which stays right.
                self.memo.insert(name.clone(), term);
                term
            }
        }
    }

    fn one(&mut self, mut alternatives: Vec<TermId>) -> TermId {
        let never = self.terms.never();
        alternatives.retain(|term| *term != never);
        alternatives.sort_unstable();
        match alternatives.as_slice() {
            [] => never,
            [only] => *only,
            _ => self.terms.add(Term::One(alternatives)),
        }
    }

    fn items(&mut self, mut first: Vec<TermId>, rest: TermId) -> TermId {
        while first.last() == Some(&rest) {
            first.pop();
        }
        match (first.is_empty(), self.terms.get(rest)) {
            (true, Term::Any) => rest,
            _ => self.terms.add(Term::Items(first, rest)),
        }
    }

    fn members(
        &mut self,
        mut names: Vec<(Box<str>, TermId)>,
        patterns: Vec<(u32, TermId)>,
        rest: TermId,
    ) -> TermId {
        names.sort();
        let any = self.terms.any();
        if rest == any && patterns.is_empty() && names.is_empty() {
            return any;
        }
        self.terms.add(Term::Members(MemberTerms { names, patterns, rest, fold: self.fold }))
    }

    fn object(&mut self, object: &Object) -> Vec<TermId> {
        let (mut names, mut parts) = (Vec::new(), Vec::new());
        for property in &object.properties {
            let term = self.shape(&property.shape);
            let mut must = property.required || property.requirement.is_some();
            if let (false, Some(absent)) = (must, &property.absent) {
                must = holds(self.terms, term, absent) == Some(false);
            }
            if must {
                parts.push(self.terms.add(Term::Has(property.name.as_str().into(), self.fold)));
            }
            if property.undeclared {
                continue;
            }
            names.push((property.name.as_str().into(), term));
        }
        let mut patterns = Vec::new();
        for (pattern, shape) in &object.patterns {
            let id = self.terms.pattern(pattern);
            patterns.push((id, self.shape(shape)));
        }
        let declares = !names.is_empty() || !patterns.is_empty();
        let rest = match (&object.additional, self.reading) {
            (Additional::Open, Reading::Closed) if declares => self.terms.never(),
            (Additional::Closed, Reading::Open) if declares => self.terms.any(),
            (Additional::Open, _) => self.terms.any(),
            (Additional::Closed, _) => self.terms.never(),
            (Additional::Shape(shape), _) => self.shape(shape),
        };
        parts.push(self.members(names, patterns, rest));
        if let Some(shape) = &object.names {
            let names = self.shape(shape);
            parts.push(self.terms.add(Term::Names(names)));
        }
        parts
    }

    fn width(&mut self, width: IntWidth) -> Vec<TermId> {
        let mut parts = vec![self.terms.add(Term::Whole)];
        if let Some((least, most)) = width.range() {
            parts.push(self.terms.add(Term::Least(Dec::new(least, 0), false)));
            parts.push(self.terms.add(Term::Most(Dec::new(most, 0), false)));
        }
        parts
    }

    /// What is said of objects holds for everything else.
    fn of_objects(&mut self, mut ways: Vec<TermId>) -> TermId {
        ways.push(self.terms.all_but(Sort::Object));
        self.terms.or(ways)
    }

    fn has(&mut self, name: &str) -> TermId {
        self.terms.add(Term::Has(name.into(), self.fold))
    }

    fn rule(&mut self, rule: &Rule) -> TermId {
        let constant = match rule.test.operand() {
            Some(Operand::Constant(constant)) => Some(constant),
            _ => None,
        };
        let number = constant.and_then(Dec::of);
        match &rule.test {
            Test::Eq(_) if constant.is_some() => {
                self.terms.values(&constant.cloned().into_iter().collect::<Vec<_>>())
            }
            Test::Ne(_) if constant.is_some() => {
                let values = self.terms.values(&constant.cloned().into_iter().collect::<Vec<_>>());
                self.terms.not(values)
            }
            Test::Constant(constant) => self.terms.values(std::slice::from_ref(constant)),
            Test::In(operands) | Test::NotIn(operands) => {
                let constants: Option<Vec<Constant>> = operands
                    .iter()
                    .map(|operand| match operand {
                        Operand::Constant(constant) => Some(constant.clone()),
                        _ => None,
                    })
                    .collect();
                match constants {
                    Some(constants) => {
                        let values = self.terms.values(&constants);
                        if matches!(rule.test, Test::In(_)) { values } else { self.terms.not(values) }
                    }
                    None => self.other(rule),
                }
            }
            test => match (test, number) {
                (Test::Minimum(_) | Test::Ge(_), Some(bound)) => self.terms.add(Term::Least(bound, false)),
                (Test::ExclusiveMinimum(_) | Test::Gt(_), Some(bound)) => {
                    self.terms.add(Term::Least(bound, true))
                }
                (Test::Maximum(_) | Test::Le(_), Some(bound)) => self.terms.add(Term::Most(bound, false)),
                (Test::ExclusiveMaximum(_) | Test::Lt(_), Some(bound)) => {
                    self.terms.add(Term::Most(bound, true))
                }
                (Test::MultipleOf(_), Some(step)) if step == Dec::ONE => self.terms.add(Term::Whole),
                (Test::MultipleOf(_), Some(step)) if step.digits != 0 => {
                    self.terms.add(Term::Multiple(Dec { digits: step.digits.abs(), ..step }))
                }
                (Test::MinLength(unit, _), Some(least)) => match least.at(0).map(usize::try_from) {
                    Some(Ok(0)) => self.terms.any(),
                    Some(Ok(least)) => self.terms.add(Term::Length(*unit, least, None)),
                    _ => self.other(rule),
                },
                (Test::MaxLength(unit, _), Some(most)) => match most.at(0).map(usize::try_from) {
                    Some(Ok(most)) => self.terms.add(Term::Length(*unit, 0, Some(most))),
                    _ => self.other(rule),
                },
                _ => self.rarer(rule, constant),
            },
        }
    }

    fn rarer(&mut self, rule: &Rule, constant: Option<&Constant>) -> TermId {
        let text = match constant {
            Some(Constant::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        match (&rule.test, text) {
            (Test::Prefix(_), Some(text)) => self.terms.add(Term::Literal(LiteralPlace::Start, text.into())),
            (Test::Suffix(_), Some(text)) => self.terms.add(Term::Literal(LiteralPlace::End, text.into())),
            (Test::Contains(_), Some(text)) => {
                self.terms.add(Term::Literal(LiteralPlace::Inside, text.into()))
            }
            (Test::NotContains(_), Some(text)) => {
                let inside = self.terms.add(Term::Literal(LiteralPlace::Inside, text.into()));
                let not = self.terms.not(inside);
                let others = self.terms.all_but(Sort::Text);
                self.terms.or(vec![not, others])
            }
            (Test::Pattern(pattern), _) => {
                let id = self.terms.pattern(pattern);
                self.terms.add(Term::Pattern(id))
            }
            (Test::Format(format), _) => self.format(*format),
            (Test::Unique(()), _) => self.terms.add(Term::Unique),
            (Test::Presence(presence), _) => self.presence(presence),
            (Test::Elements(shape), _) => {
                let rest = self.shape(shape);
                self.items(Vec::new(), rest)
            }
            (Test::Keys(shape), _) => {
                let names = self.shape(shape);
                self.terms.add(Term::Names(names))
            }
            (Test::Values(shape), _) => {
                let rest = self.shape(shape);
                self.members(Vec::new(), Vec::new(), rest)
            }
            (Test::Not(shape), _) => {
                let term = self.shape(shape);
                self.terms.not(term)
            }
            (Test::If(conditional), _) => {
                let test = self.shape(&conditional.test);
                let other = self.terms.not(test);
                let then = conditional.then.as_ref().map(|shape| self.shape(shape));
                let otherwise = conditional.otherwise.as_ref().map(|shape| self.shape(shape));
                let mut parts = Vec::new();
                if let Some(then) = then {
                    parts.push(self.terms.or(vec![other, then]));
                }
                if let Some(otherwise) = otherwise {
                    parts.push(self.terms.or(vec![test, otherwise]));
                }
                self.terms.and(parts)
            }
            (Test::Containment(containment), _) => {
                let term = self.shape(&containment.shape);
                self.terms.add(Term::Contains(term, containment.least, containment.most))
            }
            (Test::Dependent(dependent), _) => {
                let has = self.has(&dependent.property);
                let without = self.terms.not(has);
                let shape = self.shape(&dependent.shape);
                self.of_objects(vec![without, shape])
            }
            _ => self.other(rule),
        }
    }

    fn format(&mut self, format: Format) -> TermId {
        if !format.is_checked() {
            return self.terms.any();
        }
        match format.int_width() {
            Some(width) => {
                let parts = self.width(width);
                self.terms.and(parts)
            }
            None => self.terms.add(Term::Format(format)),
        }
    }

    fn presence(&mut self, presence: &Presence) -> TermId {
        match presence {
            Presence::Requires(name, others) => {
                let has = self.has(name);
                let without = self.terms.not(has);
                let all = others.iter().map(|other| self.has(other)).collect();
                let all = self.terms.and(all);
                self.of_objects(vec![without, all])
            }
            Presence::Excludes(name, others) => {
                let has = self.has(name);
                let without = self.terms.not(has);
                let mut none = Vec::new();
                for other in others {
                    let has = self.has(other);
                    none.push(self.terms.not(has));
                }
                let none = self.terms.and(none);
                self.of_objects(vec![without, none])
            }
            Presence::AnyOf(names) => {
                let any = names.iter().map(|name| self.has(name)).collect();
                self.of_objects(any)
            }
            Presence::OneOf(names) => {
                let one = names.iter().map(|name| self.has(name)).collect();
                let one = self.one(one);
                self.of_objects(vec![one])
            }
        }
    }

    /// A rule that only a checker can judge.
    fn other(&mut self, rule: &Rule) -> TermId {
        let text = (self.describe)(rule).unwrap_or_else(|| format!("{:?}", rule.test));
        self.terms.opaque(text)
    }
}

fn sorts(kinds: Kinds) -> u8 {
    kinds.iter().fold(0, |bits, kind| {
        bits | match kind {
            ValueKind::Null => Sort::Null.bit(),
            ValueKind::Bool => Sort::Bool.bit(),
            ValueKind::Int | ValueKind::Float => Sort::Number.bit(),
            ValueKind::Text | ValueKind::Bytes => Sort::Text.bit(),
            ValueKind::List => Sort::List.bit(),
            ValueKind::Object => Sort::Object.bit(),
            ValueKind::Unknown => 0,
        }
    })
}

/// The kinds that the form of a shape accepts.
pub(crate) fn accepted(shape: &Shape, definitions: &Definitions, depth: usize) -> Kinds {
    let own = match &shape.form {
        Form::Any => Kinds::ALL,
        Form::Never => Kinds::NONE,
        Form::Null => ValueKind::Null.into(),
        Form::Bool => ValueKind::Bool.into(),
        Form::Int(_) | Form::Number => Kinds::NUMBERS,
        Form::Text => ValueKind::Text.into(),
        Form::Bytes => Kinds::STRINGS,
        Form::Enum(members) => match members.by_name {
            true => Kinds::NUMBERS | ValueKind::Text.into(),
            false => Kinds::NUMBERS,
        },
        Form::List(_) | Form::Set(_) | Form::Tuple(_) => ValueKind::List.into(),
        Form::Map(..) | Form::Object(_) => ValueKind::Object.into(),
        Form::Union(union) => union
            .alternatives
            .iter()
            .fold(Kinds::NONE, |all, part| all | accepted(part, definitions, depth + 1)),
        Form::All(shapes) => {
            shapes.iter().fold(Kinds::ALL, |all, part| all.and(accepted(part, definitions, depth + 1)))
        }
        Form::Ref(name) => match definitions.get(name).filter(|_| depth < 64) {
            Some(target) => accepted(target, definitions, depth + 1),
            None => Kinds::ALL,
        },
    };
    if shape.nullable { own | ValueKind::Null.into() } else { own }
}
