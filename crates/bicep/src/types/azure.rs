//! The types of Azure's resources: those of the type data, and what stands in for those that it does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex};

use bicep_types::{BuiltInKind, Location, Type, TypeId, TypeStore, TypesFile};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::model::{Discriminated, Object, Origin, Property, Range, ResourceTy, Ty, TyKind, TypeRef};
use super::{
    EvaluationPhase, FunctionFlags, Parameter, PropertyFlags as P, Scopes, Signature, TypeFlags,
    TypeReference, union_of,
};

/// Properties whose values are known when the deployment starts, and never change.
pub(crate) const FIXED_PROPERTIES: [&str; 4] = ["apiVersion", "id", "name", "type"];
/// Properties that make up the id of a resource.
pub(crate) const IDENTIFIERS: [&str; 3] = ["name", "parent", "scope"];
/// Properties that must be given when the deployment starts, although reading them then would be too early.
const EARLY_PROPERTIES: [&str; 14] = [
    "location",
    "kind",
    "subscriptionId",
    "resourceGroup",
    "managedBy",
    "extendedLocation",
    "zones",
    "placement",
    "plan",
    "sku",
    "identity",
    "managedByExtended",
    "tags",
    "asserts",
];
/// The resource type whose scope can be told by two properties.
const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";
/// The resource type that has secrets.
const VAULTS: &str = "Microsoft.KeyVault/vaults";
/// The scopes of resources that no type data knows.
const ANY_SCOPE: Scopes = Scopes::TENANT
    .union(Scopes::MANAGEMENT_GROUP)
    .union(Scopes::SUBSCRIPTION)
    .union(Scopes::RESOURCE_GROUP)
    .union(Scopes::RESOURCE);

/// How a resource is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct DeclarationFlags {
    /// Whether it is only referred to, so that it needs no body.
    pub existing: bool,
    /// Whether it is declared inside another one, which gives it its parent.
    pub nested: bool,
    /// With a parent, whichever way.
    pub has_parent: bool,
    /// With the feature that lets tags and SKUs be known late.
    pub late_tags: bool,
}

/// What an item of `dependsOn` is.
pub(crate) fn dependency() -> Ty {
    static SHARED: LazyLock<Ty> = LazyLock::new(|| {
        let array = |scopes| Ty::array_of(Ty::new(TyKind::ScopeRef(scopes)), Range::default());
        union_of([
            Ty::new(TyKind::ScopeRef(Scopes::MODULE.union(Scopes::RESOURCE))),
            array(Scopes::MODULE),
            array(Scopes::RESOURCE),
        ])
    });
    SHARED.clone()
}

/// The type of `dependsOn`: a list of what can be depended on.
pub(crate) fn dependencies() -> Ty {
    static SHARED: LazyLock<Ty> = LazyLock::new(|| Ty::array_of(dependency(), Range::default()));
    SHARED.clone()
}

/// The type of `tags`: an object of texts.
pub(crate) fn tags() -> Ty {
    static SHARED: LazyLock<Ty> = LazyLock::new(|| Ty::dictionary("Tags", Ty::string()));
    SHARED.clone()
}

