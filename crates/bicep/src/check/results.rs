//! The types of what functions give.

use std::collections::BTreeMap;

use syntax::ast::{AstNode as _, Expr};

use super::calls::arguments_span;
use super::operators::printed_length;
use super::{Checker, codes, fold};
use crate::functions::{BuiltIn, Function};
use crate::symbols::Call;
use crate::types::{
    Kind, Object, Property, PropertyFlags as P, Range, Role, Scopes, Signature, Ty, TypeFlags, TypeRef,
    collapse, nullable, text_length, union_of,
};

/// The most items that are known one by one: lists that grow from use to use are plain arrays from here on.
pub(super) const LONGEST_TUPLE: usize = 4_096;

/// The parts of an address.
pub(super) fn uri_parts() -> Ty {
    Ty::closed_object(
        "parseUri",
        [
            ("scheme", Ty::string(), P::REQUIRED),
            ("host", Ty::string(), P::REQUIRED),
            ("port", Ty::int(), P::NONE),
            ("path", Ty::string(), P::NONE),
            ("query", Ty::string(), P::NONE),
        ],
    )
}

/// The names and the values of an object that can be read.
pub(super) fn readable(object: &Object) -> (Vec<Ty>, Vec<Ty>) {
    let known = object.properties.iter().filter(|(_, property)| !property.flags.has(P::WRITE_ONLY));
    let (mut keys, mut values): (Vec<Ty>, Vec<Ty>) =
        known.map(|(name, property)| (Ty::string_literal(name), property.ty.get())).unzip();
    if let Some(additional) = &object.additional {
        keys.push(Ty::string());
        values.push(additional.ty.get());
    }
    (keys, values)
}

