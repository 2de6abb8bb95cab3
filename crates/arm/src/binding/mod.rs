//! Values for the parameters of a template: what was given, what defaults are, and whether it fits.
//!
//! [`Inputs`] is what a parameters file, a request or a command line gives. [`bind`] puts it together with the template's
//! defaults, holds all of it against the types, and returns either values for all parameters or everything that
//! is wrong, each with its place in the values and in the template.

mod constant_validation;
pub(crate) mod entry;
mod extension_configs;
mod externals;
mod guard;
mod inputs;
mod kept;
mod names;
mod passed;
mod read;
mod resolved;
mod using_config;

use std::borrow::Cow;
use std::collections::HashMap;

use contract::{Admitted, Boundary, Constant, OpenTerms, Path, PathStep};
use diagnostics::Message;
use document::SourceValue;
use smol_str::SmolStr;

pub use constant_validation::{EarlyViolation, refused_defaults, refused_inputs, refused_values};
pub use externals::{ExternalInput, MissingInput};
pub use inputs::{Input, Inputs, LateReference, ParameterSource, SecretReference};
pub use kept::StoredParameter;
pub(crate) use kept::bind_again;
pub use passed::{admit_left, admit_passed};
pub use read::may_hold_secrets;

use names::{BindingNames, BindingState};

use crate::budget::Budget;
use crate::evaluate::{Environment, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Reduced};
use crate::template::{
    AdmissionError, BreachKind, ErrorLocation, OutputDeclaration, Parameter, Span, Template, TemplateError,
    TypeViolation, code,
};
use crate::value::Value;

/// Values for the parameters of a template.
#[derive(Clone, Debug, Default)]
pub struct BoundParameters {
    parameters: Vec<BoundParameter>,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub struct BoundParameter {
    /// The parameter's name as declared.
    pub name: SmolStr,
    /// The value, or what is left of it.
    pub value: BoundValue,
    /// Whether it was given, and is not the default.
    pub given: bool,
}

/// The value of a parameter, as far as it is known.
#[derive(Clone, Debug)]
pub enum BoundValue {
    /// It is known, and its type allows it. Secure values are secrets.
    Known(Admitted<Value>),
    /// This expression will give it; it is let in, or not, when it is there.
    Later(crate::Expression),
}

impl BoundParameters {
    /// The parameters, in the order of the template.
    pub fn iter(&self) -> std::slice::Iter<'_, BoundParameter> {
        self.parameters.iter()
    }

    /// The values in the order of the template, as a deployment answers them.
    pub(crate) fn into_answers(self) -> Vec<EnvironmentValue> {
        let answer = |parameter: BoundParameter| match parameter.value {
            BoundValue::Known(value) => EnvironmentValue::Value(value.into_inner()),
            BoundValue::Later(expression) => EnvironmentValue::Expression(expression),
        };
        self.parameters.into_iter().map(answer).collect()
    }

    /// The parameter at a position of the template.
    pub fn at(&self, position: usize) -> Option<&BoundParameter> {
        self.parameters.get(position)
    }
}

/// What binding needs besides the template and the inputs.
pub struct BindingContext<'e> {
    /// Answers what default values ask of the deployment: its scope, the time, `resourceGroup()` and the like.
    /// Parameters, variables and functions of the template are not asked for.
    pub world: &'e dyn Environment,
    /// Fetches a secret that the inputs refer to; none if it is not known now.
    pub secrets: &'e dyn Fn(&SecretReference) -> Option<Result<Value, TemplateError>>,
    /// Whether a value that is not known now is an error; if not, it stays an expression.
    pub complete: bool,
    /// How much evaluating may cost.
    pub limits: EvaluationLimits,
    /// What pays for it; none if nobody has a say beyond the limits.
    pub budget: Option<&'e Budget>,
    /// The boundary that values cross which are given, and are no defaults.
    pub boundary: Boundary,
}

/// Binds inputs to the parameters of a template.
pub fn bind(
    template: &Template,
    inputs: &Inputs,
    surroundings: &BindingContext<'_>,
) -> Result<BoundParameters, Vec<TemplateError>> {
    let mut errors = template.type_errors();
    let has_wrong_validators = errors.iter().any(|error| error.code == code::TEMPLATE_VALIDATION);
    errors.extend(unknown_parameters(template, inputs));
    errors.extend(inputs.loose_values());
    if has_wrong_validators {
        // Of every value they would say the same again.
        return Err(errors);
    }
    bound(template, inputs, surroundings, errors, |binding, position, parameter, evaluator| {
        binding.given(position, parameter, evaluator)
    })
}

