//! One rule against one value: the only place where a rule is evaluated as it was written.

use std::cell::Cell;

use crate::compare::{deep_equal, equal};
use crate::constant::Constant;
use crate::host::{Erased, Host};
use crate::operand::Operand;
use crate::program::{Compiled, Gate, GateId, Value};
use crate::rules::{Test, first_duplicate};
use crate::scope::{Evaluated, Scope, arguments, evaluate};
use crate::view::{Node, View};

/// What a walk over a value needs at every step.
pub(crate) struct Walk<'c> {
    pub(crate) gates: &'c [Gate],
    pub(crate) host: &'c dyn Host,
    /// Whether rules refer to fields at all; if not, scopes need not be kept.
    pub(crate) scoped: bool,
    /// Whether some value must not be printed.
    pub(crate) secrets: bool,
    /// How many more times a value may meet a gate.
    pub(crate) work: Cell<u64>,
    /// Whether a limit was met.
    pub(crate) exhausted: Cell<bool>,
}

/// Whether a rule holds.
pub(crate) enum Verdict {
    Holds,
    Broken,
    /// Broken, in the host's words.
    Because(String),
}

impl Verdict {
    fn of(holds: bool) -> Verdict {
        if holds { Verdict::Holds } else { Verdict::Broken }
    }

    pub(crate) fn holds(&self) -> bool {
        matches!(self, Verdict::Holds)
    }
}

