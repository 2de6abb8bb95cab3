//! What a rule compares with: a constant, another field, or a function of those.

use std::fmt;

use value::Constant;

/// The right-hand side of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value known when the contract is compiled.
    Constant(Constant),
    /// A value read from the same object when the rule runs.
    Reference(Reference),
    /// A function of the host.
    Call {
        /// The function's name, as the host knows it.
        function: Box<str>,
        /// What it is given.
        arguments: Vec<Operand>,
    },
}

impl Operand {
    /// The value, if it is known when the contract is compiled.
    pub(crate) fn as_constant(&self) -> Option<&Constant> {
        match self {
            Operand::Constant(constant) => Some(constant),
            Operand::Reference(_) | Operand::Call { .. } => None,
        }
    }
}

impl<T: Into<Constant>> From<T> for Operand {
    fn from(value: T) -> Operand {
        Operand::Constant(value.into())
    }
}

/// A path to another value, starting near the value the rule stands on.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Where the path starts.
    pub base: Base,
    /// Where it goes from there.
    pub steps: Vec<ReferenceStep>,
}

impl Reference {
    /// A field of the object that the rule's field belongs to.
    pub fn field(name: &str) -> Reference {
        Reference { base: Base::Field(name.into()), steps: Vec::new() }
    }

    /// Extends the path by one step.
    #[must_use]
    pub fn then(mut self, step: ReferenceStep) -> Reference {
        self.steps.push(step);
        self
    }
}

/// The start of a [`Reference`].
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// A named field of the enclosing object.
    Field(Box<str>),
    /// The whole value of the field that the rule was written on, even inside its elements.
    Own,
    /// The value that the rule is testing right now.
    Current,
}

/// One step of a [`Reference`] into a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceStep {
    /// The element of a list, counted from zero; on a map with integer keys, the entry of that key.
    Index(i64),
    /// The member of an object or the entry of a map.
    Key(Box<str>),
    /// The member of an object that numbers its members.
    Member {
        /// The number by which the format knows the member.
        number: i64,
        /// What it is called, for people.
        name: Box<str>,
        /// What stands for the member where the object is there without it.
        absent: Option<Box<Constant>>,
    },
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            Base::Field(name) => write!(f, "${name}")?,
            Base::Own => f.write_str("$")?,
            Base::Current => f.write_str("$$")?,
        }
        for step in &self.steps {
            match step {
                ReferenceStep::Index(index) => write!(f, "[{index}]")?,
                ReferenceStep::Member { name, .. } => write!(f, ".{name}")?,
                ReferenceStep::Key(key) => write!(f, "['{}']", key.escape_debug())?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Constant(constant) => constant.fmt(f),
            Operand::Reference(reference) => reference.fmt(f),
            Operand::Call { function, arguments } => {
                write!(f, "@{function}(")?;
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    argument.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}
