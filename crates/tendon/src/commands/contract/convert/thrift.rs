//! A contract as structs of Thrift with rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use contract::pattern::{Engine, PatternSyntax};
use contract::rules::{Rule, Test};
use contract::{Additional, Constant, Definitions, Form, IntWidth, Object, Operand, Shape, Unit};

use super::{Dropped, Written};

/// How deep types nest.
const DEEPEST: usize = 32;

struct StructWriter<'d> {
    definitions: &'d Definitions,
    dropped: Vec<Dropped>,
    /// The structs, each with its text, those that others use first.
    structs: Vec<(String, String)>,
    /// Definitions that are structs, and those that are being written.
    known: BTreeMap<String, String>,
    /// The numbers of fields that a former result has, by struct and field.
    numbers: BTreeMap<(String, String), u32>,
    depth: usize,
    /// The names of the members on the way to what is written.
    way: Vec<String>,
}

/// Writes a struct for every object.
pub(super) fn write(
    shape: &Shape,
    definitions: &Definitions,
    name: &str,
    before: &str,
) -> Result<Written, String> {
    let mut writer = StructWriter {
        definitions,
        dropped: Vec::new(),
        structs: Vec::new(),
        known: BTreeMap::new(),
        numbers: numbers(before),
        depth: 0,
        way: Vec::new(),
    };
    let mut here = shape;
    for _ in 0..DEEPEST {
        let Form::Ref(target) = &here.form else { break };
        match definitions.get(target) {
            Some(shape) => here = shape,
            None => break,
        }
    }
    if here.rules.iter().next().is_some() {
        here.rules.iter().for_each(|rule| writer.dropped.push(Dropped::rule(&[], rule)));
    }
    let Form::Object(object) = &here.form else {
        return Err("a struct stands for an object, and the contract is of something else".to_owned());
    };
    let name = identifier(name);
    writer.structure(&name, object)?;
    let text = writer.structs.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
    Ok(Written { text, fragment: Some(name), dropped: writer.dropped })
}

/// The numbers of fields in a text that was written before.
fn numbers(text: &str) -> BTreeMap<(String, String), u32> {
    let mut found = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("struct ") {
            current = rest.split([' ', '{']).next().unwrap_or_default().to_owned();
        } else if let Some((number, rest)) = line.split_once(':')
            && let Ok(number) = number.trim().parse::<u32>()
        {
            let before_rules = rest.split('(').next().unwrap_or_default();
            if let Some(name) = before_rules.split_whitespace().last() {
                found.insert((current.clone(), name.to_owned()), number);
            }
        }
    }
    found
}

