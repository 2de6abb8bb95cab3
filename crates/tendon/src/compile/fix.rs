//! Fixes of findings, made in files.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::path::Path;

use bicep::files::SourceFile;
use bicep::fixes::{self, FixSafety, Fixed, errors};
use bicep::{Compiler, Dialect, FilePath, Finding};
use diagnostics::printable;

use super::disk::FileOverrides;
use super::{CompileOptions, Job};
use crate::exit::CommandError;
use crate::files;
use crate::output_file::OutputFile;

/// The byte order mark of UTF-8.
const MARK: &str = "\u{feff}";

/// Makes the fixes of a file that are no less safe than `least`, round by round, until none is left. None if
/// there is nothing to mend, or if the file cannot be read.
pub(crate) fn fixed(path: &FilePath, compiler: &Compiler, least: FixSafety) -> Option<Fixed> {
    let source = compiler.file(path).ok()?;
    let SourceFile::Bicep(file) = &*source else { return None };
    let (text, bytes) = (file.tree.text(), compiler.world().read(path).ok()?);
    // The mark that some editors begin files with may be no part of the text, and stays.
    let mark = if bytes.starts_with(MARK.as_bytes()) && !text.starts_with(MARK) { MARK } else { "" };
    // What is not written back as it was read stays as it is.
    if bytes.strip_prefix(mark.as_bytes()) != Some(text.as_bytes()) {
        return None;
    }
    let fixed = fixes::all(compiler, path, |compiler| findings(compiler, path, least))?;
    let marked = |text: &str| format!("{mark}{text}");
    Some(Fixed { before: marked(&fixed.before).into(), after: marked(&fixed.after), ..fixed })
}

/// What is found in one file and has a fix that is safe enough.
fn findings(compiler: &Compiler, path: &FilePath, least: FixSafety) -> Vec<Finding> {
    let all = compiler.compile(path).findings;
    let own = all.iter().filter(|(file, _)| file == path);
    own.flat_map(|(_, found)| found.iter()).filter(|it| is_fixed(it, least)).cloned().collect()
}

/// Whether a finding has a fix that is safe enough.
fn is_fixed(finding: &Finding, least: FixSafety) -> bool {
    !finding.fixes.is_empty() && finding.fix_safety() <= least
}

/// How many findings of a file have fixes that are made only if unsafe ones are wanted.
pub(crate) fn count_unsafe(path: &FilePath, compiler: &Compiler) -> usize {
    let found = findings(compiler, path, FixSafety::Unsafe);
    found.iter().filter(|it| it.fix_safety() == FixSafety::Unsafe).count()
}

/// Takes back the fixes of files that others of the same run would have errors after: a parameter that a file does not use can be given
/// by another one. `told` hears of each file that stays as it is, and of the one that needs it so.
pub(crate) fn revert_breaking_fixes(
    jobs: &[Job],
    fixed: &mut [Option<Fixed>],
    compiler: &Compiler,
    options: &CompileOptions,
    dialect: Dialect,
    mut told: impl FnMut(&Job, &Job) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let places: BTreeMap<&FilePath, usize> =
        jobs.iter().enumerate().map(|(place, job)| (&job.path, place)).collect();
    loop {
        let changed: FileOverrides = (jobs.iter().zip(&*fixed))
            .filter_map(|(job, fixed)| Some((job.path.clone(), fixed.as_ref()?.after.as_bytes().into())))
            .collect();
        let all = options.compiler(changed, dialect)?;
        let mut is_settled = true;
        for (place, job) in jobs.iter().enumerate() {
            // Only fixes of files that it needs can harm it, and few of a long list of files are such.
            let needed = compiler.needed(&job.path);
            let needed = needed.iter().filter_map(|path| places.get(path).copied());
            let is_changed = |other: &usize| *other != place && matches!(fixed.get(*other), Some(Some(_)));
            let others: Vec<usize> = needed.filter(is_changed).collect();
            let before = errors(compiler, &job.path);
            if others.is_empty() || errors(&all, &job.path) <= before {
                continue;
            }
            for other in harmful(place, &others, jobs, fixed, compiler, before) {
                if let (Some(slot), Some(other)) = (fixed.get_mut(other), jobs.get(other)) {
                    *slot = None;
                    is_settled = false;
                    told(other, job)?;
                }
            }
        }
        drop(ManuallyDrop::into_inner(all));
        // A file goes well with the fixes of all others, which says little about those of some of them. Each round
        // takes fixes back, so that there is a last one.
        if is_settled {
            return Ok(());
        }
    }
}

/// Which of the changed files that a file needs bring it errors: those that do so alone, or else all.
fn harmful(
    place: usize,
    others: &[usize],
    jobs: &[Job],
    fixed: &[Option<Fixed>],
    compiler: &Compiler,
    before: usize,
) -> Vec<usize> {
    let after = |place: usize| {
        let (job, fixed) = (jobs.get(place)?, fixed.get(place)?.as_ref()?);
        Some((&job.path, fixed.after.as_str()))
    };
    let Some(job) = jobs.get(place) else { return Vec::new() };
    let own = after(place).map(|(path, text)| compiler.with_text(path, text));
    let own = own.as_ref().unwrap_or(compiler);
    let is_harmful = |other: usize| {
        after(other).is_some_and(|(path, text)| errors(&own.with_text(path, text), &job.path) > before)
    };
    let alone: Vec<usize> = others.iter().copied().filter(|other| is_harmful(*other)).collect();
    if alone.is_empty() { others.to_vec() } else { alone }
}

/// Writes the text after the fixes, unless somebody else wrote the file meanwhile.
pub(crate) fn replace(path: &Path, fixed: &Fixed) -> Result<(), CommandError> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    let now = files::read(path).map_err(|unread| CommandError::unread(&shown, &unread))?;
    if now != fixed.before.as_bytes() {
        return Err(CommandError::Environment(format!("{shown} was changed meanwhile, and stays as it is")));
    }
    OutputFile::at(path)
        .in_place()
        .write(fixed.after.as_bytes())
        .map_err(|error| CommandError::writing(&shown, &error))
}
