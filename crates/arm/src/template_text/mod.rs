//! Template JSON as text, byte for byte as the public compiler writes it.
//!
//! Two spaces of indentation, `\n` between lines and none at the end, `{}` and `[]` for empty containers, and
//! no more escapes than needed. The compact form, without any white space, is what gets hashed and what
//! `string()` returns. A [`TemplateWriter`] takes one event after the other and hands text to a [`Sink`] at once.

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
pub use writer::{JsonLayout, Sink, TemplateWriter};

/// A value as compact JSON.
pub(crate) fn compact<'v, V: View<'v>>(view: V) -> String {
    let mut writer = TemplateWriter::new(String::new(), JsonLayout::Compact);
    writer.value(view);
    writer.finish()
}

/// A value as indented JSON, without a newline at the end.
pub fn indented<'v, V: View<'v>>(view: V) -> String {
    let mut writer = TemplateWriter::new(String::new(), JsonLayout::Indented);
    writer.value(view);
    writer.finish()
}
