//! Work that outlives its request: the client gets a link, and the result when it is there.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::guid;
use http::StatusCode;
use store::RunId;
use tokio::sync::watch;

use crate::api_error::{ApiError, broken};
use crate::response::HttpResponse;
use ::arm::Caseless as _;

/// How many results are kept, and how long.
const MOST: usize = 1_000;
const KEPT: Duration = Duration::from_secs(600);
/// How many bytes they have together. Where there are more, the oldest are forgotten.
const KEPT_BYTES: usize = 32 << 20;

/// A status and a body, or nothing as long as it is not there.
type StoredResponse = Option<(StatusCode, String)>;

/// The work that is under way, and what came of it. It is lost when the process ends: clients ask anew.
#[derive(Default)]
pub(crate) struct Results(Arc<Mutex<BTreeMap<String, ResultEntry>>>);

impl ResultEntry {
    fn bytes(&self) -> usize {
        self.said.borrow().as_ref().map_or(0, |(_, text)| text.len())
    }
}

/// Forgets the oldest results until the rest is not too large.
fn make_room(entries: &mut BTreeMap<String, ResultEntry>) {
    let mut bytes: usize = entries.values().map(ResultEntry::bytes).sum();
    if bytes <= KEPT_BYTES {
        return;
    }
    let mut ended: Vec<(Instant, String, usize)> = entries
        .iter()
        .map(|(name, entry)| (entry.since, name.clone(), entry.bytes()))
        .filter(|(_, _, bytes)| *bytes > 0)
        .collect();
    ended.sort();
    for (_, name, own) in ended {
        if bytes <= KEPT_BYTES {
            return;
        }
        entries.remove(&name);
        bytes -= own;
    }
}

struct ResultEntry {
    /// Where it was asked for: it is found nowhere else.
    scope: String,
    since: Instant,
    said: watch::Receiver<StoredResponse>,
}

/// What has come of some work.
pub(crate) enum AsyncResult {
    Done(HttpResponse),
    /// Nothing yet; the name under which it is found.
    Later(String),
}

impl Results {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, ResultEntry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does some work, for which the request waits for a while.
    pub(crate) async fn run(
        &self,
        scope: &str,
        patience: Duration,
        work: impl Future<Output = Result<(StatusCode, String), ApiError>> + Send + 'static,
    ) -> Result<AsyncResult, ApiError> {
        let (tell, said) = watch::channel(None);
        let mut work = tokio::spawn(work);
        if let Ok(done) = tokio::time::timeout(patience, &mut work).await {
            let (status, text) = done.map_err(|error| broken(&error))??;
            return Ok(AsyncResult::Done(HttpResponse::text(status, text)));
        }
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| broken(&error))?;
        let name = guid(RunId(u128::from_be_bytes(bytes)));
        {
            let mut entries = self.entries();
            entries.retain(|_, entry| entry.since.elapsed() < KEPT);
            make_room(&mut entries);
            if entries.len() >= MOST {
                work.abort();
                return Err(ApiError::new(
                    "TooManyRequests",
                    "too many requests are under way; try again later",
                ));
            }
            let entry = ResultEntry { scope: scope.caseless(), since: Instant::now(), said };
            entries.insert(name.clone(), entry);
        }
        let entries = Arc::clone(&self.0);
        tokio::spawn(async move {
            let said = match work.await {
                Ok(Ok(said)) => said,
                Ok(Err(refusal)) => refusal.into_parts(),
                Err(error) => broken(&error).into_parts(),
            };
            let _ = tell.send(Some(said));
            make_room(&mut entries.lock().unwrap_or_else(PoisonError::into_inner));
        });
        Ok(AsyncResult::Later(name))
    }

    /// What has come of the work of that name, for which the request waits for a while; none if there is no such work.
    pub(crate) async fn find(
        &self,
        scope: &str,
        name: &str,
        patience: Duration,
    ) -> Option<Option<HttpResponse>> {
        let mut said = {
            let entries = self.entries();
            let entry = entries.get(&name.caseless()).filter(|entry| entry.scope == scope.caseless())?;
            entry.said.clone()
        };
        let told = tokio::time::timeout(patience, said.wait_for(Option::is_some)).await;
        match told {
            Ok(Ok(told)) => Some(told.clone().map(|(status, text)| HttpResponse::text(status, text))),
            Ok(Err(_)) => None,
            Err(_) => Some(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_long_is_found_by_its_name_and_in_its_scope_only() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(found_by_name_and_scope());
    }

    async fn found_by_name_and_scope() {
        let results = Results::default();
        let (go, wait) = tokio::sync::oneshot::channel::<()>();
        let work = async move {
            let _ = wait.await;
            Ok((StatusCode::OK, "1".to_owned()))
        };
        let Ok(AsyncResult::Later(name)) = results.run("/A", Duration::ZERO, work).await else { panic!() };
        assert!(matches!(results.find("/a", &name, Duration::ZERO).await, Some(None)));
        assert!(results.find("/b", &name, Duration::ZERO).await.is_none());
        go.send(()).unwrap();
        let found = results.find("/a", &name, Duration::from_secs(60)).await;
        assert_eq!(found.unwrap().unwrap().status(), 200);
    }
}
