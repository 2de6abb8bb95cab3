//! A contract as JSON Schema 2020-12, or as a schema of OpenAPI 3.1.

use contract::rules::{Rule, Test};
use contract::{
    Additional, Constant, Definitions, Enum, Form, IntWidth, Object, Operand, Presence, Select, Shape, Unit,
};

use super::Dropped;

/// Writes schemas and remembers what they cannot say.
pub(super) struct SchemaWriter {
    /// What references begin with.
    pub(super) prefix: &'static str,
    pub(super) dropped: Vec<Dropped>,
}

/// The members of a schema, in order.
type Words = Vec<(String, String)>;

pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn object(words: &Words) -> String {
    let members: Vec<String> =
        words.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
}

/// A document of JSON Schema.
pub(super) fn json_schema(
    shape: &Shape,
    definitions: &Definitions,
    title: Option<&str>,
) -> (String, Vec<Dropped>) {
    let mut writer = SchemaWriter { prefix: "#/$defs/", dropped: Vec::new() };
    let mut words: Words = vec![("$schema".into(), quoted("https://json-schema.org/draft/2020-12/schema"))];
    if let Some(title) = title.filter(|_| shape.title.is_none()) {
        words.push(("title".into(), quoted(title)));
    }
    words.extend(writer.words(shape));
    if !definitions.is_empty() {
        let defs = definitions.iter().map(|(name, shape)| (name.to_string(), writer.schema(shape))).collect();
        words.push(("$defs".into(), object(&defs)));
    }
    (pretty(&object(&words)), writer.dropped)
}

/// A document of OpenAPI with the contract as one of its schemas.
pub(super) fn openapi(shape: &Shape, definitions: &Definitions, name: &str) -> (String, Vec<Dropped>) {
    let mut writer = SchemaWriter { prefix: "#/components/schemas/", dropped: Vec::new() };
    let mut schemas: Words = vec![(name.to_owned(), writer.schema(shape))];
    for (known, shape) in definitions {
        if **known != *name {
            schemas.push((known.to_string(), writer.schema(shape)));
        }
    }
    let info = object(&vec![("title".into(), quoted(name)), ("version".into(), quoted("1.0.0"))]);
    let components = object(&vec![("schemas".into(), object(&schemas))]);
    let words = vec![
        ("openapi".into(), quoted("3.1.0")),
        ("info".into(), info),
        ("paths".into(), "{}".into()),
        ("components".into(), components),
    ];
    (pretty(&object(&words)), writer.dropped)
}

/// Lays JSON out in lines. Its numbers keep every digit.
fn pretty(text: &str) -> String {
    let mut out = String::new();
    let (mut level, mut quoted, mut escaped) = (0_usize, false, false);
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        if quoted {
            out.push(c);
            (escaped, quoted) = (c == '\\' && !escaped, c != '"' || escaped);
            previous = c;
            continue;
        }
        let next = text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        match c {
            '"' => {
                quoted = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                if !matches!(next, Some('}' | ']')) {
                    level += 1;
                    line(&mut out, level);
                }
            }
            '}' | ']' => {
                if !matches!(previous, '{' | '[') {
                    level = level.saturating_sub(1);
                    line(&mut out, level);
                }
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, level);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
        previous = c;
    }
    out.push('\n');
    out
}

fn line(out: &mut String, level: usize) {
    out.push('\n');
    out.push_str(&"  ".repeat(level));
}

impl SchemaWriter {
    pub(super) fn schema(&mut self, shape: &Shape) -> String {
        let words = self.words(shape);
        match words.as_slice() {
            [] => "true".to_owned(),
            [(name, _)] if name == "\u{0}never" => "false".to_owned(),
            _ => object(&words),
        }
    }

