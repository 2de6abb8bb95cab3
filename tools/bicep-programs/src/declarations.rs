//! Whole programs: declarations of every kind in one to four files that use each other, or themselves.

use crate::names::Names;
use crate::types::{self, Ty};
use crate::values::{each, value};
use crate::{Choices, Program};

/// Resource types: known ones, groups that are scopes, children, extensions and one that nobody knows.
const RESOURCES: [&str; 8] = [
    "Our.Things/things@2025-01-01",
    "Our.Things/things/parts@2025-01-01",
    "Microsoft.Resources/resourceGroups@2025-04-01",
    "Microsoft.Storage/storageAccounts@2023-01-01",
    "Microsoft.Storage/storageAccounts/blobServices@2023-01-01",
    "Microsoft.Authorization/locks@2020-05-01",
    "Microsoft.Management/managementGroups@2021-04-01",
    "Our.Things/groups@2025-01-01",
];
const SCOPES: [&str; 4] = ["resourceGroup", "subscription", "managementGroup", "tenant"];
const FILES: [&str; 4] = ["main.bicep", "a.bicep", "b.bicep", "c.bicep"];

/// Makes a program of some files.
pub(crate) fn program(choices: &mut Choices<'_>) -> Program {
    let count = 1 + choices.below(FILES.len());
    let mut files: Vec<(String, String)> = Vec::new();
    for (place, name) in FILES.iter().enumerate().take(count) {
        // A file uses those behind it, and now and then any: then they use each other.
        let behind = if choices.one_in(8) { 0 } else { place + 1 };
        let others = FILES.get(behind..count).unwrap_or_default();
        files.push(((*name).to_owned(), file(choices, others)));
    }
    if choices.one_in(10) {
        parameters(choices, &mut files);
    }
    Program { files }
}

/// Parameters for the first file, which extend others, or themselves.
fn parameters(choices: &mut Choices<'_>, files: &mut Vec<(String, String)>) {
    let extends = ["", "extends 'base.bicepparam'\n", "extends 'main.bicepparam'\n"];
    for name in ["base.bicepparam", "main.bicepparam"] {
        let mut names = Names::default();
        let mut text = format!("using {}\n", choices.pick(&["'main.bicep'", "none", "'a.bicep'"]));
        text.push_str(choices.pick(&extends));
        for _ in 0..choices.below(5) {
            let (name, ty) = (names.fresh('p'), types::ty(choices, &names, &[], 2));
            let keyword = choices.pick(&["param", "var"]);
            text.push_str(&format!("{keyword} {name} = {}\n", value(choices, &mut names, &ty, 3)));
            names.values.push((name, ty));
        }
        if choices.one_in(3) {
            text.push_str("param p9 = base.p1\n");
        }
        files.insert(0, (name.to_owned(), text));
    }
}

fn file(choices: &mut Choices<'_>, others: &[&str]) -> String {
    let mut names = Names::default();
    let mut text = String::new();
    if choices.one_in(3) {
        text.push_str(&format!("targetScope = '{}'\n", choices.pick(&SCOPES)));
    }
    // Names that are declared later can be mentioned before.
    let ahead: Vec<String> = (0..choices.below(4)).map(|_| names.fresh('t')).collect();
    for place in 0..ahead.len() {
        declare_type(choices, &mut names, &ahead, place, &mut text);
    }
    for _ in 0..2 + choices.below(10) {
        decorated(choices, &mut text);
        match choices.below(16) {
            0..3 => parameter(choices, &mut names, &mut text),
            3..6 => variable(choices, &mut names, &mut text),
            6 => {
                let ahead = vec![names.fresh('t')];
                declare_type(choices, &mut names, &ahead, 0, &mut text);
            }
            7 => function(choices, &mut names, &mut text),
            8..11 => resource(choices, &mut names, &mut text, 0),
            11 | 12 => module(choices, &mut names, others, &mut text),
            13 => import(choices, &mut names, others, &mut text),
            _ => output(choices, &mut names, &mut text),
        }
    }
    // Something for others to read.
    text.push_str("output o string = 'done'\n");
    text
}

