//! A contract as an outline for people: one part a line, its type and its rules in words.

use std::borrow::Cow;
use std::fmt;

use crate::contract::Contract;
use crate::operand::Operand;
use crate::rules::{Rule, Test, count};
use crate::shape::{Additional, Definitions, Form, Object, Property, Select, Shape, Tuple, Union};
use value::Constant;
use value::show::{self, MASK};

impl Contract {
    /// Writes the contract as an outline for people.
    ///
    /// ```
    /// use contract::{Contract, Definitions, Property, Shape, Test, Unit};
    ///
    /// let password = Shape::text().secret().must(Test::MinLength(Unit::Scalars, 8.into()));
    /// let account = Shape::object([Property::required("password", password)]);
    /// let contract = Contract::compile(&account, &Definitions::new()).unwrap();
    /// assert_eq!(contract.to_text(), "object\n  password: string, required, secret, at least 8 characters\n");
    /// ```
    pub fn to_text(&self) -> String {
        outline(&self.shape, &self.definitions)
    }
}

/// Writes the outline, as [`Contract::to_text`] does.
impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// What the JSON form calls the contract as a definition of itself.
const WHOLE: &str = "#";

fn outline(shape: &Shape, definitions: &Definitions) -> String {
    let mut outline = Outline { text: String::new(), level: 0 };
    outline.shape("", shape, false);
    // What refers to the whole contract is told above.
    let definitions = || definitions.iter().filter(|(name, _)| ***name != *WHOLE);
    if definitions().next().is_some() {
        outline.line("definitions");
        outline.inside(|outline| {
            for (name, shape) in definitions() {
                outline.shape(name, shape, false);
            }
        });
    }
    outline.text
}

/// An outline while it is written.
struct Outline {
    text: String,
    level: usize,
}

