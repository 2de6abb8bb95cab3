//! Where the values of one boundary are sent from: a folder, states, and a server where one is needed.

use std::ffi::OsStr;
use std::process::Command;

use postgres_server::Server as Database;

use crate::attack::Dialect;
use crate::client::{Client, Reply};
use crate::process::{self, Ended, Folder, Listening};
use crate::value::Value;
use crate::world::{ENVIRONMENT, GROUP, PLANE, World};
use crate::{Result, said};

/// What the database of a server is called.
pub(crate) const DATABASE: &str = "gate";

/// A value on its way to a boundary.
#[derive(Debug)]
pub(crate) struct Shot<'a> {
    /// A name that nothing else has.
    pub(crate) name: &'a str,
    /// The value.
    pub(crate) value: &'a Value,
    /// The kind of contract that it is about.
    pub(crate) dialect: Dialect,
    /// Whether it is an attack, not a twin. The two are kept apart, so that what is kept of attacks is seen.
    pub(crate) is_attack: bool,
}

/// What a boundary did with a value.
#[derive(Debug)]
pub(crate) enum Outcome {
    Accepted,
    Refused,
    /// Neither, and what happened instead.
    Broken(String),
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) outcome: Outcome,
    pub(crate) text: Vec<u8>,
    pub(crate) length: usize,
    /// Whether it says that the request, or the text that the value would have been read from, was too large to be looked into.
    pub(crate) is_too_large: bool,
}

impl From<Ended> for Answer {
    fn from(ended: Ended) -> Answer {
        let outcome = match ended.code {
            Some(0) => Outcome::Accepted,
            Some(1) => Outcome::Refused,
            Some(code) => Outcome::Broken(format!("exit code {code}")),
            None => Outcome::Broken("ended by a signal".to_owned()),
        };
        let is_too_large = is_over_budget(&ended.text);
        Answer { outcome, text: ended.text, length: ended.length, is_too_large }
    }
}

fn is_over_budget(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("BudgetExceeded")
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Answer {
        let outcome = match reply.status {
            200..=299 => Outcome::Accepted,
            400 | 413 => Outcome::Refused,
            status => Outcome::Broken(format!("status {status}")),
        };
        let is_too_large = reply.status == 413 || is_over_budget(&reply.body);
        Answer { outcome, length: reply.body.len(), text: reply.body, is_too_large }
    }
}

/// The room of one boundary.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    pub(crate) world: &'a World,
    pub(crate) folder: Folder,
    server: Option<(Listening, Client)>,
    pub(crate) thrift: Option<crate::adapters::thrift::Proxied>,
    pub(crate) exported: Option<String>,
    database: Option<Database>,
}

impl<'a> Room<'a> {
    /// A room in a new folder.
    pub(crate) fn new(world: &'a World, name: &str) -> Result<Room<'a>> {
        let folder = std::env::temp_dir().join(format!("tendon-boundaries-{}-{name}", std::process::id()));
        let folder = Folder::new(folder)?;
        world.copy_to(&folder)?;
        Ok(Room { world, folder, server: None, thrift: None, exported: None, database: None })
    }

    /// The program with arguments.
    pub(crate) fn tendon<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = process::command(&self.world.binary, self.folder.path());
        command.args(arguments);
        command
    }

