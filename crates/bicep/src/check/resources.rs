//! The types of resources, modules, tests, extensions and imports, as they are declared.

use std::collections::BTreeMap;
use std::sync::Arc;

use bicep_types::TypeStore;
use smol_str::SmolStr;
use syntax::Span;
use syntax::ast::{
    AstNode as _, Expr, ModuleDeclaration, NameOrString, ResourceDeclaration, Statement, TestDeclaration,
};

use super::interface::ExportedItem;
use super::{Checker, Interface, nodes};
use crate::codes::{self, DiagnosticCode};
use crate::files::ReferenceKind;
use crate::finding::UnlocatedFinding;
use crate::language::Feature;
use crate::symbols::{ExportKind, ModuleTarget, SymbolId, SymbolKind};
use crate::types::azure::{self, DeclarationFlags};
use crate::types::kubernetes::is_kubernetes;
use crate::types::{
    BuiltIn, Methods, Object, Property, PropertyFlags as P, Range, ResourceTy, Role, Scopes, Signature, Ty,
    TyKind, TypeFlags, TypeReference, extension, nullable, providers, union_of,
};

impl<'m> Checker<'m> {
    /// The type of a resource before its body is looked at.
    pub(crate) fn declared_resource(&mut self, symbol: SymbolId) -> Ty {
        if let Some(known) = self.declared.get(&symbol) {
            return known.clone();
        }
        let made = self.make_resource(symbol);
        self.declared.insert(symbol, made.clone());
        made
    }

    fn make_resource(&mut self, symbol: SymbolId) -> Ty {
        let model = self.model;
        let Some(Statement::ResourceDeclaration(it)) = model.statement_of(symbol) else {
            return Ty::failed();
        };
        let at = it.ty().span();
        let text = match it.ty() {
            Expr::Skipped(_) => return Ty::failed(),
            Expr::String(text) if text.is_interpolated() => {
                return Ty::error(codes::INTERPOLATED_RESOURCE_TYPE.at(at, &[]));
            }
            Expr::String(text) => text.constant(),
            _ => None,
        };
        let Some(text) = text else { return Ty::error(codes::RESOURCE_TYPE.at(at, &[])) };
        let parent = model.resource_of(symbol).and_then(|resource| resource.parent);
        let nested = parent.is_some_and(|parent| parent.is_nested);
        let how = DeclarationFlags {
            existing: it.existing().is_some(),
            nested,
            has_parent: parent.is_some(),
            late_tags: model.features().has(Feature::RuntimeValuesInTagsAndSku),
        };
        let outer = parent.filter(|parent| parent.is_nested).map(|parent| {
            let symbol = model.resource(parent.resource).symbol;
            // A loop is a list of resources, which has no nested ones.
            if self.is_collection(symbol) { Ty::failed() } else { self.declared_resource(symbol) }
        });
        match self.resource_type_named(&text, at, how, outer.as_ref()) {
            Ok(resource) => Ty::new(TyKind::Resource(Box::new(resource))),
            Err(error) => error,
        }
    }

