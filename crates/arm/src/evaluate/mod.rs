//! Expressions to values, as far as their environment allows.
//!
//! [`evaluate`] wants a value and nothing less. [`reduce`] does what can be done: it returns a value, or the
//! expression that is left when everything known has been worked out. [`inline`] replaces references to
//! parameters, variables and the template's own functions and leaves all else as written. Depth and work are
//! bounded, so that no expression can exhaust the stack or run for ever.

mod access;
mod environment;
mod error;
mod inline;
mod json;
mod lambda;
mod special;

use std::cell::Cell;

use smol_str::SmolStr;

pub(crate) use access::{article, out_of_bounds, part, show};
use environment::Inside;
pub use environment::{Answer, Environment, Moment, Scope, UserFunction, Void};
pub use error::{Cause, EvaluateError};
pub use inline::inline;
pub(crate) use lambda::{Argument, Lambda};

use crate::expression::{Call, Expression};
use crate::functions::{self, Function, Run};
use crate::value::{self, Value};

/// How much an evaluation may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many calls may stand inside each other, those through variables and functions included.
    pub depth: usize,
    /// How much work may be done in all: a call is one step, and so is every sixteen bytes or one element that it
    /// makes.
    pub steps: u64,
}

impl Limits {
    /// The defaults: 400 levels, 50 million steps.
    pub const DEFAULT: Limits = Limits { depth: crate::expression::MAX_DEPTH, steps: 50_000_000 };
}

/// What is left of an expression after reduction.
#[derive(Clone, Debug, PartialEq)]
pub enum Reduced {
    /// All of it was known.
    Value(Value),
    /// What has to be evaluated later.
    Expression(Expression),
}

impl Reduced {
    /// The expression that gives what is left.
    pub fn into_expression(self) -> Expression {
        match self {
            Reduced::Value(value) => Expression::from_value(&value),
            Reduced::Expression(expression) => expression,
        }
    }
}

/// Evaluates an expression with the default limits.
pub fn evaluate(expression: &Expression, environment: &dyn Environment) -> Result<Value, EvaluateError> {
    Evaluator::run(environment, Limits::DEFAULT, |evaluator| evaluator.evaluate(expression))
}

/// Evaluates what can be evaluated of an expression, with the default limits.
pub fn reduce(expression: &Expression, environment: &dyn Environment) -> Result<Reduced, EvaluateError> {
    Evaluator::run(environment, Limits::DEFAULT, |evaluator| evaluator.reduce(expression))
}

/// One evaluation under way: an environment, and what has been used up.
pub struct Evaluator<'e> {
    environment: &'e dyn Environment,
    used: &'e Used,
    limits: Limits,
}

#[derive(Default)]
struct Used {
    depth: Cell<usize>,
    steps: Cell<u64>,
}

/// The variables of the lambdas around an expression, the innermost first.
#[derive(Clone, Copy)]
pub(crate) struct Locals<'l> {
    outer: Option<&'l Locals<'l>>,
    names: &'l [SmolStr],
    /// None while the body is only rewritten.
    values: Option<&'l [Value]>,
}

impl Locals<'_> {
    const NONE: Locals<'static> = Locals { outer: None, names: &[], values: None };
}

