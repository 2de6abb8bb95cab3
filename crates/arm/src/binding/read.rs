//! Reads parameters files: entries of parameters, and external inputs as the proposal spells them and as they were shipped.

use std::collections::HashSet;

use contract::Node;
use document::Value as Written;
use smol_str::SmolStr;

use super::extension_configs::Setting;
use super::externals::{ExternalInput, LooseValue, constant_keys};
use super::inputs::{Given, Inputs, LateReference, Places, SecretReference};
use super::using_config;
use crate::expression::{Expression, TemplateString};
use crate::functions;
use crate::template::{Location, Span, Stage, TemplateError, code, locate, member};
use crate::value::{Value, folded};

/// The sections of external inputs: definitions, or values as they were shipped; definitions as shipped; values.
const INPUTS: &str = "externalInputs";
const DEFINITIONS: &str = "externalInputDefinitions";
const VALUES: &str = "externalInputValues";

/// How many inputs an error lists.
const MOST_KNOWN: usize = 20;

/// The members of a parameters file that a resolved one does not have.
pub(super) const SECTIONS: [&str; 3] = [INPUTS, DEFINITIONS, VALUES];

/// The ways to give a value in an entry.
pub(super) const WAYS: [&str; 3] = ["value", "reference", "expression"];

/// Tells whether an object is a parameters file, and not plain values by name.
pub(super) fn is_file(root: Written<'_>) -> bool {
    ["parameters", "$schema"].iter().chain(&SECTIONS).any(|name| member(root, name).is_some())
}

impl Inputs {
    /// Where the files hold values of external inputs, which nobody may show.
    pub fn external_value_places(&self) -> Vec<Location> {
        let mut places = Vec::new();
        for (document, root) in &self.documents {
            let root = document.value(*root);
            let shipped = member(root, INPUTS).into_iter().flat_map(Written::members);
            let shipped = shipped.filter_map(|(_, entry)| member(entry, "value"));
            for value in member(root, VALUES).into_iter().chain(shipped) {
                let place = value.place();
                places.push(locate::location(root, place.into()));
            }
        }
        places
    }
}

/// Reads a parameters file.
pub(super) fn file(root: Written<'_>, inputs: &mut Inputs) -> Result<(), Vec<TemplateError>> {
    let mut reader = Reader { root, valued: HashSet::new(), errors: Vec::new() };
    reader.file(inputs);
    if reader.errors.is_empty() { Ok(()) } else { Err(reader.errors) }
}

/// Reads plain values by name.
pub(super) fn plain(root: Written<'_>, inputs: &mut Inputs) -> Result<(), Vec<TemplateError>> {
    let mut reader = Reader { root, valued: HashSet::new(), errors: Vec::new() };
    reader.plain(inputs);
    if reader.errors.is_empty() { Ok(()) } else { Err(reader.errors) }
}

struct Reader<'d> {
    root: Written<'d>,
    /// The external inputs whose values were read.
    valued: HashSet<SmolStr>,
    errors: Vec<TemplateError>,
}

