//! A client for tests: what it says is written down, and then the server answers all of it.

use std::io::{Read as _, Write};
use std::sync::{Arc, Condvar, Mutex};

use bicep::{CompilerOptions, Generator, MemoryWorld, World};
use lsp::{Machine, Restoring, Tools};
use serde_json::{Value, json};

/// Where the document of most tests is.
pub(crate) const MAIN: &str = "file:///project/main.bicep";

/// The words of a client.
pub(crate) struct Client {
    world: MemoryWorld,
    /// Another world than the files that were added.
    other: Option<Arc<dyn World>>,
    tools: Option<Arc<dyn Tools>>,
    restoring: Restoring,
    said: Vec<u8>,
    asked: i64,
}

/// An output that can be looked at.
#[derive(Clone, Default)]
pub(crate) struct Output(Arc<(Mutex<Vec<u8>>, Condvar)>);

impl Output {
    /// What was written so far.
    pub(crate) fn heard(&self) -> Heard {
        Heard::new(&self.0.0.lock().unwrap())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.0.lock().unwrap().extend_from_slice(bytes);
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The words of the server.
pub(crate) struct Heard {
    messages: Vec<Value>,
}

impl Client {
    /// A client that has not said anything.
    pub(crate) fn silent() -> Client {
        Client {
            world: MemoryWorld::default(),
            other: None,
            tools: None,
            restoring: Restoring::Always,
            said: Vec::new(),
            asked: 0,
        }
    }

    /// A client that has begun a conversation.
    pub(crate) fn new() -> Client {
        Client::able(json!({}))
    }

    /// A client that can do something, and has begun a conversation.
    pub(crate) fn able(capabilities: Value) -> Client {
        let mut client = Client::silent();
        client.ask("initialize", json!({ "capabilities": capabilities, "rootUri": "file:///project" }));
        client.tell("initialized", json!({}));
        client
    }

    /// Adds a file to the disk.
    pub(crate) fn file(mut self, path: &str, text: &str) -> Client {
        self.world = self.world.with_file(path, text);
        self
    }

    /// Takes another world than the files that were added.
    pub(crate) fn world(mut self, world: Arc<dyn World>) -> Client {
        self.other = Some(world);
        self
    }

    /// Gives the server a machine on which it can do something.
    pub(crate) fn tools(mut self, tools: Arc<dyn Tools>) -> Client {
        self.tools = Some(tools);
        self
    }

    /// Says when registries are asked.
    pub(crate) fn restoring(mut self, restoring: Restoring) -> Client {
        self.restoring = restoring;
        self
    }

    /// Says bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.said.extend_from_slice(bytes);
    }

    /// Says a message.
    pub(crate) fn say(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Tells something.
    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks something; the answer has the number that comes back.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    /// Opens a document.
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let language = if uri.ends_with(".bicepparam") { "bicep-params" } else { "bicep" };
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a stretch of a document: line and column of both ends.
    pub(crate) fn edit(&mut self, uri: &str, version: i32, [a, b, c, d]: [u32; 4], text: &str) {
        let change = json!({ "range": range(a, b, c, d), "text": text });
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, uri: &str) {
        self.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// All that was said so far.
    pub(crate) fn said(&self) -> &[u8] {
        &self.said
    }

    /// The machine that the server runs on.
    pub(crate) fn machine(&self) -> Machine {
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        Machine {
            world: self.other.clone().unwrap_or_else(|| Arc::new(self.world.clone())),
            options: CompilerOptions::new(generator),
            today: || None,
            mirrors: Vec::new(),
            checks: &[],
            version: "1.2.3".to_owned(),
            tools: self.tools.clone(),
            restoring: self.restoring,
        }
    }

    /// What a server with threads has said when it said enough. The stream stays open until then.
    pub(crate) fn serve_until(&self, is_enough: impl Fn(&Heard) -> bool) -> Heard {
        let (reader, writer) = std::io::pipe().unwrap();
        let input = std::io::Cursor::new(self.said.clone()).chain(reader);
        let (output, machine) = (Output::default(), self.machine());
        let own = output.clone();
        let server = std::thread::spawn(move || lsp::serve(input, own, machine));
        // Ten minutes are for a machine that does nothing any more.
        let patience = std::time::Duration::from_secs(600);
        let said = output.0.0.lock().unwrap();
        let said = output.0.1.wait_timeout_while(said, patience, |said| !is_enough(&Heard::new(said)));
        drop(said.unwrap());
        drop(writer);
        server.join().unwrap().unwrap();
        output.heard()
    }

    /// What the server answers to all of it.
    pub(crate) fn hear(&self) -> Heard {
        Heard::new(&lsp::talk(&self.said, self.machine()))
    }
}

impl Heard {
    /// Reads what a server said.
    pub(crate) fn new(mut bytes: &[u8]) -> Heard {
        let mut messages = Vec::new();
        // A message of which only a part was written is none yet.
        while let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let header = std::str::from_utf8(&bytes[..end]).unwrap();
            let length: usize = header.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
            if bytes.len() < end + 4 + length {
                break;
            }
            messages.push(serde_json::from_slice(&bytes[end + 4..end + 4 + length]).unwrap());
            bytes = &bytes[end + 4 + length..];
        }
        Heard { messages }
    }

    /// The answer to a request, result or error.
    #[track_caller]
    pub(crate) fn answer(&self, id: i64) -> &Value {
        let mut found = self.messages.iter().filter(|it| it["id"] == json!(id) && it.get("method").is_none());
        let answer = found.next().expect("there is no answer");
        assert!(found.next().is_none(), "there are two answers");
        answer
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn result(&self, id: i64) -> &Value {
        self.answer(id).get("result").unwrap_or_else(|| panic!("{}", self.answer(id)))
    }

    /// The number of the error that answers a request.
    #[track_caller]
    pub(crate) fn error(&self, id: i64) -> i64 {
        self.answer(id)["error"]["code"].as_i64().unwrap_or_else(|| panic!("{}", self.answer(id)))
    }

    /// The parameters of all messages of a method, in order.
    pub(crate) fn told(&self, method: &str) -> Vec<&Value> {
        self.messages.iter().filter(|it| it["method"] == json!(method)).map(|it| &it["params"]).collect()
    }

    /// The numbers of errors that answer nothing that could be understood.
    pub(crate) fn lost(&self) -> Vec<i64> {
        let lost = self.messages.iter().filter(|it| it["id"].is_null() && it.get("error").is_some());
        lost.filter_map(|it| it["error"]["code"].as_i64()).collect()
    }

    /// All publications about a document, in order.
    pub(crate) fn published(&self, uri: &str) -> Vec<&Value> {
        let published =
            self.messages.iter().filter(|it| it["method"] == json!("textDocument/publishDiagnostics"));
        published.map(|it| &it["params"]).filter(|it| it["uri"] == json!(uri)).collect()
    }

    /// The diagnostics of a document in the end, as `line:column code`.
    #[track_caller]
    pub(crate) fn codes(&self, uri: &str) -> Vec<String> {
        let published = self.published(uri);
        let last = published.last().expect("nothing was published");
        let code = |it: &Value| {
            let start = &it["range"]["start"];
            format!("{}:{} {}", start["line"], start["character"], it["code"].as_str().unwrap())
        };
        last["diagnostics"].as_array().unwrap().iter().map(code).collect()
    }
}

/// A range of the protocol.
pub(crate) fn range(a: u32, b: u32, c: u32, d: u32) -> Value {
    json!({ "start": { "line": a, "character": b }, "end": { "line": c, "character": d } })
}

/// A document of the protocol.
pub(crate) fn document(uri: &str) -> Value {
    json!({ "uri": uri })
}

/// The text after edits of the protocol.
#[track_caller]
pub(crate) fn applied(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| -> usize {
        let (line, column) = (at["line"].as_u64().unwrap(), at["character"].as_u64().unwrap());
        let start: usize =
            text.split_inclusive('\n').take(usize::try_from(line).unwrap()).map(str::len).sum();
        start + usize::try_from(column).unwrap()
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}
