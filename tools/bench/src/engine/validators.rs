//! Values that validators decide about: many parameters with one each, and long arrays.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arm::Value;
use arm::deployment::{Context, Deployment};
use arm::template::{Limits, Template};

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
    Ok(())
}

fn measure(name: &str, count: i64, parameters: &str, values: &[(String, Value)]) -> Result {
    let text = format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "languageVersion": "2.0",
        "contentVersion": "1.0.0.0", "functions": {FUNCTIONS}, "parameters": {{{parameters}}}, "resources": {{}}}}"#
    );
    let limits = Limits { parameters: 100_000, ..Limits::DEFAULT };
    let mut problem = None;
    let mut bind = || {
        // Types are lowered once for each template: reading it again makes that a part of what is measured.
        let template = match Template::read(&*text, &limits) {
            Ok(template) => Arc::new(template),
            Err(errors) => return problem = Some(format!("{:?}", errors.first())),
        };
        let context = Context::local(Context::local_scope(template.scope), "main");
        let given = values.iter().map(|(name, value)| (name.as_str().into(), value.clone()));
        if let Err(errors) = black_box(Deployment::with_values(template, given, context)) {
            problem = Some(format!("{:?}", errors.first()));
        }
    };
    let time = mean_processor_time(BUDGET, &mut bind);
    match problem {
        Some(problem) => Err(format!("{name}, {count}: {problem}")),
        None => {
            println!("| {name} | {count} | {} | {} |", show(time), show(time / count as f64));
            Ok(())
        }
    }
}
