//! The properties that every resource type has, whether its author writes them or not.

use crate::schema::{Additional, Schema, SchemaProperty, SchemaType};

/// Adds the properties that the author did not declare; a second time it adds nothing.
pub(crate) fn add(schema: &mut Schema) {
    let properties = schema.properties.get_or_insert_default();
    for (name, make) in BASE {
        if !properties.iter().any(|property| &*property.name == *name) {
            properties.push(SchemaProperty { name: (*name).into(), schema: make(), place: None });
        }
    }
    if !schema.requires(ENVIRONMENT) {
        schema.required.push(ENVIRONMENT.into());
    }
}

const ENVIRONMENT: &str = "environment";

type BaseProperty = (&'static str, fn() -> Schema);

const BASE: &[BaseProperty] = &[
    ("application", || text("The application that the resource belongs to, by its id")),
    (ENVIRONMENT, || text("The environment that the resource is deployed to, by its id")),
    ("connections", connections),
    ("codeReference", || text("Where the source code of the resource is, as a URI")),
];

fn described(kind: SchemaType, description: &str) -> Schema {
    Schema { description: Some(description.into()), ..Schema::new(kind) }
}

fn text(description: &str) -> Schema {
    described(SchemaType::String, description)
}

fn connections() -> Schema {
    let property = |name: &str, schema| SchemaProperty { name: name.into(), schema, place: None };
    let connection = Schema {
        properties: Some(vec![
            property("source", text("The resource that is connected, by its id")),
            property(
                "disableDefaultEnvVars",
                described(
                    SchemaType::Boolean,
                    "Whether no environment variables are made from the connection",
                ),
            ),
        ]),
        required: vec!["source".into()],
        ..described(SchemaType::Object, "A connection to another resource")
    };
    Schema {
        additional: Additional::Schema(Box::new(connection)),
        ..described(SchemaType::Object, "The resources that this one uses, by names of your choice")
    }
}
