//! The files of nested templates: one for each different template.

use crate::json::Json;
use crate::output::Output;
use crate::problem::{DecompileError, Result};
use crate::template;

/// The most templates that may be inside each other.
const MAX_NESTED: usize = 32;

/// The file of a nested template, which is written unless it was before.
pub(crate) fn file(output: &mut Output, around: &str, own: &str, json: &Json, exact: bool) -> Result<String> {
    let digest = json.digest();
    if let Some(path) = output.written.get(&digest) {
        return Ok(path.clone());
    }
    if output.depth >= MAX_NESTED {
        return Err(DecompileError::new("too many templates are inside each other"));
    }
    let exact_here = exact || template::is_generated(json);
    let stem = format!("nested_{own}");
    let up = template::ways_up(json);
    let path = match up {
        None => output.claim(&stem, ".bicep"),
        // What it imports from lies around it, so that it has a folder of its own.
        Some(up) => {
            let folder = output.claim(&stem, "");
            let inner: String = std::iter::repeat_n("module/", up).collect();
            let path = format!("{folder}/{inner}main.bicep");
            output.take(&path);
            path
        }
    };
    if exact_here && output.kept.contains(&digest) {
        return Ok(keep(output, &stem, json, digest, path, None));
    }
    output.depth += 1;
    let mark = output.mark();
    let result = template::write(output, path.clone(), json, exact_here);
    output.depth -= 1;
    match result {
        Ok(text) => {
            output.add(path.clone(), text);
            output.remember(digest, path.clone());
            output.sources.insert(path.clone(), digest);
            Ok(path)
        }
        // A module can be a template as well, and then nothing about it changes.
        Err(problem) if exact_here => {
            output.back_to(mark);
            Ok(keep(output, &stem, json, digest, around.to_owned(), Some(problem)))
        }
        Err(problem) => Err(problem),
    }
}

/// Keeps a template as it is.
fn keep(
    output: &mut Output,
    stem: &str,
    json: &Json,
    digest: u64,
    shown: String,
    problem: Option<DecompileError>,
) -> String {
    let path = output.claim(stem, ".json");
    if let Some(problem) = problem {
        output.note(shown, format!("`{path}` stays a template: {problem}"));
    }
    let mut text = json.print();
    text.push('\n');
    output.add(path.clone(), text);
    output.remember(digest, path.clone());
    path
}
