//! Every violation, in document order, with its path.
//!
//! The walk meets the same gates as the one in `valid`, but it remembers where it is (a chain of stack frames,
//! turned into a path only when something is broken) and goes on after a violation. A value meets all of its
//! gates together before its parts are looked at: so violations come in document order whichever shape they
//! belong to, and what one shape keeps secret no other gives away.

mod choice;
mod object;
mod trail;
mod words;

use std::collections::HashSet;
use std::ops::ControlFlow;

use diagnostics::Span;

use self::choice::BrokenChoice;
use self::object::seen;
use self::trail::{At, Trail, TrailStep};
use self::words::{equal_elements, list_some, with_article};
use crate::constant::Constant;
use crate::judge::{Verdict, Walk};
use crate::limits::Order;
use crate::program::{Compiled, Gate, GateId, ListPart, ObjectPart, Rest};
use crate::rules::{RuleInfo, Test, first_duplicate, form, measure};
use crate::scope::{Own, Scope};
use crate::show::MASK;
use crate::veil;
use crate::view::{Node, View};
use crate::violation::Violation;

/// How many bytes the paths of all violations together may take; a document may have very long keys.
const ROOM: usize = 16 << 20;

/// How many names are compared to suggest one; a document or a contract may have a hundred thousand.
const SUGGESTED: usize = 500;

/// How many violations come with a suggestion; nobody reads more, and to look for one takes time.
const SUGGESTIONS: usize = 50;

/// Collects what is wrong with a value, up to a number of violations.
pub(crate) fn collect<'v, V: View<'v>>(
    walk: &Walk<'_>,
    root: GateId,
    value: V,
    depth: u32,
    most: usize,
    order: Order,
) -> Vec<Violation> {
    let (violations, suggestions) = (Vec::new(), SUGGESTIONS);
    let mut report = Report { walk, violations, most, order, room: ROOM, suggestions, inner: false };
    let own = Own::new(value);
    let scope = Scope { object: None, own: Some(&own) };
    // Whether it was cut short is told by the number of violations and by the walk.
    let _ = report.visit(value, vec![Demand { gate: root, scope, depth }], At { trail: None, secret: false });
    report.violations
}

/// Collects violations up to a number.
struct Report<'w> {
    walk: &'w Walk<'w>,
    violations: Vec<Violation>,
    most: usize,
    order: Order,
    /// How many more bytes paths may take.
    room: usize,
    /// How many more suggestions are looked for.
    suggestions: usize,
    /// Whether this is a look at an alternative of a union, for a hint.
    inner: bool,
}

/// A gate that a value has to pass, what its references reach, and how deep it may go.
#[derive(Clone, Copy)]
struct Demand<'s> {
    gate: GateId,
    scope: Scope<'s>,
    depth: u32,
}

/// A gate that a value has met.
struct Met<'w, 's> {
    gate: &'w Gate,
    scope: Scope<'s>,
    depth: u32,
    state: State,
    /// A union of which the value has no alternative, or too many.
    broken: Option<BrokenChoice>,
}

/// What a gate made of a value before it looked any further.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is null, which passes.
    LetPast,
    /// It is of a kind that the gate accepts.
    Accepted,
    /// It is not.
    WrongKind,
}

/// What is wrong, before it is known where.
struct Broken<'b> {
    info: &'static RuleInfo,
    /// The rule's name in its dialect, if it has another there.
    rule: Option<&'b str>,
    wanted: Option<String>,
    message: String,
    hint: Option<String>,
    written: Option<Span>,
}

impl<'b> Broken<'b> {
    /// Something that the form of a shape asks for.
    fn form(info: &'static RuleInfo, message: String, written: Option<Span>) -> Broken<'b> {
        Broken { info, rule: None, wanted: None, message, hint: None, written }
    }

    fn wanted(mut self, wanted: String) -> Broken<'b> {
        self.wanted = Some(wanted);
        self
    }
}

type Flow = ControlFlow<()>;

/// A value with what is known about it while its violations are reported.
struct Here<'h, 'v, V> {
    value: V,
    node: Node<'v>,
    at: At<'h>,
    /// All gates that the value meets.
    gates: &'h [&'h Gate],
}

impl<'w> Report<'w> {
    /// Checks a value against gates and reports what is broken.
    fn visit<'v, V: View<'v>>(&mut self, value: V, demands: Vec<Demand<'_>>, at: At<'_>) -> Flow {
        let node = value.node();
        let met = self.meet(value, node, demands)?;
        let at = At { secret: at.secret || met.iter().any(|met| met.gate.secret), ..at };
        let gates: Vec<&Gate> = met.iter().map(|met| met.gate).collect();
        let here = Here { value, node, at, gates: &gates };
        for met in &met {
            self.value_rules(&here, met)?;
        }
        match node {
            Node::List(1..) => self.items(&here, &met),
            Node::Object(_) => self.members(&here, &met),
            _ => Flow::Continue(()),
        }
    }

