//! `tendon state import`: what `tendon state export` wrote becomes the state.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use store::{Row, StoreError};

use super::export::broken;
use super::lines::Reader;
use crate::cli::Common;
use crate::deploy::StateOptions;
use crate::exit::{Exit, Failure};
use crate::output::Streams;

/// Read everything that `tendon state export` wrote into an empty state
///
/// Either all of it is imported, or nothing. Deployments that were still running are resumed by the next server, or by `tendon deploy --resume`; the key that sealed
/// their secrets has to be there, too.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file to read; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Delete what the state has now
    #[arg(long)]
    replace: bool,
    /// Go on with another key than the one that sealed the secrets; they are lost
    #[arg(long)]
    other_key: bool,
    #[command(flatten)]
    state: StateOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state import backup.jsonl --state ./state
  gunzip < backup.jsonl.gz | tendon state import -
  tendon state import backup.jsonl --database postgres://tendon@db.example/tendon \\
    --seal-key seal.key
  tendon state import backup.jsonl --replace";

/// Runs the command.
pub(super) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let is_input = arguments.file == Path::new("-");
    let shown =
        if is_input { "standard input".to_owned() } else { format!("`{}`", arguments.file.display()) };
    let input: Box<dyn BufRead + Send> = if is_input {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let opened = File::open(&arguments.file).map_err(|error| Failure::reading(&shown, &error))?;
        Box::new(BufReader::with_capacity(1 << 18, opened))
    };
    let wrong = |why: String| Failure::Environment(format!("{shown} cannot be imported: {why}"));
    let (mut reader, header) = Reader::new(input).map_err(wrong)?;
    let store = arguments.state.open()?;
    let here = arguments.state.key_check()?;
    let key = arguments.state.key_file()?;
    if let (Some(needed), Some(here)) = (&header.key_check, &here)
        && needed != here
        && !arguments.other_key
    {
        let key = key.display();
        let message = format!(
            "what is sealed in it was sealed with another key than `{key}`; copy the key that belongs to it there, name it with `--seal-key`, or lose the secrets with `--other-key`"
        );
        return Err(wrong(message));
    }
    // From now on the state belongs to that key.
    let check = if arguments.other_key { None } else { header.key_check.as_deref() };
    let mut kept = check.map(|check| Ok(Row::Resource(store::key_check_record(check)))).into_iter();
    let mut rows = kept.by_ref().chain(reader.by_ref());
    let count = store.import(&mut rows, arguments.replace).map_err(|error| match error {
        StoreError::Source(why) => wrong(why),
        StoreError::NotEmpty => Failure::Environment(format!("{error}; `--replace` deletes that first")),
        other => broken(other),
    })?;
    let rows = count - u64::from(check.is_some());
    if !common.quiet {
        streams.print(&format!("{rows} rows were imported\n"))?;
        if check.is_some() && here.is_none() {
            let note = format!(
                "copy the key that belongs to them to `{}` before the state is used\n",
                key.display()
            );
            streams.print(&note)?;
        }
    }
    Ok(Exit::Fine)
}