/// The properties that resources may have although their type does not say so.
fn known_properties() -> &'static [(&'static str, Ty)] {
    static SHARED: LazyLock<Vec<(&'static str, Ty)>> = LazyLock::new(|| {
        let strings = || Ty::array_of(Ty::string(), Range::default());
        let words = |words: &[&str]| union_of(words.iter().map(Ty::string_literal).chain([Ty::string()]));
        let (none, required) = (P::empty(), P::REQUIRED);
        let user = Ty::closed_object(
            "userAssignedIdentityProperties",
            [("principalId", Ty::string(), none), ("clientId", Ty::string(), none)],
        );
        let sku = ["name", "tier", "size", "family", "model"].map(|name| (name, Ty::string(), none));
        let asserts = Object {
            name: "ResourceAsserts".into(),
            additional: Some(Property::new(Ty::bool(), P::DEPLOY_TIME_CONSTANT)),
            ..Object::default()
        };
        vec![
            ("location", Ty::string()),
            ("tags", tags()),
            ("asserts", Ty::object_of(asserts)),
            ("properties", Ty::object()),
            ("sku", Ty::closed_object("sku", sku.into_iter().chain([("capacity", Ty::int(), none)]))),
            ("kind", Ty::string()),
            ("managedBy", Ty::string()),
            ("managedByExtended", strings()),
            (
                "extendedLocation",
                Ty::closed_object(
                    "extendedLocation",
                    [
                        ("type", words(&["NotSpecified", "EdgeZone", "CustomLocation", "ArcZone"]), required),
                        ("name", Ty::string(), none),
                    ],
                ),
            ),
            ("zones", strings()),
            (
                "placement",
                Ty::closed_object(
                    "placement",
                    [
                        ("zonePlacementPolicy", words(&["NotSpecified", "Any", "None", "Auto"]), required),
                        ("includeZones", strings(), none),
                        ("excludeZones", strings(), none),
                    ],
                ),
            ),
            ("plan", Ty::object()),
            ("eTag", Ty::string()),
            (
                "scale",
                Ty::closed_object(
                    "scale",
                    [
                        ("capacity", Ty::int(), required),
                        ("maximum", Ty::int(), none),
                        ("minimum", Ty::int(), none),
                    ],
                ),
            ),
            (
                "identity",
                Ty::closed_object(
                    "identity",
                    [
                        ("principalId", Ty::string(), none),
                        ("tenantId", Ty::string(), none),
                        (
                            "type",
                            words(&["NotSpecified", "SystemAssigned", "UserAssigned", "None", "Actor"]),
                            required,
                        ),
                        ("identityIds", strings(), none),
                        ("userAssignedIdentities", Ty::dictionary("userAssignedIdentities", user), none),
                        ("delegatedResources", Ty::object(), none),
                    ],
                ),
            ),
        ]
    });
    &SHARED
}

/// How a type that comes from a resource type is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Whole,
    /// For what is given: what can only be written can be read here.
    Input,
    /// For what is returned: what can only be read can be written here.
    Output,
}

/// A type that comes from a resource type, without the limits that make no sense outside a resource.
#[must_use]
pub(crate) fn variant(ty: &Ty, variant: Variant) -> Ty {
    match variant {
        Variant::Whole => ty.clone(),
        Variant::Input => without_flags(ty, P::WRITE_ONLY),
        Variant::Output => without_flags(ty, P::READ_ONLY),
    }
}

/// An object, and the objects in its properties, without some flags of properties.
fn without_flags(ty: &Ty, flags: P) -> Ty {
    let TyKind::Object(object) = ty.kind() else { return ty.clone() };
    let mut object = object.clone();
    for property in object.properties.values_mut() {
        let inner = property.ty.clone();
        property.flags = property.flags.difference(flags);
        property.ty = TypeRef::loaded(move || without_flags(&inner.get(), flags));
    }
    Ty::flagged(TyKind::Object(object), ty.flags())
}

/// The type of a resource, if type data has it.
#[must_use]
pub(crate) fn find(
    store: Option<&Arc<TypeStore>>,
    reference: &TypeReference,
    how: DeclarationFlags,
) -> Option<ResourceTy> {
    let store = store?;
    let known = store.resource_type(&reference.name, reference.version.as_deref()).ok()??;
    let spelled = TypeReference {
        name: known.name.into(),
        version: known.api_version.map(SmolStr::from).or_else(|| reference.version.clone()),
    };
    defined(store, &spelled, known.location, how)
}

/// The type of a resource that type data has.
fn defined(
    store: &Arc<TypeStore>,
    reference: &TypeReference,
    location: Location,
    how: DeclarationFlags,
) -> Option<ResourceTy> {
    let file = store.file(location.file).ok()?;
    let resource = file.resource_type(location.id).ok()?.clone();
    let loader = Loader { store: Arc::clone(store), file: Arc::clone(&file) };
    let readable = Scopes::from(resource.readable_scopes);
    let writable = Scopes::from(resource.writable_scopes);
    let mut body = loader.load(resource.body, BodyDepth::Body);
    if let TyKind::Object(object) = body.kind() {
        let mut object = object.clone();
        if let Some((_, asserts)) = known_properties().iter().find(|(name, _)| *name == "asserts") {
            object.properties.insert("asserts".into(), Property::new(asserts.clone(), P::empty()));
        }
        let version = reference.version.as_deref().unwrap_or_default();
        let functions = store.resource_functions(&reference.name, version).unwrap_or_default();
        object.methods = Some(functions.iter().flat_map(|at| loader.functions(*at)).collect());
        body = Ty::flagged(TyKind::Object(object), body.flags());
    }
    let scopes = readable.union(writable);
    Some(ResourceTy {
        body: with_common(&body, scopes, reference, how),
        scopes,
        read_only_scopes: readable.difference(writable),
        is_read_only: writable.is_empty(),
        is_write_only: false,
        is_defined: true,
        extension: None,
        reference: reference.clone(),
    })
}

