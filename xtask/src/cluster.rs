//! Three real nodes that are killed while they deploy: what `tools/cluster` does.

use std::process::Command;

use crate::{Result, process, product};

pub(crate) fn run() -> Result {
    let built = product::built()?;
    let mut command = Command::new(built.join("tendon-cluster"));
    command.arg(built.join("tendon")).args(["--deployments", "2000"]);
    println!("{}", process::shown(&command));
    process::run(&mut command)
}
