//! Resources, those inside of others included.

use std::collections::HashSet;

use contract::Node;
use diagnostics::Message;
use document::SourceValue;
use smol_str::SmolStr;

use super::members::Unknown;
use super::problems::ErrorSection;
use super::tree::ExpressionSite;
use super::{TemplateReader, is, span};
use crate::Expression;
use crate::functions::Stage;
use crate::template::Content;
use crate::template::json::{JsonKind, MemberName, Span, TemplateMember, TemplateNode};
use crate::template::model::{Resource, ResourceLoop, ResourceOption};
use crate::template::options as known_options;
use crate::template::version::Feature;
use crate::value::folded;

/// The members of a resource that are not part of its body.
const MEMBERS: [&str; 19] = [
    "type",
    "apiVersion",
    "name",
    "existing",
    "condition",
    "copy",
    "dependsOn",
    "scope",
    "resourceGroup",
    "subscriptionId",
    "extension",
    "import",
    "@options",
    "properties",
    "resources",
    "comments",
    "metadata",
    "method",
    "$schema",
];

/// The type of nested deployments.
const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

/// What a resource is written inside of.
#[derive(Clone, Copy)]
struct Parent {
    position: usize,
}

impl<'d> TemplateReader<'d> {
    pub(super) fn resources(&mut self, section: SourceValue<'d>, template: &mut Content) {
        match section.node() {
            Node::List(0) => {}
            Node::List(_) => {
                if self.version.has(Feature::SymbolicNames) {
                    let what = "an array of resources, which have no symbolic names,";
                    // The first experimental versions take both.
                    if self.version.has(Feature::StrictMembers) {
                        self.not_in_version(section, what, ErrorSection::Template);
                    }
                }
                for value in section.items() {
                    self.resource(None, value, None, template);
                }
            }
            Node::Object(_) => {
                if !self.version.has(Feature::SymbolicNames) && section.members().len() > 0 {
                    self.not_in_version(section, "an object of resources", ErrorSection::Template);
                }
                let mut symbols = HashSet::new();
                for (key, value) in section.members() {
                    let symbol = key.as_str().unwrap_or_default();
                    if !is_symbol(symbol) {
                        let message = format!("'{symbol}' is not a symbolic name");
                        self.problems.add(span(key), ErrorSection::Template, message);
                    }
                    if !symbols.insert(folded(symbol)) {
                        let message = format!(
                            "The template resource '{symbol}' is declared twice; names do not depend on case"
                        );
                        self.problems.add(span(key), ErrorSection::Template, message);
                    }
                    self.resource(Some(key), value, None, template);
                }
            }
            _ => self.wrong_kind(section, "`resources`", "an array or an object", ErrorSection::Template),
        }
        let count = template.resources.len();
        if count > self.limits.resources {
            self.too_many(section, "resources", count, self.limits.resources, ErrorSection::Template);
        }
    }

