//! The list of requests: what the documentation says of them, and what all of them have in common.

use std::fmt::Write as _;

use crate::support::Server;
use server::{Surface, requests};

const HEAD: &str = "\
# Requests that the server answers

Made from the tables of the server; run the tests with `TENDON_UPDATE=1` to make it anew. [server.md](server.md) says how they are used.

Paths do not depend on case and may end with a slash. `{scope}` is the beginning of an id: nothing for the tenant,
`/providers/Microsoft.Management/managementGroups/NAME`, `/subscriptions/ID`, `/subscriptions/ID/resourceGroups/NAME`, or a plane of Radius with or without a
group. `{name*}` is all that is left of a path. The last column says which role is needed where callers have one.
";

#[test]
fn the_documentation_lists_all_requests() {
    let mut page = HEAD.to_owned();
    for (surface, title) in [
        (Surface::Arm, "ARM"),
        (Surface::Radius, "Radius"),
        (Surface::Identity, "Logging in"),
        (Surface::Own, "Tendon itself"),
        (Surface::Ui, "Pages for people"),
    ] {
        let rows: Vec<_> = requests().into_iter().filter(|row| row.surface == surface).collect();
        if rows.is_empty() {
            continue;
        }
        write!(page, "\n## {title}\n\n| request | does | needs |\n|---|---|---|\n").unwrap();
        for row in rows {
            writeln!(
                page,
                "| `{} {}` | {} | {} |",
                row.method,
                row.path,
                row.about.trim_end_matches('.'),
                row.who
            )
            .unwrap();
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/server-requests.md");
    if std::env::var_os("TENDON_UPDATE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap_or_default() == page, "run the tests with TENDON_UPDATE=1");
}

#[test]
fn every_request_of_arm_needs_a_version() {
    let server = Server::new();
    server.group("g");
    for request in requests().into_iter().filter(|request| request.surface == Surface::Arm) {
        let path = request
            .path
            .replace("{scope}", "/subscriptions/s/resourceGroups/g")
            .replace("{rest*}", "A.B/c/d");
        let path =
            path.split('/').map(|part| if part.starts_with('{') { "g" } else { part }).collect::<Vec<_>>();
        let answer = server.ask(&format!("{} {}", request.method, path.join("/")), "");
        if request.method == "HEAD" {
            assert_eq!(answer.status, 400, "{request:?}");
        } else {
            answer.is_refused(400, "MissingApiVersionParameter");
        }
    }
}
