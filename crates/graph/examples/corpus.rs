//! Draws every template `main.json` below some folders, and checks what pictures promise. `cargo xtask corpus graph FOLDER` runs it.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool that looks at files and prints")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use arm::binding::{Inputs, ParameterSource};
use arm::deployment::{Deployment, DeploymentContext, Unresolved};
use arm::template::{Template, TemplateLimits};
use arm::{Expression, Value};
use graph::{NoOrigins, broken_promises, layout, svg};

fn main() -> ExitCode {
    let mut files = Vec::new();
    std::env::args().skip(1).for_each(|folder| find(Path::new(&folder), &mut files));
    files.sort();
    let (mut drawn, mut boxes, mut lines, mut largest, mut closed, mut bad) = (0, 0, 0, 0, 0, 0);
    for file in &files {
        match draw(file) {
            Ok((nodes, edges, unknown)) => {
                closed += unknown;
                drawn += 1;
                boxes += nodes;
                lines += edges;
                largest = largest.max(nodes);
            }
            Err(why) => {
                bad += 1;
                println!("{}: {why}", file.display());
            }
        }
    }
    println!(
        "{drawn} of {} templates drawn: {boxes} boxes, {lines} lines, at most {largest} boxes in one",
        files.len()
    );
    println!("{closed} modules cannot be looked into without values; {bad} templates are wrong");
    if bad == 0 && drawn > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Collects the templates; a link could lead around in a cycle.
fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.symlink_metadata().is_ok_and(|it| it.is_dir()) {
            find(&path, files);
        } else if path.file_name().is_some_and(|name| name == "main.json") {
            files.push(path);
        }
    }
}

/// Draws a template without values for its parameters, and counts boxes, lines, and modules that need a value to be looked into.
fn draw(file: &Path) -> Result<(usize, usize, usize), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let template = Template::read(text, &TemplateLimits::DEFAULT).map_err(|errors| format!("{errors:?}"))?;
    let mut inputs = Inputs::default();
    for parameter in template.parameters.iter().filter(|parameter| parameter.default.is_none()) {
        let unknown = Expression::call("parameters", [Expression::text(parameter.name.clone())]);
        inputs.set_source(&parameter.name, ParameterSource::Later(unknown));
    }
    let scope = DeploymentContext::local_scope(template.scope);
    let context =
        DeploymentContext { unresolved: Unresolved::Keep, ..DeploymentContext::local(scope, "main") };
    let secrets = |_: &_| None::<Result<Value, _>>;
    let deployment = Deployment::with_inputs(Arc::new(template), &inputs, context, &secrets);
    let deployment = deployment.map_err(|errors| format!("{:?}", errors.first()))?;
    let (graph, errors) =
        graph::of("main", &deployment, &NoOrigins).map_err(|errors| format!("{errors:?}"))?;
    let layout = layout(&graph).map_err(|error| error.to_string())?;
    let broken = broken_promises(&graph, &layout);
    if !broken.is_empty() {
        return Err(broken.join("; "));
    }
    if !svg::draw(&graph, &layout, &svg::SvgOptions::default()).ends_with("</svg>\n") {
        return Err("the picture has no end".to_owned());
    }
    Ok((graph.nodes().len(), graph.edges().len(), errors.len()))
}
