//! Validators: functions of the template and lambdas that decide whether a value will do.

use contract::{Boundary, Path};
use diagnostics::Message;
use smol_str::SmolStr;

use super::{AdmissionError, BreachKind, TypeViolation};
use crate::evaluate::{
    Cause, Environment, EnvironmentValue, EvaluateError, Evaluator, Reduced, UserFunctionEnvironment,
    forwarded, unknown,
};
use crate::template::json::{Span, TemplateNode};
use crate::template::{Function, Template};
use crate::{Expression, Value};

/// A validator as it is written on a type.
#[derive(Clone, Debug)]
pub struct Validator {
    /// The function or the lambda that decides.
    pub kind: ValidatorKind,
    /// The bytes of the validator, by which errors point at it.
    pub span: Span,
}

/// What decides about a value.
#[derive(Clone, Debug)]
pub enum ValidatorKind {
    /// `userDefinedConstraint`: a function of the template, which gives `{"kind": "success"}`, or
    /// `{"kind": "failure", "errorMessage": ".."}`.
    Function {
        /// The namespace of a function of the template.
        namespace: SmolStr,
        /// The name in that namespace.
        name: SmolStr,
        /// What it is given besides the value.
        arguments: Vec<TemplateNode>,
    },
    /// `validate`: a lambda that gives a truth value.
    Lambda {
        /// The lambda, which has the value as its only parameter.
        lambda: Expression,
        /// What to say of a value that it refuses.
        message: Option<TemplateNode>,
    },
}

/// What a validator says.
#[derive(Clone, Debug, Default)]
pub(super) enum Decision {
    /// The value will do.
    #[default]
    Accepted,
    /// It will not, in the words of the template's author.
    Refused(Vec<ValidatorMessage>),
    /// The validator itself is wrong.
    Invalid(String),
    /// The validator could not be evaluated; why is not told if that would tell of a secret.
    Failed(Option<EvaluateError>),
    /// What it depends on is not known yet.
    Unknown,
}

/// Why a value is refused.
#[derive(Clone, Debug)]
pub(super) struct ValidatorMessage {
    /// In the author's words, with masks in the place of secrets.
    pub(super) text: Message,
    /// The way to the part of the value that is refused.
    pub(super) path: Path,
    /// Whether it is the type of the validator's parameter that refuses the value.
    pub(super) of_parameter: bool,
}

impl ValidatorMessage {
    fn new(text: Message) -> ValidatorMessage {
        ValidatorMessage { text, path: Path::default(), of_parameter: false }
    }
}

/// How many levels the call of a validator counts as. The types of its parameters may have validators, too, which are
/// asked more than once when they refuse: each level makes the work a multiple of what it was.
const LEVELS: usize = 60;

impl Validator {
    /// Asks the validator about a value, whose secrets are marked: they are in none of its words.
    pub(super) fn run(&self, template: &Template, value: &Value, evaluator: &Evaluator<'_>) -> Decision {
        let mut has_secret = value.has_secret();
        let result = evaluator.for_people(|| {
            let given = self.given(evaluator)?;
            has_secret |= given.iter().any(Value::has_secret);
            evaluator.count(1 + value.size() / 16)?;
            evaluator.deeper(LEVELS, || match &self.kind {
                ValidatorKind::Function { namespace, name, .. } => match template.function(namespace, name) {
                    Some(function) => call(template, function, value, given, evaluator),
                    None => Ok(Decision::Invalid(format!(
                        "the validator '{namespace}.{name}' is not a function of the template"
                    ))),
                },
                ValidatorKind::Lambda { lambda, .. } => test(lambda, given.first(), value, evaluator),
            })
        });
        match result {
            Ok(decision) => decision,
            Err(error) if *error.cause() == Cause::Unknown => Decision::Unknown,
            Err(_) if has_secret => Decision::Failed(None),
            Err(error) => Decision::Failed(Some(error)),
        }
    }

