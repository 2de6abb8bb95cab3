//! Deployments: a template with its parameters in its surroundings, what has to be done for it, and in which order.
//!
//! - [`DeploymentContext`] says where a deployment goes and what functions such as `resourceGroup` answer there.
//! - [`Deployment`] puts a template, the values of its parameters and a context together.
//! - [`Plan`] expands loops and conditions, names every resource, and orders them by what they depend on.
//! - [`Plan::evaluate`] makes the request of a step. What it needs to know of resources is asked for as
//!   [`ResourceLookup`]s, so that nothing here reads or writes anything; [`Plan::outputs`] does the same for outputs.
//! - [`snapshot`] predicts all resources without deploying anything; what only the run time knows stays an expression.

mod actions;
mod cloud;
mod context;
mod defaults_environment;
mod environment;
mod foresee;
mod groups;
mod id;
mod links;
mod mocks;
mod nested;
mod nested_form;
mod nested_inputs;
mod outputs;
mod parameters;
mod partial;
mod plan;
mod reach;
mod read_members;
mod roles;
mod run;

mod snapshot;
mod step_options;
mod value;
mod walk;

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use diagnostics::Message;
use smol_str::SmolStr;

pub use actions::{ActionError, ActionSet, type_of_path};
pub use context::{
    DeploymentContext, DeploymentMode, LOCAL_DEPLOYER, LOCAL_GROUP, LOCAL_LOCATION, LOCAL_SUBSCRIPTION,
    LOCAL_TENANT, PartialContext, Unresolved,
};
pub use defaults_environment::DefaultsEnvironment;
pub use foresee::foresee;
pub use groups::{GroupReader, Groups};
pub use id::radius as radius_id;
pub use links::{Address, LinkReader, Links, Unlinked};
pub use mocks::{Mocks, Subject};
pub use nested::NestedRequest;
pub use outputs::{AssertResult, OutputResult};
pub use plan::{
    Dependency, DependencyKind, Frontier, Level, Plan, PlanStep, Skipped, StepKind, WhatIfDiagnostic,
};
pub use reach::{Rights, ScopeReach};
pub use read_members::ReadMember;
pub use run::{Evaluation, LookupResults, NoLookups, ResourceLookup, StepRequest};

pub use snapshot::{Snapshot, snapshot};
pub use step_options::{OptionArgument, OptionMeaning, StepOption};
pub use value::value_of;

use crate::binding::{BoundParameters, BoundValue, StoredParameter};
use crate::budget::{Budget, HeldMemory, Overrun};
use crate::evaluate::{EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Reduced};
use crate::expression::Expression;
use crate::template::{Span, Template, TemplateError, code};
use crate::value::Value;
use environment::{DeploymentEnvironment, Loops, NoResources, Resources};

/// A template with the values of its parameters, and everything around it.
#[derive(Debug)]
pub struct Deployment {
    template: Arc<Template>,
    /// By position in the template. An expression stands for what is not known yet.
    parameters: Vec<EnvironmentValue>,
    context: DeploymentContext,
    /// By position in the template, as far as they were asked for.
    variables: Vec<OnceLock<EnvironmentValue>>,
    /// The memory of what it keeps: parameters, variables and what its plan knows.
    held: HeldMemory,
    /// The deployment whose parameters and variables the expressions of the template see instead of its own.
    outer: Option<Outer>,
}

/// The deployment around one whose expressions are evaluated in the outer scope.
#[derive(Clone, Debug)]
struct Outer {
    deployment: Arc<Deployment>,
    /// The names and iterations of the loops around the nested deployment, the innermost first.
    loops: Vec<(SmolStr, usize)>,
    /// The resources that the outer template names.
    index: Arc<plan::Index>,
}

