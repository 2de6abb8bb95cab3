//! One rule against one value: the only place where a rule is evaluated as it was written.

use crate::branch::{Branch, BranchTest};
use crate::compare::{deep_equal, equal};
use crate::gate_id::GateId;
use crate::host::{Erased, Tested};
use crate::operand::{Base, Operand, Reference};
use crate::program::{CompiledRule, ObjectPart};
use crate::report::{Standing, standing};
use crate::rules::{Containment, Custom, Test, first_duplicate};
use crate::scope::{OperandValue, ReferenceScope, arguments, evaluate};
use crate::violation::ExpectedTexts;
use crate::walk::CheckWalk;
use value::Constant;
use value::show;
use value::{Node, View};

/// Whether a rule holds.
pub(crate) enum RuleVerdict {
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

impl RuleVerdict {
    fn of(holds: bool) -> RuleVerdict {
        if holds { RuleVerdict::Holds } else { RuleVerdict::Broken }
    }

    pub(crate) fn holds(&self) -> bool {
        matches!(self, RuleVerdict::Holds)
    }
}

impl CheckWalk<'_> {
    /// Whether a value keeps a rule; the quick walk and the reporting walk both end here.
    pub(crate) fn judge<'v, V: View<'v>>(
        &self,
        compiled: CompiledRule<'_>,
        part: Option<&ObjectPart>,
        value: V,
        node: Node<'v>,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> RuleVerdict {
        if self.partial && value.has_unknown() && is_on_content(&compiled.rule.test) {
            return self.judge_partly(compiled, value, node, scope, depth);
        }
        match &compiled.rule.test {
            Test::Constant(constant) => RuleVerdict::of(deep_equal(value, constant, depth)),
            Test::In(_) => self.among(compiled, value, node, scope, depth, true),
            Test::NotIn(_) => self.among(compiled, value, node, scope, depth, false),
            Test::Pattern(pattern) => RuleVerdict::of(match node {
                Node::Text(text) => pattern.is_match(text.as_bytes()),
                Node::Bytes(bytes) => pattern.is_match(bytes),
                _ => true,
            }),
            Test::Format(format) => RuleVerdict::of(format.holds(&node)),
            Test::Unique(()) => RuleVerdict::of(match node {
                Node::List(len) => first_duplicate(value, len, depth).is_none(),
                _ => true,
            }),
            Test::Presence(presence) => RuleVerdict::of(match node {
                Node::Object(_) => presence.holds(|name| has(part, value, name)),
                _ => true,
            }),
            Test::Not(_) => RuleVerdict::of(match compiled.ready.gate {
                Some(gate) => !self.valid(gate, value, scope, depth),
                None => true,
            }),
            Test::If(_) | Test::Dependent(_) => RuleVerdict::of(match &compiled.ready.branch {
                Some(branch) => {
                    let taken = self.taken(branch, part, value, scope, depth);
                    taken.is_none_or(|gate| self.valid(gate, value, scope, depth))
                }
                None => true,
            }),
            Test::Containment(it) => RuleVerdict::of(match (compiled.ready.gate, node) {
                (Some(gate), Node::List(_)) => {
                    let found = self.fitting(gate, usize::MAX, value, scope, depth);
                    found >= it.least && it.most.is_none_or(|most| found <= most)
                }
                _ => true,
            }),
            Test::Custom(custom) => self.custom(custom, compiled.operands(), value, scope),
            Test::Assert(_) => match compiled.operands().first() {
                Some(operand) => {
                    let current = Erased::new(value);
                    match evaluate(operand, &current, scope, self.host) {
                        OperandValue::Failed(reason) => RuleVerdict::Because(reason),
                        result => match result.node() {
                            Some(Node::Unknown) => RuleVerdict::Unknown,
                            found => RuleVerdict::of(matches!(found, None | Some(Node::Bool(true)))),
                        },
                    }
                }
                None => RuleVerdict::Holds,
            },
            // These have become gates of the parts.
            Test::Elements(_) | Test::Keys(_) | Test::Values(_) => RuleVerdict::Holds,
            comparison => match compiled.operands().first() {
                Some(Operand::Constant(wanted)) => {
                    RuleVerdict::of(comparison.compares(node, View::node(wanted)))
                }
                Some(operand) => {
                    let current = Erased::new(value);
                    match evaluate(operand, &current, scope, self.host) {
                        OperandValue::Failed(reason) => RuleVerdict::Because(reason),
                        result => match result.node() {
                            Some(Node::Unknown) => RuleVerdict::Unknown,
                            Some(wanted) => RuleVerdict::of(comparison.compares(node, wanted)),
                            // What is not there constrains nothing.
                            None => RuleVerdict::Holds,
                        },
                    }
                }
                None => RuleVerdict::Holds,
            },
        }
    }

