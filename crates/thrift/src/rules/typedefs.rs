//! Typedefs of containers: each is lowered once, as a definition that its uses refer to.
//!
//! Ten typedefs in a row can stand for a type with thousands of parts. Written out, each use would cost all of
//! them; as definitions they cost what their text costs.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Definitions, Form, Shape};

use super::key::{self, Key};
use super::shapes::{Lowering, Pending};
use super::table::Class;
use crate::idl::Annotations;
use crate::model::{Model, StructRole, Type, TypeId, Typedef, TypedefId};
use crate::{Code, FileId, Severity};

/// What is known of the typedefs of a program.
pub(super) struct Typedefs<'m> {
    model: &'m Model,
    names: Vec<Arc<str>>,
    /// Whether rules stand on a typedef or inside it, once somebody has asked.
    ruled: Vec<Option<bool>>,
    /// Whether a field has the type.
    used: Vec<bool>,
    /// Whether a shape refers to its definition.
    referred: Vec<bool>,
    /// Definitions that are referred to and not lowered yet.
    queue: Vec<TypedefId>,
}

impl<'m> Typedefs<'m> {
    pub(super) fn new(model: &'m Model) -> Typedefs<'m> {
        let count = model.typedefs.len();
        Typedefs {
            model,
            names: names(model),
            ruled: vec![None; count],
            used: vec![false; count],
            referred: vec![false; count],
            queue: Vec::new(),
        }
    }

    /// A reference to the definition of a typedef.
    pub(super) fn reference(&mut self, id: TypedefId) -> Shape {
        self.mark(id);
        if self.referred.get_mut(id.0 as usize).is_some_and(|it| !std::mem::replace(it, true)) {
            self.queue.push(id);
        }
        match self.names.get(id.0 as usize) {
            Some(name) => Shape::new(Form::Ref(name.clone())),
            None => Shape::any(),
        }
    }

    /// Takes note that a typedef is used.
    pub(super) fn mark(&mut self, id: TypedefId) {
        if let Some(used) = self.used.get_mut(id.0 as usize) {
            *used = true;
        }
    }

    /// Whether rules are written on a typedef, or on a type that it leads to.
    // INVARIANT: typedefs form no cycle, and nest no deeper than the resolver allows.
    pub(super) fn has_rules(&mut self, id: TypedefId) -> bool {
        if let Some(Some(known)) = self.ruled.get(id.0 as usize) {
            return *known;
        }
        let it = &self.model[id];
        let found = are_rules(&it.annotations) || self.type_has_rules(it.target);
        if let Some(slot) = self.ruled.get_mut(id.0 as usize) {
            *slot = Some(found);
        }
        found
    }

    fn type_has_rules(&mut self, id: TypeId) -> bool {
        let node = &self.model[id];
        are_rules(&node.annotations)
            || match node.ty {
                Type::Typedef(typedef) => self.has_rules(typedef),
                Type::List(element) | Type::Set(element) => self.type_has_rules(element),
                Type::Map(key, value) => self.type_has_rules(key) || self.type_has_rules(value),
                _ => false,
            }
    }
}

/// Names typedefs apart from structs, whose names have no space in them, and from each other.
fn names(model: &Model) -> Vec<Arc<str>> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let names = model.typedefs.iter().map(|it| {
        let count = seen.entry(&it.name.text).or_default();
        *count += 1;
        match count {
            1 => format!("typedef {}", it.name.text).into(),
            count => format!("typedef {}@{count}", it.name.text).into(),
        }
    });
    names.collect()
}

/// How many rules are written in a program, wherever they stand.
pub fn count_rules(model: &Model) -> usize {
    let count = |annotations: &Annotations| {
        annotations.iter().filter(|it| matches!(key::parse(&it.key.text), Key::Rule(_))).count()
    };
    let types: usize = model.types.iter().map(|it| count(&it.annotations)).sum();
    let typedefs: usize = model.typedefs.iter().map(|it| count(&it.annotations)).sum();
    let structs: usize = model
        .structs
        .iter()
        .map(|it| {
            let fields: usize = it.fields.iter().map(|field| count(&field.annotations)).sum();
            count(&it.annotations) + fields
        })
        .sum();
    types + typedefs + structs
}

