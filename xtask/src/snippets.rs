//! What other people's pipelines run of us: the action, the hooks, the snippets and the release workflow, held against the rules of those who run them.

use std::process::Command;

use crate::clients::python;
use crate::{Result, process, product};

const REQUIREMENTS: &str = "ci/requirements.txt";

/// Each file with the schema that it has to keep, and in which dialect of patterns that is written.
const SCHEMAS: &[(&str, &str, &str)] = &[
    ("vendor.github-actions", "action.yml", "default"),
    ("vendor.github-workflows", ".github/workflows/release.yml", "default"),
    ("vendor.azure-pipelines", "ci/azure-pipelines.yml", "python"),
    ("vendor.gitlab-ci", "ci/gitlab-ci.yml", "default"),
];

/// Checks all of them.
pub(crate) fn run() -> Result {
    let python = python(&product::target()?.join("snippets"), REQUIREMENTS)?;
    let run = |program: &str, words: &[&str]| {
        let mut run = Command::new(python.with_file_name(program));
        run.args(words);
        println!("{}", process::shown(&run));
        process::run(&mut run)
    };
    for (schema, file, patterns) in SCHEMAS {
        run("check-jsonschema", &["--builtin-schema", schema, "--regex-variant", patterns, file])?;
    }
    run("pre-commit", &["validate-manifest", ".pre-commit-hooks.yaml"])?;
    run("shellcheck", &["ci/install.sh"])?;
    run("zizmor", &["--offline", "--no-progress", "--quiet", "action.yml", ".github/workflows"])
}