impl<'e> Evaluator<'e> {
    /// Starts an evaluation and hands it to `work`; everything in it shares one set of limits.
    pub fn run<T>(
        environment: &dyn Environment,
        limits: Limits,
        work: impl FnOnce(&Evaluator<'_>) -> T,
    ) -> T {
        let used = Used::default();
        work(&Evaluator { environment, used: &used, limits })
    }

    /// The same evaluation in another environment.
    pub fn within<T>(&self, environment: &dyn Environment, work: impl FnOnce(&Evaluator<'_>) -> T) -> T {
        work(&Evaluator { environment, used: self.used, limits: self.limits })
    }

    /// Evaluates an expression.
    pub fn evaluate(&self, expression: &Expression) -> Result<Value, EvaluateError> {
        match self.reduce(expression)? {
            Reduced::Value(value) => Ok(value),
            Reduced::Expression(rest) => Err(unknown(&rest)),
        }
    }

    /// Evaluates what can be evaluated of an expression.
    pub fn reduce(&self, expression: &Expression) -> Result<Reduced, EvaluateError> {
        self.expression(expression, &Locals::NONE)
    }

    pub(crate) fn expression(
        &self,
        expression: &Expression,
        locals: &Locals<'_>,
    ) -> Result<Reduced, EvaluateError> {
        let depth = self.used.depth.get() + 1;
        if depth > self.limits.depth {
            let message =
                format!("expressions stand more than {} levels deep inside each other", self.limits.depth);
            return Err(EvaluateError::new(Cause::TooDeep, message));
        }
        self.used.depth.set(depth);
        let result = match expression {
            Expression::Text(text) => Ok(Reduced::Value(Value::Text(text.clone()))),
            Expression::Int(value) => Ok(Reduced::Value(Value::Int(*value))),
            Expression::Call(call) => self.call(call, locals),
            Expression::Access(walk) => access::access(self, walk, locals),
        };
        self.used.depth.set(depth - 1);
        result
    }

    fn call(&self, call: &Call, locals: &Locals<'_>) -> Result<Reduced, EvaluateError> {
        self.step(1)?;
        if let Some(namespace) = &call.namespace {
            return self.user_call(namespace, call, locals);
        }
        let Some(function) = functions::find(&call.name) else {
            let message = format!("there is no function `{}`", call.name);
            return Err(EvaluateError::new(Cause::UnknownFunction(call.name.clone()), message));
        };
        function.check_count(call.arguments.len())?;
        match function.run {
            Run::Special(special) => special::run(self, special, call, locals),
            Run::Lambda(run) => lambda::run(self, function, run, call, locals),
            Run::Pure(_) | Run::Scoped(_) | Run::Clock(_) | Run::NewGuid | Run::Host => {
                self.strict(function, call, locals)
            }
        }
    }

    /// A function that needs the values of all its arguments.
    fn strict(
        &self,
        function: &Function,
        call: &Call,
        locals: &Locals<'_>,
    ) -> Result<Reduced, EvaluateError> {
        let values = match self.arguments(&call.arguments, locals)? {
            Arguments::Values(values) => values,
            Arguments::Expressions(arguments) => return Ok(left(call, arguments)),
        };
        let not_here = || EvaluateError::not_allowed_here(function.name);
        let answer = match function.run {
            Run::Pure(run) => {
                Answer::Value(run(functions::Arguments(&values)).map_err(|fault| fault.of(function))?)
            }
            Run::Scoped(run) => {
                let id = run(functions::Arguments(&values), &self.environment.scope());
                id.map_err(|fault| fault.of(function))?.map_or(Answer::Unknown, Answer::Value)
            }
            Run::Clock(run) => {
                let now = self.environment.now().ok_or_else(not_here)?;
                Answer::Value(run(functions::Arguments(&values), now).map_err(|fault| fault.of(function))?)
            }
            Run::NewGuid => {
                let bytes = self.environment.new_guid().ok_or_else(not_here)?;
                Answer::Value(Value::text(crate::hash::uuid_text(bytes)))
            }
            Run::Host | Run::Special(_) | Run::Lambda(_) => {
                self.environment.host(&call.name, &values, self)?
            }
        };
        self.answer(answer, || left(call, values.iter().map(Expression::from_value).collect()))
    }

    fn user_call(&self, namespace: &str, call: &Call, locals: &Locals<'_>) -> Result<Reduced, EvaluateError> {
        let Some(function) = self.environment.function(namespace, &call.name) else {
            let name = SmolStr::from(format!("{namespace}.{}", call.name));
            let message = format!("there is no function `{name}`");
            return Err(EvaluateError::new(Cause::UnknownFunction(name), message));
        };
        if function.parameters.len() != call.arguments.len() {
            let name = SmolStr::from(format!("{namespace}.{}", call.name));
            let message = format!(
                "`{name}` takes {}, not {}",
                functions::counted(function.parameters.len()),
                call.arguments.len()
            );
            return Err(EvaluateError::new(Cause::ArgumentCount(name), message));
        }
        let values = match self.arguments(&call.arguments, locals)? {
            Arguments::Values(values) => values,
            Arguments::Expressions(arguments) => return Ok(left(call, arguments)),
        };
        let inside = Inside { outer: self.environment, names: &function.parameters, arguments: &values };
        self.within(&inside, |evaluator| evaluator.expression(&function.body, &Locals::NONE))
    }

    /// Reduces arguments; they are values only if all of them are.
    fn arguments(&self, arguments: &[Expression], locals: &Locals<'_>) -> Result<Arguments, EvaluateError> {
        let mut values = Vec::with_capacity(arguments.len());
        let mut rest = arguments.iter();
        for argument in &mut rest {
            match self.expression(argument, locals)? {
                Reduced::Value(value) => values.push(value),
                Reduced::Expression(first) => {
                    let mut expressions: Vec<Expression> =
                        values.iter().map(Expression::from_value).collect();
                    expressions.push(first);
                    for argument in rest {
                        expressions.push(self.expression(argument, locals)?.into_expression());
                    }
                    return Ok(Arguments::Expressions(expressions));
                }
            }
        }
        Ok(Arguments::Values(values))
    }

    /// Turns what an environment said into a result; `unknown` makes what stays of the call.
    fn answer(&self, answer: Answer, unknown: impl FnOnce() -> Reduced) -> Result<Reduced, EvaluateError> {
        match answer {
            Answer::Value(value) => {
                self.made(&value)?;
                Ok(Reduced::Value(value))
            }
            Answer::Expression(expression) => Ok(Reduced::Expression(expression)),
            Answer::Unknown => Ok(unknown()),
        }
    }

    /// Counts what a call made against the limits.
    fn made(&self, value: &Value) -> Result<(), EvaluateError> {
        if value.depth() as usize > value::MAX_DEPTH {
            let message = format!("the value nests more than {} levels deep", value::MAX_DEPTH);
            return Err(EvaluateError::new(Cause::TooDeep, message));
        }
        self.step(match value {
            Value::Text(text) => text.len() as u64 / 16,
            Value::Array(list) => list.items().len() as u64,
            Value::Object(object) => object.len() as u64,
            _ => 0,
        })
    }

    fn step(&self, steps: u64) -> Result<(), EvaluateError> {
        let used = self.used.steps.get().saturating_add(steps);
        self.used.steps.set(used);
        if used > self.limits.steps {
            let message = format!("the expression takes more than {} steps", self.limits.steps);
            return Err(EvaluateError::new(Cause::TooLarge, message));
        }
        Ok(())
    }
}

enum Arguments {
    Values(Vec<Value>),
    Expressions(Vec<Expression>),
}

/// What stays of a call whose result is not known.
fn left(call: &Call, arguments: Vec<Expression>) -> Reduced {
    Reduced::Expression(Expression::Call(Box::new(Call {
        namespace: call.namespace.clone(),
        name: call.name.clone(),
        arguments,
    })))
}

fn unknown(rest: &Expression) -> EvaluateError {
    let mut text = rest.to_string();
    if let Some((end, _)) = text.char_indices().nth(80) {
        text.truncate(end);
        text.push('…');
    }
    EvaluateError::new(Cause::Unknown, format!("the value of `{text}` is not known yet"))
}
