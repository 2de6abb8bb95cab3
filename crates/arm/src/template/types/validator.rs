//! Validators: functions of the template and lambdas that decide whether a value will do.

use contract::Path;
use smol_str::SmolStr;

use super::BreachKind;
use crate::evaluate::{
    Answer, Cause, Environment, EvaluateError, Evaluator, Inside, Reduced, forwarded, unknown,
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
    Refused(Vec<Reason>),
    /// The validator itself is wrong.
    Invalid(String),
    /// The validator could not be evaluated.
    Failed(EvaluateError),
    /// What it depends on is not known yet.
    Unknown,
}

/// Why a value is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reason {
    /// In the author's words.
    pub(super) text: String,
    /// Whether the words depend on a secret other than the value.
    pub(super) tainted: bool,
    /// The way to the part of the value that is refused.
    pub(super) path: Path,
    /// Whether it is the type of the validator's parameter that refuses the value.
    pub(super) of_parameter: bool,
}

impl Reason {
    fn new(text: String, tainted: bool) -> Reason {
        Reason { text, tainted, path: Path::default(), of_parameter: false }
    }
}

/// How many levels the call of a validator counts as. The types of its parameters may have validators, too, which are
/// asked more than once when they refuse: each level makes the work a multiple of what it was.
const LEVELS: usize = 60;

impl Validator {
    /// Asks the validator about a value.
    pub(super) fn judge(&self, template: &Template, value: &Value, evaluator: &Evaluator<'_>) -> Verdict {
        match self.given(evaluator) {
            Ok(given) => self.decide(template, value, &given, evaluator),
            Err(error) => failed(error),
        }
    }

    /// What the validator is given besides the value. It sees what default values see, also where a function is
    /// called.
    pub(super) fn given(&self, evaluator: &Evaluator<'_>) -> Result<Vec<Value>, EvaluateError> {
        let written = match &self.kind {
            ValidatorKind::Function { arguments, .. } => arguments.as_slice(),
            ValidatorKind::Lambda { message, .. } => message.as_slice(),
        };
        let evaluate = |evaluator: &Evaluator<'_>| {
            let each = written.iter().map(|argument| match argument.as_value() {
                Some(value) => Ok(value.clone()),
                None => match argument.reduce(evaluator)? {
                    Reduced::Value(value) => Ok(value),
                    Reduced::Expression(rest) => Err(unknown(&rest)),
                },
            });
            each.collect()
        };
        evaluator.within(root(evaluator.environment()), evaluate)
    }

    /// Asks the validator about a value, with what it is given besides.
    pub(super) fn decide(
        &self,
        template: &Template,
        value: &Value,
        given: &[Value],
        evaluator: &Evaluator<'_>,
    ) -> Verdict {
        let result = evaluator.count(1 + value.size() / 16).and_then(|()| {
            evaluator.deeper(LEVELS, || match &self.kind {
                ValidatorKind::Function { namespace, name, .. } => match template.function(namespace, name) {
                    Some(function) => call(template, function, value, given, evaluator),
                    None => Ok(Verdict::Invalid(format!(
                        "the validator '{namespace}.{name}' is not a function of the template"
                    ))),
                },
                ValidatorKind::Lambda { lambda, .. } => test(lambda, given.first(), value, evaluator),
            })
        });
        result.unwrap_or_else(failed)
    }
}

fn failed(error: EvaluateError) -> Verdict {
    if *error.cause() == Cause::Unknown { Verdict::Unknown } else { Verdict::Failed(error) }
}

/// The outermost environment around one: that of the template.
fn root(environment: &dyn Environment) -> &dyn Environment {
    let mut here = environment;
    while let Some(outside) = here.outside() {
        here = outside;
    }
    here
}

