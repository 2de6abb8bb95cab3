//! How many deployments a scope remembers: the oldest that have ended are forgotten, as ARM does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::Host;
use store::{Page, Status};

/// How many deployments are accepted before it is looked how many there are.
const OFTEN: u64 = 16;
/// How many are forgotten at once.
const TOGETHER: usize = 64;

/// What is remembered.
#[derive(Default)]
pub(crate) struct History {
    /// How many deployments a scope has at most; none for as many as there are.
    most: Option<usize>,
    accepted: AtomicU64,
}

impl History {
    pub(crate) fn new(most: usize) -> History {
        History { most: Some(most), accepted: AtomicU64::new(0) }
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
