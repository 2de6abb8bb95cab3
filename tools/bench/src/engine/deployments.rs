//! All end-to-end tests of a registry of modules: each is compiled and deployed to the local provider, all in one process, on one
//! thread for each processor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arm::deployment::{Deployment, DeploymentContext, DeploymentMode};
use arm::template::{Template, TemplateLimits};
use bicep::files::{FolderEntry, ReadError};
use bicep::{Compiler, CompilerOptions, FilePath, Generator, World};
use bicep_types::TypeStore;
use engine::core::{MachineSettings, RunEnd, RunProgress};
use engine::provider::Local;
use engine::{Clock, Engine, StartError};
use store::{Key, MemoryStore, SqliteStore, Store};
use tokio::sync::mpsc::unbounded_channel;

use super::Given;
use crate::files::named;
use crate::processes::{calibrate, own_time};
use crate::timing::processor_time;
use crate::{Result, said};

/// What the tests leave open: their pipeline writes these before it deploys.
const TOKENS: &[(&str, &str)] =
    &[("#_namePrefix_#", "avmx"), ("#_subscriptionId_#", "00000000-0000-0000-0000-000000000001")];

pub(super) fn run(given: &Given) -> Result {
    let Some(corpus) = &given.corpus else { return Ok(()) };
    let files = named(corpus, "main.test.bicep")?;
    println!("{} end-to-end tests, each compiled and deployed to the local provider:\n", files.len());
    println!("| state | succeeded | compile | read and bind | plan | run | processor | wall |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    let unit = calibrate(corpus);
    let scratch = std::env::temp_dir().join(format!("tendon-bench-{}", std::process::id()));
    let states = [("in memory", None), ("SQLite", Some(scratch.as_path()))];
    for (name, folder) in states.into_iter().take(if given.sqlite { 2 } else { 1 }) {
        let modules = given.modules.as_deref();
        let compiler = compiler(modules)?;
        let (start, before) = (Instant::now(), own_time());
        let total = all(&compiler, &files, folder)?;
        let (wall, processor) = (start.elapsed(), own_time() - before);
        let [compile, bind, plan, run] =
            total.times.map(|nanoseconds| Duration::from_nanos(nanoseconds as u64));
        let succeeded = total.ends.get("succeeded").copied().unwrap_or(0);
        println!(
            "| {name} | {succeeded} | {compile:.2?} | {bind:.2?} | {plan:.2?} | {run:.2?} | {processor:.2?} | {wall:.2?} |"
        );
        if let Some(unit) = unit {
            let [processor, wall] = [processor, wall].map(|time| time.as_secs_f64() / unit.as_secs_f64());
            eprintln!(
                "{name}: {wall:.1} calibrators of {unit:.0?} on {} threads, {processor:.1} of processor time; ends: {:?}",
                threads(),
                total.ends
            );
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    println!();
    Ok(())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Deploys all tests, each to a state of its own.
fn all(compiler: &Compiler, files: &[PathBuf], folder: Option<&Path>) -> Result<Total> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Total> {
        let mut total = Total::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number) else { return Ok(total) };
            let state = folder.map(|folder| folder.join(number.to_string()));
            let ended = deploy(compiler, file, state.as_deref(), &mut total);
            if let Some(state) = state {
                let _ = std::fs::remove_dir_all(state);
            }
            *total.ends.entry(ended?).or_default() += 1;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads()).map(|_| scope.spawn(work)).collect();
        let mut sum = Total::default();
        for worker in workers {
            sum.add(worker.join().map_err(|_| "a thread panicked")??);
        }
        Ok(sum)
    })
}

/// What tests took together, on their threads.
#[derive(Default)]
struct Total {
    /// Compiling, reading and binding, planning, running, in nanoseconds.
    times: [f64; 4],
    ends: BTreeMap<&'static str, usize>,
}

impl Total {
    fn add(&mut self, other: Total) {
        for (time, more) in self.times.iter_mut().zip(other.times) {
            *time += more;
        }
        for (end, count) in other.ends {
            *self.ends.entry(end).or_default() += count;
        }
    }

