//! `cargo xtask bench`: the benchmarks, each of which prints a table of its own.

use crate::arguments::Arguments;
use crate::{Result, process};

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let list = arguments.flag("--list");
    let names = arguments.rest()?;
    let mut cargo = process::cargo();
    cargo.args(["run", "--package", "tendon-bench"]);
    // What is only listed need not be fast, and a fast build takes minutes.
    match list {
        true => cargo.args(["--quiet", "--", "--list"]),
        false => cargo.args(["--release", "--"]).args(names),
    };
    process::run(&mut cargo)
}
