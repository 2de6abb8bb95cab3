//! Generated Go on the structs of thriftgo.

use std::path::Path;
use std::process::Command;

use thrift::codegen::{Input, go};
use thrift::rules::Functions;

use crate::casebook::{Case, Side, Verdict, cases};
use crate::run::{Tally, beside, folder, run, write};

/// Compiles all cases into one program and asks it for its verdicts.
pub(crate) fn agrees() {
    let work = folder("generated-go", &["thriftgo"]);
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| case.refused.is_none() && case.option("only").is_none()).collect();
    idl(&work, &cases);
    structs(&work);
    validators(&work, &cases);
    program(&work, &cases);
    let answers = ask(&work, &cases);
    let mut tally = Tally::default();
    let mut answers = answers.lines();
    for case in &cases {
        for row in asked(case) {
            let answer = answers.next().unwrap_or("no answer");
            let (found, more) = answer.split_once('\t').unwrap_or((answer, ""));
            let expected = match row.side {
                Side::Wire => "valid".to_owned(),
                Side::Everyone | Side::Go => row.verdict.to_string(),
            };
            // Texts that are put together cost memory; nothing else does.
            let free = more == "0" || case.idl.contains("@sprintf") || case.idl.contains("\\\"!\\\"");
            let same = found == expected && (found != "valid" || free);
            tally.note(&case.name, &row.text, &expected, answer, same);
        }
    }
    tally.finish("Go");
}

/// The rows that Go can be asked.
fn asked(case: &Case) -> impl Iterator<Item = &crate::casebook::Row> {
    case.rows.iter().filter(|row| !matches!(row.verdict, Verdict::Missing(_)))
}

fn package(case: &Case) -> String {
    case.id.to_lowercase()
}

/// One file for each case, and one that includes them all.
fn idl(work: &Path, cases: &[Case]) {
    let mut all = String::new();
    for case in cases {
        let name = package(case);
        write(&work.join(format!("idl/{name}.thrift")), &format!("namespace go {name}\n{}", case.idl));
        all.push_str(&format!("include \"{name}.thrift\"\n"));
    }
    all.push_str("struct All {}\n");
    write(&work.join("idl/all.thrift"), &all);
}

/// The structs, by thriftgo.
fn structs(work: &Path) {
    let thriftgo = work.join("thriftgo");
    run(
        Command::new("go")
            .args(["build", "-o"])
            .arg(&thriftgo)
            .arg("github.com/cloudwego/thriftgo")
            .current_dir(beside("go")),
        None,
    );
    let options = "go:no_default_serdes=true,package_prefix=cases/gen";
    run(
        Command::new(&thriftgo).args(["-r", "-g", options, "-o", "gen", "idl/all.thrift"]).current_dir(work),
        None,
    );
}

/// The methods, by us.
fn validators(work: &Path, cases: &[Case]) {
    let functions = Functions::at(0);
    let mut written = Vec::new();
    for case in cases {
        let read = case.read_as(&format!("{}.thrift", package(case)), "go", &functions);
        let input = Input {
            program: &read.program,
            model: &read.model,
            lowered: &read.lowered,
            functions: &functions,
        };
        let generated = go::generate(input, &go::Options::default());
        assert!(!generated.files.is_empty(), "{}: {:?}", case.name, generated.diagnostics);
        for file in generated.files {
            let path = work.join("gen").join(&file.path);
            write(&path, &file.text);
            written.push(path);
        }
    }
    let unformatted = run(Command::new("gofmt").arg("-d").args(&written), None);
    assert_eq!(unformatted, "", "gofmt writes it differently");
}

/// The program that knows every case.
fn program(work: &Path, cases: &[Case]) {
    write(&work.join("go.mod"), "module cases\n\ngo 1.18\n");
    let driver = std::fs::read_to_string(beside("go/driver.go")).unwrap();
    write(&work.join("driver.go"), &driver);
    let mut imports = String::new();
    let mut roots = String::new();
    for case in cases {
        let name = package(case);
        let root = case.option("go").unwrap_or(&case.root);
        imports.push_str(&format!("\t\"cases/gen/{name}\"\n"));
        roots.push_str(&format!("\t\"{name}\": func() interface{{}} {{ return {name}.New{root}() }},\n"));
    }
    let text = format!(
        "package main\n\nimport (\n{imports})\n\nvar roots = map[string]func() interface{{}}{{\n{roots}}}\n"
    );
    write(&work.join("roots.go"), &text);
    run(Command::new("go").args(["build", "-o", "program", "."]).current_dir(work), None);
}

fn ask(work: &Path, cases: &[Case]) -> String {
    let mut input = String::new();
    for case in cases {
        for row in asked(case) {
            input.push_str(&format!("{}\t{}\n", package(case), row.text));
        }
    }
    run(&mut Command::new(work.join("program")), Some(&input))
}
