//! Calls with secrets among their arguments.
//!
//! A function never sees a secret that it would look at: it gets the plain values, its result is a secret as a
//! whole, and its error says nothing about the values. Functions that only put parts together or take them out
//! see the secrets as closed boxes, so that `createObject('user', 'me', 'password', <secret>)` is an object with
//! one secret member.

use super::{Cause, EnvironmentValue, EvaluateError, Evaluator, Reduced, call};
use crate::expression::{Expression, FunctionCall};
use crate::functions::Function;
use crate::value::Value;

/// How deep a function looks into its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InspectionDepth {
    Nowhere,
    /// At the names, which are every other argument.
    Names,
    /// At the arguments, but not at what is inside.
    Arguments,
    /// At the names of an object's members; at all of anything else.
    Members,
    /// Only at what kinds of values they are, if those differ.
    Kinds,
    /// At the arguments and the elements of the first one, but not further.
    Elements,
}

/// Functions that leave parts as they are; all others look at everything.
const STRUCTURAL: &[(&str, InspectionDepth)] = &[
    ("array", InspectionDepth::Arguments),
    ("concat", InspectionDepth::Arguments),
    ("contains", InspectionDepth::Members),
    ("createArray", InspectionDepth::Nowhere),
    ("createObject", InspectionDepth::Names),
    ("empty", InspectionDepth::Arguments),
    ("equals", InspectionDepth::Kinds),
    ("first", InspectionDepth::Arguments),
    ("flatten", InspectionDepth::Elements),
    ("indexFromEnd", InspectionDepth::Arguments),
    ("items", InspectionDepth::Arguments),
    ("last", InspectionDepth::Arguments),
    ("length", InspectionDepth::Arguments),
    ("objectKeys", InspectionDepth::Arguments),
    ("shallowMerge", InspectionDepth::Elements),
    ("skip", InspectionDepth::Arguments),
    ("take", InspectionDepth::Arguments),
    ("tryGet", InspectionDepth::Arguments),
    ("tryIndexFromEnd", InspectionDepth::Arguments),
    ("union", InspectionDepth::Arguments),
];

/// Answers a call of a function that has secrets among its arguments.
#[cold]
pub(super) fn answer(
    evaluator: &Evaluator<'_>,
    function: &Function,
    call: &FunctionCall,
    values: &[Value],
) -> Result<EnvironmentValue, EvaluateError> {
    if keeps_apart(function, values) {
        return call::answer(evaluator, function, call, values);
    }
    let plain: Vec<Value> = values.iter().map(Value::expose).collect();
    match call::answer(evaluator, function, call, &plain) {
        Ok(EnvironmentValue::Value(value)) => {
            let value = value.secret();
            if COMPOSING.contains(&function.name) && evaluator.is_for_people() {
                note_shown(evaluator, function, call, values, &value);
            }
            Ok(EnvironmentValue::Value(value))
        }
        // What is left is put together from the masked arguments.
        Ok(EnvironmentValue::Expression(_) | EnvironmentValue::Unknown) => Ok(EnvironmentValue::Unknown),
        Err(error) => Err(masked(error, function.name)),
    }
}

/// Functions whose result has the texts of their arguments in it, so that a mask can stand in the place of each.
const COMPOSING: &[&str] = &["concat", "format", "join"];

/// Notes what people may see of a text that is put together from secrets.
fn note_shown(
    evaluator: &Evaluator<'_>,
    function: &Function,
    call: &FunctionCall,
    values: &[Value],
    value: &Value,
) {
    let masked: Vec<Value> = values.iter().map(|value| with_masks(evaluator, value)).collect();
    if let Ok(EnvironmentValue::Value(Value::Text(shown))) = call::answer(evaluator, function, call, &masked)
    {
        evaluator.note_shown(value, shown);
    }
}

/// A value with masks in the place of its secrets. Recursion is bounded by how deep a value may nest.
fn with_masks(evaluator: &Evaluator<'_>, value: &Value) -> Value {
    if !value.has_secret() {
        return value.clone();
    }
    match value {
        Value::Array(list) => {
            Value::array(list.items().iter().map(|item| with_masks(evaluator, item)).collect())
        }
        Value::Object(object) => {
            Value::object(object.iter().map(|(name, value)| (name.clone(), with_masks(evaluator, value))))
        }
        secret => Value::Text(evaluator.shown(secret).unwrap_or_else(|| contract::MASK.into())),
    }
}