    /// What the validator is given besides the value. It sees what default values see, also where a function is called.
    fn given(&self, evaluator: &Evaluator<'_>) -> Result<Vec<Value>, EvaluateError> {
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
    given: Vec<Value>,
    evaluator: &Evaluator<'_>,
) -> Result<Decision, EvaluateError> {
    let name = format!("{}.{}", function.namespace, function.name);
    let outer = root(evaluator.environment());
    let mut values = Vec::with_capacity(1 + given.len());
    let mut reasons = Vec::new();
    let parameters = function.parameters.iter().zip(&function.call.parameters);
    let all = std::iter::once(value.clone()).chain(given);
    for (place, ((ty, parameter), value)) in parameters.zip(all).enumerate() {
        let admitted =
            evaluator.within(outer, |evaluator| template.admit(Boundary::Argument, ty, value, evaluator));
        let breaches = match admitted {
            Ok(admitted) => {
                values.push(admitted);
                continue;
            }
            Err(AdmissionError::Unknown(_)) => return Ok(Decision::Unknown),
            Err(AdmissionError::Broken(breaches)) => breaches,
        };
        for breach in breaches {
            match breach.kind {
                // What the type of its parameter refuses, the validator refuses.
                BreachKind::Refused if place == 0 => {
                    let TypeViolation { message: text, path, .. } = breach;
                    reasons.push(ValidatorMessage { text, path, of_parameter: true });
                }
                BreachKind::Failed => {
                    let unsaid = EvaluateError::new(
                        Cause::Argument(name.into()),
                        breach.message.fragment().to_owned(),
                    );
                    return Err(breach.why.unwrap_or(unsaid));
                }
                BreachKind::Refused | BreachKind::Type | BreachKind::Validator | BreachKind::Duplicate => {
                    return Ok(Decision::Invalid(format!(
                        "the validator '{name}' cannot be called: the value for its parameter '{parameter}' is not valid: {}",
                        breach.message.fragment()
                    )));
                }
            }
        }
    }
    if !reasons.is_empty() {
        return Ok(Decision::Refused(reasons));
    }
    let inside = UserFunctionEnvironment { outer, names: &function.call.parameters, arguments: &values };
    let result = evaluator.within(&inside, |evaluator| evaluator.evaluate(&function.call.body))?;
    let parts = result.plain().as_object();
    let member = |name: &str| parts.and_then(|object| object.get(name));
    let text = |name: &str| member(name).and_then(|value| value.plain().as_str());
    Ok(match (text("kind"), member("errorMessage").filter(|message| message.plain().as_str().is_some())) {
        (Some("success"), _) => Decision::Accepted,
        (Some("failure"), Some(message)) => {
            // In a result that is a secret as a whole, the message is one.
            let shown = if result.is_secret() { None } else { evaluator.shown(message) };
            Decision::Refused(vec![ValidatorMessage::new(
                shown.map_or_else(|| Message::sentence(REFUSED), |text| Message::from(&*text)),
            )])
        }
        (Some("failure"), None) => Decision::Invalid(format!(
            "the validator '{name}' returned an invalid value: a failure without the string 'errorMessage'"
        )),
        (Some(_), _) => Decision::Invalid(format!(
            "the validator '{name}' returned an invalid value: an object whose 'kind' is neither 'success' nor 'failure'"
        )),
        (None, _) if parts.is_some() => Decision::Invalid(format!(
            "the validator '{name}' returned an invalid value: an object without the string 'kind'"
        )),
        (None, _) => Decision::Invalid(format!(
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
) -> Result<Decision, EvaluateError> {
    let values = Expression::call("parameters", [Expression::text(VALUE)]);
    let all = Expression::call("map", [values, lambda.clone()]);
    let given = LambdaEnvironment { outer: root(evaluator.environment()), value };
    let result = evaluator.within(&given, |evaluator| evaluator.evaluate(&all))?.expose();
    match result.as_array() {
        Some([Value::Bool(true)]) => Ok(Decision::Accepted),
        Some([Value::Bool(false)]) => {
            let text = message.and_then(|message| evaluator.shown(message));
            Ok(Decision::Refused(vec![ValidatorMessage::new(
                text.map_or_else(|| Message::sentence(REFUSED), |text| Message::from(&*text)),
            )]))
        }
        _ => Ok(Decision::Invalid("the lambda of 'validate' did not give a bool".to_owned())),
    }
}

/// What is said of a value that is refused without words of the author.
pub(super) const REFUSED: &str = "The value is refused by its validator";

/// What a lambda sees: all that is around it, and its value.
struct LambdaEnvironment<'e> {
    outer: &'e dyn Environment,
    value: &'e Value,
}

impl Environment for LambdaEnvironment<'_> {
    fn parameter(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        if name == VALUE {
            return Ok(EnvironmentValue::Value(Value::array(vec![self.value.clone()])));
        }
        self.outer.parameter(name, evaluator)
    }

    fn outside(&self) -> Option<&dyn Environment> {
        Some(self.outer)
    }

    forwarded!(outer: variable, function, extra_function, admit, host, scope, now, is_timeless, new_guid);
}
