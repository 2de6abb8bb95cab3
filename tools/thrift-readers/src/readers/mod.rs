//! Other people's readers: programs that decode messages and ask generated code what it thinks of the values.

mod go;
mod java;
mod node;
mod python;
mod rust;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use thrift::wire::Protocol;
use thrift_codegen::Generated;

use crate::schemas::{Schema, folder};
use crate::tools::write;
use crate::{Result, said};

pub use rust::sources;

/// A reader.
#[derive(Debug)]
pub struct Reader {
    /// Its name.
    pub name: &'static str,
    /// Which program it is part of.
    program: Program,
    /// What it can read.
    pub protocols: &'static [Protocol],
    /// What is in the words of a refusal which its servers answer, to read what follows as the next message: what passes must
    /// not be refused like that. `None` if they close the connection.
    pub goes_on: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Python,
    Go,
    Rust,
    Java,
    Node,
}

const ALL: &[Protocol] = &[Protocol::Binary, Protocol::Compact, Protocol::Json];
const BOTH: &[Protocol] = &[Protocol::Binary, Protocol::Compact];
const BINARY: &[Protocol] = &[Protocol::Binary];

const fn reader(name: &'static str, program: Program, protocols: &'static [Protocol]) -> Reader {
    Reader { name, program, protocols, goes_on: None }
}

const fn dogged(
    name: &'static str,
    program: Program,
    protocols: &'static [Protocol],
    goes_on: &'static str,
) -> Reader {
    Reader { goes_on: Some(goes_on), ..reader(name, program, protocols) }
}

/// All readers; `docs/thrift.md` says what each is.
pub const READERS: &[Reader] = &[
    reader("apache-python", Program::Python, ALL),
    reader("apache-python-fast", Program::Python, BOTH),
    reader("thriftpy2", Program::Python, BOTH),
    // Its extension knows one protocol.
    reader("thriftpy2-fast", Program::Python, BINARY),
    reader("thriftgo", Program::Go, ALL),
    // What kitex reads with; it knows one protocol.
    reader("fastgo", Program::Go, BINARY),
    // Its reader of the compact protocol does not forget the field numbers of inner structs.
    reader("pilota", Program::Rust, BINARY),
    dogged("apache-rust", Program::Rust, BOTH, ""),
    dogged("apache-java", Program::Java, ALL, "TProtocolException"),
    // Its reader of the compact protocol takes every bool in a container for false.
    reader("apache-node", Program::Node, BINARY),
];

/// What a reader says of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReaderVerdict {
    /// It cannot be decoded.
    Refused(String),
    /// The value keeps the rules.
    Valid,
    /// The value breaks a rule: which, and what it is.
    Invalid(String),
    /// It died of this message, or did not come to an end with it.
    Lost,
}

/// How long a reader may think about a message.
const PATIENCE: Duration = Duration::from_secs(20);

/// The programs, built.
#[derive(Debug)]
pub struct Programs {
    work: PathBuf,
    python: PathBuf,
    cargo_target: PathBuf,
}

impl Programs {
    /// Writes and builds the programs of all readers in a folder, with an interpreter that has the libraries. The
    /// target folder of cargo may be one that has pilota already.
    pub fn build(schemas: &[Schema], work: &Path, python: &Path, cargo_target: &Path) -> Result<Programs> {
        let names: String = schemas.iter().map(|schema| format!("{}\n", schema.name)).collect();
        write(&work.join("schemas.txt"), &names)?;
        for schema in schemas {
            write(&work.join(format!("idl/{}.thrift", schema.name)), &schema.text)?;
        }
        python::build(schemas, work)?;
        go::build(schemas, work)?;
        rust::build(schemas, work, cargo_target)?;
        java::build(schemas, work)?;
        node::build(schemas, work)?;
        let (work, python, cargo_target) = (work.to_owned(), python.to_owned(), cargo_target.to_owned());
        Ok(Programs { work, python, cargo_target })
    }

    /// Asks a reader about the messages in a file.
    pub fn ask(&self, reader: &Reader, messages: &Path) -> Result<Vec<ReaderVerdict>> {
        let mut command = match reader.program {
            Program::Python => {
                let mut command = Command::new(&self.python);
                command.arg(folder().join("readers/python/reader.py")).arg(reader.name);
                command.arg(self.work.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
            Program::Go => {
                let mut command = Command::new(self.work.join("go/program"));
                command.arg(reader.name);
                command
            }
            Program::Rust => {
                let mut command = Command::new(self.cargo_target.join("debug/readers"));
                command.arg(reader.name);
                command
            }
            Program::Java => java::program(&self.work),
            Program::Node => node::program(&self.work),
        };
        answers(command.arg(messages), reader.name)
    }
}

/// Collects the answers of a program; there are fewer than messages if it dies, or is ended because it goes on and on.
fn answers(command: &mut Command, name: &str) -> Result<Vec<ReaderVerdict>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(said(name))?;
    let (sender, receiver) = std::sync::mpsc::channel();
    let out = child.stdout.take();
    let lines = std::thread::spawn(move || {
        for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()) {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut answers = Vec::new();
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(line) => answers.push(answer(&line)?),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                child.kill().map_err(said(name))?;
                break;
            }
        }
    }
    drop(receiver);
    _ = lines.join();
    child.wait().map_err(said(name))?;
    Ok(answers)
}

fn answer(line: &str) -> Result<ReaderVerdict> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "refused" => Ok(ReaderVerdict::Refused(rest.to_owned())),
        "valid" => Ok(ReaderVerdict::Valid),
        "invalid" => Ok(ReaderVerdict::Invalid(rest.to_owned())),
        _ => Err(format!("a reader answers `{line}`")),
    }
}

/// Reads a file that lies beside this crate's sources.
fn part(path: &str) -> Result<String> {
    let path = folder().join("readers").join(path);
    fs::read_to_string(&path).map_err(said(path.display()))
}

/// Writes the validators of a schema.
fn write_generated(schema: &Schema, generated: Generated, folder: &Path) -> Result {
    if generated.files.is_empty() {
        return Err(format!("{}: {:?}", schema.name, generated.diagnostics));
    }
    generated.files.iter().try_for_each(|file| write(&folder.join(&file.path), &file.text))
}
