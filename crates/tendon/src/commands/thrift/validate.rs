//! `tendon thrift validate`: messages against the rules of their type.

use std::ffi::OsString;

use clap::ValueEnum;
use diagnostics::{SourceMap, printable};
use serde::Serialize;
use thrift::base64;
use thrift::rules::Functions;
use thrift::validate::{Rejection, Validator, Want};
use thrift::wire::{Limits, Protocol, frame_len};

use super::form::FormOptions;
use super::program::{self, IdlOptions};
use crate::cli::{Common, Form};
use crate::exit::{Exit, Failure};
use crate::input::{self, Unread};
use crate::output::Streams;
use crate::report;

/// Validate messages against the rules of their type, on their bytes
///
/// A message is one struct, bare, or a stream of frames, each with a length before it. Nothing is generated and no
/// value is built.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The Thrift file
    #[arg(value_name = "FILE.thrift")]
    file: String,

    /// The struct, union or exception that the messages are; `FUNCTION` or `SERVICE.FUNCTION` means its arguments
    #[arg(short, long = "type", value_name = "TYPE")]
    ty: String,

    /// How the messages are encoded
    #[arg(short, long, value_enum, value_name = "PROTOCOL", default_value_t)]
    protocol: ProtocolName,

    /// The messages: a file, or `-` for standard input
    #[arg(short, long = "in", value_name = "FILE", default_value = "-")]
    input: OsString,

    /// How the file writes bytes
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t)]
    encoding: Encoding,

    /// The file is a stream of frames: four bytes of length before each message
    #[arg(long)]
    framed: bool,

    /// Report all violations of a message, not only the first
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    form: FormOptions,

    #[command(flatten)]
    idl: IdlOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon thrift validate order.thrift --type Order --in order.bin
  tendon thrift validate order.thrift --type Order --protocol compact --framed --in capture.bin --all
  echo 0800010000000000 | tendon thrift validate order.thrift --type Order --encoding hex";

/// The protocols by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ProtocolName {
    #[default]
    Binary,
    Compact,
    Json,
}

