//! The `tendon` command: arguments, output, exit codes and progress around the libraries, and no logic of its own.
//!
//! Start reading at `cli` for what can be asked, at `commands` for how each question is answered. `argv0` lists the
//! names under which the binary is something else.

mod against;
mod argv0;
mod az;
mod check_output;
mod cli;
#[cfg(test)]
mod cli_page;
mod clock;
mod cloud;
mod commands;
mod common;
mod compile;
mod deploy;
mod diff;
mod drop_in;
mod envelope;
mod exit;
mod external_inputs;
mod files;
mod finding;
mod formatters;
mod go_folder;
mod help;
mod input;
mod lint_files;
mod load_error;
mod local_state;
mod log_format;
mod manifests;
mod memory_watch;
mod output;
mod output_file;
mod overrides;
mod process_memory;
mod progress;
mod project;
mod publishing;
mod rad;
mod remote;
mod report;
mod runtime;
mod state_files;
mod thrift_functions;
mod thrift_idl;
mod thriftgo_plugin;
mod unsupported_commands;
mod watch;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    argv0::run().into()
}
