//! Sends connections through the proxy to other people's servers; `cargo xtask test --only servers` runs it.
//!
//! Fails if a handler is called with what the proxy did not let pass, with the bytes of the connection.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is there to print what it found")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use thrift_servers::Result;
use thrift_servers::run::hold;
use thrift_servers::stacks::{Programs, STACKS};

/// How many findings of a server are shown.
const SHOWN: usize = 6;

struct Arguments {
    work: PathBuf,
    python: PathBuf,
    cargo_target: PathBuf,
    count: usize,
    seed: u64,
    only: Option<String>,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments> {
    let mut found = Arguments {
        work: PathBuf::from("target/servers"),
        python: PathBuf::from("python3"),
        cargo_target: PathBuf::from("target/servers/cargo"),
        count: 20_000,
        seed: 1,
        only: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{name}: {error}"));
        match name.as_str() {
            "--work" => found.work = value.into(),
            "--python" => found.python = value.into(),
            "--cargo-target" => found.cargo_target = value.into(),
            "--connections" => found.count = number()? as usize,
            "--seed" => found.seed = number()?,
            "--only" => found.only = Some(value),
            _ => {
                return Err(format!(
                    "`{name}` is none of --work, --python, --cargo-target, --connections, --seed, --only"
                ));
            }
        }
    }
    found.work = std::path::absolute(&found.work).map_err(|error| error.to_string())?;
    found.cargo_target = std::path::absolute(&found.cargo_target).map_err(|error| error.to_string())?;
    Ok(found)
}

fn run(arguments: &Arguments) -> Result {
    let start = Instant::now();
    let programs = Programs::build(&arguments.work, &arguments.python, &arguments.cargo_target)?;
    println!("{:.1} s: the servers are built", start.elapsed().as_secs_f64());
    println!("{:<28}{:>9}{:>9}{:>7}{:>9}", "server", "decided", "handled", "wrong", "seconds");
    let mut findings = 0;
    for stack in
        STACKS.iter().filter(|it| arguments.only.as_ref().is_none_or(|only| it.name.starts_with(only)))
    {
        let begun = Instant::now();
        let tally = hold(&programs, stack, arguments.count, arguments.seed)?;
        let seconds = begun.elapsed().as_secs_f64();
        let (decided, handled, wrong) = (tally.decided, tally.handled, tally.wrong.len());
        println!("{:<28}{decided:>9}{handled:>9}{wrong:>7}{seconds:>9.1}", stack.name);
        let mut shortest: Vec<&String> = tally.wrong.iter().collect();
        shortest.sort_by_key(|text| text.len());
        for text in shortest.into_iter().take(SHOWN) {
            println!("  {text}");
        }
        findings += wrong;
        if tally.falls == Some(false) {
            findings += 1;
            println!(
                "  the handler was not called without a proxy: what hides has not been found by anybody"
            );
        }
        if handled == 0 {
            findings += 1;
            println!("  the handler was never called");
        }
    }
    match findings {
        0 => Ok(()),
        _ => Err(format!("{findings} findings; `--seed {}` shows them again", arguments.seed)),
    }
}