    /// Finds the resource type that a text names; the rule says what is wrong with it.
    pub(super) fn find_resource_type(
        &mut self,
        text: &str,
        how: DeclarationFlags,
        outer: Option<&Ty>,
    ) -> Result<ResourceTy, (DiagnosticCode, Vec<String>)> {
        let (namespace, name) = match text.split_once(':') {
            Some((namespace, name)) if !namespace.is_empty() => (Some(namespace), name),
            _ => (None, text),
        };
        let extension = match namespace {
            Some(namespace) => match self.namespace_named(namespace) {
                Some(found) => Some(found),
                None => {
                    let names = self.namespace_names();
                    return Err((codes::UNKNOWN_NAMESPACE, vec![namespace.to_owned(), codes::list(names)]));
                }
            },
            None => None,
        };
        if let (Some(own), Some(outer)) = (&extension, outer.and_then(Ty::as_resource))
            && own.symbol() != outer.extension
        {
            let parent = outer.extension.map_or("az", |symbol| self.model.symbol(symbol).name.as_str());
            let own = namespace.unwrap_or_default();
            return Err((codes::PARENT_NAMESPACE, vec![own.to_owned(), parent.to_owned()]));
        }
        let invalid = (codes::RESOURCE_TYPE, Vec::new());
        let Some(own) = TypeReference::parse(name) else { return Err(invalid) };
        let reference = if how.nested {
            let Some(outer) = outer.and_then(Ty::as_resource) else {
                return Err((codes::OUTER_TYPE, Vec::new()));
            };
            if own.segments() > 1 {
                return Err((codes::TYPE_SEGMENT, vec![name.to_owned()]));
            }
            outer.reference.nested(&own)
        } else {
            own
        };
        match extension {
            Some(Namespace::Az) => {
                let found = self
                    .around
                    .recent_types()
                    .find(self.model.az_types.as_ref(), &reference, how)
                    .or_else(|| azure::assumed(&reference, how));
                return found.ok_or_else(|| unlisted("az", &reference));
            }
            Some(Namespace::Sys) => return Err(unlisted("sys", &reference)),
            Some(Namespace::Extension(symbol)) => {
                let found = self
                    .extension_resource(symbol, &reference, how)
                    .or_else(|| self.extension_fallback(symbol, &reference));
                let name = self.model.symbol(symbol).name.clone();
                return found.ok_or_else(|| unlisted(&name, &reference));
            }
            None => {}
        }
        // A machine of one's own has none of Azure's resources.
        let has_az = self.model.namespaces.has(BuiltIn::Az) && self.model.target != Scopes::LOCAL;
        let declarations = &self.model.declarations;
        let others: Vec<SymbolId> =
            declarations.extensions.iter().chain(&declarations.implicit).copied().collect();
        let others: Vec<SymbolId> = others
            .into_iter()
            .filter(|symbol| !self.is_az(*symbol) && !self.extension_type(*symbol).is_error())
            .collect();
        let mut found: Vec<ResourceTy> = Vec::new();
        let recent = self.around.recent_types();
        found.extend(has_az.then(|| recent.find(self.model.az_types.as_ref(), &reference, how)).flatten());
        found.extend(others.iter().filter_map(|symbol| self.extension_resource(*symbol, &reference, how)));
        if found.is_empty() {
            found.extend(has_az.then(|| azure::assumed(&reference, how)).flatten());
            found.extend(others.iter().filter_map(|symbol| self.extension_fallback(*symbol, &reference)));
        }
        if found.len() > 1 {
            let mut names: Vec<&str> = found
                .iter()
                .map(|it| it.extension.map_or("az", |symbol| self.model.symbol(symbol).name.as_str()))
                .collect();
            names.sort_unstable();
            return Err((codes::AMBIGUOUS_TYPE, vec![reference.full_name(), codes::list(names)]));
        }
        found.pop().ok_or(invalid)
    }

    fn is_az(&self, symbol: SymbolId) -> bool {
        self.model.namespaces.declared(symbol).is_some()
    }

    /// The type of a resource that an extension lists.
    fn extension_resource(
        &self,
        symbol: SymbolId,
        reference: &TypeReference,
        how: DeclarationFlags,
    ) -> Option<ResourceTy> {
        match self.extension_store(symbol) {
            Some(store) => {
                extension::resource(&store, symbol, reference, how.existing).filter(|found| found.is_defined)
            }
            None => is_kubernetes(reference)
                .then(|| ResourceTy { is_defined: true, ..open_resource(symbol, reference) }),
        }
    }

    /// The types that an extension brings.
    pub(super) fn extension_store(&self, symbol: SymbolId) -> Option<Arc<TypeStore>> {
        let extension = self.model.extension_of(symbol)?;
        extension.types.as_ref().ok()?.clone()
    }

    /// Why the types of an extension cannot be had.
    fn extension_fault(&self, symbol: SymbolId) -> Option<UnlocatedFinding> {
        let extension = self.model.extension_of(symbol)?;
        extension.types.as_ref().err().cloned()
    }

