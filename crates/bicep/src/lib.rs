//! The meaning of Bicep.
//!
//! [`Compiler`] reads files through a [`World`] and makes a [`Compilation`] of each: what is wrong with it, and its template.
//! Nothing here touches the machine, and nothing evaluates a template. A compiler and all that it hands out can be shared
//! between threads.
//!
//! ```
//! use std::sync::Arc;
//! use bicep::{Compiler, FilePath, Generator, MemoryWorld, Options};
//!
//! let world = MemoryWorld::default().with_file("/main.bicep", "param name string\noutput hello string = 'hello ${name}'\n");
//! let generator = Generator { name: "bicep".into(), version: "dev".into() };
//! let compiler = Compiler::new(Arc::new(world), Options::new(generator));
//! let compilation = compiler.compile(&FilePath::new("/main.bicep"));
//! assert!(!compilation.has_errors());
//! assert!(compilation.template.is_some_and(|template| template.contains("format('hello {0}', parameters('name'))")));
//! ```

mod artifacts;
mod check;
pub mod codes;
mod compiler;
mod config;
mod decorators;
mod early;
pub mod editor;
mod emit;
pub mod files;
mod finding;
pub mod fixes;
mod functions;
mod inputs;
mod layout;
pub mod lint;
mod origin;
mod overrides;
mod placeholders;
pub mod reference;
mod symbols;
mod template_model;
mod types;
mod work;

pub use artifacts::{Artifact, ArtifactState};
pub use compiler::{Compilation, Compiler, Dialect, Generator, Options, Using};
pub use config::{Config, Feature, Features};
pub use files::{FilePath, MemoryWorld, World};
pub use finding::{Edit, Fault, Finding, Fix, Severity, Tag};
pub use inputs::InputsForm;
pub use overrides::override_parameters;
pub use placeholders::{PlaceholderForm, PlaceholderSet};
pub(crate) use symbols::Model;
pub use work::MAX_WORK;
