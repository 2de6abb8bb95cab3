//! The one writer of files: a result appears whole or not at all, and only where it was named.
//!
//! A regular file is written as a draft in the folder of the result and renamed, so a full disk or a kill leaves the old content. A
//! device, a pipe and what `/dev/stdout` names are written through and never replaced. A link stays a link; the file it names is
//! replaced. A file that this process read as input is not replaced, unless the command says that it works in place. A kill in the
//! middle can leave a draft: a file `.tendon-*.new` next to the result.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::files;
use crate::input;
use crate::state_files;

/// Links that are followed on the way to a result; longer chains are circles.
const LONGEST_CHAIN: usize = 40;

/// Folders whose files name what the process has open, or are the system's.
const OPEN_FILES: [&str; 2] = ["/proc", "/sys"];

/// What names standard output.
const STANDARD_OUTPUT: &str = "/dev/stdout";

/// The folder of devices, where no file is made.
const DEVICES: &str = "/dev";

/// A file that is to be written, and what may be there already.
#[derive(Clone, Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    is_private: bool,
    is_new: bool,
    is_in_place: bool,
}

impl OutputFile {
    /// A result at a path, readable as the user's other files are; the folders above it are made when it is written. `-` is standard output.
    pub(crate) fn at(path: &Path) -> OutputFile {
        let is_standard = cfg!(unix) && path.as_os_str() == input::STANDARD_INPUT;
        let path = if is_standard { Path::new(STANDARD_OUTPUT) } else { path };
        OutputFile { path: path.to_owned(), is_private: false, is_new: false, is_in_place: false }
    }

