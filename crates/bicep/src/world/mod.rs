//! The outside: paths, what lies at them, and what is fetched from registries. Nothing here knows what a file says.

mod edited;
mod machine;
mod path;
mod reference;

pub use edited::EditedWorld;
pub(crate) use machine::capitals_hint;
pub use machine::{FolderEntry, MemoryWorld, ReadError, RestoreFailure, World, with_other_capitals};
pub use path::FilePath;
pub use reference::{
    ArtifactVersion, MappedReference, Reference, RegistryReference, TemplateSpecReference, check_path,
};
