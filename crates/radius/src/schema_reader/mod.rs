//! Reads schemas: one node of a document to one node of a schema, and everything that is wrong with it on the way.

mod base;
mod built_in;
mod consistency;
mod reserved;

use std::collections::HashMap;

use arm::folded;
use contract::format::Format;
use contract::number::Number;
use contract::{Constant, Node};
use diagnostics::{Span, suggest};
use document::SourceValue;
use smol_str::SmolStr;

pub use built_in::{BUILT_IN_PREFIX, built_in, built_in_names};

use crate::findings::{Findings, PointerStep, shorten};
use crate::limits::{SCHEMA_DEPTH, VALUE_DEPTH};
use crate::names;
use crate::rule;
use crate::schema::keywords::{self, Flag, KeywordInfo, KeywordKind, Takes};
use crate::schema::{Additional, Constraint, Keyword, Schema, SchemaProperty, SchemaType, pattern};
use crate::well_formed::{DUPLICATE_MEMBER, SchemaGuide, faults};

/// How many nodes a schema may have.
const NODES: usize = 10_000;

/// How long a text may be.
const TEXT: usize = 64 << 10;

/// The map whose values need no type.
const UNTYPED_MAP: &str = "platformOptions";

/// Where a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodePosition<'d> {
    /// The schema of a type.
    Root,
    /// A property of that name.
    Property(&'d str),
    /// The elements of an array.
    Item,
    /// The values of a map, which may be the property of that name.
    Value(Option<&'d str>),
    /// The document that a string names.
    Content,
    /// Below a way to combine schemas, which is refused by itself.
    Combined,
    BuiltIn,
}

/// Reads a schema; what is wrong with it goes to the findings, and what could not be read accepts every value.
pub(crate) fn read<'d>(
    findings: &mut Findings<'d>,
    at: Span,
    value: SourceValue<'d>,
    position: NodePosition<'d>,
) -> Schema {
    let mut reader = SchemaReader { findings, nodes: 0, depth: 0, undescribed: Vec::new(), secret: false };
    let mut schema = reader.node(at, value, position);
    let undescribed = std::mem::take(&mut reader.undescribed);
    if position == NodePosition::Root {
        reserved::check(findings, &schema, value);
        say_undescribed(findings, at, &undescribed);
        base::add(&mut schema);
    }
    consistency::whole(findings, &schema, value);
    schema
}

fn say_undescribed(findings: &mut Findings<'_>, at: Span, names: &[&str]) {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    let message = match (shown.as_slice(), names.len().saturating_sub(shown.len())) {
        ([], _) => return,
        ([one], _) => format!("the property {one} has no description"),
        ([first @ .., last], 0) => {
            format!("the properties {} and {last} have no description", first.join(", "))
        }
        (shown, more) => format!("{} and {more} more properties have no description", shown.join(", ")),
    };
    findings
        .report(&rule::DESCRIPTION, at, message)
        .hint("describe them: people who use the type see it in their editor");
}

struct SchemaReader<'r, 'd> {
    findings: &'r mut Findings<'d>,
    nodes: usize,
    depth: usize,
    /// The names of properties without a description.
    undescribed: Vec<&'d str>,
    /// Whether the node is a secret, or inside of one: no message says what is written there.
    secret: bool,
}

/// What the members of a node have said so far, besides what goes into the schema.
struct Draft<'d> {
    schema: Schema,
    /// Where the node is marked.
    at: Span,
    position: NodePosition<'d>,
    /// Whether the type is known to be what the author wrote.
    typed: bool,
    required: Option<SourceValue<'d>>,
    default: Option<SourceValue<'d>>,
    example: Option<SourceValue<'d>>,
    values: Option<SourceValue<'d>>,
}

