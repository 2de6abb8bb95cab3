//! Types: built-in ones, those that the program declares or imports, and the arguments of types that take some.

use syntax::ast::{AstNode as _, Statement, TypeExpr};
use syntax::{NodeKind, Span, SyntaxNode};

use super::Completer;
use super::expected_syntax::TypePlace;
use super::item::{Completion, CompletionKind, FollowUp, Priority};
use crate::check::ExportedItem;
use crate::language::Feature;
use crate::symbols::{Binding, ExportKind, SymbolId};
use crate::types::{Ambient, quoted};

impl<'m> Completer<'_, 'm> {
    pub(super) fn types(&mut self, place: TypePlace<'m>) {
        match place {
            TypePlace::Member(node) => return self.literal_types(node),
            TypePlace::Declaration(it) => {
                let own = self.model.symbol_at(it.node());
                self.all_types(own);
            }
            TypePlace::Parameter(_) | TypePlace::Output | TypePlace::Other => self.all_types(None),
        }
        if let TypePlace::Parameter(parameter) = place {
            let is_secure =
                self.model.decorators(parameter.node()).any(|(row, _)| row == &crate::decorators::SECURE);
            let start = parameter.keyword().map_or(parameter.span().start, |token| token.span().start);
            for (label, detail, text) in
                [("secureObject", "Secure object", "object"), ("securestring", "Secure string", "string")]
            {
                let item = Completion::snippet(label, detail, Priority::Medium, self.span, text);
                self.out.push(if is_secure { item } else { item.also(Span::empty(start), "@secure()\n") });
            }
        }
        let takes_resources = matches!(place, TypePlace::Parameter(_) | TypePlace::Output);
        if takes_resources && self.model.features().has(Feature::ResourceTypedParamsAndOutputs) {
            let item =
                Completion::plain(CompletionKind::Class, "resource", Priority::Medium, self.span, "resource");
            self.out.push(item.detail("resource"));
        }
    }

    /// All types but one, which would contain itself.
    fn all_types(&mut self, except: Option<SymbolId>) {
        let (model, span) = (self.model, self.span);
        for ambient in Ambient::ALL {
            let is_taken = model.symbols().any(|(_, symbol)| {
                symbol.name == ambient.name() && !symbol.kind.is_local() && symbol.kind.can_be_referenced()
            });
            let name = if is_taken { format!("sys.{}", ambient.name()) } else { ambient.name().to_owned() };
            let item =
                Completion::plain(CompletionKind::Class, name.as_str(), Priority::Medium, span, name.clone());
            let mut item = item.detail(ambient.name());
            if ambient.is_parameterized() && !self.stands_behind('<') {
                item.edit.text = format!("{name}<'$0'>");
                item = item.into_snippet().follow_up(FollowUp::ParameterHints);
            }
            self.out.push(item);
        }
        for symbol in model.declarations.types.iter().filter(|symbol| Some(**symbol) != except) {
            self.declared_type(*symbol);
        }
        self.imported_types();
    }

    fn declared_type(&mut self, symbol: SymbolId) {
        let name = self.model.symbol(symbol).name.clone();
        if name.starts_with('<') {
            return;
        }
        let ty = self.checker.alias(symbol);
        let about = self.description(symbol).unwrap_or_default();
        let item =
            Completion::plain(CompletionKind::Class, name.clone(), Priority::High, self.span, name.as_str());
        self.out.push(item.detail(ty.name().as_str()).documentation(about.to_string()));
    }

    fn imported_types(&mut self) {
        let model = self.model;
        for symbol in &model.declarations.imported {
            let is_type = model.imported_item(*symbol).is_some_and(|(item, _)| item.kind == ExportKind::Type);
            if let Some(ty) = is_type.then(|| self.checker.imported_type(*symbol)).flatten() {
                let name = model.symbol(*symbol).name.clone();
                let text = name.as_str();
                let item =
                    Completion::plain(CompletionKind::Class, name.clone(), Priority::High, self.span, text);
                self.out.push(item.detail(ty.name().as_str()));
            }
        }
        for symbol in &model.declarations.wildcards {
            let source = model.wildcard_source(*symbol).and_then(|source| source.target.as_ref().ok());
            let Some(interface) = source.map(|target| self.checker.interface_of(target)) else { continue };
            let space = &model.symbol(*symbol).name;
            for (name, item) in &interface.exports {
                let ExportedItem::Type(ty) = item else { continue };
                let label = if syntax::spelling::is_name(name) {
                    format!("{space}.{name}")
                } else {
                    format!("{space}[{}]", quoted(name))
                };
                let item = Completion::plain(
                    CompletionKind::Class,
                    label.as_str(),
                    Priority::High,
                    self.span,
                    label.clone(),
                );
                self.out.push(item.detail(ty.name().as_str()));
            }
        }
    }

    /// The types of the program that are made of literals, without the one that would become a union with itself.
    fn literal_types(&mut self, node: SyntaxNode<'m>) {
        let model = self.model;
        let mut around = Some(node);
        let own = loop {
            let Some(at) = around else { break None };
            match at.kind() {
                NodeKind::ArrayType | NodeKind::ObjectTypeProperty | NodeKind::TupleTypeItem => break None,
                NodeKind::TypeDeclaration => break model.symbol_at(at),
                _ => around = model.parent(model.file.node(at.id())),
            }
        };
        for symbol in model.declarations.types.iter().filter(|symbol| Some(**symbol) != own) {
            if let Some(Statement::TypeDeclaration(it)) = model.statement_of(*symbol)
                && is_literal(it.value(), 0)
            {
                self.declared_type(*symbol);
            }
        }
    }

    /// An argument of a type: that of `resourceInput` and its like is the type of a resource.
    pub(super) fn type_argument(&mut self, node: SyntaxNode<'m>, place: usize) {
        let is_resource = match self.model.binding(node.id()) {
            Binding::Ambient(ambient) => ambient.is_parameterized(),
            _ => node.kind() == NodeKind::InstanceParameterizedTypeInstantiation,
        };
        if is_resource && place == 0 {
            let written = node.child_nodes().find(|child| child.kind() == NodeKind::StringTypeLiteral);
            self.resource_types(written);
        }
    }
}

/// Tells whether a type is written with literals only.
fn is_literal(ty: TypeExpr<'_>, depth: u32) -> bool {
    const MAX_DEPTH: u32 = 64;
    if depth > MAX_DEPTH {
        return false;
    }
    match ty {
        TypeExpr::BooleanTypeLiteral(_) | TypeExpr::IntegerTypeLiteral(_) | TypeExpr::UnionType(_) => true,
        TypeExpr::StringTypeLiteral(text) => text.node().child_nodes().next().is_none(),
        TypeExpr::ObjectType(object) => object.properties().all(|it| is_literal(it.value(), depth + 1)),
        TypeExpr::TupleType(tuple) => tuple.members().all(|it| is_literal(it.value(), depth + 1)),
        _ => false,
    }
}
