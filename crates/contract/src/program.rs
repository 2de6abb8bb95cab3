//! The compiled form of a contract: gates that values pass or do not pass.
//!
//! A shape becomes a [`Gate`]. Gates refer to each other by number, so that recursive definitions need no
//! pointers and a contract is a few flat tables.

use std::sync::Arc;

use diagnostics::Span;

use crate::branch::Branch;
use crate::check::{Fast, GateCheck, Switch};
use crate::gate_id::{GateId, Rest};
use crate::members::ConstantSet;
use crate::names::NameTable;
use crate::operand::Operand;
use crate::pattern::Pattern;
use crate::rules::{Rule, Rules, Test};
use crate::shape::Requirement;
use value::Constant;
use value::Node;
use value::number::{IntWidth, Number};
use value::{Kinds, ValueKind};

/// All that a shape and its definitions were compiled to.
#[derive(Clone, Debug)]
pub(crate) struct CompiledProgram {
    pub(crate) gates: Vec<Gate>,
    /// What the quick walk runs, by the numbers of the gates.
    pub(crate) checks: Box<[GateCheck]>,
    pub(crate) root: GateId,
    /// Whether some rule refers to a field.
    pub(crate) scoped: bool,
    /// Whether some value must not be printed.
    pub(crate) secrets: bool,
    /// The gates of the definitions that were compiled, by name in order.
    pub(crate) entries: Box<[(Arc<str>, GateId)]>,
}

/// One compiled shape: what a value there must be, and where it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    /// The kinds that may pass; empty until the gate is built.
    pub(crate) accept: Kinds,
    /// Whether every value passes, so that nothing needs to be looked at.
    pub(crate) free: bool,
    /// Whether null passes without being looked at further.
    pub(crate) nullable: bool,
    /// Whether what passes must not be printed, be it only because a further gate of the same value says so.
    pub(crate) secret: bool,
    /// Whether some part of what passes must not be printed.
    pub(crate) veiled: bool,
    /// The kinds that can pass, further gates of the same value considered.
    pub(crate) may: Kinds,
    /// How wide an integer may be.
    pub(crate) width: IntWidth,
    /// What the rules come down to when only yes or no is asked and the gate has no check of its own.
    pub(crate) fast: Box<[Fast]>,
    /// The rules on the value itself.
    pub(crate) rules: RuleSet,
    /// What elements must look like.
    pub(crate) list: Option<Box<ListPart>>,
    /// What members must look like.
    pub(crate) object: Option<Box<ObjectPart>>,
    /// The members of an enum.
    pub(crate) members: Option<Box<EnumPart>>,
    /// Which further gate the value must pass.
    pub(crate) choice: Option<Box<Choice>>,
    /// The choice as the quick walk makes it, if the gate has no check of its own.
    pub(crate) switch: Option<Box<Switch>>,
    /// Further gates that the value must all pass.
    pub(crate) also: Box<[GateId]>,
    /// What people call the shape.
    pub(crate) title: Option<Arc<str>>,
    /// Where the shape was written.
    pub(crate) place: Option<Span>,
}

