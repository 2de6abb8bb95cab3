//! The real `rad` against a server: built from the Go module proxy, and asked everything that `crates/server/resources/rad.md` says.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::{Result, process, product};

/// What is asked, and what is answered.
const DOCUMENT: &str = "crates/server/resources/rad.md";

/// Where `rad` is built from: its module, its version, and the commit of that version, which it prints.
const MODULE: &str = "github.com/radius-project/radius";
const VERSION: &str = "v0.60.0";
const COMMIT: &str = "694528df87202b3f092ad0a9e81adaebd4e49a8b";

/// What `rad` prints when it fails inside; it ends as if nothing had happened.
const PANIC: &str = "An unexpected internal error occurred";

/// A value that stands for a secret in the document: no command prints it.
const SECRET: &str = "tell-nobody";

/// Builds `rad` unless it is there, and runs all commands over HTTP and over HTTPS.
pub(crate) fn run() -> Result {
    let target = product::target()?;
    let tendon = product::built()?.join("tendon");
    let rad = build(&target.join("rad"))?;
    let text =
        std::fs::read_to_string(DOCUMENT).map_err(|error| format!("cannot read `{DOCUMENT}`: {error}"))?;
    let document = Document::read(&text)?;
    for http in [true, false] {
        let folder = target.join("rad").join(if http { "http" } else { "https" });
        let server = Server::start(&tendon, &folder, http)?;
        println!("{} commands against {}", document.commands.len(), server.url);
        document.run(&rad, &server)?;
    }
    Ok(())
}

/// Builds `rad`; what the Go module proxy gives is checked against the checksums of Go.
fn build(folder: &Path) -> Result<PathBuf> {
    let program = folder.join(format!("rad-{VERSION}"));
    if program.exists() {
        return Ok(program);
    }
    println!("building rad {VERSION}, which takes minutes once");
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
    let go = || {
        let mut go = Command::new("go");
        go.env("GOPATH", folder.join("gopath")).env("GOCACHE", folder.join("gocache"));
        go.env("GOFLAGS", "-modcacherw -buildvcs=false");
        go
    };
    process::run(go().args(["mod", "download", &format!("{MODULE}@{VERSION}")]).current_dir(folder))?;
    let source = folder.join("gopath/pkg/mod").join(format!("{MODULE}@{VERSION}"));
    let number = VERSION.trim_start_matches('v');
    let channel = number.rsplit_once('.').map_or(number, |(channel, _)| channel);
    let said = [
        ("channel", channel),
        ("release", number),
        ("commit", COMMIT),
        ("version", VERSION),
        ("chartVersion", number),
    ];
    let said: Vec<String> =
        said.iter().map(|(name, value)| format!("-X {MODULE}/pkg/version.{name}={value}")).collect();
    let mut build = go();
    build.args(["build", "-p", "2", "-trimpath", "-ldflags", &format!("-s -w {}", said.join(" "))]);
    process::run(build.arg("-o").arg(&program).arg("./cmd/rad").current_dir(source))?;
    Ok(program)
}

/// A server with an empty state, until it is dropped.
struct Server {
    process: Child,
    url: String,
    folder: PathBuf,
    tendon: PathBuf,
}

