//! Functions that do not simply take the values of their arguments.

use super::{Cause, EnvironmentValue, EvaluateError, Evaluator, Locals, Reduced, left, taint};
use crate::expression::{Expression, FunctionCall};
use crate::functions::Special;
use crate::value::{Value, equal_ignoring_case};

/// Evaluates a call of one of them.
pub(super) fn run(
    evaluator: &Evaluator<'_>,
    special: Special,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    match special {
        Special::If => choose(evaluator, call, locals),
        Special::And => shortcut(evaluator, call, locals, false),
        Special::Or => shortcut(evaluator, call, locals, true),
        Special::Coalesce => coalesce(evaluator, call, locals),
        Special::Parameters => {
            reference(evaluator, call, locals, |name| evaluator.environment.parameter(name, evaluator))
        }
        Special::Variables => {
            reference(evaluator, call, locals, |name| evaluator.environment.variable(name, evaluator))
        }
        Special::CopyIndex => copy_index(evaluator, call, locals),
        Special::LambdaVariables => lambda_variable(evaluator, call, locals),
        Special::LambdaItself => Err(EvaluateError::new(
            Cause::NotAllowedHere("lambda".into()),
            "a lambda can only be an argument of a function that takes one, such as `map`",
        )),
    }
}

/// `if(condition, then, else)`: the branch that is not taken is not evaluated.
fn choose(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let [condition, then, otherwise] = call.arguments.as_slice() else { return Err(no_such_count(call)) };
    let mark = evaluator.mark();
    match evaluator.expression(condition, locals)? {
        Reduced::Value(value) => {
            evaluator.back_to(mark);
            let branch = match value.plain() {
                Value::Bool(true) => then,
                Value::Bool(false) => otherwise,
                value => return Err(not_a_bool(call, 1, value)),
            };
            let taken = evaluator.expression(branch, locals)?;
            Ok(if value.is_secret() && !evaluator.is_for_people() { secret(taken) } else { taken })
        }
        Reduced::Expression(condition) => {
            let branches = [then, otherwise].map(|branch| attempt(evaluator, branch, locals));
            Ok(left(call, std::iter::once(condition).chain(branches).collect()))
        }
    }
}

/// `and` and `or`: the first argument that is `decisive` decides, and those behind it are not evaluated.
fn shortcut(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
    decisive: bool,
) -> Result<Reduced, EvaluateError> {
    let mut from_secret = false;
    let mark = evaluator.mark();
    let result = |value: bool, from_secret: bool| {
        let value = Value::Bool(value);
        Ok(Reduced::Value(if from_secret { value.secret() } else { value }))
    };
    for (position, argument) in call.arguments.iter().enumerate() {
        match evaluator.expression(argument, locals)? {
            Reduced::Value(value) => {
                evaluator.back_to(mark);
                from_secret |= value.is_secret();
                match value.plain() {
                    Value::Bool(value) if *value == decisive => return result(*value, from_secret),
                    Value::Bool(_) => {}
                    value => return Err(not_a_bool(call, position + 1, value)),
                }
            }
            Reduced::Expression(first) => {
                // What stands before is known and does not decide: it is left out.
                return Ok(from(evaluator, call, locals, position, first));
            }
        }
    }
    result(!decisive, from_secret)
}

/// What is left of a call when an argument is not known: that one, and what is known of those behind it.
fn from(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
    position: usize,
    first: Expression,
) -> Reduced {
    let behind = call.arguments.iter().skip(position + 1);
    let behind: Vec<Expression> = behind.map(|argument| attempt(evaluator, argument, locals)).collect();
    if behind.is_empty() {
        return Reduced::Expression(first);
    }
    left(call, std::iter::once(first).chain(behind).collect())
}

/// What a secret decided tells of it.
fn secret(reduced: Reduced) -> Reduced {
    match reduced {
        Reduced::Value(value) => Reduced::Value(value.secret()),
        rest @ Reduced::Expression(_) => rest,
    }
}

/// The first argument that is not null; those behind it are not evaluated.
fn coalesce(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let mark = evaluator.mark();
    for (position, argument) in call.arguments.iter().enumerate() {
        match evaluator.expression(argument, locals)? {
            Reduced::Value(Value::Null) => evaluator.back_to(mark),
            Reduced::Value(value) => return Ok(Reduced::Value(value)),
            // Whatever is in it, this is not null.
            Reduced::Expression(first) if makes_container(&first) => return Ok(Reduced::Expression(first)),
            Reduced::Expression(first) => {
                return Ok(from(evaluator, call, locals, position, first));
            }
        }
    }
    Ok(Reduced::Value(Value::Null))
}

fn makes_container(expression: &Expression) -> bool {
    expression.as_call().is_some_and(|call| call.is_call_to("createArray") || call.is_call_to("createObject"))
}

