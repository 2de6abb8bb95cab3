//! Runs cases of functions and templates with results that public sources state.
//!
//! `cargo run -p tendon-arm --example cases -- CASES.jsonl` reads one JSON object per line: an `expression` or a `template`,
//! perhaps `parameters`, `mocks` and a `context`, and what to `expect`: a `value`, `outputs` or an `error`.

#![expect(clippy::disallowed_methods, reason = "a program for people: it reads a file")]
#![expect(clippy::print_stdout, reason = "a program for people: it prints what it found")]

#[path = "../tests/simulate/mod.rs"]
mod simulate;

use std::sync::Arc;

use arm::deployment::{Deployment, DeploymentContext, Mocks, Unresolved, snapshot};
use arm::evaluate::{Moment, Scope};
use arm::template::{Template, TemplateError, TemplateLimits};
use arm::{Object, Value};
use document::{Document, FileId};
use smol_str::SmolStr;

fn main() {
    let file = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let (mut passed, mut total) = (0, 0);
    for line in text.lines() {
        let Some(case) = json(line) else { continue };
        let Some(case) = case.as_object() else { continue };
        if case.get("expression").is_none() && case.get("template").is_none() {
            continue;
        }
        let doubtful = case.get("doubtful").is_some_and(|flag| *flag == Value::Bool(true));
        let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
        let found = judge(case);
        if !doubtful {
            total += 1;
            passed += usize::from(found.is_ok());
        }
        if let Err(message) = found {
            println!("{}{id}: {message}", if doubtful { "doubtful " } else { "" });
        }
    }
    println!("{passed} of {total}");
}

fn json(text: &str) -> Option<Value> {
    let document = Document::from_json(text, FileId::FIRST, &document::ReadLimits::DEFAULT).ok()?;
    Value::from_view(document.root()).ok()
}

fn judge(case: &Object) -> Result<(), String> {
    let expect = case.get("expect").and_then(Value::as_object).ok_or("nothing is expected")?;
    let found = run(case);
    if expect.get("error").is_some() {
        return match found {
            Err(_) => Ok(()),
            Ok(value) => Err(format!("does not fail: {}", cut(&value))),
        };
    }
    let found = found.map_err(|errors| {
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        format!("fails: {}", messages.join("; "))
    })?;
    if let Some(value) = expect.get("value") {
        return if found == *value {
            Ok(())
        } else {
            Err(format!("gives {}, not {}", cut(&found), cut(value)))
        };
    }
    for wanted in ["outputs", "snapshot"] {
        for (name, value) in expect.get(wanted).and_then(Value::as_object).into_iter().flatten() {
            match found.as_object().and_then(|found| found.get(name)) {
                Some(found) if found == value => {}
                Some(found) => return Err(format!("`{name}` is {}, not {}", cut(found), cut(value))),
                None => return Err(format!("there is no output `{name}`")),
            }
        }
    }
    Ok(())
}

fn cut(value: &Value) -> String {
    value.to_json().chars().take(300).collect()
}

fn run(case: &Object) -> Result<Value, Vec<TemplateError>> {
    let empty = Value::object::<SmolStr>([]);
    let around = case.get("context").cloned().unwrap_or_else(|| empty.clone());
    let around = |name: &str| around.as_object().and_then(|around| around.get(name)).cloned();
    let scope = around("scope").unwrap_or_else(|| empty.clone());
    let text = |name: &str| scope.as_object().and_then(|scope| scope.get(name)).and_then(Value::as_str);
    let values =
        case.get("parameters").cloned().or_else(|| around("parameters")).unwrap_or_else(|| empty.clone());
    let (template, expression) = match case.get("expression").and_then(Value::as_str) {
        Some(expression) => (template_around(&values, around("variables")), Some(expression)),
        None => (case.get("template").map(Value::to_json).unwrap_or_default(), None),
    };
    let template = Arc::new(Template::read(template, &TemplateLimits::DEFAULT)?);
    let target = match (text("subscriptionId"), text("resourceGroup")) {
        (Some(subscription), Some(name)) if template.scope == arm::template::ScopeKind::ResourceGroup => {
            Scope::ResourceGroup { subscription: subscription.into(), name: name.into() }
        }
        (Some(subscription), _) if template.scope == arm::template::ScopeKind::Subscription => {
            Scope::Subscription(subscription.into())
        }
        _ => DeploymentContext::local_scope(template.scope),
    };
    let mut context = DeploymentContext::local(target, text("deploymentName").unwrap_or("main"));
    if let Some(location) = text("location").or_else(|| text("deploymentLocation")) {
        context.location = Some(location.into());
    }
    if let Some(tenant) = text("tenantId") {
        context.tenant = Some(tenant.into());
    }
    context.now = Moment { seconds: 1_700_000_000, ticks: 0 };
    let mut mocks: Vec<_> =
        case.get("mocks").and_then(Value::as_object).into_iter().flatten().cloned().collect();
    if let Some(group) = text("managementGroup") {
        mocks.push(("managementGroup".into(), Value::object([("name", Value::from(group))])));
    }
    context.mocks = Arc::new(Mocks::new(Value::object(mocks)).unwrap_or_default());
    let predicts = case.get("expect").and_then(Value::as_object).is_some_and(|e| e.get("snapshot").is_some());
    if predicts {
        context.unresolved = Unresolved::Keep;
    }
    let values = values.as_object().into_iter().flatten().cloned();
    let deployment = Deployment::with_values(template, values, context)?;
    if let Some(expression) = expression {
        let failed = |message: String| vec![TemplateError::invalid_template(message)];
        let expression = expression.strip_prefix('[').and_then(|e| e.strip_suffix(']')).unwrap_or(expression);
        let expression = arm::expression::parse(expression).map_err(|error| failed(error.to_string()))?;
        return deployment.evaluate(&expression).map_err(|error| failed(error.to_string()));
    }
    if predicts {
        return Ok(snapshot(deployment)?.to_json());
    }
    let outputs = simulate::deploy(Arc::new(deployment), &mut simulate::World::default())?;
    Ok(Value::object(outputs.into_iter().map(|output| (output.name, output.value.get().expose()))))
}

/// A template with parameters and variables, as the score tool makes it.
fn template_around(parameters: &Value, variables: Option<Value>) -> String {
    let declared = parameters.as_object().into_iter().flatten().map(|(name, value)| {
        let kind = match value {
            Value::Text(_) => "string",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Array(_) => "array",
            _ => "object",
        };
        (
            name.clone(),
            Value::object([("type", Value::from(kind)), ("nullable", Value::Bool(value.is_null()))]),
        )
    });
    let empty = Value::object::<SmolStr>([]);
    Value::object([
        ("$schema", "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#".into()),
        ("languageVersion", "2.0".into()),
        ("contentVersion", "1.0.0.0".into()),
        ("parameters", Value::object(declared)),
        ("variables", variables.unwrap_or_else(|| empty.clone())),
        ("resources", empty),
    ])
    .to_json()
}
