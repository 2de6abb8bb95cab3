//! The graph of a deployment: its resources, with loops as one box each, and its modules with what they deploy.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arm::deployment::{
    Dependency, DependencyKind, Deployment, DeploymentContext, Plan, PlanStep, StepKind, Unresolved,
};
use arm::template::{ErrorLocation, Resource, TemplateError};

use crate::model::{
    Condition, DependencyReason, Edge, Graph, GraphError, GraphNode, GraphNodeKind, MAX_NODES, NodeId,
    Repeat, SourceLine, Why,
};

/// Who knows where the resources of templates are written.
pub trait Origins {
    /// The place of a resource: `modules` are the symbolic names of the modules around it, the outermost first, and `location` is where it
    /// stands in the template.
    fn place(
        &self,
        modules: &[String],
        symbol: Option<&str>,
        location: &dyn Fn() -> ErrorLocation,
    ) -> Option<SourceLine>;
}

/// Origins for templates that were not compiled here: there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOrigins;

impl Origins for NoOrigins {
    fn place(&self, _: &[String], _: Option<&str>, _: &dyn Fn() -> ErrorLocation) -> Option<SourceLine> {
        None
    }
}

/// How many of the ids of a loop are kept.
const MOST_IDS: usize = 10_000;

/// Makes the graph of a deployment. Nothing is run: what only the run time knows is shown as the expression that it is.
///
/// Beside the graph there are the errors of modules that could not be looked into; they are boxes without anything inside.
pub fn of(
    title: &str,
    deployment: &Deployment,
    origins: &dyn Origins,
) -> Result<(Graph, Vec<TemplateError>), Vec<TemplateError>> {
    let budget = deployment.context().budget.ahead();
    let context = DeploymentContext { unresolved: Unresolved::Keep, budget, ..deployment.context().clone() };
    let plan = Plan::new(deployment.within(context))?;
    let mut making =
        Making { origins, nodes: Vec::new(), edges: Vec::new(), inside: Vec::new(), errors: Vec::new() };
    making.plan(&plan, None, &[]);
    while let Some(inside) = making.inside.pop() {
        match Plan::new(inside.deployment) {
            Ok(plan) => making.plan(&plan, Some(inside.module), &inside.modules),
            Err(errors) => making.errors.extend(errors),
        }
        if making.nodes.len() > MAX_NODES {
            break;
        }
    }
    let refused = |error: GraphError| vec![TemplateError::invalid_template(error.to_string())];
    let graph = Graph::new(title, making.nodes, making.edges).map_err(refused)?;
    Ok((graph, making.errors))
}

/// A module that is to be looked into.
struct PendingModule {
    module: NodeId,
    modules: Vec<String>,
    deployment: Arc<Deployment>,
}

struct Making<'m> {
    origins: &'m dyn Origins,
    nodes: Vec<GraphNode>,
    edges: Vec<Edge>,
    inside: Vec<PendingModule>,
    errors: Vec<TemplateError>,
}

impl Making<'_> {
    /// Adds the resources of a plan, inside of a module.
    fn plan(&mut self, plan: &Plan, parent: Option<NodeId>, modules: &[String]) {
        let resources = &plan.deployment().template().resources;
        let first = self.nodes.len();
        let mut steps: Vec<Vec<&PlanStep>> = vec![Vec::new(); resources.len()];
        for step in plan.steps() {
            if let Some(list) = steps.get_mut(step.resource) {
                list.push(step);
            }
        }
        let mut skipped: BTreeMap<usize, usize> = BTreeMap::new();
        for it in plan.skipped() {
            *skipped.entry(it.resource).or_default() += 1;
        }
        for (at, (resource, steps)) in resources.iter().zip(&steps).enumerate() {
            let mut node = node(plan, resource, steps, skipped.get(&at).copied().unwrap_or(0));
            node.parent = parent;
            let location = || plan.deployment().template().location(resource.span);
            node.place = self.origins.place(modules, resource.symbol.as_deref(), &location);
            let module = self.nodes.len();
            let label = node.label.clone();
            self.nodes.push(node);
            // The first one of a loop shows what all of them are made of.
            let Some(step) = steps.first().filter(|step| step.kind == StepKind::Deployment) else { continue };
            match plan.nested(step.index) {
                Ok(Some(deployment)) => {
                    let modules = modules.iter().cloned().chain([label]).collect();
                    self.inside.push(PendingModule { module, modules, deployment });
                }
                Ok(None) => {}
                Err(error) => self.errors.push(error),
            }
        }
        self.edges(plan, first);
    }

    fn edges(&mut self, plan: &Plan, first: NodeId) {
        let mut before: Vec<BTreeSet<usize>> =
            vec![BTreeSet::new(); plan.deployment().template().resources.len()];
        // A group is a whole loop, or one batch of it: its first member stands for all.
        let of_step = |step: usize| plan.steps().get(step).map(|step| step.resource);
        for step in plan.steps() {
            let groups = step.depends_on_groups.iter().filter_map(|group| plan.groups().get(*group)?.first());
            let needed = step.depends_on.iter().chain(groups).filter_map(|before| of_step(*before));
            if let Some(list) = before.get_mut(step.resource) {
                list.extend(needed.filter(|on| *on != step.resource));
            }
        }
        for (at, (dependencies, before)) in plan.dependencies().iter().zip(&mut before).enumerate() {
            let waits = |it: &&Dependency| match it.kind {
                DependencyKind::DependsOn | DependencyKind::Parent | DependencyKind::Reference => true,
                DependencyKind::Id | DependencyKind::Name => false,
            };
            before.extend(dependencies.iter().filter(waits).map(|it| it.on));
            let reasons = |on: usize| {
                let is_module =
                    self.nodes.get(first + on).is_some_and(|node| node.kind == GraphNodeKind::Module);
                let own = dependencies.iter().filter(move |it| it.on == on);
                own.map(move |it| reason(it, is_module)).collect::<Vec<_>>()
            };
            let edges: Vec<Edge> = before
                .iter()
                .map(|on| Edge { from: first + on, to: first + at, reasons: reasons(*on) })
                .map(|edge| match edge.reasons.is_empty() {
                    true => Edge { reasons: vec![DependencyReason::new(Why::DependsOn)], ..edge },
                    false => edge,
                })
                .collect();
            self.edges.extend(edges);
        }
    }
}

