//! `tendon thrift validate`: messages against the rules of their type.

use std::ffi::{OsStr, OsString};

use clap::ValueEnum;
use contract::Path;
use diagnostics::{Diagnostic, SourceMap, Span, printable};
use serde::Serialize;
use thrift::base64;
use thrift::model::StructId;
use thrift::proxy::{Lookup, MethodTable};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{Rejection, Validator, Want};
use thrift::wire::{
    BinaryReader, CompactReader, JsonReader, Limits, MessageHeader, MessageKind, Protocol, Reader, WireError,
    WireType, frame_len,
};

use super::form::{FormOptions, ReaderOptions, UnknownFieldsOption};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::input::{self, Unread};
use crate::output::Streams;
use crate::report;
use crate::thrift_functions::{FunctionOptions, UndefinedOptions};
use crate::thrift_idl::{self, IdlOptions};

/// Validate messages against the rules of their type, on their bytes
///
/// A message is one struct, bare, or a stream of frames, each with a length before it. Nothing is generated
/// and no value is built.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The Thrift file
    #[arg(value_name = "FILE.thrift")]
    file: String,

    /// The struct, union or exception that the messages are; `FUNCTION` or `SERVICE.FUNCTION` means its arguments
    #[arg(short, long = "type", value_name = "TYPE", required_unless_present = "envelope")]
    ty: Option<String>,

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

    /// Each message has its envelope: the name of a function, whose arguments or result it holds
    #[arg(long, conflicts_with = "ty")]
    envelope: bool,

    /// Report all violations of a message, not only the first
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    form: FormOptions,

    #[command(flatten)]
    functions: FunctionOptions,

    #[command(flatten)]
    undefined: UndefinedOptions,

    #[command(flatten)]
    idl: IdlOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon thrift validate order.thrift --type Order --in order.bin
  tendon thrift validate order.thrift --type Order --protocol compact --framed \\
    --in capture.bin --all
  echo 0800010000000000 | tendon thrift validate order.thrift --type Order --encoding hex
  tendon thrift validate service.thrift --envelope --framed --in capture.bin";

/// Values that are encoded messages, for `tendon check`.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Encoded messages")]
pub(crate) struct MessageOptions {
    /// The values are Thrift messages, encoded like this, and not JSON or YAML
    #[arg(long, value_enum, value_name = "PROTOCOL", conflicts_with = "format")]
    protocol: Option<ProtocolName>,

    /// The encoding of the files
    #[arg(long, value_enum, value_name = "ENCODING", default_value_t, requires = "protocol")]
    encoding: Encoding,

    /// The files are streams of frames: four bytes of length before each message
    #[arg(long, requires = "protocol")]
    framed: bool,

    /// Each message has its envelope: the name of a function, whose arguments or result it holds
    #[arg(long, requires = "protocol")]
    envelope: bool,

    #[command(flatten)]
    readers: ReaderOptions,
}

/// What is checked of encoded messages, and against what.
pub(crate) struct MessageCheck<'c> {
    pub(crate) file: String,
    /// The type in it; none if envelopes say it.
    pub(crate) ty: Option<String>,
    pub(crate) options: &'c MessageOptions,
    /// What happens to fields that the file does not have.
    pub(crate) unknown_fields: UnknownFieldsOption,
    /// Whether one violation of a message is enough.
    pub(crate) first: bool,
    pub(crate) functions: FunctionOptions,
    pub(crate) undefined: UndefinedOptions,
    pub(crate) idl: IdlOptions,
}

impl MessageOptions {
    /// Whether the values are encoded messages.
    pub(crate) fn is_meant(&self) -> bool {
        self.protocol.is_some()
    }
}

impl MessageCheck<'_> {
    /// Validates the messages of a file.
    pub(crate) fn run(
        &self,
        input: &OsStr,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<Exit, CommandError> {
        let MessageOptions { protocol, encoding, framed, envelope, readers } = self.options;
        if self.ty.is_none() && !envelope {
            let message =
                format!("name the type of the messages, as in `{}#TYPE`, or give `--envelope`", self.file);
            return Err(CommandError::Usage(message));
        }
        let arguments = Arguments {
            file: self.file.clone(),
            ty: self.ty.clone().filter(|_| !envelope),
            protocol: protocol.unwrap_or_default(),
            input: input.to_owned(),
            encoding: *encoding,
            framed: *framed,
            envelope: *envelope,
            all: !self.first,
            form: FormOptions::new(readers.clone(), self.unknown_fields),
            functions: self.functions.clone(),
            undefined: self.undefined,
            idl: self.idl.clone(),
        };
        run(&arguments, common, streams)
    }
}

/// The protocols by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProtocolName {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    valid: bool,
    /// Whether it is valid but for rules that could not run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchecked: bool,
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
    /// Where the rule is written.
    #[serde(skip)]
    written: Option<Span>,
}

