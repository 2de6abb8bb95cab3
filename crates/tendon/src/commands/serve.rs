//! `tendon serve`: the engine and the registry over the HTTP APIs of ARM and Radius.

mod reload;
mod settings;

use std::future::Future as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arm::budget::{BudgetLimits, BudgetSource};
use arm::template::TemplateLimits;
use client::Client;
use engine::provider::{LazyTypes, QuotaLimits, Quotas};
use engine::{Engine, Host};
use logging::{Log, LogLevel, LogSubscriber, OpenSink};
use radius::registry::Registry;
use server::{
    App, AuthMode, ClientAuthorities, Guard, Oidc, OidcSettings, RoleRule, Roles, ServeError, Tokens,
};

use crate::az;
use crate::common::Common;
use crate::compile::CompileOptions;
use crate::exit::{CommandError, Exit};
use crate::local_state::{StateError, StateOptions, TypeOptions};
use crate::log_format::LogFormat;
use crate::memory_watch;
use crate::output::Streams;
use crate::process_memory;

pub(super) use reload::KEY_READ_WITHIN;
use reload::{CertificateSource, KeySource};
pub(crate) use settings::Settings;

/// Serve the APIs of ARM and Radius from a local state
///
/// Clients such as `az`, the SDKs and `rad` work with it as with Azure and Radius. Interrupted deployments are resumed. Ctrl-C stops the server: running
/// deployments get some time to end, and the next start resumes the rest. A second Ctrl-C stops it at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Read options from this file (TOML: `listen = "127.0.0.1:8443"`); the command line and variables such as
    /// TENDON_SERVE_LISTEN come before it [env: TENDON_SERVE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Check the options and the files that they name, and do not serve
    #[arg(long)]
    check_config: bool,

    /// Ask the server that was started with the same options whether it is ready, and do not serve: exit code 0 if it is
    #[arg(long, conflicts_with = "check_config")]
    check_ready: bool,

    /// The address to listen on; port 0 means any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8443")]
    listen: SocketAddr,

    /// The maximum number of open connections; others wait [default: 16384, and at most one for each 128 KiB of `--memory`]
    #[arg(long, value_name = "N")]
    connections: Option<usize>,

    /// The maximum number of open connections of one address; others are closed [default: a quarter of `--connections`]
    #[arg(long, value_name = "N")]
    connections_per_address: Option<NonZeroU32>,

    /// The users of the server: `local` all users of this machine, `token` holders of a token of `tendon token create`, `oidc`
    /// holders of a token of an OpenID Connect issuer
    #[arg(long, value_enum, value_name = "MODE", default_value_t)]
    auth: Auth,

    /// The maximum number of requests per second and caller; 0 for no limit [default: 0 in local mode, else 1000]
    #[arg(long, value_name = "N")]
    rate: Option<u32>,

    /// The time that running deployments get to end when the server is stopped, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u64,

    /// The number of deployments in the history of each scope; the oldest ones that have ended are deleted. 0 keeps all of them
    #[arg(long, value_name = "N", default_value_t = 800)]
    history: usize,

    /// The time that ended deployments stay in the history: a number with s, m, h or d, or `never` to forget none for its age
    #[arg(long, value_name = "TIME", default_value = "never", value_parser = super::token::life)]
    history_age: super::token::Life,

    /// How many resources a resource group may have; 0 for no quota
    #[arg(long, value_name = "N", default_value_t = 0)]
    group_resources: u64,

    /// How much may be kept of a resource group, its resources and the history of its deployments, in MiB; 0 for no quota
    #[arg(long, value_name = "MIB", default_value_t = 0)]
    group_size: u64,

    /// How many deployments of a resource group may be under way at the same time; 0 for no quota
    #[arg(long, value_name = "N", default_value_t = 0)]
    group_deployments: u64,

    /// The time to wait for a database that does not answer when the server starts, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    database_wait: u64,

    #[command(flatten)]
    budget: BudgetOptions,
    #[command(flatten)]
    watch: WatchOptions,
    #[command(flatten)]
    oidc: OidcOptions,
    #[command(flatten)]
    tls: TlsOptions,
    #[command(flatten)]
    state: StateOptions,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    types: TypeOptions,
}

