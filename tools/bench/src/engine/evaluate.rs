//! Evaluating templates, those inside of them included, against parsing their JSON with serde_json.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext, Snapshot, Unresolved, snapshot};
use arm::template::{Template, TemplateError, TemplateLimits};

use super::{Given, values};
use crate::Result;
use crate::files::named;
use crate::timing::{Time, geometric_mean, race, show};

/// How many of the largest templates are measured one by one.
const LARGEST: usize = 8;

pub(super) fn run(given: &Given) -> Result {
    let Some(corpus) = &given.corpus else { return Ok(()) };
    let files = named(corpus, "main.json")?;
    let mut templates = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(crate::said)?;
        let name = file.strip_prefix(corpus).unwrap_or(&file).display().to_string();
        templates.push((name, text));
    }
    templates.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    println!(
        "Evaluating a template with all templates inside it, against `serde_json::from_str` to `Value`:\n"
    );
    println!("| template | bytes | resources | serde_json | ours | times (median, least) |");
    println!("|---|--:|--:|--:|--:|--:|");
    let mut ratios = Vec::new();
    for (name, text) in templates.iter().take(LARGEST) {
        let given = given_for(text)?;
        let resources = match evaluate(text, &given) {
            Ok(predicted) => predicted.resources.len(),
            Err(errors) => {
                let first = errors.first().map(TemplateError::to_string).unwrap_or_default();
                println!("| {name} | {} | {first} | | | |", text.len());
                continue;
            }
        };
        let [parse, ours] = race(
            true,
            [
                Box::new(|| drop(black_box(serde_json::from_str::<serde_json::Value>(text)))),
                Box::new(|| drop(black_box(evaluate(text, &given)))),
            ],
        );
        row(name, text.len(), resources, parse, ours);
        ratios.push(ours.median / parse.median);
    }
    let texts: Vec<(&str, Vec<(String, Value)>)> =
        templates.iter().map(|(_, text)| Ok((text.as_str(), given_for(text)?))).collect::<Result<_>>()?;
    let resources =
        texts.iter().filter_map(|(text, given)| Some(evaluate(text, given).ok()?.resources.len()));
    let (mut predicted, mut resources_in_all) = (0, 0);
    resources.for_each(|count| {
        predicted += 1;
        resources_in_all += count;
    });
    let [parse, ours] = race(
        false,
        [
            Box::new(|| {
                for (text, _) in &texts {
                    drop(black_box(serde_json::from_str::<serde_json::Value>(text)));
                }
            }),
            Box::new(|| {
                for (text, given) in &texts {
                    drop(black_box(evaluate(text, given)));
                }
            }),
        ],
    );
    let bytes = texts.iter().map(|(text, _)| text.len()).sum();
    row(
        &format!("all {}, of which {predicted} have a prediction", texts.len()),
        bytes,
        resources_in_all,
        parse,
        ours,
    );
    println!("\nThe geometric mean of the largest is {:.2}.\n", geometric_mean(ratios));
    Ok(())
}

fn row(name: &str, bytes: usize, resources: usize, parse: Time, ours: Time) {
    println!(
        "| {name} | {bytes} | {resources} | {} | {} | {:.2}, {:.2} |",
        show(parse.median),
        show(ours.median),
        ours.median / parse.median,
        ours.least / parse.least
    );
}

fn given_for(text: &str) -> Result<Vec<(String, Value)>> {
    let written = serde_json::from_str(text).map_err(crate::said)?;
    Ok(values::required(&written))
}

/// Reads a template, binds its parameters, plans it and predicts its resources and outputs.
fn evaluate(text: &str, given: &[(String, Value)]) -> std::result::Result<Snapshot, Vec<TemplateError>> {
    // Nested templates that were read with the same limits are not read again: each time is to be the first.
    static TIMES: AtomicUsize = AtomicUsize::new(0);
    let errors = TemplateLimits::DEFAULT.errors + TIMES.fetch_add(1, Ordering::Relaxed);
    let template = Arc::new(Template::read(text, &TemplateLimits { errors, ..TemplateLimits::DEFAULT })?);
    let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    context.unresolved = Unresolved::Keep;
    let given = given.iter().map(|(name, value)| (name.as_str().into(), value.clone()));
    snapshot(Deployment::with_values(template, given, context)?)
}
