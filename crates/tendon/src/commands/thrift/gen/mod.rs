//! `tendon thrift gen`: rules as code of other languages.

mod options;
mod target;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use diagnostics::{Diagnostic, SourceMap, printable};
use serde::Serialize;
use thrift::rules::{Declarations, Functions, lower};
use thrift_codegen::{Generated, Input, go, java, python, rust, typescript};

use self::options::{Language, Method, TypeCompiler};
use self::target::{FileStatus, GenerationTarget};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::input::{self, Unread};
use crate::output::Streams;
use crate::report;
use crate::thrift_functions::{DeclarationFiles, FunctionOptions};
use crate::thrift_idl::{self, IdlOptions};

/// Generate code that validates: methods and functions for the types that other compilers make
///
/// The types come from thriftgo or kitex in Go, pilota or Apache's compiler in Rust, thriftpy2 or Apache's compiler in Python,
/// Apache's compiler in Java and TypeScript; what is written here stands beside them. Files that would not change are not touched.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Thrift files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// The language to write
    #[arg(short, long, value_enum, value_name = "LANGUAGE")]
    lang: Language,

    /// The compiler that generates the types: `thriftgo` or `kitex` in Go, `pilota` or `apache` in Rust, `thriftpy2` or
    /// `apache` in Python; always `apache` in Java and TypeScript
    #[arg(long, value_enum, value_name = "COMPILER")]
    types: Option<TypeCompiler>,

    /// The folder to write to; without it `gen-go` (`kitex_gen` for kitex), `gen-rs`, `gen-py`, `gen-java` or `gen-nodejs`
    #[arg(long = "outdir", alias = "out", value_name = "DIR", conflicts_with = "stdout")]
    out: Option<PathBuf>,

    /// Print the code instead of writing files; diagnostics go to standard error
    #[arg(long)]
    stdout: bool,

    /// Write nothing, and fail if a file is missing or not what would be written
    #[arg(long, conflicts_with = "stdout")]
    check: bool,

    /// Generate for included files, too; all languages but Go always do
    #[arg(short, long)]
    recursive: bool,

    /// A file whose text every generated file begins with, as a comment: a licence, for example
    #[arg(long, value_name = "FILE")]
    header: Option<OsString>,

    /// Go: the methods to write
    #[arg(long = "method", value_enum, value_name = "METHOD", value_delimiter = ',')]
    methods: Vec<Method>,

    /// Go: the options that thriftgo is given after `-g go:`, since names depend on them
    #[arg(long = "thriftgo", value_name = "OPTION[=VALUE]", value_delimiter = ',')]
    thriftgo: Vec<String>,

    /// Go: the import path of a Thrift runtime whose `TApplicationException` the errors are
    #[arg(long, value_name = "IMPORT_PATH")]
    exception: Option<String>,

    /// Rust: the path of the module that holds the types; without it `crate::gen`
    #[arg(long, value_name = "PATH")]
    root: Option<String>,

    /// The module that is written, `validate` in Rust and `FILE_validate` in Python; in Java and TypeScript the package or module
    /// that all others share, `tendon.validation` and `tendon_validation`
    #[arg(long, value_name = "NAME")]
    module: Option<String>,

    /// Java: the types have private fields, since Apache's compiler was given `private_members` or `beans`
    #[arg(long)]
    private_members: bool,

    #[command(flatten)]
    functions: FunctionOptions,

    #[command(flatten)]
    idl: IdlOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon thrift gen --lang go -r service.thrift --outdir gen-go
  tendon thrift gen --lang go --types kitex --method validate,is-valid service.thrift
  tendon thrift gen --lang rust --types pilota --root crate::gen service.thrift --outdir src
  tendon thrift gen --lang python service.thrift --stdout
  tendon thrift gen --lang java service.thrift --outdir gen-java
  tendon thrift gen --lang typescript service.thrift --outdir gen-nodejs
  tendon thrift gen --lang go service.thrift \\
    --function 'twice(i64) -> i64 = example.com/rules.Twice'
  tendon thrift gen --lang go service.thrift --check";

/// Generates everything, then writes it.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    arguments.fit_together()?;
    let header = arguments.header.as_ref().map(text_of).transpose()?;
    let target = match arguments.stdout {
        true => GenerationTarget::Nowhere,
        false if arguments.check => GenerationTarget::Check(arguments.folder()),
        false => GenerationTarget::Write(arguments.folder()),
    };
    let mut sources = SourceMap::new();
    let mut made = GenerationResult::default();
    let mut declarations = DeclarationFiles::new(&arguments.functions);
    for file in &arguments.files {
        let declared = declarations.of(file.as_ref(), &mut sources)?;
        arguments.generate(file, &declared, &target, &mut sources, &mut made)?;
    }
    made.findings.append(&mut declarations.findings);
    made.findings.retain(|finding| finding.severity != diagnostics::Severity::Info);
    let failed = made.findings.iter().any(Diagnostic::is_error);
    if failed {
        made.files.clear();
        made.needs.clear();
    }
    if let Some(header) = &header {
        for (path, file) in &mut made.files {
            file.text = format!("{}\n{}", commented(header, path), file.text);
        }
    }
    let mut exit = if failed { Exit::Input } else { Exit::Fine };
    let mut records = Vec::new();
    for (path, file) in &made.files {
        let (shown, state) = target.place(path, &file.text)?;
        exit = exit.max(state.exit());
        records.push(Record { file: shown, state, text: arguments.stdout.then_some(file.text.as_str()) });
    }
    print(arguments, common, streams, &sources, &made, &records)?;
    Ok(exit)
}

