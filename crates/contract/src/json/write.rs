//! Shapes to a contract in JSON, pretty-printed, members in a fixed order.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::operand::{Base, Operand, Reference, ReferenceStep};
use crate::pattern::PatternSyntax;
use crate::rules::{Presence, Rule, Test, Unit};
use crate::shape::{Additional, Definitions, Form, Object, Select, Shape, Union};
use value::Constant;
use value::number::IntWidth;

/// Writes a shape and its definitions as a contract in JSON.
///
/// Widths become formats, and enums lists of numbers and names, because JSON has no closer words. What has a
/// tag in its dialect, or a value that stands for it when it is absent, loses it; alternatives that are chosen
/// by kind and overlap become `anyOf`; bytes that are not text are written in hexadecimal.
pub fn write(shape: &Shape, definitions: &Definitions) -> String {
    let mut members = shape_members(shape);
    if !definitions.is_empty() {
        let defined = definitions.iter().map(|(name, shape)| (name.to_string(), shape_json(shape))).collect();
        members.push(("$defs".to_owned(), JsonNode::Object(defined)));
    }
    let mut out = String::new();
    JsonNode::Object(members).write(&mut out, 0);
    out.push('\n');
    out
}

/// A JSON value on its way to text. Object members keep their order.
enum JsonNode {
    Constant(Constant),
    List(Vec<JsonNode>),
    Object(Vec<(String, JsonNode)>),
}

impl<T: Into<Constant>> From<T> for JsonNode {
    fn from(value: T) -> JsonNode {
        JsonNode::Constant(value.into())
    }
}

impl JsonNode {
    fn write(&self, out: &mut String, level: usize) {
        match self {
            JsonNode::Constant(constant) => write_constant(out, constant),
            JsonNode::List(items) if items.iter().all(|item| matches!(item, JsonNode::Constant(_))) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    item.write(out, level);
                }
                out.push(']');
            }
            JsonNode::List(items) => {
                write_lines(out, level, ['[', ']'], items, |out, item| item.write(out, level + 1));
            }
            JsonNode::Object(members) => {
                write_lines(out, level, ['{', '}'], members, |out, (name, value)| {
                    // Writing to a string cannot fail.
                    let _ = value::show::write_text(out, name);
                    out.push_str(": ");
                    value.write(out, level + 1);
                });
            }
        }
    }
}

/// Writes a constant as JSON proper: bytes and keys as strings, and null for what is not a number.
fn write_constant(out: &mut String, constant: &Constant) {
    // Writing to a string cannot fail.
    let _ = match constant {
        Constant::Bytes(bytes) => {
            let text = std::str::from_utf8(bytes).map_or_else(|_| constant.to_string(), str::to_owned);
            value::show::write_text(out, &text)
        }
        Constant::Float(value) if !value.is_finite() => out.write_str("null"),
        Constant::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_constant(out, item);
            }
            out.write_char(']')
        }
        Constant::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                match key {
                    Constant::Text(_) | Constant::Bytes(_) => write_constant(out, key),
                    key => _ = value::show::write_text(out, &key.to_string()),
                }
                out.push(':');
                write_constant(out, value);
            }
            out.write_char('}')
        }
        scalar => out.write_str(&scalar.to_string()),
    };
}

/// Writes items between brackets, one on each line.
fn write_lines<T>(
    out: &mut String,
    level: usize,
    [open, close]: [char; 2],
    items: &[T],
    mut write: impl FnMut(&mut String, &T),
) {
    const INDENT: &str = "  ";
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index > 0 { ",\n" } else { "\n" });
        out.push_str(&INDENT.repeat(level + 1));
        write(out, item);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&INDENT.repeat(level));
    }
    out.push(close);
}

fn shape_json(shape: &Shape) -> JsonNode {
    match shape_members(shape) {
        members if members.is_empty() => JsonNode::from(true),
        members => JsonNode::Object(members),
    }
}

type Members = Vec<(String, JsonNode)>;

