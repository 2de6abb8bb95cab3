//! Bodies of resources, modules and tests, and of objects: empty, or with what must be given.

use syntax::NodeKind;
use syntax::ast::{AstNode as _, Expr, Statement};

use super::Completer;
use super::item::{Completion, Priority, escaped};
use super::properties::{is_required, property_key};
use crate::types::{Object, Property, Ty, TyKind, quoted};

/// The order of properties that people expect; all others follow by name.
const FIRST: [&str; 13] = [
    "scope",
    "parent",
    "name",
    "location",
    "zones",
    "sku",
    "kind",
    "scale",
    "plan",
    "identity",
    "tags",
    "properties",
    "dependsOn",
];
/// How deep required objects are written out.
const MAX_DEPTH: u32 = 32;
/// How many places to fill in a snippet has at most.
const MAX_PLACES: u32 = 500;

impl<'m> Completer<'_, 'm> {
    pub(super) fn body(&mut self, statement: Statement<'m>) {
        let Some(symbol) = self.model.symbol_at(statement.node()) else { return };
        let (value, ty) = match statement {
            Statement::ResourceDeclaration(it) => (it.value(), self.checker.declared_resource(symbol)),
            Statement::ModuleDeclaration(it) => {
                let ty = self.checker.declared_module(symbol);
                // There is always a body to write, whatever the module is.
                if ty.is_error() {
                    self.empty_object();
                }
                (it.value(), ty)
            }
            Statement::TestDeclaration(it) => {
                let ty = self.checker.expected(it.value().node());
                return self.object_bodies(&ty.unwrap_or_else(Ty::object));
            }
            _ => return,
        };
        if !ty.is_error() {
            self.object_bodies(&ty.body());
        }
        if self.place.nodes.iter().any(|node| node.kind() == NodeKind::IfCondition) {
            return;
        }
        let text = "if (${1:condition}) {\n\t$0\n}";
        let item = Completion::plain(super::CompletionKind::Snippet, "if", Priority::High, self.span, text);
        self.out.push(item.into_snippet().detail("if"));
        // A loop has no loops in it.
        if !matches!(value, Expr::For(_)) {
            self.loops(&Ty::object(), true);
        }
    }

    fn empty_object(&mut self) {
        let item = Completion::snippet("{}", "{}", Priority::Medium, self.span, "{\n\t$0\n}");
        self.out.push(item.preselect(true));
    }

    /// An object of a type: empty, and with what must be given.
    pub(super) fn object_bodies(&mut self, ty: &Ty) {
        self.empty_object();
        match ty.kind() {
            TyKind::Object(object) => self.required_properties("required-properties", object, None),
            TyKind::Discriminated(union) => {
                let mut members: Vec<_> = union.members.iter().collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                for (key, member) in members {
                    let member = member.get();
                    let Some(object) = member.as_object() else { continue };
                    self.required_properties(&format!("required-properties-{key}"), object, Some(key));
                }
            }
            _ => {}
        }
    }

    fn required_properties(&mut self, label: &str, object: &Object, key: Option<&str>) {
        if object.properties.values().any(is_required) {
            let mut snippet = Snippet { text: String::new(), places: 0 };
            snippet.object(object, key, 0);
            snippet.text.push_str("$0");
            let item =
                Completion::snippet(label, "Required properties", Priority::Medium, self.span, &snippet.text);
            self.out.push(item.preselect(true));
        }
    }

    /// Loops whose bodies are of a type.
    pub(super) fn loops(&mut self, item: &Ty, with_filter: bool) {
        let is_object = crate::types::assignable(item, &Ty::object());
        let is_array = crate::types::assignable(item, &Ty::array());
        let body = match (is_object, is_array) {
            (true, false) => "{\n\t$0\n}",
            (false, true) => "[\n\t$0\n]",
            _ => "$0",
        };
        let mut add = |label: &str, text: String| {
            self.out.push(Completion::snippet(label, label, Priority::High, self.span, &text));
        };
        add("for", format!("[for ${{2:item}} in ${{1:list}}: {body}]"));
        add("for-indexed", format!("[for (${{2:item}}, ${{3:index}}) in ${{1:list}}: {body}]"));
        if with_filter && is_object && !is_array {
            add(
                "for-filtered",
                format!("[for (${{2:item}}, ${{3:index}}) in ${{1:list}}: if (${{4:condition}}) {body}]"),
            );
        }
    }
}

/// A snippet while it is written.
struct Snippet {
    text: String,
    /// How many places to fill in it has.
    places: u32,
}

impl Snippet {
    /// Writes the required properties of an object, each with a place for its value.
    fn object(&mut self, object: &Object, key: Option<&str>, depth: u32) {
        let mut required: Vec<(&str, &Property)> = object
            .properties
            .iter()
            .filter(|(_, property)| is_required(property))
            .map(|(name, property)| (name.as_str(), property))
            .collect();
        required.sort_by_key(|(name, _)| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
        if required.is_empty() {
            return self.text.push_str("{}");
        }
        self.text.push_str("{\n");
        for (name, property) in required {
            for _ in 0..=depth {
                self.text.push('\t');
            }
            self.text.push_str(&escaped(&property_key(name)));
            self.text.push_str(": ");
            self.value(&property.ty.get(), key, depth + 1);
            self.text.push('\n');
        }
        for _ in 0..depth {
            self.text.push('\t');
        }
        self.text.push('}');
    }

    fn value(&mut self, ty: &Ty, key: Option<&str>, depth: u32) {
        match ty.kind() {
            TyKind::Object(object) if depth < MAX_DEPTH && self.places < MAX_PLACES => {
                self.object(object, None, depth);
            }
            TyKind::StrLit(value) if key == Some(value.as_str()) => {
                self.text.push_str(&escaped(&quoted(value)));
            }
            _ => {
                self.places += 1;
                self.text.push_str(&format!("${}", self.places));
            }
        }
    }
}
