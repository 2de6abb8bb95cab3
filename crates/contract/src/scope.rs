//! Where references look: the nearest object around a value, and the field the rule was written on.

use std::marker::PhantomData;

use crate::host::{self, AnyView, Argument, Host};
use crate::memo::{CallResult, Calls, Memo};
use crate::operand::{Base, Operand, Reference, ReferenceStep};
use crate::program::{Gate, ObjectPart};
use value::Constant;
use value::{Node, View};

/// Fields of an object, for references.
pub(crate) trait Fields {
    /// Follows steps into a field; `None` if it is not there.
    fn field<'n>(&'n self, name: &str, steps: &'n [ReferenceStep]) -> Option<Node<'n>>;

    /// Whether what the steps lead to must not be printed.
    fn hides(&self, name: &str, steps: &[ReferenceStep], gates: &[Gate]) -> bool;

    /// What functions of these fields gave.
    fn calls(&self) -> &Calls;
}

/// The whole value of a field, for rules inside of it.
pub(crate) trait Whole: AnyView {
    /// Follows steps into the value; `None` where one leads nowhere.
    fn part<'n>(&'n self, steps: &'n [ReferenceStep]) -> Option<Node<'n>>;

    /// What functions of this value gave.
    fn calls(&self) -> &Calls;
}

/// The value of a field that remembers where references into it led.
pub(crate) struct MemoField<'v, V> {
    value: V,
    memo: Memo<host::ReferenceTarget<'v>>,
    calls: Calls,
}

impl<'v, V: View<'v>> MemoField<'v, V> {
    pub(crate) fn new(value: V) -> MemoField<'v, V> {
        MemoField { value, memo: Memo::default(), calls: Calls::default() }
    }

    /// The same on the heap, for the walk that reports: it recurses with it, and may allocate.
    #[inline(never)]
    pub(crate) fn boxed(value: V) -> Box<MemoField<'v, V>> {
        Box::new(MemoField::new(value))
    }
}

impl<'v, V: View<'v>> AnyView for MemoField<'v, V> {
    fn node(&self) -> Node<'_> {
        self.value.node()
    }

    fn walk<'n>(&'n self, steps: &'n [ReferenceStep]) -> Option<Node<'n>> {
        host::walk(self.value, steps)
    }

    fn each_item(&self, visit: &mut dyn FnMut(&dyn AnyView)) {
        host::Erased::new(self.value).each_item(visit);
    }

    fn each_member(&self, visit: &mut dyn FnMut(&dyn AnyView, &dyn AnyView)) {
        host::Erased::new(self.value).each_member(visit);
    }

    fn copy(&self, depth: usize) -> Option<Constant> {
        Constant::copy(self.value, depth)
    }

    fn original(&self) -> Option<&dyn std::any::Any> {
        self.value.original()
    }
}

impl<'v, V: View<'v>> Whole for MemoField<'v, V> {
    fn part<'n>(&'n self, steps: &'n [ReferenceStep]) -> Option<Node<'n>> {
        self.memo.get(steps.as_ptr().addr(), || host::find(self.value, steps)).node(steps)
    }

    fn calls(&self) -> &Calls {
        &self.calls
    }
}

/// What a reference can reach.
#[derive(Clone, Copy)]
pub(crate) struct ReferenceScope<'s> {
    /// The nearest object around the value.
    pub(crate) object: Option<&'s dyn Fields>,
    /// The whole value of the field that the rule was written on.
    pub(crate) own: Option<&'s dyn Whole>,
}

impl ReferenceScope<'_> {
    /// Nothing to refer to.
    pub(crate) const NONE: ReferenceScope<'static> = ReferenceScope { object: None, own: None };

    /// A number that tells objects apart while both are there.
    pub(crate) fn identity(&self) -> usize {
        self.object.map_or(0, |object| std::ptr::from_ref(object).cast::<()>().addr())
    }
}

