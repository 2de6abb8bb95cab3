//! Values of parameters that are known, or known in part, bound to a template.

use std::sync::Arc;

use contract::Boundary;
use smol_str::SmolStr;

use super::defaults_environment::DefaultsEnvironment;
use super::{Deployment, DeploymentContext, over_budget};
use crate::Value;
use crate::binding::{self, BoundParameters, Inputs, ParameterSource, SecretReference, StoredParameter};
use crate::evaluate::{EvaluationLimits, Reduced};
use crate::template::{Template, TemplateError};

/// Fetches a secret that the inputs refer to; none if it is not known now.
pub(super) type Secrets<'s> = &'s dyn Fn(&SecretReference) -> Option<Result<Value, TemplateError>>;

/// Binds values to the parameters of a template, in the order of the template.
pub(super) fn bind(
    template: &Template,
    given: Vec<(SmolStr, Reduced)>,
    context: &DeploymentContext,
) -> Result<BoundParameters, Vec<TemplateError>> {
    let mut inputs = Inputs::default();
    for (name, value) in given {
        let given = match value {
            Reduced::Value(value) => ParameterSource::Value(value),
            Reduced::Expression(expression) => ParameterSource::Later(expression),
        };
        inputs.set_source(&name, given);
    }
    let world = DefaultsEnvironment::new(context);
    binding::bind(template, &inputs, &around(context, &world, &|_| None, Boundary::Parameter))
}

impl Deployment {
    /// Puts a deployment together from what a parameters file or a request gives.
    ///
    /// `secrets` fetches what the inputs refer to in key vaults; none if it is not known now.
    pub fn with_inputs(
        template: Arc<Template>,
        inputs: &Inputs,
        mut context: DeploymentContext,
        secrets: Secrets<'_>,
    ) -> Result<Deployment, Vec<TemplateError>> {
        context.external_inputs = inputs.external_definitions();
        let budget = context.budget.clone();
        Deployment::bound(template, inputs, context, secrets, Boundary::Parameter)
            .map_err(|errors| over_budget(&budget, errors))
    }

    /// Puts a deployment together from values that cross a boundary: its parameters, and the configuration of its extensions. All
    /// errors in both are reported together.
    pub(super) fn bound(
        template: Arc<Template>,
        inputs: &Inputs,
        mut context: DeploymentContext,
        secrets: Secrets<'_>,
        boundary: Boundary,
    ) -> Result<Deployment, Vec<TemplateError>> {
        let world = DefaultsEnvironment::new(&context);
        let around = around(&context, &world, secrets, boundary);
        let configs = inputs.extension_configs(&template, &around);
        let (configs, parameters) = both(configs, binding::bind(&template, inputs, &around))?;
        context.extension_configs = configs;
        Ok(Deployment::new(template, parameters, context))
    }
}

/// Binds what was kept of a deployment: the parameters in the order of the template, and the configuration of
/// the extensions, which is that of the context.
pub(super) fn bind_again(
    template: &Template,
    kept: Vec<StoredParameter>,
    context: &DeploymentContext,
) -> Result<(Value, BoundParameters), Vec<TemplateError>> {
    let world = DefaultsEnvironment::new(context);
    let around = around(context, &world, &|_| None, Boundary::Parameter);
    let configs = Inputs::of_configs(template, &context.extension_configs, around.complete)
        .map_err(|error| vec![error])
        .and_then(|inputs| inputs.extension_configs(template, &around));
    both(configs, binding::bind_again(template, kept, &around))
}

/// Both, or what is wrong with either.
fn both<A, B>(
    configs: Result<A, Vec<TemplateError>>,
    parameters: Result<B, Vec<TemplateError>>,
) -> Result<(A, B), Vec<TemplateError>> {
    match (configs, parameters) {
        (Ok(configs), Ok(parameters)) => Ok((configs, parameters)),
        (Ok(_), Err(errors)) | (Err(errors), Ok(_)) => Err(errors),
        (Err(mut errors), Err(others)) => {
            errors.extend(others);
            Err(errors)
        }
    }
}

/// The configuration of the extensions alone.
pub(super) fn bind_configs(
    template: &Template,
    inputs: &Inputs,
    context: &DeploymentContext,
    secrets: Secrets<'_>,
) -> Result<Value, Vec<TemplateError>> {
    let world = DefaultsEnvironment::new(context);
    inputs.extension_configs(template, &around(context, &world, secrets, Boundary::NestedParameter))
}

fn around<'a>(
    context: &'a DeploymentContext,
    world: &'a DefaultsEnvironment<'a>,
    secrets: Secrets<'a>,
    boundary: Boundary,
) -> binding::BindingContext<'a> {
    let complete = context.unresolved == super::Unresolved::Error;
    let (limits, budget) = (EvaluationLimits::DEFAULT, Some(&context.budget));
    binding::BindingContext { world, secrets, complete, limits, budget, boundary }
}
