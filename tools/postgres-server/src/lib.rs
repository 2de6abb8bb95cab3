//! A PostgreSQL server in a temporary folder, for tests and benchmarks.
//!
//! [`Server::start`] makes a database cluster, starts it with `fsync` on, and answers when it takes connections. The server can be
//! restarted, stopped and killed. It ends when it is dropped, and also when the process that started it ends in any way: it
//! hangs on a pipe to that process. All waits are bounded.
//!
//! PostgreSQL does not run as root. If this process does, the server runs as `nobody`.

#![cfg(unix)]

mod folder;
mod keeper;
mod programs;

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use folder::Folder;
use keeper::Keeper;

/// How long a server may take to start, or to stop.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is asked whether it has started.
const LOOK: Duration = Duration::from_millis(20);
/// How many ports are tried: one that was free may be taken a moment later.
const PORTS: u32 = 5;

/// The user of the databases. It may do everything and needs no password.
pub const USER: &str = "tendon";

/// A server that runs, or that was stopped and can run again.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    folder: Folder,
    port: u16,
    settings: Vec<String>,
    keeper: Option<Keeper>,
}

impl Server {
    /// Starts a server of its own.
    pub fn start() -> io::Result<Server> {
        Server::with_settings(&[])
    }

    /// Starts a server of its own with settings such as `max_connections=20`.
    pub fn with_settings(settings: &[&str]) -> io::Result<Server> {
        let programs = programs::find()?;
        let folder = Folder::new()?;
        let mut initialize = folder.command(&programs.join("initdb"));
        initialize.arg("--pgdata").arg(folder.data()).args(["--username", USER, "--auth", "trust"]);
        // What is made here is not worth keeping if the machine goes down meanwhile.
        initialize.args(["--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"]);
        succeed(&mut initialize)?;
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        let mut server = Server { programs, folder, port: 0, settings, keeper: None };
        let mut result = Ok(());
        for _ in 0..PORTS {
            server.port = free_port()?;
            result = server.resume();
            let is_taken = |error: &io::Error| error.to_string().contains("Address already in use");
            if !result.as_ref().is_err_and(is_taken) {
                break;
            }
        }
        result.map(|()| server)
    }

    /// Starts a standby of this server, which from now on confirms no commit that the standby does not have.
    pub fn with_standby(&self) -> io::Result<Server> {
        let folder = Folder::new()?;
        let mut copy = folder.command(&self.programs.join("pg_basebackup"));
        copy.arg("--pgdata").arg(folder.data()).arg("--host").arg(self.folder.path());
        copy.args(["--port", &self.port.to_string(), "--username", USER]);
        succeed(copy.args([
            "--write-recovery-conf",
            "--wal-method=stream",
            "--checkpoint=fast",
            "--no-sync",
        ]))?;
        let settings = self.settings.clone();
        let mut standby =
            Server { programs: self.programs.clone(), folder, port: free_port()?, settings, keeper: None };
        standby.resume()?;
        let begun = Instant::now();
        while self.sql("postgres", "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")?
            == "0"
        {
            if begun.elapsed() > PATIENCE {
                return Err(io::Error::other("the standby does not follow"));
            }
            std::thread::sleep(LOOK);
        }
        self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        self.sql("postgres", "SELECT pg_reload_conf()")?;
        Ok(standby)
    }

    /// Makes a standby take writes: what it followed is gone.
    pub fn promote(&self) -> io::Result<()> {
        // It has nobody to wait for.
        self.sql("postgres", "SELECT pg_promote(true, 60)")?;
        self.sql("postgres", "ALTER SYSTEM RESET synchronous_standby_names")?;
        self.sql("postgres", "SELECT pg_reload_conf()").map(drop)
    }

    /// One server for all tests of a process, which ends with the process.
    pub fn shared() -> io::Result<&'static Server> {
        static SHARED: OnceLock<Result<Server, String>> = OnceLock::new();
        let shared = SHARED.get_or_init(|| Server::start().map_err(|error| error.to_string()));
        shared.as_ref().map_err(|error| io::Error::other(error.clone()))
    }

    /// The address of a database, over a socket in the folder.
    pub fn url(&self, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://{USER}@{folder}:{}/{database}", self.port)
    }

    /// The address of a database, over TCP on the loopback interface.
    pub fn tcp_url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A file in the folder of the server, which the server can read: certificates, for example.
    pub fn file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        self.folder.file(name, text)
    }

    /// A program of PostgreSQL, such as `psql` or `pgbench`, which finds the server by itself.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.env("PGHOST", self.folder.path()).env("PGPORT", self.port.to_string()).env("PGUSER", USER);
        command.env("PGDATABASE", "postgres");
        command
    }

    /// Runs statements in a database, and answers with the rows, a line for each.
    pub fn sql(&self, database: &str, statements: &str) -> io::Result<String> {
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1"]);
        succeed(psql.args(["--dbname", database, "--command", statements]))
    }

    /// Makes an empty database.
    pub fn create_database(&self, name: &str) -> io::Result<()> {
        self.sql("postgres", &format!("CREATE DATABASE {name}")).map(drop)
    }

    /// Whether the server runs.
    pub fn is_running(&self) -> bool {
        self.keeper.is_some()
    }

    /// The number of the process that all others of the server are children of.
    pub fn process(&self) -> io::Result<u32> {
        let text = std::fs::read_to_string(self.folder.path().join("pid"))?;
        text.trim().parse().map_err(io::Error::other)
    }

    /// Starts a server that was stopped.
    pub fn resume(&mut self) -> io::Result<()> {
        if self.keeper.is_some() {
            return Ok(());
        }
        let mut keeper = Keeper::start(&self.programs, &self.folder, self.port, &self.settings)?;
        let begun = Instant::now();
        while !self.answers() {
            if keeper.has_ended()? || begun.elapsed() > PATIENCE {
                drop(keeper);
                return Err(io::Error::other(format!("PostgreSQL did not start: {}", self.folder.log())));
            }
            std::thread::sleep(LOOK);
        }
        self.keeper = Some(keeper);
        Ok(())
    }

    /// Stops the server as an administrator does: transactions are rolled back, connections are closed.
    pub fn stop(&mut self) -> io::Result<()> {
        self.keeper.take().map_or(Ok(()), |keeper| keeper.end("INT"))
    }

    /// Stops the server and starts it again.
    pub fn restart(&mut self) -> io::Result<()> {
        self.stop()?;
        self.resume()
    }

    /// Kills the server with all its processes, as a machine does that loses its power.
    pub fn kill(&mut self) -> io::Result<()> {
        self.keeper.take().map_or(Ok(()), |keeper| keeper.end("KILL"))
    }

    fn answers(&self) -> bool {
        let asked = self.program("pg_isready").args(["--quiet", "--timeout", "1"]).status();
        asked.is_ok_and(|status| status.success())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that is over is not interested in what it leaves; the folder goes next.
        let _ = self.kill();
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Runs a program to its end and answers with what it wrote.
fn succeed(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned());
    }
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().display().to_string();
    Err(io::Error::other(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim_end())))
}
