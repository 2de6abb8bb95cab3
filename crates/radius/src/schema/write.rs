//! A schema as JSON, in the one form that is kept: directly below `schema`, with `items`, built-in schemas written out.

use contract::Constant;

use super::{Additional, Schema, SchemaType};

impl Schema {
    /// The schema as compact JSON; what was deprecated in its text is in the form of today.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        let mut members = MemberWriter { out, first: true };
        members.begin();
        if self.kind != SchemaType::Any || self.says_any {
            members.text("type", self.kind.name());
        }
        if let Some(title) = &self.title {
            members.text("title", title);
        }
        if let Some(description) = &self.description {
            members.text("description", description);
        }
        if let Some((format, _)) = &self.format {
            members.text("format", format);
        }
        let flags = [
            ("nullable", self.nullable),
            ("readOnly", self.read_only),
            ("writeOnly", self.write_only),
            ("deprecated", self.deprecated),
            ("x-radius-sensitive", self.sensitive),
        ];
        for (name, _) in flags.iter().filter(|(_, set)| *set) {
            members.raw(name, "true");
        }
        if !self.values.is_empty() {
            members.list("enum", self.values.iter().map(Constant::to_string));
        }
        for constraint in &self.constraints {
            members.raw(constraint.keyword.name(), &constraint.operand.to_string());
        }
        if let Some(items) = &self.items {
            members.name("items");
            items.write(members.out);
        }
        if let Some(properties) = &self.properties {
            members.name("properties");
            let mut inner = MemberWriter { out: members.out, first: true };
            inner.begin();
            for property in properties {
                inner.name(&property.name);
                property.schema.write(inner.out);
            }
            inner.end();
        }
        if !self.required.is_empty() {
            members.list("required", self.required.iter().map(|name| quoted(name)));
        }
        match &self.additional {
            Additional::Unsaid => {}
            Additional::None => members.raw("additionalProperties", "false"),
            Additional::Schema(schema) => {
                members.name("additionalProperties");
                schema.write(members.out);
            }
        }
        if let Some(content) = &self.content {
            members.name("schema");
            content.write(members.out);
        }
        for (name, value) in [("default", &self.default), ("example", &self.example)] {
            if let Some(value) = value {
                members.raw(name, &value.to_string());
            }
        }
        for (name, value) in &self.extensions {
            members.raw(name, &value.to_string());
        }
        members.end();
    }
}

/// The members of an object on their way to text.
struct MemberWriter<'o> {
    out: &'o mut String,
    first: bool,
}

impl MemberWriter<'_> {
    fn begin(&mut self) {
        self.out.push('{');
    }

    fn end(&mut self) {
        self.out.push('}');
    }

    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.first) {
            self.out.push(',');
        }
        self.out.push_str(&quoted(name));
        self.out.push(':');
    }

    fn raw(&mut self, name: &str, value: &str) {
        self.name(name);
        self.out.push_str(value);
    }

    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &quoted(value));
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item = String>) {
        self.raw(name, &format!("[{}]", values.collect::<Vec<_>>().join(",")));
    }
}

fn quoted(text: &str) -> String {
    Constant::text(text).to_string()
}
