//! One bounded run of one target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::report::Report;
use crate::Result;

/// The bounds of a run.
pub(super) struct Limits {
    pub(super) seconds: u64,
    pub(super) max_len: usize,
}

/// The files of a run.
pub(super) struct Session {
    target: String,
    binary: PathBuf,
    corpus: PathBuf,
    seeds: PathBuf,
    dictionary: PathBuf,
    artifacts: PathBuf,
}

impl Session {
    pub(super) fn new(target: &str, binaries: &Path) -> Session {
        let below = |folder: &str| Path::new("fuzz").join(folder).join(target);
        Session {
            target: target.to_owned(),
            binary: binaries.join(target),
            corpus: below("corpus"),
            seeds: below("seeds"),
            dictionary: below("dictionaries").with_extension("dict"),
            artifacts: below("artifacts"),
        }
    }

    /// Runs the target until its time is up or it finds something.
    pub(super) fn run(&self, limits: &Limits) -> Result<Report> {
        let failed = |error: std::io::Error| format!("cannot fuzz `{}`: {error}", self.target);
        fs::create_dir_all(&self.corpus).map_err(failed)?;
        fs::create_dir_all(&self.artifacts).map_err(failed)?;
        let log = self.artifacts.join("log");
        let status = self
            .command(limits)
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log).map_err(failed)?)
            .status();
        let status = status.map_err(failed)?;
        let said = fs::read(&log).map_err(failed)?;
        Ok(Report::read(&self.target, status.success(), &String::from_utf8_lossy(&said), &log))
    }

    fn command(&self, limits: &Limits) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg(format!("-max_total_time={}", limits.seconds));
        command.arg(format!("-max_len={}", limits.max_len));
        command.args(["-rss_limit_mb=2048", "-timeout=10", "-print_final_stats=1"]);
        // The trailing separator makes it a folder to libFuzzer.
        command.arg(format!("-artifact_prefix={}/", self.artifacts.display()));
        if self.dictionary.is_file() {
            command.arg(format!("-dict={}", self.dictionary.display()));
        }
        // New inputs go to the first folder; the others are only read.
        command.arg(&self.corpus);
        if self.seeds.is_dir() {
            command.arg(&self.seeds);
        }
        command
    }
}
