//! `tendon thrift conformance`: any validator against the cases that say what rules mean.

mod ask;

use std::ffi::OsString;
use std::time::Duration;

use clap::ValueEnum;
use diagnostics::printable;
use serde::Serialize;
use thrift_conformance::{
    CaseResult, Compare, ExecutorAnswer, ExpectedFailures, Judgement, Suite, Summary, junit,
};

use self::ask::ExecutorOutput;
use super::validate::ProtocolName;
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::input::{self, Unread};
use crate::output::Streams;
use crate::output_file::OutputFile;
use crate::report;

/// Test a validator of Thrift rules with the cases that specify them
///
/// The validator is asked through an executor, a program that reads requests from its standard input and writes answers to its
/// standard output, each one JSON object on a line of its own. docs/thrift-conformance.md describes them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The executor, after `--`: a program and its arguments
    #[arg(value_name = "EXECUTOR", last = true, required_unless_present_any = ["itself", "requests"])]
    executor: Vec<OsString>,

    /// Test Tendon's own validator, which should pass everything
    #[arg(long = "self", conflicts_with_all = ["executor", "requests"])]
    itself: bool,

    /// Print the requests, and start no executor
    #[arg(long, conflicts_with = "executor")]
    requests: bool,

    /// The protocol of the messages
    #[arg(long, value_enum, value_name = "PROTOCOL", default_value_t)]
    protocol: ProtocolName,

    /// Only cases whose name, title or document contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// The parts of an answer to compare: the verdict, also the broken rule, or also its place
    #[arg(long, value_enum, value_name = "PARTS", default_value_t)]
    compare: HowMuch,

    /// A list of cases that are known to fail, `CASE: reason` in each line; one that passes is an error, too
    #[arg(long, value_name = "FILE")]
    expected_failures: Option<OsString>,

    /// Write the results as JUnit's XML, too
    #[arg(long, value_name = "FILE")]
    junit: Option<OsString>,

    /// The time limit for the whole run, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

const EXAMPLES: &str = "\
Examples:
  tendon thrift conformance --self
  tendon thrift conformance --compare verdict --expected-failures known.txt -- ./my-executor --fast
  tendon thrift conformance --junit results.xml --output json -- python3 executor.py
  tendon thrift conformance --requests --filter strings.md > requests.jsonl";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum HowMuch {
    Verdict,
    Rule,
    #[default]
    Path,
}

impl From<HowMuch> for Compare {
    fn from(it: HowMuch) -> Compare {
        match it {
            HowMuch::Verdict => Compare::Verdict,
            HowMuch::Rule => Compare::Rule,
            HowMuch::Path => Compare::Path,
        }
    }
}

/// Asks an executor, and judges.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut suite = Suite::new(arguments.protocol.into()).map_err(CommandError::Environment)?;
    let expected = expected_failures(arguments, &suite)?;
    if let Some(text) = &arguments.filter {
        suite.retain(text);
        if suite.items.is_empty() {
            return Err(CommandError::Usage(format!("no case holds `{text}`")));
        }
    }
    if arguments.requests {
        for item in &suite.items {
            streams.print(&line(&item.request)?)?;
        }
        return Ok(Exit::Fine);
    }
    let executor = match arguments.itself {
        true => {
            let own = std::env::current_exe()
                .map_err(|error| CommandError::reading("the program itself", &error))?;
            vec![own.into_os_string(), "thrift".into(), "executor".into()]
        }
        false => arguments.executor.clone(),
    };
    let requests: Vec<String> =
        suite.items.iter().map(|item| line(&item.request)).collect::<Result<_, _>>()?;
    let ExecutorOutput { answers, trouble } =
        ask::ask(&executor, requests.concat(), Duration::from_secs(arguments.timeout))?;
    if let (Some(trouble), true) = (&trouble, answers.is_empty()) {
        return Err(CommandError::Environment(trouble.clone()));
    }
    let judgements = suite.judge(answers, arguments.compare.into(), &expected);
    let summary = Summary::of(&judgements);
    let name: Vec<String> = executor.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if let Some(path) = &arguments.junit {
        let shown = input::display_name(path);
        OutputFile::at(std::path::Path::new(path))
            .write(junit::write(&name.join(" "), &judgements).as_bytes())
            .map_err(|error| CommandError::writing(&format!("`{shown}`"), &error))?;
    }
    match common.form() {
        Form::Text => print(common, streams, &judgements, summary)?,
        Form::Findings(_) | Form::Json => streams.print_result(&report::json_text(&Records {
            executor: if arguments.itself { None } else { Some(name) },
            protocol: arguments.protocol,
            compare: arguments.compare,
            results: judgements.iter().map(Record::new).collect(),
            summary,
        })?)?,
    }
    if let Some(trouble) = trouble {
        streams.flush()?;
        streams.report_error(&trouble);
        return Ok(Exit::Environment);
    }
    Ok(if summary.is_fine() { Exit::Fine } else { Exit::Input })
}

