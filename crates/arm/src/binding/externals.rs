//! External inputs: values from outside that expressions of the inputs use.
//!
//! The value of an external input is a secret for as long as expressions work with it, so that no error can quote it. What a
//! parameter gets in the end is as secret as its type says.

use std::collections::{HashMap, HashSet};

use document::FileId;
use smol_str::SmolStr;

use super::inputs::{Input, Inputs};
use crate::evaluate::{Cause, Environment, EnvironmentValue, EvaluateError, Evaluator, Scope};
use crate::expression::{Expression, FunctionCall};
use crate::template::{ErrorLocation, Span, TemplateError, code, locate};
use crate::value::{ObjectBuilder, Value, folded};

/// The function by which expressions ask for an external input.
const FUNCTION: &str = "externalInputs";

/// A value from outside that expressions of the inputs use.
#[derive(Clone, Debug)]
pub struct ExternalInput {
    /// The key by which `externalInputs` asks for it.
    pub key: SmolStr,
    /// What kind of input it is, such as `sys.envVar`.
    pub kind: SmolStr,
    /// What the kind needs to find it.
    pub config: Option<Value>,
    /// Its value, if it is there already. It is used for binding and kept nowhere else.
    pub value: Option<Value>,
    /// The section that defines it, and its definition as it is written there.
    pub(super) written: (&'static str, Value),
    /// Which of the documents defines it; keys of several documents have nothing to do with each other.
    pub(super) document: usize,
}

impl ExternalInput {
    /// The input in words: its key, its kind and what it asks for.
    pub fn describe(&self) -> String {
        match &self.config {
            Some(config) => format!("'{}' of kind '{}' with '{}'", self.key, self.kind, config.to_json()),
            None => format!("'{}' of kind '{}'", self.key, self.kind),
        }
    }
}

/// The external inputs of all documents.
#[derive(Clone, Debug, Default)]
pub(super) struct Externals {
    all: Vec<ExternalInput>,
    /// Where they are, by document and folded key.
    places: HashMap<(usize, SmolStr), usize>,
    /// Values for which no definition was found yet.
    loose: Vec<LooseValue>,
}

/// The value of an external input that its own document does not define.
#[derive(Clone, Debug)]
pub(super) struct LooseValue {
    pub(super) key: SmolStr,
    pub(super) value: Value,
    /// Which of the documents it is in, and where its name is.
    pub(super) document: usize,
    pub(super) place: Span,
}

impl Externals {
    /// Adds an input; false if its document has one of that key.
    pub(super) fn define(&mut self, input: ExternalInput) -> bool {
        let key = (input.document, folded(&input.key));
        let is_new = !self.places.contains_key(&key);
        if is_new {
            self.places.insert(key, self.all.len());
            self.all.push(input);
        }
        is_new
    }

    pub(super) fn get(&self, document: usize, key: &str) -> Option<&ExternalInput> {
        self.places.get(&(document, folded(key))).and_then(|at| self.all.get(*at))
    }

    pub(super) fn get_mut(&mut self, document: usize, key: &str) -> Option<&mut ExternalInput> {
        self.places.get(&(document, folded(key))).and_then(|at| self.all.get_mut(*at))
    }

    pub(super) fn keep_loose(&mut self, value: LooseValue) {
        self.loose.push(value);
    }

    pub(super) fn loose(&self) -> &[LooseValue] {
        &self.loose
    }

