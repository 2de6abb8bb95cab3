//! Members of objects: which come, which go, which must be there.

use contract::{Additional, Form, Object, Property, Shape};
use diagnostics::Span;

use super::{ChangeStep, ShapeParts, ShapeTerms, Walker};
use crate::model::{Difference, Flow, Level, SetRelation};
use crate::term::{MemberTerms, Term, TermId, same_name};

/// The types of a field that were set apart, because no value of one can be read as the other.
fn apart<'s>(was: &'s Shape, is: &'s Shape) -> Option<(&'s str, &'s str)> {
    let of = |shape: &'s Shape| {
        let Form::Object(object) = &shape.form else { return None };
        let marked = object.properties.first().is_some_and(|it| it.name.starts_with('\u{1}'));
        shape.title.as_deref().filter(|_| marked)
    };
    Some((of(was)?, of(is)?))
}

/// The field of a name that has another number than before: its name says so.
fn renumbered<'o>(is: &'o Object, name: &str) -> Option<&'o Property> {
    let is_it = |it: &&Property| {
        it.tag.is_some_and(|tag| it.name.strip_prefix(name).is_some_and(|rest| rest == format!("#{tag}")))
    };
    is.properties.iter().find(is_it)
}

impl Walker<'_, '_> {
    pub(super) fn objects(
        &mut self,
        old: &ShapeParts<'_>,
        new: &ShapeParts<'_>,
        a: ShapeTerms,
        b: ShapeTerms,
        is_equal: bool,
        depth: usize,
    ) {
        let ([was], [is]) = (old.objects.as_slice(), new.objects.as_slice()) else { return };
        let (was, is) = (*was, *is);
        let fold = self.comparison.old.folds_names && self.comparison.new.folds_names;
        let noun = if self.frames.is_empty() { self.comparison.noun } else { "property" };
        let any = Shape::any();
        for property in &was.properties {
            let other = is.properties.iter().find(|it| same_name(&it.name, &property.name, fold));
            let name: Box<str> = property.name.as_str().into();
            let places =
                (property.place.or(property.shape.place), other.and_then(|it| it.place.or(it.shape.place)));
            match other {
                Some(other) => {
                    let moved = is.properties.iter().any(|it| it.shape.title.as_deref() == Some(&*name));
                    self.renamed(property, other, moved, places);
                    if let Some((was, is)) = apart(&property.shape, &other.shape) {
                        let message = format!("`{name}` is {is} on the wire, and was {was}");
                        self.step(ChangeStep::Member(name.clone()), a, b, |walker| {
                            let (x, y) =
                                (walker.term(true, &property.shape), walker.term(false, &other.shape));
                            let lost = walker.solver.solve(vec![x.holds], Vec::new()).into();
                            let gained = walker.solver.solve(vec![y.holds], Vec::new()).into();
                            let level = Some(Level::Breaking);
                            walker.add("wire-type-changed", message, lost, gained, places, level);
                        });
                        if is_equal || property.required == other.required {
                            continue;
                        }
                        self.presence(&name, property.required, noun, a, b, places);
                        continue;
                    }
                    self.step(ChangeStep::Member(name.clone()), a, b, |walker| {
                        if !property.undeclared && !other.undeclared {
                            walker.required_now = other.required && !property.required;
                            walker.walk(&property.shape, &other.shape, depth + 1);
                        }
                    });
                    self.numbers(property, other, places);
                    if is_equal || property.required == other.required {
                        continue;
                    }
                    self.presence(&name, property.required, noun, a, b, places);
                }
                None if property.undeclared => {
                    if property.required && !is_equal {
                        self.presence(&name, true, noun, a, b, places);
                    }
                }
                None if renumbered(is, &name).is_some() => {
                    let Some(other) = renumbered(is, &name) else { continue };
                    let (was, id) = (property.tag.unwrap_or_default(), other.tag.unwrap_or_default());
                    let message = format!("`{name}` has the number {id}, and had {was}");
                    let has = |walker: &mut Self, name: &str| {
                        walker.solver.terms.add(Term::Has(name.into(), false))
                    };
                    let (mine, theirs) = (has(self, &name), has(self, other.name.as_str()));
                    let lost = match other.required {
                        true => self.solver.solve(vec![a.holds], vec![theirs]).into(),
                        false => Difference::None,
                    };
                    let gained = match property.required {
                        true => self.solver.solve(vec![b.holds], vec![mine]).into(),
                        false => Difference::None,
                    };
                    let before = self.changes.len();
                    let places = (places.0, other.place);
                    self.add("field-id-changed", message, lost, gained, places, Some(Level::Breaking));
                    if let Some(change) = self.changes.get_mut(before) {
                        change.path.push(ChangeStep::Member(name));
                    }
                }
                None => {
                    let renamed = is.properties.iter().find(|it| {
                        property.tag.is_some()
                            && it.tag == property.tag
                            && !was.properties.iter().any(|known| known.name == it.name)
                    });
                    if let Some(renamed) = renamed {
                        let message = format!("`{name}` is called `{}`", renamed.name);
                        let places = (places.0, renamed.place);
                        let (lost, gained) = (Difference::None, Difference::None);
                        self.add("field-renamed", message, lost, gained, places, Some(Level::Warning));
                    }
                    self.gone(&name, property, is, noun, (a, b), places, is_equal, depth);
                }
            }
        }
        for property in &is.properties {
            if was.properties.iter().any(|it| same_name(&it.name, &property.name, fold)) {
                continue;
            }
            let name: Box<str> = property.name.as_str().into();
            if name.split_once('#').is_some_and(|(base, _)| renumbered(is, base).is_some()) {
                continue;
            }
            let places = (old.place, property.place.or(property.shape.place));
            // Those who read find more than they need.
            if property.required && !is_equal && self.comparison.flow != Flow::Out {
                self.presence(&name, false, noun, a, b, places);
            }
            if property.undeclared {
                continue;
            }
            self.come(&name, property, was, noun, (a, b), places, is_equal, depth);
        }
        if is_equal {
            return;
        }
        self.rest(was, is, (a, b), (old.place, new.place), &any, depth);
    }

