//! Is it valid: yes or no, nothing allocated, nothing remembered.

use std::cell::RefCell;

use crate::branch::{Branch, BranchTest};
use crate::check::{
    Also, Fast, GateCheck, ListCheck, ObjectCheck, Switch, Tag, UnionDispatch, decided_by_bytes, is_among,
    is_whole, scalars,
};
use crate::gate_id::{GateId, Rest};
use crate::judge::has;
use crate::program::{ListPart, ObjectPart};
use crate::range::Range;
use crate::rules::all_distinct;
use crate::scope::{MemoField, ObjectScope, ReferenceScope};
use crate::walk::{CheckWalk, LONG};
use value::{Node, View};

/// How many properties fit the set of those seen that lives on the stack.
const TRACKED: usize = 128;

/// Up to so many known properties are looked up one by one ...
const FEW: usize = 4;

/// ... in an object of so many members for each of them.
const MANY: usize = 4;

/// So many members of a map are announced before the first of them is looked at.
const SOON: usize = 8;

impl CheckWalk<'_> {
    /// Whether a value passes a gate.
    pub(crate) fn valid<'v, V: View<'v>>(
        &self,
        id: GateId,
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        self.passes(id, value, &scope, depth)
    }

    fn passes<'v, V: View<'v>>(&self, id: GateId, value: V, scope: &ReferenceScope<'_>, depth: u32) -> bool {
        match self.checks.get(id as usize) {
            Some(check) => self.check(check, id, value, scope, depth),
            None => false,
        }
    }

    /// The checks that one look at the value settles, in line; the others by a call.
    #[inline(always)]
    fn check<'v, V: View<'v>>(
        &self,
        check: &GateCheck,
        id: GateId,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        match check {
            GateCheck::Any => true,
            GateCheck::Bool => matches!(value.node(), Node::Bool(_)),
            GateCheck::Text => matches!(value.node(), Node::Text(_)),
            GateCheck::Int => is_int(value),
            GateCheck::WrittenInt => is_written_int(value),
            GateCheck::Number => {
                matches!(value.node(), Node::Int(_) | Node::UInt(_) | Node::Float(_) | Node::Decimal(_))
            }
            GateCheck::Length { least, most } => self.has_length(*least as usize, *most as usize, value),
            GateCheck::Range(range) => is_within(range, value),
            GateCheck::IntRange(range) => is_int_within(range, value),
            GateCheck::Texts(members) => match value.text_bytes() {
                Some(text) => members.has_text(text),
                None => members.contains(value),
            },
            GateCheck::Object(part) => match value.node() {
                Node::Object(len) => self.object(part, value, len, scope, depth),
                _ => false,
            },
            GateCheck::List(part) => match value.node() {
                Node::List(len) => self.list(part, value, len, scope, depth),
                _ => false,
            },
            GateCheck::Switch(switch) => self.switch(switch, value, scope, depth),
            other => self.rarer(other, id, value, scope, depth),
        }
    }

    #[inline]
    fn has_length<'v, V: View<'v>>(&self, least: usize, most: usize, value: V) -> bool {
        match value.text_bytes() {
            Some(text) => decided_by_bytes(text.len(), least, most)
                .unwrap_or_else(|| self.affords(text) && (least..=most).contains(&scalars(text))),
            None => false,
        }
    }

    #[inline(never)]
    fn rarer<'v, V: View<'v>>(
        &self,
        check: &GateCheck,
        id: GateId,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        match check {
            GateCheck::Pattern(pattern) => match value.text_bytes() {
                Some(text) => self.affords(text) && pattern.is_match(text),
                None => false,
            },
            GateCheck::Format(check) => match value.node() {
                Node::Text(text) => self.affords(text.as_bytes()) && check(text),
                _ => false,
            },
            GateCheck::Kinds(kinds) => is_among(*kinds, value.node()),
            GateCheck::Among(members) => members.contains(value),
            GateCheck::Tests(tests) => {
                let (kinds, tests) = &**tests;
                let node = value.node();
                is_among(*kinds, node) && self.tests(tests, id, value, node, scope, depth)
            }
            GateCheck::OrNull(inner) => {
                matches!(value.node(), Node::Null) || self.check(inner, id, value, scope, depth)
            }
            GateCheck::Each(checks) => checks.iter().all(|id| self.passes(*id, value, scope, depth)),
            GateCheck::Also(also) => self.also(also, id, value, scope, depth),
            GateCheck::All(checks) => match self.deeper(depth).filter(|_| self.spend(1)) {
                Some(below) => checks.iter().all(|id| self.passes(*id, value, scope, below)),
                None => false,
            },
            _ => self.gate_passes(id, value, scope, depth),
        }
    }

    fn also<'v, V: View<'v>>(
        &self,
        also: &Also,
        id: GateId,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        if !self.check(&also.own, id, value, scope, depth)
            || also.none.iter().any(|id| self.passes(*id, value, scope, depth))
            || (!also.shapes.is_empty() && !self.tests(&also.shapes, id, value, value.node(), scope, depth))
        {
            return false;
        }
        let Some(below) = self.deeper(depth) else { return false };
        also.all.iter().all(|id| self.passes(*id, value, scope, below))
            && also.switch.as_deref().is_none_or(|switch| self.switch(switch, value, scope, depth))
    }

    #[inline(never)]
    fn list<'v, V: View<'v>>(
        &self,
        part: &ListCheck,
        value: V,
        len: usize,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        if len < part.least || len > part.most || !self.spend(1 + len) {
            return false;
        }
        if len == 0 {
            return true;
        }
        let Some(below) = self.deeper(depth) else { return false };
        let rest = match part.rest {
            Rest::Gate(id) => self.checks.get(id as usize).map(|check| (check, id)),
            Rest::Open | Rest::Closed => None,
        };
        let elements = if part.prefix.is_empty() {
            rest.is_none_or(|(check, id)| value.items().all(|item| self.check(check, id, item, scope, below)))
        } else {
            let first = part.prefix.iter().map(|id| self.checks.get(*id as usize).map(|check| (check, *id)));
            let checks = first.chain(std::iter::repeat(rest));
            value.items().zip(checks).all(|(item, check)| {
                check.is_none_or(|(check, id)| self.check(check, id, item, scope, below))
            })
        };
        elements && (!part.unique || all_distinct(value, len, depth))
    }

    #[inline(never)]
    fn object<'v, V: View<'v>>(
        &self,
        part: &ObjectCheck,
        value: V,
        len: usize,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        if len < part.least || len > part.most {
            return false;
        }
        if len == 0 {
            return part.required == 0;
        }
        let tried = self.tried.replace(false);
        let Some(below) = self.deeper(depth) else { return false };
        if part.ignores_others() && are_few(part.properties.len(), len) {
            return self.few_of_many(part, value, scope, below);
        }
        if !self.spend(1 + len) {
            return false;
        }
        if part.properties.is_empty() && !part.reads_names() {
            return self.map(part.rest, value, scope, below);
        }
        if tried && !has_names(part, value) {
            return false;
        }
        // Where most known names are there, the next is a good guess; where few are, it costs more than it saves.
        if part.reads_names() || len * 2 < part.properties.len() {
            return self.sparse(part, value, scope, below);
        }
        let mut seen = 0;
        let mut next = 0;
        for (key, member) in value.members() {
            let known = key.text_bytes().and_then(|name| part.names.get_near(name, next));
            let id = match (known, part.rest) {
                (Some(position), _) => {
                    next = position + 1;
                    let Some((bit, id)) = part.properties.get(position) else { return false };
                    seen |= bit;
                    *id
                }
                (None, Rest::Open) => continue,
                (None, Rest::Closed) => return false,
                (None, Rest::Gate(id)) => id,
            };
            let Some(check) = self.checks.get(id as usize) else { return false };
            if !self.check(check, id, member, scope, below) {
                return false;
            }
        }
        seen == part.required
    }

    /// An object of which no name is known, so that none needs to be read.
    fn map<'v, V: View<'v>>(&self, rest: Rest, value: V, scope: &ReferenceScope<'_>, depth: u32) -> bool {
        let id = match rest {
            Rest::Open => return true,
            Rest::Closed => return false,
            Rest::Gate(id) => id,
        };
        let Some(check) = self.checks.get(id as usize) else { return false };
        let mut members = value.members();
        if !check.has_parts() {
            return members.all(|(_, member)| self.check(check, id, member, scope, depth));
        }
        // A few at a time, so that the memory of one can arrive while another is looked at.
        loop {
            let mut few = [None; SOON];
            for (place, (_, member)) in few.iter_mut().zip(&mut members) {
                member.soon();
                *place = Some(member);
            }
            for member in few {
                let Some(member) = member else { return true };
                if !self.check(check, id, member, scope, depth) {
                    return false;
                }
            }
        }
    }

    /// An object with rules about names, or with few of the known properties.
    fn sparse<'v, V: View<'v>>(
        &self,
        part: &ObjectCheck,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let mut seen = 0;
        for (key, member) in value.members() {
            let name = key.text_bytes();
            let passes = match name.and_then(|name| part.names.get(name)) {
                Some(position) => {
                    let Some((bit, id)) = part.properties.get(position) else { return false };
                    seen |= bit;
                    let check = self.checks.get(*id as usize);
                    check.is_some_and(|check| self.check(check, *id, member, scope, depth))
                }
                None => self.matched(part, name, member, scope, depth),
            };
            if !passes || !part.keys.iter().all(|id| self.passes(*id, key, scope, depth)) {
                return false;
            }
        }
        seen == part.required
    }

    /// Whether a member that is not known passes the checks that patterns on its name, or the lack of any, lead to.
    fn matched<'v, V: View<'v>>(
        &self,
        part: &ObjectCheck,
        name: Option<&[u8]>,
        member: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let mut found = false;
        for (pattern, id) in &part.patterns {
            if name.is_some_and(|name| pattern.is_match(name)) {
                found = true;
                if !self.passes(*id, member, scope, depth) {
                    return false;
                }
            }
        }
        found
            || match part.rest {
                Rest::Open => true,
                Rest::Closed => false,
                Rest::Gate(id) => self.passes(id, member, scope, depth),
            }
    }

    /// Looks the few known properties up in an object of many members, which say nothing.
    fn few_of_many<'v, V: View<'v>>(
        &self,
        part: &ObjectCheck,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        self.spend(1 + part.properties.len())
            && part.names.iter().zip(&part.properties).all(|(name, (bit, id))| match value.member(name) {
                Some(member) => self.passes(*id, member, scope, depth),
                None => *bit == 0,
            })
    }

    #[inline(never)]
    fn switch<'v, V: View<'v>>(
        &self,
        switch: &Switch,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let Some(below) = self.deeper(depth) else { return false };
        let candidates = match switch.ways.get(value.node().kind() as usize) {
            Some(UnionDispatch::Check(id)) => return self.passes(*id, value, scope, below),
            Some(UnionDispatch::Several(start, end)) => {
                switch.several.get(*start as usize..*end as usize).unwrap_or_default()
            }
            Some(UnionDispatch::Tagged) => match &switch.tag {
                Some(tag) => tagged(tag, value),
                None => return false,
            },
            Some(UnionDispatch::Closed) | None => return false,
        };
        if let [only] = candidates {
            return self.passes(*only, value, scope, below);
        }
        if !self.spend(candidates.len()) {
            return false;
        }
        let mut passed = candidates.iter().filter(|id| {
            self.tried.set(true);
            self.passes(**id, value, scope, below)
        });
        passed.next().is_some() && !(switch.one && passed.next().is_some())
    }

    /// The gate as it is: every rule, every part.
    fn gate_passes<'v, V: View<'v>>(
        &self,
        id: GateId,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let Some(gate) = self.gate(id) else { return false };
        let node = value.node();
        if gate.nullable && matches!(node, Node::Null) {
            return true;
        }
        if !gate.accepts(node)
            || !self.tests(&gate.fast, id, value, node, scope, depth)
            || gate.members.as_ref().is_some_and(|members| !members.holds(node))
        {
            return false;
        }
        let parts = match (node, &gate.list, &gate.object) {
            (Node::List(len), Some(part), _) => self.whole_list(part, value, len, scope, depth),
            (Node::Object(len), _, Some(part)) => self.whole_object(part, value, len, scope, depth),
            _ => true,
        };
        if !parts {
            return false;
        }
        if gate.choice.is_none() && gate.also.is_empty() {
            return true;
        }
        let Some(below) = self.deeper(depth) else { return false };
        gate.also.iter().all(|also| self.passes(*also, value, scope, below))
            && gate.switch.as_deref().is_none_or(|switch| self.switch(switch, value, scope, depth))
    }

    /// Whether a text may still be looked at as a whole.
    #[inline]
    fn affords(&self, text: &[u8]) -> bool {
        text.len() < LONG || self.spend(text.len() / LONG)
    }

    /// One level down; `None`, and remembered, at the limit.
    #[inline]
    pub(crate) fn deeper(&self, depth: u32) -> Option<u32> {
        let below = depth.checked_sub(1);
        if below.is_none() {
            self.exhausted.set(true);
        }
        below
    }

    #[inline]
    fn tests<'v, V: View<'v>>(
        &self,
        tests: &[Fast],
        id: GateId,
        value: V,
        node: Node<'v>,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        match node {
            Node::Text(text) => tests.iter().all(|test| {
                let text = text.as_bytes();
                self.affords(text)
                    && match test {
                        Fast::Pattern(pattern) => pattern.is_match(text),
                        Fast::Among(members) => members.has_text(text),
                        test => self.test(test, id, value, node, scope, depth),
                    }
            }),
            _ => tests.iter().all(|test| self.test(test, id, value, node, scope, depth)),
        }
    }

    #[inline]
    fn test<'v, V: View<'v>>(
        &self,
        test: &Fast,
        id: GateId,
        value: V,
        node: Node<'v>,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        test.holds(node).unwrap_or_else(|| match (test, node) {
            (Fast::Among(members), _) => members.contains(value),
            (Fast::Unique, Node::List(len)) => all_distinct(value, len, depth),
            (Fast::Not(id), _) => !self.passes(*id, value, scope, depth),
            (Fast::Branch(branch), _) => self.branch(branch, id, value, scope, depth),
            (Fast::Rule(position), _) => {
                let Some(gate) = self.gate(id) else { return false };
                gate.rules.get(*position as usize).is_none_or(|rule| {
                    self.judge(rule, gate.object.as_deref(), value, node, *scope, depth).holds()
                })
            }
            (Fast::Contains { gate, least, most }, Node::List(_)) => {
                self.contains(*gate, *least, *most, value, scope, depth)
            }
            // Only lists have elements; the node has answered the rest.
            (Fast::Unique | Fast::Contains { .. }, _)
            | (
                Fast::Range(_) | Fast::Length { .. } | Fast::Pattern(_) | Fast::Format(_) | Fast::Multiple(_),
                _,
            ) => true,
        })
    }

    /// Whether a value passes the gate that a branch leads it to.
    #[inline(never)]
    fn branch<'v, V: View<'v>>(
        &self,
        branch: &Branch,
        id: GateId,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let Some(below) = self.deeper(depth).filter(|_| self.spend(1)) else { return false };
        let part = self.gate(id).and_then(|gate| gate.object.as_deref());
        let taken = self.taken(branch, part, value, *scope, below);
        taken.is_none_or(|id| self.passes(id, value, scope, below))
    }

    /// Whether so many elements of a list pass a gate.
    #[inline(never)]
    fn contains<'v, V: View<'v>>(
        &self,
        gate: GateId,
        least: usize,
        most: Option<usize>,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let found =
            self.fitting(gate, most.map_or(least, |most| most.saturating_add(1)), value, *scope, depth);
        found >= least && most.is_none_or(|most| found <= most)
    }

    /// How many elements of a list pass a gate; no more are looked for than would be enough.
    pub(crate) fn fitting<'v, V: View<'v>>(
        &self,
        gate: GateId,
        enough: usize,
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> usize {
        let Some(below) = self.deeper(depth) else { return 0 };
        let fits = |item: &V| self.spend(1) && self.passes(gate, *item, &scope, below);
        value.items().filter(fits).take(enough).count()
    }

    /// The gate that a branch leads a value to, if that is one.
    pub(crate) fn taken<'v, V: View<'v>>(
        &self,
        branch: &Branch,
        part: Option<&ObjectPart>,
        value: V,
        scope: ReferenceScope<'_>,
        depth: u32,
    ) -> Option<GateId> {
        let holds = match &branch.test {
            BranchTest::Gate(id) => self.passes(*id, value, &scope, depth),
            BranchTest::Member(name) => matches!(value.node(), Node::Object(_)) && has(part, value, name),
        };
        if holds { branch.then } else { branch.otherwise }
    }

    fn whole_list<'v, V: View<'v>>(
        &self,
        part: &ListPart,
        value: V,
        len: usize,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        if len < part.least || (part.rest == Rest::Closed && len > part.prefix.len()) || !self.spend(1 + len)
        {
            return false;
        }
        if len == 0 {
            return true;
        }
        let Some(below) = self.deeper(depth) else { return false };
        let elements = value.items().enumerate().all(|(index, item)| {
            part.gate_at(index).is_none_or(|gate| self.passes(gate, item, scope, below))
                && part.each.iter().all(|gate| self.passes(*gate, item, scope, below))
        });
        elements && (!part.set || all_distinct(value, len, depth))
    }

    fn whole_object<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        value: V,
        len: usize,
        outer: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        if len < part.required {
            return false;
        }
        if len > 0 && depth == 0 {
            self.exhausted.set(true);
            return false;
        }
        let few = part.tags.is_empty() && part.ignores_others() && are_few(part.properties.len(), len);
        if !self.spend(1 + if few { part.properties.len() } else { len }) {
            return false;
        }
        if self.tried.replace(false) && part.tags.is_empty() && !has_some_required(part, value) {
            return false;
        }
        let record = ObjectScope::new(value, part);
        let refers = self.scoped && !part.map;
        let scope = if refers { &ReferenceScope { object: Some(&record), own: None } } else { outer };
        let below = depth.saturating_sub(1);
        let mut seen = PropertySet::new(part, self);
        let mut next = 0;
        let (known, members) = match few {
            true => (part.properties.as_ref(), None),
            false => ([].as_slice(), Some(value.members())),
        };
        for (position, property) in known.iter().enumerate() {
            let Some(member) = value.member(part.name_of(property)) else { continue };
            seen.note(position);
            let holds = match refers {
                true => self.own_passes(property.gate, member, scope, below),
                false => self.passes(property.gate, member, scope, below),
            };
            if !holds {
                return false;
            }
        }
        for (key, member) in members.into_iter().flatten() {
            let name = key.node();
            let known = if part.properties.is_empty() { None } else { part.find_near(name, next) };
            if let Some(position) = known {
                next = position + 1;
                seen.note(position);
            }
            let holds = match refers {
                true => self.own_member(part, known, name, member, scope, below),
                false => self.member(part, known, name, member, scope, below),
            };
            // Rules about all keys and values are rules on the object, and refer to what is around it.
            if !holds
                || !part.keys.iter().all(|gate| self.passes(*gate, key, outer, below))
                || !part.values.iter().all(|gate| self.passes(*gate, member, outer, below))
            {
                return false;
            }
        }
        if (part.required > 0 || part.defaults) && !self.absent(part, &seen, scope, below) {
            return false;
        }
        let own_fields = ReferenceScope { object: Some(&record), own: outer.own };
        let node = Node::Object(len);
        part.asserts
            .iter()
            .flat_map(|rules| rules.asserts())
            .all(|rule| self.judge(rule, Some(part), value, node, own_fields, below).holds())
    }

    /// Whether a member passes the gates that patterns on its name, or the lack of any, lead to.
    #[inline]
    fn others<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        name: Node<'_>,
        member: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
        known: bool,
    ) -> bool {
        let mut known = known;
        if let (false, Node::Text(name)) = (part.patterns.is_empty(), name) {
            for (pattern, gate) in &part.patterns {
                if pattern.is_match(name.as_bytes()) {
                    known = true;
                    if !self.passes(*gate, member, scope, depth) {
                        return false;
                    }
                }
            }
        }
        known
            || match part.rest {
                Rest::Open => true,
                Rest::Closed => false,
                Rest::Gate(gate) => self.passes(gate, member, scope, depth),
            }
    }

    /// Whether a value passes that rules can refer to as a whole. What is remembered of it takes room on the stack, so that it
    /// has a frame of its own: walks without references are the deeper for it.
    #[inline(never)]
    fn own_passes<'v, V: View<'v>>(
        &self,
        gate: GateId,
        value: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let own = MemoField::new(value);
        self.passes(gate, value, &ReferenceScope { own: Some(&own), ..*scope }, depth)
    }

    /// Whether a member passes: by the rules of its name if it is known, and by those of all others if not.
    fn member<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        known: Option<usize>,
        name: Node<'v>,
        member: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        if let Some(position) = known {
            let Some(property) = part.properties.get(position) else { return false };
            if !self.passes(property.gate, member, scope, depth) {
                return false;
            }
        }
        self.others(part, name, member, scope, depth, known.is_some())
    }

    /// The same for a member that rules can refer to as a whole.
    #[inline(never)]
    fn own_member<'v, V: View<'v>>(
        &self,
        part: &ObjectPart,
        known: Option<usize>,
        name: Node<'v>,
        member: V,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        let own = MemoField::new(member);
        self.member(part, known, name, member, &ReferenceScope { own: Some(&own), ..*scope }, depth)
    }

    /// Whether nothing is missing among the properties that were not seen.
    fn absent(
        &self,
        part: &ObjectPart,
        seen: &PropertySet<'_>,
        scope: &ReferenceScope<'_>,
        depth: u32,
    ) -> bool {
        part.properties.iter().enumerate().all(|(position, property)| {
            if (!property.required && property.absent.is_none()) || seen.has(position) {
                return true;
            }
            match property.absent.as_deref() {
                Some(constant) if !property.required => {
                    let own = MemoField::new(constant);
                    self.passes(property.gate, constant, &ReferenceScope { own: Some(&own), ..*scope }, depth)
                }
                _ => false,
            }
        })
    }
}

