//! After any edits, what is said about documents is what a server says that sees them for the first time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bicep::files::{FolderEntry, ReadError};
use bicep::{FilePath, MemoryWorld, World};
use lsp::{Machine, Talk};
use serde_json::json;

use crate::client::{Client, Heard, range};
use crate::numbers::Numbers;

/// The files, which use each other in every way that there is.
const FILES: &[(&str, &str)] = &[
    (
        "main.bicep",
        "import { size, twice } from 'shared.bicep'\nparam count int = 1\nparam kind size = 'small'\nmodule a 'a.bicep' = {\n  \
         name: 'a'\n  params: { name: 'x${twice(count)}', kind: kind }\n}\nmodule b 'b.bicep' = [for i in range(0, count): {\n  \
         name: 'b${i}'\n  params: { text: a.outputs.text }\n}]\noutput first string = b[0].outputs.length\n",
    ),
    (
        "a.bicep",
        "import { size } from 'shared.bicep'\nparam name string\nparam kind size\nvar text = loadTextContent('text.txt')\n\
         output text string = '${name}-${kind}-${text}'\n",
    ),
    (
        "b.bicep",
        "param text string\nmodule inner 'a.bicep' = {\n  name: 'inner'\n  params: { name: text, kind: 'large' }\n}\noutput length \
         string = inner.outputs.text\n",
    ),
    (
        "shared.bicep",
        "@export()\ntype size = 'small' | 'large'\n@export()\nfunc twice(n int) int => n * 2\nvar unused = 1\n",
    ),
    ("main.bicepparam", "using 'main.bicep'\nparam count = 2\nparam kind = 'large'\n"),
];

/// What is typed.
const WORDS: &[&str] = &[
    "'",
    "{",
    "}",
    "\n",
    " ",
    "x",
    "name",
    "param p string\n",
    "string",
    "int",
    "= 1",
    "@",
    "(",
    ")",
    "[",
    "b.bicep",
    "'a.bicep'",
    "output o int = 1\n",
    "${",
    "#disable-next-line no-unused-vars\n",
    "// ",
    "/*",
    "module m 'shared.bicep' = {}\n",
    "kind",
    "null",
    "module x 'extra.bicep' = { name: 'x' }\n",
    "loadTextContent('text.txt')",
    "import * as all from 'shared.bicep'\n",
    "x.outputs.o",
    "@export()\n",
    "resource r 'Our.Things/things@2025-01-01' = {\n  name: 'r'\n}\n",
    "existing",
    "r.id",
    "for",
];

fn uri(name: &str) -> String {
    format!("file:///project/{name}")
}

/// Files on the disk, which others change, too.
const DISK: &[(&str, &[&str])] = &[
    ("text.txt", &["words", "other", "more words"]),
    (
        "bicepconfig.json",
        &[
            "{}",
            r#"{ "analyzers": { "core": { "rules": { "no-unused-vars": { "level": "error" } } } } }"#,
            r#"{ "analyzers": { "core": { "enabled": false } } }"#,
            "{ not",
        ],
    ),
    ("extra.bicep", &["output o string = 'x'\n", "output o int = 1\n", "param needed string\n"]),
];

/// A disk that can be written to while the server runs.
#[derive(Clone, Default)]
struct Disk(Arc<Mutex<BTreeMap<&'static str, &'static str>>>);

impl Disk {
    fn now(&self) -> MemoryWorld {
        let files = self.0.lock().unwrap();
        let add = |world: MemoryWorld, (name, text): (&&str, &&str)| {
            world.with_file(&format!("/project/{name}"), *text)
        };
        files.iter().fold(MemoryWorld::default(), add)
    }

    fn write(&self, name: &'static str, text: Option<&'static str>) -> Option<&'static str> {
        match text {
            Some(text) => self.0.lock().unwrap().insert(name, text),
            None => self.0.lock().unwrap().remove(name),
        }
    }
}

impl World for Disk {
    fn read(&self, path: &FilePath) -> Result<Arc<[u8]>, ReadError> {
        self.now().read(path)
    }

    fn exists(&self, path: &FilePath) -> bool {
        self.now().exists(path)
    }

    fn list(&self, folder: &FilePath) -> Result<Vec<FolderEntry>, ReadError> {
        self.now().list(folder)
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn cache_root(&self) -> FilePath {
        FilePath::new("/cache")
    }
}

/// An editor with its server, and what it was told last about each document.
struct Editor {
    talk: Talk,
    known: BTreeMap<String, String>,
}

impl Editor {
    fn new(disk: &Disk) -> Editor {
        let client = Client::new();
        let mut talk = Talk::new(Machine { world: Arc::new(disk.clone()), ..client.machine() });
        let _initialized = talk.handle_input(client.said());
        Editor { talk, known: BTreeMap::new() }
    }

