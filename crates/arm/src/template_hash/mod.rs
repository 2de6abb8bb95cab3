//! The hash that compiled templates carry as `metadata._generator.templateHash`.
//!
//! The template is written in the order of the service's own model (`model`), without white space and
//! without the hash that it may already carry, in capitals, and the UTF-8 bytes are hashed. Nothing is built on
//! the way: the writer's text goes straight into the hash. Templates nested inside keep their hashes, so the
//! innermost is to be hashed first.

mod lines;
mod model;
mod upper;

use contract::{Node, View};

use crate::hash::Hasher;
use crate::template_text::{JsonLayout, Sink, TemplateWriter};
pub use lines::indented_hash;
use model::{MemberForm, ObjectLayout};
use upper::Upper;

/// Typed parts deeper than this are written in the order they have; no template nests its types so deep.
const MAX_DEPTH: usize = 200;

/// The hash of a template.
pub fn template_hash<'v, V: View<'v>>(template: V) -> u64 {
    let writer = TemplateWriter::new(Upper::new(Hasher::default()), JsonLayout::Compact);
    let mut walk = HashWalk { out: writer };
    walk.node(template, &model::TEMPLATE, 0);
    walk.out.finish().finish().finish()
}

/// The text that is hashed: the minified template, in capitals.
pub fn minified<'v, V: View<'v>>(template: V) -> String {
    let writer = TemplateWriter::new(Upper::new(String::new()), JsonLayout::Compact);
    let mut walk = HashWalk { out: writer };
    walk.node(template, &model::TEMPLATE, 0);
    walk.out.finish().finish()
}

/// A walk over a template in the order of the model.
struct HashWalk<S> {
    out: TemplateWriter<S>,
}

/// The place of a member in the order of its kind, and how its value is written.
fn known(kind: &ObjectLayout, name: &str) -> (usize, MemberForm) {
    let mut members = kind.members.iter().copied().flatten().enumerate();
    let found = members.find(|(_, (member, _))| *member == name);
    found.map_or((usize::MAX, MemberForm::Free), |(place, (_, form))| (place, *form))
}

impl<S: Sink> HashWalk<S> {
    /// Writes an object in the order of its kind; anything else as it is.
    fn node<'v, V: View<'v>>(&mut self, view: V, kind: &ObjectLayout, depth: usize) {
        if !matches!(view.node(), Node::Object(_)) || depth > MAX_DEPTH {
            return self.free(view);
        }
        let mut members: Vec<(usize, MemberForm, &str, V)> = Vec::new();
        for (key, value) in view.members() {
            let Node::Text(name) = key.node() else { continue };
            if kind.drops_nulls && matches!(value.node(), Node::Null) {
                continue;
            }
            let (place, form) = known(kind, name);
            members.push((place, form, name, value));
        }
        if kind.ordered {
            members.sort_by_key(|(place, ..)| *place);
        }
        self.out.begin_object();
        for (_, form, name, value) in members {
            if form == MemberForm::Left {
                continue;
            }
            self.out.key(name);
            self.part(value, form, depth + 1);
        }
        self.out.end_object();
    }

    fn part<'v, V: View<'v>>(&mut self, view: V, form: MemberForm, depth: usize) {
        match (form, view.node()) {
            (MemberForm::Node(kind), _) => self.node(view, kind, depth),
            (MemberForm::Resources, Node::Object(0)) => {
                self.out.begin_array();
                self.out.end_array();
            }
            (MemberForm::Map(kind), Node::Object(_)) => self.map(view, kind, depth),
            (MemberForm::Resources, Node::Object(_)) => self.map(view, &model::RESOURCE, depth),
            (MemberForm::List(kind), Node::List(_)) => self.list(view, kind, depth),
            (MemberForm::Resources, Node::List(_)) => self.list(view, &model::RESOURCE, depth),
            (
                MemberForm::Free
                | MemberForm::Left
                | MemberForm::Map(_)
                | MemberForm::List(_)
                | MemberForm::Resources,
                _,
            ) => self.free(view),
        }
    }

    fn map<'v, V: View<'v>>(&mut self, view: V, kind: &ObjectLayout, depth: usize) {
        self.out.begin_object();
        for (key, value) in view.members() {
            let Node::Text(name) = key.node() else { continue };
            self.out.key(name);
            self.node(value, kind, depth + 1);
        }
        self.out.end_object();
    }

    fn list<'v, V: View<'v>>(&mut self, view: V, kind: &ObjectLayout, depth: usize) {
        self.out.begin_array();
        for item in view.items() {
            self.node(item, kind, depth + 1);
        }
        self.out.end_array();
    }

