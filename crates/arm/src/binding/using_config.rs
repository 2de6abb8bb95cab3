//! `usingConfig` of a compiled parameters file: what it says behind `using ... with` about its deployment.

use contract::Node;
use diagnostics::Message;
use document::SourceValue;

use super::entry::{self, EntrySource, USING};
use super::externals::MissingInput;
use super::inputs::{Inputs, ParameterSource};
use crate::evaluate::{Environment, EvaluationLimits, Evaluator};
use crate::expression::Expression;
use crate::template::{TemplateError, code};
use crate::value::Value;

/// Nothing is known of the surroundings.
struct Nowhere;

impl Environment for Nowhere {}

/// Reads the entry of a file: a value, or an expression that external inputs are missing for.
pub(super) fn read(entry: SourceValue<'_>) -> Result<Option<ParameterSource>, String> {
    match entry.node() {
        Node::Null => return Ok(None),
        Node::Object(_) => {}
        _ => return Err(USING.not_an_object("a value")),
    }
    let members = entry.members().map(|(key, value)| (key.as_str().unwrap_or_default(), (key, value)));
    let (way, (_, value)) = USING.read(members).map_err(|flaw| flaw.message)?;
    match way {
        EntrySource::Expression => {
            entry::expression(value.as_str()).map(|it| Some(ParameterSource::Expression(it)))
        }
        EntrySource::Value | EntrySource::Reference => Value::from_view(value)
            .map(|it| Some(ParameterSource::Value(it)))
            .map_err(|error| error.to_string()),
    }
}

impl Inputs {
    /// The expression of the first file that says how it is deployed.
    pub(super) fn using_expression(&self) -> Option<&Expression> {
        match self.using_config.as_ref()? {
            ParameterSource::Expression(expression) => Some(expression),
            ParameterSource::Value(_)
            | ParameterSource::Reference(_)
            | ParameterSource::LateReference(_)
            | ParameterSource::Later(_) => None,
        }
    }

    /// The external inputs that what is said behind `using` needs, and that have no value yet, each once.
    pub fn missing_for_using(&self) -> Vec<MissingInput> {
        self.missing_of_using(&mut Default::default())
    }

    /// What the file says behind `using`; none if it says nothing. All inputs that it needs have their values
    /// ([`Inputs::missing_for_using`]), which are in plain here.
    pub fn using_config(&self) -> Result<Option<Value>, TemplateError> {
        let expression = match &self.using_config {
            Some(ParameterSource::Value(value)) => return Ok(Some(value.clone())),
            Some(_) | None => self.using_expression(),
        };
        let Some(expression) = expression else { return Ok(None) };
        let seen = self.seen_by(Some(0), &Nowhere);
        let value =
            Evaluator::run(&seen, EvaluationLimits::DEFAULT, |evaluator| evaluator.evaluate(expression));
        value.map(|value| Some(value.expose())).map_err(|error| {
            let message =
                Message::sentence(format!("What `using` says about the deployment is not valid: {error}"));
            TemplateError::new(code::INVALID_TEMPLATE, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use document::FileId;

    use super::*;
    use crate::template::TemplateLimits;

    fn inputs(rest: &str) -> Inputs {
        let text = format!(r#"{{ "parameters": {{}}, {rest} }}"#);
        Inputs::read(text, FileId(0), &TemplateLimits::DEFAULT).unwrap()
    }

    #[test]
    fn a_file_may_say_nothing() {
        let inputs = inputs(r#""contentVersion": "1.0.0.0""#);
        assert!(inputs.missing_for_using().is_empty());
        assert_eq!(inputs.using_config().unwrap(), None);
    }

    #[test]
    fn what_is_known_is_a_value() {
        let inputs = inputs(r#""usingConfig": { "value": { "mode": "deployment", "scope": "/" } }"#);
        let config = inputs.using_config().unwrap().unwrap();
        assert_eq!(config.to_json(), r#"{"mode":"deployment","scope":"/"}"#);
    }

    #[test]
    fn inputs_are_asked_for_first() {
        let mut inputs = inputs(
            r#""externalInputDefinitions": { "a": { "kind": "sys.envVar", "config": "A" }, "b": { "kind": "sys.envVar", "config": "B" } },
            "usingConfig": { "expression": "[createObject('scope', format('/subscriptions/{0}', externalInputs('a')))]" }"#,
        );
        assert!(inputs.using_config().is_err());
        let missing = inputs.missing_for_using();
        assert_eq!(missing.iter().map(|it| it.input.key.as_str()).collect::<Vec<_>>(), ["a"]);
        for missing in missing {
            inputs.supply(&missing.input, Value::from("x"));
        }
        let config = inputs.using_config().unwrap().unwrap();
        assert_eq!(config.to_json(), r#"{"scope":"/subscriptions/x"}"#);
    }
}
