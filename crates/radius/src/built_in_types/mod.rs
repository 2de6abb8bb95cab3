//! The types that Radius itself has, which nobody registers and nobody replaces: environments, applications and recipe packs.
//!
//! What their resources have is in `resources/built-in-types.yaml`, in the words of contracts: unlike schemas of types, these have
//! variants that a member names.

mod references;

use std::sync::{Arc, LazyLock};

use contract::{Definitions, Form, Shape, json};
use document::{Document, FileId, ReadLimits};

use crate::compiled_schema::CompiledSchema;
use crate::lower::{around, read_only};
use crate::schema::{Additional, Schema, SchemaProperty, SchemaType};

pub(crate) use references::{BuiltInReference, addressed, references};

/// A type that is there without being registered.
#[derive(Debug)]
pub struct BuiltIn {
    /// The full name, `Namespace/type`.
    pub name: &'static str,
    /// The version of its API.
    pub version: &'static str,
    /// The properties that only the server sets.
    read_only: &'static [&'static str],
}

/// The version of the API of `Applications.Core`, of the registry, and of resource groups.
pub const API_VERSION: &str = "2023-10-01-preview";

/// The version of the API of `Radius.Core`.
pub const CORE_API_VERSION: &str = "2025-08-01-preview";

/// All of them, one row for each.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn { name: "Applications.Core/environments", version: API_VERSION, read_only: &[] },
    BuiltIn { name: "Applications.Core/applications", version: API_VERSION, read_only: &["status"] },
    BuiltIn { name: "Radius.Core/environments", version: CORE_API_VERSION, read_only: &[] },
    BuiltIn { name: "Radius.Core/applications", version: CORE_API_VERSION, read_only: &["status"] },
    BuiltIn { name: "Radius.Core/recipePacks", version: CORE_API_VERSION, read_only: &["referencedBy"] },
];

const TEXT: &str = include_str!("../../resources/built-in-types.yaml");

static COMPILED: LazyLock<Vec<Option<Arc<CompiledSchema>>>> = LazyLock::new(|| {
    let document = Document::from_yaml(TEXT, FileId::FIRST, &ReadLimits::DEFAULT).ok();
    BUILT_IN.iter().map(|row| document.as_ref().and_then(|document| compiled(row, document))).collect()
});

/// A built-in type by its name, in whatever case.
pub fn built_in(full_name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|row| row.name.eq_ignore_ascii_case(full_name))
}

impl BuiltIn {
    /// What its resources have.
    pub(crate) fn schema(&self) -> Option<&'static Arc<CompiledSchema>> {
        let at = BUILT_IN.iter().position(|row| row.name == self.name)?;
        COMPILED.get(at)?.as_ref()
    }
}

fn compiled(row: &BuiltIn, document: &Document) -> Option<Arc<CompiledSchema>> {
    let written = document.root().member("types")?.member(row.name)?;
    let (state, definitions) = json::read_at(document.root(), written).ok()?;
    let mut request = state.clone();
    if let Form::Object(object) = &mut request.form {
        let theirs = object.properties.iter_mut().filter(|it| row.read_only.contains(&it.name.as_str()));
        theirs.for_each(|property| property.shape = read_only(None));
    }
    let compiled = |shape: Shape, definitions: &Definitions| {
        contract::Contract::compile(&around(shape), definitions).ok()
    };
    let contracts = (compiled(request, &definitions)?, compiled(state, &definitions)?);
    Some(Arc::new(CompiledSchema::with(schema(row), contracts)))
}

/// What is known of the properties besides their contract: which of them are the server's.
fn schema(row: &BuiltIn) -> Schema {
    let property = |name: &&str| SchemaProperty {
        name: (*name).into(),
        schema: Schema { read_only: true, ..Schema::new(SchemaType::Any) },
        place: None,
    };
    Schema {
        properties: Some(row.read_only.iter().map(property).collect()),
        additional: Additional::Schema(Box::new(Schema::new(SchemaType::Any))),
        ..Schema::new(SchemaType::Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_type_has_a_contract_and_the_text_has_no_other() {
        let document = Document::from_yaml(TEXT, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        for row in BUILT_IN {
            let written = document.root().member("types").unwrap().member(row.name).unwrap();
            let (shape, definitions) = json::read_at(document.root(), written).unwrap();
            contract::Contract::compile(&around(shape), &definitions).unwrap();
            assert!(row.schema().is_some(), "{}", row.name);
        }
        assert_eq!(document.root().member("types").unwrap().members().count(), BUILT_IN.len());
    }
}