/// The type of a resource that no type data has, if Azure's resources can look like this.
#[must_use]
pub(crate) fn assumed(reference: &TypeReference, how: DeclarationFlags) -> Option<ResourceTy> {
    if !looks_like_azure(reference) {
        return None;
    }
    Some(ResourceTy {
        body: assumed_body(reference, how),
        scopes: ANY_SCOPE,
        read_only_scopes: Scopes::empty(),
        is_read_only: false,
        is_write_only: false,
        is_defined: false,
        extension: None,
        reference: reference.clone(),
    })
}

/// The body of such a resource. Nearly all of it is the same for all types, so it is made once for each way to declare
/// a resource, and what depends on the type is put in.
fn assumed_body(reference: &TypeReference, how: DeclarationFlags) -> Ty {
    type Made = FxHashMap<(DeclarationFlags, usize, [bool; 2]), Ty>;
    static MADE: LazyLock<Mutex<Made>> = LazyLock::new(Mutex::default);
    let special = [DEPLOYMENTS, VAULTS].map(|name| reference.is(name));
    let key = (how, reference.segments().min(3), special);
    let make = || with_common(&generic_body(reference, |_| true), ANY_SCOPE, reference, how);
    let made = match MADE.lock() {
        Ok(mut made) => made.entry(key).or_insert_with(make).clone(),
        Err(_) => make(),
    };
    let TyKind::Object(object) = made.kind() else { return made };
    let mut object = object.clone();
    object.name = reference.full_name().into();
    let own: [(&str, &dyn Fn() -> Ty); 3] = [
        ("type", &|| Ty::string_literal(&reference.name)),
        ("apiVersion", &|| Ty::string_literal(reference.version.as_deref().unwrap_or_default())),
        ("parent", &|| Ty::new(TyKind::ParentOf(reference.clone()))),
    ];
    for (name, ty) in own {
        if let Some(property) = object.properties.get_mut(name) {
            property.ty = ty().into();
        }
    }
    Ty::flagged(TyKind::Object(object), made.flags())
}

fn looks_like_azure(reference: &TypeReference) -> bool {
    let mut segments = reference.name.split('/');
    let word = |text: &str, more: &[u8]| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
    };
    let provider = segments.next().is_some_and(|text| word(text, b".") && !text.starts_with('.'));
    provider && reference.looks_like_azure() && segments.all(|text| word(text, b"-"))
}

fn generic_body(reference: &TypeReference, wanted: impl Fn(&str) -> bool) -> Ty {
    let fixed = P::READ_ONLY.union(P::DEPLOY_TIME_CONSTANT).union(P::SYSTEM);
    let name = P::REQUIRED.union(P::DEPLOY_TIME_CONSTANT).union(P::LOOP_VARIANT).union(P::SYSTEM);
    let version = reference.version.as_deref().unwrap_or_default();
    let common = [
        ("id", Ty::string(), fixed),
        ("name", Ty::string(), name),
        ("type", Ty::string_literal(&reference.name), fixed),
        ("apiVersion", Ty::string_literal(version), fixed),
    ];
    let known = known_properties().iter().map(|(name, ty)| (*name, ty.clone(), P::empty()));
    Ty::closed_object(
        &reference.full_name(),
        common.into_iter().chain(known).filter(|(name, ..)| wanted(name)),
    )
}

