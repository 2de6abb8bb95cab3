//! Values that break their contracts, at every boundary of the real program: what `tools/boundaries` does.

use std::process::Command;

use crate::{Result, process, product};

/// Runs the matrix: some cells, which cover every pair of a boundary and a class of attacks, or all of them.
pub(crate) fn run(all: bool) -> Result {
    let built = product::built()?;
    let mut command = Command::new(built.join("tendon-boundaries"));
    command.arg(built.join("tendon"));
    if all {
        command.args(["--all", "--progress"]);
    }
    println!("{}", process::shown(&command));
    process::run(&mut command)
}
