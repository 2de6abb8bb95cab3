//! Calls: which function is meant, and what becomes of it once its arguments are reduced.

use contract::Admitted;
use smol_str::SmolStr;

use super::environment::{EnvironmentValue, UserFunctionEnvironment};
use super::{
    Cause, EvaluateError, Evaluator, ExtraFunction, FunctionRole, Locals, Reduced, UserFunction, lambda,
    left, special, taint,
};
use crate::expression::{Expression, FunctionCall};
use crate::functions::{self, Function, FunctionBody, LambdaRun, Special};
use crate::value::Value;

/// How many bytes of memory what is read from a byte of JSON takes at most, about.
const READ: u64 = 40;

/// How many more levels the body of a function of the template counts for, which takes more of the stack.
const BODY: usize = 1;

/// What a call is a call of.
enum CallTarget<'e> {
    Special(Special),
    Lambda(&'static Function, LambdaRun),
    /// A function that needs the values of all its arguments.
    Strict(&'static Function),
    User(&'e UserFunction),
    /// A function that the host adds.
    Extra(ExtraFunction),
}

pub(super) fn call(
    evaluator: &Evaluator<'_>,
    call: &FunctionCall,
    locals: &Locals<'_>,
) -> Result<Reduced, EvaluateError> {
    let mark = evaluator.mark();
    let target = target(evaluator, call)?;
    match target {
        CallTarget::Special(special) => return special::run(evaluator, special, call, locals),
        CallTarget::Lambda(function, run) => return lambda::run(evaluator, function, run, call, locals),
        CallTarget::Strict(_) | CallTarget::User(_) | CallTarget::Extra(_) => {}
    }
    let arguments = arguments(evaluator, &call.arguments, locals)?;
    let result = finish(evaluator, target, call, arguments)?;
    evaluator.settle(mark, &result)?;
    Ok(result)
}

fn arguments(
    evaluator: &Evaluator<'_>,
    arguments: &[Expression],
    locals: &Locals<'_>,
) -> Result<Vec<Reduced>, EvaluateError> {
    let mut reduced = Vec::with_capacity(arguments.len());
    for argument in arguments {
        reduced.push(evaluator.expression(argument, locals)?);
    }
    Ok(reduced)
}

#[inline(never)]
fn target<'e>(evaluator: &Evaluator<'e>, call: &FunctionCall) -> Result<CallTarget<'e>, EvaluateError> {
    evaluator.step(1)?;
    if let Some(namespace) = &call.namespace {
        let name = || SmolStr::from(format!("{namespace}.{}", call.name));
        let Some(function) = evaluator.environment.function(namespace, &call.name) else {
            let extra = evaluator.environment.extra_function(namespace, &call.name);
            return extra.map(CallTarget::Extra).ok_or_else(|| no_function(name()));
        };
        if function.parameters.len() != call.arguments.len() {
            let wanted = functions::counted(function.parameters.len());
            let message = format!("`{}` takes {wanted}, not {}", name(), call.arguments.len());
            return Err(EvaluateError::new(Cause::ArgumentCount(name()), message));
        }
        return Ok(CallTarget::User(function));
    }
    let Some(function) = functions::find(&call.name) else { return Err(no_function(call.name.clone())) };
    function.check_count(call.arguments.len())?;
    Ok(match function.run {
        FunctionBody::Special(special) => CallTarget::Special(special),
        FunctionBody::Lambda(run) => CallTarget::Lambda(function, run),
        FunctionBody::Pure(_)
        | FunctionBody::Scoped(_)
        | FunctionBody::Clock(_)
        | FunctionBody::NewGuid
        | FunctionBody::Host => CallTarget::Strict(function),
    })
}

fn no_function(name: SmolStr) -> EvaluateError {
    let message = format!("there is no function `{name}`");
    EvaluateError::new(Cause::UnknownFunction(name), message)
}

/// Does what the function does, or puts the call together again if an argument is not known.
#[inline(never)]
fn finish(
    evaluator: &Evaluator<'_>,
    target: CallTarget<'_>,
    call: &FunctionCall,
    arguments: Vec<Reduced>,
) -> Result<Reduced, EvaluateError> {
    if arguments.iter().any(|argument| matches!(argument, Reduced::Expression(_))) {
        if call.is_call_to("tryGet")
            && let Some(found) = try_get(&arguments)
        {
            return Ok(found);
        }
        if let CallTarget::Strict(function) = target
            && let Some(found) = taint::partly(evaluator, function, call, &arguments)?
        {
            return Ok(found);
        }
        return Ok(left(call, arguments.into_iter().map(Reduced::into_expression).collect()));
    }
    let values = arguments.into_iter().filter_map(|argument| match argument {
        Reduced::Value(value) => Some(value),
        Reduced::Expression(_) => None,
    });
    let values: Vec<Value> = values.collect();
    match target {
        CallTarget::User(function) => body(evaluator, function, call, values),
        CallTarget::Extra(run) => extra(evaluator, run, call, &values).map(Reduced::Value),
        CallTarget::Strict(function) => {
            let answer = if values.iter().any(Value::has_secret) {
                taint::answer(evaluator, function, call, &values)?
            } else {
                answer(evaluator, function, call, &values)?
            };
            evaluator.answer(answer, || left(call, values.iter().map(Expression::from_value).collect()))
        }
        CallTarget::Special(_) | CallTarget::Lambda(..) => Err(EvaluateError::not_allowed_here(&call.name)),
    }
}

