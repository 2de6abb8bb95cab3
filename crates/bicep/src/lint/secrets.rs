//! Secrets in expressions.

use syntax::ast::{ArrayAccess, AstNode as _, Expr, PropertyAccess};
use syntax::{NodeKind, Span, SyntaxNode};

use super::Linter;
use crate::types::{Ty, TyKind, TypeFlags, TypeRef, holds_secret};

/// How many secret parts of one value are named.
const MOST_PATHS: usize = 64;
/// How many parts of one value are looked at to name them.
const MOST_PARTS: usize = 4096;

/// What may be a secret: where it stands, and what it is.
pub(super) struct Secret {
    pub(super) span: Span,
    pub(super) what: String,
}

/// What may be secret in a part of a program: values of secure types, and the results of `list` functions.
pub(super) fn find<'m>(linter: &mut Linter<'_, 'm>, start: SyntaxNode<'m>) -> Vec<Secret> {
    let mut found = Vec::new();
    // With each node goes whether only a part of its value is read.
    let mut open = vec![(start, false)];
    while let Some((node, is_part)) = open.pop() {
        let mut inner = is_part;
        match node.kind() {
            NodeKind::VariableAccess => value(linter, node, node.span(), is_part, &mut found),
            NodeKind::PropertyAccess => {
                if let Some(it) = PropertyAccess::cast(node) {
                    value(linter, node, it.name().span(), is_part, &mut found);
                }
                inner = true;
            }
            NodeKind::ArrayAccess => {
                if let Some(it) = ArrayAccess::cast(node) {
                    value(linter, node, it.index().span(), is_part, &mut found);
                }
                inner = true;
            }
            NodeKind::FunctionCall => {
                if let Some((name, call)) = linter.azure_call(node)
                    && name.starts_with("list")
                {
                    found
                        .push(Secret { span: node.span(), what: format!("the result of `{}`", call.name()) });
                }
            }
            NodeKind::InstanceFunctionCall => {
                if let Some(Expr::InstanceFunctionCall(call)) = Expr::cast(node)
                    && call.name().text().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"))
                    && (linter.resource_named(call.base()).is_some() || linter.azure_call(node).is_some())
                {
                    let what = format!("the result of `{}`", call.name().text());
                    found.push(Secret { span: node.span(), what });
                }
            }
            _ => {}
        }
        open.extend(node.child_nodes().map(|child| (child, inner)));
    }
    found
}

fn value<'m>(
    linter: &mut Linter<'_, 'm>,
    node: SyntaxNode<'m>,
    span: Span,
    is_part: bool,
    found: &mut Vec<Secret>,
) {
    let Some(expr) = Expr::cast(node) else { return };
    let ty = linter.ty(expr);
    if !holds_secret(&ty) {
        return;
    }
    let paths = paths(&ty, is_part);
    let text = node.text();
    found.extend(paths.into_iter().map(|path| Secret { span, what: format!("`{text}{path}`") }));
}

/// The ways to the secret parts of a value; of a value of which a part is read, whether it is a secret itself.
fn paths(ty: &Ty, is_part: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = MOST_PARTS;
    walk(ty, is_part, String::new(), &mut Vec::new(), &mut left, &mut found);
    found
}

fn walk(
    ty: &Ty,
    is_part: bool,
    path: String,
    around: &mut Vec<usize>,
    left: &mut usize,
    found: &mut Vec<String>,
) {
    if *left == 0 || found.len() >= MOST_PATHS || around.contains(&ty.address()) {
        return;
    }
    *left -= 1;
    if ty.flags().contains(TypeFlags::SECURE) {
        found.push(path.clone());
    }
    around.push(ty.address());
    let mut part = |ty: &TypeRef, path: String| walk(&ty.get(), is_part, path, around, left, found);
    match ty.kind() {
        TyKind::Union(members) => members.iter().for_each(|member| part(member, path.clone())),
        TyKind::Object(object) if !is_part => {
            if let Some(property) = &object.additional {
                part(&property.ty, format!("{path}.*"));
            }
            for (name, property) in &object.properties {
                part(&property.ty, format!("{path}.{name}"));
            }
        }
        TyKind::Tuple(items) if !is_part => {
            for (place, item) in items.iter().enumerate() {
                part(item, format!("{path}[{place}]"));
            }
        }
        TyKind::Array(array) if !is_part => part(&array.item, format!("{path}[*]")),
        _ => {}
    }
    around.pop();
}
