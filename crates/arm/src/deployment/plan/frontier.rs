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
    followers: Lists,
    in_groups: Lists,
    /// The steps that wait for each group.
    group_followers: Lists,
    done: Vec<bool>,
}

impl Frontier {
    /// The start of a plan, and the steps that wait for nothing, in order.
    pub fn new(plan: &Plan) -> (Frontier, Vec<usize>) {
        Frontier::of(plan.steps(), plan.groups())
    }

    pub(super) fn of(steps: &[super::PlanStep], groups: &[Vec<usize>]) -> (Frontier, Vec<usize>) {
        let open: Vec<usize> = groups.iter().map(Vec::len).collect();
        let is_open = |group: &&usize| open.get(**group).is_some_and(|open| *open > 0);
        let waits = steps
            .iter()
            .map(|step| step.depends_on.len() + step.depends_on_groups.iter().filter(is_open).count());
        let waits: Vec<usize> = waits.collect();
        let ready = waits.iter().enumerate().filter(|(_, waits)| **waits == 0);
        let ready = ready.map(|(step, _)| step).collect();
        let followers = Lists::new(steps.len(), |add| {
            for step in steps {
                step.depends_on.iter().for_each(|before| add(*before, step.index));
            }
        });
        let in_groups = Lists::new(steps.len(), |add| {
            for (group, members) in groups.iter().enumerate() {
                members.iter().for_each(|member| add(*member, group));
            }
        });
        let group_followers = Lists::new(groups.len(), |add| {
            for step in steps {
                step.depends_on_groups.iter().filter(is_open).for_each(|group| add(*group, step.index));
            }
        });
        let done = vec![false; steps.len()];
        (Frontier { waits, open, followers, in_groups, group_followers, done }, ready)
    }

    /// Says that a step is done; gives the steps that wait for nothing any more, in order.
    pub fn finish(&mut self, step: usize) -> Vec<usize> {
        match self.done.get_mut(step) {
            Some(done) if !*done => *done = true,
            _ => return Vec::new(),
        }
        let mut ready = Vec::new();
        release(&mut self.waits, self.followers.of(step), &mut ready);
        for group in self.in_groups.of(step) {
            let Some(open) = self.open.get_mut(*group) else { continue };
            *open = open.saturating_sub(1);
            if *open == 0 {
                release(&mut self.waits, self.group_followers.of(*group), &mut ready);
            }
        }
        ready.sort_unstable();
        ready
    }
}

fn release(waits: &mut [usize], followers: &[usize], ready: &mut Vec<usize>) {
    for follower in followers {
        if let Some(waits) = waits.get_mut(*follower) {
            *waits = waits.saturating_sub(1);
            if *waits == 0 {
                ready.push(*follower);
            }
        }
    }
}

/// Many short lists, one behind the other: large plans have hundreds of thousands.
#[derive(Clone, Debug)]
struct Lists {
    /// Where each list ends.
    ends: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    /// So many lists of what `fill` adds, in its order; it is called twice.
    fn new(count: usize, fill: impl Fn(&mut dyn FnMut(usize, usize))) -> Lists {
        let mut ends = vec![0; count];
        let mut total = 0;
        fill(&mut |list, _| {
            if let Some(length) = ends.get_mut(list) {
                *length += 1;
                total += 1;
            }
        });
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        // Each end starts at its list's first place, and is moved by what comes in.
        let mut items = vec![0; total];
        fill(&mut |list, item| {
            if let Some(end) = ends.get_mut(list) {
                if let Some(place) = items.get_mut(*end) {
                    *place = item;
                }
                *end += 1;
            }
        });
        Lists { ends, items }
    }

    fn of(&self, list: usize) -> &[usize] {
        let end = |list: usize| self.ends.get(list).copied();
        let start = list.checked_sub(1).map_or(Some(0), end);
        start.zip(end(list)).and_then(|(start, end)| self.items.get(start..end)).unwrap_or_default()
    }
}
