//! Values for parameters as parameters files, requests and command lines give them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use contract::{Node, Path};
use document::{Document, NodeId, Source, Value as Written};
use smol_str::SmolStr;

use crate::evaluate::{Answer, Environment, EvaluateError, Evaluator, Scope};
use crate::expression::{Expression, TemplateString};
use crate::template::{Limits, Location, Span, Stage, TemplateError, code, locate, member};
use crate::value::{Value, folded};

/// What is given for the parameters of a template.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    inputs: Vec<Input>,
    names: HashMap<SmolStr, usize>,
    /// The texts that the inputs are from, and what in each of them paths start from.
    documents: Vec<(Arc<Document>, NodeId)>,
    externals: Vec<ExternalInput>,
    external_names: HashMap<SmolStr, usize>,
}

/// What is given for one parameter.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name as given.
    pub name: SmolStr,
    /// What is given.
    pub given: Given,
    /// Where it is written, if it is.
    places: Option<Places>,
}

/// Where an input is written.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// Which of the documents it is in.
    document: usize,
    /// The name.
    name: Span,
    /// The value.
    value: NodeId,
}

/// One way to give a value.
#[derive(Clone, Debug)]
pub enum Given {
    /// The value itself, in which strings are not expressions.
    Value(Value),
    /// An expression that is evaluated before anything else, with external inputs.
    Expression(Expression),
    /// A secret of a key vault.
    Reference(SecretReference),
    /// What an expression of the deployment around will give, which is not known yet.
    Later(Expression),
}

/// A secret in a key vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretReference {
    /// The id of the vault.
    pub vault: SmolStr,
    /// The name of the secret.
    pub secret: SmolStr,
    /// Its version; none means the newest.
    pub version: Option<SmolStr>,
}

/// A value from outside that expressions of the inputs use.
#[derive(Clone, Debug)]
pub struct ExternalInput {
    /// The key by which `externalInputs` asks for it.
    pub key: SmolStr,
    /// What kind of input it is, such as `sys.envVar`; none if only its value is given.
    pub kind: Option<SmolStr>,
    /// What the kind needs to find it.
    pub config: Option<Value>,
    /// Its value, if it is there already. It is used for binding and kept nowhere else.
    pub value: Option<Value>,
}

