//! A plugin of thriftgo, and so of kitex: a request on standard input, a response on standard output.
//!
//! Both are bare structs in the binary protocol. The request carries the syntax trees that thriftgo has
//! parsed (`read` turns them into ours) and the options of the command line (`parameters`); the response
//! carries the files.

mod parameters;
mod read;

use crate::model::{Config, ImplicitIds, resolve};
use crate::rules::lower;
use crate::wire::{BinaryWriter, MessageForm, WireType, Writer};
use crate::{Diagnostic, Severity};

use super::{Generated, GeneratedFile, Input, go};
use parameters::Parameters;
use read::Request;

/// Answers a request; whatever is wrong with it is part of the answer.
pub fn run(request: &[u8]) -> Vec<u8> {
    match Request::read(request)
        .map_err(|error| format!("the request cannot be read: {error}"))
        .and_then(answer)
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

fn answer(request: Request) -> Result<Response, String> {
    if request.language != "go" {
        return Err(format!("`{}` is not generated: the plugin writes Go", request.language));
    }
    let parameters = Parameters::read(&request)?;
    let mut warnings = parameters.warnings;
    let config = Config { implicit_ids: ImplicitIds::Thriftgo, ..Config::default() };
    let (model, mut found) = resolve(&request.program, &config);
    let (lowered, more) = lower(&model, &parameters.rules, &parameters.functions);
    found.extend(more);
    let mut files = Vec::new();
    if !found.iter().any(Diagnostic::is_error) {
        found.extend(lowered.compile(&parameters.functions).1);
    }
    if !found.iter().any(Diagnostic::is_error) {
        let input = Input {
            program: &request.program,
            model: &model,
            lowered: &lowered,
            functions: &parameters.functions,
        };
        let Generated { files: generated, diagnostics, .. } = go::generate(input, &parameters.options);
        found.extend(diagnostics);
        files = generated;
    }
    let shown = |diagnostic: &Diagnostic| {
        let path = request.program.file(diagnostic.span.file).map_or("", |file| file.path.as_str());
        let help = diagnostic.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{path}: {}{help} ({})", diagnostic.message, diagnostic.code.name())
    };
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
            let response = run(bytes);
            // Field 1 of the response is the error.
            assert_eq!(response.get(..3), Some(&[11, 0, 1][..]), "{bytes:?}");
        }
    }
}
