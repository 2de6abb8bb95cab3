//! Where the database is, and who connects to it.
//!
//! An address is a URL as `psql` takes it, with a few parameters of our own:
//!
//! - `schema`: where the tables are, `tendon` if it is left out;
//! - `connections`: how many connections a process has at most;
//! - `prepare=yes`: statements are prepared once for each connection, which not every connection pooler can do;
//! - `sslrootcert`: a file with the authorities that the certificate of the server is checked with.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use super::limits::Limits;

/// The schema unless another one is named.
const SCHEMA: &str = "tendon";
/// How many connections a process has at most, unless it is said.
const CONNECTIONS: usize = 8;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(3);
/// How long a connection may be silent that should not be.
const SILENCE: Duration = Duration::from_secs(10);
/// How long the name of a schema may be for PostgreSQL.
const MOST_NAME: usize = 63;

/// The address of a database.
#[derive(Clone)]
pub struct Address {
    pub(super) limits: Limits,
    pub(super) config: Config,
    pub(super) schema: String,
    pub(super) connections: usize,
    pub(super) prepare: bool,
    pub(super) authorities: Option<PathBuf>,
}

/// What the environment says about passwords.
#[derive(Clone, Debug, Default)]
pub struct Passwords {
    /// A password, as in `PGPASSWORD`.
    pub password: Option<String>,
    /// A file with passwords, as in `PGPASSFILE`.
    pub file: Option<PathBuf>,
}

impl Passwords {
    /// As other clients of PostgreSQL find them: `PGPASSWORD`, `PGPASSFILE`, and `.pgpass` in the home folder.
    pub fn of_environment() -> Passwords {
        let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = || value("HOME").map(|home| PathBuf::from(home).join(".pgpass"));
        Passwords {
            password: value("PGPASSWORD").and_then(|password| password.into_string().ok()),
            file: value("PGPASSFILE").map(PathBuf::from).or_else(home),
        }
    }
}

/// Why an address cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// It is not the URL of a PostgreSQL database.
    #[error("the address of a database is `postgres://USER@HOST/DATABASE`: {0}")]
    Malformed(String),
    /// A parameter has a value that it cannot have.
    #[error("the parameter `{name}` of the database address must be {expected}")]
    Parameter {
        /// The parameter of the address, as it is spelled there.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// The file with passwords can be read by others.
    #[error("the file with passwords `{0}` can be read by other users; allow only its owner to (chmod 600)")]
    OpenFile(String),
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl fmt::Display for Address {
    /// Where it is, without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self
            .config
            .get_hosts()
            .iter()
            .zip(self.config.get_ports().iter().chain(std::iter::repeat(&5432)));
        let hosts: Vec<String> = hosts
            .map(|(host, port)| match host {
                Host::Tcp(name) => format!("{name}:{port}"),
                #[cfg(unix)]
                Host::Unix(path) => path.display().to_string(),
            })
            .collect();
        let database = self.config.get_dbname().or(self.config.get_user()).unwrap_or_default();
        write!(f, "postgres://{}/{database}", hosts.join(","))?;
        if self.schema != SCHEMA { write!(f, "?schema={}", self.schema) } else { Ok(()) }
    }
}

impl Address {
    /// The same with other limits for locks and statements, in milliseconds.
    #[doc(hidden)]
    #[must_use]
    pub fn within(self, lock: u64, statement: u64) -> Address {
        Address { limits: Limits { lock, statement, ..self.limits }, ..self }
    }

