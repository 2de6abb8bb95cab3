//! Validation, what-if and hashes through the API of ARM.

use crate::support::{Server, VERSION};
use serde_json::{Value, json};

const GROUP: &str = "/subscriptions/s/resourcegroups/g";

fn path(rest: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/d{rest}?{VERSION}")
}

fn template(size: u32) -> Value {
    json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "parameters": {"n": {"type": "string", "defaultValue": "x", "minLength": 1}},
        "resources": [{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "[parameters('n')]", "properties": {"size": size}}]
    })
}

fn body(size: u32) -> String {
    json!({"properties": {"mode": "Incremental", "template": template(size)}}).to_string()
}

#[test]
fn a_deployment_is_validated() {
    let server = Server::new();
    let validate = format!("POST {}", path("/validate"));
    server.ask(&validate, &body(1)).is_refused(404, "ResourceGroupNotFound");
    server.group("g");
    let valid = server.ask(&validate, &body(1));
    assert_eq!(
        (valid.status.as_u16(), &valid.body["properties"]["provisioningState"]),
        (200, &json!("Succeeded"))
    );
    let resource = &valid.body["properties"]["validatedResources"][0];
    assert_eq!(resource["id"], "/subscriptions/s/resourceGroups/g/providers/A.B/c/x");
    let wrong = body(1).replace("\"defaultValue\":\"x\"", "\"defaultValue\":\"\"");
    server.ask(&validate, &wrong).is_refused(400, "InvalidTemplate");
    server.ask(&format!("GET {}", path("")), "").is_refused(404, "DeploymentNotFound");
}

#[test]
fn what_would_change_is_told_and_nothing_changes() {
    let server = Server::new();
    let what_if = |body: &str| server.ask(&format!("POST {}", path("/whatIf")), body);
    what_if(&body(1)).is_refused(404, "ResourceGroupNotFound");
    server.group("g");
    let change = |body: &str| {
        let answer = what_if(body);
        assert_eq!(
            (answer.status.as_u16(), &answer.body["status"]),
            (200, &json!("Succeeded")),
            "{answer:?}"
        );
        answer.body["properties"]["changes"][0].clone()
    };
    assert_eq!(change(&body(1))["changeType"], "Create");
    assert_eq!(change(&body(1))["changeType"], "Create", "nothing was made");
    assert_eq!(server.ask(&format!("PUT {}", path("")), &body(1)).status, 200);
    assert_eq!(change(&body(1))["changeType"], "NoChange");
    let modified = change(&body(2));
    assert_eq!(modified["changeType"], "Modify");
    assert_eq!(
        modified["delta"],
        json!([{"path": "properties.size", "propertyChangeType": "Modify", "before": 1, "after": 2}])
    );
    let ids =
        body(2).replacen("\"mode\"", r#""whatIfSettings": {"resultFormat": "ResourceIdOnly"}, "mode""#, 1);
    let ids = change(&ids);
    assert_eq!((&ids["changeType"], ids.get("after")), (&json!("Deploy"), None));
    what_if("{}").is_refused(400, "InvalidRequestContent");
    let missing = format!("GET {GROUP}/operationresults/11111111-1111-1111-1111-111111111111?{VERSION}");
    server.ask(&missing, "").is_refused(404, "NotFound");
}

#[test]
fn a_template_has_a_hash() {
    let server = Server::new();
    let hash = format!("POST /providers/Microsoft.Resources/calculateTemplateHash?{VERSION}");
    let answer = server.ask(&hash, &template(1).to_string());
    let number = answer.body["templateHash"].as_str().unwrap();
    assert!(number.parse::<u64>().is_ok());
    assert!(answer.body["minifiedTemplate"].as_str().unwrap().starts_with("{\"$SCHEMA\""));
    server.group("g");
    let put = server.ask(&format!("PUT {}", path("")), &body(1));
    assert_eq!(put.body["properties"]["templateHash"], number);
    server.ask(&hash, "[]").is_refused(400, "InvalidRequestContent");
    let twice = server.ask(&hash, r#"{"resources": [], "outputs": {"a": 1, "b": {"A": 1, "a": 2}}}"#);
    twice.is_refused(400, "InvalidRequestContent");
    assert_eq!(twice.body["error"]["details"][0]["target"], "$.outputs.b.a");
}
