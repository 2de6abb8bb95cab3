//! Every program of a folder, opened, edited at random places and taken back: the server must say what a server says that
//! sees the same text for the first time, and in the end what `tendon lint` says.
//!
//! `cargo xtask corpus lsp FOLDER` runs it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::Given;
use super::client::{Editor, range, uri};
use crate::random::Random;
use crate::{Result, files, said};

/// How many places of a program are edited.
const PLACES: usize = 20;

/// After how many edits somebody looks at the diagnostics: the others are overtaken.
const LOOKS: usize = 5;

/// How many files are linted by one process.
const TOGETHER: usize = 200;

/// What is typed at random places.
const WORDS: &[&str] = &[
    "x",
    "'",
    "{",
    "}",
    "[",
    "(",
    "\n",
    " ",
    "@",
    "${",
    "// ",
    "/*",
    "''",
    "name",
    "param p string\n",
    "string",
    "= 1",
    "null",
    "?",
    "!",
    ".outputs",
    "#disable-next-line no-unused-params\n",
    "output o int = 1\n",
    "é",
    "😀",
];

/// Runs it.
pub(crate) fn run(arguments: &[String]) -> Result {
    let given = Given::read(arguments)?;
    let Some(folder) = given.folder.clone() else { return Err("name the folder".to_owned()) };
    let is_program = |path: &Path| path.extension().is_some_and(|it| it == "bicep" || it == "bicepparam");
    let programs = files::find(&folder, &is_program)?;
    let linted = lint(&given, &programs)?;
    let mut editor = Editor::start(&given, &folder)?;
    let mut fresh = Editor::start(&given, &folder)?;
    let mut random = Random::new(1);
    let mut wrong = 0;
    for path in &programs {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        let expected = linted.get(&whole(path)).cloned().unwrap_or_default();
        if let Err(why) = edited(&mut editor, &mut fresh, &mut random, path, &text, &expected) {
            wrong += 1;
            println!("{}: {why}", path.display());
            // A server that is gone is started again, so that one program says nothing about the next.
            editor = Editor::start(&given, &folder)?;
            fresh = Editor::start(&given, &folder)?;
        }
    }
    println!("{} programs, each edited at {PLACES} places and taken back; {wrong} are wrong", programs.len());
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} programs are wrong")) }
}

/// Edits a program and takes all of it back.
fn edited(
    editor: &mut Editor,
    fresh: &mut Editor,
    random: &mut Random,
    path: &Path,
    text: &str,
    expected: &BTreeSet<CodeAtLine>,
) -> Result {
    let uri = uri(path);
    editor.open(&uri, text)?;
    let before = editor.diagnostics(&uri)?;
    let mut damaged = Value::Null;
    let mut texts: Vec<(String, usize, usize, String)> = Vec::new();
    let mut now = text.to_owned();
    for place in 0..PLACES {
        let (start, end, new) = edit(random, &now);
        editor.change(&uri, &range(&now, start, end), &new)?;
        let old = now.get(start..end).unwrap_or_default().to_owned();
        now.replace_range(start..end, &new);
        texts.push((now.clone(), start, start + new.len(), old));
        if place % LOOKS == LOOKS - 1 {
            damaged = editor.diagnostics(&uri)?;
        }
    }
    // A file that was not there before makes a compiler that knows nothing.
    let created = json!([{ "uri": format!("{uri}.new"), "type": 1 }]);
    fresh.tell("workspace/didChangeWatchedFiles", &json!({ "changes": created }))?;
    fresh.open(&uri, &now)?;
    let other = fresh.diagnostics(&uri)?;
    fresh.close(&uri)?;
    if damaged != other {
        return Err(format!("after edits, {damaged} is said, and afresh {other}, of\n{now}"));
    }
    while let Some((text, start, end, old)) = texts.pop() {
        editor.change(&uri, &range(&text, start, end), &old)?;
    }
    let after = editor.diagnostics(&uri)?;
    if after != before {
        return Err(format!("before the edits, {before} was said, and after them {after}"));
    }
    if found(&after) != *expected {
        // What only templates show comes when nothing else happens.
        let mut last = after;
        while let Some((about, diagnostics)) = editor.published_within(Duration::from_secs(2)) {
            if about == uri {
                last = diagnostics;
                break;
            }
        }
        if found(&last) != *expected {
            return Err(format!("the server says {:?}, and `lint` {expected:?}", found(&last)));
        }
    }
    editor.close(&uri)
}

/// A random edit: what is replaced, and by what.
fn edit(random: &mut Random, text: &str) -> (usize, usize, String) {
    let boundary =
        |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = boundary(random.below(text.len() + 1));
    match random.below(4) {
        0 => (start, boundary(start + random.below(12)).max(start), String::new()),
        1 => {
            // A whole line, once more or not at all.
            let from = text.get(..start).and_then(|it| it.rfind('\n')).map_or(0, |at| at + 1);
            let to = text.get(start..).and_then(|it| it.find('\n')).map_or(text.len(), |at| start + at + 1);
            let line = text.get(from..to).unwrap_or_default().to_owned();
            if random.below(2) == 0 { (from, to, String::new()) } else { (from, from, line) }
        }
        _ => (start, start, random.pick(WORDS).copied().unwrap_or_default().to_owned()),
    }
}

/// A code and the line that it is at.
type CodeAtLine = (String, u64);

/// What is published, without what `lint` says in other words.
fn found(diagnostics: &Value) -> BTreeSet<CodeAtLine> {
    let rows = diagnostics.as_array().into_iter().flatten();
    rows.filter_map(|it| {
        let line = it.pointer("/range/start/line")?.as_u64()?;
        Some((it.get("code")?.as_str()?.to_owned(), line))
    })
    .collect()
}

/// A path from the root: `lint` leaves out the folder that it was started in.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What `tendon lint` says about files.
fn lint(given: &Given, programs: &[PathBuf]) -> Result<BTreeMap<PathBuf, BTreeSet<CodeAtLine>>> {
    let mut all: BTreeMap<PathBuf, BTreeSet<CodeAtLine>> = BTreeMap::new();
    for programs in programs.chunks(TOGETHER) {
        let mut command = Command::new(&given.tendon);
        command.args(["lint", "--no-restore", "--output", "json"]).args(programs);
        for (variable, path) in [("TENDON_TYPES", &given.types), ("TENDON_MODULES", &given.modules)] {
            if let Some(path) = path {
                command.env(variable, path);
            }
        }
        let output = command.stderr(Stdio::null()).output().map_err(said)?;
        let said: Value = serde_json::from_slice(&output.stdout).map_err(said)?;
        for finding in said.get("findings").and_then(Value::as_array).into_iter().flatten() {
            let parts = (
                finding.get("file").and_then(Value::as_str),
                finding.get("code").and_then(Value::as_str),
                finding.pointer("/start/line").and_then(Value::as_u64),
            );
            if let (Some(file), Some(code), Some(line)) = parts {
                all.entry(whole(Path::new(file))).or_default().insert((code.to_owned(), line - 1));
            }
        }
    }
    Ok(all)
}
