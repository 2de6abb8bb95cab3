//! Evaluates template JSON: expressions, names that are expressions, and copy loops in objects.

use super::Unresolved;
use super::environment::{DeploymentEnvironment, LoopKind, Loops};
use super::partial::{Partial, PartialName};
use crate::evaluate::{CONTAINER, Cause, EvaluateError, Evaluator, PART};
use crate::expression::Expression;
use crate::template::{self, JsonKind, Loop, Span, TemplateMember, TemplateNode};
use crate::value::Value;

/// An error, and where in the template it comes from.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) error: EvaluateError,
    pub(super) span: Span,
}

impl Located {
    pub(super) fn new(error: EvaluateError, span: Span) -> Located {
        Located { error, span }
    }
}

/// Evaluates template JSON as far as possible.
///
/// Recursion is bounded by how deep a document may nest.
pub(super) fn reduce(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    json: &TemplateNode,
) -> Result<Partial, Located> {
    match &json.kind {
        JsonKind::Value(value) => Ok(Partial::Value(value.clone())),
        JsonKind::Expression(expression) => match evaluator.reduce(expression) {
            Ok(reduced) => {
                // Whoever gets the value walks over all of it.
                if let crate::evaluate::Reduced::Value(value) = &reduced {
                    evaluator.count(value.size() / 16).map_err(|error| Located::new(error, json.span))?;
                }
                Ok(reduced.into())
            }
            Err(error) => Err(Located::new(error, json.span)),
        },
        JsonKind::Array(items) => {
            room(evaluator, PART * items.len() as u64, json.span)?;
            let items = items.iter().map(|item| reduce(around, evaluator, item));
            Ok(Partial::array(items.collect::<Result<_, _>>()?))
        }
        JsonKind::Object(all) => {
            room(evaluator, 2 * PART * all.len() as u64, json.span)?;
            members(around, evaluator, all)
        }
        // Nobody evaluates the template of another deployment.
        JsonKind::Template(_) => Ok(Partial::Value(Value::Null)),
    }
}

/// Takes room for a container.
fn room(evaluator: &Evaluator<'_>, bytes: u64, span: Span) -> Result<(), Located> {
    evaluator.grow(CONTAINER + bytes).map_err(|error| Located::new(error, span))
}

/// Evaluates the members of an object.
pub(super) fn members(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    members: &[TemplateMember],
) -> Result<Partial, Located> {
    let mut secret_name = false;
    let mut object = Vec::with_capacity(members.len());
    for member in members {
        match member {
            TemplateMember::Property { name, at, value } => {
                let name = match name {
                    template::MemberName::Text(text) => PartialName::Text(text.clone()),
                    template::MemberName::Expression(expression) => {
                        let name = evaluator.reduce(expression).map_err(|error| Located::new(error, *at))?;
                        match Partial::from(name) {
                            Partial::Value(name) => {
                                secret_name |= name.is_secret();
                                match name.plain() {
                                    Value::Text(text) => PartialName::Text(text.clone()),
                                    other => return Err(Located::new(not_a_name(other), *at)),
                                }
                            }
                            Partial::Expression(expression) => PartialName::Expression(expression),
                            Partial::Array(_) | Partial::Object(_) => continue,
                        }
                    }
                };
                object.push((name, reduce(around, evaluator, value)?));
            }
            TemplateMember::Loop(copy) => {
                let items = iterations(around, evaluator, copy)?;
                object.push((PartialName::Text(copy.name.clone()), items));
            }
        }
    }
    Ok(match Partial::object(object) {
        Partial::Value(value) if secret_name => Partial::Value(value.secret()),
        other => other,
    })
}

/// The array that a loop gives.
pub(super) fn iterations(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    copy: &Loop,
) -> Result<Partial, Located> {
    match counted(around, evaluator, &copy.count)? {
        Ok(count) => repeat(around, evaluator, Some(&copy.name), count, &copy.input),
        Err(count) if around.deployment.context().unresolved == Unresolved::Keep => {
            Ok(open_loop(around, evaluator, copy, count))
        }
        Err(count) => Err(Located::new(crate::evaluate::unknown(&count), copy.count.span)),
    }
}

/// The array that a loop gives of which nobody knows how often it goes round: `map(range(0, count), lambda('loop', input))`.
fn open_loop(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    copy: &Loop,
    count: Expression,
) -> Partial {
    let loops = Loops { outer: Some(around.loops), name: &copy.name, index: 0, kind: LoopKind::Open };
    let inside = DeploymentEnvironment { loops: &loops, ..*around };
    // It may go round never: a mistake in it is left for later, and nothing is fetched for it.
    let input =
        evaluator.within(&inside, |evaluator| evaluator.attempt(|| reduce(&inside, evaluator, &copy.input)));
    let input = input.map_or(Expression::call("null", []), |input| input.into_reduced().into_expression());
    let range = Expression::call("range", [Expression::Int(0), count]);
    let lambda = Expression::call("lambda", [Expression::Text(copy.name.clone()), input]);
    Partial::Expression(Expression::call("map", [range, lambda]))
}

/// How many steps an item costs that is kept, so that the limit of time is one of memory, too.
const KEPT: u64 = 10;

/// Evaluates an input several times.
pub(super) fn repeat(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    name: Option<&str>,
    count: usize,
    input: &TemplateNode,
) -> Result<Partial, Located> {
    let kind = if name.is_some() { LoopKind::Named } else { LoopKind::Plain };
    let mut items = Vec::with_capacity(count.min(1024));
    for index in 0..count {
        let loops = Loops { outer: Some(around.loops), name: name.unwrap_or_default(), index, kind };
        let inside = DeploymentEnvironment { loops: &loops, ..*around };
        items.push(evaluator.within(&inside, |evaluator| reduce(&inside, evaluator, input))?);
        // A literal input costs no step by itself, and what is kept costs more than what is thrown away.
        evaluator
            .count(KEPT)
            .and_then(|()| evaluator.grow(PART))
            .map_err(|error| Located::new(error, input.span))?;
    }
    Ok(Partial::array(items))
}

/// How many iterations a loop has.
pub(super) fn count(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    json: &TemplateNode,
) -> Result<usize, Located> {
    let counted = counted(around, evaluator, json)?;
    counted.map_err(|count| Located::new(crate::evaluate::unknown(&count), json.span))
}

/// The same, or what is left of the count where it is not known.
fn counted(
    around: &DeploymentEnvironment<'_>,
    evaluator: &Evaluator<'_>,
    json: &TemplateNode,
) -> Result<Result<usize, Expression>, Located> {
    let wrong = |message: String| {
        Located::new(EvaluateError::new(Cause::Argument("copy".into()), message), json.span)
    };
    let most = around.deployment.template().limits().iterations;
    match reduce(around, evaluator, json)? {
        Partial::Value(value) => match value.plain() {
            Value::Int(count) => match usize::try_from(*count) {
                Ok(count) if count <= most => Ok(Ok(count)),
                Ok(_) => Err(wrong(format!("a copy loop has at most {most} iterations, not {count}"))),
                Err(_) => Err(wrong(format!("the count of a copy loop must not be negative, it is {count}"))),
            },
            other => Err(wrong(format!(
                "the count of a copy loop must be an int, not {}",
                crate::evaluate::article(other)
            ))),
        },
        other => Ok(Err(other.into_reduced().into_expression())),
    }
}

fn not_a_name(other: &Value) -> EvaluateError {
    let kind = crate::evaluate::article(other);
    EvaluateError::new(Cause::NotIndexable, format!("the name of a property must be a string, not {kind}"))
}
