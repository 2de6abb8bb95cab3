//! A document to a manifest, and everything that is wrong with it.

use std::collections::HashMap;

use contract::Node;
use diagnostics::{Span, suggest};
use document::{Document, SourceValue};

use super::{ApiVersion, Manifest, ManifestResult, ResourceType, ServedLocation};
use crate::built_in_types;
use crate::findings::{Findings, PointerStep, shorten};
use crate::names;
use crate::rule::{self, ManifestReadOptions};
use crate::schema::Schema;
use crate::schema_reader::{self, NodePosition, too_long};

/// How many types a manifest may have.
const TYPES: usize = 5000;

/// The one capability that registries know.
const MANUAL: &str = "ManualResourceProvisioning";

/// What once was a capability.
const OLD: &str = "SupportsRecipes";

const MANIFEST: &[&str] = &["namespace", "location", "types"];
const TYPE: &[&str] = &["description", "capabilities", "defaultApiVersion", "apiVersions"];
const VERSION: &[&str] = &["schema"];

impl Manifest {
    /// Reads a manifest; what is wrong with it is in the order of the text.
    pub fn read(document: &Document, options: ManifestReadOptions) -> ManifestResult {
        let mut reader = ManifestReader { findings: Findings::new(options) };
        let manifest = reader.manifest(document.root());
        let (findings, more) = reader.findings.finish();
        ManifestResult { manifest, findings, more }
    }
}

struct ManifestReader<'d> {
    findings: Findings<'d>,
}

impl<'d> ManifestReader<'d> {
    /// Reports a member of another kind than it needs.
    fn wrong_kind(&mut self, name: &str, value: SourceValue<'d>, needs: &str) {
        let message = format!("`{}` needs {needs}, found {}", shorten(name), value.node().kind());
        self.findings.report_member(&rule::FIELD_KIND, name, start_of(value), message);
    }

    fn text(&mut self, name: &str, value: SourceValue<'d>) -> Option<&'d str> {
        let Some(text) = value.as_str() else {
            self.wrong_kind(name, value, "a string");
            return None;
        };
        too_long(&mut self.findings, Some(name), value.place(), text).then_some(text)
    }

    /// Reports members that have no place here.
    fn unknown_members(
        &mut self,
        value: SourceValue<'d>,
        known: &[&str],
        advice: fn(&str) -> Option<&'static str>,
    ) {
        for (key, _) in value.members() {
            let Some(name) = key.as_str().filter(|name| !known.contains(name)) else { continue };
            let message = format!("`{}` is not a field of {}", shorten(name), what(known));
            let hint = match (advice(name), suggest(name, known.iter().copied())) {
                (Some(advice), _) => advice.to_owned(),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) => format!("fields are `{}`", known.join("`, `")),
            };
            self.findings.report_member(&rule::UNKNOWN_FIELD, name, key.place(), message).hint(hint);
        }
    }

    fn manifest(&mut self, root: SourceValue<'d>) -> Option<Manifest> {
        if !matches!(root.node(), Node::Object(_)) {
            let message =
                format!("a manifest is a mapping with `namespace` and `types`, found {}", root.node().kind());
            self.findings.report(&rule::FIELD_KIND, start_of(root), message);
            return None;
        }
        let has_name = root.member("name").is_some();
        let known: &[&str] = if has_name { &["namespace", "name", "location", "types"] } else { MANIFEST };
        self.unknown_members(root, known, |name| match name {
            "apiVersion" | "apiVersions" | "schema" => Some("versions stand below a type, in `types`"),
            _ => None,
        });
        let namespace = self.namespace(root);
        let location = self.location(root);
        let types = match root.member("types") {
            None => {
                let message = "the manifest has no `types`";
                self.findings.report(&rule::NO_TYPES, start_of(root), message);
                Vec::new()
            }
            Some(types) => self.types(root, types),
        };
        Some(Manifest { namespace: namespace.into(), location, types })
    }

