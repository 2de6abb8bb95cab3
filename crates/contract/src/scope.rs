//! Where references look: the nearest object around a value, and the field the rule was written on.

use std::marker::PhantomData;

use crate::constant::Constant;
use crate::host::{self, AnyView, Argument, Host};
use crate::operand::{Base, Operand, Reference, Step};
use crate::program::{Gate, ObjectPart};
use crate::view::{Node, View};

/// Fields of an object, for references.
pub(crate) trait Fields {
    /// Follows steps into a field; `None` if it is not there.
    fn field<'n>(&'n self, name: &str, steps: &'n [Step]) -> Option<Node<'n>>;

    /// Whether what the steps lead to must not be printed.
    fn hides(&self, name: &str, steps: &[Step], gates: &[Gate]) -> bool;
}

/// What a reference can reach.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s> {
    /// The nearest object around the value.
    pub(crate) object: Option<&'s dyn Fields>,
    /// The whole value of the field that the rule was written on.
    pub(crate) own: Option<&'s dyn AnyView>,
}

impl Scope<'_> {
    /// Nothing to refer to.
    pub(crate) const NONE: Scope<'static> = Scope { object: None, own: None };

    /// A number that tells objects apart while both are there.
    pub(crate) fn identity(&self) -> usize {
        self.object.map_or(0, |object| std::ptr::from_ref(object).cast::<()>().addr())
    }
}

/// An object with the part that knows its properties' numbers and what stands for absent ones.
pub(crate) struct Record<'v, 'p, V> {
    view: V,
    part: &'p ObjectPart,
    /// All parts that speak of the same object, where they are known; any of them may keep a field secret.
    parts: &'p [&'p ObjectPart],
    document: PhantomData<&'v ()>,
}

impl<'v, 'p, V: View<'v>> Record<'v, 'p, V> {
    pub(crate) fn new(view: V, part: &'p ObjectPart) -> Record<'v, 'p, V> {
        Record { view, part, parts: &[], document: PhantomData }
    }

    /// A record of which it is known what else is said about the object.
    pub(crate) fn among(view: V, part: &'p ObjectPart, parts: &'p [&'p ObjectPart]) -> Record<'v, 'p, V> {
        Record { view, part, parts, document: PhantomData }
    }
}

impl<'v, V: View<'v>> Fields for Record<'v, '_, V> {
    fn field<'n>(&'n self, name: &str, steps: &'n [Step]) -> Option<Node<'n>> {
        let position = self.part.names.get(name.as_bytes());
        let found = match position {
            // Formats that number their properties know no names.
            Some(_) if !self.part.tags.is_empty() => self
                .view
                .members()
                .find(|(key, _)| self.part.find(key.node()) == position)
                .map(|(_, value)| value),
            _ => self.view.member(name),
        };
        match found {
            Some(value) => host::walk(value, steps),
            None => host::walk(self.part.properties.get(position?)?.absent.as_deref()?, steps),
        }
    }

    fn hides(&self, name: &str, steps: &[Step], gates: &[Gate]) -> bool {
        let key = Node::Text(name);
        self.parts.iter().any(|part| {
            part.gates_of(key).any(|id| {
                let gate = gates.get(id as usize);
                // A part of the field is taken for secret if any is.
                gate.is_some_and(|gate| gate.secret || (gate.veiled && !steps.is_empty()))
            })
        })
    }
}

/// What an operand came to.
#[derive(Debug)]
pub(crate) enum Evaluated<'e> {
    /// A node of the document or of the contract.
    Node(Node<'e>),
    /// A constant of the contract, whole.
    Borrowed(&'e Constant),
    /// What a function gave.
    Owned(Constant),
    /// A reference that led nowhere.
    Missing,
    /// A function that failed, with its reason.
    Failed(String),
}

impl Evaluated<'_> {
    /// The node of the result, if there is one.
    pub(crate) fn node(&self) -> Option<Node<'_>> {
        match self {
            Evaluated::Node(node) => Some(*node),
            Evaluated::Borrowed(constant) => Some(View::node(*constant)),
            Evaluated::Owned(constant) => Some(View::node(constant)),
            Evaluated::Missing | Evaluated::Failed(_) => None,
        }
    }
}

/// How deep calls may nest in an operand.
const CALL_DEPTH: usize = 64;

/// Evaluates an operand next to the value that a rule is testing.
pub(crate) fn evaluate<'e>(
    operand: &'e Operand,
    current: &'e dyn AnyView,
    scope: Scope<'e>,
    host: &dyn Host,
) -> Evaluated<'e> {
    evaluate_within(operand, current, scope, host, CALL_DEPTH)
}

fn evaluate_within<'e>(
    operand: &'e Operand,
    current: &'e dyn AnyView,
    scope: Scope<'e>,
    host: &dyn Host,
    depth: usize,
) -> Evaluated<'e> {
    match operand {
        Operand::Constant(constant) => Evaluated::Borrowed(constant),
        Operand::Reference(reference) => {
            resolve(reference, current, scope).map_or(Evaluated::Missing, Evaluated::Node)
        }
        Operand::Call { function, arguments } => {
            let Some(depth) = depth.checked_sub(1) else {
                return Evaluated::Failed("calls nest too deeply".to_owned());
            };
            let evaluated: Vec<Evaluated<'_>> = arguments
                .iter()
                .map(|argument| evaluate_within(argument, current, scope, host, depth))
                .collect();
            call(host, function, &evaluated)
        }
    }
}

/// Calls a function; a missing argument makes the result missing, unless the function takes missing ones.
fn call<'e>(host: &dyn Host, function: &str, evaluated: &[Evaluated<'_>]) -> Evaluated<'e> {
    let mut arguments = Vec::with_capacity(evaluated.len());
    for argument in evaluated {
        arguments.push(match argument {
            Evaluated::Node(node) => Argument::Node(*node),
            Evaluated::Borrowed(constant) => Argument::Constant(constant),
            Evaluated::Owned(constant) => Argument::Constant(constant),
            Evaluated::Missing if host.takes_missing(function) => Argument::Missing,
            Evaluated::Missing => return Evaluated::Missing,
            Evaluated::Failed(reason) => return Evaluated::Failed(reason.clone()),
        });
    }
    match host.call(function, &arguments) {
        Ok(constant) => Evaluated::Owned(constant),
        Err(reason) => Evaluated::Failed(reason),
    }
}

/// Follows a reference.
pub(crate) fn resolve<'e>(
    reference: &'e Reference,
    current: &'e dyn AnyView,
    scope: Scope<'e>,
) -> Option<Node<'e>> {
    match &reference.base {
        Base::Field(name) => scope.object?.field(name, &reference.steps),
        Base::Own => scope.own.unwrap_or(current).walk(&reference.steps),
        Base::Current => current.walk(&reference.steps),
    }
}

/// Evaluates operands into arguments for a custom rule.
pub(crate) fn arguments<'e>(evaluated: &'e [Evaluated<'e>]) -> Result<Vec<Argument<'e>>, String> {
    evaluated
        .iter()
        .map(|argument| match argument {
            Evaluated::Node(node) => Ok(Argument::Node(*node)),
            Evaluated::Borrowed(constant) => Ok(Argument::Constant(constant)),
            Evaluated::Owned(constant) => Ok(Argument::Constant(constant)),
            Evaluated::Missing => Ok(Argument::Missing),
            Evaluated::Failed(reason) => Err(reason.clone()),
        })
        .collect()
}