    /// Says what `say` makes a client say.
    fn say(&mut self, say: impl FnOnce(&mut Client)) {
        let mut client = Client::silent();
        say(&mut client);
        let heard = Heard::new(&self.talk.handle_input(client.said()));
        for (name, _) in FILES {
            if let Some(published) = heard.published(&uri(name)).last() {
                self.known.insert((*name).to_owned(), published["diagnostics"].to_string());
            }
        }
    }
}

/// The line and column of an offset in ASCII text.
fn place(text: &str, offset: usize) -> [u32; 2] {
    let before = text.get(..offset).unwrap();
    let line = before.matches('\n').count();
    let column = offset - before.rfind('\n').map_or(0, |at| at + 1);
    [u32::try_from(line).unwrap(), u32::try_from(column).unwrap()]
}

/// An edit of a text: some bytes, a word, or whole lines, which go, come twice, or come from another file.
fn edit(numbers: &mut Numbers, text: &str, others: &[String]) -> (usize, usize, String) {
    let start = numbers.below(text.len() + 1);
    match numbers.below(6) {
        0 => (start, (start + numbers.below(6)).min(text.len()), String::new()),
        1 => (start, (start + 1).min(text.len()), char::from(b' ' + numbers.below(94) as u8).to_string()),
        2 | 3 => (start, (start + numbers.below(6)).min(text.len()), (*numbers.pick(WORDS)).to_owned()),
        kind => {
            let from = text.get(..start).unwrap().rfind('\n').map_or(0, |at| at + 1);
            let to = text.get(start..).unwrap().find('\n').map_or(text.len(), |at| start + at + 1);
            let other = numbers.pick(others);
            let lines: Vec<&str> = other.split_inclusive('\n').collect();
            let line = if lines.is_empty() { "" } else { numbers.pick(&lines) };
            match (kind, numbers.below(2)) {
                (4, 0) => (from, to, String::new()),
                (4, _) => (from, from, text.get(from..to).unwrap().to_owned()),
                _ => (from, from, line.to_owned()),
            }
        }
    }
}

#[test]
fn an_edited_workspace_is_like_a_fresh_one() {
    for round in 0..8 {
        let mut numbers = Numbers::new(round);
        let disk = Disk::default();
        disk.write("text.txt", Some("words"));
        let mut texts: Vec<String> = FILES.iter().map(|(_, text)| (*text).to_owned()).collect();
        let mut editor = Editor::new(&disk);
        for ((name, _), text) in FILES.iter().zip(&texts) {
            editor.say(|client| client.open(&uri(name), text));
        }
        for version in 2..14 {
            let file = numbers.below(FILES.len());
            let name = uri(FILES[file].0);
            match numbers.below(8) {
                // Somebody else writes a file, or deletes it.
                0 => {
                    let (path, contents) = *numbers.pick(DISK);
                    let text = (numbers.below(4) > 0).then(|| *numbers.pick(contents));
                    let before = disk.write(path, text);
                    let kind = match (before, text) {
                        (None, _) => 1,
                        (Some(_), Some(_)) => 2,
                        (Some(_), None) => 3,
                    };
                    let changes = json!([{ "uri": uri(path), "type": kind }]);
                    editor.say(|client| {
                        client.tell("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
                    });
                }
                // A document that is closed and opened again is the same document.
                1 => editor.say(|client| {
                    client.close(&name);
                    client.open(&name, &texts[file]);
                }),
                // Several edits come at once.
                _ => {
                    let mut changes = Vec::new();
                    for _ in 0..=numbers.below(3) {
                        let (start, end, new) = edit(&mut numbers, &texts[file], &texts);
                        let text = &mut texts[file];
                        let ([a, b], [c, d]) = (place(text, start), place(text, end));
                        changes.push(json!({ "range": range(a, b, c, d), "text": new }));
                        text.replace_range(start..end, &new);
                    }
                    let document = json!({ "uri": name, "version": version });
                    let params = json!({ "textDocument": document, "contentChanges": changes });
                    editor.say(|client| client.tell("textDocument/didChange", params));
                }
            }
            if version % 3 == 0 {
                let mut fresh = Editor::new(&disk);
                for ((name, _), text) in FILES.iter().zip(&texts) {
                    fresh.say(|client| client.open(&uri(name), text));
                }
                assert_eq!(editor.known, fresh.known, "round {round}, {version}: {texts:#?}");
            }
        }
    }
}

#[test]
fn edits_that_are_taken_back_leave_nothing() {
    let disk = Disk::default();
    let mut editor = Editor::new(&disk);
    for (name, text) in FILES {
        editor.say(|client| client.open(&uri(name), text));
    }
    let before = editor.known.clone();
    for turn in 0..20 {
        let version = 2 * turn + 2;
        editor.say(|client| client.edit(&uri("shared.bicep"), version, [1, 0, 1, 4], "nope"));
        assert_ne!(editor.known, before);
        editor.say(|client| client.edit(&uri("shared.bicep"), version + 1, [1, 0, 1, 4], "type"));
        assert_eq!(editor.known, before);
    }
}
