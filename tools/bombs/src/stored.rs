//! Large things that a caller may store, and everybody who reads them: each way to store with each request that reads.

use std::path::Path;

use cluster::client;

use crate::Result;
use crate::server::{Client, Server, Watch, expect};

/// The group that large things are in.
const GROUP: &str = "/subscriptions/00000000-0000-0000-0000-000000000001/resourcegroups/large";
/// The types of Radius that are stored.
const TYPES: &str = "/planes/radius/local/providers/System.Resources/resourceProviders/Large.Things";

/// What is stored: so many of them with so many bytes each.
#[derive(Clone, Copy, Debug)]
struct Amount {
    count: usize,
    bytes: usize,
}

const AMOUNTS: &[Amount] = &[Amount { count: 48, bytes: 3_900_000 }, Amount { count: 600, bytes: 60_000 }];

/// A way to store something large: a request for each number.
type Store = fn(usize, Amount) -> (&'static str, String, String);

const STORES: &[(&str, Store)] = &[
    ("resources", |number, amount| {
        let body = format!(r#"{{"location": "eastus", "properties": {{"p": "{}"}}}}"#, text(amount));
        ("PUT", at(&format!("{GROUP}/providers/Our.Things/things/n{number}")), body)
    }),
    ("resources-of-lists", |number, amount| {
        let list = vec!["[]"; amount.bytes / 24].join(",");
        let body = format!(r#"{{"location": "eastus", "properties": {{"p": [{list}]}}}}"#);
        ("PUT", at(&format!("{GROUP}/providers/Our.Things/lists/n{number}")), body)
    }),
    ("deployments", |number, amount| {
        let bytes = amount.bytes / 2;
        let outputs =
            format!(r#""outputs": {{"a": {{"type": "string", "value": "[padLeft('', {bytes}, 'x')]"}}}}"#);
        ("PUT", deployment(&format!("d{number}"), ""), properties(&outputs))
    }),
    ("templates", |number, amount| {
        let rest = format!(r#""metadata": {{"m": "{}"}}"#, text(amount));
        ("PUT", deployment(&format!("t{number}"), ""), properties(&rest))
    }),
    ("steps", |number, amount| {
        let bytes = amount.bytes.min(200_000);
        let resources = format!(
            r#""resources": [{{"type": "Our.Things/steps", "apiVersion": "2025-01-01", "name": "[concat('s{number}-', copyIndex())]", "copy": {{"name": "l", "count": 30}}, "properties": {{"p": "[padLeft('', {bytes}, 'x')]"}}}}]"#
        );
        ("PUT", deployment(&format!("s{number}"), ""), properties(&resources))
    }),
    ("radius", |number, amount| {
        let body = format!(r#"{{"location": "global", "properties": {{"p": "{}"}}}}"#, text(amount));
        let path =
            format!("/planes/radius/local/resourceGroups/default/providers/Large.Things/boxes/n{number}");
        ("PUT", format!("{path}?api-version=2025-01-01"), body)
    }),
    ("types", |number, amount| {
        let members = amount.bytes / 60;
        let members: Vec<String> = (0..members)
            .map(|at| format!(r#""m{at}": {{"type": "string", "description": "a member"}}"#))
            .collect();
        let body = format!(
            r#"{{"properties": {{"schema": {{"type": "object", "properties": {{{}}}}}}}}}"#,
            members.join(", ")
        );
        let path = format!("{TYPES}/resourceTypes/t{number}/apiVersions/2025-01-01");
        ("PUT", format!("{path}?api-version=2023-10-01-preview"), body)
    }),
];

/// Requests that read what was stored.
const READERS: &[(&str, &str, &str)] = &[
    ("GET", "{group}/resources?{v}", ""),
    ("GET", "{group}/resources?{v}&$top=1000", ""),
    ("GET", "{sub}/resources?{v}", ""),
    ("GET", "{group}/providers/Our.Things/things?{v}", ""),
    ("GET", "{sub}/providers/Our.Things/lists?{v}", ""),
    ("POST", "{group}/exportTemplate?{v}", r#"{"resources": ["*"]}"#),
    ("GET", "{group}/providers/Microsoft.Resources/deployments?{v}", ""),
    ("GET", "{group}/deployments/s1/operations?{v}", ""),
    ("POST", "{group}/providers/Microsoft.Resources/deployments/t1/exportTemplate?{v}", ""),
    ("POST", "{group}/providers/Microsoft.Resources/deployments/w/whatIf?{v}", "{complete}"),
    ("POST", "{group}/providers/Microsoft.Resources/deployments/w/whatIf?{v}", "{changes}"),
    ("PUT", "{group}/providers/Microsoft.Resources/deployments/r?{v}", "{references}"),
    ("GET", "/tendon/state/resources", ""),
    ("GET", "/tendon/state/deployments", ""),
    ("GET", "/tendon/state/item?id=s1", ""),
    ("GET", "/tendon/state/item?id=t1", ""),
    ("GET", "/planes/radius/local/resourceGroups/default/resources?api-version=2023-10-01-preview", ""),
    (
        "GET",
        "/planes/radius/local/resourceGroups/default/providers/Large.Things/boxes?api-version=2025-01-01",
        "",
    ),
    ("GET", "/planes/radius/local/providers/Large.Things/boxes?api-version=2025-01-01", ""),
    ("GET", "/planes/radius/local/providers?api-version=2023-10-01-preview", ""),
    ("GET", "/planes/radius/local/providers/Large.Things?api-version=2023-10-01-preview", ""),
    ("GET", "{types}/resourceTypes?api-version=2023-10-01-preview", ""),
    (
        "GET",
        "/planes/radius/local/resourceGroups/default/providers/Large.Thinks/boxes?api-version=2025-01-01",
        "",
    ),
    ("GET", "/ui", ""),
    ("GET", "/ui/resources", ""),
    ("GET", "/ui/resources{group}/providers/Our.Things/things/n1", ""),
    ("GET", "/ui/deployments{group}/providers/Microsoft.Resources/deployments/s1", ""),
    ("GET", "/ui/deployments{group}/providers/Microsoft.Resources/deployments/t1", ""),
    ("GET", "/ui/types", ""),
    ("GET", "/ui/types/Large.Things/t1", ""),
    ("GET", "/metrics", ""),
    ("PUT", "{group}/providers/Microsoft.Resources/deployments/c?{v}", "{complete}"),
    ("DELETE", "{group}?{v}", ""),
];

fn text(amount: Amount) -> String {
    "x".repeat(amount.bytes)
}

fn at(path: &str) -> String {
    format!("{path}?api-version=2025-04-01")
}

fn deployment(name: &str, rest: &str) -> String {
    at(&format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}{rest}"))
}

const TEMPLATE: &str = r#""$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0""#;

fn properties(rest: &str) -> String {
    let resources = if rest.contains(r#""resources""#) { "" } else { r#", "resources": []"# };
    format!(r#"{{"properties": {{"mode": "Incremental", "template": {{{TEMPLATE}{resources}, {rest}}}}}}}"#)
}

/// Fills in what a request speaks of.
fn filled(text: &str) -> String {
    let complete = properties(r#""resources": []"#).replace("Incremental", "Complete");
    let changes = properties(
        r#""resources": [{"type": "Our.Things/things", "apiVersion": "2025-01-01", "name": "[concat('n', copyIndex())]", "copy": {"name": "l", "count": 400}, "properties": {"q": 1}}]"#,
    );
    let references = properties(
        r#""outputs": {"o": {"type": "array", "value": "[map(range(0, 40), lambda('i', length(string(reference(resourceId('Our.Things/things', concat('n', lambdaVariables('i'))), '2025-01-01')))))]"}}"#,
    );
    text.replace("{complete}", &complete)
        .replace("{changes}", &changes)
        .replace("{references}", &references)
        .replace("{group}", GROUP)
        .replace("{types}", TYPES)
        .replace("{sub}", "/subscriptions/00000000-0000-0000-0000-000000000001")
        .replace("{v}", "api-version=2025-04-01")
}

/// What a request may be answered with: done, done later, or refused.
const FINE: &[u16] = &[200, 201, 202, 204, 303, 400, 404, 409, 413, 422, 429];

/// Stores large things of every kind, and reads them in every way; the process lives and others are served.
pub fn run(program: &Path, folder: &Path, word: Option<&str>, tell: &dyn Fn(&str)) -> Result<usize> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (number, amount) in AMOUNTS.iter().enumerate() {
        let state = folder.join(format!("stored-{number}"));
        let mut server = Server::start(program, &state)?;
        let client = Client(server.address);
        expect(client.ask("PUT", &at(GROUP), r#"{"location": "eastus"}"#), "the group", &[200, 201])?;
        prepare(client)?;
        let group = format!("{}?api-version=2025-04-01", client::GROUP);
        expect(client.ask("PUT", &group, r#"{"location": "eastus"}"#), "the group", &[200, 201])?;
        let mut judge = |name: &str, requests: &[(String, String, String)], server: &mut Server| -> Result {
            if word.is_some_and(|word| !name.contains(word) && !name.starts_with("store")) {
                return Ok(());
            }
            count += 1;
            tell(name);
            let client = Client(server.address);
            let watch = Watch::start(server.address, &group);
            for (method, path, body) in requests {
                match client.ask(method, path, body) {
                    Ok(reply) if FINE.contains(&reply.status) => {}
                    Ok(reply) => {
                        let shown: String = reply.body.chars().take(200).collect();
                        wrong.push(format!("{name}: {method} {path}: {}: {shown}", reply.status));
                    }
                    Err(why) => wrong.push(format!("{name}: {method} {path}: {why}")),
                }
            }
            if let Some(why) = server.revived(program, &state, name)? {
                wrong.push(why);
                return Ok(());
            }
            wrong.extend(watch.end().err().map(|why| format!("{name}: {why}")));
            Ok(())
        };
        for (kind, store) in STORES {
            let all: Vec<_> = (0..amount.count)
                .map(|number| store(number, *amount))
                .map(|(method, path, body)| (method.to_owned(), path, body))
                .collect();
            // Plans of many resources are stored some times only.
            let few = if *kind == "steps" { 8 } else { amount.count };
            judge(
                &format!("store {kind} of {} bytes", amount.bytes),
                all.get(..few).unwrap_or(&all),
                &mut server,
            )?;
        }
        for (method, path, body) in READERS {
            let request = ((*method).to_owned(), filled(path), filled(body));
            judge(&format!("{method} {path} of {} bytes", amount.bytes), &[request], &mut server)?;
        }
    }
    if wrong.is_empty() { Ok(count) } else { Err(wrong.join("\n")) }
}

/// The type of Radius that large resources are of.
fn prepare(client: Client) -> Result {
    let version = "api-version=2023-10-01-preview";
    expect(
        client.ask("PUT", &format!("{TYPES}?{version}"), r#"{"location": "global"}"#),
        "the provider",
        &[200, 201, 202],
    )?;
    let kind = format!("{TYPES}/resourceTypes/boxes?{version}");
    expect(client.ask("PUT", &kind, r#"{"properties": {}}"#), "the type", &[200, 201, 202])?;
    let schema = r#"{"properties": {"schema": {"type": "object", "properties": {"environment": {"type": "string"}, "p": {"type": "string"}}}}}"#;
    let path = format!("{TYPES}/resourceTypes/boxes/apiVersions/2025-01-01?{version}");
    expect(client.ask("PUT", &path, schema), "the version", &[200, 201, 202]).map(drop)
}
