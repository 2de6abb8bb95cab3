//! Modules and extensions of registries: restored, published and used, with a registry in memory.

use std::process::Output;

use registry::{About, Keychain, Pace, Package, Place, Registries};
use registry_server::Memory;

use crate::support::Folder;

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "size": { "type": "int" } },
  "resources": [],
  "outputs": { "twice": { "type": "int", "value": "[mul(2, parameters('size'))]" } }
}"#;

/// Puts modules into a registry, by their tags.
fn push_all<'m>(server: &Memory, modules: impl IntoIterator<Item = (&'m str, &'m str)>) {
    let registries = Registries::new(Keychain::default(), Pace::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (tag, template) in modules {
        let place = Place::new(&server.host(), "team/thing", tag).unwrap();
        let package = Package::module(template.as_bytes().to_vec(), None, About::default());
        runtime.block_on(registries.push(&place, &package)).unwrap();
    }
}

fn push(server: &Memory, tag: &str, template: &str) {
    push_all(server, [(tag, template)]);
}

/// What a command says, and how it ends.
fn said(folder: &Folder, line: &str) -> String {
    let Output { status, stdout, stderr } = folder.run_line(line, b"");
    format!("{}{}{:?}", folder.anonymous(&stdout), folder.anonymous(&stderr), status.code())
}

fn program(server: &Memory, tag: &str) -> String {
    let host = server.host();
    format!(
        "module thing 'br:{host}/team/thing:{tag}' = {{\n  name: 'thing'\n  params: {{ size: 2 }}\n}}\noutput four int = thing.outputs.twice\n"
    )
}

#[test]
fn a_build_restores_what_is_missing() {
    let server = Memory::start().unwrap();
    push(&server, "1.0", TEMPLATE);
    let folder = Folder::with(&[("main.bicep", program(&server, "1.0").as_bytes())]);
    let offline = said(&folder, "tendon build main.bicep --no-restore --stdout");
    assert!(offline.contains("BCP190") && offline.ends_with("Some(1)"), "{offline}");
    let built = said(&folder, "tendon build main.bicep --stdout");
    assert!(built.contains("mul(2, parameters('size'))") && built.ends_with("Some(0)"), "{built}");
    let requests = server.requests().len();
    let again = said(&folder, "tendon build main.bicep --stdout");
    assert_eq!(again, built);
    assert_eq!(server.requests().len(), requests);
    let cached = format!(".bicep/br/{}/team$thing/1.0$", server.host().replace(':', "$"));
    for file in ["main.json", "manifest", "metadata"] {
        assert!(folder.path(&cached).join(file).is_file(), "{file}");
    }
}

#[test]
fn every_command_that_compiles_restores() {
    for line in [
        "tendon lint main.bicep",
        "tendon snapshot main.bicep",
        "tendon validate main.bicep",
        "tendon build-params main.bicepparam --stdout",
        "bicep build main.bicep --stdout",
        "bicep restore main.bicep",
    ] {
        let server = Memory::start().unwrap();
        push(&server, "1.0", TEMPLATE);
        let folder = Folder::with(&[
            ("main.bicep", program(&server, "1.0").as_bytes()),
            ("main.bicepparam", b"using 'main.bicep'\n"),
        ]);
        let said = said(&folder, line);
        assert!(said.ends_with("Some(0)"), "{line}: {said}");
        assert!(!server.requests().is_empty(), "{line}");
    }
}

#[test]
fn what_cannot_be_restored_is_a_finding_where_it_is_named() {
    let server = Memory::start().unwrap();
    let host = server.host();
    let text = format!(
        "module a 'br:{host}/team/thing:9' = {{\n  name: 'a'\n}}\nmodule b 'br:registry.example.com/b:1' = {{\n  name: 'b'\n}}\nmodule c 'ts:00000000-0000-0000-0000-000000000001/group/spec:v1' = {{\n  name: 'c'\n}}\n"
    );
    let folder = Folder::with(&[("main.bicep", text.as_bytes())]);
    let restored = said(&folder, "tendon restore main.bicep");
    let expected = format!(
        "/FOLDER/main.bicep(1,10) : Error BCP192: `br:{host}/team/thing:9` cannot be restored: the registry does not have it [https://aka.ms/bicep/core-diagnostics#BCP192]
/FOLDER/main.bicep(4,10) : Error BCP446: `br:registry.example.com/b:1` is not restored, because its registry is not trusted; if you trust it, name its host in the variable BICEP_TRUSTED_REGISTRIES [https://aka.ms/bicep/core-diagnostics#BCP446]
/FOLDER/main.bicep(7,10) : Error BCP192: `ts:00000000-0000-0000-0000-000000000001/group/spec:v1` cannot be restored: template specs are kept by Azure, which is not asked; write its template to `/FOLDER/.bicep/ts/00000000-0000-0000-0000-000000000001/group/spec/v1/main.json` [https://aka.ms/bicep/core-diagnostics#BCP192]
Some(1)"
    );
    assert_eq!(restored, expected);
    let built = said(&folder, "tendon build main.bicep --stdout");
    assert!(built.contains("BCP192") && built.contains("BCP446") && built.ends_with("Some(1)"), "{built}");
}

#[test]
fn force_fetches_what_is_there_and_keeps_it_if_that_fails() {
    let server = Memory::start().unwrap();
    push(&server, "1.0", TEMPLATE);
    let folder = Folder::with(&[("main.bicep", program(&server, "1.0").as_bytes())]);
    assert_eq!(said(&folder, "tendon restore main.bicep"), "note: restored 1 artifact\nSome(0)");
    assert_eq!(said(&folder, "tendon restore main.bicep"), "Some(0)");
    push(&server, "1.0", &TEMPLATE.replace("mul(2", "mul(3"));
    assert_eq!(said(&folder, "tendon restore main.bicep --force"), "note: restored 1 artifact\nSome(0)");
    assert!(said(&folder, "tendon build main.bicep --stdout").contains("mul(3"));
    server.change("/manifests/1.0", Vec::clear);
    let failed = said(&folder, "tendon restore main.bicep --force");
    assert!(failed.contains("stays in the cache as it is") && failed.ends_with("Some(1)"), "{failed}");
    assert!(said(&folder, "tendon build main.bicep --stdout").contains("mul(3"));
}

#[test]
fn two_hundred_modules_are_restored_by_several_processes_at_once() {
    let server = Memory::start().unwrap();
    let tags: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    push_all(&server, tags.iter().map(|tag| (tag.as_str(), TEMPLATE)));
    let mut text = String::new();
    for n in &tags {
        let host = server.host();
        text += &format!(
            "module m{n} 'br:{host}/team/thing:{n}' = {{\n  name: 'm{n}'\n  params: {{ size: {n} }}\n}}\n"
        );
    }
    let folder = Folder::with(&[("main.bicep", text.as_bytes())]);
    std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..3).map(|_| scope.spawn(|| said(&folder, "tendon restore main.bicep --quiet"))).collect();
        for run in runs {
            assert_eq!(run.join().unwrap(), "Some(0)");
        }
    });
    let repository = folder.path(&format!(".bicep/br/{}/team$thing", server.host().replace(':', "$")));
    // No folder is left of what was not complete.
    assert_eq!(std::fs::read_dir(&repository).unwrap().count(), 200);
    let built = said(&folder, "tendon build main.bicep --no-restore");
    assert!(built.ends_with("Some(0)"), "{built}");
}
