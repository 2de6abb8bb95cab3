//! `tendon completions`: lets a shell complete commands and options.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Print a script that lets a shell complete tendon's commands and options
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  tendon completions bash > ~/.local/share/bash-completion/completions/tendon
  tendon completions zsh > ~/.zfunc/_tendon
  tendon completions fish > ~/.config/fish/completions/tendon.fish
  tendon completions powershell | Out-String | Invoke-Expression";

/// Prints the script.
pub(crate) fn run(arguments: &Arguments, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "tendon", &mut script);
    streams.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
