//! The binary as people start it: one resource from a cold start, and a folder of programs in one run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Given, programs};
use crate::Result;

/// How often the small program is compiled; the clock of processor time is coarse.
const STARTS: u32 = 200;

/// What json.loads of all main.json of a folder takes, best of five: a unit that any machine has.
const CALIBRATOR: &str = "\
import json, os, sys, time
texts = [open(os.path.join(d, 'main.json'), encoding='utf-8-sig').read() for d, _, names in os.walk(sys.argv[1]) if 'main.json' in names]
best = 1e9
for _ in range(5):
    start = time.perf_counter()
    for text in texts: json.loads(text)
    best = min(best, time.perf_counter() - start)
print(best)
";

pub(super) fn run(given: &Given) -> Result {
    let tendon = build()?;
    println!("The binary:\n");
    println!("| work | wall | processor | memory |\n|---|--:|--:|--:|");
    let scratch = std::env::temp_dir().join(format!("tendon-bench-{}", std::process::id()));
    let result = in_folder(given, &tendon, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

fn in_folder(given: &Given, tendon: &Path, scratch: &Path) -> Result {
    let failed = |error: std::io::Error| format!("cannot write to `{}`: {error}", scratch.display());
    std::fs::create_dir_all(scratch).map_err(failed)?;
    let program = scratch.join("main.bicep");
    std::fs::write(&program, programs::ONE_RESOURCE).map_err(failed)?;
    let mut one = command(tendon, given);
    one.arg("build").arg(&program).arg("--stdout");
    let cost = repeated(&mut one, STARTS)?;
    println!("| one resource, from the start of the process | {} |", cost.row());
    let Some(folder) = &given.folder else {
        println!();
        return Ok(());
    };
    let mut all = command(tendon, given);
    let pattern = folder.join("**/main.bicep");
    all.arg("build").arg("--pattern").arg(pattern).arg("--outdir").arg(scratch.join("out"));
    // The first run fills the caches of the machine.
    let costs = [repeated(&mut all, 1)?, repeated(&mut all, 1)?, repeated(&mut all, 1)?];
    let Some(best) = costs.into_iter().min_by_key(|cost| cost.processor) else { return Ok(()) };
    println!("| all main.bicep of the folder, best of three | {} |\n", best.row());
    if let Some(unit) = calibrate(folder) {
        let ratio = |time: Duration| time.as_secs_f64() / unit.as_secs_f64();
        println!(
            "json.loads of all main.json in Python takes {unit:.0?}: the processor time is {:.2} times that,",
            ratio(best.processor)
        );
        println!("the wall time {:.2} times.\n", ratio(best.wall));
    }
    Ok(())
}

/// Builds the binary and gives its path.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(["build", "--quiet", "--release", "--package", "tendon"]).status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("cannot build `tendon`".to_owned());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(own.with_file_name(format!("tendon{}", std::env::consts::EXE_SUFFIX)))
}

fn command(tendon: &Path, given: &Given) -> Command {
    let mut command = Command::new(tendon);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for (variable, path) in [("TENDON_TYPES", &given.types), ("TENDON_MODULES", &given.modules)] {
        match path {
            Some(path) => command.env(variable, path),
            None => command.env_remove(variable),
        };
    }
    command
}

/// What a run costs.
struct Cost {
    wall: Duration,
    processor: Duration,
    /// The most memory at once, in kilobytes.
    memory: u64,
}

impl Cost {
    fn row(&self) -> String {
        let Cost { wall, processor, memory } = self;
        format!("{wall:.2?} | {processor:.2?} | {:.0} MB", *memory as f64 / 1024.0)
    }
}

/// The mean cost of a number of runs.
fn repeated(command: &mut Command, times: u32) -> Result<Cost> {
    let mut memory = 0;
    let before = children_time();
    let start = Instant::now();
    for _ in 0..times {
        let mut child = command.spawn().map_err(|error| format!("cannot start the binary: {error}"))?;
        if times == 1 {
            memory = watch(&mut child);
        }
        child.wait().map_err(|error| error.to_string())?;
    }
    let wall = start.elapsed() / times;
    let processor = (children_time() - before) / times;
    if times > 1 {
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        memory = watch(&mut child);
        child.wait().map_err(|error| error.to_string())?;
    }
    Ok(Cost { wall, processor, memory })
}

/// The most memory that a process had, seen often enough.
fn watch(child: &mut Child) -> u64 {
    let path = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while matches!(child.try_wait(), Ok(None)) {
        let status = std::fs::read_to_string(&path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_micros(500));
    }
    most
}

/// The processor time of all children that have ended; the kernel counts it in hundredths of a second.
fn children_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the process is in parentheses and may hold blanks.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks: u64 = fields.split(' ').skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn calibrate(folder: &Path) -> Option<Duration> {
    let output = Command::new("python3").arg("-c").arg(CALIBRATOR).arg(folder).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok().map(Duration::from_secs_f64)
}