impl Gate {
    /// The gates that the same value meets next, whatever it is.
    pub(crate) fn same_value(&self) -> impl Iterator<Item = GateId> + '_ {
        let chosen = self.choice.iter().flat_map(|choice| choice.gates());
        let asked = self.rules.iter().flat_map(CompiledRule::same_value);
        self.also.iter().chain(chosen).copied().chain(asked)
    }

    /// Whether neither the value nor its parts meet further gates.
    pub(crate) fn stands_alone(&self) -> bool {
        self.also.is_empty()
            && self.choice.is_none()
            && self.list.is_none()
            && self.object.is_none()
            && self.rules.iter().all(|rule| rule.ready.gate.is_none() && rule.ready.branch.is_none())
    }

    /// The gates that parts of the value meet.
    pub(crate) fn parts(&self) -> impl Iterator<Item = GateId> + '_ {
        let list = self
            .list
            .iter()
            .flat_map(|list| list.prefix.iter().chain(&list.each).copied().chain(list.rest.gate()));
        let object = self.object.iter().flat_map(|object| {
            let known = object.properties.iter().map(|property| property.gate);
            let matched = object.patterns.iter().map(|(_, gate)| *gate);
            let all = object.keys.iter().chain(&object.values).copied();
            known.chain(matched).chain(all).chain(object.rest.gate())
        });
        list.chain(object).chain(self.rules.iter().filter_map(CompiledRule::item))
    }

    /// The gates that an element at a position may meet.
    pub(crate) fn gates_of_item(&self, index: usize) -> impl Iterator<Item = GateId> + '_ {
        let list = self.list.as_deref();
        let own = list.and_then(|list| list.gate_at(index));
        let each = list.into_iter().flat_map(|list| list.each.iter().copied());
        own.into_iter().chain(each).chain(self.rules.iter().filter_map(CompiledRule::item))
    }

    /// Whether a value of a kind may pass; a whole float may where integers do.
    pub(crate) fn may_take(&self, kind: ValueKind) -> bool {
        self.may.contains(kind) || (kind == ValueKind::Float && self.may.contains(ValueKind::Int))
    }

    /// Whether a value stands where a part of it would be a secret, and is of a kind that has no such part: nobody
    /// knows which of what it says is the secret. Null and truth values say nothing.
    pub(crate) fn misses_secrets(&self, kind: ValueKind) -> bool {
        match kind {
            _ if !self.veiled => false,
            ValueKind::Int | ValueKind::Float | ValueKind::Text | ValueKind::Bytes => !self.may_take(kind),
            ValueKind::List => self.list.is_none() && self.object.is_some(),
            ValueKind::Object => self.object.is_none() && self.list.is_some(),
            ValueKind::Null | ValueKind::Bool | ValueKind::Unknown => false,
        }
    }

    /// Whether a node is of an accepted kind and, if it is an integer, of an accepted width.
    #[inline]
    pub(crate) fn accepts(&self, node: Node<'_>) -> bool {
        let kind = node.kind();
        if self.accept.contains(kind) {
            return self.width == IntWidth::Any || kind != ValueKind::Int || self.fits(node);
        }
        // `1.0` is a whole number.
        kind == ValueKind::Float && self.accept.contains(ValueKind::Int) && self.fits(node)
    }

    #[cold]
    fn fits(&self, node: Node<'_>) -> bool {
        Number::from_node(&node).is_some_and(|number| number.fits(self.width))
    }
}

/// The rules of a shape, with what compiling them adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSet {
    /// The rules as written, which the shape has too.
    written: Rules,
    /// By position; most rules add nothing, and nothing is kept behind the last that does.
    ready: Box<[Ready]>,
}

/// What compiling adds to a rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ready {
    /// The operands, if they are other than written because they could be folded.
    pub(crate) operands: Option<Box<[Operand]>>,
    /// The constants of a rule that lists nothing else, to look them up.
    pub(crate) members: Option<Arc<ConstantSet>>,
    /// The gate of a rule that holds a shape.
    pub(crate) gate: Option<GateId>,
    /// Where a rule leads the same value that chooses between shapes.
    pub(crate) branch: Option<Box<Branch>>,
}

/// A rule with its operands ready.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompiledRule<'g> {
    /// The rule as written.
    pub(crate) rule: &'g Rule,
    /// What compiling adds to it.
    pub(crate) ready: &'g Ready,
    /// The rules that it is one of, and its position.
    pub(crate) among: (&'g Rules, usize),
}

impl RuleSet {
    /// Rules with what compiling adds to each, by position.
    pub(crate) fn new(written: Rules, ready: Vec<Ready>) -> RuleSet {
        RuleSet { written, ready: ready.into() }
    }

    /// How many rules there are at most.
    pub(crate) fn len(&self) -> usize {
        self.written.len()
    }

