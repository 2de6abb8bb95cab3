//! Reads parameters files: entries of parameters, and external inputs as the proposal spells them and as they were shipped.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use contract::Node;
use document::SourceValue;
use smol_str::SmolStr;

use super::entry::{self, EntryFlaw, EntryForm, EntrySource, PARAMETER, SETTING, Strings};
use super::extension_configs::Setting;
use super::externals::{ExternalInput, LooseValue, constant_keys};
use super::inputs::{InputLocations, Inputs, ParameterSource};
use super::using_config;
use crate::template::{ErrorLocation, Message, Span, TemplateError, brief, code, locate, member};
use crate::value::{Value, folded};

/// The sections of external inputs: definitions, or values as they were shipped; definitions as shipped; values.
const INPUTS: &str = "externalInputs";
const DEFINITIONS: &str = "externalInputDefinitions";
const VALUES: &str = "externalInputValues";

/// How many inputs an error lists.
const MOST_KNOWN: usize = 20;

/// The members of a parameters file that a resolved one does not have.
pub(super) const SECTIONS: [&str; 3] = [INPUTS, DEFINITIONS, VALUES];

/// The members that only one of which makes a plain value an entry.
const WAYS: [&str; 3] = ["value", "reference", "expression"];

/// What else a parameters file may have.
const OTHERS: [&str; 6] =
    ["$schema", "contentVersion", "parameters", "extensionConfigs", "usingConfig", "metadata"];

/// What the members of an object that gives parameters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterObject {
    /// Those of a parameters file.
    File,
    /// Those of a request, which has others, too, and whose names have been looked at.
    Request,
}

/// Tells whether an object is a parameters file, and not plain values by name.
pub(super) fn is_file(root: SourceValue<'_>) -> bool {
    ["parameters", "$schema"].iter().chain(&SECTIONS).any(|name| member(root, name).is_some())
}

/// Tells whether a parameters file that cannot be read may hold secrets whatever its template says: values of
/// external inputs, and settings of extensions.
pub fn may_hold_secrets(root: SourceValue<'_>) -> bool {
    let starts = ["externalinput", "extensionconfig"];
    root.members().any(|(key, _)| {
        let name = key.as_str().unwrap_or_default().to_ascii_lowercase();
        starts.iter().any(|start| name.starts_with(start))
    })
}