    /// Adds those of another set, whose documents come behind the first `before` ones. Values without a definition are for
    /// the newest document that has one.
    pub(super) fn extend(&mut self, other: Externals, before: usize) {
        for mut value in other.loose {
            let definitions = (0..before).rev().find(|document| self.get(*document, &value.key).is_some());
            match definitions.and_then(|document| self.get_mut(document, &value.key)) {
                Some(input) => input.value = Some(value.value),
                None => {
                    value.document += before;
                    self.loose.push(value);
                }
            }
        }
        for mut input in other.all {
            input.document += before;
            self.define(input);
        }
    }
}

/// An external input that has no value yet, and who needs it.
#[derive(Clone, Debug)]
pub struct MissingInput {
    /// The input that has to be asked for.
    pub input: ExternalInput,
    /// The file that defines it.
    pub file: FileId,
    /// The first parameter that uses it; none if only settings of extensions or the configuration of `using` do.
    pub parameter: Option<SmolStr>,
    /// Where that parameter is given.
    pub at: Option<ErrorLocation>,
}

/// The constant keys that an expression asks for, in order.
pub(super) fn constant_keys(expression: &Expression) -> Vec<SmolStr> {
    let mut keys = Vec::new();
    expression.for_each(&mut |part| {
        if let Some(call) = part.as_call().filter(|call| call.is_call_to(FUNCTION))
            && let [Expression::Text(key)] = call.arguments.as_slice()
        {
            keys.push(key.clone());
        }
    });
    keys
}

/// Tells whether a call asks for an input by a key that it works out.
fn asks_for_any(call: &FunctionCall) -> bool {
    call.is_call_to(FUNCTION) && !matches!(call.arguments.as_slice(), [Expression::Text(_)])
}

impl Inputs {
    /// The external inputs that what is given for the parameters uses, and that have no value yet, each once.
    pub fn missing_externals(&self) -> Vec<MissingInput> {
        self.missing(false)
    }

    /// The same for everything in the files, also for what is said behind `using`.
    pub fn all_missing_externals(&self) -> Vec<MissingInput> {
        self.missing(true)
    }

    fn missing(&self, everything: bool) -> Vec<MissingInput> {
        let mut missing: Vec<MissingInput> = Vec::new();
        let mut seen: HashSet<(usize, SmolStr)> = HashSet::new();
        for input in self.iter() {
            let expressions = input.given.expressions();
            let Some(document) = input.document() else { continue };
            for used in self.used_without_value(document, &expressions, &mut seen) {
                missing.push(MissingInput {
                    input: used.clone(),
                    file: self.file_of(document),
                    parameter: Some(input.name.clone()),
                    at: self.location(input, &contract::Path::default()),
                });
            }
        }
        for setting in self.settings.iter() {
            let expressions = setting.given.expressions();
            let Some(document) = setting.document else { continue };
            for used in self.used_without_value(document, &expressions, &mut seen) {
                missing.push(MissingInput {
                    input: used.clone(),
                    file: self.file_of(document),
                    parameter: None,
                    at: None,
                });
            }
        }
        if everything {
            missing.extend(self.missing_of_using(&mut seen));
        }
        missing
    }

    /// The same for what is said behind `using`, without those that were seen before.
    pub(super) fn missing_of_using(&self, seen: &mut HashSet<(usize, SmolStr)>) -> Vec<MissingInput> {
        let Some(expression) = self.using_expression() else { return Vec::new() };
        let used = self.used_without_value(0, &[expression], seen);
        let missing = |used: &ExternalInput| MissingInput {
            input: used.clone(),
            file: self.file_of(0),
            parameter: None,
            at: None,
        };
        used.into_iter().map(missing).collect()
    }

    /// The inputs of a document that expressions use, that have no value, and that were not seen before.
    fn used_without_value(
        &self,
        document: usize,
        expressions: &[&Expression],
        seen: &mut HashSet<(usize, SmolStr)>,
    ) -> Vec<&ExternalInput> {
        let mut used = Vec::new();
        let take = |input: &ExternalInput, seen: &mut HashSet<(usize, SmolStr)>| {
            input.value.is_none() && seen.insert((document, folded(&input.key)))
        };
        for expression in expressions {
            let mut any = false;
            expression.for_each(&mut |part| any |= part.as_call().is_some_and(asks_for_any));
            // A key that is worked out may be any.
            if any {
                let all = self.externals.all.iter().filter(|input| input.document == document);
                used.extend(all.filter(|input| take(input, seen)));
            }
            let keys = constant_keys(expression);
            let known = keys.iter().filter_map(|key| self.externals.get(document, key));
            used.extend(known.filter(|input| take(input, seen)));
        }
        used
    }

