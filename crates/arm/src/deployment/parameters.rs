//! Values of parameters that are known, or known in part, bound to a template.

use smol_str::SmolStr;

use super::Context;
use super::surroundings::Surroundings;
use crate::Value;
use crate::binding::{self, Given, Inputs, SecretReference};
use crate::evaluate::{Answer, Limits, Reduced};
use crate::template::{Template, TemplateError};

/// Fetches a secret that the inputs refer to; none if it is not known now.
pub(super) type Secrets<'s> = &'s dyn Fn(&SecretReference) -> Option<Result<Value, TemplateError>>;

/// Binds values to the parameters of a template, in the order of the template.
pub(super) fn bind(
    template: &Template,
    given: Vec<(SmolStr, Reduced)>,
    context: &Context,
) -> Result<Vec<Answer>, Vec<TemplateError>> {
    let mut inputs = Inputs::default();
    for (name, value) in given {
        let given = match value {
            Reduced::Value(value) => Given::Value(value),
            Reduced::Expression(expression) => Given::Later(expression),
        };
        inputs.give(&name, given);
    }
    let world = Surroundings::new(context);
    binding::bind(template, &inputs, &around(context, &world, &|_| None)).map(binding::Bound::into_answers)
}

/// Binds what a parameters file, a request or the deployment around gives to the extensions and the parameters of a template:
/// the configuration of the extensions, and the answers of the parameters.
pub(super) fn bind_inputs(
    template: &Template,
    inputs: &Inputs,
    context: &Context,
    secrets: Secrets<'_>,
) -> Result<(Value, Vec<Answer>), Vec<TemplateError>> {
    let world = Surroundings::new(context);
    let around = around(context, &world, secrets);
    let configs = inputs.extension_configs(template, &around);
    let parameters = binding::bind(template, inputs, &around).map(binding::Bound::into_answers);
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
    context: &Context,
    secrets: Secrets<'_>,
) -> Result<Value, Vec<TemplateError>> {
    let world = Surroundings::new(context);
    inputs.extension_configs(template, &around(context, &world, secrets))
}

fn around<'a>(
    context: &Context,
    world: &'a Surroundings<'a>,
    secrets: Secrets<'a>,
) -> binding::Surroundings<'a> {
    let complete = context.unresolved == super::Unresolved::Error;
    binding::Surroundings { world, secrets, complete, limits: Limits::DEFAULT }
}
