//! Resources and modules: what they are, whose children they are, and the parts of their bodies.

use bicep_types::Location;
use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, Expr, Object, ResourceDeclaration, Statement};
use syntax::{NodeId, NodeKind};

use super::{Model, ModuleTarget, SymbolId, SymbolKind};
use crate::types::{Scopes, TypeReference};

/// Names a resource of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ResourceId(pub(crate) u32);

/// A resource that a file declares.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub symbol: SymbolId,
    /// Its type; none when the text is not a type.
    pub ty: Option<TypeReference>,
    /// Where the type data has it.
    pub location: Option<Location>,
    /// The scopes at which it can be deployed, where that is known.
    pub writable_scopes: Option<Scopes>,
    /// Whether it is only referred to.
    pub is_existing: bool,
    /// The extension that it belongs to; none for Azure's own.
    pub extension: Option<SymbolId>,
    /// The resource that it is a child of.
    pub parent: Option<Parent>,
    pub body: BodyNodes,
}

/// The resource that another one is a child of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    pub resource: ResourceId,
    /// Which element of a collection it is.
    pub index: Option<NodeId>,
    /// Whether the child is declared inside the parent.
    pub is_nested: bool,
}

/// One of the resources above another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ancestor {
    pub resource: ResourceId,
    /// Which element of a collection it is.
    pub index: Option<NodeId>,
    /// Whether the one below is declared inside it.
    pub is_nested: bool,
}

/// The parts of the body of a resource or module.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodyNodes {
    /// The loop around it.
    pub each: Option<NodeId>,
    /// The condition before it.
    pub condition: Option<NodeId>,
    pub object: Option<NodeId>,
}

impl BodyNodes {
    fn of(value: Expr<'_>) -> BodyNodes {
        let mut body = BodyNodes::default();
        let mut value = value;
        if let Expr::For(each) = value {
            body.each = Some(each.node().id());
            value = each.body();
        }
        if let Expr::IfCondition(condition) = value {
            body.condition = Some(condition.condition().node().id());
            value = condition.body();
        }
        if let Expr::Object(object) = value {
            body.object = Some(object.node().id());
        }
        body
    }

    /// Tells whether there is a loop.
    #[must_use]
    pub(crate) fn is_collection(&self) -> bool {
        self.each.is_some()
    }
}

/// A module that a file declares.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    pub symbol: SymbolId,
    /// The place of its file in [`Model::sources`].
    pub source: Option<usize>,
    pub body: BodyNodes,
}

impl Model {
    /// A resource. INVARIANT: ids come from this model.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "ids of a model are made with its resources")]
    pub(crate) fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    /// All resources, in the order of their declarations.
    pub(crate) fn all_resources(&self) -> impl Iterator<Item = (ResourceId, &Resource)> {
        (0u32..).map(ResourceId).zip(&self.resources)
    }

    /// The id of the resource that a symbol declares.
    #[must_use]
    pub(crate) fn resource_id(&self, symbol: SymbolId) -> Option<ResourceId> {
        self.resource_of.get(&symbol).copied().map(ResourceId)
    }

    /// The resources above one, the outermost first. A cycle of parents ends where it closes.
    #[must_use]
    pub(crate) fn ancestors(&self, id: ResourceId) -> Vec<Ancestor> {
        let mut found: Vec<Ancestor> = Vec::new();
        let mut at = id;
        while let Some(parent) = self.resource(at).parent {
            if found.len() > MAX_ANCESTORS
                || found.iter().any(|ancestor| ancestor.resource == parent.resource)
            {
                break;
            }
            found.push(Ancestor {
                resource: parent.resource,
                index: parent.index,
                is_nested: parent.is_nested,
            });
            at = parent.resource;
        }
        found.reverse();
        found
    }

