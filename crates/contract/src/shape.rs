//! Shapes: what a dialect says about a value before anything is compiled.
//!
//! A [`Shape`] is a [`Form`] (what kind of value, with which parts) plus [`Rule`]s on it. Dialects build
//! shapes with the constructors here; [`Contract::compile`](crate::Contract::compile) turns them into a
//! program.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::Span;
use smol_str::SmolStr;

use crate::pattern::Pattern;
use crate::rules::{Rule, Rules, Test};
use value::Constant;
use value::number::IntWidth;

/// A value's form, the rules on it, and what people should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// What kind of value it is and what its parts look like.
    pub form: Form,
    /// What must hold besides the form, in the order it was written.
    pub rules: Rules,
    /// Whether null is accepted too; rules then speak of the values that are not null.
    pub nullable: bool,
    /// Whether the value must never be printed.
    pub secret: bool,
    /// The value that stands in for an absent one; it must itself satisfy the shape.
    pub default: Option<Box<Constant>>,
    /// Values that show people what is meant; each must satisfy the shape.
    pub examples: Box<[Constant]>,
    /// A short name for people.
    pub title: Option<Arc<str>>,
    /// A longer explanation for people.
    pub description: Option<Box<str>>,
    /// What else people are told; none if nothing.
    pub notes: Option<Box<ShapeNotes>>,
    /// Where the shape was written.
    pub place: Option<Span>,
}

/// What people are told of a value that no value can break.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShapeNotes {
    /// Whether it should not be used any more.
    pub deprecated: bool,
    /// Whether only its owner writes it.
    pub read_only: bool,
    /// What an absent value means, where a standard says that nobody checks it.
    pub default: Option<Constant>,
    /// The name of a format that nobody checks.
    pub unchecked_format: Option<Box<str>>,
}

/// Named shapes that [`Form::Ref`] can refer to.
pub type Definitions = BTreeMap<Arc<str>, Shape>;

/// What kind of value a shape accepts.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Every value, null included.
    Any,
    /// No value; whoever has one has broken the contract.
    Never,
    /// Null and nothing else.
    Null,
    /// `true` or `false`; neither numbers nor words count as one.
    Bool,
    /// A whole number within a width. `1.0` is a whole number.
    Int(IntWidth),
    /// Any number, also NaN and the infinities where the format can write them.
    Number,
    /// Text; lengths count Unicode scalar values, not bytes.
    Text,
    /// Bytes that need not be text; text counts as its UTF-8 bytes.
    Bytes,
    /// One of several named integers.
    Enum(Box<Enum>),
    /// A list with elements of one shape.
    List(Box<Shape>),
    /// A list with elements of one shape, no two equal.
    Set(Box<Shape>),
    /// A list whose first elements have a shape each.
    Tuple(Box<Tuple>),
    /// An object whose keys and values have one shape each.
    Map(Box<Shape>, Box<Shape>),
    /// An object with known properties.
    Object(Box<Object>),
    /// A value that has one of several shapes.
    Union(Box<Union>),
    /// A value that has all of several shapes.
    All(Vec<Shape>),
    /// The definition of that name.
    Ref(Arc<str>),
}

impl Form {
    /// Visits the shapes of the parts of a value. What a reference leads to is not a part.
    pub fn each_part<'s>(&'s self, visit: &mut dyn FnMut(&'s Shape)) {
        match self {
            Form::List(element) | Form::Set(element) => visit(element),
            Form::Tuple(tuple) => tuple.items.iter().chain(tuple.rest.as_deref()).for_each(visit),
            Form::Map(key, value) => [key, value].into_iter().for_each(|part| visit(part)),
            Form::Object(object) => {
                object.properties.iter().for_each(|property| visit(&property.shape));
                object.patterns.iter().for_each(|(_, shape)| visit(shape));
                match &object.additional {
                    Additional::Shape(shape) => visit(shape),
                    Additional::Open | Additional::Closed => {}
                }
                object.names.as_deref().into_iter().for_each(visit);
            }
            Form::Union(union) => union.alternatives.iter().for_each(visit),
            Form::All(shapes) => shapes.iter().for_each(visit),
            Form::Any
            | Form::Never
            | Form::Null
            | Form::Bool
            | Form::Int(_)
            | Form::Number
            | Form::Text
            | Form::Bytes
            | Form::Enum(_)
            | Form::Ref(_) => {}
        }
    }
}

/// Integers with names, as a Thrift enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The members in order; two names may share a number.
    pub members: Vec<(Box<str>, i64)>,
    /// Whether numbers without a name are accepted.
    pub open: bool,
    /// Whether a member may also be given by its name.
    pub by_name: bool,
}

/// A list whose elements differ by position.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuple {
    /// The shapes of the first elements.
    pub items: Vec<Shape>,
    /// How many elements there must be at least.
    pub least: usize,
    /// The shape of all further elements; `None` if there must be none.
    pub rest: Option<Box<Shape>>,
}

/// An object with known properties.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The known properties, in the order they were written.
    pub properties: Vec<Property>,
    /// Shapes for properties by a pattern on their name; all that match apply.
    pub patterns: Vec<(Pattern, Shape)>,
    /// What other properties may be.
    pub additional: Additional,
    /// What every property name must look like.
    pub names: Option<Box<Shape>>,
}

