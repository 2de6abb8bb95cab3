//! Giving a declaration another name, wherever it is named.

use std::sync::Arc;

use syntax::spelling::{is_identifier, is_name};
use syntax::{NodeKind, Span};

use super::cursor::{Cursor, name_spans};
use super::member::{Entity, member_of};
use super::name_at::{NameTarget, ResolvedName};
use super::references::files_that_name;
use super::uses::{Use, local_uses, uses};
use crate::symbols::{Binding, Model, ScopeId, ScopeKind, Symbol, SymbolId, SymbolKind};
use crate::{Compiler, FilePath};

/// The most characters of a name.
const MAX_NAME: usize = 255;

/// What a rename changes in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdits {
    /// The file that is to be edited.
    pub path: FilePath,
    /// What is replaced by what, by position.
    pub edits: Vec<(Span, String)>,
}

/// Why something cannot be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameError {
    /// Nothing at the place has a name of its own.
    NotRenameable,
    /// It is declared in a file that is not written in Bicep, or not by the user.
    DeclaredElsewhere(FilePath),
    /// The new name is not an identifier.
    NotAnIdentifier(String),
    /// The new name is a value, such as `true`.
    Literal(String),
    /// The new name has more characters than a name may have.
    TooLong,
    /// The new name is taken where the old one is used.
    Taken {
        /// The new name, which is taken.
        name: String,
        /// The file in which it is taken.
        path: FilePath,
    },
}

impl std::fmt::Display for RenameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RenameError::NotRenameable => f.write_str("there is no name here that can be changed"),
            RenameError::DeclaredElsewhere(path) => {
                write!(f, "the name is declared in `{path}`, which cannot be changed from here")
            }
            RenameError::NotAnIdentifier(name) => {
                write!(f, "`{name}` is not an identifier: use letters, digits and `_`, and no digit first")
            }
            RenameError::Literal(name) => write!(f, "`{name}` is a value, and cannot be a name"),
            RenameError::TooLong => write!(f, "the name is longer than {MAX_NAME} characters"),
            RenameError::Taken { name, path } => {
                write!(f, "`{name}` already means something else in `{path}`")
            }
        }
    }
}

impl std::error::Error for RenameError {}

/// The name at an offset, if it can be changed, and where it stands.
pub fn prepare_rename(
    compiler: &Compiler,
    path: &FilePath,
    offset: u32,
) -> Result<(Span, String), RenameError> {
    let model = compiler.model(path).map_err(|_| RenameError::NotRenameable)?;
    let (named, _) = renamed(&model, offset)?;
    Ok((named.span, named.span.text(model.file.tree.text()).to_owned()))
}

/// What changes when the name at an offset is changed everywhere: in the file and in `workspace`.
pub fn rename<'w>(
    compiler: &Compiler,
    path: &FilePath,
    offset: u32,
    new_name: &str,
    workspace: impl IntoIterator<Item = &'w FilePath>,
) -> Result<Vec<FileEdits>, RenameError> {
    let model = compiler.model(path).map_err(|_| RenameError::NotRenameable)?;
    let (_, what) = renamed(&model, offset)?;
    if !is_identifier(new_name) {
        return Err(RenameError::NotAnIdentifier(new_name.to_owned()));
    }
    if !is_name(new_name) {
        return Err(RenameError::Literal(new_name.to_owned()));
    }
    if new_name.len() > MAX_NAME {
        return Err(RenameError::TooLong);
    }
    let entity = match what {
        RenameTarget::Local(symbol) => {
            check_free(&model, Some(symbol), &local_uses(&model, symbol), new_name)?;
            return Ok(vec![FileEdits { path: path.clone(), edits: local_edits(&model, symbol, new_name) }]);
        }
        RenameTarget::Everywhere(entity) => entity,
    };
    let mut all = Vec::new();
    for file in files_that_name(compiler, &entity.model.file.path, path, workspace) {
        let Ok(model) = compiler.model(file) else { continue };
        let mut named = uses(&model, &entity);
        named.retain(|it| !it.is_alias);
        if named.is_empty() {
            continue;
        }
        let here =
            if *file == entity.model.file.path { Some(entity.symbol) } else { stand_in(&model, &entity) };
        check_free(&model, here, &named, new_name)?;
        let edits = named.into_iter().map(|it| (it.span, new_name.to_owned())).collect();
        all.push(FileEdits { path: file.clone(), edits });
    }
    Ok(all)
}

