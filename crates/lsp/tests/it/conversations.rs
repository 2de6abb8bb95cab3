//! Conversations of every kind, made by chance: every request has one answer, nothing fails, and in the end the server has
//! the documents that the client has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::client::{Client, Heard};
use crate::numbers::Numbers;

/// How many conversations there are, and how many messages each has.
const ROUNDS: u64 = 60;
const MESSAGES: usize = 60;

const NAMES: &[&str] =
    &["main.bicep", "m.bicep", "p.bicepparam", "bicepconfig.json", "other.txt", "ü 1.bicep"];

const TEXTS: &[&str] = &[
    "",
    "param a string\nvar b = '${a}😀'\noutput o string = b\n",
    "module m 'm.bicep' = { name: 'm', params: { a: 'x' } }\r\noutput o string = m.outputs.o\r\n",
    "using 'main.bicep'\nparam a = 'é'\n",
    "{ \"analyzers\": { \"core\": { \"rules\": { \"no-unused-vars\": { \"level\": \"error\" } } } } }",
    "\u{feff}var mark = 1\n",
    "type t = { a: t? }\nfunc f(x t) string => x.a.a\nvar v = [for i in range(0, 3): f({})]\n",
    "/* open\n'''\n${{\n",
];

const METHODS: &[&str] = &[
    "textDocument/codeAction",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/hover",
    "textDocument/signatureHelp",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/documentLink",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/prepareCallHierarchy",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "workspace/executeCommand",
    "no/such/method",
    "$/optional",
    "shutdown",
];

/// A client that does anything, and what its documents are.
struct Anyone {
    numbers: Numbers,
    client: Client,
    asked: Vec<i64>,
    open: BTreeMap<&'static str, String>,
    version: i32,
    is_down: bool,
}

fn uri(name: &str) -> String {
    format!("file:///project/{}", name.replace('ü', "%C3%BC").replace(' ', "%20"))
}

/// The bytes before a position; what is outside of the text is the nearest place inside.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let mut start = 0;
    let bytes = text.as_bytes();
    for _ in 0..line {
        let Some(end) = bytes[start..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            return text.len();
        };
        let pair = bytes[start + end..].starts_with(b"\r\n");
        start += end + 1 + usize::from(pair);
    }
    let mut units = 0;
    for (at, letter) in text.get(start..).unwrap().char_indices() {
        // A column inside a letter is the place before it.
        units += letter.len_utf16();
        if units > column || matches!(letter, '\n' | '\r') {
            return start + at;
        }
    }
    text.len()
}