    /// The type of a resource that an extension does not list but takes.
    fn extension_fallback(&self, symbol: SymbolId, reference: &TypeReference) -> Option<ResourceTy> {
        match self.extension_store(symbol) {
            Some(store) => {
                extension::resource(&store, symbol, reference, false).filter(|found| !found.is_defined)
            }
            None => Some(open_resource(symbol, reference)),
        }
    }

    fn namespace_named(&mut self, name: &str) -> Option<Namespace> {
        match self.model.namespaces.named(name) {
            Some(BuiltIn::Az) => return Some(Namespace::Az),
            Some(_) => return Some(Namespace::Sys),
            None => {}
        }
        let declarations = &self.model.declarations;
        let extensions = declarations.extensions.iter().chain(&declarations.implicit).copied();
        let found = extensions.filter(|symbol| self.model.symbol(*symbol).name == name);
        let found: Vec<SymbolId> = found.collect();
        let symbol = found.into_iter().find(|symbol| !self.extension_type(*symbol).is_error())?;
        Some(match self.model.namespaces.declared(symbol) {
            Some(BuiltIn::Az) => Namespace::Az,
            Some(_) => Namespace::Sys,
            None => Namespace::Extension(symbol),
        })
    }

    fn namespace_names(&self) -> Vec<String> {
        let own = self
            .model
            .declarations
            .extensions
            .iter()
            .chain(&self.model.declarations.implicit)
            .map(|symbol| self.model.symbol(*symbol).name.to_string());
        let built_in = self.model.namespaces.names().into_iter().map(str::to_owned);
        let mut names: Vec<String> = built_in.chain(own).collect();
        names.sort_by_key(|name| name.to_ascii_lowercase());
        names.dedup();
        names
    }

    /// Says that there are no types for a resource. Where there are none at all, that is told once for all programs
    /// and not here, except of what is surely not Azure's.
    pub(super) fn unknown_type(&mut self, at: syntax::Span, reference: &TypeReference) {
        if self.model.az_types.is_some() || !providers::is_of_azure(&reference.name) {
            self.push(codes::NO_TYPES.at(at, &[&reference.full_name()]));
        }
    }

    /// What is to be said of a resource because of its type alone.
    pub(super) fn resource_notes(&mut self, it: ResourceDeclaration<'m>, resource: &ResourceTy) {
        let at = it.ty().span();
        let name = resource.reference.full_name();
        if !resource.is_defined {
            let segments: Vec<&str> = resource.reference.name.split('/').collect();
            let inside = segments.iter().enumerate().any(|(place, segment)| {
                place > 1 && place + 1 < segments.len() && segment.eq_ignore_ascii_case("providers")
            });
            if inside {
                self.push(codes::PROVIDERS_SEGMENT.at(at, &[]));
            } else {
                self.unknown_type(at, &resource.reference);
            }
        }
        if it.existing().is_none() && resource.is_read_only {
            self.push(codes::READ_ONLY_TYPE.at(at, &[&name]));
        }
        if it.existing().is_some() && resource.is_write_only {
            self.push(codes::WRITE_ONLY_TYPE.at(at, &[&name]));
        }
    }

    /// The file that a declaration refers to, with what it offers; or why there is none.
    pub(crate) fn referred(
        &mut self,
        node: syntax::NodeId,
    ) -> Option<Result<(ModuleTarget, std::sync::Arc<Interface>), Ty>> {
        let reference = self.model.file.reference_of(node)?;
        let source = self.model.source_of(node)?;
        Some(match &source.target {
            Ok(target) => Ok((target.clone(), self.around.interface(target))),
            Err(fault) => Err(Ty::error(fault.at(reference.span))),
        })
    }

