//! `tendon completions`: lets a shell complete commands and options.

use clap_complete::Shell;

use crate::exit::{CommandError, Exit};
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

/// Prints the script for the whole command line.
pub(crate) fn run(
    arguments: &Arguments,
    commands: &mut clap::Command,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, commands, "tendon", &mut script);
    streams.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
