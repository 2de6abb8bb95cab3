//! Finds the steps that a text names: by symbol, id, name or loop.

use std::collections::HashSet;
use std::ops::Range;

use smol_str::SmolStr;

use super::super::{Deployment, id};
use super::{PlanStep, Skipped, StepKind};
use crate::evaluate::Scope;
use crate::value::names::{self, NameIndex};
use crate::value::{equal_ignoring_case, folded};

/// Everything that a template names. The tables hold numbers of steps, whose texts are kept once.
#[derive(Debug, Default)]
pub(in crate::deployment) struct Index {
    scope: Scope,
    symbols: Vec<PlanSymbol>,
    by_symbol: NameIndex,
    /// The names of loops, and the resources of the template that have them.
    loops: Vec<(SmolStr, usize)>,
    by_loop: NameIndex,
    /// What is known of each step.
    about: Vec<StepFacts>,
    /// Deployed resources and existing ones; of both, the deployed one.
    by_id: NameIndex,
    by_relative: Chains,
    by_name: Chains,
    /// By the last part of names that have several: what a resource that is written inside another one is called there.
    by_short_name: Chains,
    /// Folded texts that name a resource which is not deployed.
    skipped: HashSet<SmolStr>,
    /// The steps of each resource of the template: they follow each other.
    members: Vec<Range<usize>>,
}

/// What is known of a step.
#[derive(Debug)]
pub(in crate::deployment) struct StepFacts {
    pub(in crate::deployment) id: SmolStr,
    pub(in crate::deployment) api_version: Option<SmolStr>,
    name: SmolStr,
    kind: StepKind,
    /// Where the relative part of the id starts.
    relative: Option<u32>,
}

impl StepFacts {
    fn relative(&self) -> Option<&str> {
        self.id.get(self.relative? as usize..)
    }
}

#[derive(Debug)]
struct PlanSymbol {
    name: SmolStr,
    looped: bool,
    resource: usize,
    /// The step of each iteration; none where it is not deployed.
    steps: Vec<Option<usize>>,
}

/// Steps by a name that several of them may have.
#[derive(Debug, Default)]
struct Chains {
    /// The first step of each name.
    first: NameIndex,
    /// By step, the next one of the same name, or the step itself.
    next: Vec<usize>,
    /// By first step, the last one of the same name.
    last: Vec<usize>,
}

impl Chains {
    /// Adds a step; `has` tells whether another one has its name.
    fn add(&mut self, hash: u64, step: usize, has: impl Fn(usize) -> bool) {
        // Steps come in order; some have no place here.
        self.next.extend(self.next.len()..=step);
        self.last.extend(self.last.len()..=step);
        let Some(first) = self.first.find(hash, has) else { return self.first.add(hash, step) };
        let Some(last) = self.last.get_mut(first) else { return };
        if let Some(next) = self.next.get_mut(*last) {
            *next = step;
        }
        *last = step;
    }

    /// The steps of a name, in order.
    fn find(&self, hash: u64, has: impl Fn(usize) -> bool) -> Option<StepTarget> {
        let first = self.first.find(hash, has)?;
        let after = |step: usize| self.next.get(step).copied().filter(|next| *next != step);
        Some(match after(first) {
            None => StepTarget::Step(first),
            Some(_) => StepTarget::Steps(std::iter::successors(Some(first), |step| after(*step)).collect()),
        })
    }
}

/// What a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::deployment) enum StepTarget {
    Step(usize),
    /// All steps of a resource of the template that is in a loop.
    Loop(usize),
    /// Several steps of the same name.
    Steps(Vec<usize>),
    /// Something that is not deployed.
    Skipped,
}

