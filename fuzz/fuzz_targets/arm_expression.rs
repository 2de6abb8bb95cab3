//! Any text is read as an expression or refused at a place inside it; one that is read prints back to itself, and
//! evaluates to a value or an error within its limits, wholly or in part.

#![no_main]

use arm::Value;
use arm::evaluate::{
    Environment, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Moment, Reduced, Scope,
};
use arm::expression::{Expression, TemplateString, parse, print_template_string};
use libfuzzer_sys::fuzz_target;

const LIMITS: EvaluationLimits = EvaluationLimits { steps: 50_000, ..EvaluationLimits::DEFAULT };

struct World {
    known: bool,
}

impl World {
    fn answer(&self, value: impl Into<Value>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(if self.known { EnvironmentValue::Value(value.into()) } else { EnvironmentValue::Unknown })
    }
}

impl Environment for World {
    fn parameter(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        self.answer(name)
    }

    fn variable(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        self.answer(vec![Value::from(name), Value::Int(1)])
    }

    fn copy_index(&self, _: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        self.answer(3)
    }

    fn host(
        &self,
        _: &str,
        arguments: &[Value],
        _: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        self.answer(arguments.to_vec())
    }

    fn scope(&self) -> Scope {
        if self.known { Scope::Tenant } else { Scope::Unknown }
    }

    fn now(&self) -> Option<Moment> {
        Some(Moment { seconds: 1_680_224_438, ticks: 1 })
    }
}

fn reduce(expression: &Expression, known: bool) -> Result<Reduced, EvaluateError> {
    Evaluator::run(&World { known }, LIMITS, |evaluator| evaluator.reduce(expression))
}

fuzz_target!(|text: &str| {
    let expression = match parse(text) {
        Ok(expression) => expression,
        Err(error) => {
            assert!(text.is_char_boundary(error.offset), "refused at no place: {error:?}");
            return;
        }
    };
    let printed = expression.to_string();
    assert_eq!(parse(&printed).as_ref(), Ok(&expression), "printed as {printed}");
    let mut string = String::new();
    print_template_string(&expression, &mut string);
    assert_eq!(TemplateString::parse(&string).as_ref(), Ok(&expression), "printed as {string}");

    let whole = reduce(&expression, true);
    let part = reduce(&expression, false);
    if let (Ok(whole), Ok(part)) = (whole, part) {
        // What is left may be longer than what was there, and so may not be worked out within the limits.
        if let Ok(later) = reduce(&part.into_expression(), true) {
            assert_eq!(later, whole, "reduction changed the result of {printed}");
        }
    }
});
