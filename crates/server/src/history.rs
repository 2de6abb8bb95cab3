//! How many deployments a scope remembers, and for how long: the oldest that have ended are forgotten, as ARM does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::Host;
use store::{Deployment, Page, Status, StoreError, scan_deployments};

/// How many deployments are accepted before it is looked how many there are.
const OFTEN: u64 = 16;
/// How many are forgotten at once.
const TOGETHER: usize = 64;

/// How soon and how late it is looked again whether some are too old.
const SOONEST: Duration = Duration::from_secs(1);
const LATEST: Duration = Duration::from_secs(3600);
/// How many old ones are found at once; the next look finds the rest.
const FOUND: usize = 4096;

#[derive(Default)]
pub(crate) struct History {
    /// How many deployments a scope has at most; none for as many as there are.
    most: Option<usize>,
    /// How long one is remembered; none for as long as there is room.
    age: Option<Duration>,
    accepted: AtomicU64,
}

impl History {
    pub(crate) fn new(most: usize) -> History {
        History { most: Some(most), ..History::default() }
    }

    /// The same that remembers none for longer than so.
    pub(crate) fn no_older_than(self, age: Duration) -> History {
        History { age: Some(age), ..self }
    }

    /// Forgets what is too old, in all scopes, now and again for as long as the server runs.
    pub(crate) async fn keep_forgetting(&self, host: Arc<Host>) {
        let Some(age) = self.age else { return };
        let pause = (age / 8).clamp(SOONEST, LATEST);
        loop {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(age);
            let before = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
            let reader = Arc::clone(&host);
            let old = tokio::task::spawn_blocking(move || older(&reader, before)).await;
            match old {
                Ok(Ok(old)) => {
                    for some in old.chunks(TOGETHER) {
                        // One that was put again meanwhile is not old any more.
                        if let Err(refused) =
                            host.engine().forget(some.iter().map(|it| (it.key.clone(), it.run))).await
                        {
                            tracing::debug!(?refused, "old deployments were not forgotten");
                        }
                    }
                }
                Ok(Err(error)) => tracing::warn!(%error, "old deployments could not be read"),
                Err(error) => tracing::warn!(%error, "old deployments could not be read"),
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Notes that a deployment was accepted in a scope. What is too old is forgotten soon.
    pub(crate) fn note(&self, host: &Arc<Host>, scope: &str) {
        let Some(most) = self.most else { return };
        // Few are kept only where somebody tries it out.
        let often = OFTEN.min(u64::try_from(most / 8).unwrap_or(OFTEN)).max(1);
        if !self.accepted.fetch_add(1, Ordering::Relaxed).is_multiple_of(often) {
            return;
        }
        let (host, scope) = (Arc::clone(host), scope.to_owned());
        tokio::spawn(async move { forget(&host, &scope, most).await });
    }
}

/// A deployment without what its owner says of it.
struct Old {
    key: store::DeploymentKey,
    run: store::RunId,
}

/// Deployments that were accepted before a moment, in milliseconds since 1970, and have ended, as those around them have.
fn older(host: &Host, before: i64) -> Result<Vec<Old>, StoreError> {
    let store = &*host.engine().store;
    let is_old = |it: &Deployment| it.order < before && it.status == Status::Ended;
    let mut found = Vec::new();
    for deployment in scan_deployments(store, None) {
        let deployment = deployment?;
        if !is_old(&deployment) {
            continue;
        }
        let is_over = deployment.run == deployment.root || store.are_over(&[deployment.root])? == [true];
        if is_over {
            found.push(Old { key: deployment.key, run: deployment.run });
            if found.len() >= FOUND {
                break;
            }
        }
    }
    Ok(found)
}

/// Forgets what is beyond the newest ones.
async fn forget(host: &Host, scope: &str, most: usize) {
    let engine = host.engine();
    loop {
        // Those that are under way are left alone, and looked at the next time.
        let old = match engine.store.deployments(Some(scope), Page { skip: most, take: TOGETHER }) {
            Ok(old) => old,
            Err(error) => {
                tracing::warn!(%error, "old deployments could not be read");
                return;
            }
        };
        let ended: Vec<_> = old.iter().filter(|it| it.status == Status::Ended).collect();
        if ended.is_empty() {
            return;
        }
        if let Err(refused) = engine.forget(ended.into_iter().map(|it| (it.key.clone(), it.run))).await {
            // Somebody put one of them again meanwhile; the next time it is not old.
            tracing::debug!(?refused, "old deployments were not forgotten");
            return;
        }
        if old.len() < TOGETHER {
            return;
        }
    }
}