/// Lets values in, each of which starts from a state.
fn bound<'b>(
    template: &'b Template,
    inputs: &'b Inputs,
    surroundings: &'b BindingContext<'b>,
    errors: Vec<TemplateError>,
    mut start: impl FnMut(&mut Binding<'_>, usize, &Parameter, &Evaluator<'_>) -> BindingState,
) -> Result<BoundParameters, Vec<TemplateError>> {
    let names = BindingNames::new(template, surroundings.world);
    let from_outside = HashMap::new();
    let values = Vec::with_capacity(template.parameters.len());
    let mut binding = Binding { template, inputs, surroundings, names: &names, from_outside, values, errors };
    Evaluator::run_on(surroundings.budget, &names, surroundings.limits, |evaluator| {
        binding.all(&mut start, evaluator);
    });
    let Binding { errors, values, .. } = binding;
    if !errors.is_empty() {
        return Err(errors);
    }
    let given = |parameter: &Parameter| {
        inputs
            .get(&parameter.name)
            .is_some_and(|input| !matches!(input.given, ParameterSource::Value(Value::Null)))
    };
    let parameters = template.parameters.iter().zip(values);
    let bound = parameters.map(|(parameter, value)| BoundParameter {
        name: parameter.name.clone(),
        value,
        given: given(parameter),
    });
    Ok(BoundParameters { parameters: bound.collect() })
}

/// Lets the value of an output out of a deployment if its type allows it.
pub fn admit_output(
    template: &Template,
    output: &OutputDeclaration,
    value: Value,
    evaluator: &Evaluator<'_>,
) -> Result<Admitted<Value>, Vec<TemplateError>> {
    // The first version of the language knows no types that take null, and outputs that are null.
    if value.is_null() && !template.version.has(crate::template::Feature::AggregateTypes) {
        return Ok(OpenTerms::admit(Boundary::Output, value));
    }
    let error = |breach: TypeViolation| {
        let message = breach.message.clone();
        let message = match breach.kind {
            BreachKind::Refused => message,
            _ => message.behind(&format!("The template output '{}' is not valid: ", output.name)),
        };
        let mut error = TemplateError::new(breach.kind.code(), message)
            .target(breach.target(&output.name))
            .at(template.location(output.span));
        error.rule = breach.rule.map(Box::new);
        error
    };
    template.admit(Boundary::Output, &output.ty, value, evaluator).map_err(|refused| match refused {
        AdmissionError::Broken(breaches) => breaches.into_iter().map(error).collect(),
        AdmissionError::Unknown(paths) => {
            paths.into_iter().map(|path| error(TypeViolation::unknown(path))).collect()
        }
    })
}

/// One error for all parameters that were given and are not there.
fn unknown_parameters(template: &Template, inputs: &Inputs) -> Option<TemplateError> {
    let unknown: Vec<&Input> =
        inputs.iter().filter(|input| template.parameters.get(&input.name).is_none()).collect();
    let first = unknown.first()?;
    let names: Vec<&str> = unknown.iter().map(|input| input.name.as_str()).collect();
    let supported: Vec<&str> = template.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let message = Message::sentence(format!(
        "The template parameters '{}' in the parameters file are not valid; they are not present in the original \
         template and can therefore not be provided at deployment time. The only supported parameters for this \
         template are '{}'",
        names.join(", "),
        supported.join(", ")
    ));
    let mut target = String::new();
    crate::template::locate::push_name(&mut target, &first.name);
    let error = TemplateError::invalid_template(message).target(target);
    Some(match inputs.location_of_name(first) {
        Some(location) => error.at(location),
        None => error,
    })
}

struct Binding<'b> {
    template: &'b Template,
    inputs: &'b Inputs,
    surroundings: &'b BindingContext<'b>,
    names: &'b BindingNames<'b>,
    /// The values of parameters, by position, in which what came from external inputs is secret: they are what errors may show.
    from_outside: HashMap<usize, Value>,
    /// What was let in, in the order of the parameters.
    values: Vec<BoundValue>,
    errors: Vec<TemplateError>,
}

