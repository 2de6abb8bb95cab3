//! `tendon-bombs PROGRAM [--all | --quick] [--progress] [--only WORD] [--part=server|nodes|requests|sockets|storm|stored|commands]`: small templates that want all memory there is, against a server and the commands in a
//! gibibyte; `cargo xtask test bombs` runs it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is there to print what it found")]

use std::path::PathBuf;
use std::process::ExitCode;

use bombs::{commands, nodes, requests, server, sockets, stored, storm, table};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let only =
        arguments.iter().position(|argument| argument == "--only").and_then(|at| arguments.get(at + 1));
    let Some(program) = arguments.first().map(PathBuf::from) else {
        eprintln!(
            "usage: tendon-bombs PROGRAM [--all | --quick] [--progress] [--only WORD] [--part=server|nodes|requests|sockets|storm|stored|commands]"
        );
        return ExitCode::FAILURE;
    };
    let folder = std::env::temp_dir().join(format!("tendon-bombs-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        eprintln!("cannot make `{}`: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    let (all, quick) = (has("--all"), has("--quick"));
    let mut bombs = table::bombs(all || only.is_some());
    if quick {
        bombs = table::sample(bombs);
        server::be_patient();
    }
    bombs.retain(|bomb| only.is_none_or(|word| bomb.name.contains(word)));
    let shows = has("--progress");
    let tell = |name: &str| {
        if shows {
            println!("{name}");
        }
    };
    let word = only.map(String::as_str);
    let part =
        |name: &str| !arguments.iter().any(|it| it.starts_with("--part=")) || has(&format!("--part={name}"));
    let mut results = Vec::new();
    if part("server") {
        results.push(server::run(&program, &folder, &bombs, &tell));
    }
    if part("nodes") {
        // What a template does in a process is the same on a database: some of them are enough.
        let some: Vec<table::Bomb> = bombs
            .iter()
            .enumerate()
            .filter(|(at, _)| all || only.is_some() || at % 2 == 1)
            .map(|(_, bomb)| bomb.clone())
            .collect();
        results.push(nodes::run(&program, &folder, &some, &tell));
    }
    if part("requests") {
        results.push(requests::run(&program, &folder, all, word, &tell).map(drop));
    }
    if part("sockets") {
        results.push(sockets::run(&program, &folder, word, &tell).map(drop));
    }
    if part("storm") {
        // Some of them are enough: each comes many times.
        let some: Vec<table::Bomb> = bombs
            .iter()
            .enumerate()
            .filter(|(at, _)| all || at % 9 == 0)
            .map(|(_, bomb)| bomb.clone())
            .collect();
        let loads = table::loads().into_iter().filter(|it| word.is_none_or(|word| it.name.contains(word)));
        results.push(storm::run(
            &program,
            &folder,
            &some.into_iter().chain(loads).collect::<Vec<_>>(),
            &tell,
        ));
    }
    if part("stored") {
        results.push(stored::run(&program, &folder, word, &tell).map(drop));
    }
    if part("commands") {
        results.push(commands::run(&program, &folder, &bombs, all, &tell));
    }
    let _ = std::fs::remove_dir_all(&folder);
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    if wrong.is_empty() {
        println!("{} bombs, and everything lives", bombs.len());
        return ExitCode::SUCCESS;
    }
    eprintln!("{}", wrong.join("\n"));
    ExitCode::FAILURE
}
