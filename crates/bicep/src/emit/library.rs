//! The functions that a parameters file imports, as a template: with their types, and the validators of these.
//!
//! Parameters JSON has no functions, so that their calls are made when compiling. What is passed to them and what they return crosses a
//! boundary all the same, and the engine, which knows how to hold values against types, wants a template.

use arm::evaluate::{EvaluateError, Evaluator, FunctionRole, UserFunction};
use arm::expression::FunctionCall;
use arm::template::Template;
use arm::template_text::Layered;
use arm::{Expression, Value};
use contract::Admitted;
use rustc_hash::FxHashSet;

use super::emitter::Emitter;
use super::host::EmitHost;
use super::imports::SymbolNames;
use super::unit::Unit;
use crate::constant_validation;

/// The newest version, which has all that types can say.
const VERSION: &str = "2.2-experimental";

/// The functions that a file imports.
pub(super) struct Library {
    /// None if there are none, or none that can be used.
    template: Option<Template>,
}

impl Library {
    pub(super) fn of<'u>(
        host: &'u dyn EmitHost,
        unit: &'u Unit<'u>,
        units: &'u [Unit<'u>],
        names: &'u SymbolNames<'u>,
        variables: impl Iterator<Item = &'u str>,
    ) -> Library {
        if names.items.is_empty() {
            return Library { template: None };
        }
        let mut emitter = Emitter::new(host, unit, units, names);
        emitter.library(variables);
        let written = Layered::new(emitter.out.finish(), Vec::new());
        Library { template: constant_validation::read(&written).ok() }
    }

    /// What the functions do when they are called, each with its key.
    pub(super) fn calls(&self) -> impl Iterator<Item = (String, UserFunction)> {
        let functions = self.template.iter().flat_map(|template| template.functions.iter());
        functions.map(|function| (function_key(&function.namespace, &function.name), function.call.clone()))
    }

    /// Lets a value into a function, or out of it.
    pub(super) fn admit(
        &self,
        call: &FunctionCall,
        role: FunctionRole,
        value: Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, EvaluateError> {
        arm::binding::admit_passed(self.template(call)?, call, role, value, evaluator)
    }

    /// Lets in what will be a value when the inputs are there, in a form that is checked then.
    pub(super) fn admit_left(
        &self,
        call: &FunctionCall,
        role: FunctionRole,
        left: Expression,
        evaluator: &Evaluator<'_>,
    ) -> Result<Expression, EvaluateError> {
        arm::binding::admit_left(self.template(call)?, call, role, left, evaluator)
    }

    fn template(&self, call: &FunctionCall) -> Result<&Template, EvaluateError> {
        self.template.as_ref().ok_or_else(|| EvaluateError::not_allowed_here(&call.name))
    }
}

/// What a function is known by, without regard to case.
pub(super) fn function_key(namespace: &str, name: &str) -> String {
    format!("{namespace}.{name}").to_ascii_lowercase()
}

impl Emitter<'_> {
    /// Writes the types and the functions that the file imports, and nothing else. Their variables are there by name: what their values are,
    /// the file is asked.
    fn library<'v>(&mut self, variables: impl Iterator<Item = &'v str>) {
        self.out.begin_object();
        self.text_member("$schema", self.unit.model.target.schema());
        self.text_member("languageVersion", VERSION);
        self.text_member("contentVersion", "1.0.0.0");
        self.definitions();
        self.functions();
        self.out.key("variables");
        self.out.begin_object();
        // A template cannot tell names apart that differ in case only; the file can.
        let mut known = FxHashSet::default();
        for name in variables.filter(|name| known.insert(name.to_ascii_lowercase())) {
            self.key(name);
            self.out.null();
        }
        self.out.end_object();
        self.out.key("resources");
        self.out.begin_object();
        self.out.end_object();
        self.out.end_object();
    }
}