impl Inputs {
    /// Reads a parameters file.
    pub fn read<'a>(
        text: impl Into<Source<'a>>,
        file: u32,
        limits: &Limits,
    ) -> Result<Inputs, Vec<TemplateError>> {
        let document = crate::template::document(text, file, limits).map_err(|error| vec![error])?;
        let root = document.root().id();
        Inputs::from_document(Arc::new(document), root)
    }

    /// Reads JSON that people wrote by hand; see [`Inputs::from_handwritten`].
    pub fn read_handwritten<'a>(
        text: impl Into<Source<'a>>,
        file: u32,
        limits: &Limits,
    ) -> Result<Inputs, Vec<TemplateError>> {
        let document = crate::template::document(text, file, limits).map_err(|error| vec![error])?;
        let root = document.root().id();
        Inputs::from_handwritten(Arc::new(document), root)
    }

    /// Reads the members of an object in a document: the root of a parameters file, or `properties` of a request.
    pub fn from_document(document: Arc<Document>, root: NodeId) -> Result<Inputs, Vec<TemplateError>> {
        let mut reader = Reader { root: document.value(root), errors: Vec::new() };
        let mut inputs = Inputs { documents: vec![(Arc::clone(&document), root)], ..Inputs::default() };
        reader.file(&mut inputs);
        if reader.errors.is_empty() { Ok(inputs) } else { Err(reader.errors) }
    }

    /// Reads what people write by hand: a parameters file, or an object of plain values by name.
    ///
    /// It is a parameters file if it has `parameters` or `$schema`. Among plain values an object with nothing but
    /// `value`, `reference` or `expression` is an entry as parameters files have it.
    pub fn from_handwritten(document: Arc<Document>, root: NodeId) -> Result<Inputs, Vec<TemplateError>> {
        let written = document.value(root);
        if ["parameters", "$schema"].iter().any(|name| member(written, name).is_some()) {
            return Inputs::from_document(document, root);
        }
        let mut reader = Reader { root: written, errors: Vec::new() };
        let mut inputs = Inputs { documents: vec![(Arc::clone(&document), root)], ..Inputs::default() };
        reader.plain(&mut inputs);
        if reader.errors.is_empty() { Ok(inputs) } else { Err(reader.errors) }
    }

    /// Takes the evaluated `parameters` of a nested deployment: an object of `{"value": ..}` and the like.
    pub fn from_values(parameters: &Value) -> Result<Inputs, Vec<TemplateError>> {
        let mut inputs = Inputs::default();
        let mut errors = Vec::new();
        for (name, entry) in parameters.as_object().into_iter().flatten() {
            match entry_of(name, entry) {
                Ok(given) => inputs.push(name, given, None),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(inputs) } else { Err(errors) }
    }

    /// Gives a value, in place of what is given for that parameter so far.
    pub fn set(&mut self, name: &str, value: Value) {
        self.give(name, Given::Value(value));
    }

    /// Gives a value that is a document of its own, in place of what is given for that parameter so far, so that errors can say
    /// where in it they are.
    pub fn set_written(&mut self, name: &str, value: Value, document: Arc<Document>) {
        self.give(name, Given::Value(value));
        let (root, place) = (document.root().id(), document.root().place());
        let name_place = Span { start: place.start, end: place.end };
        let places = Places { document: self.documents.len(), name: name_place, value: root };
        self.documents.push((document, root));
        if let Some(input) = self.names.get(&folded(name)).and_then(|at| self.inputs.get_mut(*at)) {
            input.places = Some(places);
        }
    }

    /// Gives something, in place of what is given for that parameter so far.
    pub fn give(&mut self, name: &str, given: Given) {
        match self.names.get(&folded(name)).and_then(|at| self.inputs.get_mut(*at)) {
            Some(input) => {
                input.given = given;
                input.places = None;
            }
            None => self.push(name, given, None),
        }
    }

    /// Adds what another file gives, in place of what is given for those parameters so far.
    pub fn extend(&mut self, other: Inputs) {
        let before = self.documents.len();
        self.documents.extend(other.documents);
        for mut input in other.inputs {
            if let Some(places) = &mut input.places {
                places.document += before;
            }
            match self.names.get(&folded(&input.name)).and_then(|at| self.inputs.get_mut(*at)) {
                Some(known) => *known = input,
                None => {
                    self.names.insert(folded(&input.name), self.inputs.len());
                    self.inputs.push(input);
                }
            }
        }
        for external in other.externals {
            self.externals.retain(|known| !known.key.eq_ignore_ascii_case(&external.key));
            self.externals.push(external);
        }
    }

    /// Where the value of a parameter is written; none if it is not given, or not in a text.
    pub fn place(&self, name: &str) -> Option<Location> {
        self.location(self.get(name)?, &Path::default())
    }

    /// What is given, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Input> {
        self.inputs.iter()
    }

    /// What is given for a parameter, by whatever case.
    pub fn get(&self, name: &str) -> Option<&Input> {
        self.names.get(&folded(name)).and_then(|at| self.inputs.get(*at))
    }

    /// The external inputs that expressions use and that have no value yet.
    pub fn missing_externals(&self) -> Vec<&ExternalInput> {
        let mut used: HashSet<SmolStr> = HashSet::new();
        for input in &self.inputs {
            let Given::Expression(expression) = &input.given else { continue };
            expression.for_each(&mut |part| {
                if let Some(call) = part.as_call().filter(|call| call.is("externalInputs"))
                    && let [Expression::Text(key)] = call.arguments.as_slice()
                {
                    used.insert(folded(key));
                }
            });
        }
        let asked = |input: &&ExternalInput| input.value.is_none() && used.contains(&folded(&input.key));
        self.externals.iter().filter(asked).collect()
    }

    /// The external inputs, in order.
    pub fn external_inputs(&self) -> &[ExternalInput] {
        &self.externals
    }

    /// Gives the value of an external input.
    pub fn supply(&mut self, key: &str, value: Value) {
        match self.external_names.get(&folded(key)).and_then(|at| self.externals.get_mut(*at)) {
            Some(input) => input.value = Some(value),
            None => {
                let input = ExternalInput { key: key.into(), kind: None, config: None, value: Some(value) };
                self.add_external(input);
            }
        }
    }

    fn add_external(&mut self, input: ExternalInput) {
        self.external_names.insert(folded(&input.key), self.externals.len());
        self.externals.push(input);
    }

    /// The external input of a key, by whatever case.
    fn external(&self, key: &str) -> Option<&ExternalInput> {
        self.external_names.get(&folded(key)).and_then(|at| self.externals.get(*at))
    }

    /// An external input in words.
    pub(super) fn describe(&self, key: &str) -> String {
        match self.external(key) {
            Some(ExternalInput { kind: Some(kind), config: Some(config), .. }) => {
                format!("'{key}' of kind '{kind}' with '{}'", config.to_json())
            }
            Some(ExternalInput { kind: Some(kind), .. }) => format!("'{key}' of kind '{kind}'"),
            _ => format!("'{key}'"),
        }
    }

    /// What expressions of the inputs see.
    pub(super) fn externals<'e>(&'e self, world: &'e dyn Environment) -> Externals<'e> {
        Externals { inputs: self, world }
    }

    /// Where a part of a given value stands.
    pub(super) fn location(&self, input: &Input, path: &Path) -> Option<Location> {
        let places = input.places?;
        let (document, root) = self.documents.get(places.document)?;
        let place = super::written_part(document.value(places.value), path)?.place();
        Some(locate::location(document.value(*root), Span { start: place.start, end: place.end }))
    }

    /// Where the name of a parameter is given.
    pub(super) fn location_of_name(&self, input: &Input) -> Option<Location> {
        let places = input.places?;
        let (document, root) = self.documents.get(places.document)?;
        Some(locate::location(document.value(*root), places.name))
    }

    fn push(&mut self, name: &str, given: Given, places: Option<Places>) {
        self.names.insert(folded(name), self.inputs.len());
        self.inputs.push(Input { name: name.into(), given, places });
    }
}

