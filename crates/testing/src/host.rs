//! What a run of tests is told, and what only the embedding program knows.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arm::deployment::Deployment;
use arm::evaluate::Scope;
use arm::template::{Template, TemplateError};
use bicep::{Compiler, FilePath, Finding};
use engine::Failure;
use engine::provider::{LazyTypes, Provider};
use rustc_hash::FxHashMap;
use store::{Key, Store};

use crate::probes::{self, Hits};
use crate::program::Program;

/// What only the embedding program knows.
pub trait TestHost: Sync {
    /// A path for people.
    fn shown(&self, path: &FilePath) -> String;

    /// Findings in a file, as they are reported.
    fn errors(&self, compiler: &Compiler, path: &FilePath, found: &[Finding]) -> Vec<FileError>;

    /// Notes in an error, and in those behind it, where in the program their causes are written. There is no deployment if its parameters were
    /// refused.
    fn locate(
        &self,
        compiler: &Compiler,
        failure: &mut Failure,
        deployment: Option<&Arc<Deployment>>,
        program: &FilePath,
    );

    /// Refuses a scope that a template is not for.
    fn check_scope(&self, template: &Template, scope: &Scope) -> Result<(), TemplateError>;

    /// The place that was noted in an error: file, line and column.
    fn place(&self, failure: &Failure) -> Option<(String, u32, u32)>;

    /// What stands in front of the resources of a store.
    fn provider(&self, below: Arc<dyn Provider>, store: &Arc<dyn Store>, key: &Key) -> Arc<dyn Provider>;

    /// The text of the snapshots that are kept beside a test file; none if there are none.
    fn snapshots(&self, path: &FilePath) -> Result<Option<String>, String>;

    /// Writes the snapshots of a test file, or removes them if there is no text.
    fn write_snapshots(&self, path: &FilePath, text: Option<&str>) -> Result<(), String>;
}

/// An error as it is reported.
pub struct FileError {
    /// For programs, as `--diagnostics-format json` writes it.
    pub json: serde_json::Value,
    /// For people.
    pub text: String,
}

/// How tests are run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Parts of ids of tests that are wanted, with `*` for anything; all without any.
    pub filters: Vec<String>,
    /// How many cases run at the same time.
    pub jobs: usize,
    /// Whether to stop at the first failure.
    pub fail_fast: bool,
    /// Which part of the tests is run, from one, and how many parts there are.
    pub shard: Option<(usize, usize)>,
    /// Whether cases have the checks that nobody asks for.
    pub checks: bool,
    /// Whether snapshots are written.
    pub update: bool,
    /// What generated parameters are made from, unless a test says it.
    pub seed: Option<u64>,
    /// How many parameters are generated, unless a test says it.
    pub count: Option<u64>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            filters: Vec::new(),
            jobs: 1,
            fail_fast: false,
            shard: None,
            checks: true,
            update: false,
            seed: None,
            count: None,
        }
    }
}

/// What all files of a run share.
pub struct Session<'s> {
    /// Makes templates in which resources have names.
    pub compiler: &'s Compiler,
    /// Makes templates as they are deployed.
    pub plain: &'s Compiler,
    /// What services add to their resources.
    pub types: Arc<LazyTypes>,
    /// How tests are run.
    pub options: RunOptions,
    /// The embedding program.
    pub host: &'s dyn TestHost,
    pub(crate) key: Key,
    /// What cases have evaluated, if the compiler makes programs tell it.
    pub(crate) hits: Mutex<Hits>,
    pub(crate) programs: Mutex<FxHashMap<FilePath, Arc<OnceLock<Arc<Program>>>>>,
}

impl<'s> Session<'s> {
    /// A session that knows no file yet.
    pub fn new(
        compiler: &'s Compiler,
        plain: &'s Compiler,
        types: Arc<LazyTypes>,
        options: RunOptions,
        host: &'s dyn TestHost,
    ) -> Session<'s> {
        let (key, hits, programs) = (Key::public("tendon test"), Mutex::default(), Mutex::default());
        Session { compiler, plain, types, options, host, key, hits, programs }
    }

    /// Whether it is noted what is evaluated.
    pub(crate) fn is_covering(&self) -> bool {
        self.compiler.options().probes
    }

    /// Adds what this thread has evaluated.
    pub(crate) fn add_hits(&self) {
        let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, [one, other]) in probes::take() {
            let counts = hits.entry(id).or_default();
            *counts = [counts[0].saturating_add(one), counts[1].saturating_add(other)];
        }
    }
}
