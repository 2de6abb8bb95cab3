//! The contracts in force, which can be replaced while connections go on.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use thrift::proxy::{Contracts, MethodId};

use crate::metrics::{MethodMetrics, Metrics};

/// Contracts that were just read.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// What calls are decided by from now on.
    pub contracts: Contracts,
    /// The files they come from.
    pub files: Vec<PathBuf>,
}

/// Reads the contracts again; an error says in words why there are none.
pub type Source = Box<dyn Fn() -> Result<Fresh, String> + Send + Sync>;

/// Contracts in force, with the counters of their functions.
#[derive(Debug)]
pub struct InForce {
    /// What calls are decided by.
    pub contracts: Contracts,
    methods: Vec<Arc<MethodMetrics>>,
    unknown: Arc<MethodMetrics>,
}

impl InForce {
    fn new(contracts: Contracts, metrics: &Metrics) -> InForce {
        let methods =
            contracts.table().methods().iter().map(|it| metrics.method(&it.service, &it.name)).collect();
        InForce { contracts, methods, unknown: metrics.method("", "") }
    }

    /// The counters of a function; all unknown ones share theirs, so that nobody can make them many.
    pub fn counters(&self, method: Option<MethodId>) -> &Arc<MethodMetrics> {
        method.and_then(|id| self.methods.get(id.0 as usize)).unwrap_or(&self.unknown)
    }
}

/// A file as it was when it was read.
#[derive(Debug, PartialEq, Eq)]
struct FileStamp {
    path: PathBuf,
    state: Option<(SystemTime, u64)>,
}

/// The contracts in force.
pub struct ActiveContracts {
    current: Mutex<Arc<InForce>>,
    /// How often they have been replaced: who has seen the last time need not ask for them again.
    edition: AtomicU64,
    source: Source,
    seen: Mutex<Vec<FileStamp>>,
    metrics: Arc<Metrics>,
}

impl std::fmt::Debug for ActiveContracts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl ActiveContracts {
    /// Reads the contracts for the first time.
    ///
    /// # Errors
    ///
    /// There are none, for the reason that the source gives.
    pub fn new(source: Source, metrics: Arc<Metrics>) -> Result<ActiveContracts, String> {
        let fresh = source()?;
        let current = Mutex::new(Arc::new(InForce::new(fresh.contracts, &metrics)));
        let seen = Mutex::new(look(&fresh.files));
        Ok(ActiveContracts { current, edition: AtomicU64::new(0), source, seen, metrics })
    }

    /// The contracts in force.
    pub fn get(&self) -> Arc<InForce> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of the contracts in force, at the cost of a load.
    pub(crate) fn edition(&self) -> u64 {
        self.edition.load(Ordering::Acquire)
    }

    /// Reads the contracts again. Connections go on; calls that come from now on are held against the new
    /// contracts.
    ///
    /// # Errors
    ///
    /// There are none, and the old ones stay in force.
    pub fn reload(&self) -> Result<(), String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // Looked at before they are read: a file that changes in between is read once more, never once less.
        let mut before = look(seen.iter().map(|file| &file.path));
        // Whatever goes wrong in there, the old contracts are not touched.
        let source = std::panic::AssertUnwindSafe(|| (self.source)());
        let fresh = std::panic::catch_unwind(source)
            .unwrap_or_else(|_| Err("reading the files failed unexpectedly".to_owned()));
        match fresh {
            Ok(fresh) => {
                before
                    .extend(look(fresh.files.iter().filter(|path| !seen.iter().any(|it| it.path == **path))));
                before.retain(|file| fresh.files.contains(&file.path));
                *seen = before;
                let fresh = Arc::new(InForce::new(fresh.contracts, &self.metrics));
                *self.current.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
                self.edition.fetch_add(1, Ordering::Release);
                self.metrics.reloads.add(1);
                Ok(())
            }
            Err(message) => {
                // A file that is wrong is read again when it has changed again.
                *seen = before;
                self.metrics.failed_reloads.add(1);
                Err(message)
            }
        }
    }

    /// Whether a file has changed since it was read.
    pub fn is_stale(&self) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.iter().any(|file| state(&file.path) != file.state)
    }
}

fn look<'p>(files: impl IntoIterator<Item = &'p PathBuf>) -> Vec<FileStamp> {
    files.into_iter().map(|path| FileStamp { path: path.clone(), state: state(path) }).collect()
}

fn state(path: &PathBuf) -> Option<(SystemTime, u64)> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}
