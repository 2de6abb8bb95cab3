//! What has which place in a template, decided between the checks and the emitter, which both ask: the form of the
//! template, the scopes of resources and modules, what waits for what, and what is not written at a place of its own.

mod assert_parts;
mod dependencies;
mod inlining;
mod option_arguments;
mod scopes;
mod settings;

pub(crate) use assert_parts::assert_parts;
pub(crate) use dependencies::{Dependencies, Dependency, dependencies, inferred_dependencies};
pub(crate) use inlining::{Bodies, Inlined, inlined};
pub(crate) use option_arguments::{CarriedMembers, CarriedType, carried, is_certain};
pub(crate) use scopes::{ScopeData, module_scope, resource_scopes};
pub(crate) use settings::{TemplateForm, deployed, uses_symbolic_names};

use syntax::ast::{Expr, TypeExpr};

use crate::types::TypeReference;

/// The resource type that a type expression names.
pub(crate) fn resource_type(ty: TypeExpr<'_>) -> Option<TypeReference> {
    let TypeExpr::ResourceType(resource) = ty else { return None };
    match resource.ty()? {
        Expr::String(text) => TypeReference::parse(&text.constant()?),
        _ => None,
    }
}