impl From<ProtocolName> for Protocol {
    fn from(name: ProtocolName) -> Protocol {
        match name {
            ProtocolName::Binary => Protocol::Binary,
            ProtocolName::Compact => Protocol::Compact,
            ProtocolName::Json => Protocol::Json,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Encoding {
    // The bytes themselves.
    #[default]
    Raw,
    // Two digits a byte, blanks between them ignored.
    Hex,
    // RFC 4648, blanks ignored.
    Base64,
}

/// One message in the JSON form of the result.
#[derive(Serialize)]
struct Record {
    message: usize,
    offset: usize,
    valid: bool,
    error: Option<String>,
    violations: Vec<ViolationRecord>,
}

#[derive(Serialize)]
struct ViolationRecord {
    path: String,
    rule: String,
    message: String,
    found: Option<String>,
    wanted: Option<String>,
}

#[derive(Serialize)]
struct Records<'r> {
    r#type: &'r str,
    messages: Vec<Record>,
    valid: usize,
    invalid: usize,
}

/// Validates all messages.
pub(crate) fn run(arguments: &Arguments, common: &Common, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut sources = SourceMap::new();
    let mut idl = program::read(&arguments.file, &arguments.idl, &mut sources)?;
    let functions = Functions::at(program::now());
    let config = arguments.form.config(Limits::default());
    let (validator, found) = Validator::new(&idl.model, &arguments.idl.rules(), config, &functions);
    idl.add(&found);
    let (Some(validator), true) = (validator, idl.is_usable()) else {
        idl.findings.retain(|finding| finding.severity == diagnostics::Severity::Error);
        report::print_findings(common, streams, &sources, &idl.findings)?;
        return Ok(Exit::Input);
    };
    let id = idl.find(&arguments.ty).ok_or_else(|| Failure::Usage(idl.unknown_type(&arguments.ty)))?;
    let bytes = read_bytes(arguments)?;
    let want = if arguments.all { Want::All } else { Want::First };
    let mut records = Vec::new();
    for (offset, message) in messages(arguments, &bytes)? {
        let result = validator.validate(id, arguments.protocol.into(), message, &functions, want);
        records.push(record(records.len() + 1, offset, message, &arguments.ty, result));
    }
    print(arguments, common, streams, records)
}

fn read_bytes(arguments: &Arguments) -> Result<Vec<u8>, Failure> {
    let input = match input::read(&arguments.input, &document::Limits::default()) {
        Ok(input) => input,
        Err(Unread::Failed(failure)) => return Err(failure),
        Err(Unread::TooLarge(finding)) => return Err(Failure::Environment(finding.message.to_string())),
    };
    let bytes = input.into_bytes();
    let blank = |byte: &u8| !byte.is_ascii_whitespace();
    match arguments.encoding {
        Encoding::Raw => Ok(bytes),
        Encoding::Hex => {
            let digits: Vec<u8> = bytes.iter().copied().filter(blank).collect();
            let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
            let decoded: Option<Vec<u8>> = match digits.len() % 2 {
                0 => digits.chunks(2).map(pair).collect(),
                _ => None,
            };
            decoded
                .ok_or_else(|| Failure::Usage("the input is not hexadecimal, two digits a byte".to_owned()))
        }
        Encoding::Base64 => {
            let digits: Vec<u8> = bytes.iter().copied().filter(blank).collect();
            base64::decode(&digits).ok_or_else(|| Failure::Usage("the input is not base64".to_owned()))
        }
    }
}

/// The messages with the offset of each.
fn messages<'b>(arguments: &Arguments, bytes: &'b [u8]) -> Result<Vec<(usize, &'b [u8])>, Failure> {
    if !arguments.framed {
        return Ok(vec![(0, bytes)]);
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let broken = || Failure::Usage(format!("the bytes from {at} on are no frame"));
        let length = frame_len(rest, i32::MAX as u32).map_err(|_| broken())?;
        let frame = rest.get(..length).ok_or_else(broken)?;
        found.push((at, frame.get(4..).unwrap_or_default()));
        at += length;
    }
    Ok(found)
}

fn record(message: usize, offset: usize, bytes: &[u8], ty: &str, result: Result<usize, Rejection>) -> Record {
    let mut record = Record { message, offset, valid: false, error: None, violations: Vec::new() };
    match result {
        Ok(read) if read == bytes.len() => record.valid = true,
        Ok(read) => {
            let left = bytes.len() - read;
            record.error = Some(format!("{left} bytes follow the message, which ends at offset {read}"));
        }
        Err(Rejection::Rules(violations)) => {
            record.violations = violations
                .into_iter()
                .map(|it| ViolationRecord {
                    path: it.path.dotted(ty),
                    rule: it.rule.into(),
                    message: it.message.into(),
                    found: it.found.map(Into::into),
                    wanted: it.wanted.map(Into::into),
                })
                .collect();
        }
        Err(other) => record.error = Some(other.to_string()),
    }
    record
}

fn print(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
    records: Vec<Record>,
) -> Result<Exit, Failure> {
    let valid = records.iter().filter(|record| record.valid).count();
    let invalid = records.len() - valid;
    if common.form() == Form::Text {
        for record in &records {
            let name = if arguments.framed { format!("message {}: ", record.message) } else { String::new() };
            if let Some(error) = &record.error {
                streams.print(&format!("{name}{}\n", printable(error)))?;
            }
            for it in &record.violations {
                let found = it.found.as_ref().map(|found| format!(", found `{found}`")).unwrap_or_default();
                let line = format!("{name}{}: {} failed: {}{found}", it.path, it.rule, it.message);
                streams.print(&format!("{}\n", printable(&line)))?;
            }
        }
        if !common.quiet {
            streams.print(&format!("{valid} valid, {invalid} invalid\n"))?;
        }
    } else {
        let records = Records { r#type: &arguments.ty, messages: records, valid, invalid };
        streams.print(&report::json_text(&records)?)?;
    }
    Ok(if invalid == 0 { Exit::Fine } else { Exit::Input })
}
