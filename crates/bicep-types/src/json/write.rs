//! Writes `index.json` and `types.json` byte for byte as the existing writers of the format do.

use crate::index::{ExtensionManifest, TypeIndex};
use crate::model::{Parameter, ResourceType, Type, TypeId, TypeProperty};
use crate::reference::FileRef;

/// Whose layout to write. Both indent by two spaces and end without a line break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonStyle {
    /// Members in the order of the format's definition, characters as they are: the published Azure types.
    Declared,
    /// Members of types sorted by name, `<`, `>` and `&` as escapes, empty and false members of the index left
    /// out: the extensions that Radius publishes.
    Sorted,
}

/// Writes all types of a file.
pub fn write_types(types: &[Type], style: JsonStyle) -> String {
    let nodes = types.iter().map(|ty| type_node(ty, style)).collect();
    Printer { out: String::new(), style, sort_fields: style == JsonStyle::Sorted }
        .print(JsonNode::List(nodes))
}

/// Writes an index as the text of an `index.json`.
pub fn write_index(index: &TypeIndex, style: JsonStyle) -> String {
    // The sorting writer sorts the keys of maps, but keeps the declared order of the index's own fields.
    Printer { out: String::new(), style, sort_fields: false }.print(index_node(index, style))
}

/// The parts of JSON that the format needs.
enum JsonNode<'a> {
    Number(i64),
    Bool(bool),
    Text(&'a str),
    Ref(TypeId),
    FileRef(&'a FileRef),
    List(Vec<JsonNode<'a>>),
    /// Members whose names the format defines.
    Fields(Vec<(&'static str, JsonNode<'a>)>),
    /// Members whose names are data.
    Map(Vec<(&'a str, JsonNode<'a>)>),
}

/// Collects fields, leaving out the absent ones.
#[derive(Default)]
struct Fields<'a>(Vec<(&'static str, JsonNode<'a>)>);

impl<'a> Fields<'a> {
    fn of(kind: &'a str) -> Fields<'a> {
        Fields::default().with("$type", JsonNode::Text(kind))
    }

    fn with(mut self, name: &'static str, node: JsonNode<'a>) -> Fields<'a> {
        self.0.push((name, node));
        self
    }

    fn with_some(self, name: &'static str, node: Option<JsonNode<'a>>) -> Fields<'a> {
        match node {
            Some(node) => self.with(name, node),
            None => self,
        }
    }

    fn sensitive(self, sensitive: bool) -> Fields<'a> {
        self.with_some("sensitive", sensitive.then_some(JsonNode::Bool(true)))
    }

    fn lengths(self, min: Option<i64>, max: Option<i64>) -> Fields<'a> {
        self.with_some("minLength", min.map(JsonNode::Number))
            .with_some("maxLength", max.map(JsonNode::Number))
    }

    fn name(self, name: &'a str, style: JsonStyle) -> Fields<'a> {
        let omitted = name.is_empty() && style == JsonStyle::Sorted;
        self.with_some("name", (!omitted).then_some(JsonNode::Text(name)))
    }

    fn description(self, description: Option<&'a str>, style: JsonStyle) -> Fields<'a> {
        let written = description.filter(|text| !text.is_empty() || style == JsonStyle::Declared);
        self.with_some("description", written.map(JsonNode::Text))
    }

    fn done(self) -> JsonNode<'a> {
        JsonNode::Fields(self.0)
    }
}

