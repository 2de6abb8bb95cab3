//! `unevaluatedProperties` and `unevaluatedItems`, said in other words.
//!
//! What is evaluated depends on which of the shapes in place hold. For each way in which they can, the rest is bounded as
//! `additionalProperties` and `items` would do it; where it does not depend on the value there is one way.

use std::sync::Arc;

use crate::flaw::{Flaw, FlawCode};
use crate::pattern::Pattern;
use crate::rules::{Conditional, Rule, Test};
use crate::shape::{Additional, Definitions, Form, Object, Property, Select, Shape, Tuple, Union};

/// The name of the rule that stands where the words were.
pub(super) const MARK: &str = "$unevaluated";
/// How many ways are told apart.
const MOST: usize = 256;
/// How many references are followed.
const DEEPEST: usize = 40;

/// What the two words say of one shape.
#[derive(Clone, Debug, Default)]
pub(super) struct Unevaluated {
    pub(super) properties: Option<Shape>,
    pub(super) items: Option<Shape>,
}

/// What has been evaluated.
#[derive(Clone, Debug, Default)]
struct Evaluated {
    all_members: bool,
    names: Vec<Box<str>>,
    patterns: Vec<Pattern>,
    all_items: bool,
    first_items: usize,
    /// Elements that match one of these are evaluated wherever they stand.
    contained: Vec<Shape>,
}

/// One way: which shapes hold and which do not, and what is evaluated then.
#[derive(Clone, Debug, Default)]
struct Way {
    when: Vec<(Shape, bool)>,
    evaluated: Evaluated,
}

impl Evaluated {
    fn add(&mut self, other: &Evaluated) {
        self.all_members |= other.all_members;
        self.names.extend(other.names.iter().cloned());
        self.patterns.extend(other.patterns.iter().cloned());
        self.all_items |= other.all_items;
        self.first_items = self.first_items.max(other.first_items);
        self.contained.extend(other.contained.iter().cloned());
    }

    fn is_nothing(&self) -> bool {
        !self.all_members
            && self.names.is_empty()
            && self.patterns.is_empty()
            && !self.all_items
            && self.first_items == 0
            && self.contained.is_empty()
    }
}

struct Ways<'d> {
    definitions: &'d Definitions,
    words: &'d [Unevaluated],
    following: Vec<Arc<str>>,
    too_many: bool,
}

/// A shape that is written although it accepts everything: it evaluates all the same.
pub(super) fn written_any() -> Shape {
    Shape::new(Form::All(vec![Shape::any()]))
}

/// Replaces the marks in a contract.
pub(super) fn replace(
    root: &mut Shape,
    definitions: &mut Definitions,
    words: &[Unevaluated],
    flaws: &mut Vec<Flaw>,
) {
    if words.is_empty() {
        return;
    }
    let known = definitions.clone();
    let mut words = words.to_vec();
    // What the words are followed by may have marks itself.
    let original = words.clone();
    let mut ways = Ways { definitions: &known, words: &original, following: Vec::new(), too_many: false };
    for word in &mut words {
        for shape in [&mut word.properties, &mut word.items].into_iter().flatten() {
            ways.rewrite(shape, &original);
        }
    }
    ways.rewrite(root, &words);
    for shape in definitions.values_mut() {
        ways.rewrite(shape, &words);
    }
    if ways.too_many {
        let message = "what is unevaluated depends on too many shapes";
        flaws.push(Flaw::new(FlawCode::TooDeep, message).at(root.place));
    }
}

fn mark_of(rule: &Rule) -> Option<usize> {
    match &rule.test {
        Test::Custom(custom) if *custom.name == *MARK => Some(custom.id as usize),
        _ => None,
    }
}

