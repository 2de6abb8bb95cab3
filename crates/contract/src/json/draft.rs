//! The facets of one shape while its words are read, and how they become a form.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use diagnostics::Span;

use crate::flaw::{Flaw, FlawCode};
use crate::names::NameTable;
use crate::pattern::Pattern;
use crate::rules::{Conditional, Containment, Rule, Test};
use crate::shape::{Additional, Form, Object, Property, Select, Shape, ShapeNotes, Tuple, Union};
use value::Constant;
use value::number::IntWidth;
use value::{Kinds, ValueKind};

/// What the words of one shape have said so far.
#[derive(Default)]
pub(super) struct Draft<'v> {
    pub(super) types: Option<Kinds>,
    pub(super) nullable: bool,
    pub(super) secret: bool,
    /// Whether `minimum` and `maximum` exclude their bound, as OpenAPI 3.0 says it.
    pub(super) exclusive: (bool, bool),
    /// The kinds of value whose parts are spoken of.
    pub(super) parts: Kinds,
    pub(super) place: Option<Span>,
    pub(super) title: Option<Arc<str>>,
    pub(super) description: Option<Box<str>>,
    pub(super) notes: Option<Box<ShapeNotes>>,
    pub(super) rules: Vec<Rule>,
    pub(super) properties: Option<Vec<Property>>,
    pub(super) required: Vec<(&'v str, Option<Span>)>,
    pub(super) additional: Option<Additional>,
    pub(super) items: Option<Box<Shape>>,
    pub(super) reference: Option<Arc<str>>,
    /// A second reference, where `$dynamicRef` stands beside `$ref`.
    pub(super) dynamic: Option<Arc<str>>,
    /// Whether words without an effect and contradictions are allowed.
    pub(super) lenient: bool,
    rare: Option<Box<Rare>>,
}

/// What few shapes say: most drafts are small, and there is one for every shape.
#[derive(Default)]
pub(super) struct Rare {
    pub(super) default: Option<Box<Constant>>,
    pub(super) examples: Vec<Constant>,
    pub(super) patterns: Vec<(Pattern, Shape)>,
    pub(super) prefix: Option<Vec<Shape>>,
    /// The rest of a list whose first elements `items` lists, as older drafts of JSON Schema write it.
    pub(super) additional_items: Option<Box<Shape>>,
    /// Whether `items` is such a list.
    pub(super) items_listed: bool,
    pub(super) any_of: Option<Vec<Shape>>,
    pub(super) one_of: Option<Vec<Shape>>,
    pub(super) all_of: Option<Vec<Shape>>,
    /// What `if` says, with its place.
    pub(super) condition: Option<(Shape, Option<Span>)>,
    pub(super) then: Option<Shape>,
    pub(super) otherwise: Option<Shape>,
    /// What `contains` says, with its place.
    pub(super) contains: Option<(Shape, Option<Span>)>,
    pub(super) least_contained: Option<(usize, Option<Span>)>,
    pub(super) most_contained: Option<(usize, Option<Span>)>,
    pub(super) discriminator: Option<Select>,
    pub(super) messages: Vec<(Box<str>, Box<str>, Option<Span>)>,
}

impl Rare {
    /// Adds the forms that alternatives and further shapes are.
    fn add_forms(&mut self, forms: &mut Forms) {
        if let Some(alternatives) = self.any_of.take() {
            let select = match self.one_of {
                None => self.discriminator.take().unwrap_or(Select::Any),
                Some(_) => Select::Any,
            };
            forms.push(Form::Union(Box::new(Union { alternatives, select })));
        }
        if let Some(alternatives) = self.one_of.take() {
            let select = self.discriminator.take().unwrap_or(Select::One);
            forms.push(Form::Union(Box::new(Union { alternatives, select })));
        }
        if let Some(shapes) = self.all_of.take() {
            forms.push(Form::All(shapes));
        }
    }
}

