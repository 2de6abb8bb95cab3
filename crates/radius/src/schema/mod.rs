//! A schema as it was read: a tree of nodes with everything that they say, and the places where they say it.

pub(crate) mod keywords;
mod pattern;
mod write;

use std::collections::HashMap;

use contract::Constant;
use diagnostics::Span;

pub use keywords::Keyword;

pub(crate) use pattern::pattern;

/// What kind of value a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaType {
    /// Any value: the values of `platformOptions`, and nodes that could not be read.
    Any,
    /// Unicode text, with or without a form.
    String,
    /// A whole number of 64 bits.
    Integer,
    /// A number, with or without a fraction.
    Number,
    /// `true` or `false`; nothing else stands for them.
    Boolean,
    /// An object or a map.
    Object,
    /// A list whose elements have one schema.
    Array,
}

impl SchemaType {
    /// The types that can be written, in the order of the documentation.
    pub(crate) const WRITTEN: [SchemaType; 6] = [
        SchemaType::String,
        SchemaType::Integer,
        SchemaType::Number,
        SchemaType::Boolean,
        SchemaType::Object,
        SchemaType::Array,
    ];

    /// The word for the type.
    pub const fn name(self) -> &'static str {
        match self {
            SchemaType::Any => "any",
            SchemaType::String => "string",
            SchemaType::Integer => "integer",
            SchemaType::Number => "number",
            SchemaType::Boolean => "boolean",
            SchemaType::Object => "object",
            SchemaType::Array => "array",
        }
    }
}

/// One node of a schema.
#[derive(Clone, Debug)]
pub struct Schema {
    /// What kind of value it is.
    pub kind: SchemaType,
    /// Whether a node of any kind says so; if not, it has no type. To values it is the same.
    pub says_any: bool,
    /// The built-in schema that the node stands for, by its name; its content is in the node, too.
    pub reference: Option<&'static str>,
    /// A short name for people.
    pub title: Option<Box<str>>,
    /// An explanation for people.
    pub description: Option<Box<str>>,
    /// The format of strings and numbers.
    pub format: Option<(Box<str>, Option<Span>)>,
    /// Whether null is accepted.
    pub nullable: bool,
    /// Whether only the server sets it.
    pub read_only: bool,
    /// Whether the server never returns it.
    pub write_only: bool,
    /// Whether it should no longer be used.
    pub deprecated: bool,
    /// Whether it is a secret.
    pub sensitive: bool,
    /// The value of an absent property.
    pub default: Option<Constant>,
    /// A value as it may be.
    pub example: Option<Constant>,
    /// The values that are allowed; empty if all are.
    pub values: Vec<Constant>,
    /// Where those are written.
    pub values_place: Option<Span>,
    /// Bounds, lengths, patterns, in the order in which they were written.
    pub constraints: Vec<Constraint>,
    /// The properties, if the node lists them.
    pub properties: Option<Vec<SchemaProperty>>,
    /// The names of properties that must be there.
    pub required: Vec<Box<str>>,
    /// What other properties may be.
    pub additional: Additional,
    /// What the elements of a list are.
    pub items: Option<Box<Schema>>,
    /// What the document is that a string names.
    pub content: Option<Box<Schema>>,
    /// What is kept as it is: names that begin with `x-`, `externalDocs`, `xml`.
    pub extensions: Vec<(Box<str>, Constant)>,
    /// Where the node is written.
    pub place: Option<Span>,
}

/// A keyword that bounds values, with its operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The keyword, which says how to compare.
    pub keyword: Keyword,
    /// What it compares with.
    pub operand: Constant,
    /// Where that is written.
    pub place: Option<Span>,
}

/// One property of an object.
#[derive(Clone, Debug)]
pub struct SchemaProperty {
    /// The name; case counts.
    pub name: Box<str>,
    /// What its value has to be.
    pub schema: Schema,
    /// Where the name is written.
    pub place: Option<Span>,
}

/// What an object says about properties that it does not list.
#[derive(Clone, Debug, Default)]
pub enum Additional {
    /// It says nothing about them.
    #[default]
    Unsaid,
    /// They are rejected.
    None,
    /// They have a schema: the object is a map.
    Schema(Box<Schema>),
}

impl Schema {
    /// A node of a type that says nothing else.
    pub(crate) fn new(kind: SchemaType) -> Schema {
        Schema {
            kind,
            says_any: false,
            reference: None,
            title: None,
            description: None,
            format: None,
            nullable: false,
            read_only: false,
            write_only: false,
            deprecated: false,
            sensitive: false,
            default: None,
            example: None,
            values: Vec::new(),
            values_place: None,
            constraints: Vec::new(),
            properties: None,
            required: Vec::new(),
            additional: Additional::Unsaid,
            items: None,
            content: None,
            extensions: Vec::new(),
            place: None,
        }
    }

    /// The properties; none if the node lists none.
    pub fn properties(&self) -> &[SchemaProperty] {
        self.properties.as_deref().unwrap_or_default()
    }

    /// The property with a name.
    pub fn property(&self, name: &str) -> Option<&SchemaProperty> {
        self.properties().iter().find(|property| &*property.name == name)
    }

    /// Whether a property must be there.
    pub fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| &**required == name)
    }

    /// The operand of a constraint.
    pub fn constraint(&self, keyword: Keyword) -> Option<&Constraint> {
        self.constraints.iter().find(|constraint| constraint.keyword == keyword)
    }

    /// Whether a constraint that is a flag is set.
    pub fn is_set(&self, keyword: Keyword) -> bool {
        self.constraint(keyword).is_some_and(|constraint| constraint.operand == Constant::Bool(true))
    }
}

/// The properties of an object by name: looking through a list for each member would be quadratic.
pub(crate) fn by_name(schema: &Schema) -> HashMap<&str, &SchemaProperty> {
    schema.properties().iter().map(|property| (&*property.name, property)).collect()
}

/// The schema of a member.
pub(crate) fn part<'s>(
    schema: &'s Schema,
    known: &HashMap<&str, &'s SchemaProperty>,
    name: &str,
) -> Option<&'s Schema> {
    match (known.get(name), &schema.additional) {
        (Some(property), _) => Some(&property.schema),
        (None, Additional::Schema(values)) => Some(values),
        (None, Additional::Unsaid | Additional::None) => None,
    }
}
