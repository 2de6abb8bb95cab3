//! A contract as a resource type of Radius.

use std::fmt::Write as _;

use contract::rules::{Rule, Test};
use contract::{Additional, Constant, Definitions, Form, Operand, Shape, Unit};

use super::schema::quoted;
use super::{Dropped, Written};

/// How deep references are followed: a manifest has none, so they are written out.
const DEEPEST: usize = 24;

struct ManifestWriter<'d> {
    definitions: &'d Definitions,
    dropped: Vec<Dropped>,
    depth: usize,
    /// The names of the members on the way to what is written.
    way: Vec<String>,
}

/// Writes the manifest of one type.
pub(super) fn write(shape: &Shape, definitions: &Definitions, name: &str) -> Result<Written, String> {
    let (namespace, rest) = name.split_once('/').unwrap_or(("Converted.Resources", name));
    let (name, version) = rest.split_once('@').unwrap_or((rest, "2025-01-01-preview"));
    let mut first = name.chars();
    let name = first.next().map_or_else(String::new, |c| c.to_ascii_lowercase().to_string() + first.as_str());
    let mut writer = ManifestWriter { definitions, dropped: Vec::new(), depth: 0, way: Vec::new() };
    let mut schema = String::new();
    writer.top(&mut schema, shape)?;
    let text = format!(
        "namespace: {namespace}\ntypes:\n  {name}:\n    apiVersions:\n      '{version}':\n        schema:\n{schema}"
    );
    Ok(Written { text, fragment: Some(format!("{namespace}/{name}@{version}")), dropped: writer.dropped })
}

