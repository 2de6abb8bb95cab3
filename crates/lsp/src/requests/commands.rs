//! Commands of the editor about a file: what the command line does, with the text of the editor.

use bicep::files::SourceFile;
use bicep::{ArtifactState, FilePath, PlaceholderForm, PlaceholderSet, Severity};
use diagnostics::{Columns, LineIndex};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::TestsAsked;
use crate::message::{ErrorCode, ResponseError};
use crate::snapshot::Snapshot;
use crate::uri;

struct Command {
    name: &'static str,
    run: fn(&Snapshot, &CommandArguments) -> Result<Value, ResponseError>,
}

/// All commands. Their names are those of the public language server, so that editors set up for it find them;
/// what it does not have begins with our name.
const COMMANDS: &[Command] = &[
    Command { name: "build", run: |snapshot, asked| build(snapshot, asked).map(Value::from) },
    Command { name: "buildParams", run: |snapshot, asked| build(snapshot, asked).map(Value::from) },
    Command {
        name: "generateParams",
        run: |snapshot, asked| generate_parameters(snapshot, asked).map(Value::from),
    },
    Command { name: "forceModulesRestore", run: |snapshot, asked| restore(snapshot, asked).map(Value::from) },
    Command { name: super::hints::RUN_TESTS, run: run_tests },
];

#[derive(Deserialize)]
pub(super) struct Params {
    command: String,
    #[serde(default)]
    arguments: Vec<Value>,
}

/// The file that a command is about, and how it is to be done.
struct CommandArguments {
    path: FilePath,
    options: Value,
}

/// What the capability says.
pub(super) fn options() -> Value {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    json!({ "commands": names })
}

/// Does what is asked, and says what came of it.
pub(super) fn execute(snapshot: &Snapshot, params: Params) -> Result<Value, ResponseError> {
    let Some(command) = COMMANDS.iter().find(|command| command.name == params.command) else {
        let message = format!("there is no command `{}`", params.command);
        return Err(ResponseError::new(ErrorCode::InvalidParams, message));
    };
    let asked = params.arguments.into_iter().next().and_then(CommandArguments::read).ok_or_else(|| {
        let message = format!("`{}` takes the path or the address of a file", params.command);
        ResponseError::new(ErrorCode::InvalidParams, message)
    })?;
    (command.run)(snapshot, &asked)
}

impl CommandArguments {
    /// The first argument is a path or an address, or an object that has one.
    fn read(argument: Value) -> Option<CommandArguments> {
        const NAMES: [&str; 3] = ["/bicepFilePath", "/textDocument/uri", "/uri"];
        let named = match &argument {
            Value::String(text) => text.as_str(),
            _ => NAMES.iter().find_map(|name| argument.pointer(name)?.as_str())?,
        };
        let path = if named.contains("://") { uri::path_of(named, None) } else { FilePath::new(named) };
        Some(CommandArguments { path, options: argument })
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).and_then(Value::as_str)
    }
}

/// Compiles a program or a parameters file, and writes the result beside it.
fn build(snapshot: &Snapshot, asked: &CommandArguments) -> Result<String, ResponseError> {
    let compiled = compiled(snapshot, &asked.path)?;
    let target = beside(&asked.path, ".json");
    write(snapshot, &target, &compiled)?;
    Ok(format!("`{target}` is written"))
}

/// Writes a parameters file to begin with.
fn generate_parameters(snapshot: &Snapshot, asked: &CommandArguments) -> Result<String, ResponseError> {
    let (form, ending) = match asked.option("outputFormat") {
        Some(form) if form.eq_ignore_ascii_case("bicepparam") => (PlaceholderForm::Bicepparam, ".bicepparam"),
        Some(_) | None => (PlaceholderForm::Json, ".parameters.json"),
    };
    let set = match asked.option("includeParams") {
        Some(which) if which.eq_ignore_ascii_case("all") => PlaceholderSet::All,
        Some(_) | None => PlaceholderSet::Required,
    };
    compiled(snapshot, &asked.path)?;
    let target = beside(&asked.path, ending);
    let existing = snapshot.compiler.world().read(&target).ok();
    let existing = existing.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
    let made = snapshot.compiler.fork().placeholders(&asked.path, form, set, existing.as_deref());
    let Some(text) = made else {
        return Err(failed(format!("`{}` has no parameters file", asked.path)));
    };
    write(snapshot, &target, &text)?;
    Ok(format!("`{target}` is written"))
}

