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

use std::path::PathBuf;

use crate::Result;
use crate::parts::{self, Part};

/// What is measured on.
struct Given {
    /// A checkout of a registry of modules.
    corpus: Option<PathBuf>,
    /// The cache of modules.
    modules: Option<PathBuf>,
    /// Whether whole deployments run on SQLite, too; each of them flushes its steps, so that it takes minutes.
    sqlite: bool,
}

/// Every part.
const PARTS: &[Part<Given>] = &[
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
    parts::run(PARTS, &wanted, &given)
}