impl<'d> Reader<'d> {
    fn file(&mut self, inputs: &mut Inputs) {
        if !matches!(self.root.node(), Node::Object(_)) {
            self.wrong(self.root, code::INVALID_REQUEST_CONTENT, "a parameters file is an object".to_owned());
            return;
        }
        let parameters = self.section("parameters");
        for (key, value) in &parameters {
            self.parameter(*key, *value, inputs);
        }
        self.external_inputs(inputs);
        // Values under a name that is almost right would not be used, and could be shown.
        for (key, _) in self.root.members() {
            let name = key.as_str().unwrap_or_default();
            let is_known = SECTIONS.iter().any(|known| known.eq_ignore_ascii_case(name));
            if !is_known && name.to_ascii_lowercase().starts_with("externalinput") {
                let message = format!("`{name}` is unknown; there are `{}`", SECTIONS.join("`, `"));
                self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
            }
        }
        for (key, value) in self.section("extensionConfigs") {
            self.extension_config(key, value, inputs);
        }
        if let Some(config) = member(self.root, "usingConfig") {
            match using_config::read(config) {
                Ok(given) => inputs.using_config = given,
                Err(message) => {
                    let message = format!("`usingConfig`: {message}");
                    self.wrong(config, code::INVALID_REQUEST_CONTENT, message);
                }
            }
        }
        self.check_keys(inputs);
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
            let is_entry = alone && first.is_some_and(|name| WAYS.contains(&name));
            let name = key.as_str().unwrap_or_default();
            if is_entry || inputs.get(name).is_some() {
                self.parameter(key, value, inputs);
                continue;
            }
            let (place, inner) = (key.place(), value.id());
            match Value::from_view(value) {
                Ok(value) => {
                    let name_place = Span::from(place);
                    let places = Places { document: 0, name: name_place, value: inner };
                    inputs.push(name, Given::Value(value), Some(places));
                }
                Err(error) => self.wrong(value, code::INVALID_PARAMETER_VALUE, error.to_string()),
            }
        }
        self.check_keys(inputs);
    }

    /// The members of a section that is an object, if it is there.
    fn section(&mut self, name: &str) -> Vec<(Written<'d>, Written<'d>)> {
        let Some(section) = member(self.root, name) else { return Vec::new() };
        if !matches!(section.node(), Node::Object(_) | Node::Null) {
            let message = format!("`{name}` must be an object");
            self.wrong(section, code::INVALID_REQUEST_CONTENT, message);
        }
        section.members().collect()
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
                let name_place = Span::from(place);
                let places = Places { document: 0, name: name_place, value: inner.unwrap_or(value).id() };
                inputs.push(name, given, Some(places));
            }
            Err(error) => {
                let location = self.location(value);
                self.errors.push(error.at(location));
            }
        }
    }

    /// Reads definitions and values of external inputs.
    fn external_inputs(&mut self, inputs: &mut Inputs) {
        for (key, entry) in self.section(DEFINITIONS) {
            self.definition(DEFINITIONS, key, entry, inputs);
        }
        let section = self.section(INPUTS);
        let mut values: Vec<(Written<'d>, Written<'d>)> = Vec::new();
        for (key, entry) in &section {
            let value = member(*entry, "value");
            let is_definition =
                ["type", "kind", "config", "options"].iter().any(|it| member(*entry, it).is_some());
            match value {
                Some(_) if is_definition => {
                    let message = format!(
                        "the external input '{}' has a definition and a value; values stand under `{VALUES}`",
                        key.as_str().unwrap_or_default()
                    );
                    self.wrong(*key, code::INVALID_REQUEST_CONTENT, message);
                }
                Some(value) => {
                    self.known_members(*entry, &["value"]);
                    values.push((*key, value));
                }
                None => self.definition(INPUTS, *key, *entry, inputs),
            }
        }
        let has = |value: bool| section.iter().find(|(_, entry)| member(*entry, "value").is_some() == value);
        if let (Some(_), Some((key, _))) = (has(true), has(false)) {
            let message = format!("`{INPUTS}` has values and definitions; write one kind of them");
            self.wrong(*key, code::INVALID_REQUEST_CONTENT, message);
        }
        values.extend(self.section(VALUES));
        for (key, value) in values {
            self.value(key, value, inputs);
        }
    }

    fn definition(
        &mut self,
        section: &'static str,
        key: Written<'d>,
        entry: Written<'d>,
        inputs: &mut Inputs,
    ) {
        let name = key.as_str().unwrap_or_default();
        if !matches!(entry.node(), Node::Object(_)) {
            let message =
                format!("the external input '{name}' must be an object with a 'type' and perhaps a 'config'");
            return self.wrong(entry, code::INVALID_REQUEST_CONTENT, message);
        }
        self.known_members(entry, &["type", "kind", "config", "options"]);
        let mut one_of = |one: &str, other: &str| match (member(entry, one), member(entry, other)) {
            (Some(_), Some(second)) => {
                let message =
                    format!("the external input '{name}' has '{one}' and '{other}', which mean the same");
                self.wrong(second, code::INVALID_REQUEST_CONTENT, message);
                None
            }
            (first, second) => first.or(second),
        };
        let (kind, config) = (one_of("type", "kind"), one_of("config", "options"));
        let config = config.map(Value::from_view).transpose();
        let Some(kind) = kind else {
            if ["type", "kind"].iter().all(|it| member(entry, it).is_none()) {
                let message = format!("the external input '{name}' has no 'type'");
                self.wrong(entry, code::INVALID_REQUEST_CONTENT, message);
            }
            return;
        };
        let Some(text) = kind.as_str().filter(|text| !text.is_empty()) else {
            let message =
                format!("the 'type' of the external input '{name}' must be a string that is not empty");
            return self.wrong(kind, code::INVALID_REQUEST_CONTENT, message);
        };
        let config = match config {
            Ok(config) => config,
            Err(error) => return self.wrong(entry, code::INVALID_REQUEST_CONTENT, error.to_string()),
        };
        let written = match Value::from_view(entry) {
            Ok(definition) => (section, definition),
            Err(error) => return self.wrong(entry, code::INVALID_REQUEST_CONTENT, error.to_string()),
        };
        let (key_text, kind) = (name.into(), text.into());
        let input = ExternalInput { key: key_text, kind, config, value: None, written, document: 0 };
        if !inputs.externals.define(input) {
            let message =
                format!("the external input '{name}' is defined twice; names do not depend on case");
            self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
        }
    }

    fn value(&mut self, key: Written<'d>, value: Written<'d>, inputs: &mut Inputs) {
        let name = key.as_str().unwrap_or_default();
        // What cannot be kept is said without a word of it.
        let Ok(value) = Value::from_view(value) else {
            let message = format!("the value of the external input '{name}' is too large or nests too deep");
            return self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
        };
        if !self.valued.insert(folded(name)) {
            let message = format!("the external input '{name}' has two values; names do not depend on case");
            return self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
        }
        match inputs.externals.get_mut(0, name) {
            Some(input) => input.value = Some(value),
            None => {
                let place = Span::from(key.place());
                inputs.externals.keep_loose(LooseValue { key: name.into(), value, document: 0, place });
            }
        }
    }

    /// Refuses members that have no meaning.
    fn known_members(&mut self, entry: Written<'d>, known: &[&str]) {
        for (key, _) in entry.members() {
            let name = key.as_str().unwrap_or_default();
            if !known.iter().any(|it| it.eq_ignore_ascii_case(name)) {
                let message = format!("an external input has no member '{name}'");
                self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
            }
        }
    }

    /// The settings of one extension: each has a value, or refers to the secret of a key vault.
    ///
    /// Errors have no place: nobody knows yet what is a secret, and places are shown with their lines.
    fn extension_config(&mut self, key: Written<'d>, config: Written<'d>, inputs: &mut Inputs) {
        let extension = key.as_str().unwrap_or_default();
        if !matches!(config.node(), Node::Object(_)) {
            let message = format!("the configuration of the extension '{extension}' must be an object");
            self.errors.push(TemplateError::new(code::INVALID_REQUEST_CONTENT, message));
            return;
        }
        for (key, entry) in config.members() {
            let name = key.as_str().unwrap_or_default();
            let given = match (member(entry, "value"), member(entry, "keyVaultReference")) {
                (Some(value), None) => {
                    Value::from_view(value).map(Given::Value).map_err(|error| error.to_string())
                }
                (None, Some(reference)) => Value::from_view(reference)
                    .map_err(|error| error.to_string())
                    .and_then(|reference| reference_of(&reference)),
                _ => Err("it needs either 'value' or 'keyVaultReference'".to_owned()),
            };
            match given {
                Ok(given) => {
                    let (extension, name) = (extension.into(), name.into());
                    let at = entry.place();
                    let place = Span::from(at);
                    inputs.settings.set(Setting { extension, name, given, document: 0, place });
                }
                Err(why) => {
                    let message = format!("'{name}' of the extension '{extension}' is not valid: {why}");
                    self.errors.push(TemplateError::new(code::INVALID_REQUEST_CONTENT, message));
                }
            }
        }
    }

    /// Every input that an expression names is defined.
    fn check_keys(&mut self, inputs: &Inputs) {
        for input in inputs.iter() {
            let expressions: Vec<&Expression> = match &input.given {
                Given::Expression(expression) => vec![expression],
                Given::LateReference(reference) => reference.expressions().collect(),
                Given::Value(_) | Given::Reference(_) | Given::Later(_) => continue,
            };
            let keys = expressions.into_iter().flat_map(constant_keys);
            for key in keys.filter(|key| inputs.externals.get(0, key).is_none()) {
                let known: Vec<&str> =
                    inputs.external_inputs().iter().map(|input| &*input.key).take(MOST_KNOWN).collect();
                let mut message = format!(
                    "The template parameter '{}' is not valid: the external input '{key}' is not defined",
                    input.name
                );
                match known.as_slice() {
                    [] => message.push_str("; the file defines none."),
                    known => message.push_str(&format!("; the file defines '{}'.", known.join("', '"))),
                }
                let error = TemplateError::invalid_template(message).target(input.name.as_str());
                let at = inputs.location(input, &contract::Path::default());
                self.errors.push(match at {
                    Some(at) => error.at(at),
                    None => error,
                });
            }
        }
    }

    fn location(&self, value: Written<'d>) -> Location {
        let place = value.place();
        locate::location(self.root, place.into())
    }

    fn wrong(&mut self, value: Written<'d>, code: &'static str, message: String) {
        let location = self.location(value);
        self.errors.push(TemplateError::new(code, message).at(location));
    }
}

