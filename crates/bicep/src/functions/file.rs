//! Files that are read while the program is compiled.

use super::row::Becomes;
use super::{Family, Function};
use crate::content::Encoding;
use crate::types::{CallRule, FunctionFlags, Overload as O, ParameterRow as P, Ty, union_of};

pub(super) static FUNCTIONS: &[Function] = &[
    row(
        "loadDirectoryFileInfo",
        "Lists the files of a folder, by a pattern if one is given, with names, paths and extensions.",
        FunctionFlags::HOIST_ALWAYS,
        &[O::call(
            &[P::new("path", Ty::string), P::new("pattern", Ty::string).optional()],
            CallRule::FolderListing,
            Ty::array,
        )],
    ),
    row(
        "loadFileAsBase64",
        "Reads a file and encodes its bytes as base64.",
        FunctionFlags::HOIST_INDIRECT,
        &[O::call(&[P::new("path", Ty::string)], CallRule::FileBytes, Ty::string)],
    ),
    row(
        "loadJsonContent",
        "Reads a JSON file, or the part of it that a JSONPath names.",
        FunctionFlags::HOIST_ALWAYS,
        &[O::call(DATA, CallRule::JsonFile, Ty::any)],
    ),
    row(
        "loadTextContent",
        "Reads a file as text.",
        FunctionFlags::HOIST_INDIRECT,
        &[O::call(
            &[P::new("path", Ty::string), P::new("encoding", encoding).optional()],
            CallRule::FileText,
            Ty::string,
        )],
    ),
    row(
        "loadYamlContent",
        "Reads a YAML file, or the part of it that a JSONPath names.",
        FunctionFlags::HOIST_ALWAYS,
        &[O::call(DATA, CallRule::YamlFile, Ty::any)],
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
