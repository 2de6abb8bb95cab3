//! Every violation, in document order, with its path.
//!
//! The walk meets the same gates as the one in `valid`, but it remembers where it is (a chain of stack frames,
//! turned into a path only when something is broken) and goes on after a violation. A value meets all of its
//! gates together before its parts are looked at: so violations come in document order whichever shape they
//! belong to, and what one shape keeps secret no other gives away.

mod choice;
mod object;
mod trail;

use std::collections::HashSet;
use std::ops::ControlFlow;

use diagnostics::Span;
use value::Path;

use self::choice::BrokenChoice;
use self::object::seen;
use self::trail::{Trail, TrailStep, ValueLocation};
use crate::gate_id::{GateId, Rest};
use crate::judge::RuleVerdict;
use crate::limits::Order;
use crate::masked_value;
use crate::program::{CompiledRule, Gate, ListPart, ObjectPart};
use crate::rules::{RuleInfo, Test, count, first_duplicate, form, measure};
use crate::scope::{MemoField, ReferenceScope};
use crate::violation::{BrokenRule, Expected, ExpectedKind, ExpectedTexts, Violation};
use crate::walk::CheckWalk;
use crate::words::{self, equal_elements};
use value::Constant;
use value::show::MASK;
use value::{Node, View};

/// The rule that the host decides.
const HOST_RULE: &str = "custom";

/// How many bytes the paths of all violations together may take; a document may have very long keys.
const ROOM: usize = 16 << 20;

/// How many names are compared to suggest one; a document or a contract may have a hundred thousand.
const SUGGESTED: usize = 500;

/// How many violations come with a suggestion; nobody reads more, and to look for one takes time.
const SUGGESTIONS: usize = 50;

/// What is wrong with a value, and what cannot be told.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) violations: Vec<Violation>,
    /// The parts of the value that are not known, and that something is asked of.
    pub(crate) unknown: Vec<Path>,
}

/// Whether a value passes a gate, if that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Holds,
    Broken,
    Unknown,
}

/// Whether a value of which a part is not known passes a gate.
pub(crate) fn standing<'v, V: View<'v>>(
    walk: &CheckWalk<'_>,
    gate: GateId,
    value: V,
    scope: ReferenceScope<'_>,
    depth: u32,
) -> Standing {
    let mut report = ViolationCollector::new(walk, 1, Order::Document);
    report.suggestions = 0;
    let demand = Demand { gate, scope, depth };
    let _ = report.visit(value, vec![demand], ValueLocation { trail: None, secret: false });
    match (report.violations.is_empty(), report.unknown.is_empty()) {
        (false, _) => Standing::Broken,
        (true, true) if !walk.exhausted.get() => Standing::Holds,
        (true, _) => Standing::Unknown,
    }
}

/// Collects what is wrong with a value, up to a number of violations.
pub(crate) fn collect<'v, V: View<'v>>(
    walk: &CheckWalk<'_>,
    root: GateId,
    value: V,
    depth: u32,
    most: usize,
    order: Order,
) -> Collected {
    let mut report = ViolationCollector::new(walk, most, order);
    let own = MemoField::new(value);
    let scope = ReferenceScope { object: None, own: Some(&own) };
    // Whether it was cut short is told by the number of violations and by the walk.
    let _ = report.visit(
        value,
        vec![Demand { gate: root, scope, depth }],
        ValueLocation { trail: None, secret: false },
    );
    Collected { violations: report.violations, unknown: report.unknown }
}

/// Collects violations up to a number.
struct ViolationCollector<'w> {
    walk: &'w CheckWalk<'w>,
    violations: Vec<Violation>,
    /// The parts that are not known, and that something is asked of.
    unknown: Vec<Path>,
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
    scope: ReferenceScope<'s>,
    depth: u32,
}

/// A gate that a value has met.
struct Met<'w, 's> {
    gate: &'w Gate,
    scope: ReferenceScope<'s>,
    depth: u32,
    state: GateOutcome,
    /// A union of which the value has no alternative, or too many.
    broken: Option<BrokenChoice>,
}

