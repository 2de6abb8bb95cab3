//! The registry that Debian has (`docker-registry`), in a temporary folder and on a loopback port.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a registry may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked whether it has started.
const LOOK: Duration = Duration::from_millis(20);
/// How many ports are tried: one that was free may be taken a moment later.
const PORTS: u32 = 5;

/// An address that leads to this machine and is not that of a loopback interface.
pub const ELSEWHERE: &str = "0.0.0.0";

/// The name that registries with a password know.
pub const USER: &str = "me";
/// Its password.
pub const PASSWORD: &str = "secret";
/// The hash of both, as `htpasswd` writes it.
const HASH: &str = "me:$2y$04$hjFsMetOwO7zAd58MHGd3ua6L9toxP6Wua.ppGLPsgiOml.hIwUvm\n";

/// The certificate of whoever signed the tokens below. The key is gone: all tokens are here, and they are good until 2100.
const ISSUER: &str = include_str!("../resources/issuer.pem");

/// Who may use a registry.
#[derive(Clone, Debug)]
pub enum Access {
    /// Anybody.
    Open,
    /// Those who know the password.
    Password,
    /// Those who have a token of the service at an address.
    Token(String),
}

/// A token for the repository `team/thing`: for pulls, or for pushes as well.
#[must_use]
pub fn token(with_push: bool) -> &'static str {
    match with_push {
        true => include_str!("../resources/token-push.txt"),
        false => include_str!("../resources/token-pull.txt"),
    }
}

/// A registry that runs. It ends when it is dropped, and also when the process that started it ends in any way.
#[derive(Debug)]
pub struct Debian {
    port: u16,
    folder: PathBuf,
    child: Child,
}

impl Debian {
    /// Starts a registry.
    pub fn start(access: &Access) -> io::Result<Debian> {
        Debian::start_with(access, None)
    }

    /// Starts a registry that anybody may use, over TLS with a certificate and its key (PEM).
    pub fn start_secure(certificate: &Path, key: &Path) -> io::Result<Debian> {
        Debian::start_with(&Access::Open, Some((certificate, key)))
    }

    fn start_with(access: &Access, tls: Option<(&Path, &Path)>) -> io::Result<Debian> {
        let mut result = Err(io::Error::other("no port is free"));
        for _ in 0..PORTS {
            result = Debian::on(free_port()?, access, tls);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn on(port: u16, access: &Access, tls: Option<(&Path, &Path)>) -> io::Result<Debian> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("tendon-docker-registry-{}-{count}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("htpasswd"), HASH)?;
        std::fs::write(folder.join("issuer.pem"), ISSUER)?;
        let root = folder.display();
        let access = match access {
            Access::Open => String::new(),
            Access::Password => format!("auth:\n  htpasswd: {{ realm: here, path: {root}/htpasswd }}\n"),
            Access::Token(realm) => format!(
                "auth:\n  token: {{ realm: \"{realm}\", service: here, issuer: tests, rootcertbundle: {root}/issuer.pem }}\n"
            ),
        };
        let tls = tls.map(|(certificate, key)| {
            format!("  tls: {{ certificate: \"{}\", key: \"{}\" }}\n", certificate.display(), key.display())
        });
        let tls = tls.unwrap_or_default();
        let config = format!(
            "version: 0.1\nlog: {{ level: error, accesslog: {{ disabled: true }} }}\nstorage:\n  filesystem: {{ rootdirectory: {root}/data }}\nhttp:\n  addr: 127.0.0.1:{port}\n{tls}{access}"
        );
        std::fs::write(folder.join("config.yml"), config)?;
        // The shell waits for the end of its input, which is the end of this process at the latest.
        let script = "docker-registry serve \"$1\" </dev/null >\"$2\" 2>&1 & read -r _; kill $!";
        let child = Command::new("sh")
            .args(["-c", script, "sh"])
            .args([folder.join("config.yml"), folder.join("log")])
            .stdin(Stdio::piped())
            .spawn()?;
        let registry = Debian { port, folder, child };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = std::fs::read_to_string(registry.folder.join("log")).unwrap_or_default();
            if log.contains("not found")
                || log.contains("address already in use")
                || begun.elapsed() > PATIENCE
            {
                return Err(io::Error::other(format!("docker-registry did not start: {log}")));
            }
            std::thread::sleep(LOOK);
        }
        Ok(registry)
    }

    /// The host and the port.
    #[must_use]
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The host and the port as another machine: a name for this one that is not known as one, so that it is asked over TLS.
    #[must_use]
    pub fn host_elsewhere(&self) -> String {
        format!("{ELSEWHERE}:{}", self.port)
    }

    /// The files in which blobs are kept.
    pub fn blobs(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.join("data/docker/registry/v2/blobs")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push(path);
                }
            }
        }
        Ok(found)
    }
}

impl Drop for Debian {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
