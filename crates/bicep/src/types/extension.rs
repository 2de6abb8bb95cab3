//! The types that extensions bring: resources, configuration and functions.

use std::sync::Arc;

use bicep_types::{FileKind, Location, NamespaceFunctionType, ParameterFlags, Type, TypeStore, TypesFile};
use syntax::SourceKind;

use super::azure::{self, BodyDepth, Loader};
use super::model::{Object, Property, ResourceTy, Ty, TyKind};
use super::{
    EvaluationPhase, FunctionFlags, Parameter, PropertyFlags as P, Scopes, Signature, TypeReference,
};
use crate::symbol_id::SymbolId;

/// The scopes of resources that an extension has no type for.
const ANY_SCOPE: Scopes = Scopes::TENANT
    .union(Scopes::MANAGEMENT_GROUP)
    .union(Scopes::SUBSCRIPTION)
    .union(Scopes::RESOURCE_GROUP)
    .union(Scopes::RESOURCE);

/// The type of a resource of an extension: its own, or the one that stands in for all others.
#[must_use]
pub(crate) fn resource(
    store: &Arc<TypeStore>,
    symbol: SymbolId,
    reference: &TypeReference,
    existing: bool,
) -> Option<ResourceTy> {
    let known = store.resource_type(&reference.name, reference.version.as_deref()).ok()?;
    let (location, reference, is_defined) = match known {
        Some(known) => {
            let version = known.api_version.map(Into::into).or_else(|| reference.version.clone());
            (known.location, TypeReference { name: known.name.into(), version }, true)
        }
        None => (store.namespace().ok()?.fallback_resource_type?, reference.clone(), false),
    };
    let file = store.file(location.file).ok()?;
    let resource = file.resource_type(location.id).ok()?;
    let loader = Loader { store: Arc::clone(store), file: Arc::clone(&file) };
    let body = loader.load(resource.body, BodyDepth::Extension);
    if !is_defined {
        return Some(ResourceTy {
            body,
            scopes: ANY_SCOPE,
            read_only_scopes: Scopes::empty(),
            is_read_only: false,
            is_write_only: false,
            is_defined,
            extension: Some(symbol),
            reference,
        });
    }
    let functions = resource.functions.iter().flatten().filter_map(|function| {
        let Ok(Type::Function(signature)) = file.get(function.ty) else { return None };
        let parameter = |it: &bicep_types::Parameter| Parameter {
            name: it.name.clone(),
            ty: loader.load(it.ty, BodyDepth::Extension),
            required: true,
            known: EvaluationPhase::Late,
            depends: None,
        };
        Some(Signature {
            name: function.name.clone(),
            parameters: signature.parameters.iter().map(parameter).collect(),
            rest: None,
            result: loader.load(signature.output, BodyDepth::Extension),
            flags: FunctionFlags::REQUIRES_INLINING,
            built_in: None,
        })
    });
    let functions: Vec<Signature> = functions.collect();
    let (mut readable, mut writable) =
        (Scopes::from(resource.readable_scopes), Scopes::from(resource.writable_scopes));
    if readable.is_empty() && writable.is_empty() {
        let all = ANY_SCOPE.union(Scopes::LOCAL);
        (readable, writable) = (all, all);
    }
    let identifiers = identifiers(store, &file, location, &reference);
    Some(ResourceTy {
        body: with_common(&body, &functions, &identifiers, existing),
        scopes: readable.union(writable),
        read_only_scopes: readable.difference(writable),
        is_read_only: writable.is_empty(),
        is_write_only: readable.is_empty(),
        is_defined,
        extension: Some(symbol),
        reference,
    })
}

/// Properties that tell resources from others, of the one extension that was made before types could say so: the
/// extension's version, a resource type or any, the property.
const UNMARKED_IDENTIFIERS: [(&str, &str, &str); 3] = [
    ("0.1.8-preview", "", "uniqueName"),
    ("0.1.8-preview", "Microsoft.Graph/applications/federatedIdentityCredentials", "name"),
    ("0.1.8-preview", "Microsoft.Graph/servicePrincipals", "appId"),
];

/// The names of the properties that tell a resource from others.
fn identifiers(
    store: &TypeStore,
    file: &TypesFile,
    location: Location,
    reference: &TypeReference,
) -> Vec<smol_str::SmolStr> {
    let settings = store.namespace().ok().and_then(|namespace| namespace.settings);
    if let Some(settings) = settings.filter(|settings| settings.name.starts_with("MicrosoftGraph")) {
        let unmarked = UNMARKED_IDENTIFIERS.iter().filter(|(version, ty, _)| {
            settings.version == *version && (ty.is_empty() || reference.name == *ty)
        });
        let names: Vec<smol_str::SmolStr> = unmarked.map(|(.., name)| (*name).into()).collect();
        if !names.is_empty() {
            return names;
        }
    }
    let Ok(resource) = file.resource_type(location.id) else { return Vec::new() };
    let properties = match file.get(resource.body) {
        Ok(Type::Object(object)) => object.properties.iter(),
        Ok(Type::DiscriminatedObject(union)) => union.base_properties.iter(),
        _ => return Vec::new(),
    };
    let identifies = |property: &&bicep_types::TypeProperty| {
        property.flags.contains(bicep_types::PropertyFlags::IDENTIFIER)
    };
    properties.filter(identifies).map(|property| property.name.clone()).collect()
}

