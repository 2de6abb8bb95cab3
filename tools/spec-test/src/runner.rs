//! The test binary: finds documents, makes one libtest case of each section, reports and updates.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::document::{Case, Document, SpecError};
use crate::outcome::CaseOutput;
use crate::rewrite::rewrite;
use crate::verdict::judge;

/// The environment variable that makes a run write the actual outputs into the documents.
const UPDATE: &str = "TENDON_UPDATE";

/// Runs every section of every Markdown file under a folder as a test, and takes the same arguments as a test
/// binary made by `rustc --test`. The folder is relative to the package, where `cargo test` starts its binaries.
///
/// With `TENDON_UPDATE=1` in the environment, the expectation blocks of the sections that run are rewritten with
/// the actual outputs; diagnostics and their assertions are never rewritten.
pub fn main(folder: impl AsRef<Path>, run: impl Fn(&Case) -> CaseOutput + Send + Sync + 'static) -> ExitCode {
    run_all(|update| collect(folder.as_ref(), "", update, &Arc::new(run)))
}

/// Runs a case and says what came of it.
pub type CaseRunner = fn(&Case) -> CaseOutput;

/// The same for several folders in one program, because each program is linked anew after every edit. The names of tests
/// begin with that of their folder.
pub fn main_of(folders: &[(&str, CaseRunner)]) -> ExitCode {
    let in_folder = |(folder, run): &(&str, CaseRunner), update| {
        let folder = Path::new(folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        collect(folder, &format!("{name}/"), update, &Arc::new(*run))
    };
    run_all(|update| folders.iter().flat_map(|folder| in_folder(folder, update)).collect())
}

fn run_all(trials: impl FnOnce(bool) -> Vec<Trial>) -> ExitCode {
    let arguments = Arguments::from_args();
    let update = std::env::var_os(UPDATE).is_some_and(|value| value == "1");
    libtest_mimic::run(&arguments, trials(update)).exit_code()
}

fn collect<R>(folder: &Path, prefix: &str, update: bool, run: &Arc<R>) -> Vec<Trial>
where
    R: Fn(&Case) -> CaseOutput + Send + Sync + 'static,
{
    let paths = match markdown_files(folder) {
        Ok(paths) => paths,
        Err(error) => return vec![broken(&folder.display().to_string(), error.to_string())],
    };
    if paths.is_empty() {
        let name = folder.display().to_string();
        let message = format!("no Markdown file in `{name}`");
        return vec![broken(&name, message)];
    }
    let mut trials = Vec::new();
    for path in paths {
        let name = format!("{prefix}{}", path.strip_prefix(folder).unwrap_or(&path).display());
        match read(&path).map(|text| Document::parse(&text)) {
            Ok(Ok(document)) => {
                let path = Arc::new(path);
                trials.extend(document.cases.into_iter().map(|case| {
                    let (path, run) = (Arc::clone(&path), Arc::clone(run));
                    Trial::test(format!("{name}: {}", case.name), move || {
                        execute(&path, &case, update, run.as_ref())
                    })
                }));
            }
            Ok(Err(problems)) => trials.push(broken(&name, report(&path, &problems))),
            Err(error) => trials.push(broken(&name, format!("{}: {error}", path.display()))),
        }
    }
    trials
}

fn execute(path: &Path, case: &Case, update: bool, run: &dyn Fn(&Case) -> CaseOutput) -> Result<(), Failed> {
    let outcome = run(case);
    let mut problems = judge(case, &outcome);
    if problems.is_empty() {
        return Ok(());
    }
    if update {
        let updated = update_document(path, case, &outcome).map_err(|error| report_error(path, &error))?;
        // What is left after the update is what an update cannot mend.
        problems = updated.map_or_else(|problems| problems, |case| judge(&case, &outcome));
        if problems.is_empty() {
            return Ok(());
        }
    }
    let mut text = report(path, &problems);
    if !update && problems.iter().any(|problem| problem.message.starts_with("output `")) {
        text.push_str("\n\nset TENDON_UPDATE=1 to write the actual output into the document");
    }
    Err(text.into())
}

/// A test that fails because its document or folder cannot be used.
fn broken(name: &str, message: String) -> Trial {
    Trial::test(name, move || Err(message.into()))
}

fn report(path: &Path, problems: &[SpecError]) -> String {
    let lines: Vec<String> = problems.iter().map(|problem| format!("{}:{problem}", path.display())).collect();
    lines.join("\n")
}

fn report_error(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Rewrites a document under a lock, since cases run side by side, in threads or in processes of their own.
fn update_document(
    path: &Path,
    case: &Case,
    outcome: &CaseOutput,
) -> io::Result<Result<Case, Vec<SpecError>>> {
    let mut file = File::options().read(true).write(true).open(path)?;
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let written = match rewrite(&text, &case.name, outcome) {
        Ok(written) => written,
        Err(problems) => return Ok(Err(problems)),
    };
    if written != text {
        file.rewind()?;
        file.write_all(written.as_bytes())?;
        file.set_len(written.len() as u64)?;
    }
    let cases = Document::parse(&written).map(|document| document.cases);
    Ok(cases
        .map(|cases| cases.into_iter().find(|other| other.name == case.name).unwrap_or_else(|| case.clone())))
}

fn read(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.lock_shared()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// All Markdown files below a folder, sorted by path.
fn markdown_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot list `{}`: {error}", next.display()))
        })?;
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            // A link is not followed, so a folder is never visited twice.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new("md")) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = "# Right\n\n```text\nhello\n```\n\n```output\nHELLO\n```\n";
    const WRONG: &str = "# Wrong\n\n```text\nhello\n```\n\n```output\nGOODBYE\n```\n";

    #[test]
    fn a_document_that_holds_passes() {
        let folder = Folder::with("holds", &[("a.md", RIGHT)]);
        assert_eq!(folder.run(false), (1, 0));
    }

    #[test]
    fn a_wrong_expectation_fails_and_names_its_place_and_the_remedy() {
        let folder = Folder::with("wrong", &[("deep/a.md", WRONG), ("b.md", RIGHT)]);
        assert_eq!(folder.run(false), (1, 1));
        let log = folder.log();
        for part in
            ["deep/a.md: Wrong", "a.md:8: output `output` differs", "-GOODBYE", "+HELLO", "TENDON_UPDATE=1"]
        {
            assert!(log.contains(part), "`{part}` is not in:\n{log}");
        }
        assert_eq!(folder.read("deep/a.md"), WRONG, "without an update the document stays as it is");
    }

    #[test]
    fn an_update_passes_and_rewrites_the_document() {
        let folder = Folder::with("update", &[("a.md", WRONG)]);
        assert_eq!(folder.run(true), (1, 0));
        assert_eq!(folder.read("a.md"), WRONG.replace("GOODBYE", "HELLO"));
        assert_eq!(folder.run(false), (1, 0));
    }

    #[test]
    fn an_update_of_many_cases_side_by_side_loses_none() {
        let section = |number: usize, output: &str| {
            format!("# Case {number}\n\n```text\nv{number}\n```\n\n```output\n{output}\n```\n\n")
        };
        let before: String = (0..40).map(|number| section(number, "?")).collect();
        let after: String = (0..40).map(|number| section(number, &format!("V{number}"))).collect();
        let folder = Folder::with("many", &[("a.md", &before)]);
        assert_eq!(folder.run(true), (40, 0));
        assert_eq!(folder.read("a.md"), after);
    }

    #[test]
    fn an_update_does_not_hide_an_output_that_is_never_made() {
        let text = WRONG.replace("```output", "```output tree");
        let folder = Folder::with("unmade", &[("a.md", &text)]);
        assert_eq!(folder.run(true), (0, 1));
        assert_eq!(folder.read("a.md"), text);
    }

    #[test]
    fn a_malformed_document_is_one_failed_test_and_the_others_still_run() {
        let folder = Folder::with("malformed", &[("a.md", "# A\n\n```json\n{}\n"), ("b.md", RIGHT)]);
        assert_eq!(folder.run(false), (1, 1));
        assert!(folder.log().contains("a.md:3: the block opened here is never closed"), "{}", folder.log());
    }

    #[test]
    fn a_folder_without_documents_fails() {
        assert_eq!(Folder::with("empty", &[("readme.txt", "")]).run(false), (0, 1));
        let missing = Folder::with("missing", &[]);
        fs::remove_dir_all(&missing.path).unwrap();
        let trials = collect(&missing.path, "", false, &Arc::new(shout));
        assert_eq!(trials.len(), 1);
    }

    #[test]
    fn tests_of_several_folders_are_told_apart_by_their_names() {
        let folder = Folder::with("told-apart", &[("a.md", WRONG)]);
        let arguments = Arguments {
            logfile: Some(folder.path.join("log").display().to_string()),
            ..Arguments::default()
        };
        let trials = collect(&folder.path, "programs/", false, &Arc::new(shout));
        assert_eq!(libtest_mimic::run(&arguments, trials).num_failed, 1);
        assert!(folder.log().contains("programs/a.md: Wrong"), "{}", folder.log());
    }

    #[test]
    fn a_runner_that_checks_nothing_fails() {
        let folder = Folder::with("nothing", &[("a.md", "# A\n\n```json\n{}\n```\n")]);
        assert_eq!(folder.run(false), (0, 1));
        assert!(folder.log().contains("nothing is expected"), "{}", folder.log());
    }

    fn shout(case: &Case) -> CaseOutput {
        case.file("main.text")
            .map_or_else(CaseOutput::new, |file| CaseOutput::new().output("output", file.text.to_uppercase()))
    }

    /// A folder of documents that goes away with the test.
    struct Folder {
        path: PathBuf,
    }

    impl Folder {
        fn with(name: &str, documents: &[(&str, &str)]) -> Folder {
            let path = std::env::temp_dir().join(format!("tendon-spec-test-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            for (name, text) in documents {
                let file = path.join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            Folder { path }
        }

        /// Runs the documents and returns how many cases passed and failed.
        fn run(&self, update: bool) -> (u64, u64) {
            let arguments = Arguments {
                test_threads: Some(4),
                logfile: Some(self.path.join("log").display().to_string()),
                ..Arguments::default()
            };
            let conclusion =
                libtest_mimic::run(&arguments, collect(&self.path, "", update, &Arc::new(shout)));
            (conclusion.num_passed, conclusion.num_failed)
        }

        fn log(&self) -> String {
            self.read("log")
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.path.join(name)).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.path).ok();
        }
    }
}
