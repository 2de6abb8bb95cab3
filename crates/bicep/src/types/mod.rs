//! Types: the scopes that resources live in, and the types that declarations are given.

mod scopes;

pub use scopes::Scopes;
