//! Small templates that want all memory there is, against the real program in little memory.
//!
//! [`table`] generates them: every way in which an expression grows, at every place where it may stand. [`server`] sends them to a server
//! while somebody else goes on working, [`nodes`] to three nodes on one PostgreSQL, [`requests`] sends every request of the server with bodies and paths
//! that are no templates, [`sockets`] connections that are no clients, [`storm`] sends them many times at once, [`stored`] stores large things and reads them in every way,
//! [`commands`] gives bombs to the command line.

pub mod commands;
pub mod nodes;
pub mod requests;
pub mod server;
pub mod sockets;
pub mod stored;
pub mod storm;
pub mod table;

/// What went wrong, in words.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The address space that every process has, in KiB: a gibibyte.
pub const ADDRESS_SPACE: u64 = 1 << 20;

/// A command in little memory.
pub(crate) fn confined(program: &std::path::Path) -> std::process::Command {
    let mut command = std::process::Command::new("sh");
    let script = format!("ulimit -c 0; ulimit -v {ADDRESS_SPACE} && exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(program);
    // An allocator that keeps a reserve for each thread needs more addresses than memory.
    command.env("MALLOC_ARENA_MAX", "2");
    command
}
