//! Every violation, in document order, with its path.
//!
//! The walk is the same as the one in `valid`, but it remembers where it is (a chain of stack frames, turned
//! into a path only when something is broken) and goes on after a violation.

use std::ops::ControlFlow;

use crate::constant::Constant;
use crate::host::Erased;
use crate::judge::{Verdict, Walk};
use crate::limits::Order;
use crate::path::{Path, PathStep};
use crate::program::{Choice, Compiled, Gate, GateId, ListPart, ObjectPart, PropertyPart, Rest};
use crate::rules::{RuleInfo, Test, first_duplicate, form, measure};
use crate::scope::{Record, Scope};
use crate::show::{self, MASK};
use crate::view::{Node, Place, View};
use crate::violation::Violation;

/// How many bytes of a value a message shows.
const SHOWN: usize = 80;

/// Collects violations up to a number.
pub(crate) struct Report<'w> {
    pub(crate) walk: &'w Walk<'w>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) most: usize,
    pub(crate) order: Order,
}

/// A value on its way through the gates: where it is and what must not be said of it.
#[derive(Clone, Copy)]
pub(crate) struct At<'t> {
    trail: Option<&'t Trail<'t>>,
    secret: bool,
    depth: u32,
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

impl<'t> At<'t> {
    pub(crate) fn root(depth: u32) -> At<'t> {
        At { trail: None, secret: false, depth }
    }

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

/// An object whose members are being looked at.
#[derive(Clone, Copy)]
struct Inside<'o> {
    gate: &'o Gate,
    part: &'o ObjectPart,
    scope: Scope<'o>,
    at: At<'o>,
    /// The depth that is left for its members.
    below: u32,
}

/// What is wrong, before it is known where.
struct Broken<'b> {
    info: &'static RuleInfo,
    /// The rule's name in its dialect, if it has another there.
    rule: Option<&'b str>,
    wanted: Option<String>,
    message: String,
    hint: Option<String>,
    written: Option<Place>,
}

type Flow = ControlFlow<()>;

