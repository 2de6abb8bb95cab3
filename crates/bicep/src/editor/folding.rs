//! What can be folded away: whatever has a start and an end on different lines.

use syntax::{NodeKind, Span, SyntaxNode, TriviaKind};

use crate::files::SourceFile;
use crate::{Compiler, FilePath};

/// A part of a file that can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fold {
    /// The part, with what stays visible at its start and at its end.
    pub span: Span,
    /// Whether it is code, a comment, imports or a region.
    pub kind: FoldKind,
}

/// What can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoldKind {
    /// A value, type, body or call.
    Code,
    /// A comment, or several on lines that follow each other.
    Comment,
    /// Imports that follow each other.
    Imports,
    /// What stands between `// #region` and `// #endregion`.
    Region,
}

/// What can be folded away in a file, by position.
#[must_use]
pub fn folding(compiler: &Compiler, path: &FilePath) -> Vec<Fold> {
    let Ok(source) = compiler.file(path) else { return Vec::new() };
    let SourceFile::Bicep(file) = &*source else { return Vec::new() };
    let text = file.tree.text();
    let mut found = Vec::new();
    for node in file.tree.root().subtree().filter(|node| folds(*node)) {
        found.push(Fold { span: node.span(), kind: FoldKind::Code });
    }
    imports(file.tree.root(), &mut found);
    comments(&file.tree, &mut found);
    found.retain(|fold| fold.span.text(text).contains(['\n', '\r']));
    found.sort_unstable();
    found.dedup();
    found
}

/// Tells whether what a node covers can be folded away.
fn folds(node: SyntaxNode<'_>) -> bool {
    matches!(
        node.kind(),
        NodeKind::Object
            | NodeKind::Array
            | NodeKind::For
            | NodeKind::ObjectType
            | NodeKind::TupleType
            | NodeKind::UnionType
            | NodeKind::String
            | NodeKind::ParenthesizedExpression
            | NodeKind::FunctionCall
            | NodeKind::InstanceFunctionCall
            | NodeKind::ImportedSymbolsList
            | NodeKind::VariableBlock
            | NodeKind::TypedVariableBlock
    )
}

/// Adds the runs of imports.
fn imports(root: SyntaxNode<'_>, found: &mut Vec<Fold>) {
    let mut run: Option<Span> = None;
    let is_import = |node: SyntaxNode<'_>| {
        matches!(node.kind(), NodeKind::CompileTimeImportDeclaration | NodeKind::ExtensionDeclaration)
    };
    let statements = root.child_nodes().filter(|node| node.kind() != NodeKind::NewLines);
    for node in statements.map(Some).chain([None]) {
        match node.filter(|node| is_import(*node)) {
            Some(node) => {
                let start = run.map_or(node.span().start, |run| run.start);
                run = Some(Span::new(start, node.span().end));
            }
            None => found.extend(run.take().map(|span| Fold { span, kind: FoldKind::Imports })),
        }
    }
}

/// Adds comments: each over several lines, those on lines that follow each other, and regions.
fn comments(tree: &syntax::SyntaxTree, found: &mut Vec<Fold>) {
    let text = tree.text();
    let mut run: Option<Span> = None;
    let mut regions: Vec<u32> = Vec::new();
    for piece in tree.trivia() {
        let span = Span::new(piece.start, piece.end);
        match piece.kind {
            TriviaKind::BlockComment => found.push(Fold { span, kind: FoldKind::Comment }),
            TriviaKind::LineComment => {
                let said = span.text(text).trim_start_matches('/').trim_start();
                if said.starts_with("#region") {
                    regions.push(span.start);
                } else if said.starts_with("#endregion")
                    && let Some(start) = regions.pop()
                {
                    found.push(Fold { span: Span::new(start, span.end), kind: FoldKind::Region });
                }
                let between = |run: Span| Span::new(run.end, span.start).text(text);
                let goes_on = |run: &Span| {
                    let gap = between(*run);
                    gap.trim().is_empty() && gap.matches('\n').count() == 1
                };
                run = Some(match run.filter(goes_on) {
                    Some(run) => Span::new(run.start, span.end),
                    None => {
                        found.extend(run.map(|span| Fold { span, kind: FoldKind::Comment }));
                        span
                    }
                });
            }
            TriviaKind::Whitespace
            | TriviaKind::DisableNextLine
            | TriviaKind::DisableDiagnostics
            | TriviaKind::RestoreDiagnostics
            | TriviaKind::ByteOrderMark => {}
        }
    }
    found.extend(run.map(|span| Fold { span, kind: FoldKind::Comment }));
}
