//! No reader sees a value that was not checked: the validator of messages, held against other people's readers.
//!
//! [`schemas`] are the interface files in `idl`. For each of them [`values`] makes messages that keep the rules,
//! [`mutate`] breaks them in every way that the wire allows, [`tree`] and [`json`] write both. What the validator lets pass is
//! given to the readers of [`readers`], each a program in its own language with types that another compiler made. It
//! decodes the messages and asks the validation code that Tendon generates for that language. [`run`] does all of
//! that and counts. A reader may refuse a message; it must never hold a value that breaks a rule.
//!
//! [`random`], [`tools`] and [`arguments`] are also what `thrift-servers` is made with.

pub mod arguments;
pub mod json;
pub mod mutate;
pub mod random;
pub mod readers;
pub mod run;
pub mod schemas;
pub mod tools;
pub mod tree;
pub mod values;

/// What went wrong, in words.
pub type Result<T = ()> = std::result::Result<T, String>;

/// Says an error, and where it happened.
pub fn said<E: std::fmt::Display>(place: impl std::fmt::Display) -> impl FnOnce(E) -> String {
    move |error| format!("{place}: {error}")
}