    fn file_of(&self, document: usize) -> FileId {
        self.documents.get(document).map_or(FileId::NONE, |(document, _)| document.file())
    }

    /// The definitions of all external inputs as they were given, without values: what a deployment shows of them.
    pub fn external_definitions(&self) -> Value {
        let mut sections: Vec<(&'static str, ObjectBuilder)> = Vec::new();
        for input in &self.externals.all {
            let (section, definition) = &input.written;
            let known = sections.iter().position(|(known, _)| known == section);
            let position = known.unwrap_or_else(|| {
                sections.push((section, ObjectBuilder::default()));
                sections.len() - 1
            });
            if let Some((_, inputs)) = sections.get_mut(position) {
                inputs.insert(input.key.clone(), definition.clone());
            }
        }
        Value::object(sections.into_iter().map(|(section, inputs)| (section, inputs.finish())))
    }

    /// The external inputs, in order.
    pub fn external_inputs(&self) -> &[ExternalInput] {
        &self.externals.all
    }

    /// Gives the value of an external input that is missing.
    pub fn supply(&mut self, missing: &ExternalInput, value: Value) {
        if let Some(input) = self.externals.get_mut(missing.document, &missing.key) {
            input.value = Some(value);
        }
    }

    /// An error for each value of an external input that nothing defines.
    pub fn loose_values(&self) -> Vec<TemplateError> {
        let error = |value: &LooseValue| {
            let message = format!("the external input '{}' has a value and no definition", value.key);
            let error = TemplateError::new(code::INVALID_REQUEST_CONTENT, message);
            match self.documents.get(value.document) {
                Some((document, root)) => error.at(locate::location(document.value(*root), value.place)),
                None => error,
            }
        };
        self.externals.loose().iter().map(error).collect()
    }

    /// An external input that a parameter uses, in words.
    pub(super) fn describe(&self, input: &Input, key: &str) -> String {
        let known = input.document().and_then(|document| self.externals.get(document, key));
        known.map_or_else(|| format!("'{key}'"), ExternalInput::describe)
    }

    /// What expressions of a document see.
    pub(super) fn seen_by<'e>(
        &'e self,
        document: Option<usize>,
        world: &'e dyn Environment,
    ) -> InputEnvironment<'e> {
        InputEnvironment { inputs: self, document, world }
    }
}

/// The environment of expressions in inputs: pure functions and external inputs.
pub(super) struct InputEnvironment<'e> {
    inputs: &'e Inputs,
    document: Option<usize>,
    world: &'e dyn Environment,
}

impl Environment for InputEnvironment<'_> {
    fn host(
        &self,
        name: &str,
        arguments: &[Value],
        _: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        if !name.eq_ignore_ascii_case(FUNCTION) {
            return Err(EvaluateError::not_allowed_here(name));
        }
        let Some(key) = arguments.first().and_then(|key| key.plain().as_str()) else {
            let message = format!("the key of `{FUNCTION}` must be a string");
            return Err(EvaluateError::new(Cause::Argument(FUNCTION.into()), message));
        };
        let Some(input) = self.document.and_then(|document| self.inputs.externals.get(document, key)) else {
            let message = format!("the external input `{key}` is not defined");
            return Err(EvaluateError::new(Cause::Argument(FUNCTION.into()), message));
        };
        Ok(match &input.value {
            Some(value) => EnvironmentValue::Value(value.clone().secret()),
            None => EnvironmentValue::Unknown,
        })
    }

    fn scope(&self) -> Scope {
        self.world.scope()
    }
}