impl Outer {
    /// Does something in the environment of the outer deployment.
    fn around<T>(
        &self,
        inner: &DeploymentEnvironment<'_>,
        work: impl FnOnce(&DeploymentEnvironment<'_>) -> T,
    ) -> T {
        with_loops(&self.loops, &Loops::NONE, |loops| {
            work(&DeploymentEnvironment {
                deployment: &self.deployment,
                loops,
                resources: inner.resources,
                busy: &RefCell::default(),
            })
        })
    }

    /// The deployment whose surroundings the expressions see.
    fn innermost(&self) -> &Deployment {
        let mut deployment = &self.deployment;
        while let Some(outer) = &deployment.outer {
            deployment = &outer.deployment;
        }
        deployment
    }
}

/// Does something inside of loops, of which the last one is the outermost.
fn with_loops<T>(all: &[(SmolStr, usize)], outer: &Loops<'_>, work: impl FnOnce(&Loops<'_>) -> T) -> T {
    match all {
        [] => work(outer),
        [inner @ .., (name, index)] => {
            let loops = Loops { outer: Some(outer), name, index: *index, kind: environment::LoopKind::Plain };
            with_loops(inner, &loops, work)
        }
    }
}

/// What is wrong, if it is not that the budget was exceeded: then it is that alone, as all else may follow from it.
fn over_budget(budget: &Budget, errors: Vec<TemplateError>) -> Vec<TemplateError> {
    match budget_error(budget) {
        None => errors,
        Some(error) => {
            // Nothing is evaluated behind the place where it was exceeded: the last error is the one that did it.
            let last = errors.into_iter().rev().find(|error| error.at.is_some());
            let (at, target) = last.map_or((None, None), |last| (last.at, last.target));
            vec![TemplateError { at, target: error.target.clone().or(target), ..error }]
        }
    }
}

/// The same for one error.
fn over_budget_alone(budget: &Budget, error: TemplateError) -> TemplateError {
    match budget_error(budget) {
        None => error,
        Some(over) => TemplateError { at: error.at, target: over.target.or(error.target), ..over },
    }
}

/// The error of a deployment that exceeded its budget; none if it did not.
fn budget_error(budget: &Budget) -> Option<TemplateError> {
    let Overrun { message, largest, is_busy } = budget.overrun()?;
    let code = if is_busy { code::TOO_MANY_REQUESTS } else { code::BUDGET_EXCEEDED };
    let error =
        TemplateError::new(code, Message::sentence(format!("The deployment exceeds its budget: {message}")));
    Some(match largest {
        Some(path) => error.target(path),
        None => error,
    })
}

/// How much one evaluation of a resource or an output may cost.
const STEP_LIMITS: EvaluationLimits = EvaluationLimits::DEFAULT;
/// How much the plan of one deployment may cost in all.
const PLAN_LIMITS: EvaluationLimits = EvaluationLimits { steps: 400_000_000, ..EvaluationLimits::DEFAULT };

impl Deployment {
    /// Puts a deployment together from values that were let in.
    fn new(template: Arc<Template>, parameters: BoundParameters, context: DeploymentContext) -> Deployment {
        let mut deployment = Deployment::of(template, Vec::new(), context, None);
        deployment.hold_parameters(&parameters, deployment.context.depth == 0);
        deployment.parameters = parameters.into_answers();
        deployment
    }

    fn of(
        template: Arc<Template>,
        parameters: Vec<EnvironmentValue>,
        context: DeploymentContext,
        outer: Option<Outer>,
    ) -> Deployment {
        let variables = template.variables.iter().map(|_| OnceLock::new()).collect();
        let held = HeldMemory::new(&context.budget);
        Deployment { template, parameters, context, variables, held, outer }
    }

    /// Puts a deployment together again from what was kept of its parameters, in the order of the template, and of its context. Nothing is
    /// evaluated again, and everything is held against its type again.
    pub fn again(
        template: Arc<Template>,
        kept: Vec<StoredParameter>,
        mut context: DeploymentContext,
    ) -> Result<Deployment, Vec<TemplateError>> {
        let (configs, parameters) = parameters::bind_again(&template, kept, &context)
            .map_err(|errors| over_budget(&context.budget, errors))?;
        context.extension_configs = configs;
        Ok(Deployment::new(template, parameters, context))
    }

    /// Puts a deployment together from values by name; the rest are defaults.
    pub fn with_values(
        template: Arc<Template>,
        values: impl IntoIterator<Item = (SmolStr, Value)>,
        context: DeploymentContext,
    ) -> Result<Deployment, Vec<TemplateError>> {
        let values = values.into_iter().map(|(name, value)| (name, Reduced::Value(value))).collect();
        let parameters = parameters::bind(&template, values, &context)
            .map_err(|errors| over_budget(&context.budget, errors))?;
        Ok(Deployment::new(template, parameters, context))
    }

