//! How types and declarations are shown.

use crate::check::Checker;
use crate::symbols::{SymbolId, SymbolKind};
use crate::types::{Kind, Ty};

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
    if ty.is_error() { ty } else { Ty::new(Kind::TypeOf(ty)) }
}
