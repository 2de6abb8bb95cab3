//! What a file says about things that another file declares: parameters and outputs of modules, imports, and the
//! parameters that a parameters file gives values to.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast::{
    AstNode as _, Expr, ImportedSymbolsListItem, InstanceFunctionCall,
    InstanceParameterizedTypeInstantiation, Name, NameOrString, ObjectProperty, ParameterAssignment,
    PropertyAccess, Statement, TypeExpr, TypePropertyAccess,
};
use syntax::{NodeKind, Span, SyntaxNode};

use crate::files::ReferenceKind;
use crate::symbols::{Model, ModuleTarget, SymbolId, SymbolKind};

/// Something that another file declares.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub target: ModuleTarget,
    /// What it is there.
    pub kind: MemberKind,
    /// The name by which the other file declares it.
    pub name: SmolStr,
}

/// What other files can see of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberKind {
    Export,
    Parameter,
    Output,
}

/// A declaration in the file that has it.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    pub model: Arc<Model>,
    pub symbol: SymbolId,
}

impl Entity {
    /// Tells whether two are the same declaration.
    pub(crate) fn is(&self, other: &Entity) -> bool {
        self.symbol == other.symbol && self.model.file.path == other.model.file.path
    }

    /// The declaration that a symbol of a file stands for: what is imported, and what a parameters file gives
    /// a value to, is declared elsewhere.
    pub(crate) fn of(model: &Arc<Model>, symbol: SymbolId) -> Entity {
        let elsewhere = member_of(model, symbol).and_then(|member| member.entity());
        elsewhere.unwrap_or_else(|| Entity { model: Arc::clone(model), symbol })
    }
}

impl Member {
    /// The declaration; none in a template, or if the file has no such thing.
    pub(crate) fn entity(&self) -> Option<Entity> {
        let ModuleTarget::Bicep(model) = &self.target else { return None };
        let named = |symbols: &[SymbolId]| {
            symbols.iter().copied().find(|symbol| model.symbol(*symbol).name == self.name)
        };
        let symbol = match self.kind {
            MemberKind::Export => model.export(&self.name)?.symbol,
            MemberKind::Parameter => named(&model.declarations.parameters)?,
            MemberKind::Output => named(&model.declarations.outputs)?,
        };
        Some(Entity { model: Arc::clone(model), symbol })
    }
}

/// What a symbol of a file stands for in another one.
pub(crate) fn member_of(model: &Model, symbol: SymbolId) -> Option<Member> {
    let declared = model.symbol(symbol);
    match declared.kind {
        SymbolKind::Imported(_) => {
            let (item, source) = model.imported_item(symbol)?;
            let target = source.target.as_ref().ok()?.clone();
            Some(Member { target, kind: MemberKind::Export, name: item.original.clone() })
        }
        SymbolKind::ParameterAssignment | SymbolKind::Inherited => {
            let target = used_by(model)?;
            Some(Member { target, kind: MemberKind::Parameter, name: declared.name.clone() })
        }
        SymbolKind::Metadata
        | SymbolKind::Parameter
        | SymbolKind::Variable
        | SymbolKind::Type
        | SymbolKind::Function
        | SymbolKind::Resource
        | SymbolKind::Module
        | SymbolKind::Test
        | SymbolKind::Output
        | SymbolKind::Assert
        | SymbolKind::Extension
        | SymbolKind::ExtensionConfig
        | SymbolKind::WildcardImport
        | SymbolKind::FailedImport
        | SymbolKind::LoopItem
        | SymbolKind::LoopIndex
        | SymbolKind::LambdaParameter
        | SymbolKind::FunctionParameter
        | SymbolKind::This
        | SymbolKind::Base => None,
    }
}

/// The program that a parameters file is for, which a file that it extends may say.
pub(crate) fn used_by(model: &Model) -> Option<ModuleTarget> {
    const MAX_DEPTH: usize = 64;
    let mut at = model;
    for _ in 0..MAX_DEPTH {
        if let Some(target) = at.target_of(ReferenceKind::Using) {
            return Some(target.clone());
        }
        match at.target_of(ReferenceKind::Extends)? {
            ModuleTarget::Bicep(model) => at = model,
            ModuleTarget::Template(_) => return None,
        }
    }
    None
}

