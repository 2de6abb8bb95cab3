//! `tendon thrift proxy`: calls are let through to a server only if their contracts hold.

use std::io::Write;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use diagnostics::{Severity, SourceMap};
use logging::{Log, OpenSink};
use thrift::proxy::{
    CallNames, Contracts, MAX_DEPTH, OldEnvelope, Pins, ProxyConfig, ReplyCheck, Transport, UnknownMethod,
    UnknownService,
};
use thrift::rules::{Declarations, RuleConfig};
use thrift::validate::Want;
use thrift::wire::{ExceptionKind, Limits, Protocol};
use thrift_proxy::{
    ActiveContracts, ConnectionContext, Fresh, MAX_MESSAGE, Metrics, Operator, Proxy, ProxySettings, Stopper,
    Timeouts,
};

use super::form::FormOptions;
use super::reload;
use crate::common::Common;
use crate::exit::{CommandError, Exit};
use crate::log_format::LogFormat;
use crate::output::Streams;
use crate::output_file;
use crate::report;
use crate::thrift_functions::{FunctionOptions, UndefinedOptions};
use crate::thrift_idl::{self, Idl, IdlOptions};

/// Run a proxy for a Thrift server that lets only valid calls through
///
/// A call that breaks a rule is answered with a TApplicationException that names the value and the rule; a oneway call that
/// breaks one is dropped. Everything else goes through byte for byte. Transports and protocols are recognised: framed or
/// not, binary, compact, JSON, THeader, TTHeader, HTTP. Until the upstream has answered a call of a connection in what
/// was recognised, and under the name that the call has for its service, no second call goes out; `--upstream-transport`,
/// `--upstream-protocol` and `--upstream-names` say what it speaks.
///
/// SIGINT or SIGTERM stops it after the running calls; SIGHUP rereads the Thrift file.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The Thrift file of the service
    #[arg(long, value_name = "FILE.thrift")]
    idl: String,

    /// The address that clients connect to; port 0 takes any free port
    #[arg(long, value_name = "ADDRESS")]
    listen: SocketAddr,

    /// The address to forward calls to
    #[arg(long, value_name = "HOST:PORT", value_parser = upstream)]
    upstream: String,

    /// The address for `/metrics` of Prometheus, and `/healthz`
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,

    #[command(flatten)]
    speech: Speech,

    #[command(flatten)]
    policy: Policy,

    #[command(flatten)]
    form: FormOptions,

    #[command(flatten)]
    functions: FunctionOptions,

    #[command(flatten)]
    undefined: UndefinedOptions,

    #[command(flatten)]
    bounds: Bounds,

    #[command(flatten)]
    logging: Logging,

    #[command(flatten)]
    reading: IdlOptions,

    /// Read the Thrift file, say whether it can be used, and end
    #[arg(long, hide = true)]
    trial: bool,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "What the upstream speaks")]
struct Speech {
    /// The transport of the upstream [default: detected on each connection]
    #[arg(long, value_enum, value_name = "TRANSPORT")]
    upstream_transport: Option<TransportName>,

    /// The protocol of the upstream [default: detected on each connection]
    #[arg(long, value_enum, value_name = "PROTOCOL")]
    upstream_protocol: Option<ProtocolName>,

    /// The names of functions for the upstream: alone, or with their services, as `Service:function` or in the header of the
    /// frame [default: detected on each connection]
    #[arg(long, value_enum, value_name = "NAMES")]
    upstream_names: Option<NameForm>,

    /// Reject or allow binary messages whose envelope has no version
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    old_envelope: Envelope,

    /// Reject or pass streams of kitex, whose messages are not checked; `pass` needs `--upstream-transport ttheader`
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    streams: Stranger,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Policies")]
struct Policy {
    /// The only service to serve, instead of all services of the file
    #[arg(long, value_name = "NAME")]
    service: Option<String>,

    /// Reject or pass calls of functions that are not in the file
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    unknown_method: Stranger,

    /// Reject or pass calls named `Service:function` that no service of the file has
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    unknown_service: Stranger,

