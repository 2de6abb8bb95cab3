//! Which tests of which files are run, and on how many threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use bicep::FilePath;

use crate::file_run::{self, CaseId, FileRun};
use crate::outcome::{FileOutcome, TestRun, TestStatus};
use crate::session::{Session, SnapshotWrites};
use crate::threads::parallel;
use crate::upstream;

/// A text in which `*` stands for anything, as a part of another one.
fn contains(text: &str, wanted: &str) -> bool {
    let mut rest = text;
    for part in wanted.split('*').filter(|part| !part.is_empty()) {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

impl Session<'_> {
    pub(crate) fn is_wanted(&self, id: &str) -> bool {
        let (filters, only) = (&self.options.filters, &self.options.only);
        let is_of = |wanted: &String| {
            id.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        if !only.is_empty() && !only.iter().any(is_of) {
            return false;
        }
        filters.is_empty() || filters.iter().any(|wanted| contains(id, wanted))
    }

    /// Whether a test is in the part that is run, by its place among all that are wanted.
    fn is_in_shard(&self, place: usize) -> bool {
        self.options.shard.is_none_or(|(number, of)| of == 0 || place % of == number.saturating_sub(1))
    }
}

/// A file, and the tests of it that are run.
struct Selected<'s> {
    file: FileRun<'s>,
    wanted: Vec<CaseId>,
}

/// The files with their tests, as far as they are wanted, and how many were wanted before the run was divided.
fn select<'s>(
    session: &'s Session<'s>,
    files: &[FilePath],
) -> (Vec<Result<Selected<'s>, FileOutcome>>, usize) {
    let read: Vec<OnceLock<Result<FileRun<'s>, FileOutcome>>> =
        files.iter().map(|_| OnceLock::new()).collect();
    let both: Vec<_> = files.iter().zip(&read).collect();
    parallel(session.options.jobs, &both, |(path, cell)| {
        let made = match is_program(path) {
            // Its tests are few, and each is evaluated once.
            true => Err(upstream::run_program(session, path)),
            false => file_run::read(session, path),
        };
        if let Ok(file) = &made {
            // Bodies are evaluated here, side by side.
            file.ids();
        }
        drop(cell.set(made));
    });
    let (mut all, mut count) = (Vec::new(), 0);
    for made in read.into_iter().filter_map(OnceLock::into_inner) {
        all.push(match made {
            Ok(file) => {
                let mut wanted = Vec::new();
                for id in file.ids().into_iter().filter(|id| session.is_wanted(&id.id)) {
                    if session.is_in_shard(count) {
                        wanted.push(id);
                    }
                    count += 1;
                }
                Ok(Selected { file, wanted })
            }
            Err(mut outcome) => {
                outcome.tests.retain(|test| session.is_wanted(&test.id));
                let first = count;
                count += outcome.tests.len();
                let mut place = first;
                outcome.tests.retain(|_| {
                    place += 1;
                    session.is_in_shard(place - 1)
                });
                Err(outcome)
            }
        });
    }
    (all, count)
}

/// The ids of the tests that would be run; what is wrong with files that have errors.
pub fn listed(session: &Session<'_>, files: &[FilePath]) -> (Vec<String>, Vec<FileOutcome>) {
    let (selected, _) = select(session, files);
    let (mut ids, mut broken) = (Vec::new(), Vec::new());
    for file in selected {
        match file {
            Ok(selected) => {
                let errors = selected.file.errors();
                if !errors.errors.is_empty() {
                    broken.push(errors.clone());
                }
                ids.extend(selected.wanted.into_iter().map(|id| id.id));
            }
            Err(outcome) => broken.push(outcome),
        }
    }
    (ids, broken)
}

/// Runs the tests of files, and says how many were wanted.
pub fn run(session: &Session<'_>, files: &[FilePath]) -> Result<(TestRun, usize), String> {
    let began = Instant::now();
    let (selected, count) = select(session, files);
    let options = &session.options;
    let is_over = AtomicBool::new(false);
    let results: Vec<Mutex<FileOutcome>> = selected.iter().map(|_| Mutex::default()).collect();
    let failure: Mutex<Option<String>> = Mutex::default();
    let both: Vec<_> = selected.iter().zip(&results).collect();
    // Files side by side if there are many; else the cases in them.
    // Whoever is asked is asked about one file after the other.
    let is_in_order = options.fail_fast || options.snapshots == SnapshotWrites::Accepted;
    let (outer, inner) = match is_in_order {
        true => (1, options.jobs),
        false if files.len() >= options.jobs * 2 => (options.jobs, 1),
        false => (1, options.jobs),
    };
    parallel(outer, &both, |(selected, result)| {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let outcome = match selected {
            Err(outcome) => {
                if options.fail_fast {
                    is_over.store(true, Ordering::Relaxed);
                }
                outcome.clone()
            }
            Ok(selected) => {
                let mut outcome = run_file(session, selected, inner);
                if options.fail_fast && outcome.tests.iter().any(|test| test.status == TestStatus::Failed) {
                    is_over.store(true, Ordering::Relaxed);
                }
                if options.snapshots != SnapshotWrites::None
                    && let Err(why) = selected.file.update_snapshots(&mut outcome, options.snapshots)
                {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
                }
                outcome
            }
        };
        *result.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
    });
    if let Some(why) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(why);
    }
    let files = results.into_iter().map(|it| it.into_inner().unwrap_or_else(PoisonError::into_inner));
    // Files that were not come to, and those without a test that is wanted, are not told.
    let files = files.filter(|file| !file.tests.is_empty() || !file.errors.is_empty()).collect();
    Ok((TestRun::new(files, began.elapsed().as_secs_f64()), count))
}

fn is_program(path: &FilePath) -> bool {
    path.extension().eq_ignore_ascii_case(".bicep")
}

fn run_file(session: &Session<'_>, selected: &Selected<'_>, jobs: usize) -> FileOutcome {
    let Selected { file, wanted } = selected;
    let mut outcome = FileOutcome { file: file.name().to_owned(), ..file.errors().clone() };
    if session.options.fail_fast {
        // In rounds, so that the first failure in order is the last test that is told.
        for round in wanted.chunks(jobs.max(1)) {
            file.run_all(round, jobs);
            for id in round {
                let test = file.outcome(id);
                let failed = test.status == TestStatus::Failed;
                outcome.tests.push(test);
                if failed {
                    return outcome;
                }
            }
        }
        return outcome;
    }
    file.run_all(wanted, jobs);
    let cells: Vec<OnceLock<_>> = wanted.iter().map(|_| OnceLock::new()).collect();
    let both: Vec<_> = wanted.iter().zip(&cells).collect();
    parallel(jobs, &both, |(id, cell)| drop(cell.set(file.outcome(id))));
    outcome.tests = cells.into_iter().filter_map(OnceLock::into_inner).collect();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(contains("a.biceptest::sizes[small]", "sizes"));
        assert!(contains("a.biceptest::sizes[small]", "a.*::*[small]"));
        assert!(contains("anything", "") && contains("anything", "*"));
        assert!(!contains("a.biceptest::sizes[small]", "small*sizes"));
    }
}