    /// The object that is the body of a resource or module.
    #[must_use]
    pub(crate) fn body_object(&self, body: &BodyNodes) -> Option<Object<'_>> {
        Object::cast(self.file.node(body.object?))
    }

    /// The value of a property of a body, by its exact name.
    #[must_use]
    pub(crate) fn body_property(&self, body: &BodyNodes, name: &str) -> Option<Expr<'_>> {
        self.property(self.body_object(body)?, name).map(|property| property.value())
    }

    /// The file of a module.
    #[must_use]
    pub(crate) fn module_target(&self, module: &Module) -> Option<&ModuleTarget> {
        self.sources.get(module.source?)?.target.as_ref().ok()
    }

    /// The resources in the order in which templates list them: what is nested comes before all that it is nested in.
    #[must_use]
    pub(crate) fn resources_in_template_order(&self) -> Vec<ResourceId> {
        let mut nested: Vec<Vec<ResourceId>> = vec![Vec::new(); self.resources.len()];
        let mut outermost = Vec::new();
        for (id, resource) in self.all_resources() {
            match resource.parent.filter(|parent| parent.is_nested) {
                Some(parent) => {
                    if let Some(list) = nested.get_mut(parent.resource.0 as usize) {
                        list.push(id);
                    }
                }
                None => outermost.push(id),
            }
        }
        let mut order = Vec::with_capacity(self.resources.len());
        for id in &outermost {
            collect_nested(*id, &nested, &mut order);
        }
        order.extend(outermost);
        order
    }
}

/// Adds what is nested in a resource; nesting is bounded by the parser.
fn collect_nested(id: ResourceId, nested: &[Vec<ResourceId>], order: &mut Vec<ResourceId>) {
    let inner = nested.get(id.0 as usize).map(Vec::as_slice).unwrap_or_default();
    for id in inner {
        collect_nested(*id, nested, order);
    }
    order.extend_from_slice(inner);
}

/// How many parents are followed; each has one word less in its type.
const MAX_ANCESTORS: usize = 128;

/// Collects the resources of a model.
pub(super) fn resources(model: &Model) -> (Vec<Resource>, FxHashMap<SymbolId, u32>) {
    let mut found: Vec<Resource> = Vec::with_capacity(model.declarations.resources.len());
    let mut by_symbol = FxHashMap::default();
    for symbol in &model.declarations.resources {
        let Some(Statement::ResourceDeclaration(declaration)) = model.statement_of(*symbol) else { continue };
        by_symbol.insert(*symbol, u32::try_from(found.len()).unwrap_or(u32::MAX));
        let body = BodyNodes::of(declaration.value());
        found.push(Resource {
            symbol: *symbol,
            ty: None,
            location: None,
            writable_scopes: None,
            is_existing: declaration.existing().is_some(),
            extension: None,
            parent: parent(model, declaration, &body),
            body,
        });
    }
    // Parents were noted by symbol until all resources had a place.
    for resource in &mut found {
        resource.parent = resource.parent.and_then(|parent| {
            let place = by_symbol.get(&SymbolId(parent.resource.0)).copied()?;
            Some(Parent { resource: ResourceId(place), ..parent })
        });
    }
    for place in 0..found.len() {
        let ty = type_of(model, &found, place, 0);
        if let Some(resource) = found.get_mut(place) {
            resource.ty = ty;
        }
    }
    for resource in &mut found {
        classify(model, resource);
    }
    (found, by_symbol)
}

fn parent(model: &Model, declaration: ResourceDeclaration<'_>, body: &BodyNodes) -> Option<Parent> {
    let mut around = model.parent(declaration.node());
    while let Some(node) = around {
        if node.kind() == NodeKind::ResourceDeclaration {
            let symbol = model.symbol_at(node)?;
            return Some(Parent { resource: ResourceId(symbol.0), index: None, is_nested: true });
        }
        around = model.parent(node);
    }
    let mut value = model.body_property(body, "parent")?;
    let mut index = None;
    if let Expr::ArrayAccess(access) = value {
        index = Some(access.index().node().id());
        value = access.base();
    }
    // A variable that stands for a resource is that resource.
    let mut symbol = model.symbol_in(value)?;
    for _ in 0..model.symbols.len() {
        match model.symbol(symbol).kind {
            SymbolKind::Resource => {
                return Some(Parent { resource: ResourceId(symbol.0), index, is_nested: false });
            }
            SymbolKind::Variable => {
                let Some(Statement::VariableDeclaration(variable)) = model.statement_of(symbol) else {
                    return None;
                };
                symbol = model.symbol_in(variable.value())?;
            }
            _ => return None,
        }
    }
    None
}