impl Ways<'_> {
    fn rewrite(&mut self, shape: &mut Shape, words: &[Unevaluated]) {
        let original = shape.clone();
        self.rewrite_parts(shape, words);
        let Some(at) = shape.rules.iter().find_map(mark_of) else { return };
        let Some(word) = words.get(at).cloned() else { return };
        let mut own = original;
        own.rules =
            own.rules.iter().filter(|rule| mark_of(rule).is_none()).cloned().collect::<Vec<_>>().into();
        let found = self.of(&own);
        let mut rules: Vec<Rule> =
            shape.rules.iter().filter(|rule| mark_of(rule).is_none()).cloned().collect();
        let mut always: Vec<Shape> = Vec::new();
        for way in found {
            let bounds: Vec<Shape> = bound_members(&way.evaluated, word.properties.as_ref())
                .into_iter()
                .chain(bound_items(&way.evaluated, word.items.as_ref()))
                .collect();
            if bounds.is_empty() {
                continue;
            }
            if way.when.is_empty() {
                always.extend(bounds);
                continue;
            }
            let conditions = way.when.into_iter().map(|(mut condition, holds)| {
                self.rewrite(&mut condition, words);
                match holds {
                    true => condition,
                    false => Shape::any().must(Test::Not(Box::new(condition))),
                }
            });
            let test = Shape::new(Form::All(conditions.collect()));
            let then = Shape::new(Form::All(bounds));
            let conditional = Conditional { test, then: Some(then), otherwise: None };
            rules.push(Rule { place: shape.place, ..Rule::from(Test::If(Box::new(conditional))) });
        }
        shape.rules = rules.into();
        if !always.is_empty() {
            let form = std::mem::replace(&mut shape.form, Form::Any);
            let mut all = vec![Shape::new(form).at(shape.place)];
            all.extend(always);
            shape.form = Form::All(all);
        }
    }

    fn rewrite_parts(&mut self, shape: &mut Shape, words: &[Unevaluated]) {
        let mut go = |part: &mut Shape| self.rewrite(part, words);
        match &mut shape.form {
            Form::List(part) | Form::Set(part) => go(part),
            Form::Tuple(tuple) => {
                tuple.items.iter_mut().for_each(&mut go);
                tuple.rest.iter_mut().for_each(|part| go(part));
            }
            Form::Map(key, value) => {
                go(key);
                go(value);
            }
            Form::Object(object) => {
                object.properties.iter_mut().for_each(|property| go(&mut property.shape));
                object.patterns.iter_mut().for_each(|(_, part)| go(part));
                if let Additional::Shape(part) = &mut object.additional {
                    go(part);
                }
                object.names.iter_mut().for_each(|part| go(part));
            }
            Form::Union(union) => union.alternatives.iter_mut().for_each(&mut go),
            Form::All(parts) => parts.iter_mut().for_each(&mut go),
            _ => {}
        }
        let rules: Vec<Rule> = shape
            .rules
            .iter()
            .map(|rule| {
                let mut rule = rule.clone();
                match &mut rule.test {
                    Test::Elements(part) | Test::Keys(part) | Test::Values(part) | Test::Not(part) => {
                        go(part)
                    }
                    Test::If(conditional) => {
                        go(&mut conditional.test);
                        conditional.then.iter_mut().for_each(&mut go);
                        conditional.otherwise.iter_mut().for_each(&mut go);
                    }
                    Test::Containment(containment) => go(&mut containment.shape),
                    Test::Dependent(dependent) => go(&mut dependent.shape),
                    _ => {}
                }
                rule
            })
            .collect();
        shape.rules = rules.into();
    }

    /// The ways in which a shape evaluates, given that it holds.
    fn of(&mut self, shape: &Shape) -> Vec<Way> {
        let mut ways = self.of_form(&shape.form);
        for rule in shape.rules.iter() {
            let more = self.of_rule(rule);
            ways = self.both(ways, more);
        }
        ways
    }

    fn both(&mut self, a: Vec<Way>, b: Vec<Way>) -> Vec<Way> {
        if let ([only], true) = (b.as_slice(), b.len() == 1)
            && only.when.is_empty()
            && only.evaluated.is_nothing()
        {
            return a;
        }
        if a.len() * b.len() > MOST {
            self.too_many = true;
            return a;
        }
        let mut all = Vec::with_capacity(a.len() * b.len());
        for x in &a {
            for y in &b {
                let mut way = x.clone();
                way.when.extend(y.when.iter().cloned());
                way.evaluated.add(&y.evaluated);
                all.push(way);
            }
        }
        all
    }

    /// What is evaluated if a condition holds, and if it does not.
    fn under(&self, condition: &Shape, then: Vec<Way>, otherwise: Vec<Way>) -> Vec<Way> {
        let nothing = |ways: &[Way]| ways.iter().all(|way| way.evaluated.is_nothing());
        if nothing(&then) && nothing(&otherwise) {
            return vec![Way::default()];
        }
        let with = |ways: Vec<Way>, holds: bool| {
            ways.into_iter().map(move |mut way| {
                way.when.insert(0, (condition.clone(), holds));
                way
            })
        };
        with(then, true).chain(with(otherwise, false)).collect()
    }

    fn of_form(&mut self, form: &Form) -> Vec<Way> {
        let mut way = Way::default();
        match form {
            Form::Object(object) => {
                let declared = object.properties.iter().filter(|property| !property.undeclared);
                way.evaluated.names = declared.map(|property| property.name.as_str().into()).collect();
                way.evaluated.patterns = object.patterns.iter().map(|(pattern, _)| pattern.clone()).collect();
                way.evaluated.all_members = !matches!(object.additional, Additional::Open);
            }
            Form::List(element) | Form::Set(element) => {
                way.evaluated.all_items = !matches!(element.form, Form::Any) || element.place.is_some();
            }
            Form::Tuple(tuple) => {
                way.evaluated.first_items = tuple.items.len();
                way.evaluated.all_items = tuple
                    .rest
                    .as_deref()
                    .is_none_or(|rest| !matches!(rest.form, Form::Any) || rest.place.is_some());
            }
            Form::All(parts) => {
                let mut ways = vec![way];
                for part in parts {
                    let more = self.of(part);
                    ways = self.both(ways, more);
                }
                return ways;
            }
            Form::Union(union) => {
                let mut ways = vec![way];
                for part in &union.alternatives {
                    let inner = self.of(part);
                    let more = match union.select {
                        // One for each kind of value: what is said of another kind evaluates nothing.
                        Select::Kind => inner,
                        _ => self.under(part, inner, vec![Way::default()]),
                    };
                    ways = self.both(ways, more);
                }
                return ways;
            }
            Form::Ref(name) => {
                let cyclic = self.following.contains(name) || self.following.len() > DEEPEST;
                if let Some(target) = self.definitions.get(name).filter(|_| !cyclic) {
                    self.following.push(name.clone());
                    let ways = self.of(target);
                    self.following.pop();
                    return ways;
                }
            }
            _ => {}
        }
        vec![way]
    }

    fn of_rule(&mut self, rule: &Rule) -> Vec<Way> {
        if let Some(word) = mark_of(rule).and_then(|at| self.words.get(at)) {
            let evaluated = Evaluated {
                all_members: word.properties.is_some(),
                all_items: word.items.is_some(),
                ..Evaluated::default()
            };
            return vec![Way { when: Vec::new(), evaluated }];
        }
        match &rule.test {
            Test::If(conditional) => {
                let test = self.of(&conditional.test);
                let then = conditional.then.as_ref().map_or_else(|| vec![Way::default()], |it| self.of(it));
                let then = self.both(test, then);
                let other =
                    conditional.otherwise.as_ref().map_or_else(|| vec![Way::default()], |it| self.of(it));
                self.under(&conditional.test, then, other)
            }
            Test::Dependent(dependent) => {
                let inner = self.of(&dependent.shape);
                let has = Object::open([Property::required(&dependent.property, Shape::any())]);
                self.under(&Shape::from(has), inner, vec![Way::default()])
            }
            Test::Containment(containment) if containment.evaluates => {
                let evaluated =
                    Evaluated { contained: vec![containment.shape.clone()], ..Evaluated::default() };
                vec![Way { when: Vec::new(), evaluated }]
            }
            _ => vec![Way::default()],
        }
    }
}

