//! The page of lint rules is made from the table, so that it cannot tell another story than the code.

use std::fmt::Write as _;
use std::sync::Arc;

use bicep::lint::{Example, LintRule, RULES};
use bicep::{Compiler, CompilerOptions, Edit, FilePath, Finding, Generator, MemoryWorld};
use bicep_types::TypeStore;

#[test]
fn the_page_of_lint_rules_is_up_to_date() {
    spec_test::check_page("docs/lint-rules.md", &page());
}

fn page() -> String {
    let mut out = String::from(
        r##"# Lint rules

The rules of the public Bicep compiler's linter. Tendon knows them all by name, level and place of explanation, so that
configurations and comments that name them keep their meaning. Programs are checked for all of them. This page is made from
the table in `crates/bicep/src/lint`.

A rule has a level: `off`, `info`, `warning` or `error`. `bicepconfig.json` can give it another:

```json
{ "analyzers": { "core": { "rules": { "no-unused-params": { "level": "error" } } } } }
```

`"enabled": false` under `core` switches all of them off. In a file, `#disable-next-line no-unused-params` is for one line,
and `#disable-diagnostics no-unused-params` is until `#restore-diagnostics no-unused-params` or the end of the file. Names
of rules and codes such as `BCP081` can be mixed. Everything that a rule finds can be switched off so; of what the language
itself finds, everything but errors.

`tendon lint --fix` makes the fixes that are safe: the program deploys the same as before, and those who use the file notice nothing.
`--unsafe-fixes` adds those that change what is deployed or what callers have to give. Fixes that are guesses, and those that take away
what callers rely on, are offered by editors alone, one at a time. No fix moves an API version back or to a preview.

| rule | level | about | what it demands |
|---|---|---|---|
"##,
    );
    for rule in RULES {
        writeln!(
            out,
            "| [`{}`]({}) | {} | {} | {} |",
            rule.name,
            rule.link(),
            rule.default_level(),
            rule.category.title(),
            rule.summary
        )
        .unwrap();
    }
    for rule in RULES {
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
            if let Some(using) = example.using {
                writeln!(out, "\n`main.bicep` is:\n\n```bicep\n{using}```").unwrap();
            }
            let safety = bicep::fixes::safety(rule.name).words();
            match example.fixed {
                Some("") => writeln!(out, "\nThe fix, which {safety}, takes it away.").unwrap(),
                Some(fixed) => writeln!(out, "\nThe fix, which {safety}:\n\n```bicep\n{fixed}```").unwrap(),
                None => {}
            }
        }
    }
    out
}

#[test]
fn examples_break_and_keep_their_rules() {
    for rule in RULES {
        for example in rule.examples {
            let found = findings(rule, example, &example.text());
            let text = |it: &Finding| {
                let program = example.text();
                program.get(it.span.start as usize..it.span.end as usize).unwrap().to_owned()
            };
            let places: Vec<String> = found.iter().map(text).collect();
            assert_eq!(places, Vec::from_iter(example.found), "{}\n{}", rule.name, example.program);
        }
    }
}

#[test]
fn fixes_make_what_examples_say() {
    for rule in RULES {
        for example in rule.examples {
            let program = example.text();
            let found = findings(rule, example, &program);
            let fixes = found.iter().filter_map(|it| it.fixes.first());
            let mut edits: Vec<&Edit> = fixes.flat_map(|fix| &fix.edits).collect();
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
            let mut fixed = program.clone();
            for edit in &edits {
                fixed.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
            }
            let fixed = (!edits.is_empty()).then_some(fixed);
            assert_eq!(fixed.as_deref(), example.fixed, "{}\n{}", rule.name, example.program);
            if let Some(fixed) = fixed {
                assert_eq!(findings(rule, example, &fixed), [], "{}\n{fixed}", rule.name);
            }
        }
    }
}

#[test]
fn what_was_meant_is_a_fix() {
    let program = "var o = { capacity: 1, 'other-capacities': 2 }\noutput a object = resourceGrup()\n\
        output b int = o['capacty']\noutput c int = o.other_capacities\n";
    let world = MemoryWorld::default().with_file("/main.bicep", program);
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiled = Compiler::new(Arc::new(world), CompilerOptions::new(generator))
        .compile(&FilePath::new("/main.bicep"));
    let core = compiled.findings.iter().flat_map(|(_, found)| found.iter()).filter(|it| it.is_error());
    let fixes = core.flat_map(|it| &it.fixes).flat_map(|fix| &fix.edits);
    let changes: Vec<(&str, &str)> =
        fixes.map(|edit| (edit.span.text(program), edit.text.as_str())).collect();
    // A name with a dash cannot stand behind a dot.
    assert_eq!(changes, [("resourceGrup", "resourceGroup"), ("'capacty'", "'capacity'")]);
}