    /// The type of a module before its body is looked at.
    pub(crate) fn declared_module(&mut self, symbol: SymbolId) -> Ty {
        if let Some(known) = self.declared.get(&symbol) {
            return known.clone();
        }
        let node = self.model.symbol(symbol).node;
        let made = match self.referred(node) {
            None => Ty::failed(),
            Some(Err(error)) => error,
            Some(Ok((ModuleTarget::Bicep(model), _))) if model.is_params() => {
                let at = self.model.file.reference_of(node).map_or_else(Default::default, |it| it.span);
                Ty::error(codes::MODULE_TARGET.at(at, &[]))
            }
            Some(Ok((_, interface))) => {
                let configurable = self.model.features().has(Feature::ModuleExtensionConfigs);
                module_type(&interface, self.model.target, configurable)
            }
        };
        self.declared.insert(symbol, made.clone());
        made
    }

    pub(super) fn module(&mut self, it: ModuleDeclaration<'m>) -> Ty {
        let Some(symbol) = self.model.symbol_at(it.node()) else { return Ty::failed() };
        let declared = self.declared_module(symbol);
        let is_loop = matches!(it.value(), Expr::For(_));
        let whole = if is_loop { Ty::array_of(declared.clone(), Range::default()) } else { declared.clone() };
        self.check_decorators(it.node(), &whole);
        if declared.is_error() {
            return declared;
        }
        self.resource_typed_members(&declared, it.path().span());
        if let Some(Ok((target, interface))) = self.referred(it.node().id())
            && interface.has_errors
        {
            self.push(match target {
                ModuleTarget::Bicep(_) => codes::MODULE_HAS_ERRORS.at(it.path().span(), &[]),
                ModuleTarget::Template(_) => codes::TEMPLATE_HAS_ERRORS.at(it.path().span(), &[]),
            });
        }
        if let Some(Ok((_, interface))) = self.referred(it.node().id()) {
            self.unknown_types(&interface.unknown_types, it.path().span());
        }
        self.narrow(it.value(), &whole)
    }

    /// Reports what is to be said of a module whose parameters or outputs are resources.
    fn resource_typed_members(&mut self, module: &Ty, at: Span) {
        let allowed = self.model.features().has(Feature::ResourceTypedParamsAndOutputs);
        let body = module.body();
        let part = |name: &str| body.as_object()?.properties.get(name).map(|property| property.ty.get());
        for part in ["params", "outputs"].into_iter().filter_map(part) {
            let members = part.as_object().into_iter().flat_map(|object| object.properties.values());
            for ty in members.map(|property| crate::types::non_null(&property.ty.get())) {
                let (reference, defined) = match ty.kind() {
                    TyKind::Resource(resource) => (&resource.reference, resource.is_defined),
                    TyKind::ResourceParameter(reference) => {
                        let how = DeclarationFlags::default();
                        (reference, azure::find(self.model.az_types.as_ref(), reference, how).is_some())
                    }
                    _ => continue,
                };
                if !allowed {
                    self.push(codes::RESOURCE_TYPED.at(at, &[]));
                }
                if !defined {
                    self.push(codes::MODULE_NO_TYPES.at(at, &[&reference.full_name()]));
                }
            }
        }
    }

    /// Reports resource types that types of a template come from and that no type data has.
    pub(super) fn unknown_types(&mut self, names: &[SmolStr], at: Span) {
        for name in names {
            let rule = match TypeReference::parse(name) {
                Some(_) => codes::NO_TYPES,
                None => codes::NO_RESOURCE_TYPE,
            };
            self.push(rule.at(at, &[name]));
        }
    }

    pub(super) fn test(&mut self, it: TestDeclaration<'m>) -> Ty {
        let (target, interface) = match self.referred(it.node().id()) {
            None => return Ty::failed(),
            Some(Err(error)) => return error,
            Some(Ok(found)) => found,
        };
        if interface.has_errors {
            self.push(codes::MODULE_HAS_ERRORS.at(it.path().span(), &[]));
        }
        if self.model.file.is_test() {
            return self.test_of_file(it, &target, &interface);
        }
        let (params, required) = parameters_type(&interface, false);
        let body = Object {
            name: "test".into(),
            properties: [("params".into(), Property::new(params, required.union(P::WRITE_ONLY)))].into(),
            ..Object::default()
        };
        let target = Ty::new(TyKind::Test(Ty::object_of(body)));
        self.narrow(it.value(), &target)
    }

