//! Template JSON: the expression language, its functions, and the text and hash of templates.
//!
//! - [`Value`] is the JSON value that expressions work with.
//! - [`expression`] reads and prints expressions.
//! - [`evaluate`] evaluates them, wholly or as far as possible, with the [`functions`] of the language.
//! - [`template`] reads templates and says all that is wrong with them.
//! - [`binding`] gives values to their parameters and holds them against their types.
//! - [`budget`] counts what all this may use of time and memory.
//! - [`deployment`] puts a template into its surroundings, plans it, and evaluates or predicts it.
//! - [`template_text`] writes template JSON byte for byte as the public compiler does.
//! - [`rest_time`] reads and writes times as the REST API does.
//! - [`template_hash`] computes `metadata._generator.templateHash`.
//!
//! ```
//! use arm::evaluate::{Void, evaluate};
//! use arm::expression::parse;
//!
//! let expression = parse("format('{0}-{1}', toLower('A'), add(1, 2))").unwrap();
//! assert_eq!(evaluate(&expression, &Void).unwrap().as_str(), Some("a-3"));
//! assert_eq!(expression.to_string(), "format('{0}-{1}', toLower('A'), add(1, 2))");
//! ```
//!
//! The crate knows no Bicep syntax, does no IO and never looks at the clock.

pub mod binding;
pub mod budget;
pub mod deployment;
pub mod evaluate;
pub mod expression;
pub mod functions;
pub mod hash;
mod provisioning_state;
pub mod rest_time;
pub mod template;
pub mod template_hash;
pub mod template_text;
pub mod value;

pub use crate::value::{Caseless, Object, ObjectBuilder, Value, folded};
pub use contract::MASK;
pub use evaluate::{Environment, EvaluateError, Evaluator, Reduced};
pub use expression::{Expression, TemplateString};
pub use provisioning_state::{PROVISIONING_STATE, ProvisioningState};
