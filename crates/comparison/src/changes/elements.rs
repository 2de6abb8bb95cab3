//! Elements of lists, and alternatives.

use contract::{Form, Select, Shape, Union, Unit};

use super::{ChangeStep, ListPart, ShapeParts, ShapeTerms, Walker};
use crate::model::{Difference, Level, SetRelation};
use crate::term::Term;

impl Walker<'_, '_> {
    pub(super) fn lists(
        &mut self,
        old: &ShapeParts<'_>,
        new: &ShapeParts<'_>,
        a: ShapeTerms,
        b: ShapeTerms,
        is_equal: bool,
        depth: usize,
    ) {
        let ([was], [is]) = (old.lists.as_slice(), new.lists.as_slice()) else { return };
        let places = (old.place, new.place);
        let split = |part: ListPart<'_>| match part {
            ListPart::Each(each) => (Vec::new(), Some(each.clone()), 0),
            ListPart::Tuple(tuple) => (tuple.items.clone(), tuple.rest.as_deref().cloned(), tuple.least),
        };
        if let (ListPart::Each(was), ListPart::Each(is)) = (was, is) {
            return self.step(ChangeStep::Items, a, b, |walker| walker.walk(was, is, depth + 1));
        }
        if is_equal {
            return;
        }
        let ((was_first, was_rest, was_least), (is_first, is_rest, is_least)) = (split(*was), split(*is));
        for at in 0..was_first.len().max(is_first.len()) {
            let (x, y) = (was_first.get(at).or(was_rest.as_ref()), is_first.get(at).or(is_rest.as_ref()));
            let (Some(x), Some(y)) = (x, y) else { continue };
            let declared = at >= was_first.len() && at < is_first.len() && !was_first.is_empty() && is_any(x);
            let before = self.changes.len();
            self.step(ChangeStep::Item(at), a, b, |walker| walker.walk(x, y, depth + 1));
            if declared {
                for change in self.changes.get_mut(before..).unwrap_or_default() {
                    change.rule = "position-declared";
                    if change.level == Level::Breaking && !self.comparison.strict {
                        change.level = Level::Warning;
                    }
                }
            }
        }
        if let (Some(x), Some(y)) = (&was_rest, &is_rest) {
            self.step(ChangeStep::Items, a, b, |walker| walker.walk(x, y, depth + 1));
        }
        let bounds = |least: usize, first: &[Shape], rest: &Option<Shape>| {
            (least, if rest.is_some() { None } else { Some(first.len()) })
        };
        let (x, y) = (bounds(was_least, &was_first, &was_rest), bounds(is_least, &is_first, &is_rest));
        if x != y {
            let length = |walker: &mut Self, (least, most): (usize, Option<usize>)| {
                walker.solver.terms.add(Term::Length(Unit::Items, least, most))
            };
            let (x_term, y_term) = (length(self, x), length(self, y));
            let lost: Difference = self.solver.solve(vec![a.holds], vec![y_term]).into();
            let gained: Difference = self.solver.solve(vec![b.holds], vec![x_term]).into();
            let rule = match SetRelation::of(&lost, &gained) {
                SetRelation::Equal => return,
                SetRelation::Narrower => "items-narrowed",
                SetRelation::Wider => "items-widened",
                _ => "items-changed",
            };
            self.add(rule, "lists have other lengths".to_owned(), lost, gained, places, None);
        }
    }

    pub(super) fn variants(
        &mut self,
        old: &ShapeParts<'_>,
        new: &ShapeParts<'_>,
        a: ShapeTerms,
        b: ShapeTerms,
        depth: usize,
    ) {
        let places = (old.place, new.place);
        let ([was], [is]) = (old.unions.as_slice(), new.unions.as_slice()) else { return };
        let (was, is) = (*was, *is);
        if let (Select::Property { name: x, .. }, Select::Property { name: y, .. }) =
            (&was.select, &is.select)
            && x != y
        {
            let message = format!("`{y}` chooses the alternative instead of `{x}`");
            let (lost, gained) = (self.minus(a.holds, b.fails), self.minus(b.holds, a.fails));
            return self.add("discriminator-changed", message, lost, gained, places, None);
        }
        let tag = |union: &Union, at: usize| match &union.select {
            Select::Property { values, .. } => {
                values.iter().find(|(_, position)| *position == at).map(|(tag, _)| tag.clone())
            }
            _ => None,
        };
        let terms = |walker: &mut Self, of_old: bool, union: &Union| -> Vec<ShapeTerms> {
            union.alternatives.iter().map(|part| walker.term(of_old, part)).collect()
        };
        let (x, y) = (terms(self, true, was), terms(self, false, is));
        let mut free: Vec<usize> = (0..is.alternatives.len()).collect();
        let mut pairs = Vec::new();
        let mut gone = Vec::new();
        for (at, own) in x.iter().enumerate() {
            let wanted = tag(was, at);
            let found = free.iter().position(|other| match &wanted {
                Some(wanted) => tag(is, *other).as_ref() == Some(wanted),
                None => y.get(*other).is_some_and(|it| it.holds == own.holds),
            });
            match found {
                Some(place) => pairs.push((at, free.remove(place))),
                None => gone.push(at),
            }
        }
        // One that is left on each side is the same one, changed.
        if let ([one], [other]) = (gone.as_slice(), free.as_slice())
            && tag(was, *one).is_none()
        {
            pairs.push((*one, *other));
            gone.clear();
            free.clear();
        }
        let before = self.changes.len();
        for (at, other) in pairs {
            if let (Some(x), Some(y)) = (was.alternatives.get(at), is.alternatives.get(other)) {
                self.walk(x, y, depth + 1);
            }
        }
        for at in gone {
            let Some(own) = x.get(at) else { continue };
            let lost: Difference = self.solver.solve(vec![a.holds, own.holds], vec![b.fails]).into();
            if lost != Difference::None {
                let place = was.alternatives.get(at).and_then(|it| it.place).or(old.place);
                let message = match tag(was, at) {
                    Some(tag) => format!("the alternative `{tag}` is gone"),
                    None => "an alternative is gone".to_owned(),
                };
                self.add("variant-removed", message, lost, Difference::None, (place, new.place), None);
            }
        }
        for at in free {
            let Some(own) = y.get(at) else { continue };
            let gained: Difference = self.solver.solve(vec![b.holds, own.holds], vec![a.fails]).into();
            if gained != Difference::None {
                let place = is.alternatives.get(at).and_then(|it| it.place).or(new.place);
                let message = match tag(is, at) {
                    Some(tag) => format!("there is another alternative, `{tag}`"),
                    None => "there is another alternative".to_owned(),
                };
                self.add("variant-added", message, Difference::None, gained, (old.place, place), None);
            }
        }
        if self.changes.len() == before && was.select != is.select {
            let (lost, gained) = (self.minus(a.holds, b.fails), self.minus(b.holds, a.fails));
            let message = "values that fit two alternatives are treated in another way".to_owned();
            self.add("variant-overlap", message, lost, gained, places, None);
        }
    }
}

fn is_any(shape: &Shape) -> bool {
    matches!(shape.form, Form::Any) && shape.rules.iter().next().is_none()
}
