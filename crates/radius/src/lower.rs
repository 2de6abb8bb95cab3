//! Schemas to the shapes that the contract engine checks values with.

use std::collections::HashSet;

use contract::format::Format;
use contract::{
    Additional as Rest, Constant, Contract, Definitions, Flaw, Form, IntWidth, Object, Operand,
    Property as Part, Rule, Shape, Test, Unit,
};
use diagnostics::Span;

use crate::schema::{Additional, Constraint, Keyword, Schema, SchemaType, pattern};

/// What a value is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// What an author asks for: read-only properties are the server's.
    Request,
    /// What a server keeps and answers.
    State,
}

/// The contract for a whole resource of a type.
pub fn contract_of(schema: &Schema, purpose: Purpose) -> Result<Contract, Vec<Flaw>> {
    Contract::compile(&resource_shape(schema, purpose), &Definitions::new())
}

/// The shape of a whole resource: its properties, and what stands around them.
pub fn resource_shape(schema: &Schema, purpose: Purpose) -> Shape {
    around(properties_shape(schema, purpose))
}

/// The shape of a whole resource with such properties.
pub(crate) fn around(properties: Shape) -> Shape {
    let texts = ["id", "name", "type", "apiVersion", "location"];
    let mut parts: Vec<Part> = texts.iter().map(|name| Part::optional(name, Shape::text())).collect();
    parts.push(Part::optional("tags", Shape::map(Shape::text(), Shape::text())));
    parts.push(Part::optional("systemData", Shape::object([])));
    parts.push(Part::required("properties", properties));
    Object::open(parts).closed().into()
}

/// The shape of what a server promises of a resource that it answers with: what only the server sets is there.
///
/// What users write comes back as they wrote it, so nothing is promised of that.
pub fn response_shape(schema: &Schema) -> Shape {
    let promised = promised(schema).unwrap_or_else(|| Shape::object([]));
    Object::open([Part::required("properties", promised)]).into()
}

/// The parts of a node that only the server sets; none if there are none.
fn promised(schema: &Schema) -> Option<Shape> {
    let mut parts = Vec::new();
    for property in schema.properties() {
        let inner = &property.schema;
        if inner.read_only {
            let shape = part_shape(inner, Purpose::State, true);
            parts.push(Part { place: property.place, ..Part::required(&property.name, shape) });
        } else if let Some(mut shape) = promised(inner) {
            shape.nullable = inner.nullable;
            parts.push(Part { place: property.place, ..Part::optional(&property.name, shape) });
        }
    }
    (!parts.is_empty()).then(|| Shape::from(Object::open(parts)).at(schema.place))
}

/// The shape of the properties of a resource.
///
/// Beside what the schema lists there may be what Radius itself reads and writes: `recipe` and `provisioningState`.
pub fn properties_shape(schema: &Schema, purpose: Purpose) -> Shape {
    let mut shape = node_shape(schema, purpose);
    if let Form::Object(object) = &mut shape.form {
        let recipe = Object::open([
            Part::optional("name", Shape::text()),
            Part::optional("parameters", Shape::object([])),
        ]);
        let more = [("recipe", Shape::from(recipe.closed())), (arm::PROVISIONING_STATE, Shape::text())];
        for (name, shape) in more {
            if schema.property(name).is_none() {
                object.properties.push(Part::optional(name, shape));
            }
        }
    }
    shape
}

/// The shape of one node.
pub(crate) fn node_shape(schema: &Schema, purpose: Purpose) -> Shape {
    part_shape(schema, purpose, false)
}

/// The shape of one node; `served` says that it is inside of what only the server sets.
fn part_shape(schema: &Schema, purpose: Purpose, served: bool) -> Shape {
    let served = served || schema.read_only;
    let form = match schema.kind {
        SchemaType::Any => Form::Any,
        SchemaType::String => Form::Text,
        SchemaType::Integer => Form::Int(IntWidth::Any),
        SchemaType::Number => Form::Number,
        SchemaType::Boolean => Form::Bool,
        SchemaType::Array => {
            let items =
                schema.items.as_deref().map_or_else(Shape::any, |items| part_shape(items, purpose, served));
            Form::List(Box::new(items))
        }
        SchemaType::Object => Form::Object(Box::new(object(schema, purpose, served))),
    };
    let mut shape = Shape::new(form).at(schema.place);
    shape.nullable = schema.nullable;
    // What the server never returns is in no message either.
    shape.secret = schema.sensitive || schema.write_only;
    shape.title = schema.title.as_deref().map(Into::into);
    shape.description = schema.description.clone();
    if let Some((name, place)) = &schema.format
        && let Some(format) = Format::parse(name).filter(|format| format.is_checked())
        && applies(format, schema.kind)
    {
        shape.rules.push(rule(Test::Format(format), None, *place));
    }
    if !schema.values.is_empty() {
        // Where null is allowed, it is allowed whether the list has it or not.
        let values = schema.values.iter().filter(|value| !schema.nullable || **value != Constant::Null);
        let values: Vec<Operand> = values.cloned().map(Operand::Constant).collect();
        shape.rules.push(rule(Test::In(values), Some("enum"), schema.values_place));
    }
    for constraint in &schema.constraints {
        if let Some(test) = test(schema, constraint) {
            shape.rules.push(rule(test, Some(constraint.keyword.name()), constraint.place));
        }
    }
    shape
}