/// What one entry of the parameters gives.
pub(super) fn entry_of(name: &str, entry: &Value) -> Result<Given, TemplateError> {
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
        (None, Some(reference), None) => reference_of(reference).or_else(wrong),
        (None, None, Some(expression)) => match expression_of(expression.as_str()) {
            Ok(expression) => Ok(Given::Expression(expression)),
            Err(message) => wrong(message),
        },
        (None, None, None) => {
            wrong("its entry has neither 'value' nor 'reference' nor 'expression'".to_owned())
        }
        _ => wrong("its entry has more than one of 'value', 'reference' and 'expression'".to_owned()),
    }
}

/// The secret of a key vault that an entry refers to.
fn reference_of(reference: &Value) -> Result<Given, String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(SmolStr::from);
    let reference = reference.as_object();
    let member = |name: &str| reference.and_then(|reference| reference.get(name));
    let vault = member("keyVault").and_then(Value::as_object).and_then(|vault| vault.get("id"));
    let (Some(vault), Some(secret)) = (text(vault), text(member("secretName"))) else {
        return Err("its reference must have 'keyVault' with an 'id', and 'secretName'".to_owned());
    };
    let version = text(member("secretVersion"));
    let is_late = |text: &SmolStr| matches!(TemplateString::of(text), TemplateString::Expression(_));
    if ![&vault, &secret].into_iter().chain(&version).any(is_late) {
        return Ok(Given::Reference(SecretReference { vault, secret, version }));
    }
    let part = |text: SmolStr| match TemplateString::of(&text) {
        TemplateString::Text(text) => Ok(Expression::text(text)),
        TemplateString::Expression(_) => expression_of(Some(&text)),
    };
    let version = version.map(part).transpose()?;
    Ok(Given::LateReference(Box::new(LateReference { vault: part(vault)?, secret: part(secret)?, version })))
}

