//! Values held against types.

use std::borrow::Cow;

use contract::{
    AnyView, Argument, Constant, Host, Limits as Bounds, Order, Path, PathStep, Signature, Tested, Violation,
};

use super::discreet::Secrets;
use super::lower::{Silent, Types};
use super::validator::{NO_VERDICT, REFUSED, Reason, Verdict};
use super::{Type, TypeWord, Validator, ValidatorKind};
use crate::Value;
use crate::evaluate::{Evaluator, Void};
use crate::template::Template;
use crate::template::error::{Location, TemplateError, code};
use crate::template::locate::push_name;

/// Something about a value that its type does not allow.
#[derive(Clone, Debug)]
pub struct Breach {
    /// What is wrong, in words; secrets are masked.
    pub message: String,
    /// The way from the value to the part that is wrong.
    pub path: Path,
    /// Where the rule stands.
    pub rule: Option<Location>,
    /// What kind of breach it is.
    pub kind: BreachKind,
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
}

impl BreachKind {
    /// The code of the error.
    pub fn code(self) -> &'static str {
        match self {
            BreachKind::Type | BreachKind::Refused | BreachKind::Failed => code::INVALID_TEMPLATE,
            BreachKind::Validator => code::TEMPLATE_VALIDATION,
        }
    }
}

