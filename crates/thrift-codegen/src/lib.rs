//! Code that validates: from lowered rules to source text in other languages.
//!
//! `plan` joins the rules with the types they are checked on, `operand` says what the right-hand sides of
//! rules are, `words` what is said when one does not hold; none of them knows a target. Each target then writes
//! the same plan in its own language: [`go`] for the structs of thriftgo and kitex, [`rust`] for the types of
//! pilota and of the Apache compiler, [`python`] for the objects of thriftpy2 and of the Apache compiler, [`java`] and
//! [`typescript`] for those of the Apache compiler, with `braces` for what these two share and `matcher` for their patterns.
//! [`plugin`] speaks to thriftgo. Nothing is read or written here: files come back as text.

mod braces;
mod lines;
mod matcher;
mod operand;
mod plan;
mod words;

pub mod go;
pub mod java;
pub mod plugin;
pub mod python;
pub mod rust;
pub mod typescript;

use std::collections::BTreeSet;

use thrift::Diagnostic;
use thrift::model::{Model, ThriftProgram};
use thrift::rules::{Functions, Lowered};

/// What code is generated from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'m> {
    /// The files, for their paths and namespaces.
    pub program: &'m ThriftProgram,
    /// The definitions, for their types.
    pub model: &'m Model,
    /// The rules of all types of the program.
    pub lowered: &'m Lowered,
    /// The functions that the rules were lowered with.
    pub functions: &'m Functions,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Where it goes, from the root of the output, with `/` between the parts.
    pub path: String,
    /// The whole text of the file.
    pub text: String,
}

/// What a generator made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    /// The files, in the order of the program's files. Empty if a rule cannot be written in the language.
    pub files: Vec<GeneratedFile>,
    /// What cannot be written, and what is not quite the same.
    pub diagnostics: Vec<Diagnostic>,
    /// The packages that the code needs beside the standard library and the runtime of the types.
    pub needs: Vec<&'static str>,
}

impl Generated {
    /// Puts files and findings together; nobody should compile half a validator.
    fn new(files: Vec<GeneratedFile>, mut diagnostics: Vec<Diagnostic>) -> Generated {
        // A function that the language lacks is missed at each of its calls.
        let mut seen = BTreeSet::new();
        diagnostics.retain(|it| seen.insert((it.primary, it.code.clone(), it.message.clone())));
        match diagnostics.iter().any(Diagnostic::is_error) {
            true => Generated { files: Vec::new(), diagnostics, needs: Vec::new() },
            false => Generated { files, diagnostics, needs: Vec::new() },
        }
    }
}