    fn among<'v, V: View<'v>>(
        &self,
        compiled: CompiledRule<'_>,
        value: V,
        node: Node<'v>,
        scope: ReferenceScope<'_>,
        depth: u32,
        wanted: bool,
    ) -> RuleVerdict {
        if let Some(members) = &compiled.ready.members {
            return RuleVerdict::of(members.contains(value) == wanted);
        }
        let current = Erased::new(value);
        let mut unknown = false;
        for operand in compiled.operands() {
            let found = match evaluate(operand, &current, scope, self.host) {
                OperandValue::Borrowed(constant) | OperandValue::Kept(constant) => {
                    equals_constant(value, node, constant, depth)
                }
                OperandValue::Owned(constant) => equals_constant(value, node, &constant, depth),
                OperandValue::Node(Node::Unknown) => {
                    unknown = true;
                    false
                }
                OperandValue::Node(other) => equal(node, other),
                // One of the rest, if there are any.
                OperandValue::Missing => false,
                OperandValue::Failed(reason) => return RuleVerdict::Because(reason),
            };
            if found {
                return RuleVerdict::of(wanted);
            }
        }
        if unknown {
            return RuleVerdict::Unknown;
        }
        RuleVerdict::of(!wanted)
    }

    fn custom<'v, V: View<'v>>(
        &self,
        custom: &Custom,
        operands: &[Operand],
        value: V,
        scope: ReferenceScope<'_>,
    ) -> RuleVerdict {
        let current = Erased::new(value);
        let evaluated: Vec<OperandValue<'_>> =
            operands.iter().map(|operand| evaluate(operand, &current, scope, self.host)).collect();
        let is_unknown = |it: &OperandValue<'_>| matches!(it, OperandValue::Node(Node::Unknown));
        if evaluated.iter().any(is_unknown) {
            return RuleVerdict::Unknown;
        }
        match arguments(&evaluated).map(|arguments| self.host.test(custom, &current, &arguments)) {
            Ok(Tested::Holds) => RuleVerdict::Holds,
            Ok(Tested::Unknown) => RuleVerdict::Unknown,
            Ok(Tested::Broken { words, cause }) => RuleVerdict::Host { words, cause, failed: false },
            Ok(Tested::Failed { words, cause }) => RuleVerdict::Host { words, cause, failed: true },
            Err(words) => RuleVerdict::Host { words, cause: None, failed: true },
        }
    }

    /// Tests a rule on a value of which a part is not known: broken only if it is whatever that part turns out to be.
    #[cold]
    fn judge_partly<'v, V: View<'v>>(
        &self,
        compiled: CompiledRule<'_>,
        value: V,
        node: Node<'v>,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> RuleVerdict {
        match (&compiled.rule.test, node) {
            // Known elements that are equal stay equal; an unknown one equals nothing yet.
            (Test::Unique(()), Node::List(len)) if first_duplicate(value, len, depth).is_some() => {
                RuleVerdict::Broken
            }
            (Test::Not(_), _) => match compiled.ready.gate {
                Some(gate) => match standing(self, gate, value, scope, depth) {
                    Standing::Holds => RuleVerdict::Broken,
                    Standing::Broken => RuleVerdict::Holds,
                    Standing::Unknown => RuleVerdict::Unknown,
                },
                None => RuleVerdict::Holds,
            },
            (Test::Containment(it), Node::List(_)) => match compiled.ready.gate {
                Some(gate) => self.contains_partly(it, gate, value, scope, depth),
                None => RuleVerdict::Holds,
            },
            (Test::Containment(_), _) => RuleVerdict::Holds,
            (Test::If(_), _) => match &compiled.ready.branch {
                Some(branch) => self.branch_partly(branch, value, scope, depth),
                None => RuleVerdict::Holds,
            },
            _ => RuleVerdict::Unknown,
        }
    }