/// How much a deployment may use.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Budgets")]
struct BudgetOptions {
    /// The memory that the process may use, in MiB [default: that of the machine, the control group or the limits of the process]
    #[arg(long, value_name = "MIB")]
    memory: Option<NonZeroU32>,

    /// The memory that the values of one deployment may take at the same time, in MiB [default: 256, and at most a sixteenth of the memory]
    #[arg(long, value_name = "MIB")]
    deployment_memory: Option<NonZeroU32>,

    /// The largest size of all resources and outputs of one deployment together, in MiB [default: 64, and at most a quarter of
    /// `--deployment-memory`]
    #[arg(long, value_name = "MIB")]
    deployment_size: Option<NonZeroU32>,

    /// The largest size of one resource or output, in MiB [default: 4]
    #[arg(long, value_name = "MIB")]
    resource_size: Option<NonZeroU32>,

    /// The limits of templates: those of Azure, or wider ones
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    template_limits: TemplateLimitsName,
}

/// The sizes that templates may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum TemplateLimitsName {
    /// Templates of 4 MiB with 800 resources, 256 parameters and 64 outputs
    #[default]
    Azure,
    /// Templates of 64 MiB with 100,000 resources and 10,000 parameters
    Wide,
}

/// How many steps of evaluation a deployment has: some seconds.
const STEPS: u64 = 100_000_000;

impl BudgetOptions {
    fn memory(&self) -> u64 {
        self.memory.map_or_else(process_memory::bytes, mebibytes)
    }

    fn source(&self) -> BudgetSource {
        let limits = BudgetLimits { steps: STEPS, ..BudgetLimits::DEFAULT };
        let mut source = BudgetSource::of_process(limits, self.memory());
        let limits = &mut source.limits;
        let set = |limit: &mut u64, option: Option<NonZeroU32>| *limit = option.map_or(*limit, mebibytes);
        set(&mut limits.alive, self.deployment_memory);
        set(&mut limits.out, self.deployment_size);
        set(&mut limits.part, self.resource_size);
        source
    }

    fn templates(&self) -> TemplateLimits {
        match self.template_limits {
            TemplateLimitsName::Azure => {
                TemplateLimits { resource_bytes: 4 << 20, ..TemplateLimits::azure() }
            }
            TemplateLimitsName::Wide => TemplateLimits::DEFAULT,
        }
    }
}

fn mebibytes(count: NonZeroU32) -> u64 {
    u64::from(count.get()) << 20
}

/// What is told of the requests.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Logs and traces")]
struct WatchOptions {
    /// The least level of lines logged to standard error; `debug` has a line for each request
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    log: Level,

    /// The format of the log: text, or a JSON object per line
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    log_format: LogFormat,

    /// Send a span for each request to this OpenTelemetry collector, such as http://127.0.0.1:4318
    #[arg(long, value_name = "URL")]
    otlp: Option<String>,

    /// Refuse a request that changes something if the audit log cannot take it
    #[arg(long)]
    audit_required: bool,
}

/// What is logged, each with those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Level {
    Off,
    Error,
    Warn,
    #[default]
    Info,
    Debug,
}

impl WatchOptions {
    fn start(&self) -> Result<Log, CommandError> {
        let level = match self.log {
            Level::Off => return Ok(Log::silent()),
            Level::Error => LogLevel::Error,
            Level::Warn => LogLevel::Warning,
            Level::Info => LogLevel::Info,
            Level::Debug => LogLevel::Debug,
        };
        let open: OpenSink = Box::new(|| Ok(Box::new(std::io::stderr())));
        let log = Log::start(open, self.log_format.into())
            .map_err(|error| CommandError::Environment(format!("cannot start to log: {error}")))?;
        // There is one server in a process, so there is no other log yet.
        let _ = tracing::subscriber::set_global_default(LogSubscriber::new(log.clone(), level));
        Ok(log)
    }
}

/// How many threads wait for the disk or for their turn to evaluate at most; they are there only as long as they are needed.
const BLOCKING_THREADS: usize = 1024;

/// How much memory there is for each of them at least.
const MEMORY_PER_THREAD: u64 = 16 << 20;

