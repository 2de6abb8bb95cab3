//! Every use of a name, bound to what it means.
//!
//! One walk over the tree. Loops and lambdas open scopes as the walk reaches them; resources have theirs already. What
//! a place allows (functions that need the deployment, decorators of a kind) is known from the declaration around it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::ast::{
    AstNode as _, Expr, For, FunctionCall, FunctionDeclaration, IfCondition, InstanceFunctionCall, Lambda,
    Name, OutputDeclaration, ParameterDeclaration, ResourceAccess, ResourceDeclaration, TypeVariableAccess,
    TypedLambda, VariableAccess, VariableDeclaration,
};
use syntax::ast::{
    InstanceParameterizedTypeInstantiation, ParameterizedTypeInstantiation, TypeExpr, TypePropertyAccess,
};
use syntax::{NodeKind, SyntaxElement, SyntaxNode};

use super::declare::{Tables, local_variables};
use super::extensions::Fetched;
use super::namespaces::Namespaces;
use super::{Binding, Scope, ScopeId, ScopeKind, SymbolId, SymbolKind};
use crate::codes::{self, DiagnosticCode};
use crate::decorators::{Decorator, ForFile};
use crate::files::{BicepFile, ReferenceKind};
use crate::finding::Finding;
use crate::functions::{Function, Visibility, banned};
use crate::language::Dialect;
use crate::types::{Ambient, BuiltIn, FunctionFlags as F};

/// The outcome of the walk.
pub(super) struct BindResult {
    pub(super) tables: Tables,
    pub(super) bindings: Vec<Binding>,
    pub(super) findings: Vec<Finding>,
    pub(super) namespaces: Namespaces,
    pub(super) declared: Vec<ForFile>,
    pub(super) misdeclared: Vec<Finding>,
}

/// Binds all names of a file.
pub(super) fn bind(
    file: &BicepFile,
    tables: Tables,
    visibility: Visibility,
    fetched: &Fetched,
) -> BindResult {
    let mut bindings = vec![Binding::None; file.tree.node_count()];
    let mut set = |node: syntax::NodeId, binding| {
        if let Some(slot) = bindings.get_mut(node.index()) {
            *slot = binding;
        }
    };
    for (id, symbol) in (0u32..).map(SymbolId).zip(&tables.symbols) {
        if tables.declared.get(&symbol.node) == Some(&id) {
            set(symbol.node, Binding::Symbol(id));
        }
    }
    let namespaces = Namespaces::of(file, &tables);
    let mut misdeclared = Vec::new();
    let declared = declared_decorators(file, fetched, visibility.dialect, &mut misdeclared);
    let mut binder = Binder {
        foreign: &fetched.functions,
        declared,
        tables,
        bindings,
        findings: Vec::new(),
        visibility,
        namespaces,
        scope: ScopeId(0),
        allowed: F::empty(),
        in_member: false,
    };
    binder.visit(file.tree.root());
    BindResult {
        tables: binder.tables,
        bindings: binder.bindings,
        findings: binder.findings,
        namespaces: binder.namespaces,
        declared: binder.declared,
        misdeclared,
    }
}

/// The decorators that the configuration of a file and the types of its extensions declare.
fn declared_decorators(
    file: &BicepFile,
    fetched: &Fetched,
    dialect: Dialect,
    findings: &mut Vec<Finding>,
) -> Vec<ForFile> {
    // The public compiler knows none.
    if dialect == Dialect::Public {
        return Vec::new();
    }
    let start = syntax::Span::new(0, 0);
    findings.extend(file.config.decorator_faults().iter().map(|fault| fault.at(start)));
    let configured = file.config.decorators().iter();
    let mut known: Vec<ForFile> =
        configured.map(|row| ForFile { row: Arc::clone(row), extension: None }).collect();
    for reference in file.references.iter().filter(|it| it.kind == ReferenceKind::Extension) {
        let at = file.node(reference.declaration).span();
        for (name, declared) in fetched.decorators(reference.declaration) {
            match declared {
                Ok(row) => {
                    let extension = Some(reference.declaration);
                    known.push(ForFile { row: Arc::new(row), extension });
                }
                Err(why) => {
                    findings.push(codes::DECORATOR_DECLARATION.at(at, &[&"the extension", &name, &why]));
                }
            }
        }
    }
    known
}

