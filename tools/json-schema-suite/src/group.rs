//! A schema with its tests, and the verdicts of the program on them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::drafts::Draft;

/// The address under which the suite has its remote documents.
const REMOTES: &str = "http://localhost:1234/";

/// A schema with its tests.
pub(crate) struct Group {
    /// The file and the description.
    name: String,
    schema: Value,
    tests: Vec<SuiteTest>,
}

struct SuiteTest {
    name: String,
    data: Value,
    valid: bool,
}

impl Group {
    /// Reads the groups of a file.
    pub(crate) fn read(path: &Path, file: &str, draft: &Draft) -> Result<Vec<Group>> {
        let odd = || format!("`{}` is no file of tests", path.display());
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let groups: Vec<Value> = serde_json::from_str(&text).map_err(|_| odd())?;
        let read = groups.iter().map(|group| {
            let mut schema = group.get("schema")?.clone();
            // Tests of older drafts leave it to their folder which one they mean.
            if let Some(members) = schema.as_object_mut() {
                members.entry("$schema").or_insert_with(|| draft.schema.into());
            }
            let tests = group.get("tests")?.as_array()?.iter().map(|test| {
                Some(SuiteTest {
                    name: test.get("description")?.as_str()?.to_owned(),
                    data: test.get("data")?.clone(),
                    valid: test.get("valid")?.as_bool()?,
                })
            });
            let name = format!("{file}: {}", group.get("description")?.as_str()?);
            Some(Group { name, schema, tests: tests.collect::<Option<_>>()? })
        });
        read.collect::<Option<_>>().ok_or_else(odd)
    }
}

/// How many verdicts were right, and which were not.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) right: usize,
    pub(crate) wrong: Vec<String>,
}

impl Tally {
    /// Takes the verdicts of another one in.
    pub(crate) fn add(&mut self, other: Tally) {
        self.right += other.right;
        self.wrong.extend(other.wrong);
    }
}

/// The program that judges.
pub(crate) struct Judge {
    pub(crate) tendon: PathBuf,
    pub(crate) remotes: PathBuf,
    /// An empty folder.
    pub(crate) work: PathBuf,
}

impl Judge {
    /// Judges the tests of a group, which has this number among all groups.
    pub(crate) fn judge(&self, number: usize, group: &Group) -> Result<Tally> {
        let folder = self.work.join(number.to_string());
        let failed = |error: std::io::Error| format!("cannot write to `{}`: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let schema = folder.join("schema.json");
        std::fs::write(&schema, group.schema.to_string()).map_err(failed)?;
        let mut command = Command::new(&self.tendon);
        command.arg("check");
        for (place, test) in group.tests.iter().enumerate() {
            let path = folder.join(format!("{place}.json"));
            std::fs::write(&path, test.data.to_string()).map_err(failed)?;
            command.arg(path);
        }
        command.arg("--against").arg(&schema).args(["-o", "json", "--link-root"]);
        command.arg(format!("{REMOTES}={}", self.remotes.display()));
        let output = command.output().map_err(|error| format!("cannot start the program: {error}"))?;
        std::fs::remove_dir_all(&folder).map_err(failed)?;
        let verdicts = verdicts(&output.stdout).filter(|verdicts| verdicts.len() == group.tests.len());
        let mut tally = Tally::default();
        for (place, test) in group.tests.iter().enumerate() {
            let verdict = verdicts.as_ref().and_then(|verdicts| verdicts.get(place).copied());
            if verdict == Some(test.valid) {
                tally.right += 1;
                continue;
            }
            let found = match verdict {
                Some(true) => "found valid",
                Some(false) => "found invalid",
                None => "not judged",
            };
            tally.wrong.push(format!("{}: {}: {found}", group.name, test.name));
        }
        Ok(tally)
    }
}

/// Whether each file is valid; none if the contract was refused.
fn verdicts(output: &[u8]) -> Option<Vec<bool>> {
    let output: Value = serde_json::from_slice(output).ok()?;
    let files = output.get("result")?.get("files")?.as_array()?;
    files.iter().map(|file| file.get("valid")?.as_bool()).collect()
}
