//! A plugin of thriftgo, and so of kitex: a request on standard input, a response on standard output.
//!
//! Both are bare structs in the binary protocol. The request carries the syntax trees that thriftgo has
//! parsed (`read` turns them into ours) and the options of the command line (`parameters`); the response
//! carries the files.

mod parameters;
mod read;

use thrift::idl::{Strict, parse};
use thrift::model::{Config, ImplicitIds, Loader, Model, ThriftFile, ThriftProgram, resolve};
use thrift::rules::lower;
use thrift::wire::{BinaryWriter, MessageForm, WireType, Writer};
use thrift::{Diagnostic, FileId, Severity, Span};

use crate::{Generated, GeneratedFile, Input, go};
use parameters::Parameters;
use read::Request;

/// The Go files of a folder, each with its name and its text; none if there is no such folder.
pub type GoFolder<'f> = dyn FnMut(&str) -> Result<Vec<(String, String)>, String> + 'f;

/// Answers a request; whatever is wrong with it is part of the answer.
///
/// The trees of a request have no places. Where the loader has the files they came from, findings have lines. What stands in the
/// folders that code goes to is asked of `folder`.
pub fn run(request: &[u8], loader: &mut dyn Loader, folder: &mut GoFolder<'_>) -> Vec<u8> {
    match Request::read(request)
        .map_err(|error| format!("the request cannot be read: {error}"))
        .and_then(|request| answer(request, loader, folder))
    {
        Ok(response) => write(&response),
        Err(error) => write(&Response { error: Some(error), ..Response::default() }),
    }
}

/// What a plugin says.
#[derive(Debug, Default)]
struct Response {
    error: Option<String>,
    files: Vec<GeneratedFile>,
    warnings: Vec<String>,
}

/// What there is to say about a program, and the code for it.
struct Findings {
    model: Model,
    found: Vec<Diagnostic>,
    files: Vec<GeneratedFile>,
}

impl Findings {
    fn of(program: &ThriftProgram, parameters: &Parameters) -> Findings {
        let config = Config { implicit_ids: ImplicitIds::Thriftgo, ..Config::default() };
        let (model, mut found) = resolve(program, &config);
        let (lowered, more) = lower(&model, &parameters.rules, &parameters.functions);
        found.extend(more);
        let mut files = Vec::new();
        if !found.iter().any(Diagnostic::is_error) {
            found.extend(lowered.findings(&parameters.functions));
        }
        if !found.iter().any(Diagnostic::is_error) {
            let input = Input { program, model: &model, lowered: &lowered, functions: &parameters.functions };
            let Generated { files: generated, diagnostics, .. } = go::generate(input, &parameters.options);
            found.extend(diagnostics);
            files = generated;
        }
        Findings { model, found, files }
    }

    /// A finding in one line, with as much of its place as is known.
    fn shown(&self, program: &ThriftProgram, diagnostic: &Diagnostic) -> String {
        let place = diagnostic.primary.and_then(|span| {
            let file = program.file(span.file)?;
            Some(match file.text.get(..span.start as usize) {
                Some(before) if !file.text.is_empty() => {
                    let line = before.matches('\n').count() + 1;
                    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                    format!("{}:{line}:{column}", file.path)
                }
                _ => file.path.clone(),
            })
        });
        let field = diagnostic.primary.and_then(|span| self.field(span));
        let field = field.map(|field| format!(": {field}")).unwrap_or_default();
        let help: String = diagnostic.help.iter().map(|help| format!("; {help}")).collect();
        let place = place.unwrap_or_default();
        format!("{place}{field}: {}{help} ({})", diagnostic.message, diagnostic.code)
    }

    /// The field that a place is in.
    fn field(&self, span: Span) -> Option<String> {
        if span.end == 0 {
            return None;
        }
        self.model.structs.iter().find_map(|it| {
            let holds =
                |field: Span| field.file == span.file && field.start <= span.start && span.end <= field.end;
            let field = it.fields.iter().find(|field| holds(field.span))?;
            Some(format!("{}.{}", it.name.text, field.name.text))
        })
    }
}

/// The same program from text, if all of it can be had.
fn from_text(program: &ThriftProgram, loader: &mut dyn Loader) -> Option<ThriftProgram> {
    let mut files = Vec::with_capacity(program.files.len());
    for (file, id) in program.files.iter().zip(0..) {
        let text = loader.read(&file.path).ok().flatten()?;
        let (document, _) = parse(FileId(id), &text, Strict::None);
        let includes = file.includes.clone();
        files.push(ThriftFile { path: file.path.clone(), text, document, includes });
    }
    Some(ThriftProgram { files })
}

