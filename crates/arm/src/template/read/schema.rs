//! Types as they are written: members, references, constraints.

use contract::Node;
use document::SourceValue;

use super::members::Unknown;
use super::problems::ErrorSection;
use super::{TemplateReader, is, span};
use crate::template::types::{TypeDefinition, TypeWord};
use crate::template::version::Feature;

/// All members of types, and of what has one: parameters, outputs, functions' parameters.
const MEMBERS: [&str; 21] = [
    "type",
    "$ref",
    "nullable",
    "allowedValues",
    "minValue",
    "maxValue",
    "minLength",
    "maxLength",
    "properties",
    "additionalProperties",
    "items",
    "prefixItems",
    "discriminator",
    "userDefinedConstraint",
    "validate",
    "metadata",
    "defaultValue",
    "name",
    "value",
    "copy",
    "condition",
];

/// How many references may lead to one another.
const LONGEST_CHAIN: usize = 100;

impl<'d> TemplateReader<'d> {
    pub(super) fn definitions(&mut self, section: SourceValue<'d>) {
        if !self.version.has(Feature::AggregateTypes) {
            self.not_in_version(section, "`definitions`", ErrorSection::Template);
        }
        if !self.expect_object(section, "`definitions`", ErrorSection::Template) {
            return;
        }
        self.definitions = Some(section);
        for (key, value) in section.members() {
            self.declared_type(value, ErrorSection::Definition(key.as_str().unwrap_or_default()));
        }
    }

    /// Reads the type that something is declared with, and checks all of it.
    pub(super) fn declared_type(
        &mut self,
        value: SourceValue<'d>,
        section: ErrorSection<'_>,
    ) -> Option<TypeDefinition> {
        if !self.expect_object(value, "a declaration", section) {
            return None;
        }
        self.schema(value, section);
        Some(self.summary(value, section))
    }

    /// Checks a type and everything inside it. Recursion is bounded by the depth of documents.
    fn schema(&mut self, value: SourceValue<'d>, section: ErrorSection<'_>) {
        if !self.expect_object(value, "a type", section) {
            return;
        }
        let strict =
            if self.version.has(Feature::StrictMembers) { Unknown::Refused } else { Unknown::Ignored };
        let [
            word,
            reference,
            nullable,
            allowed,
            min_value,
            max_value,
            min_length,
            max_length,
            properties,
            additional,
            items,
            prefix_items,
            discriminator,
            constraint,
            validate,
            ..,
        ] = self.members(value, MEMBERS, strict, section);
        for (name, member) in [
            ("$ref", reference),
            ("nullable", nullable),
            ("properties", properties),
            ("additionalProperties", additional),
            ("items", items),
            ("prefixItems", prefix_items),
            ("discriminator", discriminator),
            ("userDefinedConstraint", constraint),
            ("validate", validate),
        ] {
            if let Some(member) = member
                && !self.version.has(Feature::AggregateTypes)
            {
                self.not_in_version(member, &format!("`{name}`"), section);
            }
        }
        match word {
            Some(word) => {
                if let Some(text) = self.expect_text(word, "`type`", section)
                    && TypeWord::parse(text).is_none()
                {
                    let known: Vec<&str> = TypeWord::words().collect();
                    let message = format!("'{text}' is not a type; there are '{}'", known.join(", "));
                    self.problems.add(span(word), section, message);
                }
            }
            None if self.version.has(Feature::AggregateTypes) => {}
            None => self.missing(value, "type", section),
        }
        if let Some(reference) = reference {
            self.reference(reference, section);
        }
        for (name, member) in [("nullable", nullable)] {
            if let Some(member) = member
                && !matches!(member.node(), Node::Bool(_))
            {
                self.wrong_kind(member, &format!("`{name}`"), "a bool", section);
            }
        }
        for (name, member) in [("minValue", min_value), ("maxValue", max_value)] {
            if let Some(member) = member
                && !matches!(member.node(), Node::Int(_))
            {
                self.wrong_kind(member, &format!("`{name}`"), "an integer", section);
            }
        }
        for (name, member) in [("minLength", min_length), ("maxLength", max_length)] {
            if let Some(member) = member
                && !matches!(member.node(), Node::Int(0..))
            {
                self.wrong_kind(member, &format!("`{name}`"), "an integer from 0", section);
            }
        }
        if let Some(allowed) = allowed {
            self.expect_array(allowed, "`allowedValues`", section);
        }
        if let Some(properties) = properties
            && self.expect_object(properties, "`properties`", section)
        {
            for (_, property) in properties.members() {
                self.schema(property, section);
            }
        }
        for (name, member) in [("additionalProperties", additional), ("items", items)] {
            let Some(member) = member else { continue };
            match member.node() {
                Node::Bool(_) => {}
                Node::Object(_) => self.schema(member, section),
                _ => self.wrong_kind(member, &format!("`{name}`"), "a type or a bool", section),
            }
        }
        if let Some(items) = prefix_items
            && self.expect_array(items, "`prefixItems`", section)
        {
            for item in items.items() {
                self.schema(item, section);
            }
        }
        if let Some(discriminator) = discriminator {
            self.discriminator(discriminator, section);
        }
        if let Some(constraint) = constraint {
            self.constraints(constraint, section);
        }
        if let Some(validate) = validate {
            self.validate(validate, section);
        }
    }

