//! Who may do what in a plane of Radius.

use crate::support::{Answer, TokenServer};
use serde_json::{Value, json};

const VERSION: &str = "2023-10-01-preview";
const CORE: &str = "2025-08-01-preview";
const PLANE: &str = "/planes/radius/local";

fn ask(server: &TokenServer, token: &str, request: &str, version: &str, body: &Value) -> Answer {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    server.ask(&format!("{request}?api-version={version}"), &body, token)
}

#[test]
fn a_deployer_of_a_group_stays_in_it() {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    let types = format!("{PLANE}/providers/System.Resources/resourceproviders/Test.Things");
    for (path, body) in [
        (types.clone(), json!({})),
        (format!("{types}/resourcetypes/gadgets"), json!({})),
        (format!("{types}/resourcetypes/gadgets/apiversions/{CORE}"), json!({"properties": {"schema": {}}})),
        (format!("{PLANE}/resourceGroups/shop"), json!({})),
    ] {
        let put = ask(&server, &owner, &format!("PUT {path}"), VERSION, &body);
        assert_eq!(put.status, 201, "{put:?}");
    }
    let body = json!({"properties": {"environment": "e"}});
    let gadget = |group: &str| format!("{PLANE}/resourceGroups/{group}/providers/Test.Things/gadgets/a");
    for group in ["default", "shop"] {
        assert_eq!(ask(&server, &owner, &format!("PUT {}", gadget(group)), CORE, &body).status, 201);
    }
    let token = server.token("deployer", &format!("{PLANE}/resourceGroups/shop"));
    let status = |request: &str, version: &str, body: &Value| {
        ask(&server, &token, request, version, body).status.as_u16()
    };
    // Types are everybody's to read, and nobody's to change.
    assert_eq!(status(&format!("GET {PLANE}/providers"), VERSION, &Value::Null), 200);
    assert_eq!(status(&format!("PUT {types}"), VERSION, &json!({})), 403);
    assert_eq!(status(&format!("DELETE {types}/resourcetypes/gadgets"), VERSION, &Value::Null), 403);
    assert_eq!(status(&format!("PUT {}", gadget("shop")), CORE, &body), 200);
    assert_eq!(status(&format!("PUT {}", gadget("default")), CORE, &body), 403);
    assert_eq!(status(&format!("GET {}", gadget("default")), CORE, &Value::Null), 403);
    assert_eq!(status(&format!("DELETE {}", gadget("default")), CORE, &Value::Null), 403);
    assert_eq!(status(&format!("DELETE {PLANE}/resourceGroups/shop"), VERSION, &Value::Null), 403);
    for list in [format!("{PLANE}/resourceGroups"), format!("{PLANE}/providers/Test.Things/gadgets")] {
        let all = ask(&server, &token, &format!("GET {list}"), VERSION, &Value::Null);
        let ids = all.body["value"].to_string();
        assert!(ids.contains("/resourceGroups/shop") && !ids.contains("/resourceGroups/default"), "{ids}");
    }
}

#[test]
fn a_deployment_to_a_group_stays_in_it() {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    assert_eq!(
        ask(&server, &owner, &format!("PUT {PLANE}/resourceGroups/shop"), VERSION, &json!({})).status,
        201
    );
    let token = server.token("deployer", &format!("{PLANE}/resourceGroups/shop"));
    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.0",
        "contentVersion": "1.0.0.0",
        "imports": {"radius": {"provider": "Radius", "version": "latest"}},
        "resources": {"env": {"import": "radius", "type": "Radius.Core/environments@2025-08-01-preview",
            "properties": {"name": "e", "properties": {}}}},
    });
    let body = json!({"properties": {"mode": "Incremental", "template": template}});
    let put = |group: &str| {
        let path = format!("{PLANE}/resourceGroups/{group}/providers/Microsoft.Resources/deployments/d");
        ask(&server, &token, &format!("PUT {path}"), "2020-10-01", &body)
    };
    let done = put("shop");
    assert_eq!(done.status, 200, "{done:?}");
    put("default").is_refused(403, "AuthorizationFailed");
}

#[test]
fn without_a_token_only_health_is_told() {
    let server = TokenServer::new();
    assert_eq!(server.ask("GET /apis/api.ucp.dev/v1alpha3", "", "").status, 200);
    for path in ["/providers", "/resourceGroups", "/resourceGroups/default"] {
        let refused = ask(&server, "", &format!("GET {PLANE}{path}"), VERSION, &Value::Null);
        refused.is_refused(401, "AuthenticationFailed");
    }
}