    fn words(&mut self, shape: &Shape) -> Words {
        let mut words = self.form(&shape.form);
        for rule in shape.rules.iter() {
            self.rule(rule, &mut words);
        }
        if words.len() > 1 && words.iter().any(|(name, _)| name == "\u{0}never") {
            words = vec![("not".into(), "{}".into())];
        }
        if shape.nullable {
            let simple = words.iter().position(|(name, _)| name == "type");
            let exact = !words.iter().any(|(name, _)| {
                ["enum", "const", "not", "if", "$ref", "anyOf", "oneOf", "allOf"].contains(&name.as_str())
            });
            match simple.and_then(|at| words.get_mut(at)).filter(|_| exact) {
                Some((_, value)) if value.starts_with('"') => *value = format!("[{value},\"null\"]"),
                _ => {
                    let inner = if words.is_empty() { "true".to_owned() } else { object(&words) };
                    words =
                        vec![("anyOf".into(), list([inner, object(&vec![("type".into(), quoted("null"))])]))];
                }
            }
        }
        if let Some(title) = &shape.title {
            words.insert(0, ("title".into(), quoted(title)));
        }
        if let Some(description) = &shape.description {
            words.insert(0, ("description".into(), quoted(description)));
        }
        if let Some(default) = &shape.default {
            words.push(("default".into(), default.to_string()));
        }
        if let Some(notes) = &shape.notes {
            if let (None, Some(default)) = (&shape.default, &notes.default) {
                words.push(("default".into(), default.to_string()));
            }
            if notes.deprecated {
                words.push(("deprecated".into(), "true".into()));
            }
            if notes.read_only {
                words.push(("readOnly".into(), "true".into()));
            }
        }
        if !shape.examples.is_empty() {
            words.push(("examples".into(), list(shape.examples.iter().map(ToString::to_string))));
        }
        if shape.secret {
            words.push(("x-tendon-secret".into(), "true".into()));
        }
        words
    }

    fn form(&mut self, form: &Form) -> Words {
        let typed = |name: &str| vec![("type".to_owned(), quoted(name))];
        match form {
            Form::Any => Vec::new(),
            Form::Never => vec![("\u{0}never".into(), String::new())],
            Form::Null => typed("null"),
            Form::Bool => typed("boolean"),
            Form::Int(width) => {
                let mut words = typed("integer");
                words.extend(bounds(*width));
                words
            }
            Form::Number => typed("number"),
            Form::Text | Form::Bytes => typed("string"),
            Form::Enum(members) => enumeration(members),
            Form::List(element) | Form::Set(element) => {
                let mut words = typed("array");
                if !matches!(element.form, Form::Any) || element.rules.iter().next().is_some() {
                    words.push(("items".into(), self.schema(element)));
                }
                if matches!(form, Form::Set(_)) {
                    words.push(("uniqueItems".into(), "true".into()));
                }
                words
            }
            Form::Tuple(tuple) => {
                let mut words = typed("array");
                let items: Vec<String> = tuple.items.iter().map(|item| self.schema(item)).collect();
                if !items.is_empty() {
                    words.push(("prefixItems".into(), list(items)));
                }
                match &tuple.rest {
                    Some(rest) => words.push(("items".into(), self.schema(rest))),
                    None => words.push(("items".into(), "false".into())),
                }
                if tuple.least > 0 {
                    words.push(("minItems".into(), tuple.least.to_string()));
                }
                words
            }
            Form::Map(key, value) => {
                let mut words = typed("object");
                if !matches!(key.form, Form::Any) {
                    words.push(("propertyNames".into(), self.schema(key)));
                }
                words.push(("additionalProperties".into(), self.schema(value)));
                words
            }
            Form::Object(it) => {
                let mut words = typed("object");
                self.object(it, &mut words);
                words
            }
            Form::Union(union) => {
                let mut alternatives: Vec<String> = Vec::new();
                let mut taken: Vec<&str> = Vec::new();
                for (at, alternative) in union.alternatives.iter().enumerate() {
                    let text = self.schema(alternative);
                    match &union.select {
                        Select::Kind => {
                            // All kinds that nothing was said of.
                            if matches!(alternative.form, Form::Any) {
                                let kinds = list(taken.iter().map(|kind| quoted(kind)));
                                alternatives.push(format!("{{\"not\":{{\"type\":{kinds}}}}}"));
                            } else {
                                taken.push(kind_of(&alternative.form));
                                alternatives.push(text);
                            }
                        }
                        Select::Property { name, values } => {
                            let tags: Vec<String> = values
                                .iter()
                                .filter(|(_, position)| *position == at)
                                .map(|(tag, _)| quoted(tag))
                                .collect();
                            let name = quoted(name);
                            alternatives.push(format!(
                                "{{\"allOf\":[{text},{{\"properties\":{{{name}:{{\"enum\":{}}}}},\"required\":[{name}],\"type\":\"object\"}}]}}",
                                list(tags)
                            ));
                        }
                        Select::Any | Select::One => alternatives.push(text),
                    }
                }
                let word = if union.select == Select::One { "oneOf" } else { "anyOf" };
                vec![(word.into(), list(alternatives))]
            }
            Form::All(shapes) => {
                let all: Vec<String> = shapes.iter().map(|shape| self.schema(shape)).collect();
                vec![("allOf".into(), list(all))]
            }
            Form::Ref(name) => {
                let name = name.replace('~', "~0").replace('/', "~1").replace('%', "%25").replace('#', "%23");
                vec![("$ref".into(), quoted(&format!("{}{name}", self.prefix)))]
            }
        }
    }