fn object(schema: &Schema, purpose: Purpose, served: bool) -> Object {
    let required: HashSet<&str> = schema.required.iter().map(|name| &**name).collect();
    let mut object = Object::open(schema.properties().iter().map(|property| {
        let inner = &property.schema;
        if inner.read_only && purpose == Purpose::Request {
            let shape = read_only(property.place.or(inner.place));
            return Part { place: property.place, ..Part::optional(&property.name, shape) };
        }
        // What only the server sets is there when the server has set it; what is inside of it, it has set at once.
        let required = required.contains(&*property.name) && (served || !inner.read_only);
        let shape = part_shape(inner, purpose, served);
        Part { required, place: property.place, ..Part::optional(&property.name, shape) }
    }));
    object.additional = match &schema.additional {
        Additional::Schema(values) => Rest::Shape(Box::new(part_shape(values, purpose, served))),
        Additional::None => Rest::Closed,
        // What lists its properties has no others; what lists none says nothing.
        Additional::Unsaid if schema.properties.is_some() => Rest::Closed,
        Additional::Unsaid => Rest::Open,
    };
    object
}

/// What holds for no value, with a reason.
pub(crate) fn read_only(place: Option<Span>) -> Shape {
    let message = "the property is read-only: the server sets it";
    Shape::any().rule(Rule {
        test: Test::Not(Box::new(Shape::any())),
        spelling: Some("readOnly".into()),
        message: Some(message.into()),
        place,
    })
}

fn rule(test: Test, spelling: Option<&'static str>, place: Option<Span>) -> Rule {
    let spelling = spelling.filter(|name| *name != test.info().name).map(Into::into);
    Rule { spelling, place, ..Rule::from(test) }
}

/// What a constraint asks; `None` if it is the mark of another one, or not set.
fn test(schema: &Schema, constraint: &Constraint) -> Option<Test> {
    let operand = || Operand::Constant(constraint.operand.clone());
    Some(match constraint.keyword {
        Keyword::Minimum if schema.is_set(Keyword::ExclusiveMinimum) => Test::ExclusiveMinimum(operand()),
        Keyword::Minimum => Test::Minimum(operand()),
        Keyword::Maximum if schema.is_set(Keyword::ExclusiveMaximum) => Test::ExclusiveMaximum(operand()),
        Keyword::Maximum => Test::Maximum(operand()),
        Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum => return None,
        Keyword::MultipleOf => Test::MultipleOf(operand()),
        Keyword::MinLength => Test::MinLength(Unit::Scalars, operand()),
        Keyword::MaxLength => Test::MaxLength(Unit::Scalars, operand()),
        Keyword::MinItems => Test::MinLength(Unit::Items, operand()),
        Keyword::MaxItems => Test::MaxLength(Unit::Items, operand()),
        Keyword::MinProperties => Test::MinLength(Unit::Properties, operand()),
        Keyword::MaxProperties => Test::MaxLength(Unit::Properties, operand()),
        Keyword::UniqueItems if schema.is_set(Keyword::UniqueItems) => Test::Unique(()),
        Keyword::UniqueItems => return None,
        Keyword::Pattern => match &constraint.operand {
            Constant::Text(text) => Test::Pattern(pattern(text).ok()?),
            _ => return None,
        },
    })
}

fn applies(format: Format, kind: SchemaType) -> bool {
    match kind {
        SchemaType::String => format.applies_to().contains(contract::ValueKind::Text),
        SchemaType::Integer | SchemaType::Number => format.applies_to().contains(contract::ValueKind::Int),
        SchemaType::Any | SchemaType::Boolean | SchemaType::Object | SchemaType::Array => false,
    }
}