    /// Reads an address; a password that it does not have is looked for elsewhere.
    pub fn parse(url: &str, passwords: &Passwords) -> Result<Address, AddressError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        if !["postgres://", "postgresql://"].iter().any(|scheme| base.starts_with(scheme)) {
            return Err(AddressError::Malformed("it does not begin with `postgres://`".to_owned()));
        }
        let mut address = Address {
            config: Config::new(),
            schema: SCHEMA.to_owned(),
            connections: CONNECTIONS,
            limits: Limits::USUAL,
            prepare: false,
            authorities: None,
        };
        let mut mode = None;
        let mut others = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            match name {
                "schema" => address.schema = schema_name(value)?,
                "connections" => address.connections = connections(&value)?,
                "prepare" => address.prepare = is_yes(&value)?,
                "sslrootcert" => address.authorities = Some(PathBuf::from(value)),
                "sslmode" => mode = Some(secured(&value)?),
                _ => others.push(parameter),
            }
        }
        // The message of an error would not help, and could show a password.
        let wrong = |error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            AddressError::Malformed(cause.unwrap_or_else(|| error.to_string()))
        };
        address.config = format!("{base}?{}", others.join("&")).parse().map_err(wrong)?;
        if address.config.get_hosts().is_empty() {
            return Err(AddressError::Malformed("it names no host".to_owned()));
        }
        if address.config.get_user().is_none() {
            return Err(AddressError::Malformed("it names no user".to_owned()));
        }
        let is_here = address.config.get_hosts().iter().all(is_of_this_machine);
        let usual = if is_here { SslMode::Disable } else { SslMode::Require };
        address.config.ssl_mode(mode.unwrap_or(usual));
        address.config.application_name("tendon");
        if address.config.get_connect_timeout().is_none() {
            address.config.connect_timeout(CONNECT);
        }
        // Of several hosts, only one takes writes, and which one may change.
        if address.config.get_hosts().len() > 1 && !query.contains("target_session_attrs") {
            address.config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        address.config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
        if address.config.get_password().is_none()
            && let Some(password) = passwords.of(&address.config)?
        {
            address.config.password(password);
        }
        Ok(address)
    }

    /// Whether the connection is secured.
    pub fn is_secured(&self) -> bool {
        self.config.get_ssl_mode() != SslMode::Disable
    }
}

/// Certificates are always checked with the name of the server, so there is one way to secure a connection.
fn secured(mode: &str) -> Result<SslMode, AddressError> {
    match mode {
        "disable" => Ok(SslMode::Disable),
        "require" | "verify-ca" | "verify-full" => Ok(SslMode::Require),
        _ => Err(AddressError::Parameter {
            name: "sslmode",
            expected: "`disable`, `require` or `verify-full`",
        }),
    }
}

fn schema_name(name: String) -> Result<String, AddressError> {
    let is_word = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let is_name =
        name.len() <= MOST_NAME && name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
    if is_name && is_word(&name) && !name.starts_with("pg_") {
        return Ok(name);
    }
    let expected = "a name of lower case letters, digits and `_` that does not begin with `pg_`";
    Err(AddressError::Parameter { name: "schema", expected })
}

fn connections(text: &str) -> Result<usize, AddressError> {
    let number = text.parse().ok().filter(|number| (2..=1000).contains(number));
    number.ok_or(AddressError::Parameter { name: "connections", expected: "a number from 2 to 1000" })
}

fn is_yes(text: &str) -> Result<bool, AddressError> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(AddressError::Parameter { name: "prepare", expected: "`yes` or `no`" }),
    }
}

fn is_of_this_machine(host: &Host) -> bool {
    match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
    }
}

impl Passwords {
    fn of(&self, config: &Config) -> Result<Option<String>, AddressError> {
        if let Some(password) = &self.password {
            return Ok(Some(password.clone()));
        }
        let Some(file) = &self.file else { return Ok(None) };
        // A file that is not there has no password.
        let Ok(text) = std::fs::read_to_string(file) else { return Ok(None) };
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            // As libpq has it.
            #[cfg(unix)]
            Some(Host::Unix(_)) => "localhost".to_owned(),
            None => "localhost".to_owned(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
        let user = config.get_user().unwrap_or_default();
        let database = config.get_dbname().unwrap_or(user);
        let found = text.lines().find_map(|line| password_in(line, [&host, &port, database, user]));
        if found.is_some() {
            only_ours(file)?;
        }
        Ok(found)
    }
}

/// The password of a line `host:port:database:user:password`, if it is about a connection. `*` fits all; `\`
/// takes the next character as it is.
fn password_in(line: &str, wanted: [&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let is_last = fields.len() > wanted.len();
        match character {
            ':' if !is_last => fields.push(String::new()),
            '\\' => fields.last_mut()?.push(characters.next()?),
            other => fields.last_mut()?.push(other),
        }
    }
    let password = fields.pop()?;
    let fits = fields.len() == wanted.len()
        && fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
    fits.then_some(password)
}

#[cfg(unix)]
fn only_ours(file: &Path) -> Result<(), AddressError> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(file).map_or(0, |metadata| metadata.permissions().mode());
    if mode & 0o077 == 0 { Ok(()) } else { Err(AddressError::OpenFile(file.display().to_string())) }
}

