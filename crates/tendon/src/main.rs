//! The `tendon` command: arguments, output, exit codes and progress around the libraries, and no logic of its own.
//!
//! Start reading at `cli` for what can be asked, at `commands` for how each question is answered. `called_as` lists the
//! names under which the binary is something else.

mod against;
mod az;
mod called_as;
mod cli;
mod cloud;
mod commands;
mod compile;
mod deploy;
mod diff;
mod drop_in;
mod exit;
mod external_inputs;
mod files;
mod finding;
mod input;
mod manifests;
mod missing;
mod output;
mod overrides;
mod progress;
mod publishing;
mod rad;
mod remote;
mod report;
mod runtime;
mod thriftgo_plugin;
mod verdicts;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    called_as::run().into()
}