fn reason(dependency: &Dependency, is_module: bool) -> DependencyReason {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let at = match dependency.at.strip_prefix("properties.parameters.") {
        Some(rest) => Some(format!("the parameter {}", rest.split('.').next().unwrap_or_default())),
        None => text(&dependency.at),
    };
    let output = dependency.reads.strip_prefix("outputs.").map(|rest| rest.trim_end_matches(".value"));
    let (why, reads) = match dependency.kind {
        DependencyKind::DependsOn => (Why::DependsOn, None),
        DependencyKind::Parent => (Why::Parent, None),
        DependencyKind::Reference if is_module => (Why::Output, output.and_then(text)),
        DependencyKind::Reference => (Why::Property, text(&dependency.reads)),
        DependencyKind::Id => (Why::Id, None),
        DependencyKind::Name => (Why::Name, None),
    };
    DependencyReason { why, reads, at }
}

fn node(plan: &Plan, resource: &Resource, steps: &[&PlanStep], skipped: usize) -> GraphNode {
    let first = steps.first();
    let expression = |json: &arm::template::TemplateNode| match (json.as_str(), json.as_expression()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(expression)) => format!("[{expression}]"),
        (None, None) => String::new(),
    };
    let type_name = first.map_or_else(|| expression(&resource.kind), |step| step.type_name.to_string());
    let name = match first {
        Some(step) if !step.name.is_empty() => step.name.to_string(),
        Some(_) | None => resource.name.as_ref().map(expression).unwrap_or_default(),
    };
    // What people call a child is its own name.
    let short =
        if name.starts_with('[') { name.as_str() } else { name.rsplit('/').next().unwrap_or_default() };
    let label = match &resource.symbol {
        Some(symbol) => symbol.to_string(),
        None if short.is_empty() => type_name.rsplit('/').next().unwrap_or_default().to_owned(),
        None => short.to_owned(),
    };
    let kind = if resource.existing {
        GraphNodeKind::Existing
    } else if resource.extension.is_some() {
        GraphNodeKind::Extension
    } else if resource.nested.is_some() {
        GraphNodeKind::Module
    } else {
        GraphNodeKind::Resource
    };
    let is_unknown = || {
        let mut unknown = plan.diagnostics().iter().filter(|it| it.code == "CopyCountUnknown");
        unknown.any(|it| resource.symbol.as_deref().is_none_or(|symbol| it.target == symbol))
    };
    let count = steps.len() + skipped;
    let repeat = match &resource.copy {
        None => Repeat::Once,
        Some(_) if count == 0 && is_unknown() => Repeat::LoopUnknown,
        Some(_) => Repeat::Loop(steps.len()),
    };
    let condition = match (&resource.condition, steps.is_empty()) {
        (_, true) if skipped > 0 || repeat == Repeat::Loop(0) => Condition::Never,
        (Some(_), _) => Condition::Conditional,
        (None, _) => Condition::Always,
    };
    let is_shown = |name: &String| {
        !name.is_empty() && *name != label && !name.starts_with('[') && repeat == Repeat::Once
    };
    let known = steps.iter().filter(|step| !step.id.is_empty() && !step.id.starts_with('['));
    GraphNode {
        kind,
        parent: None,
        name: Some(name.clone()).filter(is_shown),
        label,
        type_name,
        api_version: first.and_then(|step| step.api_version.as_ref()).map(ToString::to_string),
        repeat,
        condition,
        place: None,
        ids: known.take(MOST_IDS).map(|step| step.id.to_string()).collect(),
        marks: BTreeMap::new(),
    }
}
