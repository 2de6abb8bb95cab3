//! Which files are meant, and where their results go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bicep::FilePath;

use super::disk::file_path;
use super::folders::{LintLanguage, files_below};
use super::glob::Glob;
use crate::exit::CommandError;
use crate::input;

/// The files of a command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Selection {
    /// The files; `lint` and `format` take folders, too, and look at what is in them
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Take all files that match, such as `'modules/**/main.bicep'`; quote it, so that the shell leaves it alone
    #[arg(long, value_name = "GLOB", conflicts_with = "files")]
    pattern: Option<String>,
}

/// Where results go: beside the sources, unless one of these is given.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct OutputOptions {
    /// Print the result; for one file
    #[arg(long, conflicts_with_all = ["outdir", "outfile", "pattern"])]
    pub(crate) stdout: bool,

    /// Write results to a folder; with a pattern, folders below its fixed part are kept
    #[arg(long, value_name = "DIR", conflicts_with = "outfile")]
    outdir: Option<PathBuf>,

    /// Write the result to a file; for one file
    #[arg(long, value_name = "FILE", conflicts_with = "pattern")]
    outfile: Option<PathBuf>,
}

/// The kinds of files that commands take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceFilter {
    Program,
    Parameters,
    /// Both, and files of tests.
    Either,
}

impl SourceFilter {
    fn extensions(self) -> &'static [&'static str] {
        match self {
            SourceFilter::Program => &["bicep"],
            SourceFilter::Parameters => &["bicepparam"],
            SourceFilter::Either => &["bicep", "bicepparam", "biceptest"],
        }
    }
}

/// What is done with files of every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanguageUse {
    Lint,
    Format,
}

impl LanguageUse {
    fn word(self) -> &'static str {
        match self {
            LanguageUse::Lint => "linted",
            LanguageUse::Format => "formatted",
        }
    }
}

/// One file to compile.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The file, as the compiler knows it.
    pub(crate) path: FilePath,
    /// The file, as it was named.
    pub(crate) named: PathBuf,
    /// Where the result goes, unless it is printed or there is none.
    pub(crate) output: Option<PathBuf>,
}

impl Selection {
    /// The files, in order; `output` says where results go, if there are any.
    pub(crate) fn jobs(
        &self,
        kind: SourceFilter,
        output: Option<&OutputOptions>,
    ) -> Result<Vec<Job>, CommandError> {
        let glob = self.pattern.as_deref().map(Glob::new);
        let files: Vec<PathBuf> = match kind {
            SourceFilter::Either => self.files_in_folders(&|path| is_source(path, kind))?,
            SourceFilter::Program | SourceFilter::Parameters => self.all(None)?,
        }
        .into_iter()
        .map(|it| it.path)
        .collect();
        if let Some(several) = output.filter(|_| files.len() > 1 && glob.is_none()) {
            let option = if several.stdout { "--stdout" } else { "--outfile" };
            if several.stdout || several.outfile.is_some() {
                return Err(CommandError::Usage(format!(
                    "`{option}` is for one file, and {} are named",
                    files.len()
                )));
            }
        }
        let root = glob.as_ref().map(|glob| glob.root.as_path());
        jobs_of(files, kind, |named| output.and_then(|output| output.target(named, root)))
    }

    /// The files that are meant, of every language: those of Bicep as jobs, and the others.
    pub(crate) fn of_every_language(
        &self,
        use_of: LanguageUse,
    ) -> Result<(Vec<Job>, Vec<SelectedFile>), CommandError> {
        let mut all = self.files_in_folders(&|path| LintLanguage::of_name(path.as_os_str()).is_some())?;
        // A pattern may match what is of no language; what is named has to be of one.
        all.retain(|it| it.is_named || LintLanguage::of_name(it.path.as_os_str()).is_some());
        let is_bicep = |path: &Path| LintLanguage::of_name(path.as_os_str()) == Some(LintLanguage::Bicep);
        let (programs, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| is_bicep(&it.path));
        for it in &others {
            if LintLanguage::of_name(it.path.as_os_str()).is_none() {
                let shown = input::display_name(it.path.as_os_str());
                if it.path.as_os_str() == input::STANDARD_INPUT {
                    check_name(&it.path, SourceFilter::Either)?;
                }
                missing(&it.path)?;
                return Err(CommandError::Usage(format!(
                    "`{shown}` is of no language that can be {}; those end with `.bicep`, `.bicepparam`, `.biceptest`, `.thrift`, `.json`, `.jsonc`, `.yaml` or `.yml`",
                    use_of.word()
                )));
            }
        }
        let programs = programs.into_iter().map(|it| it.path).collect();
        Ok((jobs_of(programs, SourceFilter::Either, |_| None)?, others))
    }

    /// Whether folders or a pattern say which files are meant, so that there may be none.
    pub(crate) fn is_search(&self) -> bool {
        self.pattern.is_some() || self.files.iter().any(|file| file.is_dir())
    }

    /// Whether a pattern says which files are meant.
    pub(crate) fn is_pattern(&self) -> bool {
        self.pattern.is_some()
    }