fn shape_members(shape: &Shape) -> Members {
    let mut members = Members::new();
    let mut add = |name: &str, value: JsonNode| members.push((name.to_owned(), value));
    if let Some(title) = &shape.title {
        add("title", (&**title).into());
    }
    if let Some(description) = &shape.description {
        add("description", (&**description).into());
    }
    let notes = shape.notes.as_deref();
    if notes.is_some_and(|notes| notes.deprecated) {
        add("deprecated", true.into());
    }
    if notes.is_some_and(|notes| notes.read_only) {
        add("readOnly", true.into());
    }
    for (name, value) in form_members(&shape.form) {
        add(&name, value);
    }
    if shape.nullable {
        add("nullable", true.into());
    }
    if shape.secret {
        add("secret", true.into());
    }
    if let Some(default) = &shape.default {
        add("default", JsonNode::Constant((**default).clone()));
    }
    let mut words = Words::new(members);
    shape.rules.iter().for_each(|rule| words.rule(rule));
    words.finish()
}

/// The members of a shape while its rules are added. A word that is there already goes to `allOf`.
struct Words {
    members: Members,
    /// Where each word is.
    positions: HashMap<String, usize>,
    /// The keys of words that several rules share.
    keys: HashSet<(usize, String)>,
    messages: Members,
    repeated: Vec<JsonNode>,
}

impl Words {
    fn new(members: Members) -> Words {
        let positions = members.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
        Words { members, positions, keys: HashSet::new(), messages: Vec::new(), repeated: Vec::new() }
    }

    fn rule(&mut self, rule: &Rule) {
        let (name, value) = rule_member(rule);
        let further = further_members(&rule.test);
        let shared = matches!(
            name.as_str(),
            "dependentRequired" | "dependentExcluded" | "dependentSchemas" | "custom"
        );
        let message = rule.message.as_ref().map(|message| {
            let name = match &rule.test {
                Test::Custom(custom) => custom.name.to_string(),
                _ => name.clone(),
            };
            (name, JsonNode::from(&**message))
        });
        let position = self.positions.get(&name).copied();
        match (position, value) {
            // A message for such a word would be one for all rules that share it.
            (_, value) if shared && message.is_some() => self.repeat(name, value, further, message),
            (Some(at), JsonNode::Object(more)) if shared => {
                let is_new = more.iter().all(|(key, _)| self.keys.insert((at, key.clone())));
                match self.members.get_mut(at) {
                    Some((_, JsonNode::Object(known))) if is_new => known.extend(more),
                    _ => self.repeat(name, JsonNode::Object(more), further, message),
                }
            }
            (Some(_), value) => self.repeat(name, value, further, message),
            (None, value) => {
                let at = self.members.len();
                if let (true, JsonNode::Object(first)) = (shared, &value) {
                    self.keys.extend(first.iter().map(|(key, _)| (at, key.clone())));
                }
                self.positions.insert(name.clone(), at);
                self.members.push((name, value));
                self.members.extend(further);
                self.messages.extend(message);
            }
        }
    }

    fn repeat(
        &mut self,
        name: String,
        value: JsonNode,
        further: Members,
        message: Option<(String, JsonNode)>,
    ) {
        let mut members = vec![(name, value)];
        members.extend(further);
        members.extend(message.map(|message| ("messages".to_owned(), JsonNode::Object(vec![message]))));
        self.repeated.push(JsonNode::Object(members));
    }

    fn finish(mut self) -> Members {
        if !self.messages.is_empty() {
            self.members.push(("messages".to_owned(), JsonNode::Object(self.messages)));
        }
        if !self.repeated.is_empty() {
            let all = self.positions.get("allOf").and_then(|at| self.members.get_mut(*at));
            match all {
                Some((_, JsonNode::List(all))) => all.extend(self.repeated),
                _ => self.members.push(("allOf".to_owned(), JsonNode::List(self.repeated))),
            }
        }
        self.members
    }
}

