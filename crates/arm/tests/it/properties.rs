//! What holds for every expression, checked on random ones.

use std::sync::Arc;

use arm::deployment::{Deployment, DeploymentContext, Unresolved, snapshot};
use arm::evaluate::{
    Cause, Environment, EnvironmentValue, EvaluateError, EvaluationLimits, Evaluator, Moment, Reduced, Scope,
};
use arm::expression::{Expression, TemplateString, parse, print_template_string};
use arm::template::{Template, TemplateLimits};
use arm::{Value, functions, template_hash, template_text};
use document::{Document, FileId};
use proptest::prelude::*;

/// Enough to finish quickly, whatever a random expression asks for.
const LIMITS: EvaluationLimits = EvaluationLimits { steps: 200_000, ..EvaluationLimits::DEFAULT };

/// Knows everything, or nothing.
struct World {
    known: bool,
}

impl World {
    fn answer(&self, value: impl Into<Value>) -> EnvironmentValue {
        if self.known { EnvironmentValue::Value(value.into()) } else { EnvironmentValue::Unknown }
    }
}

impl Environment for World {
    fn parameter(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(self.answer(name))
    }

    fn variable(&self, name: &str, _: &Evaluator<'_>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(self.answer(Value::array(vec![name.into(), Value::Int(1)])))
    }

    fn copy_index(&self, _: Option<&str>) -> Result<EnvironmentValue, EvaluateError> {
        Ok(self.answer(3))
    }

    fn host(
        &self,
        _: &str,
        arguments: &[Value],
        _: &Evaluator<'_>,
    ) -> Result<EnvironmentValue, EvaluateError> {
        Ok(self.answer(arguments.to_vec()))
    }

    fn scope(&self) -> Scope {
        if self.known { Scope::Subscription("s".into()) } else { Scope::Unknown }
    }

    fn now(&self) -> Option<Moment> {
        Some(Moment { seconds: 1_680_224_438, ticks: 1 })
    }

    fn new_guid(&self) -> Option<[u8; 16]> {
        Some([7; 16])
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{0,3}",
        Just("P1D".to_owned()),
        Just("{0}{1:D3}".to_owned()),
        Just("10.0.0.0/24".to_owned()),
        Just("2020-01-01T00:00:00Z".to_owned()),
        Just("[1, {\"a\": null}]".to_owned()),
        Just("https://a.b/c".to_owned()),
        "\\PC{0,6}",
    ]
}

fn expression() -> impl Strategy<Value = Expression> {
    let names: Vec<&'static str> = functions::all().map(|function| function.name).collect();
    let leaf = prop_oneof![
        text().prop_map(Expression::text),
        any::<i64>().prop_map(Expression::Int),
        (-3_i64..12).prop_map(Expression::Int),
        Just(Expression::call("true", [])),
        Just(Expression::call("null", [])),
        Just(Expression::call("lambdaVariables", [Expression::text("x")])),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let several = prop::collection::vec(inner.clone(), 0..4);
        let calls = (prop::sample::select(names.clone()), several.clone()).prop_map(|(name, arguments)| {
            let name = if name == "list*" { "listKeys" } else { name };
            Expression::call(name, arguments)
        });
        let lambda = (Just("x"), prop::option::of(Just("y")), inner.clone()).prop_map(|(x, y, body)| {
            let names = [Some(x), y].into_iter().flatten().map(Expression::text);
            Expression::call("lambda", names.chain([body]).collect::<Vec<_>>())
        });
        let mapped = (
            prop::sample::select(vec!["map", "filter", "sort", "toObject", "groupBy", "mapValues"]),
            inner.clone(),
            lambda.clone(),
        )
            .prop_map(|(name, values, lambda)| Expression::call(name, [values, lambda]));
        let arrays = several.prop_map(|items| Expression::call("createArray", items));
        prop_oneof![
            4 => calls,
            2 => mapped,
            2 => arrays,
            1 => lambda,
            1 => inner.clone().prop_filter("a call", |base| matches!(base, Expression::Call(_)))
                .prop_map(|base| base.property("a")),
            1 => (inner.clone().prop_filter("a call", |base| matches!(base, Expression::Call(_))), inner)
                .prop_map(|(base, index)| base.index(index)),
        ]
    })
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("JSON has it", |value| value.is_finite()).prop_map(Value::Float),
        "[\\x00-\\x7f\u{80}-\u{ff}\u{2020}-\u{2030}💪]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        let members = prop::collection::vec(("[a-zA-Z\"\u{85}]{0,3}", inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::array),
            members.prop_map(Value::object),
        ]
    })
}