/// Reduces an expression that may turn out not to be needed: a mistake in it is left for later.
fn attempt(evaluator: &Evaluator<'_>, expression: &Expression, locals: &Locals<'_>) -> Expression {
    let mark = evaluator.mark();
    match evaluator.attempt(|| evaluator.expression(expression, locals)) {
        Ok(reduced) => reduced.into_expression(),
        Err(_) => {
            evaluator.back_to(mark);
            expression.clone()
        }
    }
}

/// `parameters('name')` and `variables('name')`.
fn reference(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
    ask: impl FnOnce(&str) -> Result<EnvironmentValue, EvaluateError>,
) -> Result<Reduced, EvaluateError> {
    let [argument] = call.arguments.as_slice() else { return Err(no_such_count(call)) };
    let mark = evaluator.mark();
    match evaluator.expression(argument, locals)? {
        Reduced::Value(Value::Text(name)) => {
            evaluator.back_to(mark);
            let answer = ask(&name)?;
            match answer {
                // Handing out a value costs nothing, however large it is.
                EnvironmentValue::Value(value) => Ok(Reduced::Value(value)),
                answer => evaluator.answer(answer, || left(call, vec![Expression::Text(name)])),
            }
        }
        Reduced::Value(value) => Err(EvaluateError::new(
            Cause::Argument(call.name.clone()),
            format!("`{}` takes a name, not {}", call.name, super::access::article(&value)),
        )),
        Reduced::Expression(name) => Ok(left(call, vec![name])),
    }
}

/// `copyIndex()`, `copyIndex(offset)`, `copyIndex('loop')` and `copyIndex('loop', offset)`.
fn copy_index(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let mut values = Vec::new();
    for argument in &call.arguments {
        match evaluator.expression(argument, locals)? {
            Reduced::Value(value) => values.push(value),
            Reduced::Expression(_) => {
                return Ok(Reduced::Expression(Expression::Call(Box::new(call.clone()))));
            }
        }
    }
    let (name, offset) = match values.as_slice() {
        [] => (None, 0),
        [Value::Int(offset)] => (None, *offset),
        [Value::Text(name)] => (Some(name.as_str()), 0),
        [Value::Text(name), Value::Int(offset)] => (Some(name.as_str()), *offset),
        _ => {
            let message = "`copyIndex` takes the name of a loop, an offset, or both in this order";
            return Err(EvaluateError::new(Cause::Argument("copyIndex".into()), message));
        }
    };
    match evaluator.environment.copy_index(name)? {
        EnvironmentValue::Value(Value::Int(index)) => match index.checked_add(offset) {
            Some(index) => Ok(Reduced::Value(Value::Int(index))),
            None => Err(EvaluateError::new(
                Cause::Overflow("copyIndex".into()),
                format!("`copyIndex` does not fit 64 bits with the offset {offset}"),
            )),
        },
        EnvironmentValue::Expression(index) if offset != 0 => {
            Ok(Reduced::Expression(Expression::call("add", [index, Expression::Int(offset)])))
        }
        answer => {
            evaluator.answer(answer, || left(call, values.iter().map(Expression::from_value).collect()))
        }
    }
}

/// `lambdaVariables('name')`: the innermost lambda that has the name decides.
fn lambda_variable(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let [argument] = call.arguments.as_slice() else { return Err(no_such_count(call)) };
    let Reduced::Value(Value::Text(name)) = evaluator.expression(argument, locals)? else {
        let message = "`lambdaVariables` takes the name of a variable as a string";
        return Err(EvaluateError::new(Cause::Argument("lambdaVariables".into()), message));
    };
    let mut scope = Some(locals);
    while let Some(locals) = scope {
        if let Some(at) = locals.names.iter().position(|local| equal_ignoring_case(local, &name)) {
            return Ok(match locals.values.and_then(|values| values.get(at)) {
                Some(value) => taint::opened(value.clone()),
                None => left(call, vec![Expression::Text(name)]),
            });
        }
        scope = locals.outer;
    }
    let message = format!("the lambda variable `{name}` is not found");
    Err(EvaluateError::new(Cause::MissingVariable(name), message))
}

fn not_a_bool(call: &FunctionCall, position: usize, value: &Value) -> EvaluateError {
    let kind = super::access::article(value);
    let message = format!("`{}`: argument {position} must be a bool, not {kind}", call.name);
    EvaluateError::new(Cause::Argument(call.name.clone()), message)
}

/// Never seen: the table's counts were checked before.
fn no_such_count(call: &FunctionCall) -> EvaluateError {
    EvaluateError::new(Cause::ArgumentCount(call.name.clone()), "the number of arguments is wrong")
}