fn form_members(form: &Form) -> Members {
    let kind = |name: &str| vec![("type".to_owned(), JsonNode::from(name))];
    match form {
        Form::Any => Members::new(),
        Form::Never => vec![("not".to_owned(), JsonNode::from(true))],
        Form::Null => kind("null"),
        Form::Bool => kind("boolean"),
        Form::Int(width) => {
            let mut members = kind("integer");
            if let Some(format) = width_format(*width) {
                members.push(("format".to_owned(), format.into()));
            }
            members
        }
        Form::Number => kind("number"),
        Form::Text => kind("string"),
        Form::Bytes => kind("bytes"),
        Form::Enum(it) => {
            let numbers = it.members.iter().map(|(_, number)| JsonNode::from(*number));
            let names = it.members.iter().filter(|_| it.by_name).map(|(name, _)| JsonNode::from(&**name));
            match (it.open, it.by_name) {
                (true, false) => kind("integer"),
                (false, false) => {
                    let mut members = kind("integer");
                    members.push(("enum".to_owned(), JsonNode::List(numbers.collect())));
                    members
                }
                (false, true) => {
                    let types = JsonNode::List(vec!["integer".into(), "string".into()]);
                    let listed = JsonNode::List(numbers.chain(names).collect());
                    vec![("type".to_owned(), types), ("enum".to_owned(), listed)]
                }
                (true, true) => {
                    let named = vec![("enum".to_owned(), JsonNode::List(names.collect()))];
                    let either = vec![JsonNode::Object(kind("integer")), JsonNode::Object(named)];
                    vec![("anyOf".to_owned(), JsonNode::List(either))]
                }
            }
        }
        Form::List(items) => [kind("array"), vec![("items".to_owned(), shape_json(items))]].concat_members(),
        Form::Set(items) => [
            kind("array"),
            vec![("items".to_owned(), shape_json(items)), ("uniqueItems".to_owned(), true.into())],
        ]
        .concat_members(),
        Form::Tuple(tuple) => {
            let mut members = kind("array");
            members.push((
                "prefixItems".to_owned(),
                JsonNode::List(tuple.items.iter().map(shape_json).collect()),
            ));
            let rest = tuple.rest.as_ref().map_or(JsonNode::from(false), |rest| shape_json(rest));
            members.push(("items".to_owned(), rest));
            if tuple.least > 0 {
                members.push(("minItems".to_owned(), length_json(tuple.least)));
            }
            members
        }
        Form::Map(key, value) => {
            let mut members = kind("object");
            if !shape_members(key).is_empty() && **key != Shape::text() {
                members.push(("propertyNames".to_owned(), shape_json(key)));
            }
            members.push(("additionalProperties".to_owned(), shape_json(value)));
            members
        }
        Form::Object(object) => object_members(object),
        Form::Union(union) => union_members(union),
        Form::All(shapes) => {
            vec![("allOf".to_owned(), JsonNode::List(shapes.iter().map(shape_json).collect()))]
        }
        Form::Ref(name) => vec![("$ref".to_owned(), JsonNode::Constant(reference_text(name).into()))],
    }
}

/// Puts lists of members behind each other.
trait ConcatMembers {
    fn concat_members(self) -> Members;
}

impl<const N: usize> ConcatMembers for [Members; N] {
    fn concat_members(self) -> Members {
        self.into_iter().flatten().collect()
    }
}

fn reference_text(name: &str) -> String {
    format!("#/$defs/{}", name.replace('~', "~0").replace('/', "~1").replace('%', "%25"))
}

fn width_format(width: IntWidth) -> Option<&'static str> {
    match width {
        IntWidth::I8 => Some("int8"),
        IntWidth::I16 => Some("int16"),
        IntWidth::I32 => Some("int32"),
        IntWidth::I64 | IntWidth::Written => Some("int64"),
        IntWidth::U8 => Some("uint8"),
        IntWidth::U16 => Some("uint16"),
        IntWidth::U32 => Some("uint32"),
        IntWidth::U64 => Some("uint64"),
        IntWidth::Any => None,
    }
}

fn length_json(length: usize) -> JsonNode {
    JsonNode::Constant(i64::try_from(length).map_or(Constant::UInt(u64::MAX), Constant::Int))
}

