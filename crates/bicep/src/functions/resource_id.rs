//! Resource ids.

use super::{Family, Function, Purity};
use crate::types::{Overload as O, ParameterRow as P, Ty};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "extensionResourceId",
        "Makes the id of a resource that extends another.",
        Purity::Pure,
        &[O::always(&[P::new("base", Ty::string), TYPE, NAMES], Ty::string)],
    ),
    row(
        "managementGroupResourceId",
        "Makes the id of a resource in a management group.",
        Purity::WithScope(1),
        &[
            O::always(&[TYPE, NAMES], Ty::string),
            O::always(&[P::new("managementGroup", Ty::string), TYPE, NAMES], Ty::string),
        ],
    ),
    row(
        "resourceId",
        "Makes the id of a resource where the template is deployed, or in a resource group that is named.",
        Purity::WithScope(2),
        &[
            O::always(&[TYPE, NAMES], Ty::string),
            O::always(&[SUBSCRIPTION, TYPE, NAMES], Ty::string),
            O::always(&[GROUP, TYPE, NAMES], Ty::string),
            O::always(&[SUBSCRIPTION, GROUP, TYPE, NAMES], Ty::string),
        ],
    ),
    row(
        "subscriptionResourceId",
        "Makes the id of a resource in a subscription.",
        Purity::WithScope(1),
        &[O::always(&[TYPE, NAMES], Ty::string), O::always(&[SUBSCRIPTION, TYPE, NAMES], Ty::string)],
    ),
    row(
        "tenantResourceId",
        "Makes the id of a resource in the tenant.",
        Purity::Pure,
        &[O::always(&[TYPE, NAMES], Ty::string)],
    ),
];

const TYPE: P = P::new("type", Ty::string);
const NAMES: P = P::new("names", Ty::string).at_least(1);
const SUBSCRIPTION: P = P::new("subscriptionId", Ty::string);
const GROUP: P = P::new("resourceGroup", Ty::string);

const fn row(name: &'static str, doc: &'static str, purity: Purity, overloads: &'static [O]) -> Function {
    Function::az(Family::ResourceId, name, doc, overloads).purity(purity)
}
