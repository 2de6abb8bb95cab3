//! What several tests share.

use thrift::Diagnostic;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift_codegen::Input;
use thrift_conformance::ParsedCase;

/// What code of a case is generated from.
pub(crate) fn input<'r>(read: &'r ParsedCase, functions: &'r Functions) -> Input<'r> {
    Input { program: &read.program, model: &read.model, lowered: &read.lowered, functions }
}

/// Reads a program of one file, whatever is wrong with it.
pub(crate) fn read(text: &str) -> ParsedCase {
    read_as("s.thrift", text)
}

/// The same for a file with a name.
pub(crate) fn read_as(name: &str, text: &str) -> ParsedCase {
    let mut loader = MemoryLoader::default().file(name, text);
    let (program, mut diagnostics) = load(name, &mut loader, &LoadConfig::default()).unwrap();
    let (model, more) = resolve(&program, &Config::default());
    diagnostics.extend(more);
    let (lowered, more) = lower(&model, &RuleConfig::default(), &Functions::at(0));
    diagnostics.extend(more);
    ParsedCase { program, model, lowered, diagnostics }
}

/// The codes of the errors.
pub(crate) fn errors(found: &[Diagnostic]) -> Vec<&str> {
    found.iter().filter(|it| it.is_error()).map(|it| &*it.code).collect()
}
