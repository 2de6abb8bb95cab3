//! Which files are meant, and where their results go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bicep::FilePath;

use super::disk::file_path;
use super::glob::Glob;
use crate::exit::CommandError;
use crate::input;

/// The files of a command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Selection {
    /// The files
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
    /// Programs.
    Program,
    /// Parameters files.
    Parameters,
    /// Both.
    Either,
}

impl SourceFilter {
    fn extensions(self) -> &'static [&'static str] {
        match self {
            SourceFilter::Program => &["bicep"],
            SourceFilter::Parameters => &["bicepparam"],
            SourceFilter::Either => &["bicep", "bicepparam"],
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
        let files = match (&glob, &self.pattern) {
            (Some(glob), Some(pattern)) => {
                let failed = |error| CommandError::reading(&format!("the folders of `{pattern}`"), &error);
                glob.files().map_err(failed)?
            }
            _ if self.files.is_empty() => {
                return Err(CommandError::Usage(
                    "name the files, or give a `--pattern` of their names".to_owned(),
                ));
            }
            _ => self.files.clone(),
        };
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
        let mut jobs = Vec::with_capacity(files.len());
        let mut targets = BTreeSet::new();
        for named in files {
            check_name(&named, kind)?;
            let target = output.and_then(|output| output.target(&named, root));
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
}

/// The files of jobs, as the compiler knows them.
pub(crate) fn paths(jobs: &[Job]) -> Vec<FilePath> {
    jobs.iter().map(|job| job.path.clone()).collect()
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
    let wanted: Vec<String> = kind.extensions().iter().map(|extension| format!("`.{extension}`")).collect();
    let hint = match (kind, extension.as_str()) {
        (SourceFilter::Program, "bicepparam") => "; `build-params` is for parameters files",
        (SourceFilter::Parameters, "bicep") => "; `build` is for programs",
        _ => "",
    };
    Err(CommandError::Usage(format!("`{shown}` does not end with {}{hint}", wanted.join(" or "))))
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
