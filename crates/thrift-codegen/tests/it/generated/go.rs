//! Generated Go on the structs of thriftgo.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use contract::{Constant, Signature};
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::validate::read_value;
use thrift::wire::{BinaryReader, Limits};
use thrift_codegen::{GeneratedFile, Input, go, plugin};
use thrift_conformance::{Case, CaseSide, ExpectedVerdict};

use super::run::{Tally, beside, documented, folder, run, write};
use super::{functions, go_runs, names};
use crate::support::input;

/// Compiles all cases into one program and asks it for its verdicts.
pub(crate) fn agrees() {
    let work = folder("generated-go", &["thriftgo"]);
    let mut cases = documented();
    cases.extend(names::cases(code, BREAKS, FILES, 1));
    idl(&work, &cases);
    structs(&work);
    go_runs::compile(&work);
    write(&work.join("functions/functions.go"), &functions::file("functions.go.txt"));
    validators(&work, &cases);
    plugin_agrees(&work, &cases);
    options(&work);
    program(&work, &cases);
    let answers = ask(&work, &cases);
    let mut tally = Tally::default();
    let mut answers = answers.lines();
    let answer = answers.next().unwrap_or("no answer");
    tally.note("options", "", OPTIONS, answer, OPTIONS == answer);
    for case in &cases {
        for row in asked(case) {
            let answer = answers.next().unwrap_or("no answer");
            let (found, more) = answer.split_once('\t').unwrap_or((answer, ""));
            let expected = match row.side {
                CaseSide::Wire => "valid".to_owned(),
                CaseSide::Everyone | CaseSide::Go => row.verdict.to_string(),
            };
            // Texts that are put together cost memory; nothing else does.
            let free = more == "0"
                || case.idl.contains("@sprintf")
                || case.idl.contains("unique")
                || case.idl.contains("@add($a, '")
                || case.idl.contains("\\\"!\\\"");
            let same = found == expected && (found != "valid" || free);
            tally.note(&case.name, &row.text, &expected, answer, same);
        }
    }
    tally.finish("Go");
}

/// The rows that Go can be asked.
fn asked(case: &Case) -> impl Iterator<Item = &thrift_conformance::CaseValue> {
    case.rows.iter().filter(|row| !matches!(row.verdict, ExpectedVerdict::Missing(_)))
}

fn package(case: &Case) -> String {
    case.id.to_lowercase()
}

/// One file for each case, one that includes them all, and one that includes those of which a plugin knows everything: it is not
/// told the types of functions.
fn idl(work: &Path, cases: &[Case]) {
    let mut all = String::new();
    let mut known = String::new();
    for case in cases {
        let name = package(case);
        write(&work.join(format!("idl/{name}.thrift")), &format!("namespace go {name}\n{}", case.idl));
        let include = format!("include \"{name}.thrift\"\n");
        if !case.id.starts_with('U') {
            known.push_str(&include);
        }
        all.push_str(&include);
    }
    for (file, text) in [("all", all), ("known", known)] {
        write(&work.join(format!("idl/{file}.thrift")), &format!("{text}struct All {{}}\n"));
    }
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
    let mut written = Vec::new();
    for case in cases {
        for file in code(case) {
            let path = work.join("gen").join(&file.path);
            assert!(!path.exists(), "{} is there already", path.display());
            write(&path, &file.text);
            written.push(path);
        }
    }
    let unformatted = run(Command::new("gofmt").arg("-d").args(&written), None);
    assert_eq!(unformatted, "", "gofmt writes it differently");
}

pub(super) fn code(case: &Case) -> Vec<GeneratedFile> {
    let functions = functions::declared();
    let read = case.read_as(&format!("{}.thrift", package(case)), "go", &functions).unwrap();
    let exported = |name: &str| {
        let (first, rest) = name.split_at(1);
        format!("cases/functions.{}{rest}", first.to_uppercase())
    };
    let options = go::GoOptions { functions: functions::symbols_by(exported), ..go::GoOptions::default() };
    let generated = go::generate(input(&read, &functions), &options);
    assert!(!generated.files.is_empty(), "{}: {:?}", case.name, generated.diagnostics);
    generated.files
}

/// Types whose names thriftgo's own code has for something else.
const BREAKS: &[&str] = &[];

/// Files that are called like ours.
const FILES: &[&str] = &["validation_error", "strings", "p"];

