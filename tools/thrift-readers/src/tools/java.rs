//! Java: its compiler, and Apache's library, which Maven brings.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{run, write};
use crate::schemas::folder;
use crate::{Result, said};

/// Compiles what is in the folder `src` of a folder. The libraries are in a folder of the work.
pub fn compile(work: &Path, java: &Path) -> Result {
    let jars = jars(work)?;
    let mut list = String::new();
    for source in files(&java.join("src"))? {
        _ = writeln!(list, "{}", source.display());
    }
    write(&java.join("sources.txt"), &list)?;
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", "classes", "-cp"]);
    run(javac.arg(jars.join("*")).arg("@sources.txt").current_dir(java)).map(|_| ())
}

/// The program that a class of them is.
pub fn program(work: &Path, java: &Path, class: &str) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xss4m", "-cp"]);
    command.arg(format!("{}:{}", java.join("classes").display(), work.join("jars/*").display()));
    command.arg(class);
    command
}

fn jars(work: &Path) -> Result<PathBuf> {
    let jars = work.join("jars");
    // The versions are pinned there.
    let pom = folder().join("../../crates/thrift-codegen/tests/java/pom.xml");
    if !jars.join("slf4j-api-1.7.36.jar").exists() {
        let output = format!("-DoutputDirectory={}", jars.display());
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies", &output, "--file"]);
        run(maven.arg(pom).current_dir(work))?;
    }
    Ok(jars)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(said(folder.display()))? {
            let path = entry.map_err(said(folder.display()))?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}
