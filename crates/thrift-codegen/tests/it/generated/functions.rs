//! Functions that the user supplies, called by rules: `tests/functions` has the cases and the code of each language.

use std::collections::BTreeMap;

use thrift::FileId;
use thrift::rules::{Declarations, Functions};
use thrift_conformance::Case;

use super::run::beside;

/// A file beside the cases.
pub(crate) fn file(name: &str) -> String {
    std::fs::read_to_string(beside("functions").join(name)).unwrap()
}

pub(crate) fn cases() -> Vec<Case> {
    thrift_conformance::read(&[("functions", &file("cases.md"))]).unwrap()
}

fn declarations() -> Declarations {
    let mut declarations = Declarations::default();
    assert_eq!(declarations.read(&file("functions.txt"), FileId(0)), []);
    declarations
}

/// The functions as they are declared.
pub(crate) fn declared() -> Functions {
    Functions::at(0).with(declarations())
}

/// What the functions are called in a language.
pub(crate) fn symbols(before: &str) -> BTreeMap<String, String> {
    symbols_by(|name| format!("{before}{name}"))
}

/// The same, where a name is spelt in a way of its own.
pub(crate) fn symbols_by(symbol: impl Fn(&str) -> String) -> BTreeMap<String, String> {
    declarations().names().map(|name| (name.to_owned(), symbol(name))).collect()
}
