//! Scopes: what resources and modules can be deployed to.

use arm::Value;
use syntax::NodeId;

use super::deployment::ANY_AZURE;
use super::reading::object_of_texts;
use super::row::{Becomes, argument_nodes};
use super::{Family, Function, Overload as O, Parameter as P};
use crate::check::Checker;
use crate::layout::ScopeData;
use crate::symbols::{Call, Model};
use crate::types::{Object, Property, PropertyFlags, Role, Scopes, Ty, azure, scope_names};

const SUBSCRIPTION_AND_BELOW: Scopes = Scopes::SUBSCRIPTION.union(Scopes::RESOURCE_GROUP);
const ANYWHERE: Scopes = ANY_AZURE.union(Scopes::LOCAL);

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "managementGroup",
        "Returns the management group that is deployed to, or names another one as a scope.",
        &[
            O::call(&[], own_management_group, Ty::object).at(Scopes::MANAGEMENT_GROUP),
            O::call(&[P::new("name", Ty::string)], management_group, Ty::object).at(ANY_AZURE),
        ],
    )
    .becomes(Becomes::Value(nothing_elsewhere, ELSEWHERE))
    .scope(management_group_scope),
    row(
        "resourceGroup",
        "Returns the resource group that is deployed to, or names another one as a scope.",
        &[
            O::call(&[], own_resource_group, Ty::object).at(Scopes::RESOURCE_GROUP),
            O::call(&[P::new("name", Ty::string)], resource_group, Ty::object).at(SUBSCRIPTION_AND_BELOW),
            O::call(
                &[P::new("subscriptionId", Ty::string), P::new("name", Ty::string)],
                resource_group,
                Ty::object,
            )
            .at(ANYWHERE),
        ],
    )
    .becomes(Becomes::Value(nothing_elsewhere, ELSEWHERE))
    .scope(resource_group_scope),
    row(
        "subscription",
        "Returns the subscription that is deployed to, or names another one as a scope.",
        &[
            O::call(&[], own_subscription, Ty::object).at(SUBSCRIPTION_AND_BELOW),
            O::call(&[P::new("id", Ty::string)], subscription, Ty::object).at(ANYWHERE),
        ],
    )
    .becomes(Becomes::Value(nothing_elsewhere, ELSEWHERE))
    .scope(subscription_scope),
    row(
        "tenant",
        "Returns the tenant that is deployed to.",
        &[O::call(&[], tenant, Ty::object).at(ANY_AZURE)],
    )
    .scope(tenant_scope),
];

const ELSEWHERE: &str =
    "a call, or an empty object where another one is named, because only `scope` can use that";

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::az(Family::Scope, name, doc, overloads)
}

/// A scope other than the own has no value of its own.
fn nothing_elsewhere<'m>(_: &'m Model, call: Call<'m>) -> Option<Value> {
    call.argument(0).map(|_| Value::object::<&str>([]))
}

fn scope(scope: Scopes, call: Call<'_>, properties: Vec<(&'static str, Ty)>) -> Ty {
    let properties =
        properties.into_iter().map(|(name, ty)| (name.into(), Property::new(ty, PropertyFlags::empty())));
    Ty::object_of(Object {
        name: scope_names(scope, ""),
        properties: properties.collect(),
        role: Role::Scope(scope, argument_nodes(call).into_iter().collect()),
        ..Object::default()
    })
}

fn texts(names: &[&'static str]) -> Vec<(&'static str, Ty)> {
    names.iter().map(|name| (*name, Ty::string())).collect()
}

fn tenant<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    scope(Scopes::TENANT, call, texts(&["tenantId", "country", "countryCode", "displayName"]))
}

fn own_subscription<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    scope(Scopes::SUBSCRIPTION, call, texts(&["id", "subscriptionId", "tenantId", "displayName"]))
}

fn subscription<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    scope(Scopes::SUBSCRIPTION, call, Vec::new())
}

fn own_resource_group<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    let mut all = texts(&["id", "name", "type", "location", "managedBy"]);
    all.push(("tags", azure::tags()));
    all.push(("properties", object_of_texts("properties", &["provisioningState"])));
    scope(Scopes::RESOURCE_GROUP, call, all)
}

fn resource_group<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    scope(Scopes::RESOURCE_GROUP, call, Vec::new())
}

fn own_management_group<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
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

fn management_group<'m>(_: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    scope(Scopes::MANAGEMENT_GROUP, call, Vec::new())
}

fn tenant_scope(_: &[NodeId]) -> ScopeData {
    ScopeData { kind: Scopes::TENANT, ..ScopeData::default() }
}

fn management_group_scope(arguments: &[NodeId]) -> ScopeData {
    let management_group = arguments.first().copied();
    ScopeData { kind: Scopes::MANAGEMENT_GROUP, management_group, ..ScopeData::default() }
}

fn subscription_scope(arguments: &[NodeId]) -> ScopeData {
    let subscription = arguments.first().copied();
    ScopeData { kind: Scopes::SUBSCRIPTION, subscription, ..ScopeData::default() }
}

fn resource_group_scope(arguments: &[NodeId]) -> ScopeData {
    let (subscription, resource_group) = match arguments {
        [] => (None, None),
        [group] => (None, Some(*group)),
        [subscription, group, ..] => (Some(*subscription), Some(*group)),
    };
    ScopeData { kind: Scopes::RESOURCE_GROUP, subscription, resource_group, ..ScopeData::default() }
}
