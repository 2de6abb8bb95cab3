//! Values that must be known when the deployment starts.
//!
//! Some places (names, conditions, loops, and whatever else the types say) need values before anything is deployed. A
//! container is such a place; what it holds, directly or through variables, may not read what resources only have
//! once they exist.

use syntax::ast::{
    ArrayAccess, AstNode as _, Expr, ExtensionWithClause, For, IfCondition, ObjectProperty, Statement,
};
use syntax::{NodeKind, Span, SyntaxNode};

use super::{Checker, nodes};
use crate::codes;
use crate::finding::Finding;
use crate::symbols::{CallSyntax, SymbolId, SymbolKind};
use crate::types::azure::FIXED_PROPERTIES;
use crate::types::{EvaluationPhase, FunctionFlags as F, Object, PropertyFlags, Signature, Ty, TyKind};

/// What needs early values.
#[derive(Clone)]
pub(super) enum Container<'m> {
    Property { name: String, object: String, is_link: bool },
    Condition,
    Loop { variable: Option<String>, body: SyntaxNode<'m> },
    Arguments(String),
    Argument(String),
    Function,
    Extension,
}

impl<'m> Checker<'m> {
    /// Checks all places that need early values.
    pub(super) fn runtime(&mut self) {
        self.containers(self.model.file.tree.root());
    }

    fn containers(&mut self, node: SyntaxNode<'m>) {
        match node.kind() {
            NodeKind::FunctionDeclaration => self.contained(&Container::Function, node),
            NodeKind::ResourceDeclaration => {
                if let Some(Statement::ResourceDeclaration(it)) = Statement::cast(node)
                    && it.existing().is_some()
                {
                    let nested = nodes::body(it.value()).into_iter().flat_map(|body| body.declarations());
                    for nested in nested.collect::<Vec<_>>() {
                        self.containers(nested.node());
                    }
                    return;
                }
            }
            NodeKind::ObjectProperty => {
                if let Some(property) = ObjectProperty::cast(node)
                    && let Some(container) = self.early_property(property)
                {
                    if let syntax::ast::NameOrString::String(key) = property.key() {
                        self.contained(&container, key.node());
                    }
                    self.contained(&container, property.value().node());
                }
            }
            NodeKind::IfCondition => {
                if let Some(it) = IfCondition::cast(node) {
                    self.contained(&Container::Condition, it.condition().node());
                }
            }
            NodeKind::For => {
                if let Some(each) = For::cast(node) {
                    let parent = self.model.parent(node).and_then(Statement::cast);
                    let variable = match parent {
                        Some(Statement::VariableDeclaration(it)) => Some(it.name().text().to_owned()),
                        _ => None,
                    };
                    let in_variable = variable.is_some();
                    let container = Container::Loop { variable, body: each.body().node() };
                    self.contained(&container, each.expression().node());
                    if in_variable {
                        self.contained(&container, each.body().node());
                    }
                }
            }
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => {
                let Some(call) = Expr::cast(node).and_then(CallSyntax::of) else { return };
                if let CallSyntax::Instance(instance) = call {
                    self.containers(instance.base().node());
                }
                let callee = self.callee(call);
                let flags = callee.iter().flat_map(|callee| callee.iter().map(|signature| signature.flags));
                if flags.fold(F::empty(), F::union).contains(F::REQUIRES_INLINING) {
                    let container = Container::Arguments(call.name().to_owned());
                    for argument in call.arguments() {
                        self.contained(&container, argument.node());
                    }
                    return;
                }
                let early = early_arguments(callee.as_deref().unwrap_or_default(), call);
                for (place, argument) in call.arguments().enumerate() {
                    if early.get(place) == Some(&true) {
                        self.contained(&Container::Argument(call.name().to_owned()), argument.node());
                    } else {
                        self.containers(argument.node());
                    }
                }
                return;
            }
            NodeKind::ExtensionWithClause => {
                let declares =
                    self.model.parent(node).is_some_and(|it| it.kind() == NodeKind::ExtensionDeclaration);
                if declares
                    && let Some(with) = ExtensionWithClause::cast(node)
                    && let Expr::Object(config) = with.config()
                {
                    for property in config.properties() {
                        self.contained(&Container::Extension, property.node());
                    }
                }
            }
            _ => {}
        }
        for child in node.child_nodes() {
            self.containers(child);
        }
    }

