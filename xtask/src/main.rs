//! The project's own commands, run as `cargo xtask COMMAND`.
//!
//! Each command is one module and one row of [`COMMANDS`]. Nothing here is part of the product.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the commands talk to the terminal")]

mod agreement;
mod apache;
mod arguments;
mod bench;
mod bombs;
mod boundaries;
mod browser;
mod clients;
mod cluster;
mod corpus;
mod deny;
mod dist;
mod doc;
mod editors;
mod fixes;
mod folder;
mod fuzz;
mod helm;
mod json_schema;
mod kills;
mod playground;
mod process;
mod product;
mod programs;
mod rad;
mod readers;
mod requirements;
mod screenshots;
mod server_clients;
mod servers;
mod simulate;
mod snippets;
mod systemd;
mod test;
mod tidy;
mod types;
mod vscode;
mod wheel;

use std::process::ExitCode;

use arguments::Arguments;

/// What a command returns: the text says what went wrong and what to do.
type Result<T = ()> = std::result::Result<T, String>;

pub(crate) struct Command {
    name: &'static str,
    usage: &'static str,
    does: &'static str,
    run: fn(Arguments) -> Result,
}

pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "test",
        usage: "test [--list] [--timings] [--only STEP]... [STEP]...",
        does: "install what the tests need, then run every check",
        run: test::run,
    },
    Command {
        name: "bench",
        usage: "bench [--list] [NAME [ARGUMENT]...] | bench --check [NAME]... | bench --keep NAME...",
        does: "run all benchmarks, or the one of that name with its arguments, and print their tables; or name the ratios that fell",
        run: bench::run,
    },
    Command {
        name: "fuzz",
        usage: "fuzz [--list] [--seconds N] [--max-len N] [--target T]... [--input FILE]",
        does: "fuzz every target for a bounded time, or run one target on one input",
        run: fuzz::run,
    },
    Command {
        name: "programs",
        usage: "programs [--count N] [--from SEED] [--show SEED] | programs --growth [PART OF A NAME]",
        does: "compile very many Bicep programs of every shape: none ends the compiler, takes 2 s or 500 MB; or measure how time grows",
        run: programs::run,
    },
    Command {
        name: "corpus",
        usage: "corpus KIND FOLDER... [--modules DIR] [--binary FILE] [--one-in N]",
        does: "compile public programs (`modules`, `samples`) and compare with the templates beside them; known differences are listed; or draw templates (`graph`)",
        run: corpus::run,
    },
    Command {
        name: "simulate",
        usage: "simulate [--cluster] [--seeds N] [--seed N]",
        does: "run the deployment engine under schedules, crashes and faults that seeds choose, or under one of them again; with `--cluster` on several nodes that share one database",
        run: simulate::run,
    },
    Command {
        name: "kills",
        usage: "kills [--count N]",
        does: "kill deployments of the real program at any moment and resume them: nothing is done twice or lost",
        run: kills::run,
    },
    Command {
        name: "dist",
        usage: "dist [--all] [--target NAME]... [--out DIR] [--binary FILE]",
        does: "make what people install: static binaries with completions, manual pages and bill of materials, as archives, wheels, packages for npm and Debian, an image, and formulas",
        run: dist::run,
    },
    Command {
        name: "screenshots",
        usage: "screenshots [--binary FILE] [--out DIR]",
        does: "draw the pictures of reports in the manual anew, with a browser",
        run: screenshots::run,
    },
    Command {
        name: "playground",
        usage: "playground [--out DIR]",
        does: "make the compiler for browsers and Node.js, and the page that runs it, as files that any web server can host",
        run: playground::run,
    },
    Command {
        name: "types",
        usage: "types DIR",
        does: "pack the resource types of Azure anew, from a checkout of bicep-types-az",
        run: types::run,
    },
    Command {
        name: "vscode",
        usage: "vscode",
        does: "check, build and package the extension for VS Code",
        run: vscode::run,
    },
    Command {
        name: "wheel",
        usage: "wheel [--out DIR]",
        does: "make what Python loads, as a wheel for every version from 3.10 on",
        run: wheel::run,
    },
];

fn main() -> ExitCode {
    match enter_root().and_then(|()| dispatch()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the workspace the current folder, so that every path below is relative and short.
fn enter_root() -> Result {
    let Some(package) = std::env::var_os("CARGO_MANIFEST_DIR") else { return Ok(()) };
    let root = std::path::Path::new(&package).join("..");
    std::env::set_current_dir(&root).map_err(|error| format!("cannot enter `{}`: {error}", root.display()))
}

fn dispatch() -> Result {
    let mut arguments = std::env::args().skip(1).peekable();
    let name = arguments.next().unwrap_or_else(|| "help".to_owned());
    if is_help(&name) {
        println!("{}", usage(COMMANDS));
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) if arguments.peek().is_some_and(|first| is_help(first)) => {
            println!("{}", usage(std::slice::from_ref(command)));
            Ok(())
        }
        Some(command) => (command.run)(Arguments::new(arguments, command.usage)),
        None => Err(format!("no command `{name}`\n{}", usage(COMMANDS))),
    }
}

fn is_help(argument: &str) -> bool {
    matches!(argument, "help" | "--help" | "-h")
}

fn usage(commands: &[Command]) -> String {
    let rows: Vec<String> = commands
        .iter()
        .map(|command| format!("  cargo xtask {}\n      {}", command.usage, command.does))
        .collect();
    format!("usage:\n{}", rows.join("\n"))
}
