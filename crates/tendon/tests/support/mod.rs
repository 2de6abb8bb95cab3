//! A folder that goes away with its test, and the real binary started in it.

#![allow(dead_code, reason = "each test binary has its own copy of this module and uses what it needs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of its own for one test.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes a folder with files in it.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("tendon-cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = Folder { path };
        for (name, content) in files {
            folder.write(name, content);
        }
        folder
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Copies the project's examples to `examples`.
    pub(crate) fn add_examples(&self) {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        self.copy(&examples, Path::new("examples"));
    }

    fn copy(&self, from: &Path, to: &Path) {
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                self.copy(&entry.path(), &target);
            } else {
                self.write(target.to_str().unwrap(), &fs::read(entry.path()).unwrap());
            }
        }
    }

    /// The binary, ready to run in the folder without any influence from outside.
    pub(crate) fn tendon<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tendon"));
        command.args(arguments).current_dir(&self.path).stdin(Stdio::null());
        for variable in [
            "NO_COLOR",
            "TERM",
            "COLUMNS",
            "LINES",
            "TENDON_TYPES",
            "TENDON_MODULES",
            "TENDON_REGISTRIES",
            "BICEP_TRUSTED_REGISTRIES",
            "DOCKER_CONFIG",
            "DOCKER_REGISTRY",
            "BICEP_PARAMETERS_OVERRIDES",
            "TENDON_SERVER",
            "TENDON_TOKEN",
            "TENDON_STATE",
            "TENDON_DATABASE",
            "TENDON_SEAL_KEY",
            "PGPASSWORD",
            "PGPASSFILE",
            "TENDON_CONTEXT",
        ] {
            command.env_remove(variable);
        }
        command.env("HOME", &self.path).env("XDG_DATA_HOME", self.path.join("data"));
        command.env("XDG_CONFIG_HOME", self.path.join("config"));
        command
    }

    /// Runs a command line, which may begin with variables: `NAME=VALUE tendon build main.bicep`. By the name of another
    /// tool, the binary is called by that name.
    pub(crate) fn run_line(&self, line: &str, input: &[u8]) -> Output {
        let words = words(line);
        let variables = words.iter().take_while(|word| word.contains('=')).count();
        let (variables, words) = words.split_at(variables);
        let (name, arguments) = words.split_first().unwrap();
        let mut command = self.tendon(arguments);
        command.envs(variables.iter().map(|it| it.split_once('=').unwrap()));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, name);
        give(command, input)
    }

    /// A text in which the folder's own path is replaced by a word.
    pub(crate) fn anonymous(&self, text: &[u8]) -> String {
        String::from_utf8_lossy(text).replace(self.path.to_str().unwrap(), "/FOLDER")
    }

    /// Runs the binary, with a text on its standard input.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S], input: &[u8]) -> Output {
        give(self.tendon(arguments), input)
    }
}

/// Runs a command with a text on its standard input.
fn give(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that does not read its input closes the pipe, which is its right.
    child.stdin.take().unwrap().write_all(input).ok();
    child.wait_with_output().unwrap()
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.path).ok();
    }
}

/// The words of a command line: blanks separate them, single or double quotes keep them together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