struct Binder<'f> {
    /// The names of functions that extensions bring, with the number of extensions that bring each.
    foreign: &'f FxHashMap<SmolStr, usize>,
    /// The decorators that are declared outside the language.
    declared: Vec<ForFile>,
    tables: Tables,
    bindings: Vec<Binding>,
    findings: Vec<Finding>,
    visibility: Visibility,
    namespaces: Namespaces,
    /// The innermost scope at the node that is visited.
    scope: ScopeId,
    /// What the place allows.
    allowed: F,
    /// Whether the decorators of a member of a type are looked at.
    in_member: bool,
}

impl Binder<'_> {
    fn visit(&mut self, node: SyntaxNode<'_>) {
        // A node can be the region of a scope that was opened before.
        let outer = self.scope;
        if let Some(scope) = self.tables.scope_of.get(&node.id()) {
            self.scope = *scope;
        }
        self.visit_node(node);
        self.scope = outer;
    }

    fn visit_node(&mut self, node: SyntaxNode<'_>) {
        match node.kind() {
            NodeKind::MetadataDeclaration => {
                self.declaration(node, F::METADATA_DECORATOR, F::METADATA_DECORATOR)
            }
            NodeKind::VariableDeclaration => {
                if let Some(it) = VariableDeclaration::cast(node) {
                    self.typed(node, F::VARIABLE_DECORATOR, it.ty(), Some(it.value()), F::REQUIRES_INLINING);
                }
            }
            NodeKind::OutputDeclaration => {
                if let Some(it) = OutputDeclaration::cast(node) {
                    self.typed(
                        node,
                        F::OUTPUT_DECORATOR,
                        Some(it.ty()),
                        Some(it.value()),
                        F::REQUIRES_INLINING,
                    );
                }
            }
            NodeKind::ParameterDeclaration => {
                if let Some(it) = ParameterDeclaration::cast(node) {
                    self.typed(node, F::PARAMETER_DECORATOR, Some(it.ty()), None, F::empty());
                    self.allowed = F::PARAM_DEFAULTS_ONLY;
                    if let Some(modifier) = it.modifier().and_then(SyntaxElement::node) {
                        self.visit(modifier);
                    }
                    self.allowed = F::empty();
                }
            }
            NodeKind::TypeDeclaration => self.declaration(node, F::TYPE_DECORATOR, F::TYPE_DECORATOR),
            NodeKind::FunctionDeclaration => {
                if let Some(it) = FunctionDeclaration::cast(node) {
                    self.decorators(node, F::FUNCTION_DECORATOR);
                    self.allowed = F::REQUIRES_INLINING;
                    if let Some(lambda) = it.lambda() {
                        self.visit(lambda.node());
                    }
                    self.allowed = F::empty();
                }
            }
            NodeKind::ResourceDeclaration => {
                if let Some(it) = ResourceDeclaration::cast(node) {
                    self.decorators(node, F::RESOURCE_DECORATOR);
                    self.visit(it.ty().node());
                    self.allowed = F::REQUIRES_INLINING;
                    self.visit(it.value().node());
                    self.allowed = F::empty();
                }
            }
            NodeKind::ModuleDeclaration => self.declaration(node, F::MODULE_DECORATOR, F::REQUIRES_INLINING),
            NodeKind::TestDeclaration => {
                self.declaration(node, self.test_decorators(), F::REQUIRES_INLINING);
            }
            NodeKind::AssertDeclaration => self.declaration(node, self.test_decorators(), F::empty()),
            NodeKind::ExtensionDeclaration => {
                self.declaration(node, F::EXTENSION_DECORATOR, F::EXTENSION_DECORATOR)
            }
            NodeKind::MissingDeclaration => self.declaration(node, F::ANY_DECORATOR, F::ANY_DECORATOR),
            // Nobody checks what decorates an import, so that anything may.
            NodeKind::CompileTimeImportDeclaration => self.declaration(node, F::ANY_DECORATOR, F::empty()),
            NodeKind::ObjectTypeProperty
            | NodeKind::ObjectTypeAdditionalProperties
            | NodeKind::TupleTypeItem => {
                let outer = std::mem::replace(&mut self.in_member, true);
                for decorator in node.decorators() {
                    self.visit(decorator.node());
                }
                self.in_member = outer;
                for child in node.child_nodes().filter(|child| child.kind() != NodeKind::Decorator) {
                    self.visit(child);
                }
            }
            NodeKind::IfCondition => {
                if let Some(it) = IfCondition::cast(node) {
                    self.allowed = F::empty();
                    self.visit(it.condition().node());
                    self.allowed = F::REQUIRES_INLINING;
                    self.visit(it.body().node());
                    self.allowed = F::empty();
                }
            }
            NodeKind::For => self.for_loop(node),
            NodeKind::Lambda => self.lambda(node),
            NodeKind::TypedLambda => self.typed_lambda(node),
            NodeKind::VariableAccess => {
                if let Some(it) = VariableAccess::cast(node) {
                    let binding = self.name(it.name(), false);
                    self.set(node, binding);
                }
            }
            NodeKind::TypeVariableAccess => {
                if let Some(it) = TypeVariableAccess::cast(node) {
                    let binding = self.name(it.name(), false);
                    self.set(node, binding);
                }
            }
            NodeKind::ParameterizedTypeInstantiation => {
                let Some(it) = ParameterizedTypeInstantiation::cast(node) else { return };
                self.arguments(node);
                let binding = self.name(it.name(), false);
                self.set(node, binding);
            }
            NodeKind::InstanceParameterizedTypeInstantiation => {
                self.arguments(node);
                self.qualified_type_arguments(node);
            }
            NodeKind::TypePropertyAccess => {
                self.children(node);
                self.qualified_type(node);
            }
            NodeKind::FunctionCall => {
                let Some(it) = FunctionCall::cast(node) else { return };
                self.arguments(node);
                let binding = self.name(it.name(), true);
                self.set(node, binding);
            }
            NodeKind::InstanceFunctionCall => self.instance_call(node),
            NodeKind::ResourceAccess => {
                self.children(node);
                self.resource_access(node);
            }
            _ => self.children(node),
        }
    }

    fn children(&mut self, node: SyntaxNode<'_>) {
        for child in node.child_nodes() {
            self.visit(child);
        }
    }

    /// The arguments of a call: what decorates the call does not decorate them.
    fn arguments(&mut self, node: SyntaxNode<'_>) {
        let allowed = self.allowed;
        if allowed.is_decorator() {
            self.allowed = F::empty();
        }
        self.children(node);
        self.allowed = allowed;
    }

    fn decorators(&mut self, node: SyntaxNode<'_>, allowed: F) {
        self.allowed = allowed;
        for decorator in node.decorators() {
            self.visit(decorator.node());
        }
    }

    /// A declaration whose decorators allow one thing and whose other parts another.
    fn declaration(&mut self, node: SyntaxNode<'_>, decorators: F, rest: F) {
        self.decorators(node, decorators);
        self.allowed = rest;
        for child in node.child_nodes().filter(|child| child.kind() != NodeKind::Decorator) {
            self.visit(child);
        }
        self.allowed = F::empty();
    }

    fn typed(
        &mut self,
        node: SyntaxNode<'_>,
        decorators: F,
        ty: Option<TypeExpr<'_>>,
        value: Option<Expr<'_>>,
        in_value: F,
    ) {
        self.decorators(node, decorators);
        self.allowed = F::TYPE_DECORATOR;
        if let Some(ty) = ty {
            self.visit(ty.node());
        }
        self.allowed = in_value;
        if let Some(value) = value {
            self.visit(value.node());
        }
        self.allowed = F::empty();
    }

    fn for_loop(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = For::cast(node) else { return };
        let body = it.body().node().id();
        if !self.tables.scope_of.get(&body).is_some_and(|scope| self.is_loop(*scope)) {
            let scope = self.tables.open_loop(it, self.scope);
            self.bind_locals(scope);
        } else if let Some(scope) = self.tables.scope_of.get(&body) {
            self.bind_locals(*scope);
        }
        self.visit(it.expression().node());
        self.visit(it.body().node());
    }

    fn is_loop(&self, scope: ScopeId) -> bool {
        self.tables.scope(scope).is_some_and(|scope| scope.kind == ScopeKind::Loop)
    }

    fn lambda(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = Lambda::cast(node) else { return };
        let scope = self.tables.open(Scope {
            kind: ScopeKind::Lambda,
            parent: Some(self.scope),
            declaring: node.id(),
            binding: it.body().node().id(),
            symbols: Vec::new(),
        });
        for variable in local_variables(it.variables()) {
            self.tables.declare(
                SymbolKind::LambdaParameter,
                variable.name().text(),
                variable.node().id(),
                scope,
            );
        }
        self.bind_locals(scope);
        self.visit(it.body().node());
    }

    fn typed_lambda(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = TypedLambda::cast(node) else { return };
        let scope = self.tables.open(Scope {
            kind: ScopeKind::Function,
            parent: Some(self.scope),
            declaring: node.id(),
            binding: it.body().node().id(),
            symbols: Vec::new(),
        });
        if let Some(block) = it.variables() {
            for variable in block.variables() {
                self.tables.declare(
                    SymbolKind::FunctionParameter,
                    variable.name().text(),
                    variable.node().id(),
                    scope,
                );
            }
            self.bind_locals(scope);
            self.visit(block.node());
        }
        self.visit(it.return_type().node());
        self.visit(it.body().node());
    }

    fn bind_locals(&mut self, scope: ScopeId) {
        let Some(scope) = self.tables.scope(scope) else { return };
        for symbol in &scope.symbols {
            let Some(local) = self.tables.symbols.get(symbol.index()) else { continue };
            if let Some(slot) = self.bindings.get_mut(local.node.index()) {
                *slot = Binding::Symbol(*symbol);
            }
        }
    }

    fn set(&mut self, node: SyntaxNode<'_>, binding: Binding) {
        if let Some(slot) = self.bindings.get_mut(node.id().index()) {
            *slot = binding;
        }
    }

    fn binding(&self, node: SyntaxNode<'_>) -> Binding {
        self.bindings.get(node.id().index()).copied().unwrap_or_default()
    }

    /// What a name means here: a local, a declaration, a namespace, and then what the namespaces have.
    fn name(&mut self, name: Name<'_>, is_call: bool) -> Binding {
        if !name.is_valid() {
            return Binding::Unresolved;
        }
        let text = name.text();
        if let Some(symbol) = self.declared(text) {
            return Binding::Symbol(symbol);
        }
        if let Some(namespace) = self.namespaces.named(text) {
            return Binding::Namespace(namespace);
        }
        if !is_call && let Some(ambient) = Ambient::from_name(text) {
            return Binding::Ambient(ambient);
        }
        let own = self.built_in(text);
        let foreign = if is_call { self.foreign.get(text).copied().unwrap_or_default() } else { 0 };
        let declared = if is_call { self.declared_decorator(text, self.allowed, |_| true) } else { None };
        let ambiguous =
            declared.is_some() && self.declared.iter().filter(|it| it.row.name == text).count() > 1;
        let own = own.or(declared);
        if ambiguous || foreign + usize::from(own.is_some()) > 1 {
            self.findings.push(codes::AMBIGUOUS_FUNCTION.at(name.span(), &[&text]));
            return Binding::Unresolved;
        }
        match own {
            Some(own) => {
                // Where a function is only named, no place is good for one that needs a special place.
                let allowed = if is_call { self.allowed } else { F::empty() };
                self.check_flags(own, name, allowed)
            }
            None if foreign > 0 => Binding::ExtensionFunction,
            None => {
                self.unknown(name, is_call);
                Binding::Unresolved
            }
        }
    }

    /// The declaration that a name means, from the innermost scope outwards.
    fn declared(&self, name: &str) -> Option<SymbolId> {
        let mut only_shared = false;
        let mut next = Some(self.scope);
        while let Some(scope) = next.and_then(|id| self.tables.scope(id)) {
            let found = match scope.kind {
                ScopeKind::File => self.tables.globals.get(name).copied(),
                _ => scope
                    .symbols
                    .iter()
                    .copied()
                    .find(|id| self.tables.symbols.get(id.index()).is_some_and(|it| it.name == name)),
            };
            if let Some(id) = found {
                let visible = !only_shared
                    || self.tables.symbols.get(id.index()).is_some_and(|symbol| in_functions(symbol.kind));
                return visible.then_some(id);
            }
            only_shared |= scope.kind == ScopeKind::Function;
            next = scope.parent;
        }
        None
    }

    /// The decorators of tests and asserts, which only test files have: those that describe.
    fn test_decorators(&self) -> F {
        if self.namespaces.has(BuiltIn::Testing) { F::METADATA_DECORATOR } else { F::empty() }
    }

    /// The built-in function or decorator that a name without a namespace means.
    fn built_in(&self, name: &str) -> Option<BuiltInName> {
        let has_az = self.namespaces.has(BuiltIn::Az);
        let az = || has_az.then(|| self.visibility.function(BuiltIn::Az, name)).flatten();
        let has_testing = self.namespaces.has(BuiltIn::Testing);
        let testing = || has_testing.then(|| self.visibility.function(BuiltIn::Testing, name)).flatten();
        let found = self.visibility.function(BuiltIn::Sys, name).or_else(az).or_else(testing);
        found.map(BuiltInName::Function).or_else(|| self.decorator(name, self.allowed))
    }

    /// The built-in decorator with a name, where a decorator may stand.
    fn decorator(&self, name: &str, allowed: F) -> Option<BuiltInName> {
        allowed.is_decorator().then(|| self.visibility.decorator(name)).flatten().map(BuiltInName::Decorator)
    }

    /// The decorator with a name that is declared outside the language, where a decorator may stand.
    fn declared_decorator(
        &self,
        name: &str,
        allowed: F,
        is_meant: impl Fn(&ForFile) -> bool,
    ) -> Option<BuiltInName> {
        let mut known = (0u32..).zip(&self.declared);
        let found = known.find(|(_, own)| own.row.name == name && is_meant(own));
        found
            .filter(|_| allowed.is_decorator())
            .map(|(place, own)| BuiltInName::Declared(place, own.row.targets))
    }

    fn check_flags(&mut self, found: BuiltInName, name: Name<'_>, allowed: F) -> Binding {
        let (flags, binding) = match found {
            BuiltInName::Function(function) => (function.flags, Binding::Function(function)),
            BuiltInName::Decorator(decorator) => {
                (decorator.targets(self.visibility.dialect), Binding::Decorator(decorator))
            }
            BuiltInName::Declared(place, targets) => (targets, Binding::DeclaredDecorator(place)),
        };
        match misplaced(flags, allowed) {
            None => binding,
            Some(code) => {
                self.findings.push(code.at(name.span(), &[&name.text()]));
                Binding::Unresolved
            }
        }
    }

    fn unknown(&mut self, name: Name<'_>, is_call: bool) {
        let text = name.text();
        if let Some(banned) = banned(text) {
            self.findings.push(banned.at(name.span()));
            return;
        }
        let finding = match self.near(text, is_call) {
            Some(near) => codes::UNKNOWN_NAME_NEAR.at(name.span(), &[&text, &near]),
            None => codes::UNKNOWN_NAME.at(name.span(), &[&text]),
        };
        self.findings.push(finding);
    }

    /// The built-in name that may have been meant.
    fn near(&self, text: &str, is_call: bool) -> Option<&str> {
        let mut candidates: Vec<&str> = if is_call {
            let az = self.namespaces.has(BuiltIn::Az).then_some(BuiltIn::Az);
            let testing = self.namespaces.has(BuiltIn::Testing).then_some(BuiltIn::Testing);
            let functions = std::iter::once(BuiltIn::Sys)
                .chain(az)
                .chain(testing)
                .flat_map(|space| self.visibility.function_names(space));
            let decorates = self.allowed.is_decorator();
            let decorators = decorates.then(|| self.visibility.decorator_names());
            let mut names: Vec<&str> = functions.chain(decorators.into_iter().flatten()).collect();
            names.extend(self.declared.iter().filter(|_| decorates).map(|own| own.row.name.as_str()));
            names
        } else {
            Ambient::ALL.into_iter().map(Ambient::name).collect()
        };
        candidates.sort_unstable_by_key(|name| name.to_ascii_lowercase());
        diagnostics::suggest_without_swaps(text, candidates)
    }

    fn instance_call(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = InstanceFunctionCall::cast(node) else { return };
        let allowed = self.allowed;
        // What stands before the dot of a decorator is a namespace and no decorator itself.
        self.visit(it.base().node());
        if allowed.is_decorator() {
            self.allowed = F::empty();
        }
        for argument in it.arguments() {
            self.visit(argument.node());
        }
        self.allowed = allowed;
        let Some(namespace) = self.namespace(it.base().node()) else {
            return self.extension_decorator(it, allowed);
        };
        let name = it.name().text();
        let found = self.visibility.function(namespace, name).map(BuiltInName::Function);
        let found = match namespace {
            BuiltIn::Sys => found.or_else(|| self.decorator(name, allowed)),
            BuiltIn::Az | BuiltIn::This | BuiltIn::Testing => found,
        };
        // A qualified decorator may stand on any member of a type.
        if self.in_member && allowed.is_decorator() {
            self.allowed = F::ANY_DECORATOR;
        }
        let binding = match found {
            Some(found) => self.check_flags(found, it.name(), self.allowed),
            None => Binding::Unresolved,
        };
        self.allowed = allowed;
        self.set(node, binding);
    }

    /// A decorator that an extension declares, with the name of the extension before it.
    fn extension_decorator(&mut self, call: InstanceFunctionCall<'_>, allowed: F) {
        let base = self.binding(call.base().node()).symbol();
        let Some(base) = base.and_then(|symbol| self.tables.symbols.get(symbol.index())) else { return };
        let extension = base.node;
        let found =
            self.declared_decorator(call.name().text(), allowed, |own| own.extension == Some(extension));
        if let Some(found) = found {
            let binding = self.check_flags(found, call.name(), allowed);
            self.set(call.node(), binding);
        }
    }

    /// The built-in namespace that a node means.
    fn namespace(&self, node: SyntaxNode<'_>) -> Option<BuiltIn> {
        match self.binding(node) {
            Binding::Namespace(namespace) => Some(namespace),
            Binding::Symbol(symbol) => match self.tables.symbols.get(symbol.index())?.kind {
                SymbolKind::This => Some(BuiltIn::This),
                SymbolKind::Extension => self.namespaces.declared(symbol),
                _ => None,
            },
            _ => None,
        }
    }

    fn resource_access(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = ResourceAccess::cast(node) else { return };
        let base = self.binding(it.base().node()).symbol().and_then(|id| self.tables.symbols.get(id.index()));
        let Some(base) = base.filter(|symbol| symbol.kind == SymbolKind::Resource) else {
            if self.binding(it.base().node()) != Binding::Unresolved {
                self.findings.push(codes::NESTED_OF_NON_RESOURCE.at(it.name().span(), &[]));
            }
            return self.set(node, Binding::Unresolved);
        };
        let name = it.name().text();
        let scope = self.tables.body_scope.get(&base.node).and_then(|scope| self.tables.scope(*scope));
        let nested = scope.into_iter().flat_map(|scope| &scope.symbols).copied().find(|id| {
            self.tables
                .symbols
                .get(id.index())
                .is_some_and(|it| it.kind == SymbolKind::Resource && it.name == name)
        });
        match nested {
            Some(symbol) => self.set(node, Binding::Symbol(symbol)),
            None => {
                if it.name().is_valid() {
                    self.findings.push(codes::NO_NESTED_RESOURCE.at(it.name().span(), &[&base.name, &name]));
                }
                self.set(node, Binding::Unresolved);
            }
        }
    }

    fn qualified_type(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = TypePropertyAccess::cast(node) else { return };
        if self.namespace(it.base().node()) == Some(BuiltIn::Sys)
            && let Some(ambient) = Ambient::from_name(it.name().text())
        {
            self.set(node, Binding::Ambient(ambient));
        }
    }

    fn qualified_type_arguments(&mut self, node: SyntaxNode<'_>) {
        let Some(it) = InstanceParameterizedTypeInstantiation::cast(node) else { return };
        if self.namespace(it.base().node()) == Some(BuiltIn::Sys)
            && let Some(ambient) = Ambient::from_name(it.name().text())
        {
            self.set(node, Binding::Ambient(ambient));
        }
    }
}

