//! `tendon check`: values against a contract.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::RangedU64ValueParser;
use contract::findings::LocatedViolation;
use diagnostics::{SourceMap, Span};
use document::Document;
use document::findings::without_words;

use crate::against::{self, Against, Reference, ThriftOptions, UnknownMembers};
use crate::check_output::{CheckedFile, Verdicts};
use crate::commands::thrift::{MessageCheck, MessageOptions, UnknownFieldsOption};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::input::{self, Format, STANDARD_INPUT, Unread};
use crate::output::Streams;
use crate::progress::ProgressLine;

/// How many violations of a value are shown, unless told otherwise.
const MAX_VIOLATIONS: usize = 1000;

/// Check values against a contract
///
/// Values are JSON, YAML, or with `--protocol` encoded Thrift messages. Prints every broken rule with the line of the value and the line of the rule. Each document of a YAML stream is a
/// value of its own. Secret values are never printed.
#[derive(Debug, clap::Args)]
#[command(after_help = examples())]
pub(crate) struct Arguments {
    /// Files to check; `-` is standard input
    #[arg(required = true, value_name = "VALUE")]
    values: Vec<OsString>,

    /// The contract: a file, and after `#` a definition in it
    #[arg(short, long, value_name = "CONTRACT")]
    against: OsString,

    /// The format of the values, whatever their file names
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,

    /// Stop at the first violation of each value
    #[arg(long, conflicts_with = "max_violations")]
    first: bool,

    /// The most violations to report of each value
    #[arg(long, value_name = "N", default_value_t = MAX_VIOLATIONS, value_parser = at_least_one())]
    max_violations: usize,

    /// The deepest nesting of a value, at most 512 levels
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=512))]
    max_depth: u32,

    /// The largest file, in bytes or as `64KiB`, `10MiB` or `1GiB`
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size)]
    max_bytes: usize,

    /// Write a report to a file: the violations grouped by rule, with the lines of value and rule
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// Do it again whenever a file that was read has changed, until it is interrupted
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    messages: MessageOptions,
    #[command(flatten)]
    thrift: ThriftOptions,
}

fn examples() -> String {
    format!("{EXAMPLES}\n\nContracts:\n{}", against::kinds_help())
}

