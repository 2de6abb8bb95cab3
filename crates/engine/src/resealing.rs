//! What one key of a ring sealed is sealed again with the key that seals now, while deployments go on.
//!
//! Only deployments that are under way have something sealed: it is erased when they end. Their owners may write and erase it meanwhile, so bytes are
//! replaced only if they are those that were read.

use machine::records::{SECRETS, purpose, step_blob};
use store::{Key, RunId, Status, Store, StoreError, scan_deployments};

/// How often a secret is looked at again that was written meanwhile.
const TRIES: usize = 5;

/// What resealing found, in numbers of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// Secrets that are sealed with the key that seals now.
    pub current: usize,
    /// Of these, those that another key had sealed.
    pub changed: usize,
    /// Secrets that no key of the ring opens, or that were written again and again.
    pub left: usize,
}

/// Seals again what is kept of deployments that are under way. `for_real` says that it is written, and not only counted.
pub fn reseal(store: &dyn Store, key: &Key, for_real: bool) -> Result<Resealed, StoreError> {
    let mut all = Resealed::default();
    for deployment in scan_deployments(store, None) {
        let deployment = deployment?;
        if deployment.status != Status::Active {
            continue;
        }
        let steps = store.steps(deployment.run)?;
        let names = steps.iter().map(|step| step_blob(step.number)).chain([SECRETS.to_owned()]);
        for name in names {
            reseal_one(store, key, deployment.run, &name, for_real, &mut all)?;
        }
    }
    Ok(all)
}

fn reseal_one(
    store: &dyn Store,
    key: &Key,
    run: RunId,
    name: &str,
    for_real: bool,
    all: &mut Resealed,
) -> Result<(), StoreError> {
    for _ in 0..TRIES {
        // It was erased, or there is none.
        let Some(sealed) = store.blob(run, name)? else { return Ok(()) };
        let Ok(renewed) = key.renew(&purpose(run, name), &sealed) else { break };
        let Some(renewed) = renewed else {
            all.current += 1;
            return Ok(());
        };
        if !for_real {
            break;
        }
        if store.replace_blob(run, name, &sealed, &renewed)? {
            all.current += 1;
            all.changed += 1;
            return Ok(());
        }
    }
    all.left += 1;
    Ok(())
}
