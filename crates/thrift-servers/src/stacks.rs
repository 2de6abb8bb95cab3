//! Other people's servers: what there is, how it is built, and how it is started.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use thrift::proxy::Transport;
use thrift::wire::Protocol;

use crate::expected::{Call, IDL};
use crate::{Result, said};

/// A server with one way to read.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Its name: the library and what it is made of, with dashes between.
    pub name: &'static str,
    /// How it expects messages to be enclosed.
    pub transport: Transport,
    /// How it expects messages to be encoded.
    pub protocol: Protocol,
    /// Whether functions are called as `Service:function`.
    pub shares: bool,
    /// Whether its handler is called with what hides from a proxy that takes the client's word for the transport.
    pub falls: bool,
    /// Whether it serves one client at a time.
    pub is_serial: bool,
    /// Whether calls of one connection are handled one after the other.
    pub answers_in_order: bool,
    /// Whether it moves over the arguments of a function that it does not know, instead of reading them as a message.
    pub skips_unknown: bool,
    /// Whether it makes room for as many bytes as a frame claims to have: a few clients that speak something else keep it so
    /// busy that honest ones wait too long.
    pub believes_lengths: bool,
}

const fn stack(name: &'static str, transport: Transport, protocol: Protocol) -> Stack {
    Stack {
        name,
        transport,
        protocol,
        shares: false,
        falls: false,
        is_serial: false,
        answers_in_order: true,
        skips_unknown: true,
        believes_lengths: false,
    }
}

const fn credulous(name: &'static str) -> Stack {
    Stack { falls: true, ..stack(name, Transport::Buffered, Protocol::Binary) }
}

const fn forgetful(name: &'static str, transport: Transport, protocol: Protocol) -> Stack {
    let believes_lengths = matches!(transport, Transport::Framed);
    Stack { skips_unknown: false, believes_lengths, ..stack(name, transport, protocol) }
}

const fn shared(name: &'static str, transport: Transport, protocol: Protocol) -> Stack {
    Stack { shares: true, ..stack(name, transport, protocol) }
}

/// All servers; `docs/thrift.md` says what each is.
pub const STACKS: &[Stack] = &[
    // As the library makes it unless told otherwise.
    credulous("go-lenient"),
    stack("go-buffered-strict", Transport::Buffered, Protocol::Binary),
    stack("go-framed-lenient", Transport::Framed, Protocol::Binary),
    stack("go-framed-strict", Transport::Framed, Protocol::Binary),
    stack("go-buffered-compact", Transport::Buffered, Protocol::Compact),
    stack("go-framed-compact", Transport::Framed, Protocol::Compact),
    stack("go-buffered-json", Transport::Buffered, Protocol::Json),
    stack("go-header", Transport::THeader, Protocol::Binary),
    stack("go-http-lenient", Transport::Http, Protocol::Binary),
    shared("go-buffered-lenient-mux", Transport::Buffered, Protocol::Binary),
    stack("python-buffered-lenient", Transport::Buffered, Protocol::Binary),
    stack("python-buffered-strict", Transport::Buffered, Protocol::Binary),
    stack("python-buffered-fast", Transport::Buffered, Protocol::Binary),
    stack("python-framed-lenient", Transport::Framed, Protocol::Binary),
    stack("python-framed-strict", Transport::Framed, Protocol::Binary),
    stack("python-framed-compact", Transport::Framed, Protocol::Compact),
    stack("python-buffered-json", Transport::Buffered, Protocol::Json),
    stack("python-header", Transport::THeader, Protocol::Binary),
    Stack { is_serial: true, ..stack("python-http-lenient", Transport::Http, Protocol::Binary) },
    shared("python-buffered-lenient-mux", Transport::Buffered, Protocol::Binary),
    stack("thriftpy2-buffered-strict", Transport::Buffered, Protocol::Binary),
    credulous("thriftpy2-buffered-lenient"),
    stack("thriftpy2-buffered-fast", Transport::Buffered, Protocol::Binary),
    stack("thriftpy2-framed-fast", Transport::Framed, Protocol::Binary),
    stack("thriftpy2-framed-compact", Transport::Framed, Protocol::Compact),
    stack("kitex-plain", Transport::Buffered, Protocol::Binary),
    stack("kitex-framed", Transport::Framed, Protocol::Binary),
    stack("kitex-ttheader", Transport::TTHeader, Protocol::Binary),
    stack("kitex-ttheader-services", Transport::TTHeader, Protocol::Binary),
    Stack { answers_in_order: false, ..stack("kitex-ttheader-mux", Transport::TTHeader, Protocol::Binary) },
    forgetful("rust-buffered-lenient", Transport::Buffered, Protocol::Binary),
    forgetful("rust-framed-lenient", Transport::Framed, Protocol::Binary),
    forgetful("rust-buffered-compact", Transport::Buffered, Protocol::Compact),
    forgetful("rust-framed-compact", Transport::Framed, Protocol::Compact),
];

/// The programs, built.
#[derive(Debug)]
pub struct Programs {
    work: PathBuf,
    python: PathBuf,
    cargo_target: PathBuf,
}