/// How many connections there are at most unless somebody says so, how many in any case, and how much memory there is for each of them.
const CONNECTIONS: usize = 16_384;
const FEW_CONNECTIONS: usize = 256;
const MEMORY_PER_CONNECTION: u64 = 128 << 10;

/// How many threads serve at least. An evaluation has one of them until it has shown that it takes long, and others are to be served meanwhile, also where
/// there are few cores.
const SERVING_THREADS: usize = 8;

fn serving_threads() -> usize {
    std::thread::available_parallelism().map_or(SERVING_THREADS, |cores| cores.get().max(SERVING_THREADS))
}

/// How many requests a caller may send in a second where callers log in.
const RATE: u32 = 1000;

/// How callers are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Auth {
    // No login; only on a loopback address.
    #[default]
    Local,
    // Static tokens.
    Token,
    // Tokens of an OpenID Connect issuer.
    Oidc,
}

/// Whose tokens are accepted with `--auth oidc`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "OpenID Connect")]
struct OidcOptions {
    /// The address of the issuer, exactly as its tokens name it
    #[arg(long, value_name = "URL", required_if_eq("auth", "oidc"))]
    oidc_issuer: Option<String>,

    /// An accepted audience of tokens; may be repeated
    #[arg(long, value_name = "AUDIENCE", required_if_eq("auth", "oidc"))]
    oidc_audience: Vec<String>,

    /// The role and scope of a value of the roles claim, such as `admins=owner@/`; may be repeated
    #[arg(long, value_name = "VALUE=ROLE@SCOPE", value_parser = role_rule, required_if_eq("auth", "oidc"))]
    oidc_role: Vec<RoleRule>,

    /// The claim with the roles of a caller
    #[arg(long, value_name = "CLAIM", default_value = "roles")]
    oidc_roles_claim: String,

    /// The authorities that sign the certificate of the issuer (PEM) [default: those of the system]
    #[arg(long, value_name = "FILE")]
    oidc_ca: Option<PathBuf>,
}

fn role_rule(text: &str) -> Result<RoleRule, String> {
    RoleRule::parse(text).ok_or_else(|| "expected `VALUE=ROLE@SCOPE`, such as `admins=owner@/`".to_owned())
}

/// How long an issuer is left alone after it was asked for its keys.
const ISSUER_PAUSE: Duration = Duration::from_secs(30);

/// How the server proves who it is.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "TLS")]
struct TlsOptions {
    /// The certificate, followed by its chain (PEM) [default: a self-signed one in the state folder]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// The authorities that sign certificates of clients (PEM); they are read again when the file changes
    #[arg(long, value_name = "FILE", requires = "client_role", conflicts_with = "http")]
    client_ca: Option<PathBuf>,

    /// The role and scope of a client whose certificate has this name, of a host or as a URI, such as `ci.example=deployer@/`; may be repeated
    #[arg(long, value_name = "NAME=ROLE@SCOPE", value_parser = role_rule, requires = "client_ca")]
    client_role: Vec<RoleRule>,

    /// Another name or address for the certificate in the state folder; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "tls_cert")]
    tls_name: Vec<String>,

    /// Serve plain HTTP; only on a loopback address
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_name"])]
    http: bool,
}

const EXAMPLES: &str = "\
Examples:
  tendon serve --state state
  tendon serve --listen 127.0.0.1:0 --state state
  tendon serve --http --listen 127.0.0.1:8080
  tendon serve --tls-cert server.pem --tls-key server.key
  tendon serve --auth token --listen 0.0.0.0:8443 --tls-name tendon.example
  tendon serve --config serve.toml --check-config
  tendon serve --auth oidc --oidc-issuer https://issuer.example --oidc-audience tendon \\
    --oidc-role admins=owner@/";