impl Index {
    pub(super) fn new(deployment: &Deployment, steps: &[PlanStep], skipped: &[Skipped]) -> Index {
        let template = deployment.template();
        let mut index = Index {
            scope: deployment.context().scope.clone(),
            by_id: NameIndex::with_capacity(steps.len()),
            about: Vec::with_capacity(steps.len()),
            members: vec![0..0; template.resources.len()],
            ..Index::default()
        };
        for (at, resource) in template.resources.iter().enumerate() {
            if let Some(symbol) = &resource.symbol {
                index.by_symbol.add(names::hash(symbol), index.symbols.len());
                let looped = resource.copy.is_some();
                index.symbols.push(PlanSymbol {
                    name: symbol.clone(),
                    looped,
                    resource: at,
                    steps: Vec::new(),
                });
            }
            if let Some(name) = resource.copy.as_ref().and_then(|copy| copy.name.as_ref()) {
                index.add_loop(name, at);
            }
        }
        for step in steps {
            index.add(step);
        }
        for skipped in skipped {
            if let Some(id) = &skipped.id {
                index.skipped.insert(folded(id));
                if let Some(relative) = id::relative(id) {
                    index.skipped.insert(folded(relative));
                }
                if let Some(name) = name_of(id) {
                    if let Some((_, short)) = name.rsplit_once('/') {
                        index.skipped.insert(folded(short));
                    }
                    index.skipped.insert(folded(&name));
                }
            }
        }
        index
    }

    /// Adds the name of a loop; of several loops with the same name, the last one has it.
    fn add_loop(&mut self, name: &SmolStr, resource: usize) {
        let (hash, loops) = (names::hash(name), &self.loops);
        let is_it = |at: usize| loops.get(at).is_some_and(|(other, _)| equal_ignoring_case(other, name));
        match self.by_loop.find_mut(hash, is_it) {
            Some(position) => *position = self.loops.len(),
            None => self.by_loop.add(hash, self.loops.len()),
        }
        self.loops.push((name.clone(), resource));
    }

