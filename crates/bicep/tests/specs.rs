//! Runs the documents in `resources/specs`: each case is a program, and its comments say what is wrong with it.

use std::process::ExitCode;
use std::sync::Arc;

use bicep::{Compiler, FilePath, Generator, MemoryWorld, Options};
use spec_test::{Case, Diagnostic, Outcome, Severity};

fn main() -> ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> Outcome {
    let mut world = MemoryWorld::default();
    for file in &case.files {
        world = world.with_file(&format!("/{}", file.name), &file.text);
    }
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler =
        Compiler::new(Arc::new(world), Options { generator, az_types: None, symbolic_names: false });
    let mut found = Vec::new();
    for file in &case.files {
        if !file.name.ends_with(".bicep") && !file.name.ends_with(".bicepparam") {
            continue;
        }
        let path = FilePath::new(&format!("/{}", file.name));
        let compiled = compiler.compile(&path);
        let own = compiled.findings.iter().filter(|(file, _)| *file == path);
        found.extend(own.flat_map(|(_, findings)| findings.iter()).map(|finding| {
            let before = file.text.get(..finding.span.start as usize).unwrap_or_default();
            Diagnostic {
                file: file.name.clone(),
                line: before.matches('\n').count() + 1,
                severity: match finding.severity {
                    bicep::Severity::Error => Severity::Error,
                    bicep::Severity::Warning => Severity::Warning,
                    _ => Severity::Info,
                },
                code: finding.code.to_owned(),
                message: finding.sentence(),
            }
        }));
    }
    Outcome::new().diagnostics(found)
}
