//! `cargo xtask kills`: real deployments whose processes are killed at any moment, and resumed.

use crate::arguments::Arguments;
use crate::{Result, process};

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let count: u64 = arguments.value("--count")?.unwrap_or(200);
    arguments.finish()?;
    let mut command = process::cargo();
    command.args(["test", "--quiet", "--package", "tendon", "--test", "it", "kill::", "--", "--nocapture"]);
    command.env("TENDON_KILLS", count.to_string());
    process::run(&mut command)
}
