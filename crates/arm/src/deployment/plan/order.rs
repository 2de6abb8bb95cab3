//! An order that respects all dependencies, or the cycle that makes it impossible.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use diagnostics::Message;

use super::super::Deployment;
use super::{Frontier, PlanStep};
use crate::template::TemplateError;

/// The steps, each behind all that it depends on; of those that could be next, the first in the template is.
pub(super) fn order(
    deployment: &Deployment,
    steps: &[PlanStep],
    groups: &[Vec<usize>],
) -> Result<Vec<usize>, TemplateError> {
    let (mut frontier, ready) = Frontier::of(steps, groups);
    let mut ready: BinaryHeap<Reverse<usize>> = ready.into_iter().map(Reverse).collect();
    let mut order = Vec::with_capacity(steps.len());
    while let Some(Reverse(step)) = ready.pop() {
        order.push(step);
        ready.extend(frontier.finish(step).into_iter().map(Reverse));
    }
    if order.len() == steps.len() { Ok(order) } else { Err(cycle(deployment, steps, groups, &order)) }
}

/// Follows dependencies among the steps that could not be ordered until one comes again.
fn cycle(
    deployment: &Deployment,
    steps: &[PlanStep],
    groups: &[Vec<usize>],
    order: &[usize],
) -> TemplateError {
    let mut ordered = vec![false; steps.len()];
    for step in order {
        if let Some(slot) = ordered.get_mut(*step) {
            *slot = true;
        }
    }
    let is_open = |step: &usize| ordered.get(*step) == Some(&false);
    let mut seen = vec![usize::MAX; steps.len()];
    let mut path: Vec<usize> = Vec::new();
    let mut at = steps.iter().map(|step| step.index).find(is_open);
    let mut start = 0;
    while let Some(step) = at.and_then(|at| steps.get(at)) {
        let Some(slot) = seen.get_mut(step.index) else { break };
        if *slot != usize::MAX {
            start = *slot;
            break;
        }
        *slot = path.len();
        path.push(step.index);
        let direct = step.depends_on.iter().copied().find(is_open);
        at = direct.or_else(|| {
            let members = step.depends_on_groups.iter().filter_map(|group| groups.get(*group));
            members.flatten().copied().find(is_open)
        });
    }
    const SHOWN: usize = 12;
    let cycle: Vec<&PlanStep> = path.iter().skip(start).filter_map(|at| steps.get(*at)).collect();
    let first = cycle.first();
    let mut names: Vec<String> = cycle.iter().take(SHOWN).map(|step| super::label(step)).collect();
    if cycle.len() > SHOWN {
        names.push("...".to_owned());
    }
    names.extend(first.map(|step| super::label(step)));
    let id = first.map_or(String::new(), |step| super::label(step));
    let message = Message::sentence(format!(
        "Circular dependency detected on resource: '{id}'. The cycle is: {}",
        names.join(" -> ")
    ));
    match first {
        Some(step) => deployment.error(message, step.span).target(id),
        None => TemplateError::invalid_template(message),
    }
}
