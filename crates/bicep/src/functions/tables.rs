//! The functions of the built-in namespaces, one row per overload.

use super::FunctionFlags as F;
use super::Overload;
use crate::types::Scopes;

/// Any number of arguments more.
const MANY: u8 = u8::MAX;

const MANAGEMENT_GROUP: Scopes = Scopes::MANAGEMENT_GROUP;
const RESOURCE_GROUP: Scopes = Scopes::RESOURCE_GROUP;
const SUBSCRIPTION_AND_BELOW: Scopes = Scopes::SUBSCRIPTION.with(Scopes::RESOURCE_GROUP);
const ANY_AZURE: Scopes = SUBSCRIPTION_AND_BELOW.with(Scopes::MANAGEMENT_GROUP).with(Scopes::TENANT);
const ANYWHERE: Scopes = ANY_AZURE.with(Scopes::LOCAL);

const fn of(name: &'static str, min: u8, max: u8, flags: F) -> Overload {
    Overload::new(name, min, max, flags)
}

/// `sys`: sorted by name; overloads of a function follow each other.
pub(super) const SYS: &[Overload] = &[
    of("any", 1, 1, F::PURE),
    of("array", 1, 1, F::PURE),
    of("base64", 1, 1, F::PURE),
    of("base64ToJson", 1, 1, F::PURE),
    of("base64ToString", 1, 1, F::PURE),
    of("bool", 1, 1, F::PURE),
    of("buildUri", 1, 1, F::PURE),
    of("cidrHost", 2, 2, F::PURE),
    of("cidrSubnet", 3, 3, F::PURE),
    of("concat", 1, MANY, F::PURE),
    of("concat", 1, MANY, F::PURE),
    of("contains", 2, 2, F::PURE),
    of("contains", 2, 2, F::PURE),
    of("contains", 2, 2, F::PURE),
    of("dataUri", 1, 1, F::PURE),
    of("dataUriToString", 1, 1, F::PURE),
    of("dateTimeAdd", 2, 3, F::PURE),
    of("dateTimeFromEpoch", 0, 1, F::PURE),
    of("dateTimeToEpoch", 0, 1, F::PURE),
    of("distinct", 1, 1, F::PURE),
    of("empty", 1, 1, F::PURE),
    of("endsWith", 2, 2, F::PURE),
    of("fail", 1, 1, F::NONE),
    of("filter", 2, 2, F::PURE),
    of("first", 1, 1, F::PURE),
    of("first", 1, 1, F::PURE),
    of("flatten", 1, 1, F::PURE),
    of("format", 1, MANY, F::PURE),
    of("groupBy", 2, 3, F::PURE),
    of("guid", 1, MANY, F::PURE),
    of("indexOf", 2, 2, F::PURE),
    of("indexOf", 2, 2, F::PURE),
    of("int", 1, 1, F::PURE),
    of("intersection", 2, MANY, F::PURE),
    of("intersection", 2, MANY, F::PURE),
    of("items", 1, 1, F::PURE),
    of("join", 2, 2, F::PURE),
    of("json", 1, 1, F::PURE),
    of("last", 1, 1, F::PURE),
    of("last", 1, 1, F::PURE),
    of("lastIndexOf", 2, 2, F::PURE),
    of("lastIndexOf", 2, 2, F::PURE),
    of("length", 1, 1, F::PURE),
    of("length", 1, 1, F::PURE),
    of("like", 2, 2, F::PURE),
    of("loadDirectoryFileInfo", 1, 2, F::HOIST_ALWAYS.with(F::PURE)),
    of("loadFileAsBase64", 1, 1, F::HOIST_INDIRECT.with(F::PURE)),
    of("loadJsonContent", 1, 3, F::HOIST_ALWAYS.with(F::PURE)),
    of("loadTextContent", 1, 2, F::HOIST_INDIRECT.with(F::PURE)),
    of("loadYamlContent", 1, 3, F::HOIST_ALWAYS.with(F::PURE)),
    of("map", 2, 2, F::PURE),
    of("mapValues", 2, 2, F::PURE),
    of("max", 1, MANY, F::PURE),
    of("max", 1, 1, F::PURE),
    of("min", 1, MANY, F::PURE),
    of("min", 1, 1, F::PURE),
    of("nameof", 1, 1, F::IGNORES_VALUES.with(F::PURE)),
    of("newGuid", 0, 0, F::PARAM_DEFAULTS_ONLY),
    of("objectKeys", 1, 1, F::PURE),
    of("padLeft", 2, 3, F::PURE),
    of("parseCidr", 1, 1, F::PURE),
    of("parseUri", 1, 1, F::PURE),
    of("range", 2, 2, F::PURE),
    of("reduce", 3, 3, F::PURE),
    of("replace", 3, 3, F::PURE),
    of("shallowMerge", 1, 1, F::PURE),
    of("skip", 2, 2, F::PURE),
    of("skip", 2, 2, F::PURE),
    of("sort", 2, 2, F::PURE),
    of("split", 2, 2, F::PURE),
    of("startsWith", 2, 2, F::PURE),
    of("string", 1, 1, F::PURE),
    of("substring", 2, 3, F::PURE),
    of("take", 2, 2, F::PURE),
    of("take", 2, 2, F::PURE),
    of("toLower", 1, 1, F::PURE),
    of("toObject", 2, 3, F::PURE),
    of("toUpper", 1, 1, F::PURE),
    of("trim", 1, 1, F::PURE),
    of("union", 2, MANY, F::PURE),
    of("union", 2, MANY, F::PURE),
    of("uniqueString", 1, MANY, F::PURE),
    of("uri", 2, 2, F::PURE),
    of("uriComponent", 1, 1, F::PURE),
    of("uriComponentToString", 1, 1, F::PURE),
    of("utcNow", 0, 1, F::PARAM_DEFAULTS_ONLY),
];