fn evaluate(expression: &Expression, known: bool) -> Result<Reduced, EvaluateError> {
    Evaluator::run(&World { known }, LIMITS, |evaluator| evaluator.reduce(expression))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_expression_reads_back_as_it_was_printed(expression in expression()) {
        let printed = expression.to_string();
        prop_assert_eq!(parse(&printed), Ok(expression.clone()), "{}", printed);
        let mut string = String::new();
        print_template_string(&expression, &mut string);
        prop_assert_eq!(TemplateString::parse(&string), Ok(expression.clone()), "{}", string);
    }

    #[test]
    fn any_text_can_be_escaped(text in "[\\[\\]a ']{0,5}") {
        let mut string = String::new();
        print_template_string(&Expression::text(text.as_str()), &mut string);
        prop_assert_eq!(TemplateString::parse(&string), Ok(Expression::text(text.as_str())));
    }

    #[test]
    fn no_text_upsets_the_reader(text in "[a-z0-9'.,()\\[\\] \\-\\PC]{0,40}") {
        match parse(&text) {
            Ok(expression) => prop_assert_eq!(parse(&expression.to_string()), Ok(expression)),
            Err(error) => prop_assert!(text.is_char_boundary(error.offset), "{error:?}"),
        }
    }

    #[test]
    fn a_value_is_what_its_expression_gives(expression in expression()) {
        if let Ok(Reduced::Value(value)) = evaluate(&expression, true) {
            let again = evaluate(&Expression::from_value(&value), true);
            prop_assert_eq!(again, Ok(Reduced::Value(value)));
        }
    }

    #[test]
    fn template_text_reads_back_as_it_was_written(value in json()) {
        for text in [template_text::indented(value.view()), value.to_json()] {
            let document = Document::from_json(text.as_str(), FileId::FIRST, &document::ReadLimits::DEFAULT).unwrap();
            let again = Value::from_view(document.root()).unwrap();
            prop_assert_eq!(again.to_json(), value.to_json());
        }
    }

    #[test]
    fn the_hash_is_that_of_the_minified_template(value in json()) {
        let template = Value::object([("variables", value.clone()), ("resources", value)]);
        let minified = template_hash::minified(template.view());
        let hash = arm::hash::hash(minified.as_bytes());
        prop_assert_eq!(template_hash::template_hash(template.view()), hash);
        let layered = template_text::Layered::new(template_text::indented(template.view()), Vec::new());
        prop_assert_eq!(template_hash::indented_hash(&layered), hash);
    }

    /// What is left of an expression gives, once all is known, what the expression gives.
    #[test]
    fn reduction_does_not_change_the_result(expression in expression()) {
        let (Ok(whole), Ok(reduced)) = (evaluate(&expression, true), evaluate(&expression, false)) else { return Ok(()) };
        let later = evaluate(&reduced.into_expression(), true);
        prop_assert_eq!(later, Ok(whole), "{}", expression);
    }
}

/// Every expression that can be read is evaluated or found too deep.
#[test]
fn depth_is_bounded_whatever_nests() {
    let limit = arm::expression::MAX_DEPTH;
    for (open, inner, close, levels) in [
        ("createArray(", "1", ")", 1),
        ("if(true(), ", "1", ", 2)", 1),
        ("coalesce(null(), ", "1", ")", 1),
        ("map(createArray(1), lambda('x', ", "lambdaVariables('x')", "))", 3),
        ("createArray(", "1", ")[0]", 2),
    ] {
        let nested = |times: usize| parse(&(open.repeat(times) + inner + &close.repeat(times)));
        assert!(evaluate(&nested(limit / levels - 2).unwrap(), true).is_ok(), "{open}");
        for times in (1..=limit).step_by(13) {
            if let Ok(Err(error)) = nested(times).map(|expression| evaluate(&expression, true)) {
                assert_eq!(error.cause(), &Cause::TooDeep, "{open}");
            }
        }
        assert!(nested(limit + 1).is_err(), "{open}");
    }
}

