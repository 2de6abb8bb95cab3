//! The properties that every resource type has, whether its author writes them or not.

use super::{Additional, Property, Schema, Type};

/// Adds the properties that the author did not declare; a second time it adds nothing.
pub(crate) fn add(schema: &mut Schema) {
    let properties = schema.properties.get_or_insert_default();
    for (name, make) in BASE {
        if !properties.iter().any(|property| &*property.name == *name) {
            properties.push(Property { name: (*name).into(), schema: make(), place: None });
        }
    }
    if !schema.requires(ENVIRONMENT) {
        schema.required.push(ENVIRONMENT.into());
    }
}

const ENVIRONMENT: &str = "environment";

type Row = (&'static str, fn() -> Schema);

const BASE: &[Row] = &[
    ("application", || text("The application that the resource belongs to, by its id")),
    (ENVIRONMENT, || text("The environment that the resource is deployed to, by its id")),
    ("connections", connections),
    ("codeReference", || text("Where the source code of the resource is, as a URI")),
];

fn described(kind: Type, description: &str) -> Schema {
    Schema { description: Some(description.into()), ..Schema::new(kind) }
}

fn text(description: &str) -> Schema {
    described(Type::String, description)
}

fn connections() -> Schema {
    let property = |name: &str, schema| Property { name: name.into(), schema, place: None };
    let connection = Schema {
        properties: Some(vec![
            property("source", text("The resource that is connected, by its id")),
            property(
                "disableDefaultEnvVars",
                described(Type::Boolean, "Whether no environment variables are made from the connection"),
            ),
        ]),
        required: vec!["source".into()],
        ..described(Type::Object, "A connection to another resource")
    };
    Schema {
        additional: Additional::Schema(Box::new(connection)),
        ..described(Type::Object, "The resources that this one uses, by names of your choice")
    }
}