/// The type of a resource; that of a nested one continues its parent's.
fn type_of(model: &Model, found: &[Resource], place: usize, depth: usize) -> Option<TypeReference> {
    let resource = found.get(place)?;
    let Some(Statement::ResourceDeclaration(declaration)) = model.statement_of(resource.symbol) else {
        return None;
    };
    let Expr::String(text) = declaration.ty() else { return None };
    let text = text.constant()?;
    let own = TypeReference::parse(qualified(&text).1)?;
    match resource.parent.filter(|parent| parent.is_nested) {
        Some(parent) if depth < usize::try_from(syntax::MAX_NESTING).unwrap_or(usize::MAX) => {
            let outer = type_of(model, found, parent.resource.0 as usize, depth + 1)?;
            Some(outer.nested(&own))
        }
        _ => Some(own),
    }
}

/// The namespace that is written in front of a type, and the type.
fn qualified(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((namespace, ty)) if !namespace.is_empty() => (Some(namespace), ty),
        _ => (None, text),
    }
}

/// The extension that is named in front of the type of a resource, or of the one that it is nested in.
fn named_extension(model: &Model, resource: &Resource) -> Option<Option<SymbolId>> {
    let Some(Statement::ResourceDeclaration(declaration)) = model.statement_of(resource.symbol) else {
        return None;
    };
    let Expr::String(text) = declaration.ty() else { return None };
    let text = text.constant()?;
    let namespace = qualified(&text).0?;
    let named = model.extensions.iter().find(|it| model.symbol(it.symbol).name == namespace);
    Some(named.map(|it| it.symbol).filter(|symbol| model.namespaces.declared(*symbol).is_none()))
}

/// Looks the type up, for its spelling and its scopes, and decides whose it is.
fn classify(model: &Model, resource: &mut Resource) {
    let named = named_extension(model, resource);
    let Some(ty) = &mut resource.ty else { return };
    if let Some(Some(extension)) = named {
        resource.extension = Some(extension);
        return;
    }
    let is_azure = named.is_some();
    if !is_azure && let Some(extension) = model.extensions.iter().find(|extension| extension.has(ty)) {
        resource.extension = Some(extension.symbol);
        return;
    }
    if !is_azure
        && !ty.looks_like_azure()
        && let Some(extension) = model.extensions.iter().find(|extension| extension.may_have_any())
    {
        resource.extension = Some(extension.symbol);
        return;
    }
    let Some(store) = &model.az_types else { return };
    let Ok(Some(known)) = store.resource_type(&ty.name, ty.version.as_deref()) else { return };
    ty.name = known.name.into();
    if let Some(version) = known.api_version {
        ty.version = Some(version.into());
    }
    resource.location = Some(known.location);
    resource.writable_scopes = scopes(model, known.location);
}

fn scopes(model: &Model, location: Location) -> Option<Scopes> {
    let file = model.az_types.as_ref()?.file(location.file).ok()?;
    let ty = file.resource_type(location.id).ok()?;
    Some(ty.writable_scopes.into())
}

/// Collects the modules of a model; `place` gives the file of a declaration.
pub(super) fn modules(
    model: &Model,
    place: impl Fn(NodeId) -> Option<usize>,
) -> (Vec<Module>, FxHashMap<SymbolId, u32>) {
    let mut found: Vec<Module> = Vec::with_capacity(model.declarations.modules.len());
    let mut by_symbol = FxHashMap::default();
    for symbol in &model.declarations.modules {
        let Some(Statement::ModuleDeclaration(declaration)) = model.statement_of(*symbol) else { continue };
        by_symbol.insert(*symbol, u32::try_from(found.len()).unwrap_or(u32::MAX));
        let source = place(declaration.node().id());
        found.push(Module { symbol: *symbol, source, body: BodyNodes::of(declaration.value()) });
    }
    (found, by_symbol)
}
