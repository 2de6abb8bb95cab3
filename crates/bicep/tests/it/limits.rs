//! Programs that are deep, wide or circular: they give a result or a finding, on a small stack, in little time.

use std::sync::Arc;

use bicep::{Compilation, Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

/// Compiles on a stack of the size that threads have by default.
fn compile(text: String) -> Compilation {
    let world = MemoryWorld::default().with_file("/main.bicep", text);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions::new(generator);
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
fn cycles_are_findings() {
    let cycle: String = (0..500).map(|number| format!("var v{number} = v{}\n", (number + 1) % 500)).collect();
    assert!(compile(cycle).has_errors());
    assert!(
        compile("resource a 'A.B/c/d@2020-01-01' = {\n  parent: a\n  name: 'a'\n}".to_owned()).has_errors()
    );
}

/// The codes of the findings about the one file of a program.
fn codes(text: &str) -> Vec<&'static str> {
    let findings = compile(text.to_owned()).findings;
    findings.iter().flat_map(|(_, found)| found.iter().map(|finding| finding.code)).collect()
}

#[test]
fn groups_that_are_their_own_scope_are_findings() {
    let group = |name: &str, scope: &str| {
        format!(
            "resource {name} 'Microsoft.Resources/resourceGroups@2025-04-01' = {{\n  name: 'x'\n  location: 'y'\n  \
             scope: {scope}\n}}\n"
        )
    };
    let subscription = "targetScope = 'subscription'\n";
    assert!(codes(&format!("{subscription}{}", group("a", "a"))).contains(&"BCP079"));
    let two = format!("{subscription}{}{}", group("a", "b"), group("b", "a"));
    assert_eq!(codes(&two).iter().filter(|code| **code == "BCP080").count(), 2);
}

#[test]
fn types_that_need_themselves_are_findings() {
    for text in [
        "type a = [a, a?]",
        "type b = [b]\ntype c = b?",
        "type a = a[]\ntype b = a | 'x'",
        "type a = [a]\ntype b = { k: a }",
        "type c = [{ k: c }, c]",
        "type a = [a[], a?]\ntype b = [a, b?, 'x'?]\nparam p b\noutput o b = p",
    ] {
        assert!(codes(text).contains(&"BCP298"), "{text}");
    }
}

#[test]
fn types_that_may_contain_themselves_are_checked_once_for_each_pair() {
    for text in [
        "type a = [a?, a?]\nparam p a\noutput o a = p",
        "type a = { l: a?, r: a? }\nparam p a\noutput o a = { l: p, r: { l: p.?l } }",
        "type a = [a?, b?]\ntype b = [b?, a?, c?]\ntype c = [a?, b?, c?]?\nparam p c\noutput o c = p",
        "type a = { *: a }\nparam p a\nparam q a\noutput o a = true ? p : q",
        "type a = { x: a?, s: string }\ntype b = { x: b?, n: int }\nparam c bool\nparam p a\nparam q b\n\
         var v = c ? p : q\noutput o object = { y: v.?x.?x.?x }",
    ] {
        let made = compile(format!("{text}\n"));
        assert!(made.template.is_some(), "{text}: {:?}", made.findings);
        assert!(made.work < 1_000, "{text}: {}", made.work);
    }
}

#[test]
fn loops_around_a_wrong_object_are_looked_at_once_each() {
    let nested = format!(
        "output o {{ a: string }}[] = {}{{ b: 1 }}{}\n",
        "[for x in [1]: ".repeat(60),
        "]".repeat(60)
    );
    assert!(compile(nested).has_errors());
}

#[test]
fn a_variable_in_many_places_is_compared_once() {
    let mut text = String::from("type a = (a?)[]\nvar v0 = []\n");
    for number in 1..60 {
        text.push_str(&format!("var v{number} = [v{0}, v{0}]\n", number - 1));
    }
    let made = compile(format!("{text}output o a = v59\n"));
    assert!(made.template.is_some() && made.work < 5_000, "{} {:?}", made.work, made.findings);
}

#[test]
fn very_long_cycles_of_types_are_read() {
    for step in ["[tN?]", "{ a: tN? }", "(tN?)[]"] {
        let types = (0..3_000).map(|number| {
            format!("type t{number} = {}\n", step.replace('N', &((number + 1) % 3_000).to_string()))
        });
        compile(types.collect::<String>() + "param p t0\noutput o t7? = null\n");
    }
    let plain: String =
        (1..3_000).map(|number| format!("type t{number} = t{}?\n", (number + 1) % 3_000)).collect();
    compile(format!("{plain}type t0 = [t1?]\nparam p t0\n"));
}

#[test]
fn work_without_end_is_refused_where_it_is() {
    // Each line finds twice what is wrong with the line before it.
    let mut text = String::from("type a = (a?)[]\nvar v0 = ['x']\n");
    for number in 1..30 {
        text.push_str(&format!("var v{number} = [v{0}, v{0}]\n", number - 1));
    }
    let made = compile(format!("{text}output out a = v29\n"));
    let found = made.findings.iter().flat_map(|(_, found)| found.iter());
    let limit: Vec<_> = found.filter(|finding| finding.code == "too-much-work").collect();
    assert!(limit.iter().any(|finding| finding.message.contains("`output out`")), "{limit:?}");
    assert!(made.work <= 2 * bicep::MAX_WORK);
}

#[test]
fn limits_cannot_be_switched_off() {
    let off = "#disable-diagnostics nesting-too-deep expression-too-large too-much-work template-too-large\n";
    let deep = format!("{off}var a = {}1{}\n", "(".repeat(2_000), ")".repeat(2_000));
    assert!(codes(&deep).contains(&"nesting-too-deep"));
    assert!(compile(deep).template.is_none());
}

#[test]
fn values_that_double_where_they_are_written_are_refused() {
    let mut text =
        String::from("resource r 'A.B/c@2020-01-01' existing = {\n  name: 'r'\n}\nvar v0 = r.properties.x\n");
    for number in 1..60 {
        text.push_str(&format!("var v{number} = [v{0}, v{0}]\n", number - 1));
    }
    assert!(codes(&format!("{text}output o array = v59\n")).contains(&"expression-too-large"));
}

#[test]
fn lists_that_double_by_flattening_stop_being_literals() {
    let mut text = String::from("var v0 = [['x']]\n");
    for number in 1..60 {
        text.push_str(&format!("var v{number} = flatten([v{0}, v{0}])\n", number - 1));
    }
    let made = compile(format!("{text}output o array = v59\n"));
    assert!(made.work < 1_000_000, "{}", made.work);
}

#[test]
fn values_behind_too_many_names_are_refused() {
    for (count, code) in [(20, "BCP036"), (200, "nesting-too-deep")] {
        let mut text = String::from("var v0 = { x: 1 }\n");
        for number in 1..=count {
            text.push_str(&format!("var v{number} = {{ y: v{} }}\n", number - 1));
        }
        let made = codes(&format!("{text}type a = {{ x: string?, y: a? }}\noutput o a = v{count}\n"));
        assert!(made.contains(&code), "{count}: {made:?}");
    }
}

#[test]
fn modules_that_double_are_refused_before_they_are_written() {
    let mut world = MemoryWorld::default().with_file("/m40.bicep", "output o string = 'x'\n");
    for level in 0..40 {
        let next = format!("module a 'm{0}.bicep' = {{}}\nmodule b 'm{0}.bicep' = {{}}\n", level + 1);
        world = world.with_file(&format!("/m{level}.bicep"), next);
    }
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions::new(generator);
    let compiler = Compiler::new(Arc::new(world), options);
    let made = compiler.compile(&FilePath::new("/m0.bicep"));
    let found: Vec<_> = made.findings.iter().flat_map(|(_, found)| found.iter()).collect();
    assert!(found.iter().any(|finding| finding.code == "template-too-large"), "{found:?}");
    assert!(compiler.compile(&FilePath::new("/m30.bicep")).template.is_some());
}

#[test]
fn what_is_wrong_with_a_type_is_said_in_its_own_file() {
    let long = format!("@export()\ntype t = {{\n{}  '${{a}}': int\n}}\n", "// filler\n".repeat(100));
    let world = MemoryWorld::default()
        .with_file("/main.bicep", "import { t } from 'types.bicep'\nparam p t\noutput o object = p\n")
        .with_file("/types.bicep", long);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions::new(generator);
    let compilation = Compiler::new(Arc::new(world), options).compile(&FilePath::new("/main.bicep"));
    let codes = |name: &str| -> Vec<&str> {
        let file = compilation.findings.iter().find(|(path, _)| path.name() == name);
        file.map_or_else(Vec::new, |(_, found)| found.iter().map(|finding| finding.code).collect())
    };
    assert!(codes("types.bicep").contains(&"BCP296"));
    assert!(!codes("main.bicep").contains(&"BCP296"));
}

#[test]
fn constants_that_double_are_not_held_against_validators() {
    let module = "func fine(x array) object => { kind: 'success' }\n@fine()\nparam p array\n";
    let mut main = "var v0 = ['a', 'b']\n".to_owned();
    for line in 1..60 {
        main.push_str(&format!("var v{line} = [v{0}, v{0}]\n", line - 1));
    }
    main.push_str("module m 'module.bicep' = {\n  params: {\n    p: v59\n  }\n}\n");
    let world = MemoryWorld::default().with_file("/main.bicep", &main).with_file("/module.bicep", module);
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    let compiled = compiler.compile(&FilePath::new("/main.bicep"));
    let codes: Vec<_> = compiled.findings.iter().flat_map(|(_, found)| found.iter()).collect();
    assert!(codes.iter().all(|finding| finding.code != "validator-failed"), "{codes:?}");
}

/// A first line, then one that is repeated with its number and the one before, then a last one.
fn ladder(first: &str, step: &str, last: &str, count: usize) -> String {
    let fill = |line: &str, own: usize| {
        line.replace("#", &own.to_string()).replace("%", &own.saturating_sub(1).to_string())
    };
    let steps: String = (1..=count).map(|number| fill(step, number) + "\n").collect();
    format!("{first}\n{steps}{}\n", fill(last, count + 1))
}

#[test]
fn types_that_double_as_unions_are_written_once_each() {
    let steps = [
        "type t# = t% | t%",
        "type t# = (t% | t%)?",
        "type t# = t%! | t%?",
        "type o# = { x: t% | t% }\ntype t# = o#.x",
        "type o# = { *: t% | t% }\ntype t# = o#.*",
        "type o# = (t% | t%)[]\ntype t# = o#[*]",
        "type o# = [t% | t%]\ntype t# = o#[0]",
        "type t# = (t%) | (t%) | (t%)",
    ];
    for step in steps {
        let text = ladder("type t0 = 'a'", step, "param p t%\noutput o t% = p!", 40);
        let template = compile(text).template.unwrap_or_else(|| panic!("{step}"));
        assert!(template.len() < 50_000, "{step}: {} bytes", template.len());
        assert!(template.contains("\"allowedValues\""), "{step}");
    }
}

#[test]
fn literals_are_found_through_any_number_of_names() {
    // The last declaration comes first, so that none of the others was looked at before.
    let mut lines: Vec<String> =
        (1..2_000).map(|number| format!("type t{number} = t{} | 'a'", number - 1)).collect();
    lines.push("type t0 = 'first' | null".to_owned());
    lines.reverse();
    let template = compile(lines.join("\n")).template.unwrap();
    assert_eq!(template.matches("\"first\"").count(), 2_000);
}

#[test]
fn literal_objects_that_double_are_refused_before_memory_runs_out() {
    let steps = [("type t# = { a: t%, b: t% }", "{ a: 'y' }"), ("type t# = [t%, t%]", "['y']")];
    for (step, other) in steps {
        let last = format!("type u = t% | {other}\nparam p u");
        let small = ladder("type t0 = 'x'", step, &last, 5);
        assert!(compile(small).template.is_some_and(|it| it.matches("\"x\"").count() >= 32), "{step}");
        let large = ladder("type t0 = 'x'", step, &last, 60);
        let compilation = compile(large);
        let found = compilation.findings.iter().flat_map(|(_, found)| found.iter());
        assert!(compilation.template.is_none());
        assert!(found.map(|it| it.code).any(|code| code == "expression-too-large"), "{step}");
    }
}

/// Compiles one of several files.
fn compile_files(files: Vec<(String, String)>, entry: &str) -> Compilation {
    let world = files.iter().fold(MemoryWorld::default(), |world, (name, text)| world.with_file(name, text));
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    Compiler::new(Arc::new(world), CompilerOptions::new(generator)).compile(&FilePath::new(entry))
}

#[test]
fn parameters_come_through_any_number_of_files() {
    let mut files = vec![("/main.bicep".to_owned(), "param p string\noutput o string = p\n".to_owned())];
    files.push(("/f0.bicepparam".to_owned(), "using none\nparam p = 'x'\n".to_owned()));
    for number in 1..200 {
        let text = format!("using none\nextends 'f{}.bicepparam'\n", number - 1);
        files.push((format!("/f{number}.bicepparam"), text));
    }
    let text = "using 'main.bicep'\nextends 'f199.bicepparam'\n".to_owned();
    files.push(("/last.bicepparam".to_owned(), text));
    let compilation = compile_files(files, "/last.bicepparam");
    assert!(!compilation.has_errors(), "{:?}", compilation.findings);
    assert!(compilation.template.is_some_and(|it| it.contains("\"value\": \"x\"")));
}

#[test]
fn what_is_wrong_with_a_file_that_others_import_from_is_found() {
    let library = "@export()\nvar v = missing\n@export()\nvar w = 1\n".to_owned();
    let files = vec![
        ("/main.bicep".to_owned(), "import { w } from 'library.bicep'\noutput o int = w\n".to_owned()),
        ("/library.bicep".to_owned(), library),
    ];
    let compilation = compile_files(files, "/main.bicep");
    let found = compilation.findings.iter().flat_map(|(path, it)| it.iter().map(|it| (path.name(), it.code)));
    assert!(found.into_iter().any(|it| it == ("library.bicep", "BCP057")), "{:?}", compilation.findings);
}

#[test]
fn values_come_through_any_number_of_files() {
    let mut files = vec![("/f0.bicep".to_owned(), "@export()\nvar v = 'deep'\n".to_owned())];
    for number in 1..300 {
        let text = format!("import {{ v as w }} from 'f{}.bicep'\n@export()\nvar v = w\n", number - 1);
        files.push((format!("/f{number}.bicep"), text));
    }
    files
        .push(("/main.bicep".to_owned(), "import { v } from 'f299.bicep'\noutput o string = v\n".to_owned()));
    let compilation = compile_files(files, "/main.bicep");
    assert!(compilation.template.is_some_and(|it| it.contains("deep")), "{:?}", compilation.findings);
}
