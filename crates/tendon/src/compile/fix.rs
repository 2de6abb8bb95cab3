//! Fixes of findings, made in files.

use std::fs;
use std::path::Path;

use bicep::files::SourceFile;
use bicep::fixes::{self, Fixed};
use bicep::{Compiler, FilePath, Finding};
use diagnostics::printable;

use crate::exit::Failure;

/// Makes the fixes of a file, round by round, until none is left. None if there is nothing to mend, or if the file cannot
/// be read.
pub(crate) fn fixed(path: &FilePath, compiler: &Compiler) -> Option<Fixed> {
    let source = compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    // What is not written back as it was read stays as it is.
    if compiler.world().read(path).ok().as_deref() != Some(file.tree.text().as_bytes()) {
        return None;
    }
    fixes::all(compiler, path, |compiler| findings(compiler, path))
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
