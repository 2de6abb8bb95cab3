//! Every violation, in document order, with its path.
//!
//! The walk meets the same gates as the one in `valid`, but it remembers where it is (a chain of stack frames,
//! turned into a path only when something is broken) and goes on after a violation. A value meets all of its
//! gates together before its parts are looked at: so violations come in document order whichever shape they
//! belong to, and what one shape keeps secret no other gives away.

use std::collections::HashSet;
use std::ops::ControlFlow;

use diagnostics::Span;

use crate::constant::Constant;
use crate::judge::{Verdict, Walk};
use crate::limits::Order;
use crate::path::{Path, PathStep};
use crate::program::{Choice, Compiled, Gate, GateId, ListPart, ObjectPart, PropertyPart, Rest};
use crate::rules::{RuleInfo, Test, first_duplicate, form, measure};
use crate::scope::{Own, Record, Scope};
use crate::show::{self, MASK};
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

/// The alternatives that a value goes on with.
struct Taken {
    gates: Vec<GateId>,
    broken: Option<BrokenChoice>,
}

impl Taken {
    fn gate(gate: GateId) -> Taken {
        Taken { gates: vec![gate], broken: None }
    }
}

/// How a union was broken.
struct BrokenChoice {
    info: &'static RuleInfo,
    /// The word for the union, if it is not that of its rule.
    rule: Option<&'static str>,
    message: String,
    wanted: Option<String>,
}

/// Where a value is and whether it must not be printed.
#[derive(Clone, Copy)]
struct At<'t> {
    trail: Option<&'t Trail<'t>>,
    secret: bool,
}

/// One step from the root, on the stack.
struct Trail<'t> {
    parent: Option<&'t Trail<'t>>,
    step: TrailStep<'t>,
}

