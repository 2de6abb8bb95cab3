//! `bicep restore`: whether all modules and extensions of registries are there. Nothing is fetched.

use bicep::Dialect;

use crate::compile::{CompileOptions, Kind, Selection};
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Check that the modules of registries are at hand
///
/// Nothing is fetched over the network: what is missing must come from elsewhere.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    compile: CompileOptions,

    /// Accepted for compatibility
    #[arg(long, hide = true)]
    force: bool,
}

/// Names what is missing, each once.
pub(crate) fn run(arguments: &Arguments, streams: &mut Streams) -> Result<Exit, Failure> {
    let jobs = arguments.selection.jobs(Kind::Either, None)?;
    let compiler = arguments.compile.compiler(Vec::new(), Dialect::default())?;
    let mut missing = Vec::new();
    for job in &jobs {
        if compiler.file(&job.path).is_err() {
            std::fs::File::open(&job.named)
                .map_err(|error| Failure::reading(&format!("`{}`", job.named.display()), &error))?;
        }
        for (reference, folder) in compiler.unrestored(&job.path) {
            if !missing.contains(&(reference.clone(), folder.clone())) {
                missing.push((reference, folder));
            }
        }
    }
    for (reference, folder) in &missing {
        streams
            .complain(&format!("`{}` is not at `{folder}`, and nothing is fetched", reference.full_name()));
    }
    Ok(if missing.is_empty() { Exit::Fine } else { Exit::Input })
}