/// An expression that is evaluated before anything else.
pub(super) fn expression_of(text: Option<&str>) -> Result<Expression, String> {
    let text = text.unwrap_or_default();
    if matches!(TemplateString::of(text), TemplateString::Text(_)) {
        return Err("its expression must be a string '[...]'".to_owned());
    }
    let expression = TemplateString::parse(text)
        .map_err(|error| format!("its expression cannot be read: {error} (at offset {})", error.offset))?;
    match illegal(&expression) {
        Some(message) => Err(message),
        None => Ok(expression),
    }
}

/// The first call that expressions of inputs cannot make, in words.
fn illegal(expression: &Expression) -> Option<String> {
    let mut found = None;
    expression.for_each(&mut |part| {
        let Some(call) = part.as_call() else { return };
        let known = if call.namespace.is_some() { None } else { functions::find(&call.name) };
        let message = match known {
            None => format!("The template function '{}' is not valid", call.name),
            Some(function) if !function.stages.contains(Stage::ParametersFile) => {
                format!("The template function '{}' is not expected at this location", call.name)
            }
            Some(function) if function.name == INPUTS && call.arguments.len() != 1 => {
                let count = call.arguments.len();
                format!("The template function '{INPUTS}' takes 1 argument, the key of an input, not {count}")
            }
            Some(_) => return,
        };
        found.get_or_insert(message);
    });
    found
}