// What does not recurse has frames of its own where nothing is inlined, so that the walk itself takes less of the stack.

#[inline]
fn is_int<'v, V: View<'v>>(value: V) -> bool {
    match value.node() {
        Node::Int(_) | Node::UInt(_) => true,
        Node::Decimal(_) if value.is_whole() => true,
        node @ (Node::Float(_) | Node::Decimal(_)) => is_whole(node),
        _ => false,
    }
}

#[inline]
fn is_written_int<'v, V: View<'v>>(value: V) -> bool {
    match value.node() {
        Node::Int(_) => true,
        Node::UInt(number) => i64::try_from(number).is_ok(),
        _ => false,
    }
}

#[inline]
fn is_within<'v, V: View<'v>>(range: &Range, value: V) -> bool {
    if let Some(decided) = value.nearest().and_then(|near| range.decides(near)) {
        return decided;
    }
    match value.node() {
        node @ (Node::Int(_) | Node::UInt(_) | Node::Float(_) | Node::Decimal(_)) => range.holds(node),
        _ => false,
    }
}

#[inline]
fn is_int_within<'v, V: View<'v>>(range: &Range, value: V) -> bool {
    if value.is_whole()
        && let Some(decided) = value.nearest().and_then(|near| range.decides(near))
    {
        return decided;
    }
    match value.node() {
        node @ (Node::Int(_) | Node::UInt(_)) => range.holds(node),
        node @ Node::Float(_) => is_whole(node) && range.holds(node),
        node @ Node::Decimal(_) => (value.is_whole() || is_whole(node)) && range.holds(node),
        _ => false,
    }
}

