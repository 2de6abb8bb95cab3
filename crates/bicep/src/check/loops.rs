//! Where loops may stand, and where whole collections may.

use syntax::ast::{AstNode as _, Expr, For, ObjectProperty, Statement};
use syntax::{NodeId, NodeKind, SyntaxNode};

use super::{Checker, nodes};
use crate::codes;
use crate::symbols::{CallSyntax, SymbolId, SymbolKind};
use crate::types::FunctionFlags as F;

/// Whether a loop can be the value of a property here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Capability {
    Unknown,
    Never,
    Perhaps,
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct LoopContext {
    /// The declaration that may have a loop.
    declaration: Option<NodeId>,
    in_variable: bool,
    in_output: bool,
    /// The properties in which whole collections may stand.
    depends_on: Option<NodeId>,
    properties: Option<NodeId>,
    inside_depends_on: bool,
    inside_properties: bool,
    capability: Capability,
    property_loops: usize,
    loops: usize,
}

impl<'m> Checker<'m> {
    /// Checks where loops and collections stand.
    pub(super) fn loops(&mut self) {
        let place = LoopContext {
            declaration: None,
            in_variable: false,
            in_output: false,
            depends_on: None,
            properties: None,
            inside_depends_on: false,
            inside_properties: false,
            capability: Capability::Unknown,
            property_loops: 0,
            loops: 0,
        };
        self.visit_loops(self.model.file.tree.root(), place);
    }

    fn visit_loops(&mut self, node: SyntaxNode<'m>, mut place: LoopContext) {
        let inner = capability(node.kind());
        place.capability = match (place.capability, inner) {
            (Capability::Unknown, inner) => inner,
            (Capability::Never, _) => Capability::Never,
            (Capability::Perhaps, Capability::Unknown) => Capability::Perhaps,
            (Capability::Perhaps, inner) => inner,
        };
        match node.kind() {
            NodeKind::ResourceDeclaration => {
                if self.is_in_loop(node) {
                    self.push(codes::NESTED_IN_LOOP.at(node.span(), &[]));
                }
                let value = match Statement::cast(node) {
                    Some(Statement::ResourceDeclaration(it)) => it.value(),
                    _ => return,
                };
                place.declaration = Some(node.id());
                place.depends_on = property_id(value, "dependsOn");
                place.properties = property_id(value, "properties");
                place.capability = Capability::Unknown;
            }
            NodeKind::ModuleDeclaration => {
                let value = match Statement::cast(node) {
                    Some(Statement::ModuleDeclaration(it)) => it.value(),
                    _ => return,
                };
                place.declaration = Some(node.id());
                place.depends_on = property_id(value, "dependsOn");
                place.properties = property_id(value, "params");
            }
            NodeKind::VariableDeclaration => {
                place.declaration = Some(node.id());
                place.in_variable = true;
            }
            NodeKind::OutputDeclaration => {
                place.declaration = Some(node.id());
                place.in_output = true;
            }
            NodeKind::ParameterAssignment => place.declaration = Some(node.id()),
            NodeKind::For => {
                if let Some(each) = For::cast(node) {
                    match self.is_loop_allowed(node, &place) {
                        Some(true) => {}
                        Some(false) => {
                            let at = each.for_keyword().map_or(node.span(), |token| token.span());
                            self.push(codes::LOOP_PLACE.at(at, &[]));
                        }
                        None => {
                            place.property_loops += 1;
                            if place.property_loops > 1 {
                                let at = each.for_keyword().map_or(node.span(), |token| token.span());
                                self.push(codes::NESTED_PROPERTY_LOOP.at(at, &[]));
                            }
                        }
                    }
                }
                place.loops += 1;
            }
            NodeKind::ObjectProperty => {
                if let Some(property) = ObjectProperty::cast(node)
                    && property.key().constant().is_none()
                    && matches!(property.value(), Expr::For(_))
                {
                    self.push(codes::COMPUTED_KEY_LOOP.at(property.key().span(), &[]));
                }
                place.inside_depends_on |= place.depends_on == Some(node.id());
                place.inside_properties |= place.properties == Some(node.id());
            }
            NodeKind::VariableAccess | NodeKind::ResourceAccess => self.whole_collection(node, &place),
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => {
                if let Some(call) = Expr::cast(node).and_then(CallSyntax::of)
                    && self.call_flags(call).contains(F::IGNORES_VALUES)
                {
                    return;
                }
            }
            _ => {}
        }
        for child in node.child_nodes() {
            self.visit_loops(child, place);
        }
    }

