//! What the resources of a deployment are called in its program, also where the template does not have the names.

use std::collections::BTreeMap;
use std::sync::Arc;

use arm::Caseless as _;
use arm::deployment::{Deployment, Plan, StepKind};
use bicep::{Compiler, FilePath};

use super::sources::Sources;

/// How many modules are looked into.
const MOST_MODULES: usize = 2_000;

/// What a resource is called.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ResourceName {
    /// The names of the modules around it, the outermost first.
    pub(crate) modules: Vec<String>,
    /// Its own, with its place if it is one of a loop; none if nobody knows.
    pub(crate) symbol: Option<String>,
    /// The program that it is written in, and the part of its template.
    pub(crate) part: Option<(FilePath, String)>,
    /// Of a module, the program inside it.
    pub(crate) inside: Option<FilePath>,
}

/// The names of resources, by their ids in folded form.
pub(crate) type ResourceNames = BTreeMap<String, ResourceName>;

/// What the resources of extensions of a type are found by; it is no id.
pub(super) fn extension_key(kind: &str) -> String {
    format!("extension type {}", kind.split('@').next().unwrap_or_default().caseless())
}

/// The program that the template of a deployment was compiled from.
pub(super) fn program_of(deployment: &Deployment, sources: &Sources) -> Option<FilePath> {
    let template = deployment.template();
    let whole = template.location(template.source().place().into());
    sources.program_of(whole.span.file).cloned()
}

/// The names of the resources of a deployment and of those inside it, as far as they are known beforehand.
pub(crate) fn resource_names(
    deployment: &Arc<Deployment>,
    sources: &Sources,
    compiler: Option<&Compiler>,
) -> ResourceNames {
    resource_names_of(deployment, program_of(deployment, sources), compiler)
}

/// The same for a deployment whose template was compiled from a program, if it was.
pub(super) fn resource_names_of(
    deployment: &Arc<Deployment>,
    program: Option<FilePath>,
    compiler: Option<&Compiler>,
) -> ResourceNames {
    let mut names = ResourceNames::new();
    let mut open = vec![(Arc::clone(deployment), Vec::new(), program)];
    let mut modules_seen = 0;
    while let Some((deployment, modules, program)) = open.pop() {
        let Ok(plan) = Plan::new(Arc::clone(&deployment)) else { continue };
        let written: Vec<String> = match (compiler, &program) {
            (Some(compiler), Some(program)) => compiler.resource_names(program),
            _ => Vec::new(),
        };
        for step in plan.steps() {
            let own = match &step.symbol {
                Some(symbol) => Some(symbol.rsplit("::").next().unwrap_or(symbol).to_owned()),
                None => written.get(step.resource).cloned(),
            };
            let symbol = own.as_ref().map(|own| match &step.copy {
                Some((_, place)) => format!("{own}[{place}]"),
                None => own.clone(),
            });
            let shown = symbol.clone().unwrap_or_else(|| step.name.to_string());
            let part = program.clone().map(|program| {
                let part = match &step.symbol {
                    Some(symbol) => format!("resources.{symbol}"),
                    None => format!("resources[{}]", step.resource),
                };
                (program, part)
            });
            let inside: Option<FilePath> = match (compiler, &program, &own) {
                (Some(compiler), Some(program), Some(own)) if step.kind == StepKind::Deployment => {
                    compiler.module_program(program, own)
                }
                _ => None,
            };
            let name = ResourceName { modules: modules.clone(), symbol, part, inside: inside.clone() };
            // The id of a resource of an extension is made when it is deployed. The only one of its type is known by that.
            if step.kind == StepKind::Extension {
                let only = names.entry(extension_key(&step.type_name)).or_insert_with(|| name.clone());
                only.part.take_if(|part| name.part.as_ref() != Some(part));
            }
            names.entry(step.id.caseless()).or_insert(name);
            if step.kind != StepKind::Deployment || modules_seen >= MOST_MODULES {
                continue;
            }
            if let Ok(Some(nested)) = plan.nested(step.index) {
                modules_seen += 1;
                open.push((nested, modules.iter().cloned().chain([shown]).collect(), inside));
            }
        }
    }
    names
}