fn type_node(ty: &Type, style: JsonStyle) -> JsonNode<'_> {
    let fields = Fields::of(ty.kind());
    match ty {
        Type::Any | Type::Null | Type::Boolean => fields,
        Type::Integer(integer) => fields
            .with_some("minValue", integer.min_value.map(JsonNode::Number))
            .with_some("maxValue", integer.max_value.map(JsonNode::Number)),
        Type::String(string) => fields
            .sensitive(string.sensitive)
            .lengths(string.min_length, string.max_length)
            .with_some("pattern", string.pattern.as_deref().map(JsonNode::Text)),
        Type::StringLiteral(literal) => {
            fields.with("value", JsonNode::Text(&literal.value)).sensitive(literal.sensitive)
        }
        Type::BuiltIn(kind) => fields.with("kind", JsonNode::Number(i64::from(kind.number()))),
        Type::Array(array) => {
            fields.with("itemType", JsonNode::Ref(array.item)).lengths(array.min_length, array.max_length)
        }
        Type::Object(object) => fields
            .name(&object.name, style)
            .with("properties", properties_node(&object.properties, style))
            .with_some("additionalProperties", object.additional_properties.map(JsonNode::Ref))
            .sensitive(object.sensitive),
        Type::DiscriminatedObject(object) => {
            let elements = object.elements.iter().map(|e| (e.value.as_str(), JsonNode::Ref(e.ty)));
            fields
                .name(&object.name, style)
                .with("discriminator", JsonNode::Text(&object.discriminator))
                .with("baseProperties", properties_node(&object.base_properties, style))
                .with("elements", JsonNode::Map(elements.collect()))
        }
        Type::Union(union) => fields
            .with("elements", JsonNode::List(union.elements.iter().copied().map(JsonNode::Ref).collect())),
        Type::Resource(resource) => resource_fields(fields, resource, style),
        Type::ResourceFunction(function) => fields
            .with("name", JsonNode::Text(&function.name))
            .with("resourceType", JsonNode::Text(&function.resource_type))
            .with("apiVersion", JsonNode::Text(&function.api_version))
            .with("output", JsonNode::Ref(function.output))
            .with_some("input", function.input.map(JsonNode::Ref)),
        Type::Function(function) => {
            let parameters = function.parameters.iter().map(|p| parameter_fields(p, style).done());
            fields
                .with("parameters", JsonNode::List(parameters.collect()))
                .with("output", JsonNode::Ref(function.output))
        }
        Type::NamespaceFunction(function) => {
            let parameters = function.parameters.iter().map(|parameter| {
                Fields::default()
                    .with("name", JsonNode::Text(&parameter.name))
                    .with("type", JsonNode::Ref(parameter.ty))
                    .description(parameter.description.as_deref(), style)
                    .with("flags", JsonNode::Number(i64::from(parameter.flags.0)))
                    .done()
            });
            fields
                .with("name", JsonNode::Text(&function.name))
                .description(function.description.as_deref(), style)
                .with_some(
                    "evaluatedLanguageExpression",
                    function.evaluated_language_expression.as_deref().map(JsonNode::Text),
                )
                .with("parameters", JsonNode::List(parameters.collect()))
                .with("outputType", JsonNode::Ref(function.output))
                .with_some(
                    "visibleInFileKind",
                    function.visible_in.map(|kind| JsonNode::Number(i64::from(kind.number()))),
                )
        }
    }
    .done()
}

fn properties_node(properties: &[TypeProperty], style: JsonStyle) -> JsonNode<'_> {
    let members = properties.iter().map(|property| {
        let fields = Fields::default()
            .with("type", JsonNode::Ref(property.ty))
            .with("flags", JsonNode::Number(i64::from(property.flags.0)))
            .description(property.description.as_deref(), style);
        (property.name.as_str(), fields.done())
    });
    JsonNode::Map(members.collect())
}

fn resource_fields<'a>(fields: Fields<'a>, resource: &'a ResourceType, style: JsonStyle) -> Fields<'a> {
    let functions = resource.functions.as_deref().map(|functions| {
        let members = functions.iter().map(|function| {
            let fields = Fields::default()
                .with("type", JsonNode::Ref(function.ty))
                .description(function.description.as_deref(), style);
            (function.name.as_str(), fields.done())
        });
        JsonNode::Map(members.collect())
    });
    fields
        .with("name", JsonNode::Text(&resource.name))
        .with("body", JsonNode::Ref(resource.body))
        .with("readableScopes", JsonNode::Number(i64::from(resource.readable_scopes.0)))
        .with("writableScopes", JsonNode::Number(i64::from(resource.writable_scopes.0)))
        .with_some("functions", functions)
}

fn parameter_fields(parameter: &Parameter, style: JsonStyle) -> Fields<'_> {
    Fields::default()
        .with("name", JsonNode::Text(&parameter.name))
        .with("type", JsonNode::Ref(parameter.ty))
        .description(parameter.description.as_deref(), style)
}

