//! `cargo xtask bench`: the benchmarks, each of which prints a table of its own, and the ratios that are kept of them.

mod kept;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::{Result, process};

use kept::Ratios;

/// The folder with the tables that are kept: what a benchmark printed, in a file of its name.
const KEPT: &str = "tools/bench/kept";

pub(crate) fn run(mut arguments: Arguments) -> Result {
    if arguments.flag("--list") {
        // What is only listed need not be fast, and a fast build takes minutes.
        return process::run(process::cargo().args([
            "run",
            "--package",
            "tendon-bench",
            "--quiet",
            "--",
            "--list",
        ]));
    }
    let (check, keep) = (arguments.flag("--check"), arguments.flag("--keep"));
    let names = if check || keep { arguments.words()? } else { arguments.rest()? };
    match (check, keep) {
        (false, false) => process::run(benchmark().args(names)),
        (true, false) => check_all(names),
        (false, true) if !names.is_empty() => names.iter().try_for_each(|name| {
            let table = measured(name, false)?;
            println!("{table}");
            Ratios::read(&table).require()?;
            std::fs::create_dir_all(KEPT)
                .and_then(|()| std::fs::write(file_of(name), &table))
                .map_err(|error| format!("cannot write `{}`: {error}", file_of(name).display()))
        }),
        (false, true) => Err("`--keep` needs the names of benchmarks".to_owned()),
        (true, true) => Err("`--check` compares with what `--keep` has written: only one of them".to_owned()),
    }
}

/// The benchmarks as they are handed out: optimised.
fn benchmark() -> Command {
    let mut cargo = process::cargo();
    cargo.args(["run", "--package", "tendon-bench", "--release", "--"]);
    cargo
}

fn file_of(name: &str) -> PathBuf {
    Path::new(KEPT).join(format!("{name}.md"))
}

/// What a benchmark prints.
fn measured(name: &str, quick: bool) -> Result<String> {
    let mut cargo = benchmark();
    if quick {
        cargo.arg("--quick");
    }
    process::output(cargo.arg(name))
}

/// Measures what is kept of benchmarks, all or those of these names, and names the ratios that fell.
fn check_all(names: Vec<String>) -> Result {
    let names = if names.is_empty() { kept_names()? } else { names };
    let mut fallen = Vec::new();
    for name in &names {
        let path = file_of(name);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            format!(
                "nothing is kept of `{name}`: `{}`: {error}; see `cargo xtask bench --keep`",
                path.display()
            )
        })?;
        let kept = Ratios::read(&text);
        kept.require()?;
        let mut found = kept.fallen(&Ratios::read(&measured(name, true)?));
        if !found.is_empty() {
            // A machine that did something else for a moment is no reason; what fell has to fall again, measured longer.
            let again = kept.fallen(&Ratios::read(&measured(name, false)?));
            found.retain(|one| again.iter().any(|other| other.cell == one.cell));
        }
        println!("{name}: {} ratios, {} fell", kept.len(), found.len());
        fallen.extend(found.into_iter().map(|one| format!("{name}: {one}")));
    }
    if fallen.is_empty() { Ok(()) } else { Err(fallen.join("\n")) }
}

/// The benchmarks of which something is kept.
fn kept_names() -> Result<Vec<String>> {
    let folder = std::fs::read_dir(KEPT).map_err(|error| format!("cannot read `{KEPT}`: {error}"))?;
    let mut names: Vec<String> = folder
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".md")?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}
