//! Prints what is wrong with files, one line per finding. For measuring against corpora.
//!
//! `check [--types PACK] FILE...`; other words that start with `--`, and the words `build` and `build-params`, are
//! passed over, so that it can stand in for a compiler. The exit code is 1 when there is an error.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program for the command line"
)]

use std::process::ExitCode;
use std::sync::Arc;

use bicep::files::{Entry, ReadError};
use bicep::{Compiler, FilePath, Generator, Options, Severity, World};

/// The files of this machine.
struct Disk;

impl World for Disk {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        match std::fs::read(path.as_str()) {
            Ok(bytes) => Ok(bytes.into()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(ReadError::NotFound),
            Err(error) => Err(ReadError::Failed(error.to_string())),
        }
    }

    fn exists(&self, path: &FilePath) -> bool {
        std::path::Path::new(path.as_str()).is_file()
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<Entry>, ReadError> {
        let entries =
            std::fs::read_dir(folder.as_str()).map_err(|error| ReadError::Failed(error.to_string()))?;
        let entries = entries.filter_map(Result::ok).map(|entry| Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            is_folder: entry.path().is_dir(),
        });
        Ok(entries.collect())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn cache_root(&self) -> FilePath {
        let home = std::env::var("HOME").unwrap_or_default();
        FilePath::new(&format!("{home}/.bicep"))
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut types = None;
    let mut files = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--types" => types = words.next(),
            "build" | "build-params" | "lint" => {}
            word if word.starts_with("--") => {}
            _ => files.push(word),
        }
    }
    let az_types = types.and_then(|path| {
        let bytes = std::fs::read(path).ok()?;
        bicep_types::TypeStore::from_pack(Arc::new(bytes)).ok().map(Arc::new)
    });
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(Disk), Options { generator, az_types, symbolic_names: false });
    let mut failed = false;
    for file in files {
        let path = FilePath::new(&file);
        match compiler.check(&path) {
            Ok(checked) => {
                failed |= checked.has_errors();
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                for finding in checked.findings.iter() {
                    let level = match finding.severity {
                        Severity::Error => "Error",
                        Severity::Warning => "Warning",
                        _ => "Info",
                    };
                    let before = text.get(..finding.span.start as usize).unwrap_or(&text);
                    let line = before.matches('\n').count() + 1;
                    let start = before.rfind('\n').map_or(0, |at| at + 1);
                    let column = before.get(start..).unwrap_or_default().encode_utf16().count() + 1;
                    let link = format!("https://aka.ms/bicep/core-diagnostics#{}", finding.code);
                    eprintln!(
                        "{file}({line},{column}) : {level} {}: {} [{link}]",
                        finding.code, finding.message
                    );
                }
            }
            Err(fault) => {
                failed = true;
                eprintln!("{file}(1,1) : Error {}: {}", fault.code, fault.message);
            }
        }
    }
    ExitCode::from(u8::from(failed))
}
