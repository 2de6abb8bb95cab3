//! Values that nobody writes by hand: what the server accepts it can show again, so that one request spoils nothing for others.

use crate::support::Server;

const GROUP: &str = "/subscriptions/s/resourceGroups/g";
const VERSION: &str = "api-version=2024-11-01";

fn server() -> Server {
    let server = Server::new();
    server.group("g");
    server
}

/// The status and the text of an answer: no other reader of JSON need follow so deep.
fn ask(server: &Server, request: &str, body: &str) -> (u16, String) {
    let (status, _, bytes) = server.bytes(request, body, &[]);
    (status.as_u16(), String::from_utf8(bytes).unwrap())
}

/// Everything that reads what is kept still answers.
#[track_caller]
fn is_readable(server: &Server, what: &str) {
    for request in [
        format!("GET {GROUP}/resources?{VERSION}"),
        format!("GET /subscriptions/s/resources?{VERSION}"),
        format!("POST {GROUP}/exportTemplate?{VERSION}"),
        format!("GET {GROUP}/providers/A.B/c?{VERSION}"),
        format!(
            "GET {GROUP}/providers/Microsoft.Resources/deployments?{VERSION}&$filter=provisioningState%20eq%20'Succeeded'"
        ),
    ] {
        let (status, text) = ask(server, &request, "");
        assert_eq!(status, 200, "{what}: {request}: {text}");
    }
}

#[test]
fn a_resource_that_is_accepted_can_be_read_and_deleted() {
    let server = server();
    let deep = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let bodies = [
        ("a number that no double holds", r#"{"properties": {"a": 1e400, "b": -1e400}}"#.to_owned()),
        ("many digits", format!(r#"{{"properties": {{"a": {}}}}}"#, "9".repeat(5000))),
        ("a tiny number", r#"{"properties": {"a": 1e-400}}"#.to_owned()),
        ("names that differ in case", r#"{"properties": {"x": 1, "X": 2}}"#.to_owned()),
        ("deep", format!(r#"{{"properties": {}}}"#, deep(120))),
        ("as deep as a body may be", format!(r#"{{"properties": {}}}"#, deep(127))),
        ("deeper", format!(r#"{{"properties": {}}}"#, deep(128))),
        ("half a character", r#"{"properties": {"a": "\ud800"}}"#.to_owned()),
        ("a null character", r#"{"properties": {"a\u0000": "\u0000"}}"#.to_owned()),
    ];
    for (what, body) in bodies {
        let path = format!("{GROUP}/providers/A.B/c/d?{VERSION}");
        let (put, text) = ask(&server, &format!("PUT {path}"), &body);
        assert!([201, 400].contains(&put), "{what}: {put} {text}");
        if put == 201 {
            let (got, text) = ask(&server, &format!("GET {path}"), "");
            assert_eq!(got, 200, "{what}: {text}");
        }
        is_readable(&server, what);
        assert!([200, 204].contains(&ask(&server, &format!("DELETE {path}"), "").0), "{what}");
    }
}

#[test]
fn a_deployment_that_is_accepted_can_be_read() {
    let server = server();
    // As deep as expressions make values, below what the template nests itself.
    let deep =
        "reduce(range(0,500),createObject('a',1),lambda('c','n',createObject('a',lambdaVariables('c'))))";
    let literal = |value: &str| format!("{}\"[{value}]\"{}", "{\"a\":".repeat(100), "}".repeat(100));
    let cases = [
        ("an endless number", "createObject('a', json('1e999'), 'b', json('-1e999'))"),
        ("a long number", "createObject('a', json('123456789012345678901234567890'))"),
        ("deep", deep),
    ];
    for (number, (what, expression)) in cases.into_iter().enumerate() {
        for (kind, value) in [("plain", format!("\"[{expression}]\"")), ("below", literal(expression))] {
            let template = format!(
                r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
                "resources": [{{"type": "A.B/c", "apiVersion": "2024-11-01", "name": "r{number}{kind}", "properties": {value}}}],
                "outputs": {{"o": {{"type": "object", "value": {value}}}}}}}"#
            );
            let body = format!(r#"{{"properties": {{"mode": "Incremental", "template": {template}}}}}"#);
            let path = format!("{GROUP}/providers/Microsoft.Resources/deployments/d{number}{kind}");
            let (put, text) = ask(&server, &format!("PUT {path}?{VERSION}"), &body);
            assert!([200, 201, 400].contains(&put), "{what} {kind}: {text}");
            for rest in ["", "/operations"] {
                let (got, text) = ask(&server, &format!("GET {path}{rest}?{VERSION}"), "");
                assert!([200, 404].contains(&got), "{what} {kind}: {text}");
                assert!(!text.contains("is damaged"), "{what} {kind}: {text}");
            }
            is_readable(&server, what);
        }
    }
}
