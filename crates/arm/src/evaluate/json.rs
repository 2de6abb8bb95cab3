//! JSON with expressions in it: the strings and names of a template.

use super::{Cause, EvaluateError, Evaluator, Reduced};
use crate::expression::{Expression, ParseError, TemplateString, escape_text, print_template_string};
use crate::value::{ObjectBuilder, Value};

impl Expression {
    /// The expression that gives what template JSON stands for; expression strings become part of it.
    pub fn from_template(json: &Value) -> Result<Expression, ParseError> {
        Ok(match json {
            Value::Text(text) => TemplateString::parse(text)?,
            Value::Array(list) => {
                let items = list.items().iter().map(Expression::from_template);
                Expression::call("createArray", items.collect::<Result<Vec<_>, _>>()?)
            }
            Value::Object(object) => {
                let mut arguments = Vec::with_capacity(2 * object.len());
                for (name, value) in &**object {
                    arguments.push(TemplateString::parse(name)?);
                    arguments.push(Expression::from_template(value)?);
                }
                Expression::call("createObject", arguments)
            }
            scalar => Expression::from_value(scalar),
        })
    }
}

impl Evaluator<'_> {
    /// Evaluates what can be evaluated in template JSON. What is left is template JSON again: text that looks
    /// like an expression is escaped, and what is not known stays an expression string.
    pub fn reduce_json(&self, json: &Value) -> Result<Value, EvaluateError> {
        self.json(json, &mut |text| {
            Ok(match self.string(text)? {
                Reduced::Value(value) => escaped(value),
                Reduced::Expression(rest) => {
                    let mut text = String::new();
                    print_template_string(&rest, &mut text);
                    Value::text(text)
                }
            })
        })
    }

    fn string(&self, text: &str) -> Result<Reduced, EvaluateError> {
        let expression = TemplateString::parse(text)?;
        self.reduce(&expression)
    }

    /// Recursion is bounded by how deep a value may nest.
    fn json(
        &self,
        json: &Value,
        string: &mut dyn FnMut(&str) -> Result<Value, EvaluateError>,
    ) -> Result<Value, EvaluateError> {
        let mark = self.mark();
        let value = match json {
            Value::Text(text) => string(text)?,
            Value::Array(list) => {
                let items = list.items().iter().map(|item| self.json(item, string));
                Value::array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(object) => {
                let mut members = ObjectBuilder::default();
                let mut secret_name = false;
                for (name, value) in &**object {
                    let name = string(name)?;
                    secret_name |= name.is_secret();
                    let name = match name.plain() {
                        Value::Text(name) => name.clone(),
                        other => {
                            let message = format!(
                                "the name of a property must be a string, not {}",
                                super::access::article(other)
                            );
                            return Err(EvaluateError::new(Cause::NotIndexable, message));
                        }
                    };
                    members.insert(name, self.json(value, string)?);
                }
                let object = members.finish();
                if secret_name { object.secret() } else { object }
            }
            scalar => return Ok(scalar.clone()),
        };
        self.made(&value)?;
        self.settle_value(mark, &value)?;
        Ok(value)
    }
}

/// A value as template JSON that stands for it.
fn escaped(value: Value) -> Value {
    match value {
        Value::Text(text) => Value::text(escape_text(&text)),
        Value::Array(list) => Value::array(list.items().iter().cloned().map(escaped).collect()),
        Value::Object(object) => {
            let mut members = ObjectBuilder::default();
            for (name, value) in &*object {
                members.insert(escape_text(name).as_ref().into(), escaped(value.clone()));
            }
            members.finish()
        }
        scalar => scalar,
    }
}
