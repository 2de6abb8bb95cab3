//! Runs the documents in `resources/completion`.
//!
//! One of the files of a case has a `$0`, which is where something is about to be written. Folders that stand in for
//! registries are named in a file `mirrors`, a line `REFERENCES=FOLDER` each. The types of Azure's resources are those in
//! the folder `azure`, if there is one. The outputs have a line for each item, in order: its label and, where that is
//! something else, what it writes, with `⏎` and `⇥` for line breaks and tabs.
//!
//! - `offers`: what stands before the functions and namespaces of the language;
//! - `last`: those, and functions of the program.

use std::sync::Arc;

use bicep::editor::completion::{Completion, complete};
use bicep::files::Mirror;
use bicep::{Compiler, CompilerOptions, Config, FilePath, Generator, MemoryWorld};
use spec_test::{Case, CaseOutput};

pub(super) fn run(case: &Case) -> CaseOutput {
    let mut world = MemoryWorld::default();
    let mut place = None;
    for file in &case.files {
        let path = format!("/{}", file.name);
        let is_program = file.name.ends_with(".bicep") || file.name.ends_with(".bicepparam");
        let mark = file.text.find("$0").filter(|_| is_program);
        let text = mark.map_or_else(|| file.text.to_string(), |_| file.text.replacen("$0", "", 1));
        place = place.or(mark.map(|mark| (FilePath::new(&path), mark)));
        world = world.with_file(&path, text);
    }
    let Some((path, offset)) = place else { return CaseOutput::error("no file has a `$0`") };
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions { az_types: crate::azure::types(case), ..CompilerOptions::new(generator) };
    let mirrors = case.file("mirrors").map_or("", |file| file.text.as_str()).lines();
    let mirrors = mirrors.filter_map(|line| line.split_once('='));
    let mirrors = mirrors
        .filter_map(|(references, folder)| {
            Mirror::new(references, FilePath::new(folder), &Config::defaults()).ok()
        })
        .collect();
    let compiler = Compiler::new(Arc::new(world), options).with_mirrors(mirrors);
    let mut items = complete(&compiler, &path, u32::try_from(offset).unwrap_or(u32::MAX));
    items.sort_by(|a, b| (&a.sort_text, &a.label).cmp(&(&b.sort_text, &b.label)));
    let (last, first): (Vec<&Completion>, Vec<&Completion>) =
        items.iter().partition(|item| item.sort_text.starts_with("3_"));
    CaseOutput::new().output("offers", lines(&first)).output("last", lines(&last))
}

fn lines(items: &[&Completion]) -> String {
    let line = |item: &&Completion| {
        let text = item.edit.text.replace('\n', "⏎").replace('\t', "⇥");
        let extra: String =
            item.additional_edits.iter().map(|edit| format!(" and {:?}", edit.text)).collect();
        if item.label == text {
            format!("{text}{extra}\n")
        } else {
            format!("{} → {text}{extra}\n", item.label)
        }
    };
    items.iter().map(line).collect()
}
