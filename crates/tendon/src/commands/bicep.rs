//! `tendon bicep`: extensions of Bicep.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bicep_types::{
    Archive, ArchiveLimits, Error, ExtensionPackage, INDEX_FILE, TypeFiles, read_index, read_types,
    write_types_archive,
};
use diagnostics::{Diagnostic, Severity, SourceMap, printable};
use radius::{Extension, RuleStage};
use registry::{Architecture, ArtifactKind, Package};
use smol_str::SmolStr;

use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::manifests::{DialectOptions, ManifestOptions, Manifests};
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::publishing;
use crate::report;

/// Build Bicep extensions
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    PublishExtension(Arguments),
}

/// Make a Bicep extension from resource types
///
/// A `bicepconfig.json` names the file, as in `{"experimentalFeaturesEnabled": {"extensibility": true},
/// "extensions": {"mycompany": "./mycompany.tgz"}}`; with `extension mycompany`, a program then has the
/// resource types with all that their schemas say.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    manifests: ManifestOptions,

    #[command(flatten)]
    target: ExtensionOutputOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon bicep publish-extension -f types.yaml --target mycompany.tgz
  tendon bicep publish-extension -f data.yaml -f compute.yaml --target mycompany.tgz --force
  tendon bicep publish-extension -f types.yaml --target mycompany.tgz --dialect radius";

/// Where an extension goes.
#[derive(Debug, clap::Args)]
pub(crate) struct ExtensionOutputOptions {
    /// The file to write, or `br:HOST/PATH:TAG` to publish to a registry
    #[arg(long, value_name = "FILE.tgz|REFERENCE")]
    target: String,

    /// Overwrite an existing tag
    #[arg(long)]
    force: bool,
}

/// Make an extension from types, and publish it
///
/// The types are those of manifests of resource types, or of an index of types with the files that it names. The target is a file, which a
/// `bicepconfig.json` can name, as in `{"experimentalFeaturesEnabled": {"extensibility": true}, "extensions": {"mycompany": "./mycompany.tgz"}}`, or a
/// place in a registry; with `extension mycompany`, a program then has the resource types with all that their schemas say.
#[derive(Debug, clap::Args)]
#[command(after_help = ANY_EXAMPLES)]
pub(crate) struct ExtensionArguments {
    /// The index, beside the files that it names
    #[arg(value_name = "INDEX.json", conflicts_with = "files", required_unless_present = "files")]
    index: Option<PathBuf>,

    /// Manifests of resource types, `.yaml`, `.yml` or `.json`; `-` is standard input
    #[arg(short = 'f', long = "from-file", value_name = "FILE")]
    files: Vec<OsString>,

    #[command(flatten)]
    dialect: DialectOptions,
    #[command(flatten)]
    target: ExtensionOutputOptions,
    #[command(flatten)]
    binaries: Binaries,
}

const ANY_EXAMPLES: &str = "\
Examples:
  tendon publish-extension -f types.yaml --target mycompany.tgz
  tendon publish-extension out/index.json --target mycompany.tgz
  tendon publish-extension out/index.json --target br:example.azurecr.io/extensions/mycompany:1.0.0
  tendon publish-extension out/index.json --target mycompany.tgz --bin-linux-x64 bin/mycompany";

/// Makes an extension from what is named.
pub(crate) fn publish_any(
    arguments: &ExtensionArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let ExtensionArguments { index, files, dialect, target, binaries } = arguments;
    match index {
        Some(index) => publish_at(index, target, binaries, common, streams),
        None if binaries.is_empty() => {
            publish_manifests(&ManifestOptions::new(files.clone(), *dialect), target, common, streams)
        }
        None => Err(CommandError::Usage(
            "programs are for extensions from an index; resource types of a manifest have none".to_owned(),
        )),
    }
}

pub(crate) fn run(command: &Command, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
    let Command::PublishExtension(arguments) = command;
    publish_manifests(&arguments.manifests, &arguments.target, common, streams)
}

fn publish_manifests(
    options: &ManifestOptions,
    target: &ExtensionOutputOptions,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let Manifests { manifests, mut findings, .. } = options.read(RuleStage::Author, &mut sources)?;
    findings.retain(|finding| finding.severity != Severity::Info);
    if !findings.is_empty() {
        report::print_findings(common, streams, &sources, &findings)?;
    }
    if findings.iter().any(Diagnostic::is_error) {
        return Ok(Exit::Input);
    }
    let extension = match Extension::of(&manifests, options.dialect()) {
        Ok(extension) => extension,
        Err(message) => {
            return streams.reject(&message);
        }
    };
    let bytes = extension.package().map_err(|error| CommandError::Environment(error.to_string()))?;
    target.write(&bytes)?;
    target.say(common, streams)?;
    Ok(Exit::Fine)
}

