//! The binary as people start it: one resource from a cold start, and a folder of programs in one run.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::{Given, programs};
use crate::Result;
use crate::processes::{build, calibrate, quiet, repeated};

/// How often the small program is compiled; the clock of processor time is coarse.
const STARTS: u32 = 200;

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
    one.arg("build").arg(&program).args(["--stdout", "--no-restore"]);
    let cost = repeated(&mut one, STARTS)?;
    println!("| one resource, from the start of the process | {} |", cost.row());
    let Some(folder) = &given.folder else {
        println!();
        return Ok(());
    };
    let mut all = command(tendon, given);
    let pattern = folder.join("**/main.bicep");
    all.args(["build", "--no-restore", "--pattern"]).arg(pattern).arg("--outdir").arg(scratch.join("out"));
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

fn command(tendon: &Path, given: &Given) -> Command {
    let mut command = quiet(tendon);
    for (variable, path) in [("TENDON_TYPES", &given.types), ("TENDON_MODULES", &given.modules)] {
        match path {
            Some(path) => command.env(variable, path),
            None => command.env_remove(variable),
        };
    }
    command
}