impl Inputs {
    /// Where the files hold values of external inputs, which nobody may show.
    pub fn external_value_places(&self) -> Vec<ErrorLocation> {
        let mut places = Vec::new();
        for (document, root) in &self.documents {
            let root = document.value(*root);
            let shipped = member(root, INPUTS).into_iter().flat_map(SourceValue::members);
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
pub(super) fn file(
    root: SourceValue<'_>,
    frame: ParameterObject,
    inputs: &mut Inputs,
) -> Result<(), Vec<TemplateError>> {
    let mut reader = ParametersReader { root, valued: HashSet::new(), errors: Vec::new() };
    reader.file(frame, inputs);
    if reader.errors.is_empty() { Ok(()) } else { Err(reader.errors) }
}

/// Reads plain values by name.
pub(super) fn plain(root: SourceValue<'_>, inputs: &mut Inputs) -> Result<(), Vec<TemplateError>> {
    let mut reader = ParametersReader { root, valued: HashSet::new(), errors: Vec::new() };
    reader.plain(inputs);
    if reader.errors.is_empty() { Ok(()) } else { Err(reader.errors) }
}

/// Reads values by name, whatever they look like.
pub(super) fn values(root: SourceValue<'_>, inputs: &mut Inputs) -> Result<(), Vec<TemplateError>> {
    let mut reader = ParametersReader { root, valued: HashSet::new(), errors: Vec::new() };
    for (key, value) in root.members() {
        reader.plain_value(key, value, inputs);
    }
    if reader.errors.is_empty() { Ok(()) } else { Err(reader.errors) }
}

struct ParametersReader<'d> {
    root: SourceValue<'d>,
    /// The external inputs whose values were read.
    valued: HashSet<SmolStr>,
    errors: Vec<TemplateError>,
}

impl<'d> ParametersReader<'d> {
    fn file(&mut self, frame: ParameterObject, inputs: &mut Inputs) {
        if !matches!(self.root.node(), Node::Object(_)) {
            self.wrong(self.root, code::INVALID_REQUEST_CONTENT, "a parameters file is an object".to_owned());
            return;
        }
        let parameters = self.section("parameters");
        for (key, value) in &parameters {
            self.parameter(*key, *value, inputs);
        }
        self.external_inputs(inputs);
        if frame == ParameterObject::File {
            self.sections();
        }
        let mut extensions: HashMap<SmolStr, &str> = HashMap::new();
        for (key, value) in self.section("extensionConfigs") {
            let name = key.as_str().unwrap_or_default();
            if let Some(first) = extensions.insert(folded(name), name) {
                let message = format!(
                    "the extension '{}' is configured twice, also as '{}'; names do not depend on case",
                    brief(name),
                    brief(first)
                );
                let target = format!("extensionConfigs.{}", brief(name));
                self.errors.push(TemplateError::new(code::INVALID_REQUEST_CONTENT, message).target(target));
                continue;
            }
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

    /// Refuses sections that are there twice, and those whose name is almost right: they would not be used,
    /// and values in them could be shown.
    fn sections(&mut self) {
        let known = || OTHERS.into_iter().chain(SECTIONS);
        let mut seen: Vec<&str> = Vec::new();
        for (key, _) in self.root.members() {
            let name = key.as_str().unwrap_or_default();
            if let Some(section) = known().find(|known| known.eq_ignore_ascii_case(name)) {
                if seen.contains(&section) {
                    let message = format!("`{section}` is there twice; names do not depend on case");
                    self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
                }
                seen.push(section);
                continue;
            }
            if name.to_ascii_lowercase().starts_with("externalinput") {
                let message = format!("`{}` is unknown; there are `{}`", brief(name), SECTIONS.join("`, `"));
                self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
            } else if let Some(meant) = diagnostics::suggest(name, known()) {
                let message = format!("`{name}` is unknown; did you mean `{meant}`?");
                self.wrong(key, code::INVALID_REQUEST_CONTENT, message);
            }
        }
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
            self.plain_value(key, value, inputs);
        }
        self.check_keys(inputs);
    }

    /// A value that is no entry.
    fn plain_value(&mut self, key: SourceValue<'d>, value: SourceValue<'d>, inputs: &mut Inputs) {
        let places = InputLocations { document: 0, name: Span::from(key.place()), value: value.id() };
        match Value::from_view(value) {
            Ok(value) => {
                inputs.push(key.as_str().unwrap_or_default(), ParameterSource::Value(value), Some(places));
            }
            Err(error) => self.wrong(value, code::INVALID_PARAMETER_VALUE, error.to_string()),
        }
    }

    /// The members of a section that is an object, if it is there.
    fn section(&mut self, name: &str) -> Vec<(SourceValue<'d>, SourceValue<'d>)> {
        let Some(section) = member(self.root, name) else { return Vec::new() };
        if !matches!(section.node(), Node::Object(_) | Node::Null) {
            let message = format!("`{name}` must be an object");
            self.wrong(section, code::INVALID_REQUEST_CONTENT, message);
        }
        section.members().collect()
    }

    fn parameter(&mut self, key: SourceValue<'d>, value: SourceValue<'d>, inputs: &mut Inputs) {
        let name = key.as_str().unwrap_or_default();
        if let Some(first) = inputs.get(name) {
            let message = format!(
                "the parameter '{}' is given twice, also as '{}'; names do not depend on case",
                brief(name),
                brief(&first.name)
            );
            self.wrong(key, code::INVALID_PARAMETER_KEY, message);
            return;
        }
        match entry_of(PARAMETER, value) {
            Ok((given, inner)) => {
                let places = InputLocations { document: 0, name: Span::from(key.place()), value: inner.id() };
                inputs.push(name, given, Some(places));
            }
            Err(refused) => {
                let message = format!("the entry of the parameter '{}' {}", brief(name), refused.message);
                let target = refused.target(brief(name).into_owned());
                let error = TemplateError::new(code::INVALID_PARAMETER_VALUE, message).target(target);
                let location = self.location(refused.at);
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
        let mut values: Vec<(SourceValue<'d>, SourceValue<'d>)> = Vec::new();
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
        key: SourceValue<'d>,
        entry: SourceValue<'d>,
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

    fn value(&mut self, key: SourceValue<'d>, value: SourceValue<'d>, inputs: &mut Inputs) {
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
    fn known_members(&mut self, entry: SourceValue<'d>, known: &[&str]) {
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
    fn extension_config(&mut self, key: SourceValue<'d>, config: SourceValue<'d>, inputs: &mut Inputs) {
        let extension = key.as_str().unwrap_or_default();
        if !matches!(config.node(), Node::Object(_)) {
            let extension = brief(extension);
            let message = format!("the configuration of the extension '{extension}' must be an object");
            let target = format!("extensionConfigs.{extension}");
            self.errors.push(TemplateError::new(code::INVALID_REQUEST_CONTENT, message).target(target));
            return;
        }
        let mut names: HashMap<SmolStr, &str> = HashMap::new();
        for (key, entry) in config.members() {
            let name = key.as_str().unwrap_or_default();
            let target = format!("extensionConfigs.{}.{}", brief(extension), brief(name));
            if let Some(first) = names.insert(folded(name), name) {
                let message = format!(
                    "'{}' of the extension '{}' is given twice, also as '{}'; names do not depend on case",
                    brief(name),
                    brief(extension),
                    brief(first)
                );
                self.errors.push(TemplateError::new(code::INVALID_REQUEST_CONTENT, message).target(target));
                continue;
            }
            match entry_of(SETTING, entry) {
                Ok((given, inner)) => {
                    let (extension, name) = (extension.into(), name.into());
                    let (place, value) = (Span::from(entry.place()), Some(inner.id()));
                    inputs.settings.set(Setting { extension, name, given, document: Some(0), place, value });
                }
                Err(refused) => {
                    let message = format!(
                        "'{}' of the extension '{}' is not valid: its entry {}",
                        brief(name),
                        brief(extension),
                        refused.message
                    );
                    let target = refused.target(target);
                    self.errors
                        .push(TemplateError::new(code::INVALID_REQUEST_CONTENT, message).target(target));
                }
            }
        }
    }

    /// Every input that an expression names is defined.
    fn check_keys(&mut self, inputs: &Inputs) {
        for input in inputs.iter() {
            for key in undefined(&input.given, inputs) {
                let message = Message::sentence(format!(
                    "The template parameter '{}' is not valid: {}",
                    brief(&input.name),
                    not_defined(&key, inputs)
                ));
                let error = TemplateError::invalid_template(message).target(brief(&input.name));
                let at = inputs.location(input, &contract::Path::default());
                self.errors.push(match at {
                    Some(at) => error.at(at),
                    None => error,
                });
            }
        }
        for setting in inputs.settings.iter() {
            for key in undefined(&setting.given, inputs) {
                let message = Message::sentence(format!(
                    "{} is not valid: {}",
                    setting.shown(),
                    not_defined(&key, inputs)
                ));
                self.errors.push(TemplateError::invalid_template(message).target(setting.target()));
            }
        }
    }

    fn location(&self, value: SourceValue<'d>) -> ErrorLocation {
        let place = value.place();
        locate::location(self.root, place.into())
    }

    fn wrong(&mut self, value: SourceValue<'d>, code: &'static str, message: String) {
        let location = self.location(value);
        self.errors.push(TemplateError::new(code, message).at(location));
    }
}

/// The external inputs that something asks for and that its document does not define.
fn undefined(given: &ParameterSource, inputs: &Inputs) -> Vec<SmolStr> {
    let keys = given.expressions().into_iter().flat_map(constant_keys);
    keys.filter(|key| inputs.externals.get(0, key).is_none()).collect()
}

/// What is said of an external input that is not defined.
fn not_defined(key: &str, inputs: &Inputs) -> String {
    let known: Vec<Cow<'_, str>> =
        inputs.external_inputs().iter().map(|input| brief(&input.key)).take(MOST_KNOWN).collect();
    let key = brief(key);
    match known.as_slice() {
        [] => format!("the external input '{key}' is not defined; the file defines none"),
        known => {
            format!("the external input '{key}' is not defined; the file defines '{}'", known.join("', '"))
        }
    }
}

/// An entry that gives nothing.
struct RefusedEntry<'d> {
    /// What is wrong, as what an entry does.
    message: String,
    /// The member that is wrong; none if it is the whole entry.
    member: Option<SmolStr>,
    /// The place of the member in the parameters file.
    at: SourceValue<'d>,
}

impl RefusedEntry<'_> {
    /// The path of what is wrong behind the path of the entry.
    fn target(&self, mut entry: String) -> String {
        if let Some(member) = &self.member {
            locate::push_name(&mut entry, &brief(member));
        }
        entry
    }
}

/// What an entry gives, and the part of it that says so.
fn entry_of<'d>(
    form: EntryForm,
    entry: SourceValue<'d>,
) -> Result<(ParameterSource, SourceValue<'d>), RefusedEntry<'d>> {
    if !matches!(entry.node(), Node::Object(_)) {
        let found = Value::from_view(entry).map_or("Unknown", |value| value.kind());
        return Err(RefusedEntry { message: form.not_an_object(found), member: None, at: entry });
    }
    let members = entry.members().map(|(key, value)| (key.as_str().unwrap_or_default(), (key, value)));
    let (way, (key, value)) =
        form.read(members).map_err(|flaw: EntryFlaw<(SourceValue<'d>, SourceValue<'d>)>| {
            let (member, at) = match flaw.member {
                Some((name, (key, _))) => (Some(name), key),
                None => (None, entry),
            };
            RefusedEntry { message: flaw.message, member, at }
        })?;
    let given = match way {
        EntrySource::Value => {
            Value::from_view(value).map(ParameterSource::Value).map_err(|error| error.to_string())
        }
        EntrySource::Reference => Value::from_view(value)
            .map_err(|error| error.to_string())
            .and_then(|reference| entry::reference(&reference, Strings::SourceValue)),
        EntrySource::Expression => entry::expression(value.as_str()).map(ParameterSource::Expression),
    };
    let wrong = |message| RefusedEntry {
        message: format!("is not valid: {message}"),
        member: key.as_str().map(SmolStr::from),
        at: value,
    };
    given.map(|given| (given, value)).map_err(wrong)
}
