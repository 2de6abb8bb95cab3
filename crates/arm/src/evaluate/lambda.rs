//! Lambdas: what the functions that take them can do with them.

use std::cell::Cell;

use smol_str::SmolStr;

use super::{Cause, EvaluateError, Evaluator, Locals, PART, Reduced, left, taint};
use crate::expression::{Expression, FunctionCall};
use crate::functions::{Function, LambdaRun};
use crate::value::Value;

/// How many more levels the body of a lambda counts for, which takes more of the stack.
const BODY: usize = 2;

/// An argument of a function that takes lambdas.
pub(crate) enum Argument<'a> {
    Value(Value),
    /// A lambda, ready to be applied.
    Lambda(Lambda<'a>),
}

/// `lambda('x', 'y', body)`, with the variables that its body sees.
pub(crate) struct Lambda<'a> {
    evaluator: &'a Evaluator<'a>,
    locals: &'a Locals<'a>,
    names: Vec<SmolStr>,
    body: &'a Expression,
    /// Set when what a secret says decides what becomes of an element.
    tainted: &'a Cell<bool>,
}

impl Lambda<'_> {
    /// How many variables the lambda has.
    pub(crate) fn arity(&self) -> usize {
        self.names.len()
    }

    /// The value of the body with the variables set; parts of it may not be known.
    pub(crate) fn apply(&self, values: &[Value]) -> Result<Value, EvaluateError> {
        let locals = Locals { outer: Some(self.locals), names: &self.names, values: Some(values) };
        self.evaluator.step(1)?;
        let mark = self.evaluator.mark();
        let body = || self.evaluator.expression(self.body, &locals);
        let result = self.evaluator.deeper(BODY, body)?;
        self.evaluator.back_to(mark);
        Ok(match result {
            Reduced::Value(value) => value,
            Reduced::Expression(expression) => expression.to_parts(),
        })
    }

    /// Goes over elements: each time the result takes the place of the one before.
    pub(crate) fn fold(&self, items: &[Value], start: &Value) -> Result<Value, EvaluateError> {
        let mark = self.evaluator.mark();
        let mut current = start.clone();
        for (index, item) in items.iter().enumerate() {
            let next = [std::mem::replace(&mut current, Value::Null), item.clone(), Value::Int(index as i64)];
            current = self.apply(&next)?;
            self.evaluator.settle_value(mark, &current)?;
        }
        Ok(current)
    }

    /// Counts a name that is kept beside others.
    pub(crate) fn keep_name(&self, name: &str) -> Result<(), EvaluateError> {
        self.evaluator.grow(PART + name.len() as u64)
    }

    /// The same for a result that is kept beside others, which have so many parts together. What would be too large at the end is
    /// given up on the way, before it takes the memory.
    pub(crate) fn apply_and_keep(&self, values: &[Value], kept: &mut u64) -> Result<Value, EvaluateError> {
        let value = self.apply(values)?;
        *kept = kept.saturating_add(value.size());
        self.evaluator.fits(*kept)?;
        self.evaluator.grow(value.bytes())?;
        Ok(value)
    }

    /// A value that decides something about the result, in plain; the result as a whole is secret then. None
    /// if it is not known.
    pub(crate) fn decide(&self, value: Value) -> Option<Value> {
        if value.has_unknown() {
            return None;
        }
        if value.has_secret() {
            self.tainted.set(true);
        }
        Some(value.expose())
    }

    /// The lambda with its body reduced as far as possible while its variables are not known.
    fn rewritten(&self) -> Expression {
        let locals = Locals { outer: Some(self.locals), names: &self.names, values: None };
        let body = match self.evaluator.attempt(|| self.evaluator.expression(self.body, &locals)) {
            Ok(body) => body.into_expression(),
            Err(_) => self.body.clone(),
        };
        let names = self.names.iter().cloned().map(Expression::Text);
        Expression::call("lambda", names.chain([body]).collect::<Vec<_>>())
    }
}

/// Evaluates a call of a function that takes lambdas.
pub(super) fn run(
    evaluator: &Evaluator<'_>,
    function: &Function,
    run: LambdaRun,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let mark = evaluator.mark();
    let tainted = Cell::new(false);
    let mut arguments = Vec::with_capacity(call.arguments.len());
    let mut whole = false;
    for argument in &call.arguments {
        if let Some(inner) = argument.as_call().filter(|inner| inner.is_call_to("lambda")) {
            arguments.push(Argument::Lambda(lambda(evaluator, inner, locals, &tainted)?));
            continue;
        }
        match evaluator.expression(argument, locals)? {
            // The first argument is what the function goes over, element by element.
            Reduced::Value(value) if arguments.is_empty() && value.is_secret() => {
                tainted.set(true);
                arguments.push(Argument::Value(value.spread()));
            }
            Reduced::Value(value) => arguments.push(Argument::Value(value)),
            Reduced::Expression(expression) => {
                let parts = expression.to_parts();
                // What is gone over has to be known as such, all else may be anything.
                whole |= arguments.is_empty() && parts.is_closed();
                arguments.push(Argument::Value(parts));
            }
        }
    }
    if !whole && let Some(value) = run(&arguments).map_err(|fault| fault.of(function))? {
        evaluator.made(&value)?;
        evaluator.settle_value(mark, &value)?;
        let value = if tainted.get() && !value.has_unknown() { value.secret() } else { value };
        return Ok(taint::opened(value));
    }
    let expressions: Vec<Expression> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Value(value) => Expression::from_value(value),
            Argument::Lambda(lambda) => lambda.rewritten(),
        })
        .collect();
    Ok(left(call, expressions))
}

fn lambda<'a>(
    evaluator: &'a Evaluator<'a>,
    call: &'a FunctionCall,
    locals: &'a Locals<'a>,
    tainted: &'a Cell<bool>,
) -> Result<Lambda<'a>, EvaluateError> {
    let wrong = |message: &str| EvaluateError::new(Cause::Argument("lambda".into()), message);
    let Some((body, names)) = call.arguments.split_last() else {
        return Err(wrong("a lambda has a body: `lambda('x', ...)`"));
    };
    let names = names.iter().map(|name| match name {
        Expression::Text(name) => Ok(name.clone()),
        _ => Err(wrong("the variables of a lambda are string literals: `lambda('x', ...)`")),
    });
    Ok(Lambda { evaluator, locals, names: names.collect::<Result<_, _>>()?, body, tainted })
}