fn object_members(object: &Object) -> Members {
    let mut members = vec![("type".to_owned(), JsonNode::from("object"))];
    let properties: Members = object
        .properties
        .iter()
        .filter(|property| !property.undeclared)
        .map(|property| (property.name.to_string(), shape_json(&property.shape)))
        .collect();
    if !properties.is_empty() {
        members.push(("properties".to_owned(), JsonNode::Object(properties)));
    }
    let required: Vec<JsonNode> = object
        .properties
        .iter()
        .filter(|property| property.required)
        .map(|property| JsonNode::from(&*property.name))
        .collect();
    if !required.is_empty() {
        members.push(("required".to_owned(), JsonNode::List(required)));
    }
    if !object.patterns.is_empty() {
        let patterns = object.patterns.iter();
        let patterns = patterns.map(|(pattern, shape)| (pattern.source().to_owned(), shape_json(shape)));
        members.push(("patternProperties".to_owned(), JsonNode::Object(patterns.collect())));
    }
    match &object.additional {
        Additional::Open => {}
        Additional::Closed => members.push(("additionalProperties".to_owned(), false.into())),
        Additional::Shape(shape) => members.push(("additionalProperties".to_owned(), shape_json(shape))),
    }
    if let Some(names) = &object.names {
        members.push(("propertyNames".to_owned(), shape_json(names)));
    }
    members
}

/// Alternatives by kind that say no more than what each kind is: one shape with a list of types, and words
/// about parts that only speak of the values that have such parts.
fn kind_members(alternatives: &[Shape]) -> Option<Members> {
    let plain = |shape: &Shape| {
        let bare = Shape { place: shape.place, ..Shape::new(shape.form.clone()) };
        *shape == bare && is_one_kind(&shape.form)
    };
    // The last may be anything: then only the words about parts count.
    let (known, open) = match alternatives.split_last() {
        Some((Shape { form: Form::Any, rules, .. }, known)) if rules.is_empty() => (known, true),
        _ => (alternatives, false),
    };
    let mut types = Vec::new();
    let mut members = Members::new();
    for shape in known {
        if !plain(shape) {
            return None;
        }
        for (name, value) in form_members(&shape.form) {
            match (name.as_str(), value) {
                ("type", JsonNode::Constant(name)) if !types.contains(&name) => types.push(name),
                ("type", _) => return None,
                (_, value) => members.push((name, value)),
            }
        }
    }
    let has_parts = |name: &Constant| *name == "array".into() || *name == "object".into();
    match open {
        false => members.insert(
            0,
            ("type".to_owned(), JsonNode::List(types.into_iter().map(JsonNode::Constant).collect())),
        ),
        true if types.iter().all(has_parts) => {}
        true => return None,
    }
    Some(members)
}

/// Whether a form is one kind of value, written as one `type` and words about its parts.
fn is_one_kind(form: &Form) -> bool {
    match form {
        Form::Null | Form::Bool | Form::Number | Form::Text | Form::Bytes | Form::List(_) => true,
        Form::Int(width) => *width == IntWidth::Any,
        Form::Tuple(tuple) => tuple.least == 0,
        Form::Object(object) => object.names.is_none(),
        _ => false,
    }
}

fn union_members(union: &Union) -> Members {
    if union.select == Select::Kind
        && let Some(members) = kind_members(&union.alternatives)
    {
        return members;
    }
    let word = match union.select {
        Select::Any | Select::Kind => "anyOf",
        Select::One | Select::Property { .. } => "oneOf",
    };
    let alternatives = JsonNode::List(union.alternatives.iter().map(shape_json).collect());
    let mut members = vec![(word.to_owned(), alternatives)];
    if let Select::Property { name, values } = &union.select {
        let target = |position: usize| match union.alternatives.get(position).map(|shape| &shape.form) {
            Some(Form::Ref(name)) => reference_text(name),
            _ => format!("#/{word}/{position}"),
        };
        let mapping = values
            .iter()
            .map(|(value, position)| (value.to_string(), JsonNode::Constant(target(*position).into())));
        members.push((
            "discriminator".to_owned(),
            JsonNode::Object(vec![
                ("propertyName".to_owned(), (&**name).into()),
                ("mapping".to_owned(), JsonNode::Object(mapping.collect())),
            ]),
        ));
    }
    members
}

