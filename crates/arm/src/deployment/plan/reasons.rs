//! Why resources depend on each other, for people who look at a plan.
//!
//! What has to wait for what is decided in `depends`; here the same expressions are read once more for what they use, and where.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::super::environment::{DeploymentEnvironment, LoopKind, Loops, NoResources};
use super::super::partial::{Partial, template_string};
use super::super::{PLAN_LIMITS, nested, walk};
use super::{Index, Plan, StepTarget};
use crate::evaluate::{Evaluator, Reduced};
use crate::expression::{Expression, FunctionCall};
use crate::template::locate::push_name;
use crate::template::{JsonKind, MemberName, Resource, TemplateMember, TemplateNode};
use crate::value::{Value, equal_ignoring_case};

/// That one resource of a template depends on, or uses, another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The other one: its position in the template's resources.
    pub on: usize,
    /// How it depends on it.
    pub kind: DependencyKind,
    /// What is read of it, such as `properties.primaryEndpoints`; empty where all of it is.
    pub reads: String,
    /// Where it is used, such as `properties.siteConfig`; empty where no property does.
    pub at: String,
}

/// How one resource depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyKind {
    /// `dependsOn` of the one names the other.
    DependsOn,
    /// It is the parent.
    Parent,
    /// An expression reads its state, so that it has to be there.
    Reference,
    /// An expression uses its id; by itself that makes nobody wait.
    Id,
    /// An expression uses its name; by itself that makes nobody wait.
    Name,
}

/// How many reasons of one resource are told.
const MOST: usize = 1_000;

/// How many resources of `dependsOn` are looked for by their name.
const MOST_NAMES: usize = 64;

impl Plan {
    /// What each resource of the template depends on and why. For a loop this is what its first iteration says.
    pub fn dependencies(&self) -> Vec<Vec<Dependency>> {
        let mut unknown = HashMap::new();
        for step in self.steps().iter().filter(|step| step.id.starts_with('[')) {
            unknown.entry(step.id.as_str()).or_insert(step.resource);
        }
        let deployment = &self.deployment;
        deployment.run(&NoResources, &Loops::NONE, PLAN_LIMITS, |around, evaluator| {
            let resources = deployment.template().resources.iter().enumerate();
            resources
                .map(|(at, resource)| {
                    let first =
                        self.index.steps_of_resource(at).next().and_then(|step| self.steps().get(step));
                    let (name, index) = first.and_then(|step| step.copy.clone()).unwrap_or_default();
                    let kind = if resource.copy.is_some() { LoopKind::Plain } else { LoopKind::None };
                    let loops = Loops { outer: Some(around.loops), name: &name, index, kind };
                    let inside = DeploymentEnvironment { loops: &loops, ..*around };
                    evaluator.within(&inside, |evaluator| {
                        let mut look = ReasonCollector {
                            plan: self,
                            unknown: &unknown,
                            evaluator,
                            at,
                            found: Vec::new(),
                        };
                        look.resource(&inside, resource);
                        look.found
                    })
                })
                .collect()
        })
    }
}

/// A look at one resource.
struct ReasonCollector<'l> {
    plan: &'l Plan,
    /// The resources whose ids are expressions, by these.
    unknown: &'l HashMap<&'l str, usize>,
    evaluator: &'l Evaluator<'l>,
    at: usize,
    found: Vec<Dependency>,
}

