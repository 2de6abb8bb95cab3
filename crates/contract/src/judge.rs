//! One rule against one value: the only place where a rule is evaluated as it was written.

use std::cell::{Cell, RefCell};

use crate::check::Check;
use crate::compare::{deep_equal, equal};
use crate::host::{Erased, Host, Tested};
use crate::operand::{Base, Operand, Reference};
use crate::program::{Compiled, Gate, GateId, ObjectPart};
use crate::report::{self, Standing};
use crate::rules::{Custom, Test, first_duplicate};
use crate::scope::{Evaluated, Scope, arguments, evaluate};
use crate::violation::Wanted;
use value::Constant;
use value::show;
use value::{Node, View};

/// Every so many bytes of text that are looked at count as one more step.
pub(crate) const LONG: usize = 1024;

/// What a walk over a value needs at every step.
pub(crate) struct Walk<'c> {
    pub(crate) gates: &'c [Gate],
    /// What the quick walk runs, by the same numbers.
    pub(crate) checks: &'c [Check],
    pub(crate) host: &'c dyn Host,
    /// Whether rules refer to fields at all; if not, scopes need not be kept.
    pub(crate) scoped: bool,
    /// Whether some value must not be printed.
    pub(crate) secrets: bool,
    /// How many more times a value may meet a gate.
    pub(crate) work: Cell<u64>,
    /// Whether a limit was met.
    pub(crate) exhausted: Cell<bool>,
    /// Whether the next object is but tried: one of several alternatives, most of which it will not be.
    pub(crate) tried: Cell<bool>,
    /// Whether parts of the value may be unknown, so that rules can be undecided.
    pub(crate) partial: bool,
    /// Which known properties were seen, for objects with very many; a stack, as objects nest.
    pub(crate) seen: RefCell<Vec<u64>>,
}

