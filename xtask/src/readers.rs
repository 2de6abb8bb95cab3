//! Messages that the validator lets pass, decoded by other people's readers: what `tools/thrift-readers` does.
//!
//! The readers in Python share their environment with the clients of the proxy, and what is built for those in Rust is
//! shared with the tests of generated code.

use std::process::Command;

use crate::{Result, clients, process, product};

/// Makes so many messages and shows those that pass to all readers.
pub(crate) fn run(messages: u32) -> Result {
    let target = product::target()?;
    let python = clients::environment(&target)?;
    let mut command = Command::new(product::built()?.join("tendon-thrift-readers"));
    command.args(["--messages", &messages.to_string()]).arg("--python").arg(python);
    command.arg("--work").arg(target.join("readers"));
    command.arg("--cargo-target").arg(target.join("tmp/generated-rust/target"));
    println!("{}", process::shown(&command));
    process::run(&mut command)
}
