//! Small templates that want all memory there is, against the real program: what `tools/bombs` does.

use std::process::Command;

use crate::{Result, process, product};

/// Throws some of them, which cover every way to grow and every place, or all.
pub(crate) fn run(all: bool) -> Result {
    let built = product::built()?;
    let mut command = Command::new(built.join("tendon-bombs"));
    command.arg(built.join("tendon"));
    if all {
        command.args(["--all", "--progress"]);
    }
    println!("{}", process::shown(&command));
    process::run(&mut command)
}
