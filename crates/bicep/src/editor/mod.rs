//! Answers to the questions of an editor: what stands here, where does it come from, what could be written.
//!
//! Each question is a function in a file of its own that takes a [`Compiler`](crate::Compiler), the path of a file and
//! an offset in bytes, and gives plain values; who speaks a protocol converts them. An offset beyond the text is its
//! end, and a program with mistakes is answered as far as it can be understood.

mod causes;
pub mod completion;
mod cursor;
mod definition;
mod display;
mod folding;
mod hierarchy;
mod hints;
mod hover;
mod lenses;
mod links;
mod member;
mod name_at;
mod references;
mod rename;
mod selection;
mod signature;
mod symbols;
mod tokens;
mod uses;
mod workspace;
mod written_place;

pub use causes::followers;
pub use definition::{Definition, definition};
pub use folding::{Fold, FoldKind, folding};
pub use hierarchy::{ModuleCall, incoming_calls, outgoing_calls, prepare_call_hierarchy};
pub use hints::{HintKind, InlayHint, inlay_hints};
pub use hover::{Hover, hover};
pub use lenses::{CodeLens, PlanSize, code_lenses};
pub use links::{DocumentLink, document_links};
pub use references::{Highlight, Location, highlight, references};
pub use rename::{FileEdits, RenameError, prepare_rename, rename};
pub use selection::selection_ranges;
pub use signature::{SignatureHelp, SignatureText, signature_help};
pub use symbols::{DeclarationKind, DocumentSymbol, document_symbols};
pub use tokens::{SemanticKind, SemanticToken, semantic_tokens};
pub use uses::Access;
pub use workspace::{WorkspaceSymbol, workspace_symbols};
pub use written_place::written_place;