/// What a gate made of a value before it looked any further.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GateOutcome {
    /// It is null, which passes.
    LetPast,
    /// It is of a kind that the gate accepts.
    Accepted,
    /// It is of a kind that the rule does not speak of.
    WrongKind,
    /// It is not known yet.
    Unknown,
}

/// How much the word of the host counts about a value, given what else is broken in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    All,
    /// Only that it refuses the value: it may be at a loss with a value of which a part breaks a bound.
    Refusals,
}

/// What is wrong, before it is known where.
struct ViolationDraft<'b> {
    info: &'static RuleInfo,
    /// The rule's name in its dialect, if it has another there.
    rule: Option<&'b str>,
    wanted: Option<ExpectedTexts>,
    expected: Expected,
    hint: Option<String>,
    cause: Option<u32>,
    written: Option<Span>,
}

impl<'b> ViolationDraft<'b> {
    /// Something that the form of a shape asks for.
    fn form(info: &'static RuleInfo, expected: Expected, written: Option<Span>) -> ViolationDraft<'b> {
        ViolationDraft { info, rule: None, wanted: None, expected, hint: None, cause: None, written }
    }

    fn wanted(mut self, wanted: ExpectedTexts) -> ViolationDraft<'b> {
        self.wanted = Some(wanted);
        self
    }
}

type Flow = ControlFlow<()>;

/// A value with what is known about it while its violations are reported.
struct ReportedValue<'h, 'v, V> {
    value: V,
    node: Node<'v>,
    at: ValueLocation<'h>,
    /// All gates that the value meets.
    gates: &'h [&'h Gate],
}

