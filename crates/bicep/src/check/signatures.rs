//! The parameters of the built-in functions and decorators, one row per overload, in the order of the function tables.
//!
//! A row is the name and its parameters: a type, `?` after it when it may be left out, `!` when it must be known at
//! compile time, `^` when it must be known as the deployment starts, and `*n` when it stands for any number of arguments, at least `n`.

use crate::functions::{BuiltIn, Function, FunctionFlags};
use crate::types::{Known, Parameter, Range, Scopes, Signature, Ty, TypeFlags, union_of};

const SYS: &[(&str, &str)] = &[
    ("any", "any"),
    ("array", "any"),
    ("base64", "string"),
    ("base64ToJson", "string"),
    ("base64ToString", "string"),
    ("bool", "any"),
    ("buildUri", "uri"),
    ("cidrHost", "string, int"),
    ("cidrSubnet", "string, int, int"),
    ("concat", "array*1"),
    ("concat", "string|int|bool*1"),
    ("contains", "object, string"),
    ("contains", "array, any"),
    ("contains", "string, string"),
    ("dataUri", "any"),
    ("dataUriToString", "string"),
    ("dateTimeAdd", "string, string, string?"),
    ("dateTimeFromEpoch", "int?"),
    ("dateTimeToEpoch", "string?"),
    ("distinct", "array"),
    ("empty", "null|object|array|string"),
    ("endsWith", "string, string"),
    ("fail", "string"),
    ("filter", "array, where"),
    ("first", "array"),
    ("first", "string"),
    ("flatten", "arrays"),
    ("format", "string, any*0"),
    ("groupBy", "array, key, select?"),
    ("guid", "string*1"),
    ("indexOf", "string, string"),
    ("indexOf", "array, any"),
    ("int", "string|int"),
    ("intersection", "object*2"),
    ("intersection", "array*2"),
    ("items", "object"),
    ("join", "joinable, string"),
    ("json", "string"),
    ("last", "array"),
    ("last", "string"),
    ("lastIndexOf", "string, string"),
    ("lastIndexOf", "array, any"),
    ("length", "string|object"),
    ("length", "array"),
    ("like", "string, string"),
    ("loadDirectoryFileInfo", "string, string?"),
    ("loadFileAsBase64", "string"),
    ("loadJsonContent", "string, string?, encoding?"),
    ("loadTextContent", "string, encoding?"),
    ("loadYamlContent", "string, string?, encoding?"),
    ("map", "array, map"),
    ("mapValues", "object, select"),
    ("max", "int*1"),
    ("max", "ints"),
    ("min", "int*1"),
    ("min", "ints"),
    ("nameof", "any"),
    ("newGuid", ""),
    ("objectKeys", "object"),
    ("padLeft", "string|int, int, string?"),
    ("parseCidr", "string"),
    ("parseUri", "string"),
    ("range", "int, int"),
    ("reduce", "array, any, fold"),
    ("replace", "string, string, string"),
    ("shallowMerge", "objects"),
    ("skip", "array, int"),
    ("skip", "string, int"),
    ("sort", "array, order"),
    ("split", "string, string|array"),
    ("startsWith", "string, string"),
    ("string", "any"),
    ("substring", "string, natural, natural?"),
    ("take", "array, int"),
    ("take", "string, int"),
    ("toLower", "string"),
    ("toObject", "array, key, select?"),
    ("toUpper", "string"),
    ("trim", "string"),
    ("union", "object*2"),
    ("union", "array*2"),
    ("uniqueString", "string*1"),
    ("uri", "string, string"),
    ("uriComponent", "string"),
    ("uriComponentToString", "string"),
    ("utcNow", "string?"),
    ("externalInput", "string!, any?!"),
    ("readCliArg", "string!"),
    ("readEnvVar", "string!"),
    ("readEnvironmentVariable", "string, string?"),
];

const AZ: &[(&str, &str)] = &[
    ("deployer", ""),
    ("deployment", ""),
    ("environment", ""),
    ("extensionResourceId", "string, string, string*1"),
    ("managementGroup", ""),
    ("managementGroup", "string"),
    ("managementGroupResourceId", "string, string*1"),
    ("managementGroupResourceId", "string, string, string*1"),
    ("pickZones", "string, string, string, int?, int?"),
    ("providers", "string"),
    ("providers", "string, string"),
    ("reference", "string, string?, string?"),
    ("resourceGroup", ""),
    ("resourceGroup", "string"),
    ("resourceGroup", "string, string"),
    ("resourceId", "string, string*1"),
    ("resourceId", "string, string, string*1"),
    ("resourceId", "string, string, string*1"),
    ("resourceId", "string, string, string, string*1"),
    ("roleDefinitions", "string"),
    ("subscription", ""),
    ("subscription", "string"),
    ("subscriptionResourceId", "string, string*1"),
    ("subscriptionResourceId", "string, string, string*1"),
    ("tenant", ""),
    ("tenantResourceId", "string, string*1"),
    ("toLogicalZone", "string, string, string"),
    ("toLogicalZones", "string, string, array"),
    ("toPhysicalZone", "string, string, string"),
    ("toPhysicalZones", "string, string, array"),
    ("getSecret", "string, string, string, string, string?"),
    ("list*", "string, string, object?"),
];

const THIS: &[(&str, &str)] = &[("existingResource", ""), ("exists", "")];