    fn free<'v, V: View<'v>>(&mut self, view: V) {
        self.out.value(view);
    }
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;
    use crate::template_text::Layered;

    const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

    #[track_caller]
    fn minifies(template: &str, expected: &str) {
        let document = Document::from_json(template, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        assert_eq!(minified(document.root()), expected);
        let hash = crate::hash::hash(expected.as_bytes());
        assert_eq!(template_hash(document.root()), hash);
        let text = crate::template_text::indented(document.root());
        assert_eq!(indented_hash(&Layered::new(text, Vec::new())), hash);
    }

    #[test]
    fn the_published_sample_has_its_published_hash() {
        let text = r#"{"$SCHEMA":"HTTP://SCHEMAS.MANAGEMENT.AZURE.COM/DEPLOYMENTTEMPLATE?API-VERSION=2014-04-01-PREVIEW","CONTENTVERSION":"1.0.0.0","PARAMETERS":{"STRING":{"TYPE":"STRING"}},"VARIABLES":{"STRING":"STRING","INT":42,"BOOL":TRUE,"ARRAY":[1,2,3,4],"OBJECT":{"OBJECT":{"VMSIZE":"LARGE","LOCATION":"WEST US"}}},"RESOURCES":[],"OUTPUTS":{"STRING":{"TYPE":"STRING","VALUE":"MYVALUE"}}}"#;
        assert_eq!(crate::hash::hash(text.as_bytes()), 695_440_707_931_307_747);
    }

    #[test]
    fn metadata_comes_last_and_an_old_hash_does_not_count() {
        for (extra, resources, hash) in [
            ("", "[]", 12_740_863_314_443_779_634),
            (r#""languageVersion": "2.0","#, "{}", 12_008_068_100_903_792_477),
        ] {
            let template = format!(
                r#"{{"$schema": "{SCHEMA}", {extra} "contentVersion": "1.0.0.0",
                "metadata": {{"_generator": {{"name": "bicep", "version": "dev", "templateHash": "1"}}}},
                "resources": {resources}}}"#
            );
            let document =
                Document::from_json(template.as_str(), FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
            assert_eq!(template_hash(document.root()), hash);
        }
    }

    #[test]
    fn what_is_embedded_counts_as_if_it_had_been_read() {
        let inner = "{\n  \"$schema\": \"s\",\n  \"x\": [\n    1.5,\n    \"a: b\"\n  ]\n}";
        let outer = |template: &str| {
            format!(
                r#"{{"resources": [{{"type": "t", "name": "n", "properties": {{"template": {template}}}}}]}}"#
            )
        };
        let whole = Document::from_json(outer(inner), FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let hollow = Document::from_json(outer("0"), FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let text = crate::template_text::indented(hollow.root()).replace(": 0", ": \0");
        let inner = std::sync::Arc::new(Layered::new(inner.to_owned(), Vec::new()));
        let layered = Layered::new(text, vec![(4, inner)]);
        assert_eq!(layered.written(), crate::template_text::indented(whole.root()));
        assert_eq!(indented_hash(&layered), template_hash(whole.root()));
    }

    #[test]
    fn members_are_hashed_in_the_order_of_the_model() {
        minifies(
            r#"{"outputs": {"o": {"type": "int", "nullable": true, "value": null, "copy": 1}},
            "parameters": {"p": {"type": "object", "metadata": {"z": null, "a": 1}, "properties":
                {"b": {"minLength": 1, "type": "string", "nullable": false}}, "defaultValue": {"y": null}}},
            "resources": [{"name": "n", "apiVersion": "v", "type": "t", "tags": null, "odd": 1}]}"#,
            r#"{"PARAMETERS":{"P":{"DEFAULTVALUE":{"Y":NULL},"PROPERTIES":{"B":{"TYPE":"STRING","NULLABLE":FALSE,"MINLENGTH":1}},"TYPE":"OBJECT","METADATA":{"Z":NULL,"A":1}}},"RESOURCES":[{"TYPE":"T","APIVERSION":"V","NAME":"N","ODD":1}],"OUTPUTS":{"O":{"COPY":1,"NULLABLE":TRUE,"TYPE":"INT"}}}"#,
        );
    }

    #[test]
    fn capitals_are_made_of_the_finished_text() {
        minifies(
            r#"{"variables": {"ß": "ÿ\nąμ\ud801\udc37\u2028", "t": [true, 1.5e-7]}}"#,
            "{\"VARIABLES\":{\"ß\":\"Ÿ\\NĄΜ\u{1040f}\\U2028\",\"T\":[TRUE,1.5E-07]}}",
        );
    }
}
