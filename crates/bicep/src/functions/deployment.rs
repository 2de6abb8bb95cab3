//! The deployment, and what Azure knows of resources.

use super::reading::{object_of_texts, texts};
use super::{Family, Function, FunctionFlags, Overload as O, Parameter as P};
use crate::check::Checker;
use crate::codes;
use crate::symbols::Call;
use crate::types::{Object, Property, PropertyFlags, Range, Scopes, Ty};

/// All scopes of Azure.
pub(super) const ANY_AZURE: Scopes =
    Scopes::SUBSCRIPTION.union(Scopes::RESOURCE_GROUP).union(Scopes::MANAGEMENT_GROUP).union(Scopes::TENANT);

pub(super) static FUNCTIONS: &[Function] = &[
    row("deployer", "Returns who deploys.", &[O::always(&[], deployer).at(ANY_AZURE)]),
    row(
        "deployment",
        "Returns the deployment itself.",
        &[O::call(&[], deployment, Ty::object).at(ANY_AZURE)],
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
            O::call(&[P::new("namespace", Ty::string)], provider, Ty::object),
            O::call(
                &[P::new("namespace", Ty::string), P::new("type", Ty::string)],
                resource_type_of_provider,
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

fn deployment<'m>(checker: &mut Checker<'m>, _: Call<'m>, _: &[Ty]) -> Ty {
    let none = PropertyFlags::empty();
    let mut template = vec![("contentVersion".into(), Property::new(Ty::string(), none))];
    let metadata = &checker.model.declarations.metadata;
    if !metadata.is_empty() {
        let properties = metadata.iter().map(|symbol| {
            (checker.model.symbol(*symbol).name.clone(), Property::new(checker.symbol_type(*symbol), none))
        });
        let properties = properties.collect();
        let object = Object { name: "metadataProperties".into(), properties, ..Object::default() };
        template.push(("metadata".into(), Property::new(Ty::object_of(object), none)));
    }
    let template = Object {
        name: "templateProperties".into(),
        properties: template.into_iter().collect(),
        ..Object::default()
    };
    let properties = Ty::closed_object(
        "properties",
        [
            ("template", Ty::object_of(template), none),
            ("templateLink", object_of_texts("templateLinkProperties", &["id", "uri"]), none),
        ],
    );
    let location = (checker.model.target != Scopes::RESOURCE_GROUP).then(|| ("location", Ty::string(), none));
    let all = [("name", Ty::string(), none), ("properties", properties, none)];
    Ty::closed_object("deployment", all.into_iter().chain(location))
}

fn provider<'m>(checker: &mut Checker<'m>, call: Call<'m>, arguments: &[Ty]) -> Ty {
    let single = resource_type_of_provider(checker, call, arguments);
    let none = PropertyFlags::empty();
    Ty::closed_object(
        "Provider",
        [("namespace", Ty::string(), none), ("resourceTypes", Ty::array_of(single, Range::default()), none)],
    )
}

fn resource_type_of_provider<'m>(checker: &mut Checker<'m>, call: Call<'m>, _: &[Ty]) -> Ty {
    checker.push(codes::PROVIDERS_FUNCTION.at(call.name_span(), &[&"providers"]));
    let none = PropertyFlags::empty();
    Ty::closed_object(
        "ProviderResource",
        [("resourceType", Ty::string(), none), ("locations", texts(), none), ("apiVersions", texts(), none)],
    )
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
