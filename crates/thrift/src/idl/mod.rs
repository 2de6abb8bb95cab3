//! The interface language as text: tokens, grammar, syntax tree.
//!
//! [`parse`] accepts the union of what the Apache compiler, thriftgo and thriftpy2 accept, always returns a
//! tree, and knows nothing of other files: names are resolved in `model`. The tree
//! ([`IdlFile`] and below) owns its strings, so that it can also be built from something else than text.

mod annotation;
mod ast;
mod comment;
mod dialect;
mod format;
mod lexer;
mod literal;
mod parser;
mod token;

pub use annotation::{Annotation, Annotations};
pub use ast::{
    BaseType, Const, ConstKind, ConstValue, CppInclude, Definition, Enum, EnumValue, Field, Function, Header,
    IdlFile, IdlName, Include, Integer, Namespace, Requiredness, Service, StructKind, StructLike, Throws,
    TypeKind, TypeRef, Typedef, Xsd,
};
pub use comment::{Comment, CommentKind, Comments};
pub(crate) use dialect::judge;
pub use dialect::{DISAGREEMENTS, Disagreement, Strict};
pub use format::format;
pub use literal::{Literal, decode};

use crate::{Diagnostic, FileId};

/// How deep types, values and attribute lists may nest.
pub const MAX_DEPTH: usize = 64;

/// Parses a file.
///
/// The tree covers what could be understood; it is complete if no diagnostic is an error.
pub fn parse(file: FileId, text: &str, strict: Strict) -> (IdlFile, Vec<Diagnostic>) {
    parser::parse(file, text, strict)
}