/// What a rename changes.
enum RenameTarget {
    /// A name that only this file knows.
    Local(SymbolId),
    /// A declaration that other files may name.
    Everywhere(Entity),
}

fn renamed(model: &Arc<Model>, offset: u32) -> Result<(ResolvedName, RenameTarget), RenameError> {
    let cursor = Cursor::at(model, offset).ok_or(RenameError::NotRenameable)?;
    let named = cursor.named().ok_or(RenameError::NotRenameable)?;
    let what = match &named.target {
        NameTarget::Symbol(symbol) => match model.symbol(*symbol).kind {
            SymbolKind::This | SymbolKind::Base => return Err(RenameError::NotRenameable),
            // Without an alias, the name of an extension is that of the configuration.
            SymbolKind::Extension if !has_alias(model, *symbol) => return Err(RenameError::NotRenameable),
            SymbolKind::Imported(_) | SymbolKind::ParameterAssignment | SymbolKind::Inherited => {
                let elsewhere = member_of(model, *symbol);
                match elsewhere.as_ref().and_then(|member| member.entity()) {
                    _ if name_spans(model, *symbol).len() > 1 => RenameTarget::Local(*symbol),
                    Some(entity) => RenameTarget::Everywhere(entity),
                    // Of a template, a name can still be imported as another one.
                    None if matches!(model.symbol(*symbol).kind, SymbolKind::Imported(_)) => {
                        RenameTarget::Local(*symbol)
                    }
                    None => return Err(foreign(elsewhere.as_ref())),
                }
            }
            kind if kind.is_local() => RenameTarget::Local(*symbol),
            _ => RenameTarget::Everywhere(Entity { model: Arc::clone(model), symbol: *symbol }),
        },
        NameTarget::Member(member) => {
            RenameTarget::Everywhere(member.entity().ok_or_else(|| foreign(Some(member)))?)
        }
        NameTarget::Function(_) | NameTarget::File(_) => return Err(RenameError::NotRenameable),
    };
    Ok((named, what))
}

fn foreign(member: Option<&super::member::Member>) -> RenameError {
    member.map_or(RenameError::NotRenameable, |member| {
        RenameError::DeclaredElsewhere(member.target.path().clone())
    })
}

fn has_alias(model: &Model, symbol: SymbolId) -> bool {
    model.node_of(symbol).child_nodes().any(|child| child.kind() == NodeKind::AliasAsClause)
}

/// The edits of a name that only one file knows. What is imported under its own name gets an alias.
fn local_edits(model: &Model, symbol: SymbolId, new_name: &str) -> Vec<(Span, String)> {
    let adds_alias =
        matches!(model.symbol(symbol).kind, SymbolKind::Imported(_)) && !has_alias(model, symbol);
    let declared = super::cursor::name_span(model, symbol);
    let edits = local_uses(model, symbol).into_iter().map(|it| {
        if adds_alias && Some(it.span) == declared {
            let old = it.span.text(model.file.tree.text());
            return (it.span, format!("{old} as {new_name}"));
        }
        (it.span, new_name.to_owned())
    });
    edits.collect()
}

/// The symbol that stands for a declaration of another file.
fn stand_in(model: &Model, entity: &Entity) -> Option<SymbolId> {
    let declarations = &model.declarations;
    let all = declarations.imported.iter().chain(&declarations.assignments);
    all.copied().find(|symbol| {
        member_of(model, *symbol).and_then(|member| member.entity()).is_some_and(|it| it.is(entity))
    })
}

