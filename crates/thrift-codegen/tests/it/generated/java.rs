//! Generated Java on the classes of the Apache compiler.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use contract::Constant;
use thrift::model::{StructId, StructRole, Type, TypeId};
use thrift::rules::Functions;
use thrift_codegen::GeneratedFile;
use thrift_codegen::java::{JavaOptions, generate};
use thrift_conformance::{Case, CaseValue, ExpectedVerdict, ParsedCase};

use super::run::{
    Questions, beside, documented_for_apache, folder, is_text, parsed, run, same_but_for_sets, types_of,
    write,
};
use super::{functions, names};
use crate::support::input;

/// Compiles all cases into one program and asks it for its verdicts.
pub(crate) fn agrees() {
    let mut cases = documented_for_apache();
    cases.extend(names::cases(plain_code, BREAKS, FILES, 1));
    agree("generated-java", cases, OPTIONS, &JavaOptions::default());
}

/// The same for classes whose fields only methods can reach, with the cases that differ in how fields are reached.
pub(crate) fn agrees_with_private_members() {
    let mut cases = documented_for_apache();
    cases.retain(|case| case.id.starts_with(['C', 'D', 'E', 'F', 'U']));
    let options = JavaOptions { private_members: true, ..JavaOptions::default() };
    agree("generated-java-private", cases, &format!("{OPTIONS},private_members"), &options);
}

fn agree(place: &str, cases: Vec<Case>, told: &str, options: &JavaOptions) {
    let work = folder(place, &[]);
    let functions = functions::declared();
    let options = &JavaOptions { functions: functions::symbols("cases.Functions."), ..options.clone() };
    let mut roots = String::new();
    let mut questions = Questions::default();
    write(&work.join("src/cases/Functions.java"), &functions::file("Functions.java.txt"));
    for case in cases {
        let name = case.id.to_lowercase();
        let read = parsed(&case, "java", &functions);
        write(
            &work.join(format!("idl/{name}.thrift")),
            &format!("namespace java {name}\n{}", types_of(&case)),
        );
        types(&work, &work.join(format!("idl/{name}.thrift")), told);
        for file in code(&case, &functions, options) {
            write(&work.join("src").join(&file.path), &file.text);
        }
        let id = read.structure(&case.root).unwrap();
        if case.rows.is_empty() {
            continue;
        }
        root(&mut roots, &name, &class(&read, id));
        for row in case.rows.iter().filter(|row| can_be_asked(&case, &read, id, row)) {
            questions.ask(&name, &case, &read, row);
        }
    }
    write(
        &work.join("src/cases/Roots.java"),
        &format!(
            "package cases;\n\nfinal class Roots {{\n  static String judge(String name, byte[] bytes) throws Exception {{\n    \
             switch (name) {{\n{roots}      default:\n        throw new IllegalArgumentException(name);\n    }}\n  }}\n}}\n"
        ),
    );
    let main = std::fs::read_to_string(beside("java/Main.java.txt")).unwrap();
    write(&work.join("src/cases/Main.java"), &main);
    compile(&work);
    let program = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", "-cp"];
    let path = format!("classes:{}", jars().display());
    questions.judge(
        place,
        Command::new("java").args(program).arg(path).arg("cases.Main").current_dir(&work),
        |case, expected, answer| match expected {
            // The reader of the classes does.
            ExpectedVerdict::Missing(field) => {
                let name = field.rsplit('.').next().unwrap_or(field);
                answer.starts_with("missing ") && answer.contains(&format!("'{name}'"))
            }
            _ => same_but_for_sets(case, &expected.to_string(), answer),
        },
    );
}

/// With fields that can be reached.
pub(super) fn plain_code(case: &Case) -> Vec<GeneratedFile> {
    let functions = functions::symbols("cases.Functions.");
    code(case, &functions::declared(), &JavaOptions { functions, ..JavaOptions::default() })
}

fn code(case: &Case, functions: &Functions, options: &JavaOptions) -> Vec<GeneratedFile> {
    let generated = generate(input(&parsed(case, "java", functions), functions), options);
    assert!(!generated.files.is_empty(), "{}: {:?}", case.name, generated.diagnostics);
    generated.files
}

