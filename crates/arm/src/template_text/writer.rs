//! The writer: one event at a time, no memory of what was written but the depth.

use contract::{Node, View};

use super::{escape, number};

/// Where text goes: a string, bytes, a hash.
pub trait Sink {
    /// Takes the next piece of text.
    fn put(&mut self, text: &str);

    /// Takes one ASCII character.
    fn put_ascii(&mut self, character: u8);
}

impl Sink for String {
    #[inline]
    fn put(&mut self, text: &str) {
        self.push_str(text);
    }

    #[inline]
    fn put_ascii(&mut self, character: u8) {
        self.push(char::from(character));
    }
}

impl Sink for Vec<u8> {
    #[inline]
    fn put(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn put_ascii(&mut self, character: u8) {
        self.push(character);
    }
}

/// How the parts of a text are set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLayout {
    /// A line for each member and element, indented by two spaces.
    Indented,
    /// No white space at all.
    Compact,
}

/// Writes JSON to a [`Sink`].
///
/// The caller says what comes, in order: [`begin_object`](TemplateWriter::begin_object), then [`key`](TemplateWriter::key) and a
/// value by turns, then [`end_object`](TemplateWriter::end_object). Events in any other order give text that is not JSON.
#[derive(Debug)]
pub struct TemplateWriter<S> {
    sink: S,
    layout: JsonLayout,
    depth: usize,
    /// Whether nothing was written yet in the container that is open.
    first: bool,
    after_key: bool,
    /// Holds a string that is being put together.
    scratch: String,
}

impl<S: Sink> TemplateWriter<S> {
    /// Starts a text that ends up in a sink.
    pub fn new(sink: S, layout: JsonLayout) -> TemplateWriter<S> {
        TemplateWriter { sink, layout, depth: 0, first: true, after_key: false, scratch: String::new() }
    }

    /// Ends the text and gives the sink back.
    pub fn finish(self) -> S {
        self.sink
    }

    /// What was written so far.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// Opens an object, as a value or the value of a member.
    pub fn begin_object(&mut self) {
        self.open(b'{');
    }

    /// Closes the object that is open.
    pub fn end_object(&mut self) {
        self.close(b'}');
    }

    /// Opens an array, as a value or the value of a member.
    pub fn begin_array(&mut self) {
        self.open(b'[');
    }

    /// Closes the array that is open.
    pub fn end_array(&mut self) {
        self.close(b']');
    }

    /// Writes the name of the member that comes next.
    pub fn key(&mut self, name: &str) {
        self.separate();
        escape::write_string(name, &mut self.sink);
        self.sink.put_ascii(b':');
        if self.layout == JsonLayout::Indented {
            self.sink.put_ascii(b' ');
        }
        self.after_key = true;
    }

    /// Writes a string, as it is: text of a template is escaped by `expression::escape_text`.
    pub fn string(&mut self, text: &str) {
        self.separate();
        escape::write_string(text, &mut self.sink);
    }

    /// Writes a string that is put together for it, in a buffer that is used again.
    pub(crate) fn string_of(&mut self, put_together: impl FnOnce(&mut String)) {
        self.separate();
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        put_together(&mut scratch);
        escape::write_string(&scratch, &mut self.sink);
        self.scratch = scratch;
    }

    /// Writes an integer in decimal.
    pub fn int(&mut self, value: i64) {
        self.raw(&value.to_string());
    }

    /// Writes a truth value.
    pub fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes `null` as a value.
    pub fn null(&mut self) {
        self.raw("null");
    }

    /// Writes what stands for a template that is written on its own; returns how deep it is, for [`Layered`](super::Layered).
    pub fn hole(&mut self) -> usize {
        self.raw(super::HOLE);
        self.depth
    }

    /// Writes a value with all it contains.
    pub fn value<'v, V: View<'v>>(&mut self, view: V) {
        let mut open: Vec<Rest<'v, V>> = Vec::new();
        let mut next = Some(view);
        while let Some(view) = next {
            match view.node() {
                // Nothing that is not known is stored or sent; in a message it has no value yet.
                Node::Null | Node::Unknown => self.null(),
                Node::Bool(value) => self.bool(value),
                Node::Int(value) => self.int(value),
                Node::UInt(value) => self.raw(&value.to_string()),
                Node::Float(value) if value.is_finite() => self.raw(&number::double(value)),
                // JSON has no number for it; .NET writes its name as text.
                Node::Float(value) => self.string(&number::double(value)),
                Node::Decimal(literal) => self.raw(literal),
                Node::Text(text) => self.string(text),
                Node::Bytes(bytes) => self.string(&String::from_utf8_lossy(bytes)),
                Node::List(_) => {
                    self.begin_array();
                    open.push(Rest::Items(view.items()));
                }
                Node::Object(_) => {
                    self.begin_object();
                    open.push(Rest::Members(view.members()));
                }
            }
            next = self.next(&mut open);
        }
    }

