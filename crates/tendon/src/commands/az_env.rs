//! `tendon az-env`: a folder of configuration with which `az` is logged in to a server.

use std::path::PathBuf;

use super::client_env::{TargetOptions, absolute, failed};
use crate::az;
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::local_state::StateOptions;
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Write a configuration that logs `az` in to a server
///
/// The folder is for `AZURE_CONFIG_DIR`; your own configuration of `az` stays as it is. Source `env.sh` in it, and `az` uses the server.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder to write; an existing configuration of `az` in it is replaced
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    target: TargetOptions,

    /// The file with a token of `tendon token create`, for a server with `--auth token`
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    #[command(flatten)]
    state: StateOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon az-env az
  tendon az-env az --state state
  tendon az-env az --server https://127.0.0.1:9443 --ca server.pem";

/// How long a token may be.
const LONGEST_TOKEN: usize = 64 * 1024;

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let url = arguments.target.url();
    if !url.starts_with("https://") || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let message = format!(
            "`{url}` is not an address of the form `https://HOST:PORT`; az sends no token without TLS"
        );
        return Err(CommandError::Usage(message));
    }
    let certificate = arguments.target.certificate(&arguments.state)?;
    let secret = match &arguments.token_file {
        Some(file) => {
            let content = files::read_any(file, LONGEST_TOKEN)
                .map_err(|error| CommandError::Environment(format!("`{}`: {error}", file.display())))?;
            String::from_utf8_lossy(&content).trim().to_owned()
        }
        None => az::LOCAL_SECRET.to_owned(),
    };
    let folder = absolute(&arguments.folder)?;
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    // Tokens that it has are for the server that was there before.
    for stale in ["msal_token_cache.json", "msal_http_cache.bin"] {
        let _ = std::fs::remove_file(folder.join(stale));
    }
    for (name, content) in az::files(url, &certificate, &folder, &secret) {
        let path = folder.join(name);
        OutputFile::at(&path).private().write(content.as_bytes()).map_err(|error| failed(&path, &error))?;
    }
    if !common.quiet {
        let env = folder.join("env.sh");
        streams.print(&format!(
            "`az` is logged in to {url} after:\n  . {}\n",
            az::quoted(&env.display().to_string())
        ))?;
    }
    Ok(Exit::Fine)
}
