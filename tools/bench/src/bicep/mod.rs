//! The Bicep compiler: its parser against the tree-sitter grammar, the formatter and the whole against its
//! parser, growth, decompiling, and the binary.
//!
//! `bicep [FOLDER [--types PACK] [--modules FOLDER]]`: programs of our own, and those of a folder, such as a checkout of a
//! public registry of modules, which is never part of the project.

mod binary;
mod decompile;
mod format;
mod parse;
mod programs;
mod whole;

use std::path::{Path, PathBuf};

use crate::{Result, files};

/// What is measured.
struct Given {
    /// A folder of programs.
    folder: Option<PathBuf>,
    /// Packed resource types.
    types: Option<PathBuf>,
    /// The cache of modules.
    modules: Option<PathBuf>,
}

/// A program.
struct Source {
    name: String,
    text: String,
}

/// A program of our own of about so many lines.
pub(crate) fn program(lines: usize) -> String {
    programs::of(lines)
}

pub(crate) fn run(arguments: &[String]) -> Result {
    let given = read(arguments)?;
    let mut sources = programs::own();
    if let Some(folder) = &given.folder {
        sources = find(folder)?;
        let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
        println!("{}: {} programs, {bytes} bytes\n", folder.display(), sources.len());
    }
    parse::run(&sources)?;
    format::run(&sources)?;
    whole::against_parsing(&sources);
    whole::growth();
    if let Some(folder) = &given.folder {
        decompile::run(folder)?;
    }
    binary::run(&given)
}

fn read(arguments: &[String]) -> Result<Given> {
    let mut given = Given { folder: None, types: None, modules: None };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value =
            || arguments.next().map(PathBuf::from).ok_or_else(|| format!("`{argument}` needs a value"));
        match argument.as_str() {
            "--types" => given.types = Some(value()?),
            "--modules" => given.modules = Some(value()?),
            folder => given.folder = Some(PathBuf::from(folder)),
        }
    }
    Ok(given)
}

/// The programs in a folder, in the order of their paths.
fn find(folder: &Path) -> Result<Vec<Source>> {
    read_all(files::find(folder, &|path| path.extension().is_some_and(|it| it == "bicep"))?)
}

/// The files of a folder with a name.
fn find_named(folder: &Path, name: &str) -> Result<Vec<Source>> {
    read_all(files::find(folder, &|path| path.file_name().is_some_and(|it| it == name))?)
}

fn read_all(files: Vec<PathBuf>) -> Result<Vec<Source>> {
    let read = |path: PathBuf| {
        let bytes =
            std::fs::read(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        Ok(Source { name: path.display().to_string(), text: String::from_utf8_lossy(&bytes).into_owned() })
    };
    files.into_iter().map(read).collect()
}