impl<'d> SchemaReader<'_, 'd> {
    /// Does something with a member of the value where the reader is.
    fn inside<T>(&mut self, steps: &[PointerStep<'d>], work: impl FnOnce(&mut Self) -> T) -> T {
        for step in steps {
            self.findings.enter(*step);
        }
        let done = work(self);
        for _ in steps {
            self.findings.leave();
        }
        done
    }

    fn node(&mut self, at: Span, value: SourceValue<'d>, position: NodePosition<'d>) -> Schema {
        let unread = || Schema { place: Some(value.place()), ..Schema::new(SchemaType::Any) };
        self.nodes += 1;
        if self.nodes > NODES {
            // Said once: the rest of the schema is not looked at.
            if self.nodes == NODES + 1 {
                let message = format!("the schema has more than {NODES} nodes");
                self.findings.report(&rule::LIMIT, at, message).hint("make several types of it");
            }
            return unread();
        }
        if self.depth == SCHEMA_DEPTH {
            let message = format!("the schema nests deeper than {SCHEMA_DEPTH} levels");
            self.findings.report(&rule::LIMIT, at, message).hint("flatten the schema");
            return unread();
        }
        if !matches!(value.node(), Node::Object(_)) {
            let message = format!("a schema is an object, found {}", value.node().kind());
            self.findings.report(&rule::KEYWORD_KIND, at, message);
            return unread();
        }
        self.depth += 1;
        let outside = self.secret;
        let marks = ["x-radius-sensitive", "writeOnly"];
        self.secret |=
            marks.into_iter().any(|mark| value.member(mark).is_some_and(|it| it.node() == Node::Bool(true)));
        let schema = match value.member_with_key("$ref") {
            Some((key, reference)) => self.reference(at, value, key, reference, position),
            None => self.members(at, value, position),
        };
        self.depth -= 1;
        self.secret = outside;
        if let (NodePosition::Property(name), None, false) =
            (position, &schema.description, schema.kind == SchemaType::Any)
        {
            self.undescribed.push(name);
        }
        schema
    }

    /// A node that stands for a built-in schema.
    fn reference(
        &mut self,
        at: Span,
        value: SourceValue<'d>,
        key: SourceValue<'d>,
        reference: SourceValue<'d>,
        position: NodePosition<'d>,
    ) -> Schema {
        let unread = Schema { place: Some(value.place()), ..Schema::new(SchemaType::Any) };
        if position == NodePosition::Root {
            let message = "the schema of a type is written out, it is not a `$ref`";
            self.findings.report_member(&rule::ROOT_KEYWORD, "$ref", key.place(), message);
            return unread;
        }
        let Some(text) = reference.as_str() else {
            self.wrong_kind("$ref", reference, "a string");
            return unread;
        };
        let found = text.strip_prefix(BUILT_IN_PREFIX).and_then(built_in);
        let Some((name, schema)) = found else {
            let names: Vec<&str> = built_in_names().collect();
            let wanted = text.rsplit(['#', '/']).next().unwrap_or(text);
            let hint = match suggest(wanted, names.iter().copied()) {
                Some(near) => format!("did you mean `{BUILT_IN_PREFIX}{near}`?"),
                None => format!(
                    "write the schema out; built in are {}",
                    names
                        .iter()
                        .map(|name| format!("`{BUILT_IN_PREFIX}{name}`"))
                        .collect::<Vec<_>>()
                        .join(", ")
                ),
            };
            let message = format!("`{}` is not a built-in schema", shorten(text));
            self.findings.report_member(&rule::REFERENCE, "$ref", reference.place(), message).hint(hint);
            return unread;
        };
        let message = format!("today's Radius has no built-in schema `{name}`");
        self.findings
            .report_member(&rule::BUILT_IN, "$ref", reference.place(), message)
            .hint("write the schema out");
        let mut draft = Draft::new(at, position, Schema { reference: Some(name), ..schema.clone() });
        draft.schema.place = Some(value.place());
        for (key, value) in value.members() {
            let Some(name) = key.as_str().filter(|name| *name != "$ref") else { continue };
            let row = keywords::find(name);
            let allowed = match row.map(|row| row.word) {
                Some(
                    KeywordKind::Title
                    | KeywordKind::Description
                    | KeywordKind::Flag(Flag::ReadOnly | Flag::Deprecated),
                ) => true,
                Some(_) => false,
                None => name.starts_with("x-"),
            };
            match row {
                _ if !allowed => {
                    let message = format!("`{name}` cannot stand beside a `$ref`");
                    self.findings
                        .report_member(&rule::REFERENCE_SIBLING, name, key.place(), message)
                        .hint("write the schema out where it differs from the built-in one");
                }
                Some(row) => self.word(&mut draft, row, key, value),
                None => self.keep(&mut draft, name, value),
            }
        }
        draft.schema
    }

    fn members(&mut self, at: Span, value: SourceValue<'d>, position: NodePosition<'d>) -> Schema {
        let (kind, typed) = self.kind(at, value, position);
        let mut draft = Draft::new(at, position, Schema { place: Some(value.place()), ..Schema::new(kind) });
        draft.typed = typed;
        draft.schema.says_any = kind == SchemaType::Any && typed && value.member("type").is_some();
        for (key, value) in value.members() {
            let Some(name) = key.as_str() else { continue };
            match keywords::find(name) {
                Some(row) if !root_has(position, row) => {
                    let message = format!("`{name}` cannot stand at the root of a schema");
                    self.findings
                        .report_member(&rule::ROOT_KEYWORD, name, key.place(), message)
                        .hint("say what the type has in `properties`");
                }
                Some(row) if !row.suits(kind) => self.unsuitable(row, kind, key),
                Some(row) => self.word(&mut draft, row, key, value),
                None if name.starts_with("x-") => self.keep(&mut draft, name, value),
                None => self.unknown(name, key),
            }
        }
        consistency::node(self, &mut draft, value);
        draft.schema
    }

    /// The type of a node, and whether its author wrote one.
    fn kind(&mut self, at: Span, value: SourceValue<'d>, position: NodePosition<'d>) -> (SchemaType, bool) {
        let untyped_value = position == NodePosition::Value(Some(UNTYPED_MAP));
        let Some((_, written)) = value.member_with_key("type") else {
            if value.node() == Node::Object(0) && position == NodePosition::Root {
                return (SchemaType::Object, true);
            }
            if !untyped_value && position != NodePosition::Combined && !combines(value) {
                self.untyped(at, value, position);
            }
            return (SchemaType::Any, untyped_value);
        };
        let Some(name) = written.as_str() else {
            return match written.node() {
                Node::List(_) | Node::Null => {
                    let message = match written.node() {
                        Node::Null => "`null` is not a type",
                        _ => "a schema has one type, found a list",
                    };
                    self.findings
                        .report_member(&rule::TYPE, "type", written.place(), message)
                        .hint("write the type of the other values, and `nullable: true` to allow null");
                    (SchemaType::Any, false)
                }
                _ => {
                    self.wrong_kind("type", written, "a string");
                    (SchemaType::Any, false)
                }
            };
        };
        if let Some(kind) = SchemaType::WRITTEN.into_iter().find(|kind| kind.name() == name) {
            if position == NodePosition::Root && kind != SchemaType::Object {
                let message = format!("the schema of a type is an object, found `{name}`");
                self.findings.report_member(&rule::ROOT_TYPE, "type", written.place(), message);
                return (SchemaType::Any, false);
            }
            return (kind, true);
        }
        if untyped_value && name.eq_ignore_ascii_case("any") {
            return (SchemaType::Any, true);
        }
        let hint = match OTHER_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
            Some((_, hint)) => (*hint).to_owned(),
            None => match suggest(name, SchemaType::WRITTEN.map(SchemaType::name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    format!(
                        "types are {}",
                        SchemaType::WRITTEN.map(|kind| format!("`{}`", kind.name())).join(", ")
                    )
                }
            },
        };
        let message = format!("`{}` is not a type", shorten(name));
        self.findings.report_member(&rule::TYPE, "type", written.place(), message).hint(hint);
        (SchemaType::Any, false)
    }

    fn untyped(&mut self, at: Span, value: SourceValue<'d>, position: NodePosition<'d>) {
        let has = |name: &str| value.member(name).is_some();
        let constrained = ["properties", "additionalProperties", "items", "item"].into_iter().any(has);
        if let (NodePosition::Value(_), false) = (position, constrained) {
            self.findings
                .report(&rule::OPEN_MAP, at, "the values of the map have no type")
                .hint("say what they are, as in `additionalProperties: {type: string}`");
            return;
        }
        let guess = if has("properties") || has("additionalProperties") {
            "object"
        } else if has("items") || has("item") {
            "array"
        } else {
            "string"
        };
        let what = match position {
            NodePosition::Root => "the schema has no type".to_owned(),
            NodePosition::Property(name) => format!("the property `{}` has no type", shorten(name)),
            NodePosition::Item => "the elements of the array have no type".to_owned(),
            NodePosition::Value(_) => "the values of the map have no type".to_owned(),
            NodePosition::Content | NodePosition::Combined | NodePosition::BuiltIn => {
                "the schema has no type".to_owned()
            }
        };
        self.findings.report(&rule::UNTYPED, at, what).hint(format!("add a type, such as `type: {guess}`"));
    }

    fn unsuitable(&mut self, row: &KeywordInfo, kind: SchemaType, key: SourceValue<'d>) {
        let types: Vec<String> = row.types.iter().map(|kind| format!("`{}`", kind.name())).collect();
        let message = format!(
            "`{}` says nothing about the type `{}`: it is for {}",
            row.name,
            kind.name(),
            types.join(" and ")
        );
        self.findings.report_member(&rule::KEYWORD_TYPE, row.name, key.place(), message);
    }

    fn unknown(&mut self, name: &'d str, key: SourceValue<'d>) {
        let hint = match suggest(name, keywords::known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if name == "openAPIV3Schema" => "it stands directly below `schema`".to_owned(),
            None => "begin the name with `x-` to say something that is not checked".to_owned(),
        };
        let message = format!("`{}` is not a keyword of schemas", shorten(name));
        self.findings.report_member(&rule::KEYWORD, name, key.place(), message).hint(hint);
    }

    fn wrong_kind(&mut self, name: &str, value: SourceValue<'d>, needs: &str) {
        let message = format!("`{name}` needs {needs}, found {}", value.node().kind());
        self.findings.report_member(&rule::KEYWORD_KIND, name, value.place(), message);
    }

    fn word(
        &mut self,
        draft: &mut Draft<'d>,
        row: &'static KeywordInfo,
        key: SourceValue<'d>,
        value: SourceValue<'d>,
    ) {
        let name = row.name;
        match row.word {
            // Read before.
            KeywordKind::Type | KeywordKind::Ref => {}
            KeywordKind::Title => draft.schema.title = self.text(name, value).map(Into::into),
            KeywordKind::Description => draft.schema.description = self.text(name, value).map(Into::into),
            KeywordKind::Format => self.format(draft, value),
            KeywordKind::Flag(flag) => {
                let Some(set) = self.flag(name, value) else { return };
                match flag {
                    Flag::Nullable => draft.schema.nullable = set,
                    Flag::ReadOnly => draft.schema.read_only = set,
                    Flag::WriteOnly => draft.schema.write_only = set,
                    Flag::Deprecated => draft.schema.deprecated = set,
                }
            }
            KeywordKind::Sensitive => self.sensitive(draft, key, value),
            KeywordKind::Default => {
                draft.schema.default = self.constant(name, value);
                draft.default = Some(value);
            }
            KeywordKind::Example => {
                draft.schema.example = self.constant(name, value);
                draft.example = Some(value);
            }
            KeywordKind::Enum => draft.values = Some(value),
            KeywordKind::Properties => self.properties(draft, value),
            KeywordKind::Required => draft.required = Some(value),
            KeywordKind::Additional => self.additional(draft, key, value),
            KeywordKind::Items => self.items(draft, name, key, value),
            KeywordKind::Item => {
                if draft.schema.kind == SchemaType::Any {
                    return self.unknown("item", key);
                }
                self.findings
                    .report_member(
                        &rule::ITEM_SPELLING,
                        name,
                        key.place(),
                        "`item` is an old spelling of `items`",
                    )
                    .hint("write `items`");
                self.items(draft, name, key, value);
            }
            KeywordKind::Content => self.content(draft, key, value),
            KeywordKind::Constraint(keyword) => self.constraint(draft, keyword, name, value),
            KeywordKind::Kept => match value.node() {
                Node::Object(_) if name == "externalDocs" => self.external_docs(draft, name, value),
                Node::Object(_) => self.keep(draft, name, value),
                _ => self.wrong_kind(name, value, "an object"),
            },
            KeywordKind::Composition => {
                let message = format!("`{name}` is not supported");
                self.findings
                    .report_member(&rule::COMPOSITION, name, key.place(), message)
                    .hint("write one schema with all properties");
                self.combined(name, value);
            }
            KeywordKind::Later(instead) => {
                let message = format!("`{name}` is a keyword of OpenAPI 3.1, and schemas are those of 3.0");
                self.findings.report_member(&rule::LATER_KEYWORD, name, key.place(), message).hint(instead);
            }
        }
    }

    /// Looks for what else is wrong below a way to combine schemas.
    fn combined(&mut self, name: &'static str, value: SourceValue<'d>) {
        match value.node() {
            Node::List(_) => {
                for (index, item) in value.items().enumerate() {
                    if matches!(item.node(), Node::Object(_)) {
                        self.inside(&[PointerStep::Name(name), PointerStep::Index(index)], |reader| {
                            reader.node(item.place(), item, NodePosition::Combined)
                        });
                    }
                }
            }
            Node::Object(_) if name == "not" => {
                self.inside(&[PointerStep::Name(name)], |reader| {
                    reader.node(value.place(), value, NodePosition::Combined)
                });
            }
            _ => {}
        }
    }

    fn format(&mut self, draft: &mut Draft<'d>, value: SourceValue<'d>) {
        let Some(name) = self.text("format", value) else { return };
        let kind = draft.schema.kind;
        match Format::parse(name) {
            Some(format) if draft.typed && !applies(format, kind) => {
                let message = format!("the format `{name}` says nothing about the type `{}`", kind.name());
                self.findings.report_member(&rule::FORMAT_TYPE, "format", value.place(), message);
            }
            Some(_) => {}
            None => {
                let near = suggest(name, Format::ALL.iter().map(|format| format.name()));
                let message = format!("the format `{}` is not known and not checked", shorten(name));
                self.findings
                    .report_member(&rule::FORMAT, "format", value.place(), message)
                    .maybe_hint(near.map(|near| format!("did you mean `{near}`?")));
            }
        }
        draft.schema.format = Some((name.into(), Some(value.place())));
    }

    fn sensitive(&mut self, draft: &mut Draft<'d>, key: SourceValue<'d>, value: SourceValue<'d>) {
        const NAME: &str = "x-radius-sensitive";
        let Node::Bool(set) = value.node() else {
            let message = format!("`{NAME}` needs `true` or `false`, found {}", value.node().kind());
            self.findings.report_member(&rule::SENSITIVE, NAME, value.place(), message);
            return;
        };
        let kind = draft.schema.kind;
        if set && !matches!(kind, SchemaType::String | SchemaType::Object) {
            let message = match kind {
                SchemaType::Any => format!("`{NAME}` is for strings and objects, and the type is not known"),
                _ => format!("`{NAME}` is for strings and objects, not for the type `{}`", kind.name()),
            };
            self.findings.report_member(&rule::SENSITIVE, NAME, key.place(), message);
        }
        draft.schema.sensitive = set;
    }

    fn properties(&mut self, draft: &mut Draft<'d>, value: SourceValue<'d>) {
        let Node::Object(count) = value.node() else {
            return self.wrong_kind("properties", value, "an object");
        };
        let mut properties = Vec::with_capacity(count.min(NODES));
        let mut seen: HashMap<SmolStr, &'d str> = HashMap::with_capacity(count);
        for (key, inner) in value.members() {
            let Some(name) = key.as_str() else { continue };
            let first = *seen.entry(folded(name)).or_insert(name);
            self.inside(&[PointerStep::Name("properties"), PointerStep::Name(name)], |reader| {
                if first != name {
                    let message =
                        format!("`{}` differs from `{}` only in case", shorten(name), shorten(first));
                    reader
                        .findings
                        .report(&rule::NAME_TWICE, key.place(), message)
                        .hint("rename one of them: neither Bicep nor ARM can tell them apart");
                }
                if !names::is_plain_property(name) {
                    let message = format!("the name `{}` needs quotes in Bicep", shorten(name));
                    reader.findings.report(&rule::PROPERTY_NAME, key.place(), message);
                }
                let schema = reader.node(key.place(), inner, NodePosition::Property(name));
                properties.push(SchemaProperty { name: name.into(), schema, place: Some(key.place()) });
            });
        }
        draft.schema.properties = Some(properties);
    }

    fn additional(&mut self, draft: &mut Draft<'d>, key: SourceValue<'d>, value: SourceValue<'d>) {
        const NAME: &str = "additionalProperties";
        let owner = match draft.position {
            NodePosition::Property(name) => Some(name),
            _ => None,
        };
        draft.schema.additional = match value.node() {
            Node::Bool(false) => Additional::None,
            Node::Bool(true) => {
                self.findings
                    .report_member(&rule::OPEN_MAP, NAME, value.place(), "the values of the map have no type")
                    .hint("say what they are, as in `additionalProperties: {type: string}`");
                Additional::Unsaid
            }
            Node::Object(_) => {
                let schema = self.inside(&[PointerStep::Name(NAME)], |reader| {
                    reader.node(key.place(), value, NodePosition::Value(owner))
                });
                Additional::Schema(Box::new(schema))
            }
            _ => {
                self.wrong_kind(NAME, value, "a schema or `false`");
                Additional::Unsaid
            }
        };
    }

    fn items(
        &mut self,
        draft: &mut Draft<'d>,
        name: &'static str,
        key: SourceValue<'d>,
        value: SourceValue<'d>,
    ) {
        if draft.schema.items.is_some() {
            let message = "the array has both `items` and `item`";
            self.findings.report_member(&rule::ITEMS, name, key.place(), message).hint("keep `items`");
            return;
        }
        if matches!(value.node(), Node::List(_)) {
            self.wrong_kind(name, value, "one schema for all elements");
            draft.schema.items = Some(Box::new(Schema::new(SchemaType::Any)));
            return;
        }
        let schema = self
            .inside(&[PointerStep::Name(name)], |reader| reader.node(key.place(), value, NodePosition::Item));
        draft.schema.items = Some(Box::new(schema));
    }

    fn content(&mut self, draft: &mut Draft<'d>, key: SourceValue<'d>, value: SourceValue<'d>) {
        if draft.schema.kind != SchemaType::String {
            let message = "`schema` is not a keyword of schemas";
            self.findings
                .report_member(&rule::KEYWORD, "schema", key.place(), message)
                .hint("did you mean `properties`?");
            return;
        }
        let message = "`schema` says what the document looks like that the string names; it checks nothing";
        self.findings.report_member(&rule::CONTENT, "schema", key.place(), message);
        let schema = self.inside(&[PointerStep::Name("schema")], |reader| {
            reader.node(key.place(), value, NodePosition::Content)
        });
        draft.schema.content = Some(Box::new(schema));
    }

    fn constraint(
        &mut self,
        draft: &mut Draft<'d>,
        keyword: Keyword,
        name: &'static str,
        value: SourceValue<'d>,
    ) {
        let node = value.node();
        let fits = match keyword.takes() {
            Takes::Number => is_number(node),
            Takes::Count => whole_count(node).is_some(),
            Takes::Text => matches!(node, Node::Text(_)),
            Takes::Flag => matches!(node, Node::Bool(_)),
        };
        if !fits {
            if let (Keyword::ExclusiveMinimum | Keyword::ExclusiveMaximum, true) = (keyword, is_number(node))
            {
                let bound = if keyword == Keyword::ExclusiveMinimum { "minimum" } else { "maximum" };
                let message =
                    format!("`{name}` with a number is of OpenAPI 3.1, and schemas are those of 3.0");
                self.findings
                    .report_member(&rule::LATER_KEYWORD, name, value.place(), message)
                    .hint(format!("write `{bound}: {value}` and `{name}: true`"));
                return;
            }
            let needs = match keyword.takes() {
                Takes::Number => "a number",
                Takes::Count => "a whole number that is not negative",
                Takes::Text => "a string",
                Takes::Flag => "`true` or `false`",
            };
            let found = match node {
                Node::Int(_) | Node::Float(_) | Node::Decimal(_) => value.preview(40),
                other => other.kind().to_string(),
            };
            let message = format!("`{name}` needs {needs}, found {found}");
            self.findings.report_member(&rule::KEYWORD_KIND, name, value.place(), message);
            return;
        }
        if keyword == Keyword::Pattern {
            let Some(text) = self.text(name, value) else { return };
            if let Err(error) = pattern(text) {
                let message = format!(
                    "`{}` is not a pattern: {} at offset {}",
                    shorten(text),
                    error.message,
                    error.offset
                );
                self.findings
                    .report_member(&rule::PATTERN, name, value.place(), message)
                    .maybe_hint(error.hint);
                return;
            }
        }
        let operand = match keyword.takes() {
            Takes::Count => whole_count(node),
            Takes::Number | Takes::Text | Takes::Flag => self.constant(name, value),
        };
        if let Some(operand) = operand {
            draft.schema.constraints.push(Constraint { keyword, operand, place: Some(value.place()) });
        }
    }

    /// Documentation elsewhere has an address.
    fn external_docs(&mut self, draft: &mut Draft<'d>, name: &'static str, value: SourceValue<'d>) {
        match value.member("url").map(|url| url.node()) {
            Some(Node::Text(url)) if !url.is_empty() => self.keep(draft, name, value),
            _ => {
                let message = format!("`{name}` needs a `url` that says where the documentation is");
                let start = Span::empty(value.place().file, value.place().start);
                self.findings.report_member(&rule::KEYWORD_KIND, name, start, message);
            }
        }
    }

    /// Keeps a member as it is.
    fn keep(&mut self, draft: &mut Draft<'d>, name: &'d str, value: SourceValue<'d>) {
        if let Some(constant) = self.constant(name, value) {
            draft.schema.extensions.push((name.into(), constant));
        }
    }

    fn constant(&mut self, name: &str, value: SourceValue<'d>) -> Option<Constant> {
        let known = if self.secret { SchemaGuide::Secret } else { SchemaGuide::Nothing };
        let found = faults(value, known, VALUE_DEPTH);
        for fault in &found {
            let rule = if fault.code == DUPLICATE_MEMBER { &rule::NAME_TWICE } else { &rule::NOT_JSON };
            let inside =
                if fault.path.steps.is_empty() { String::new() } else { format!(" at `{}`", fault.path) };
            let place = fault.place.unwrap_or(value.place());
            let message = format!("{}{inside}", fault.message());
            self.findings.report_member(rule, name, place, message).maybe_hint(fault.hint.as_deref());
        }
        if found.is_empty() { Constant::copy(value, VALUE_DEPTH) } else { None }
    }

    fn flag(&mut self, name: &str, value: SourceValue<'d>) -> Option<bool> {
        match value.node() {
            Node::Bool(set) => Some(set),
            _ => {
                self.wrong_kind(name, value, "`true` or `false`");
                None
            }
        }
    }

    fn text(&mut self, name: &str, value: SourceValue<'d>) -> Option<&'d str> {
        let Some(text) = value.as_str() else {
            self.wrong_kind(name, value, "a string");
            return None;
        };
        too_long(self.findings, Some(name), value.place(), text).then_some(text)
    }
}

