//! All parameters of a template as one object, and all its outputs: what a comparison of two templates looks at.

use contract::rules::{Rule, Test};
use contract::{Constant, Definitions, Form, IntWidth, Object, Property, Shape};
use document::SourceValue;

use super::lower::{TypeContracts, description};
use super::{TypeDefinition, TypeWord};
use crate::template::Template;
use crate::template::read::member;

/// How deep a default value is looked into.
const DEPTH: usize = 64;

impl Template {
    /// The object of all parameters: no other is accepted, and one with a default value may be absent or null.
    pub fn parameters_shape(&self) -> Shape {
        let declared = member(self.source(), "parameters");
        let properties = self.parameters.iter().map(|parameter| {
            let mut shape = self.shape_of(&parameter.ty);
            let optional = parameter.default.is_some() || parameter.ty.nullable;
            shape.nullable |= optional;
            shape.secret |= parameter.ty.secure;
            let written = declared.and_then(|all| member(all, &parameter.name));
            shape.description = written.and_then(|it| description(member(it, "metadata")));
            let default = written.and_then(|it| member(it, "defaultValue"));
            shape.default = default
                .filter(|_| !self.has_secrets(&parameter.ty))
                .and_then(|value| Constant::copy(value, DEPTH))
                .map(Box::new);
            Property {
                required: !optional,
                place: written.map(SourceValue::place),
                ..Property::optional(&parameter.name, shape)
            }
        });
        Object::open(properties).closed().into()
    }

    /// The object of all outputs, each of them there.
    pub fn outputs_shape(&self) -> Shape {
        let written = member(self.source(), "outputs");
        let properties = self.outputs.iter().map(|output| {
            let mut shape = self.shape_of(&output.ty);
            shape.nullable |= output.ty.nullable;
            shape.description = written
                .and_then(|all| member(all, &output.name))
                .and_then(|it| description(member(it, "metadata")));
            Property { place: shape.place, ..Property::required(&output.name, shape) }
        });
        Object::open(properties).into()
    }

    /// What the references of these shapes lead to; none if the types cannot be used.
    pub fn type_definitions(&self) -> Option<&Definitions> {
        self.types().contract.as_ref().map(contract::Contract::definitions)
    }

    /// What a validator says, with the functions that it may call: two of the same text do the same.
    pub fn validator_text(&self, rule: &Rule) -> Option<String> {
        let (Test::Custom(_), Some(place)) = (&rule.test, rule.place) else { return None };
        let slice = |start: u32, end: u32| self.document.text().get(start as usize..end as usize);
        let functions = member(self.source(), "functions").map(SourceValue::place);
        let functions = functions.and_then(|place| slice(place.start, place.end)).unwrap_or_default();
        Some(format!("{}\n{functions}", slice(place.start, place.end)?))
    }

    fn shape_of(&self, ty: &TypeDefinition) -> Shape {
        let place = Some(self.source_of(ty).place());
        if !ty.plain {
            let known = self.type_definitions().is_some_and(|it| it.contains_key(&*TypeContracts::entry(ty)));
            let form = if known { Form::Ref(TypeContracts::entry(ty).into()) } else { Form::Any };
            return Shape::new(form).at(place);
        }
        let form = match ty.word {
            None => Form::Any,
            Some(TypeWord::String) => Form::Text,
            Some(TypeWord::Int) => Form::Int(IntWidth::Written),
            Some(TypeWord::Bool) => Form::Bool,
            Some(TypeWord::Array) => Form::List(Box::new(Shape::any())),
            Some(TypeWord::Object) => Form::Object(Box::new(Object::open([]))),
        };
        let mut shape = Shape::new(form).at(place);
        shape.secret = ty.secure;
        shape
    }
}
