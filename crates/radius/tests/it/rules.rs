//! Holds the table of rules to its word: examples break their rule, every rule has a case, the documentation is current.

#![expect(clippy::disallowed_methods, reason = "the specification documents are files")]

use document::{Document, FileId, ReadLimits};
use radius::rule::{ALL, ManifestExample};
use radius::{Manifest, ManifestDialect, ManifestReadOptions, ManifestRule, RuleLevel, RuleStage};

fn codes(text: &str, options: ManifestReadOptions) -> Vec<(&'static str, diagnostics::Severity)> {
    let document = Document::from_yaml(text, FileId::FIRST, &ReadLimits::default())
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    let read = Manifest::read(&document, options);
    read.findings.iter().map(|finding| (finding.rule.code, finding.severity)).collect()
}

#[test]
fn every_example_breaks_its_rule_at_its_level() {
    for rule in ALL.iter().filter(|rule| !rule.example.text().is_empty()) {
        for dialect in [ManifestDialect::Tendon, ManifestDialect::Radius] {
            for gate in [RuleStage::Author, RuleStage::Registry] {
                let options = ManifestReadOptions { dialect, gate };
                let found = codes(&rule.example.manifest(), options);
                let expected = rule.level(options).severity();
                let own = found.iter().find(|(code, _)| *code == rule.code).map(|(_, severity)| *severity);
                assert_eq!(own, expected, "{}: {found:?}\n{}", rule.code, rule.example.manifest());
            }
        }
    }
}

#[test]
fn an_example_breaks_no_other_rule() {
    // These rules come together: what is wrong is wrong in two ways, or an empty type is enough to show it.
    let with = |rule: &ManifestRule| -> &[&str] {
        match rule.code {
            "radius/namespace"
            | "radius/namespace-spelling"
            | "radius/two-namespaces"
            | "radius/location"
            | "radius/several-locations" => &["radius/no-types"],
            "radius/unknown-field"
            | "radius/capability"
            | "radius/unknown-capability"
            | "radius/old-capability"
            | "radius/type-name"
            | "radius/type-twice" => &["radius/no-versions"],
            "radius/two-schemas" => &["radius/schema-place"],
            _ => &[],
        }
    };
    for rule in ALL.iter().filter(|rule| !rule.example.text().is_empty()) {
        for (code, _) in codes(&rule.example.manifest(), ManifestReadOptions::default()) {
            let expected = code == rule.code || code == "radius/description" || with(rule).contains(&code);
            assert!(expected, "{} breaks {code}, too", rule.code);
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let specs = concat!(env!("CARGO_MANIFEST_DIR"), "/resources/specs");
    let mut text = String::new();
    for entry in std::fs::read_dir(specs).unwrap() {
        text += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    let missing: Vec<_> =
        ALL.iter().map(|rule| rule.code).filter(|code| !text.contains(&format!("[{code}]"))).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

/// The page about the rules.
fn page() -> String {
    let mut page = String::from(
        "# Rules for resource types\n\n\
        What `tendon resource-type validate` and the registry ask of a manifest. The page is made from the table of rules; \
        [radius.md](radius.md) says how manifests are written.\n\n\
        `--dialect radius` also refuses what today's Radius refuses.\n\n\
        | code | usually | `--dialect radius` | at the registry |\n|---|---|---|---|\n",
    );
    let word = |level: RuleLevel| level.severity().map_or("-", |severity| severity.name());
    for rule in ALL {
        let options = |dialect, gate| rule.level(ManifestReadOptions { dialect, gate });
        page += &format!(
            "| [`{}`](#{}) | {} | {} | {} |\n",
            rule.code,
            rule.code.replace('/', ""),
            word(options(ManifestDialect::Tendon, RuleStage::Author)),
            word(options(ManifestDialect::Radius, RuleStage::Author)),
            word(options(ManifestDialect::Tendon, RuleStage::Registry)),
        );
    }
    for rule in ALL {
        page += &format!("\n## {}\n\n{}\n", rule.code, rule.text);
        if !rule.example.text().is_empty() {
            page +=
                &format!("\nRefused, as {}:\n\n```yaml\n{}\n```\n", rule.example.what(), rule.example.text());
        }
    }
    // What is only a remark is not refused.
    for rule in ALL.iter().filter(|rule| rule.usual < RuleLevel::Error) {
        let head = format!("## {}\n\n{}\n\nRefused, as", rule.code, rule.text);
        page = page.replace(&head, &head.replace("\n\nRefused, as", "\n\nReported, as"));
    }
    page
}

#[test]
fn the_page_about_the_rules_is_current() {
    spec_test::check_page("docs/radius-rules.md", &page());
}

#[test]
fn examples_are_wrapped_as_manifests() {
    let text = ManifestExample::Property("type: string\nformat: date").manifest();
    assert!(
        text.ends_with("            size:\n              type: string\n              format: date\n"),
        "{text}"
    );
}