fn decorated(choices: &mut Choices<'_>, text: &mut String) {
    if choices.one_in(6) {
        text.push_str(choices.pick(&[
            "@description('what it is')\n",
            "@export()\n",
            "@secure()\n",
            "@minLength(1)\n@maxLength(5)\n",
            "@minValue(0)\n",
            "@allowed(['a', 'b'])\n",
            "@sealed()\n",
            "@batchSize(2)\n",
            "@metadata({ a: 1 })\n",
            "@sys.description('''\nlines''')\n",
        ]));
    }
}

fn declare_type(
    choices: &mut Choices<'_>,
    names: &mut Names,
    ahead: &[String],
    place: usize,
    text: &mut String,
) {
    let Some(name) = ahead.get(place) else { return };
    if choices.one_in(5) {
        let kinds = types::kinds(choices, names, ahead);
        text.push_str(&format!("@discriminator('kind')\ntype {name} = {}\n", kinds.text()));
        names.types.push((name.clone(), kinds));
        return;
    }
    let ty = types::ty(choices, names, ahead, 3);
    let open = choices.pick(&["", "", "", "@export()\n", "@sealed()\n"]);
    text.push_str(&format!("{open}type {name} = {}\n", ty.text()));
    names.types.push((name.clone(), ty));
}

fn parameter(choices: &mut Choices<'_>, names: &mut Names, text: &mut String) {
    let (name, ty) = (names.fresh('p'), types::ty(choices, names, &[], 2));
    let default = match choices.below(3) {
        0 if !matches!(ty, Ty::Nullable(_)) => format!(" = {}", value(choices, names, &ty, 2)),
        _ => String::new(),
    };
    text.push_str(&format!("param {name} {}{default}\n", ty.text()));
    names.values.push((name, ty));
}

fn variable(choices: &mut Choices<'_>, names: &mut Names, text: &mut String) {
    let (name, ty) = (names.fresh('v'), types::ty(choices, names, &[], 2));
    let written = if choices.one_in(5) { format!(" {}", ty.text()) } else { String::new() };
    let made = match choices.below(5) {
        0 => each(choices, names, &ty, 3),
        _ => value(choices, names, &ty, 4),
    };
    text.push_str(&format!("var {name}{written} = {made}\n"));
    names.values.push((name, ty));
}

fn function(choices: &mut Choices<'_>, names: &mut Names, text: &mut String) {
    let name = names.fresh('f');
    let (given, result) = (types::ty(choices, names, &[], 1), types::ty(choices, names, &[], 1));
    let outer = std::mem::take(&mut names.values);
    names.locals.push(("x".to_owned(), given.clone()));
    if choices.one_in(4) {
        names.functions.push((name.clone(), given.clone(), result.clone()));
    }
    let body = value(choices, names, &result, 3);
    names.locals.pop();
    names.values = outer;
    text.push_str(&format!("func {name}(x {}) {} => {body}\n", given.text(), result.text()));
    names.functions.push((name, given, result));
}

fn output(choices: &mut Choices<'_>, names: &mut Names, text: &mut String) {
    let ty = types::ty(choices, names, &[], 2);
    let made = if choices.one_in(6) { each(choices, names, &ty, 2) } else { value(choices, names, &ty, 3) };
    text.push_str(&format!("output {} {} = {made}\n", names.fresh('o'), ty.text()));
}

/// The name of a resource, mostly one that is declared; sometimes the one that is being declared, or a later one.
fn link(choices: &mut Choices<'_>, names: &Names, own: &str) -> String {
    match choices.below(10) {
        0 => own.to_owned(),
        1 => choices
            .pick(&["r1", "r2", "r3", "m1", "v1", "resourceGroup()", "subscription('x')", "tenant()"])
            .to_owned(),
        2 => format!("({own})"),
        _ => match choices.one(&names.resources) {
            Some((name, _, true)) => format!("{name}[{}]", choices.pick(&["0", "i", "length([])"])),
            Some((name, ..)) => name.clone(),
            None => choices
                .pick(&["resourceGroup('x')", "resourceGroup()", "subscription()", "managementGroup('x')"])
                .to_owned(),
        },
    }
}

