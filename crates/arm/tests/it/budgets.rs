//! What a deployment may use of memory and work, and what becomes of one that wants more.

use std::sync::Arc;

use arm::Value;
use arm::budget::{Budget, BudgetLimits, MemoryPool};
use arm::deployment::{Deployment, DeploymentContext, Evaluation, NoLookups, Plan, Unresolved, snapshot};
use arm::template::{Template, TemplateError, TemplateLimits};

const MIB: u64 = 1 << 20;
const LIMITS: BudgetLimits =
    BudgetLimits { alive: 32 * MIB, out: 8 * MIB, part: 4 * MIB, ..BudgetLimits::DEFAULT };

/// A text of a mebibyte.
const LONG: &str = "[padLeft('', 1048576, 'x')]";

fn deploy(template: &str, budget: &Budget) -> Result<Deployment, Vec<TemplateError>> {
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    let text =
        format!(r#"{{"$schema": "{schema}", "contentVersion": "1.0.0.0", "resources": [], {template}}}"#);
    let text = text.replace(r#""resources": [], {"resources""#, r#"{"resources""#).replace("LONG", LONG);
    let text =
        if template.contains(r#""resources""#) { text.replacen(r#""resources": [], "#, "", 1) } else { text };
    let template = Template::read(text.as_str(), &TemplateLimits::DEFAULT)?;
    let context = DeploymentContext {
        budget: budget.clone(),
        ..DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main")
    };
    Deployment::with_values(Arc::new(template), [], context)
}

/// The error of a deployment in whatever it is met.
fn run(template: &str, budget: &Budget) -> Result<(), TemplateError> {
    let first = |errors: Vec<TemplateError>| errors.into_iter().next().unwrap();
    let plan = Plan::new(deploy(template, budget).map_err(first)?).map_err(first)?;
    for step in plan.steps() {
        match plan.evaluate(step.index, &NoLookups) {
            Evaluation::Failed(error) => return Err(error),
            Evaluation::Ready(_) | Evaluation::NeedsLookups(_) => {}
        }
    }
    match plan.outputs(&NoLookups) {
        Evaluation::Failed(error) => Err(error),
        Evaluation::Ready(_) | Evaluation::NeedsLookups(_) => Ok(()),
    }
}

#[track_caller]
fn is_over(template: &str, target: &str) {
    let error = run(template, &Budget::new(LIMITS, None)).unwrap_err();
    assert_eq!(error.code, "BudgetExceeded", "{error:?}");
    assert_eq!(error.target.as_deref(), Some(target), "{error:?}");
    // A prediction says the same.
    let keep = |deployment: Deployment| {
        let context = DeploymentContext { unresolved: Unresolved::Keep, ..deployment.context().clone() };
        deployment.within(context)
    };
    let predicted = deploy(template, &Budget::new(LIMITS, None)).map(keep).and_then(snapshot);
    let errors = predicted.unwrap_err();
    assert_eq!(errors[0].code, "BudgetExceeded", "{errors:?}");
    assert_eq!(errors[0].target.as_deref(), Some(target), "{errors:?}");
}

#[test]
fn what_a_prediction_knows_of_a_value_is_paid_for_although_the_rest_is_not_known() {
    let later =
        "reference('/subscriptions/s/resourceGroups/g/providers/Our.Things/things/n', '2025-01-01').size";
    let long = format!("[concat(padLeft('', 1000000, 'x'), string({later}))]");
    let outputs = many(20, &format!(r#"{{"type": "string", "value": "{long}"}}"#));
    let parameter = format!(r#"{{"parameters": {{"p": {{"value": "{long}"}}}}}}"#);
    let inner = r#""template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "parameters": {"p": {"type": "string"}}, "resources": []}"#;
    let nested = format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "[concat('d', copyIndex())]", "copy": {{"name": "l", "count": 20}}, "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, {}, {inner}}}}}"#,
        parameter.trim_start_matches('{').trim_end_matches('}').to_owned() + "}}"
    );
    for template in [format!(r#""outputs": {{{outputs}}}"#), format!(r#""resources": [{nested}]"#)] {
        let keep = |deployment: Deployment| {
            let context = DeploymentContext { unresolved: Unresolved::Keep, ..deployment.context().clone() };
            deployment.within(context)
        };
        let wide = Budget::new(BudgetLimits { alive: 64 * MIB, out: 64 * MIB, ..LIMITS }, None);
        deploy(&template, &wide).map(keep).and_then(snapshot).unwrap();
        let budget = Budget::new(LIMITS, None);
        let errors = deploy(&template, &budget).map(keep).and_then(snapshot).unwrap_err();
        assert_eq!(errors[0].code, "BudgetExceeded", "{errors:?}");
    }
}

/// Members `n0`, `n1` and so on with the same value.
fn many(count: usize, value: &str) -> String {
    (0..count).map(|at| format!(r#""n{at}": {value}"#)).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_over_names_its_largest_part() {
    is_over(
        &format!(r#""parameters": {{{}}}"#, many(40, r#"{"type": "string", "defaultValue": "LONG"}"#)),
        "parameters.n0.defaultValue",
    );
    is_over(
        &format!(
            r#""variables": {{{}}}, "outputs": {{"o": {{"type": "int", "value": "[length(createArray({}))]"}}}}"#,
            many(4, r#""[string(map(range(0, 10), lambda('i', padLeft('', 1048576, 'x'))))]""#),
            (0..4).map(|at| format!("length(variables('n{at}'))")).collect::<Vec<_>>().join(", ")
        ),
        "variables.n0",
    );
    is_over(
        r#""outputs": {"o": {"type": "object", "value": {"a": 1, "b": ["[concat(padLeft('', 1048576), padLeft('', 1048576), padLeft('', 1048576), padLeft('', 1048576))]"]}}}"#,
        "outputs.o.b[0]",
    );
    is_over(
        r#""resources": [{"type": "A.B/c", "apiVersion": "1", "name": "n", "properties": {"big": "[concat(padLeft('', 1048576), padLeft('', 1048576), padLeft('', 1048576), padLeft('', 1048576))]"}}]"#,
        "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/local/providers/A.B/c/n.properties.big",
    );
}

#[test]
fn parts_that_are_small_each_are_too_much_together() {
    let template = r#""resources": [{"type": "A.B/c", "apiVersion": "1", "name": "[concat('n', copyIndex())]", "copy": {"name": "l", "count": 20}, "properties": {"big": "LONG"}}]"#;
    let error = run(template, &Budget::new(LIMITS, None)).unwrap_err();
    assert_eq!(error.code, "BudgetExceeded");
    assert!(error.message.contains("larger than 8 MiB together"), "{}", error.message);
    assert!(run(&template.replace("20", "7"), &Budget::new(LIMITS, None)).is_ok());
}

#[test]
fn what_is_gone_and_what_is_shared_costs_nothing() {
    // Each text is dropped before the next one is made.
    let budget = Budget::new(LIMITS, None);
    let template = r#""outputs": {"o": {"type": "int", "value": "[reduce(range(0, 200), 0, lambda('sum', 'i', add(lambdaVariables('sum'), length(padLeft('', 1048576, 'x')))))]"}}"#;
    run(template, &budget).unwrap();
    assert_eq!(budget.alive(), 0);
    let shared = r#""variables": {"v": "LONG"}, "outputs": {"o": {"type": "array", "copy": {"count": 200, "input": "[length(variables('v'))]"}}}"#;
    let budget = Budget::new(LIMITS, None);
    let deployment = deploy(shared, &budget).unwrap();
    assert!(matches!(Plan::new(deployment).unwrap().outputs(&NoLookups), Evaluation::Ready(_)));
    assert_eq!(budget.alive(), 0, "all of it is given back with the deployment");
}

#[test]
fn a_step_that_is_evaluated_again_is_paid_for_once() {
    let template =
        r#""resources": [{"type": "A.B/c", "apiVersion": "1", "name": "n", "properties": {"big": "LONG"}}]"#;
    let plan = Plan::new(deploy(template, &Budget::new(LIMITS, None)).unwrap()).unwrap();
    for _ in 0..100 {
        assert!(matches!(plan.evaluate(0, &NoLookups), Evaluation::Ready(_)));
    }
}

#[test]
fn work_that_was_canceled_ends_inside_of_an_evaluation() {
    let budget = Budget::new(LIMITS, None);
    let template = r#""outputs": {"o": {"type": "int", "value": "[length(filter(range(0, 10000), lambda('i', equals(0, length(filter(range(0, 10000), lambda('j', false())))))))]"}}"#;
    let plan = Plan::new(deploy(template, &budget).unwrap()).unwrap();
    let canceler = budget;
    let canceled = std::thread::spawn(move || canceler.cancel());
    let Evaluation::Failed(error) = plan.outputs(&NoLookups) else { panic!("it ended") };
    canceled.join().unwrap();
    assert!(error.message.contains("was canceled"), "{error:?}");
}

#[test]
fn steps_that_are_spent_are_a_budget_as_well() {
    let limits = BudgetLimits { steps: 10_000, ..LIMITS };
    let template = r#""outputs": {"o": {"type": "array", "value": "[map(range(0, 10000), lambda('i', string(lambdaVariables('i'))))]"}}"#;
    let error = run(template, &Budget::new(limits, None)).unwrap_err();
    assert_eq!(error.code, "BudgetExceeded");
    assert!(error.message.contains("10000 steps"), "{}", error.message);
}

#[test]
fn an_empty_pool_is_no_fault_of_the_deployment() {
    let pool = Arc::new(MemoryPool::new(MIB));
    let template = format!(
        r#""variables": {{"v": "{}"}}, "outputs": {{"o": {{"type": "int", "value": "[length(variables('v'))]"}}}}"#,
        "[map(range(0, 10), lambda('i', padLeft('', 1048576, 'x')))]"
    );
    let error = run(&template, &Budget::new(LIMITS, Some(Arc::clone(&pool)))).unwrap_err();
    assert_eq!(error.code, "TooManyRequests");
    assert_eq!(pool.used(), 0);
    let small = r#""outputs": {"o": {"type": "string", "value": "LONG"}}"#;
    assert!(run(small, &Budget::new(LIMITS, Some(pool))).is_ok());
}

#[test]
fn parameters_that_are_given_count() {
    let budget = Budget::new(LIMITS, None);
    let text = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", "parameters": {"p": {"type": "array"}}, "resources": []}"#;
    let template = Arc::new(Template::read(text, &TemplateLimits::DEFAULT).unwrap());
    let context = DeploymentContext {
        budget,
        ..DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main")
    };
    let value = Value::array(vec![Value::Int(1); 2_000_000]);
    let deployment = Deployment::with_values(template, [("p".into(), value)], context).unwrap();
    let error = Plan::new(deployment).and_then(|plan| match plan.outputs(&NoLookups) {
        Evaluation::Failed(error) => Err(vec![error]),
        Evaluation::Ready(_) | Evaluation::NeedsLookups(_) => Ok(()),
    });
    let error = error.unwrap_err().remove(0);
    assert_eq!((error.code.as_ref(), error.target.as_deref()), ("BudgetExceeded", Some("parameters.p")));
}

#[test]
fn what_is_too_large_once_ends_everything() {
    let doubled = "[reduce(range(0, 22), createArray(1), lambda('a', 'b', concat(lambdaVariables('a'), lambdaVariables('a'))))]";
    let wide = BudgetLimits { alive: 1024 * MIB, ..BudgetLimits::DEFAULT };
    let resources = format!(
        r#""resources": [{{"type": "A.B/c", "apiVersion": "1", "name": "[concat('n', copyIndex())]", "copy": {{"name": "l", "count": 200}}, "properties": {{"p": "{doubled}"}}}}]"#
    );
    let parameters = many(40, &format!(r#"{{"type": "array", "defaultValue": "{doubled}"}}"#));
    let outputs = many(40, &format!(r#"{{"type": "array", "value": "{doubled}"}}"#));
    for template in
        [resources, format!(r#""parameters": {{{parameters}}}"#), format!(r#""outputs": {{{outputs}}}"#)]
    {
        let budget = Budget::new(wide, None);
        let keep = |deployment: Deployment| {
            let context = DeploymentContext { unresolved: Unresolved::Keep, ..deployment.context().clone() };
            deployment.within(context)
        };
        let errors = deploy(&template, &budget).map(keep).and_then(snapshot).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].code, "BudgetExceeded", "{errors:?}");
        assert!(errors[0].message.contains("more than 1048576 elements"), "{errors:?}");
        assert!(errors[0].at.is_some(), "{errors:?}");
        assert!(budget.is_exhausted());
    }
}

#[test]
fn a_name_that_is_waited_for_a_million_times_is_one_dependency() {
    let named = |list: &str| {
        format!(
            r#""resources": [{{"type": "A.B/c", "apiVersion": "1", "name": "n", "properties": {{}}}},
                {{"type": "A.B/c", "apiVersion": "1", "name": "m", "dependsOn": ["[{list}]"], "properties": {{}}}}]"#
        )
    };
    let names = "map(range(0, 100), lambda('i', map(range(0, 10000), lambda('j', 'n'))))";
    let budget = Budget::default();
    let plan = Plan::new(deploy(&named(names), &budget).unwrap()).unwrap();
    assert_eq!(plan.steps()[1].depends_on, [0]);
    // Each of them was work.
    assert!(BudgetLimits::DEFAULT.steps - budget.steps_left() > 1_000_000);
    // What is wrong many times is told as often as anything.
    let numbers = named("map(range(0, 20), lambda('i', range(0, 10000)))");
    let errors = Plan::new(deploy(&numbers, &Budget::default()).unwrap()).unwrap_err();
    assert!(errors.len() <= TemplateLimits::DEFAULT.errors, "{}", errors.len());
}