/// Adds what the language gives to every resource of an extension.
fn with_common(body: &Ty, functions: &[Signature], identifiers: &[smol_str::SmolStr], existing: bool) -> Ty {
    match body.kind() {
        TyKind::Object(object) => {
            let object = common_object(object.clone(), functions, identifiers, existing);
            Ty::flagged(TyKind::Object(object), body.flags())
        }
        TyKind::Discriminated(union) => {
            let mut union = union.clone();
            for (_, member) in &mut union.members {
                let made = with_common(&member.get(), functions, identifiers, existing);
                *member = super::TypeRef::Now(made);
            }
            Ty::flagged(TyKind::Discriminated(union), body.flags())
        }
        _ => body.clone(),
    }
}

fn common_object(
    mut object: Object,
    functions: &[Signature],
    identifiers: &[smol_str::SmolStr],
    existing: bool,
) -> Object {
    for (name, property) in &mut object.properties {
        let identifies = identifiers.contains(name);
        if identifies {
            property.flags = property.flags.union(P::LOOP_VARIANT);
            if property.flags.contains(P::REQUIRED) {
                property.flags = property.flags.union(P::SYSTEM);
            }
        }
        if property.flags.contains(P::REQUIRED) && property.flags.contains(P::DEPLOY_TIME_CONSTANT) {
            property.flags = property.flags.union(P::READABLE_AT_DEPLOY_TIME);
        }
        if existing && !identifies {
            property.flags = property.flags.union(P::READ_ONLY).difference(P::REQUIRED);
        }
    }
    if existing {
        if let Some(additional) = &mut object.additional {
            additional.flags = additional.flags.union(P::READ_ONLY).difference(P::REQUIRED);
        }
    } else {
        let flags = P::WRITE_ONLY.union(P::DISALLOW_ANY);
        object.properties.insert("dependsOn".into(), Property::new(azure::dependencies(), flags));
    }
    object.methods = Some(functions.iter().cloned().collect());
    object
}

/// What an extension is configured with.
#[must_use]
pub(crate) fn configuration(store: &Arc<TypeStore>) -> Option<Ty> {
    let location = store.namespace().ok()?.configuration_type?;
    let file = store.file(location.file).ok()?;
    Some(Loader { store: Arc::clone(store), file }.load(location.id, BodyDepth::Extension))
}

/// When an argument must be known.
fn known(flags: ParameterFlags) -> EvaluationPhase {
    if flags.contains(ParameterFlags::COMPILE_TIME_CONSTANT) {
        EvaluationPhase::Compiling
    } else if flags.contains(ParameterFlags::DEPLOY_TIME_CONSTANT) {
        EvaluationPhase::AtStart
    } else {
        EvaluationPhase::Late
    }
}

/// The functions that an extension brings to files of a kind.
#[must_use]
pub(crate) fn functions(store: &Arc<TypeStore>, kind: SourceKind) -> Vec<Signature> {
    visible_functions(store, kind, |file, function| {
        let loader = Loader { store: Arc::clone(store), file: Arc::clone(file) };
        let parameter = |it: &bicep_types::NamespaceParameter| Parameter {
            name: it.name.clone(),
            ty: loader.load(it.ty, BodyDepth::Extension),
            required: it.flags.contains(ParameterFlags::REQUIRED),
            known: known(it.flags),
            depends: None,
        };
        let text = function.evaluated_language_expression.as_deref().unwrap_or_default();
        let asks = text.to_ascii_lowercase().contains("externalinput(");
        Signature {
            name: function.name.clone(),
            parameters: function.parameters.iter().map(parameter).collect(),
            rest: None,
            result: loader.load(function.output, BodyDepth::Extension),
            flags: if asks { FunctionFlags::EXTERNAL_INPUT } else { FunctionFlags::empty() },
            built_in: None,
        }
    })
}

/// Looks at the functions that the types of an extension bring to files of a kind.
pub(crate) fn visible_functions<T>(
    store: &TypeStore,
    kind: SourceKind,
    mut look: impl FnMut(&Arc<TypesFile>, &NamespaceFunctionType) -> T,
) -> Vec<T> {
    let mut found = Vec::new();
    for location in store.namespace().map(|namespace| namespace.functions).unwrap_or_default() {
        let Ok(file) = store.file(location.file) else { continue };
        let Ok(Type::NamespaceFunction(function)) = file.get(location.id) else { continue };
        let is_visible = match function.visible_in {
            Some(FileKind::Bicep) => kind == SourceKind::Bicep,
            Some(FileKind::Params) => kind == SourceKind::Params,
            None => true,
        };
        if is_visible {
            found.push(look(&file, function));
        }
    }
    found
}
