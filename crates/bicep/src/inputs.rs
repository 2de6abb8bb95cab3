//! External inputs: what a parameters file asks of its surroundings, and the same parameters with the answers put in.
//!
//! Compiling a parameters file never reads an external input; it names each one under `externalInputDefinitions`. Who
//! deploys asks for them ([`external_inputs`]), gets the values wherever they are kept, and puts them in
//! ([`with_inputs`]). Nothing here keeps a value.

use std::collections::BTreeMap;

use arm::evaluate::{Answer, EvaluateError, Evaluator};
use arm::expression::TemplateString;
use arm::template_text::{Layout, Writer};
use arm::{Environment, Value};
use document::{Document, Limits};

use crate::codes;
use crate::finding::Fault;

/// Something that a parameters file asks of its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalInput {
    /// What expressions of the parameters call it.
    pub key: String,
    /// Who is asked, such as `sys.envVar`.
    pub kind: String,
    /// What is asked for.
    pub config: Option<Value>,
}

/// The external inputs that compiled parameters ask for, by key.
pub fn external_inputs(parameters: &str) -> Result<Vec<ExternalInput>, Fault> {
    let document = read(parameters)?;
    let definitions = document.root().member("externalInputDefinitions");
    let read = |(key, value): (document::Value<'_>, document::Value<'_>)| {
        Some(ExternalInput {
            key: key.as_str()?.to_owned(),
            kind: value.member("kind")?.as_str()?.to_owned(),
            config: value.member("config").and_then(|config| Value::from_view(config).ok()),
        })
    };
    Ok(definitions.into_iter().flat_map(document::Value::members).filter_map(read).collect())
}

/// The same parameters with values in the place of external inputs; `answers` gives a value for each key.
///
/// ```
/// # use std::collections::BTreeMap;
/// let parameters = r#"{
///   "parameters": { "greeting": { "expression": "[format('hello {0}', externalInputs('sys_envVar_0'))]" } },
///   "externalInputDefinitions": { "sys_envVar_0": { "kind": "sys.envVar", "config": "USER" } }
/// }"#;
/// let answers = BTreeMap::from([("sys_envVar_0".to_owned(), "Ada".into())]);
/// let settled = bicep::with_inputs(parameters, &answers).map_err(|fault| fault.message)?;
/// assert!(settled.contains(r#""value": "hello Ada""#) && !settled.contains("externalInput"));
/// # Ok::<(), std::borrow::Cow<'static, str>>(())
/// ```
pub fn with_inputs(parameters: &str, answers: &BTreeMap<String, Value>) -> Result<String, Fault> {
    let document = read(parameters)?;
    let mut out = Writer::new(String::new(), Layout::Indented);
    out.begin_object();
    for (name, member) in document.root().members() {
        match name.as_str().unwrap_or_default() {
            "externalInputDefinitions" => {}
            "parameters" => {
                out.key("parameters");
                out.begin_object();
                for (name, parameter) in member.members() {
                    out.key(name.as_str().unwrap_or_default());
                    settle(parameter, answers, &mut out)?;
                }
                out.end_object();
            }
            "usingConfig" => {
                out.key("usingConfig");
                settle(member, answers, &mut out)?;
            }
            other => {
                out.key(other);
                out.value(member);
            }
        }
    }
    out.end_object();
    Ok(out.finish())
}

fn read(parameters: &str) -> Result<Document, Fault> {
    Document::from_json(parameters, 0, &Limits::DEFAULT)
        .map_err(|error| codes::NOT_EVALUATED.fault(&[&"the parameters", &error]))
}

/// Writes a parameter with its value in the place of an expression, and a secret with its address worked out.
fn settle(
    parameter: document::Value<'_>,
    answers: &BTreeMap<String, Value>,
    out: &mut Writer<String>,
) -> Result<(), Fault> {
    let text = |name: &str| parameter.member(name).and_then(document::Value::as_str);
    if let Some(expression) = text("expression") {
        out.begin_object();
        out.key("value");
        out.value(evaluated(expression, answers)?.view());
        out.end_object();
        return Ok(());
    }
    let Some(reference) = parameter.member("reference") else {
        out.value(parameter);
        return Ok(());
    };
    out.begin_object();
    out.key("reference");
    settle_texts(reference, answers, out)?;
    out.end_object();
    Ok(())
}

