//! The facets of one shape while its words are read, and how they become a form.

use crate::constant::Constant;
use crate::kind::{Kind, Kinds};
use crate::number::IntWidth;
use crate::pattern::Pattern;
use crate::rules::{Rule, Test};
use crate::shape::{Additional, Form, Object, Property, Select, Shape, Tuple, Union};
use crate::view::Place;

/// What the words of one shape have said so far.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) types: Option<Vec<Kind>>,
    pub(super) nullable: bool,
    pub(super) secret: bool,
    pub(super) default: Option<Constant>,
    pub(super) title: Option<Box<str>>,
    pub(super) description: Option<Box<str>>,
    pub(super) place: Option<Place>,
    pub(super) rules: Vec<Rule>,
    pub(super) properties: Option<Vec<Property>>,
    pub(super) required: Vec<(Box<str>, Option<Place>)>,
    pub(super) additional: Option<Additional>,
    pub(super) patterns: Vec<(Pattern, Shape)>,
    pub(super) items: Option<Shape>,
    pub(super) prefix: Option<Vec<Shape>>,
    pub(super) any_of: Option<Vec<Shape>>,
    pub(super) one_of: Option<Vec<Shape>>,
    pub(super) all_of: Option<Vec<Shape>>,
    pub(super) discriminator: Option<Select>,
    pub(super) reference: Option<Box<str>>,
    pub(super) messages: Vec<(Box<str>, Box<str>)>,
    /// Whether `minimum` and `maximum` exclude their bound, as OpenAPI 3.0 says it.
    pub(super) exclusive: (bool, bool),
}

impl Draft {
    /// Makes the shape that the words describe.
    pub(super) fn finish(mut self) -> Shape {
        self.exclude_bounds();
        self.give_messages();
        let mut forms = Vec::new();
        let mut nullable = self.nullable;
        if let Some(name) = self.reference.take() {
            forms.push(Form::Ref(name));
        }
        let (own, or_null) = self.own_form();
        nullable |= or_null;
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
        let form = match forms.len() {
            0 => Form::Any,
            1 => forms.remove(0),
            _ => Form::All(forms.into_iter().map(|form| Shape::new(form).at(self.place)).collect()),
        };
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
        for rule in &mut self.rules {
            rule.test = match std::mem::replace(&mut rule.test, Test::Unique(())) {
                Test::Minimum(bound) if self.exclusive.0 => Test::ExclusiveMinimum(bound),
                Test::Maximum(bound) if self.exclusive.1 => Test::ExclusiveMaximum(bound),
                other => other,
            };
        }
    }

    fn give_messages(&mut self) {
        for (name, message) in std::mem::take(&mut self.messages) {
            for rule in self.rules.iter_mut().filter(|rule| *rule.name() == *name) {
                rule.message = Some(message.clone());
            }
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
                facets.iter().map(|kind| Shape::new(self.kind_form(kind))).collect();
            alternatives.push(Shape::any());
            return (Form::Union(Union { alternatives, select: Select::Kind }), false);
        };
        match types.as_slice() {
            [] => (Form::Never, false),
            [only] => (self.kind_form(*only), false),
            [kind, Kind::Null] | [Kind::Null, kind]
                if !self.rules.iter().any(|rule| speaks_of_null(&rule.test)) =>
            {
                (self.kind_form(*kind), true)
            }
            several => {
                let alternatives =
                    several.iter().map(|kind| Shape::new(self.kind_form(*kind)).at(self.place));
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
        let rest = self.items.take();
        match self.prefix.take() {
            None => Form::List(Box::new(rest.unwrap_or_else(Shape::any))),
            Some(items) => {
                let rest = match rest {
                    Some(Shape { form: Form::Never, .. }) => None,
                    rest => Some(Box::new(rest.unwrap_or_else(Shape::any))),
                };
                Form::Tuple(Tuple { items, least: 0, rest })
            }
        }
    }

    fn object(&mut self) -> Form {
        let mut properties = self.properties.take().unwrap_or_default();
        for (name, place) in std::mem::take(&mut self.required) {
            match properties.iter_mut().find(|property| property.name == name) {
                Some(property) => property.required = true,
                None => properties.push(Property { place, ..Property::required(&name, Shape::any()) }),
            }
        }
        Form::Object(Object {
            properties,
            patterns: std::mem::take(&mut self.patterns),
            additional: self.additional.take().unwrap_or(Additional::Open),
            names: None,
        })
    }
}

/// Whether a rule can reject null, so that null cannot be let past it.
fn speaks_of_null(test: &Test) -> bool {
    test.info().applies_to.contains(Kind::Null)
}
