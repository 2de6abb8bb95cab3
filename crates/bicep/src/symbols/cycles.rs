//! Declarations that need themselves.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syntax::{NodeId, NodeKind, SyntaxNode};

use super::{Model, SymbolId, SymbolKind};

/// The cycle that each symbol is in, as the symbols that lead from it back to it.
pub(super) fn find(
    model: &Model,
    declared: &FxHashMap<NodeId, SymbolId>,
) -> FxHashMap<SymbolId, Arc<[SymbolId]>> {
    let mut uses = Uses { model, declared, edges: vec![Vec::new(); model.symbols.len()], open: Vec::new() };
    uses.visit(model.file.tree.root(), false);
    cycles(&uses.edges)
}

/// Collects which declaration mentions which.
struct Uses<'m> {
    model: &'m Model,
    declared: &'m FxHashMap<NodeId, SymbolId>,
    edges: Vec<Vec<SymbolId>>,
    /// The declarations around the node, the innermost last.
    open: Vec<SymbolId>,
}

impl<'m> Uses<'m> {
    fn visit(&mut self, node: SyntaxNode<'m>, self_reference: bool) {
        let kind = node.kind();
        match kind {
            NodeKind::VariableDeclaration
            | NodeKind::ModuleDeclaration
            | NodeKind::TestDeclaration
            | NodeKind::OutputDeclaration
            | NodeKind::ParameterDeclaration
            | NodeKind::ParameterAssignment
            | NodeKind::FunctionDeclaration
            | NodeKind::TypeDeclaration
            | NodeKind::ResourceDeclaration => return self.declaration(node, kind),
            NodeKind::VariableAccess | NodeKind::TypeVariableAccess if !self_reference => self.mention(node),
            NodeKind::ResourceAccess | NodeKind::FunctionCall | NodeKind::ParameterizedTypeInstantiation => {
                self.mention(node);
            }
            _ => {}
        }
        for child in node.child_nodes() {
            let permitted = match kind {
                // The item of `T[]` and what is inside objects and tuples may name the type itself.
                NodeKind::ArrayType => true,
                NodeKind::ObjectTypeProperty
                | NodeKind::ObjectTypeAdditionalProperties
                | NodeKind::TupleTypeItem => true,
                NodeKind::ArrayAccess
                | NodeKind::PropertyAccess
                | NodeKind::TypePropertyAccess
                | NodeKind::TypeAdditionalPropertiesAccess
                | NodeKind::TypeArrayAccess
                | NodeKind::TypeItemsAccess => false,
                _ => self_reference,
            };
            self.visit(child, permitted);
        }
    }

    fn declaration(&mut self, node: SyntaxNode<'m>, kind: NodeKind) {
        let Some(symbol) = self.declared.get(&node.id()).copied() else { return };
        let name = &self.model.symbol(symbol).name;
        if name.is_empty() || name == "<error>" || name == "<missing>" {
            return;
        }
        if kind == NodeKind::ResourceDeclaration {
            let around = self
                .open
                .iter()
                .copied()
                .filter(|open| self.model.symbol(*open).kind == SymbolKind::Resource);
            let around: Vec<SymbolId> = around.collect();
            if let Some(edges) = self.edges.get_mut(symbol.index()) {
                edges.extend(around);
            }
        }
        self.open.push(symbol);
        for child in node.child_nodes() {
            self.visit(child, false);
        }
        self.open.pop();
    }

    fn mention(&mut self, node: SyntaxNode<'m>) {
        let (Some(from), Some(to)) = (self.open.last(), self.model.symbol_at(node)) else { return };
        if let Some(edges) = self.edges.get_mut(from.index()) {
            edges.push(to);
        }
    }
}

/// How many members of cycles are reported in all; a file with more has one mistake that matters.
const MAX_REPORTED: usize = 1 << 16;

/// Finds the cycles of a graph: one search, without recursion, that reports the path when it meets itself.
fn cycles(edges: &[Vec<SymbolId>]) -> FxHashMap<SymbolId, Arc<[SymbolId]>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut found: FxHashMap<SymbolId, Arc<[SymbolId]>> = FxHashMap::default();
    let mut budget = MAX_REPORTED;
    let mut state = vec![NEW; edges.len()];
    let mut path: Vec<(SymbolId, usize)> = Vec::new();
    for start in (0u32..).map(SymbolId).take(edges.len()) {
        if state.get(start.index()) != Some(&NEW) {
            continue;
        }
        path.push((start, 0));
        if let Some(state) = state.get_mut(start.index()) {
            *state = OPEN;
        }
        while let Some((at, next)) = path.last_mut() {
            let target = edges.get(at.index()).and_then(|edges| edges.get(*next)).copied();
            *next += 1;
            let Some(target) = target else {
                if let Some(state) = state.get_mut(at.index()) {
                    *state = DONE;
                }
                path.pop();
                continue;
            };
            match state.get(target.index()).copied() {
                Some(NEW) => {
                    if let Some(state) = state.get_mut(target.index()) {
                        *state = OPEN;
                    }
                    path.push((target, 0));
                }
                Some(OPEN) => {
                    let from = path.iter().position(|(symbol, _)| *symbol == target).unwrap_or(0);
                    let cycle: Arc<[SymbolId]> =
                        path.iter().skip(from).map(|(symbol, _)| *symbol).take(budget).collect();
                    budget -= cycle.len().min(budget - 1);
                    for symbol in cycle.iter() {
                        found.entry(*symbol).or_insert_with(|| Arc::clone(&cycle));
                    }
                }
                _ => {}
            }
        }
    }
    found
}