impl Programs {
    /// Writes and builds the programs of all servers in a folder, with an interpreter that has the libraries. The target
    /// folder of cargo may be one that has the `thrift` crate already.
    pub fn build(work: &Path, python: &Path, cargo_target: &Path) -> Result<Programs> {
        let idl = work.join("calls.thrift");
        write(&idl, IDL)?;
        std::fs::create_dir_all(work.join("go/gen")).map_err(said(work.display()))?;
        compile(&["py"], &idl, work)?;
        compile(&["go:package_prefix=servers/gen/"], &idl, &work.join("go/gen"))?;
        for (from, to) in [("main.go.txt", "main.go"), ("go.mod.txt", "go.mod"), ("go.sum.txt", "go.sum")] {
            write(&work.join("go").join(to), &part(&format!("go/{from}"))?)?;
        }
        run(Command::new("go").args(["build", "-o", "server", "."]).current_dir(work.join("go")))?;
        kitex(&idl, &work.join("kitex"))?;
        rust(&idl, &work.join("rust"), cargo_target)?;
        let (work, python, cargo_target) = (work.to_owned(), python.to_owned(), cargo_target.to_owned());
        Ok(Programs { work, python, cargo_target })
    }

    /// Starts a server.
    pub fn start(&self, stack: &Stack) -> Result<Server> {
        let mut command = match stack.name.split('-').next() {
            Some(library @ ("go" | "kitex")) => Command::new(self.work.join(library).join("server")),
            Some("rust") => Command::new(self.cargo_target.join("debug/servers")),
            _ => {
                let mut command = Command::new(&self.python);
                command.arg(part_path("python/server.py")).env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
        };
        Server::start(command.arg(stack.name).arg(&self.work), stack.name)
    }
}

/// Types and servers as the tool of kitex writes them.
fn kitex(idl: &Path, folder: &Path) -> Result {
    // The versions of the tools are pinned there.
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../thrift/tests/go");
    let tool = folder.join("kitex");
    for (from, to) in [("main.go.txt", "main.go"), ("go.mod.txt", "go.mod"), ("go.sum.txt", "go.sum")] {
        write(&folder.join(to), &part(&format!("kitex/{from}"))?)?;
    }
    let package = "github.com/cloudwego/kitex/tool/cmd/kitex";
    run(Command::new("go").args(["build", "-o"]).arg(&tool).arg(package).current_dir(tools))?;
    run(Command::new(&tool).args(["-module", "servers"]).arg(idl).current_dir(folder))?;
    run(Command::new("go").args(["build", "-o", "server", "."]).current_dir(folder))
}

fn rust(idl: &Path, folder: &Path, target: &Path) -> Result {
    for (from, to) in
        [("main.rs.txt", "src/main.rs"), ("Cargo.toml.txt", "Cargo.toml"), ("Cargo.lock.txt", "Cargo.lock")]
    {
        write(&folder.join(to), &part(&format!("rust/{from}"))?)?;
    }
    compile(&["rs"], idl, &folder.join("src"))?;
    run(Command::new("cargo").args(["build", "--locked", "--target-dir"]).arg(target).current_dir(folder))
}

fn compile(generators: &[&str], idl: &Path, out: &Path) -> Result {
    generators.iter().try_for_each(|generator| {
        run(Command::new("thrift").args(["--gen", generator, "-out"]).arg(out).arg(idl))
    })
}

/// A server that runs.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    /// It ends when nobody can write there any more.
    stdin: Option<ChildStdin>,
    calls: Arc<Mutex<Vec<Call>>>,
    lines: Option<JoinHandle<()>>,
}

impl Server {
    fn start(command: &mut Command, name: &str) -> Result<Server> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(said(name))?;
        let out = child.stdout.take().ok_or_else(|| format!("{name} has no output"))?;
        let mut lines = BufReader::new(out).lines();
        let port =
            lines.next().and_then(std::result::Result::ok).and_then(|line| line.trim().parse::<u16>().ok());
        let port = port.ok_or_else(|| format!("{name} does not start"))?;
        let calls = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&calls);
        let lines = std::thread::spawn(move || {
            for line in lines.map_while(std::result::Result::ok) {
                let Some(call) = parse(&line) else { continue };
                if let Ok(mut log) = log.lock() {
                    log.push(call);
                }
            }
        });
        let stdin = child.stdin.take();
        Ok(Server {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            child,
            stdin,
            calls,
            lines: Some(lines),
        })
    }

    /// How many calls have reached the handler so far.
    pub fn count(&self) -> usize {
        self.calls.lock().map_or(0, |calls| calls.len())
    }

    /// Ends it and returns the calls that reached its handler; an error if it has ended by itself.
    pub fn end(mut self) -> Result<Vec<Call>> {
        let early = self.child.try_wait().map_err(|error| error.to_string())?;
        drop(self.stdin.take());
        let status = self.child.wait().map_err(|error| error.to_string())?;
        if let Some(lines) = self.lines.take() {
            _ = lines.join();
        }
        if early.is_some() {
            return Err(format!("the server has ended by itself: {status}"));
        }
        let mut calls = self.calls.lock().map_err(|error| error.to_string())?;
        Ok(std::mem::take(&mut calls))
    }
}

/// Reads a line of a handler's log.
fn parse(line: &str) -> Option<Call> {
    let mut words = line.split(' ');
    let (function, text, count) = (words.next()?, words.next()?, words.next()?);
    let text = (0..text.len() / 2)
        .map(|at| u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    Some(Call { function: function.to_owned(), text, count: count.parse().ok()? })
}

/// Runs a program to its end; everything it said if it fails.
fn run(command: &mut Command) -> Result {
    let shown: String = format!("{command:?}").chars().take(300).collect();
    let output = command.stdin(Stdio::null()).output().map_err(said(&shown))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{shown} failed\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Writes a file and the folders above it, unless it is there already: what is older need not be built again.
fn write(path: &Path, text: &str) -> Result {
    if std::fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(said(parent.display()))?;
    }
    std::fs::write(path, text).map_err(said(path.display()))
}

/// A file that lies beside this crate's sources.
fn part_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("servers").join(path)
}

fn part(path: &str) -> Result<String> {
    let path = part_path(path);
    std::fs::read_to_string(&path).map_err(said(path.display()))
}
