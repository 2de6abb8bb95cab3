//! Requests that want much and are no templates: each request of the server, as its own page lists them, with each body and each query of some tables.

use std::path::Path;

use cluster::client;

use crate::Result;
use crate::server::{Client, Server, Watch, expect};

/// The page with all requests, which is made from the server itself.
const PAGE: &str = include_str!("../../../docs/server-requests.md");

/// Makes a body.
type Body = fn() -> String;

/// Bodies for whatever takes one.
const BODIES: &[(&str, Body)] = &[
    ("deep", || format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000))),
    ("deep objects", || format!("{}1{}", r#"{"a":"#.repeat(200_000), "}".repeat(200_000))),
    ("open", || r#"{"properties": {"template": "#.repeat(100_000)),
    ("wide list", || format!(r#"{{"properties": {{"p": [{}]}}}}"#, vec!["1"; 3_000_000].join(","))),
    ("empty lists", || format!(r#"{{"properties": {{"p": [{}]}}}}"#, vec!["[]"; 2_000_000].join(","))),
    ("wide object", || {
        let members: Vec<String> = (0..300_000).map(|at| format!(r#""m{at}":{at}"#)).collect();
        format!(r#"{{"properties": {{{}}}}}"#, members.join(","))
    }),
    ("one name", || format!(r#"{{"properties": {{{}}}}}"#, vec![r#""a":1"#; 500_000].join(","))),
    ("long name", || format!(r#"{{"{}": 1}}"#, "n".repeat(6_000_000))),
    ("long text", || format!(r#"{{"properties": {{"p": "{}"}}}}"#, "x".repeat(6_000_000))),
    ("escapes", || format!(r#"{{"properties": {{"p": "{}"}}}}"#, r"\u0001".repeat(1_000_000))),
    ("long number", || format!(r#"{{"properties": {{"p": {}}}}}"#, "9".repeat(6_000_000))),
    ("large exponent", || format!(r#"{{"properties": {{"p": [{}]}}}}"#, vec!["1e400"; 400_000].join(","))),
    ("not text", || "\u{0}".repeat(6_000_000)),
    ("many tags", || {
        let members: Vec<String> = (0..200_000).map(|at| format!(r#""t{at}":"v""#)).collect();
        format!(r#"{{"location": "eastus", "tags": {{{}}}, "properties": {{}}}}"#, members.join(","))
    }),
    ("template", || {
        template(r#""resources": [], "outputs": {"o": {"type": "array", "value": "[range(0, 10000)]"}}"#)
    }),
    ("template of functions", || {
        let functions: Vec<String> = (0..20_000)
            .map(|at| {
                format!(r#""f{at}": {{"parameters": [], "output": {{"type": "int", "value": "[{at}]"}}}}"#)
            })
            .collect();
        template(&format!(
            r#""resources": [], "functions": [{{"namespace": "n", "members": {{{}}}}}]"#,
            functions.join(",")
        ))
    }),
    ("template of definitions", || {
        let all: Vec<String> = (0..20_000)
            .map(|at| {
                format!(r##""t{at}": {{"type": "array", "items": {{"$ref": "#/definitions/t{}"}}}}"##, at + 1)
            })
            .collect();
        template(&format!(
            r##""languageVersion": "2.0", "resources": {{}}, "definitions": {{{}, "t20000": {{"type": "int"}}}}, "parameters": {{"p": {{"$ref": "#/definitions/t0", "defaultValue": []}}}}"##,
            all.join(",")
        ))
    }),
    ("template of unlike parameters", || {
        let all: Vec<String> = (0..60_000)
            .map(|at| {
                format!(r#""p{at}": {{"type": "string", "defaultValue": "[parameters('p{}')]"}}"#, at + 1)
            })
            .collect();
        template(&format!(r#""resources": [], "parameters": {{{}}}"#, all.join(",")))
    }),
    ("schema of patterns", || {
        let all: Vec<String> = (0..2_000)
            .map(|at| {
                format!(
                    r#""m{at}": {{"type": "string", "pattern": "^(([a-z]{{0,99}}){{0,99}}){{0,9}}${at}"}}"#
                )
            })
            .collect();
        schema(&all.join(","))
    }),
    ("schema of depth", || {
        let open = r#""p": {"type": "object", "properties": {"#.repeat(60);
        schema(&format!(r#"{open}"q": {{"type": "string"}}{}"#, "}}".repeat(60)))
    }),
    ("schema of width", || {
        let all: Vec<String> = (0..50_000).map(|at| format!(r#""m{at}": {{"type": "string"}}"#)).collect();
        schema(&all.join(","))
    }),
    ("schema of names", || {
        let all: Vec<String> = (0..50_000).map(|at| format!("\"n{at}\"")).collect();
        schema(&format!(r#""m": {{"type": "string", "enum": [{}]}}"#, all.join(",")))
    }),
    ("form", || format!("template={}&scope=/&parameters={}", "%7B".repeat(1_000_000), "%5B".repeat(300_000))),
    ("form of fields", || vec!["a=b"; 500_000].join("&")),
];

/// What is asked behind the path.
const QUERIES: &[(&str, Body)] = &[
    ("version", || "api-version=2025-04-01".to_owned()),
    ("wide filter", || {
        let all = vec!["name%20eq%20'a'"; 300].join("%20and%20");
        format!("api-version=2025-04-01&$filter={all}")
    }),
    ("deep filter", || format!("api-version=2025-04-01&$filter={}", "(".repeat(7_000))),
    ("top", || "api-version=2025-04-01&$top=18446744073709551615&top=99999999999999999999".to_owned()),
    ("place", || format!("api-version=2025-04-01&$skiptoken={0}&skipToken={0}", "A".repeat(3_000))),
    ("many", || vec!["api-version=2025-04-01"; 300].join("&")),
    ("words", || format!("q={0}&name={0}&scope={0}&type={0}&api-version=2025-04-01", "%25".repeat(400))),
];

fn template(rest: &str) -> String {
    format!(
        r#"{{"properties": {{"mode": "Incremental", "template": {{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0", {rest}}}}}}}"#
    )
}

fn schema(members: &str) -> String {
    format!(
        r#"{{"properties": {{"schema": {{"type": "object", "properties": {{"environment": {{"type": "string"}}, {members}}}}}}}}}"#
    )
}

/// A request of the server: a method, and a path with something for each name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    method: String,
    path: String,
}

/// All requests of the page.
fn known() -> Vec<Known> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let requests = rows.filter_map(|(request, _)| request.split_once(' '));
    requests.map(|(method, path)| Known { method: method.to_owned(), path: filled(path) }).collect()
}

/// A path with something for each name: what is there already, where it is a group.
fn filled(pattern: &str) -> String {
    let mut path = String::new();
    let mut rest = pattern;
    while let Some((before, name)) = rest.split_once('{') {
        let (name, behind) = name.split_once('}').unwrap_or((name, ""));
        path.push_str(before);
        path.push_str(match name {
            "scope" => client::GROUP,
            "rest" | "rest*" => "Our.Things/things/n1",
            "id*" => client::GROUP.trim_start_matches('/'),
            "subscription" => "00000000-0000-0000-0000-000000000001",
            "plane" => "local",
            "kind" => "radius",
            "namespace" => "Hostile.Things",
            "version" => "2025-01-01",
            // Not the group that others work in.
            _ => "hostile",
        });
        rest = behind;
    }
    path.push_str(rest);
    path
}

/// What may be answered: everything but that something broke.
fn is_fine(status: u16) -> bool {
    status < 500 || status == 503
}

/// Sends each request with each body, or each query where there is none; some of the pairs, or all.
pub fn run(
    program: &Path,
    folder: &Path,
    all: bool,
    word: Option<&str>,
    tell: &dyn Fn(&str),
) -> Result<usize> {
    let state = folder.join("requests");
    let mut server = Server::start(program, &state)?;
    let group = format!("{}?api-version=2025-04-01", client::GROUP);
    expect(Client(server.address).ask("PUT", &group, r#"{"location": "eastus"}"#), "the group", &[200, 201])?;
    let bodies: Vec<(&str, String)> = BODIES.iter().map(|(name, make)| (*name, make())).collect();
    let queries: Vec<(&str, String)> = QUERIES.iter().map(|(name, make)| (*name, make())).collect();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (at, request) in known().iter().enumerate() {
        let takes_body = ["PUT", "POST", "PATCH"].contains(&request.method.as_str());
        let tries = if takes_body { &bodies } else { &queries };
        let Known { method, path } = request;
        let watch = Watch::start(server.address, &group);
        let mut last = String::new();
        for (number, (what, sent)) in tries.iter().enumerate() {
            let name = format!("{method} {path}: {what}");
            // Each request gets some of them, and each of them goes to some requests.
            let is_chosen = all || (number + at) % 4 == 0;
            if !word.map_or(is_chosen, |word| name.contains(word)) {
                continue;
            }
            count += 1;
            tell(&name);
            let client = Client(server.address);
            let reply = if takes_body {
                client.ask(method, &format!("{path}?api-version=2025-01-01"), sent)
            } else {
                client.ask(method, &format!("{path}?{sent}"), "")
            };
            match reply {
                Ok(reply) if is_fine(reply.status) => {}
                Ok(reply) => {
                    let shown: String = reply.body.chars().take(200).collect();
                    wrong.push(format!("{name}: {}: {shown}", reply.status));
                }
                // A body that is too large is refused before it has been read.
                Err(why) if why.contains("Broken pipe") || why.contains("reset") => {}
                Err(why) => wrong.push(format!("{name}: {why}")),
            }
            last = name;
        }
        if let Some(why) = server.revived(program, &state, &last)? {
            wrong.push(why);
            continue;
        }
        wrong.extend(watch.end().err().map(|why| format!("{method} {path}: {why}")));
    }
    if wrong.is_empty() { Ok(count) } else { Err(wrong.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_requests_and_every_name_in_a_path_is_filled_in() {
        let all = known();
        assert!(all.len() > 100, "{}", all.len());
        for request in &all {
            assert!(request.path.starts_with('/') && !request.path.contains(['{', '}']), "{request:?}");
        }
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD"] {
            assert!(all.iter().any(|request| request.method == method), "{method}");
        }
    }
}
