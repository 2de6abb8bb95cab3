//! Generated Python on objects that have `None` where nothing is set, as those of both runtimes do.

use std::fmt::Write;
use std::process::Command;

use contract::Constant;
use thrift::model::{StructId, Type, TypeId};
use thrift_codegen::GeneratedFile;
use thrift_codegen::python::{PythonOptions, generate};
use thrift_conformance::{Case, CaseSide, ParsedCase};

use super::run::{Questions, documented, folder, is_verdict, write};
use super::{functions, names};
use crate::support::input;

const HEAD: &str = "\
import importlib

class Obj:
    def __init__(self, fields):
        self.__dict__.update(fields)

    def __getattr__(self, name):
        return None

def ask_nothing(case):
    module = importlib.import_module(case + '_validate')
    for name in dir(module):
        if name.startswith('violations_'):
            list(getattr(module, name)(Obj({})))

def ask(case, root, value):
    module = importlib.import_module(case + '_validate')
    every = list(getattr(module, 'violations_' + root)(value))
    try:
        getattr(module, 'validate_' + root)(value)
        assert not every
        print('valid')
    except module.ValidationError as error:
        assert (every[0].rule, every[0].path) == (error.rule, error.path)
        print(error.rule + ' @ ' + error.path)

";

pub(super) fn code(case: &Case) -> Vec<GeneratedFile> {
    let functions = functions::declared();
    let options = PythonOptions { functions: functions::symbols("functions."), ..PythonOptions::default() };
    let read = case.read_as("case.thrift", "py", &functions).unwrap();
    generate(input(&read, &functions), &options).files
}

/// Runs all cases in one interpreter.
pub(crate) fn agrees() {
    let work = folder("generated-python", &[]);
    let functions = functions::declared();
    let options = PythonOptions { functions: functions::symbols("functions."), ..PythonOptions::default() };
    write(&work.join("functions.py"), &functions::file("functions.py.txt"));
    let mut program = String::from(HEAD);
    let mut questions = Questions::default();
    let mut cases = documented();
    cases.extend(names::cases(code, &[], &["operator", "re", "obj"], 1));
    for case in cases {
        let name = case.id.to_lowercase();
        let read = case.read_as(&format!("{name}.thrift"), "py", &functions).unwrap();
        let generated = generate(input(&read, &functions), &options);
        assert_eq!(generated.files.len(), 1, "{}: {:?}", case.name, generated.diagnostics);
        for file in &generated.files {
            write(&work.join(&file.path), &file.text);
        }
        if case.rows.is_empty() {
            writeln!(program, "ask_nothing('{name}')").unwrap();
        }
        for row in &case.rows {
            if row.side == CaseSide::Go {
                continue;
            }
            let id = read.structure(&case.root).unwrap();
            let value = object(&read, id, &read.value(id, &row.value).unwrap());
            writeln!(program, "ask('{name}', '{}', {value})", case.root).unwrap();
            questions.note(&name, &case, row);
        }
    }
    write(&work.join("program.py"), &program);
    questions.judge("Python", Command::new("python3").arg("program.py").current_dir(&work), is_verdict);
}

fn object(read: &ParsedCase, id: StructId, value: &Constant) -> String {
    let Constant::Object(members) = value else { panic!("{value}") };
    let fields = members.iter().map(|(tag, member)| {
        let field =
            read.model[id].fields.iter().find(|field| Constant::Int(field.wire_id().into()) == *tag).unwrap();
        format!("'{}': {}", field.name.text, typed(read, field.ty, member))
    });
    format!("Obj({{{}}})", fields.collect::<Vec<_>>().join(", "))
}

fn typed(read: &ParsedCase, ty: TypeId, value: &Constant) -> String {
    let join = |items: Vec<String>| items.join(", ");
    match (read.model.real(ty), value) {
        (Type::Struct(id), value) => object(read, id, value),
        (Type::List(element) | Type::Set(element), Constant::List(items)) => {
            format!("[{}]", join(items.iter().map(|item| typed(read, element, item)).collect()))
        }
        (Type::Map(key, of), Constant::Object(members)) => {
            let entries =
                members.iter().map(|(k, v)| format!("{}: {}", typed(read, key, k), typed(read, of, v)));
            format!("{{{}}}", join(entries.collect()))
        }
        (_, Constant::Bool(it)) => if *it { "True" } else { "False" }.to_owned(),
        (_, Constant::Int(it)) => it.to_string(),
        (_, Constant::Float(it)) => format!("float('{it:?}')"),
        (Type::Binary, Constant::Text(text)) => bytes(text.as_bytes()),
        (_, Constant::Text(text)) => format!("{}.decode()", bytes(text.as_bytes())),
        (_, Constant::Bytes(it)) => bytes(it),
        (other, value) => panic!("{value} is no {other:?}"),
    }
}

fn bytes(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("bytes.fromhex('{digits}')")
}
