//! A template whose modules are templates of their own: each is kept once, however often it is embedded, and written
//! out at the very end.

use std::sync::{Arc, OnceLock};

use super::compacted;

/// What stands in a text for a template that is embedded. JSON has no such character in it.
pub(crate) const HOLE: &str = "\0";
/// The same as a character, which is looked for quickly.
const MARK: char = '\0';

/// A template as indented text, with other templates in it.
#[derive(Debug)]
pub struct Layered {
    /// The own text, with a hole for each template inside.
    text: String,
    /// The templates inside, in the order of their holes, and how deep each stands.
    inner: Vec<(usize, Arc<Layered>)>,
    /// The own text without blanks, once a template around it needs it.
    compact: OnceLock<String>,
    length: usize,
    lines: usize,
}

impl Layered {
    /// A text that was written with a [hole](super::TemplateWriter::hole) for each template inside; `inner` are these, with what
    /// the writer said about each hole.
    #[must_use]
    pub fn new(text: String, inner: Vec<(usize, Arc<Layered>)>) -> Layered {
        let mut lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let mut length = text.len();
        for (depth, template) in &inner {
            length = length.saturating_add(template.length_at(*depth)).saturating_sub(HOLE.len());
            lines = lines.saturating_add(template.lines);
        }
        Layered { text, inner, compact: OnceLock::new(), length, lines }
    }

    /// How long the text is with everything written out. It can be more than there is memory for.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The length where each line is indented deeper.
    fn length_at(&self, depth: usize) -> usize {
        self.length.saturating_add(self.lines.saturating_mul(2 * depth))
    }

    /// The own text, with holes.
    pub(crate) fn own_text(&self) -> &str {
        &self.text
    }

    /// The templates inside, in the order of their holes.
    pub(crate) fn inner(&self) -> impl Iterator<Item = &Layered> {
        self.inner.iter().map(|(_, template)| &**template)
    }

    /// The same with some text put in at a place of the own text, which lies before all holes.
    #[must_use]
    pub fn with_text_at(mut self, place: usize, text: &str) -> Layered {
        self.text.insert_str(place.min(self.text.len()), text);
        Layered::new(self.text, self.inner)
    }

    /// Tells whether the text has a word, templates inside it aside.
    #[must_use]
    pub fn mentions(&self, word: &str) -> bool {
        memchr::memmem::find(self.text.as_bytes(), word.as_bytes()).is_some()
    }

    /// The whole text, with the templates that were written on their own put in.
    #[must_use]
    pub fn written(&self) -> String {
        let mut text = String::with_capacity(self.length);
        self.write(0, &mut text);
        text
    }

    fn write(&self, depth: usize, out: &mut String) {
        let mut inner = self.inner.iter();
        for (place, piece) in self.text.split(MARK).enumerate() {
            if place > 0
                && let Some((deeper, template)) = inner.next()
            {
                template.write(depth + deeper, out);
            }
            if depth == 0 {
                out.push_str(piece);
                continue;
            }
            let mut rest = piece;
            while let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) {
                let (line, more) = rest.split_at(end + 1);
                out.push_str(line);
                indent(2 * depth, out);
                rest = more;
            }
            out.push_str(rest);
        }
    }

    /// Hands on the compact text in pieces.
    pub(crate) fn compact(&self, take: &mut impl FnMut(&str)) {
        let mut inner = self.inner.iter();
        let compact = self.compact.get_or_init(|| compacted(&self.text));
        for (place, piece) in compact.split(MARK).enumerate() {
            if place > 0
                && let Some((_, template)) = inner.next()
            {
                template.compact(take);
            }
            take(piece);
        }
    }
}

fn indent(blanks: usize, out: &mut String) {
    const BLANKS: &str = "                                                                                ";
    let mut left = blanks;
    while left > 0 {
        let some = left.min(BLANKS.len());
        out.push_str(BLANKS.get(..some).unwrap_or(BLANKS));
        left -= some;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JsonLayout, TemplateWriter};
    use super::*;

    /// `{"a": TEMPLATE, "b": [TEMPLATE]}`
    fn around(template: &Arc<Layered>) -> Arc<Layered> {
        let mut writer = TemplateWriter::new(String::new(), JsonLayout::Indented);
        writer.begin_object();
        writer.key("a");
        let first = writer.hole();
        writer.key("b");
        writer.begin_array();
        let second = writer.hole();
        writer.end_array();
        writer.end_object();
        let inner = vec![(first, Arc::clone(template)), (second, Arc::clone(template))];
        Arc::new(Layered::new(writer.finish(), inner))
    }

    #[test]
    fn what_is_inside_moves_to_its_place() {
        let leaf = Arc::new(Layered::new("{\n  \"x\": 1\n}".to_owned(), Vec::new()));
        let outer = around(&leaf);
        let text = outer.written();
        assert_eq!(
            text,
            "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"b\": [\n    {\n      \"x\": 1\n    }\n  ]\n}"
        );
        assert_eq!(text.len(), outer.length());
        let mut compact = String::new();
        outer.compact(&mut |piece| compact.push_str(piece));
        assert_eq!(compact, compacted(&text));
        assert_eq!(around(&outer).written().len(), around(&outer).length());
    }

    #[test]
    fn templates_that_double_take_no_more_than_their_own_text() {
        let mut template = Arc::new(Layered::new("{}".to_owned(), Vec::new()));
        for _ in 0..200 {
            template = around(&template);
        }
        assert!(template.length() > usize::MAX / 2);
    }
}