    /// The next value of the containers that are open; closes those that end.
    fn next<'v, V: View<'v>>(&mut self, open: &mut Vec<Rest<'v, V>>) -> Option<V> {
        while let Some(rest) = open.last_mut() {
            match rest {
                Rest::Items(items) => match items.next() {
                    Some(item) => return Some(item),
                    None => self.end_array(),
                },
                Rest::Members(members) => match members.next() {
                    Some((key, value)) => {
                        self.key(if let Node::Text(name) = key.node() { name } else { "" });
                        return Some(value);
                    }
                    None => self.end_object(),
                },
            }
            open.pop();
        }
        None
    }

    fn raw(&mut self, text: &str) {
        self.separate();
        self.sink.put(text);
    }

    fn open(&mut self, bracket: u8) {
        self.separate();
        self.sink.put_ascii(bracket);
        self.depth += 1;
        self.first = true;
    }

    fn close(&mut self, bracket: u8) {
        self.depth = self.depth.saturating_sub(1);
        if !self.first {
            self.line();
        }
        self.sink.put_ascii(bracket);
        self.first = false;
    }

    /// Writes what stands between the last part and the next.
    #[inline]
    fn separate(&mut self) {
        if self.after_key {
            self.after_key = false;
            return;
        }
        if self.depth > 0 {
            if !self.first {
                self.sink.put_ascii(b',');
            }
            self.line();
        }
        self.first = false;
    }

    #[inline]
    fn line(&mut self) {
        const LINE: &str =
            "\n                                                                                ";
        if self.layout == JsonLayout::Compact {
            return;
        }
        let mut blanks = 2 * self.depth;
        let first = blanks.min(LINE.len() - 1);
        self.sink.put(LINE.get(..=first).unwrap_or(LINE));
        blanks -= first;
        while blanks > 0 {
            let some = blanks.min(LINE.len() - 1);
            self.sink.put(LINE.get(1..=some).unwrap_or_default());
            blanks -= some;
        }
    }
}

/// What is still to be written of a container.
enum Rest<'v, V: View<'v>> {
    Items(V::Items),
    Members(V::Members),
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::super::{compact, indented};
    use super::*;
    use crate::Value;

    #[test]
    fn members_and_elements_have_lines_of_their_own() {
        let mut writer = TemplateWriter::new(Vec::new(), JsonLayout::Indented);
        writer.begin_object();
        writer.key("a");
        writer.begin_array();
        writer.int(-1);
        writer.begin_object();
        writer.end_object();
        writer.begin_array();
        writer.end_array();
        writer.end_array();
        writer.key("b \"c\"");
        writer.bool(true);
        writer.key("d");
        writer.null();
        writer.end_object();
        let text = String::from_utf8(writer.finish()).unwrap();
        assert_eq!(
            text,
            "{\n  \"a\": [\n    -1,\n    {},\n    []\n  ],\n  \"b \\\"c\\\"\": true,\n  \"d\": null\n}"
        );
    }

    #[test]
    fn a_document_that_the_public_compiler_wrote_comes_out_as_it_went_in() {
        let text = "{\n  \"a\": {\n    \"b\": [\n      1,\n      \"x\\ny\",\n      {}\n    ],\n    \"c\": []\n  }\n}";
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        assert_eq!(indented(document.root()), text);
        let value = Value::from_view(document.root()).unwrap();
        assert_eq!(indented(value.view()), text);
        assert_eq!(compact(value.view()), r#"{"a":{"b":[1,"x\ny",{}],"c":[]}}"#);
    }

    #[test]
    fn any_depth_is_indented() {
        let limits = ReadLimits { depth: 300, ..ReadLimits::DEFAULT };
        let text = "[".repeat(100) + &"]".repeat(100);
        let document = Document::from_json(text.as_str(), FileId::FIRST, &limits).unwrap();
        let lines: Vec<usize> =
            indented(document.root()).lines().map(|line| line.len() - line.trim_start().len()).collect();
        let expected: Vec<usize> = (0..100).chain((0..99).rev()).map(|depth| 2 * depth).collect();
        assert_eq!(lines, expected);
    }
}
