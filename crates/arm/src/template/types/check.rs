//! Values held against types.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use contract::{
    Admitted, AnyView, Argument, Boundary, CheckLimits, Constant, Custom, Host, Order, Path, PathStep,
    Signature, Terms, Tested, Violation, admit,
};
use diagnostics::Message;

use super::lower::TypeContracts;
use super::validator::{Decision, ValidatorMessage};
use super::{TypeDefinition, TypeWord, Validator, ValidatorKind, words};
use crate::Value;
use crate::evaluate::{EvaluateError, Evaluator, Void};
use crate::template::error::{ErrorLocation, TemplateError, code};
use crate::template::locate::push_name;
use crate::template::{Template, TemplateLimits};

/// Something about a value that its type does not allow.
#[derive(Clone, Debug)]
pub struct TypeViolation {
    /// What is wrong, in words; secrets are masked.
    pub message: Message,
    /// The way from the value to the part that is wrong.
    pub path: Path,
    /// Where the rule stands.
    pub rule: Option<ErrorLocation>,
    /// What kind of breach it is.
    pub kind: BreachKind,
    /// The way to the member whose name is spelled in another case, where that is the breach.
    pub first: Option<Path>,
    /// Why a validator could not be evaluated, if that may be told.
    pub(crate) why: Option<EvaluateError>,
}

/// What kind of breach there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreachKind {
    /// A part of the type is broken.
    Type,
    /// A validator refuses the value, in its author's words.
    Refused,
    /// A validator does not do what validators do.
    Validator,
    /// A validator could not be evaluated.
    Failed,
    /// A member is there twice, in different case.
    Duplicate,
}

impl BreachKind {
    /// The code of the error.
    pub fn code(self) -> &'static str {
        match self {
            BreachKind::Type | BreachKind::Refused | BreachKind::Failed => code::INVALID_TEMPLATE,
            BreachKind::Validator => code::TEMPLATE_VALIDATION,
            BreachKind::Duplicate => code::DUPLICATE_MEMBER,
        }
    }
}

impl TypeViolation {
    pub(super) fn new(message: impl Into<Message>, kind: BreachKind) -> TypeViolation {
        TypeViolation {
            message: message.into(),
            path: Path::default(),
            rule: None,
            kind,
            first: None,
            why: None,
        }
    }

    /// Something must be known of a part, and is not.
    pub(crate) fn unknown(path: Path) -> TypeViolation {
        TypeViolation {
            path,
            ..TypeViolation::new(Message::sentence("The value is not known yet"), BreachKind::Type)
        }
    }

    /// The path behind the name of what has the value: `name.a[0]`.
    pub fn target(&self, name: &str) -> String {
        let mut target = name.to_owned();
        for step in &self.path.steps {
            match step {
                PathStep::Name(name) => push_name(&mut target, name),
                PathStep::Index(index) => target.push_str(&format!("[{index}]")),
                PathStep::Entry(Constant::Text(key)) | PathStep::Key(Constant::Text(key)) => {
                    push_name(&mut target, key);
                }
                PathStep::Entry(key) | PathStep::Key(key) => target.push_str(&format!("[{key}]")),
                PathStep::Secret => target.push_str(&format!("[{}]", contract::MASK)),
            }
        }
        target
    }
}

impl Template {
    /// What is wrong with the types of the template, beyond how they are written.
    pub fn type_errors(&self) -> Vec<TemplateError> {
        let error = |flaw: &contract::Flaw| {
            let mut error =
                TemplateError::invalid_template(format!("the type is not valid: {}", flaw.message));
            if let Some(hint) = &flaw.hint {
                error = error.hint(hint.to_string());
            }
            match flaw.place {
                Some(place) => error.at(self.place(place)),
                None => error,
            }
        };
        let mut errors: Vec<TemplateError> = self.types().flaws.iter().map(error).collect();
        let mut wrong = self.types().misplaced.clone();
        let arguments = self.validators.iter();
        wrong.extend(arguments.filter_map(|(start, it)| Some((*start, self.wrong_argument(it)?))));
        for (start, message) in wrong {
            let Some(validator) = self.validators.get(&start) else { continue };
            let message = Message::sentence(format!("The type is not valid: {message}"));
            let error = TemplateError::new(code::TEMPLATE_VALIDATION, message);
            errors.push(error.at(self.location(validator.span)));
        }
        errors
    }