    fn namespace(&mut self, root: SourceValue<'d>) -> &'d str {
        let written = root.member_with_key("namespace");
        let old = root.member_with_key("name");
        if let Some((key, value)) = old {
            let differs = written.is_some_and(|(_, written)| written.as_str() != value.as_str());
            if differs {
                let message = "`name` and `namespace` name different namespaces";
                self.findings
                    .report_member(&rule::TWO_NAMESPACES, "name", key.place(), message)
                    .hint("keep `namespace`");
            } else {
                let message = "`name` is an old spelling of `namespace`";
                self.findings
                    .report_member(&rule::NAMESPACE_SPELLING, "name", key.place(), message)
                    .hint(if written.is_some() { "keep `namespace`" } else { "write `namespace`" });
            }
        }
        let (field, value) = match (written, old) {
            (Some((_, value)), _) => ("namespace", value),
            (None, Some((_, value))) => ("name", value),
            (None, None) => {
                let message = "the manifest has no `namespace`";
                self.findings
                    .report(&rule::MISSING_FIELD, start_of(root), message)
                    .hint("add one, as in `namespace: MyCompany.Resources`");
                return "";
            }
        };
        let Some(text) = self.text(field, value) else { return "" };
        if !names::is_namespace(text) {
            let message = format!("`{}` is not a namespace", shorten(text));
            self.findings.report_member(&rule::NAMESPACE, field, value.place(), message).hint(
                "write two parts with a dot between them, each with a capital letter first, as in `MyCompany.Resources`",
            );
        }
        text
    }

    fn location(&mut self, root: SourceValue<'d>) -> Option<ServedLocation> {
        let location = optional_field(root, "location")?;
        if !matches!(location.node(), Node::Object(_)) {
            self.wrong_kind("location", location, "a mapping from a name to an address");
            return None;
        }
        self.findings.enter(PointerStep::Name("location"));
        let mut first = None;
        for (index, (key, value)) in location.members().enumerate() {
            let Some(name) = key.as_str() else { continue };
            if !names::is_location(name) {
                let message = format!("`{}` is not the name of a location", shorten(name));
                self.findings
                    .report_member(&rule::LOCATION, name, key.place(), message)
                    .hint("write letters and digits, as in `global`");
            }
            if index == 1 {
                let message = "only the first location is used";
                self.findings.report_member(&rule::SEVERAL_LOCATIONS, name, key.place(), message);
            }
            if let Some(address) = self.text(name, value)
                && index == 0
            {
                first = Some(ServedLocation { name: name.into(), address: address.into() });
            }
        }
        self.findings.leave();
        first
    }

    fn types(&mut self, root: SourceValue<'d>, types: SourceValue<'d>) -> Vec<ResourceType> {
        let Node::Object(count) = types.node() else {
            self.wrong_kind("types", types, "a mapping from names to types");
            return Vec::new();
        };
        let at = root.member_with_key("types").map_or(start_of(types), |(key, _)| key.place());
        if count == 0 {
            self.findings.report_member(&rule::NO_TYPES, "types", at, "the manifest has no types");
        }
        if count > TYPES {
            let message = format!("the manifest has {count} types, at most {TYPES} are allowed");
            self.findings
                .report_member(&rule::LIMIT, "types", at, message)
                .hint("split it: several files can have types of one namespace");
            return Vec::new();
        }
        self.findings.enter(PointerStep::Name("types"));
        let namespace = root.member("namespace").or(root.member("name")).and_then(|it| it.as_str());
        let mut seen: HashMap<String, &'d str> = HashMap::new();
        let mut read = Vec::with_capacity(count);
        for (key, value) in types.members() {
            let Some(name) = key.as_str() else { continue };
            self.findings.enter(PointerStep::Name(name));
            if !names::is_type_name(name) {
                let message = format!("`{}` is not the name of a type", shorten(name));
                self.findings
                    .report(&rule::TYPE_NAME, key.place(), message)
                    .hint("write letters and digits, with a small letter first, as in `myResourceType`");
            }
            if let Some(first) = seen.insert(name.to_ascii_lowercase(), name) {
                let message = format!("`{}` differs from `{}` only in case", shorten(name), shorten(first));
                self.findings.report(&rule::TYPE_TWICE, key.place(), message);
            }
            let full_name = format!("{}/{name}", namespace.unwrap_or_default());
            if let Some(row) = built_in_types::built_in(&full_name) {
                let message = format!("`{}` is built in and cannot be declared", row.name);
                self.findings.report(&rule::BUILT_IN_TYPE, key.place(), message).hint("choose another name");
            }
            read.extend(self.resource_type(name, key, value));
            self.findings.leave();
        }
        self.findings.leave();
        read
    }

    fn resource_type(
        &mut self,
        name: &'d str,
        key: SourceValue<'d>,
        value: SourceValue<'d>,
    ) -> Option<ResourceType> {
        if !matches!(value.node(), Node::Object(_)) {
            let message = format!("a type is a mapping with `apiVersions`, found {}", value.node().kind());
            self.findings.report(&rule::FIELD_KIND, key.place(), message);
            return None;
        }
        self.unknown_members(value, TYPE, |name| match name {
            "icon" => Some("icons are not a part of manifests"),
            "schema" | "openAPIV3Schema" => Some("a schema stands below a version, in `apiVersions`"),
            "apiVersion" => Some("write `apiVersions`, with the versions below it"),
            _ => None,
        });
        let description = optional_field(value, "description").and_then(|it| self.text("description", it));
        let capabilities = self.capabilities(value);
        let versions = self.versions(key, value);
        let default_version = self.default_version(value, &versions);
        Some(ResourceType {
            name: name.into(),
            description: description.map(Into::into),
            capabilities,
            default_version,
            versions,
            place: key.place(),
        })
    }

    fn capabilities(&mut self, value: SourceValue<'d>) -> Vec<Box<str>> {
        const NAME: &str = "capabilities";
        let Some(list) = optional_field(value, NAME) else { return Vec::new() };
        if !matches!(list.node(), Node::List(_)) {
            self.wrong_kind(NAME, list, "a list of names");
            return Vec::new();
        }
        let mut kept = Vec::new();
        for (index, item) in list.items().enumerate() {
            let place = item.place();
            let Some(name) = item.as_str() else {
                let message = format!("a capability is a name, found {}", item.node().kind());
                self.findings.report_element(&rule::FIELD_KIND, NAME, index, place, message);
                continue;
            };
            if !names::is_capability(name) {
                let message = format!("`{}` is not the name of a capability", shorten(name));
                self.findings
                    .report_element(&rule::CAPABILITY, NAME, index, place, message)
                    .hint("write letters and digits, with a capital letter first, as in `MyCapability`");
                continue;
            }
            match name {
                MANUAL => kept.push(name.into()),
                OLD => {
                    let message = format!("`{OLD}` is no longer a capability and is left out");
                    self.findings
                        .report_element(&rule::OLD_CAPABILITY, NAME, index, place, message)
                        .hint("remove it: recipes are supported by default");
                }
                _ => {
                    let message = format!("registries do not know the capability `{}`", shorten(name));
                    self.findings
                        .report_element(&rule::UNKNOWN_CAPABILITY, NAME, index, place, message)
                        .hint(format!("the one that they know is `{MANUAL}`"));
                    kept.push(name.into());
                }
            }
        }
        kept
    }

    fn default_version(&mut self, value: SourceValue<'d>, versions: &[ApiVersion]) -> Option<Box<str>> {
        const NAME: &str = "defaultApiVersion";
        let value = optional_field(value, NAME)?;
        let text = self.text(NAME, value)?;
        if !names::is_api_version(text) {
            let message = format!("`{}` is not an API version", shorten(text));
            self.findings.report_member(&rule::API_VERSION, NAME, value.place(), message).hint(VERSION_HINT);
            return None;
        }
        if !versions.iter().any(|version| &*version.name == text) {
            let message = format!("the type has no version `{text}`");
            self.findings.report_member(&rule::DEFAULT_VERSION, NAME, value.place(), message);
        }
        Some(text.into())
    }

    fn versions(&mut self, key: SourceValue<'d>, value: SourceValue<'d>) -> Vec<ApiVersion> {
        const NAME: &str = "apiVersions";
        let Some((versions_key, versions)) = value.member_with_key(NAME) else {
            let message = "the type has no `apiVersions`";
            self.findings.report(&rule::NO_VERSIONS, key.place(), message);
            return Vec::new();
        };
        let Node::Object(count) = versions.node() else {
            self.wrong_kind(NAME, versions, "a mapping from versions to schemas");
            return Vec::new();
        };
        if count == 0 {
            let message = "the type has no versions";
            self.findings.report_member(&rule::NO_VERSIONS, NAME, versions_key.place(), message);
        }
        self.findings.enter(PointerStep::Name(NAME));
        let mut read = Vec::new();
        for (key, value) in versions.members() {
            let Some(name) = key.as_str() else { continue };
            self.findings.enter(PointerStep::Name(name));
            if !names::is_api_version(name) {
                let message = format!("`{}` is not an API version", shorten(name));
                self.findings.report(&rule::API_VERSION, key.place(), message).hint(VERSION_HINT);
            } else if !names::is_day(name) {
                let message = format!("the date of `{name}` is not in the calendar");
                self.findings.report(&rule::API_VERSION_DATE, key.place(), message);
            }
            read.extend(self.version(name, key, value));
            self.findings.leave();
        }
        self.findings.leave();
        read
    }

    fn version(&mut self, name: &'d str, key: SourceValue<'d>, value: SourceValue<'d>) -> Option<ApiVersion> {
        if !matches!(value.node(), Node::Object(_)) {
            let message = format!("a version is a mapping with a `schema`, found {}", value.node().kind());
            self.findings
                .report(&rule::FIELD_KIND, key.place(), message)
                .hint("write `schema: {}` for a type without properties of its own");
            return None;
        }
        self.unknown_members(value, VERSION, |name| match name {
            "capabilities" => Some("capabilities belong to the type, beside `apiVersions`"),
            "openAPIV3Schema" | "properties" | "type" | "required" => Some("it stands below `schema`"),
            _ => None,
        });
        let found = value.member_with_key("schema").filter(|(_, schema)| schema.node() != Node::Null);
        let Some((schema_key, schema)) = found else {
            let message = format!("the version `{}` has no `schema`", shorten(name));
            self.findings
                .report(&rule::MISSING_FIELD, key.place(), message)
                .hint("write `schema: {}` for a type without properties of its own");
            return None;
        };
        self.findings.enter(PointerStep::Name("schema"));
        let schema = self.schema(schema_key, schema);
        self.findings.leave();
        Some(ApiVersion { name: name.into(), schema })
    }

    /// A schema, directly or in its old place.
    fn schema(&mut self, key: SourceValue<'d>, value: SourceValue<'d>) -> Schema {
        const OLD_PLACE: &str = "openAPIV3Schema";
        let Some((old_key, inner)) = value.member_with_key(OLD_PLACE) else {
            return schema_reader::read(&mut self.findings, key.place(), value, NodePosition::Root);
        };
        let message = format!("`{OLD_PLACE}` is an old spelling: a schema stands directly below `schema`");
        self.findings
            .report_member(&rule::SCHEMA_PLACE, OLD_PLACE, old_key.place(), message)
            .hint(format!("remove the line `{OLD_PLACE}` and what is beside it"));
        for (key, value) in value.members() {
            let Some(name) = key.as_str().filter(|name| *name != OLD_PLACE) else { continue };
            if name == "type" && value.as_str() == Some("object") {
                continue;
            }
            let message =
                format!("`{}` stands beside `{OLD_PLACE}`: a version has one schema", shorten(name));
            self.findings
                .report_member(&rule::TWO_SCHEMAS, name, key.place(), message)
                .hint(format!("move it into `{OLD_PLACE}`, or leave that out"));
        }
        self.findings.enter(PointerStep::Name(OLD_PLACE));
        let schema = schema_reader::read(&mut self.findings, old_key.place(), inner, NodePosition::Root);
        self.findings.leave();
        schema
    }
}

const VERSION_HINT: &str = "write a date, as in `2025-01-01` or `2025-01-01-preview`";

/// A field that may be left out: `description:` with nothing behind it leaves it out, too.
fn optional_field<'d>(value: SourceValue<'d>, name: &str) -> Option<SourceValue<'d>> {
    value.member(name).filter(|found| found.node() != Node::Null)
}

/// What has the given fields.
fn what(known: &[&str]) -> &'static str {
    match known.first() {
        Some(&"description") => "a type",
        Some(&"schema") => "a version",
        _ => "a manifest",
    }
}

fn start_of(value: SourceValue<'_>) -> Span {
    let place = value.place();
    match value.node() {
        Node::List(_) | Node::Object(_) => Span::empty(place.file, place.start),
        _ => place,
    }
}
