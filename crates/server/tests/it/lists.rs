//! Lists in pages, while others come and go; how many deployments are remembered; groups that are deleted while somebody deploys to them.

use std::sync::Arc;

use engine::Clock;
use serde_json::{Value, json};

use crate::support::{Server, VERSION};

const GROUP: &str = "/subscriptions/s/resourcegroups/g";

/// A deployment of one resource.
fn deployment(resource: &str) -> String {
    json!({"properties": {"mode": "Incremental", "template": {
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
        "resources": [{"type": "A.B/c", "apiVersion": "2024-11-01", "name": resource, "properties": {}}],
    }}})
    .to_string()
}

fn names(list: &Value) -> Vec<&str> {
    list["value"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

/// The path of the next page.
fn next(list: &Value) -> &str {
    list["nextLink"].as_str().unwrap().strip_prefix("https://127.0.0.1:8443").unwrap()
}

#[test]
fn pages_of_many_resources_and_groups_have_each_once() {
    let server = Server::new();
    let mut expected = Vec::new();
    // Names that stand before and behind a slash in the order of ids.
    for group in 0..150 {
        let name = format!("g{}{}", group / 2, if group % 2 == 0 { "" } else { "-x" });
        server.group(&name);
        for resource in 0..3 {
            let path = format!("/subscriptions/s/resourceGroups/{name}/providers/A.B/c/{resource}");
            assert_eq!(server.ask(&format!("PUT {path}?{VERSION}"), "{}").status, 201);
        }
        expected.push(name);
    }
    expected.sort();
    let all = |path: &str| {
        let mut found: Vec<String> = Vec::new();
        let mut list = server.ask(&format!("GET {path}?{VERSION}"), "").body;
        loop {
            found.extend(names(&list).into_iter().map(str::to_owned));
            if list.get("nextLink").is_none() {
                break found;
            }
            let link = next(&list).to_owned();
            list = server.ask(&format!("GET {link}"), "").body;
        }
    };
    let mut groups = all("/subscriptions/s/resourceGroups");
    groups.sort();
    assert_eq!(groups, expected);
    assert_eq!(all("/subscriptions/s/resources").len(), 450);
}

#[test]
fn deployments_that_come_and_go_move_no_page() {
    let server = Server::new();
    server.group("g");
    let put = |name: &str| {
        let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}?{VERSION}");
        let answer = server.ask(&format!("PUT {path}"), &deployment("x"));
        assert!(answer.status.is_success(), "{answer:?}");
    };
    for number in 0..205 {
        put(&format!("d{number}"));
    }
    let list = format!("{GROUP}/providers/Microsoft.Resources/deployments");
    let first = server.ask(&format!("GET {list}?{VERSION}"), "").body;
    assert_eq!(names(&first).len(), 200);
    put("new");
    server.ask(&format!("DELETE {list}/d204?{VERSION}"), "");
    server.ask(&format!("DELETE {list}/d5?{VERSION}"), "");
    let second = server.ask(&format!("GET {}", next(&first)), "").body;
    assert_eq!(names(&second), ["d4", "d3", "d2", "d1", "d0"]);
    for token in ["x", "MTIz", "OmE", "-1"] {
        let answer = server.ask(&format!("GET {list}?{VERSION}&$skiptoken={token}"), "");
        answer.is_refused(400, "InvalidQueryParameterValue");
    }
}

#[test]
fn a_scope_remembers_only_so_many_deployments() {
    let server = Server::build(Clock::Virtual, |app, _, _| app.remembering(5));
    server.group("g");
    let list = format!("{GROUP}/providers/Microsoft.Resources/deployments");
    for number in 0..30 {
        let put = server.ask(&format!("PUT {list}/d{number}?{VERSION}"), &deployment("x"));
        assert!(put.status.is_success(), "{put:?}");
    }
    // They are forgotten soon, and not at once.
    let count = || names(&server.ask(&format!("GET {list}?{VERSION}"), "").body).len();
    for _ in 0..1000 {
        if count() <= 5 {
            break;
        }
        std::thread::yield_now();
    }
    assert_eq!(count(), 5);
    let kept = server.ask(&format!("GET {list}?{VERSION}"), "").body;
    assert_eq!(names(&kept), ["d29", "d28", "d27", "d26", "d25"]);
    // Their resources stay.
    assert_eq!(server.ask(&format!("GET {GROUP}/providers/A.B/c/x?{VERSION}"), "").status, 200);
}

#[test]
fn a_group_that_is_deleted_while_somebody_deploys_to_it_is_gone_or_stays_whole() {
    let server = Arc::new(Server::new());
    for round in 0..40 {
        server.group("race");
        let group = "/subscriptions/s/resourcegroups/race";
        let deployments: Vec<_> = (0..3)
            .map(|number| {
                let server = Arc::clone(&server);
                std::thread::spawn(move || {
                    let path = format!("{group}/providers/Microsoft.Resources/deployments/d{number}");
                    server.ask(&format!("PUT {path}?{VERSION}"), &deployment(&format!("r{number}"))).status
                })
            })
            .collect();
        let deleted = server.ask(&format!("DELETE {group}?{VERSION}"), "").status;
        assert!([200, 409].contains(&deleted.as_u16()), "{round}: {deleted}");
        for thread in deployments {
            let status = thread.join().unwrap().as_u16();
            assert!([200, 201, 404].contains(&status), "{round}: {status}");
        }
        let there = server.ask(&format!("GET {group}?{VERSION}"), "").status.as_u16();
        assert_eq!(there, if deleted == 200 { 404 } else { 200 }, "{round}");
        if deleted == 200 {
            let all = server.ask(&format!("GET /subscriptions/s/resources?{VERSION}"), "").body;
            assert_eq!(names(&all), [""; 0], "{round}");
            // What is left of the race goes with the group, if it is made and deleted again.
            server.group("race");
        }
        // A deployment that was canceled may still be ending.
        let gone = (0..1000).any(|_| server.ask(&format!("DELETE {group}?{VERSION}"), "").status == 200);
        assert!(gone, "{round}");
    }
}