/// Adds what the language gives to every resource.
fn with_common(body: &Ty, scopes: Scopes, reference: &TypeReference, how: DeclarationFlags) -> Ty {
    let literal_names = reference.segments() == 2 || how.has_parent;
    match body.kind() {
        TyKind::Object(object) => {
            let mut object = object.clone();
            if !literal_names
                && let Some(name) = object.properties.get_mut("name")
                && !name.ty.get().is_same(&Ty::string())
            {
                *name = Property::new(Ty::string(), name.flags.union(P::SYSTEM));
            }
            Ty::flagged(TyKind::Object(common_object(object, scopes, reference, how)), body.flags())
        }
        TyKind::Discriminated(union) => {
            let by_name = union.key == "name";
            if (by_name && !literal_names) || (!by_name && how.existing) {
                let objects: Vec<Ty> = union.members.iter().map(|(_, member)| member.get()).collect();
                let has = |name: &str| {
                    objects
                        .iter()
                        .filter_map(Ty::as_object)
                        .any(|object| object.properties.contains_key(name))
                };
                let generic = generic_body(reference, has);
                return with_common(&generic, scopes, reference, how);
            }
            let members = union.members.iter().map(|(value, member)| {
                let member = member.get();
                let made = match member.kind() {
                    TyKind::Object(object) => Ty::flagged(
                        TyKind::Object(common_object(object.clone(), scopes, reference, how)),
                        member.flags(),
                    ),
                    _ => member,
                };
                (value.clone(), TypeRef::Now(made))
            });
            let members = members.collect();
            Ty::flagged(
                TyKind::Discriminated(Discriminated::new(union.name.clone(), union.key.clone(), members)),
                body.flags(),
            )
        }
        _ => body.clone(),
    }
}

fn common_object(
    mut object: Object,
    scopes: Scopes,
    reference: &TypeReference,
    how: DeclarationFlags,
) -> Object {
    let link = P::WRITE_ONLY
        .union(P::DEPLOY_TIME_CONSTANT)
        .union(P::READABLE_AT_DEPLOY_TIME)
        .union(P::DISALLOW_ANY)
        .union(P::LOOP_VARIANT)
        .union(P::SYSTEM);
    let properties = &mut object.properties;
    let depends = P::WRITE_ONLY.union(P::DISALLOW_ANY).union(P::SYSTEM);
    properties.insert("dependsOn".into(), Property::new(dependencies(), depends));
    if how.existing {
        properties.insert("scope".into(), Property::new(Ty::new(TyKind::ScopeRef(scopes)), link));
    } else {
        let possible = scopes.intersection(Scopes::RESOURCE.union(Scopes::TENANT));
        if !possible.is_empty() {
            properties.insert("scope".into(), Property::new(Ty::new(TyKind::ScopeRef(possible)), link));
        }
        for name in EARLY_PROPERTIES {
            if !(how.late_tags && matches!(name, "tags" | "sku"))
                && let Some(property) = properties.get_mut(name)
            {
                property.flags = property.flags.union(P::DEPLOY_TIME_CONSTANT);
            }
        }
    }
    for name in FIXED_PROPERTIES {
        if let Some(property) = properties.get_mut(name) {
            property.flags = property.flags.union(P::READABLE_AT_DEPLOY_TIME);
        }
    }
    if let Some(name) = properties.get_mut("name") {
        name.flags = name.flags.union(P::LOOP_VARIANT).union(P::SYSTEM);
    }
    if reference.segments() > 2 && !how.nested {
        properties.insert("parent".into(), Property::new(Ty::new(TyKind::ParentOf(reference.clone())), link));
    }
    if reference.is(DEPLOYMENTS) {
        for name in ["resourceGroup", "subscriptionId"] {
            let flags = P::DEPLOY_TIME_CONSTANT.union(P::SYSTEM);
            properties.insert(name.into(), Property::new(Ty::string(), flags));
        }
    }
    for (name, ty) in known_properties() {
        properties.entry((*name).into()).or_insert_with(|| Property::new(ty.clone(), P::FALLBACK));
    }
    if how.existing {
        for (name, property) in properties.iter_mut() {
            if name != "dependsOn" && !IDENTIFIERS.contains(&name.as_str()) {
                property.flags = property.flags.union(P::READ_ONLY).difference(P::REQUIRED);
            }
        }
        if let Some(additional) = &mut object.additional {
            additional.flags = additional.flags.union(P::READ_ONLY).difference(P::REQUIRED);
        }
    }
    let own = object.methods.take();
    object.methods = Some(own.iter().flat_map(|own| own.iter().cloned()).chain(methods(reference)).collect());
    object
}

