//! `tendon state import`: what `tendon state export` wrote becomes the state.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use contract::{Admitted, Boundary, OpenTerms};
use store::{BackupRecord, Resource, StoreError};

use super::export::broken;
use super::gate::{ImportGate, QUARANTINE, QUARANTINED, Runs, shortened};
use super::lines::{Header, Reader, line_text};
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::local_state::StateOptions;
use crate::output::Streams;
use crate::output_file;

/// Read everything that `tendon state export` wrote into an empty state
///
/// Either all of it is imported, or nothing. Each row is checked as if somebody had just put it: a resource that breaks its type is
/// refused with its line. Deployments that were still running are resumed by the next server, or by `tendon deploy --resume`; the key
/// that sealed their secrets has to be there, too.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file to read; `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Delete what the state has now
    #[arg(long)]
    replace: bool,
    /// Import the rest of a file of which some rows are wrong; those are kept in the state where only `tendon state export` sees them
    #[arg(long)]
    quarantine: bool,
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
  tendon state import backup.jsonl --replace
  tendon state import backup.jsonl --quarantine";

/// How many rows that are wrong are listed.
const LISTED: usize = 1_000;

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let is_input = arguments.file == Path::new("-");
    let shown =
        if is_input { "standard input".to_owned() } else { format!("`{}`", arguments.file.display()) };
    let mut source = if is_input {
        ExportFile::copied(&mut io::stdin().lock())?
    } else {
        ExportFile::open(&arguments.file, &shown)?
    };
    let wrong = |why: String| CommandError::Input(format!("{shown} cannot be imported: {why}"));
    let (reader, header) = Reader::new(source.lines()?).map_err(wrong)?;
    let (types, mut runs) = known(reader).map_err(wrong)?;
    if runs.has_resumed() {
        let (reader, _) = Reader::new(source.lines()?).map_err(wrong)?;
        reader.flatten().for_each(|row| runs.note_part(row));
    }
    let gate = ImportGate::new(types, runs)?;
    let store = arguments.state.open()?;
    let here = arguments.state.key_check()?;
    let key = arguments.state.key_file()?;
    if let (Some(needed), Some(here)) = (&header.key_check, &here)
        && needed != here
        && !arguments.other_key
    {
        let key = key.display();
        return Err(CommandError::Environment(format!(
            "{shown} cannot be imported: what is sealed in it was sealed with another key than `{key}`; copy the key that belongs to it there, name it with `--seal-key`, or lose the secrets with `--other-key`"
        )));
    }
    // From now on the state belongs to that key.
    let check = if arguments.other_key { None } else { header.key_check.as_deref() };
    let own = |check| {
        OpenTerms::admit(Boundary::ImportedRecord, BackupRecord::Resource(store::key_check_record(check)))
    };
    let mut kept = check.map(|check| Ok(own(check))).into_iter();
    let (reader, _): (_, Header) = Reader::new(source.lines()?).map_err(wrong)?;
    let mut checked = Checked { reader, gate, quarantine: arguments.quarantine, refused: Refused::default() };
    let mut rows = kept.by_ref().chain(checked.by_ref());
    let imported = store.import(&mut rows, arguments.replace);
    drop(rows);
    let refused = checked.refused;
    if imported.is_err() && refused.count > 0 {
        let told = refused.told("nothing was imported; `--quarantine` imports the others");
        streams.print_error(&format!("error: {shown} cannot be imported: {told}\n"))?;
        return Ok(Exit::Input);
    }
    let count = imported.map_err(|error| match error {
        StoreError::Source(why) => wrong(why),
        StoreError::NotEmpty => CommandError::Environment(format!("{error}; `--replace` deletes that first")),
        other => broken(other),
    })?;
    let rows = count - u64::from(check.is_some()) - refused.count;
    streams.print_done(common.quiet, &format!("{rows} rows were imported\n"))?;
    if check.is_some() && here.is_none() {
        let note =
            format!("copy the key that belongs to them to `{}` before the state is used\n", key.display());
        streams.print_done(common.quiet, &note)?;
    }
    if refused.count > 0 {
        streams.print_error(&format!(
            "{}\n",
            refused.told("they are in quarantine, where only `tendon state export` sees them")
        ))?;
    }
    Ok(Exit::Fine)
}

/// Lets the rows of an export in, all or none of them.
pub(in crate::commands) fn admit_export(text: &[u8]) -> Result<Vec<Admitted<BackupRecord>>, String> {
    let (reader, _) = Reader::new(text)?;
    let (types, mut runs) = known(reader)?;
    if runs.has_resumed() {
        let (reader, _) = Reader::new(text)?;
        reader.flatten().for_each(|row| runs.note_part(row));
    }
    let gate = ImportGate::new(types, runs).map_err(|error| error.to_string())?;
    let (reader, _) = Reader::new(text)?;
    let mut checked = Checked { reader, gate, quarantine: false, refused: Refused::default() };
    let rows: store::Result<Vec<_>> = checked.by_ref().collect();
    match checked.refused.count {
        0 => rows.map_err(|error| error.to_string()),
        _ => Err(checked.refused.told("nothing of them is taken")),
    }
}