    /// The namespace that an extension brings.
    pub(super) fn extension_type(&mut self, symbol: SymbolId) -> Ty {
        if let Some(known) = self.declared.get(&symbol) {
            return known.clone();
        }
        let made = self.make_extension(symbol);
        self.declared.insert(symbol, made.clone());
        made
    }

    fn make_extension(&mut self, symbol: SymbolId) -> Ty {
        let model = self.model;
        let declaration = match model.statement_of(symbol) {
            Some(Statement::ExtensionDeclaration(it)) => Some(it),
            _ => None,
        };
        let store = self.extension_store(symbol);
        let configured = model.features().has(Feature::ModuleExtensionConfigs);
        let config = if configured { self.extension_config(symbol) } else { None };
        let config = config.map(|ty| ("config".into(), Property::new(ty, P::READ_ONLY)));
        let kind = model.file.tree.source_kind();
        let methods: Option<Methods> =
            store.as_ref().map(|store| extension::functions(store, kind).into_iter().collect());
        let namespace = |role| {
            let name = model.symbol(symbol).name.clone();
            let properties = config.clone().into_iter().collect();
            Ty::object_of(Object { name, role, properties, methods: methods.clone(), ..Object::default() })
        };
        let Some(it) = declaration else {
            // The configuration brings it, so there is no place in the file to point at.
            let fault = self.extension_fault(symbol).map(|fault| Ty::error(fault.at(Span::new(0, 0))));
            return fault.unwrap_or_else(|| namespace(Role::Extension));
        };
        if let NameOrString::Skipped(_) = it.specification() {
            return Ty::failed();
        }
        if let Some(reference) = model.file.reference_of(it.node().id())
            && reference.kind == ReferenceKind::Extension
        {
            return match &reference.target {
                Err(fault) => Ty::error(fault.at(it.specification().span())),
                Ok(_) if let Some(fault) = self.extension_fault(symbol) => {
                    Ty::error(fault.at(it.specification().span()))
                }
                Ok(_) => namespace(Role::Extension),
            };
        }
        let NameOrString::Name(name) = it.specification() else { return Ty::failed() };
        match name.text() {
            "sys" => namespace(Role::BuiltIn(BuiltIn::Sys)),
            "az" => namespace(Role::BuiltIn(BuiltIn::Az)),
            "kubernetes" => namespace(Role::Extension),
            "microsoftGraph" => Ty::error(codes::GRAPH_RETIRED.at(it.specification().span(), &[])),
            text => match model.file.config.text(&["extensions", text]) {
                Some("builtin:") => Ty::error(codes::EXTENSION_CONFIGURED_WRONG.at(it.span(), &[&text])),
                _ => Ty::error(codes::UNKNOWN_EXTENSION.at(it.specification().span(), &[&text])),
            },
        }
    }

    /// What an extension is configured with.
    pub(crate) fn extension_config(&mut self, symbol: SymbolId) -> Option<Ty> {
        let Some(Statement::ExtensionDeclaration(it)) = self.model.statement_of(symbol) else { return None };
        match it.specification().constant().as_deref() {
            Some("kubernetes") => Some(Ty::closed_object(
                "configuration",
                [
                    ("namespace", Ty::string(), P::REQUIRED),
                    ("kubeConfig", Ty::string().with_flags(TypeFlags::SECURE), P::REQUIRED),
                    ("context", Ty::string(), P::empty()),
                ],
            )),
            _ => self.extension_store(symbol).as_ref().and_then(extension::configuration),
        }
    }

    pub(super) fn this_type(&self) -> Ty {
        Ty::object_of(Object { name: "this".into(), role: Role::BuiltIn(BuiltIn::This), ..Object::default() })
    }

