//! What each resource has to wait for.
//!
//! Most dependencies are the same for all iterations of a loop: those are worked out once. Everything that waits for a
//! whole loop waits for a group, so that two loops of a thousand iterations make two thousand edges and not a million.

use std::collections::HashMap;
use std::ops::Range;

use diagnostics::Message;

use super::super::environment::{DeploymentEnvironment, LoopKind, Loops, NoResources};
use super::super::partial::Partial;
use super::super::walk;
use super::super::{Deployment, PLAN_LIMITS, Unresolved, nested};
use super::expand::Expanded;
use super::index::{Index, StepTarget};
use super::{PlanStep, StepKind};
use crate::evaluate::Evaluator;
use crate::expression::{Expression, FunctionCall};
use crate::template::{JsonKind, Resource, TemplateError, TemplateMember, TemplateNode, code};
use crate::value::names::{self, NameIndex};
use crate::value::{Value, equal_ignoring_case};

/// From how many edges of a step on it is looked whether some are there twice.
const SURELY_REPEATED: usize = 4096;

/// Adds the dependencies of all steps; gives what is wrong with them.
pub(super) fn connect(
    deployment: &Deployment,
    expanded: &mut Expanded,
    index: &Index,
    groups: &mut Vec<Vec<usize>>,
) -> Vec<TemplateError> {
    let mut errors = Vec::new();
    duplicates(deployment, &expanded.steps, &mut errors);
    let mut work = DependencyFinder { deployment, index, groups, group_of: HashMap::new(), errors };
    deployment.run(&NoResources, &Loops::NONE, PLAN_LIMITS, |around, evaluator| {
        let resources = &deployment.template().resources;
        for at in 0..resources.len() {
            let steps = index.steps_of_resource(at);
            if !steps.is_empty() {
                work.resource(around, evaluator, at, steps, &mut expanded.steps);
            }
        }
    });
    work.errors
}

/// Resources that are there twice.
fn duplicates(deployment: &Deployment, steps: &[PlanStep], errors: &mut Vec<TemplateError>) {
    let mut seen = NameIndex::with_capacity(steps.len());
    let deployed = |step: &&PlanStep| matches!(step.kind, StepKind::Resource | StepKind::Deployment);
    for step in steps.iter().filter(deployed).filter(|step| !step.id.starts_with('[')) {
        let hash = names::hash(&step.id);
        let has_id = |at: usize| steps.get(at).is_some_and(|other| equal_ignoring_case(&other.id, &step.id));
        if seen.find(hash, has_id).is_none() {
            seen.add(hash, step.index);
        } else {
            let location = deployment.template().location(step.span);
            let (before, place) = (format!("The resource '{}'", step.id), (location.line, location.column));
            let behind = Message::sentence(" is defined multiple times in a template");
            let error = TemplateError::placed(code::INVALID_TEMPLATE, &before, place, behind);
            errors.push(error.at(location).target(step.id.as_str()));
            if errors.len() >= deployment.template().limits().errors {
                return;
            }
        }
    }
}

struct DependencyFinder<'w> {
    deployment: &'w Deployment,
    index: &'w Index,
    groups: &'w mut Vec<Vec<usize>>,
    /// The group of a looped resource.
    group_of: HashMap<usize, usize>,
    errors: Vec<TemplateError>,
}

/// The dependencies of one step.
#[derive(Clone, Default)]
struct Edges {
    steps: Vec<usize>,
    /// Steps of a name that several have, or that is asked for from outside; the one that waits may have it as
    /// well, and does not mean itself.
    shared_name: Vec<usize>,
    groups: Vec<usize>,
}

/// A call that asks for a resource.
struct ReferenceCall<'r> {
    /// What names the resource.
    argument: &'r Expression,
    /// Whether it is the same in all iterations.
    constant: bool,
}

