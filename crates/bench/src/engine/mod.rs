//! The deployment engine: evaluating, planning, durable steps, starting, and whole deployments.
//!
//! `engine [PART...] [--corpus FOLDER] [--modules FOLDER] [--sqlite]`: all parts, or those that are named. The corpus is a checkout
//! of a public registry of modules, which is never part of the project; without one, the parts that need it are left out.

mod binary;
mod deployments;
mod evaluate;
mod plans;
mod puts;
mod validators;
mod values;

use std::path::{Path, PathBuf};

use crate::Result;

/// What is measured on.
struct Given {
    /// A checkout of a registry of modules.
    corpus: Option<PathBuf>,
    /// The cache of modules.
    modules: Option<PathBuf>,
    /// Whether whole deployments run on SQLite, too; each of them flushes its steps, so that it takes minutes.
    sqlite: bool,
}

/// The name of a part, and the function that runs it.
type Part = (&'static str, fn(&Given) -> Result);

/// Every part.
const PARTS: &[Part] = &[
    ("evaluate", evaluate::run),
    ("plans", plans::run),
    ("puts", puts::run),
    ("validators", validators::run),
    ("start", binary::run),
    ("deployments", deployments::run),
];

pub(crate) fn run(arguments: &[String]) -> Result {
    let mut given = Given { corpus: None, modules: None, sqlite: false };
    let mut wanted = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value =
            || arguments.next().map(PathBuf::from).ok_or_else(|| format!("`{argument}` needs a value"));
        match argument.as_str() {
            "--corpus" => given.corpus = Some(value()?),
            "--modules" => given.modules = Some(value()?),
            "--sqlite" => given.sqlite = true,
            part => wanted.push(part),
        }
    }
    if let Some(unknown) = wanted.iter().find(|name| !PARTS.iter().any(|(part, _)| part == *name)) {
        let known: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no part `{unknown}`; there are {}", known.join(", ")));
    }
    let parts = PARTS.iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(name));
    parts.into_iter().try_for_each(|(_, run)| run(&given))
}

/// The files of a name below a folder, in the order of their paths.
fn find(folder: &Path, name: &str, files: &mut Vec<PathBuf>) -> Result {
    let failed = |error: std::io::Error| format!("cannot read `{}`: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in folder.read_dir().map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            find(&path, name, files)?;
        } else if path.file_name().is_some_and(|file| file == name) {
            files.push(path);
        }
    }
    Ok(())
}
