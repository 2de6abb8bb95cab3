//! Values of parameters that are known, or known in part, bound to a template.

use std::cell::RefCell;

use smol_str::SmolStr;

use super::Context;
use super::surroundings::Surroundings;
use crate::evaluate::{
    Answer, Cause, Environment, EvaluateError, Evaluator, Limits, Moment, Reduced, Scope, UserFunction,
};
use crate::template::{Json, JsonKind, Member, Name, Template, TemplateError};
use crate::value::{ObjectBuilder, Value};

/// Binds values to the parameters of a template, in the order of the template.
pub(super) fn bind(
    template: &Template,
    given: Vec<(SmolStr, Reduced)>,
    context: &Context,
) -> Result<Vec<Answer>, Vec<TemplateError>> {
    let mut errors = Vec::new();
    let mut slots: Vec<Slot> = template.parameters.iter().map(|_| Slot::Open).collect();
    let mut unknown: Vec<SmolStr> = Vec::new();
    for (name, value) in given {
        let Some(slot) = template.parameters.position(&name).and_then(|at| slots.get_mut(at)) else {
            unknown.push(name);
            continue;
        };
        // Null stands for no value.
        if value != Reduced::Value(Value::Null) {
            *slot = Slot::Done(match value {
                Reduced::Value(value) => Answer::Value(value),
                Reduced::Expression(expression) => Answer::Expression(expression),
            });
        }
    }
    if !unknown.is_empty() {
        let names: Vec<&str> = template.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        errors.push(TemplateError::invalid_template(format!(
            "The template parameters '{}' in the parameters file are not valid; they are not present in the original \
             template and can therefore not be provided at deployment time. The only supported parameters for this \
             template are '{}'.",
            unknown.join(", "),
            names.join(", ")
        )));
    }
    let binding = Binding { template, surroundings: Surroundings::new(context), slots: RefCell::new(slots) };
    let mut answers = Vec::with_capacity(template.parameters.len());
    for (at, parameter) in template.parameters.iter().enumerate() {
        let answer = Evaluator::run(&binding, Limits::DEFAULT, |evaluator| binding.answer(at, evaluator));
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => {
                let location = template.location(parameter.span);
                let message = match error.cause() {
                    Cause::MissingParameter(_) => format!(
                        "The value for the template parameter '{}' at line '{}' and column '{}' is not provided.",
                        parameter.name, location.line, location.column
                    ),
                    _ => format!(
                        "The template parameter '{}' is not valid: {}.",
                        parameter.name,
                        error.message()
                    ),
                };
                errors.push(
                    TemplateError::invalid_template(message).at(location).target(parameter.name.as_str()),
                );
            }
        }
    }
    if errors.is_empty() { Ok(answers) } else { Err(errors) }
}

#[derive(Clone)]
enum Slot {
    /// Nobody has asked yet.
    Open,
    /// The default is being evaluated.
    Busy,
    Done(Answer),
}

struct Binding<'b> {
    template: &'b Template,
    surroundings: Surroundings<'b>,
    slots: RefCell<Vec<Slot>>,
}

impl Binding<'_> {
    fn answer(&self, at: usize, evaluator: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        let Some(parameter) = self.template.parameters.at(at) else {
            return Err(EvaluateError::missing_parameter(""));
        };
        let slot = self.slots.borrow().get(at).cloned().unwrap_or(Slot::Open);
        let answer = match slot {
            Slot::Done(answer) => answer,
            Slot::Busy => {
                let message = format!("the default value of `{}` depends on itself", parameter.name);
                return Err(EvaluateError::new(Cause::TooDeep, message));
            }
            Slot::Open => {
                self.set(at, Slot::Busy);
                let answer = match &parameter.default {
                    Some(json) => default(json, evaluator)?,
                    None if parameter.ty.nullable => Answer::Value(Value::Null),
                    None => return Err(EvaluateError::missing_parameter(&parameter.name)),
                };
                self.set(at, Slot::Done(answer.clone()));
                answer
            }
        };
        let answer = match answer {
            Answer::Value(value) if parameter.ty.secure => Answer::Value(value.secret()),
            answer => answer,
        };
        self.set(at, Slot::Done(answer.clone()));
        Ok(answer)
    }

    fn set(&self, at: usize, slot: Slot) {
        if let Some(place) = self.slots.borrow_mut().get_mut(at) {
            *place = slot;
        }
    }
}

/// Recursion is bounded by how deep a document may nest.
fn default(json: &Json, evaluator: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
    match &json.kind {
        JsonKind::Value(value) => Ok(Answer::Value(value.clone())),
        _ => match json.to_expression() {
            Some(expression) => evaluator.answer_with(&expression),
            None => values(json, evaluator).map(Answer::Value),
        },
    }
}

/// Default values have no loops, so there is little left to do here.
fn values(json: &Json, evaluator: &Evaluator<'_>) -> Result<Value, EvaluateError> {
    match &json.kind {
        JsonKind::Value(value) => Ok(value.clone()),
        JsonKind::Expression(expression) => evaluator.evaluate(expression),
        JsonKind::Array(items) => {
            items.iter().map(|item| values(item, evaluator)).collect::<Result<_, _>>().map(Value::array)
        }
        JsonKind::Object(members) => {
            let mut object = ObjectBuilder::default();
            for member in members {
                if let Member::Property { name: Name::Text(name), value, .. } = member {
                    object.insert(name.clone(), values(value, evaluator)?);
                }
            }
            Ok(object.finish())
        }
        JsonKind::Template(_) => Ok(Value::Null),
    }
}

impl Environment for Binding<'_> {
    fn parameter(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        match self.template.parameters.position(name) {
            Some(at) => self.answer(at, evaluator),
            None => Err(EvaluateError::missing_parameter(name)),
        }
    }

    fn variable(&self, _: &str, _: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        Err(EvaluateError::not_allowed_here("variables"))
    }

    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        let full = smol_str::format_smolstr!("{namespace}.{name}");
        self.template.functions.get(&full).map(|function| &function.call)
    }

    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<Answer, EvaluateError> {
        self.surroundings.host(name, arguments, evaluator)
    }

    fn scope(&self) -> Scope {
        self.surroundings.scope()
    }

    fn now(&self) -> Option<Moment> {
        self.surroundings.now()
    }

    fn new_guid(&self) -> Option<[u8; 16]> {
        self.surroundings.new_guid()
    }
}
