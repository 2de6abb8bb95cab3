//! `tendon man`: the help as manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Write the help of all commands as manual pages, one file for each
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder to write to; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  tendon man ~/.local/share/man/man1
  tendon man ./man
  tendon man /usr/local/share/man/man1 -q";

/// Writes the pages of the whole command line.
pub(crate) fn run(
    arguments: &Arguments,
    mut command: clap::Command,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let folder = &arguments.folder;
    fs::create_dir_all(folder)
        .map_err(|error| CommandError::writing(&format!("`{}`", folder.display()), &error))?;
    command.build();
    let count = write(&command, "tendon", folder)?;
    if !common.quiet {
        streams.print(&format!("{count} pages written to {}\n", folder.display()))?;
    }
    Ok(Exit::Fine)
}

/// Writes the page of a command and those of its subcommands; how many.
fn write(command: &clap::Command, name: &str, folder: &Path) -> Result<usize, CommandError> {
    let file = folder.join(format!("{name}.1"));
    let mut text = Vec::new();
    let failed = |error: std::io::Error| CommandError::writing(&format!("`{}`", file.display()), &error);
    let page = clap_mangen::Man::new(command.clone());
    page.render(&mut text).map_err(failed)?;
    OutputFile::at(&file).write(&text).map_err(failed)?;
    let inner = command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help");
    inner
        .map(|inner| write(inner, &format!("{name}-{}", inner.get_name()), folder))
        .sum::<Result<usize, _>>()
        .map(|more| more + 1)
}
