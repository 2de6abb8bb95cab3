//! How types and declarations are shown.

use syntax::SyntaxNode;
use syntax::ast::Expr;

use crate::check::Checker;
use crate::decorators::DESCRIPTION;
use crate::symbols::{Model, SymbolId, SymbolKind};
use crate::types::{Signature, Ty, TyKind};

/// How often a parameter that stands for any number of arguments is shown at most.
const MAX_SHOWN: usize = 32;

/// How many bytes of code or of a description are shown at most. The type of a text that is loaded from a file is the text.
pub(super) const MAX_TEXT: usize = 8_000;

/// How many bytes are shown at most where there is one line for them.
pub(super) const MAX_LINE: usize = 1_000;

/// A text that has at most so many bytes; what is left out is shown as `...`.
pub(super) fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// The type of a symbol as it is shown: what a `type` declares is a type and not a value of it.
pub(super) fn shown_type(checker: &mut Checker<'_>, symbol: SymbolId) -> Ty {
    let model = checker.model;
    match model.symbol(symbol).kind {
        SymbolKind::Type => type_of(checker.symbol_type(symbol)),
        SymbolKind::Imported(_) => {
            if let Some(ty) = checker.imported_value(symbol) {
                return ty;
            }
            if let Some(ty) = checker.imported_type(symbol) {
                return type_of(ty);
            }
            let signature = checker.imported_function(symbol);
            signature.map_or_else(Ty::failed, |signature| {
                let arguments = signature.parameters.into_iter().map(|parameter| parameter.ty).collect();
                Ty::lambda(arguments, Vec::new(), signature.result)
            })
        }
        SymbolKind::Metadata
        | SymbolKind::Parameter
        | SymbolKind::Variable
        | SymbolKind::Function
        | SymbolKind::Resource
        | SymbolKind::Module
        | SymbolKind::Test
        | SymbolKind::Output
        | SymbolKind::Assert
        | SymbolKind::Extension
        | SymbolKind::ParameterAssignment
        | SymbolKind::ExtensionConfig
        | SymbolKind::WildcardImport
        | SymbolKind::FailedImport
        | SymbolKind::LoopItem
        | SymbolKind::LoopIndex
        | SymbolKind::LambdaParameter
        | SymbolKind::FunctionParameter
        | SymbolKind::This
        | SymbolKind::Base
        | SymbolKind::Inherited => checker.symbol_type(symbol),
    }
}

fn type_of(ty: Ty) -> Ty {
    if ty.is_error() { ty } else { Ty::new(TyKind::TypeOf(ty)) }
}

/// A way to call a function, as it is shown, with the place of each parameter in the text.
pub(super) struct RenderedSignature {
    /// `name(a: string, [b: int]): string`
    pub text: String,
    /// The parameters, as ranges of bytes of the text.
    pub parameters: Vec<std::ops::Range<usize>>,
}

/// Shows a way to call a function. What can be given any number of times is shown as often as it must be given, and as
/// often as there are arguments, and once more.
pub(super) fn shown_signature(
    name: &str,
    signature: &Signature,
    arguments: usize,
    result: Option<&Ty>,
) -> RenderedSignature {
    let mut text = format!("{name}(");
    let mut parameters = Vec::new();
    let mut add = |text: &mut String, part: &str| {
        if !parameters.is_empty() {
            text.push_str(", ");
        }
        let start = text.len();
        text.push_str(part);
        parameters.push(start..text.len());
    };
    for parameter in &signature.parameters {
        let part = format!("{}: {}", parameter.name, parameter.ty);
        add(&mut text, &if parameter.required { part } else { format!("[{part}]") });
    }
    if let Some((ty, least)) = &signature.rest {
        let given = arguments.saturating_sub(signature.parameters.len());
        let shown = given.saturating_add(1).max(*least).min(MAX_SHOWN);
        for place in 0..shown {
            let part = format!("arg{place}: {ty}");
            add(&mut text, &if place < *least { part } else { format!("[{part}]") });
        }
        text.push_str(", ...");
    }
    text.push(')');
    if let Some(result) = result {
        text.push_str(": ");
        text.push_str(result.name());
    }
    RenderedSignature { text, parameters }
}

/// The constant text of an argument.
pub(super) fn constant_text(argument: Option<Expr<'_>>) -> Option<String> {
    match argument? {
        Expr::String(text) => text.constant().map(std::borrow::Cow::into_owned),
        _ => None,
    }
}

/// The description that decorates a declaration or part of a type.
pub(super) fn description(model: &Model, node: SyntaxNode<'_>) -> Option<String> {
    let node = model.file.node(node.id());
    constant_text(model.decorator(node, &DESCRIPTION)?.argument(0)).filter(|text| !text.trim().is_empty())
}
