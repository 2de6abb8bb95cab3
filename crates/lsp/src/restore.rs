//! Modules and extensions of registries that open programs need and that are not in the cache: fetched once, in the
//! background, and looked at when they are there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bicep::files::{Reference, RestoreFailure};
use bicep::{Artifact, Compiler, FilePath};
use serde_json::{Value, json};

use crate::message;
use crate::{Restoring, Tools};

/// Why artifacts are not there, by their full names.
pub(crate) type Failures = BTreeMap<String, RestoreFailure>;

/// What was fetched, and what could not be.
pub(crate) struct Restores {
    tools: Option<Arc<dyn Tools>>,
    /// Whether registries are never asked.
    is_forbidden: bool,
    state: Mutex<RestoreQueue>,
    /// What to do when something has come.
    bell: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

#[derive(Default)]
struct RestoreQueue {
    /// Whether what is missing is fetched before somebody asks for it.
    is_automatic: bool,
    failures: Arc<Failures>,
    /// What was asked for, by its full name: nothing is asked for twice unless somebody wants it.
    tried: BTreeSet<String>,
    /// Whether something happened that documents have not been looked at with.
    has_news: bool,
    /// How often the client was told about progress.
    told: u64,
}

/// Where messages for the client go.
pub(crate) type Say<'s> = &'s dyn Fn(Vec<u8>);

impl Restores {
    /// Begins without a module that is being fetched.
    pub(crate) fn new(tools: Option<Arc<dyn Tools>>, restoring: Restoring) -> Restores {
        let state = RestoreQueue { is_automatic: restoring == Restoring::Always, ..RestoreQueue::default() };
        let is_forbidden = tools.is_none() || restoring == Restoring::Never;
        Restores { tools, is_forbidden, state: Mutex::new(state), bell: OnceLock::new() }
    }

    fn state(&self) -> MutexGuard<'_, RestoreQueue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens on the machine beside reading.
    pub(crate) fn tools(&self) -> Option<&Arc<dyn Tools>> {
        self.tools.as_ref()
    }

    /// Tells whether registries are never asked.
    pub(crate) fn is_forbidden(&self) -> bool {
        self.is_forbidden
    }

    /// Learns whether the client wants that what is missing is fetched by itself.
    pub(crate) fn set_automatic(&self, is_automatic: bool) {
        self.state().is_automatic = is_automatic;
    }

    /// Says what to do when something has come; once.
    pub(crate) fn when_there(&self, bell: impl Fn() + Send + Sync + 'static) {
        let _ = self.bell.set(Box::new(bell));
    }

    /// Why artifacts are not there, as far as they were tried.
    pub(crate) fn failures(&self) -> Arc<Failures> {
        Arc::clone(&self.state().failures)
    }

    /// Tells whether something has come since this was asked last.
    pub(crate) fn take_news(&self) -> bool {
        std::mem::take(&mut self.state().has_news)
    }

    /// What a program needs that is not there, to be fetched by who asks: nobody is told the same again. Nothing if
    /// nothing is fetched unasked.
    pub(crate) fn claim(&self, compiler: &Compiler, path: &FilePath) -> Vec<Artifact> {
        if self.is_forbidden || !self.state().is_automatic {
            return Vec::new();
        }
        let mut missing = compiler.unrestored(path);
        let mut state = self.state();
        missing.retain(|artifact| state.tried.insert(artifact.reference.full_name()));
        missing
    }

    /// Makes documents be looked at again: something is known of them that was not before.
    pub(crate) fn tell_news(&self) {
        self.state().has_news = true;
        if let Some(bell) = self.bell.get() {
            bell();
        }
    }

    /// Fetches artifacts, and says how many came. The client sees how far it is, if it can show that.
    pub(crate) fn fetch(&self, artifacts: &[Artifact], shows_progress: bool, say: Say<'_>) -> usize {
        let Some(tools) = self.tools.as_deref().filter(|_| !self.is_forbidden && !artifacts.is_empty())
        else {
            return 0;
        };
        let names: Vec<String> = artifacts.iter().map(|it| it.reference.full_name()).collect();
        let number = {
            let mut state = self.state();
            state.told += 1;
            state.told
        };
        let progress = shows_progress.then(|| RestoreProgress::begin(number, say));
        let mut count = 0;
        let failed = tools.restore(artifacts, &mut |reference| {
            count += 1;
            if let Some(progress) = &progress {
                progress.step(count, artifacts.len(), reference);
            }
        });
        let mut state = self.state();
        let mut failures = Failures::clone(&state.failures);
        failures.retain(|name, _| !names.contains(name));
        let came = artifacts.len().saturating_sub(failed.len());
        failures.extend(failed.into_iter().map(|(reference, why)| (reference.full_name(), why)));
        state.failures = Arc::new(failures);
        state.has_news = true;
        drop(state);
        if let Some(progress) = progress {
            progress.end();
        }
        if let Some(bell) = self.bell.get() {
            bell();
        }
        came
    }
}

/// What the client is told while something is fetched.
struct RestoreProgress<'s> {
    token: String,
    say: Say<'s>,
}

impl<'s> RestoreProgress<'s> {
    fn begin(number: u64, say: Say<'s>) -> RestoreProgress<'s> {
        let progress = RestoreProgress { token: format!("tendon-restore-{number}"), say };
        let create = json!({ "token": progress.token });
        say(message::request(&progress.token, "window/workDoneProgress/create", &create));
        progress.tell(&json!({ "kind": "begin", "title": "Restoring modules", "percentage": 0 }));
        progress
    }

    fn step(&self, count: usize, of: usize, reference: &Reference) {
        let percentage = (100 * count.min(of)).checked_div(of).unwrap_or(100);
        let message = reference.full_name();
        self.tell(&json!({ "kind": "report", "message": message, "percentage": percentage }));
    }

    fn end(&self) {
        self.tell(&json!({ "kind": "end" }));
    }

    fn tell(&self, value: &Value) {
        (self.say)(message::notification("$/progress", &json!({ "token": self.token, "value": value })));
    }
}