#[derive(Serialize)]
struct Records<'r> {
    r#type: Option<&'r str>,
    messages: Vec<Record>,
    valid: usize,
    invalid: usize,
    /// How many of the valid ones have rules that could not run.
    #[serde(skip_serializing_if = "is_zero")]
    unchecked: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let (declared, misdeclared) = arguments.functions.read(arguments.file.as_ref(), &mut sources)?;
    let mut idl = thrift_idl::read(&arguments.file, &arguments.idl, &mut sources)?;
    idl.findings.extend(misdeclared);
    let functions = Functions::at(thrift_idl::now()).with(declared);
    let config = arguments.form.config(Limits::default());
    let rules = RuleConfig { undefined_functions: arguments.undefined.into(), ..arguments.idl.rules() };
    let (validator, found) = Validator::new(&idl.model, &rules, config, &functions);
    idl.add(found);
    let (Some(validator), true) = (validator, idl.is_usable()) else {
        idl.findings.retain(Diagnostic::is_error);
        report::print_findings(common, streams, &sources, &idl.findings)?;
        return Ok(Exit::Input);
    };
    let bytes = read_bytes(arguments)?;
    let want = if arguments.all { Want::All } else { Want::First };
    let mut records = Vec::new();
    let table = MethodTable::new(&idl.model, None);
    let whole = match &arguments.ty {
        Some(ty) => {
            let id = idl.find(ty).ok_or_else(|| CommandError::Usage(idl.unknown_type(ty)))?;
            Some(StructBody { id: Some(id), name: ty.clone(), start: 0, end: None })
        }
        None => None,
    };
    for (offset, message) in messages(arguments, &bytes)? {
        let (number, protocol) = (records.len() + 1, arguments.protocol.into());
        let body = match &whole {
            Some(body) => Ok(body.clone()),
            None => enveloped(&table, protocol, message),
        };
        records.push(match body {
            Ok(body) => {
                let bytes = message.get(body.start..).unwrap_or_default();
                let result = match body.id {
                    Some(id) => validator.validate(id, protocol, bytes, &functions, want),
                    None => Ok(bytes.len()),
                };
                let name = arguments.envelope.then(|| body.name.clone());
                let mut record = record(number, offset, message, &body, result);
                record.unchecked = functions.take_unchecked() && record.valid;
                Record { function: name, ..record }
            }
            Err(error) => Record { error: Some(error), ..Record::new(number, offset) },
        });
    }
    print(arguments, common, streams, &sources, records)
}

/// The struct in a message, and where it is.
#[derive(Clone)]
struct StructBody {
    /// `None` if there are no rules for it.
    id: Option<StructId>,
    /// What paths start with.
    name: String,
    start: usize,
    /// Where the message ends, if its struct is not the end.
    end: Option<usize>,
}

/// Finds the struct in a message by its envelope.
fn enveloped(table: &MethodTable, protocol: Protocol, message: &[u8]) -> Result<StructBody, String> {
    fn read<'b, R: Reader<'b>>(mut reader: R) -> Result<(MessageHeader<'b>, usize, usize), WireError> {
        let header = reader.message_begin()?;
        let start = reader.offset();
        let behind = reader.clone();
        let end = (|| {
            reader.skip(WireType::Struct)?;
            reader.message_end()?;
            Ok::<usize, WireError>(reader.offset())
        })();
        // What is wrong with the struct itself is for the validator to say.
        Ok((header, start, end.unwrap_or_else(|_| behind.offset())))
    }
    let limits = Limits::default();
    let read = match protocol {
        Protocol::Binary => read(BinaryReader::new(message, limits)),
        Protocol::Compact => read(CompactReader::new(message, limits)),
        Protocol::Json => read(JsonReader::new(message, limits)),
    };
    let (header, start, end) = read.map_err(|error| error.to_string())?;
    let name = String::from_utf8_lossy(&header.name).into_owned();
    let (service, function) = header.service_and_function();
    let method = match table.find(service, function) {
        Lookup::Found(id) => table.get(id).ok_or_else(|| format!("unknown function `{name}`"))?,
        Lookup::Ambiguous => return Err(format!("`{name}` is a function of several services")),
        Lookup::Unknown => return Err(format!("unknown function `{name}`")),
    };
    let id = match header.kind {
        MessageKind::Call | MessageKind::Oneway => Some(method.arguments),
        MessageKind::Reply => method.result,
        // An exception of the library is not a struct of the file.
        MessageKind::Exception => None,
    };
    let end = (protocol == Protocol::Json).then_some(end);
    Ok(StructBody { id, name: method.name.to_string(), start, end })
}

fn read_bytes(arguments: &Arguments) -> Result<Vec<u8>, CommandError> {
    let input = match input::read(&arguments.input, &document::ReadLimits::default()) {
        Ok(input) => input,
        Err(Unread::Failed(failure)) => return Err(failure),
        Err(Unread::TooLarge(finding)) => return Err(CommandError::Environment(finding.message.to_string())),
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
            decoded.ok_or_else(|| {
                CommandError::Usage("the input is not hexadecimal, two digits a byte".to_owned())
            })
        }
        Encoding::Base64 => {
            let digits: Vec<u8> = bytes.iter().copied().filter(blank).collect();
            base64::decode(&digits).ok_or_else(|| CommandError::Usage("the input is not base64".to_owned()))
        }
    }
}

