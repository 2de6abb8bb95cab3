//! Generated TypeScript on the objects of the Apache compiler, in Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use thrift::model::StructId;
use thrift_codegen::GeneratedFile;
use thrift_codegen::typescript::{TypeScriptOptions, generate};
use thrift_conformance::{Case, ParsedCase};

use super::run::{
    Questions, beside, documented_for_apache, folder, is_text, is_verdict, parsed, run, types_of, write,
};
use super::{functions, names};
use crate::support::input;

/// Compiles all cases and asks for their verdicts in one program.
pub(crate) fn agrees() {
    let work = folder("node/generated-typescript", &[]);
    let functions = functions::declared();
    let mut roots = Vec::new();
    let mut questions = Questions::default();
    let mut cases = documented_for_apache();
    cases.extend(names::cases(code, BREAKS, FILES, 1));
    for case in cases {
        let name = case.id.to_lowercase();
        let read = parsed(&case, "js", &functions);
        let idl = work.join(format!("idl/{name}.thrift"));
        write(&idl, &types_of(&case));
        // The modules of services are called after them, and files of names may be, too.
        let folder = match case.rows.is_empty() {
            true => work.join("src").join(&name),
            false => work.join("src"),
        };
        types(&folder, &idl);
        write(&folder.join("functions.ts"), &functions::file("functions.ts.txt"));
        for file in code(&case) {
            let path = folder.join(&file.path);
            assert!(!path.exists() || file.path == SHARED, "{} is there already", path.display());
            write(&path, &file.text);
        }
        if case.rows.is_empty() {
            continue;
        }
        let id = read.structure(&case.root).unwrap();
        roots.push(format!("\"{name}\": {}", root(&read, id)));
        for row in case.rows.iter().filter(|row| is_text(&case, row)) {
            questions.ask(&name, &case, &read, row);
        }
    }
    write(&work.join("roots.json"), &format!("{{{}}}\n", roots.join(",\n")));
    write(&work.join("main.js"), &std::fs::read_to_string(beside("typescript/main.js.txt")).unwrap());
    compile(&work);
    questions.judge("TypeScript", Command::new("node").arg("main.js").current_dir(&work), is_verdict);
}

/// The module that all cases share.
const SHARED: &str = "tendon_validation.ts";

/// Words of the language, which the compiler takes for names.
const BREAKS: &[&str] = &[
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "default",
    "else",
    "export",
    "extends",
    "false",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "private",
    "prototype",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "void",
    "while",
];

/// Files that are called like ours.
const FILES: &[&str] = &["tendon_validation", "rules", "types", "it"];

pub(super) fn code(case: &Case) -> Vec<GeneratedFile> {
    let functions = &functions::declared();
    let options =
        TypeScriptOptions { functions: functions::symbols("./functions."), ..TypeScriptOptions::default() };
    let generated = generate(input(&parsed(case, "js", functions), functions), &options);
    assert!(!generated.files.is_empty(), "{}: {:?}", case.name, generated.diagnostics);
    generated.files
}

/// The types, by the Apache compiler.
pub(super) fn types(folder: &Path, idl: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    run(Command::new("thrift").args(["-r", "--gen", "js:node,ts", "-out"]).arg(folder).arg(idl), None);
}

/// The packages, which npm brings; they are beside the folders of all programs.
fn packages() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node");
    for name in ["package.json", "package-lock.json"] {
        write(&folder.join(name), &std::fs::read_to_string(beside("typescript").join(name)).unwrap());
    }
    if !folder.join("node_modules/.package-lock.json").exists() {
        let mut npm = Command::new("npm");
        run(npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder), None);
    }
    folder.join("node_modules")
}

/// Compiles all modules below `src`, with all that a careful project asks for.
pub(super) fn compile(work: &Path) {
    write(&work.join("tsconfig.json"), &std::fs::read_to_string(beside("typescript/tsconfig.json")).unwrap());
    run(Command::new("node").arg(packages().join("typescript/lib/tsc.js")).current_dir(work), None);
}

/// What the class of a struct is called, and where it is.
fn root(read: &ParsedCase, id: StructId) -> String {
    let name = &read.model[id].name.text;
    let owner = read.model.services.iter().find(|service| {
        service.functions.iter().any(|function| function.arguments == id || function.result == Some(id))
    });
    match owner {
        Some(service) => {
            let service = &service.name.text;
            format!("{{\"service\": \"{service}\", \"name\": \"{service}_{name}\"}}")
        }
        None => format!("{{\"service\": null, \"name\": \"{name}\"}}"),
    }
}