    /// The names that `import * as` brings.
    pub(super) fn wildcard(&mut self, symbol: SymbolId) -> Ty {
        if let Some(known) = self.declared.get(&symbol) {
            return known.clone();
        }
        let target = self.model.wildcard_source(symbol).and_then(|source| source.target.as_ref().ok());
        let Some(target) = target else { return Ty::failed() };
        let interface = self.around.interface(target);
        let flags = P::READ_ONLY.union(P::REQUIRED);
        let mut properties = BTreeMap::new();
        let mut methods: Vec<Signature> = Vec::new();
        for (name, item) in &interface.exports {
            match item {
                ExportedItem::Type(ty) => {
                    properties
                        .insert(name.clone(), Property::new(Ty::new(TyKind::TypeOf(ty.clone())), flags));
                }
                ExportedItem::Variable(ty) => {
                    properties.insert(name.clone(), Property::new(ty.clone(), flags));
                }
                ExportedItem::Function(signature) => methods.push(signature.clone()),
            }
        }
        let made = Ty::object_of(Object {
            name: self.model.symbol(symbol).name.clone(),
            properties,
            methods: Some(methods.into_iter().collect()),
            role: Role::Wildcard,
            ..Object::default()
        });
        self.declared.insert(symbol, made.clone());
        made
    }

    fn imported(&mut self, symbol: SymbolId) -> Option<(ExportKind, ExportedItem)> {
        let (item, source) = self.model.imported_item(symbol)?;
        let interface = self.around.interface(source.target.as_ref().ok()?);
        Some((item.kind, interface.exports.get(&item.original)?.clone()))
    }

    pub(crate) fn imported_value(&mut self, symbol: SymbolId) -> Option<Ty> {
        match self.imported(symbol) {
            Some((_, ExportedItem::Variable(ty))) => Some(ty),
            Some((_, ExportedItem::Function(_))) | None => Some(Ty::any()),
            Some((_, ExportedItem::Type(_))) => None,
        }
    }

    pub(crate) fn imported_type(&mut self, symbol: SymbolId) -> Option<Ty> {
        match self.imported(symbol) {
            Some((_, ExportedItem::Type(ty))) => Some(ty),
            None => Some(Ty::any()),
            _ => None,
        }
    }

    pub(crate) fn imported_function(&mut self, symbol: SymbolId) -> Option<Signature> {
        match self.imported(symbol) {
            Some((_, ExportedItem::Function(signature))) => Some(signature),
            _ => None,
        }
    }

    /// Tells whether a symbol is a resource or module.
    pub(super) fn is_deployed(&self, symbol: SymbolId) -> bool {
        matches!(self.model.symbol(symbol).kind, SymbolKind::Resource | SymbolKind::Module)
    }

    /// The type of the body of a resource or module, as it can be read.
    pub(super) fn body_type(&mut self, symbol: SymbolId) -> Option<Ty> {
        let ty = self.symbol_type(symbol);
        let ty = ty.as_list().map_or(ty, |(item, _)| item);
        let body = match ty.kind() {
            TyKind::Resource(_) | TyKind::Module(..) => ty.body(),
            _ => return None,
        };
        body.as_object().is_some().then_some(body)
    }

    /// The value of a property of a resource or module.
    pub(super) fn body_value(&self, symbol: SymbolId, name: &str) -> Option<Expr<'m>> {
        let model = self.model;
        let value = match model.statement_of(symbol)? {
            Statement::ResourceDeclaration(it) => it.value(),
            Statement::ModuleDeclaration(it) => it.value(),
            _ => return None,
        };
        model.property(nodes::body(value)?, name).map(|property| property.value())
    }
}

/// A resource of an extension whose types are not known.
fn open_resource(symbol: SymbolId, reference: &TypeReference) -> ResourceTy {
    ResourceTy {
        reference: reference.clone(),
        scopes: Scopes::all().difference(Scopes::MODULE),
        read_only_scopes: Scopes::empty(),
        is_read_only: false,
        is_write_only: false,
        is_defined: false,
        extension: Some(symbol),
        body: Ty::object(),
    }
}

