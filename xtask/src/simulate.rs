//! `cargo xtask simulate`: the engine under many schedules, crashes and faults, each from a seed.

use crate::arguments::Arguments;
use crate::{Result, process};

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let seeds: Option<u64> = arguments.value("--seeds")?;
    let seed: Option<u64> = arguments.value("--seed")?;
    let is_cluster = arguments.flag("--cluster");
    arguments.finish()?;
    let mut command = process::cargo();
    command.args(["run", "--quiet", "--release", "--package", "tendon-simulation", "--"]);
    if is_cluster {
        command.arg("--cluster");
    }
    match seed {
        Some(seed) => command.args(["--seed".to_owned(), seed.to_string()]),
        None => command.args(["--seeds".to_owned(), seeds.unwrap_or(100_000).to_string()]),
    };
    process::run(&mut command)
}
