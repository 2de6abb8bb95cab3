//! Java: the classes of the Apache compiler, its library, which Maven brings, and the validators.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use thrift_codegen::java::{JavaOptions, generate};

use super::{part, write_generated};
use crate::schemas::{ROOT, Schema};
use crate::tools::{java, run, write};
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
        let generated = generate(schema.input(), &JavaOptions::default());
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
    java::compile(work, &java)
}

/// The program.
pub(super) fn program(work: &Path) -> Command {
    java::program(work, &work.join("java"), "readers.Reader")
}

/// The class of ours in the package of a schema, with its package.
fn validator(files: &[thrift_codegen::GeneratedFile], name: &str) -> Option<String> {
    let file = files.iter().find(|file| file.path.starts_with(&format!("{name}/")))?;
    Some(file.path.strip_suffix(".java")?.replace('/', "."))
}