    fn resource(
        &mut self,
        symbol: Option<SourceValue<'d>>,
        value: SourceValue<'d>,
        parent: Option<Parent>,
        template: &mut Content,
    ) {
        let place = span(value);
        let find = |name: &str| value.members().find(|(key, _)| is(*key, name)).map(|(_, value)| value);
        let symbol = symbol.and_then(SourceValue::as_str);
        let name = symbol.or_else(|| find("name").and_then(SourceValue::as_str)).unwrap_or("?");
        let section = ErrorSection::Resource(name, place);
        if !self.expect_object(value, "a resource", section) {
            return;
        }
        let [
            kind,
            api_version,
            name,
            existing,
            condition,
            copy,
            depends_on,
            scope,
            resource_group,
            subscription_id,
            extension,
            import,
            options,
            properties,
            children,
            _,
            _,
            method,
            _,
        ] = self.members(value, MEMBERS, Unknown::Ignored, section);
        let [copy, depends_on, scope, children] = [copy, depends_on, scope, children].map(Self::not_null);
        self.check_length(place, section);
        let at = ExpressionSite { loops: true, ..ExpressionSite::new(section, Stage::Resource) };
        let structure = ExpressionSite { loops: false, ..ExpressionSite::new(section, Stage::Structure) };
        let copy = match copy {
            Some(copy) if parent.is_some() => {
                let message = "a resource inside another one cannot have 'copy'";
                self.problems.add(span(copy), section, message);
                None
            }
            Some(copy) => self.resource_loop(copy, symbol, structure),
            // What is inside a resource is there once for each iteration.
            None => parent
                .and_then(|parent| template.resources.get(parent.position))
                .and_then(|parent| parent.copy.clone()),
        };
        if let Some(copy) = &copy {
            self.loops.push(copy.name.clone().unwrap_or_else(|| symbol.unwrap_or_default().into()));
        }
        let kind = match kind {
            Some(kind) => without_last_slash(self.json(kind, structure)),
            None => {
                self.missing(value, "type", section);
                TemplateNode::value(crate::Value::Null, place)
            }
        };
        let mut optional = |member: Option<SourceValue<'d>>| member.map(|value| self.json(value, structure));
        let api_version = optional(api_version);
        let name = optional(name);
        let condition = optional(condition);
        let scope = optional(scope);
        let resource_group = optional(resource_group);
        let subscription_id = optional(subscription_id);
        let method = optional(method);
        let depends_on = optional(depends_on);
        if let Some(depends_on) = &depends_on {
            self.check_depends_on(depends_on, section);
        }
        let existing = existing.is_some_and(|existing| self.is_existing(existing, value, section));
        let extension = extension
            .or(import)
            .and_then(|alias| self.expect_text(alias, "`extension`", section))
            .map(|alias| self.extension_alias(alias, place, section, template));
        let options = options.map_or_else(Vec::new, |options| self.options(options, existing, at));
        let is_deployment =
            extension.is_none() && kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case(DEPLOYMENTS));
        let nested = match properties {
            Some(properties) if is_deployment && !existing => Some(self.nested(properties, section)),
            _ => None,
        };
        let body = self.body(value, is_deployment, at);
        if copy.is_some() {
            self.loops.pop();
        }
        let parent_resource = parent.and_then(|parent| template.resources.get(parent.position));
        let (kind, name) = with_parent(parent_resource, kind, name);
        if extension.is_none() {
            if name.is_none() {
                self.missing(value, "name", section);
            }
            if api_version.is_none() && !self.has_profile {
                self.missing(value, "apiVersion", section);
            }
            let around = parent_resource.filter(|_| is_whole_type(&kind));
            self.check_segments(&kind, name.as_ref(), around.is_some());
        }
        let position = template.resources.len();
        template.resources.push(Resource {
            symbol: symbol.map(SmolStr::from),
            span: place,
            parent: parent.map(|parent| parent.position),
            existing,
            kind,
            api_version,
            name,
            condition,
            copy,
            depends_on,
            scope,
            resource_group,
            subscription_id,
            extension,
            method,
            options,
            nested,
            body,
        });
        let Some(children) = children else { return };
        if !self.version.has(Feature::ChildResources) {
            self.not_in_version(children, "`resources` inside a resource", section);
        } else if self.expect_array(children, "`resources`", section) {
            for child in children.items() {
                self.resource(None, child, Some(Parent { position }), template);
            }
        }
    }

    fn check_length(&mut self, place: Span, section: ErrorSection<'_>) {
        let bytes = (place.end - place.start) as usize;
        if bytes > self.limits.resource_bytes {
            let message =
                format!("its text has {bytes} bytes, which is more than {}", self.limits.resource_bytes);
            self.problems.add(place, section, message);
        }
    }

    fn is_existing(
        &mut self,
        existing: SourceValue<'d>,
        resource: SourceValue<'d>,
        section: ErrorSection<'_>,
    ) -> bool {
        let Node::Bool(is_existing) = existing.node() else {
            self.wrong_kind(existing, "`existing`", "a bool", section);
            return false;
        };
        if is_existing && !self.version.has(Feature::ExistingResources) {
            self.not_in_version(resource, "`existing`", section);
        }
        is_existing
    }

    /// The members that are sent: `properties`, and those that templates give no meaning.
    fn body(
        &mut self,
        resource: SourceValue<'d>,
        is_deployment: bool,
        at: ExpressionSite<'_>,
    ) -> Vec<TemplateMember> {
        let mut body = Vec::new();
        for (key, value) in resource.members() {
            if is(key, "properties") {
                let value = if is_deployment { self.deployment(value, at) } else { self.json(value, at) };
                body.push(TemplateMember::Property {
                    name: MemberName::Text("properties".into()),
                    at: span(key),
                    value,
                });
            } else if !MEMBERS.iter().any(|name| is(key, name)) {
                self.member(key, value, ExpressionSite { loops: false, ..at }, &mut body);
            }
        }
        body
    }

    fn extension_alias(
        &mut self,
        alias: &str,
        place: Span,
        section: ErrorSection<'_>,
        template: &Content,
    ) -> SmolStr {
        if template.extensions.get(alias).is_none() {
            let message = format!("the extension '{alias}' is not declared in the template");
            self.problems.add(place, section, message);
        }
        alias.into()
    }

    fn resource_loop(
        &mut self,
        copy: SourceValue<'d>,
        symbol: Option<&str>,
        at: ExpressionSite<'_>,
    ) -> Option<Box<ResourceLoop>> {
        let section = at.section;
        if !self.expect_object(copy, "`copy`", section) {
            return None;
        }
        let [name, count, mode, batch_size] =
            self.members(copy, ["name", "count", "mode", "batchSize"], Unknown::Refused, section);
        if name.is_none() && symbol.is_none() {
            self.missing(copy, "name", section);
        }
        let name = name.and_then(|name| self.expect_text(name, "the name of a loop", section));
        let Some(count) = count else {
            self.missing(copy, "count", section);
            return None;
        };
        let count = self.json(count, at);
        self.check_count(&count, section);
        let mode = mode.map(|mode| self.json(mode, at));
        let known = |mode: &str| mode.eq_ignore_ascii_case("serial") || mode.eq_ignore_ascii_case("parallel");
        if let Some(mode) = mode.as_ref()
            && mode.as_value().is_some_and(|mode| !mode.as_str().is_some_and(known))
        {
            let message = "the mode of a loop is 'parallel' or 'serial'";
            self.problems.add(mode.span, section, message);
        }
        let batch_size = batch_size.map(|size| self.json(size, at));
        if let Some(size) = &batch_size
            && size.as_value().is_some_and(|size| !matches!(size, crate::Value::Int(1..)))
        {
            self.problems.add(size.span, section, "the batch size of a loop is an integer from 1");
        }
        Some(Box::new(ResourceLoop {
            name: name.map(SmolStr::from),
            count,
            mode,
            batch_size,
            span: span(copy),
        }))
    }

    /// Reads `@options`: an object of arrays.
    fn options(
        &mut self,
        options: SourceValue<'d>,
        existing: bool,
        at: ExpressionSite<'_>,
    ) -> Vec<ResourceOption> {
        let mut read: Vec<ResourceOption> = Vec::new();
        let mut names = HashSet::new();
        if !self.expect_object(options, "`@options`", at.section) {
            return read;
        }
        for (key, value) in options.members() {
            let name = key.as_str().unwrap_or_default();
            if !self.expect_array(value, &format!("the option '{name}'"), at.section) {
                continue;
            }
            if !names.insert(folded(name)) {
                let message = format!("the option '{name}' is there twice");
                self.problems.add(span(key), at.section, message);
            }
            let section = at.section;
            let at = ExpressionSite { lambda: true, loops: false, ..at };
            let arguments: Vec<TemplateNode> = value.items().map(|item| self.json(item, at)).collect();
            if let Some(known) = known_options::find(name) {
                if known.existing != existing {
                    let which = if known.existing {
                        "is only for existing resources"
                    } else {
                        "is not for existing resources"
                    };
                    self.problems.add(span(key), section, format!("the option '{name}' {which}"));
                } else if !(known.fits)(&arguments) {
                    let message = format!("the option '{name}' needs {}", known.wants);
                    self.problems.add(span(value), section, message);
                }
            }
            read.push(ResourceOption { name: name.into(), name_span: span(key), arguments });
        }
        read
    }

    /// Reads the properties of a nested deployment, but for its template.
    fn deployment(&mut self, properties: SourceValue<'d>, at: ExpressionSite<'_>) -> TemplateNode {
        let Node::Object(count) = properties.node() else { return self.json(properties, at) };
        let mut members = Vec::with_capacity(count);
        for (key, value) in properties.members() {
            if is(key, "template") && matches!(value.node(), Node::Object(_)) {
                let template = TemplateNode { kind: JsonKind::Template(value.id()), span: span(value) };
                let name = MemberName::Text("template".into());
                members.push(TemplateMember::Property { name, at: span(key), value: template });
            } else {
                self.member(key, value, at, &mut members);
            }
        }
        TemplateNode { kind: JsonKind::Object(members.into()), span: span(properties) }
    }

    fn check_depends_on(&mut self, depends_on: &TemplateNode, section: ErrorSection<'_>) {
        let text = |item: &TemplateNode| match &item.kind {
            JsonKind::Value(value) => value.as_str().is_some(),
            JsonKind::Expression(_) => true,
            JsonKind::Array(_) | JsonKind::Object(_) | JsonKind::Template(_) => false,
        };
        let fits = match &depends_on.kind {
            JsonKind::Expression(_) => true,
            JsonKind::Array(items) => items.iter().all(text),
            JsonKind::Value(value) => {
                value.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
            }
            JsonKind::Object(_) | JsonKind::Template(_) => false,
        };
        if !fits {
            self.problems.add(depends_on.span, section, "`dependsOn` must be an array of strings");
        }
    }

    /// Holds a name against a type where both are written out. A name that `may_lack` what is around it may be shorter.
    fn check_segments(&mut self, kind: &TemplateNode, name: Option<&TemplateNode>, may_lack: bool) {
        let (Some(kind), Some(name)) = (kind.as_str(), name) else { return };
        let Some(text) = name.as_str() else { return };
        let (wanted, found) = (kind.split('/').count(), text.split('/').count() + 1);
        if wanted < found || wanted > found && !may_lack {
            let before = format!("The template resource '{text}' for type '{kind}'");
            let behind = " has incorrect segment lengths. A nested resource type must have identical number of segments as \
                 its resource name. A root resource type must have segment length one greater than its \
                 resource name";
            self.problems.add_placed(name.span, &before, Message::sentence(behind));
        }
    }
}