    /// The number of the exception for a broken rule: 11 validation failed, 7 protocol error, 6 internal error
    #[arg(long, value_name = "NUMBER", default_value = "11", value_parser = exception)]
    exception_type: ExceptionKind,

    /// Leave replies unchecked, report those that break a rule, or replace them by an exception
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    replies: Replies,

    /// Name all violations of a call in the answer, not only the first
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Bounds")]
struct Bounds {
    /// The largest number of clients that are connected at the same time
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_connections: usize,

    /// The largest message, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = MAX_MESSAGE)]
    max_message: u32,

    /// The deepest nesting of structs and containers; many servers disagree beyond the default
    #[arg(long, value_name = "N", default_value_t = MAX_DEPTH)]
    max_depth: u8,

    /// The largest number of calls of one client that wait for answers; more are not read
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_pending: usize,

    /// The number of threads that serve connections [default: the number of cores]
    #[arg(long, value_name = "N")]
    workers: Option<NonZeroUsize>,

    /// Seconds to reach the upstream
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    connect_timeout: Duration,

    /// Seconds for a client to send one message
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    read_timeout: Duration,

    /// Seconds for either side to take bytes
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    write_timeout: Duration,

    /// Seconds for the upstream to answer a call
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    reply_timeout: Duration,

    /// Seconds to keep a connection on which nothing happens
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    idle_timeout: Duration,

    /// Seconds to finish calls when the proxy stops
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    grace: Duration,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Logging and reloading")]
struct Logging {
    /// The file to add log lines to, instead of standard error
    #[arg(long = "log-file", alias = "log", value_name = "FILE")]
    log: Option<PathBuf>,

    /// The form of log lines
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    log_format: LogFormat,

    /// Log every call, not only those that are refused
    #[arg(long)]
    access_log: bool,

