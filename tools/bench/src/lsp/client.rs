//! An editor for benchmarks: it starts the language server, talks to it over pipes, and sees what it costs.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Given;
use crate::{Result, said};

/// How long an answer may take before the benchmark gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// An editor with its server.
pub(super) struct Editor {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    /// What came while an answer was waited for.
    kept: VecDeque<Value>,
    asked: i64,
    version: i32,
}

impl Editor {
    /// Starts the server with a folder open.
    pub(super) fn start(given: &Given, folder: &Path) -> Result<Editor> {
        let mut command = Command::new(&given.tendon);
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        for (variable, path) in [("TENDON_TYPES", &given.types), ("TENDON_MODULES", &given.modules)] {
            if let Some(path) = path {
                command.env(variable, path);
            }
        }
        let mut server = command.spawn().map_err(|error| format!("cannot start the server: {error}"))?;
        let pipes = server.stdin.take().zip(server.stdout.take());
        let (input, output) = pipes.ok_or_else(|| "the server has no pipes".to_owned())?;
        let (to_us, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if to_us.send(message).is_err() {
                    break;
                }
            }
        });
        let mut editor = Editor { server, input, messages, kept: VecDeque::new(), asked: 0, version: 1 };
        let root = uri(folder);
        let snippets =
            json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
        let folders = json!([{ "uri": root, "name": "folder" }]);
        let params = json!({ "processId": null, "rootUri": root, "workspaceFolders": folders, "capabilities": snippets });
        editor.ask("initialize", &params)?;
        editor.tell("initialized", &json!({}))?;
        Ok(editor)
    }

    fn send(&mut self, message: &Value) -> Result {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).map_err(said)?;
        self.input.flush().map_err(said)
    }

    /// Tells the server something.
    pub(super) fn tell(&mut self, method: &str, params: &Value) -> Result {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Asks the server something, and waits for the result. What it publishes meanwhile is kept.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = json!(self.asked);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.heard()?;
            if message.get("id") == Some(&id) && message.get("method").is_none() {
                return match message.get_mut("result") {
                    Some(result) => Ok(result.take()),
                    None => Err(format!("`{method}` failed: {message}")),
                };
            }
            self.kept.push_back(message);
        }
    }

    /// The next message of the server.
    fn next(&mut self) -> Result<Value> {
        self.kept.pop_front().map_or_else(|| self.heard(), Ok)
    }

    fn heard(&mut self) -> Result<Value> {
        self.messages.recv_timeout(PATIENCE).map_err(|_| "the server does not answer".to_owned())
    }

    /// Opens a document.
    pub(super) fn open(&mut self, uri: &str, text: &str) -> Result {
        self.version += 1;
        let language = if uri.ends_with(".bicepparam") { "bicep-params" } else { "bicep" };
        let document = json!({ "uri": uri, "languageId": language, "version": self.version, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }))
    }

    /// Closes a document.
    pub(super) fn close(&mut self, uri: &str) -> Result {
        self.tell("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }))
    }

    /// Replaces a range of a document.
    pub(super) fn change(&mut self, uri: &str, range: &Value, text: &str) -> Result {
        self.version += 1;
        let document = json!({ "uri": uri, "version": self.version });
        let changes = json!([{ "range": range, "text": text }]);
        self.tell("textDocument/didChange", &json!({ "textDocument": document, "contentChanges": changes }))
    }

    /// Waits for what is published about the last version of a document.
    pub(super) fn diagnostics(&mut self, uri: &str) -> Result<Value> {
        loop {
            let message = self.next()?;
            let Some((found, version, diagnostics)) = published(message) else { continue };
            if found == uri && version == i64::from(self.version) {
                return Ok(diagnostics);
            }
        }
    }

    /// What is published next within some time: the document, and what is wrong with it.
    pub(super) fn published_within(&mut self, patience: Duration) -> Option<(String, Value)> {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = match self.kept.pop_front() {
                Some(message) => message,
                None => self.messages.recv_timeout(left).ok()?,
            };
            if let Some((uri, _, diagnostics)) = published(message) {
                return Some((uri, diagnostics));
            }
        }
    }

    /// The processor time of the server so far; the kernel counts it in hundredths of a second.
    pub(super) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.server.id())).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        let ticks = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
        Duration::from_millis(ticks.sum::<u64>() * 10)
    }

    /// The memory of the server now and at most, in megabytes.
    pub(super) fn memory(&self) -> (f64, f64) {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
            kilobytes.unwrap_or_default() / 1024.0
        };
        (field("VmRSS:"), field("VmHWM:"))
    }

    /// Ends the conversation.
    pub(super) fn end(mut self) -> Result {
        self.ask("shutdown", &Value::Null)?;
        self.tell("exit", &Value::Null)?;
        self.server.wait().map_err(said)?;
        Ok(())
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // One that ended is not there to be ended.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// What a message says about a document: its address, the version, and the diagnostics.
fn published(mut message: Value) -> Option<(String, i64, Value)> {
    if message.get("method")? != "textDocument/publishDiagnostics" {
        return None;
    }
    let params = message.get_mut("params")?;
    let diagnostics = params.get_mut("diagnostics")?.take();
    let version = params.get("version").and_then(Value::as_i64).unwrap_or_default();
    Some((params.get("uri")?.as_str()?.to_owned(), version, diagnostics))
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The address of a file.
pub(super) fn uri(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    format!("file://{}", path.display())
}

/// The range between two offsets of a text.
pub(super) fn range(text: &str, start: usize, end: usize) -> Value {
    json!({ "start": position(text, start), "end": position(text, end) })
}

/// The position of an offset of a text.
pub(super) fn position(text: &str, offset: usize) -> Value {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count();
    let column: usize = before.rsplit('\n').next().unwrap_or_default().chars().map(char::len_utf16).sum();
    json!({ "line": line, "character": column })
}