/// The functions that every resource has.
fn methods(reference: &TypeReference) -> Vec<Signature> {
    let parameter = |name: &str, ty, required| Parameter {
        name: name.into(),
        ty,
        required,
        known: EvaluationPhase::Late,
        depends: None,
    };
    let list = Signature {
        name: "list*".into(),
        parameters: vec![
            parameter("apiVersion", Ty::string(), false),
            parameter("functionValues", Ty::object(), false),
        ],
        rest: None,
        result: Ty::any(),
        flags: FunctionFlags::REQUIRES_INLINING,
        built_in: None,
    };
    let secret = Signature {
        name: "getSecret".into(),
        parameters: vec![
            parameter("secretName", Ty::string(), true),
            parameter("secretVersion", Ty::string(), false),
        ],
        rest: None,
        result: Ty::secure_string(),
        flags: FunctionFlags::MODULE_SECURE_PARAMETER_ONLY,
        built_in: None,
    };
    let has_secrets = reference.is(VAULTS);
    std::iter::once(list).chain(has_secrets.then_some(secret)).collect()
}

/// Reads types of one file.
#[derive(Clone)]
pub(super) struct Loader {
    pub(super) store: Arc<TypeStore>,
    pub(super) file: Arc<TypesFile>,
}

/// Where in a resource a type stands; further inside, mistakes are warnings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyDepth {
    Body,
    TopLevel,
    Inside,
    /// In a type of an extension: there mistakes are always errors.
    Extension,
}

impl BodyDepth {
    fn flags(self, sensitive: bool) -> TypeFlags {
        let flags = match self {
            BodyDepth::Body | BodyDepth::Extension => TypeFlags::empty(),
            BodyDepth::TopLevel => TypeFlags::WARN_PROPERTY,
            BodyDepth::Inside => TypeFlags::WARN_PROPERTY.union(TypeFlags::WARN),
        };
        if sensitive { flags.union(TypeFlags::SECURE) } else { flags }
    }

    fn inner(self) -> BodyDepth {
        match self {
            BodyDepth::Body => BodyDepth::TopLevel,
            BodyDepth::TopLevel | BodyDepth::Inside => BodyDepth::Inside,
            BodyDepth::Extension => BodyDepth::Extension,
        }
    }
}

impl Loader {
    fn later(&self, id: TypeId, place: BodyDepth) -> TypeRef {
        let loader = self.clone();
        TypeRef::loaded(move || loader.load(id, place))
    }

    fn origin(&self, id: TypeId) -> Origin {
        Origin(Arc::as_ptr(&self.file).addr(), id)
    }

    pub(super) fn load(&self, id: TypeId, place: BodyDepth) -> Ty {
        let Ok(ty) = self.file.get(id) else { return Ty::any() };
        match ty {
            Type::Any => Ty::any(),
            Type::Null => Ty::null(),
            Type::Boolean => Ty::bool().with_flags(place.flags(false)),
            Type::Integer(int) => {
                Ty::int_within(Range { min: int.min_value, max: int.max_value }, place.flags(false))
            }
            Type::String(text) => {
                let length = Range { min: text.min_length, max: text.max_length };
                Ty::string_within(length, text.pattern.clone(), place.flags(text.sensitive))
            }
            Type::StringLiteral(text) => Ty::flagged(TyKind::StrLit(text.value.clone()), place.flags(false)),
            Type::BuiltIn(kind) => match kind {
                BuiltInKind::Any => Ty::any(),
                BuiltInKind::Null => Ty::null(),
                BuiltInKind::Bool => Ty::bool(),
                BuiltInKind::Int => Ty::int(),
                BuiltInKind::String => Ty::string(),
                BuiltInKind::Object => Ty::object(),
                BuiltInKind::Array => Ty::array(),
                BuiltInKind::ResourceRef => Ty::new(TyKind::ScopeRef(Scopes::MODULE.union(Scopes::RESOURCE))),
            },
            Type::Array(array) => {
                let item = self.later(array.item, place.inner().inner());
                Ty::array_within(item, Range::default(), place.inner().flags(false))
            }
            Type::Object(object) => {
                let properties = object.properties.iter().map(|property| self.property(property, place));
                let additional = object.additional_properties;
                Ty::flagged(
                    TyKind::Object(Object {
                        name: object.name.clone(),
                        properties: properties.collect(),
                        additional: additional
                            .map(|id| Property::new(self.later(id, place.inner()), P::empty())),
                        origin: Some(self.origin(id)),
                        ..Object::default()
                    }),
                    place.flags(object.sensitive),
                )
            }
            Type::DiscriminatedObject(union) => {
                let members = union.elements.iter().filter_map(|element| {
                    let Ok(Type::Object(object)) = self.file.get(element.ty) else { return None };
                    let mut properties: BTreeMap<SmolStr, Property> =
                        object.properties.iter().map(|property| self.property(property, place)).collect();
                    for base in &union.base_properties {
                        let known = properties.keys().any(|name| name.eq_ignore_ascii_case(&base.name));
                        if !known {
                            let (name, property) = self.property(base, place);
                            properties.insert(name, property);
                        }
                    }
                    let additional = object
                        .additional_properties
                        .map(|id| Property::new(self.later(id, place.inner()), P::empty()));
                    let made = Object {
                        name: element.value.clone(),
                        properties,
                        additional,
                        origin: Some(self.origin(element.ty)),
                        ..Object::default()
                    };
                    let made = Ty::flagged(TyKind::Object(made), place.flags(object.sensitive));
                    Some((element.value.clone(), TypeRef::Now(made)))
                });
                let members = members.collect();
                let key = union.discriminator.clone();
                let object = Discriminated::new(union.name.clone(), key, members);
                Ty::flagged(TyKind::Discriminated(object), place.flags(false))
            }
            Type::Union(_) => union_of(self.members(id).into_iter().map(|id| self.load(id, place))),
            Type::Resource(_)
            | Type::ResourceFunction(_)
            | Type::Function(_)
            | Type::NamespaceFunction(_) => Ty::any(),
        }
    }

