//! The types that Radius itself has, which nobody registers: environments, applications and recipe packs.
//!
//! What is known of their properties is checked; what else clients send with them is kept as it is.

use std::sync::{Arc, LazyLock};

use super::compiled::Compiled;
use crate::schema::{Additional, Property, Schema, Type};

/// A type that is there without being registered.
#[derive(Debug)]
pub struct BuiltIn {
    /// `Namespace/type`.
    pub name: &'static str,
    /// The version of its API.
    pub version: &'static str,
    properties: &'static [Row],
}

/// A property: its name, its type, whether it must be there.
type Row = (&'static str, Type, bool);

/// The version of the API of `Applications.Core`, of the registry, and of resource groups.
pub const API_VERSION: &str = "2023-10-01-preview";

/// The version of the API of `Radius.Core`.
pub const CORE_API_VERSION: &str = "2025-08-01-preview";

/// All of them, one row for each.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "Applications.Core/environments",
        version: API_VERSION,
        properties: &[
            ("compute", Type::Object, false),
            ("providers", Type::Object, false),
            ("recipes", Type::Object, false),
            ("recipeConfig", Type::Object, false),
            ("simulated", Type::Boolean, false),
        ],
    },
    BuiltIn {
        name: "Applications.Core/applications",
        version: API_VERSION,
        properties: &[("environment", Type::String, true)],
    },
    BuiltIn {
        name: "Radius.Core/environments",
        version: CORE_API_VERSION,
        properties: &[
            ("providers", Type::Object, false),
            ("recipePacks", Type::Array, false),
            ("recipeParameters", Type::Object, false),
            ("simulated", Type::Boolean, false),
        ],
    },
    BuiltIn {
        name: "Radius.Core/applications",
        version: CORE_API_VERSION,
        properties: &[("environment", Type::String, true)],
    },
    BuiltIn {
        name: "Radius.Core/recipePacks",
        version: CORE_API_VERSION,
        properties: &[("recipes", Type::Object, true)],
    },
];

/// A built-in type by its name, in whatever case.
pub fn built_in(full_name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|row| row.name.eq_ignore_ascii_case(full_name))
}

impl BuiltIn {
    /// What its resources have.
    pub(super) fn schema(&self) -> Option<&'static Arc<Compiled>> {
        static SCHEMAS: LazyLock<Vec<Arc<Compiled>>> =
            LazyLock::new(|| BUILT_IN.iter().map(|row| Arc::new(Compiled::new(schema(row)))).collect());
        let at = BUILT_IN.iter().position(|row| row.name == self.name)?;
        SCHEMAS.get(at)
    }
}

fn schema(row: &BuiltIn) -> Schema {
    let property =
        |(name, kind, _): &Row| Property { name: (*name).into(), schema: Schema::new(*kind), place: None };
    Schema {
        properties: Some(row.properties.iter().map(property).collect()),
        required: row.properties.iter().filter(|row| row.2).map(|row| row.0.into()).collect(),
        additional: Additional::Schema(Box::new(Schema::new(Type::Any))),
        ..Schema::new(Type::Object)
    }
}