    /// Runs the program with arguments.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Answer> {
        process::run(self.tendon(arguments), None).map(Answer::from)
    }

    /// Runs the program with arguments, and something on its standard input.
    pub(crate) fn feed<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Result<Answer> {
        process::run(self.tendon(arguments), Some(input)).map(Answer::from)
    }

    /// Runs the program to prepare something, which has to succeed.
    pub(crate) fn must<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<String> {
        let ended = process::run(self.tendon(arguments), None)?;
        let text = String::from_utf8_lossy(&ended.text).into_owned();
        let words: Vec<String> = arguments.iter().map(|it| it.as_ref().display().to_string()).collect();
        if ended.code == Some(0) {
            Ok(text)
        } else {
            Err(format!("`tendon {}` failed:\n{text}", words.join(" ")))
        }
    }

    /// The state that a value may be kept in.
    pub(crate) fn state(is_attack: bool) -> &'static str {
        if is_attack { "attacked" } else { "honest" }
    }

    /// Whether there is a state already; whoever asks makes it then.
    pub(crate) fn has_state(&self, is_attack: bool) -> bool {
        self.folder.join(Room::state(is_attack)).exists()
    }

    /// Makes sure that the types of Radius, and the environment, are in a state.
    pub(crate) fn with_types(&self, is_attack: bool) -> Result {
        if self.has_state(is_attack) {
            return Ok(());
        }
        let state = Room::state(is_attack);
        self.must(&["resource-type", "create", "-f", "types.yaml", "--state", state])?;
        Ok(())
    }

    /// Asks the server, which is started with the first request.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Reply> {
        let path =
            if path.contains('?') { path.to_owned() } else { format!("{path}?api-version=2025-01-01") };
        self.serve()?;
        let Some((_, client)) = &mut self.server else { return Err("no server".to_owned()) };
        client.ask(method, &path, body)
    }

    /// The address of the server.
    pub(crate) fn url(&mut self) -> Result<String> {
        self.serve()?;
        let Some((server, _)) = &self.server else { return Err("no server".to_owned()) };
        Ok(format!("http://{}", server.address))
    }

    /// The database that the server shares with others; it keeps its state there from the start.
    pub(crate) fn database(&mut self) -> Result<&Database> {
        if self.database.is_none() {
            let database = Database::start().map_err(said)?;
            database.create_database(DATABASE).map_err(said)?;
            self.database = Some(database);
        }
        self.database.as_ref().ok_or_else(|| "no database".to_owned())
    }

    fn serve(&mut self) -> Result {
        if self.server.as_mut().is_some_and(|(server, _)| server.is_alive()) {
            return Ok(());
        }
        let url = self.database.as_ref().map(|database| database.url(DATABASE));
        let state = match &url {
            Some(url) => ["--database", url, "--state", "served"].to_vec(),
            None => ["--state", "served"].to_vec(),
        };
        let mut command =
            self.tendon(&["serve", "--http", "--log", "off", "--listen", "127.0.0.1:0", "--history", "0"]);
        command.args(state);
        let server = Listening::start(command, "listening on http://")?;
        let mut client = Client::new(server.address);
        let mut prepare = |method: &str, path: &str, body: &str| -> Result {
            let reply = client.ask(method, path, body.as_bytes())?;
            let text = String::from_utf8_lossy(&reply.body);
            if reply.status < 300 { Ok(()) } else { Err(format!("{method} {path}: {} {text}", reply.status)) }
        };
        prepare("PUT", &format!("{GROUP}?api-version=2024-11-01"), r#"{"location": "eastus"}"#)?;
        prepare(
            "PUT",
            &format!("{ENVIRONMENT}?api-version=2023-10-01-preview"),
            r#"{"location": "global", "properties": {"compute": {"kind": "kubernetes", "namespace": "default"}}}"#,
        )?;
        let url = format!("http://{}", server.address);
        self.server = Some((server, client));
        self.must(&["resource-type", "create", "-f", "types.yaml", "--server", &url])?;
        Ok(())
    }

    /// Whether the server that was asked still runs.
    pub(crate) fn server_lives(&mut self) -> bool {
        self.server.as_mut().is_none_or(|(server, _)| server.is_alive())
    }

    /// The names of what a state keeps, as text.
    pub(crate) fn kept(&mut self, is_attack: bool) -> Result<String> {
        let mut all = String::new();
        if self.has_state(is_attack) {
            let state = Room::state(is_attack);
            // Deployments that failed are kept as well, and say which resource it was.
            let listed = self.must(&["state", "list", "--state", state, "-o", "json"])?;
            all.push_str(listed.split_once("\"resources\": [").map_or("", |(_, resources)| resources));
            all.push_str(&self.must(&["resource", "list", "--state", state, "-o", "json"])?);
            all.push_str(&self.must(&["resource-type", "list", "--state", state, "-o", "json"])?);
        }
        if self.server.is_some() {
            let url = self.url()?;
            for path in [
                format!("{GROUP}/resources?api-version=2025-01-01"),
                format!("{PLANE}/resources?api-version=2023-10-01-preview"),
            ] {
                let mut next = Some(path);
                while let Some(path) = next {
                    let reply = self.ask("GET", &path, b"")?;
                    let body = String::from_utf8(reply.body).map_err(said)?;
                    if reply.status != 200 {
                        return Err(format!("GET {path}: {} {body}", reply.status));
                    }
                    next = serde_json::from_str::<serde_json::Value>(&body)
                        .ok()
                        .and_then(|it| Some(it.get("nextLink")?.as_str()?.strip_prefix(&url)?.to_owned()));
                    all.push_str(&body);
                }
            }
            all.push_str(&self.must(&["resource-type", "list", "--server", &url, "-o", "json"])?);
        }
        Ok(all)
    }
}