    /// What a union consists of, with the members of the unions inside it, each once. Type data comes from
    /// archives that anyone may have made, so a union may contain itself or be nested to any depth.
    fn members(&self, union: TypeId) -> Vec<TypeId> {
        let mut seen = BTreeSet::new();
        let mut members = Vec::new();
        let mut left = vec![union];
        while let Some(id) = left.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.file.get(id) {
                Ok(Type::Union(union)) => left.extend(union.elements.iter().rev()),
                Ok(_) | Err(_) => members.push(id),
            }
        }
        members
    }

    fn property(&self, property: &bicep_types::TypeProperty, place: BodyDepth) -> (SmolStr, Property) {
        use bicep_types::PropertyFlags as Given;
        let pairs = [
            (Given::REQUIRED, P::REQUIRED),
            (Given::READ_ONLY, P::READ_ONLY),
            (Given::WRITE_ONLY, P::WRITE_ONLY),
            (Given::DEPLOY_TIME_CONSTANT, P::DEPLOY_TIME_CONSTANT),
        ];
        let mut flags = pairs
            .into_iter()
            .filter(|(given, _)| property.flags.contains(*given))
            .fold(P::empty(), |flags, (_, flag)| flags.union(flag));
        if !property.flags.intersects(Given::REQUIRED | Given::READ_ONLY) {
            flags = flags.union(P::IMPLICIT_NULL);
        }
        (property.name.clone(), Property::new(self.later(property.ty, place.inner()), flags))
    }

    /// The ways to call a function of a resource.
    fn functions(&self, at: Location) -> Vec<Signature> {
        let Ok(file) = self.store.file(at.file) else { return Vec::new() };
        let Ok(function) = file.resource_function(at.id).cloned() else { return Vec::new() };
        let loader = Loader { store: Arc::clone(&self.store), file };
        let signature = |parameters| Signature {
            name: function.name.clone(),
            parameters,
            rest: None,
            result: loader.load(function.output, BodyDepth::Inside),
            flags: FunctionFlags::REQUIRES_INLINING,
            built_in: None,
        };
        let mut found = vec![signature(Vec::new())];
        if let Some(input) = function.input {
            let parameter = |name: &str, ty| Parameter {
                name: name.into(),
                ty,
                required: true,
                known: EvaluationPhase::Late,
                depends: None,
            };
            found.push(signature(vec![
                parameter("apiVersion", Ty::string_literal(&function.api_version)),
                parameter("params", loader.load(input, BodyDepth::Inside)),
            ]));
        }
        found
    }
}
