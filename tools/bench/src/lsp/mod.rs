//! The language server, as an editor sees it: what a keystroke costs until its diagnostics are there, what completion
//! costs, what a folder of programs costs to open, and whether memory stays where it is.
//!
//! `lsp [FOLDER [--types PACK] [--modules FOLDER]] [--tendon BINARY]`: on a program of our own, or on the largest
//! programs of a folder, such as a checkout of a public registry of modules, which is never part of the project.

mod client;
mod corpus;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::client::{Editor, position, uri};
pub(crate) use self::corpus::run as run_corpus;
use crate::random::Random;
use crate::{Result, bicep, files, processes, said};

/// How many keystrokes are measured together; the kernel counts processor time in hundredths of a second.
const KEYSTROKES: usize = 200;

/// How often completion is asked for.
const COMPLETIONS: usize = 200;

/// How many edits memory must stand.
const EDITS: usize = 10_000;

/// How many of the largest programs are looked at.
const LARGEST: usize = 3;

/// What is measured.
struct Given {
    /// The program that has the server.
    tendon: PathBuf,
    /// A folder of programs.
    folder: Option<PathBuf>,
    /// Packed resource types.
    types: Option<PathBuf>,
    /// The cache of modules.
    modules: Option<PathBuf>,
}

impl Given {
    fn read(arguments: &[String]) -> Result<Given> {
        let (mut tendon, mut folder, mut types, mut modules) = (None, None, None, None);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().map(PathBuf::from).ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--types" => types = Some(value()?),
                "--modules" => modules = Some(value()?),
                "--tendon" => tendon = Some(value()?),
                path => folder = Some(PathBuf::from(path)),
            }
        }
        let tendon = tendon.map_or_else(processes::build, Ok)?;
        Ok(Given { tendon, folder, types, modules })
    }
}

/// A program.
struct Program {
    uri: String,
    text: String,
}

impl Program {
    fn read(path: &Path) -> Result<Program> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        Ok(Program { uri: uri(path), text })
    }
}

