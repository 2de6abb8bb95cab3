//! A safe fix keeps the meaning: what a program deploys is the same before and after.

#![expect(clippy::disallowed_methods, reason = "this test reads programs and documents from the disk")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext, snapshot};
use arm::evaluate::Moment;
use arm::template::{Template, TemplateLimits};
use bicep::fixes::{FixSafety, all, safety};
use bicep::lint::RULES;
use bicep::{Compiler, CompilerOptions, FilePath, Finding, Generator, MemoryWorld};
use diagnostics::FileId;
use document::{Document, ReadLimits, SourceValue};

const MAIN: &str = "/main.bicep";

/// Every rule that has a safe fix is on.
fn config() -> String {
    let names = RULES.iter().filter(|rule| safety(rule.name) == FixSafety::Safe);
    let rows: Vec<String> =
        names.map(|rule| format!(r#""{}": {{ "level": "warning" }}"#, rule.name)).collect();
    format!(r#"{{ "analyzers": {{ "core": {{ "rules": {{ {} }} }} }} }}"#, rows.join(", "))
}

fn compiler(files: &[(String, String)]) -> Compiler {
    let mut world = MemoryWorld::default().with_file("/bicepconfig.json", config());
    for (path, text) in files {
        world = world.with_file(path.as_str(), text.as_str());
    }
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    Compiler::new(Arc::new(world), CompilerOptions::new(generator))
}

/// A value of a parameter's type, where the template has no default.
fn example(declared: SourceValue<'_>) -> String {
    let first = declared.member("allowedValues").and_then(|values| values.items().next());
    if let Some(text) = first.and_then(SourceValue::as_str) {
        return format!("{text:?}");
    }
    match declared.member("type").and_then(SourceValue::as_str).map(str::to_ascii_lowercase).as_deref() {
        Some("int") => "1",
        Some("bool") => "true",
        Some("array") => "[]",
        Some("object" | "secureobject") => "{}",
        _ => "\"example\"",
    }
    .to_owned()
}

/// What a template deploys, if that is known with such values.
fn deployed(template: &str) -> Option<(Vec<String>, String)> {
    let document = Document::from_json(template, FileId(1), &ReadLimits::DEFAULT).ok()?;
    let declared = document.root().member("parameters");
    let values: Vec<String> = declared
        .iter()
        .flat_map(|declared| declared.members())
        .filter(|(_, it)| it.member("defaultValue").is_none())
        .map(|(name, it)| format!("{:?}: {}", name.as_str().unwrap_or_default(), example(it)))
        .collect();
    let values = format!("{{ {} }}", values.join(", "));
    let values = Arc::new(Document::from_json(values, FileId(2), &ReadLimits::DEFAULT).ok()?);
    let root = values.root().id();
    let inputs = Inputs::from_handwritten(values, root).ok()?;
    let template = Arc::new(Template::read_file(template, FileId::NONE, &TemplateLimits::DEFAULT).ok()?);
    let scope = DeploymentContext::local_scope(template.scope);
    let context =
        DeploymentContext { now: Moment { seconds: 0, ticks: 0 }, ..DeploymentContext::local(scope, "main") };
    let deployment = Deployment::with_inputs(template, &inputs, context, &|_: &_| None).ok()?;
    let predicted = snapshot(Arc::new(deployment)).ok()?;
    let resources =
        predicted.resources.iter().map(|it| known_part(&without_dependencies(&it.to_json()))).collect();
    let outputs = predicted.output_trees.iter();
    let outputs: Vec<String> =
        outputs.map(|(name, value)| format!("{name} = {}", known_part(&value.to_json()))).collect();
    Some((resources, outputs.join("\n")))
}

/// A resource without what it waits for, which a parent says in another place.
fn without_dependencies(resource: &str) -> String {
    let parts = resource.split_once(r#","dependsOn":["#);
    match parts.and_then(|(before, rest)| Some((before, rest.split_once(']')?.1))) {
        Some((before, after)) => format!("{before}{after}"),
        None => resource.to_owned(),
    }
}

/// JSON without the expressions that only a deployment evaluates: `concat` and an interpolation are two of them and one value.
fn known_part(json: &str) -> String {
    let mut out = String::new();
    let mut rest = json;
    while let Some((before, inside)) = rest.split_once('"') {
        let mut escaped = false;
        let end = inside.bytes().position(|byte| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        });
        let (text, after) = inside.split_at(end.unwrap_or(inside.len()));
        out.extend([before, "\"", if text.starts_with('[') { "[...]" } else { text }, "\""]);
        rest = after.strip_prefix('"').unwrap_or_default();
    }
    out + rest
}

#[derive(Default)]
struct Count {
    fixed: usize,
    compared: usize,
}

fn check(name: &str, files: &[(String, String)], main: &str, count: &mut Count) {
    let path = FilePath::new(main);
    let before = compiler(files);
    let Some(template) = before.compile(&path).template else { return };
    let safe = |compiler: &Compiler| -> Vec<Finding> {
        let all = compiler.compile(&path).findings;
        let own = all.iter().filter(|(file, _)| *file == path).flat_map(|(_, found)| found.iter());
        own.filter(|it| !it.fixes.is_empty() && it.fix_safety() == FixSafety::Safe).cloned().collect()
    };
    let Some(fixed) = all(&before, &path, safe) else { return };
    count.fixed += 1;
    let after = before.with_text(&path, &fixed.after).compile(&path).template;
    let after = after.unwrap_or_else(|| panic!("{name}: no template any more\n{}", fixed.after));
    let Some(expect) = deployed(&template) else { return };
    count.compared += 1;
    assert_eq!(deployed(&after), Some(expect), "{name}\n{}\n=>\n{}", fixed.before, fixed.after);
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "node_modules" && name != "target" {
            walk(&path, files);
        } else if path.extension().is_some_and(|it| it == "bicep" || it == "md") {
            files.push(path);
        }
    }
}

/// The fenced blocks of Bicep in a document.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &mut open {
            Some(block) if line.starts_with("```") => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
            None if line.starts_with("```bicep") => open = Some(String::new()),
            None => {}
        }
    }
    blocks
}

