//! Finds the steps that a text names: by symbol, id, name or loop.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::super::{Deployment, id};
use super::{Skipped, Step, StepKind};
use crate::evaluate::Scope;
use crate::value::folded;

/// Everything that a template names, by folded text.
#[derive(Debug, Default)]
pub(in crate::deployment) struct Index {
    symbolic: bool,
    scope: Scope,
    symbols: HashMap<SmolStr, Symbol>,
    /// Deployed resources and existing ones; of both, the deployed one.
    ids: HashMap<SmolStr, usize>,
    relative: HashMap<SmolStr, Vec<usize>>,
    names: HashMap<SmolStr, Vec<usize>>,
    /// The template resource that has a loop of that name.
    loops: HashMap<SmolStr, usize>,
    /// What is known of each step: id, version of the API, whether it is only read.
    about: Vec<(SmolStr, Option<SmolStr>, StepKind)>,
    /// Texts that name a resource which is not deployed.
    skipped: HashMap<SmolStr, ()>,
    /// The steps of each resource of the template.
    members: HashMap<usize, Vec<usize>>,
}

#[derive(Debug, Default)]
struct Symbol {
    looped: bool,
    resource: usize,
    /// The step of each iteration; none where it is not deployed.
    steps: Vec<Option<usize>>,
}

/// What a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::deployment) enum Target {
    /// One step.
    Step(usize),
    /// All steps of a resource of the template that is in a loop.
    Loop(usize),
    /// Several steps of the same name.
    Steps(Vec<usize>),
    /// Something that is not deployed.
    Skipped,
}

impl Index {
    pub(super) fn new(deployment: &Deployment, steps: &[Step], skipped: &[Skipped]) -> Index {
        let template = deployment.template();
        let mut index = Index { scope: deployment.context().scope.clone(), ..Index::default() };
        for (at, resource) in template.resources.iter().enumerate() {
            if let Some(symbol) = &resource.symbol {
                index.symbolic = true;
                let entry = Symbol { looped: resource.copy.is_some(), resource: at, steps: Vec::new() };
                index.symbols.insert(folded(symbol), entry);
            }
            if let Some(name) = resource.copy.as_ref().and_then(|copy| copy.name.as_ref()) {
                index.loops.insert(folded(name), at);
            }
        }
        for step in steps {
            index.add(step);
        }
        for skipped in skipped {
            if let Some(id) = &skipped.id {
                index.skipped.insert(folded(id), ());
                if let Some(relative) = id::relative(id) {
                    index.skipped.insert(folded(relative), ());
                }
                if let Some(name) = name_of(id) {
                    index.skipped.insert(folded(&name), ());
                }
            }
        }
        index
    }

    fn add(&mut self, step: &Step) {
        self.about.push((step.id.clone(), step.api_version.clone(), step.kind));
        self.members.entry(step.resource).or_default().push(step.index);
        if let Some(symbol) = step.symbol.as_ref().and_then(|symbol| self.symbols.get_mut(&folded(symbol))) {
            let at = step.copy.as_ref().map_or(0, |(_, iteration)| *iteration);
            if symbol.steps.len() <= at {
                symbol.steps.resize(at + 1, None);
            }
            if let Some(slot) = symbol.steps.get_mut(at) {
                *slot = Some(step.index);
            }
        }
        if step.kind == StepKind::Extension {
            return;
        }
        let id = folded(&step.id);
        let deployed = |at: &usize| self.about.get(*at).is_some_and(|(.., kind)| *kind != StepKind::Existing);
        if step.kind != StepKind::Existing || !self.ids.get(&id).is_some_and(deployed) {
            self.ids.insert(id, step.index);
        }
        if step.kind == StepKind::Existing {
            return;
        }
        if let Some(relative) = id::relative(&step.id) {
            self.relative.entry(folded(relative)).or_default().push(step.index);
        }
        self.names.entry(folded(&step.name)).or_default().push(step.index);
    }

    /// What a text names; none if it is nothing of this template.
    pub(in crate::deployment) fn find(&self, text: &str) -> Option<Target> {
        if let Some(found) = self.find_symbol(text) {
            return Some(found);
        }
        let key = folded(text);
        if text.starts_with('/') {
            if let Some(step) = self.ids.get(&key) {
                return Some(Target::Step(*step));
            }
        } else if text.contains('/') {
            let whole = folded(&format!("{}/providers/{text}", self.scope.id()));
            if let Some(step) = self.ids.get(&whole) {
                return Some(Target::Step(*step));
            }
            if let Some(steps) = self.relative.get(&key).or_else(|| self.names.get(&key)) {
                return Some(several(steps));
            }
        } else {
            if let Some(resource) = self.loops.get(&key) {
                return Some(Target::Loop(*resource));
            }
            if let Some(steps) = self.names.get(&key) {
                return Some(several(steps));
            }
        }
        self.skipped.contains_key(&key).then_some(Target::Skipped)
    }

    /// `symbol`, or `symbol[3]`.
    fn find_symbol(&self, text: &str) -> Option<Target> {
        if !self.symbolic {
            return None;
        }
        let (name, iteration) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, index)) => (name, Some(index.parse::<usize>().ok()?)),
            None => (text, None),
        };
        let symbol = self.symbols.get(&folded(name))?;
        Some(match iteration {
            None if symbol.looped => Target::Loop(symbol.resource),
            iteration => match symbol.steps.get(iteration.unwrap_or(0)) {
                Some(Some(step)) => Target::Step(*step),
                Some(None) | None => Target::Skipped,
            },
        })
    }

    /// The template resource that a symbol stands for.
    pub(super) fn resource_of_symbol(&self, name: &str) -> Option<usize> {
        self.symbols.get(&folded(name)).map(|symbol| symbol.resource)
    }

    /// All steps of a symbol.
    pub(in crate::deployment) fn steps_of_symbol(&self, name: &str) -> Vec<usize> {
        let steps = self.symbols.get(&folded(name)).map_or(&[][..], |symbol| &symbol.steps);
        steps.iter().filter_map(|step| *step).collect()
    }

    /// All steps of a resource of the template.
    pub(in crate::deployment) fn steps_of_resource(&self, resource: usize) -> &[usize] {
        self.members.get(&resource).map_or(&[], Vec::as_slice)
    }

    /// The id and the version of the API of a step.
    pub(in crate::deployment) fn about(&self, step: usize) -> Option<&(SmolStr, Option<SmolStr>, StepKind)> {
        self.about.get(step)
    }
}

fn several(steps: &[usize]) -> Target {
    match steps {
        [step] => Target::Step(*step),
        steps => Target::Steps(steps.to_vec()),
    }
}

/// The name of the resource with an id: every second part behind the namespace.
fn name_of(id: &str) -> Option<String> {
    let parts: Vec<&str> = id::relative(id)?.split('/').skip(2).step_by(2).collect();
    Some(parts.join("/"))
}
