//! Files: how they are named, read and found, and what they refer to.

mod cells;
pub(crate) mod content;
mod dependents;
mod graph;
mod locate;
mod module_index;
mod path;
mod reference;
mod source;
mod world;

pub(crate) use cells::Cells;
pub(crate) use dependents::Dependents;
pub use graph::{Closure, Loaded};
pub(crate) use locate::RegistryModule;
pub use locate::{Mirror, Places};
pub(crate) use module_index::ModuleIndex;
pub use path::FilePath;
pub use reference::{
    ArtifactVersion, MappedReference, Reference, RegistryReference, TemplateSpecReference, check_path,
};
pub use source::{
    BicepFile, FileReference, FileTarget, ImplicitExtension, ReferenceKind, SourceFile, TemplateFile,
};
pub(crate) use world::capitals_hint;
pub use world::{Entry, MemoryWorld, ReadError, RestoreFailure, World, with_other_capitals};
