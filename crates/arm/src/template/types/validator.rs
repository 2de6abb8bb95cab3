//! Validators: functions of the template and lambdas that decide whether a value will do.

use smol_str::SmolStr;

use crate::evaluate::{
    Answer, Cause, Environment, EvaluateError, Evaluator, Inside, Moment, Scope, UserFunction,
};
use crate::template::json::{Json, Span};
use crate::template::{Function, Template};
use crate::{Expression, Value};

/// A validator as it is written on a type.
#[derive(Clone, Debug)]
pub struct Validator {
    /// What decides.
    pub kind: ValidatorKind,
    /// Where it stands.
    pub span: Span,
}

/// What decides about a value.
#[derive(Clone, Debug)]
pub enum ValidatorKind {
    /// `userDefinedConstraint`: a function of the template, which gives `{"kind": "success"}`, or
    /// `{"kind": "failure", "errorMessage": ".."}`.
    Function {
        /// The function's namespace.
        namespace: SmolStr,
        /// The function's name.
        name: SmolStr,
        /// What it is given besides the value.
        arguments: Vec<Json>,
    },
    /// `validate`: a lambda that gives a truth value.
    Lambda {
        /// The lambda.
        lambda: Expression,
        /// What to say of a value that it refuses.
        message: Option<Json>,
    },
}

/// What a validator says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// The value will do.
    Accepted,
    /// It will not, in the words of the template's author.
    Refused(String),
    /// The validator itself is wrong.
    Invalid(String),
    /// The validator could not be evaluated.
    Failed(EvaluateError),
    /// What it depends on is not known yet.
    Unknown,
}

impl Validator {
    /// Asks the validator about a value.
    pub(super) fn judge(&self, template: &Template, value: &Value, evaluator: &Evaluator<'_>) -> Verdict {
        let result = match &self.kind {
            ValidatorKind::Function { namespace, name, arguments } => {
                let Some(function) = template.functions.get(&format!("{namespace}.{name}")) else {
                    return Verdict::Invalid(format!("the function '{namespace}.{name}' is not found"));
                };
                call(function, value, arguments, evaluator)
            }
            ValidatorKind::Lambda { lambda, message } => test(lambda, message.as_ref(), value, evaluator),
        };
        match result {
            Ok(verdict) => verdict,
            Err(error) if *error.cause() == Cause::Unknown => Verdict::Unknown,
            Err(error) => Verdict::Failed(error),
        }
    }
}

fn call(
    function: &Function,
    value: &Value,
    arguments: &[Json],
    evaluator: &Evaluator<'_>,
) -> Result<Verdict, EvaluateError> {
    let mut values = vec![value.clone()];
    for argument in arguments {
        let Some(expression) = argument.to_expression() else { return Ok(Verdict::Unknown) };
        values.push(match argument.as_value() {
            Some(value) => value.clone(),
            None => evaluator.evaluate(&expression)?,
        });
    }
    let inside =
        Inside { outer: evaluator.environment(), names: &function.call.parameters, arguments: &values };
    let result = evaluator.within(&inside, |evaluator| evaluator.evaluate(&function.call.body))?;
    let result = result.expose();
    let name = format!("{}.{}", function.namespace, function.name);
    let member = |name: &str| result.as_object().and_then(|object| object.get(name)).and_then(Value::as_str);
    Ok(match (member("kind"), member("errorMessage")) {
        (Some("success"), _) => Verdict::Accepted,
        (Some("failure"), Some(message)) => Verdict::Refused(message.to_owned()),
        (Some("failure"), None) => Verdict::Invalid(format!(
            "the validator '{name}' gave a failure without the string 'errorMessage'"
        )),
        (Some(_), _) => Verdict::Invalid(format!(
            "the validator '{name}' gave an object whose 'kind' is neither 'success' nor 'failure'"
        )),
        (None, _) if result.as_object().is_some() => {
            Verdict::Invalid(format!("the validator '{name}' gave an object without the string 'kind'"))
        }
        (None, _) => Verdict::Invalid(format!(
            "the validator '{name}' gave a value of type '{}' instead of an object",
            result.kind()
        )),
    })
}

/// The name of the parameter by which a lambda is given its value; nobody can declare it.
const VALUE: &str = "\u{0}value";

fn test(
    lambda: &Expression,
    message: Option<&Json>,
    value: &Value,
    evaluator: &Evaluator<'_>,
) -> Result<Verdict, EvaluateError> {
    let values = Expression::call("parameters", [Expression::text(VALUE)]);
    let all = Expression::call("map", [values, lambda.clone()]);
    let given = Given { outer: evaluator.environment(), value };
    let result = evaluator.within(&given, |evaluator| evaluator.evaluate(&all))?.expose();
    match result.as_array() {
        Some([Value::Bool(true)]) => Ok(Verdict::Accepted),
        Some([Value::Bool(false)]) => {
            let message = match message.and_then(Json::to_expression) {
                Some(message) => evaluator.evaluate(&message)?.expose().as_str().map(str::to_owned),
                None => None,
            };
            Ok(Verdict::Refused(
                message.unwrap_or_else(|| "The value is refused by its validator.".to_owned()),
            ))
        }
        _ => Ok(Verdict::Invalid("the lambda of 'validate' did not give a bool".to_owned())),
    }
}

/// What a lambda sees: all that is around it, and its value.
struct Given<'e> {
    outer: &'e dyn Environment,
    value: &'e Value,
}

impl Environment for Given<'_> {
    fn parameter(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        if name == VALUE {
            return Ok(Answer::Value(Value::array(vec![self.value.clone()])));
        }
        self.outer.parameter(name, evaluator)
    }

    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        self.outer.variable(name, evaluator)
    }

    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        self.outer.function(namespace, name)
    }

    fn check_arguments(
        &self,
        namespace: &str,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<(), EvaluateError> {
        self.outer.check_arguments(namespace, name, arguments, evaluator)
    }

    fn check_result(
        &self,
        namespace: &str,
        name: &str,
        result: &Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<(), EvaluateError> {
        self.outer.check_result(namespace, name, result, evaluator)
    }

    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Result<Answer, EvaluateError> {
        self.outer.host(name, arguments, evaluator)
    }

    fn scope(&self) -> Scope {
        self.outer.scope()
    }

    fn now(&self) -> Option<Moment> {
        self.outer.now()
    }

    fn is_timeless(&self) -> bool {
        self.outer.is_timeless()
    }

    fn new_guid(&self) -> Option<[u8; 16]> {
        self.outer.new_guid()
    }
}
