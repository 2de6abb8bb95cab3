//! The other side: programs that are generated and built for the run, and then asked for times, line by line.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use thrift::model::{Model, ThriftProgram};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift_codegen::{Input, go as go_code, rust as rust_code};

use super::messages::Group;
use crate::{Result, said};

/// The files that the programs are made from.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/thrift");

/// The IDL that everyone reads.
pub(super) const IDL: &str = include_str!("../../thrift/messages.thrift");

/// A program that answers with times.
pub(super) struct Peer {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &Path, messages: &Path) -> Result<Peer> {
        let mut process = Command::new(program)
            .arg(messages)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let questions = process.stdin.take().ok_or("no input")?;
        let answers = BufReader::new(process.stdout.take().ok_or("no output")?);
        Ok(Peer { process, questions, answers })
    }

    /// The nanoseconds that one round over the messages of a struct takes.
    pub(super) fn ask(&mut self, what: &str, group: &str, rounds: u32) -> Result<f64> {
        writeln!(self.questions, "{what} {group} {rounds}").map_err(said)?;
        self.questions.flush().map_err(said)?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer).map_err(said)?;
        answer.trim().parse().map_err(|_| format!("no answer to `{what} {group}`"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The messages in a file that both programs read.
fn write_messages(folder: &Path, groups: &[Group]) -> Result<PathBuf> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut text = String::new();
    for group in groups {
        for (binary, compact) in group.binary.iter().zip(&group.compact) {
            text.push_str(&format!("{}\t{}\t{}\n", group.name, hex(binary), hex(compact)));
        }
    }
    let path = folder.join("messages.txt");
    write(&path, &text)?;
    Ok(path)
}

/// The folder that everything is built in, beside what cargo builds.
fn folder(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(said)?;
    let target = own.parent().and_then(Path::parent).ok_or("no target folder")?;
    let folder = target.join("bench-thrift").join(name);
    fs::create_dir_all(&folder).map_err(said)?;
    Ok(folder)
}

/// Writes a file unless it is there already: what is older need not be built again.
fn write(path: &Path, text: &str) -> Result {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(said)?;
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn copy(from: &str, to: &Path) -> Result {
    let text =
        fs::read_to_string(Path::new(SOURCES).join(from)).map_err(|error| format!("{from}: {error}"))?;
    write(to, &text)
}

fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed")) }
}

/// The structs of thriftgo with the checks of thrift-gen-validator and with those that we generate, under other names.
pub(super) fn go(program: &ThriftProgram, model: &Model, groups: &[Group]) -> Result<Peer> {
    let work = folder("go")?;
    for name in ["go.mod", "go.sum", "tools.go", "main.go"] {
        copy(&format!("go/{name}"), &work.join(name))?;
    }
    write(&work.join("messages.thrift"), IDL)?;
    let (thriftgo, validator) = (work.join("thriftgo"), work.join("thrift-gen-validator"));
    let go = || {
        let mut command = Command::new("go");
        command.current_dir(&work);
        command
    };
    run(go().args(["build", "-o"]).arg(&thriftgo).arg("github.com/cloudwego/thriftgo"))?;
    run(go().args(["build", "-o"]).arg(&validator).arg("github.com/cloudwego/thrift-gen-validator"))?;
    run(Command::new(&thriftgo)
        .args(["-g", "fastgo:package_prefix=bench/gen", "-o", "gen", "-p"])
        .arg(format!("validator={}", validator.display()))
        .arg("messages.thrift")
        .current_dir(&work))?;
    let functions = Functions::at(0);
    let (lowered, _) = lower(model, &RuleConfig::default(), &functions);
    let input = Input { program, model, lowered: &lowered, functions: &functions };
    for file in &go_code::generate(input, &go_code::GoOptions::default()).files {
        // Both would write the same file.
        let path = file.path.replace("_validator.go", "_tendon.go");
        write(&work.join("gen").join(path), &file.text)?;
    }
    let program = work.join("bench");
    run(go().args(["build", "-o"]).arg(&program).arg("."))?;
    Peer::start(&program, &write_messages(&work, groups)?)
}

/// The types of pilota with the checks that we generate.
pub(super) fn rust(program: &ThriftProgram, model: &Model, groups: &[Group]) -> Result<Peer> {
    let work = folder("rust")?;
    for name in ["Cargo.toml", "Cargo.lock", "build.rs"] {
        copy(&format!("rust/{name}.txt"), &work.join(name))?;
    }
    copy("rust/main.rs.txt", &work.join("src/main.rs"))?;
    write(&work.join("messages.thrift"), IDL)?;
    let functions = Functions::at(0);
    let (lowered, _) = lower(model, &RuleConfig::default(), &functions);
    let options = rust_code::RustOptions {
        root: "crate::types::r#gen".to_owned(),
        ..rust_code::RustOptions::default()
    };
    let generated =
        rust_code::generate(Input { program, model, lowered: &lowered, functions: &functions }, &options);
    for file in &generated.files {
        write(&work.join("src").join(&file.path), &file.text)?;
    }
    let target = work.join("target");
    run(Command::new("cargo")
        .args(["build", "--quiet", "--release", "--locked"])
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&work))?;
    Peer::start(&target.join("release/peer"), &write_messages(&work, groups)?)
}
