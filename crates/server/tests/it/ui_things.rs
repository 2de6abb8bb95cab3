//! Pages of resources and resource types, the form that checks a resource, and the playground.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use engine::Clock;
use serde_json::json;
use server::Guard;

use crate::support::{Server, TokenServer, VERSION};

const GROUP: &str = "/subscriptions/s/resourceGroups/shop";
const OTHER: &str = "/subscriptions/s/resourceGroups/other";
const TYPES: &str =
    "/planes/radius/local/providers/System.Resources/resourceProviders?api-version=2023-10-01-preview";

/// A server with two groups, a resource in each, and a type.
fn server() -> (TokenServer, String) {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    let put = |path: &str, body: serde_json::Value| {
        let answer = server.ask(&format!("PUT {path}?{VERSION}"), &body.to_string(), &owner);
        assert!(answer.status.is_success(), "{answer:?}");
    };
    for group in [GROUP, OTHER] {
        put(group, json!({"location": "north"}));
        let properties =
            json!({"note": "<script>alert(1)</script>", "peer": format!("{OTHER}/providers/A.B/things/one")});
        put(
            &format!("{group}/providers/A.B/things/one"),
            json!({"location": "north", "properties": properties}),
        );
    }
    put(&format!("{GROUP}/providers/A.B/things/one/parts/inner"), json!({"properties": {}}));
    let manifest = json!({"namespace": "Test.Data", "types": {"databases": {"apiVersions": {"2025-01-01": {"schema": {
        "type": "object",
        "properties": {
            "environment": {"type": "string"},
            "size": {"type": "string", "enum": ["S", "M"]},
            "password": {"type": "string", "x-radius-sensitive": true, "minLength": 8}
        },
        "required": ["size"]
    }}}}}});
    let answer = server.ask(&format!("POST {TYPES}"), &manifest.to_string(), &owner);
    assert!(answer.status.is_success(), "{answer:?}");
    (server, owner)
}