fn call(
    template: &Template,
    function: &Function,
    value: &Value,
    given: &[Value],
    evaluator: &Evaluator<'_>,
) -> Result<Verdict, EvaluateError> {
    let name = format!("{}.{}", function.namespace, function.name);
    let values: Vec<Value> = std::iter::once(value).chain(given).cloned().collect();
    let outer = root(evaluator.environment());
    let mut reasons = Vec::new();
    let parameters = function.parameters.iter().zip(&function.call.parameters);
    for (place, ((ty, parameter), value)) in parameters.zip(&values).enumerate() {
        for breach in evaluator.within(outer, |evaluator| template.check(ty, value, evaluator)) {
            let (text, path) = (breach.message, breach.path);
            match breach.kind {
                // What the type of its parameter refuses, the validator refuses.
                BreachKind::Refused if place == 0 => {
                    reasons.push(Reason { text, tainted: false, path, of_parameter: true });
                }
                BreachKind::Failed => {
                    let why = text.strip_prefix(NO_VERDICT).unwrap_or(&text);
                    return Err(EvaluateError::new(Cause::Argument(name.into()), why.trim_end_matches('.')));
                }
                BreachKind::Refused | BreachKind::Type | BreachKind::Validator => {
                    return Ok(Verdict::Invalid(format!(
                        "the validator '{name}' cannot be called: the value for its parameter '{parameter}' is not valid: {}",
                        text.trim_end_matches('.')
                    )));
                }
            }
        }
    }
    let inside = Inside { outer, names: &function.call.parameters, arguments: &values };
    let result = match evaluator.within(&inside, |evaluator| evaluator.evaluate(&function.call.body)) {
        Ok(result) => result,
        // It was not made for such a value.
        Err(_) if !reasons.is_empty() => return Ok(Verdict::Refused(reasons)),
        Err(error) => return Err(error),
    };
    let tainted = result.has_secret();
    let result = result.expose();
    let member = |name: &str| result.as_object().and_then(|object| object.get(name)).and_then(Value::as_str);
    Ok(match (member("kind"), member("errorMessage")) {
        (Some("success"), _) if reasons.is_empty() => Verdict::Accepted,
        (Some("success"), _) => Verdict::Refused(reasons),
        (Some("failure"), Some(message)) => {
            reasons.push(Reason::new(message.to_owned(), tainted));
            Verdict::Refused(reasons)
        }
        (Some("failure"), None) => Verdict::Invalid(format!(
            "the validator '{name}' returned an invalid value: a failure without the string 'errorMessage'"
        )),
        (Some(_), _) => Verdict::Invalid(format!(
            "the validator '{name}' returned an invalid value: an object whose 'kind' is neither 'success' nor 'failure'"
        )),
        (None, _) if result.as_object().is_some() => Verdict::Invalid(format!(
            "the validator '{name}' returned an invalid value: an object without the string 'kind'"
        )),
        (None, _) => Verdict::Invalid(format!(
            "the validator '{name}' returned an invalid value: a value of type '{}' instead of an object",
            result.kind()
        )),
    })
}

/// The name of the parameter by which a lambda is given its value; nobody can declare it.
const VALUE: &str = "\u{0}value";

fn test(
    lambda: &Expression,
    message: Option<&Value>,
    value: &Value,
    evaluator: &Evaluator<'_>,
) -> Result<Verdict, EvaluateError> {
    let values = Expression::call("parameters", [Expression::text(VALUE)]);
    let all = Expression::call("map", [values, lambda.clone()]);
    let given = Given { outer: root(evaluator.environment()), value };
    let result = evaluator.within(&given, |evaluator| evaluator.evaluate(&all))?.expose();
    match result.as_array() {
        Some([Value::Bool(true)]) => Ok(Verdict::Accepted),
        Some([Value::Bool(false)]) => {
            let tainted = message.is_some_and(Value::has_secret);
            let text = message.and_then(|message| message.plain().as_str().map(str::to_owned));
            let text = text.unwrap_or_else(|| REFUSED.to_owned());
            Ok(Verdict::Refused(vec![Reason::new(text, tainted)]))
        }
        _ => Ok(Verdict::Invalid("the lambda of 'validate' did not give a bool".to_owned())),
    }
}

/// How a text begins that says that there is no verdict.
pub(super) const NO_VERDICT: &str = "The validator could not be evaluated: ";

/// What is said of a value that is refused without words of the author.
pub(super) const REFUSED: &str = "The value is refused by its validator.";

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

    fn outside(&self) -> Option<&dyn Environment> {
        Some(self.outer)
    }

    forwarded!(outer: variable, function, check, host, scope, now, is_timeless, new_guid);
}
