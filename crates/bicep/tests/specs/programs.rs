//! Runs the documents in `resources/programs`.
//!
//! A case has a `main.bicep` or a `main.bicepparam`, and whatever files these refer to. Folders that stand in for
//! registries are named in a file `mirrors`, a line `REFERENCES=FOLDER` each. The types of Azure's resources are those in
//! the folder `azure`, if there is one. A case with a file `dialect` is compiled as the public compiler does it. The outputs are
//!
//! - `template`: the whole JSON, with the maker `bicep dev`;
//! - `unrestored`: the artifacts that a restore would have to fetch;
//! - `languageVersion`, `metadata`, `definitions`, `functions`, `parameters`, `variables`, `resources`, `outputs` and so
//!   on: that member of it.

use std::sync::Arc;

use ::diagnostics::{Columns, LineIndex};
use bicep::files::Mirror;
use bicep::{Compiler, CompilerOptions, Config, Dialect, FilePath, Generator, MemoryWorld, Severity};
use document::{Document, FileId, ReadLimits};
use spec_test::{Case, CaseOutput};

pub(super) fn run(case: &Case) -> CaseOutput {
    let mut world = MemoryWorld::default().with_variable("STAGE", "test");
    for file in &case.files {
        world = world.with_file(&format!("/{}", file.name), &file.text);
    }
    let entry = if case.file("main.bicepparam").is_some() { "/main.bicepparam" } else { "/main.bicep" };
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let dialect = if case.file("dialect").is_some() { Dialect::Public } else { Dialect::Tendon };
    let options =
        CompilerOptions { az_types: crate::azure::types(case), dialect, ..CompilerOptions::new(generator) };
    let mirrors = case.file("mirrors").map_or("", |file| file.text.as_str()).lines();
    let mirrors = mirrors.filter_map(|line| line.split_once('=')).map(|(references, folder)| {
        Mirror::new(references, FilePath::new(folder), &Config::defaults()).map_err(|fault| fault.message)
    });
    let mirrors = match mirrors.collect() {
        Ok(mirrors) => mirrors,
        Err(message) => return CaseOutput::error(message),
    };
    let compiler = Compiler::new(Arc::new(world), options).with_mirrors(mirrors);
    let compilation = compiler.compile(&FilePath::new(entry));
    let mut findings = Vec::new();
    for (path, found) in &compilation.findings {
        let name = path.name();
        let lines = LineIndex::new(case.file(name).map_or("", |file| file.text.as_str()));
        // Warnings are the subject of `resources/specs`; here they would repeat themselves in every case.
        findings.extend(found.iter().filter(|finding| finding.is_error()).map(|finding| {
            spec_test::CaseDiagnostic {
                file: name.to_owned(),
                line: lines.position(finding.span.start, Columns::Utf16).line as usize,
                column: Some(lines.position(finding.span.start, Columns::Utf16).column as usize),
                severity: match finding.severity {
                    Severity::Error => spec_test::Severity::Error,
                    Severity::Warning => spec_test::Severity::Warning,
                    Severity::Info => spec_test::Severity::Info,
                },
                code: finding.code.to_owned(),
                message: finding.sentence(),
            }
        }));
    }
    let mut outcome = CaseOutput::new().diagnostics(findings);
    let unrestored = compiler.unrestored(&FilePath::new(entry));
    let unrestored = unrestored.iter().map(|it| format!("{} {}\n", it.reference.full_name(), it.folder));
    outcome = outcome.output("unrestored", unrestored.collect::<String>());
    if let Some(text) = compilation.template {
        outcome = outcome.output("template", &*text);
        let Ok(document) = Document::from_json(&*text, FileId::FIRST, &ReadLimits::DEFAULT) else {
            return CaseOutput::error("the template is not JSON");
        };
        for (name, member) in document.root().members() {
            let name = name.as_str().unwrap_or_default();
            outcome = outcome.output(name, arm::template_text::indented(member));
        }
    }
    outcome
}
