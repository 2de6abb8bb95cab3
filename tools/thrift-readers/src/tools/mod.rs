//! How programs with other people's libraries are written, built and run.

pub mod java;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Result, said};

/// Runs a program to its end and returns what it wrote; everything it said if it fails.
pub fn run(command: &mut Command) -> Result<String> {
    let shown: String = format!("{command:?}").chars().take(300).collect();
    let output = command.stdin(Stdio::null()).output().map_err(said(&shown))?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(out),
        false => Err(format!("{shown} failed\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Writes a file and the folders above it, unless it is there already: what is older need not be built again.
pub fn write(path: &Path, text: &str) -> Result {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(said(parent.display()))?;
    }
    fs::write(path, text).map_err(said(path.display()))
}
