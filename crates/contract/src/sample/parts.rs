//! Lists and objects out of values for their parts.

use crate::rules::{Test, Unit, size};
use crate::shape::{Additional, Form, Object, Shape};
use value::{Constant, View};

use super::{DEEPEST, MOST, Sampler, same};

/// Values that should fit, and values that should not.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    pub(super) fitting: Vec<Constant>,
    pub(super) broken: Vec<Constant>,
}

impl Proposals {
    pub(super) fn add_all(&mut self, other: Proposals) {
        self.fitting.extend(other.fitting);
        self.broken.extend(other.broken);
    }

    /// Keeps the first of what is there several times, and not too many.
    pub(super) fn limit(&mut self, most: usize) {
        for values in [&mut self.fitting, &mut self.broken] {
            let mut kept: Vec<Constant> = Vec::new();
            for value in values.drain(..) {
                if kept.len() < most && !kept.iter().any(|known| same(known, &value)) {
                    kept.push(value);
                }
            }
            *values = kept;
        }
    }

    /// What should fit both.
    pub(super) fn joined(self, other: Proposals) -> Proposals {
        let mut all = Proposals::default();
        for a in self.fitting.iter().take(8) {
            for b in other.fitting.iter().take(8) {
                let mut joined = a.clone();
                if let (Constant::Object(_), Constant::Object(members)) = (a, b) {
                    for (key, value) in members {
                        if let Constant::Text(name) = key {
                            set_member(&mut joined, name, value.clone());
                        }
                    }
                    all.fitting.push(joined);
                }
            }
        }
        all.add_all(self);
        all.add_all(other);
        all
    }
}

/// Gives an object a member, in place of the one it has of that name.
pub(super) fn set_member(value: &mut Constant, name: &str, member: Constant) {
    let Constant::Object(members) = value else { return };
    let known = members.iter_mut().find(|(key, _)| matches!(key, Constant::Text(text) if text == name));
    match known {
        Some((_, place)) => *place = member,
        None => members.push((Constant::text(name), member)),
    }
}

fn counts(shape: &Shape, of: Unit) -> (usize, Option<usize>) {
    let (mut least, mut most) = (0, None::<usize>);
    for rule in shape.rules.iter() {
        let (Test::MinLength(unit, operand) | Test::MaxLength(unit, operand)) = &rule.test else { continue };
        let Some(count) = operand.as_constant().and_then(|it| size(it.node())) else { continue };
        let Some(count) = usize::try_from(count).ok().filter(|_| *unit == of) else { continue };
        match rule.test {
            Test::MinLength(..) => least = least.max(count),
            _ => most = Some(most.map_or(count, |most| most.min(count))),
        }
    }
    (least, most)
}

impl<'s> Sampler<'s> {
    /// The shapes of the first elements, and that of the others.
    fn elements(shape: &'s Shape) -> (Vec<&'s Shape>, Option<&'s Shape>, usize) {
        match &shape.form {
            Form::List(element) | Form::Set(element) => (Vec::new(), Some(element), 0),
            Form::Tuple(tuple) => (tuple.items.iter().collect(), tuple.rest.as_deref(), tuple.least),
            _ => (Vec::new(), None, 0),
        }
    }