/// The environment of expressions in inputs: pure functions and external inputs.
pub(super) struct Externals<'e> {
    inputs: &'e Inputs,
    world: &'e dyn Environment,
}

impl Environment for Externals<'_> {
    fn host(&self, name: &str, arguments: &[Value], _: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        if !name.eq_ignore_ascii_case("externalInputs") {
            return Err(EvaluateError::not_allowed_here(name));
        }
        let key = arguments.first().and_then(Value::as_str).unwrap_or_default();
        let found = self.inputs.external(key);
        Ok(match found.and_then(|input| input.value.clone()) {
            Some(value) => Answer::Value(value),
            None => Answer::Unknown,
        })
    }

    fn scope(&self) -> Scope {
        self.world.scope()
    }
}

struct Reader<'d> {
    root: Written<'d>,
    errors: Vec<TemplateError>,
}

impl<'d> Reader<'d> {
    fn file(&mut self, inputs: &mut Inputs) {
        if !matches!(self.root.node(), Node::Object(_)) {
            self.wrong(self.root, code::INVALID_REQUEST_CONTENT, "a parameters file is an object".to_owned());
            return;
        }
        if let Some(parameters) = member(self.root, "parameters") {
            if !matches!(parameters.node(), Node::Object(_) | Node::Null) {
                let message = "`parameters` must be an object".to_owned();
                self.wrong(parameters, code::INVALID_REQUEST_CONTENT, message);
            }
            for (key, value) in parameters.members() {
                self.parameter(key, value, inputs);
            }
        }
        self.external_inputs(inputs);
    }

