//! `tendon thrift check`: what is wrong with Thrift files and the rules in them.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, SourceMap, Summary};
use thrift::rules::{Functions, count_rules, lower};

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report;
use crate::thrift_functions::FunctionOptions;
use crate::thrift_idl::{self, Idl, IdlOptions};

/// Report diagnostics of Thrift files and the rules in them
///
/// These are unknown rules, rules on the wrong type, invalid operands, rules that no message satisfies, rules without
/// effect, and everything that a compiler would reject.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Thrift files; what they include is checked with them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// Also report where compilers disagree about what is legal
    #[arg(long)]
    hints: bool,

    #[command(flatten)]
    functions: FunctionOptions,

    #[command(flatten)]
    idl: IdlOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon thrift check service.thrift
  tendon thrift check idl/*.thrift -I idl/shared --strict apache
  tendon thrift check service.thrift --function 'twice(i64) -> i64'
  tendon thrift check service.thrift --hints --diagnostics-format sarif > findings.sarif";

/// Checks all files.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let (declared, mut findings) = arguments.functions.read(&mut sources)?;
    let functions = Functions::default().with(declared);
    let mut checked = String::new();
    for file in &arguments.files {
        let mut idl = thrift_idl::read(file, &arguments.idl, &mut sources)?;
        checked.push_str(&contents(file, &idl));
        let (lowered, found) = lower(&idl.model, &arguments.idl.rules(), &functions);
        idl.add(found);
        if idl.is_usable() {
            idl.add(lowered.findings(&functions));
        }
        findings.extend(idl.findings);
    }
    if !arguments.hints {
        findings.retain(|finding| finding.severity != diagnostics::Severity::Info);
    }
    diagnostics::sort(&mut findings);
    // A file that several others include is read with each of them, but one report is enough.
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let place = finding.primary.map(|span| (sources.name(span.file).to_owned(), span.start, span.end));
        seen.insert((place, finding.code.clone(), finding.message.clone()))
    });
    if common.verbose && common.form() == Form::Text {
        streams.print(&checked)?;
    }
    report::print_findings(common, streams, &sources, &findings)?;
    let summary = Summary::of(&findings);
    if common.form() == Form::Text && !common.quiet && !findings.is_empty() {
        streams.print(&format!("{summary}\n"))?;
    }
    let failed = findings.iter().any(Diagnostic::is_error);
    Ok(if failed { Exit::Input } else { Exit::Fine })
}

/// What was checked, in one line.
fn contents(path: &str, idl: &Idl) -> String {
    let many =
        |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let model = &idl.model;
    let structs = model.structs.iter().filter(|it| it.role.is_declared()).count();
    let functions = model.services.iter().map(|it| it.functions.len()).sum();
    let parts = [
        many(idl.program.files.len(), "file", "files"),
        many(structs, "struct", "structs"),
        many(model.services.len(), "service", "services"),
        many(functions, "function", "functions"),
        many(count_rules(model), "rule", "rules"),
    ];
    format!("{path}: checked {}\n", parts.join(", "))
}
