//! Compiles files the way the public command line does, for comparing with it.
//!
//! ```text
//! cargo run -p tendon-bicep --example build -- build FILE --stdout [--types PACK] [--version V] [--symbolic] [--cache DIR]
//! ```
//!
//! The template goes to stdout, findings to stderr, and the exit code is 1 when there are errors.

#![expect(
    clippy::disallowed_methods,
    reason = "a program for people: it reads files, variables and arguments"
)]

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use bicep::files::{Entry, ReadError};
use bicep::{Compiler, FilePath, Finding, Generator, Options, Severity, World};
use bicep_types::TypeStore;
use diagnostics::{Columns, LineIndex};

/// The machine.
struct Disk {
    cache: FilePath,
}

impl World for Disk {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        std::fs::read(path.as_str()).map(Into::into).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ReadError::NotFound,
            _ => ReadError::Failed(error.to_string()),
        })
    }

    fn exists(&self, path: &FilePath) -> bool {
        std::fs::metadata(path.as_str()).is_ok_and(|metadata| metadata.is_file())
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<Entry>, ReadError> {
        let entries = std::fs::read_dir(folder.as_str()).map_err(|_| ReadError::NotFound)?;
        let entry = |entry: std::fs::DirEntry| Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            is_folder: entry.file_type().is_ok_and(|kind| kind.is_dir()),
        };
        Ok(entries.filter_map(Result::ok).map(entry).collect())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn cache_root(&self) -> FilePath {
        self.cache.clone()
    }
}

fn main() -> ExitCode {
    let mut files = Vec::new();
    let mut types = std::env::var("BICEP_TYPES").ok();
    let mut version = "dev".to_owned();
    let mut cache = std::env::var("BICEP_CACHE").unwrap_or_else(|_| "/nonexistent".to_owned());
    let mut symbolic = false;
    let mut quiet = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "build" | "build-params" | "--stdout" => {}
            "--types" => types = arguments.next(),
            "--version" => version = arguments.next().unwrap_or_default(),
            "--cache" => cache = arguments.next().unwrap_or_default(),
            "--symbolic" => symbolic = true,
            "--quiet" => quiet = true,
            file => files.push(file.to_owned()),
        }
    }
    let az_types = types.and_then(|path| {
        let bytes = std::fs::read(path).ok()?;
        TypeStore::from_pack(Arc::new(bytes)).ok().map(Arc::new)
    });
    let world = Arc::new(Disk { cache: FilePath::new(&cache) });
    let generator = Generator { name: "bicep".to_owned(), version };
    let compiler = Compiler::new(world, Options { generator, az_types, symbolic_names: symbolic });
    let mut code = ExitCode::SUCCESS;
    for file in files {
        let path =
            std::path::absolute(&file).map_or(file.clone(), |path| path.to_string_lossy().into_owned());
        let compilation = compiler.compile(&FilePath::new(&path));
        for (path, findings) in &compilation.findings {
            report(path, findings);
        }
        match compilation.template {
            Some(text) => {
                if !quiet {
                    let _ = std::io::stdout().write_all(text.as_bytes());
                }
            }
            None => code = ExitCode::FAILURE,
        }
    }
    code
}

fn report(path: &FilePath, findings: &[Finding]) {
    let text = std::fs::read_to_string(path.as_str()).unwrap_or_default();
    let lines = LineIndex::new(text);
    let mut out = std::io::stderr().lock();
    for finding in findings {
        let place = lines.position(finding.span.start, Columns::Utf16);
        let level = match finding.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
            Severity::Info => "Info",
        };
        let (line, column) = (place.line, place.column);
        let _ = writeln!(out, "{path}({line},{column}) : {level} {}: {}", finding.code, finding.message);
    }
}