impl ManifestWriter<'_> {
    fn top(&mut self, out: &mut String, shape: &Shape) -> Result<(), String> {
        let definitions = self.definitions;
        let mut here = shape.clone();
        for _ in 0..DEEPEST {
            let Form::Ref(name) = &here.form else { break };
            match definitions.get(name) {
                Some(target) => here = target.clone(),
                None => break,
            }
        }
        let Form::Object(object) = &here.form else {
            return Err("the properties of a resource are an object".to_owned());
        };
        let indent = " ".repeat(10);
        let _ = writeln!(out, "{indent}type: object");
        let _ = writeln!(out, "{indent}properties:");
        let _ = writeln!(
            out,
            "{indent}  environment:\n{indent}    type: string\n{indent}    description: The environment of the resource."
        );
        let mut required = vec!["environment".to_owned()];
        for property in &object.properties {
            if property.name == "environment" {
                return Err("a property called `environment` is that of every resource".to_owned());
            }
            if matches!(property.shape.form, Form::Never) && !property.required {
                continue;
            }
            let _ = writeln!(out, "{indent}  {}:", quoted(&property.name));
            self.way.push(property.name.to_string());
            self.node(out, &property.shape, 14)?;
            self.way.pop();
            if property.required || property.requirement.is_some() {
                required.push(quoted(&property.name));
            }
        }
        let _ = writeln!(out, "{indent}required: [{}]", required.join(", "));
        match &object.additional {
            Additional::Closed => {}
            Additional::Open => {
                self.dropped.push(Dropped::at(&self.way, "an object that declares properties has no others"));
            }
            Additional::Shape(_) => {
                self.dropped
                    .push(Dropped::at(&self.way, "members that are not declared cannot stand beside others"));
            }
        }
        if !object.patterns.is_empty() {
            self.dropped.push(Dropped::at(&self.way, "properties by a pattern on their name cannot be said"));
        }
        for rule in here.rules.iter() {
            self.dropped.push(Dropped::rule(&self.way, rule));
        }
        Ok(())
    }

    fn node(&mut self, out: &mut String, shape: &Shape, level: usize) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("a definition that contains itself cannot be said".to_owned());
        }
        let definitions = self.definitions;
        let nullable = shape.nullable;
        let mut rules: Vec<Rule> = shape.rules.iter().cloned().collect();
        let mut here = shape.clone();
        for _ in 0..DEEPEST {
            let next = match &here.form {
                Form::Ref(name) => definitions.get(name).cloned(),
                Form::All(parts) if parts.len() == 1 => parts.first().cloned(),
                _ => None,
            };
            let Some(next) = next else { break };
            rules.extend(next.rules.iter().cloned());
            here = next;
        }
        let nullable = nullable || here.nullable;
        let indent = " ".repeat(level);
        let mut line = |text: &str| {
            let _ = writeln!(out, "{indent}{text}");
        };
        let mut values: Option<Vec<String>> = None;
        match &here.form {
            Form::Bool => line("type: boolean"),
            Form::Int(width) => {
                line("type: integer");
                if let Some((least, most)) = width.range() {
                    let has = |test: fn(&Test) -> bool| rules.iter().any(|rule| test(&rule.test));
                    if !has(|test| {
                        matches!(
                            test,
                            Test::Minimum(_) | Test::Ge(_) | Test::ExclusiveMinimum(_) | Test::Gt(_)
                        )
                    }) {
                        line(&format!("minimum: {least}"));
                    }
                    if !has(|test| {
                        matches!(
                            test,
                            Test::Maximum(_) | Test::Le(_) | Test::ExclusiveMaximum(_) | Test::Lt(_)
                        )
                    }) {
                        line(&format!("maximum: {most}"));
                    }
                }
            }
            Form::Number => line("type: number"),
            Form::Text | Form::Bytes => line("type: string"),
            Form::Enum(members) if members.by_name => {
                line("type: string");
                values = Some(members.members.iter().map(|(name, _)| quoted(name)).collect());
            }
            Form::Enum(members) => {
                line("type: integer");
                if !members.open {
                    values = Some(members.members.iter().map(|(_, number)| number.to_string()).collect());
                }
            }
            Form::List(element) | Form::Set(element) => {
                line("type: array");
                if matches!(here.form, Form::Set(_)) {
                    line("uniqueItems: true");
                }
                if matches!(element.form, Form::Any) {
                    return Err("a list of values of every kind cannot be said".to_owned());
                }
                line("items:");
                self.node(out, element, level + 2)?;
            }
            Form::Map(_, value) => {
                line("type: object");
                line("additionalProperties:");
                self.node(out, value, level + 2)?;
            }
            Form::Object(object) => {
                line("type: object");
                if !object.properties.is_empty() {
                    line("properties:");
                    for property in &object.properties {
                        if matches!(property.shape.form, Form::Never) && !property.required {
                            continue;
                        }
                        let _ = writeln!(out, "{indent}  {}:", quoted(&property.name));
                        self.way.push(property.name.to_string());
                        self.node(out, &property.shape, level + 4)?;
                        self.way.pop();
                    }
                    let required: Vec<String> = object
                        .properties
                        .iter()
                        .filter(|property| property.required || property.requirement.is_some())
                        .map(|property| quoted(&property.name))
                        .collect();
                    if !required.is_empty() {
                        let _ = writeln!(out, "{indent}required: [{}]", required.join(", "));
                    }
                    if !matches!(object.additional, Additional::Closed) {
                        self.dropped
                            .push(Dropped::at(&self.way, "an object that declares properties has no others"));
                    }
                } else if let Additional::Shape(value) = &object.additional {
                    let _ = writeln!(out, "{indent}additionalProperties:");
                    self.node(out, value, level + 2)?;
                } else if matches!(object.additional, Additional::Closed) {
                    let _ = writeln!(out, "{indent}additionalProperties: false");
                }
            }
            Form::Any
                if !rules.is_empty()
                    && rules
                        .iter()
                        .all(|rule| matches!(rule.test, Test::In(_) | Test::Constant(_) | Test::Eq(_))) =>
            {
                line("type: string");
            }
            Form::Any => return Err("values of every kind cannot be said".to_owned()),
            Form::Tuple(_) => return Err("lists whose elements differ by position cannot be said".to_owned()),
            Form::Union(_) | Form::All(_) => {
                return Err("alternatives and combinations cannot be said".to_owned());
            }
            Form::Ref(name) => return Err(format!("`{name}` is not defined")),
            Form::Null | Form::Never => return Err("null alone cannot be said".to_owned()),
        }
        let mut line = |text: &str| {
            let _ = writeln!(out, "{indent}{text}");
        };
        if nullable {
            line("nullable: true");
        }
        if (shape.secret || here.secret) && matches!(here.form, Form::Text) {
            line("x-radius-sensitive: true");
        }
        if let Some(description) = shape.description.as_ref().or(here.description.as_ref()) {
            line(&format!("description: {}", quoted(description)));
        }
        let mut seen: Vec<String> = Vec::new();
        for rule in &rules {
            let texts = words(rule);
            let first = texts.first().map(|text| text.split(':').next().unwrap_or_default().to_owned());
            match first {
                Some(first) if first == "enum" => {
                    values = texts.first().map(|text| {
                        vec![text.trim_start_matches("enum: [").trim_end_matches(']').to_owned()]
                    });
                }
                Some(first) if !seen.contains(&first) => {
                    texts.iter().for_each(|text| line(text));
                    seen.push(first);
                }
                _ => self.dropped.push(Dropped::rule(&self.way, rule)),
            }
        }
        if let Some(values) = values {
            line(&format!("enum: [{}]", values.join(", ")));
        }
        self.depth -= 1;
        Ok(())
    }
}