fn identifier(name: &str) -> String {
    let mut text: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

fn capital(name: &str) -> String {
    let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
    format!("{}{rest}", first.to_ascii_uppercase())
}

impl StructWriter<'_> {
    fn structure(&mut self, name: &str, object: &Object) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("structs nest too deeply".to_owned());
        }
        if !matches!(object.additional, Additional::Closed) {
            self.dropped.push(Dropped::at(&self.way, format!("`{name}` has no members but its fields")));
        }
        if !object.patterns.is_empty() || object.names.is_some() {
            self.dropped.push(Dropped::at(&self.way, "rules on names of members cannot be said"));
        }
        let mut text = format!("struct {name} {{\n");
        let taken: Vec<u32> = object
            .properties
            .iter()
            .filter_map(|it| self.numbers.get(&(name.to_owned(), it.name.to_string())).copied())
            .collect();
        let mut next = taken.iter().copied().max().unwrap_or(0) + 1;
        for property in &object.properties {
            let field = identifier(&property.name);
            if field != *property.name {
                return Err(format!("`{}` cannot be the name of a field", property.name));
            }
            if matches!(property.shape.form, Form::Never) && !property.required {
                // Nobody may give what is not declared.
                continue;
            }
            self.way.push(property.name.to_string());
            let mut rules = Vec::new();
            let hint = format!("{name}{}", capital(&field));
            let ty = self.typed(&property.shape, &hint, "vt.", &mut rules)?;
            if property.shape.secret {
                rules.push("vt.redact = \"true\"".to_owned());
            }
            let must = property.required || property.requirement.is_some();
            if must && property.shape.nullable {
                self.dropped.push(Dropped::at(
                    &self.way,
                    format!("null is the same as absent, so `{field}` may be absent"),
                ));
            }
            let word = if must && !property.shape.nullable { "required" } else { "optional" };
            let number = match self.numbers.get(&(name.to_owned(), field.clone())) {
                Some(number) => *number,
                None => {
                    next += 1;
                    next - 1
                }
            };
            let rules = if rules.is_empty() { String::new() } else { format!(" ({})", rules.join(", ")) };
            if let Some(description) = &property.shape.description {
                for line in description.lines() {
                    let _ = writeln!(text, "  // {line}");
                }
            }
            let _ = writeln!(text, "  {number}: {word} {ty} {field}{rules}");
            self.way.pop();
        }
        text.push_str("}\n");
        self.structs.push((name.to_owned(), text));
        self.depth -= 1;
        Ok(())
    }

    /// A type, and the rules on it; `prefix` leads from the field to what has the type.
    fn typed(
        &mut self,
        shape: &Shape,
        hint: &str,
        prefix: &str,
        rules: &mut Vec<String>,
    ) -> Result<String, String> {
        let ty = self.form(shape, hint, prefix, rules)?;
        for rule in shape.rules.iter() {
            match said(rule, prefix, shape) {
                Some(text) => rules.push(text),
                None => self.dropped.push(Dropped::rule(&self.way, rule)),
            }
        }
        Ok(ty)
    }

    fn form(
        &mut self,
        shape: &Shape,
        hint: &str,
        prefix: &str,
        rules: &mut Vec<String>,
    ) -> Result<String, String> {
        Ok(match &shape.form {
            Form::Bool => "bool".to_owned(),
            Form::Int(width) => integer(*width, shape).to_owned(),
            Form::Number => "double".to_owned(),
            Form::Text | Form::Bytes => "string".to_owned(),
            Form::List(element) => {
                format!("list<{}>", self.typed(element, hint, &format!("{prefix}elem."), rules)?)
            }
            Form::Set(element) => {
                format!("set<{}>", self.typed(element, hint, &format!("{prefix}elem."), rules)?)
            }
            Form::Map(key, value) => {
                let key = self.typed(key, hint, &format!("{prefix}key."), rules)?;
                format!("map<{key}, {}>", self.typed(value, hint, &format!("{prefix}value."), rules)?)
            }
            Form::Object(object) if object.properties.is_empty() => match &object.additional {
                Additional::Shape(value) => {
                    format!("map<string, {}>", self.typed(value, hint, &format!("{prefix}value."), rules)?)
                }
                Additional::Open | Additional::Closed => {
                    return Err("an object without properties cannot be said".to_owned());
                }
            },
            Form::Object(object) => {
                self.structure(hint, object)?;
                hint.to_owned()
            }
            Form::Ref(name) => {
                if let Some(known) = self.known.get(&**name) {
                    return Ok(known.clone());
                }
                let Some(target) = self.definitions.get(name) else {
                    return Err(format!("`{name}` is not defined"));
                };
                match &target.form {
                    Form::Object(object) if !object.properties.is_empty() => {
                        let own = capital(&identifier(name));
                        self.known.insert(name.to_string(), own.clone());
                        target
                            .rules
                            .iter()
                            .for_each(|rule| self.dropped.push(Dropped::rule(&self.way, rule)));
                        self.structure(&own, object)?;
                        own
                    }
                    _ => {
                        self.depth += 1;
                        if self.depth > DEEPEST {
                            return Err("a definition that contains itself cannot be said".to_owned());
                        }
                        let ty = self.typed(target, hint, prefix, rules)?;
                        self.depth -= 1;
                        ty
                    }
                }
            }
            Form::Enum(members) => {
                let mut text = format!("enum {hint} {{\n");
                for (name, number) in &members.members {
                    let _ = writeln!(text, "  {} = {number}", identifier(name));
                }
                text.push_str("}\n");
                self.structs.push((hint.to_owned(), text));
                if !members.open {
                    rules.push(format!("{prefix}defined_only = \"true\""));
                }
                hint.to_owned()
            }
            Form::Any => match kind_of_values(shape) {
                Some(ty) => ty.to_owned(),
                None => return Err("values of every kind cannot be said".to_owned()),
            },
            Form::All(parts) if parts.len() == 1 => match parts.first() {
                Some(only) => self.typed(only, hint, prefix, rules)?,
                None => return Err("values of every kind cannot be said".to_owned()),
            },
            Form::Tuple(_) => return Err("lists whose elements differ by position cannot be said".to_owned()),
            Form::Union(_) | Form::All(_) => {
                return Err("alternatives and combinations cannot be said".to_owned());
            }
            Form::Null | Form::Never => return Err("null alone cannot be said".to_owned()),
        })
    }
}

