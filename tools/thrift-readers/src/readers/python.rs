//! Python: Apache's types and the validators. thriftpy2 makes its types itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use thrift_codegen::python::{PythonOptions, generate};

use super::write_generated;
use crate::schemas::Schema;
use crate::tools::run;
use crate::{Result, said};

pub(super) fn build(schemas: &[Schema], work: &Path) -> Result {
    let folder = work.join("python");
    let apache = folder.join("apache");
    fs::create_dir_all(&apache).map_err(said(apache.display()))?;
    for schema in schemas {
        let idl = work.join(format!("idl/{}.thrift", schema.name));
        run(Command::new("thrift").args(["--gen", "py", "-out"]).arg(&apache).arg(idl))?;
        write_generated(schema, generate(schema.input(), &PythonOptions::default()), &folder)?;
    }
    Ok(())
}
