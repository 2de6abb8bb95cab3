//! Rules: one file each, one row each in the table below.
//!
//! A rule's file says what the rule means ([`RuleInfo`], from which its documentation page is made), what it
//! demands in words, and when it holds. The examples in its `RuleInfo` are run as tests.
//!
//! To add a rule: write its file, add its variant to [`Test`] and its row to `rules!`.

mod assert;
mod closed;
mod conditional;
mod constant;
mod containment;
mod contains;
mod custom;
mod dependent;
mod discriminator;
#[cfg(test)]
mod edges;
mod elements;
mod eq;
mod exclusive_maximum;
mod exclusive_minimum;
mod format;
mod ge;
mod gt;
mod in_;
mod keys;
mod kind;
mod le;
mod length;
mod limit;
mod lt;
mod max_length;
mod maximum;
mod min_length;
mod minimum;
mod multiple_of;
mod ne;
mod not;
mod not_contains;
mod not_in;
mod pattern;
mod prefix;
mod presence;
mod required;
mod shared;
mod suffix;
mod union;
mod unique;
mod values;

use std::borrow::Cow;

use diagnostics::Span;

use crate::format::Format;
use crate::operand::Operand;
use crate::pattern::Pattern;
use crate::shape::Shape;
use value::Constant;
use value::Kinds;
use value::Node;

pub use conditional::Conditional;
pub use containment::Containment;
pub use custom::Custom;
pub use dependent::Dependent;
pub use length::Unit;
pub use presence::Presence;
pub use shared::Rules;

pub(crate) use length::{count, measure, size};
pub(crate) use unique::{all_distinct, first_duplicate};

/// A test on a value, with what the dialect said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What must hold, with its operands.
    pub test: Test,
    /// The rule's name in the dialect it was written in, such as `vt.elem.gt`.
    pub spelling: Option<Cow<'static, str>>,
    /// The author's own words for a violation.
    pub message: Option<Box<str>>,
    /// Where the rule was written.
    pub place: Option<Span>,
}

impl From<Test> for Rule {
    fn from(test: Test) -> Rule {
        Rule { test, spelling: None, message: None, place: None }
    }
}

impl Rule {
    /// The name to report: the dialect's spelling, or the rule's own.
    pub fn name(&self) -> &str {
        self.spelling.as_deref().unwrap_or(self.test.info().name)
    }
}

/// What a rule is, for documentation and messages.
#[derive(Debug)]
pub struct RuleInfo {
    /// The stable name, also the machine-readable code of its violations.
    pub name: &'static str,
    /// The kinds of value it says something about; others pass.
    pub applies_to: Kinds,
    /// Its meaning in one sentence.
    pub summary: &'static str,
    /// What else a reader wants to know: edge cases, units, costs. May be empty.
    pub details: &'static str,
    /// Contracts in JSON with values that satisfy and that break them.
    pub examples: &'static [RuleExample],
}

/// An example that is documentation and test at once.
#[derive(Debug)]
pub struct RuleExample {
    /// A contract in JSON.
    pub contract: &'static str,
    /// Values in JSON that satisfy it.
    pub holds: &'static [&'static str],
    /// Values in JSON that break this rule of it.
    pub breaks: &'static [&'static str],
}