/// Serves until it is stopped.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    arguments.compile.exclude_restore("serve")?;
    if arguments.check_config {
        return arguments.check(common, streams);
    }
    if arguments.check_ready {
        return arguments.ask_ready(common, streams);
    }
    let log = arguments.watch.start()?;
    arguments.state.note_earlier(common, streams)?;
    let failed = |error: &dyn std::fmt::Display| CommandError::Environment(error.to_string());
    let threads = usize::try_from(arguments.budget.memory() / MEMORY_PER_THREAD).unwrap_or(BLOCKING_THREADS);
    let threads = threads.clamp(32, BLOCKING_THREADS);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(serving_threads())
        .max_blocking_threads(threads)
        .build()
        .map_err(|error| failed(&error))?;
    // What computes much has threads of its own, which the system shares out with those that serve.
    let aside = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2)))
        .max_blocking_threads(threads)
        .build()
        .map_err(|error| failed(&error))?;
    let served = runtime.block_on(async {
        let app = Arc::new(arguments.app()?.logged(log.clone()));
        app.host.run_aside(aside.handle().clone());
        let source = arguments.tls.source(&arguments.state)?;
        let identity = source.as_ref().map(CertificateSource::read).transpose();
        let identity = identity.map_err(|error| failed(&error))?;
        let clients = arguments.tls.client_ca.as_deref().map(ClientAuthorities::from_file).transpose();
        let clients = clients.map_err(|error| failed(&error))?;
        let replaceable = identity.as_ref().map(|it| it.replaceable(clients.as_ref())).transpose();
        let (tls, slot) = replaceable.map_err(|error| failed(&error))?.unzip();
        if let Some((source, slot)) = source.zip(slot) {
            tokio::spawn(source.keep_reading(slot));
        }
        if let Some((clients, file)) = clients.zip(arguments.tls.client_ca.clone()) {
            tokio::spawn(reload::keep_reading_authorities(clients, file));
        }
        let engine = app.host.engine();
        let keys = KeySource { key: engine.key.clone(), file: arguments.state.key_file()? };
        tokio::spawn(keys.keep_reading(Arc::clone(&engine.store)));
        let settings = server::ListenSettings {
            address: arguments.listen,
            tls,
            connections: arguments.connections(),
            per_address: arguments.per_address(),
            grace: Duration::from_secs(arguments.grace),
        };
        let listening = server::listen(Arc::clone(&app), settings).await.map_err(|error| match error {
            ServeError::Open(_) | ServeError::Plain(_) => CommandError::Usage(error.to_string()),
            ServeError::Listen { .. } => failed(&error),
        })?;
        let scheme = if identity.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listening.address());
        streams.print(&format!("listening on {url}\n"))?;
        if let Some(identity) = identity.filter(|_| !common.quiet) {
            let secret = match arguments.auth {
                Auth::Local => az::LOCAL_SECRET,
                Auth::Token | Auth::Oidc => "\"$TENDON_TOKEN\"",
            };
            streams.print(&az::lines_to_paste(&url, &identity.certificate, secret))?;
        }
        streams.flush()?;
        tracing::info!(url, "listening");
        let (once, twice) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
        let (first, second) = (Arc::clone(&once), Arc::clone(&twice));
        tokio::spawn(async move {
            stopped().await;
            first.notify_one();
            stopped().await;
            second.notify_one();
        });
        let mut running = std::pin::pin!(listening.run(async move { once.notified().await }));
        let mut impatient = std::pin::pin!(twice.notified());
        let ended = std::future::poll_fn(|context| match running.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => impatient.as_mut().poll(context).map(|()| false),
        });
        if ended.await {
            tracing::info!("stopped");
        } else {
            tracing::warn!("stopped without waiting; the next start resumes running deployments");
        }
        Ok(Exit::Fine)
    });
    // What still waits for the disk or computes would be waited for.
    runtime.shutdown_background();
    aside.shutdown_background();
    log.flush();
    served
}

/// Waits for Ctrl-C or SIGTERM.
async fn stopped() {
    let pressed = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Nobody can press it.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            let mut pressed = std::pin::pin!(pressed);
            std::future::poll_fn(|context| match pressed.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(()),
                Poll::Pending => terminate.poll_recv(context).map(drop),
            })
            .await;
            return;
        }
    }
    pressed.await;
}

impl Arguments {
    /// How many connections may be open. What a client has sent of a head that does not end is kept for a while.
    fn connections(&self) -> usize {
        let room = usize::try_from(self.budget.memory() / MEMORY_PER_CONNECTION).unwrap_or(CONNECTIONS);
        self.connections.unwrap_or_else(|| room.clamp(FEW_CONNECTIONS, CONNECTIONS))
    }

