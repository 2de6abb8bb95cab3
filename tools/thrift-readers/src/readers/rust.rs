//! Rust: the types of pilota, which its build script makes, those of the Apache compiler, and the validators.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use thrift_codegen::rust::{RustOptions, RustTypes, generate};

use super::{part, write_generated};
use crate::schemas::{ROOT, Schema};
use crate::tools::{run, write};
use crate::{Result, said};

pub(super) fn build(schemas: &[Schema], work: &Path, target: &Path) -> Result {
    let rust = work.join("rust");
    for name in ["Cargo.toml", "Cargo.lock", "build.rs"] {
        write(&rust.join(name), &part(&format!("rust/{name}.txt"))?)?;
    }
    write(&rust.join("src/main.rs"), &part("rust/main.rs.txt")?)?;
    sources(schemas, &work.join("idl"), &rust.join("src/readers"), "crate::readers")?;
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet", "--locked"]).env("CARGO_TARGET_DIR", target);
    run(build.current_dir(rust)).map(|_| ())
}

/// Writes a module with both readers in a folder, where it has that path in its crate. The types of pilota are
/// expected in `OUT_DIR/pilota.rs`.
pub fn sources(schemas: &[Schema], idl: &Path, folder: &Path, path: &str) -> Result {
    let mut text = String::from("// The readers, and what generated code says of what they read.\n\n");
    let mut tables = String::new();
    for types in [RustTypes::Pilota, RustTypes::Apache] {
        let (reader, function, parameter, argument) = match types {
            RustTypes::Pilota => ("pilota", "pilota", "", ""),
            RustTypes::Apache => ("apache-rust", "apache", "protocol: u8, ", "protocol, "),
        };
        _ = writeln!(tables, "\n/// Reads a message and says what it holds.");
        _ = writeln!(tables, "pub fn {function}(schema: u8, {parameter}bytes: &[u8]) -> String {{");
        _ = writeln!(tables, "    match schema {{");
        for (index, schema) in schemas.iter().enumerate().filter(|(_, schema)| schema.is_for(reader)) {
            let name = &schema.name;
            let validators = format!("{function}_{name}");
            let root = match types {
                RustTypes::Pilota => format!("{path}::pilota_types::pilota"),
                RustTypes::Apache => format!("{path}::apache_types"),
            };
            let types_of_root = match types {
                RustTypes::Pilota => format!("{root}::{name}"),
                RustTypes::Apache => format!("{root}::{name}::{name}"),
            };
            let options = RustOptions { types, root, folder: validators.clone(), ..RustOptions::default() };
            write_generated(schema, generate(schema.input(), &options), folder)?;
            _ = writeln!(text, "mod {validators};");
            _ = writeln!(
                tables,
                "        {index} => match read_{function}::<{types_of_root}::{ROOT}>({argument}bytes) {{\n            \
                 Ok(value) => match {validators}::Validate::validate(&value) {{\n                \
                 Ok(()) => \"valid\".to_owned(),\n                \
                 Err(it) => format!(\"invalid {{}} @ {{}}\\t{{value:?}}\", it.rule, it.path),\n            }},\n            \
                 Err(refused) => refused,\n        }},"
            );
        }
        _ = writeln!(tables, "        _ => panic!(\"no schema {{schema}}\"),\n    }}\n}}");
    }
    apache_types(schemas, idl, folder)?;
    text.push_str("#[allow(warnings)]\nmod apache_types;\n");
    text.push_str(&part("rust/readers.rs.txt")?);
    text.push_str(&tables);
    write(&folder.join("mod.rs"), &text)
}

/// The types of the Apache compiler.
fn apache_types(schemas: &[Schema], idl: &Path, folder: &Path) -> Result {
    let made = folder.join("apache_types/made");
    std::fs::create_dir_all(&made).map_err(said(made.display()))?;
    let mut modules = String::new();
    for schema in schemas.iter().filter(|schema| schema.is_for("apache-rust")) {
        let name = &schema.name;
        let idl = idl.join(format!("{name}.thrift"));
        run(Command::new("thrift").args(["--gen", "rs", "-out"]).arg(&made).arg(idl))?;
        // What is the same as before need not be built again.
        let path = made.join(format!("{name}.rs"));
        let text = std::fs::read_to_string(&path).map_err(said(path.display()))?;
        // Each file lies in the modules of its namespace.
        write(&folder.join(format!("apache_types/{name}/{name}.rs")), &text)?;
        _ = writeln!(modules, "pub mod {name} {{\n    pub mod {name};\n}}");
    }
    write(&folder.join("apache_types/mod.rs"), &modules)
}