impl Server {
    fn start(tendon: &Path, folder: &Path, http: bool) -> Result<Server> {
        let failed = |error: std::io::Error| format!("cannot start the server: {error}");
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(failed)?;
        }
        std::fs::create_dir_all(folder.join("work")).map_err(failed)?;
        let mut serve = Command::new(tendon);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--state"]).arg(folder.join("state"));
        if http {
            serve.arg("--http");
        }
        let mut process = serve.stdout(Stdio::piped()).spawn().map_err(failed)?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut line = String::new();
        let mut output = BufReader::new(output);
        output.read_line(&mut line).map_err(failed)?;
        // Who writes where nobody reads is ended.
        process.stdout = Some(output.into_inner());
        let server = |url: &str| Server {
            process,
            url: url.to_owned(),
            folder: folder.to_owned(),
            tendon: tendon.to_owned(),
        };
        let server = server(line.trim().strip_prefix("listening on ").unwrap_or_default());
        if server.url.is_empty() {
            return Err(format!("the server says `{}` and not where it listens", line.trim()));
        }
        Ok(server)
    }

    /// The settings of the environment for `rad`, as `tendon rad-env` prints them.
    fn environment(&self) -> Result<Vec<(String, String)>> {
        let mut command = Command::new(&self.tendon);
        command.arg("rad-env").arg(self.folder.join("home")).args(["--server", &self.url, "--state"]);
        let said = process::output(command.arg(self.folder.join("state")))?;
        let settings = said.lines().filter_map(|line| line.strip_prefix("  ")?.split_once('='));
        Ok(settings.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A command with what it prints and how it ends.
#[derive(Debug, PartialEq)]
struct Asked<'t> {
    words: Vec<&'t str>,
    exit: i32,
    prints: Vec<&'t str>,
}

/// The files and the commands of a document.
#[derive(Debug, Default)]
struct Document<'t> {
    files: Vec<(&'t str, String)>,
    commands: Vec<Asked<'t>>,
}

impl<'t> Document<'t> {
    fn read(text: &'t str) -> Result<Document<'t>> {
        let mut document = Document::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```") else { continue };
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            match info.split_once(' ') {
                Some((_, file)) => document.files.push((file, block.join("\n") + "\n")),
                None if info == "console" => document.commands.extend(commands(&block)?),
                None => return Err(format!("`{DOCUMENT}` has a block `{info}` without a file")),
            }
        }
        Ok(document)
    }

    fn run(&self, rad: &Path, server: &Server) -> Result {
        let work = server.folder.join("work");
        for (name, content) in &self.files {
            std::fs::write(work.join(name), content)
                .map_err(|error| format!("cannot write `{name}`: {error}"))?;
        }
        let environment = server.environment()?;
        let mut failed = 0;
        for asked in &self.commands {
            let start = Instant::now();
            let mut command = Command::new(rad);
            command.args(asked.words.iter().skip(1)).current_dir(&work).stdin(Stdio::null());
            let output = command.envs(environment.iter().cloned()).output();
            let output = output.map_err(|error| format!("cannot start rad: {error}"))?;
            let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
            let wrong = asked.wrong(output.status.code(), &said.concat());
            let mark = if wrong.is_none() { "ok" } else { "FAILED" };
            println!("{mark:<7}{:>5.2} s  {}", start.elapsed().as_secs_f64(), asked.words.join(" "));
            if let Some(wrong) = wrong {
                println!("{wrong}\n{}", said.concat());
                failed += 1;
            }
        }
        if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} commands failed", self.commands.len())) }
    }
}

fn commands<'t>(block: &[&'t str]) -> Result<Vec<Asked<'t>>> {
    let mut commands: Vec<Asked<'t>> = Vec::new();
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            let words = command.split_whitespace().collect();
            commands.push(Asked { words, exit: 0, prints: Vec::new() });
            continue;
        }
        let last = commands.last_mut().ok_or_else(|| format!("`{line}` stands before the first command"))?;
        match line.strip_prefix("exit ").and_then(|code| code.parse().ok()) {
            Some(code) => last.exit = code,
            None => last.prints.push(line),
        }
    }
    Ok(commands)
}

impl Asked<'_> {
    /// What is wrong with how a command ended.
    fn wrong(&self, exit: Option<i32>, said: &str) -> Option<String> {
        if exit != Some(self.exit) {
            return Some(format!("it ended with {exit:?}, and {} was expected", self.exit));
        }
        if let Some(missing) = self.prints.iter().find(|line| !said.contains(**line)) {
            return Some(format!("`{missing}` is not in what it prints"));
        }
        let never = [PANIC, SECRET].into_iter().find(|never| said.contains(never));
        never.map(|never| format!("`{never}` is in what it prints"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_files_and_commands() {
        let text = "# T\n\n```json a.json\n{}\n```\n\n```console\n$ rad a  b\nexit 1\nline\n$ rad c\n```\n";
        let document = Document::read(text).unwrap();
        assert_eq!(document.files, [("a.json", "{}\n".to_owned())]);
        let first = Asked { words: vec!["rad", "a", "b"], exit: 1, prints: vec!["line"] };
        assert_eq!(document.commands.first(), Some(&first));
        assert_eq!(first.wrong(Some(1), "a line"), None);
        assert!(first.wrong(Some(0), "a line").is_some());
        assert!(first.wrong(Some(1), "").is_some());
        assert!(first.wrong(Some(1), "line tell-nobody").is_some());
        assert!(Document::read("```console\nline\n```").is_err());
    }
}