/// `tryGet` in an object that is known in part: the member, or null if there is none.
fn try_get(arguments: &[Reduced]) -> Option<Reduced> {
    let [Reduced::Expression(base), keys @ ..] = arguments else { return None };
    let mut at = base;
    for key in keys {
        let Reduced::Value(key) = key else { return None };
        match at.part(key)? {
            Some(part) => at = part,
            None => return Some(Reduced::Value(Value::Null)),
        }
    }
    Some(at.to_value().map_or_else(|| Reduced::Expression(at.clone()), Reduced::Value))
}

/// The result of a function that the host adds.
fn extra(
    evaluator: &Evaluator<'_>,
    run: ExtraFunction,
    call: &FunctionCall,
    values: &[Value],
) -> Result<Value, EvaluateError> {
    evaluator.step(values.iter().fold(0, |size: u64, value| size.saturating_add(value.size())))?;
    let wrong = |message| EvaluateError::new(Cause::Argument(call.name.clone()), message);
    if !values.iter().any(Value::has_secret) {
        return run(values).map_err(wrong);
    }
    let plain: Vec<Value> = values.iter().map(Value::expose).collect();
    let hidden = || format!("`{}` cannot be called with these values, which are secret", call.name);
    let failed = |message: String| {
        let shows = values.iter().any(|value| shows(&message, value, false));
        wrong(if shows { hidden() } else { message })
    };
    let result = run(&plain).map_err(failed)?;
    // What is given back as it was is as secret as it was, and not more.
    let same = values.iter().zip(&plain).find(|(_, plain)| **plain == result);
    Ok(same.map_or_else(|| result.clone().secret(), |(value, _)| value.clone()))
}

/// Whether a message shows a part of a secret. Recursion is bounded by how deep a value may nest.
fn shows(message: &str, value: &Value, inside: bool) -> bool {
    match value {
        Value::Secret(inner) => shows(message, inner, true),
        Value::Array(list) => list.items().iter().any(|item| shows(message, item, inside)),
        Value::Object(object) => object.iter().any(|(name, value)| {
            (inside && message.contains(name.as_str())) || shows(message, value, inside)
        }),
        Value::Text(text) => inside && !text.is_empty() && message.contains(text.as_str()),
        other => inside && message.contains(&other.to_json()),
    }
}

fn body(
    evaluator: &Evaluator<'_>,
    function: &UserFunction,
    call: &FunctionCall,
    values: Vec<Value>,
) -> Result<Reduced, EvaluateError> {
    let environment = evaluator.environment;
    let admit = |role, value| environment.admit(call, role, value, evaluator);
    let each = values
        .into_iter()
        .enumerate()
        .map(|(position, value)| admit(FunctionRole::Argument(position), value));
    let arguments: Vec<Admitted<Value>> = each.collect::<Result<_, _>>()?;
    let inside =
        UserFunctionEnvironment { outer: environment, names: &function.parameters, arguments: &arguments };
    let result = evaluator.within(&inside, |evaluator| {
        evaluator.deeper(BODY, || evaluator.expression(&function.body, &Locals::NONE))
    })?;
    Ok(match result {
        Reduced::Value(value) => Reduced::Value(admit(FunctionRole::Result, value)?.into_inner()),
        // Only predictions see what is left; whoever needs the value makes the call again.
        rest @ Reduced::Expression(_) => rest,
    })
}

/// The result of a function for the values of its arguments.
pub(super) fn answer(
    evaluator: &Evaluator<'_>,
    function: &Function,
    call: &FunctionCall,
    values: &[Value],
) -> Result<EnvironmentValue, EvaluateError> {
    let looked_at = values.iter().fold(0, |size: u64, value| size.saturating_add(value.size()));
    evaluator.step(looked_at / 16)?;
    if function.name == "json" {
        // What is read from a text may take many times its size.
        let text = values.iter().fold(0, |bytes: u64, value| bytes.saturating_add(value.bytes()));
        evaluator.grow(text.saturating_mul(READ))?;
    }
    let not_here = || EvaluateError::not_allowed_here(function.name);
    let arguments = functions::Arguments(values);
    Ok(match function.run {
        FunctionBody::Pure(run) => {
            EnvironmentValue::Value(run(arguments).map_err(|fault| fault.of(function))?)
        }
        FunctionBody::Scoped(run) => {
            let scope = match evaluator.environment.management_group() {
                Some(name) if function.name == "managementGroupResourceId" => {
                    super::Scope::ManagementGroup(name)
                }
                Some(_) | None => evaluator.environment.scope(),
            };
            let id = run(arguments, &scope).map_err(|fault| fault.of(function))?;
            id.map_or(EnvironmentValue::Unknown, EnvironmentValue::Value)
        }
        FunctionBody::Clock(_) | FunctionBody::NewGuid if evaluator.environment.is_timeless() => {
            EnvironmentValue::Unknown
        }
        FunctionBody::Clock(run) => {
            let now = evaluator.environment.now().ok_or_else(not_here)?;
            EnvironmentValue::Value(run(arguments, now).map_err(|fault| fault.of(function))?)
        }
        FunctionBody::NewGuid => {
            let bytes = evaluator.environment.new_guid().ok_or_else(not_here)?;
            EnvironmentValue::Value(Value::text(crate::hash::uuid_text(bytes)))
        }
        FunctionBody::Host | FunctionBody::Special(_) | FunctionBody::Lambda(_) => {
            evaluator.environment.host(&call.name, values, evaluator)?
        }
    })
}
