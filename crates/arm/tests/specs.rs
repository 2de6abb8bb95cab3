//! Runs the documents in `resources/specs`: each line of `main.text` is an expression, and `main.json` is a template, which
//! `support/template.rs` runs.
//!
//! `output` shows what each one gives, as JSON or as `error: ...`; `reduced` shows what is left of it when some
//! things are not known, and `inlined` what it is with its references replaced. A file `environment.json` says what
//! the expressions see:
//!
//! - `parameters`: their values;
//! - `variables`: template JSON, in which strings may be expressions;
//! - `functions`: template JSON by `namespace.name`, with the names of the parameters;
//! - `host`: results of functions that a host answers; what is not there is not known;
//! - `scope`: the subscription and resource group; `copyIndex`: iterations by the name of their loop;
//! - `now` and `newGuid`: the clock, in seconds since 1970, and the next random bytes.

use arm::evaluate::{
    Environment, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Moment, Reduced, Scope,
    UserFunction, evaluate, inline, reduce,
};
use arm::expression::{Expression, parse};
use arm::{Object, Value};
use document::{Document, FileId};
use spec_test::{Case, CaseOutput};

#[path = "support/template.rs"]
mod template;

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> CaseOutput {
    if let Some(file) = case.file("main.json") {
        return template::run(case, &file.text);
    }
    let Some(file) = case.file("main.text") else { return CaseOutput::error("no file `main.text`") };
    let world = match World::read(case.file("environment.json").map_or("{}", |file| &file.text)) {
        Ok(world) => world,
        Err(message) => return CaseOutput::error(message),
    };
    let each = |work: &dyn Fn(&Expression) -> Result<String, EvaluateError>| {
        let mut out = String::new();
        for line in file.text.lines().filter(|line| !line.is_empty()) {
            let line = match parse(line) {
                Err(error) => format!("syntax error at {}: {error}", error.offset),
                Ok(expression) => work(&expression).unwrap_or_else(|error| format!("error: {error}")),
            };
            out.push_str(&line);
            out.push('\n');
        }
        out
    };
    CaseOutput::new()
        .output("output", each(&|expression| Ok(evaluate(expression, &world)?.to_json())))
        .output(
            "reduced",
            each(&|expression| {
                Ok(match reduce(expression, &world)? {
                    Reduced::Value(value) => value.to_json(),
                    Reduced::Expression(rest) => format!("[{rest}]"),
                })
            }),
        )
        .output("inlined", each(&|expression| Ok(format!("[{}]", inline(expression, &world)?))))
        .output(
            "json",
            match case.file("template.json") {
                None => String::new(),
                Some(file) => match value(&file.text) {
                    Err(message) => message,
                    Ok(json) => {
                        let reduced = Evaluator::run(&world, EvaluationLimits::DEFAULT, |evaluator| {
                            evaluator.reduce_json(&json)
                        });
                        match reduced {
                            Ok(value) => arm::template_text::indented(value.view()),
                            Err(error) => format!("error: {error}"),
                        }
                    }
                },
            },
        )
}

struct World {
    root: Value,
    functions: Vec<(String, UserFunction)>,
}

fn value(text: &str) -> Result<Value, String> {
    let document = Document::from_json(text, FileId::FIRST, &document::ReadLimits::DEFAULT)
        .map_err(|error| error.to_string())?;
    Value::from_view(document.root()).map_err(|error| error.to_string())
}

impl World {
    fn read(text: &str) -> Result<World, String> {
        let root = value(text)?;
        let mut functions = Vec::new();
        if let Some(declared) =
            root.as_object().and_then(|root| root.get("functions")).and_then(Value::as_object)
        {
            for (name, function) in declared {
                let member = |name: &str| function.as_object().and_then(|function| function.get(name));
                let parameters = member("parameters").and_then(Value::as_array).unwrap_or_default();
                let parameters = parameters.iter().filter_map(|name| name.as_str().map(Into::into)).collect();
                let body = member("body").ok_or("a function has no body")?;
                let body = Expression::from_template(body).map_err(|error| error.to_string())?;
                functions.push((name.to_string(), UserFunction { parameters, body }));
            }
        }
        Ok(World { root, functions })
    }

    fn section(&self, name: &str) -> Option<&Object> {
        self.root.as_object()?.get(name)?.as_object()
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.root.as_object()?.get(name)? {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }
}

impl Environment for World {
    fn parameter(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        match self.section("parameters").and_then(|parameters| parameters.get(name)) {
            Some(value) => Ok(EnvironmentValue::Value(value.clone())),
            None => Err(EvaluateError::missing_parameter(name)),
        }
    }

    fn variable(&self, name: &str, evaluator: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        match self.section("variables").and_then(|variables| variables.get(name)) {
            Some(json) => evaluator.answer_with(&Expression::from_template(json)?),
            None => Err(EvaluateError::missing_variable(name)),
        }
    }

    fn copy_index(&self, loop_name: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        let loops = self.section("copyIndex").ok_or_else(|| EvaluateError::not_allowed_here("copyIndex"))?;
        Ok(EnvironmentValue::Value(loops.get(loop_name.unwrap_or_default()).cloned().unwrap_or(Value::Null)))
    }

    fn function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        let name = format!("{namespace}.{name}");
        self.functions
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(&name))
            .map(|(_, function)| function)
    }

    fn admit(
        &self,
        _: &arm::expression::FunctionCall,
        _: arm::evaluate::FunctionRole,
        value: Value,
        _: &Evaluator<'_>,
    ) -> Result<contract::Admitted<Value>, EvaluateError> {
        // The functions of these documents have no types.
        Ok(contract::OpenTerms::admit(contract::Boundary::Argument, value))
    }

    fn host(&self, name: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        match self.section("host") {
            Some(host) => {
                Ok(host.get(name).cloned().map_or(EnvironmentValue::Unknown, EnvironmentValue::Value))
            }
            None => Err(EvaluateError::not_allowed_here(name)),
        }
    }

    fn scope(&self) -> Scope {
        let Some(scope) = self.section("scope") else { return Scope::Unknown };
        let text = |name: &str| scope.get(name).and_then(Value::as_str);
        match (text("managementGroup"), text("subscription"), text("resourceGroup")) {
            (Some(group), ..) => Scope::ManagementGroup(group.into()),
            (_, Some(subscription), Some(name)) => {
                Scope::ResourceGroup { subscription: subscription.into(), name: name.into() }
            }
            (_, Some(subscription), None) => Scope::Subscription(subscription.into()),
            _ => Scope::Tenant,
        }
    }

    fn now(&self) -> Option<Moment> {
        self.int("now").map(|seconds| Moment { seconds, ticks: 0 })
    }

    fn new_guid(&self) -> Option<[u8; 16]> {
        self.int("newGuid").map(|number| u128::to_be_bytes(number as u128))
    }
}
