//! Deploys every template below a folder to a provider that keeps what it gets, and predicts it, without parameters.
//!
//! `cargo run --profile fast -p tendon-arm --example predict -- FOLDER [NAME]` looks at all files of that name
//! (`main.json`) and says which templates fail and why, and how long it took.

#![expect(
    clippy::disallowed_methods,
    reason = "a program for people: it reads folders and looks at the clock"
)]
#![expect(clippy::print_stdout, reason = "a program for people: it prints what it found")]

#[path = "../tests/simulate/mod.rs"]
mod simulate;

mod folder;

use std::sync::Arc;
use std::time::{Duration, Instant};

use arm::deployment::{Deployment, DeploymentContext, Plan, Unresolved, snapshot};
use arm::template::{Template, TemplateError, TemplateLimits};

fn main() {
    let files = folder::files();
    let (mut deployed, mut predicted) = (0, 0);
    let mut times = [Duration::ZERO; 4];
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let show = |what: &str, errors: &[TemplateError]| {
            let messages: Vec<String> = errors.iter().take(3).map(first).collect();
            println!("{}: {what}: {}", file.display(), messages.join("; ").replace('\n', " "));
        };
        let start = Instant::now();
        let template = match Template::read(text, &TemplateLimits::DEFAULT) {
            Ok(template) => Arc::new(template),
            Err(errors) => {
                show("read", &errors);
                continue;
            }
        };
        times[0] += start.elapsed();
        let make = |unresolved| {
            let mut context =
                DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
            context.unresolved = unresolved;
            Deployment::with_values(Arc::clone(&template), [], context)
        };
        let start = Instant::now();
        let done = make(Unresolved::Error)
            .and_then(|deployment| simulate::deploy(Arc::new(deployment), &mut simulate::World::default()));
        times[1] += start.elapsed();
        match done {
            Ok(_) => deployed += 1,
            Err(errors) => show("deploy", &errors),
        }
        let start = Instant::now();
        let done = make(Unresolved::Keep).and_then(snapshot);
        times[2] += start.elapsed();
        match done {
            Ok(_) => predicted += 1,
            Err(errors) => show("snapshot", &errors),
        }
        let start = Instant::now();
        let _ = make(Unresolved::Keep).and_then(Plan::new);
        times[3] += start.elapsed();
    }
    println!("{} files, {deployed} deployed, {predicted} predicted", files.len());
    let [read, deploy, predict, plan] = times;
    println!("read {read:.2?}, deploy {deploy:.2?}, snapshot {predict:.2?}, plan {plan:.2?}");
}

/// The innermost first error.
fn first(error: &TemplateError) -> String {
    error.details.first().map_or_else(|| error.to_string(), first)
}
