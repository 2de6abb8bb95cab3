//! Go: the types of thriftgo, which come with both of its readers, and the validators.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use thrift_codegen::go::{GoOptions, generate};

use super::{part, write_generated};
use crate::Result;
use crate::schemas::{Schema, folder};
use crate::tools::{run, write};

pub(super) fn build(schemas: &[Schema], work: &Path) -> Result {
    let go = work.join("go");
    // The versions of the tools are pinned there.
    let tools = folder().join("../../crates/thrift-codegen/tests/go");
    let thriftgo = work.join("thriftgo");
    let package = "github.com/cloudwego/thriftgo";
    run(Command::new("go").args(["build", "-o"]).arg(&thriftgo).arg(package).current_dir(tools))?;
    let (mut imports, mut roots) = (String::new(), String::new());
    for schema in schemas {
        let name = &schema.name;
        let generator = if schema.is_for("fastgo") { "fastgo" } else { "go" };
        let mut types = Command::new(&thriftgo);
        types.args(["-g", &format!("{generator}:package_prefix=readers/gen"), "-o"]).arg(go.join("gen"));
        run(types.arg(work.join(format!("idl/{name}.thrift"))))?;
        write_generated(schema, generate(schema.input(), &GoOptions::default()), &go.join("gen"))?;
        _ = writeln!(imports, "\t\"readers/gen/{name}\"");
        _ = writeln!(roots, "\tfunc() root {{ return {name}.NewRoot() }},");
    }
    let roots = format!("package main\n\nimport (\n{imports})\n\nvar roots = []func() root{{\n{roots}}}\n");
    write(&go.join("roots.go"), &roots)?;
    for (from, to) in [("driver.go.txt", "driver.go"), ("go.mod.txt", "go.mod"), ("go.sum.txt", "go.sum")] {
        write(&go.join(to), &part(&format!("go/{from}"))?)?;
    }
    run(Command::new("go").args(["build", "-o", "program", "."]).current_dir(go)).map(|_| ())
}
