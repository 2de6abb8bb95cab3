//! The facets of one shape while its words are read, and how they become a form.

use std::collections::{HashMap, HashSet};

use crate::constant::Constant;
use crate::flaw::{Flaw, FlawCode};
use crate::kind::{Kind, Kinds};
use crate::names::Names;
use crate::number::IntWidth;
use crate::pattern::Pattern;
use crate::rules::{Rule, Test};
use crate::shape::{Additional, Form, Object, Property, Select, Shape, Tuple, Union};
use crate::view::Place;

/// What the words of one shape have said so far.
#[derive(Default)]
pub(super) struct Draft<'v> {
    pub(super) types: Option<Kinds>,
    pub(super) nullable: bool,
    pub(super) secret: bool,
    pub(super) default: Option<Constant>,
    pub(super) title: Option<Box<str>>,
    pub(super) description: Option<Box<str>>,
    pub(super) place: Option<Place>,
    pub(super) rules: Vec<Rule>,
    pub(super) properties: Option<Vec<Property>>,
    pub(super) required: Vec<(&'v str, Option<Place>)>,
    pub(super) additional: Option<Additional>,
    pub(super) patterns: Vec<(Pattern, Shape)>,
    pub(super) items: Option<Box<Shape>>,
    pub(super) prefix: Option<Vec<Shape>>,
    pub(super) any_of: Option<Vec<Shape>>,
    pub(super) one_of: Option<Vec<Shape>>,
    pub(super) all_of: Option<Vec<Shape>>,
    pub(super) discriminator: Option<Select>,
    pub(super) reference: Option<Box<str>>,
    pub(super) messages: Vec<(Box<str>, Box<str>, Option<Place>)>,
    /// The rest of a list whose first elements `items` lists, as older drafts of JSON Schema write it.
    pub(super) additional_items: Option<Box<Shape>>,
    /// Whether `items` is such a list.
    pub(super) items_listed: bool,
    /// Words about the parts of one kind of value.
    pub(super) parts: Vec<(&'static str, Kind, Option<Place>)>,
    /// Whether `minimum` and `maximum` exclude their bound, as OpenAPI 3.0 says it.
    pub(super) exclusive: (bool, bool),
}

impl<'v> Draft<'v> {
    /// Makes the shape that the words describe, and notes what they cannot mean.
    pub(super) fn finish(mut self, flaws: &mut Vec<Flaw>) -> Shape {
        self.give_messages(flaws);
        self.exclude_bounds();
        self.idle_parts(flaws);
        let mut forms = Forms::default();
        let mut nullable = self.nullable;
        let (own, or_null) = self.own_form();
        nullable |= or_null;
        if let Some(name) = self.reference.take() {
            forms.push(Form::Ref(name));
        }
        if own != Form::Any {
            forms.push(own);
        }
        if let Some(alternatives) = self.any_of.take() {
            let select = match self.one_of {
                None => self.discriminator.take().unwrap_or(Select::Any),
                Some(_) => Select::Any,
            };
            forms.push(Form::Union(Union { alternatives, select }));
        }
        if let Some(alternatives) = self.one_of.take() {
            let select = self.discriminator.take().unwrap_or(Select::One);
            forms.push(Form::Union(Union { alternatives, select }));
        }
        if let Some(shapes) = self.all_of.take() {
            forms.push(Form::All(shapes));
        }
        let form = forms.into_one(self.place);
        Shape {
            form,
            rules: self.rules,
            nullable,
            secret: self.secret,
            default: self.default,
            title: self.title,
            description: self.description,
            place: self.place,
        }
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
        let messages = std::mem::take(&mut self.messages);
        if messages.is_empty() {
            return;
        }
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

    /// Reports words about parts that no accepted value has.
    fn idle_parts(&self, flaws: &mut Vec<Flaw>) {
        let Some(found) = self.types.filter(|types| !types.is_empty()) else { return };
        for (name, kind, place) in self.parts.iter().filter(|(_, kind, _)| !found.contains(*kind)) {
            let message = format!("`{name}` says nothing about {found}: it is for {kind}");
            flaws.push(Flaw::new(FlawCode::NeverApplies, message).at(*place));
        }
    }

    /// The form that `type` and the words about parts give, and whether null is accepted besides.
    fn own_form(&mut self) -> (Form, bool) {
        let facets = Kinds::of(&[]);
        let has_object = self.properties.is_some()
            || !self.required.is_empty()
            || self.additional.is_some()
            || !self.patterns.is_empty();
        let has_list = self.items.is_some() || self.prefix.is_some();
        let facets = if has_object { facets | Kind::Object.into() } else { facets };
        let facets = if has_list { facets | Kind::List.into() } else { facets };
        let Some(types) = self.types.take() else {
            if facets.is_empty() {
                return (Form::Any, false);
            }
            // Words about parts speak of the values that have such parts; others pass.
            let mut alternatives: Vec<Shape> =
                facets.iter().map(|kind| Shape::new(self.kind_form(kind)).at(self.place)).collect();
            alternatives.push(Shape::any());
            return (Form::Union(Union { alternatives, select: Select::Kind }), false);
        };
        let besides_null = types.without(Kind::Null.into());
        match (types.only(), besides_null.only()) {
            _ if types.is_empty() => (Form::Never, false),
            (Some(only), _) => (self.kind_form(only), false),
            (None, Some(kind)) if !self.speaks_of_null() => (self.kind_form(kind), true),
            _ => {
                let alternatives = types.iter().map(|kind| Shape::new(self.kind_form(kind)).at(self.place));
                let alternatives = alternatives.collect();
                (Form::Union(Union { alternatives, select: Select::Kind }), false)
            }
        }
    }

    fn kind_form(&mut self, kind: Kind) -> Form {
        match kind {
            Kind::Null => Form::Null,
            Kind::Bool => Form::Bool,
            Kind::Int => Form::Int(IntWidth::Any),
            Kind::Float => Form::Number,
            Kind::Text => Form::Text,
            Kind::Bytes => Form::Bytes,
            Kind::List => self.list(),
            Kind::Object => self.object(),
        }
    }

    fn list(&mut self) -> Form {
        let (rest, more) = (self.items.take(), self.additional_items.take());
        // Next to a list of first elements `additionalItems` is what `items` is next to `prefixItems`.
        let rest = if self.items_listed { more } else { rest };
        match self.prefix.take() {
            None => Form::List(rest.unwrap_or_else(|| Box::new(Shape::any()))),
            Some(items) => {
                let rest = match rest {
                    Some(rest) if matches!(rest.form, Form::Never) => None,
                    rest => Some(rest.unwrap_or_else(|| Box::new(Shape::any()))),
                };
                Form::Tuple(Tuple { items, least: 0, rest })
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
                        properties.push(Property { place, ..Property::required(name, Shape::any()) });
                    }
                }
            }
        }
        Form::Object(Object {
            properties,
            patterns: std::mem::take(&mut self.patterns),
            additional: self.additional.take().unwrap_or(Additional::Open),
            names: None,
        })
    }

    /// An index of properties, if it pays for so many lookups.
    pub(super) fn index(&self, properties: &[Property], lookups: usize) -> Option<Names> {
        /// Up to so many comparisons need no index.
        const FEW: usize = 256;
        (lookups * (properties.len() + lookups) > FEW)
            .then(|| Names::new(properties.iter().map(|property| &*property.name)))
    }

    /// Whether something besides the type can reject null, so that null cannot be let past it.
    fn speaks_of_null(&self) -> bool {
        self.rules.iter().any(|rule| rule.test.info().applies_to.contains(Kind::Null))
            || self.reference.is_some()
            || self.any_of.is_some()
            || self.one_of.is_some()
            || self.all_of.is_some()
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
    fn into_one(self, place: Option<Place>) -> Form {
        let first = self.first.unwrap_or(Form::Any);
        if self.more.is_empty() {
            return first;
        }
        let all = std::iter::once(first).chain(self.more);
        Form::All(all.map(|form| Shape::new(form).at(place)).collect())
    }
}
