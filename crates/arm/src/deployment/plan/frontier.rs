//! Which steps can start: those whose dependencies are done.

use super::Plan;

/// Counts down what each step waits for. All calls together take time linear in the plan.
#[derive(Clone, Debug)]
pub struct Frontier {
    /// How many steps and groups each step waits for.
    waits: Vec<usize>,
    /// How many steps of each group are not done.
    open: Vec<usize>,
    /// The steps that wait for each step, and the groups that it is in.
    followers: Vec<Vec<usize>>,
    in_groups: Vec<Vec<usize>>,
    /// The steps that wait for each group.
    group_followers: Vec<Vec<usize>>,
    done: Vec<bool>,
}

impl Frontier {
    /// The start of a plan, and the steps that wait for nothing, in order.
    pub fn new(plan: &Plan) -> (Frontier, Vec<usize>) {
        Frontier::of(plan.steps(), plan.groups())
    }

    pub(super) fn of(steps: &[super::Step], groups: &[Vec<usize>]) -> (Frontier, Vec<usize>) {
        let mut frontier = Frontier {
            waits: vec![0; steps.len()],
            open: groups.iter().map(Vec::len).collect(),
            followers: vec![Vec::new(); steps.len()],
            in_groups: vec![Vec::new(); steps.len()],
            group_followers: vec![Vec::new(); groups.len()],
            done: vec![false; steps.len()],
        };
        for (group, members) in groups.iter().enumerate() {
            for member in members {
                if let Some(list) = frontier.in_groups.get_mut(*member) {
                    list.push(group);
                }
            }
        }
        for step in steps {
            let groups = step.depends_on_groups.iter();
            let groups = groups.filter(|group| frontier.open.get(**group).is_some_and(|open| *open > 0));
            let mut waits = step.depends_on.len();
            for group in groups {
                waits += 1;
                if let Some(list) = frontier.group_followers.get_mut(*group) {
                    list.push(step.index);
                }
            }
            for before in &step.depends_on {
                if let Some(list) = frontier.followers.get_mut(*before) {
                    list.push(step.index);
                }
            }
            if let Some(slot) = frontier.waits.get_mut(step.index) {
                *slot = waits;
            }
        }
        let ready = frontier.waits.iter().enumerate().filter(|(_, waits)| **waits == 0);
        let ready = ready.map(|(step, _)| step).collect();
        (frontier, ready)
    }

    /// Says that a step is done; gives the steps that wait for nothing any more, in order.
    pub fn finish(&mut self, step: usize) -> Vec<usize> {
        match self.done.get_mut(step) {
            Some(done) if !*done => *done = true,
            _ => return Vec::new(),
        }
        let mut ready = Vec::new();
        let followers = self.followers.get_mut(step).map(std::mem::take).unwrap_or_default();
        self.release(followers, &mut ready);
        for group in self.in_groups.get_mut(step).map(std::mem::take).unwrap_or_default() {
            let Some(open) = self.open.get_mut(group) else { continue };
            *open = open.saturating_sub(1);
            if *open == 0 {
                let followers = self.group_followers.get_mut(group).map(std::mem::take).unwrap_or_default();
                self.release(followers, &mut ready);
            }
        }
        ready.sort_unstable();
        ready
    }

    fn release(&mut self, followers: Vec<usize>, ready: &mut Vec<usize>) {
        for follower in followers {
            if let Some(waits) = self.waits.get_mut(follower) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready.push(follower);
                }
            }
        }
    }
}
