//! Messages that readers would take for different values: not one of them would say so.
//!
//! Some readers of a list ignore the type of elements that its head names, others trust it; of two fields with one
//! number most keep the last; text that is not UTF-8 is replaced here and refused there. What a rule was tested on is
//! what everybody sees only if none of this occurs.

use std::fmt;

use contract::Path;

use crate::wire::WireType;

/// Where a message leaves the form on which all readers agree, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct FormError {
    /// The path of the value.
    pub path: Path,
    /// The offset of a byte near it.
    pub offset: usize,
    /// What is the matter.
    pub problem: FormProblem,
}

/// What is the matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormProblem {
    /// A field has another type than in the IDL.
    FieldType {
        /// The type of the IDL.
        expected: WireType,
        /// The type that was sent.
        found: WireType,
    },
    /// The elements of a list or set have another type.
    ElementType {
        /// The type of the IDL.
        expected: WireType,
        /// The type that was sent.
        found: WireType,
    },
    /// The keys of a map have another type.
    KeyType {
        /// The type of the IDL.
        expected: WireType,
        /// The type that was sent.
        found: WireType,
    },
    /// The values of a map have another type.
    ValueType {
        /// The type of the IDL.
        expected: WireType,
        /// The type that was sent.
        found: WireType,
    },
    /// A field comes twice.
    DuplicateField,
    /// A union has more than one field.
    SeveralFields,
    /// A union has no field.
    NoField,
    /// A required field has a number that no member of its enum has.
    UnknownMember {
        /// The number that the message has.
        number: i32,
    },
    /// A set whose size matters has an element twice.
    DuplicateElement,
    /// A map whose size matters has a key twice.
    DuplicateKey,
    /// A map whose size matters has a key that is lost in objects of JavaScript.
    LostKey,
    /// Text is not UTF-8.
    NotUtf8,
    /// A field that the IDL does not have.
    UnknownField {
        /// The number of the field.
        id: i16,
    },
    /// A uuid in a field that the IDL does not have: some readers do not know how long it is.
    UnknownUuid,
}

impl FormProblem {
    /// The word for it in logs and counters, where rules have theirs.
    pub fn rule(&self) -> &'static str {
        match self {
            FormProblem::FieldType { .. }
            | FormProblem::ElementType { .. }
            | FormProblem::KeyType { .. }
            | FormProblem::ValueType { .. } => "type",
            FormProblem::DuplicateField
            | FormProblem::DuplicateElement
            | FormProblem::DuplicateKey
            | FormProblem::LostKey => "duplicate",
            FormProblem::SeveralFields | FormProblem::NoField => "union",
            FormProblem::UnknownMember { .. } => "member",
            FormProblem::NotUtf8 => "utf8",
            FormProblem::UnknownField { .. } | FormProblem::UnknownUuid => "unknown_field",
        }
    }
}

impl fmt::Display for FormProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut types = |what: &str, expected: &WireType, found: &WireType| {
            write!(f, "{what} must be {}, found {}", expected.name(), found.name())
        };
        match self {
            FormProblem::FieldType { expected, found } => types("the value", expected, found),
            FormProblem::ElementType { expected, found } => types("the elements", expected, found),
            FormProblem::KeyType { expected, found } => types("the keys", expected, found),
            FormProblem::ValueType { expected, found } => types("the values", expected, found),
            FormProblem::DuplicateField => f.write_str("the field is there twice"),
            FormProblem::SeveralFields => f.write_str("a union has one field, found several"),
            FormProblem::NoField => f.write_str("a union has one field, found none"),
            FormProblem::UnknownMember { number } => {
                write!(f, "a required field must be a member of its enum, found {number}")
            }
            FormProblem::DuplicateElement => f.write_str("the set has an element twice"),
            FormProblem::DuplicateKey => f.write_str("the map has a key twice"),
            FormProblem::LostKey => {
                f.write_str("the map has the key `__proto__`, which every object of JavaScript has already")
            }
            FormProblem::NotUtf8 => f.write_str("the text must be UTF-8"),
            FormProblem::UnknownField { id } => write!(f, "there is no field {id}"),
            FormProblem::UnknownUuid => {
                f.write_str("an unknown field has a uuid, which some readers cannot skip")
            }
        }
    }
}