/// The result of a function whose arguments are known in part, if it does not look at what is not known.
#[cold]
pub(super) fn partly(
    evaluator: &Evaluator<'_>,
    function: &Function,
    call: &FunctionCall,
    arguments: &[Reduced],
) -> Result<Option<Reduced>, EvaluateError> {
    let values: Vec<Value> = arguments
        .iter()
        .map(|argument| match argument {
            Reduced::Value(value) => value.clone(),
            Reduced::Expression(expression) => expression.to_parts(),
        })
        .collect();
    if !keeps_apart(function, &values) {
        return Ok(None);
    }
    match call::answer(evaluator, function, call, &values) {
        Ok(EnvironmentValue::Value(value)) => {
            evaluator.made(&value)?;
            Ok(Some(opened(value)))
        }
        Ok(EnvironmentValue::Expression(_) | EnvironmentValue::Unknown) => Ok(None),
        // `tryGet` with several keys goes on inside of what is not known.
        Err(error) if *error.cause() == Cause::NotIndexable => Ok(None),
        Err(error) => Err(error),
    }
}

/// A value that may have parts which are not known, as what it is.
pub(super) fn opened(value: Value) -> Reduced {
    if value.has_unknown() {
        Reduced::Expression(Expression::from_value(&value))
    } else {
        Reduced::Value(value)
    }
}

fn keeps_apart(function: &Function, values: &[Value]) -> bool {
    let Some((_, look)) = STRUCTURAL.iter().find(|(name, _)| *name == function.name) else { return false };
    let closed = |values: &[Value]| values.iter().any(Value::is_closed);
    match look {
        InspectionDepth::Nowhere => true,
        InspectionDepth::Names => !values.iter().step_by(2).any(Value::is_closed),
        InspectionDepth::Arguments => !closed(values),
        InspectionDepth::Members => {
            !closed(values) && values.first().is_some_and(|value| value.as_object().is_some())
        }
        InspectionDepth::Kinds => {
            let mut kinds = values.iter().map(Value::kind);
            !closed(values) && kinds.next() != kinds.next()
        }
        InspectionDepth::Elements => {
            !closed(values) && !values.first().and_then(Value::as_array).is_some_and(closed)
        }
    }
}

