//! `tendon rad-env`: a home folder with which `rad` uses a server.

use std::path::{Path, PathBuf};

use super::client_env::{TargetOptions, absolute, failed};
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::local_state::StateOptions;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::rad::RadServer;

/// Write a configuration that makes `rad` use a server
///
/// The folder is a home folder for `rad`, with its configuration and a kubeconfig. Source `env.sh` in it, and `rad` uses the server, with this binary
/// as its Bicep compiler. The server must run in local mode, because `rad` sends no token.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder to write; an existing configuration in it is replaced
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    target: TargetOptions,

    /// The resource group of the commands
    #[arg(long, value_name = "NAME", default_value = "default")]
    group: String,

    #[command(flatten)]
    state: StateOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon rad-env rad --state state
  tendon rad-env rad --server http://127.0.0.1:8080
  tendon rad-env rad --server https://127.0.0.1:9443 --ca server.pem --group shop";

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let url = arguments.target.url();
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if host.is_none_or(|host| host.is_empty() || host.chars().any(|c| c.is_whitespace() || c.is_control())) {
        let message =
            format!("`{url}` is not an address of the form `https://HOST:PORT` or `http://HOST:PORT`");
        return Err(CommandError::Usage(message));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if arguments.group.is_empty() || !arguments.group.chars().all(is_name) {
        let message = format!("`{}` is not the name of a resource group", arguments.group);
        return Err(CommandError::Usage(message));
    }
    let folder = absolute(&arguments.folder)?;
    let certificate = match url.starts_with("https://") {
        true => Some(arguments.target.certificate(&arguments.state)?),
        false => None,
    };
    let bicep = folder.join("bin").join("bicep");
    let target = RadServer {
        url,
        certificate: certificate.as_deref(),
        group: &arguments.group,
        folder: &folder,
        bicep: &bicep,
    };
    for (name, content) in target.files() {
        let path = folder.join(name);
        OutputFile::at(&path).write(content.as_bytes()).map_err(|error| failed(&path, &error))?;
    }
    stand_in(&bicep).map_err(|error| failed(&bicep, &error))?;
    if !common.quiet {
        streams.print(&target.lines_to_paste())?;
    }
    Ok(Exit::Fine)
}

/// Puts this program where `rad` looks for Bicep, under the name by which it knows what it is.
fn stand_in(path: &Path) -> std::io::Result<()> {
    let program = std::env::current_exe()?;
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, path)?;
    #[cfg(not(unix))]
    std::fs::copy(program, path.with_extension("exe")).map(|_| ())?;
    Ok(())
}
