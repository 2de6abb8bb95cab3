//! Defaults that break the rules of their own fields.
//!
//! A struct without any of its fields has nothing but defaults, so that is what is held against its rules. Rules that look
//! at other fields are left aside: what those are is not known before there is a message.

use std::collections::BTreeSet;

use contract::{Constant, Contract, Operand, Order, PathStep, Rule, Shape, Violation};

use super::functions::Functions;
use super::shapes::Lowered;
use crate::{Code, Diagnostic, Span};

impl Lowered {
    /// What there is to say about the rules, for those who want to know that and nothing else.
    pub fn findings(&self, functions: &Functions) -> Vec<Diagnostic> {
        let (contract, mut found) = self.compile(functions);
        if let Some(contract) = contract {
            found.extend(self.broken_defaults(&contract, functions));
        }
        found
    }

    fn broken_defaults(&self, contract: &Contract, functions: &Functions) -> Vec<Diagnostic> {
        let steady = self.steady_rules();
        let mut found = Vec::new();
        for (name, defaulted) in self.names.iter().zip(&self.defaulted) {
            let checker = contract.definition(name).filter(|_| !defaulted.is_empty());
            let Some(checker) = checker else { continue };
            let nothing = Constant::Object(Vec::new());
            for it in checker.host(functions).order(Order::Declared).violations(&nothing) {
                let Some(PathStep::Name(field)) = it.path.steps.first() else { continue };
                let place = it.written.filter(|place| steady.contains(place) && defaulted.contains(field));
                found.extend(place.map(|place| broken(name, &it, place)));
            }
        }
        found
    }

    /// The places of rules that depend on nothing but the value under test.
    fn steady_rules(&self) -> BTreeSet<Span> {
        let is_constant = |operand: &Operand| matches!(operand, Operand::Constant(_));
        let is_steady = |rule: &&Rule| rule.test.operands().iter().all(is_constant);
        let mut places = BTreeSet::new();
        let mut todo: Vec<&Shape> = self.definitions.values().collect();
        while let Some(shape) = todo.pop() {
            places.extend(shape.rules.iter().filter(is_steady).filter_map(|rule| rule.place));
            shape.form.each_part(&mut |part| todo.push(part));
        }
        places
    }
}

fn broken(structure: &str, it: &Violation, place: Span) -> Diagnostic {
    // A definition has a number behind its name where several structs are called alike.
    let path = it.path.dotted(structure.split('@').next().unwrap_or(structure));
    let value = it.found.as_deref().unwrap_or_default();
    let message = format!("the default {value} of `{path}` breaks its own rule: {}", it.message());
    Code::BrokenDefault.at(place, message).help("every message without the field is refused")
}