/// An object with the part that knows its properties' numbers and what stands for absent ones.
pub(crate) struct ObjectScope<'v, 'p, V> {
    view: V,
    part: &'p ObjectPart,
    /// All parts that speak of the same object, where they are known; any of them may keep a field secret.
    parts: &'p [&'p ObjectPart],
    /// Where references led: a rule on many elements looks once. `None` is a field that is not there.
    memo: Memo<Option<host::ReferenceTarget<'v>>>,
    calls: Calls,
    document: PhantomData<&'v ()>,
}

impl<'v, 'p, V: View<'v>> ObjectScope<'v, 'p, V> {
    pub(crate) fn new(view: V, part: &'p ObjectPart) -> ObjectScope<'v, 'p, V> {
        ObjectScope::among(view, part, &[])
    }

    /// A record of which it is known what else is said about the object.
    pub(crate) fn among(
        view: V,
        part: &'p ObjectPart,
        parts: &'p [&'p ObjectPart],
    ) -> ObjectScope<'v, 'p, V> {
        ObjectScope {
            view,
            part,
            parts,
            memo: Memo::default(),
            calls: Calls::default(),
            document: PhantomData,
        }
    }
}

impl<'v, V: View<'v>> Fields for ObjectScope<'v, '_, V> {
    fn field<'n>(&'n self, name: &str, steps: &'n [ReferenceStep]) -> Option<Node<'n>> {
        let position = self.part.names.get(name.as_bytes());
        // The name is part of its reference, so that its address tells references apart.
        let found = self.memo.get(name.as_ptr().addr(), || {
            let value = match position {
                // Formats that number their properties know no names, and their readers keep the last of several.
                Some(_) if !self.part.tags.is_empty() => self
                    .view
                    .members()
                    .filter(|(key, _)| self.part.find(key.node()) == position)
                    .last()
                    .map(|(_, value)| value),
                _ => self.view.member(name),
            };
            value.map(|value| host::find(value, steps))
        });
        match *found {
            Some(found) => found.node(steps),
            None => host::walk(self.part.properties.get(position?)?.absent.as_deref()?, steps),
        }
    }

    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn hides(&self, name: &str, steps: &[ReferenceStep], gates: &[Gate]) -> bool {
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
pub(crate) enum OperandValue<'e> {
    /// A node of the document or of the contract.
    Node(Node<'e>),
    /// A constant of the contract, whole.
    Borrowed(&'e Constant),
    /// What a function gave.
    Owned(Constant),
    /// What a function gave before.
    Kept(&'e Constant),
    /// A reference that led nowhere.
    Missing,
    /// A function that failed, with its reason.
    Failed(String),
}

impl OperandValue<'_> {
    /// The node of the result, if there is one.
    pub(crate) fn node(&self) -> Option<Node<'_>> {
        match self {
            OperandValue::Node(node) => Some(*node),
            OperandValue::Borrowed(constant) | OperandValue::Kept(constant) => Some(View::node(*constant)),
            OperandValue::Owned(constant) => Some(View::node(constant)),
            OperandValue::Missing | OperandValue::Failed(_) => None,
        }
    }
}

/// How deep calls may nest in an operand.
const CALL_DEPTH: usize = 64;

/// Evaluates an operand next to the value that a rule is testing.
pub(crate) fn evaluate<'e>(
    operand: &'e Operand,
    current: &'e dyn AnyView,
    scope: ReferenceScope<'e>,
    host: &dyn Host,
) -> OperandValue<'e> {
    evaluate_within(operand, current, scope, host, CALL_DEPTH)
}

