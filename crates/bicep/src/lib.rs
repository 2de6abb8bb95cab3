//! The meaning of Bicep.
//!
//! [`Compiler`] reads files through a [`World`] and makes a [`Compilation`] of each: what is wrong with it, and its template.
//! Nothing here touches the machine, and nothing evaluates a template. A compiler and all that it hands out can be shared
//! between threads.
//!
//! ```
//! use std::sync::Arc;
//! use bicep::{Compiler, FilePath, Generator, MemoryWorld, CompilerOptions};
//!
//! let world = MemoryWorld::default().with_file("/main.bicep", "param name string\noutput hello string = 'hello ${name}'\n");
//! let generator = Generator { name: "bicep".into(), version: "dev".into() };
//! let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
//! let compilation = compiler.compile(&FilePath::new("/main.bicep"));
//! assert!(!compilation.has_errors());
//! assert!(compilation.template.is_some_and(|template| template.contains("format('hello {0}', parameters('name'))")));
//! ```

mod artifacts;
mod check;
pub mod codes;
mod compiler;
mod config;
mod constant_validation;
mod content;
mod decorators;
pub mod editor;
mod emit;
pub mod files;
mod finding;
pub mod fixes;
mod functions;
mod language;
mod layout;
pub mod lint;
mod options;
mod origin;
mod overrides;
mod placeholders;
pub mod reference;
mod symbol_id;
mod symbols;
mod test_file;
mod types;
mod work;
mod world;

pub use artifacts::{Artifact, ArtifactState};
pub use compiler::{Compilation, Compiler, Using};
pub use config::{Config, InputsForm};
pub use finding::{Edit, Finding, Fix, Severity, Tag, UnlocatedFinding};
pub use language::{Dialect, Feature, Features, LANGUAGE_VERSION};
pub use options::{CompilerOptions, Generator};
pub use overrides::override_parameters;
pub use placeholders::{PlaceholderForm, PlaceholderSet};
pub(crate) use symbols::Model;
pub use test_file::{BodyMember, DeclaredAssert, DeclaredPart, DeclaredTest, TestFile};
pub use work::MAX_WORK;
pub use world::{EditedWorld, FilePath, MemoryWorld, World};
