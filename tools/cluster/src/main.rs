//! `tendon-cluster PROGRAM [--deployments N] [--seed N]`: real nodes are killed while they deploy, and what was recorded is checked;
//! `cargo xtask test cluster` runs it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is there to print what it found")]

use std::path::PathBuf;
use std::process::ExitCode;

use cluster::proof;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, otherwise: u64| {
        let position = arguments.iter().position(|argument| argument == name);
        let value = position.and_then(|position| arguments.get(position + 1)?.parse().ok());
        value.unwrap_or(otherwise)
    };
    let Some(program) = arguments.first().map(PathBuf::from) else {
        eprintln!("usage: tendon-cluster PROGRAM [--deployments N] [--seed N]");
        return ExitCode::FAILURE;
    };
    let (deployments, seed) = (number("--deployments", 2_000), number("--seed", 1));
    match proof::run(&program, usize::try_from(deployments).unwrap_or(2_000), seed) {
        Ok(proof) => {
            println!("{proof:#?}");
            println!("every promise was kept");
            ExitCode::SUCCESS
        }
        Err(broken) => {
            eprintln!("{broken}");
            ExitCode::FAILURE
        }
    }
}
