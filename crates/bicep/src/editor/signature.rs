//! How the function whose arguments are being written is called.

use syntax::ast::{
    AstNode as _, Expr, InstanceParameterizedTypeInstantiation, ParameterizedTypeInstantiation,
};
use syntax::{NodeKind, SyntaxNode, SyntaxToken};

use super::cursor::Cursor;
use super::display::{description, shown_signature};
use super::member::Entity;
use crate::check::Checker;
use crate::symbols::{Binding, CallSyntax, Model, SymbolId};
use crate::types::{Ambient, Signature, Ty, assignable};
use crate::{Compiler, FilePath};

/// The ways to call a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The ways that the arguments so far allow.
    pub signatures: Vec<SignatureText>,
    /// The one that fits best.
    pub active: Option<usize>,
    /// The place of the argument that is being written.
    pub argument: usize,
}

/// One way to call a function, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureText {
    /// `name(a: string, [b: int]): string`
    pub label: String,
    /// The parameters, as ranges of bytes of the label.
    pub parameters: Vec<std::ops::Range<usize>>,
    /// What the function does, as Markdown.
    pub documentation: Option<String>,
}

/// How the innermost call around an offset can be made.
#[must_use]
pub fn signature_help(compiler: &Compiler, path: &FilePath, offset: u32) -> Option<SignatureHelp> {
    let model = compiler.model(path).ok()?;
    let cursor = Cursor::at(&model, offset)?;
    if cursor.is_in_comment() {
        return None;
    }
    let offset = cursor.offset;
    let inside = |call: &CallSyntax<'_>| {
        let (open, close) = parentheses(*call);
        open.is_some_and(|open| open < offset) && close.is_none_or(|close| offset <= close)
    };
    // At the end of a file, a call that is not closed yet does not reach to the end.
    for node in cursor.ancestors().chain(cursor.behind().iter().flat_map(Cursor::ancestors)) {
        if let Some(help) = type_help(&model, node, offset) {
            return Some(help);
        }
        let Some(call) = Expr::cast(node).and_then(CallSyntax::of).filter(inside) else { continue };
        let (id, argument) = (node.id(), commas_before(node, offset));
        let documentation = documentation(&cursor, call);
        return compiler.ask(&model, |checker| help(checker, id, argument, documentation)).flatten();
    }
    None
}

/// How many arguments of a node end before an offset.
fn commas_before(node: SyntaxNode<'_>, offset: u32) -> usize {
    let is_before = |token: SyntaxToken<'_>| token.text() == "," && token.span().end <= offset;
    node.children().filter(|child| child.token().is_some_and(is_before)).count()
}

/// How a type is made whose arguments are being written.
fn type_help(model: &Model, node: SyntaxNode<'_>, offset: u32) -> Option<SignatureHelp> {
    let (open, close) = if let Some(it) = ParameterizedTypeInstantiation::cast(node) {
        (it.open_chevron(), it.close_chevron())
    } else {
        let it = InstanceParameterizedTypeInstantiation::cast(node)?;
        (it.open_chevron(), it.close_chevron())
    };
    let close = close.filter(|token| token.text() == ">");
    let is_inside = open.is_some_and(|open| open.span().start < offset)
        && close.is_none_or(|close| offset <= close.span().start);
    if !is_inside {
        return None;
    }
    let Binding::Ambient(ambient) = model.binding(node.id()) else { return None };
    let about = match ambient {
        Ambient::ResourceInput => "What a program can write about a resource of a type.",
        Ambient::ResourceOutput => "What can be read of a resource of a type when it is there.",
        Ambient::Any | Ambient::Array | Ambient::Bool | Ambient::Int | Ambient::Object | Ambient::String => {
            return None;
        }
    };
    let start = ambient.name().len() + 1;
    let label = format!("{}<{TYPE_PARAMETER}>", ambient.name());
    let parameter = start..start + TYPE_PARAMETER.len();
    let documentation = Some(about.to_owned());
    let signature = SignatureText { label, parameters: vec![parameter], documentation };
    Some(SignatureHelp {
        signatures: vec![signature],
        active: Some(0),
        argument: commas_before(node, offset),
    })
}