fn answer(request: Request, loader: &mut dyn Loader, folder: &mut GoFolder<'_>) -> Result<Response, String> {
    if request.language != "go" {
        return Err(format!("`{}` is not generated: the plugin writes Go", request.language));
    }
    let mut parameters = Parameters::read(&request)?;
    for directory in go::folders(&request.program) {
        // Where a file of the package would go says where the others are.
        let path = output_path(&request.output, &beside(&directory, "x.go"));
        let (place, _) = path.rsplit_once('/').unwrap_or((".", ""));
        for (name, text) in folder(place)? {
            parameters.options.neighbours.insert(beside(&directory, &name), text);
        }
    }
    let mut warnings = parameters.warnings.clone();
    let Findings { model, found, mut files } = Findings::of(&request.program, &parameters);
    let mut findings = Findings { model, found, files: Vec::new() };
    let mut program = request.program;
    let is_told = |it: &Diagnostic| it.severity != Severity::Info;
    if findings.found.iter().any(is_told)
        && let Some(text) = from_text(&program, loader)
    {
        let again = Findings::of(&text, &parameters);
        // Text that has changed since says something else, and thriftgo has read what it has read.
        let told = |it: &Findings| it.found.iter().filter(|it| is_told(it)).count();
        if told(&again) >= told(&findings) {
            (findings, program) = (again, text);
        }
    }
    let shown = |diagnostic: &Diagnostic| findings.shown(&program, diagnostic);
    let found = &findings.found;
    let errors: Vec<String> = found.iter().filter(|it| it.is_error()).map(shown).collect();
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    warnings.extend(found.iter().filter(|it| it.severity == Severity::Warning).map(shown));
    for file in &mut files {
        file.path = output_path(&request.output, &file.path);
    }
    Ok(Response { error: None, files, warnings })
}

/// The path of a file in a folder of the output.
fn beside(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

// UPSTREAM: `{namespace}` and `{namespaceUnderscore}` in the output path stand for the directory of the
// package, which is put behind it otherwise.
fn output_path(output: &str, path: &str) -> String {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    if output.contains("{namespace}") {
        return format!("{}/{name}", output.replace("{namespace}", directory));
    }
    if output.contains("{namespaceUnderscore}") {
        return format!("{}/{name}", output.replace("{namespaceUnderscore}", &directory.replace('/', "_")));
    }
    match output.trim_end_matches('/') {
        "" => path.to_owned(),
        output => format!("{output}/{path}"),
    }
}

fn write(response: &Response) -> Vec<u8> {
    let mut out = BinaryWriter::new(MessageForm::Versioned);
    out.struct_begin();
    if let Some(error) = &response.error {
        text(&mut out, 1, error);
    }
    out.field_begin(WireType::List, 2);
    out.list_begin(WireType::Struct, response.files.len());
    for file in &response.files {
        out.struct_begin();
        text(&mut out, 1, &file.text);
        text(&mut out, 2, &file.path);
        out.struct_end();
    }
    out.list_end();
    out.field_end();
    out.field_begin(WireType::List, 3);
    out.list_begin(WireType::String, response.warnings.len());
    response.warnings.iter().for_each(|warning| out.string(warning.as_bytes()));
    out.list_end();
    out.field_end();
    out.struct_end();
    out.into_bytes()
}

fn text(out: &mut BinaryWriter, id: i16, text: &str) {
    out.field_begin(WireType::String, id);
    out.string(text.as_bytes());
    out.field_end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_paths_follow_the_namespace() {
        for (output, expected) in [
            ("gen-go", "gen-go/a/b/x_validator.go"),
            ("gen/", "gen/a/b/x_validator.go"),
            ("out/{namespace}/v1", "out/a/b/v1/x_validator.go"),
            ("out/{namespaceUnderscore}", "out/a_b/x_validator.go"),
            ("", "a/b/x_validator.go"),
        ] {
            assert_eq!(output_path(output, "a/b/x_validator.go"), expected);
        }
    }

    #[test]
    fn bytes_that_are_no_request_get_an_error() {
        for bytes in [&b""[..], b"\x0c", b"\x0b\x00\x01\x7f\xff\xff\xff", b"\x00"] {
            let response = run(bytes, &mut thrift::model::MemoryLoader::default(), &mut |_| Ok(Vec::new()));
            // Field 1 of the response is the error.
            assert_eq!(response.get(..3), Some(&[11, 0, 1][..]), "{bytes:?}");
        }
    }
}
