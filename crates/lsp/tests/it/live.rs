//! A server with all its threads, and a machine that stands still where a test wants it to. Nothing here is timed: what
//! has to happen before something else is waited for.

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

use bicep::files::{FolderEntry, ReadError};
use bicep::{FilePath, MemoryWorld, World};
use lsp::{Machine, SessionEnd};
use serde_json::{Value, json};

use crate::client::Client;

/// A door that is shut until somebody opens it.
#[derive(Default)]
pub(crate) struct Door {
    state: Mutex<(usize, bool)>,
    bell: Condvar,
}

impl Door {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.bell.notify_all();
        while !state.1 {
            state = self.bell.wait(state).unwrap();
        }
    }

    /// Waits until somebody stands in front of it.
    pub(crate) fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        while state.0 == 0 {
            state = self.bell.wait(state).unwrap();
        }
    }

    /// Opens it for good.
    pub(crate) fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.bell.notify_all();
    }
}

/// Files behind doors.
pub(crate) struct Guarded {
    pub(crate) files: MemoryWorld,
    /// In front of the lists of folders.
    pub(crate) lists: Arc<Door>,
    /// In front of `slow.txt`.
    pub(crate) reads: Arc<Door>,
    /// How many folders were listed.
    pub(crate) listed: Arc<AtomicUsize>,
}

impl World for Guarded {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        if path.name() == "slow.txt" {
            self.reads.pass();
        }
        self.files.read(path)
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.files.exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        self.listed.fetch_add(1, Ordering::SeqCst);
        self.lists.pass();
        self.files.list(folder)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.files.variable(name)
    }

    fn cache_root(&self) -> FilePath {
        self.files.cache_root()
    }
}

/// A client of a server that runs.
pub(crate) struct Live {
    server: JoinHandle<SessionEnd>,
    input: PipeWriter,
    output: BufReader<PipeReader>,
    asked: i64,
    /// All answers so far, and all that was published.
    pub(crate) answers: Vec<Value>,
    pub(crate) published: Vec<Value>,
}

impl Live {
    /// Starts a server whose folder is `/project`.
    pub(crate) fn start(world: Arc<dyn World>) -> Live {
        let machine = Machine { world, ..Client::new().machine() };
        let (to_server, input) = std::io::pipe().unwrap();
        let (output, from_server) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || lsp::serve(to_server, from_server, machine).unwrap());
        let output = BufReader::new(output);
        let mut live = Live { server, input, output, asked: 0, answers: Vec::new(), published: Vec::new() };
        let id = live.ask("initialize", json!({ "capabilities": {}, "rootUri": "file:///project" }));
        live.answer(id);
        live.tell("initialized", json!({}));
        live
    }

    fn say(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    /// Tells something.
    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks something, and does not wait for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    /// Opens a document.
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "bicep", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces all of a document.
    pub(crate) fn change(&mut self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        let changes = json!([{ "text": text }]);
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    fn hear(&mut self) {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server is gone");
            if line.trim().is_empty() {
                break;
            }
            length = line.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        let mut message: Value = serde_json::from_slice(&body).unwrap();
        if message["method"] == "textDocument/publishDiagnostics" {
            self.published.push(message["params"].take());
        } else {
            self.answers.push(message);
        }
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            if let Some(found) = self.answers.iter().find(|it| it["id"] == json!(id)) {
                return found.clone();
            }
            self.hear();
        }
    }

    /// Waits for what is published about a version of a document.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32) -> Value {
        loop {
            let is_wanted = |it: &&Value| it["uri"] == json!(uri) && it["version"] == json!(version);
            if let Some(found) = self.published.iter().find(is_wanted) {
                return found["diagnostics"].clone();
            }
            self.hear();
        }
    }

    /// Ends the conversation; every request had one answer.
    pub(crate) fn end(mut self) {
        let id = self.ask("shutdown", Value::Null);
        self.answer(id);
        let mut ids: Vec<i64> = self.answers.iter().filter_map(|it| it["id"].as_i64()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=self.asked).collect::<Vec<_>>());
        self.tell("exit", Value::Null);
        assert_eq!(self.server.join().unwrap(), SessionEnd::Asked);
    }
}