/// The same files, from the trees that thriftgo hands to a plugin.
fn plugin_agrees(work: &Path, cases: &[Case]) {
    // A program that keeps the request and fails, so that thriftgo writes nothing.
    let request = work.join("request");
    let keeper = work.join("keeper.sh");
    write(&keeper, &format!("#!/bin/sh\ncat > '{}'\nexit 1\n", request.display()));
    run(Command::new("chmod").arg("+x").arg(&keeper), None);
    let status = Command::new(work.join("thriftgo"))
        .args(["-r", "-g", "go:package_prefix=cases/gen", "-o", "gen", "-p"])
        .arg(format!("tendon={}", keeper.display()))
        .arg("idl/known.thrift")
        .current_dir(work)
        .output()
        .unwrap();
    let bytes = std::fs::read(&request).unwrap_or_else(|error| panic!("{error}: {status:?}"));
    let response = plugin::run(&bytes, &mut MemoryLoader::default(), &mut |_| Ok(Vec::new()));
    let response = read_value(&mut BinaryReader::new(&response, Limits::default())).unwrap();
    let Constant::Object(fields) = &response else { panic!("{response}") };
    let [(Constant::Int(2), Constant::List(files)), (Constant::Int(3), Constant::List(_))] =
        fields.as_slice()
    else {
        panic!("{response}")
    };
    let mut same = 0;
    for file in files {
        let Constant::Object(parts) = file else { panic!("{file}") };
        let [(_, Constant::Text(text)), (_, Constant::Text(path))] = parts.as_slice() else {
            panic!("{file}")
        };
        let plain = cases.iter().find(|case| path.starts_with(&format!("gen/{}/", package(case))));
        if plain.is_some_and(|case| case.config == RuleConfig::default()) {
            assert_eq!(std::fs::read_to_string(work.join(&**path)).unwrap(), **text, "{path}");
            same += 1;
        }
    }
    println!("plugin: {same} files are those from text");
    assert!(same > cases.len());
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

/// What the structs of `tests/go/options` say: errors are exceptions of type 11 wherever they come from, the path
/// leads through packages, and what is redacted stays out.
const OPTIONS: &str = "valid; \
    11 Req.base.kind: must be one of 1, 2, found 3 (vt.defined_only); \
    11 Req.list[2].name: must have at least 1 byte, has 0, found \"\" (vt.min_size); \
    11 Req.entries['k']: must be there (vt.no_sparse); \
    11 Req.d: must be less than 20.0 (@twice($n)), found 20.0 (vt.lt); \
    11 Req.token: must have at most 3 bytes, found <secret> (vt.max_size); <secret>; \
    11 call_args.req: must be there (vt.not_nil); \
    11 call_args.k: must be greater than 1, found 0 (vt.gt); valid; ";

/// Structs in two packages, with every option that changes the code.
fn options(work: &Path) {
    let folder = beside("go/options");
    let file = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let mut loader = MemoryLoader::default();
    for name in ["base.thrift", "main.thrift"] {
        write(&work.join("idl").join(name), &file(name));
        loader = loader.file(name, &file(name));
    }
    write(&work.join("runtime/runtime.go"), &file("runtime.go.txt"));
    write(&work.join("options.go"), &file("check.go.txt"));
    let generator = "go:no_default_serdes=true,no_processor=true,package_prefix=cases/gen";
    run(
        Command::new(work.join("thriftgo"))
            .args(["-r", "-g", generator, "-o", "gen", "idl/main.thrift"])
            .current_dir(work),
        None,
    );
    let mut functions = Functions::at(0);
    let signature = Signature { least: 1, most: 1, pure_: false };
    functions.register("twice", signature, Arc::new(|_| Err("only in Go".to_owned())));
    let (program, _) = load("main.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let (lowered, found) = lower(&model, &RuleConfig::default(), &functions);
    assert!(!found.iter().any(thrift::Diagnostic::is_error), "{found:?}");
    let options = go::GoOptions {
        is_valid: true,
        avoid_name: true,
        application_exception: Some("cases/runtime".to_owned()),
        functions: [("twice".to_owned(), "cases/runtime.Twice".to_owned())].into(),
        ..go::GoOptions::default()
    };
    let input = Input { program: &program, model: &model, lowered: &lowered, functions: &functions };
    let generated = go::generate(input, &options);
    assert!(!generated.files.is_empty(), "{:?}", generated.diagnostics);
    let mut written = Vec::new();
    for file in generated.files {
        let path = work.join("gen").join(&file.path);
        write(&path, &file.text);
        written.push(path);
    }
    assert_eq!(run(Command::new("gofmt").arg("-d").args(&written), None), "", "gofmt writes it differently");
}

fn ask(work: &Path, cases: &[Case]) -> String {
    let mut input = String::from("options\t{}\n");
    for case in cases {
        for row in asked(case) {
            input.push_str(&format!("{}\t{}\n", package(case), row.text));
        }
    }
    run(&mut Command::new(work.join("program")), Some(&input))
}
