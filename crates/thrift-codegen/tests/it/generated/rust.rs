//! Generated Rust on the types of pilota and of the Apache compiler.
//!
//! Values travel as binary messages: whatever the types are, they read themselves.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use thrift::rules::Functions;
use thrift_codegen::GeneratedFile;
use thrift_codegen::rust::{RustOptions, RustTypes, generate};
use thrift_conformance::{Case, CaseValue, ExpectedVerdict, ParsedCase};

use super::run::{Questions, beside, documented, folder, is_text, run, same_but_for_sets, types_of, write};
use super::{functions, names};
use crate::support::input;

/// For the types of both compilers.
pub(super) fn code(case: &Case) -> Vec<GeneratedFile> {
    let functions = functions::declared();
    let read = case.read_as("case.thrift", "rs", &functions).unwrap();
    let code = |types| {
        let functions_ = functions::symbols("crate::functions::");
        generate(
            input(&read, &functions),
            &RustOptions { types, functions: functions_, ..RustOptions::default() },
        )
        .files
    };
    [RustTypes::Pilota, RustTypes::Apache].into_iter().flat_map(code).collect()
}

/// Compiles all cases into one program and asks it for its verdicts.
pub(crate) fn agrees() {
    let work = folder(
        "generated-rust",
        &["target", "src", "idl", "Cargo.toml", "Cargo.lock", "build.rs", "rustfmt.toml"],
    );
    let functions = functions::declared();
    write(&work.join("src/functions.rs"), &functions::file("functions.rs.txt"));
    let mut cases = documented();
    cases.extend(names::cases(code, BREAKS, FILES, EVERY));
    let cases: Vec<(Case, ParsedCase)> = cases
        .into_iter()
        .map(|case| {
            let read = case.read_as(&format!("{}.thrift", module(&case)), "rs", &functions).unwrap();
            assert!(!read.diagnostics.iter().any(thrift::Diagnostic::is_error), "{}", case.name);
            (case, read)
        })
        .collect();
    project(&work);
    let mut main = String::new();
    let mut questions = Questions::default();
    for types in [RustTypes::Pilota, RustTypes::Apache] {
        for (case, read) in cases.iter().filter(|(case, _)| has_types(case, types)) {
            let name = module(case);
            write(
                &work.join(format!("idl/{name}.thrift")),
                &format!("namespace rs {name}\n{}", types_of(case)),
            );
            validators(&work, case, read, types, &functions);
            root(&mut main, case, types);
            for row in rows(case) {
                questions.ask(&format!("{}_{name}", prefix(types)), case, read, row);
            }
        }
    }
    apache_types(&work, &cases);
    modules(&work, &cases);
    write(
        &work.join("src/roots.rs"),
        &format!(
            "pub fn judge(name: &str, bytes: &[u8]) -> String {{\n    match name {{\n{main}        _ => panic!(\"{{name}}\"),\n    }}\n}}\n"
        ),
    );
    run(
        Command::new("cargo")
            .args(["build", "--quiet", "--locked"])
            .env("CARGO_TARGET_DIR", work.join("target"))
            .current_dir(&work),
        None,
    );
    questions.judge(
        "Rust",
        &mut Command::new(work.join("target/debug/generated")),
        |case, expected, answer| same_but_for_sets(case, &expected.to_string(), answer),
    );
}

fn module(case: &Case) -> String {
    case.id.to_lowercase()
}

fn prefix(types: RustTypes) -> &'static str {
    match types {
        RustTypes::Pilota => "pilota",
        RustTypes::Apache => "apache",
    }
}

/// The rows that Rust can be asked.
fn rows(case: &Case) -> impl Iterator<Item = &CaseValue> {
    case.rows.iter().filter(|row| is_text(case, row) && !matches!(row.verdict, ExpectedVerdict::Missing(_)))
}

/// Whether there are types for a case that say what the case is about.
fn has_types(case: &Case, types: RustTypes) -> bool {
    // Programs of names are about what is ours, which is the same for both.
    types == RustTypes::Pilota
        || case.title != "names" && !APACHE_CANNOT.iter().any(|(ids, _)| ids.contains(&case.id.as_str()))
}

/// Names that pilota's own code has for something else.
const BREAKS: &[&str] = &[];

/// Types are reached by their paths, so no name meets ours; pilota's code takes rustc long.
const EVERY: usize = 5;

/// Files that are called like what our modules use.
const FILES: &[&str] = &["std", "fmt", "core"];