    fn plain(&mut self, inputs: &mut Inputs) {
        if !matches!(self.root.node(), Node::Object(_)) {
            let message = "values of parameters are an object by name".to_owned();
            self.wrong(self.root, code::INVALID_REQUEST_CONTENT, message);
            return;
        }
        for (key, value) in self.root.members() {
            let mut members = value.members();
            let first = members.next().and_then(|(key, _)| key.as_str());
            let alone = members.next().is_none();
            let is_entry =
                alone && first.is_some_and(|name| ["value", "reference", "expression"].contains(&name));
            let name = key.as_str().unwrap_or_default();
            if is_entry || inputs.get(name).is_some() {
                self.parameter(key, value, inputs);
                continue;
            }
            let (place, inner) = (key.place(), value.id());
            match Value::from_view(value) {
                Ok(value) => {
                    let name_place = Span { start: place.start, end: place.end };
                    let places = Places { document: 0, name: name_place, value: inner };
                    inputs.push(name, Given::Value(value), Some(places));
                }
                Err(error) => self.wrong(value, code::INVALID_PARAMETER_VALUE, error.to_string()),
            }
        }
    }

    fn parameter(&mut self, key: Written<'d>, value: Written<'d>, inputs: &mut Inputs) {
        let name = key.as_str().unwrap_or_default();
        if inputs.get(name).is_some() {
            let message = format!("the parameter '{name}' is given twice; names do not depend on case");
            self.wrong(key, code::INVALID_PARAMETER_KEY, message);
            return;
        }
        let place = key.place();
        let entry = match Value::from_view(value) {
            Ok(entry) => entry,
            Err(error) => return self.wrong(value, code::INVALID_PARAMETER_VALUE, error.to_string()),
        };
        match entry_of(name, &entry) {
            Ok(given) => {
                let inner = ["value", "expression", "reference"].iter().find_map(|name| member(value, name));
                let name_place = Span { start: place.start, end: place.end };
                let places = Places { document: 0, name: name_place, value: inner.unwrap_or(value).id() };
                inputs.push(name, given, Some(places));
            }
            Err(error) => {
                let location = self.location(value);
                self.errors.push(error.at(location));
            }
        }
    }

    /// Reads definitions and values of external inputs, as the proposal spells them and as they were shipped.
    fn external_inputs(&mut self, inputs: &mut Inputs) {
        let mut shipped = false;
        let mut definitions = Vec::new();
        if let Some(section) = member(self.root, "externalInputDefinitions") {
            definitions.extend(section.members());
        }
        let mut values: Vec<(Written<'d>, Written<'d>)> = Vec::new();
        for (key, entry) in member(self.root, "externalInputs").into_iter().flat_map(Written::members) {
            let is_value = member(entry, "value").is_some();
            let is_definition = member(entry, "type").is_some() || member(entry, "kind").is_some();
            match (is_value, is_definition) {
                (true, false) => {
                    shipped = true;
                    values.extend(member(entry, "value").map(|value| (key, value)));
                }
                (false, true) => definitions.push((key, entry)),
                (false, false) | (true, true) => {
                    let message =
                        "an external input has either a 'value', or a 'type' and perhaps a 'config'";
                    self.wrong(entry, code::INVALID_REQUEST_CONTENT, message.to_owned());
                }
            }
        }
        if shipped
            && member(self.root, "externalInputs")
                .is_some_and(|section| section.members().any(|(_, entry)| member(entry, "value").is_none()))
        {
            let message = "`externalInputs` has values and definitions; write one kind of them".to_owned();
            self.wrong(self.root, code::INVALID_REQUEST_CONTENT, message);
        }
        values.extend(member(self.root, "externalInputValues").into_iter().flat_map(Written::members));
        for (key, entry) in definitions {
            let text = |name: &str| member(entry, name).and_then(Written::as_str).map(SmolStr::from);
            let config = member(entry, "config").or_else(|| member(entry, "options"));
            inputs.add_external(ExternalInput {
                key: key.as_str().unwrap_or_default().into(),
                kind: text("kind").or_else(|| text("type")),
                config: config.and_then(|config| Value::from_view(config).ok()),
                value: None,
            });
        }
        let defined = !inputs.externals.is_empty();
        for (key, value) in values {
            let name = key.as_str().unwrap_or_default();
            let Ok(value) = Value::from_view(value) else { continue };
            if defined && inputs.external(name).is_none() {
                let message = format!("the external input '{name}' has a value and no definition");
                self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
                continue;
            }
            inputs.supply(name, value);
        }
    }