    /// The container that a property is, if its type says so.
    fn early_property(&mut self, property: ObjectProperty<'m>) -> Option<Container<'m>> {
        let name = property.key().constant()?;
        let object = self.model.parent(property.node())?;
        let ty = self.declared_object(object, 0)?;
        let known = ty.as_object()?.properties.get(name.as_ref()).or(ty.as_object()?.additional.as_ref())?;
        if !known.flags.contains(PropertyFlags::DEPLOY_TIME_CONSTANT) {
            return None;
        }
        let is_link = matches!(known.ty.get().kind(), TyKind::ParentOf(_) | TyKind::ScopeRef(_));
        Some(Container::Property { name: name.into_owned(), object: ty.name().to_string(), is_link })
    }

    /// The type that an object is declared to have, by its place in the body of a resource or module.
    fn declared_object(&mut self, object: SyntaxNode<'m>, depth: usize) -> Option<Ty> {
        const MAX_DEPTH: usize = 64;
        if depth > MAX_DEPTH {
            return None;
        }
        let mut at = self.model.parent(object)?;
        while matches!(
            at.kind(),
            NodeKind::IfCondition
                | NodeKind::For
                | NodeKind::ParenthesizedExpression
                | NodeKind::TernaryOperation
        ) {
            at = self.model.parent(at)?;
        }
        let ty = match at.kind() {
            NodeKind::ResourceDeclaration => self.declared_resource(self.model.symbol_at(at)?).body(),
            NodeKind::ModuleDeclaration => self.declared_module(self.model.symbol_at(at)?).body(),
            NodeKind::ObjectProperty => {
                let property = ObjectProperty::cast(at)?;
                let name = property.key().constant()?;
                let outer = self.declared_object(self.model.parent(at)?, depth + 1)?;
                let outer = outer.as_object()?;
                outer.properties.get(name.as_ref()).or(outer.additional.as_ref())?.ty.get()
            }
            NodeKind::Array => {
                let outer = self.model.parent(at)?;
                let property = ObjectProperty::cast(outer)?;
                let name = property.key().constant()?;
                let declared = self.declared_object(self.model.parent(outer)?, depth + 1)?;
                let list = declared.as_object()?.properties.get(name.as_ref())?.ty.get();
                list.as_list()?.0
            }
            _ => return None,
        };
        let ty = crate::types::non_null(&ty);
        match ty.kind() {
            TyKind::Discriminated(union) => {
                let given =
                    syntax::ast::Object::cast(object).and_then(|it| self.model.property(it, &union.key))?;
                let Expr::String(text) = given.value() else { return None };
                let value = text.constant()?;
                union.members.iter().find(|(key, _)| *key == value.as_ref()).map(|(_, member)| member.get())
            }
            TyKind::Object(_) => Some(ty),
            _ => None,
        }
    }

    /// Reports what is not known early enough in a part of a container.
    pub(super) fn contained(&mut self, container: &Container<'m>, part: SyntaxNode<'m>) {
        let mut direct = Vec::new();
        self.late(container, part, &mut direct);
        let mut found: Vec<Finding> = direct
            .into_iter()
            .map(|(node, symbol)| self.too_late(container, node.span(), symbol, &[]))
            .collect();
        for node in part.subtree() {
            if node.kind() != NodeKind::VariableAccess {
                continue;
            }
            let Some(symbol) = self.model.symbol_at(node) else { continue };
            if self.model.symbol(symbol).kind != SymbolKind::Variable || self.model.cycle(symbol).is_some() {
                continue;
            }
            if self.is_ignored(node, part) {
                continue;
            }
            let mut chain = Vec::new();
            if let Some(late) = self.late_variable(symbol, &mut chain, 0) {
                found.push(self.too_late(container, node.span(), late, &chain));
            }
        }
        self.out.append(&mut found);
    }

    /// Tells whether a part of a program is known when the deployment starts.
    pub(crate) fn is_known_early(&mut self, part: SyntaxNode<'m>) -> bool {
        self.quietly(|checker| {
            let before = checker.out.len();
            checker.contained(&Container::Condition, part);
            checker.out.len() == before
        })
    }

    /// Tells whether a node is an argument whose value does not matter.
    fn is_ignored(&mut self, node: SyntaxNode<'m>, until: SyntaxNode<'m>) -> bool {
        let mut at = self.model.parent(node);
        while let Some(parent) = at {
            if let Some(call) = Expr::cast(parent).and_then(CallSyntax::of)
                && self.call_flags(call).contains(F::IGNORES_VALUES)
            {
                return true;
            }
            if parent == until {
                return false;
            }
            at = self.model.parent(parent);
        }
        false
    }

    /// What a variable reads too early, with the names that lead there.
    fn late_variable(
        &mut self,
        symbol: SymbolId,
        chain: &mut Vec<String>,
        depth: usize,
    ) -> Option<Option<SymbolId>> {
        const MAX_DEPTH: usize = 64;
        let model = self.model;
        if depth > MAX_DEPTH || self.timely.contains(&symbol) || model.cycle(symbol).is_some() {
            return None;
        }
        let Some(Statement::VariableDeclaration(it)) = model.statement_of(symbol) else { return None };
        chain.push(model.symbol(symbol).name.to_string());
        let value = it.value().node();
        let mut found = Vec::new();
        self.late(&Container::Condition, value, &mut found);
        if let Some((node, late)) = found.first() {
            let tail = late.map_or_else(
                || {
                    Expr::cast(*node)
                        .and_then(CallSyntax::of)
                        .map_or_else(String::new, |call| call.name().to_owned())
                },
                |late| model.symbol(late).name.to_string(),
            );
            chain.push(tail);
            return Some(*late);
        }
        for node in value.subtree() {
            if node.kind() == NodeKind::VariableAccess
                && let Some(inner) = model.symbol_at(node)
                && model.symbol(inner).kind == SymbolKind::Variable
                && let Some(found) = self.late_variable(inner, chain, depth + 1)
            {
                return Some(found);
            }
        }
        chain.pop();
        self.timely.insert(symbol);
        None
    }

    /// Collects what a part of a program reads of resources and modules before it exists.
    fn late(
        &mut self,
        container: &Container<'m>,
        node: SyntaxNode<'m>,
        found: &mut Vec<(SyntaxNode<'m>, Option<SymbolId>)>,
    ) {
        match Expr::cast(node) {
            Some(Expr::PropertyAccess(access)) => {
                if let Some((symbol, body)) = self.deployed(nodes::without_assertion(access.base()))
                    && let Some(object) = body.as_object()
                    && is_late(object, access.name().text())
                {
                    found.push((node, Some(symbol)));
                }
            }
            Some(Expr::ArrayAccess(access)) => {
                if let Some((symbol, body)) = self.deployed(nodes::without_assertion(access.base()))
                    && let Some(object) = body.as_object()
                {
                    let index = self.ty(access.index());
                    match index.kind() {
                        TyKind::StrLit(name) => {
                            if is_late(object, name) {
                                found.push((node, Some(symbol)));
                            }
                        }
                        TyKind::Union(members)
                            if members.iter().all(|it| it.get().as_string_literal().is_some()) =>
                        {
                            let mut names: Vec<_> = members
                                .iter()
                                .filter_map(|it| it.get().as_string_literal().cloned())
                                .collect();
                            names.sort();
                            let late = names.iter().filter(|name| is_late(object, name)).count();
                            found.extend(std::iter::repeat_n((node, Some(symbol)), late));
                        }
                        _ => found.push((node, Some(symbol))),
                    }
                }
            }
            Some(Expr::VariableAccess(_) | Expr::ResourceAccess(_)) => {
                self.late_whole(container, node, found);
                return;
            }
            Some(Expr::FunctionCall(_) | Expr::InstanceFunctionCall(_)) => {
                if let Some(call) = Expr::cast(node).and_then(CallSyntax::of) {
                    let flags = self.call_flags(call);
                    if flags.contains(F::REQUIRES_INLINING) {
                        found.push((node, None));
                    }
                    if flags.contains(F::IGNORES_VALUES) {
                        return;
                    }
                }
            }
            _ => {}
        }
        for child in node.child_nodes() {
            self.late(container, child, found);
        }
    }

    /// A resource or module that is used as a whole.
    fn late_whole(
        &mut self,
        container: &Container<'m>,
        node: SyntaxNode<'m>,
        found: &mut Vec<(SyntaxNode<'m>, Option<SymbolId>)>,
    ) {
        if let Container::Property { is_link: true, .. } = container {
            found.extend(self.late_link(node).map(|(node, symbol)| (node, Some(symbol))));
            return;
        }
        let (child, parent) = self.asserted(node);
        let Some(expr) = Expr::cast(child) else { return };
        match parent.and_then(Expr::cast) {
            Some(Expr::PropertyAccess(_)) => {}
            Some(Expr::ArrayAccess(access)) => {
                let inner = access.base().node() == child && self.is_last_access(access);
                if inner && let Some((symbol, _)) = self.deployed(Expr::ArrayAccess(access)) {
                    let index = self.ty(access.index());
                    let number = |ty: &Ty| matches!(ty.kind(), TyKind::Int(_) | TyKind::IntLit(_));
                    let counts = number(&index)
                        || index.is_any()
                        || matches!(index.kind(), TyKind::Union(all) if all.iter().all(|it| number(&it.get())));
                    if counts {
                        found.push((child, Some(symbol)));
                    }
                }
            }
            _ => {
                if let Some((symbol, _)) = self.deployed(expr) {
                    found.push((child, Some(symbol)));
                }
            }
        }
    }

    /// A node with the assertions around it that it is not null, and the node around those.
    pub(super) fn asserted(&self, node: SyntaxNode<'m>) -> (SyntaxNode<'m>, Option<SyntaxNode<'m>>) {
        let mut child = node;
        let mut parent = self.model.parent(node);
        while let Some(outer) = parent
            && outer.kind() == NodeKind::NonNullAssertion
        {
            child = outer;
            parent = self.model.parent(outer);
        }
        (child, parent)
    }

    /// Tells whether nothing more is read of what an access gives.
    pub(super) fn is_last_access(&self, access: ArrayAccess<'m>) -> bool {
        self.model
            .parent(access.node())
            .is_none_or(|outer| !matches!(outer.kind(), NodeKind::PropertyAccess | NodeKind::ArrayAccess))
    }

    /// The resource or module that an expression is, with the type of its body.
    pub(super) fn deployed(&mut self, expr: Expr<'m>) -> Option<(SymbolId, Ty)> {
        let (base, is_item) = match expr {
            Expr::ArrayAccess(access) if self.ty(access.index()).as_string_literal().is_none() => {
                (access.base(), true)
            }
            other => (other, false),
        };
        let symbol = self.model.symbol_in(base).filter(|symbol| self.is_deployed(*symbol))?;
        if self.is_collection(symbol) != is_item {
            return None;
        }
        let body = match self.late_bodies.get(&symbol) {
            Some(body) => body.clone(),
            None => self.body_type(symbol)?,
        };
        Some((symbol, body))
    }

    fn too_late(
        &mut self,
        container: &Container<'m>,
        at: Span,
        symbol: Option<SymbolId>,
        chain: &[String],
    ) -> Finding {
        let mut hint = String::new();
        if !chain.is_empty() {
            hint.push_str(&format!(", it comes through {}", codes::list(chain)));
        }
        if let Some(symbol) = symbol {
            let name = &self.model.symbol(symbol).name;
            hint.push_str(&format!("; of `{name}` only {} can be read then", codes::list(FIXED_PROPERTIES)));
        }
        match container {
            Container::Property { name, object, .. } => {
                codes::RUNTIME_IN_PROPERTY.at(at, &[name, object, &hint])
            }
            Container::Condition => codes::RUNTIME_IN_CONDITION.at(at, &[&hint]),
            Container::Loop { variable: Some(name), body } if overlaps(at, body.span()) => {
                codes::RUNTIME_IN_VARIABLE_LOOP.at(at, &[name, &hint])
            }
            Container::Loop { .. } => codes::RUNTIME_IN_LOOP.at(at, &[&hint]),
            Container::Arguments(name) => codes::RUNTIME_IN_ARGUMENT.at(at, &[name, &hint]),
            Container::Argument(name) => codes::RUNTIME_IN_EARLY_ARGUMENT.at(at, &[name, &hint]),
            Container::Function => codes::RUNTIME_IN_FUNCTION.at(at, &[&hint]),
            Container::Extension => codes::RUNTIME_IN_CONFIGURATION.at(at, &[&hint]),
        }
    }
}

/// Which arguments of a call of one of these functions must be known when the deployment starts.
fn early_arguments(callee: &[Signature], call: CallSyntax<'_>) -> Vec<bool> {
    let count = call.arguments().count();
    let fits =
        |signature: &&Signature| signature.min() <= count && signature.max().is_none_or(|max| count <= max);
    let fitting = callee.iter().find(fits);
    let parameters = fitting.map_or(&[][..], |signature| &signature.parameters);
    parameters.iter().map(|parameter| parameter.known == EvaluationPhase::AtStart).collect()
}

fn overlaps(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}

/// Tells whether a property can only be read once the resource or module exists.
fn is_late(object: &Object, name: &str) -> bool {
    let known = object.properties.get(name);
    known.is_some_and(|property| !property.flags.contains(PropertyFlags::READABLE_AT_DEPLOY_TIME))
}