    fn discriminator(&mut self, value: SourceValue<'d>, section: ErrorSection<'_>) {
        if !self.expect_object(value, "`discriminator`", section) {
            return;
        }
        let [name, mapping] = self.members(value, ["propertyName", "mapping"], Unknown::Refused, section);
        match name {
            Some(name) => {
                self.expect_text(name, "`propertyName`", section);
            }
            None => self.missing(value, "propertyName", section),
        }
        match mapping {
            Some(mapping) => {
                if self.expect_object(mapping, "`mapping`", section) {
                    for (_, branch) in mapping.members() {
                        self.schema(branch, section);
                    }
                }
            }
            None => self.missing(value, "mapping", section),
        }
    }

    fn reference(&mut self, reference: SourceValue<'d>, section: ErrorSection<'_>) {
        let Some(text) = self.expect_text(reference, "`$ref`", section) else { return };
        if follow(self.root, text).is_none() {
            let message = format!("the definition '{text}' is not found");
            self.problems.add(span(reference), section, message);
        }
    }

    /// What can be told of a type at a glance, references followed.
    fn summary(&mut self, value: SourceValue<'d>, section: ErrorSection<'_>) -> TypeDefinition {
        let mut ty =
            TypeDefinition { node: value.id(), word: None, secure: false, nullable: false, plain: true };
        let mut nullable = None;
        let mut here = value;
        for _ in 0..LONGEST_CHAIN {
            let mut reference = None;
            for (key, member) in here.members() {
                if is(key, "type") {
                    let word = member.as_str().and_then(TypeWord::parse);
                    ty.word = ty.word.or(word.map(|(word, _)| word));
                    ty.secure |= word.is_some_and(|(_, secure)| secure);
                } else if is(key, "nullable") {
                    if let Node::Bool(value) = member.node() {
                        nullable = nullable.or(Some(value));
                    }
                } else if is(key, "$ref") {
                    reference = member.as_str().and_then(|text| follow(self.root, text));
                } else if !["metadata", "defaultValue", "name", "value", "copy", "condition"]
                    .iter()
                    .any(|name| is(key, name))
                {
                    ty.plain = false;
                }
            }
            let Some(next) = reference else {
                ty.nullable = nullable.unwrap_or(false);
                return ty;
            };
            here = next;
        }
        self.problems.add(span(value), section, "its type refers to itself without an end");
        ty
    }
}

/// The type that a reference leads to: `#/definitions/name`, or a part of it.
pub(in crate::template) fn follow<'d>(root: SourceValue<'d>, reference: &str) -> Option<SourceValue<'d>> {
    let pointer = reference.strip_prefix("#/")?;
    let mut tokens = pointer.split('/');
    if !tokens.next()?.eq_ignore_ascii_case("definitions") {
        return None;
    }
    let definitions = member(root, "definitions")?;
    let mut here = definitions;
    for token in tokens {
        let token = unescape(token);
        here = match here.node() {
            Node::Object(_) => here.member(&token).or_else(|| member(here, &token))?,
            Node::List(_) => here.item(token.parse().ok()?)?,
            _ => return None,
        };
    }
    (here.id() != definitions.id() && matches!(here.node(), Node::Object(_))).then_some(here)
}

/// A token of a JSON pointer in the form of a fragment.
fn unescape(token: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(token).decode_utf8_lossy();
    decoded.replace("~1", "/").replace("~0", "~")
}

/// The member of a name, by whatever case.
pub(crate) fn member<'d>(value: SourceValue<'d>, name: &str) -> Option<SourceValue<'d>> {
    value.members().find(|(key, _)| is(*key, name)).map(|(_, value)| value)
}
