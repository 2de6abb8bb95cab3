//! `cargo xtask programs`: very many Bicep programs through the compiler, in processes of their own; or with `--growth`, how
//! the time grows with the program, for each construct of the language.

use crate::arguments::Arguments;
use crate::{Result, process};

/// How many programs a run takes, unless told otherwise.
const COUNT: u64 = 100_000;

pub(crate) fn run(mut arguments: Arguments) -> Result {
    if arguments.flag("--growth") {
        let part = arguments.words()?;
        return process::run(tool().arg("--growth").args(part));
    }
    let count = arguments.value("--count")?.unwrap_or(COUNT);
    let from: u64 = arguments.value("--from")?.unwrap_or(0);
    let show: Option<u64> = arguments.value("--show")?;
    arguments.finish()?;
    let mut cargo = tool();
    match show {
        Some(seed) => cargo.args(["--show", &seed.to_string()]),
        None => cargo.args(["--count", &count.to_string(), "--from", &from.to_string()]),
    };
    process::run(&mut cargo)
}

/// The program that does it.
fn tool() -> std::process::Command {
    let mut cargo = process::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "tendon-bicep-programs", "--"]);
    cargo
}
