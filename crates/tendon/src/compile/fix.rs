//! Fixes of findings, made in files.

use std::fs;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use bicep::files::SourceFile;
use bicep::{Compiler, Dialect, FilePath, Finding, fixes};
use diagnostics::printable;

use super::CompileOptions;
use crate::exit::Failure;

/// How often a file is looked at again: one fix can bring out what another one mends.
const ROUNDS: usize = 16;

/// A file whose findings were mended.
pub(crate) struct Fixed {
    /// The text before.
    pub(crate) before: Arc<str>,
    /// The text after.
    pub(crate) after: String,
    /// How many findings were mended.
    pub(crate) count: usize,
}

/// Makes the fixes of a file, round by round, until none is left. None if there is nothing to mend, or if the file cannot
/// be read.
pub(crate) fn fixed(
    path: &FilePath,
    compiler: &Compiler,
    options: &CompileOptions,
    dialect: Dialect,
) -> Result<Option<Fixed>, Failure> {
    let Ok(source) = compiler.file(path) else { return Ok(None) };
    let SourceFile::Bicep(file) = &*source else { return Ok(None) };
    let (kind, before) = (file.tree.source_kind(), file.tree.shared_text());
    // What is not written back as it was read stays as it is.
    if compiler.world().read(path).ok().as_deref() != Some(before.as_bytes()) {
        return Ok(None);
    }
    let mut errors = file.tree.diagnostics().len();
    let mut found = findings(compiler, path);
    let (mut after, mut count) = (before.to_string(), 0);
    for _ in 0..ROUNDS {
        let (edits, mended) = fixes::chosen(&found);
        let Some(text) = fixes::applied(&after, &edits).filter(|text| *text != after) else { break };
        let now = syntax::parse(text.as_str(), kind).diagnostics().len();
        if now > errors {
            break;
        }
        (after, errors, count) = (text, now, count + mended);
        let changed = vec![(path.clone(), after.as_bytes().into())];
        let next = options.compiler(changed, dialect)?;
        found = findings(&next, path);
        // There can be many of them, unlike the one of a run.
        drop(ManuallyDrop::into_inner(next));
    }
    Ok((count > 0).then_some(Fixed { before, after, count }))
}

/// What is found in one file.
fn findings(compiler: &Compiler, path: &FilePath) -> Vec<Finding> {
    let all = compiler.compile(path).findings;
    let own = all.iter().filter(|(file, _)| file == path);
    own.flat_map(|(_, found)| found.iter()).filter(|it| !it.fixes.is_empty()).cloned().collect()
}

/// Writes a file as a whole, or not at all.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error| Failure::writing(&format!("`{}`", printable(&path.to_string_lossy())), &error);
    // A link stays one.
    let target = fs::canonicalize(path).map_err(failed)?;
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let draft = target.with_file_name(name);
    let write = || {
        fs::write(&draft, text)?;
        fs::set_permissions(&draft, fs::metadata(&target)?.permissions())?;
        fs::rename(&draft, &target)
    };
    write().map_err(|error| {
        // Whether the draft is there is not known.
        let _ = fs::remove_file(&draft);
        failed(error)
    })
}
