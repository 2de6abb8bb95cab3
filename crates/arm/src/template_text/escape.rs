//! Strings of templates: only what has to be escaped is, and the three line ends beyond ASCII.

use value::Escapes;

use super::Sink;

/// Writes text with double quotes around it.
#[inline]
pub(super) fn write_string(text: &str, sink: &mut impl Sink) {
    write_in_quotes(text, '"', sink);
}

/// Writes text with single quotes around it, as `format` shows the strings inside objects.
pub(crate) fn write_quoted(text: &str, sink: &mut impl Sink) {
    write_in_quotes(text, '\'', sink);
}

#[inline]
fn write_in_quotes(text: &str, quote: char, sink: &mut impl Sink) {
    let Ok(()) = value::write_quoted(text, quote, Escapes::LineEnds, |piece| {
        sink.put(piece);
        Ok::<(), std::convert::Infallible>(())
    });
}
