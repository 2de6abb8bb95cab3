//! Scopes: what resources and modules can be deployed to.

use super::deployment::ANY_AZURE;
use super::row::{Becomes, ScopeFunction, ValueRule};
use super::{Family, Function};
use crate::types::{CallRule, Overload as O, ParameterRow as P, Scopes, Ty};

const SUBSCRIPTION_AND_BELOW: Scopes = Scopes::SUBSCRIPTION.union(Scopes::RESOURCE_GROUP);
const ANYWHERE: Scopes = ANY_AZURE.union(Scopes::LOCAL);

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "managementGroup",
        "Returns the management group that is deployed to, or names another one as a scope.",
        &[
            O::call(&[], CallRule::ManagementGroup, Ty::object).at(Scopes::MANAGEMENT_GROUP),
            O::call(&[P::new("name", Ty::string)], CallRule::NamedManagementGroup, Ty::object).at(ANY_AZURE),
        ],
    )
    .becomes(Becomes::Value(ValueRule::NothingElsewhere, ELSEWHERE))
    .scope(ScopeFunction::ManagementGroup),
    row(
        "resourceGroup",
        "Returns the resource group that is deployed to, or names another one as a scope.",
        &[
            O::call(&[], CallRule::ResourceGroup, Ty::object).at(Scopes::RESOURCE_GROUP),
            O::call(&[P::new("name", Ty::string)], CallRule::NamedResourceGroup, Ty::object)
                .at(SUBSCRIPTION_AND_BELOW),
            O::call(
                &[P::new("subscriptionId", Ty::string), P::new("name", Ty::string)],
                CallRule::NamedResourceGroup,
                Ty::object,
            )
            .at(ANYWHERE),
        ],
    )
    .becomes(Becomes::Value(ValueRule::NothingElsewhere, ELSEWHERE))
    .scope(ScopeFunction::ResourceGroup),
    row(
        "subscription",
        "Returns the subscription that is deployed to, or names another one as a scope.",
        &[
            O::call(&[], CallRule::Subscription, Ty::object).at(SUBSCRIPTION_AND_BELOW),
            O::call(&[P::new("id", Ty::string)], CallRule::NamedSubscription, Ty::object).at(ANYWHERE),
        ],
    )
    .becomes(Becomes::Value(ValueRule::NothingElsewhere, ELSEWHERE))
    .scope(ScopeFunction::Subscription),
    row(
        "tenant",
        "Returns the tenant that is deployed to.",
        &[O::call(&[], CallRule::Tenant, Ty::object).at(ANY_AZURE)],
    )
    .scope(ScopeFunction::Tenant),
];

const ELSEWHERE: &str =
    "a call, or an empty object where another one is named, because only `scope` can use that";

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::az(Family::Scope, name, doc, overloads)
}