/// An export that is read twice: for the types that it brings, and for all of it.
struct ExportFile {
    file: File,
    /// The copy to be removed behind it.
    copy: Option<PathBuf>,
}

impl ExportFile {
    fn open(path: &Path, shown: &str) -> Result<ExportFile, CommandError> {
        let file = File::open(path).map_err(|error| CommandError::reading(shown, &error))?;
        // What is no file of the disk, such as a pipe, cannot be read twice.
        let is_plain = file.metadata().is_ok_and(|it| it.is_file());
        if is_plain { Ok(ExportFile { file, copy: None }) } else { ExportFile::copied(&mut { file }) }
    }

    /// A copy of what can be read only once, which nobody else can read.
    fn copied(input: &mut dyn io::Read) -> Result<ExportFile, CommandError> {
        let failed = |error: io::Error| CommandError::reading("what is imported", &error);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("tendon-import-{}-{}", std::process::id(), now.as_nanos());
        let path = std::env::temp_dir().join(name);
        let file = output_file::scratch(&path).map_err(failed)?;
        let mut source = ExportFile { file, copy: Some(path) };
        io::copy(input, &mut source.file).map_err(failed)?;
        Ok(source)
    }

    /// All lines, from the first.
    fn lines(&mut self) -> Result<BufReader<&File>, CommandError> {
        let failed = |error: io::Error| CommandError::reading("what is imported", &error);
        self.file.seek(SeekFrom::Start(0)).map_err(failed)?;
        Ok(BufReader::with_capacity(1 << 18, &self.file))
    }
}

impl Drop for ExportFile {
    fn drop(&mut self) {
        if let Some(copy) = &self.copy {
            // Nobody reads it again, and nobody can be told.
            let _ = fs::remove_file(copy);
        }
    }
}

/// The records of the types in an export, and its runs. What is wrong with its lines is said now, before anything is written.
fn known(reader: Reader<impl BufRead>) -> Result<(Vec<Resource>, Runs), String> {
    let (mut types, mut runs) = (Vec::new(), Runs::default());
    for row in reader {
        let row = row.map_err(|error| match error {
            StoreError::Source(why) => why,
            other => other.to_string(),
        })?;
        runs.note(&row);
        if let BackupRecord::Resource(resource) = row
            && ImportGate::is_type(&resource.id)
        {
            types.push(resource);
        }
    }
    Ok((types, runs))
}

/// Rows that were not let in.
#[derive(Default)]
struct Refused {
    count: u64,
    /// What is said of the first of them.
    told: Vec<String>,
}

impl Refused {
    fn add(&mut self, line: u64, row: &BackupRecord, flaws: &[String]) {
        self.count += 1;
        if self.told.len() < LISTED {
            let what = name(row);
            self.told.extend(flaws.iter().map(|flaw| format!("  line {line}: {what}: {flaw}")));
        }
    }

    fn told(&self, then: &str) -> String {
        let rows = if self.count == 1 { "1 row is".to_owned() } else { format!("{} rows are", self.count) };
        format!("{rows} not what a state can have; {then}\n{}", self.told.join("\n"))
    }
}

/// What people call a row.
fn name(row: &BackupRecord) -> String {
    shortened(&match row {
        BackupRecord::Deployment { deployment, .. } => {
            format!("the deployment `{}` in `{}`", deployment.key.name(), deployment.key.scope())
        }
        BackupRecord::Step(step) => format!("the step {} of the run {:032x}", step.number, step.run.0),
        BackupRecord::Operation(operation) => {
            format!("the operation {} of the run {:032x}", operation.number, operation.run.0)
        }
        BackupRecord::Blob { run, name, .. } => format!("`{name}` of the run {:032x}", run.0),
        BackupRecord::Resource(resource) => format!("`{}`", resource.id),
    })
}

/// The rows of an export that may come in. What may not is put aside; if that is not wanted, the last thing they say is an error.
struct Checked<R> {
    reader: Reader<R>,
    gate: ImportGate,
    quarantine: bool,
    refused: Refused,
}

impl<R: BufRead> Iterator for Checked<R> {
    type Item = store::Result<Admitted<BackupRecord>>;

    fn next(&mut self) -> Option<store::Result<Admitted<BackupRecord>>> {
        loop {
            let row = match self.reader.next() {
                Some(Ok(row)) => row,
                Some(Err(error)) => return Some(Err(error)),
                None if self.refused.count > 0 && !self.quarantine => {
                    return Some(Err(StoreError::Source("some rows are wrong".to_owned())));
                }
                None => return None,
            };
            let refusal = match self.gate.enter(row) {
                Ok(row) => return Some(Ok(row)),
                Err(refusal) => *refusal,
            };
            let line = self.reader.line();
            self.refused.add(line, &refusal.row, &refusal.flaws);
            if self.quarantine {
                let text = line_text(refusal.row).map_err(|error| StoreError::Source(error.to_string()));
                let name = format!("{QUARANTINED}{line}");
                let aside = |bytes| BackupRecord::Blob { run: QUARANTINE, name, bytes };
                return Some(text.map(|bytes| OpenTerms::admit(Boundary::ImportedRecord, aside(bytes))));
            }
        }
    }
}