#[cfg(not(unix))]
fn only_ours(_: &Path) -> Result<(), AddressError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Address {
        Address::parse(url, &Passwords::default()).unwrap()
    }

    fn refused(url: &str) -> String {
        Address::parse(url, &Passwords::default()).unwrap_err().to_string()
    }

    #[test]
    fn parameters_of_our_own_are_understood() {
        let address = parsed(
            "postgres://u:secret@db.example/state?schema=team_a&connections=3&prepare=yes&sslrootcert=%2Fca.pem",
        );
        assert_eq!((address.schema.as_str(), address.connections, address.prepare), ("team_a", 3, true));
        assert_eq!(address.authorities.as_deref(), Some(Path::new("/ca.pem")));
        assert_eq!(address.to_string(), "postgres://db.example:5432/state?schema=team_a");
        assert!(!format!("{address:?}").contains("secret"));
    }

    #[test]
    fn only_connections_within_the_machine_are_plain_unless_it_is_said() {
        for (url, is_secured) in [
            ("postgres://u@db.example/d", true),
            ("postgres://u@10.0.0.1/d", true),
            ("postgres://u@localhost,db.example/d", true),
            ("postgres://u@db.example/d?sslmode=disable", false),
            ("postgres://u@localhost/d", false),
            ("postgres://u@127.0.0.1:5433/d", false),
            ("postgres://u@%2Frun%2Fpostgresql/d", false),
            ("postgres://u@localhost/d?sslmode=verify-full", true),
        ] {
            assert_eq!(parsed(url).is_secured(), is_secured, "{url}");
        }
        assert!(refused("postgres://u@db.example/d?sslmode=prefer").contains("sslmode"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (url, said) in [
            ("mysql://u@h/d", "does not begin with `postgres://`"),
            ("postgres://h/d", "no user"),
            ("postgres://u@/d", "no host"),
            ("postgres://u@h/d?schema=A-b", "`schema` of the database address must be a name"),
            ("postgres://u@h/d?schema=pg_x", "`schema`"),
            ("postgres://u@h/d?connections=1", "a number from 2 to 1000"),
            ("postgres://u@h/d?prepare=1", "`yes` or `no`"),
            ("postgres://u@h/d?colour=red", "colour"),
            ("postgres://u@h:port/d", "port"),
        ] {
            assert!(refused(url).contains(said), "{url}: {}", refused(url));
        }
    }

    #[test]
    fn a_password_comes_from_the_address_the_environment_or_a_file() {
        let folder = std::env::temp_dir().join(format!("tendon-pgpass-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("pgpass");
        std::fs::write(&file, "# a comment\nother:*:*:*:no\n*:5432:d\\:1:u:a\\:b:c\n").unwrap();
        let only_owner = |mode| {
            #[cfg(unix)]
            std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        };
        only_owner(0o600);
        let mut passwords = Passwords { password: None, file: Some(file.clone()) };
        let password = |url: &str, passwords: &Passwords| {
            let address = Address::parse(url, passwords).unwrap();
            address.config.get_password().map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
        };
        assert_eq!(password("postgres://u@h/d:1", &passwords).as_deref(), Some("a:b:c"));
        assert_eq!(password("postgres://v@h/d:1", &passwords), None);
        assert_eq!(password("postgres://u:own@h/d:1", &passwords).as_deref(), Some("own"));
        only_owner(0o644);
        assert!(!cfg!(unix) || Address::parse("postgres://u@h/d:1", &passwords).is_err());
        passwords.password = Some("environment".to_owned());
        assert_eq!(password("postgres://u@h/d:1", &passwords).as_deref(), Some("environment"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
