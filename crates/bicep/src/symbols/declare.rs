//! What a file declares, before any name is looked up.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, For, Name, NameOrString, Program, ResourceDeclaration, Statement};
use syntax::ast::{ImportedSymbolsList, LocalVariable, VariableBlock, WildcardImport};
use syntax::{NodeId, SyntaxElement, SyntaxNode};

use super::extensions::Fetched;
use super::imports::ImportTable;
use super::{Scope, ScopeId, ScopeKind, Symbol, SymbolId, SymbolKind};
use crate::symbols::{Declarations, Model, ModuleTarget};

/// Symbols and scopes as they are collected.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) symbols: Vec<Symbol>,
    pub(super) scopes: Vec<Scope>,
    pub(super) declarations: Declarations,
    /// The scopes of nodes that are one: the bodies of resources and of their loops, and all others once bound.
    pub(super) scope_of: FxHashMap<NodeId, ScopeId>,
    /// The symbols that names of the whole file mean; of several with one name, the first.
    pub(super) globals: FxHashMap<SmolStr, SymbolId>,
    /// The innermost scope of each resource's body, in which nested resources are declared.
    pub(super) body_scope: FxHashMap<NodeId, ScopeId>,
    /// The parameters files that the file extends.
    pub(super) extended: Vec<(NodeId, Arc<Model>)>,
    /// The symbol of each declaration.
    pub(super) declared: FxHashMap<NodeId, SymbolId>,
}

impl Tables {
    pub(super) fn scope(&self, id: ScopeId) -> Option<&Scope> {
        self.scopes.get(id.0 as usize)
    }

    pub(super) fn open(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        self.scope_of.insert(scope.binding, id);
        self.scopes.push(scope);
        id
    }

    pub(super) fn declare(
        &mut self,
        kind: SymbolKind,
        name: impl Into<SmolStr>,
        node: NodeId,
        scope: ScopeId,
    ) -> SymbolId {
        let id = SymbolId(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX));
        let name = name.into();
        if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
            scope.symbols.push(id);
            if scope.kind == ScopeKind::File && kind.can_be_referenced() {
                self.globals.entry(name.clone()).or_insert(id);
            }
        }
        self.symbols.push(Symbol { kind, name, node, scope });
        let is_whole_file = self.scopes.first().is_some_and(|file| file.declaring == node);
        if !is_whole_file && !matches!(kind, SymbolKind::This | SymbolKind::Base | SymbolKind::Inherited) {
            self.declared.insert(node, id);
        }
        id
    }

    /// Opens the scope of a loop and declares its variables.
    pub(super) fn open_loop(&mut self, each: For<'_>, parent: ScopeId) -> ScopeId {
        let node = each.node();
        let scope = self.open(Scope {
            kind: ScopeKind::Loop,
            parent: Some(parent),
            declaring: node.id(),
            binding: each.body().node().id(),
            symbols: Vec::new(),
        });
        for (position, variable) in local_variables(each.variables()).enumerate() {
            let kind = if position == 0 { SymbolKind::LoopItem } else { SymbolKind::LoopIndex };
            // More than two variables are a mistake of syntax.
            if position < 2 {
                self.declare(kind, variable.name().text(), variable.node().id(), scope);
            }
        }
        scope
    }
}

