//! What all files of a run of tests share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arm::Value;
use arm::template::TemplateLimits;
use bicep::editor::written_place;
use bicep::{Compiler, FilePath};
use engine::provider::LazyTypes;
use rustc_hash::FxHashMap;
use store::Key;

use crate::host::TestHost;
use crate::literals::literals;
use crate::places::{PlaceFile, text_of};
use crate::probes::{self, Hits};
use crate::program::{self, PlainProgram, Program, is_template};
use crate::template_points::TemplatePoints;

/// Which snapshots are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotWrites {
    /// None: one that is missing or another one is a failure.
    None,
    /// All of them, whatever was there before.
    All,
    /// Those that the embedding program accepts when it is asked.
    Accepted,
}

/// How tests are run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Parts of ids of tests that are wanted, with `*` for anything; all without any.
    pub filters: Vec<String>,
    /// The ids of tests that are wanted, each without its case; all without any.
    pub only: Vec<String>,
    /// How many cases run at the same time.
    pub jobs: usize,
    /// Whether to stop at the first failure.
    pub fail_fast: bool,
    /// Which part of the tests is run, from one, and how many parts there are.
    pub shard: Option<(usize, usize)>,
    /// Whether cases have the checks that nobody asks for.
    pub checks: bool,
    /// Which snapshots are written.
    pub snapshots: SnapshotWrites,
    /// What generated parameters are made from, unless a test says it.
    pub seed: Option<u64>,
    /// How many parameters are generated, unless a test says it.
    pub count: Option<u64>,
    /// Whether resources that a program reads and that are not there are made up.
    pub made_up: bool,
    /// How large templates may be.
    pub limits: TemplateLimits,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            filters: Vec::new(),
            only: Vec::new(),
            jobs: 1,
            fail_fast: false,
            shard: None,
            checks: true,
            snapshots: SnapshotWrites::None,
            seed: None,
            count: None,
            made_up: false,
            limits: TemplateLimits::DEFAULT,
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
    /// The embedding program, which prints, and answers what is asked.
    pub host: &'s dyn TestHost,
    pub(crate) key: Key,
    /// What cases have evaluated, if the compiler makes programs tell it.
    pub(crate) hits: Mutex<Hits>,
    pub(crate) programs: Mutex<FxHashMap<FilePath, Arc<OnceLock<Arc<Program>>>>>,
    /// Where rules of templates are written in programs.
    rules: Mutex<RulePlaces>,
}

/// By program and part of its template: where the rule is written; none if nobody knows.
type RulePlaces = FxHashMap<(FilePath, String), Option<(FilePath, u32)>>;

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
        Session { compiler, plain, types, options, host, key, hits, programs, rules: Mutex::default() }
    }

    /// A program, compiled when it is asked for the first time.
    pub(crate) fn program(&self, path: &FilePath) -> Arc<Program> {
        let cell = {
            let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(programs.entry(path.clone()).or_default())
        };
        Arc::clone(cell.get_or_init(|| {
            Arc::new(program::compiled(self.compiler, self.host, path, &self.options.limits))
        }))
    }

    /// The ordinary form of a program.
    pub(crate) fn plain_program<'p>(&self, program: &'p Program) -> Result<&'p PlainProgram, String> {
        program.plain(self.plain)
    }

    /// Whether a file is one that people edit: not one of a registry.
    pub(crate) fn is_local(&self, path: &FilePath) -> bool {
        let cache = self.compiler.world().cache_root();
        let roots = [Some(cache), self.compiler.world().modules()];
        roots.into_iter().flatten().all(|root| !path.as_str().starts_with(&format!("{root}/")))
    }

    /// What a program compares with.
    pub(crate) fn literals(&self, program: &FilePath) -> Vec<Value> {
        literals(self.compiler, program, &|path| self.is_local(path))
    }

    /// A file whose places are told.
    pub(crate) fn place_file(&self, path: &FilePath) -> PlaceFile {
        PlaceFile::new(self.compiler, self.host.shown(path), path)
    }

    /// Whether it is noted what is evaluated.
    pub(crate) fn is_covering(&self) -> bool {
        self.compiler.options().probes
    }

    /// Where a rule of the template of a program is written: the file, and the bytes before it.
    pub(crate) fn rule_place(&self, program: &FilePath, rule: &str) -> Option<(FilePath, u32)> {
        let key = (program.clone(), rule.to_owned());
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let place = || {
            if is_template(program) {
                let points = TemplatePoints::of(&text_of(self.compiler, program), program).points;
                let rule = points.into_iter().find(|point| point.subject == rule)?;
                return Some((program.clone(), rule.start));
            }
            written_place(self.compiler, program, rule).map(|(file, span)| (file, span.start))
        };
        rules.entry(key).or_insert_with(place).clone()
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