#[derive(Clone, Copy)]
enum TrailStep<'t> {
    Name(&'t str),
    Index(usize),
    Entry(Node<'t>),
    Key(Node<'t>),
    Secret,
}

impl At<'_> {
    fn path(self) -> Path {
        let mut steps = Vec::new();
        let mut trail = self.trail;
        while let Some(frame) = trail {
            steps.push(match frame.step {
                TrailStep::Name(name) => PathStep::Name(name.into()),
                TrailStep::Index(index) => PathStep::Index(index),
                TrailStep::Entry(node) => PathStep::Entry(key_constant(node)),
                TrailStep::Key(node) => PathStep::Key(key_constant(node)),
                TrailStep::Secret => PathStep::Secret,
            });
            trail = frame.parent;
        }
        steps.reverse();
        Path { steps }
    }
}

fn key_constant(node: Node<'_>) -> Constant {
    match node {
        Node::Null => Constant::Null,
        Node::Bool(it) => it.into(),
        Node::Int(it) => it.into(),
        Node::UInt(it) => Constant::UInt(it),
        Node::Float(it) => it.into(),
        Node::Decimal(it) => Constant::Decimal(it.into()),
        Node::Text(it) => it.into(),
        Node::Bytes(it) => Constant::Bytes(it.into()),
        // Keys that are containers are named by what they are.
        Node::List(_) => "<list>".into(),
        Node::Object(_) => "<object>".into(),
    }
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

    /// Finds the alternative that a value takes.
    fn choose<'v, V: View<'v>>(
        &self,
        choice: &Choice,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> Taken {
        let is_any = matches!(choice, Choice::Any(_));
        let broken = |info, message: String, wanted| Taken {
            gates: Vec::new(),
            broken: Some(BrokenChoice { info, rule: is_any.then_some("anyOf"), message, wanted }),
        };
        match choice {
            Choice::Kind { table, .. } => match table.get(node.kind() as usize).copied().flatten() {
                Some(gate) => Taken::gate(gate),
                None => {
                    let wanted = with_article(&kinds_of(table).to_string());
                    let message = format!("must be {wanted}, not {}", with_article(node.kind().name()));
                    broken(&form::KIND, message, Some(wanted))
                }
            },
            Choice::Property { name, values, gates } => {
                let wanted = list_some(values.iter());
                match value.member(name).map(View::node) {
                    Some(Node::Text(text)) => {
                        match values.get(text.as_bytes()).and_then(|at| gates.get(at)) {
                            Some(gate) => Taken::gate(*gate),
                            None => {
                                let hidden = gates.iter().any(|id| {
                                    let object = self.walk.gate(*id).and_then(|gate| gate.object.as_deref());
                                    object.is_some_and(|part| self.is_secret(part.gates_of(Node::Text(name))))
                                });
                                let shown = if hidden { MASK } else { text };
                                let message =
                                    format!("the property `{name}` is `{shown}`, which is none of {wanted}");
                                broken(&form::DISCRIMINATOR, message, Some(wanted))
                            }
                        }
                    }
                    _ => {
                        let message = format!("must have the property `{name}`, one of {wanted}");
                        broken(&form::DISCRIMINATOR, message, Some(wanted))
                    }
                }
            }
            Choice::Any(gates) | Choice::One(gates) => {
                let passed: Vec<(usize, GateId)> = gates
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|(_, gate)| self.walk.valid(*gate, value, scope, depth))
                    .collect();
                match (choice, passed.as_slice()) {
                    (_, []) => match self.only_fitting(gates, node) {
                        // One alternative for this kind of value: its violations say more than the union's.
                        Some(only) => Taken::gate(only),
                        None => {
                            let message = format!("must have one of {} shapes, has none", gates.len());
                            broken(&form::UNION, message, None)
                        }
                    },
                    (Choice::One(_), [_, _, ..]) => {
                        let numbers = passed.iter().map(|(at, _)| (at + 1).to_string());
                        let numbers = numbers.collect::<Vec<_>>();
                        let message = format!(
                            "must have exactly one of {} shapes, has numbers {}",
                            gates.len(),
                            list_some(numbers.iter().map(String::as_str)),
                        );
                        broken(&form::UNION, message, None)
                    }
                    // They hold, but what they keep secret must be known to others.
                    (_, passed) => {
                        let veiled = |id: &GateId| self.walk.gate(*id).is_some_and(|gate| gate.veiled);
                        let gates = passed.iter().map(|(_, id)| *id).filter(veiled).collect();
                        Taken { gates, broken: None }
                    }
                }
            }
        }
    }

    /// The only alternative for a kind of value, if there is one.
    fn only_fitting(&self, gates: &[GateId], node: Node<'_>) -> Option<GateId> {
        let kind = node.kind();
        let mut fitting =
            gates.iter().filter(|id| self.walk.gate(**id).is_some_and(|gate| gate.may_take(kind)));
        let only = fitting.next()?;
        fitting.next().is_none().then_some(*only)
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

    /// Reports that a required property is not there.
    fn missing<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        gate: &Gate,
        part: &ObjectPart,
        property: &PropertyPart,
    ) -> Flow {
        let name = part.name_of(property);
        let hidden = here.at.secret || self.keys_are_secret(here.gates);
        let hint = if hidden { None } else { self.misspelt(part, here.value, name) };
        let wanted = name.to_owned();
        let Some(own) = &property.requirement else {
            let message = format!("must have the property `{name}`");
            let broken = Broken::form(&form::REQUIRED, message, property.place.or(gate.place));
            return self.report(here, Broken { hint, ..broken.wanted(wanted) });
        };
        // The dialect has its own rule for it, which speaks of the property: there is no value to show.
        let message = own.message.as_deref().unwrap_or("must be there").to_owned();
        let broken = Broken::form(&form::REQUIRED, message, own.place.or(gate.place)).wanted(wanted);
        let trail = Trail { parent: here.at.trail, step: TrailStep::Name(name) };
        let at = At { trail: Some(&trail), ..here.at };
        self.push(at, Broken { hint, rule: Some(&own.spelling), ..broken }, None, None)
    }

    /// A member whose name is nearly that of a missing property.
    fn misspelt<'v, V: View<'v>>(&mut self, part: &ObjectPart, value: V, name: &str) -> Option<String> {
        let unknown = value.members().filter_map(|(key, _)| match key.node() {
            Node::Text(text) if part.names.get(text.as_bytes()).is_none() => Some(text),
            _ => None,
        });
        self.suggest(name, unknown).map(|near| format!("there is a property `{near}`"))
    }

    /// The name that was probably meant.
    fn suggest<'n>(&mut self, name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
        self.suggestions = self.suggestions.checked_sub(1)?;
        diagnostics::suggest(name, known.take(SUGGESTED))
    }

    fn keys_are_secret(&self, gates: &[&Gate]) -> bool {
        let objects = gates.iter().filter_map(|gate| gate.object.as_deref());
        self.walk.secrets && self.is_secret(objects.flat_map(|part| part.keys.iter().copied()))
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

    fn members<'v, V: View<'v>>(&mut self, here: &Here<'_, 'v, V>, met: &[Met<'_, '_>]) -> Flow {
        let (walk, value) = (self.walk, here.value);
        let met: Vec<(&Met<'_, '_>, &ObjectPart)> = met
            .iter()
            .filter(|met| met.state == State::Accepted)
            .filter_map(|met| Some((met, met.gate.object.as_deref()?)))
            .collect();
        let parts: Vec<&ObjectPart> = met.iter().map(|(_, part)| *part).collect();
        let records: Vec<Record<'_, '_, V>> =
            parts.iter().map(|part| Record::among(value, part, &parts)).collect();
        let mut speakers = Vec::with_capacity(met.len());
        for ((met, part), record) in met.iter().zip(&records) {
            let depth = match here.node {
                Node::Object(0) => met.depth.saturating_sub(1),
                _ => match walk.deeper(met.depth) {
                    Some(depth) => depth,
                    None => return Flow::Break(()),
                },
            };
            let inner = match part.map {
                true => met.scope,
                false => Scope { object: Some(record), own: None },
            };
            speakers.push(Speaker { gate: met.gate, part, outer: met.scope, inner, depth });
        }
        let secret_keys = here.at.secret || self.keys_are_secret(here.gates);
        match self.order {
            Order::Document => self.in_document_order(here, &speakers, secret_keys)?,
            Order::Declared => self.in_declared_order(here, &speakers, secret_keys)?,
        }
        for (speaker, record) in speakers.iter().zip(&records) {
            let scope = Scope { object: Some(record), own: speaker.outer.own };
            for rule in speaker.part.asserts.iter().flat_map(|rules| rules.asserts()) {
                self.rule(here, rule, Some(speaker.part), scope, speaker.depth)?;
            }
        }
        Flow::Continue(())
    }

    /// The members as the document has them, then what stands in for absent ones.
    fn in_document_order<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        secret_keys: bool,
    ) -> Flow {
        for (key, member) in here.value.members() {
            self.key(here, speakers, key, secret_keys)?;
            self.member(here, speakers, key.node(), member, secret_keys)?;
        }
        for speaker in speakers.iter().filter(|speaker| speaker.part.defaults) {
            for (property, seen) in speaker.part.properties.iter().zip(seen(speaker.part, here.value)) {
                if !seen {
                    self.absent(here, speaker, property)?;
                }
            }
        }
        Flow::Continue(())
    }

    /// Keys first, then the properties as they are declared, there or not, then all other members.
    fn in_declared_order<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        secret_keys: bool,
    ) -> Flow {
        const UNKNOWN: (usize, usize) = (usize::MAX, usize::MAX);
        let mut members = Vec::new();
        for (key, member) in here.value.members() {
            self.key(here, speakers, key, secret_keys)?;
            let name = key.node();
            let mut known = speakers.iter().enumerate();
            let rank =
                known.find_map(|(at, speaker)| Some((at, speaker.part.find(name)?))).unwrap_or(UNKNOWN);
            members.push((rank, name, member));
        }
        // Each occurrence counts: a reader that takes the last must not be fooled by the first.
        members.sort_by_key(|(rank, ..)| *rank);
        let mut members = members.into_iter().peekable();
        for (at, speaker) in speakers.iter().enumerate() {
            let seen = seen(speaker.part, here.value);
            for (position, (property, seen)) in speaker.part.properties.iter().zip(seen).enumerate() {
                while let Some((_, name, member)) = members.next_if(|(rank, ..)| *rank == (at, position)) {
                    self.member(here, speakers, name, member, secret_keys)?;
                }
                if !seen {
                    if property.required {
                        self.missing(here, speaker.gate, speaker.part, property)?;
                    }
                    self.absent(here, speaker, property)?;
                }
            }
        }
        members.try_for_each(|(_, name, member)| self.member(here, speakers, name, member, secret_keys))
    }

    /// Checks the value that stands in for an absent property.
    fn absent<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        speaker: &Speaker<'_>,
        property: &PropertyPart,
    ) -> Flow {
        let (Some(constant), false) = (property.absent.as_deref(), property.required) else {
            return Flow::Continue(());
        };
        let name = speaker.part.name_of(property);
        let trail = Trail { parent: here.at.trail, step: TrailStep::Name(name) };
        let own = Own::boxed(constant);
        let scope = Scope { own: Some(&*own), ..speaker.inner };
        let demand = Demand { gate: property.gate, scope, depth: speaker.depth };
        self.visit(constant, vec![demand], At { trail: Some(&trail), ..here.at })
    }

    /// Checks the key of a member.
    fn key<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        key: V::Key,
        secret: bool,
    ) -> Flow {
        let mut demands = Vec::new();
        for Speaker { part, outer, depth, .. } in speakers {
            demands.extend(part.keys.iter().map(|gate| Demand { gate: *gate, scope: *outer, depth: *depth }));
        }
        if demands.is_empty() {
            return Flow::Continue(());
        }
        let step = if secret { TrailStep::Secret } else { TrailStep::Key(key.node()) };
        let trail = Trail { parent: here.at.trail, step };
        self.visit(key, demands, At { trail: Some(&trail), ..here.at })
    }

    /// Checks one member of an object: its value, and whether it may be there at all.
    fn member<'v, V: View<'v>>(
        &mut self,
        here: &Here<'_, 'v, V>,
        speakers: &[Speaker<'_>],
        name: Node<'v>,
        member: V,
        secret_key: bool,
    ) -> Flow {
        let known = speakers.iter().find_map(|it| Some(it.part.names.name(it.part.find(name)?)));
        let step = match (known, name) {
            (Some(known), _) => TrailStep::Name(known),
            (None, _) if secret_key => TrailStep::Secret,
            (None, Node::Text(name)) if !speakers.iter().all(|it| it.part.map) => TrailStep::Name(name),
            (None, other) => TrailStep::Entry(other),
        };
        let trail = Trail { parent: here.at.trail, step };
        let at = At { trail: Some(&trail), ..here.at };
        let own = Own::boxed(member);
        let mut demands = Vec::new();
        for speaker in speakers {
            let Speaker { part, outer, inner, depth, .. } = *speaker;
            let scope = match part.map {
                true => inner,
                false => Scope { own: Some(&*own), ..inner },
            };
            let before = demands.len();
            demands.extend(part.own_gates_of(name).map(|gate| Demand { gate, scope, depth }));
            if part.rest == Rest::Closed && demands.len() == before {
                self.strange(speakers, speaker, name, member, at, secret_key)?;
            }
            demands.extend(part.values.iter().map(|gate| Demand { gate: *gate, scope: outer, depth }));
        }
        match demands.is_empty() {
            true => Flow::Continue(()),
            false => self.visit(member, demands, at),
        }
    }

    /// Reports a member that a closed object does not know.
    fn strange<'v, V: View<'v>>(
        &mut self,
        speakers: &[Speaker<'_>],
        speaker: &Speaker<'_>,
        name: Node<'_>,
        member: V,
        at: At<'_>,
        secret_key: bool,
    ) -> Flow {
        let part = speaker.part;
        let (shown, near) = match name {
            _ if secret_key => (MASK.to_owned(), None),
            Node::Text(name) => (name.to_owned(), self.suggest(name, part.names.iter())),
            other => (show::node_text(other), None),
        };
        // Others may know it, and it may be what it was mistaken for.
        let known = speakers.iter().flat_map(|speaker| speaker.part.gates_of(name));
        let meant = near.into_iter().flat_map(|near| part.gates_of(Node::Text(near)));
        let gates: Vec<&Gate> = known.chain(meant).filter_map(|id| self.walk.gate(id)).collect();
        let at = At { secret: at.secret || gates.iter().any(|gate| gate.secret), ..at };
        let hint = match (near, part.names.is_empty()) {
            (Some(nearest), _) => Some(format!("did you mean `{nearest}`?")),
            (None, true) => None,
            (None, false) => {
                let names: Vec<String> = part.names.iter().take(SUGGESTED).map(quoted).collect();
                Some(format!("known are {}", list_some(names.iter().map(String::as_str))))
            }
        };
        let message = format!("the property `{shown}` is not known");
        let here = Here { value: member, node: member.node(), at, gates: &gates };
        self.report(&here, Broken { hint, ..Broken::form(&form::CLOSED, message, speaker.gate.place) })
    }

    /// What keeps a value from the alternative it comes nearest to.
    fn nearest<'v, V: View<'v>>(
        &self,
        here: &Here<'_, 'v, V>,
        gates: &[GateId],
        met: &Met<'_, '_>,
    ) -> Option<String> {
        /// Enough to tell a near miss from a far one.
        const ENOUGH: usize = 8;
        /// Enough alternatives to look at.
        const MOST: usize = 64;
        let path = here.at.path();
        let tried = gates.iter().enumerate().take(MOST).filter_map(|(position, gate)| {
            let mut inner = Report { violations: Vec::new(), most: ENOUGH, room: ROOM, inner: true, ..*self };
            let demand = Demand { gate: *gate, scope: met.scope, depth: met.depth.saturating_sub(1) };
            let _ = inner.visit(here.value, vec![demand], here.at);
            let count = inner.violations.len();
            let first = inner.violations.into_iter().next()?;
            // A shape of another kind is the farthest of all.
            let far = first.code == form::KIND.name && first.path == path;
            Some((far, count, position, first))
        });
        tried.min_by_key(|(far, count, position, _)| (*far, *count, *position)).map(
            |(_, _, position, first)| {
                format!("not shape {}: {}: {}", position + 1, first.path, first.message)
            },
        )
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

/// A gate with something to say about the members of an object, and what its references reach.
struct Speaker<'s> {
    gate: &'s Gate,
    part: &'s ObjectPart,
    /// For rules on all keys and values, which are rules on the object.
    outer: Scope<'s>,
    /// For rules on properties.
    inner: Scope<'s>,
    depth: u32,
}

/// Which known properties an object has.
fn seen<'v, V: View<'v>>(part: &ObjectPart, value: V) -> Vec<bool> {
    let mut seen = vec![false; part.properties.len()];
    for position in value.members().filter_map(|(key, _)| part.find(key.node())) {
        if let Some(seen) = seen.get_mut(position) {
            *seen = true;
        }
    }
    seen
}

fn equal_elements((earlier, later): (usize, usize)) -> String {
    format!("element {later} equals element {earlier}")
}

/// Lists as many as a reader takes in at a glance.
fn list_some<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> String {
    const MOST: usize = 8;
    let mut all = all.into_iter();
    let some: Vec<T> = all.by_ref().take(MOST).collect();
    let some = some.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match all.count() {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

impl Gate {
    /// What the gate lets pass, in words: `a string`, `an integer (8 bits)`, `a string or null`.
    fn expects(&self) -> String {
        if let Some(title) = &self.title {
            return format!("`{title}`");
        }
        let kinds = if self.nullable { self.accept | crate::Kind::Null.into() } else { self.accept };
        match self.width.name() {
            Some(width) => format!("{} ({width})", with_article(&kinds.to_string())),
            None => with_article(&kinds.to_string()),
        }
    }
}

fn kinds_of(gates: &[Option<GateId>; 8]) -> crate::Kinds {
    let kinds = crate::Kind::ALL.into_iter().zip(gates);
    kinds.fold(crate::Kinds::NONE, |kinds, (kind, gate)| match gate {
        Some(_) => kinds | kind.into(),
        None => kinds,
    })
}

/// Puts an indefinite article before a noun that takes one.
fn with_article(noun: &str) -> String {
    match noun.chars().next() {
        _ if noun.starts_with("null") || noun.starts_with("any ") || noun.starts_with("no ") => {
            noun.to_owned()
        }
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}
