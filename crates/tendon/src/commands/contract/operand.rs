//! The operands of a comparison: files, files as a git revision has them, and modules of registries.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use bicep::Dialect;
use bicep::files::RestoreFailure;
use diagnostics::{Diagnostic, SourceMap};

use crate::against::{self, Crossing, Reference, ThriftOptions};
use crate::common::Common;
use crate::compile::{CompileOptions, disk};
use crate::exit::CommandError;
use crate::input;
use crate::output::Streams;

/// One of the two contracts.
pub(super) struct Operand {
    /// How it was named.
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) crossings: Vec<Crossing>,
    /// What is wrong with it; empty unless it cannot be compared.
    pub(super) errors: Vec<Diagnostic>,
}

/// A folder that is removed when nobody needs it any more.
pub(super) struct Checkout(Option<PathBuf>);

impl Drop for Checkout {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            // What cannot be removed from a folder for such things is left to the system.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

impl Operand {
    /// Loads a contract with its boundaries.
    pub(super) fn load(
        argument: &OsStr,
        position: usize,
        thrift: &ThriftOptions,
        common: &Common,
        streams: &Streams,
        sources: &mut SourceMap,
    ) -> Result<(Operand, Checkout), CommandError> {
        let name = input::display_name(argument);
        let is_file = Path::new(argument).exists();
        let revision = name.strip_prefix("git:").filter(|_| !is_file);
        let (file, checkout) = match revision {
            Some(revision) => {
                let (file, folder) = checked_out(revision, position)?;
                (file, Checkout(Some(folder)))
            }
            None if !is_file && (name.starts_with("br:") || name.starts_with("br/")) => {
                (module(&name, common, streams)?, Checkout(None))
            }
            None => (main_file(argument), Checkout(None)),
        };
        let reference = Reference::parse(&file);
        let before = sources.len();
        let loaded = against::load_whole(&reference, thrift, sources)?;
        let mut operand = Operand { name, kind: "jsonschema", crossings: Vec::new(), errors: Vec::new() };
        operand.kind = kind(&reference, before, sources);
        match loaded {
            Ok(against) => {
                operand.crossings = against.boundaries(&file, thrift, sources)?;
                // A file of a revision is shown as it was named.
                let plain = |text: &str| text.split('#').next().unwrap_or_default().to_owned();
                let (laid_out, named) = (plain(&file.to_string_lossy()), plain(&operand.name));
                for crossing in &mut operand.crossings {
                    crossing.reference = crossing.reference.replacen(&laid_out, &named, 1);
                }
            }
            Err(errors) => operand.errors = errors,
        }
        Ok((operand, checkout))
    }
}

/// The program or template that a folder is about; anything else stays as it is.
fn main_file(argument: &OsStr) -> OsString {
    let folder = Path::new(argument);
    let named = ["main.bicep", "main.json"].map(|name| folder.join(name));
    let found = named.into_iter().find(|file| folder.is_dir() && file.is_file());
    found.map_or_else(|| argument.to_owned(), PathBuf::into_os_string)
}

/// The template of a module, fetched from its registry unless it is there already.
pub(crate) fn module(name: &str, common: &Common, streams: &Streams) -> Result<OsString, CommandError> {
    let (reference, fragment) = match name.rsplit_once('#') {
        Some((reference, fragment)) => (reference, Some(fragment)),
        None => (name, None),
    };
    if reference.contains(['\'', '\n', '$', '\\']) {
        return Err(CommandError::Usage(format!("`{reference}` is no reference to a module")));
    }
    // A program that has nothing but the module, where aliases mean what they mean to programs here.
    let entry = disk::file_path(Path::new("contract-operand.bicep"));
    let text = format!("module operand '{reference}' = {{\n  name: 'operand'\n}}\n");
    let changed = vec![(entry.clone(), text.into_bytes().into())];
    let options = CompileOptions::plain();
    let mut restore = options.restore_if(true, common, streams);
    let compiler = restore.compiler(std::slice::from_ref(&entry), changed, Dialect::default())?;
    let file = compiler.program_files(&entry).into_iter().find(|file| *file != entry);
    let Some(file) = file else {
        let why = restore.failures.values().next().map_or_else(
            || "it is not the reference of a module".to_owned(),
            |failure| match failure {
                RestoreFailure::Untrusted => "its registry is not one that is asked".to_owned(),
                RestoreFailure::Failed(why) => why.clone(),
            },
        );
        return Err(CommandError::Environment(format!("cannot read `{reference}`: {why}")));
    };
    let mut named = OsString::from(file.as_str());
    if let Some(fragment) = fragment {
        named.push("#");
        named.push(fragment);
    }
    Ok(named)
}

/// Loads a contract and says what kind it is.
pub(super) fn kind_of(
    reference: &Reference,
    thrift: &ThriftOptions,
    sources: &mut SourceMap,
) -> Result<(&'static str, against::Loaded), CommandError> {
    let before = sources.len();
    let loaded = against::load_whole(reference, thrift, sources)?;
    Ok((kind(reference, before, sources), loaded))
}

/// What kind of contract a file is.
fn kind(reference: &Reference, before: usize, sources: &SourceMap) -> &'static str {
    match input::extension(&reference.file).as_deref() {
        Some("bicep") => return "bicep",
        Some("thrift") => return "thrift",
        _ => {}
    }
    let text = u32::try_from(before).ok().and_then(|id| sources.text(diagnostics::FileId(id)));
    let text = text.map(|text| text.to_ascii_lowercase()).unwrap_or_default();
    let has = |word: &str| text.contains(word);
    if has("deploymenttemplate.json") {
        "arm"
    } else if has("\"openapi\"") || text.starts_with("openapi:") || has("\nopenapi:") {
        "openapi"
    } else if (has("namespace:") && has("types:")) || (has("\"namespace\"") && has("\"types\"")) {
        "radius"
    } else {
        "jsonschema"
    }
}