    /// What is wrong with the constants that a validator is given besides the value.
    fn wrong_argument(&self, validator: &Validator) -> Option<String> {
        let ValidatorKind::Function { namespace, name, arguments } = &validator.kind else { return None };
        let function = self.function(namespace, name)?;
        let parameters = function.parameters.iter().zip(&function.call.parameters).skip(1);
        parameters.zip(arguments).find_map(|((ty, parameter), argument)| {
            let value = argument.as_value()?;
            let check = |evaluator: &Evaluator<'_>| {
                let admitted = self.admit(Boundary::Argument, ty, value.clone(), evaluator);
                admitted.err().map(AdmissionError::into_breaches).unwrap_or_default()
            };
            let breaches = Evaluator::run(&Void, crate::evaluate::EvaluationLimits::DEFAULT, check);
            // Other validators are asked when this one is.
            let breach = breaches.into_iter().find(|breach| breach.kind == BreachKind::Type)?;
            Some(format!(
                "the value for the parameter '{parameter}' of the validator '{namespace}.{name}' is not valid: {}",
                breach.message.fragment()
            ))
        })
    }

    /// Lets a value in if its type allows it: it gets the names that the type declares, its secrets are sealed, and then it is checked.
    ///
    /// Validators are evaluated in the environment of the evaluator.
    pub fn admit(
        &self,
        boundary: Boundary,
        ty: &TypeDefinition,
        value: Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, AdmissionError> {
        admit(boundary, &TypeTerms { template: self, ty, evaluator, marks: None }, value)
    }

    /// The same for a value of which some parts must not be shown, though they are not secrets: those that are secrets in `marks`.
    pub(crate) fn admit_marked(
        &self,
        boundary: Boundary,
        ty: &TypeDefinition,
        value: Value,
        marks: Option<&Value>,
        evaluator: &Evaluator<'_>,
    ) -> Result<Admitted<Value>, AdmissionError> {
        admit(boundary, &TypeTerms { template: self, ty, evaluator, marks }, value)
    }

    /// Everything about a value that its type does not allow, and what cannot be told yet. The value is spelled and sealed.
    fn examine(
        &self,
        ty: &TypeDefinition,
        value: &Value,
        marks: &Value,
        evaluator: &Evaluator<'_>,
    ) -> Result<(), AdmissionError> {
        if value.is_ambiguous() {
            return Err(AdmissionError::Broken(super::ambiguous::breaches(value, self.limits.errors)));
        }
        if ty.plain {
            return match (is_of_word(ty, value), value.plain()) {
                (_, Value::Unknown(_)) if ty.word.is_some() => {
                    Err(AdmissionError::Unknown(vec![Path::default()]))
                }
                (true, _) => Ok(()),
                (false, _) => Err(AdmissionError::Broken(vec![self.wrong_word(ty, value)])),
            };
        }
        // What is wrong with the types was said before any value was looked at; nothing passes such a type.
        let checker = self
            .types()
            .contract
            .as_ref()
            .and_then(|contract| contract.definition(&TypeContracts::entry(ty)));
        let Some(checker) = checker else { return Err(AdmissionError::Broken(vec![self.unusable(ty)])) };
        let bounds = CheckLimits {
            depth: CheckLimits::DEEPEST,
            violations: self.limits.errors,
            ..CheckLimits::default()
        };
        let asking = ValidatorHost::new(self, evaluator, value);
        let verdict = checker.order(Order::Document).limits(bounds).host(&asking).verdict(value.exposed());
        let violations = match verdict {
            contract::Verdict::Holds => return Ok(()),
            contract::Verdict::Unknown(paths) => return Err(AdmissionError::Unknown(paths)),
            contract::Verdict::Broken(violations) => violations,
        };
        let mut breaches: Vec<TypeViolation> = Vec::new();
        let mut told = asking.told.into_inner();
        for violation in violations {
            match violation.cause.and_then(|cause| told.decisions.get_mut(cause as usize)) {
                Some(decision) => self.refused(violation, std::mem::take(decision), &mut breaches),
                None => breaches.push(self.broken(violation, value, marks)),
            }
        }
        Err(AdmissionError::Broken(breaches))
    }

    pub(super) fn types(&self) -> &TypeContracts {
        self.types.get_or_init(|| TypeContracts::of(self))
    }

    /// Where a place of the template's document is.
    fn place(&self, place: diagnostics::Span) -> ErrorLocation {
        self.location(place.into())
    }

    /// Where a rule is in the whole document, of which the template may be a part.
    fn rule_place(&self, place: diagnostics::Span) -> ErrorLocation {
        self.location_in_document(place.into())
    }

    fn wrong_word(&self, ty: &TypeDefinition, value: &Value) -> TypeViolation {
        let message = words::expected(ty.name().unwrap_or("Any"), value);
        let node = self.document.value(ty.node);
        let place = crate::template::read::member(node, "type").unwrap_or(node).place();
        TypeViolation { rule: Some(self.rule_place(place)), ..TypeViolation::new(message, BreachKind::Type) }
    }

    fn unusable(&self, ty: &TypeDefinition) -> TypeViolation {
        let place = self.document.value(ty.node).place();
        let breach = TypeViolation::new(Message::sentence("The type cannot be used"), BreachKind::Type);
        TypeViolation { rule: Some(self.rule_place(place)), ..breach }
    }

    /// A violation in the words that people know.
    fn broken(&self, violation: Violation, value: &Value, marks: &Value) -> TypeViolation {
        let hidden = violation.is_masked() || part(marks, &violation.path).is_none_or(Value::has_secret);
        let message = words::message(&violation, exposed_part(value, &violation.path), hidden);
        let rule = violation.written.map(|place| self.rule_place(place));
        TypeViolation { path: violation.path, rule, ..TypeViolation::new(message, BreachKind::Type) }
    }

    /// What a validator says about a value, after what was said of its parts.
    fn refused(&self, violation: Violation, decision: Decision, breaches: &mut Vec<TypeViolation>) {
        let rule = violation.written.map(|written| self.rule_place(written));
        let breach = |kind, message: Message| TypeViolation {
            path: violation.path.clone(),
            rule: rule.clone(),
            ..TypeViolation::new(message, kind)
        };
        match decision {
            Decision::Accepted | Decision::Unknown => {}
            Decision::Refused(reasons) => {
                for ValidatorMessage { text, path, of_parameter } in reasons {
                    let steps = violation.path.steps.iter().cloned().chain(path.steps).collect();
                    let breach = TypeViolation { path: Path { steps }, ..breach(BreachKind::Refused, text) };
                    // What the type of a parameter refuses, the value's own type may have refused.
                    let same =
                        |known: &TypeViolation| known.path == breach.path && known.message == breach.message;
                    if !of_parameter || !breaches.iter().any(same) {
                        breaches.push(breach);
                    }
                }
            }
            Decision::Invalid(message) => {
                breaches.push(breach(BreachKind::Validator, diagnostics::sentence(&message)));
            }
            Decision::Failed(None) => {
                breaches.push(breach(
                    BreachKind::Failed,
                    Message::sentence("The validator could not be evaluated"),
                ));
            }
            Decision::Failed(Some(error)) => {
                let message = Message::sentence(format!("The validator could not be evaluated: {error}"));
                breaches.push(TypeViolation { why: Some(error), ..breach(BreachKind::Failed, message) });
            }
        }
    }
}