fn strings(name: &str, properties: &[&'static str]) -> Ty {
    Ty::closed_object(name, properties.iter().map(|name| (*name, Ty::string(), P::NONE)))
}

fn length(min: Option<i64>, max: Option<i64>) -> Range {
    Range { min, max }
}

fn within(min: i64, max: i64) -> Ty {
    Ty::string_within(length(Some(min), Some(max)), None, TypeFlags::NONE)
}

/// The bounds of a count that is given as an argument.
fn count(ty: Option<&Ty>) -> (i64, i64) {
    match ty.map(Ty::kind) {
        Some(Kind::IntLit(value)) => (*value, *value),
        Some(Kind::Int(range)) => (range.min.unwrap_or(i64::MIN), range.max.unwrap_or(i64::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

impl<'m> Checker<'m> {
    /// The type of the result of a call.
    pub(super) fn result(
        &mut self,
        function: Option<Function>,
        signature: &Signature,
        call: Call<'m>,
        arguments: &[Ty],
    ) -> Ty {
        match function {
            None => signature.result.clone(),
            Some(function) if function.is_decorator => Ty::any(),
            Some(function) => match function.namespace {
                BuiltIn::Sys => {
                    let lists = signature.argument(0).is_list();
                    self.sys_result(function.name(), lists, call, arguments)
                }
                BuiltIn::Az => self.az_result(function.name(), call, arguments),
                BuiltIn::This => self.this_result(function.name(), call),
            },
        }
    }

    fn this_result(&mut self, name: &str, call: Call<'m>) -> Ty {
        if name == "exists" {
            return Ty::bool();
        }
        let mut at = self.model.parent(call.node());
        while let Some(node) = at {
            if let Some(symbol) = self.model.symbol_at(node)
                && self.model.resource_of(symbol).is_some()
                && self.model.symbol(symbol).node == node.id()
            {
                let declared = self.declared_resource(symbol);
                return nullable(&declared.as_resource().map_or_else(Ty::object, |it| it.body.clone()));
            }
            at = self.model.parent(node);
        }
        nullable(&Ty::object())
    }

    /// The type of what a function of `sys` gives; `lists` tells which overload it is where there are two.
    fn sys_result(&mut self, name: &str, lists: bool, call: Call<'m>, arguments: &[Ty]) -> Ty {
        if fold::folds(name, lists) {
            let known: Vec<&Ty> = arguments.iter().collect();
            let mut parts = 0;
            let folded = fold::fold_counted(name, &known, &mut parts);
            if !self.spend(call.node(), parts) {
                return Ty::any();
            }
            match folded {
                Ok(Some(literal)) => return literal,
                Ok(None) => {}
                Err(reason) => self.push(fold::failure(arguments_span(call), name, &known, &reason)),
            }
        }
        let first = arguments.first();
        let own = |ty: Ty| match first {
            Some(ty) if matches!(ty.kind(), Kind::Str(_)) => ty.clone(),
            _ => ty,
        };
        match name {
            "any" | "base64ToJson" | "externalInput" => Ty::any(),
            "bool" | "contains" | "empty" | "endsWith" | "startsWith" | "like" => Ty::bool(),
            "int" | "indexOf" | "lastIndexOf" | "dateTimeToEpoch" => Ty::int(),
            "array" | "distinct" => Ty::array(),
            "intersection" | "union" if lists => Ty::array(),
            "intersection" | "union" | "shallowMerge" => Ty::object(),
            "concat" if lists => concatenated(arguments),
            "toLower" | "toUpper" => own(Ty::string()),
            "uniqueString" => within(13, 13),
            "guid" | "newGuid" => within(36, 36),
            "fail" => Ty::never(),
            "parseCidr" => Ty::closed_object(
                "parseCidr",
                ["network", "netmask", "broadcast", "firstUsable", "lastUsable"]
                    .map(|name| (name, Ty::string(), P::NONE))
                    .into_iter()
                    .chain([("cidr", Ty::int_within(length(Some(0), Some(255)), TypeFlags::NONE), P::NONE)]),
            ),
            "parseUri" => uri_parts(),
            "split" => Ty::array_of(Ty::string(), length(Some(1), None)),
            "trim" => match first.map(Ty::kind) {
                Some(Kind::Str(text)) => Ty::string_within(length(None, text.length.max), None, flags(first)),
                _ => Ty::string(),
            },
            "length" => measured(first),
            "first" | "last" if lists => end_of(name == "first", first),
            "first" | "last" => first_letter(first),
            "take" => taken(lists, arguments),
            "skip" => skipped(lists, arguments),
            "substring" => part(arguments),
            "padLeft" => {
                let range = first.map(printed_length).unwrap_or_default();
                match arguments.get(1).map(Ty::kind) {
                    Some(Kind::IntLit(total)) => Ty::string_within(
                        length(range.min.map(|min| min.max(*total)), range.max.map(|max| max.max(*total))),
                        None,
                        flags(first),
                    ),
                    _ => Ty::string_within(length(range.min, None), None, flags(first)),
                }
            }
            "join" => joined(arguments),
            "min" | "max" => extreme(name == "min", arguments),
            "range" => numbers(arguments),
            "items" => items(first),
            "objectKeys" => match first.and_then(Ty::as_object) {
                Some(object) => {
                    Ty::array_within(union_of(readable(object).0), Range::default(), flags(first))
                }
                None => Ty::array_of(Ty::string(), Range::default()),
            },
            "flatten" => first.map_or_else(Ty::array, |ty| self.flattened(ty, call)),
            "filter" => match first.and_then(Ty::as_list) {
                Some((item, range)) => Ty::array_within(item, length(None, range.max), flags(first)),
                None => first.cloned().unwrap_or_else(Ty::any),
            },
            "map" => match arguments.get(1).map(Ty::kind) {
                Some(Kind::Lambda(lambda)) => Ty::array_of(lambda.result.clone(), Range::default()),
                _ => Ty::any(),
            },
            "mapValues" => match arguments.get(1).map(Ty::kind) {
                Some(Kind::Lambda(lambda)) => Ty::dictionary("object", lambda.result.clone()),
                _ => Ty::any(),
            },
            "sort" => match first {
                Some(ty) if matches!(ty.kind(), Kind::Tuple(_)) => match ty.as_list() {
                    Some((item, range)) => Ty::array_within(item, range, ty.flags()),
                    None => ty.clone(),
                },
                Some(ty) => ty.clone(),
                None => Ty::array(),
            },
            "reduce" => match arguments.get(2).map(Ty::kind) {
                Some(Kind::Lambda(lambda)) => lambda.result.get(),
                _ => Ty::any(),
            },
            "toObject" | "groupBy" => grouped(name == "groupBy", arguments),
            "nameof" => match call.argument(0).and_then(name_of) {
                Some(name) => Ty::string_literal(name),
                None => {
                    let at = call.argument(0).map_or(call.node().span(), |argument| argument.span());
                    Ty::error(codes::NAMELESS.at(at, &[]))
                }
            },
            "json" => self.json(call, arguments),
            "loadTextContent"
            | "loadFileAsBase64"
            | "loadJsonContent"
            | "loadYamlContent"
            | "loadDirectoryFileInfo" => self.loaded(name, call, arguments),
            "readEnvironmentVariable" => self.environment_variable(call, arguments),
            _ => Ty::string(),
        }
    }

    fn flattened(&mut self, ty: &Ty, call: Call<'m>) -> Ty {
        let at = arguments_span(call);
        let fail = |inner: &Ty| Ty::error(codes::NOT_FLAT.at(at, &[ty, inner]));
        match ty.kind() {
            Kind::Any => Ty::array(),
            Kind::Tuple(items) if all_tuples_length(items).is_some_and(|count| count < LONGEST_TUPLE) => {
                let all = items.iter().flat_map(|item| match item.get().kind() {
                    Kind::Tuple(inner) => inner.clone(),
                    _ => Vec::new(),
                });
                Ty::tuple(all.collect())
            }
            Kind::Array(_) | Kind::Tuple(_) => {
                let item = ty.as_list().map_or_else(Ty::any, |(item, _)| item);
                match item.kind() {
                    Kind::Any => Ty::array(),
                    Kind::Error(_) => item,
                    Kind::Union(members) => {
                        let mut parts = Vec::new();
                        for member in members {
                            let member = member.get();
                            match member.kind() {
                                Kind::Any => return Ty::array(),
                                _ => match member.as_list() {
                                    Some((item, _)) => parts.push(item),
                                    None => return fail(&member),
                                },
                            }
                        }
                        Ty::array_of(union_of(parts), Range::default())
                    }
                    Kind::Tuple(_) => match item.as_list() {
                        Some((inner, _)) => Ty::array_of(inner, Range::default()),
                        None => Ty::array(),
                    },
                    Kind::Array(_) => item,
                    _ => fail(&item),
                }
            }
            Kind::Union(members) => {
                let parts: Vec<Ty> =
                    members.iter().map(|member| self.flattened(&member.get(), call)).collect();
                match super::expressions::Errors::of(&parts) {
                    Some(error) => error,
                    None => {
                        let items = parts.iter().filter_map(|part| part.as_list().map(|(item, _)| item));
                        Ty::array_of(union_of(items), Range::default())
                    }
                }
            }
            _ => fail(ty),
        }
    }

    fn az_result(&mut self, name: &str, call: Call<'m>, arguments: &[Ty]) -> Ty {
        let list = || Ty::array_of(Ty::string(), Range::default());
        let scope = |scope: Scopes, properties: Vec<(&'static str, Ty)>| {
            let nodes = call.arguments().map(|argument| argument.node().id()).collect();
            let properties = if arguments.is_empty() { properties } else { Vec::new() };
            let properties: BTreeMap<_, _> =
                properties.into_iter().map(|(name, ty)| (name.into(), Property::new(ty, P::NONE))).collect();
            let word = crate::types::scope_names(scope, "");
            Ty::object_of(Object {
                name: word,
                properties,
                role: Role::Scope(scope, nodes),
                ..Object::default()
            })
        };
        let texts =
            |names: &[&'static str]| names.iter().map(|name| (*name, Ty::string())).collect::<Vec<_>>();
        match name {
            "tenant" => scope(Scopes::TENANT, texts(&["tenantId", "country", "countryCode", "displayName"])),
            "managementGroup" => {
                let summary = strings("summaryProperties", &["id", "name", "type"]);
                let details = Ty::closed_object(
                    "detailsProperties",
                    [
                        ("version", Ty::string(), P::NONE),
                        ("updatedTime", Ty::string(), P::NONE),
                        ("updatedBy", Ty::string(), P::NONE),
                        ("parent", summary, P::NONE),
                    ],
                );
                let properties = Ty::closed_object(
                    "properties",
                    [
                        ("tenantId", Ty::string(), P::NONE),
                        ("displayName", Ty::string(), P::NONE),
                        ("details", details, P::NONE),
                    ],
                );
                let mut all = texts(&["id", "name", "type"]);
                all.push(("properties", properties));
                scope(Scopes::MANAGEMENT_GROUP, all)
            }
            "subscription" => {
                scope(Scopes::SUBSCRIPTION, texts(&["id", "subscriptionId", "tenantId", "displayName"]))
            }
            "resourceGroup" => {
                let mut all = texts(&["id", "name", "type", "location", "managedBy"]);
                all.push(("tags", crate::types::azure::tags()));
                all.push(("properties", strings("properties", &["provisioningState"])));
                scope(Scopes::RESOURCE_GROUP, all)
            }
            "deployer" => strings("deployer", &["objectId", "tenantId", "userPrincipalName"]),
            "deployment" => self.deployment(),
            "environment" => environment(),
            "roleDefinitions" => strings("roleDefinition", &["id", "roleDefinitionId"]),
            "providers" => {
                let at = match call {
                    Call::Plain(call) => call.name().span(),
                    Call::Instance(call) => call.name().span(),
                };
                self.push(codes::PROVIDERS_FUNCTION.at(at, &[&"providers"]));
                let single = Ty::closed_object(
                    "ProviderResource",
                    [
                        ("resourceType", Ty::string(), P::NONE),
                        ("locations", list(), P::NONE),
                        ("apiVersions", list(), P::NONE),
                    ],
                );
                if arguments.len() > 1 {
                    return single;
                }
                Ty::closed_object(
                    "Provider",
                    [
                        ("namespace", Ty::string(), P::NONE),
                        ("resourceTypes", Ty::array_of(single, Range::default()), P::NONE),
                    ],
                )
            }
            "toLogicalZones" | "toPhysicalZones" => list(),
            "pickZones" => Ty::array(),
            "getSecret" => Ty::secure_string(),
            "reference" => Ty::object(),
            "list*" => Ty::any(),
            _ => Ty::string(),
        }
    }

    fn deployment(&mut self) -> Ty {
        let mut template = vec![("contentVersion".into(), Property::new(Ty::string(), P::NONE))];
        let metadata = &self.model.declarations.metadata;
        if !metadata.is_empty() {
            let properties = metadata.iter().map(|symbol| {
                (self.model.symbol(*symbol).name.clone(), Property::new(self.symbol_type(*symbol), P::NONE))
            });
            let properties = properties.collect();
            let object = Object { name: "metadataProperties".into(), properties, ..Object::default() };
            template.push(("metadata".into(), Property::new(Ty::object_of(object), P::NONE)));
        }
        let template = Object {
            name: "templateProperties".into(),
            properties: template.into_iter().collect(),
            ..Object::default()
        };
        let properties = Ty::closed_object(
            "properties",
            [
                ("template", Ty::object_of(template), P::NONE),
                ("templateLink", strings("templateLinkProperties", &["id", "uri"]), P::NONE),
            ],
        );
        let location =
            (self.model.target != Scopes::RESOURCE_GROUP).then(|| ("location", Ty::string(), P::NONE));
        let all = [("name", Ty::string(), P::NONE), ("properties", properties, P::NONE)];
        Ty::closed_object("deployment", all.into_iter().chain(location))
    }
}

fn flags(ty: Option<&Ty>) -> TypeFlags {
    ty.map_or(TypeFlags::NONE, Ty::flags)
}

fn environment() -> Ty {
    let authentication = Ty::closed_object(
        "authenticationProperties",
        [
            ("audiences", Ty::array_of(Ty::string(), Range::default()), P::NONE),
            ("identityProvider", Ty::string(), P::NONE),
            ("loginEndpoint", Ty::string(), P::NONE),
            ("tenant", Ty::string(), P::NONE),
        ],
    );
    let suffixes = strings(
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
    let plain = plain.map(|name| (name, Ty::string(), P::NONE));
    Ty::closed_object(
        "environment",
        plain
            .into_iter()
            .chain([("authentication", authentication, P::NONE), ("suffixes", suffixes, P::NONE)]),
    )
}

/// The name that `nameof` gives.
fn name_of(expr: Expr<'_>) -> Option<String> {
    match expr {
        Expr::VariableAccess(access) => Some(access.name().text().to_owned()),
        Expr::PropertyAccess(access) => Some(access.name().text().to_owned()),
        Expr::ResourceAccess(access) => Some(access.name().text().to_owned()),
        Expr::ArrayAccess(access) => match access.index() {
            Expr::String(text) => text.constant().map(Into::into),
            _ => None,
        },
        _ => None,
    }
}

/// How many items tuples have in all; none if one of them is no tuple.
fn all_tuples_length(items: &[TypeRef]) -> Option<usize> {
    let length = |item: &TypeRef| match item.get().kind() {
        Kind::Tuple(inner) => Some(inner.len()),
        _ => None,
    };
    items.iter().try_fold(0usize, |sum, item| Some(sum.saturating_add(length(item)?)))
}

fn concatenated(arguments: &[Ty]) -> Ty {
    if !arguments.iter().all(Ty::is_list) {
        return Ty::array();
    }
    let count: usize = arguments
        .iter()
        .map(|argument| match argument.kind() {
            Kind::Tuple(items) => items.len(),
            _ => LONGEST_TUPLE,
        })
        .fold(0, usize::saturating_add);
    if count < LONGEST_TUPLE {
        let items = arguments.iter().flat_map(|argument| match argument.kind() {
            Kind::Tuple(items) => items.clone(),
            _ => Vec::new(),
        });
        return Ty::tuple(items.collect());
    }
    let parts: Vec<(Ty, Range)> = arguments.iter().filter_map(Ty::as_list).collect();
    let min: i64 = parts.iter().fold(0i64, |sum, (_, range)| sum.saturating_add(range.min.unwrap_or(0)));
    let max = parts.iter().try_fold(0i64, |sum, (_, range)| Some(sum.saturating_add(range.max?)));
    let item = union_of(parts.into_iter().map(|(item, _)| item));
    Ty::array_of(item, length(Some(min).filter(|min| *min > 0), max))
}

fn measured(first: Option<&Ty>) -> Ty {
    let object = |object: &Object| {
        let needed = object
            .properties
            .values()
            .filter(|it| it.flags.has(P::REQUIRED) && crate::types::without_null(&it.ty.get()).is_none());
        let max = object.additional.is_none().then_some(object.properties.len());
        (i64::try_from(needed.count()).unwrap_or(0), max.and_then(|max| i64::try_from(max).ok()))
    };
    let Some(ty) = first else { return Ty::int() };
    match ty.kind() {
        Kind::Str(text) => {
            Ty::int_within(length(text.length.min.or(Some(0)), text.length.max), TypeFlags::NONE)
        }
        Kind::Object(found) => {
            let (min, max) = object(found);
            Ty::int_within(length(Some(min), max), TypeFlags::NONE)
        }
        Kind::Discriminated(found) => {
            let members = found.members.iter().map(|(_, member)| member.get());
            let all: Vec<(i64, Option<i64>)> =
                members.filter_map(|member| member.as_object().map(object)).collect();
            let min = all.iter().map(|(min, _)| *min).min();
            let max = all.iter().try_fold(0i64, |most, (_, max)| Some(most.max((*max)?)));
            Ty::int_within(length(min, max), TypeFlags::NONE)
        }
        Kind::Tuple(items) => Ty::int_literal(i64::try_from(items.len()).unwrap_or(i64::MAX)),
        Kind::Array(array) => {
            Ty::int_within(length(array.length.min.or(Some(0)), array.length.max), TypeFlags::NONE)
        }
        _ => Ty::int(),
    }
}

fn end_of(start: bool, first: Option<&Ty>) -> Ty {
    let Some(ty) = first else { return Ty::any() };
    match ty.kind() {
        Kind::Tuple(items) => {
            let item = if start { items.first() } else { items.last() };
            item.map_or_else(Ty::null, TypeRef::get)
        }
        Kind::Array(array) if array.length.min.is_some_and(|min| min > 0) => array.item.get(),
        Kind::Array(array) => nullable(&array.item.get()),
        _ => Ty::any(),
    }
}

fn first_letter(text: Option<&Ty>) -> Ty {
    let min = match text.map(Ty::kind) {
        Some(Kind::Str(text)) => text.length.min.map(|min| min.min(1)),
        _ => None,
    };
    Ty::string_within(length(min, Some(1)), None, flags(text))
}

fn taken(lists: bool, arguments: &[Ty]) -> Ty {
    let (least, most) = count(arguments.get(1));
    let Some(source) = arguments.first() else { return Ty::any() };
    let bounds = |range: Range| {
        let min = range.min.filter(|_| least > 0).map(|min| min.min(least));
        let max = range.max.unwrap_or(i64::MAX).min(most).max(0);
        length(min, Some(max).filter(|max| *max < i64::MAX))
    };
    match source.kind() {
        Kind::Tuple(items) if least == most => {
            let wanted = usize::try_from(least).unwrap_or(0);
            Ty::flagged(Kind::Tuple(items.iter().take(wanted).cloned().collect()), source.flags())
        }
        Kind::Array(_) | Kind::Tuple(_) => match source.as_list() {
            Some((item, range)) => Ty::array_within(item, bounds(range), source.flags()),
            None => Ty::array(),
        },
        _ if lists => Ty::array(),
        _ => Ty::string_within(bounds(printed_length(source)), None, source.flags()),
    }
}

fn skipped(lists: bool, arguments: &[Ty]) -> Ty {
    let (least, most) = count(arguments.get(1));
    let Some(source) = arguments.first() else { return Ty::any() };
    if most <= 0 {
        return source.clone();
    }
    let bounds = |range: Range| {
        let min = range.min.unwrap_or(0).saturating_sub(most);
        length(Some(min).filter(|min| *min > 0), range.max.map(|max| max.saturating_sub(least.max(0)).max(0)))
    };
    match source.kind() {
        Kind::Tuple(items) if least == most => {
            let left_out = usize::try_from(least).unwrap_or(0);
            Ty::flagged(Kind::Tuple(items.iter().skip(left_out).cloned().collect()), source.flags())
        }
        Kind::Array(_) | Kind::Tuple(_) => match source.as_list() {
            Some((item, range)) => Ty::array_within(item, bounds(range), source.flags()),
            None => Ty::array(),
        },
        _ if lists => Ty::array(),
        _ => Ty::string_within(bounds(printed_length(source)), None, source.flags()),
    }
}

fn part(arguments: &[Ty]) -> Ty {
    let Some(source) = arguments.first() else { return Ty::string() };
    match arguments.get(2).map(Ty::kind) {
        Some(Kind::IntLit(value)) => {
            return Ty::string_within(length(Some(*value), Some(*value)), None, source.flags());
        }
        Some(Kind::Int(range)) => return Ty::string_within(*range, None, source.flags()),
        _ => {}
    }
    let range = match source.kind() {
        Kind::StrLit(value) => {
            let own = Some(text_length(value));
            length(own, own)
        }
        Kind::Str(text) => text.length,
        _ => Range::default(),
    };
    let range = match arguments.get(1).map(Ty::kind) {
        Some(Kind::IntLit(start)) => length(
            range.min.filter(|min| min >= start).map(|min| min - start),
            range.max.map(|max| if max >= *start { max - start } else { max }),
        ),
        Some(Kind::Int(start)) => length(
            range.min.zip(start.max).map(|(min, start)| min.saturating_sub(start).max(0)),
            range.max.map(|max| start.min.map_or(max, |start| max.saturating_sub(start).max(0))),
        ),
        _ => length(None, range.max),
    };
    Ty::string_within(range, None, source.flags())
}

fn joined(arguments: &[Ty]) -> Ty {
    let separator = arguments.get(1).map(printed_length).unwrap_or_default();
    let (separator_min, separator_max) = (separator.min.unwrap_or(0), separator.max);
    let range = match arguments.first().map(Ty::kind) {
        Some(Kind::Tuple(items)) => {
            let gaps = i64::try_from(items.len().saturating_sub(1)).unwrap_or(0);
            let lengths: Vec<Range> = items.iter().map(|item| printed_length(&item.get())).collect();
            let min: i64 = lengths.iter().fold(0, |sum, it| sum.saturating_add(it.min.unwrap_or(0)));
            let max = lengths.iter().try_fold(0i64, |sum, it| Some(sum.saturating_add(it.max?)));
            length(
                Some(min.saturating_add(gaps.saturating_mul(separator_min))),
                max.zip(separator_max)
                    .map(|(max, separator)| max.saturating_add(gaps.saturating_mul(separator))),
            )
        }
        Some(Kind::Array(array)) => {
            let item = printed_length(&array.item.get());
            let least = array.length.min.unwrap_or(0);
            let min = least
                .saturating_mul(item.min.unwrap_or(0))
                .saturating_add((least - 1).max(0).saturating_mul(separator_min));
            let max = item.max.zip(separator_max).zip(array.length.max).map(|((item, separator), most)| {
                item.saturating_mul(most).saturating_add((most - 1).max(0).saturating_mul(separator))
            });
            length(Some(min), max)
        }
        _ => Range::default(),
    };
    Ty::string_within(length(range.min.filter(|min| *min > 0), range.max), None, TypeFlags::NONE)
}

fn extreme(least: bool, arguments: &[Ty]) -> Ty {
    let values: Vec<Ty> = match arguments {
        [single] => match single.kind() {
            Kind::Tuple(items) => items.iter().map(TypeRef::get).collect(),
            Kind::Array(array) => return Some(array.item.get()).filter(is_number).unwrap_or_else(Ty::int),
            _ => arguments.to_vec(),
        },
        _ => arguments.to_vec(),
    };
    let bounds = |ty: &Ty| match ty.kind() {
        Kind::IntLit(value) => length(Some(*value), Some(*value)),
        Kind::Int(range) => *range,
        _ => Range::default(),
    };
    let mut ranges = values.iter().map(bounds);
    let Some(first) = ranges.next() else { return Ty::int() };
    let both = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| a.zip(b).map(|(a, b)| pick(a, b));
    let either = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    };
    let range = ranges.fold(first, |all, next| {
        if least {
            length(both(all.min, next.min, i64::min), either(all.max, next.max, i64::min))
        } else {
            length(either(all.min, next.min, i64::max), both(all.max, next.max, i64::max))
        }
    });
    Ty::int_within(range, TypeFlags::NONE)
}

fn is_number(ty: &Ty) -> bool {
    matches!(ty.kind(), Kind::Int(_) | Kind::IntLit(_))
}

fn numbers(arguments: &[Ty]) -> Ty {
    let [start, amount] = arguments else { return Ty::array_of(Ty::int(), Range::default()) };
    fn item(start: &Ty, amount: &Ty) -> Ty {
        let all = |members: &[TypeRef], work: &dyn Fn(&Ty) -> Ty| {
            let made = union_of(members.iter().map(|member| work(&member.get())));
            collapse(&made).unwrap_or(made)
        };
        let most = match amount.kind() {
            Kind::Union(members) if !matches!(start.kind(), Kind::Union(_)) => {
                return all(members, &|amount| item(start, amount));
            }
            Kind::IntLit(value) => Some(*value),
            Kind::Int(range) => range.max,
            _ => None,
        };
        let (min, last) = match start.kind() {
            Kind::Union(members) => return all(members, &|start| item(start, amount)),
            Kind::IntLit(value) => (Some(*value), Some(*value)),
            Kind::Int(range) => (range.min, range.max),
            _ => return Ty::int(),
        };
        let max = last.zip(most).map(|(last, most)| last.saturating_add(most).saturating_sub(1));
        Ty::int_within(length(min, max), TypeFlags::NONE)
    }
    let folded = collapse(amount).unwrap_or_else(|| amount.clone());
    let range = match folded.kind() {
        Kind::IntLit(value) => length(Some(*value), Some(*value)),
        Kind::Int(range) => *range,
        _ => Range::default(),
    };
    Ty::array_of(item(start, amount), range)
}

fn items(first: Option<&Ty>) -> Ty {
    let (key, value) = match first.and_then(Ty::as_object) {
        Some(object) => {
            let (keys, values) = readable(object);
            (union_of(keys), collapse(&union_of(values)).unwrap_or_else(Ty::any))
        }
        None => (Ty::string(), Ty::any()),
    };
    let entry = Ty::closed_object("object", [("key", key, P::NONE), ("value", value, P::NONE)]);
    Ty::array_of(entry, Range::default())
}

fn grouped(lists: bool, arguments: &[Ty]) -> Ty {
    let value =
        match (arguments.len(), arguments.first().and_then(Ty::as_list), arguments.get(2).map(Ty::kind)) {
            (2, Some((item, _)), _) => item,
            (3, _, Some(Kind::Lambda(lambda))) => lambda.result.get(),
            _ => return Ty::object(),
        };
    let value = if lists { Ty::array_of(value, Range::default()) } else { value };
    Ty::dictionary("object", value)
}
