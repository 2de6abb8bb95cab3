//! Java: the classes of the Apache compiler, its library, which Maven brings, and the validators.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use thrift::codegen::java::{Options, generate};

use super::{part, run, write, write_generated};
use crate::schemas::{ROOT, Schema, folder};
use crate::{Result, said};

pub(super) fn build(schemas: &[Schema], work: &Path) -> Result {
    let java = work.join("java");
    let sources = java.join("src");
    fs::create_dir_all(&sources).map_err(said(sources.display()))?;
    let mut cases = String::new();
    for (index, schema) in schemas.iter().enumerate() {
        let name = &schema.name;
        let idl = work.join(format!("idl/{name}.thrift"));
        let mut types = Command::new("thrift");
        run(types.args(["--gen", "java:generated_annotations=suppress", "-out"]).arg(&sources).arg(idl))?;
        let generated = generate(schema.input(), &Options::default());
        let class = validator(&generated.files, name).ok_or_else(|| format!("{name} has no validator"))?;
        write_generated(schema, generated, &sources)?;
        _ = writeln!(
            cases,
            "      case {index}:\n        return Reader.judge(new {name}.{ROOT}(), protocol, message, {class}::validate);"
        );
    }
    let roots = format!(
        "package readers;\n\nfinal class Roots {{\n  static String judge(int schema, int protocol, byte[] message) {{\n    \
         switch (schema) {{\n{cases}      default:\n        throw new IllegalArgumentException(\"\" + schema);\n    }}\n  }}\n}}\n"
    );
    write(&sources.join("readers/Roots.java"), &roots)?;
    write(&sources.join("readers/Reader.java"), &part("java/Reader.java.txt")?)?;
    let jars = jars(work)?;
    let mut list = String::new();
    for source in files(&sources)? {
        _ = writeln!(list, "{}", source.display());
    }
    write(&java.join("sources.txt"), &list)?;
    let mut javac = Command::new("javac");
    javac.args(["--release", "8", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", "classes", "-cp"]);
    run(javac.arg(jars.join("*")).arg("@sources.txt").current_dir(&java)).map(|_| ())
}

/// The program.
pub(super) fn program(work: &Path) -> Command {
    let mut command = Command::new("java");
    command.args(["-Xss4m", "-cp"]);
    command.arg(format!("{}:{}", work.join("java/classes").display(), work.join("jars/*").display()));
    command.arg("readers.Reader");
    command
}

/// The class of ours in the package of a schema, with its package.
fn validator(files: &[thrift::codegen::GeneratedFile], name: &str) -> Option<String> {
    let file = files.iter().find(|file| file.path.starts_with(&format!("{name}/")))?;
    Some(file.path.strip_suffix(".java")?.replace('/', "."))
}

fn jars(work: &Path) -> Result<PathBuf> {
    let jars = work.join("jars");
    // The versions are pinned there.
    let pom = folder().join("../thrift/tests/java/pom.xml");
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
