//! The names that Radius knows at the root of a schema.

use arm::{PROVISIONING_STATE, folded};
use document::SourceValue;

use crate::findings::{Findings, PointerStep};
use crate::rule;
use crate::schema::{Additional, Schema, SchemaProperty, SchemaType};

/// What Radius says about a name.
enum Reserved {
    /// It cannot be declared.
    Never,
    Text,
    /// It is a map.
    Map,
    /// It is an object that only the server sets.
    ReadOnlyObject,
    /// The server writes over it.
    Overwritten,
    /// It is an object of strings.
    Secrets,
}

const NAMES: &[(&str, Reserved)] = &[
    ("recipe", Reserved::Never),
    ("status", Reserved::ReadOnlyObject),
    ("application", Reserved::Text),
    ("environment", Reserved::Text),
    ("codeReference", Reserved::Text),
    ("connections", Reserved::Map),
    (PROVISIONING_STATE, Reserved::Overwritten),
    ("secrets", Reserved::Secrets),
];

/// Whether a name is one of those that every resource type has.
pub(super) fn is_base(name: &str) -> bool {
    matches!(name, "application" | "environment" | "connections" | "codeReference")
}

/// Looks at the properties of a root.
pub(super) fn check<'d>(findings: &mut Findings<'d>, schema: &Schema, value: SourceValue<'d>) {
    let Some(properties) = value.member("properties") else { return };
    findings.enter(PointerStep::Name("properties"));
    for property in schema.properties() {
        let written = folded(&property.name);
        let row = NAMES.iter().find(|(name, _)| folded(name) == written);
        let (Some((name, reserved)), Some(place)) = (row, property.place) else { continue };
        if *name != &*property.name {
            let message =
                format!("`{}` differs only in case from `{name}`, which is a name of Radius", property.name);
            findings
                .report_member(&rule::NAME_TWICE, &property.name, place, message)
                .hint("choose another name: neither Bicep nor ARM can tell them apart");
            continue;
        }
        let Some((key, _)) = properties.member_with_key(&property.name) else { continue };
        findings.enter(PointerStep::Name(name));
        look(findings, name, reserved, property, key);
        findings.leave();
    }
    findings.leave();
}

fn look<'d>(
    findings: &mut Findings<'d>,
    name: &'static str,
    reserved: &Reserved,
    property: &SchemaProperty,
    key: SourceValue<'d>,
) {
    let (schema, at) = (&property.schema, key.place());
    // A node that could not be read has been reported.
    let unread = schema.kind == SchemaType::Any;
    match reserved {
        Reserved::Never => {
            let message = format!("`{name}` is a name of Radius and cannot be declared");
            findings.report(&rule::RESERVED, at, message).hint("choose another name");
        }
        Reserved::Text if unread || schema.kind == SchemaType::String => {}
        Reserved::Text => {
            let message = format!("`{name}` is a string, found the type `{}`", schema.kind.name());
            findings.report(&rule::RESERVED, at, message).hint("leave it out: every resource type has it");
        }
        Reserved::Map if unread => {}
        Reserved::Map => {
            let is_map =
                schema.kind == SchemaType::Object && matches!(schema.additional, Additional::Schema(_));
            if !is_map {
                let message = format!("`{name}` is a map: an object with `additionalProperties`");
                findings
                    .report(&rule::RESERVED, at, message)
                    .hint("leave it out: every resource type has it");
            }
        }
        Reserved::ReadOnlyObject if unread => {}
        Reserved::ReadOnlyObject if schema.read_only && schema.kind == SchemaType::Object => {
            let message = format!("today's Radius refuses a property called `{name}`");
            findings.report(&rule::STATUS, at, message);
        }
        Reserved::ReadOnlyObject => {
            let message =
                format!("`{name}` is a name of Radius: it can only be declared as a read-only object");
            findings.report(&rule::RESERVED, at, message).hint("write `type: object` and `readOnly: true`");
        }
        Reserved::Overwritten => {
            let message = format!("the server writes `{name}` in every answer, over this property");
            findings.report(&rule::OVERWRITTEN, at, message).hint("choose another name");
        }
        Reserved::Secrets => secrets(findings, schema, at),
    }
}

fn secrets(findings: &mut Findings<'_>, schema: &Schema, at: diagnostics::Span) {
    match schema.kind {
        SchemaType::Any => return,
        SchemaType::Object => {}
        SchemaType::String
        | SchemaType::Integer
        | SchemaType::Number
        | SchemaType::Boolean
        | SchemaType::Array => {
            let message =
                format!("`secrets` is an object of strings, found the type `{}`", schema.kind.name());
            findings.report(&rule::SECRETS, at, message);
            return;
        }
    }
    findings.enter(PointerStep::Name("properties"));
    for property in schema.properties() {
        let Some(place) = property.place else { continue };
        let name = &property.name;
        if !matches!(property.schema.kind, SchemaType::String | SchemaType::Any) {
            let message = format!("a secret is a string, found the type `{}`", property.schema.kind.name());
            findings.report_member(&rule::SECRETS, name, place, message);
        } else if &**name == "name" && !property.schema.read_only {
            let message = "the `name` of secrets is read-only: it is set by the recipe";
            findings.report_member(&rule::SECRETS, name, place, message).hint("add `readOnly: true`");
        }
    }
    findings.leave();
}