/// Sends a form with the token of its page.
fn send(
    server: &TokenServer,
    token: &str,
    page: &str,
    action: &str,
    fields: &[(&str, &str)],
) -> (u16, String) {
    let (_, shown) = server.text(&format!("GET {page}"), token);
    let form =
        shown.split("name=\"form-token\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let fields = fields.iter().map(|(name, value)| format!("&{name}={}", encoded(value)));
    let body = format!("form-token={form}{}", fields.collect::<String>());
    server.post(action, &body, token, &[])
}

#[test]
fn resources_are_listed_and_shown_to_those_who_may_see_them() {
    let (server, owner) = server();
    let (status, all) = server.text("GET /ui/resources", &owner);
    assert_eq!(status, 200);
    assert!(all.contains("things/one/parts/inner"), "{all}");
    // What the registry keeps for itself is not a resource, and neither are tokens.
    let shown = all.split("<main").nth(1).unwrap();
    assert!(!shown.contains("System.Resources") && !shown.contains("token"), "{shown}");
    let reader = server.token("reader", GROUP);
    let (_, some) = server.text("GET /ui/resources", &reader);
    assert!(
        some.contains("resourceGroups/shop/providers") && !some.contains("resourceGroups/other/providers"),
        "{some}"
    );
    let (status, page) = server.text(&format!("GET /ui/resources{GROUP}/providers/A.B/things/one"), &reader);
    assert_eq!(status, 200);
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert"), "{page}");
    assert!(page.contains("child") && page.contains("things/one/parts/inner"), "{page}");
    // What one may not see has no link.
    assert!(
        page.contains("properties.peer")
            && !page.contains("href=\"/ui/resources/subscriptions/s/resourceGroups/other"),
        "{page}"
    );
    for (path, expected) in [
        (format!("{OTHER}/providers/A.B/things/one"), 403),
        (format!("{GROUP}/providers/A.B/things/none"), 404),
    ] {
        assert_eq!(server.text(&format!("GET /ui/resources{path}"), &reader).0, expected, "{path}");
    }
    let (_, filtered) = server.text("GET /ui/resources?type=a.b/things/parts&name=INN", &owner);
    assert!(filtered.contains("one/inner") && !filtered.contains(">one<"), "{filtered}");
}

#[test]
fn a_list_of_resources_comes_in_pages() {
    let (server, owner) = server();
    for at in 0..230 {
        let path = format!("{GROUP}/providers/A.B/many/n{at:03}?{VERSION}");
        assert!(server.ask(&format!("PUT {path}"), "{\"properties\": {}}", &owner).status.is_success());
    }
    let mut path = format!("/ui/resources?scope={GROUP}&type=A.B/many");
    let mut seen = 0;
    for expected in [100, 100, 30] {
        let (_, page) = server.text(&format!("GET {path}"), &owner);
        let count = page.matches("<th scope=\"row\">").count();
        assert_eq!(count, expected);
        seen += count;
        path = page
            .split("rel=\"next\" href=\"")
            .nth(1)
            .map_or("", |rest| rest.split('"').next().unwrap())
            .replace("&amp;", "&");
    }
    assert_eq!((seen, path.as_str()), (230, ""));
}

#[test]
fn links_to_the_next_page_name_nothing_that_is_not_shown() {
    let (server, owner) = server();
    for at in 0..210 {
        let path = format!("{OTHER}/providers/A.B/concealed/n{at:03}?{VERSION}");
        assert!(server.ask(&format!("PUT {path}"), "{\"properties\": {}}", &owner).status.is_success());
    }
    let reader = server.token("reader", GROUP);
    // What others have stands before what the reader sees, and does not push it to a later page.
    let (_, page) = server.text("GET /ui/resources", &reader);
    assert!(page.contains("things/one/parts/inner") && !page.contains("concealed"), "{page}");
    let list = "/subscriptions/s/resources";
    let answer = server.ask(&format!("GET {list}?{VERSION}"), "", &reader);
    let link = answer.body["nextLink"].as_str().unwrap();
    let token = link.split("$skiptoken=").nth(1).unwrap();
    let inside = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(token).unwrap();
    assert!(!String::from_utf8_lossy(&inside).contains("other"), "{token}");
    // It leads on, and says nothing where it does not belong.
    let rest = server.ask(
        &format!("GET {}", link.split_once(list).map(|it| format!("{list}{}", it.1)).unwrap()),
        "",
        &reader,
    );
    assert_eq!(rest.body["value"].as_array().unwrap().len(), 2, "{rest:?}");
    let elsewhere =
        format!("GET {GROUP}/providers/Microsoft.Resources/deployments?{VERSION}&$skiptoken={token}");
    let refused = server.ask(&elsewhere, "", &reader);
    refused.is_refused(400, "InvalidQueryParameterValue");
    assert!(!refused.body.to_string().contains("concealed"), "{refused:?}");
}

#[test]
fn a_resource_is_checked_against_its_type() {
    let (server, _) = server();
    // Types are everybody's to read.
    let reader = server.token("reader", GROUP);
    let (status, list) = server.text("GET /ui/types?name=data", &reader);
    assert!(status == 200 && list.contains("Test.Data/databases"), "{list}");
    let page = "/ui/types/Test.Data/databases";
    let (status, shown) = server.text(&format!("GET {page}"), &reader);
    assert!(status == 200 && shown.contains("one of S, M") && shown.contains("secret"), "{shown}");
    let check = |text: &str| {
        let fields = [("type", "Test.Data/databases"), ("version", "2025-01-01"), ("text", text)];
        send(&server, &reader, page, "POST /ui/check", &fields)
    };
    let (status, wrong) = check("properties:\r\n  size: XL\r\n  environment: e\r\n  password: short\r\n");
    assert_eq!(status, 200);
    assert!(wrong.contains("line 2, column 9") && wrong.contains("2 violations"), "{wrong}");
    let result = wrong.split("check-result").last().unwrap();
    assert!(!result.contains("short"), "{result}");
    let (_, fine) = check("{\"properties\": {\"size\": \"S\", \"environment\": \"e\"}}");
    assert!(fine.contains("1 resource valid"), "{fine}");
    assert_eq!(server.text("GET /ui/types/Test.Data/nothing", &reader).0, 404);
    // A form of nobody is refused.
    assert_eq!(server.post("POST /ui/check", "type=Test.Data%2Fdatabases&text=x", &reader, &[]).0, 403);
}

#[test]
fn a_template_is_tried_by_those_who_may_deploy() {
    let (server, owner) = server();
    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": {"size": {"type": "int", "maxValue": 3}, "secret": {"type": "secureString", "defaultValue": "hidden"}},
        "resources": [
            {"type": "A.B/things", "apiVersion": "2025-01-01", "name": "one", "location": "north", "properties": {"size": "[parameters('size')]"}},
            {"type": "A.B/things", "apiVersion": "2025-01-01", "name": "two", "location": "north", "properties": {}}
        ]
    });
    let template = serde_json::to_string_pretty(&template).unwrap();
    let attempt = |token: &str, scope: &str, template: &str, parameters: &str| {
        let fields = [("scope", scope), ("template", template), ("parameters", parameters)];
        send(&server, token, "/ui/playground", "POST /ui/playground", &fields)
    };
    let deployer = server.token("deployer", GROUP);
    let (status, page) = attempt(&deployer, GROUP, &template, "{\"size\": 2}");
    assert_eq!(status, 200);
    assert!(page.contains("would be accepted") && page.contains("<svg"), "{page}");
    assert!(page.contains("properties.size") && page.contains("<ins>2</ins>"), "{page}");
    // Nothing came of it.
    assert_eq!(server.text(&format!("GET /ui/resources{GROUP}/providers/A.B/things/two"), &owner).0, 404);
    let (_, list) = server.text("GET /ui", &owner);
    assert!(!list.contains("deployments/playground"), "{list}");
    let (_, page) = attempt(&deployer, GROUP, &template, "{\n  \"size\": 5\n}");
    assert!(page.contains("line 2, column") && !page.contains("would be accepted"), "{page}");
    let (_, page) = attempt(&deployer, GROUP, "{\n  \"resources\": 5\n}", "");
    assert!(page.contains("line 2, column"), "{page}");
    let (_, page) = attempt(&owner, "/subscriptions/s/resourceGroups/missing", &template, "{}");
    assert!(page.contains("ResourceGroupNotFound"), "{page}");
    let (_, page) = attempt(&owner, "nowhere", &template, "{}");
    assert!(page.contains("is not a scope"), "{page}");
    assert_eq!(attempt(&deployer, OTHER, &template, "{}").0, 403);
    assert_eq!(attempt(&server.token("reader", "/"), GROUP, &template, "{}").0, 403);
    assert_eq!(attempt(&owner, GROUP, &" ".repeat(2 << 20), "{}").0, 413);
}