/// Whether to look known properties up one by one in an object of so many members.
fn are_few(known: usize, members: usize) -> bool {
    known <= FEW && members >= known * MANY
}

/// Whether the first required properties are there.
fn has_some_required<'v, V: View<'v>>(part: &ObjectPart, value: V) -> bool {
    /// So many tell most alternatives apart, and cost little where they do not.
    const SOME: usize = 4;
    let mut required = part.properties.iter().filter(|property| property.required).take(SOME);
    part.required == 0 || required.all(|property| value.member(part.name_of(property)).is_some())
}

/// Whether the names of members alone let an object pass: none is missing, and none is one too many.
fn has_names<'v, V: View<'v>>(part: &ObjectCheck, value: V) -> bool {
    let (mut seen, mut next) = (0, 0);
    for (key, _) in value.members() {
        let name = key.text_bytes();
        match name.and_then(|name| part.names.get_near(name, next)) {
            Some(position) => {
                next = position + 1;
                seen |= part.properties.get(position).map_or(0, |(bit, _)| *bit);
            }
            None if part.rest == Rest::Closed && !matches_some(part, name) => return false,
            None => {}
        }
    }
    seen == part.required
}

/// Whether some pattern matches a name.
fn matches_some(part: &ObjectCheck, name: Option<&[u8]>) -> bool {
    part.patterns.iter().any(|(pattern, _)| name.is_some_and(|name| pattern.is_match(name)))
}

