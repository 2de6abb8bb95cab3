//! Outputs and asserts of a deployment.

use contract::Admitted;
use diagnostics::Message;
use smol_str::SmolStr;

use super::environment::{Loops, NoResources};
use super::partial::Partial;
use super::plan::Plan;
use super::run::{Evaluation, LookupResults, Runtime};
use super::walk::{self, Located};
use super::{STEP_LIMITS, environment::DeploymentEnvironment};
use crate::binding::admit_output;
use crate::budget::Budget;
use crate::evaluate::{Cause, EvaluateError, Evaluator};
use crate::template::{OutputDeclaration, OutputValue, TemplateError, code};
use crate::value::{ObjectBuilder, Value};

/// An output with its value, once everything that it reads is known.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputResult {
    /// Its name as the template writes it.
    pub name: SmolStr,
    /// The word for its type, as the REST API writes it.
    pub type_name: Option<&'static str>,
    /// Its value; a secret if the type says so.
    pub value: Admitted<Value>,
}

/// An assert, once everything that it reads is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertResult {
    /// Its name as the template writes it.
    pub name: SmolStr,
    /// Whether it holds; one that does not fails the deployment.
    pub holds: bool,
}

impl OutputResult {
    /// The output as the REST API returns it: a secret has a type and no value.
    pub fn to_json(&self) -> Value {
        self.object(|value| if value.is_secret() { None } else { Some(value.clone()) })
    }

    /// The output as the deployment around this one sees it: with its value, secret or not.
    pub fn to_state(&self) -> Value {
        self.object(|value| Some(value.clone()))
    }

    fn object(&self, value: impl FnOnce(&Value) -> Option<Value>) -> Value {
        let mut object = ObjectBuilder::default();
        if let Some(name) = self.type_name {
            object.set("type".into(), name.into());
        }
        if let Some(value) = value(self.value.get()) {
            object.set("value".into(), value);
        }
        object.finish()
    }
}

impl Plan {
    /// Evaluates the outputs, or says what has to be looked up first.
    pub fn outputs(&self, live: &dyn LookupResults) -> Evaluation<Vec<OutputResult>> {
        self.within_budget(self.evaluate_outputs(live))
    }

    fn evaluate_outputs(&self, live: &dyn LookupResults) -> Evaluation<Vec<OutputResult>> {
        let budget = &self.deployment.context().budget;
        let mut waiting = 0_u64;
        let runtime = Runtime::new(self, live, None);
        let mut results = Vec::new();
        let mut unknown = None;
        let mut wrong: Vec<TemplateError> = Vec::new();
        for output in &self.deployment.template().outputs {
            let value = self.deployment.run(&runtime, &Loops::NONE, STEP_LIMITS, |around, evaluator| {
                evaluate(around, evaluator, output)
            });
            match value {
                Ok(None) => {}
                Ok(Some(Partial::Value(value))) => {
                    let value = Partial::Value(value);
                    if let Err(located) = hold(budget, output, &value, &mut waiting) {
                        return Evaluation::Failed(self.output_error(output, &located, None));
                    }
                    let Partial::Value(value) = value else { continue };
                    match self.finish(output, value) {
                        Ok(result) => results.push(result),
                        Err(error) => wrong.push(error),
                    }
                }
                Ok(Some(rest)) => {
                    let rest = rest.into_reduced().into_expression();
                    // Mostly something is fetched next, and then there is no error: finding its line can wait.
                    unknown.get_or_insert_with(|| {
                        (output, Located::new(crate::evaluate::unknown(&rest), output.span))
                    });
                }
                Err(located) => {
                    return Evaluation::Failed(self.output_error(
                        output,
                        &located,
                        runtime.failure(&located.error),
                    ));
                }
            }
        }
        let needs = runtime.needs.take();
        match unknown {
            _ if !needs.is_empty() => Evaluation::NeedsLookups(needs),
            _ if !wrong.is_empty() => Evaluation::Failed(together(wrong)),
            Some((output, error)) => Evaluation::Failed(self.output_error(output, &error, None)),
            None => {
                // What is too much is said by whoever looks at the budget.
                let _ = budget.send(waiting);
                Evaluation::Ready(results)
            }
        }
    }

    /// The outputs that a run of the same name left earlier, `{"type", "value"}` by name, as far as the template has them: each is let out
    /// again. One whose value was not kept has its type alone.
    pub fn kept_outputs(&self, kept: &Value) -> Result<Vec<(SmolStr, Value)>, TemplateError> {
        let mut outputs = Vec::new();
        let mut wrong = Vec::new();
        for output in &self.deployment.template().outputs {
            let entry = kept.as_object().and_then(|kept| kept.get(&output.name));
            let Some(entry) = entry.and_then(Value::as_object) else { continue };
            match entry.get("value").cloned().map(|value| self.finish(output, value)) {
                Some(Ok(result)) => outputs.push((output.name.clone(), result.to_state())),
                Some(Err(error)) => wrong.push(error),
                None => {
                    let kind = output.ty.name().map(|name| ("type", Value::from(name)));
                    outputs.push((output.name.clone(), Value::object(kind)));
                }
            }
        }
        if wrong.is_empty() { Ok(outputs) } else { Err(together(wrong)) }
    }