    pub(super) fn propose_list(&mut self, shape: &'s Shape, depth: usize) -> Proposals {
        /// Longer lists are not made for their length.
        const LONGEST: usize = 300;
        let (first, rest, least_of_form) = Self::elements(shape);
        let (least, most) = counts(shape, Unit::Items);
        let least = least.max(least_of_form);
        let mut all = Proposals::default();
        let prefix: Vec<Proposals> = first.iter().map(|part| self.propose(part, depth + 1)).collect();
        let mut rest = rest.map(|part| self.propose(part, depth + 1));
        for rule in shape.rules.iter() {
            match &rule.test {
                Test::Elements(part) => {
                    let found = self.propose(part, depth + 1);
                    match &mut rest {
                        Some(rest) => {
                            rest.broken.extend(found.broken);
                            rest.fitting.splice(0..0, found.fitting);
                        }
                        None => rest = Some(found),
                    }
                }
                Test::Containment(containment) => {
                    let found = self.propose(&containment.shape, depth + 1);
                    if let Some(rest) = &mut rest {
                        rest.fitting.splice(0..0, found.fitting);
                    }
                }
                _ => {}
            }
        }
        let unique = matches!(shape.form, Form::Set(_))
            || shape.rules.iter().any(|rule| matches!(rule.test, Test::Unique(())));
        let make = |length: usize| -> Option<Vec<Constant>> {
            (0..length)
                .map(|at| match prefix.get(at) {
                    Some(part) => part.fitting.first().cloned(),
                    None => {
                        let fitting = &rest.as_ref()?.fitting;
                        let at = if unique { at } else { 0 };
                        fitting.get(at).cloned()
                    }
                })
                .collect()
        };
        let whole = least.max(prefix.len()).min(most.unwrap_or(usize::MAX));
        let mut sizes = vec![least, whole, least + 1];
        sizes.extend(most);
        for size in sizes.into_iter().filter(|size| *size <= LONGEST) {
            all.fitting.extend(make(size).map(Constant::List));
        }
        all.broken
            .extend(least.checked_sub(1).filter(|it| *it <= LONGEST).and_then(make).map(Constant::List));
        all.broken.extend(most.filter(|it| *it < LONGEST).and_then(|it| make(it + 1)).map(Constant::List));
        if unique && let Some(mut twice) = make(1) {
            twice.extend(twice.clone());
            all.broken.push(Constant::List(twice));
        }
        // One element at a time is another one.
        let length = whole.max(1).max(prefix.len()).min(LONGEST);
        if let Some(base) = make(length) {
            for at in 0..length.min(prefix.len() + 1) {
                let Some(part) = prefix.get(at).or(rest.as_ref()) else { continue };
                let with = |value: &Constant| {
                    let mut items = base.clone();
                    if let Some(place) = items.get_mut(at) {
                        *place = value.clone();
                    }
                    Constant::List(items)
                };
                all.fitting.extend(part.fitting.iter().skip(1).take(MOST / 2).map(with));
                all.broken.extend(part.broken.iter().take(MOST / 2).map(with));
            }
        }
        all.broken.extend([Constant::text("a"), Constant::Object(Vec::new())]);
        all
    }

    pub(super) fn propose_object(&mut self, shape: &'s Shape, depth: usize) -> Proposals {
        let mut all = Proposals::default();
        let (least, most) = counts(shape, Unit::Properties);
        let free;
        let object = match &shape.form {
            Form::Object(object) => &**object,
            _ => {
                free = Object::open([]);
                &free
            }
        };
        let map = match &shape.form {
            Form::Map(key, value) => Some((&**key, &**value)),
            _ => None,
        };
        let mut base: Vec<(Constant, Constant)> = Vec::new();
        let mut known: Vec<(Constant, bool, Proposals)> = Vec::new();
        if let Form::Object(object) = &shape.form {
            for property in &object.properties {
                // What nests deeply is left out unless it must be there.
                if depth > DEEPEST && !property.required {
                    continue;
                }
                let found = self.propose(&property.shape, depth + 1);
                known.push((Constant::text(&property.name), property.required, found));
            }
        }
        for (name, required, found) in &known {
            if *required && let Some(value) = found.fitting.first() {
                base.push((name.clone(), value.clone()));
            }
        }
        let other = match (&shape.form, map) {
            (Form::Object(object), _) => match (&object.additional, object.patterns.first()) {
                (_, Some((pattern, part))) => {
                    let mut query = crate::pattern::TextQuery::default();
                    query.pattern(pattern, true);
                    match query.shortest(50_000) {
                        crate::pattern::TextAnswer::Found(name) => {
                            Some((Constant::text(&name), self.propose(part, depth + 1)))
                        }
                        _ => None,
                    }
                }
                (Additional::Shape(part), None) => {
                    Some((Constant::text("other"), self.propose(part, depth + 1)))
                }
                (Additional::Open, None) if least > base.len() => Some((
                    Constant::text("other"),
                    Proposals { fitting: vec![Constant::Int(0)], broken: Vec::new() },
                )),
                _ => None,
            },
            (_, Some((key, value))) => {
                let keys = self.propose(key, depth + 1);
                let key = keys.fitting.first().cloned().unwrap_or(Constant::text("a"));
                Some((key, self.propose(value, depth + 1)))
            }
            _ => None,
        };
        // So many members as there must be.
        let mut filled = base.clone();
        for (name, required, found) in &known {
            if filled.len() < least
                && !required
                && let Some(value) = found.fitting.first()
            {
                filled.push((name.clone(), value.clone()));
            }
        }
        if let Some((name, found)) = &other {
            let mut number = 0;
            while filled.len() < least.min(100) {
                let name = match name {
                    Constant::Text(text) if number > 0 => Constant::text(&format!("{text}{number}")),
                    Constant::Int(key) => Constant::Int(key.saturating_add(number)),
                    name => name.clone(),
                };
                let Some(value) = found.fitting.first() else { break };
                filled.push((name, value.clone()));
                number += 1;
            }
        }
        let base = filled;
        all.fitting.push(Constant::Object(base.clone()));
        let with = |name: &Constant, value: &Constant| {
            let mut members = base.clone();
            match members.iter_mut().find(|(key, _)| same(key, name)) {
                Some((_, place)) => *place = value.clone(),
                None => members.push((name.clone(), value.clone())),
            }
            Constant::Object(members)
        };
        let mut full = base.clone();
        for (name, required, found) in &known {
            if !required && let Some(value) = found.fitting.first() {
                full.push((name.clone(), value.clone()));
            }
        }
        all.fitting.push(Constant::Object(full));
        for at in 0..MOST {
            let mut some = false;
            for (name, _, found) in &known {
                if let Some(value) = found.fitting.get(at) {
                    some = true;
                    all.fitting.push(with(name, value));
                }
                if let Some(value) = found.broken.get(at) {
                    some = true;
                    all.broken.push(with(name, value));
                }
            }
            if let Some((name, found)) = &other {
                if let Some(value) = found.fitting.get(at) {
                    some = true;
                    all.fitting.push(with(name, value));
                }
                if let Some(value) = found.broken.get(at) {
                    some = true;
                    all.broken.push(with(name, value));
                }
            }
            if at == 0 {
                for (name, required, _) in &known {
                    if *required {
                        let without = base.iter().filter(|(key, _)| !same(key, name)).cloned().collect();
                        all.broken.push(Constant::Object(without));
                    }
                }
                all.broken.push(with(&Constant::text("unknown"), &Constant::Int(0)));
            }
            if !some {
                break;
            }
        }
        if most.is_some_and(|most| most < 100) {
            let mut many = base.clone();
            for number in 0..=most.unwrap_or(0) {
                many.push((Constant::text(&format!("other{number}")), Constant::Int(0)));
            }
            all.broken.push(Constant::Object(many));
        }
        if matches!(object.additional, Additional::Open) && map.is_none() && depth < 2 {
            all.fitting.push(with(&Constant::text("other"), &Constant::Int(0)));
        }
        all.broken.extend([Constant::text("a"), Constant::List(Vec::new())]);
        all
    }