impl DependencyFinder<'_> {
    fn resource(
        &mut self,
        around: &DeploymentEnvironment<'_>,
        evaluator: &Evaluator<'_>,
        at: usize,
        members: Range<usize>,
        steps: &mut [PlanStep],
    ) {
        let Some(resource) = self.deployment.template().resources.get(at) else { return };
        // What is found in the nested template must not outlive it.
        let nested_template = nested::outer_template(self.deployment, at, resource);
        let mut parts: Vec<&TemplateNode> =
            resource.options.iter().flat_map(|option| &option.arguments).collect();
        for member in &resource.body {
            match member {
                TemplateMember::Property { value, .. } => parts.push(value),
                TemplateMember::Loop(copy) => parts.extend([&copy.count, &copy.input]),
            }
        }
        let mut asked = Vec::new();
        for json in parts {
            json.for_each_expression(&mut |expression, _| ask(expression, &mut asked));
        }
        if let Some(template) = &nested_template {
            nested::for_each_expression(template, &mut |expression| ask(expression, &mut asked));
        }

        let explicit = resource.depends_on.as_ref();
        let explicit_constant = explicit.is_none_or(|json| !json_has_index(json));
        let mut shared = Edges::default();
        if let Some(parent) = resource.parent {
            self.add(StepTarget::Loop(parent), &mut shared);
        }
        if explicit_constant && let Some(json) = explicit {
            self.explicit(around, evaluator, json, &mut shared);
        }
        for asked in asked.iter().filter(|asked| asked.constant) {
            self.implicit(evaluator, asked.argument, &mut shared);
        }
        let varying: Vec<&ReferenceCall<'_>> = asked.iter().filter(|asked| !asked.constant).collect();
        let batches = self.batches(around, evaluator, resource, members.clone(), steps);
        for (position, member) in members.enumerate() {
            let mut edges = shared.clone();
            let iteration = steps.get(member).and_then(|step| step.copy.clone());
            if !explicit_constant || !varying.is_empty() {
                let (name, index) = iteration.unwrap_or_default();
                let kind = if resource.copy.is_some() { LoopKind::Plain } else { LoopKind::None };
                let loops = Loops { outer: Some(around.loops), name: &name, index, kind };
                let inside = DeploymentEnvironment { loops: &loops, ..*around };
                evaluator.within(&inside, |evaluator| {
                    if !explicit_constant && let Some(json) = explicit {
                        self.explicit(&inside, evaluator, json, &mut edges);
                    }
                    for asked in &varying {
                        self.implicit(evaluator, asked.argument, &mut edges);
                    }
                });
            }
            if let Some((batch, before)) = batches.get(position) {
                edges.groups.extend(before);
                if let Some(step) = steps.get_mut(member) {
                    step.batch = Some(*batch);
                }
            }
            if let Some(step) = steps.get_mut(member) {
                edges
                    .steps
                    .extend(std::mem::take(&mut edges.shared_name).into_iter().filter(|it| *it != member));
                edges.steps.sort_unstable();
                edges.steps.dedup();
                edges.groups.sort_unstable();
                edges.groups.dedup();
                // What was there many times had room for each time.
                edges.steps.shrink_to_fit();
                edges.groups.shrink_to_fit();
                step.depends_on = edges.steps;
                step.depends_on_groups = edges.groups;
            }
        }
    }

    /// The batch of each member of a loop that is deployed batch by batch, and the group of the batch before.
    fn batches(
        &mut self,
        around: &DeploymentEnvironment<'_>,
        evaluator: &Evaluator<'_>,
        resource: &Resource,
        members: Range<usize>,
        steps: &[PlanStep],
    ) -> Vec<(usize, Option<usize>)> {
        let Some(copy) = &resource.copy else { return Vec::new() };
        let known = |json: &TemplateNode| match walk::reduce(around, evaluator, json) {
            Ok(Partial::Value(value)) => Some(value.expose()),
            Ok(Partial::Expression(_) | Partial::Array(_) | Partial::Object(_)) | Err(_) => None,
        };
        let mode = copy.mode.as_ref().and_then(known);
        let is_serial =
            mode.as_ref().and_then(Value::as_str).is_some_and(|mode| mode.eq_ignore_ascii_case("serial"));
        let size = match copy.batch_size.as_ref().and_then(known) {
            Some(Value::Int(size)) => usize::try_from(size).unwrap_or(0),
            None if copy.batch_size.is_none() => 1,
            _ => 0,
        };
        if !is_serial {
            return Vec::new();
        }
        if size == 0 {
            let span = copy.batch_size.as_ref().map_or(copy.span, |json| json.span);
            self.errors.push(
                self.deployment.error("the batch size of a copy loop must be an int of at least 1", span),
            );
            return Vec::new();
        }
        let mut result = Vec::with_capacity(members.len());
        // Iterations that are not deployed have their place in a batch, too.
        let batch_of = |member: &usize| {
            let iteration = steps.get(*member).and_then(|step| step.copy.as_ref());
            iteration.map_or(0, |(_, iteration)| iteration / size)
        };
        let mut before = None;
        let members: Vec<usize> = members.collect();
        for batch in members.chunk_by(|a, b| batch_of(a) == batch_of(b)) {
            let number = batch.first().map_or(0, batch_of);
            result.extend(batch.iter().map(|_| (number, before)));
            self.groups.push(batch.to_vec());
            before = Some(self.groups.len() - 1);
        }
        result
    }

    /// `dependsOn`.
    fn explicit(
        &mut self,
        around: &DeploymentEnvironment<'_>,
        evaluator: &Evaluator<'_>,
        json: &TemplateNode,
        edges: &mut Edges,
    ) {
        match &json.kind {
            JsonKind::Array(entries) => {
                for entry in entries {
                    self.entry(around, evaluator, entry, edges);
                }
            }
            _ => self.entry(around, evaluator, json, edges),
        }
    }

    fn entry(
        &mut self,
        around: &DeploymentEnvironment<'_>,
        evaluator: &Evaluator<'_>,
        json: &TemplateNode,
        edges: &mut Edges,
    ) {
        let full = self.errors.len() >= self.deployment.template().limits().errors;
        if full {
            return;
        }
        match walk::reduce(around, evaluator, json) {
            Ok(Partial::Value(value)) => self.named(evaluator, &value.spread(), json, edges),
            // What a prediction does not know it does not order.
            Ok(_) if self.deployment.context().unresolved == Unresolved::Keep => {}
            Ok(rest) => {
                let rest = rest.into_reduced().into_expression();
                let message = crate::evaluate::unknown(&rest).message().to_owned();
                self.errors.push(self.deployment.error(message, json.span));
            }
            Err(located) => {
                let message = format!("`dependsOn` is not valid: {}", located.error.message());
                self.errors.push(self.deployment.error(message, located.span));
            }
        }
    }

    /// A name, or a list of names. An expression may make a list that is much longer than the template, of which each part is paid for.
    fn named(&mut self, evaluator: &Evaluator<'_>, value: &Value, json: &TemplateNode, edges: &mut Edges) {
        if self.errors.len() >= self.deployment.template().limits().errors {
            return;
        }
        let target = value.plain().as_str().and_then(|text| self.index.find(text));
        let found = if let Some(StepTarget::Steps(steps)) = &target { steps.len() } else { 0 };
        if let Err(error) = evaluator.count(1 + found as u64 / 16) {
            let message = format!("`dependsOn` is not valid: {}", error.message());
            self.errors.push(self.deployment.error(message, json.span));
            return;
        }
        match value.plain() {
            Value::Text(text) => match target {
                Some(target) => self.add(target, edges),
                None => {
                    let text = if value.is_secret() { contract::MASK } else { text.as_str() };
                    let message =
                        Message::sentence(format!("The resource '{text}' is not defined in the template"));
                    self.errors.push(self.deployment.error(message, json.span).target(text));
                }
            },
            Value::Array(list) => {
                for item in list.items() {
                    self.named(evaluator, item, json, edges);
                    let is_over = self.deployment.context().budget.is_exhausted() && !self.errors.is_empty();
                    if is_over {
                        return;
                    }
                }
            }
            Value::Null => {}
            other => {
                let kind = crate::evaluate::article(other);
                let message = format!("`dependsOn` is a list of names and ids, not of {kind}");
                self.errors.push(self.deployment.error(message, json.span));
            }
        }
    }

    /// A resource that an expression asks for.
    fn implicit(&mut self, evaluator: &Evaluator<'_>, argument: &Expression, edges: &mut Edges) {
        let known = match argument {
            Expression::Text(text) => Some(text.clone()),
            argument => match evaluator.reduce(argument) {
                Ok(crate::evaluate::Reduced::Value(value)) => match value.plain() {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                },
                Ok(crate::evaluate::Reduced::Expression(_)) | Err(_) => None,
            },
        };
        match known {
            Some(text) => {
                // What the template around names is there before.
                let is_around =
                    self.deployment.outer.as_ref().is_some_and(|outer| outer.index.find(&text).is_some());
                match self.index.find(&text).filter(|_| !is_around) {
                    Some(StepTarget::Step(step)) if self.deployment.outer.is_some() => {
                        edges.shared_name.push(step)
                    }
                    Some(target) => self.add(target, edges),
                    None => {}
                }
            }
            // `format('name[{0}]', ...)` with something that only the run time knows: all of the loop.
            None => argument.for_each(&mut |part| {
                if let Expression::Text(text) = part {
                    let name = text.split('[').next().unwrap_or_default();
                    if let Some(resource) = self.index.resource_of_symbol(name) {
                        let group = group(self.groups, &mut self.group_of, self.index, resource);
                        edges.groups.extend(group);
                    }
                }
            }),
        }
    }

    fn add(&mut self, target: StepTarget, edges: &mut Edges) {
        match target {
            StepTarget::Step(step) => edges.steps.push(step),
            StepTarget::Steps(steps) => edges.shared_name.extend(steps),
            StepTarget::Loop(resource) => match self.index.steps_of_resource(resource) {
                steps if steps.len() == 1 => edges.steps.extend(steps),
                _ => edges.groups.extend(group(self.groups, &mut self.group_of, self.index, resource)),
            },
            StepTarget::Skipped => {}
        }
        for list in [&mut edges.steps, &mut edges.shared_name, &mut edges.groups] {
            // An expression may name the same one a million times.
            if list.len() == list.capacity() && list.len() >= SURELY_REPEATED {
                list.sort_unstable();
                list.dedup();
            }
        }
    }
}