fn index_node(index: &TypeIndex, style: JsonStyle) -> JsonNode<'_> {
    let sorted = style == JsonStyle::Sorted;
    let resources = index.resources.iter().map(|(name, at)| (name.as_str(), JsonNode::FileRef(at)));
    let functions = index.resource_functions.iter().map(|functions| {
        let versions = functions.versions.iter().map(|(version, references)| {
            (version.as_str(), JsonNode::List(references.iter().map(JsonNode::FileRef).collect()))
        });
        (functions.resource_type.as_str(), JsonNode::Map(versions.collect()))
    });
    let namespace_functions = index.namespace_functions.iter().map(JsonNode::FileRef);
    let settings = index.settings.as_ref().map(|settings| settings_node(settings, style));
    let fallback = index.fallback_resource_type.as_ref().map(JsonNode::FileRef);

    let keep = |empty: bool| !(sorted && empty);
    let fields = Fields::default()
        .with_some("resources", keep(index.resources.is_empty()).then(|| JsonNode::Map(resources.collect())))
        .with("resourceFunctions", JsonNode::Map(functions.collect()))
        .with_some(
            "namespaceFunctions",
            keep(index.namespace_functions.is_empty()).then(|| JsonNode::List(namespace_functions.collect())),
        );
    if sorted {
        fields.with_some("fallbackResourceType", fallback).with_some("settings", settings).done()
    } else {
        fields.with_some("settings", settings).with_some("fallbackResourceType", fallback).done()
    }
}

fn settings_node<'a>(settings: &'a ExtensionManifest, style: JsonStyle) -> JsonNode<'a> {
    let bool_node = |value: Option<bool>| {
        value.filter(|value| *value || style == JsonStyle::Declared).map(JsonNode::Bool)
    };
    let version = JsonNode::Text(&settings.version);
    let named = Fields::default().with("name", JsonNode::Text(&settings.name));
    let flagged = |fields: Fields<'a>| {
        fields
            .with_some("isSingleton", bool_node(Some(settings.is_singleton)))
            .with_some("isPreview", bool_node(settings.is_preview))
            .with_some("isDeprecated", bool_node(settings.is_deprecated))
    };
    let fields = match style {
        JsonStyle::Declared => flagged(named.with("version", version)),
        JsonStyle::Sorted => flagged(named).with("version", version),
    };
    fields.with_some("configurationType", settings.configuration_type.as_ref().map(JsonNode::FileRef)).done()
}

struct Printer {
    out: String,
    style: JsonStyle,
    sort_fields: bool,
}

impl Printer {
    fn print(mut self, node: JsonNode<'_>) -> String {
        self.node(node, 0);
        self.out
    }

    /// The depth of a node is bounded by the format: six levels at most.
    fn node(&mut self, node: JsonNode<'_>, depth: usize) {
        match node {
            JsonNode::Number(number) => self.out.push_str(&number.to_string()),
            JsonNode::Bool(value) => self.out.push_str(if value { "true" } else { "false" }),
            JsonNode::Text(text) => self.text(text),
            JsonNode::Ref(id) => self.reference("", id, depth),
            JsonNode::FileRef(reference) => self.reference(&reference.path, reference.id, depth),
            JsonNode::List(items) => {
                let items = items.into_iter().map(|item| (None, item));
                self.block('[', ']', items, depth);
            }
            JsonNode::Fields(mut fields) => {
                if self.sort_fields {
                    fields.sort_by_key(|(name, _)| *name);
                }
                let fields = fields.into_iter().map(|(name, node)| (Some(name), node));
                self.block('{', '}', fields, depth);
            }
            JsonNode::Map(mut members) => {
                if self.style == JsonStyle::Sorted {
                    members.sort_by_key(|(name, _)| *name);
                }
                let members = members.into_iter().map(|(name, node)| (Some(name), node));
                self.block('{', '}', members, depth);
            }
        }
    }

    fn reference(&mut self, path: &str, id: TypeId, depth: usize) {
        let text = format!("{path}#/{}", id.0);
        self.block('{', '}', std::iter::once((Some("$ref"), JsonNode::Text(&text))), depth);
    }

    fn block<'a>(
        &mut self,
        open: char,
        close: char,
        members: impl Iterator<Item = (Option<&'a str>, JsonNode<'a>)>,
        depth: usize,
    ) {
        self.out.push(open);
        let mut empty = true;
        for (name, node) in members {
            if !empty {
                self.out.push(',');
            }
            empty = false;
            self.line(depth + 1);
            if let Some(name) = name {
                self.text(name);
                self.out.push_str(": ");
            }
            self.node(node, depth + 1);
        }
        if !empty {
            self.line(depth);
        }
        self.out.push(close);
    }

    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    /// Not what `value` writes: one of the two layouts escapes as Go does.
    fn text(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                '\t' => self.out.push_str("\\t"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if self.style == JsonStyle::Sorted => {
                    self.escape(character);
                }
                control if control < ' ' => self.escape(control),
                other => self.out.push(other),
            }
        }
        self.out.push('"');
    }

    fn escape(&mut self, character: char) {
        self.out.push_str(&format!("\\u{:04x}", u32::from(character)));
    }
}