    /// Look every so many seconds whether the Thrift files have changed, and read them again if so
    #[arg(long = "reload-every", alias = "watch", value_name = "SECONDS", value_parser = seconds)]
    watch: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  tendon thrift proxy --idl service.thrift --listen 127.0.0.1:9090 --upstream 127.0.0.1:9091
  tendon thrift proxy --idl service.thrift --listen 0.0.0.0:9090 --upstream backend:9090 \\
    --metrics 127.0.0.1:9100 --reload-every 2
  tendon thrift proxy --idl service.thrift --listen [::]:9090 --upstream backend:9090 \\
    --unknown-method refuse --replies replace --access-log --log-format json --log calls.jsonl";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TransportName {
    // Not at all.
    Buffered,
    // By a length.
    Framed,
    // Of fbthrift and Apache.
    Theader,
    // Of kitex and volo.
    Ttheader,
    // By requests.
    Http,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolName {
    Binary,
    Compact,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NameForm {
    Plain,
    Services,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Envelope {
    // Answered with `PROTOCOL_ERROR`.
    #[default]
    Refuse,
    // As any other.
    Allow,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Stranger {
    // Answered with `UNKNOWN_METHOD`.
    #[default]
    Refuse,
    // The upstream has more than the file does.
    Pass,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Replies {
    // Not looked at.
    #[default]
    Off,
    // Reported.
    Log,
    // Replaced by an exception.
    Replace,
}

fn exception(text: &str) -> Result<ExceptionKind, String> {
    match text {
        "11" => Ok(ExceptionKind::ValidationFailed),
        "7" => Ok(ExceptionKind::ProtocolError),
        "6" => Ok(ExceptionKind::InternalError),
        _ => Err("it is 11, 7 or 6".to_owned()),
    }
}

fn upstream(text: &str) -> Result<String, String> {
    let problem = || "it is a host and a port, as in `backend:9090` or `[::1]:9090`".to_owned();
    let (host, port) = text.rsplit_once(':').ok_or_else(problem)?;
    let is_bare_v6 = host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
    match port.parse::<u16>() {
        Ok(1..) if !host.is_empty() && !is_bare_v6 => Ok(text.to_owned()),
        _ => Err(problem()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "it is a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("it is a number of seconds above 0".to_owned()),
    }
}

/// Serves until it is told to stop.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if arguments.trial {
        return Ok(if reload::with_room(arguments, read).is_ok() { Exit::Fine } else { Exit::Input });
    }
    let is_ttheader = arguments.speech.upstream_transport == Some(TransportName::Ttheader);
    if arguments.speech.streams == Stranger::Pass && !is_ttheader {
        let problem = "`--streams pass` needs `--upstream-transport ttheader`, since nothing says how an upstream reads \
                       the frames of a stream";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    let mut sources = SourceMap::new();
    let (mut idl, contracts) = load(arguments, &mut sources)?;
    idl.findings.retain(|finding| finding.severity != Severity::Info);
    report::print_findings(common, streams, &sources, &idl.findings)?;
    let Some(contracts) = contracts else { return Ok(Exit::Input) };
    if contracts.table().methods().is_empty() {
        return Err(CommandError::Usage(nothing_to_serve(arguments)));
    }
    let metrics = Arc::new(Metrics::default());
    let first = std::sync::Mutex::new(Some(Fresh { contracts, files: files(&sources) }));
    let again = arguments.clone();
    let source = Box::new(move || match first.lock().ok().and_then(|mut first| first.take()) {
        Some(fresh) => Ok(fresh),
        None => reload::isolated(&again, read),
    });
    let live = ActiveContracts::new(source, Arc::clone(&metrics)).map_err(CommandError::Environment)?;
    let log = open_log(&arguments.logging)?;
    let proxy =
        Proxy::bind(ConnectionContext { settings: settings(arguments), live, metrics, log: log.clone() })
            .map_err(|failed| CommandError::listening(failed.address, &failed.error))?;
    announce(arguments, common, &proxy, streams)?;
    let (stopper, stop) = Stopper::new();
    let operator = Operator { signals: true, watch: arguments.logging.watch };
    proxy
        .run(stopper, stop, operator)
        .map_err(|error| CommandError::Environment(format!("cannot serve: {error}")))?;
    log.flush();
    Ok(Exit::Fine)
}

/// Reads the file, with what it includes and the functions that are declared for it.
fn load(arguments: &Arguments, sources: &mut SourceMap) -> Result<(Idl, Option<Contracts>), CommandError> {
    let (declared, misdeclared) = arguments.functions.read(arguments.idl.as_ref(), sources)?;
    let mut idl = thrift_idl::read(&arguments.idl, &arguments.reading, sources)?;
    idl.findings.extend(misdeclared);
    let contracts = compile(arguments, &mut idl, declared);
    Ok((idl, contracts))
}

fn compile(arguments: &Arguments, idl: &mut Idl, functions: Declarations) -> Option<Contracts> {
    let policy = &arguments.policy;
    let config = ProxyConfig {
        service: policy.service.clone(),
        upstream: pins(&arguments.speech),
        old_envelope: match arguments.speech.old_envelope {
            Envelope::Refuse => OldEnvelope::Refuse,
            Envelope::Allow => OldEnvelope::Allow,
        },
        streams: match arguments.speech.streams {
            Stranger::Refuse => thrift::proxy::Streams::Refuse,
            Stranger::Pass => thrift::proxy::Streams::Pass,
        },
        unknown_method: match policy.unknown_method {
            Stranger::Pass => UnknownMethod::Pass,
            Stranger::Refuse => UnknownMethod::Refuse,
        },
        unknown_service: match policy.unknown_service {
            Stranger::Refuse => UnknownService::Refuse,
            Stranger::Pass => UnknownService::Pass,
        },
        exception: policy.exception_type,
        replies: match policy.replies {
            Replies::Off => ReplyCheck::Off,
            Replies::Log => ReplyCheck::Log,
            Replies::Replace => ReplyCheck::Replace,
        },
        want: if policy.all { Want::All } else { Want::First },
        rules: RuleConfig { undefined_functions: arguments.undefined.into(), ..arguments.reading.rules() },
        functions,
        validate: arguments.form.config(Limits { depth: arguments.bounds.max_depth, ..Limits::default() }),
    };
    let (contracts, found) = Contracts::new(&idl.model, config);
    idl.add(found);
    contracts.filter(|_| idl.is_usable())
}

/// What is known of the upstream.
fn pins(speech: &Speech) -> Pins {
    Pins {
        transport: speech.upstream_transport.map(|name| match name {
            TransportName::Buffered => Transport::Buffered,
            TransportName::Framed => Transport::Framed,
            TransportName::Theader => Transport::THeader,
            TransportName::Ttheader => Transport::TTHeader,
            TransportName::Http => Transport::Http,
        }),
        protocol: speech.upstream_protocol.map(|name| match name {
            ProtocolName::Binary => Protocol::Binary,
            ProtocolName::Compact => Protocol::Compact,
            ProtocolName::Json => Protocol::Json,
        }),
        names: speech.upstream_names.map(|names| match names {
            NameForm::Plain => CallNames::Plain,
            NameForm::Services => CallNames::Services,
        }),
    }
}

/// Reads the file again while the proxy runs; what is wrong with it goes to the log.
fn read(arguments: &Arguments) -> Result<Fresh, String> {
    let mut sources = SourceMap::new();
    let (idl, contracts) = load(arguments, &mut sources).map_err(|failure| failure.to_string())?;
    match contracts {
        Some(contracts) if contracts.table().methods().is_empty() => Err(nothing_to_serve(arguments)),
        Some(contracts) => Ok(Fresh { contracts, files: files(&sources) }),
        None => {
            let mut text = String::new();
            for finding in idl.findings.iter().filter(|it| it.is_error()) {
                // Writing to a string cannot fail.
                let _ = diagnostics::short::write(&mut text, &sources, finding);
            }
            Err(text.trim_end().to_owned())
        }
    }
}

fn nothing_to_serve(arguments: &Arguments) -> String {
    match &arguments.policy.service {
        Some(name) => format!("`{}` has no service `{name}` with functions", arguments.idl),
        None => format!("`{}` has no service with functions", arguments.idl),
    }
}

fn files(sources: &SourceMap) -> Vec<PathBuf> {
    sources.iter().map(|(_, file)| PathBuf::from(file.name())).collect()
}

fn open_log(logging: &Logging) -> Result<Log, CommandError> {
    let path = logging.log.clone();
    let open: OpenSink = Box::new(move || {
        Ok(match &path {
            None => Box::new(std::io::stderr()) as Box<dyn Write + Send>,
            Some(path) => Box::new(output_file::appended(path)?),
        })
    });
    Log::start(open, logging.log_format.into()).map_err(|error| match &logging.log {
        Some(path) => CommandError::writing(&format!("`{}`", path.display()), &error),
        None => CommandError::Environment(format!("cannot start to log: {error}")),
    })
}

fn settings(arguments: &Arguments) -> ProxySettings {
    let bounds = &arguments.bounds;
    ProxySettings {
        listen: arguments.listen,
        upstream: arguments.upstream.clone(),
        metrics: arguments.metrics,
        max_connections: bounds.max_connections,
        max_message: bounds.max_message.min(i32::MAX as u32),
        max_pending: bounds.max_pending.max(1),
        access_log: arguments.logging.access_log,
        workers: bounds
            .workers
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN),
        timeouts: Timeouts {
            connect: bounds.connect_timeout,
            read: bounds.read_timeout,
            write: bounds.write_timeout,
            reply: bounds.reply_timeout,
            idle: bounds.idle_timeout,
            grace: bounds.grace,
        },
    }
}

/// Says where clients can connect, which only the system knows if any port would do.
fn announce(
    arguments: &Arguments,
    common: &Common,
    proxy: &Proxy,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    if common.quiet {
        return Ok(());
    }
    let address = proxy.address().map_err(|error| CommandError::Environment(error.to_string()))?;
    let functions = proxy.shared().live.get().contracts.table().methods().len();
    let plural = if functions == 1 { "" } else { "s" };
    let mut text =
        format!("listening on {address}, {functions} function{plural}, calls go to {}\n", arguments.upstream);
    if let Some(address) = proxy.metrics_address() {
        text.push_str(&format!("metrics on http://{address}/metrics\n"));
    }
    streams.print(&text)?;
    streams.flush()
}