impl Binding<'_> {
    fn all(
        &mut self,
        start: &mut impl FnMut(&mut Self, usize, &Parameter, &Evaluator<'_>) -> BindingState,
        evaluator: &Evaluator<'_>,
    ) {
        // What was given first: defaults may refer to it.
        for (position, parameter) in self.template.parameters.iter().enumerate() {
            let state = start(self, position, parameter, evaluator);
            self.names.set(position, state);
        }
        let most = self.template.limits().errors;
        for (position, parameter) in self.template.parameters.iter().enumerate() {
            // Without an error all of them have a value, whatever the budget says.
            let is_over =
                self.surroundings.budget.is_some_and(Budget::is_exhausted) && !self.errors.is_empty();
            if self.errors.len() >= most || is_over {
                return;
            }
            self.finish(position, parameter, evaluator);
        }
    }

    /// What the inputs say of a parameter.
    fn given(&mut self, position: usize, parameter: &Parameter, evaluator: &Evaluator<'_>) -> BindingState {
        let absent = |binding: &mut Self| {
            if parameter.default.is_some() {
                BindingState::Default
            } else if parameter.ty.nullable {
                BindingState::Ready(Reduced::Value(Value::Null))
            } else {
                binding.not_provided(parameter);
                BindingState::Broken
            }
        };
        let Some(input) = self.inputs.get(&parameter.name) else { return absent(self) };
        let value = match &input.given {
            // Null says that nothing was given, unless it is a value itself.
            ParameterSource::Value(Value::Null) if !parameter.ty.nullable => return absent(self),
            ParameterSource::Value(value) => value.clone(),
            ParameterSource::Later(expression) => {
                return BindingState::Ready(Reduced::Expression(expression.clone()));
            }
            ParameterSource::Expression(expression) => {
                match self.evaluated(parameter, input, expression, evaluator) {
                    Ok(Value::Null) if !parameter.ty.nullable => return absent(self),
                    Ok(value) => {
                        let plain = value.expose();
                        if value.has_secret() {
                            self.from_outside.insert(position, value);
                        }
                        plain
                    }
                    Err(state) => return state,
                }
            }
            ParameterSource::Reference(reference) => {
                match self.secret(parameter, input, reference, reference) {
                    Ok(value) => value,
                    Err(state) => return state,
                }
            }
            ParameterSource::LateReference(late) => {
                let mut text = |expression: &crate::Expression| {
                    let value = self.evaluated(parameter, input, expression, evaluator)?;
                    let shown = value.as_str().unwrap_or(contract::MASK).into();
                    match value.plain().as_str() {
                        Some(text) => Ok((SmolStr::from(text), shown)),
                        None => {
                            let message = Message::sentence(format!(
                                "The template parameter '{}' is not valid: the address of its secret is not a string",
                                parameter.name
                            ));
                            self.add(message, self.inputs.location(input, &Path::default()));
                            Err(BindingState::Broken)
                        }
                    }
                };
                let parts = (|| {
                    let version = late.version.as_ref().map(&mut text).transpose()?;
                    Ok((text(&late.vault)?, text(&late.secret)?, version))
                })();
                let ((vault, shown_vault), (secret, shown_secret), version) = match parts {
                    Ok(parts) => parts,
                    Err(state) => return state,
                };
                let reference =
                    SecretReference { vault, secret, version: version.map(|(version, _)| version) };
                let shown = SecretReference { vault: shown_vault, secret: shown_secret, version: None };
                match self.secret(parameter, input, &reference, &shown) {
                    Ok(value) => value,
                    Err(state) => return state,
                }
            }
        };
        // A secret from the start: whatever is computed from it is one, too.
        BindingState::Ready(Reduced::Value(self.template.sealed(&parameter.ty, value)))
    }

    /// The value of an expression of the inputs, in which what came from outside is secret.
    fn evaluated(
        &mut self,
        parameter: &Parameter,
        input: &Input,
        expression: &crate::Expression,
        evaluator: &Evaluator<'_>,
    ) -> Result<Value, BindingState> {
        let seen = self.inputs.seen_by(input.document(), self.surroundings.world);
        match evaluator.within(&seen, |evaluator| evaluator.reduce(expression)) {
            Ok(Reduced::Value(value)) => Ok(value),
            Ok(Reduced::Expression(rest)) if !self.surroundings.complete => {
                Err(BindingState::Ready(Reduced::Expression(rest)))
            }
            Ok(Reduced::Expression(rest)) => {
                self.missing_inputs(parameter, input, &rest);
                Err(BindingState::Broken)
            }
            Err(error) => {
                self.failed(parameter, self.inputs.location(input, &Path::default()), &error);
                Err(BindingState::Broken)
            }
        }
    }

    /// A secret that the inputs refer to; `shown` is its address as errors may show it.
    fn secret(
        &mut self,
        parameter: &Parameter,
        input: &Input,
        reference: &SecretReference,
        shown: &SecretReference,
    ) -> Result<Value, BindingState> {
        let at = self.inputs.location(input, &Path::default());
        if !parameter.ty.secure {
            let message = Message::sentence(format!(
                "The template parameter '{}' is not valid: only a secure parameter can refer to a secret of a key vault",
                parameter.name
            ));
            self.add(message, at);
            return Err(BindingState::Broken);
        }
        match (self.surroundings.secrets)(reference) {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => {
                self.errors.push(error);
                Err(BindingState::Broken)
            }
            None if !self.surroundings.complete => Err(unknown(parameter)),
            None => {
                let message = Message::sentence(format!(
                    "The secret '{}' of the key vault '{}' for the template parameter '{}' is not known",
                    shown.secret, shown.vault, parameter.name
                ));
                self.add(message, at);
                Err(BindingState::Broken)
            }
        }
    }

    /// Makes the value of a parameter, and lets it in if its type allows it.
    fn finish(&mut self, position: usize, parameter: &Parameter, evaluator: &Evaluator<'_>) {
        let is_default = self.names.is_default(position);
        let default_place = || parameter.default.as_ref().map(|default| self.template.location(default.span));
        // Of a value that is not known, what is known of it is looked at.
        let (value, rest) = match self.names.force(position, evaluator) {
            Ok(Some(Reduced::Value(value))) => (value, None),
            Ok(Some(Reduced::Expression(rest))) if self.surroundings.complete && is_default => {
                let message = Message::sentence(format!(
                    "The default value of the template parameter '{}' is not known: '{rest}'",
                    parameter.name
                ));
                self.add(message, default_place());
                return;
            }
            Ok(Some(Reduced::Expression(rest))) => (rest.to_parts(), Some(rest)),
            Ok(None) => return,
            Err(error) => {
                self.failed(parameter, default_place(), &error);
                return;
            }
        };
        let marks = self.from_outside.remove(&position);
        let boundary = if is_default { Boundary::Default } else { self.surroundings.boundary };
        self.names.met_broken();
        let admitted = self.template.admit_marked(boundary, &parameter.ty, value, marks.as_ref(), evaluator);
        let met_broken = self.names.met_broken();
        let refused = match (admitted, rest) {
            (Ok(_) | Err(AdmissionError::Unknown(_)), Some(rest)) => {
                self.values.push(BoundValue::Later(rest));
                return;
            }
            (Ok(admitted), None) => {
                self.values.push(BoundValue::Known(admitted));
                return;
            }
            (Err(AdmissionError::Broken(breaches)), _) => breaches,
            // A validator needs what is not known.
            (Err(AdmissionError::Unknown(_)), None) if !self.surroundings.complete => {
                self.values.push(BoundValue::Later(itself(parameter)));
                return;
            }
            (Err(AdmissionError::Unknown(paths)), None) => {
                paths.into_iter().map(TypeViolation::unknown).collect()
            }
        };
        for mut breach in refused {
            // What depends on something broken is not broken itself.
            if breach.kind == BreachKind::Failed && met_broken {
                continue;
            }
            if let Some(marks) = &marks {
                without_values(&mut breach, marks);
            }
            self.refuse(parameter, is_default, breach);
        }
    }

    fn refuse(&mut self, parameter: &Parameter, is_default: bool, breach: TypeViolation) {
        let place = |path: &Path| match is_default {
            true => self.default_location(parameter, path),
            false => self.given_location(parameter, path),
        };
        let message = breach.message.clone();
        let message = match breach.kind {
            BreachKind::Refused => message,
            _ => message.behind(&format!(
                "The provided value for the template parameter '{}' is not valid. ",
                parameter.name
            )),
        };
        let mut error =
            TemplateError::new(breach.kind.code(), message).target(breach.target(&parameter.name));
        error.at = place(&breach.path).map(Box::new);
        if let Some(first) = breach.first.as_ref().and_then(&place) {
            error =
                error.hint(format!("it is written first at line {}, column {}", first.line, first.column));
        }
        error.rule = breach.rule.map(Box::new);
        self.errors.push(error);
    }

    fn given_location(&self, parameter: &Parameter, path: &Path) -> Option<ErrorLocation> {
        self.inputs.get(&parameter.name).and_then(|input| self.inputs.location(input, path))
    }

    fn default_location(&self, parameter: &Parameter, path: &Path) -> Option<ErrorLocation> {
        let default = parameter.default.as_ref()?;
        let written = crate::template::member(self.template.source_of(&parameter.ty), "defaultValue")?;
        let inside = written_part(written, path).map(|part| part.place());
        let span = inside.map_or(default.span, Span::from);
        Some(self.template.location(span))
    }

    fn not_provided(&mut self, parameter: &Parameter) {
        let at = self.template.location(parameter.span);
        let before = format!("The value for the template parameter '{}'", parameter.name);
        let place = (at.line, at.column);
        let error = TemplateError::placed(
            code::INVALID_TEMPLATE,
            &before,
            place,
            Message::sentence(" is not provided"),
        );
        self.errors.push(error.at(at));
    }

    fn missing_inputs(&mut self, parameter: &Parameter, input: &Input, rest: &crate::Expression) {
        let keys = externals::constant_keys(rest);
        let described: Vec<String> = keys.iter().map(|key| self.inputs.describe(input, key)).collect();
        let message = Message::sentence(format!(
            "The value of the template parameter '{}' needs external inputs that are missing: {}",
            parameter.name,
            described.join(", ")
        ));
        let mut error =
            TemplateError::new(code::EXTERNAL_INPUT_MISSING, message).target(parameter.name.as_str());
        error.at = self.inputs.location(input, &Path::default()).map(Box::new);
        self.errors.push(error);
    }

    fn failed(&mut self, parameter: &Parameter, at: Option<ErrorLocation>, error: &EvaluateError) {
        // What depends on something broken is not broken itself.
        if self.names.met_broken() {
            return;
        }
        let message =
            Message::sentence(format!("The template parameter '{}' is not valid: {error}", parameter.name));
        self.add(message, at);
    }

    fn add(&mut self, message: Message, at: Option<ErrorLocation>) {
        let mut error = TemplateError::invalid_template(message);
        error.at = at.map(Box::new);
        self.errors.push(error);
    }
}

