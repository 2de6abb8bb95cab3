//! A parameters file with the values of its external inputs in it, for tools that know no external inputs.

use std::collections::HashSet;

use contract::{Node, Path};
use diagnostics::Message;
use document::SourceValue;

use super::entry::{EntryForm, EntrySource, PARAMETER, SETTING, USING};
use super::inputs::{Inputs, ParameterSource};
use super::read::SECTIONS;
use crate::evaluate::{Environment, EvaluationLimits, Evaluator};
use crate::expression::{Expression, TemplateString};
use crate::template::{ErrorLocation, TemplateError, code, member};
use crate::template_text::{JsonLayout, TemplateWriter};
use crate::value::{Value, folded};

/// Nothing is known of the surroundings.
struct Nowhere;

impl Environment for Nowhere {}

impl Inputs {
    /// The text of the first parameters file, with `value` in the place of each `expression` and without external inputs.
    ///
    /// All inputs that it uses have their values ([`Inputs::all_missing_externals`]); one that has none is an error. The text
    /// holds them in plain.
    pub fn resolved(&self) -> Result<String, Vec<TemplateError>> {
        let loose = self.loose_values();
        let Some((document, root)) = self.documents.first().filter(|_| loose.is_empty()) else {
            return Err(loose);
        };
        let mut resolving = Resolving {
            inputs: self,
            out: TemplateWriter::new(String::new(), JsonLayout::Indented),
            errors: Vec::new(),
        };
        resolving.file(document.value(*root));
        if resolving.errors.is_empty() { Ok(resolving.out.finish()) } else { Err(resolving.errors) }
    }
}

struct Resolving<'i> {
    inputs: &'i Inputs,
    out: TemplateWriter<String>,
    errors: Vec<TemplateError>,
}

impl Resolving<'_> {
    fn file(&mut self, root: SourceValue<'_>) {
        self.out.begin_object();
        for (key, value) in root.members() {
            let name = key.as_str().unwrap_or_default();
            if SECTIONS.iter().any(|section| section.eq_ignore_ascii_case(name)) {
                continue;
            }
            self.out.key(name);
            if name.eq_ignore_ascii_case("parameters") {
                self.parameters(value);
            } else if name.eq_ignore_ascii_case("usingConfig") {
                self.entry(USING, name, value, None, None);
            } else if name.eq_ignore_ascii_case("extensionConfigs") {
                self.extension_configs(value);
            } else {
                self.out.value(value);
            }
        }
        self.out.end_object();
    }

    fn parameters(&mut self, parameters: SourceValue<'_>) {
        self.out.begin_object();
        let mut written = HashSet::new();
        for (key, entry) in parameters.members() {
            let name = key.as_str().unwrap_or_default();
            written.insert(folded(name));
            let input = self.inputs.get(name);
            let at = input.and_then(|input| self.inputs.location(input, &Path::default()));
            self.out.key(name);
            // What was given in place of the entry counts.
            let given = input.and_then(|input| match &input.given {
                ParameterSource::Value(value) => Some(value),
                ParameterSource::Expression(_)
                | ParameterSource::Reference(_)
                | ParameterSource::LateReference(_)
                | ParameterSource::Later(_) => None,
            });
            self.entry(PARAMETER, name, entry, given, at);
        }
        for input in self.inputs.iter().filter(|input| !written.contains(&folded(&input.name))) {
            if let ParameterSource::Value(value) = &input.given {
                self.out.key(&input.name);
                self.out.begin_object();
                self.out.key("value");
                self.out.value(value.expose().view());
                self.out.end_object();
            }
        }
        self.out.end_object();
    }

    fn extension_configs(&mut self, configs: SourceValue<'_>) {
        if !matches!(configs.node(), Node::Object(_)) {
            return self.out.value(configs);
        }
        self.out.begin_object();
        for (key, config) in configs.members() {
            self.out.key(key.as_str().unwrap_or_default());
            self.out.begin_object();
            for (key, entry) in config.members() {
                let name = key.as_str().unwrap_or_default();
                self.out.key(name);
                self.entry(SETTING, name, entry, None, None);
            }
            self.out.end_object();
        }
        self.out.end_object();
    }

    /// Writes an entry with its value in the place of an expression, and a secret with its address worked out.
    fn entry(
        &mut self,
        form: EntryForm,
        name: &str,
        entry: SourceValue<'_>,
        given: Option<&Value>,
        at: Option<ErrorLocation>,
    ) {
        if !matches!(entry.node(), Node::Object(_)) {
            return self.out.value(entry);
        }
        self.out.begin_object();
        for (key, value) in entry.members() {
            let member = key.as_str().unwrap_or_default();
            match form.way(member) {
                Some(_) if given.is_some() => {
                    self.out.key("value");
                    self.out.value(given.unwrap_or(&Value::Null).expose().view());
                }
                Some(EntrySource::Expression) => {
                    self.out.key("value");
                    self.write_resolved(name, value, at.as_ref());
                }
                Some(EntrySource::Reference) => {
                    self.out.key(member);
                    self.reference(name, value, at.as_ref());
                }
                Some(EntrySource::Value) | None => {
                    self.out.key(member);
                    self.out.value(value);
                }
            }
        }
        self.out.end_object();
    }

    fn reference(&mut self, name: &str, reference: SourceValue<'_>, at: Option<&ErrorLocation>) {
        self.out.begin_object();
        for (key, value) in reference.members() {
            self.out.key(key.as_str().unwrap_or_default());
            match member(value, "id") {
                Some(_) => {
                    self.out.begin_object();
                    for (key, value) in value.members() {
                        self.out.key(key.as_str().unwrap_or_default());
                        self.write_resolved(name, value, at);
                    }
                    self.out.end_object();
                }
                None => self.write_resolved(name, value, at),
            }
        }
        self.out.end_object();
    }

    /// Writes what a text that may be an expression comes to.
    fn write_resolved(&mut self, name: &str, written: SourceValue<'_>, at: Option<&ErrorLocation>) {
        let expression = match written.as_str().map(TemplateString::of) {
            Some(TemplateString::Expression(_)) => {
                TemplateString::parse(written.as_str().unwrap_or_default())
            }
            Some(TemplateString::Text(_)) | None => return self.out.value(written),
        };
        let value = match expression {
            Ok(expression) => self.evaluated(name, &expression),
            // It was read before.
            Err(error) => Err(format!("its expression cannot be read: {error}")),
        };
        match value {
            Ok(value) => self.out.value(value.expose().view()),
            Err(why) => {
                self.out.null();
                let message =
                    Message::sentence(format!("The template parameter '{name}' is not valid: {why}"));
                let error = TemplateError::new(code::INVALID_TEMPLATE, message).target(name);
                self.errors.push(match at {
                    Some(at) => error.at(at.clone()),
                    None => error,
                });
            }
        }
    }

    fn evaluated(&self, name: &str, expression: &Expression) -> Result<Value, String> {
        let document = self.inputs.get(name).and_then(|input| input.document()).or(Some(0));
        let seen = self.inputs.seen_by(document, &Nowhere);
        let value =
            Evaluator::run(&seen, EvaluationLimits::DEFAULT, |evaluator| evaluator.evaluate(expression));
        value.map_err(|error| error.to_string())
    }
}