    fn add(&mut self, step: &PlanStep) {
        let relative = match step.kind {
            StepKind::Existing | StepKind::Extension => None,
            StepKind::Resource | StepKind::Deployment => id::relative(&step.id),
        };
        let relative_start = relative.and_then(|relative| u32::try_from(step.id.len() - relative.len()).ok());
        self.about.push(StepFacts {
            id: step.id.clone(),
            api_version: step.api_version.clone(),
            name: step.name.clone(),
            kind: step.kind,
            relative: relative_start,
        });
        if let Some(members) = self.members.get_mut(step.resource) {
            let start = if members.start == members.end { step.index } else { members.start };
            *members = start..step.index + 1;
        }
        if let Some(symbol) = step.symbol.as_ref().and_then(|symbol| self.symbol_at(symbol))
            && let Some(symbol) = self.symbols.get_mut(symbol)
        {
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
        let (hash, about) = (names::hash(&step.id), &self.about);
        match self.by_id.find_mut(hash, |at| has_id(about, at, &step.id)) {
            Some(there) => {
                let is_deployed = about.get(*there).is_some_and(|about| about.kind != StepKind::Existing);
                if step.kind != StepKind::Existing || !is_deployed {
                    *there = step.index;
                }
            }
            None => self.by_id.add(hash, step.index),
        }
        if step.kind == StepKind::Existing {
            return;
        }
        if let Some(relative) = relative {
            self.by_relative.add(names::hash(relative), step.index, |at| has_relative(about, at, relative));
        }
        self.by_name.add(names::hash(&step.name), step.index, |at| has_name(about, at, &step.name));
        if let Some((_, short)) = step.name.rsplit_once('/') {
            self.by_short_name.add(names::hash(short), step.index, |at| has_short_name(about, at, short));
        }
    }

    /// What a text names; none if it is nothing of this template.
    pub(in crate::deployment) fn find(&self, text: &str) -> Option<StepTarget> {
        if let Some(found) = self.find_symbol(text) {
            return Some(found);
        }
        // Ids are put together of parts that may have a slash of their own.
        let single = text.contains("//").then(|| {
            let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
            format!("{}{}", if text.starts_with('/') { "/" } else { "" }, parts.join("/"))
        });
        let text = single.as_deref().unwrap_or(text);
        let hash = names::hash(text);
        let of_name = || self.by_name.find(hash, |at| has_name(&self.about, at, text));
        let found = if text.starts_with('/') {
            self.with_id(text, hash)
        } else if text.contains('/') {
            let whole = format!("{}/providers/{text}", self.scope.id());
            self.with_id(&whole, names::hash(&whole))
                .or_else(|| self.by_relative.find(hash, |at| has_relative(&self.about, at, text)))
                .or_else(of_name)
        } else {
            let loops = &self.loops;
            let is_it = |at: usize| loops.get(at).is_some_and(|(name, _)| equal_ignoring_case(name, text));
            match self.by_loop.find(hash, is_it).and_then(|at| loops.get(at)) {
                Some((_, resource)) => Some(StepTarget::Loop(*resource)),
                None => of_name()
                    .or_else(|| self.by_short_name.find(hash, |at| has_short_name(&self.about, at, text))),
            }
        };
        let found = found.or_else(|| self.is_skipped(text).then_some(StepTarget::Skipped));
        // `resourceId` makes of a resource group what it makes of any other resource.
        found.or_else(|| {
            let group = id::of_group(text, &self.scope)?;
            let target = self.with_id(&group, names::hash(&group));
            target.or_else(|| self.is_skipped(&group).then_some(StepTarget::Skipped))
        })
    }

    fn with_id(&self, id: &str, hash: u64) -> Option<StepTarget> {
        self.by_id.find(hash, |at| has_id(&self.about, at, id)).map(StepTarget::Step)
    }

    fn is_skipped(&self, text: &str) -> bool {
        !self.skipped.is_empty() && self.skipped.contains(&folded(text))
    }

    /// `symbol`, or `symbol[3]`.
    fn find_symbol(&self, text: &str) -> Option<StepTarget> {
        if self.symbols.is_empty() {
            return None;
        }
        let (name, iteration) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, index)) => (name, Some(index.parse::<usize>().ok()?)),
            None => (text, None),
        };
        let symbol = self.symbol(name)?;
        Some(match iteration {
            None if symbol.looped => StepTarget::Loop(symbol.resource),
            iteration => match symbol.steps.get(iteration.unwrap_or(0)) {
                Some(Some(step)) => StepTarget::Step(*step),
                Some(None) | None => StepTarget::Skipped,
            },
        })
    }

    fn symbol_at(&self, name: &str) -> Option<usize> {
        let is_it = |at: usize| self.symbols.get(at).is_some_and(|it| equal_ignoring_case(&it.name, name));
        self.by_symbol.find(names::hash(name), is_it)
    }

    fn symbol(&self, name: &str) -> Option<&PlanSymbol> {
        self.symbols.get(self.symbol_at(name)?)
    }

    /// The template resource that a symbol stands for.
    pub(super) fn resource_of_symbol(&self, name: &str) -> Option<usize> {
        self.symbol(name).map(|symbol| symbol.resource)
    }

    /// All steps of a symbol.
    pub(in crate::deployment) fn steps_of_symbol(&self, name: &str) -> Vec<usize> {
        let steps = self.symbol(name).map_or(&[][..], |symbol| &symbol.steps);
        steps.iter().filter_map(|step| *step).collect()
    }

    /// All steps of a resource of the template.
    pub(in crate::deployment) fn steps_of_resource(&self, resource: usize) -> Range<usize> {
        self.members.get(resource).cloned().unwrap_or_default()
    }

    /// What is known of a step.
    pub(in crate::deployment) fn about(&self, step: usize) -> Option<&StepFacts> {
        self.about.get(step)
    }
}

fn has_id(about: &[StepFacts], step: usize, id: &str) -> bool {
    about.get(step).is_some_and(|about| equal_ignoring_case(&about.id, id))
}

fn has_relative(about: &[StepFacts], step: usize, relative: &str) -> bool {
    about.get(step).and_then(StepFacts::relative).is_some_and(|other| equal_ignoring_case(other, relative))
}

fn has_name(about: &[StepFacts], step: usize, name: &str) -> bool {
    about.get(step).is_some_and(|about| equal_ignoring_case(&about.name, name))
}

fn has_short_name(about: &[StepFacts], step: usize, name: &str) -> bool {
    let short = about.get(step).and_then(|about| about.name.rsplit_once('/'));
    short.is_some_and(|(_, short)| equal_ignoring_case(short, name))
}

/// The name of the resource with an id: every second part behind the namespace.
fn name_of(id: &str) -> Option<String> {
    let parts: Vec<&str> = id::relative(id)?.split('/').skip(2).step_by(2).collect();
    Some(parts.join("/"))
}