    /// A field of the same number that has another name.
    /// If its old name is that of another field now, values of the one are taken for those of the other.
    fn renamed(&mut self, was: &Property, is: &Property, moved: bool, places: (Option<Span>, Option<Span>)) {
        let Some(name) = is.shape.title.as_deref().filter(|name| is.tag.is_some() && **name != *was.name)
        else {
            return;
        };
        if apart(&was.shape, &is.shape).is_some() {
            return;
        }
        let (none, before) = (Difference::None, self.changes.len());
        let (rule, level) = match moved {
            true => ("field-id-changed", Level::Breaking),
            false => ("field-renamed", Level::Warning),
        };
        let message = match moved {
            true => format!("the number of `{}` is that of `{name}`", was.name),
            false => format!("`{}` is called `{name}`", was.name),
        };
        self.add(rule, message, none.clone(), none, places, Some(level));
        if let Some(change) = self.changes.get_mut(before) {
            change.path.push(ChangeStep::Member(was.name.as_str().into()));
        }
    }

    /// What the wire says of a field besides its name: its number, and how wide its integers are.
    pub(super) fn numbers(
        &mut self,
        was: &contract::Property,
        is: &contract::Property,
        places: (Option<Span>, Option<Span>),
    ) {
        let (Some(a), Some(b)) = (was.tag, is.tag) else { return };
        let none = || (Difference::None, Difference::None);
        let wire = |shape: &Shape| match &shape.form {
            Form::Bool => "bool".to_owned(),
            Form::Int(width) => format!("{width:?}").to_ascii_lowercase(),
            Form::Enum(_) => "i32".to_owned(),
            Form::Number => "double".to_owned(),
            Form::Text | Form::Bytes => "string".to_owned(),
            Form::List(_) => "list".to_owned(),
            Form::Set(_) => "set".to_owned(),
            Form::Map(..) => "map".to_owned(),
            _ => String::new(),
        };
        let (x, y) = (wire(&was.shape), wire(&is.shape));
        if a != b {
            let message = format!("`{}` has the number {b}, and had {a}", is.name);
            let (lost, gained) = none();
            self.add("field-id-changed", message, lost, gained, places, Some(Level::Breaking));
        } else if x != y && !x.is_empty() && !y.is_empty() {
            let message = format!("`{}` is {y} on the wire, and was {x}", is.name);
            let (lost, gained) = none();
            self.add("wire-type-changed", message, lost, gained, places, Some(Level::Breaking));
        } else {
            return;
        }
        if let Some(change) = self.changes.last_mut() {
            change.path.push(ChangeStep::Member(is.name.as_str().into()));
            change.relation = SetRelation::Incomparable;
        }
    }