/// `sys` in parameters files, beyond those above.
pub(super) const SYS_PARAMS: &[Overload] = &[
    of("externalInput", 1, 2, F::EXTERNAL_INPUT),
    of("readCliArg", 1, 1, F::EXTERNAL_INPUT),
    of("readEnvVar", 1, 1, F::EXTERNAL_INPUT),
    of("readEnvironmentVariable", 1, 2, F::HOIST_ALWAYS),
];

/// `az`: sorted by name; overloads of a function follow each other.
pub(super) const AZ: &[Overload] = &[
    of("deployer", 0, 0, F::NONE).at(ANY_AZURE),
    of("deployment", 0, 0, F::NONE).at(ANY_AZURE),
    of("environment", 0, 0, F::NONE),
    of("extensionResourceId", 3, MANY, F::PURE),
    of("managementGroup", 0, 0, F::NONE).at(MANAGEMENT_GROUP),
    of("managementGroup", 1, 1, F::NONE).at(ANY_AZURE),
    of("managementGroupResourceId", 2, MANY, F::NONE),
    of("managementGroupResourceId", 3, MANY, F::NONE),
    of("pickZones", 3, 5, F::NONE),
    of("providers", 1, 1, F::NONE),
    of("providers", 2, 2, F::NONE),
    of("reference", 1, 3, F::REQUIRES_INLINING),
    of("resourceGroup", 0, 0, F::NONE).at(RESOURCE_GROUP),
    of("resourceGroup", 1, 1, F::NONE).at(SUBSCRIPTION_AND_BELOW),
    of("resourceGroup", 2, 2, F::NONE).at(ANYWHERE),
    of("resourceId", 2, MANY, F::NONE),
    of("resourceId", 3, MANY, F::NONE),
    of("resourceId", 3, MANY, F::NONE),
    of("resourceId", 4, MANY, F::NONE),
    of("roleDefinitions", 1, 1, F::NONE),
    of("subscription", 0, 0, F::NONE).at(SUBSCRIPTION_AND_BELOW),
    of("subscription", 1, 1, F::NONE).at(ANYWHERE),
    of("subscriptionResourceId", 2, MANY, F::NONE),
    of("subscriptionResourceId", 3, MANY, F::NONE),
    of("tenant", 0, 0, F::NONE).at(ANY_AZURE),
    of("tenantResourceId", 2, MANY, F::PURE),
    of("toLogicalZone", 3, 3, F::REQUIRES_INLINING),
    of("toLogicalZones", 3, 3, F::REQUIRES_INLINING),
    of("toPhysicalZone", 3, 3, F::REQUIRES_INLINING),
    of("toPhysicalZones", 3, 3, F::REQUIRES_INLINING),
];

/// `az` in parameters files.
pub(super) const AZ_PARAMS: &[Overload] = &[of("getSecret", 4, 5, F::DIRECT_ASSIGNMENT)];

/// `list*` of `az`.
pub(super) const LIST: Overload = of("list*", 2, 3, F::REQUIRES_INLINING);

/// The functions of `this` in the body of a resource.
pub(super) const THIS: &[Overload] =
    &[of("existingResource", 0, 0, F::REQUIRES_INLINING), of("exists", 0, 0, F::REQUIRES_INLINING)];

/// Decorators of `sys`, sorted by name.
pub(super) const DECORATORS: &[Overload] = &[
    of("allowed", 1, 1, F::PARAMETER_DECORATOR),
    of("batchSize", 1, 1, F::RESOURCE_DECORATOR.with(F::MODULE_DECORATOR)),
    of("description", 1, 1, F::ANY_DECORATOR),
    of("discriminator", 1, 1, F::DATA_DECORATOR),
    of("export", 0, 0, F::TYPE_DECORATOR.with(F::VARIABLE_DECORATOR).with(F::FUNCTION_DECORATOR)),
    of("maxLength", 1, 1, F::DATA_DECORATOR),
    of("maxValue", 1, 1, F::DATA_DECORATOR),
    of("metadata", 1, 1, F::DATA_DECORATOR),
    of("minLength", 1, 1, F::DATA_DECORATOR),
    of("minValue", 1, 1, F::DATA_DECORATOR),
    of("nullIfNotFound", 0, 0, F::RESOURCE_DECORATOR),
    of("onlyIfNotExists", 0, 0, F::RESOURCE_DECORATOR),
    of("patch", 0, 0, F::RESOURCE_DECORATOR),
    of("retryOn", 1, 2, F::RESOURCE_DECORATOR),
    of("sealed", 0, 0, F::DATA_DECORATOR),
    of("secure", 0, 0, F::DATA_DECORATOR),
    of("validate", 1, 2, F::DATA_DECORATOR),
    of("waitUntil", 2, 2, F::RESOURCE_DECORATOR),
];

/// Functions of the template language that have a syntax of their own here, and the code of the hint.
pub(super) const BANNED: &[(&str, &str)] = &[
    ("add", "BCP069"),
    ("and", "BCP069"),
    ("coalesce", "BCP069"),
    ("createArray", "BCP101"),
    ("createObject", "BCP102"),
    ("div", "BCP069"),
    ("equals", "BCP069"),
    ("greater", "BCP069"),
    ("greaterOrEquals", "BCP069"),
    ("if", "BCP100"),
    ("less", "BCP069"),
    ("lessOrEquals", "BCP069"),
    ("mod", "BCP069"),
    ("mul", "BCP069"),
    ("not", "BCP069"),
    ("or", "BCP069"),
    ("parameters", "BCP061"),
    ("sub", "BCP069"),
    ("variables", "BCP060"),
];
