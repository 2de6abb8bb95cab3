//! Those who want something deployed, and those who change their minds.

use std::sync::Arc;

use smol_str::format_smolstr;
use store::{DeploymentKey, RunId};

use crate::chance::Chance;
use crate::plan::{Plan, SimulatedKind};

/// What of a deployment ends the node that works on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Poison {
    /// That it is begun.
    Start,
    /// That a provider is asked for its last step.
    Call,
    /// What a provider answers.
    Answer,
    /// That something of it is to be written.
    Write,
}

const POISONS: [Poison; 4] = [Poison::Start, Poison::Call, Poison::Answer, Poison::Write];

/// Somebody who wants one deployment.
pub(super) struct Client {
    pub(super) plan: Arc<Plan>,
    pub(super) key: DeploymentKey,
    /// Whether its resources are never done, so that it has to be asked to stop.
    pub(super) is_endless: bool,
    /// What ends each node that works on it; none for most.
    pub(super) poison: Option<Poison>,
    /// Whether it is asked to stop, as soon as it runs.
    pub(super) cancels: bool,
    /// The runs that were acknowledged.
    pub(super) acknowledged: Vec<RunId>,
    /// Whether there is nothing more to send: it was acknowledged, or is under way already.
    pub(super) is_served: bool,
    /// The runs of which a node said that they were asked to stop.
    pub(super) stopped: Vec<RunId>,
}

/// The longest wait of a step: whole clusters wait for it, in many steps.
const LONGEST: u64 = 10_000;

fn shorten(plan: &mut Plan) {
    for step in &mut plan.steps {
        let wanted = match &mut step.kind {
            SimulatedKind::Put { wanted, .. } => wanted,
            SimulatedKind::Deploy(inner, wanted) => {
                if let Some(inner) = Arc::get_mut(inner) {
                    shorten(inner);
                }
                wanted
            }
            SimulatedKind::Read { .. } | SimulatedKind::Broken => continue,
        };
        if let Some(wait) = &mut wanted.wait {
            wait.milliseconds %= LONGEST;
        }
    }
}

impl Client {
    pub(super) fn new(chance: &mut Chance, number: usize) -> Client {
        let group = format_smolstr!("/subscriptions/s/resourceGroups/g{number}");
        let depth = 1 + usize::from(chance.percent(70));
        let mut plan = Plan::new(chance, &group, depth);
        if chance.percent(80) {
            plan.steps.truncate(4);
        }
        shorten(&mut plan);
        let is_endless = chance.percent(15) && !plan.steps.is_empty();
        Client {
            plan: Arc::new(plan),
            key: DeploymentKey::new(&group, "main"),
            is_endless,
            poison: None,
            cancels: is_endless || chance.percent(8),
            acknowledged: Vec::new(),
            is_served: false,
            stopped: Vec::new(),
        }
    }

    /// Lets the deployment end each node that works on it; not one without steps, which says nothing of how it ended.
    pub(super) fn poison(&mut self, chance: &mut Chance) {
        if !self.plan.steps.is_empty() && !self.is_endless {
            self.poison = POISONS.get(chance.below(POISONS.len())).copied();
            self.cancels = false;
        }
    }
}
