//! Answers for callers that wait, from a runtime that does not.

use std::future::Future;
use std::pin::{Pin, pin};
use std::thread;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

use crate::{Result, StoreError};

/// A runtime of our own: connections live on it, whoever calls.
#[derive(Debug)]
pub(super) struct Bridge(Option<Runtime>);

impl Bridge {
    pub(super) fn new() -> Result<Bridge> {
        // One thread reads and writes sockets; the work between is done where somebody waits for it.
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).thread_name("postgres").enable_all().build();
        Ok(Bridge(Some(runtime.map_err(|error| StoreError::Remote(error.to_string()))?)))
    }

    /// Where tasks of the store run.
    pub(super) fn handle(&self) -> Result<&Handle> {
        self.0.as_ref().map(Runtime::handle).ok_or_else(|| StoreError::Remote("it was closed".to_owned()))
    }

    /// Waits for an answer, also where that is not allowed to take time: there, others take over the work meanwhile.
    pub(super) fn wait<T: Send>(&self, answer: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let mut answered = None;
        {
            let mut work = pin!(async { answered = Some(answer.await) });
            self.drive(work.as_mut())?;
        }
        answered.unwrap_or_else(|| Err(StoreError::Remote("a thread ended early".to_owned())))
    }

    /// Drives work to its end. It is not generic: the runtime would be compiled anew for each of twenty answers.
    fn drive(&self, work: Pin<&mut (dyn Future<Output = ()> + Send)>) -> Result<()> {
        let handle = self.handle()?;
        match Handle::try_current().map(|current| current.runtime_flavor()) {
            Err(_) => handle.block_on(work),
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| handle.block_on(work)),
            // Work that panics has no answer.
            Ok(_) => drop(thread::scope(|scope| scope.spawn(|| handle.block_on(work)).join())),
        }
        Ok(())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // Connections are closed; nobody waits for them.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