fn resource(choices: &mut Choices<'_>, names: &mut Names, text: &mut String, nested: usize) {
    let name = names.fresh('r');
    let ty = choices.pick(&RESOURCES);
    let existing = if choices.one_in(4) { " existing" } else { "" };
    let mut body = String::new();
    for _ in 0..choices.below(4) {
        let line = match choices.below(8) {
            0 => format!("parent: {}", link(choices, names, &name)),
            1 => format!("scope: {}", link(choices, names, &name)),
            2 => format!("dependsOn: [{}]", link(choices, names, &name)),
            3 => format!("properties: {}", value(choices, names, &Ty::Object, 3)),
            4 => format!("location: {}", value(choices, names, &Ty::Str, 2)),
            5 => format!("tags: {}", value(choices, names, &Ty::Object, 2)),
            6 => format!("...{}", value(choices, names, &Ty::Object, 2)),
            _ => "kind: 'cat'".to_owned(),
        };
        body.push_str(&format!("  {line}\n"));
    }
    body.push_str(&format!("  name: {}\n", value(choices, names, &Ty::Str, 2)));
    if nested < 3 && choices.one_in(5) {
        resource(choices, names, &mut body, nested + 1);
    }
    let (open, close, many) = match choices.below(6) {
        0 => (format!("if ({}) ", value(choices, names, &Ty::Bool, 2)), "", false),
        1 => ("[for (x, i) in range(0, 2): ".to_owned(), "]", true),
        2 if choices.one_in(2) => ("[for x in ['a', 'b']: if (x == 'a') ".to_owned(), "]", true),
        _ => (String::new(), "", false),
    };
    text.push_str(&format!("resource {name} '{ty}'{existing} = {open}{{\n{body}}}{close}\n"));
    names.resources.push((name, ty, many));
}

fn module(choices: &mut Choices<'_>, names: &mut Names, others: &[&str], text: &mut String) {
    let name = names.fresh('m');
    let target = if others.is_empty() { "main.bicep" } else { choices.pick(others) };
    let mut body = String::new();
    if choices.one_in(2) {
        body.push_str(&format!("  name: {}\n", value(choices, names, &Ty::Str, 1)));
    }
    if choices.one_in(3) {
        body.push_str(&format!("  scope: {}\n", link(choices, names, &name)));
    }
    if choices.one_in(3) {
        body.push_str(&format!("  params: {{ p1: {}, p2: 'x' }}\n", value(choices, names, &Ty::Str, 2)));
    }
    if choices.one_in(5) {
        body.push_str(&format!("  dependsOn: [{}]\n", link(choices, names, &name)));
    }
    let many = choices.one_in(5);
    let (open, close) = if many { ("[for (x, i) in range(0, 2): ", "]") } else { ("", "") };
    text.push_str(&format!("module {name} '{target}' = {open}{{\n{body}}}{close}\n"));
    names.modules.push((name, many));
}

fn import(choices: &mut Choices<'_>, names: &mut Names, others: &[&str], text: &mut String) {
    let target = if others.is_empty() { "main.bicep" } else { choices.pick(others) };
    if choices.one_in(2) {
        let alias = names.fresh('w');
        text.push_str(&format!("import * as {alias} from '{target}'\n"));
        names.types.push((format!("{alias}.t1"), Ty::Object));
        names.values.push((format!("{alias}.v1"), Ty::Str));
    } else {
        let alias = names.fresh('n');
        let item = choices.pick(&["t1", "t2", "v1", "v2", "f1", "v3", "t3"]);
        text.push_str(&format!("import {{ {item} as {alias} }} from '{target}'\n"));
        match item.as_bytes().first() {
            Some(b't') => names.types.push((alias, Ty::Object)),
            Some(b'v') => names.values.push((alias, Ty::Str)),
            _ => names.functions.push((alias, Ty::Str, Ty::Str)),
        }
    }
}