/// Reports a text that is too long; returns whether it is not.
pub(crate) fn too_long(findings: &mut Findings<'_>, name: Option<&str>, place: Span, text: &str) -> bool {
    if text.len() <= TEXT {
        return true;
    }
    let message = format!("the text has {} bytes, at most {TEXT} are allowed", text.len());
    let start = Span::empty(place.file, place.start);
    match name {
        Some(name) => findings.report_member(&rule::LIMIT, name, start, message),
        None => findings.report(&rule::LIMIT, start, message),
    };
    false
}

impl<'d> Draft<'d> {
    fn new(at: Span, position: NodePosition<'d>, schema: Schema) -> Draft<'d> {
        Draft {
            schema,
            at,
            position,
            typed: true,
            required: None,
            default: None,
            example: None,
            values: None,
        }
    }

    /// Whether a name that is not declared is one of those that every resource type has.
    fn has_base(&self, name: &str) -> bool {
        self.position == NodePosition::Root && reserved::is_base(name)
    }

    fn is_root(&self) -> bool {
        self.position == NodePosition::Root
    }
}

/// Names of types in other languages.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("enum", "write `type: string`, and the values under `enum`"),
    ("null", "write the type of the other values, and `nullable: true` to allow null"),
    ("any", "only the values of a map called `platformOptions` can be of any type"),
    ("int", "write `integer`"),
    ("int32", "write `type: integer` and `format: int32`"),
    ("int64", "write `type: integer` and `format: int64`"),
    ("float", "write `type: number` and `format: float`"),
    ("double", "write `type: number` and `format: double`"),
    ("bool", "write `boolean`"),
    ("list", "write `array`"),
    ("map", "write `type: object` with `additionalProperties`"),
    ("dict", "write `type: object` with `additionalProperties`"),
    ("date", "write `type: string` and `format: date`"),
    ("secret", "write `type: string` and `x-radius-sensitive: true`"),
];

