//! Template JSON as text, byte for byte as the public compiler writes it.
//!
//! Two spaces of indentation, `\n` between lines and none at the end, `{}` and `[]` for empty containers, and
//! no more escapes than needed. The compact form, without any white space, is what gets hashed and what
//! `string()` returns. A [`Writer`] takes one event after the other and hands text to a [`Sink`] at once.

mod compact;
mod escape;
mod layered;
mod number;
mod writer;

use contract::View;

pub use compact::compacted;
pub(crate) use compact::key_length;
pub(crate) use escape::write_quoted;
pub(crate) use layered::HOLE;
pub use layered::Layered;
pub(crate) use number::double;
pub use number::general;
pub use writer::{Layout, Sink, Writer};

use crate::Value;

/// A value as compact JSON.
pub(crate) fn compact(value: &Value) -> String {
    let mut writer = Writer::new(String::new(), Layout::Compact);
    writer.value(value.view());
    writer.finish()
}

/// A value as indented JSON, without a newline at the end.
pub fn indented<'v, V: View<'v>>(view: V) -> String {
    let mut writer = Writer::new(String::new(), Layout::Indented);
    writer.value(view);
    writer.finish()
}