/// What an object says about properties it does not name.
#[derive(Clone, Debug, PartialEq)]
pub enum Additional {
    /// They are accepted and not looked at.
    Open,
    /// They are rejected, each with the nearest name that is known.
    Closed,
    /// They must have a shape.
    Shape(Box<Shape>),
}

/// One known property of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name, as it is declared.
    pub name: SmolStr,
    /// Its number, where the format identifies properties by number.
    pub tag: Option<i64>,
    /// What its value looks like.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// Whether nothing but that is said of it, so that its value has to look like those of all properties that are not declared.
    pub undeclared: bool,
    /// What the dialect calls the rule that it must be there; `None` is `required`, said of the object.
    pub requirement: Option<Box<Requirement>>,
    /// The value that is checked in its place when it is absent; `None` means that nothing is checked.
    pub absent: Option<Box<Constant>>,
    /// Where it was declared.
    pub place: Option<Span>,
}

/// A dialect's own rule that a property must be there, reported at the property.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The rule's name in the dialect, such as `vt.not_nil`.
    pub spelling: Box<str>,
    /// The author's own words for a violation.
    pub message: Option<Box<str>>,
    /// Where the rule was written.
    pub place: Option<Span>,
}

/// A value that has one of several shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Union {
    /// The alternatives, in the order in which violations count them.
    pub alternatives: Vec<Shape>,
    /// How the alternative is chosen.
    pub select: Select,
}

/// How a union chooses its alternative.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// Any alternative that holds will do.
    Any,
    /// Exactly one alternative must hold.
    One,
    /// The first alternative that accepts the value's kind decides.
    Kind,
    /// A property's text names the alternative.
    Property {
        /// The name of the discriminating property.
        name: Box<str>,
        /// Its values, each with the position of the alternative it selects.
        values: Vec<(Box<str>, usize)>,
    },
}

impl Shape {
    /// A shape of a form, with no rules.
    pub fn new(form: Form) -> Shape {
        Shape {
            form,
            rules: Rules::default(),
            nullable: false,
            secret: false,
            default: None,
            examples: Box::default(),
            title: None,
            description: None,
            notes: None,
            place: None,
        }
    }

    /// Any value at all.
    pub fn any() -> Shape {
        Shape::new(Form::Any)
    }

    /// A whole number of any size.
    pub fn int() -> Shape {
        Shape::new(Form::Int(IntWidth::Any))
    }

    /// A number of any size and precision.
    pub fn number() -> Shape {
        Shape::new(Form::Number)
    }

    /// Text of any length.
    pub fn text() -> Shape {
        Shape::new(Form::Text)
    }

    /// A list of elements.
    pub fn list(items: Shape) -> Shape {
        Shape::new(Form::List(Box::new(items)))
    }

    /// A map from keys to values.
    pub fn map(key: Shape, value: Shape) -> Shape {
        Shape::new(Form::Map(Box::new(key), Box::new(value)))
    }

    /// An object that accepts properties it does not name.
    pub fn object(properties: impl IntoIterator<Item = Property>) -> Shape {
        Object::open(properties).into()
    }

    /// A reference to a definition.
    pub fn reference(name: &str) -> Shape {
        Shape::new(Form::Ref(name.into()))
    }

    /// Adds a rule that values must keep beside the others.
    #[must_use]
    pub fn rule(mut self, rule: impl Into<Rule>) -> Shape {
        self.rules.push(rule.into());
        self
    }

    /// Adds a test as a rule, with nothing said about it.
    #[must_use]
    pub fn must(self, test: Test) -> Shape {
        self.rule(test)
    }

    /// Accepts null beside what the shape says.
    #[must_use]
    pub fn or_null(mut self) -> Shape {
        self.nullable = true;
        self
    }

    /// Keeps the value out of every message.
    #[must_use]
    pub fn secret(mut self) -> Shape {
        self.secret = true;
        self
    }

    /// Notes where the shape was written.
    #[must_use]
    pub fn at(mut self, place: Option<Span>) -> Shape {
        self.place = place;
        self
    }
}

impl Object {
    /// An object that accepts properties it does not name.
    pub fn open(properties: impl IntoIterator<Item = Property>) -> Object {
        Object {
            properties: properties.into_iter().collect(),
            patterns: Vec::new(),
            additional: Additional::Open,
            names: None,
        }
    }

    /// Rejects properties that are not named.
    #[must_use]
    pub fn closed(mut self) -> Object {
        self.additional = Additional::Closed;
        self
    }
}

impl From<Object> for Shape {
    fn from(object: Object) -> Shape {
        Shape::new(Form::Object(Box::new(object)))
    }
}

impl From<Union> for Shape {
    fn from(union: Union) -> Shape {
        Shape::new(Form::Union(Box::new(union)))
    }
}

impl Property {
    /// A property that may be absent.
    pub fn optional(name: &str, shape: Shape) -> Property {
        Property {
            name: name.into(),
            tag: None,
            shape,
            required: false,
            undeclared: false,
            requirement: None,
            absent: None,
            place: None,
        }
    }

    /// A property that must be there.
    pub fn required(name: &str, shape: Shape) -> Property {
        Property { required: true, ..Property::optional(name, shape) }
    }
}