impl<'w> ViolationCollector<'w> {
    fn new(walk: &'w CheckWalk<'w>, most: usize, order: Order) -> ViolationCollector<'w> {
        let (violations, unknown) = (Vec::new(), Vec::new());
        ViolationCollector {
            walk,
            violations,
            unknown,
            most,
            order,
            room: ROOM,
            suggestions: SUGGESTIONS,
            inner: false,
        }
    }

    /// Checks a value against gates and reports what is broken.
    fn visit<'v, V: View<'v>>(&mut self, value: V, demands: Vec<Demand<'_>>, at: ValueLocation<'_>) -> Flow {
        let node = value.node();
        let (met, undecided) = self.meet(value, node, demands)?;
        let at = ValueLocation { secret: at.secret || met.iter().any(|met| met.gate.secret), ..at };
        let gates: Vec<&Gate> = met.iter().map(|met| met.gate).collect();
        let here = ReportedValue { value, node, at, gates: &gates };
        if node == Node::Unknown {
            return self.not_known(&here, &met);
        }
        let before = self.violations.len();
        if undecided {
            self.undecided(here.at);
        }
        for met in &met {
            self.value_rules(&here, met)?;
        }
        match node {
            Node::List(1..) => self.items(&here, &met)?,
            Node::Object(_) => self.members(&here, &met)?,
            _ => {}
        }
        self.host_rules(&here, &met, before)
    }

    /// Notes that something is asked of a value that is not known.
    fn not_known<'v, V: View<'v>>(&mut self, here: &ReportedValue<'_, 'v, V>, met: &[Met<'_, '_>]) -> Flow {
        if !met.is_empty() {
            self.undecided(here.at);
        }
        if self.room == 0 { Flow::Break(()) } else { Flow::Continue(()) }
    }

    /// Notes that it cannot be told whether a value fits.
    fn undecided(&mut self, at: ValueLocation<'_>) {
        if self.unknown.len() < self.most {
            let path = at.path();
            self.room = self.room.saturating_sub(path.size());
            self.unknown.push(path);
        }
    }

    /// Asks the host about a value, after everything else: it is made for values whose form is right.
    fn host_rules<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        met: &[Met<'_, '_>],
        before: usize,
    ) -> Flow {
        let is_custom = |rule: &CompiledRule<'_>| matches!(rule.rule.test, Test::Custom(_));
        let asks = |met: &&Met<'_, '_>| {
            met.state == GateOutcome::Accepted && met.gate.rules.iter().any(|it| is_custom(&it))
        };
        if !met.iter().any(|met| asks(&met)) {
            return Flow::Continue(());
        }
        let Some(trust) = self.trust(before, here.at) else { return Flow::Continue(()) };
        for met in met.iter().filter(asks) {
            for rule in met.gate.rules.iter().filter(is_custom) {
                self.rule(here, rule, met.gate.object.as_deref(), met.scope, met.depth, trust)?;
            }
        }
        Flow::Continue(())
    }

    /// How much the word of the host counts about a value, given what has been broken in it since; `None` if it is not asked.
    fn trust(&self, before: usize, at: ValueLocation<'_>) -> Option<Trust> {
        let own = at.length();
        let mut trust = Trust::All;
        for violation in self.violations.get(before..).unwrap_or_default() {
            let is_bound = matches!(&violation.expected, Expected::Rule { rule, .. } if rule.get().is_some_and(|rule| {
                matches!(
                    rule.test,
                    Test::In(_) | Test::MinLength(..) | Test::MaxLength(..) | Test::Minimum(_) | Test::Maximum(_)
                )
            }));
            let is_of_host = violation.code == HOST_RULE && violation.path.steps.len() > own;
            if is_of_host {
                continue;
            }
            if !is_bound || violation.path.steps.len() <= own {
                return None;
            }
            trust = Trust::Refusals;
        }
        Some(trust)
    }

    /// Finds all gates that the same value meets, and which alternatives it takes; and whether that cannot be told of some.
    fn meet<'s, 'v, V: View<'v>>(
        &self,
        value: V,
        node: Node<'v>,
        mut demands: Vec<Demand<'s>>,
    ) -> ControlFlow<(), (Vec<Met<'w, 's>>, bool)> {
        let walk = self.walk;
        let mut all = Vec::with_capacity(demands.len());
        let mut seen = HashSet::new();
        let mut undecided = false;
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
                true => GateOutcome::LetPast,
                false if node == Node::Unknown => GateOutcome::Unknown,
                false if gate.accepts(node) => GateOutcome::Accepted,
                false => GateOutcome::WrongKind,
            };
            let mut met = Met { gate, scope, depth, state, broken: None };
            if state == GateOutcome::Accepted && (gate.choice.is_some() || !gate.also.is_empty()) {
                let Some(depth) = walk.deeper(depth) else { return ControlFlow::Break(()) };
                demands.extend(gate.also.iter().map(|also| Demand { gate: *also, scope, depth }));
                if let Some(choice) = &gate.choice {
                    let taken = self.choose(choice, value, node, scope, depth);
                    if walk.exhausted.get() {
                        return ControlFlow::Break(());
                    }
                    undecided |= taken.undecided;
                    demands.extend(taken.gates.iter().map(|gate| Demand { gate: *gate, scope, depth }));
                    met.broken = taken.broken;
                }
            }
            if state == GateOutcome::Accepted {
                for branch in gate.rules.iter().filter_map(|rule| self.leading(rule, value, scope, depth)) {
                    let Some(depth) = walk.deeper(depth) else { return ControlFlow::Break(()) };
                    let taken = walk.taken(branch, gate.object.as_deref(), value, scope, depth);
                    demands.extend(taken.map(|gate| Demand { gate, scope, depth }));
                }
                if walk.exhausted.get() {
                    return ControlFlow::Break(());
                }
            }
            all.push(met);
        }
        ControlFlow::Continue((all, undecided))
    }

    fn is_secret(&self, mut gates: impl Iterator<Item = GateId>) -> bool {
        gates.any(|id| self.walk.gate(id).is_some_and(|gate| gate.secret))
    }

    /// Reports what one gate has against a value itself, its parts left aside.
    fn value_rules<'v, V: View<'v>>(&mut self, here: &ReportedValue<'_, 'v, V>, met: &Met<'_, '_>) -> Flow {
        let gate = met.gate;
        match met.state {
            GateOutcome::LetPast | GateOutcome::Unknown => return Flow::Continue(()),
            GateOutcome::WrongKind => return self.wrong_kind(here, gate),
            GateOutcome::Accepted => {}
        }
        for rule in gate.rules.iter().filter(|rule| !matches!(rule.rule.test, Test::Custom(_))) {
            if self.leading(rule, here.value, met.scope, met.depth).is_some() {
                continue;
            }
            self.rule(here, rule, gate.object.as_deref(), met.scope, met.depth, Trust::All)?;
        }
        if let Some(members) = &gate.members
            && !members.holds(here.node)
        {
            let wanted = match members.names.is_empty() {
                true => ExpectedTexts::some(members.numbers.iter().map(i64::to_string)),
                false => ExpectedTexts::some(members.names.iter()),
            };
            let broken = ViolationDraft::form(&form::KIND, Expected::EnumMember, gate.place).wanted(wanted);
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
                let expected = match here.at.secret && broken.info.name == form::DISCRIMINATOR.name {
                    true => Expected::OneOf,
                    false => broken.expected.clone(),
                };
                let wanted = broken.wanted.clone();
                let rule = broken.rule;
                self.report(
                    here,
                    ViolationDraft {
                        rule,
                        hint,
                        wanted,
                        ..ViolationDraft::form(broken.info, expected, gate.place)
                    },
                )
            }
            None => Flow::Continue(()),
        }
    }

    fn wrong_kind<'v, V: View<'v>>(&mut self, here: &ReportedValue<'_, 'v, V>, gate: &Gate) -> Flow {
        if gate.accept.is_empty() {
            let broken = ViolationDraft::form(&form::KIND, Expected::Nothing, gate.place);
            return self.report(here, broken.wanted(ExpectedTexts::one("no value")));
        }
        let kind = ExpectedKind {
            kinds: gate.accept,
            nullable: gate.nullable,
            width: gate.width.name(),
            title: gate.title.clone(),
            found: here.node.kind(),
        };
        let wanted = ExpectedTexts::one(words::expected_kind(&kind));
        self.report(
            here,
            ViolationDraft::form(&form::KIND, Expected::Kind(Box::new(kind)), gate.place).wanted(wanted),
        )
    }

    fn rule<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        compiled: CompiledRule<'_>,
        part: Option<&ObjectPart>,
        scope: ReferenceScope<'_>,
        depth: u32,
        trust: Trust,
    ) -> Flow {
        let (value, node, secret) = (here.value, here.node, here.at.secret);
        let verdict = self.walk.judge(compiled, part, value, node, scope, depth);
        if self.walk.exhausted.get() {
            return Flow::Break(());
        }
        let (reason, cause) = match verdict {
            RuleVerdict::Holds => return Flow::Continue(()),
            RuleVerdict::Unknown => {
                self.undecided(here.at);
                return Flow::Continue(());
            }
            RuleVerdict::Host { failed: true, .. } if trust == Trust::Refusals => return Flow::Continue(()),
            RuleVerdict::Broken => (None, None),
            RuleVerdict::Because(reason) => (Some(reason), None),
            RuleVerdict::Host { words, cause, .. } => (Some(words), cause),
        };
        let wanted = self.walk.expected_text(compiled, value, scope, secret);
        let hidden = secret || compiled.operands().iter().any(|it| self.walk.hides(it, scope, secret));
        let test = &compiled.rule.test;
        let expected = match (&compiled.rule.message, reason) {
            (Some(message), _) => Expected::Stated(message.clone()),
            // The host's own words may hold what must not be printed.
            (None, Some(reason)) if !hidden => Expected::Stated(reason.into()),
            (None, _) => {
                let length = match test {
                    Test::MinLength(unit, _) | Test::MaxLength(unit, _) if !secret => measure(*unit, node),
                    Test::Containment(_) if !secret && !self.walk.partial => {
                        compiled.item().map(|gate| self.walk.fitting(gate, usize::MAX, value, scope, depth))
                    }
                    _ => None,
                };
                let (rules, position) = compiled.among;
                Expected::Rule { rule: BrokenRule { rules: rules.clone(), position }, length }
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
        // A rule that compares with nothing has nothing to show; where what it compares with is a secret, the words have a mask.
        let wanted = wanted.filter(|wanted| !wanted.shown.is_empty());
        let (info, rule, written) = (test.info(), Some(compiled.rule.name()), compiled.rule.place);
        self.report(here, ViolationDraft { info, rule, wanted, expected, hint, cause, written })
    }

    fn list_rules<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        gate: &Gate,
        part: &ListPart,
        len: usize,
        depth: u32,
    ) -> Flow {
        let most = (part.rest == Rest::Closed).then_some(part.prefix.len());
        if len < part.least || most.is_some_and(|most| len > most) {
            let expected = Expected::Elements { least: part.least, most, found: len };
            let wanted = ExpectedTexts::one(count(part.least, most));
            self.report(here, ViolationDraft::form(&form::KIND, expected, gate.place).wanted(wanted))?;
        }
        if part.set
            && let Some(twins) = first_duplicate(here.value, len, depth)
        {
            let broken = ViolationDraft::form(Test::Unique(()).info(), Expected::Distinct, gate.place);
            self.report(here, ViolationDraft { hint: Some(equal_elements(twins)), ..broken })?;
        }
        Flow::Continue(())
    }

    fn items<'v, V: View<'v>>(&mut self, here: &ReportedValue<'_, 'v, V>, met: &[Met<'_, '_>]) -> Flow {
        let mut parts = Vec::new();
        for met in met.iter().filter(|met| met.state == GateOutcome::Accepted) {
            if let Some(part) = &met.gate.list {
                let Some(below) = self.walk.deeper(met.depth) else { return Flow::Break(()) };
                parts.push((&**part, met.scope, below));
            }
        }
        // Of an element that is a secret, or has one, if it is one of those that count, nothing is told.
        let counted = || here.gates.iter().flat_map(|gate| gate.rules.iter().filter_map(CompiledRule::item));
        let veiled = |id: GateId| self.walk.gate(id).is_some_and(|gate| gate.secret || gate.veiled);
        let secret = here.at.secret || (self.walk.secrets && counted().any(veiled));
        for (index, item) in here.value.items().enumerate() {
            let mut demands = Vec::new();
            for (part, scope, depth) in &parts {
                let gates = part.gate_at(index).into_iter().chain(part.each.iter().copied());
                demands.extend(gates.map(|gate| Demand { gate, scope: *scope, depth: *depth }));
            }
            if !demands.is_empty() {
                let trail = Trail { parent: here.at.trail, step: TrailStep::Index(index) };
                self.visit(item, demands, ValueLocation { trail: Some(&trail), secret })?;
            }
        }
        Flow::Continue(())
    }

    fn report<'v, V: View<'v>>(
        &mut self,
        here: &ReportedValue<'_, 'v, V>,
        broken: ViolationDraft<'_>,
    ) -> Flow {
        let found = match here.at.secret {
            true => MASK.to_owned(),
            false => masked_value::short(self.walk, here.gates, here.value),
        };
        self.push(here.at, broken, Some(found.into()), here.value.place())
    }

    fn push(
        &mut self,
        at: ValueLocation<'_>,
        broken: ViolationDraft<'_>,
        found: Option<Box<str>>,
        place: Option<Span>,
    ) -> Flow {
        let path = at.path();
        self.room = self.room.saturating_sub(path.size());
        self.violations.push(Violation {
            path,
            rule: broken.rule.unwrap_or(broken.info.name).into(),
            code: broken.info.name,
            found,
            wanted: broken.wanted,
            expected: broken.expected,
            hint: broken.hint.map(Into::into),
            cause: broken.cause,
            place,
            written: broken.written,
        });
        match self.violations.len() >= self.most || self.room == 0 {
            true => Flow::Break(()),
            false => Flow::Continue(()),
        }
    }
}