/// What the types that take an argument take.
const TYPE_PARAMETER: &str = "resourceType: string";

/// Where the arguments of a call start, and where they end.
fn parentheses(call: CallSyntax<'_>) -> (Option<u32>, Option<u32>) {
    let (open, close) = match call {
        CallSyntax::Plain(call) => (call.open_paren(), call.close_paren()),
        CallSyntax::Instance(call) => (call.open_paren(), call.close_paren()),
    };
    let close = close.filter(|token| token.text() == ")");
    (open.map(|token| token.span().start), close.map(|token| token.span().start))
}

fn documentation(cursor: &Cursor<'_>, call: CallSyntax<'_>) -> Option<String> {
    let model = cursor.model;
    let of_symbol = |symbol: SymbolId| {
        let elsewhere = super::member::member_of(model, symbol).and_then(|member| member.entity());
        match elsewhere {
            Some(Entity { model, symbol }) => description(&model, model.node_of(symbol)),
            None => description(model, model.node_of(symbol)),
        }
    };
    match model.binding(call.node().id()) {
        Binding::Function(function) => Some(function.doc.to_owned()),
        Binding::Decorator(row) => Some(row.doc.to_owned()),
        Binding::Symbol(symbol) => of_symbol(symbol),
        Binding::None
        | Binding::DeclaredDecorator(_)
        | Binding::ExtensionFunction
        | Binding::Namespace(_)
        | Binding::Ambient(_)
        | Binding::Unresolved => None,
    }
}

fn help(
    checker: &mut Checker<'_>,
    call: syntax::NodeId,
    argument: usize,
    documentation: Option<String>,
) -> Option<SignatureHelp> {
    let call = CallSyntax::of(Expr::cast(checker.model.file.node(call))?)?;
    let callee = checker.callee(call)?;
    let arguments: Vec<Ty> = call.arguments().map(|argument| checker.ty(argument)).collect();
    let is_decorator =
        checker.model.parent(call.node()).is_some_and(|parent| parent.kind() == NodeKind::Decorator);
    let takes = |signature: &Signature| {
        let enough = signature.max().is_none_or(|max| max > argument);
        enough || (argument == 0 && arguments.is_empty())
    };
    let mut signatures = Vec::new();
    let mut places = Vec::new();
    for (place, signature) in callee.iter().enumerate().filter(|(_, signature)| takes(signature)) {
        let result = result(signature);
        let result = (!is_decorator).then_some(&result);
        let shown = shown_signature(call.name(), signature, arguments.len(), result);
        let documentation = documentation.clone();
        signatures.push(SignatureText { label: shown.text, parameters: shown.parameters, documentation });
        places.push(place);
    }
    let known: Vec<Ty> = arguments.into_iter().take(argument + 1).collect();
    let fits = |place: &usize| {
        callee.get(*place).is_some_and(|signature| {
            known.iter().enumerate().all(|(at, ty)| ty.is_error() || assignable(ty, &signature.argument(at)))
        })
    };
    let active = places.iter().position(fits);
    (!signatures.is_empty()).then_some(SignatureHelp { signatures, active, argument })
}

/// The type of the result of a call in general.
pub(super) fn result(signature: &Signature) -> Ty {
    signature.built_in.map_or_else(|| signature.result.clone(), crate::types::Overload::result)
}

/// The place of the only way to call a function that fits the arguments.
pub(super) fn fitting(callee: &[Signature], arguments: &[Ty]) -> Option<usize> {
    let fits = |signature: &Signature| {
        signature.min() <= arguments.len()
            && signature.max().is_none_or(|max| arguments.len() <= max)
            && arguments
                .iter()
                .enumerate()
                .all(|(place, ty)| ty.is_error() || assignable(ty, &signature.argument(place)))
    };
    if let [_only] = callee {
        return Some(0);
    }
    callee.iter().position(fits)
}
