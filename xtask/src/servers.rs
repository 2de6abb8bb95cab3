//! Connections through the proxy to other people's servers: what `tools/thrift-servers` does.
//!
//! The servers in Python share their environment with the clients of the proxy.

use std::process::Command;

use crate::{Result, clients, process, product};

/// Sends so many connections to each server.
pub(crate) fn run(connections: u32) -> Result {
    let target = product::target()?;
    let python = clients::environment(&target)?;
    let mut command = Command::new(product::built()?.join("tendon-thrift-servers"));
    command.args(["--connections", &connections.to_string()]).arg("--python").arg(python);
    command.arg("--work").arg(target.join("servers"));
    command.arg("--cargo-target").arg(target.join("tmp/generated-rust/target"));
    println!("{}", process::shown(&command));
    process::run(&mut command)
}