impl<'c> Walk<'c> {
    /// A walk that meets no further gate, for rules on constants.
    pub(crate) fn alone(host: &'c dyn Host) -> Walk<'c> {
        Walk {
            gates: &[],
            host,
            scoped: false,
            secrets: false,
            work: Cell::new(u64::MAX),
            exhausted: Cell::new(false),
        }
    }

    /// A gate by its number; a number that is none is a gate that nothing passes.
    #[inline]
    pub(crate) fn gate(&self, id: GateId) -> Option<&Gate> {
        self.gates.get(id as usize)
    }

    /// Counts one meeting of a value and a gate; false once the limit is met.
    #[inline]
    pub(crate) fn spend(&self) -> bool {
        match self.work.get().checked_sub(1) {
            Some(left) => {
                self.work.set(left);
                true
            }
            None => {
                self.exhausted.set(true);
                false
            }
        }
    }

    /// Tests one rule.
    pub(crate) fn judge<'v, V: View<'v>>(
        &self,
        compiled: &Compiled,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> Verdict {
        match &compiled.rule.test {
            Test::Constant(constant) => Verdict::of(deep_equal(value, constant, depth)),
            Test::In(_) => self.among(compiled, value, node, scope, depth, true),
            Test::NotIn(_) => self.among(compiled, value, node, scope, depth, false),
            Test::Pattern(pattern) => Verdict::of(match node {
                Node::Text(text) => pattern.is_match(text.as_bytes()),
                Node::Bytes(bytes) => pattern.is_match(bytes),
                _ => true,
            }),
            Test::Format(format) => Verdict::of(format.holds(&node)),
            Test::Unique(()) => Verdict::of(match node {
                Node::List(len) => first_duplicate(value, len, depth).is_none(),
                _ => true,
            }),
            Test::Presence(presence) => Verdict::of(match node {
                Node::Object(_) => presence.holds(|name| value.member(name).is_some()),
                _ => true,
            }),
            Test::Not(_) => Verdict::of(match compiled.gate {
                Some(gate) => !self.valid(gate, value, scope, depth),
                None => true,
            }),
            Test::Custom(custom) => self.custom(&custom.name, &compiled.operands, value, scope),
            Test::Assert(_) => match compiled.operands.first() {
                Some(operand) => {
                    let current = Erased::new(value);
                    match evaluate(operand, &current, scope, self.host) {
                        Evaluated::Failed(reason) => Verdict::Because(reason),
                        result => Verdict::of(matches!(result.node(), None | Some(Node::Bool(true)))),
                    }
                }
                None => Verdict::Holds,
            },
            // These have become gates of the parts.
            Test::Elements(_) | Test::Keys(_) | Test::Values(_) => Verdict::Holds,
            comparison => match compiled.operands.first() {
                Some(Value::Constant(wanted)) => Verdict::of(comparison.compares(node, View::node(wanted))),
                Some(operand) => {
                    let current = Erased::new(value);
                    match evaluate(operand, &current, scope, self.host) {
                        Evaluated::Failed(reason) => Verdict::Because(reason),
                        result => match result.node() {
                            Some(wanted) => Verdict::of(comparison.compares(node, wanted)),
                            // What is not there constrains nothing.
                            None => Verdict::Holds,
                        },
                    }
                }
                None => Verdict::Holds,
            },
        }
    }

    fn among<'v, V: View<'v>>(
        &self,
        compiled: &Compiled,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
        wanted: bool,
    ) -> Verdict {
        let current = Erased::new(value);
        let mut missing = false;
        for operand in &compiled.operands {
            let found = match evaluate(operand, &current, scope, self.host) {
                Evaluated::Borrowed(constant) => equals_constant(value, node, constant, depth),
                Evaluated::Owned(constant) => equals_constant(value, node, &constant, depth),
                Evaluated::Node(other) => equal(node, other),
                Evaluated::Missing => {
                    missing = true;
                    false
                }
                Evaluated::Failed(reason) => return Verdict::Because(reason),
            };
            if found {
                return Verdict::of(wanted);
            }
        }
        // A list of which a part is unknown cannot be said to lack the value.
        Verdict::of(!wanted || missing)
    }

    fn custom<'v, V: View<'v>>(&self, name: &str, operands: &[Value], value: V, scope: Scope<'_>) -> Verdict {
        let current = Erased::new(value);
        let evaluated: Vec<Evaluated<'_>> =
            operands.iter().map(|operand| evaluate(operand, &current, scope, self.host)).collect();
        let answer = arguments(&evaluated).and_then(|arguments| self.host.test(name, &current, &arguments));
        match answer {
            Ok(Ok(())) => Verdict::Holds,
            Ok(Err(message)) | Err(message) => Verdict::Because(message),
        }
    }

    /// The operands of a rule as text, for a message; `None` if one of them must not be printed.
    pub(crate) fn wanted<'v, V: View<'v>>(
        &self,
        compiled: &Compiled,
        value: V,
        scope: Scope<'_>,
    ) -> Option<String> {
        match &compiled.rule.test {
            Test::Constant(constant) => return Some(constant.to_string()),
            Test::Pattern(pattern) => return Some(format!("`{}`", pattern.source())),
            Test::Format(format) => return Some(format.name().to_owned()),
            _ => {}
        }
        if compiled.operands.iter().any(Value::is_secret) {
            return None;
        }
        let current = Erased::new(value);
        let texts: Vec<String> = compiled
            .operands
            .iter()
            .zip(written(&compiled.rule.test))
            .map(|(operand, written)| match evaluate(operand, &current, scope, self.host) {
                Evaluated::Borrowed(constant) => constant.to_string(),
                result => match result.node() {
                    Some(node) => format!("{} ({written})", crate::show::node_text(node)),
                    None => written.to_string(),
                },
            })
            .collect();
        Some(texts.join(", "))
    }
}

fn equals_constant<'v, V: View<'v>>(value: V, node: Node<'v>, constant: &Constant, depth: u32) -> bool {
    match constant {
        Constant::List(_) | Constant::Object(_) => deep_equal(value, constant, depth),
        scalar => equal(node, View::node(scalar)),
    }
}

/// The operands of a rule as they were written.
fn written(test: &Test) -> &[Operand] {
    match test {
        Test::In(operands) | Test::NotIn(operands) => operands,
        Test::Custom(custom) => &custom.arguments,
        Test::Assert(operand) => std::slice::from_ref(operand),
        other => other.operand().map(std::slice::from_ref).unwrap_or_default(),
    }
}
