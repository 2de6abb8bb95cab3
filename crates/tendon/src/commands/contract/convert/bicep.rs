//! A contract as types of Bicep.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use contract::rules::{Rule, Test};
use contract::{Additional, Constant, Definitions, Form, Object, Operand, Select, Shape, Unit};

use super::schema::text_of;
use super::{Dropped, Written};

struct TypeWriter<'d> {
    definitions: &'d Definitions,
    dropped: Vec<Dropped>,
    /// Types that need a name of their own, because decorators cannot stand where they are used.
    helpers: Vec<(String, Typed)>,
    taken: BTreeSet<String>,
    /// The names of the members on the way to what is written.
    way: Vec<String>,
}

/// A type with the decorators that stand before what has it.
struct Typed {
    decorators: Vec<String>,
    text: String,
}

/// Writes the types, and a parameter that has the first of them.
pub(super) fn write(shape: &Shape, definitions: &Definitions, name: &str) -> Result<Written, String> {
    let taken: BTreeSet<String> = definitions.keys().map(|known| identifier(known)).collect();
    let (dropped, helpers) = (Vec::new(), Vec::new());
    let mut writer = TypeWriter { definitions, dropped, helpers, taken, way: Vec::new() };
    let mut text = String::new();
    let name = writer.free(&identifier(name));
    writer.way.push(name.clone());
    writer.declare(&mut text, &name, shape, true)?;
    for (known, shape) in definitions {
        let known = identifier(known);
        text.push('\n');
        writer.way = vec![known.clone()];
        writer.declare(&mut text, &known, shape, false)?;
    }
    for (name, typed) in std::mem::take(&mut writer.helpers) {
        text.push('\n');
        for decorator in &typed.decorators {
            let _ = writeln!(text, "{decorator}");
        }
        let _ = writeln!(text, "type {name} = {}", typed.text);
    }
    let _ = write!(text, "\nparam value {name}\n");
    let tree = syntax::parse(text, syntax::SourceKind::Bicep);
    let text = syntax::format::format(&tree, &syntax::format::FormatOptions::default());
    Ok(Written { text, fragment: Some("value".to_owned()), dropped: writer.dropped })
}

/// A name with a capital first.
fn capital(name: &str) -> String {
    let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
    format!("{}{rest}", first.to_ascii_uppercase())
}

/// A name that Bicep reads as one.
fn identifier(name: &str) -> String {
    let mut text: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    const TAKEN: &[&str] = &["string", "int", "bool", "object", "array", "any", "resource", "value"];
    if TAKEN.contains(&text.as_str()) {
        text.push_str("Type");
    }
    text
}

/// A text as a literal.
fn literal(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('\'', "\\'")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t")
        .replace("${", "\\${");
    format!("'{escaped}'")
}

fn constant(value: &Constant) -> Option<String> {
    Some(match value {
        Constant::Text(text) => literal(text),
        Constant::Int(value) => value.to_string(),
        Constant::Bool(value) => value.to_string(),
        Constant::Float(value) if value.trunc() == *value && value.abs() < 9e15 => {
            format!("{}", *value as i64)
        }
        _ => return None,
    })
}

