//! `tendon thrift executor`: this validator, asked by a conformance suite.

use std::io::{self, BufRead as _};

use thrift_conformance::{AnswerVerdict, ExecutorAnswer, Request, executor};

use crate::exit::{CommandError, Exit};
use crate::output::Streams;
use crate::thrift_idl;

/// Answer the requests of `tendon thrift conformance` with this validator
///
/// Reads one JSON object per line from standard input and answers each with one line on standard output. The model of an
/// executor for any other validator.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  tendon thrift conformance -- tendon thrift executor
  tendon thrift conformance --requests --filter B04 | tendon thrift executor
  tendon thrift executor < requests.jsonl > answers.jsonl";

/// Answers until there is nothing more to answer.
pub(crate) fn run(streams: &mut Streams) -> Result<Exit, CommandError> {
    let mut exit = Exit::Fine;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| CommandError::reading("standard input", &error))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Request>(&line) {
            Ok(request) => executor::answer(&request, thrift_idl::now()),
            Err(error) => {
                exit = Exit::Input;
                let message = Some(format!("the line is not a request: {error}"));
                ExecutorAnswer { message, ..ExecutorAnswer::new("", AnswerVerdict::Error) }
            }
        };
        let text = serde_json::to_string(&answer)
            .map_err(|_| CommandError::Environment("the answer cannot be put into text".to_owned()))?;
        streams.print(&format!("{text}\n"))?;
        // Whoever asks one by one waits for this answer before the next request.
        streams.flush()?;
    }
    Ok(exit)
}