/// Words of the language, and names that the compiler's own code has for something else.
const BREAKS: &[&str] = &[
    "Cloneable",
    "Comparable",
    "Override",
    "_Fields",
    "boolean",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "continue",
    "default",
    "else",
    "extends",
    "false",
    "final",
    "float",
    "for",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "java",
    "long",
    "native",
    "new",
    "null",
    "org",
    "package",
    "private",
    "public",
    "return",
    "short",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

/// Files that are called like ours.
const FILES: &[&str] = &["tendon", "it"];

/// What the compiler is told; the annotation is not in every JDK.
pub(super) const OPTIONS: &str = "java:generated_annotations=suppress";

/// The types, by the Apache compiler.
pub(super) fn types(work: &Path, idl: &Path, options: &str) {
    std::fs::create_dir_all(work.join("src")).unwrap();
    run(
        Command::new("thrift").args(["-r", "--gen", options, "-out", "src"]).arg(idl).current_dir(work),
        None,
    );
}

/// The libraries of the types, which Maven brings; they are the same for everyone.
pub(super) fn jars() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("jars");
    if !folder.join("slf4j-api-1.7.36.jar").exists() {
        let output = format!("-DoutputDirectory={}", folder.display());
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies", &output, "--file"]);
        run(maven.arg(beside("java/pom.xml")).current_dir(env!("CARGO_TARGET_TMPDIR")), None);
    }
    folder.join("*")
}

/// Compiles all sources below `src`, every warning of which would be one of its users.
pub(super) fn compile(work: &Path) {
    let mut sources = String::new();
    let mut folders = vec![work.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => writeln!(sources, "{}", path.display()).unwrap(),
            }
        }
    }
    write(&work.join("sources.txt"), &sources);
    let mut javac = Command::new("javac");
    javac.args([
        "--release",
        "8",
        "-nowarn",
        "-proc:none",
        "-g:none",
        "-encoding",
        "UTF-8",
        "-d",
        "classes",
        "-cp",
    ]);
    run(javac.arg(jars()).arg("@sources.txt").current_dir(work), None);
}

/// The class of a struct, which is inside that of its service if it carries arguments.
fn class(read: &ParsedCase, id: StructId) -> String {
    let it = &read.model[id];
    let owner = read.model.services.iter().find(|service| {
        service.functions.iter().any(|function| function.arguments == id || function.result == Some(id))
    });
    match (it.role, owner) {
        (StructRole::Arguments | StructRole::Result, Some(service)) => {
            format!("{}.{}", service.name.text, it.name.text)
        }
        _ => it.name.text.clone(),
    }
}

fn root(roots: &mut String, name: &str, class: &str) {
    let upper = name.to_uppercase();
    let validator = format!("{name}.{upper}Validator");
    writeln!(
        roots,
        "      case \"{name}\": {{\n        {name}.{class} it = new {name}.{class}();\n        Main.read(it, bytes);\n        \
         return Main.answer({validator}.isValid(it), {validator}.violations(it), () -> {validator}.validate(it));\n      }}"
    )
    .unwrap();
}

/// Whether the value is still there when the reader of the classes has read it: numbers that no member of an enum has are
/// left out.
fn can_be_asked(case: &Case, read: &ParsedCase, id: StructId, row: &CaseValue) -> bool {
    is_text(case, row) && fields_are_known(read, id, &read.value(id, &row.value).unwrap())
}

fn fields_are_known(read: &ParsedCase, id: StructId, value: &Constant) -> bool {
    let Constant::Object(members) = value else { return true };
    members.iter().all(|(tag, member)| {
        let mut fields = read.model[id].fields.iter();
        let field = fields.find(|field| Constant::Int(field.wire_id().into()) == *tag).unwrap();
        is_known(read, field.ty, member)
    })
}

fn is_known(read: &ParsedCase, ty: TypeId, value: &Constant) -> bool {
    match (read.model.real(ty), value) {
        (Type::Enum(id), Constant::Int(number)) => {
            i32::try_from(*number).is_ok_and(|number| read.model[id].has_number(number))
        }
        (Type::List(element) | Type::Set(element), Constant::List(items)) => {
            items.iter().all(|item| is_known(read, element, item))
        }
        (Type::Map(key, of), Constant::Object(members)) => {
            members.iter().all(|(k, v)| is_known(read, key, k) && is_known(read, of, v))
        }
        (Type::Struct(id), value) => fields_are_known(read, id, value),
        _ => true,
    }
}
