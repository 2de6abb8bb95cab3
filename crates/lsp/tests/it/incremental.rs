//! After any edits, what is said about documents is what a server says that sees them for the first time.

use serde_json::json;

use crate::client::{Client, Heard, range};

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
];

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

fn uri(name: &str) -> String {
    format!("file:///project/{name}")
}

fn client() -> Client {
    Client::new().file("/project/text.txt", "words")
}

/// The line and column of an offset in ASCII text.
fn place(text: &str, offset: usize) -> [u32; 2] {
    let before = text.get(..offset).unwrap();
    let line = before.matches('\n').count();
    let column = offset - before.rfind('\n').map_or(0, |at| at + 1);
    [u32::try_from(line).unwrap(), u32::try_from(column).unwrap()]
}

/// Everything that is known about documents in the end.
fn known(heard: &Heard) -> Vec<String> {
    let last = |name: &str| {
        let published = heard.published(&uri(name));
        published.last().map(|it| it["diagnostics"].to_string()).unwrap_or_default()
    };
    FILES.iter().map(|(name, _)| format!("{name}: {}", last(name))).collect()
}

#[test]
fn an_edited_workspace_is_like_a_fresh_one() {
    let mut numbers = Numbers(1);
    for round in 0..16 {
        let mut texts: Vec<String> = FILES.iter().map(|(_, text)| (*text).to_owned()).collect();
        let mut client = client();
        for ((name, _), text) in FILES.iter().zip(&texts) {
            client.open(&uri(name), text);
        }
        for version in 2..10 {
            let file = numbers.below(FILES.len());
            let text = &mut texts[file];
            let start = numbers.below(text.len() + 1);
            let end = (start + numbers.below(6)).min(text.len());
            let new = WORDS[numbers.below(WORDS.len())];
            let ([a, b], [c, d]) = (place(text, start), place(text, end));
            let change = json!({ "range": range(a, b, c, d), "text": new });
            let document = json!({ "uri": uri(FILES[file].0), "version": version });
            client.tell(
                "textDocument/didChange",
                json!({ "textDocument": document, "contentChanges": [change] }),
            );
            text.replace_range(start..end, new);
            // A document that is closed and opened again is the same document.
            if numbers.below(8) == 0 {
                client.close(&uri(FILES[file].0));
                client.open(&uri(FILES[file].0), &texts[file]);
            }
        }
        let mut fresh = self::client();
        for ((name, _), text) in FILES.iter().zip(&texts) {
            fresh.open(&uri(name), text);
        }
        assert_eq!(known(&client.hear()), known(&fresh.hear()), "round {round}: {texts:#?}");
    }
}

#[test]
fn edits_that_are_taken_back_leave_nothing() {
    let mut client = client();
    for (name, text) in FILES {
        client.open(&uri(name), text);
    }
    let before = known(&client.hear());
    for turn in 0..20 {
        let version = 2 * turn + 2;
        client.edit(&uri("shared.bicep"), version, [1, 0, 1, 4], "nope");
        client.edit(&uri("shared.bicep"), version + 1, [1, 0, 1, 4], "type");
    }
    assert_eq!(known(&client.hear()), before);
}
