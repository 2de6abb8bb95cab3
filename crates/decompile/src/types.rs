//! Types and what decorators say about them.

use smol_str::SmolStr;

use crate::code::{BicepCode, MAX_DEPTH, Member, checked, is_name, key, quoted};
use crate::converter::Converter;
use crate::json::Json;
use crate::problem::{DecompileError, Result, Under as _};

/// Marks on types that are not for people.
const IMPORTED: &str = "__bicep_imported_from!";
const DERIVED: &str = "__bicep_resource_derived_type!";
const EXPORTED: &str = "__bicep_export!";

/// Members that decorators say, with what takes them.
const BOUNDS: [(&str, &str); 4] = [
    ("minValue", "minValue"),
    ("maxValue", "maxValue"),
    ("minLength", "minLength"),
    ("maxLength", "maxLength"),
];

/// What a declaration says about its type.
#[derive(Debug, Default)]
pub(crate) struct TypeSyntax {
    /// One text for each decorator.
    pub(crate) decorators: Vec<String>,
    pub(crate) text: String,
}

/// What a type is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// A parameter, which can list the values it takes in a decorator.
    Parameter,
    /// An output, a type of its own, a member or an item of a tuple, which have decorators.
    Declaration,
    /// A part of another type, which has none.
    Part,
}