/// Why a value is not let in.
#[derive(Clone, Debug)]
pub enum AdmissionError {
    /// Its type does not allow it.
    Broken(Vec<TypeViolation>),
    /// That depends on the parts with these paths, which are not known yet.
    Unknown(Vec<Path>),
}

impl AdmissionError {
    /// What its type does not allow; that something is not known is no breach.
    pub fn into_breaches(self) -> Vec<TypeViolation> {
        match self {
            AdmissionError::Broken(breaches) => breaches,
            AdmissionError::Unknown(_) => Vec::new(),
        }
    }
}

/// The terms of a type.
struct TypeTerms<'t> {
    template: &'t Template,
    ty: &'t TypeDefinition,
    evaluator: &'t Evaluator<'t>,
    /// What of the value must not be shown.
    marks: Option<&'t Value>,
}

impl Terms<Value> for TypeTerms<'_> {
    type Refusal = AdmissionError;

    fn admit(&self, value: Value) -> Result<Value, AdmissionError> {
        let TypeTerms { template, ty, evaluator, marks } = *self;
        // Which of two members is meant cannot be told, so that they are not renamed.
        let value = if value.is_ambiguous() { value } else { template.spelled(ty, &value).unwrap_or(value) };
        let value = template.sealed(ty, value);
        template.examine(ty, &value, marks.unwrap_or(&value), evaluator)?;
        Ok(value)
    }
}

/// Asks the template's validators, each once about each value.
struct ValidatorHost<'e> {
    template: &'e Template,
    evaluator: &'e Evaluator<'e>,
    /// The parts of secret containers, which are not marked themselves.
    secrets: HashSet<*const Value>,
    told: RefCell<ValidatorDecisions>,
}

/// What validators said, each under a number.
#[derive(Default)]
struct ValidatorDecisions {
    decisions: Vec<Decision>,
    /// By the validator and the value.
    numbers: HashMap<(u32, *const Value), usize>,
}