impl TypeWriter<'_> {
    /// A name like this that no type has yet.
    fn free(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let found = std::iter::once(name.to_owned()).chain(numbered).find(|it| !self.taken.contains(it));
        let found = found.unwrap_or_default();
        self.taken.insert(found.clone());
        found
    }

    /// The name of a new type for something on the way.
    fn helper(&mut self, last: &str, typed: Typed) -> String {
        let way: String = self.way.iter().map(|name| capital(&identifier(name))).collect();
        let name = self.free(&format!("{way}{}", capital(&identifier(last))));
        self.helpers.push((name.clone(), typed));
        name
    }

    /// Notes that something is left out here.
    fn drop(&mut self, message: impl Into<String>) {
        self.dropped.push(Dropped::at(self.way.get(1..).unwrap_or_default(), message));
    }

    fn declare(&mut self, out: &mut String, name: &str, shape: &Shape, exported: bool) -> Result<(), String> {
        let typed = self.typed(shape, 0)?;
        if let Some(description) = &shape.description {
            let _ = writeln!(out, "@description({})", literal(description));
        }
        if exported {
            out.push_str("@export()\n");
        }
        for decorator in &typed.decorators {
            let _ = writeln!(out, "{decorator}");
        }
        let _ = writeln!(out, "type {name} = {}", typed.text);
        Ok(())
    }

    fn typed(&mut self, shape: &Shape, level: usize) -> Result<Typed, String> {
        let mut decorators = Vec::new();
        let mut values: Option<Vec<String>> = None;
        for rule in shape.rules.iter() {
            match self.rule(rule, shape) {
                Said::Decorator(text) => decorators.push(text),
                Said::Values(found) => {
                    values = Some(match values {
                        None => found,
                        Some(known) => known.into_iter().filter(|it| found.contains(it)).collect(),
                    });
                }
                Said::Null(found) => {
                    values = Some(found);
                }
                Said::Nothing => {
                    self.dropped.push(Dropped::rule(self.way.get(1..).unwrap_or_default(), rule))
                }
            }
        }
        let mut text = match values {
            Some(values) if !values.is_empty() => {
                decorators.clear();
                values.join(" | ")
            }
            _ => self.form(&shape.form, level, &mut decorators)?,
        };
        if shape.secret && matches!(shape.form, Form::Text | Form::Object(_)) {
            decorators.push("@secure()".to_owned());
        }
        if shape.nullable {
            text = if text.contains(" | ") { format!("({text})?") } else { format!("{text}?") };
        }
        Ok(Typed { decorators, text })
    }

    fn form(&mut self, form: &Form, level: usize, decorators: &mut Vec<String>) -> Result<String, String> {
        Ok(match form {
            Form::Bool => "bool".to_owned(),
            Form::Int(width) => {
                if let Some((least, most)) = width.range().filter(|_| decorators.is_empty()) {
                    if least > i128::from(i64::MIN) {
                        decorators.push(format!("@minValue({least})"));
                    }
                    if most < i128::from(i64::MAX) {
                        decorators.push(format!("@maxValue({most})"));
                    }
                }
                "int".to_owned()
            }
            Form::Number => {
                self.drop("numbers with a fraction cannot be said");
                "int".to_owned()
            }
            Form::Text | Form::Bytes => "string".to_owned(),
            Form::Enum(members) => {
                let numbers: Vec<String> =
                    members.members.iter().map(|(_, number)| number.to_string()).collect();
                let names = members.members.iter().map(|(name, _)| literal(name));
                match (members.open, members.by_name) {
                    (true, _) => "int".to_owned(),
                    (false, true) => names.collect::<Vec<_>>().join(" | "),
                    (false, false) => numbers.join(" | "),
                }
            }
            Form::List(element) | Form::Set(element) => {
                if matches!(form, Form::Set(_)) {
                    self.drop("that elements differ cannot be said");
                }
                self.elements(element, level)?
            }
            Form::Tuple(tuple) => {
                if tuple.rest.is_some() || tuple.least < tuple.items.len() {
                    self.drop("a tuple has as many elements as it lists");
                }
                let mut text = "[\n".to_owned();
                for item in &tuple.items {
                    self.part(&mut text, "", item, level + 1)?;
                }
                text.push_str(&"  ".repeat(level));
                text.push(']');
                text
            }
            Form::Map(_, value) => {
                let inner = self.typed(value, level + 1)?;
                let mut text = "{\n".to_owned();
                self.lines(&mut text, "*: ", &inner, level + 1);
                text.push_str(&"  ".repeat(level));
                text.push('}');
                text
            }
            Form::Object(object) => self.object(object, level, decorators)?,
            Form::Union(union) => {
                if let Select::Property { name, values } = &union.select {
                    decorators.push(format!("@discriminator({})", literal(name)));
                    return self.tagged(&union.alternatives, values);
                }
                let alternatives: Result<Vec<String>, String> =
                    union.alternatives.iter().map(|part| self.typed(part, level).map(|it| it.text)).collect();
                let mut alternatives = alternatives?;
                alternatives.dedup();
                if union.select == Select::Kind
                    && union.alternatives.iter().any(|it| matches!(it.form, Form::Any))
                {
                    return Err("values of any kind beside others cannot be said".to_owned());
                }
                let literals = alternatives.iter().all(|it| {
                    it.split(" | ").all(|one| {
                        one.starts_with('\'') || one.parse::<i64>().is_ok() || one == "true" || one == "false"
                    })
                });
                match alternatives.as_slice() {
                    [only] => only.clone(),
                    _ if literals => alternatives.join(" | "),
                    _ => return Err("alternatives of several kinds cannot be said".to_owned()),
                }
            }
            Form::Ref(name) => {
                if !self.definitions.contains_key(name) {
                    return Err(format!("`{name}` is not defined"));
                }
                identifier(name)
            }
            Form::All(shapes) => match shapes.as_slice() {
                [only] => self.form(&only.form, level, decorators)?,
                _ => {
                    let said: Vec<&Shape> =
                        shapes.iter().filter(|shape| !matches!(shape.form, Form::Any)).collect();
                    match said.as_slice() {
                        [] => return Err("values of every kind cannot be said".to_owned()),
                        [first, ..] => {
                            if said.len() > 1 {
                                self.drop("only the first of several shapes is kept");
                            }
                            let typed = self.typed(first, level)?;
                            decorators.extend(typed.decorators);
                            typed.text
                        }
                    }
                }
            },
            Form::Null => "null".to_owned(),
            Form::Any => return Err("values of every kind cannot be said".to_owned()),
            Form::Never => return Err("a contract that nothing satisfies cannot be said".to_owned()),
        })
    }

    /// Alternatives that a tag tells apart, each a type of its own.
    fn tagged(&mut self, alternatives: &[Shape], values: &[(Box<str>, usize)]) -> Result<String, String> {
        let mut names = Vec::new();
        for (at, alternative) in alternatives.iter().enumerate() {
            let typed = self.typed(alternative, 0)?;
            if matches!(alternative.form, Form::Ref(_)) && typed.decorators.is_empty() {
                names.push(typed.text);
                continue;
            }
            let tag = values.iter().find(|(_, place)| *place == at).map_or("other", |(tag, _)| tag);
            names.push(self.helper(tag, typed));
        }
        Ok(names.join(" | "))
    }

    fn elements(&mut self, element: &Shape, level: usize) -> Result<String, String> {
        if matches!(element.form, Form::Any) && element.rules.iter().next().is_none() {
            return Ok("array".to_owned());
        }
        let mut inner = self.typed(element, level)?;
        if !inner.decorators.is_empty() {
            // Null is said beside the name.
            let nullable = element.nullable;
            let plain = Shape { nullable: false, ..element.clone() };
            let typed = if nullable { self.typed(&plain, 0)? } else { self.typed(element, 0)? };
            let name = self.helper("item", typed);
            inner = Typed { decorators: Vec::new(), text: if nullable { format!("{name}?") } else { name } };
        }
        let plain = inner.text.contains(" | ") || inner.text.ends_with('?');
        Ok(if plain { format!("({})[]", inner.text) } else { format!("{}[]", inner.text) })
    }

    fn object(
        &mut self,
        object: &Object,
        level: usize,
        decorators: &mut Vec<String>,
    ) -> Result<String, String> {
        if !object.patterns.is_empty() {
            self.drop("properties by a pattern on their name cannot be said");
        }
        if object.names.is_some() {
            self.drop("what names are cannot be said");
        }
        if object.properties.is_empty() && matches!(object.additional, Additional::Open) {
            return Ok("object".to_owned());
        }
        if matches!(object.additional, Additional::Closed) && object.patterns.is_empty() {
            decorators.push("@sealed()".to_owned());
        }
        let mut text = "{\n".to_owned();
        for property in &object.properties {
            let fixed = |rule: &Rule| matches!(rule.test, Test::In(_) | Test::Constant(_) | Test::Eq(_));
            let closed = matches!(object.additional, Additional::Closed);
            if matches!(property.shape.form, Form::Never) && !property.required && closed {
                // Nobody may give what is not declared.
                continue;
            }
            let any = matches!(property.shape.form, Form::Any) && !property.shape.rules.iter().any(fixed);
            if any {
                self.drop(format!("`{}` has values of every kind", property.name));
                continue;
            }
            let mut shape = property.shape.clone();
            shape.nullable |= !property.required && property.requirement.is_none();
            let plain = property.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !property.name.starts_with(|c: char| c.is_ascii_digit())
                && !property.name.is_empty();
            let name = if plain { property.name.to_string() } else { literal(&property.name) };
            self.way.push(property.name.to_string());
            self.part(&mut text, &format!("{name}: "), &shape, level + 1)?;
            self.way.pop();
        }
        if let Additional::Shape(shape) = &object.additional {
            self.part(&mut text, "*: ", shape, level + 1)?;
        }
        text.push_str(&"  ".repeat(level));
        text.push('}');
        Ok(text)
    }

    fn part(&mut self, out: &mut String, prefix: &str, shape: &Shape, level: usize) -> Result<(), String> {
        let typed = self.typed(shape, level)?;
        if let Some(description) = &shape.description {
            let _ = writeln!(out, "{}@description({})", "  ".repeat(level), literal(description));
        }
        self.lines(out, prefix, &typed, level);
        Ok(())
    }

    fn lines(&self, out: &mut String, prefix: &str, typed: &Typed, level: usize) {
        let indent = "  ".repeat(level);
        for decorator in &typed.decorators {
            let _ = writeln!(out, "{indent}{decorator}");
        }
        let _ = writeln!(out, "{indent}{prefix}{}", typed.text);
    }

    fn rule(&self, rule: &Rule, shape: &Shape) -> Said {
        let number = |shift: i64| match rule.test.operand() {
            Some(Operand::Constant(value)) => match value {
                Constant::Int(value) => value.checked_add(shift),
                Constant::Float(value) if value.abs() < 9e15 => {
                    let rounded = if shift >= 0 { value.ceil() } else { value.floor() };
                    let strict = rounded == *value;
                    (rounded as i64).checked_add(if strict { shift } else { 0 })
                }
                _ => None,
            },
            _ => None,
        };
        let decorated = |name: &str, value: Option<i64>| match value {
            Some(value) => Said::Decorator(format!("@{name}({value})")),
            None => Said::Nothing,
        };
        let is_number = matches!(shape.form, Form::Int(_) | Form::Number);
        match &rule.test {
            Test::Minimum(_) | Test::Ge(_) if is_number => match rule.test.operand() {
                Some(Operand::Constant(Constant::Float(value))) if value.abs() < 9e15 => {
                    decorated("minValue", Some(value.ceil() as i64))
                }
                _ => decorated("minValue", number(0)),
            },
            Test::Maximum(_) | Test::Le(_) if is_number => match rule.test.operand() {
                Some(Operand::Constant(Constant::Float(value))) if value.abs() < 9e15 => {
                    decorated("maxValue", Some(value.floor() as i64))
                }
                _ => decorated("maxValue", number(0)),
            },
            Test::ExclusiveMinimum(_) | Test::Gt(_) if is_number => decorated("minValue", number(1)),
            Test::ExclusiveMaximum(_) | Test::Lt(_) if is_number => decorated("maxValue", number(-1)),
            Test::MinLength(Unit::Scalars | Unit::Utf16 | Unit::Bytes | Unit::Items, _) => {
                decorated("minLength", number(0))
            }
            Test::MaxLength(Unit::Scalars | Unit::Utf16 | Unit::Bytes | Unit::Items, _) => {
                decorated("maxLength", number(0))
            }
            Test::In(operands) => {
                let values: Option<Vec<String>> = operands
                    .iter()
                    .map(|operand| match operand {
                        Operand::Constant(value) => constant(value),
                        _ => None,
                    })
                    .collect();
                values.map_or(Said::Nothing, Said::Values)
            }
            Test::Eq(Operand::Constant(value)) | Test::Constant(value) => match constant(value) {
                Some(text) => Said::Values(vec![text]),
                None if text_of(value).is_none() && *value == Constant::Null => {
                    Said::Null(vec!["null".to_owned()])
                }
                None => Said::Nothing,
            },
            _ => Said::Nothing,
        }
    }
}

/// How a rule is said.
enum Said {
    Decorator(String),
    Values(Vec<String>),
    Null(Vec<String>),
    Nothing,
}