/// Tells whether a new name still means what the old one did: it must not be declared in the same scope, nor between
/// a use and the declaration; and no other use of the new name may come to mean what is renamed.
fn check_free(model: &Model, symbol: Option<SymbolId>, named: &[Use], new: &str) -> Result<(), RenameError> {
    let taken = || RenameError::Taken { name: new.to_owned(), path: model.file.path.clone() };
    let Some(symbol) = symbol else { return Ok(()) };
    let declared = model.symbol(symbol);
    if declared.kind.can_be_referenced()
        && (model.namespaces.named(new).is_some() || hides_built_in(model, declared, new))
    {
        return Err(taken());
    }
    let namesakes = model.symbols().filter(|(id, other)| {
        *id != symbol
            && other.name == new
            && other.kind.can_be_referenced() == declared.kind.can_be_referenced()
            && (declared.kind.can_be_referenced() || other.kind == declared.kind)
    });
    for (id, other) in namesakes {
        if other.scope == declared.scope {
            return Err(taken());
        }
        // The name is declared further inside: no use may be there.
        let inside = region(model, other.scope);
        if encloses(model, declared.scope, other.scope) && named.iter().any(|it| inside.encloses(it.span)) {
            return Err(taken());
        }
        // The name is declared further outside: it may not be used where the renamed one would hide it.
        let own = region(model, declared.scope);
        if encloses(model, other.scope, declared.scope)
            && local_uses(model, id).iter().any(|it| own.encloses(it.span))
        {
            return Err(taken());
        }
    }
    Ok(())
}

/// Tells whether a type or function of the language that the file uses would be hidden by a declaration of that name.
fn hides_built_in(model: &Model, declared: &Symbol, name: &str) -> bool {
    let is_hidden = |binding: Binding| match binding {
        Binding::Ambient(ambient) => ambient.name() == name,
        Binding::Function(function) => declared.kind == SymbolKind::Function && function.name == name,
        Binding::None
        | Binding::Symbol(_)
        | Binding::Decorator(_)
        | Binding::DeclaredDecorator(_)
        | Binding::ExtensionFunction
        | Binding::Namespace(_)
        | Binding::Unresolved => false,
    };
    let own = model.file.node(model.scope(declared.scope).binding);
    // With its namespace, it is still found.
    own.subtree()
        .any(|node| node.kind() != NodeKind::InstanceFunctionCall && is_hidden(model.binding(node.id())))
}

fn region(model: &Model, scope: ScopeId) -> Span {
    model.file.node(model.scope(scope).binding).span()
}

/// Tells whether a scope lies in another one.
fn encloses(model: &Model, outer: ScopeId, inner: ScopeId) -> bool {
    model.scope(outer).kind == ScopeKind::File || region(model, outer).encloses(region(model, inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompilerOptions, Generator, MemoryWorld};

    /// Why what is called `old` in a program cannot get another name; nothing if it can.
    fn refusal(program: &str, new_name: &str) -> String {
        let path = FilePath::new("/main.bicep");
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let world = MemoryWorld::default().with_file("/main.bicep", program);
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let offset = program.find("old").unwrap();
        match rename(&compiler, &path, u32::try_from(offset).unwrap(), new_name, []) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn values_and_names_that_are_too_long_are_refused() {
        let program = "param old string\noutput o string = old\n";
        assert_eq!(refusal(program, "null"), "`null` is a value, and cannot be a name");
        assert_eq!(refusal(program, &"n".repeat(255)), "");
        assert_eq!(refusal(program, &"n".repeat(256)), "the name is longer than 255 characters");
        // Words that are only special in their places are names.
        assert_eq!(refusal(program, "param"), "");
    }

    #[test]
    fn what_the_language_itself_means_by_a_name_is_not_hidden() {
        let taken = |name: &str| format!("`{name}` already means something else in `/main.bicep`");
        let program = "param old string\noutput o string = sys.concat(toLower(old), 'x')\n";
        assert_eq!(refusal(program, "string"), taken("string"));
        assert_eq!(refusal(program, "az"), taken("az"));
        assert_eq!(refusal(program, "int"), "");
        // Variables and functions do not get into each other's way.
        assert_eq!(refusal(program, "toLower"), "");
        let program = "func old(s string) string => s\noutput o string = old(toLower(sys.concat('X')))\n";
        assert_eq!(refusal(program, "toLower"), taken("toLower"));
        assert_eq!(refusal(program, "concat"), "");
        // What only has a name for others hides nothing.
        assert_eq!(refusal("output old string = 'x'\n", "string"), "");
    }
}
