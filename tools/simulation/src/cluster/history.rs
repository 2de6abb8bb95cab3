//! What was committed, in its order, held against what several nodes on one state promise.

use std::collections::{BTreeMap, BTreeSet};

use store::{Commit, DeploymentKey, RunId, Status, Write};

/// The history of a database.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Who has the lease on a run, and under which fence.
    owners: BTreeMap<RunId, (Option<String>, u64)>,
    /// The steps that were confirmed.
    pub(super) confirmed: BTreeMap<(RunId, u32), bool>,
    /// The outermost runs that were accepted, and whether they have ended.
    pub(super) accepted: BTreeMap<RunId, Option<String>>,
    /// The runs that were asked to stop.
    pub(super) canceled: BTreeSet<RunId>,
    orders: BTreeMap<RunId, i64>,
    current: BTreeMap<DeploymentKey, (RunId, Status)>,
    pub(super) takeovers: usize,
}

impl History {
    /// A lease changed hands, or was renewed.
    pub(super) fn lease(
        &mut self,
        run: RunId,
        owner: Option<&str>,
        fence: u64,
        canceled: bool,
    ) -> Result<(), String> {
        if canceled {
            self.canceled.insert(run);
        } else if self.canceled.contains(&run) {
            return Err(format!("{run:?} was asked to stop, and its lease forgot it"));
        }
        let (before, number) = self.owners.get(&run).cloned().unwrap_or_default();
        if fence < number {
            return Err(format!("the fence of {run:?} went from {number} back to {fence}"));
        }
        if owner.is_some() && before.as_deref() != owner {
            self.takeovers += usize::from(number > 0);
            if before.is_some() && fence == number {
                return Err(format!("two nodes have the lease on {run:?} under one fence"));
            }
        }
        self.owners.insert(run, (owner.map(str::to_owned), fence));
        Ok(())
    }

    /// A batch was committed.
    pub(super) fn batch(&mut self, writer: &str, batch: &Commit) -> Result<(), String> {
        if let Some(fence) = batch.fence {
            let (owner, number) = self.owners.get(&fence.run).cloned().unwrap_or_default();
            if owner.as_deref() != Some(writer) || number != fence.number {
                return Err(format!(
                    "{writer} wrote to {:?} under fence {}, which {owner:?} has under {number}",
                    fence.run, fence.number
                ));
            }
        }
        for write in &batch.writes {
            match write {
                Write::Step(step) => {
                    let is_good = !step.body.starts_with("{\"error\"");
                    if self.confirmed.insert((step.run, step.number), is_good).is_some() {
                        return Err(format!("step {} of {:?} was confirmed twice", step.number, step.run));
                    }
                }
                Write::Deployment(it) => {
                    if let Some((before, Status::Active)) = self.current.get(&it.key)
                        && *before != it.run
                    {
                        return Err(format!("`{}` was replaced while it was under way", it.key.name()));
                    }
                    if self.orders.insert(it.run, it.order).is_some_and(|before| before != it.order) {
                        return Err(format!("{:?} has another place in listings than before", it.run));
                    }
                    self.current.insert(it.key.clone(), (it.run, it.status));
                    if it.run == it.root {
                        let ended = self.accepted.entry(it.run).or_default();
                        if ended.is_some() {
                            return Err(format!("{:?} has ended, and was written again", it.run));
                        }
                        *ended = (it.status == Status::Ended).then(|| it.body.clone());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a node has the lease on a run, under a fence.
    pub(super) fn has(&self, owner: &str, run: RunId, fence: u64) -> bool {
        self.owners.get(&run).is_some_and(|(holder, number)| {
            // What was given back and nobody has taken is still one's own to finish.
            *number == fence && holder.as_deref().is_none_or(|holder| holder == owner)
        })
    }
}
