//! Names and what they mean: declarations, scopes, and the binding of every use to its declaration.
//!
//! [`Model`] is a file with all of that worked out. Start with [`Model::binding`] to ask what a node means, and with
//! [`Model::declarations`] for what the file declares.

mod bind;
mod cycles;
mod deciding;
mod declare;
mod exports;
mod extensions;
mod imports;
mod model;
mod namespaces;
mod resources;
mod secrets;
mod template_model;
mod usage;

pub(crate) use deciding::Deciding;
pub(crate) use exports::ExportKind;
pub(crate) use extensions::AZURE;
pub(crate) use extensions::{Extension, ExtensionFunction};
pub(crate) use imports::{Imported, ImportedItem, ModuleTarget};
pub(crate) use model::Build;
pub(crate) use model::{CallSyntax, Declarations, Model};
pub(crate) use namespaces::Namespaces;
pub(crate) use resources::{Ancestor, BodyNodes, Module, Resource, ResourceId};
pub(crate) use template_model::{TemplateModel, referenced};

use smol_str::SmolStr;
use syntax::NodeId;

use crate::decorators::Decorator;
use crate::functions::Function;
pub(crate) use crate::symbol_id::SymbolId;
use crate::types::{Ambient, BuiltIn};

/// Names a scope of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ScopeId(pub(crate) u32);

/// Something that has a name in a file.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    /// Which statement or construct declares it.
    pub kind: SymbolKind,
    pub name: SmolStr,
    /// The node of the declaration in the tree of its file.
    pub node: NodeId,
    /// The scope it is declared in.
    pub scope: ScopeId,
}

/// The kinds of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SymbolKind {
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
    /// `param` with a value, in a parameters file
    ParameterAssignment,
    /// `extensionConfig`, in a parameters file
    ExtensionConfig,
    WildcardImport,
    /// An item of an import list; the number is its place in [`Model::imported`].
    Imported(u32),
    /// An item of an import that cannot be had.
    FailedImport,
    /// The item of a loop.
    LoopItem,
    /// The index of a loop.
    LoopIndex,
    /// The parameter of a lambda.
    LambdaParameter,
    /// The parameter of a function.
    FunctionParameter,
    /// `this` in the body of a resource.
    This,
    /// `base` in a parameters file that extends another.
    Base,
    /// A parameter whose value another parameters file gives.
    Inherited,
}

impl SymbolKind {
    /// Tells whether expressions can refer to symbols of this kind.
    #[must_use]
    pub(crate) const fn can_be_referenced(self) -> bool {
        !matches!(self, SymbolKind::Output | SymbolKind::Metadata)
    }

    /// Tells whether a statement of this file declares the symbol, with a value or a type.
    #[must_use]
    pub(crate) const fn is_declaration(self) -> bool {
        matches!(
            self,
            SymbolKind::Metadata
                | SymbolKind::Parameter
                | SymbolKind::Variable
                | SymbolKind::Type
                | SymbolKind::Function
                | SymbolKind::Resource
                | SymbolKind::Module
                | SymbolKind::Test
                | SymbolKind::Output
                | SymbolKind::Assert
                | SymbolKind::ParameterAssignment
                | SymbolKind::Extension
                | SymbolKind::ExtensionConfig
        )
    }

    /// Tells whether the symbol exists only inside an expression or body.
    #[must_use]
    pub(crate) const fn is_local(self) -> bool {
        matches!(
            self,
            SymbolKind::LoopItem
                | SymbolKind::LoopIndex
                | SymbolKind::LambdaParameter
                | SymbolKind::FunctionParameter
        )
    }
}

/// A region in which names are declared.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// What makes the region.
    pub kind: ScopeKind,
    /// The region around it.
    pub parent: Option<ScopeId>,
    /// The node that declares its names: the program, resource, loop, lambda or function.
    pub declaring: NodeId,
    /// The node in which its names can be used.
    pub binding: NodeId,
    /// Its symbols, in the order of their declaration.
    pub symbols: Vec<SymbolId>,
}

/// What makes a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ScopeKind {
    File,
    /// The body of a resource.
    Resource,
    /// The body of a loop.
    Loop,
    /// The body of a lambda.
    Lambda,
    /// The body of a function, which sees functions and variables only.
    Function,
}

/// What a node means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Binding {
    /// Nothing: the node is not a name.
    #[default]
    None,
    /// A symbol of the file.
    Symbol(SymbolId),
    Function(&'static Function),
    Decorator(&'static Decorator),
    /// A decorator that is declared outside the language; the number is its place in [`Model::declared`].
    DeclaredDecorator(u32),
    /// A function that an extension brings.
    ExtensionFunction,
    Namespace(BuiltIn),
    /// A built-in type, such as `string`.
    Ambient(Ambient),
    /// A name that means nothing; the finding says why.
    Unresolved,
}

impl Binding {
    /// The symbol, if it is one.
    #[must_use]
    pub(crate) const fn symbol(self) -> Option<SymbolId> {
        match self {
            Binding::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The function, if it is one.
    #[must_use]
    pub(crate) const fn function(self) -> Option<&'static Function> {
        match self {
            Binding::Function(function) => Some(function),
            _ => None,
        }
    }
}
