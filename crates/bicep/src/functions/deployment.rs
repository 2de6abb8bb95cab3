//! The deployment, and what Azure knows of resources.

use super::reading::{object_of_texts, texts};
use super::{Family, Function};
use crate::types::{CallRule, FunctionFlags, Overload as O, ParameterRow as P, PropertyFlags, Scopes, Ty};

/// All scopes of Azure.
pub(super) const ANY_AZURE: Scopes =
    Scopes::SUBSCRIPTION.union(Scopes::RESOURCE_GROUP).union(Scopes::MANAGEMENT_GROUP).union(Scopes::TENANT);

pub(super) static FUNCTIONS: &[Function] = &[
    row("deployer", "Returns who deploys.", &[O::always(&[], deployer).at(ANY_AZURE)]),
    row(
        "deployment",
        "Returns the deployment itself.",
        &[O::call(&[], CallRule::Deployment, Ty::object).at(ANY_AZURE)],
    ),
    row("environment", "Returns the addresses of the cloud.", &[O::always(&[], environment)]),
    // Stands for every name that starts with `list`.
    row(
        "list*",
        "Asks a resource for what only a list operation returns, such as the keys of `listKeys`. Every name that starts \
         with `list` is one.",
        &[O::always(
            &[
                P::new("idOrName", Ty::string),
                P::new("apiVersion", Ty::string),
                P::new("values", Ty::object).optional(),
            ],
            Ty::any,
        )],
    )
    .flags(FunctionFlags::REQUIRES_INLINING),
    row(
        "pickZones",
        "Returns availability zones in which a resource type can be deployed.",
        &[O::always(
            &[
                P::new("namespace", Ty::string),
                P::new("type", Ty::string),
                P::new("location", Ty::string),
                P::new("count", Ty::int).optional(),
                P::new("offset", Ty::int).optional(),
            ],
            Ty::array,
        )],
    ),
    row(
        "providers",
        "Returns what is known of a resource provider or of one of its types. Deprecated: state versions and \
         locations yourself.",
        &[
            O::call(&[P::new("namespace", Ty::string)], CallRule::Provider, Ty::object),
            O::call(
                &[P::new("namespace", Ty::string), P::new("type", Ty::string)],
                CallRule::ProviderResourceType,
                Ty::object,
            ),
        ],
    ),
    row(
        "reference",
        "Returns the run-time state of a resource. A symbolic name does the same and keeps the order of \
         deployment.",
        &[O::always(
            &[
                P::new("idOrName", Ty::string),
                P::new("apiVersion", Ty::string).optional(),
                P::new("full", Ty::string).optional(),
            ],
            Ty::object,
        )],
    )
    .flags(FunctionFlags::REQUIRES_INLINING),
    row(
        "roleDefinitions",
        "Returns the ids of a built-in role.",
        &[O::always(&[P::new("name", Ty::string)], role_definition)],
    ),
    zone("toLogicalZone", "Turns the physical zone of a location into the subscription's logical one.", ZONE),
    zone("toLogicalZones", "Turns physical zones of a location into the subscription's logical ones.", ZONES),
    zone(
        "toPhysicalZone",
        "Turns the subscription's logical zone into the physical one of a location.",
        ZONE,
    ),
    zone(
        "toPhysicalZones",
        "Turns the subscription's logical zones into the physical ones of a location.",
        ZONES,
    ),
];

const fn row(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    Function::az(Family::Deployment, name, doc, overloads)
}

const fn zone(name: &'static str, doc: &'static str, overloads: &'static [O]) -> Function {
    row(name, doc, overloads).flags(FunctionFlags::REQUIRES_INLINING)
}

const ZONE: &[O] = &[O::always(
    &[P::new("subscriptionId", Ty::string), P::new("location", Ty::string), P::new("zone", Ty::string)],
    Ty::string,
)];
const ZONES: &[O] = &[O::always(
    &[P::new("subscriptionId", Ty::string), P::new("location", Ty::string), P::new("zones", Ty::array)],
    texts,
)];

fn deployer() -> Ty {
    object_of_texts("deployer", &["objectId", "tenantId", "userPrincipalName"])
}

fn role_definition() -> Ty {
    object_of_texts("roleDefinition", &["id", "roleDefinitionId"])
}

fn environment() -> Ty {
    let none = PropertyFlags::empty();
    let authentication = Ty::closed_object(
        "authenticationProperties",
        [
            ("audiences", texts(), none),
            ("identityProvider", Ty::string(), none),
            ("loginEndpoint", Ty::string(), none),
            ("tenant", Ty::string(), none),
        ],
    );
    let suffixes = object_of_texts(
        "suffixesProperties",
        &[
            "acrLoginServer",
            "azureDatalakeAnalyticsCatalogAndJob",
            "azureDatalakeStoreFileSystem",
            "azureFrontDoorEndpointSuffix",
            "keyvaultDns",
            "sqlServerHostname",
            "storage",
        ],
    );
    let plain = [
        "activeDirectoryDataLake",
        "batch",
        "gallery",
        "graph",
        "graphAudience",
        "media",
        "name",
        "portal",
        "resourceManager",
        "sqlManagement",
        "vmImageAliasDoc",
    ];
    let plain = plain.map(|name| (name, Ty::string(), none));
    let nested = [("authentication", authentication, none), ("suffixes", suffixes, none)];
    Ty::closed_object("environment", plain.into_iter().chain(nested))
}