impl Breach {
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
            let message = format!("The type is not valid: {message}.");
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
            let check = |evaluator: &Evaluator<'_>| self.check(ty, value, evaluator);
            let breaches = Evaluator::run(&Void, crate::evaluate::Limits::DEFAULT, check);
            // Other validators are asked when this one is.
            let breach = breaches.into_iter().find(|breach| breach.kind == BreachKind::Type)?;
            Some(format!(
                "the value for the parameter '{parameter}' of the validator '{namespace}.{name}' is not valid: {}",
                breach.message.trim_end_matches('.')
            ))
        })
    }

    /// Everything about a value that its type does not allow.
    ///
    /// Validators are evaluated in the environment of the evaluator.
    pub fn check(&self, ty: &Type, value: &Value, evaluator: &Evaluator<'_>) -> Vec<Breach> {
        if ty.plain && is_of_word(ty, value) {
            return Vec::new();
        }
        let plain = if value.has_secret() { Cow::Owned(value.expose()) } else { Cow::Borrowed(value) };
        if ty.plain {
            return vec![self.wrong_word(ty, value)];
        }
        let types = self.types();
        let Some(contract) = &types.contract else {
            // What is wrong with the types has been said.
            return Vec::new();
        };
        let Some(checker) = contract.definition(&Types::entry(ty)) else { return Vec::new() };
        let bounds = Bounds { depth: Bounds::DEEPEST, violations: self.limits.errors, ..Bounds::default() };
        let checker = checker.order(Order::Document).limits(bounds);
        let silent = checker.host(&Silent);
        let plain = self.spelled(ty, &plain).map_or(plain, Cow::Owned);
        let broken = silent.violations(plain.view());
        if self.validators.is_empty() {
            return broken.into_iter().map(|violation| self.broken(violation, value, &plain)).collect();
        }
        let asking = Asking { template: self, evaluator };
        let refused = checker.host(&asking).violations(plain.view());
        let mut in_order = InOrder::default();
        let mut rest = broken.iter().peekable();
        for violation in refused {
            if violation.code != "custom" {
                rest.next();
                in_order.add(self.broken(violation, value, &plain));
                continue;
            }
            if let Some(trust) = trust(&violation, &broken) {
                for said in self.refused(&violation, value, &plain, trust, evaluator) {
                    in_order.add_last(&violation.path, said);
                }
            }
        }
        // Where the validators alone have more to say than can be said.
        rest.for_each(|violation| in_order.add(self.broken(violation.clone(), value, &plain)));
        in_order.finish()
    }

    pub(super) fn types(&self) -> &Types {
        self.types.get_or_init(|| Types::of(self))
    }

    /// Where a place of the template's document is.
    fn place(&self, place: diagnostics::Span) -> Location {
        self.location(place.into())
    }

    /// Where a rule is in the whole document, of which the template may be a part.
    fn rule_place(&self, place: diagnostics::Span) -> Location {
        self.location_in_document(place.into())
    }

    fn wrong_word(&self, ty: &Type, value: &Value) -> Breach {
        let wanted = ty.name().unwrap_or("Any");
        let message = expected(wanted, value);
        let node = self.document.value(ty.node);
        let place = crate::template::read::member(node, "type").unwrap_or(node).place();
        Breach { message, path: Path::default(), rule: Some(self.rule_place(place)), kind: BreachKind::Type }
    }

    /// A violation in the words that people know.
    fn broken(&self, violation: Violation, value: &Value, plain: &Value) -> Breach {
        let hidden = violation.is_masked() || part(value, &violation.path).is_none_or(Value::has_secret);
        let found = part(plain, &violation.path);
        let shown = || match found {
            _ if hidden => contract::MASK.to_owned(),
            Some(Value::Text(text)) => shortened(text),
            Some(other) => shortened(&other.to_json()),
            None => String::new(),
        };
        let wanted = violation.wanted.as_deref().unwrap_or_default();
        let message = match violation.code {
            "type" => match (found, word_of(&violation.message)) {
                (Some(found), Some(wanted)) => expected(wanted, found),
                _ => sentence(&violation.message),
            },
            "enum" if !hidden => format!(
                "The value '{}' is not part of the allowed value(s): '{}'.",
                shown(),
                wanted.replace('"', "").replace(", ", ",")
            ),
            "enum" => "The parameter value is not part of the allowed value(s).".to_owned(),
            "minLength" => format!("Length of the value should be greater than or equal to '{wanted}'."),
            "maxLength" => format!("Length of the value should be less than or equal to '{wanted}'."),
            "minimum" => format!("The value must be at least '{wanted}'."),
            "maximum" => format!("The value must be at most '{wanted}'."),
            _ => sentence(&violation.message),
        };
        let rule = violation.written.map(|place| self.rule_place(place));
        Breach { message, path: violation.path, rule, kind: BreachKind::Type }
    }

    /// What the validator behind a violation says.
    fn refused(
        &self,
        violation: &Violation,
        value: &Value,
        plain: &Value,
        trust: Trust,
        evaluator: &Evaluator<'_>,
    ) -> Vec<Said> {
        let Some(written) = violation.written else { return Vec::new() };
        let breach = |kind, message: String, part: Path, of_parameter| {
            let steps = violation.path.steps.iter().cloned().chain(part.steps).collect();
            let rule = Some(self.rule_place(written));
            Said { breach: Breach { message, path: Path { steps }, rule, kind }, of_parameter }
        };
        let only = |kind, message: String| vec![breach(kind, message, Path::default(), false)];
        let validator = self.validators.get(&written.start);
        let (Some(validator), Some(judged)) = (validator, part(plain, &violation.path)) else {
            // The way there leads through a secret.
            return only(BreachKind::Refused, REFUSED.to_owned());
        };
        let given = match validator.given(evaluator) {
            Ok(given) => given,
            Err(_) if trust == Trust::Refusals => return Vec::new(),
            Err(error) => return only(BreachKind::Failed, format!("{NO_VERDICT}{error}.")),
        };
        let hidden = violation.is_masked();
        let original = part(value, &violation.path).unwrap_or(judged);
        match validator.decide(self, judged, &given, evaluator) {
            Verdict::Accepted | Verdict::Unknown => Vec::new(),
            Verdict::Refused(reasons) => {
                let secrets = Secrets { value: original, all: hidden, given: &given };
                let each = reasons.into_iter().map(|reason| {
                    let message = if hidden || reason.tainted || original.has_secret() {
                        let ask = |value: &Value, given: &[Value]| {
                            let verdict = validator.decide(self, value, given, evaluator);
                            let Verdict::Refused(reasons) = verdict else { return None };
                            let same = |it: &Reason| {
                                it.path == reason.path && it.of_parameter == reason.of_parameter
                            };
                            reasons.into_iter().find(same).map(|reason| reason.text)
                        };
                        secrets.discreet(&reason.text, &ask)
                    } else {
                        reason.text.clone()
                    };
                    breach(BreachKind::Refused, message, reason.path.clone(), reason.of_parameter)
                });
                each.collect()
            }
            Verdict::Invalid(_) | Verdict::Failed(_) if trust == Trust::Refusals => Vec::new(),
            Verdict::Invalid(message) => only(BreachKind::Validator, sentence(&message)),
            Verdict::Failed(_) if hidden || original.has_secret() || given.iter().any(Value::has_secret) => {
                only(BreachKind::Failed, "The validator could not be evaluated.".to_owned())
            }
            Verdict::Failed(error) => only(BreachKind::Failed, format!("{NO_VERDICT}{error}.")),
        }
    }
}