/// What a node names in another file, and where it writes the name.
pub(crate) fn member_at(model: &Model, node: SyntaxNode<'_>) -> Option<(Span, Member)> {
    let node = model.file.node(node.id());
    let plain = |name: Name<'_>, target: ModuleTarget, kind| {
        let token = name.token()?;
        Some((token.span(), Member { target, kind, name: token.text().into() }))
    };
    match node.kind() {
        NodeKind::PropertyAccess => {
            let access = PropertyAccess::cast(node)?;
            match imported_from(model, access.base().node()) {
                Some(target) => plain(access.name(), target, MemberKind::Export),
                None => plain(access.name(), outputs_of(model, access.base())?, MemberKind::Output),
            }
        }
        NodeKind::InstanceFunctionCall => {
            let call = InstanceFunctionCall::cast(node)?;
            plain(call.name(), imported_from(model, call.base().node())?, MemberKind::Export)
        }
        NodeKind::TypePropertyAccess => {
            let access = TypePropertyAccess::cast(node)?;
            plain(access.name(), imported_by_type(model, access.base())?, MemberKind::Export)
        }
        NodeKind::InstanceParameterizedTypeInstantiation => {
            let access = InstanceParameterizedTypeInstantiation::cast(node)?;
            plain(access.name(), imported_by_type(model, access.base())?, MemberKind::Export)
        }
        NodeKind::ObjectProperty => {
            let property = ObjectProperty::cast(node)?;
            let target = given_to(model, property)?;
            let name = property.key().constant()?.as_ref().into();
            Some((inner_span(property.key())?, Member { target, kind: MemberKind::Parameter, name }))
        }
        NodeKind::ImportedSymbolsListItem => {
            let item = ImportedSymbolsListItem::cast(node)?;
            let member = member_of(model, model.symbol_at(node)?)?;
            Some((inner_span(item.original_name())?, member))
        }
        NodeKind::ParameterAssignment => {
            let name = ParameterAssignment::cast(node)?.name().token()?;
            Some((name.span(), member_of(model, model.symbol_at(node)?)?))
        }
        _ => None,
    }
}

/// Where a name stands, without quotes around it.
pub(crate) fn inner_span(name: NameOrString<'_>) -> Option<Span> {
    match name {
        NameOrString::Name(token) => Some(token.span()),
        NameOrString::String(text) => {
            let span = text.span();
            let is_plain = text.constant()?.len() + 2 == span.len() as usize;
            is_plain.then(|| Span::new(span.start + 1, span.end - 1))
        }
        NameOrString::Skipped(_) => None,
    }
}

/// The file behind a name that `import * as` declares.
fn imported_from(model: &Model, base: SyntaxNode<'_>) -> Option<ModuleTarget> {
    let symbol = model.symbol_at(base)?;
    let source = model.wildcard_source(symbol)?;
    source.target.as_ref().ok().cloned()
}

fn imported_by_type(model: &Model, base: TypeExpr<'_>) -> Option<ModuleTarget> {
    imported_from(model, base.node())
}

/// The file of the module of which an expression is the outputs: `m.outputs`, or `m[0].outputs`.
fn outputs_of(model: &Model, base: Expr<'_>) -> Option<ModuleTarget> {
    let Expr::PropertyAccess(outputs) = unasserted(base) else { return None };
    if outputs.name().text() != "outputs" {
        return None;
    }
    let module = match unasserted(outputs.base()) {
        Expr::ArrayAccess(access) => unasserted(access.base()),
        module => module,
    };
    let symbol = model.symbol_in(module)?;
    let declared = model.symbol(symbol);
    (declared.kind == SymbolKind::Module).then(|| target_of(model, declared.node))?
}

fn unasserted(mut expr: Expr<'_>) -> Expr<'_> {
    loop {
        expr = match expr {
            Expr::NonNullAssertion(inner) => inner.base(),
            Expr::ParenthesizedExpression(inner) => inner.expression(),
            other => return other,
        };
    }
}

/// The file of the module or test that a property gives a parameter to.
fn given_to(model: &Model, property: ObjectProperty<'_>) -> Option<ModuleTarget> {
    let up = |node: SyntaxNode<'_>| model.parent(model.file.node(node.id())).map(|node| node.id());
    let object = up(property.node())?;
    let params = ObjectProperty::cast(model.file.node(up(model.file.node(object))?))?;
    if params.key().constant().as_deref() != Some("params") {
        return None;
    }
    let mut at = model.file.node(up(model.file.node(up(params.node())?))?);
    while matches!(at.kind(), NodeKind::IfCondition | NodeKind::For) {
        at = model.parent(at)?;
    }
    match Statement::cast(at)? {
        Statement::ModuleDeclaration(_) | Statement::TestDeclaration(_) => target_of(model, at.id()),
        _ => None,
    }
}

fn target_of(model: &Model, declaration: syntax::NodeId) -> Option<ModuleTarget> {
    model.source_of(declaration)?.target.as_ref().ok().cloned()
}