impl Converter<'_> {
    /// The type that a declaration, a member or a part of a type has.
    pub(crate) fn typed(&mut self, json: &Json, of: Of) -> Result<TypeSyntax> {
        self.depth += 1;
        let typed = if self.depth > MAX_DEPTH {
            Err(DecompileError::new("the type is nested too deeply for Bicep"))
        } else {
            self.typed_inside(json, of)
        };
        self.depth -= 1;
        typed
    }

    fn typed_inside(&mut self, json: &Json, of: Of) -> Result<TypeSyntax> {
        let mut decorators = Vec::new();
        self.description(json, &mut decorators)?;
        if json.at(&["metadata", EXPORTED]) == Some(&Json::Bool(true)) {
            decorators.push(format!("{}()", self.decorator("export")));
        }
        for (member, decorator) in BOUNDS {
            if let Some(bound) = json.find(member) {
                let bound = self.value(bound).under(member)?;
                decorators.push(format!("{}({})", self.decorator(decorator), bound.print()));
            }
        }
        let kind = json.find("type").and_then(Json::as_str).unwrap_or_default().to_ascii_lowercase();
        if json.find("additionalProperties") == Some(&Json::Bool(false)) {
            decorators.push(format!("{}()", self.decorator("sealed")));
        }
        let discriminator = json.find("discriminator");
        if let Some(property) = discriminator.and_then(|it| it.find("propertyName")) {
            decorators.push(format!("{}({})", self.decorator("discriminator"), quoted(&property.to_text())));
        }
        let nullable = json.find("nullable");
        let mut text = match json.find("allowedValues") {
            Some(values) if of == Of::Parameter && !(self.symbolic && is_union(json, values)) => {
                let values = self.value(values).under("allowedValues")?;
                decorators.push(format!("{}({})", self.decorator("allowed"), values.print()));
                self.base(json, &kind, true)?
            }
            Some(_) if is_derived(json) || json.find("$ref").is_some() => self.base(json, &kind, false)?,
            Some(values) if kind == "array" => format!("({})[]", self.union(values)?),
            Some(values) => self.union(values)?,
            None => self.base(json, &kind, true)?,
        };
        if kind.starts_with("secure") {
            decorators.push(format!("{}()", self.decorator("secure")));
        }
        match nullable {
            Some(Json::Bool(true)) => text = format!("{}?", grouped(&text)),
            Some(Json::Bool(false)) => text = format!("{}!", grouped(&text)),
            Some(_) | None => {}
        }
        if of == Of::Part && !decorators.is_empty() {
            return Err(DecompileError::new(format!(
                "a part of a type cannot say `{}`",
                decorators.join(" ")
            )));
        }
        Ok(TypeSyntax { decorators, text })
    }

    /// Decorators for what `metadata` says.
    pub(crate) fn description(&mut self, json: &Json, decorators: &mut Vec<String>) -> Result<()> {
        let Some(metadata) = json.find("metadata") else { return Ok(()) };
        let mut rest = Vec::new();
        for (name, value) in metadata.members() {
            let known = match name.eq_ignore_ascii_case("description") && !self.exact {
                true => "description",
                false => name.as_str(),
            };
            match known {
                IMPORTED | DERIVED | EXPORTED => {}
                "description" => {
                    let text = self.value(value).under("metadata")?;
                    decorators.insert(0, format!("{}({})", self.decorator("description"), text.print()));
                }
                name => rest.push(Member::Named(name.to_owned(), self.value(value).under("metadata")?)),
            }
        }
        if !rest.is_empty() {
            decorators.push(format!("{}({})", self.decorator("metadata"), BicepCode::Object(rest).print()));
        }
        Ok(())
    }

    /// A decorator, with its namespace where something else has its name.
    pub(crate) fn decorator(&self, name: &str) -> String {
        if self.names.is_taken(name) { format!("@sys.{name}") } else { format!("@{name}") }
    }

    /// A type of the language, with its namespace where something else has its name.
    fn type_name(&self, name: &str) -> String {
        if self.names.is_taken(name) { format!("sys.{name}") } else { name.to_owned() }
    }

    fn base(&mut self, json: &Json, kind: &str, structure: bool) -> Result<String> {
        if let Some(origin) = json.at(&["metadata", DERIVED]) {
            let source = origin.find("source").unwrap_or(origin).to_text();
            let output = origin.find("output") == Some(&Json::Bool(true));
            return derived(&source, output);
        }
        if let Some(pointer) = json.find("$ref") {
            return self.named(&pointer.to_text()).under("$ref");
        }
        match kind {
            "object" | "secureobject" if structure => self.object_type(json),
            "array" if structure => self.array_type(json),
            "string" | "securestring" => Ok(self.type_name("string")),
            "object" | "secureobject" => Ok(self.type_name("object")),
            "int" | "bool" | "array" => Ok(self.type_name(kind)),
            "__bicep_replace" => Ok("? /* TODO: fill in correct type */".to_owned()),
            "" if json.members().iter().all(|(name, _)| {
                matches!(name.as_str(), "nullable" | "metadata" | "value" | "defaultValue" | "name" | "copy")
            }) =>
            {
                Ok(self.type_name("any"))
            }
            "" => Err(DecompileError::new("the type is not given")),
            other => checked(other).map(str::to_owned),
        }
    }

    fn object_type(&mut self, json: &Json) -> Result<String> {
        if let Some(discriminator) = json.find("discriminator") {
            return self.variants(discriminator).under("discriminator");
        }
        let properties = json.find("properties");
        let additional = json.find("additionalProperties").filter(|it| it.is_object());
        if properties.is_none() && additional.is_none() {
            return Ok(self.type_name("object"));
        }
        let mut text = String::from("{\n");
        for (name, property) in properties.map(Json::members).unwrap_or_default() {
            let typed = self.typed(property, Of::Declaration).under(name).under("properties")?;
            line(&mut text, &typed.decorators);
            key(name, &mut text);
            text.push_str(": ");
            text.push_str(&typed.text);
            text.push('\n');
        }
        if let Some(additional) = additional {
            let typed = self.typed(additional, Of::Declaration).under("additionalProperties")?;
            line(&mut text, &typed.decorators);
            text.push_str("*: ");
            text.push_str(&typed.text);
            text.push('\n');
        }
        text.push('}');
        Ok(if text == "{\n}" { "{}".to_owned() } else { text })
    }

    fn array_type(&mut self, json: &Json) -> Result<String> {
        if let Some(items) = json.find("prefixItems") {
            let mut text = String::from("[\n");
            for (place, item) in items.items().iter().enumerate() {
                let typed =
                    self.typed(item, Of::Declaration).under(&place.to_string()).under("prefixItems")?;
                line(&mut text, &typed.decorators);
                text.push_str(&typed.text);
                text.push('\n');
            }
            text.push(']');
            return Ok(if text == "[\n]" { "[]".to_owned() } else { text });
        }
        match json.find("items") {
            Some(items) if items.is_object() => {
                let item = self.typed(items, Of::Part).under("items")?;
                Ok(format!("{}[]", grouped(&item.text)))
            }
            _ => Ok(self.type_name("array")),
        }
    }

    /// The members of a discriminated union.
    fn variants(&mut self, discriminator: &Json) -> Result<String> {
        let mut members: Vec<String> = Vec::new();
        for (name, variant) in discriminator.find("mapping").map(Json::members).unwrap_or_default() {
            let member = match variant.at(&["metadata", DERIVED]) {
                // A union of resource types is named as a whole.
                Some(origin) => {
                    let source = origin.find("source").unwrap_or(origin).to_text();
                    let whole = source.split("/discriminator/mapping/").next().unwrap_or_default();
                    let whole = whole.split("#discriminator/mapping/").next().unwrap_or_default();
                    derived(whole, origin.find("output") == Some(&Json::Bool(true))).under(name)?
                }
                None => self.typed(variant, Of::Part).under(name)?.text,
            };
            if members.last() != Some(&member) {
                members.push(member);
            }
        }
        if members.is_empty() {
            return Err(DecompileError::new("the union has no members"));
        }
        Ok(members.join(" | "))
    }

    /// A union of values.
    fn union(&mut self, values: &Json) -> Result<String> {
        let mut members = Vec::new();
        for value in values.items() {
            members.push(literal(value, 0).under("allowedValues")?);
        }
        if members.is_empty() {
            return Err(DecompileError::new("there are no allowed values"));
        }
        Ok(members.join(" | "))
    }

    /// A type that has a name.
    fn named(&mut self, pointer: &str) -> Result<String> {
        let unknown = || DecompileError::new(format!("there is no type `{pointer}`"));
        let path = pointer.strip_prefix("#/definitions/").ok_or_else(unknown)?;
        let mut parts = path.split('/').map(|part| part.replace("~1", "/").replace("~0", "~"));
        let name: SmolStr = parts.next().unwrap_or_default().into();
        let mut text = self.types.get(&name).cloned().ok_or_else(unknown)?;
        steps(&mut text, parts)?;
        Ok(text)
    }
}