impl<'e> ValidatorHost<'e> {
    fn new(template: &'e Template, evaluator: &'e Evaluator<'e>, value: &Value) -> ValidatorHost<'e> {
        let mut secrets = HashSet::new();
        if value.has_secret() && !template.validators.is_empty() {
            collect_secrets(value, false, &mut secrets);
        }
        ValidatorHost { template, evaluator, secrets, told: RefCell::default() }
    }
}

/// Finds the parts of secret containers. Recursion is bounded by how deep a value may nest.
fn collect_secrets(value: &Value, inside: bool, secrets: &mut HashSet<*const Value>) {
    if inside {
        secrets.insert(value);
    }
    match value {
        Value::Secret(inner) => match &**inner {
            Value::Array(list) => list.items().iter().for_each(|item| collect_secrets(item, true, secrets)),
            Value::Object(object) => object.iter().for_each(|(_, it)| collect_secrets(it, true, secrets)),
            _ => {}
        },
        Value::Array(list) => list.items().iter().for_each(|item| collect_secrets(item, inside, secrets)),
        Value::Object(object) => object.iter().for_each(|(_, it)| collect_secrets(it, inside, secrets)),
        _ => {}
    }
}

impl Host for ValidatorHost<'_> {
    fn signature(&self, _: &str) -> Option<Signature> {
        None
    }

    fn call(&self, function: &str, _: &[Argument<'_>]) -> Result<Constant, String> {
        Err(format!("there is no function `{function}`"))
    }

    fn test(&self, rule: &Custom, value: &dyn AnyView, _: &[Argument<'_>]) -> Tested {
        let Some(value) = value.original().and_then(<dyn Any>::downcast_ref::<Value>) else {
            return Tested::failed("the value is not one of the template engine");
        };
        let Some(validator) = self.template.validators.get(&rule.id) else {
            return Tested::failed(format!("there is no validator at offset {}", rule.id));
        };
        let key = (rule.id, std::ptr::from_ref(value));
        let known = self.told.borrow().numbers.get(&key).copied();
        let number = known.unwrap_or_else(|| {
            let decision = match self.secrets.contains(&std::ptr::from_ref(value)) {
                true => validator.run(self.template, &value.clone().secret(), self.evaluator),
                false => validator.run(self.template, value, self.evaluator),
            };
            let mut told = self.told.borrow_mut();
            let number = told.decisions.len();
            told.decisions.push(decision);
            told.numbers.insert(key, number);
            number
        });
        let told = self.told.borrow();
        let cause = u32::try_from(number).ok();
        match told.decisions.get(number) {
            Some(Decision::Accepted) => Tested::Holds,
            Some(Decision::Unknown) => Tested::Unknown,
            Some(Decision::Refused(_)) => Tested::Broken { words: String::new(), cause },
            Some(Decision::Invalid(_) | Decision::Failed(_)) | None => {
                Tested::Failed { words: String::new(), cause }
            }
        }
    }
}

/// The terms of a type that is no more than a word, and that no template declares.
impl Terms<Value> for TypeWord {
    type Refusal = AdmissionError;

    fn admit(&self, value: Value) -> Result<Value, AdmissionError> {
        if value.is_ambiguous() {
            return Err(AdmissionError::Broken(super::ambiguous::breaches(
                &value,
                TemplateLimits::DEFAULT.errors,
            )));
        }
        match has_word(Some(*self), false, &value) {
            true => Ok(value),
            false => {
                let message = words::expected(self.name(), &value);
                Err(AdmissionError::Broken(vec![TypeViolation::new(message, BreachKind::Type)]))
            }
        }
    }
}

/// Tells whether a value is what the word of a plain type says.
fn is_of_word(ty: &TypeDefinition, value: &Value) -> bool {
    has_word(ty.word, ty.nullable, value)
}

fn has_word(word: Option<TypeWord>, nullable: bool, value: &Value) -> bool {
    match (word, value.plain()) {
        (_, Value::Null) => nullable || word.is_none(),
        (None, _) => true,
        (Some(TypeWord::String), value) => matches!(value, Value::Text(_)),
        (Some(TypeWord::Int), value) => matches!(value, Value::Int(_)),
        (Some(TypeWord::Bool), value) => matches!(value, Value::Bool(_)),
        (Some(TypeWord::Array), value) => matches!(value, Value::Array(_)),
        (Some(TypeWord::Object), value) => matches!(value, Value::Object(_)),
    }
}

/// The part of a value that a path leads to, names by whatever case; a secret on the way stands for all that is inside.
pub(crate) fn part<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    follow(value, path, |here| here.is_secret())
}

/// The part of a value that a path leads to, through secrets as well.
fn exposed_part<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    follow(value, path, |_| false)
}

fn follow<'v>(value: &'v Value, path: &Path, is_end: impl Fn(&Value) -> bool) -> Option<&'v Value> {
    let mut here = value;
    for step in &path.steps {
        if is_end(here) {
            return Some(here);
        }
        here = match step {
            PathStep::Name(name) => here.plain().as_object()?.get(name)?,
            PathStep::Entry(Constant::Text(name)) => here.plain().as_object()?.get(name)?,
            PathStep::Index(index) => here.plain().as_array()?.get(*index)?,
            PathStep::Entry(_) | PathStep::Key(_) | PathStep::Secret => return None,
        };
    }
    Some(here)
}