    fn location(&self, value: Written<'d>) -> Location {
        let place = value.place();
        locate::location(self.root, Span { start: place.start, end: place.end })
    }

    fn wrong(&mut self, value: Written<'d>, code: &'static str, message: String) {
        let location = self.location(value);
        self.errors.push(TemplateError::new(code, message).at(location));
    }
}

/// What one entry of the parameters gives.
fn entry_of(name: &str, entry: &Value) -> Result<Given, TemplateError> {
    let wrong =
        |message: String| Err(TemplateError::new(code::INVALID_PARAMETER_VALUE, message).target(name));
    let Some(object) = entry.as_object() else {
        return wrong(format!(
            "its entry must be an object with 'value', 'reference' or 'expression', not '{}'",
            entry.kind()
        ));
    };
    match (object.get("value"), object.get("reference"), object.get("expression")) {
        (Some(value), None, None) => Ok(Given::Value(value.clone())),
        (None, Some(reference), None) => {
            let text = |value: Option<&Value>| value.and_then(Value::as_str).map(SmolStr::from);
            let reference = reference.as_object();
            let member = |name: &str| reference.and_then(|reference| reference.get(name));
            let vault = member("keyVault").and_then(Value::as_object).and_then(|vault| vault.get("id"));
            match (text(vault), text(member("secretName"))) {
                (Some(vault), Some(secret)) => {
                    let version = text(member("secretVersion"));
                    Ok(Given::Reference(SecretReference { vault, secret, version }))
                }
                _ => wrong("its reference must have 'keyVault' with an 'id', and 'secretName'".to_owned()),
            }
        }
        (None, None, Some(expression)) => {
            let text = expression.as_str().unwrap_or_default();
            match TemplateString::of(text) {
                TemplateString::Expression(_) => match TemplateString::parse(text) {
                    Ok(expression) => match illegal(&expression) {
                        Some(message) => wrong(message),
                        None => Ok(Given::Expression(expression)),
                    },
                    Err(error) => {
                        wrong(format!("its expression cannot be read: {error} (at offset {})", error.offset))
                    }
                },
                TemplateString::Text(_) => wrong("its expression must be a string '[...]'".to_owned()),
            }
        }
        (None, None, None) => {
            wrong("its entry has neither 'value' nor 'reference' nor 'expression'".to_owned())
        }
        _ => wrong("its entry has more than one of 'value', 'reference' and 'expression'".to_owned()),
    }
}

/// The first function that expressions of inputs cannot use, in words.
fn illegal(expression: &Expression) -> Option<String> {
    let mut found = None;
    expression.for_each(&mut |part| {
        let Some(call) = part.as_call() else { return };
        let known = if call.namespace.is_some() { None } else { crate::functions::find(&call.name) };
        let message = match known {
            None => format!("The template function '{}' is not valid", call.name),
            Some(function) if !function.stages.contains(Stage::ParametersFile) => {
                format!("The template function '{}' is not expected at this location", call.name)
            }
            Some(_) => return,
        };
        found.get_or_insert(message);
    });
    found
}
