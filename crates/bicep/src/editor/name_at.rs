//! What the name at a place means.

use std::sync::Arc;

use syntax::ast::{AstNode as _, Expr};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, TokenKind};

use super::cursor::Cursor;
use super::member::{Entity, Member, member_at, member_of};
use crate::functions::{Becomes, Function};
use crate::symbols::{Binding, CallSyntax, Model, SymbolId};
use crate::world::FilePath;

/// A name, with what it means.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedName {
    pub span: Span,
    pub target: NameTarget,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum NameTarget {
    /// A symbol of the file.
    Symbol(SymbolId),
    /// What another file declares, without a symbol here.
    Member(Member),
    /// A built-in function, by whichever name the file calls it.
    Function(&'static Function),
    File(FilePath),
}

impl NameTarget {
    /// The declaration, in the file that has it.
    pub(crate) fn entity(&self, model: &Arc<Model>) -> Option<Entity> {
        match self {
            NameTarget::Symbol(symbol) => Some(Entity::of(model, *symbol)),
            NameTarget::Member(member) => member.entity(),
            NameTarget::Function(_) | NameTarget::File(_) => None,
        }
    }

    /// What another file declares.
    pub(crate) fn member(&self, model: &Model) -> Option<Member> {
        match self {
            NameTarget::Symbol(symbol) => member_of(model, *symbol),
            NameTarget::Member(member) => Some(member.clone()),
            NameTarget::Function(_) | NameTarget::File(_) => None,
        }
    }
}

impl<'m> Cursor<'m> {
    /// The name at the place, with what it means.
    pub(crate) fn named(&self) -> Option<ResolvedName> {
        let model = self.model;
        if let Some((span, path)) = self.path() {
            return Some(ResolvedName { span, target: NameTarget::File(path) });
        }
        let owner = match self.node.kind() {
            NodeKind::String => model.parent(self.node)?,
            _ => self.node,
        };
        // What is imported under another name has two: the first of them is that of the other file.
        if let Some((span, member)) = member_at(model, owner)
            && self.token.span().encloses(span)
        {
            let symbol = self.symbol().filter(|_| !has_alias(owner));
            let target = symbol.map_or(NameTarget::Member(member), NameTarget::Symbol);
            return Some(ResolvedName { span, target });
        }
        if let Some(symbol) = self.symbol() {
            return Some(ResolvedName { span: self.token.span(), target: NameTarget::Symbol(symbol) });
        }
        let is_call = matches!(self.node.kind(), NodeKind::FunctionCall | NodeKind::InstanceFunctionCall);
        if is_call && named_by(self.node) == Some(self.token) {
            let function = model.binding(self.node.id()).function()?;
            return Some(ResolvedName { span: self.token.span(), target: NameTarget::Function(function) });
        }
        None
    }

    /// The file that the string at the place names.
    pub(crate) fn path(&self) -> Option<(Span, FilePath)> {
        (self.node.kind() == NodeKind::String).then(|| path_in(self.model, self.node)).flatten()
    }
}

/// The file that a string names: that of a module or import, or one that a function reads.
pub(crate) fn path_in(model: &Model, string: SyntaxNode<'_>) -> Option<(Span, FilePath)> {
    let string = model.file.node(string.id());
    let parent = model.parent(string)?;
    let declaration = match parent.kind() {
        NodeKind::CompileTimeImportFromClause => model.parent(parent)?,
        _ => parent,
    };
    if let Some(reference) = model.file.reference_of(declaration.id())
        && reference.span == string.span()
    {
        return Some((reference.span, reference.target.as_ref().ok()?.path.clone()));
    }
    let Binding::Function(function) = model.binding(parent.id()) else { return None };
    if !matches!(function.becomes, Becomes::Loaded) {
        return None;
    }
    let Expr::String(text) = CallSyntax::of(Expr::cast(parent)?)?.argument(0)? else { return None };
    let path = text.constant().filter(|path| !path.is_empty() && text.node() == string)?;
    Some((string.span(), model.file.path.folder().join(&path)))
}

/// The token that is the name of a node that refers to something by name.
pub(crate) fn named_by(node: SyntaxNode<'_>) -> Option<SyntaxToken<'_>> {
    let tokens = node.children().filter_map(SyntaxElement::token);
    tokens.into_iter().find(|token| token.kind() == TokenKind::Identifier)
}

fn has_alias(node: SyntaxNode<'_>) -> bool {
    node.child_nodes().any(|child| child.kind() == NodeKind::AliasAsClause)
}
