//! Files that are read while the program is compiled.

use super::row::Becomes;
use super::{Family, Function, FunctionFlags, Overload as O, Parameter as P};
use crate::files::content::Encoding;
use crate::types::{Ty, union_of};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "loadDirectoryFileInfo",
        "Lists the files of a folder, by a pattern if one is given, with names, paths and extensions.",
        FunctionFlags::HOIST_ALWAYS,
        &[O::call(
            &[P::new("path", Ty::string), P::new("pattern", Ty::string).optional()],
            |checker, call, arguments| checker.load_folder(call, arguments),
            Ty::array,
        )],
    ),
    row(
        "loadFileAsBase64",
        "Reads a file and encodes its bytes as base64.",
        FunctionFlags::HOIST_INDIRECT,
        &[O::call(
            &[P::new("path", Ty::string)],
            |checker, call, arguments| checker.load_bytes(call, arguments),
            Ty::string,
        )],
    ),
    row(
        "loadJsonContent",
        "Reads a JSON file, or the part of it that a JSONPath names.",
        FunctionFlags::HOIST_ALWAYS,
        &[O::call(DATA, |checker, call, arguments| checker.load_json(call, arguments), Ty::any)],
    ),
    row(
        "loadTextContent",
        "Reads a file as text.",
        FunctionFlags::HOIST_INDIRECT,
        &[O::call(
            &[P::new("path", Ty::string), P::new("encoding", encoding).optional()],
            |checker, call, arguments| checker.load_text(call, arguments),
            Ty::string,
        )],
    ),
    row(
        "loadYamlContent",
        "Reads a YAML file, or the part of it that a JSONPath names.",
        FunctionFlags::HOIST_ALWAYS,
        &[O::call(DATA, |checker, call, arguments| checker.load_yaml(call, arguments), Ty::any)],
    ),
];

const DATA: &[P] = &[
    P::new("path", Ty::string),
    P::new("jsonPath", Ty::string).optional(),
    P::new("encoding", encoding).optional(),
];

const fn row(
    name: &'static str,
    doc: &'static str,
    hoisted: FunctionFlags,
    overloads: &'static [O],
) -> Function {
    Function::sys(Family::File, name, doc, overloads).flags(hoisted).becomes(Becomes::Loaded)
}

fn encoding() -> Ty {
    union_of(Encoding::names().map(Ty::string_literal))
}