    /// The files, those of folders in the place of the folders.
    fn files_in_folders(&self, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<SelectedFile>, CommandError> {
        self.all(Some(is_wanted))
    }

    /// The files; `is_wanted` says which ones of a folder, where a folder may be named.
    fn all(&self, is_wanted: Option<&dyn Fn(&Path) -> bool>) -> Result<Vec<SelectedFile>, CommandError> {
        let found =
            |paths: Vec<PathBuf>| paths.into_iter().map(|path| SelectedFile { path, is_named: false });
        if let Some(pattern) = &self.pattern {
            let failed = |error| CommandError::reading(&format!("the folders of `{pattern}`"), &error);
            return Ok(found(Glob::new(pattern).files().map_err(failed)?).collect());
        }
        if self.files.is_empty() {
            let message = "name the files, or give a `--pattern` of their names";
            return Err(CommandError::Usage(message.to_owned()));
        }
        let mut all = Vec::with_capacity(self.files.len());
        for named in &self.files {
            match is_wanted.filter(|_| named.is_dir()) {
                Some(is_wanted) => all.extend(found(files_below(named, is_wanted)?)),
                None => all.push(SelectedFile { path: named.clone(), is_named: true }),
            }
        }
        // A file may be named and be in a folder that is named as well.
        let mut seen = BTreeSet::new();
        all.retain(|it| it.is_named || seen.insert(it.path.clone()));
        Ok(all)
    }
}

/// A file that is meant.
pub(crate) struct SelectedFile {
    pub(crate) path: PathBuf,
    /// Whether it was named itself, and not found in a folder or by a pattern.
    pub(crate) is_named: bool,
}

/// The jobs of files; `target` says where the result of one goes.
fn jobs_of(
    files: Vec<PathBuf>,
    kind: SourceFilter,
    target: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<Vec<Job>, CommandError> {
    let mut jobs = Vec::with_capacity(files.len());
    let mut targets = BTreeSet::new();
    for named in files {
        check_name(&named, kind)?;
        let target = target(&named);
        if let Some(target) = &target
            && !targets.insert(target.clone())
        {
            let message = format!("two results would be written to `{}`", target.display());
            return Err(CommandError::Usage(message));
        }
        jobs.push(Job { path: file_path(&named), output: target, named });
    }
    Ok(jobs)
}

/// The files of jobs, as the compiler knows them.
pub(crate) fn paths(jobs: &[Job]) -> Vec<FilePath> {
    jobs.iter().map(|job| job.path.clone()).collect()
}

/// Whether a file's name ends as those of a kind do.
fn is_source(path: &Path, kind: SourceFilter) -> bool {
    input::extension(path.as_os_str()).is_some_and(|it| kind.extensions().contains(&it.as_str()))
}

/// Says of a file that does not exist that it does not, before anything is said of its name.
fn missing(path: &Path) -> Result<(), CommandError> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(CommandError::reading(&format!("`{}`", input::display_name(path.as_os_str())), &error))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Tells whether a file can be of a kind.
pub(crate) fn check_name(path: &Path, kind: SourceFilter) -> Result<(), CommandError> {
    let shown = input::display_name(path.as_os_str());
    if path.as_os_str() == "-" {
        let message = "standard input is not read here, because a program refers to files beside its own; write it to a file, and name that";
        return Err(CommandError::Usage(message.to_owned()));
    }
    if path.to_str().is_none() {
        return Err(CommandError::Usage(format!(
            "the name `{shown}` is not UTF-8, which paths in Bicep are"
        )));
    }
    if cfg!(unix) && shown.contains('\\') {
        let message = format!("the name `{shown}` holds `\\`, which separates folders in Bicep; use `/`");
        return Err(CommandError::Usage(message));
    }
    let extension = input::extension(path.as_os_str()).unwrap_or_default();
    if kind.extensions().contains(&extension.as_str()) {
        return Ok(());
    }
    if kind == SourceFilter::Either {
        missing(path)?;
    }
    let wanted: Vec<String> = kind.extensions().iter().map(|extension| format!("`.{extension}`")).collect();
    let hint = match (kind, extension.as_str()) {
        (SourceFilter::Program, "bicepparam") => "; `build-params` is for parameters files",
        (SourceFilter::Parameters, "bicep") => "; `build` is for programs",
        _ => "",
    };
    Err(CommandError::Usage(format!("`{shown}` does not end with {}{hint}", text_of_choices(&wanted))))
}

/// Words with commas, and `or` before the last one.
fn text_of_choices(words: &[String]) -> String {
    match words {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

impl OutputOptions {
    fn target(&self, source: &Path, root: Option<&Path>) -> Option<PathBuf> {
        if self.stdout {
            return None;
        }
        if let Some(file) = &self.outfile {
            return Some(file.clone());
        }
        let Some(folder) = &self.outdir else { return Some(source.with_extension("json")) };
        let below = root.and_then(|root| source.strip_prefix(root).ok());
        let name = below.map(Path::to_owned).or_else(|| source.file_name().map(PathBuf::from));
        Some(folder.join(name.unwrap_or_default()).with_extension("json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(outdir: Option<&str>, source: &str, root: Option<&str>, expect: &str) {
        let options = OutputOptions { outdir: outdir.map(PathBuf::from), ..OutputOptions::default() };
        assert_eq!(options.target(Path::new(source), root.map(Path::new)), Some(PathBuf::from(expect)));
    }

    #[test]
    fn a_result_is_named_after_its_source() {
        check(None, "a/main.bicep", None, "a/main.json");
        check(Some("out"), "a/main.bicep", None, "out/main.json");
        check(Some("out"), "a/b/main.bicep", Some("a"), "out/b/main.json");
        check(Some("out"), "a.test.bicep", None, "out/a.test.json");
    }
}
