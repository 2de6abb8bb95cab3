//! What default values see: the other parameters, the variables and the functions of their template.

use std::cell::{Cell, RefCell};

use contract::Admitted;

use crate::evaluate::{
    Cause, Environment, EnvironmentValue, EvaluateError, Evaluator, FunctionRole, Reduced, UserFunction,
    forwarded,
};
use crate::expression::FunctionCall;
use crate::template::{Feature, Template, VariableValue};
use crate::value::Value;

/// How far a parameter or a variable has come.
#[derive(Clone, Debug)]
pub(super) enum BindingState {
    /// Its default is to be evaluated when somebody asks.
    Default,
    /// Its default is being evaluated.
    Running,
    Ready(Reduced),
    /// It has no value, and that has been said.
    Broken,
}

/// The names of a template as expressions see them.
pub(super) struct BindingNames<'t> {
    template: &'t Template,
    world: &'t dyn Environment,
    parameters: RefCell<Vec<BindingState>>,
    defaults: RefCell<Vec<bool>>,
    variables: RefCell<Vec<BindingState>>,
    broken: Cell<bool>,
}

impl<'t> BindingNames<'t> {
    pub(super) fn new(template: &'t Template, world: &'t dyn Environment) -> BindingNames<'t> {
        BindingNames {
            template,
            world,
            parameters: RefCell::new(vec![BindingState::Default; template.parameters.len()]),
            defaults: RefCell::new(vec![false; template.parameters.len()]),
            variables: RefCell::new(vec![BindingState::Default; template.variables.len()]),
            broken: Cell::new(false),
        }
    }

    pub(super) fn set(&self, position: usize, state: BindingState) {
        if let Some(is_default) = self.defaults.borrow_mut().get_mut(position) {
            *is_default = matches!(state, BindingState::Default);
        }
        put(&self.parameters, position, state);
    }

    /// Whether a parameter has its default value.
    pub(super) fn is_default(&self, position: usize) -> bool {
        self.defaults.borrow().get(position).copied().unwrap_or_default()
    }

    /// Whether something broken was asked for since this was asked last.
    pub(super) fn met_broken(&self) -> bool {
        self.broken.take()
    }

    /// The value of a parameter; none if it is broken.
    pub(super) fn force(
        &self,
        position: usize,
        evaluator: &Evaluator<'_>,
    ) -> Result<Option<Reduced>, EvaluateError> {
        let state = self.parameters.borrow().get(position).cloned();
        let parameter = self.template.parameters.at(position);
        let (Some(state), Some(parameter)) = (state, parameter) else { return Ok(None) };
        match state {
            BindingState::Ready(value) => Ok(Some(value)),
            BindingState::Broken => {
                self.broken.set(true);
                Ok(None)
            }
            BindingState::Running => Err(cycle("parameter", &parameter.name)),
            BindingState::Default => {
                put(&self.parameters, position, BindingState::Running);
                let mark = evaluator.mark();
                let made = match &parameter.default {
                    Some(default) => evaluator.within(self, |evaluator| default.reduce(evaluator)),
                    None => Ok(Reduced::Value(Value::Null)),
                };
                evaluator.keep(mark, || format!("parameters.{}.defaultValue", parameter.name));
                let made = made.map(|made| match made {
                    Reduced::Value(value) => Reduced::Value(self.template.sealed(&parameter.ty, value)),
                    made @ Reduced::Expression(_) => made,
                });
                put(
                    &self.parameters,
                    position,
                    made.clone().map_or(BindingState::Broken, BindingState::Ready),
                );
                made.map(Some)
            }
        }
    }

    fn answer(
        &self,
        made: Option<Reduced>,
        what: &str,
        name: &str,
    ) -> Result<EnvironmentValue, EvaluateError> {
        match made {
            Some(Reduced::Value(value)) => Ok(EnvironmentValue::Value(value)),
            Some(Reduced::Expression(expression)) if expression.is_large() => Ok(EnvironmentValue::Unknown),
            Some(Reduced::Expression(expression)) => Ok(EnvironmentValue::Expression(expression)),
            None => {
                let message = format!("the {what} `{name}` has no value");
                Err(EvaluateError::new(Cause::MissingParameter(name.into()), message))
            }
        }
    }
}

impl Environment for BindingNames<'_> {
    fn parameter(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let Some(position) = self.template.parameters.position(name) else {
            return Err(EvaluateError::missing_parameter(name));
        };
        let made = self.force(position, evaluator)?;
        self.answer(made, "parameter", name)
    }

    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let Some(position) = self.template.variables.position(name) else {
            return Err(EvaluateError::missing_variable(name));
        };
        let state = self.variables.borrow().get(position).cloned();
        let variable = self.template.variables.at(position);
        let (Some(state), Some(variable)) = (state, variable) else {
            return Err(EvaluateError::missing_variable(name));
        };
        let made = match state {
            BindingState::Ready(value) => Some(value),
            BindingState::Broken => None,
            BindingState::Running => return Err(cycle("variable", &variable.name)),
            BindingState::Default => {
                put(&self.variables, position, BindingState::Running);
                let mark = evaluator.mark();
                let made = evaluator.within(self, |evaluator| match &variable.value {
                    VariableValue::Json(json) => json.reduce(evaluator),
                    VariableValue::Loop(copy) => copy.reduce(evaluator),
                });
                evaluator.keep(mark, || format!("variables.{}", variable.name));
                put(
                    &self.variables,
                    position,
                    made.clone().map_or(BindingState::Broken, BindingState::Ready),
                );
                Some(made?)
            }
        };
        self.answer(made, "variable", name)
    }

    fn variable_of_function(
        &self,
        name: &str,
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        if !self.template.version.has(Feature::FunctionsCallFunctions) {
            return Err(EvaluateError::not_allowed_here("variables"));
        }
        self.variable(name, evaluator)
    }

    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        self.template.function(namespace, name).map(|function| &function.call)
    }

    fn admit(
        &self,
        call: &FunctionCall,
        role: FunctionRole,
        value: Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, EvaluateError> {
        crate::binding::admit_passed(self.template, call, role, value, evaluator)
    }

    forwarded!(world: host, extra_function, scope, now, is_timeless, new_guid);
}

fn put(states: &RefCell<Vec<BindingState>>, position: usize, state: BindingState) {
    if let Some(place) = states.borrow_mut().get_mut(position) {
        *place = state;
    }
}

fn cycle(what: &str, name: &str) -> EvaluateError {
    let message = format!("Circular dependency detected on the {what} '{name}'");
    EvaluateError::new(Cause::Argument(format!("{what}s").into()), message)
}
