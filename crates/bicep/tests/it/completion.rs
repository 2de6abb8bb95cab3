//! Something can be written anywhere, also in programs that are half typed: completion answers at every offset.

use std::sync::Arc;

use bicep::editor::completion::{complete, describe};
use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

/// Programs that have a bit of everything.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "/main.bicep",
        "targetScope = 'subscription'\n\
         import { size, f as g } from 'shared.bicep'\n\
         import * as shared from 'shared.bicep'\n\
         extension kubernetes with { namespace: 'a', kubeConfig: 'b' } as k8s\n\
         @description('ä')\nparam name string = 'x${toLower('A')}'\n\
         @sys.allowed([1, 2])\nparam count int?\n\
         type t = { a: string, *: int } | 'x' | shared.size[*]\n\
         param p resourceInput<'My.Rp/things@2020-01-01'>.properties\n\
         var v = [for (n, i) in range(0, 3): i > 1 ? { a: n } : null]\n\
         var w = map(filter(v, x => x != null), y => y!.?a ?? '')[?0]\n\
         func h(a string, b int[]) string => '${a}${b[^1]}'\n",
    ),
    (
        "/main.bicep",
        "#disable-next-line no-unused-params\n\
         resource a 'Microsoft.Storage/storageAccounts@2021-01-01' existing = if (true) {\n  name: 'a'\n\
         \x20 dependsOn: [\n    m\n  ]\n  resource b 'blobServices' = {\n    name: '''x'''\n  }\n}\n\
         module m 'shared.bicep' = [for x in []: {\n  name: 'm${x}'\n  params: { a: union({ b: 1 }, {}) }\n  scope: subscription()\n}]\n\
         output o string = a::b.properties['x'].y(1, ...[2])\n\
         #restore-diagnostics BCP081\n",
    ),
    (
        "/main.bicepparam",
        "using 'shared.bicep' with {}\nextends 'base.bicepparam'\nparam a = -1\nparam = readEnvironmentVariable('A')\n",
    ),
];

fn ask(path: &str, text: &str, offsets: impl Iterator<Item = usize>) {
    let shared =
        "@export()\ntype size = 'a' | 'b'\n@export()\nfunc f(a string) string => a\nparam a object = {}\n";
    let world = MemoryWorld::default().with_file("/shared.bicep", shared).with_file(path, text);
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    let path = FilePath::new(path);
    for offset in offsets {
        let items = complete(&compiler, &path, u32::try_from(offset).unwrap());
        for item in items {
            let span = item.edit.span;
            assert!(span.start <= span.end && span.end as usize <= text.len(), "{} at {offset}", item.label);
            assert!(text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize));
        }
    }
}

#[test]
fn every_offset_of_a_program_is_answered() {
    for (path, text) in PROGRAMS {
        ask(path, text, 0..=text.len() + 1);
    }
}

#[test]
fn the_end_of_a_program_that_is_half_typed_is_answered() {
    for (path, text) in PROGRAMS {
        for (end, _) in text.char_indices() {
            let (begun, _) = text.split_at(end);
            ask(path, begun, end.saturating_sub(1)..=end);
        }
    }
}

#[test]
fn a_line_that_is_cut_off_in_the_middle_is_answered() {
    for (path, text) in PROGRAMS {
        let mut before = String::new();
        let mut after = *text;
        while let Some((line, rest)) = after.split_once('\n') {
            // Every third place will do: the others are tried at the end of a text.
            for (cut, _) in line.char_indices().step_by(3) {
                let (begun, _) = line.split_at(cut);
                let place = before.len() + cut;
                ask(path, &format!("{before}{begun}\n{rest}"), place..=place);
            }
            before.push_str(line);
            before.push('\n');
            after = rest;
        }
    }
}

#[test]
fn deep_programs_are_answered() {
    let deep = format!("var a = {}1{}\n", "[".repeat(240), "]".repeat(240));
    ask("/main.bicep", &deep, [8, 100, 248, 260].into_iter());
    let chain = format!("var b = a{}\nvar a = {{}}\n", ".c".repeat(800));
    ask("/main.bicep", &chain, [9, 400, 1600].into_iter());
}

#[test]
fn a_file_that_is_not_there_has_no_items() {
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(MemoryWorld::default()), CompilerOptions::new(generator));
    assert!(complete(&compiler, &FilePath::new("/none.bicep"), 0).is_empty());
}

#[test]
fn modules_of_registries_say_what_they_are() {
    let json = r#"{ "metadata": { "name": "Site", "description": "A *web* site." } }"#;
    let program = "metadata name = 'Vault'\nmetadata owner = 'me'\n";
    let world = MemoryWorld::default()
        .with_file("/cache/br/mcr.microsoft.com/bicep$avm$site/1.0.0$/main.json", json)
        .with_file("/m/vault/main.bicep", program)
        .with_file("/m/vault/other.json", json)
        .with_file("/main.bicep", "module site 'br/public:avm/");
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    let items = complete(&compiler, &FilePath::new("/main.bicep"), 27);
    let item = items.iter().find(|item| item.label == "avm/site").expect("the cache has it");
    let file = item.described_in.as_ref().expect("it has a file");
    assert_eq!(describe(&compiler, file).as_deref(), Some("**Site**\n\nA *web* site."));
    let of = |path: &str| describe(&compiler, &FilePath::new(path));
    assert_eq!(of("/m/vault/main.bicep").as_deref(), Some("**Vault**"));
    assert_eq!((of("/m/vault/other.json"), of("/none/main.json")), (None, None));
}