    /// Finds all gates that the same value meets, and which alternatives it takes.
    fn meet<'s, 'v, V: View<'v>>(
        &self,
        value: V,
        node: Node<'v>,
        mut demands: Vec<Demand<'s>>,
    ) -> ControlFlow<(), Vec<Met<'w, 's>>> {
        let walk = self.walk;
        let mut all = Vec::with_capacity(demands.len());
        let mut seen = HashSet::new();
        let mut next = 0;
        while let Some(Demand { gate: id, scope, depth }) = demands.get(next).copied() {
            next += 1;
            let Some(gate) = walk.gate(id).filter(|gate| !gate.free) else { continue };
            // Two ways may lead to one gate; what it says is said once.
            if !seen.insert((id, scope.identity())) {
                continue;
            }
            if !walk.spend_on(gate, node) {
                return ControlFlow::Break(());
            }
            let state = match gate.nullable && node == Node::Null {
                true => State::LetPast,
                false if gate.accepts(node) => State::Accepted,
                false => State::WrongKind,
            };
            let mut met = Met { gate, scope, depth, state, broken: None };
            if state == State::Accepted && (gate.choice.is_some() || !gate.also.is_empty()) {
                let Some(depth) = walk.deeper(depth) else { return ControlFlow::Break(()) };
                demands.extend(gate.also.iter().map(|also| Demand { gate: *also, scope, depth }));
                if let Some(choice) = &gate.choice {
                    let taken = self.choose(choice, value, node, scope, depth);
                    if walk.exhausted.get() {
                        return ControlFlow::Break(());
                    }
                    demands.extend(taken.gates.iter().map(|gate| Demand { gate: *gate, scope, depth }));
                    met.broken = taken.broken;
                }
            }
            all.push(met);
        }
        ControlFlow::Continue(all)
    }

    fn is_secret(&self, mut gates: impl Iterator<Item = GateId>) -> bool {
        gates.any(|id| self.walk.gate(id).is_some_and(|gate| gate.secret))
    }

    /// Reports what one gate has against a value itself, its parts left aside.
    fn value_rules<'v, V: View<'v>>(&mut self, here: &Here<'_, 'v, V>, met: &Met<'_, '_>) -> Flow {
        let gate = met.gate;
        match met.state {
            State::LetPast => return Flow::Continue(()),
            State::WrongKind => return self.wrong_kind(here, gate),
            State::Accepted => {}
        }
        for rule in gate.rules.iter() {
            self.rule(here, rule, gate.object.as_deref(), met.scope, met.depth)?;
        }
        if let Some(members) = &gate.members
            && !members.holds(here.node)
        {
            let wanted = match members.names.is_empty() {
                true => list_some(members.numbers.iter().map(i64::to_string)),
                false => list_some(members.names.iter()),
            };
            let message = format!("must be a member of the enum: {wanted}");
            let broken = Broken::form(&form::KIND, message, gate.place).wanted(wanted);
            self.report(here, broken)?;
        }
        if let (Node::List(len), Some(part)) = (here.node, &gate.list) {
            self.list_rules(here, gate, part, len, met.depth)?;
        }
        if let (Node::Object(_), Some(part)) = (here.node, &gate.object)
            && part.required > 0
            && self.order == Order::Document
        {
            for (property, seen) in part.properties.iter().zip(seen(part, here.value)) {
                if property.required && !seen {
                    self.missing(here, gate, part, property)?;
                }
            }
        }
        match &met.broken {
            Some(broken) => {
                let hint = match &gate.choice {
                    Some(choice) if !self.inner && broken.info.name == form::UNION.name => {
                        self.nearest(here, choice.gates(), met)
                    }
                    _ => None,
                };
                let message = match here.at.secret && broken.info.name == form::DISCRIMINATOR.name {
                    true => format!("must be one of {}", broken.wanted.as_deref().unwrap_or_default()),
                    false => broken.message.clone(),
                };
                let wanted = broken.wanted.clone();
                let rule = broken.rule;
                self.report(
                    here,
                    Broken { rule, hint, wanted, ..Broken::form(broken.info, message, gate.place) },
                )
            }
            None => Flow::Continue(()),
        }
    }

    fn wrong_kind<'v, V: View<'v>>(&mut self, here: &Here<'_, 'v, V>, gate: &Gate) -> Flow {
        let wanted = gate.expects();
        let message = match here.node.kind() {
            _ if gate.accept.is_empty() => "no value is allowed here".to_owned(),
            kind if gate.accept.contains(kind) => format!("must be {wanted}"),
            kind => format!("must be {wanted}, not {}", with_article(kind.name())),
        };
        self.report(here, Broken::form(&form::KIND, message, gate.place).wanted(wanted))
    }

    fn rule<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        compiled: Compiled<'_>,
        part: Option<&ObjectPart>,
        scope: Scope<'_>,
        depth: u32,
    ) -> Flow {
        let (value, node, secret) = (here.value, here.node, here.at.secret);
        let verdict = self.walk.judge(compiled, part, value, node, scope, depth);
        if self.walk.exhausted.get() {
            return Flow::Break(());
        }
        let reason = match verdict {
            Verdict::Holds => return Flow::Continue(()),
            Verdict::Broken => None,
            Verdict::Because(reason) => Some(reason),
        };
        let wanted = self.walk.wanted(compiled, value, scope, secret);
        let hidden = secret || compiled.operands().iter().any(|it| self.walk.hides(it, scope, secret));
        let test = &compiled.rule.test;
        let message = match (&compiled.rule.message, reason) {
            (Some(message), _) => message.to_string(),
            // The host's own words may hold what must not be printed.
            (None, Some(reason)) if !hidden => reason,
            (None, _) => {
                let demand = test.demand(wanted.as_deref().unwrap_or(MASK));
                match test {
                    Test::MinLength(unit, _) | Test::MaxLength(unit, _) if !secret => {
                        match measure(*unit, node) {
                            Some(length) => format!("{demand}, has {length}"),
                            None => demand,
                        }
                    }
                    _ => demand,
                }
            }
        };
        let hint = match (test, node) {
            (Test::Unique(()), Node::List(len)) => first_duplicate(value, len, depth).map(equal_elements),
            (Test::In(operands), Node::Text(text)) if !secret => {
                let texts = operands.iter().filter_map(|operand| match operand {
                    crate::Operand::Constant(Constant::Text(text)) => Some(&**text),
                    _ => None,
                });
                self.suggest(text, texts).map(|name| format!("did you mean `{name}`?"))
            }
            _ => None,
        };
        let wanted = wanted.filter(|text| !text.is_empty());
        let written = compiled.rule.place;
        self.report(
            here,
            Broken { info: test.info(), rule: Some(compiled.rule.name()), wanted, message, hint, written },
        )
    }

    fn list_rules<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        gate: &Gate,
        part: &ListPart,
        len: usize,
        depth: u32,
    ) -> Flow {
        let most = (part.rest == Rest::Closed).then_some(part.prefix.len());
        if len < part.least || most.is_some_and(|most| len > most) {
            let wanted = match most {
                Some(most) if most == part.least => most.to_string(),
                Some(most) if part.least == 0 => format!("at most {most}"),
                Some(most) => format!("{} to {most}", part.least),
                None => format!("at least {}", part.least),
            };
            let message = format!("must have {wanted} elements, has {len}");
            self.report(here, Broken::form(&form::KIND, message, gate.place).wanted(wanted))?;
        }
        if part.set
            && let Some(twins) = first_duplicate(here.value, len, depth)
        {
            let unique = Test::Unique(());
            let broken = Broken::form(unique.info(), unique.demand(""), gate.place);
            self.report(here, Broken { hint: Some(equal_elements(twins)), ..broken })?;
        }
        Flow::Continue(())
    }

    fn items<'v, V: View<'v>>(&mut self, here: &Here<'_, 'v, V>, met: &[Met<'_, '_>]) -> Flow {
        let mut parts = Vec::new();
        for met in met.iter().filter(|met| met.state == State::Accepted) {
            if let Some(part) = &met.gate.list {
                let Some(below) = self.walk.deeper(met.depth) else { return Flow::Break(()) };
                parts.push((&**part, met.scope, below));
            }
        }
        for (index, item) in here.value.items().enumerate() {
            let mut demands = Vec::new();
            for (part, scope, depth) in &parts {
                let gates = part.gate_at(index).into_iter().chain(part.each.iter().copied());
                demands.extend(gates.map(|gate| Demand { gate, scope: *scope, depth: *depth }));
            }
            if !demands.is_empty() {
                let trail = Trail { parent: here.at.trail, step: TrailStep::Index(index) };
                self.visit(item, demands, At { trail: Some(&trail), ..here.at })?;
            }
        }
        Flow::Continue(())
    }

    fn report<'v, V: View<'v>>(&mut self, here: &Here<'_, 'v, V>, broken: Broken<'_>) -> Flow {
        let found = match here.at.secret {
            true => MASK.to_owned(),
            false => veil::short(self.walk, here.gates, here.value),
        };
        self.push(here.at, broken, Some(found.into()), here.value.place())
    }

    fn push(&mut self, at: At<'_>, broken: Broken<'_>, found: Option<Box<str>>, place: Option<Span>) -> Flow {
        let path = at.path();
        self.room = self.room.saturating_sub(path.size());
        self.violations.push(Violation {
            path,
            rule: broken.rule.unwrap_or(broken.info.name).into(),
            code: broken.info.name,
            found,
            wanted: broken.wanted.map(Into::into),
            message: broken.message.into(),
            hint: broken.hint.map(Into::into),
            place,
            written: broken.written,
        });
        match self.violations.len() >= self.most || self.room == 0 {
            true => Flow::Break(()),
            false => Flow::Continue(()),
        }
    }
}
