//! What can be read of the scopes of a deployment.

use syntax::ast::AstNode as _;

use crate::functions::object_of_texts;
use crate::symbols::CallSyntax;
use crate::types::{Object, Property, PropertyFlags, Role, Scopes, Ty, azure, scope_names};

/// A scope other than the own, of which nothing can be read.
pub(super) fn named(kind: Scopes, call: CallSyntax<'_>) -> Ty {
    scope(kind, call, Vec::new())
}

fn scope(scope: Scopes, call: CallSyntax<'_>, properties: Vec<(&'static str, Ty)>) -> Ty {
    let properties =
        properties.into_iter().map(|(name, ty)| (name.into(), Property::new(ty, PropertyFlags::empty())));
    Ty::object_of(Object {
        name: scope_names(scope, ""),
        properties: properties.collect(),
        role: Role::Scope(scope, call.arguments().map(|argument| argument.node().id()).collect()),
        ..Object::default()
    })
}

fn texts(names: &[&'static str]) -> Vec<(&'static str, Ty)> {
    names.iter().map(|name| (*name, Ty::string())).collect()
}

pub(super) fn tenant(call: CallSyntax<'_>) -> Ty {
    scope(Scopes::TENANT, call, texts(&["tenantId", "country", "countryCode", "displayName"]))
}

pub(super) fn own_subscription(call: CallSyntax<'_>) -> Ty {
    scope(Scopes::SUBSCRIPTION, call, texts(&["id", "subscriptionId", "tenantId", "displayName"]))
}

pub(super) fn own_resource_group(call: CallSyntax<'_>) -> Ty {
    let mut all = texts(&["id", "name", "type", "location", "managedBy"]);
    all.push(("tags", azure::tags()));
    all.push(("properties", object_of_texts("properties", &["provisioningState"])));
    scope(Scopes::RESOURCE_GROUP, call, all)
}

pub(super) fn own_management_group(call: CallSyntax<'_>) -> Ty {
    let none = PropertyFlags::empty();
    let summary = object_of_texts("summaryProperties", &["id", "name", "type"]);
    let details = Ty::closed_object(
        "detailsProperties",
        [
            ("version", Ty::string(), none),
            ("updatedTime", Ty::string(), none),
            ("updatedBy", Ty::string(), none),
            ("parent", summary, none),
        ],
    );
    let properties = Ty::closed_object(
        "properties",
        [("tenantId", Ty::string(), none), ("displayName", Ty::string(), none), ("details", details, none)],
    );
    let mut all = texts(&["id", "name", "type"]);
    all.push(("properties", properties));
    scope(Scopes::MANAGEMENT_GROUP, call, all)
}
