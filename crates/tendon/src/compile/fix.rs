//! Fixes of findings, made in files.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use bicep::files::SourceFile;
use bicep::fixes::{self, Fixed, errors};
use bicep::{Compiler, Dialect, FilePath, Finding};
use diagnostics::printable;

use super::disk::Changed;
use super::{CompileOptions, Job};
use crate::exit::Failure;
use crate::files;

/// The byte order mark of UTF-8.
const MARK: &str = "\u{feff}";

/// Makes the fixes of a file, round by round, until none is left. None if there is nothing to mend, or if the file cannot
/// be read.
pub(crate) fn fixed(path: &FilePath, compiler: &Compiler) -> Option<Fixed> {
    let source = compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    let (text, bytes) = (file.tree.text(), compiler.world().read(path).ok()?);
    // The mark that some editors begin files with may be no part of the text, and stays.
    let mark = if bytes.starts_with(MARK.as_bytes()) && !text.starts_with(MARK) { MARK } else { "" };
    // What is not written back as it was read stays as it is.
    if bytes.strip_prefix(mark.as_bytes()) != Some(text.as_bytes()) {
        return None;
    }
    let fixed = fixes::all(compiler, path, |compiler| findings(compiler, path))?;
    let marked = |text: &str| format!("{mark}{text}");
    Some(Fixed { before: marked(&fixed.before).into(), after: marked(&fixed.after), ..fixed })
}

/// What is found in one file.
fn findings(compiler: &Compiler, path: &FilePath) -> Vec<Finding> {
    let all = compiler.compile(path).findings;
    let own = all.iter().filter(|(file, _)| file == path);
    own.flat_map(|(_, found)| found.iter()).filter(|it| !it.fixes.is_empty()).cloned().collect()
}

/// Takes back the fixes of files that others of the same run would have errors after: a parameter that a file does not use can be given
/// by another one. `told` hears of each file that stays as it is, and of the one that needs it so.
pub(crate) fn settle(
    jobs: &[Job],
    fixed: &mut [Option<Fixed>],
    compiler: &Compiler,
    options: &CompileOptions,
    dialect: Dialect,
    mut told: impl FnMut(&Job, &Job) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let change = |place: usize, fixed: &[Option<Fixed>]| {
        let (job, fixed) = (jobs.get(place)?, fixed.get(place)?.as_ref()?);
        Some((job.path.clone(), Arc::from(fixed.after.as_bytes())))
    };
    let errors_after = |changed: Changed, job: &Job| -> Result<usize, Failure> {
        let next = options.compiler(changed, dialect)?;
        let found = errors(&next, &job.path);
        // There can be many of them, unlike the one of a run.
        drop(ManuallyDrop::into_inner(next));
        Ok(found)
    };
    let changed: Changed = (0..jobs.len()).filter_map(|place| change(place, fixed)).collect();
    let all = options.compiler(changed, dialect)?;
    for (place, job) in jobs.iter().enumerate() {
        let before = errors(compiler, &job.path);
        if errors(&all, &job.path) <= before {
            continue;
        }
        for other in (0..jobs.len()).filter(|other| *other != place) {
            let Some(theirs) = change(other, fixed) else { continue };
            let both: Changed = change(place, fixed).into_iter().chain([theirs]).collect();
            if errors_after(both, job)? > before
                && let (Some(slot), Some(other)) = (fixed.get_mut(other), jobs.get(other))
            {
                *slot = None;
                told(other, job)?;
            }
        }
    }
    drop(ManuallyDrop::into_inner(all));
    Ok(())
}

/// Writes the text after the fixes, unless somebody else wrote the file meanwhile.
pub(crate) fn replace(path: &Path, fixed: &Fixed) -> Result<(), Failure> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    let now = files::read(path).map_err(|unread| Failure::unread(&shown, &unread))?;
    if now != fixed.before.as_bytes() {
        return Err(Failure::Environment(format!("{shown} was changed meanwhile, and stays as it is")));
    }
    files::replace(path, &fixed.after).map_err(|error| Failure::writing(&shown, &error))
}
