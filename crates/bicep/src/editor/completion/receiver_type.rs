//! The type of what stands before a dot or bracket, as it is declared.
//!
//! A program that is being typed has mistakes, and an expression with a mistake in it has no type. So the types of
//! resources and modules, and of what is written in their bodies, are taken from their declarations, and the body only
//! says which variant of a type is meant.

use syntax::NodeKind;
use syntax::ast::{ArrayAccess, AstNode as _, Expr, For, Object, PropertyAccess, Statement};

use super::Completer;
use super::recognize::body;
use crate::check::Checker;
use crate::symbols::{CallSyntax, SymbolId, SymbolKind};
use crate::types::{Range, Ty, TyKind, TypeRef, non_null, union_of};

/// How many declarations are followed.
const MAX_DEPTH: u32 = 64;

/// A type, with the object that it was declared with.
struct ReceiverType<'m> {
    ty: Ty,
    object: Option<Object<'m>>,
}

impl<'m> Completer<'_, 'm> {
    /// The type of an expression for those who want to name a part of it.
    pub(super) fn known_type(&mut self, expr: Expr<'m>) -> Ty {
        match known(self.checker, expr, MAX_DEPTH) {
            Some(known) => known.ty,
            None => self.checker.ty(expr),
        }
    }
}

fn known<'m>(checker: &mut Checker<'m>, expr: Expr<'m>, depth: u32) -> Option<ReceiverType<'m>> {
    let depth = depth.checked_sub(1)?;
    let plain = |ty: Ty| Some(ReceiverType { ty, object: None });
    match expr {
        Expr::VariableAccess(access) => {
            let symbol = checker.model.symbol_at(access.node())?;
            known_symbol(checker, symbol, depth)
        }
        Expr::ResourceAccess(access) => {
            let symbol = checker.model.symbol_at(access.node())?;
            known_symbol(checker, symbol, depth)
        }
        Expr::PropertyAccess(access) => member(checker, access, depth),
        Expr::ArrayAccess(access) => item(checker, access, depth),
        Expr::NonNullAssertion(it) => {
            let base = known(checker, it.base(), depth)?;
            Some(ReceiverType { ty: non_null(&base.ty), ..base })
        }
        Expr::FunctionCall(_) | Expr::InstanceFunctionCall(_) => plain(checker.ty(expr)),
        Expr::Object(object) => {
            let ty = checker.expected(object.node())?;
            Some(ReceiverType { ty: checker.fitting_object(&ty, Some(object)), object: Some(object) })
        }
        Expr::Array(_) | Expr::String(_) => plain(checker.expected(expr.node())?),
        _ => None,
    }
}

/// The type of a symbol; nothing for one whose declaration leads back to itself.
fn known_symbol<'m>(checker: &mut Checker<'m>, symbol: SymbolId, depth: u32) -> Option<ReceiverType<'m>> {
    let model = checker.model;
    if model.cycle(symbol).is_some() {
        return None;
    }
    let (declared, value) = match model.statement_of(symbol) {
        Some(Statement::ResourceDeclaration(it)) => (checker.declared_resource(symbol), it.value()),
        Some(Statement::ModuleDeclaration(it)) => (checker.declared_module(symbol), it.value()),
        _ => {
            let is_value = !matches!(model.symbol(symbol).kind, SymbolKind::Type | SymbolKind::Output);
            if !is_value {
                return None;
            }
            let mut ty = checker.symbol_type(symbol);
            if ty.is_any() {
                ty = guessed(checker, symbol, depth).unwrap_or(ty);
            }
            return Some(ReceiverType { ty, object: None });
        }
    };
    let object = body(value);
    let ty = checker.fitting_object(&declared, object);
    let is_loop = matches!(value, Expr::For(_));
    // The object of a loop is that of each item, so it stays with the list.
    Some(ReceiverType { ty: if is_loop { Ty::array_of(ty, Range::default()) } else { ty }, object })
}

/// The type of an item of a list that can also be another one, such as in `for item in (list ?? [])`. For the compiler it is
/// anything, but what can be named is what the items of the lists have.
fn guessed<'m>(checker: &mut Checker<'m>, symbol: SymbolId, depth: u32) -> Option<Ty> {
    let model = checker.model;
    if !matches!(model.symbol(symbol).kind, SymbolKind::LoopItem | SymbolKind::LambdaParameter) {
        return None;
    }
    let mut around = model.parent(model.node_of(symbol))?;
    if around.kind() == NodeKind::VariableBlock {
        around = model.parent(around)?;
    }
    let source = match For::cast(around) {
        Some(each) => each.expression(),
        // Functions take the list first.
        None => model.parent(around).and_then(Expr::cast).and_then(CallSyntax::of)?.argument(0)?,
    };
    let ty = match known(checker, source, depth) {
        Some(known) => known.ty,
        None => checker.ty(source),
    };
    let TyKind::Union(lists) = ty.kind() else { return ty.as_list().map(|(item, _)| item) };
    let items = lists.iter().filter_map(|list| list.get().as_list()).map(|(item, _)| item);
    let items: Vec<Ty> = items.filter(|item| !item.is_any()).collect();
    (!items.is_empty()).then(|| union_of(items))
}

fn member<'m>(checker: &mut Checker<'m>, access: PropertyAccess<'m>, depth: u32) -> Option<ReceiverType<'m>> {
    let name = access.name().token()?.text();
    let base = known(checker, access.base(), depth)?;
    property(checker, &base, name, depth)
}

/// A property of a type. What is written for it says more than the type does.
fn property<'m>(
    checker: &mut Checker<'m>,
    base: &ReceiverType<'m>,
    name: &str,
    depth: u32,
) -> Option<ReceiverType<'m>> {
    let ty = non_null(&base.ty).body();
    if ty.is_list() {
        return None;
    }
    let written = base.object.and_then(|object| checker.model.property(object, name));
    if let Some(written) = written
        && let Some(known) = known(checker, written.value(), depth)
    {
        return Some(known);
    }
    let ty = match ty.kind() {
        TyKind::Object(object) => object.properties.get(name).or(object.additional.as_ref())?.ty.get(),
        TyKind::Discriminated(union) if union.key == name => {
            union_of(union.members.iter().map(|(key, _)| Ty::string_literal(key)))
        }
        _ => return None,
    };
    Some(ReceiverType { ty, object: None })
}

fn item<'m>(checker: &mut Checker<'m>, access: ArrayAccess<'m>, depth: u32) -> Option<ReceiverType<'m>> {
    let base = known(checker, access.base(), depth)?;
    let ty = non_null(&base.ty);
    if let (Some(_), Expr::String(name)) = (ty.body().as_object(), access.index()) {
        return property(checker, &base, &name.constant()?, depth);
    }
    let index = checker.ty(access.index());
    let item = match (ty.kind(), index.kind()) {
        (TyKind::Tuple(items), TyKind::IntLit(place)) if access.from_end().is_none() => {
            usize::try_from(*place).ok().and_then(|place| items.get(place)).map(TypeRef::get)?
        }
        _ => ty.as_list()?.0,
    };
    Some(ReceiverType { ty: item, object: base.object })
}
