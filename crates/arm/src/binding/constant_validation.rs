//! What validators would say of values that are known before there is a deployment.

use contract::{Boundary, Path};
use diagnostics::Message;
use smol_str::SmolStr;

use super::names::{BindingNames, BindingState};
use super::{BindingContext, Inputs, ParameterSource, bind, unknown};
use crate::evaluate::{Environment, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Reduced};
use crate::template::{AdmissionError, BreachKind, Parameter, Template, TemplateError};
use crate::value::Value;

/// A value that a validator would refuse.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyViolation {
    /// The name of the parameter whose value is not allowed.
    pub parameter: SmolStr,
    /// The way from its value to the part that is refused.
    pub path: Path,
    /// Why, in the words of the template's author; none for a secret.
    pub message: Option<Message>,
}

/// The default values of parameters that validators would refuse, whatever the other parameters are.
///
/// `steps` is how much evaluating may cost, and then what is left of it; when nothing is left, nothing more is said.
pub fn refused_defaults(template: &Template, steps: &mut u64) -> Vec<EarlyViolation> {
    let names = BindingNames::new(template, &Nowhere);
    let parameters = || template.parameters.iter().enumerate();
    for (position, parameter) in parameters() {
        names.set(position, unknown(parameter));
    }
    let mut refused = Vec::new();
    let limits = EvaluationLimits { steps: *steps, ..EvaluationLimits::DEFAULT };
    Evaluator::run(&names, limits, |evaluator| {
        for (position, parameter) in parameters().filter(|(_, parameter)| parameter.default.is_some()) {
            names.set(position, BindingState::Default);
            refusals(template, &names, position, parameter, evaluator, &mut refused);
            names.set(position, unknown(parameter));
        }
        *steps = steps.saturating_sub(evaluator.steps());
    });
    refused
}

/// The values of parameters that validators would refuse; those that are given and not known have none. Steps
/// count as for [`refused_defaults`].
pub fn refused_values(
    template: &Template,
    given: &[(SmolStr, Option<Value>)],
    steps: &mut u64,
) -> Vec<EarlyViolation> {
    let names = BindingNames::new(template, &Nowhere);
    let mut known = Vec::new();
    for (position, parameter) in template.parameters.iter().enumerate() {
        if parameter.default.is_none() {
            names.set(position, unknown(parameter));
        }
    }
    for (name, value) in given {
        let Some(position) = template.parameters.position(name) else { continue };
        let Some(parameter) = template.parameters.at(position) else { continue };
        names.set(
            position,
            match value {
                Some(value) => {
                    known.push((position, parameter));
                    BindingState::Ready(Reduced::Value(template.sealed(&parameter.ty, value.clone())))
                }
                None => unknown(parameter),
            },
        );
    }
    let mut refused = Vec::new();
    let limits = EvaluationLimits { steps: *steps, ..EvaluationLimits::DEFAULT };
    Evaluator::run(&names, limits, |evaluator| {
        for (position, parameter) in known {
            refusals(template, &names, position, parameter, evaluator, &mut refused);
        }
        *steps = steps.saturating_sub(evaluator.steps());
    });
    refused
}

/// What a template would refuse of inputs, as far as that can be told before there is a deployment. What is not given may be given elsewhere.
pub fn refused_inputs(template: &Template, inputs: &Inputs) -> Vec<TemplateError> {
    let surroundings = BindingContext {
        world: &Nowhere,
        secrets: &|_| None,
        complete: false,
        limits: EvaluationLimits::DEFAULT,
        budget: None,
        boundary: Boundary::Parameter,
    };
    let refused = bind(template, inputs, &surroundings).err().unwrap_or_default().into_iter();
    let mut errors: Vec<TemplateError> =
        refused.filter(|error| error.at.as_ref().is_some_and(|at| inputs.holds(at))).collect();
    let needed = template.parameters.iter().filter(|it| it.default.is_none() && !it.ty.nullable);
    for input in needed.filter_map(|parameter| inputs.get(&parameter.name)) {
        if let ParameterSource::Value(Value::Null) = input.given {
            let message = Message::sentence(format!(
                "The template parameter '{}' needs a value, and null is none",
                input.name
            ));
            let error = TemplateError::invalid_template(message).target(input.name.to_string());
            errors.push(match inputs.location(input, &Path::default()) {
                Some(at) => error.at(at),
                None => error,
            });
        }
    }
    errors
}

fn refusals(
    template: &Template,
    names: &BindingNames<'_>,
    position: usize,
    parameter: &Parameter,
    evaluator: &Evaluator<'_>,
    refused: &mut Vec<EarlyViolation>,
) {
    let Ok(Some(Reduced::Value(value))) = names.force(position, evaluator) else { return };
    if value.is_null() {
        return;
    }
    let admitted = template.admit(Boundary::Default, &parameter.ty, value.clone(), evaluator);
    let breaches = admitted.err().map(AdmissionError::into_breaches).unwrap_or_default().into_iter();
    refused.extend(breaches.filter(|breach| breach.kind == BreachKind::Refused).map(|breach| {
        let secret = crate::template::part(&value, &breach.path).is_none_or(Value::has_secret);
        EarlyViolation {
            parameter: parameter.name.clone(),
            message: (!secret).then_some(breach.message),
            path: breach.path,
        }
    }));
}

/// Where nothing is deployed: what depends on it is not known.
struct Nowhere;

impl Environment for Nowhere {
    fn host(&self, _: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(EnvironmentValue::Unknown)
    }

    fn is_timeless(&self) -> bool {
        true
    }
}
