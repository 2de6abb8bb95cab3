//! The tour, the page about policies and the first page are run line by line: what they show is what the program prints.

use std::path::Path;

use crate::support::Folder;

/// A page with the real output below each of its commands. A fenced block with the name of a file is written to it; in a block of
/// `console`, lines behind `$` are run, in the order of the page and in one folder.
fn played(page: &str) -> String {
    let folder = Folder::with(&[]);
    if page.contains(" examples/") {
        folder.add_examples();
    }
    let mut out = String::new();
    let mut lines = page.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(info) = line.trim_end().strip_prefix("```").filter(|info| !info.is_empty()) else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        match info.split_once(' ') {
            Some((_, name)) => {
                folder.write(name, block.concat().as_bytes());
                out.push_str(&block.concat());
            }
            None if info == "console" => {
                for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                    let output = folder.run_line(command.trim_end(), b"");
                    let text = [output.stdout, output.stderr].concat();
                    out.push_str(&format!(
                        "$ {command}{}",
                        without_time(&folder.anonymous(&text)).trim_end()
                    ));
                    if !out.ends_with('\n') {
                        out.push('\n');
                    }
                }
            }
            None => out.push_str(&block.concat()),
        }
        out.push_str("```\n");
    }
    out
}

/// How long a deployment took is another time each time.
fn without_time(text: &str) -> String {
    let line = |line: &str| match line.split_once(" succeeded in ") {
        Some((before, rest)) => {
            format!("{before} succeeded in 5 ms:{}", rest.split_once(':').map_or("", |(_, rest)| rest))
        }
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

#[track_caller]
fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page.contains("```console\n"), "{name} runs nothing");
    spec_test::check_page(name, &played(&page));
}

#[test]
fn the_tour_shows_what_happens() {
    check("docs/tour.md");
}

#[test]
fn the_tutorial_of_tests_shows_what_happens() {
    check("docs/test.md");
}

#[test]
fn the_page_about_policies_shows_what_happens() {
    check("docs/policies.md");
}

#[test]
fn the_first_page_shows_what_happens() {
    check("README.md");
}

#[test]
fn every_page_says_what_one_can_do_after_reading_it() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let pages = std::fs::read_dir(docs).unwrap().map(|entry| entry.unwrap().path());
    for page in pages.filter(|page| page.extension().is_some_and(|it| it == "md")) {
        let text = std::fs::read_to_string(&page).unwrap();
        let top: String = text.split("\n\n").skip(1).take(1).collect();
        // A page that is made from a table is for looking up.
        let is_made = ["ade from", "are made from"].iter().any(|word| top.contains(word));
        assert!(is_made || top.to_lowercase().contains("after "), "{}", page.display());
    }
}
