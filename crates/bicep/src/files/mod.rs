//! Files: how they are named, read and found, and what they refer to.

mod cells;
mod dependents;
mod graph;
mod locate;
mod module_index;
mod reference;
mod source;

pub(crate) use cells::Cells;
pub(crate) use dependents::Dependents;
pub use graph::{Closure, SourceResult};
pub use locate::Places;
pub(crate) use module_index::ModuleIndex;
pub use source::{
    BicepFile, FileReference, FileTarget, ImplicitExtension, ReferenceKind, SourceFile, TemplateFile,
};

pub use crate::config::Mirror;
pub use crate::world::{
    ArtifactVersion, FilePath, FolderEntry, MappedReference, MemoryWorld, ReadError, Reference,
    RegistryReference, RestoreFailure, TemplateSpecReference, World, check_path, with_other_capitals,
};