    /// Whether no rule is on the value itself.
    pub(crate) fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The rule at a position.
    pub(crate) fn get(&self, position: usize) -> Option<CompiledRule<'_>> {
        static NOTHING: Ready = Ready { operands: None, members: None, gate: None, branch: None };
        let rule = self.written.get(position)?;
        Some(CompiledRule {
            rule,
            ready: self.ready.get(position).unwrap_or(&NOTHING),
            among: (&self.written, position),
        })
    }

    /// The rules on the value itself, in order, with their positions.
    pub(crate) fn numbered(&self) -> impl DoubleEndedIterator<Item = (u32, CompiledRule<'_>)> + Clone {
        let all = (0..self.written.len())
            .filter_map(|position| Some((u32::try_from(position).unwrap_or(u32::MAX), self.get(position)?)));
        all.filter(|(_, rule)| !rule.rule.test.is_on_parts())
    }

    /// The rules on the value itself, in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = CompiledRule<'_>> + Clone {
        self.numbered().map(|(_, rule)| rule)
    }

    /// The rules on the fields of the value.
    pub(crate) fn asserts(&self) -> impl Iterator<Item = CompiledRule<'_>> {
        let all = (0..self.written.len()).filter_map(|position| self.get(position));
        all.filter(|rule| matches!(rule.rule.test, Test::Assert(_)))
    }
}

impl<'g> CompiledRule<'g> {
    /// The operands, folded where they are constant; none if they are members, of which there may be many.
    pub(crate) fn operands(self) -> &'g [Operand] {
        match (&self.ready.operands, &self.ready.members) {
            (Some(operands), _) => operands,
            (None, Some(_)) => &[],
            (None, None) => self.rule.test.operands(),
        }
    }

    /// The gates of shapes that the value itself is compared with.
    pub(crate) fn same_value(self) -> impl Iterator<Item = GateId> + 'g {
        let excluded = self.ready.gate.filter(|_| matches!(self.rule.test, Test::Not(_)));
        excluded.into_iter().chain(self.ready.branch.iter().flat_map(|branch| branch.gates()))
    }

    /// The gate of a shape that elements of the value are compared with.
    pub(crate) fn item(self) -> Option<GateId> {
        self.ready.gate.filter(|_| matches!(self.rule.test, Test::Containment(_)))
    }

    /// The operands that are constant, members among them.
    pub(crate) fn constants(self) -> impl Iterator<Item = &'g Constant> {
        let operands = self.ready.operands.as_deref().unwrap_or_else(|| self.rule.test.operands());
        operands.iter().filter_map(Operand::as_constant)
    }
}

/// What the elements of a list must look like.
#[derive(Clone, Debug)]
pub(crate) struct ListPart {
    /// Gates of the first elements.
    pub(crate) prefix: Box<[GateId]>,
    /// The fewest elements that there may be.
    pub(crate) least: usize,
    /// What further elements may be.
    pub(crate) rest: Rest,
    /// Gates that every element must pass besides.
    pub(crate) each: Box<[GateId]>,
    /// Whether no two elements may be equal because the form is a set.
    pub(crate) set: bool,
}

impl ListPart {
    /// The gate of the element at a position, if that has one of its own.
    pub(crate) fn gate_at(&self, index: usize) -> Option<GateId> {
        match (self.prefix.get(index), self.rest) {
            (Some(gate), _) => Some(*gate),
            (None, Rest::Gate(gate)) => Some(gate),
            (None, Rest::Open | Rest::Closed) => None,
        }
    }
}

/// What the members of an object must look like.
#[derive(Clone, Debug)]
pub(crate) struct ObjectPart {
    /// Names of the known properties, in the order of `properties`.
    pub(crate) names: Arc<NameTable>,
    /// Their numbers, where they have one, sorted.
    pub(crate) tags: Box<[(i64, u32)]>,
    /// The properties that the shape declares, in its order.
    pub(crate) properties: Box<[PropertyPart]>,
    /// Gates by a pattern on the name.
    pub(crate) patterns: Box<[(Pattern, GateId)]>,
    /// What other members may be.
    pub(crate) rest: Rest,
    /// Gates that every key must pass.
    pub(crate) keys: Box<[GateId]>,
    /// Gates that every value must pass besides.
    pub(crate) values: Box<[GateId]>,
    /// How many properties are required.
    pub(crate) required: usize,
    /// Whether some property has a value to check when it is absent.
    pub(crate) defaults: bool,
    /// The rules that are on the object's own fields, which are evaluated with those in reach.
    pub(crate) asserts: Option<Box<RuleSet>>,
    /// Whether members are entries of a map, not properties of an object that rules can refer to.
    pub(crate) map: bool,
}