/// Takes the parts of a value that is not a secret, but came from external inputs, out of what its validators say. `marks` is the value
/// with those parts as secrets.
fn without_values(breach: &mut TypeViolation, marks: &Value) {
    /// With more texts than this in one value, looking for all of them takes too long.
    const MOST: usize = 64;
    if breach.kind != BreachKind::Refused {
        return;
    }
    let marks = with_secret_leaves(marks);
    let mut texts = Vec::new();
    let judged = crate::template::part(&marks, &breach.path).unwrap_or(&marks);
    collect_secrets(judged, &mut texts);
    if texts.len() > MOST {
        breach.message = Message::sentence("The value is refused by its validator");
        return;
    }
    // The longest first: one may be a part of another.
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let masked = |message: String, text: &String| message.replace(text, contract::MASK);
    breach.message = texts.iter().fold(breach.message.to_string(), masked).into();
}

/// The value with every secret container as a container of secrets. Recursion is bounded by how deep a value may nest.
fn with_secret_leaves(value: &Value) -> Value {
    match value.spread() {
        Value::Array(list) => Value::array(list.items().iter().map(with_secret_leaves).collect()),
        Value::Object(object) => {
            Value::object(object.iter().map(|(name, value)| (name.clone(), with_secret_leaves(value))))
        }
        leaf => leaf,
    }
}

