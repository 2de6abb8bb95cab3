//! Which resources and modules a resource, module or variable mentions.

use rustc_hash::FxHashMap;
use syntax::ast::{
    ArrayAccess, AstNode as _, Expr, NameOrString, ObjectProperty, PropertyAccess, VariableDeclaration,
};
use syntax::{NodeId, NodeKind, SyntaxNode};

use crate::symbols::{BodyNodes, Model, ScopeKind, SymbolId, SymbolKind};

/// A mention of a resource, module or variable in the body of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The resource, module or variable that is mentioned.
    pub(crate) target: SymbolId,
    /// Which element of a collection; none for all.
    pub(crate) index: Option<NodeId>,
    /// Whether nothing of the target's body is read.
    pub(crate) weak: bool,
}

/// What each resource, module and variable mentions, in source order, each mention once.
pub(crate) type Dependencies = FxHashMap<SymbolId, Vec<Dependency>>;

/// Collects the mentions of a file.
pub(crate) fn dependencies(model: &Model) -> Dependencies {
    collect(model, false)
}

/// Collects the mentions of a file, without what is only listed in `dependsOn`.
pub(crate) fn inferred_dependencies(model: &Model) -> Dependencies {
    collect(model, true)
}

fn collect(model: &Model, inferred: bool) -> Dependencies {
    let mut visitor =
        Visitor { model, found: Dependencies::default(), current: None, weak_in: Vec::new(), inferred };
    visitor.visit(model.file.tree.root());
    let mut found = visitor.found;
    drop_constants(model, &mut found);
    found
}

/// Forgets variables that mention neither a resource nor a module, directly or through others.
fn drop_constants(model: &Model, found: &mut Dependencies) {
    let is_variable = |symbol: SymbolId| model.symbol(symbol).kind == SymbolKind::Variable;
    let mut users: FxHashMap<SymbolId, Vec<SymbolId>> = FxHashMap::default();
    let mut live: Vec<SymbolId> = Vec::new();
    let mut sources: Vec<SymbolId> = found.keys().copied().collect();
    sources.sort_unstable();
    for source in sources {
        for dependency in found.get(&source).into_iter().flatten() {
            users.entry(dependency.target).or_default().push(source);
            if !is_variable(dependency.target) {
                live.push(source);
            }
        }
    }
    let mut kept = rustc_hash::FxHashSet::default();
    while let Some(symbol) = live.pop() {
        if kept.insert(symbol) && is_variable(symbol) {
            live.extend(users.get(&symbol).into_iter().flatten());
        }
    }
    #[expect(clippy::iter_over_hash_type, reason = "every list is changed by itself, whatever the order")]
    for list in found.values_mut() {
        list.retain(|dependency| !is_variable(dependency.target) || kept.contains(&dependency.target));
    }
}

struct Visitor<'m> {
    model: &'m Model,
    found: Dependencies,
    current: Option<SymbolId>,
    /// The values of `parent` and `scope` of the declarations around.
    weak_in: Vec<NodeId>,
    /// Whether the lists of `dependsOn` are left out.
    inferred: bool,
}

impl<'m> Visitor<'m> {
    fn visit(&mut self, node: SyntaxNode<'m>) {
        match node.kind() {
            NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration | NodeKind::VariableDeclaration => {
                return self.declaration(node);
            }
            NodeKind::VariableAccess | NodeKind::ResourceAccess => {
                self.mention(node);
                // What stands before `::` is not mentioned itself.
                return;
            }
            NodeKind::ObjectProperty if self.inferred && self.is_list(node) => return,
            _ => {}
        }
        for child in node.child_nodes() {
            self.visit(child);
        }
    }

    /// Tells whether a property is the `dependsOn` of the declaration that it is in.
    fn is_list(&self, node: SyntaxNode<'m>) -> bool {
        let Some(NameOrString::Name(key)) = ObjectProperty::cast(node).map(ObjectProperty::key) else {
            return false;
        };
        let body = self.current.and_then(|symbol| {
            let resource = self.model.resource_of(symbol).map(|it| &it.body);
            resource.or_else(|| self.model.module_of(symbol).map(|it| &it.body))
        });
        key.text() == "dependsOn"
            && body.is_some_and(|it| it.object == self.model.parent(node).map(SyntaxNode::id))
    }

    fn declaration(&mut self, node: SyntaxNode<'m>) {
        let Some(symbol) = self.model.symbol_at(node) else { return };
        let outer = self.current.replace(symbol);
        let weak = self.weak_in.len();
        let mut own = Vec::new();
        if let Some(id) = self.model.resource_id(symbol) {
            if let Some(parent) = self.model.ancestors(id).last() {
                let target = self.model.resource(parent.resource).symbol;
                own.push(Dependency { target, index: parent.index, weak: true });
            }
            self.note_weak(&self.model.resource(id).body);
        } else if let Some(module) = self.model.module_of(symbol) {
            self.note_weak(&module.body);
        }
        self.found.insert(symbol, own);
        for child in node.child_nodes() {
            self.visit(child);
        }
        self.weak_in.truncate(weak);
        self.current = outer;
    }

