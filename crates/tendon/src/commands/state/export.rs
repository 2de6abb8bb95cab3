//! `tendon state export`: everything that a state has, to be kept or carried elsewhere.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use store::{Backup, BackupRecord, StoreError};

use super::lines::{Header, Writer};
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::local_state::StateOptions;
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Write everything to a file, as lines of JSON that `tendon state import` reads
///
/// It is the state of one moment; servers may go on meanwhile. The key that seals secrets is not part of it: without that key, what is sealed
/// stays so. To look at a state, use `tendon state list -o json` and `tendon state show`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file to write; `-` for standard output
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    state: StateOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon state export backup.jsonl
  tendon state export --state ./state | gzip > backup.jsonl.gz
  tendon state export --state ./state - | tendon state import \\
    --database postgres://tendon@db.example/tendon -";

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let store = arguments.state.open()?;
    let key = arguments.state.key_file()?;
    let check = store::kept_key_check(&*store).map_err(broken)?;
    let header = Header::new(match check {
        Some(check) => Some(check),
        None => arguments.state.key_check()?,
    });
    let rows = if arguments.file == Path::new("-") {
        streams.flush()?;
        let (mut out, rows) = write(&*store, &header, BufWriter::new(io::stdout()), "standard output")?;
        out.flush().map_err(|error| CommandError::writing("standard output", &error))?;
        rows
    } else {
        to_file(&*store, &header, &arguments.file)?
    };
    if !common.quiet {
        let note = match &header.key_check {
            Some(_) => format!("; the key `{}` is not part of them, keep it as well", key.display()),
            None => String::new(),
        };
        streams.print_error(&format!("{rows} rows were exported{note}\n"))?;
    }
    Ok(Exit::Fine)
}

pub(super) fn broken(error: impl std::fmt::Display) -> CommandError {
    CommandError::Environment(error.to_string())
}

/// Writes a file that is whole or not there, and that only its owner can read.
fn to_file(store: &dyn Backup, header: &Header, file: &Path) -> Result<u64, CommandError> {
    let shown = format!("`{}`", file.display());
    let failed = |error: io::Error| CommandError::writing(&shown, &error);
    let draft = OutputFile::at(file).private().begin().map_err(failed)?;
    let (out, rows) = write(store, header, BufWriter::with_capacity(1 << 18, draft), &shown)?;
    let draft = out.into_inner().map_err(|error| failed(error.into_error()))?;
    draft.finish().map_err(failed)?;
    Ok(rows)
}

fn write<W: Write + Send>(
    store: &dyn Backup,
    header: &Header,
    out: W,
    shown: &str,
) -> Result<(W, u64), CommandError> {
    let failed = |error: &io::Error| CommandError::writing(shown, error);
    let mut writer = Writer::new(out, header).map_err(|error| failed(&error))?;
    let mut unwritten = None;
    let exported = store.export(&mut |row| {
        // The header tells the key.
        if matches!(&row, BackupRecord::Resource(resource) if store::is_key_check(resource)) {
            return Ok(());
        }
        writer.row(row).map_err(|error| {
            let said = StoreError::Source(error.to_string());
            unwritten = Some(error);
            said
        })
    });
    match (exported, unwritten) {
        (_, Some(error)) => Err(failed(&error)),
        (Err(error), None) => Err(broken(error)),
        (Ok(()), None) => writer.end().map_err(|error| failed(&error)),
    }
}