/// The messages with the offset of each.
fn messages<'b>(arguments: &Arguments, bytes: &'b [u8]) -> Result<Vec<(usize, &'b [u8])>, CommandError> {
    if !arguments.framed {
        return Ok(vec![(0, bytes)]);
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let broken = || CommandError::Usage(format!("the bytes from {at} on are not a frame"));
        let length = frame_len(rest, i32::MAX as u32).map_err(|_| broken())?;
        let frame = rest.get(..length).ok_or_else(broken)?;
        found.push((at, frame.get(4..).unwrap_or_default()));
        at += length;
    }
    Ok(found)
}

impl Record {
    fn new(message: usize, offset: usize) -> Record {
        let (valid, unchecked) = (false, false);
        Record { message, offset, function: None, valid, unchecked, error: None, violations: Vec::new() }
    }
}

fn record(
    number: usize,
    offset: usize,
    message: &[u8],
    body: &StructBody,
    result: Result<usize, Rejection>,
) -> Record {
    let mut record = Record::new(number, offset);
    let shape = |path: &Path, rule: &str, message: String| ViolationRecord {
        path: path.dotted(&body.name),
        rule: rule.to_owned(),
        message,
        found: None,
        wanted: None,
        written: None,
    };
    match result.map(|read| body.end.unwrap_or(body.start + read)) {
        Ok(read) if read == message.len() => record.valid = true,
        Ok(read) => {
            let left = message.len().saturating_sub(read);
            record.error = Some(format!("{left} bytes follow the message, which ends at offset {read}"));
        }
        Err(Rejection::Rules(violations)) => {
            record.violations = violations
                .into_iter()
                .map(|it| ViolationRecord {
                    path: it.path.dotted(&body.name),
                    message: it.message(),
                    wanted: it.wanted_text(),
                    rule: it.rule.into(),
                    found: it.found.map(Into::into),
                    written: it.written,
                })
                .collect();
        }
        Err(Rejection::Form(error)) => {
            let problem = error.problem;
            record.violations = vec![shape(&error.path, problem.rule(), problem.to_string())];
        }
        Err(Rejection::MissingField { path, .. }) => {
            record.violations = vec![shape(&path, "required", "the required field is missing".to_owned())];
        }
        Err(Rejection::Wire(error)) => record.error = Some(error.to_string()),
    }
    record
}

/// What is wrong with a message, at the rule that it breaks: messages have no lines.
fn findings(arguments: &Arguments, records: &[Record]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for record in records {
        let name = if arguments.framed { format!("message {}: ", record.message) } else { String::new() };
        if let Some(error) = &record.error {
            found.push(Diagnostic::error("thrift/message", format!("{name}{error}")));
        }
        for it in &record.violations {
            let value = it.found.as_ref().map(|found| format!(", found `{found}`")).unwrap_or_default();
            let text = format!("{name}{}: {} failed: {}{value}", it.path, it.rule, it.message);
            let diagnostic = Diagnostic::error("thrift/violation", text);
            found.push(match it.written {
                Some(span) => diagnostic.at(span),
                None => diagnostic,
            });
        }
    }
    found
}

fn print(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
    sources: &SourceMap,
    records: Vec<Record>,
) -> Result<Exit, CommandError> {
    let valid = records.iter().filter(|record| record.valid).count();
    let invalid = records.len() - valid;
    let unchecked = records.iter().filter(|record| record.unchecked).count();
    match common.form() {
        Form::Text => {
            for record in &records {
                let name =
                    if arguments.framed { format!("message {}: ", record.message) } else { String::new() };
                if let Some(error) = &record.error {
                    streams.print(&format!("{name}{}\n", printable(error)))?;
                }
                for it in &record.violations {
                    let found =
                        it.found.as_ref().map(|found| format!(", found `{found}`")).unwrap_or_default();
                    let line = format!("{name}{}: {} failed: {}{found}", it.path, it.rule, it.message);
                    streams.print(&format!("{}\n", printable(&line)))?;
                }
            }
            if !common.quiet {
                let note = match unchecked {
                    0 => String::new(),
                    _ => format!(", {unchecked} with rules that could not run"),
                };
                streams.print(&format!("{valid} valid, {invalid} invalid{note}\n"))?;
            }
        }
        Form::Findings(_) => {
            report::print_findings(common, streams, sources, &findings(arguments, &records))?;
        }
        Form::Json => {
            streams.add_findings(sources, &findings(arguments, &records))?;
            let r#type = arguments.ty.as_deref();
            let records = Records { r#type, messages: records, valid, invalid, unchecked };
            streams.print_result(&report::json_text(&records)?)?;
        }
    }
    Ok(if invalid == 0 { Exit::Fine } else { Exit::Input })
}