/// Whether a rule holds.
pub(crate) enum Verdict {
    Holds,
    Broken,
    /// Broken, in the host's words.
    Because(String),
    /// Broken, or at least not shown to hold, by a rule of the host, which may keep why under a number.
    Host {
        words: String,
        cause: Option<u32>,
        /// Whether the rule could not be evaluated.
        failed: bool,
    },
    /// What the rule looks at is not known yet.
    Unknown,
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
    /// A walk through gates, with so many steps to go.
    pub(crate) fn new(
        gates: &'c [Gate],
        checks: &'c [Check],
        host: &'c dyn Host,
        scoped: bool,
        work: u64,
    ) -> Walk<'c> {
        let (work, exhausted) = (Cell::new(work), Cell::new(false));
        let (tried, seen) = (Cell::new(false), RefCell::default());
        Walk { gates, checks, host, scoped, secrets: false, work, exhausted, tried, partial: false, seen }
    }

    /// A walk that meets no further gate, for rules on constants.
    pub(crate) fn alone(host: &'c dyn Host) -> Walk<'c> {
        Walk::new(&[], &[], host, false, u64::MAX)
    }

    /// A gate by its number; a number that is none is a gate that nothing passes.
    #[inline]
    pub(crate) fn gate(&self, id: GateId) -> Option<&Gate> {
        self.gates.get(id as usize)
    }

    /// Counts one meeting of a value and a gate, or more if the value is long; false once the limit is met.
    pub(crate) fn spend_on(&self, gate: &Gate, node: Node<'_>) -> bool {
        self.spend(match node {
            Node::Text(text) => 1 + text.len() / LONG * gate.rules.len(),
            Node::Bytes(bytes) => 1 + bytes.len() / LONG * gate.rules.len(),
            Node::List(len) | Node::Object(len) => 1 + len / LONG,
            _ => 1,
        })
    }

    /// Counts steps; false once the limit is met.
    #[inline]
    pub(crate) fn spend(&self, steps: usize) -> bool {
        match self.work.get().checked_sub(steps as u64) {
            Some(left) => {
                self.work.set(left);
                true
            }
            None => {
                self.work.set(0);
                self.exhausted.set(true);
                false
            }
        }
    }

    /// Tests one rule.
    pub(crate) fn judge<'v, V: View<'v>>(
        &self,
        compiled: Compiled<'_>,
        part: Option<&ObjectPart>,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> Verdict {
        if self.partial && value.has_unknown() && is_on_content(&compiled.rule.test) {
            return self.judge_partly(compiled, value, node, scope, depth);
        }
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
                Node::Object(_) => presence.holds(|name| has(part, value, name)),
                _ => true,
            }),
            Test::Not(_) => Verdict::of(match compiled.ready.gate {
                Some(gate) => !self.valid(gate, value, scope, depth),
                None => true,
            }),
            Test::Custom(custom) => self.custom(custom, compiled.operands(), value, scope),
            Test::Assert(_) => match compiled.operands().first() {
                Some(operand) => {
                    let current = Erased::new(value);
                    match evaluate(operand, &current, scope, self.host) {
                        Evaluated::Failed(reason) => Verdict::Because(reason),
                        result => match result.node() {
                            Some(Node::Unknown) => Verdict::Unknown,
                            found => Verdict::of(matches!(found, None | Some(Node::Bool(true)))),
                        },
                    }
                }
                None => Verdict::Holds,
            },
            // These have become gates of the parts.
            Test::Elements(_) | Test::Keys(_) | Test::Values(_) => Verdict::Holds,
            comparison => match compiled.operands().first() {
                Some(Operand::Constant(wanted)) => Verdict::of(comparison.compares(node, View::node(wanted))),
                Some(operand) => {
                    let current = Erased::new(value);
                    match evaluate(operand, &current, scope, self.host) {
                        Evaluated::Failed(reason) => Verdict::Because(reason),
                        result => match result.node() {
                            Some(Node::Unknown) => Verdict::Unknown,
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
        compiled: Compiled<'_>,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
        wanted: bool,
    ) -> Verdict {
        if let Some(members) = &compiled.ready.members {
            return Verdict::of(members.contains(value) == wanted);
        }
        let current = Erased::new(value);
        let mut unknown = false;
        for operand in compiled.operands() {
            let found = match evaluate(operand, &current, scope, self.host) {
                Evaluated::Borrowed(constant) | Evaluated::Kept(constant) => {
                    equals_constant(value, node, constant, depth)
                }
                Evaluated::Owned(constant) => equals_constant(value, node, &constant, depth),
                Evaluated::Node(Node::Unknown) => {
                    unknown = true;
                    false
                }
                Evaluated::Node(other) => equal(node, other),
                // One of the rest, if there are any.
                Evaluated::Missing => false,
                Evaluated::Failed(reason) => return Verdict::Because(reason),
            };
            if found {
                return Verdict::of(wanted);
            }
        }
        if unknown {
            return Verdict::Unknown;
        }
        Verdict::of(!wanted)
    }

    fn custom<'v, V: View<'v>>(
        &self,
        custom: &Custom,
        operands: &[Operand],
        value: V,
        scope: Scope<'_>,
    ) -> Verdict {
        let current = Erased::new(value);
        let evaluated: Vec<Evaluated<'_>> =
            operands.iter().map(|operand| evaluate(operand, &current, scope, self.host)).collect();
        let is_unknown = |it: &Evaluated<'_>| matches!(it, Evaluated::Node(Node::Unknown));
        if evaluated.iter().any(is_unknown) {
            return Verdict::Unknown;
        }
        match arguments(&evaluated).map(|arguments| self.host.test(custom, &current, &arguments)) {
            Ok(Tested::Holds) => Verdict::Holds,
            Ok(Tested::Unknown) => Verdict::Unknown,
            Ok(Tested::Broken { words, cause }) => Verdict::Host { words, cause, failed: false },
            Ok(Tested::Failed { words, cause }) => Verdict::Host { words, cause, failed: true },
            Err(words) => Verdict::Host { words, cause: None, failed: true },
        }
    }

    /// Tests a rule on a value of which a part is not known: broken only if it is whatever that part turns out to be.
    #[cold]
    fn judge_partly<'v, V: View<'v>>(
        &self,
        compiled: Compiled<'_>,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> Verdict {
        match (&compiled.rule.test, node) {
            // Known elements that are equal stay equal; an unknown one equals nothing yet.
            (Test::Unique(()), Node::List(len)) if first_duplicate(value, len, depth).is_some() => {
                Verdict::Broken
            }
            (Test::Not(_), _) => match compiled.ready.gate {
                Some(gate) => match report::standing(self, gate, value, scope, depth) {
                    Standing::Holds => Verdict::Broken,
                    Standing::Broken => Verdict::Holds,
                    Standing::Unknown => Verdict::Unknown,
                },
                None => Verdict::Holds,
            },
            _ => Verdict::Unknown,
        }
    }

    /// The operands of a rule as text, for a message; `None` if one of them must not be printed.
    pub(crate) fn wanted<'v, V: View<'v>>(
        &self,
        compiled: Compiled<'_>,
        value: V,
        scope: Scope<'_>,
        secret: bool,
    ) -> Option<Wanted> {
        /// As many as a reader takes in at a glance.
        const MOST: usize = 16;
        // What a secret must equal is the secret.
        let gives_away =
            matches!(compiled.rule.test, Test::Constant(_) | Test::Eq(_) | Test::In(_)) && secret;
        if gives_away || compiled.operands().iter().any(|operand| self.hides(operand, scope, secret)) {
            return None;
        }
        match &compiled.rule.test {
            Test::Constant(constant) => return Some(Wanted::one(show::short(constant))),
            Test::Pattern(pattern) => return Some(Wanted::one(format!("`{}`", pattern.source()))),
            Test::Format(format) => return Some(Wanted::one(format.name())),
            _ => {}
        }
        let current = Erased::new(value);
        let written = compiled.rule.test.operands();
        let shown: Vec<Box<str>> = written
            .iter()
            .enumerate()
            .take(MOST)
            .map(|(position, written)| {
                let operand = compiled.operands().get(position);
                match operand.map(|operand| evaluate(operand, &current, scope, self.host)) {
                    Some(Evaluated::Borrowed(constant)) => show::short(constant),
                    Some(result) => match result.node() {
                        Some(node) => format!("{} ({written})", show::node_text(node)),
                        None => written.to_string(),
                    },
                    None => written.as_constant().map_or_else(|| written.to_string(), show::short),
                }
            })
            .map(Into::into)
            .collect();
        Some(Wanted { shown, more: written.len().saturating_sub(MOST) })
    }

    /// Whether an operand reads something that must not be printed.
    pub(crate) fn hides(&self, operand: &Operand, scope: Scope<'_>, secret: bool) -> bool {
        match operand {
            Operand::Constant(_) => false,
            Operand::Reference(Reference { base: Base::Field(name), steps }) => {
                scope.object.is_some_and(|object| object.hides(name, steps, self.gates))
            }
            // What the value itself, or a part of it, may hold is not looked up but taken for secret.
            Operand::Reference(reference) => secret || (!reference.steps.is_empty() && self.secrets),
            Operand::Call { arguments, .. } => {
                arguments.iter().any(|argument| self.hides(argument, scope, secret))
            }
        }
    }
}

/// Whether a rule looks at more of a value than its kind, its size and the names of its members. Hosts decide for themselves.
fn is_on_content(test: &Test) -> bool {
    matches!(test, Test::Constant(_) | Test::In(_) | Test::NotIn(_) | Test::Unique(()) | Test::Not(_))
}

/// Whether an object has a property, by its name or by the number that goes with it.
fn has<'v, V: View<'v>>(part: Option<&ObjectPart>, value: V, name: &str) -> bool {
    match part {
        Some(part) if !part.tags.is_empty() => match part.names.get(name.as_bytes()) {
            Some(position) => value.members().any(|(key, _)| part.find(key.node()) == Some(position)),
            None => value.member(name).is_some(),
        },
        _ => value.member(name).is_some(),
    }
}

fn equals_constant<'v, V: View<'v>>(value: V, node: Node<'v>, constant: &Constant, depth: u32) -> bool {
    match constant {
        Constant::List(_) | Constant::Object(_) => deep_equal(value, constant, depth),
        scalar => equal(node, View::node(scalar)),
    }
}
