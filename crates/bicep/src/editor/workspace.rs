//! The declarations of a workspace whose names fit what somebody types. No file is understood for it, only read.

use syntax::Span;
use syntax::ast::{AstNode as _, Object, Program, Statement};

use super::references::Location;
use super::symbols::DeclarationKind;
use crate::files::SourceFile;
use crate::{Compiler, FilePath};

/// A declaration in a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// The name that the file declares.
    pub name: String,
    /// The kind of declaration, from which editors take an icon.
    pub kind: DeclarationKind,
    /// Its name in its file.
    pub location: Location,
}

/// The declarations whose names have the letters of `query` in this order, whatever their case; at most `limit`, and
/// those first whose names start with the query.
#[must_use]
pub fn workspace_symbols<'w>(
    compiler: &Compiler,
    workspace: impl IntoIterator<Item = &'w FilePath>,
    query: &str,
    limit: usize,
) -> Vec<WorkspaceSymbol> {
    let query: Vec<char> = query.chars().flat_map(char::to_lowercase).collect();
    let mut found: Vec<(bool, WorkspaceSymbol)> = Vec::new();
    for path in workspace {
        let Ok(source) = compiler.file(path) else { continue };
        let SourceFile::Bicep(file) = &*source else { continue };
        let Some(program) = Program::cast(file.tree.root()) else { continue };
        let mut open: Vec<Statement<'_>> = program.statements().collect();
        open.reverse();
        while let Some(statement) = open.pop() {
            if let Some((name, kind, span)) = declared(statement)
                && let Some(starts) = fits(name, &query)
            {
                let location = Location { path: path.clone(), span };
                found.push((!starts, WorkspaceSymbol { name: name.to_owned(), kind, location }));
            }
            if let Statement::ResourceDeclaration(resource) = statement {
                let body = crate::check::body(resource.value());
                open.extend(body.into_iter().flat_map(Object::declarations));
            }
        }
    }
    found.sort_by(|(later, one), (other_later, other)| {
        (later, one.name.len(), &one.name).cmp(&(other_later, other.name.len(), &other.name))
    });
    found.into_iter().map(|(_, symbol)| symbol).take(limit).collect()
}

/// Tells whether a name has the letters of a query in their order, and if so, whether it starts with them.
fn fits(name: &str, query: &[char]) -> Option<bool> {
    let mut wanted = query.iter().peekable();
    let mut starts = true;
    for letter in name.chars().flat_map(char::to_lowercase) {
        match wanted.peek() {
            Some(next) if **next == letter => {
                wanted.next();
            }
            Some(_) => starts = false,
            None => break,
        }
    }
    wanted.peek().is_none().then_some(starts)
}

/// What a statement declares, as far as its text says it.
fn declared(statement: Statement<'_>) -> Option<(&str, DeclarationKind, Span)> {
    let kind = match statement {
        Statement::MetadataDeclaration(_) => DeclarationKind::Metadata,
        Statement::ParameterDeclaration(_) => DeclarationKind::Parameter,
        Statement::VariableDeclaration(_) => DeclarationKind::Variable,
        Statement::TypeDeclaration(_) => DeclarationKind::Type,
        Statement::FunctionDeclaration(_) => DeclarationKind::Function,
        Statement::ResourceDeclaration(_) => DeclarationKind::Resource,
        Statement::ModuleDeclaration(_) => DeclarationKind::Module,
        Statement::TestDeclaration(_) => DeclarationKind::Test,
        Statement::OutputDeclaration(_) => DeclarationKind::Output,
        Statement::AssertDeclaration(_) => DeclarationKind::Assert,
        Statement::ParameterAssignment(_) => DeclarationKind::ParameterAssignment,
        Statement::ExtensionDeclaration(_)
        | Statement::ExtensionConfigAssignment(_)
        | Statement::CompileTimeImportDeclaration(_)
        | Statement::TargetScope(_)
        | Statement::UsingDeclaration(_)
        | Statement::ExtendsDeclaration(_)
        | Statement::MissingDeclaration(_)
        | Statement::Skipped(_) => return None,
    };
    let token = crate::check::declared_name(statement)?.0.token()?;
    Some((token.text(), kind, token.span()))
}
