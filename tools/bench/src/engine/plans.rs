//! Plans of templates with many resources: the time for each of them must not grow.

use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arm::deployment::{Deployment, DeploymentContext, Plan};
use arm::template::{Template, TemplateLimits};

use super::Given;
use crate::Result;
use crate::timing::{mean_processor_time, show};

/// How long one thing is measured.
const BUDGET: Duration = Duration::from_secs(1);

/// What a template is like, and what writes one with so many resources.
type Shape = (&'static str, fn(usize) -> String);

pub(super) fn run(_: &Given) -> Result {
    println!("Plans, from a bound deployment to its steps in order:\n");
    println!("| template | resources | plan | for each resource |\n|---|--:|--:|--:|");
    let shapes: [Shape; 3] = [
        ("resources one by one, each behind another", single),
        ("two loops, one behind the other", loops),
        ("resources with symbolic names", symbolic),
    ];
    for (name, write) in shapes {
        for count in [1_000, 10_000, 100_000] {
            let limits = TemplateLimits { resources: count + 1, ..TemplateLimits::DEFAULT };
            let template = Template::read(write(count), &limits).map_err(|errors| format!("{errors:?}"))?;
            let template = Arc::new(template);
            let mut problem = None;
            let mut plan = || {
                let context =
                    DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
                let plan = Deployment::with_values(Arc::clone(&template), [], context).and_then(Plan::new);
                match black_box(plan) {
                    Ok(plan) if plan.steps().len() == count => {}
                    Ok(plan) => problem = Some(format!("{} steps", plan.steps().len())),
                    Err(errors) => problem = Some(format!("{:?}", errors.first())),
                }
            };
            let time = mean_processor_time(BUDGET, &mut plan);
            if let Some(problem) = problem {
                return Err(format!("{name}, {count}: {problem}"));
            }
            println!("| {name} | {count} | {} | {} |", show(time), show(time / count as f64));
        }
    }
    println!();
    Ok(())
}

fn template(version: &str, resources: &str) -> String {
    format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", {version}
        "contentVersion": "1.0.0.0", "parameters": {{"prefix": {{"type": "string", "defaultValue": "shop"}}}}, "resources": {resources}}}"#
    )
}

/// Resources of an array, each of which depends on the one ten before it.
fn single(count: usize) -> String {
    let mut resources = String::from("[");
    for at in 0..count {
        let comma = if at == 0 { "" } else { "," };
        let before = match at.checked_sub(10) {
            Some(before) => format!(
                r#", "dependsOn": ["[resourceId('Microsoft.Things/things', format('{{0}}-{before}', parameters('prefix')))]"]"#
            ),
            None => String::new(),
        };
        let _ = write!(
            resources,
            r#"{comma}{{"type": "Microsoft.Things/things", "apiVersion": "2025-01-01", "name": "[format('{{0}}-{at}', parameters('prefix'))]", "location": "[resourceGroup().location]"{before}}}"#
        );
    }
    template("", &(resources + "]"))
}

/// Two loops of half as many resources each, the second of which waits for the first.
fn loops(count: usize) -> String {
    let looped = |name: &str, rest: &str| {
        let half = count / 2;
        format!(
            r#"{{"copy": {{"name": "{name}", "count": {half}}}, "type": "Microsoft.Things/{name}", "apiVersion": "2025-01-01",
            "name": "[format('{{0}}-{{1}}', parameters('prefix'), copyIndex())]"{rest}}}"#
        )
    };
    let (first, second) = (looped("first", ""), looped("second", r#", "dependsOn": ["first"]"#));
    template("", &format!("[{first}, {second}]"))
}

/// Resources by symbolic name, each of which refers to the one ten before it.
fn symbolic(count: usize) -> String {
    let mut resources = String::from("{");
    for at in 0..count {
        let comma = if at == 0 { "" } else { "," };
        let before = match at.checked_sub(10) {
            Some(before) => format!(
                r#", "properties": {{"before": "[reference('thing{before}').name]"}}, "dependsOn": ["thing{before}"]"#
            ),
            None => String::new(),
        };
        let _ = write!(
            resources,
            r#"{comma}"thing{at}": {{"type": "Microsoft.Things/things", "apiVersion": "2025-01-01", "name": "[format('{{0}}-{at}', parameters('prefix'))]"{before}}}"#
        );
    }
    template(r#""languageVersion": "2.0","#, &(resources + "}"))
}