/// An error that came from looking at secrets, without its words.
pub(super) fn masked(error: EvaluateError, what: &str) -> EvaluateError {
    match error.cause() {
        Cause::UnknownFunction(_)
        | Cause::NotAllowedHere(_)
        | Cause::ArgumentCount(_)
        | Cause::Unknown
        | Cause::Unreadable
        | Cause::TooDeep
        | Cause::TooLarge
        | Cause::OverBudget
        | Cause::Canceled => error,
        Cause::Argument(_)
        | Cause::Overflow(_)
        | Cause::MissingProperty(_)
        | Cause::OutOfBounds(_)
        | Cause::NotIndexable
        | Cause::MissingParameter(_)
        | Cause::MissingVariable(_)
        | Cause::Failed
        | Cause::Syntax => EvaluateError::new(
            Cause::Argument(what.into()),
            format!("`{what}`: a value that is secret is not what it should be"),
        )
        .hidden(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{Environment, evaluate, reduce};
    use crate::expression::parse;
    use crate::functions;

    /// A secret text, a secret object, a secret array, and nothing secret.
    struct Parameters;

    impl Environment for Parameters {
        fn parameter(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
            let list = || Value::array(vec!["s3cr3t".into(), "hidden".into()]);
            Ok(EnvironmentValue::Value(match name {
                "text" => Value::from("s3cr3t").secret(),
                "object" => Value::object([("a", Value::from("s3cr3t")), ("b", list())]).secret(),
                "list" => list().secret(),
                "flag" => Value::Bool(true).secret(),
                _ => "plain".into(),
            }))
        }

        fn host(&self, _: &str, _: &[Value], _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
            Ok(EnvironmentValue::Unknown)
        }
    }

    /// Replaces the short form `<text>` by `parameters('text')`.
    fn run(expression: &str) -> Result<Value, EvaluateError> {
        let expression = expression.replace('<', "parameters('").replace('>', "')");
        evaluate(&parse(&expression).unwrap(), &Parameters)
    }

    #[track_caller]
    fn gives(expression: &str, shown: &str, plain: &str) {
        let value = run(expression).unwrap();
        assert_eq!(value.to_json(), shown, "{expression}");
        assert_eq!(value.expose().to_json(), plain, "{expression}");
    }

    #[test]
    fn what_is_computed_from_a_secret_is_one() {
        gives("concat('a-', <text>)", r#""<secret>""#, r#""a-s3cr3t""#);
        gives("format('{0}', createObject('a', <text>))", r#""<secret>""#, r#""{'a':'s3cr3t'}""#);
        gives("length(<text>)", r#""<secret>""#, "6");
        gives("equals(<text>, 'a')", r#""<secret>""#, "false");
        gives("<object>.b[1]", r#""<secret>""#, r#""hidden""#);
        gives("if(<flag>, 'a', 'b')", r#""<secret>""#, r#""a""#);
        gives("and(true(), <flag>)", r#""<secret>""#, "true");
        gives("or(<flag>, false())", r#""<secret>""#, "true");
        gives("json(string(createArray(<text>)))", r#""<secret>""#, r#"["s3cr3t"]"#);
    }

    #[test]
    fn structure_around_a_secret_stays_readable() {
        gives(
            "createObject('u', 'me', 'p', <text>)",
            r#"{"u":"me","p":"<secret>"}"#,
            r#"{"u":"me","p":"s3cr3t"}"#,
        );
        gives("createObject('u', 'me', 'p', <text>).u", r#""me""#, r#""me""#);
        gives(
            "union(createObject('p', <text>), createObject('q', 1))",
            r#"{"p":"<secret>","q":1}"#,
            r#"{"p":"s3cr3t","q":1}"#,
        );
        gives(
            "shallowMerge(createArray(createObject('p', <text>), createObject('q', 1)))",
            r#"{"p":"<secret>","q":1}"#,
            r#"{"p":"s3cr3t","q":1}"#,
        );
        gives("concat(createArray(<text>), createArray(1))", r#"["<secret>",1]"#, r#"["s3cr3t",1]"#);
        gives("coalesce(null(), <text>)", r#""<secret>""#, r#""s3cr3t""#);
        gives("if(true(), 'a', <text>)", r#""a""#, r#""a""#);
        gives("length(createArray(<text>))", "1", "1");
        gives("tryGet(createObject('o', <object>), 'o', 'a')", r#""<secret>""#, r#""s3cr3t""#);
        gives("tryGet(createObject('o', <object>), 'o', 'x')", "null", "null");
    }

    #[test]
    fn objects_merge_through_a_secret() {
        gives(
            "union(createObject('o', <object>), createObject('o', createObject('c', 1)))",
            r#"{"o":{"a":"<secret>","b":"<secret>","c":1}}"#,
            r#"{"o":{"a":"s3cr3t","b":["s3cr3t","hidden"],"c":1}}"#,
        );
        gives("union(<object>, createObject('c', 1)).c", r#""<secret>""#, "1");
    }

    #[test]
    fn a_secret_name_makes_the_object_a_secret() {
        gives("createObject(<text>, 1)", r#""<secret>""#, r#"{"s3cr3t":1}"#);
        gives("toObject(createArray(1), lambda('x', <text>))", r#""<secret>""#, r#"{"s3cr3t":1}"#);
    }

    #[test]
    fn lambdas_see_secrets_one_by_one() {
        gives("map(<list>, lambda('x', length(lambdaVariables('x'))))", r#""<secret>""#, "[6,6]");
        gives(
            "map(createArray(<text>, 'b'), lambda('x', lambdaVariables('x')))",
            r#"["<secret>","b"]"#,
            r#"["s3cr3t","b"]"#,
        );
        gives("filter(createArray('a', 'b'), lambda('x', <flag>))", r#""<secret>""#, r#"["a","b"]"#);
        gives("mapValues(<object>, lambda('x', 1))", r#""<secret>""#, r#"{"a":1,"b":1}"#);
        gives("reduce(<list>, '', lambda('a', 'b', lambdaVariables('b')))", r#""<secret>""#, r#""hidden""#);
    }

    #[test]
    fn errors_quote_no_secret() {
        for expression in [
            "int(<text>)",
            "bool(<text>)",
            "int(concat('1', <text>))",
            "<object>.nothing",
            "<object>[<text>]",
            "createObject('a', 1)[<text>]",
            "<list>[7]",
            "<text>.a",
            "fail(<text>)",
            "json(<text>)",
            "map(<list>, lambda('x', int(lambdaVariables('x'))))",
            "map(<list>, lambda('x', createObject('a', 1)[lambdaVariables('x')]))",
            "sort(<list>, lambda('x', 'y', lambdaVariables('x')))",
            "shallowMerge(createArray(<text>))",
            "split('a', createArray(<text>, 1))",
            "min(createArray(<text>))",
            "createObject(<text>, 1, <text>, 2)",
            "parameters(<text>)",
            "if(<text>, 1, 2)",
            "and(<text>, true())",
            "copyIndex(<text>)",
            "dateTimeAdd(<text>, 'P1D')",
            "dateTimeAdd('2020-01-01', <text>)",
            "uri(<text>, 'a')",
            "resourceId(<text>)",
            "parseCidr(<text>)",
            "base64ToString(<text>)",
            "dataUriToString(<text>)",
            "toObject(<list>, lambda('x', int(lambdaVariables('x'))))",
        ] {
            let error = run(expression).unwrap_err();
            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("s3cr3t") && !shown.contains("hidden"), "{expression}: {shown}");
        }
    }

    #[test]
    fn what_is_left_of_an_expression_shows_a_mask() {
        let expression = parse("concat(parameters('text'), reference('a').b)").unwrap();
        let left = reduce(&expression, &Parameters).unwrap().into_expression();
        assert_eq!(left.to_string(), "concat('<secret>', reference('a').b)");
    }

    #[test]
    fn every_structural_function_is_a_function() {
        for (name, _) in STRUCTURAL {
            assert_eq!(functions::find(name).unwrap().name, *name);
        }
    }
}
