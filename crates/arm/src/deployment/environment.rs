//! What the expressions of a template see: parameters, variables, functions, loops, and the deployment around them.

use std::cell::RefCell;

use contract::Admitted;
use smol_str::SmolStr;

use super::defaults_environment;
use super::walk;
use super::{Deployment, partial::Partial};
use crate::binding;
use crate::evaluate::{
    Cause, Environment, EnvironmentValue, EvaluateError, Evaluator, ExtraFunction, FunctionRole, Reduced,
    Scope, UserFunction,
};
use crate::expression::{Expression, FunctionCall};
use crate::template::{Feature, Template, VariableValue};
use crate::value::{Value, equal_ignoring_case};

/// The copy loops around an expression, the innermost first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loops<'l> {
    pub(super) outer: Option<&'l Loops<'l>>,
    pub(super) name: &'l str,
    pub(super) index: usize,
    pub(super) kind: LoopKind,
}

/// How a loop is known to `copyIndex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LoopKind {
    /// There is no loop.
    None,
    /// A loop over resources or an output: `copyIndex()` means it.
    Plain,
    /// A loop over a property or a variable, which has to be named where it stands inside another loop.
    Named,
    /// The same of which nobody knows how often it goes round, and so not where it is.
    Open,
}

impl Loops<'_> {
    pub(super) const NONE: Loops<'static> = Loops { outer: None, name: "", index: 0, kind: LoopKind::None };

    fn find(&self, wanted: impl Fn(&Loops<'_>) -> bool) -> Option<EnvironmentValue> {
        let mut at = Some(self);
        while let Some(loops) = at {
            if loops.kind != LoopKind::None && wanted(loops) {
                return Some(loops.answer());
            }
            at = loops.outer;
        }
        None
    }

    /// What `copyIndex` says of the loop.
    fn answer(&self) -> EnvironmentValue {
        match self.kind {
            LoopKind::None | LoopKind::Plain | LoopKind::Named => {
                EnvironmentValue::Value(Value::Int(self.index as i64))
            }
            LoopKind::Open => EnvironmentValue::Expression(Expression::call(
                "lambdaVariables",
                [Expression::text(self.name)],
            )),
        }
    }
}

/// Answers the functions that ask for resources.
pub(super) trait Resources {
    /// The answer of `reference`, `references`, `list*`, `resourceInfo` or `target`; none if it is none of them.
    fn call(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<Option<EnvironmentValue>, EvaluateError>;
}

/// Where no resource can be asked for.
pub(super) struct NoResources;

impl Resources for NoResources {
    fn call(
        &self,
        _: &str,
        _: &[Value],
        _: &Evaluator<'_>,
    ) -> Result<Option<EnvironmentValue>, EvaluateError> {
        Ok(None)
    }
}

/// The environment of the expressions of one deployment.
#[derive(Clone, Copy)]
pub(super) struct DeploymentEnvironment<'a> {
    pub(super) deployment: &'a Deployment,
    pub(super) loops: &'a Loops<'a>,
    pub(super) resources: &'a dyn Resources,
    /// The variables that are being evaluated, the innermost last.
    pub(super) busy: &'a RefCell<Vec<usize>>,
}

impl DeploymentEnvironment<'_> {
    /// The deployment whose parameters and surroundings the expressions see.
    fn of_expressions(&self) -> &Deployment {
        self.deployment.outer.as_ref().map_or(self.deployment, |outer| outer.innermost())
    }

    /// A variable, evaluated once for all who ask.
    fn variable_at(
        &self,
        position: usize,
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        let deployment = self.deployment;
        let Some(slot) = deployment.variables.get(position) else {
            return Err(EvaluateError::missing_variable(""));
        };
        if let Some(answer) = slot.get() {
            return Ok(answer.clone());
        }
        let Some(variable) = deployment.template.variables.at(position) else {
            return Err(EvaluateError::missing_variable(""));
        };
        if self.busy.borrow().contains(&position) {
            return Err(self.variable_cycle(position));
        }
        self.busy.borrow_mut().push(position);
        let mark = evaluator.mark();
        // A variable sees no loop but its own.
        let inside = DeploymentEnvironment { loops: &Loops::NONE, ..*self };
        let result = evaluator.within(&inside, |evaluator| match &variable.value {
            VariableValue::Json(json) => walk::reduce(&inside, evaluator, json),
            VariableValue::Loop(copy) => walk::iterations(&inside, evaluator, copy),
        });
        self.busy.borrow_mut().pop();
        let answer = match result.map(Partial::into_reduced) {
            Ok(Reduced::Value(value)) => EnvironmentValue::Value(value),
            Ok(Reduced::Expression(expression)) if expression.is_large() => EnvironmentValue::Unknown,
            Ok(Reduced::Expression(expression)) => EnvironmentValue::Expression(expression),
            // How long a loop is may be known to the run time alone.
            Err(located)
                if *located.error.cause() == Cause::Unknown
                    && deployment.context.unresolved == super::Unresolved::Keep =>
            {
                return Ok(EnvironmentValue::Unknown);
            }
            Err(located) => return Err(located.error.in_variable(&variable.name)),
        };
        // What an attempt or a question left open may become known later.
        if matches!(answer, EnvironmentValue::Value(_)) {
            let path = || format!("variables.{}", variable.name);
            evaluator.hand_over(mark, &deployment.held, path)?;
            let _ = slot.set(answer.clone());
        }
        Ok(answer)
    }

    fn variable_cycle(&self, position: usize) -> EvaluateError {
        let busy = self.busy.borrow();
        let from = busy.iter().position(|other| *other == position).unwrap_or(0);
        let names = busy.iter().skip(from).chain([&position]);
        let names = names.filter_map(|at| self.deployment.template.variables.at(*at));
        let cycle: Vec<&str> = names.map(|variable| variable.name.as_str()).collect();
        let message = format!(
            "the variable `{}` depends on itself: {}",
            cycle.first().unwrap_or(&""),
            cycle.join(" -> ")
        );
        EvaluateError::of_variable(Cause::TooDeep, message)
    }
}

