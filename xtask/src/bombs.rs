//! Small templates that want all memory there is, against the real program: what `tools/bombs` does.

use std::process::Command;

use crate::{Result, process, product};

/// How many of them are thrown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    /// One for every place, at one server.
    Few,
    /// Every way to grow and every place, at servers, nodes and commands.
    Many,
    /// Every way to grow at every place.
    All,
}

/// Throws some of them, or all.
pub(crate) fn run(count: Count) -> Result {
    let built = product::built()?;
    let mut command = Command::new(built.join("tendon-bombs"));
    command.arg(built.join("tendon"));
    match count {
        Count::Few => command.args(["--quick", "--part=server", "--part=sockets"]),
        Count::Many => command.arg("--progress"),
        Count::All => command.args(["--all", "--progress"]),
    };
    println!("{}", process::shown(&command));
    process::run(&mut command)
}