fn evaluate_within<'e>(
    operand: &'e Operand,
    current: &'e dyn AnyView,
    scope: ReferenceScope<'e>,
    host: &dyn Host,
    depth: usize,
) -> OperandValue<'e> {
    match operand {
        Operand::Constant(constant) => OperandValue::Borrowed(constant),
        Operand::Reference(reference) => {
            resolve(reference, current, scope).map_or(OperandValue::Missing, OperandValue::Node)
        }
        Operand::Call { function, arguments } => {
            let Some(depth) = depth.checked_sub(1) else {
                return OperandValue::Failed("calls nest too deeply".to_owned());
            };
            let run = || {
                let evaluated: Vec<OperandValue<'_>> = arguments
                    .iter()
                    .map(|argument| evaluate_within(argument, current, scope, host, depth))
                    .collect();
                call(host, function, &evaluated)
            };
            let mut leads = Leads::default();
            leads.follow(operand, CALL_DEPTH);
            let calls = match leads {
                Leads { current: true, .. } => None,
                Leads { own: true, .. } => scope.own.map(Whole::calls),
                Leads { own: false, .. } => scope.object.map(Fields::calls),
            };
            match calls {
                // The same for every element, so that it is found out once.
                Some(calls) => match calls.get(std::ptr::from_ref(operand).addr(), run) {
                    CallResult::Constant(constant) => OperandValue::Kept(constant),
                    CallResult::Missing => OperandValue::Missing,
                    CallResult::Failed(reason) => OperandValue::Failed(reason.clone()),
                },
                None => run().into(),
            }
        }
    }
}

/// What an operand looks at.
#[derive(Default)]
struct Leads {
    own: bool,
    current: bool,
}

impl Leads {
    fn follow(&mut self, operand: &Operand, depth: usize) {
        match (operand, depth.checked_sub(1)) {
            (Operand::Constant(_), _) => {}
            (Operand::Reference(reference), _) => match reference.base {
                Base::Field(_) => {}
                Base::Own => self.own = true,
                Base::Current => self.current = true,
            },
            (Operand::Call { arguments, .. }, Some(depth)) => {
                arguments.iter().for_each(|argument| self.follow(argument, depth));
            }
            (Operand::Call { .. }, None) => self.current = true,
        }
    }
}

impl From<CallResult> for OperandValue<'_> {
    fn from(given: CallResult) -> Self {
        match given {
            CallResult::Constant(constant) => OperandValue::Owned(constant),
            CallResult::Missing => OperandValue::Missing,
            CallResult::Failed(reason) => OperandValue::Failed(reason),
        }
    }
}

/// Calls a function; a missing argument makes the result missing, unless the function takes missing ones.
fn call(host: &dyn Host, function: &str, evaluated: &[OperandValue<'_>]) -> CallResult {
    let mut arguments = Vec::with_capacity(evaluated.len());
    for argument in evaluated {
        arguments.push(match argument {
            OperandValue::Node(node) => Argument::Node(*node),
            OperandValue::Borrowed(constant) | OperandValue::Kept(constant) => Argument::Constant(constant),
            OperandValue::Owned(constant) => Argument::Constant(constant),
            OperandValue::Missing if host.takes_missing(function) => Argument::Missing,
            OperandValue::Missing => return CallResult::Missing,
            OperandValue::Failed(reason) => return CallResult::Failed(reason.clone()),
        });
    }
    match host.call(function, &arguments) {
        Ok(constant) => CallResult::Constant(constant),
        Err(reason) => CallResult::Failed(reason),
    }
}

/// Follows a reference from the value that is checked; it may lead to nothing.
pub(crate) fn resolve<'e>(
    reference: &'e Reference,
    current: &'e dyn AnyView,
    scope: ReferenceScope<'e>,
) -> Option<Node<'e>> {
    match &reference.base {
        Base::Field(name) => scope.object?.field(name, &reference.steps),
        Base::Own => match scope.own {
            Some(own) => own.part(&reference.steps),
            None => current.walk(&reference.steps),
        },
        Base::Current => current.walk(&reference.steps),
    }
}

/// Evaluates operands into arguments for a custom rule.
pub(crate) fn arguments<'e>(evaluated: &'e [OperandValue<'e>]) -> Result<Vec<Argument<'e>>, String> {
    evaluated
        .iter()
        .map(|argument| match argument {
            OperandValue::Node(node) => Ok(Argument::Node(*node)),
            OperandValue::Borrowed(constant) | OperandValue::Kept(constant) => {
                Ok(Argument::Constant(constant))
            }
            OperandValue::Owned(constant) => Ok(Argument::Constant(constant)),
            OperandValue::Missing => Ok(Argument::Missing),
            OperandValue::Failed(reason) => Err(reason.clone()),
        })
        .collect()
}