/// Writes a value whose texts may be expressions.
fn settle_texts(
    value: document::Value<'_>,
    answers: &BTreeMap<String, Value>,
    out: &mut Writer<String>,
) -> Result<(), Fault> {
    if let Some(text) = value.as_str() {
        out.value(evaluated(text, answers)?.view());
    } else if value.members().next().is_some() {
        out.begin_object();
        for (name, member) in value.members() {
            out.key(name.as_str().unwrap_or_default());
            settle_texts(member, answers, out)?;
        }
        out.end_object();
    } else {
        out.value(value);
    }
    Ok(())
}

fn evaluated(text: &str, answers: &BTreeMap<String, Value>) -> Result<Value, Fault> {
    let why = |error: &dyn std::fmt::Display| codes::NOT_EVALUATED.fault(&[&"a parameter", &error]);
    let expression = TemplateString::parse(text).map_err(|error| why(&error))?;
    arm::evaluate::evaluate(&expression, &Answers(answers)).map_err(|error| why(&error))
}

/// What expressions of compiled parameters see.
struct Answers<'a>(&'a BTreeMap<String, Value>);

impl Environment for Answers<'_> {
    fn host(&self, name: &str, arguments: &[Value], _: &Evaluator<'_>) -> Result<Answer, EvaluateError> {
        let key =
            arguments.first().and_then(Value::as_str).filter(|_| name.eq_ignore_ascii_case("externalInputs"));
        let Some(key) = key else { return Err(EvaluateError::not_allowed_here(name)) };
        let missing = || EvaluateError::missing_parameter(key);
        self.0.get(key).cloned().map(Answer::Value).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &str = r#"{
      "$schema": "s",
      "parameters": {
        "plain": { "value": 1 },
        "asked": { "expression": "[createObject('a', externalInputs('x_0'), 'b', toUpper(externalInputs('x_1')))]" },
        "secret": { "reference": { "keyVault": { "id": "[resourceId(externalInputs('x_1'), 'g', 'Microsoft.KeyVault', 'vaults', 'v')]" }, "secretName": "n" } }
      },
      "externalInputDefinitions": { "x_0": { "kind": "x", "config": { "n": 1 } }, "x_1": { "kind": "x" } }
    }"#;

    #[test]
    fn parameters_say_what_they_ask_for() {
        let inputs = external_inputs(PARAMETERS).unwrap();
        let asked: Vec<_> =
            inputs.iter().map(|it| (it.key.as_str(), it.kind.as_str(), it.config.is_some())).collect();
        assert_eq!(asked, [("x_0", "x", true), ("x_1", "x", false)]);
    }

    #[test]
    fn answers_take_the_place_of_questions() {
        let answers = BTreeMap::from([("x_0".to_owned(), Value::Int(7)), ("x_1".to_owned(), "s".into())]);
        let settled = with_inputs(PARAMETERS, &answers).unwrap();
        let document = Document::from_json(settled.as_str(), 0, &Limits::DEFAULT).unwrap();
        let at = |pointer: &str| {
            document.root().pointer(pointer).map(|value| Value::from_view(value).unwrap().to_json())
        };
        assert_eq!(at("/parameters/asked/value").as_deref(), Some(r#"{"a":7,"b":"S"}"#));
        assert_eq!(at("/parameters/plain/value").as_deref(), Some("1"));
        assert!(
            at("/parameters/secret/reference/keyVault/id")
                .unwrap()
                .contains("/subscriptions/s/resourceGroups/g/")
        );
        assert_eq!(at("/externalInputDefinitions"), None);
    }

    #[test]
    fn an_answer_that_is_missing_is_an_error() {
        assert_eq!(with_inputs(PARAMETERS, &BTreeMap::new()).unwrap_err().code, "BCP338");
        assert!(external_inputs("[").is_err());
    }
}