/// The alternatives that a property, or its absence, leaves.
fn tagged<'t, 'v, V: View<'v>>(tag: &'t Tag, value: V) -> &'t [GateId] {
    let Some(member) = value.member(&tag.name) else { return &tag.missing };
    let position = match member.text_bytes() {
        Some(text) if !tag.values.is_empty() => tag.values.get(text),
        _ => None,
    };
    position.and_then(|position| tag.checks.get(position)).unwrap_or(&tag.others)
}

/// The known properties that an object has: bits on the stack or, for very many, in the walk's own buffer.
struct PropertySet<'w> {
    bits: u128,
    buffer: Option<(&'w RefCell<Vec<u64>>, usize)>,
}

impl<'w> PropertySet<'w> {
    fn new(part: &ObjectPart, walk: &'w CheckWalk<'_>) -> PropertySet<'w> {
        let count = part.properties.len();
        let needed = count > TRACKED && (part.required > 0 || part.defaults);
        let buffer = needed.then(|| {
            let mut words = walk.seen.borrow_mut();
            let start = words.len();
            words.resize(start + count.div_ceil(64), 0);
            (&walk.seen, start)
        });
        PropertySet { bits: 0, buffer }
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

impl Drop for PropertySet<'_> {
    fn drop(&mut self) {
        if let Some((words, start)) = self.buffer {
            words.borrow_mut().truncate(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, MANY, are_few};

    #[test]
    fn known_properties_are_looked_up_where_there_are_few_of_many() {
        assert!(are_few(FEW, FEW * MANY));
        assert!(!are_few(FEW, FEW * MANY - 1));
        assert!(!are_few(FEW + 1, 1000));
    }
}
