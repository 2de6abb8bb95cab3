//! `tendon types`: resource types for the compiler.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep_types::{INDEX_FILE, PackBuilder, TypeStore, read_index};
use serde::Serialize;

use crate::common::{Common, Output};
use crate::compile::{default_types, folder_source};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::report;

/// Pack resource types for the compiler
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Pack(PackArguments),
}

/// Pack a folder of bicep-types into one file that opens at once
///
/// The folder holds files named `types.json`, at any depth, and may hold an `index.json`; without one, the index is made from
/// what is in the files. The result is where `build` and `lint` look for it, unless an option says otherwise.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PackArguments {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The file to write; the default is `types.pack` in the user's data folder
    #[arg(long, value_name = "FILE")]
    outfile: Option<PathBuf>,

    /// Leave out the descriptions of types and properties, which the compiler does not need
    #[arg(long)]
    no_descriptions: bool,
}

const EXAMPLES: &str = "\
Examples:
  tendon types pack bicep-types-az/generated
  tendon types pack bicep-types-az/generated --outfile az.pack
  TENDON_TYPES=az.pack tendon build main.bicep";

/// The files that hold types.
const TYPES_FILE: &str = "types.json";

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    match command {
        Command::Pack(arguments) => pack_folder(arguments, common, streams),
    }
}

fn pack_folder(
    arguments: &PackArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let folder = &arguments.folder;
    let shown = format!("`{}`", folder.display());
    let target = arguments.outfile.clone().or_else(default_types).ok_or_else(|| {
        CommandError::Usage(
            "there is no data folder on this machine, name the file with `--outfile`".to_owned(),
        )
    })?;
    let mut paths = Vec::new();
    find_files(folder, "", &mut paths).map_err(|error| CommandError::reading(&shown, &error))?;
    if paths.is_empty() {
        return Err(CommandError::Environment(format!("there are no files named `{TYPES_FILE}` in {shown}")));
    }
    let broken =
        |error: bicep_types::Error| CommandError::Environment(format!("cannot pack {shown}: {error}"));
    let index = match files::read(&folder.join(INDEX_FILE)) {
        Ok(json) => Some(read_index(INDEX_FILE, &json).map_err(broken)?),
        Err(unread) if unread.is_missing() => None,
        Err(unread) => return Err(CommandError::unread(&format!("the `{INDEX_FILE}` of {shown}"), &unread)),
    };
    let source = folder_source(folder.clone());
    let names: Vec<_> = paths.iter().map(|path| path.as_str().into()).collect();
    let mut builder = PackBuilder::new();
    if arguments.no_descriptions {
        builder = builder.without_descriptions();
    }
    let bytes = builder.pack(&names, &source, index.as_ref()).map_err(broken)?;
    let size = bytes.len();
    OutputFile::at(&target)
        .write(&bytes)
        .map_err(|error| CommandError::writing(&format!("`{}`", target.display()), &error))?;
    let resource_types = TypeStore::from_pack(Arc::new(bytes))
        .map_err(|error| CommandError::Environment(format!("cannot read what was packed: {error}")))?;
    let record = PackRecord {
        file: target.to_string_lossy().into_owned(),
        bytes: size,
        type_files: paths.len(),
        resource_types: resource_types.names("").count(),
    };
    match common.output {
        Output::Json => streams.print_result(&report::json_text(&record)?)?,
        Output::Text if common.quiet => {}
        Output::Text => {
            let PackRecord { file, bytes, type_files, resource_types } = &record;
            let text =
                format!("{file}: {resource_types} resource types of {type_files} files in {bytes} bytes\n");
            streams.print(&text)?;
        }
    }
    Ok(Exit::Fine)
}

/// The JSON form of the result.
#[derive(Serialize)]
struct PackRecord {
    file: String,
    bytes: usize,
    type_files: usize,
    resource_types: usize,
}

/// Finds type files; paths are relative to the root, with `/` between their parts.
fn find_files(root: &Path, below: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in std::fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if entry.file_type()?.is_dir() {
            find_files(root, &path, paths)?;
        } else if name == TYPES_FILE {
            paths.push(path);
        }
    }
    Ok(())
}