#[test]
fn a_configuration_says_which_api_versions_are_recent() {
    let messages = |settings: &str, program: &str| {
        let config = format!(
            r#"{{ "analyzers": {{ "core": {{ "rules": {{ "use-recent-api-versions": {{ "level": "warning"{settings} }} }} }} }} }}"#
        );
        let world = MemoryWorld::default().with_file("/bicepconfig.json", config);
        let world = world.with_file("/main.bicep", program);
        let compiled = Compiler::new(Arc::new(world), options()).compile(&FilePath::new("/main.bicep"));
        let found = compiled.findings.iter().flat_map(|(_, found)| found.iter());
        let found = found.filter(|it| it.code == "use-recent-api-versions");
        found.map(|it| it.message.to_string()).collect::<Vec<_>>()
    };
    let old = "resource app 'Test.Rp/secrets@2018-01-01' = {\n  name: 'app'\n}\n";
    let why = "the API version `2018-01-01` of `Test.Rp/secrets` is 2343 days old, it should be the latest or at most";
    assert_eq!(messages("", old), [format!("{why} 730 days old")]);
    assert_eq!(messages(r#", "maxAgeInDays": 2342"#, old), [format!("{why} 2342 days old")]);
    assert_eq!(messages(r#", "maxAgeInDays": 2343"#, old), [""; 0]);
    // The other version came out 152 days ago.
    assert_eq!(messages(r#", "gracePeriodInDays": 153"#, old), [""; 0]);
    assert_eq!(messages(r#", "gracePeriodInDays": 152"#, old), [format!("{why} 730 days old")]);
    let wrong = messages(r#", "maxAgeInDays": -1, "gracePeriodInDays": "few""#, old);
    let not_days =
        |name, days| format!("`{name}` of the configuration is not a number of days, {days} is used");
    let expected =
        [not_days("maxAgeInDays", 730), not_days("gracePeriodInDays", 90), format!("{why} 730 days old")];
    assert_eq!(wrong, expected);

    let read = |arguments: &str| messages("", &format!("output state object = reference({arguments})\n"));
    assert_eq!(
        read("resourceId('Test.Rp/secrets', 'a', 'b'), '2018-01-01'"),
        [format!("{why} 730 days old")]
    );
    assert_eq!(read("'Test.Rp/secrets/more', '2018-01-01'"), [format!("{why} 730 days old")]);
    assert_eq!(
        read("resourceId('Test.Rp/secrets', 'a'), '2019-01-01'"),
        ["`Test.Rp/secrets` has no API version `2019-01-01`"]
    );
    assert_eq!(
        read("resourceId('Test.Rp/secrts', 'a'), '2018-01-01'"),
        ["there is no resource type `Test.Rp/secrts`"]
    );
    assert_eq!(read("resourceId('Test.Rp/secrets', 'a')"), [""; 0]);

    let named = |argument: &str| {
        let text = old.replace("2018", "2024");
        messages("", &format!("{text}output state object = reference({argument}, '2018-01-01')\n")).len()
    };
    assert_eq!([named("app.id"), named("'app'"), named("'other'")], [1, 1, 0]);
    // A nested resource has the version of the one around it, and a version that there is not is an error elsewhere.
    let nested = "resource app 'Test.Rp/secrets@2018-01-01' = {\n  name: 'app'\n  resource part 'parts' = {\n    \
        name: 'part'\n  }\n}\n";
    assert_eq!(messages("", nested).len(), 1);
    assert_eq!(messages("", &old.replace("2018", "2019")), [""; 0]);
}

#[test]
fn modules_are_compared_with_an_index() {
    let program = "module a 'br/public:avm/res/app:1.0.0' = {}\nmodule b 'br:mcr.microsoft.com/bicep/avm/res/app:0.1.0' = {}\n\
        module c 'br:example.com/bicep/avm/res/app:1.0.0' = {}\nmodule d 'br/public:avm/res/app:latest' = {}\n\
        module e 'br/public:avm/res/other:1.0.0' = {}\n";
    let found = |config: &str, index: &str| {
        let rules =
            r#""analyzers": { "core": { "rules": { "use-recent-module-versions": { "level": "error" } } } }"#;
        let world = MemoryWorld::default().with_file("/bicepconfig.json", format!("{{ {config} {rules} }}"));
        let world = world.with_file("/src/main.bicep", program).with_file("/index.json", index);
        let compiled = Compiler::new(Arc::new(world), options()).compile(&FilePath::new("/src/main.bicep"));
        let found = compiled.findings.iter().flat_map(|(_, found)| found.iter());
        let found = found.filter(|it| it.code == "use-recent-module-versions");
        found.map(|it| (it.span.start, it.message.to_string())).collect::<Vec<_>>()
    };
    let config = r#""tendon": { "moduleIndex": "index.json" },"#;
    let later = "the module `avm/res/app` has the later version 1.0.1".to_owned();
    let index = r#"[{ "moduleName": "avm/res/app", "tags": ["1.0.1", "0.9.0"] }]"#;
    assert_eq!(found(config, index), [(9, later.clone()), (53, later)]);
    let broken = found(config, "{}");
    assert!(
        broken.len() == 1 && broken[0].1.starts_with("the index of modules `/index.json` cannot be read")
    );
    let unchecked = "`use-recent-module-versions` is an error here, but no program is checked for it without \
        `tendon.moduleIndex`";
    assert_eq!(found("", index).iter().map(|it| it.1.as_str()).collect::<Vec<_>>(), [unchecked]);
}

#[test]
fn parameters_that_decide_are_found_through_modules_defaults_and_templates() {
    let found = |params: &str, name: &str, modules: &[(&str, &str)]| {
        let config = r#"{ "analyzers": { "core": { "rules": { "what-if-short-circuiting": { "level": "warning" } } } } }"#;
        let main = format!(
            "resource app 'Test.Rp/secrets@2024-01-01' existing = {{\n  name: 'app'\n}}\nvar late = app.properties.password\n\
            module m '{name}' = {{\n  name: 'm'\n  params: {params}\n}}\n"
        );
        let mut world =
            MemoryWorld::default().with_file("/bicepconfig.json", config).with_file("/main.bicep", &main);
        for (path, text) in modules {
            world = world.with_file(path, text);
        }
        let compiled = Compiler::new(Arc::new(world), options()).compile(&FilePath::new("/main.bicep"));
        let found = compiled.findings.iter().flat_map(|(_, found)| found.iter());
        let found = found.filter(|it| it.code == "what-if-short-circuiting");
        let named =
            |it: &Finding| it.message.split(" of the module").next().unwrap_or_default().replace('`', "");
        found.map(|it| format!("{} = {}", named(it), it.span.text(&main))).collect::<Vec<_>>()
    };
    let none = Vec::<String>::new();
    let resource = "resource app 'Test.Rp/secrets@2024-01-01' = if (on == 'yes') {\n  name: name\n  properties: {\n    \
        password: text\n  }\n}\n";
    let inner = format!("param name string\nparam on string = 'yes'\nparam text string = ''\n{resource}");
    let inner = ("/inner.bicep", inner.as_str());
    let direct = |params: &str| found(params, "inner.bicep", &[inner]);
    assert_eq!(
        direct("{ name: late, on: app.properties.password, text: late }"),
        ["name = late", "on = app.properties.password"]
    );
    assert_eq!(direct("{ name: app.name, on: 'no', text: late }"), none);
    assert_eq!(direct("{ name: 'a', ...{ on: late } }"), ["a parameter = { on: late }"]);

    let outer = "param a string\nparam b string\nparam c string = '${b}-${d}'\nparam d string = ''\nvar e = { f: a }\n\
        module m 'inner.bicep' = {\n  name: 'm-${d}'\n  params: {\n    name: e.f\n    on: c\n    text: d\n  }\n}\n";
    let through = |params: &str| found(params, "outer.bicep", &[inner, ("/outer.bicep", outer)]);
    assert_eq!(through("{ a: late, b: late }"), ["a = late", "b = late"]);
    assert_eq!(through("{ a: 'a', b: late, c: 'c', d: late }"), none);
    assert_eq!(through("{ a: 'a', b: 'b', d: late }"), ["d = late"]);

    let template = r#"{
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": { "name": { "type": "string" }, "version": { "type": "string" }, "tag": { "type": "string" },
            "nested": { "type": "string" }, "deployment": { "type": "string" }, "outer": { "type": "string" } },
        "variables": { "v": "[parameters('version')]", "copy": [
            { "name": "list", "count": 2, "input": "[concat(parameters('name'), copyIndex('list'))]" } ] },
        "resources": [
            { "type": "Test.Rp/secrets", "apiVersion": "[variables('v')]", "name": "[variables('list')[0]]",
              "tags": { "tag": "[parameters('tag')]" } },
            { "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "[parameters('deployment')]",
              "properties": { "mode": "Incremental", "expressionEvaluationOptions": { "scope": "Inner" },
                "parameters": { "Named": { "value": "[parameters('nested')]" }, "tag": { "value": "[parameters('tag')]" } },
                "template": {
                    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                    "contentVersion": "1.0.0.0",
                    "parameters": { "named": { "type": "string" }, "tag": { "type": "string" } },
                    "resources": { "app": { "type": "Test.Rp/secrets", "apiVersion": "2024-01-01",
                        "name": "[parameters('named')]", "tags": { "tag": "[parameters('tag')]" } } } } } },
            { "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
              "properties": { "mode": "Incremental", "template": { "resources": [
                { "type": "Test.Rp/secrets", "apiVersion": "2024-01-01", "name": "[parameters('outer')]" } ] } } }
        ] }"#;
    let names = ["name", "version", "tag", "nested", "deployment", "outer"];
    let params = format!("{{ {} }}", names.map(|name| format!("{name}: late")).join(", "));
    let expected = ["name = late", "version = late", "nested = late", "outer = late"];
    assert_eq!(found(&params, "inner.json", &[("/inner.json", template)]), expected);
}

/// What a rule finds in a program.
fn findings(rule: &LintRule, example: &Example, program: &str) -> Vec<Finding> {
    let config = format!(
        r#"{{ "tendon": {{ "moduleIndex": "modules/index.json" }},
        "experimentalFeaturesEnabled": {{ "assertions": {}, "moduleExtensionConfigs": {} }},
        "analyzers": {{ "core": {{ "rules": {{ "{}": {{ "level": "warning" }} }} }} }} }}"#,
        rule.name == "max-asserts",
        rule.name == "stacks-extensibility-compat",
        rule.name
    );
    let mut world = MemoryWorld::default().with_file("/bicepconfig.json", config);
    let name = match example.using {
        Some(using) => {
            world = world.with_file("/main.bicep", using);
            "/main.bicepparam"
        }
        None => "/main.bicep",
    };
    world = world.with_file(name, program).with_file("/shared.bicep", "@export()\nvar size = 1\n");
    let located = "param location string = resourceGroup().location\noutput place string = location\n";
    world = world.with_file("/located.bicep", located);
    let named = "param name string\nresource app 'Test.Rp/secrets@2024-01-01' = {\n  name: name\n}\n";
    world = world.with_file("/named.bicep", named);
    let index = r#"[{ "moduleName": "avm/res/app", "tags": ["1.0.0", "1.1.0"] }]"#;
    world = world.with_file("/modules/index.json", index);
    let compiled = Compiler::new(Arc::new(world), options()).compile(&FilePath::new(name));
    let findings = compiled.findings.iter().filter(|(path, _)| path.as_str() == name);
    findings.flat_map(|(_, found)| found.iter()).filter(|it| it.code == rule.name).cloned().collect()
}

/// With a few types, on the first of June in 2024.
fn options() -> CompilerOptions {
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let today = time::Date::from_calendar_date(2024, time::Month::June, 1).ok();
    CompilerOptions { az_types: Some(types()), today, ..CompilerOptions::new(generator) }
}

/// A resource type whose `password` is a secret, in two versions.
fn types() -> Arc<TypeStore> {
    let index = r#"{ "resources": { "Test.Rp/secrets@2018-01-01": { "$ref": "types.json#/4" },
        "Test.Rp/secrets@2024-01-01": { "$ref": "types.json#/4" } } }"#;
    let types = r##"[
        { "$type": "StringType" },
        { "$type": "StringType", "sensitive": true },
        { "$type": "ObjectType", "name": "Properties",
          "properties": { "password": { "type": { "$ref": "#/1" }, "flags": 0 } } },
        { "$type": "ObjectType", "name": "Secrets", "properties": {
            "name": { "type": { "$ref": "#/0" }, "flags": 25 },
            "properties": { "type": { "$ref": "#/2" }, "flags": 0 } } },
        { "$type": "ResourceType", "name": "Test.Rp/secrets@2024-01-01", "body": { "$ref": "#/3" },
          "readableScopes": 8, "writableScopes": 8 }
    ]"##;
    let index = bicep_types::read_index("index.json", index.as_bytes()).unwrap();
    Arc::new(TypeStore::from_index(&index, move |_: &str| Ok(types.as_bytes().to_vec())))
}

#[test]
fn what_a_file_with_errors_exports_is_not_called_unused() {
    let unused = |shared: &str| {
        let program = "import * as all from 'shared.bicep'\nimport { size } from 'shared.bicep'\n";
        let world =
            MemoryWorld::default().with_file("/main.bicep", program).with_file("/shared.bicep", shared);
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let found = compiler.check(&FilePath::new("/main.bicep"), &|| true).unwrap();
        found.iter().filter(|finding| finding.code == "no-unused-imports").count()
    };
    assert_eq!(unused("@export()\nvar size = 1\n"), 2);
    assert_eq!(unused("@export()\nvar size = 1\nvar broken = size.\n"), 0);
}