    fn note_weak(&mut self, body: &'m BodyNodes) {
        for name in ["parent", "scope"] {
            if let Some(value) = self.model.body_property(body, name) {
                self.weak_in.push(value.node().id());
            }
        }
    }

    fn mention(&mut self, node: SyntaxNode<'m>) {
        let (Some(current), Some(target)) = (self.current, self.model.symbol_at(node)) else { return };
        let (is_collection, weak) = match self.model.symbol(target).kind {
            SymbolKind::Resource => {
                let Some(resource) = self.model.resource_of(target) else { return };
                let is_collection = resource.body.is_collection();
                let weak = resource.extension.is_none() && self.is_weak(node, is_collection);
                (is_collection, weak)
            }
            SymbolKind::Module => {
                (self.model.module_of(target).is_some_and(|it| it.body.is_collection()), false)
            }
            SymbolKind::Variable => {
                let value =
                    VariableDeclaration::cast(self.model.node_of(target)).map(VariableDeclaration::value);
                (matches!(value, Some(Expr::For(_))), false)
            }
            _ => return,
        };
        let index = if is_collection { self.index(node, current) } else { None };
        let dependency = Dependency { target, index, weak };
        let list = self.found.entry(current).or_default();
        if !list.contains(&dependency) {
            list.push(dependency);
        }
    }

    /// The index of a collection, unless it uses names that exist only inside the declaration's body.
    fn index(&self, node: SyntaxNode<'m>, current: SymbolId) -> Option<NodeId> {
        let access = ArrayAccess::cast(self.model.parent(node)?)?;
        if access.base().node() != node {
            return None;
        }
        let index = access.index().node();
        let reachable = |local: SymbolId| {
            let scope = self.model.scope(self.model.symbol(local).scope);
            // The loop of the declaration itself is still around its `dependsOn`; a lambda inside the index moves along.
            let own = self
                .model
                .file
                .parent(self.model.file.node(scope.declaring))
                .and_then(|it| self.model.symbol_at(it));
            scope.kind == ScopeKind::Loop && own == Some(current)
                || is_inside(self.model, scope.declaring, index)
        };
        let locals = self.model.mentions(index).filter(|symbol| self.model.symbol(*symbol).kind.is_local());
        locals.into_iter().all(reachable).then(|| index.id())
    }

    /// Tells whether a mention of a resource reads nothing of its body.
    fn is_weak(&self, node: SyntaxNode<'m>, is_collection: bool) -> bool {
        self.is_identity(node, is_collection)
            || self.is_method_base(node, is_collection)
            || self.is_in_weak_property(node)
    }

    /// `.id`, `.name`, `.type` or `.apiVersion` of the resource or of one of its elements.
    fn is_identity(&self, node: SyntaxNode<'m>, is_collection: bool) -> bool {
        const IDENTITY: [&str; 4] = ["id", "name", "type", "apiVersion"];
        let Some(parent) = self.model.parent(node) else { return false };
        match parent.kind() {
            NodeKind::NonNullAssertion => self.is_identity(parent, is_collection),
            NodeKind::PropertyAccess => {
                PropertyAccess::cast(parent).is_some_and(|access| IDENTITY.contains(&access.name().text()))
            }
            NodeKind::ArrayAccess => {
                let Some(access) = ArrayAccess::cast(parent) else { return false };
                match access.index() {
                    Expr::String(text) => text.constant().is_some_and(|name| IDENTITY.contains(&&*name)),
                    _ => is_collection && self.is_identity(parent, is_collection),
                }
            }
            _ => false,
        }
    }

    fn is_method_base(&self, node: SyntaxNode<'m>, is_collection: bool) -> bool {
        let Some(parent) = self.model.parent(node) else { return false };
        match parent.kind() {
            NodeKind::NonNullAssertion => self.is_method_base(parent, is_collection),
            NodeKind::InstanceFunctionCall => true,
            NodeKind::ArrayAccess => {
                let of_collection =
                    ArrayAccess::cast(parent).is_some_and(|access| access.base().node() == node);
                is_collection && of_collection && self.is_method_base(parent, is_collection)
            }
            _ => false,
        }
    }

    fn is_in_weak_property(&self, node: SyntaxNode<'m>) -> bool {
        self.weak_in.iter().any(|value| is_inside(self.model, node.id(), self.model.file.node(*value)))
    }
}

/// Tells whether a node is `outer` or inside it.
fn is_inside(model: &Model, node: NodeId, outer: SyntaxNode<'_>) -> bool {
    let (inner, outer) = (model.file.node(node).span(), outer.span());
    outer.encloses(inner)
}