impl DeploymentEnvironment<'_> {
    /// The template that defines a function: the deployment's own, or the one around it.
    fn template_with(&self, call: &FunctionCall) -> &Template {
        let own = &self.deployment.template;
        match &self.deployment.outer {
            Some(outer) if own.called(call).is_none() => &outer.deployment.template,
            _ => own,
        }
    }
}

impl Environment for DeploymentEnvironment<'_> {
    fn parameter(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        let deployment = self.of_expressions();
        let position = deployment.template.parameters.position(name);
        match position.and_then(|at| deployment.parameters.get(at)) {
            Some(answer) => Ok(answer.clone()),
            None => Err(EvaluateError::missing_parameter(name)),
        }
    }

    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        if let Some(outer) = &self.deployment.outer {
            // Inner variables come first: they are made from the outer ones.
            if let Some(position) = self.deployment.template.variables.position(name)
                && outer.deployment.template.variables.position(name).is_none()
            {
                return self.variable_at(position, evaluator);
            }
            return outer.around(self, |around| around.variable(name, evaluator));
        }
        match self.deployment.template.variables.position(name) {
            Some(position) => self.variable_at(position, evaluator),
            None => Err(EvaluateError::missing_variable(name)),
        }
    }

    fn variable_of_function(
        &self,
        name: &str,
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        if !self.deployment.template.version.has(Feature::FunctionsCallFunctions) {
            return Err(EvaluateError::not_allowed_here("variables"));
        }
        self.variable(name, evaluator)
    }

    fn management_group(&self) -> Option<SmolStr> {
        let context = &self.of_expressions().context;
        let mock = context.mocks.object("managementGroup")?;
        mock.as_object()?.get("name")?.as_str().map(SmolStr::new)
    }

    fn copy_index(&self, loop_name: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        let found = match loop_name {
            Some(name) => self.loops.find(|loops| equal_ignoring_case(loops.name, name)),
            None => {
                self.loops.find(|loops| loops.kind == LoopKind::Plain).or_else(|| self.loops.find(|_| true))
            }
        };
        match (found, &self.deployment.outer) {
            (Some(answer), _) => Ok(answer),
            (None, Some(outer)) => outer.around(self, |around| around.copy_index(loop_name)),
            (None, None) => Err(match loop_name {
                Some(name) => {
                    let message = format!("there is no copy loop `{name}` around `copyIndex`");
                    EvaluateError::new(Cause::NotAllowedHere("copyIndex".into()), message)
                }
                None => EvaluateError::not_allowed_here("copyIndex"),
            }),
        }
    }

    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        let deployment = self.deployment;
        let full = smol_str::format_smolstr!("{namespace}.{name}");
        let own = deployment.template.functions.get(&full).map(|function| &function.call);
        own.or_else(|| deployment.outer.as_ref()?.deployment.template.functions.get(&full).map(|f| &f.call))
    }

    fn extra_function(&self, namespace: &str, name: &str) -> Option<ExtraFunction> {
        self.of_expressions().context.extra_functions.find(namespace, name)
    }

    fn admit(
        &self,
        call: &FunctionCall,
        role: FunctionRole,
        value: Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, EvaluateError> {
        binding::admit_passed(self.template_with(call), call, role, value, evaluator)
    }

    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        if let Some(answer) = self.resources.call(name, arguments, evaluator)? {
            return Ok(answer);
        }
        defaults_environment::call(self.of_expressions(), name, arguments)
    }

    fn scope(&self) -> Scope {
        self.of_expressions().context.scope.clone()
    }
}
