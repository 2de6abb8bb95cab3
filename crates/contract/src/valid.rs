//! Is it valid: yes or no, nothing allocated, nothing remembered.

use std::cell::RefCell;

use crate::host::Erased;
use crate::judge::Walk;
use crate::program::{Choice, Fast, Gate, GateId, ListPart, ObjectPart, Rest};
use crate::rules::first_duplicate;
use crate::scope::{Record, Scope};
use crate::view::{Node, View};

/// How many properties fit the set of those seen that lives on the stack.
const TRACKED: usize = 128;

/// Up to so many known properties are looked up one by one ...
const FEW: usize = 4;

/// ... in an object of more than so many members.
const MANY: usize = 32;

impl Walk<'_> {
    /// Whether a value passes a gate.
    pub(crate) fn valid<'v, V: View<'v>>(&self, id: GateId, value: V, scope: Scope<'_>, depth: u32) -> bool {
        let Some(gate) = self.gate(id) else { return false };
        gate.free || self.passes(gate, value, scope, depth)
    }

    fn passes<'v, V: View<'v>>(&self, gate: &Gate, value: V, scope: Scope<'_>, depth: u32) -> bool {
        let node = value.node();
        if !self.spend_on(gate, node) {
            return false;
        }
        if gate.nullable && node == Node::Null {
            return true;
        }
        if !gate.accepts(node) {
            return false;
        }
        for fast in &gate.fast {
            let holds = match fast.holds(node) {
                Some(holds) => holds,
                None => self.rule_holds(gate, fast, value, node, scope, depth),
            };
            if !holds {
                return false;
            }
        }
        if let Some(members) = &gate.members
            && !members.holds(node)
        {
            return false;
        }
        match node {
            Node::List(len) => match &gate.list {
                Some(part) if !self.list(part, value, len, scope, depth) => return false,
                _ => {}
            },
            Node::Object(len) => match &gate.object {
                Some(part) if !self.object(part, value, len, scope, depth) => return false,
                _ => {}
            },
            _ => {}
        }
        if gate.choice.is_none() && gate.also.is_empty() {
            return true;
        }
        let Some(below) = self.deeper(depth) else { return false };
        gate.also.iter().all(|also| self.valid(*also, value, scope, below))
            && gate.choice.as_deref().is_none_or(|choice| self.choice(choice, value, node, scope, below))
    }

    /// One level down; `None`, and remembered, at the limit.
    pub(crate) fn deeper(&self, depth: u32) -> Option<u32> {
        let below = depth.checked_sub(1);
        if below.is_none() {
            self.exhausted.set(true);
        }
        below
    }

    #[cold]
    fn rule_holds<'v, V: View<'v>>(
        &self,
        gate: &Gate,
        fast: &Fast,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> bool {
        let Fast::Rule(position) = fast else { return true };
        gate.rules
            .get(*position as usize)
            .is_none_or(|rule| self.judge(rule, gate.object.as_deref(), value, node, scope, depth).holds())
    }

    fn list<'v, V: View<'v>>(
        &self,
        part: &ListPart,
        value: V,
        len: usize,
        scope: Scope<'_>,
        depth: u32,
    ) -> bool {
        if len < part.least || (part.rest == Rest::Closed && len > part.prefix.len()) {
            return false;
        }
        if len == 0 {
            return true;
        }
        if part.set && first_duplicate(value, len, depth).is_some() {
            return false;
        }
        let Some(below) = self.deeper(depth) else { return false };
        if let (Rest::Gate(rest), [], []) = (part.rest, &*part.prefix, &*part.each) {
            let Some(gate) = self.gate(rest) else { return false };
            return gate.free || value.items().all(|item| self.passes(gate, item, scope, below));
        }
        value.items().enumerate().all(|(index, item)| {
            part.gate_at(index).is_none_or(|gate| self.valid(gate, item, scope, below))
                && part.each.iter().all(|gate| self.valid(*gate, item, scope, below))
        })
    }

    fn object<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        value: V,
        len: usize,
        outer: Scope<'_>,
        depth: u32,
    ) -> bool {
        if len < part.required {
            return false;
        }
        if len > 0 && depth == 0 {
            self.exhausted.set(true);
            return false;
        }
        let record = Record::new(value, part);
        let scope = match self.scoped && !part.map {
            true => Scope { object: Some(&record), own: None },
            false => outer,
        };
        let own_fields = Scope { object: Some(&record), own: outer.own };
        let below = depth.saturating_sub(1);
        if part.properties.len() <= FEW && len > MANY && part.tags.is_empty() && part.ignores_others() {
            return self.few_of_many(part, value, scope, below)
                && self.asserted(part, value, own_fields, below);
        }
        let mut seen = Seen::new(part, self);
        for (key, member) in value.members() {
            let name = key.node();
            let known = part.find(name);
            if let Some(position) = known {
                seen.note(position);
            }
            // Rules about all keys and values are rules on the object, and refer to what is around it.
            let holds = match self.scoped && !part.map {
                true => {
                    let own = Erased::new(member);
                    self.member(part, known, name, member, Scope { own: Some(&own), ..scope }, below)
                }
                false => self.member(part, known, name, member, scope, below),
            };
            if !holds
                || !part.keys.iter().all(|gate| self.valid(*gate, key, outer, below))
                || !part.values.iter().all(|gate| self.valid(*gate, member, outer, below))
            {
                return false;
            }
        }
        ((part.required == 0 && !part.defaults) || self.absent(part, &seen, scope, below))
            && self.asserted(part, value, own_fields, below)
    }

    /// Whether the rules on an object's own fields hold.
    fn asserted<'v, V: View<'v>>(&self, part: &ObjectPart, value: V, scope: Scope<'_>, depth: u32) -> bool {
        part.asserts
            .iter()
            .all(|rule| self.judge(rule, Some(part), value, value.node(), scope, depth).holds())
    }

    /// Whether a member passes the gate of its property and those that its name leads to.
    #[inline]
    fn member<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        known: Option<usize>,
        name: Node<'_>,
        member: V,
        scope: Scope<'_>,
        depth: u32,
    ) -> bool {
        let property = known.and_then(|position| part.properties.get(position));
        property.is_none_or(|property| self.valid(property.gate, member, scope, depth))
            && self.matched(part, name, member, scope, depth, property.is_some())
    }

    /// Looks the few known properties up in an object of many members, which say nothing.
    fn few_of_many<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        value: V,
        scope: Scope<'_>,
        depth: u32,
    ) -> bool {
        let mut seen = Seen::new(part, self);
        for (position, property) in part.properties.iter().enumerate() {
            let Some(member) = value.member(&property.name) else { continue };
            seen.note(position);
            let own = Erased::new(member);
            let scope = if self.scoped { Scope { own: Some(&own), ..scope } } else { scope };
            if !self.valid(property.gate, member, scope, depth) {
                return false;
            }
        }
        self.absent(part, &seen, scope, depth)
    }

    /// Whether a member passes the gates that patterns on its name, or the lack of any, lead to.
    #[inline]
    fn matched<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        name: Node<'_>,
        member: V,
        scope: Scope<'_>,
        depth: u32,
        known: bool,
    ) -> bool {
        let mut known = known;
        if let (false, Node::Text(name)) = (part.patterns.is_empty(), name) {
            for (pattern, gate) in &part.patterns {
                if pattern.is_match(name.as_bytes()) {
                    known = true;
                    if !self.valid(*gate, member, scope, depth) {
                        return false;
                    }
                }
            }
        }
        known
            || match part.rest {
                Rest::Open => true,
                Rest::Closed => false,
                Rest::Gate(gate) => self.valid(gate, member, scope, depth),
            }
    }

    /// Whether nothing is missing among the properties that were not seen.
    fn absent(&self, part: &ObjectPart, seen: &Seen<'_>, scope: Scope<'_>, depth: u32) -> bool {
        part.properties.iter().enumerate().all(|(position, property)| {
            if (!property.required && property.absent.is_none()) || seen.has(position) {
                return true;
            }
            match &property.absent {
                Some(constant) if !property.required => {
                    let own = Erased::new(constant);
                    self.valid(property.gate, constant, Scope { own: Some(&own), ..scope }, depth)
                }
                _ => false,
            }
        })
    }

    fn choice<'v, V: View<'v>>(
        &self,
        choice: &Choice,
        value: V,
        node: Node<'v>,
        scope: Scope<'_>,
        depth: u32,
    ) -> bool {
        match choice {
            Choice::Any(gates) => gates.iter().any(|gate| self.valid(*gate, value, scope, depth)),
            Choice::One(gates) => {
                let mut passed = gates.iter().filter(|gate| self.valid(**gate, value, scope, depth));
                passed.next().is_some() && passed.next().is_none()
            }
            Choice::Kind { table, .. } => table
                .get(node.kind() as usize)
                .copied()
                .flatten()
                .is_some_and(|gate| self.valid(gate, value, scope, depth)),
            Choice::Property { name, values, gates } => match value.member(name).map(View::node) {
                Some(Node::Text(text)) => values
                    .get(text)
                    .and_then(|position| gates.get(position))
                    .is_some_and(|gate| self.valid(*gate, value, scope, depth)),
                _ => false,
            },
        }
    }
}