/// What a validator says.
struct Said {
    breach: Breach,
    /// Whether it is the type of the validator's parameter that says it.
    of_parameter: bool,
}

/// How much the word of a validator counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    /// All of it.
    All,
    /// Only that it refuses the value: it may be at a loss with a value of which a part breaks its type.
    Refusals,
}

/// How much the word of a validator counts about a value, given what else is broken; none if it is not asked.
fn trust(asked: &Violation, broken: &[Violation]) -> Option<Trust> {
    let mut trust = Trust::All;
    for violation in broken.iter().filter(|it| it.path.steps.starts_with(&asked.path.steps)) {
        let is_limit = matches!(violation.code, "enum" | "minLength" | "maxLength" | "minimum" | "maximum");
        if !is_limit || violation.path.steps.len() == asked.path.steps.len() {
            return None;
        }
        trust = Trust::Refusals;
    }
    Some(trust)
}

/// Breaches in the order in which they are reported: what a validator says of a value comes after all that is said of
/// its parts.
#[derive(Default)]
struct InOrder {
    done: Vec<Breach>,
    /// What waits until its value is over, the innermost last: the way to the value, and what is said of it.
    waiting: Vec<(Path, Said)>,
}

impl InOrder {
    fn add(&mut self, breach: Breach) {
        self.leave(&breach.path);
        self.done.push(breach);
    }

    fn add_last(&mut self, of: &Path, said: Said) {
        self.leave(of);
        self.waiting.push((of.clone(), said));
    }

    /// Ends the values that do not lead to a path.
    fn leave(&mut self, path: &Path) {
        let leads = |of: &Path| path.steps.starts_with(&of.steps);
        let kept = self.waiting.iter().take_while(|(of, _)| leads(of)).count();
        let over = self.waiting.split_off(kept);
        self.end(over);
    }

