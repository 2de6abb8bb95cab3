//! Runs the documents in `resources/specs`: `main.json` is decompiled, and what comes out is compiled again.
//!
//! `program` shows the program, `files` the others, `notes` and `problem` what is said about them. `differences` shows where
//! the compiled template is another one; a template that a compiler wrote has none unless the case shows them. A file
//! `parameters.json` is decompiled to `parameters`.

use std::sync::Arc;

use bicep::{Compiler, FilePath, Generator, MemoryWorld};
use decompile::{DecompileOptions, Decompiled, compare, decompile, decompile_parameters};
use spec_test::{Case, CaseOutput};

fn main() -> std::process::ExitCode {
    spec_test::main("resources/specs", run)
}

fn run(case: &Case) -> CaseOutput {
    if let Some(parameters) = case.file("parameters.json") {
        return match decompile_parameters(&parameters.text, Some("main.bicep")) {
            Ok(text) => CaseOutput::new().output("parameters", text),
            Err(problem) => CaseOutput::new().output("problem", problem.to_string()),
        };
    }
    let Some(template) = case.file("main.json") else { return CaseOutput::error("no file `main.json`") };
    let made = match decompile(&template.text, &DecompileOptions::default()) {
        Ok(made) => made,
        Err(problem) => return CaseOutput::new().output("problem", problem.to_string()),
    };
    let mut outcome = CaseOutput::new();
    let mut others = String::new();
    for file in &made.files {
        match file.path.as_str() {
            "main.bicep" => outcome = outcome.output("program", file.text.clone()),
            path => others.push_str(&format!("--- {path}\n{}", file.text)),
        }
    }
    if case.expects("files") || !others.is_empty() {
        outcome = outcome.output("files", others);
    }
    if case.expects("notes") || !made.notes.is_empty() {
        let notes: Vec<String> =
            made.notes.iter().map(|note| format!("{}: {}", note.file, note.message)).collect();
        outcome = outcome.output("notes", notes.join("\n"));
    }
    let differences = differences(&template.text, &made);
    if case.expects("differences") || made.is_generated && !differences.is_empty() {
        outcome = outcome.output("differences", differences.join("\n"));
    }
    outcome
}

/// How the template of the files differs from the first one.
fn differences(wanted: &str, made: &Decompiled) -> Vec<String> {
    let folder = "/a/b/c/";
    let world = made.files.iter().fold(MemoryWorld::default(), |world, file| {
        world.with_file(FilePath::new(folder).join(&file.path).as_str(), file.text.as_str())
    });
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(world), bicep::CompilerOptions::new(generator));
    let compilation = compiler.compile(&FilePath::new(&format!("{folder}main.bicep")));
    let Some(found) = &compilation.template else {
        let errors = compilation.findings.iter().flat_map(|(path, findings)| {
            findings
                .iter()
                .filter(|it| it.is_error())
                .map(move |it| format!("{path}: {}: {}", it.code, it.message))
        });
        return errors.collect();
    };
    match compare(wanted, found, 10) {
        Ok(differences) => {
            let shown = |value: &Option<String>| value.as_deref().unwrap_or("nothing").replace('\n', " ");
            let line = |it: &decompile::Difference| {
                format!("{}: expected {}, found {}", it.path, shown(&it.wanted), shown(&it.found))
            };
            differences.iter().map(line).collect()
        }
        Err(problem) => vec![problem.to_string()],
    }
}
