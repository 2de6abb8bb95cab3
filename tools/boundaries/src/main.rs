//! `tendon-boundaries BINARY`: the matrix of boundaries and attacks, with the real program.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to the terminal")]

use std::path::PathBuf;
use std::process::ExitCode;

use boundaries::{known, report, run};

const USAGE: &str = "usage: tendon-boundaries BINARY [--all] [--boundary PART] [--attack PART] [--threads N] [--progress] [--report FILE]";

fn main() -> ExitCode {
    match work() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn work() -> Result<bool, String> {
    let mut arguments = std::env::args().skip(1);
    let mut binary = None;
    let mut file = None;
    let mut wanted = run::Wanted {
        all: false,
        boundary: None,
        attack: None,
        threads: 2,
        progress: Box::new(|_, _, _| {}),
    };
    let mut shows_progress = false;
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| USAGE.to_owned());
        match argument.as_str() {
            "--all" => wanted.all = true,
            "--boundary" => wanted.boundary = Some(value()?),
            "--attack" => wanted.attack = Some(value()?),
            "--progress" => shows_progress = true,
            "--threads" => wanted.threads = value()?.parse().map_err(|_| USAGE.to_owned())?,
            "--report" => file = Some(PathBuf::from(value()?)),
            _ if binary.is_none() => binary = Some(PathBuf::from(argument)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let binary = binary.ok_or_else(|| USAGE.to_owned())?;
    let write = move |outcome: &run::Outcome| match &file {
        Some(file) => std::fs::write(file, report::markdown(outcome))
            .map_err(|error| format!("cannot write `{}`: {error}", file.display())),
        None => Ok(()),
    };
    let keep = write.clone();
    if shows_progress {
        wanted.progress = Box::new(move |boundary, time, outcome| {
            let broken = |cell: &&run::Cell| cell.boundary == boundary && !cell.wrong.is_empty();
            let broken = outcome.cells.iter().filter(broken).count();
            println!("{:>8.1} s  {}: {broken} broken", time.as_secs_f64(), boundary.name());
            if let Err(error) = keep(outcome) {
                eprintln!("{error}");
            }
        });
    }
    let outcome = run::run(&binary, &wanted)?;
    write(&outcome)?;
    let rows = known::rows();
    let mut used = vec![false; rows.len()];
    let mut broken = 0;
    for cell in outcome.cells.iter().filter(|cell| !cell.wrong.is_empty()) {
        match rows.iter().position(|row| row.is_about(cell)) {
            Some(row) => used.iter_mut().skip(row).take(1).for_each(|it| *it = true),
            None => {
                broken += 1;
                println!(
                    "{}: {} ({:?}): {}",
                    cell.boundary.name(),
                    cell.attack,
                    cell.class,
                    cell.wrong.join(", ")
                );
            }
        }
    }
    let mut slowest = outcome.times;
    slowest.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    for (boundary, time) in slowest.iter().take(3) {
        println!("{:>8.1} s  {}", time.as_secs_f64(), boundary.name());
    }
    println!("{} cells, {broken} broken", outcome.cells.len());
    // Only a run of everything sees every cell that a row could be about.
    let is_whole = wanted.all && wanted.boundary.is_none() && wanted.attack.is_none();
    let unused: Vec<_> =
        rows.iter().zip(&used).filter(|(_, used)| is_whole && !**used).map(|(row, _)| row).collect();
    for row in &unused {
        println!("known, and no longer broken: {row:?}");
    }
    Ok(broken == 0 && unused.is_empty())
}