/// A file of a revision, laid out in a folder of its own with everything beside it.
fn checked_out(revision: &str, position: usize) -> Result<(OsString, PathBuf), CommandError> {
    let usage = || {
        CommandError::Usage(format!(
            "`git:{revision}` has no revision or no path; write `git:main:path/to/file`"
        ))
    };
    let (commit, path) = revision.split_once(':').ok_or_else(usage)?;
    if commit.is_empty() || path.is_empty() || commit.starts_with('-') {
        return Err(usage());
    }
    let (path, fragment) = match path.rsplit_once('#') {
        Some((path, fragment)) => (path, Some(fragment)),
        None => (path, None),
    };
    // A path is one of the folder that the command runs in, as it is of the other operand.
    let inside = git(&["rev-parse", "--show-prefix"])?;
    let inside = String::from_utf8_lossy(&inside).trim().to_owned();
    let folder = std::env::temp_dir().join(format!("tendon-diff-{}-{position}", std::process::id()));
    let failed = |error: &std::io::Error| CommandError::reading("the revision", error);
    std::fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    let alone =
        ["json", "yaml", "yml"].contains(&input::extension(OsStr::new(path)).unwrap_or_default().as_str());
    let file = folder.join(path);
    let result = if alone {
        let content = git(&["show", &format!("{commit}:./{path}")])?;
        file.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| crate::output_file::OutputFile::at(&file).write(&content))
            .map_err(|error| failed(&error))
    } else {
        unpacked(commit, &folder)
    };
    if let Err(error) = result {
        let _ = std::fs::remove_dir_all(&folder);
        return Err(error);
    }
    let file = if alone { file } else { folder.join(inside).join(path) };
    let mut named = file.into_os_string();
    if let Some(fragment) = fragment {
        named.push("#");
        named.push(fragment);
    }
    Ok((named, folder))
}

/// Lays all files of a revision out in a folder.
fn unpacked(commit: &str, folder: &Path) -> Result<(), CommandError> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let top = String::from_utf8_lossy(&top).trim().to_owned();
    let archive = folder.join(".archive.tar");
    let output = format!("--output={}", archive.display());
    git(&["-C", &top, "archive", "--format=tar", &output, commit])?;
    let done = Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(folder).status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(CommandError::Environment("the revision cannot be unpacked".to_owned())),
        Err(error) => Err(CommandError::Environment(format!("cannot run `tar`: {error}"))),
    }
}

fn git(arguments: &[&str]) -> Result<Vec<u8>, CommandError> {
    let output = Command::new("git")
        .args(arguments)
        .output()
        .map_err(|error| CommandError::Environment(format!("cannot run `git`: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.lines().next().unwrap_or("it failed").trim_start_matches("fatal: ").to_owned();
    Err(CommandError::Environment(format!("git: {why}")))
}
