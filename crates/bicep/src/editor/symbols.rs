//! What a file declares, as the outline of an editor shows it.

use syntax::Span;

use super::cursor::name_place;
use super::display::{MAX_LINE, cut, shown_type};
use crate::check::Checker;
use crate::symbols::{ExportKind, Model, SymbolId, SymbolKind};
use crate::{Compiler, FilePath};

/// A declaration of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// The name that editors show.
    pub name: String,
    /// The kind of declaration, from which editors take an icon.
    pub kind: DeclarationKind,
    /// The name of its type.
    pub ty: String,
    /// The whole declaration, in which `name_span` lies.
    pub span: Span,
    /// Its name, which lies in the declaration.
    pub name_span: Span,
    /// The resources that are nested in it.
    pub children: Vec<DocumentSymbol>,
}

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the keywords")]
pub enum DeclarationKind {
    Metadata,
    /// `param` with a type
    Parameter,
    Variable,
    Type,
    Function,
    Resource,
    Module,
    Test,
    Output,
    Assert,
    Extension,
    /// `param` with a value
    ParameterAssignment,
    ExtensionConfig,
    Namespace,
}

impl DeclarationKind {
    /// What a symbol declares; none for what exists only inside a declaration or was never found.
    pub(crate) fn of(model: &Model, symbol: SymbolId) -> Option<DeclarationKind> {
        Some(match model.symbol(symbol).kind {
            SymbolKind::Metadata => DeclarationKind::Metadata,
            SymbolKind::Parameter => DeclarationKind::Parameter,
            SymbolKind::Variable => DeclarationKind::Variable,
            SymbolKind::Type => DeclarationKind::Type,
            SymbolKind::Function => DeclarationKind::Function,
            SymbolKind::Resource => DeclarationKind::Resource,
            SymbolKind::Module => DeclarationKind::Module,
            SymbolKind::Test => DeclarationKind::Test,
            SymbolKind::Output => DeclarationKind::Output,
            SymbolKind::Assert => DeclarationKind::Assert,
            SymbolKind::Extension => DeclarationKind::Extension,
            SymbolKind::ParameterAssignment => DeclarationKind::ParameterAssignment,
            SymbolKind::ExtensionConfig => DeclarationKind::ExtensionConfig,
            SymbolKind::WildcardImport => DeclarationKind::Namespace,
            SymbolKind::Imported(_) => match model.imported_item(symbol)?.0.kind {
                ExportKind::Type => DeclarationKind::Type,
                ExportKind::Variable => DeclarationKind::Variable,
                ExportKind::Function => DeclarationKind::Function,
            },
            SymbolKind::FailedImport
            | SymbolKind::LoopItem
            | SymbolKind::LoopIndex
            | SymbolKind::LambdaParameter
            | SymbolKind::FunctionParameter
            | SymbolKind::This
            | SymbolKind::Base
            | SymbolKind::Inherited => return None,
        })
    }
}

/// The declarations of a file by position, with nested resources inside of those that they are in.
#[must_use]
pub fn document_symbols(compiler: &Compiler, path: &FilePath) -> Vec<DocumentSymbol> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    compiler.ask(&model, outline).unwrap_or_default()
}

fn outline(checker: &mut Checker<'_>) -> Vec<DocumentSymbol> {
    let model = checker.model;
    let mut found: Vec<DocumentSymbol> = Vec::new();
    for (symbol, declared) in model.symbols() {
        let Some(kind) = DeclarationKind::of(model, symbol) else { continue };
        let Some(name_span) = name_place(model, symbol) else { continue };
        let ty = cut(shown_type(checker, symbol).name().to_string(), MAX_LINE);
        let name = declared.name.to_string();
        let span = model.node_of(symbol).span();
        // An editor refuses an outline in which a name lies outside of its declaration.
        let span = Span::new(span.start.min(name_span.start), span.end.max(name_span.end));
        found.push(DocumentSymbol { name, kind, ty, span, name_span, children: Vec::new() });
    }
    nested(found)
}

/// Puts declarations into those that they lie in.
fn nested(mut found: Vec<DocumentSymbol>) -> Vec<DocumentSymbol> {
    found.sort_by_key(|symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    let mut roots: Vec<DocumentSymbol> = Vec::new();
    let mut open: Vec<DocumentSymbol> = Vec::new();
    let close = |open: &mut Vec<DocumentSymbol>, roots: &mut Vec<DocumentSymbol>| {
        if let Some(done) = open.pop() {
            open.last_mut().map_or(roots, |outer| &mut outer.children).push(done);
        }
    };
    for symbol in found {
        while open.last().is_some_and(|outer| {
            outer.kind != DeclarationKind::Resource || outer.span.end <= symbol.span.start
        }) {
            close(&mut open, &mut roots);
        }
        open.push(symbol);
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}