/// A shape for values of one kind; all others pass.
fn of_kind(form: Form) -> Shape {
    let alternatives = vec![Shape::new(form), Shape::any()];
    Union { alternatives, select: Select::Kind }.into()
}

fn bound_members(evaluated: &Evaluated, bound: Option<&Shape>) -> Option<Shape> {
    let bound = bound.filter(|_| !evaluated.all_members)?;
    let mut names: Vec<&str> = evaluated.names.iter().map(|name| &**name).collect();
    names.sort_unstable();
    names.dedup();
    let mut object = Object::open(names.into_iter().map(|name| Property::optional(name, Shape::any())));
    object.patterns = evaluated.patterns.iter().map(|pattern| (pattern.clone(), Shape::any())).collect();
    object.additional = match bound.form {
        Form::Never => Additional::Closed,
        _ => Additional::Shape(Box::new(bound.clone())),
    };
    Some(of_kind(Form::Object(Box::new(object))))
}

fn bound_items(evaluated: &Evaluated, bound: Option<&Shape>) -> Option<Shape> {
    let bound = bound.filter(|_| !evaluated.all_items)?;
    let rest = match evaluated.contained.as_slice() {
        [] => bound.clone(),
        contained => {
            let alternatives = contained.iter().cloned().chain([bound.clone()]).collect();
            Union { alternatives, select: Select::Any }.into()
        }
    };
    let items = vec![Shape::any(); evaluated.first_items];
    let rest = match rest.form {
        Form::Never => None,
        _ => Some(Box::new(rest)),
    };
    Some(of_kind(Form::Tuple(Box::new(Tuple { items, least: 0, rest }))))
}