/// Whether a keyword can stand where the node stands.
fn root_has(position: NodePosition<'_>, row: &KeywordInfo) -> bool {
    position != NodePosition::Root
        || match row.word {
            KeywordKind::Type
            | KeywordKind::Title
            | KeywordKind::Description
            | KeywordKind::Properties
            | KeywordKind::Required => true,
            KeywordKind::Additional => true,
            // These are refused for what they are.
            KeywordKind::Composition | KeywordKind::Later(_) | KeywordKind::Content => true,
            KeywordKind::Ref
            | KeywordKind::Format
            | KeywordKind::Flag(_)
            | KeywordKind::Sensitive
            | KeywordKind::Default
            | KeywordKind::Example
            | KeywordKind::Enum
            | KeywordKind::Items
            | KeywordKind::Item
            | KeywordKind::Constraint(_)
            | KeywordKind::Kept => false,
        }
}

fn combines(value: SourceValue<'_>) -> bool {
    ["allOf", "anyOf", "oneOf", "not", "discriminator"].into_iter().any(|name| value.member(name).is_some())
}

fn applies(format: Format, kind: SchemaType) -> bool {
    let applies = format.applies_to();
    match kind {
        SchemaType::String => applies.contains(contract::ValueKind::Text),
        SchemaType::Integer | SchemaType::Number => applies.contains(contract::ValueKind::Int),
        SchemaType::Any => true,
        SchemaType::Boolean | SchemaType::Object | SchemaType::Array => false,
    }
}

fn is_number(node: Node<'_>) -> bool {
    match node {
        Node::Int(_) | Node::UInt(_) | Node::Decimal(_) => true,
        Node::Float(number) => number.is_finite(),
        Node::Null
        | Node::Bool(_)
        | Node::Text(_)
        | Node::Bytes(_)
        | Node::List(_)
        | Node::Object(_)
        | Node::Unknown => false,
    }
}

/// A number of characters, elements or properties; `3.0` is one, too.
fn whole_count(node: Node<'_>) -> Option<Constant> {
    let count = Number::from_node(&node)?.as_i64()?;
    (count >= 0).then_some(Constant::Int(count))
}