fn are_rules(annotations: &Annotations) -> bool {
    annotations.iter().any(|it| matches!(key::parse(&it.key.text), Key::Rule(_)))
}

impl<'m> Lowering<'m> {
    /// Lowers the typedefs that shapes refer to.
    pub(super) fn used_typedefs(&mut self, definitions: &mut Definitions) {
        while let Some(id) = self.typedefs.queue.pop() {
            let shape = self.typedef(&self.model[id]);
            if let Some(name) = self.typedefs.names.get(id.0 as usize) {
                definitions.insert(name.clone(), shape);
            }
        }
    }

    fn typedef(&mut self, it: &'m Typedef) -> Shape {
        let rules = self.pending(&it.annotations);
        self.alone(it.target, rules)
    }

    /// Reads the rules of typedefs that no field has, so that what is wrong with them is said.
    pub(super) fn unused_typedefs(&mut self) {
        let model = self.model;
        let unused: Vec<&Typedef> = model
            .typedefs
            .iter()
            .zip(&self.typedefs.used)
            .filter(|(_, used)| !**used)
            .map(|(it, _)| it)
            .collect();
        // A file of nothing but typedefs is there for others.
        let declares =
            model.structs.iter().any(|it| it.file == FileId(0) && !matches!(it.role, StructRole::Result));
        for it in unused {
            let rules = self.pending(&it.annotations);
            let mut inside = rules.clone();
            self.pending_inside(it.target, &mut inside);
            if let Some(first) = inside.first()
                && it.file == FileId(0)
            {
                let message =
                    format!("`{}` never runs: no field has the type `{}`", first.spelling, it.name.text);
                let diagnostic = Code::DeadRule.at(first.span, message);
                self.report(match declares {
                    true => diagnostic,
                    false => diagnostic.with_severity(Severity::Info),
                });
            }
            if !inside.is_empty() && Class::of(model.real(it.target)).is_some() {
                self.alone(it.target, rules);
            }
        }
        self.typedefs.queue.clear();
    }

    /// Adds the rules that are written in a type itself, not in the definitions that it names.
    // INVARIANT: types nest no deeper than the parser allows.
    fn pending_inside(&mut self, id: TypeId, rules: &mut Vec<Pending>) {
        let node = &self.model[id];
        rules.extend(self.pending(&node.annotations));
        match node.ty {
            Type::List(element) | Type::Set(element) => self.pending_inside(element, rules),
            Type::Map(key, value) => {
                self.pending_inside(key, rules);
                self.pending_inside(value, rules);
            }
            _ => {}
        }
    }

    /// Reports rules where nothing is validated.
    pub(super) fn misplaced(&mut self) {
        let model = self.model;
        for it in &model.enums {
            self.misplaced_on(&it.annotations, "an enum");
            it.members
                .iter()
                .for_each(|member| self.misplaced_on(&member.annotations, "a member of an enum"));
        }
        for it in &model.consts {
            self.misplaced_on(&it.annotations, "a constant");
            self.misplaced_on(&model[it.ty].annotations, "the type of a constant");
        }
        for it in &model.services {
            self.misplaced_on(&it.annotations, "a service");
            it.functions.iter().for_each(|function| self.misplaced_on(&function.annotations, "a function"));
        }
    }

    fn misplaced_on(&mut self, annotations: &Annotations, what: &str) {
        for rule in self.pending(annotations) {
            let message = format!("`{}` means nothing on {what}", rule.spelling);
            let help = "rules stand on fields, arguments and typedefs";
            self.report(Code::RuleType.at(rule.span, message).help(help));
        }
    }
}
