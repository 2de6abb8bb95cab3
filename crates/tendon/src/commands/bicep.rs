//! `tendon bicep`: extensions of Bicep.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bicep_types::{Archive, ArchiveLimits, Error, INDEX_FILE, TypeFiles, read_index, read_types};
use diagnostics::{Diagnostic, Severity, SourceMap, printable};
use radius::{Extension, Gate};

use crate::cli::Common;
use crate::exit::{Exit, Failure};
use crate::files;
use crate::manifests::{ManifestOptions, Manifests};
use crate::output::Streams;
use crate::report;

/// Build Bicep extensions
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    PublishExtension(Arguments),
}

/// Make a Bicep extension from resource types
///
/// A `bicepconfig.json` names the file, as in `{"experimentalFeaturesEnabled": {"extensibility": true}, "extensions":
/// {"mycompany": "./mycompany.tgz"}}`; with `extension mycompany`, a program then has the resource types with all that
/// their schemas say.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    manifests: ManifestOptions,

    #[command(flatten)]
    target: Target,
}

const EXAMPLES: &str = "\
Examples:
  tendon bicep publish-extension -f types.yaml --target mycompany.tgz
  tendon bicep publish-extension -f data.yaml -f compute.yaml --target mycompany.tgz --force
  tendon bicep publish-extension -f types.yaml --target mycompany.tgz --dialect radius";

/// Where an extension goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// The file to write
    #[arg(long, value_name = "FILE.tgz")]
    target: PathBuf,

    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let Command::PublishExtension(arguments) = command;
    let mut sources = SourceMap::new();
    let Manifests { manifests, mut findings, .. } = arguments.manifests.read(Gate::Author, &mut sources)?;
    findings.retain(|finding| finding.severity != Severity::Info);
    if !findings.is_empty() {
        report::print_findings(common, streams, &sources, &findings)?;
    }
    if findings.iter().any(Diagnostic::is_error) {
        return Ok(Exit::Input);
    }
    let extension = match Extension::of(&manifests, arguments.manifests.dialect()) {
        Ok(extension) => extension,
        Err(message) => {
            streams.complain(&message);
            return Ok(Exit::Input);
        }
    };
    let bytes = extension.package().map_err(|error| Failure::Environment(error.to_string()))?;
    arguments.target.write(&bytes)?;
    if !common.quiet {
        let target = arguments.target.target.display().to_string();
        streams.print(&format!("{} written\n", printable(&target)))?;
    }
    Ok(Exit::Fine)
}

impl Target {
    fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        let name = self.target.display();
        if ["br:", "br/"].iter().any(|scheme| self.target.to_string_lossy().starts_with(scheme)) {
            return Err(Failure::Usage(format!("`{name}` is in a registry; write to a file")));
        }
        let mut options = OpenOptions::new();
        options.write(true);
        // Without `--force`, a file that appears in between is not written over, either.
        let options = if self.force { options.create(true).truncate(true) } else { options.create_new(true) };
        let written = options.open(&self.target).and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Failure::Usage(format!("`{name}` is there already; write over it with `--force`"))
            }
            _ => Failure::writing(&format!("`{name}`"), &error),
        })
    }
}

/// Make an extension from an index of types
#[derive(Debug, clap::Args)]
pub(crate) struct IndexArguments {
    /// The index, beside the files that it names
    #[arg(value_name = "INDEX.json")]
    index: OsString,

    #[command(flatten)]
    target: Target,
}

/// The files beside an index.
struct Beside<'b>(&'b Path);

impl TypeFiles for Beside<'_> {
    fn read(&self, path: &str) -> bicep_types::Result<Vec<u8>> {
        let missing = || Error::MissingFile { file: path.to_owned() };
        let inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(missing());
        }
        files::read(&self.0.join(path)).map_err(|_| missing())
    }
}

/// Packs types that others wrote, once every one of them was read.
pub(crate) fn publish_index(arguments: &IndexArguments, streams: &mut Streams) -> Result<Exit, Failure> {
    let path = Path::new(&arguments.index);
    let name = path.display().to_string();
    let text =
        files::read(path).map_err(|why| Failure::Environment(format!("cannot read `{name}`: {why}")))?;
    match packed(path, &text) {
        Ok(bytes) => {
            arguments.target.write(&bytes)?;
            Ok(Exit::Fine)
        }
        Err(why) => {
            streams.complain(&format!("`{name}` is not an extension: {why}"));
            Ok(Exit::Input)
        }
    }
}

fn packed(path: &Path, text: &[u8]) -> Result<Vec<u8>, String> {
    let in_words = |error: Error| error.to_string();
    let index = read_index(INDEX_FILE, text).map_err(in_words)?;
    if index.settings.is_none() {
        return Err("its index has no `settings` with a name and a version".to_owned());
    }
    let text = std::str::from_utf8(text).map_err(|_| "its index is not UTF-8".to_owned())?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let bytes = radius::package(text, &Beside(folder)).map_err(in_words)?;
    let archive = Archive::read_extension(&bytes, ArchiveLimits::TYPES).map_err(in_words)?;
    for path in index.paths() {
        let types = archive.get(&path).ok_or_else(|| format!("`{path}` is not there"))?;
        read_types(&path, types).map_err(in_words)?;
    }
    Ok(bytes)
}