/// The group of all steps of a resource in a loop; none if there are no steps.
fn group(
    groups: &mut Vec<Vec<usize>>,
    group_of: &mut HashMap<usize, usize>,
    index: &Index,
    resource: usize,
) -> Option<usize> {
    let steps = index.steps_of_resource(resource);
    if steps.is_empty() {
        return None;
    }
    Some(*group_of.entry(resource).or_insert_with(|| {
        groups.push(steps.collect());
        groups.len() - 1
    }))
}

/// Finds the calls in an expression that ask for a resource.
fn ask<'r>(expression: &'r Expression, asked: &mut Vec<ReferenceCall<'r>>) {
    match expression {
        Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => {}
        Expression::Call(call) => {
            if asks(call)
                && let Some(argument) = call.arguments.first()
            {
                asked.push(ReferenceCall { argument, constant: !has_index(argument) });
            }
            call.arguments.iter().for_each(|argument| ask(argument, asked));
        }
        Expression::Access(access) => {
            ask(access.base(), asked);
            access.path().iter().for_each(|step| ask(step, asked));
        }
    }
}

/// Whether a call asks for the state of a resource.
pub(super) fn asks(call: &FunctionCall) -> bool {
    let lists = |name: &str| name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("list"));
    call.is_call_to("reference")
        || call.is_call_to("references")
        || (call.namespace.is_none() && lists(&call.name))
}

/// Tells whether an expression is different in each iteration.
fn has_index(expression: &Expression) -> bool {
    let mut found = false;
    expression.for_each(&mut |part| {
        found |= part
            .as_call()
            .is_some_and(|call| call.is_call_to("copyIndex") || call.is_call_to("lambdaVariables"));
    });
    found
}

fn json_has_index(json: &TemplateNode) -> bool {
    let mut found = false;
    json.for_each_expression(&mut |expression, _| found |= has_index(expression));
    found
}