/// Fetches all modules and extensions of registries that a file needs, also those in the cache.
fn restore(snapshot: &Snapshot, asked: &CommandArguments) -> Result<String, ResponseError> {
    if snapshot.restores.is_forbidden() {
        return Err(failed("the server was started so that it asks no registry".to_owned()));
    }
    let mut artifacts = snapshot.compiler.artifacts(&asked.path);
    artifacts.retain(|artifact| artifact.state != ArtifactState::Mirrored);
    let count = snapshot.restores.fetch(&artifacts, false, &|_| {});
    let things = if artifacts.len() == 1 { "artifact" } else { "artifacts" };
    Ok(format!("restored {count} of {} {things}", artifacts.len()))
}

/// Runs the tests of a file, and gives what `tendon test -o json` prints. What is wrong is shown in the documents as well.
fn run_tests(snapshot: &Snapshot, asked: &CommandArguments) -> Result<Value, ResponseError> {
    let Some(tools) = snapshot.restores.tools() else {
        return Err(failed("no tests are run here".to_owned()));
    };
    if !asked.path.extension().eq_ignore_ascii_case(".biceptest") {
        let message = format!("`{}` is not a test file: its name must end in `.biceptest`", asked.path);
        return Err(ResponseError::new(ErrorCode::InvalidParams, message));
    }
    let filters = match asked.options.get("filter") {
        Some(Value::String(filter)) => vec![filter.clone()],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let wanted = TestsAsked {
        file: asked.path.clone(),
        test: asked.option("test").map(str::to_owned),
        filters,
        coverage: asked.options.get("coverage").and_then(Value::as_bool).unwrap_or_default(),
    };
    let ran = tools.test(&snapshot.compiler.fork(), &wanted).map_err(failed)?;
    let version = |path: &FilePath| snapshot.documents.get(path).map(|document| document.version);
    snapshot.tests.replace(&asked.path, ran.findings, &version);
    snapshot.restores.tell_news();
    Ok(ran.report)
}

/// The text that a file compiles to; its mistakes if it has any.
fn compiled(snapshot: &Snapshot, path: &FilePath) -> Result<std::sync::Arc<str>, ResponseError> {
    let compiler = snapshot.compiler.fork();
    if let Err(fault) = compiler.file(path) {
        return Err(failed(fault.sentence()));
    }
    let compilation = compiler.compile(path);
    if let Some(text) = compilation
        .template
        .filter(|_| !matches!(compiler.file(path).as_deref(), Ok(SourceFile::Template(_))))
    {
        return Ok(text);
    }
    let mut message = format!("`{path}` has errors, so that nothing is written");
    for (file, found) in &compilation.findings {
        let lines = snapshot.lines(file);
        for finding in found.iter().filter(|finding| finding.severity == Severity::Error) {
            message.push_str(&format!(
                "\n{file}({}) {}: {}",
                place(&lines, finding.span.start),
                finding.code,
                finding.sentence()
            ));
        }
    }
    Err(failed(message))
}

fn place(lines: &LineIndex, offset: u32) -> String {
    let position = lines.position(offset, Columns::Utf16);
    format!("{},{}", position.line, position.column)
}

/// A file beside another one, with another ending.
fn beside(path: &FilePath, ending: &str) -> FilePath {
    let name = path.name();
    let stem = name.strip_suffix(path.extension()).unwrap_or(name);
    path.folder().join(&format!("{stem}{ending}"))
}

fn write(snapshot: &Snapshot, path: &FilePath, text: &str) -> Result<(), ResponseError> {
    if path.as_str().contains("://") {
        return Err(failed("save the document first: the result is written beside it".to_owned()));
    }
    let Some(tools) = snapshot.restores.tools() else {
        return Err(failed("nothing is written here".to_owned()));
    };
    tools.write(path, text).map_err(failed)
}

fn failed(message: String) -> ResponseError {
    ResponseError::new(ErrorCode::RequestFailed, message)
}
