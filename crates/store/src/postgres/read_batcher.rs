//! Resources for many who ask at once: whoever asks while a question is on its way is answered by the next one, which is asked for
//! all who wait. An answer is never older than the question of those who get it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::oneshot::{Sender, channel};

use super::pool::Pool;
use super::read;
use crate::record::{Resource, ResourceId};
use crate::{Result, StoreError};

/// How many resources are asked for in one question.
const MOST: usize = 256;

/// What somebody who waits hears.
type ReadResult = Result<Option<Resource>>;

/// Those who wait for resources.
#[derive(Default)]
pub(super) struct Gather(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    by_id: BTreeMap<ResourceId, Vec<Sender<ReadResult>>>,
    /// Whether a task asks for them.
    is_asked: bool,
}

impl Gather {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A resource. Questions are asked on the runtime of the connections.
    pub(super) async fn resource(
        self: &Arc<Gather>,
        pool: &Arc<Pool>,
        runtime: &Handle,
        id: &ResourceId,
    ) -> Result<Option<Resource>> {
        let (tell, told) = channel();
        let is_first = {
            let mut waiting = self.waiting();
            waiting.by_id.entry(id.clone()).or_default().push(tell);
            !std::mem::replace(&mut waiting.is_asked, true)
        };
        if is_first {
            runtime.spawn(ask(BatchReader { gather: Arc::clone(self), is_done: false }, Arc::clone(pool)));
        }
        let ended = |_| StoreError::Remote("the connection was closed".to_owned());
        told.await.map_err(ended)?
    }
}

/// The task that asks, until nobody waits.
struct BatchReader {
    gather: Arc<Gather>,
    is_done: bool,
}

impl Drop for BatchReader {
    /// If the task was cut off, those who wait hear that nobody asks for them, and the next one who comes starts another.
    fn drop(&mut self) {
        if !self.is_done {
            let mut waiting = self.gather.waiting();
            waiting.is_asked = false;
            waiting.by_id.clear();
        }
    }
}

impl BatchReader {
    /// Those who wait now; none if nobody does, and then the next one who comes starts another task.
    fn next(&mut self) -> Option<BTreeMap<ResourceId, Vec<Sender<ReadResult>>>> {
        let mut waiting = self.gather.waiting();
        if waiting.by_id.is_empty() {
            // Under the lock, so that whoever comes next starts anew.
            waiting.is_asked = false;
            self.is_done = true;
            return None;
        }
        let rest = waiting.by_id.keys().nth(MOST).cloned();
        let rest = rest.map(|from| waiting.by_id.split_off(&from)).unwrap_or_default();
        Some(std::mem::replace(&mut waiting.by_id, rest))
    }
}

async fn ask(mut asking: BatchReader, pool: Arc<Pool>) {
    while let Some(asked) = asking.next() {
        let ids: Vec<&ResourceId> = asked.keys().collect();
        let found = read::resources_of(&pool, &ids).await;
        for (id, tell) in asked {
            for tell in tell {
                let told = match &found {
                    Ok(found) => Ok(found.get(&id).cloned()),
                    Err(error) => Err(copied(error)),
                };
                // Whoever has stopped waiting does not hear it.
                let _ = tell.send(told);
            }
        }
    }
}

/// An error for one more who hears it.
fn copied(error: &StoreError) -> StoreError {
    match error {
        StoreError::Damaged(why) => StoreError::Damaged(why.clone()),
        StoreError::Remote(why) => StoreError::Remote(why.clone()),
        other => StoreError::Remote(other.to_string()),
    }
}