    /// A member that must be there in one of the two, and need not in the other.
    pub(super) fn presence(
        &mut self,
        name: &str,
        was: bool,
        noun: &'static str,
        a: ShapeTerms,
        b: ShapeTerms,
        places: (Option<Span>, Option<Span>),
    ) {
        let fold = self.side(was).folds_names;
        let has = self.solver.terms.add(Term::Has(name.into(), fold));
        let (lost, gained) = match was {
            true => (Difference::None, self.solver.solve(vec![b.holds], vec![has]).into()),
            false => (self.solver.solve(vec![a.holds], vec![has]).into(), Difference::None),
        };
        if (&lost, &gained) == (&Difference::None, &Difference::None) {
            return;
        }
        let rule = match (noun, was) {
            ("parameter", true) => "parameter-optional",
            ("parameter", false) => "parameter-required",
            (_, true) => "property-optional",
            (_, false) => "property-required",
        };
        let message = match was {
            true => format!("`{name}` may be absent"),
            false => format!("`{name}` must be there"),
        };
        let before = self.changes.len();
        self.add(rule, message, lost, gained, places, None);
        if let Some(change) = self.changes.get_mut(before) {
            change.path.push(ChangeStep::Member(name.into()));
        }
    }

    /// A member that only the old shape declares.
    #[expect(clippy::too_many_arguments, reason = "both sides, their terms and their places")]
    pub(super) fn gone(
        &mut self,
        name: &str,
        property: &contract::Property,
        is: &Object,
        noun: &'static str,
        (a, b): (ShapeTerms, ShapeTerms),
        places: (Option<Span>, Option<Span>),
        is_equal: bool,
        depth: usize,
    ) {
        let matched = is.patterns.iter().find(|(pattern, _)| pattern.is_match(name.as_bytes()));
        let other = match (matched, &is.additional) {
            (Some((_, shape)), _) => Some(shape),
            (None, Additional::Shape(shape)) => Some(&**shape),
            (None, Additional::Open | Additional::Closed) => None,
        };
        if let Some(other) = other {
            return self.step(ChangeStep::Member(name.into()), a, b, |walker| {
                walker.walk(&property.shape, other, depth + 1);
            });
        }
        let own = self.term(true, &property.shape);
        let closed = matches!(is.additional, Additional::Closed) || noun == "parameter";
        let (rule, level) = match (noun, closed) {
            ("parameter", _) => ("parameter-removed", None),
            ("output", _) => ("output-removed", None),
            ("exception", _) => ("exception-removed", None),
            (_, true) => ("property-removed", None),
            // What was declared and is not is only accepted and not read.
            (_, false) if self.comparison.flow == Flow::In => ("property-forgotten", Some(Level::Warning)),
            (_, false) => ("property-forgotten", None),
        };
        let message = format!("`{name}` is not declared any more");
        self.step(ChangeStep::Member(name.into()), a, b, |walker| {
            let any = walker.solver.terms.any();
            let (lost, gained) = match (closed, walker.comparison.flow) {
                // Nobody gets the exception any more.
                (_, Flow::Out) if noun == "exception" => {
                    (walker.solver.solve(vec![own.holds], Vec::new()).into(), Difference::None)
                }
                (true, Flow::Out) | (false, _) => {
                    let lost = Difference::None;
                    let gained = match (walker.comparison.flow, property.required) {
                        (Flow::Out, _) => Difference::None,
                        _ => walker.solver.solve(vec![any], vec![own.fails]).into(),
                    };
                    (lost, gained)
                }
                (true, _) => (walker.solver.solve(vec![own.holds], Vec::new()).into(), Difference::None),
            };
            if is_equal && level.is_none() {
                return;
            }
            walker.add(rule, message.clone(), lost, gained, places, level);
        });
        if property.required && !is_equal {
            // A value without it was refused.
            let fold = self.side(true).folds_names;
            let has = self.solver.terms.add(Term::Has(name.into(), fold));
            let gained: Difference = self.solver.solve(vec![b.holds], vec![has]).into();
            let Some(at) = self.changes.len().checked_sub(1) else { return };
            let proof = self.whole(gained.clone(), false).0;
            let (flow, strict) = (self.comparison.flow, matches!(gained, Difference::Some(_)));
            if let Some(change) = self.changes.get_mut(at)
                && strict
            {
                change.relation = match change.relation {
                    SetRelation::Narrower => SetRelation::Incomparable,
                    SetRelation::Equal => SetRelation::Wider,
                    other => other,
                };
                if change.gained.is_none() {
                    change.gained = proof;
                }
                if flow != Flow::In {
                    change.level = Level::Breaking;
                }
            }
        }
    }

