//! References replaced, and nothing else changed.
//!
//! A parameters file cannot speak of variables, of parameters or of functions that a file defines, so an
//! expression that has to be evaluated later keeps its calls and gets the values of all it refers to:
//! `format('{0}-{1}', variables('a'), externalInputs('b'))` becomes `format('{0}-{1}', 'toy', externalInputs('b'))`.

use super::{Environment, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Reduced};
use crate::expression::{Expression, FunctionCall};

/// Replaces the references to parameters, variables and the template's own functions in an expression.
pub fn inline(expression: &Expression, environment: &dyn Environment) -> Result<Expression, EvaluateError> {
    Evaluator::run(environment, EvaluationLimits::DEFAULT, |evaluator| evaluator.inline(expression))
}

impl Evaluator<'_> {
    /// Replaces the references in an expression; see [`inline`].
    pub fn inline(&self, expression: &Expression) -> Result<Expression, EvaluateError> {
        self.deeper(1, || self.inlined(expression))
    }

    fn inlined(&self, expression: &Expression) -> Result<Expression, EvaluateError> {
        match expression {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => Ok(expression.clone()),
            Expression::Access(walk) => {
                let mut base = self.inline(walk.base())?;
                for step in walk.path() {
                    base = base.index(self.inline(step)?);
                }
                Ok(base)
            }
            Expression::Call(call) => self.inlined_call(call),
        }
    }

    fn inlined_call(&self, call: &FunctionCall) -> Result<Expression, EvaluateError> {
        let answer = match call.arguments.as_slice() {
            [Expression::Text(name)] if call.is_call_to("parameters") => {
                Some(self.environment.parameter(name, self)?)
            }
            [Expression::Text(name)] if call.is_call_to("variables") => {
                Some(self.environment.variable(name, self)?)
            }
            _ => None,
        };
        match answer {
            Some(EnvironmentValue::Value(value)) => return Ok(Expression::from_value(&value)),
            Some(EnvironmentValue::Expression(expression)) => return Ok(expression),
            Some(EnvironmentValue::Unknown) | None => {}
        }
        let arguments =
            call.arguments.iter().map(|argument| self.inline(argument)).collect::<Result<_, _>>()?;
        let call = FunctionCall { namespace: call.namespace.clone(), name: call.name.clone(), arguments };
        let is_own = call.namespace.is_some();
        let call = Expression::Call(Box::new(call));
        if is_own {
            let reduced: Reduced = self.reduce(&call)?;
            return Ok(reduced.into_expression());
        }
        Ok(call)
    }
}

impl Evaluator<'_> {
    /// What an environment answers for an expression that it evaluates on the way: its value, or what is left.
    pub fn answer_with(&self, expression: &Expression) -> Result<EnvironmentValue, EvaluateError> {
        Ok(match self.reduce(expression)? {
            Reduced::Value(value) => EnvironmentValue::Value(value),
            Reduced::Expression(expression) => EnvironmentValue::Expression(expression),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::evaluate::UserFunction;
    use crate::expression::parse;

    struct File(UserFunction);

    impl Environment for File {
        fn variable(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
            Ok(match name {
                "breed" => "golden".into(),
                "input" => EnvironmentValue::Expression(parse("externalInputs('sys_cli_0')").unwrap()),
                "list" => Value::array(vec![Value::Int(1), Value::Bool(true)]).into(),
                _ => EnvironmentValue::Unknown,
            })
        }

        fn host(&self, _: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
            Ok(EnvironmentValue::Unknown)
        }

        fn function(&self, _: &str, _: &str) -> Option<&UserFunction> {
            Some(&self.0)
        }

        fn admit(
            &self,
            _: &FunctionCall,
            _: crate::evaluate::FunctionRole,
            value: Value,
            _: &Evaluator<'_>,
        ) -> Result<contract::Admitted<Value>, EvaluateError> {
            // The function has no types.
            Ok(contract::OpenTerms::admit(contract::Boundary::Argument, value))
        }
    }

    #[track_caller]
    fn inlines(expression: &str, expected: &str) {
        let person = "createObject('name', parameters('n'), 'age', add(parameters('a'), 1))";
        let function =
            UserFunction { parameters: vec!["n".into(), "a".into()], body: parse(person).unwrap() };
        let found = inline(&parse(expression).unwrap(), &File(function)).unwrap();
        assert_eq!(found.to_string(), expected);
    }

    #[test]
    fn references_become_values_and_calls_stay() {
        inlines(
            "format('{0}-{1}-{2}', 'toy', variables('breed'), variables('input'))",
            "format('{0}-{1}-{2}', 'toy', 'golden', externalInputs('sys_cli_0'))",
        );
        inlines("variables('list')[add(0, 1)]", "createArray(1, true())[add(0, 1)]");
        inlines("variables('other')", "variables('other')");
    }

    #[test]
    fn functions_of_the_file_become_their_result() {
        inlines(
            "createArray(__bicep.person('Alice', 41))",
            "createArray(createObject('name', 'Alice', 'age', 42))",
        );
        inlines("__bicep.person(variables('input'), 1)", "__bicep.person(externalInputs('sys_cli_0'), 1)");
    }
}