/// What is wrong with a type that a namespace does not have.
fn unlisted(namespace: &str, reference: &TypeReference) -> (DiagnosticCode, Vec<String>) {
    (codes::TYPE_NOT_IN_NAMESPACE, vec![namespace.to_owned(), reference.full_name()])
}

/// A namespace that resource types can be looked for in.
enum Namespace {
    Az,
    Sys,
    Extension(SymbolId),
}

impl Namespace {
    /// The extension, if it is one.
    fn symbol(&self) -> Option<SymbolId> {
        match self {
            Namespace::Extension(symbol) => Some(*symbol),
            Namespace::Az | Namespace::Sys => None,
        }
    }
}

fn parameters_type(interface: &Interface, optional_null: bool) -> (Ty, P) {
    let mut any_required = P::empty();
    let properties = interface.parameters.iter().map(|(name, parameter)| {
        let mut flags = P::WRITE_ONLY;
        let mut ty = parameter.ty.clone();
        if parameter.required {
            flags = flags.union(P::REQUIRED);
            any_required = P::REQUIRED;
        } else if optional_null {
            ty = nullable(&ty);
        }
        (name.clone(), Property::new(ty, flags))
    });
    let properties = properties.collect();
    (Ty::object_of(Object { name: "params".into(), properties, ..Object::default() }), any_required)
}

/// The type of a module.
fn module_type(interface: &Interface, containing: Scopes, configurable: bool) -> Ty {
    let (params, required) = parameters_type(interface, true);
    let outputs = interface
        .outputs
        .iter()
        .map(|output| (output.name.clone(), Property::new(output.ty.clone(), P::READ_ONLY)));
    let outputs = Object { name: "outputs".into(), properties: outputs.collect(), ..Object::default() };
    let fixed = P::DEPLOY_TIME_CONSTANT.union(P::READABLE_AT_DEPLOY_TIME).union(P::LOOP_VARIANT);
    let mut scope_flags = fixed.union(P::WRITE_ONLY).union(P::DISALLOW_ANY);
    if interface.target != containing {
        scope_flags = scope_flags.union(P::REQUIRED);
    }
    let name = Ty::string_within(
        Range { min: Some(1), max: Some(64) },
        Some(r"^[-\w._()]+$".into()),
        TypeFlags::empty(),
    );
    let kinds = union_of(["None", "UserAssigned"].map(Ty::string_literal));
    let identity = Ty::closed_object(
        "identity",
        [("type", kinds, P::REQUIRED), ("userAssignedIdentities", Ty::object(), P::empty())],
    );
    let properties = [
        ("name", name, fixed),
        ("scope", Ty::new(TyKind::ScopeRef(interface.target)), scope_flags),
        ("params", params, required.union(P::WRITE_ONLY)),
        ("outputs", Ty::object_of(outputs), P::READ_ONLY),
        ("dependsOn", azure::dependencies(), P::WRITE_ONLY.union(P::DISALLOW_ANY)),
        ("identity", identity, P::DEPLOY_TIME_CONSTANT),
    ];
    let configs = configurable.then(|| {
        let properties = interface.extensions.iter().filter_map(|extension| {
            let required = if extension.required { P::REQUIRED } else { P::empty() };
            let config = extension.config.clone()?;
            Some((extension.alias.clone(), Property::new(config, P::WRITE_ONLY.union(required))))
        });
        let required = interface.extensions.iter().any(|extension| extension.required);
        let flags = if required { P::WRITE_ONLY.union(P::REQUIRED) } else { P::WRITE_ONLY };
        let name = "extensionConfigs";
        let object = Object { name: name.into(), properties: properties.collect(), ..Object::default() };
        (name, Ty::object_of(object), flags)
    });
    Ty::new(TyKind::Module(
        interface.target,
        Ty::closed_object("module", properties.into_iter().chain(configs)),
    ))
}