    fn object(&mut self, it: &Object, words: &mut Words) {
        let properties: Words = it
            .properties
            .iter()
            .filter(|property| !property.undeclared)
            .map(|property| (property.name.to_string(), self.schema(&property.shape)))
            .collect();
        if !properties.is_empty() {
            words.push(("properties".into(), object(&properties)));
        }
        let required: Vec<String> = it
            .properties
            .iter()
            .filter(|property| property.required || property.requirement.is_some())
            .map(|property| quoted(&property.name))
            .collect();
        if !required.is_empty() {
            words.push(("required".into(), list(required)));
        }
        let patterns: Words = it
            .patterns
            .iter()
            .map(|(pattern, shape)| (pattern.source().to_owned(), self.schema(shape)))
            .collect();
        if !patterns.is_empty() {
            words.push(("patternProperties".into(), object(&patterns)));
        }
        match &it.additional {
            Additional::Open => {}
            Additional::Closed => words.push(("additionalProperties".into(), "false".into())),
            Additional::Shape(shape) => words.push(("additionalProperties".into(), self.schema(shape))),
        }
        if let Some(names) = &it.names {
            words.push(("propertyNames".into(), self.schema(names)));
        }
    }

    fn rule(&mut self, rule: &Rule, words: &mut Words) {
        let Some((word, value)) = self.word(rule) else {
            self.dropped.push(Dropped::rule(&[], rule));
            return;
        };
        // A word stands once; a second of the same name is one of a shape that holds besides.
        if words.iter().any(|(known, _)| *known == word) {
            let part = format!("{{{}:{value}}}", quoted(&word));
            match words.iter_mut().find(|(known, _)| known == "allOf") {
                Some((_, all)) if all.ends_with(']') => {
                    all.pop();
                    all.push_str(&format!(",{part}]"));
                }
                _ => words.push(("allOf".into(), list([part]))),
            }
            return;
        }
        words.push((word, value));
    }

    fn word(&mut self, rule: &Rule) -> Option<(String, String)> {
        let constant = match rule.test.operand() {
            Some(Operand::Constant(constant)) => Some(constant.to_string()),
            Some(_) => return None,
            None => None,
        };
        let constants = |operands: &[Operand]| -> Option<String> {
            let all: Option<Vec<String>> = operands
                .iter()
                .map(|operand| match operand {
                    Operand::Constant(constant) => Some(constant.to_string()),
                    _ => None,
                })
                .collect();
            all.map(list)
        };
        let plain = |literal: &str| {
            let text: String = serde_json::from_str(literal).ok()?;
            let escaped: String = text
                .chars()
                .flat_map(|c| if "\\^$.|?*+()[]{}/".contains(c) { vec!['\\', c] } else { vec![c] })
                .collect();
            Some(escaped)
        };
        let (word, value) = match &rule.test {
            Test::Eq(_) => ("const", constant?),
            Test::Ne(_) => ("not", format!("{{\"const\":{}}}", constant?)),
            Test::Constant(constant) => ("const", constant.to_string()),
            Test::In(operands) => ("enum", constants(operands)?),
            Test::NotIn(operands) => ("not", format!("{{\"enum\":{}}}", constants(operands)?)),
            Test::Minimum(_) | Test::Ge(_) => ("minimum", constant?),
            Test::ExclusiveMinimum(_) | Test::Gt(_) => ("exclusiveMinimum", constant?),
            Test::Maximum(_) | Test::Le(_) => ("maximum", constant?),
            Test::ExclusiveMaximum(_) | Test::Lt(_) => ("exclusiveMaximum", constant?),
            Test::MultipleOf(_) => ("multipleOf", constant?),
            Test::MinLength(unit, _) => (
                match unit {
                    Unit::Items => "minItems",
                    Unit::Properties => "minProperties",
                    Unit::Scalars | Unit::Utf16 | Unit::Bytes => "minLength",
                },
                constant?,
            ),
            Test::MaxLength(unit, _) => (
                match unit {
                    Unit::Items => "maxItems",
                    Unit::Properties => "maxProperties",
                    Unit::Scalars | Unit::Utf16 | Unit::Bytes => "maxLength",
                },
                constant?,
            ),
            Test::Prefix(_) => ("pattern", quoted(&format!("^{}", plain(&constant?)?))),
            Test::Suffix(_) => ("pattern", quoted(&format!("{}$", plain(&constant?)?))),
            Test::Contains(_) => ("pattern", quoted(&plain(&constant?)?)),
            Test::NotContains(_) => ("not", format!("{{\"pattern\":{}}}", quoted(&plain(&constant?)?))),
            Test::Pattern(pattern) => {
                let source = match pattern.dialect() {
                    contract::pattern::PatternSyntax::Ecma => pattern.source().to_owned(),
                    _ => pattern.translate(contract::pattern::Engine::Python)?.text,
                };
                ("pattern", quoted(&source))
            }
            Test::Format(format) => ("format", quoted(format.name())),
            Test::Unique(()) => ("uniqueItems", "true".into()),
            Test::Elements(shape) => ("items", self.schema(shape)),
            Test::Keys(shape) => ("propertyNames", self.schema(shape)),
            Test::Values(shape) => {
                let value = self.schema(shape);
                ("allOf", format!("[{{\"additionalProperties\":{value}}}]"))
            }
            Test::Not(shape) => ("not", self.schema(shape)),
            Test::If(it) => {
                let mut parts = format!("\"if\":{}", self.schema(&it.test));
                if let Some(then) = &it.then {
                    parts.push_str(&format!(",\"then\":{}", self.schema(then)));
                }
                if let Some(otherwise) = &it.otherwise {
                    parts.push_str(&format!(",\"else\":{}", self.schema(otherwise)));
                }
                ("allOf", format!("[{{{parts}}}]"))
            }
            Test::Containment(it) => {
                let mut parts =
                    format!("\"contains\":{},\"minContains\":{}", self.schema(&it.shape), it.least);
                if let Some(most) = it.most {
                    parts.push_str(&format!(",\"maxContains\":{most}"));
                }
                ("allOf", format!("[{{{parts}}}]"))
            }
            Test::Dependent(it) => {
                ("dependentSchemas", format!("{{{}:{}}}", quoted(&it.property), self.schema(&it.shape)))
            }
            Test::Presence(presence) => return Some(presence_word(presence)),
            Test::Assert(_) | Test::Custom(_) => return None,
        };
        Some((word.to_owned(), value))
    }
}