impl ExtensionOutputOptions {
    /// Writes an extension to a file, or publishes it.
    fn write(&self, bytes: &[u8]) -> Result<(), CommandError> {
        if publishing::is_reference(&self.target) {
            return self.publish(bytes);
        }
        let name = &self.target;
        let file = OutputFile::at(Path::new(name));
        // Without `--force`, a file that appears in between is not written over, either.
        let file = if self.force { file } else { file.new_only() };
        file.write(bytes).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                CommandError::Usage(format!("`{name}` already exists; write over it with `--force`"))
            }
            _ => CommandError::writing(&format!("`{name}`"), &error),
        })
    }

    fn publish(&self, bytes: &[u8]) -> Result<(), CommandError> {
        let target = publishing::PublishTarget::read(&self.target, ArtifactKind::Extension, Path::new("."))?;
        let package = ExtensionPackage::read(bytes, ArchiveLimits::TYPES)
            .map_err(|error| CommandError::Environment(error.to_string()))?;
        let binaries = Architecture::ALL.into_iter().filter_map(|architecture| {
            let mut named = package.binaries.iter().filter(|(platform, _)| *platform == architecture.name());
            named.next().map(|(_, bytes)| (architecture, bytes.clone()))
        });
        let binaries = binaries.collect();
        target.publish(&Package::extension(package.types, binaries, publishing::now()), self.force)
    }

    fn say(&self, common: &Common, streams: &mut Streams) -> Result<(), CommandError> {
        if common.drop_in {
            return Ok(());
        }
        let done = if publishing::is_reference(&self.target) { "published" } else { "written" };
        streams.print_done(common.quiet, &format!("{} {done}\n", printable(&self.target)))
    }
}

/// Make an extension from an index of types, and publish it
///
/// The target is a file, which a `bicepconfig.json` can name, or a place in a registry.
#[derive(Debug, clap::Args)]
#[command(after_help = INDEX_EXAMPLES)]
pub(crate) struct IndexArguments {
    /// The index, beside the files that it names
    #[arg(value_name = "INDEX.json")]
    index: Option<PathBuf>,

    #[command(flatten)]
    target: ExtensionOutputOptions,
    #[command(flatten)]
    binaries: Binaries,
}

const INDEX_EXAMPLES: &str = "\
Examples:
  tendon publish-extension out/index.json --target mycompany.tgz
  tendon publish-extension out/index.json --target br:example.azurecr.io/extensions/mycompany:1.0.0
  tendon publish-extension out/index.json --target mycompany.tgz --bin-linux-x64 bin/mycompany";

/// The programs of an extension.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Programs of the extension")]
pub(crate) struct Binaries {
    /// For Linux on x64
    #[arg(long, value_name = "FILE")]
    bin_linux_x64: Option<PathBuf>,
    /// For Linux on ARM
    #[arg(long, value_name = "FILE")]
    bin_linux_arm64: Option<PathBuf>,
    /// For macOS on x64
    #[arg(long, value_name = "FILE")]
    bin_osx_x64: Option<PathBuf>,
    /// For macOS on ARM
    #[arg(long, value_name = "FILE")]
    bin_osx_arm64: Option<PathBuf>,
    /// For Windows on x64
    #[arg(long, value_name = "FILE")]
    bin_win_x64: Option<PathBuf>,
    /// For Windows on ARM
    #[arg(long, value_name = "FILE")]
    bin_win_arm64: Option<PathBuf>,
}

impl Binaries {
    fn is_empty(&self) -> bool {
        let Binaries {
            bin_linux_x64,
            bin_linux_arm64,
            bin_osx_x64,
            bin_osx_arm64,
            bin_win_x64,
            bin_win_arm64,
        } = self;
        let all = [bin_linux_x64, bin_linux_arm64, bin_osx_x64, bin_osx_arm64, bin_win_x64, bin_win_arm64];
        all.into_iter().all(Option::is_none)
    }

    fn read(&self) -> Result<Vec<(SmolStr, Vec<u8>)>, CommandError> {
        // In the order of the kinds of machines.
        let files = [
            &self.bin_linux_x64,
            &self.bin_linux_arm64,
            &self.bin_osx_x64,
            &self.bin_osx_arm64,
            &self.bin_win_x64,
            &self.bin_win_arm64,
        ];
        let named = Architecture::ALL.iter().zip(files).filter_map(|(it, file)| Some((it, file.as_ref()?)));
        named
            .map(|(architecture, file)| {
                let bytes = files::read(file)
                    .map_err(|unread| CommandError::unread(&format!("`{}`", file.display()), &unread))?;
                Ok((architecture.name().into(), bytes))
            })
            .collect()
    }
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
pub(crate) fn publish_index(
    arguments: &IndexArguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let Some(path) = arguments.index.as_deref() else {
        let message = "name the index of the types; they are not asked of the programs of an extension";
        return Err(CommandError::Usage(message.to_owned()));
    };
    publish_at(path, &arguments.target, &arguments.binaries, common, streams)
}

fn publish_at(
    path: &Path,
    target: &ExtensionOutputOptions,
    binaries: &Binaries,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let name = path.display().to_string();
    let binaries = binaries.read()?;
    let text =
        files::read(path).map_err(|why| CommandError::Environment(format!("cannot read `{name}`: {why}")))?;
    match packed(path, &text, binaries) {
        Ok(bytes) => {
            target.write(&bytes)?;
            target.say(common, streams)?;
            Ok(Exit::Fine)
        }
        Err(why) => streams.reject(&format!("`{name}` is not an extension: {why}")),
    }
}

fn packed(path: &Path, text: &[u8], binaries: Vec<(SmolStr, Vec<u8>)>) -> Result<Vec<u8>, String> {
    let in_words = |error: Error| error.to_string();
    let index = read_index(INDEX_FILE, text).map_err(in_words)?;
    if index.settings.is_none() {
        return Err("its index has no `settings` with a name and a version".to_owned());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let types = write_types_archive(text, &Beside(folder)).map_err(in_words)?;
    let archive = Archive::read(&types, ArchiveLimits::TYPES).map_err(in_words)?;
    for path in index.paths() {
        let types = archive.get(&path).ok_or_else(|| format!("`{path}` is not there"))?;
        read_types(&path, types).map_err(in_words)?;
    }
    ExtensionPackage { types, binaries }.write().map_err(in_words)
}
