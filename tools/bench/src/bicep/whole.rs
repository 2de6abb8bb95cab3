//! The whole compiler against its own parser, and how its time grows with the program.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use bicep::{Compilation, Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};
use syntax::SourceKind;

use super::{Source, programs};
use crate::timing::{mean_processor_time, show};

const MAIN: &str = "/main.bicep";

/// How long one thing is measured.
const BUDGET: Duration = Duration::from_secs(1);

/// A configuration without rules of the linter.
const NO_RULES: &str = r#"{ "analyzers": { "core": { "enabled": false } } }"#;

/// How much of a build the linter may add to it.
const MOST_ADDED: f64 = 0.5;

/// Compiles a program in memory, without anything that was made before.
fn compile(text: &str) -> Compilation {
    compile_in(MemoryWorld::default().with_file(MAIN, text))
}

/// The same without the linter.
fn compile_without_rules(text: &str) -> Compilation {
    let world = MemoryWorld::default().with_file("/bicepconfig.json", NO_RULES);
    compile_in(world.with_file(MAIN, text))
}

fn compile_in(world: MemoryWorld) -> Compilation {
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions::new(generator);
    Compiler::new(Arc::new(world), options).compile(&FilePath::new(MAIN))
}

/// Programs that compile by themselves, all of them in one go.
pub(super) fn against_parsing(sources: &[Source]) {
    let alone: Vec<&Source> =
        sources.iter().filter(|source| compile(&source.text).template.is_some()).collect();
    let mut parse = || {
        alone
            .iter()
            .for_each(|source| drop(black_box(syntax::parse(source.text.as_str(), SourceKind::Bicep))));
    };
    let mut all = || alone.iter().for_each(|source| drop(black_box(compile(&source.text))));
    let (parse, all) = (mean_processor_time(BUDGET, &mut parse), mean_processor_time(BUDGET, &mut all));
    println!("Compiling {} programs that need no other file, nor types:\n", alone.len());
    println!("| parse | everything | times the parse |\n|--:|--:|--:|");
    println!("| {} | {} | {:.2} |\n", show(parse), show(all), all / parse);
    let mut without = || alone.iter().for_each(|source| drop(black_box(compile_without_rules(&source.text))));
    let without = mean_processor_time(BUDGET, &mut without);
    let added = all / without - 1.0;
    println!(
        "Without the linter it takes {}: its default rules add {added:.2} to that; {MOST_ADDED} is allowed.\n",
        show(without)
    );
}

/// The time per line must not grow with the program.
pub(super) fn growth() {
    println!("Growth:\n");
    println!("| lines | parse | everything | everything, per line |\n|--:|--:|--:|--:|");
    for lines in [1_000, 10_000, 100_000] {
        let text = programs::of(lines);
        let mut parse = || drop(black_box(syntax::parse(text.as_str(), SourceKind::Bicep)));
        let mut all = || drop(black_box(compile(&text)));
        let (parse, all) = (mean_processor_time(BUDGET, &mut parse), mean_processor_time(BUDGET, &mut all));
        let per_line = all / text.lines().count() as f64;
        println!("| {lines} | {} | {} | {} |", show(parse), show(all), show(per_line));
    }
    println!();
}