    /// A result below a folder. The path comes from a program or a template, and must not lead out of the folder.
    pub(crate) fn below(folder: &Path, path: &str) -> io::Result<OutputFile> {
        let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        match is_inside && !path.is_empty() {
            true => Ok(OutputFile::at(&folder.join(path))),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("it lies outside of `{}`", folder.display()),
            )),
        }
    }

    /// The same, readable by its owner alone, and on the disk when it was written.
    pub(crate) fn private(self) -> OutputFile {
        OutputFile { is_private: true, ..self }
    }

    /// The same, unless something is there: that is an error of the kind `AlreadyExists`.
    pub(crate) fn new_only(self) -> OutputFile {
        OutputFile { is_new: true, ..self }
    }

    /// The same, where the command changes what it read.
    pub(crate) fn in_place(self) -> OutputFile {
        OutputFile { is_in_place: true, ..self }
    }

    /// Says what keeps it from being written, as far as that is known before the work is done.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.target()? {
            Target::File(path, about) => self.may_replace(&path, about.as_ref()),
            Target::Through(_) if self.is_new => Err(io::ErrorKind::AlreadyExists.into()),
            Target::Through(_) => Ok(()),
        }
    }

    /// Writes all of it.
    pub(crate) fn write(&self, content: &[u8]) -> io::Result<()> {
        let mut draft = self.begin()?;
        draft.write_all(content)?;
        draft.finish()
    }

    /// Begins to write; nothing is there before [`Draft::finish`], except in devices and pipes.
    pub(crate) fn begin(&self) -> io::Result<Draft> {
        let target = match self.target()? {
            Target::Through(path) => {
                if self.is_new {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                // What a shell opened to append to stays as it is.
                let file = OpenOptions::new().append(true).open(path)?;
                return Ok(Draft { file: Some(file), renaming: None });
            }
            Target::File(path, about) => {
                self.may_replace(&path, about.as_ref())?;
                (path, about)
            }
        };
        let (target, about) = target;
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), fs::create_dir_all)?;
        let (path, file) = self.draft_in(folder.unwrap_or(Path::new(".")))?;
        let permissions = about.filter(|_| !self.is_private).map(|about| about.permissions());
        let renaming =
            Renaming { draft: path, target, permissions, is_new: self.is_new, is_durable: self.is_private };
        Ok(Draft { file: Some(file), renaming: Some(renaming) })
    }

    fn may_replace(&self, path: &Path, about: Option<&Metadata>) -> io::Result<()> {
        let Some(about) = about else { return Ok(()) };
        if self.is_new {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        // Renaming asks only for rights on the folder.
        if about.permissions().readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if !self.is_in_place && files::was_input(path, about) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is an input of the command, and would be lost",
            ));
        }
        if state_files::is_state_file(path) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it belongs to the state of a project, and would be lost",
            ));
        }
        Ok(())
    }

    /// What the path names in the end.
    fn target(&self) -> io::Result<Target> {
        let mut path = self.path.clone();
        if goes_through_what_is_missing(&path) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no such file or directory"));
        }
        for _ in 0..LONGEST_CHAIN {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            // `/dev/fd` is a link to what the process has open.
            let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
            if OPEN_FILES.iter().any(|open| folder.starts_with(open)) {
                return Ok(Target::Through(path));
            }
            match fs::symlink_metadata(&path) {
                Ok(about) if about.is_symlink() => {
                    let next = fs::read_link(&path)?;
                    path = path.parent().map_or(next.clone(), |folder| folder.join(&next));
                }
                Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(about) if about.is_file() => return Ok(Target::File(path, Some(about))),
                Ok(_) => return Ok(Target::Through(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound && folder != Path::new(DEVICES) => {
                    return Ok(Target::File(path, None));
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link to itself"))
    }

    /// A file in the folder that nobody else writes.
    fn draft_in(&self, folder: &Path) -> io::Result<(PathBuf, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".tendon-{}-{number}.new", std::process::id()));
            let mut options = if self.is_private { private() } else { OpenOptions::new() };
            match options.write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((path, file)),
                // One that was left by a process that was killed and had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Whether a path leaves a folder that does not exist: making the folder would make it another path.
fn goes_through_what_is_missing(path: &Path) -> bool {
    let mut before = PathBuf::new();
    path.components().any(|part| {
        let leaves = part == Component::ParentDir && !before.as_os_str().is_empty();
        let is_missing = leaves && !before.exists();
        before.push(part);
        is_missing
    })
}

/// What a path names.
enum Target {
    /// A device, a pipe, or a file that the process has open.
    Through(PathBuf),
    /// A regular file, which may not exist.
    File(PathBuf, Option<Metadata>),
}

/// A result that is being written. Dropping it leaves what was there before.
#[derive(Debug)]
pub(crate) struct Draft {
    /// `None` once it is finished.
    file: Option<File>,
    /// `None` for devices and pipes.
    renaming: Option<Renaming>,
}

#[derive(Debug)]
struct Renaming {
    draft: PathBuf,
    target: PathBuf,
    /// Those of the file that is replaced.
    permissions: Option<Permissions>,
    is_new: bool,
    /// Whether the content must be on the disk before the name is.
    is_durable: bool,
}

impl Draft {
    /// Puts the result in its place.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let (Some(file), Some(renaming)) = (self.file.take(), &self.renaming) else { return Ok(()) };
        if renaming.is_durable {
            file.sync_all()?;
        }
        drop(file);
        if let Some(permissions) = &renaming.permissions {
            fs::set_permissions(&renaming.draft, permissions.clone())?;
        }
        let Renaming { draft, target, .. } = renaming;
        if renaming.is_new {
            // A link, unlike a name, is not put over a file that appeared in between. The draft goes when this is dropped.
            return fs::hard_link(draft, target);
        }
        fs::rename(draft, target)?;
        self.renaming = None;
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.file = None;
        if let Some(renaming) = &self.renaming {
            // What cannot be removed is a draft that a kill would have left, too.
            let _ = fs::remove_file(&renaming.draft);
        }
    }
}

/// How a file is opened that only its owner can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A private file for what is needed while a command runs; it must not exist.
pub(crate) fn scratch(path: &Path) -> io::Result<File> {
    private().read(true).create_new(true).open(path)
}

/// A file that grows, such as a log.
pub(crate) fn appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

/// A file whose lock keeps other processes out until it is closed; it has no content.
pub(crate) fn locked(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("tendon-output-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_result_is_there_whole_or_not_at_all() {
        let folder = Folder::new("whole");
        let path = folder.0.join("a.json");
        OutputFile::at(&path).write(b"old").unwrap();
        let mut draft = OutputFile::at(&path).begin().unwrap();
        draft.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(draft);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(folder.names(), ["a.json"]);
        OutputFile::at(&path).write(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(folder.names(), ["a.json"]);
    }

    #[test]
    fn folders_are_made_and_are_no_results() {
        let folder = Folder::new("folders");
        OutputFile::at(&folder.0.join("b/c/a.json")).write(b"x").unwrap();
        assert_eq!(fs::read(folder.0.join("b/c/a.json")).unwrap(), b"x");
        let error = OutputFile::at(&folder.0.join("b")).write(b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn what_is_new_replaces_nothing() {
        let folder = Folder::new("new");
        let path = folder.0.join("a.json");
        OutputFile::at(&path).new_only().write(b"first").unwrap();
        let error = OutputFile::at(&path).new_only().write(b"second").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        // One that appears while the result is written.
        let late = folder.0.join("b.json");
        let draft = OutputFile::at(&late).new_only().begin().unwrap();
        fs::write(&late, "theirs").unwrap();
        assert_eq!(draft.finish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read(&late).unwrap(), b"theirs");
        assert_eq!(folder.names(), ["a.json", "b.json"]);
    }

    #[test]
    fn an_input_is_replaced_in_place_only() {
        let folder = Folder::new("input");
        let path = folder.0.join("a.bicep");
        OutputFile::at(&path).write(b"source").unwrap();
        assert_eq!(files::read(&path).ok().unwrap(), b"source");
        let other_name = folder.0.join("../").join(folder.0.file_name().unwrap()).join("a.bicep");
        assert!(OutputFile::at(&other_name).write(b"result").unwrap_err().to_string().contains("an input"));
        assert_eq!(fs::read(&path).unwrap(), b"source");
        OutputFile::at(&path).in_place().write(b"changed").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"changed");
    }

    #[test]
    fn a_path_stays_below_its_folder() {
        let folder = Folder::new("below");
        for path in ["../a", "b/../../a", "/a", "", ".", "b/.."] {
            assert!(OutputFile::below(&folder.0, path).is_err(), "{path}");
        }
        OutputFile::below(&folder.0, "b/a").unwrap().write(b"x").unwrap();
        assert_eq!(folder.names(), ["b"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_rights_stay_rights() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = Folder::new("links");
        let (path, link, lost) = (folder.0.join("a"), folder.0.join("b"), folder.0.join("c"));
        OutputFile::at(&path).write(b"old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        symlink("d", &lost).unwrap();
        OutputFile::at(&link).write(b"new").unwrap();
        OutputFile::at(&lost).write(b"made").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read(folder.0.join("d")).unwrap(), b"made");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        symlink("e", folder.0.join("e")).unwrap();
        assert!(OutputFile::at(&folder.0.join("e")).write(b"x").is_err());
        fs::set_permissions(&path, Permissions::from_mode(0o440)).unwrap();
        assert_eq!(OutputFile::at(&path).write(b"x").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        let secret = folder.0.join("secret");
        OutputFile::at(&secret).write(b"x").unwrap();
        OutputFile::at(&secret).private().write(b"x").unwrap();
        assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_through() {
        assert_eq!(
            OutputFile::at(Path::new("/dev/full")).write(b"x").unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        OutputFile::at(Path::new("/dev/null")).write(b"x").unwrap();
        assert!(
            !fs::metadata("/dev/full").unwrap().is_file() && !fs::metadata("/dev/null").unwrap().is_file()
        );
    }
}
