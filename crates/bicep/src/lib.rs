//! The meaning of Bicep.
//!
//! [`Compiler`] reads files through a [`World`] and gives each one's [`Model`]: what its names mean, which files it
//! refers to, and which resources and modules it declares. Nothing here touches the machine, and nothing evaluates a
//! template. A compiler and all that it hands out can be shared between threads.
//!
//! ```
//! use std::sync::Arc;
//! use bicep::{Compiler, FilePath, Generator, MemoryWorld, Options};
//!
//! let world = MemoryWorld::default().with_file("/main.bicep", "param name string\nvar hello = 'hello ${name}'\n");
//! let generator = Generator { name: "bicep".into(), version: "dev".into() };
//! let compiler = Compiler::new(Arc::new(world), Options { generator, az_types: None, symbolic_names: false });
//! let model = compiler.model(&FilePath::new("/main.bicep")).map_err(|fault| fault.message)?;
//! assert_eq!(model.symbol(model.declarations.variables[0]).name, "hello");
//! # Ok::<(), std::borrow::Cow<'static, str>>(())
//! ```

pub mod check;
pub mod codes;
mod compiler;
pub mod config;
pub mod decorators;
mod emit;
pub mod files;
mod finding;
pub mod functions;
mod inputs;
pub mod lint;
mod origin;
mod overrides;
pub mod reference;
pub mod symbols;
mod template_model;
pub mod types;
mod work;

pub use compiler::{Compilation, Compiler, Generator, Options, Using};
pub use config::Config;
pub use files::{FilePath, MemoryWorld, World};
pub use finding::{Fault, Finding, Severity};
pub use inputs::{ExternalInput, external_inputs, with_inputs};
pub use overrides::override_parameters;
pub use symbols::Model;
pub use template_model::{TemplateModel, TemplateOutput, TemplateParameter};
pub use work::MAX_WORK;