/// Cases that make no sense for the types of the Apache compiler.
const APACHE_CANNOT: &[(&[&str], &str)] = &[
    (&["E20"], "it keeps the structs of arguments to itself"),
    (&["E21"], "it refuses names that are reserved in some language"),
    (
        &["A08", "B33", "E08", "E09", "E23", "F03"],
        "its reader gives absent fields a zero and knows no defaults",
    ),
];

fn project(work: &Path) {
    for (from, to) in [("Cargo.toml", "Cargo.toml"), ("Cargo.lock", "Cargo.lock"), ("build.rs", "build.rs")] {
        let text = std::fs::read_to_string(beside(&format!("rust/{from}.txt"))).unwrap();
        write(&work.join(to), &text);
    }
}

fn validators(work: &Path, case: &Case, read: &ParsedCase, types: RustTypes, functions: &Functions) {
    let name = module(case);
    let options = RustOptions {
        types,
        root: match types {
            RustTypes::Pilota => "crate::pilota_types::r#gen".to_owned(),
            RustTypes::Apache => "crate::apache_types".to_owned(),
        },
        folder: format!("{}_{name}", prefix(types)),
        functions: functions::symbols("crate::functions::"),
    };
    let generated = generate(input(read, functions), &options);
    assert!(!generated.files.is_empty(), "{}: {:?}", case.name, generated.diagnostics);
    for GeneratedFile { path, text } in generated.files {
        write(&work.join("src").join(path), &text);
    }
}

fn root(main: &mut String, case: &Case, types: RustTypes) {
    let (name, prefix) = (module(case), prefix(types));
    let root = case.option("rust").unwrap_or(&case.root);
    let path = match types {
        RustTypes::Pilota => format!("pilota_types::r#gen::{name}"),
        RustTypes::Apache => format!("apache_types::{name}::{name}"),
    };
    writeln!(
        main,
        "        \"{prefix}_{name}\" => match crate::{prefix}::<crate::{path}::{root}>(bytes) {{\n            \
         Ok(it) => {{\n                use crate::{prefix}_{name}::Validate;\n                let all = it.validate_all();\n                \
         let first = it.validate().err();\n                assert_eq!(all.first().map(|it| &it.path), first.as_ref().map(|it| &it.path));\n                \
         assert_eq!(it.is_valid(), first.is_none());\n                \
         first.map_or(\"valid\".to_owned(), |it| format!(\"{{}} @ {{}}\", it.rule, it.path))\n            }}\n            \
         Err(error) => error,\n        }},"
    )
    .unwrap();
}

/// The types of the Apache compiler.
fn apache_types(work: &Path, cases: &[(Case, ParsedCase)]) {
    std::fs::create_dir_all(work.join("apache")).unwrap();
    let mut modules = String::new();
    for (case, _) in cases.iter().filter(|(case, _)| has_types(case, RustTypes::Apache)) {
        let name = module(case);
        let file = format!("idl/{name}.thrift");
        run(Command::new("thrift").args(["--gen", "rs", "-out", "apache", &file]).current_dir(work), None);
        let text = std::fs::read_to_string(work.join(format!("apache/{name}.rs"))).unwrap();
        // Each file lies in the modules of its namespace.
        write(&work.join(format!("src/apache_types/{name}/{name}.rs")), &text);
        writeln!(modules, "pub mod {name} {{\n    pub mod {name};\n}}").unwrap();
    }
    write(&work.join("src/apache_types/mod.rs"), &modules);
}

/// The list of modules, and of the files that pilota reads.
fn modules(work: &Path, cases: &[(Case, ParsedCase)]) {
    let mut modules = String::new();
    let mut files = String::new();
    let mut sources = Vec::new();
    for (case, _) in cases {
        let name = module(case);
        writeln!(files, "idl/{name}.thrift").unwrap();
        for types in
            [RustTypes::Pilota, RustTypes::Apache].into_iter().filter(|types| has_types(case, *types))
        {
            writeln!(modules, "mod {}_{name};", prefix(types)).unwrap();
            for file in std::fs::read_dir(work.join(format!("src/{}_{name}", prefix(types)))).unwrap() {
                sources.push(file.unwrap().path());
            }
        }
    }
    write(&work.join("idl/files.txt"), &files);
    let text = std::fs::read_to_string(beside("rust/main.rs.txt")).unwrap();
    write(&work.join("src/main.rs"), &format!("{modules}{text}"));
    let roots: Vec<_> = sources.iter().filter(|path| path.ends_with("mod.rs")).collect();
    // The folder may lie below a project with a configuration of its own, which is not that of generated code.
    write(&work.join("rustfmt.toml"), "");
    run(Command::new("rustfmt").args(["--check", "--edition", "2021"]).args(roots), None);
}