    fn is_in_loop(&self, node: SyntaxNode<'m>) -> bool {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            if parent.kind() == NodeKind::For {
                return true;
            }
            at = self.model.parent(parent);
        }
        false
    }

    /// Tells whether a loop may stand here; nothing means that it is the loop of a property.
    fn is_loop_allowed(&self, node: SyntaxNode<'m>, place: &LoopContext) -> Option<bool> {
        let Some(declaration) = place.declaration else { return Some(false) };
        let parent = self.model.parent(node);
        let kind = self.node(declaration).kind();
        let value = parent.and_then(Statement::cast).and_then(|statement| match statement {
            Statement::ResourceDeclaration(it) => Some(it.value()),
            Statement::ModuleDeclaration(it) => Some(it.value()),
            Statement::OutputDeclaration(it) => Some(it.value()),
            Statement::VariableDeclaration(it) => Some(it.value()),
            Statement::ParameterAssignment(it) => Some(it.value()),
            _ => None,
        });
        if value.is_some_and(|value| value.node() == node) {
            return Some(true);
        }
        if matches!(
            kind,
            NodeKind::OutputDeclaration | NodeKind::VariableDeclaration | NodeKind::ParameterAssignment
        ) {
            return Some(false);
        }
        let property = parent.is_some_and(|parent| nodes::is_property_value(parent, node));
        let around = parent.map_or(Capability::Unknown, |parent| self.capability_at(parent));
        if around == Capability::Never || !property {
            return Some(false);
        }
        None
    }

    /// What the nodes around one say of loops in it.
    fn capability_at(&self, node: SyntaxNode<'m>) -> Capability {
        let mut at = Some(node);
        let mut found = Capability::Unknown;
        while let Some(here) = at {
            if here.kind() == NodeKind::ResourceDeclaration || here.kind() == NodeKind::ModuleDeclaration {
                break;
            }
            match capability(here.kind()) {
                Capability::Never if here.kind() != NodeKind::For && here.kind() != NodeKind::IfCondition => {
                    return Capability::Never;
                }
                Capability::Perhaps => found = Capability::Perhaps,
                _ => {}
            }
            at = self.model.parent(here);
        }
        found
    }

    /// Reports a collection that is used as a whole where templates have no word for it.
    fn whole_collection(&mut self, node: SyntaxNode<'m>, place: &LoopContext) {
        let Some(symbol) = self.model.symbol_at(node) else { return };
        if self.is_collection(symbol) {
            if self.is_accessed(node) || place.inside_depends_on {
                return;
            }
            let fits = place.loops == 0 && (place.inside_properties || place.in_output || place.in_variable);
            if !fits {
                self.push(codes::WHOLE_COLLECTION.at(node.span(), &[&""]));
            }
            return;
        }
        let variable = self.model.symbol(symbol).kind == SymbolKind::Variable;
        if variable && (!place.in_variable || place.loops > 0) {
            let mut chain = Vec::new();
            if self.hides_collection(symbol, &mut chain, 0) {
                let fits = place.loops == 0 && (place.inside_properties || place.in_output);
                if !fits && !place.inside_depends_on {
                    let hint = format!(", it comes through {}", codes::list(chain));
                    self.push(codes::WHOLE_COLLECTION.at(node.span(), &[&hint]));
                }
            }
        }
    }

    fn is_accessed(&self, node: SyntaxNode<'m>) -> bool {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            match parent.kind() {
                NodeKind::ParenthesizedExpression => at = self.model.parent(parent),
                NodeKind::ArrayAccess | NodeKind::PropertyAccess => return true,
                _ => return false,
            }
        }
        false
    }

    /// Tells whether a variable's value is put in its place and uses a collection as a whole.
    fn hides_collection(&mut self, symbol: SymbolId, chain: &mut Vec<String>, depth: usize) -> bool {
        const MAX_DEPTH: usize = 64;
        let model = self.model;
        if depth > MAX_DEPTH || self.plain.contains(&symbol) || model.cycle(symbol).is_some() {
            return false;
        }
        let Some(Statement::VariableDeclaration(it)) = model.statement_of(symbol) else { return false };
        chain.push(model.symbol(symbol).name.to_string());
        for node in it.value().node().descendants() {
            if !matches!(node.kind(), NodeKind::VariableAccess | NodeKind::ResourceAccess) {
                continue;
            }
            let Some(inner) = model.symbol_at(node) else { continue };
            if self.is_collection(inner) && !self.is_accessed(node) {
                chain.push(model.symbol(inner).name.to_string());
                return true;
            }
            if model.symbol(inner).kind == SymbolKind::Variable
                && self.hides_collection(inner, chain, depth + 1)
            {
                return true;
            }
        }
        chain.pop();
        self.plain.insert(symbol);
        false
    }
}

fn capability(kind: NodeKind) -> Capability {
    match kind {
        NodeKind::Object | NodeKind::ObjectProperty | NodeKind::Array => Capability::Perhaps,
        NodeKind::BooleanLiteral
        | NodeKind::IntegerLiteral
        | NodeKind::NullLiteral
        | NodeKind::String
        | NodeKind::ParenthesizedExpression
        | NodeKind::VariableAccess
        | NodeKind::FunctionCall
        | NodeKind::InstanceFunctionCall
        | NodeKind::PropertyAccess
        | NodeKind::ArrayAccess
        | NodeKind::ResourceAccess
        | NodeKind::NonNullAssertion
        | NodeKind::UnaryOperation
        | NodeKind::BinaryOperation
        | NodeKind::TernaryOperation
        | NodeKind::Lambda
        | NodeKind::SpreadExpression => Capability::Never,
        _ => Capability::Unknown,
    }
}

fn property_id(value: Expr<'_>, name: &str) -> Option<NodeId> {
    nodes::property(nodes::body(value)?, name).map(|property| property.node().id())
}
