//! `type` declarations: read in any order, and those that need themselves are reported.

use syntax::ast::{AstNode as _, Statement};
use syntax::{NodeKind, SyntaxNode};

use super::{MAX_OPEN, no_namespace};
use crate::check::Checker;
use crate::check::type_order::{self, TypeOrder};
use crate::codes;
use crate::finding::Finding;
use crate::symbols::{SymbolId, SymbolKind};
use crate::types::{Ty, TyKind, without_null};

impl<'m> Checker<'m> {
    /// Reads all `type` declarations, and finds those that contain themselves.
    pub(in crate::check) fn aliases(&mut self) {
        let types = self.model.declarations.types.clone();
        let TypeOrder { order, nesting } = TypeOrder::of(self.model, &types);
        self.nesting = nesting;
        for symbol in order {
            self.alias(symbol);
        }
        self.fill_pending();
        self.find_type_cycles(&types);
    }

    pub(super) fn fill_pending(&mut self) {
        if std::mem::replace(&mut self.filling, true) {
            // Whoever fills in types already goes on until none is left.
            return;
        }
        // Filling in one type can bring up others; each node is filled in once, so this ends.
        while let Some((node, later)) = self.pending.pop() {
            if later.get().is_none() {
                self.type_nodes.remove(&node);
                let ty = self.type_node(self.node(node)).get();
                later.fill(ty);
            }
        }
        self.filling = false;
    }

    /// The type that a `type` declaration stands for.
    pub(crate) fn alias(&mut self, symbol: SymbolId) -> Ty {
        if let Some(known) = self.aliases.get(&symbol) {
            return known.clone();
        }
        let model = self.model;
        let Some(Statement::TypeDeclaration(declaration)) = model.statement_of(symbol) else {
            return Ty::failed();
        };
        let node = declaration.node();
        if let Some(cycle) = model.cycle(symbol) {
            let error = Ty::error(self.type_cycle(symbol, cycle));
            self.failed.push(node.id());
            self.aliases.insert(symbol, error.clone());
            return error;
        }
        if self.alias_depth > 2 * MAX_OPEN || !self.open.insert(node.id()) {
            return Ty::any();
        }
        self.alias_depth += 1;
        let before = self.noise();
        let value = declaration.value();
        let made = self.type_node(value.node()).get();
        let made = no_namespace(made, value.span());
        let made = self.modified(made, node, false);
        self.alias_depth -= 1;
        self.open.remove(node.id());
        self.note(node.id(), before, &made);
        self.aliases.insert(symbol, made.clone());
        if self.alias_depth == 0 {
            self.fill_pending();
        }
        made
    }

    pub(super) fn type_cycle(&self, symbol: SymbolId, cycle: &[SymbolId]) -> Finding {
        let model = self.model;
        let at = match model.statement_of(symbol) {
            Some(Statement::TypeDeclaration(declaration)) => declaration.name().span(),
            _ => model.node_of(symbol).span(),
        };
        if cycle.len() == 1 {
            return codes::TYPE_SELF_REFERENCE.at(at, &[]);
        }
        codes::TYPE_CYCLE.at(at, &[&codes::list(cycle.iter().map(|member| &model.symbol(*member).name))])
    }

    /// Finds declarations that cannot have a value, because they need themselves.
    pub(super) fn find_type_cycles(&mut self, types: &[SymbolId]) {
        let mut edges: Vec<(SymbolId, Vec<SymbolId>)> = Vec::new();
        for symbol in types {
            let Some(Statement::TypeDeclaration(declaration)) = self.model.statement_of(*symbol) else {
                continue;
            };
            let mut found = Vec::new();
            self.needed(declaration.value().node(), false, &mut found);
            edges.push((*symbol, found));
        }
        for (symbol, path) in type_order::cycles(&edges) {
            let error = Ty::error(self.type_cycle(symbol, &path));
            self.failed.push(self.model.symbol(symbol).node);
            self.aliases.insert(symbol, error);
            self.type_cycles.insert(symbol);
        }
    }

    /// The declared types that every value of a type contains.
    pub(super) fn needed(&mut self, node: SyntaxNode<'m>, inside: bool, found: &mut Vec<SymbolId>) {
        match node.kind() {
            NodeKind::TypeVariableAccess | NodeKind::ParameterizedTypeInstantiation => {
                if inside
                    && let Some(symbol) = self.model.symbol_at(node)
                    && self.model.symbol(symbol).kind == SymbolKind::Type
                {
                    found.push(symbol);
                }
            }
            NodeKind::ObjectTypeAdditionalProperties => {}
            NodeKind::ArrayType | NodeKind::ObjectType | NodeKind::TupleType => {
                for child in node.child_nodes() {
                    let checked = matches!(node.kind(), NodeKind::ArrayType)
                        || matches!(child.kind(), NodeKind::ObjectTypeProperty | NodeKind::TupleTypeItem);
                    if !checked || self.is_needed(child) {
                        self.needed(child, true, found);
                    }
                }
            }
            NodeKind::UnionType => {
                let inside = inside || matches!(self.type_node(node).get().kind(), TyKind::Discriminated(_));
                for child in node.child_nodes() {
                    if self.is_needed(child) {
                        self.needed(child, inside, found);
                    }
                }
            }
            _ => {
                for child in node.child_nodes() {
                    self.needed(child, inside, found);
                }
            }
        }
    }

    pub(super) fn is_needed(&mut self, node: SyntaxNode<'m>) -> bool {
        let ty = self.type_node(node).get();
        !ty.is_error() && without_null(&ty).is_none()
    }

    /// The error of a type that refers to one that contains itself.
    pub(super) fn cyclic_alias(&self, node: SyntaxNode<'m>) -> Option<Ty> {
        if self.type_cycles.is_empty() {
            return None;
        }
        node.subtree().find_map(|inner| {
            (inner.kind() == NodeKind::TypeVariableAccess).then_some(())?;
            let symbol = self.model.symbol_at(inner)?;
            self.type_cycles.contains(&symbol).then(|| {
                let name = &self.model.symbol(symbol).name;
                Ty::error(codes::DECLARATION_HAS_ERRORS.at(inner.span(), &[name]))
            })
        })
    }
}
