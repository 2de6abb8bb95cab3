//! The store in memory, carried elsewhere.

use super::{LeaseRow, MemoryStore, State};
use crate::backup::{Backup, BackupRecord, Rows, Take};
use crate::record::ResourceId;
use crate::{Result, StoreError};

impl Backup for MemoryStore {
    fn export(&self, take: Take<'_>) -> Result<()> {
        let state = self.state();
        for deployment in state.deployments.values() {
            let held = state.leases.get(&deployment.run);
            let (fence, canceled) = held.map_or((0, false), |held| (held.fence, held.canceled));
            take(BackupRecord::Deployment { deployment: deployment.clone(), fence, canceled })?;
        }
        state.steps.values().try_for_each(|step| take(BackupRecord::Step(step.clone())))?;
        state
            .operations
            .values()
            .try_for_each(|operation| take(BackupRecord::Operation(operation.clone())))?;
        for ((run, name), bytes) in &state.blobs {
            take(BackupRecord::Blob { run: *run, name: name.clone(), bytes: bytes.clone() })?;
        }
        state.resources.values().try_for_each(|resource| take(BackupRecord::Resource(resource.clone())))
    }

    fn import(&self, rows: Rows<'_>, replace: bool) -> Result<u64> {
        let mut state = self.state();
        if !replace && !state.is_empty() {
            return Err(StoreError::NotEmpty);
        }
        let mut new = State { now: state.now, ..State::default() };
        let mut count = 0;
        for row in rows {
            new.import(row?.into_inner());
            count += 1;
        }
        *state = new;
        Ok(count)
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.deployments.is_empty() && self.resources.is_empty()
    }

    fn import(&mut self, row: BackupRecord) {
        match row {
            BackupRecord::Deployment { deployment, fence, canceled } => {
                if fence > 0 || canceled {
                    let held = LeaseRow { owner: None, fence, until: self.now, canceled };
                    self.leases.insert(deployment.run, held);
                }
                self.runs.insert(deployment.run, deployment.key.clone());
                self.deployments.insert(deployment.key.clone(), deployment);
            }
            BackupRecord::Step(step) => {
                self.steps.insert((step.run, step.number), step);
            }
            BackupRecord::Operation(operation) => {
                self.operations.insert((operation.run, operation.number), operation);
            }
            BackupRecord::Blob { run, name, bytes } => {
                self.blobs.insert((run, name), bytes);
            }
            BackupRecord::Resource(resource) => {
                self.resources.insert(ResourceId::new(&resource.id), resource);
            }
        }
    }
}
