//! Places in files as reports tell them.

use std::sync::Arc;

use bicep::files::SourceFile;
use bicep::{Compiler, FilePath};
use diagnostics::{Columns, LineIndex};
use syntax::ast::{AstNode as _, ResourceDeclaration, Statement};
use syntax::{Span, SyntaxElement, SyntaxNode};

use crate::outcome::{PlacePoint, SourcePlace};

/// An offset as a line and a column.
pub(crate) fn point(lines: &LineIndex, offset: u32) -> PlacePoint {
    let position = lines.position(offset, Columns::Scalars);
    PlacePoint { line: position.line, column: position.column, offset }
}

/// A file whose places are told.
pub(crate) struct PlaceFile {
    name: String,
    lines: LineIndex,
}

impl PlaceFile {
    pub(crate) fn new(compiler: &Compiler, name: String, path: &FilePath) -> PlaceFile {
        PlaceFile { name, lines: LineIndex::new(text_of(compiler, path)) }
    }

    pub(crate) fn place(&self, span: Span) -> SourcePlace {
        let (start, end) = (point(&self.lines, span.start), point(&self.lines, span.end));
        let line = self.lines.line_text(start.line).trim_end().to_owned();
        SourcePlace { file: self.name.clone(), start, end, line }
    }
}

/// A place of which the line and the column are known.
pub(crate) fn at_line(
    compiler: &Compiler,
    file: &str,
    line: u32,
    column: u32,
    path: Option<&FilePath>,
) -> SourcePlace {
    let Some(path) = path else {
        let start = PlacePoint { line, column, offset: 0 };
        return SourcePlace { file: file.to_owned(), start, end: start, line: String::new() };
    };
    let text = text_of(compiler, path);
    let before: usize =
        text.split_inclusive('\n').take((line as usize).saturating_sub(1)).map(str::len).sum();
    let written = text.get(before..).unwrap_or_default().lines().next().unwrap_or_default();
    let skipped =
        written.char_indices().nth((column as usize).saturating_sub(1)).map_or(written.len(), |(at, _)| at);
    let offset = u32::try_from(before + skipped).unwrap_or(u32::MAX);
    let end = u32::try_from(before + written.trim_end().len()).unwrap_or(u32::MAX);
    let lines = LineIndex::new(text.clone());
    let (start, end) = (PlacePoint { line, column, offset }, point(&lines, end.max(offset)));
    SourcePlace { file: file.to_owned(), start, end, line: written.trim_end().to_owned() }
}

/// What is declared at a line of a program: the resource, if one stands in another one.
pub(crate) fn declared_at(compiler: &Compiler, path: &FilePath, line: u32) -> Option<String> {
    let source = compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    let lines = LineIndex::new(file.tree.shared_text());
    let is_around = |node: SyntaxNode<'_>| {
        let (start, end) = (point(&lines, node.span().start), point(&lines, node.span().end));
        (start.line..=end.line).contains(&line)
    };
    let statements = file.tree.root().children().filter_map(SyntaxElement::node);
    let node = statements.filter(|node| Statement::cast(*node).is_some()).find(|node| is_around(*node))?;
    let inside = node.subtree().filter_map(ResourceDeclaration::cast).filter(|it| is_around(it.node()));
    if let Some(resource) = inside.last() {
        return Some(resource.name().text().to_owned());
    }
    let name = match Statement::cast(node)? {
        Statement::ModuleDeclaration(it) => it.name(),
        Statement::ParameterDeclaration(it) => it.name(),
        Statement::VariableDeclaration(it) => it.name(),
        Statement::OutputDeclaration(it) => it.name(),
        Statement::AssertDeclaration(it) => it.name(),
        Statement::FunctionDeclaration(it) => it.name(),
        Statement::TypeDeclaration(it) => it.name(),
        _ => return None,
    };
    Some(name.text().to_owned())
}

/// The text of a file; empty if it cannot be had.
pub(crate) fn text_of(compiler: &Compiler, path: &FilePath) -> Arc<str> {
    match compiler.file(path).as_deref() {
        Ok(SourceFile::Bicep(file)) => file.tree.shared_text(),
        _ => compiler.world().read(path).map_or_else(|_| "".into(), |it| String::from_utf8_lossy(&it).into()),
    }
}