impl Report<'_> {
    /// Checks a value against a gate and reports what is broken.
    pub(crate) fn visit<'v, V: View<'v>>(
        &mut self,
        id: GateId,
        value: V,
        scope: Scope<'_>,
        at: At<'_>,
    ) -> Flow {
        let walk = self.walk;
        let Some(gate) = walk.gate(id) else { return Flow::Continue(()) };
        if gate.free {
            return Flow::Continue(());
        }
        if !walk.spend() {
            return Flow::Break(());
        }
        let at = At { secret: at.secret || gate.secret, ..at };
        let node = value.node();
        if gate.nullable && node == Node::Null {
            return Flow::Continue(());
        }
        if !gate.accepts(node) {
            return self.wrong_kind(gate, value, node, at);
        }
        for rule in &gate.rules {
            self.rule(rule, value, node, scope, at)?;
        }
        if let Some(members) = &gate.members
            && !members.holds(node)
        {
            let known: Vec<String> = match members.names.is_empty() {
                true => members.numbers.iter().map(i64::to_string).collect(),
                false => members.names.iter().map(str::to_owned).collect(),
            };
            let wanted = known.join(", ");
            self.report(
                value,
                at,
                Broken {
                    info: &form::KIND,
                    rule: None,
                    message: format!("must be a member of the enum: {wanted}"),
                    wanted: Some(wanted),
                    hint: None,
                    written: gate.place,
                },
            )?;
        }
        match (node, &gate.list, &gate.object) {
            (Node::List(len), Some(part), _) => self.list(gate, part, value, len, scope, at)?,
            (Node::Object(_), _, Some(part)) => self.object(gate, part, value, scope, at)?,
            _ => {}
        }
        if gate.choice.is_none() && gate.also.is_empty() {
            return Flow::Continue(());
        }
        let Some(below) = walk.deeper(at.depth) else { return Flow::Break(()) };
        let at = At { depth: below, ..at };
        for also in &gate.also {
            self.visit(*also, value, scope, at)?;
        }
        match &gate.choice {
            Some(choice) => self.choice(gate, choice, value, node, scope, at),
            None => Flow::Continue(()),
        }
    }

    fn wrong_kind<'v, V: View<'v>>(&mut self, gate: &Gate, value: V, node: Node<'v>, at: At<'_>) -> Flow {
        let wanted = gate.expects();
        let message = match node.kind() {
            kind if gate.accept.contains(kind) => format!("must be {wanted}"),
            kind => format!("must be {wanted}, not {}", with_article(kind.name())),
        };
        self.report(
            value,
            at,
            Broken {
                info: &form::KIND,
                rule: None,
                wanted: Some(wanted),
                message,
                hint: None,
                written: gate.place,
            },
        )
    }

    fn rule<'v, V: View<'v>>(
        &mut self,
        compiled: &Compiled,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        at: At<'_>,
    ) -> Flow {
        let verdict = self.walk.judge(compiled, value, node, scope, at.depth);
        let reason = match verdict {
            Verdict::Holds => return Flow::Continue(()),
            Verdict::Broken => None,
            Verdict::Because(reason) => Some(reason),
        };
        let wanted = self.walk.wanted(compiled, value, scope);
        let mut message = match (&compiled.rule.message, reason) {
            (Some(message), _) => message.to_string(),
            (None, Some(reason)) => reason,
            (None, None) => compiled.rule.test.demand(wanted.as_deref().unwrap_or(MASK)),
        };
        let mut hint = None;
        match &compiled.rule.test {
            Test::MinLength(unit, _) | Test::MaxLength(unit, _) if !at.secret => {
                if let Some(length) = measure(*unit, node) {
                    message.push_str(&format!(", has {length}"));
                }
            }
            Test::Unique(()) => {
                if let Node::List(len) = node
                    && let Some((earlier, later)) = first_duplicate(value, len, at.depth)
                {
                    hint = Some(format!("element {later} equals element {earlier}"));
                }
            }
            Test::In(operands) if !at.secret => {
                if let Node::Text(text) = node {
                    let texts = operands.iter().filter_map(|operand| match operand {
                        crate::Operand::Constant(Constant::Text(text)) => Some(&**text),
                        _ => None,
                    });
                    hint = diagnostics::suggest(text, texts).map(|name| format!("did you mean `{name}`?"));
                }
            }
            _ => {}
        }
        self.report(
            value,
            at,
            Broken {
                info: compiled.rule.test.info(),
                rule: Some(compiled.rule.name()),
                wanted: wanted.filter(|text| !text.is_empty()),
                message,
                hint,
                written: compiled.rule.place,
            },
        )
    }

    fn list<'v, V: View<'v>>(
        &mut self,
        gate: &Gate,
        part: &ListPart,
        value: V,
        len: usize,
        scope: Scope<'_>,
        at: At<'_>,
    ) -> Flow {
        let most = (part.rest == Rest::Closed).then_some(part.prefix.len());
        if len < part.least || most.is_some_and(|most| len > most) {
            let wanted = match most {
                Some(most) if most == part.least => format!("{most}"),
                Some(most) => format!("{} to {most}", part.least),
                None => format!("at least {}", part.least),
            };
            self.report(
                value,
                at,
                Broken {
                    info: &form::KIND,
                    rule: None,
                    message: format!("must have {wanted} elements, has {len}"),
                    wanted: Some(wanted),
                    hint: None,
                    written: gate.place,
                },
            )?;
        }
        if part.set
            && let Some((earlier, later)) = first_duplicate(value, len, at.depth)
        {
            self.report(
                value,
                at,
                Broken {
                    info: Test::Unique(()).info(),
                    rule: None,
                    wanted: None,
                    message: Test::Unique(()).demand(""),
                    hint: Some(format!("element {later} equals element {earlier}")),
                    written: gate.place,
                },
            )?;
        }
        if len == 0 {
            return Flow::Continue(());
        }
        let Some(below) = self.walk.deeper(at.depth) else { return Flow::Break(()) };
        for (index, item) in value.items().enumerate() {
            let trail = Trail { parent: at.trail, step: TrailStep::Index(index) };
            let at = At { trail: Some(&trail), depth: below, ..at };
            if let Some(gate) = part.gate_at(index) {
                self.visit(gate, item, scope, at)?;
            }
            for gate in &part.each {
                self.visit(*gate, item, scope, at)?;
            }
        }
        Flow::Continue(())
    }

    fn object<'v, V: View<'v>>(
        &mut self,
        gate: &Gate,
        part: &ObjectPart,
        value: V,
        outer: Scope<'_>,
        at: At<'_>,
    ) -> Flow {
        let walk = self.walk;
        if self.order == Order::Document {
            for (position, property) in part.properties.iter().enumerate() {
                if !walk.has(part, value, position) {
                    self.missing(gate, part, property, value, at)?;
                }
            }
        }
        let record = Record::new(value, part);
        let scope = match walk.scoped && !part.map {
            true => Scope { object: Some(&record), own: None },
            false => outer,
        };
        let below = match value.node() {
            Node::Object(0) if !part.defaults => at.depth.saturating_sub(1),
            _ => match walk.deeper(at.depth) {
                Some(below) => below,
                None => return Flow::Break(()),
            },
        };
        let inside = Inside { gate, part, scope, at, below };
        match self.order {
            Order::Document => {
                for (key, member) in value.members() {
                    self.key(&inside, key)?;
                    self.member(&inside, key.node(), member)?;
                }
                for (position, property) in part.properties.iter().enumerate() {
                    if !walk.has(part, value, position) {
                        self.absent(&inside, property)?;
                    }
                }
            }
            Order::Declared => {
                for (key, _) in value.members() {
                    self.key(&inside, key)?;
                }
                for (position, property) in part.properties.iter().enumerate() {
                    // Each occurrence counts: a reader that takes the last must not be fooled by the first.
                    let mut found = false;
                    for (key, member) in value.members() {
                        if part.find(key.node()) == Some(position) {
                            found = true;
                            self.member(&inside, key.node(), member)?;
                        }
                    }
                    if !found {
                        self.missing(gate, part, property, value, at)?;
                        self.absent(&inside, property)?;
                    }
                }
                for (key, member) in value.members() {
                    if part.find(key.node()).is_none() {
                        self.member(&inside, key.node(), member)?;
                    }
                }
            }
        }
        for rule in &part.asserts {
            self.rule(rule, value, value.node(), scope, at)?;
        }
        Flow::Continue(())
    }

    /// Reports that a required property is not there.
    fn missing<'v, V: View<'v>>(
        &mut self,
        gate: &Gate,
        part: &ObjectPart,
        property: &PropertyPart,
        value: V,
        at: At<'_>,
    ) -> Flow {
        if !property.required {
            return Flow::Continue(());
        }
        let trail = Trail { parent: at.trail, step: TrailStep::Name(&property.name) };
        let (at, spelling, message, written) = match &property.requirement {
            None => (at, None, None, property.place),
            Some(own) => {
                (At { trail: Some(&trail), ..at }, Some(&*own.spelling), own.message.as_deref(), own.place)
            }
        };
        let message = match (message, spelling) {
            (Some(message), _) => message.to_owned(),
            (None, Some(_)) => "must be there".to_owned(),
            (None, None) => format!("must have the property `{}`", property.name),
        };
        let broken = Broken {
            info: &form::REQUIRED,
            rule: spelling,
            wanted: Some(property.name.to_string()),
            message,
            hint: if at.secret { None } else { missing_hint(part, value, &property.name) },
            written: written.or(gate.place),
        };
        match spelling {
            // There is no value to show.
            Some(_) => self.report_nothing(at, broken),
            None => self.report(value, at, broken),
        }
    }

    /// Checks the value that stands in for an absent property.
    fn absent(&mut self, inside: &Inside<'_>, property: &PropertyPart) -> Flow {
        let Some(constant) = &property.absent else { return Flow::Continue(()) };
        let trail = Trail { parent: inside.at.trail, step: TrailStep::Name(&property.name) };
        let own = Erased::new(constant);
        let scope = Scope { own: Some(&own), ..inside.scope };
        let at = At { trail: Some(&trail), depth: inside.below, ..inside.at };
        self.visit(property.gate, constant, scope, at)
    }

    fn key<'v, K: View<'v>>(&mut self, inside: &Inside<'_>, key: K) -> Flow {
        let at = inside.at;
        let step = if at.secret { TrailStep::Secret } else { TrailStep::Key(key.node()) };
        let trail = Trail { parent: at.trail, step };
        for gate in &inside.part.keys {
            self.visit(*gate, key, inside.scope, At { trail: Some(&trail), depth: inside.below, ..at })?;
        }
        Flow::Continue(())
    }

    fn member<'v, V: View<'v>>(&mut self, inside: &Inside<'_>, name: Node<'_>, member: V) -> Flow {
        let Inside { gate, part, scope, at, below } = *inside;
        let property = part.find(name).and_then(|position| part.properties.get(position));
        let step = match (property, name) {
            (Some(property), _) => TrailStep::Name(&property.name),
            (None, _) if at.secret => TrailStep::Secret,
            (None, Node::Text(name)) if !part.map => TrailStep::Name(name),
            (None, other) => TrailStep::Entry(other),
        };
        let trail = Trail { parent: at.trail, step };
        let at = At { trail: Some(&trail), depth: below, ..at };
        if let Some(property) = property {
            let own = Erased::new(member);
            let scope = match self.walk.scoped && !part.map {
                true => Scope { own: Some(&own), ..scope },
                false => scope,
            };
            self.visit(property.gate, member, scope, at)?;
        }
        self.others(gate, part, name, member, scope, at, property.is_some())?;
        for gate in &part.values {
            self.visit(*gate, member, scope, at)?;
        }
        Flow::Continue(())
    }

    /// Checks a member against the patterns on names and, if nothing knows it, against what is left.
    #[expect(clippy::too_many_arguments, reason = "what is known of one member, used once")]
    fn others<'v, V: View<'v>>(
        &mut self,
        gate: &Gate,
        part: &ObjectPart,
        name: Node<'_>,
        member: V,
        scope: Scope<'_>,
        at: At<'_>,
        known: bool,
    ) -> Flow {
        let mut known = known;
        if let Node::Text(name) = name {
            for (pattern, gate) in &part.patterns {
                if pattern.is_match(name.as_bytes()) {
                    known = true;
                    self.visit(*gate, member, scope, at)?;
                }
            }
        }
        match part.rest {
            Rest::Gate(gate) if !known => self.visit(gate, member, scope, at),
            Rest::Closed if !known => {
                let (shown, hint) = match name {
                    _ if at.secret => (MASK.to_owned(), None),
                    Node::Text(name) => (name.to_owned(), diagnostics::suggest(name, part.names.iter())),
                    other => (show::node_text(other), None),
                };
                let hint = match (hint, part.names.is_empty()) {
                    (Some(nearest), _) => Some(format!("did you mean `{nearest}`?")),
                    (None, true) => None,
                    (None, false) => Some(known_names(part)),
                };
                self.report(
                    member,
                    at,
                    Broken {
                        info: &form::CLOSED,
                        rule: None,
                        wanted: None,
                        message: format!("the property `{shown}` is not known"),
                        hint,
                        written: gate.place,
                    },
                )
            }
            _ => Flow::Continue(()),
        }
    }

    fn choice<'v, V: View<'v>>(
        &mut self,
        gate: &Gate,
        choice: &Choice,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        at: At<'_>,
    ) -> Flow {
        let walk = self.walk;
        let (message, wanted, info) = match choice {
            Choice::Kind(gates) => match gates.get(node.kind() as usize).copied().flatten() {
                Some(gate) => return self.visit(gate, value, scope, at),
                None => {
                    let wanted = kinds_of(gates).to_string();
                    let message = format!("must be {wanted}, not {}", with_article(node.kind().name()));
                    (message, Some(wanted), &form::KIND)
                }
            },
            Choice::Property { name, values, gates } => match value.member(name).map(View::node) {
                Some(Node::Text(text)) => match values.get(text).and_then(|position| gates.get(position)) {
                    Some(gate) => return self.visit(*gate, value, scope, at),
                    None => {
                        let wanted = values.iter().collect::<Vec<_>>().join(", ");
                        let shown = if at.secret { MASK } else { text };
                        let message =
                            format!("the property `{name}` is `{shown}`, which is none of {wanted}");
                        (message, Some(wanted), &form::DISCRIMINATOR)
                    }
                },
                _ => {
                    let wanted = values.iter().collect::<Vec<_>>().join(", ");
                    let message = format!("must have the property `{name}`, one of {wanted}");
                    (message, Some(wanted), &form::DISCRIMINATOR)
                }
            },
            Choice::Any(gates) | Choice::One(gates) => {
                let passed: Vec<usize> = (0..gates.len())
                    .filter(|position| {
                        gates.get(*position).is_some_and(|gate| walk.valid(*gate, value, scope, at.depth))
                    })
                    .collect();
                match (choice, passed.as_slice()) {
                    (Choice::Any(_), [_, ..]) | (_, [_]) => return Flow::Continue(()),
                    (_, []) => {
                        // One alternative for this kind of value: its violations say more than the union's.
                        let mut fitting =
                            gates.iter().filter(|id| walk.gate(**id).is_some_and(|gate| gate.accepts(node)));
                        if let (Some(only), None) = (fitting.next(), fitting.next()) {
                            return self.visit(*only, value, scope, at);
                        }
                        let count = gates.len();
                        (format!("must have one of {count} shapes, has none"), None, &form::UNION)
                    }
                    (_, several) => {
                        let list: Vec<String> = several.iter().map(|at| (at + 1).to_string()).collect();
                        let message = format!(
                            "must have exactly one of {} shapes, has numbers {}",
                            gates.len(),
                            list.join(" and ")
                        );
                        (message, None, &form::UNION)
                    }
                }
            }
        };
        let hint = match choice {
            Choice::Any(gates) | Choice::One(gates) => self.nearest(gates, value, scope, at),
            _ => None,
        };
        self.report(value, at, Broken { info, rule: None, wanted, message, hint, written: gate.place })
    }

    /// What keeps a value from the alternative it comes nearest to.
    fn nearest<'v, V: View<'v>>(
        &self,
        gates: &[GateId],
        value: V,
        scope: Scope<'_>,
        at: At<'_>,
    ) -> Option<String> {
        /// Enough to tell a near miss from a far one.
        const ENOUGH: usize = 8;
        gates
            .iter()
            .enumerate()
            .filter_map(|(position, gate)| {
                let mut inner =
                    Report { walk: self.walk, violations: Vec::new(), most: ENOUGH, order: self.order };
                let _ = inner.visit(*gate, value, scope, at);
                let count = inner.violations.len();
                let first = inner.violations.into_iter().next()?;
                // A shape of another kind is the farthest of all.
                let far = first.code == form::KIND.name && first.path == at.path();
                Some((far, count, position, first))
            })
            .min_by_key(|(far, count, position, _)| (*far, *count, *position))
            .map(|(_, _, position, first)| {
                format!("not shape {}: {}: {}", position + 1, first.path, first.message)
            })
    }

    fn report<'v, V: View<'v>>(&mut self, value: V, at: At<'_>, broken: Broken<'_>) -> Flow {
        let found: Box<str> = if at.secret {
            MASK.into()
        } else if self.walk.secrets && matches!(value.node(), Node::List(_) | Node::Object(_)) {
            // Some part of it may be a secret by another branch of the contract.
            if matches!(value.node(), Node::List(_)) { "[...]".into() } else { "{...}".into() }
        } else {
            let mut text = String::new();
            // Writing to a string cannot fail.
            let _ = show::write_value(&mut text, value, SHOWN);
            text.into()
        };
        self.push(at, broken, Some(found), value.place())
    }

    fn report_nothing(&mut self, at: At<'_>, broken: Broken<'_>) -> Flow {
        self.push(at, broken, None, None)
    }

    fn push(
        &mut self,
        at: At<'_>,
        broken: Broken<'_>,
        found: Option<Box<str>>,
        place: Option<Place>,
    ) -> Flow {
        self.violations.push(Violation {
            path: at.path(),
            rule: broken.rule.unwrap_or(broken.info.name).into(),
            code: broken.info.name,
            found,
            wanted: broken.wanted.map(Into::into),
            message: broken.message.into(),
            hint: broken.hint.map(Into::into),
            place,
            written: broken.written,
        });
        if self.violations.len() >= self.most { Flow::Break(()) } else { Flow::Continue(()) }
    }
}

impl Gate {
    /// What the gate lets pass, in words: `a string`, `an 8-bit integer`, `a string or null`.
    pub(crate) fn expects(&self) -> String {
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

/// A member whose name is nearly that of a missing property.
fn missing_hint<'v, V: View<'v>>(part: &ObjectPart, value: V, name: &str) -> Option<String> {
    let unknown = value.members().filter_map(|(key, _)| match key.node() {
        Node::Text(text) if part.names.get(text).is_none() => Some(text),
        _ => None,
    });
    diagnostics::suggest(name, unknown).map(|near| format!("there is a property `{near}`"))
}

fn known_names(part: &ObjectPart) -> String {
    /// As many as a reader takes in at a glance.
    const MOST: usize = 8;
    let names: Vec<String> = part.names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = part.names.iter().skip(MOST).count();
    match more {
        0 => format!("known are {}", names.join(", ")),
        more => format!("known are {} and {more} more", names.join(", ")),
    }
}
