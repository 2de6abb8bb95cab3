//! Bicep text to a lossless, error-tolerant tree and back.
//!
//! [`parse`] never fails: it returns a tree that holds every byte of the text, and what is wrong with it. Start with
//! [`SyntaxTree::root`] for the plain tree, or with [`ast`] for typed views of it. The crate resolves no name and reads
//! no file. Positions are byte offsets; who shows them converts.
//!
//! ```
//! use syntax::{SourceKind, ast::{AstNode, Program, Statement}};
//!
//! let tree = syntax::parse("param name string = 'x'\n", SourceKind::Bicep);
//! assert!(tree.diagnostics().is_empty());
//! let program = Program::cast(tree.root()).into_iter().next();
//! let names: Vec<_> = program.into_iter().flat_map(Program::statements).filter_map(|statement| match statement {
//!     Statement::ParameterDeclaration(parameter) => Some(parameter.name().text()),
//!     _ => None,
//! }).collect();
//! assert_eq!(names, ["name"]);
//! ```

pub mod ast;
mod diagnostics;
pub mod format;
mod grammar;
mod kind;
mod lexer;
pub mod literal;
mod parser;
mod print;
mod span;
pub mod spelling;
#[cfg(test)]
mod testing;
mod token;
mod tree;
mod trivia;

pub use diagnostics::{Arg, Code, Severity, SyntaxDiagnostic};
pub use kind::NodeKind;
pub use span::Span;
pub use token::{Token, TokenFlags, TokenKind, Trivia, TriviaKind};
pub use tree::{NodeId, SyntaxElement, SyntaxNode, SyntaxToken, SyntaxTree, TokenId};
pub use trivia::{Pieces, Pragma};

use std::sync::Arc;

/// The largest text that is read, in bytes. Beyond it positions would not fit the tree.
pub const MAX_SOURCE_LEN: usize = 1 << 28;

/// How deep expressions, types and bodies can be nested in each other.
pub const MAX_NESTING: u32 = 250;

/// How many nodes can lie on a way from an expression or type down to a token. Chains such as `a + b + c` grow
/// in height without being nested.
pub const MAX_HEIGHT: u16 = 1000;

/// Which language a text is in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SourceKind {
    /// A template, in a file that ends in `.bicep`.
    Bicep,
    /// Parameters for a template, `.bicepparam`.
    Params,
}

/// Reads `text` as a program of the given kind.
#[must_use]
pub fn parse(text: impl Into<Arc<str>>, kind: SourceKind) -> SyntaxTree {
    parser::parse(text.into(), kind)
}