#[test]
fn values_do_not_nest_or_grow_beyond_their_bounds() {
    let within = |steps: u64, text: &str| {
        let limits = EvaluationLimits { steps, ..EvaluationLimits::DEFAULT };
        let result = Evaluator::run(&World { known: true }, limits, |evaluator| {
            evaluator.evaluate(&parse(text).unwrap())
        });
        result.unwrap_err().to_string()
    };
    let error = |text: &str| within(EvaluationLimits::DEFAULT.steps, text);
    assert_eq!(
        error("reduce(range(0, 5000), 0, lambda('c', 'n', createArray(lambdaVariables('c'))))"),
        "the value nests more than 512 levels deep"
    );
    let double =
        "reduce(range(0, 60), 'x', lambda('c', 'n', concat(lambdaVariables('c'), lambdaVariables('c'))))";
    assert_eq!(error(double), "`concat`: the result is longer than 16 MiB");
    let double = "reduce(range(0, 60), createArray(1), lambda('c', 'n', concat(lambdaVariables('c'), lambdaVariables('c'))))";
    assert_eq!(error(double), "`concat`: the result has more than 1048576 elements");
    let tree = "string(reduce(range(0, 60), 1, \
                lambda('c', 'n', createArray(lambdaVariables('c'), lambdaVariables('c')))))";
    assert_eq!(error(tree), "the values of the expression take more than 256 MiB of memory");
    let loops = "map(range(0, 10000), lambda('a', map(range(0, 10000), lambda('b', add(1, 1)))))";
    assert_eq!(within(100_000, loops), "the expression takes more than 100000 steps");
    // Given up on the way: all of it would take more steps, and much more memory.
    let wide = "map(range(0, 10000), lambda('a', range(0, 10000)))";
    assert_eq!(within(1_000_000, wide), "the value has more than 8000000 parts");
    assert_eq!(error("padLeft('x', 9223372036854775807)"), "`padLeft`: the result is longer than 16 MiB");
    assert_eq!(error("format('{0,999999999999}', 1)"), "`format`: the result is longer than 16 MiB");
}

/// The resource of which nothing is known before a deployment.
const UNKNOWN: &str = "reference('/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/g/providers/A.B/c/x', '2020-01-01').y";

/// A template with an expression and a text in every place where a snapshot shows values.
fn template_of(expression: &Expression, text: &str) -> String {
    let string = |expression: &Expression| {
        let mut out = String::new();
        print_template_string(expression, &mut out);
        Value::from(out).to_json()
    };
    let unknown = parse(UNKNOWN).unwrap();
    let around = [
        expression.clone(),
        Expression::call("createArray", [expression.clone(), unknown.clone(), Expression::text(text)]),
        Expression::call("format", [Expression::text("[{0}{1}]"), unknown.clone(), Expression::text(text)]),
        Expression::call(
            "createObject",
            [Expression::text(text), unknown.clone(), Expression::text("e"), expression.clone()],
        ),
        Expression::call("if", [unknown.clone(), expression.clone(), Expression::text(text)]),
        Expression::call("concat", [Expression::text(text), unknown]),
        Expression::text(text),
    ];
    let values: Vec<String> = around.iter().map(string).collect();
    let (name, list) = (string(&Expression::text(text)), values.join(","));
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "resources": [{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": {name}, "properties": {{"list": [{list}], {name}: 1}}}}],
        "outputs": {{"all": {{"type": "array", "value": [{list}]}}}}}}"#
    )
}

/// All strings of a value that a template reads as expressions.
fn expressions_of<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
    let mut add = |text: &'v str| {
        if matches!(TemplateString::of(text), TemplateString::Expression(_)) {
            all.push(text);
        }
    };
    match value {
        Value::Text(text) => add(text),
        Value::Array(items) => items.items().iter().for_each(|item| expressions_of(item, all)),
        Value::Object(members) => {
            members.iter().for_each(|(name, _)| add(name));
            members.iter().for_each(|(_, value)| expressions_of(value, all));
        }
        _ => {}
    }
}

#[test]
fn every_expression_in_a_snapshot_can_be_read() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let texts =
        prop_oneof![text(), Just("[q]".to_owned()), Just("it's]".to_owned()), Just("[[a]]".to_owned())];
    let (mut predicted, mut seen) = (0, 0);
    for _ in 0..1_500 {
        let expression = expression().new_tree(&mut runner).unwrap().current();
        let text = texts.new_tree(&mut runner).unwrap().current();
        let template = template_of(&expression, &text);
        let Ok(template) = Template::read(&template, &TemplateLimits::DEFAULT) else { continue };
        let scope = DeploymentContext::local_scope(template.scope);
        let mut context = DeploymentContext::local(scope, "main");
        context.unresolved = Unresolved::Keep;
        let deployment = Deployment::with_values(Arc::new(template), [], context);
        let Ok(snapshot) = deployment.and_then(|it| snapshot(Arc::new(it))) else { continue };
        predicted += 1;
        for json in [snapshot.to_json(), snapshot.to_json_with_trees()] {
            let members = json.as_object().unwrap().iter().filter(|(name, _)| name.as_str() != "diagnostics");
            for (_, value) in members {
                let mut all = Vec::new();
                expressions_of(value, &mut all);
                seen += all.len();
                for found in all {
                    let read = TemplateString::parse(found);
                    assert!(read.is_ok(), "`{found}` of `{expression}` with {text:?}: {read:?}");
                }
            }
        }
    }
    assert!(predicted > 100 && seen > 1_500, "{predicted} snapshots with {seen} expressions");
}