const DECORATORS: &[(&str, &str)] = &[
    ("allowed", "array!"),
    ("batchSize", "int"),
    ("description", "string!"),
    ("discriminator", "string!"),
    ("export", ""),
    ("maxLength", "int!"),
    ("maxValue", "int!"),
    ("metadata", "object!"),
    ("minLength", "int!"),
    ("minValue", "int!"),
    ("nullIfNotFound", ""),
    ("onlyIfNotExists", ""),
    ("patch", ""),
    ("retryOn", "strings!, positive?!"),
    ("sealed", ""),
    ("secure", ""),
    ("validate", "valid^, string?!"),
    ("waitUntil", "wait, string!"),
];

/// The ways to call a function that a file with this target sees.
pub(super) fn signatures(function: &Function, target: Scopes) -> Vec<Signature> {
    let table = match (function.is_decorator, function.namespace) {
        (true, _) => DECORATORS,
        (_, BuiltIn::Sys) => SYS,
        (_, BuiltIn::Az) => AZ,
        (_, BuiltIn::This) => THIS,
    };
    let rows = table.iter().filter(|(name, _)| *name == function.name()).map(|(_, row)| *row);
    let pairs = function.overloads.iter().zip(rows);
    let visible = pairs.filter(|(overload, _)| {
        overload.scopes == Scopes::ANY || overload.scopes.has(target) || overload.name == "list*"
    });
    visible.map(|(overload, row)| signature(overload.name, row, overload.flags)).collect()
}

/// Reads a row.
fn signature(name: &str, row: &str, flags: FunctionFlags) -> Signature {
    let mut parameters = Vec::new();
    let mut rest = None;
    for (place, text) in row.split(',').map(str::trim).filter(|text| !text.is_empty()).enumerate() {
        if let Some((ty, count)) = text.split_once('*') {
            rest = Some((parameter_type(ty), count.parse().unwrap_or(0)));
            continue;
        }
        let word = text.trim_end_matches(['?', '!', '^']);
        parameters.push(Parameter {
            name: format!("arg{}", place + 1).into(),
            ty: parameter_type(word),
            required: !text.contains('?'),
            known: match text.find(['!', '^']).and_then(|at| text.get(at..=at)) {
                Some("!") => Known::Compiling,
                Some(_) => Known::AtStart,
                None => Known::Late,
            },
        });
    }
    Signature { name: name.into(), parameters, rest, result: Ty::any(), flags }
}

fn parameter_type(words: &str) -> Ty {
    if words.contains('|') {
        return union_of(words.split('|').map(parameter_type));
    }
    let list = |item: Ty| Ty::array_of(item, Range::default());
    let from = |min| Ty::int_within(Range { min: Some(min), max: None }, TypeFlags::NONE);
    match words {
        "string" => Ty::string(),
        "int" => Ty::int(),
        "bool" => Ty::bool(),
        "array" => Ty::array(),
        "object" => Ty::object(),
        "null" => Ty::null(),
        "strings" => list(Ty::string()),
        "ints" => list(Ty::int()),
        "objects" => list(Ty::object()),
        "arrays" => list(Ty::array()),
        "joinable" => list(union_of([Ty::string(), Ty::int(), Ty::bool()])),
        "natural" => from(0),
        "positive" => from(1),
        "encoding" => {
            union_of(["iso-8859-1", "us-ascii", "utf-16", "utf-16BE", "utf-8"].map(Ty::string_literal))
        }
        "uri" => super::results::uri_parts(),
        "where" => Ty::lambda(vec![Ty::any()], vec![Ty::int()], Ty::bool()),
        "map" => Ty::lambda(vec![Ty::any()], vec![Ty::int()], Ty::any()),
        "select" => Ty::lambda(vec![Ty::any()], Vec::new(), Ty::any()),
        "key" => Ty::lambda(vec![Ty::any()], Vec::new(), Ty::string()),
        "order" => Ty::lambda(vec![Ty::any(), Ty::any()], Vec::new(), Ty::bool()),
        "fold" => Ty::lambda(vec![Ty::any(), Ty::any()], vec![Ty::int()], Ty::any()),
        "valid" => Ty::lambda(vec![Ty::any()], Vec::new(), Ty::bool()),
        "wait" => Ty::lambda(vec![Ty::object()], Vec::new(), Ty::bool()),
        _ => Ty::any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Features;
    use crate::functions::Visibility;
    use syntax::SourceKind;

    #[test]
    fn every_function_has_a_row_for_each_overload() {
        for kind in [SourceKind::Bicep, SourceKind::Params] {
            let seen = Visibility { kind, target: Scopes::RESOURCE_GROUP, features: Features::default() };
            for namespace in [BuiltIn::Sys, BuiltIn::Az, BuiltIn::This] {
                for name in seen.function_names(namespace) {
                    let function = seen.function(namespace, name).unwrap();
                    let made = signatures(&function, Scopes::RESOURCE_GROUP);
                    assert!(!made.is_empty(), "{name}");
                    for (signature, overload) in made.iter().zip(function.overloads) {
                        if overload.scopes == Scopes::ANY {
                            assert_eq!(signature.min(), usize::from(overload.min), "{name}");
                        }
                    }
                }
            }
            for name in seen.decorator_names() {
                let decorator = seen.decorator(name).unwrap();
                assert_eq!(signatures(&decorator, Scopes::RESOURCE_GROUP).len(), 1, "{name}");
            }
        }
    }
}
