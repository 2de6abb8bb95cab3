//! Programs that are started and measured from outside.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Result;

/// What json.loads of all main.json of a folder takes, best of five: a unit that any machine has. It is processor time, as what is
/// compared with it: wall time grows with whatever else the machine does.
const CALIBRATOR: &str = "\
import json, os, sys, time
texts = [open(os.path.join(d, 'main.json'), encoding='utf-8-sig').read() for d, _, names in os.walk(sys.argv[1]) if 'main.json' in names]
best = 1e9
for _ in range(5):
    start = time.process_time()
    for text in texts: json.loads(text)
    best = min(best, time.process_time() - start)
print(best)
";

/// Builds the binary as this program was built, and gives its path.
pub(crate) fn build() -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    // The folder of a profile has its name.
    let profile = own.parent().and_then(Path::file_name).unwrap_or("release".as_ref());
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--package", "tendon", "--profile"])
        .arg(profile)
        .status();
    if !status.is_ok_and(|status| status.success()) {
        return Err("cannot build `tendon`".to_owned());
    }
    Ok(own.with_file_name(format!("tendon{}", std::env::consts::EXE_SUFFIX)))
}

/// A command that reads nothing and whose output nobody sees.
pub(crate) fn quiet(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What a run costs.
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) processor: Duration,
    /// The most memory at once, in kilobytes.
    memory: u64,
}

impl Cost {
    /// Three cells of a table.
    pub(crate) fn row(&self) -> String {
        let Cost { wall, processor, memory } = self;
        format!("{wall:.2?} | {processor:.2?} | {:.0} MB", *memory as f64 / 1024.0)
    }
}

/// The mean cost of a number of runs.
pub(crate) fn repeated(command: &mut Command, times: u32) -> Result<Cost> {
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
    counted(13)
}

/// The processor time of all threads of this process, counted in the same way.
pub(crate) fn own_time() -> Duration {
    counted(11)
}

/// The sum of two neighbouring fields of what the kernel counts of this process.
fn counted(first: usize) -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the process is in parentheses and may hold blanks.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks: u64 =
        fields.split(' ').skip(first).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// What the calibrator takes on a folder with templates.
pub(crate) fn calibrate(folder: &Path) -> Option<Duration> {
    let output = Command::new("python3").arg("-c").arg(CALIBRATOR).arg(folder).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok().map(Duration::from_secs_f64)
}