/// What the runs over all files come to.
#[derive(Default)]
struct GenerationResult {
    /// The files by path, each with the Thrift file that it was made for.
    files: BTreeMap<String, PendingFile>,
    findings: Vec<Diagnostic>,
    needs: Vec<&'static str>,
}

struct PendingFile {
    text: String,
    source: String,
}

impl Arguments {
    /// Generates for one file.
    fn generate(
        &self,
        file: &str,
        declared: &Declarations,
        target: &GenerationTarget,
        sources: &mut SourceMap,
        made: &mut GenerationResult,
    ) -> Result<(), CommandError> {
        let mut idl = thrift_idl::read(file, &self.idl, sources)?;
        let functions = Functions::at(0).with(declared.clone());
        let (lowered, found) = lower(&idl.model, &self.idl.rules(), &functions);
        idl.add(found);
        let mut generated = Generated::default();
        if idl.is_usable() {
            idl.add(lowered.findings(&functions));
            let input =
                Input { program: &idl.program, model: &idl.model, lowered: &lowered, functions: &functions };
            generated = match self.lang {
                Language::Go => {
                    let neighbours = target.go_files(&go::folders(&idl.program))?;
                    go::generate(input, &go::GoOptions { neighbours, ..self.go(declared) })
                }
                Language::Rust => rust::generate(input, &self.rust(declared)),
                Language::Python => python::generate(input, &self.python(declared)),
                Language::Java => java::generate(input, &self.java(declared)),
                Language::TypeScript => typescript::generate(input, &self.typescript(declared)),
            };
        }
        idl.add(generated.diagnostics);
        made.findings.append(&mut idl.findings);
        for need in generated.needs {
            if !made.needs.contains(&need) {
                made.needs.push(need);
            }
        }
        for it in generated.files {
            match made.files.get(&it.path) {
                // Files of one package share the type of their error.
                Some(known) if known.text == it.text => {}
                Some(known) => return Err(clash(&it.path, &known.source, file)),
                None => {
                    made.files.insert(it.path, PendingFile { text: it.text, source: file.to_owned() });
                }
            }
        }
        Ok(())
    }
}

fn clash(path: &str, first: &str, second: &str) -> CommandError {
    CommandError::Usage(format!(
        "`{path}` would be written for `{first}` and, differently, for `{second}`; \
         generate them apart, or for one file that includes both"
    ))
}

fn text_of(path: &OsString) -> Result<String, CommandError> {
    match input::read(path, &document::ReadLimits::default()) {
        Ok(input) => Ok(input.into_text()),
        Err(Unread::Failed(failure)) => Err(failure),
        Err(Unread::TooLarge(finding)) => Err(CommandError::Environment(finding.message.to_string())),
    }
}

/// A text as a comment of the language that a file is written in.
fn commented(text: &str, path: &str) -> String {
    let mark = if path.ends_with(".py") { "#" } else { "//" };
    let line = |line: &str| match line.trim_end() {
        "" => format!("{mark}\n"),
        line => format!("{mark} {line}\n"),
    };
    text.trim_end().lines().map(line).collect()
}

/// One file in the JSON form of the result.
#[derive(Serialize)]
struct Record<'r> {
    file: String,
    state: FileStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'r str>,
}

#[derive(Serialize)]
struct Records<'r> {
    language: Language,
    files: &'r [Record<'r>],
    needs: &'r [&'static str],
}

fn print(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
    sources: &SourceMap,
    made: &GenerationResult,
    records: &[Record<'_>],
) -> Result<(), CommandError> {
    if common.form() == Form::Json {
        streams.add_findings(sources, &made.findings)?;
        let (language, needs) = (arguments.lang, made.needs.as_slice());
        return streams.print_result(&report::json_text(&Records { language, files: records, needs })?);
    }
    if arguments.stdout {
        streams.aside(&report::findings_text(common, streams.error_style, sources, &made.findings)?);
        let mark = arguments.lang.comment();
        for record in records {
            if records.len() > 1 {
                streams.print(&format!("{mark} {}\n", record.file))?;
            }
            streams.print(record.text.unwrap_or_default())?;
        }
        return Ok(());
    }
    report::print_findings(common, streams, sources, &made.findings)?;
    if common.form() != Form::Text {
        return Ok(());
    }
    for record in records.iter().filter(|record| record.state.is_told(common)) {
        streams.print(&format!("{}: {}\n", printable(&record.file), record.state.words()))?;
    }
    if !common.quiet {
        for need in &made.needs {
            streams.print(&format!("note: the code needs the crate `{need}`\n"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_a_comment_of_the_language() {
        assert_eq!(commented("One\n\nTwo  \n", "a/b.go"), "// One\n//\n// Two\n");
        assert_eq!(commented("One", "b.py"), "# One\n");
    }
}