const EXAMPLES: &str = "\
Examples:
  tendon check order.json --against order.contract.json
  tendon check orders/*.yaml --against order.contract.yaml --first
  tendon check item.json --against order.contract.json#Item
  tendon check order.json --against service.thrift#Order
  tendon check order.json --against service.thrift#Order --function 'twice(i64) -> i64'
  tendon check order.bin --against service.thrift#Order --protocol compact
  tendon check values.json --against main.bicep
  tendon check orders/*.yaml --against order.contract.yaml --report violations.html
  tendon check size.json --against azuredeploy.json#size
  kubectl get configmap app -o json | tendon check - --against app.contract.json
  tendon check *.json --against order.contract.json --diagnostics-format sarif > findings.sarif";

fn at_least_one() -> impl clap::builder::TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..)
}

/// Reads a size such as `4096`, `64KiB` or `1GiB`.
fn size(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 4] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)];
    let unit = UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    unit.and_then(|(number, factor)| number.parse::<usize>().ok()?.checked_mul(*factor))
        .ok_or_else(|| "write a number of bytes, or one with `KiB`, `MiB` or `GiB` behind it".to_owned())
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let reference = Reference::parse(&arguments.against);
    let inputs = arguments.values.iter().chain([&reference.file]);
    if inputs.filter(|path| *path == STANDARD_INPUT).count() > 1 {
        return Err(CommandError::Usage(
            "standard input can be read only once; `-` is there twice".to_owned(),
        ));
    }
    if arguments.messages.is_meant() {
        return run_messages(arguments, &reference, common, streams);
    }
    let mut sources = SourceMap::new();
    let loaded =
        against::load(&reference, &arguments.thrift, &mut sources, &document::ReadLimits::default())?;
    let contract_files = sources.len();
    let name = input::display_name(&arguments.against);
    let mut progress = ProgressLine::new(streams.watched && !common.quiet);
    let (contract, flaws) = match loaded {
        Ok(contract) => (Some(contract), Vec::new()),
        Err(flaws) => (None, flaws),
    };
    let mut report = Verdicts::begin(common, streams, &name, &sources, flaws, arguments.report.as_deref())?
        .showing_all(arguments.max_violations > MAX_VIOLATIONS);
    let Some(contract) = contract else { return report.finish(&sources) };
    for (position, path) in arguments.values.iter().enumerate() {
        let task = Task { arguments, contract: &contract, path };
        progress.step(position + 1, arguments.values.len(), &input::display_name(path));
        let checked = task.check(&mut sources);
        progress.clear();
        report.file(&sources, checked)?;
        if !report.keeps_sources() {
            sources.truncate(contract_files);
        }
    }
    report.finish(&sources)
}

/// Checks encoded messages, file by file.
fn run_messages(
    arguments: &Arguments,
    reference: &Reference,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if arguments.report.is_some() {
        let message = "`--report` shows lines of values, which encoded messages do not have; leave it out";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let is_whole = match common.form() {
        Form::Json => true,
        Form::Findings(form) => form.is_whole(),
        Form::Text => false,
    };
    if is_whole && arguments.values.len() > 1 {
        let message =
            "the messages of several files have no JSON, SARIF or JUnit form together; name one file";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let file = input::display_name(&reference.file);
    if input::extension(&reference.file).as_deref() != Some("thrift") {
        let message = format!("`--protocol` is for encoded Thrift messages, and `{file}` is no Thrift file");
        return Err(CommandError::Usage(message));
    }
    let thrift = &arguments.thrift;
    let check = MessageCheck {
        file,
        ty: reference.fragment.clone().filter(|name| !name.is_empty()),
        options: &arguments.messages,
        unknown_fields: match thrift.unknown_fields {
            None => UnknownFieldsOption::Safe,
            Some(UnknownMembers::Refuse) => UnknownFieldsOption::Refuse,
            Some(UnknownMembers::Ignore) => UnknownFieldsOption::Pass,
        },
        first: arguments.first,
        functions: thrift.functions.clone(),
        undefined: thrift.undefined,
        idl: thrift.idl.clone(),
    };
    let mut exit = Exit::Fine;
    for path in &arguments.values {
        exit = exit.max(check.run(path, common, streams)?);
    }
    Ok(exit)
}

impl Arguments {
    fn document_limits(&self) -> document::ReadLimits {
        document::ReadLimits {
            bytes: self.max_bytes,
            depth: self.max_depth as usize,
            ..document::ReadLimits::default()
        }
    }

    /// How many violations are shown of each value.
    fn most(&self) -> usize {
        if self.first { 1 } else { self.max_violations }
    }
}

/// One file to check.
struct Task<'t> {
    arguments: &'t Arguments,
    contract: &'t Against,
    path: &'t OsString,
}

impl Task<'_> {
    /// Checks the file; its text joins the sources if there is something to say about it.
    fn check(&self, sources: &mut SourceMap) -> CheckedFile {
        let limits = self.arguments.document_limits();
        let file = input::next_id(sources);
        let mut checked = CheckedFile::named(input::display_name(self.path));
        let input = match input::read(self.path, &limits) {
            Ok(input) => input,
            Err(Unread::Failed(failure)) => {
                checked.failure = Some(failure.to_string());
                return checked;
            }
            Err(Unread::TooLarge(finding)) => {
                let finding = finding.at(Span::empty(file, 0)).help("raise the limit with `--max-bytes`");
                checked.errors.push(finding);
                sources.add(checked.name.as_str(), "");
                sources.withhold(file);
                return checked;
            }
        };
        let format = self.arguments.format.or_else(|| Format::of_name(self.path));
        match input.documents(format, file, &limits, Some("--max-depth")) {
            Ok(documents) => {
                let documents: Vec<Arc<Document>> = documents.into_iter().map(Arc::new).collect();
                self.check_documents(&documents, &mut checked);
                if !checked.found.is_empty() {
                    let secrets = documents.iter().flat_map(|document| self.contract.secrets(document));
                    let secrets: Vec<Span> = secrets.collect();
                    // A document holds a copy of its text; one of them is enough from here on.
                    drop(documents);
                    sources.add(checked.name.as_str(), input.into_text());
                    sources.hide(secrets);
                }
            }
            Err(finding) => {
                sources.add(checked.name.as_str(), input.into_text());
                // What cannot be read cannot be told apart: any part of it may be the secret.
                if self.contract.has_secrets() {
                    sources.withhold(file);
                    checked.errors.push(without_words(*finding));
                } else {
                    checked.errors.push(*finding);
                }
            }
        }
        checked
    }

    fn check_documents(&self, documents: &[Arc<Document>], checked: &mut CheckedFile) {
        let most = self.arguments.most();
        // One more than is shown tells whether there are more.
        let limits = contract::CheckLimits {
            depth: self.arguments.max_depth,
            violations: if self.arguments.first { 1 } else { most.saturating_add(1) },
            ..contract::CheckLimits::default()
        };
        for (index, document) in documents.iter().enumerate() {
            let admitted = self.contract.admit(document, limits);
            let is_unchecked = self.contract.take_unchecked();
            let violations = match admitted {
                Ok(admitted) => {
                    checked.accept(&admitted);
                    checked.unchecked += usize::from(is_unchecked);
                    continue;
                }
                Err(violations) => violations,
            };
            checked.invalid += 1;
            checked.cut |= violations.len() > most;
            let found =
                violations.into_iter().take(most).map(|it| LocatedViolation::new(index, document.root(), it));
            checked.found.extend(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_with_or_without_a_unit() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("64KiB"), Ok(65_536));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        for wrong in ["", "MiB", "-1", "1.5MiB", "1 KiB", "10MB", "99999999999999999999GiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