/// Writes decorators, one line each.
pub(crate) fn line(text: &mut String, decorators: &[String]) {
    for decorator in decorators {
        text.push_str(decorator);
        text.push('\n');
    }
}

/// Tells whether a type comes from a resource type.
fn is_derived(json: &Json) -> bool {
    json.at(&["metadata", DERIVED]).is_some()
}

/// Tells whether the compiler could have written allowed values for a union: they are different and sorted.
fn is_union(json: &Json, values: &Json) -> bool {
    let texts: Vec<String> =
        values.items().iter().map(|value| literal(value, 0).unwrap_or_default()).collect();
    let sorted = texts.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
    let is_bare = ["items", "minLength", "maxLength", "minValue", "maxValue"]
        .iter()
        .all(|name| json.find(name).is_none());
    json.find("type").is_some()
        && !is_derived(json)
        && json.find("$ref").is_none()
        && is_bare
        && !texts.is_empty()
        && sorted
        && !texts.iter().any(String::is_empty)
}

/// Parentheses around a union.
fn grouped(text: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'[' | b']' | b'*');
    let is_whole = text.bytes().all(is_plain) || text.starts_with('{') && closes_at_end(text);
    let is_word = text.starts_with('\'') && !text.contains(" | ");
    if is_whole || is_word || text.starts_with("resource") && !text.contains(['|', '?']) {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// Tells whether the bracket that a text begins with closes at its end.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'\'' => in_text = !in_text,
            b'{' if !in_text => depth += 1,
            b'}' if !in_text => {
                depth = depth.saturating_sub(1);
                if depth == 0 && place + 1 < text.len() {
                    return false;
                }
            }
            _ => {}
        }
    }
    depth == 0
}

/// A value as a type.
fn literal(value: &Json, depth: usize) -> Result<String> {
    if depth > 32 {
        return Err(DecompileError::new("the value is nested too deeply"));
    }
    match value {
        Json::Null => Ok("null".to_owned()),
        Json::Bool(it) => Ok(it.to_string()),
        Json::Int(number) => Ok(number.to_string()),
        Json::Text(text) => match arm::expression::TemplateString::of(text) {
            arm::expression::TemplateString::Text(text) => Ok(quoted(text)),
            arm::expression::TemplateString::Expression(_) => {
                Err(DecompileError::new("a type has no expressions"))
            }
        },
        Json::Number(text) => Err(DecompileError::new(format!("`{text}` is not an integer"))),
        Json::List(items) => {
            let items: Result<Vec<String>> = items.iter().map(|item| literal(item, depth + 1)).collect();
            Ok(format!("[{}]", items?.join(", ")))
        }
        Json::Object(members) => {
            let mut texts = Vec::new();
            for (name, value) in members {
                let mut text = String::new();
                key(name, &mut text);
                texts.push(format!("{text}: {}", literal(value, depth + 1)?));
            }
            Ok(format!("{{ {} }}", texts.join(", ")))
        }
    }
}

/// A part of a resource type: `Microsoft.X/y@2024-01-01#properties/z`.
fn derived(source: &str, output: bool) -> Result<String> {
    let (ty, path) = source.split_once('#').unwrap_or((source, ""));
    let mut text = format!("{}<{}>", if output { "resourceOutput" } else { "resourceInput" }, quoted(ty));
    let parts = path
        .split('/')
        .filter(|part| !part.is_empty())
        .map(|part| part.replace("~1", "/").replace("~0", "~"));
    steps(&mut text, parts)?;
    Ok(text)
}

/// Steps into a type, as pointers have them.
fn steps(text: &mut String, parts: impl Iterator<Item = String>) -> Result<()> {
    let mut parts = parts;
    while let Some(step) = parts.next() {
        let mut argument =
            || parts.next().ok_or_else(|| DecompileError::new("the way to a part of a type has no end"));
        match step.as_str() {
            "properties" => {
                let name = argument()?;
                if !is_name(&name) {
                    return Err(DecompileError::new(format!("`{name}` cannot be written behind a dot")));
                }
                text.push('.');
                text.push_str(&name);
            }
            "items" => text.push_str("[*]"),
            "additionalProperties" => text.push_str(".*"),
            "prefixItems" => {
                let place = argument()?;
                let place: u32 = place
                    .parse()
                    .map_err(|_| DecompileError::new(format!("`{place}` is not a place in a tuple")))?;
                text.push_str(&format!("[{place}]"));
            }
            other => {
                return Err(DecompileError::new(format!(
                    "there is no way to write the step `{other}` into a type"
                )));
            }
        }
    }
    Ok(())
}
