//! Programs that are deep, wide or circular: they give a result or a finding, on a small stack, in little time.

use std::sync::Arc;

use bicep::{Compilation, Compiler, FilePath, Generator, MemoryWorld, Options};

/// Compiles on a stack of the size that threads have by default.
#[expect(clippy::unwrap_used, reason = "a thread that cannot start, or panics, fails the test")]
fn compile(text: String) -> Compilation {
    let world = MemoryWorld::default().with_file("/main.bicep", text);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = Options { generator, az_types: None, symbolic_names: false };
    let compiler = Compiler::new(Arc::new(world), options);
    let work = move || compiler.compile(&FilePath::new("/main.bicep"));
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap()
}

#[test]
fn deep_expressions_are_written_or_refused() {
    for depth in [10, 200, 900, 5_000] {
        compile(format!("var a = {}1{}", "(".repeat(depth), ")".repeat(depth)));
        compile(format!("var a = {}1{}", "[".repeat(depth), "]".repeat(depth)));
        compile(format!("var a = 1{}", " + 1".repeat(depth)));
        compile(format!("param p object\nvar a = p{}", ".x".repeat(depth)));
        compile(format!("var a = {}1{}", "string(".repeat(depth), ")".repeat(depth)));
        compile(format!("type t = {}string{}", "(".repeat(depth), ")".repeat(depth)));
    }
}

#[test]
fn long_chains_of_variables_are_written_or_refused() {
    let mut text =
        String::from("resource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n}\nvar v0 = r.properties.x\n");
    for number in 1..3_000 {
        text.push_str(&format!("var v{number} = '${{v{}}}x'\n", number - 1));
    }
    text.push_str("output o string = v2999\n");
    compile(text);
}

#[test]
fn variables_that_double_are_refused_before_memory_runs_out() {
    let mut text =
        String::from("resource r 'A.B/c@2020-01-01' = {\n  name: 'r'\n}\nvar v0 = r.properties.x\n");
    for number in 1..60 {
        text.push_str(&format!("var v{number} = '${{v{0}}}${{v{0}}}'\n", number - 1));
    }
    text.push_str("output o string = v59\n");
    assert!(compile(text).template.is_none());
}

#[test]
fn constants_that_double_are_checked_once_each() {
    let mut text = String::from("param p string\nvar v0 = p\n");
    for number in 1..60 {
        text.push_str(&format!("var v{number} = '${{v{0}}}${{v{0}}}'\n", number - 1));
    }
    text.push_str("resource r 'A.B/c@2020-01-01' = if (v59 == 'x') {\n  name: v59\n}\n");
    assert!(compile(text).template.is_some());
}

#[test]
fn literals_that_double_stop_being_literals() {
    let doubled = [
        ("'x'", "'${v}${v}'"),
        ("['x']", "concat(v, v)"),
        ("['x']", "[...v, ...v]"),
        ("['x']", "union(v, [v])"),
        ("{ a: 'x' }", "{ a: v, b: v }"),
    ];
    for (start, step) in doubled {
        let mut text = format!("var v0 = {start}\n");
        for number in 1..60 {
            let step = step.replace('v', &format!("v{}", number - 1));
            text.push_str(&format!("var v{number} = {step}\n"));
        }
        text.push_str("output o bool = contains(v59, 'x')\n");
        compile(text);
    }
}

#[test]
fn circles_are_findings() {
    let circle: String =
        (0..500).map(|number| format!("var v{number} = v{}\n", (number + 1) % 500)).collect();
    assert!(compile(circle).has_errors());
    assert!(
        compile("resource a 'A.B/c/d@2020-01-01' = {\n  parent: a\n  name: 'a'\n}".to_owned()).has_errors()
    );
}

#[test]
fn what_is_wrong_with_a_type_is_said_in_its_own_file() {
    let long = format!("@export()\ntype t = {{\n{}  '${{a}}': int\n}}\n", "// filler\n".repeat(100));
    let world = MemoryWorld::default()
        .with_file("/main.bicep", "import { t } from 'types.bicep'\nparam p t\noutput o object = p\n")
        .with_file("/types.bicep", long);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = Options { generator, az_types: None, symbolic_names: false };
    let compilation = Compiler::new(Arc::new(world), options).compile(&FilePath::new("/main.bicep"));
    let codes = |name: &str| -> Vec<&str> {
        let file = compilation.findings.iter().find(|(path, _)| path.name() == name);
        file.map_or_else(Vec::new, |(_, found)| found.iter().map(|finding| finding.code).collect())
    };
    assert!(codes("types.bicep").contains(&"BCP296"));
    assert!(!codes("main.bicep").contains(&"BCP296"));
}