/// A type as services know it: a slash at its end means nothing.
fn without_last_slash(kind: TemplateNode) -> TemplateNode {
    match kind.as_str().and_then(|kind| kind.strip_suffix('/')) {
        Some(type_name) if !type_name.is_empty() => {
            TemplateNode::value(crate::Value::text(type_name), kind.span)
        }
        Some(_) | None => kind,
    }
}

/// Type and name of a resource with those of the resource that it is written inside of.
fn with_parent(
    parent: Option<&Resource>,
    kind: TemplateNode,
    name: Option<TemplateNode>,
) -> (TemplateNode, Option<TemplateNode>) {
    match parent {
        None => (kind, name),
        // The name is whole as well, or lacks what is around it; that is seen when it is known.
        Some(_) if is_whole_type(&kind) => (kind, name),
        Some(parent) => {
            let name = match (&parent.name, name) {
                (Some(outer), Some(name)) => Some(joined(outer, name)),
                (_, name) => name,
            };
            (joined(&parent.kind, kind), name)
        }
    }
}

/// Tells whether the type of a resource inside another one is written with its provider: `Microsoft.Sql/servers/databases`, not
/// `databases`.
fn is_whole_type(kind: &TemplateNode) -> bool {
    kind.as_str().and_then(|kind| kind.split_once('/')).is_some_and(|(first, _)| first.contains('.'))
}

/// A type or a name inside another one.
fn joined(outer: &TemplateNode, inner: TemplateNode) -> TemplateNode {
    let span = inner.span;
    if let (Some(outer), Some(text)) = (outer.as_str(), inner.as_str()) {
        return TemplateNode::value(crate::Value::text(format!("{outer}/{text}")), span);
    }
    let part = |json: &TemplateNode| json.to_expression().unwrap_or_else(|| Expression::text(""));
    let arguments = [Expression::text("{0}/{1}"), part(outer), part(&inner)];
    TemplateNode { kind: JsonKind::Expression(Expression::call("format", arguments)), span }
}

/// Nested resources are named after those around them: `outer::inner`. Brackets and slashes mean something else in references.
fn is_symbol(name: &str) -> bool {
    !name.is_empty() && !name.contains(['[', ']', '/', '\''])
}
