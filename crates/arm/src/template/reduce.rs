//! Template JSON to values, as far as they are known.

use smol_str::SmolStr;

use super::json::{JsonKind, Loop, MemberName, TemplateMember, TemplateNode};
use crate::Expression;
use crate::evaluate::{
    CONTAINER, Cause, Environment, EnvironmentValue, EvaluateError, Evaluator, PART, Reduced, forwarded,
};
use crate::value::{ObjectBuilder, Value, equal_ignoring_case};

/// How many iterations a loop in template JSON may have; what they make counts against the limits of values.
const MOST: i64 = 1_000_000;

impl TemplateNode {
    /// Evaluates what can be evaluated: gives the value, or the one expression that is left.
    ///
    /// Recursion is bounded by how deep a document may nest.
    pub fn reduce(&self, evaluator: &Evaluator<'_>) -> Result<Reduced, EvaluateError> {
        match &self.kind {
            JsonKind::Value(value) => Ok(Reduced::Value(value.clone())),
            JsonKind::Expression(expression) => evaluator.reduce(expression),
            JsonKind::Array(items) => {
                evaluator.grow(CONTAINER + PART * items.len() as u64)?;
                let items = items.iter().map(|item| item.reduce(evaluator));
                Ok(array(items.collect::<Result<_, _>>()?))
            }
            JsonKind::Object(members) => object(members, evaluator),
            JsonKind::Template(_) => {
                let message = "the template of a nested deployment is not a value";
                Err(EvaluateError::new(Cause::NotIndexable, message))
            }
        }
    }
}

impl Loop {
    /// Evaluates the loop to an array.
    pub fn reduce(&self, evaluator: &Evaluator<'_>) -> Result<Reduced, EvaluateError> {
        let count = match self.count.reduce(evaluator)? {
            Reduced::Value(Value::Int(count @ 0..=MOST)) => count,
            Reduced::Value(Value::Int(count)) if count < 0 => {
                let message = format!("the copy count must be zero or more, not '{count}'");
                return Err(EvaluateError::new(Cause::Argument("copy".into()), message));
            }
            Reduced::Value(Value::Int(count)) => {
                let message = format!("the copy count '{count}' is more than the limit of '{MOST}'");
                return Err(EvaluateError::new(Cause::TooLarge, message));
            }
            Reduced::Value(other) => {
                let message = format!("the copy count must be an integer, not '{}'", other.kind());
                return Err(EvaluateError::new(Cause::Argument("copy".into()), message));
            }
            Reduced::Expression(rest) => return Ok(self.open(rest, evaluator)),
        };
        let mut items = Vec::new();
        evaluator.grow(CONTAINER)?;
        for index in 0..count {
            evaluator.grow(PART)?;
            let inside = Iteration { outer: evaluator.environment(), name: &self.name, index: Some(index) };
            items.push(evaluator.within(&inside, |evaluator| self.input.reduce(evaluator))?);
        }
        Ok(array(items))
    }

    /// The array of a loop of which nobody knows how often it goes round: `map(range(0, count), lambda('loop', input))`.
    fn open(&self, count: Expression, evaluator: &Evaluator<'_>) -> Reduced {
        let inside = Iteration { outer: evaluator.environment(), name: &self.name, index: None };
        // It may go round never: a mistake in it is left for later.
        let input = evaluator.within(&inside, |evaluator| evaluator.attempt(|| self.input.reduce(evaluator)));
        let input = input.map_or(Expression::call("null", []), Reduced::into_expression);
        let range = Expression::call("range", [Expression::Int(0), count]);
        let lambda = Expression::call("lambda", [Expression::Text(self.name.clone()), input]);
        Reduced::Expression(Expression::call("map", [range, lambda]))
    }
}

fn array(items: Vec<Reduced>) -> Reduced {
    if items.iter().any(|item| matches!(item, Reduced::Expression(_))) {
        let items = items.into_iter().map(Reduced::into_expression);
        return Reduced::Expression(Expression::call("createArray", items.collect::<Vec<_>>()));
    }
    let values = items.into_iter().filter_map(|item| match item {
        Reduced::Value(value) => Some(value),
        Reduced::Expression(_) => None,
    });
    Reduced::Value(Value::array(values.collect()))
}

fn object(members: &[TemplateMember], evaluator: &Evaluator<'_>) -> Result<Reduced, EvaluateError> {
    evaluator.grow(CONTAINER + 2 * PART * members.len() as u64)?;
    let mut reduced: Vec<(Reduced, Reduced)> = Vec::with_capacity(members.len());
    for member in members {
        reduced.push(match member {
            TemplateMember::Property { name, value, .. } => {
                (property_name(name, evaluator)?, value.reduce(evaluator)?)
            }
            TemplateMember::Loop(copy) => {
                (Reduced::Value(Value::Text(copy.name.clone())), copy.reduce(evaluator)?)
            }
        });
    }
    let known = |part: &Reduced| matches!(part, Reduced::Value(_));
    if reduced.iter().all(|(name, value)| known(name) && known(value)) {
        let mut object = ObjectBuilder::default();
        for member in reduced {
            if let (Reduced::Value(Value::Text(name)), Reduced::Value(value)) = member {
                object.insert(name, value);
            }
        }
        return Ok(Reduced::Value(object.finish()));
    }
    let arguments = reduced.into_iter().flat_map(|(name, value)| [name, value]);
    let arguments: Vec<Expression> = arguments.map(Reduced::into_expression).collect();
    Ok(Reduced::Expression(Expression::call("createObject", arguments)))
}

fn property_name(name: &MemberName, evaluator: &Evaluator<'_>) -> Result<Reduced, EvaluateError> {
    match name {
        MemberName::Text(text) => Ok(Reduced::Value(Value::Text(text.clone()))),
        MemberName::Expression(expression) => match evaluator.reduce(expression)? {
            Reduced::Value(value) => match value.expose() {
                Value::Text(text) => Ok(Reduced::Value(Value::Text(text))),
                other => {
                    let message = format!("the name of a property must be a string, not '{}'", other.kind());
                    Err(EvaluateError::new(Cause::NotIndexable, message))
                }
            },
            rest => Ok(rest),
        },
    }
}

/// One iteration of a loop: all that is around it, and its index.
struct Iteration<'e> {
    outer: &'e dyn Environment,
    name: &'e SmolStr,
    /// None if it may be any.
    index: Option<i64>,
}

impl Environment for Iteration<'_> {
    fn copy_index(&self, loop_name: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        match loop_name {
            Some(name) if !equal_ignoring_case(name, self.name) => self.outer.copy_index(loop_name),
            _ => Ok(match self.index {
                Some(index) => EnvironmentValue::Value(Value::Int(index)),
                None => EnvironmentValue::Expression(Expression::call(
                    "lambdaVariables",
                    [Expression::Text(self.name.clone())],
                )),
            }),
        }
    }

    forwarded!(outer: parameter, variable, variable_of_function, function, extra_function, admit, host, scope, now, is_timeless, new_guid);
}