macro_rules! rules {
    (
        comparisons { $($(#[$comparison_doc:meta])* $comparison:ident => $comparison_file:ident,)* }
        lengths { $($(#[$length_doc:meta])* $length:ident => $length_file:ident,)* }
        others { $($(#[$other_doc:meta])* $other:ident($payload:ty) => $other_file:ident,)* }
        structural { $($structural:ident,)* }
    ) => {
        /// What a rule demands of a value. `docs/rules.md` explains each with examples.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Test {
            $($(#[$comparison_doc])* $comparison(Operand),)*
            $($(#[$length_doc])* $length(Unit, Operand),)*
            $($(#[$other_doc])* $other($payload),)*
        }

        impl Test {
            /// What the rule is.
            pub fn info(&self) -> &'static RuleInfo {
                match self {
                    $(Test::$comparison(_) => &$comparison_file::INFO,)*
                    $(Test::$length(..) => &$length_file::INFO,)*
                    $(Test::$other(_) => &$other_file::INFO,)*
                }
            }

            /// The one operand of a rule that compares.
            pub fn operand(&self) -> Option<&Operand> {
                match self {
                    $(Test::$comparison(operand) => Some(operand),)*
                    $(Test::$length(_, operand) => Some(operand),)*
                    $(Test::$other(_) => None,)*
                }
            }

            /// Whether a comparison holds between a value and what its operand gave.
            ///
            /// Values of a kind that the rule says nothing about pass; a rule that is not a comparison holds.
            pub(crate) fn compares(&self, found: Node<'_>, wanted: Node<'_>) -> bool {
                match self {
                    $(Test::$comparison(_) => {
                        !$comparison_file::INFO.applies_to.contains(found.kind())
                            || $comparison_file::holds(found, wanted)
                    })*
                    $(Test::$length(unit, _) => match measure(*unit, found) {
                        Some(length) => $length_file::holds(length, wanted),
                        None => true,
                    },)*
                    $(Test::$other(_) => true,)*
                }
            }

            /// What is demanded, in words, given the operands as text: `must be at least 3`.
            pub fn demand(&self, wanted: &str) -> String {
                match self {
                    $(Test::$comparison(_) => $comparison_file::demand(wanted),)*
                    $(Test::$length(unit, _) => $length_file::demand(*unit, wanted),)*
                    $(Test::$other(payload) => $other_file::demand(payload, wanted),)*
                }
            }
        }

        /// Every rule there is, in the order of the documentation.
        pub static ALL: &[&RuleInfo] = &[
            $(&$comparison_file::INFO,)*
            $(&$length_file::INFO,)*
            $(&$other_file::INFO,)*
            $(&$structural::INFO,)*
        ];
    };
}

rules! {
    comparisons {
        /// Equal to the operand.
        Eq => eq,
        /// Not equal to the operand.
        Ne => ne,
        /// Less than the operand.
        Lt => lt,
        /// At most the operand.
        Le => le,
        /// Greater than the operand.
        Gt => gt,
        /// At least the operand.
        Ge => ge,
        /// A number that is at least the operand.
        Minimum => minimum,
        /// A number that is greater than the operand.
        ExclusiveMinimum => exclusive_minimum,
        /// A number that is at most the operand.
        Maximum => maximum,
        /// A number that is less than the operand.
        ExclusiveMaximum => exclusive_maximum,
        /// A whole multiple of the operand.
        MultipleOf => multiple_of,
        /// Text that starts with the operand.
        Prefix => prefix,
        /// Text that ends with the operand.
        Suffix => suffix,
        /// Text that contains the operand.
        Contains => contains,
        /// Text that does not contain the operand.
        NotContains => not_contains,
    }
    lengths {
        /// At least so long, in a unit.
        MinLength => min_length,
        /// At most so long, in a unit.
        MaxLength => max_length,
    }
    others {
        /// Equal to a constant, which may be a container.
        Constant(Constant) => constant,
        /// Equal to one of the operands.
        In(Vec<Operand>) => in_,
        /// Equal to none of the operands.
        NotIn(Vec<Operand>) => not_in,
        /// Text in which a pattern matches somewhere.
        Pattern(Pattern) => pattern,
        /// Of a well-known format.
        Format(Format) => format,
        /// A list with no two equal elements.
        Unique(()) => unique,
        /// An object whose properties depend on each other's presence.
        Presence(Presence) => presence,
        /// A list whose elements all have a shape.
        Elements(Box<Shape>) => elements,
        /// A map whose keys all have a shape.
        Keys(Box<Shape>) => keys,
        /// A map whose values all have a shape.
        Values(Box<Shape>) => values,
        /// A value that does not have a shape.
        Not(Box<Shape>) => not,
        /// A value that has one shape has another besides.
        If(Box<Conditional>) => conditional,
        /// A list of which some elements have a shape.
        Containment(Box<Containment>) => containment,
        /// An object that has a property has a shape besides.
        Dependent(Box<Dependent>) => dependent,
        /// An object whose fields make an expression true.
        Assert(Operand) => assert,
        /// What the host says.
        Custom(Custom) => custom,
    }
    structural { kind, required, closed, union, discriminator, limit, }
}

impl Test {
    /// The operands as they were written.
    pub fn operands(&self) -> &[Operand] {
        match self {
            Test::In(operands) | Test::NotIn(operands) => operands,
            Test::Custom(custom) => &custom.arguments,
            Test::Assert(operand) => std::slice::from_ref(operand),
            other => other.operand().map(std::slice::from_ref).unwrap_or_default(),
        }
    }

    /// Whether the rule speaks of the parts of a value, or of an object from inside, not of a value itself.
    pub(crate) fn is_on_parts(&self) -> bool {
        matches!(self, Test::Elements(_) | Test::Keys(_) | Test::Values(_) | Test::Assert(_))
    }

    /// Visits the shapes that the rule holds.
    pub fn each_shape<'s>(&'s self, visit: &mut dyn FnMut(&'s Shape)) {
        match self {
            Test::Elements(shape) | Test::Keys(shape) | Test::Values(shape) | Test::Not(shape) => {
                visit(shape)
            }
            Test::If(conditional) => {
                let Conditional { test, then, otherwise } = &**conditional;
                [Some(test), then.as_ref(), otherwise.as_ref()].into_iter().flatten().for_each(visit);
            }
            Test::Dependent(dependent) => visit(&dependent.shape),
            Test::Containment(containment) => visit(&containment.shape),
            _ => {}
        }
    }

    /// Whether the operand is compared with the value itself, not with its length or its parts.
    pub(crate) fn compares_value(&self) -> bool {
        match self {
            Test::In(_) | Test::NotIn(_) => true,
            Test::MultipleOf(_) | Test::MinLength(..) | Test::MaxLength(..) => false,
            other => other.operand().is_some(),
        }
    }
}

/// The rows of rules that come from a shape's form, not from a [`Test`].
pub(crate) mod form {
    pub(crate) use super::closed::INFO as CLOSED;
    pub(crate) use super::discriminator::INFO as DISCRIMINATOR;
    pub(crate) use super::kind::INFO as KIND;
    pub(crate) use super::limit::INFO as LIMIT;
    pub(crate) use super::required::INFO as REQUIRED;
    pub(crate) use super::union::INFO as UNION;
}