/// The known properties that an object has: bits on the stack or, for very many, in the walk's own buffer.
struct Seen<'w> {
    bits: u128,
    buffer: Option<(&'w RefCell<Vec<u64>>, usize)>,
}

impl<'w> Seen<'w> {
    fn new(part: &ObjectPart, walk: &'w Walk<'_>) -> Seen<'w> {
        let count = part.properties.len();
        let needed = count > TRACKED && (part.required > 0 || part.defaults);
        let buffer = needed.then(|| {
            let mut words = walk.seen.borrow_mut();
            let start = words.len();
            words.resize(start + count.div_ceil(64), 0);
            (&walk.seen, start)
        });
        Seen { bits: 0, buffer }
    }

    #[inline]
    fn note(&mut self, position: usize) {
        match self.buffer {
            None => self.bits |= 1u128.checked_shl(position as u32).unwrap_or_default(),
            Some((words, start)) => {
                if let Some(word) = words.borrow_mut().get_mut(start + position / 64) {
                    *word |= 1 << (position % 64);
                }
            }
        }
    }

    fn has(&self, position: usize) -> bool {
        match self.buffer {
            None => self.bits.checked_shr(position as u32).unwrap_or_default() & 1 == 1,
            Some((words, start)) => {
                words.borrow().get(start + position / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
            }
        }
    }
}

impl Drop for Seen<'_> {
    fn drop(&mut self) {
        if let Some((words, start)) = self.buffer {
            words.borrow_mut().truncate(start);
        }
    }
}