    /// A member that only the new shape declares.
    #[expect(clippy::too_many_arguments, reason = "both sides, their terms and their places")]
    pub(super) fn come(
        &mut self,
        name: &str,
        property: &contract::Property,
        was: &Object,
        noun: &'static str,
        (a, b): (ShapeTerms, ShapeTerms),
        places: (Option<Span>, Option<Span>),
        is_equal: bool,
        depth: usize,
    ) {
        let matched = was.patterns.iter().find(|(pattern, _)| pattern.is_match(name.as_bytes()));
        let other = match (matched, &was.additional) {
            (Some((_, shape)), _) => Some(shape),
            (None, Additional::Shape(shape)) => Some(&**shape),
            (None, Additional::Open | Additional::Closed) => None,
        };
        if let Some(other) = other {
            return self.step(ChangeStep::Member(name.into()), a, b, |walker| {
                walker.walk(other, &property.shape, depth + 1);
            });
        }
        if is_equal {
            return;
        }
        if self.comparison.flow == Flow::Out && property.required && noun != "exception" {
            return self.promised(name, noun, a, places);
        }
        let own = self.term(false, &property.shape);
        let open = matches!(was.additional, Additional::Open) && noun != "parameter";
        let declares = was.properties.iter().any(|it| !it.undeclared);
        let (rule, level) = match (noun, open) {
            ("parameter", _) => ("parameter-added", None),
            ("output", _) => ("output-added", None),
            ("exception", _) => ("exception-added", None),
            (_, false) => ("property-added", None),
            (_, true) => {
                let mild = declares && !self.comparison.strict && self.comparison.flow != Flow::Out;
                ("property-declared", mild.then_some(Level::Warning))
            }
        };
        let message = format!("`{name}` is declared");
        self.step(ChangeStep::Member(name.into()), a, b, |walker| {
            let any = walker.solver.terms.any();
            let (lost, gained) = match (open, walker.comparison.flow) {
                // A reader of an answer does not know the exception.
                (_, Flow::Out) if noun == "exception" => {
                    (Difference::None, walker.solver.solve(vec![own.holds], Vec::new()).into())
                }
                (_, Flow::Out) => (Difference::None, Difference::None),
                (true, _) => (walker.solver.solve(vec![any], vec![own.fails]).into(), Difference::None),
                (false, _) => (Difference::None, walker.solver.solve(vec![own.holds], Vec::new()).into()),
            };
            let nothing = (&lost, &gained) == (&Difference::None, &Difference::None);
            let level = if nothing { Some(Level::Info) } else { level };
            if !(nothing && open) || noun != "property" {
                walker.add(rule, message, lost, gained, places, level);
            }
        });
    }

    /// A member that is always there now: what was written before may lack it.
    fn promised(
        &mut self,
        name: &str,
        noun: &'static str,
        a: ShapeTerms,
        places: (Option<Span>, Option<Span>),
    ) {
        let has = self.solver.terms.add(Term::Has(name.into(), self.comparison.new.folds_names));
        let lost = self.solver.solve(vec![a.holds], vec![has]).into();
        let rule = if noun == "output" { "output-added" } else { "property-added" };
        let before = self.changes.len();
        self.add(rule, format!("`{name}` is declared"), lost, Difference::None, places, None);
        if let Some(change) = self.changes.get_mut(before) {
            change.path.push(ChangeStep::Member(name.into()));
        }
    }