/// The word and the value of a rule.
fn rule_member(rule: &Rule) -> (String, JsonNode) {
    let test = &rule.test;
    let names =
        |names: &[Box<str>]| JsonNode::List(names.iter().map(|name| JsonNode::from(&**name)).collect());
    let value = match test {
        Test::Constant(constant) => JsonNode::Constant(constant.clone()),
        Test::In(operands) | Test::NotIn(operands) => {
            JsonNode::List(operands.iter().map(operand_json).collect())
        }
        Test::Pattern(pattern) => pattern.source().into(),
        Test::Format(format) => format.name().into(),
        Test::Unique(()) => true.into(),
        Test::Presence(Presence::Requires(name, others) | Presence::Excludes(name, others)) => {
            JsonNode::Object(vec![(name.to_string(), names(others))])
        }
        Test::Presence(Presence::AnyOf(all) | Presence::OneOf(all)) => names(all),
        Test::Elements(shape) | Test::Keys(shape) | Test::Values(shape) | Test::Not(shape) => {
            shape_json(shape)
        }
        Test::If(conditional) => shape_json(&conditional.test),
        Test::Dependent(dependent) => {
            JsonNode::Object(vec![(dependent.property.to_string(), shape_json(&dependent.shape))])
        }
        Test::Containment(containment) => shape_json(&containment.shape),
        Test::Assert(operand) => operand_json(operand),
        Test::Custom(custom) => {
            let arguments = custom.arguments.iter().map(operand_json).collect();
            JsonNode::Object(vec![(custom.name.to_string(), JsonNode::List(arguments))])
        }
        comparison => comparison.operand().map_or(JsonNode::from(true), operand_json),
    };
    (test_word(test).to_owned(), value)
}

/// The words that a rule needs besides its own.
fn further_members(test: &Test) -> Members {
    let further = match test {
        Test::If(conditional) => [("then", &conditional.then), ("else", &conditional.otherwise)],
        Test::Containment(containment) => {
            let least = (containment.least != 1).then(|| length_json(containment.least));
            let bounds = [("minContains", least), ("maxContains", containment.most.map(length_json))];
            return bounds.into_iter().filter_map(|(name, count)| Some((name.to_owned(), count?))).collect();
        }
        _ => return Members::new(),
    };
    let written =
        further.into_iter().filter_map(|(name, shape)| Some((name.to_owned(), shape_json(shape.as_ref()?))));
    written.collect()
}

fn test_word(test: &Test) -> &'static str {
    match test {
        Test::Pattern(pattern) => match pattern.dialect() {
            PatternSyntax::Ecma => "pattern",
            PatternSyntax::Re2 => "re2",
            PatternSyntax::Bre => "bre",
        },
        Test::Presence(presence) => match presence {
            Presence::Requires(..) => "dependentRequired",
            Presence::Excludes(..) => "dependentExcluded",
            Presence::AnyOf(_) => "anyRequired",
            Presence::OneOf(_) => "oneRequired",
        },
        Test::MinLength(unit, _) => match unit {
            Unit::Bytes => "minBytes",
            Unit::Scalars => "minLength",
            Unit::Utf16 => "minUtf16",
            Unit::Items => "minItems",
            Unit::Properties => "minProperties",
        },
        Test::MaxLength(unit, _) => match unit {
            Unit::Bytes => "maxBytes",
            Unit::Scalars => "maxLength",
            Unit::Utf16 => "maxUtf16",
            Unit::Items => "maxItems",
            Unit::Properties => "maxProperties",
        },
        other => other.info().name,
    }
}

fn operand_json(operand: &Operand) -> JsonNode {
    let member = |name: &str, value: JsonNode| JsonNode::Object(vec![(name.to_owned(), value)]);
    match operand {
        Operand::Constant(constant) => JsonNode::Constant(constant.clone()),
        Operand::Reference(Reference { base, steps }) => {
            let steps = steps.iter().map(|step| match step {
                ReferenceStep::Index(index) | ReferenceStep::Member { number: index, .. } => {
                    JsonNode::from(*index)
                }
                ReferenceStep::Key(key) => JsonNode::from(&**key),
            });
            match base {
                Base::Field(name) if steps.len() == 0 => member("$field", (&**name).into()),
                Base::Field(name) => member(
                    "$field",
                    JsonNode::List([JsonNode::from(&**name)].into_iter().chain(steps).collect()),
                ),
                Base::Own => member("$own", JsonNode::List(steps.collect())),
                Base::Current => member("$current", JsonNode::List(steps.collect())),
            }
        }
        Operand::Call { function, arguments } => JsonNode::Object(vec![
            ("$call".to_owned(), (&**function).into()),
            ("arguments".to_owned(), JsonNode::List(arguments.iter().map(operand_json).collect())),
        ]),
    }
}