    /// Says what waited, the innermost value first, and in the order of its validators.
    fn end(&mut self, mut waited: Vec<(Path, Said)>) {
        while let Some((of, _)) = waited.last() {
            let first = waited.iter().position(|(other, _)| other == of).unwrap_or_default();
            for (_, Said { breach, of_parameter }) in waited.split_off(first) {
                // What the type of a parameter refuses, the value's own type may have refused.
                let same = |known: &Breach| known.path == breach.path && known.message == breach.message;
                if !of_parameter || !self.done.iter().any(same) {
                    self.done.push(breach);
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Breach> {
        let waiting = std::mem::take(&mut self.waiting);
        self.end(waiting);
        self.done
    }
}

/// Asks the template's validators.
struct Asking<'e> {
    template: &'e Template,
    evaluator: &'e Evaluator<'e>,
}

impl Host for Asking<'_> {
    fn signature(&self, _: &str) -> Option<Signature> {
        None
    }

    fn call(&self, function: &str, _: &[Argument<'_>]) -> Result<Constant, String> {
        Err(format!("there is no function `{function}`"))
    }

    fn test(&self, rule: &str, value: &dyn AnyView, _: &[Argument<'_>]) -> Tested {
        let start = rule.parse().ok();
        let validator = start.and_then(|start: u32| self.template.validators.get(&start));
        let validator = validator.ok_or_else(|| format!("there is no validator `{rule}`"))?;
        let copy = value.copy(crate::value::MAX_DEPTH).ok_or("the value nests too deep")?;
        let value = Value::from_view(&copy).map_err(|error| error.to_string())?;
        match validator.judge(self.template, &value, self.evaluator) {
            Verdict::Accepted | Verdict::Unknown => Ok(Ok(())),
            Verdict::Refused(reasons) => {
                Ok(Err(reasons.into_iter().next().map(|reason| reason.text).unwrap_or_default()))
            }
            Verdict::Invalid(message) => Err(message),
            Verdict::Failed(error) => Err(error.to_string()),
        }
    }
}

/// Tells whether a value is what the word of a plain type says.
fn is_of_word(ty: &Type, value: &Value) -> bool {
    match (ty.word, value.plain()) {
        (_, Value::Null) => ty.nullable || ty.word.is_none(),
        (None, _) => true,
        (Some(TypeWord::String), value) => matches!(value, Value::Text(_)),
        (Some(TypeWord::Int), value) => matches!(value, Value::Int(_)),
        (Some(TypeWord::Bool), value) => matches!(value, Value::Bool(_)),
        (Some(TypeWord::Array), value) => matches!(value, Value::Array(_)),
        (Some(TypeWord::Object), value) => matches!(value, Value::Object(_)),
    }
}

fn expected(wanted: &str, found: &Value) -> String {
    format!("Expected a value of type '{wanted}', but received a value of type '{}'.", received(found))
}

/// The kind of a value as messages write it.
fn received(value: &Value) -> &'static str {
    match value.plain() {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Int(_) | Value::Long(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Text(_) => "String",
        Value::Array(_) => "Array",
        Value::Object(_) => "Object",
        Value::Secret(_) => "Secret",
        Value::Unknown(_) => "Unknown",
    }
}

/// The word for the kind that a violation asks for, if it asks for one.
fn word_of(message: &str) -> Option<&'static str> {
    const WORDS: &[(&str, &str)] = &[
        ("string", "String"),
        ("integer", "Int"),
        ("boolean", "Bool"),
        ("array", "Array"),
        ("object", "Object"),
    ];
    let wanted = message.strip_prefix("must be ")?;
    let wanted =
        ["null or ", "an ", "a "].iter().fold(wanted, |rest, start| rest.strip_prefix(start).unwrap_or(rest));
    // With a second kind behind it, the violation's own words say more.
    let rest = |start: &str| wanted.strip_prefix(start).is_some_and(|rest| !rest.starts_with(" or"));
    WORDS.iter().find(|(start, _)| rest(start)).map(|(_, word)| *word)
}

/// A fragment as a sentence, in the quotes of the other messages.
fn sentence(fragment: &str) -> String {
    let fragment = fragment.replace('`', "'");
    let mut text: String = match fragment.strip_prefix("must ") {
        Some(rest) => format!("The value must {rest}"),
        None => {
            let mut rest = fragment.chars();
            rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
        }
    };
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(200) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// The part of a value that a path leads to, names by whatever case.
pub(crate) fn part<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    let mut here = value;
    for step in &path.steps {
        if here.is_secret() {
            return Some(here);
        }
        here = match step {
            PathStep::Name(name) => here.as_object()?.get(name)?,
            PathStep::Entry(Constant::Text(name)) => here.as_object()?.get(name)?,
            PathStep::Index(index) => here.as_array()?.get(*index)?,
            PathStep::Entry(_) | PathStep::Key(_) | PathStep::Secret => return None,
        };
    }
    Some(here)
}