    /// The template, shared with all deployments that were made of it.
    pub fn template(&self) -> &Arc<Template> {
        &self.template
    }

    /// The scope, the name, the mode and what else the deployment knows of its surroundings.
    pub fn context(&self) -> &DeploymentContext {
        &self.context
    }

    /// The same deployment in other surroundings.
    #[must_use]
    pub fn within(&self, context: DeploymentContext) -> Deployment {
        Deployment::of(Arc::clone(&self.template), self.parameters.clone(), context, self.outer.clone())
    }

    /// The value of a parameter, or what stands for it.
    pub fn parameter(&self, name: &str) -> Option<&EnvironmentValue> {
        self.parameters.get(self.template.parameters.position(name)?)
    }

    /// Evaluates an expression in the deployment's environment, as an output that asks for no resource.
    pub fn evaluate(&self, expression: &Expression) -> Result<Value, EvaluateError> {
        self.run(&NoResources, &Loops::NONE, STEP_LIMITS, |_, evaluator| evaluator.evaluate(expression))
    }

    /// Evaluates an output that asks for no resource, as it is: its type is not asked. None if there is no output of the name.
    pub fn output(&self, name: &str) -> Option<Result<Value, TemplateError>> {
        let output = self.template.outputs.iter().find(|output| output.name == name)?;
        let value = self.run(&NoResources, &Loops::NONE, STEP_LIMITS, |around, evaluator| {
            outputs::evaluate(around, evaluator, output)
        });
        let failed = |error: &EvaluateError, span| {
            TemplateError::new(code::OUTPUT_EVALUATION_FAILED, error.message())
                .at(self.template.location(span))
        };
        Some(match value {
            Ok(None) => Ok(Value::Null),
            Ok(Some(value)) => match value.into_reduced() {
                Reduced::Value(value) => Ok(value),
                Reduced::Expression(rest) => Err(failed(&crate::evaluate::unknown(&rest), output.span)),
            },
            Err(located) => Err(failed(&located.error, located.span)),
        })
    }

    /// The value of a variable, or what is left of it.
    pub fn variable(&self, name: &str) -> Result<EnvironmentValue, EvaluateError> {
        let call = Expression::call("variables", [Expression::text(name)]);
        self.run(&NoResources, &Loops::NONE, STEP_LIMITS, |_, evaluator| evaluator.answer_with(&call))
    }

    fn run<T>(
        &self,
        resources: &dyn Resources,
        loops: &Loops<'_>,
        limits: EvaluationLimits,
        work: impl FnOnce(&DeploymentEnvironment<'_>, &Evaluator<'_>) -> T,
    ) -> T {
        let busy = RefCell::default();
        let around = DeploymentEnvironment { deployment: self, loops, resources, busy: &busy };
        Evaluator::run_on(Some(&self.context.budget), &around, limits, |evaluator| work(&around, evaluator))
    }

    /// Holds what the bound parameters take, those that were given only if they are its own and not parts of the deployment around it.
    fn hold_parameters(&self, bound: &BoundParameters, with_given: bool) {
        let kept = self.template.parameters.iter().enumerate().filter_map(|(at, parameter)| {
            let bound = bound.at(at)?;
            match &bound.value {
                BoundValue::Known(value) if with_given || !bound.given => Some((parameter, value.get())),
                BoundValue::Known(_) | BoundValue::Later(_) => None,
            }
        });
        let (mut all, mut written) = (0_u64, 0_u64);
        for (parameter, value) in kept {
            self.context
                .budget
                .note(value.bytes(), || value.largest_part(&format!("parameters.{}", parameter.name)));
            all = all.saturating_add(value.bytes());
            written = written.saturating_add(value.written());
        }
        // What is too much is said by whatever is evaluated next. What the deployment was given is kept with it.
        let _ = self.held.add(all);
        if with_given {
            let _ = self.context.budget.send(written);
        }
    }

    /// An error of the template, with its place.
    fn error(&self, message: impl Into<Message>, span: Span) -> TemplateError {
        TemplateError::new(code::INVALID_TEMPLATE, message).at(self.template.location(span))
    }
}