/// The variables of a loop or lambda, whether in parentheses or not.
pub(super) fn local_variables(element: Option<SyntaxElement<'_>>) -> impl Iterator<Item = LocalVariable<'_>> {
    let node = element.and_then(SyntaxElement::node);
    let lone = node.and_then(LocalVariable::cast);
    let block = node.and_then(VariableBlock::cast);
    lone.into_iter().chain(block.into_iter().flat_map(VariableBlock::variables))
}

/// Collects the declarations of a file.
pub(super) fn declare(root: SyntaxNode<'_>, imports: &mut ImportTable, fetched: &Fetched) -> Tables {
    let mut tables = Tables::default();
    let file = tables.open(Scope {
        kind: ScopeKind::File,
        parent: None,
        declaring: root.id(),
        binding: root.id(),
        symbols: Vec::new(),
    });
    let Some(program) = Program::cast(root) else { return tables };
    for statement in program.statements() {
        declare_statement(&mut tables, file, statement, imports, fetched);
    }
    declare_inherited(&mut tables, file);
    for name in fetched.implicit() {
        // A declaration of that name counts, and is a mistake of its own.
        let symbol = tables.declare(SymbolKind::Extension, name.clone(), root.id(), file);
        tables.declarations.implicit.push(symbol);
    }
    tables
}

/// Declares what extended files give: their parameters, and `base` for all of them.
fn declare_inherited(tables: &mut Tables, file: ScopeId) {
    let mut found = false;
    for (node, parent) in std::mem::take(&mut tables.extended) {
        for name in parent.assigned_names() {
            found = true;
            if !tables.globals.contains_key(name) {
                let symbol = tables.declare(SymbolKind::Inherited, name, node, file);
                tables.declarations.inherited.push(symbol);
            }
        }
        if found && !tables.globals.contains_key("base") {
            tables.declare(SymbolKind::Base, "base", node, file);
        }
    }
}

fn declare_statement(
    tables: &mut Tables,
    file: ScopeId,
    statement: Statement<'_>,
    imports: &mut ImportTable,
    fetched: &Fetched,
) {
    let node = statement.node().id();
    let mut add = |kind, name: Name<'_>| tables.declare(kind, name.text(), node, file);
    match statement {
        Statement::MetadataDeclaration(it) => {
            let symbol = add(SymbolKind::Metadata, it.name());
            tables.declarations.metadata.push(symbol);
        }
        Statement::ParameterDeclaration(it) => {
            let symbol = add(SymbolKind::Parameter, it.name());
            tables.declarations.parameters.push(symbol);
        }
        Statement::VariableDeclaration(it) => {
            let symbol = add(SymbolKind::Variable, it.name());
            tables.declarations.variables.push(symbol);
        }
        Statement::TypeDeclaration(it) => {
            let symbol = add(SymbolKind::Type, it.name());
            tables.declarations.types.push(symbol);
        }
        Statement::FunctionDeclaration(it) => {
            let symbol = add(SymbolKind::Function, it.name());
            tables.declarations.functions.push(symbol);
        }
        Statement::ResourceDeclaration(it) => declare_resource(tables, file, it),
        Statement::ModuleDeclaration(it) => {
            let symbol = add(SymbolKind::Module, it.name());
            tables.declarations.modules.push(symbol);
        }
        Statement::TestDeclaration(it) => {
            let symbol = add(SymbolKind::Test, it.name());
            tables.declarations.tests.push(symbol);
        }
        Statement::OutputDeclaration(it) => {
            let symbol = add(SymbolKind::Output, it.name());
            tables.declarations.outputs.push(symbol);
        }
        Statement::AssertDeclaration(it) => {
            let symbol = add(SymbolKind::Assert, it.name());
            tables.declarations.asserts.push(symbol);
        }
        Statement::ExtensionDeclaration(it) => {
            let name: SmolStr = match (it.as_clause(), it.specification()) {
                (Some(alias), _) => alias.alias().text().into(),
                (None, NameOrString::Name(name)) => name.text().into(),
                (None, _) => fetched.name(node).unwrap_or_else(|| "<missing>".into()),
            };
            let symbol = tables.declare(SymbolKind::Extension, name, node, file);
            tables.declarations.extensions.push(symbol);
        }
        Statement::ParameterAssignment(it) => {
            let symbol = add(SymbolKind::ParameterAssignment, it.name());
            tables.declarations.assignments.push(symbol);
        }
        Statement::ExtensionConfigAssignment(it) => {
            let symbol = add(SymbolKind::ExtensionConfig, it.alias());
            tables.declarations.extension_configs.push(symbol);
        }
        Statement::CompileTimeImportDeclaration(it) => {
            let Some(imported) = it.imported().and_then(SyntaxElement::node) else { return };
            declare_import(tables, file, node, imported, imports);
        }
        Statement::ExtendsDeclaration(_) => {
            if let Some(ModuleTarget::Bicep(parent)) = imports.source(node) {
                tables.extended.push((node, Arc::clone(parent)));
            }
        }
        Statement::TargetScope(_)
        | Statement::UsingDeclaration(_)
        | Statement::MissingDeclaration(_)
        | Statement::Skipped(_) => {}
    }
}

fn declare_import(
    tables: &mut Tables,
    file: ScopeId,
    declaration: NodeId,
    imported: SyntaxNode<'_>,
    imports: &mut ImportTable,
) {
    if let Some(wildcard) = WildcardImport::cast(imported) {
        let name = wildcard.as_clause().map_or("<missing>", |alias| alias.alias().text());
        if imports.source(declaration).is_some() {
            let symbol = tables.declare(SymbolKind::WildcardImport, name, imported.id(), file);
            tables.declarations.wildcards.push(symbol);
            imports.wildcard(symbol, declaration);
        } else {
            tables.declare(SymbolKind::FailedImport, name, imported.id(), file);
        }
    } else if let Some(list) = ImportedSymbolsList::cast(imported) {
        for item in list.symbols() {
            let Some(original) = item.original_name().constant() else { continue };
            let name: SmolStr = item
                .as_clause()
                .map_or_else(|| original.as_ref().into(), |alias| alias.alias().text().into());
            match imports.item(declaration, &original) {
                Some(place) => {
                    let kind = SymbolKind::Imported(place);
                    let symbol = tables.declare(kind, name, item.node().id(), file);
                    tables.declarations.imported.push(symbol);
                }
                // What cannot be imported is known by its own name, whatever it was to be called here.
                None => {
                    tables.declare(SymbolKind::FailedImport, original.as_ref(), item.node().id(), file);
                }
            }
        }
    }
}

/// Declares a resource and those nested in it. Nested ones come first, as templates list them.
fn declare_resource(tables: &mut Tables, outer: ScopeId, resource: ResourceDeclaration<'_>) {
    let node = resource.node();
    let value = resource.value();
    let body = match value {
        Expr::IfCondition(condition) => condition.body(),
        value => value,
    };
    let scope = tables.open(Scope {
        kind: ScopeKind::Resource,
        parent: Some(outer),
        declaring: node.id(),
        binding: body.node().id(),
        symbols: Vec::new(),
    });
    if resource.existing().is_none() {
        tables.declare(SymbolKind::This, "this", node.id(), scope);
    }
    let mut inner = scope;
    let mut object = body;
    if let Expr::For(each) = object {
        inner = tables.open_loop(each, scope);
        object = each.body();
    }
    if let Expr::IfCondition(condition) = object {
        object = condition.body();
    }
    tables.body_scope.insert(node.id(), inner);
    if let Expr::Object(object) = object {
        for nested in object.declarations() {
            if let Statement::ResourceDeclaration(nested) = nested {
                declare_resource(tables, inner, nested);
            }
        }
    }
    let symbol = tables.declare(SymbolKind::Resource, resource.name().text(), node.id(), outer);
    tables.declarations.resources.push(symbol);
}
