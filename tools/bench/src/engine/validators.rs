//! Values that validators decide about: many parameters with one each, and long arrays.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext};
use arm::template::{Template, TemplateLimits};

use super::Given;
use crate::Result;
use crate::timing::{mean_processor_time, show};

/// How long one thing is measured.
const BUDGET: Duration = Duration::from_secs(1);

/// A validator of numbers, and one of arrays.
const FUNCTIONS: &str = r#"[{"namespace": "check", "members": {
  "even": {
    "parameters": [{"name": "n", "type": "int"}],
    "output": {"type": "object", "value": "[if(equals(mod(parameters('n'), 2), 0), createObject('kind', 'success'), createObject('kind', 'failure', 'errorMessage', format('{0} is odd', parameters('n'))))]"}
  },
  "short": {
    "parameters": [{"name": "text", "type": "string"}],
    "output": {"type": "object", "value": "[if(lessOrEquals(length(parameters('text')), 20), createObject('kind', 'success'), createObject('kind', 'failure', 'errorMessage', format('{0} characters', length(parameters('text')))))]"}
  },
  "sorted": {
    "parameters": [{"name": "all", "type": "array"}],
    "output": {"type": "object", "value": "[if(equals(last(parameters('all')), max(parameters('all'))), createObject('kind', 'success'), createObject('kind', 'failure', 'errorMessage', 'not sorted'))]"}
  }
}}]"#;

const EVEN: &str = r#""userDefinedConstraint": {"namespace": "check", "name": "even"}"#;

pub(super) fn run(_: &Given) -> Result {
    println!("Validators, from the text of a template to bound parameters:\n");
    println!("| values | number | bind | for each |\n|---|--:|--:|--:|");
    for count in [1_000, 10_000] {
        let mut parameters = String::new();
        for at in 0..count {
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(parameters, r#"{comma}"p{at}": {{"type": "int", {EVEN}}}"#);
        }
        let values: Vec<(String, Value)> =
            (0..count).map(|at| (format!("p{at}"), Value::Int(at * 2))).collect();
        measure("parameters with a validator each", count, &parameters, &values)?;
    }
    for count in [1_000, 10_000, 100_000] {
        let list = Value::array((0..count).map(|at| Value::Int(at * 2)).collect());
        let values = [("list".to_owned(), list)];
        let items = format!(r#""list": {{"type": "array", "items": {{"type": "int", {EVEN}}}}}"#);
        measure("items of an array with a validator each", count, &items, &values)?;
        let whole = r#""list": {"type": "array", "items": {"type": "int"}, "userDefinedConstraint": {"namespace": "check", "name": "sorted"}}"#;
        measure("items of an array with one validator", count, whole, &values)?;
    }
    println!();
    ratios()
}

/// What a text of at most twenty characters costs by the rule that does it: a built-in one, a validator that accepts it,
/// one that refuses it, and the same for secrets. Each figure is that of a parameter more.
fn ratios() -> Result {
    const COUNT: i64 = 2_000;
    println!("The same rule, built in and as a validator:\n");
    println!("| rule | bind {COUNT} parameters | for each | times |\n|---|--:|--:|--:|");
    let short = r#""userDefinedConstraint": {"namespace": "check", "name": "short"}"#;
    let rows = [
        ("built in", "string", r#""maxLength": 20"#, "short enough", None),
        ("built in, refused", "string", r#""maxLength": 20"#, "more than twenty characters", Some(0)),
        ("validator", "string", short, "short enough", Some(0)),
        ("validator, refused", "string", short, "more than twenty characters", Some(2)),
        ("validator, secret", "securestring", short, "short enough", Some(2)),
        ("validator, secret and refused", "securestring", short, "more than twenty characters", Some(2)),
    ];
    let mut times: Vec<f64> = Vec::new();
    for (name, ty, rule, value, base) in rows {
        let parameters: Vec<String> =
            (0..COUNT).map(|at| format!(r#""p{at}": {{"type": "{ty}", {rule}}}"#)).collect();
        let values: Vec<(String, Value)> =
            (0..COUNT).map(|at| (format!("p{at}"), Value::text(value))).collect();
        let refused = name.contains("refused");
        let time = bound(name, &parameters.join(","), &values, refused)?;
        let times_of = base.and_then(|base: usize| times.get(base)).map(|base| format!("{:.1}", time / base));
        let each = show(time / COUNT as f64);
        println!("| {name} | {} | {each} | {} |", show(time), times_of.unwrap_or_default());
        times.push(time);
    }
    println!();
    Ok(())
}

fn measure(name: &str, count: i64, parameters: &str, values: &[(String, Value)]) -> Result {
    let time = bound(&format!("{name}, {count}"), parameters, values, false)?;
    println!("| {name} | {count} | {} | {} |", show(time), show(time / count as f64));
    Ok(())
}

/// How long it takes to bind values to the parameters of a template, which refuses them or does not.
fn bound(name: &str, parameters: &str, values: &[(String, Value)], refused: bool) -> Result<f64> {
    let text = format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.0",
        "contentVersion": "1.0.0.0", "functions": {FUNCTIONS}, "parameters": {{{parameters}}}, "resources": {{}}}}"#
    );
    let limits = TemplateLimits { parameters: 100_000, ..TemplateLimits::DEFAULT };
    let mut problem = None;
    let mut bind = || {
        // Types are lowered once for each template: reading it again makes that a part of what is measured.
        let template = match Template::read(&*text, &limits) {
            Ok(template) => Arc::new(template),
            Err(errors) => return problem = Some(format!("{:?}", errors.first())),
        };
        let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
        let given = values.iter().map(|(name, value)| (name.as_str().into(), value.clone()));
        match black_box(Deployment::with_values(template, given, context)) {
            Ok(_) if refused => problem = Some("it is accepted".to_owned()),
            Err(errors) if !refused => problem = Some(format!("{:?}", errors.first())),
            Ok(_) | Err(_) => {}
        }
    };
    let time = mean_processor_time(BUDGET, &mut bind);
    match problem {
        Some(problem) => Err(format!("{name}: {problem}")),
        None => Ok(time),
    }
}