    fn take<T>(&mut self, part: usize, work: impl FnOnce() -> T) -> T {
        let before = processor_time();
        let made = work();
        let taken = before.zip(processor_time()).map_or(0.0, |(before, after)| after - before);
        if let Some(time) = self.times.get_mut(part) {
            *time += taken;
        }
        made
    }
}

fn compiler(modules: Option<&Path>) -> Result<Compiler> {
    let world = Checkout { modules: modules.map(|path| FilePath::new(&path.to_string_lossy())) };
    let types = TypeStore::from_pack(Arc::new(azure_types::PACK)).map_err(said)?;
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions { az_types: Some(Arc::new(types)), ..CompilerOptions::new(generator) };
    Ok(Compiler::new(Arc::new(world), options))
}

/// Deploys a test and says in a word what became of it.
fn deploy(compiler: &Compiler, file: &Path, state: Option<&Path>, total: &mut Total) -> Result<&'static str> {
    let path = FilePath::new(&file.to_string_lossy());
    let Some(text) = total.take(0, || compiler.compile(&path).template) else { return Ok("not compiled") };
    let bound = total.take(1, || {
        let template = Arc::new(Template::read(&*text, &TemplateLimits::DEFAULT)?);
        let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main.test");
        Deployment::with_values(template, [], context)
    });
    let Ok(deployment) = bound else { return Ok("not valid") };
    let store: Arc<dyn Store> = match state {
        Some(folder) => Arc::new(SqliteStore::open(folder).map_err(said)?),
        None => Arc::new(MemoryStore::new()),
    };
    let key = Key::random().map_err(said)?;
    let types = compiler.options().az_types.clone();
    let types = Arc::new(engine::provider::LazyTypes::new(move || types.clone()));
    let provider = Arc::new(Local::new(Arc::clone(&store), key.clone()).with_types(types));
    let engine = Engine {
        store,
        key,
        provider,
        settings: MachineSettings::default(),
        clock: Clock::Virtual,
        budgets: Default::default(),
    };
    let accepted = match total.take(2, || engine.accept(Arc::new(deployment), DeploymentMode::Incremental)) {
        Ok(accepted) => accepted,
        Err(StartError::Failure(_)) => return Ok("not accepted"),
        Err(StartError::State(message) | StartError::Unavailable(message)) => return Err(message),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(said)?;
    let (_open, cancel) = unbounded_channel();
    let ended =
        total.take(3, || runtime.block_on(engine.run(accepted, cancel, &mut |_: &RunProgress, _: i64| {})));
    match ended {
        Ok(ended) => Ok(match ended.end {
            RunEnd::Succeeded(_) => "succeeded",
            RunEnd::Failed(_) => "failed",
            RunEnd::Canceled | RunEnd::Lost => "stopped",
        }),
        Err(StartError::Failure(_)) => Ok("not run"),
        Err(StartError::State(message) | StartError::Unavailable(message)) => Err(message),
    }
}

/// The files of a checkout, with what its tests leave open filled in.
struct Checkout {
    modules: Option<FilePath>,
}

impl World for Checkout {
    fn read(&self, path: &FilePath) -> std::result::Result<Arc<[u8]>, ReadError> {
        let bytes = std::fs::read(path.as_str()).map_err(|_| ReadError::NotFound)?;
        if !path.as_str().ends_with(".bicep") {
            return Ok(bytes.into());
        }
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        for (token, value) in TOKENS.iter().filter(|_| path.as_str().contains("/tests/")) {
            text = text.replace(token, value);
        }
        Ok(text.into_bytes().into())
    }

    fn exists(&self, path: &FilePath) -> bool {
        Path::new(path.as_str()).is_file()
    }

    fn list(&self, folder: &FilePath) -> std::result::Result<Vec<FolderEntry>, ReadError> {
        let entries = std::fs::read_dir(folder.as_str()).map_err(|_| ReadError::NotFound)?;
        let entry = |entry: std::fs::DirEntry| FolderEntry {
            name: entry.file_name().to_string_lossy().into_owned(),
            is_folder: entry.file_type().is_ok_and(|kind| kind.is_dir()),
        };
        Ok(entries.filter_map(std::result::Result::ok).map(entry).collect())
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn cache_root(&self) -> FilePath {
        FilePath::new("/nowhere")
    }

    fn modules(&self) -> Option<FilePath> {
        self.modules.clone()
    }
}
