//! A template has room for so many declarations of each kind; one more is an error of the linter.

use std::fmt::Write as _;
use std::sync::Arc;

use bicep::{Compilation, Compiler, CompilerOptions, FilePath, Generator, MemoryWorld, Severity};

fn compile(text: &str, config: &str) -> Compilation {
    let world = MemoryWorld::default().with_file("/main.bicep", text).with_file("/bicepconfig.json", config);
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let options = CompilerOptions::new(generator);
    Compiler::new(Arc::new(world), options).compile(&FilePath::new("/main.bicep"))
}

/// The rules that a program breaks, with where.
fn broken(text: &str, config: &str) -> Vec<(&'static str, Severity, u32)> {
    let compilation = compile(text, config);
    let all = compilation.findings.iter().flat_map(|(_, found)| found.iter());
    all.filter(|it| it.code.starts_with("max-")).map(|it| (it.code, it.severity, it.span.start)).collect()
}

fn program(count: usize, line: &str) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        writeln!(text, "{}", line.replace('#', &number.to_string())).unwrap();
        text
    })
}

#[test]
fn each_kind_of_declaration_has_its_most() {
    let features = r#"{ "experimentalFeaturesEnabled": { "assertions": true } }"#;
    let kinds = [
        ("max-asserts", 32, "assert a# = true", 7),
        ("max-outputs", 64, "output o# string = ''", 7),
        ("max-params", 256, "param p# string", 6),
        ("max-resources", 800, "resource r# 'A.B/c@2020-01-01' = { name: 'r#' }", 9),
        ("max-variables", 512, "var v# = #", 4),
    ];
    for (rule, most, line, at) in kinds {
        assert_eq!(broken(&program(most, line), features), [], "{rule}");
        let text = program(most + 1, line);
        assert_eq!(broken(&text, features), [(rule, Severity::Error, at)]);
        assert!(compile(&text, features).template.is_none(), "{rule}");
    }
}

#[test]
fn a_configuration_or_a_comment_can_switch_it_off() {
    let text = program(257, "param p# string");
    let level = |level: &str| {
        format!(
            r#"{{ "analyzers": {{ "core": {{ "rules": {{ "max-params": {{ "level": "{level}" }} }} }} }} }}"#
        )
    };
    assert_eq!(broken(&text, &level("off")), []);
    assert_eq!(broken(&text, &level("warning")), [("max-params", Severity::Warning, 6)]);
    assert!(compile(&text, &level("warning")).template.is_some());
    assert_eq!(broken(&format!("#disable-next-line max-params\n{text}"), "{}"), []);
}

#[test]
fn nested_resources_count_and_a_library_of_values_may_be_large() {
    let nested =
        program(399, "resource r# 'A.B/c@2020-01-01' = {\n name: 'r#'\n resource n 'd' = { name: 'n' }\n}");
    let nested = format!("{nested}resource a 'A.B/c@2020-01-01' = {{ name: 'a' }}\n");
    assert_eq!(broken(&nested, "{}"), []);
    let more = format!(
        "{nested}resource b 'A.B/c@2020-01-01' = {{ name: 'b' }}\n resource c 'A.B/c@2020-01-01' = {{ name: 'c' }}\n"
    );
    assert_eq!(broken(&more, "{}"), [("max-resources", Severity::Error, 9)]);
    let library = program(600, "@export()\nvar v# = #");
    assert_eq!(broken(&library, "{}"), []);
    assert_eq!(broken(&format!("{library}output o int = v1\n"), "{}").len(), 1);
}

#[test]
fn a_rule_that_lacks_what_it_needs_is_named_at_the_configuration() {
    let config =
        r#"{ "analyzers": { "core": { "rules": { "use-recent-module-versions": { "level": "error" } } } } }"#;
    let compilation = compile("param used string\noutput o string = used\n", config);
    let (path, found) = compilation.findings.first().unwrap();
    assert_eq!(path.name(), "bicepconfig.json");
    assert_eq!(
        found.iter().map(|it| (it.code, it.severity)).collect::<Vec<_>>(),
        [("use-recent-module-versions", Severity::Warning)]
    );
    assert!(compilation.template.is_some());
    assert!(
        compile("param used string\noutput o string = used\n", &config.replace("error", "warning"))
            .findings
            .is_empty()
    );
}