fn presence_word(presence: &Presence) -> (String, String) {
    let required = |name: &str| format!("{{\"required\":[{}]}}", quoted(name));
    let names = |names: &[Box<str>]| list(names.iter().map(|name| quoted(name)));
    let others = "{\"not\":{\"type\":\"object\"}}".to_owned();
    match presence {
        Presence::Requires(name, needed) => {
            ("dependentRequired".into(), format!("{{{}:{}}}", quoted(name), names(needed)))
        }
        Presence::Excludes(name, excluded) => {
            let any = list(excluded.iter().map(|name| required(name)));
            ("dependentSchemas".into(), format!("{{{}:{{\"not\":{{\"anyOf\":{any}}}}}}}", quoted(name)))
        }
        Presence::AnyOf(names) => {
            let any = names.iter().map(|name| required(name)).chain([others]);
            ("anyOf".into(), list(any))
        }
        Presence::OneOf(names) => {
            let one = list(names.iter().map(|name| required(name)));
            ("anyOf".into(), list([format!("{{\"type\":\"object\",\"oneOf\":{one}}}"), others]))
        }
    }
}

fn enumeration(members: &Enum) -> Words {
    let numbers = members.members.iter().map(|(_, number)| number.to_string());
    let names = members.members.iter().map(|(name, _)| quoted(name));
    if members.open {
        return vec![("type".into(), quoted("integer"))];
    }
    match members.by_name {
        true => vec![("enum".into(), list(numbers.chain(names)))],
        false => vec![("enum".into(), list(numbers))],
    }
}

fn bounds(width: IntWidth) -> Words {
    match width.range() {
        Some((least, most)) => {
            vec![("minimum".into(), least.to_string()), ("maximum".into(), most.to_string())]
        }
        None => Vec::new(),
    }
}

fn kind_of(form: &Form) -> &'static str {
    match form {
        Form::Null => "null",
        Form::Bool => "boolean",
        Form::Int(_) => "integer",
        Form::Number | Form::Enum(_) => "number",
        Form::Text | Form::Bytes => "string",
        Form::List(_) | Form::Set(_) | Form::Tuple(_) => "array",
        _ => "object",
    }
}

/// Whether a constant is text.
pub(super) fn text_of(constant: &Constant) -> Option<&str> {
    match constant {
        Constant::Text(text) => Some(text),
        _ => None,
    }
}