    pub(super) fn draw_list(&mut self, shape: &'s Shape, depth: usize) -> Constant {
        let (first, rest, least_of_form) = Self::elements(shape);
        let (least, most) = counts(shape, Unit::Items);
        let least = least.max(least_of_form);
        let most = most.unwrap_or(least + 4).min(least + 8);
        let length = least.min(200) + self.random.below(most.saturating_sub(least) + 1);
        let mut items = Vec::new();
        for at in 0..length {
            let Some(part) = first.get(at).copied().or(rest) else { break };
            items.push(self.draw(part, depth + 1));
        }
        Constant::List(items)
    }

    pub(super) fn draw_object(&mut self, shape: &'s Shape, depth: usize) -> Constant {
        let mut members = Vec::new();
        match &shape.form {
            Form::Object(object) => {
                for property in &object.properties {
                    let chance = if depth < DEEPEST / 2 { 2 } else { 4 };
                    if property.required || self.random.below(chance) == 0 {
                        let value = self.draw(&property.shape, depth + 1);
                        members.push((Constant::text(&property.name), value));
                    }
                }
                if let Additional::Shape(part) = &object.additional {
                    for number in 0..self.random.below(3) {
                        let value = self.draw(part, depth + 1);
                        members.push((Constant::text(&format!("other{number}")), value));
                    }
                }
                for (pattern, part) in &object.patterns {
                    let mut query = crate::pattern::TextQuery::default();
                    query.pattern(pattern, true);
                    let answer = query.shortest(20_000);
                    if let (0, crate::pattern::TextAnswer::Found(name)) = (self.random.below(2), answer) {
                        let value = self.draw(part, depth + 1);
                        members.push((Constant::text(&name), value));
                    }
                }
            }
            Form::Map(key, value) => {
                let (least, most) = counts(shape, Unit::Properties);
                let most = most.unwrap_or(least + 3).min(least + 4);
                for _ in 0..least.min(50) + self.random.below(most.saturating_sub(least) + 1) {
                    let key = self.draw(key, depth + 1);
                    let value = self.draw(value, depth + 1);
                    if !members.iter().any(|(known, _)| same(known, &key)) {
                        members.push((key, value));
                    }
                }
            }
            _ => {}
        }
        Constant::Object(members)
    }
}