/// The type of constants that are all of one kind.
fn kind_of_values(shape: &Shape) -> Option<&'static str> {
    let values: Vec<&Constant> = shape
        .rules
        .iter()
        .filter_map(|rule| match &rule.test {
            Test::In(operands) => Some(operands.iter().collect::<Vec<_>>()),
            _ => None,
        })
        .flatten()
        .filter_map(|operand| match operand {
            Operand::Constant(constant) => Some(constant),
            _ => None,
        })
        .collect();
    if !values.is_empty() && values.iter().all(|it| matches!(it, Constant::Text(_))) {
        return Some("string");
    }
    (!values.is_empty() && values.iter().all(|it| matches!(it, Constant::Int(_)))).then_some("i64")
}

fn integer(width: IntWidth, shape: &Shape) -> &'static str {
    match width {
        IntWidth::I8 => return "i8",
        IntWidth::I16 => return "i16",
        IntWidth::I32 => return "i32",
        _ => {}
    }
    let bound = |least: bool| {
        shape.rules.iter().find_map(|rule| match (&rule.test, rule.test.operand()) {
            (
                Test::Minimum(_) | Test::ExclusiveMinimum(_) | Test::Ge(_) | Test::Gt(_),
                Some(Operand::Constant(Constant::Int(value))),
            ) if least => Some(*value),
            (
                Test::Maximum(_) | Test::ExclusiveMaximum(_) | Test::Le(_) | Test::Lt(_),
                Some(Operand::Constant(Constant::Int(value))),
            ) if !least => Some(*value),
            _ => None,
        })
    };
    match (bound(true), bound(false)) {
        (Some(least), Some(most)) if least >= i64::from(i32::MIN) && most <= i64::from(i32::MAX) => "i32",
        _ => "i64",
    }
}

/// A rule as an annotation; none if it cannot be said.
fn said(rule: &Rule, prefix: &str, shape: &Shape) -> Option<String> {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let number = match rule.test.operand() {
        Some(Operand::Constant(constant @ (Constant::Int(_) | Constant::UInt(_) | Constant::Float(_)))) => {
            Some(constant.to_string())
        }
        _ => None,
    };
    let one = |name: &str| number.as_ref().map(|number| format!("{prefix}{name} = {}", quoted(number)));
    let sized = matches!(
        shape.form,
        Form::Text | Form::Bytes | Form::List(_) | Form::Set(_) | Form::Map(..) | Form::Object(_)
    );
    match &rule.test {
        Test::Minimum(_) | Test::Ge(_) => one("ge"),
        Test::Maximum(_) | Test::Le(_) => one("le"),
        Test::ExclusiveMinimum(_) | Test::Gt(_) => one("gt"),
        Test::ExclusiveMaximum(_) | Test::Lt(_) => one("lt"),
        Test::MinLength(unit, _) if sized => match unit {
            Unit::Bytes | Unit::Scalars | Unit::Utf16 | Unit::Items | Unit::Properties => one("min_size"),
        },
        Test::MaxLength(_, _) if sized => one("max_size"),
        Test::Pattern(pattern) => {
            let text = match pattern.dialect() {
                PatternSyntax::Re2 => pattern.source().to_owned(),
                _ => pattern.translate(Engine::Go)?.text,
            };
            Some(format!("{prefix}pattern = {}", quoted(&text)))
        }
        Test::Prefix(Operand::Constant(Constant::Text(text))) => {
            Some(format!("{prefix}prefix = {}", quoted(text)))
        }
        Test::Suffix(Operand::Constant(Constant::Text(text))) => {
            Some(format!("{prefix}suffix = {}", quoted(text)))
        }
        Test::Contains(Operand::Constant(Constant::Text(text))) => {
            Some(format!("{prefix}contains = {}", quoted(text)))
        }
        Test::In(operands) => {
            let values: Option<Vec<String>> = operands
                .iter()
                .map(|operand| match operand {
                    Operand::Constant(Constant::Text(text)) => Some(format!("{prefix}in = {}", quoted(text))),
                    Operand::Constant(Constant::Int(value)) => Some(format!("{prefix}in = \"{value}\"")),
                    _ => None,
                })
                .collect();
            values.map(|values| values.join(", "))
        }
        Test::Constant(constant) | Test::Eq(Operand::Constant(constant)) => match constant {
            Constant::Text(text) => Some(format!("{prefix}const = {}", quoted(text))),
            Constant::Int(value) => Some(format!("{prefix}const = \"{value}\"")),
            Constant::Bool(value) => Some(format!("{prefix}const = \"{value}\"")),
            _ => None,
        },
        _ => None,
    }
}