/// The texts and numbers in a value that are secret. Recursion is bounded by how deep a value may nest.
fn collect_secrets(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Secret(inner) => match &**inner {
            Value::Text(text) if text.is_empty() => {}
            Value::Text(text) => texts.push(text.to_string()),
            other => texts.push(other.to_json()),
        },
        Value::Array(list) => list.items().iter().for_each(|item| collect_secrets(item, texts)),
        Value::Object(object) => object.iter().for_each(|(_, value)| collect_secrets(value, texts)),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Decimal(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Unknown(_) => {}
    }
}

/// A parameter that is not known yet refers to itself.
fn unknown(parameter: &Parameter) -> BindingState {
    BindingState::Ready(Reduced::Expression(itself(parameter)))
}

fn itself(parameter: &Parameter) -> crate::Expression {
    let name = crate::Expression::Text(parameter.name.clone());
    crate::Expression::call("parameters", [name])
}

/// The part of a value that a path leads to, or the innermost one on the way that is there.
fn written_part<'d>(value: SourceValue<'d>, path: &Path) -> Option<SourceValue<'d>> {
    let mut here = value;
    for step in &path.steps {
        let name: Option<Cow<'_, str>> = match step {
            PathStep::Name(name) => Some(Cow::Borrowed(name)),
            PathStep::Entry(Constant::Text(name)) | PathStep::Key(Constant::Text(name)) => {
                Some(Cow::Borrowed(name))
            }
            _ => None,
        };
        let next = match (step, name) {
            (PathStep::Index(index), _) => here.item(*index),
            (_, Some(name)) => here.member(&name).or_else(|| crate::template::member(here, &name)),
            _ => None,
        };
        match next {
            Some(next) => here = next,
            None => break,
        }
    }
    Some(here)
}
