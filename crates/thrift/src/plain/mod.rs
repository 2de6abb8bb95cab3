//! Plain JSON: values of Thrift types as people and web services write them, fields by name.
//!
//! This is not the protocol that carries messages as JSON ([`crate::wire`]), which has numbers for fields and says
//! the type of everything. Here types come from the IDL: a [`Reader`] goes over a value with the type it should
//! have, and gives back a [`Plain`] value that contracts are checked on, with what does not fit the type beside it.
//!
//! | type | JSON |
//! |---|---|
//! | `bool` | `true`, `false` |
//! | `i8` to `i64` | a whole number; an `i64` also as text, for readers that have nothing but doubles |
//! | `double` | a number; `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | `string` | text |
//! | `binary` | text in base64, either alphabet, with or without padding |
//! | `uuid` | text such as `"01234567-89ab-cdef-0123-456789abcdef"` |
//! | an enum | the name of a member, or a number |
//! | `list`, `set` | an array |
//! | `map` | an object, keys as text; or, for keys of any type, an array of `[key, value]` or of `{"key": .., "value": ..}` |
//! | a struct, union or exception | an object with members by name; `null` is the same as nothing |
//!
//! `read` walks, `scalar` knows what has no parts, `value` is what comes out, `secret` hides what nobody may see of it.

mod read;
mod scalar;
mod secret;
mod value;

pub use read::{Reader, UnknownFields};
pub use value::Plain;
