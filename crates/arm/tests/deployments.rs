//! Runs the documents in `resources/deployments`: `main.json` is a template.
//!
//! - `plan` shows the steps, with what each waits for, and what is skipped;
//! - `requests` shows the bodies that are put, in order;
//! - `outputs` shows the outputs after a deployment to a provider that keeps what it gets;
//! - `snapshot` shows the prediction, and `trees` the same with outputs as JSON where they are known in part.
//!
//! `parameters.json` holds values by name, `mocks.json` mocks, `world.json` resources that exist by id, `context.json` where
//! the deployment goes: `scope`, `location`, `name`, and `known` if it is only predicted from what is said there. Every
//! other file is a template that can be linked to by its name.

mod simulate;

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use arm::Value;
use arm::deployment::{
    Deployment, DeploymentContext, Links, Mocks, PartialContext, Plan, StepKind, Unresolved, snapshot,
};
use arm::evaluate::{Moment, Scope};
use arm::template::{Template, TemplateError, TemplateLimits};
use document::{Document, FileId};
use spec_test::{Case, CaseOutput};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/deployments", run)
}

fn run(case: &Case) -> CaseOutput {
    let mut outcome = CaseOutput::new();
    for (name, show) in [
        ("plan", plan as fn(&Case) -> Result<String, Vec<TemplateError>>),
        ("requests", requests),
        ("outputs", outputs),
        ("snapshot", predicted),
        ("trees", predicted_trees),
    ] {
        if case.expects(name) {
            let text = show(case).unwrap_or_else(|errors| {
                errors.iter().fold(String::new(), |all, error| all + &shown(error, 0))
            });
            outcome = outcome.output(name, text);
        }
    }
    outcome
}

fn shown(error: &TemplateError, depth: usize) -> String {
    let mut text = format!("{}{error}\n", "  ".repeat(depth));
    for detail in &error.details {
        text.push_str(&shown(detail, depth + 1));
    }
    text
}

fn file(case: &Case, name: &str) -> Result<Value, Vec<TemplateError>> {
    let text = case.file(name).map_or("{}", |file| &file.text);
    let wrong = |message: String| vec![TemplateError::new("Document", format!("{name}: {message}"))];
    let document = Document::from_json(text, FileId::FIRST, &document::ReadLimits::DEFAULT)
        .map_err(|error| wrong(error.to_string()))?;
    Value::from_view(document.root()).map_err(|error| wrong(error.to_string()))
}

fn text(value: &Value, name: &str) -> Option<smol_str::SmolStr> {
    value.as_object()?.get(name)?.as_str().map(Into::into)
}

fn deployment(case: &Case, predicted: bool) -> Result<Arc<Deployment>, Vec<TemplateError>> {
    let main = case.file("main.json").map_or("", |file| &file.text);
    let template = Arc::new(Template::read(main, &TemplateLimits::DEFAULT)?);
    let settings = file(case, "context.json")?;
    let name = text(&settings, "name").unwrap_or_else(|| "main".into());
    let scope = match text(&settings, "scope") {
        Some(id) => Scope::parse(&id).unwrap_or_default(),
        None => DeploymentContext::local_scope(template.scope),
    };
    let mut context = DeploymentContext::local(scope, name);
    if predicted {
        context.unresolved = Unresolved::Keep;
    }
    if let Some(known) = settings.as_object().and_then(|settings| settings.get("known")) {
        let known = PartialContext {
            tenant: text(known, "tenant"),
            management_group: text(known, "managementGroup"),
            subscription: text(known, "subscription"),
            resource_group: text(known, "resourceGroup"),
            deployment: text(known, "deployment"),
            location: text(known, "location"),
        };
        context = DeploymentContext::predicted(template.scope, known);
    }
    if let Some(location) = text(&settings, "location") {
        context.location = Some(location);
    }
    context.now = Moment { seconds: 1_700_000_000, ticks: 0 };
    context.mocks = Arc::new(Mocks::new(file(case, "mocks.json")?).unwrap_or_default());
    let files: HashMap<String, Arc<str>> =
        case.files.iter().map(|file| (file.name.clone(), Arc::from(file.text.as_str()))).collect();
    context.links = Links::new(move |address| files.get(address.plain()).cloned());
    let values = file(case, "parameters.json")?;
    let values = values.as_object().into_iter().flatten().cloned();
    Ok(Arc::new(Deployment::with_values(template, values, context)?))
}

fn plan(case: &Case) -> Result<String, Vec<TemplateError>> {
    let plan = Plan::new(deployment(case, false)?)?;
    let mut out = String::new();
    for step in plan.steps() {
        let kind = match step.kind {
            StepKind::Resource => "",
            StepKind::Existing => "existing ",
            StepKind::Deployment => "deployment ",
            StepKind::Extension => "extension ",
        };
        let called = match (&step.id, &step.symbol) {
            (id, _) if !id.is_empty() => id.as_str(),
            (_, symbol) => symbol.as_deref().unwrap_or_default(),
        };
        let _ = write!(out, "{}: {kind}{called}", step.index);
        let mut before: Vec<String> = step.depends_on.iter().map(ToString::to_string).collect();
        for group in &step.depends_on_groups {
            before.push(format!("{:?}", plan.groups().get(*group).map_or(&[][..], Vec::as_slice)));
        }
        if !before.is_empty() {
            let _ = write!(out, " after {}", before.join(", "));
        }
        out.push('\n');
    }
    for skipped in plan.skipped() {
        let _ = writeln!(out, "skipped: {}", skipped.id.as_deref().unwrap_or("?"));
    }
    Ok(out)
}

fn world(case: &Case) -> Result<simulate::World, Vec<TemplateError>> {
    let mut world = simulate::World::default();
    for (id, body) in file(case, "world.json")?.as_object().into_iter().flatten() {
        world.resources.insert(id.to_lowercase(), body.clone());
    }
    Ok(world)
}

fn requests(case: &Case) -> Result<String, Vec<TemplateError>> {
    let mut world = world(case)?;
    simulate::deploy(deployment(case, false)?, &mut world)?;
    let mut out = String::new();
    for id in &world.put {
        if let Some(body) = world.resources.get(&id.to_lowercase()) {
            let members = body.as_object().into_iter().flatten();
            let rest = members.filter(|(name, _)| !["id", "name", "type"].contains(&name.as_str())).cloned();
            let _ = writeln!(out, "{id} {}", Value::object(rest).to_json());
        }
    }
    Ok(out)
}

fn outputs(case: &Case) -> Result<String, Vec<TemplateError>> {
    let outputs = simulate::deploy(deployment(case, false)?, &mut world(case)?)?;
    let outputs = outputs.iter().map(|output| (output.name.clone(), output.to_json()));
    Ok(arm::template_text::indented(Value::object(outputs).view()))
}

fn predicted(case: &Case) -> Result<String, Vec<TemplateError>> {
    Ok(arm::template_text::indented(snapshot(deployment(case, true)?)?.to_json().view()))
}

fn predicted_trees(case: &Case) -> Result<String, Vec<TemplateError>> {
    Ok(arm::template_text::indented(snapshot(deployment(case, true)?)?.to_json_with_trees().view()))
}