impl Draft<'_> {
    /// A draft of the shape at a place, of which nothing was said yet.
    pub(super) fn at(place: Option<Span>) -> Self {
        Draft { place, ..Draft::default() }
    }

    /// What few shapes say, to say it.
    pub(super) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// The shapes that a discriminator chooses from.
    pub(super) fn alternatives(&self) -> Option<&[Shape]> {
        let rare = self.rare.as_deref()?;
        rare.one_of.as_deref().or(rare.any_of.as_deref())
    }

    /// Shapes by a pattern on the name.
    pub(super) fn patterns(&self) -> &[(Pattern, Shape)] {
        self.rare.as_deref().map_or(&[], |rare| &rare.patterns)
    }

    /// Makes the shape that the words describe, and notes what they cannot mean.
    pub(super) fn finish(mut self, flaws: &mut Vec<Flaw>) -> Shape {
        self.add_condition(flaws);
        self.add_containment(flaws);
        self.give_messages(flaws);
        self.exclude_bounds();
        let mut forms = Forms::default();
        let (own, or_null) = self.own_form();
        for name in self.reference.take().into_iter().chain(self.dynamic.take()) {
            forms.push(Form::Ref(name));
        }
        if !matches!(own, Form::Any) {
            forms.push(own);
        }
        let (mut default, mut examples) = (None, Vec::new());
        if let Some(rare) = &mut self.rare {
            rare.add_forms(&mut forms);
            default = rare.default.take();
            examples = std::mem::take(&mut rare.examples);
        }
        Shape {
            form: forms.into_one(self.place),
            rules: self.rules.into(),
            nullable: self.nullable || or_null,
            secret: self.secret,
            default,
            examples: examples.into(),
            title: self.title,
            description: self.description,
            notes: self.notes,
            place: self.place,
        }
    }

    /// Makes one rule of `if`, `then` and `else`.
    fn add_condition(&mut self, flaws: &mut Vec<Flaw>) {
        let lenient = self.lenient;
        let Some(rare) = &mut self.rare else { return };
        let (then, otherwise) = (rare.then.take(), rare.otherwise.take());
        let Some((test, place)) = rare.condition.take() else {
            for (name, shape) in [("then", then), ("else", otherwise)] {
                if let Some(shape) = shape.filter(|_| !lenient) {
                    let message = format!("`{name}` says nothing without `if`");
                    flaws.push(Flaw::new(FlawCode::NeverApplies, message).at(shape.place));
                }
            }
            return;
        };
        let test = Test::If(Box::new(Conditional { test, then, otherwise }));
        self.rules.push(Rule { place, ..Rule::from(test) });
    }

    /// Makes one rule of `contains` and its counts.
    fn add_containment(&mut self, flaws: &mut Vec<Flaw>) {
        let lenient = self.lenient;
        let Some(rare) = &mut self.rare else { return };
        let (least, most) = (rare.least_contained.take(), rare.most_contained.take());
        let Some((shape, place)) = rare.contains.take() else {
            for (name, count) in [("minContains", least), ("maxContains", most)] {
                if let Some((_, place)) = count.filter(|_| !lenient) {
                    let message = format!("`{name}` says nothing without `contains`");
                    flaws.push(Flaw::new(FlawCode::NeverApplies, message).at(place));
                }
            }
            return;
        };
        let (least, most) = (least.map_or(1, |(least, _)| least), most.map(|(most, _)| most));
        let containment = Containment { shape, least, most, evaluates: true };
        self.rules.push(Rule { place, ..Rule::from(Test::Containment(Box::new(containment))) });
    }

    fn exclude_bounds(&mut self) {
        if self.exclusive == (false, false) {
            return;
        }
        for rule in &mut self.rules {
            rule.test = match std::mem::replace(&mut rule.test, Test::Unique(())) {
                Test::Minimum(bound) if self.exclusive.0 => Test::ExclusiveMinimum(bound),
                Test::Maximum(bound) if self.exclusive.1 => Test::ExclusiveMaximum(bound),
                other => other,
            };
        }
    }

    fn give_messages(&mut self, flaws: &mut Vec<Flaw>) {
        let messages = match &mut self.rare {
            Some(rare) if !rare.messages.is_empty() => std::mem::take(&mut rare.messages),
            _ => return,
        };
        let mut rules: HashMap<String, Vec<&mut Rule>> = HashMap::new();
        for rule in &mut self.rules {
            rules.entry(rule.name().to_owned()).or_default().push(rule);
        }
        let mut known: Vec<String> = rules.keys().cloned().collect();
        known.sort_unstable();
        for (name, message, place) in messages {
            if let Some(rules) = rules.get_mut(&*name) {
                rules.iter_mut().for_each(|rule| rule.message = Some(message.clone()));
                continue;
            }
            let text = format!("`messages` speaks of `{name}`, but the shape has no such rule");
            let mut flaw = Flaw::new(FlawCode::BadKeyword, text).at(place);
            flaw.hint = match known.is_empty() {
                true => Some("messages are for rules, not for types or parts".to_owned()),
                false => Some(format!("its rules are {}", known.join(", "))),
            };
            flaws.push(flaw);
        }
    }

    /// The form that `type` and the words about parts give, and whether null is accepted besides.
    fn own_form(&mut self) -> (Form, bool) {
        let Some(types) = self.types.take() else {
            let facets = self.facets();
            if facets.is_empty() {
                return (Form::Any, false);
            }
            // Words about parts speak of the values that have such parts; others pass.
            let mut alternatives: Vec<Shape> =
                facets.iter().map(|kind| Shape::new(self.kind_form(kind)).at(self.place)).collect();
            alternatives.push(Shape::any());
            return (Form::Union(Box::new(Union { alternatives, select: Select::Kind })), false);
        };
        let besides_null = types.without(ValueKind::Null.into());
        match (types.only(), besides_null.only()) {
            _ if types.is_empty() => (Form::Never, false),
            (Some(only), _) => (self.kind_form(only), false),
            (None, Some(kind)) if !self.speaks_of_null() => (self.kind_form(kind), true),
            _ => {
                let alternatives = types.iter().map(|kind| Shape::new(self.kind_form(kind)).at(self.place));
                let alternatives = alternatives.collect();
                (Form::Union(Box::new(Union { alternatives, select: Select::Kind })), false)
            }
        }
    }

    /// The kinds of value that have the parts which are described.
    fn facets(&self) -> Kinds {
        let prefix = self.rare.as_deref().is_some_and(|rare| rare.prefix.is_some());
        let has_object = self.properties.is_some()
            || !self.required.is_empty()
            || self.additional.is_some()
            || !self.patterns().is_empty();
        let object = if has_object { ValueKind::Object.into() } else { Kinds::NONE };
        let list = if prefix || self.items.is_some() { ValueKind::List.into() } else { Kinds::NONE };
        object | list
    }

    fn kind_form(&mut self, kind: ValueKind) -> Form {
        match kind {
            ValueKind::Null => Form::Null,
            ValueKind::Bool => Form::Bool,
            ValueKind::Int => Form::Int(IntWidth::Any),
            ValueKind::Float => Form::Number,
            ValueKind::Text => Form::Text,
            ValueKind::Bytes => Form::Bytes,
            ValueKind::List => self.list(),
            ValueKind::Object => self.object(),
            // No set of kinds has it.
            ValueKind::Unknown => Form::Never,
        }
    }

    fn list(&mut self) -> Form {
        let mut rest = self.items.take();
        let mut prefix = None;
        if let Some(rare) = &mut self.rare {
            prefix = rare.prefix.take();
            // Next to a list of first elements `additionalItems` is what `items` is next to `prefixItems`.
            if rare.items_listed {
                rest = rare.additional_items.take();
            }
        }
        match prefix {
            None => Form::List(rest.unwrap_or_else(|| Box::new(Shape::any()))),
            Some(items) => {
                let rest = match rest {
                    Some(rest) if matches!(rest.form, Form::Never) => None,
                    rest => Some(rest.unwrap_or_else(|| Box::new(Shape::any()))),
                };
                Form::Tuple(Box::new(Tuple { items, least: 0, rest }))
            }
        }
    }

    fn object(&mut self) -> Form {
        let mut properties = self.properties.take().unwrap_or_default();
        let required = std::mem::take(&mut self.required);
        let known = self.index(&properties, required.len());
        let mut others: HashSet<&str> = HashSet::new();
        for (name, place) in required {
            let position = match &known {
                Some(known) => known.get(name.as_bytes()),
                None => properties.iter().position(|property| *property.name == *name),
            };
            match position.and_then(|position| properties.get_mut(position)) {
                Some(property) => property.required = true,
                None => {
                    if known.is_none() || others.insert(name) {
                        let required = Property::required(name, Shape::any());
                        properties.push(Property { place, undeclared: true, ..required });
                    }
                }
            }
        }
        let patterns = self.rare.as_deref_mut().map(|rare| std::mem::take(&mut rare.patterns));
        Form::Object(Box::new(Object {
            properties,
            patterns: patterns.unwrap_or_default(),
            additional: self.additional.take().unwrap_or(Additional::Open),
            names: None,
        }))
    }

    /// An index of properties, if it pays for so many lookups.
    pub(super) fn index(&self, properties: &[Property], lookups: usize) -> Option<NameTable> {
        /// Up to so many comparisons need no index.
        const FEW: usize = 256;
        (lookups * (properties.len() + lookups) > FEW)
            .then(|| NameTable::new(properties.iter().map(|property| &*property.name)))
    }

    /// Whether something besides the type can reject null, so that null cannot be let past it.
    fn speaks_of_null(&self) -> bool {
        self.rules.iter().any(|rule| rule.test.info().applies_to.contains(ValueKind::Null))
            || self.reference.is_some()
            || self.dynamic.is_some()
            || self
                .rare
                .as_deref()
                .is_some_and(|rare| rare.any_of.is_some() || rare.one_of.is_some() || rare.all_of.is_some())
    }
}

/// The forms that a shape must all have; most shapes have one.
#[derive(Default)]
struct Forms {
    first: Option<Form>,
    more: Vec<Form>,
}

impl Forms {
    fn push(&mut self, form: Form) {
        match self.first {
            None => self.first = Some(form),
            Some(_) => self.more.push(form),
        }
    }

    /// One form that is all of them.
    fn into_one(self, place: Option<Span>) -> Form {
        let first = self.first.unwrap_or(Form::Any);
        if self.more.is_empty() {
            return first;
        }
        let all = std::iter::once(first).chain(self.more);
        Form::All(all.map(|form| Shape::new(form).at(place)).collect())
    }
}