fn line(value: &impl Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string(value)
        .map_err(|_| CommandError::Environment("a request cannot be put into text".to_owned()))?;
    Ok(format!("{text}\n"))
}

fn expected_failures(arguments: &Arguments, suite: &Suite) -> Result<ExpectedFailures, CommandError> {
    let Some(path) = &arguments.expected_failures else { return Ok(ExpectedFailures::default()) };
    let name = input::display_name(path);
    let text = match input::read(path, &document::ReadLimits::default()) {
        Ok(input) => input.into_text(),
        Err(Unread::Failed(failure)) => return Err(failure),
        Err(Unread::TooLarge(finding)) => return Err(CommandError::Environment(finding.message.to_string())),
    };
    let expected =
        ExpectedFailures::parse(&text).map_err(|what| CommandError::Usage(format!("`{name}`, {what}")))?;
    if let Some(unknown) = suite.unknown(&expected).first() {
        let message = format!("`{name}`, line {}: there is no case `{}`", unknown.line, unknown.case);
        return Err(CommandError::Usage(message));
    }
    Ok(expected)
}

fn print(
    common: &Common,
    streams: &mut Streams,
    judgements: &[Judgement<'_>],
    summary: Summary,
) -> Result<(), CommandError> {
    for it in judgements {
        let told = match it.outcome {
            CaseResult::Failed | CaseResult::UnexpectedPass => true,
            CaseResult::Passed | CaseResult::ExpectedFailure => common.verbose,
        };
        if !told {
            continue;
        }
        let mut text =
            format!("{} {} {}\n", words(it.outcome), it.item.request.case, printable(&it.item.title));
        if !matches!(it.outcome, CaseResult::Passed | CaseResult::UnexpectedPass) {
            let found = it.answer.as_ref().map_or("no answer".to_owned(), ToString::to_string);
            text.push_str(&format!("  expected {}\n", printable(&it.item.expected.to_string())));
            text.push_str(&format!("  found    {}\n", printable(&found)));
        }
        if let Some((reason, line)) = &it.expectation {
            text.push_str(&format!("  listed in line {line}: {}\n", printable(reason)));
        }
        streams.print(&text)?;
    }
    if common.quiet {
        return Ok(());
    }
    let mut parts = vec![format!("{} passed", summary.passed)];
    for (count, what) in [
        (summary.expected_failures, "failed as expected"),
        (summary.failed, "failed"),
        (summary.unexpected_passes, "passed unexpectedly"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    streams.print(&format!("{}\n", parts.join(", ")))
}

fn words(outcome: CaseResult) -> &'static str {
    match outcome {
        CaseResult::Passed => "passed",
        CaseResult::Failed => "failed",
        CaseResult::ExpectedFailure => "failed as expected",
        CaseResult::UnexpectedPass => "passed unexpectedly",
    }
}

/// A whole run in the JSON form of the result.
#[derive(Serialize)]
struct Records<'s> {
    /// None for this program itself.
    executor: Option<Vec<String>>,
    protocol: ProtocolName,
    compare: HowMuch,
    results: Vec<Record<'s>>,
    summary: Summary,
}

/// One request in the JSON form of the result.
#[derive(Serialize)]
struct Record<'s> {
    case: &'s str,
    document: &'s str,
    title: &'s str,
    outcome: CaseResult,
    expected: &'s ExecutorAnswer,
    answer: Option<&'s ExecutorAnswer>,
    reason: Option<&'s str>,
}

impl<'s> Record<'s> {
    fn new(it: &'s Judgement<'_>) -> Record<'s> {
        Record {
            case: &it.item.request.case,
            document: &it.item.document,
            title: &it.item.title,
            outcome: it.outcome,
            expected: &it.item.expected,
            answer: it.answer.as_ref(),
            reason: it.expectation.as_ref().map(|(reason, _)| reason.as_str()),
        }
    }
}