    /// Evaluates the asserts, or says what has to be looked up first.
    pub fn asserts(&self, live: &dyn LookupResults) -> Evaluation<Vec<AssertResult>> {
        self.within_budget(self.evaluate_asserts(live))
    }

    fn evaluate_asserts(&self, live: &dyn LookupResults) -> Evaluation<Vec<AssertResult>> {
        let runtime = Runtime::new(self, live, None);
        let mut results = Vec::new();
        let mut unknown = None;
        for assert in &self.deployment.template().asserts {
            let value = self.deployment.run(&runtime, &Loops::NONE, STEP_LIMITS, |around, evaluator| {
                walk::reduce(around, evaluator, &assert.value)
            });
            let fail = |message: &str| {
                let message = Message::sentence(format!(
                    "The template assert '{}' is not valid: {message}",
                    assert.name
                ));
                self.deployment.error(message, assert.value.span)
            };
            let value = match value {
                Ok(value) => value,
                Err(located) => {
                    let failed = runtime.failure(&located.error);
                    let error = fail(located.error.message());
                    return Evaluation::Failed(error.details(failed.into_iter().collect()));
                }
            };
            match value.known().map(Value::plain) {
                Some(Value::Bool(holds)) => {
                    results.push(AssertResult { name: assert.name.clone(), holds: *holds });
                }
                Some(other) => {
                    let message = format!("it must be a bool, not {}", crate::evaluate::article(other));
                    return Evaluation::Failed(fail(&message));
                }
                None => {
                    unknown.get_or_insert_with(|| fail("its value is not known"));
                }
            }
        }
        let needs = runtime.needs.take();
        match unknown {
            _ if !needs.is_empty() => Evaluation::NeedsLookups(needs),
            Some(error) => Evaluation::Failed(error),
            None => Evaluation::Ready(results),
        }
    }

    /// The value of an output, as its type wants it.
    pub(super) fn finish(
        &self,
        output: &OutputDeclaration,
        value: Value,
    ) -> Result<OutputResult, TemplateError> {
        let template = self.deployment.template();
        let admitted = self.deployment.run(&NoResources, &Loops::NONE, STEP_LIMITS, |_, evaluator| {
            admit_output(template, output, value, evaluator)
        });
        let value = admitted.map_err(|errors| {
            let first = errors.first().cloned();
            let first = first.unwrap_or_else(|| TemplateError::invalid_template(String::new()));
            TemplateError { code: code::OUTPUT_EVALUATION_FAILED.into(), ..first }.details(errors)
        })?;
        Ok(OutputResult { name: output.name.clone(), type_name: output.ty.name(), value })
    }

    pub(super) fn output_error(
        &self,
        output: &OutputDeclaration,
        located: &Located,
        failed: Option<TemplateError>,
    ) -> TemplateError {
        let location = self.deployment.template().location(located.span);
        let message = Message::sentence(format!(
            "The template output '{}' is not valid: {}",
            output.name, located.error
        ));
        let error = TemplateError::new(code::OUTPUT_EVALUATION_FAILED, message);
        error.at(location).target(output.name.as_str()).details(failed.into_iter().collect())
    }
}

/// One error for all outputs that are wrong.
fn together(errors: Vec<TemplateError>) -> TemplateError {
    let mut errors = errors.into_iter();
    let Some(first) = errors.next() else { return TemplateError::invalid_template(String::new()) };
    let mut details = first.details.to_vec();
    errors.for_each(|error| details.extend(error.details));
    first.details(details)
}

/// Refuses an output that is too large by itself or beside those before it, which wait to be sent; what was let in waits with them.
pub(super) fn hold(
    budget: &Budget,
    output: &OutputDeclaration,
    value: &Partial,
    waiting: &mut u64,
) -> Result<(), Located> {
    let name = || format!("outputs.{}", output.name);
    let path = || value.known().map_or_else(name, |value| value.largest_part(&name()));
    let bytes = value.written();
    budget.check_part(bytes, *waiting, path).map_err(|over| Located::new(over.into(), output.span))?;
    *waiting = waiting.saturating_add(bytes);
    Ok(())
}

/// The value of an output; none if its condition is false.
pub(super) fn evaluate(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    output: &OutputDeclaration,
) -> Result<Option<Partial>, Located> {
    if let Some(condition) = &output.condition {
        let value = walk::reduce(around, evaluator, condition)?;
        match value.known().map(Value::plain) {
            Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => return Ok(None),
            Some(other) => {
                let message =
                    format!("the condition must be a bool, not {}", crate::evaluate::article(other));
                let error = EvaluateError::new(Cause::Argument("condition".into()), message);
                return Err(Located::new(error, condition.span));
            }
            None => return Ok(Some(value)),
        }
    }
    Ok(Some(match &output.value {
        OutputValue::Json(json) => walk::reduce(around, evaluator, json)?,
        OutputValue::Loop { count, input } => {
            let count = walk::count(around, evaluator, count)?;
            walk::repeat(around, evaluator, None, count, input)?
        }
    }))
}
