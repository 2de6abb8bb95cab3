//! Runs the documents in `resources/specs`: each case is a program, and its comments say what is wrong with it.
//!
//! The types of Azure's resources are those in the folder `azure`, if there is one. A case with a file `dialect` is compiled as
//! the public compiler does it. Of what the linter finds, only errors count: its rules have examples of their own.

use std::sync::Arc;

use ::diagnostics::{Columns, LineIndex};
use bicep::{Compiler, CompilerOptions, Dialect, FilePath, Generator, MemoryWorld};
use spec_test::{Case, CaseDiagnostic, CaseOutput, Severity};

pub(super) fn run(case: &Case) -> CaseOutput {
    let mut world = MemoryWorld::default();
    for file in &case.files {
        world = world.with_file(&format!("/{}", file.name), &file.text);
    }
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let dialect = if case.file("dialect").is_some() { Dialect::Public } else { Dialect::Tendon };
    let options =
        CompilerOptions { az_types: crate::azure::types(case), dialect, ..CompilerOptions::new(generator) };
    let compiler = Compiler::new(Arc::new(world), options);
    let mut found = Vec::new();
    for file in &case.files {
        if ![".bicep", ".bicepparam", ".biceptest"].iter().any(|ending| file.name.ends_with(ending)) {
            continue;
        }
        let path = FilePath::new(&format!("/{}", file.name));
        let compiled = compiler.compile(&path);
        let own = compiled.findings.iter().filter(|(file, _)| *file == path);
        let lines = LineIndex::new(file.text.as_str());
        let findings = own.flat_map(|(_, findings)| findings.iter());
        let shown = findings.filter(|it| it.is_error() || bicep::lint::is_core(it.code));
        found.extend(shown.map(|finding| {
            let place = lines.position(finding.span.start, Columns::Utf16);
            CaseDiagnostic {
                file: file.name.clone(),
                line: place.line as usize,
                column: Some(place.column as usize),
                severity: match finding.severity {
                    bicep::Severity::Error => Severity::Error,
                    bicep::Severity::Warning => Severity::Warning,
                    bicep::Severity::Info => Severity::Info,
                },
                code: finding.code.to_owned(),
                message: finding.sentence(),
            }
        }));
    }
    CaseOutput::new().diagnostics(found)
}