#[test]
fn a_dense_plan_is_not_drawn_in_the_playground() {
    let (server, owner) = server();
    let resources = (0..100).map(|at| {
        let before: Vec<String> = (0..at).map(|at| format!("r{at}")).collect();
        json!({"type": "A.B/things", "apiVersion": "2025-01-01", "name": format!("r{at}"), "location": "north", "dependsOn": before})
    });
    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "resources": resources.collect::<Vec<_>>()
    });
    let fields = [("scope", GROUP), ("template", &template.to_string()), ("parameters", "{}")];
    let (status, page) = send(&server, &owner, "/ui/playground", "POST /ui/playground", &fields);
    assert_eq!(status, 200);
    assert!(page.contains("would be accepted") && !page.contains("<svg"), "{page}");
    assert!(page.contains("too large to draw here, it has 100 resources and 4950 dependencies"), "{page}");
}

#[test]
fn the_playground_reads_entries_as_every_other_boundary_does() {
    let (server, owner) = server();
    let template = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
"parameters": {"q": {"type": "string", "defaultValue": "default"}}, "resources": []}"#;
    let attempt = |parameters: &str| {
        let fields = [("scope", GROUP), ("template", template), ("parameters", parameters)];
        send(&server, &owner, "/ui/playground", "POST /ui/playground", &fields).1
    };
    let page = attempt(r#"{"parameters": {"q": {"value": "mine", "metadata": {}}}}"#);
    assert!(page.contains("would be accepted"), "{page}");
    for (entry, said) in [
        (r#"{"vlaue": "mine"}"#, "vlaue"),
        (r#"{"value": "mine", "foo": 1}"#, "foo"),
        (r#"{"value": "mine", "VALUE": "yours"}"#, "twice"),
        (r#"{"value": 5}"#, "Expected a value of type"),
        ("5", "must be an object"),
    ] {
        let page = attempt(&format!(r#"{{"parameters": {{"q": {entry}}}}}"#));
        assert!(page.contains(said) && !page.contains("would be accepted"), "{entry}: {page}");
    }
}

#[test]
fn the_playground_does_not_repeat_secrets() {
    let (server, owner) = server();
    let attempt = |template: &str, parameters: &str| {
        let fields = [("scope", GROUP), ("template", template), ("parameters", parameters)];
        let (_, page) = send(&server, &owner, "/ui/playground", "POST /ui/playground", &fields);
        page.split("id=\"result\"").nth(1).unwrap_or_else(|| panic!("{page}")).to_owned()
    };
    let template = |more: &str| {
        format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
"parameters": {{"password": {{"type": "secureString", "defaultValue": "hunter2"}}}}, {more}}}"#
        )
    };
    // A name that is written wrongly.
    let result = attempt(&template("\"resources\": []"), "{\"pasword\": \"hunter2\"}");
    assert!(result.contains("pasword") && !result.contains("hunter2"), "{result}");
    for wrong in ["\"resources\": 5", "\"resources\": [", "\"resources\": [{\"a\": {\"b\": 1}}]"] {
        let result = attempt(&template(wrong), "{}");
        assert!(result.contains("error") && !result.contains("hunter2"), "{result}");
    }
    // The settings of an extension may be secrets, whatever is wrong beside them.
    let settings = r#""extensionConfigs": {"k8s": {"kubeConfig": {"value": "hunter2"}}}"#;
    for parameters in [r#"{"q": {"vlaue": 1}}"#, "{}"] {
        let plain =
            template("\"resources\": []").replace("secureString", "string").replace("hunter2", "shown");
        let result = attempt(&plain, &format!(r#"{{"parameters": {parameters}, {settings}}}"#));
        assert!(result.contains("error") && !result.contains("hunter2"), "{result}");
    }
    // What has no secrets is shown.
    let plain = template("\"resources\": []").replace("secureString", "string");
    assert!(attempt(&plain, "{\"pasword\": \"shown\"}").contains("shown"));
}

/// A server without tokens that has a compiler.
fn compiling(compile: Arc<server::Compile>) -> Server {
    let server = Server::build(Clock::Virtual, |app, _, _| app.guarded(Guard::local()).compiling(compile));
    server.group("shop");
    server
}

/// What the playground of such a server says of a text.
fn compiled(server: &Server, text: &str) -> (u16, String) {
    let (_, page) = server.text("GET /ui/playground");
    let form =
        page.split("name=\"form-token\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let body = format!("form-token={form}&scope={}&template={}&parameters=", encoded(GROUP), encoded(text));
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let (status, _, page) = server.bytes("POST /ui/playground", &body, &headers);
    (status.as_u16(), String::from_utf8(page).unwrap())
}

#[test]
fn predictions_have_only_so_much_room() {
    let (started, starts) = channel();
    let (go, goes) = channel::<()>();
    let (started, goes) = (Mutex::new(started), Mutex::new(goes));
    let server = compiling(Arc::new(move |_: &str| {
        started.lock().unwrap().send(()).unwrap();
        goes.lock().unwrap().recv().unwrap();
        server::CompileResult {
            template: None,
            diagnostics: Vec::new(),
            secrets: Vec::new(),
            origin: Box::new(|_| None),
        }
    }));
    // There are at least one and at most two for one caller.
    std::thread::scope(|scope| {
        let tries: Vec<_> = (0..3).map(|_| scope.spawn(|| compiled(&server, "var a = 1"))).collect();
        starts.recv().unwrap();
        let refused = loop {
            if let Some(refused) = tries.iter().position(std::thread::ScopedJoinHandle::is_finished) {
                break refused;
            }
            std::thread::yield_now();
        };
        (0..3).for_each(|_| go.send(()).unwrap());
        for (at, done) in tries.into_iter().enumerate() {
            let (status, page) = done.join().unwrap();
            if at == refused {
                assert!(status == 429 && page.contains("predictions of this caller are under way"), "{page}");
            }
        }
    });
    // The room is given back.
    go.send(()).unwrap();
    assert_eq!(compiled(&server, "var a = 1").0, 200);
}

#[test]
fn what_a_compiler_says_of_secrets_is_not_shown() {
    let compile: Arc<server::Compile> = Arc::new(|text: &str| {
        let at = |word: &str| u32::try_from(text.find(word).unwrap()).unwrap();
        let (start, end) = (at("'hunter2'"), at("'hunter2'") + 9);
        let span = |start, end| diagnostics::Span::new(diagnostics::FileId::FIRST, start, end);
        let said = |message: &str, start, end| {
            diagnostics::Diagnostic::error("CODE", message.to_owned()).at(span(start, end))
        };
        server::CompileResult {
            template: None,
            diagnostics: vec![
                said("expected int, found 'hunter2'", start, end),
                said("a is not 'hunter2'", at("param"), at("param") + 5),
                said("b is wrong", at("other"), at("other") + 5),
            ],
            secrets: std::iter::once(start..end).collect(),
            origin: Box::new(|_| None),
        }
    });
    let server = compiling(compile);
    let text = "@secure()\nparam a int = 'hunter2'\nother\n";
    let (_, page) = compiled(&server, text);
    let result = page.split("id=\"result\"").nth(1).unwrap_or_else(|| panic!("{page}"));
    assert!(result.contains("3 errors") && result.contains("b is wrong"), "{result}");
    assert!(!result.contains("hunter2"), "{result}");
}
