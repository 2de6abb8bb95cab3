//! What the programs of this crate and of `thrift-servers` are told.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::Result;

/// The arguments.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// Where other people's programs are built.
    pub work: PathBuf,
    /// An interpreter that has their libraries.
    pub python: PathBuf,
    /// A target folder for those in Rust.
    pub cargo_target: PathBuf,
    /// How much is asked of each.
    pub count: usize,
    /// The same seed asks the same.
    pub seed: u64,
    /// What the names of those begin with that are asked.
    pub only: Option<String>,
}

impl Arguments {
    /// Reads them. `name` is that of the folder below `target` unless they say otherwise, and `counted` is the option that
    /// says how much, which is `count` without it.
    fn read(name: &str, counted: &str, count: usize) -> Result<Arguments> {
        let work = PathBuf::from("target").join(name);
        let cargo_target = work.join("cargo");
        let python = PathBuf::from("python3");
        let mut found = Arguments { work, python, cargo_target, count, seed: 1, only: None };
        let mut words = std::env::args().skip(1);
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|error| format!("{name}: {error}"));
            match name.as_str() {
                "--work" => found.work = value.into(),
                "--python" => found.python = value.into(),
                "--cargo-target" => found.cargo_target = value.into(),
                "--seed" => found.seed = number()?,
                "--only" => found.only = Some(value),
                _ if name == counted => found.count = number()? as usize,
                _ => {
                    return Err(format!(
                        "`{name}` is none of --work, --python, --cargo-target, {counted}, --seed, --only"
                    ));
                }
            }
        }
        found.work = std::path::absolute(&found.work).map_err(|error| error.to_string())?;
        found.cargo_target = std::path::absolute(&found.cargo_target).map_err(|error| error.to_string())?;
        Ok(found)
    }

    /// Whether one of this name is asked.
    pub fn ask(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.starts_with(only.as_str()))
    }

    /// What a program ends with that found so many things wrong.
    pub fn verdict(&self, findings: usize) -> Result {
        match findings {
            0 => Ok(()),
            _ => Err(format!("{findings} findings; `--seed {}` shows them again", self.seed)),
        }
    }
}

/// Reads the arguments, see [`Arguments`], and runs a program with them.
#[expect(clippy::print_stderr, reason = "an error goes nowhere else")]
pub fn with_arguments(
    name: &str,
    counted: &str,
    count: usize,
    run: impl FnOnce(&Arguments) -> Result,
) -> ExitCode {
    match Arguments::read(name, counted, count).and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
