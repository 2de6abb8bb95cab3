//! `tendon lsp`: the language server.

mod checks;
mod tools;

use std::io;
use std::sync::Arc;

use lsp::{Machine, SessionEnd};

use crate::common::Common;
use crate::compile::{CompileOptions, CompilerParts, today};
use crate::exit::{CommandError, Exit};

/// Start the language server for editors
///
/// It speaks the Language Server Protocol over standard input and output. Editors start it; docs/editors.md says how.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Accepted for editors that name the transport; there is no other one
    #[arg(long)]
    stdio: bool,

    /// Accepted for editors that name their process
    #[arg(long = "clientProcessId", value_name = "ID", hide = true)]
    client_process_id: Option<String>,

    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon lsp
  tendon lsp --stdio
  tendon lsp --modules ~/.bicep
  tendon lsp --restore";

/// Serves one editor until it leaves.
pub(crate) fn run(arguments: &Arguments, common: &Common) -> Result<Exit, CommandError> {
    let CompilerParts { world, options, mirrors } = arguments.compile.parts(Vec::new(), common.dialect())?;
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let machine = Machine {
        world: Arc::new(world),
        options,
        today: || Some(today()),
        mirrors,
        checks: checks::CHECKS,
        version,
        tools: Some(Arc::new(tools::OnDisk { compile: arguments.compile.clone() })),
        restoring: arguments.compile.restoring(),
    };
    let ended = lsp::serve(io::stdin(), io::stdout(), machine);
    match ended {
        Ok(SessionEnd::Asked) => Ok(Exit::Fine),
        // The protocol wants it so: a client that did not say goodbye may have failed.
        Ok(SessionEnd::Left) => Ok(Exit::Input),
        Err(error) => Err(CommandError::Environment(format!("cannot start a thread: {error}"))),
    }
}