impl Outline {
    fn line(&mut self, line: &str) {
        const INDENT: &str = "  ";
        self.text.push_str(&INDENT.repeat(self.level));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn inside(&mut self, write: impl FnOnce(&mut Outline)) {
        self.level += 1;
        write(self);
        self.level -= 1;
    }

    /// Writes a part by its name: what it is in one line, then its own parts below.
    fn shape(&mut self, name: &str, shape: &Shape, required: bool) {
        for line in shape.description.iter().flat_map(|text| text.lines()) {
            self.line(format!("# {line}").trim_end());
        }
        let headline = headline(shape, required);
        match name {
            "" => self.line(&headline),
            name => self.line(&format!("{}: {headline}", label(name))),
        }
        self.inside(|outline| outline.parts(shape));
    }

    fn parts(&mut self, shape: &Shape) {
        match &shape.form {
            Form::List(items) | Form::Set(items) if !is_line(items) => self.shape("each", items, false),
            Form::Tuple(tuple) => self.tuple(tuple),
            Form::Map(key, value) => {
                if !is_plain_key(key) {
                    self.shape("keys", key, false);
                }
                if !is_line(value) {
                    self.shape("values", value, false);
                }
            }
            Form::Object(object) => self.object(object),
            Form::Union(union) => self.union(union),
            Form::All(shapes) => self.numbered(shapes),
            _ => {}
        }
        for rule in &shape.rules {
            for (name, part) in parts_of(&rule.test) {
                self.shape(&name, part, false);
            }
        }
    }

    fn numbered(&mut self, shapes: &[Shape]) {
        for (shape, number) in shapes.iter().zip(1u32..) {
            self.shape(&number.to_string(), shape, false);
        }
    }

    fn tuple(&mut self, tuple: &Tuple) {
        for (position, item) in tuple.items.iter().enumerate() {
            self.shape(&format!("[{position}]"), item, position < tuple.least);
        }
        match &tuple.rest {
            Some(rest) if **rest != Shape { place: rest.place, ..Shape::any() } => {
                self.shape("others", rest, false);
            }
            _ => {}
        }
    }

    fn object(&mut self, object: &Object) {
        for Property { name, shape, required, .. } in &object.properties {
            self.shape(name, shape, *required);
        }
        for (pattern, shape) in &object.patterns {
            self.shape(&format!("/{}/", pattern.source()), shape, false);
        }
        if let Additional::Shape(shape) = &object.additional {
            self.shape("others", shape, false);
        }
        if let Some(names) = &object.names {
            self.shape("keys", names, false);
        }
    }

    fn union(&mut self, union: &Union) {
        let Select::Property { values, .. } = &union.select else {
            return self.numbered(&union.alternatives);
        };
        for (value, position) in values {
            if let Some(shape) = union.alternatives.get(*position) {
                self.shape(&show::short(&Constant::text(value)), shape, false);
            }
        }
    }
}

/// A name as it stands before a colon: as it is, or quoted if that would be misread.
fn label(name: &str) -> String {
    let plain = |c: char| !c.is_control() && c != ':';
    match !name.starts_with(char::is_whitespace)
        && !name.ends_with(char::is_whitespace)
        && name.chars().all(plain)
    {
        true => name.to_owned(),
        false => show::short(&Constant::text(name)),
    }
}

/// What a shape is, in one line.
fn headline(shape: &Shape, required: bool) -> String {
    let mut facts = vec![match shape.nullable {
        true => format!("{} or null", kind(&shape.form)),
        false => kind(&shape.form),
    }];
    if let Some(title) = &shape.title {
        facts.push(format!("called `{title}`"));
    }
    if required {
        facts.push("required".to_owned());
    }
    if shape.secret {
        facts.push("secret".to_owned());
    }
    if let Form::Object(object) = &shape.form
        && object.additional == Additional::Closed
    {
        facts.push("nothing else".to_owned());
    }
    facts.extend(shape.rules.iter().filter(|rule| !has_parts(&rule.test)).map(|rule| demand(rule, shape)));
    if let Some(default) = shape.default.as_deref() {
        let shown = if shape.secret { MASK.to_owned() } else { show::short(default) };
        facts.push(format!("default {shown}"));
    }
    facts.join(", ")
}

/// The word for a form; a list or map of something simple says of what.
fn kind(form: &Form) -> String {
    let of = |word: &str, part: &Shape| match is_line(part) {
        true => match headline(part, false).as_str() {
            "anything" => word.to_owned(),
            part if part.contains(", ") => format!("{word} of ({part})"),
            part => format!("{word} of {part}"),
        },
        false => word.to_owned(),
    };
    match form {
        Form::Any => "anything".to_owned(),
        Form::Never => "nothing".to_owned(),
        Form::Null => "null".to_owned(),
        Form::Bool => "boolean".to_owned(),
        Form::Int(width) => match width.name() {
            Some(width) => format!("integer of {width}"),
            None => "integer".to_owned(),
        },
        Form::Number => "number".to_owned(),
        Form::Text => "string".to_owned(),
        Form::Bytes => "bytes".to_owned(),
        Form::Enum(it) => {
            let members: Vec<String> =
                it.members.iter().map(|(name, number)| format!("{name} = {number}")).collect();
            let open = if it.open { " or another number" } else { "" };
            format!("enum {}{open}", members.join(", "))
        }
        Form::List(items) => of("array", items),
        Form::Set(items) => of("set", items),
        Form::Tuple(tuple) => match tuple.rest {
            None => "tuple".to_owned(),
            Some(_) => "array".to_owned(),
        },
        Form::Map(_, value) => of("map", value),
        Form::Object(_) => "object".to_owned(),
        Form::Union(union) => match &union.select {
            Select::Any => "any of".to_owned(),
            Select::One => "exactly one of".to_owned(),
            Select::Kind => "by its kind, one of".to_owned(),
            Select::Property { name, .. } => format!("by the property `{name}`, one of"),
        },
        Form::All(_) => "all of".to_owned(),
        Form::Ref(name) if **name == *WHOLE => "the whole contract".to_owned(),
        Form::Ref(name) => format!("`{name}`"),
    }
}

/// A rule as a fact: `at least 3`, `not equal to 0`.
fn demand(rule: &Rule, shape: &Shape) -> String {
    let listed: Vec<String> = match &rule.test {
        Test::Constant(_) | Test::Eq(_) | Test::In(_) if shape.secret => vec![MASK.to_owned()],
        Test::Constant(constant) => vec![show::short(constant)],
        Test::In(operands) | Test::NotIn(operands) => operands.iter().map(operand_text).collect(),
        Test::Pattern(pattern) => vec![format!("`{}`", pattern.source())],
        Test::Format(format) => vec![format.name().to_owned()],
        other => other.operand().map(operand_text).into_iter().collect(),
    };
    let demand = rule.test.demand(&listed.join(", "));
    let fact = FACTS.iter().find_map(|(must, fact)| Some(format!("{fact}{}", demand.strip_prefix(must)?)));
    fact.unwrap_or(demand)
}

/// How demands begin, and how the facts do that they make.
const FACTS: &[(&str, &str)] = &[
    ("must be ", ""),
    ("must have ", ""),
    ("must not have ", "no "),
    ("must equal ", "equals "),
    ("must not equal ", "not "),
    ("must match ", "matches "),
    ("must start ", "starts "),
    ("must end ", "ends "),
    ("must contain ", "contains "),
    ("must not contain ", "does not contain "),
    ("must satisfy ", "satisfies "),
];

fn operand_text(operand: &Operand) -> String {
    match operand {
        Operand::Constant(constant) => show::short(constant),
        other => other.to_string(),
    }
}

/// The parts that a rule holds, with what they are called.
fn parts_of(test: &Test) -> Vec<(Cow<'static, str>, &Shape)> {
    match test {
        Test::Elements(shape) => vec![("each".into(), shape)],
        Test::Keys(shape) => vec![("keys".into(), shape)],
        Test::Values(shape) => vec![("values".into(), shape)],
        Test::Not(shape) => vec![("not".into(), shape)],
        Test::If(it) => {
            let further = [("then", &it.then), ("else", &it.otherwise)];
            let further =
                further.into_iter().filter_map(|(name, shape)| Some((name.into(), shape.as_ref()?)));
            std::iter::once(("if".into(), &it.test)).chain(further).collect()
        }
        Test::Containment(it) => vec![(format!("contains {}", count(it.least, it.most)).into(), &it.shape)],
        Test::Dependent(it) => vec![(format!("with `{}`", it.property).into(), &it.shape)],
        _ => Vec::new(),
    }
}

/// Whether a rule is told by the parts that it holds.
fn has_parts(test: &Test) -> bool {
    !parts_of(test).is_empty()
}

/// Whether a shape is told in one line.
fn is_line(shape: &Shape) -> bool {
    let form = match &shape.form {
        Form::List(part) | Form::Set(part) => is_line(part),
        Form::Map(key, value) => is_plain_key(key) && is_line(value),
        Form::Tuple(_) | Form::Union(_) | Form::All(_) => false,
        Form::Object(object) => {
            object.properties.is_empty()
                && object.patterns.is_empty()
                && object.names.is_none()
                && !matches!(object.additional, Additional::Shape(_))
        }
        _ => true,
    };
    form && shape.description.is_none() && shape.rules.iter().all(|rule| !has_parts(&rule.test))
}

fn is_plain_key(key: &Shape) -> bool {
    matches!(key.form, Form::Text | Form::Any) && key.rules.is_empty()
}
