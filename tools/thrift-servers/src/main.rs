//! Sends connections through the proxy to other people's servers; `cargo xtask test --only servers` runs it.
//!
//! Fails if a handler is called with what the proxy did not let pass, with the bytes of the connection.
#![expect(clippy::print_stdout, reason = "it is there to print what it found")]

use std::process::ExitCode;
use std::time::Instant;

use thrift_readers::Result;
use thrift_readers::arguments::{Arguments, with_arguments};
use thrift_servers::programs::Programs;
use thrift_servers::run::hold;
use thrift_servers::stacks::STACKS;

/// How many findings of a server are shown.
const SHOWN: usize = 6;

fn main() -> ExitCode {
    with_arguments("servers", "--connections", 20_000, run)
}

fn run(arguments: &Arguments) -> Result {
    let start = Instant::now();
    let programs = Programs::build(&arguments.work, &arguments.python, &arguments.cargo_target)?;
    println!("{:.1} s: the servers are built", start.elapsed().as_secs_f64());
    println!("{:<28}{:>9}{:>9}{:>7}{:>9}", "server", "decided", "handled", "wrong", "seconds");
    let mut findings = 0;
    for stack in STACKS.iter().filter(|it| arguments.ask(it.name)) {
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
        for attack in &tally.failed {
            findings += 1;
            println!(
                "  {attack:?} does not reach the handler without a proxy: what hides like that shows nothing"
            );
        }
        if handled == 0 {
            findings += 1;
            println!("  the handler was never called");
        }
    }
    arguments.verdict(findings)
}
