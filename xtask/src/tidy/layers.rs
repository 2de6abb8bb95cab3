//! Rules for layers and names: modules do not know each other in circles, and a type's name means one thing.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Tracked, texts};

/// Modules of a crate that may know each other, with the reason. The list only shrinks: a module that left its circle has to leave the list.
const CIRCLES: &[(&str, &[&str], &str)] = &[
    (
        "arm",
        &["expression", "value"],
        "a value may be an expression that is not known yet, and an expression may hold a secret value",
    ),
    (
        "arm",
        &["evaluate", "functions"],
        "functions that take lambdas evaluate them, and the evaluator calls functions",
    ),
    ("contract", &["rules", "shape"], "a rule may hold a shape, and a shape has rules"),
    ("contract", &["judge", "report"], "the same when they are checked: a rule that holds a shape walks it"),
];

/// In how many crates a name may be that of a type.
const HOMES: usize = 3;

/// Who uses whom among the top modules of a crate.
type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

pub(super) fn have_no_circles(files: &[Tracked]) -> Vec<Finding> {
    circles_except(files, CIRCLES)
}

fn circles_except(files: &[Tracked], allowed: &[(&str, &[&str], &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, sources) in crates(files) {
        let mut report = |message| findings.push(Finding::new(&format!("crates/{name}/src"), 0, message));
        let circles = circles(&graph(&sources));
        let listed = allowed.iter().filter(|(other, ..)| *other == name);
        let listed: Vec<BTreeSet<&str>> =
            listed.map(|(_, modules, _)| modules.iter().copied().collect()).collect();
        for circle in circles.iter().filter(|circle| !listed.iter().any(|modules| circle.is_subset(modules)))
        {
            report(format!(
                "the modules {} know each other in a circle; move what they share below both, or list them with the reason",
                quoted(circle)
            ));
        }
        for modules in &listed {
            let inside: BTreeSet<&str> =
                circles.iter().filter(|circle| circle.is_subset(modules)).flatten().copied().collect();
            let left: BTreeSet<&str> = modules.difference(&inside).copied().collect();
            if !left.is_empty() {
                report(format!("listed in a circle, and not in it any more: {}", quoted(&left)));
            }
        }
    }
    findings
}

/// Types that can be seen outside of their file: four that are called the same are four that a reader has to tell apart.
pub(super) fn name_types_apart(files: &[Tracked]) -> Vec<Finding> {
    let mut homes: BTreeMap<&str, BTreeMap<&str, (&str, usize)>> = BTreeMap::new();
    for (name, sources) in crates(files) {
        for (path, text) in sources.iter().filter(|(path, _)| !is_test(path)) {
            for (index, line) in without_tests(text).lines().enumerate() {
                if let Some(type_name) = type_name(line) {
                    homes.entry(type_name).or_default().entry(name).or_insert((path, index + 1));
                }
            }
        }
    }
    let mut findings = Vec::new();
    for (type_name, homes) in homes.iter().filter(|(_, homes)| homes.len() > HOMES) {
        let names: BTreeSet<&str> = homes.keys().copied().collect();
        if let Some((path, line)) = homes.values().next() {
            let message = format!("`{type_name}` is a type of {} crates: {}", homes.len(), quoted(&names));
            findings.push(Finding::new(path, *line, message));
        }
    }
    findings
}

fn quoted(names: &BTreeSet<&str>) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The sources of each product crate, by their whole paths.
fn crates(files: &[Tracked]) -> BTreeMap<&str, Vec<(&str, &str)>> {
    let mut crates: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for (path, text) in texts(files, ".rs") {
        let Some((name, inside)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once('/')) else {
            continue;
        };
        if inside.starts_with("src/") {
            crates.entry(name).or_default().push((path, text));
        }
    }
    crates
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// The code before the module with the tests.
fn without_tests(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// The name of the type that a line declares for others.
fn type_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.next().filter(|word| word.starts_with("pub"))?;
    let mut words = words.skip_while(|word| word.ends_with(')'));
    words.next().filter(|word| ["struct", "enum", "trait", "union"].contains(word))?;
    identifier(words.next()?)
}

/// The identifier at the start of a text.
fn identifier(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

/// The names that the parts of a path through `{...}` start with, or the one that it starts with.
fn first_names(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else { return identifier(path).into_iter().collect() };
    let (mut names, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(group.get(start..at).map(str::trim_start).and_then(identifier));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// What the root of a crate calls by its own name, and the module that it is from.
fn exports<'a>(root: &'a str, modules: &BTreeSet<&'a str>) -> BTreeMap<&'a str, &'a str> {
    let mut exports = BTreeMap::new();
    for statement in root.split("use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let path = statement.strip_prefix("crate::").unwrap_or(statement);
        let Some((module, names)) = path.split_once("::").filter(|(module, _)| modules.contains(module))
        else {
            continue;
        };
        let words = names.split(|c: char| !c.is_alphanumeric() && c != '_');
        exports.extend(words.filter(|word| !word.is_empty()).map(|word| (word, module)));
    }
    exports
}

/// The names behind paths that begin at the root of the crate, in a file that is so many modules below it.
fn names_from_root(code: &str, levels: usize) -> Vec<&str> {
    let mut names = Vec::new();
    let is_code = |at: usize| {
        let line = code.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        !line.contains("//")
    };
    for (at, root) in code.match_indices("crate::").filter(|(at, _)| is_code(*at)) {
        names.extend(code.get(at + root.len()..).map(first_names).unwrap_or_default());
    }
    for (at, up) in code.match_indices("super::").filter(|(at, _)| is_code(*at)) {
        let is_first = code.get(..at).is_some_and(|before| !before.ends_with(up));
        let chain = code.get(at..).unwrap_or_default();
        let rest = chain.trim_start_matches(up);
        if is_first && (chain.len() - rest.len()) / up.len() >= levels {
            names.extend(first_names(rest));
        }
    }
    names
}

/// Which top modules of a crate name which.
fn graph<'a>(sources: &[(&'a str, &'a str)]) -> Graph<'a> {
    // Behind `crates/NAME/src/`.
    let inside = |path: &'a str| path.splitn(4, '/').nth(3).unwrap_or_default();
    let top = |path: &'a str| inside(path).split('/').next().map(|name| name.trim_end_matches(".rs"));
    let (roots, others): (Vec<_>, Vec<_>) =
        sources.iter().copied().partition(|(path, _)| matches!(inside(path), "lib.rs" | "main.rs"));
    let modules: BTreeSet<&str> = others.iter().filter_map(|(path, _)| top(path)).collect();
    let exports: BTreeMap<&str, &str> = roots.iter().flat_map(|(_, text)| exports(text, &modules)).collect();
    let mut graph = Graph::new();
    for (path, text) in others.into_iter().filter(|(path, _)| !is_test(path)) {
        let Some(here) = top(path) else { continue };
        let levels = inside(path).trim_end_matches("/mod.rs").split('/').count();
        for name in names_from_root(without_tests(text), levels) {
            let module = modules.get(name).or_else(|| exports.get(name));
            if let Some(module) = module.filter(|module| **module != here) {
                graph.entry(here).or_default().insert(module);
            }
        }
    }
    graph
}

/// The sets of modules that all lead to each other.
fn circles<'a>(graph: &Graph<'a>) -> BTreeSet<BTreeSet<&'a str>> {
    let reached = |start: &'a str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![start]);
        while let Some(module) = left.pop() {
            left.extend(graph.get(module).into_iter().flatten().filter(|next| seen.insert(**next)));
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|module| (*module, reached(module))).collect();
    let leads = |from: &str, to: &str| reach.get(from).is_some_and(|seen| seen.contains(to));
    let circle = |module: &&str| {
        reach.keys().copied().filter(|other| leads(module, other) && leads(other, module)).collect()
    };
    graph.keys().map(circle).filter(|circle: &BTreeSet<&str>| circle.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{findings, tree};

    const ROOT: (&str, &str) =
        ("crates/a/src/lib.rs", "pub use model::{Model, Part};\nuse crate::{read::Reader};\n");

    #[track_caller]
    fn check(sources: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<(&str, &str)> = sources.iter().copied().chain([ROOT]).collect();
        let found = circles_except(&tree(&files), &[]);
        let circles: Vec<&str> = found
            .iter()
            .map(|it| it.message.trim_start_matches("the modules ").split(" know").next().unwrap())
            .collect();
        assert_eq!(circles, expected);
    }

    #[test]
    fn modules_that_name_each_other_are_found() {
        check(
            &[
                ("crates/a/src/x.rs", "use crate::y::Y;"),
                ("crates/a/src/y/mod.rs", "fn f(x: super::x::X) {}"),
            ],
            &["`x`, `y`"],
        );
        check(
            &[("crates/a/src/x.rs", "use crate::y::Y;"), ("crates/a/src/y/z.rs", "use super::super::x::X;")],
            &["`x`, `y`"],
        );
        let group = "use crate::{\n    w::{self, V},\n    x,\n};";
        check(&[("crates/a/src/x.rs", "use crate::y::Y;"), ("crates/a/src/y.rs", group)], &["`x`, `y`"]);
    }

    #[test]
    fn a_name_of_the_root_is_one_of_its_module() {
        check(
            &[("crates/a/src/x.rs", "use crate::Part;"), ("crates/a/src/model.rs", "use crate::x::X;")],
            &["`model`, `x`"],
        );
    }

    #[test]
    fn one_direction_is_no_circle_and_neither_are_comments_and_tests() {
        let tested = "use crate::y;\n\n#[cfg(test)]\nmod tests {\n    use crate::z::Z;\n}\n";
        check(
            &[
                ("crates/a/src/x.rs", tested),
                (
                    "crates/a/src/y.rs",
                    "//! See [`X`](crate::x::X).\nuse crate::z; // not crate::x\nuse super::z;",
                ),
                ("crates/a/src/y/inner.rs", "use super::x;"),
                ("crates/a/src/z.rs", ""),
                ("crates/a/src/z/tests.rs", "use crate::x;"),
                ("crates/b/src/z.rs", "use crate::x::X;"),
            ],
            &[],
        );
    }

    #[test]
    fn a_circle_may_be_listed_and_the_list_shrinks_with_it() {
        let files = tree(&[
            ("crates/a/src/x.rs", "use crate::y;"),
            ("crates/a/src/y.rs", "use crate::x;"),
            ("crates/a/src/z.rs", ""),
        ]);
        let check = |allowed: &[&str]| {
            let found = circles_except(&files, &[("a", allowed, "they are one thing")]);
            found.into_iter().map(|it| it.message).collect::<Vec<_>>()
        };
        assert_eq!(check(&["x", "y"]), Vec::<String>::new());
        assert_eq!(check(&["x", "y", "z"]), ["listed in a circle, and not in it any more: `z`"]);
        assert_eq!(check(&["y", "z"]).len(), 2, "the circle is not listed, and what is listed is not in one");
    }

    #[test]
    fn a_name_that_types_of_four_crates_have_is_found() {
        let files = [
            ("crates/a/src/x.rs", "pub struct Place;"),
            ("crates/b/src/x.rs", "    pub(crate) enum Place<'a> {"),
            ("crates/c/src/x.rs", "\npub(in crate::y) trait Place {"),
            ("crates/d/src/x.rs", "pub struct Place(u32);\npub struct Other;"),
            (
                "crates/e/src/x.rs",
                "struct Place;\npub fn Other() {}\n\n#[cfg(test)]\nmod tests {\n    pub struct Place;\n}",
            ),
        ];
        assert_eq!(
            findings(name_types_apart, &files),
            ["crates/a/src/x.rs:1: `Place` is a type of 4 crates: `a`, `b`, `c`, `d`"]
        );
        assert_eq!(findings(name_types_apart, &files[1..]), Vec::<String>::new());
    }
}
