//! The page of lint rules is made from the table, so that it cannot tell another story than the code.

#![expect(clippy::disallowed_methods, reason = "the page is a file")]

use std::fmt::Write as _;
use std::sync::Arc;

use bicep::lint::RULES;
use bicep::{Compiler, FilePath, Generator, MemoryWorld, Options};

#[test]
fn the_page_of_lint_rules_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lint-rules.md");
    let page = page();
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == page, "docs/lint-rules.md is stale: run the tests with TENDON_UPDATE=1");
}

fn page() -> String {
    let mut out = String::from(
        r##"# Lint rules

The rules of the public Bicep compiler's linter. Tendon knows them all by name, level and place of explanation, so that
configurations and comments that name them keep their meaning. Programs are checked for those with a yes in the table so
far. A configuration that makes an error of another one gets a warning, because nothing that breaks it is found. This page
is made from the table in `crates/bicep/src/lint`.

A rule has a level: `off`, `info`, `warning` or `error`. `bicepconfig.json` can give it another:

```json
{ "analyzers": { "core": { "rules": { "no-unused-params": { "level": "error" } } } } }
```

`"enabled": false` under `core` switches all of them off. In a file, `#disable-next-line no-unused-params` is for one line,
and `#disable-diagnostics no-unused-params` is until `#restore-diagnostics no-unused-params` or the end of the file. Names
of rules and codes such as `BCP081` can be mixed. Everything that a rule finds can be switched off so; of what the language
itself finds, everything but errors.

| rule | level | looked for | about | what it demands |
|---|---|---|---|---|
"##,
    );
    for rule in RULES {
        writeln!(
            out,
            "| [`{}`]({}) | {} | {} | {} | {} |",
            rule.name,
            rule.link(),
            rule.default_level(),
            if rule.is_looked_for() { "yes" } else { "no" },
            rule.category.title(),
            rule.summary
        )
        .unwrap();
    }
    for rule in RULES.iter().filter(|rule| rule.is_looked_for()) {
        writeln!(out, "\n## {}\n\n{}", rule.name, rule.documentation).unwrap();
        for example in rule.examples {
            let verdict = match example.found {
                Some(found) => format!("`{found}` is found"),
                None => "Nothing is found".to_owned(),
            };
            let verdict = match example.times {
                1 => format!("{verdict}:"),
                times => format!("{verdict} where this stands {times} times, numbered in place of `#`:"),
            };
            writeln!(out, "\n{verdict}\n\n```bicep\n{}```", example.program).unwrap();
        }
    }
    out
}

#[test]
fn examples_break_and_keep_their_rules() {
    for rule in RULES {
        for example in rule.examples {
            let program = example.text();
            let config = r#"{ "experimentalFeaturesEnabled": { "assertions": true } }"#;
            let world = MemoryWorld::default()
                .with_file("/main.bicep", program.as_str())
                .with_file("/bicepconfig.json", config);
            let generator = Generator { name: "bicep".into(), version: "dev".into() };
            let options = Options::new(generator);
            let compiled = Compiler::new(Arc::new(world), options).compile(&FilePath::new("/main.bicep"));
            let findings = compiled.findings.iter().flat_map(|(_, findings)| findings.iter());
            let own = findings.filter(|finding| finding.code == rule.name);
            let places = own.map(|it| program.get(it.span.start as usize..it.span.end as usize).unwrap());
            assert_eq!(places.collect::<Vec<_>>(), Vec::from_iter(example.found), "{}", rule.name);
        }
    }
}