#[test]
fn what_is_deployed_is_the_same_after_safe_fixes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["crates", "docs", "examples", "tools"] {
        walk(&root.join(folder), &mut paths);
    }
    let is_program = |path: &PathBuf| path.extension().is_some_and(|it| it == "bicep");
    let inside = |path: &Path| format!("/{}", path.strip_prefix(&root).unwrap().display());
    let programs: Vec<(String, String)> = paths
        .iter()
        .filter(|path| is_program(path))
        .filter_map(|path| Some((inside(path), std::fs::read_to_string(path).ok()?)))
        .collect();
    let mut count = Count::default();
    for (path, _) in &programs {
        check(path, &programs, path, &mut count);
    }
    for path in paths.iter().filter(|path| !is_program(path)) {
        for block in blocks(&std::fs::read_to_string(path).unwrap()) {
            check(&inside(path), &[(MAIN.to_owned(), block)], MAIN, &mut count);
        }
    }
    for rule in RULES.iter().filter(|rule| safety(rule.name) == FixSafety::Safe) {
        for example in rule.examples {
            check(rule.name, &[(MAIN.to_owned(), example.text())], MAIN, &mut count);
        }
    }
    assert!(count.fixed >= 100 && count.compared >= 80, "{} fixed, {} compared", count.fixed, count.compared);
}

#[test]
fn every_rule_with_a_safe_fix_is_there() {
    let known = |name: &str| RULES.iter().any(|rule| rule.name == name);
    for name in ["prefer-interpolation", "no-unused-vars", "use-parent-property", "simplify-json-null"] {
        assert!(known(name) && safety(name) == FixSafety::Safe, "{name}");
    }
    // What a caller gives, or relies on, is not taken away unseen, and nothing is guessed.
    for (name, expect) in [
        ("no-unused-params", FixSafety::Unsafe),
        ("use-recent-api-versions", FixSafety::Unsafe),
        ("use-safe-access", FixSafety::Unsafe),
        ("secure-parameter-default", FixSafety::ByHand),
        ("BCP083", FixSafety::ByHand),
    ] {
        assert_eq!(safety(name), expect, "{name}");
    }
}