    /// What is said of all other members.
    pub(super) fn rest(
        &mut self,
        was: &Object,
        is: &Object,
        (a, b): (ShapeTerms, ShapeTerms),
        places: (Option<Span>, Option<Span>),
        any: &Shape,
        depth: usize,
    ) {
        match (&was.additional, &is.additional) {
            (Additional::Shape(was), Additional::Shape(is)) => {
                self.step(ChangeStep::Members, a, b, |walker| walker.walk(was, is, depth + 1));
            }
            (Additional::Open, Additional::Shape(is)) => {
                self.step(ChangeStep::Members, a, b, |walker| walker.walk(any, is, depth + 1));
            }
            (Additional::Shape(was), Additional::Open) => {
                self.step(ChangeStep::Members, a, b, |walker| walker.walk(was, any, depth + 1));
            }
            (Additional::Closed, Additional::Closed) | (Additional::Open, Additional::Open) => {}
            (_, Additional::Closed) if self.comparison.flow != Flow::Out => {
                let names = self.names_of(is, false);
                let lost = self.solver.solve(vec![a.holds], vec![names]).into();
                if lost != Difference::None {
                    let message = "properties that are not declared are refused".to_owned();
                    self.add("object-closed", message, lost, Difference::None, places, None);
                }
            }
            (Additional::Closed, _) if self.comparison.flow != Flow::Out => {
                let names = self.names_of(was, true);
                let gained = self.solver.solve(vec![b.holds], vec![names]).into();
                if gained != Difference::None {
                    let message = "properties that are not declared are accepted".to_owned();
                    self.add("object-opened", message, Difference::None, gained, places, None);
                }
            }
            _ => {}
        }
        // Patterns on names, one by one where they are the same, else all of them.
        let mut others = Vec::new();
        for (pattern, shape) in &was.patterns {
            match is.patterns.iter().find(|(other, _)| other == pattern) {
                Some((_, other)) => {
                    self.step(ChangeStep::Members, a, b, |walker| walker.walk(shape, other, depth + 1));
                }
                None => others.push(pattern.source().to_owned()),
            }
        }
        for (pattern, _) in &is.patterns {
            if !was.patterns.iter().any(|(other, _)| other == pattern) {
                others.push(pattern.source().to_owned());
            }
        }
        if was.names != is.names || !others.is_empty() {
            let names = |object: &Object| {
                let declared = object.properties.iter().filter(|property| !property.undeclared);
                let mut copy =
                    Object::open(declared.map(|it| contract::Property::optional(&it.name, Shape::any())));
                // Without patterns, that an object is closed is a change of its own.
                if !was.patterns.is_empty() || !is.patterns.is_empty() {
                    copy.additional = match object.additional {
                        Additional::Closed => Additional::Closed,
                        Additional::Open | Additional::Shape(_) => Additional::Open,
                    };
                }
                copy.names.clone_from(&object.names);
                copy.patterns.clone_from(&object.patterns);
                Shape::from(copy)
            };
            let (was_names, is_names) = (self.term(true, &names(was)), self.term(false, &names(is)));
            if was_names.holds != is_names.holds {
                let lost: Difference = self.solver.solve(vec![a.holds], vec![is_names.fails]).into();
                let gained: Difference = self.solver.solve(vec![b.holds], vec![was_names.fails]).into();
                let rule = match SetRelation::of(&lost, &gained) {
                    SetRelation::Equal => return,
                    SetRelation::Narrower => "names-narrowed",
                    SetRelation::Wider => "names-widened",
                    _ => "names-changed",
                };
                self.add(
                    rule,
                    "names of properties follow other rules".to_owned(),
                    lost,
                    gained,
                    places,
                    None,
                );
            }
        }
    }

    /// Holds for objects whose members all have a declared name.
    pub(super) fn names_of(&mut self, object: &Object, of_old: bool) -> TermId {
        let any = self.solver.terms.any();
        let never = self.solver.terms.never();
        let mut names: Vec<(Box<str>, TermId)> = object
            .properties
            .iter()
            .filter(|property| !property.undeclared)
            .map(|property| (property.name.as_str().into(), any))
            .collect();
        names.sort();
        let patterns =
            object.patterns.iter().map(|(pattern, _)| (self.solver.terms.pattern(pattern), any)).collect();
        let fold = self.side(of_old).folds_names;
        self.solver.terms.add(Term::Members(MemberTerms { names, patterns, rest: never, fold }))
    }
}