impl ObjectPart {
    /// The position of a property, by name or by number.
    pub(crate) fn find(&self, key: Node<'_>) -> Option<usize> {
        self.find_near(key, 0)
    }

    /// The same, with a guess at the position.
    #[inline]
    pub(crate) fn find_near(&self, key: Node<'_>, guess: usize) -> Option<usize> {
        match key {
            Node::Text(name) => self.names.get_near(name.as_bytes(), guess),
            Node::Int(tag) => {
                let at = self.tags.binary_search_by_key(&tag, |(tag, _)| *tag).ok()?;
                self.tags.get(at).map(|(_, position)| *position as usize)
            }
            _ => None,
        }
    }

    /// The name of a property.
    pub(crate) fn name_of(&self, property: &PropertyPart) -> &str {
        self.names.name(property.position as usize)
    }

    /// The gates that the member of a key has to pass.
    pub(crate) fn gates_of<'k>(&'k self, key: Node<'k>) -> impl Iterator<Item = GateId> + 'k {
        self.own_gates_of(key).chain(self.values.iter().copied())
    }

    /// The gates that the member of a key has to pass because of its name, or because nothing knows its name.
    pub(crate) fn own_gates_of<'k>(&'k self, key: Node<'k>) -> impl Iterator<Item = GateId> + 'k {
        let known = self.find(key).and_then(|position| self.properties.get(position)).map(|it| it.gate);
        let text = match key {
            Node::Text(text) => Some(text),
            _ => None,
        };
        let mut matched = self
            .patterns
            .iter()
            .filter(move |(pattern, _)| text.is_some_and(|text| pattern.is_match(text.as_bytes())))
            .map(|(_, gate)| *gate)
            .peekable();
        let rest = self.rest.gate().filter(|_| known.is_none() && matched.peek().is_none());
        known.into_iter().chain(matched).chain(rest)
    }

    /// Whether members that are no known property can break nothing.
    pub(crate) fn ignores_others(&self) -> bool {
        self.rest == Rest::Open && self.patterns.is_empty() && self.keys.is_empty() && self.values.is_empty()
    }
}

/// A property that the shape declares.
#[derive(Clone, Debug)]
pub(crate) struct PropertyPart {
    /// Where it stands among the properties, and its name among the names.
    pub(crate) position: u32,
    pub(crate) gate: GateId,
    pub(crate) required: bool,
    pub(crate) requirement: Option<Box<Requirement>>,
    pub(crate) absent: Option<Box<Constant>>,
    pub(crate) place: Option<Span>,
}

/// The members of an enum.
#[derive(Clone, Debug)]
pub(crate) struct EnumPart {
    /// The numbers of the members, sorted to be searched.
    pub(crate) numbers: Box<[i64]>,
    /// The names; empty if members must be given by number.
    pub(crate) names: NameTable,
    /// Whether numbers without a name are members too.
    pub(crate) open: bool,
}

impl EnumPart {
    pub(crate) fn holds(&self, node: Node<'_>) -> bool {
        match node {
            Node::Text(name) => self.names.get(name.as_bytes()).is_some(),
            _ if self.open => true,
            Node::Int(value) => self.numbers.binary_search(&value).is_ok(),
            other => Number::from_node(&other)
                .and_then(|number| number.as_i64())
                .is_some_and(|value| self.numbers.binary_search(&value).is_ok()),
        }
    }
}

impl Choice {
    /// Every gate that may be chosen.
    pub(crate) fn gates(&self) -> &[GateId] {
        match self {
            Choice::Any(gates) | Choice::One(gates) => gates,
            Choice::Kind { gates, .. } | Choice::Property { gates, .. } => gates,
        }
    }
}

/// How a union goes on.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// Any of the gates.
    Any(Box<[GateId]>),
    /// Exactly one of the gates.
    One(Box<[GateId]>),
    /// The gate for the value's kind.
    Kind {
        /// The gates there are.
        gates: Box<[GateId]>,
        /// The gate for each kind.
        table: [Option<GateId>; 8],
    },
    /// The gate that a property names.
    Property {
        name: Box<str>,
        /// Its values, in the order of `gates`.
        values: NameTable,
        /// The gate for each value.
        gates: Box<[GateId]>,
    },
}
