//! The project that a file belongs to: the folder that has its state and its settings.

mod settings;

use std::path::{Path, PathBuf};

use crate::compile::disk;
use crate::exit::CommandError;
use crate::input;

pub(crate) use settings::ProjectSettings;

/// The folder in a project that has its state.
const STATE: &str = ".tendon";

/// What a folder has that is a project: its configuration, its state, or the root of what is under version control.
const MARKS: [&str; 6] = ["bicepconfig.json", STATE, ".git", ".hg", ".jj", ".svn"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Project {
    root: PathBuf,
}

impl Project {
    /// The project of a file; of the working directory without one.
    pub(crate) fn of(file: Option<&Path>) -> Project {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let file = file.filter(|file| file.as_os_str() != input::STANDARD_INPUT);
        let folder = match file.map(absolute).as_deref().map(Path::parent) {
            Some(Some(folder)) => folder.to_owned(),
            Some(None) | None => absolute(Path::new(".")),
        };
        // What a path goes through counts, not what it says: `a/../main.bicep` is not in `a`.
        let folder = std::fs::canonicalize(&folder).unwrap_or(folder);
        let root = folder.ancestors().find(|folder| is_marked(folder));
        Project { root: root.unwrap_or(&folder).to_owned() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder with its state, which may not be there, if its settings name no other one.
    pub(crate) fn state_folder(&self) -> PathBuf {
        self.root.join(STATE)
    }

    /// What it says where the command line says nothing.
    pub(crate) fn settings(&self) -> Result<ProjectSettings, CommandError> {
        ProjectSettings::read(&self.root)
    }
}

/// The nearest file of a name, beside a file or in a folder above it; shown from the working directory if that is above it, too.
pub(crate) fn nearest(name: &str, file: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(file).ok()?;
    let folder = std::fs::canonicalize(absolute.parent()?).ok()?;
    let found =
        folder.ancestors().find(|folder| folder.join(name).is_file() && !is_public(folder))?.join(name);
    let here = std::fs::canonicalize(".").ok();
    let shown = here.and_then(|here| found.strip_prefix(here).ok().map(Path::to_owned));
    Some(shown.unwrap_or(found))
}

/// Whether a folder is the root of a project. One that everybody may write to is nobody's: what is in it may be somebody else's.
fn is_marked(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists()) && !is_public(folder)
}

#[cfg(unix)]
fn is_public(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(folder).is_ok_and(|about| about.permissions().mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn is_public(_: &Path) -> bool {
    false
}

/// The folder that earlier versions kept the state of all projects in.
pub(crate) fn earlier_state() -> Option<PathBuf> {
    disk::data_folder()
}
