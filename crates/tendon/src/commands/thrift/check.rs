//! `tendon thrift check`: what is wrong with Thrift files and the rules in them.

use diagnostics::{Diagnostic, SourceMap, Summary};

use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::report;
use crate::thrift_functions::FunctionOptions;
use crate::thrift_idl::{IdlOptions, ThriftLinter};

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

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let mut linter = ThriftLinter::new(&arguments.functions, &arguments.idl);
    for file in &arguments.files {
        linter.add(file, &mut sources)?;
    }
    let checked = std::mem::take(&mut linter.checked);
    let mut findings = linter.findings(&sources);
    if !arguments.hints {
        findings.retain(|finding| finding.severity != diagnostics::Severity::Info);
    }
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
