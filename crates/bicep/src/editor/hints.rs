//! What a reader would like to see between the words of a program: the names of parameters, and types that are not
//! written.

use syntax::ast::{AstNode as _, Expr, For, Lambda, Statement};
use syntax::{NodeKind, Span, SyntaxNode};

use crate::check::Checker;
use crate::symbols::CallSyntax;
use crate::types::Ty;
use crate::{Compiler, FilePath};

/// The longest type that is shown.
const MAX_TYPE: usize = 48;

/// How many hints a part of a file has at most.
const MAX_HINTS: usize = 5_000;

/// Something to be shown between the words of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlayHint {
    /// The offset behind which the hint is shown.
    pub offset: u32,
    /// What: `name:` before an argument, `: type` behind a name.
    pub label: String,
    /// What it is about.
    pub kind: HintKind,
}

/// What a hint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintKind {
    /// The parameter that an argument is for.
    Parameter,
    /// The type of a name.
    Type,
}

/// The hints for a part of a file, by position.
#[must_use]
pub fn inlay_hints(compiler: &Compiler, path: &FilePath, range: Span) -> Vec<InlayHint> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let hints = compiler.ask(&model, |checker| {
        let mut found = Vec::new();
        let mut open = vec![checker.model.file.tree.root()];
        while let Some(node) = open.pop() {
            let span = node.span();
            if span.end < range.start || range.end < span.start {
                continue;
            }
            if found.len() > MAX_HINTS {
                break;
            }
            hint(checker, node, &mut found);
            open.extend(node.child_nodes());
        }
        found
    });
    let mut hints = hints.unwrap_or_default();
    hints.retain(|hint| range.start <= hint.offset && hint.offset <= range.end);
    hints.sort_by_key(|hint| hint.offset);
    hints
}

fn hint<'m>(checker: &mut Checker<'m>, node: SyntaxNode<'m>, found: &mut Vec<InlayHint>) {
    match node.kind() {
        NodeKind::VariableDeclaration => {
            let Some(Statement::VariableDeclaration(it)) = Statement::cast(node) else { return };
            let Some(name) = it.name().token().filter(|_| it.ty().is_none()) else { return };
            // Of a constant and of what is written out, the value says it all.
            if matches!(
                it.value(),
                Expr::String(_) | Expr::IntegerLiteral(_) | Expr::BooleanLiteral(_) | Expr::NullLiteral(_)
            ) {
                return;
            }
            let ty = checker.ty(it.value());
            found.extend(type_hint(name.span().end, &ty));
        }
        NodeKind::For => {
            let Some(variables) = For::cast(node).and_then(For::variables) else { return };
            locals(checker, variables, found);
        }
        NodeKind::Lambda => {
            let Some(variables) = Lambda::cast(node).and_then(Lambda::variables) else { return };
            locals(checker, variables, found);
        }
        NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => {
            let Some(call) = Expr::cast(node).and_then(CallSyntax::of) else { return };
            parameters(checker, call, found);
        }
        _ => {}
    }
}

/// Adds the types of the variables of a loop or lambda.
fn locals<'m>(checker: &mut Checker<'m>, variables: syntax::SyntaxElement<'m>, found: &mut Vec<InlayHint>) {
    let Some(node) = variables.node() else { return };
    for variable in node.descendants().filter(|node| node.kind() == NodeKind::LocalVariable) {
        let Some(symbol) = checker.model.symbol_at(variable) else { continue };
        let ty = checker.symbol_type(symbol);
        found.extend(type_hint(variable.span().end, &ty));
    }
}

/// Adds the names of the parameters that the arguments of a call are for, where that is not plain: of a function with
/// one parameter it is.
fn parameters<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>, found: &mut Vec<InlayHint>) {
    let Some(callee) = checker.callee(call) else { return };
    let arguments: Vec<Ty> = call.arguments().map(|argument| checker.ty(argument)).collect();
    if arguments.len() < 2 {
        return;
    }
    let signature = super::signature::fitting(&callee, &arguments).and_then(|place| callee.get(place));
    let Some(signature) = signature else { return };
    for (argument, parameter) in call.arguments().zip(&signature.parameters) {
        let is_named = argument.node().text().rsplit(['.', ' ']).next() == Some(parameter.name.as_str());
        if !is_named && !matches!(argument, Expr::Skipped(_) | Expr::Lambda(_)) {
            let offset = argument.span().start;
            let label = format!("{}:", parameter.name);
            found.push(InlayHint { offset, label, kind: HintKind::Parameter });
        }
    }
}

fn type_hint(offset: u32, ty: &Ty) -> Option<InlayHint> {
    let name = ty.name();
    let shown = !ty.is_error() && !ty.is_any() && name.len() <= MAX_TYPE;
    shown.then(|| InlayHint { offset, label: format!(": {name}"), kind: HintKind::Type })
}