impl Anyone {
    fn new(seed: u64) -> Anyone {
        let client = Client::new().file("/project/m.bicep", "param a string\noutput o string = a\n");
        let open = BTreeMap::new();
        Anyone { numbers: Numbers::new(seed), client, asked: vec![1], open, version: 1, is_down: false }
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.numbers.below(NAMES.len())]
    }

    fn position(&mut self) -> (usize, usize) {
        let (lines, columns) =
            if self.numbers.below(8) == 0 { (4_000_000_000, 4_000_000_000) } else { (5, 30) };
        (self.numbers.below(lines), self.numbers.below(columns))
    }

    fn range(&mut self) -> (Value, [usize; 4]) {
        let ((a, b), (c, d)) = (self.position(), self.position());
        let range = json!({ "start": { "line": a, "character": b }, "end": { "line": c, "character": d } });
        (range, [a, b, c, d])
    }

    fn words(&mut self) -> String {
        match self.numbers.below(12) {
            0 => "x".repeat(20_000),
            1 => "é😀\u{2028}".to_owned(),
            2 => "\r\n".to_owned(),
            3 => (*self.numbers.pick(TEXTS)).to_owned(),
            4 => String::new(),
            _ => (*self.numbers.pick(&["a", "'", "\n", "{", "}", " ", "= 1", "param z int\n", "//"]))
                .to_owned(),
        }
    }

    /// Says something, whatever it is.
    fn speak(&mut self) {
        match self.numbers.below(12) {
            0 | 1 => self.open(),
            2..=6 => self.change(),
            7 => {
                let name = self.name();
                self.client.close(&uri(name));
                if !self.is_down {
                    self.open.remove(name);
                }
            }
            8 => self.nonsense(),
            _ => self.question(),
        }
    }

    fn open(&mut self) {
        let name = self.name();
        let text = *self.numbers.pick(TEXTS);
        self.client.open(&uri(name), text);
        if !self.is_down {
            self.open.insert(name, text.to_owned());
        }
    }

    fn change(&mut self) {
        let name = self.name();
        let mut changes = Vec::new();
        for _ in 0..self.numbers.below(4) {
            let text = self.words();
            if self.numbers.below(6) == 0 {
                changes.push(json!({ "text": text }));
                self.edit(name, |old| text.clone_into(old));
            } else {
                let (range, [a, b, c, d]) = self.range();
                changes.push(json!({ "range": range, "text": text }));
                self.edit(name, |old| {
                    let start = offset(old, a, b);
                    let end = offset(old, c, d).max(start);
                    old.replace_range(start..end, &text);
                });
            }
        }
        self.version = match self.numbers.below(10) {
            // Versions that are old or the same count as any other.
            0 => self.version.saturating_sub(5),
            1 => self.version,
            _ => self.version + 1,
        };
        let document = json!({ "uri": uri(name), "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.client.tell("textDocument/didChange", params);
    }

    fn edit(&mut self, name: &str, edit: impl FnOnce(&mut String)) {
        if let Some(text) = self.open.get_mut(name).filter(|_| !self.is_down) {
            edit(text);
        }
    }

    fn question(&mut self) {
        let method = *self.numbers.pick(METHODS);
        if method == "shutdown" && self.numbers.below(20) > 0 {
            return;
        }
        let (line, character) = self.position();
        let name = self.name();
        let params = match self.numbers.below(10) {
            0 => json!(null),
            1 => json!([1, 2]),
            2 => json!({ "textDocument": 3, "position": "here" }),
            3 => {
                json!({ "textDocument": { "uri": "untitled:%%%" }, "position": { "line": -1, "character": 1.5 } })
            }
            _ => json!({
                "textDocument": { "uri": uri(name) },
                "position": { "line": line, "character": character },
                "positions": [{ "line": line, "character": character }],
                "range": self.range().0,
                "context": { "diagnostics": [], "includeDeclaration": true },
                "options": { "tabSize": 2, "insertSpaces": true },
                "ch": "\n",
                "query": "a",
                "newName": "fresh",
                "item": { "name": "x", "kind": 2, "uri": uri(name), "range": self.range().0, "selectionRange": self.range().0 },
                "command": "none",
                "arguments": [null],
                "label": "x",
            }),
        };
        let id = self.client.ask(method, params);
        self.asked.push(id);
        self.is_down |= method == "shutdown";
        if self.numbers.below(5) == 0 {
            self.client.tell("$/cancelRequest", json!({ "id": id }));
        }
    }

    fn nonsense(&mut self) {
        match self.numbers.below(7) {
            0 => self.client.say(&json!(7)),
            1 => self.client.say(&json!({ "jsonrpc": "2.0", "id": "theirs", "result": null })),
            2 => self.client.tell("textDocument/didChange", json!({ "textDocument": null })),
            3 => self.client.tell("textDocument/didOpen", json!({ "textDocument": { "uri": 1 } })),
            4 => self.client.tell("$/cancelRequest", json!({ "id": {} })),
            5 => {
                let change = json!([{ "uri": uri("m.bicep"), "type": 1 + self.numbers.below(3) }]);
                self.client.tell("workspace/didChangeWatchedFiles", json!({ "changes": change }));
            }
            _ => self.client.tell("no/such/notification", json!([])),
        }
    }
}

/// What is asked about every document in the end, where the whole tree shows.
const OF_DOCUMENTS: &[&str] =
    &["textDocument/semanticTokens/full", "textDocument/documentSymbol", "textDocument/foldingRange"];

/// Asks all of it.
fn ask_all(client: &mut Client, open: &BTreeMap<&str, String>) -> Vec<i64> {
    let documents = open.keys().flat_map(|name| OF_DOCUMENTS.iter().map(move |method| (name, method)));
    documents
        .map(|(name, method)| client.ask(method, json!({ "textDocument": { "uri": uri(name) } })))
        .collect()
}

fn check_answers(heard: &Heard, asked: &[i64], round: u64) {
    for id in asked {
        let answer = heard.answer(*id);
        assert_ne!(answer["error"]["code"], json!(-32603), "round {round}: {answer}");
    }
    for name in NAMES {
        let published = heard.published(&uri(name));
        assert!(published.iter().all(|it| !it.to_string().contains("\"Fatal\"")), "round {round}");
    }
}

#[test]
fn any_conversation_is_answered_and_leaves_the_documents_of_the_client() {
    for round in 0..ROUNDS {
        let mut anyone = Anyone::new(round);
        for _ in 0..MESSAGES {
            anyone.speak();
        }
        let Anyone { mut client, asked, open, is_down, .. } = anyone;
        let last = if is_down { Vec::new() } else { ask_all(&mut client, &open) };
        let heard = client.hear();
        check_answers(&heard, &asked, round);
        let mut fresh = Client::new().file("/project/m.bicep", "param a string\noutput o string = a\n");
        for (name, text) in &open {
            fresh.open(&uri(name), text);
        }
        let other = ask_all(&mut fresh, &open);
        let expected = fresh.hear();
        for (id, other) in last.iter().zip(&other) {
            // How tokens are called depends on how often they were asked for.
            let bare = |answer: &Value| match answer["result"].get("data") {
                Some(data) => data.clone(),
                None => answer["result"].clone(),
            };
            let (found, wanted) = (bare(heard.answer(*id)), bare(expected.answer(*other)));
            assert!(found == wanted, "round {round}: {found} instead of {wanted}");
        }
        if is_down {
            continue;
        }
        for name in open.keys() {
            let said = |heard: &Heard| heard.published(&uri(name)).last().map(|it| it["diagnostics"].clone());
            assert_eq!(said(&heard), said(&expected), "round {round}, {name}");
        }
    }
}

#[test]
fn with_threads_any_conversation_is_answered() {
    for round in 0..ROUNDS / 6 {
        let mut anyone = Anyone::new(round);
        for _ in 0..MESSAGES {
            anyone.speak();
        }
        let input = std::io::Cursor::new(anyone.client.said().to_vec());
        let (_, heard) = crate::life::serve(&anyone.client, input);
        check_answers(&heard, &anyone.asked, round);
    }
}
