//! `cargo xtask bench`: the benchmarks, each of which prints a table of its own.

use crate::arguments::Arguments;
use crate::{Result, process};

pub(crate) fn run(arguments: Arguments) -> Result {
    let names = arguments.words()?;
    process::run(process::cargo().args(["run", "--release", "--package", "tendon-bench", "--"]).args(names))
}
