//! Benchmarks: `cargo xtask bench NAME`, or all of them without a name. Each prints its tables; `--list` says
//! what there is, and `--quick` before a name makes races short.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark is there to print its table")]

mod bicep;
mod cluster;
mod contract;
mod engine;
mod files;
mod graph;
mod lsp;
mod parts;
mod postgres;
mod processes;
mod radius;
mod random;
mod server;
mod thrift;
mod thrift_proxy;
mod timing;

use std::process::ExitCode;

/// What went wrong, in words.
type Result<T = ()> = std::result::Result<T, String>;

/// A name, what is measured, and the function that runs it.
type Benchmark = (&'static str, &'static str, fn(&[String]) -> Result);

/// Every benchmark: its name, what it measures, and the function that runs it with the arguments left over.
const BENCHMARKS: &[Benchmark] = &[
    (
        "bicep",
        "Bicep: parsing against tree-sitter, the whole compiler, and the binary, on our own programs or on FOLDER",
        bicep::run,
    ),
    (
        "cluster",
        "one to three nodes on PostgreSQL: deployments in a second with 64 in flight, and takeover after a kill, `--kills N` times",
        cluster::run,
    ),
    (
        "contract",
        "contracts against the jsonschema crate on cases of our own, all or those with WORD in their name",
        contract::run_own,
    ),
    (
        "contract-real",
        "the same on public schemas from npm, or on SCHEMA.json DOCUMENT.json...",
        contract::run_real,
    ),
    (
        "contract-suite",
        "the same on the official test suite of JSON Schema, of which FOLDER is a checkout",
        contract::run_suite,
    ),
    (
        "engine",
        "deployments: templates against serde_json, plans, durable steps, starting, and the end-to-end tests of FOLDER",
        engine::run,
    ),
    (
        "graph",
        "pictures of deployments: layout and SVG of 5 to 5,000 resources in several shapes",
        graph::run,
    ),
    (
        "lsp",
        "the language server: a keystroke until its diagnostics, completion, memory, on our own program or on FOLDER",
        lsp::run,
    ),
    (
        "postgres",
        "the state in PostgreSQL: group commits against pgbench, and what a history of 1,000,000 deployments costs",
        postgres::run,
    ),
    (
        "radius",
        "resource types: registering and extending with 1,000, and a resource of 200 properties against jsonschema",
        radius::run,
    ),
    (
        "server",
        "the server on loopback: deployments against bare SQLite, reads against bare axum, half load, memory",
        server::run,
    ),
    (
        "thrift",
        "Thrift messages against generated Go and against pilota; `--instructions` counts ours with valgrind",
        thrift::run,
    ),
    ("thrift-proxy", "the validating proxy against a plain relay of bytes", thrift_proxy::run),
];

/// Less time for each race: enough to see that something is wrong.
const QUICK: &str = "--quick";

/// What `cargo xtask corpus lsp` runs: it measures nothing.
const LSP_CORPUS: &str = "lsp-corpus";

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result {
    let Some((name, rest)) = arguments.split_first() else {
        return BENCHMARKS.iter().try_for_each(|(.., run)| run(&[]));
    };
    if name == QUICK {
        timing::be_quick();
        return run(rest);
    }
    if name == LSP_CORPUS {
        return lsp::run_corpus(rest);
    }
    if name == "--list" {
        println!("{}", known());
        return Ok(());
    }
    match BENCHMARKS.iter().find(|(known, ..)| known == name) {
        Some((.., run)) => run(rest),
        None => Err(format!("there is no benchmark `{name}`; there are\n{}", known())),
    }
}

/// All benchmarks, a line each.
fn known() -> String {
    let lines: Vec<String> = BENCHMARKS.iter().map(|(name, what, _)| format!("  {name:<16}{what}")).collect();
    lines.join("\n")
}