/// The lines of a rule; none if it cannot be said.
fn words(rule: &Rule) -> Vec<String> {
    let constant = match rule.test.operand() {
        Some(Operand::Constant(constant)) => constant.to_string(),
        _ => String::new(),
    };
    let one = |word: &str| if constant.is_empty() { Vec::new() } else { vec![format!("{word}: {constant}")] };
    let list = |values: Vec<&Constant>| {
        let values: Vec<String> = values.into_iter().map(ToString::to_string).collect();
        vec![format!("enum: [{}]", values.join(", "))]
    };
    match &rule.test {
        Test::Minimum(_) | Test::Ge(_) => one("minimum"),
        Test::Maximum(_) | Test::Le(_) => one("maximum"),
        Test::ExclusiveMinimum(_) | Test::Gt(_) => {
            one("minimum").into_iter().chain(["exclusiveMinimum: true".to_owned()]).collect()
        }
        Test::ExclusiveMaximum(_) | Test::Lt(_) => {
            one("maximum").into_iter().chain(["exclusiveMaximum: true".to_owned()]).collect()
        }
        Test::MultipleOf(_) => one("multipleOf"),
        Test::MinLength(unit, _) => one(match unit {
            Unit::Items => "minItems",
            Unit::Properties => "minProperties",
            Unit::Scalars | Unit::Utf16 | Unit::Bytes => "minLength",
        }),
        Test::MaxLength(unit, _) => one(match unit {
            Unit::Items => "maxItems",
            Unit::Properties => "maxProperties",
            Unit::Scalars | Unit::Utf16 | Unit::Bytes => "maxLength",
        }),
        Test::Pattern(pattern) => vec![format!("pattern: {}", quoted(pattern.source()))],
        Test::Format(format) => vec![format!("format: {}", format.name())],
        Test::Unique(()) => vec!["uniqueItems: true".to_owned()],
        Test::In(operands) => {
            let values: Vec<&Constant> = operands
                .iter()
                .filter_map(|operand| match operand {
                    Operand::Constant(constant) => Some(constant),
                    _ => None,
                })
                .collect();
            if values.len() == operands.len() { list(values) } else { Vec::new() }
        }
        Test::Constant(constant) => list(vec![constant]),
        Test::Eq(Operand::Constant(constant)) => list(vec![constant]),
        _ => Vec::new(),
    }
}