    /// How many connections one address may have open.
    fn per_address(&self) -> usize {
        let usual = self.connections().div_ceil(4);
        self.connections_per_address.map_or(usual, |count| usize::try_from(count.get()).unwrap_or(usize::MAX))
    }

    /// Checks what can be checked without a state, a socket and other servers.
    fn check(&self, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
        if let (Some(certificate), Some(key)) = (&self.tls.tls_cert, &self.tls.tls_key) {
            let identity = server::Identity::from_files(certificate, key);
            let config = identity.and_then(|identity| identity.server_config());
            config.map_err(|error| CommandError::Usage(error.to_string()))?;
        }
        let clients = self.tls.client_ca.as_deref().map(ClientAuthorities::from_file).transpose();
        drop(clients.map_err(|error| CommandError::Usage(error.to_string()))?);
        match self.auth {
            Auth::Oidc => drop(self.oidc.open()?),
            Auth::Local | Auth::Token => {}
        }
        server::may_listen(self.listen, matches!(self.auth, Auth::Local), !self.tls.http)
            .map_err(|error| CommandError::Usage(error.to_string()))?;
        self.state.check()?;
        if !common.quiet {
            streams.print("the configuration is valid\n")?;
        }
        Ok(Exit::Fine)
    }

    /// Asks the server at the address of these options whether it is ready. Who listens on all addresses is asked on the loopback one.
    fn ask_ready(&self, common: &Common, streams: &mut Streams) -> Result<Exit, CommandError> {
        let failed = |error: &dyn std::fmt::Display| CommandError::Environment(error.to_string());
        let mut address = self.listen;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let scheme = if self.tls.http { "http" } else { "https" };
        let certificate = match &self.tls.tls_cert {
            _ if self.tls.http => None,
            Some(certificate) => Some(certificate.clone()),
            None => self.state.certificate(),
        };
        // The certificate of the server itself is trusted, whatever names it has: it is this machine that is asked.
        let client =
            certificate.map_or_else(|| Client::new(None), |certificate| Client::pinned(&certificate));
        let client = client.map_err(|error| failed(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let url = format!("{scheme}://{address}/readyz");
        let asked = client.ask(hyper::Method::GET, &url, hyper::body::Bytes::new());
        let reply = runtime.block_on(asked).map_err(|error| failed(&error))?;
        if !reply.status.is_success() {
            return Err(CommandError::Environment(format!(
                "the server at {address} is not ready: {}",
                reply.status
            )));
        }
        if !common.quiet {
            streams.print("ready\n")?;
        }
        Ok(Exit::Fine)
    }

    /// The engine, as soon as its database answers.
    fn engine(&self, types: &Arc<LazyTypes>) -> Result<Engine, CommandError> {
        self.state.require_key()?;
        let begun = Instant::now();
        let mut pause = Duration::from_millis(100);
        loop {
            let made = self.state.make_key().map_err(StateError::from);
            let opened = made.and_then(|()| {
                self.state.server_engine(Arc::clone(types), &self.types, self.budget.source())
            });
            let Err(StateError::Unavailable(why)) = opened else { return Ok(opened?) };
            if begun.elapsed() >= Duration::from_secs(self.database_wait) {
                return Err(CommandError::Environment(why));
            }
            tracing::warn!(why, "the database does not answer; waiting for it");
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    /// Everything behind the socket.
    fn app(&self) -> Result<App, CommandError> {
        let failed = |error: &dyn std::fmt::Display| CommandError::Environment(error.to_string());
        let types = Arc::new(self.compile.engine_types(None));
        let shared = Arc::clone(&types);
        let engine = self.engine(&types)?;
        // The first one that serves leaves what tells its key from others.
        store::is_key_of(&*engine.store, &engine.key).map_err(|error| failed(&error))?;
        let registry = Arc::new(Registry::new(Arc::clone(&engine.store), engine.key.clone()));
        let guard = self.guard(&engine)?;
        let usual = match self.auth {
            Auth::Local => 0,
            Auth::Token | Auth::Oidc => RATE,
        };
        let rate = Some(self.rate.unwrap_or(usual)).filter(|rate| *rate > 0);
        let limits = server::Limits { rate, templates: self.budget.templates(), ..server::Limits::default() };
        let limits = limits.within(self.budget.memory());
        engine::wait_within(self.budget.memory());
        if let Some(pool) = &engine.budgets.pool {
            memory_watch::start(pool, self.budget.memory());
        }
        let audit = server::Audit::open(&self.state.made_folder()?).map_err(|error| failed(&error))?;
        let (store, times) = server::MeteredStore::new(Arc::clone(&engine.store));
        let quotas = Quotas::new(self.quotas(), Arc::<server::MeteredStore>::clone(&store));
        let provider = quotas.around(Arc::clone(&engine.provider));
        let engine = Engine { store, provider, ..engine };
        let app =
            App::new(Arc::new(Host::new(engine)), registry).measured(times).with_types(shared).guarded(guard);
        let app = app.within(quotas);
        let audit = if self.watch.audit_required { audit.required() } else { audit };
        let app = app.limited(limits).audited(audit).compiling(self.compile.pasted());
        let app = if self.history > 0 { app.remembering(self.history) } else { app };
        let age = self.history_age.seconds().and_then(|seconds| u64::try_from(seconds).ok());
        let app = match age {
            Some(seconds) => app.forgetting(Duration::from_secs(seconds)),
            None => app,
        };
        match &self.watch.otlp {
            Some(collector) => {
                let traces = server::Traces::start(collector)
                    .map_err(|error| CommandError::Usage(error.to_string()))?;
                Ok(app.traced(traces))
            }
            None => Ok(app),
        }
    }

    /// How much a resource group may have.
    fn quotas(&self) -> QuotaLimits {
        let some = |most: u64| Some(most).filter(|most| *most > 0);
        QuotaLimits {
            resources: some(self.group_resources),
            bytes: some(self.group_size.saturating_mul(1 << 20)),
            active: some(self.group_deployments),
        }
    }

    /// Who decides who may do what.
    fn guard(&self, engine: &Engine) -> Result<Guard, CommandError> {
        let mode = match self.auth {
            Auth::Local => AuthMode::Local { names: self.tls.tls_name.clone() },
            Auth::Token => AuthMode::Tokens(Tokens::new(Arc::clone(&engine.store), engine.key.clone())),
            Auth::Oidc => AuthMode::Oidc(Box::new(self.oidc.open()?)),
        };
        let rules = self.tls.client_role.iter().chain(self.oidc.oidc_role.iter());
        for rule in rules {
            // Roles can be made while the server runs, so this is no reason not to start.
            if let Ok(false) = Roles(&*engine.store).has(&rule.grant.role) {
                tracing::warn!(
                    role = rule.grant.role.name(),
                    of = rule.value,
                    "there is no such role, so it allows nothing"
                );
            }
        }
        Ok(Guard::new(mode).knowing(self.tls.client_role.clone()))
    }
}

impl OidcOptions {
    fn open(&self) -> Result<Oidc, CommandError> {
        let settings = OidcSettings {
            issuer: self.oidc_issuer.clone().unwrap_or_default(),
            audiences: self.oidc_audience.clone(),
            roles_claim: self.oidc_roles_claim.clone(),
            roles: self.oidc_role.clone(),
            authorities: self.oidc_ca.clone(),
            pause: ISSUER_PAUSE,
        };
        Oidc::new(settings).map_err(|error| CommandError::Usage(error.to_string()))
    }
}

impl TlsOptions {
    /// Where the certificate comes from; none for plain HTTP.
    fn source(&self, state: &StateOptions) -> Result<Option<CertificateSource>, CommandError> {
        Ok(match (self.http, &self.tls_cert, &self.tls_key) {
            (true, _, _) => None,
            (false, Some(certificate), Some(key)) => {
                Some(CertificateSource::Files { certificate: certificate.clone(), key: key.clone() })
            }
            (false, None | Some(_), None) | (false, None, Some(_)) => {
                let (folder, names) = (state.made_folder()?, self.tls_name.clone());
                Some(CertificateSource::Own { folder, names })
            }
        })
    }
}