/// Prints the tables.
pub(crate) fn run(arguments: &[String]) -> Result {
    let given = Given::read(arguments)?;
    if let Some(folder) = &given.folder {
        return measure(&given, folder);
    }
    let scratch = std::env::temp_dir().join(format!("tendon-bench-lsp-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(said)?;
    let written = std::fs::write(scratch.join("main.bicep"), bicep::program(4_000)).map_err(said);
    let result = written.and_then(|()| measure(&given, &scratch));
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

fn measure(given: &Given, folder: &Path) -> Result {
    let mut programs = files::find(folder, &|path| path.extension().is_some_and(|it| it == "bicep"))?;
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |it| it.len());
    programs.sort_by_key(|path| std::cmp::Reverse(size(path)));
    println!("The language server, processor time of all its threads:\n");
    println!(
        "| program | bytes | keystroke to diagnostics | completion | after a keystroke | hover |\n|---|--:|--:|--:|--:|--:|"
    );
    for path in programs.iter().take(LARGEST) {
        typing(given, folder, path)?;
    }
    println!();
    if let Some(path) = programs.first() {
        memory(given, folder, path)?;
    }
    opening(given, folder)
}

/// What typing costs in a program.
fn typing(given: &Given, folder: &Path, path: &Path) -> Result {
    let program = Program::read(path)?;
    let mut editor = Editor::start(given, folder)?;
    editor.open(&program.uri, &program.text)?;
    editor.diagnostics(&program.uri)?;
    let places = places(&program.text, KEYSTROKES);
    // The first ones fill what is filled once.
    keystrokes(&mut editor, &program, places.get(..20).unwrap_or_default())?;
    let keystroke = keystrokes(&mut editor, &program, &places)?;
    let asked = |editor: &mut Editor, method: &str| -> Result<Duration> {
        let before = editor.processor_time();
        for place in places.iter().cycle().take(COMPLETIONS) {
            let document = json!({ "uri": program.uri });
            let params = json!({ "textDocument": document, "position": position(&program.text, *place) });
            editor.ask(method, &params)?;
        }
        Ok((editor.processor_time() - before) / COMPLETIONS as u32)
    };
    let completion = asked(&mut editor, "textDocument/completion")?;
    let hover = asked(&mut editor, "textDocument/hover")?;
    let before = editor.processor_time();
    for place in &places {
        for text in ["x", ""] {
            letter(&mut editor, &program, *place, text)?;
            let document = json!({ "uri": program.uri });
            let params = json!({ "textDocument": document, "position": position(&program.text, *place) });
            editor.ask("textDocument/completion", &params)?;
            editor.diagnostics(&program.uri)?;
        }
    }
    let both = (editor.processor_time() - before) / (2 * places.len().max(1)) as u32;
    println!(
        "| {} | {} | {keystroke:.2?} | {completion:.2?} | {:.2?} | {hover:.2?} |",
        shown(folder, path),
        program.text.len(),
        both.saturating_sub(keystroke),
    );
    editor.end()
}

/// What a keystroke costs until its diagnostics are there: a letter is typed and taken back at each place.
fn keystrokes(editor: &mut Editor, program: &Program, places: &[usize]) -> Result<Duration> {
    let before = editor.processor_time();
    for place in places {
        for text in ["x", ""] {
            letter(editor, program, *place, text)?;
            editor.diagnostics(&program.uri)?;
        }
    }
    Ok((editor.processor_time() - before) / (2 * places.len().max(1)) as u32)
}

/// Types a letter at a place, or takes it back if there is none.
fn letter(editor: &mut Editor, program: &Program, place: usize, text: &str) -> Result {
    let start = position(&program.text, place);
    let column = start.get("character").and_then(Value::as_u64).unwrap_or_default();
    let end = json!({ "line": start.get("line"), "character": column + u64::from(text.is_empty()) });
    editor.change(&program.uri, &json!({ "start": start, "end": end }), text)
}

/// Places in a text where somebody could type: after a letter.
fn places(text: &str, count: usize) -> Vec<usize> {
    let bytes = text.as_bytes();
    let letters: Vec<usize> =
        (1..bytes.len()).filter(|at| bytes.get(at - 1).is_some_and(u8::is_ascii_alphanumeric)).collect();
    let mut random = Random::new(1);
    (0..count).filter_map(|_| random.pick(&letters).copied()).collect()
}

/// How memory grows with edits.
fn memory(given: &Given, folder: &Path, path: &Path) -> Result {
    let program = Program::read(path)?;
    let mut editor = Editor::start(given, folder)?;
    editor.open(&program.uri, &program.text)?;
    editor.diagnostics(&program.uri)?;
    println!("Memory over {EDITS} edits of `{}`:\n", shown(folder, path));
    println!("| edits | now | at most |\n|--:|--:|--:|");
    let places = places(&program.text, EDITS / 20);
    for look in 0..=10 {
        if look > 0 {
            keystrokes(
                &mut editor,
                &program,
                places.get((look - 1) * EDITS / 200..look * EDITS / 200).unwrap_or_default(),
            )?;
        }
        let (now, most) = editor.memory();
        println!("| {} | {now:.0} MB | {most:.0} MB |", look * EDITS / 10);
    }
    editor.close(&program.uri)?;
    // Documents of which nothing is left are let go of when nothing else happens.
    std::thread::sleep(Duration::from_secs(1));
    println!("| closed | {:.0} MB | {:.0} MB |\n", editor.memory().0, editor.memory().1);
    editor.end()
}

/// What it costs to open all programs of a folder.
fn opening(given: &Given, folder: &Path) -> Result {
    let modules: Vec<Program> = files::named(folder, "main.bicep")?
        .iter()
        .filter(|path| !is_test(path))
        .map(|path| Program::read(path))
        .collect::<Result<_>>()?;
    let mut editor = Editor::start(given, folder)?;
    let start = Instant::now();
    for program in &modules {
        editor.open(&program.uri, &program.text)?;
    }
    let mut left: std::collections::BTreeSet<&str> = modules.iter().map(|it| it.uri.as_str()).collect();
    while !left.is_empty() {
        let Some((uri, _)) = editor.published_within(Duration::from_secs(60)) else {
            return Err(format!("nothing was said about {} programs", left.len()));
        };
        left.remove(uri.as_str());
    }
    let (wall, processor, (_, most)) = (start.elapsed(), editor.processor_time(), editor.memory());
    println!("All {} `main.bicep` of the folder, open at once:\n", modules.len());
    println!("| | wall | processor | memory at most |\n|---|--:|--:|--:|");
    println!("| diagnostics of all | {wall:.2?} | {processor:.2?} | {most:.0} MB |");
    // What only templates show follows when nothing happens.
    while editor.processor_time() != {
        std::thread::sleep(Duration::from_millis(700));
        editor.processor_time()
    } {}
    println!(
        "| what only templates show | | {:.2?} | {:.0} MB |",
        editor.processor_time() - processor,
        editor.memory().1
    );
    let before = editor.processor_time();
    let start = Instant::now();
    editor.ask("workspace/symbol", &json!({ "query": "diagnosticSettings" }))?;
    let asked = editor.processor_time() - before;
    println!(
        "| symbols of the workspace | {:.2?} | {asked:.2?} | {:.0} MB |",
        start.elapsed(),
        editor.memory().1
    );
    let one = modules.iter().max_by_key(|it| it.text.len());
    if let Some(program) = one {
        let keystroke = keystrokes(&mut editor, program, &places(&program.text, 50))?;
        println!("| a keystroke in the largest of them | | {keystroke:.2?} | {:.0} MB |", editor.memory().1);
    }
    for program in &modules {
        editor.close(&program.uri)?;
    }
    editor.ask("workspace/symbol", &json!({ "query": "nothing-has-this-name" }))?;
    std::thread::sleep(Duration::from_secs(1));
    println!("| all closed | | | {:.0} MB now |\n", editor.memory().0);
    editor.end()
}

/// Tells whether a program is a test of a module.
fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
}

fn shown(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}