impl ReasonCollector<'_> {
    fn resource(&mut self, around: &DeploymentEnvironment<'_>, resource: &Resource) {
        if let Some(parent) = resource.parent {
            self.add(parent, DependencyKind::Parent, String::new(), "");
        }
        let mut path = String::new();
        for option in &resource.options {
            option.arguments.iter().for_each(|json| self.json(json, &mut path));
        }
        if let Some(scope) = &resource.scope {
            self.json(scope, &mut "scope".to_owned());
        }
        self.members(&resource.body, &mut path);
        let nested_template = nested::outer_template(&self.plan.deployment, self.at, resource);
        if let Some(template) = &nested_template {
            nested::for_each_expression(template, &mut |expression| self.expression(expression, "template"));
        }
        if let Some(json) = &resource.depends_on {
            self.explicit(around, json);
        }
        self.parents();
        self.names(resource);
    }

    fn members(&mut self, members: &[TemplateMember], path: &mut String) {
        let length = path.len();
        for member in members {
            match member {
                TemplateMember::Property { name, value, .. } => {
                    match name {
                        MemberName::Text(name) => push_name(path, name),
                        MemberName::Expression(expression) => self.expression(expression, path),
                    }
                    self.json(value, path);
                }
                TemplateMember::Loop(copy) => {
                    push_name(path, &copy.name);
                    self.json(&copy.count, path);
                    self.json(&copy.input, path);
                }
            }
            path.truncate(length);
        }
    }

    /// Recursion is bounded by how deep a document may nest.
    fn json(&mut self, json: &TemplateNode, path: &mut String) {
        match &json.kind {
            JsonKind::Value(_) | JsonKind::Template(_) => {}
            JsonKind::Expression(expression) => self.expression(expression, path),
            JsonKind::Array(items) => {
                let length = path.len();
                for (at, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{at}]"));
                    self.json(item, path);
                    path.truncate(length);
                }
            }
            JsonKind::Object(members) => self.members(members, path),
        }
    }

    /// Recursion is bounded by how deep an expression may nest.
    fn expression(&mut self, expression: &Expression, path: &str) {
        match expression {
            Expression::Text(_) | Expression::Int(_) | Expression::Secret(_) => {}
            Expression::Call(call) => self.call(call, &[], path),
            Expression::Access(access) => {
                match access.base() {
                    Expression::Call(call) => self.call(call, access.path(), path),
                    base => self.expression(base, path),
                }
                access.path().iter().for_each(|step| self.expression(step, path));
            }
        }
    }

    fn call(&mut self, call: &FunctionCall, read: &[Expression], path: &str) {
        let mut arguments = call.arguments.as_slice();
        // `a.?b` and `c ? a : null` read of what they are made of.
        let through = if call.is_call_to("tryGet") {
            arguments.split_first().map(|(base, keys)| (std::slice::from_ref(base), [keys, read].concat()))
        } else if call.is_call_to("if") {
            arguments.split_first().map(|(_, values)| (values, read.to_vec()))
        } else {
            None
        };
        if let Some((bases, read)) = through {
            for argument in arguments {
                match argument {
                    Expression::Call(inner) if bases.contains(argument) => self.call(inner, &read, path),
                    argument => self.expression(argument, path),
                }
            }
            return;
        }
        if super::depends::asks(call) {
            if let Some((argument, rest)) = arguments.split_first() {
                let reads =
                    if call.is_call_to("reference") { reads(call, read) } else { format!("{}()", call.name) };
                for on in self.named(argument) {
                    self.add(on, DependencyKind::Reference, reads.clone(), path);
                }
                arguments = rest;
            }
        } else if call.is_call_to("resourceId")
            || call.is_call_to("extensionResourceId")
            || call.is_call_to("subscriptionResourceId")
        {
            let whole = Expression::Call(Box::new(call.clone()));
            for on in self.named(&whole) {
                self.add(on, DependencyKind::Id, String::new(), path);
            }
        }
        arguments.iter().for_each(|argument| self.expression(argument, path));
    }

    /// The resources that an expression names.
    fn named(&self, expression: &Expression) -> Vec<usize> {
        let reduced = match expression {
            Expression::Text(text) => return self.resources(text),
            expression => self.evaluator.reduce(expression),
        };
        match reduced {
            Ok(Reduced::Value(value)) => match value.plain() {
                Value::Text(text) => self.resources(text),
                _ => Vec::new(),
            },
            Ok(Reduced::Expression(rest)) => {
                self.unknown.get(template_string(&rest).as_str()).copied().into_iter().collect()
            }
            Err(_) => Vec::new(),
        }
    }

    fn resources(&self, text: &str) -> Vec<usize> {
        let index: &Index = &self.plan.index;
        let of_step = |step: &usize| self.plan.steps().get(*step).map(|step| step.resource);
        let mut found: Vec<usize> = match index.find(text) {
            Some(StepTarget::Step(step)) => of_step(&step).into_iter().collect(),
            Some(StepTarget::Steps(steps)) => steps.iter().filter_map(of_step).collect(),
            Some(StepTarget::Loop(resource)) => vec![resource],
            // A symbol that is not deployed is still one that people look for.
            Some(StepTarget::Skipped) => index.resource_of_symbol(text).into_iter().collect(),
            None => Vec::new(),
        };
        found.dedup();
        found
    }

    fn explicit(&mut self, around: &DeploymentEnvironment<'_>, json: &TemplateNode) {
        let entries = match &json.kind {
            JsonKind::Array(entries) => &**entries,
            JsonKind::Value(_) | JsonKind::Expression(_) | JsonKind::Object(_) | JsonKind::Template(_) => {
                std::slice::from_ref(json)
            }
        };
        for entry in entries {
            match walk::reduce(around, self.evaluator, entry) {
                Ok(Partial::Value(value)) => self.depends_on(&value.spread()),
                Ok(Partial::Expression(rest)) => {
                    let on = self.unknown.get(template_string(&rest).as_str()).copied();
                    if let Some(on) = on {
                        self.add(on, DependencyKind::DependsOn, String::new(), "");
                    }
                }
                Ok(Partial::Array(_) | Partial::Object(_)) | Err(_) => {}
            }
        }
    }

    fn depends_on(&mut self, value: &Value) {
        match value.plain() {
            Value::Text(text) => {
                for on in self.resources(text) {
                    self.add(on, DependencyKind::DependsOn, String::new(), "");
                }
            }
            Value::Array(list) => list.items().iter().for_each(|item| self.depends_on(item)),
            _ => {}
        }
    }

    fn add(&mut self, on: usize, kind: DependencyKind, reads: String, at: &str) {
        if on == self.at || self.found.len() >= MOST {
            return;
        }
        self.found.push(Dependency { on, kind, reads, at: at.to_owned() });
    }

    /// What `dependsOn` names may be the parent, which compilers write like that.
    fn parents(&mut self) {
        let first = |resource: usize| {
            self.plan.index.steps_of_resource(resource).next().and_then(|step| self.plan.steps().get(step))
        };
        let Some(own) = first(self.at) else { return };
        let is_parent = |on: usize| {
            let Some(other) = first(on) else { return false };
            let Some((parent, _)) = own.type_name.rsplit_once('/') else { return false };
            equal_ignoring_case(parent, &other.type_name)
                && (own.id.starts_with('[') || other.id.starts_with('[') || is_below(&own.id, &other.id))
        };
        let parents: Vec<bool> = self
            .found
            .iter()
            .map(|found| found.kind == DependencyKind::DependsOn && is_parent(found.on))
            .collect();
        for (found, _) in self.found.iter_mut().zip(parents).filter(|(_, is_parent)| *is_parent) {
            found.kind = DependencyKind::Parent;
        }
    }

    /// Finds where the names of those are used that only `dependsOn` names.
    fn names(&mut self, resource: &Resource) {
        let only = |on: usize| self.found.iter().filter(|found| found.on == on).count() == 1;
        let named: Vec<(usize, &Expression)> = self
            .found
            .iter()
            .take(MOST_NAMES)
            .filter(|found| found.kind == DependencyKind::DependsOn && only(found.on))
            .filter_map(|found| {
                let other = self.plan.deployment.template().resources.get(found.on)?;
                Some((found.on, other.name.as_ref()?.as_expression()?))
            })
            .collect();
        if named.is_empty() {
            return;
        }
        let mut found = Vec::new();
        for member in &resource.body {
            let TemplateMember::Property { name: MemberName::Text(name), value, .. } = member else {
                continue;
            };
            value.for_each_expression(&mut |expression, _| {
                expression.for_each(&mut |part| {
                    found.extend(
                        named.iter().filter(|(_, name)| *name == part).map(|(on, _)| (*on, name.clone())),
                    );
                });
            });
        }
        found.sort();
        found.dedup();
        for (on, at) in found {
            self.add(on, DependencyKind::Name, String::new(), &at);
        }
    }
}

/// Whether an id is below another one.
fn is_below(id: &SmolStr, above: &SmolStr) -> bool {
    id.split_at_checked(above.len())
        .is_some_and(|(start, rest)| equal_ignoring_case(start, above) && rest.starts_with('/'))
}

/// What is read of a resource.
fn reads(call: &FunctionCall, read: &[Expression]) -> String {
    let is_full =
        matches!(call.arguments.get(2), Some(Expression::Text(text)) if text.eq_ignore_ascii_case("full"));
    let mut path = String::new();
    for step in read {
        match step {
            Expression::Text(name) => push_name(&mut path, name),
            Expression::Int(at) => path.push_str(&format!("[{at}]")),
            Expression::Call(_) | Expression::Access(_) | Expression::Secret(_) => path.push_str("[...]"),
        }
    }
    // Without `full`, a reference gives the properties; a deployment's are its outputs.
    if is_full || path.is_empty() || path.starts_with("outputs.") {
        path
    } else {
        format!("properties.{path}")
    }
}