    /// Counts elements of which some are not known.
    fn contains_partly<'v, V: View<'v>>(
        &self,
        containment: &Containment,
        gate: GateId,
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> RuleVerdict {
        let (mut certain, mut possible) = (0, 0);
        for item in value.items() {
            let found = standing(self, gate, item, scope, depth.saturating_sub(1));
            certain += usize::from(found == Standing::Holds);
            possible += usize::from(found != Standing::Broken);
        }
        let exceeds = |found: usize| containment.most.is_some_and(|most| found > most);
        if possible < containment.least || exceeds(certain) {
            RuleVerdict::Broken
        } else if certain >= containment.least && !exceeds(possible) {
            RuleVerdict::Holds
        } else {
            RuleVerdict::Unknown
        }
    }

    /// Follows a branch with a value of which a part is not known: where it is not known which way it takes, both count.
    fn branch_partly<'v, V: View<'v>>(
        &self,
        branch: &Branch,
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> RuleVerdict {
        let BranchTest::Gate(test) = branch.test else { return RuleVerdict::Unknown };
        let stands = |gate: Option<GateId>| {
            gate.map_or(Standing::Holds, |gate| standing(self, gate, value, scope, depth))
        };
        let found = match stands(Some(test)) {
            Standing::Holds => stands(branch.then),
            Standing::Broken => stands(branch.otherwise),
            Standing::Unknown => match (stands(branch.then), stands(branch.otherwise)) {
                (then, otherwise) if then == otherwise => then,
                _ => Standing::Unknown,
            },
        };
        match found {
            Standing::Holds => RuleVerdict::Holds,
            Standing::Broken => RuleVerdict::Broken,
            Standing::Unknown => RuleVerdict::Unknown,
        }
    }

    /// The operands of a rule as text, for a message; `None` if one of them must not be printed.
    pub(crate) fn expected_text<'v, V: View<'v>>(
        &self,
        compiled: CompiledRule<'_>,
        value: V,
        scope: ReferenceScope<'_>,
        secret: bool,
    ) -> Option<ExpectedTexts> {
        /// As many as a reader takes in at a glance.
        const MOST: usize = 16;
        // What a secret must equal is the secret.
        let gives_away =
            matches!(compiled.rule.test, Test::Constant(_) | Test::Eq(_) | Test::In(_)) && secret;
        if gives_away || compiled.operands().iter().any(|operand| self.hides(operand, scope, secret)) {
            return None;
        }
        match &compiled.rule.test {
            Test::Constant(constant) => return Some(ExpectedTexts::one(show::short(constant))),
            Test::Pattern(pattern) => return Some(ExpectedTexts::one(format!("`{}`", pattern.source()))),
            Test::Format(format) => return Some(ExpectedTexts::one(format.name())),
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
                    Some(OperandValue::Borrowed(constant)) => show::short(constant),
                    Some(result) => match result.node() {
                        Some(node) => format!("{} ({written})", show::node_text(node)),
                        None => written.to_string(),
                    },
                    None => written.as_constant().map_or_else(|| written.to_string(), show::short),
                }
            })
            .map(Into::into)
            .collect();
        Some(ExpectedTexts { shown, more: written.len().saturating_sub(MOST) })
    }

    /// Whether an operand reads something that must not be printed.
    pub(crate) fn hides(&self, operand: &Operand, scope: ReferenceScope<'_>, secret: bool) -> bool {
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
    matches!(
        test,
        Test::Constant(_)
            | Test::In(_)
            | Test::NotIn(_)
            | Test::Unique(())
            | Test::Not(_)
            | Test::If(_)
            | Test::Containment(_)
    )
}

/// Whether an object has a property, by its name or by the number that goes with it.
pub(crate) fn has<'v, V: View<'v>>(part: Option<&ObjectPart>, value: V, name: &str) -> bool {
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