/// What a name that nothing declares can mean.
#[derive(Clone, Copy)]
enum BuiltInName {
    Function(&'static Function),
    Decorator(&'static Decorator),
    Declared(u32, F),
}

/// Tells whether the bodies of functions see symbols of a kind from outside.
fn in_functions(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Variable
            | SymbolKind::Imported(_)
            | SymbolKind::Function
            | SymbolKind::WildcardImport
            | SymbolKind::Resource
    )
}

/// What is wrong when a function cannot be used where it is.
fn misplaced(function: F, allowed: F) -> Option<DiagnosticCode> {
    if function.contains(F::PARAM_DEFAULTS_ONLY) && !allowed.contains(F::PARAM_DEFAULTS_ONLY) {
        return Some(codes::DEFAULT_VALUES_ONLY);
    }
    if function.contains(F::REQUIRES_INLINING) && !allowed.contains(F::REQUIRES_INLINING) {
        return Some(codes::BODIES_ONLY);
    }
    if function.is_decorator() && allowed.contains(F::ANY_DECORATOR) {
        return None;
    }
    if !function.is_decorator() && allowed.is_decorator() {
        return Some(codes::NOT_A_DECORATOR);
    }
    let places = [
        (F::PARAMETER_DECORATOR, codes::NOT_FOR_PARAMETERS),
        (F::TYPE_DECORATOR, codes::NOT_FOR_TYPES),
        (F::VARIABLE_DECORATOR, codes::NOT_FOR_VARIABLES),
        (F::RESOURCE_DECORATOR, codes::NOT_FOR_RESOURCES),
        (F::MODULE_DECORATOR, codes::NOT_FOR_MODULES),
        (F::OUTPUT_DECORATOR, codes::NOT_FOR_OUTPUTS),
        (F::METADATA_DECORATOR, codes::NOT_FOR_METADATA),
    ];
    let wrong = places.into_iter().find(|(place, ..)| allowed.contains(*place) && !function.contains(*place));
    wrong.map(|(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld, Model};

    fn model(text: &str) -> Arc<Model> {
        let world = MemoryWorld::default().with_file("/main.bicep", text);
        let generator = Generator { name: "bicep".into(), version: "dev".into() };
        let options = CompilerOptions::new(generator);
        Compiler::new(Arc::new(world), options).model(&FilePath::new("/main.bicep")).unwrap()
    }

    /// The uses of names in a text, each with what it means.
    fn meanings(text: &str) -> Vec<String> {
        let model = model(text);
        let uses = model.file.tree.root().descendants().filter(|node| {
            matches!(
                node.kind(),
                NodeKind::VariableAccess
                    | NodeKind::FunctionCall
                    | NodeKind::ResourceAccess
                    | NodeKind::TypeVariableAccess
            )
        });
        uses.map(|node| {
            let meaning = match model.binding(node.id()) {
                Binding::Symbol(symbol) => format!("{:?}", model.symbol(symbol).kind),
                Binding::Function(function) => format!("{}()", function.name),
                Binding::Decorator(decorator) => format!("@{}()", decorator.name),
                Binding::DeclaredDecorator(_) => "declared decorator".to_owned(),
                Binding::Namespace(namespace) => namespace.name().to_owned(),
                Binding::Ambient(ambient) => ambient.name().to_owned(),
                Binding::ExtensionFunction => "function of an extension".to_owned(),
                Binding::None | Binding::Unresolved => "?".to_owned(),
            };
            format!("{} {meaning}", node.text().split(['(', '\n']).next().unwrap_or_default())
        })
        .collect()
    }

    #[track_caller]
    fn codes(text: &str, expected: &[&str]) {
        let codes: Vec<_> = model(text).findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, expected, "{text}");
    }

    #[test]
    fn locals_shadow_declarations_and_declarations_shadow_functions() {
        assert_eq!(
            meanings("param a string\nvar b = [for a in a: a]"),
            ["string string", "a Parameter", "a LoopItem"]
        );
        assert_eq!(
            meanings("param length int\nvar b = length\nvar c = map([], x => x)"),
            ["int int", "length Parameter", "map map()", "x LambdaParameter"]
        );
    }

    #[test]
    fn functions_see_variables_and_functions_but_no_parameters() {
        assert_eq!(
            meanings("param p string\nvar v = 1\nfunc f(a int) int => a + v + p"),
            ["string string", "int int", "int int", "a FunctionParameter", "v Variable", "p ?"]
        );
        codes("param p string\nfunc f() string => p", &["BCP057"]);
    }

    #[test]
    fn nested_resources_are_seen_inside_and_through_two_colons() {
        let text = "resource a 'A.B/c@2020-01-01' = {\n  name: 'a'\n  resource b 'd' = {\n    name: a.name\n  }\n  resource c 'e' = {\n    name: b.name\n  }\n}\noutput o string = a::b.id\noutput p string = b.id";
        assert_eq!(
            meanings(text),
            [
                "a Resource",
                "b Resource",
                "string string",
                "a::b Resource",
                "a Resource",
                "string string",
                "b ?"
            ]
        );
        let model = model(text);
        let names: Vec<_> = model
            .resources_in_template_order()
            .into_iter()
            .map(|id| model.resource(id).ty.as_ref().unwrap().full_name())
            .collect();
        assert_eq!(names, ["A.B/c/d@2020-01-01", "A.B/c/e@2020-01-01", "A.B/c@2020-01-01"]);
    }

    #[test]
    fn what_may_stand_where_is_checked() {
        codes("var a = newGuid()", &["BCP065"]);
        codes("param a string = newGuid()", &[]);
        codes("param a string = listKeys('', '')", &["BCP066"]);
        codes("@batchSize(1)\nparam a string", &["BCP125"]);
        codes("@concat('')\nparam a string", &["BCP152"]);
        codes("@sys.secure()\nparam a string", &[]);
        codes("var a = lenght([])", &["BCP082"]);
        codes("var a = add(1, 2)", &["BCP069"]);
    }

    #[test]
    fn declarations_that_need_themselves_are_found() {
        let model = model("var a = b\nvar b = a\nvar c = a\ntype t = {\n  x: t?\n}");
        let in_cycle: Vec<_> = model
            .symbols()
            .filter(|(id, _)| model.cycle(*id).is_some())
            .map(|(_, it)| it.name.as_str())
            .collect();
        assert_eq!(in_cycle, ["a", "b"]);
    }
}
