//! Values of parameters that are known, or known in part, bound to a template.

use smol_str::SmolStr;

use super::Context;
use super::surroundings::Surroundings;
use crate::binding::{self, Given, Inputs, SecretReference};
use crate::evaluate::{Answer, Limits, Reduced};
use crate::template::{Template, TemplateError};

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
    bind_inputs(template, &inputs, context, &|_| None)
}

/// Binds what a parameters file or a request gives to the parameters of a template.
pub(super) fn bind_inputs(
    template: &Template,
    inputs: &Inputs,
    context: &Context,
    secrets: &dyn Fn(&SecretReference) -> Option<Result<crate::Value, TemplateError>>,
) -> Result<Vec<Answer>, Vec<TemplateError>> {
    let surroundings = Surroundings::new(context);
    let complete = context.unresolved == super::Unresolved::Error;
    let around = binding::Surroundings { world: &surroundings, secrets, complete, limits: Limits::DEFAULT };
    binding::bind(template, inputs, &around).map(binding::Bound::into_answers)
}
