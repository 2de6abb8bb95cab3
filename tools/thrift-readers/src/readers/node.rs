//! Node.js: the objects of the Apache compiler, its library, which npm brings, and the validators in TypeScript.

use std::fs;
use std::path::Path;
use std::process::Command;

use thrift_codegen::typescript::{TypeScriptOptions, generate};

use super::{part, write_generated};
use crate::schemas::{Schema, folder};
use crate::tools::{run, write};
use crate::{Result, said};

pub(super) fn build(schemas: &[Schema], work: &Path) -> Result {
    let node = work.join("node");
    let sources = node.join("src");
    fs::create_dir_all(&sources).map_err(said(sources.display()))?;
    for schema in schemas {
        let idl = work.join(format!("idl/{}.thrift", schema.name));
        run(Command::new("thrift").args(["--gen", "js:node,ts", "-out"]).arg(&sources).arg(idl))?;
        write_generated(schema, generate(schema.input(), &TypeScriptOptions::default()), &sources)?;
    }
    // The versions are pinned there.
    let pinned = folder().join("../../crates/thrift-codegen/tests/typescript");
    for name in ["package.json", "package-lock.json", "tsconfig.json"] {
        let path = pinned.join(name);
        write(&node.join(name), &fs::read_to_string(&path).map_err(said(path.display()))?)?;
    }
    write(&node.join("reader.js"), &part("node/reader.js.txt")?)?;
    if !node.join("node_modules/.package-lock.json").exists() {
        let mut npm = Command::new("npm");
        run(npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&node))?;
    }
    run(Command::new("node").arg("node_modules/typescript/lib/tsc.js").current_dir(&node)).map(|_| ())
}

/// The program.
pub(super) fn program(work: &Path) -> Command {
    let mut command = Command::new("node");
    command.arg(work.join("node/reader.js"));
    command
}
